//! The skeleton of another model in its rest pose, and its text form. With the text, a journal or
//! script does not need the other file.

use std::sync::Arc;

use glam::{DMat4, DQuat, DVec3, Quat, Vec3};
use serde::{Deserialize, Serialize};

use super::skeleton_fit::{Corners, corners};
use crate::command::{
    ArgumentType, CommandError,
    error::refuse,
    field::{Nodes, field},
};
use ulna_model::{Document, NodeId, Property, Transform, transform::decompose};
use ulna_motion::{MirrorPairs, Pose, Stack, Surface};
use ulna_weights::at_rest;

/// A joint of a copied skeleton, in the rest pose.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SourceJoint {
    /// Name of the joint.
    pub name: String,
    /// Index of the parent joint, which precedes this joint; `None` for a root.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<usize>,
    /// Position in the scene, in meters.
    pub position: Vec3,
    /// World rotation.
    pub rotation: Quat,
    /// Index of the mirror joint; the joint itself if it is in the middle.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mirror: Option<usize>,
}

/// The skeleton of another model.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SkeletonSource {
    /// Version of the text format.
    #[serde(rename = "ulna_skeleton")]
    version: u32,
    /// Joints, parents before children.
    pub joints: Vec<SourceJoint>,
    /// Bounding box of the meshes that the skeleton deforms, or else of its joints, in meters.
    pub bounds: [Vec3; 2],
}

/// Version of the text format.
const VERSION: u32 = 1;

/// A skeleton, or its text form.
#[derive(Clone, Debug, PartialEq)]
pub enum SkeletonText {
    /// The parsed skeleton.
    Skeleton(Arc<SkeletonSource>),
    /// Text that is not parsed yet.
    Text(String),
}

field!(
    SkeletonText,
    ArgumentType::Text,
    |from, name| from.text(name).map(|t| Self::Text(t.to_owned())),
    |v, d| match v {
        Self::Text(text) => text.as_str().into(),
        // Serialization of plain numbers and names cannot fail.
        Self::Skeleton(source) => serde_json::to_string(&**source).unwrap_or_default().into(),
    }
);

impl SkeletonText {
    /// Returns the skeleton, and parses it first if it is a text.
    pub(super) fn read(&self) -> Result<Arc<SkeletonSource>, CommandError> {
        let text = match self {
            Self::Skeleton(source) => return Ok(source.clone()),
            Self::Text(text) => text,
        };
        let broken = |why: String| {
            CommandError::other(
                "not_a_skeleton",
                format!("the text does not contain a skeleton copied from Ulna: {why}"),
            )
        };
        let found: serde_json::Value =
            serde_json::from_str(text).map_err(|e| broken(e.to_string()))?;
        if let Some(version) = found["ulna_skeleton"].as_u64().filter(|v| *v > VERSION.into()) {
            return refuse(
                "made_by_newer_version",
                format!(
                    "the skeleton was copied by a newer version of Ulna (text format {version}); \
                        update Ulna to paste it"
                ),
            );
        }
        let source: SkeletonSource =
            serde_json::from_value(found).map_err(|e| broken(e.to_string()))?;
        match source.fault() {
            None => Ok(Arc::new(source)),
            Some(fault) => Err(broken(fault)),
        }
    }
}

impl SkeletonSource {
    /// Returns the number of joints.
    pub fn len(&self) -> usize {
        self.joints.len()
    }

    /// Whether the skeleton has no joints.
    pub fn is_empty(&self) -> bool {
        self.joints.is_empty()
    }

