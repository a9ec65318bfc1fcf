//! Groups of joints, which can be colored, hidden, locked and soloed.

use std::{collections::BTreeSet, sync::Arc};

use serde::{Deserialize, Serialize};

use super::{GroupColor, NodeId};

/// A named group of joints. A joint can be in several groups.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct JointGroup {
    /// Name; not blank, and unique among the groups of the scene.
    pub name: Arc<str>,
    /// Color of the group's joints.
    #[serde(default)]
    pub color: GroupColor,
    /// Nodes of the group in ascending order, without duplicates.
    pub nodes: Vec<NodeId>,
    /// Whether the group hides its joints. A joint stays visible if another of its groups shows it.
    #[serde(default, skip_serializing_if = "is_off")]
    pub hidden: bool,
    /// Whether the group's joints cannot be picked or posed in the viewport.
    #[serde(default, skip_serializing_if = "is_off")]
    pub locked: bool,
    /// Whether the group is soloed. If any group is soloed, joints outside all soloed groups are
    /// hidden.
    #[serde(default, skip_serializing_if = "is_off")]
    pub solo: bool,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
const fn is_off(flag: &bool) -> bool {
    !*flag
}

impl JointGroup {
    /// Whether a node is in the group.
    pub fn contains(&self, node: NodeId) -> bool {
        self.nodes.binary_search(&node).is_ok()
    }

    /// Whether all groups have unique names that are not blank, and sorted nodes without
    /// duplicates.
    pub fn are_valid(groups: &[Self]) -> bool {
        let names: BTreeSet<&str> = groups.iter().map(|g| &*g.name).collect();
        let rises = |g: &Self| g.nodes.windows(2).all(|w| w[0] < w[1]);
        names.len() == groups.len() && groups.iter().all(|g| !g.name.trim().is_empty() && rises(g))
    }

    /// Whether the groups hide a joint. If any group is soloed, joints outside all soloed groups
    /// are hidden. Otherwise, a joint is hidden if all of its groups are hidden.
    pub fn hide(groups: &[Self], node: NodeId) -> bool {
        let mut own = groups.iter().filter(|g| g.contains(node)).peekable();
        if groups.iter().any(|g| g.solo) {
            return !own.any(|g| g.solo);
        }
        own.peek().is_some() && own.all(|g| g.hidden)
    }

    /// Whether any group that contains a joint is locked.
    pub fn lock(groups: &[Self], node: NodeId) -> bool {
        groups.iter().any(|g| g.locked && g.contains(node))
    }

    /// Color of a joint: the color of the first group that contains it.
    pub fn color_of(groups: &[Self], node: NodeId) -> Option<GroupColor> {
        groups.iter().find(|g| g.contains(node)).map(|g| g.color)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn group(name: &str, nodes: &[u32]) -> JointGroup {
        let nodes = nodes.iter().map(|n| NodeId(*n)).collect();
        JointGroup { name: name.into(), nodes, ..JointGroup::default() }
    }

    #[test]
    fn a_joint_is_hidden_if_all_its_groups_are_hidden_or_others_are_soloed() {
        let mut groups = [group("a", &[1, 2]), group("b", &[2, 3])];
        let hidden = |groups: &[JointGroup]| -> Vec<u32> {
            (0..5).filter(|n| JointGroup::hide(groups, NodeId(*n))).collect()
        };
        assert_eq!(hidden(&groups), []);
        groups[0].hidden = true;
        assert_eq!(hidden(&groups), [1], "the second group shows 2");
        groups[1].solo = true;
        assert_eq!(hidden(&groups), [0, 1, 4]);
        groups[0].solo = true;
        assert_eq!(hidden(&groups), [0, 4]);
    }

    #[test]
    fn groups_have_unique_names_and_sorted_nodes() {
        assert!(JointGroup::are_valid(&[group("a", &[1, 2]), group("b", &[])]));
        assert!(!JointGroup::are_valid(&[group("a", &[]), group("a", &[])]));
        assert!(!JointGroup::are_valid(&[group(" ", &[1])]));
        assert!(!JointGroup::are_valid(&[group("a", &[2, 1])]));
        assert!(!JointGroup::are_valid(&[group("a", &[1, 1])]));
    }

    #[test]
    fn a_node_has_the_locks_of_all_groups_and_the_color_of_the_first() {
        let mut groups = [group("a", &[1]), group("b", &[1, 2])];
        groups[1].locked = true;
        groups[0].color = GroupColor::Red;
        assert!(JointGroup::lock(&groups, NodeId(1)) && !JointGroup::lock(&groups, NodeId(3)));
        assert_eq!(JointGroup::color_of(&groups, NodeId(1)), Some(GroupColor::Red));
        assert_eq!(JointGroup::color_of(&groups, NodeId(2)), Some(GroupColor::Violet));
        assert_eq!(JointGroup::color_of(&groups, NodeId(3)), None);
    }
}
