//! Undo steps: edits with their inverse, and the command lines that repeat them.

use std::collections::BTreeMap;

use crate::{
    Edit, apply,
    command::{CommandLine, line_of, lines_of},
};
use ulna_model::{Document, Held, Parts};

/// One undo step.
#[derive(Clone, Debug)]
pub struct Transaction {
    /// Title of the step, for the menu and the history.
    pub label: String,
    pub(super) given: Vec<CommandLine>,
    pub(super) forward: Vec<Edit>,
    pub(super) inverse: Vec<Edit>,
    pub(super) revision: u64,
}

impl Held for Transaction {
    fn held(&self, parts: &mut Parts) {
        let Self { label, given, forward, inverse, revision: _ } = self;
        label.held(parts);
        forward.held(parts);
        inverse.held(parts);
        parts.own += size_of::<Self>() + given.iter().map(CommandLine::size).sum::<usize>();
    }
}

impl Transaction {
    /// Number of the document state after the step.
    pub const fn revision(&self) -> u64 {
        self.revision
    }

    /// The edits of the step.
    pub fn edits(&self) -> impl Iterator<Item = &Edit> {
        self.forward.iter()
    }

    /// Whether the step is a brush stroke on weights. Strokes have no command.
    pub fn is_stroke(&self) -> bool {
        self.given.is_empty() && self.edits().any(|edit| matches!(edit, Edit::PatchWeights { .. }))
    }

    /// Names of the step's commands.
    pub fn commands(&self) -> impl Iterator<Item = &str> {
        self.given.iter().map(|line| line.name.as_str())
    }

    /// Reverts the step in a document in which it is the last step.
    pub fn take_back(&self, document: &mut Document) {
        for edit in self.inverse.iter().rev() {
            if let Err(error) = apply(document, edit.clone()) {
                log::error!("an edit could not be undone: {error}");
            }
        }
    }

    /// Returns the command lines that repeat the step. The lines of a brush stroke contain its
    /// sparse result, and are only made here.
    pub fn lines(&self, document: &Document) -> Vec<CommandLine> {
        if !self.given.is_empty() {
            return self.given.clone();
        }
        let mut lines = Vec::new();
        let mut layered = Vec::new();
        // The command line of a layer also sets the combined weights, so these need no line.
        for (edit, was) in self.forward.iter().zip(&self.inverse) {
            if let (Edit::SetLayers { to: Some(to), .. }, Edit::SetLayers { to: was, .. }) =
                (edit, was)
            {
                lines.extend(lines_of(document, to, was.as_deref()));
                layered.extend(to.bases.keys().copied());
            }
        }
        let plain = |edit: &&Edit| match edit {
            Edit::PatchWeights { mesh, primitive, .. } => !layered.contains(&(*mesh, *primitive)),
            _ => true,
        };
        lines.extend(self.forward.iter().filter(plain).filter_map(|edit| line_of(document, edit)));
        lines
    }
}

/// Whether edits together change the document. An element that is set twice has changed only if its
/// last value differs from its first one.
pub(super) fn are_changed(forward: &[Edit], inverse: &[Edit]) -> bool {
    let mut ends: Vec<(&Edit, &Edit)> = Vec::new();
    // Edits of poses are compared per node, because several edits can contain the same node.
    let mut poses = BTreeMap::new();
    // Maximum number of edits for which elements are compared one by one.
    const FEW: usize = 64;
    for (made, was) in forward.iter().zip(inverse) {
        if let (Edit::SetPoses(made), Edit::SetPoses(was)) = (made, was) {
            for ((node, made), (_, was)) in made.iter().zip(was) {
                poses.entry(*node).or_insert((was, made)).1 = made;
            }
            continue;
        }
        match ends.iter_mut().find(|(first, _)| forward.len() <= FEW && first.is_same_slot(was)) {
            Some((_, last)) => *last = made,
            None => ends.push((was, made)),
        }
    }
    poses.values().any(|(first, last)| first != last)
        || ends.iter().any(|(first, last)| first != last)
}
