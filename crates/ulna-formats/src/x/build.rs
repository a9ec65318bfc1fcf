//! Objects → a GLB: frames become nodes, skins and clips become glTF's, and the left hand becomes
//! the right.
//!
//! `.x` is left-handed with row vectors. A matrix laid out for row vectors reads the same as one
//! for columns laid out by columns, as glTF's are; mirroring z changes the signs of what touches z
//! once.

use std::{
    collections::{HashMap, HashSet},
    path::Path,
};

use glam::{Mat4, Vec3};

use super::{
    objects::{Object, Tree},
    textures::Use,
};
use crate::{
    gltf::ReadError,
    import::{Conversion, GlbBuilder, ImportFindings, NodeOut, UpAxis},
};
use ulna_model::{Diagnostics, Severity, Transform};

pub(super) fn fail<T>(object: &Object, message: impl std::fmt::Display) -> Result<T, ReadError> {
    let name =
        if object.name.is_empty() { String::new() } else { format!(" “{}”", object.name) };
    Err(ReadError::at(format!(".x {}{name}", object.kind), message.to_string()))
}

/// The direction that is up in a mirrored file whose axis this is.
pub(super) const fn mirrored_up(up: UpAxis) -> Vec3 {
    match up {
        UpAxis::Z => Vec3::NEG_Z,
        _ => up.direction(),
    }
}

/// Builds the GLB.
pub fn build(
    tree: &Tree,
    path: Option<&Path>,
    conversion: &Conversion,
    diagnostics: &mut Diagnostics,
) -> Result<(Vec<u8>, ImportFindings), ReadError> {
    let mut builder = Builder {
        tree,
        path,
        conversion,
        diagnostics,
        glb: GlbBuilder::default(),
        by_name: HashMap::new(),
        pending: Vec::new(),
        taken: HashMap::new(),
        named_materials: HashMap::new(),
        opaque: false,
        found: ImportFindings::default(),
    };
    builder.opaque = builder.all_invisible();
    if builder.opaque {
        let message = "All materials have an alpha of 0, which some exporters write for opaque \
            materials; they are imported as opaque";
        builder.diagnostics.add(Severity::Warning, "ULNA_X_ALPHA", ".x Material", message);
    }
    builder.named_materials()?;
    builder.frames()?;
    builder.meshes()?;
    builder.animations()?;
    let glb = builder.glb.finish(".x", conversion, mirrored_up(conversion.up))?;
    Ok((glb, builder.found))
}

pub(super) struct Builder<'a, 'd> {
    pub(super) tree: &'a Tree,
    pub(super) path: Option<&'a Path>,
    pub(super) conversion: &'a Conversion,
    pub(super) diagnostics: &'d mut Diagnostics,
    pub(super) glb: GlbBuilder,
    pub(super) by_name: HashMap<String, usize>,
    /// Meshes to make: the object, and the node it hangs under.
    pending: Vec<(usize, Option<usize>)>,
    /// Textures that are in the file already, by name and what they are for.
    pub(super) taken: HashMap<(String, Use), Option<usize>>,
    pub(super) named_materials: HashMap<String, usize>,
    /// Whether materials are opaque whatever their alpha is.
    pub(super) opaque: bool,
    pub(super) found: ImportFindings,
}

/// Numbers of an object, read one after the other.
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

    /// A count, no larger than the numbers that are left could make it.
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

    /// A word of 32 bits, with a sign or without.
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

/// What is no number is 0, and counted.
pub(super) fn finite(values: [f32; 3], none: &mut usize) -> [f32; 3] {
    values.map(|v| {
        if v.is_finite() {
            return v;
        }
        *none += 1;
        0.0
    })
}

/// A value of color as files of this kind hold it, sRGB, as glTF does: linear.
pub(super) fn linear(v: f32) -> f32 {
    let v = if v.is_finite() { v.clamp(0.0, 1.0) } else { 0.0 };
    if v <= 0.040_45 { v / 12.92 } else { ((v + 0.055) / 1.055).powf(2.4) }
}

/// A matrix that is off by more than this from one without shear is sheared.
pub(super) const SHEARED: f32 = 1e-3;

/// A mirrored point.
pub(super) const fn mirror([x, y, z]: [f32; 3]) -> [f32; 3] {
    [x, y, -z]
}

