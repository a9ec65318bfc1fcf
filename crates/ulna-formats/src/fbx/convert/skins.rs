//! Conversion of skins: joints with their inverse bind matrices, and all weights of each vertex.

use std::collections::{BTreeSet, HashMap};

use glam::Mat4;
use ufbx::{Mesh, Node, SkinDeformer, SkinningMethod};

use super::{
    Builder,
    math::{matrix, matrix32},
};
use crate::{
    gltf::ReadError,
    import::{InfluencesOut, MeshOut, NodeOut},
};

/// Maximum number of influences per vertex: 16 sets.
const MOST_INFLUENCES: usize = 64;

/// Joints of a skin during its construction.
#[derive(Default)]
struct Joints {
    nodes: Vec<usize>,
    numbers: HashMap<usize, u16>,
    inverse: Vec<f32>,
}

impl Joints {
    /// Index of a joint, which is added if it is new. `None` if the skin is full.
    fn number(&mut self, node: usize, bind: &Mat4) -> Option<u16> {
        if let Some(known) = self.numbers.get(&node) {
            return Some(*known);
        }
        let made = u16::try_from(self.nodes.len()).ok()?;
        self.nodes.push(node);
        self.numbers.insert(node, made);
        self.inverse.extend(bind.to_cols_array());
        Some(made)
    }
}

impl Builder<'_> {
    /// Adds the skin of a mesh on a node, and writes the weights to `out`. `None` if no vertex has
    /// a weight.
    pub(super) fn skin(
        &mut self,
        node: &Node,
        mesh: &Mesh,
        places: &[u32],
        out: &mut MeshOut,
    ) -> Result<Option<usize>, ReadError> {
        let deformers: Vec<&SkinDeformer> = mesh.skin_deformers.into_iter().collect();
        self.findings.several_skins += usize::from(deformers.len() > 1);
        let is_linear = |s: &SkinDeformer| {
            matches!(s.skinning_method, SkinningMethod::Linear | SkinningMethod::Rigid)
        };
        self.findings.dual_quaternions += usize::from(!deformers.iter().all(|s| is_linear(s)));
        let weights: usize = deformers.iter().map(|s| s.weights.count).sum();
        self.budget.take(weights as u64 * 12 + mesh.num_vertices as u64 * 24, &".fbx".into())?;
        let mut joints = Joints::default();
        let mut lists: Vec<Vec<(u16, f64)>> = vec![Vec::new(); mesh.num_vertices];
        for deformer in deformers {
            self.weights_of(node, deformer, &mut joints, &mut lists)?;
        }
        if joints.nodes.is_empty() {
            return Ok(None);
        }
        let used: BTreeSet<u32> = places.iter().copied().collect();
        let bare =
            used.iter().filter(|v| lists.get(**v as usize).is_none_or(Vec::is_empty)).count();
        if bare > 0 {
            // Unweighted vertices follow the mesh's node through a child node. Some players turn
            // joints into bones, and would lose a mesh on a joint.
            let parent = self.nodes.get(&node.element.typed_id).copied();
            let name = format!("{}_unweighted", node.element.name);
            let own = self.glb.node(NodeOut { name, parent, ..NodeOut::default() });
            let bind = matrix32(&matrix(&node.geometry_to_node)).unwrap_or(Mat4::IDENTITY);
            let joint = joints.number(own, &bind).ok_or_else(too_many)?;
            lists.iter_mut().filter(|l| l.is_empty()).for_each(|l| l.push((joint, 1.0)));
            self.findings.bare_vertices += bare;
        }
        let (mut over_four, mut over_all, mut sets) = (0, 0, 1);
        let lists: Vec<Vec<(u16, f32)>> = lists
            .into_iter()
            .enumerate()
            .map(|(vertex, list)| {
                let is_used = used.contains(&(vertex as u32));
                over_four += usize::from(is_used && list.len() > 4);
                over_all += usize::from(is_used && list.len() > MOST_INFLUENCES);
                let list = settled(list);
                sets = sets.max(list.len().div_ceil(4));
                list
            })
            .collect();
        self.findings.over_four_influences += over_four;
        self.findings.over_most_influences += over_all;
        self.findings.weight_sets = self.findings.weight_sets.max(sets);
        self.budget.take(places.len() as u64 * sets as u64 * 24, &".fbx".into())?;
        out.influences = Some(InfluencesOut { lists, list_of: places.to_vec() });
        Ok(Some(self.glb.skin(&joints.nodes, &joints.inverse)))
    }

    /// Node index of a bone. The root of the file becomes a node only if a skin uses it.
    fn joint_node(&mut self, bone: &Node) -> Option<usize> {
        if bone.is_root && !self.nodes.contains_key(&bone.element.typed_id) {
            let node = NodeOut { name: "Scene".to_owned(), ..NodeOut::default() };
            let made = self.glb.node(node);
            self.nodes.insert(bone.element.typed_id, made);
        }
        self.nodes.get(&bone.element.typed_id).copied()
    }

    /// Adds the weights of one deformer, only to vertices that have no weights yet.
    fn weights_of(
        &mut self,
        node: &Node,
        deformer: &SkinDeformer,
        joints: &mut Joints,
        lists: &mut [Vec<(u16, f64)>],
    ) -> Result<(), ReadError> {
        let mut numbers: Vec<Option<u16>> = Vec::with_capacity(deformer.clusters.count);
        for cluster in &deformer.clusters {
            let bone = cluster.bone_node.as_ref();
            numbers.push(match bone.and_then(|b| Some((b, self.joint_node(b)?))) {
                Some((bone, at)) => {
                    let bind = matrix32(&matrix(&cluster.geometry_to_bone));
                    let bind = bind.unwrap_or_else(|| bind_at_rest(node, bone));
                    Some(joints.number(at, &bind).ok_or_else(too_many)?)
                }
                None => None,
            });
        }
        let weights = deformer.weights.as_ref();
        for (list, vertex) in lists.iter_mut().zip(&deformer.vertices) {
            if !list.is_empty() {
                continue;
            }
            let from = vertex.weight_begin as usize;
            let own = weights.get(from..from + vertex.num_weights as usize).unwrap_or_default();
            for weight in own.iter().filter(|w| w.weight.is_finite() && w.weight > 0.0) {
                if let Some(joint) = numbers.get(weight.cluster_index as usize).copied().flatten() {
                    list.push((joint, weight.weight));
                }
            }
        }
        Ok(())
    }
}

