//! Saving: a function of the opened bytes, the document as opened and the document now.
//!
//! Nothing changed: the opened bytes. Else only the touched elements are written again, and data only where it changed.

use std::sync::Arc;

use serde_json::json;
use thiserror::Error;

use super::{
    Container, REST_EXTRA, ReadError, Source,
    container::{assemble, bin_start},
    json,
    patch::{Patch, float_text},
    schema,
    text::{Ops, rewrite},
    weights,
};
use crate::model::{Clip, Document, Local, Node, NodeId, Property, RestSource, Shared, Slice, Track, Transform};

/// Why a document cannot be saved. The file on disk is untouched then.
#[derive(Debug, Error)]
pub enum SaveError {
    /// The opened bytes, which saving starts from, no longer read as they did.
    #[error("the opened file cannot be read again: {0}")]
    Source(ReadError),
    /// A GLB cannot hold more than 4 GiB.
    #[error("the file would be larger than a GLB can be (4 GiB). Save it as .gltf")]
    TooLarge(#[from] std::num::TryFromIntError),
    /// A change this writer has no form for.
    #[error("{0}")]
    Unsupported(String),
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
    pub lost: Vec<String>,
}

/// What saving may add to the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SaveOptions {
    /// Whether the rest of a posed node is remembered in its `extras` where no skin carries it, so that *Reset to rest*
    /// works after opening the file again.
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
    opened: &Document,
    now: &Document,
    stem: &str,
    options: SaveOptions,
) -> Result<Saved, SaveError> {
    let mut writer = Writer::new(source, stem)?;
    writer.options = options;
    writer.nodes(opened, now)?;
    writer.clips(opened, now)?;
    let Writer { root, patch, ops, changes, .. } = &mut writer;
    weights::write(root, opened, now, patch, ops, changes)?;
    writer.finish(source)
}

struct Writer<'a> {
    text: &'a str,
    root: json::RawMap<'a>,
    patch: Patch<'a>,
    ops: Ops,
    changes: Vec<String>,
    options: SaveOptions,
}

impl<'a> Writer<'a> {
    fn new(source: &'a Source, stem: &str) -> Result<Self, SaveError> {
        let text = source.json().map_err(SaveError::Source)?;
        let root = json::split(text).map_err(SaveError::Source)?;
        let patch = Patch::new(source, &root, stem)?;
        Ok(Self { text, root, patch, ops: Ops::object(), changes: Vec::new(), options: SaveOptions::default() })
    }

    fn finish(mut self, source: &Source) -> Result<Saved, SaveError> {
        let (over, new) = self.patch.counts();
        if over + new > 0 {
            let line = format!("{over} of {} accessors rewritten in place, {new} added", self.patch.accessor_count());
            self.changes.push(line);
        }
        let buffers = self.patch.finish(&mut self.ops);
        if self.ops.is_keep() && buffers.bin.is_none() && buffers.sidecar.is_none() {
            return Ok(Saved { bytes: source.bytes.clone(), companions: Vec::new(), changes: self.changes });
        }
        let json = if self.ops.is_keep() { self.text.to_owned() } else { rewrite(self.text, &self.ops) };
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
        let companions = buffers.sidecar.map(|(name, bytes)| FileToWrite { name, bytes }).into_iter().collect();
        Ok(Saved { bytes: Arc::new(bytes), companions, changes: self.changes })
    }

