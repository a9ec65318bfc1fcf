//! Content of a weight layer for one primitive.

use super::{MeshId, PrimitiveId, WeightPatch};

/// A primitive: its mesh, and which of the mesh's.
pub type PrimitiveKey = (MeshId, PrimitiveId);

/// The side whose content a mirrored layer shows on both.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MirrorFrom {
    /// The character's left gives.
    Left,
    /// The character's right gives.
    Right,
}

/// What a layer holds of one primitive. Invariants, which [`LayerPart::fits`] checks: vertices
/// rise, each has a mask of 0 to 1 and `sets × 4` slots of finite weights, none negative and at
/// least one positive.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LayerPart {
    /// Sets of four slots a vertex; may differ from the mesh's.
    pub sets: usize,
    /// The vertices that are in the layer.
    pub vertices: Vec<u32>,
    /// How much of it counts, by vertex, 0 to 1.
    pub mask: Vec<f32>,
    /// The joints it wants, slot by slot: indices into the skin's list.
    pub joints: Vec<u16>,
    /// Their weights.
    pub weights: Vec<f32>,
}

impl LayerPart {
    /// A patch as it is, with one mask for all of it; vertices are put in order.
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

    /// Slots a vertex.
    pub const fn stride(&self) -> usize {
        self.sets * 4
    }

    /// Where a vertex is among its own.
    #[inline]
    pub fn find(&self, vertex: u32) -> Option<usize> {
        self.vertices.binary_search(&vertex).ok()
    }

    /// The slots of its `k`-th vertex.
    #[inline]
    pub fn slots(&self, k: usize) -> (&[u16], &[f32]) {
        let range = k * self.stride()..(k + 1) * self.stride();
        (&self.joints[range.clone()], &self.weights[range])
    }

    /// Adds a vertex after all others. Fewer slots than its own are filled up with nothing.
    pub fn push(&mut self, vertex: u32, mask: f32, joints: &[u16], weights: &[f32]) {
        self.vertices.push(vertex);
        self.mask.push(mask);
        let most = self.stride();
        self.joints.extend(joints.iter().copied().chain(std::iter::repeat(0)).take(most));
        self.weights.extend(weights.iter().copied().chain(std::iter::repeat(0.0)).take(most));
    }

    /// With another part put in: its vertices replace these.
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

    /// The vertices that another part, an older one, does not have just so.
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

    /// Whether it keeps its invariants, for a primitive of so many vertices.
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
    fn what_is_put_in_replaces_and_keeps_the_order() {
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
