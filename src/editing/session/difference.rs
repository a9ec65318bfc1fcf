//! What differs in meaning between two documents: for `ulna diff`, for *What will change*, and as the proof of a save.

use std::collections::BTreeMap;

use glam::Quat;
use serde::Serialize;

use crate::model::{
    Asset, Clip, ClipId, Interpolation, Local, MeshId, NodeId, Property, Shared, SkinId, Track, Transform, WeightMap,
    transform::angle_between,
};

/// What kind of thing differs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum DifferenceKind {
    /// A node is there or not, or hangs elsewhere.
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
}

impl std::fmt::Display for Difference {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: {}", self.place, self.message)
    }
}

/// Collects them.
struct Found(Vec<Difference>);

impl Found {
    fn add(&mut self, kind: DifferenceKind, place: impl Into<String>, message: impl Into<String>) {
        self.0.push(Difference { kind, place: place.into(), message: message.into() });
    }
}

/// Things of one side beside those of the other that go by the same name; of several, the first by the first.
fn pairs<T: Copy>(a: &[(String, T)], b: &[(String, T)]) -> Vec<(String, Option<T>, Option<T>)> {
    let mut of_b: BTreeMap<&str, Vec<T>> = BTreeMap::new();
    b.iter().rev().for_each(|(name, t)| of_b.entry(name).or_default().push(*t));
    let mut list: Vec<(String, Option<T>, Option<T>)> =
        a.iter().map(|(name, t)| (name.clone(), Some(*t), of_b.get_mut(name.as_str()).and_then(Vec::pop))).collect();
    let left =
        b.iter().filter_map(|(name, _)| of_b.get_mut(name.as_str()).and_then(Vec::pop).map(|t| (name.clone(), t)));
    list.extend(left.map(|(name, t)| (name, None, Some(t))));
    list
}

/// What differs from `a` to `b`, which may be any two files: nodes are known by their paths, clips, skins, meshes and
/// materials by their names. In the order of the tree, then skins, meshes, clips, looks.
pub fn differences(a: &Asset, b: &Asset) -> Vec<Difference> {
    let mut found = Found(Vec::new());
    let named = |d: &Asset| -> Vec<(String, NodeId)> { d.nodes.order().iter().map(|n| (d.path(*n), *n)).collect() };
    let nodes = pairs(&named(a), &named(b));
    for (path, x, y) in &nodes {
        match (x, y) {
            (Some(x), Some(y)) => node(a, *x, b, *y, path, &mut found),
            (Some(_), None) => found.add(DifferenceKind::Tree, path, "the node is gone"),
            _ => found.add(DifferenceKind::Tree, path, "the node is new"),
        }
    }
    skins(a, b, &mut found);
    meshes(a, b, &mut found);
    let clips = |d: &Asset| -> Vec<(String, ClipId)> { d.clips.ids().map(|c| (d.clip_label(c), c)).collect() };
    for (name, x, y) in pairs(&clips(a), &clips(b)) {
        let place = format!("clip “{name}”");
        match (x, y) {
            (Some(x), Some(y)) => clip((a, &a.clips[x]), (b, &b.clips[y]), &place, &mut found),
            (Some(x), None) => {
                found.add(
                    DifferenceKind::Clip,
                    place,
                    format!("the clip with {} is gone", keys(a.clips[x].key_count())),
                );
            }
            (None, Some(y)) => {
                found.add(
                    DifferenceKind::Clip,
                    place,
                    format!("the clip with {} is new", keys(b.clips[y].key_count())),
                );
            }
            (None, None) => {}
        }
    }
    kept(a, b, &mut found);
    looks(a, b, &mut found);
    found.0
}

/// Poses and sets of nodes that are kept with a scene.
fn kept(a: &Asset, b: &Asset, found: &mut Found) {
    for (id, x, y) in a.scenes.iter().filter_map(|(id, x)| Some((id, x, b.scenes.get(id)?))) {
        let place = format!("scene “{}”", a.scene_label(id));
        if x.poses != y.poses {
            let said = match (x.poses.len(), y.poses.len()) {
                (n, m) if n == m => "its kept poses differ".to_owned(),
                (n, m) => format!("{m} kept poses instead of {n}"),
            };
            found.add(DifferenceKind::Pose, &place, said);
        }
        if x.sets != y.sets {
            found.add(DifferenceKind::Tree, &place, "its sets of nodes differ".to_owned());
        }
    }
}

fn keys(count: usize) -> String {
    if count == 1 { "1 key".to_owned() } else { format!("{count} keys") }
}

