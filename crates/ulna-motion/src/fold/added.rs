//! Transforms that layers add to a node, and the node without them.

use glam::{Quat, Vec3};

use crate::{frame::set, sample::sample_into};
use ulna_model::{Clip, FileContent, Interpolation, NodeId, Property, Track, Transform, part_of};

/// Contribution of one layer to one node.
pub(super) struct Added<'a> {
    pub(super) constant: Transform,
    pub(super) tracks: Vec<&'a Track>,
    pub(super) strength: f32,
    pub(super) strength_keys: Option<&'a Track>,
    pub(super) mask: f32,
}

impl Added<'_> {
    pub(super) fn at(&self, time: f64) -> Transform {
        let mut user = self.constant;
        let mut buffer = [0.0; 4];
        for track in &self.tracks {
            let out = &mut buffer[..track.width];
            sample_into(track, time, out);
            set(&mut user, track.property, out);
        }
        let strength = self.strength_keys.map_or(self.strength, |keys| {
            sample_into(keys, time, &mut buffer[..1]);
            buffer[0].clamp(0.0, 1.0)
        });
        part_of(&user, strength * self.mask)
    }

    fn track(&self, property: Property) -> Option<&Track> {
        self.tracks.iter().find(|t| t.property == property).copied()
    }

    /// Whether the layer affects the component at any time.
    pub(super) fn moves(&self, property: Property) -> bool {
        let still = |user: &Transform| match property {
            Property::Translation => user.translation == Vec3::ZERO,
            Property::Rotation => user.rotation == Quat::IDENTITY,
            Property::Scale | Property::Weights => user.scale == Vec3::ONE,
        };
        self.track(property).is_some() || !still(&self.constant)
    }

    /// Whether the layer's effect on the component changes over time.
    pub(super) fn is_keyed(&self, property: Property) -> bool {
        self.track(property).is_some_and(varies)
            || (self.moves(property) && self.strength_keys.is_some_and(varies))
    }
}

/// Whether the value of a track changes over time.
pub(super) fn varies(track: &Track) -> bool {
    let width = track.stride();
    track.values.chunks(width).skip(1).any(|key| *key != track.values[..width])
        || (track.interpolation == Interpolation::CubicSpline
            && track
                .values
                .chunks(track.width)
                .enumerate()
                .any(|(k, v)| k % 3 != 1 && v.iter().any(|v| *v != 0.0)))
}

/// A node without its layers: its local transform in the file, and the tracks of the clip.
pub(super) struct Under<'a> {
    base: Transform,
    /// Tracks of translation, rotation and scale.
    pub(super) tracks: [Option<&'a Track>; 3],
}

impl<'a> Under<'a> {
    pub(super) fn of(file: &FileContent, clip: &'a Clip, node: NodeId) -> Self {
        let pointed = |p: Property| {
            let tracks = clip.pointers.iter().filter_map(|t| t.track.as_ref());
            tracks.filter(|t| (t.target, t.property) == (node, p)).map(|t| &**t).next_back()
        };
        let track = |p| pointed(p).or_else(|| clip.track(node, p).map(|(_, t)| &**t));
        Self { base: file.node(node).local().transform(), tracks: Property::TRS.map(track) }
    }

    pub(super) fn at(&self, time: f64) -> Transform {
        let mut local = self.base;
        let mut buffer = [0.0; 4];
        for track in self.tracks.iter().flatten() {
            let out = &mut buffer[..track.width];
            sample_into(track, time, out);
            set(&mut local, track.property, out);
        }
        local
    }
}
