//! State of Rig mode: its options, the current drag, and which joints are bound. Changes are
//! planned for joints with bound meshes and for joints that clips move. Other changes are applied
//! immediately.

use std::collections::{BTreeMap, BTreeSet};

use glam::{DMat4, Mat4};

use super::rig_clip::RigClip;
use crate::ui::{Mode, RigOptions, RigStep, RigView};
use ulna_edit::{Command, Selection};
use ulna_model::{Document, NodeId};
use ulna_motion::Mirror;

/// Options of Rig mode, and the current drag.
#[derive(Default)]
pub(super) struct RigMode {
    pub(super) options: RigOptions,
    pub(super) step: Option<RigStep>,
    /// New matrix `scene_from_joint` of each dragged joint, until the plan has computed its
    /// position.
    pub(super) moved: BTreeMap<NodeId, Mat4>,
    /// Serial number that increases whenever `moved` changes.
    pub(super) serial: u64,
    /// The clip that plays in Rig mode.
    pub(super) clip: RigClip,
    /// Document generation, and serial numbers of the plan and of `moved`, when bones were last
    /// shown.
    pub(super) shown: Option<(u64, u64, u64)>,
}

impl RigMode {
    pub(super) fn forget(&mut self) {
        if !self.moved.is_empty() {
            self.moved.clear();
            self.serial += 1;
        }
    }

    pub(super) fn put(&mut self, worlds: impl IntoIterator<Item = (NodeId, Mat4)>) {
        self.moved.extend(worlds);
        self.serial += 1;
    }

    /// State of Rig mode, for display in the panels.
    pub(super) fn view(
        &self,
        document: Option<&Document>,
        selection: &Selection,
        mode: Mode,
    ) -> RigView<'_> {
        let selected: Vec<NodeId> = selection.nodes.iter().copied().collect();
        let added = self.step.as_ref().map_or(&[][..], |step| &step.added);
        let plans = mode.spec().edits_rest && document.is_some_and(|d| is_bound(d, &selected));
        let clip = self.clip.chosen.filter(|_| mode.spec().edits_rest);
        let is_planned = self.clip.is_planned();
        RigView { options: self.options, added, plans, clip, is_planned }
    }

    /// Commands of the current drag, if the change is planned.
    pub(super) fn dragged(&self) -> &[Command] {
        match &self.step {
            Some(step) if !self.moved.is_empty() => &step.commands,
            _ => &[],
        }
    }
}

/// True if changes of joints must be planned: skins use the joints or their children, or clips move
/// the joints.
pub(super) fn is_bound(document: &Document, nodes: &[NodeId]) -> bool {
    let joints = document.joint_flags();
    let there = nodes.iter().filter(|n| document.nodes.contains(**n));
    let meant: BTreeSet<NodeId> =
        there.flat_map(|n| document.children(*n).iter().chain([n])).copied().collect();
    let is_keyed = document
        .clips
        .values()
        .any(|clip| clip.tracks.values().any(|track| meant.contains(&track.target)));
    is_keyed || meant.iter().any(|n| joints[n.index()])
}

/// New matrices `scene_from_joint` of the mirror joints of dragged joints.
pub(super) fn twins(document: &Document, worlds: &[(NodeId, Mat4)]) -> Vec<(NodeId, Mat4)> {
    let mirror = Mirror::of(document);
    let twin = |(node, world): &(NodeId, Mat4)| {
        let partner = mirror.partner(*node)?;
        let reflection: DMat4 = mirror.reflection(*node)?;
        if partner == *node {
            // A joint in the symmetry plane stays in this plane.
            let was = mirror.stand(*node).w_axis.truncate();
            let by = (world.w_axis.truncate() - was).as_dvec3();
            let by = ((by + reflection.transform_vector3(by)) / 2.0).as_vec3();
            let mut there = *world;
            there.w_axis = (was + by).extend(1.0);
            return Some((partner, there));
        }
        let at = reflection.transform_point3(world.w_axis.truncate().as_dvec3()).as_vec3();
        let mut there = mirror.stand(partner);
        there.w_axis = at.extend(1.0);
        Some((partner, there))
    };
    let is_center = |node: &NodeId| mirror.partner(*node) == Some(*node);
    let is_dragged = |node: &NodeId| worlds.iter().any(|(n, _)| n == node);
    let meant = |(node, _): &(NodeId, Mat4)| is_center(node) || !is_dragged(node);
    worlds.iter().filter_map(twin).filter(meant).collect()
}
