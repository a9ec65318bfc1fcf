//! Rules for references between objects. Targets must exist, formats must match their use, and
//! hierarchies must be trees.

mod animations;
mod buffers;
mod references;
mod skins;
mod tree;
mod vertices;

use self::{
    animations::animations,
    buffers::{accessors, materials, views},
    tree::{nodes, placed, scenes},
};
use super::{file::File, report::Report};

/// Checks all references.
pub fn check(file: &mut File, out: &mut Report) {
    views(file, out);
    accessors(file, out);
    materials(file, out);
    let mut meshes = std::mem::take(&mut file.meshes);
    for primitive in meshes.iter_mut().flatten().flat_map(|m| m.primitives.iter_mut().flatten()) {
        vertices::primitive(file, primitive, out);
    }
    file.meshes = meshes;
    nodes(file, out);
    let mut skins = std::mem::take(&mut file.skins);
    for skin in skins.iter_mut().flatten() {
        skins::skin(file, skin, out);
    }
    file.skins = skins;
    animations(file, out);
    scenes(file, out);
    placed(file, out);
}
