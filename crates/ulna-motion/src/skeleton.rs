//! The skeleton as lines in space, for drawing and for picking of joints.

use glam::Vec3;

use super::{Pose, joint_bounds, known::used_joints};
use ulna_model::{Document, NodeId};

/// A bone from a joint to one of its children. A joint without children has a stub.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bone {
    /// The joint at the head, which owns the bone.
    pub joint: NodeId,
    /// The joint at the tail; `None` for a stub.
    pub child: Option<NodeId>,
    /// Head in scene space, meters.
    pub head: Vec3,
    /// Tail in scene space, meters.
    pub tail: Vec3,
}

/// Joints of a document, and flags for the joints that move vertices. Computed once per document.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Skeleton {
    /// One flag per node: whether it is a joint. Joints that belong to no skin are included if they
    /// were requested.
    pub joints: Vec<bool>,
    /// One flag per node: whether it is a loose joint, which belongs to no skin. Empty unless
    /// requested.
    pub loose: Vec<bool>,
    /// One flag per node: whether it moves vertices itself.
    pub deforms: Vec<bool>,
    /// One flag per node: whether it or a node below it moves vertices.
    pub carries: Vec<bool>,
}

impl Skeleton {
    /// Finds the skeleton of a document, without joints that belong to no skin.
    pub fn of(document: &Document) -> Self {
        let mut deforms = vec![false; document.nodes.len()];
        for (id, node) in document.nodes.iter() {
            let Some(mesh) = node.mesh else { continue };
            let Some(skin) = node.skin else {
                deforms[id.index()] = true;
                continue;
            };
            let joints = &document.skin(skin).joints;
            for weights in document.mesh(mesh).primitives.iter().filter_map(|p| p.weights.as_ref())
            {
                let used = used_joints(weights);
                for (joint, _) in joints.iter().zip(used.iter()).filter(|(_, used)| **used) {
                    deforms[joint.index()] = true;
                }
            }
        }
        let mut carries = deforms.clone();
        for id in document.nodes.order().iter().rev() {
            if let Some(parent) = document.node(*id).parent.filter(|_| carries[id.index()]) {
                carries[parent.index()] = true;
            }
        }
        Self { joints: document.joint_flags(), loose: Vec::new(), deforms, carries }
    }

    /// Adds the joints that belong to no skin, because no mesh is bound to them yet.
    #[must_use]
    pub fn with_loose(mut self, document: &Document) -> Self {
        self.loose = document.loose_joint_flags();
        for (joint, loose) in self.joints.iter_mut().zip(&self.loose) {
            *joint |= *loose;
        }
        self
    }

    /// Whether a root joint only positions the skeleton: it moves no vertices itself, or its only
    /// child is the joint from which all limbs start.
    fn is_origin(&self, document: &Document, id: NodeId) -> bool {
        let carries = |id: &NodeId| self.joint(*id) && self.carries.get(id.index()) == Some(&true);
        let below =
            |id: NodeId| document.children(id).iter().copied().filter(carries).collect::<Vec<_>>();
        let leads_to_hips = matches!(below(id)[..], [hips] if below(hips).len() > 1);
        carries(&id) && (self.deforms.get(id.index()) == Some(&false) || leads_to_hips)
    }

    fn joint(&self, id: NodeId) -> bool {
        self.joints.get(id.index()) == Some(&true)
    }
}

/// Returns all bones of the shown skeletons, from each joint to its child joints. A joint without a
/// child has a stub that continues its parent's bone.
///
/// If a joint has branches that move vertices, it gets no bones to helper nodes that do not. There
/// is no bone from a root joint at the origin to the hips, since it is not part of a limb.
pub fn bones(document: &Document, pose: &Pose, skeleton: &Skeleton) -> Vec<Bone> {
    let at = |id: NodeId| pose.world[id.index()].w_axis.truncate();
    let carries = |id: NodeId| {
        let marked = |flags: &[bool]| flags.get(id.index()) == Some(&true);
        marked(&skeleton.carries) || marked(&skeleton.loose)
    };
    let size = joint_bounds(document, pose).map_or(0.0, |(low, high)| (high - low).length());
    // A single joint gets a stub of visible length.
    let size = if size > 1e-6 { size } else { 1.0 };
    let mut list = Vec::new();
    for id in document.shown_nodes() {
        if !skeleton.joint(id) || !at(id).is_finite() {
            continue;
        }
        let head = at(id);
        let before = list.len();
        let parent = document.node(id).parent.filter(|p| skeleton.joint(*p));
        let is_origin = parent.is_none() && skeleton.is_origin(document, id);
        for child in document.children(id).iter().filter(|c| skeleton.joint(**c)) {
            let tail = at(*child);
            let leads = !is_origin && (carries(*child) || !carries(id));
            if leads && tail.is_finite() && tail.distance(head) > size * 1e-5 {
                list.push(Bone { joint: id, child: Some(*child), head, tail });
            }
        }
        if list.len() == before {
            let along = parent.map_or(Vec3::Y * size * 0.05, |p| (head - at(p)) * 0.45);
            let most = if is_origin { 0.025 } else { 0.06 };
            let length = along.length().clamp(size * 0.008, size * most);
            let tail = head + along.normalize_or(Vec3::Y) * length;
            list.push(Bone { joint: id, child: None, head, tail });
        }
    }
    list
}