/// A length in words: meters, millimeters, or as small as it is.
fn length(meters: f32) -> String {
    match meters.abs() {
        m if m >= 1.0 => format!("{m:.3} m"),
        m if m >= 0.001 => format!("{:.2} mm", m * 1000.0),
        m => format!("{m:.1e} m"),
    }
}

/// How two local transforms differ, in words; nothing where they do not.
fn between(a: &Local, b: &Local) -> Option<String> {
    if a == b {
        return None;
    }
    let (x, y) = (a.transform(), b.transform());
    let mut parts = Vec::new();
    if x.translation != y.translation {
        parts.push(format!("moved by {}", length(x.translation.distance(y.translation))));
    }
    if x.rotation != y.rotation && x.rotation != -y.rotation {
        parts.push(format!("turned by {:.4}°", angle_between(x.rotation, y.rotation).to_degrees()));
    }
    if x.scale != y.scale {
        parts.push(format!("scaled from {} to {}", x.scale, y.scale));
    }
    if matches!(a, Local::Matrix(_)) != matches!(b, Local::Matrix(_)) {
        let form =
            |l: &Local| if matches!(l, Local::Matrix(_)) { "a matrix" } else { "translation, rotation and scale" };
        parts.push(format!("{} instead of {}", form(b), form(a)));
    }
    if parts.is_empty() {
        parts.push("the same but for rounding or shear".into());
    }
    Some(parts.join(", "))
}

/// Whether two rests are one but for how they were come by: from bind matrices, or from what is left of a pose.
fn near(a: &Local, b: &Local) -> bool {
    let (x, y) = (a.transform(), b.transform());
    let room = 1e-6 * (1.0 + x.translation.abs().max_element());
    x.translation.abs_diff_eq(y.translation, room)
        && angle_between(x.rotation, y.rotation) < 1e-5
        && x.scale.abs_diff_eq(y.scale, 1e-5 * (1.0 + x.scale.abs().max_element()))
}

fn node(a: &Asset, x: NodeId, b: &Asset, y: NodeId, path: &str, found: &mut Found) {
    let (p, q) = (a.node(x), b.node(y));
    if let Some(what) = between(&p.local(), &q.local()) {
        found.add(DifferenceKind::Pose, path, what);
    }
    if !near(&p.rest, &q.rest)
        && let Some(what) = between(&p.rest, &q.rest)
        // Where a node stands in its rest, its pose has said it.
        && (p.pose.is_some() || q.pose.is_some())
    {
        found.add(DifferenceKind::Rest, path, format!("the rest is {what}"));
    }
    let mesh = |d: &Asset, n: &crate::model::Node| n.mesh.map(|m| d.mesh(m).name.clone().unwrap_or_default());
    if p.mesh.is_some() != q.mesh.is_some() || mesh(a, p) != mesh(b, q) {
        found.add(DifferenceKind::Tree, path, "another mesh hangs there");
    }
    if p.skin.is_some() != q.skin.is_some() {
        found.add(
            DifferenceKind::Bind,
            path,
            if q.skin.is_some() { "it hangs on a skin now" } else { "it hangs on no skin now" },
        );
    }
    if p.mesh.is_some() && q.mesh.is_some() && a.morph_weights(x) != b.morph_weights(y) {
        found.add(DifferenceKind::Pose, path, "weights of its morph targets differ");
    }
    if p.instances != q.instances {
        found.add(DifferenceKind::Tree, path, "its instances differ");
    }
    if p.camera.is_some() != q.camera.is_some() || p.light.is_some() != q.light.is_some() {
        found.add(DifferenceKind::Looks, path, "a camera or a light is there on one side only");
    }
}

fn skins(a: &Asset, b: &Asset, found: &mut Found) {
    let label = |d: &Asset, k: SkinId| {
        d.skins[k].name.as_deref().map_or_else(|| format!("skin {}", k.0), |n| format!("skin “{n}”"))
    };
    let named = |d: &Asset| -> Vec<(String, SkinId)> { d.skins.ids().map(|k| (label(d, k), k)).collect() };
    for (place, x, y) in pairs(&named(a), &named(b)) {
        let (Some(x), Some(y)) = (x, y) else {
            found.add(DifferenceKind::Bind, place, if x.is_some() { "the skin is gone" } else { "the skin is new" });
            continue;
        };
        let joints =
            |d: &Asset, k: SkinId| -> Vec<String> { d.skin(k).joints.iter().map(|j| d.node(*j).label(*j)).collect() };
        let (left, right) = (joints(a, x), joints(b, y));
        if left != right {
            let message = format!("{} joints instead of {}, or in another order", right.len(), left.len());
            found.add(DifferenceKind::Bind, &place, message);
            continue;
        }
        let (left, right) = (&a.skins[x].inverse_bind, &b.skins[y].inverse_bind);
        let off = left.iter().zip(right.iter()).filter(|(l, r)| l != r).count();
        if off > 0 {
            let most = left.iter().zip(right.iter()).map(|(l, r)| l.w_axis.distance(r.w_axis)).fold(0.0, f32::max);
            let message = format!("{off} inverse bind matrices differ, by up to {}", length(most));
            found.add(DifferenceKind::Bind, place, message);
        }
    }
}

