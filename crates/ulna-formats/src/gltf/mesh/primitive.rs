//! Reads one primitive of a mesh.

use glam::{Vec3, Vec4};
use indexmap::IndexMap;

use super::{
    super::{
        ReadError,
        accessor::{Component, Missing},
        draco, json, schema,
    },
    count::count_in,
    reader::{PrimitiveReader, is_local},
};
use ulna_model::{MorphTarget, Primitive, Severity, Shared, Slice, Topology};

impl PrimitiveReader<'_, '_> {
    pub(super) fn read(&mut self) -> Result<Primitive, Missing> {
        let mode = self.raw.mode.map_or(4, |m| m.0);
        if mode > 6 {
            return Err(ReadError::at(&self.place, format!("mode {mode} is unknown")).into());
        }
        self.unpack()?;
        let mode = if self.triangles.is_some() { 4 } else { mode };
        let Some(position) = self.raw.attributes.get("POSITION") else {
            let message =
                "The primitive has no vertex positions; it stays in the file, but is not displayed";
            self.diagnostics.add(
                Severity::Warning,
                "MESH_PRIMITIVE_NO_POSITION",
                &self.place,
                message,
            );
            return Ok(hidden(self.raw));
        };
        let positions = self.vec3(position.0, "POSITION")?;
        let count = positions.len();
        // Compression may have rounded the positions, so bounds are checked only without it.
        if self.triangles.is_none() {
            self.check_bounds(position.0, &positions);
        }
        let normals = self.optional("NORMAL", count, |s, i| s.vec3(i, "NORMAL"))?;
        let tangents = self.optional("TANGENT", count, |s, i| s.vec4(i, "TANGENT"))?;
        let uv0 = self.optional("TEXCOORD_0", count, |s, i| s.vec2(i))?;
        let uv1 = self.optional("TEXCOORD_1", count, |s, i| s.vec2(i))?;
        let colors = self.optional("COLOR_0", count, |s, i| s.colors(i))?;
        let weights = self.weights(count)?;
        let indices = self.indices(count)?;
        let (topology, indices) = unroll(mode, indices);
        let indices = if topology == Topology::Triangles && indices.len() % 3 != 0 {
            let message = format!(
                "The number of indices, {}, is not a multiple of 3; the last indices are ignored",
                indices.len()
            );
            self.diagnostics.add(
                Severity::Error,
                "MESH_PRIMITIVE_INCOMPATIBLE_MODE",
                &self.place,
                message,
            );
            indices[..indices.len() / 3 * 3].into()
        } else {
            indices
        };
        let lost = count_in(&normals, |n| *n == Vec3::ZERO);
        self.check_directions("NORMAL", "triangle normals are displayed instead", lost);
        let lost = count_in(&tangents, |t| t.truncate() == Vec3::ZERO);
        self.check_directions("TANGENT", "the normal map is not displayed there", lost);
        if topology == Topology::Triangles {
            self.check_areas(&positions, &indices);
        }
        let targets = self.targets(count)?;
        Ok(Primitive {
            topology,
            positions,
            normals,
            tangents,
            uv0,
            uv1,
            colors,
            indices,
            material: self.raw.material.map(|m| m.0.into()),
            variants: Shared::default(),
            targets,
            weights,
        })
    }

    /// Unpacks Draco data. If this fails, the uncompressed data of the accessors is used, if there
    /// is any.
    pub(super) fn unpack(&mut self) -> Result<(), Missing> {
        let mut why = String::new();
        match draco::unpack(self.raw, &self.place, self.accessors, &mut why) {
            Ok(triangles) => self.triangles = triangles,
            Err(Missing::Packed(extension)) => {
                let plain = self
                    .raw
                    .attributes
                    .get("POSITION")
                    .is_some_and(|a| self.accessors.has_view(a.0));
                let shown = if plain {
                    "the unpacked copy is displayed"
                } else {
                    "it stays in the file, but is not displayed"
                };
                let message = format!(
                    "The geometry packed with {extension} cannot be unpacked: {why}; {shown}"
                );
                self.diagnostics.add(Severity::Error, "ULNA_PACKED", &self.place, message);
                if !plain {
                    return Err(Missing::Packed(extension));
                }
            }
            Err(refused) => return Err(refused),
        }
        Ok(())
    }

    pub(super) fn colors(&mut self, index: usize) -> Result<Slice<Vec4>, Missing> {
        let (list, width) = self.floats(index, "COLOR_0", &[3, 4])?;
        Ok(list
            .chunks_exact(width)
            .map(|v| Vec4::new(v[0], v[1], v[2], v.get(3).copied().unwrap_or(1.0)))
            .collect())
    }

