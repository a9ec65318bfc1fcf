//! The viewport camera: it orbits a target, and has a projection and picking rays.

use glam::{Mat4, Vec2, Vec3, camera::rh};

use ulna_geometry::Ray;

/// Standard view direction, named after the side that the camera sees or looks from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Axis {
    /// Looks along −Z and sees the model's front, because glTF models face +Z.
    Front,
    /// Looks along +Z and sees the model's back.
    Back,
    /// Looks along −X and sees the model's left side.
    Side,
    /// Looks along +X and sees the model's right side.
    OtherSide,
    /// Looks downward.
    Top,
    /// Looks upward.
    Bottom,
    /// Looks from the front, rotated to one side and slightly above.
    ThreeQuarter,
}

/// A turntable camera, with perspective or orthographic projection.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Camera {
    /// Point that the camera looks at and orbits.
    pub target: Vec3,
    /// Rotation of the camera about Y, in radians; 0 looks along −Z.
    pub yaw: f32,
    /// Elevation of the camera above the horizon, in radians.
    pub pitch: f32,
    /// Distance of the eye from the target, in meters; above 0.
    pub distance: f32,
    /// Vertical field of view, in radians. In the orthographic view, the picture height is the
    /// height that this angle spans at the target.
    pub fov: f32,
    /// Rotation about the view direction, in radians; positive values rotate the picture clockwise.
    /// Only cameras of the file have a roll.
    pub roll: f32,
    /// Whether the projection is orthographic.
    pub orthographic: bool,
    /// Visible depth in front of the target and behind it in the orthographic view, in meters.
    pub reach: f32,
}

impl Default for Camera {
    fn default() -> Self {
        Self {
            target: Vec3::new(0.0, 0.9, 0.0),
            yaw: 0.55,
            pitch: 0.18,
            distance: 4.0,
            fov: 0.61,
            roll: 0.0,
            orthographic: false,
            reach: 100.0,
        }
    }
}

impl Camera {
    /// Distance of the perspective near plane, as a fraction of the distance to the target.
    pub const NEAR: f32 = 0.005;

    /// Minimum distance of the eye from the target, in meters.
    const NEAREST: f32 = 1e-6;

    /// Position of the eye in scene space.
    pub fn eye(&self) -> Vec3 {
        self.target + self.backward() * self.distance
    }

    /// Unit vector from the target to the eye.
    fn backward(&self) -> Vec3 {
        let (sin, cos) = self.pitch.sin_cos();
        Vec3::new(self.yaw.sin() * cos, sin, self.yaw.cos() * cos)
    }

    /// View direction, as a unit vector.
    pub fn forward(&self) -> Vec3 {
        -self.backward()
    }

    /// Unit vector that points right in the picture.
    pub fn right(&self) -> Vec3 {
        let level = Vec3::new(self.yaw.cos(), 0.0, -self.yaw.sin());
        level * self.roll.cos() - self.backward().cross(level) * self.roll.sin()
    }

    /// Unit vector that points up in the picture.
    pub fn up(&self) -> Vec3 {
        self.backward().cross(self.right())
    }

    /// View matrix, `view_from_world`.
    pub fn view_from_world(&self) -> Mat4 {
        rh::view::look_at_mat4(self.eye(), self.target, self.up())
    }

    /// Half of the view's height at the depth of the target, in meters.
    fn half_height(&self) -> f32 {
        self.distance * (self.fov * 0.5).tan()
    }

    /// View-projection matrix `clip_from_world`, with reverse depth. The perspective projection has
    /// no far plane.
    pub fn clip_from_world(&self, aspect: f32) -> Mat4 {
        let aspect = aspect.max(1e-3);
        let clip_from_view = if self.orthographic {
            let half = self.half_height();
            // The eye is at the same position as with perspective. The depth range extends from in
            // front of the eye to far behind the target.
            let (near, far) = (self.distance - self.reach, self.distance + self.reach);
            rh::proj::directx::orthographic(-half * aspect, half * aspect, -half, half, far, near)
        } else {
            rh::proj::directx::perspective_infinite_reverse(
                self.fov,
                aspect,
                self.distance * Self::NEAR,
            )
        };
        clip_from_view * self.view_from_world()
    }

