//! Commands that create, rename, copy and delete clips, and rename nodes.

use std::collections::{BTreeMap, BTreeSet};

use super::{
    CommandError, Outcome, Scene,
    clip_keys::{clip_of, without_unkeyed},
    define::document_commands,
    field::{ClipName, Nodes},
    pose_layers, rules,
};
use crate::Edit;
use ulna_model::{Clip, Document, NodeId, Notice, Repeat, Shared};

document_commands! {
    /// Commands that create, rename, copy and delete clips, and rename nodes.
    ClipCommand in "Clip";

    /// Adds an empty clip
    NewClip {
        /// Name of the new clip.
        name: Option<String>,
    } = "clip.new", "New clip";
    /// Renames a clip
    RenameClip {
        /// Clip to edit.
        clip: ClipName,
        /// New name.
        name: String,
    } = "clip.rename", "Rename clip", asks: true;
    /// Saves the loop mode in the clip
    LoopClip {
        /// Clip to edit.
        clip: ClipName,
        /// Loop mode to save; the saved loop mode is removed if omitted.
        repeat: Option<AtEnd>,
    } = "clip.loop", "Save loop mode", menu: "Clip/Change the clip", asks: true;
    /// Copies the shown clip
    DuplicateClip {
        /// Clip to edit.
        clip: ClipName,
        /// Name of the copy.
        name: Option<String>,
    } = "clip.duplicate",
        "Duplicate clip", enabled: rules::clip_shown;
    /// Renames the selected node or the shown clip
    RenameNode {
        /// Node to rename.
        node: Nodes,
        /// New name.
        name: String,
    } = "node.rename", "Rename", menu: "Edit", key: "F2", enabled: rules::nameable,
        after: "edit.redo";
    /// Renames nodes by a pattern, where * matches any text
    RenameNodes {
        /// Pattern of the names to change, such as Left*.
        from: String,
        /// Pattern of the new names, such as *.L; each * repeats the text that it matched in
        /// “from”.
        to: String,
        /// Nodes to rename; all nodes if omitted.
        node: Option<Nodes>,
    } = "node.rename_pattern", "Rename by pattern", menu: "Edit", asks: true;
    /// Removes the shown clip from the file
    DeleteClip {
        /// Clip to edit.
        clip: ClipName,
    } = "clip.delete", "Delete clip", enabled: rules::clip_shown, after: "clip.make_editable";
}

super::field::choice! {
    /// Behavior at the end of a clip.
    AtEnd {
        /// The clip stops.
        Once = "once",
        /// The clip restarts.
        Loop = "loop",
        /// The clip plays backward, then forward again.
        PingPong = "ping-pong",
    }
}

impl From<AtEnd> for Repeat {
    fn from(at_end: AtEnd) -> Self {
        match at_end {
            AtEnd::Once => Self::Once,
            AtEnd::Loop => Self::Loop,
            AtEnd::PingPong => Self::PingPong,
        }
    }
}

impl From<Repeat> for AtEnd {
    fn from(repeat: Repeat) -> Self {
        match repeat {
            Repeat::Once => Self::Once,
            Repeat::Loop => Self::Loop,
            Repeat::PingPong => Self::PingPong,
        }
    }
}

impl LoopClip {
    fn work(&self, scene: &Scene<'_>) -> Result<Vec<Edit>, CommandError> {
        let id = self.clip.find(scene.document)?;
        let old = clip_of(scene.document, id)?;
        let repeat = self.repeat.map(Into::into);
        if old.repeat == repeat {
            return Ok(Vec::new());
        }
        Ok(vec![Edit::SetClip {
            clip: id,
            to: Some(Shared::new(Clip { repeat, ..(**old).clone() })),
        }])
    }
}

/// Returns a name that no clip has: the given name, or that name with the first free number.
pub fn free_clip_name(document: &Document, name: &str) -> String {
    let taken: BTreeSet<String> = document.clips.ids().map(|id| document.clip_label(id)).collect();
    let numbered = |k: u32| if k < 2 { name.to_owned() } else { format!("{name} {k}") };
    (1..).map(numbered).find(|n| !taken.contains(n)).unwrap_or_default()
}

impl NewClip {
    fn work(&self, scene: &Scene<'_>) -> Result<Vec<Edit>, CommandError> {
        let name = self.name.clone().unwrap_or_else(|| free_clip_name(scene.document, "New clip"));
        let clip = Clip { name: Some(name.into()), ..Clip::default() };
        Ok(vec![Edit::SetClip {
            clip: scene.document.clips.next_id(),
            to: Some(Shared::new(clip)),
        }])
    }
}

impl RenameClip {
    fn work(&self, scene: &Scene<'_>) -> Result<Vec<Edit>, CommandError> {
        let id = self.clip.find(scene.document)?;
        let mut clip = (**clip_of(scene.document, id)?).clone();
        clip.name = Some(self.name.as_str().into());
        Ok(vec![Edit::SetClip { clip: id, to: Some(Shared::new(clip)) }])
    }
}

impl DuplicateClip {
    fn work(&self, scene: &Scene<'_>) -> Result<Vec<Edit>, CommandError> {
        let document = scene.document;
        let id = self.clip.find(document)?;
        let mut clip = (**clip_of(document, id)?).clone();
        if !clip.pointers.is_empty() {
            return Err(CommandError::other(
                "clip_has_pointers",
                "some of its keys belong to animation pointers, which cannot be copied yet; \
                    duplicate the clip in the program that made it",
            ));
        }
        if !clip.kept.is_empty() {
            return Err(CommandError::other(
                "keys_not_editable",
                "some of its keys are packed and cannot be copied; unpack the file first",
            ));
        }
        (clip.channels_in_file, clip.kept_layers) = (0, None);
        let name = self.name.clone().unwrap_or_else(|| {
            free_clip_name(document, &format!("{} copy", document.clip_label(id)))
        });
        clip.name = Some(name.into());
        let copy = document.clips.next_id();
        let mut edits = vec![Edit::SetClip { clip: copy, to: Some(Shared::new(clip)) }];
        edits.extend(pose_layers::copies(document, id, copy));
        Ok(edits)
    }
}

