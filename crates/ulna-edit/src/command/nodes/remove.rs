//! Removes nodes. If the motion of clips would change, the rules for removing joints apply.

use std::collections::{BTreeMap, BTreeSet};

use super::{
    commands::{Below, RemoveNodes},
    dependents::{has_motion, refuse_motion},
    removal::{with_below, without},
};
use crate::command::{
    CommandError, Outcome, Scene,
    rig::{BelowJoint, without_joints},
};
use ulna_model::NodeId;

impl RemoveNodes {
    pub(super) fn work(&self, scene: &Scene<'_>) -> Result<Outcome, CommandError> {
        let document = scene.document;
        let named: BTreeSet<NodeId> = self.node.all(document)?.into_iter().collect();
        let below = self.below.unwrap_or(Below::Remove);
        let is_forced = self.force.unwrap_or(false);
        let list: Vec<NodeId> = named.iter().copied().collect();
        let all_below = with_below(document, &list);
        let gone = if below == Below::Remove { &all_below } else { &named };
        if !is_forced && has_motion(document, &all_below) {
            match below {
                Below::Remove => return without_joints(scene, gone, (BelowJoint::Remove, None)),
                Below::KeepWorld => return without_joints(scene, gone, (BelowJoint::Keep, None)),
                Below::KeepLocal => {
                    let anyway = "To keep the motion, set “below” to “keep-world”; to remove them \
                        anyway, set “force”";
                    refuse_motion(document, &all_below, false, anyway)?;
                }
            }
        }
        without(document, gone, below, &BTreeMap::new())
    }
}
