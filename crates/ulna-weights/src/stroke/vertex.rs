//! What a brush makes of one vertex, by the rule itself: every brush, both sides, any encoding.

use glam::Vec3;

use super::{
    super::{
        share,
        volume::{KEPT, blend_keeping},
    },
    Paint,
};
use crate::{
    BrushKind, Influences, Maps, PosedSurface, Refusal, SkinnedSurface, WeightConstraints,
    canvas::NOWHERE,
};

/// What a dab's vertices share.
pub(super) struct Work<'a> {
    pub canvas: &'a SkinnedSurface,
    pub maps: &'a Maps<'a>,
    pub posed: PosedSurface<'a>,
    pub paint: &'a Paint<'a>,
    /// The way from the dab before, meters.
    pub motion: Vec3,
    /// What the brush covers in the mean, where it is asked for.
    pub average: Option<Influences>,
}

impl Work<'_> {
    /// Paints what a vertex has by so much, on both sides; whether there was anything to do.
    pub fn vertex(
        &self,
        vertex: u32,
        [direct, other]: [f32; 2],
        list: &mut Influences,
        target: &mut Influences,
        rule: &WeightConstraints<'_>,
    ) -> Result<bool, Refusal> {
        let place = self.canvas.place_of(vertex);
        let brush = &self.paint.brush;
        let joint = self.paint.joint;
        let around = |out: &mut Influences| mean(self.canvas, self.maps, place, out);
        // What lies on the plane is evened out before joints are dropped: of a pair, not one alone.
        let on_plane = self.paint.mirror.is_some_and(|m| m.place(place) == place);
        let turned = self.paint.mirror.is_some_and(|m| m.place(place) < place);
        let rule = &WeightConstraints { turned, ..*rule };
        let wide =
            WeightConstraints { limit: if on_plane { share::MOST } else { rule.limit }, ..*rule };
        let even = |list: &mut Influences, wishes: &[(u16, f32)]| {
            if on_plane { share::equalize(list, wishes, rule) } else { Ok(()) }
        };
        // A joint without a mirror is painted on its own side alone.
        let wish = |list: &mut Influences, wishes: &[(u16, f32)]| {
            if wishes.is_empty() {
                return Ok(false);
            }
            share::paint(list, wishes, &wide, around)
                .and_then(|()| even(list, wishes))
                .map(|()| true)
        };
        let partner = self.paint.mirror.map_or(u16::MAX, |m| m.joint(joint));
        if brush.kind.is_of_one_joint() {
            let mut wishes = [(0u16, 0.0f32); 2];
            let mut count = 0;
            if partner == joint {
                wishes[0] = (joint, brush.value_for(list.get(joint), direct.max(other)));
                count = 1;
            } else {
                for (j, a) in [(joint, direct), (partner, other)] {
                    if a > 0.0 && j != u16::MAX {
                        wishes[count] = (j, brush.value_for(list.get(j), a));
                        count += 1;
                    }
                }
            }
            return wish(list, &wishes[..count]);
        }
        let amount = direct.max(other).min(1.0);
        // Both sides have a say by how much each covers the spot: so the other side comes to the
        // mirror image of it.
        let sides = [(false, direct / (direct + other)), (true, other / (direct + other))];
        match brush.kind {
            BrushKind::Smooth | BrushKind::Sharpen => around(target),
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
                        Some(mirror) if mirrored => mirror.place(place),
                        _ => place,
                    };
                    if share > 0.0 && source != NOWHERE {
                        let mut dragged = Influences::default();
                        self.behind(source, &mut dragged);
                        self.turn_over(&dragged, mirrored, share, target);
                    }
                }
            }
            _ => target.clear(),
        }
        // Nothing around: nothing to move toward.
        if target.is_empty() {
            return Ok(false);
        }
        let sign = if brush.kind == BrushKind::Sharpen { -1.0 } else { 1.0 };
        if brush.this_joint {
            let mut wishes = [(0u16, 0.0f32); 2];
            let mut count = 0;
            let both = if partner == joint {
                [(joint, amount), (joint, 0.0)]
            } else {
                [(joint, direct), (partner, other)]
            };
            for (j, a) in both.into_iter().filter(|(j, a)| *a > 0.0 && *j != u16::MAX) {
                let now = list.get(j);
                wishes[count] =
                    (j, (now + sign * a.min(1.0) * (target.get(j) - now)).clamp(0.0, 1.0));
                count += 1;
            }
            return wish(list, &wishes[..count]);
        }
        if brush.kind == BrushKind::Smooth && brush.keep_volume {
            let moved = blend_keeping(
                (self.canvas, self.maps, place),
                list,
                target,
                (amount, KEPT),
                &wide,
            )?;
            return even(list, &[]).map(|()| moved);
        }
        share::blend(list, target, sign * amount, &wide)
            .and_then(|()| even(list, &[]))
            .map(|()| true)
    }

    /// A list as it is on the other side.
    fn turn_over(&self, from: &Influences, mirrored: bool, share: f32, to: &mut Influences) {
        for (j, w) in from.iter().filter(|_| share > 0.0) {
            to.add(self.paint.mirror.filter(|_| mirrored).map_or(j, |m| m.across(j)), w * share);
        }
    }

    /// What lies behind a place, against the brush's motion.
    fn behind(&self, place: u32, out: &mut Influences) {
        let at = |p: u32| self.posed.positions[self.canvas.first_at(p) as usize];
        let direction = self.motion.normalize_or_zero();
        let here = at(place);
        let factor = |p: u32| (here - at(p)).normalize_or_zero().dot(direction).max(0.0);
        let sum: f32 = self.canvas.ring(place).iter().map(|p| factor(*p)).sum();
        if sum > 1e-6 {
            for p in self.canvas.ring(place) {
                add_place(self.canvas, self.maps, *p, factor(*p) / sum, out);
            }
        }
    }
}

