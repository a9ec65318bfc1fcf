//! Weights by joint and vertex names, as in weight files and on the clipboard. They are not yet
//! matched to a document.

use glam::Vec3;

use ulna_geometry::Csr;

/// Weights of several shapes, identified by names.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct WeightTable {
    /// One shape per primitive or mesh.
    pub shapes: Vec<WeightShape>,
}

/// Weights of one shape, with one row per vertex.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct WeightShape {
    /// The name; empty if unknown.
    pub name: String,
    /// Total number of vertices, which can exceed the number of rows.
    pub vertex_count: usize,
    /// Rest positions of all vertices, in the unit of the shape; empty if unknown.
    pub positions: Vec<Vec3>,
    /// Joint names, which the entries refer to by index.
    pub joints: Vec<String>,
    /// Vertex index of each row.
    pub vertices: Vec<u32>,
    /// Joint indices and weights of each row. Weights are finite and not negative.
    pub entries: Csr<(u16, f32)>,
}

impl WeightShape {
    /// Creates an empty shape, without any vertices.
    pub fn new(name: impl Into<String>) -> Self {
        Self { name: name.into(), ..Self::default() }
    }

    /// Appends a row.
    pub fn push(&mut self, vertex: u32, entries: impl IntoIterator<Item = (u16, f32)>) {
        self.vertices.push(vertex);
        self.entries.push_row(entries);
    }

    /// The number of rows.
    pub const fn len(&self) -> usize {
        self.vertices.len()
    }

    /// Whether there are no rows.
    pub const fn is_empty(&self) -> bool {
        self.vertices.is_empty()
    }

    /// Joint indices and weights of the `k`-th row.
    pub fn row(&self, k: usize) -> &[(u16, f32)] {
        self.entries.row(k)
    }
}
