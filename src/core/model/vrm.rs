//! What a VRM file says of its avatar: who made it, under which terms, and which node is which bone of a human.

use std::sync::Arc;

use super::{NodeId, Shared};

/// The avatar of a VRM file (`VRM` for version 0, `VRMC_vrm` for version 1).
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Vrm {
    /// The version of the specification, such as `0.0` or `1.0`.
    pub version: Arc<str>,
    /// The avatar's name.
    pub title: Option<Arc<str>>,
    /// Who made it.
    pub authors: Vec<Arc<str>>,
    /// The licence: its name or its address.
    pub licence: Option<Arc<str>>,
    /// Bones of a human by their role, such as `leftUpperArm`, in the spelling of the file's version; sorted by role, no
    /// role twice.
    pub bones: Shared<[(Arc<str>, NodeId)]>,
    /// How many chains swing by themselves.
    pub springs: usize,
}

impl Vrm {
    /// The node of a role.
    pub fn node(&self, role: &str) -> Option<NodeId> {
        self.bones.binary_search_by(|(r, _)| (**r).cmp(role)).ok().map(|k| self.bones[k].1)
    }

    /// The role of a node.
    pub fn role(&self, node: NodeId) -> Option<&str> {
        self.bones.iter().find(|(_, n)| *n == node).map(|(role, _)| &**role)
    }

    /// The node with the same role on the other side; nothing for roles in the middle.
    pub fn mirror(&self, node: NodeId) -> Option<NodeId> {
        let role = self.role(node)?;
        let other = match (role.strip_prefix("left"), role.strip_prefix("right")) {
            (Some(rest), _) => format!("right{rest}"),
            (_, Some(rest)) => format!("left{rest}"),
            _ => return None,
        };
        self.node(&other)
    }
}
