//! Texts that refer to nodes, clips and meshes, and their lookup by name, path, number or pattern.

use std::collections::HashMap;

use super::error::ArgumentError;
use crate::did_you_mean;
use ulna_model::{ClipId, Document, MeshId, NodeId};

/// Joins texts as in `“#1” or “#3”`, and shortens long lists.
fn one_of(texts: impl ExactSizeIterator<Item = String>) -> String {
    const MOST: usize = 6;
    let more = texts.len().saturating_sub(MOST);
    let mut quoted: Vec<String> = texts.take(MOST).map(|t| format!("“{t}”")).collect();
    match (more, quoted.pop()) {
        (0, Some(last)) if !quoted.is_empty() => format!("{} or {last}", quoted.join(", ")),
        (0, last) => last.unwrap_or_default(),
        (more, last) => {
            format!("{}, {} or {more} others", quoted.join(", "), last.unwrap_or_default())
        }
    }
}

/// Returns the error for a text that matches several nodes. It suggests texts that match only one
/// node.
pub(super) fn ambiguous(document: &Document, text: &str, ids: &[NodeId]) -> ArgumentError {
    let one = one_of(ids.iter().map(|id| path_text(document, *id)));
    let pattern = format!("{text}*");
    let is_all = find_nodes_quietly(document, &pattern) == ids;
    let ways = if is_all { format!("{one}, or “{pattern}” for all of them") } else { one };
    ArgumentError::Ambiguous { name: text.to_owned(), count: ids.len(), ways }
}

/// Returns the meshes that match a name, `#index`, or a pattern. Fails if there are none.
pub(super) fn find_meshes(document: &Document, text: &str) -> Result<Vec<MeshId>, ArgumentError> {
    let by = |f: &dyn Fn(&str) -> bool| -> Vec<MeshId> {
        document
            .meshes
            .iter()
            .filter(|(_, m)| m.name.as_deref().is_some_and(f))
            .map(|(id, _)| id)
            .collect()
    };
    let named = by(&|name| name == text);
    if !named.is_empty() {
        return Ok(named);
    }
    let number = text.strip_prefix('#').and_then(|t| t.parse::<usize>().ok());
    let hits: Vec<MeshId> = match number {
        Some(k) => Some(k.into()).filter(|m| document.meshes.contains(*m)).into_iter().collect(),
        None => by(&|name| matches(text, name)),
    };
    if hits.is_empty() {
        let near = did_you_mean(text, document.meshes.values().filter_map(|m| m.name.as_deref()));
        return Err(ArgumentError::NotFound { name: text.to_owned(), near });
    }
    Ok(hits)
}

/// Returns `#index`, with zeros inserted until no element has this text as its name: `#03` if an
/// element is named `#3`.
pub(super) fn index_text<'a>(
    index: u32,
    names: impl Iterator<Item = Option<&'a str>> + Clone,
) -> String {
    let mut text = format!("#{index}");
    while names.clone().any(|n| n == Some(text.as_str())) {
        text.insert(1, '0');
    }
    text
}

/// Returns the text of a node in a command: its name if it is unique, else its number.
pub fn node_text(document: &Document, node: NodeId) -> String {
    let name = document
        .node(node)
        .name
        .as_deref()
        .filter(|n| !n.is_empty() && !n.contains(['*', '/', '#']));
    if let Some(name) = name
        && document.nodes.values().filter(|n| n.name.as_deref() == Some(name)).count() == 1
    {
        return name.to_owned();
    }
    index_text(node.0, document.nodes.values().map(|n| n.name.as_deref()))
}

/// Converts nodes to their texts in commands. The names of all nodes are counted once, so
/// converting many nodes is fast.
pub(super) struct NodeTexts<'a> {
    document: &'a Document,
    /// Number of nodes per name.
    named: HashMap<&'a str, usize>,
}

impl<'a> NodeTexts<'a> {
    pub fn of(document: &'a Document) -> Self {
        let mut named: HashMap<&str, usize> = HashMap::new();
        for name in document.nodes.values().filter_map(|n| n.name.as_deref()) {
            *named.entry(name).or_default() += 1;
        }
        Self { document, named }
    }

    /// Returns the same text as [`node_text`].
    pub fn text(&self, node: NodeId) -> String {
        let name = self.document.node(node).name.as_deref();
        let name = name.filter(|n| !n.is_empty() && !n.contains(['*', '/', '#']));
        if let Some(name) = name.filter(|n| self.named.get(n) == Some(&1)) {
            return name.to_owned();
        }
        let mut text = format!("#{}", node.0);
        while self.named.contains_key(text.as_str()) {
            text.insert(1, '0');
        }
        text
    }
}

