//! The brush over the surface: where it touches, how its rim lies, what it would do, and the drags
//! of its numbers.

use glam::{Vec2, Vec3};

use super::{Painting, state::Adjusting};
use crate::{
    app::{App, viewport_renderer::ViewportRenderer},
    ui::{BrushHover, BrushNumber},
};
use ulna_edit::Mode;
use ulna_geometry::Ray;
use ulna_model::{Document, NodeId, PrimitiveId};
use ulna_render::Camera;
use ulna_weights::{Brush, Influences, Radius, Refusal, Touch, WeightConstraints, paint};

/// A brush's touch on the surface, and what was hit.
pub(super) struct BrushHit {
    pub touch: Touch,
    pub node: NodeId,
    pub primitive: PrimitiveId,
    pub vertex: u32,
    pub own_vertex: u32,
    /// Shares of the corners at the spot.
    pub shares: [f32; 3],
}

impl App {
    /// Where the brush is now.
    pub(in crate::app) fn brush_at(&mut self, at: Option<(Vec2, Vec2)>) {
        self.painting.pointer = at;
    }

    /// Finds what is under the brush, for showing; whether it is to be shown anew.
    pub(in crate::app) fn update_brush(&mut self) -> bool {
        if self.mode != Mode::Paint {
            return false;
        }
        if let Some(session) = &self.session {
            self.painting.let_go_of_stale(session.document());
        }
        let before = (self.painting.hover.as_ref().map(|h| h.at), self.painting.brush);
        self.drag_number();
        self.find_brush();
        before != (self.painting.hover.as_ref().map(|h| h.at), self.painting.brush)
    }

    fn find_brush(&mut self) {
        self.painting.here = None;
        let Some((at, size)) = self.painting.pointer else {
            self.painting.hover = None;
            return;
        };
        let Some(found) = self.find(at, size, &self.painting.brush.clone()) else {
            self.painting.hover = None;
            return;
        };
        let Some(session) = &self.session else { return };
        let document = session.document();
        let (rim, half) =
            rings(&self.viewport.camera, &found.touch, &self.painting, document, &self.renderer);
        let Some(canvas) = &self.painting.canvas else { return };
        let (map, own) = canvas.maps(document).map_of(found.vertex);
        let list = Influences::of(map, own);
        let mut shares: Vec<(NodeId, f32)> = list
            .iter()
            .filter_map(|(j, w)| Some((*canvas.joints().get(usize::from(j))?, w)))
            .collect();
        shares.sort_by(|a, b| b.1.total_cmp(&a.1));
        self.painting.layering.know_layer(document, canvas);
        let (note, refused) = self.painting.preview_effect(document, found.vertex);
        self.painting.here = self.painting.worst_at(found.node, found.primitive, found.own_vertex);
        self.painting.hover = Some(BrushHover {
            at,
            rim,
            half,
            node: found.node,
            vertex: (found.primitive, found.own_vertex),
            canvas_vertex: found.vertex,
            shares,
            note,
            refused,
        });
        self.painting.last = self.painting.hover.clone();
    }

    pub(super) fn find(&mut self, at: Vec2, size: Vec2, brush: &Brush) -> Option<BrushHit> {
        if !self.painting.is_ready() || self.painting.before.is_some() {
            return None;
        }
        let session = self.session.as_ref()?;
        let document = session.document();
        let ray = self.viewport.camera.ray(at, size);
        let hidden = &self.outliner.visibility.hidden;
        let hit = self.renderer.surface(document).hit(document, &ray, &|n| hidden.contains(&n))?;
        let canvas = self.painting.canvas.as_ref()?;
        // A mesh may hang on other skins at other nodes: there it lies elsewhere, and other joints
        // move it.
        let mesh = document
            .node(hit.node)
            .mesh
            .filter(|_| document.node(hit.node).skin == Some(canvas.skin))?;
        let corner = |v: u32| canvas.vertex_of(mesh, hit.primitive, v);
        let corners =
            [corner(hit.vertices[0])?, corner(hit.vertices[1])?, corner(hit.vertices[2])?];
        let spot = ray.origin + ray.direction * hit.distance;
        let depth = if self.viewport.camera.orthographic {
            self.viewport.camera.distance
        } else {
            (spot - self.viewport.camera.eye()).dot(self.viewport.camera.forward())
        };
        let radius = match brush.radius {
            Radius::Pixels(points) => points * self.viewport.camera.meters_per_point(depth, size.y),
            Radius::Scene(meters) => meters,
        };
        let nearest = (0..3).max_by(|a, b| hit.shares[*a].total_cmp(&hit.shares[*b]))?;
        let eye = (!self.viewport.camera.orthographic).then(|| self.viewport.camera.eye());
        Some(BrushHit {
            touch: Touch { at: spot, corners, direction: ray.direction, eye, radius },
            node: hit.node,
            primitive: hit.primitive,
            vertex: corners[nearest],
            own_vertex: hit.vertices[nearest],
            shares: hit.shares,
        })
    }

