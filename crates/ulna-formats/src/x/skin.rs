//! Conversion of `SkinWeights` objects to joints, inverse bind matrices and normalized weights.
//! Bones without a frame get a new node.

use std::collections::HashMap;

use glam::Mat4;

use super::{
    builder::{Builder, Numbers, fail, matrix},
    mesh::Corner,
    objects::Object,
};
use crate::{
    gltf::ReadError,
    import::{InfluencesOut, MeshOut, NodeOut},
};
use ulna_model::{Severity, Transform};

/// Maximum number of influences per vertex: eight sets of four. Without a limit, one vertex with
/// thousands of bones would enlarge the number of slots of all vertices.
const MOST_INFLUENCES: usize = 32;

/// Maximum deviation of a sum of weights from 1 that counts as rounding. Exporters round each
/// weight separately. The last weight is then computed from the others.
const ROUNDED: f64 = 0.02;

/// A skin during its construction.
#[derive(Default)]
struct Bones {
    joints: Vec<usize>,
    /// Index in `joints` by node.
    places: HashMap<usize, u16>,
    inverse: Vec<f32>,
    /// Joint indices and weights of each vertex of the mesh, in the order of the file.
    weights: Vec<Vec<(u16, f64)>>,
    /// Number of invalid or negative weights.
    bad: usize,
}

impl Bones {
    /// Joint index of a bone, which is added if it is new. `None` if the skin already has the
    /// maximum number of joints.
    fn joint(&mut self, node: usize, mesh_from_bind: &Mat4) -> Option<u16> {
        // A repeated bone is added only once.
        if let Some(at) = self.places.get(&node) {
            return Some(*at);
        }
        let at = u16::try_from(self.joints.len()).ok()?;
        self.joints.push(node);
        self.places.insert(node, at);
        self.inverse.extend(mesh_from_bind.to_cols_array());
        Some(at)
    }
}

fn too_many<T>(object: &Object) -> Result<T, ReadError> {
    fail(
        object,
        "the mesh has more than 65,536 bones, the most that a glTF skin can have; split the mesh \
            and export it again",
    )
}

/// Affine part of an offset matrix: its last row is set to 0 0 0 1.
fn affine(m: &Mat4) -> Mat4 {
    let mut m = *m;
    (m.x_axis.w, m.y_axis.w, m.z_axis.w, m.w_axis.w) = (0.0, 0.0, 0.0, 1.0);
    m
}

/// Converts the weights of a vertex to the form of glTF: strongest first, each joint once, with a
/// sum of 1. Also returns whether the sum differed from 1 by more than rounding.
///
/// According to the documentation of the format, the last weight is 1 minus the sum of the others.
/// The rounding error of `f32` is added to the largest weight.
fn settled(list: &[(u16, f64)]) -> (Vec<(u16, f32)>, bool) {
    let mut own: Vec<(u16, f64)> = Vec::with_capacity(list.len());
    for (joint, weight) in list {
        match own.iter_mut().find(|(j, _)| j == joint) {
            Some((_, sum)) => *sum += weight,
            None => own.push((*joint, *weight)),
        }
    }
    own.retain(|(_, w)| *w > 0.0);
    let sum: f64 = own.iter().map(|(_, w)| w).sum();
    if sum <= 0.0 {
        return (Vec::new(), false);
    }
    let off = (1.0 - sum).abs();
    let last = own.len() - 1;
    let rest = 1.0 - own[..last].iter().map(|(_, w)| w).sum::<f64>();
    if off < ROUNDED && rest > 0.0 {
        own[last].1 = rest;
    } else {
        own.iter_mut().for_each(|(_, w)| *w /= sum);
    }
    own.sort_by(|a, b| b.1.total_cmp(&a.1));
    own.truncate(MOST_INFLUENCES);
    let kept: f64 = own.iter().map(|(_, w)| w).sum();
    let mut made: Vec<(u16, f32)> = own.into_iter().map(|(j, w)| (j, (w / kept) as f32)).collect();
    made.retain(|(_, w)| *w > 0.0);
    // The weights are added in the same order as readers add them.
    for _ in 0..4 {
        let sum: f32 = made.iter().map(|(_, w)| w).sum();
        if sum == 1.0 {
            break;
        }
        made[0].1 += 1.0 - sum;
    }
    (made, off >= ROUNDED)
}

