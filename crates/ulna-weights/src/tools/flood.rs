//! Flood and gradient tools for one joint, and the mean of vertices.

use glam::Vec3;

use crate::{
    Brush, Falloff, Influences, Maps, Refused, Scope, WorkingWeights,
    draft::{Fast, Scratch},
    ids::numbers,
    means::{mean, weighted_mean},
    normalize,
};

impl WorkingWeights<'_> {
    /// Applies a brush to one joint at all vertices, with one amount per vertex. Floods and
    /// gradients use it.
    pub fn flood(
        &mut self,
        brush: &Brush,
        joint: u16,
        amounts: impl Fn(u32) -> f32 + Sync,
        scope: &Scope<'_>,
    ) -> Refused {
        let canvas = self.canvas;
        let group = |quick: &normalize::SimdNormalizer,
                     group: &mut normalize::LaneGroup,
                     vertices: &[u32]| {
            vertices
                .iter()
                .enumerate()
                .for_each(|(k, v)| group.set_amount(k, amounts(*v) * brush.strength));
            quick.brush(group, joint, brush);
        };
        let quick =
            brush.kind.is_of_one_joint() && scope.locked.get(usize::from(joint)) == Some(&false);
        self.each(
            scope,
            if quick { Fast::Group(&group) } else { Fast::None },
            |look| amounts(look.vertex) * brush.strength > 0.0,
            |maps, vertex, Scratch { list, .. }, rule| {
                let amount = amounts(vertex) * brush.strength;
                let wish = brush.value_for(list.get(joint), amount);
                let around =
                    |out: &mut Influences| mean(canvas, maps, canvas.point_of(vertex), out);
                normalize::paint(list, &[(joint, wish)], rule, around).map(|()| true)
            },
        )
    }

    /// Returns the mean weights of the vertices in the scope.
    pub fn mean(&self, scope: &Scope<'_>) -> Influences {
        let maps = Maps::of(self.canvas, self.maps.iter());
        let vertices = numbers(self.canvas.vertex_count()).filter(|v| scope.has(*v));
        weighted_mean(&maps, scope.locked.len(), vertices.map(|v| (v, 1.0)))
    }
}

/// Returns the amount of a gradient as a function of the position. A linear gradient runs from 1 at
/// `from` to 0 at `to`. A radial gradient runs in all directions from 1 at `from` to 0 at the
/// distance of `to`.
pub fn gradient(from: Vec3, to: Vec3, radial: bool, falloff: Falloff) -> impl Fn(Vec3) -> f32 {
    let way = to - from;
    let length = way.length().max(1e-12);
    move |p| {
        let part = if radial {
            p.distance(from) / length
        } else {
            (p - from).dot(way) / (length * length)
        };
        falloff.at(1.0 - part.clamp(0.0, 1.0))
    }
}