fn meshes(a: &Asset, b: &Asset, found: &mut Found) {
    let label = |d: &Asset, k: MeshId| {
        d.meshes[k].name.as_deref().map_or_else(|| format!("mesh {}", k.0), |n| format!("mesh “{n}”"))
    };
    let named = |d: &Asset| -> Vec<(String, MeshId)> { d.meshes.ids().map(|k| (label(d, k), k)).collect() };
    for (place, x, y) in pairs(&named(a), &named(b)) {
        let (Some(x), Some(y)) = (x, y) else {
            found.add(DifferenceKind::Shape, place, if x.is_some() { "the mesh is gone" } else { "the mesh is new" });
            continue;
        };
        let (left, right) = (&a.meshes[x], &b.meshes[y]);
        if left.primitives.len() != right.primitives.len() {
            let message = format!("{} primitives instead of {}", right.primitives.len(), left.primitives.len());
            found.add(DifferenceKind::Shape, place, message);
            continue;
        }
        for (k, (p, q)) in left.primitives.iter().zip(&right.primitives).enumerate() {
            if p.positions != q.positions || p.indices != q.indices || p.normals != q.normals || p.targets != q.targets
            {
                found.add(DifferenceKind::Shape, &place, format!("the shape of primitive {k} differs"));
            }
            if p.uv0 != q.uv0
                || p.uv1 != q.uv1
                || p.colors != q.colors
                || p.tangents != q.tangents
                || p.topology != q.topology
            {
                found.add(DifferenceKind::Looks, &place, format!("colors or coordinates of primitive {k} differ"));
            }
            if let Some(message) = weights(p.weights.as_deref(), q.weights.as_deref()) {
                found.add(DifferenceKind::Weights, &place, format!("primitive {k}: {message}"));
            }
        }
        let message = match (&left.kept_weight_layers, &right.kept_weight_layers) {
            (a, b) if a == b => continue,
            (None, _) => "weight layers are kept with it",
            (_, None) => "weight layers are not kept with it any more",
            _ => "the weight layers that are kept with it differ",
        };
        found.add(DifferenceKind::Weights, &place, message.to_owned());
    }
}

/// How two maps of weights differ, by vertex and joint, whatever their slots are; nothing where they do not.
fn weights(a: Option<&WeightMap>, b: Option<&WeightMap>) -> Option<String> {
    let (a, b) = match (a, b) {
        (None, None) => return None,
        (Some(_), None) => return Some("its weights are gone".into()),
        (None, Some(_)) => return Some("it has weights now".into()),
        (Some(a), Some(b)) => (a, b),
    };
    if a.vertex_count() != b.vertex_count() {
        return Some(format!("weights of {} vertices instead of {}", b.vertex_count(), a.vertex_count()));
    }
    if a.sets == b.sets && a.joints == b.joints && a.weights == b.weights {
        return (a.encoding != b.encoding)
            .then(|| format!("weights are kept as {} instead of {}", b.encoding.label(), a.encoding.label()));
    }
    let (mut count, mut most) = (0usize, 0.0f32);
    for v in 0..a.vertex_count() {
        let mut gap = 0.0f32;
        for (joint, _) in a.vertex(v).chain(b.vertex(v)) {
            gap = gap.max((a.weight(v, joint) - b.weight(v, joint)).abs());
        }
        count += usize::from(gap > 0.0);
        most = most.max(gap);
    }
    let vertices = if count == 1 { "1 vertex".to_owned() } else { format!("{count} vertices") };
    (count > 0).then(|| format!("weights of {vertices} differ, by up to {most:.4}"))
}

/// A track's keys by what it moves: a node's path and a property.
fn tracks<'a>(document: &Asset, clip: &'a Clip) -> Vec<(String, &'a Track)> {
    clip.tracks.values().map(|t| (format!("{} {}", document.path(t.target), t.property.path()), &**t)).collect()
}

