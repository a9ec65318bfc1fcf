//! `meshes[]` → meshes.

use bytemuck::AnyBitPattern;
use glam::{Vec2, Vec3, Vec4};
use indexmap::IndexMap;
use rayon::prelude::*;

use super::{
    ReadError,
    accessor::{Accessors, Component, Missing},
    draco, json, scene_extras, schema, weight_layer_extras,
};
use ulna_model::{
    Diagnostics, Mesh, MorphTarget, Primitive, Severity, Shared, Slice, Topology, WeightEncoding,
    WeightMap,
};

/// Reads one mesh. `counts`: how many materials and variants of materials the file has.
pub fn read(
    text: &str,
    index: usize,
    counts: (usize, usize),
    accessors: &mut Accessors<'_>,
    diagnostics: &mut Diagnostics,
) -> Result<Mesh, ReadError> {
    let place = format!("meshes/{index}");
    let mut repaired = false;
    let mesh: schema::Mesh = json::typed(text, &place, &mut repaired)?;
    if repaired {
        diagnostics.add(
            Severity::Warning,
            "ULNA_JSON_REPAIRED",
            &place,
            "Invalid JSON was repaired for display; the file is unchanged",
        );
    }
    if mesh.primitives.is_empty() {
        return Err(ReadError::at(place, "the mesh has no primitives"));
    }
    let targets = mesh.primitives.iter().map(|p| p.targets.len()).max().unwrap_or(0);
    let mut primitives = Vec::with_capacity(mesh.primitives.len());
    for (k, primitive) in mesh.primitives.iter().enumerate() {
        let here = format!("{place}/primitives/{k}");
        if primitive.targets.len() != targets {
            let message = format!(
                "The primitive has {} morph targets, but other primitives of the mesh have \
                    {targets}; the missing ones have no effect on it",
                primitive.targets.len()
            );
            diagnostics.add(
                Severity::Error,
                "MESH_PRIMITIVES_UNEQUAL_TARGETS_COUNT",
                &here,
                message,
            );
        }
        if let Some(material) = primitive.material.filter(|m| m.0 >= counts.0) {
            let message = format!(
                "Material {} does not exist; the primitive is displayed with the default material",
                material.0
            );
            diagnostics.add(Severity::Error, "UNRESOLVED_REFERENCE", &here, message);
        }
        let variants = scene_extras::mappings(&primitive.extensions, counts, &here, diagnostics);
        let mut reader = PrimitiveReader {
            raw: primitive,
            place: here.clone(),
            accessors,
            diagnostics,
            triangles: None,
        };
        let read = match reader.read() {
            Ok(read) => read,
            // What Draco packs and cannot be unpacked is a finding already.
            Err(Missing::Packed(draco::NAME)) => hidden(primitive),
            Err(Missing::Packed(extension)) => {
                let message = format!(
                    "The geometry is packed with {extension}; it stays in the file, but is \
                        not displayed"
                );
                diagnostics.add(Severity::Warning, "ULNA_PACKED", here, message);
                hidden(primitive)
            }
            Err(Missing::Refused(error @ ReadError::Empty { .. })) => {
                let message = format!(
                    "The primitive stays in the file, but is not displayed: {}",
                    error.fault()
                );
                diagnostics.add(
                    Severity::Error,
                    error.finding_code(),
                    error.place().unwrap_or(here),
                    message,
                );
                hidden(primitive)
            }
            Err(Missing::Refused(error)) => return Err(error),
        };
        let material = read.material.filter(|m| m.index() < counts.0);
        let mut all = read.targets.to_vec();
        all.resize(targets, MorphTarget::default());
        primitives.push(Primitive { variants, material, targets: all.into(), ..read });
    }
    if mesh.weights.len() > targets {
        let message = format!(
            "There are {} morph weights for {targets} morph targets; the extra weights are ignored",
            mesh.weights.len()
        );
        diagnostics.add(Severity::Error, "MESH_INVALID_WEIGHTS_COUNT", &place, message);
    }
    let default_weights = (0..targets)
        .map(|k| mesh.weights.get(k).copied().filter(|w| w.is_finite()).unwrap_or(0.0))
        .collect();
    let names: Vec<String> = mesh.extras.get("targetNames").unwrap_or_default();
    Ok(Mesh {
        name: mesh.name.map(Into::into),
        primitives,
        default_weights,
        target_names: names.into_iter().map(Into::into).collect(),
        kept_weight_layers: weight_layer_extras::read(&mesh.extras, &place, diagnostics)
            .map(Shared::new),
    })
}

