//! Weights by names: what stands in a file of weights, or on the clipboard, before it is known
//! which joints and vertices of an open document are meant.

use glam::Vec3;

use ulna_geometry::Csr;

/// Weights of some meshes, by names.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct WeightTable {
    /// A shape for every primitive, or mesh, that is in it.
    pub shapes: Vec<WeightShape>,
}

/// Weights of one shape. Each row is a vertex.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct WeightShape {
    /// What it is called; empty where nothing says so.
    pub name: String,
    /// How many vertices it has in all; as many as rows where nothing says so.
    pub vertex_count: usize,
    /// Where all of its vertices lie at rest, in its own unit; empty where that is not known.
    pub positions: Vec<Vec3>,
    /// What the joints are called that entries count.
    pub joints: Vec<String>,
    /// The vertex of each row.
    pub vertices: Vec<u32>,
    /// By rows, joints with their weights, which are finite and not negative.
    pub entries: Csr<(u16, f32)>,
}

impl WeightShape {
    /// A shape without rows.
    pub fn new(name: impl Into<String>) -> Self {
        Self { name: name.into(), ..Self::default() }
    }

    /// Adds a row after all others.
    pub fn push(&mut self, vertex: u32, entries: impl IntoIterator<Item = (u16, f32)>) {
        self.vertices.push(vertex);
        self.entries.push_row(entries);
    }

    /// How many rows it has.
    pub const fn len(&self) -> usize {
        self.vertices.len()
    }

    /// Whether it has no row.
    pub const fn is_empty(&self) -> bool {
        self.vertices.is_empty()
    }

    /// Joints and weights of the `k`-th row.
    pub fn row(&self, k: usize) -> &[(u16, f32)] {
        self.entries.row(k)
    }
}
