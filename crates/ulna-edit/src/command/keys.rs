//! Commands that set keys, and commands on unkeyed poses.

use super::{
    Between, CommandError, Outcome, Scene,
    channel_locks::LockKeeper,
    clip_keys::{
        SAME_TIME, clip_of, holds, lone, near_turn, refuse_kept, time_of, values, without_unkeyed,
    },
    define::document_commands,
    destination::PoseDestination,
    field::{ClipName, Nodes, Parts, Seconds, Trs},
    morphs,
    pose_target::PoseTarget,
    rules,
    user_pose::some_given,
};
use crate::Edit;
use ulna_model::{
    Clip, ClipId, Components, Document, LayerHome, NodeId, Notice, Property, Shared, Track,
    TrackId, Unkeyed, UnkeyedAt,
};
use ulna_motion::{
    Pose, Stack, below_layers,
    clip_edit::{refreshed, with_interpolation},
    insert_key, with_layers,
};

/// Smallest reported change of the motion by a new key, in radians: 0.05°.
const TOLD: f32 = 0.05 * std::f32::consts::PI / 180.0;

document_commands! {
    /// Commands that set keys, and commands on unkeyed poses.
    KeyCommand in "Clip";

    /// Sets a key for the selected joints at the playhead
    SetKey {
        /// Clip to edit.
        clip: ClipName,
        /// Time in the clip, in seconds.
        time: Seconds,
        /// Nodes to key.
        node: Nodes,
        /// Channels to key; if omitted, channels with unkeyed changes or existing keys.
        parts: Option<Parts>,
        /// Values to key instead of the shown pose.
        to: Trs,
        /// Time of the unkeyed pose to key, in seconds; `time` if omitted.
        unkeyed: Option<Seconds>,
        /// Whether to add more keys so that the motion stays exact; no if omitted.
        exact: Option<bool>,
        /// Interpolation of new tracks and of tracks with one key; linear if omitted.
        interpolation: Option<Between>,
    } = "key.set", "Set key", key: "S", enabled: rules::key_set, edits_keys: true;
    /// Poses nodes at a time of a clip without setting a key
    SetUnkeyed {
        /// Clip to pose.
        clip: ClipName,
        /// Time in the clip, in seconds.
        time: Seconds,
        /// Nodes to pose.
        node: Nodes,
        /// Values to set.
        to: Trs,
    } = "unkeyed.set", "Pose without a key", menu: "Clip/Set keys", asks: true,
        after: "unkeyed.morph";
    /// Discards unkeyed poses
    DiscardUnkeyed {
        /// Clip whose unkeyed poses are discarded; all clips if omitted.
        clip: Option<ClipName>,
        /// Time of the pose, in seconds; all times if omitted.
        time: Option<Seconds>,
    } = "unkeyed.discard", "Discard unkeyed poses", enabled: rules::unkeyed;
}

/// Returns the components of a node to key if the command names none: the unkeyed ones, else the
/// animated ones, else the rotation.
fn parts_of(clip: &Clip, node: NodeId, unkeyed: Option<&Unkeyed>) -> Vec<Property> {
    if let Some(pose) = unkeyed {
        if let Some(changed) = pose.locals.get(&node) {
            return Property::TRS.into_iter().filter(|p| changed.has(*p)).collect();
        }
        if pose.morphs.contains_key(&node) {
            return Vec::new();
        }
    }
    let moved: Vec<Property> =
        Property::TRS.into_iter().filter(|p| clip.track(node, *p).is_some()).collect();
    let morphs = clip.track(node, Property::Weights).is_some();
    if moved.is_empty() && !morphs { vec![Property::Rotation] } else { moved }
}

/// Note that a new key changes the motion of a joint by an angle in radians.
fn motion_changed(document: &Document, (angle, node): (f32, NodeId)) -> Notice {
    let said = format!(
        "the motion of “{}” changes by up to {:.2}°, because unit quaternion keys cannot split \
            this spline exactly; use “exact” to add keys that keep it",
        document.node(node).label(node),
        angle.to_degrees()
    );
    Notice::new("motion_changed", said)
}

impl SetKey {
    /// Returns a command that keys the displayed pose of nodes at a time.
    pub fn new(clip: ClipName, time: Seconds, node: Nodes) -> Self {
        Self {
            clip,
            time,
            node,
            parts: None,
            to: Trs::default(),
            unkeyed: None,
            exact: None,
            interpolation: None,
        }
    }