/// Adds what the first vertex of a place has.
#[inline]
fn add_place(
    canvas: &SkinnedSurface,
    maps: &Maps<'_>,
    place: u32,
    factor: f32,
    out: &mut Influences,
) {
    let (joints, weights) = maps.slots(canvas.first_at(place));
    for (j, w) in joints.iter().zip(weights) {
        if *w > 0.0 && factor > 0.0 {
            out.add(*j, *w * factor);
        }
    }
}

/// The mean of the places around a place.
#[inline]
pub(crate) fn mean(canvas: &SkinnedSurface, maps: &Maps<'_>, place: u32, out: &mut Influences) {
    out.clear();
    let ring = canvas.ring(place);
    let factor = 1.0 / ring.len().max(1) as f32;
    for p in ring {
        add_place(canvas, maps, *p, factor, out);
    }
}

/// The mean of what a brush covers, by how much it covers it.
pub(super) fn average(canvas: &SkinnedSurface, maps: &Maps<'_>, hits: &[(u32, f32)]) -> Influences {
    let mut sums = vec![0.0f64; canvas.joints().len()];
    let mut all = 0.0f64;
    for (v, p) in hits {
        let (joints, weights) = maps.slots(*v);
        for (j, w) in joints.iter().zip(weights) {
            if let Some(sum) = sums.get_mut(usize::from(*j)).filter(|_| *w > 0.0) {
                *sum += f64::from(*w) * f64::from(*p);
                all += f64::from(*w) * f64::from(*p);
            }
        }
    }
    let mut order: Vec<usize> = (0..sums.len()).filter(|j| sums[*j] > 0.0).collect();
    order.sort_by(|a, b| sums[*b].total_cmp(&sums[*a]));
    let mut list = Influences::default();
    order
        .into_iter()
        .take(share::MOST / 2)
        .for_each(|j| list.add(j as u16, (sums[j] / all) as f32));
    list
}