/// Returns a readable text that matches only this node: the shortest unambiguous end of its path,
/// else its text in a command.
fn path_text(document: &Document, node: NodeId) -> String {
    let path = document.path(node);
    let ends = path.char_indices().rev().filter(|(_, c)| *c == '/').map(|(at, _)| &path[at + 1..]);
    let ends = ends.chain([path.as_str()]).filter(|t| t.contains('/') && !t.contains(['*', '#']));
    let means_it = |text: &&str| find_nodes_quietly(document, text).as_slice() == [node];
    ends.into_iter().find(means_it).map_or_else(|| node_text(document, node), ToOwned::to_owned)
}

/// Returns the text of a clip in a command: its name if it is unique, else its number.
pub fn clip_text(document: &Document, clip: ClipId) -> String {
    let name = document.clips.get(clip).and_then(|c| c.name.as_deref()).filter(|n| !n.is_empty());
    match name {
        Some(name)
            if !name.contains(['*', '#']) && find_clips(document, name) == Ok(vec![clip]) =>
        {
            name.to_owned()
        }
        _ => index_text(clip.0, document.clips.values().map(|c| c.name.as_deref())),
    }
}

/// Returns the clip that matches a name, `#index`, or a pattern.
///
/// # Errors
/// If no clip or several clips match.
pub fn find_clip(document: &Document, text: &str) -> Result<ClipId, ArgumentError> {
    match find_clips(document, text)?[..] {
        [id] => Ok(id),
        ref ids => Err(ArgumentError::AmbiguousClip {
            name: text.to_owned(),
            count: ids.len(),
            ways: one_of(ids.iter().map(|id| clip_text(document, *id))),
        }),
    }
}

/// Returns the clips that match a name, `#index`, or a pattern.
///
/// # Errors
/// If no clip matches.
pub fn find_clips(document: &Document, text: &str) -> Result<Vec<ClipId>, ArgumentError> {
    let by = |f: &dyn Fn(&str) -> bool| -> Vec<ClipId> {
        document
            .clips
            .iter()
            .filter(|(_, c)| c.name.as_deref().is_some_and(f))
            .map(|(id, _)| id)
            .collect()
    };
    let named = by(&|name| name == text);
    if !named.is_empty() {
        return Ok(named);
    }
    let number = text.strip_prefix('#').unwrap_or(text).parse().ok().map(ClipId);
    if let Some(id) = number.filter(|id| document.clips.contains(*id)) {
        return Ok(vec![id]);
    }
    let fits = if text.contains('*') { by(&|name| matches(text, name)) } else { Vec::new() };
    if !fits.is_empty() {
        return Ok(fits);
    }
    // The label of a clip without a name, or of a clip whose name has several lines.
    let labeled: Vec<ClipId> =
        document.clips.ids().filter(|id| document.clip_label(*id) == text).collect();
    if !labeled.is_empty() {
        return Ok(labeled);
    }
    const MOST: usize = 12;
    let labels: Vec<String> =
        document.clips.ids().take(MOST).map(|id| document.clip_label(id)).collect();
    let more = document.clips.count().saturating_sub(MOST);
    let there = match (labels.is_empty(), more) {
        (true, _) => "the file has no clips".to_owned(),
        (_, 0) => format!("clips: {}", labels.join(", ")),
        (_, more) => format!("clips: {} and {more} more", labels.join(", ")),
    };
    let near = did_you_mean(text, document.clips.values().filter_map(|c| c.name.as_deref()));
    Err(ArgumentError::NoClip { name: text.to_owned(), near, there })
}

/// Returns the nodes that match a text. It is compared in this order: exact name, `#index`, label
/// of a node without a name, pattern, path.
///
/// # Errors
/// If no node matches, or several nodes match a text without a `*`.
pub(super) fn find_nodes(document: &Document, text: &str) -> Result<Vec<NodeId>, ArgumentError> {
    let found = find_nodes_quietly(document, text);
    match found.len() {
        0 if !text.contains('*') => Err(nothing_named(document, text)),
        0 | 1 => Ok(found),
        _ if is_pattern(document, text) => Ok(found),
        _ => Err(ambiguous(document, text, &found)),
    }
}

