//! Transfer of the keys of joints and morph targets to this document.

use glam::{Quat, Vec3};

use super::skeletons::{ClipTransfer, Constants, JointPair};
use crate::transfer::target_name;
use ulna_model::{
    Clip, Document, Interpolation, NodeId, Property, Shared, Track,
    transform::{angle_between, unit_or},
};

/// A transferred clip.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CarriedClip {
    /// The transferred clip. Its tracks target nodes of this document.
    pub clip: Clip,
    /// Moving nodes of the other document without a counterpart.
    pub lost: Vec<NodeId>,
    /// Names of moving morph targets that no mesh of this document has.
    pub lost_targets: Vec<String>,
    /// Joints of this document that were resampled, because nodes without a counterpart move
    /// between them and their nearest ancestors with a counterpart.
    pub resampled: Vec<NodeId>,
    /// Number of scales that could not be transferred, because the axes of both joints are not
    /// aligned.
    pub scales_left: usize,
    /// Number of channels that were left out: JSON pointers that do not move a node, and channels
    /// whose keys cannot be edited.
    pub left_out: usize,
}

impl ClipTransfer<'_> {
    /// Converts a track with the conversion constants of its joint.
    pub(super) fn through(
        &self,
        by: &Constants,
        pair: &JointPair,
        track: &Shared<Track>,
        made: &mut CarriedClip,
    ) -> Option<Shared<Track>> {
        let untouched = pair.is_same
            || (track.property == Property::Rotation && {
                // Both joints have the same axes, up to rounding to single precision.
                let none = |q: Quat| angle_between(q, Quat::IDENTITY) < 2e-6;
                none(by.left) && none(by.right)
            });
        if untouched {
            let same = Track { target: pair.to, ..(**track).clone() };
            return Some(Shared::new(same));
        }
        let (width, stride) = (track.width, track.stride());
        let mut values = track.values.to_vec();
        for (k, value) in values.chunks_mut(width).enumerate() {
            let is_value = track.interpolation != Interpolation::CubicSpline
                || (k * width % stride) / width == 1;
            match track.property {
                Property::Rotation => {
                    value.copy_from_slice(&by.rotation(Quat::from_slice(value)).to_array())
                }
                Property::Translation => {
                    value.copy_from_slice(
                        &by.translation(Vec3::from_slice(value), !is_value).to_array(),
                    );
                }
                Property::Scale => match by.scale(Vec3::from_slice(value)) {
                    Some(scale) => value.copy_from_slice(&scale.to_array()),
                    None => {
                        made.scales_left += 1;
                        return None;
                    }
                },
                Property::Weights => return None,
            }
        }
        Some(Shared::new(Track { target: pair.to, values: values.into(), ..(**track).clone() }))
    }

    /// Creates one key per component for a joint without keys, if its pose differs between the
    /// documents.
    pub(super) fn as_posed(
        &self,
        by: &Constants,
        pair: &JointPair,
        is_free: &dyn Fn(Property) -> bool,
    ) -> Vec<Shared<Track>> {
        /// Minimum visible difference between poses: radians, or relative to the body's height.
        const SEEN: f32 = 2e-3;
        let there = self.theirs.node(pair.from).local().transform();
        let here = self.ours.node(pair.to).local().transform();
        let unit = self.stands[1].parent(self.ours, pair.to).1;
        let (rotation, translation) = if pair.is_same {
            (there.rotation, there.translation)
        } else {
            (
                unit_or(by.rotation(there.rotation), here.rotation),
                by.translation(there.translation, false),
            )
        };
        let mut made = Vec::new();
        let mut key = |property: Property, value: Vec<f32>| {
            made.push(Shared::new(Track {
                target: pair.to,
                property,
                interpolation: Interpolation::Linear,
                times: [0.0].into(),
                width: value.len(),
                values: value.into(),
                kinds: Default::default(),
                modes: Default::default(),
            }));
        };
        if is_free(Property::Rotation) && angle_between(rotation, here.rotation) > SEEN {
            key(Property::Rotation, rotation.to_array().to_vec());
        }
        if is_free(Property::Translation)
            && translation.distance(here.translation) * unit > SEEN * self.stands[1].height
        {
            key(Property::Translation, translation.to_array().to_vec());
        }
        made
    }

    /// Transfers a track of morph target weights to the node with the same name. If there is none,
    /// it is transferred to a node with targets of the same names. Moving targets without a
    /// counterpart are added to `lost`.
    pub(super) fn morphs(&self, track: &Track, lost: &mut Vec<String>) -> Option<Track> {
        let names = |document: &Document, node: NodeId| {
            let count = document.node(node).mesh.map_or(0, |m| document.mesh(m).target_count());
            (0..count).map(|k| target_name(document, node, k)).collect::<Vec<_>>()
        };
        let theirs = names(self.theirs, track.target);
        let label = self.theirs.node(track.target).label(track.target);
        let with_targets = || {
            self.ours.node_ids().filter(|n| {
                self.ours.node(*n).mesh.is_some_and(|m| self.ours.mesh(m).target_count() > 0)
            })
        };
        let target = with_targets().find(|n| self.ours.node(*n).label(*n) == label).or_else(|| {
            with_targets().find(|n| {
                names(self.ours, *n).iter().any(|t| !t.starts_with('#') && theirs.contains(t))
            })
        });
        let ours = target.map_or_else(Vec::new, |n| names(self.ours, n));
        let moved =
            |k: usize| track.values.iter().skip(k).step_by(track.width.max(1)).any(|v| *v != 0.0);
        let missing = (0..track.width)
            .filter(|k| theirs.get(*k).is_none_or(|name| !ours.contains(name)) && moved(*k));
        lost.extend(missing.map(|k| match theirs.get(k) {
            Some(name) if !name.starts_with('#') => name.clone(),
            _ => format!("target {k} of {label}"),
        }));
        let target = target?;
        if theirs == ours && ours.len() == track.width {
            return Some(Track { target, ..track.clone() });
        }
        let now = self.ours.morph_weights(target);
        let from: Vec<Option<usize>> = ours
            .iter()
            .map(|name| theirs.iter().position(|t| t == name).filter(|k| *k < track.width))
            .collect();
        if from.iter().all(Option::is_none) {
            return None;
        }
        let per_key = track.interpolation.values_per_key();
        let rows = track.values.chunks(track.width).enumerate();
        let values = rows
            .flat_map(|(row, values)| {
                let is_value = per_key == 1 || row % per_key == 1;
                let now = &now;
                from.iter().enumerate().map(move |(k, f)| {
                    let still = if is_value { now.get(k).copied().unwrap_or(0.0) } else { 0.0 };
                    f.map_or(still, |f| values[f])
                })
            })
            .collect();
        Some(Track { target, width: ours.len(), values, ..track.clone() })
    }
}
