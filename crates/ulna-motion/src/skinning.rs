//! Morphing and linear blend skinning on the CPU. It is the reference for the GPU skinning, and
//! replaces it if there is no hardware GPU.

use glam::{Mat3, Mat4, Vec3, Vec3A, Vec4};
use rayon::prelude::*;

use super::Pose;
#[cfg(target_arch = "x86_64")]
use super::skin8::{EIGHT, Skinner};
use ulna_model::{Document, NodeId, Primitive, Slice, Topology, WeightMap};

/// Morphed and skinned vertices of a primitive in scene space.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Posed {
    /// Positions, meters.
    pub positions: Vec<Vec3>,
    /// Unit normals; zero if a normal has no direction.
    pub normals: Vec<Vec3>,
}

/// Transform of a mesh to the scene.
#[derive(Clone, Debug, PartialEq)]
pub enum Placement {
    /// World matrix of the mesh's node.
    Rigid(Mat4),
    /// Skinning matrices (`scene_from_mesh`), one per joint.
    Skinned(Vec<Mat4>),
}

impl Placement {
    /// Finds the placement of a primitive of a node. The transform of a skinned mesh's own node is
    /// ignored (glTF 2.0, *Joint Hierarchy*). A primitive without weights above 0 is rigid, even if
    /// its node has a skin.
    pub fn of(document: &Document, pose: &Pose, node: NodeId, primitive: &Primitive) -> Self {
        match (document.node(node).skin, &primitive.weights) {
            (Some(skin), Some(weights)) if !weights.is_bare() => {
                Self::Skinned(pose.palette(document, skin))
            }
            _ => Self::Rigid(pose.world[node.index()]),
        }
    }
}

/// Returns `scene_from_mesh` of each instance of a node's mesh. `None` if the mesh is not
/// instanced, or is skinned.
pub fn instances(document: &Document, pose: &Pose, node: NodeId) -> Option<Vec<Mat4>> {
    let found = document.node(node);
    let list = found.instances.as_ref().filter(|_| found.skin.is_none())?;
    Some(list.iter().map(|instance| pose.world[node.index()] * instance.matrix()).collect())
}

/// Minimum number of vertices for multithreading.
const PARALLEL: usize = 16_384;
/// Number of vertices per parallel task.
const CHUNK: usize = 4_096;

/// Morphs and skins a primitive: `p' = Σ w·T·p`. Normals are transformed by the cofactor matrix of
/// `Σ w·T` times the sign of its determinant.
///
/// `base_normals` are the primitive's own or its flat normals, one per vertex. Joints outside of
/// the palette are ignored.
pub fn skin(
    primitive: &Primitive,
    base_normals: &[Vec3],
    morphs: &[f32],
    placement: &Placement,
    out: &mut Posed,
) {
    let count = primitive.positions.len();
    let moved = primitive.targets.iter().zip(morphs).any(|(_, w)| *w != 0.0);
    if !moved
        && base_normals.len() == count
        && let (Placement::Skinned(palette), Some(weights)) = (placement, &primitive.weights)
        && let Some(blend) = Blend::new(palette, weights)
    {
        out.positions.resize(count, Vec3::ZERO);
        out.normals.resize(count, Vec3::ZERO);
        blend.skin(&primitive.positions, base_normals, &mut out.positions, &mut out.normals);
        return;
    }
    out.positions.clear();
    out.normals.clear();
    out.positions.extend_from_slice(&primitive.positions);
    out.normals.extend_from_slice(base_normals);
    out.normals.resize(count, Vec3::ZERO);
    for (target, weight) in primitive.targets.iter().zip(morphs).filter(|(_, w)| **w != 0.0) {
        for (p, d) in out.positions.iter_mut().zip(target.positions.iter()) {
            *p += *d * *weight;
        }
        for (n, d) in out.normals.iter_mut().zip(target.normals.iter()) {
            *n += *d * *weight;
        }
    }
    match (placement, &primitive.weights) {
        (Placement::Skinned(palette), Some(weights)) => match Blend::new(palette, weights) {
            Some(blend) => {
                let (positions, normals) = (out.positions.clone(), out.normals.clone());
                blend.skin(&positions, &normals, &mut out.positions, &mut out.normals);
                return;
            }
            None => one_by_one(palette, weights, out),
        },
        (Placement::Rigid(matrix), _) => {
            let turn = normal_matrix(matrix);
            for (p, n) in out.positions.iter_mut().zip(&mut out.normals) {
                *p = matrix.transform_point3(*p);
                *n = turn * *n;
            }
        }
        // Skinning matrices without weights: no transform is applied. `Placement::of` does not
        // create this case.
        (Placement::Skinned(_), None) => {}
    }
    for normal in &mut out.normals {
        *normal = normal.normalize_or_zero();
    }
}

