//! Reads and changes the avatar data in `VRM` and `VRMC_vrm`. Other members stay in the text of the
//! file, and `references/` renumbers them.

use std::{
    collections::{BTreeMap, btree_map::Entry},
    sync::Arc,
};

use indexmap::IndexMap;
use serde::{Deserialize, de::DeserializeOwned};
use serde_json::{Map, Value, json};

use super::json::{Extensions, Index};
use ulna_model::{Diagnostics, Location, NodeId, Notice, Severity, Shared, Vrm};

#[derive(Deserialize)]
struct Zero {
    #[serde(rename = "specVersion")]
    version: Option<String>,
    #[serde(default)]
    meta: ZeroMeta,
    humanoid: Option<ZeroHumanoid>,
    #[serde(rename = "secondaryAnimation")]
    secondary: Option<ZeroSecondary>,
}

#[derive(Default, Deserialize)]
struct ZeroMeta {
    title: Option<String>,
    author: Option<String>,
    #[serde(rename = "licenseName")]
    license: Option<String>,
    #[serde(rename = "otherLicenseUrl")]
    other: Option<String>,
}

#[derive(Deserialize)]
struct ZeroHumanoid {
    #[serde(rename = "humanBones", default)]
    bones: Vec<ZeroBone>,
}

#[derive(Deserialize)]
struct ZeroBone {
    bone: String,
    node: Index,
}

#[derive(Deserialize)]
struct ZeroSecondary {
    #[serde(rename = "boneGroups", default)]
    groups: Vec<serde::de::IgnoredAny>,
}

#[derive(Deserialize)]
struct One {
    #[serde(rename = "specVersion")]
    version: Option<String>,
    #[serde(default)]
    meta: OneMeta,
    humanoid: Option<OneHumanoid>,
}

#[derive(Default, Deserialize)]
struct OneMeta {
    name: Option<String>,
    #[serde(default)]
    authors: Vec<String>,
    #[serde(rename = "licenseUrl")]
    license: Option<String>,
}

#[derive(Deserialize)]
struct OneHumanoid {
    #[serde(rename = "humanBones", default)]
    bones: IndexMap<String, OneBone>,
}

#[derive(Deserialize)]
struct OneBone {
    node: Index,
}

#[derive(Deserialize)]
struct Springs {
    #[serde(default)]
    springs: Vec<serde::de::IgnoredAny>,
}

/// Reads the avatar data of a file, if there is any. `nodes` is the number of nodes in the file.
pub fn read(extensions: &Extensions, nodes: usize, diagnostics: &mut Diagnostics) -> Option<Vrm> {
    // A file may contain both versions for older readers. The newer one is used.
    if let Some(one) = object::<One>(extensions, "VRMC_vrm", diagnostics) {
        let bones =
            one.humanoid.into_iter().flat_map(|h| h.bones).map(|(role, bone)| (role, bone.node.0));
        return Some(Vrm {
            version: one.version.as_deref().unwrap_or("1").into(),
            title: text(one.meta.name),
            authors: one.meta.authors.into_iter().filter_map(|a| text(Some(a))).collect(),
            license: text(one.meta.license),
            bones: roles(bones, nodes, &humanoid("VRMC_vrm"), diagnostics),
            springs: object::<Springs>(extensions, "VRMC_springBone", diagnostics)
                .map_or(0, |s| s.springs.len()),
        });
    }
    // A file with motions for avatars (`.vrma`) contains a bone map of its own skeleton.
    if let Some(motions) = object::<One>(extensions, "VRMC_vrm_animation", diagnostics) {
        let bones = motions
            .humanoid
            .into_iter()
            .flat_map(|h| h.bones)
            .map(|(role, bone)| (role, bone.node.0));
        return Some(Vrm {
            version: motions.version.as_deref().unwrap_or("1").into(),
            bones: roles(bones, nodes, &humanoid("VRMC_vrm_animation"), diagnostics),
            ..Vrm::default()
        });
    }
    let zero = object::<Zero>(extensions, "VRM", diagnostics)?;
    let bones =
        zero.humanoid.into_iter().flat_map(|h| h.bones).map(|bone| (bone.bone, bone.node.0));
    // “Other” is not the name of a license, so its URL is used instead.
    let license = text(zero.meta.license).filter(|l| &**l != "Other").or(text(zero.meta.other));
    Some(Vrm {
        version: zero.version.as_deref().unwrap_or("0").into(),
        title: text(zero.meta.title),
        authors: text(zero.meta.author).into_iter().collect(),
        license,
        bones: roles(bones, nodes, &humanoid("VRM"), diagnostics),
        springs: zero.secondary.map_or(0, |s| s.groups.len()),
    })
}

/// Location of a top-level extension in the file.
fn extension(name: &'static str) -> Location {
    Location::from("extensions").member(name)
}

/// Location of the bone map in an extension of the file.
fn humanoid(name: &'static str) -> Location {
    extension(name).member("humanoid")
}

fn object<T: DeserializeOwned>(
    extensions: &Extensions,
    name: &'static str,
    diagnostics: &mut Diagnostics,
) -> Option<T> {
    let found = extensions.get(name);
    if found.is_none() && extensions.has(name) {
        let message = format!(
            "{name} does not follow its specification; it stays in the file, but its data is not \
                displayed"
        );
        diagnostics.add(Severity::Error, "SCHEMA_VIOLATION", extension(name), message);
    }
    found
}