    /// Begins to drag a number of the brush, or ends it.
    pub(in crate::app) fn adjust_brush(&mut self, number: Option<BrushNumber>) {
        let Some(number) = number else {
            self.painting.adjusting = None;
            return;
        };
        let from = self.painting.pointer.map(|(at, _)| at);
        self.painting.adjusting = Some(Adjusting { number, before: self.painting.brush, from });
    }

    /// Escape: the brush is as before the drag.
    pub(in crate::app) fn cancel_adjusting(&mut self) {
        if let Some(adjusting) = self.painting.adjusting.take() {
            self.painting.brush = adjusting.before;
        }
    }

    fn drag_number(&mut self) {
        let Some((at, size)) = self.painting.pointer else { return };
        let Some(adjusting) = &mut self.painting.adjusting else { return };
        let Some(from) = adjusting.from else {
            adjusting.from = Some(at);
            return;
        };
        let way = at.x - from.x;
        let before = adjusting.before;
        let brush = &mut self.painting.brush;
        match adjusting.number {
            BrushNumber::Radius => {
                brush.radius = match before.radius {
                    Radius::Pixels(r) => Radius::Pixels((r + way).clamp(2.0, 1000.0)),
                    Radius::Scene(r) => Radius::Scene(
                        (r + way
                            * self
                                .viewport
                                .camera
                                .meters_per_point(self.viewport.camera.distance, size.y))
                        .max(1e-6),
                    ),
                };
            }
            BrushNumber::Strength => {
                brush.strength = (before.strength + way / 250.0).clamp(0.0, 1.0)
            }
            BrushNumber::Value => {
                brush.value = (before.value + way / 250.0).clamp(0.0, brush.kind.most_value());
            }
        }
    }
}

