//! *Export*: a new file with only some of the clips, or only the skeleton, and none of the data
//! that then is unused.
//!
//! Unlike saving, this makes another file on purpose, so elements are written anew and packed data
//! is unpacked.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    ops::Range,
};

use serde_json::Value;
use thiserror::Error;

use super::{
    ReadError, SaveError, Source, animation,
    container::build_glb,
    meshopt::{self, Unpacked},
    meshopt_view, schema,
    transcode::mime_type,
    vrm,
};
use ulna_model::{Diagnostics, Notice, Property};

/// What to put into the new file.
#[derive(Clone, Debug, Default)]
pub struct ExportOptions {
    /// Indices of the animations to keep; all where `None`.
    pub clips: Option<Vec<usize>>,
    /// Whether meshes, materials and images are left out.
    pub skeleton_only: bool,
}

/// Why an export failed.
#[derive(Debug, Error)]
pub enum ExportError {
    /// The source does not read.
    #[error(transparent)]
    Source(#[from] ReadError),
    /// The JSON is nested too deeply to be written anew.
    #[error(
        "the JSON of the file cannot be rewritten: {0}. Use “convert”, which copies it unchanged"
    )]
    Json(#[from] serde_json::Error),
    /// Too large.
    #[error(transparent)]
    Save(#[from] SaveError),
    /// A view's packed data cannot be unpacked.
    #[error(
        "data packed with {0} is damaged and cannot be exported. Export the model from its source \
            program again, or use “convert”"
    )]
    Packed(&'static str),
    /// An extension names data in a way that is not known here, and would name other data
    /// afterwards.
    #[error(
        "the file uses the extension {0}, whose indices Ulna cannot update for an export. Use \
            “convert”, which copies everything unchanged"
    )]
    Foreign(String),
}

impl ExportError {
    /// The code that stays the same for scripts, whatever the words are.
    pub const fn code(&self) -> &'static str {
        match self {
            Self::Source(error) => error.code(),
            Self::Json(_) => "json_too_deep",
            Self::Save(error) => error.code(),
            Self::Packed(_) => "packed_data_damaged",
            Self::Foreign(_) => "unknown_extension_has_data",
        }
    }
}

/// A file that others are made of: what is asked of all of them is done once.
pub struct Exporter<'a> {
    source: &'a Source,
    /// Everything but what the lists below hold, which are empty in it.
    root: Value,
    animations: Vec<Value>,
    accessors: Vec<Value>,
    views: Vec<Value>,
    unpacked: Vec<Unpacked>,
    /// An extension of accessors or views that would name other data afterwards.
    foreign: Option<String>,
}

/// A GLB with what the options keep.
///
/// # Errors
/// See [`ExportError`].
pub fn export(source: &Source, options: &ExportOptions) -> Result<Vec<u8>, ExportError> {
    Exporter::new(source)?.export(options)
}

impl<'a> Exporter<'a> {
    /// Takes a file apart.
    ///
    /// # Errors
    /// See [`ExportError`].
    pub fn new(source: &'a Source) -> Result<Self, ExportError> {
        let mut root: Value = serde_json::from_str(source.json()?)?;
        let mut taken = |key: &str| {
            root.get_mut(key).and_then(Value::as_array_mut).map(std::mem::take).unwrap_or_default()
        };
        let (animations, accessors, views) =
            (taken("animations"), taken("accessors"), taken("bufferViews"));
        let typed: Vec<schema::BufferView> = serde_json::from_value(Value::Array(views.clone()))?;
        let mut budget = (source.bytes.len() as u64) * 12 + (48 << 20);
        let unpacked = meshopt::unpack(source, &typed, &mut budget, &mut Diagnostics::default())?;
        let foreign = accessors.iter().chain(&views).find_map(foreign_data);
        Ok(Self { source, root, animations, accessors, views, unpacked, foreign })
    }

    /// What of a VRM is left out where meshes are, in sentences.
    pub fn left_out_with_meshes(&self) -> Vec<Notice> {
        strip_meshes(&mut self.root.clone())
    }

    /// A GLB with what the options keep.
    ///
    /// # Errors
    /// See [`ExportError`].
    pub fn export(&self, options: &ExportOptions) -> Result<Vec<u8>, ExportError> {
        let (json, bin) = self.parts(options, Bin::default())?;
        Ok(build_glb(&json, (bin.length > 0).then_some(&bin.bytes), &[], 0)
            .map_err(SaveError::from)?)
    }

