//! Pose offsets (`Ul`) of nodes: computing them from wanted transforms, and notices about shear.

use std::collections::BTreeSet;

use glam::{Quat, Vec3};

use super::{CommandError, Outcome, field::Trs};
use crate::Edit;
use ulna_model::{
    Components, Document, Local, NodeId, NodePose, Notice, Property, Track, Transform,
    TransformError, transform::is_turned_less,
};

pub(super) fn failed(
    document: &Document,
    node: NodeId,
) -> impl FnOnce(TransformError) -> CommandError + '_ {
    move |source| CommandError::Transform { node: document.node(node).label(node), source }
}

/// Tolerance for rounding: angles in radians, and relative differences of factors.
const SAME: f32 = 1e-7;

/// Returns the pose of a node with some components of its local transform changed. Other components
/// keep their exact numbers, in the local transform and in `Ul`.
///
/// The result is `None` if `Ul` becomes the identity. A matrix is converted to translation,
/// rotation and scale.
///
/// # Errors
/// If no pose offset `Ul` gives the wanted transform.
pub fn pose_at(
    document: &Document,
    node: NodeId,
    wanted: &Components,
) -> Result<Option<NodePose>, CommandError> {
    let found = document.node(node);
    let now = found.local().transform();
    let wanted = changed(&now, wanted);
    if wanted.is_empty() {
        return Ok(found.pose);
    }
    let old = found.user().unwrap_or_default();
    let user = found.rest.transform().user_where(&wanted, &old);
    let mut user = user.map_err(failed(document, node))?;
    for k in 0..3 {
        // The conversion through the rest transform causes rounding.
        if found.locks.translation[k] {
            user.translation[k] = old.translation[k];
        }
        if found.locks.scale[k] {
            user.scale[k] = old.scale[k];
        }
    }
    Ok(tidy(&found.rest, user, wanted.over(&now)))
}

/// Returns the components that differ from the current ones by more than rounding. An edit without
/// effect must not change the last digits.
pub(super) fn changed(now: &Transform, wanted: &Components) -> Components {
    let near = now.translation.abs().max_element().max(1e-3) * SAME;
    Components {
        translation: wanted
            .translation
            .filter(|t| (*t - now.translation).abs().max_element() > near || !t.is_finite()),
        rotation: wanted
            .rotation
            .filter(|r| !is_turned_less(*r, now.rotation, SAME) || !r.is_finite()),
        scale: wanted.scale.filter(|s| {
            (*s - now.scale).abs().max_element() > SAME * now.scale.abs().max_element().max(1.0)
                || !s.is_finite()
        }),
    }
}

/// Replaces components of `Ul` that equal the identity up to rounding by the exact identity, with
/// the exact rest values. Returns `None` if all components equal the identity.
pub(super) fn tidy(rest: &Local, mut user: Transform, mut local: Transform) -> Option<NodePose> {
    let base = rest.transform();
    if user.translation.abs().max_element() <= 1e-9 {
        (user.translation, local.translation) = (Vec3::ZERO, base.translation);
    }
    if is_turned_less(user.rotation, Quat::IDENTITY, SAME) {
        (user.rotation, local.rotation) = (Quat::IDENTITY, base.rotation);
    }
    if (user.scale - Vec3::ONE).abs().max_element() < SAME {
        (user.scale, local.scale) = (Vec3::ONE, base.scale);
    }
    (user != Transform::IDENTITY).then_some(NodePose { user, local: Local::Trs(local) })
}

/// Notice about shear that is lost when a matrix is converted to translation, rotation and scale;
/// `None` if there is none.
pub(super) fn shear_remark(document: &Document, edits: &[Edit]) -> Option<Notice> {
    let mut worst: Option<(f32, NodeId)> = None;
    let mut count = 0;
    for (node, to) in poses_of(edits) {
        let found = document.node(*node);
        let Local::Matrix(was) = found.pose.as_ref().map_or(&found.rest, |p| &p.local) else {
            continue;
        };
        if let Local::Trs(_) = to.as_ref().map_or(&found.rest, |p| &p.local) {
            let residue = Transform::decompose(was, &Transform::IDENTITY).residue;
            if residue > 1e-4 {
                count += 1;
                if worst.is_none_or(|(w, _)| residue > w) {
                    worst = Some((residue, *node));
                }
            }
        }
    }
    let (residue, node) = worst?;
    let label = document.node(node).label(node);
    let percent = residue * 100.0;
    let whose = if count == 1 {
        format!("“{label}” has a matrix with {percent:.1} % of shear")
    } else {
        format!(
            "{count} nodes, such as “{label}”, have matrices with up to {percent:.1} % of shear"
        )
    };
    let said = format!(
        "{whose}; the shear was removed, because translation, rotation and scale cannot store it"
    );
    Some(Notice::new("shear_dropped", said))
}

