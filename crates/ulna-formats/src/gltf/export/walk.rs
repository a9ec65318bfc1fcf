//! Visitors for the accessors and buffer views that a file refers to.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::super::references::{Named, PlaceTree};
use ulna_model::IdKind;

const ACCESSOR: Named = Named::Index(IdKind::Accessor);
const VIEW: Named = Named::Index(IdKind::View);

pub(super) fn number(value: &Value) -> usize {
    value.as_u64().and_then(|v| usize::try_from(v).ok()).unwrap_or(0)
}

/// Accessors that contain keys.
pub(super) fn key_accessors(root: &Value) -> BTreeSet<u64> {
    accessors_at(root, |path| path.starts_with("animations/"))
}

/// Accessors that contain key times.
pub(super) fn input_accessors(root: &Value) -> BTreeSet<u64> {
    accessors_at(root, |path| path == "animations/*/samplers/*/input")
}

/// Accessors that are referenced at the selected JSON paths.
fn accessors_at(root: &Value, is_wanted: impl Fn(&str) -> bool) -> BTreeSet<u64> {
    let mut found = BTreeSet::new();
    PlaceTree::of(|path, named| named == ACCESSOR && is_wanted(path))
        .visit(root, &mut |_, slot| found.extend(slot.as_u64()));
    found
}

/// Visits all references to accessors.
pub(super) fn for_each_accessor(root: &mut Value, visit: &mut dyn FnMut(&mut Value)) {
    PlaceTree::of(|_, named| named == ACCESSOR).visit_mut(root, &mut |_, slot| visit(slot));
}

/// Visits all references to buffer views.
pub(super) fn for_each_view(root: &mut Value, visit: &mut dyn FnMut(&mut Value)) {
    PlaceTree::of(|_, named| named == VIEW).visit_mut(root, &mut |_, slot| visit(slot));
}

pub(super) fn list<'v>(value: &'v mut Value, key: &str) -> &'v mut [Value] {
    value.get_mut(key).and_then(Value::as_array_mut).map_or(&mut [], Vec::as_mut_slice)
}

pub(super) fn drop_unused_samplers(animation: &mut Value) {
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
