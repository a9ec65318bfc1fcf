//! The skeleton as lines in space: what the viewport draws and what a click near it means.

use glam::Vec3;

use super::{Pose, joint_bounds, known::used_joints};
use ulna_model::{Document, NodeId};

/// A joint's body, from its head toward one of its children, or a stub where it has none.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bone {
    /// The joint it belongs to: the one at its head.
    pub joint: NodeId,
    /// The joint at its tail, where it is no stub.
    pub child: Option<NodeId>,
    /// Scene space, meters.
    pub head: Vec3,
    /// Scene space, meters.
    pub tail: Vec3,
}

/// Which nodes are joints, and which of them move something. Found once for a document.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Skeleton {
    /// Joints, by node: those of skins, and loose ones where they are asked for.
    pub joints: Vec<bool>,
    /// Joints that no skin names, by node; empty unless they are asked for.
    pub loose: Vec<bool>,
    /// Nodes that move vertices of their own.
    pub deforms: Vec<bool>,
    /// The same, or any below them do.
    pub carries: Vec<bool>,
}

impl Skeleton {
    /// Of a document.
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

    /// With the joints that no mesh is bound to yet.
    #[must_use]
    pub fn with_loose(mut self, document: &Document) -> Self {
        self.loose = document.loose_joint_flags();
        for (joint, loose) in self.joints.iter_mut().zip(&self.loose) {
            *joint |= *loose;
        }
        self
    }

    /// Whether a root only says where the whole stands: it moves nothing itself, or leads to
    /// nothing but the joint on which all limbs hang.
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

/// All bones of the shown skeletons: from a joint to those below it. Joints without get a stub that
/// goes on as their parent did.
///
/// No bone leads to a helper, below which nothing moves a vertex, where the joint carries something
/// else; and none from the root of a skeleton to the hips, or where it moves none itself: it is no
/// limb of anything.
pub fn bones(document: &Document, pose: &Pose, skeleton: &Skeleton) -> Vec<Bone> {
    let at = |id: NodeId| pose.world[id.index()].w_axis.truncate();
    let carries = |id: NodeId| {
        let marked = |flags: &[bool]| flags.get(id.index()) == Some(&true);
        marked(&skeleton.carries) || marked(&skeleton.loose)
    };
    let size = joint_bounds(document, pose).map_or(0.0, |(low, high)| (high - low).length());
    // A lone joint has a stub that can be seen.
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
