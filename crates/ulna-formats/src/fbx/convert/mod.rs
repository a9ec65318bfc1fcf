//! FBX → a GLB: nodes with pivots and orders of rotation folded in, meshes with all their weights
//! and blend shapes, materials, and clips with their keys.
//!
//! Nothing outside of this module knows the library that reads the files.

mod axes;
mod channels;
mod clips;
mod extras;
mod findings;
mod helpers;
mod load;
mod materials;
mod math;
mod meshes;
mod morphs;
mod nodes;
mod segments;
mod skins;
mod textures;

use std::{collections::HashMap, path::Path};

use ufbx::Scene;

use self::{findings::Findings, load::load};
use crate::{
    Budget,
    gltf::{Progress, ReadError},
    import::{Content, Conversion, Converted, GlbBuilder},
};

/// The GLB that an FBX makes, and what is odd about it. `path` is where its textures are looked
/// for.
///
/// # Errors
/// If the file is cut, damaged or hostile, with what is wrong.
pub fn read(
    bytes: &[u8],
    path: Option<&Path>,
    conversion: &Conversion,
    progress: &Progress,
) -> Result<Converted, ReadError> {
    let loaded = load(bytes, conversion, progress)?;
    let scene: &Scene = &loaded.scene;
    let mut builder = Builder {
        scene,
        path,
        conversion,
        glb: GlbBuilder::new(conversion),
        findings: Findings::of(scene, &loaded),
        budget: Budget::of(bytes.len()),
        nodes: HashMap::new(),
        textures: HashMap::new(),
        materials: HashMap::new(),
        morphs: HashMap::new(),
    };
    builder.nodes()?;
    progress.reach(0.5)?;
    if builder.has(Content::Meshes) {
        builder.meshes(progress)?;
    }
    builder.loose_skeletons();
    builder.clips(progress)?;
    let Builder { mut glb, mut findings, .. } = builder;
    glb.join_roots("Root");
    findings.clips.clone_from(&glb.clips);
    let (found, diagnostics) = findings.finish();
    Ok(Converted { glb: glb.bytes(".fbx")?, diagnostics, found })
}

/// A GLB in the making.
struct Builder<'a> {
    scene: &'a Scene,
    path: Option<&'a Path>,
    conversion: &'a Conversion,
    glb: GlbBuilder,
    findings: Findings,
    budget: Budget,
    /// Nodes of the GLB by those of the file.
    nodes: HashMap<u32, usize>,
    /// Textures by file and use; none where one cannot be read.
    textures: HashMap<(u32, textures::Use), Option<usize>>,
    /// Materials by those of the file.
    materials: HashMap<u32, usize>,
    /// Meshes with blend shapes, by nodes of the file, with their blend channels in the order of
    /// the morph targets.
    morphs: HashMap<u32, Vec<morphs::Channel<'a>>>,
}

impl Builder<'_> {
    /// Whether a kind of content is taken.
    fn has(&self, content: Content) -> bool {
        !self.conversion.without.contains(&content)
    }
}
