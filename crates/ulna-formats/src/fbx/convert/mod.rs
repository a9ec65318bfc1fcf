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
#[cfg(test)]
mod tests;
mod textures;

use std::{collections::HashMap, path::Path};

use ufbx::Scene;

use self::{
    findings::Findings,
    load::{Loaded, load},
};
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
    let mut builder = Builder::of(&loaded, bytes.len(), path, conversion);
    builder.build(progress)?;
    builder.finish()
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

impl<'a> Builder<'a> {
    fn of(
        loaded: &'a Loaded,
        size: usize,
        path: Option<&'a Path>,
        conversion: &'a Conversion,
    ) -> Self {
        Builder {
            scene: &loaded.scene,
            path,
            conversion,
            glb: GlbBuilder::new(conversion),
            findings: Findings::of(&loaded.scene, loaded),
            budget: Budget::of(size),
            nodes: HashMap::new(),
            textures: HashMap::new(),
            materials: HashMap::new(),
            morphs: HashMap::new(),
        }
    }

    fn build(&mut self, progress: &Progress) -> Result<(), ReadError> {
        self.nodes()?;
        progress.reach(0.5)?;
        if self.has(Content::Meshes) {
            self.meshes(progress)?;
        }
        self.loose_skeletons();
        self.clips(progress)?;
        self.glb.join_roots("Root");
        self.findings.clips.clone_from(&self.glb.clips);
        Ok(())
    }

    fn finish(self) -> Result<Converted, ReadError> {
        let (found, diagnostics) = self.findings.finish();
        Ok(Converted { glb: self.glb.bytes(".fbx")?, diagnostics, found })
    }

    /// Whether a kind of content is taken.
    fn has(&self, content: Content) -> bool {
        !self.conversion.without.contains(&content)
    }
}
