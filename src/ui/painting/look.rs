//! Displays of weights in Paint mode.

use ulna_model::WeightEncoding;

/// How weights are shown in Paint mode.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum WeightLook {
    /// The weight of the painted joint.
    #[default]
    Joint,
    /// All joints, each in a color of its own, mixed by share.
    All,
    /// Problems of the weights.
    Faults,
    /// Stretching and squeezing of edges in this pose.
    Strain,
    /// Loss of the skin's volume by blending in this pose.
    Volume,
    /// The worst that any clip does to a vertex.
    Worst,
    /// Distance that each vertex would move if its weights were stored as bytes.
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
