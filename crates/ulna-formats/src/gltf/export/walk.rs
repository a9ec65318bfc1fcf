//! Accessors and views that the elements of a file name.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

pub(super) fn number(value: &Value) -> usize {
    value.as_u64().and_then(|v| usize::try_from(v).ok()).unwrap_or(0)
}

/// Accessors of keys.
pub(super) fn key_accessors(root: &mut Value) -> BTreeSet<u64> {
    let mut keys = BTreeSet::new();
    for_each_key_accessor(root, &mut |slot| keys.extend(slot.as_u64()));
    keys
}

/// Accessors of times.
pub(super) fn input_accessors(root: &mut Value) -> BTreeSet<u64> {
    let samplers = list(root, "animations").iter_mut().flat_map(|a| list(a, "samplers").iter());
    samplers.filter_map(|s| s["input"].as_u64()).collect()
}

/// Visits every place that names an accessor.
pub(super) fn for_each_accessor(root: &mut Value, visit: &mut dyn FnMut(&mut Value)) {
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
pub(super) fn for_each_key_accessor(root: &mut Value, visit: &mut dyn FnMut(&mut Value)) {
    for animation in list(root, "animations") {
        for sampler in list(animation, "samplers") {
            sampler.get_mut("input").into_iter().for_each(&mut *visit);
            sampler.get_mut("output").into_iter().for_each(&mut *visit);
        }
    }
}

/// Visits every place that names a buffer view.
pub(super) fn for_each_view(root: &mut Value, visit: &mut dyn FnMut(&mut Value)) {
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
