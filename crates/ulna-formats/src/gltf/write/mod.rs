//! Saving: a function of the opened bytes, the document as opened and the document now.
//!
//! Nothing changed: the opened bytes. Else only the touched elements are written again, and data
//! only where it changed. Every type of the model is taken apart member by member, so that one that
//! comes to be is not forgotten here; what changed and has no form yet refuses the save instead of
//! being left out.
//!
//! ```text
//!  opened ─┐                       ┌─ Ops ───► rewrite ──► JSON, all else of it as it was
//!          ├─► nodes, skins, clips ┤
//!  now ────┘   weights, extras     └─ Patch ─► bytes over the old ones, or after them
//! ```

mod clips;
mod extras;
mod looks;
mod nodes;
mod skins;

use std::collections::HashMap;
use std::sync::Arc;

use thiserror::Error;

use super::{
    Container, ReadError, Source,
    container::{assemble, bin_start},
    json,
    patch::Patch,
    text::{Ops, rewrite},
    weights,
};
use ulna_model::{Asset, Notice};

/// Why a document cannot be saved. The file on disk is untouched then.
#[derive(Debug, Error)]
pub enum SaveError {
    /// The opened bytes, which saving starts from, no longer read as they did.
    #[error("the opened file cannot be read again: {0}")]
    Source(ReadError),
    /// A GLB cannot hold more than 4 GiB.
    #[error("the file would exceed the maximum size of a GLB (4 GiB). Save it as .gltf")]
    TooLarge(#[from] std::num::TryFromIntError),
    /// A change this writer has no form for.
    #[error("{0}")]
    Unsupported(String),
}

impl SaveError {
    /// The code that stays the same for scripts, whatever the words are.
    pub const fn code(&self) -> &'static str {
        match self {
            Self::Source(error) => error.code(),
            Self::TooLarge(_) => "too_large_for_glb",
            Self::Unsupported(_) => "change_not_storable",
        }
    }
}

impl SaveError {
    /// A change of this kind, there, has no form yet.
    pub(super) fn no_form(place: &str, what: &str) -> Self {
        Self::Unsupported(format!(
            "{place}: {what} cannot be saved yet. Undo that edit, then save again"
        ))
    }
}

/// A file to put beside the main one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileToWrite {
    /// Relative to the folder of the main file.
    pub name: String,
    /// Its bytes.
    pub bytes: Vec<u8>,
}

/// What saving writes, and what of the file it changes.
#[derive(Clone, Debug)]
pub struct Saved {
    /// The file.
    pub bytes: Arc<Vec<u8>>,
    /// Data of ours beside a `.gltf`.
    pub companions: Vec<FileToWrite>,
    /// Sentences: what changes in the file, element by element.
    pub changes: Vec<String>,
}

/// A file in the other container.
#[derive(Clone, Debug)]
pub struct Transcoded {
    /// The file.
    pub bytes: Vec<u8>,
    /// Files to put beside it.
    pub beside: Vec<FileToWrite>,
    /// Sentences: what the other container has no place for.
    pub lost: Vec<Notice>,
}

/// What saving may add to the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SaveOptions {
    /// Whether the rest of a posed node is remembered in its `extras` where no skin carries it, so
    /// that *Reset to rest* works after opening the file again.
    pub remember_rest: bool,
}

impl Default for SaveOptions {
    fn default() -> Self {
        Self { remember_rest: true }
    }
}

/// The bytes of the document as it is now. `stem` names a data file of ours, should one be needed.
///
/// # Errors
/// See [`SaveError`].
pub fn save(
    source: &Source,
    opened: &Asset,
    now: &Asset,
    stem: &str,
    options: SaveOptions,
) -> Result<Saved, SaveError> {
    let mut writer = Writer::new(source, stem)?;
    writer.options = options;
    let Asset {
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
    } = now;
    if variants != &opened.variants
        || (cameras, lights, vrm) != (&opened.cameras, &opened.lights, &opened.vrm)
    {
        return Err(SaveError::no_form(
            "materials",
            "a change of material variants, cameras, lights or VRM data",
        ));
    }
    writer.looks((&opened.materials, &opened.images), (materials, images))?;
    writer.nodes(opened, now)?;
    writer.scenes(opened, now)?;
    writer.skins(opened, now)?;
    writer.clips(opened, now)?;
    let Writer { root, patch, ops, changes, .. } = &mut writer;
    weights::write(root, opened, now, patch, ops, changes)?;
    writer.mesh_extras(opened, now)?;
    writer.finish(source)
}

struct Writer<'a> {
    text: &'a str,
    root: json::RawMap<'a>,
    patch: Patch<'a>,
    ops: Ops,
    changes: Vec<String>,
    options: SaveOptions,
    /// Times of keys that were stored, by their bits: tracks whose keys stand at the same times
    /// share them.
    times: HashMap<Vec<u32>, usize>,
}

impl<'a> Writer<'a> {
    fn new(source: &'a Source, stem: &str) -> Result<Self, SaveError> {
        let text = source.json().map_err(SaveError::Source)?;
        let root = json::split(text).map_err(SaveError::Source)?;
        let patch = Patch::new(source, &root, stem)?;
        Ok(Self {
            text,
            root,
            patch,
            ops: Ops::object(),
            changes: Vec::new(),
            options: SaveOptions::default(),
            times: HashMap::new(),
        })
    }

    fn finish(mut self, source: &Source) -> Result<Saved, SaveError> {
        let (over, new) = self.patch.counts();
        if over + new > 0 {
            let line = format!(
                "accessors: {over} of {} rewritten in place, {new} added",
                self.patch.accessor_count()
            );
            self.changes.push(line);
        }
        let buffers = self.patch.finish(&mut self.ops);
        if self.ops.is_keep() && buffers.bin.is_none() && buffers.sidecar.is_none() {
            return Ok(Saved {
                bytes: source.bytes.clone(),
                companions: Vec::new(),
                changes: self.changes,
            });
        }
        let json =
            if self.ops.is_keep() { self.text.to_owned() } else { rewrite(self.text, &self.ops) };
        let bytes = match &source.container {
            Container::Gltf { json: range } => {
                // A byte order mark stays.
                [&source.bytes[..range.start], json.as_bytes()].concat()
            }
            Container::Glb { bin, rest, declared, .. } => {
                // A BIN chunk that no buffer names gives way to a new one.
                let stays = buffers.bin.is_none() || !source.buffers.is_empty();
                let old = bin.clone().filter(|_| stays).map(|r| &source.bytes[r]);
                let appended = buffers.bin.as_ref().map(|b| &*b.appended);
                let pieces: Vec<&[u8]> = old.into_iter().chain(appended).collect();
                let (rest, trailing) = (&source.bytes[rest.clone()], source.bytes.len() - declared);
                let bin = (!pieces.is_empty()).then_some(&*pieces);
                let mut bytes = assemble(json.as_bytes(), bin, rest, trailing)?;
                let start = bin_start(json.len());
                for (range, new) in buffers.bin.iter().flat_map(|b| &b.overwritten) {
                    bytes[start + range.start..start + range.end].copy_from_slice(new);
                }
                bytes
            }
        };
        let companions =
            buffers.sidecar.map(|(name, bytes)| FileToWrite { name, bytes }).into_iter().collect();
        Ok(Saved { bytes: Arc::new(bytes), companions, changes: self.changes })
    }

    /// Gives a member of an element, such as `nodes/3`, this text, or takes it away.
    fn member(&mut self, (list, index): (&str, usize), name: &str, to: Option<String>) {
        *self.ops.member(list).item(index).member(name) = to.map_or(Ops::Remove, Ops::Replace);
    }
}
