//! Morphing and linear blend skinning on the CPU: the judge of the GPU's, and its stand-in on software adapters.

use std::sync::Arc;

use glam::{Mat3, Mat4, Vec3};

use super::Pose;
use crate::model::{Document, NodeId, Primitive, Topology};

/// A primitive's surface in scene space.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Posed {
    /// Positions, metres.
    pub positions: Vec<Vec3>,
    /// Unit normals (zero where there is no direction).
    pub normals: Vec<Vec3>,
}

/// How a node's mesh gets to the scene.
#[derive(Clone, Debug, PartialEq)]
pub enum Placement {
    /// By the node's own world matrix.
    Rigid(Mat4),
    /// By the joints of its skin: `scene_from_mesh`, one a joint.
    Skinned(Vec<Mat4>),
}

impl Placement {
    /// How a primitive under a node is placed. A skinned mesh's own node does not count (glTF 2.0, *Joint Hierarchy*);
    /// a primitive without weights is rigid whatever its node says.
    pub fn of(document: &Document, pose: &Pose, node: NodeId, primitive: &Primitive) -> Self {
        match (document.node(node).skin, &primitive.weights) {
            (Some(skin), Some(_)) => Self::Skinned(pose.palette(document, skin)),
            _ => Self::Rigid(pose.world[node.index()]),
        }
    }
}

/// Where a node's instances are, `scene_from_mesh` each; nothing where its mesh is shown once, as under a skin.
pub fn instances(document: &Document, pose: &Pose, node: NodeId) -> Option<Vec<Mat4>> {
    let found = document.node(node);
    let list = found.instances.as_ref().filter(|_| found.skin.is_none())?;
    Some(list.iter().map(|instance| pose.world[node.index()] * instance.matrix()).collect())
}

/// Morphs and places a primitive: `p' = Σ w·T·p`, normals by the cofactor matrix of `Σ w·T` times the sign of its
/// determinant.
///
/// `base_normals` are the primitive's own or the flat ones made for it, one a vertex. Joints past the palette are
/// ignored.
pub fn skin(primitive: &Primitive, base_normals: &[Vec3], morphs: &[f32], placement: &Placement, out: &mut Posed) {
    let count = primitive.positions.len();
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
        (Placement::Skinned(palette), Some(weights)) => {
            for vertex in 0..count {
                let mut blended = Mat4::ZERO;
                for (joint, weight) in weights.vertex(vertex) {
                    if weight != 0.0
                        && let Some(matrix) = palette.get(usize::from(joint))
                    {
                        blended += *matrix * weight;
                    }
                }
                // Not transform_point3: it divides by nothing, but a sum of weights that is not 1 must scale the
                // translation as it does the rest.
                let p = blended * out.positions[vertex].extend(1.0);
                out.positions[vertex] = p.truncate();
                out.normals[vertex] = normal_matrix(&blended) * out.normals[vertex];
            }
        }
        (Placement::Rigid(matrix), _) => {
            let turn = normal_matrix(matrix);
            for (p, n) in out.positions.iter_mut().zip(&mut out.normals) {
                *p = matrix.transform_point3(*p);
                *n = turn * *n;
            }
        }
        // Nothing moves it; `Placement::of` does not make this.
        (Placement::Skinned(_), None) => {}
    }
    for normal in &mut out.normals {
        *normal = normal.normalize_or_zero();
    }
}

/// The cofactor matrix of the 3×3 part, times the sign of its determinant: turns normals rightly under any scale,
/// mirrored too, and needs no inverse.
pub fn normal_matrix(matrix: &Mat4) -> Mat3 {
    let (x, y, z) = (matrix.x_axis.truncate(), matrix.y_axis.truncate(), matrix.z_axis.truncate());
    let cofactor = Mat3::from_cols(y.cross(z), z.cross(x), x.cross(y));
    if x.dot(y.cross(z)) < 0.0 { cofactor * -1.0 } else { cofactor }
}

/// The normals to start from: the file's, or where it has none or one without a direction, flat ones summed over the
/// triangles of a vertex; zero where those have no area either.
pub fn base_normals(primitive: &Primitive) -> Arc<[Vec3]> {
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
        made.zip(primitive.normals.iter()).map(|(made, own)| if *own == Vec3::ZERO { made } else { *own }).collect()
    } else {
        made.collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn normals_stay_square_to_a_plane_under_uneven_and_mirrored_scale() {
        let matrix = Mat4::from_scale_rotation_translation(
            Vec3::new(-2.0, 0.5, 3.0),
            glam::Quat::from_euler(glam::EulerRot::XYZ, 0.3, 1.1, -0.4),
            Vec3::ONE,
        );
        let (a, b) = (Vec3::new(1.0, 2.0, -1.0), Vec3::new(0.0, 1.0, 3.0));
        let normal = normal_matrix(&matrix) * a.cross(b);
        assert!(normal.dot(matrix.transform_vector3(a)).abs() < 1e-4);
        assert!(normal.dot(matrix.transform_vector3(b)).abs() < 1e-4);
        // Outside stays outside: with the point the normal came from, not against it.
        assert!(normal.dot(matrix.transform_vector3(a.cross(b))) > 0.0);
    }
}
