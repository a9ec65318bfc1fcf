//! What a pointer's way over the handles of a manipulator means: angles, distances and factors,
//! from points of the picture and rays through them.

use std::f32::consts::TAU;

use glam::{Vec2, Vec3};

use super::Ray;

/// A line or plane seen at less than this sine of an angle is no guide to a pointer.
const EDGE: f32 = 0.08;

/// How far along a line through `origin`, in meters, the point nearest to a ray is; `axis` is unit.
/// Nothing where the line runs along the ray, so that every point of it is as near.
pub fn along_axis(ray: &Ray, origin: Vec3, axis: Vec3) -> Option<f32> {
    let (to, cos) = (origin - ray.origin, axis.dot(ray.direction));
    let sine_squared = 1.0 - cos * cos;
    if sine_squared < EDGE * EDGE {
        return None;
    }
    Some((cos * to.dot(ray.direction) - to.dot(axis)) / sine_squared)
}

/// Where a ray meets the plane through `origin` that is square to the unit `normal`. Nothing where
/// it runs along it, or meets it behind the eye.
pub fn on_plane(ray: &Ray, origin: Vec3, normal: Vec3) -> Option<Vec3> {
    let facing = normal.dot(ray.direction);
    if facing.abs() < EDGE {
        return None;
    }
    let distance = normal.dot(origin - ray.origin) / facing;
    (distance > 0.0).then(|| ray.origin + ray.direction * distance)
}

/// What a way of the pointer over a ball in front of the eye turns it by: a unit axis and radians.
/// `right` and `up` are those of the picture, in the scene; the radius is in points.
pub fn ball_turn(way: Vec2, radius: f32, right: Vec3, up: Vec3) -> (Vec3, f32) {
    // The picture's y goes down.
    let axis = up * way.x + right * way.y;
    (axis.normalize_or(up), way.length() / radius.max(1.0))
}

/// Where a pointer would be that goes slower while a key is held, and never jumps.
#[derive(Clone, Copy, Debug)]
pub struct FinePointer {
    at: Vec2,
    last: Vec2,
}

impl FinePointer {
    /// Pressed there.
    pub const fn new(at: Vec2) -> Self {
        Self { at, last: at }
    }

    /// Where that is.
    pub const fn now(&self) -> Vec2 {
        self.at
    }

    /// The pointer is at a point now; what it went since the last time counts by `factor`.
    pub fn follow(&mut self, pointer: Vec2, factor: f32) -> Vec2 {
        self.at += (pointer - self.last) * factor;
        self.last = pointer;
        self.at
    }
}

/// How a ring is seen.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum RingSight {
    /// As a ring: the pointer goes round its center.
    Round {
        /// The center, in points of the picture.
        center: Vec2,
        /// Whether the axis points to the eye.
        toward: bool,
    },
    /// From its edge: along it is the only way to go.
    Edge {
        /// Where its near side moves as it turns, unit, in the picture.
        along: Vec2,
        /// The ring's radius, in points.
        radius: f32,
    },
}

/// How far a ring was turned since it was pressed. Full turns count.
#[derive(Clone, Copy, Debug)]
pub struct RingTurn {
    start: Vec2,
    last: f32,
    turned: f32,
}

impl RingTurn {
    /// Pressed at a point of the picture.
    pub const fn new(start: Vec2) -> Self {
        Self { start, last: 0.0, turned: 0.0 }
    }

    /// Where it was pressed.
    pub const fn start(&self) -> Vec2 {
        self.start
    }

    /// The pointer is at a point now: radians so far, about the axis by the right hand. What it
    /// went since the last time counts by `factor`, so that going finer does not make it jump.
    pub fn follow(&mut self, sight: RingSight, pointer: Vec2, factor: f32) -> f32 {
        let (angle, wraps) = match sight {
            RingSight::Round { center, toward } => {
                let by = (pointer - center).to_angle() - (self.start - center).to_angle();
                // The picture's y goes down.
                (if toward { -by } else { by }, true)
            }
            RingSight::Edge { along, radius } => {
                (-(pointer - self.start).dot(along) / radius, false)
            }
        };
        let mut by = angle - self.last;
        if wraps {
            by -= (by / TAU).round() * TAU;
        }
        self.last = angle;
        self.turned += by * factor;
        self.turned
    }
}

/// A number as a drag gives it: on the nearest step where there is one, else to a hundredth.
pub fn snapped(value: f32, step: Option<f32>) -> f32 {
    let value = step.map_or(value, |step| (value / step).round() * step);
    (value * 100.0).round() / 100.0
}

#[cfg(test)]
mod tests {
    use super::*;