    /// Keys the given values, or else the displayed pose at the time, including an unkeyed pose.
    fn work(&self, scene: &Scene<'_>) -> Result<Outcome, CommandError> {
        let document = scene.document;
        let id = self.clip.find(document)?;
        let clip = clip_of(document, id)?;
        let time = time_of(self.time)?;
        let nodes = self.node.all(document)?;
        let unkeyed = self.unkeyed_of(document, id)?;
        let given = self.to.components();
        if !given.is_empty() && self.parts.is_some() {
            return Err(CommandError::other(
                "arguments_exclusive",
                "“parts” selects channels of the shown pose to key; omit it if you set values",
            ));
        }
        self.key_all(scene, (id, clip, time), nodes, unkeyed.as_ref(), &given)
    }

    /// Returns the unkeyed pose to key: the pose at the time `unkeyed`, or else at the time of the
    /// key.
    fn unkeyed_of(
        &self,
        document: &Document,
        id: ClipId,
    ) -> Result<Option<(UnkeyedAt, Shared<Unkeyed>)>, CommandError> {
        let time = self.unkeyed.unwrap_or(self.time).0;
        let found = document.aids.unkeyed(id, f64::from(time)).map(|(at, pose)| (at, pose.clone()));
        if found.is_none() && self.unkeyed.is_some() {
            return Err(CommandError::other(
                "no_unkeyed_pose",
                format!("there is no unkeyed pose at {time} s of this clip"),
            ));
        }
        Ok(found)
    }

