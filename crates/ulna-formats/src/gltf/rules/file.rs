//! Parsed objects of a file, with the members that the rules need.

use std::collections::HashSet;
use ulna_model::Location;

/// First use of a buffer view or accessor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Usage {
    Vertex,
    Index,
    Bind,
    Image,
    Times,
    Values,
    Other,
}

/// Rule for the elements of an accessor, with the location to report.
#[derive(Clone, Debug)]
pub enum ElementRule {
    Normal(Location),
    Tangent(Location),
    Color(Location),
    Times(Location),
    Rotations(Location, bool),
    Indices(Location, Option<usize>),
    Bind(Location),
}

#[derive(Debug, Default)]
pub struct SparsePart {
    pub view: Option<usize>,
    pub offset: Option<usize>,
    pub component: Option<usize>,
}

#[derive(Debug)]
pub struct Sparse {
    pub count: usize,
    pub indices: SparsePart,
    pub values: SparsePart,
}

#[derive(Debug)]
pub struct Accessor {
    pub at: Location,
    pub view: Option<usize>,
    pub offset: Option<usize>,
    pub component: Option<usize>,
    pub count: Option<usize>,
    pub kind: Option<String>,
    pub normalized: bool,
    pub width: usize,
    pub min: Option<Vec<f64>>,
    pub max: Option<Vec<f64>>,
    pub sparse: Option<Sparse>,
    /// Bytes per element. `tight` is the distance between contiguous elements, in bytes.
    pub element: usize,
    pub tight: usize,
    pub usage: Option<Usage>,
    pub rules: Vec<ElementRule>,
}

impl Accessor {
    /// Type, component type and normalization, for comparison with a required format.
    pub fn format(&self) -> (&str, usize, bool) {
        (self.kind.as_deref().unwrap_or_default(), self.component.unwrap_or(0), self.normalized)
    }
}

#[derive(Debug)]
pub struct View {
    pub at: Location,
    pub buffer: Option<usize>,
    pub offset: Option<usize>,
    pub length: Option<usize>,
    pub stride: Option<usize>,
    pub usage: Option<Usage>,
    pub vertex_users: HashSet<usize>,
}

#[derive(Debug, Default)]
pub struct Buffer {
    pub length: Option<usize>,
    /// Whether the buffer's data is available for checks.
    pub readable: bool,
}

#[derive(Debug)]
pub struct ChannelTarget {
    pub node: Option<usize>,
    pub path: Option<String>,
}

#[derive(Debug)]
pub struct Channel {
    pub sampler: Option<usize>,
    pub target: Option<ChannelTarget>,
}

#[derive(Debug)]
pub struct Sampler {
    pub input: Option<usize>,
    pub output: Option<usize>,
    pub cubic: bool,
}

#[derive(Debug)]
pub struct Animation {
    pub at: Location,
    pub channels: Option<Vec<Channel>>,
    pub samplers: Option<Vec<Sampler>>,
}

#[derive(Debug)]
pub struct Image {
    pub at: Location,
    pub view: Option<usize>,
    pub mime: Option<String>,
    pub uri: Option<String>,
    pub has_extensions: bool,
}

/// A texture reference in a material.
#[derive(Debug)]
pub struct Use {
    pub at: Location,
    pub index: Option<usize>,
    pub sets: Vec<usize>,
}

#[derive(Debug)]
pub struct Material {
    pub uses: Vec<Use>,
    pub normal: bool,
    pub tangent: bool,
}

/// Accessor indices by attribute name; `None` for a value that is not an index.
pub type Attributes = Vec<(String, Option<usize>)>;

#[derive(Debug, Default)]
pub struct Primitive {
    pub at: Location,
    pub mode: Option<usize>,
    pub attributes: Attributes,
    pub targets: Option<Vec<Attributes>>,
    pub indices: Option<usize>,
    pub material: Option<usize>,
    /// Number of joint sets that have a matching weight set.
    pub joints: usize,
    pub coordinates: usize,
    pub normal: bool,
    pub tangent: bool,
    pub vertices: Option<usize>,
}

#[derive(Debug)]
pub struct Mesh {
    pub primitives: Option<Vec<Primitive>>,
}

#[derive(Debug, Default)]
pub struct Node {
    pub at: Location,
    pub matrix: Option<[f32; 16]>,
    pub translation: Option<Vec<f32>>,
    pub rotation: Option<Vec<f32>>,
    pub scale: Option<Vec<f32>>,
    pub camera: Option<usize>,
    pub children: Option<Vec<Option<usize>>>,
    pub mesh: Option<usize>,
    pub skin: Option<usize>,
    pub weights: Option<usize>,
    pub parent: Option<usize>,
    pub scenes: HashSet<usize>,
}

#[derive(Debug)]
pub struct Skin {
    pub at: Location,
    pub bind: Option<usize>,
    pub skeleton: Option<usize>,
    pub joints: Option<Vec<Option<usize>>>,
    /// Common ancestors of all joints, lowest first.
    pub roots: Vec<usize>,
}

#[derive(Debug)]
pub struct Texture {
    pub source: Option<usize>,
    pub sampler: Option<usize>,
}

/// Parsed objects of a file.
#[derive(Debug, Default)]
pub struct File {
    pub used: Vec<String>,
    pub accessors: Vec<Option<Accessor>>,
    pub animations: Vec<Option<Animation>>,
    pub buffers: Vec<Option<Buffer>>,
    pub views: Vec<Option<View>>,
    pub cameras: usize,
    pub images: Vec<Option<Image>>,
    pub materials: Vec<Option<Material>>,
    pub meshes: Vec<Option<Mesh>>,
    pub nodes: Vec<Option<Node>>,
    pub samplers: usize,
    pub scenes: Vec<Option<Vec<Option<usize>>>>,
    pub scene: Option<usize>,
    pub skins: Vec<Option<Skin>>,
    pub textures: Vec<Option<Texture>>,
}
