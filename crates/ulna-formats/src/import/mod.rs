//! Files of other formats: a table of importers, each of which knows its files by how they begin
//! and makes a GLB of them by one builder.
//!
//! Going through the bytes of a GLB keeps one reader and one writer: what was imported is saved as
//! glTF, and nothing of the rest of the program knows where it came from.

mod dds;
mod glb;
mod picture;

use std::path::Path;

use glam::{Quat, Vec3};

pub use self::{
    glb::{GlbBuilder, KeysOut, NodeOut},
    picture::{green_turned, read_picture},
};
use super::{bvh, gltf::ReadError, x};
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
    fn root(&self, up: Vec3) -> Option<Transform> {
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

/// A format that is read.
pub struct Importer {
    /// What it is called.
    pub name: &'static str,
    /// How its files end.
    pub endings: &'static [&'static str],
    /// Whether bytes begin as its files do.
    pub sniff: fn(&[u8]) -> bool,
    /// Makes a GLB. The path is where textures are looked for, and what clips without a name are
    /// called by.
    pub read: Reader,
}

/// What reads the bytes of a file, which lies at a path, as it is to be taken.
pub type Reader = fn(&[u8], Option<&Path>, &Conversion) -> Result<Converted, ReadError>;

/// All formats that are read beside glTF.
pub const IMPORTERS: [Importer; 2] = [
    Importer { name: "DirectX .x", endings: &["x"], sniff: x::is_x, read: x::read },
    Importer { name: "BVH", endings: &["bvh"], sniff: bvh::is_bvh, read: bvh::read },
];

/// The importer of a file, by its bytes or else by its name; none for glTF.
pub fn importer_of(bytes: &[u8], path: &Path) -> Option<&'static Importer> {
    let ending = path.extension().map(|e| e.to_string_lossy().to_lowercase()).unwrap_or_default();
    let by_name = |i: &&Importer| i.endings.contains(&ending.as_str());
    IMPORTERS.iter().find(|i| (i.sniff)(bytes)).or_else(|| IMPORTERS.iter().find(by_name))
}

/// Rates that files of motion are made at, ticks or frames a second.
pub const USUAL_RATES: [f64; 6] = [24.0, 25.0, 30.0, 60.0, 160.0, 4800.0];

/// What to say of a rate at which the longest clip, of so many keys, lasts so long that it cannot
/// be meant; nothing where it can.
pub fn unlikely_rate(longest: f64, rate: f64, keys: usize) -> Option<String> {
    /// Seconds.
    const SHORTEST: f64 = 0.1;
    const LONGEST: f64 = 3600.0;
    if keys < 3 || (SHORTEST..=LONGEST).contains(&longest) {
        return None;
    }
    let lasts = |usual: f64| (usual, longest * rate / usual);
    let likely =
        USUAL_RATES.into_iter().map(lasts).filter(|(_, t)| (SHORTEST..=LONGEST).contains(t));
    let offers: Vec<String> = likely.map(|(usual, t)| format!("{usual} ({t:.2} s)")).collect();
    let offers = if offers.is_empty() {
        String::new()
    } else {
        format!("; likely rates are {}", offers.join(", "))
    };
    Some(format!(
        "its longest clip lasts {longest:.3} s at a rate of {} per second, which is \
            unlikely{offers}",
        short(rate)
    ))
}

/// A number with six digits, as people read it.
pub fn short(value: f64) -> String {
    if !value.is_finite() || value == 0.0 {
        return value.to_string();
    }
    let digits = (5 - value.abs().log10().floor() as i32).clamp(0, 12) as usize;
    let text = format!("{value:.digits$}");
    if text.contains('.') {
        text.trim_end_matches('0').trim_end_matches('.').to_owned()
    } else {
        text
    }
}

/// How files end that can be opened: those of glTF, and those of other formats.
pub fn endings() -> impl Iterator<Item = &'static str> {
    ["glb", "gltf", "vrm", "vrma"]
        .into_iter()
        .chain(IMPORTERS.iter().flat_map(|i| i.endings.iter().copied()))
}
