//! Requests that the painting panels and the brush send to the application.

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

/// Area of the viewport in which vertices are selected, in points.
#[derive(Clone, Debug)]
pub enum VertexArea {
    /// The vertex under the brush.
    Here,
    /// Rectangle between two opposite corners.
    Box(Vec2, Vec2),
    /// Interior of a closed line.
    Lasso(Vec<Vec2>),
    /// All points within a distance of a line: the line, and the distance in points.
    Brush(Vec<Vec2>, f32),
}

/// Phase of a brush stroke.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StrokePhase {
    /// The pointer was pressed.
    Begin {
        /// Joint under the pointer. It becomes the painted joint if no surface can be painted
        /// there.
        joint: Option<NodeId>,
    },
    /// The pointer moved.
    Move,
    /// The button was released.
    End,
    /// The stroke is canceled, and its changes are discarded.
    Cancel,
}

/// Requests that pose the model for painting: bent joints and test poses.
#[derive(Clone, Debug)]
pub enum BendAction {
    /// Shows rotation rings at the painted joint instead of the brush, or hides them.
    Rings(bool),
    /// Amount of the bend, from the bind pose (0) to the full bend (1).
    Amount(f32),
    /// Rotates joints about a scene axis. The angle is measured from the start of the drag.
    Turn {
        /// Joints to rotate.
        nodes: Vec<NodeId>,
        /// Rotation axis in the scene.
        axis: Vec3,
        /// Angle in degrees.
        degrees: f32,
    },
    /// Ends the drag of a rotation ring.
    End {
        /// Whether the rotation is kept; otherwise the joints return to their rotation before the
        /// drag.
        kept: bool,
    },
    /// Resets all bent joints to the bind pose.
    Unbend,
    /// Updates the list of test poses.
    List,
    /// Shows a test pose.
    Test(Shared<TestPose>),
    /// Shows a pose saved in the file, by name.
    Kept(String),
    /// Saves the current pose in the file under this name.
    Keep(String),
}

/// Operation on the weights of several joints.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum JointAct {
    /// Applies the brush to the selected vertices, or to all without a selection.
    Flood,
    /// Blends weights toward the mean of the neighbors, one joint after another.
    Smooth,
    /// Removes weights below a value.
    Prune(f32),
    /// Moves all weight of the first joint to the last one.
    Merge,
    /// Swaps the weights of two joints.
    Swap,
    /// Redistributes the weight among the joints of a chain, by the position of each vertex along
    /// the chain.
    Limb,
}

/// Requests of Paint mode.
#[derive(Clone, Debug)]
pub enum PaintAction {
    /// Pointer position over the viewport and the viewport size, in points; `None` outside the
    /// viewport.
    BrushHover(Option<(Vec2, Vec2)>),
    /// Input of a brush stroke.
    Stroke {
        /// Phase of the stroke.
        phase: StrokePhase,
        /// Position in the viewport, in points.
        at: Vec2,
        /// Size of the viewport, in points.
        size: Vec2,
        /// Pen pressure, `0..=1`.
        pressure: f32,
        /// Whether the key is held that makes the brush smooth.
        smooth: bool,
        /// Whether the key is held that inverts the brush.
        invert: bool,
    },
    /// Replaces the brush settings.
    Brush(Box<Brush>),
    /// Reduces the brush panel to radius, strength and value, or expands it.
    FoldBrush(bool),
    /// Starts a drag that changes this brush property; `None` ends the drag.
    AdjustBrush(Option<BrushNumber>),
    /// Lock or unlock the weights of joints.
    LockWeights {
        /// Joints to lock or unlock.
        nodes: Vec<NodeId>,
        /// Whether the joints become locked.
        locked: bool,
    },
    /// Selects the layer to paint.
    PaintLayer(LayerTarget),
    /// Selects whether the weights or the mask of the layer are painted.
    PaintOfLayer(Painted),
    /// Sets the maximum number of influences per vertex.
    WeightLimit(usize),
    /// Selects the display of weights.
    WeightLook(WeightLook),
    /// Sets whether a clip is shown while painting.
    PaintOverClip(bool),
    /// Sets whether the range of motion is shown while painting.
    PaintRange(bool),
    /// Sets weights in a grid of vertices and joints, row by row.
    Cells {
        /// Vertices of the painted surface, one per row.
        vertices: Vec<u32>,
        /// Joints of the skin by index, one per column.
        joints: Vec<u16>,
        /// Weights in row order, one per cell.
        values: Vec<f32>,
    },
    /// Request that changes the pose used for painting.
    Bend(BendAction),
    /// Moves the camera and the playhead to a point with strong deformation.
    GoToSpot(Spot),
    /// Runs an operation on the weights of several joints.
    OnJoints {
        /// Joints to change.
        nodes: Vec<NodeId>,
        /// Operation to run.
        act: JointAct,
    },
    /// Selects the vertices of the painted surface in an area of the viewport.
    SelectVerticesIn {
        /// Area of the viewport, in points.
        area: VertexArea,
        /// Size of the viewport, in points.
        size: Vec2,
        /// Whether the vertices are added to the selection.
        add: bool,
    },
    /// Sets the shape of the area that selects vertices.
    VertexPick(VertexPick),
    /// Selects the tool for drags over the model.
    Tool(PaintTool),
    /// Paints a gradient between two points of the viewport, in points.
    Gradient {
        /// Position with the full value of the brush.
        from: Vec2,
        /// Position where the value is 0.
        to: Vec2,
        /// Size of the viewport, in points.
        size: Vec2,
    },
    /// Selects vertices of the painted surface.
    SelectVertices {
        /// Vertices to select.
        vertices: Vec<u32>,
        /// Whether the vertices are added to the selection.
        add: bool,
    },
}
