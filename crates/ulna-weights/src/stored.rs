//! Conversion of weights to another stored type, and a preview of how far vertices move.

use rayon::prelude::*;

use super::{
    Influences, Refusal, Refused, Scope, SkinnedSurface, WeightConstraints, WorkingWeights,
    normalize::normalize,
};
use ulna_model::{Document, Primitive, WeightEncoding};
use ulna_motion::{Placement, Pose, Posed, skinning};

impl WorkingWeights<'_> {
    /// Converts the weights of parts to another stored type with a sum of 1. Weights below half a
    /// step become 0.
    ///
    /// Locks are ignored, because every weight is rounded. A part has only one type, so all of its
    /// vertices are converted if any of them is selected. Vertices that cannot be normalized are
    /// only rounded.
    pub fn store(&mut self, encoding: WeightEncoding, scope: &Scope<'_>) -> Refused {
        let locked = vec![false; self.canvas.joints().len()];
        let mut refused = Refused::new();
        for (part, map) in self.canvas.parts().iter().zip(&mut self.maps) {
            if map.encoding == encoding || !scope.has_any(part) {
                continue;
            }
            let stride = map.stride();
            let rule = WeightConstraints {
                locked: &locked,
                parents: self.canvas.parents(),
                limit: stride,
                encoding,
                pairs: &[],
                turned: false,
            };
            let old = (map.joints.clone(), map.weights.clone());
            let one = |list: &mut Influences,
                       joints: &mut [u16],
                       weights: &mut [f32],
                       js: &[u16],
                       ws: &[f32]| {
                let done = list.read(js, ws, &rule).and_then(|()| normalize(list, &rule));
                match done {
                    Ok(()) => list.write(joints, weights),
                    Err(_) => {
                        weights.iter_mut().for_each(|w| *w = encoding.decode(encoding.encode(*w)))
                    }
                }
                done.err()
            };
            let (joints, weights) = (map.joints.make_mut(), map.weights.make_mut());
            let why: Vec<Refusal> = (joints.par_chunks_mut(stride))
                .zip(weights.par_chunks_mut(stride))
                .zip(old.0.par_chunks(stride).zip(old.1.par_chunks(stride)))
                .with_min_len(4096)
                .map_init(Influences::default, |list, ((joints, weights), (js, ws))| {
                    one(list, joints, weights, js, ws)
                })
                .flatten_iter()
                .collect();
            why.into_iter().for_each(|why| *refused.entry(why).or_default() += 1);
            map.encoding = encoding;
        }
        refused
    }
}

/// Returns the distance that each vertex moves in a pose when its weights are converted to another
/// stored type, in meters.
pub fn moved_by_storing(
    document: &Document,
    canvas: &SkinnedSurface,
    pose: &Pose,
    encoding: WeightEncoding,
) -> Vec<f32> {
    let locked = vec![false; canvas.joints().len()];
    let mut draft = WorkingWeights::new(document, canvas);
    draft.store(encoding, &Scope { locked: &locked, limit: usize::MAX, vertices: None });
    let (mut now, mut then) = (Posed::default(), Posed::default());
    let mut moved = Vec::with_capacity(canvas.vertex_count());
    for (k, part) in canvas.parts().iter().enumerate() {
        let primitive = &document.mesh(part.mesh).primitives[part.primitive.index()];
        let placement = Placement::of(document, pose, part.node, primitive);
        let morphs = &pose.morphs[part.node.index()];
        let stored = Primitive { weights: Some(draft.map(k).clone().into()), ..primitive.clone() };
        skinning::skin(primitive, &[], morphs, &placement, &mut now);
        skinning::skin(&stored, &[], morphs, &placement, &mut then);
        moved.extend(now.positions.iter().zip(&then.positions).map(|(a, b)| a.distance(*b)));
    }
    moved
}
