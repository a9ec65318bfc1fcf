//! Speed and acceleration of a joint's tip over a clip.

use std::rc::Rc;

use super::frame::Graph;
use ulna_model::{ClipId, Derived, Document, NodeId};
use ulna_motion::motion_paths;

/// Maximum number of times at which the tip is sampled.
const PLACES: usize = 400;

/// Cache key of the strip: document generation, clip, joint, bits of the frame rate, and whether it
/// shows acceleration.
pub type PathOf = (u64, ClipId, NodeId, u64, bool);

/// Cached numbers over time that the strip draws.
#[derive(Clone, Debug, Default)]
pub struct Strip(pub Derived<PathOf, Rc<Vec<(f64, f64)>>>);

/// Node at the tip of a joint: its first child, or the joint itself without children.
fn tip(document: &Document, node: NodeId) -> NodeId {
    document.nodes.children(node).first().copied().unwrap_or(node)
}

/// Speeds of a joint's tip over a clip in meters per second, or accelerations in meters per second
/// squared. Each entry is a time and a value.
pub fn numbers(
    document: &Document,
    graph: &Graph<'_>,
    node: NodeId,
    acceleration: bool,
) -> Vec<(f64, f64)> {
    let playback = graph.view.timeline.playback;
    let rate = (playback.fps, playback.between);
    let paths = motion_paths(document, graph.id, &[tip(document, node)], rate, PLACES);
    let Some(path) = paths.first() else { return Vec::new() };
    let all = path.places.len();
    // Positions at almost the same time give no reliable speed.
    let near = |k: usize| k > 0 && path.places[k].time - path.places[k - 1].time < 2e-3;
    let of = |k: usize| {
        let place = &path.places[k];
        if !acceleration || k == 0 || k + 1 == all {
            return (
                f64::from(place.time),
                f64::from(if acceleration { 0.0 } else { path.speed(k) }),
            );
        }
        let (a, b) = (&path.places[k - 1], &path.places[k + 1]);
        let (before, after) = (place.time - a.time, b.time - place.time);
        let change = (b.at - place.at) / after - (place.at - a.at) / before;
        (f64::from(place.time), f64::from(change.length() * 2.0 / (before + after)))
    };
    (0..all).filter(|k| !near(*k)).map(of).filter(|(_, v)| v.is_finite()).collect()
}

/// Value at a time, interpolated linearly.
pub fn at(numbers: &[(f64, f64)], time: f64) -> f64 {
    let next = numbers.partition_point(|(t, _)| *t < time);
    match (next.checked_sub(1).map(|k| numbers[k]), numbers.get(next)) {
        (Some(a), Some(b)) if b.0 > a.0 => a.1 + (b.1 - a.1) * (time - a.0) / (b.0 - a.0),
        (_, Some(b)) => b.1,
        (Some(a), None) => a.1,
        (None, None) => 0.0,
    }
}