    fn key_all(
        &self,
        scene: &Scene<'_>,
        (id, clip, time): (ClipId, &Shared<Clip>, f32),
        nodes: Vec<NodeId>,
        unkeyed: Option<&(UnkeyedAt, Shared<Unkeyed>)>,
        given: &Components,
    ) -> Result<Outcome, CommandError> {
        let document = scene.document;
        let exact = self.exact.unwrap_or(false);
        let stack = Stack::shown(document, Some(id), f64::from(time));
        let layers = document.aids.pose_layers.get(&LayerHome::Clip(id));
        let below = layers.map(|_| scene.evaluate(&stack.clone().without_layers_of_clips()));
        let pose = scene.evaluate(&stack.with_unkeyed(unkeyed.map(|(_, pose)| pose.clone())));
        let mut edits = Vec::new();
        let mut locks = LockKeeper::default();
        let mut free = clip.free_track_id();
        let mut worst = (0.0f32, nodes[0]);
        for node in nodes {
            let seen = pose.local[node.index()].transform();
            let is_given = !given.is_empty();
            let given = &locks.keep(document, node, || seen, given);
            if is_given && given.is_empty() {
                continue;
            }
            let mut local = given.over(&seen);
            let parts: Vec<Property> = match &self.parts {
                _ if !given.is_empty() => {
                    Property::TRS.into_iter().filter(|p| given.has(*p)).collect()
                }
                Some(parts) => parts.0.clone(),
                None => parts_of(clip, node, unkeyed.map(|(_, pose)| &**pose)),
            };
            let mut changed =
                unkeyed.and_then(|(_, pose)| pose.locals.get(&node)).copied().unwrap_or_default();
            let mut given = *given;
            if let (Some(layers), Some(below)) = (layers, &below) {
                // The displayed pose includes the layers, but the keys are below them.
                let wanted = if given.is_empty() { changed } else { given };
                let at = (node, f64::from(time));
                let under = below.local[node.index()].transform();
                let wanted =
                    below_layers(&with_layers(&under, layers, node, at.1), layers, at, &wanted)?;
                local = wanted.over(&under);
                if given.is_empty() {
                    changed = wanted;
                } else {
                    given = wanted;
                }
            }
            let parts = if layers.is_some()
                && given.translation.is_some()
                && !parts.contains(&Property::Translation)
            {
                [vec![Property::Translation], parts].concat()
            } else {
                parts
            };
            for property in parts {
                refuse_kept(document, clip, node, property)?;
                let value = values(&local, property);
                // A channel without a given or unkeyed value gets a key on its curve, so that the
                // motion does not change.
                let own = given.has(property) || changed.has(property);
                let (track, to) = match clip.track(node, property) {
                    Some((track, old)) => {
                        let value = near_turn(old, time, value);
                        if own && holds(old, time, &value) {
                            continue;
                        }
                        let mut made = insert_key(old, time, own.then_some(&value[..]), exact);
                        // A second key defines the tangents of the first one, so they are
                        // recomputed.
                        if own || (old.times.len() < 2 && made.track.times.len() > 1) {
                            made.track = self.smoothed(old, made.track);
                        }
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
            edits.extend(self.now_keyed(unkeyed, node, &given));
        }
        let note = (worst.0 > TOLD).then(|| motion_changed(document, worst));
        let notes = note.into_iter().chain(locks.note(document)).collect();
        Ok(Outcome { edits, notes, ..Outcome::default() })
    }

    /// Recomputes automatic tangents of a track with a new key. If the track had a single key, sets
    /// its interpolation.
    fn smoothed(&self, old: &Track, made: Track) -> Track {
        match self.interpolation {
            Some(way) if old.times.len() < 2 => with_interpolation(&made, way.interpolation()),
            _ => refreshed(old, made),
        }
    }

    /// Keys the morph weights of a node if they are unkeyed or animated, and the command keys all
    /// channels.
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
        let value = changed.then_some(&weights[..]);
        let key = morphs::MorphKey {
            time,
            node,
            value,
            targets: weights.len(),
            interpolation: self.interpolation,
        };
        morphs::key_edits(document, id, &key, free)
    }

    /// Removes the keyed components from the unkeyed pose.
    fn now_keyed(
        &self,
        unkeyed: Option<&(UnkeyedAt, Shared<Unkeyed>)>,
        node: NodeId,
        given: &Components,
    ) -> Vec<Edit> {
        let Some((at, pose)) = unkeyed else { return Vec::new() };
        let mut edits = Vec::new();
        if let Some(left) = pose.locals.get(&node) {
            let parts = self.parts.as_ref().map_or(&Property::TRS[..], |p| &p.0);
            let keyed =
                |p: Property| if given.is_empty() { parts.contains(&p) } else { given.has(p) };
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

/// Returns the numbers of nodes and of new channels that setting a key would affect.
pub fn what_is_keyed(
    document: &Document,
    clip: ClipId,
    nodes: &[NodeId],
    unkeyed: Option<UnkeyedAt>,
) -> (usize, usize) {
    let Some(clip) = document.clips.get(clip) else { return (0, 0) };
    let pose = unkeyed.and_then(|at| document.aids.unkeyed.get(&at)).map(|pose| &**pose);
    let added = |node: &NodeId| {
        parts_of(clip, *node, pose).into_iter().filter(|p| clip.track(*node, *p).is_none()).count()
    };
    (nodes.len(), nodes.iter().map(added).sum())
}

impl SetUnkeyed {
    /// Sets the given components of an unkeyed pose, and keeps all others.
    fn work(&self, scene: &Scene<'_>) -> Result<Outcome, CommandError> {
        let document = scene.document;
        let id = self.clip.find(document)?;
        clip_of(document, id)?;
        let time = time_of(self.time)?;
        let nodes = self.node.all(document)?;
        let given = some_given(&self.to)?;
        let at = document
            .aids
            .unkeyed(id, f64::from(time))
            .map_or_else(|| UnkeyedAt::new(id, time), |(at, _)| at);
        let target = PoseTarget::of(scene, &PoseDestination::clip(id, time))?;
        let mut locks = LockKeeper::default();
        let mut hold = |node: NodeId| {
            let given = locks.keep(document, node, || target.local(node), &given);
            let to = given.or(document.aids.unkeyed_components(&at, node));
            (!given.is_empty()).then_some(Edit::SetUnkeyed { at, node, to: Some(to) })
        };
        let edits = nodes.into_iter().filter_map(&mut hold).collect();
        let notes = locks.note(document).into_iter().collect();
        Ok(Outcome { edits, notes, ..Outcome::default() })
    }
}

impl DiscardUnkeyed {
    /// Discards unkeyed poses: all, those of one clip, or the one of a clip at a given time.
    fn work(&self, scene: &Scene<'_>) -> Result<Vec<Edit>, CommandError> {
        let document = scene.document;
        let id = self.clip.as_ref().map(|c| c.find(document)).transpose()?;
        let time = self.time.map(|t| t.0);
        if time.is_some() && id.is_none() {
            return Err(CommandError::other(
                "arguments_together",
                "“time” needs a “clip”; name the clip",
            ));
        }
        Ok(without_unkeyed(document, |at| {
            id.is_none_or(|id| id == at.clip)
                && time.is_none_or(|t| (t - at.time()).abs() <= SAME_TIME)
        }))
    }
}
