//! Removes scale and rotation from the nodes above a skeleton.

use std::collections::{BTreeMap, BTreeSet};

use super::{
    commands::{MendArmature, Motion},
    finish::finish,
    rewrite::RigDraft,
};
use crate::command::{CommandError, Outcome, Scene, error::refuse};
use ulna_model::{Document, Interpolation, NodeId, Property, Track, Transform};
use ulna_motion::surgery::Moving;

/// Largest deviation of a scale from 1, and largest rotation in radians, that count as rounding.
const NONE: f64 = 1e-5;

impl MendArmature {
    pub(super) fn work(&self, scene: &Scene<'_>) -> Result<Outcome, CommandError> {
        let document = scene.document;
        let joints: BTreeSet<NodeId> =
            document.skins.values().flat_map(|s| s.joints.iter().copied()).collect();
        // Nodes above joints that are not joints themselves.
        let mut above: BTreeSet<NodeId> = BTreeSet::new();
        for joint in &joints {
            above.extend(std::iter::successors(document.node(*joint).parent, |n| {
                document.node(*n).parent
            }));
        }
        let armature: Vec<NodeId> = document
            .nodes
            .order()
            .iter()
            .copied()
            .filter(|n| above.contains(n) && !joints.contains(n))
            .filter(|n| {
                !std::iter::successors(document.node(*n).parent, |n| document.node(*n).parent)
                    .any(|n| joints.contains(&n))
            })
            .collect();
        let mended = armature.iter().any(|n| !is_plain(&document.node(*n).local().transform()));
        if !mended {
            return Ok(Outcome::noted(
                "nothing_to_mend",
                "the nodes above the skeleton have no scale and no rotation",
            ));
        }
        // Change of each node's frame. It includes the changes of the nodes above.
        let mut frames: BTreeMap<NodeId, Moving> = BTreeMap::new();
        let mut scales: BTreeMap<NodeId, f64> = BTreeMap::new();
        for node in &armature {
            refuse_moving(document, *node)?;
            let own = Moving::still(&document.node(*node).local().transform());
            let (parent, scale) = match document.node(*node).parent {
                Some(p) => (
                    frames.get(&p).copied().unwrap_or(Moving::IDENTITY),
                    scales.get(&p).copied().unwrap_or(1.0),
                ),
                None => (Moving::IDENTITY, 1.0),
            };
            // The new local transform `M' = C_p⁻¹·M·C` becomes the identity. `C` and `C_p` are the
            // frame changes of the node and of its parent.
            let flat = || {
                refuse(
                    "squashed_flat",
                    "a node above the skeleton is scaled to 0; set another scale first",
                )
            };
            let Some(back) = parent.inverse() else { return flat() };
            let Some(c) = back.then(&own).inverse() else { return flat() };
            frames.insert(*node, c);
            scales.insert(*node, scale * own.scale.x);
        }
        for node in document.nodes.order() {
            let is_inside = joints.contains(node) || above.contains(node);
            if !is_inside || frames.contains_key(node) {
                continue;
            }
            let Some(scale) = document.node(*node).parent.and_then(|p| scales.get(&p)) else {
                continue;
            };
            let scale = *scale;
            frames.insert(*node, Moving::scaled(1.0 / scale));
            scales.insert(*node, scale);
        }
        frames.retain(|_, c| *c != Moving::IDENTITY);
        let mut rig = RigDraft::of(document);
        rig.reframe(&frames, Motion::Keep)?;
        finish(rig, scene, None)
    }
}

/// Whether a key of a track differs from a transform, or has a nonzero tangent.
fn moves(track: &Track, rest: &Transform) -> bool {
    let rest: &[f32] = match track.property {
        Property::Translation => &rest.translation.to_array(),
        Property::Rotation => &rest.rotation.to_array(),
        _ => &rest.scale.to_array(),
    };
    let size = rest.iter().fold(1.0f32, |size, v| size.max(v.abs()));
    let is_cubic = track.interpolation == Interpolation::CubicSpline;
    track.values.chunks(rest.len()).enumerate().any(|(k, own)| {
        let off = |sign: f32, of: &[f32]| {
            own.iter().zip(of).fold(0.0f32, |worst, (a, b)| worst.max((a - b * sign).abs()))
        };
        let off = match track.property {
            _ if is_cubic && k % 3 != 1 => off(0.0, rest),
            // Opposite quaternions are the same rotation.
            Property::Rotation => off(1.0, rest).min(off(-1.0, rest)),
            _ => off(1.0, rest),
        };
        off > 1e-5 * size
    })
}

fn is_plain(local: &Transform) -> bool {
    let off = (local.scale - glam::Vec3::ONE).abs().max_element();
    f64::from(off) <= NONE && f64::from(local.rotation.xyz().length()) <= NONE
}

/// Returns an error if keys move an armature node, or if its scale is nonuniform.
fn refuse_moving(document: &Document, node: NodeId) -> Result<(), CommandError> {
    let label = document.node(node).label(node);
    let keyed = document.clips.iter().find(|(_, clip)| {
        let tracks = Property::TRS.iter().filter_map(|p| clip.track(node, *p));
        tracks.into_iter().any(|(_, track)| moves(track, &document.node(node).local().transform()))
    });
    if let Some((clip, _)) = keyed {
        return refuse(
            "armature_moves",
            format!(
                "keys of “{}” move “{label}”, so its scale and rotation cannot be removed",
                document.clip_label(clip)
            ),
        );
    }
    if !Moving::still(&document.node(node).local().transform()).is_uniform() {
        return refuse(
            "uneven_scale",
            format!("the scale of “{label}” differs between axes, so it cannot be removed"),
        );
    }
    Ok(())
}
