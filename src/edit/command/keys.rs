//! Commands on keys, and on poses that are not keyed.

use super::{
    CommandError, Outcome, Scene, around,
    define::document_commands,
    field::{ClipName, KeyParts, Nodes, Numbers, Parts, Seconds, Trs},
    morphs,
    pose::some_given,
    rules,
};
use crate::{
    edit::Edit,
    model::{
        Clip, ClipId, Components, Document, Interpolation, NodeId, Property, Shared, Track, TrackId, Transform,
        Unkeyed, UnkeyedAt,
        transform::{angle_between, unit_or},
    },
    motion::{Pose, Stack, insert_key},
};

/// Two keys closer than this are one: a tenth of a millisecond, far below a frame.
pub(super) const SAME_TIME: f32 = UnkeyedAt::NEAR;

/// A motion that a new key moves by more than this is said: 0.05°.
const TOLD: f32 = 0.05 * std::f32::consts::PI / 180.0;

pub(super) fn clip_of(document: &Document, id: ClipId) -> Result<&Shared<Clip>, CommandError> {
    document.clips.get(id).ok_or_else(|| CommandError::Other(format!("clip {} is not there", id.0)))
}

document_commands! {
    /// Commands on keys, and on poses without keys.
    KeyCommand in "Clip";

    /// Sets a key for the selected joints at the playhead
    SetKey {
        /// Of which clip.
        clip: ClipName,
        /// When.
        time: Seconds,
        /// Of which nodes.
        node: Nodes,
        /// What is keyed of what is seen; what is unkeyed, or moved already, unless given.
        parts: Option<Parts>,
        /// Values, in place of what is seen.
        to: Trs,
        /// When the unkeyed pose lies that is keyed; at `time` unless given.
        unkeyed: Option<Seconds>,
        /// Whether more keys may be set, to keep the motion.
        exact: Option<bool>,
    } = "key.set", "Set key", key: "S", enabled: rules::key_set, filled: Some(around::set_key);
    /// Deletes the selected keys, or those of the selected joints at the playhead
    DeleteKeys {
        /// Of which clip.
        clip: ClipName,
        /// Those at this time,
        time: Option<Seconds>,
        /// or at these,
        times: Option<Numbers>,
        /// or from here
        from: Option<Seconds>,
        /// to here.
        to: Option<Seconds>,
        /// Of which nodes; of all unless given.
        node: Option<Nodes>,
        /// Of which of their tracks; of all unless given.
        parts: Option<KeyParts>,
    } = "key.delete", "Delete keys", key: "Delete", enabled: rules::key_deleted,
        filled: Some(around::delete_keys);
    /// Moves keys in time
    MoveKeys {
        /// Of which clip.
        clip: ClipName,
        /// How far.
        by: Seconds,
        /// Those from here
        from: Option<Seconds>,
        /// to here,
        to: Option<Seconds>,
        /// or at these times.
        times: Option<Numbers>,
        /// Of which nodes; of all unless given.
        node: Option<Nodes>,
        /// Of which of their tracks; of all unless given.
        parts: Option<KeyParts>,
    } = "key.move", "Move keys", asks: true;
    /// Poses nodes over a clip at a time, without a key
    SetUnkeyed {
        /// Over which clip.
        clip: ClipName,
        /// When.
        time: Seconds,
        /// Which nodes.
        node: Nodes,
        /// What they are set to.
        to: Trs,
    } = "unkeyed.set", "Pose without a key", asks: true;
    /// Throws away poses that were not keyed
    DiscardUnkeyed {
        /// Of which clip; of all unless given.
        clip: Option<ClipName>,
        /// At which time; at all unless given.
        time: Option<Seconds>,
    } = "unkeyed.discard", "Discard unkeyed poses", enabled: rules::unkeyed;
}

