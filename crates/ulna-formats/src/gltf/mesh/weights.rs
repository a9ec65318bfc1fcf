//! Reading of a primitive's joint weights.

use super::{
    super::{
        ReadError,
        accessor::{Component, Missing},
    },
    count::count_in,
    reader::{PrimitiveReader, is_local},
};
use ulna_model::{Severity, Shared, Slice, WeightEncoding, WeightMap};

/// One set of joints and weights, with the component type of the weights.
type WeightSet = (Slice<u16>, Slice<f32>, WeightEncoding);

impl PrimitiveReader<'_, '_> {
    pub(super) fn weights(&mut self, count: usize) -> Result<Option<Shared<WeightMap>>, Missing> {
        let attributes = &self.raw.attributes;
        let mut pairs = Vec::new();
        while let (Some(j), Some(w)) = (
            attributes.get(&format!("JOINTS_{}", pairs.len())),
            attributes.get(&format!("WEIGHTS_{}", pairs.len())),
        ) {
            pairs.push((j.0, w.0));
        }
        let joint_sets = attributes.keys().filter(|k| k.starts_with("JOINTS_")).count();
        let weight_sets = attributes.keys().filter(|k| k.starts_with("WEIGHTS_")).count();
        if joint_sets != pairs.len() || weight_sets != pairs.len() {
            let message = format!(
                "The numbers of JOINTS_n ({joint_sets}) and WEIGHTS_n ({weight_sets}) attributes \
                    differ; {} pairs are used",
                pairs.len()
            );
            self.diagnostics.add(
                Severity::Error,
                "MESH_PRIMITIVE_JOINTS_WEIGHTS_MISMATCH",
                &self.place,
                message,
            );
        }
        if pairs.is_empty() {
            return Ok(None);
        }
        let mut parts = Vec::with_capacity(pairs.len());
        let mut encodings = Vec::with_capacity(pairs.len());
        for (set, (j, w)) in pairs.into_iter().enumerate() {
            match self.weight_set(set, (j, w), count) {
                Ok((joints, weights, encoding)) => {
                    encodings.push(encoding);
                    parts.push((joints, weights));
                }
                // Without the first set, the deformation would be wrong. Without later sets, it is
                // approximately correct.
                Err(Missing::Refused(error)) if set > 0 && is_local(&error) => {
                    let message = format!(
                        "The influence sets from JOINTS_{set} on stay in the file, but are \
                            ignored: {}",
                        error.fault()
                    );
                    let place = error.place().unwrap_or_else(|| self.place.clone());
                    self.diagnostics.add(Severity::Error, error.finding_code(), place, message);
                    break;
                }
                Err(error) => return Err(error),
            }
        }
        let sets = parts.len();
        self.weight_map(parts, encodings, sets, count)
    }

    /// Reads one set of joints and weights.
    pub(super) fn weight_set(
        &mut self,
        set: usize,
        (j, w): (usize, usize),
        count: usize,
    ) -> Result<WeightSet, Missing> {
        let joint_shape = self.accessors.shape(j, &self.place)?;
        let weight_shape = self.accessors.shape(w, &self.place)?;
        if !matches!(joint_shape.component, Component::U8 | Component::U16)
            || joint_shape.width != 4
        {
            return Err(ReadError::at(
                &self.place,
                format!("JOINTS_{set} is not four unsigned bytes or shorts"),
            )
            .into());
        }
        let whole = weight_shape.component != Component::F32;
        if weight_shape.width != 4 || (whole && !weight_shape.normalized) {
            return Err(ReadError::at(
                &self.place,
                format!("WEIGHTS_{set} is neither floats nor normalized integers"),
            )
            .into());
        }
        for (name, shape) in [("JOINTS", joint_shape), ("WEIGHTS", weight_shape)] {
            if shape.count != count {
                let message =
                    format!("{name}_{set} has {} elements, but POSITION has {count}", shape.count);
                return Err(ReadError::at(&self.place, message).into());
            }
        }
        let encoding = match weight_shape.component {
            Component::U8 => WeightEncoding::Byte,
            Component::U16 => WeightEncoding::Short,
            _ => WeightEncoding::Float,
        };
        let weights = self.accessors.floats(w, &self.place)?;
        Ok((self.accessors.shorts(j, &self.place)?, weights, encoding))
    }

    pub(super) fn weight_map(
        &self,
        parts: Vec<(Slice<u16>, Slice<f32>)>,
        encodings: Vec<WeightEncoding>,
        sets: usize,
        count: usize,
    ) -> Result<Option<Shared<WeightMap>>, Missing> {
        let (joints, mut weights) = match &*parts {
            [(joints, weights)] => (joints.clone(), weights.clone()),
            parts => side_by_side(parts, count),
        };
        let bad = count_in(&weights, |w| !w.is_finite());
        let mut not_numbers = Vec::new();
        if bad > 0 {
            let odd = |ws: &[f32]| ws.iter().any(|w| !w.is_finite());
            let vertices = weights.chunks_exact(sets * 4).enumerate();
            not_numbers = vertices.filter(|(_, ws)| odd(ws)).map(|(v, _)| v as u32).collect();
            weights = weights.iter().map(|w| if w.is_finite() { *w } else { 0.0 }).collect();
        }
        // Weights of sets with different types do not sum to exactly 1. They become floats when
        // they are written again.
        let one_type = encodings.iter().all(|e| *e == encodings[0]);
        let encoding = if one_type { encodings[0] } else { WeightEncoding::Float };
        let map = Shared::new(WeightMap {
            sets,
            joints,
            weights,
            encoding,
            not_numbers: not_numbers.into(),
        });
        Ok(Some(map))
    }
}

/// Interleaves several sets of joints and weights by vertex.
fn side_by_side(parts: &[(Slice<u16>, Slice<f32>)], count: usize) -> (Slice<u16>, Slice<f32>) {
    let sets = parts.len();
    let mut joints = vec![[0u16; 4]; count * sets];
    let mut weights = vec![[0.0f32; 4]; count * sets];
    for (set, (js, ws)) in parts.iter().enumerate() {
        let from = js.as_chunks::<4>().0.iter().zip(ws.as_chunks::<4>().0);
        for (k, (j, w)) in from.enumerate() {
            joints[k * sets + set] = *j;
            weights[k * sets + set] = *w;
        }
    }
    (joints.into_flattened().into(), weights.into_flattened().into())
}