/// A primitive of which nothing can be shown.
fn hidden(raw: &schema::Primitive) -> Primitive {
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

/// Joints, weights and the type of the weights.
type WeightSet = (Slice<u16>, Slice<f32>, WeightEncoding);

/// Whether a fault is of what was read alone, and not one of memory or of somebody who does not
/// want to wait.
const fn is_local(error: &ReadError) -> bool {
    matches!(error, ReadError::Place { .. } | ReadError::Empty { .. })
}

struct PrimitiveReader<'r, 'a> {
    raw: &'r schema::Primitive,
    place: String,
    accessors: &'r mut Accessors<'a>,
    diagnostics: &'r mut Diagnostics,
    /// The indices, where they were packed.
    triangles: Option<Vec<u32>>,
}

impl PrimitiveReader<'_, '_> {
    fn read(&mut self) -> Result<Primitive, Missing> {
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
        // Packing may have moved them a little.
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

    /// Unpacks what Draco packs. Where that fails and the accessors have their own data, those are
    /// shown.
    fn unpack(&mut self) -> Result<(), Missing> {
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

    /// An attribute that may be missing. What is wrong with it stays with it: it is kept and not
    /// shown.
    fn optional<T: AnyBitPattern>(
        &mut self,
        name: &str,
        count: usize,
        read: impl Fn(&mut Self, usize) -> Result<Slice<T>, Missing>,
    ) -> Result<Slice<T>, Missing> {
        let Some(index) = self.raw.attributes.get(name) else { return Ok(Slice::default()) };
        let (code, place, message) = match read(self, index.0) {
            Ok(list) if list.len() == count => return Ok(list),
            Ok(list) => {
                let message = format!(
                    "{name} has {} elements, but POSITION has {count}; it stays in the file, but \
                        is not displayed",
                    list.len()
                );
                ("MESH_PRIMITIVE_UNEQUAL_ACCESSOR_COUNT", self.place.clone(), message)
            }
            Err(Missing::Refused(error)) if is_local(&error) => {
                let message =
                    format!("{name} stays in the file, but is not displayed: {}", error.fault());
                (error.finding_code(), error.place().unwrap_or_else(|| self.place.clone()), message)
            }
            Err(error) => return Err(error),
        };
        self.diagnostics.add(Severity::Error, code, place, message);
        Ok(Slice::default())
    }

    fn floats(
        &mut self,
        index: usize,
        name: &str,
        widths: &[usize],
    ) -> Result<(Slice<f32>, usize), Missing> {
        let shape = self.accessors.shape(index, &self.place)?;
        if !widths.contains(&shape.width) {
            return Err(ReadError::at(
                &self.place,
                format!("{name} has {} components", shape.width),
            )
            .into());
        }
        let list = self.accessors.floats(index, &self.place)?;
        let bad = count_in(&list, |v| !v.is_finite());
        if bad == 0 {
            return Ok((list, shape.width));
        }
        let message = match bad {
            1 => format!("1 value of {name} is not a finite number; 0 is displayed"),
            _ => format!("{bad} values of {name} are not finite numbers; 0 is displayed"),
        };
        self.diagnostics.add(Severity::Error, "ACCESSOR_INVALID_FLOAT", &self.place, message);
        Ok((list.iter().map(|v| if v.is_finite() { *v } else { 0.0 }).collect(), shape.width))
    }

    fn vec3(&mut self, index: usize, name: &str) -> Result<Slice<Vec3>, Missing> {
        let (list, _) = self.floats(index, name, &[3])?;
        Ok(list.grouped(|v| Vec3::from_array(*v)))
    }

    fn vec4(&mut self, index: usize, name: &str) -> Result<Slice<Vec4>, Missing> {
        let (list, _) = self.floats(index, name, &[4])?;
        Ok(list.grouped(|v| Vec4::from_array(*v)))
    }

    fn vec2(&mut self, index: usize) -> Result<Slice<Vec2>, Missing> {
        let (list, _) = self.floats(index, "TEXCOORD", &[2])?;
        Ok(list.grouped(|v| Vec2::from_array(*v)))
    }

    fn colors(&mut self, index: usize) -> Result<Slice<Vec4>, Missing> {
        let (list, width) = self.floats(index, "COLOR_0", &[3, 4])?;
        Ok(list
            .chunks_exact(width)
            .map(|v| Vec4::new(v[0], v[1], v[2], v.get(3).copied().unwrap_or(1.0)))
            .collect())
    }

    fn indices(&mut self, vertices: usize) -> Result<Slice<u32>, Missing> {
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
        // All are looked at first, many at once.
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

    fn weights(&mut self, count: usize) -> Result<Option<Shared<WeightMap>>, Missing> {
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
                // Without the first the shape would be another one; without more it is about the
                // same.
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

    /// One set of joints and weights.
    fn weight_set(
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

    fn weight_map(
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
        // Sets of two types cannot sum to 1 in both; written again, they become floats.
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

    fn targets(&mut self, count: usize) -> Result<Shared<[MorphTarget]>, Missing> {
        let mut list = Vec::with_capacity(self.raw.targets.len());
        for (k, target) in self.raw.targets.iter().enumerate() {
            let mut read = |name: &str,
                            map: &IndexMap<String, json::Index>|
             -> Result<Slice<Vec3>, Missing> {
                let Some(index) = map.get(name) else { return Ok(Slice::default()) };
                let place = format!("{}/targets/{k}", self.place);
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

    /// Vectors that point nowhere.
    fn check_directions(&mut self, name: &str, shown: &str, lost: usize) {
        if lost > 0 {
            let message = format!("{lost} vectors of {name} have a length of 0; {shown}");
            self.diagnostics.add(
                Severity::Error,
                "ACCESSOR_VECTOR3_NON_UNIT",
                &self.place,
                message,
            );
        }
    }

    /// Triangles that cover nothing: no harm, but somebody may look for them.
    fn check_areas(&mut self, positions: &[Vec3], indices: &[u32]) {
        let triangles = indices.as_chunks::<3>().0;
        let count = count_in(triangles, |corner| {
            let [a, b, c] = *corner;
            let at = positions[a as usize];
            (positions[b as usize] - at).cross(positions[c as usize] - at) == Vec3::ZERO
        });
        if count > 0 {
            let message = format!("{count} of {} triangles have zero area", triangles.len());
            self.diagnostics.add(
                Severity::Info,
                "ACCESSOR_INDEX_TRIANGLE_DEGENERATE",
                &self.place,
                message,
            );
        }
    }

    /// Bounds that do not hold mislead programs that trust them.
    fn check_bounds(&mut self, index: usize, positions: &[Vec3]) {
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
                format!("accessors/{index}"),
                message,
            );
        }
    }
}

/// Elements that one core looks over before another may help.
const BLOCK: usize = 1 << 18;

/// How many elements are so: mostly none, which is seen many at once. Long lists on all cores.
pub fn count_in<T: Sync>(list: &[T], is: impl Fn(&T) -> bool + Sync) -> usize {
    let count = |part: &[T]| -> usize {
        let mut count = 0;
        for part in part.chunks(512) {
            let mut some = false;
            for v in part {
                some |= is(v);
            }
            if some {
                count += part.iter().filter(|v| is(v)).count();
            }
        }
        count
    };
    if list.len() <= BLOCK { count(list) } else { list.par_chunks(BLOCK).map(count).sum() }
}

/// All sets of joints and weights of a vertex after one another.
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

/// Strips, loops and fans as plain lists.
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
