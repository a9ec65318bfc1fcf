//! Values of pose layers: constant offsets, and keys of offsets.

use glam::{Quat, Vec3};

use super::clip_keys::{SAME_TIME, lone, near_turn, values};
use ulna_model::{
    Clip, Components, Interpolation, NodeId, PoseLayer, Property, Shared, Track, Transform,
};
use ulna_motion::{
    clip_edit::{key_span, with_interpolation},
    insert_key,
};

/// Returns all components of a transform.
pub(super) fn all_of(to: &Transform) -> Components {
    Components {
        translation: Some(to.translation),
        rotation: Some(to.rotation),
        scale: Some(to.scale),
    }
}

/// Sets components of the offset `U` of a node in a layer. Keyed components get a key, and others a
/// constant value. Returns whether anything was set.
pub(super) fn set_user(layer: &mut PoseLayer, node: NodeId, time: f32, to: &Components) -> bool {
    let keyed = |p: Property| layer.keys.track(node, p).map(|(id, track)| (id, track.clone()));
    let mut constant = *to;
    let mut tracks = Vec::new();
    for property in Property::TRS.into_iter().filter(|p| to.has(*p)) {
        let Some((id, track)) = keyed(property) else { continue };
        let value = values(&to.over(&Transform::IDENTITY), property);
        let value = near_turn(&track, time, value);
        let made = insert_key(&track, time, Some(&value), false);
        tracks.push((id, smooth(&track, made.track)));
        match property {
            Property::Translation => constant.translation = None,
            Property::Rotation => constant.rotation = None,
            Property::Scale | Property::Weights => constant.scale = None,
        }
    }
    if tracks.is_empty() && constant.is_empty() {
        return false;
    }
    if !constant.is_empty() {
        let moves = Shared::make_mut(&mut layer.moves);
        let user = constant.over(&moves.get(&node).copied().unwrap_or_default());
        if user == Transform::IDENTITY {
            moves.remove(&node);
        } else {
            moves.insert(node, user);
        }
    }
    if !tracks.is_empty() {
        let keys = Shared::make_mut(&mut layer.keys);
        for (id, track) in tracks {
            keys.tracks.insert(id, Shared::new(track));
        }
    }
    true
}

/// Whether a component of a transform differs from the identity.
pub(super) fn moves(user: &Transform, property: Property) -> bool {
    match property {
        Property::Translation => user.translation != Vec3::ZERO,
        Property::Rotation => user.rotation != Quat::IDENTITY,
        Property::Scale | Property::Weights => user.scale != Vec3::ONE,
    }
}

/// Returns neutral keys, which change nothing, at the given times.
pub(super) fn zeros(times: &[f32], property: Property) -> Vec<(f32, Vec<f32>)> {
    times.iter().map(|t| (*t, values(&Transform::IDENTITY, property))).collect()
}

/// Time range of the keys of a clip.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct ClipSpan {
    /// Times of the first and the last key, in seconds.
    first: f32,
    last: f32,
    /// Length of a frame in seconds; 0 if the clip has no frame rate.
    frame: f32,
}

impl ClipSpan {
    pub(super) fn of(clip: &Clip) -> Self {
        let (first, last) = key_span(clip).unwrap_or_default();
        let frame = clip.guess_fps().map_or(0.0, |(rate, _)| (1.0 / rate) as f32);
        Self { first, last, frame }
    }

    /// Time between a new key and the added key that restores the constant value, in seconds: the
    /// whole number of frames closest to 0.25 s.
    fn ease(&self) -> f32 {
        const EASE: f32 = 0.25;
        if self.frame > 0.0 { (EASE / self.frame).round().max(1.0) * self.frame } else { EASE }
    }
}

