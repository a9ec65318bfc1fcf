//! Baking and storing of pose layers. Each save bakes them into keys and nodes. On request, the
//! file also stores the layers, and opening it restores them.
//!
//! ```text
//!  opening   the file's keys ─┬─ hash matches ──► its own keys + layers
//!            “ulna.layers” ───┘  it does not ───► the keys as they are, and a finding
//!  saving    keys + layers ─────► baked ────────► the file's keys [+ “ulna.layers”]
//! ```
//!
//! Clips without changes are saved with the exact keys of the opened file.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, PoisonError},
};

use super::weight_layers;
use ulna_edit::{command::field::Nodes, node_text};
use ulna_formats::gltf::layer_extras::{numbers, transform};
use ulna_model::{
    Clip, ClipId, Diagnostic, Document, FileContent, KeptKeys, KeptLayer, KeptLayers, LayerHome,
    LayerMask, Local, Location, NodeId, NodePose, OwnKeys, PoseLayer, PoseLayers, Property,
    SceneId, Severity, Shared, Track, TrackId,
};
use ulna_motion::{Folded, Folder, mask_weights};

/// Bakes the layers of a session's document, and stores the layers of the opened file. Copies of a
/// session share the cache of baked clips.
#[derive(Clone, Debug, Default)]
pub(super) struct Folds {
    folder: Arc<Mutex<Folder>>,
    opened: Opened,
}

/// Layers that were restored when the file was opened.
#[derive(Clone, Debug, Default)]
struct Opened {
    /// Restored layers of each clip.
    clips: BTreeMap<ClipId, ClipOpened>,
    /// Restored layers of the pose, if any.
    pose: Option<PoseOpened>,
}

/// Layers of a clip, the clip without them, and the stored form of the layers.
type ClipOpened = (Shared<PoseLayers>, Shared<Clip>, Shared<KeptLayers>);

#[derive(Clone, Debug)]
struct PoseOpened {
    layers: Shared<PoseLayers>,
    nodes: Vec<(NodeId, Option<NodePose>, Option<NodePose>)>,
    kept: Shared<KeptLayers>,
    scene: SceneId,
}

/// Returns the node that a text in `extras` names.
fn node_of(document: &Document, text: &str) -> Option<NodeId> {
    match Nodes::Named(vec![text.to_owned()]).all(document).ok()?[..] {
        [node] => Some(node),
        _ => None,
    }
}

fn keys_of(track: &Track) -> KeptKeys {
    KeptKeys {
        interpolation: track.interpolation,
        times: track.times.clone(),
        values: track.values.clone(),
        modes: track.modes_there(),
    }
}

fn track_of(node: NodeId, property: Property, keys: &KeptKeys) -> Option<Track> {
    let width = match property {
        Property::Rotation => 4,
        Property::Translation | Property::Scale => 3,
        Property::Weights => return None,
    };
    let (times, values) = (keys.times.clone(), keys.values.clone());
    let track = Track {
        target: node,
        property,
        interpolation: keys.interpolation,
        times,
        values,
        width,
        kinds: Default::default(),
        modes: keys.modes.clone(),
    };
    track.validate().is_ok().then_some(track)
}

/// Returns a hash of tracks and local transforms, in the given order.
fn hash<'a>(
    tracks: impl Iterator<Item = Option<&'a Track>>,
    locals: impl Iterator<Item = Local>,
) -> u64 {
    let mut bytes: Vec<u8> = Vec::new();
    let mut floats = |list: &[f32]| bytes.extend(list.iter().flat_map(|v| v.to_le_bytes()));
    for track in tracks {
        match track {
            Some(track) => {
                floats(&[track.interpolation.values_per_key() as f32, track.times.len() as f32]);
                floats(&track.times);
                floats(&track.values);
            }
            None => floats(&[-1.0]),
        }
    }
    for local in locals {
        match local {
            Local::Trs(t) => floats(&numbers(&t)),
            Local::Matrix(m) => floats(&m.to_cols_array()),
        }
    }
    xxhash_rust::xxh3::xxh3_64(&bytes)
}