    /// How many bytes the GLB of these options has; it is not made.
    ///
    /// # Errors
    /// See [`ExportError`].
    pub fn measure(&self, options: &ExportOptions) -> Result<usize, ExportError> {
        let (json, bin) = self.parts(options, Bin { is_counted: true, ..Bin::default() })?;
        let chunk = |length: usize| 8 + length.next_multiple_of(4);
        let total = 12 + chunk(json.len()) + if bin.length > 0 { chunk(bin.length) } else { 0 };
        u32::try_from(total).map_err(SaveError::from)?;
        Ok(total)
    }

    /// The JSON and the BIN chunk with what the options keep.
    fn parts(&self, options: &ExportOptions, bin: Bin) -> Result<(Vec<u8>, Bin), ExportError> {
        let mut root = self.root.clone();
        if let Some(list) = root.get_mut("animations").and_then(Value::as_array_mut) {
            let is_kept = |k: usize| options.clips.as_ref().is_none_or(|keep| keep.contains(&k));
            list.extend(
                self.animations
                    .iter()
                    .enumerate()
                    .filter(|(k, _)| is_kept(*k))
                    .map(|(_, v)| v.clone()),
            );
        }
        if options.skeleton_only {
            strip_meshes(&mut root);
        }
        if let Some(name) = foreign_data(&root).or_else(|| self.foreign.clone()) {
            return Err(ExportError::Foreign(name));
        }
        let bin = self.gather(&mut root, bin)?;
        if let Some(members) = root.as_object_mut() {
            // A list that is there must not be empty.
            members.retain(|_, v| v.as_array().is_none_or(|a| !a.is_empty()));
        }
        Ok((serde_json::to_vec(&root)?, bin))
    }
}

/// The first extension that seems to name accessors or buffer views and is none of those that are
/// renumbered here.
fn foreign_data(root: &Value) -> Option<String> {
    const KNOWN: [&str; 4] = [
        "EXT_mesh_gpu_instancing",
        "EXT_meshopt_compression",
        "KHR_draco_mesh_compression",
        "KHR_meshopt_compression",
    ];
    fn names_data(value: &Value) -> bool {
        match value {
            Value::Object(members) => members.iter().any(|(key, value)| {
                let key = key.to_lowercase();
                key.contains("accessor") || key.contains("bufferview") || names_data(value)
            }),
            Value::Array(items) => items.iter().any(names_data),
            _ => false,
        }
    }
    match root {
        Value::Object(members) => {
            members.iter().find_map(|(key, value)| match (key.as_str(), value) {
                ("extras", _) => None,
                ("extensions", Value::Object(list)) => list
                    .iter()
                    .find(|(name, value)| !KNOWN.contains(&name.as_str()) && names_data(value))
                    .map(|(name, _)| name.clone()),
                _ => foreign_data(value),
            })
        }
        Value::Array(items) => items.iter().find_map(foreign_data),
        _ => None,
    }
}

/// Takes meshes, materials and images out, with what names them; what of a VRM goes with them.
fn strip_meshes(root: &mut Value) -> Vec<Notice> {
    let dropped = vrm::without_meshes(root);
    let Some(members) = root.as_object_mut() else { return dropped };
    for key in ["meshes", "materials", "textures", "images", "samplers"] {
        members.remove(key);
    }
    let mut gone: Vec<String> = Vec::new();
    if let Some(extensions) = members.get_mut("extensions").and_then(Value::as_object_mut) {
        // It names materials by number.
        let variants = "KHR_materials_variants";
        if extensions.shift_remove(variants).is_some() {
            gone.push(variants.to_owned());
        }
    }
    for node in members.get_mut("nodes").and_then(Value::as_array_mut).into_iter().flatten() {
        if let Some(node) = node.as_object_mut() {
            for key in ["mesh", "skin", "weights"] {
                node.shift_remove(key);
            }
            if let Some(extensions) = node.get_mut("extensions").and_then(Value::as_object_mut) {
                extensions.shift_remove("EXT_mesh_gpu_instancing");
            }
        }
    }
    for animation in
        members.get_mut("animations").and_then(Value::as_array_mut).into_iter().flatten()
    {
        if let Some(channels) = animation.get_mut("channels").and_then(Value::as_array_mut) {
            channels.retain(|c| match c["target"]["path"].as_str() {
                Some("weights") => false,
                Some("pointer") => {
                    let pointer =
                        c["target"]["extensions"]["KHR_animation_pointer"]["pointer"].as_str();
                    pointer
                        .and_then(animation::pointed)
                        .is_some_and(|(_, p)| p != Property::Weights)
                }
                _ => true,
            });
        }
    }
    if let Some(list) = members.get_mut("animations").and_then(Value::as_array_mut) {
        list.retain(|a| a["channels"].as_array().is_some_and(|c| !c.is_empty()));
    }
    let left = Value::Object(members.clone()).to_string();
    for key in ["extensionsUsed", "extensionsRequired"] {
        if let Some(list) = members.get_mut(key).and_then(Value::as_array_mut) {
            list.retain(|name| {
                let name = name.as_str().unwrap_or_default();
                // Still named somewhere besides this list.
                !gone.iter().any(|g| g == name) && left.matches(&format!("\"{name}\":")).count() > 0
            });
        }
    }
    dropped
}