/// Returns the keys of a component that was constant. Additional keys before and after the new keys
/// keep the constant value. They are within the range of the clip's keys if possible.
pub(super) fn kept_around(
    constant: &Transform,
    (node, property): (NodeId, Property),
    set: &[(f32, Vec<f32>)],
    span: ClipSpan,
) -> Track {
    let ease = span.ease();
    let was = values(constant, property);
    let mut keys: Vec<(f32, Vec<f32>)> = set.to_vec();
    keys.sort_by(|a, b| a.0.total_cmp(&b.0));
    keys.dedup_by(|a, b| a.0 - b.0 <= SAME_TIME);
    let mut more: Vec<f32> = Vec::new();
    for pair in keys.windows(2) {
        let (from, to) = (pair[0].0, pair[1].0);
        let near = ease.min((to - from) * 0.5);
        more.extend([from + near, to - near]);
    }
    let apart = SAME_TIME * 2.0;
    if let (Some((from, _)), Some((to, _))) = (keys.first(), keys.last()) {
        more.extend(around_of(*from, *to, (span.first, span.last), (ease, apart)));
    }
    more.sort_by(f32::total_cmp);
    more.dedup_by(|a, b| *a - *b <= apart);
    keys.extend(more.into_iter().map(|t| (t, was.clone())));
    keys.sort_by(|a, b| a.0.total_cmp(&b.0));
    let times = keys.iter().map(|(t, _)| *t).collect();
    let width = was.len();
    let mut values: Vec<f32> = Vec::with_capacity(keys.len() * width);
    for (_, value) in &keys {
        // The sign of a quaternion is chosen closest to the previous key.
        let last = values.len().checked_sub(width).map(|from| &values[from..]);
        let dot = last.map_or(1.0, |last| last.iter().zip(value).map(|(a, b)| a * b).sum::<f32>());
        let sign = if property == Property::Rotation && dot < 0.0 { -1.0 } else { 1.0 };
        values.extend(value.iter().map(|v| v * sign));
    }
    let interpolation = Interpolation::Linear;
    let (kinds, modes) = Default::default();
    let made = Track {
        target: node,
        property,
        interpolation,
        times,
        values: values.into(),
        width,
        kinds,
        modes,
    };
    with_interpolation(&made, Interpolation::CubicSpline)
}

/// Converts constant components of a node to keys, so that another key can be set at a time.
pub(super) fn first_keys(
    layer: &mut PoseLayer,
    node: NodeId,
    time: f32,
    to: &Components,
    span: ClipSpan,
) {
    let constant = layer.constant(node);
    let wanted = to.over(&constant);
    for property in Property::TRS.into_iter().filter(|p| to.has(*p)) {
        if layer.keys.track(node, property).is_some() {
            continue;
        }
        let value = values(&wanted, property);
        let made = if moves(&constant, property) {
            kept_around(&constant, (node, property), &[(time, value)], span)
        } else {
            lone(node, property, time, value)
        };
        let keys = Shared::make_mut(&mut layer.keys);
        keys.tracks.insert(keys.free_track_id(), Shared::new(made));
    }
}

/// Returns the times of additional keys before and after a range of keys, within the clip, in
/// seconds.
fn around_of(from: f32, to: f32, (first, last): (f32, f32), (ease, apart): (f32, f32)) -> Vec<f32> {
    let mut more = Vec::new();
    if from - first > apart {
        more.push((from - ease).max(first));
    }
    // A clip without a length has no end that limits the keys.
    if last - to > apart || last <= first {
        more.push(if last <= first { to + ease } else { (to + ease).min(last) });
    }
    more
}

/// Sets a key of a component of the offset `U`.
pub(super) fn key_user(
    layer: &mut PoseLayer,
    node: NodeId,
    property: Property,
    time: f32,
    user: &Transform,
) {
    let value = values(user, property);
    let keys = Shared::make_mut(&mut layer.keys);
    let (id, track) = match keys.track(node, property) {
        Some((id, old)) => {
            let made = old.with_key(time, &value, SAME_TIME);
            (id, smooth(old, made))
        }
        None => (keys.free_track_id(), lone(node, property, time, value)),
    };
    keys.tracks.insert(id, Shared::new(track));
}

/// Makes the keys of a layer smooth, and recomputes automatic tangents.
pub(super) fn smooth(old: &Track, made: Track) -> Track {
    if old.times.len() < 2 {
        with_interpolation(&made, Interpolation::CubicSpline)
    } else {
        ulna_motion::clip_edit::refreshed(old, made)
    }
}
