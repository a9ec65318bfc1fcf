//! Kinds of gestures, and the axes that they are limited to.

use ulna_edit::command::ToolCommand;

/// A kind of gesture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    /// Moves.
    Move,
    /// Rotates.
    Rotate,
    /// Scales.
    Scale,
    /// Moves a limb to a target by IK.
    Reach,
    /// Turns a limb about the line from its root to its end.
    Swivel,
    /// Turns the axes of joints about their bones.
    Roll,
    /// Adds a joint below each joint.
    Extrude,
}

impl Operation {
    /// The tool that does it alone.
    pub const fn tool(self) -> ToolCommand {
        match self {
            Self::Move => ToolCommand::Move,
            Self::Rotate | Self::Roll => ToolCommand::Rotate,
            Self::Scale => ToolCommand::Scale,
            Self::Reach | Self::Swivel => ToolCommand::Drag,
            Self::Extrude => ToolCommand::Joint,
        }
    }

    /// Operations that begin without a handle.
    pub const ALL: [Self; 4] = [Self::Move, Self::Rotate, Self::Scale, Self::Reach];

    /// Whether it is one angle.
    pub const fn is_turn(self) -> bool {
        matches!(self, Self::Rotate | Self::Swivel | Self::Roll)
    }

    /// Whether it is a way.
    pub const fn is_way(self) -> bool {
        matches!(self, Self::Move | Self::Reach | Self::Extrude)
    }

    /// Its title in labels.
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

/// Along, about or square to what.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    /// Nothing: in the plane of the picture, as a ball, on all axes alike.
    Free,
    /// One axis.
    Axis(usize),
    /// The two others.
    Plane(usize),
    /// The line of sight.
    View,
}