    const CENTER: Vec2 = Vec2::new(40.0, 30.0);

    fn at(angle: f32, radius: f32) -> Vec2 {
        CENTER + Vec2::from_angle(angle) * radius
    }

    fn round(toward: bool) -> RingSight {
        RingSight::Round { center: CENTER, toward }
    }

    #[test]
    fn full_turns_count_both_ways_and_the_seam_is_not_felt() {
        for (toward, sign) in [(true, -1.0), (false, 1.0)] {
            for turns in [-2.5f32, -1.0, 0.3, 2.0] {
                let mut turn = RingTurn::new(at(2.9, 50.0));
                let steps = 200;
                let mut found = 0.0;
                for k in 1..=steps {
                    let angle = 2.9 + turns * TAU * k as f32 / steps as f32;
                    // The distance from the center does not matter.
                    found = turn.follow(round(toward), at(angle, 20.0 + k as f32), 1.0);
                }
                assert!((found - sign * turns * TAU).abs() < 1e-3, "{toward} {turns}: {found}");
            }
        }
    }

    #[test]
    fn going_finer_does_not_jump() {
        let mut turn = RingTurn::new(at(0.0, 50.0));
        let before = turn.follow(round(false), at(1.0, 50.0), 1.0);
        assert!((turn.follow(round(false), at(1.0, 50.0), 0.2) - before).abs() < 1e-6);
        assert!((turn.follow(round(false), at(1.5, 50.0), 0.2) - (before + 0.1)).abs() < 1e-5);
    }

    #[test]
    fn from_its_edge_a_ring_is_a_line_as_long_as_it_is_round() {
        let along = Vec2::new(0.6, 0.8);
        let sight = RingSight::Edge { along, radius: 78.0 };
        let mut turn = RingTurn::new(CENTER);
        let found = turn.follow(sight, CENTER + along * 78.0 * TAU + along.perp() * 33.0, 1.0);
        assert!((found + TAU).abs() < 1e-4, "{found}");
    }

    fn ray(from: Vec3, through: Vec3) -> Ray {
        Ray { origin: from, direction: (through - from).normalize_or_zero() }
    }

    #[test]
    fn a_ray_through_a_point_of_a_line_or_a_plane_finds_that_point() {
        let eye = Vec3::new(3.0, 4.0, 7.0);
        let (origin, axis) =
            (Vec3::new(0.5, -0.2, 0.1), Vec3::new(2.0, -1.0, 0.5).normalize_or_zero());
        for way in [-2.0, -0.1, 0.0, 0.7, 3.0] {
            let found = along_axis(&ray(eye, origin + axis * way), origin, axis).unwrap();
            assert!((found - way).abs() < 1e-4, "{way}: {found}");
            // Beside the line, square to it and to the ray, it is the same.
            let aside =
                axis.cross((origin + axis * way - eye).normalize_or_zero()).normalize_or_zero()
                    * 0.3;
            let found =
                along_axis(&ray(eye + aside, origin + axis * way + aside), origin, axis).unwrap();
            assert!((found - way).abs() < 1e-4, "{way}: {found}");
        }
        let point = origin + axis.any_orthonormal_vector() * 1.3;
        assert!(on_plane(&ray(eye, point), origin, axis).unwrap().distance(point) < 1e-5);
        assert_eq!(along_axis(&ray(eye, eye + axis), origin, axis), None);
        assert_eq!(on_plane(&ray(eye, eye + axis.any_orthonormal_vector()), origin, axis), None);
        assert_eq!(on_plane(&ray(eye, eye * 2.0 - point), origin, axis), None, "behind the eye");
    }

    #[test]
    fn a_ball_rolls_the_way_the_pointer_goes() {
        let (right, up) = (Vec3::X, Vec3::Y);
        let (axis, angle) = ball_turn(Vec2::new(50.0, 0.0), 50.0, right, up);
        let near = glam::Quat::from_axis_angle(axis, angle * 0.1) * Vec3::Z;
        assert!(near.x > 0.05 && near.y.abs() < 1e-6, "to the right: {near}");
        let (axis, angle) = ball_turn(Vec2::new(0.0, 50.0), 50.0, right, up);
        let near = glam::Quat::from_axis_angle(axis, angle * 0.1) * Vec3::Z;
        assert!(near.y < -0.05 && near.x.abs() < 1e-6, "down: {near}");
    }

    #[test]
    fn steps_are_met_and_hundredths_kept() {
        assert_eq!(snapped(12.4, Some(5.0)), 10.0);
        assert_eq!(snapped(-12.6, Some(5.0)), -15.0);
        assert_eq!(snapped(12.3456, None), 12.35);
    }
}