/// A key time: of 0 s or later.
pub(super) fn time_of(time: Seconds) -> Result<f32, CommandError> {
    let time = time.0;
    if time < 0.0 {
        return Err(CommandError::Other(format!("“time” is {time} s; a key cannot lie before 0 s")));
    }
    Ok(time)
}

fn values(local: &Transform, property: Property) -> Vec<f32> {
    match property {
        Property::Translation => local.translation.to_array().to_vec(),
        Property::Rotation => local.rotation.to_array().to_vec(),
        Property::Scale | Property::Weights => local.scale.to_array().to_vec(),
    }
}

/// Why keys of a channel cannot be edited, where they cannot.
fn refuse_kept(document: &Document, clip: &Clip, node: NodeId, property: Property) -> Result<(), CommandError> {
    if !clip.kept.contains(&(node, property)) {
        return Ok(());
    }
    let label = document.node(node).label(node);
    let tracks = clip.pointers.iter().filter_map(|p| p.track.as_ref());
    let pointed = tracks.into_iter().any(|t| (t.target, t.property) == (node, property));
    let why = if pointed {
        "come from an animation pointer, which cannot be edited yet"
    } else {
        "cannot be read, and are kept as they are; Problems says why"
    };
    Err(CommandError::Other(format!("the {} keys of {label} {why}", property.path())))
}

/// Which components of a node are keyed where neither values nor parts are given: what is unkeyed there; or what the clip
/// moves already, and else its rotation.
fn parts_of(clip: &Clip, node: NodeId, unkeyed: Option<&Unkeyed>) -> Vec<Property> {
    if let Some(pose) = unkeyed {
        if let Some(changed) = pose.locals.get(&node) {
            return Property::TRS.into_iter().filter(|p| changed.has(*p)).collect();
        }
        if pose.morphs.contains_key(&node) {
            return Vec::new();
        }
    }
    let moved: Vec<Property> = Property::TRS.into_iter().filter(|p| clip.track(node, *p).is_some()).collect();
    let morphs = clip.track(node, Property::Weights).is_some();
    if moved.is_empty() && !morphs { vec![Property::Rotation] } else { moved }
}

impl SetKey {
    /// A key at a time: of the values given, or else of what is seen then, an unkeyed pose included.
    fn work(&self, scene: &Scene<'_>) -> Result<Outcome, CommandError> {
        let document = scene.document;
        let id = self.clip.find(document)?;
        let clip = clip_of(document, id)?;
        let time = time_of(self.time)?;
        let nodes = self.node.all(document)?;
        let unkeyed = self.unkeyed_of(document, id)?;
        let given = self.to.components();
        if !given.is_empty() && self.parts.is_some() {
            return Err(CommandError::Other(
                "“parts” says what to key of what is seen; leave it out where values are given".into(),
            ));
        }
        self.key_all(document, (id, clip, time), nodes, unkeyed.as_ref(), &given)
    }

    /// The unkeyed pose that is keyed: that of its `unkeyed` time, where it is carried elsewhere, else that of its time.
    fn unkeyed_of(
        &self,
        document: &Document,
        id: ClipId,
    ) -> Result<Option<(UnkeyedAt, Shared<Unkeyed>)>, CommandError> {
        let time = self.unkeyed.unwrap_or(self.time).0;
        let found = document.aids.unkeyed(id, f64::from(time)).map(|(at, pose)| (at, pose.clone()));
        if found.is_none() && self.unkeyed.is_some() {
            return Err(CommandError::Other(format!("there is no unkeyed pose at {time} s of this clip")));
        }
        Ok(found)
    }

