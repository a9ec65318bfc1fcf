//! Rules for the node hierarchy and for scenes.

use std::collections::HashSet;

use glam::{Mat4, Quat, Vec3};

use super::{
    super::{
        file::{File, Node},
        report::Report,
    },
    references::found,
};
use ulna_model::{IdKind, Location};

pub(super) fn nodes(file: &mut File, out: &mut Report) {
    let (meshes, skins, cameras) = (&file.meshes, &file.skins, file.cameras);
    for node in file.nodes.iter().flatten() {
        if node.camera.is_some_and(|c| c >= cameras) {
            out.error("UNRESOLVED_REFERENCE", node.at.member("camera"));
        }
        let skin = found(skins, node.skin, || node.at.member("skin"), out);
        let mesh = found(meshes, node.mesh, || node.at.member("mesh"), out);
        let Some(primitives) =
            mesh.and_then(|m| meshes[m].as_ref()).and_then(|m| m.primitives.as_ref())
        else {
            continue;
        };
        let targets = primitives.first().and_then(|p| p.targets.as_ref()).map(Vec::len);
        if node.weights.is_some_and(|count| targets != Some(count)) {
            out.error("NODE_WEIGHTS_INVALID", node.at.member("weights"));
        }
        let skinned = primitives.iter().any(|p| p.joints > 0);
        if skin.is_some() && !skinned {
            out.error("NODE_SKIN_WITH_NON_SKINNED_MESH", node.at.clone());
        }
        if node.skin.and_then(|s| skins.get(s)).and_then(Option::as_ref).is_none() && skinned {
            out.warning("NODE_SKINNED_MESH_WITHOUT_SKIN", node.at.clone());
        }
    }
    for k in 0..file.nodes.len() {
        let Some(node) = &file.nodes[k] else { continue };
        let (at, children) = (node.at.clone(), node.children.clone());
        for (c, child) in children.iter().flatten().enumerate() {
            let place = || at.item("children", c);
            let Some(child) = found(&file.nodes, *child, place, out) else { continue };
            if let Some(child) = file.nodes[child].as_mut()
                && child.parent.replace(k).is_some()
            {
                out.error("NODE_PARENT_OVERRIDE", place());
            }
        }
    }
}

/// Returns a node and its ancestors up to the root. In a loop, each node is returned once.
pub(super) fn chain(file: &File, node: usize) -> Vec<usize> {
    let mut way = Vec::new();
    let mut seen = HashSet::new();
    let mut at = Some(node);
    while let Some(node) = at.filter(|n| seen.insert(*n)) {
        way.push(node);
        at = file.nodes[node].as_ref().and_then(|n| n.parent);
    }
    way
}

pub(super) fn scenes(file: &mut File, out: &mut Report) {
    if file.scene.is_some_and(|s| s >= file.scenes.len()) {
        out.error("UNRESOLVED_REFERENCE", "scene".into());
    }
    for k in 0..file.scenes.len() {
        let Some(Some(roots)) = file.scenes.get(k).cloned() else { continue };
        let mut todo = Vec::new();
        for (c, node) in roots.iter().enumerate() {
            let place = || Location::at(IdKind::Scene, k).item("nodes", c);
            let Some(node) = found(&file.nodes, *node, place, out) else { continue };
            if file.nodes[node].as_ref().is_some_and(|n| n.parent.is_some()) {
                out.error("SCENE_NON_ROOT_NODE", place());
            }
            todo.push(node);
        }
        while let Some(node) = todo.pop() {
            let Some(node) = file.nodes.get_mut(node).and_then(Option::as_mut) else { continue };
            if node.scenes.insert(k) {
                todo.extend(node.children.iter().flatten().flatten().copied());
            }
        }
    }
}

