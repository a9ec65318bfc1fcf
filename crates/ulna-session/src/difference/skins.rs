//! Compares skins: their joints, and the effect of their inverse bind matrices on the surface.

use std::collections::{BTreeMap, BTreeSet};

use glam::{Mat4, Vec3};

use super::{
    comparing::Comparing,
    finding::DifferenceKind,
    words::{count, length},
};
use ulna_model::{FileContent, NodeId, SkinId};

pub(super) fn label(d: &FileContent, skin: SkinId) -> String {
    d.skin(skin)
        .name
        .as_deref()
        .map_or_else(|| format!("skin {}", skin.0), |n| format!("skin “{n}”"))
}

/// Compares all pairs of skins. An unpaired skin that a node uses is compared with that node.
pub(super) fn compare(found: &mut Comparing<'_>) {
    let (a, b) = (found.a, found.b);
    let used =
        |d: &FileContent| -> BTreeSet<SkinId> { d.nodes.values().filter_map(|n| n.skin).collect() };
    let (left, right) = (used(a), used(b));
    for pair in found.pairs.skins.clone() {
        match pair {
            (Some(x), Some(y)) => {
                found.renamed(label(a, x), a.skin(x).name.as_deref(), b.skin(y).name.as_deref());
                between(found, x, y, &label(a, x));
            }
            (Some(x), None) if !left.contains(&x) => {
                found.add_unseen(DifferenceKind::Bind, label(a, x), "the unused skin was removed");
            }
            (None, Some(y)) if !right.contains(&y) => {
                found.add_unseen(DifferenceKind::Bind, label(b, y), "an unused skin was added");
            }
            _ => {}
        }
    }
}

/// Compares the skins of two paired nodes.
pub(super) fn compare_at(found: &mut Comparing<'_>, x: NodeId, y: NodeId) {
    let (a, b) = (found.a, found.b);
    match (a.node(x).skin, b.node(y).skin) {
        (None, None) => {}
        (None, Some(k)) => {
            found.add(
                DifferenceKind::Bind,
                a.path(x),
                format!("it is now bound to {}", label(b, k)),
            );
        }
        (Some(k), None) => {
            found.add(
                DifferenceKind::Bind,
                a.path(x),
                format!("it is no longer bound to {}", label(a, k)),
            );
        }
        (Some(k), Some(l)) if found.pairs.skins.contains(&(Some(k), Some(l))) => {}
        (Some(k), Some(l)) => {
            let before = found.list.len();
            between(found, k, l, &format!("{}, {}", a.path(x), label(b, l)));
            if found.list.len() == before {
                found.note(
                    "other_skin_same_joints",
                    &a.path(x),
                    "it uses another skin with the same joints and inverse bind matrices",
                );
            }
        }
    }
}

/// Returns the inverse bind matrix of each joint of a skin. If a joint is listed twice, the first
/// matrix counts.
fn binds(d: &FileContent, skin: SkinId) -> BTreeMap<NodeId, Mat4> {
    let skin = d.skin(skin);
    let mut all = BTreeMap::new();
    for (joint, bind) in skin.joints.iter().zip(skin.inverse_bind.iter()) {
        all.entry(*joint).or_insert(*bind);
    }
    all
}

fn between(found: &mut Comparing<'_>, x: SkinId, y: SkinId, place: &str) {
    let (a, b) = (found.a, found.b);
    // `has_inverse_bind` is ignored, because missing matrices are identities.
    let ulna_model::Skin { name: _, joints: _, inverse_bind: _, has_inverse_bind: _ } = a.skin(x);
    let (left, right) = (binds(a, x), binds(b, y));
    let mapped: BTreeMap<NodeId, NodeId> =
        left.keys().filter_map(|n| Some((found.pairs.node(*n)?, *n))).collect();
    let names = |d: &FileContent, list: &[NodeId]| {
        let few: Vec<String> = list.iter().take(4).map(|n| d.node(*n).label(*n)).collect();
        let more =
            if list.len() > 4 { format!(" and {} more", list.len() - 4) } else { String::new() };
        format!("{}{more}", few.join(", "))
    };
    let gone: Vec<NodeId> = left
        .keys()
        .copied()
        .filter(|n| !found.pairs.node(*n).is_some_and(|m| right.contains_key(&m)))
        .collect();
    let new: Vec<NodeId> = right.keys().copied().filter(|n| !mapped.contains_key(n)).collect();
    if !gone.is_empty() {
        let message =
            format!("{} removed from the skin: {}", count(gone.len(), "joint"), names(a, &gone));
        found.add(DifferenceKind::Bind, place, message);
    }
    if !new.is_empty() {
        let message =
            format!("{} added to the skin: {}", count(new.len(), "joint"), names(b, &new));
        found.add(DifferenceKind::Bind, place, message);
    }
    let order = |list: &[NodeId]| -> Vec<NodeId> { list.to_vec() };
    let (mine, theirs) = (order(&a.skin(x).joints), order(&b.skin(y).joints));
    let ordered: Vec<Option<NodeId>> = mine.iter().map(|n| found.pairs.node(*n)).collect();
    if gone.is_empty()
        && new.is_empty()
        && ordered != theirs.iter().copied().map(Some).collect::<Vec<_>>()
    {
        found.note("joints_in_other_order", place, "its joints are listed in another order");
    }
    let moved: BTreeMap<NodeId, Mat4> = left
        .iter()
        .filter_map(|(n, bind)| Some((*n, *right.get(&found.pairs.node(*n)?)? - *bind)))
        .filter(|(_, change)| *change != Mat4::ZERO)
        .collect();
    if moved.is_empty() {
        return;
    }
    let list: Vec<NodeId> = moved.keys().copied().collect();
    let matrices = if moved.len() == 1 {
        "inverse bind matrix differs"
    } else {
        "inverse bind matrices differ"
    };
    let off = match surface_moved(found, x, &moved) {
        Some(off) => format!(", which moves vertices by up to {}", length(off)),
        None => String::new(),
    };
    found.add(
        DifferenceKind::Bind,
        place,
        format!("{} {matrices} ({}){off}", moved.len(), names(a, &list)),
    );
}

/// Returns the largest distance by which the other inverse bind matrices move the surface of the
/// first document in its pose, in scene meters. `None` if no vertex follows these joints.
fn surface_moved(
    found: &Comparing<'_>,
    skin: SkinId,
    moved: &BTreeMap<NodeId, Mat4>,
) -> Option<f32> {
    let a = found.a;
    let joints = &a.skin(skin).joints;
    let change: Vec<Option<Mat4>> =
        joints.iter().map(|j| moved.get(j).map(|c| found.worlds[0][j.index()] * *c)).collect();
    let mut most: Option<f32> = None;
    for mesh in a.nodes.values().filter(|n| n.skin == Some(skin)).filter_map(|n| n.mesh) {
        for primitive in &a.mesh(mesh).primitives {
            let Some(map) = &primitive.weights else { continue };
            for (v, point) in primitive.positions.iter().enumerate().take(map.vertex_count()) {
                let mut off = Vec3::ZERO;
                let mut any = false;
                for (joint, weight) in map.vertex(v).filter(|(_, w)| *w != 0.0) {
                    if let Some(Some(change)) = change.get(usize::from(joint)) {
                        off += weight * change.transform_point3(*point);
                        any = true;
                    }
                }
                if any {
                    most = Some(most.unwrap_or(0.0).max(off.length()));
                }
            }
        }
    }
    most
}