/// Converts layers to the form that a file stores.
fn kept_layers(document: &Document, layers: &PoseLayers) -> Vec<KeptLayer> {
    let name = |n: &NodeId| node_text(document, *n);
    let one = |l: &PoseLayer| KeptLayer {
        name: l.name.to_string(),
        strength: l.strength,
        strength_keys: l.strength_keys.as_ref().map(|t| keys_of(t)),
        muted: l.muted,
        solo: l.solo,
        mask: l.mask.as_ref().map(|m| {
            let named = m.by.renamed::<String, std::convert::Infallible>(&mut |n| Ok(name(n)));
            match named {
                Ok(mask) => mask,
            }
        }),
        moves: l.moves.iter().map(|(n, user)| (name(n), numbers(user))).collect(),
        keys: l.keys.tracks.values().map(|t| (name(&t.target), t.property, keys_of(t))).collect(),
    };
    layers.iter().map(one).collect()
}

/// Converts stored layers of a file to layers of a document.
///
/// # Errors
/// A node is missing. The error is a sentence about the first one.
fn found_layers(
    document: &Document,
    kept: &KeptLayers,
    next: &mut u32,
) -> Result<PoseLayers, String> {
    let mut made = Vec::new();
    for layer in &kept.layers {
        let node = |text: &String| {
            node_of(document, text).ok_or_else(|| format!("there is no joint “{text}”"))
        };
        let mut moves = BTreeMap::new();
        for (text, user) in &layer.moves {
            moves.insert(node(text)?, transform(user));
        }
        let mut keys = Clip::default();
        for (text, property, own) in &layer.keys {
            let track =
                track_of(node(text)?, *property, own).ok_or("keys of a layer are invalid")?;
            keys.tracks.insert(keys.free_track_id(), Shared::new(track));
        }
        let strength_keys = match &layer.strength_keys {
            None => None,
            Some(keys) => {
                let (times, values) = (keys.times.clone(), keys.values.clone());
                Some(Shared::new(Track {
                    target: NodeId(0),
                    property: Property::Weights,
                    interpolation: keys.interpolation,
                    times,
                    values,
                    width: 1,
                    kinds: Default::default(),
                    modes: keys.modes.clone(),
                }))
            }
        };
        let mask = match &layer.mask {
            None => None,
            Some(mask) => {
                let by = mask.renamed(&mut |text| node(text))?;
                Some(LayerMask { counts: mask_weights(document, &by), by })
            }
        };
        let (strength, muted, solo) = (layer.strength, layer.muted, layer.solo);
        let found = PoseLayer {
            strength,
            strength_keys,
            muted,
            solo,
            mask,
            keys: Shared::new(keys),
            ..PoseLayer::new("", moves)
        };
        made.push(found.named(ulna_model::PoseLayerId(*next), layer.name.as_str().into()));
        *next += 1;
    }
    Ok(made.into_iter().collect())
}

/// Returns the tracks of a clip that its stored layers list, in the listed order. `None` if a node
/// is missing.
fn known_tracks<'a>(
    document: &Document,
    clip: &'a Clip,
    kept: &KeptLayers,
) -> Option<Vec<Option<&'a Track>>> {
    let one = |own: &OwnKeys| {
        Some(clip.track(node_of(document, &own.node)?, own.property).map(|(_, t)| &**t))
    };
    kept.own_keys.iter().map(one).collect()
}

fn said(place: Location, message: String) -> Diagnostic {
    Diagnostic::new(Severity::Warning, "ULNA_LAYERS", place, message)
}

