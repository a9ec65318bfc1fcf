//! The end of a change of the skeleton: weights find their heirs, rests follow, and the deviation
//! is measured.

use std::collections::BTreeMap;

use glam::Mat4;

use super::{commands::Heirs, rewrite::RigDraft};
use crate::command::{
    CommandError, Outcome, Scene,
    rig_report::{FitReport, NodeCounts, RigReport},
};
use ulna_model::{Clip, ClipId, Document, NodeId, Notice, Shared};
use ulna_motion::{Deviation, DeviationRequest, Exactness, JointFrame, Skeleton};

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
    let has_clips = before.clips.iter().next().is_some();
    let heirs = heirs.unwrap_or(if has_clips { Heirs::Fit } else { Heirs::Parent });
    let mut fitted = FitReport::default();
    let gone: Vec<NodeId> =
        before.node_ids().filter(|n| !rig.document().nodes.contains(*n)).collect();
    rig.settle()?;
    // Nodes that move no vertex leave no weights behind.
    let deforms = Skeleton::of(before).deforms;
    let leaves_weights = gone.iter().any(|n| deforms[n.index()]);
    match heirs {
        Heirs::Fit if leaves_weights => {
            let Some(all) = rig.fit_losers(before, &gone, cancel)? else { return Err(canceled()) };
            all.iter().for_each(|done| fitted.add(done));
        }
        Heirs::Smoothed if leaves_weights => rig.smooth_losers(before, &gone)?,
        // The nearest joints took over before.
        Heirs::Fit | Heirs::Smoothed | Heirs::Parent | Heirs::Nearest => {}
    }
    let frames: Vec<JointFrame> = rig
        .frames
        .iter()
        .filter(|(n, _)| before.nodes.contains(**n))
        .map(|(n, c)| JointFrame { before: *n, after: *n, before_from_after: c.matrix() })
        .collect();
    let is_exact = rig.tracks.baked == 0
        && !leaves_weights
        && !rig.moves_skin
        && before.aids.pose_layers.is_empty();
    let exactness = if is_exact { Exactness::Exact } else { Exactness::Bounded };
    let request = DeviationRequest {
        joints: &frames,
        excluded: &gone,
        ..DeviationRequest::new(before, rig.document(), exactness)
    };
    let measured = Deviation::measure(&request, cancel, &Default::default());
    let Some(mut deviation) = measured else { return Err(canceled()) };
    if is_exact && deviation.worst_mm <= NOISE * deviation.size * 1000.0 {
        (deviation.mean_mm, deviation.p99_mm, deviation.worst_mm) = (0.0, 0.0, 0.0);
        (deviation.worst_degrees, deviation.worst_joint_mm) = (0.0, 0.0);
    }
    let report = RigReport {
        nodes: NodeCounts { reframed: frames.len(), ..node_counts(before, rig.document()) },
        inverse_binds: inverse_binds(before, rig.document()),
        tracks: rig.tracks,
        tracks_removed: tracks_of(before, &gone),
        clips: changed_clips(before, rig.document()),
        gives_weights: leaves_weights,
        given: rig.given,
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
