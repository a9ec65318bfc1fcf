//! Handles of the gizmo: the set of a tool, their shapes in the viewport, and picking.

use glam::{Vec2, Vec3};

use super::{
    Frame,
    frame::Roll,
    operation::{Limit, Operation},
};
use crate::ui::viewport::pick::segment_distance;
use ulna_render::Camera;

/// Pick distance around a line, in points.
const REACH: f32 = 7.0;
/// Pick distance around the center of a box, disc or knob, in points.
const SPOT: f32 = 8.0;
/// Start and end of the plane squares along their axes, in points.
const PLANE: (f32, f32) = (20.0, 33.0);
const STEPS: usize = 96;
/// Radius of the ring around a bone, in points.
const ROLL: f32 = 44.0;
/// Cosine between an axis and the view direction above which the axis has no handle.
const END_ON: f32 = 0.97;
/// Cosine between a plane's normal and the view direction below which the plane has no handle.
const EDGE_ON: f32 = 0.16;

/// A handle of the gizmo.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Handle {
    /// Arrow along axis 0, 1 or 2.
    Arrow(usize),
    /// Square perpendicular to axis 0, 1 or 2.
    Plane(usize),
    /// Ring around axis 0, 1 or 2.
    Ring(usize),
    /// Outer ring: rotates about the view direction, or scales all axes.
    Outer,
    /// Box that scales along axis 0, 1 or 2.
    Box(usize),
    /// Disc at the center.
    Center,
    /// Diamond beside the elbow or knee of a limb.
    Swivel,
    /// Knob on the ring around a bone.
    Roll,
}

/// Handles of a tool, with their distances from the center in points.
#[derive(Clone, Copy, Debug, Default)]
pub struct HandleSet {
    /// Length of the arrows in points, and their operation.
    pub arrows: Option<(f32, Operation)>,
    /// Operation of the squares between two axes.
    pub planes: Option<Operation>,
    /// Radius of the rotation rings, in points; `None` without rings.
    pub rings: Option<f32>,
    /// Radius of the outer ring in points, and its operation.
    pub outer: Option<(f32, Operation)>,
    /// Distance of the scale boxes in points, and whether a line connects them to the center.
    pub boxes: Option<(f32, bool)>,
    /// Operation of the disc at the center.
    pub center: Option<Operation>,
    /// Whether the swivel handle of a limb is shown.
    pub swivel: bool,
    /// Whether the knob that rotates a joint's axes about its bone is shown, in Rig mode.
    pub roll: bool,
}

impl HandleSet {
    /// Operation and limit of a handle.
    pub fn meaning(&self, handle: Handle) -> (Operation, Limit) {
        match handle {
            Handle::Arrow(k) => (self.arrows.map_or(Operation::Move, |a| a.1), Limit::Axis(k)),
            Handle::Swivel => (Operation::Swivel, Limit::View),
            Handle::Roll => (Operation::Roll, Limit::View),
            Handle::Plane(k) => (self.planes.unwrap_or(Operation::Move), Limit::Plane(k)),
            Handle::Ring(k) => (Operation::Rotate, Limit::Axis(k)),
            Handle::Outer => match self.outer {
                Some((_, Operation::Rotate)) | None => (Operation::Rotate, Limit::View),
                Some((_, operation)) => (operation, Limit::Free),
            },
            Handle::Box(k) => (Operation::Scale, Limit::Axis(k)),
            Handle::Center => (self.center.unwrap_or(Operation::Move), Limit::Free),
        }
    }

    /// Returns the handles scaled by a factor; 1 keeps the default size.
    pub fn scaled(mut self, size: f32) -> Self {
        self.arrows = self.arrows.map(|(reach, operation)| (reach * size, operation));
        self.rings = self.rings.map(|reach| reach * size);
        self.outer = self.outer.map(|(reach, operation)| (reach * size, operation));
        self.boxes = self.boxes.map(|(reach, line)| (reach * size, line));
        self
    }

    /// Radius of the outermost handle, for the placement of text beside it.
    pub fn radius(&self) -> f32 {
        let all = [
            self.arrows.map(|a| a.0),
            self.rings,
            self.outer.map(|o| o.0),
            self.boxes.map(|b| b.0),
        ];
        all.into_iter().flatten().fold(40.0, f32::max)
    }
}

/// Handle with its shape in the viewport.
#[derive(Clone, Debug)]
pub struct HandleShape {
    /// The handle itself.
    pub handle: Handle,
    /// Points of the line, or corners of the square, in viewport points. The flag tells whether a
    /// point is on the near side.
    pub line: Vec<(Vec2, bool)>,
    /// Closeness to the camera; larger values are nearer.
    pub near: f32,
}

