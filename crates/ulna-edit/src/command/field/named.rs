//! Arguments that refer to nodes, clips and meshes: by name in text, or by id in commands made by
//! the program.

use std::collections::BTreeMap;

use serde_json::Value;

use super::part::{field, listed};
use crate::command::{ArgumentError, ArgumentType, Arguments, names};
use ulna_model::{ClipId, Document, MeshId, NodeId};

/// References to one or more nodes, by name or id.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Nodes {
    /// Names, paths, `#index` or patterns.
    Named(Vec<String>),
    /// Ids of nodes in the document.
    Ids(Vec<NodeId>),
}
field!(
    Nodes,
    ArgumentType::Node,
    |from, name| from
        .texts(name, "a name, a path, #index or a pattern, or a list of these")
        .map(Self::Named),
    |v, document| match v {
        Self::Named(texts) => listed(texts.clone()),
        Self::Ids(ids) if ids.len() > 1 => {
            let texts = names::NodeTexts::of(document);
            listed(ids.iter().map(|n| texts.text(*n)).collect())
        }
        Self::Ids(ids) => listed(ids.iter().map(|n| names::node_text(document, *n)).collect()),
    }
);

/// Map from joint names of another file to nodes of this document: `theirs=ours`, or `theirs=` to
/// skip a joint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Counterparts(pub Vec<(String, String)>);
field!(
    Counterparts,
    ArgumentType::Text,
    |from, name| {
        const WANTED: &str =
            "theirs=ours, or a list of these; an empty name after = skips the joint";
        let pair = |text: &String| {
            text.rsplit_once('=').map(|(a, b)| (a.trim().to_owned(), b.trim().to_owned()))
        };
        let pairs = from.texts(name, WANTED)?.iter().map(pair).collect::<Option<_>>();
        pairs
            .map(Self)
            .ok_or_else(|| Arguments::wrong(name, WANTED, from.value(name).unwrap_or(&Value::Null)))
    },
    |v, d| listed(v.0.iter().map(|(theirs, ours)| format!("{theirs}={ours}")).collect())
);

impl Counterparts {
    /// Returns the node for each joint name of the other file; `None` for a skipped joint.
    ///
    /// # Errors
    /// If a text matches no node of this document, or several nodes.
    pub fn find(
        &self,
        document: &Document,
    ) -> Result<BTreeMap<String, Option<NodeId>>, ArgumentError> {
        let one = |(theirs, ours): &(String, String)| {
            let found = if ours.is_empty() { None } else { Some(one_node(document, ours)?) };
            Ok((theirs.clone(), found))
        };
        self.0.iter().map(one).collect()
    }
}

/// Returns the only node that matches a text.
fn one_node(document: &Document, text: &str) -> Result<NodeId, ArgumentError> {
    let found = Nodes::Named(vec![text.to_owned()]).all(document)?;
    match found[..] {
        [node] => Ok(node),
        [_, ..] => Err(names::ambiguous(document, text, &found)),
        [] => Err(names::nothing_named(document, text)),
    }
}

impl Nodes {
    /// Returns an argument for one node.
    pub fn one(node: NodeId) -> Self {
        Self::Ids(vec![node])
    }

    /// Returns the nodes in the order in which they are listed.
    ///
    /// # Errors
    /// If a text matches no node, or matches several nodes without a `*`.
    pub fn in_order(&self, document: &Document) -> Result<Vec<NodeId>, ArgumentError> {
        match self {
            Self::Ids(ids) => Ok(ids.clone()),
            Self::Named(texts) => {
                let mut found = Vec::new();
                for text in texts {
                    let nodes = names::find_nodes(document, text)?;
                    if nodes.is_empty() {
                        return Err(names::nothing_named(document, text));
                    }
                    found.extend(nodes);
                }
                Ok(found)
            }
        }
    }

    /// Returns the nodes in ascending order, without duplicates.
    ///
    /// # Errors
    /// The errors of [`Nodes::in_order`].
    pub fn all(&self, document: &Document) -> Result<Vec<NodeId>, ArgumentError> {
        let mut found = self.in_order(document)?;
        found.sort_unstable();
        found.dedup();
        Ok(found)
    }
}

/// A reference to one clip, by name or id.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ClipName {
    /// A name, `#index`, or a pattern that matches one clip.
    Named(String),
    /// Id of a clip in the document.
    Id(ClipId),
}
field!(
    ClipName,
    ArgumentType::Clip,
    |from, name| from.clip_name(name).map(Self::Named),
    |v, document| match v {
        Self::Named(text) => text.as_str().into(),
        Self::Id(id) => names::clip_text(document, *id).into(),
    }
);

impl ClipName {
    /// Returns the clip.
    ///
    /// # Errors
    /// If no clip or several clips match.
    pub fn find(&self, document: &Document) -> Result<ClipId, ArgumentError> {
        match self {
            Self::Named(text) => names::find_clip(document, text),
            Self::Id(id) => Ok(*id),
        }
    }
}

/// References to one or more meshes, by name or id.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Meshes {
    /// Names, `#index` or patterns.
    Named(Vec<String>),
    /// Ids of meshes in the document.
    Ids(Vec<MeshId>),
}
field!(
    Meshes,
    ArgumentType::Mesh,
    |from, name| from.texts(name, "a mesh name or #index, or a list of these").map(Self::Named),
    |v, document| match v {
        Self::Named(texts) => listed(texts.clone()),
        Self::Ids(ids) => listed(ids.iter().map(|m| names::mesh_text(document, *m)).collect()),
    }
);

impl Meshes {
    /// Returns the meshes in the order in which they are listed.
    ///
    /// # Errors
    /// If a text matches no mesh.
    pub fn find(&self, document: &Document) -> Result<Vec<MeshId>, ArgumentError> {
        match self {
            Self::Ids(ids) => Ok(ids.clone()),
            Self::Named(texts) => {
                let found: Result<Vec<_>, _> =
                    texts.iter().map(|text| names::find_meshes(document, text)).collect();
                Ok(found?.concat())
            }
        }
    }
}

/// Returns the meshes of an optional argument; an empty list if it is omitted.
pub(in crate::command) fn meshes_of(
    document: &Document,
    meshes: Option<&Meshes>,
) -> Result<Vec<MeshId>, ArgumentError> {
    meshes.map_or_else(|| Ok(Vec::new()), |m| m.find(document))
}
