//! Tangents for normal maps. They are computed if the file has none, and posed with the surface.
//!
//! glTF 2.0 (*Meshes overview*) specifies MikkTSpace for primitives without tangents. Its result is
//! one tangent per corner of a triangle, so vertices with different tangents are split for drawing.

use std::{collections::HashMap, ops::Range};

use glam::{Mat4, Vec2, Vec3, Vec4};

use super::Placement;
use ulna_model::{Primitive, Topology};

/// Data for normal mapping of a primitive: a tangent for each vertex, and the split vertices.
#[derive(Clone, Debug, PartialEq)]
pub struct Tangents {
    /// Tangents of all vertices, including appended copies. Each is a unit vector, with the sign of
    /// the bitangent in `w`.
    pub tangents: Vec<Vec4>,
    /// Source vertex of each appended copy. Copies follow the primitive's own vertices.
    pub copies: Vec<u32>,
    /// Corners of the triangles, as indices of the primitive's own and the appended vertices.
    pub indices: Vec<u32>,
}

impl Tangents {
    /// Returns the tangents of the file, or computes them with MikkTSpace for a set of texture
    /// coordinates. `None` without triangles, texture coordinates or normals.
    pub fn of(primitive: &Primitive, uv_set: u32) -> Option<Self> {
        let count = primitive.positions.len();
        if primitive.topology != Topology::Triangles
            || primitive.normals.len() != count
            || count == 0
        {
            return None;
        }
        if primitive.tangents.len() == count {
            let tangents = primitive.tangents.to_vec();
            return Some(Self {
                tangents,
                copies: Vec::new(),
                indices: primitive.indices.to_vec(),
            });
        }
        let uv = if uv_set == 1 { &primitive.uv1 } else { &primitive.uv0 };
        if uv.len() != count {
            return None;
        }
        let mut corners =
            Corners { primitive, uv, found: vec![Vec4::ZERO; primitive.indices.len()] };
        match bevy_mikktspace::generate_tangents(&mut corners) {
            Ok(()) => Some(Self::joined(primitive, &corners.found)),
            Err(error) => {
                log::warn!("tangents could not be computed: {error:?}");
                None
            }
        }
    }

    /// Merges the tangents of triangle corners to one tangent per vertex. If the corners of a
    /// vertex have different tangents, copies of the vertex are appended.
    fn joined(primitive: &Primitive, corners: &[Vec4]) -> Self {
        let count = primitive.positions.len();
        let mut tangents = vec![Vec4::ZERO; count];
        let mut copies = Vec::new();
        let mut further: HashMap<(u32, [u32; 4]), u32> = HashMap::new();
        let indices = primitive.indices.iter().zip(corners).map(|(vertex, tangent)| {
            let own = &mut tangents[*vertex as usize];
            if *own == Vec4::ZERO {
                *own = *tangent;
            }
            if *own == *tangent || *tangent == Vec4::ZERO {
                return *vertex;
            }
            *further.entry((*vertex, tangent.to_array().map(f32::to_bits))).or_insert_with(|| {
                copies.push((*vertex, *tangent));
                (count + copies.len() - 1) as u32
            })
        });
        let indices = indices.collect();
        tangents.extend(copies.iter().map(|(_, t)| *t));
        Self { tangents, copies: copies.into_iter().map(|(v, _)| v).collect(), indices }
    }

    /// Returns the posed tangents, transformed by `Σ w·T`. If this matrix mirrors, the sign of the
    /// bitangent changes.
    pub fn posed(&self, primitive: &Primitive, placement: &Placement) -> Vec<Vec4> {
        self.posed_some(primitive, placement, 0..self.tangents.len())
    }

    /// Returns the posed tangents of some vertices, as [`Self::posed`] does. Copies of split
    /// vertices follow the primitive's own vertices.
    pub fn posed_some(
        &self,
        primitive: &Primitive,
        placement: &Placement,
        vertices: Range<usize>,
    ) -> Vec<Vec4> {
        let own = primitive.positions.len();
        let source = |k: usize| if k < own { k } else { self.copies[k - own] as usize };
        let turn = |matrix: &Mat4, t: Vec4| {
            let turned = matrix.transform_vector3(t.truncate()).normalize_or_zero();
            let side = if mirrors(matrix) { -t.w } else { t.w };
            turned.extend(side)
        };
        match (placement, &primitive.weights) {
            (Placement::Skinned(palette), Some(weights)) => {
                let blend = |vertex: usize| {
                    let mut blended = Mat4::ZERO;
                    for (joint, weight) in weights.vertex(vertex).filter(|(_, w)| *w != 0.0) {
                        if let Some(matrix) = palette.get(usize::from(joint)) {
                            blended += *matrix * weight;
                        }
                    }
                    blended
                };
                vertices.map(|k| turn(&blend(source(k)), self.tangents[k])).collect()
            }
            (Placement::Rigid(matrix), _) => {
                self.tangents[vertices].iter().map(|t| turn(matrix, *t)).collect()
            }
            (Placement::Skinned(_), None) => self.tangents[vertices].to_vec(),
        }
    }
}

fn mirrors(matrix: &Mat4) -> bool {
    let [x, y, z] = [matrix.x_axis, matrix.y_axis, matrix.z_axis].map(Vec4::truncate);
    x.dot(y.cross(z)) < 0.0
}

