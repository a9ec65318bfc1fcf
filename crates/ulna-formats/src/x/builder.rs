//! State of the conversion to GLB, and a reader for the numbers of objects.

use std::{
    collections::{BTreeSet, HashMap},
    path::Path,
};

use glam::Mat4;

use super::{
    objects::{Object, Tree},
    texture_use::Use,
};
use crate::{
    gltf::ReadError,
    import::{Conversion, GlbBuilder, ImportFindings},
};
use ulna_model::{Diagnostics, Location, Severity};

pub(super) fn fail<T>(object: &Object, message: impl std::fmt::Display) -> Result<T, ReadError> {
    let name =
        if object.name.is_empty() { String::new() } else { format!(" “{}”", object.name) };
    let place = Location::default().member(format!(".x {}{name}", object.kind));
    Err(ReadError::at(place, message.to_string()))
}

pub(super) struct Builder<'a, 'd> {
    pub(super) tree: &'a Tree,
    pub(super) path: Option<&'a Path>,
    pub(super) conversion: &'a Conversion,
    pub(super) diagnostics: &'d mut Diagnostics,
    pub(super) glb: GlbBuilder,
    pub(super) by_name: HashMap<String, usize>,
    /// Meshes that remain to be converted: the index of the object, and the parent node.
    pub(super) pending: Vec<(usize, Option<usize>)>,
    /// Textures by file name and use; `None` for unreadable textures.
    pub(super) taken: HashMap<(String, Use), Option<usize>>,
    /// Indices of materials with textures.
    pub(super) textured: BTreeSet<usize>,
    pub(super) named_materials: HashMap<String, usize>,
    /// Whether the alpha of all materials is ignored.
    pub(super) opaque: bool,
    pub(super) found: ImportFindings,
}

/// Sequential reader of an object's numbers.
pub(super) struct Numbers<'a> {
    pub object: &'a Object,
    pub at: usize,
}

impl Numbers<'_> {
    pub fn next(&mut self) -> Result<f64, ReadError> {
        let Some(value) = self.object.numbers.get(self.at) else {
            return fail(self.object, "it has fewer values than stated");
        };
        self.at += 1;
        Ok(*value)
    }

    /// Reads the number of elements of a list. It must not exceed the number of remaining values
    /// divided by `least_each`.
    pub fn count(&mut self, least_each: usize) -> Result<usize, ReadError> {
        let value = self.next()?;
        let left = self.object.numbers.len() - self.at;
        if !(0.0..=4e9).contains(&value) || value.fract() != 0.0 {
            return fail(self.object, format!("{value} is not a count"));
        }
        let count = value as usize;
        if count.saturating_mul(least_each) > left {
            return fail(
                self.object,
                format!("it states {count} elements, but has only {left} values"),
            );
        }
        Ok(count)
    }

    /// Reads a signed or unsigned 32-bit integer.
    pub fn word(&mut self) -> Result<u32, ReadError> {
        let value = self.next()?;
        if value.fract() == 0.0 && (-2_147_483_648.0..=4_294_967_295.0).contains(&value) {
            Ok(value as i64 as u32)
        } else {
            fail(self.object, format!("{value} is not a 32-bit integer"))
        }
    }

    pub fn vec3(&mut self) -> Result<[f32; 3], ReadError> {
        Ok([self.next()? as f32, self.next()? as f32, self.next()? as f32])
    }

    pub fn index(&mut self, limit: usize, what: &str) -> Result<usize, ReadError> {
        let value = self.next()?;
        if value >= 0.0 && value.fract() == 0.0 && value < limit as f64 {
            Ok(value as usize)
        } else {
            fail(self.object, format!("it refers to {what} {value}, but there are only {limit}"))
        }
    }
}

/// Replaces values that are not finite by 0, and adds their number to `none`.
pub(super) fn finite(values: [f32; 3], none: &mut usize) -> [f32; 3] {
    values.map(|v| {
        if v.is_finite() {
            return v;
        }
        *none += 1;
        0.0
    })
}

/// Converts a color value from sRGB to linear.
pub(super) fn linear(v: f32) -> f32 {
    let v = if v.is_finite() { v.clamp(0.0, 1.0) } else { 0.0 };
    if v <= 0.040_45 { v / 12.92 } else { ((v + 0.055) / 1.055).powf(2.4) }
}

/// Residue of a decomposed matrix above which it counts as sheared.
pub(super) const SHEARED: f32 = 1e-3;

/// Mirrors a point by negating Z.
pub(super) const fn mirror([x, y, z]: [f32; 3]) -> [f32; 3] {
    [x, y, -z]
}

/// Creates a mirrored matrix from sixteen numbers.
pub(super) fn matrix(values: &[f64]) -> Mat4 {
    let mut m = [0.0f32; 16];
    for (k, v) in values.iter().take(16).enumerate() {
        let (column, row) = (k / 4, k % 4);
        let sign = if (column == 2) == (row == 2) { 1.0 } else { -1.0 };
        m[k] = *v as f32 * sign;
    }
    Mat4::from_cols_array(&m)
}

impl<'a> Builder<'a, '_> {
    pub(super) fn children(
        &self,
        object: usize,
        kind: &'static str,
    ) -> impl Iterator<Item = usize> + use<'a> {
        let tree = self.tree;
        tree[object].children.iter().copied().filter(move |c| tree[*c].kind == kind)
    }

    pub(super) fn odd(&mut self, object: usize, message: impl Into<String>) {
        let place = format!(".x {} {}", self.tree[object].kind, self.tree[object].name);
        let place = Location::default().member(place.trim_end().to_owned());
        self.diagnostics.add(Severity::Error, "ULNA_X_REPAIRED", place, message);
    }
}
