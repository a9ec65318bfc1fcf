//! Saving: a function of the opened bytes, the document as opened and the current document.
//!
//! If nothing changed, the result is the opened bytes. Otherwise, only changed elements are
//! rewritten, and only changed data is stored. The save fails if a change cannot be expressed in
//! the file. All model types are destructured, so that a new member does not compile until it is
//! handled.
//!
//! ```text
//!  opened ─┐                       ┌─ Ops ───► rewrite ──► JSON, otherwise unchanged
//!          ├─► nodes, skins, clips ┤
//!  now ────┘   weights, extras     └─ Patch ─► bytes, overwritten or appended
//! ```

mod clips;
mod closing;
mod extras;
mod humanoid;
mod materials;
mod node_space;
mod nodes;
mod skins;
mod springs;
mod writer;

pub use self::closing::stored;
use self::writer::Writer;
use super::{SaveError, SaveOptions, Saved, Source, weights};
use ulna_model::FileContent;

/// Saves the current document. `stem` is used for the name of a data file, if one is needed.
///
/// # Errors
/// See [`SaveError`].
pub fn save(
    source: &Source,
    opened: &FileContent,
    now: &FileContent,
    stem: &str,
    options: SaveOptions,
) -> Result<Saved, SaveError> {
    let mut writer = Writer::new(source, stem)?;
    writer.options = options;
    let FileContent {
        nodes: _,
        scenes: _,
        scene: _,
        meshes: _,
        skins: _,
        clips: _,
        materials,
        variants,
        images,
        cameras,
        lights,
        vrm,
        node_space: _,
    } = now;
    if variants != &opened.variants
        || (cameras, lights) != (&opened.cameras, &opened.lights)
        || !humanoid::differs_by_bones(opened.vrm.as_deref(), vrm.as_deref())
    {
        return Err(SaveError::no_form(
            "materials",
            "a change of material variants, cameras, lights or VRM data",
        ));
    }
    writer.materials((&opened.materials, &opened.images), (materials, images))?;
    writer.nodes(opened, now)?;
    writer.node_space(opened, now)?;
    writer.humanoid(opened, now)?;
    writer.scenes(opened, now)?;
    writer.skins(opened, now)?;
    writer.clips(opened, now)?;
    let Writer { root, patch, ops, changes, .. } = &mut writer;
    weights::write(root, opened, now, patch, ops, changes)?;
    writer.meshes(opened, now)?;
    writer.finish(source, now)
}
