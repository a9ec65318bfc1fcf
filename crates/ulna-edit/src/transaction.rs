//! Undo steps: edits with their inverse, and the lines of text that repeat them.

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
    /// The number of the state that it leaves.
    pub const fn revision(&self) -> u64 {
        self.revision
    }

    /// The edits that it is.
    pub fn edits(&self) -> impl Iterator<Item = &Edit> {
        self.forward.iter()
    }

    /// Whether it is a stroke of a brush over weights: it has no command of its own.
    pub fn is_stroke(&self) -> bool {
        self.given.is_empty() && self.edits().any(|edit| matches!(edit, Edit::PatchWeights { .. }))
    }

    /// The names of its commands.
    pub fn commands(&self) -> impl Iterator<Item = &str> {
        self.given.iter().map(|line| line.name.as_str())
    }

    /// Takes it back in a document that has it as its last step.
    pub fn take_back(&self, document: &mut Document) {
        for edit in self.inverse.iter().rev() {
            if let Err(error) = apply(document, edit.clone()) {
                log::error!("an edit could not be undone: {error}");
            }
        }
    }

    /// Its text form: what replays it. That of a brush stroke carries its sparse result, and is
    /// made only here.
    pub fn lines(&self, document: &Document) -> Vec<CommandLine> {
        if !self.given.is_empty() {
            return self.given.clone();
        }
        let mut lines = Vec::new();
        let mut layered = Vec::new();
        // What a stroke did to a layer says what became of the weights, too.
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

/// Whether edits changed anything together. Swap semantics: a slot that is written twice is changed
/// only if its last value is not its first.
pub(super) fn are_changed(forward: &[Edit], inverse: &[Edit]) -> bool {
    let mut ends: Vec<(&Edit, &Edit)> = Vec::new();
    // Edits of other nodes each, of which some are the same.
    let mut poses = BTreeMap::new();
    // Of long lists the slots are not looked for one by one.
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