impl DeleteClip {
    fn work(&self, scene: &Scene<'_>) -> Result<Vec<Edit>, CommandError> {
        let id = self.clip.find(scene.document)?;
        let mut edits = without_unkeyed(scene.document, |at| at.clip == id);
        edits.extend(pose_layers::without(scene.document, id));
        edits.push(Edit::SetClip { clip: id, to: None });
        Ok(edits)
    }
}

/// Returns the text matched by each `*` of a pattern; `None` if the name does not match.
pub(super) fn captured<'n>(pattern: &str, name: &'n str) -> Option<Vec<&'n str>> {
    let mut parts = pattern.split('*');
    let mut rest = name.strip_prefix(parts.next().unwrap_or_default())?;
    let mut parts: Vec<&str> = parts.collect();
    let Some(last) = parts.pop() else { return rest.is_empty().then(Vec::new) };
    let mut found = Vec::new();
    for part in parts {
        let at = rest.find(part)?;
        found.push(&rest[..at]);
        rest = &rest[at + part.len()..];
    }
    found.push(rest.strip_suffix(last)?);
    Some(found)
}

/// Replaces each `*` of a pattern by the next text.
pub(super) fn filled_in(pattern: &str, texts: &[&str]) -> String {
    let mut texts = texts.iter();
    let mut parts = pattern.split('*');
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |name, part| name + texts.next().copied().unwrap_or_default() + part)
}

impl RenameNodes {
    fn work(&self, scene: &Scene<'_>) -> Result<Outcome, CommandError> {
        let document = scene.document;
        if self.to.matches('*').count() > self.from.matches('*').count() {
            let message =
                format!("“to” has more * than “from”, so “{}” cannot be filled in", self.to);
            return Err(CommandError::other("pattern_unclear", message));
        }
        let nodes = self.node.as_ref().map(|n| n.all(document)).transpose()?;
        let meant = |id: &NodeId| nodes.as_ref().is_none_or(|some| some.contains(id));
        let mut renamed = NewNames::default();
        for id in document.node_ids().filter(meant) {
            let Some(name) = document.node(id).name.as_deref() else { continue };
            let Some(texts) = captured(&self.from, name) else { continue };
            renamed.push((id, name, filled_in(&self.to, &texts)))?;
        }
        if renamed.is_empty() {
            let message = format!("no node name matches “{}”", self.from);
            return Err(CommandError::other("no_such_name", message));
        }
        Ok(renamed.outcome(document))
    }
}

/// Nodes with their old and new names.
#[derive(Default)]
pub(super) struct NewNames<'d> {
    renamed: Vec<(NodeId, &'d str, String)>,
}

impl<'d> NewNames<'d> {
    pub(super) fn push(&mut self, node: (NodeId, &'d str, String)) -> Result<(), CommandError> {
        if node.2.trim().is_empty() {
            return Err(CommandError::other(
                "name_missing",
                format!("“{}” would be left without a name", node.1),
            ));
        }
        self.renamed.push(node);
        Ok(())
    }

    pub(super) const fn is_empty(&self) -> bool {
        self.renamed.is_empty()
    }

    /// Returns pairs of old and new names.
    pub(super) fn pairs(&self) -> Vec<(String, String)> {
        self.renamed
            .iter()
            .map(|(_, before, after)| ((*before).to_owned(), after.clone()))
            .collect()
    }

    pub(super) fn outcome(&self, document: &Document) -> Outcome {
        let renamed = &self.renamed;
        let count = if renamed.len() == 1 {
            "1 node".to_owned()
        } else {
            format!("{} nodes", renamed.len())
        };
        let mut notes = Vec::new();
        if let Some((_, before, after)) = renamed.first() {
            notes.push(Notice::new(
                "nodes_renamed",
                format!("{count} renamed, such as “{before}” to “{after}”"),
            ));
        }
        let mut names: BTreeMap<&str, usize> = BTreeMap::new();
        let becomes: BTreeMap<NodeId, &str> =
            renamed.iter().map(|(id, _, to)| (*id, &**to)).collect();
        for id in document.node_ids() {
            let name = becomes.get(&id).copied().or(document.node(id).name.as_deref());
            *names.entry(name.unwrap_or_default()).or_default() += 1;
        }
        if let Some(twice) = becomes.values().find(|name| names[**name] > 1) {
            notes.push(Notice::new(
                "names_repeat",
                format!("several nodes are now named “{twice}”"),
            ));
        }
        let edits = renamed.iter().filter(|(_, before, to)| before != to);
        let edits = edits
            .map(|(node, _, to)| Edit::SetNodeName { node: *node, to: Some(to.as_str().into()) });
        Outcome { edits: edits.collect(), notes, ..Outcome::default() }
    }
}

impl RenameNode {
    fn work(&self, scene: &Scene<'_>) -> Result<Vec<Edit>, CommandError> {
        let nodes = self.node.all(scene.document)?;
        let [node] = nodes[..] else {
            return Err(CommandError::other(
                "one_node_wanted",
                "only one node can be renamed at a time",
            ));
        };
        Ok(vec![Edit::SetNodeName { node, to: Some(self.name.as_str().into()) }])
    }
}
