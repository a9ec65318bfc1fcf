//! Effect of a brush on one vertex. This general code handles every brush, both sides and any
//! encoding.

use glam::Vec3;

use super::paint::Paint;
use crate::{
    BrushKind, Influences, MOST, Maps, PosedSurface, Refusal, SkinnedSurface, WeightConstraints,
    ids::to_index,
    means::{add_point, mean},
    normalize,
    volume::{KEPT, blend_keeping},
};
use ulna_geometry::PointId;
use ulna_model::JointSlot;

/// Data that all vertices of a dab share.
pub(super) struct Work<'a> {
    pub canvas: &'a SkinnedSurface,
    pub maps: &'a Maps<'a>,
    pub posed: PosedSurface<'a>,
    pub paint: &'a Paint<'a>,
    /// Brush motion since the previous dab in scene space, in meters.
    pub motion: Vec3,
    /// Mean weights under the brush; `None` except for the average brush.
    pub average: Option<Influences>,
}

impl Work<'_> {
    /// Paints a vertex. `amounts` are those of the brush and of its mirror image, each `0..=1`.
    /// Returns `false` if there was nothing to change.
    pub fn vertex(
        &self,
        vertex: u32,
        amounts: [f32; 2],
        list: &mut Influences,
        target: &mut Influences,
        rule: &WeightConstraints<'_>,
    ) -> Result<bool, Refusal> {
        let brush = &self.paint.brush;
        let spot = Spot::new(self, self.canvas.point_of(vertex), rule);
        if brush.kind.is_of_one_joint() {
            return spot.paint(list, self.brushed(list, amounts).as_slice());
        }
        self.find_target(spot.point, amounts, target);
        // A vertex without neighbors has no target weights.
        if target.is_empty() {
            return Ok(false);
        }
        let sign = if brush.kind == BrushKind::Sharpen { -1.0 } else { 1.0 };
        if brush.this_joint {
            return spot.paint(list, self.moved_toward(list, target, amounts, sign).as_slice());
        }
        let amount = most(amounts);
        if brush.kind == BrushKind::Smooth && brush.keep_volume {
            let moved = blend_keeping(
                (self.canvas, self.maps, spot.point),
                list,
                target,
                (amount, KEPT),
                &spot.wide,
            )?;
            return spot.even(list, &[]).map(|()| moved);
        }
        normalize::blend(list, target, sign * amount, &spot.wide)
            .and_then(|()| spot.even(list, &[]))
            .map(|()| true)
    }

    /// Returns the mirror joint of the painted joint.
    fn partner(&self) -> Option<u16> {
        self.paint.mirror.and_then(|m| m.joint(JointSlot(self.paint.joint))).map(|j| j.0)
    }

    /// Returns the wanted weights of the painted joint and of its mirror joint.
    fn brushed(&self, list: &Influences, [direct, other]: [f32; 2]) -> Wishes {
        let (joint, partner) = (self.paint.joint, self.partner());
        let value = |j: u16, amount: f32| self.paint.brush.value_for(list.get(j), amount);
        let mut wishes = Wishes::default();
        if partner == Some(joint) {
            wishes.push(joint, value(joint, direct.max(other)));
        } else {
            for (j, amount) in [(Some(joint), direct), (partner, other)] {
                if let Some(j) = j.filter(|_| amount > 0.0) {
                    wishes.push(j, value(j, amount));
                }
            }
        }
        wishes
    }

    /// Moves the weights of the painted joint and of its mirror joint toward a target. With a
    /// `sign` of −1, moves them away from it.
    fn moved_toward(
        &self,
        list: &Influences,
        target: &Influences,
        [direct, other]: [f32; 2],
        sign: f32,
    ) -> Wishes {
        let (joint, partner) = (self.paint.joint, self.partner());
        let both = if partner == Some(joint) {
            [(Some(joint), most([direct, other])), (None, 0.0)]
        } else {
            [(Some(joint), direct), (partner, other)]
        };
        let mut wishes = Wishes::default();
        for (j, amount) in both {
            let Some(j) = j.filter(|_| amount > 0.0) else { continue };
            let now = list.get(j);
            let moved = now + sign * amount.min(1.0) * (target.get(j) - now);
            wishes.push(j, moved.clamp(0.0, 1.0));
        }
        wishes
    }

    /// Finds the target weights of a brush that mixes all weights; empty if there are none.
    fn find_target(&self, point: PointId, [direct, other]: [f32; 2], target: &mut Influences) {
        // Both sides contribute in proportion to their amounts, so the result on the other side is
        // the mirror image.
        let sides = [(false, direct / (direct + other)), (true, other / (direct + other))];
        match self.paint.brush.kind {
            BrushKind::Smooth | BrushKind::Sharpen => mean(self.canvas, self.maps, point, target),
            BrushKind::Average => {
                target.clear();
                if let Some(mean) = &self.average {
                    sides.iter().for_each(|(mirrored, share)| {
                        self.turn_over(mean, *mirrored, *share, target)
                    });
                }
            }
            BrushKind::Smear => {
                target.clear();
                for (mirrored, share) in sides {
                    let source = match self.paint.mirror {
                        Some(mirror) if mirrored => mirror.point(point),
                        _ => Some(point),
                    };
                    if let Some(source) = source.filter(|_| share > 0.0) {
                        let mut dragged = Influences::default();
                        self.behind(source, &mut dragged);
                        self.turn_over(&dragged, mirrored, share, target);
                    }
                }
            }
            _ => target.clear(),
        }
    }

    /// Adds influences, each times a factor. With `mirrored`, each joint is replaced by its mirror
    /// joint.
    fn turn_over(&self, from: &Influences, mirrored: bool, share: f32, to: &mut Influences) {
        for (j, w) in from.iter().filter(|_| share > 0.0) {
            to.add(
                self.paint.mirror.filter(|_| mirrored).map_or(j, |m| m.across(JointSlot(j)).0),
                w * share,
            );
        }
    }

    /// Computes the mean influences of the neighbors behind a point, as seen in the direction of
    /// the brush's motion.
    fn behind(&self, point: PointId, out: &mut Influences) {
        let at = |p: PointId| self.posed.positions[to_index(self.canvas.first_at(p))];
        let direction = self.motion.normalize_or_zero();
        let here = at(point);
        let factor = |p: PointId| (here - at(p)).normalize_or_zero().dot(direction).max(0.0);
        let sum: f32 = self.canvas.ring(point).iter().map(|p| factor(*p)).sum();
        if sum > 1e-6 {
            for p in self.canvas.ring(point) {
                add_point(self.canvas, self.maps, *p, factor(*p) / sum, out);
            }
        }
    }
}

