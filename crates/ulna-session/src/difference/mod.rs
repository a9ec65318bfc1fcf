//! What differs in meaning between two documents: for `ulna diff`, for *What will change* and for a
//! file that changed on disk; and the proof of a save.
//!
//! Both documents are files as they are saved, with their layers in keys and nodes: what is
//! compared is what is seen. What is kept beside that (layers, markers, poses, extras) is listed as
//! well, and marked as unseen. What is only stored in another way is a note, and no difference.

mod comparing;
mod finding;
mod kept;
mod keys;
mod looks;
mod nodes;
mod pairs;
mod proof;
mod skins;
mod surfaces;
mod text;
mod words;

use self::{comparing::Comparing, pairs::By};
pub use self::{
    finding::{Comparison, Difference, DifferenceKind, Side},
    proof::first_lost,
    text::as_text,
};
use ulna_model::FileContent;

/// Compares any two files: nodes are known by their names from the root, or by likeness where they
/// were renamed; clips, skins, meshes and materials likewise. In the order of the tree, then
/// scenes, skins, meshes, clips, looks.
pub fn compare(a: Side<'_>, b: Side<'_>) -> Comparison {
    all(Comparing::new(a, b, By::Likeness))
}

/// Compares two states of one document, whose ids mean the same.
pub fn compare_states(a: &FileContent, b: &FileContent) -> Comparison {
    all(Comparing::new(Side { asset: a, other: None }, Side { asset: b, other: None }, By::Ids))
}

/// What differs in meaning from `a` to `b`, any two files.
pub fn differences(a: &FileContent, b: &FileContent) -> Vec<Difference> {
    compare(Side { asset: a, other: None }, Side { asset: b, other: None }).differences
}

/// All differences, in the order of the parts of a file.
fn all(mut found: Comparing<'_>) -> Comparison {
    nodes::compare(&mut found);
    nodes::compare_scenes(&mut found);
    skins::compare(&mut found);
    surfaces::compare(&mut found);
    keys::compare(&mut found);
    kept::compare(&mut found);
    looks::compare(&mut found);
    kept::compare_other(&mut found);
    Comparison { differences: found.list, notes: found.notes }
}
