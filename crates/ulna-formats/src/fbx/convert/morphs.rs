//! Converts blend shapes to morph targets. A channel with in-between shapes becomes one target per
//! shape, with weights that blend from one to the next.

use ufbx::{BlendChannel, BlendShape, Mesh, Node};

use super::{
    Builder,
    math::{finite, floats3},
};
use crate::{gltf::ReadError, import::MorphOut};

/// A blend channel, with the channel weight at which each of its shapes has full effect.
pub(super) struct Channel<'a> {
    pub(super) channel: &'a BlendChannel,
    pub(super) whole_at: Vec<f64>,
}

impl<'a> Channel<'a> {
    fn of(channel: &'a BlendChannel) -> Self {
        let keys = channel.keyframes.as_ref().iter();
        Self { channel, whole_at: keys.map(|k| k.target_weight).collect() }
    }

    /// Weight of each shape for a weight of the channel.
    pub(super) fn shares(&self, weight: f64) -> Vec<f64> {
        shares(&self.whole_at, weight)
    }
}

/// Weight of each shape for a weight of their channel. `whole_at` are the ascending channel weights
/// at which each shape has full effect.
///
/// Between two of these weights, both shapes are blended. Beyond the last one, its shape's weight
/// continues linearly. At 0, all weights are 0.
fn shares(whole_at: &[f64], weight: f64) -> Vec<f64> {
    let mut shares = vec![0.0; whole_at.len()];
    let below = whole_at.iter().rposition(|w| *w < 0.0).map_or(0, |last| last + 1);
    let (left, right) = (0..below, below..whole_at.len());
    // Shapes are traversed from 0 outward, on the side of the channel weight. If that side has no
    // shape, the first shape of the other side is extrapolated through 0.
    let is_right = if weight > 0.0 { !right.is_empty() } else { left.is_empty() };
    let way: Vec<usize> = if is_right { right.collect() } else { left.rev().collect() };
    let is_past = |k: &usize| whole_at[*k].abs() > weight.abs();
    let is_through = (weight > 0.0) != is_right;
    let last = way.len().saturating_sub(1);
    let reached = if is_through { 0 } else { way.iter().position(is_past).unwrap_or(last) };
    let Some(next) = way.get(reached) else { return shares };
    let before = reached.checked_sub(1).map(|k| way[k]);
    let from = before.map_or(0.0, |k| whole_at[k]);
    let span = whole_at[*next] - from;
    if span != 0.0 {
        let t = (weight - from) / span;
        shares[*next] = t;
        if let Some(before) = before {
            shares[before] = 1.0 - t;
        }
    }
    shares
}

/// Blend channels of a mesh, in the order of its morph targets.
fn channels(mesh: &Mesh) -> impl Iterator<Item = &BlendChannel> {
    mesh.blend_deformers.into_iter().flat_map(|d| &d.channels)
}

impl<'a> Builder<'a> {
    /// Converts the morph targets of a mesh. `places` are the vertex indices in the file.
    pub(super) fn morph_targets(
        &mut self,
        mesh: &Mesh,
        places: &[u32],
    ) -> Result<Vec<MorphOut>, ReadError> {
        let mut made = Vec::new();
        for channel in channels(mesh) {
            let of = Channel::of(channel);
            let shapes = channel.keyframes.as_ref();
            self.findings.in_betweens += shapes.len().saturating_sub(1);
            for (key, share) in shapes.iter().zip(of.shares(channel.weight)) {
                self.budget.take(places.len() as u64 * 24, &".fbx".into())?;
                let name = match (channel.element.name.as_ref(), shapes.len()) {
                    ("", _) => key.shape.element.name.to_string(),
                    (name, 0..=1) => name.to_owned(),
                    (name, _) => {
                        let at = (key.target_weight * 100.0).round();
                        if at == 100.0 { name.to_owned() } else { format!("{name} {at} %") }
                    }
                };
                let (positions, normals) = offsets(&key.shape, mesh.num_vertices, places);
                made.push(MorphOut { name, positions, normals, weight: finite(share) });
            }
        }
        Ok(made)
    }

    /// Stores the blend channels of a node's mesh, for the conversion of clips.
    pub(super) fn note_morphs(&mut self, node: &'a Node, mesh: &'a Mesh) {
        let list: Vec<Channel<'a>> = channels(mesh).map(Channel::of).collect();
        if list.iter().any(|c| !c.whole_at.is_empty()) {
            self.morphs.insert(node.element.typed_id, list);
        }
    }
}

/// Position and normal offsets of a shape. The list of normals is empty if they do not change.
fn offsets(shape: &BlendShape, vertices: usize, places: &[u32]) -> (Vec<[f32; 3]>, Vec<[f32; 3]>) {
    let spread = |values: &[ufbx::Vec3]| -> Vec<[f32; 3]> {
        let mut all = vec![[0.0; 3]; vertices];
        for (k, (vertex, value)) in shape.offset_vertices.iter().zip(values).enumerate() {
            if let Some(slot) = all.get_mut(*vertex as usize) {
                // Blender stores one weight per vertex.
                let share = shape.offset_weights.get(k).map_or(1.0, |w| finite(*w));
                *slot = floats3(*value).map(|v| v * share);
            }
        }
        places.iter().map(|v| all.get(*v as usize).copied().unwrap_or_default()).collect()
    };
    let positions = spread(shape.position_offsets.as_ref());
    let normals = shape.normal_offsets.as_ref();
    let has_normals = normals.iter().any(|n| floats3(*n) != [0.0; 3]);
    (positions, if has_normals { spread(normals) } else { Vec::new() })
}

#[cfg(test)]
mod tests {
    use super::shares;

    #[test]
    fn in_between_shapes_cross_fade_and_extrapolate_beyond_the_last() {
        let list = [0.5, 1.0];
        for (weight, wanted) in [
            (0.0, [0.0, 0.0]),
            (0.25, [0.5, 0.0]),
            (0.5, [1.0, 0.0]),
            (0.75, [0.5, 0.5]),
            (1.0, [0.0, 1.0]),
            (1.5, [-1.0, 2.0]),
            (-1.0, [-2.0, 0.0]),
        ] {
            assert_eq!(shares(&list, weight), wanted, "{weight}");
        }
        assert_eq!(shares(&[-0.5, 1.0], -0.25), [0.5, 0.0]);
        assert_eq!(shares(&[-0.5], 0.25), [-0.5]);
    }

    #[test]
    fn a_channel_without_shapes_has_no_shape_weights() {
        assert!(shares(&[], 0.5).is_empty() && shares(&[], -0.5).is_empty());
    }
}