impl Exporter<'_> {
    /// Keeps only accessors, views and bytes that something names, in one buffer; renumbers them.
    fn gather(&self, root: &mut Value, mut bin: Bin) -> Result<Bin, ExportError> {
        for animation in
            root.get_mut("animations").and_then(Value::as_array_mut).into_iter().flatten()
        {
            drop_unused_samplers(animation);
        }
        self.gather_accessors(root);
        let mut views = self.gather_views(root, &mut bin)?;
        self.embed_images(root, &mut views, &mut bin);
        root["bufferViews"] = views.into();
        for key in ["extensionsUsed", "extensionsRequired"] {
            if let Some(list) = root.get_mut(key).and_then(Value::as_array_mut) {
                list.retain(|name| !meshopt_view::EXTENSIONS.iter().any(|e| name == e));
            }
        }
        root["buffers"] = if bin.length == 0 {
            Vec::new()
        } else {
            vec![serde_json::json!({"byteLength": bin.length})]
        }
        .into();
        Ok(bin)
    }

    /// Keeps the accessors that something names, in the order in which they are named first.
    fn gather_accessors(&self, root: &mut Value) {
        let mut accessor_map: BTreeMap<u64, u64> = BTreeMap::new();
        let firsts = self.firsts(root);
        for_each_accessor(root, &mut |slot| {
            let next = accessor_map.len() as u64;
            let from = slot.as_u64().unwrap_or_default();
            let from = firsts.get(&from).copied().unwrap_or(from);
            *slot = (*accessor_map.entry(from).or_insert(next)).into();
        });
        let mut accessors = vec![Value::Null; accessor_map.len()];
        for (from, to) in &accessor_map {
            accessors[*to as usize] =
                self.accessors.get(*from as usize).cloned().unwrap_or_default();
        }
        root["accessors"] = accessors.into();
    }

    /// Puts the bytes of views that something names into the BIN chunk; the views, in the order in
    /// which they are named first.
    fn gather_views(&self, root: &mut Value, bin: &mut Bin) -> Result<Vec<Value>, ExportError> {
        let Self { source, views, unpacked, .. } = self;
        // Keys lie in one view, whose number is one that no view has.
        let keys_view = views.len() as u64;
        let packed = self.packed(root, keys_view);
        let mut view_map: BTreeMap<u64, u64> = BTreeMap::new();
        let mut order = Vec::new();
        for_each_view(root, &mut |slot| {
            let from = slot.as_u64().unwrap_or_default();
            let next = view_map.len() as u64;
            let new = *view_map.entry(from).or_insert_with(|| {
                order.push(from);
                next
            });
            *slot = new.into();
        });
        let mut new_views = Vec::new();
        // Many views may lie over the same bytes: those are taken over once.
        let plain = |from: &u64| {
            let at = usize::try_from(*from).ok()?;
            if packed.contains_key(from) {
                return None;
            }
            let view = views
                .get(at)
                .filter(|_| matches!(unpacked.get(at), Some(Unpacked::Plain) | None))?;
            let (buffer, start) = (number(&view["buffer"]), number(&view["byteOffset"]));
            let end = start.checked_add(number(&view["byteLength"]))?;
            source.buffer(buffer)?.get(start..end).map(|_| (buffer, start..end))
        };
        let stretches = Stretches::of(order.iter().filter_map(plain));
        let places = stretches.copy(source, bin);
        for from in order {
            let mut view = views.get(from as usize).cloned().unwrap_or_default();
            if !view.is_object() {
                view = serde_json::json!({"byteLength": 0});
            }
            let at = match (plain(&from), unpacked.get(from as usize)) {
                (Some((buffer, range)), _) => places.of(buffer, range.start),
                (None, _) if packed.contains_key(&from) => {
                    let bytes = &packed[&from];
                    view["byteLength"] = bytes.len().into();
                    bin.put(bytes, 0)
                }
                (None, Some(Unpacked::Bytes(bytes))) => bin.put(bytes, 0),
                (None, Some(Unpacked::Damaged(extension))) => {
                    return Err(ExportError::Packed(extension));
                }
                (None, _) => bin.length,
            };
            view["buffer"] = 0.into();
            view["byteOffset"] = at.into();
            if let Some(extensions) = view.get_mut("extensions").and_then(Value::as_object_mut) {
                meshopt_view::EXTENSIONS.iter().for_each(|e| drop(extensions.shift_remove(*e)));
                if extensions.is_empty() {
                    view.as_object_mut().and_then(|v| v.shift_remove("extensions"));
                }
            }
            new_views.push(view);
        }
        Ok(new_views)
    }

    /// Puts image files beside the source into the BIN chunk, each once.
    fn embed_images(&self, root: &mut Value, views: &mut Vec<Value>, bin: &mut Bin) {
        let mut embedded: BTreeMap<String, (usize, &'static str)> = BTreeMap::new();
        for image in list(root, "images").iter_mut().filter(|i| i.is_object()) {
            let Some(uri) =
                image["uri"].as_str().filter(|u| !u.starts_with("data:")).map(ToOwned::to_owned)
            else {
                continue;
            };
            let (view, mime) = if let Some(known) = embedded.get(&uri) {
                *known
            } else {
                let Ok(bytes) = self.source.companion(&uri) else { continue };
                let at = bin.put(&bytes, 0);
                views.push(
                    serde_json::json!({"buffer": 0, "byteOffset": at, "byteLength": bytes.len()}),
                );
                let made = (views.len() - 1, mime_type(&bytes));
                embedded.insert(uri, made);
                made
            };
            image["mimeType"] = mime.into();
            image["bufferView"] = view.into();
            if let Some(image) = image.as_object_mut() {
                image.shift_remove("uri");
            }
        }
    }
}

