//! `VRM` and `VRMC_vrm`: the facts of an avatar. All else in them stays in the file's text; the nodes, meshes and materials
//! that they name by number keep their numbers, since saving never renumbers.

use std::{
    collections::{BTreeMap, btree_map::Entry},
    sync::Arc,
};

use indexmap::IndexMap;
use serde::{Deserialize, de::DeserializeOwned};

use super::json::{Extensions, Index};
use crate::model::{Diagnostics, NodeId, Severity, Shared, Vrm};

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
    licence: Option<String>,
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
    licence: Option<String>,
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

/// The avatar of a file, where it is one. `nodes`: how many the file has.
pub fn read(extensions: &Extensions, nodes: usize, diagnostics: &mut Diagnostics) -> Option<Vrm> {
    // A file may carry both for older readers; the newer one is meant then.
    if let Some(one) = object::<One>(extensions, "VRMC_vrm", diagnostics) {
        let bones = one.humanoid.into_iter().flat_map(|h| h.bones).map(|(role, bone)| (role, bone.node.0));
        return Some(Vrm {
            version: one.version.as_deref().unwrap_or("1").into(),
            title: text(one.meta.name),
            authors: one.meta.authors.into_iter().filter_map(|a| text(Some(a))).collect(),
            licence: text(one.meta.licence),
            bones: roles(bones, nodes, "extensions/VRMC_vrm/humanoid", diagnostics),
            springs: object::<Springs>(extensions, "VRMC_springBone", diagnostics).map_or(0, |s| s.springs.len()),
        });
    }
    let zero = object::<Zero>(extensions, "VRM", diagnostics)?;
    let bones = zero.humanoid.into_iter().flat_map(|h| h.bones).map(|bone| (bone.bone, bone.node.0));
    // “Other” is no licence's name: its address follows.
    let licence = text(zero.meta.licence).filter(|l| &**l != "Other").or(text(zero.meta.other));
    Some(Vrm {
        version: zero.version.as_deref().unwrap_or("0").into(),
        title: text(zero.meta.title),
        authors: text(zero.meta.author).into_iter().collect(),
        licence,
        bones: roles(bones, nodes, "extensions/VRM/humanoid", diagnostics),
        springs: zero.secondary.map_or(0, |s| s.groups.len()),
    })
}

fn object<T: DeserializeOwned>(
    extensions: &Extensions,
    name: &'static str,
    diagnostics: &mut Diagnostics,
) -> Option<T> {
    let found = extensions.get(name);
    if found.is_none() && extensions.has(name) {
        let message = format!("{name} is not as its specification wants; it is kept, and its facts are not shown");
        diagnostics.add(Severity::Error, "SCHEMA_VIOLATION", format!("extensions/{name}"), message);
    }
    found
}

fn text(text: Option<String>) -> Option<Arc<str>> {
    text.filter(|t| !t.trim().is_empty()).map(Into::into)
}

fn roles(
    bones: impl Iterator<Item = (String, usize)>,
    nodes: usize,
    place: &str,
    diagnostics: &mut Diagnostics,
) -> Shared<[(Arc<str>, NodeId)]> {
    let mut list: BTreeMap<Arc<str>, NodeId> = BTreeMap::new();
    for (role, node) in bones {
        if node >= nodes {
            let message = format!("The bone {role} names node {node}, which is not there");
            diagnostics.add(Severity::Error, "UNRESOLVED_REFERENCE", place, message);
            continue;
        }
        match list.entry(role.into()) {
            Entry::Vacant(entry) => {
                entry.insert(node.into());
            }
            Entry::Occupied(entry) => {
                let message = format!("The bone {} stands twice; the first one is used", entry.key());
                diagnostics.add(Severity::Warning, "ULNA_VRM", place, message);
            }
        }
    }
    list.into_iter().collect()
}