    fn key_all(
        &self,
        document: &Document,
        (id, clip, time): (ClipId, &Shared<Clip>, f32),
        nodes: Vec<NodeId>,
        unkeyed: Option<&(UnkeyedAt, Shared<Unkeyed>)>,
        given: &Components,
    ) -> Result<Outcome, CommandError> {
        let exact = self.exact.unwrap_or(false);
        let stack = Stack::of(Some(clip), f64::from(time)).with_unkeyed(unkeyed.map(|(_, pose)| pose.clone()));
        let pose = Pose::evaluate(document, &stack);
        let mut edits = Vec::new();
        let mut free = clip.free_track_id();
        let mut worst = (0.0f32, nodes[0]);
        for node in nodes {
            let local = given.over(&pose.local[node.index()].transform());
            let parts: Vec<Property> = if given.is_empty() {
                match &self.parts {
                    Some(parts) => parts.0.clone(),
                    None => parts_of(clip, node, unkeyed.map(|(_, pose)| &**pose)),
                }
            } else {
                Property::TRS.into_iter().filter(|p| given.has(*p)).collect()
            };
            let changed = unkeyed.and_then(|(_, pose)| pose.locals.get(&node)).copied().unwrap_or_default();
            for property in parts {
                refuse_kept(document, clip, node, property)?;
                let value = values(&local, property);
                // Of what is seen, and nobody changed, the motion stays as it was.
                let own = given.has(property) || changed.has(property);
                let (track, to) = match clip.track(node, property) {
                    Some((track, old)) => {
                        let value = near_turn(old, time, value);
                        if own && holds(old, time, &value) {
                            continue;
                        }
                        let made = insert_key(old, time, own.then_some(&value[..]), exact);
                        if made.error > worst.0 {
                            worst = (made.error, node);
                        }
                        if made.track == **old {
                            continue;
                        }
                        (track, made.track)
                    }
                    None => {
                        let track = free;
                        free = TrackId(free.0 + 1);
                        (track, lone(node, property, time, value))
                    }
                };
                edits.push(Edit::SetTrack { clip: id, track, to: Some(Shared::new(to)) });
            }
            edits.extend(self.key_morphs(document, (id, time), node, unkeyed, &pose, &mut free)?);
            edits.extend(self.now_keyed(unkeyed, node, given));
        }
        let note = (worst.0 > TOLD).then(|| {
            format!(
                "the motion of “{}” moves by up to {:.2}°, since keys of unit length cannot split this curve; “exact” adds keys until it does not",
                document.node(worst.1).label(worst.1),
                worst.0.to_degrees()
            )
        });
        Ok(Outcome { edits, note })
    }

    /// Keys what is unkeyed of a node's morph targets, or what the clip moves of them already, where all of it is keyed.
    fn key_morphs(
        &self,
        document: &Document,
        (id, time): (ClipId, f32),
        node: NodeId,
        unkeyed: Option<&(UnkeyedAt, Shared<Unkeyed>)>,
        pose: &Pose,
        free: &mut TrackId,
    ) -> Result<Vec<Edit>, CommandError> {
        let clip = clip_of(document, id)?;
        let some = !self.to.components().is_empty() || self.parts.is_some();
        let changed = unkeyed.is_some_and(|(_, pose)| pose.morphs.contains_key(&node));
        if some || !(changed || clip.track(node, Property::Weights).is_some()) {
            return Ok(Vec::new());
        }
        let weights = pose.morphs[node.index()].clone();
        morphs::key_edits(document, id, time, node, changed.then_some(&weights), weights.len(), free)
    }

    /// What of an unkeyed pose is keyed is unkeyed no more.
    fn now_keyed(&self, unkeyed: Option<&(UnkeyedAt, Shared<Unkeyed>)>, node: NodeId, given: &Components) -> Vec<Edit> {
        let Some((at, pose)) = unkeyed else { return Vec::new() };
        let mut edits = Vec::new();
        if let Some(left) = pose.locals.get(&node) {
            let parts = self.parts.as_ref().map_or(&Property::TRS[..], |p| &p.0);
            let keyed = |p: Property| if given.is_empty() { parts.contains(&p) } else { given.has(p) };
            let left = Components {
                translation: left.translation.filter(|_| !keyed(Property::Translation)),
                rotation: left.rotation.filter(|_| !keyed(Property::Rotation)),
                scale: left.scale.filter(|_| !keyed(Property::Scale)),
            };
            edits.push(Edit::SetUnkeyed { at: *at, node, to: (!left.is_empty()).then_some(left) });
        }
        if given.is_empty() && self.parts.is_none() && pose.morphs.contains_key(&node) {
            edits.push(Edit::SetUnkeyedMorphs { at: *at, node, to: None });
        }
        edits
    }
}

