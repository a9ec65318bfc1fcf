//! Compares nodes and scenes.

use std::collections::BTreeSet;

use super::{
    comparing::Comparing,
    finding::{Difference, DifferenceKind},
    looks, skins, surfaces,
    words::{Between, between, length, sixes},
};
use ulna_model::{FileContent, Local, Node, NodeId, transform::angle_between};

/// Whether two rest poses are equal within rounding. The tolerance is needed because a rest can be
/// computed from bind matrices or from a pose.
fn near(a: &Local, b: &Local) -> bool {
    let (x, y) = (a.transform(), b.transform());
    let room = 1e-6 * (1.0 + x.translation.abs().max_element());
    x.translation.abs_diff_eq(y.translation, room)
        && angle_between(x.rotation, y.rotation) < 1e-5
        && x.scale.abs_diff_eq(y.scale, 1e-5 * (1.0 + x.scale.abs().max_element()))
}

/// Compares all pairs of nodes.
pub(super) fn compare(found: &mut Comparing<'_>) {
    for (x, y) in found.pairs.nodes.clone() {
        match (x, y) {
            (Some(x), Some(y)) => one(found, x, y),
            (Some(x), None) => {
                found.add(DifferenceKind::Tree, found.a.path(x), "the node was removed")
            }
            (None, Some(y)) => {
                found.add(DifferenceKind::Tree, found.b.path(y), "the node was added")
            }
            (None, None) => {}
        }
    }
}

fn one(found: &mut Comparing<'_>, x: NodeId, y: NodeId) {
    let (a, b) = (found.a, found.b);
    // Exhaustive pattern: a new member does not compile until it is compared here.
    let Node {
        name,
        parent,
        rank: _,
        rest,
        rest_source: _,
        pose,
        mesh: _,
        skin: _,
        instances,
        camera,
        light,
        morph_weights: _,
        hidden,
        locks,
    } = a.node(x);
    let q = b.node(y);
    let path = || a.path(x);
    if name != &q.name {
        found.renamed(path(), name.as_deref(), q.name.as_deref());
    }
    if *hidden != q.hidden {
        let what = if q.hidden { "it is now hidden" } else { "it is now visible" };
        found.add(DifferenceKind::Looks, path(), what);
    }
    if *locks != q.locks {
        found.add_unseen(DifferenceKind::Kept, path(), "its locked channels differ");
    }
    let moved = parent.map(|p| found.pairs.node(p)) != q.parent.map(Some);
    if moved {
        let under = |d: &FileContent, n: Option<NodeId>| {
            n.map_or_else(|| "no node".to_owned(), |n| format!("“{}”", d.path(n)))
        };
        let (before, after) = (under(a, *parent), under(b, q.parent));
        let message = format!("its parent is {after} instead of {before}");
        let made = Difference::new(DifferenceKind::Tree, path(), message);
        found.list.push(Difference { before: Some(before), after: Some(after), ..made });
        let (m, n) = (found.worlds[0][x.index()], found.worlds[1][y.index()]);
        let off = m.w_axis.distance(n.w_axis);
        if off > 1e-5 * (1.0 + m.w_axis.abs().max_element()) {
            found.add(
                DifferenceKind::Pose,
                path(),
                format!("moved by {} in world space", length(off)),
            );
        }
    }
    let frame = if moved { found.scale_above_in_b(y) } else { found.scale_above(x) };
    match between(&a.node(x).local(), &q.local(), frame) {
        Between::Same => {}
        Between::Form(what) => found.note("transform_stored_otherwise", &path(), &what),
        Between::Differs(what) if moved => {
            found.add(
                DifferenceKind::Pose,
                path(),
                format!("relative to its parent, it is {what}"),
            );
        }
        Between::Differs(what) => found.add(DifferenceKind::Pose, path(), what),
    }
    // If a node is in its rest pose, comparing the poses already covers the rest.
    if !near(rest, &q.rest)
        && (pose.is_some() || q.pose.is_some())
        && let Between::Differs(what) = between(rest, &q.rest, frame)
    {
        found.add_unseen(DifferenceKind::Rest, path(), format!("the rest pose is {what}"));
    }
    surfaces::compare_at(found, x, y);
    skins::compare_at(found, x, y);
    if instances != &q.instances {
        let count = |n: &Node| {
            n.instances.as_ref().map_or_else(|| "none".to_owned(), |i| i.len().to_string())
        };
        let (before, after) = (count(a.node(x)), count(q));
        match before == after {
            true => {
                found.add(DifferenceKind::Tree, path(), "the transforms of its instances differ")
            }
            false => {
                found.change(
                    DifferenceKind::Tree,
                    true,
                    path(),
                    "the number of its instances",
                    [before, after],
                );
            }
        }
    }
    looks::compare_cameras(found, (x, *camera), q.camera);
    looks::compare_lights(found, (x, *light), q.light);
    morphs(found, x, y);
}

