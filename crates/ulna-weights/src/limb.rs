//! Weight gradient along a limb. The weights follow the position of each vertex along a chain of
//! joints, and a curve blends them between bones.

use glam::Vec3;

use super::{
    Falloff, Refused, Scope, WorkingWeights,
    draft::{Fast, Scratch},
    normalize::normalize,
};

/// Minimum length of a bone, relative to the chain. A shorter bone means that two joints coincide.
/// Such joints do not share weight.
const NO_BONE: f32 = 1e-4;

/// A chain of joints as a polyline: joints, positions, and distances from the first joint along the
/// line.
struct Line {
    joints: Vec<u16>,
    heads: Vec<Vec3>,
    along: Vec<f32>,
    /// Half of the blend length around each joint; 0 for the first joint.
    half: Vec<f32>,
}

impl Line {
    fn new(joints: &[u16], heads: Vec<Vec3>, width: f32) -> Self {
        let mut along = vec![0.0f32; heads.len()];
        for k in 1..heads.len() {
            along[k] = along[k - 1] + heads[k].distance(heads[k - 1]);
        }
        // The blend covers up to half of the shorter adjacent bone. The last bone has the length of
        // the previous one.
        let bone = |k: usize| {
            along.get(k + 1).map_or_else(|| along[k] - along[k - 1], |next| next - along[k])
        };
        let half = |k: usize| if k == 0 { 0.0 } else { bone(k - 1).min(bone(k)) * 0.5 * width };
        let half = (0..heads.len()).map(half).collect();
        Self { joints: joints.to_vec(), heads, along, half }
    }

    /// Returns the position along the line of its point nearest to `at`. The last bone extends
    /// beyond its end.
    fn place_of(&self, at: Vec3) -> f32 {
        let mut best = (f32::INFINITY, 0.0);
        for k in 0..self.heads.len() {
            let (from, last) = (self.heads[k], k + 1 == self.heads.len());
            let way = if last { from - self.heads[k - 1] } else { self.heads[k + 1] - from };
            let length = way.length();
            let part = ((at - from).dot(way) / (length * length)).max(0.0);
            let part = if last { part } else { part.min(1.0) };
            let apart = at.distance(from + way * part);
            if apart < best.0 {
                best = (apart, self.along[k] + part * length);
            }
        }
        best.1
    }

    /// Returns the fraction of the weight on each joint at a position along the line. The fractions
    /// sum to 1.
    fn shares(&self, place: f32, curve: &Falloff) -> impl Iterator<Item = (u16, f32)> + '_ {
        let curve = *curve;
        let beyond = move |k: usize| -> f32 {
            match (self.along.get(k), self.half.get(k)) {
                _ if k == 0 => 1.0,
                (Some(at), Some(half)) if *half > 0.0 => {
                    curve.at(((place - at + half) / (2.0 * half)).clamp(0.0, 1.0))
                }
                (Some(at), _) => f32::from(u8::from(place >= *at)),
                (None, _) => 0.0,
            }
        };
        self.joints
            .iter()
            .enumerate()
            .map(move |(k, joint)| (*joint, beyond(k) * (1.0 - beyond(k + 1))))
    }
}

