//! Retarget maps of a file: which one fits a source, and which one a text means.

use std::path::Path;

use ulna_edit::command::read_map;
use ulna_model::{Clip, Document, Goal, Notice, RetargetMap, Shared};
use ulna_motion::retarget::{Retarget, Retargeted, table_node};

/// A map of a document that fits a source: all joints that it names are there.
pub fn fitting_map<'a>(ours: &'a Document, theirs: &Document) -> Option<&'a RetargetMap> {
    ours.retarget_maps().iter().find(|map| {
        map.fits(|name| table_node(theirs, name).is_some(), |name| table_node(ours, name).is_some())
            && Retarget::new(theirs, ours, map).is_ok()
    })
}

/// The map that a text means: JSON, the name of one that the document keeps, or the path of a JSON
/// file.
///
/// # Errors
/// Where it is none of these, or the map is invalid: the code, and a sentence.
pub fn map_meant(document: &Document, text: &str) -> Result<RetargetMap, Notice> {
    if text.trim_start().starts_with('{') {
        return read_map(text).map_err(|why| Notice::new("not_a_retarget_map", why));
    }
    if let Some(kept) = document.retarget_maps().iter().find(|map| map.name == text) {
        return Ok(kept.clone());
    }
    map_of_file(Path::new(text))
}

/// The map of a JSON file.
///
/// # Errors
/// Where the file cannot be read, or is no map: the code, and a sentence.
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

/// That a map of the file was used.
pub(super) fn map_used(name: &str) -> Notice {
    let said = format!("retargeted by the retarget map “{}” of this file", name);
    Notice::new("retarget_map_used", said)
}

/// A clip of a source for a target, with its contacts: those that the source's clip keeps, or
/// found ones.
pub(super) fn retargeted(retarget: &Retarget<'_>, clip: &Shared<Clip>) -> Retargeted {
    let kept: Option<&[Goal]> = Some(&clip.contacts[..]).filter(|c| !c.is_empty());
    let mut made = retarget.clip(clip, kept);
    made.carried.clip.contacts = made.contacts.clone().into();
    made
}