/// Shapes of all handles of a set that can be used from this camera.
pub fn shapes(set: &HandleSet, frame: &Frame, camera: &Camera, size: Vec2) -> Vec<HandleShape> {
    let at =
        |offset: Vec3| camera.project(frame.origin + offset * frame.unit, size).map(|(p, _)| p);
    let mut found = Vec::new();
    let mut add = |handle: Handle, points: &[Vec3], near: f32| {
        let line: Option<Vec<_>> = points.iter().map(|p| Some((at(*p)?, true))).collect();
        found.extend(line.map(|line| HandleShape { handle, line, near }));
    };
    for (k, axis) in frame.axes.into_iter().enumerate() {
        let facing = axis.dot(frame.sight);
        let (u, v) = (frame.axes[(k + 1) % 3], frame.axes[(k + 2) % 3]);
        if facing.abs() < END_ON {
            if let Some((length, _)) = set.arrows {
                add(Handle::Arrow(k), &[axis * 12.0, axis * length], facing);
            }
            if let Some((length, lined)) = set.boxes {
                let from = if lined { 12.0 } else { length };
                add(Handle::Box(k), &[axis * from, axis * length], facing);
            }
        }
        if set.planes.is_some() && facing.abs() > EDGE_ON {
            let (a, b) = PLANE;
            add(
                Handle::Plane(k),
                &[u * a + v * a, u * b + v * a, u * b + v * b, u * a + v * b],
                (u + v).dot(frame.sight),
            );
        }
    }
    for (k, axis) in frame.axes.into_iter().enumerate() {
        if let Some(radius) = set.rings {
            found.push(ring(Handle::Ring(k), axis, radius, frame, camera, size));
        }
    }
    if let Some((radius, _)) = set.outer {
        let mut outer = ring(Handle::Outer, frame.sight, radius, frame, camera, size);
        outer.line.iter_mut().for_each(|(_, near)| *near = true);
        found.push(outer);
    }
    if set.center.is_some() {
        found.push(HandleShape {
            handle: Handle::Center,
            line: vec![(frame.center, true)],
            near: 0.0,
        });
    }
    if let Some(swivel) = frame.swivel.filter(|_| set.swivel) {
        let ends = [swivel.elbow, swivel.handle].map(|p| camera.project(p, size));
        if let [Some((a, _)), Some((b, _))] = ends {
            found.push(HandleShape {
                handle: Handle::Swivel,
                line: vec![(a, true), (b, true)],
                near: 1.0,
            });
        }
    }
    if let Some(roll) = frame.roll.filter(|_| set.roll) {
        found.extend(roll_handle(&roll, camera, size));
    }
    found
}

/// Shape of the ring around a bone. Its last two points are the line from the bone to the knob on
/// the ring.
pub(super) fn roll_handle(roll: &Roll, camera: &Camera, size: Vec2) -> Option<HandleShape> {
    let (middle, depth) = camera.project(roll.middle, size)?;
    let sight = (camera.eye() - roll.middle).normalize_or(Vec3::Z);
    let radius = ROLL * camera.meters_per_point(depth, size.y);
    let side = roll.axis.cross(roll.out);
    let point = |k: usize| {
        let angle = k as f32 / STEPS as f32 * std::f32::consts::TAU;
        let d = roll.out * angle.cos() + side * angle.sin();
        Some((camera.project(roll.middle + d * radius, size)?.0, d.dot(sight) > -0.02))
    };
    let mut line: Vec<_> = (0..=STEPS).filter_map(point).collect();
    let knob = camera.project(roll.middle + roll.out * radius, size)?.0;
    line.extend([(middle, true), (knob, true)]);
    Some(HandleShape { handle: Handle::Roll, line, near: 1.0 })
}

fn ring(
    handle: Handle,
    axis: Vec3,
    radius: f32,
    frame: &Frame,
    camera: &Camera,
    size: Vec2,
) -> HandleShape {
    let (a, b) = axis.any_orthonormal_pair();
    let point = |k: usize| {
        let angle = k as f32 / STEPS as f32 * std::f32::consts::TAU;
        let d = a * angle.cos() + b * angle.sin();
        let at = camera.project(frame.origin + d * frame.unit * radius, size)?.0;
        Some((at, d.dot(frame.sight) > -0.02))
    };
    HandleShape { handle, line: (0..=STEPS).filter_map(point).collect(), near: 0.0 }
}

impl HandleShape {
    /// Viewport point where a press picks this handle, for accessibility. `None` if other handles
    /// cover it completely.
    pub fn grip(&self, all: &[Self]) -> Option<Vec2> {
        let middle =
            self.line.iter().map(|(p, _)| *p).sum::<Vec2>() / self.line.len().max(1) as f32;
        let seen = || self.line.iter().filter(|(_, near)| *near).map(|(p, _)| *p);
        let points: Vec<Vec2> = match self.handle {
            Handle::Plane(_) => vec![middle],
            Handle::Ring(_) | Handle::Outer => seen().collect(),
            Handle::Arrow(_) | Handle::Box(_) | Handle::Center | Handle::Swivel | Handle::Roll => {
                let end = self.line.last()?.0;
                let from = self.line[self.line.len().saturating_sub(2)].0;
                (0..=8).map(|k| end.lerp(from, k as f32 / 8.0)).collect()
            }
        };
        points.into_iter().find(|p| under(all, *p) == Some(self.handle))
    }

