//! What a change of the skeleton comes to, for a person.

use super::rewrite::RigDraft;
use crate::command::{CommandError, Outcome};
use ulna_model::{Document, Notice};

/// The edits, with a note of what became of the keys.
pub(super) fn finish(mut rig: RigDraft, _before: &Document) -> Result<Outcome, CommandError> {
    rig.settle()?;
    let tracks = rig.tracks;
    let counted = |n: usize, one: &str, many: &str| match n {
        0 => None,
        1 => Some(format!("1 {one}")),
        n => Some(format!("{n} {many}")),
    };
    let parts: Vec<String> = [
        counted(tracks.exact, "track has the same keys", "tracks have the same keys"),
        counted(tracks.held, "track has one key", "tracks have one key"),
        counted(tracks.baked, "track follows with new keys", "tracks follow with new keys"),
        counted(tracks.keys_added, "key was added", "keys were added"),
    ]
    .into_iter()
    .flatten()
    .collect();
    let notes = match parts.is_empty() {
        true => Vec::new(),
        false => vec![Notice::new("clips_followed", parts.join(", "))],
    };
    Ok(Outcome { edits: rig.draft.edits, notes, ..Outcome::default() })
}
