//! Collects the changes of one save, and assembles the new file.

use std::{collections::HashMap, sync::Arc};

use super::super::{
    Container, FileToWrite, SaveError, SaveOptions, Saved, Source,
    container::{assemble, bin_start},
    json,
    patch::Patch,
    text::{Ops, rewrite},
};
use super::closing;
use ulna_model::{FileContent, Renumbering};

/// Collected changes of one save.
pub(super) struct Writer<'a> {
    pub(super) text: &'a str,
    pub(super) root: json::RawMap<'a>,
    pub(super) patch: Patch<'a>,
    pub(super) ops: Ops,
    pub(super) changes: Vec<String>,
    pub(super) options: SaveOptions,
    /// Accessors of stored key times, by the bits of the times. Tracks with equal times share an
    /// accessor.
    pub(super) times: HashMap<Vec<u32>, usize>,
}

impl<'a> Writer<'a> {
    pub(super) fn new(source: &'a Source, stem: &str) -> Result<Self, SaveError> {
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

    pub(super) fn finish(mut self, source: &Source, now: &FileContent) -> Result<Saved, SaveError> {
        let (over, new) = self.patch.counts();
        if over + new > 0 {
            let line = format!(
                "accessors: {over} of {} rewritten in place, {new} added",
                self.patch.accessor_count()
            );
            self.changes.push(line);
        }
        let buffers = self.patch.finish(&mut self.ops);
        let has_gaps = closing::has_gaps(now);
        if self.ops.is_keep() && buffers.bin.is_none() && buffers.sidecar.is_none() && !has_gaps {
            return Ok(Saved {
                bytes: source.bytes.clone(),
                companions: Vec::new(),
                changes: self.changes,
                stays: Vec::new(),
                renumbering: Renumbering::default(),
                springs_removed: 0,
            });
        }
        let mut json =
            if self.ops.is_keep() { self.text.to_owned() } else { rewrite(self.text, &self.ops) };
        let (mut renumbering, mut stays) = (Renumbering::default(), Vec::new());
        let mut springs_removed = 0;
        if has_gaps {
            let closed = closing::close(&json, now)
                .ok_or_else(|| SaveError::no_form("the file", "the removal of an element"))?;
            json = closed.text;
            renumbering = closed.renumbering;
            stays = closed.stays;
            springs_removed = closed.springs;
        }
        let bytes = match &source.container {
            Container::Gltf { json: range } => {
                // A byte order mark is kept.
                [&source.bytes[..range.start], json.as_bytes()].concat()
            }
            Container::Glb { bin, rest, declared, .. } => {
                // A BIN chunk that no buffer uses is replaced by the new one.
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
        let (bytes, changes) = (Arc::new(bytes), self.changes);
        Ok(Saved { bytes, companions, changes, stays, renumbering, springs_removed })
    }

    /// Sets the JSON text of a member of an element. `None` removes the member.
    pub(super) fn member(&mut self, (list, index): (&str, usize), name: &str, to: Option<String>) {
        *self.ops.member(list).item(index).member(name) = to.map_or(Ops::Remove, Ops::Replace);
    }
}