/// The bytes of a BIN chunk, or only how many they are.
#[derive(Default)]
struct Bin {
    bytes: Vec<u8>,
    length: usize,
    /// Whether they are counted and not kept.
    is_counted: bool,
}

impl Bin {
    /// Adds bytes, so many past a multiple of four; where they begin.
    fn put(&mut self, bytes: &[u8], past: usize) -> usize {
        let at = self.length.next_multiple_of(4) + past;
        self.length = at + bytes.len();
        if !self.is_counted {
            self.bytes.resize(at, 0);
            self.bytes.extend_from_slice(bytes);
        }
        at
    }
}

/// A view and the accessors that lie in it.
struct ViewUse {
    /// Which accessor, and its bytes from the view's beginning.
    accessors: Vec<(usize, Range<usize>)>,
    /// Whether anything else is in it, or something that is not plainly one value behind the other.
    other: bool,
}

impl Exporter<'_> {
    /// For accessors that say, and hold, the same as one before them, that one.
    fn firsts(&self, root: &mut Value) -> BTreeMap<u64, u64> {
        /// So many times the file's size is looked at: accessors of a file that means harm lie over
        /// each other.
        const EFFORT: usize = 4;
        let mut effort = self.source.bytes.len().saturating_mul(EFFORT);
        let (keys, inputs) = (key_accessors(root), input_accessors(root));
        let mut first: HashMap<(bool, bool, u64, String, &[u8]), u64> = HashMap::new();
        let mut firsts = BTreeMap::new();
        let mut looked: BTreeSet<u64> = BTreeSet::new();
        for_each_accessor(root, &mut |slot| {
            let Some(id) = slot.as_u64().filter(|id| looked.insert(*id)) else { return };
            let Some(accessor) = usize::try_from(id).ok().and_then(|k| self.accessors.get(k))
            else {
                return;
            };
            let Some((view, bytes)) = self.tight_bytes(accessor).filter(|(_, b)| b.len() <= effort)
            else {
                return;
            };
            effort -= bytes.len();
            // Times must say their bounds, values need not: the one is never the other, though
            // their numbers be the same.
            let (is_key, is_input) = (keys.contains(&id), inputs.contains(&id));
            let mut said = accessor.clone();
            if let Some(said) = said.as_object_mut() {
                said.retain(|name, _| {
                    let place = matches!(name.as_str(), "bufferView" | "byteOffset");
                    let bound = is_key && matches!(name.as_str(), "min" | "max");
                    !place && !bound
                });
            }
            let target = self.views[view]["target"].as_u64().unwrap_or_default();
            let known =
                *first.entry((is_key, is_input, target, said.to_string(), bytes)).or_insert(id);
            if known != id {
                firsts.insert(id, known);
            }
        });
        firsts
    }

    /// The view and the bytes of an accessor whose values lie one behind the other in a view of
    /// plain bytes.
    fn tight_bytes(&self, accessor: &Value) -> Option<(usize, &[u8])> {
        let at = usize::try_from(accessor["bufferView"].as_u64()?).ok()?;
        let view = self
            .views
            .get(at)
            .filter(|v| v.get("byteStride").is_none() && v.get("extensions").is_none())?;
        if accessor.get("sparse").is_some()
            || !matches!(self.unpacked.get(at), Some(Unpacked::Plain) | None)
        {
            return None;
        }
        let (start, length) = (number(&view["byteOffset"]), number(&view["byteLength"]));
        let bytes =
            self.source.buffer(number(&view["buffer"]))?.get(start..start.checked_add(length)?)?;
        let from = number(&accessor["byteOffset"]);
        Some((at, bytes.get(from..from.checked_add(tight_size(accessor)?)?)?))
    }

    /// The bytes of views of which accessors use a part alone, that part; and moves the accessors
    /// to it. What keys leave behind when others take their place is in no file that is exported.
    /// Keys come to lie in one view, `keys_view`: one of their own for each costs more text than a
    /// reduced track has bytes.
    fn packed(&self, root: &mut Value, keys_view: u64) -> BTreeMap<u64, Vec<u8>> {
        let Self { source, views, unpacked, .. } = self;
        let keys = key_accessors(root);
        let inputs = input_accessors(root);
        let mut uses: BTreeMap<u64, ViewUse> = BTreeMap::new();
        let mut accessors = std::mem::take(&mut root["accessors"]);
        for_each_view(root, &mut |slot| {
            let fresh = ViewUse { accessors: Vec::new(), other: true };
            uses.entry(slot.as_u64().unwrap_or_default()).or_insert(fresh).other = true;
        });
        for (k, accessor) in accessors.as_array().into_iter().flatten().enumerate() {
            for path in ["/sparse/indices/bufferView", "/sparse/values/bufferView"] {
                if let Some(view) = accessor.pointer(path).and_then(Value::as_u64) {
                    let fresh = ViewUse { accessors: Vec::new(), other: true };
                    uses.entry(view).or_insert(fresh).other = true;
                }
            }
            let Some(view) = accessor["bufferView"].as_u64() else { continue };
            let used = uses.entry(view).or_insert(ViewUse { accessors: Vec::new(), other: false });
            let start = number(&accessor["byteOffset"]);
            match tight_size(accessor).and_then(|size| start.checked_add(size)) {
                Some(end) => used.accessors.push((k, start..end)),
                None => used.other = true,
            }
        }
        let mut packed = BTreeMap::new();
        let mut of_keys: Vec<(usize, usize, Range<usize>)> = Vec::new();
        for (from, mut used) in uses {
            let Some(view) = usize::try_from(from).ok().and_then(|at| views.get(at)) else {
                continue;
            };
            let is_plain = matches!(unpacked.get(from as usize), Some(Unpacked::Plain) | None);
            if used.other
                || !is_plain
                || view.get("byteStride").is_some()
                || view.get("extensions").is_some()
            {
                continue;
            }
            let (start, length) = (number(&view["byteOffset"]), number(&view["byteLength"]));
            let bytes = source
                .buffer(number(&view["buffer"]))
                .and_then(|b| b.get(start..start.checked_add(length)?));
            let Some(bytes) =
                bytes.filter(|b| used.accessors.iter().all(|(_, r)| r.end <= b.len()))
            else {
                continue;
            };
            used.accessors.retain(|(k, range)| {
                let is_key = keys.contains(&(*k as u64));
                if is_key {
                    of_keys.push((
                        *k,
                        number(&view["buffer"]),
                        start + range.start..start + range.end,
                    ));
                }
                !is_key
            });
            if used.accessors.is_empty() {
                continue;
            }
            used.accessors.sort_by_key(|(_, range)| (range.start, range.end));
            let stretches =
                Stretches::of(used.accessors.iter().map(|(_, range)| (0, range.clone())));
            let mut made = Bin::default();
            let places = stretches.copy_from(&|_, range| bytes.get(range), &mut made);
            let made = made.bytes;
            // Views that lie over each other's bytes share them as they are.
            if made.len() >= bytes.len() {
                continue;
            }
            for (k, range) in used.accessors {
                accessors[k]["byteOffset"] = places.of(0, range.start).into();
            }
            packed.insert(from, made);
        }
        let stretches =
            Stretches::of(of_keys.iter().map(|(_, buffer, range)| (*buffer, range.clone())));
        let mut made = Bin::default();
        let places = stretches.copy(source, &mut made);
        let made = made.bytes;
        for (k, buffer, range) in of_keys {
            let accessor = &mut accessors[k];
            accessor["bufferView"] = keys_view.into();
            accessor["byteOffset"] = places.of(buffer, range.start).into();
            if let Some(accessor) =
                accessor.as_object_mut().filter(|_| !inputs.contains(&(k as u64)))
            {
                // Asked for of times alone.
                accessor.shift_remove("min");
                accessor.shift_remove("max");
            }
        }
        if !made.is_empty() {
            packed.insert(keys_view, made);
        }
        root["accessors"] = accessors;
        packed
    }
}