/// Returns the larger amount of both sides, `0..=1`.
fn most([direct, other]: [f32; 2]) -> f32 {
    direct.max(other).min(1.0)
}

/// Wanted weights of the painted joint and of its mirror joint, at most two entries.
#[derive(Default)]
struct Wishes {
    list: [(u16, f32); 2],
    count: usize,
}

impl Wishes {
    const fn push(&mut self, joint: u16, weight: f32) {
        self.list[self.count] = (joint, weight);
        self.count += 1;
    }

    fn as_slice(&self) -> &[(u16, f32)] {
        &self.list[..self.count]
    }
}

/// A point to paint, with the constraints of its vertices.
struct Spot<'a> {
    work: &'a Work<'a>,
    point: PointId,
    /// Whether the point is on the mirror plane, so that it is its own mirror image.
    on_plane: bool,
    rule: WeightConstraints<'a>,
    /// Constraints before both sides are equalized. On the mirror plane, they have no influence
    /// limit.
    wide: WeightConstraints<'a>,
}

impl<'a> Spot<'a> {
    fn new(work: &'a Work<'a>, point: PointId, rule: &WeightConstraints<'a>) -> Self {
        // A point on the mirror plane is equalized before influences are dropped, so that mirror
        // joints are dropped together.
        let on_plane = work.paint.mirror.is_some_and(|m| m.point(point) == Some(point));
        let turned = work.paint.mirror.and_then(|m| m.point(point)).is_some_and(|p| p < point);
        let rule = WeightConstraints { turned, ..*rule };
        let limit = if on_plane { MOST } else { rule.limit };
        Self { work, point, on_plane, rule, wide: WeightConstraints { limit, ..rule } }
    }

    /// Equalizes both sides if the point is on the mirror plane.
    fn even(&self, list: &mut Influences, wishes: &[(u16, f32)]) -> Result<(), Refusal> {
        if self.on_plane { normalize::equalize(list, wishes, &self.rule) } else { Ok(()) }
    }

    /// Paints the wanted weights. Returns `false` if there were none. A joint without a mirror
    /// joint is painted only on its own side.
    fn paint(&self, list: &mut Influences, wishes: &[(u16, f32)]) -> Result<bool, Refusal> {
        if wishes.is_empty() {
            return Ok(false);
        }
        let around = |out: &mut Influences| mean(self.work.canvas, self.work.maps, self.point, out);
        normalize::paint(list, wishes, &self.wide, around)
            .and_then(|()| self.even(list, wishes))
            .map(|()| true)
    }
}
