//! Tool that changes the number of influence sets of a part.

use crate::{Influences, Refused, Scope, WeightConstraints, WorkingWeights, normalize::normalize};
use ulna_model::WeightMap;

impl WorkingWeights<'_> {
    /// Changes the number of influence sets of every part in the scope. If sets are removed, the
    /// strongest weights are kept.
    pub fn set_sets(&mut self, sets: usize, scope: &Scope<'_>) -> Refused {
        let mut refused = Refused::new();
        for (part, map) in self.canvas.parts().iter().zip(&mut self.maps) {
            if map.sets == sets || !scope.has_any(part) {
                continue;
            }
            let (old, new) = (map.stride(), sets * 4);
            let count = map.vertex_count();
            let mut joints = vec![0u16; count * new];
            let mut weights = vec![0.0f32; count * new];
            let rule = WeightConstraints {
                locked: scope.locked,
                parents: self.canvas.parents(),
                limit: new,
                encoding: map.encoding,
                pairs: &[],
                turned: false,
            };
            let mut list = Influences::default();
            for v in 0..count {
                let (js, ws) =
                    (&map.joints[v * old..(v + 1) * old], &map.weights[v * old..(v + 1) * old]);
                let (to_j, to_w) =
                    (&mut joints[v * new..(v + 1) * new], &mut weights[v * new..(v + 1) * new]);
                if new >= old {
                    // Adding slots changes no weights.
                    to_j[..old].copy_from_slice(js);
                    to_w[..old].copy_from_slice(ws);
                    continue;
                }
                // If locked joints prevent normalizing, the strongest weights are kept. Their sum
                // is then reported as a fault.
                let done = list.read(js, ws, &rule).and_then(|()| normalize(&mut list, &rule));
                if let Err(why) = done {
                    *refused.entry(why).or_default() += 1;
                    let mut order: Vec<usize> = (0..old).collect();
                    order.sort_by(|a, b| ws[*b].total_cmp(&ws[*a]));
                    for (slot, k) in order.into_iter().take(new).enumerate() {
                        (to_j[slot], to_w[slot]) = (js[k], ws[k]);
                    }
                } else {
                    list.write(to_j, to_w);
                }
            }
            *map = WeightMap {
                sets,
                joints: joints.into(),
                weights: weights.into(),
                encoding: map.encoding,
                not_numbers: map.not_numbers.clone(),
            };
        }
        refused
    }
}
