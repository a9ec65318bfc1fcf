//! Finds the vertices that the camera sees.

use std::collections::BTreeSet;

use ulna_geometry::Ray;
use ulna_model::{Document, NodeId};
use ulna_motion::Surface;
use ulna_render::Camera;
use ulna_weights::PosedSurface;

/// Whether a vertex is visible from the camera. Hidden surfaces do not occlude it.
pub(super) fn in_sight(
    surface: &Surface,
    document: &Document,
    camera: &Camera,
    hidden: &BTreeSet<NodeId>,
    posed: PosedSurface<'_>,
    vertex: u32,
) -> bool {
    /// Maximum distance between a hit and the vertex for which the hit counts as the vertex's own
    /// surface. Relative to the distance of the vertex from the camera.
    const OWN: f32 = 2e-4;
    let Some(at) = posed.positions.get(vertex as usize).copied().filter(|p| p.is_finite()) else {
        return false;
    };
    let (origin, direction) = if camera.orthographic {
        let back = camera.reach.max(camera.distance * 10.0);
        (at - camera.forward() * back, camera.forward())
    } else {
        (camera.eye(), (at - camera.eye()).normalize_or_zero())
    };
    let way = (at - origin).length();
    let slack = if camera.orthographic { camera.distance } else { way } * OWN;
    let hit = surface.hit(document, &Ray { origin, direction }, &|n| hidden.contains(&n));
    hit.is_none_or(|hit| hit.distance >= way - slack)
}
