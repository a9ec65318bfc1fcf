//! Displays of weights in Paint mode.

use ulna_model::WeightEncoding;

/// Display of weights on the model in Paint mode.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum WeightLook {
    /// Weight of the painted joint, as a color ramp.
    #[default]
    Joint,
    /// All joints, each in its own color, mixed by weight.
    All,
    /// Vertices with weight problems.
    Faults,
    /// Stretching and compression of edges in the current pose.
    Strain,
    /// Loss of skin volume by blending in the current pose.
    Volume,
    /// Worst deformation of each vertex in all clips and the range of motion.
    Worst,
    /// Distance that each vertex would move if weights were stored as 8-bit integers.
    Bytes,
    /// Distance that each vertex would move if weights were stored as 16-bit integers.
    Shorts,
    /// Materials, as in the other modes.
    Materials,
}

impl WeightLook {
    /// Integer type of the weights whose rounding error is displayed; `None` for other displays.
    pub const fn stored(self) -> Option<WeightEncoding> {
        match self {
            Self::Bytes => Some(WeightEncoding::Byte),
            Self::Shorts => Some(WeightEncoding::Short),
            _ => None,
        }
    }

    /// All displays, in the order of the menu.
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

    /// Whether the display measures deformation, so that a vertex also depends on its neighbors.
    pub const fn is_strain(self) -> bool {
        matches!(self, Self::Strain | Self::Volume | Self::Worst | Self::Bytes | Self::Shorts)
    }

    /// Whether the display depends on the current pose.
    pub const fn is_of_pose(self) -> bool {
        matches!(self, Self::Strain | Self::Volume | Self::Bytes | Self::Shorts)
    }

    /// Name in the menu.
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
