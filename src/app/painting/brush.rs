//! The brush on the surface: the touched point, the rim, the preview of its effect, and drags that
//! change brush settings.

use glam::{Vec2, Vec3};

use super::context::BrushContext;
use crate::{
    app::viewport_renderer::ViewportRenderer,
    ui::{BrushDrag, BrushHover, BrushNumber, PaintDomain, ToastKind},
};
use ulna_geometry::Ray;
use ulna_model::{Document, NodeId, PrimitiveId};
use ulna_render::Camera;
use ulna_weights::{Brush, Influences, Radius, Refusal, Touch, WeightConstraints, paint};

/// A point that the brush touches, with the hit triangle.
pub(super) struct BrushHit {
    pub touch: Touch,
    pub node: NodeId,
    pub primitive: PrimitiveId,
    pub vertex: u32,
    pub own_vertex: u32,
    /// Barycentric coordinates of the point in the hit triangle.
    pub shares: [f32; 3],
}

impl BrushContext<'_> {
    /// Finds the surface point under the brush. Returns whether the display of the brush changed.
    pub(in crate::app) fn update(&mut self) -> bool {
        self.painting.drop_stale_surface(self.session.document());
        let shown = |painting: &PaintDomain| {
            let hover = painting.session().and_then(|s| s.hover());
            (hover.map(|h| h.at), painting.options.brush)
        };
        let before = shown(self.painting);
        self.painting.drag_number(self.camera);
        self.find_brush();
        before != shown(self.painting)
    }

    fn find_brush(&mut self) {
        let found = self.painting.pointer.and_then(|(at, size)| {
            let found = self.find(at, size, &self.painting.options.brush.clone())?;
            Some((at, found))
        });
        let hover = found.and_then(|(at, found)| self.hover_of(at, &found));
        let Some(painted) = self.painting.session_mut() else { return };
        painted.is_over = hover.is_some();
        if hover.is_some() {
            painted.touched = hover;
        }
    }

    /// Display data of the brush over a surface point.
    fn hover_of(&mut self, at: Vec2, found: &BrushHit) -> Option<BrushHover> {
        let document = self.session.document();
        let (rim, half) = rings(self.camera, &found.touch, self.painting, document, self.renderer);
        let painted = self.painting.state.session()?;
        let canvas = &painted.surface;
        let (map, own) = canvas.maps(document).map_of(found.vertex);
        let list = Influences::of(map, own);
        let mut shares: Vec<(NodeId, f32)> = list
            .iter()
            .filter_map(|(j, w)| Some((*canvas.joints().get(usize::from(j))?, w)))
            .collect();
        shares.sort_by(|a, b| b.1.total_cmp(&a.1));
        if painted.stroke.as_ref().is_some_and(|s| s.layer.is_some()) {
            self.painting.layering.forget_next();
        } else {
            self.painting.layering.update_next(document, canvas);
        }
        let (note, refused) = self.painting.preview_effect(document, found.vertex);
        Some(BrushHover {
            at,
            rim,
            half,
            node: found.node,
            vertex: (found.primitive, found.own_vertex),
            surface_vertex: found.vertex,
            shares,
            note,
            refused,
        })
    }

    pub(super) fn find(&mut self, at: Vec2, size: Vec2, brush: &Brush) -> Option<BrushHit> {
        let canvas = &self.painting.state.ready()?.surface;
        if self.painting.original.is_some() {
            return None;
        }
        let (document, hidden) = (self.session.document(), self.hidden);
        let ray = self.camera.ray(at, size);
        let hit = self.renderer.surface(document).hit(document, &ray, &|n| hidden.contains(&n))?;
        // A mesh may be used by nodes with other skins. Their joints cannot be painted here.
        let mesh = document
            .node(hit.node)
            .mesh
            .filter(|_| document.node(hit.node).skin == Some(canvas.skin))?;
        let corner = |v: u32| canvas.vertex_of(mesh, hit.primitive, v);
        let corners =
            [corner(hit.vertices[0])?, corner(hit.vertices[1])?, corner(hit.vertices[2])?];
        let spot = ray.origin + ray.direction * hit.distance;
        let depth = if self.camera.orthographic {
            self.camera.distance
        } else {
            (spot - self.camera.eye()).dot(self.camera.forward())
        };
        let radius = match brush.radius {
            Radius::Pixels(points) => points * self.camera.meters_per_point(depth, size.y),
            Radius::Scene(meters) => meters,
        };
        let nearest = (0..3).max_by(|a, b| hit.shares[*a].total_cmp(&hit.shares[*b]))?;
        let eye = (!self.camera.orthographic).then(|| self.camera.eye());
        Some(BrushHit {
            touch: Touch { at: spot, corners, direction: ray.direction, eye, radius },
            node: hit.node,
            primitive: hit.primitive,
            vertex: corners[nearest],
            own_vertex: hit.vertices[nearest],
            shares: hit.shares,
        })
    }

    /// Sets the brush's value to the weight or mask under the brush.
    pub(in crate::app) fn sample(&mut self) {
        let painting = &mut *self.painting;
        let painted = painting.state.session();
        let hover = painted.and_then(|s| s.hover());
        let (value, failure) = if painting.layering.masked().is_some() {
            let vertex = hover.map(|h| h.surface_vertex);
            (
                vertex.and_then(|v| painting.layering.mask_at(v)),
                "No mask was picked: no vertex of the layer is under the brush.",
            )
        } else {
            let joint = painted.and_then(|s| s.joint_node());
            let weight = |(hover, joint): (&BrushHover, NodeId)| {
                hover.shares.iter().find(|(n, _)| *n == joint).map_or(0.0, |(_, w)| *w)
            };
            (hover.zip(joint).map(weight), "No weight was picked: no vertex is under the brush.")
        };
        match value {
            Some(value) => painting.options.brush.value = value,
            None => self.messages.toast(ToastKind::Error, failure),
        }
    }

    /// Selects the next joint with weight on the vertex that is or was last under the brush.
    pub(in crate::app) fn step_influence(&mut self, back: bool) {
        let painted = self.painting.session();
        let shares = painted.and_then(|s| s.touched.as_ref()).map_or(&[][..], |h| &h.shares);
        let now = self.painting.joint_node();
        let now = now.and_then(|joint| shares.iter().position(|(n, _)| *n == joint));
        match step(now, shares.len(), back) {
            Some(next) => self.selection.set(shares[next].0),
            None => {
                let text = "Point at the surface first: no vertex was under the brush yet.";
                self.messages.toast(ToastKind::Note, text);
            }
        }
    }
}