/// Returns the poses that edits set.
fn poses_of(edits: &[Edit]) -> impl Iterator<Item = &(NodeId, Option<NodePose>)> {
    edits
        .iter()
        .filter_map(|e| if let Edit::SetPoses(poses) = e { Some(poses) } else { None })
        .flatten()
}

/// Converts matrices of animated nodes to translation, rotation and scale, as glTF requires (glTF
/// 2.0, *Transformations*). Adds notices about lost shear.
pub fn free_of_matrices(document: &Document, done: &mut Outcome) {
    let mut moved = BTreeSet::new();
    for edit in &done.edits {
        match edit {
            Edit::SetTrack { to: Some(track), .. } => moved.extend(moved_by(track)),
            Edit::SetClip { to: Some(clip), .. } => {
                moved.extend(clip.tracks.values().filter_map(|t| moved_by(t)))
            }
            _ => {}
        }
    }
    let plain = |node: NodeId, was: &Local| {
        let (rest, local) = (&document.node(node).rest, Local::Trs(was.transform()));
        let user = rest.transform().user_from(&local.transform()).unwrap_or_default();
        Some(NodePose { user, local })
    };
    let keyed = |node: NodeId| {
        let mut tracks = document.clips.values().flat_map(|c| c.tracks.values());
        tracks.any(|t| moved_by(t) == Some(node))
    };
    for edit in &mut done.edits {
        let Edit::SetPoses(poses) = edit else { continue };
        for (node, to) in poses {
            // A new node has no previous matrix.
            let Some(was) = document.nodes.get(*node) else { continue };
            let becomes = to.as_ref().map_or(&was.rest, |p| &p.local);
            if matches!(becomes, Local::Matrix(_)) && (moved.contains(node) || keyed(*node)) {
                *to = plain(*node, becomes);
            }
            moved.remove(node);
        }
    }
    let mut freed = Vec::new();
    for node in moved {
        let Some(local) = document.nodes.get(node).map(ulna_model::Node::local) else { continue };
        if let Local::Matrix(_) = local {
            freed.push((node, plain(node, &local)));
        }
    }
    done.notes.extend(layered_shear(document, &done.edits));
    if freed.is_empty() {
        return;
    }
    let freed = Edit::SetPoses(freed);
    done.notes.extend(shear_remark(document, std::slice::from_ref(&freed)));
    done.edits.push(freed);
}

/// Notice about shear that is lost when new layers are baked into joints with matrices; `None` if
/// there is none.
fn layered_shear(document: &Document, edits: &[Edit]) -> Option<Notice> {
    let mut taken = Vec::new();
    for edit in edits {
        let Edit::SetPoseLayers { home, to: Some(layers) } = edit else { continue };
        let before = document.aids.layers(*home);
        let was = |n: &NodeId| before.iter().any(|l| l.says(*n));
        let nodes = layers.iter().flat_map(|l| l.nodes()).filter(|n| !was(n));
        let matrices = nodes.filter(|n| matches!(document.node(*n).local(), Local::Matrix(_)));
        taken.extend(matrices.map(|n| {
            let local = Local::Trs(document.node(n).local().transform());
            (n, Some(NodePose { user: Transform::IDENTITY, local }))
        }));
    }
    if taken.is_empty() { None } else { shear_remark(document, &[Edit::SetPoses(taken)]) }
}

/// Returns the node whose transform a track animates; `None` for morph weights.
fn moved_by(track: &Track) -> Option<NodeId> {
    (track.property != Property::Weights).then_some(track.target)
}

pub(super) fn done(document: &Document, edits: Vec<Edit>) -> Outcome {
    Outcome {
        notes: shear_remark(document, &edits).into_iter().collect(),
        edits,
        ..Outcome::default()
    }
}

/// Returns the given components. Fails if there are none.
pub(super) fn some_given(to: &Trs) -> Result<Components, CommandError> {
    let given = to.components();
    if given.is_empty() {
        return Err(CommandError::other(
            "argument_missing",
            "there is nothing to set; add translation, rotation, degrees or scale",
        ));
    }
    Ok(given)
}
