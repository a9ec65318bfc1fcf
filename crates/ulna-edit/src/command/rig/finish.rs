//! The end of a change of the skeleton: weights find their heirs, rests follow, and the deviation
//! is measured.

use std::{collections::BTreeMap, sync::atomic::AtomicBool};

use glam::{DMat4, Mat4};

use super::{commands::Heirs, rewrite::RigDraft};
use crate::{
    Edit,
    command::{
        CommandError, Outcome, Scene,
        rig_report::{FitReport, NodeCounts, RigReport},
    },
};
use ulna_model::{Clip, ClipId, Document, Mesh, MeshId, NodeId, Notice, Primitive, Shared, SkinId};
use ulna_motion::{Deviation, DeviationRequest, Exactness, JointFrame, Skeleton};
use ulna_weights::{
    FIT_POSES, FitRequest, FittedWeights, fit_poses, fit_weights, vertices_of_joints,
};

/// The skin moves less than this where nothing but rounding is between, in parts of the size.
const NOISE: f64 = 1e-5;

/// Completes a change of the skeleton: weights of removed joints find their heirs, rests follow,
/// and what it does to all clips is measured.
pub(super) fn finish(
    mut rig: RigDraft,
    scene: &Scene<'_>,
    heirs: Option<Heirs>,
) -> Result<Outcome, CommandError> {
    let (before, cancel) = (scene.document, scene.cancel());
    let is_fitted = match heirs {
        Some(heirs) => heirs == Heirs::Fit,
        None => before.clips.iter().next().is_some(),
    };
    let mut fitted = FitReport::default();
    let gone: Vec<NodeId> =
        before.node_ids().filter(|n| !rig.document().nodes.contains(*n)).collect();
    rig.settle()?;
    // Nodes that move no vertex leave no weights behind.
    let deforms = Skeleton::of(before).deforms;
    let leaves_weights = gone.iter().any(|n| deforms[n.index()]);
    if is_fitted && leaves_weights {
        for done in fit(&mut rig, before, &gone, cancel)? {
            fitted.add(&done);
        }
    }
    if !rig.refitted.is_empty() {
        for done in refit(&mut rig, before, cancel)? {
            fitted.add(&done);
        }
    }
    let reframed = rig.frames.iter().filter(|(n, _)| before.nodes.contains(**n));
    let mut frames: Vec<JointFrame> = reframed
        .map(|(n, c)| JointFrame { before: *n, after: *n, before_from_after: c.matrix() })
        .collect();
    let reframed = frames.len();
    frames.extend(rig.shown_by.iter().map(|(n, to)| JointFrame {
        before: *n,
        after: *to,
        before_from_after: DMat4::IDENTITY,
    }));
    let excluded: Vec<NodeId> =
        gone.iter().chain(&rig.stilled).chain(rig.shown_by.keys()).copied().collect();
    let is_exact = rig.tracks.baked == 0
        && !leaves_weights
        && !rig.moves_skin
        && before.aids.pose_layers.is_empty();
    let exactness = if is_exact { Exactness::Exact } else { Exactness::Bounded };
    let request = DeviationRequest {
        joints: &frames,
        excluded: &excluded,
        ..DeviationRequest::new(before, rig.document(), exactness)
    };
    let measured = Deviation::measure(&request, cancel, &Default::default());
    let Some(mut deviation) = measured else { return Err(canceled()) };
    if is_exact && deviation.worst_mm <= NOISE * deviation.size * 1000.0 {
        (deviation.mean_mm, deviation.p99_mm, deviation.worst_mm) = (0.0, 0.0, 0.0);
        (deviation.worst_degrees, deviation.worst_joint_mm) = (0.0, 0.0);
    }
    let report = RigReport {
        nodes: NodeCounts { reframed, rested: rig.rested, ..node_counts(before, rig.document()) },
        inverse_binds: inverse_binds(before, rig.document()),
        skins: [before.skins.count(), rig.document().skins.count()],
        shapes: changed_meshes(before, rig.document(), |a, b| a.shape() != b.shape()),
        weights: changed_meshes(before, rig.document(), |a, b| a.weights != b.weights),
        tracks: rig.tracks,
        tracks_removed: tracks_of(before, &gone),
        clips: changed_clips(before, rig.document()),
        gives_weights: leaves_weights,
        fitted,
        deviation,
    };
    let notes = vec![Notice::new("clips_followed", report.sentence(before))];
    Ok(Outcome { edits: rig.draft.edits, notes, rig: Some(Box::new(report)), ..Outcome::default() })
}

/// Number of tracks of some nodes in all clips.
fn tracks_of(document: &Document, nodes: &[NodeId]) -> usize {
    let tracks = document.clips.values().flat_map(|c| c.tracks.values());
    tracks.filter(|t| nodes.contains(&t.target)).count()
}

