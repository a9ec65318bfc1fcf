//! Cache of the poses of recently evaluated stacks.

use std::{
    collections::VecDeque,
    sync::{Mutex, PoisonError},
};

use super::{Pose, Stack};
use ulna_model::{Components, FileContent, NodeId, Nodes};

/// Cache of the poses of recently evaluated stacks. A gesture evaluates the same stacks in every
/// frame.
#[derive(Debug, Default)]
pub struct RecentPoses(Mutex<VecDeque<Recent>>);

impl Clone for RecentPoses {
    /// Creates an empty cache, since copies do not share poses.
    fn clone(&self) -> Self {
        Self::default()
    }
}

#[derive(Debug)]
struct Recent {
    nodes: Nodes,
    /// The stack without the unkeyed pose.
    stack: Stack,
    pose: Pose,
}

impl RecentPoses {
    /// Maximum number of cached poses. A gesture needs four: with and without a clip's layers, each
    /// before and after its first command.
    const KEPT: usize = 4;

    /// Evaluates a stack like [`Pose::evaluate`], using the cache. The unkeyed pose changes from
    /// frame to frame, so it is applied to the cached pose.
    pub fn evaluate(&self, file: &FileContent, stack: &Stack) -> Pose {
        if !stack.constraints.is_empty() {
            return Pose::evaluate(file, stack);
        }
        let keyed = Stack { unkeyed: None, ..stack.clone() };
        // A poisoned lock is safe: entries are always complete poses.
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let at = kept.iter().position(|k| k.stack == keyed && k.nodes == file.nodes);
        let found = match at.and_then(|at| kept.remove(at)) {
            Some(found) => found,
            None => Recent {
                nodes: file.nodes.clone(),
                pose: Pose::evaluate(file, &keyed),
                stack: keyed,
            },
        };
        let pose = match &stack.unkeyed {
            None => found.pose.clone(),
            Some(unkeyed) => {
                let locals: Vec<(NodeId, Components)> =
                    unkeyed.locals.iter().map(|(n, to)| (*n, *to)).collect();
                let mut pose = found.pose.with(file, &locals);
                for (node, weights) in &unkeyed.morphs {
                    if let Some(morphs) =
                        pose.morphs.get_mut(node.index()).filter(|m| m.len() == weights.len())
                    {
                        morphs.copy_from_slice(weights);
                    }
                }
                pose
            }
        };
        kept.push_front(found);
        kept.truncate(Self::KEPT);
        pose
    }

    /// Clears the cache, and releases the clips in it.
    pub fn clear(&self) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }
}
