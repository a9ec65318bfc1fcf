//! Compares the invisible data of two files: layers, poses, sets of nodes, mixes, and members that
//! Ulna does not interpret.

use std::{collections::BTreeSet, sync::Arc};

use serde_json::Value;

use super::{
    comparing::Comparing,
    finding::{Difference, DifferenceKind},
    keys, surfaces,
    words::count,
};
use ulna_formats::gltf::Unmodeled;
use ulna_model::{JointGroup, KeptLayer, KeptLayers, NodeId, Scene, SceneId, Vrm};

/// Compares the invisible data that is stored with scenes, clips and meshes.
pub(super) fn compare(found: &mut Comparing<'_>) {
    for (x, y) in found.pairs.clips.clone() {
        let before = x.and_then(|x| found.a.clips[x].kept_layers.clone());
        let after = y.and_then(|y| found.b.clips[y].kept_layers.clone());
        let Some(place) =
            x.map(|x| keys::label(found.a, x)).or_else(|| y.map(|y| keys::label(found.b, y)))
        else {
            continue;
        };
        layers(found, (before.as_deref(), after.as_deref()), &place);
    }
    for (x, y) in found.pairs.scenes.clone() {
        let (Some(x), Some(y)) = (x, y) else { continue };
        scene(found, x, y);
    }
    surfaces::kept(found);
    let (a, b) = (found.a, found.b);
    if let (Some(was), Some(is)) = (&a.vrm, &b.vrm)
        && bones_of(Some(was), &|n| found.pairs.node(n)) != bones_of(Some(is), &Some)
    {
        found.add_unseen(DifferenceKind::Kept, "avatar", "the humanoid map differs");
    }
    if (&a.vrm, &a.node_space) != (&b.vrm, &b.node_space) && found.other.iter().any(Option::is_none)
    {
        found.add_unseen(DifferenceKind::Kept, "avatar", "the VRM data differs");
    }
}

fn scene(found: &mut Comparing<'_>, x: SceneId, y: SceneId) {
    // Exhaustive pattern: a new member does not compile until it is compared here.
    let Scene { name: _, roots: _, poses, sets, groups, humanoid, retarget, mix, kept_layers } =
        &found.a.scenes[x];
    let other = &found.b.scenes[y];
    let place = format!("scene “{}”", found.a.scene_label(x));
    if poses != &other.poses {
        let said = match (poses.len(), other.poses.len()) {
            (n, m) if n == m => "its stored poses differ".to_owned(),
            (n, m) => format!("{} instead of {n}", count(m, "stored pose")),
        };
        found.add_unseen(DifferenceKind::Kept, &place, said);
    }
    if retarget != &other.retarget {
        found.add_unseen(DifferenceKind::Kept, &place, "its retarget maps differ");
    }
    let mapped: Vec<_> = sets
        .iter()
        .map(|s| (s.digit, s.nodes.iter().map(|n| found.pairs.node(*n)).collect::<Vec<_>>()))
        .collect();
    let theirs: Vec<_> = other
        .sets
        .iter()
        .map(|s| (s.digit, s.nodes.iter().map(|n| Some(*n)).collect::<Vec<_>>()))
        .collect();
    if mapped != theirs {
        found.add_unseen(DifferenceKind::Kept, &place, "its stored selections differ");
    }
    let group = |g: &JointGroup, node: &dyn Fn(NodeId) -> Option<NodeId>| {
        let mut nodes: Vec<_> = g.nodes.iter().map(|n| node(*n)).collect();
        nodes.sort_unstable();
        (JointGroup { nodes: Vec::new(), ..g.clone() }, nodes)
    };
    let mapped: Vec<_> = groups.iter().map(|g| group(g, &|n| found.pairs.node(n))).collect();
    let theirs: Vec<_> = other.groups.iter().map(|g| group(g, &Some)).collect();
    if mapped != theirs {
        found.add_unseen(DifferenceKind::Kept, &place, "its joint groups differ");
    }
    let bones = bones_of(humanoid.as_deref(), &|n| found.pairs.node(n));
    if bones != bones_of(other.humanoid.as_deref(), &Some) {
        found.add_unseen(DifferenceKind::Kept, &place, "its humanoid map differs");
    }
    let message = match (mix, &other.mix) {
        (a, b) if a == b => None,
        (None, _) => Some("a mix was added to the file"),
        (_, None) => Some("its stored mix was removed"),
        _ => Some("its stored mix differs"),
    };
    if let Some(message) = message {
        found.add_unseen(DifferenceKind::Kept, &place, message);
    }
    layers(found, (kept_layers.as_deref(), other.kept_layers.as_deref()), "pose");
}

/// Returns the humanoid bones by role. Their nodes are mapped to the second file.
fn bones_of(
    vrm: Option<&Vrm>,
    node: &dyn Fn(NodeId) -> Option<NodeId>,
) -> Vec<(Arc<str>, Option<NodeId>)> {
    let bones = vrm.into_iter().flat_map(|v| v.bones.iter());
    bones.map(|(role, n)| (role.clone(), node(*n))).collect()
}

fn in_words(layer: &KeptLayer) -> String {
    let nodes: BTreeSet<&str> = layer
        .moves
        .iter()
        .map(|(n, _)| n.as_str())
        .chain(layer.keys.iter().map(|(n, ..)| n.as_str()))
        .collect();
    let strength =
        if layer.muted { "off".to_owned() } else { format!("{:.0} %", layer.strength * 100.0) };
    format!("“{}” ({strength}, {})", layer.name, count(nodes.len(), "joint"))
}