impl Builder<'_, '_> {
    /// World transform of a node in the pose of the frames.
    fn scene_from(&self, node: Option<usize>) -> Mat4 {
        let mut made = Mat4::IDENTITY;
        let mut at = node;
        while let Some(node) = at {
            made = self.glb.nodes[node].transform.unwrap_or_default().matrix() * made;
            at = self.glb.nodes[node].parent;
        }
        made
    }

    /// Node of a bone. If there is no frame with the bone's name, a new node is added under the
    /// mesh's frame, at the position of the offset matrix.
    fn bone(
        &mut self,
        part: usize,
        name: &str,
        offset: Option<&Mat4>,
        frame: Option<usize>,
    ) -> Option<usize> {
        if let Some(node) = self.by_name.get(name) {
            return Some(*node);
        }
        let Some(bind) = offset.map(Mat4::inverse).filter(|m| m.is_finite()) else {
            self.odd(
                part,
                format!(
                    "its bone “{name}” does not match a frame and has no valid offset matrix; its \
                        weights are left out"
                ),
            );
            return None;
        };
        let split = Transform::decompose(&bind, &Transform::IDENTITY);
        self.odd(
            part,
            format!(
                "its bone “{name}” does not match a frame; a joint is added at its bind position"
            ),
        );
        let transform = Some(split.transform);
        let node = self.glb.node(NodeOut {
            name: name.to_owned(),
            transform,
            parent: frame,
            ..NodeOut::default()
        });
        self.by_name.insert(name.to_owned(), node);
        Some(node)
    }

    /// Adds the skin and the weights of a mesh under a frame. Returns the index of the skin.
    pub(super) fn skin(
        &mut self,
        (object, frame): (usize, Option<usize>),
        count: usize,
        vertices: &[Corner],
        mesh: &mut MeshOut,
    ) -> Result<Option<usize>, ReadError> {
        let tree = self.tree;
        let parts: Vec<usize> = self.children(object, "SkinWeights").collect();
        if let Some(header) = self.children(object, "XSkinMeshHeader").next() {
            let bones = tree[header].numbers.get(2).copied().unwrap_or(-1.0);
            if bones != parts.len() as f64 {
                self.odd(header, format!("it states {bones} bones, but there are {}", parts.len()));
            }
        }
        let mut bones = Bones { weights: vec![Vec::new(); count], ..Bones::default() };
        let mut computed = 0;
        for part in parts {
            computed += usize::from(self.bone_weights(part, frame, &mut bones)?);
        }
        if computed > 0 {
            let message = format!(
                "Bones without an offset matrix: {computed}; it is computed from the current pose \
                    of the frames"
            );
            self.diagnostics.add(Severity::Info, "ULNA_X_OFFSET", ".x SkinWeights", message);
        }
        if bones.bad > 0 {
            let bad = bones.bad;
            self.odd(
                object,
                format!("weights that are negative or not numbers: {bad}; they are left out"),
            );
        }
        if bones.joints.is_empty() {
            return Ok(None);
        }
        let (mut off, mut crowded, mut bare) = (0, 0, 0);
        let lists = std::mem::take(&mut bones.weights);
        let mut settled_lists: Vec<Vec<(u16, f32)>> = Vec::with_capacity(lists.len());
        for list in &lists {
            crowded += usize::from(list.len() > MOST_INFLUENCES);
            let (made, is_off) = settled(list);
            off += usize::from(is_off);
            bare += usize::from(made.is_empty());
            settled_lists.push(made);
        }
        if bare > 0 {
            // Unweighted vertices follow the frame of the mesh.
            let node = frame.unwrap_or_else(|| {
                self.glb.node(NodeOut { name: "Mesh frame".into(), ..NodeOut::default() })
            });
            let Some(joint) = bones.joint(node, &Mat4::IDENTITY) else {
                return too_many(&tree[object]);
            };
            settled_lists.iter_mut().filter(|l| l.is_empty()).for_each(|l| l.push((joint, 1.0)));
            let message =
                format!("Vertices without weights: {bare}; they follow the frame of the mesh");
            self.diagnostics.add(Severity::Info, "ULNA_X_NO_BONE", ".x Mesh", message);
        }
        if off > 0 {
            self.odd(
                object,
                format!("vertices whose weights do not sum to 1: {off}; they are normalized"),
            );
        }
        if crowded > 0 {
            self.odd(
                object,
                format!(
                    "vertices with more than {MOST_INFLUENCES} influences: {crowded}; the \
                     strongest are kept"
                ),
            );
        }
        let list_of = vertices.iter().map(|v| v.0 as u32).collect();
        mesh.influences = Some(InfluencesOut { lists: settled_lists, list_of });
        Ok(Some(self.glb.skin(&bones.joints, &bones.inverse)))
    }