impl WorkingWeights<'_> {
    /// Distributes the weight of a chain's joints along a limb, by the rest position of each
    /// vertex.
    ///
    /// Each joint has full weight at the center of its bone. Around a joint, a curve blends the
    /// weight from one bone to the next. On each side, the blend covers the fraction `width`
    /// (`0..=1`) of half the shorter adjacent bone. Weights of other joints and of locked joints
    /// stay the same, and so do vertices without weight on the chain. If a vertex has no slot for
    /// both joints, the weaker one is dropped.
    ///
    /// The chain has at least two joints, each a descendant of the previous one. A joint at the
    /// same position as the next joint is left out, and keeps its weight.
    pub fn along_limb(
        &mut self,
        chain: &[u16],
        width: f32,
        curve: Falloff,
        scope: &Scope<'_>,
    ) -> Refused {
        let canvas = self.canvas;
        let heads: Option<Vec<Vec3>> =
            chain.iter().map(|j| canvas.heads().get(usize::from(*j)).copied()).collect();
        let Some(heads) = heads.filter(|h| h.iter().all(|p| p.is_finite())) else {
            return Refused::new();
        };
        let length: f32 = heads.windows(2).map(|two| two[0].distance(two[1])).sum();
        let has_bone = |k: &usize| {
            heads.get(k + 1).is_none_or(|next| next.distance(heads[*k]) > length * NO_BONE)
        };
        let (chain, heads): (Vec<u16>, Vec<Vec3>) =
            (0..chain.len()).filter(has_bone).map(|k| (chain[k], heads[k])).unzip();
        if chain.len() < 2 || length <= 0.0 {
            return Refused::new();
        }
        let line = Line::new(&chain, heads, width.clamp(0.0, 1.0));
        let open = |j: u16| chain.contains(&j) && scope.locked.get(usize::from(j)) != Some(&true);
        self.each(
            scope,
            Fast::None,
            |_| true,
            |_, vertex, Scratch { list, other }, rule| {
                let held: f32 = list.iter().filter(|(j, _)| open(*j)).map(|(_, w)| w).sum();
                let at = canvas.rest()[canvas.point_of(vertex).index()];
                if held <= 0.0 || !at.is_finite() {
                    return Ok(false);
                }
                let place = line.place_of(at);
                other.clear();
                list.iter()
                    .filter(|(j, w)| !open(*j) && *w > 0.0)
                    .for_each(|(j, w)| other.add(j, w));
                // Joints outside the chain keep their slots.
                let slots = rule.limit.saturating_sub(other.iter().count()).max(1);
                let mut shares: Vec<(u16, f32)> =
                    line.shares(place, &curve).filter(|(j, s)| open(*j) && *s > 0.0).collect();
                if shares.len() > slots {
                    shares.sort_by(|a, b| b.1.total_cmp(&a.1));
                    shares.truncate(slots);
                }
                let all: f32 = shares.iter().map(|(_, s)| s).sum();
                if all <= 0.0 {
                    return Ok(false);
                }
                shares.iter().for_each(|(j, s)| other.add(*j, held * s / all));
                std::mem::swap(list, other);
                normalize(list, rule).map(|()| true)
            },
        )
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn line(width: f32) -> Line {
        Line::new(&[0, 1, 2], vec![Vec3::ZERO, Vec3::Y, Vec3::Y * 1.5], width)
    }

    proptest! {
        #[test]
        fn limb_weights_sum_to_one_over_at_most_two_joints(place in -1.0f32..4.0,
            width in 0.0f32..=1.0) {
            for curve in Falloff::PRESETS {
                let shares: Vec<(u16, f32)> = line(width).shares(place, &curve).collect();
                prop_assert!((shares.iter().map(|s| s.1).sum::<f32>() - 1.0).abs() < 1e-5,
                    "{shares:?}");
                prop_assert!(shares.iter().filter(|s| s.1 > 0.0).count() <= 2, "{shares:?}");
            }
        }
    }

    #[test]
    fn weights_are_full_at_bone_centers_and_half_each_at_joints() {
        let share = |place: f32, joint: usize| {
            line(1.0).shares(place, &Falloff::Linear).nth(joint).map_or(0.0, |(_, s)| s)
        };
        for (place, shares) in [
            (-1.0, [1.0, 0.0, 0.0]),
            (0.5, [1.0, 0.0, 0.0]),
            (1.0, [0.5, 0.5, 0.0]),
            (1.5, [0.0, 0.5, 0.5]),
            (9.0, [0.0, 0.0, 1.0]),
        ] {
            for (joint, wanted) in shares.into_iter().enumerate() {
                assert!(
                    (share(place, joint) - wanted).abs() < 1e-6,
                    "{joint} at {place}: {}",
                    share(place, joint)
                );
            }
        }
        assert!((line(1.0).place_of(Vec3::new(0.3, 0.7, 0.0)) - 0.7).abs() < 1e-6);
        assert!(
            (line(1.0).place_of(Vec3::new(0.3, 2.7, 0.0)) - 2.7).abs() < 1e-6,
            "the last bone goes on"
        );
        assert!(
            line(1.0).place_of(Vec3::new(0.3, -2.7, 0.0)).abs() < 1e-6,
            "before the first is the first"
        );
    }
}
