//! The pose in which a bind is tested: a bent joint, or the range of motion of all joints.

use std::collections::BTreeMap;

use glam::Quat;

use crate::ui::{BindDraft, TrialPose};
use ulna_edit::command::BindJoint;
use ulna_model::{Clip, Derived, Document, NodeId, Shared, SkinId};
use ulna_motion::{Bend, Mirror, Pose, Stack, bending_axis, trial_motion};

/// Range of motion in degrees for joints without limits in the file.
const RANGE: f32 = 60.0;
/// First serial number of test poses. Smaller numbers belong to the bends of Paint mode.
const FIRST_SERIAL: u64 = 1 << 32;

/// Inputs of a bend: document state, joint, angle in degrees, and whether both sides bend.
type BendOf = ((u64, Option<u64>), NodeId, u32, bool);

/// The pose in which a bind is tested.
#[derive(Default)]
pub(in crate::app) struct Trial {
    /// Kind of the test pose; `None` while the panel is closed.
    pose: Option<TrialPose>,
    joint: Option<NodeId>,
    skin: Option<SkinId>,
    bend: Derived<BendOf, Bend>,
    range: Derived<(u64, Vec<NodeId>), Shared<Clip>>,
    /// Number of bends and ranges of motion so far.
    serial: u64,
}

impl Trial {
    pub(super) const fn is_open(&self) -> bool {
        self.pose.is_some()
    }

    pub(super) fn pose(&self) -> TrialPose {
        self.pose.unwrap_or(TrialPose::Rest)
    }

    /// The selected joint, if it is in the list of joints.
    pub(super) const fn joint(&self) -> Option<NodeId> {
        self.joint
    }

    /// The bent joint, if the test pose is a bend.
    pub(super) fn bent(&self) -> Option<NodeId> {
        self.joint.filter(|_| self.pose == Some(TrialPose::Bend))
    }

    /// The rotated joints: the bent joint and, if both sides bend, its mirror joint.
    pub(super) fn turned(&self) -> Vec<NodeId> {
        let bend = self.bend.get().filter(|_| self.bent().is_some());
        bend.map_or_else(Vec::new, |bend| bend.turns.keys().copied().collect())
    }

    /// The bend, its skin, and its serial number.
    pub(in crate::app) fn bend(&self) -> Option<(&Bend, SkinId, u64)> {
        self.bent()?;
        Some((self.bend.get()?, self.skin?, FIRST_SERIAL + self.serial))
    }

    /// The range of motion as a clip, and its serial number.
    pub(super) fn range(&self) -> Option<(&Shared<Clip>, u64)> {
        Some((self.range.get()?, FIRST_SERIAL + self.serial))
    }

    /// Duration of the range of motion, in seconds.
    pub(in crate::app) fn length(&self) -> Option<f64> {
        let is_range = self.pose == Some(TrialPose::Range);
        self.range.get().filter(|_| is_range).map(|clip| f64::from(clip.length()))
    }

    /// Computes the test pose for the panel's settings. `state` identifies the shown document.
    pub(super) fn follow(
        &mut self,
        document: &Document,
        state: (u64, Option<u64>),
        (draft, joints): (&BindDraft, &[BindJoint]),
        active: Option<NodeId>,
    ) {
        let trial = draft.trial;
        self.pose = Some(trial.pose);
        self.skin = draft.nodes().iter().find_map(|n| document.node(*n).skin);
        let is_listed = |node: &NodeId| joints.iter().any(|joint| joint.node == *node);
        self.joint = active.filter(is_listed).filter(|n| document.nodes.contains(*n));
        match trial.pose {
            TrialPose::Bend => {
                let Some(joint) = self.joint else { return };
                let of = (state, joint, trial.degrees.to_bits(), trial.both_sides);
                if !self.bend.is_of(&of) {
                    self.serial += 1;
                    self.bend.put(of, bent(document, joint, trial.degrees, trial.both_sides));
                }
            }
            TrialPose::Range => {
                let of = (state.0, draft.ticked(joints));
                if !self.range.is_of(&of) {
                    self.serial += 1;
                    let clip = trial_motion(document, &of.1, RANGE);
                    self.range.put(of, Shared::new(clip));
                }
            }
            TrialPose::Rest | TrialPose::Clip(_) => {}
        }
    }
}

/// Bends a joint about its bending axis.
fn bent(document: &Document, joint: NodeId, degrees: f32, both_sides: bool) -> Bend {
    let mut bend = Bend::default();
    let rest = Pose::evaluate(document, &Stack::default());
    let Some(found) = bending_axis(document, &rest, joint) else { return bend };
    bend.turns.insert(joint, Quat::from_axis_angle(found.axis, degrees.to_radians()));
    if both_sides {
        let start = (&BTreeMap::new(), &rest);
        bend.turn_other_side(document, &Mirror::of(document), start, &[joint]);
    }
    bend
}
