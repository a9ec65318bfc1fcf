//! The rest pose of joints, computed from the inverse bind matrices of skins.

use glam::{DMat4, Mat4, Vec3};

use super::{
    FileContent, Local, Node, NodeId, NodePose, RestSource, SkinId, Transform,
    transform::{decompose, is_invertible},
};

/// Tolerances within which a node's transform in the file equals its rest, so that the node has no
/// pose. The angle is in radians, and the distance in meters relative to the skeleton's size.
const SAME_ANGLE: f32 = 0.01 * std::f32::consts::PI / 180.0;
const SAME_DISTANCE: f32 = 1e-5;

/// Maximum residue of a decomposed bind matrix, relative to its largest scale factor.
const SHEAR_LIMIT: f32 = 1e-3;

/// Computes `rest` and `pose` of every joint from the inverse bind matrices of its skins. All other
/// nodes keep their file transform as rest.
///
/// Let `a` be the nearest ancestor of joint `j` among the joints of the same skin. `N` is the
/// product of the transforms of the nodes between them. The file transform `M` of the joint is its
/// pose.
///
/// ```text
/// L_j = N⁻¹ · B_a⁻¹ · B_j        Ul = L⁻¹ ∘ M
/// ```
pub fn find_rest(asset: &mut FileContent) {
    let mut found: Vec<Option<Result<(Transform, f32), ()>>> = vec![None; asset.nodes.len()];
    for (id, skin) in asset.skins.iter() {
        let size = skeleton_size(asset, id);
        if !skin.has_inverse_bind {
            for joint in skin.joints.iter() {
                found[joint.index()] = Some(Err(()));
            }
            continue;
        }
        let mut slot: Vec<Option<usize>> = vec![None; asset.nodes.len()];
        for (k, joint) in skin.joints.iter().enumerate() {
            slot[joint.index()].get_or_insert(k);
        }
        for (k, joint) in skin.joints.iter().enumerate() {
            let rest = rest_of(asset, *joint, k, &slot, &skin.inverse_bind);
            let entry = &mut found[joint.index()];
            *entry = Some(match (&entry, rest) {
                (None, Some(rest)) => Ok((rest, size)),
                // If a joint belongs to two skins, both must imply the same rest.
                (Some(Ok((other, size))), Some(rest))
                    if other.is_close(&rest, SAME_ANGLE * 10.0, SAME_DISTANCE * 10.0 * size) =>
                {
                    Ok((*other, *size))
                }
                _ => Err(()),
            });
        }
    }
    for (index, rest) in found.into_iter().enumerate() {
        let Some(Ok((rest, size))) = rest else { continue };
        let Some(node) = asset.nodes.get_mut(NodeId::from(index)) else { continue };
        let file = node.rest;
        let pose = file.transform();
        if rest.is_close(&pose, SAME_ANGLE, SAME_DISTANCE * size) {
            // The bind pose still defines the rest, which is needed once the node is posed.
            node.rest_source = RestSource::Bind;
            continue;
        }
        // The pose offset must reproduce the file's pose.
        let Ok(user) = rest.user_from(&pose) else { continue };
        if rest.compose(&user).is_close(&pose, SAME_ANGLE, SAME_DISTANCE * size) {
            node.rest = Local::Trs(rest);
            node.rest_source = RestSource::Bind;
            node.pose = Some(NodePose { user, local: file });
        }
    }
    asset.nodes.values_mut().for_each(free_of_zeros);
}

/// Replaces scale factors of 0 in the rest by 1, and moves the 0 to the pose offset. Otherwise, no
/// offset from the rest could be computed.
pub fn free_of_zeros(node: &mut Node) {
    let rest = node.rest.transform();
    let flat = rest.scale.cmpeq(Vec3::ZERO);
    if !flat.any() {
        return;
    }
    let local = node.local();
    let free = Local::Trs(Transform { scale: Vec3::select(flat, Vec3::ONE, rest.scale), ..rest });
    if let Ok(posed) = NodePose::at(&free, local) {
        node.rest = free;
        node.pose = Some(posed);
    }
}

/// Computes the rest of one joint of a skin. `None` if a transform cannot represent it, or if no
/// ancestor is a joint of the skin.
fn rest_of(
    asset: &FileContent,
    joint: NodeId,
    k: usize,
    slot: &[Option<usize>],
    inverse_bind: &[Mat4],
) -> Option<Transform> {
    let mut between = DMat4::IDENTITY;
    let mut at = asset.node(joint).parent;
    let ancestor = loop {
        let node = at?;
        match slot[node.index()] {
            Some(k) => break k,
            None => between = asset.node(node).rest.matrix().as_dmat4() * between,
        }
        at = asset.node(node).parent;
    };
    let own = inverse_bind[k].as_dmat4();
    if !is_invertible(own.determinant()) || !is_invertible(between.determinant()) {
        return None;
    }
    let matrix = between.inverse() * inverse_bind[ancestor].as_dmat4() * own.inverse();
    let pose = asset.node(joint).rest.transform();
    let split = decompose(&matrix, &pose);
    let fits = (0..3).all(|axis| {
        let (rest, pose) = (split.transform.scale[axis].abs(), pose.scale[axis].abs());
        rest >= pose * 1e-4 && rest <= pose * 1e4 && rest > 0.0
    });
    (split.transform.is_finite() && split.residue <= SHEAR_LIMIT && fits).then_some(split.transform)
}

/// Diagonal of the bounding box of a skin's joints in the bind pose, in meters of the mesh space; 1
/// if degenerate.
fn skeleton_size(asset: &FileContent, skin: SkinId) -> f32 {
    let mut low = Vec3::INFINITY;
    let mut high = Vec3::NEG_INFINITY;
    for inverse in asset.skin(skin).inverse_bind.iter() {
        let p = inverse.inverse().w_axis.truncate();
        if p.is_finite() {
            low = low.min(p);
            high = high.max(p);
        }
    }
    let size = (high - low).length();
    if size.is_finite() && size > 1e-6 { size } else { 1.0 }
}