/// Number of clips that are others than before.
fn changed_clips(before: &Document, after: &Document) -> usize {
    let is_same = |id: ClipId, clip: &Shared<Clip>| {
        before.clips.get(id).is_some_and(|was| Shared::ptr_eq(was, clip) || was == clip)
    };
    after.clips.iter().filter(|(id, clip)| !is_same(*id, clip)).count()
}

/// Number of meshes of which some primitive differs.
fn changed_meshes(
    before: &Document,
    after: &Document,
    differs: impl Fn(&Primitive, &Primitive) -> bool,
) -> usize {
    let is_changed = |(id, was): &(MeshId, &Shared<Mesh>)| {
        let now = after.meshes.get(*id).filter(|now| !Shared::ptr_eq(was, now));
        now.is_some_and(|now| {
            was.primitives.iter().zip(&now.primitives).any(|(a, b)| differs(a, b))
        })
    };
    before.meshes.iter().filter(is_changed).count()
}

fn canceled() -> CommandError {
    CommandError::other("canceled", "canceled")
}

/// Nodes that are new, gone, or attached elsewhere.
fn node_counts(before: &Document, after: &Document) -> NodeCounts {
    let mut counts = NodeCounts {
        removed: before.node_ids().filter(|n| !after.nodes.contains(*n)).collect(),
        ..NodeCounts::default()
    };
    for node in after.node_ids() {
        match before.nodes.get(node) {
            None => counts.added += 1,
            Some(was) => {
                counts.attached += usize::from(was.parent != after.node(node).parent);
            }
        }
    }
    counts
}

/// Number of joints of all skins with another inverse bind matrix, and of all joints.
fn inverse_binds(before: &Document, after: &Document) -> [usize; 2] {
    let mut counts = [0, 0];
    for (id, skin) in after.skins.iter() {
        let was: BTreeMap<NodeId, Mat4> = before.skins.get(id).map_or_else(BTreeMap::new, |was| {
            was.joints.iter().copied().zip(was.inverse_bind.iter().copied()).collect()
        });
        let now = skin.joints.iter().zip(skin.inverse_bind.iter());
        counts[0] += now.filter(|(joint, bind)| was.get(joint) != Some(*bind)).count();
        counts[1] += skin.joints.len();
    }
    counts
}

/// Chooses the weights of vertices that lost joints so that the clips change least.
fn fit(
    rig: &mut RigDraft,
    before: &Document,
    gone: &[NodeId],
    cancel: &AtomicBool,
) -> Result<Vec<FittedWeights>, CommandError> {
    let after = rig.document().clone();
    let skins: Vec<SkinId> = before
        .skins
        .iter()
        .filter(|(id, skin)| {
            after.skins.contains(*id) && skin.joints.iter().any(|j| gone.contains(j))
        })
        .map(|(id, _)| id)
        .collect();
    if skins.is_empty() {
        return Ok(Vec::new());
    }
    let poses = fit_poses(before, &after, FIT_POSES);
    let mut all = Vec::new();
    for skin in skins {
        let vertices = vertices_of_joints(before, skin, gone);
        let (after, poses) = (&after, &poses[..]);
        let request = FitRequest {
            before,
            after,
            skin,
            vertices: &vertices,
            poses,
            limit: usize::MAX,
            adds_influences: true,
        };
        let Some(done) = fit_weights(&request, cancel) else { return Err(canceled()) };
        put_weights(rig, &done)?;
        all.push(done);
    }
    Ok(all)
}

/// Chooses the weights of skins whose meshes have another shape so that the clips change least.
fn refit(
    rig: &mut RigDraft,
    before: &Document,
    cancel: &AtomicBool,
) -> Result<Vec<FittedWeights>, CommandError> {
    let after = rig.document().clone();
    // The first pose is the rest, which is another one on purpose.
    let mut poses = fit_poses(before, &after, FIT_POSES);
    poses.remove(0);
    let mut all = Vec::new();
    for skin in rig.refitted.clone() {
        let joints = before.skin(skin).joints.to_vec();
        let vertices = vertices_of_joints(before, skin, &joints);
        let request = FitRequest {
            before,
            after: &after,
            skin,
            vertices: &vertices,
            poses: &poses,
            limit: usize::MAX,
            adds_influences: true,
        };
        let Some(done) = fit_weights(&request, cancel) else { return Err(canceled()) };
        put_weights(rig, &done)?;
        all.push(done);
    }
    Ok(all)
}

fn put_weights(rig: &mut RigDraft, fitted: &FittedWeights) -> Result<(), CommandError> {
    let patches = fitted.patches.iter().cloned();
    rig.draft.put_all(patches.map(|(mesh, primitive, patch)| Edit::PatchWeights {
        mesh,
        primitive,
        patch: Box::new(patch),
    }))
}