    /// Reads the weights of one bone. Returns whether its offset matrix was missing or invalid, and
    /// had to be computed.
    fn bone_weights(
        &mut self,
        part: usize,
        frame: Option<usize>,
        bones: &mut Bones,
    ) -> Result<bool, ReadError> {
        let tree = self.tree;
        let name = tree[part].texts.first().cloned().unwrap_or_default();
        let mut numbers = Numbers { object: &tree[part], at: 0 };
        let n = numbers.count(2)?;
        let mut of = Vec::with_capacity(n);
        for _ in 0..n {
            of.push(numbers.index(bones.weights.len(), "vertex")?);
        }
        let mut values = Vec::with_capacity(n);
        for _ in 0..n {
            values.push(numbers.next()?);
        }
        let rest = &tree[part].numbers[numbers.at..];
        if !rest.is_empty() && rest.len() < 16 {
            return fail(
                &tree[part],
                format!("its offset matrix has {} values, but 16 are needed", rest.len()),
            );
        }
        let given = (!rest.is_empty()).then(|| affine(&matrix(rest))).filter(Mat4::is_finite);
        if !rest.is_empty() && given.is_none() {
            self.odd(
                part,
                "its offset matrix has values that are not finite numbers; it is computed from the \
                    current pose of the frames",
            );
        }
        let Some(node) = self.bone(part, &name, given.as_ref(), frame) else { return Ok(false) };
        let found = given.unwrap_or_else(|| {
            let made = self.scene_from(Some(node)).inverse() * self.scene_from(frame);
            if made.is_finite() { made } else { Mat4::IDENTITY }
        });
        let Some(joint) = bones.joint(node, &found) else { return too_many(&tree[part]) };
        for (vertex, weight) in of.into_iter().zip(values) {
            if weight.is_finite() && weight >= 0.0 {
                bones.weights[vertex].push((joint, weight));
            } else {
                bones.bad += 1;
            }
        }
        Ok(rest.is_empty())
    }
}

#[cfg(test)]
mod tests {
    use glam::Vec3;
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn weights_sum_to_one_in_descending_order_with_each_joint_once(
            list in prop::collection::vec((0u16..12, 0.0f64..1.0), 1..40)) {
            let (made, _) = settled(&list);
            prop_assume!(!made.is_empty());
            let sum: f32 = made.iter().map(|(_, w)| w).sum();
            prop_assert!((sum - 1.0).abs() <= 2e-7 * made.len() as f32, "{}", sum);
            prop_assert!(made.windows(2).all(|w| w[0].1 >= w[1].1 - 1e-6));
            let mut joints: Vec<u16> = made.iter().map(|(j, _)| *j).collect();
            joints.sort_unstable();
            joints.dedup();
            prop_assert_eq!(joints.len(), made.len());
        }
    }

    #[test]
    fn the_last_weight_is_one_minus_the_others() {
        assert_eq!(settled(&[(3, 0.7), (1, 0.29)]), (vec![(3, 0.7), (1, 0.3)], false));
        let (made, off) = settled(&[(3, 0.5), (1, 0.1)]);
        assert!(off && (made[0].1 - 0.833_333_3).abs() < 1e-6);
        assert_eq!(settled(&[(0, 0.0)]), (Vec::new(), false));
    }

    #[test]
    fn the_last_matrix_row_becomes_0_0_0_1() {
        let m = Mat4::from_translation(Vec3::ONE);
        let mut odd = m;
        odd.x_axis.w = 3.0;
        assert_eq!(affine(&odd), m);
    }
}
