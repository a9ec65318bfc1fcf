//! Builds a GLB from objects: frames become nodes, skins and clips are converted, and left-handed
//! coordinates become right-handed.
//!
//! `.x` is left-handed with row vectors. A row-vector matrix stored by rows has the same numbers as
//! a column-vector matrix stored by columns, as in glTF. Mirroring Z negates the matrix elements in
//! exactly one of the third row and the third column.

use std::{
    collections::{BTreeSet, HashMap, HashSet},
    path::Path,
};

use super::{
    builder::{Builder, SHEARED, fail, matrix},
    objects::Tree,
};
use crate::{
    gltf::ReadError,
    import::{Conversion, GlbBuilder, ImportFindings, NodeOut},
};
use ulna_model::{Diagnostics, Severity, Transform};

/// Converts the objects of a file to a GLB.
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
        glb: GlbBuilder::new(conversion),
        by_name: HashMap::new(),
        pending: Vec::new(),
        taken: HashMap::new(),
        textured: BTreeSet::new(),
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
    builder.found.clips.clone_from(&builder.glb.clips);
    let glb = builder.glb.finish(".x", conversion, true)?;
    Ok((glb, builder.found))
}

impl Builder<'_, '_> {
    /// Reads materials that are defined by name outside material lists. The lists refer to them by
    /// name.
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

    /// Converts frames to nodes, without recursion. Meshes that a frame refers to, and frames
    /// defined elsewhere, become its children.
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
