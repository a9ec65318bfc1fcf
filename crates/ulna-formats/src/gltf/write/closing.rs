//! Removes deleted nodes, meshes, skins and materials from the saved text.
//!
//! The save first writes a text in which the index of every element is its id. This second pass
//! removes the deleted elements, and renumbers all references to later elements.
//!
//! A deleted element that an unknown extension may refer to stays. A node stays as an empty node
//! outside all scenes, and other elements stay unused.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value};

use super::super::{
    json::with_nulls,
    references::{Named, element, is_known, names_in_order, tree},
    saved::Saved,
    text::{Ops, rewrite},
};
use super::springs::{WithoutEntries, without_removed};
use ulna_model::{
    AnyId, FileContent, IdKind, Node, NodeId, NodeSpace, NodeVector, Notice, Renumbering, Shared,
    Skin, SlotId, Slots, Vrm,
};

/// Kinds of elements that can be removed.
const KINDS: [IdKind; 4] = [IdKind::Node, IdKind::Mesh, IdKind::Skin, IdKind::Material];

/// Text of a file after deleted elements were removed.
pub(super) struct Closed {
    pub(super) text: String,
    /// Mapping from document ids to indices in the text.
    pub(super) renumbering: Renumbering,
    /// Notices about placeholders that stay for deleted elements.
    pub(super) stays: Vec<Notice>,
    /// Number of springs that were removed because all of their nodes were removed.
    pub(super) springs: usize,
}

/// Deleted ids of one kind. `given` is the number of elements in the opened file, and `len` the
/// current number of slots.
struct Removed {
    kind: IdKind,
    given: usize,
    len: usize,
    ids: BTreeSet<u32>,
}

impl Removed {
    fn of<I: SlotId, T>(kind: IdKind, slots: &Slots<I, T>) -> Self {
        let ids = slots.slots().enumerate().filter(|(_, slot)| slot.is_none());
        Self {
            kind,
            given: slots.given(),
            len: slots.len(),
            ids: ids.map(|(k, _)| k as u32).collect(),
        }
    }

    fn all(now: &FileContent) -> [Self; 4] {
        KINDS.map(|kind| match kind {
            IdKind::Mesh => Self::of(kind, &now.meshes),
            IdKind::Skin => Self::of(kind, &now.skins),
            IdKind::Material => Self::of(kind, &now.materials),
            _ => Self::of(kind, now.nodes.list()),
        })
    }
}

/// Whether a list of the document has a hole, left by a deleted element.
pub(super) fn has_gaps(now: &FileContent) -> bool {
    Removed::all(now).iter().any(|removed| !removed.ids.is_empty())
}

/// Removes the deleted elements from a text. `None` if it cannot be parsed.
pub(super) fn close(text: &str, now: &FileContent) -> Option<Closed> {
    let root = with_nulls(text)?;
    let WithoutEntries { text: changed, springs } = without_removed(text, &root, now);
    let root = match &changed {
        Some(text) => with_nulls(text)?,
        None => root,
    };
    let text = changed.as_deref().unwrap_or(text);
    let removed = Removed::all(now);
    let mut stays = Vec::new();
    let staying = staying(&root, now, &removed, &mut stays);
    let mut renumbering = Renumbering::default();
    for r in &removed {
        let is_kept = |k: u32| !r.ids.contains(&k) || staying.contains(&AnyId::new(r.kind, k));
        renumbering.close_gaps(r.kind, (0..r.len as u32).map(is_kept));
    }
    let mut ops = Ops::object();
    tree().edit(&root, &mut ops, &mut |named, value| new_text(named, value, &renumbering));
    for r in &removed {
        let gone = |k: &&u32| !staying.contains(&AnyId::new(r.kind, **k));
        let list = ops.member(r.kind.list());
        if r.ids.iter().filter(gone).count() == r.len {
            // Empty lists are invalid.
            *list = Ops::Remove;
            continue;
        }
        for k in &r.ids {
            if gone(&k) {
                *list.item(*k as usize) = Ops::Remove;
            } else if r.kind == IdKind::Node {
                *list.item(*k as usize) = Ops::Replace("{}".into());
            } else if r.kind == IdKind::Skin {
                // A skin needs at least one joint; a single joint always has a root.
                let joints = list.item(*k as usize).member("joints");
                let first = match joints {
                    Ops::Array { items, .. } => items.remove(&0),
                    _ => None,
                };
                let first = match first {
                    Some(Ops::Replace(text)) => Some(text),
                    _ => root.pointer(&format!("/skins/{k}/joints/0")).map(ToString::to_string),
                };
                if let Some(first) = first {
                    *joints = Ops::Replace(format!("[{first}]"));
                }
                *list.item(*k as usize).member("skeleton") = Ops::Remove;
            }
        }
    }
    let text = without_unused_extensions(&root, rewrite(text, &ops))?;
    Some(Closed { text, renumbering, stays, springs })
}

