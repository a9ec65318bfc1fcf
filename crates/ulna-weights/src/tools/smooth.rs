//! Tools that smooth weights.

use super::strays::strays;
use crate::{
    Maps, Refusal, Refused, Scope, WeightConstraints, WorkingWeights,
    draft::{Fast, Scratch, VertexView},
    ids::to_index,
    means::{mean, near_mean},
    normalize,
    volume::blend_keeping,
};
use ulna_model::WeightMap;

impl WorkingWeights<'_> {
    /// Moves every vertex toward the mean of its neighbors by `amount` (`0..=1`), `passes` times.
    /// With `by_distance`, closer neighbors count more, which preserves detail in dense regions. If
    /// `joint` is given, only its weight is smoothed.
    pub fn smooth(
        &mut self,
        passes: usize,
        amount: f32,
        by_distance: bool,
        joint: Option<u16>,
        scope: &Scope<'_>,
    ) -> Refused {
        let canvas = self.canvas;
        self.smooth_by(passes, scope, |maps, vertex, Scratch { list, other }, rule| {
            let point = canvas.point_of(vertex);
            if by_distance {
                near_mean(canvas, maps, point, other)
            } else {
                mean(canvas, maps, point, other)
            }
            if other.is_empty() {
                return Ok(false);
            }
            let done = match joint {
                Some(joint) => {
                    let now = list.get(joint);
                    let wish = (now + amount * (other.get(joint) - now)).clamp(0.0, 1.0);
                    normalize::paint(list, &[(joint, wish)], rule, |out| {
                        mean(canvas, maps, point, out)
                    })
                }
                None => normalize::blend(list, other, amount, rule),
            };
            done.map(|()| true)
        })
    }

    /// Smooths the vertices of the scope in several passes. Each pass starts from the result of the
    /// previous one. Drops negligible weights at the end. Returns the refusals of the last pass.
    fn smooth_by(
        &mut self,
        passes: usize,
        scope: &Scope<'_>,
        work: impl Fn(&Maps<'_>, u32, &mut Scratch, &WeightConstraints<'_>) -> Result<bool, Refusal>
        + Sync,
    ) -> Refused {
        let mut refused = Refused::new();
        let before = self.maps.clone();
        for _ in 0..passes {
            refused = self.each(scope, Fast::None, |_| true, &work);
        }
        self.drop_traces(&before, scope);
        refused
    }

    /// Drops the negligible weights that smoothing spreads to distant joints, at changed vertices
    /// only.
    fn drop_traces(&mut self, before: &[WeightMap], scope: &Scope<'_>) {
        let canvas = self.canvas;
        let was = Maps::of(canvas, before.iter());
        let has_traces = |look: &VertexView<'_>| {
            let least = normalize::least(look.map.encoding);
            let is_changed = || was.slots(look.vertex) != (look.joints, look.weights);
            look.weights.iter().any(|w| *w > 0.0 && *w < least) && is_changed()
        };
        self.each(scope, Fast::None, has_traces, |_, _, Scratch { list, .. }, rule| {
            normalize::drop_traces(list, rule)
        });
    }

    /// Moves every vertex toward the mean of its neighbors by `amount`, weighted by distance,
    /// `passes` times. Smoothing is limited where a vertex would lose volume.
    ///
    /// With its joints bent by 60°, a vertex must keep the fraction `kept` of its volume, or its
    /// current volume if that is less. Its strain relative to its neighbors must not increase.
    pub fn relax_keeping(
        &mut self,
        passes: usize,
        amount: f32,
        kept: f32,
        scope: &Scope<'_>,
    ) -> Refused {
        let canvas = self.canvas;
        self.smooth_by(passes, scope, |maps, vertex, Scratch { list, other }, rule| {
            let point = canvas.point_of(vertex);
            near_mean(canvas, maps, point, other);
            if other.is_empty() {
                return Ok(false);
            }
            blend_keeping((canvas, maps, point), list, other, (amount, kept), rule)
        })
    }

    /// Smooths outliers. These are vertices whose weights overlap little with those of their
    /// neighbors, while the neighbors agree with each other. Returns the number of outliers, and
    /// the refusals.
    pub fn hammer(&mut self, most_in_common: f32, scope: &Scope<'_>) -> (usize, Refused) {
        let strays = strays(self.canvas, &Maps::of(self.canvas, self.maps.iter()), most_in_common);
        let mut only = vec![false; self.canvas.vertex_count()];
        let mut count = 0;
        for point in strays {
            for v in self.canvas.vertices_at(point) {
                only[to_index(*v)] = scope.has(*v);
                count += usize::from(scope.has(*v));
            }
        }
        let refused = self.smooth(1, 1.0, false, None, &Scope { vertices: Some(&only), ..*scope });
        (count, refused)
    }
}
