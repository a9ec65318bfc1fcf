//! Conversion of pointer motion over the handles of a manipulator to angles, distances and factors.
//! The inputs are points of the viewport and rays through them.

use std::f32::consts::TAU;

use glam::{Vec2, Vec3};

use super::Ray;

/// Minimum sine of the angle between a ray and a handle's line or plane. Below it, the pointer
/// position does not determine a point on the handle.
const EDGE: f32 = 0.08;

/// Finds the point of a line that is nearest to a ray. Returns its signed distance from `origin`,
/// in meters, along the unit direction `axis`. `None` if the line is almost parallel to the ray.
pub fn along_axis(ray: &Ray, origin: Vec3, axis: Vec3) -> Option<f32> {
    let (to, cos) = (origin - ray.origin, axis.dot(ray.direction));
    let sine_squared = 1.0 - cos * cos;
    if sine_squared < EDGE * EDGE {
        return None;
    }
    Some((cos * to.dot(ray.direction) - to.dot(axis)) / sine_squared)
}

/// Intersection of a ray with the plane through `origin` with the unit `normal`. `None` if the
/// plane is almost parallel to the ray, or is behind the eye.
pub fn on_plane(ray: &Ray, origin: Vec3, normal: Vec3) -> Option<Vec3> {
    let facing = normal.dot(ray.direction);
    if facing.abs() < EDGE {
        return None;
    }
    let distance = normal.dot(origin - ray.origin) / facing;
    (distance > 0.0).then(|| ray.origin + ray.direction * distance)
}

/// Trackball rotation for a pointer motion over a ball in front of the camera: a unit axis, and an
/// angle in radians. `way` is the motion and `radius` the ball's radius, both in viewport points.
/// `right` and `up` are the axes of the viewport in scene space.
pub fn ball_turn(way: Vec2, radius: f32, right: Vec3, up: Vec3) -> (Vec3, f32) {
    // The viewport's y axis points down.
    let axis = up * way.x + right * way.y;
    (axis.normalize_or(up), way.length() / radius.max(1.0))
}

/// Virtual pointer with adjustable speed. It never jumps when the speed changes.
#[derive(Clone, Copy, Debug)]
pub struct FinePointer {
    at: Vec2,
    last: Vec2,
}

impl FinePointer {
    /// Creates a virtual pointer at the position of the mouse press.
    pub const fn new(at: Vec2) -> Self {
        Self { at, last: at }
    }

    /// Current position of the virtual pointer.
    pub const fn now(&self) -> Vec2 {
        self.at
    }

    /// Moves by the pointer's motion since the last call, scaled by `factor`. Returns the new
    /// position.
    pub fn follow(&mut self, pointer: Vec2, factor: f32) -> Vec2 {
        self.at += (pointer - self.last) * factor;
        self.last = pointer;
        self.at
    }
}

/// Appearance of a rotation ring in the viewport, which decides how a drag rotates it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum RingSight {
    /// Visible as an ellipse; the ring is rotated by dragging around its center.
    Round {
        /// The center, in points of the viewport.
        center: Vec2,
        /// Whether the axis points to the eye.
        toward: bool,
    },
    /// Seen edge-on; the ring is rotated by dragging along a line.
    Edge {
        /// Unit direction in the viewport in which the near side of the ring moves for a positive
        /// rotation.
        along: Vec2,
        /// The ring's radius, in points.
        radius: f32,
    },
}

/// Accumulated rotation of a ring since the mouse press, in radians; can exceed a full turn.
#[derive(Clone, Copy, Debug)]
pub struct RingTurn {
    start: Vec2,
    last: f32,
    turned: f32,
}

impl RingTurn {
    /// Creates a rotation of 0 for a mouse press at `start`, in points of the viewport.
    pub const fn new(start: Vec2) -> Self {
        Self { start, last: 0.0, turned: 0.0 }
    }

    /// Position of the mouse press, in points of the viewport.
    pub const fn start(&self) -> Vec2 {
        self.start
    }

    /// Follows the pointer. Returns the accumulated rotation about the axis in radians, by the
    /// right-hand rule. The motion since the last call is scaled by `factor`, so a change of the
    /// factor causes no jump.
    pub fn follow(&mut self, sight: RingSight, pointer: Vec2, factor: f32) -> f32 {
        let (angle, wraps) = match sight {
            RingSight::Round { center, toward } => {
                let by = (pointer - center).to_angle() - (self.start - center).to_angle();
                // The viewport's y axis points down.
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

/// Rounds a dragged value to hundredths, after rounding it to the nearest multiple of `step`, if
/// any.
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
    fn full_turns_add_up_in_both_directions_without_a_jump_at_180_degrees() {
        for (toward, sign) in [(true, -1.0), (false, 1.0)] {
            for turns in [-2.5f32, -1.0, 0.3, 2.0] {
                let mut turn = RingTurn::new(at(2.9, 50.0));
                let steps = 200;
                let mut found = 0.0;
                for k in 1..=steps {
                    let angle = 2.9 + turns * TAU * k as f32 / steps as f32;
                    // The pointer's distance from the center must not matter.
                    found = turn.follow(round(toward), at(angle, 20.0 + k as f32), 1.0);
                }
                assert!((found - sign * turns * TAU).abs() < 1e-3, "{toward} {turns}: {found}");
            }
        }
    }

    #[test]
    fn switching_to_fine_control_does_not_jump() {
        let mut turn = RingTurn::new(at(0.0, 50.0));
        let before = turn.follow(round(false), at(1.0, 50.0), 1.0);
        assert!((turn.follow(round(false), at(1.0, 50.0), 0.2) - before).abs() < 1e-6);
        assert!((turn.follow(round(false), at(1.5, 50.0), 0.2) - (before + 0.1)).abs() < 1e-5);
    }

    #[test]
    fn an_edge_on_ring_turns_once_per_circumference_of_drag() {
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
    fn a_ray_through_a_point_on_a_line_or_plane_finds_that_point() {
        let eye = Vec3::new(3.0, 4.0, 7.0);
        let (origin, axis) =
            (Vec3::new(0.5, -0.2, 0.1), Vec3::new(2.0, -1.0, 0.5).normalize_or_zero());
        for way in [-2.0, -0.1, 0.0, 0.7, 3.0] {
            let found = along_axis(&ray(eye, origin + axis * way), origin, axis).unwrap();
            assert!((found - way).abs() < 1e-4, "{way}: {found}");
            // An offset perpendicular to both the line and the ray must not change the result.
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
    fn a_trackball_rolls_in_the_pointer_direction() {
        let (right, up) = (Vec3::X, Vec3::Y);
        let (axis, angle) = ball_turn(Vec2::new(50.0, 0.0), 50.0, right, up);
        let near = glam::Quat::from_axis_angle(axis, angle * 0.1) * Vec3::Z;
        assert!(near.x > 0.05 && near.y.abs() < 1e-6, "to the right: {near}");
        let (axis, angle) = ball_turn(Vec2::new(0.0, 50.0), 50.0, right, up);
        let near = glam::Quat::from_axis_angle(axis, angle * 0.1) * Vec3::Z;
        assert!(near.y < -0.05 && near.x.abs() < 1e-6, "down: {near}");
    }

    #[test]
    fn values_snap_to_steps_or_hundredths() {
        assert_eq!(snapped(12.4, Some(5.0)), 10.0);
        assert_eq!(snapped(-12.6, Some(5.0)), -15.0);
        assert_eq!(snapped(12.3456, None), 12.35);
    }
}