/// Returns the error for a text that matches no node.
pub(super) fn nothing_named(document: &Document, text: &str) -> ArgumentError {
    let near = did_you_mean(text, document.nodes.values().filter_map(|n| n.name.as_deref()));
    ArgumentError::NotFound { name: text.to_owned(), near }
}

/// Whether a text is a pattern. A name that contains `*` is not a pattern.
fn is_pattern(document: &Document, text: &str) -> bool {
    text.contains('*') && document.nodes.values().all(|n| n.name.as_deref() != Some(text))
}

fn find_nodes_quietly(document: &Document, text: &str) -> Vec<NodeId> {
    let by = |f: &dyn Fn(NodeId) -> bool| -> Vec<NodeId> {
        document.node_ids().filter(|id| f(*id)).collect()
    };
    let exact = by(&|id| document.node(id).name.as_deref() == Some(text));
    if !exact.is_empty() {
        return exact;
    }
    if let Some(index) = text.strip_prefix('#').and_then(|t| t.parse::<usize>().ok()) {
        let node = Some(index.into()).filter(|n| document.nodes.contains(*n));
        return node.into_iter().collect();
    }
    let labeled = by(&|id| document.node(id).label(id) == text);
    if !labeled.is_empty() {
        return labeled;
    }
    match (text.contains('*'), text.contains('/')) {
        (true, false) => by(&|id| matches(text, &document.node(id).label(id))),
        (_, true) => by(&|id| path_matches(document, id, text)),
        (false, false) => Vec::new(),
    }
}

/// Whether a node's path ends with a pattern: `Spine/Head` matches `Hips/Spine/Head`.
fn path_matches(document: &Document, id: NodeId, pattern: &str) -> bool {
    let path = document.path(id);
    matches(pattern, &path) || matches(&format!("*/{pattern}"), &path)
}

/// Whether a text matches a pattern, in which `*` matches any characters.
fn matches(pattern: &str, text: &str) -> bool {
    let mut parts = pattern.split('*');
    let Some(mut rest) = text.strip_prefix(parts.next().unwrap_or_default()) else { return false };
    let mut parts: Vec<&str> = parts.collect();
    let Some(last) = parts.pop() else { return rest.is_empty() };
    for part in parts {
        let Some(at) = rest.find(part) else { return false };
        rest = &rest[at + part.len()..];
    }
    rest.ends_with(last)
}

/// Returns the name of a mesh, or `#N`.
pub fn mesh_label(document: &Document, mesh: MeshId) -> String {
    match document.meshes.get(mesh).and_then(|m| m.name.as_deref()) {
        Some(name) if !name.is_empty() => name.to_owned(),
        _ => format!("#{}", mesh.0),
    }
}

/// Returns the text of a mesh in a command: its name if it is unique, else its number.
pub fn mesh_text(document: &Document, mesh: MeshId) -> String {
    let label = mesh_label(document, mesh);
    let alone =
        document.meshes.values().filter(|m| m.name.as_deref() == Some(&*label)).count() == 1;
    if alone && !label.contains(['*', '#']) {
        return label;
    }
    index_text(mesh.0, document.meshes.values().map(|m| m.name.as_deref()))
}

#[cfg(test)]
mod tests {
    use super::{NodeTexts, matches, node_text};
    use ulna_model::{Document, FileContent, Node};

    #[test]
    fn texts_of_many_nodes_equal_the_texts_of_single_nodes() {
        let names = ["a", "b", "a", "", "#4", "x/y", "#04", "c*", "#3"];
        let node =
            |name: &str| Node { name: (!name.is_empty()).then(|| name.into()), ..Node::default() };
        let document = Document::from(FileContent {
            nodes: names.into_iter().map(node).collect(),
            ..FileContent::default()
        });
        let all = NodeTexts::of(&document);
        for id in document.node_ids() {
            assert_eq!(all.text(id), node_text(&document, id));
        }
        assert_eq!(document.node_ids().count(), names.len());
    }

    #[test]
    fn name_patterns_match_with_wildcards() {
        assert!(matches("Left*", "LeftArm"));
        assert!(matches("*Arm", "LeftArm"));
        assert!(matches("L*t*m", "LeftArm"));
        assert!(matches("*", ""));
        assert!(!matches("Left*", "RightArm"));
        assert!(!matches("Arm", "LeftArm"));
        assert!(!matches("a*a", "a"));
    }
}
