//! Binding at the current pose: computes inverse bind matrices from the current transforms of
//! joints and mesh, and the resulting rest pose.
//!
//! ```text
//!   IBM_j = W_j⁻¹ · W_mesh        T_j = W_j · IBM_j = W_mesh for every joint: nothing moves
//! ```
//!
//! `W_j` is the world transform of a joint, `IBM_j` its inverse bind matrix, and `T_j` its skinning
//! matrix. `W_mesh` of an unskinned mesh is the world transform of its node. The node transform of
//! a skinned mesh is ignored (glTF 2.0, 3.7.3.3). For such a mesh, `W_mesh` is its placement by the
//! skin at rest, `W_j · IBM_j`.

use glam::{DMat3, DMat4, Mat4, Vec3, Vec4};

use ulna_model::{
    Document, FileContent, MorphTarget, Node, NodeId, PrimitiveId, RestGeometry, RestSource,
    SkinId, find_rest,
};
use ulna_motion::Pose;

/// Returns the document with every node in its rest pose.
#[must_use]
pub fn at_rest(document: &Document) -> Document {
    let mut rest = document.clone();
    rest.file.nodes.values_mut().for_each(|n| n.pose = None);
    rest
}

/// Returns `scene_from_node` of a node in a pose, in double precision.
pub fn world(document: &Document, pose: &Pose, node: NodeId) -> DMat4 {
    let mut made = DMat4::IDENTITY;
    let mut at = Some(node);
    while let Some(node) = at {
        made = pose.local[node.index()].matrix().as_dmat4() * made;
        at = document.node(node).parent;
    }
    made
}

/// Placement of a skin's meshes at rest.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BoundMesh {
    /// `scene_from_mesh` of the joint with the most weight.
    pub scene_from_mesh: DMat4,
    /// Maximum distance, in meters, between the positions that different joints give one corner of
    /// the mesh's bounding box; 0 if all joints agree.
    pub apart: f64,
}

/// Returns the total weight of each joint over all vertices of a skin's meshes.
fn shares(document: &Document, skin: SkinId) -> Vec<f64> {
    let mut sums = vec![0.0f64; document.skin(skin).joints.len()];
    for node in document.nodes.values().filter(|n| n.skin == Some(skin)) {
        let Some(mesh) = node.mesh else { continue };
        for map in document.mesh(mesh).primitives.iter().filter_map(|p| p.weights.as_deref()) {
            for (joint, weight) in map.joints.iter().zip(map.weights.iter()) {
                if let Some(sum) = sums.get_mut(usize::from(*joint)) {
                    *sum += f64::from(*weight);
                }
            }
        }
    }
    sums
}

/// Computes the placement of a skin's meshes when its joints are in the pose `rest`.
pub fn bound_mesh(document: &Document, rest: &Pose, skin: SkinId) -> BoundMesh {
    let about = document.skin(skin);
    let shares = shares(document, skin);
    let shown =
        |k: usize| world(document, rest, about.joints[k]) * about.inverse_bind[k].as_dmat4();
    let heaviest = (0..shares.len())
        .max_by(|a, b| shares[*a].total_cmp(&shares[*b]).then(b.cmp(a)))
        .unwrap_or(0);
    if about.joints.is_empty() {
        return BoundMesh { scene_from_mesh: DMat4::IDENTITY, apart: 0.0 };
    }
    let scene_from_mesh = shown(heaviest);
    let corners = corners(document, skin);
    let off = |k: usize| {
        let other = shown(k);
        corners
            .iter()
            .map(|c| other.transform_point3(*c).distance(scene_from_mesh.transform_point3(*c)))
            .fold(0.0, f64::max)
    };
    let apart = (0..shares.len()).filter(|k| shares[*k] > 0.0).map(off).fold(0.0, f64::max);
    BoundMesh { scene_from_mesh, apart }
}

/// Returns the corners of the bounding box of a skin's meshes.
fn corners(document: &Document, skin: SkinId) -> Vec<glam::DVec3> {
    let meshes = document.nodes.values().filter(|n| n.skin == Some(skin)).filter_map(|n| n.mesh);
    let points = meshes.flat_map(|m| &document.mesh(m).primitives).flat_map(|p| p.positions.iter());
    let (low, high) = points
        .filter(|p| p.is_finite())
        .fold((glam::Vec3::INFINITY, glam::Vec3::NEG_INFINITY), |(l, h), p| (l.min(*p), h.max(*p)));
    if !low.is_finite() {
        return Vec::new();
    }
    (0..8)
        .map(|k| {
            glam::Vec3::from_array(
                [0, 1, 2].map(|axis| if k >> axis & 1 == 0 { low[axis] } else { high[axis] }),
            )
        })
        .map(|p| p.as_dvec3())
        .collect()
}

/// Computes the inverse bind matrices, `joint_from_mesh`, for the joints in a pose. The last row is
/// set to that of an affine matrix.
///
/// # Errors
/// The scale of a joint is 0 along an axis, so its matrix has no inverse. The error is the first
/// such joint.
pub fn snapshot(
    document: &Document,
    pose: &Pose,
    joints: &[NodeId],
    scene_from_mesh: &DMat4,
) -> Result<Vec<Mat4>, NodeId> {
    let one = |joint: &NodeId| {
        let standing = world(document, pose, *joint);
        let size = standing.x_axis.truncate().length().max(standing.y_axis.truncate().length());
        let flat = standing.determinant().abs() <= (size.powi(3) * 1e-12).max(f64::MIN_POSITIVE);
        let mut made = (standing.inverse() * *scene_from_mesh).as_mat4();
        (made.x_axis.w, made.y_axis.w, made.z_axis.w, made.w_axis.w) = (0.0, 0.0, 0.0, 1.0);
        if flat || !made.is_finite() { Err(*joint) } else { Ok(made) }
    };
    joints.iter().map(one).collect()
}

