//! Proof of a save: the written bytes are read again, and must equal the intended document bit
//! for bit.

use std::collections::BTreeSet;

use super::{
    finding::{Difference, DifferenceKind},
    surfaces::{WeightsDiffer, weights},
    words::{Between, between},
};
use ulna_model::{
    Clip, ClipId, FileContent, Mesh, Node, NodeId, Primitive, Property, Shared, Track, WeightMap,
};

/// Returns the first difference between the intended document and the written bytes, read again.
/// `None` if the save is correct. Everything that saving stores is compared: the tree, local
/// transforms bit by bit, tracks, weights, shapes and materials. `opened` is the document as it was
/// read from the source.
///
/// The division of a local transform into `L` and `Ul` may differ. Clips without keys are not
/// written.
pub fn first_lost(
    opened: &FileContent,
    meant: &FileContent,
    got: &FileContent,
) -> Option<Difference> {
    let lost = |kind, place: String, message: &str| Some(Difference::new(kind, place, message));
    if meant.nodes.len() != got.nodes.len() {
        return lost(DifferenceKind::Tree, "nodes".into(), "nodes are missing");
    }
    for id in meant.node_ids() {
        let (m, g) = (meant.node(id), got.node(id));
        if m.local() != g.local() {
            let what = match between(&m.local(), &g.local(), glam::Mat3::IDENTITY) {
                Between::Differs(what) | Between::Form(what) => what,
                Between::Same => "its transform differs".to_owned(),
            };
            return lost(DifferenceKind::Pose, meant.path(id), &what);
        }
        if !same_node(m, g) || meant.children(id) != got.children(id) {
            return lost(
                DifferenceKind::Tree,
                meant.path(id),
                "its name, its parent, or what is attached to it",
            );
        }
    }
    if meant.scenes != got.scenes || meant.scene != got.scene {
        return lost(DifferenceKind::Tree, "scenes".into(), "they differ");
    }
    if meant.skins != got.skins {
        return lost(DifferenceKind::Bind, "skins".into(), "joints or bind matrices differ");
    }
    if meant.meshes.len() != got.meshes.len() {
        return lost(DifferenceKind::Shape, "meshes".into(), "meshes are missing");
    }
    for ((id, m), (_, g)) in meant.meshes.iter().zip(got.meshes.iter()) {
        if let Some((kind, message)) = mesh_lost(m, g) {
            return lost(kind, format!("meshes/{}", id.0), &message);
        }
    }
    if meant.materials != got.materials
        || meant.images != got.images
        || meant.variants != got.variants
    {
        return lost(
            DifferenceKind::Looks,
            "materials".into(),
            "materials, images or variants differ",
        );
    }
    if meant.cameras != got.cameras || meant.lights != got.lights || meant.vrm != got.vrm {
        return lost(
            DifferenceKind::Looks,
            "cameras".into(),
            "cameras, lights or the avatar differ",
        );
    }
    if meant.node_space != got.node_space {
        return lost(
            DifferenceKind::Other,
            "extensions".into(),
            "vectors in the space of nodes, or constraints, differ",
        );
    }
    clips_lost(opened, meant, got)
}

/// Whether all stored members of two nodes are equal, except the transform.
fn same_node(m: &Node, g: &Node) -> bool {
    // Exhaustive pattern: a new member does not compile until it is compared here.
    let Node {
        name,
        parent,
        rank: _,
        rest: _,
        rest_source: _,
        pose: _,
        mesh,
        skin,
        instances,
        hidden,
        camera,
        light,
        morph_weights,
        locks,
    } = m;
    name == &g.name
        && parent == &g.parent
        && (mesh, skin, camera, light) == (&g.mesh, &g.skin, &g.camera, &g.light)
        && instances == &g.instances
        && hidden == &g.hidden
        && morph_weights == &g.morph_weights
        && locks == &g.locks
}

fn weights_lost(m: &WeightMap, g: &WeightMap) -> Option<String> {
    match weights(Some(m), Some(g), &None) {
        Some(WeightsDiffer::Differ(what) | WeightsDiffer::Form(what)) => Some(what),
        None => None,
    }
}

