//! Compares meshes: shapes, drawn attributes, and joint weights.

use std::collections::BTreeSet;

use glam::{Mat3, Vec3};

use super::{
    comparing::Comparing,
    finding::DifferenceKind,
    looks,
    words::{count, length},
};
use ulna_model::{
    FileContent, Mesh, MeshId, MorphTarget, NodeId, Primitive, SkinId, Topology, WeightMap,
};

pub(super) fn label(d: &FileContent, mesh: MeshId) -> String {
    d.mesh(mesh)
        .name
        .as_deref()
        .map_or_else(|| format!("mesh {}", mesh.0), |n| format!("mesh “{n}”"))
}

/// Returns the first node that uses a mesh.
fn shown_by(d: &FileContent, mesh: MeshId) -> Option<NodeId> {
    d.nodes.order().iter().copied().find(|n| d.node(*n).mesh == Some(mesh))
}

/// Compares all pairs of meshes. An unpaired mesh that a node uses is compared with that node.
pub(super) fn compare(found: &mut Comparing<'_>) {
    let (a, b) = (found.a, found.b);
    let used =
        |d: &FileContent| -> BTreeSet<MeshId> { d.nodes.values().filter_map(|n| n.mesh).collect() };
    let (left, right) = (used(a), used(b));
    for pair in found.pairs.meshes.clone() {
        match pair {
            (Some(x), Some(y)) => {
                found.renamed(label(a, x), a.mesh(x).name.as_deref(), b.mesh(y).name.as_deref());
                let skins = shown_by(a, x).and_then(|n| {
                    let other = found
                        .pairs
                        .node(n)
                        .filter(|m| b.node(*m).mesh == Some(y))
                        .or_else(|| shown_by(b, y))?;
                    Some((a.node(n).skin?, b.node(other).skin?))
                });
                between(found, (x, y), skins, &label(a, x));
            }
            (Some(x), None) if !left.contains(&x) => {
                found.add_unseen(DifferenceKind::Shape, label(a, x), "the unused mesh was removed");
            }
            (None, Some(y)) if !right.contains(&y) => {
                found.add_unseen(DifferenceKind::Shape, label(b, y), "an unused mesh was added");
            }
            _ => {}
        }
    }
}

/// Compares the meshes of two paired nodes.
pub(super) fn compare_at(found: &mut Comparing<'_>, x: NodeId, y: NodeId) {
    let (a, b) = (found.a, found.b);
    let (p, q) = (a.node(x), b.node(y));
    match (p.mesh, q.mesh) {
        (None, None) => {}
        (None, Some(m)) => {
            found.add(DifferenceKind::Tree, a.path(x), format!("it now has {}", label(b, m)))
        }
        (Some(m), None) => {
            found.add(DifferenceKind::Tree, a.path(x), format!("it no longer has {}", label(a, m)));
        }
        (Some(m), Some(n)) if found.pairs.meshes.contains(&(Some(m), Some(n))) => {}
        (Some(m), Some(n)) => {
            let before = found.list.len();
            let place = format!("{}, {}", a.path(x), label(b, n));
            between(found, (m, n), p.skin.zip(q.skin), &place);
            if found.list.len() > before {
                let (before, after) = (label(a, m), label(b, n));
                found.change(DifferenceKind::Tree, true, a.path(x), "its mesh", [before, after]);
            } else {
                found.note(
                    "other_mesh_same_content",
                    &a.path(x),
                    "it uses another mesh with the same content",
                );
            }
        }
    }
}

fn between(
    found: &mut Comparing<'_>,
    (x, y): (MeshId, MeshId),
    skins: Option<(SkinId, SkinId)>,
    place: &str,
) {
    let (left, right) = (found.a.mesh(x), found.b.mesh(y));
    // Default morph weights are compared per node. `kept` compares the stored layers.
    let Mesh { name: _, primitives, default_weights: _, target_names, kept_weight_layers: _ } =
        left;
    if target_names != &right.target_names {
        found.add_unseen(DifferenceKind::Name, place, "names of its morph targets differ");
    }
    if primitives.len() != right.primitives.len() {
        let values = [primitives.len().to_string(), right.primitives.len().to_string()];
        found.change(DifferenceKind::Shape, true, place, "the number of its primitives", values);
        return;
    }
    let node = shown_by(found.a, x);
    for (k, (p, q)) in primitives.iter().zip(&right.primitives).enumerate() {
        let place = if primitives.len() == 1 {
            place.to_owned()
        } else {
            format!("{place}, primitive {k}")
        };
        primitive(found, p, q, (node, skins), &place);
    }
}