/// Skins vertices one by one, and skips weights of 0. Used if a matrix of the palette is not
/// finite, because its product with 0 would not be 0.
fn one_by_one(palette: &[Mat4], weights: &WeightMap, out: &mut Posed) {
    for (vertex, (position, normal)) in out.positions.iter_mut().zip(&mut out.normals).enumerate() {
        let blended = blended(palette, weights, vertex);
        // `transform_point3` ignores w. With a sum of weights other than 1, the translation must be
        // scaled like the rest.
        *position = (blended * position.extend(1.0)).truncate();
        *normal = normal_matrix(&blended) * *normal;
    }
}

/// Blends the skinning matrices of one vertex: `Σ w·T`.
pub(super) fn blended(palette: &[Mat4], weights: &WeightMap, vertex: usize) -> Mat4 {
    let mut blended = Mat4::ZERO;
    for (joint, weight) in weights.vertex(vertex) {
        if weight != 0.0
            && let Some(matrix) = palette.get(usize::from(joint))
        {
            blended += *matrix * weight;
        }
    }
    blended
}

/// Skins some vertices of a primitive like [`skin`], into an existing posed surface. The results
/// differ from those of `skin` by rounding.
pub fn skin_some(
    primitive: &Primitive,
    base_normals: &[Vec3],
    morphs: &[f32],
    placement: &Placement,
    vertices: &[u32],
    out: &mut Posed,
) {
    let placed = |vertex: &u32| {
        let vertex = *vertex as usize;
        let mut p = primitive.positions[vertex];
        let mut n = base_normals.get(vertex).copied().unwrap_or(Vec3::ZERO);
        for (target, weight) in primitive.targets.iter().zip(morphs).filter(|(_, w)| **w != 0.0) {
            p += target.positions.get(vertex).map_or(Vec3::ZERO, |d| *d * *weight);
            n += target.normals.get(vertex).map_or(Vec3::ZERO, |d| *d * *weight);
        }
        let matrix = match (placement, &primitive.weights) {
            (Placement::Skinned(palette), Some(weights)) => blended(palette, weights, vertex),
            (Placement::Rigid(matrix), _) => *matrix,
            (Placement::Skinned(_), None) => Mat4::IDENTITY,
        };
        place([matrix.x_axis, matrix.y_axis, matrix.z_axis, matrix.w_axis], p, n)
    };
    let list: Vec<(Vec3, Vec3)> = if vertices.len() < PARALLEL {
        vertices.iter().map(placed).collect()
    } else {
        vertices.par_iter().map(placed).collect()
    };
    for (vertex, (p, n)) in vertices.iter().zip(list) {
        (out.positions[*vertex as usize], out.normals[*vertex as usize]) = (p, n);
    }
}

/// Weights and matrices for skinning, in a layout that vector instructions can read without a
/// branch per weight.
struct Blend<'a> {
    /// Columns of the palette's matrices. The last matrix is zero, for joints outside of the
    /// palette.
    palette: Vec<[Vec4; 4]>,
    weights: &'a WeightMap,
}

impl<'a> Blend<'a> {
    /// Prepares a palette and weights. `None` if a matrix is not finite, since its product with a
    /// weight of 0 would not be 0.
    fn new(palette: &[Mat4], weights: &'a WeightMap) -> Option<Self> {
        if !palette.iter().all(|m| m.is_finite()) || weights.stride() == 0 {
            return None;
        }
        let columns = |m: &Mat4| [m.x_axis, m.y_axis, m.z_axis, m.w_axis];
        let palette = palette.iter().map(columns).chain([[Vec4::ZERO; 4]]).collect();
        Some(Self { palette, weights })
    }