/// Checks the hierarchy around nodes: loops, and the location of skinned meshes. All references
/// must be linked first.
pub(super) fn placed(file: &File, out: &mut Report) {
    let count = file.nodes.len();
    // Each node is visited once. The value is 0 for unvisited nodes, otherwise the number of the
    // traversal.
    let mut walk = vec![0usize; count];
    let mut loops = HashSet::new();
    let parent = |n: usize| file.nodes[n].as_ref().and_then(|n| n.parent);
    for start in 0..count {
        let mut way = Vec::new();
        let mut at = Some(start);
        while let Some(node) = at.filter(|n| walk[*n] == 0) {
            walk[node] = start + 1;
            way.push(node);
            at = parent(node);
        }
        if let Some(node) = at.filter(|n| walk[*n] == start + 1)
            && let Some(from) = way.iter().position(|w| *w == node)
        {
            loops.extend(way[from..].iter().copied());
        }
    }
    // Number of skinned meshes under parents with the identity transform, as Blender exports them.
    let mut unmoved = 0;
    for (k, node) in file.nodes.iter().enumerate() {
        let Some(node) = node else { continue };
        if loops.contains(&k) {
            out.error("NODE_LOOP", node.at.clone());
        }
        let Some(skin) = node.skin.and_then(|s| file.skins.get(s)).and_then(Option::as_ref) else {
            continue;
        };
        if node.parent.is_some() {
            if is_moved_above(file, k, &loops) {
                out.warning("NODE_SKINNED_MESH_NON_ROOT", node.at.clone());
            } else {
                unmoved += 1;
            }
        }
        let is =
            |list: &Option<Vec<f32>>, plain: &[f32]| list.as_deref().is_none_or(|l| l == plain);
        let plain = node.matrix.is_none_or(|m| m == glam::Mat4::IDENTITY.to_cols_array())
            && is(&node.translation, &[0.0; 3])
            && is(&node.rotation, &[0.0, 0.0, 0.0, 1.0])
            && is(&node.scale, &[1.0; 3]);
        if !plain {
            out.warning("NODE_SKINNED_MESH_LOCAL_TRANSFORMS", node.at.clone());
        }
        let root =
            skin.roots.iter().filter_map(|r| file.nodes[*r].as_ref()).find(|r| r.parent.is_none());
        if root.is_some_and(|root| !node.scenes.is_subset(&root.scenes)) {
            out.error("NODE_SKIN_NO_SCENE", node.at.clone());
        }
    }
    out.infos("NODE_SKINNED_MESH_NON_ROOT", || Location::from("nodes"), unmoved);
}

/// Whether the combined transform of a node's ancestors differs visibly from the identity.
fn is_moved_above(file: &File, node: usize, loops: &HashSet<usize>) -> bool {
    /// Tolerance of the matrix elements: 0.1 mm for translation, and 0.0001 for rotation and scale.
    const SAME: f32 = 1e-4;
    let parent = |n: usize| file.nodes.get(n).and_then(Option::as_ref).and_then(|n| n.parent);
    let mut above = Mat4::IDENTITY;
    let mut at = parent(node);
    while let Some(n) = at {
        if loops.contains(&n) {
            return true;
        }
        let Some(found) = file.nodes.get(n).and_then(Option::as_ref) else { break };
        above = local(found) * above;
        at = found.parent;
    }
    !above.abs_diff_eq(Mat4::IDENTITY, SAME)
}

/// Local transform of a node. Invalid members are ignored.
fn local(node: &Node) -> Mat4 {
    if let Some(matrix) = &node.matrix {
        return Mat4::from_cols_array(matrix);
    }
    let three = |list: &Option<Vec<f32>>, usual: Vec3| {
        list.as_deref().and_then(|l| <[f32; 3]>::try_from(l).ok()).map_or(usual, Vec3::from_array)
    };
    let turn = node.rotation.as_deref().and_then(|l| <[f32; 4]>::try_from(l).ok());
    let turn = turn.map_or(Quat::IDENTITY, Quat::from_array);
    Mat4::from_scale_rotation_translation(
        three(&node.scale, Vec3::ONE),
        turn,
        three(&node.translation, Vec3::ZERO),
    )
}