/// A track with one key.
pub(super) fn lone(target: NodeId, property: Property, time: f32, value: Vec<f32>) -> Track {
    let width = value.len();
    Track { target, property, interpolation: Interpolation::Linear, times: [time].into(), values: value.into(), width }
}

/// Whether a key at a time has a value already, but for its last digit.
fn holds(track: &Track, time: f32, value: &[f32]) -> bool {
    let Some(key) = track.key_at(time, SAME_TIME) else { return false };
    let now = track.value(key);
    if track.property == Property::Rotation {
        let (a, b) = (unit_or(glam::Quat::from_slice(now), glam::Quat::IDENTITY), glam::Quat::from_slice(value));
        return angle_between(a, b) < 1e-6;
    }
    now.iter().zip(value).all(|(a, b)| (a - b).abs() <= 2e-7 * a.abs().max(1e-3))
}

/// Of the two signs of a rotation, the one near the key before: cubic splines go through the numbers, not the rotation.
fn near_turn(old: &Track, time: f32, mut value: Vec<f32>) -> Vec<f32> {
    if old.property == Property::Rotation {
        let at = old.times.partition_point(|t| *t < time).saturating_sub(1);
        let before = old.value(at);
        if before.iter().zip(&value).map(|(a, b)| a * b).sum::<f32>() < 0.0 {
            value.iter_mut().for_each(|v| *v = -*v);
        }
    }
    value
}

/// Which keys a line means: those at `time`, at any of `times`, or from `from` to `to`.
enum Meant {
    Range(f32, f32),
    /// In rising order.
    Times(Vec<f32>),
}

impl Meant {
    /// By exactly one of the ways.
    fn of(
        time: Option<Seconds>,
        times: Option<&Numbers>,
        from: Option<Seconds>,
        to: Option<Seconds>,
    ) -> Result<Self, CommandError> {
        match (time, times, from, to) {
            (Some(Seconds(time)), None, None, None) => Ok(Self::Range(time - SAME_TIME, time + SAME_TIME)),
            (None, Some(times), None, None) => {
                let mut times: Vec<f32> = times.0.iter().map(|t| *t as f32).collect();
                times.sort_by(f32::total_cmp);
                Ok(Self::Times(times))
            }
            (None, None, Some(Seconds(from)), Some(Seconds(to))) if from > to => {
                Err(CommandError::Other(format!("“from”, {from} s, is later than “to”, {to} s")))
            }
            (None, None, Some(Seconds(from)), Some(Seconds(to))) => Ok(Self::Range(from - SAME_TIME, to + SAME_TIME)),
            (None, None, Some(_), None) | (None, None, None, Some(_)) => {
                let missing = if from.is_some() { "to" } else { "from" };
                Err(CommandError::Other(format!("“from” and “to” go together; “{missing}” is missing")))
            }
            _ => Err(CommandError::Other(
                "say which keys by “time”, by “times”, or by “from” and “to”, and by one of them only".into(),
            )),
        }
    }

    fn has(&self, time: f32) -> bool {
        match self {
            Self::Range(from, to) => (*from..=*to).contains(&time),
            Self::Times(times) => {
                let at = times.partition_point(|t| *t < time - SAME_TIME);
                times.get(at).is_some_and(|t| (*t - time).abs() <= SAME_TIME)
            }
        }
    }
}

