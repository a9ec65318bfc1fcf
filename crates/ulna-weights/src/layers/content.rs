//! Content of a weight layer, by vertex.

use crate::{Influences, ids::to_index};
use ulna_model::LayerPart;

/// Weights and mask of one vertex in a layer.
#[derive(Clone, Copy)]
pub(super) struct Entry<'a> {
    pub mask: f32,
    pub joints: &'a [u16],
    pub weights: &'a [f32],
}

impl Entry<'_> {
    #[inline]
    pub fn read(&self, list: &mut Influences) {
        list.clear();
        self.joints
            .iter()
            .zip(self.weights)
            .filter(|(_, w)| **w > 0.0)
            .for_each(|(j, w)| list.add(*j, *w));
    }

    #[inline]
    pub fn list(&self) -> Influences {
        let mut list = Influences::default();
        self.read(&mut list);
        list
    }
}

/// Content of a layer for one primitive, by vertex.
#[derive(Clone, Copy)]
pub(super) enum Content<'a> {
    /// Only the vertices that the layer contains. `from..to` limits the search to a range of them.
    Sparse { part: &'a LayerPart, from: usize, to: usize },
    /// Arrays for all vertices of the primitive. `held` marks the vertices that the layer contains.
    Dense {
        stride: usize,
        joints: &'a [u16],
        weights: &'a [f32],
        mask: &'a [f32],
        held: &'a [bool],
    },
}

impl<'a> Content<'a> {
    pub const fn sparse(part: &'a LayerPart) -> Self {
        Self::Sparse { part, from: 0, to: part.vertices.len() }
    }

    #[inline]
    pub fn at(&self, vertex: u32) -> Option<Entry<'a>> {
        match *self {
            Self::Sparse { part, from, to } => {
                let k = from + part.vertices[from..to].binary_search(&vertex).ok()?;
                let (joints, weights) = part.slots(k);
                Some(Entry { mask: part.mask[k], joints, weights })
            }
            Self::Dense { stride, joints, weights, mask, held } => {
                let v = to_index(vertex);
                let own = v * stride..(v + 1) * stride;
                held[v].then(|| Entry {
                    mask: mask[v],
                    joints: &joints[own.clone()],
                    weights: &weights[own],
                })
            }
        }
    }

    /// Limits the content to a range of vertices, for faster search.
    pub fn near(self, first: u32, last: u32) -> Self {
        match self {
            Self::Sparse { part, from, to } => {
                let run = &part.vertices[from..to];
                let low = run.partition_point(|v| *v < first);
                let high = low + run[low..].partition_point(|v| *v <= last);
                Self::Sparse { part, from: from + low, to: from + high }
            }
            dense @ Self::Dense { .. } => dense,
        }
    }
}