    fn skin(
        &self,
        positions: &[Vec3],
        normals: &[Vec3],
        out: &mut [Vec3],
        out_normals: &mut [Vec3],
    ) {
        let run = |first: usize, out: &mut [Vec3], out_normals: &mut [Vec3]| {
            let stride = self.weights.stride();
            let range = first..first + out.len();
            let slots = range.start * stride..range.end * stride;
            let (joints, weights) =
                (&self.weights.joints[slots.clone()], &self.weights.weights[slots]);
            let (positions, normals) = (&positions[range.clone()], &normals[range]);
            let sums = Sums { palette: &self.palette };
            // Number of vertices that were skinned in blocks of eight.
            #[cfg(target_arch = "x86_64")]
            let mut done = 0;
            #[cfg(not(target_arch = "x86_64"))]
            let done = 0;
            if stride == 4 {
                let (joints, weights) = (joints.as_chunks::<4>().0, weights.as_chunks::<4>().0);
                #[cfg(target_arch = "x86_64")]
                if let Some(skinner) = Skinner::new(&self.palette) {
                    let slots = |k: usize| (&joints[k][..], &weights[k][..]);
                    skinner.skin(slots, positions, normals, out, out_normals);
                    done = out.len() / EIGHT * EIGHT;
                }
                for k in done..out.len() {
                    (out[k], out_normals[k]) =
                        place(sums.of(&joints[k], &weights[k]), positions[k], normals[k]);
                }
            } else {
                let slots =
                    |k: usize| (&joints[k * stride..][..stride], &weights[k * stride..][..stride]);
                #[cfg(target_arch = "x86_64")]
                if let Some(skinner) = Skinner::new(&self.palette) {
                    skinner.skin(slots, positions, normals, out, out_normals);
                    done = out.len() / EIGHT * EIGHT;
                }
                for k in done..out.len() {
                    let (joints, weights) = slots(k);
                    (out[k], out_normals[k]) =
                        place(sums.of(joints, weights), positions[k], normals[k]);
                }
            }
        };
        if out.len() < PARALLEL {
            run(0, out, out_normals);
            return;
        }
        let chunks = out.par_chunks_mut(CHUNK).zip(out_normals.par_chunks_mut(CHUNK)).enumerate();
        chunks.for_each(|(k, (out, normals))| run(k * CHUNK, out, normals));
    }
}

/// Blends matrices by weights.
struct Sums<'a> {
    palette: &'a [[Vec4; 4]],
}

impl Sums<'_> {
    /// Blends the matrices of one vertex, `Σ w·T`, and returns the columns. Joints outside of the
    /// palette use the zero matrix at its end.
    #[inline(always)]
    fn of(&self, joints: &[u16], weights: &[f32]) -> [Vec4; 4] {
        let none = self.palette.len() - 1;
        let mut m = [Vec4::ZERO; 4];
        let count = joints.len().min(weights.len());
        let (joints, weights) = (&joints[..count], &weights[..count]);
        for k in 0..count {
            let matrix = &self.palette[usize::from(joints[k]).min(none)];
            let weight = Vec4::splat(weights[k]);
            m = [
                m[0] + matrix[0] * weight,
                m[1] + matrix[1] * weight,
                m[2] + matrix[2] * weight,
                m[3] + matrix[3] * weight,
            ];
        }
        m
    }
}

/// Transforms a position and a normal by a blended matrix. The position is not divided by the sum
/// of weights, since a sum other than 1 must scale the translation, too.
#[inline(always)]
fn place(m: [Vec4; 4], p: Vec3, n: Vec3) -> (Vec3, Vec3) {
    let position =
        (m[0] * Vec4::splat(p.x) + m[1] * Vec4::splat(p.y) + m[2] * Vec4::splat(p.z) + m[3])
            .truncate();
    let [x, y, z] = [Vec3A::from_vec4(m[0]), Vec3A::from_vec4(m[1]), Vec3A::from_vec4(m[2])];
    let (yz, zx, xy) = (y.cross(z), z.cross(x), x.cross(y));
    let turned = yz * n.x + zx * n.y + xy * n.z;
    let side = if x.dot(yz) < 0.0 { -1.0 } else { 1.0 };
    (position, Vec3::from((turned * side).normalize_or_zero()))
}

/// Returns the cofactor matrix of the 3×3 part, times the sign of its determinant. It transforms
/// normals correctly under any scale, including mirrored ones, and needs no inverse.
pub fn normal_matrix(matrix: &Mat4) -> Mat3 {
    let (x, y, z) = (matrix.x_axis.truncate(), matrix.y_axis.truncate(), matrix.z_axis.truncate());
    let cofactor = Mat3::from_cols(y.cross(z), z.cross(x), x.cross(y));
    if x.dot(y.cross(z)) < 0.0 { cofactor * -1.0 } else { cofactor }
}

