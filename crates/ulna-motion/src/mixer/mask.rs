//! Conversion of a mask's description to weights by node. A mask can be a branch of joints, a side
//! or half of a body, or painted weights.

use crate::{ancestors::above, humanoid::BodyPart, mirror_pairs::Side, roles::roles_of};
use ulna_model::{Document, JointMask, MixMask, NodeId, Shared};

/// Returns the weights of a mask by node. A joint without its own weight inherits the weight of its
/// parent.
pub fn weights(document: &Document, mask: &MixMask) -> JointMask {
    let count = document.nodes.len();
    let mut made = vec![0.0f32; count];
    match mask {
        MixMask::Below { joint, falloff } => {
            let depth = |node: NodeId| {
                std::iter::once(node).chain(above(document, node)).position(|n| n == *joint)
            };
            for node in document.node_ids() {
                if let Some(depth) = depth(node) {
                    made[node.index()] = ((depth as f32 + 1.0) / (*falloff as f32 + 1.0)).min(1.0);
                }
            }
        }
        MixMask::Painted(list) => {
            for (node, weight) in list {
                if let Some(slot) = made.get_mut(node.index()) {
                    *slot = *weight;
                }
            }
        }
        MixMask::Left | MixMask::Right | MixMask::Upper | MixMask::Lower => {
            halves(document, mask, &mut made)
        }
    }
    JointMask(Shared::from(made))
}

fn halves(document: &Document, mask: &MixMask, made: &mut [f32]) {
    let roles = roles_of(document);
    let mut known: Vec<Option<bool>> = vec![None; made.len()];
    for (node, role) in &roles {
        let Some(role) = role else { continue };
        known[node.index()] = match mask {
            MixMask::Left => Some(role.side != Some(Side::Right)),
            MixMask::Right => Some(role.side != Some(Side::Left)),
            upper => {
                let is_upper = !matches!(
                    role.part,
                    BodyPart::Hips
                        | BodyPart::Thigh
                        | BodyPart::Shin
                        | BodyPart::Foot
                        | BodyPart::Toe
                        | BodyPart::Leg
                );
                Some(is_upper == matches!(upper, MixMask::Upper))
            }
        };
    }
    for node in document.nodes.order() {
        let inherited = above(document, *node).find_map(|n| known[n.index()]);
        // The joints that carry the whole body belong to both sides, and to the lower half.
        let alone = matches!(mask, MixMask::Left | MixMask::Right | MixMask::Lower);
        let counts = known[node.index()].or(inherited).unwrap_or(alone);
        made[node.index()] = if counts { 1.0 } else { 0.0 };
    }
}
