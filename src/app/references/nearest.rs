//! Points of reference models: the nearest to a point of the scene, and those under the pointer.

use glam::{Vec2, Vec3};

use super::References;
use crate::ui::{ReferenceId, SnapTo};
use ulna_edit::command::ReferencePoint;
use ulna_geometry::Ray;
use ulna_motion::PartView;
use ulna_render::Camera;

/// The point that is nearest to `at`.
pub(in crate::app) fn nearest(at: Vec3, points: impl Iterator<Item = Vec3>) -> Option<Vec3> {
    points.min_by(|a, b| a.distance_squared(at).total_cmp(&b.distance_squared(at)))
}

/// The vertex of a surface part that is nearest to a point of the scene.
fn nearest_vertex(part: &PartView<'_>, at: Vec3) -> Option<Vec3> {
    let Some(places) = part.places else { return nearest(at, part.positions.iter().copied()) };
    let all = places.iter().flat_map(|scene_from_mesh| {
        part.positions.iter().map(|p| scene_from_mesh.transform_point3(*p))
    });
    nearest(at, all)
}

impl References {
    /// The joint or vertex of the visible models that is nearest to a point of the scene. By
    /// default it is a vertex, or a joint if no model has surfaces.
    pub(in crate::app) fn nearest_point(
        &mut self,
        at: Vec3,
        onto: Option<ReferencePoint>,
    ) -> Option<Vec3> {
        let shown = self.models.iter_mut().zip(&self.facts).filter(|(_, facts)| !facts.hidden);
        let (mut joints, mut vertices) = (Vec::new(), Vec::new());
        for (model, _) in shown {
            if onto != Some(ReferencePoint::Vertex) {
                joints.extend(nearest(at, model.joints()));
            }
            if onto != Some(ReferencePoint::Joint) {
                vertices.extend(model.surface().parts().filter_map(|p| nearest_vertex(&p, at)));
            }
        }
        nearest(at, vertices.into_iter()).or_else(|| nearest(at, joints.into_iter()))
    }

    /// Indices of models that a drag can snap to: all visible ones, except the dragged one.
    fn snapped_to(&self) -> impl Iterator<Item = usize> {
        let dragged = self.selected();
        let all = self.facts.iter().enumerate();
        all.filter(move |(_, f)| !f.hidden && Some(f.id) != dragged).map(|(k, _)| k)
    }

    /// The joint of the models that is nearest to a point of the picture. Returns the distance in
    /// the picture in points, and the joint's scene position.
    pub(in crate::app) fn joint_under(
        &self,
        camera: &Camera,
        (at, size): (Vec2, Vec2),
    ) -> Option<(f32, Vec3)> {
        let joints = self.snapped_to().flat_map(|k| self.models[k].joints());
        let seen = joints.filter_map(|p| Some((camera.project(p, size)?.0.distance(at), p)));
        seen.min_by(|a, b| a.0.total_cmp(&b.0))
    }

    /// The point of the models that a ray hits first, and its distance in meters. For
    /// [`SnapTo::Vertex`], it is the nearest vertex of the hit triangle.
    pub(in crate::app) fn spot_under(&mut self, ray: &Ray, of: SnapTo) -> Option<(f32, Vec3)> {
        let all: Vec<usize> = self.snapped_to().collect();
        let hits = all.into_iter().filter_map(|k| {
            let (document, surface) = self.models[k].parts();
            let hit = surface.hit(document, ray, &|_| false)?;
            let spot = ray.origin + ray.direction * hit.distance;
            let corners = surface.corners(&hit).filter(|_| of == SnapTo::Vertex);
            let vertex = corners.and_then(|corners| nearest(spot, corners.into_iter()));
            Some((hit.distance, vertex.unwrap_or(spot)))
        });
        hits.min_by(|a, b| a.0.total_cmp(&b.0))
    }

    /// The model that a ray hits first, and the distance in meters.
    pub(in crate::app) fn hit(&mut self, ray: &Ray) -> Option<(f32, ReferenceId)> {
        let both = self.models.iter_mut().zip(&self.facts).filter(|(_, facts)| !facts.hidden);
        let hits = both.filter_map(|(model, facts)| {
            let (document, surface) = model.parts();
            Some((surface.hit(document, ray, &|_| false)?.distance, facts.id))
        });
        hits.min_by(|a, b| a.0.total_cmp(&b.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ulna_model::NodeId;

    #[test]
    fn the_nearest_vertex_of_an_instance_uses_its_position() {
        let positions = [Vec3::ZERO, Vec3::X];
        let places = [glam::Mat4::from_translation(Vec3::Y * 5.0), glam::Mat4::IDENTITY];
        let part = PartView {
            node: NodeId::from(0),
            primitive: 0usize.into(),
            positions: &positions,
            normals: &[],
            places: Some(&places),
        };
        let near = nearest_vertex(&part, Vec3::new(0.9, 4.0, 0.0));
        assert_eq!(near, Some(Vec3::new(1.0, 5.0, 0.0)));
        let bare = PartView { places: None, ..part };
        assert_eq!(nearest_vertex(&bare, Vec3::new(0.9, 4.0, 0.0)), Some(Vec3::X));
    }
}
