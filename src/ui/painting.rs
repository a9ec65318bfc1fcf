//! What panels know of painting, and the words for it.

use glam::{Vec2, Vec3};

use ulna_model::{NodeId, PrimitiveId, Shared, SkinId, WeightEncoding};
use ulna_motion::{Role, Spot, TestPose};
use ulna_render::Color;
use ulna_weights::{
    Brush, Faults, PosedSurface, SkinnedSurface,
    layers::{LayerTarget, Painted},
};

/// How weights are shown in Paint mode.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum WeightLook {
    /// The weight of the painted joint.
    #[default]
    Joint,
    /// All joints, each in a color of its own, mixed by share.
    All,
    /// What is wrong.
    Faults,
    /// How far edges are stretched or squeezed in this pose.
    Strain,
    /// How much of its volume blending takes from the skin in this pose.
    Volume,
    /// The worst that any clip does to a vertex.
    Worst,
    /// How far each vertex would move if its weights were kept in bytes.
    Bytes,
    /// As `Bytes`, in shorts.
    Shorts,
    /// Materials, as ever.
    Materials,
}

impl WeightLook {
    /// The stored type that it asks about.
    pub const fn stored(self) -> Option<WeightEncoding> {
        match self {
            Self::Bytes => Some(WeightEncoding::Byte),
            Self::Shorts => Some(WeightEncoding::Short),
            _ => None,
        }
    }

    /// All of them, in the order of the menu.
    pub const ALL: [Self; 9] = [
        Self::Joint,
        Self::All,
        Self::Faults,
        Self::Strain,
        Self::Volume,
        Self::Worst,
        Self::Bytes,
        Self::Shorts,
        Self::Materials,
    ];

    /// Whether it shows what the pose does to the surface, so that a vertex says something of its
    /// neighbors.
    pub const fn is_strain(self) -> bool {
        matches!(self, Self::Strain | Self::Volume | Self::Worst | Self::Bytes | Self::Shorts)
    }

    /// Whether it is of the pose that is shown.
    pub const fn is_of_pose(self) -> bool {
        matches!(self, Self::Strain | Self::Volume | Self::Bytes | Self::Shorts)
    }

    /// Its name.
    pub const fn label(self) -> &'static str {
        match self {
            Self::Joint => "Weights: one joint",
            Self::All => "Weights: all joints",
            Self::Faults => "Weight problems",
            Self::Strain => "Stretch in this pose",
            Self::Volume => "Volume loss in this pose",
            Self::Worst => "Worst stretch, all poses",
            Self::Bytes => "Error of 8-bit weights",
            Self::Shorts => "Error of 16-bit weights",
            Self::Materials => "Materials",
        }
    }
}

/// A number of the brush that a drag changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BrushNumber {
    /// How large it is.
    Radius,
    /// How strong.
    Strength,
    /// The painted value.
    Value,
}

/// How a drag selects vertices.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum VertexPick {
    /// Those in a box.
    #[default]
    Box,
    /// Those in a line drawn around them.
    Lasso,
    /// Those that the brush goes over.
    Brush,
}

/// A part of the picture that vertices are selected in.
#[derive(Clone, Debug)]
pub enum VertexArea {
    /// The vertex under the brush.
    Here,
    /// Between two corners.
    Box(Vec2, Vec2),
    /// Within a closed line.
    Lasso(Vec<Vec2>),
    /// Within so many points of a line.
    Brush(Vec<Vec2>, f32),
}

/// A part of a stroke.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StrokePhase {
    /// The pointer went down.
    Begin {
        /// The joint under the pointer: it is picked where there is no surface to be painted.
        joint: Option<NodeId>,
    },
    /// It moved.
    Move,
    /// It went up.
    End,
    /// It never was.
    Cancel,
}

/// The brush over the surface.
#[derive(Clone, Debug)]
pub struct BrushHover {
    /// Where the pointer is, in points of the picture.
    pub at: Vec2,
    /// The rim of the brush on the surface, scene space.
    pub rim: Vec<Vec3>,
    /// Where it falls to half.
    pub half: Vec<Vec3>,
    /// The node that was hit.
    pub node: NodeId,
    /// The nearest vertex: its primitive, and its number there.
    pub vertex: (PrimitiveId, u32),
    /// Its number in the canvas.
    pub canvas_vertex: u32,
    /// Joints with their shares of the nearest vertex, the strongest first.
    pub shares: Vec<(NodeId, f32)>,
    /// Who would give, who would get, or why not.
    pub note: String,
    /// Whether the note is a refusal.
    pub refused: bool,
}

