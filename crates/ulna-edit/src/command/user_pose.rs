//! User-local transforms (`Ul`) of nodes: the one that yields wanted components, and the shear that
//! matrices lose.

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

/// Angles and factors that differ by less than this are one: the last digit of a float.
const SAME: f32 = 1e-7;

/// The edit that gives some components of a node's local transform other values. The others keep
/// their bits, in the local transform and in `Ul`; an `Ul` that comes to nothing is stored as none.
/// A matrix becomes translation, rotation and scale.
///
/// # Errors
/// Where no `Ul` does it.
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
        // The way through the parent's space costs a last digit.
        if found.locks.translation[k] {
            user.translation[k] = old.translation[k];
        }
        if found.locks.scale[k] {
            user.scale[k] = old.scale[k];
        }
    }
    Ok(tidy(&found.rest, user, wanted.over(&now)))
}

/// Of some components those that differ from what is there: a turn by nothing must leave nothing,
/// not a last digit.
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

/// No pose where `Ul` is the identity to the last digit or two; components of it that are go back
/// to the rest's own bits.
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

/// Notice about shear that an edit of these nodes drops: matrices can hold shear; translation,
/// rotation and scale cannot.
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
    let whose = if count == 1 {
        format!("“{label}” has")
    } else {
        format!("{count} nodes, “{label}” the most, have")
    };
    let said = format!(
        "{whose} a matrix with {:.1} % of shear; the shear was removed, because translation, \
            rotation and scale cannot store it",
        residue * 100.0
    );
    Some(Notice::new("shear_dropped", said))
}

/// The poses that edits set.
fn poses_of(edits: &[Edit]) -> impl Iterator<Item = &(NodeId, Option<NodePose>)> {
    edits
        .iter()
        .filter_map(|e| if let Edit::SetPoses(poses) = e { Some(poses) } else { None })
        .flatten()
}

/// Adds what edits of keys need besides: a node that a clip moves has no matrix (glTF 2.0,
/// *Transformations*), so those that have one get translation, rotation and scale, and what that
/// drops is said.
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
            // A new node has no matrix that could stay.
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

/// Notice about shear that baking layers would drop, of joints with matrices.
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

/// The node whose transform a track moves.
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

/// The components that are given, at least one.
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
