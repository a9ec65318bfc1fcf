//! Table of importers: one entry per format, recognized by the first bytes or the extension of a
//! file.

use std::path::Path;

use super::conversion::{Conversion, Converted};
use crate::{
    bvh, fbx,
    gltf::{Progress, ReadError},
    x,
};

/// An importer of one file format.
pub struct Importer {
    /// Display name of the format.
    pub name: &'static str,
    /// File name extensions of the format, without a dot.
    pub endings: &'static [&'static str],
    /// Whether bytes begin like a file of this format.
    pub sniff: fn(&[u8]) -> bool,
    /// Function that converts a file to a GLB. The path is used to find textures, and to name clips
    /// that have no name.
    pub read: Reader,
    /// Whether files of this format often have scale and rotation on the nodes above the skeleton.
    pub scales_armatures: bool,
}

/// Function that converts the bytes of a file to a GLB.
pub type Reader = fn(&[u8], Option<&Path>, &Conversion, &Progress) -> Result<Converted, ReadError>;

/// Importers of all formats that can be imported.
pub const IMPORTERS: [Importer; 3] = [
    Importer {
        name: "DirectX .x",
        endings: &["x"],
        sniff: x::is_x,
        read: x::read,
        scales_armatures: false,
    },
    Importer {
        name: "FBX",
        endings: &["fbx"],
        sniff: fbx::is_fbx,
        read: fbx::read,
        scales_armatures: true,
    },
    Importer {
        name: "BVH",
        endings: &["bvh"],
        sniff: bvh::is_bvh,
        read: bvh::read,
        scales_armatures: false,
    },
];

/// Finds the importer of a file by its first bytes, or else by its name. `None` for glTF.
pub fn importer_of(bytes: &[u8], path: &Path) -> Option<&'static Importer> {
    let ending = path.extension().map(|e| e.to_string_lossy().to_lowercase()).unwrap_or_default();
    let by_name = |i: &&Importer| i.endings.contains(&ending.as_str());
    IMPORTERS.iter().find(|i| (i.sniff)(bytes)).or_else(|| IMPORTERS.iter().find(by_name))
}

/// File name extensions of all formats that can be opened, glTF first.
pub fn endings() -> impl Iterator<Item = &'static str> {
    ["glb", "gltf", "vrm", "vrma"]
        .into_iter()
        .chain(IMPORTERS.iter().flat_map(|i| i.endings.iter().copied()))
}

/// File name extensions of all formats that can be opened, as text: `.glb, .gltf or .bvh`.
pub fn endings_in_words() -> String {
    let mut list: Vec<String> = endings().map(|e| format!(".{e}")).collect();
    let last = list.pop().unwrap_or_default();
    format!("{} or {last}", list.join(", "))
}
