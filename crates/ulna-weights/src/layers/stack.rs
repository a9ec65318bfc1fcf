//! Combination of layers over a base, by vertex. All combinations of layers are computed here.

use std::{ops::Range, sync::Arc};

use rayon::prelude::*;

use super::{
    content::{Content, Entry},
    mirrored::{Mirror, MirroredVertex, Parts, seen},
};
use crate::{
    Influences, WeightConstraints, faults::fault_of, ids::to_index, influences::slots_of,
    normalize::normalize,
};
use ulna_model::{
    LayerId, MirrorFrom, PrimitiveKey, Shared, WeightEncoding, WeightLayer, WeightLayers,
    WeightMap, WeightPatch,
};

/// Returns constraints without locked joints.
pub(super) const fn plain(
    unlocked: &[bool],
    limit: usize,
    encoding: WeightEncoding,
) -> WeightConstraints<'_> {
    WeightConstraints { locked: unlocked, parents: &[], limit, encoding, pairs: &[], turned: false }
}

pub(super) fn scaled(list: &Influences, factor: f32) -> Influences {
    let mut scaled = Influences::default();
    scaled.add_all(list, factor);
    scaled
}

/// Base weights and layers of one primitive.
#[derive(Clone)]
pub(super) struct Stack<'a> {
    pub base: &'a WeightMap,
    /// Opacity and displayed content of each layer, bottom to top. Hidden layers are left out.
    pub layers: Vec<(f32, Content<'a>)>,
    pub unlocked: &'a [bool],
    /// For mirrored layers: mirror data, surface index of the primitive's first vertex, and source
    /// side.
    pub mirror: Option<(&'a Mirror, u32, MirrorFrom)>,
}

/// Reused memory for combining one vertex.
#[derive(Default)]
struct Scratch {
    list: Influences,
    mixed: Influences,
    wanted: Influences,
}

/// Vertices per parallel task.
const CHUNK: usize = 1_024;

impl Stack<'_> {
    /// Reads the base influences of a vertex, normalized unless all are 0.
    pub fn ground(&self, vertex: u32, list: &mut Influences) {
        list.clear();
        let known = self
            .base
            .vertex(to_index(vertex))
            .filter(|(j, w)| *w > 0.0 && usize::from(*j) < self.unlocked.len());
        known.for_each(|(j, w)| list.add(j, w));
        let sum: f32 = list.iter().map(|(_, w)| w).sum();
        if sum > 0.0 && (sum - 1.0).abs() > 1e-6 {
            *list = scaled(list, 1.0 / sum);
        }
    }

    /// Writes the combined slots of a vertex. Returns `false` if no layer contains the vertex.
    fn vertex(
        &self,
        vertex: u32,
        joints: &mut [u16],
        weights: &mut [f32],
        scratch: &mut Scratch,
    ) -> bool {
        let Scratch { list, mixed, wanted } = scratch;
        let mut touched = false;
        let mut whole = None;
        for (opacity, content) in &self.layers {
            let Some(entry) = content.at(vertex) else { continue };
            let amount = opacity * entry.mask;
            if amount <= 0.0 {
                continue;
            }
            if amount >= 1.0 {
                entry.read(list);
                whole = Some(entry);
            } else {
                if !touched {
                    self.ground(vertex, list);
                }
                mixed.clear();
                mixed.add_all(list, 1.0 - amount);
                entry.read(wanted);
                mixed.add_all(wanted, amount);
                std::mem::swap(list, mixed);
                whole = None;
            }
            touched = true;
        }
        if !touched {
            return false;
        }
        // Valid content with full mask and opacity is copied exactly.
        if let Some(Entry { joints: js, weights: ws, .. }) = whole
            && self.is_settled(js, ws)
        {
            let fill = joints.iter_mut().zip(weights.iter_mut()).enumerate();
            fill.for_each(|(s, (j, w))| {
                (*j, *w) = js.get(s).copied().zip(ws.get(s).copied()).unwrap_or_default()
            });
            return true;
        }
        mixed.clear();
        list.iter()
            .filter(|(j, _)| usize::from(*j) < self.unlocked.len())
            .for_each(|(j, w)| mixed.add(j, w));
        // A vertex of the target side is normalized as on the source side, so that ties and
        // rounding are mirrored, too.
        let sides = self.mirror.filter(|(m, first, from)| {
            matches!(m.sides.part(&m.canvas, first + vertex, *from), MirroredVertex::Takes(_))
        });
        if let Some((m, ..)) = sides {
            *mixed = m.sides.turned(mixed);
        }
        // Layer content always has weight. Normalizing fails only if its joints no longer exist.
        let rule = plain(self.unlocked, self.base.stride(), self.base.encoding);
        if normalize(mixed, &rule).is_err() {
            return false;
        }
        if let Some((m, ..)) = sides {
            *mixed = m.sides.turned(mixed);
        }
        mixed.write(joints, weights);
        true
    }

    /// Whether normalizing would leave these slots of a layer unchanged.
    fn is_settled(&self, joints: &[u16], weights: &[f32]) -> bool {
        let encoding = self.base.encoding;
        let stored = |w: f32| {
            encoding.one().is_none() || encoding.decode(encoding.encode(w)).to_bits() == w.to_bits()
        };
        weights.is_sorted_by(|a, b| a >= b)
            && joints.iter().zip(weights).all(|(j, w)| {
                if *w > 0.0 { usize::from(*j) < self.unlocked.len() } else { *j == 0 }
            })
            && weights.iter().all(|w| stored(*w))
            && fault_of(joints, weights, encoding, self.base.stride()).is_none()
    }

    /// Computes the combined slots of vertices in ascending order, and whether any layer contains
    /// each.
    fn many(&self, vertices: &[u32]) -> (Vec<u16>, Vec<f32>, Vec<bool>) {
        let stride = self.base.stride();
        let mut joints = vec![0u16; vertices.len() * stride];
        let mut weights = vec![0.0f32; vertices.len() * stride];
        let mut kept = vec![false; vertices.len()];
        let chunks = vertices
            .par_chunks(CHUNK)
            .zip(joints.par_chunks_mut(CHUNK * stride))
            .zip(weights.par_chunks_mut(CHUNK * stride))
            .zip(kept.par_chunks_mut(CHUNK));
        chunks.for_each(|(((vertices, joints), weights), kept)| {
            let (Some(first), Some(last)) = (vertices.first(), vertices.last()) else { return };
            let layers = self.layers.iter().map(|(o, c)| (*o, c.near(*first, *last))).collect();
            let near = Stack { layers, ..self.clone() };
            let mut scratch = Scratch::default();
            let slots = joints.chunks_exact_mut(stride).zip(weights.chunks_exact_mut(stride));
            for ((v, (joints, weights)), kept) in vertices.iter().zip(slots).zip(kept) {
                *kept = near.vertex(*v, joints, weights, &mut scratch);
            }
        });
        (joints, weights, kept)
    }

    /// Computes the combination of all vertices that any layer contains.
    pub fn touched(&self) -> WeightPatch {
        let own = |content: &Content<'_>| match content {
            Content::Sparse { part, from, to } => part.vertices[*from..*to].to_vec(),
            Content::Dense { held, .. } => {
                (0..).zip(held.iter()).filter(|(_, is_held)| **is_held).map(|(v, _)| v).collect()
            }
        };
        let mut vertices: Vec<u32> =
            self.layers.iter().flat_map(|(_, content)| own(content)).collect();
        if self.layers.len() > 1 {
            vertices.sort_unstable();
            vertices.dedup();
        }
        let stride = self.base.stride();
        let (joints, weights, kept) = self.many(&vertices);
        if kept.iter().all(|k| *k) {
            return WeightPatch {
                sets: self.base.sets,
                vertices,
                joints,
                weights,
                not_numbers: Vec::new(),
            };
        }
        let mut patch = WeightPatch::new(self.base.sets, vertices.len());
        for (k, v) in vertices.iter().enumerate().filter(|(k, _)| kept[*k]) {
            patch.vertices.push(*v);
            patch.joints.extend_from_slice(&joints[k * stride..(k + 1) * stride]);
            patch.weights.extend_from_slice(&weights[k * stride..(k + 1) * stride]);
        }
        patch
    }

    /// Computes the combination of vertices in ascending order. Vertices that no layer contains get
    /// the base weights.
    pub fn seen(&self, vertices: Vec<u32>) -> WeightPatch {
        let stride = self.base.stride();
        let (mut joints, mut weights, kept) = self.many(&vertices);
        let (base_joints, base_weights): (&[u16], &[f32]) = (&self.base.joints, &self.base.weights);
        let mut not_numbers = Vec::new();
        for (k, v) in vertices.iter().enumerate().filter(|(k, _)| !kept[*k]) {
            let (to, from) = (k * stride..(k + 1) * stride, slots_of(*v, stride));
            joints[to.clone()].copy_from_slice(&base_joints[from.clone()]);
            weights[to].copy_from_slice(&base_weights[from]);
            if self.base.not_numbers.binary_search(v).is_ok() {
                not_numbers.push(*v);
            }
        }
        WeightPatch { sets: self.base.sets, vertices, joints, weights, not_numbers }
    }
}