    fn nodes(&mut self, opened: &Document, now: &Document) -> Result<(), SaveError> {
        for (index, (before, after)) in opened.nodes.iter().zip(&now.nodes).enumerate() {
            if before == after {
                continue;
            }
            let id = NodeId::from(index);
            let label = after.label(id);
            if before.name != after.name {
                let op = self.ops.member("nodes").item(index).member("name");
                *op = match &after.name {
                    Some(name) => Ops::Replace(serde_json::Value::from(&**name).to_string()),
                    None => Ops::Remove,
                };
                self.changes.push(format!("nodes/{index} “{label}”: name"));
            }
            if before.morph_weights != after.morph_weights {
                let op = self.ops.member("nodes").item(index).member("weights");
                *op = match &after.morph_weights {
                    Some(weights) => {
                        let text: Vec<String> = weights.iter().map(|w| float_text(*w)).collect();
                        Ops::Replace(format!("[{}]", text.join(",")))
                    }
                    None => Ops::Remove,
                };
                self.changes.push(format!("nodes/{index} “{label}”: weights of its morph targets"));
            }
            let (old, new) = (before.local(), after.local());
            if old != new {
                self.transform(index, &label, &old, &new);
                if now.skins.iter().any(|s| s.joints.contains(&id)) {
                    self.remember_rest(index, &label, after)?;
                }
            }
        }
        Ok(())
    }

    /// Puts the rest of a posed node into its extras, or takes it out where the pose is the rest again.
    fn remember_rest(&mut self, index: usize, label: &str, node: &Node) -> Result<(), SaveError> {
        if node.rest_source == RestSource::Bind || !self.options.remember_rest {
            return Ok(());
        }
        let text = json::elements(&self.root, "nodes").map_err(SaveError::Source)?[index].get();
        let raw: schema::Node = json::typed(text, &format!("nodes/{index}"), &mut false).map_err(SaveError::Source)?;
        let has = raw.extras.has(REST_EXTRA);
        if node.pose.is_some() && !has {
            let rest = RestExtra { version: 1, rest: node.rest.transform() };
            let rest = serde_json::to_string(&rest).map_err(|e| SaveError::Unsupported(e.to_string()))?;
            let node_op = self.ops.member("nodes").item(index);
            if !takes_extras(text) {
                self.changes.push(format!(
                    "nodes/{index} “{label}”: its rest is not remembered, since its extras are no object"
                ));
                return Ok(());
            }
            if has_extras(text) {
                *node_op.member("extras").member(REST_EXTRA) = Ops::Replace(rest);
            } else {
                *node_op.member("extras") = Ops::Replace(format!("{{\"{REST_EXTRA}\":{rest}}}"));
            }
            self.changes.push(format!("nodes/{index} “{label}”: its rest remembered in extras"));
        } else if node.pose.is_none() && has {
            *self.ops.member("nodes").item(index).member("extras").member(REST_EXTRA) = Ops::Remove;
        }
        Ok(())
    }

    /// Writes the members of a node's transform that changed, and only those.
    fn transform(&mut self, index: usize, label: &str, old: &Local, new: &Local) {
        let op = self.ops.member("nodes").item(index);
        if let Local::Matrix(m) = new {
            // Back to the file's matrix after a pose: the text has it still.
            if !matches!(old, Local::Matrix(o) if o == m) {
                let text: Vec<String> = m.to_cols_array().iter().map(|v| float_text(*v)).collect();
                *op.member("matrix") = Ops::Replace(format!("[{}]", text.join(",")));
                for key in ["translation", "rotation", "scale"] {
                    *op.member(key) = Ops::Remove;
                }
            }
            self.changes.push(format!("nodes/{index} “{label}”: matrix"));
            return;
        }
        let was_matrix = matches!(old, Local::Matrix(_));
        let (o, n) = (old.transform(), new.transform());
        let mut parts = Vec::new();
        let list = |v: &[f32]| format!("[{}]", v.iter().map(|v| float_text(*v)).collect::<Vec<_>>().join(","));
        if was_matrix {
            *op.member("matrix") = Ops::Remove;
            parts.push("matrix, now translation, rotation, scale");
        }
        // A matrix is replaced by what is not the default; of the rest, only what changed is written.
        let old = if was_matrix { Transform::IDENTITY } else { o };
        if old.translation != n.translation {
            *op.member("translation") = Ops::Replace(list(&n.translation.to_array()));
            parts.push("translation");
        }
        if old.rotation != n.rotation {
            *op.member("rotation") = Ops::Replace(list(&n.rotation.to_array()));
            parts.push("rotation");
        }
        if old.scale != n.scale {
            *op.member("scale") = Ops::Replace(list(&n.scale.to_array()));
            parts.push("scale");
        }
        if was_matrix {
            parts.truncate(1);
        }
        self.changes.push(format!("nodes/{index} “{label}”: {}", parts.join(", ")));
    }

