//! Places a copied skeleton on a body, by the heights of both or by matched points.
//!
//! ```text
//!   x' = s·R·x + t           least squares over the matched points; R is about the vertical
//!   x'_j += d_j              d moves matched joints to their points; it is harmonic on the
//!                            tree, with 1/length as the weight of a bone
//! ```

use std::collections::BTreeMap;

use glam::{DQuat, DVec3};

/// Minimum and maximum corner of a bounding box.
pub(super) type Corners = (DVec3, DVec3);

/// Minimum horizontal fraction of the spread of points. Below it, the points do not define a
/// rotation about the vertical.
const HORIZONTAL: f64 = 0.1;
/// Smallest rotation about the vertical that is used, in radians. Smaller rotations are replaced by
/// displacements of the joints.
const TURNED: f64 = 10.0 * std::f64::consts::PI / 180.0;
/// Minimum length of a bone, as a fraction of the skeleton size.
const SHORT: f64 = 1e-6;

/// Similarity transform: uniform scale, rotation about the vertical axis, and translation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Placing {
    /// Scale factor.
    pub(super) scale: f64,
    /// Rotation about the vertical axis, in radians.
    pub(super) turn: f64,
    /// Translation, applied after scale and rotation.
    pub(super) shift: DVec3,
}

impl Placing {
    /// Transform without effect: the identity.
    pub(super) const NONE: Self = Self { scale: 1.0, turn: 0.0, shift: DVec3::ZERO };

    /// Returns the rotation.
    pub(super) fn rotation(&self) -> DQuat {
        DQuat::from_rotation_y(self.turn)
    }

    /// Returns the transformed point.
    pub(super) fn at(&self, point: DVec3) -> DVec3 {
        self.rotation() * point * self.scale + self.shift
    }

    /// Scales by the heights of two bodies, and moves the ground center of the first to that of the
    /// second. Flat bodies are scaled by their largest extents.
    pub(super) fn by_heights(from: Corners, to: Corners) -> Self {
        let (from_size, to_size) = (from.1 - from.0, to.1 - to.0);
        let ratio = |a: f64, b: f64| Some(b / a).filter(|r| a > 0.0 && *r > 0.0 && r.is_finite());
        let largest = || ratio(from_size.max_element(), to_size.max_element());
        let scale = ratio(from_size.y, to_size.y).or_else(largest).unwrap_or(1.0);
        let ground = |(low, high): Corners| {
            let center = (low + high) * 0.5;
            DVec3::new(center.x, low.y, center.z)
        };
        Self { scale, turn: 0.0, shift: ground(to) - ground(from) * scale }
    }

    /// Changes the translation so that a point is mapped to its target.
    pub(super) fn through(self, (from, to): (DVec3, DVec3)) -> Self {
        Self { shift: self.shift + to - self.at(from), ..self }
    }

    /// Returns the least-squares fit of points to their targets. With `is_symmetric`, the rotation
    /// is 0° or 180°.
    ///
    /// The result is `None` if all points coincide, or if the targets have the opposite
    /// arrangement.
    pub(super) fn by_points(pairs: &[(DVec3, DVec3)], is_symmetric: bool) -> Option<Self> {
        let count = pairs.len() as f64;
        let mean =
            |side: fn(&(DVec3, DVec3)) -> DVec3| pairs.iter().map(side).sum::<DVec3>() / count;
        let (from, to) = (mean(|p| p.0), mean(|p| p.1));
        let centered = || pairs.iter().map(|(a, b)| (*a - from, *b - to));
        let spread = |side: fn((DVec3, DVec3)) -> DVec3| -> [f64; 2] {
            centered().map(side).fold([0.0, 0.0], |[all, flat], v| {
                [all + v.length_squared(), flat + v.x * v.x + v.z * v.z]
            })
        };
        let (a, b) = (spread(|p| p.0), spread(|p| p.1));
        let says_direction = a[1] >= HORIZONTAL * a[0] && b[1] >= HORIZONTAL * b[0];
        let turn = if says_direction {
            let along = centered().map(|(a, b)| a.x * b.x + a.z * b.z).sum::<f64>();
            let across = centered().map(|(a, b)| a.z * b.x - a.x * b.z).sum::<f64>();
            match (is_symmetric, across.atan2(along)) {
                (true, _) if along < 0.0 => std::f64::consts::PI,
                (true, _) => 0.0,
                (false, turn) if turn.abs() < TURNED => 0.0,
                (false, turn) => turn,
            }
        } else {
            0.0
        };
        let rotation = DQuat::from_rotation_y(turn);
        let scale = centered().map(|(a, b)| b.dot(rotation * a)).sum::<f64>() / a[0];
        let placing = Self { scale, turn, shift: to - rotation * from * scale };
        (a[0] > 0.0 && scale > 0.0 && scale.is_finite() && placing.shift.is_finite())
            .then_some(placing)
    }
}