/// Removes extensions that are no longer used from `extensionsUsed` and `extensionsRequired`.
/// `None` if the text cannot be parsed.
fn without_unused_extensions(before: &Value, text: String) -> Option<String> {
    let after = with_nulls(&text)?;
    let (mut were, mut are) = (BTreeSet::new(), BTreeSet::new());
    for_each_extension(before, &mut |name| _ = were.insert(name.to_owned()));
    for_each_extension(&after, &mut |name| _ = are.insert(name.to_owned()));
    let mut ops = Ops::object();
    for list in ["extensionsUsed", "extensionsRequired"] {
        let Some(names) = after.get(list).and_then(Value::as_array) else { continue };
        let is_unused =
            |name: &Value| name.as_str().is_some_and(|n| were.contains(n) && !are.contains(n));
        if names.iter().all(is_unused) {
            *ops.member(list) = Ops::Remove;
            continue;
        }
        for (k, _) in names.iter().enumerate().filter(|(_, name)| is_unused(name)) {
            *ops.member(list).item(k) = Ops::Remove;
        }
    }
    Some(if ops.is_keep() { text } else { rewrite(&text, &ops) })
}

/// Visits the names of all extension objects of a file, except in extras.
fn for_each_extension(value: &Value, visit: &mut dyn FnMut(&str)) {
    match value {
        Value::Array(items) => items.iter().for_each(|item| for_each_extension(item, visit)),
        Value::Object(members) => {
            for (key, value) in members {
                if let ("extensions", Value::Object(all)) = (key.as_str(), value) {
                    all.keys().for_each(|name| visit(name));
                }
                // Extras do not contain glTF extensions.
                if key != "extras" {
                    for_each_extension(value, visit);
                }
            }
        }
        _ => {}
    }
}

/// Replacement text of a reference; `None` if it does not change.
fn new_text(named: Named, value: &Value, renumbering: &Renumbering) -> Option<String> {
    let id = element(named, value)?;
    let to = AnyId::new(id.kind, renumbering.of(id)?);
    (to != id).then(|| match (named, value) {
        (Named::Pointer, Value::String(pointer)) => {
            Value::from(to.put_in_pointer(pointer)).to_string()
        }
        // A number such as `3.0` keeps its decimal point.
        _ if value.is_f64() => Value::from(f64::from(to.index)).to_string(),
        _ => to.index.to_string(),
    })
}

/// Deleted elements that must stay in the text, with notices about the reason.
fn staying(
    root: &Value,
    now: &FileContent,
    removed: &[Removed],
    stays: &mut Vec<Notice>,
) -> BTreeSet<AnyId> {
    let mut staying = BTreeSet::new();
    let mut stay = |id: AnyId, why: &str, staying: &mut BTreeSet<AnyId>| {
        if staying.insert(id) {
            let what = match id.kind {
                IdKind::Node => "an empty node stays in its place",
                _ => "it stays in the file, unused",
            };
            let list = id.kind.list();
            let said = format!("{list}/{}: removed; {what}, because {why}", id.index);
            stays.push(Notice::new("removed_element_stays", said));
        }
    };
    let of_file = |r: &Removed| -> Vec<AnyId> {
        let ids = r.ids.iter().filter(|k| (**k as usize) < r.given);
        ids.map(|k| AnyId::new(r.kind, *k)).collect()
    };
    let unknown = unknown_extension(root);
    for r in removed {
        let why = match (&unknown, r.kind) {
            (Some(name), _) => format!("the extension “{name}” may refer to it by its index"),
            (None, IdKind::Node) if is_named_by_number(now, r) => {
                "stored layers or poses name nodes without a name by their index".to_owned()
            }
            (None, kind) if names_in_order(root, kind) => {
                "the extension “VRM” lists materials in their order".to_owned()
            }
            _ => continue,
        };
        of_file(r).into_iter().for_each(|id| stay(id, &why, &mut staying));
    }
    // Elements that stay may refer to other deleted elements. The search repeats until no more are
    // found.
    loop {
        let before = staying.len();
        let mut seen = root.clone();
        for r in removed {
            let Some(Value::Array(list)) = seen.get_mut(r.kind.list()) else { continue };
            for k in &r.ids {
                let is_whole = r.kind != IdKind::Node && staying.contains(&AnyId::new(r.kind, *k));
                if let Some(value) = list.get_mut(*k as usize).filter(|_| !is_whole) {
                    *value = Value::Object(Map::new());
                }
            }
        }
        tree().visit(&seen, &mut |named, value| {
            let Some(id) = element(named, value) else { return };
            let is_removed = |r: &Removed| {
                r.kind == id.kind && r.ids.contains(&id.index) && (id.index as usize) < r.given
            };
            if removed.iter().any(is_removed) {
                stay(id, "something else in the file refers to it", &mut staying);
            }
        });
        if staying.len() == before {
            return staying;
        }
    }
}

