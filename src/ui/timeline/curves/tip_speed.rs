//! Speed of a joint's tip over a clip, and how it changes.

use std::rc::Rc;

use super::frame::Graph;
use ulna_model::{ClipId, Derived, Document, NodeId};
use ulna_motion::motion_paths;

/// Times at which the tip is found at most.
const PLACES: usize = 400;

/// The inputs of the path of a tip: a state of the document, the clip, the joint, the rate.
pub type PathOf = (u64, ClipId, NodeId, u64, bool);

/// Numbers over time that the strip draws, kept while nothing that they are found from is another.
#[derive(Clone, Debug, Default)]
pub struct Strip(pub Derived<PathOf, Rc<Vec<(f64, f64)>>>);

/// The node at the tip of a joint: the first of its children, or the joint where it has none.
fn tip(document: &Document, node: NodeId) -> NodeId {
    document.nodes.children(node).first().copied().unwrap_or(node)
}

/// Speeds of a node over a clip, meters a second, or how they change, meters a second squared.
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
    // Two places that are nearly at the same time tell no speed.
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

/// The number at a time, between two that were found.
pub fn at(numbers: &[(f64, f64)], time: f64) -> f64 {
    let next = numbers.partition_point(|(t, _)| *t < time);
    match (next.checked_sub(1).map(|k| numbers[k]), numbers.get(next)) {
        (Some(a), Some(b)) if b.0 > a.0 => a.1 + (b.1 - a.1) * (time - a.0) / (b.0 - a.0),
        (_, Some(b)) => b.1,
        (Some(a), None) => a.1,
        (None, None) => 0.0,
    }
}