fn clip(a: (&Asset, &Clip), b: (&Asset, &Clip), place: &str, found: &mut Found) {
    if a.1.repeat != b.1.repeat {
        found.add(DifferenceKind::Clip, place, "it loops in another way".to_owned());
    }
    if a.1.ticks != b.1.ticks {
        found.add(DifferenceKind::Clip, place, "it counts in other ticks a second".to_owned());
    }
    if a.1.rate != b.1.rate {
        found.add(DifferenceKind::Clip, place, "it keeps another frame rate".to_owned());
    }
    if a.1.markers != b.1.markers {
        let said = format!("{} markers instead of {}", b.1.markers.len(), a.1.markers.len());
        found.add(DifferenceKind::Clip, place, said);
    }
    for (name, x, y) in pairs(&tracks(a.0, a.1), &tracks(b.0, b.1)) {
        let message = match (x, y) {
            (Some(x), Some(y)) => track(x, y),
            (Some(x), None) => Some(format!("{} are gone", keys(x.times.len()))),
            (None, Some(y)) => Some(format!("{} are new", keys(y.times.len()))),
            (None, None) => None,
        };
        if let Some(message) = message {
            found.add(DifferenceKind::Keys, place, format!("{name}: {message}"));
        }
    }
}

/// How the keys of two tracks differ; nothing where they do not.
fn track(a: &Track, b: &Track) -> Option<String> {
    if a.interpolation != b.interpolation {
        return Some(format!("{} instead of {}", b.interpolation.label(), a.interpolation.label()));
    }
    if a.times == b.times {
        if a.values == b.values {
            let same = a.kinds_there() == b.kinds_there();
            return (!same).then(|| "other keys are extremes, breakdowns or in-betweens".to_owned());
        }
        let off = (0..a.times.len()).filter(|k| a.value(*k) != b.value(*k)).count();
        let gap = |k: usize| -> f32 {
            if a.property == Property::Rotation && a.value(k).len() == 4 && b.value(k).len() == 4 {
                return angle_between(Quat::from_slice(a.value(k)), Quat::from_slice(b.value(k))).to_degrees();
            }
            a.value(k).iter().zip(b.value(k)).map(|(x, y)| (x - y).abs()).fold(0.0, f32::max)
        };
        let most = (0..a.times.len()).map(gap).fold(0.0, f32::max);
        let unit = if a.property == Property::Rotation { "°" } else { "" };
        return Some(match off {
            0 if a.interpolation == Interpolation::CubicSpline => "tangents differ".into(),
            _ => format!("{} differ, by up to {most:.4}{unit}", keys(off)),
        });
    }
    let has = |t: &Track, time: f32| t.times.binary_search_by(|k| k.total_cmp(&time)).is_ok();
    let gone = a.times.iter().filter(|t| !has(b, **t)).count();
    let new = b.times.iter().filter(|t| !has(a, **t)).count();
    Some(format!("{} keys instead of {}: {gone} times are gone, {new} are new", b.times.len(), a.times.len()))
}

fn looks(a: &Asset, b: &Asset, found: &mut Found) {
    let label = |d: &Asset, k: usize| {
        d.materials[k].name.as_deref().map_or_else(|| format!("material {k}"), |n| format!("material “{n}”"))
    };
    let named = |d: &Asset| -> Vec<(String, usize)> { (0..d.materials.len()).map(|k| (label(d, k), k)).collect() };
    for (place, x, y) in pairs(&named(a), &named(b)) {
        match (x, y) {
            (Some(x), Some(y)) if a.materials[x] == b.materials[y] => {}
            (Some(_), Some(_)) => found.add(DifferenceKind::Looks, place, "the material differs"),
            (Some(_), None) => found.add(DifferenceKind::Looks, place, "the material is gone"),
            _ => found.add(DifferenceKind::Looks, place, "the material is new"),
        }
    }
    if a.images != b.images {
        found.add(
            DifferenceKind::Looks,
            "images",
            format!("{} images, {} before, or others", b.images.len(), a.images.len()),
        );
    }
    if a.cameras != b.cameras || a.lights != b.lights {
        found.add(DifferenceKind::Looks, "cameras and lights", "they differ");
    }
}