    pub(super) fn indices(&mut self, vertices: usize) -> Result<Slice<u32>, Missing> {
        if let Some(triangles) = self.triangles.take() {
            return Ok(triangles.into());
        }
        let Some(index) = self.raw.indices else {
            return Ok((0..u32::try_from(vertices).unwrap_or(u32::MAX)).collect());
        };
        let shape = self.accessors.shape(index.0, &self.place)?;
        if shape.width != 1
            || !matches!(shape.component, Component::U8 | Component::U16 | Component::U32)
        {
            return Err(ReadError::at(&self.place, "its indices are not unsigned integers").into());
        }
        let list = self.accessors.integers(index.0, &self.place)?;
        // Invalid indices are counted first, which is fast for valid lists.
        if count_in(&list, |i| *i as usize >= vertices) > 0
            && let Some(past) = list.iter().find(|i| **i as usize >= vertices)
        {
            return Err(ReadError::at(
                &self.place,
                format!(
                    "its indices refer to vertex {past}, but there are only {vertices} vertices"
                ),
            )
            .into());
        }
        Ok(list)
    }

    pub(super) fn targets(&mut self, count: usize) -> Result<Shared<[MorphTarget]>, Missing> {
        let mut list = Vec::with_capacity(self.raw.targets.len());
        for (k, target) in self.raw.targets.iter().enumerate() {
            let mut read = |name: &str,
                            map: &IndexMap<String, json::Index>|
             -> Result<Slice<Vec3>, Missing> {
                let Some(index) = map.get(name) else { return Ok(Slice::default()) };
                let place = self.place.item("targets", k);
                let (code, place, why) = match self.vec3(index.0, name) {
                    Ok(deltas) if deltas.len() == count => return Ok(deltas),
                    Ok(deltas) => {
                        let why =
                            format!("it has {} elements, but POSITION has {count}", deltas.len());
                        ("MESH_PRIMITIVE_MORPH_TARGET_INVALID_ATTRIBUTE_COUNT", place, why)
                    }
                    Err(Missing::Refused(error)) if is_local(&error) => {
                        (error.finding_code(), error.place().unwrap_or(place), error.fault())
                    }
                    Err(error) => return Err(error),
                };
                let message =
                    format!("{name} of morph target {k} stays in the file, but is ignored: {why}");
                self.diagnostics.add(Severity::Error, code, place, message);
                Ok(Slice::default())
            };
            list.push(MorphTarget {
                positions: read("POSITION", target)?,
                normals: read("NORMAL", target)?,
            });
        }
        Ok(list.into())
    }
}

/// Placeholder for a primitive that cannot be displayed.
pub(super) fn hidden(raw: &schema::Primitive) -> Primitive {
    Primitive {
        topology: Topology::Points,
        positions: Slice::default(),
        normals: Slice::default(),
        tangents: Slice::default(),
        uv0: Slice::default(),
        uv1: Slice::default(),
        colors: Slice::default(),
        indices: Slice::default(),
        material: raw.material.map(|m| m.0.into()),
        variants: Shared::default(),
        targets: raw.targets.iter().map(|_| MorphTarget::default()).collect(),
        weights: None,
    }
}

/// Converts strips, loops and fans to lists of triangles or lines.
fn unroll(mode: usize, list: Slice<u32>) -> (Topology, Slice<u32>) {
    let n = list.len();
    match mode {
        0 => (Topology::Points, list),
        1 => {
            let even = n / 2 * 2;
            (Topology::Lines, list[..even].into())
        }
        2 | 3 => {
            let mut out: Vec<u32> = list.windows(2).flatten().copied().collect();
            if mode == 2 && n > 2 {
                out.extend([list[n - 1], list[0]]);
            }
            (Topology::Lines, out.into())
        }
        5 => {
            let flip = |(k, w): (usize, &[u32])| {
                if k % 2 == 0 { [w[0], w[1], w[2]] } else { [w[1], w[0], w[2]] }
            };
            (Topology::Triangles, list.windows(3).enumerate().flat_map(flip).collect())
        }
        6 => {
            let rim = list.get(1..).unwrap_or_default();
            (Topology::Triangles, rim.windows(2).flat_map(|w| [w[0], w[1], list[0]]).collect())
        }
        _ => (Topology::Triangles, list),
    }
}