impl Folds {
    /// Restores the layers that an opened file stores. If the keys of the file do not match the
    /// layers, the keys are kept and the layers are ignored.
    pub fn take_up(document: &mut Document, diagnostics: &mut Vec<Diagnostic>) -> Self {
        let mut folds = Self::default();
        let mut next = 0;
        let clips: Vec<(ClipId, Shared<Clip>)> =
            document.clips.iter().map(|(id, c)| (id, c.clone())).collect();
        for (id, clip) in clips {
            let Some(kept) = clip.kept_layers.clone() else { continue };
            let label = document.clip_label(id);
            let place = Location::of(id);
            let now = known_tracks(document, &clip, &kept);
            let fits = now
                .as_ref()
                .is_some_and(|now| hash(now.iter().copied(), std::iter::empty()) == kept.hash);
            if !fits {
                let message = format!(
                    "Another program changed the keys of “{label}” after its layers were baked \
                        into them. The changed keys are used. The layers are kept in the extras, \
                        but ignored"
                );
                diagnostics.push(said(place, message));
                continue;
            }
            let made = found_layers(document, &kept, &mut next).and_then(|layers| {
                let own = own_clip(document, &clip, &kept).ok_or("its base keys are invalid")?;
                Ok((layers, own))
            });
            let (layers, own) = match made {
                Ok((layers, own)) if document.fits_pose_layers(LayerHome::Clip(id), &layers) => {
                    (layers, own)
                }
                other => {
                    let why =
                        other.err().unwrap_or_else(|| "their names or values are invalid".into());
                    let message = format!(
                        "The layers of “{label}” are kept in the extras, but ignored: {why}"
                    );
                    diagnostics.push(said(place, message));
                    continue;
                }
            };
            let (layers, own) = (Shared::new(layers), Shared::new(own));
            document.aids.pose_layers.insert(LayerHome::Clip(id), layers.clone());
            document.aids.keeps_layers = true;
            if let Some(slot) = document.file.clips.get_mut(id) {
                *slot = own.clone();
            }
            let folded = Shared::new(Clip { kept_layers: None, ..(*clip).clone() });
            folds.opened.clips.insert(id, (layers, own, kept));
            folds
                .folder
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .remember(document, id, folded);
        }
        folds.take_up_pose(document, &mut next, diagnostics);
        folds
    }

    fn take_up_pose(
        &mut self,
        document: &mut Document,
        next: &mut u32,
        diagnostics: &mut Vec<Diagnostic>,
    ) {
        let with = document.scenes.iter().find_map(|(id, s)| Some((id, s.kept_layers.clone()?)));
        let Some((scene, kept)) = with else { return };
        let place = Location::of(scene);
        let nodes: Option<Vec<(NodeId, Local)>> = kept
            .own_pose
            .iter()
            .map(|(text, local)| Some((node_of(document, text)?, *local)))
            .collect();
        let locals = |list: &[(NodeId, Local)]| {
            list.iter().map(|(n, _)| document.node(*n).local()).collect::<Vec<_>>()
        };
        let fits = nodes
            .as_ref()
            .is_some_and(|list| hash(std::iter::empty(), locals(list).into_iter()) == kept.hash);
        let (true, Some(nodes)) = (fits, nodes) else {
            let message = "Another program changed the pose after its layers were baked into it. \
                The changed pose is used. The layers are kept in the extras, but ignored";
            diagnostics.push(said(place, message.into()));
            return;
        };
        let layers = match found_layers(document, &kept, next) {
            Ok(layers) if document.fits_pose_layers(LayerHome::Pose, &layers) => {
                Shared::new(layers)
            }
            other => {
                let why = other.err().unwrap_or_else(|| "their names or values are invalid".into());
                diagnostics.push(said(
                    place,
                    format!("The layers of the pose are kept in the extras, but ignored: {why}"),
                ));
                return;
            }
        };
        let mut known = Vec::new();
        for (node, local) in nodes {
            let was = document.node(node).pose;
            let rest = document.node(node).rest;
            let own = (local != rest).then(|| NodePose {
                user: rest.transform().user_from(&local.transform()).unwrap_or_default(),
                local,
            });
            if let Some(found) = document.file.nodes.get_mut(node) {
                found.pose = own;
            }
            known.push((node, own, was));
        }
        document.aids.pose_layers.insert(LayerHome::Pose, layers.clone());
        document.aids.keeps_layers = true;
        if let Some(slot) = document.file.scenes.get_mut(scene) {
            slot.kept_layers = None;
        }
        self.opened.pose = Some(PoseOpened { layers, nodes: known, kept, scene });
    }