/// Returns an approximate matrix from mesh units to scene meters: of the node, or for a skinned
/// mesh of the first vertex's strongest joint.
fn frame(found: &Comparing<'_>, node: Option<NodeId>, p: &Primitive) -> Mat3 {
    let Some(node) = node else { return Mat3::IDENTITY };
    let joint = found.a.node(node).skin.and_then(|s| {
        let skin = found.a.skin(s);
        let map = p.weights.as_deref().filter(|m| m.vertex_count() > 0)?;
        let slot = usize::from(map.vertex(0).max_by(|l, r| l.1.total_cmp(&r.1))?.0);
        Some(found.worlds[0][skin.joints.get(slot)?.index()] * *skin.inverse_bind.get(slot)?)
    });
    Mat3::from_mat4(joint.unwrap_or(found.worlds[0][node.index()]))
}

/// Returns the number of points that differ, and their largest distance in the scene.
fn off(a: &[Vec3], b: &[Vec3], frame: Mat3) -> (usize, f32) {
    let apart = a.iter().zip(b).filter(|(p, q)| p != q);
    apart.fold((0, 0.0), |(n, most), (p, q)| (n + 1, most.max((frame * (*q - *p)).length())))
}

fn primitive(
    found: &mut Comparing<'_>,
    p: &Primitive,
    q: &Primitive,
    (node, skins): (Option<NodeId>, Option<(SkinId, SkinId)>),
    place: &str,
) {
    // Exhaustive pattern: a new member does not compile until it is compared here.
    let Primitive {
        topology,
        positions,
        normals,
        tangents,
        uv0,
        uv1,
        colors,
        indices,
        material: _,
        variants: _,
        targets,
        weights: map,
    } = p;
    if positions.len() != q.positions.len() {
        let values = [positions.len().to_string(), q.positions.len().to_string()];
        found.change(DifferenceKind::Shape, true, place, "the number of its vertices", values);
    } else {
        let frame = frame(found, node, p);
        let (many, most) = off(positions, &q.positions, frame);
        if many > 0 {
            let vertices = count(many, "vertex");
            found.add(
                DifferenceKind::Shape,
                place,
                format!("{vertices} moved by up to {}", length(most)),
            );
        }
        morph_targets(found, targets, &q.targets, frame, place);
        if let Some(what) = weights(map.as_deref(), q.weights.as_deref(), &slots(found, skins)) {
            match what {
                WeightsDiffer::Differ(what) => found.add(DifferenceKind::Weights, place, what),
                WeightsDiffer::Form(what) => found.note("weights_stored_otherwise", place, &what),
            }
        }
    }
    if topology != &q.topology {
        let word = |t: Topology| match t {
            Topology::Points => "points",
            Topology::Lines => "lines",
            Topology::Triangles => "triangles",
        };
        let values = [word(*topology).to_owned(), word(q.topology).to_owned()];
        found.change(DifferenceKind::Shape, true, place, "its primitive mode", values);
    }
    if indices != &q.indices {
        let message = match (indices.len(), q.indices.len()) {
            (n, m) if n == m => {
                "its vertices are connected differently, or in another order".to_owned()
            }
            (n, m) => format!("{m} indices instead of {n}"),
        };
        found.add(DifferenceKind::Shape, place, message);
    }
    let mut attribute = |what: &str, same: bool, (n, m): (usize, usize)| {
        let message = match (same, n, m) {
            (true, ..) => return,
            (_, 0, _) => format!("it now has {what}"),
            (_, _, 0) => format!("its {what} were removed"),
            _ => format!("its {what} differ"),
        };
        found.add(DifferenceKind::Looks, place, message);
    };
    attribute("normals", normals == &q.normals, (normals.len(), q.normals.len()));
    attribute("tangents", tangents == &q.tangents, (tangents.len(), q.tangents.len()));
    attribute("texture coordinates", uv0 == &q.uv0, (uv0.len(), q.uv0.len()));
    attribute("second texture coordinates", uv1 == &q.uv1, (uv1.len(), q.uv1.len()));
    attribute("vertex colors", colors == &q.colors, (colors.len(), q.colors.len()));
    looks::compare_used(found, p, q, place);
}

fn morph_targets(
    found: &mut Comparing<'_>,
    a: &[MorphTarget],
    b: &[MorphTarget],
    frame: Mat3,
    place: &str,
) {
    if a.len() != b.len() {
        let values = [a.len().to_string(), b.len().to_string()];
        found.change(DifferenceKind::Shape, true, place, "the number of its morph targets", values);
        return;
    }
    for (k, (p, q)) in a.iter().zip(b).enumerate() {
        let MorphTarget { positions, normals } = p;
        // An empty list of offsets means that the morph target moves nothing.
        let whole = |list: &[Vec3], n: usize| {
            if list.is_empty() { vec![Vec3::ZERO; n] } else { list.to_vec() }
        };
        let n = positions.len().max(q.positions.len());
        let (many, most) = off(&whole(positions, n), &whole(&q.positions, n), frame);
        if many > 0 {
            let vertices = count(many, "vertex");
            let message = format!("morph target {k}: {vertices} moved by up to {}", length(most));
            found.add(DifferenceKind::Shape, place, message);
        }
        let n = normals.len().max(q.normals.len());
        if off(&whole(normals, n), &whole(&q.normals, n), Mat3::IDENTITY).0 > 0 {
            found.add(DifferenceKind::Looks, place, format!("normals of morph target {k} differ"));
        }
    }
}