fn morphs(found: &mut Comparing<'_>, x: NodeId, y: NodeId) {
    let (a, b) = (found.a, found.b);
    let (left, right) = (a.morph_weights(x), b.morph_weights(y));
    if left == right || a.node(x).mesh.is_none() || b.node(y).mesh.is_none() {
        return;
    }
    if left.len() != right.len() {
        // The comparison of meshes reports a different mesh.
        return;
    }
    let names = a.node(x).mesh.map(|m| &a.mesh(m).target_names);
    for (k, (before, after)) in left.iter().zip(&right).enumerate().filter(|(_, (p, q))| p != q) {
        let name = names
            .and_then(|n| n.get(k))
            .map_or_else(|| format!("morph target {k}"), |n| format!("morph “{n}”"));
        let values = [sixes(&[*before]), sixes(&[*after])];
        found.change(
            DifferenceKind::Pose,
            true,
            a.path(x),
            &format!("the weight of {name}"),
            values,
        );
    }
}

/// Compares the shown scene, and the contents of all scenes.
pub(super) fn compare_scenes(found: &mut Comparing<'_>) {
    let (a, b) = (found.a, found.b);
    for (x, y) in found.pairs.scenes.clone() {
        match (x, y) {
            (Some(x), Some(y)) => {
                let place = format!("scene “{}”", a.scene_label(x));
                found.renamed(&place, a.scenes[x].name.as_deref(), b.scenes[y].name.as_deref());
                let set = |d: &FileContent, scene| -> BTreeSet<NodeId> {
                    d.nodes_of(Some(scene)).into_iter().collect()
                };
                in_scene(found, &place, set(a, x), &set(b, y));
            }
            (Some(x), None) => {
                found.add_unseen(
                    DifferenceKind::Tree,
                    format!("scene “{}”", a.scene_label(x)),
                    "the scene was removed",
                );
            }
            (None, Some(y)) => {
                found.add_unseen(
                    DifferenceKind::Tree,
                    format!("scene “{}”", b.scene_label(y)),
                    "the scene was added",
                );
            }
            (None, None) => {}
        }
    }
    let label = |d: &FileContent| {
        d.scene.map_or_else(|| "none".to_owned(), |s| format!("“{}”", d.scene_label(s)))
    };
    let paired = found.pairs.scenes.contains(&(a.scene, b.scene));
    if !paired && a.scene != b.scene {
        let shown =
            |d: &FileContent| -> BTreeSet<NodeId> { d.nodes_of(d.scene).into_iter().collect() };
        let left: BTreeSet<Option<NodeId>> =
            shown(a).iter().map(|n| found.pairs.node(*n)).collect();
        let right: BTreeSet<Option<NodeId>> = shown(b).into_iter().map(Some).collect();
        let (before, after) = (label(a), label(b));
        if left == right {
            found.note(
                "other_scene_same_nodes",
                "scene",
                &format!(
                    "the default scene is {after} instead of {before}, which has the same nodes"
                ),
            );
        } else {
            found.change(DifferenceKind::Tree, true, "scene", "the default scene", [before, after]);
        }
    }
}

fn in_scene(
    found: &mut Comparing<'_>,
    place: &str,
    left: BTreeSet<NodeId>,
    right: &BTreeSet<NodeId>,
) {
    let (a, b) = (found.a, found.b);
    let mut taken = BTreeSet::new();
    for x in left {
        if let Some(y) = found.pairs.node(x) {
            taken.insert(y);
            if !right.contains(&y) && parent_stays(found, x, y, right) {
                found.add(
                    DifferenceKind::Tree,
                    place,
                    format!("“{}” is no longer in the scene", a.path(x)),
                );
            }
        }
    }
    let known: BTreeSet<NodeId> = found.pairs.nodes.iter().filter_map(|(x, y)| x.and(*y)).collect();
    for y in right.difference(&taken).filter(|y| known.contains(y)) {
        let above = b.node(*y).parent;
        if above.is_none_or(|p| !right.contains(&p)) {
            found.add(DifferenceKind::Tree, place, format!("“{}” is now in the scene", b.path(*y)));
        }
    }
}

/// Whether a node that left a scene has no parent, or a parent that is still in the scene. Only
/// such a node is reported.
fn parent_stays(found: &Comparing<'_>, x: NodeId, y: NodeId, right: &BTreeSet<NodeId>) -> bool {
    let above = found.b.node(y).parent;
    above.is_none_or(|p| right.contains(&p)) || found.a.node(x).parent.is_none()
}
