//! Settings of painting, which are kept when another surface is painted.

use std::collections::BTreeSet;

use super::look::WeightLook;
use ulna_edit::command::BrushCommand;
use ulna_model::NodeId;
use ulna_weights::Brush;

/// Numeric brush property that a drag can change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BrushNumber {
    /// Radius of the brush.
    Radius,
    /// Strength of the brush.
    Strength,
    /// Value that the brush paints.
    Value,
}

impl BrushNumber {
    /// Command that sets this property.
    pub const fn command(self) -> BrushCommand {
        match self {
            Self::Radius => BrushCommand::Radius,
            Self::Strength => BrushCommand::Strength,
            Self::Value => BrushCommand::Value,
        }
    }
}

/// Shape of the area in which a drag selects vertices.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum VertexPick {
    /// Vertices in a box.
    #[default]
    Box,
    /// Vertices within a line drawn around them.
    Lasso,
    /// Vertices that the brush passes over.
    Brush,
}

/// Tool for drags over the model in Paint mode.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PaintTool {
    /// Brush stroke.
    #[default]
    Stroke,
    /// Linear gradient from the start to the end of the drag.
    LinearGradient,
    /// Radial gradient about the start of the drag.
    RadialGradient,
}

/// Settings of painting, which are kept when another surface is painted.
pub struct PaintOptions {
    /// Brush settings.
    pub brush: Brush,
    /// Maximum number of influences per vertex.
    pub limit: usize,
    /// Joints whose weights are locked.
    pub locked: BTreeSet<NodeId>,
    /// Display of weights.
    pub look: WeightLook,
    /// Whether a clip is shown while painting.
    pub over_clip: bool,
    /// Shape of the area in which a drag selects vertices.
    pub pick: VertexPick,
    /// Tool for drags over the model.
    pub tool: PaintTool,
}

impl Default for PaintOptions {
    fn default() -> Self {
        Self {
            brush: Brush::default(),
            limit: 4,
            locked: BTreeSet::new(),
            look: WeightLook::default(),
            over_clip: false,
            pick: VertexPick::default(),
            tool: PaintTool::default(),
        }
    }
}

impl PaintOptions {
    /// Resets the settings that belong to the model, because another file was opened.
    pub fn reset(&mut self) {
        // Brush symmetry depends on the model.
        let brush = Brush { mirror: false, ..self.brush };
        *self = Self { brush, limit: self.limit, look: self.look, ..Self::default() };
    }
}
