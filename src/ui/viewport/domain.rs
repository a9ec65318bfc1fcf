//! The eye, the tool, and what of the model is shown; what panels ask of them.

use egui::TextureId;
use glam::{Vec2, Vec3};

use ulna_edit::Preset;
use ulna_edit::command::{
    Body, Children, DragLimb, EndAngle, PoseDestination, ToolCommand, field::Nodes,
};
use ulna_model::{Derived, DisplayChoice, NodeId};
use ulna_motion::{Balance, Bone, MotionPath, Space};
use ulna_render::{Camera, Shading};

/// Visible panels and displays.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(default)]
pub struct ViewOptions {
    /// The ground grid.
    pub grid: bool,
    /// Joints.
    pub joints: bool,
    /// Their names.
    pub names: bool,
    /// The axes of joints.
    pub axes: bool,
    /// Whether names and axes are displayed for selected joints only.
    pub of_selected: bool,
    /// Joints as sticks, not as octahedra.
    pub sticks: bool,
    /// How thick they are, 1 as usual.
    pub joint_size: f32,
    /// Only joints that move vertices.
    pub deforming: bool,
    /// The marks of pins.
    pub pins: bool,
    /// The center of mass.
    pub balance: bool,
    /// The ways of the selected joints.
    pub motion_paths: bool,
    /// The model at other moments of the clip.
    pub onion: Onion,
    /// The file's own lights instead of the studio's.
    pub lights: bool,
    /// How surfaces are shown.
    pub shading: Shading,
    /// The outliner.
    pub outliner: bool,
    /// The outliner, in a window too narrow to have it always.
    pub outliner_narrow: bool,
    /// Problems.
    pub problems: bool,
    /// Inspector and problems.
    pub inspector: bool,
    /// The timeline.
    pub timeline: bool,
    /// Of the brush its numbers alone, so that the joints have more room.
    pub brush_folded: bool,
    /// Size of the handles of the tools, 1 as usual.
    pub gizmo_size: f32,
    /// Color behind the model.
    pub background: Background,
}

impl ViewOptions {
    /// Least and greatest size of the handles.
    const GIZMO_SIZES: (f32, f32) = (0.5, 3.0);

    /// Enlarges or reduces the handles of the tools by a factor.
    pub fn resize_gizmo(&mut self, factor: f32) {
        let (least, most) = Self::GIZMO_SIZES;
        self.gizmo_size = (self.gizmo_size * factor).clamp(least, most);
    }
}

/// The color behind the model.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Background {
    /// Color of the theme.
    #[default]
    Theme,
    /// Light gray.
    Light,
    /// Dark gray.
    Dark,
    /// Black.
    Black,
}

impl Background {
    /// The next of them.
    pub const fn next(self) -> Self {
        match self {
            Self::Theme => Self::Light,
            Self::Light => Self::Dark,
            Self::Dark => Self::Black,
            Self::Black => Self::Theme,
        }
    }

    /// Gray in sRGB; `None` for the color of the theme.
    pub const fn gray(self) -> Option<u8> {
        match self {
            Self::Theme => None,
            Self::Light => Some(160),
            Self::Dark => Some(72),
            Self::Black => Some(0),
        }
    }
}

impl Default for ViewOptions {
    fn default() -> Self {
        Self {
            grid: true,
            joints: true,
            names: false,
            axes: false,
            of_selected: false,
            sticks: false,
            joint_size: 1.0,
            deforming: false,
            pins: true,
            balance: false,
            motion_paths: false,
            onion: Onion::default(),
            lights: false,
            shading: Shading::Textured,
            outliner: true,
            outliner_narrow: false,
            problems: true,
            inspector: true,
            timeline: true,
            brush_folded: false,
            gizmo_size: 1.0,
            background: Background::Theme,
        }
    }
}

/// The model at other moments of the clip, as ghosts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(default)]
pub struct Onion {
    /// Whether they are shown.
    pub shown: bool,
    /// At keys; else at every so many frames.
    pub by_keys: bool,
    /// Frames from one to the next.
    pub step: u32,
    /// Number of ghosts before the playhead.
    pub before: u32,
    /// Number of ghosts after the playhead.
    pub after: u32,
    /// Only of the meshes that the selected joints move.
    pub of_selected: bool,
}

impl Onion {
    /// More on one side are not shown.
    pub const MOST: u32 = 12;
}

impl Default for Onion {
    fn default() -> Self {
        Self { shown: false, by_keys: false, step: 4, before: 2, after: 2, of_selected: false }
    }
}

/// Transform space of the gizmo.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GizmoSpace {
    /// Axes of a space of the scene.
    Of(Space),
    /// Axes of the view.
    View,
}

