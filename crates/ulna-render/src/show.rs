//! What a picture shows, and how: what the window and the command line ask of the renderer.

use super::{Scene, TintKind};
use ulna_model::NodeId;
use ulna_motion::Bone;

/// A bone with its colors (linear, straight alpha).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BoneLook {
    /// Where it is.
    pub bone: Bone,
    /// Its faces.
    pub color: [f32; 4],
    /// Its edges.
    pub edge: [f32; 4],
}

/// A further scene in a picture: dimmed, so that it is told from the one that the picture is of.
#[derive(Clone, Copy)]
pub struct SceneBeside<'a> {
    /// The scene.
    pub scene: &'a Scene,
    /// Whether it is shown without its materials.
    pub plain: bool,
}

/// How surfaces are shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Shading {
    /// With their materials.
    #[default]
    Textured,
    /// As clay: their form alone.
    Solid,
    /// Their edges.
    Wireframe,
    /// See-through, with what lies inside.
    XRay,
}

/// What is drawn, and how.
#[derive(Clone, Debug, Default)]
pub struct Show {
    /// How surfaces are shown.
    pub shading: Shading,
    /// Tints in place of materials, whatever `shading` says: matt, opaque, both sides, and shading
    /// reduced to half.
    pub tint: Option<TintKind>,
    /// The edges of triangles, faint over what is tinted.
    pub tint_edges: bool,
    /// Nodes whose surfaces get an outline.
    pub outlined: Vec<NodeId>,
    /// Pixels a point, of those it is shown on.
    pub scale: f32,
    /// The ground grid.
    pub grid: bool,
    /// Bones over everything.
    pub bones: Vec<BoneLook>,
    /// How thick they are; 1, as usual, unless given.
    pub bone_width: Option<f32>,
    /// Bones as sticks, not as octahedra.
    pub sticks: bool,
    /// The file's own lights instead of the studio's, where it has some.
    pub lights: bool,
    /// Nothing behind the model: where there is none, the picture is see-through.
    pub transparent: bool,
    /// The model's size in meters: how far the grid goes.
    pub size: f32,
}
