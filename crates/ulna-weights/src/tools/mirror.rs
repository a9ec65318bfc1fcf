//! Copies the weights of one side of a surface to the other.

use crate::{
    MOST, Maps, MirrorMap, Refused, Scope, WeightConstraints, WorkingWeights,
    draft::{Fast, Scratch, VertexView},
    ids::to_index,
    normalize,
};
use ulna_model::JointSlot;

impl WorkingWeights<'_> {
    /// Copies the weights of one side to the other. If `from_high` is true, the source is the side
    /// with the larger coordinates on `axis`. Points on the plane are equalized. Vertices that
    /// already match are not rewritten.
    pub fn mirror(
        &mut self,
        mirror: &MirrorMap,
        axis: usize,
        offset: f32,
        from_high: bool,
        scope: &Scope<'_>,
    ) -> Refused {
        let canvas = self.canvas;
        // Local references avoid a lookup per vertex.
        let (topo, rest) = (canvas.topo(), canvas.rest());
        let any_locked = scope.locked.contains(&true);
        let before = self.maps.clone();
        let now = Maps::of(canvas, before.iter());
        let takes = |look: &VertexView<'_>| {
            let point = topo.point_of[to_index(look.vertex)];
            let high = rest[point.index()][axis] > offset;
            mirror.point(point).is_some_and(|partner| {
                (partner == point || high != from_high)
                    && !is_image(look, now.slots(topo.firsts[partner.index()]), mirror)
            })
        };
        let turned = |quick: &normalize::SimdNormalizer,
                      group: &mut normalize::LaneGroup,
                      maps: &Maps<'_>,
                      vertices: &[u32]| {
            for (lane, vertex) in vertices.iter().enumerate() {
                let point = topo.point_of[to_index(*vertex)];
                let partner = mirror.point(point).filter(|partner| *partner != point);
                let slots = partner.map(|partner| maps.slots(topo.firsts[partner.index()]));
                match slots.map(|(joints, weights)| (joints.as_array(), weights.as_array())) {
                    Some((Some(joints), Some(weights))) => {
                        quick.put(
                            group,
                            lane,
                            &joints.map(|j| mirror.across(JointSlot(j)).0),
                            weights,
                        );
                    }
                    // Points on the plane are marked as not plain, so that the general code
                    // processes them.
                    _ => quick.put(group, lane, &[0; 4], &[-1.0; 4]),
                }
            }
            quick.order(group);
        };
        let fast = if any_locked { Fast::None } else { Fast::Others(&turned) };
        self.each(scope, fast, takes, |maps, vertex, Scratch { list, other }, rule| {
            let point = canvas.point_of(vertex);
            let Some(partner) = mirror.point(point) else { return Ok(false) };
            let (joints, weights) = maps.slots(canvas.first_at(partner));
            other.clear();
            for (j, w) in joints.iter().zip(weights).filter(|(_, w)| **w > 0.0) {
                other.add(mirror.across(JointSlot(*j)).0, *w);
            }
            let rule =
                WeightConstraints { pairs: mirror.joints(), turned: partner < point, ..*rule };
            if partner == point {
                // On the plane, the mean of both sides is its own mirror image.
                let wide = WeightConstraints { limit: MOST, ..rule };
                return normalize::blend(list, other, 0.5, &wide)
                    .and_then(|()| normalize::equalize(list, &[], &rule))
                    .map(|()| true);
            }
            normalize::blend(list, other, 1.0, &rule).map(|()| true)
        })
    }
}

/// Whether a vertex already has the mirror image of these slots, in any order and within rounding.
fn is_image(
    look: &VertexView<'_>,
    (joints, weights): (&[u16], &[f32]),
    mirror: &MirrorMap,
) -> bool {
    /// Size of one float step below 1.
    const ROUNDING: f32 = 1.2e-7;
    if !look.map.not_numbers.is_empty() && look.map.not_numbers.binary_search(&look.own).is_ok() {
        return false;
    }
    let used = |weights: &[f32]| weights.iter().filter(|w| **w != 0.0).count();
    // The number of slots must be equal, and each joint must occur once on both sides. Vertices
    // with duplicate joints never match.
    let is_once = |joint: u16, weight: f32| {
        let mut same = joints
            .iter()
            .zip(weights)
            .filter(|(j, w)| **w != 0.0 && mirror.across(JointSlot(**j)).0 == joint);
        same.next().is_some_and(|(_, w)| (w - weight).abs() <= ROUNDING) && same.next().is_none()
    };
    let is_alone = |slot: usize| {
        let others = look.joints[..slot].iter().zip(look.weights);
        others.filter(|(_, w)| **w != 0.0).all(|(j, _)| *j != look.joints[slot])
    };
    let mut own = (0..look.joints.len()).filter(|k| look.weights[*k] != 0.0);
    used(look.weights) == used(weights)
        && own.all(|k| is_once(look.joints[k], look.weights[k]) && is_alone(k))
}