    fn clips(&mut self, opened: &Document, now: &Document) -> Result<(), SaveError> {
        for (id, before) in &opened.clips {
            let index = id.index();
            let label = opened.clip_label(*id);
            match now.clips.get(id) {
                Some(after) if Shared::ptr_eq(before, after) || before == after => {}
                Some(after)
                    if after.tracks.is_empty()
                        && !before.tracks.is_empty()
                        && before.tracks.len() == before.channels_in_file as usize =>
                {
                    *self.ops.member("animations").item(index) = Ops::Remove;
                    self.changes.push(format!("animations/{index} “{label}”: removed, since it has no keys left"));
                }
                Some(after) => self.clip(index, &label, before, after, now)?,
                None => {
                    *self.ops.member("animations").item(index) = Ops::Remove;
                    self.changes.push(format!("animations/{index} “{label}”: removed"));
                }
            }
        }
        for (id, clip) in now.clips.iter().filter(|(id, _)| !opened.clips.contains_key(id)) {
            let label = now.clip_label(*id);
            if clip.tracks.is_empty() {
                self.changes
                    .push(format!("the new clip “{label}” has no keys, and is left out of the file until it has"));
                continue;
            }
            let mut channels = Vec::new();
            let mut samplers = Vec::new();
            for track in clip.tracks.values() {
                self.free_for_animation(now, track);
                channels.push(channel(samplers.len(), track));
                samplers.push(self.sampler(None, None, track));
            }
            let mut animation = json!({});
            if let Some(name) = &clip.name {
                animation["name"] = json!(&**name);
            }
            animation["channels"] = channels.into();
            animation["samplers"] = samplers.into();
            self.ops.member("animations").push(animation.to_string());
            self.changes.push(format!("animations: “{label}” added, {} channels", clip.tracks.len()));
        }
        // A list that would be empty must not be there at all (glTF 2.0 schema, minItems 1).
        let stay = now.clips.values().any(|c| !c.tracks.is_empty() || c.channels_in_file > 0);
        if !opened.clips.is_empty() && !stay {
            *self.ops.member("animations") = Ops::Remove;
        }
        Ok(())
    }

    fn clip(
        &mut self,
        index: usize,
        label: &str,
        before: &Clip,
        after: &Clip,
        now: &Document,
    ) -> Result<(), SaveError> {
        let text = json::elements(&self.root, "animations").map_err(SaveError::Source)?[index].get();
        let raw: schema::Animation =
            json::typed(text, &format!("animations/{index}"), &mut false).map_err(SaveError::Source)?;
        if before.name != after.name {
            let op = self.ops.member("animations").item(index).member("name");
            *op = match &after.name {
                Some(name) => Ops::Replace(serde_json::Value::from(&**name).to_string()),
                None => Ops::Remove,
            };
            self.changes.push(format!("animations/{index} “{label}”: name"));
        }
        let mut users = vec![0u32; raw.samplers.len()];
        for channel in &raw.channels {
            if let Some(users) = users.get_mut(channel.sampler.0) {
                *users += 1;
            }
        }
        let mut samplers = raw.samplers.len();
        let mut rewritten = 0;
        let mut removed = 0;
        let mut added = 0;
        for (id, old) in &before.tracks {
            match after.tracks.get(id) {
                Some(new) if Shared::ptr_eq(old, new) || old == new => {}
                Some(new) => {
                    rewritten += 1;
                    let sampler = raw.channels[id.index()].sampler.0;
                    let alone = users[sampler] == 1;
                    let (input, output) = (raw.samplers[sampler].input.0, raw.samplers[sampler].output.0);
                    // Of what was mended on opening, neither half is as the file has it.
                    let same = Some(&**old).filter(|_| !before.mended.contains(id));
                    let made = self.sampler(Some((input, output, alone)), same, new);
                    let op = self.ops.member("animations").item(index);
                    if alone {
                        let sampler = op.member("samplers").item(sampler);
                        for (key, was) in [("input", input), ("output", output)] {
                            if made[key] != was {
                                *sampler.member(key) = Ops::Replace(made[key].to_string());
                            }
                        }
                        if old.interpolation != new.interpolation {
                            *sampler.member("interpolation") =
                                Ops::Replace(format!("\"{}\"", new.interpolation.word()));
                        }
                    } else {
                        op.member("samplers").push(made.to_string());
                        *op.member("channels").item(id.index()).member("sampler") = Ops::Replace(samplers.to_string());
                        samplers += 1;
                        users[sampler] -= 1;
                    }
                }
                None => {
                    removed += 1;
                    *self.ops.member("animations").item(index).member("channels").item(id.index()) = Ops::Remove;
                }
            }
        }
        for (_, track) in after.tracks.iter().filter(|(id, _)| !before.tracks.contains_key(id)) {
            added += 1;
            self.free_for_animation(now, track);
            let sampler = self.sampler(None, None, track);
            let op = self.ops.member("animations").item(index);
            op.member("samplers").push(sampler.to_string());
            op.member("channels").push(channel(samplers, track).to_string());
            samplers += 1;
        }
        if rewritten + removed + added > 0 {
            let line =
                format!("animations/{index} “{label}”: {rewritten} channels changed, {added} added, {removed} removed");
            self.changes.push(line);
        }
        Ok(())
    }