fn text(text: Option<String>) -> Option<Arc<str>> {
    text.filter(|t| !t.trim().is_empty()).map(Into::into)
}

fn roles(
    bones: impl Iterator<Item = (String, usize)>,
    nodes: usize,
    place: &Location,
    diagnostics: &mut Diagnostics,
) -> Shared<[(Arc<str>, NodeId)]> {
    let mut list: BTreeMap<Arc<str>, NodeId> = BTreeMap::new();
    for (role, node) in bones {
        if node >= nodes {
            let message =
                format!("The humanoid bone {role} refers to node {node}, which does not exist");
            diagnostics.add(Severity::Error, "UNRESOLVED_REFERENCE", place, message);
            continue;
        }
        match list.entry(role.into()) {
            Entry::Vacant(entry) => {
                entry.insert(node.into());
            }
            Entry::Occupied(entry) => {
                let message = format!(
                    "The humanoid bone {} is defined twice; the first one is used",
                    entry.key()
                );
                diagnostics.add(Severity::Warning, "ULNA_VRM", place, message);
            }
        }
    }
    list.into_iter().collect()
}

/// Removes avatar members that refer to meshes, materials or images. The humanoid map, springs and
/// constraints stay, because they refer only to nodes. Returns a notice about the removed members.
pub(super) fn without_meshes(root: &mut Value) -> Vec<Notice> {
    let mut gone: Vec<String> = Vec::new();
    let Some(extensions) = root.get_mut("extensions").and_then(Value::as_object_mut) else {
        return Vec::new();
    };
    if let Some(one) = extensions.get_mut("VRMC_vrm").and_then(Value::as_object_mut) {
        one_without_meshes(one, &mut gone);
    }
    if let Some(zero) = extensions.get_mut("VRM").and_then(Value::as_object_mut) {
        zero_without_meshes(zero, &mut gone);
    }
    let said = |gone: String| {
        let said = format!("Without meshes, the VRM's {gone} left out; its humanoid map is kept");
        Notice::new("vrm_part_left_out", said)
    };
    gone.into_iter().map(said).collect()
}

/// Formats a count with names, such as “2 expressions (blink, happy) are”.
fn counted(names: &[String], what: &str) -> String {
    const MOST: usize = 4;
    let some = if names.len() > MOST {
        format!("{} and {} more", names[..MOST].join(", "), names.len() - MOST)
    } else {
        names.join(", ")
    };
    if names.len() == 1 {
        format!("1 {what} ({some}) is")
    } else {
        format!("{} {what}s ({some}) are", names.len())
    }
}

fn one_without_meshes(avatar: &mut Map<String, Value>, gone: &mut Vec<String>) {
    if let Some(expressions) = avatar.shift_remove("expressions") {
        let of = |key: &str| {
            expressions[key]
                .as_object()
                .into_iter()
                .flat_map(|m| m.keys().cloned())
                .collect::<Vec<_>>()
        };
        let names = [of("preset"), of("custom")].concat();
        if !names.is_empty() {
            gone.push(counted(&names, "expression"));
        }
    }
    // The expressions that moved the eyes were removed, so look-at would have no effect.
    if avatar.get("lookAt").is_some_and(|l| l["type"] == "expression") {
        avatar.shift_remove("lookAt");
        gone.push("look-at by expressions is".to_owned());
    }
    if let Some(first) = avatar.shift_remove("firstPerson") {
        let count = first["meshAnnotations"].as_array().map_or(0, Vec::len);
        if count > 0 {
            gone.push(first_person(count));
        }
    }
    if let Some(meta) = avatar.get_mut("meta").and_then(Value::as_object_mut)
        && meta.shift_remove("thumbnailImage").is_some()
    {
        gone.push("thumbnail is".to_owned());
    }
}

fn first_person(count: usize) -> String {
    let meshes = if count == 1 { "1 mesh".to_owned() } else { format!("{count} meshes") };
    format!("first-person settings of {meshes} are")
}

fn zero_without_meshes(avatar: &mut Map<String, Value>, gone: &mut Vec<String>) {
    // Members that readers require are kept, but empty.
    let emptied = |of: Option<&mut Value>| -> Vec<Value> {
        of.and_then(Value::as_array_mut).map(std::mem::take).unwrap_or_default()
    };
    let groups =
        emptied(avatar.get_mut("blendShapeMaster").and_then(|m| m.get_mut("blendShapeGroups")));
    let name =
        |g: &Value| g["name"].as_str().or(g["presetName"].as_str()).unwrap_or("unnamed").to_owned();
    if !groups.is_empty() {
        gone.push(counted(&groups.iter().map(name).collect::<Vec<_>>(), "expression"));
    }
    let annotations =
        emptied(avatar.get_mut("firstPerson").and_then(|f| f.get_mut("meshAnnotations")));
    if !annotations.is_empty() {
        gone.push(first_person(annotations.len()));
    }
    let materials = emptied(avatar.get_mut("materialProperties"));
    if !materials.is_empty() {
        let names: Vec<String> = materials.iter().map(name).collect();
        gone.push(counted(&names, "material"));
    }
    let texture = avatar.get_mut("meta").and_then(|m| m.get_mut("texture"));
    // −1 means no texture.
    if let Some(texture) = texture.filter(|t| t.as_i64().is_some_and(|t| t >= 0)) {
        *texture = json!(-1);
        gone.push("thumbnail is".to_owned());
    }
}
