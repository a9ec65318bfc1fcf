//! Rig mode: its options, the change that is under way, and which joints are bound. Changes of
//! joints that meshes are bound to or clips move join the plan; others are made at once.

use std::collections::{BTreeMap, BTreeSet};

use glam::{DMat4, Mat4, Vec3};

use crate::ui::{Mode, RigOptions, RigStep, RigView};
use ulna_edit::{Command, Selection};
use ulna_model::{Document, NodeId};
use ulna_motion::Mirror;

/// Rig mode's options, and the change that is under way.
#[derive(Default)]
pub(super) struct RigMode {
    pub(super) options: RigOptions,
    pub(super) step: Option<RigStep>,
    /// `scene_from_joint` of joints that were dragged, until the plan says where they are.
    pub(super) moved: BTreeMap<NodeId, Mat4>,
    /// Changes with `moved`.
    pub(super) serial: u64,
    /// State of the plan and of `moved` from which bones were shown last.
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

    /// Rig mode as panels see it.
    pub(super) fn view(
        &self,
        document: Option<&Document>,
        selection: &Selection,
        mode: Mode,
    ) -> RigView<'_> {
        let selected: Vec<NodeId> = selection.nodes.iter().copied().collect();
        let added = self.step.as_ref().map_or(&[][..], |step| &step.added);
        let plans = mode.spec().edits_rest && document.is_some_and(|d| is_bound(d, &selected));
        RigView { options: self.options, added, plans }
    }

    /// Commands of the change that is under way, where it is planned.
    pub(super) fn dragged(&self) -> &[Command] {
        match &self.step {
            Some(step) if !self.moved.is_empty() => &step.commands,
            _ => &[],
        }
    }
}

/// Whether a change of these joints could change what is seen: meshes are bound to them or to
/// joints below them, or clips or layers move these.
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

/// The middle of a limb around a point: the mean of opposite points of the skin, square to the
/// bone. `hit`: the distance to the skin from a point along a direction. `None` where the point is
/// not inside.
pub(super) fn middle_of_limb(
    at: Vec3,
    way: Vec3,
    extent: f32,
    hit: &dyn Fn(Vec3, Vec3) -> Option<f32>,
) -> Option<Vec3> {
    /// Pairs of opposite directions, and repetitions from the middle that was found.
    const PAIRS: usize = 12;
    const ROUNDS: usize = 6;
    let way = if way.length() > extent * 1e-6 { way } else { Vec3::Y };
    let (u, v) = way.normalize_or(Vec3::Y).any_orthonormal_pair();
    let mut middle = at;
    for _ in 0..ROUNDS {
        let mut sum = Vec3::ZERO;
        for k in 0..PAIRS {
            let angle = std::f32::consts::PI * k as f32 / PAIRS as f32;
            let direction = u * angle.cos() + v * angle.sin();
            let (there, back) = hit(middle, direction).zip(hit(middle, -direction))?;
            sum += direction * ((there - back) * 0.5);
        }
        let step = sum / PAIRS as f32;
        middle += step;
        if step.length() < extent * 1e-5 {
            break;
        }
    }
    Some(middle)
}

/// The mirror joints of dragged joints, where they will be.
pub(super) fn twins(document: &Document, worlds: &[(NodeId, Mat4)]) -> Vec<(NodeId, Mat4)> {
    let mirror = Mirror::of(document);
    let twin = |(node, world): &(NodeId, Mat4)| {
        let partner = mirror.partner(*node).filter(|p| p != node)?;
        let reflection: DMat4 = mirror.reflection(*node)?;
        let at = reflection.transform_point3(world.w_axis.truncate().as_dvec3()).as_vec3();
        let mut there = mirror.stand(partner);
        there.w_axis = at.extend(1.0);
        Some((partner, there))
    };
    let is_dragged = |node: &NodeId| worlds.iter().any(|(n, _)| n == node);
    worlds.iter().filter_map(twin).filter(|(n, _)| !is_dragged(n)).collect()
}
