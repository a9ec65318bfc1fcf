//! Import of a file of another format: the settings of the conversion, and its result.

use std::collections::BTreeSet;

use glam::{Quat, Vec3};

use ulna_model::{Diagnostics, Transform};

/// Up axis of a file.
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

/// A direction along an axis of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AxisDirection {
    /// Along X.
    PlusX,
    /// Against X.
    MinusX,
    /// Along Y.
    PlusY,
    /// Against Y.
    MinusY,
    /// Along Z, the front direction of models in glTF.
    PlusZ,
    /// Against Z.
    MinusZ,
}

impl AxisDirection {
    /// All of them.
    pub const ALL: [Self; 6] =
        [Self::PlusX, Self::MinusX, Self::PlusY, Self::MinusY, Self::PlusZ, Self::MinusZ];

    /// Its sign and letter.
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

    /// The direction as a vector.
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

/// Content that an import can leave out.
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
    /// Up axis of the file; if `None`, the one that the file states, or Y.
    pub up: Option<UpAxis>,
    /// Direction in which the models of the file look; if `None`, the one that the file states.
    pub front: Option<AxisDirection>,
    /// Meters per unit of the file; if `None`, stated by the file or estimated.
    pub unit: Option<f32>,
    /// Ticks or frames per second, to override the rate of the file.
    pub rate: Option<f64>,
    /// Height in pixels for converting height maps to normal maps.
    pub height: Option<f32>,
    /// Clips to import, by index in [`ImportFindings::clips`]; if `None`, all that move
    /// something.
    pub clips: Option<BTreeSet<usize>>,
    /// Content to leave out.
    pub without: BTreeSet<Content>,
    /// Whether clips keep their start time instead of starting at 0.
    pub keep_offset: bool,
    /// Whether nodes above the skeleton keep their scale and rotation.
    pub keep_armature: bool,
}

impl Conversion {
    /// Transform of the node that converts axes and unit; `None` for the identity.
    /// `is_mirrored`: the importer negated Z in the data, and so in the stated directions.
    pub(super) fn root(&self, is_mirrored: bool) -> Option<Transform> {
        let unit = self.unit.unwrap_or(1.0);
        let seen = |d: Vec3| if is_mirrored { d * Vec3::new(1.0, 1.0, -1.0) } else { d };
        let up = Quat::from_rotation_arc(seen(self.up.unwrap_or_default().direction()), Vec3::Y);
        let front = self.front.map(|f| up * seen(f.direction()));
        // A front along the up axis gives no heading.
        let front = front.filter(|f| f.y.abs() < 0.5);
        let about_up = front.map_or(Quat::IDENTITY, |f| Quat::from_rotation_y(-f.x.atan2(f.z)));
        let rotation = about_up * up;
        let made = Transform { rotation, scale: Vec3::splat(unit), ..Transform::IDENTITY };
        (made != Transform::IDENTITY).then_some(made)
    }
}

/// A clip in a file, whether it is imported or not.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FoundClip {
    /// Name in the file.
    pub name: String,
    /// Length in seconds.
    pub seconds: f64,
    /// Number of keys in all channels.
    pub keys: usize,
    /// Whether anything moves in it.
    pub moves: bool,
}

/// Content that glTF stores differently or cannot store.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct GltfDifference {
    /// Stable code for scripts.
    pub code: &'static str,
    /// Whether the loss is visible.
    pub is_loss: bool,
    /// The difference, with its count.
    pub text: String,
    /// Result of the conversion, or its error.
    pub detail: String,
}

/// Contents of a file, shown before the import.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ImportFindings {
    /// Format version and the program that wrote the file, if stated: `FBX 7.4,
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
    /// Ticks or frames per second stated by the file.
    pub rate: Option<f64>,
    /// Name of the rate's unit: `ticks` or `frames`.
    pub rate_of: &'static str,
    /// Length in seconds of the longest clip at that rate.
    pub longest: f64,
    /// Number of height maps that became normal maps.
    pub heights: usize,
    /// All clips, imported or not.
    pub clips: Vec<FoundClip>,
    /// Names of its blend shapes.
    pub blend_shapes: Vec<String>,
    /// Number of materials.
    pub materials: usize,
    /// Number of textures.
    pub textures: usize,
    /// Names of textures that could not be read.
    pub missing_textures: Vec<String>,
    /// Number of cameras and lights.
    pub cameras_and_lights: usize,
    /// Differences from glTF, losses first.
    pub differences: Vec<GltfDifference>,
}

/// Result of an import.
#[derive(Clone, Debug, Default)]
pub struct Converted {
    /// The bytes of the GLB.
    pub glb: Vec<u8>,
    /// Problems of the file.
    pub diagnostics: Diagnostics,
    /// Contents of the file.
    pub found: ImportFindings,
}
