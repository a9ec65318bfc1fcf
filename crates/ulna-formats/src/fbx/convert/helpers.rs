//! Detection of helper nodes: nodes between joints without weights, motion or content.

use std::collections::BTreeSet;

use ufbx::{Node, Scene};

/// Number of nodes between joints that have no weights and no motion.
pub(super) fn helpers(scene: &Scene) -> usize {
    let bones = scene.skin_clusters.into_iter().filter_map(|c| c.bone_node.as_ref());
    let joints: BTreeSet<u32> = bones.map(|n| n.element.typed_id).collect();
    let moved: BTreeSet<u32> = scene
        .anim_layers
        .into_iter()
        .flat_map(|l| l.anim_props.as_ref())
        .map(|p| p.element.element_id)
        .collect();
    let is_still = |node: &Node| {
        !joints.contains(&node.element.typed_id)
            && !moved.contains(&node.element.element_id)
            && node.mesh.is_none()
            && node.camera.is_none()
            && node.light.is_none()
    };
    let mut made = BTreeSet::new();
    for node in scene.nodes.into_iter().filter(|n| joints.contains(&n.element.typed_id)) {
        // Collects the nodes up to the nearest ancestor that is a joint.
        let mut between = Vec::new();
        let mut next = node.parent.as_ref();
        while let Some(node) = next.filter(|n| !n.is_root) {
            if joints.contains(&node.element.typed_id) {
                made.extend(between);
                break;
            }
            if is_still(node) {
                between.push(node.element.typed_id);
            }
            next = node.parent.as_ref();
        }
    }
    made.len()
}