/// The tracks of a clip that are meant by nodes and parts.
fn tracks_of<'a>(
    document: &Document,
    clip: &'a Clip,
    nodes: Option<&Nodes>,
    parts: Option<&KeyParts>,
) -> Result<Vec<(TrackId, &'a Shared<Track>)>, CommandError> {
    let nodes = nodes.map(|n| n.all(document)).transpose()?;
    let wanted = |t: &Track| {
        nodes.as_ref().is_none_or(|n| n.contains(&t.target)) && parts.is_none_or(|p| p.0.contains(&t.property))
    };
    Ok(clip.tracks.iter().filter(|(_, t)| wanted(t)).map(|(id, t)| (*id, t)).collect())
}

impl DeleteKeys {
    fn work(&self, scene: &Scene<'_>) -> Result<Outcome, CommandError> {
        let document = scene.document;
        let id = self.clip.find(document)?;
        let clip = clip_of(document, id)?;
        let tracks = tracks_of(document, clip, self.node.as_ref(), self.parts.as_ref())?;
        let meant = Meant::of(self.time, self.times.as_ref(), self.from, self.to)?;
        let mut edits = Vec::new();
        for (track, old) in tracks {
            if old.times.iter().any(|t| meant.has(*t)) {
                let to = cut(old, |t| meant.has(t));
                edits.push(Edit::SetTrack { clip: id, track, to: to.map(Shared::new) });
            }
        }
        let note = edits.is_empty().then(|| "there is no key at that time; nothing was deleted".to_owned());
        Ok(Outcome { edits, note })
    }
}

/// A track without some keys; one that keeps a single CUBICSPLINE key becomes LINEAR, since the file must have two.
pub(super) fn cut(old: &Track, drop: impl Fn(f32) -> bool) -> Option<Track> {
    let left = old.without_keys(drop)?;
    if left.interpolation == Interpolation::CubicSpline && left.times.len() < 2 {
        return Some(Track { interpolation: Interpolation::Linear, values: left.value(0).into(), ..left });
    }
    Some(left)
}

impl MoveKeys {
    /// None goes before 0. A key that lands on another takes its place, and how many do is said.
    fn work(&self, scene: &Scene<'_>) -> Result<Outcome, CommandError> {
        let document = scene.document;
        let id = self.clip.find(document)?;
        let clip = clip_of(document, id)?;
        let wanted = self.by.0;
        let tracks = tracks_of(document, clip, self.node.as_ref(), self.parts.as_ref())?;
        let meant = Meant::of(None, self.times.as_ref(), self.from, self.to)?;
        let tracks: Vec<_> = tracks.into_iter().filter(|(_, old)| old.times.iter().any(|t| meant.has(*t))).collect();
        let first = tracks.iter().filter_map(|(_, t)| t.times.iter().copied().find(|t| meant.has(*t))).reduce(f32::min);
        let Some(first) = first else {
            return Ok(Outcome {
                edits: Vec::new(),
                note: Some("there is no key at that time; nothing was moved".into()),
            });
        };
        // All stay as far apart as they were.
        let by = wanted.max(-first.max(0.0));
        let mut said = Vec::new();
        if by != wanted {
            said.push(format!("moved by {by} s only, since no key goes before 0 s"));
        }
        let (mut edits, mut replaced) = (Vec::new(), 0);
        for (track, old) in tracks {
            let new = moved(old, |t| meant.has(t), by);
            let (went, came) = (old.times.iter().filter(|t| meant.has(**t)).count(), new.times.len());
            let stayed = old.times.len() - went;
            // Of those that moved none may be lost: only single precision, or the way out of time, could do that.
            let merged = old.times.windows(2).any(|w| meant.has(w[0]) && meant.has(w[1]) && w[0] + by >= w[1] + by);
            if merged || !(old.times[old.times.len() - 1] + by).is_finite() {
                let label = document.node(old.target).label(old.target);
                return Err(CommandError::Other(format!(
                    "“by” is {by} s; so far out, single precision cannot tell the keys of {label} apart. Move them less far"
                )));
            }
            replaced += (went + stayed).saturating_sub(came);
            edits.push(Edit::SetTrack { clip: id, track, to: Some(Shared::new(new)) });
        }
        if replaced > 0 {
            let keys = if replaced == 1 { "1 key lay".to_owned() } else { format!("{replaced} keys lay") };
            said.push(format!("{keys} where moved ones came to be, and made way"));
        }
        Ok(Outcome { edits, note: (!said.is_empty()).then(|| said.join("; ")) })
    }
}

