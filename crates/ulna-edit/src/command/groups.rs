//! Commands on groups of joints: naming, coloring, hiding, locking and soloing. Groups are saved
//! with the scene of the file.

use super::{
    CommandError, Outcome, Scene, define::document_commands, error::refuse, field::Nodes, rules,
};
use crate::Edit;
use ulna_model::{Document, GroupColor, JointGroup, SceneId};

document_commands! {
    /// Commands on groups of joints.
    GroupCommand in "Rig/Joint groups";

    /// Makes a joint group from the selected joints, with its own color
    NewGroup {
        /// Joints of the group.
        node: Nodes,
        /// Name of the group; “Group” with an unused number if omitted.
        name: Option<String>,
        /// Color of the bones: a word such as `teal`, or `#rrggbb`; an unused color if omitted.
        color: Option<GroupColor>,
    } = "group.add", "New joint group from the selection", enabled: rules::selected;
    /// Adds joints to a group, or removes them from it
    AssignGroup {
        /// Group to change.
        group: String,
        /// Joints to add or to remove.
        node: Nodes,
        /// Whether the joints are removed from the group.
        remove: Option<bool>,
    } = "group.assign", "Add joints to a group", asks: true, enabled: rules::selected;
    /// Renames, colors, hides, locks or soloes a joint group
    SetGroup {
        /// Group to change.
        group: String,
        /// New name.
        name: Option<String>,
        /// Color of the group's bones: a word such as `teal`, or `#rrggbb`.
        color: Option<GroupColor>,
        /// Whether to hide its joints; joints that another group shows stay visible.
        hidden: Option<bool>,
        /// Whether the group's joints cannot be selected or posed in the viewport.
        locked: Option<bool>,
        /// Whether only the joints of this and other soloed groups are shown.
        solo: Option<bool>,
    } = "group.set", "Change a joint group", asks: true;
    /// Removes a group; its joints stay
    RemoveGroup {
        /// Group to remove.
        group: String,
    } = "group.remove", "Remove a joint group", asks: true;
}

/// Order of the colors for new groups.
const COLORS: [GroupColor; GroupColor::PALETTE.len()] = [
    GroupColor::Blue,
    GroupColor::Green,
    GroupColor::Amber,
    GroupColor::Red,
    GroupColor::Violet,
    GroupColor::Teal,
    GroupColor::Pink,
    GroupColor::Lime,
    GroupColor::Yellow,
    GroupColor::Magenta,
    GroupColor::Brown,
    GroupColor::Steel,
    GroupColor::Orange,
];

fn keeping_scene(document: &Document) -> Result<SceneId, CommandError> {
    document.keeping_scene().ok_or_else(|| {
        CommandError::other(
            "no_scene",
            "this file has no scene, so joint groups cannot be saved in it",
        )
    })
}

/// Returns the index of a group by its name.
fn group_named(document: &Document, name: &str) -> Result<usize, CommandError> {
    let all = document.joint_groups();
    all.iter().position(|g| *g.name == *name).ok_or_else(|| {
        let names: Vec<&str> = all.iter().map(|g| &*g.name).collect();
        let there = if names.is_empty() {
            "the file has no joint groups".to_owned()
        } else {
            format!("joint groups: {}", names.join(", "))
        };
        CommandError::other("no_such_group", format!("there is no joint group “{name}”; {there}"))
    })
}

/// Returns the edit that changes the groups, or a note if nothing changes.
fn changed(
    document: &Document,
    change: impl FnOnce(&mut Vec<JointGroup>),
) -> Result<Outcome, CommandError> {
    let scene = keeping_scene(document)?;
    let mut groups = document.joint_groups().to_vec();
    change(&mut groups);
    if groups == document.joint_groups() {
        return Ok(Outcome::noted(
            "nothing_to_change",
            "the joint group already has these settings",
        ));
    }
    Ok(vec![Edit::SetJointGroups { scene, to: groups.into() }].into())
}

/// Returns the trimmed name of a group. Fails if it is empty, or if another group has the name.
fn free_name(document: &Document, name: &str, own: Option<usize>) -> Result<String, CommandError> {
    let name = name.trim();
    if name.is_empty() {
        return refuse("name_missing", "a joint group needs a name");
    }
    let mut others = document.joint_groups().iter().enumerate().filter(|(k, _)| Some(*k) != own);
    if others.any(|(_, g)| *g.name == *name) {
        return refuse("name_taken", format!("another joint group is already named “{name}”"));
    }
    Ok(name.to_owned())
}

impl NewGroup {
    fn work(&self, scene: &Scene<'_>) -> Result<Outcome, CommandError> {
        let document = scene.document;
        let nodes = self.node.all(document)?;
        let groups = document.joint_groups();
        let name = match &self.name {
            Some(name) => free_name(document, name, None)?,
            None => {
                let numbered = |k: usize| format!("Group {k}");
                let is_free = |name: &String| groups.iter().all(|g| *g.name != **name);
                (1..).map(numbered).find(is_free).unwrap_or_default()
            }
        };
        let unused = || COLORS.into_iter().find(|c| groups.iter().all(|g| g.color != *c));
        let color = match self.color {
            Some(color) => color,
            None => unused().unwrap_or(COLORS[groups.len() % COLORS.len()]),
        };
        let group = JointGroup { name: name.into(), color, nodes, ..JointGroup::default() };
        changed(document, |groups| groups.push(group))
    }
}

impl AssignGroup {
    fn work(&self, scene: &Scene<'_>) -> Result<Outcome, CommandError> {
        let document = scene.document;
        let nodes = self.node.all(document)?;
        let group = group_named(document, &self.group)?;
        changed(document, |groups| {
            let own = &mut groups[group].nodes;
            if self.remove == Some(true) {
                own.retain(|n| !nodes.contains(n));
            } else {
                own.extend(nodes);
                own.sort_unstable();
                own.dedup();
            }
        })
    }
}

impl SetGroup {
    fn work(&self, scene: &Scene<'_>) -> Result<Outcome, CommandError> {
        let document = scene.document;
        let group = group_named(document, &self.group)?;
        let name = self.name.as_ref().map(|n| free_name(document, n, Some(group))).transpose()?;
        changed(document, |groups| {
            let group = &mut groups[group];
            if let Some(name) = name {
                group.name = name.into();
            }
            group.color = self.color.unwrap_or(group.color);
            group.hidden = self.hidden.unwrap_or(group.hidden);
            group.locked = self.locked.unwrap_or(group.locked);
            group.solo = self.solo.unwrap_or(group.solo);
        })
    }
}

impl RemoveGroup {
    fn work(&self, scene: &Scene<'_>) -> Result<Outcome, CommandError> {
        let group = group_named(scene.document, &self.group)?;
        changed(scene.document, |groups| {
            groups.remove(group);
        })
    }
}
