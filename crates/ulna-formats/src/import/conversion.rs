//! Import of a file of another format: the settings of the conversion, and its result.

use std::collections::BTreeSet;

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
    /// Along Z, where models in glTF look.
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

/// A kind of content that a file of another format may have and that can be left out.
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

/// How a file of another format is taken.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Conversion {
    /// The axis that is up in it; as it states unless given, and Y where it states none.
    pub up: Option<UpAxis>,
    /// The direction in which its models look; as it states unless given.
    pub front: Option<AxisDirection>,
    /// Meters of its unit; what the importer finds unless given.
    pub unit: Option<f32>,
    /// Its ticks or frames a second, in place of what it states.
    pub rate: Option<f64>,
    /// How steep height maps are made normal maps.
    pub height: Option<f32>,
    /// The clips that are taken, by their number in [`ImportFindings::clips`]; unless given, all
    /// that move something.
    pub clips: Option<BTreeSet<usize>>,
    /// Tells what is left out.
    pub without: BTreeSet<Content>,
    /// Whether clips start when they do in the file, in place of at 0.
    pub keep_offset: bool,
}

impl Conversion {
    /// The transform of a node over all data of a file; nothing where it would be the identity.
    /// Whether Z was mirrored in the data: then it was in the directions, too.
    pub(super) fn root(&self, is_mirrored: bool) -> Option<Transform> {
        let unit = self.unit.unwrap_or(1.0);
        let seen = |d: Vec3| if is_mirrored { d * Vec3::new(1.0, 1.0, -1.0) } else { d };
        let up = Quat::from_rotation_arc(seen(self.up.unwrap_or_default().direction()), Vec3::Y);
        let front = self.front.map(|f| up * seen(f.direction()));
        // One that is up or down says nothing.
        let front = front.filter(|f| f.y.abs() < 0.5);
        let about_up = front.map_or(Quat::IDENTITY, |f| Quat::from_rotation_y(-f.x.atan2(f.z)));
        let rotation = about_up * up;
        let made = Transform { rotation, scale: Vec3::splat(unit), ..Transform::IDENTITY };
        (made != Transform::IDENTITY).then_some(made)
    }
}

/// A clip of a file, before it is taken.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FoundClip {
    /// Tells what it is called.
    pub name: String,
    /// Tells how long it is.
    pub seconds: f64,
    /// Keys of all its channels.
    pub keys: usize,
    /// Whether anything moves in it.
    pub moves: bool,
}

/// Something of a file that glTF holds otherwise, or not at all.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct GltfDifference {
    /// Code that stays the same for scripts.
    pub code: &'static str,
    /// Whether something is lost by it that can be seen.
    pub is_loss: bool,
    /// Tells what is different, with how many.
    pub text: String,
    /// Tells what became of it, or how exact it is.
    pub detail: String,
}

/// Tells what was found in a file, for a person to see before it is taken.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ImportFindings {
    /// Its version and the program that wrote it, as far as it says so: `FBX 7.4,
    /// from Blender 3.4`.
    pub made_by: String,
    /// The axis that is up, as it states.
    pub up: Option<UpAxis>,
    /// The direction in which models look, as it states.
    pub front: Option<AxisDirection>,
    /// Meters of its unit, as it states or as was guessed; none where nothing speaks for one.
    pub unit: Option<f32>,
    /// Whether it states its unit itself.
    pub states_unit: bool,
    /// Ticks or frames a second, as it states them.
    pub rate: Option<f64>,
    /// Tells what its rate is called: `ticks` or `frames`.
    pub rate_of: &'static str,
    /// The longest clip at that rate, seconds.
    pub longest: f64,
    /// Height maps that became normal maps.
    pub heights: usize,
    /// Its clips, taken or not.
    pub clips: Vec<FoundClip>,
    /// Names of its blend shapes.
    pub blend_shapes: Vec<String>,
    /// The number of materials it has.
    pub materials: usize,
    /// The number of textures it has.
    pub textures: usize,
    /// Names of textures that were not found.
    pub missing_textures: Vec<String>,
    /// The number of cameras and lights it has.
    pub cameras_and_lights: usize,
    /// Tells what glTF holds otherwise, or not at all; worst first.
    pub differences: Vec<GltfDifference>,
}

/// A file as a GLB.
#[derive(Clone, Debug, Default)]
pub struct Converted {
    /// The bytes of the GLB.
    pub glb: Vec<u8>,
    /// Tells what is odd about the file.
    pub diagnostics: Diagnostics,
    /// Tells what was found.
    pub found: ImportFindings,
}