    /// Blocks baking until the returned guard is dropped.
    #[cfg(test)]
    pub fn held_up(&self) -> std::sync::MutexGuard<'_, Folder> {
        self.folder.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the document in the form that saving writes, and the clips with baked layers.
    pub fn to_save(
        &self,
        document: &Document,
        decoded: &Document,
    ) -> (Document, BTreeMap<ClipId, Folded>) {
        let (mut to, folded) = self.fold(document, decoded, true);
        weight_layers::keep(document, &mut to.file);
        (to, folded)
    }

    /// Returns the document with its layers baked into keys and nodes, and the clips with baked
    /// layers. If `keeps` is set and the document requests it, the file also stores the layers.
    pub fn fold(
        &self,
        document: &Document,
        decoded: &Document,
        keeps: bool,
    ) -> (Document, BTreeMap<ClipId, Folded>) {
        if document.aids.pose_layers.is_empty() {
            return (document.clone(), BTreeMap::new());
        }
        let (mut file, folded) =
            self.folder.lock().unwrap_or_else(PoisonError::into_inner).fold(document);
        let keeps = keeps && document.aids.keeps_layers;
        for id in folded.keys() {
            let Some(own) = document.clips.get(*id) else { continue };
            let layers = document.aids.layers(LayerHome::Clip(*id));
            let Some(slot) = file.clips.get_mut(*id) else { continue };
            let mut made = (**slot).clone();
            if let Some(before) = decoded.clips.get(*id) {
                as_numbered(&mut made, own, before);
            }
            let kept = match self.opened.clips.get(id) {
                // Stored layers that do not match their keys any more stay in the file.
                _ if !keeps => own.kept_layers.clone(),
                Some((l, c, kept)) if *l == layers && c == own => Some(kept.clone()),
                _ => Some(Shared::new(kept_of(document, own, &made, &layers))),
            };
            if Shared::ptr_eq(slot, own) && made.kept_layers == kept {
                continue;
            }
            made.kept_layers = kept;
            *slot = Shared::new(made);
        }
        self.fold_pose(document, &mut file, keeps);
        let mut to = document.clone();
        to.file = file;
        (to, folded)
    }

    fn fold_pose(&self, document: &Document, file: &mut FileContent, keeps: bool) {
        let home = LayerHome::Pose;
        let Some(layers) = document.aids.pose_layers.get(&home) else { return };
        let known = self.opened.pose.as_ref().filter(|p| p.layers == *layers);
        let known =
            known.filter(|p| p.nodes.iter().all(|(n, own, _)| document.node(*n).pose == *own));
        if let Some(known) = known {
            for (node, _, was) in &known.nodes {
                if let Some(found) = file.nodes.get_mut(*node) {
                    found.pose = *was;
                }
            }
        }
        if !keeps {
            return;
        }
        let scene =
            known.map(|k| k.scene).or(document.scene).or_else(|| document.scenes.ids().next());
        let Some(scene) = scene else { return };
        let kept = known.map(|k| k.kept.clone()).unwrap_or_else(|| {
            let changed: Vec<NodeId> = document
                .node_ids()
                .filter(|n| document.node(*n).local() != file.node(*n).local())
                .collect();
            let hash = hash(std::iter::empty(), changed.iter().map(|n| file.node(*n).local()));
            let own = changed.iter().map(|n| (node_text(document, *n), document.node(*n).local()));
            Shared::new(KeptLayers {
                layers: kept_layers(document, layers),
                own_keys: Vec::new(),
                own_pose: own.collect(),
                hash,
            })
        });
        if let Some(slot) = file.scenes.get_mut(scene) {
            slot.kept_layers = Some(kept);
        }
    }
}