impl Default for GizmoSpace {
    fn default() -> Self {
        Self::Of(Space::Local)
    }
}

impl GizmoSpace {
    /// All of them, in the order of the toolbar.
    pub const ALL: [Self; 6] = [
        Self::Of(Space::Local),
        Self::Of(Space::Parent),
        Self::Of(Space::World),
        Self::View,
        Self::Of(Space::Gimbal),
        Self::Of(Space::Rest),
    ];

    /// Title in the window.
    pub const fn title(self) -> &'static str {
        match self {
            Self::Of(Space::Local) => "Local",
            Self::Of(Space::Parent) => "Parent",
            Self::Of(Space::World) => "World",
            Self::Of(Space::Gimbal) => "Gimbal",
            Self::Of(Space::Rest) => "Rest",
            Self::View => "View",
        }
    }

    /// Explanation for a tooltip.
    pub const fn help(self) -> &'static str {
        match self {
            Self::Of(Space::Local) => "The joint's own axes in its current pose",
            Self::Of(Space::Parent) => "The axes of the parent joint",
            Self::Of(Space::World) => "The axes of the scene",
            Self::Of(Space::Gimbal) => "The axes of the X, Y and Z Euler angles",
            Self::Of(Space::Rest) => "The joint's own axes in the rest pose",
            Self::View => "The axes of the view: right, up and toward you",
        }
    }
}

/// The point about which several joints are posed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Pivot {
    /// Each its own.
    #[default]
    Each,
    /// The one picked last.
    Active,
    /// The middle of all.
    Median,
    /// A spot that was set, such as a fingertip or a heel.
    Spot,
}

impl Pivot {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Each, Self::Active, Self::Median, Self::Spot];

    /// Title in the window.
    pub const fn title(self) -> &'static str {
        match self {
            Self::Each => "Individual origins",
            Self::Active => "Active joint",
            Self::Median => "Median point",
            Self::Spot => "Custom pivot",
        }
    }

    /// The next of them, where a spot was set or none was.
    pub fn next(self, with_spot: bool) -> Self {
        match self {
            Self::Each => Self::Active,
            Self::Active => Self::Median,
            Self::Median if with_spot => Self::Spot,
            Self::Median | Self::Spot => Self::Each,
        }
    }
}

/// The steps that posing snaps to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SnapSteps {
    /// Meters.
    pub length: f32,
    /// Degrees.
    pub angle: f32,
    /// Of factors.
    pub factor: f32,
}

impl Default for SnapSteps {
    fn default() -> Self {
        Self { length: 0.01, angle: 5.0, factor: 0.1 }
    }
}

/// Snap target of a drag while a key is held.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SnapTo {
    /// The origin of a joint.
    Joint,
    /// A vertex of the surface.
    Vertex,
    /// The surface.
    Surface,
    /// The height of the ground, 0.
    Ground,
    /// Round numbers of the scene, by the step of translations.
    Grid,
    /// The middle between the skin in front and the skin behind.
    Limb,
    /// The same of the part in front alone, such as an arm before the chest.
    FrontLimb,
    /// The middle of the loop of edges around the limb in front.
    Loop,
}

impl SnapTo {
    /// All of them, with the keys that are held for them.
    const KEYS: [(egui::Key, Self, &'static str); 7] = [
        (egui::Key::J, Self::Joint, "joint"),
        (egui::Key::V, Self::Vertex, "vertex"),
        (egui::Key::F, Self::Surface, "surface"),
        (egui::Key::G, Self::Ground, "ground"),
        (egui::Key::B, Self::Grid, "grid"),
        (egui::Key::C, Self::Limb, "limb center"),
        (egui::Key::L, Self::Loop, "edge loop"),
    ];

    /// The keys of a key map that are held for them; `held`: a button is held, too. In Maya X snaps
    /// to the grid, and J to steps.
    pub fn keys(preset: Preset, held: bool) -> Vec<(egui::Key, Self, &'static str)> {
        let maya = preset == Preset::Maya;
        let grid = (egui::Key::X, Self::Grid, "grid");
        Self::KEYS
            .into_iter()
            .filter(|(key, ..)| !maya || *key != egui::Key::J)
            .chain((maya && held).then_some(grid))
            .collect()
    }

    /// Whether the spot is sought under the pointer.
    pub const fn is_sought(self) -> bool {
        !matches!(self, Self::Ground | Self::Grid)
    }
}

/// How limbs follow what is dragged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReachOptions {
    /// Whether the spine leans and the hips move where a limb does not reach.
    pub full: bool,
    /// Number of joints in the chain; the limb if omitted.
    pub chain: Option<usize>,
    /// Whether the end keeps its angle in the scene.
    pub keeps: bool,
    /// Whether limbs stretch slower the straighter they are.
    pub soft: bool,
    /// Whether joints turn no farther than the clips turn them.
    pub limits: bool,
}

