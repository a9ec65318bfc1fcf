//! Actions of the panels of painting.

use glam::{Vec2, Vec3};

use super::{
    look::WeightLook,
    options::{BrushNumber, PaintTool, VertexPick},
};
use ulna_model::{NodeId, Shared};
use ulna_motion::{Spot, TestPose};
use ulna_weights::{
    Brush,
    layers::{LayerTarget, Painted},
};

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
    /// The pointer moved.
    Move,
    /// The button was released.
    End,
    /// The stroke is canceled.
    Cancel,
}

/// Requests about test bends.
#[derive(Clone, Debug)]
pub enum BendAction {
    /// Whether rings are shown, in place of the brush.
    Rings(bool),
    /// Amount of the bend, from the bind pose (0) to the full bend (1).
    Amount(f32),
    /// Joints are turned about an axis of the scene since the drag began.
    Turn {
        /// Joints to turn.
        nodes: Vec<NodeId>,
        /// The axis.
        axis: Vec3,
        /// Angle in degrees.
        degrees: f32,
    },
    /// The drag ends.
    End {
        /// Whether what it did stays.
        kept: bool,
    },
    /// Reset all bent joints.
    Unbend,
    /// List the test poses again.
    List,
    /// One of those is shown.
    Test(Shared<TestPose>),
    /// A pose that is kept with the file is shown.
    Kept(String),
    /// Saves the shown pose in the file under this name.
    Keep(String),
}

/// Operation on the weights of several joints.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum JointAct {
    /// Applies the brush to all or to the selected vertices.
    Flood,
    /// Blends weights toward the mean of the neighbors, one joint after another.
    Smooth,
    /// Drops weights of these joints below this value.
    Prune(f32),
    /// Moves all weight of the first joint to the last one.
    Merge,
    /// Swaps the weights of two joints.
    Swap,
    /// Redistributes their weight by the position of each vertex along the limb, from the first to
    /// the last joint of the chain.
    Limb,
}

/// Requests of Paint mode.
#[derive(Clone, Debug)]
pub enum PaintAction {
    /// The pointer over the viewport while painting, in points of its picture; nothing: not over
    /// it.
    BrushHover(Option<(Vec2, Vec2)>),
    /// A part of a stroke.
    Stroke {
        /// Phase of the stroke.
        phase: StrokePhase,
        /// Position in the viewport, in points.
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
    /// Start or end the drag of a brush number.
    AdjustBrush(Option<BrushNumber>),
    /// Lock or unlock the weights of joints.
    LockWeights {
        /// Joints to lock or unlock.
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
    /// Runs an operation on the weights of several joints.
    OnJoints {
        /// Joints to change.
        nodes: Vec<NodeId>,
        /// Operation.
        act: JointAct,
    },
    /// The vertices of the canvas in a part of the picture.
    SelectVerticesIn {
        /// Area of the viewport, in points.
        area: VertexArea,
        /// The picture's size.
        size: Vec2,
        /// Besides those that are.
        add: bool,
    },
    /// How vertices are selected.
    VertexPick(VertexPick),
    /// Tool of a drag over the model.
    Tool(PaintTool),
    /// A gradient from one point of the picture to another.
    Gradient {
        /// Position with the full value of the brush.
        from: Vec2,
        /// Position where the value is 0.
        to: Vec2,
        /// The picture's size.
        size: Vec2,
    },
    /// These vertices of the canvas.
    SelectVertices {
        /// Vertices to select.
        vertices: Vec<u32>,
        /// Besides those that are.
        add: bool,
    },
}
