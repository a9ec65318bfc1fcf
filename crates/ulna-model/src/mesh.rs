//! Meshes, their primitives and morph targets, as plain arrays.

use std::sync::Arc;

use glam::{Vec2, Vec3, Vec4};

use super::{KeptWeightLayers, MaterialId, PrimitiveId, Shared, Slice, VariantId, WeightMap};

/// What the indices of a primitive draw.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Topology {
    /// Single points.
    Points,
    /// Pairs of points.
    Lines,
    /// Triples of points; strips and fans are unrolled when read.
    Triangles,
}

/// Deltas of one morph target, one for each vertex, added before skinning.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct MorphTarget {
    /// Differences of position, meters; empty where the target moves none.
    pub positions: Slice<Vec3>,
    /// Differences of normals; empty where it turns none.
    pub normals: Slice<Vec3>,
}

/// One draw of a mesh.
#[derive(Clone, Debug, PartialEq)]
pub struct Primitive {
    /// What the indices mean.
    pub topology: Topology,
    /// Rest positions in mesh space, meters.
    pub positions: Slice<Vec3>,
    /// Unit normals; empty where the file has none (flat normals are made for showing).
    pub normals: Slice<Vec3>,
    /// Unit tangents, in `w` the side of the bitangent (+1 or −1); empty where the file has none.
    pub tangents: Slice<Vec4>,
    /// First texture coordinates; empty where there are none.
    pub uv0: Slice<Vec2>,
    /// Second texture coordinates.
    pub uv1: Slice<Vec2>,
    /// Linear colors, straight alpha; empty where there are none.
    pub colors: Slice<Vec4>,
    /// Vertex indices in `topology`'s groups.
    pub indices: Slice<u32>,
    /// How it is shaded.
    pub material: Option<MaterialId>,
    /// `KHR_materials_variants`: the variants in which it is shaded otherwise, and how, by the
    /// variant's index.
    pub variants: Shared<[(VariantId, MaterialId)]>,
    /// Morph targets; the same number in every primitive of a mesh.
    pub targets: Shared<[MorphTarget]>,
    /// Joint weights, where the primitive has both joints and weights.
    pub weights: Option<Shared<WeightMap>>,
}

/// Where the vertices of a primitive are, and which way its surface looks.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RestGeometry {
    /// Rest positions in mesh space, meters.
    pub positions: Slice<Vec3>,
    /// Unit normals; empty or one a vertex.
    pub normals: Slice<Vec3>,
    /// Unit tangents, in `w` the side of the bitangent; empty or one a vertex.
    pub tangents: Slice<Vec4>,
    /// Morph targets.
    pub targets: Shared<[MorphTarget]>,
}

impl Primitive {
    /// Its shape.
    pub fn shape(&self) -> RestGeometry {
        let Self { positions, normals, tangents, targets, .. } = self;
        RestGeometry {
            positions: positions.clone(),
            normals: normals.clone(),
            tangents: tangents.clone(),
            targets: targets.clone(),
        }
    }

    /// Whether a shape has as much of everything as this one, and all of it finite.
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
    /// The name, where the file gives one.
    pub name: Option<Arc<str>>,
    /// Its draws.
    pub primitives: Vec<Primitive>,
    /// Weights of the morph targets where the node gives none; as many as targets.
    pub default_weights: Shared<[f32]>,
    /// Names of the morph targets, from `extras.targetNames`; may be shorter than the targets.
    pub target_names: Vec<Arc<str>>,
    /// Weight layers that the file keeps beside what they come to, where they are not taken up.
    pub kept_weight_layers: Option<Shared<KeptWeightLayers>>,
}

impl Mesh {
    /// Its primitives with their ids.
    pub fn entries(&self) -> impl Iterator<Item = (PrimitiveId, &Primitive)> {
        self.primitives.iter().enumerate().map(|(k, primitive)| (k.into(), primitive))
    }

    /// How many morph targets it has.
    pub fn target_count(&self) -> usize {
        self.primitives.iter().map(|p| p.targets.len()).max().unwrap_or(0)
    }

    /// Vertices of all primitives.
    pub fn vertex_count(&self) -> usize {
        self.primitives.iter().map(|p| p.positions.len()).sum()
    }
}
