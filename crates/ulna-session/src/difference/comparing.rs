//! State of a comparison: both documents, the pairs of their elements, and the differences found so
//! far.

use glam::{Mat3, Mat4};

use super::{
    finding::{Difference, DifferenceKind, Side},
    pairs::{By, Pairs},
};
use ulna_formats::gltf::Unmodeled;
use ulna_model::{FileContent, NodeId, Notice};

/// Collects the differences between two documents.
pub(super) struct Comparing<'a> {
    pub(super) a: &'a FileContent,
    pub(super) b: &'a FileContent,
    pub(super) pairs: Pairs,
    /// `scene_from_node` of each node of both documents, in the stored pose.
    pub(super) worlds: [Vec<Mat4>; 2],
    pub(super) other: [Option<&'a Unmodeled>; 2],
    pub(super) list: Vec<Difference>,
    pub(super) notes: Vec<Notice>,
}

impl<'a> Comparing<'a> {
    pub(super) fn new(a: Side<'a>, b: Side<'a>, by: By) -> Self {
        Self {
            pairs: Pairs::of(a.asset, b.asset, by),
            worlds: [worlds(a.asset), worlds(b.asset)],
            other: [a.other, b.other],
            a: a.asset,
            b: b.asset,
            list: Vec::new(),
            notes: Vec::new(),
        }
    }

    pub(super) fn add(
        &mut self,
        kind: DifferenceKind,
        place: impl Into<String>,
        message: impl Into<String>,
    ) {
        self.list.push(Difference::new(kind, place, message));
    }

    /// Adds a difference that is not visible in the pose, motion or picture.
    pub(super) fn add_unseen(
        &mut self,
        kind: DifferenceKind,
        place: impl Into<String>,
        message: impl Into<String>,
    ) {
        self.list.push(Difference { seen: false, ..Difference::new(kind, place, message) });
    }

    /// Adds a difference with short texts of the old and the new value.
    pub(super) fn change(
        &mut self,
        kind: DifferenceKind,
        seen: bool,
        place: impl Into<String>,
        what: &str,
        values: [String; 2],
    ) {
        let [before, after] = values;
        let message = format!("{what} is {after} instead of {before}");
        let made = Difference::new(kind, place, message);
        self.list.push(Difference { before: Some(before), after: Some(after), seen, ..made });
    }

    pub(super) fn note(&mut self, code: &'static str, place: &str, message: &str) {
        self.notes.push(Notice::new(code, format!("{place}: {message}")));
    }

    pub(super) fn renamed(
        &mut self,
        place: impl Into<String>,
        before: Option<&str>,
        after: Option<&str>,
    ) {
        if before == after {
            return;
        }
        let message = match after {
            Some(after) => format!("renamed to “{after}”"),
            None => "its name was removed".to_owned(),
        };
        let owned = |name: Option<&str>| name.map(ToOwned::to_owned);
        let made = Difference::new(DifferenceKind::Name, place, message);
        self.list.push(Difference {
            before: owned(before),
            after: owned(after),
            seen: false,
            ..made
        });
    }

    /// Returns `scene_from_parent` of a node of the first document, without its translation. The
    /// matrix converts a difference of local translations to scene units.
    pub(super) fn scale_above(&self, node: NodeId) -> Mat3 {
        self.a
            .node(node)
            .parent
            .map_or(Mat3::IDENTITY, |p| Mat3::from_mat4(self.worlds[0][p.index()]))
    }

    /// Returns the matrix of [`Self::scale_above`] for a node of the second document.
    pub(super) fn scale_above_in_b(&self, node: NodeId) -> Mat3 {
        self.b
            .node(node)
            .parent
            .map_or(Mat3::IDENTITY, |p| Mat3::from_mat4(self.worlds[1][p.index()]))
    }
}

fn worlds(asset: &FileContent) -> Vec<Mat4> {
    let mut list = vec![Mat4::IDENTITY; asset.nodes.len()];
    for id in asset.nodes.order() {
        let node = asset.node(*id);
        let above = node.parent.map_or(Mat4::IDENTITY, |p| list[p.index()]);
        list[id.index()] = above * node.local().matrix();
    }
    list
}
