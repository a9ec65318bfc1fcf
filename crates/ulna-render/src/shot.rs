//! The draw calls of one picture, with their pipelines.

use super::{
    Camera, Scene, Shading, Show,
    pipeline::{Draw, Layer, MeshKey, features},
    scene_primitive::ScenePrimitive,
};
use ulna_model::Topology;

/// Inputs for drawing one scene of a picture.
#[derive(Clone, Copy)]
pub(super) struct Shot<'a> {
    pub scene: &'a Scene,
    /// Whether the scene is displayed beside the main scene of the picture.
    pub beside: bool,
    /// Whether the lights of the main scene's file are used.
    pub lit: bool,
    pub camera: &'a Camera,
    pub show: &'a Show,
    /// Shading of the scene's surfaces.
    pub shading: Shading,
    /// Whether deferred shading is used, with one sample and one lighting computation per pixel.
    pub quick: bool,
    /// Height of the picture, in points.
    pub height: f32,
    /// Opacity of edges over tints, `0..=1`.
    pub edge_alpha: f32,
}

impl Shot<'_> {
    /// Opacity of a part's edges, `0..=1`. Edges fade out on triangles that are hardly larger than
    /// the line width, because the lines would cover the surface.
    pub fn edges_of(&self, part: &ScenePrimitive) -> f32 {
        // Approximate fraction of a part's bounding disc that its surface covers.
        const FILLED: f32 = 0.3;
        // Area per triangle, in square points, below which edges are invisible. `ALL` is the area
        // above which they are fully visible.
        const NONE: f32 = 8.0;
        const ALL: f32 = 28.0;
        let depth = match self.camera.orthographic {
            true => self.camera.distance,
            false => {
                (part.center - self.camera.eye()).dot(self.camera.forward()).max(part.reach * 0.25)
            }
        };
        let radius = part.reach / self.camera.meters_per_point(depth.max(1e-6), self.height);
        // Half of the triangles face away from the camera.
        let triangles = (part.index_count as f32 / 6.0).max(1.0);
        let points = std::f32::consts::PI * radius * radius * FILLED / triangles;
        ((points - NONE) / (ALL - NONE)).clamp(0.0, 1.0)
    }
}

pub(super) fn is_see_through(part: &ScenePrimitive, shading: Shading) -> bool {
    match shading {
        Shading::Textured => part.blend,
        Shading::Solid => false,
        // Lines and points are opaque in wireframe shading.
        Shading::Wireframe => part.topology == Topology::Triangles,
        Shading::XRay => true,
    }
}

/// Sides of a part's triangles that a draw call shows.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Sides {
    Front,
    Back,
    Both,
}

/// Sides to draw, one draw call each. A transparent, double-sided surface is drawn twice, back
/// faces first.
pub(super) const fn sides_of(part: &ScenePrimitive, shading: Shading) -> &'static [Sides] {
    match shading {
        _ if !part.double_sided => &[Sides::Front],
        Shading::Textured if part.blend => &[Sides::Back, Sides::Front],
        _ => &[Sides::Both],
    }
}

pub(super) const fn caster_of(part: &ScenePrimitive) -> Draw {
    Draw::Caster { cut: part.features & features::CUT != 0 }
}

/// Pipeline key for drawing these sides of a part.
pub(super) fn key_of(
    part: &ScenePrimitive,
    sides: Sides,
    mirrored: bool,
    shot: &Shot<'_>,
) -> MeshKey {
    let Shot { shading: shown, quick, lit, .. } = *shot;
    let topology = topology_of(part);
    let cull = match (sides, mirrored) {
        // Lines and points have no back faces.
        _ if part.topology != Topology::Triangles => None,
        (Sides::Both, _) => None,
        // Mirroring swaps front and back faces.
        (Sides::Front, false) | (Sides::Back, true) => Some(wgpu::Face::Back),
        (Sides::Back, false) | (Sides::Front, true) => Some(wgpu::Face::Front),
    };
    let shading = match shown {
        Shading::Textured if lit => part.features | features::LIGHTS,
        Shading::Textured => part.features,
        Shading::Solid | Shading::Wireframe => part.features & features::FLAT | features::PLAIN,
        Shading::XRay => part.features & features::FLAT | features::PLAIN | features::XRAY,
    };
    let layer = match shown {
        Shading::Textured if part.blend => Layer::Blend,
        Shading::XRay => Layer::Blend,
        Shading::Textured | Shading::Solid | Shading::Wireframe => Layer::Opaque,
    };
    let shading = if shot.beside { shading | features::DIMMED } else { shading };
    let features = match (quick, layer) {
        (true, Layer::Opaque) => shading & !features::LIGHTS,
        (true, Layer::Blend) => shading | features::QUICK,
        (false, _) => shading,
    };
    MeshKey { topology, layer, cull, bumped: part.skin.posed_tangents.is_some(), features }
}

pub(super) const fn topology_of(part: &ScenePrimitive) -> wgpu::PrimitiveTopology {
    match part.topology {
        Topology::Triangles => wgpu::PrimitiveTopology::TriangleList,
        Topology::Lines => wgpu::PrimitiveTopology::LineList,
        Topology::Points => wgpu::PrimitiveTopology::PointList,
    }
}