    /// Projects a point into a picture of `size`, in points. Also returns the depth, as used by
    /// [`Camera::meters_per_point`]. Returns `None` for points behind the eye.
    pub fn project(&self, point: Vec3, size: Vec2) -> Option<(Vec2, f32)> {
        self.projector(size)(point)
    }

    /// Returns a function that projects many points like [`Camera::project`].
    pub fn projector(&self, size: Vec2) -> impl Fn(Vec3) -> Option<(Vec2, f32)> {
        let clip_from_world = self.clip_from_world(size.x / size.y.max(1.0));
        let flat = self.orthographic.then_some(self.distance);
        move |point| {
            let clip = clip_from_world * point.extend(1.0);
            if clip.w <= 1e-6 {
                return None;
            }
            let ndc = clip.truncate().truncate() / clip.w;
            Some((
                Vec2::new((ndc.x * 0.5 + 0.5) * size.x, (0.5 - ndc.y * 0.5) * size.y),
                flat.unwrap_or(clip.w),
            ))
        }
    }

    /// Ray from the camera through a point of a picture of `size`.
    pub fn ray(&self, at: Vec2, size: Vec2) -> Ray {
        let half = (self.fov * 0.5).tan();
        let x = (at.x / size.x.max(1.0) * 2.0 - 1.0) * half * size.x / size.y.max(1.0);
        let y = (1.0 - at.y / size.y.max(1.0) * 2.0) * half;
        let across = self.right() * x + self.up() * y;
        if self.orthographic {
            let origin = self.target + across * self.distance + self.backward() * self.reach;
            return Ray { origin, direction: self.forward() };
        }
        let direction = across - self.backward();
        Ray { origin: self.eye(), direction: direction.normalize_or(-self.backward()) }
    }

    /// Meters per picture point at a depth, for a picture with this height in points.
    pub fn meters_per_point(&self, depth: f32, height: f32) -> f32 {
        2.0 * depth * (self.fov * 0.5).tan() / height.max(1.0)
    }

    /// Orbits the target by a pointer drag, in points.
    pub fn orbit(&mut self, drag: Vec2) {
        self.yaw = (self.yaw - drag.x * 0.008).rem_euclid(std::f32::consts::TAU);
        self.pitch = (self.pitch + drag.y * 0.008).clamp(-1.55, 1.55);
    }

    /// Orbits the target by two angles in radians. `by.x` moves the eye to the right, and `by.y`
    /// moves the eye upward.
    pub fn turn(&mut self, by: Vec2) {
        self.yaw = (self.yaw + by.x).rem_euclid(std::f32::consts::TAU);
        self.pitch = (self.pitch + by.y).clamp(-1.55, 1.55);
    }

    /// Pans by a pointer drag, in points. Objects at the target's depth follow the pointer.
    pub fn pan(&mut self, drag: Vec2, height: f32) {
        let scale = self.meters_per_point(self.distance, height);
        self.target += (self.right() * -drag.x + self.up() * drag.y) * scale;
    }

    /// Scales the distance from the target by `factor`; a factor below 1 moves closer. The point
    /// under `at` keeps its position in the picture.
    pub fn zoom(&mut self, factor: f32, at: Vec2, size: Vec2) {
        let ray = self.ray(at, size);
        let along = -ray.direction.dot(self.backward());
        let away = (ray.origin - self.target).dot(self.backward());
        let under = ray.origin + ray.direction * (away / along.max(1e-3));
        let distance = (self.distance * factor).clamp(Self::NEAREST, 1e7);
        let factor = distance / self.distance;
        self.target = under + (self.target - under) * factor;
        self.distance = distance;
    }