/// A matrix of sixteen numbers, mirrored.
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
        self.diagnostics.add(Severity::Error, "ULNA_X_REPAIRED", place.trim_end(), message);
    }

    /// Materials with a name that stand outside of a list: lists refer to them.
    fn named_materials(&mut self) -> Result<(), ReadError> {
        let tree = self.tree;
        let listed: HashSet<usize> = tree
            .iter()
            .filter(|o| o.kind == "MeshMaterialList")
            .flat_map(|o| o.children.iter().copied())
            .collect();
        for (k, object) in tree.iter().enumerate() {
            if object.kind == "Material" && !object.name.is_empty() && !listed.contains(&k) {
                let material = self.material(k)?;
                self.named_materials.insert(object.name.clone(), material);
            }
        }
        Ok(())
    }

    /// Frames to nodes, without recursion. What a frame refers to hangs on it: a mesh, or a frame
    /// that stands elsewhere.
    fn frames(&mut self) -> Result<(), ReadError> {
        let tree = self.tree;
        let mut named: HashMap<&str, usize> = HashMap::new();
        for (k, object) in tree.iter().enumerate() {
            if matches!(object.kind.as_str(), "Frame" | "Mesh") && !object.name.is_empty() {
                named.entry(object.name.as_str()).or_insert(k);
            }
        }
        let frames = tree.iter().filter(|o| o.kind == "Frame");
        let referred: HashSet<usize> = frames
            .flat_map(|o| &o.references)
            .filter_map(|name| named.get(name.as_str()).copied())
            .collect();
        let mut placed: HashSet<usize> = HashSet::new();
        let mut stack: Vec<(usize, Option<usize>)> = vec![(0, None)];
        while let Some((object, parent)) = stack.pop() {
            let own = tree[object]
                .children
                .iter()
                .copied()
                .filter(|c| object != 0 || !referred.contains(c));
            let mut inside: Vec<usize> = own.collect();
            if tree[object].kind == "Frame" {
                for reference in &tree[object].references {
                    match named.get(reference.as_str()) {
                        Some(found) => inside.push(*found),
                        None => self.odd(
                            object,
                            format!("it refers to “{reference}”, which does not exist"),
                        ),
                    }
                }
            }
            for child in inside {
                match tree[child].kind.as_str() {
                    "Frame" if !placed.insert(child) => {
                        self.odd(
                            object,
                            format!(
                                "the frame “{}” has several parents; the first one is used",
                                tree[child].name
                            ),
                        );
                    }
                    "Frame" => {
                        let node = self.frame(child, parent)?;
                        stack.push((child, Some(node)));
                    }
                    "Mesh" => self.pending.push((child, parent)),
                    _ => {}
                }
            }
        }
        if self.glb.nodes.is_empty() && self.pending.is_empty() {
            self.odd(0, "the file has no frames and no meshes");
        }
        Ok(())
    }

    fn frame(&mut self, object: usize, parent: Option<usize>) -> Result<usize, ReadError> {
        let mut node = NodeOut::default();
        if let Some(child) = self.children(object, "FrameTransformMatrix").next() {
            let values = &self.tree[child].numbers;
            if values.len() < 16 {
                return fail(
                    &self.tree[child],
                    format!("its matrix has {} values, but 16 are needed", values.len()),
                );
            }
            let found = matrix(values);
            if found.is_finite() {
                let split = Transform::decompose(&found, &Transform::IDENTITY);
                if split.residue > SHEARED {
                    self.odd(
                        object,
                        "its matrix has shear; the nearest matrix without shear is used",
                    );
                }
                node.transform = Some(split.transform);
            } else {
                self.odd(
                    object,
                    "its matrix has values that are not finite numbers; it is ignored",
                );
            }
        }
        let name = self.tree[object].name.clone();
        node.parent = parent;
        node.name.clone_from(&name);
        let index = self.glb.node(node);
        if !name.is_empty() && self.by_name.insert(name.clone(), index).is_some() {
            self.odd(
                object,
                format!(
                    "two frames are named “{name}”; keys and weights are assigned to the later one"
                ),
            );
        }
        Ok(index)
    }

    fn meshes(&mut self) -> Result<(), ReadError> {
        for (object, parent) in std::mem::take(&mut self.pending) {
            self.mesh(object, parent)?;
        }
        Ok(())
    }
}