/// Name of the first extension that may contain unknown references.
fn unknown_extension(root: &Value) -> Option<String> {
    let mut unknown = None;
    for_each_extension(root, &mut |name| {
        if unknown.is_none() && !is_known(name) {
            unknown = Some(name.to_owned());
        }
    });
    unknown
}

/// Whether stored layers, poses or a mix refer to an unnamed node whose index would change. They
/// identify it by a text such as `node 7`.
fn is_named_by_number(now: &FileContent, removed: &Removed) -> bool {
    let keeps = now
        .scenes
        .values()
        .any(|s| !s.poses.is_empty() || s.mix.is_some() || s.kept_layers.is_some())
        || now.clips.values().any(|c| c.kept_layers.is_some());
    let first = removed.ids.first().copied().unwrap_or(u32::MAX);
    keeps && now.nodes.iter().any(|(id, node)| id.0 > first && node.name.is_none())
}

/// Computes the document that reading the saved file must give. Its ids are the indices in that
/// file. `opened` is the document as it was read.
pub fn stored(opened: &FileContent, now: &FileContent, saved: &Saved) -> FileContent {
    let renumbering = &saved.renumbering;
    if !has_gaps(now) {
        return now.clone();
    }
    let mut made = now.clone();
    let stays =
        |kind: IdKind, index: usize| renumbering.of(AnyId::new(kind, index as u32)).is_some();
    // This must happen before ids are replaced, because the elements that stay have ids of the
    // opened file.
    let blank: Vec<Option<Node>> =
        restored(made.nodes.slots(), |k| stays(IdKind::Node, k).then(Node::default));
    made.nodes = blank.into();
    let meshes = restored(made.meshes.slots(), |k| {
        opened.meshes.get(k.into()).filter(|_| stays(IdKind::Mesh, k)).cloned()
    });
    made.meshes = meshes.into();
    let skins = restored(made.skins.slots(), |k| {
        let skin = opened.skins.get(k.into()).filter(|_| stays(IdKind::Skin, k))?;
        Some(Shared::new(Skin {
            joints: skin.joints.iter().take(1).copied().collect(),
            inverse_bind: skin.inverse_bind.iter().take(1).copied().collect(),
            ..(**skin).clone()
        }))
    });
    made.skins = skins.into();
    let materials = restored(made.materials.slots(), |k| {
        opened.materials.get(k.into()).filter(|_| stays(IdKind::Material, k)).cloned()
    });
    made.materials = materials.into();
    made.node_space = stored_space(opened, now, renumbering);
    if let Some(vrm) = made.vrm.as_ref().filter(|_| saved.springs_removed > 0) {
        let springs = vrm.springs.saturating_sub(saved.springs_removed);
        made.vrm = Some(Shared::new(Vrm { springs, ..(**vrm).clone() }));
    }
    renumbering.apply(&mut made);
    made.nodes = made.nodes.values().cloned().collect();
    made.meshes = made.meshes.values().cloned().collect();
    made.skins = made.skins.values().cloned().collect();
    made.materials = made.materials.values().cloned().collect();
    made
}

/// Computes the vectors and constraints in a saved file with deleted nodes. Vectors of placeholder
/// nodes stay, and constraints of deleted nodes are removed.
fn stored_space(opened: &FileContent, now: &FileContent, renumbering: &Renumbering) -> NodeSpace {
    let stays = |n: NodeId| renumbering.of(n.into()).is_some();
    let NodeSpace { vectors, constraints } = &opened.node_space;
    let current: BTreeMap<&str, &NodeVector> =
        now.node_space.vectors.iter().map(|v| (&*v.pointer, v)).collect();
    let vectors = vectors.iter().filter(|v| stays(v.node));
    let constraints = constraints.iter();
    NodeSpace {
        vectors: vectors
            .map(|v| current.get(&*v.pointer).map_or_else(|| v.clone(), |v| (*v).clone()))
            .collect(),
        constraints: constraints
            .filter(|c| now.nodes.contains(c.node) && stays(c.source))
            .cloned()
            .collect(),
    }
}

/// Fills the empty slots of a list with the values that `missing` returns.
fn restored<'a, T: Clone + 'a>(
    slots: impl Iterator<Item = Option<&'a T>>,
    missing: impl Fn(usize) -> Option<T>,
) -> Vec<Option<T>> {
    slots.enumerate().map(|(k, slot)| slot.cloned().or_else(|| missing(k))).collect()
}
