//! Joint weights of a primitive's vertices, their component type in the file, and sparse changes of
//! them.

use super::{Shared, Slice};

/// Component type of stored weights.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum WeightEncoding {
    /// Single-precision floats.
    #[default]
    Float,
    /// 16-bit unsigned integers; 65535 is 1.
    Short,
    /// 8-bit unsigned integers; 255 is 1.
    Byte,
}

impl WeightEncoding {
    /// The integer that represents 1; `None` for floats.
    pub const fn one(self) -> Option<u32> {
        match self {
            Self::Float => None,
            Self::Short => Some(65535),
            Self::Byte => Some(255),
        }
    }

    /// Decodes a stored integer to a weight (glTF 2.0, *Accessor Data Types*).
    pub fn decode(self, value: u32) -> f32 {
        match self {
            Self::Float => value as f32,
            Self::Short => value as f32 * (1.0 / 65535.0),
            Self::Byte => value as f32 * (1.0 / 255.0),
        }
    }

    /// Encodes a weight as the nearest stored integer.
    pub fn encode(self, weight: f32) -> u32 {
        self.one().map_or(0, |one| (weight.clamp(0.0, 1.0) * one as f32).round() as u32)
    }

    /// Smallest representable difference of two weights; 0 for floats.
    pub fn step(self) -> f32 {
        self.one().map_or(0.0, |one| 1.0 / one as f32)
    }

    /// The label in the window.
    pub const fn label(self) -> &'static str {
        match self {
            Self::Float => "float",
            Self::Short => "16 bit",
            Self::Byte => "8 bit",
        }
    }
}

/// Joint weights of a primitive's vertices, with all sets of the file combined.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct WeightMap {
    /// Number of influence sets, each with four slots per vertex: `JOINTS_0` … `JOINTS_{sets-1}`.
    pub sets: usize,
    /// Joints per vertex, in `sets × 4` slots, as indices into the skin's list.
    pub joints: Slice<u16>,
    /// Weights per vertex, in `sets × 4` slots, as stored; integers are decoded. They are not
    /// necessarily normalized.
    pub weights: Slice<f32>,
    /// Component type in the file.
    pub encoding: WeightEncoding,
    /// Vertices that have a weight in the file that is not finite, in ascending order. Such weights
    /// are read as 0.
    pub not_numbers: Shared<[u32]>,
}

impl WeightMap {
    /// Whether all weights are 0.
    pub fn is_bare(&self) -> bool {
        self.weights.iter().all(|w| *w == 0.0)
    }

    /// Slots per vertex.
    pub const fn stride(&self) -> usize {
        self.sets * 4
    }

    /// The number of vertices.
    pub fn vertex_count(&self) -> usize {
        self.joints.len().checked_div(self.stride()).unwrap_or(0)
    }

    /// Joints and weights of one vertex, slot by slot.
    pub fn vertex(&self, vertex: usize) -> impl Iterator<Item = (u16, f32)> + '_ {
        let range = vertex * self.stride()..(vertex + 1) * self.stride();
        self.joints[range.clone()].iter().copied().zip(self.weights[range].iter().copied())
    }

    /// Weight of a joint on a vertex: the sum over all slots with this joint.
    pub fn weight(&self, vertex: usize, joint: u16) -> f32 {
        // `sum` would start at −0, which differs from 0 in its bits.
        self.vertex(vertex).filter(|(j, _)| *j == joint).fold(0.0, |sum, (_, w)| sum + w)
    }

    /// Copies the influences of some vertices to a patch.
    pub fn pick(&self, vertices: &[u32]) -> WeightPatch {
        let stride = self.stride();
        let mut patch = WeightPatch::new(self.sets, vertices.len());
        patch.vertices.extend_from_slice(vertices);
        for v in vertices {
            let range = *v as usize * stride..(*v as usize + 1) * stride;
            patch.joints.extend_from_slice(&self.joints[range.clone()]);
            patch.weights.extend_from_slice(&self.weights[range]);
        }
        patch.not_numbers = vertices
            .iter()
            .copied()
            .filter(|v| self.not_numbers.binary_search(v).is_ok())
            .collect();
        patch
    }

    /// Swaps the influences of the patch's vertices with those of the map. A second swap undoes the
    /// first. Shared arrays are copied first.
    ///
    /// # Panics
    /// If the patch does not fit; see [`WeightPatch::fits`].
    pub fn swap(&mut self, patch: &mut WeightPatch) {
        let stride = self.stride();
        let joints = self.joints.make_mut();
        let weights = self.weights.make_mut();
        let entries =
            patch.joints.chunks_exact_mut(stride).zip(patch.weights.chunks_exact_mut(stride));
        for (v, (js, ws)) in patch.vertices.iter().zip(entries) {
            let range = *v as usize * stride..(*v as usize + 1) * stride;
            joints[range.clone()].swap_with_slice(js);
            weights[range].swap_with_slice(ws);
        }
        if !self.not_numbers.is_empty() || !patch.not_numbers.is_empty() {
            let touched: std::collections::BTreeSet<u32> = patch.vertices.iter().copied().collect();
            let (was, mut left): (Vec<u32>, Vec<u32>) =
                self.not_numbers.iter().partition(|v| touched.contains(v));
            left.append(&mut patch.not_numbers);
            left.sort_unstable();
            self.not_numbers = left.into();
            patch.not_numbers = was;
        }
    }
}