/// Kind of the difference between two weight maps.
pub(super) enum WeightsDiffer {
    /// The weights differ, as the text describes.
    Differ(String),
    /// The weights are equal, but stored differently, as the text describes.
    Form(String),
}

/// Index in the second skin of each joint of the first skin. `None` if all indices are equal.
type SlotMap = Option<Vec<Option<u16>>>;

fn slots(found: &Comparing<'_>, skins: Option<(SkinId, SkinId)>) -> SlotMap {
    let (x, y) = skins?;
    let theirs = &found.b.skin(y).joints;
    let slot = |n: &NodeId| {
        let other = found.pairs.node(*n)?;
        theirs.iter().position(|j| *j == other).and_then(|k| u16::try_from(k).ok())
    };
    let map: Vec<Option<u16>> = found.a.skin(x).joints.iter().map(slot).collect();
    let alike = map.iter().enumerate().all(|(k, to)| to.is_some_and(|t| usize::from(t) == k));
    (!alike).then_some(map)
}

/// Compares two weight maps by vertex and joint, whatever the order of slots. `None` if they are
/// equal.
pub(super) fn weights(
    a: Option<&WeightMap>,
    b: Option<&WeightMap>,
    slots: &SlotMap,
) -> Option<WeightsDiffer> {
    let differ = |what: String| Some(WeightsDiffer::Differ(what));
    let (a, b) = match (a, b) {
        (None, None) => return None,
        (Some(_), None) => return differ("its weights were removed".into()),
        (None, Some(_)) => return differ("it now has weights".into()),
        (Some(a), Some(b)) => (a, b),
    };
    // `not_numbers` is ignored: NaN weights are read as 0.
    let WeightMap { sets, joints, weights, encoding, not_numbers: _ } = a;
    let form = || {
        let (before, after) = (encoding.label(), b.encoding.label());
        (*encoding != b.encoding).then(|| {
            WeightsDiffer::Form(format!("weights are stored as {after} instead of {before}"))
        })
    };
    if a.vertex_count() != b.vertex_count() {
        return differ(format!(
            "weights of {} vertices instead of {}",
            b.vertex_count(),
            a.vertex_count()
        ));
    }
    if slots.is_none() && *sets == b.sets && *joints == b.joints && *weights == b.weights {
        return form();
    }
    let (mut many, mut most) = (0usize, 0.0f32);
    for v in 0..a.vertex_count() {
        // Each weight is keyed by its joint's index in the second skin. A joint without a
        // counterpart is keyed by its own index and a mark.
        let mut shares: Vec<((bool, u16), f32, f32)> = Vec::new();
        let mut add = |key: (bool, u16), weight: f32, second: bool| {
            let at = shares.iter().position(|(k, ..)| *k == key).unwrap_or_else(|| {
                shares.push((key, 0.0, 0.0));
                shares.len() - 1
            });
            if second { shares[at].2 += weight } else { shares[at].1 += weight }
        };
        for (joint, weight) in a.vertex(v).filter(|(_, w)| *w != 0.0) {
            let key = match slots {
                None => (true, joint),
                Some(map) => map
                    .get(usize::from(joint))
                    .copied()
                    .flatten()
                    .map_or((false, joint), |to| (true, to)),
            };
            add(key, weight, false);
        }
        b.vertex(v)
            .filter(|(_, w)| *w != 0.0)
            .for_each(|(joint, weight)| add((true, joint), weight, true));
        let gap = shares.iter().map(|(_, x, y)| (x - y).abs()).fold(0.0, f32::max);
        many += usize::from(gap > 0.0);
        most = most.max(gap);
    }
    match many {
        0 => form(),
        _ => differ(format!(
            "weights of {} differ, by up to {}",
            count(many, "vertex"),
            super::words::six(most)
        )),
    }
}

/// Compares the stored weight layers, which are invisible.
pub(super) fn kept(found: &mut Comparing<'_>) {
    for (x, y) in found.pairs.meshes.clone() {
        let (Some(x), Some(y)) = (x, y) else { continue };
        let (p, q) = (&found.a.mesh(x).kept_weight_layers, &found.b.mesh(y).kept_weight_layers);
        let message = match (p, q) {
            (a, b) if a == b => continue,
            (None, Some(k)) => format!("{} stored with it", are(k.layers.len())),
            (Some(_), None) => "its stored weight layers were removed".to_owned(),
            _ => "its stored weight layers differ".to_owned(),
        };
        found.add_unseen(DifferenceKind::Kept, label(found.a, x), message);
    }
}

fn are(n: usize) -> String {
    if n == 1 { "1 weight layer is".to_owned() } else { format!("{n} weight layers are") }
}