/// The first thing in which a document that was written and opened again is not the one that was meant, in everything that
/// saving stores: the tree, locals to the bit, tracks, weights, shapes, looks. `opened` is what the source said.
///
/// How `L` and `Ul` share a local transform may differ, and clips without keys are in no file.
pub fn first_lost(opened: &Asset, meant: &Asset, got: &Asset) -> Option<Difference> {
    let lost = |kind, place: String, message: &str| Some(Difference { kind, place, message: message.to_owned() });
    if meant.nodes.len() != got.nodes.len() {
        return lost(DifferenceKind::Tree, "nodes".into(), "not all nodes are there");
    }
    for id in meant.node_ids() {
        let (m, g) = (meant.node(id), got.node(id));
        if let Some(what) = between(&m.local(), &g.local()) {
            return lost(DifferenceKind::Pose, meant.path(id), &what);
        }
        let same = m.name == g.name
            && m.parent == g.parent
            && meant.children(id) == got.children(id)
            && (m.mesh, m.skin, m.camera, m.light) == (g.mesh, g.skin, g.camera, g.light)
            && m.instances == g.instances
            && m.morph_weights == g.morph_weights;
        if !same {
            return lost(DifferenceKind::Tree, meant.path(id), "its name, its place, or what hangs on it");
        }
    }
    if meant.scenes != got.scenes || meant.scene != got.scene {
        return lost(DifferenceKind::Tree, "scenes".into(), "they differ");
    }
    if meant.skins != got.skins {
        return lost(DifferenceKind::Bind, "skins".into(), "joints or bind matrices differ");
    }
    if meant.meshes.len() != got.meshes.len() {
        return lost(DifferenceKind::Shape, "meshes".into(), "not all are there");
    }
    for ((id, m), (_, g)) in meant.meshes.iter().zip(got.meshes.iter()) {
        if let Some((kind, message)) = mesh_lost(m, g) {
            return lost(kind, format!("meshes/{}", id.0), &message);
        }
    }
    if meant.materials != got.materials || meant.images != got.images || meant.variants != got.variants {
        return lost(DifferenceKind::Looks, "materials".into(), "materials, images or variants differ");
    }
    if meant.cameras != got.cameras || meant.lights != got.lights || meant.vrm != got.vrm {
        return lost(DifferenceKind::Looks, "cameras".into(), "cameras, lights or the avatar differ");
    }
    clips_lost(opened, meant, got)
}

fn mesh_lost(m: &crate::model::Mesh, g: &crate::model::Mesh) -> Option<(DifferenceKind, String)> {
    if m.name != g.name || m.primitives.len() != g.primitives.len() || m.default_weights != g.default_weights {
        return Some((DifferenceKind::Shape, "its name, its primitives or its morph weights".into()));
    }
    for (k, (p, q)) in m.primitives.iter().zip(&g.primitives).enumerate() {
        if let Some(what) = weights(p.weights.as_deref(), q.weights.as_deref()) {
            return Some((DifferenceKind::Weights, format!("primitive {k}: {what}")));
        }
        let bare = |p: &crate::model::Primitive| crate::model::Primitive { weights: None, ..p.clone() };
        if bare(p) != bare(q) {
            return Some((DifferenceKind::Shape, format!("the shape of primitive {k} differs")));
        }
    }
    (m.kept_weight_layers != g.kept_weight_layers)
        .then(|| (DifferenceKind::Weights, "the weight layers that are kept with it differ".into()))
}

/// The clips that a save of `meant` leaves in the file, in its order.
fn stored_clips<'a>(opened: &Asset, meant: &'a Asset) -> Vec<&'a Clip> {
    let stored = |id: ClipId, clip: &Clip| match opened.clips.get(id) {
        // A clip of the file whose last channel went is gone; one that had none stays.
        Some(before) => {
            let all = before.tracks.len() == before.channels_in_file as usize;
            !(clip.tracks.is_empty() && !before.tracks.is_empty() && all)
        }
        None => !clip.tracks.is_empty(),
    };
    meant.clips.iter().filter(|(id, clip)| stored(*id, clip)).map(|(_, clip)| &**clip).collect()
}