    /// Moves the camera so that a box fills the picture with some margin, without a change of
    /// direction. An empty box is treated as 0.1 mm wide.
    pub fn frame(&mut self, low: Vec3, high: Vec3, aspect: f32) {
        const ROOM: f32 = 0.88;
        self.target = (low + high) * 0.5;
        let half = (high - low) * 0.5;
        let half = if half.max_element() > 0.0 { half } else { Vec3::splat(5e-5) };
        let tall = (self.fov * 0.5).tan() * ROOM;
        let wide = tall * aspect.max(1e-3);
        let needed = (0..8).map(|corner| {
            let sign = |axis: u32| if corner >> axis & 1 == 1 { 1.0 } else { -1.0 };
            let at = half * Vec3::new(sign(0), sign(1), sign(2));
            let across = (at.dot(self.up()).abs() / tall).max(at.dot(self.right()).abs() / wide);
            // Corners closer to the eye appear larger.
            if self.orthographic { across } else { across + at.dot(self.backward()) }
        });
        self.distance = needed.fold(0.0, f32::max).clamp(Self::NEAREST, 1e7);
        self.reach = self.reach.max(half.length().max(self.distance) * 4.0);
    }

    /// Sets the view to that of a camera node, which looks along its −Z axis (glTF 2.0, 3.10).
    pub fn look_from(&mut self, scene_from_camera: &Mat4) {
        let (eye, axis) = (scene_from_camera.w_axis.truncate(), |v: glam::Vec4| {
            v.truncate().normalize_or(Vec3::Z)
        });
        let (right, back) = (axis(scene_from_camera.x_axis), axis(scene_from_camera.z_axis));
        self.pitch = back.y.clamp(-1.0, 1.0).asin();
        // When looking straight up or down, only the picture's orientation defines the yaw.
        self.yaw =
            if back.y.abs() < 0.9999 { back.x.atan2(back.z) } else { (-right.z).atan2(right.x) };
        self.roll = 0.0;
        let (level, upright) = (self.right(), self.up());
        self.roll = (-right.dot(upright)).atan2(right.dot(level));
        self.target = eye - self.backward() * self.distance;
    }

    /// Interpolates from this view (`part` 0) to another view (`part` 1).
    pub fn toward(&self, to: &Self, part: f32) -> Self {
        let mix = |a: f32, b: f32| a + (b - a) * part;
        Self {
            target: self.target.lerp(to.target, part),
            yaw: mix(self.yaw, to.yaw),
            pitch: mix(self.pitch, to.pitch),
            // Zooming appears uniform if the distance changes by a constant ratio per step.
            distance: self.distance * (to.distance / self.distance).powf(part),
            fov: mix(self.fov, to.fov),
            roll: mix(self.roll, to.roll),
            orthographic: to.orthographic,
            reach: self.reach.max(to.reach),
        }
    }

    /// Orbits the target by a pointer drag in points, about the axes of the picture.
    pub fn tumble(&mut self, drag: Vec2) {
        let turn = glam::Quat::from_axis_angle(self.up(), -drag.x * 0.008)
            * glam::Quat::from_axis_angle(self.right(), -drag.y * 0.008);
        let (right, up, back) = (turn * self.right(), turn * self.up(), turn * self.backward());
        let eye = self.target + back * self.distance;
        let target = self.target;
        self.look_from(&Mat4::from_cols(
            right.extend(0.0),
            up.extend(0.0),
            back.extend(0.0),
            eye.extend(1.0),
        ));
        self.target = target;
    }

