//! Findings about unit vectors, triangle areas and accessor bounds.

use glam::Vec3;
use rayon::prelude::*;

use super::{
    super::accessor::Component,
    count::{BLOCK, count_in},
    reader::PrimitiveReader,
};
use ulna_model::{IdKind, Location, Severity};

impl PrimitiveReader<'_, '_> {
    /// Adds a finding for vectors of zero length.
    pub(super) fn check_directions(&mut self, name: &str, shown: &str, lost: usize) {
        if lost > 0 {
            let message = format!("Vectors of {name} with a length of 0: {lost}; {shown}");
            self.diagnostics.add(
                Severity::Error,
                "ACCESSOR_VECTOR3_NON_UNIT",
                &self.place,
                message,
            );
        }
    }

    /// Adds a finding for triangles of zero area, which are harmless but may be unwanted.
    pub(super) fn check_areas(&mut self, positions: &[Vec3], indices: &[u32]) {
        let triangles = indices.as_chunks::<3>().0;
        let count = count_in(triangles, |corner| {
            let [a, b, c] = *corner;
            let at = positions[a as usize];
            (positions[b as usize] - at).cross(positions[c as usize] - at) == Vec3::ZERO
        });
        if count > 0 {
            let message = format!("Triangles with zero area: {count} of {}", triangles.len());
            self.diagnostics.add(
                Severity::Info,
                "ACCESSOR_INDEX_TRIANGLE_DEGENERATE",
                &self.place,
                message,
            );
        }
    }

    /// Adds a finding for wrong accessor bounds, which mislead programs that rely on them.
    pub(super) fn check_bounds(&mut self, index: usize, positions: &[Vec3]) {
        let (Some(min), Some(max)) = self.accessors.bounds(index) else { return };
        let (low, high) = positions
            .par_chunks(BLOCK)
            .map(|p| {
                p.iter().fold((Vec3::INFINITY, Vec3::NEG_INFINITY), |(low, high), p| {
                    (low.min(*p), high.max(*p))
                })
            })
            .reduce(|| (Vec3::INFINITY, Vec3::NEG_INFINITY), |a, b| (a.0.min(b.0), a.1.max(b.1)));
        let shape = self.accessors.shape(index, &self.place);
        let exact = |stated: &[f64], found: Vec3| {
            stated.len() == 3 && stated.iter().zip(found.to_array()).all(|(s, f)| *s as f32 == f)
        };
        let float =
            shape.is_ok_and(|s| s.component == Component::F32) && !self.accessors.is_packed(index);
        if float && (!exact(min, low) || !exact(max, high)) {
            let message = "The stated minimum and maximum of the positions are wrong";
            self.diagnostics.add(
                Severity::Error,
                "ACCESSOR_MIN_MISMATCH",
                Location::at(IdKind::Accessor, index),
                message,
            );
        }
    }
}