    /// Name of the handle.
    pub fn name(&self, set: &HandleSet) -> String {
        const AXES: [&str; 3] = ["X", "Y", "Z"];
        const PLANES: [&str; 3] = ["Y and Z", "Z and X", "X and Y"];
        let (operation, _) = set.meaning(self.handle);
        let verb = operation.title();
        match self.handle {
            Handle::Arrow(k) | Handle::Box(k) => format!("Handle: {verb} along {}", AXES[k]),
            Handle::Plane(k) => format!("Handle: {verb} in {}", PLANES[k]),
            Handle::Ring(k) => format!("Handle: {verb} about {}", AXES[k]),
            Handle::Outer if operation.is_turn() => format!("Handle: {verb} around the view axis"),
            Handle::Outer => format!("Handle: {verb} all axes"),
            Handle::Center => format!("Handle: {verb} freely"),
            Handle::Swivel => "Handle: swivel the limb".to_owned(),
            Handle::Roll => "Handle: roll about the bone".to_owned(),
        }
    }
}

/// Handle under a viewport point. Discs and knobs take precedence over boxes, arrows, squares and
/// rings, in this order. Of two equal handles, the nearer one is picked.
pub fn under(shapes: &[HandleShape], at: Vec2) -> Option<Handle> {
    let along = |shape: &HandleShape| {
        let near = shape.line.windows(2).filter(|w| w[0].1);
        near.map(|w| segment_distance(at, w[0].0, w[1].0)).fold(f32::INFINITY, f32::min)
    };
    let meant = |shape: &HandleShape| -> Option<(u8, f32)> {
        let end = shape.line.last()?.0;
        match shape.handle {
            Handle::Center | Handle::Swivel | Handle::Roll => {
                (at.distance(end) <= SPOT).then_some((0, 0.0))
            }
            Handle::Box(_) if at.distance(end) <= SPOT => Some((1, -shape.near)),
            Handle::Arrow(_) | Handle::Box(_) => {
                (along(shape) <= REACH || at.distance(end) <= SPOT).then_some((2, -shape.near))
            }
            Handle::Plane(_) => is_inside(&shape.line, at).then_some((3, -shape.near)),
            Handle::Ring(_) => Some(along(shape)).filter(|d| *d <= REACH).map(|d| (4, d)),
            Handle::Outer => Some(along(shape)).filter(|d| *d <= REACH).map(|d| (5, d)),
        }
    };
    let all = shapes.iter().filter_map(|s| Some((meant(s)?, s.handle)));
    all.min_by(|(a, _), (b, _)| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1))).map(|(_, handle)| handle)
}

/// Whether a point is inside a square or near its middle.
fn is_inside(corners: &[(Vec2, bool)], at: Vec2) -> bool {
    let middle = corners.iter().map(|(p, _)| *p).sum::<Vec2>() / corners.len().max(1) as f32;
    let sides = corners
        .iter()
        .zip(corners.iter().cycle().skip(1))
        .map(|((a, _), (b, _))| (*b - *a).perp_dot(at - *a));
    let (mut left, mut right) = (false, false);
    for side in sides {
        left |= side > 0.0;
        right |= side < 0.0;
    }
    !(left && right) || at.distance(middle) <= 6.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use ulna_model::NodeId;

    #[test]
    fn every_visible_handle_is_picked_at_its_position() {
        let size = Vec2::new(1000.0, 800.0);
        let combined = HandleSet {
            arrows: Some((92.0, Operation::Move)),
            planes: Some(Operation::Move),
            rings: Some(66.0),
            outer: Some((78.0, Operation::Rotate)),
            boxes: Some((39.0, false)),
            center: Some(Operation::Move),
            swivel: false,
            roll: false,
        };
        let mut met = 0;
        for yaw in 0..24 {
            let mut camera = Camera::default();
            camera.orbit(Vec2::new(yaw as f32 * 37.0, yaw as f32 * 11.0));
            let node = Some(NodeId::from(0));
            let at = Vec3::new(0.1, 0.4, -0.2);
            let axes = [Vec3::X, Vec3::Y, Vec3::Z];
            let frame = Frame {
                node,
                origin: at,
                axes,
                sight: Vec3::Z,
                center: Vec2::ZERO,
                unit: 1.0,
                swivel: None,
                roll: None,
            };
            let frame = frame.seen(&camera, size).unwrap();
            let all = shapes(&combined, &frame, &camera, size);
            for shape in &all {
                let spot = match shape.handle {
                    Handle::Plane(_) => shape.line.iter().map(|(p, _)| *p).sum::<Vec2>() / 4.0,
                    Handle::Ring(_) | Handle::Outer => continue,
                    _ => shape.line.last().unwrap().0,
                };
                let found = under(&all, spot);
                // Another handle may be on top, but some handle must be found.
                assert!(found.is_some(), "{yaw}: {:?}", shape.handle);
                met += usize::from(found == Some(shape.handle));
            }
            assert_eq!(under(&all, frame.center + Vec2::splat(150.0)), None);
            assert_eq!(under(&all, frame.center), Some(Handle::Center));
        }
        assert!(met > 24 * 7, "{met}");
    }
}