/// Returns the file content with the rest poses that its bind matrices imply. The result equals
/// reopening the file without `extras`.
pub fn found_rests(document: &Document) -> FileContent {
    let mut asset = document.file.clone();
    for node in asset.nodes.values_mut() {
        (node.rest, node.pose, node.rest_source) = (node.local(), None, RestSource::File);
    }
    find_rest(&mut asset);
    asset
}

/// Returns the joints whose rest would change if the file was reopened, with the new rest.
pub fn rests_after(document: &Document, joints: &[NodeId]) -> Vec<(NodeId, Node)> {
    let asset = found_rests(document);
    let mut made = Vec::new();
    for joint in joints {
        let (now, found) = (document.node(*joint), asset.node(*joint));
        // The rest from an earlier save is kept if the bind pose does not determine one.
        let is_bound = found.rest_source == RestSource::Bind;
        let differs =
            (found.rest, found.rest_source, found.pose) != (now.rest, now.rest_source, now.pose);
        if is_bound && differs {
            let (rest, rest_source, pose) = (found.rest, found.rest_source, found.pose);
            made.push((*joint, Node { rest, rest_source, pose, ..now.clone() }));
        }
    }
    made
}

/// Error: the pose cannot be baked, because a matrix has no inverse.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("its skin deforms it to a flat shape there, so it cannot be bound")]
pub struct Flat;

/// Bakes the pose into the rest geometry of a skinned node's primitives, for a mesh placed at
/// `scene_from_mesh`.
///
/// Each vertex uses its own blended matrix `M = W_mesh⁻¹ · Σ w·T`. Normals use the cofactor matrix
/// of `M`. Tangents and morph target offsets use its linear part, so that morph weights keep their
/// effect. Vertices without weights stay unchanged.
///
/// # Errors
/// `scene_from_mesh` has no inverse.
pub fn baked_shapes(
    document: &Document,
    pose: &Pose,
    node: NodeId,
    scene_from_mesh: &DMat4,
) -> Result<Vec<(PrimitiveId, RestGeometry)>, Flat> {
    let about = document.node(node);
    let (Some(mesh), Some(skin)) = (about.mesh, about.skin) else { return Ok(Vec::new()) };
    let skin = document.skin(skin);
    let mesh_from_scene = scene_from_mesh.inverse();
    if !mesh_from_scene.is_finite() {
        return Err(Flat);
    }
    let palette: Vec<DMat4> = skin
        .joints
        .iter()
        .zip(skin.inverse_bind.iter())
        .map(|(joint, inverse)| {
            mesh_from_scene * world(document, pose, *joint) * inverse.as_dmat4()
        })
        .collect();
    let mut made = Vec::new();
    for (id, primitive) in document.mesh(mesh).entries() {
        let Some(map) = primitive.weights.as_deref() else { continue };
        let blended: Vec<DMat4> = (0..map.vertex_count())
            .map(|v| {
                let parts = map
                    .vertex(v)
                    .filter_map(|(j, w)| Some(*palette.get(usize::from(j))? * f64::from(w)));
                let sum = parts.fold(DMat4::ZERO, |sum, part| sum + part);
                let total = sum.w_axis.w;
                // A weight sum other than 1 scales the result. Without this division, the scale
                // would be applied twice after baking.
                if total.abs() > 1e-9 { sum * total.recip() } else { DMat4::IDENTITY }
            })
            .collect();
        let linear = |v: usize| DMat3::from_mat4(blended[v]);
        let moved = |(v, p): (usize, &Vec3)| blended[v].transform_point3(p.as_dvec3()).as_vec3();
        let turned = |(v, d): (usize, &Vec3)| (linear(v) * d.as_dvec3()).as_vec3();
        let facing = |(v, n): (usize, &Vec3)| {
            let m = linear(v);
            let cofactors = DMat3::from_cols(
                m.y_axis.cross(m.z_axis),
                m.z_axis.cross(m.x_axis),
                m.x_axis.cross(m.y_axis),
            );
            // Mirroring reverses the winding, but normals still point outward.
            let side = if m.determinant() < 0.0 { -1.0 } else { 1.0 };
            (cofactors * n.as_dvec3() * side).normalize_or(n.as_dvec3()).as_vec3()
        };
        let along = |(v, t): (usize, &Vec4)| {
            let m = linear(v);
            let way = (m * t.truncate().as_dvec3()).normalize_or(t.truncate().as_dvec3()).as_vec3();
            way.extend(if m.determinant() < 0.0 { -t.w } else { t.w })
        };
        let target = |t: &MorphTarget| MorphTarget {
            positions: t.positions.iter().enumerate().map(turned).collect(),
            normals: t.normals.iter().enumerate().map(turned).collect(),
        };
        made.push((
            id,
            RestGeometry {
                positions: primitive.positions.iter().enumerate().map(moved).collect(),
                normals: primitive.normals.iter().enumerate().map(facing).collect(),
                tangents: primitive.tangents.iter().enumerate().map(along).collect(),
                targets: primitive.targets.iter().map(target).collect::<Vec<_>>().into(),
            },
        ));
    }
    Ok(made)
}
