//! Vertex selection: by areas of the picture, by topology, by weights.

use glam::Vec2;

use crate::ui::{PaintSession, VertexArea};
use ulna_edit::command::VertexCommand;
use ulna_model::Document;
use ulna_render::Camera;
use ulna_weights::{Brush, Pick, PosedSurface, Reshape, faces_eye, pick, reshape};

impl PaintSession {
    /// Vertices of the painted surface within an area of the picture. Back-facing vertices, and
    /// those that `in_sight` rejects, are only included if the brush settings allow it.
    pub(super) fn vertices_in(
        &self,
        brush: &Brush,
        camera: &Camera,
        area: &VertexArea,
        size: Vec2,
        in_sight: &(dyn Fn(PosedSurface<'_>, u32) -> bool + Sync),
    ) -> Vec<u32> {
        let eye = camera.eye();
        let posed = self.posed_surface();
        let seen = |v: usize| {
            let sight =
                if camera.orthographic { camera.forward() } else { posed.positions[v] - eye };
            faces_eye(&self.surface, posed, v as u32, sight)
        };
        let inside = |at: Vec2| match area {
            VertexArea::Here => false,
            VertexArea::Box(from, to) => {
                at.x >= from.x && at.x <= to.x && at.y >= from.y && at.y <= to.y
            }
            VertexArea::Lasso(line) => within(line, at),
            VertexArea::Brush(line, radius) => line.iter().any(|p| p.distance(at) <= *radius),
        };
        if let VertexArea::Here = area {
            // All vertices at this point are included, so that the surface does not tear.
            let Some(hover) = self.hover() else { return Vec::new() };
            let point = self.surface.point_of(hover.surface_vertex);
            return self.surface.vertices_at(point).to_vec();
        }
        let project = camera.projector(size);
        posed.vertices_where(|v, p| {
            project(p).is_some_and(|(at, _)| inside(at))
                && (!brush.front_only || seen(v as usize))
                && (!brush.visible_only || in_sight(posed, v))
        })
    }

    /// Changes the vertex selection by topology, or by a joint's weights.
    pub(super) fn select_by(&mut self, document: &Document, command: &VertexCommand, limit: usize) {
        let canvas = &self.surface;
        let chosen = |what: Pick| pick(document, canvas, &what);
        let reshaped = |how: Reshape| reshape(document, canvas, &self.vertices, how);
        let of = |joint: Option<u16>, from, to| {
            let joint = joint.or(self.joint)?;
            Some(chosen(Pick::Of { joint, from, to }))
        };
        let vertices = match command {
            VertexCommand::All => Some(chosen(Pick::All)),
            VertexCommand::Nothing => Some(Vec::new()),
            VertexCommand::Invert => Some(reshaped(Reshape::Invert)),
            VertexCommand::Grow => Some(reshaped(Reshape::Grow)),
            VertexCommand::Shrink => Some(reshaped(Reshape::Shrink)),
            VertexCommand::Linked => Some(reshaped(Reshape::Linked)),
            VertexCommand::Loop => Some(reshaped(Reshape::Loop)),
            VertexCommand::Ring => Some(reshaped(Reshape::Ring)),
            VertexCommand::GrowLoop => Some(reshaped(Reshape::GrowLoop)),
            VertexCommand::Mirror => Some(reshaped(Reshape::Mirror)),
            VertexCommand::Mesh => Some(self.of_meshes(document)),
            VertexCommand::Choose { .. } => None,
            VertexCommand::Faulty => Some(chosen(Pick::Faulty { most: limit })),
            VertexCommand::Stray => Some(chosen(Pick::Stray)),
            VertexCommand::Open => Some(chosen(Pick::Open)),
            VertexCommand::Crowded => Some(chosen(Pick::Crowded)),
            VertexCommand::Doubled => Some(chosen(Pick::Doubled)),
            VertexCommand::Unpaired => Some(chosen(Pick::Unpaired)),
            VertexCommand::OfJoint => of(None, 0.0, 1.0),
            VertexCommand::InRange { from, to, joint } => {
                let nodes = joint.as_ref().and_then(|j| j.all(document).ok()).unwrap_or_default();
                of(nodes.into_iter().find_map(|n| canvas.joint(n)), *from, *to)
            }
            VertexCommand::Copy | VertexCommand::CopyEach | VertexCommand::Paste => None,
        };
        if let Some(vertices) = vertices {
            self.vertices = vertices;
        }
    }

    /// All vertices of the meshes with selected vertices, or else of the mesh last under the brush.
    fn of_meshes(&self, document: &Document) -> Vec<u32> {
        let canvas = &self.surface;
        let last = self.touched.as_ref().map(|h| h.surface_vertex);
        let meant = self.vertices.iter().copied().chain(last.filter(|_| self.vertices.is_empty()));
        let meshes: std::collections::BTreeSet<_> =
            meant.map(|v| canvas.parts()[canvas.part_of(v).0].mesh).collect();
        let mut all: Vec<u32> =
            meshes.into_iter().flat_map(|mesh| pick(document, canvas, &Pick::Mesh(mesh))).collect();
        all.sort_unstable();
        all
    }
}

/// True if a point is inside a closed polygon, by the even-odd rule.
fn within(line: &[Vec2], at: Vec2) -> bool {
    let mut inside = false;
    for k in 0..line.len() {
        let (a, b) = (line[k], line[(k + 1) % line.len()]);
        if (a.y > at.y) != (b.y > at.y) && at.x < (b.x - a.x) * (at.y - a.y) / (b.y - a.y) + a.x {
            inside = !inside;
        }
    }
    inside
}
