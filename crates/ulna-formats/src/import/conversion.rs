//! Import of a file of another format: the settings of the conversion, and its result.

use glam::{Quat, Vec3};

use ulna_model::{Diagnostics, Transform};

/// Which axis of a file is up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum UpAxis {
    /// As in glTF.
    #[default]
    Y,
    /// As in Blender and 3ds Max.
    Z,
    /// Rare.
    X,
}

impl UpAxis {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Y, Self::Z, Self::X];

    /// Its letter.
    pub const fn label(self) -> &'static str {
        match self {
            Self::Y => "Y",
            Self::Z => "Z",
            Self::X => "X",
        }
    }

    /// The axis as a direction.
    pub const fn direction(self) -> Vec3 {
        match self {
            Self::Y => Vec3::Y,
            Self::Z => Vec3::Z,
            Self::X => Vec3::X,
        }
    }
}

/// How a file of another format is taken.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Conversion {
    /// Which of its axes is up.
    pub up: UpAxis,
    /// Meters of its unit; what the importer finds unless given.
    pub unit: Option<f32>,
    /// Its ticks or frames a second, in place of what it states.
    pub rate: Option<f64>,
    /// How steep height maps are made normal maps.
    pub height: Option<f32>,
}

impl Conversion {
    /// The transform of a node over all that stands in data in which this direction is up; nothing
    /// where it would be the identity.
    pub(super) fn root(&self, up: Vec3) -> Option<Transform> {
        let unit = self.unit.unwrap_or(1.0);
        let turn = Quat::from_rotation_arc(up, Vec3::Y);
        let made = Transform { rotation: turn, scale: Vec3::splat(unit), ..Transform::IDENTITY };
        (made != Transform::IDENTITY).then_some(made)
    }
}

/// What was found in a file, for a person to see before it is taken.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ImportFindings {
    /// Meters of its unit, as it states or as was guessed; none where nothing speaks for one.
    pub unit: Option<f32>,
    /// Ticks or frames a second, as it states them.
    pub rate: Option<f64>,
    /// What its rate is called: `ticks` or `frames`.
    pub rate_of: &'static str,
    /// The longest clip at that rate, seconds.
    pub longest: f64,
    /// Height maps that became normal maps.
    pub heights: usize,
}

/// A file as a GLB.
#[derive(Clone, Debug, Default)]
pub struct Converted {
    /// The bytes of the GLB.
    pub glb: Vec<u8>,
    /// What is odd about the file.
    pub diagnostics: Diagnostics,
    /// What was found.
    pub found: ImportFindings,
}