fn number(value: &Value) -> usize {
    value.as_u64().and_then(|v| usize::try_from(v).ok()).unwrap_or(0)
}

/// Accessors of keys.
fn key_accessors(root: &mut Value) -> BTreeSet<u64> {
    let mut keys = BTreeSet::new();
    for_each_key_accessor(root, &mut |slot| keys.extend(slot.as_u64()));
    keys
}

/// Accessors of times.
fn input_accessors(root: &mut Value) -> BTreeSet<u64> {
    let samplers = list(root, "animations").iter_mut().flat_map(|a| list(a, "samplers").iter());
    samplers.filter_map(|s| s["input"].as_u64()).collect()
}

/// Bytes of an accessor whose values lie one behind the other; nothing where rows are padded, or it
/// says none.
fn tight_size(accessor: &Value) -> Option<usize> {
    let component = match accessor["componentType"].as_u64()? {
        5120 | 5121 => 1,
        5122 | 5123 => 2,
        5125 | 5126 => 4,
        _ => return None,
    };
    let values = match accessor["type"].as_str()? {
        "SCALAR" => 1,
        "VEC2" => 2,
        "VEC3" => 3,
        "VEC4" => 4,
        "MAT4" if component == 4 => 16,
        _ => return None,
    };
    usize::try_from(accessor["count"].as_u64()?).ok()?.checked_mul(component * values)
}