/// A track with some keys moved by `by` seconds, held at 0. Moved keys win over keys they land on.
pub fn moved(old: &Track, moves: impl Fn(f32) -> bool, by: f32) -> Track {
    let stride = old.stride();
    let mut keys: Vec<(f32, bool, usize)> = old
        .times
        .iter()
        .enumerate()
        .map(|(k, t)| if moves(*t) { ((t + by).max(0.0), true, k) } else { (*t, false, k) })
        .collect();
    keys.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    let mut kept: Vec<(f32, bool, usize)> = Vec::with_capacity(keys.len());
    for key in keys {
        // Keys of one kind are as far apart as they were: only one that moved takes the place of one that did not.
        if let Some(last) = kept.last_mut()
            && (key.0 <= last.0 || (key.1 != last.1 && key.0 - last.0 <= SAME_TIME))
        {
            if key.1 || !last.1 {
                *last = key;
            }
            continue;
        }
        kept.push(key);
    }
    Track {
        times: kept.iter().map(|k| k.0).collect(),
        values: kept.iter().flat_map(|k| old.values[k.2 * stride..(k.2 + 1) * stride].iter().copied()).collect(),
        ..old.clone()
    }
}

impl SetUnkeyed {
    /// Only the components that are given; the others are as seen.
    fn work(&self, scene: &Scene<'_>) -> Result<Vec<Edit>, CommandError> {
        let document = scene.document;
        let id = self.clip.find(document)?;
        clip_of(document, id)?;
        let time = time_of(self.time)?;
        let nodes = self.node.all(document)?;
        let given = some_given(&self.to)?;
        let at = document.aids.unkeyed(id, f64::from(time)).map_or_else(|| UnkeyedAt::new(id, time), |(at, _)| at);
        let hold = |node: NodeId| {
            let now = document.aids.unkeyed.get(&at).and_then(|p| p.locals.get(&node)).copied().unwrap_or_default();
            let to = Components {
                translation: given.translation.or(now.translation),
                rotation: given.rotation.or(now.rotation),
                scale: given.scale.or(now.scale),
            };
            Edit::SetUnkeyed { at, node, to: Some(to) }
        };
        Ok(nodes.into_iter().map(hold).collect())
    }
}

impl DiscardUnkeyed {
    /// All, those of a clip, or the one at a time of it.
    fn work(&self, scene: &Scene<'_>) -> Result<Vec<Edit>, CommandError> {
        let document = scene.document;
        let id = self.clip.as_ref().map(|c| c.find(document)).transpose()?;
        let time = self.time.map(|t| t.0);
        if time.is_some() && id.is_none() {
            return Err(CommandError::Other("“time” is a time of a clip; name the “clip”".into()));
        }
        Ok(without_unkeyed(document, |at| {
            id.is_none_or(|id| id == at.clip) && time.is_none_or(|t| (t - at.time()).abs() <= SAME_TIME)
        }))
    }
}

/// The edits that leave nothing of some unkeyed poses.
pub(super) fn without_unkeyed(document: &Document, drop: impl Fn(UnkeyedAt) -> bool) -> Vec<Edit> {
    let mut edits = Vec::new();
    for (at, pose) in document.aids.unkeyed.iter().filter(|(at, _)| drop(**at)) {
        edits.extend(pose.locals.keys().map(|node| Edit::SetUnkeyed { at: *at, node: *node, to: None }));
        edits.extend(pose.morphs.keys().map(|node| Edit::SetUnkeyedMorphs { at: *at, node: *node, to: None }));
    }
    edits
}
