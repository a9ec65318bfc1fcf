//! Finds the retarget map for a source, and the map that a text refers to.

use std::path::Path;

use ulna_edit::command::read_map;
use ulna_model::{Clip, Document, Notice, RetargetMap, Shared};
use ulna_motion::retarget::{Retarget, Retargeted, table_node};

/// Returns the first map of a document whose joints exist in both models.
pub fn fitting_map<'a>(ours: &'a Document, theirs: &Document) -> Option<&'a RetargetMap> {
    ours.retarget_maps().iter().find(|map| {
        map.fits(|name| table_node(theirs, name).is_some(), |name| table_node(ours, name).is_some())
            && Retarget::new(theirs, ours, map).is_ok()
    })
}

/// Returns the map that a text refers to. The text is JSON, the name of a map in the document, or
/// the path of a JSON file.
///
/// # Errors
/// The text is none of these, or the map is invalid. The error has a code and a sentence.
pub fn map_meant(document: &Document, text: &str) -> Result<RetargetMap, Notice> {
    if text.trim_start().starts_with('{') {
        return read_map(text).map_err(|why| Notice::new("not_a_retarget_map", why));
    }
    if let Some(kept) = document.retarget_maps().iter().find(|map| map.name == text) {
        return Ok(kept.clone());
    }
    map_of_file(Path::new(text))
}

/// Reads a retarget map from a JSON file.
///
/// # Errors
/// The file cannot be read, or is not a retarget map. The error has a code and a sentence.
pub fn map_of_file(path: &Path) -> Result<RetargetMap, Notice> {
    let text = std::fs::read_to_string(path).map_err(|e| {
        let said = format!(
            "the retarget map {} could not be read: {e}. Give the path of a JSON file",
            path.display()
        );
        Notice::new("file_unreadable", said)
    })?;
    read_map(text.trim_start_matches('\u{feff}'))
        .map_err(|why| Notice::new("not_a_retarget_map", format!("{}: {why}", path.display())))
}

/// Returns the note that a stored map was used.
pub(super) fn map_used(name: &str) -> Notice {
    let said = format!("retargeted by the retarget map “{}” of this file", name);
    Notice::new("retarget_map_used", said)
}

/// Retargets a clip, and stores its contacts in the new clip.
pub(super) fn retargeted(retarget: &Retarget<'_>, clip: &Shared<Clip>) -> Retargeted {
    let mut made = retarget.clip(clip, None);
    made.carried.clip.contacts = made.contacts.clone().into();
    made
}
