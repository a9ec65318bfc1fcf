//! The end of a change of the skeleton: weights find their heirs, rests follow, and the deviation
//! is measured.

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
    /// Several changes, made one after the other, as one: `before` the first and `after` the last
    /// of them.
    ///
    /// # Errors
    /// Where it was canceled.
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

/// The deviation over all clips; 0 where the change is exact by rule and nothing but rounding is
/// found.
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

/// Names of nodes that got another one.
fn renamed(before: &Document, after: &Document) -> Vec<(String, String)> {
    let both = before.node_ids().filter(|n| after.nodes.contains(*n));
    both.filter(|n| before.node(*n).name != after.node(*n).name)
        .map(|n| (before.node(n).label(n), after.node(n).label(n)))
        .collect()
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
