//! Positions of joints along a chain, for chains with different numbers of joints.

use ulna_model::{Document, NodeId};

use super::feet::rest_pose;
use crate::rig::Rig;

/// Positions of joints along their chain, by bone length: 0 for the first joint, 1 for the end of
/// the last bone.
pub(super) fn positions(document: &Document, chain: &[NodeId]) -> Vec<(NodeId, f32)> {
    let rest = rest_pose(document);
    let place = |n: NodeId| rest.world[n.index()].w_axis.truncate();
    let mut sums = vec![0.0f32];
    for pair in chain.windows(2) {
        sums.push(sums[sums.len() - 1] + place(pair[0]).distance(place(pair[1])));
    }
    let last = chain.last().map_or(0.0, |last| {
        let rig = Rig::of(document);
        let below = document.children(*last).iter().filter(|n| rig.carries(**n));
        let nearest = below.map(|n| place(*n).distance(place(*last))).filter(|d| *d > 1e-6);
        nearest.reduce(f32::min).unwrap_or(sums[sums.len() - 1] / chain.len().max(2) as f32)
    });
    let whole = sums[sums.len() - 1] + last;
    let at = |sum: &f32| if whole > 1e-9 { sum / whole } else { 0.0 };
    chain.iter().copied().zip(sums.iter().map(at)).collect()
}
