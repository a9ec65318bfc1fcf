//! Content of a layer as arrays over all vertices, for direct access by brushes.

use super::content::Content;
use crate::{Influences, ids::to_index, influences::slots_of};
use ulna_model::{LayerPart, WeightMap};

/// Slots and mask of every vertex of a primitive. `held` marks the vertices that the layer
/// contains.
pub(super) struct Dense {
    pub map: WeightMap,
    pub mask: Vec<f32>,
    pub held: Vec<bool>,
}

impl Dense {
    /// Creates empty arrays for all vertices of a base.
    pub fn empty(base: &WeightMap, sets: usize) -> Self {
        let count = base.vertex_count();
        let slots = count * sets * 4;
        let (joints, weights) = (vec![0; slots].into(), vec![0.0; slots].into());
        let map = WeightMap { sets, joints, weights, ..WeightMap::default() };
        Self { map, mask: vec![1.0; count], held: vec![false; count] }
    }

    /// Creates arrays with the slots of a map. The layer contains no vertex yet.
    pub fn over(below: &WeightMap, sets: usize) -> Self {
        let (count, own, stride) = (below.vertex_count(), below.stride(), sets * 4);
        let (mut joints, mut weights) = (below.joints.to_vec(), below.weights.to_vec());
        if own < stride {
            (joints, weights) = (vec![0; count * stride], vec![0.0; count * stride]);
            for v in 0..count {
                let (to, from) = (v * stride..v * stride + own, v * own..(v + 1) * own);
                joints[to.clone()].copy_from_slice(&below.joints[from.clone()]);
                weights[to].copy_from_slice(&below.weights[from]);
            }
        }
        let map = WeightMap {
            sets,
            joints: joints.into(),
            weights: weights.into(),
            ..WeightMap::default()
        };
        Self { map, mask: vec![1.0; count], held: vec![false; count] }
    }

    /// Sets the slots of some vertices. `own` is the number of slots per vertex in `joints` and
    /// `weights`.
    pub fn lay(&mut self, vertices: &[u32], own: usize, joints: &[u16], weights: &[f32]) {
        let stride = self.map.stride();
        let most = own.min(stride);
        let (all_joints, all_weights) = (self.map.joints.make_mut(), self.map.weights.make_mut());
        for (v, (js, ws)) in
            vertices.iter().zip(joints.chunks_exact(own).zip(weights.chunks_exact(own)))
        {
            let (joints, more_joints) =
                all_joints[to_index(*v) * stride..][..stride].split_at_mut(most);
            let (weights, more_weights) =
                all_weights[to_index(*v) * stride..][..stride].split_at_mut(most);
            joints.copy_from_slice(&js[..most]);
            weights.copy_from_slice(&ws[..most]);
            more_joints.fill(0);
            more_weights.fill(0.0);
        }
    }

    /// Adds the content of a stored layer.
    pub fn hold(&mut self, part: &LayerPart) {
        self.lay(&part.vertices, part.stride(), &part.joints, &part.weights);
        for (v, mask) in part.vertices.iter().zip(&part.mask) {
            (self.mask[to_index(*v)], self.held[to_index(*v)]) = (*mask, true);
        }
    }

    pub fn put(&mut self, vertex: u32, mask: f32, list: &Influences) {
        let v = to_index(vertex);
        let own = v * self.map.stride()..(v + 1) * self.map.stride();
        list.write(
            &mut self.map.joints.make_mut()[own.clone()],
            &mut self.map.weights.make_mut()[own],
        );
        (self.mask[v], self.held[v]) = (mask, true);
    }

    pub fn content(&self) -> Content<'_> {
        Content::Dense {
            stride: self.map.stride(),
            joints: &self.map.joints,
            weights: &self.map.weights,
            mask: &self.mask,
            held: &self.held,
        }
    }

    /// Returns the content of some vertices as a layer part. It has as few sets as possible, but at
    /// least `least`.
    pub fn part(&self, vertices: &[u32], least: usize) -> LayerPart {
        let stride = self.map.stride();
        let (joints, weights): (&[u16], &[f32]) = (&self.map.joints, &self.map.weights);
        let slots = |v: u32| slots_of(v, stride);
        let used = |v: &u32| weights[slots(*v)].iter().rposition(|w| *w > 0.0).map_or(0, |k| k + 1);
        let most = vertices.iter().map(used).max().unwrap_or(0);
        let mut part = LayerPart { sets: most.div_ceil(4).max(least), ..LayerPart::default() };
        let room = part.stride().min(stride);
        for v in vertices {
            let own = slots(*v).start..slots(*v).start + room;
            part.push(*v, self.mask[to_index(*v)], &joints[own.clone()], &weights[own]);
        }
        part
    }
}
