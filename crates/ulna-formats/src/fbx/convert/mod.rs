//! Converts FBX to GLB: nodes with baked pivots and rotation orders, meshes with all weights and
//! blend shapes, materials, and clips with their keys.
//!
//! Only this module uses the FBX library `ufbx`.

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

/// Converts an FBX file to a GLB, with findings. Textures are searched for in the folder of `path`.
///
/// # Errors
/// The file is truncated, damaged or malicious. The error states the problem.
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

/// State of a conversion to GLB.
struct Builder<'a> {
    scene: &'a Scene,
    path: Option<&'a Path>,
    conversion: &'a Conversion,
    glb: GlbBuilder,
    findings: Findings,
    budget: Budget,
    /// Node indices in the GLB by node ids of the file.
    nodes: HashMap<u32, usize>,
    /// Textures by image file and use; `None` for unreadable textures.
    textures: HashMap<(u32, textures::Use), Option<usize>>,
    /// Material indices in the GLB by material ids of the file.
    materials: HashMap<u32, usize>,
    /// Blend channels of meshes with blend shapes, by node ids of the file, in the order of the
    /// morph targets.
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

    /// Whether a kind of content is imported.
    fn has(&self, content: Content) -> bool {
        !self.conversion.without.contains(&content)
    }
}