impl Painting {
    /// What a dab would do to a vertex: who gives or gets, or why nothing happens.
    fn preview_effect(&self, document: &Document, vertex: u32) -> (String, bool) {
        let (Some(canvas), Some(joint)) = (&self.canvas, self.joint) else {
            return ("select a joint to paint it".into(), true);
        };
        if self.layering.masked().is_some() {
            return match self.layering.mask_at(vertex) {
                Some(mask) => (format!("mask {mask:.2}"), false),
                None => ("no mask: this vertex is not in the layer".into(), true),
            };
        }
        if !self.brush.kind.is_of_one_joint() {
            return (String::new(), false);
        }
        let locked = self.locked_flags();
        // What a stroke would work on: of layers, the painted one.
        let maps = self.layering.maps(canvas).unwrap_or_else(|| canvas.maps(document));
        let (map, own) = maps.map_of(vertex);
        let rule = WeightConstraints {
            locked: &locked,
            parents: canvas.parents(),
            limit: self.limit.clamp(1, map.stride()),
            encoding: map.encoding,
            pairs: &[],
            turned: false,
        };
        let mut list = Influences::default();
        let before = Influences::of(map, own);
        let wish = |list: &Influences| self.brush.value_for(list.get(joint), self.brush.strength);
        let done = maps.read(vertex, &mut list, &rule).and_then(|()| {
            let wish = wish(&list);
            paint(&mut list, &[(joint, wish)], &rule, |out| {
                let point = canvas.point_of(vertex);
                for p in canvas.ring(point) {
                    let (map, v) = maps.map_of(canvas.vertices_at(*p)[0]);
                    Influences::of(map, v).iter().for_each(|(j, w)| out.add(j, w));
                }
            })
        });
        let label = |j: u16| {
            canvas
                .joints()
                .get(usize::from(j))
                .map_or_else(String::new, |n| document.node(*n).label(*n))
        };
        match done {
            Err(Refusal::Locked) => (format!("{} is locked", label(joint)), true),
            Err(why) => (why.to_string(), true),
            Ok(()) => {
                let grew = list.get(joint) > before.get(joint) + 1e-6;
                let shrank = list.get(joint) < before.get(joint) - 1e-6;
                let moved = |gives: bool| -> Vec<String> {
                    let mut joints: Vec<u16> = list
                        .iter()
                        .chain(before.iter())
                        .map(|(j, _)| j)
                        .filter(|j| *j != joint)
                        .collect();
                    joints.sort_unstable();
                    joints.dedup();
                    let by =
                        |j: &u16| (list.get(*j) - before.get(*j)) * if gives { -1.0 } else { 1.0 };
                    joints.retain(|j| by(j) > 1e-6);
                    joints.sort_by(|a, b| by(b).total_cmp(&by(a)));
                    joints.into_iter().take(2).map(label).collect()
                };
                let note = if grew {
                    match moved(true) {
                        list if list.is_empty() => "uses the remaining weight".into(),
                        list => format!("weight comes from {}", list.join(" and ")),
                    }
                } else if shrank {
                    match moved(false) {
                        list if list.is_empty() => String::new(),
                        list => format!("weight goes to {}", list.join(" and ")),
                    }
                } else {
                    let held =
                        before.iter().filter(|(j, _)| locked.get(usize::from(*j)) == Some(&true));
                    if held.map(|(_, w)| w).sum::<f32>() > 1.0 - 1e-4 {
                        return ("all its weight is on locked joints".into(), true);
                    }
                    "nothing to change here".into()
                };
                (note, false)
            }
        }
    }
}

/// The rim of a brush on the surface, and where it falls to half.
fn rings(
    camera: &Camera,
    touch: &Touch,
    painting: &Painting,
    document: &Document,
    stage: &ViewportRenderer,
) -> (Vec<Vec3>, Vec<Vec3>) {
    /// Rays of a ring; of the one that is drawn during a stroke fewer, since its weights move what
    /// they hit.
    const STEPS: usize = 48;
    const WHILE_PAINTING: usize = 24;
    let painting_now = painting.stroking.is_some();
    let steps = if painting_now { WHILE_PAINTING } else { STEPS };
    let normal = {
        let normals = touch
            .corners
            .map(|v| painting.posed.normals.get(v as usize).copied().unwrap_or_default());
        let mean = (normals[0] + normals[1] + normals[2]).normalize_or(-touch.direction);
        if mean.dot(touch.direction) > 0.0 { -mean } else { mean }
    };
    // Half way between the surface's own tilt and the screen's: a circle that lies on the surface,
    // but never on its edge.
    let normal = (normal - touch.direction * 0.6).normalize_or(-touch.direction);
    let u = normal.any_orthonormal_vector();
    let v = normal.cross(u);
    let half = (1..=100)
        .map(|k| k as f32 / 100.0)
        .find(|p| painting.brush.falloff.at(*p) >= 0.5)
        .unwrap_or(0.5);
    let ring = |radius: f32| -> Vec<Vec3> {
        let angle = |k: usize| k as f32 / steps as f32 * std::f32::consts::TAU;
        (0..steps)
            .map(|k| {
                let at = touch.at + (u * angle(k).cos() + v * angle(k).sin()) * radius;
                // Down onto the surface, where it is near.
                let lift = radius.max(touch.radius * 0.5);
                let ray = match touch.eye {
                    Some(eye) => {
                        Ray { origin: eye, direction: (at - eye).normalize_or(touch.direction) }
                    }
                    None => Ray {
                        origin: at - camera.forward() * camera.distance,
                        direction: touch.direction,
                    },
                };
                let near = (at - ray.origin).dot(ray.direction);
                let hit = stage.peek(document, &ray, near - lift, near + lift);
                hit.map_or(at, |distance| ray.origin + ray.direction * distance)
            })
            .collect()
    };
    let inner = if painting_now { Vec::new() } else { ring(touch.radius * (1.0 - half)) };
    (ring(touch.radius), inner)
}