/// A displayed layer with an opacity above 0.
pub(super) struct ShownLayer {
    pub id: LayerId,
    pub opacity: f32,
    pub parts: Parts,
}

/// Displayed layers, bottom to top.
pub(super) struct Shown {
    pub layers: Vec<ShownLayer>,
    pub mirror: Option<(Arc<Mirror>, MirrorFrom)>,
}

impl Shown {
    /// Returns the displayed layers in a range of a skin's layers.
    pub fn of(all: &WeightLayers, range: Range<usize>, mirror: Option<&Arc<Mirror>>) -> Self {
        let counts = || all.layers[range.clone()].iter().filter(|l| all.counts(l));
        let layer = |l: &Shared<WeightLayer>| ShownLayer {
            id: l.id,
            opacity: l.opacity,
            parts: seen(l, mirror.map(|m| &**m)),
        };
        Self {
            layers: counts().map(layer).collect(),
            mirror: mirror.and_then(|m| Some((m.clone(), counts().find_map(|l| l.mirror)?))),
        }
    }

    /// Returns the stack of these layers for one primitive.
    pub fn stack<'a>(
        &'a self,
        base: &'a WeightMap,
        key: PrimitiveKey,
        unlocked: &'a [bool],
    ) -> Stack<'a> {
        let content = |l: &'a ShownLayer| Some((l.opacity, Content::sparse(l.parts.get(&key)?)));
        self.stack_of(base, key, unlocked, self.layers.iter().filter_map(content).collect())
    }

    /// Returns a stack of the given content for one primitive. The mirror data comes from these
    /// layers.
    pub fn stack_of<'a>(
        &'a self,
        base: &'a WeightMap,
        key: PrimitiveKey,
        unlocked: &'a [bool],
        layers: Vec<(f32, Content<'a>)>,
    ) -> Stack<'a> {
        let mirror = self
            .mirror
            .as_ref()
            .and_then(|(m, from)| Some((&**m, m.canvas.vertex_of(key.0, key.1, 0)?, *from)));
        Stack { base, layers, unlocked, mirror }
    }
}
