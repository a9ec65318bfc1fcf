//! What differs in meaning between two documents: for `ulna diff`, for *What will change* and for a
//! file that changed on disk; and the proof of a save.
//!
//! Both documents are files as they are saved, with their layers in keys and nodes: what is
//! compared is what is seen. What is kept beside that (layers, markers, poses, extras) is listed as
//! well, and marked as unseen. What is only stored in another way is a note, and no difference.

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

use glam::{Mat3, Mat4};
use serde::Serialize;

use self::pairs::{By, Pairs};
pub use self::{proof::first_lost, text::as_text};
use ulna_formats::gltf::Unmodeled;
use ulna_model::{Asset, NodeId, Notice};

/// What kind of thing differs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum DifferenceKind {
    /// A node is there or not, or has another parent, mesh or scene.
    Tree,
    /// A name.
    Name,
    /// The pose a node stands in.
    Pose,
    /// The rest of a node.
    Rest,
    /// Joints or bind poses of a skin.
    Bind,
    /// The shape of a mesh.
    Shape,
    /// Joint weights.
    Weights,
    /// A clip is there or not.
    Clip,
    /// Keys of a clip.
    Keys,
    /// Materials, images, cameras, lights.
    Looks,
    /// What the file keeps beside what is seen: layers, poses, markers, sets of nodes, mixes.
    Kept,
    /// Extensions and extras that Ulna does not interpret.
    Other,
}

/// One difference.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Difference {
    /// What kind of thing.
    pub kind: DifferenceKind,
    /// Whose: a node's path, a clip's name.
    pub place: String,
    /// What, with numbers; without a full stop.
    pub message: String,
    /// The value before, where it is a short one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub before: Option<String>,
    /// The value after, where it is a short one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after: Option<String>,
    /// Whether it changes what is seen: the pose, the motion, or what is drawn.
    pub seen: bool,
}

impl Difference {
    /// A difference of what is seen, without short values.
    fn new(kind: DifferenceKind, place: impl Into<String>, message: impl Into<String>) -> Self {
        let (place, message) = (place.into(), message.into());
        Self { kind, place, message, before: None, after: None, seen: true }
    }
}

impl std::fmt::Display for Difference {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: {}", self.place, self.message)
    }
}

/// What comes of a comparison.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Comparison {
    /// What differs in meaning; nothing where the files mean the same.
    pub differences: Vec<Difference>,
    /// What is stored in another way and means the same, a sentence each.
    pub notes: Vec<Notice>,
}

impl Comparison {
    /// Whether something differs in what is seen.
    pub fn is_seen(&self) -> bool {
        self.differences.iter().any(|d| d.seen)
    }
}

/// One side of a comparison: a file as it is saved, and what it has that the model has no member
/// for, where that is known.
#[derive(Clone, Copy, Debug)]
pub struct Side<'a> {
    /// The file.
    pub asset: &'a Asset,
    /// Its other members, by the ids of the file as it was opened.
    pub other: Option<&'a Unmodeled>,
}

/// Collects what is found.
struct Comparing<'a> {
    a: &'a Asset,
    b: &'a Asset,
    pairs: Pairs,
    /// `scene_from_node` in the pose of the file, by node.
    worlds: [Vec<Mat4>; 2],
    other: [Option<&'a Unmodeled>; 2],
    list: Vec<Difference>,
    notes: Vec<Notice>,
}

impl<'a> Comparing<'a> {
    fn new(a: Side<'a>, b: Side<'a>, by: By) -> Self {
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

    fn add(&mut self, kind: DifferenceKind, place: impl Into<String>, message: impl Into<String>) {
        self.list.push(Difference::new(kind, place, message));
    }

    /// One that changes nothing that is seen.
    fn add_unseen(
        &mut self,
        kind: DifferenceKind,
        place: impl Into<String>,
        message: impl Into<String>,
    ) {
        self.list.push(Difference { seen: false, ..Difference::new(kind, place, message) });
    }

    /// One of two short values.
    fn change(
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

    fn note(&mut self, code: &'static str, place: &str, message: &str) {
        self.notes.push(Notice::new(code, format!("{place}: {message}")));
    }

    fn renamed(&mut self, place: impl Into<String>, before: Option<&str>, after: Option<&str>) {
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

    /// `scene_from_parent` of a node of the first document, without its translation: what a
    /// difference of translation comes to.
    fn scale_above(&self, node: NodeId) -> Mat3 {
        self.a
            .node(node)
            .parent
            .map_or(Mat3::IDENTITY, |p| Mat3::from_mat4(self.worlds[0][p.index()]))
    }

    /// The same of a node of the second document.
    fn scale_above_in_b(&self, node: NodeId) -> Mat3 {
        self.b
            .node(node)
            .parent
            .map_or(Mat3::IDENTITY, |p| Mat3::from_mat4(self.worlds[1][p.index()]))
    }

    fn all(mut self) -> Comparison {
        nodes::compare(&mut self);
        nodes::compare_scenes(&mut self);
        skins::compare(&mut self);
        surfaces::compare(&mut self);
        keys::compare(&mut self);
        kept::compare(&mut self);
        looks::compare(&mut self);
        kept::compare_other(&mut self);
        Comparison { differences: self.list, notes: self.notes }
    }
}

fn worlds(asset: &Asset) -> Vec<Mat4> {
    let mut list = vec![Mat4::IDENTITY; asset.nodes.len()];
    for id in asset.nodes.order() {
        let node = asset.node(*id);
        let above = node.parent.map_or(Mat4::IDENTITY, |p| list[p.index()]);
        list[id.index()] = above * node.local().matrix();
    }
    list
}

/// Compares any two files: nodes are known by their names from the root, or by likeness where they
/// were renamed; clips, skins, meshes and materials likewise. In the order of the tree, then
/// scenes, skins, meshes, clips, looks.
pub fn compare(a: Side<'_>, b: Side<'_>) -> Comparison {
    Comparing::new(a, b, By::Likeness).all()
}

/// Compares two states of one document, whose ids mean the same.
pub fn compare_states(a: &Asset, b: &Asset) -> Comparison {
    Comparing::new(Side { asset: a, other: None }, Side { asset: b, other: None }, By::Ids).all()
}

/// What differs in meaning from `a` to `b`, any two files.
pub fn differences(a: &Asset, b: &Asset) -> Vec<Difference> {
    compare(Side { asset: a, other: None }, Side { asset: b, other: None }).differences
}
