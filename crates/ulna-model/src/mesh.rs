//! Meshes, their primitives and morph targets, as plain arrays.

use std::sync::Arc;

use glam::{Vec2, Vec3, Vec4};

use super::{KeptWeightLayers, MaterialId, PrimitiveId, Shared, Slice, VariantId, WeightMap};

/// Primitive type: meaning of a primitive's indices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Topology {
    /// Points.
    Points,
    /// Line segments, two indices each.
    Lines,
    /// Triangles, three indices each. Strips and fans are converted when read.
    Triangles,
}

/// Per-vertex offsets of one morph target. They are added before skinning.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct MorphTarget {
    /// Position offsets in meters; empty if the target has none.
    pub positions: Slice<Vec3>,
    /// Normal offsets; empty if the target has none.
    pub normals: Slice<Vec3>,
}

/// A part of a mesh with one material, drawn with one call.
#[derive(Clone, Debug, PartialEq)]
pub struct Primitive {
    /// Meaning of the indices.
    pub topology: Topology,
    /// Rest positions in mesh space, meters.
    pub positions: Slice<Vec3>,
    /// Unit normals; empty if the file has none, in which case flat normals are drawn.
    pub normals: Slice<Vec3>,
    /// Unit tangents; `w` is the sign of the bitangent (+1 or −1). Empty if the file has none.
    pub tangents: Slice<Vec4>,
    /// First texture coordinates; empty if the file has none.
    pub uv0: Slice<Vec2>,
    /// Second texture coordinates; empty if the file has none.
    pub uv1: Slice<Vec2>,
    /// Linear vertex colors with straight alpha; empty if the file has none.
    pub colors: Slice<Vec4>,
    /// Vertex indices, grouped by `topology`.
    pub indices: Slice<u32>,
    /// The material; `None` for the default material.
    pub material: Option<MaterialId>,
    /// Material per variant (`KHR_materials_variants`). Variants without an entry use `material`.
    pub variants: Shared<[(VariantId, MaterialId)]>,
    /// Morph targets; all primitives of a mesh have the same number.
    pub targets: Shared<[MorphTarget]>,
    /// Joint weights, if the file has both joints and weights.
    pub weights: Option<Shared<WeightMap>>,
}

/// Rest geometry of a primitive: positions, normals, tangents and morph targets.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RestGeometry {
    /// Rest positions in mesh space, meters.
    pub positions: Slice<Vec3>,
    /// Unit normals; empty, or one per vertex.
    pub normals: Slice<Vec3>,
    /// Unit tangents; `w` is the sign of the bitangent. Empty, or one per vertex.
    pub tangents: Slice<Vec4>,
    /// Morph targets.
    pub targets: Shared<[MorphTarget]>,
}

impl Primitive {
    /// Returns the rest geometry of the primitive.
    pub fn shape(&self) -> RestGeometry {
        let Self { positions, normals, tangents, targets, .. } = self;
        RestGeometry {
            positions: positions.clone(),
            normals: normals.clone(),
            tangents: tangents.clone(),
            targets: targets.clone(),
        }
    }

    /// Whether a rest geometry fits this primitive: its arrays have the same lengths, and all
    /// numbers are finite.
    pub fn fits(&self, shape: &RestGeometry) -> bool {
        let targets = |(a, b): (&MorphTarget, &MorphTarget)| {
            let finite = b.positions.iter().chain(b.normals.iter()).all(|v| v.is_finite());
            (a.positions.len(), a.normals.len()) == (b.positions.len(), b.normals.len()) && finite
        };
        let finite = shape.positions.iter().chain(shape.normals.iter()).all(|v| v.is_finite());
        (self.positions.len(), self.normals.len()) == (shape.positions.len(), shape.normals.len())
            && (self.tangents.len(), self.targets.len())
                == (shape.tangents.len(), shape.targets.len())
            && finite
            && shape.tangents.iter().all(|v| v.is_finite())
            && self.targets.iter().zip(shape.targets.iter()).all(targets)
    }
}

/// A mesh.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Mesh {
    /// The name, if the file has one.
    pub name: Option<Arc<str>>,
    /// The primitives.
    pub primitives: Vec<Primitive>,
    /// Default morph weights, used by nodes without their own weights; one per target.
    pub default_weights: Shared<[f32]>,
    /// Names of the morph targets, from `extras.targetNames`; may be shorter than the targets.
    pub target_names: Vec<Arc<str>>,
    /// Weight layers that the file stores beside the combined weights, if they were not loaded as
    /// layers.
    pub kept_weight_layers: Option<Shared<KeptWeightLayers>>,
}

impl Mesh {
    /// The primitives with their ids.
    pub fn entries(&self) -> impl Iterator<Item = (PrimitiveId, &Primitive)> {
        self.primitives.iter().enumerate().map(|(k, primitive)| (k.into(), primitive))
    }

    /// Number of morph targets.
    pub fn target_count(&self) -> usize {
        self.primitives.iter().map(|p| p.targets.len()).max().unwrap_or(0)
    }

    /// Number of vertices of all primitives.
    pub fn vertex_count(&self) -> usize {
        self.primitives.iter().map(|p| p.positions.len()).sum()
    }
}
