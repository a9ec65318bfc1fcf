//! What a document *is*: plain data and its invariants. Knows of nothing else.

mod clip;
mod diagnostic;
mod document;
mod ids;
mod material;
mod mesh;
mod node;
mod rest;
pub mod transform;

pub use self::{
    clip::{Clip, Interpolation, Property, Track, TrackError},
    diagnostic::{Diagnostic, Diagnostics, Severity},
    document::{Document, Scene},
    ids::{ClipId, ImageId, MaterialId, MeshId, NodeId, SkinId, TrackId},
    material::{AlphaMode, Image, Material, Mip, TextureRef, Wrap},
    mesh::{Mesh, MorphTarget, Primitive, Topology, WeightMap},
    node::{Local, Node, RestSource, Skin},
    rest::find_rest,
    transform::{Decomposed, Transform, TransformError},
};
