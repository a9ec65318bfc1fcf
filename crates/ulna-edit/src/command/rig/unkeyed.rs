//! Adapts unkeyed poses when the local transforms of nodes change.

use super::rewrite::{PLAIN, RigDraft, flat, shear};
use crate::{Edit, command::CommandError};
use ulna_model::{Components, Document, NodeId, Shared, Transform, Unkeyed, UnkeyedAt};
use ulna_motion::{
    Pose, Stack,
    surgery::{Bounds, Chain, Moving},
};

/// Local transform of a node that must result from an unkeyed pose.
#[derive(Clone, Copy)]
pub(super) struct WantedLocal {
    at: UnkeyedAt,
    node: NodeId,
    /// Components of the node in the unkeyed pose before the change.
    was: Components,
    to: Transform,
}

/// Evaluates a clip at the time of an unkeyed pose.
fn pose_at(document: &Document, at: UnkeyedAt, unkeyed: Option<Shared<Unkeyed>>) -> Pose {
    let stack = Stack::shown(document, Some(at.clip), f64::from(at.time()));
    Pose::evaluate(document, &stack.with_unkeyed(unkeyed))
}

impl RigDraft {
    /// Returns the products of chains that an unkeyed pose affects. Other nodes have their
    /// transforms from the clip at that time.
    pub(super) fn wanted_locals(&self, chains: &[Chain]) -> Result<Vec<WantedLocal>, CommandError> {
        let document = self.document();
        let mut wanted = Vec::new();
        for (at, unkeyed) in &document.aids.unkeyed {
            let is_posed = |node: &NodeId| unkeyed.locals.contains_key(node);
            let concerned =
                chains.iter().filter(|c| is_posed(&c.node) || c.nodes().iter().any(is_posed));
            let mut pose = None;
            for chain in concerned {
                let pose =
                    pose.get_or_insert_with(|| pose_at(document, *at, Some(unkeyed.clone())));
                let local = |node: NodeId| Moving::still(&pose.local[node.index()].transform());
                let product = chain.product(local).ok_or_else(|| flat(document, chain.node))?;
                if product.residue > PLAIN {
                    return Err(shear(document, std::slice::from_ref(chain)));
                }
                let was = unkeyed.locals.get(&chain.node).copied().unwrap_or_default();
                let to = product.moving.transform();
                wanted.push(WantedLocal { at: *at, node: chain.node, was, to });
            }
        }
        Ok(wanted)
    }

    /// Writes the wanted transforms into the unkeyed poses. Only two kinds of components are
    /// written: those with an unkeyed value before, and those that differ from the changed clip.
    pub(super) fn put_unkeyed(
        &mut self,
        wanted: &[WantedLocal],
        bounds: impl Fn(NodeId) -> Bounds,
    ) -> Result<(), CommandError> {
        for of_time in wanted.chunk_by(|a, b| a.at == b.at) {
            let Some(at) = of_time.first().map(|w| w.at) else { continue };
            let pose = pose_at(self.document(), at, None);
            let edits = of_time.iter().map(|WantedLocal { node, was, to, .. }| {
                let given = pose.local[node.index()].transform();
                let bounds = bounds(*node);
                let moves = f64::from(given.translation.distance(to.translation));
                let turns = f64::from(given.rotation.angle_between(to.rotation));
                let grows = f64::from((given.scale - to.scale).abs().max_element());
                let translation = was.translation.is_some() || moves > bounds.translation;
                let rotation = was.rotation.is_some() || turns > bounds.rotation;
                let scale = was.scale.is_some() || grows > bounds.scale;
                let to = Components {
                    translation: translation.then_some(to.translation),
                    rotation: rotation.then_some(to.rotation),
                    scale: scale.then_some(to.scale),
                };
                Edit::SetUnkeyed { at, node: *node, to: Some(to).filter(|to| !to.is_empty()) }
            });
            let edits: Vec<Edit> = edits.collect();
            self.draft.put_all(edits)?;
        }
        Ok(())
    }

    /// Moves unkeyed morph weights of a mesh to another node.
    pub(super) fn unkeyed_morphs_to(
        &mut self,
        from: NodeId,
        to: NodeId,
    ) -> Result<(), CommandError> {
        let poses = &self.document().aids.unkeyed;
        let moved =
            poses.iter().filter_map(|(at, pose)| Some((*at, pose.morphs.get(&from)?.clone())));
        let moved: Vec<_> = moved.collect();
        for (at, weights) in moved {
            self.draft.put_all([
                Edit::SetUnkeyedMorphs { at, node: to, to: Some(weights) },
                Edit::SetUnkeyedMorphs { at, node: from, to: None },
            ])?;
        }
        Ok(())
    }
}
