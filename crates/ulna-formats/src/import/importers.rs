//! Table of importers: one entry per format, recognized by how its files begin or end.

use std::path::Path;

use super::conversion::{Conversion, Converted};
use crate::{
    bvh, fbx,
    gltf::{Progress, ReadError},
    x,
};

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
pub type Reader = fn(&[u8], Option<&Path>, &Conversion, &Progress) -> Result<Converted, ReadError>;

/// All formats that are read beside glTF.
pub const IMPORTERS: [Importer; 3] = [
    Importer { name: "DirectX .x", endings: &["x"], sniff: x::is_x, read: x::read },
    Importer { name: "FBX", endings: &["fbx"], sniff: fbx::is_fbx, read: fbx::read },
    Importer { name: "BVH", endings: &["bvh"], sniff: bvh::is_bvh, read: bvh::read },
];

/// The importer of a file, by its bytes or else by its name; none for glTF.
pub fn importer_of(bytes: &[u8], path: &Path) -> Option<&'static Importer> {
    let ending = path.extension().map(|e| e.to_string_lossy().to_lowercase()).unwrap_or_default();
    let by_name = |i: &&Importer| i.endings.contains(&ending.as_str());
    IMPORTERS.iter().find(|i| (i.sniff)(bytes)).or_else(|| IMPORTERS.iter().find(by_name))
}

/// How files end that can be opened: those of glTF, and those of other formats.
pub fn endings() -> impl Iterator<Item = &'static str> {
    ["glb", "gltf", "vrm", "vrma"]
        .into_iter()
        .chain(IMPORTERS.iter().flat_map(|i| i.endings.iter().copied()))
}

/// How files end that can be opened, in words: `.glb, .gltf or .bvh`.
pub fn endings_in_words() -> String {
    let mut list: Vec<String> = endings().map(|e| format!(".{e}")).collect();
    let last = list.pop().unwrap_or_default();
    format!("{} or {last}", list.join(", "))
}
