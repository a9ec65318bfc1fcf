//! Differences in meaning between two documents, used by `ulna diff`, by *What will change*, and by
//! the check for changes on disk. The module also verifies saved files.
//!
//! Both documents are compared in the form that saving writes, with layers baked into keys and
//! nodes. Invisible data such as layers, markers, poses and `extras` is listed, too, and marked as
//! not visible. Data that is only stored differently is listed as a note.

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

/// Compares two unrelated files. Nodes are paired by their names from the root, and renamed nodes
/// by similarity. Clips, skins, meshes and materials are paired in the same way. The result lists
/// nodes, scenes, skins, meshes, clips and materials, in this order.
pub fn compare(a: Side<'_>, b: Side<'_>) -> Comparison {
    all(Comparing::new(a, b, By::Likeness))
}

/// Compares two states of one document. Elements with equal ids are paired.
pub fn compare_states(a: &FileContent, b: &FileContent) -> Comparison {
    all(Comparing::new(Side { asset: a, other: None }, Side { asset: b, other: None }, By::Ids))
}

/// Returns the differences in meaning from `a` to `b`. The files can be unrelated.
pub fn differences(a: &FileContent, b: &FileContent) -> Vec<Difference> {
    compare(Side { asset: a, other: None }, Side { asset: b, other: None }).differences
}

/// Finds all differences, in the order of the parts of a file.
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
