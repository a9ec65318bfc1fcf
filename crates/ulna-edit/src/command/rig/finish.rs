//! Completes a change of the skeleton: distributes the weights of removed joints, updates the rest
//! pose, and measures the deviation of the clips.

use std::{collections::BTreeMap, sync::atomic::AtomicBool};

use glam::{DMat4, Mat4};

use super::{commands::Heirs, rewrite::RigDraft};
use crate::command::{
    CommandError, Outcome, Scene, mix_of,
    rig_report::{FitReport, GivenWeights, NodeCounts, NodeMatches, RigReport},
};
use ulna_model::{Clip, ClipId, Document, Mesh, MeshId, NodeId, Notice, Primitive, Shared};
use ulna_motion::{
    Deviation, DeviationRequest, Exactness, JointFrame, Skeleton, surgery::Rewritten,
};

/// Largest deviation of the skin that counts as rounding, as a fraction of the skeleton size.
const NOISE: f64 = 1e-5;

/// Completes a change of the skeleton. Distributes the weights of removed joints, updates the rest
/// pose, and measures the deviation over all clips.
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
    // Removed nodes without weights leave no weights to distribute.
    let deforms = Skeleton::of(before).deforms;
    let leaves_weights = gone.iter().any(|n| deforms[n.index()]);
    match heirs {
        Heirs::Fit if leaves_weights => {
            let Some(all) = rig.fit_losers(before, &gone, cancel)? else { return Err(canceled()) };
            all.iter().for_each(|done| fitted.add(done));
        }
        Heirs::Smoothed if leaves_weights => rig.smooth_losers(before, &gone)?,
        // These weights were distributed when the joints were removed.
        Heirs::Fit | Heirs::Smoothed | Heirs::Parent | Heirs::Nearest => {}
    }
    if !rig.refitted.is_empty() {
        let Some(all) = rig.refit(before, cancel)? else { return Err(canceled()) };
        all.iter().for_each(|done| fitted.add(done));
    }
    let frames = rig.frames.iter().filter(|(n, _)| before.nodes.contains(**n));
    let matches = NodeMatches {
        frames: frames.map(|(n, c)| (*n, c.matrix())).collect(),
        stilled: rig.stilled.clone(),
        shown_by: rig.shown_by.clone(),
    };
    let is_exact = rig.tracks.baked == 0
        && !leaves_weights
        && !rig.moves_skin
        && before.aids.pose_layers.is_empty();
    let after = rig.document();
    let reframed = matches.frames.len();
    let report = RigReport {
        nodes: NodeCounts { reframed, rested: rig.rested, ..node_counts(before, after) },
        renamed: renamed(before, after),
        inverse_binds: inverse_binds(before, after),
        skins: [before.skins.count(), after.skins.count()],
        shapes: changed_meshes(before, after, |a, b| a.shape() != b.shape()),
        weights: changed_meshes(before, after, |a, b| a.weights != b.weights),
        tracks: rig.tracks,
        tracks_removed: tracks_of(before, &gone),
        clips: changed_clips(before, after),
        gives_weights: leaves_weights,
        given: rig.given,
        fitted,
        deviation: measured(before, after, (&matches, is_exact), cancel)?,
        is_exact,
        matches,
    };
    let notes = vec![Notice::new("clips_followed", report.sentence(before))];
    Ok(Outcome { edits: rig.draft.edits, notes, rig: Some(Box::new(report)), ..Outcome::default() })
}

