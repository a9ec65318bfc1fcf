//! Merging of equal accessors, and packing of keys into one buffer view.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ops::Range;

use serde_json::Value;

use super::{
    super::meshopt::Unpacked,
    bin::{Bin, Stretches},
    exporter::Exporter,
    walk::{for_each_accessor, for_each_view, input_accessors, key_accessors, number},
};

/// Uses of a buffer view.
struct ViewUse {
    /// The accessors in the view, with their byte ranges relative to the view.
    accessors: Vec<(usize, Range<usize>)>,
    /// Whether the view has other users, or elements that are not contiguous.
    other: bool,
}

impl Exporter<'_> {
    /// Maps each accessor to the first accessor with the same members and values.
    pub(super) fn firsts(&self, root: &mut Value) -> BTreeMap<u64, u64> {
        /// Maximum number of compared bytes, as a multiple of the file size. In a malicious file,
        /// accessors may overlap.
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
            // Key times need `min` and `max`, but key values do not. An accessor of times is
            // therefore never merged with an accessor of values.
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

    /// Buffer view and bytes of an accessor. `None` unless its values are contiguous in an
    /// uncompressed view.
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

    /// Used bytes of buffer views that accessors use only in part. The accessors are moved to these
    /// bytes, so that an export contains no unused keys.
    ///
    /// All keys are packed into one view, `keys_view`. One view per track would need more text than
    /// a reduced track has bytes.
    pub(super) fn packed(&self, root: &mut Value, keys_view: u64) -> BTreeMap<u64, Vec<u8>> {
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
            // Overlapping views are kept unchanged.
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
                // Only accessors of key times need bounds.
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

/// Size in bytes of an accessor with contiguous values. `None` if matrix columns are padded or the
/// type is unknown.
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
