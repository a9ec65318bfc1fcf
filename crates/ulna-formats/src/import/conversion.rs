//! Settings and results of importing files of other formats.

use std::collections::BTreeSet;

use glam::{Quat, Vec3};

use ulna_model::{Diagnostics, Transform};

/// Up axis of a file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum UpAxis {
    /// The Y axis points up, as in glTF.
    #[default]
    Y,
    /// The Z axis points up, as in Blender and 3ds Max.
    Z,
    /// The X axis points up, which is rare.
    X,
}

impl UpAxis {
    /// All up axes.
    pub const ALL: [Self; 3] = [Self::Y, Self::Z, Self::X];

    /// Letter of the axis.
    pub const fn label(self) -> &'static str {
        match self {
            Self::Y => "Y",
            Self::Z => "Z",
            Self::X => "X",
        }
    }

    /// Unit vector along the axis.
    pub const fn direction(self) -> Vec3 {
        match self {
            Self::Y => Vec3::Y,
            Self::Z => Vec3::Z,
            Self::X => Vec3::X,
        }
    }
}

/// Signed direction along a coordinate axis of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AxisDirection {
    /// Positive X direction.
    PlusX,
    /// Negative X direction.
    MinusX,
    /// Positive Y direction.
    PlusY,
    /// Negative Y direction.
    MinusY,
    /// Positive Z direction, the front of models in glTF.
    PlusZ,
    /// Negative Z direction.
    MinusZ,
}

impl AxisDirection {
    /// All six directions.
    pub const ALL: [Self; 6] =
        [Self::PlusX, Self::MinusX, Self::PlusY, Self::MinusY, Self::PlusZ, Self::MinusZ];

    /// Sign and letter of the direction.
    pub const fn label(self) -> &'static str {
        match self {
            Self::PlusX => "+X",
            Self::MinusX => "−X",
            Self::PlusY => "+Y",
            Self::MinusY => "−Y",
            Self::PlusZ => "+Z",
            Self::MinusZ => "−Z",
        }
    }

    /// Unit vector in the direction.
    pub const fn direction(self) -> Vec3 {
        match self {
            Self::PlusX => Vec3::X,
            Self::MinusX => Vec3::NEG_X,
            Self::PlusY => Vec3::Y,
            Self::MinusY => Vec3::NEG_Y,
            Self::PlusZ => Vec3::Z,
            Self::MinusZ => Vec3::NEG_Z,
        }
    }
}

/// Kind of content that an import can leave out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Content {
    /// Meshes, with their skins, blend shapes and materials.
    Meshes,
    /// Blend shapes, which are the morph targets of glTF.
    BlendShapes,
    /// Materials, with their textures.
    Materials,
    /// Cameras and lights.
    CamerasAndLights,
}

/// Settings of an import.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Conversion {
    /// Up axis of the file. `None` uses the axis that the file states, or Y.
    pub up: Option<UpAxis>,
    /// Front direction of models in the file. `None` uses the direction that the file states.
    pub front: Option<AxisDirection>,
    /// Meters per unit of the file. `None` uses the unit that the file states, or an estimate.
    pub unit: Option<f32>,
    /// Ticks or frames per second that override the rate of the file.
    pub rate: Option<f64>,
    /// Height of white above black, in pixels, for converting height maps to normal maps.
    pub height: Option<f32>,
    /// Clips to import, by index in [`ImportFindings::clips`]. `None` imports all clips in which
    /// anything moves.
    pub clips: Option<BTreeSet<usize>>,
    /// Content to leave out.
    pub without: BTreeSet<Content>,
    /// Whether clips keep their start time instead of starting at 0.
    pub keep_offset: bool,
    /// Whether nodes above the skeleton keep their scale and rotation.
    pub keep_armature: bool,
}

impl Conversion {
    /// Transform of the root node that converts axes and unit; `None` for the identity.
    /// `is_mirrored` states that the importer negated Z in the data, which also affects the stated
    /// directions.
    pub(super) fn root(&self, is_mirrored: bool) -> Option<Transform> {
        let unit = self.unit.unwrap_or(1.0);
        let seen = |d: Vec3| if is_mirrored { d * Vec3::new(1.0, 1.0, -1.0) } else { d };
        let up = Quat::from_rotation_arc(seen(self.up.unwrap_or_default().direction()), Vec3::Y);
        let front = self.front.map(|f| up * seen(f.direction()));
        // A front direction along the up axis defines no rotation about it, so it is ignored.
        let front = front.filter(|f| f.y.abs() < 0.5);
        let about_up = front.map_or(Quat::IDENTITY, |f| Quat::from_rotation_y(-f.x.atan2(f.z)));
        let rotation = about_up * up;
        let made = Transform { rotation, scale: Vec3::splat(unit), ..Transform::IDENTITY };
        (made != Transform::IDENTITY).then_some(made)
    }
}

/// A clip that was found in a file, whether it is imported or not.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FoundClip {
    /// Name of the clip in the file.
    pub name: String,
    /// Duration in seconds.
    pub seconds: f64,
    /// Number of keys in all channels.
    pub keys: usize,
    /// Whether anything moves in the clip.
    pub moves: bool,
}

/// Content that glTF stores differently or cannot store.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct GltfDifference {
    /// Code of the difference for scripts, stable across versions.
    pub code: &'static str,
    /// Whether the difference is a visible loss.
    pub is_loss: bool,
    /// Description of the difference, with the number of cases.
    pub text: String,
    /// Details: the result of the conversion, or its error.
    pub detail: String,
}

/// Contents of a file, displayed before the import.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ImportFindings {
    /// Format version and program that wrote the file, as far as they are stated, such as `FBX 7.4,
    /// from Blender 3.4`.
    pub made_by: String,
    /// Up axis stated by the file.
    pub up: Option<UpAxis>,
    /// Front direction stated by the file.
    pub front: Option<AxisDirection>,
    /// Meters per unit, stated or estimated; `None` if unknown.
    pub unit: Option<f32>,
    /// Whether the file states its unit.
    pub states_unit: bool,
    /// Ticks or frames per second that the file states.
    pub rate: Option<f64>,
    /// Unit that `rate` counts per second: `ticks` or `frames`.
    pub rate_of: &'static str,
    /// Duration in seconds of the longest clip at the stated rate.
    pub longest: f64,
    /// Number of height maps that were converted to normal maps.
    pub heights: usize,
    /// All clips in the file, imported or not.
    pub clips: Vec<FoundClip>,
    /// Names of the file's blend shapes.
    pub blend_shapes: Vec<String>,
    /// Number of materials.
    pub materials: usize,
    /// Number of textures.
    pub textures: usize,
    /// Names of textures that could not be read.
    pub missing_textures: Vec<String>,
    /// Number of cameras and lights.
    pub cameras_and_lights: usize,
    /// Differences between the file and its glTF version, losses first.
    pub differences: Vec<GltfDifference>,
}

/// Result of an import.
#[derive(Clone, Debug, Default)]
pub struct Converted {
    /// Bytes of the resulting GLB.
    pub glb: Vec<u8>,
    /// Findings about the file.
    pub diagnostics: Diagnostics,
    /// Contents of the file.
    pub found: ImportFindings,
}