/// Returns the form of a clip's layers that a file stores.
fn kept_of(document: &Document, own: &Clip, folded: &Clip, layers: &PoseLayers) -> KeptLayers {
    let mut touched: Vec<(NodeId, Property)> = Vec::new();
    for track in folded.tracks.values() {
        let was = own.track(track.target, track.property).map(|(_, t)| t);
        if !was.is_some_and(|w| Shared::ptr_eq(w, track) || **w == **track) {
            touched.push((track.target, track.property));
        }
    }
    let track = |clip: &Clip, (n, p): (NodeId, Property)| clip.track(n, p).map(|(_, t)| t.clone());
    let now: Vec<Option<Shared<Track>>> = touched.iter().map(|at| track(folded, *at)).collect();
    let own_keys = touched.iter().map(|at| OwnKeys {
        node: node_text(document, at.0),
        property: at.1,
        keys: track(own, *at).map(|t| keys_of(&t)),
    });
    KeptLayers {
        layers: kept_layers(document, layers),
        own_keys: own_keys.collect(),
        own_pose: Vec::new(),
        hash: hash(now.iter().map(Option::as_deref), std::iter::empty()),
    }
}

/// Returns a clip with its own keys in place of the baked keys.
fn own_clip(document: &Document, clip: &Clip, kept: &KeptLayers) -> Option<Clip> {
    let mut own = Clip { kept_layers: None, ..clip.clone() };
    for entry in &kept.own_keys {
        let node = node_of(document, &entry.node)?;
        let (id, now) = clip.track(node, entry.property)?;
        match &entry.keys {
            Some(keys) => {
                let made =
                    Track { kinds: now.kinds.clone(), ..track_of(node, entry.property, keys)? };
                own.tracks.insert(id, Shared::new(made));
            }
            None => {
                own.tracks.remove(&id);
            }
        }
    }
    Some(own)
}

/// Renumbers the channels that baking added. A channel that the opened file contains, too, gets its
/// id in that file.
fn as_numbered(folded: &mut Clip, own: &Clip, before: &Clip) {
    let new: Vec<TrackId> =
        folded.tracks.keys().copied().filter(|id| !own.tracks.contains_key(id)).collect();
    for id in new {
        let Some(track) = folded.tracks.get(&id).cloned() else { continue };
        let had = before.track(track.target, track.property).map(|(id, _)| id);
        if let Some(had) = had.filter(|had| !folded.tracks.contains_key(had)) {
            folded.tracks.remove(&id);
            folded.tracks.insert(had, track);
        }
    }
}

/// Describes the baking: one sentence per baked clip, and one for the pose.
pub(super) fn in_words(document: &Document, folded: &BTreeMap<ClipId, Folded>) -> Vec<String> {
    let count =
        |n: usize, one: &str| if n == 1 { format!("1 {one}") } else { format!("{n} {one}s") };
    let mut all = Vec::new();
    for (id, done) in folded {
        let layers = document.aids.layers(LayerHome::Clip(*id));
        let on = layers.counting().count();
        if done.exact + done.sampled == 0 {
            continue;
        }
        let sampled = match done.sampled {
            0 => "at their existing keys".to_owned(),
            n => format!(
                "{} resampled with {} added, accurate to 0.1 mm and 0.1°",
                count(n, "track"),
                count(done.keys_added, "key")
            ),
        };
        all.push(format!(
            "“{}”: {} baked into {}, {sampled}",
            document.clip_label(*id),
            count(on, "layer"),
            count(done.exact + done.sampled, "track")
        ));
        if let Some((node, property)) = done.refused.first() {
            all.push(format!(
                "“{}”: the {} keys of {} cannot be edited, so the effect of the layers on them is \
                    not saved",
                document.clip_label(*id),
                property.path(),
                document.node(*node).label(*node)
            ));
        }
    }
    let pose = document.aids.layers(LayerHome::Pose);
    if pose.any_counts() {
        all.push(format!(
            "The pose: {} baked into its nodes",
            count(pose.counting().count(), "layer")
        ));
    }
    if document.aids.keeps_layers {
        all.push("The layers are saved in extras, with the base keys below them".into());
    }
    all
}
