//! Local transforms that keep the world transform of a node under a new parent.

use glam::DMat4;

use crate::command::{CommandError, error::refuse};
use ulna_model::{
    Document, Local, Node, NodeId, NodePose, Property,
    transform::{decompose, is_invertible},
};

/// Largest shear of a matrix that counts as rounding and is dropped.
const PLAIN: f32 = 1e-5;

/// Choice of the transforms that are multiplied: the rest pose, or the pose of the document.
#[derive(Clone, Copy)]
pub(in crate::command) enum RestOrPose {
    Rest,
    Pose,
}

/// Returns `scene_from_node` in the rest pose or in the pose of the document; the identity for
/// `None`.
pub(in crate::command) fn world(
    document: &Document,
    node: Option<NodeId>,
    which: RestOrPose,
) -> DMat4 {
    let above = std::iter::successors(node, |n| document.node(*n).parent);
    above.fold(DMat4::IDENTITY, |below, n| {
        let node = document.node(n);
        let local = match which {
            RestOrPose::Rest => node.rest,
            RestOrPose::Pose => node.local(),
        };
        local.matrix().as_dmat4() * below
    })
}

/// Returns a node with a new parent and an unchanged world transform, both in the rest pose and in
/// the pose of the document.
///
/// # Errors
/// If the new parent has a scale of 0, or if the node would need shear.
pub(super) fn kept_in_world(
    document: &Document,
    id: NodeId,
    parent: Option<NodeId>,
) -> Result<Node, CommandError> {
    let node = document.node(id);
    if node.parent == parent {
        return Ok(node.clone());
    }
    // An animated node must have translation, rotation and scale instead of a matrix (glTF 2.0,
    // *Animations*).
    let mut tracks = document.clips.values().flat_map(|c| c.tracks.values());
    let is_keyed = tracks.any(|t| t.target == id && t.property != Property::Weights);
    let local = |which: RestOrPose, like: &Local| -> Result<Local, CommandError> {
        let above = world(document, parent, which);
        if !is_invertible(above.determinant()) {
            let label = parent.map(|p| document.node(p).label(p)).unwrap_or_default();
            return refuse(
                "parent_scale_zero",
                format!(
                    "“{label}” is scaled to 0, so nodes below it cannot keep their position; \
                    keep the local transform instead"
                ),
            );
        }
        let matrix = above.inverse() * world(document, Some(id), which);
        let made = decompose(&matrix, &like.transform());
        let is_matrix = matches!(node.rest, Local::Matrix(_)) && !is_keyed;
        if made.residue <= PLAIN {
            Ok(Local::Trs(made.transform))
        } else if is_matrix {
            Ok(Local::Matrix(matrix.as_mat4()))
        } else {
            refuse(
                "would_shear",
                format!(
                    "“{}” cannot keep its position: the uneven scale of a parent would shear it; \
                        keep the local transform instead",
                    node.label(id)
                ),
            )
        }
    };
    let rest = local(RestOrPose::Rest, &node.rest)?;
    let posed = local(RestOrPose::Pose, &node.local())?;
    // The node is unposed if its rest transform and its posed transform are equal.
    let pose = match posed == rest {
        true => None,
        false => NodePose::at(&rest, posed).ok(),
    };
    let (rest, pose) = match (pose, posed == rest) {
        (None, false) => (posed, None),
        (pose, _) => (rest, pose),
    };
    Ok(Node { parent, rest, pose, ..node.clone() })
}