/// Compares the stored layers of a clip or of the pose. Their effect is part of the keys and nodes,
/// so a difference is invisible.
fn layers(
    found: &mut Comparing<'_>,
    (a, b): (Option<&KeptLayers>, Option<&KeptLayers>),
    place: &str,
) {
    if a == b {
        return;
    }
    let list = |k: Option<&KeptLayers>| k.map_or_else(Vec::new, |k| k.layers.clone());
    let (left, right) = (list(a), list(b));
    let mut said = Vec::new();
    for layer in &left {
        match right.iter().find(|r| r.name == layer.name) {
            None => said.push(format!("the stored layer {} was removed", in_words(layer))),
            Some(other) if other != layer => {
                said.push(format!("the stored layer {} differs", in_words(other)))
            }
            Some(_) => {}
        }
    }
    for layer in right.iter().filter(|r| !left.iter().any(|l| l.name == r.name)) {
        said.push(format!("the stored layer {} was added", in_words(layer)));
    }
    if said.is_empty() {
        said.push("the order of its stored layers, or the keys below them, differ".to_owned());
    }
    for message in said {
        found.add_unseen(DifferenceKind::Kept, place, message);
    }
}

/// Compares members that Ulna does not interpret. Extensions count as visible, because other
/// programs may draw them. `extras` count as invisible data.
pub(super) fn compare_other(found: &mut Comparing<'_>) {
    let [Some(a), Some(b)] = found.other else { return };
    // Indices of paired elements mean the same, even if the numbers differ.
    let a = &a.renumbered(&found.pairs.renumbering);
    let (x, y) = (found.a, found.b);
    let at = |list: &[Value], k: Option<usize>| {
        k.and_then(|k| list.get(k)).cloned().unwrap_or(Value::Null)
    };
    let mut all: Vec<(String, Value, Value)> =
        vec![("file".to_owned(), a.root.clone(), b.root.clone())];
    let mut lists = |field: fn(&Unmodeled) -> &Vec<Value>, pairs: Vec<(String, usize, usize)>| {
        let one = |(place, k, l): (String, usize, usize)| {
            (place, at(field(a), Some(k)), at(field(b), Some(l)))
        };
        all.extend(pairs.into_iter().map(one).filter(|(_, p, q)| p != q));
    };
    let nodes = found.pairs.nodes.iter().filter_map(|(p, q)| Some(((*p)?, (*q)?)));
    let nodes: Vec<_> = nodes
        .filter(|(p, q)| at(&a.nodes, Some(p.index())) != at(&b.nodes, Some(q.index())))
        .collect();
    lists(
        |u| &u.nodes,
        nodes.into_iter().map(|(p, q)| (x.path(p), p.index(), q.index())).collect(),
    );
    macro_rules! pairs {
        ($field:ident, $place:expr) => {
            lists(
                |u| &u.$field,
                found
                    .pairs
                    .$field
                    .iter()
                    .filter_map(|(p, q)| Some(((*p)?, (*q)?)))
                    .map($place)
                    .collect(),
            );
        };
    }
    pairs!(skins, |(p, q)| (super::skins::label(x, p), p.index(), q.index()));
    pairs!(scenes, |(p, q)| (format!("scene “{}”", x.scene_label(p)), p.index(), q.index()));
    pairs!(meshes, |(p, q)| (surfaces::label(x, p), p.index(), q.index()));
    pairs!(materials, |(p, q)| (super::looks::label(x, p), p.index(), q.index()));
    lists(
        |u| &u.animations,
        found
            .pairs
            .clips
            .iter()
            .filter_map(|(p, q)| Some(((*p)?, (*q)?)))
            .map(|(p, q)| (keys::label(x, p), p.index(), q.index()))
            .collect(),
    );
    let cameras = found
        .pairs
        .nodes
        .iter()
        .filter_map(|(p, q)| Some(((*p)?, x.node((*p)?).camera?, y.node((*q)?).camera?)));
    lists(
        |u| &u.cameras,
        cameras.map(|(n, p, q)| (format!("{}, camera", x.path(n)), p.index(), q.index())).collect(),
    );
    for (place, p, q) in all {
        members(found, &place, &p, &q);
    }
}

/// Compares two objects, and adds a difference for each extension, `extras` or other member that
/// differs.
fn members(found: &mut Comparing<'_>, place: &str, a: &Value, b: &Value) {
    let keys = |v: &Value| -> BTreeSet<String> {
        v.as_object().map(|o| o.keys().cloned().collect()).unwrap_or_default()
    };
    for key in keys(a).union(&keys(b)) {
        let (p, q) = (a.get(key), b.get(key));
        if p == q {
            continue;
        }
        let is_map = |v: Option<&Value>| v.is_none_or(Value::is_object);
        if matches!(key.as_str(), "extensions" | "extras") && is_map(p) && is_map(q) {
            let (null, what) = (Value::Null, if key == "extras" { "extras" } else { "extension" });
            let (p, q) = (p.unwrap_or(&null), q.unwrap_or(&null));
            for name in keys(p).union(&keys(q)) {
                let title = if key == "extras" {
                    format!("“{name}” in its {what}")
                } else {
                    format!("its {what} {name}")
                };
                say(found, place, &title, (p.get(name), q.get(name)), key == "extensions");
            }
        } else {
            say(found, place, key, (p, q), key != "extras");
        }
    }
}

fn say(
    found: &mut Comparing<'_>,
    place: &str,
    what: &str,
    (p, q): (Option<&Value>, Option<&Value>),
    seen: bool,
) {
    let message = match (p, q) {
        (p, q) if p == q => return,
        (None, _) => format!("{what} was added"),
        (_, None) => format!("{what} was removed"),
        _ => format!("{what} differs"),
    };
    let short = |v: Option<&Value>| v.map(ToString::to_string).filter(|t| t.len() <= 80);
    let made = Difference::new(DifferenceKind::Other, place, message);
    found.list.push(Difference { before: short(p), after: short(q), seen, ..made });
}
