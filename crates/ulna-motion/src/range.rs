//! Synthetic range of motion: each joint that moves skin is bent about each of its own axes, one
//! after the other.
//!
//! It tests rigs without clips, and rigs whose clips do not bend every joint. The result is a clip,
//! so it can also be played.

use glam::{Quat, Vec3};

use super::{BendingAxis, Pose, Stack, bending_axis};
use ulna_model::{
    Clip, Document, Interpolation, NodeId, Property, Shared, SkinId, Track, TrackId, Tracks,
};

/// Time between two poses, seconds.
const STEP: f32 = 0.5;

/// Returns one flag per joint of a skin: whether any vertex has a weight for it.
fn weighted_joints(document: &Document, skin: SkinId) -> Vec<bool> {
    let mut found = vec![false; document.skin(skin).joints.len()];
    for node in document.nodes.values().filter(|n| n.skin == Some(skin)) {
        let Some(mesh) = node.mesh else { continue };
        for weights in document.mesh(mesh).primitives.iter().filter_map(|p| p.weights.as_deref()) {
            for (joint, weight) in weights.joints.iter().zip(weights.weights.iter()) {
                if *weight > 0.0
                    && let Some(flag) = found.get_mut(usize::from(*joint))
                {
                    *flag = true;
                }
            }
        }
    }
    found
}

/// Creates a clip that bends each joint with weights by `± degrees` about its local X, Y and Z. One
/// joint bends about one axis at a time. Each extreme has a key. All other joints of the skin keep
/// their rest pose.
pub fn range_of_motion(document: &Document, skin: SkinId, degrees: Vec3) -> Clip {
    let weighted = weighted_joints(document, skin);
    let mut tracks = Tracks::default();
    let mut at = 0.0f32;
    let mut seen = std::collections::BTreeSet::new();
    for (joint, weighted) in document.skin(skin).joints.iter().zip(weighted) {
        if !seen.insert(*joint) {
            continue;
        }
        let rest = document.node(*joint).rest.transform().rotation;
        let mut keys = vec![(at, rest)];
        if weighted {
            for axis in [Vec3::X, Vec3::Y, Vec3::Z] {
                let angle = degrees.dot(axis).to_radians();
                for angle in [angle, -angle] {
                    at += STEP;
                    keys.push((at, rest * Quat::from_axis_angle(axis, angle)));
                }
            }
            at += STEP;
            keys.push((at, rest));
        }
        put_rotations(&mut tracks, *joint, &keys);
    }
    Clip { name: Some("Range of motion".into()), tracks, ..Clip::default() }
}

/// Adds a LINEAR rotation track of a joint. Each key is a time in seconds and a rotation.
fn put_rotations(tracks: &mut Tracks, joint: NodeId, keys: &[(f32, Quat)]) {
    let track = Track {
        target: joint,
        property: Property::Rotation,
        interpolation: Interpolation::Linear,
        times: keys.iter().map(|k| k.0).collect(),
        values: keys.iter().flat_map(|k| k.1.to_array()).collect(),
        width: 4,
        kinds: Default::default(),
        modes: Default::default(),
    };
    tracks.insert(TrackId(tracks.len() as u32), Shared::new(track));
}

/// Creates a clip that bends some joints about their main bending axes, one after the other. Each
/// joint bends over its range in the clips of the document, or by `± degrees` if no clip bends it.
pub fn trial_motion(document: &Document, joints: &[NodeId], degrees: f32) -> Clip {
    let rest = Pose::evaluate(document, &Stack::default());
    let mut tracks = Tracks::default();
    let mut at = 0.0f32;
    for joint in joints {
        let Some(BendingAxis { axis, range }) = bending_axis(document, &rest, *joint) else {
            continue;
        };
        let most = degrees.to_radians();
        let [low, high] = range.unwrap_or([-most, most]);
        let rotation = document.node(*joint).rest.transform().rotation;
        let mut keys = vec![(at, rotation)];
        for angle in [high, low, 0.0] {
            at += STEP;
            keys.push((at, rotation * Quat::from_axis_angle(axis, angle)));
        }
        put_rotations(&mut tracks, *joint, &keys);
    }
    Clip { name: Some("Range of motion".into()), tracks, ..Clip::default() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tube;

    #[test]
    fn every_joint_rotates_both_ways_about_one_axis_at_a_time() {
        let document = tube::tube(|y| y);
        let clip = Shared::new(range_of_motion(&document, SkinId(0), Vec3::new(30.0, 45.0, 60.0)));
        for track in clip.tracks.values() {
            track.validate().unwrap();
        }
        let mut found = [[false; 6]; 2];
        for track in clip.tracks.values() {
            for time in track.times.iter() {
                let pose = Pose::evaluate(&document, &Stack::of(Some(&clip), f64::from(*time)));
                let turns = [0, 1].map(|j| pose.local[j].transform().rotation);
                assert!(
                    turns.iter().filter(|q| q.angle_between(Quat::IDENTITY) > 1e-3).count() <= 1
                );
                for (joint, turn) in turns.into_iter().enumerate() {
                    let (axis, angle) = turn.to_axis_angle();
                    for k in 0..3 {
                        let degrees = angle.to_degrees() * axis[k];
                        let wanted = [30.0, 45.0, 60.0][k];
                        found[joint][k * 2] |= (degrees - wanted).abs() < 1e-3;
                        found[joint][k * 2 + 1] |= (degrees + wanted).abs() < 1e-3;
                    }
                }
            }
        }
        assert_eq!(found, [[true; 6]; 2]);
        // A joint without weights does not move.
        let document = tube::tube(|_| 0.0);
        let clip = range_of_motion(&document, SkinId(0), Vec3::splat(45.0));
        assert_eq!(clip.tracks.values().map(|t| t.times.len()).collect::<Vec<_>>(), [8, 1]);
    }

    #[test]
    fn a_trial_motion_bends_each_joint_both_ways_in_turn() {
        let document = tube::tube(|y| y);
        let joints = [NodeId(0), NodeId(1)];
        let clip = Shared::new(trial_motion(&document, &joints, 60.0));
        assert_eq!(clip.length(), 6.0 * STEP);
        let angles = |time: f32| {
            let pose = Pose::evaluate(&document, &Stack::of(Some(&clip), f64::from(time)));
            joints.map(|j| {
                let turn = pose.local[j.index()].transform().rotation;
                turn.to_scaled_axis().x.to_degrees().round()
            })
        };
        let found: Vec<[f32; 2]> = (0..=6).map(|k| angles(k as f32 * STEP)).collect();
        let zero = [0.0, 0.0];
        let wanted = [zero, [60.0, 0.0], [-60.0, 0.0], zero, [0.0, 60.0], [0.0, -60.0], zero];
        assert_eq!(found, wanted);
    }
}