fn mesh_lost(m: &Mesh, g: &Mesh) -> Option<(DifferenceKind, String)> {
    let Mesh { name, primitives, default_weights, target_names, kept_weight_layers } = m;
    if name != &g.name
        || primitives.len() != g.primitives.len()
        || default_weights != &g.default_weights
    {
        return Some((
            DifferenceKind::Shape,
            "its name, its primitives or its morph weights".into(),
        ));
    }
    if target_names != &g.target_names {
        return Some((DifferenceKind::Name, "the names of its morph targets".into()));
    }
    for (k, (p, q)) in primitives.iter().zip(&g.primitives).enumerate() {
        if p.weights.is_some() != q.weights.is_some() {
            return Some((
                DifferenceKind::Weights,
                format!("primitive {k}: only one of the files has weights"),
            ));
        }
        if let Some(what) =
            p.weights.as_deref().zip(q.weights.as_deref()).and_then(|(p, q)| weights_lost(p, q))
        {
            return Some((DifferenceKind::Weights, format!("primitive {k}: {what}")));
        }
        let bare = |p: &Primitive| Primitive { weights: None, ..p.clone() };
        if bare(p) != bare(q) {
            return Some((DifferenceKind::Shape, format!("the shape of primitive {k} differs")));
        }
    }
    (kept_weight_layers != &g.kept_weight_layers)
        .then(|| (DifferenceKind::Weights, "its stored weight layers differ".into()))
}

/// Returns the clips of `meant` that a save writes, in the written order.
fn stored_clips<'a>(opened: &FileContent, meant: &'a FileContent) -> Vec<&'a Clip> {
    let stored = |id: ClipId, clip: &Clip| match opened.clips.get(id) {
        // A clip of the opened file is removed if it lost its last channel. A clip that never had a
        // channel is kept.
        Some(before) => {
            let all = before.tracks.len() == before.channels_in_file as usize;
            !(clip.tracks.is_empty() && !before.tracks.is_empty() && all)
        }
        None => !clip.tracks.is_empty(),
    };
    meant.clips.iter().filter(|(id, clip)| stored(*id, clip)).map(|(_, clip)| &**clip).collect()
}

fn clips_lost(opened: &FileContent, meant: &FileContent, got: &FileContent) -> Option<Difference> {
    let wanted = stored_clips(opened, meant);
    let lost = |place: String, message: String| {
        Some(Difference::new(DifferenceKind::Keys, place, message))
    };
    if wanted.len() != got.clips.count() {
        return lost("clips".into(), format!("{} instead of {}", got.clips.count(), wanted.len()));
    }
    for (m, g) in wanted.into_iter().zip(got.clips.values()) {
        // Exhaustive pattern: a new member does not compile until it is compared here. The number
        // of channels and the list of repaired values are ignored, because they describe the opened
        // file.
        let Clip {
            name,
            tracks: _,
            channels_in_file: _,
            markers,
            contacts,
            repeat,
            ticks,
            rate,
            kept_layers,
            pointers,
            kept,
            mended: _,
        } = m;
        let place = format!("clip “{}”", name.as_deref().unwrap_or_default());
        if name != &g.name {
            return lost(place, "its name differs".into());
        }
        let of = |c: &Clip| -> Vec<((NodeId, Property), Shared<Track>)> {
            let mut list: Vec<_> =
                c.tracks.values().map(|t| ((t.target, t.property), t.clone())).collect();
            // Channels of the same property keep their order. Different properties may change their
            // order.
            list.sort_by_key(|(key, _)| *key);
            list
        };
        let (left, right) = (of(m), of(g));
        if left.len() != right.len() {
            return lost(place, format!("{} channels instead of {}", right.len(), left.len()));
        }
        for ((key, x), (other, y)) in left.into_iter().zip(right) {
            let name = format!("{} {}", meant.node(key.0).label(key.0), key.1.path());
            if key != other {
                return lost(place, format!("{name}: its keys are missing"));
            }
            if let Some(what) = track_lost(&x, &y) {
                return lost(place, format!("{name}: {what}"));
            }
        }
        if (markers, repeat, ticks, rate) != (&g.markers, &g.repeat, &g.ticks, &g.rate) {
            return lost(place, "its markers, loop mode, tick rate or frame rate differ".into());
        }
        if contacts != &g.contacts {
            return lost(place, "its contacts differ".into());
        }
        if kept_layers != &g.kept_layers {
            return lost(place, "its stored layers differ".into());
        }
        if pointers != &g.pointers {
            return lost(place, "keys of animation pointers differ".into());
        }
        let held = |list: &[(NodeId, Property)]| -> BTreeSet<(NodeId, Property)> {
            list.iter().copied().collect()
        };
        if held(kept) != held(&g.kept) {
            return lost(place, "channels with unreadable keys differ".into());
        }
    }
    None
}

/// Describes the first difference between the keys of two tracks. `None` if they are equal.
fn track_lost(m: &Track, g: &Track) -> Option<String> {
    if !m.same_keys(g) {
        let (meant, there) = (m.times.len(), g.times.len());
        let (shape, other) = (m.interpolation.label(), g.interpolation.label());
        return Some(format!(
            "{there} keys ({other}) instead of {meant} ({shape}), or their values differ"
        ));
    }
    if m.kinds_there() != g.kinds_there() {
        return Some("the kinds of its keys (extreme, breakdown, in-between) differ".to_owned());
    }
    (m.modes_there() != g.modes_there()).then(|| "the tangent modes of its keys differ".to_owned())
}
