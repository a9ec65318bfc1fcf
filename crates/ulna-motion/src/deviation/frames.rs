//! Corresponding nodes of both documents, and the differences of their world transforms.

use std::collections::{BTreeMap, BTreeSet};

use glam::{DMat4, DVec3, Mat4};

use super::request::{DeviationRequest, JointFrame};
use crate::Pose;
use ulna_model::NodeId;

/// Nodes of the document before the change, and the corresponding ones after it.
pub(super) struct Frames {
    by_before: BTreeMap<NodeId, NodeId>,
    compared: Vec<JointFrame>,
}

/// Differences of a node's world transform.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct JointDifference {
    /// Distance between the origins, meters.
    pub distance: f64,
    /// Angle between the axes, radians.
    pub angle: f64,
}

impl Frames {
    pub fn new(request: &DeviationRequest<'_>) -> Self {
        let (before, after) = (&request.before.nodes, &request.after.nodes);
        let same = |id: NodeId| {
            let frame = JointFrame { before: id, after: id, before_from_after: DMat4::IDENTITY };
            (id, frame)
        };
        let mut all: BTreeMap<NodeId, JointFrame> =
            before.ids().filter(|id| after.contains(*id)).map(same).collect();
        let given = request.joints.iter().filter(|f| before.contains(f.before));
        all.extend(given.filter(|f| after.contains(f.after)).map(|f| (f.before, *f)));
        let by_before = all.iter().map(|(id, frame)| (*id, frame.after)).collect();
        let excluded: BTreeSet<NodeId> = request.excluded.iter().copied().collect();
        all.retain(|id, _| !excluded.contains(id));
        Self { by_before, compared: all.into_values().collect() }
    }

    /// Finds the node after the change that corresponds to a node before it.
    pub fn after(&self, before: NodeId) -> Option<NodeId> {
        self.by_before.get(&before).copied()
    }

    /// Nodes whose frames are compared.
    pub fn compared(&self) -> &[JointFrame] {
        &self.compared
    }
}

/// Measures the difference between the world transforms `W'` and `W·C` of a node; `None` if one of
/// them is not finite.
pub(super) fn difference(
    frame: &JointFrame,
    [before, after]: [&Pose; 2],
) -> Option<JointDifference> {
    let (world, changed) = (&before.world[frame.before.index()], &after.world[frame.after.index()]);
    if world == changed && frame.before_from_after == DMat4::IDENTITY {
        return world.is_finite().then(JointDifference::default);
    }
    let wanted = world.as_dmat4() * frame.before_from_after;
    let found = changed.as_dmat4();
    let distance = wanted.w_axis.truncate().distance(found.w_axis.truncate());
    let angle = angle_between(&wanted, &found);
    (distance.is_finite() && angle.is_finite()).then_some(JointDifference { distance, angle })
}

/// Angle between the axes of two matrices, radians, ignoring their scales. It is more precise at
/// small angles than the arc cosine of a trace.
fn angle_between(a: &DMat4, b: &DMat4) -> f64 {
    let axes = |m: &DMat4| [m.x_axis, m.y_axis, m.z_axis].map(|axis| axis.truncate());
    // An axis of length 0 has no direction to compare.
    let gap = |(a, b): (DVec3, DVec3)| match (a.try_normalize(), b.try_normalize()) {
        (Some(a), Some(b)) => a.distance_squared(b),
        _ if a.is_finite() && b.is_finite() => 0.0,
        _ => f64::NAN,
    };
    let [x, y, z] = axes(a);
    let [u, v, w] = axes(b);
    let sum = gap((x, u)) + gap((y, v)) + gap((z, w));
    // The matrices of two rotations that differ by an angle have the Frobenius distance
    // √8·sin(angle/2).
    2.0 * (sum / 8.0).sqrt().clamp(0.0, 1.0).asin()
}

/// Largest coordinate of the nodes in a pose, meters. Float noise grows with it.
pub(super) fn reach<'a>(worlds: impl IntoIterator<Item = &'a Mat4>) -> f32 {
    let length = |m: &Mat4| m.w_axis.truncate().length();
    worlds.into_iter().map(length).filter(|l| l.is_finite()).fold(0.0, f32::max)
}