    /// Copies the skin joints of a model, or only those at or below `top`. If there are none,
    /// copies the bones of its humanoid map and the nodes with rotation keys.
    ///
    /// # Errors
    /// If the model has no such joints, or if `top` does not match exactly one node.
    pub fn of(document: &Document, top: Option<&str>) -> Result<Self, CommandError> {
        let top = match top {
            None => None,
            Some(text) => match Nodes::Named(vec![text.to_owned()]).all(document)?[..] {
                [one] => Some(one),
                _ => return refuse("one_node_wanted", "“joint” must be one joint of the file"),
            },
        };
        let nodes = chosen(document, top);
        if nodes.is_empty() {
            return refuse(
                "no_source_skeleton",
                "the file has no skeleton: no skin and no clip names joints; name the topmost node \
                    of the skeleton as “joint”",
            );
        }
        let worlds = rest_worlds(document);
        let turn = front(document);
        let joints = joints(document, &nodes, &worlds, turn);
        let places: Vec<DVec3> = joints.iter().map(|j| j.position.as_dvec3()).collect();
        let is_fine = |j: &SourceJoint| j.position.is_finite() && j.rotation.is_finite();
        let shown = surface_of(document, &nodes).map(|all| turned(all, turn));
        let bounds = shown.or_else(|| corners(&places)).unwrap_or_default();
        let bounds = [bounds.0.as_vec3(), bounds.1.as_vec3()];
        if !joints.iter().all(is_fine) || !bounds.iter().all(|c| c.is_finite()) {
            return refuse(
                "skeleton_not_finite",
                "a joint of the skeleton has no finite position; repair the file first",
            );
        }
        Ok(Self { version: VERSION, joints, bounds })
    }

    /// Returns the bounding box of the body.
    pub(super) fn corners(&self) -> Corners {
        (self.bounds[0].as_dvec3(), self.bounds[1].as_dvec3())
    }

    /// Describes the first invalid value, as a part of a sentence; `None` if all are valid.
    fn fault(&self) -> Option<String> {
        let count = self.joints.len();
        for (k, joint) in self.joints.iter().enumerate() {
            let numbers = joint.position.is_finite()
                && joint.rotation.is_finite()
                && (joint.rotation.length() - 1.0).abs() < 1e-3;
            if !numbers {
                return Some(format!("joint “{}” has invalid numbers", joint.name));
            }
            if joint.parent.is_some_and(|p| p >= k) {
                return Some(format!("joint “{}” comes before its parent", joint.name));
            }
            let back = |m: usize| self.joints.get(m).is_some_and(|o| o.mirror == Some(k));
            if joint.mirror.is_some_and(|m| m >= count || !back(m)) {
                return Some(format!("joint “{}” has no valid mirror joint", joint.name));
            }
        }
        let bounds = self.bounds.iter().all(|c| c.is_finite());
        match (count, bounds) {
            (0, _) => Some("it has no joints".to_owned()),
            (_, false) => Some("its bounds are invalid".to_owned()),
            _ => None,
        }
    }
}

/// Returns the nodes to copy, parents before children.
fn chosen(document: &Document, top: Option<NodeId>) -> Vec<NodeId> {
    let order = document.nodes.order();
    let mut inside = vec![top.is_none(); document.nodes.len()];
    for node in order.iter() {
        let parent = document.node(*node).parent;
        inside[node.index()] |= Some(*node) == top || parent.is_some_and(|p| inside[p.index()]);
    }
    let below = |flags: &[bool]| -> Vec<NodeId> {
        let is_meant = |n: &NodeId| inside[n.index()] && (flags[n.index()] || Some(*n) == top);
        let all: Vec<NodeId> = order.iter().copied().filter(is_meant).collect();
        // A top node without joints below it is not a skeleton, unless it is a joint itself.
        let any = all.iter().any(|n| flags[n.index()]);
        if any { all } else { Vec::new() }
    };
    let of_skins = below(&document.joint_flags());
    if !of_skins.is_empty() {
        return of_skins;
    }
    let mut flags = vec![false; document.nodes.len()];
    let bones = document.vrm.iter().flat_map(|v| v.bones.iter()).map(|(_, n)| *n);
    let tracks = document.clips.values().flat_map(|c| c.tracks.values());
    let turned = tracks.filter(|t| t.property == Property::Rotation).map(|t| t.target);
    bones.chain(turned).for_each(|n| flags[n.index()] = true);
    let moved = below(&flags);
    if !moved.is_empty() || top.is_none() {
        return moved;
    }
    let is_empty = |n: &NodeId| {
        let node = document.node(*n);
        node.mesh.is_none() && node.camera.is_none() && node.light.is_none()
    };
    order.iter().copied().filter(|n| inside[n.index()] && is_empty(n)).collect()
}