impl Default for ReachOptions {
    fn default() -> Self {
        Self { full: false, chain: None, keeps: true, soft: true, limits: false }
    }
}

impl ReachOptions {
    /// The command that puts the end of a limb at a point of the scene that was typed, in meters:
    /// all the way, however straight it gets.
    pub fn put(&self, node: NodeId, to: Vec3, over: PoseDestination) -> DragLimb {
        DragLimb {
            node: Nodes::one(node),
            to,
            chain: self.chain,
            swivel: None,
            tip: None,
            end: Some(if self.keeps { EndAngle::Keep } else { EndAngle::Follow }),
            soft: Some(false),
            limits: self.limits.then_some(true),
            plant: None,
            body: Some(if self.full { Body::Full } else { Body::Limb }),
            over,
        }
    }
}

/// A bone near a point of the picture.
#[derive(Clone, Copy, Debug)]
pub struct PickedBone {
    /// Joint of the bone.
    pub joint: NodeId,
    /// The spot of it, in the scene.
    pub spot: Vec3,
    /// Whether that is the joint itself, not somewhere along its bone.
    pub is_head: bool,
    /// Whether it moves vertices. Where the skin lies in front of one that moves none, the skin is
    /// meant.
    pub deforms: bool,
}

/// Joints and meshes at the point of the last right click.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct UnderPointer {
    /// Joints: those whose bones are near, then those that move the skin there.
    pub joints: Vec<NodeId>,
    /// Nodes with meshes, from front to back.
    pub meshes: Vec<NodeId>,
}

impl UnderPointer {
    /// Whether nothing is there.
    pub const fn is_empty(&self) -> bool {
        self.joints.is_empty() && self.meshes.is_empty()
    }
}

/// Requests of the viewport.
#[derive(Clone, Debug)]
pub enum ViewportAction {
    /// Another scene, or another variant of the materials.
    Choose(DisplayChoice),
    /// The pointer is over a joint, or over none.
    Hover(Option<NodeId>),
    /// The pointer is over the viewport's surface, in points of its picture, and over no joint.
    HoverSurface {
        /// Position in the viewport, in points.
        at: Vec2,
        /// The picture's size.
        size: Vec2,
        /// A joint there that moves no vertices: it is meant where no skin lies in front of it.
        behind: Option<PickedBone>,
    },
    /// A click on the viewport's surface, in points of its picture.
    PickSurface {
        /// Position in the viewport, in points.
        at: Vec2,
        /// The picture's size.
        size: Vec2,
        /// As in [`ViewportAction::HoverSurface`].
        behind: Option<PickedBone>,
        /// Add or take out.
        toggle: bool,
    },
    /// A right click on the picture, in points of it: finds joints and meshes there. The one that a
    /// click would select is selected, unless it is among the selected ones.
    PickForMenu {
        /// Position in the viewport, in points.
        at: Vec2,
        /// The picture's size.
        size: Vec2,
        /// Bones there, the nearest first.
        near: Vec<PickedBone>,
    },
    /// A press on the viewport's surface that may take hold of a limb, in points of its picture.
    Grab {
        /// Position in the viewport, in points.
        at: Vec2,
        /// The picture's size.
        size: Vec2,
        /// The bone that was pressed on, where it was one.
        bone: Option<PickedBone>,
    },
    /// Whether the joints on the other side are posed as the mirror image.
    SetSymmetry(bool),
    /// Sets whether children of posed joints follow them.
    SetChildren(Children),
    /// Another tool, of which no gesture begins yet.
    SetTool(ToolCommand),
    /// How limbs follow what is dragged.
    SetReach(ReachOptions),
    /// The eye moved.
    Camera(Camera),
    /// The gizmo's axes.
    SetSpace(GizmoSpace),
    /// The point about which several joints are posed.
    SetPivot(Pivot),
    /// A spot of what is under the pointer, in points of the picture, is wanted while something is
    /// dragged there.
    SeekSpot {
        /// Position in the viewport, in points.
        at: Vec2,
        /// The picture's size.
        size: Vec2,
        /// Kind of the snap target.
        of: SnapTo,
        /// Dragged nodes: they and their descendants are no snap targets.
        except: Vec<NodeId>,
    },
    /// Whether every drag snaps, and to what.
    SetSnap(bool, SnapSteps),
    /// Sets the options of ghosts.
    SetOnion(Onion),
    /// How thick joints are drawn.
    SetJointSize(f32),
    /// Sets the comparison with the file as opened.
    SetCompare(Compare),
    /// The viewport's size, in points.
    ViewportSize(Vec2),
}