/// Next or previous index of a list, wrapping at the ends. `None` if the list is empty.
pub(super) const fn step(now: Option<usize>, count: usize, back: bool) -> Option<usize> {
    match (now, back) {
        _ if count == 0 => None,
        (None, _) => Some(0),
        (Some(k), false) => Some((k + 1) % count),
        (Some(k), true) => Some((k + count - 1) % count),
    }
}

impl PaintDomain {
    /// Starts the drag of a brush setting; `None` ends it.
    pub(in crate::app) fn adjust_brush(&mut self, number: Option<BrushNumber>) {
        let from = self.pointer.map(|(at, _)| at);
        let before = self.options.brush;
        self.adjusting = number.map(|number| BrushDrag { number, before, from });
    }

    /// Cancels the drag, and restores the brush.
    pub(in crate::app) fn cancel_adjusting(&mut self) {
        if let Some(adjusting) = self.adjusting.take() {
            self.options.brush = adjusting.before;
        }
    }

    fn drag_number(&mut self, camera: &Camera) {
        let Some((at, size)) = self.pointer else { return };
        let Some(adjusting) = &mut self.adjusting else { return };
        let Some(from) = adjusting.from else {
            adjusting.from = Some(at);
            return;
        };
        let way = at.x - from.x;
        let before = adjusting.before;
        let brush = &mut self.options.brush;
        match adjusting.number {
            BrushNumber::Radius => {
                brush.radius = match before.radius {
                    Radius::Pixels(r) => Radius::Pixels((r + way).clamp(2.0, 1000.0)),
                    Radius::Scene(r) => Radius::Scene(
                        (r + way * camera.meters_per_point(camera.distance, size.y)).max(1e-6),
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

    /// Text about the effect of a dab on a vertex: the joints that lose or receive weight, or a
    /// reason why nothing changes. The flag is true for a reason.
    fn preview_effect(&self, document: &Document, vertex: u32) -> (String, bool) {
        let Some((session, joint)) = self.session().and_then(|s| Some((s, s.joint?))) else {
            return ("select a joint to paint it".into(), true);
        };
        let (canvas, brush) = (&session.surface, &self.options.brush);
        if self.layering.masked().is_some() {
            return match self.layering.mask_at(vertex) {
                Some(mask) => (format!("mask {mask:.2}"), false),
                None => ("no mask: this vertex is not in the layer".into(), true),
            };
        }
        if !brush.kind.is_of_one_joint() {
            return (String::new(), false);
        }
        let locked = session.locked_flags(&self.options.locked);
        // With weight layers, a stroke changes the painted layer.
        let layer = session.stroke.as_ref().and_then(|s| s.layer.as_ref());
        let maps = layer.map(|l| l.paint.maps(canvas));
        let maps = maps.or_else(|| self.layering.next_maps(canvas));
        let maps = maps.unwrap_or_else(|| canvas.maps(document));
        let (map, own) = maps.map_of(vertex);
        let rule = WeightConstraints {
            locked: &locked,
            parents: canvas.parents(),
            limit: self.options.limit.clamp(1, map.stride()),
            encoding: map.encoding,
            pairs: &[],
            turned: false,
        };
        let mut list = Influences::default();
        let before = Influences::of(map, own);
        let wish = |list: &Influences| brush.value_for(list.get(joint), brush.strength);
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

/// Points of the brush's rim on the surface, and of the ring where the falloff is half.
fn rings(
    camera: &Camera,
    touch: &Touch,
    painting: &PaintDomain,
    document: &Document,
    stage: &ViewportRenderer,
) -> (Vec<Vec3>, Vec<Vec3>) {
    /// Number of rays for a ring.
    const STEPS: usize = 48;
    /// Number of rays for a ring during a stroke. It is smaller, because the surface moves while
    /// weights change, so that rings are computed again for each dab.
    const WHILE_PAINTING: usize = 24;
    let painting_now = painting.is_stroking();
    let steps = if painting_now { WHILE_PAINTING } else { STEPS };
    let normal = {
        let posed = painting.session().map_or(&[][..], |s| s.posed_surface().normals);
        let normals = touch.corners.map(|v| posed.get(v as usize).copied().unwrap_or_default());
        let mean = (normals[0] + normals[1] + normals[2]).normalize_or(-touch.direction);
        if mean.dot(touch.direction) > 0.0 { -mean } else { mean }
    };
    // The circle's normal is between that of the surface and that of the screen, so that the circle
    // is never seen edge-on.
    let normal = (normal - touch.direction * 0.6).normalize_or(-touch.direction);
    let u = normal.any_orthonormal_vector();
    let v = normal.cross(u);
    let half = (1..=100)
        .map(|k| k as f32 / 100.0)
        .find(|p| painting.options.brush.falloff.at(*p) >= 0.5)
        .unwrap_or(0.5);
    let ring = |radius: f32| -> Vec<Vec3> {
        let angle = |k: usize| k as f32 / steps as f32 * std::f32::consts::TAU;
        (0..steps)
            .map(|k| {
                let at = touch.at + (u * angle(k).cos() + v * angle(k).sin()) * radius;
                // Projects the point onto the surface if it is close.
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
