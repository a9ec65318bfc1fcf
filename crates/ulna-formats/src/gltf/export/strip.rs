//! Removal of meshes and of the members that refer to them. Also detects extensions whose indices
//! cannot be updated.

use serde_json::Value;

use super::super::{animation, references::names_data, vrm};
use ulna_model::{Notice, Property};

/// First extension that seems to refer to accessors or buffer views, but is not in the table of
/// references.
pub(super) fn foreign_data(root: &Value) -> Option<String> {
    fn seems_to_name_data(value: &Value) -> bool {
        match value {
            Value::Object(members) => members.iter().any(|(key, value)| {
                let key = key.to_lowercase();
                key.contains("accessor") || key.contains("bufferview") || seems_to_name_data(value)
            }),
            Value::Array(items) => items.iter().any(seems_to_name_data),
            _ => false,
        }
    }
    match root {
        Value::Object(members) => {
            members.iter().find_map(|(key, value)| match (key.as_str(), value) {
                ("extras", _) => None,
                ("extensions", Value::Object(list)) => list
                    .iter()
                    .find(|(name, value)| !names_data(name) && seems_to_name_data(value))
                    .map(|(name, _)| name.clone()),
                _ => foreign_data(value),
            })
        }
        Value::Array(items) => items.iter().find_map(foreign_data),
        _ => None,
    }
}

/// Removes meshes, materials, images and everything that refers to them. Returns notices about
/// removed parts of a VRM.
pub(super) fn strip_meshes(root: &mut Value) -> Vec<Notice> {
    let dropped = vrm::without_meshes(root);
    let Some(members) = root.as_object_mut() else { return dropped };
    for key in ["meshes", "materials", "textures", "images", "samplers"] {
        members.remove(key);
    }
    let mut gone: Vec<String> = Vec::new();
    if let Some(extensions) = members.get_mut("extensions").and_then(Value::as_object_mut) {
        // This extension refers to materials by index.
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
                // An extension stays in the list only if a member with its name remains.
                !gone.iter().any(|g| g == name) && left.matches(&format!("\"{name}\":")).count() > 0
            });
        }
    }
    dropped
}