/// Bytes of buffers that views name, each once.
struct Stretches(Vec<(usize, Range<usize>)>);

impl Stretches {
    /// What these ranges cover together; what overlaps or touches is one.
    fn of(ranges: impl Iterator<Item = (usize, Range<usize>)>) -> Self {
        let mut all: Vec<(usize, Range<usize>)> = ranges.collect();
        all.sort_by_key(|(buffer, range)| (*buffer, range.start, range.end));
        let mut merged: Vec<(usize, Range<usize>)> = Vec::new();
        for (buffer, range) in all {
            match merged.last_mut() {
                Some((last, known)) if *last == buffer && range.start < known.end => {
                    known.end = known.end.max(range.end)
                }
                _ => merged.push((buffer, range)),
            }
        }
        Self(merged)
    }

    /// Copies them; each begins as far past a multiple of four as it did.
    fn copy(self, source: &Source, bin: &mut Bin) -> Places {
        self.copy_from(&|buffer, range| source.buffer(buffer).and_then(|b| b.get(range)), bin)
    }

    fn copy_from<'b>(
        self,
        bytes: &dyn Fn(usize, Range<usize>) -> Option<&'b [u8]>,
        bin: &mut Bin,
    ) -> Places {
        let mut places = Vec::with_capacity(self.0.len());
        for (buffer, range) in self.0 {
            let start = range.start;
            let at = bin.put(bytes(buffer, range).unwrap_or_default(), start % 4);
            places.push((buffer, start, at));
        }
        Places(places)
    }
}