    /// Turns the camera to a standard view direction.
    pub fn look(&mut self, axis: Axis) {
        let quarter = std::f32::consts::FRAC_PI_2;
        self.roll = 0.0;
        (self.yaw, self.pitch) = match axis {
            Axis::Front => (0.0, 0.0),
            Axis::Back => (2.0 * quarter, 0.0),
            Axis::Side => (quarter, 0.0),
            Axis::Top => (0.0, quarter),
            Axis::Bottom => (0.0, -quarter),
            Axis::OtherSide => (-quarter, 0.0),
            Axis::ThreeQuarter => (0.55, 0.18),
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SIZE: Vec2 = Vec2::new(800.0, 600.0);

    #[test]
    fn a_perspective_ray_passes_through_its_point() {
        let camera = Camera { yaw: 1.1, pitch: -0.4, ..Camera::default() };
        let point = Vec3::new(0.3, 1.2, -0.2);
        let (at, _) = camera.project(point, SIZE).unwrap();
        let ray = camera.ray(at, SIZE);
        let along = (point - ray.origin).dot(ray.direction);
        assert!((ray.origin + ray.direction * along).distance(point) < 1e-4);
    }

    #[test]
    fn an_orthographic_ray_passes_through_its_point() {
        let camera = Camera { yaw: 2.1, pitch: 0.7, orthographic: true, ..Camera::default() };
        let point = Vec3::new(0.3, 1.2, -0.2);
        let (at, depth) = camera.project(point, SIZE).unwrap();
        let ray = camera.ray(at, SIZE);
        let along = (point - ray.origin).dot(ray.direction);
        assert!(along > 0.0 && (ray.origin + ray.direction * along).distance(point) < 1e-3);
        let (right, _) = camera.project(point + camera.right() * 0.1, SIZE).unwrap();
        assert!((0.1 / camera.meters_per_point(depth, SIZE.y) - (right.x - at.x)).abs() < 0.05);
        let clip = |p: Vec3| camera.clip_from_world(1.0).project_point3(p).z;
        assert!(
            clip(camera.eye()) > clip(camera.target) && clip(camera.target) > 0.0,
            "nearer is more"
        );
    }

    #[test]
    fn a_camera_on_a_node_has_the_view_of_the_node() {
        for (x, y, z) in
            [(0.3, 1.0, 0.2), (-1.2, -2.0, 0.9), (1.5707964, 0.4, 0.0), (-1.5707964, 1.1, 0.3)]
        {
            let turn = glam::Quat::from_euler(glam::EulerRot::YXZ, y, x, z);
            let node = Mat4::from_rotation_translation(turn, Vec3::new(1.0, 2.0, 3.0));
            let mut camera = Camera::default();
            camera.look_from(&node);
            assert!(camera.eye().distance(Vec3::new(1.0, 2.0, 3.0)) < 1e-4);
            assert!(
                camera.right().distance(turn * Vec3::X) < 2e-3,
                "{x} {y} {z}: {}",
                camera.right()
            );
            assert!(camera.up().distance(turn * Vec3::Y) < 2e-3);
        }
    }

    #[test]
    fn zooming_keeps_the_point_under_the_pointer() {
        let mut camera = Camera::default();
        let at = Vec2::new(650.0, 120.0);
        let before = camera.ray(at, SIZE);
        // Points in the target's plane stay in place when zooming.
        let n = (camera.eye() - camera.target).normalize_or_zero();
        let spot = before.origin
            + before.direction * ((camera.target - before.origin).dot(n) / before.direction.dot(n));
        camera.zoom(0.5, at, SIZE);
        assert!(camera.project(spot, SIZE).unwrap().0.distance(at) < 0.05);
    }

    #[test]
    fn framing_shows_the_whole_box_and_fills_the_view() {
        // Boxes: a thin pole, a body of 0.1 mm, and a plain of several kilometers.
        let boxes = [
            (Vec3::new(-3.0, 0.0, -1.0), Vec3::new(1.0, 7.0, 2.0)),
            (Vec3::new(-0.1, 0.0, -0.1), Vec3::new(0.1, 3.0, 0.1)),
            (Vec3::ZERO, Vec3::new(2e-5, 1e-4, 3e-5)),
            (Vec3::new(-4e3, -1.0, -9e3), Vec3::new(5e3, 2.0, 7e3)),
        ];
        let mut framed = 0;
        for (low, high) in boxes {
            for (yaw, pitch) in [(0.55, 0.18), (0.0, 0.0), (2.4, -1.1), (0.0, 1.55)] {
                for orthographic in [false, true] {
                    for size in [SIZE, Vec2::new(300.0, 900.0)] {
                        let mut camera = Camera { yaw, pitch, orthographic, ..Camera::default() };
                        camera.frame(low, high, size.x / size.y);
                        let mut most = 0.0f32;
                        for k in 0..8u32 {
                            let side = |axis: u32| k >> axis & 1 == 1;
                            let corner = Vec3::select(
                                glam::BVec3::new(side(0), side(1), side(2)),
                                high,
                                low,
                            );
                            let (at, _) = camera.project(corner, size).unwrap();
                            most = most.max(((at / size - 0.5) * 2.0).abs().max_element());
                        }
                        assert!(
                            (0.8..0.95).contains(&most),
                            "{low} {high} {yaw} {pitch} {orthographic}: {most}"
                        );
                        framed += 1;
                    }
                }
            }
        }
        assert_eq!(framed, 64);
    }
}