/// Returns `scene_from_node` of all nodes in the rest pose.
fn rest_worlds(document: &Document) -> Vec<DMat4> {
    let mut worlds = vec![DMat4::IDENTITY; document.nodes.len()];
    for node in document.nodes.order().iter() {
        let about = document.node(*node);
        let above = about.parent.map_or(DMat4::IDENTITY, |p| worlds[p.index()]);
        worlds[node.index()] = above * about.rest.matrix().as_dmat4();
    }
    worlds
}

/// Returns the rotation that makes a model face +Z. Models of VRM 0 face −Z.
fn front(document: &Document) -> DQuat {
    match &document.vrm {
        Some(vrm) if vrm.version.starts_with('0') => DQuat::from_rotation_y(std::f64::consts::PI),
        _ => DQuat::IDENTITY,
    }
}

fn turned((low, high): Corners, turn: DQuat) -> Corners {
    let (a, b) = (turn * low, turn * high);
    (a.min(b), a.max(b))
}

fn joints(
    document: &Document,
    nodes: &[NodeId],
    worlds: &[DMat4],
    turn: DQuat,
) -> Vec<SourceJoint> {
    let mut slots = vec![None; document.nodes.len()];
    nodes.iter().enumerate().for_each(|(k, n)| slots[n.index()] = Some(k));
    // Per node: the nearest copied joint among the node and its ancestors.
    let mut nearest = vec![None; document.nodes.len()];
    let mut made = Vec::with_capacity(nodes.len());
    for node in document.nodes.order().iter() {
        let above = document.node(*node).parent.and_then(|p| nearest[p.index()]);
        nearest[node.index()] = slots[node.index()].or(above);
        if slots[node.index()].is_none() {
            continue;
        }
        let world = &worlds[node.index()];
        let rotation = decompose(world, &Transform::IDENTITY).transform.rotation;
        made.push(SourceJoint {
            name: document.node(*node).label(*node),
            parent: above,
            position: (turn * world.w_axis.truncate()).as_vec3(),
            rotation: (turn * rotation.as_dquat()).normalize().as_quat(),
            mirror: None,
        });
    }
    let places: Vec<Vec3> = made.iter().map(|j| j.position).collect();
    let pairs = MirrorPairs::among(document, nodes, places, &[], &[Vec3::X]);
    for (joint, role) in made.iter_mut().zip(pairs.joints()) {
        joint.mirror = role.partner;
    }
    made
}

/// Returns the bounding box of the meshes that these joints deform, in the rest pose; `None` if
/// there are none.
fn surface_of(document: &Document, joints: &[NodeId]) -> Option<Corners> {
    let mut flags = vec![false; document.nodes.len()];
    joints.iter().for_each(|n| flags[n.index()] = true);
    let is_moved = |node: NodeId| {
        let skin = document.node(node).skin.and_then(|s| document.skins.get(s));
        skin.is_some_and(|s| s.joints.iter().any(|j| flags[j.index()]))
    };
    let surface = surface_at_rest(document);
    let parts = surface.parts().filter(|p| p.places.is_none() && is_moved(p.node));
    let points = parts.flat_map(|p| p.positions).filter(|p| p.is_finite());
    corners(&points.map(|p| p.as_dvec3()).collect::<Vec<_>>())
}

/// Returns all visible triangles in the rest pose.
pub(super) fn surface_at_rest(document: &Document) -> Surface {
    let still = at_rest(document);
    Surface::new(&still, &Pose::evaluate(&still, &Stack::default()))
}