/// Adapter of a primitive for MikkTSpace.
struct Corners<'a> {
    primitive: &'a Primitive,
    uv: &'a [Vec2],
    found: Vec<Vec4>,
}

impl Corners<'_> {
    fn vertex(&self, face: usize, corner: usize) -> usize {
        self.primitive.indices[face * 3 + corner] as usize
    }
}

impl bevy_mikktspace::Geometry for Corners<'_> {
    fn num_faces(&self) -> usize {
        self.primitive.indices.len() / 3
    }

    fn num_vertices_of_face(&self, _: usize) -> usize {
        3
    }

    fn position(&self, face: usize, corner: usize) -> [f32; 3] {
        self.primitive.positions[self.vertex(face, corner)].into()
    }

    fn normal(&self, face: usize, corner: usize) -> [f32; 3] {
        self.primitive.normals[self.vertex(face, corner)].into()
    }

    fn tex_coord(&self, face: usize, corner: usize) -> [f32; 2] {
        // glTF's v axis points down in the texture. The bitangent of its normal maps points up.
        let uv = self.uv[self.vertex(face, corner)];
        [uv.x, 1.0 - uv.y]
    }

    fn set_tangent(
        &mut self,
        tangent: Option<bevy_mikktspace::TangentSpace>,
        face: usize,
        corner: usize,
    ) {
        // `None` if a triangle has no area in space or in the texture. Its normal map then has no
        // effect.
        let Some(tangent) = tangent else { return };
        let [x, y, z, w] = tangent.tangent_encoded();
        let direction = Vec3::new(x, y, z).normalize_or_zero();
        if direction != Vec3::ZERO {
            self.found[face * 3 + corner] = direction.extend(w);
        }
    }
}

#[cfg(test)]
mod tests {
    use glam::Quat;

    use super::*;
    use ulna_model::{Shared, Slice, Topology};

    /// Creates a square in the plane of x and y. The texture coordinate v grows downward, as in
    /// glTF.
    fn square(uv: [Vec2; 4]) -> Primitive {
        let positions = [Vec3::ZERO, Vec3::X, Vec3::new(1.0, 1.0, 0.0), Vec3::Y];
        Primitive {
            topology: Topology::Triangles,
            positions: positions.into(),
            normals: [Vec3::Z; 4].into(),
            tangents: Slice::default(),
            uv0: uv.into(),
            uv1: Slice::default(),
            colors: Slice::default(),
            indices: [0, 1, 2, 0, 2, 3].into(),
            material: None,
            variants: Shared::default(),
            targets: Shared::default(),
            weights: None,
        }
    }

    fn upright() -> [Vec2; 4] {
        [Vec2::new(0.0, 1.0), Vec2::ONE, Vec2::new(1.0, 0.0), Vec2::ZERO]
    }

    #[test]
    fn the_tangent_follows_u_and_the_bitangent_points_up_in_the_texture() {
        let made = Tangents::of(&square(upright()), 0).unwrap();
        assert!(made.copies.is_empty());
        for t in &made.tangents {
            assert!(t.truncate().distance(Vec3::X) < 1e-6);
            let bitangent = Vec3::Z.cross(t.truncate()) * t.w;
            assert!(bitangent.distance(Vec3::Y) < 1e-6, "{bitangent}");
        }
    }

    #[test]
    fn mirrored_texture_coordinates_flip_the_tangent() {
        let mirrored = upright().map(|uv| Vec2::new(1.0 - uv.x, uv.y));
        let made = Tangents::of(&square(mirrored), 0).unwrap();
        for t in &made.tangents {
            assert!(t.truncate().distance(-Vec3::X) < 1e-6);
            assert!((Vec3::Z.cross(t.truncate()) * t.w).distance(Vec3::Y) < 1e-6);
        }
    }

    #[test]
    fn a_vertex_on_a_mirror_line_is_split_and_its_copy_refers_to_it() {
        // The texture coordinates of the second triangle are mirrored at the shared diagonal.
        let uv = [Vec2::new(0.0, 1.0), Vec2::ONE, Vec2::new(0.0, 0.0), Vec2::ONE];
        let made = Tangents::of(&square(uv), 0).unwrap();
        assert_eq!(made.tangents.len(), 4 + made.copies.len());
        assert!(!made.copies.is_empty());
        let square = square(uv);
        for (shown, stored) in made.indices.iter().zip(square.indices.iter()) {
            let origin = if *shown < 4 { *shown } else { made.copies[*shown as usize - 4] };
            assert_eq!(origin, *stored);
        }
    }

    #[test]
    fn triangles_without_texture_area_give_no_nan() {
        let made = Tangents::of(&square([Vec2::ZERO; 4]), 0).unwrap();
        assert!(made.tangents.iter().all(|t| t.is_finite()));
    }

    #[test]
    fn posed_tangents_turn_with_the_surface_and_flip_with_a_mirror() {
        let square = square(upright());
        let made = Tangents::of(&square, 0).unwrap();
        let turn = Mat4::from_quat(Quat::from_rotation_z(1.0))
            * Mat4::from_scale(Vec3::new(-2.0, 1.0, 1.0));
        for (before, after) in
            made.tangents.iter().zip(made.posed(&square, &Placement::Rigid(turn)))
        {
            let wanted = turn.transform_vector3(before.truncate()).normalize_or_zero();
            assert!(after.truncate().distance(wanted) < 1e-6);
            assert_eq!(after.w, -before.w);
        }
    }
}