    /// A node that a clip moves must not have a matrix (glTF 2.0, *Transformations*).
    fn free_for_animation(&mut self, now: &Document, track: &Track) {
        let node = now.node(track.target);
        if track.property != Property::Weights
            && let Local::Matrix(_) = node.local()
        {
            let label = node.label(track.target);
            let trs = Local::Trs(node.local().transform());
            self.transform(track.target.index(), &label, &node.local(), &trs);
        }
    }

    /// Stores a track's keys; the JSON of the sampler that names them.
    fn sampler(
        &mut self,
        old: Option<(usize, usize, bool)>,
        before: Option<&Track>,
        track: &Track,
    ) -> serde_json::Value {
        let same = |a: &Slice<f32>, b: &Slice<f32>| Slice::ptr_eq(a, b) || a == b;
        let place = |index: usize| old.filter(|(_, _, alone)| *alone).map(|_| index);
        let (kind, width) = match track.property {
            Property::Translation | Property::Scale => ("VEC3", 3),
            Property::Rotation => ("VEC4", 4),
            Property::Weights => ("SCALAR", 1),
        };
        let input = match (old, before) {
            (Some((input, ..)), Some(before)) if same(&before.times, &track.times) => input,
            _ => self.patch.floats(old.and_then(|(input, ..)| place(input)), &track.times, "SCALAR", 1, true),
        };
        let output = match (old, before) {
            (Some((_, output, _)), Some(before)) if same(&before.values, &track.values) => output,
            _ => self.patch.floats(old.and_then(|(_, output, _)| place(output)), &track.values, kind, width, false),
        };
        json!({"input": input, "output": output, "interpolation": track.interpolation.word()})
    }
}

/// What is remembered of a node's rest.
#[derive(serde::Serialize)]
struct RestExtra {
    version: u32,
    #[serde(flatten)]
    rest: Transform,
}

/// Whether an element can have a member in its extras: it has none yet, or they are an object.
fn takes_extras(text: &str) -> bool {
    json::split(text).is_ok_and(|m| m.0.get("extras").is_none_or(|e| e.get().starts_with('{') || e.get() == "null"))
}

/// Whether an element has extras that are an object, into which a member can go.
fn has_extras(text: &str) -> bool {
    json::split(text).is_ok_and(|m| m.0.get("extras").is_some_and(|e| e.get().starts_with('{')))
}

fn channel(sampler: usize, track: &Track) -> serde_json::Value {
    json!({"sampler": sampler, "target": {"node": track.target.0, "path": track.property.path()}})
}
