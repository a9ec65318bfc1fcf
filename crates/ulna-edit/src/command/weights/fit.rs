//! Fits the weights that result from a tool to the motion of the clips.

use std::{collections::BTreeMap, sync::atomic::AtomicBool};

use super::run::Job;
use crate::command::{CommandError, rig_report::FitReport};
use ulna_model::{Document, MeshId, Notice, PrimitiveId, Shared, WeightMap};
use ulna_motion::Pose;
use ulna_weights::{
    CarryingSurface, FIT_POSES, FitRequest, FitVertices, FittedWeights, Influences, Refused,
    SurfaceFitRequest, SurfacePoint, WorkingWeights, fit_poses, fit_to_surface, fit_weights,
};

/// Vertices of a surface in ascending order, each with the source point that it follows.
pub(super) type CarriedVertices = Vec<(u32, SurfacePoint)>;

/// Whether a document has clips that weights can be fitted to.
pub(super) fn has_clips(document: &Document) -> bool {
    document.clips.values().any(|clip| clip.played().next().is_some())
}

/// Returns the note that there are no clips for a fit. `kept` describes the result instead.
pub(super) fn no_clips(kept: &str) -> Notice {
    let said = format!("the file has no clips that weights could be fitted to, so {kept}");
    Notice::new("no_clips_to_fit", said)
}

/// Returns the note about the result of a fit. `error` names the distance, and `start` the weights
/// before the fit.
pub(super) fn fitted_note(report: &FitReport, error: &str, start: &str) -> Notice {
    let [before, after] = report.mean.map(|mean| mean * 1e3);
    let said = format!("{error} in the clips: {after:.3} mm, {before:.3} mm with {start}");
    Notice::new("weights_fitted", said)
}

/// Returns a document with the weights of a draft.
fn with_weights(document: &Document, draft: &WorkingWeights<'_>, job: &Job) -> Document {
    let mut made = document.clone();
    for (k, part) in job.canvas.parts().iter().enumerate() {
        let own = document.primitive(part.mesh, part.primitive);
        let is_same = own.is_some_and(|p| p.weights.as_deref() == Some(draft.map(k)));
        if !is_same && let Some(p) = made.file.primitive_mut(part.mesh, part.primitive) {
            p.weights = Some(Shared::new(draft.map(k).clone()));
        }
    }
    made
}

/// Whether a vertex has weight on a locked joint. Such vertices are not fitted.
fn has_locked(map: &WeightMap, vertex: usize, job: &Job) -> bool {
    let is_locked = |joint: u16| job.locked.get(usize::from(joint)) == Some(&true);
    map.vertex(vertex).any(|(joint, weight)| weight > 0.0 && is_locked(joint))
}

/// Returns the vertices whose weights the draft changes, without those with locked joints.
fn changed(before: &Document, draft: &WorkingWeights<'_>, job: &Job) -> FitVertices {
    let mut vertices = FitVertices::new();
    for (k, part) in job.canvas.parts().iter().enumerate() {
        let own = before.primitive(part.mesh, part.primitive);
        let Some(was) = own.and_then(|p| p.weights.as_deref()) else { continue };
        let now = draft.map(k);
        let is_meant = |v: &u32| {
            let vertex = *v as usize;
            !was.vertex(vertex).eq(now.vertex(vertex)) && !has_locked(was, vertex, job)
        };
        let list: Vec<u32> = (0..part.count).filter(is_meant).collect();
        if !list.is_empty() {
            vertices.insert((part.mesh, part.primitive), list);
        }
    }
    vertices
}

/// Writes fitted weights into a draft.
fn put(draft: &mut WorkingWeights<'_>, fitted: &FittedWeights, job: &Job) -> Refused {
    let mut rows: Vec<(u32, Influences)> = Vec::with_capacity(fitted.changed);
    for (mesh, primitive, patch) in &fitted.patches {
        let stride = patch.joints.len() / patch.vertices.len().max(1);
        let slots = patch.joints.chunks(stride).zip(patch.weights.chunks(stride));
        for (vertex, (joints, weights)) in patch.vertices.iter().zip(slots) {
            let Some(vertex) = job.canvas.vertex_of(*mesh, *primitive, *vertex) else { continue };
            let mut list = Influences::default();
            let weighted = joints.iter().zip(weights).filter(|(_, w)| **w > 0.0);
            weighted.for_each(|(joint, weight)| list.add(*joint, *weight));
            rows.push((vertex, list));
        }
    }
    draft.put_as_is(&job.scope(), rows)
}

fn canceled() -> CommandError {
    CommandError::other("canceled", "canceled")
}

/// Limits the number of influences per vertex, with the choice that changes the clips least.
pub(super) fn limit_by_fit(
    document: &Document,
    (draft, job): (&mut WorkingWeights<'_>, &Job),
    report: &mut FitReport,
    cancel: &AtomicBool,
) -> Result<Refused, CommandError> {
    let before = with_weights(document, draft, job);
    let mut refused = draft.limit(&job.scope());
    let vertices = changed(&before, draft, job);
    if vertices.is_empty() {
        return Ok(refused);
    }
    let after = with_weights(document, draft, job);
    let poses = fit_poses(&before, &after, FIT_POSES);
    let request = FitRequest {
        before: &before,
        after: &after,
        skin: job.canvas.skin,
        vertices: &vertices,
        poses: &poses,
        limit: job.limit,
        adds_influences: false,
    };
    let fitted = fit_weights(&request, cancel).ok_or_else(canceled)?;
    report.add(&fitted);
    for (why, count) in put(draft, &fitted, job) {
        *refused.entry(why).or_default() += count;
    }
    Ok(refused)
}

/// Fits the weights of vertices so that they follow their source surfaces in the clips.
pub(super) fn follow_surfaces(
    document: &Document,
    (draft, job): (&mut WorkingWeights<'_>, &Job),
    (surfaces, carried): (&[CarryingSurface<'_>], &CarriedVertices),
    report: &mut FitReport,
    cancel: &AtomicBool,
) -> Result<Refused, CommandError> {
    let start = with_weights(document, draft, job);
    let mut points: BTreeMap<(MeshId, PrimitiveId), CarriedVertices> = BTreeMap::new();
    for (vertex, point) in carried {
        let (k, own) = job.canvas.part_of(*vertex);
        if !has_locked(draft.map(k), own as usize, job) {
            let part = &job.canvas.parts()[k];
            points.entry((part.mesh, part.primitive)).or_default().push((own, *point));
        }
    }
    let poses: Vec<Pose> =
        fit_poses(&start, &start, FIT_POSES).into_iter().map(|pose| pose.before).collect();
    let request = SurfaceFitRequest {
        document: &start,
        skin: job.canvas.skin,
        surfaces,
        points: &points,
        poses: &poses,
        limit: job.limit,
    };
    let fitted = fit_to_surface(&request, cancel).ok_or_else(canceled)?;
    report.add(&fitted);
    Ok(put(draft, &fitted, job))
}
