//! Vectors of VRM files in the space of nodes, and constraints between nodes. Malformed entries are
//! skipped and stay in the file.

use glam::Vec3;
use serde_json::Value;

use super::{json::Extensions, references::index_of, schema};
use ulna_model::{
    ConstraintKind, NodeConstraint, NodeId, NodeSpace, NodeVector, VectorForm, VectorKind,
};

/// Vectors in the shapes of colliders: shape, member, default value and kind.
const SHAPES: [(&str, &str, Vec3, VectorKind); 5] = [
    ("sphere", "offset", Vec3::ZERO, VectorKind::Position),
    ("capsule", "offset", Vec3::ZERO, VectorKind::Position),
    ("capsule", "tail", Vec3::ZERO, VectorKind::Position),
    ("plane", "offset", Vec3::ZERO, VectorKind::Position),
    ("plane", "normal", Vec3::Z, VectorKind::Direction),
];

/// Name of the extension for colliders with shapes that older readers do not support.
const EXTENDED: &str = "VRMC_springBone_extended_collider";

/// Reads vectors and constraints from the extensions of a file and of its nodes.
pub fn read(extensions: &Extensions, nodes: &[schema::Node]) -> NodeSpace {
    let mut reader = VectorReader { count: nodes.len(), vectors: Vec::new() };
    // A file may contain several VRM versions. Each reader handles one extension.
    for (name, read) in [
        ("VRMC_springBone", VectorReader::spring_bone as fn(&mut VectorReader, &Value)),
        ("VRMC_vrm", VectorReader::one),
        ("VRM", VectorReader::zero),
    ] {
        if let Some(extension) = extensions.get::<Value>(name) {
            read(&mut reader, &extension);
        }
    }
    NodeSpace { vectors: reader.vectors.into(), constraints: constraints(nodes).into() }
}

fn constraints(nodes: &[schema::Node]) -> Vec<NodeConstraint> {
    let kinds = [
        ("roll", ConstraintKind::Roll),
        ("aim", ConstraintKind::Aim),
        ("rotation", ConstraintKind::Rotation),
    ];
    let mut found = Vec::new();
    for (k, node) in nodes.iter().enumerate() {
        let Some(extension) = node.extensions.get::<Value>("VRMC_node_constraint") else {
            continue;
        };
        for (name, kind) in kinds {
            let source = node_of(&extension["constraint"][name]["source"], nodes.len());
            let made = |source| NodeConstraint { node: NodeId::from(k), source, kind };
            found.extend(source.map(made));
        }
    }
    found
}

/// Converts an index to a node id. `None` if the value is not an index, or the node does not exist.
fn node_of(value: &Value, count: usize) -> Option<NodeId> {
    index_of(value).filter(|k| (*k as usize) < count).map(NodeId)
}

/// Items of a JSON list, with their indices. Empty if the value is not a list.
fn items(value: &Value) -> impl Iterator<Item = (usize, &Value)> {
    value.as_array().into_iter().flatten().enumerate()
}

/// Reads the vector in a member of an object. Returns `default` if the member is missing.
fn vector(object: &Value, member: &str, default: Option<Vec3>, form: VectorForm) -> Option<Vec3> {
    let Some(value) = object.as_object()?.get(member) else { return default };
    let number = |v: &Value| v.as_f64().map(|v| v as f32).filter(|v| v.is_finite());
    match form {
        VectorForm::List => match value.as_array()?.as_slice() {
            [x, y, z] => Some(Vec3::new(number(x)?, number(y)?, number(z)?)),
            _ => None,
        },
        VectorForm::LeftHanded => {
            let members = value.as_object()?;
            let component = |name: &str| members.get(name).map_or(Some(0.0), number);
            Some(Vec3::new(component("x")?, component("y")?, -component("z")?))
        }
    }
}

/// Collector of the vectors in the space of nodes.
struct VectorReader {
    /// Number of nodes in the file.
    count: usize,
    vectors: Vec<NodeVector>,
}

impl VectorReader {
    fn push(
        &mut self,
        node: NodeId,
        pointer: &str,
        value: Option<Vec3>,
        (kind, form): (VectorKind, VectorForm),
    ) {
        let made = |value| NodeVector { node, pointer: pointer.into(), value, kind, form };
        self.vectors.extend(value.map(made));
    }

    fn spring_bone(&mut self, extension: &Value) {
        for (k, collider) in items(&extension["colliders"]) {
            let Some(node) = node_of(&collider["node"], self.count) else { continue };
            let own = format!("extensions/VRMC_springBone/colliders/{k}");
            let shape = &collider["shape"];
            self.shape(node, shape, &format!("{own}/shape"));
            let shape = &collider["extensions"][EXTENDED]["shape"];
            self.shape(node, shape, &format!("{own}/extensions/{EXTENDED}/shape"));
        }
    }

    fn shape(&mut self, node: NodeId, shape: &Value, own: &str) {
        for (name, member, default, kind) in SHAPES {
            let value = vector(&shape[name], member, Some(default), VectorForm::List);
            let pointer = format!("{own}/{name}/{member}");
            self.push(node, &pointer, value, (kind, VectorForm::List));
        }
    }

    fn one(&mut self, extension: &Value) {
        let head = &extension["humanoid"]["humanBones"]["head"]["node"];
        let Some(head) = node_of(head, self.count) else { return };
        let (member, form) = ("offsetFromHeadBone", VectorForm::List);
        let value = vector(&extension["lookAt"], member, None, form);
        let pointer = format!("extensions/VRMC_vrm/lookAt/{member}");
        self.push(head, &pointer, value, (VectorKind::Position, form));
    }

    fn zero(&mut self, extension: &Value) {
        let form = VectorForm::LeftHanded;
        let first = &extension["firstPerson"];
        let head = || {
            let bones = items(&extension["humanoid"]["humanBones"]);
            let head = bones.map(|(_, b)| b).find(|b| b["bone"] == "head")?;
            node_of(&head["node"], self.count)
        };
        if let Some(node) = node_of(&first["firstPersonBone"], self.count).or_else(head) {
            let member = "firstPersonBoneOffset";
            let pointer = format!("extensions/VRM/firstPerson/{member}");
            let value = vector(first, member, None, form);
            self.push(node, &pointer, value, (VectorKind::Position, form));
        }
        for (k, group) in items(&extension["secondaryAnimation"]["colliderGroups"]) {
            let Some(node) = node_of(&group["node"], self.count) else { continue };
            let own = format!("extensions/VRM/secondaryAnimation/colliderGroups/{k}/colliders");
            for (l, collider) in items(&group["colliders"]) {
                let value = vector(collider, "offset", Some(Vec3::ZERO), form);
                let pointer = format!("{own}/{l}/offset");
                self.push(node, &pointer, value, (VectorKind::Position, form));
            }
        }
    }
}