/// Returns the base normals of a primitive, which are those of the file. If they are missing or
/// some are zero, flat normals are summed over the triangles of each vertex. They are zero for
/// triangles without area.
pub fn base_normals(primitive: &Primitive) -> Slice<Vec3> {
    let own = primitive.normals.len() == primitive.positions.len();
    if own && primitive.normals.iter().all(|n| *n != Vec3::ZERO) {
        return primitive.normals.clone();
    }
    let mut normals = vec![Vec3::ZERO; primitive.positions.len()];
    if primitive.topology == Topology::Triangles {
        for corner in primitive.indices.chunks_exact(3) {
            let [a, b, c] = [corner[0] as usize, corner[1] as usize, corner[2] as usize];
            let p = &primitive.positions;
            let face = (p[b] - p[a]).cross(p[c] - p[a]);
            for v in [a, b, c] {
                normals[v] += face;
            }
        }
    }
    let made = normals.into_iter().map(Vec3::normalize_or_zero);
    if own {
        made.zip(primitive.normals.iter())
            .map(|(made, own)| if *own == Vec3::ZERO { made } else { *own })
            .collect()
    } else {
        made.collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn normals_stay_perpendicular_under_nonuniform_and_mirrored_scale() {
        let matrix = Mat4::from_scale_rotation_translation(
            Vec3::new(-2.0, 0.5, 3.0),
            glam::Quat::from_euler(glam::EulerRot::XYZ, 0.3, 1.1, -0.4),
            Vec3::ONE,
        );
        let (a, b) = (Vec3::new(1.0, 2.0, -1.0), Vec3::new(0.0, 1.0, 3.0));
        let normal = normal_matrix(&matrix) * a.cross(b);
        assert!(normal.dot(matrix.transform_vector3(a)).abs() < 1e-4);
        assert!(normal.dot(matrix.transform_vector3(b)).abs() < 1e-4);
        // The outer side of the triangle stays the outer side, even in a mirrored space.
        assert!(normal.dot(matrix.transform_vector3(a.cross(b))) > 0.0);
    }

    #[test]
    fn skinning_many_vertices_equals_skinning_each() {
        let number = |k: usize| (k as f32 * 12.9898).sin() * 43758.547 % 1.0;
        let point = |k: usize| Vec3::new(number(k), number(k + 1), number(k + 2));
        let palette: Vec<Mat4> = (0..40)
            .map(|k| {
                // The matrices include non-uniform, mirrored and flat ones.
                let turn =
                    glam::Quat::from_euler(glam::EulerRot::XYZ, k as f32, k as f32 * 0.7, 0.3);
                let scale = if k % 11 == 0 { Vec3::new(1.0, 0.0, 1.0) } else { point(k) * 2.0 };
                Mat4::from_scale_rotation_translation(scale, turn, point(k * 5))
            })
            .collect();
        for (count, sets) in [(7, 1), (8, 1), (1027, 1), (515, 2)] {
            let stride = sets * 4;
            // A few joints are outside of the palette, and the sums of weights are not 1.
            let joints: Vec<u16> = (0..count * stride).map(|k| (k * 7 % 43) as u16).collect();
            let weights: Vec<f32> = (0..count * stride).map(|k| number(k).abs() * 0.4).collect();
            let map = WeightMap {
                sets,
                joints: joints.into(),
                weights: weights.into(),
                ..WeightMap::default()
            };
            let positions: Vec<Vec3> = (0..count).map(|k| point(k * 3)).collect();
            let mut normals: Vec<Vec3> =
                (0..count).map(|k| point(k * 3 + 1).normalize_or_zero()).collect();
            normals[3] = Vec3::ZERO;
            let (mut out, mut out_normals) = (vec![Vec3::NAN; count], vec![Vec3::NAN; count]);
            let blend = Blend::new(&palette, &map).unwrap();
            blend.skin(&positions, &normals, &mut out, &mut out_normals);
            for k in 0..count {
                let mut blended = Mat4::ZERO;
                for (joint, weight) in map.vertex(k) {
                    blended +=
                        palette.get(usize::from(joint)).copied().unwrap_or(Mat4::ZERO) * weight;
                }
                let wanted = (blended * positions[k].extend(1.0)).truncate();
                assert!((out[k] - wanted).length() < 2e-6, "{k} of {count}: {} {wanted}", out[k]);
                let turned = normal_matrix(&blended).as_dmat3() * normals[k].as_dvec3();
                if turned.length() < 1e-3 {
                    // The exact vector is too short for a direction in f32, so the result is at
                    // most of unit length.
                    assert!(out_normals[k].length() < 1.001, "{k} of {count}");
                    continue;
                }
                let wanted = turned.as_vec3().normalize_or_zero();
                assert!(
                    (out_normals[k] - wanted).length() < 1e-3,
                    "{k} of {count}: {} {wanted}",
                    out_normals[k]
                );
            }
            assert_eq!(out_normals[3], Vec3::ZERO);
        }
    }
}
