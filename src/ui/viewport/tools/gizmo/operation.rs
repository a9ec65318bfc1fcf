//! Operations of gestures, and their limits to axes or planes.

use ulna_edit::command::ToolCommand;

/// Operation of a gesture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    /// Moves nodes.
    Move,
    /// Rotates nodes.
    Rotate,
    /// Scales nodes.
    Scale,
    /// Moves a limb to a target by IK.
    Reach,
    /// Rotates a limb about the line from its root to its end.
    Swivel,
    /// Rotates the axes of joints about their bones.
    Roll,
    /// Adds a joint below each selected joint.
    Extrude,
}

impl Operation {
    /// Returns the tool for the operation.
    pub const fn tool(self) -> ToolCommand {
        match self {
            Self::Move => ToolCommand::Move,
            Self::Rotate | Self::Roll => ToolCommand::Rotate,
            Self::Scale => ToolCommand::Scale,
            Self::Reach | Self::Swivel => ToolCommand::Drag,
            Self::Extrude => ToolCommand::Joint,
        }
    }

    /// Operations that a key can start without a handle.
    pub const ALL: [Self; 4] = [Self::Move, Self::Rotate, Self::Scale, Self::Reach];

    /// Whether the value is a single angle.
    pub const fn is_turn(self) -> bool {
        matches!(self, Self::Rotate | Self::Swivel | Self::Roll)
    }

    /// Whether the value is a displacement.
    pub const fn is_way(self) -> bool {
        matches!(self, Self::Move | Self::Reach | Self::Extrude)
    }

    /// Title for labels and undo steps.
    pub fn title(self) -> &'static str {
        match self {
            Self::Reach => "Drag",
            Self::Swivel => "Swivel",
            Self::Roll => "Roll",
            Self::Extrude => "Extrude",
            _ => self.tool().spec().title,
        }
    }
}

/// Limit of an operation to an axis or plane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    /// No limit: moves in the plane of the view, rotates as a trackball, scales all axes.
    Free,
    /// Limited to axis 0, 1 or 2.
    Axis(usize),
    /// Limited to the plane perpendicular to axis 0, 1 or 2.
    Plane(usize),
    /// Limited to the view direction as rotation axis.
    View,
}