/// What panels know of painting.
#[derive(Clone)]
pub struct PaintView<'a> {
    /// The brush.
    pub brush: Brush,
    /// What can be painted; nothing where the file has no weights.
    pub canvas: Option<&'a SkinnedSurface>,
    /// The painted joint, by its number in the skin.
    pub joint: Option<u16>,
    /// Joints whose weights never move.
    pub locked: &'a std::collections::BTreeSet<NodeId>,
    /// The most joints a vertex may have.
    pub limit: usize,
    /// The brush over the surface.
    pub hover: Option<&'a BrushHover>,
    /// Where the brush was last over the surface: what the lists speak of, so that they hold still
    /// while one goes there.
    pub last: Option<&'a BrushHover>,
    /// How weights are shown.
    pub look: WeightLook,
    /// The farthest that a vertex would move if weights were kept in another type, meters; 0 where
    /// that is not shown.
    pub farthest: f32,
    /// By the skin's joints, how many vertices each moves.
    pub used: &'a [u32],
    /// What is wrong with the weights just now.
    pub faults: Faults,
    /// Vertices that have little in common with those around them.
    pub strays: usize,
    /// Whether these three are being counted still.
    pub counting: bool,
    /// Milliseconds the last dab took.
    pub dab_ms: f32,
    /// The number of the brush that is being dragged.
    pub adjusting: Option<BrushNumber>,
    /// Whether a clip is shown while painting.
    pub over_clip: bool,
    /// Selected vertices, by the canvas.
    pub vertices: &'a [u32],
    /// Where the canvas's vertices are in the pose that is shown.
    pub posed: PosedSurface<'a>,
    /// How a drag selects vertices.
    pub pick: VertexPick,
    /// Whether a drag is a gradient, radial or not.
    pub gradient: Option<bool>,
    /// By the skin's joints, what each is to the mirror.
    pub roles: &'a [Role],
    /// The joint of the other side, where there is one.
    pub partner: Option<NodeId>,
    /// One vertex of each place without a mirror image, once sides were paired.
    pub unpaired: Option<&'a [u32]>,
    /// Whether a stroke is under way.
    pub stroking: bool,
    /// Which layer is painted; nothing where there are none.
    pub layer: Option<LayerTarget>,
    /// What of it.
    pub painted: Painted,
    /// Whether the worst pose was looked for.
    pub searched: bool,
    /// The worst spots, the worst first.
    pub spots: &'a [Spot],
    /// Which of them was gone to last.
    pub spot: Option<usize>,
    /// The score of the worst when it was looked for.
    pub first_score: Option<f32>,
    /// A color for each joint of the skin, as where all joints are shown.
    pub colors: &'a [Color],
    /// The worst moment of the vertex under the brush.
    pub here: Option<Spot>,
    /// The length of the range of motion, where that is painted on, seconds.
    pub range: Option<f64>,
    /// How joints are bent besides.
    pub bend: BendView<'a>,
    /// Whether the weights that the file was opened with are shown: nothing is painted then.
    pub before: bool,
}

/// What panels know of the bend that is painted on.
#[derive(Clone, Copy, Debug)]
pub struct BendView<'a> {
    /// How far from the bind pose, 0, joints stand: 1 is the pose that is shown.
    pub amount: f32,
    /// Whether the rings that bend are shown, in place of the brush.
    pub rings: bool,
    /// Joints that were turned by hand.
    pub turned: usize,
    /// The pose that is shown in place of a clip.
    pub pose: Option<&'a str>,
    /// Poses to try, as they were listed last.
    pub tests: &'a [Shared<TestPose>],
    /// The document's generation and the skin that they were listed of.
    pub listed: Option<(u64, SkinId)>,
}

