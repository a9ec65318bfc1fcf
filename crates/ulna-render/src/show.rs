//! Display settings of a picture.

use super::{Scene, TintKind};
use ulna_model::NodeId;
use ulna_motion::Bone;

/// A bone with its display colors (linear, straight alpha).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BoneLook {
    /// Position and direction of the bone.
    pub bone: Bone,
    /// Color of the faces.
    pub color: [f32; 4],
    /// Color of the edges.
    pub edge: [f32; 4],
}

/// A further scene in a picture. It is dimmed to distinguish it from the main scene.
#[derive(Clone, Copy)]
pub struct SceneBeside<'a> {
    /// Scene to draw.
    pub scene: &'a Scene,
    /// Whether the scene is displayed without its materials.
    pub plain: bool,
}

/// Shading of surfaces.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Shading {
    /// Surfaces with their materials.
    #[default]
    Textured,
    /// Surfaces in one neutral color, without materials.
    Solid,
    /// Only the edges of surfaces.
    Wireframe,
    /// Transparent surfaces, so that the inside is visible.
    XRay,
}

/// Display settings of a picture.
#[derive(Clone, Debug, Default)]
pub struct Show {
    /// Shading of surfaces.
    pub shading: Shading,
    /// Kind of tints to display instead of materials, regardless of `shading`; `None` for
    /// materials. Tinted surfaces are matte, opaque and double-sided, with half of the shading
    /// contrast.
    pub tint: Option<TintKind>,
    /// Whether edges of triangles are drawn faintly over tinted surfaces.
    pub tint_edges: bool,
    /// Nodes whose surfaces have an outline.
    pub outlined: Vec<NodeId>,
    /// Number of pixels per point of the display.
    pub scale: f32,
    /// Whether the ground grid is drawn.
    pub grid: bool,
    /// Bones, drawn on top of everything.
    pub bones: Vec<BoneLook>,
    /// Factor of the thickness of bones; 1 if `None`.
    pub bone_width: Option<f32>,
    /// Whether bones are drawn as sticks instead of octahedra.
    pub sticks: bool,
    /// Whether lights of the file, if there are any, replace the studio lights.
    pub lights: bool,
    /// Whether the background is transparent.
    pub transparent: bool,
    /// Size of the model in meters, which determines the extent of the grid.
    pub size: f32,
}
