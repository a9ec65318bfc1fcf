//! Jumps that a change leaves in a clip: more way or turn from a frame to the next than there was.

use crate::{Evaluator, Pose, Stack, joint_bounds};
use ulna_model::{Clip, Document, NodeId, Shared, transform::angle_between};

/// What nobody wants to see between two frames: meters of a body 1.8 m high, and radians.
const SEEN: (f32, f32) = (0.05, 0.349_066);

/// A jump from a frame to the next.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Jump {
    /// When the first of both frames is, seconds.
    pub time: f64,
    /// What jumps.
    pub node: NodeId,
    /// How far, meters of the scene.
    pub distance: f32,
    /// How far its own rotation turns, radians.
    pub angle: f32,
}

impl Jump {
    /// As a warning.
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

/// How far each node goes and turns in each frame.
fn steps(document: &Document, clip: &Clip, nodes: &[NodeId], frame: f64) -> Vec<Vec<(f32, f32)>> {
    /// Longer clips are looked at up to here.
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

/// The greatest jump between two frames of a clip that was not there before; nothing where none is
/// to be seen. What went or turned as fast at any time before does not jump now.
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
