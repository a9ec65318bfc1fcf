//! Content of a weight layer for one primitive.

use super::{MeshId, PrimitiveId, WeightPatch};

/// Key of a primitive: the id of its mesh, and its id within the mesh.
pub type PrimitiveKey = (MeshId, PrimitiveId);

/// Source side of a mirrored layer. The layer's content on this side is shown on both sides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MirrorFrom {
    /// The character's left side.
    Left,
    /// The character's right side.
    Right,
}

/// Content of a layer for one primitive.
///
/// Invariants, checked by [`LayerPart::fits`]: vertices are strictly ascending. Each vertex has a
/// mask value of `0..=1` and `sets × 4` slots. Weights are finite and not negative, and each vertex
/// has a positive one.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LayerPart {
    /// Number of sets of four slots per vertex; may differ from the mesh.
    pub sets: usize,
    /// The vertices that are in the layer.
    pub vertices: Vec<u32>,
    /// Mask per vertex, `0..=1`; multiplied by the layer's opacity.
    pub mask: Vec<f32>,
    /// Joints of all slots, as indices into the skin's list of joints.
    pub joints: Vec<u16>,
    /// Weights of all slots.
    pub weights: Vec<f32>,
}

impl LayerPart {
    /// Creates a part with the weights of a patch, sorted by vertex, and one mask value for all
    /// vertices.
    pub fn new(patch: &WeightPatch, mask: f32) -> Self {
        let mut order: Vec<usize> = (0..patch.vertices.len()).collect();
        order.sort_unstable_by_key(|k| patch.vertices[*k]);
        let mut part = Self { sets: patch.sets, ..Self::default() };
        let stride = part.stride();
        for k in order {
            let range = k * stride..(k + 1) * stride;
            part.push(patch.vertices[k], mask, &patch.joints[range.clone()], &patch.weights[range]);
        }
        part
    }

    /// Slots per vertex.
    pub const fn stride(&self) -> usize {
        self.sets * 4
    }

    /// Position of a vertex in the list of vertices.
    #[inline]
    pub fn find(&self, vertex: u32) -> Option<usize> {
        self.vertices.binary_search(&vertex).ok()
    }

    /// Joints and weights of the `k`-th vertex of the list.
    #[inline]
    pub fn slots(&self, k: usize) -> (&[u16], &[f32]) {
        let range = k * self.stride()..(k + 1) * self.stride();
        (&self.joints[range.clone()], &self.weights[range])
    }

    /// Appends a vertex. Missing slots are filled with weight 0; excess slots are dropped.
    pub fn push(&mut self, vertex: u32, mask: f32, joints: &[u16], weights: &[f32]) {
        self.vertices.push(vertex);
        self.mask.push(mask);
        let most = self.stride();
        self.joints.extend(joints.iter().copied().chain(std::iter::repeat(0)).take(most));
        self.weights.extend(weights.iter().copied().chain(std::iter::repeat(0.0)).take(most));
    }

    /// Merges two parts. For vertices in both, `other` takes precedence.
    #[must_use]
    pub fn with(&self, other: &Self) -> Self {
        let mut all = Self { sets: self.sets.max(other.sets), ..Self::default() };
        let (mut a, mut b) = (0, 0);
        while a < self.vertices.len() || b < other.vertices.len() {
            let (mine, yours) = (self.vertices.get(a), other.vertices.get(b));
            let take_mine = yours.is_none_or(|v| mine.is_some_and(|m| m < v));
            let (from, k) = if take_mine { (self, a) } else { (other, b) };
            let (joints, weights) = from.slots(k);
            all.push(from.vertices[k], from.mask[k], joints, weights);
            if take_mine {
                a += 1;
            } else {
                a += usize::from(mine == yours);
                b += 1;
            }
        }
        all
    }

    /// Copy of this part with only the vertices that are missing from `old` or differ from it.
    pub fn since(&self, old: Option<&Self>) -> Self {
        let mut new = Self { sets: self.sets, ..Self::default() };
        for (k, v) in self.vertices.iter().enumerate() {
            let (joints, weights) = self.slots(k);
            let same = old.and_then(|o| Some((o, o.find(*v)?))).is_some_and(|(o, i)| {
                o.sets == self.sets
                    && o.slots(i) == (joints, weights)
                    && o.mask[i].to_bits() == self.mask[k].to_bits()
            });
            if !same {
                new.push(*v, self.mask[k], joints, weights);
            }
        }
        new
    }

    /// Whether the invariants hold for a primitive with `count` vertices.
    pub fn fits(&self, count: usize) -> bool {
        let many = self.vertices.len();
        self.sets > 0
            && self.mask.len() == many
            && self.joints.len() == many * self.stride()
            && self.weights.len() == self.joints.len()
            && self.vertices.is_sorted_by(|a, b| a < b)
            && self.vertices.last().is_none_or(|v| (*v as usize) < count)
            && self.mask.iter().all(|m| (0.0..=1.0).contains(m))
            && self.weights.iter().all(|w| *w >= 0.0 && w.is_finite())
            && self.weights.chunks_exact(self.stride()).all(|ws| ws.iter().any(|w| *w > 0.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn part(entries: &[(u32, f32)]) -> LayerPart {
        let mut part = LayerPart { sets: 1, ..LayerPart::default() };
        entries.iter().for_each(|(v, w)| part.push(*v, 1.0, &[0], &[*w]));
        part
    }

    #[test]
    fn combined_parts_replace_vertices_and_stay_sorted() {
        let old = part(&[(1, 0.1), (4, 0.4), (9, 0.9)]);
        let new = part(&[(0, 0.5), (4, 0.5), (12, 0.5)]);
        let all = old.with(&new);
        assert_eq!(all, part(&[(0, 0.5), (1, 0.1), (4, 0.5), (9, 0.9), (12, 0.5)]));
        assert_eq!(all.since(Some(&old)), new);
        assert_eq!(all.since(None), all);
        assert!(all.fits(13) && !all.fits(12));
        assert_eq!(part(&[]).with(&new), new);
        assert_eq!(new.with(&part(&[])), new);
    }
}