impl RigReport {
    /// Combines the reports of successive changes. `before` is the document before the first
    /// change, and `after` the document after the last one.
    ///
    /// # Errors
    /// If the measurement is canceled.
    pub fn of_all(
        before: &Document,
        after: &Document,
        reports: &[Self],
        cancel: &AtomicBool,
    ) -> Result<Self, CommandError> {
        let (mut matches, mut rested) = (NodeMatches::default(), 0);
        let (mut tracks, mut fitted) = (Rewritten::default(), FitReport::default());
        let mut given = GivenWeights::default();
        for report in reports {
            matches.join(&report.matches);
            rested += report.nodes.rested;
            tracks = tracks.with(report.tracks);
            fitted.join(&report.fitted);
            given = given.with(report.given);
        }
        matches.frames.retain(|n, _| before.nodes.contains(*n) && after.nodes.contains(*n));
        let reframed = matches.frames.len();
        let is_exact = reports.iter().all(|r| r.is_exact);
        let counts = node_counts(before, after);
        Ok(Self {
            renamed: renamed(before, after),
            inverse_binds: inverse_binds(before, after),
            tracks,
            tracks_removed: tracks_of(before, &counts.removed),
            clips: changed_clips(before, after),
            gives_weights: reports.iter().any(|r| r.gives_weights),
            given,
            fitted,
            deviation: measured(before, after, (&matches, is_exact), cancel)?,
            is_exact,
            nodes: NodeCounts { reframed, rested, ..counts },
            skins: [before.skins.count(), after.skins.count()],
            shapes: changed_meshes(before, after, |a, b| a.shape() != b.shape()),
            weights: changed_meshes(before, after, |a, b| a.weights != b.weights),
            matches,
        })
    }
}

/// Measures the deviation over all clips. If the change is exact and the result is within rounding,
/// returns 0.
fn measured(
    before: &Document,
    after: &Document,
    (matches, is_exact): (&NodeMatches, bool),
    cancel: &AtomicBool,
) -> Result<Deviation, CommandError> {
    let NodeMatches { frames, stilled, shown_by } = matches;
    let frame =
        |(before, after, before_from_after)| JointFrame { before, after, before_from_after };
    let reframed = frames.iter().map(|(n, c)| (*n, *n, *c));
    let shown = shown_by.iter().map(|(n, to)| (*n, *to, DMat4::IDENTITY));
    let frames: Vec<JointFrame> = reframed.chain(shown).map(frame).collect();
    let gone = before.node_ids().filter(|n| !after.nodes.contains(*n));
    let excluded: Vec<NodeId> =
        gone.chain(stilled.iter().copied()).chain(shown_by.keys().copied()).collect();
    let exactness = if is_exact { Exactness::Exact } else { Exactness::Bounded };
    let mixes = [mix_of(before), mix_of(after)];
    let request = DeviationRequest {
        joints: &frames,
        excluded: &excluded,
        mixes: mixes.each_ref().map(Option::as_ref),
        ..DeviationRequest::new(before, after, exactness)
    };
    let found = Deviation::measure(&request, cancel, &Default::default());
    let Some(mut deviation) = found else { return Err(canceled()) };
    if is_exact && deviation.worst_mm <= NOISE * deviation.size * 1000.0 {
        (deviation.mean_mm, deviation.p99_mm, deviation.worst_mm) = (0.0, 0.0, 0.0);
        (deviation.worst_degrees, deviation.worst_joint_mm) = (0.0, 0.0);
        (deviation.worst, deviation.other_mm) = ([None; 3], 0.0);
    }
    Ok(deviation)
}

/// Returns the old and new names of renamed nodes.
fn renamed(before: &Document, after: &Document) -> Vec<(String, String)> {
    let both = before.node_ids().filter(|n| after.nodes.contains(*n));
    both.filter(|n| before.node(*n).name != after.node(*n).name)
        .map(|n| (before.node(n).label(n), after.node(n).label(n)))
        .collect()
}

/// Counts the tracks of these nodes in all clips.
fn tracks_of(document: &Document, nodes: &[NodeId]) -> usize {
    let tracks = document.clips.values().flat_map(|c| c.tracks.values());
    tracks.filter(|t| nodes.contains(&t.target)).count()
}

/// Counts the clips that changed.
fn changed_clips(before: &Document, after: &Document) -> usize {
    let is_same = |id: ClipId, clip: &Shared<Clip>| {
        before.clips.get(id).is_some_and(|was| Shared::ptr_eq(was, clip) || was == clip)
    };
    after.clips.iter().filter(|(id, clip)| !is_same(*id, clip)).count()
}

/// Counts the meshes with a primitive that differs.
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

/// Counts the nodes that were added, removed or reparented.
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

/// Counts the joints with a changed inverse bind matrix, and all joints, over all skins.
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