fn clips_lost(opened: &Asset, meant: &Asset, got: &Asset) -> Option<Difference> {
    let wanted = stored_clips(opened, meant);
    let lost = |place: String, message: String| Some(Difference { kind: DifferenceKind::Keys, place, message });
    if wanted.len() != got.clips.count() {
        return lost("clips".into(), format!("{} are there, {} were meant", got.clips.count(), wanted.len()));
    }
    for (m, g) in wanted.into_iter().zip(got.clips.values()) {
        let place = format!("clip “{}”", m.name.as_deref().unwrap_or_default());
        if m.name != g.name {
            return lost(place, "its name differs".into());
        }
        let of = |c: &Clip| -> Vec<((NodeId, Property), Shared<Track>)> {
            let mut list: Vec<_> = c.tracks.values().map(|t| ((t.target, t.property), t.clone())).collect();
            // Channels keep their order; only which comes first of different ones may change.
            list.sort_by_key(|(key, _)| *key);
            list
        };
        let (left, right) = (of(m), of(g));
        if left.len() != right.len() {
            return lost(place, format!("{} channels are there, {} were meant", right.len(), left.len()));
        }
        for ((key, x), (other, y)) in left.into_iter().zip(right) {
            let name = format!("{} {}", meant.node(key.0).label(key.0), key.1.path());
            if key != other {
                return lost(place, format!("{name}: its keys are not there"));
            }
            if let Some(what) = track(&x, &y) {
                return lost(place, format!("{name}: {what}"));
            }
        }
        if m.markers != g.markers || m.repeat != g.repeat || m.ticks != g.ticks || m.rate != g.rate {
            return lost(place, "its markers, what happens at its end, its ticks or its frame rate differ".into());
        }
        if m.kept_layers != g.kept_layers {
            return lost(place, "the layers that are kept with it differ".into());
        }
        if m.pointers != g.pointers {
            return lost(place, "keys of animation pointers differ".into());
        }
    }
    None
}

/// A document as text, a fact a line, for version control's own comparison.
pub fn as_text(document: &Asset) -> String {
    let mut out = String::new();
    let mut line = |text: String| {
        out.push_str(&text);
        out.push('\n');
    };
    let number = |v: f32| format!("{v}");
    let list = |v: &[f32]| v.iter().map(|v| number(*v)).collect::<Vec<_>>().join(" ");
    let transform = |t: &Transform| {
        format!(
            "t {} r {} s {}",
            list(&t.translation.to_array()),
            list(&t.rotation.to_array()),
            list(&t.scale.to_array())
        )
    };
    for id in document.nodes.order().iter() {
        let node = document.node(*id);
        line(format!("node {}", document.path(*id)));
        match node.local() {
            Local::Trs(t) => line(format!("  {}", transform(&t))),
            Local::Matrix(m) => line(format!("  matrix {}", list(&m.to_cols_array()))),
        }
        if let Some(mesh) = node.mesh {
            line(format!("  mesh {} {}", mesh.0, document.mesh(mesh).name.as_deref().unwrap_or_default()));
        }
        if let Some(skin) = node.skin {
            line(format!("  skin {}", skin.0));
        }
        if let Some(weights) = &node.morph_weights {
            line(format!("  morphs {}", list(weights)));
        }
    }
    for (id, skin) in document.skins.iter() {
        line(format!("skin {} {}", id.0, skin.name.as_deref().unwrap_or_default()));
        for (joint, inverse) in skin.joints.iter().zip(skin.inverse_bind.iter()) {
            line(format!("  {} {}", document.path(*joint), list(&inverse.to_cols_array())));
        }
    }
    for (id, mesh) in document.meshes.iter() {
        line(format!("mesh {} {}", id.0, mesh.name.as_deref().unwrap_or_default()));
        for (p, primitive) in mesh.primitives.iter().enumerate() {
            line(format!(
                "  primitive {p}: {} vertices, {} indices, {} morph targets",
                primitive.positions.len(),
                primitive.indices.len(),
                primitive.targets.len()
            ));
            for v in 0..primitive.weights.as_ref().map_or(0, |w| w.vertex_count()) {
                let Some(map) = &primitive.weights else { break };
                let shares: Vec<String> =
                    map.vertex(v).filter(|(_, w)| *w != 0.0).map(|(j, w)| format!("{j}:{w}")).collect();
                line(format!("    {v} {}", shares.join(" ")));
            }
        }
    }
    for (id, clip) in document.clips.iter() {
        line(format!("clip {}", document.clip_label(id)));
        for (name, track) in tracks(document, clip) {
            line(format!("  {name} {}", track.interpolation.label()));
            for (k, time) in track.times.iter().enumerate() {
                line(format!(
                    "    {} {}",
                    number(*time),
                    list(&track.values[k * track.stride()..(k + 1) * track.stride()])
                ));
            }
        }
    }
    for (k, material) in document.materials.iter().enumerate() {
        line(format!("material {k} {}: {material:?}", material.name.as_deref().unwrap_or_default()));
    }
    out
}