/// Comparison of the edited model with the file as opened.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Compare {
    /// Nothing.
    #[default]
    Edited,
    /// The file as it was opened, in its place.
    File,
    /// The file as it was opened, as a ghost.
    Both,
}

impl Compare {
    /// The next of them.
    pub const fn next(self) -> Self {
        match self {
            Self::Edited => Self::File,
            Self::File => Self::Both,
            Self::Both => Self::Edited,
        }
    }

    /// All of them, with their words.
    pub const ALL: [(Self, &'static str); 3] =
        [(Self::File, "File"), (Self::Edited, "Edited"), (Self::Both, "Both")];
}

/// The eye, the tool and what is shown.
#[derive(Clone, Debug, Default)]
pub struct Viewport {
    /// The eye.
    pub camera: Camera,
    /// The way the eye is on, and when it began.
    pub transition: Option<(Camera, Camera, f64)>,
    /// The file's camera that was looked through last.
    pub looked_through: Option<NodeId>,
    /// The pointer's tool.
    pub tool: ToolCommand,
    /// The axes of the manipulator.
    pub space: GizmoSpace,
    /// The point about which several joints are posed.
    pub pivot: Pivot,
    /// The spot that was set as a pivot: a point in the space of a node, with which it moves.
    pub pivot_spot: Option<(NodeId, Vec3)>,
    /// Whether every drag snaps.
    pub snap: bool,
    /// To what.
    pub snap_steps: SnapSteps,
    /// The spot that a drag sought last, in the scene: of what, and where, if anything was there.
    pub sought: Option<(SnapTo, Option<Vec3>)>,
    /// How limbs follow what is dragged.
    pub reach: ReachOptions,
    /// Whether the joints on the other side are posed as the mirror image.
    pub symmetry: bool,
    /// Whether children of posed joints follow them.
    pub children: Children,
    /// Visible panels and displays.
    pub options: ViewOptions,
    /// Comparison with the file as opened.
    pub compare: Compare,
    /// Whether the file as it was opened is seen while a key is held.
    pub peeks: bool,
    /// Position of the last click on the skin, and the number of clicks there.
    pub last_pick: Option<(Vec2, usize)>,
    /// Joints and meshes at the point of the last right click.
    pub under: UnderPointer,
    /// The joint under the pointer by the skin that it moves: in which picture, and where.
    pub surface_hover: Derived<(u64, Camera, Vec2), Option<NodeId>>,
}

impl Viewport {
    /// Comparison with the file as opened, including a held key.
    pub fn compared(&self) -> Compare {
        if self.peeks { Compare::File } else { self.compare }
    }
}

/// View of the viewport for the panels.
#[derive(Clone, Copy, Debug)]
pub struct ViewportView<'a> {
    /// The eye.
    pub camera: Camera,
    /// The pointer's tool.
    pub tool: ToolCommand,
    /// The axes of the manipulator.
    pub space: GizmoSpace,
    /// The point about which several joints are posed.
    pub pivot: Pivot,
    /// The spot that was set as a pivot: a point in the space of a node, with which it moves.
    pub pivot_spot: Option<(NodeId, Vec3)>,
    /// Whether every drag snaps.
    pub snap: bool,
    /// To what.
    pub snap_steps: SnapSteps,
    /// The spot that a drag sought last, in the scene: of what, and where, if anything was there.
    pub sought: Option<(SnapTo, Option<Vec3>)>,
    /// How limbs follow what is dragged.
    pub reach: ReachOptions,
    /// Whether the joints on the other side are posed as the mirror image.
    pub symmetry: bool,
    /// Whether children of posed joints follow them.
    pub children: Children,
    /// Comparison with the file as opened.
    pub compare: Compare,
    /// Joints and meshes at the point of the last right click.
    pub under: &'a UnderPointer,
    /// The picture.
    pub texture: Option<TextureId>,
    /// The bones of the pose that is shown.
    pub bones: &'a [Bone],
    /// Center of mass and support area, if they are shown.
    pub balance: Option<&'a Balance>,
    /// Its way over the clip that is shown.
    pub balance_path: &'a [Vec3],
    /// The ways of the selected joints over the clip that is shown.
    pub paths: &'a [MotionPath],
    /// While it is not drawn in full: a picture's pixels for each of its own, along a side.
    pub quick: Option<f32>,
    /// Milliseconds the last picture took to make on the CPU.
    pub frame_ms: f32,
}
