//! The eye: a turntable camera about a target, and what it sees.

use glam::{Mat4, Vec2, Vec3, camera::rh};

use crate::motion::Ray;

/// A direction to look along.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Axis {
    /// Along −Z: the front of a glTF model, which faces +Z.
    Front,
    /// Along +Z.
    Back,
    /// Along −X, from the model's left.
    Side,
    /// Downwards.
    Top,
    /// From the front, to one side and a little above.
    ThreeQuarter,
}

/// A turntable camera.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Camera {
    /// What it looks at and turns about.
    pub target: Vec3,
    /// Radians about Y; 0 looks along −Z.
    pub yaw: f32,
    /// Radians above the horizon.
    pub pitch: f32,
    /// Metres from the target.
    pub distance: f32,
    /// Vertical field of view, radians.
    pub fov: f32,
}

impl Default for Camera {
    fn default() -> Self {
        Self { target: Vec3::new(0.0, 0.9, 0.0), yaw: 0.55, pitch: 0.18, distance: 4.0, fov: 0.61 }
    }
}

impl Camera {
    /// Where the eye is.
    pub fn eye(&self) -> Vec3 {
        self.target + self.backward() * self.distance
    }

    /// From the target to the eye; unit.
    fn backward(&self) -> Vec3 {
        let (sin, cos) = self.pitch.sin_cos();
        Vec3::new(self.yaw.sin() * cos, sin, self.yaw.cos() * cos)
    }

    /// To the right on the screen; unit.
    pub fn right(&self) -> Vec3 {
        Vec3::new(self.yaw.cos(), 0.0, -self.yaw.sin())
    }

    /// Upwards on the screen; unit.
    pub fn up(&self) -> Vec3 {
        self.backward().cross(self.right())
    }

    /// `view_from_world`
    pub fn view_from_world(&self) -> Mat4 {
        rh::view::look_at_mat4(self.eye(), self.target, self.up())
    }

    /// `clip_from_world`: reverse depth, infinitely far.
    pub fn clip_from_world(&self, aspect: f32) -> Mat4 {
        rh::proj::directx::perspective_infinite_reverse(self.fov, aspect.max(1e-3), self.distance * 0.005)
            * self.view_from_world()
    }

    /// A point on a picture of `size`, and its depth along the view; `None` behind the eye.
    pub fn project(&self, point: Vec3, size: Vec2) -> Option<(Vec2, f32)> {
        let clip = self.clip_from_world(size.x / size.y.max(1.0)) * point.extend(1.0);
        if clip.w <= 1e-6 {
            return None;
        }
        let ndc = clip.truncate().truncate() / clip.w;
        Some((Vec2::new((ndc.x * 0.5 + 0.5) * size.x, (0.5 - ndc.y * 0.5) * size.y), clip.w))
    }

    /// The ray through a point of a picture of `size`.
    pub fn ray(&self, at: Vec2, size: Vec2) -> Ray {
        let half = (self.fov * 0.5).tan();
        let x = (at.x / size.x.max(1.0) * 2.0 - 1.0) * half * size.x / size.y.max(1.0);
        let y = (1.0 - at.y / size.y.max(1.0) * 2.0) * half;
        let direction = self.right() * x + self.up() * y - self.backward();
        Ray { origin: self.eye(), direction: direction.normalize_or(-self.backward()) }
    }

    /// Metres one point of a picture `height` high spans at a distance.
    pub fn metres_per_point(&self, depth: f32, height: f32) -> f32 {
        2.0 * depth * (self.fov * 0.5).tan() / height.max(1.0)
    }

    /// Turns about the target by a drag in points.
    pub fn orbit(&mut self, drag: Vec2) {
        self.yaw = (self.yaw - drag.x * 0.008).rem_euclid(std::f32::consts::TAU);
        self.pitch = (self.pitch + drag.y * 0.008).clamp(-1.55, 1.55);
    }

    /// Moves with the picture: what was under the pointer stays there, at the target's depth.
    pub fn pan(&mut self, drag: Vec2, height: f32) {
        let scale = self.metres_per_point(self.distance, height);
        self.target += (self.right() * -drag.x + self.up() * drag.y) * scale;
    }

    /// Nearer (factor below 1) or farther, keeping what is under `at` there.
    pub fn zoom(&mut self, factor: f32, at: Vec2, size: Vec2) {
        let ray = self.ray(at, size);
        let along = -ray.direction.dot(self.backward());
        let under = ray.origin + ray.direction * (self.distance / along.max(1e-3));
        let distance = (self.distance * factor).clamp(1e-4, 1e7);
        let factor = distance / self.distance;
        self.target = under + (self.target - under) * factor;
        self.distance = distance;
    }

    /// Shows a box whole.
    pub fn frame(&mut self, low: Vec3, high: Vec3, aspect: f32) {
        self.target = (low + high) * 0.5;
        let radius = ((high - low).length() * 0.5).max(1e-4);
        let half = (self.fov * 0.5).tan() * aspect.min(1.0);
        self.distance = (radius / half.atan().sin() * 0.96).clamp(1e-4, 1e7);
    }

    /// Looks along an axis.
    pub fn look(&mut self, axis: Axis) {
        let quarter = std::f32::consts::FRAC_PI_2;
        (self.yaw, self.pitch) = match axis {
            Axis::Front => (0.0, 0.0),
            Axis::Back => (2.0 * quarter, 0.0),
            Axis::Side => (quarter, 0.0),
            Axis::Top => (0.0, 1.55),
            Axis::ThreeQuarter => (0.55, 0.18),
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SIZE: Vec2 = Vec2::new(800.0, 600.0);

    #[test]
    fn a_ray_goes_through_what_it_was_cast_at() {
        let camera = Camera { yaw: 1.1, pitch: -0.4, ..Camera::default() };
        let point = Vec3::new(0.3, 1.2, -0.2);
        let (at, _) = camera.project(point, SIZE).unwrap();
        let ray = camera.ray(at, SIZE);
        let along = (point - ray.origin).dot(ray.direction);
        assert!((ray.origin + ray.direction * along).distance(point) < 1e-4);
    }

    #[test]
    fn zooming_keeps_the_spot_under_the_pointer() {
        let mut camera = Camera::default();
        let at = Vec2::new(650.0, 120.0);
        let before = camera.ray(at, SIZE);
        // On the target's plane, where zooming pivots.
        let n = (camera.eye() - camera.target).normalize_or_zero();
        let spot =
            before.origin + before.direction * ((camera.target - before.origin).dot(n) / before.direction.dot(n));
        camera.zoom(0.5, at, SIZE);
        assert!(camera.project(spot, SIZE).unwrap().0.distance(at) < 0.05);
    }

    #[test]
    fn framing_shows_the_whole_box() {
        let mut camera = Camera::default();
        let (low, high) = (Vec3::new(-3.0, 0.0, -1.0), Vec3::new(1.0, 7.0, 2.0));
        camera.frame(low, high, SIZE.x / SIZE.y);
        for k in 0..8 {
            let corner = Vec3::new(
                if k & 1 == 0 { low.x } else { high.x },
                if k & 2 == 0 { low.y } else { high.y },
                if k & 4 == 0 { low.z } else { high.z },
            );
            let (at, _) = camera.project(corner, SIZE).unwrap();
            assert!(at.cmpge(Vec2::splat(-40.0)).all() && at.cmple(SIZE + 40.0).all(), "{at}");
        }
    }
}