/// What is asked of the bend.
#[derive(Clone, Debug)]
pub enum BendAction {
    /// Whether rings are shown, in place of the brush.
    Rings(bool),
    /// How far from the bind pose joints stand.
    Amount(f32),
    /// Joints are turned about an axis of the scene since the drag began.
    Turn {
        /// Which.
        nodes: Vec<NodeId>,
        /// The axis.
        axis: Vec3,
        /// How far.
        degrees: f32,
    },
    /// The drag ends.
    End {
        /// Whether what it did stays.
        kept: bool,
    },
    /// No joint is turned by hand any more.
    Unbend,
    /// Lists poses to try anew.
    List,
    /// One of those is shown.
    Test(Shared<TestPose>),
    /// A pose that is kept with the file is shown.
    Kept(String),
    /// What is seen is kept with the file, under this name.
    Keep(String),
}

/// What is done to the weights of several joints at once.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum JointAct {
    /// What the brush does, everywhere or to what is selected.
    Flood,
    /// Toward the mean of the neighbors, one joint after another.
    Smooth,
    /// Weights of theirs below this are dropped.
    Prune(f32),
    /// The first gives all of its weights to the last.
    Merge,
    /// Each of two has the weights of the other.
    Swap,
    /// What they have is shared anew by how far along the limb a vertex lies, from the first to the
    /// last of its chain.
    Limb,
}

/// What Paint mode asks for.
#[derive(Clone, Debug)]
pub enum PaintAction {
    /// The pointer over the viewport while painting, in points of its picture; nothing: not over
    /// it.
    BrushHover(Option<(Vec2, Vec2)>),
    /// A part of a stroke.
    Stroke {
        /// Which part.
        phase: StrokePhase,
        /// Where, in points of the picture.
        at: Vec2,
        /// The picture's size.
        size: Vec2,
        /// A pen's pressure.
        pressure: f32,
        /// The key that smooths is held.
        smooth: bool,
        /// The key that inverts is held.
        invert: bool,
    },
    /// Another brush.
    Brush(Box<Brush>),
    /// Of the brush its numbers alone are shown, or all of it.
    FoldBrush(bool),
    /// Begins to drag a number of the brush, or ends it.
    AdjustBrush(Option<BrushNumber>),
    /// Lock or unlock the weights of joints.
    LockWeights {
        /// Which.
        nodes: Vec<NodeId>,
        /// Whether they are locked.
        locked: bool,
    },
    /// Paint another layer.
    PaintLayer(LayerTarget),
    /// Paint the weights of a layer, or its mask.
    PaintOfLayer(Painted),
    /// The most joints a vertex may have.
    WeightLimit(usize),
    /// Another way to show weights.
    WeightLook(WeightLook),
    /// Whether a clip is shown while painting.
    PaintOverClip(bool),
    /// Whether the range of motion is shown while painting.
    PaintRange(bool),
    /// Weights of vertices of the canvas in columns of joints, row by row.
    Cells {
        /// The rows.
        vertices: Vec<u32>,
        /// The columns, by their numbers in the skin.
        joints: Vec<u16>,
        /// A weight a cell.
        values: Vec<f32>,
    },
    /// Something of the bend that is painted on.
    Bend(BendAction),
    /// Show a spot at its worst moment.
    GoToSpot(Spot),
    /// Do something to the weights of several joints.
    OnJoints {
        /// Which.
        nodes: Vec<NodeId>,
        /// What.
        act: JointAct,
    },
    /// The vertices of the canvas in a part of the picture.
    SelectVerticesIn {
        /// Which part, in points of the picture.
        area: VertexArea,
        /// The picture's size.
        size: Vec2,
        /// Besides those that are.
        add: bool,
    },
    /// How vertices are selected.
    VertexPick(VertexPick),
    /// A drag over the model is a gradient, radial or not; nothing: it is a stroke.
    GradientTool(Option<bool>),
    /// A gradient from one point of the picture to another.
    Gradient {
        /// Where the brush's value is given whole.
        from: Vec2,
        /// Where it has faded.
        to: Vec2,
        /// The picture's size.
        size: Vec2,
    },
    /// These vertices of the canvas.
    SelectVertices {
        /// Which.
        vertices: Vec<u32>,
        /// Besides those that are.
        add: bool,
    },
}
