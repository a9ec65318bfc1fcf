//! Jumps that an edit causes in a clip: larger steps between frames than before.

use crate::{Evaluator, Pose, Stack, joint_bounds};
use ulna_model::{Clip, Document, NodeId, Shared, transform::angle_between};

/// Minimum size of a visible jump between two frames: a distance in meters for a body 1.8 m high,
/// and an angle in radians.
const SEEN: (f32, f32) = (0.05, 0.349_066);

/// A jump between two consecutive frames.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Jump {
    /// Time of the first of both frames, seconds.
    pub time: f64,
    /// The node that jumps.
    pub node: NodeId,
    /// Distance of the jump in the scene, meters.
    pub distance: f32,
    /// Angle of the jump of the node's own rotation, radians.
    pub angle: f32,
}

impl Jump {
    /// Text of a warning about the jump.
    pub fn in_words(&self, document: &Document) -> String {
        let label = document.node(self.node).label(self.node);
        format!(
            "warning: at {:.2} s {label} jumps by {:.1} cm and {:.0}° from one frame to the next",
            self.time,
            self.distance * 100.0,
            self.angle.to_degrees()
        )
    }
}

/// Measures the distance and the angle by which each node moves in each frame.
fn steps(document: &Document, clip: &Clip, nodes: &[NodeId], frame: f64) -> Vec<Vec<(f32, f32)>> {
    /// Maximum number of frames. Longer clips are examined up to here.
    const MOST: f64 = 20_000.0;
    let shown = Shared::new(clip.clone());
    let count = (f64::from(clip.length()) / frame).ceil().clamp(0.0, MOST) as usize;
    let mut evaluator = Evaluator::default();
    let (mut last, mut pose) = (Pose::default(), Pose::default());
    let mut all = Vec::with_capacity(count);
    for k in 0..=count {
        let time = (k as f64 * frame).min(f64::from(clip.length()));
        evaluator.update(document, &Stack::of(Some(&shown), time), &mut pose);
        if k > 0 {
            let step = |n: &NodeId| {
                let place = |p: &Pose| p.world[n.index()].w_axis.truncate();
                let turn = |p: &Pose| p.local[n.index()].transform().rotation;
                (place(&last).distance(place(&pose)), angle_between(turn(&last), turn(&pose)))
            };
            all.push(nodes.iter().map(step).collect());
        }
        std::mem::swap(&mut last, &mut pose);
    }
    all
}

/// Finds the largest jump between two frames of `after` that was not in `before`; `None` if no jump
/// is visible. A step is not a jump if `before` has an equally large step at any time.
pub fn new_jump(document: &Document, before: &[&Clip], after: &Clip, frame: f64) -> Option<Jump> {
    let nodes: Vec<NodeId> = {
        let all = after.tracks.values().map(|t| t.target);
        all.collect::<std::collections::BTreeSet<_>>().into_iter().collect()
    };
    let height = joint_bounds(document, &Pose::evaluate(document, &Stack::default()))
        .map_or(1.8, |(low, high)| (high - low).max_element());
    let unit = if height > 1e-6 { height / 1.8 } else { 1.0 };
    let mut usual = vec![(0.0f32, 0.0f32); nodes.len()];
    for step in
        before.iter().flat_map(|clip| steps(document, clip, &nodes, frame)).flatten().enumerate()
    {
        let (k, (way, turn)) = step;
        let own = &mut usual[k % nodes.len()];
        *own = (own.0.max(way), own.1.max(turn));
    }
    let mut worst: Option<(f32, Jump)> = None;
    for (k, step) in steps(document, after, &nodes, frame).into_iter().enumerate() {
        for ((node, usual), (distance, angle)) in nodes.iter().zip(&usual).zip(step) {
            let over = ((distance - usual.0) / (SEEN.0 * unit)).max((angle - usual.1) / SEEN.1);
            if over > worst.map_or(1.0, |(w, _)| w) {
                worst = Some((over, Jump { time: k as f64 * frame, node: *node, distance, angle }));
            }
        }
    }
    worst.map(|(_, jump)| jump)
}