/// Replacement for an unusable bind matrix, which binds at the transforms of the file.
fn bind_at_rest(mesh: &Node, bone: &Node) -> Mat4 {
    let scene_from_bone = matrix(&bone.node_to_world);
    let scene_from_geometry = matrix(&mesh.geometry_to_world);
    matrix32(&(scene_from_bone.inverse() * scene_from_geometry)).unwrap_or(Mat4::IDENTITY)
}

fn too_many() -> ReadError {
    let message = "a mesh has more than 65,536 joints, the most that a glTF skin can have. Split \
        the mesh and export it again"
        .to_owned();
    ReadError::Foreign { format: "FBX", message }
}

/// Converts weights to the form of glTF: one entry per joint, strongest first, with a sum of 1.
fn settled(list: Vec<(u16, f64)>) -> Vec<(u16, f32)> {
    let mut own: Vec<(u16, f64)> = Vec::with_capacity(list.len());
    for (joint, weight) in list {
        match own.iter_mut().find(|(j, _)| *j == joint) {
            Some((_, sum)) => *sum += weight,
            None => own.push((joint, weight)),
        }
    }
    own.sort_by(|a, b| b.1.total_cmp(&a.1));
    own.truncate(MOST_INFLUENCES);
    let sum: f64 = own.iter().map(|(_, w)| w).sum();
    let mut made: Vec<(u16, f32)> = own.into_iter().map(|(j, w)| (j, (w / sum) as f32)).collect();
    made.retain(|(_, w)| *w > 0.0);
    // Removes the rounding error of the sum. Readers add the weights in the order of the list.
    for _ in 0..4 {
        let sum: f32 = made.iter().map(|(_, w)| w).sum();
        if sum == 1.0 {
            break;
        }
        if let Some(first) = made.first_mut() {
            first.1 += 1.0 - sum;
        }
    }
    made
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn weights_sum_to_one_in_descending_order_with_each_joint_once(
            list in prop::collection::vec((0u16..12, 1e-3f64..1.0), 1..100)) {
            let made = settled(list);
            let sum: f32 = made.iter().map(|(_, w)| w).sum();
            prop_assert!((sum - 1.0).abs() <= 2e-7 * made.len() as f32, "{}", sum);
            prop_assert!(made.windows(2).all(|w| w[0].1 >= w[1].1 - 1e-6));
            let joints: BTreeSet<u16> = made.iter().map(|(j, _)| *j).collect();
            prop_assert_eq!(joints.len(), made.len());
        }
    }
}