/// Interpolates displacements along bones, from `fixed` joints to all others. The displacement is
/// linear in the length between fixed joints, and constant beyond them. Parents must precede their
/// children.
pub(super) fn displacements(
    parents: &[Option<usize>],
    positions: &[DVec3],
    fixed: &BTreeMap<usize, DVec3>,
) -> Vec<DVec3> {
    let count = parents.len();
    let (low, high) = corners(positions).unwrap_or_default();
    let least = ((high - low).length() * SHORT).max(1e-12);
    // Weight of the bone between a joint and its parent.
    let weight =
        |k: usize| parents[k].map_or(0.0, |p| 1.0 / positions[k].distance(positions[p]).max(least));
    // Per joint: total stiffness of the connections to the fixed joints below, and the sum of their
    // displacements, weighted by stiffness.
    let mut held = vec![(0.0f64, DVec3::ZERO); count];
    for k in (0..count).rev() {
        let Some(parent) = parents[k] else { continue };
        let w = weight(k);
        let (firm, pull) = match fixed.get(&k) {
            Some(d) => (w, *d * w),
            None => {
                let (firm, pull) = held[k];
                let share = w / (firm + w);
                (firm * share, pull * share)
            }
        };
        held[parent].0 += firm;
        held[parent].1 += pull;
    }
    let mut made = vec![DVec3::ZERO; count];
    for k in 0..count {
        let (firm, pull) = held[k];
        made[k] = match (fixed.get(&k), parents[k]) {
            (Some(d), _) => *d,
            (None, Some(p)) => (pull + made[p] * weight(k)) / (firm + weight(k)),
            (None, None) if firm > 0.0 => pull / firm,
            (None, None) => DVec3::ZERO,
        };
    }
    made
}

/// Returns the bounding box of points; `None` if there are none.
pub(super) fn corners(points: &[DVec3]) -> Option<Corners> {
    let first = *points.first()?;
    Some(points.iter().fold((first, first), |(low, high), p| (low.min(*p), high.max(*p))))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(a: DVec3, b: DVec3) -> bool {
        a.distance(b) < 1e-9
    }

    #[test]
    fn a_skeleton_is_scaled_to_the_height_and_placed_on_the_ground_center() {
        let small = (DVec3::new(-1.0, 0.0, -1.0), DVec3::new(1.0, 2.0, 1.0));
        let large = (DVec3::new(4.0, 1.0, 0.0), DVec3::new(6.0, 5.0, 2.0));
        let placing = Placing::by_heights(small, large);
        assert_eq!(placing.scale, 2.0);
        assert!(near(placing.at(DVec3::ZERO), DVec3::new(5.0, 1.0, 1.0)), "{placing:?}");
        // Flat boxes have no height.
        let plane = (DVec3::ZERO, DVec3::new(3.0, 0.0, 1.0));
        assert_eq!(Placing::by_heights(plane, small).scale, 2.0 / 3.0);
        assert_eq!(Placing::by_heights((DVec3::ZERO, DVec3::ZERO), small).scale, 1.0);
    }

    #[test]
    fn matched_points_are_reached_by_scale_rotation_about_the_vertical_and_translation() {
        let meant = Placing { scale: 0.4, turn: 2.0, shift: DVec3::new(1.0, -3.0, 0.5) };
        let points = [DVec3::new(1.0, 0.2, 0.0), DVec3::new(-1.0, 0.0, 0.3), DVec3::Y];
        let pairs = points.map(|p| (p, meant.at(p)));
        let found = Placing::by_points(&pairs, false).expect("a placing");
        assert!(pairs.iter().all(|(a, b)| near(found.at(*a), *b)), "{found:?}");
        // Points on a vertical line do not define a direction.
        let upright = [(DVec3::ZERO, DVec3::ZERO), (DVec3::Y, DVec3::new(0.1, 2.0, 0.05))];
        assert_eq!(Placing::by_points(&upright, false).expect("a placing").turn, 0.0);
    }

    #[test]
    fn coincident_points_and_upside_down_points_are_refused() {
        let [a, b] = [DVec3::X, DVec3::Y];
        assert_eq!(Placing::by_points(&[(a, a), (a, b)], false), None);
        assert_eq!(Placing::by_points(&[(a, b), (b, b)], false), None);
        let upside_down = [(DVec3::ZERO, DVec3::Y), (DVec3::Y, DVec3::ZERO)];
        assert_eq!(Placing::by_points(&upside_down, false), None);
    }

    #[test]
    fn displacements_follow_the_bones_between_fixed_joints() {
        // A chain of four joints with a branch at the second, and a separate joint.
        let parents = [None, Some(0), Some(1), Some(2), Some(1), None];
        let positions = [0.0, 1.0, 3.0, 4.0, 1.0, 9.0].map(|x| DVec3::X * x);
        let fixed = BTreeMap::from([(0, DVec3::ZERO), (2, DVec3::Y * 3.0)]);
        let made = displacements(&parents, &positions, &fixed);
        let wanted = [0.0, 1.0, 3.0, 3.0, 1.0, 0.0].map(|y| DVec3::Y * y);
        assert!(made.iter().zip(wanted).all(|(a, b)| near(*a, b)), "{made:?}");
        // All joints above the only fixed joint move with it.
        let one = BTreeMap::from([(3, DVec3::Z)]);
        let made = displacements(&parents, &positions, &one);
        assert!(made[..5].iter().all(|d| near(*d, DVec3::Z)) && made[5] == DVec3::ZERO, "{made:?}");
        // Coincident joints move together.
        let made =
            displacements(&[None, Some(0)], &[DVec3::ONE; 2], &BTreeMap::from([(1, DVec3::X)]));
        assert!(made.iter().all(|d| near(*d, DVec3::X)), "{made:?}");
    }
}