/// Where stretches of buffers came to lie: buffer, start there, start here; in order.
struct Places(Vec<(usize, usize, usize)>);

impl Places {
    fn of(&self, buffer: usize, start: usize) -> usize {
        let after = self.0.partition_point(|(b, from, _)| (*b, *from) <= (buffer, start));
        after.checked_sub(1).map_or(0, |k| self.0[k].2 + (start - self.0[k].1))
    }
}

fn drop_unused_samplers(animation: &mut Value) {
    if !animation.is_object() {
        return;
    }
    let mut map: BTreeMap<u64, u64> = BTreeMap::new();
    for channel in list(animation, "channels").iter_mut().filter(|c| c.is_object()) {
        let next = map.len() as u64;
        let new = *map.entry(channel["sampler"].as_u64().unwrap_or_default()).or_insert(next);
        channel["sampler"] = new.into();
    }
    let old = animation["samplers"].as_array().cloned().unwrap_or_default();
    let mut samplers = vec![Value::Null; map.len()];
    for (from, to) in map {
        samplers[to as usize] = old.get(from as usize).cloned().unwrap_or_default();
    }
    animation["samplers"] = samplers.into();
}

/// Visits every place that names an accessor.
fn for_each_accessor(root: &mut Value, visit: &mut dyn FnMut(&mut Value)) {
    let attributes = |value: Option<&mut Value>, visit: &mut dyn FnMut(&mut Value)| {
        for slot in value.and_then(Value::as_object_mut).into_iter().flat_map(|m| m.values_mut()) {
            visit(slot);
        }
    };
    for mesh in list(root, "meshes") {
        for primitive in list(mesh, "primitives") {
            attributes(primitive.get_mut("attributes"), visit);
            primitive.get_mut("indices").into_iter().for_each(&mut *visit);
            for target in list(primitive, "targets") {
                attributes(Some(target), visit);
            }
        }
    }
    for skin in list(root, "skins") {
        skin.get_mut("inverseBindMatrices").into_iter().for_each(&mut *visit);
    }
    for_each_key_accessor(root, visit);
    for node in list(root, "nodes") {
        attributes(node.pointer_mut("/extensions/EXT_mesh_gpu_instancing/attributes"), visit);
    }
}

/// Visits those places where keys are.
fn for_each_key_accessor(root: &mut Value, visit: &mut dyn FnMut(&mut Value)) {
    for animation in list(root, "animations") {
        for sampler in list(animation, "samplers") {
            sampler.get_mut("input").into_iter().for_each(&mut *visit);
            sampler.get_mut("output").into_iter().for_each(&mut *visit);
        }
    }
}

/// Visits every place that names a buffer view.
fn for_each_view(root: &mut Value, visit: &mut dyn FnMut(&mut Value)) {
    for accessor in list(root, "accessors") {
        accessor.get_mut("bufferView").into_iter().for_each(&mut *visit);
        for path in ["/sparse/indices/bufferView", "/sparse/values/bufferView"] {
            accessor.pointer_mut(path).into_iter().for_each(&mut *visit);
        }
    }
    for image in list(root, "images") {
        image.get_mut("bufferView").into_iter().for_each(&mut *visit);
    }
    for mesh in list(root, "meshes") {
        for primitive in list(mesh, "primitives") {
            primitive
                .pointer_mut("/extensions/KHR_draco_mesh_compression/bufferView")
                .into_iter()
                .for_each(&mut *visit);
        }
    }
}

fn list<'v>(value: &'v mut Value, key: &str) -> &'v mut [Value] {
    value.get_mut(key).and_then(Value::as_array_mut).map_or(&mut [], Vec::as_mut_slice)
}
