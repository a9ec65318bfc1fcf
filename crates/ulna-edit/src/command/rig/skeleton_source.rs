//! The skeleton of another model at rest, and its text form, so that a journal or a script needs
//! the other file no more.

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

/// A joint of a copied skeleton, at rest.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SourceJoint {
    /// The name.
    pub name: String,
    /// The joint above, an index of an earlier one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<usize>,
    /// The position in the scene, meters.
    pub position: Vec3,
    /// The rotation in the scene.
    pub rotation: Quat,
    /// The joint on the other side; itself in the middle.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mirror: Option<usize>,
}

/// The skeleton of another model.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SkeletonSource {
    /// The version of the text.
    #[serde(rename = "ulna_skeleton")]
    version: u32,
    /// Parents before their children.
    pub joints: Vec<SourceJoint>,
    /// Lowest and highest corner of the meshes that it moves, or of its joints, meters.
    pub bounds: [Vec3; 2],
}

/// The version of the text.
const VERSION: u32 = 1;

/// A skeleton, or a text of one.
#[derive(Clone, Debug, PartialEq)]
pub enum SkeletonText {
    /// This one.
    Skeleton(Arc<SkeletonSource>),
    /// The text that was read.
    Text(String),
}

field!(
    SkeletonText,
    ArgumentType::Text,
    |from, name| from.text(name).map(|t| Self::Text(t.to_owned())),
    |v, d| match v {
        Self::Text(text) => text.as_str().into(),
        // Plain numbers and names always have a text.
        Self::Skeleton(source) => serde_json::to_string(&**source).unwrap_or_default().into(),
    }
);

impl SkeletonText {
    /// The skeleton.
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
    /// Number of joints.
    pub fn len(&self) -> usize {
        self.joints.len()
    }

    /// Whether it has no joints.
    pub fn is_empty(&self) -> bool {
        self.joints.is_empty()
    }

    /// The joints of a model that belong to a skin, or below one joint. Without skins: the bones of
    /// its humanoid map, and all nodes that its clips turn.
    ///
    /// # Errors
    /// Where the model has no such joints, or not exactly one joint `top`.
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

    /// Lowest and highest corner of the body.
    pub(super) fn corners(&self) -> Corners {
        (self.bounds[0].as_dvec3(), self.bounds[1].as_dvec3())
    }

    /// Its first fault, as a part of a sentence.
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

/// The nodes that are copied, parents before their children.
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
        // The topmost node alone is no skeleton, unless it is a joint.
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

/// `scene_from_node` of all nodes at rest.
fn rest_worlds(document: &Document) -> Vec<DMat4> {
    let mut worlds = vec![DMat4::IDENTITY; document.nodes.len()];
    for node in document.nodes.order().iter() {
        let about = document.node(*node);
        let above = about.parent.map_or(DMat4::IDENTITY, |p| worlds[p.index()]);
        worlds[node.index()] = above * about.rest.matrix().as_dmat4();
    }
    worlds
}

/// The rotation that makes a model face +Z: models of VRM 0 face −Z.
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
    // By node: the nearest copied joint at it or above it.
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

/// The corners of the meshes that some joints move, at rest; `None` where they move none.
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

/// All shown triangles at rest.
pub(super) fn surface_at_rest(document: &Document) -> Surface {
    let still = at_rest(document);
    Surface::new(&still, &Pose::evaluate(&still, &Stack::default()))
}