/// Sorts vertices and removes duplicates. It allocates one bit per vertex up to the highest, so it
/// suits large parts of a mesh.
pub fn put_in_order(vertices: &mut Vec<u32>) {
    let Some(last) = vertices.iter().max().copied() else { return };
    if vertices.is_sorted_by(|a, b| a < b) {
        return;
    }
    let mut marks = vec![0u64; last as usize / 64 + 1];
    vertices.drain(..).for_each(|v| marks[v as usize / 64] |= 1 << (v % 64));
    for (k, mut word) in marks.into_iter().enumerate() {
        while word != 0 {
            vertices.push(k as u32 * 64 + word.trailing_zeros());
            word &= word - 1;
        }
    }
}

/// New influences for some vertices of a primitive.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct WeightPatch {
    /// Number of influence sets, as in the map.
    pub sets: usize,
    /// The vertices, without duplicates.
    pub vertices: Vec<u32>,
    /// Joints per vertex, in `sets × 4` slots.
    pub joints: Vec<u16>,
    /// Weights per vertex, in `sets × 4` slots.
    pub weights: Vec<f32>,
    /// Vertices that have a weight in the file that is not finite.
    pub not_numbers: Vec<u32>,
}

impl WeightPatch {
    /// Creates an empty patch with capacity for `room` vertices.
    pub fn new(sets: usize, room: usize) -> Self {
        Self {
            sets,
            vertices: Vec::with_capacity(room),
            joints: Vec::with_capacity(room * sets * 4),
            weights: Vec::with_capacity(room * sets * 4),
            not_numbers: Vec::new(),
        }
    }

    /// Whether the patch fits a map: it has the same number of sets, existing vertices and finite
    /// weights.
    pub fn fits(&self, map: &WeightMap) -> bool {
        let (count, slots) = (map.vertex_count(), self.vertices.len() * self.sets * 4);
        self.sets == map.sets
            && self.joints.len() == slots
            && self.weights.len() == slots
            && self.vertices.iter().all(|v| (*v as usize) < count)
            && self.weights.iter().all(|w| w.is_finite())
    }

    /// Copy without the vertices whose influences equal those of the map.
    pub fn without_unchanged(&self, map: &WeightMap) -> Self {
        let stride = self.sets * 4;
        let mut kept = Self::new(self.sets, self.vertices.len());
        let entries = self.joints.chunks_exact(stride).zip(self.weights.chunks_exact(stride));
        for (v, (js, ws)) in self.vertices.iter().zip(entries) {
            let range = *v as usize * stride..(*v as usize + 1) * stride;
            let same_number =
                self.not_numbers.contains(v) == map.not_numbers.binary_search(v).is_ok();
            if map.joints[range.clone()] != *js || map.weights[range] != *ws || !same_number {
                kept.vertices.push(*v);
                kept.joints.extend_from_slice(js);
                kept.weights.extend_from_slice(ws);
            }
        }
        kept.not_numbers =
            self.not_numbers.iter().copied().filter(|v| kept.vertices.contains(v)).collect();
        kept
    }
}
