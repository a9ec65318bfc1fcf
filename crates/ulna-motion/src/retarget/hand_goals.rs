//! Transfer of hand contacts from the source to the target: if a hand touches the source's head,
//! the target's hand touches the target's head.

use std::collections::BTreeMap;

use glam::Vec3;

use super::{
    chain_positions::positions,
    feet::Foot,
    hands::{contacts_of_hands, mean_place, parts_of},
    named::JointTable,
    touch::{TouchPart, scale_of},
};
use crate::{ClipTransfer, Pose};
use ulna_model::{Clip, Document, Goal, GoalPoint, NodeId, Shared};

/// The node of the target that corresponds to a node of the source. Contacts with the node of the
/// source are transferred to its space.
#[derive(Clone, Copy, Debug)]
struct Counterpart {
    node: NodeId,
    /// Whether both nodes are props with the same name, so that their spaces are equal. Otherwise,
    /// both are joints, whose axes are compared in the reference poses.
    is_prop: bool,
}

/// Hands of two bodies with the surfaces that they may touch.
pub(super) struct HandPairs {
    /// Hands of the source and of the target.
    hands: Vec<(Foot, Foot)>,
    /// Surfaces of the source and of the target.
    parts: [Vec<TouchPart>; 2],
    counterparts: BTreeMap<NodeId, Counterpart>,
    /// Scale of the joints of the target at rest, by node.
    scales: Vec<f32>,
}

impl HandPairs {
    /// Pairs the nodes of two bodies. `chains` contains the source joints and the target joints of
    /// each chain that both bodies have.
    pub fn new(
        documents: [&Document; 2],
        names: &[JointTable; 2],
        rests: &[Pose; 2],
        chains: &[[&[NodeId]; 2]],
        hands: Vec<(Foot, Foot)>,
    ) -> Self {
        let mut made = Self {
            hands,
            parts: Default::default(),
            counterparts: BTreeMap::new(),
            scales: rests[1].world.iter().map(scale_of).collect(),
        };
        if made.hands.is_empty() {
            return made;
        }
        let own: Vec<Foot> = made.hands.iter().map(|h| h.0.clone()).collect();
        made.parts[0] = parts_of(documents[0], &rests[0], &own);
        let own: Vec<Foot> = made.hands.iter().map(|h| h.1.clone()).collect();
        made.parts[1] = parts_of(documents[1], &rests[1], &own);
        for [from, to] in chains {
            let places = positions(documents[1], to);
            for (node, at) in positions(documents[0], from) {
                let off = |place: &&(NodeId, f32)| (place.1 - at).abs();
                let near = places.iter().min_by(|a, b| off(a).total_cmp(&off(b)));
                if let Some((to, _)) = near {
                    made.counterparts.insert(node, Counterpart { node: *to, is_prop: false });
                }
            }
        }
        let in_chain = |side: usize, node: NodeId| chains.iter().any(|c| c[side].contains(&node));
        for node in documents[0].node_ids().filter(|n| !in_chain(0, *n)) {
            let is_prop = |side: usize, node: NodeId| {
                let document: &Document = documents[side];
                document.node(node).mesh.is_some() && document.node(node).skin.is_none()
            };
            let there = names[1]
                .node(&names[0].name(node))
                .filter(|to| !in_chain(1, *to) && is_prop(0, node) && is_prop(1, *to));
            if let Some(node_there) = there {
                made.counterparts.insert(node, Counterpart { node: node_there, is_prop: true });
            }
        }
        made
    }

    /// Whether there are no pairs of hands.
    pub fn is_empty(&self) -> bool {
        self.hands.is_empty()
    }

    /// The hands of the source.
    pub fn of_source(&self) -> impl Iterator<Item = &Foot> {
        self.hands.iter().map(|h| &h.0)
    }

    /// The hands of the target.
    pub fn of_target(&self) -> impl Iterator<Item = &Foot> {
        self.hands.iter().map(|h| &h.1)
    }

    /// Finds contacts of the source's hands in a clip of the source.
    pub fn contacts(&self, source: &Document, clip: &Shared<Clip>) -> Vec<Goal> {
        let own: Vec<Foot> = self.hands.iter().map(|h| h.0.clone()).collect();
        contacts_of_hands(source, clip, &own, &self.parts[0])
    }

    /// Computes the goals of the target's hands from the contacts of the source's hands. Also
    /// returns the number of contacts that are left out, because nothing in the target corresponds
    /// to the touched node.
    pub fn goals(
        &self,
        source: &Document,
        target: &Document,
        transfer: &ClipTransfer<'_>,
        (clip, contacts): (&Shared<Clip>, &[Goal]),
    ) -> (Vec<Goal>, usize) {
        let (mut made, mut lost) = (Vec::new(), 0);
        for goal in contacts {
            let Some((_, hand)) = self.hands.iter().find(|h| h.0.node == goal.node) else {
                continue;
            };
            let plain = Goal {
                node: hand.node,
                point: GoalPoint::Joint,
                space: None,
                place: None,
                ..*goal
            };
            let Some(space) = goal.space else {
                made.push(plain);
                continue;
            };
            let place = self.place(source, transfer, (clip, goal), space);
            match place.filter(|(node, _)| !hand.moves(target, *node)) {
                Some((node, at)) => {
                    made.push(Goal { space: Some(node), place: Some(at), ..plain });
                }
                None => lost += 1,
            }
        }
        (made, lost)
    }

    /// Returns the node of the target that corresponds to the touched node `space`, and the
    /// position of the hand in its space. A node without a counterpart is replaced by its nearest
    /// ancestor with a counterpart. For example, a prop of the source is replaced by the hand that
    /// holds it.
    fn place(
        &self,
        source: &Document,
        transfer: &ClipTransfer<'_>,
        (clip, goal): (&Shared<Clip>, &Goal),
        space: NodeId,
    ) -> Option<(NodeId, Vec3)> {
        let mut nodes = std::iter::once(space).chain(crate::ancestors::above(source, space));
        let (from, to) = nodes.find_map(|n| Some((n, *self.counterparts.get(&n)?)))?;
        let mean = mean_place(source, clip, (goal.node, from), (goal.from, goal.to))?;
        let given = goal.place.filter(|_| from == space);
        let place = given.unwrap_or(mean.place);
        let part = |side: usize, node: NodeId| self.parts[side].iter().find(|p| p.node == node);
        let sizes = part(0, from).zip(part(1, to.node)).filter(|_| from == space);
        if to.is_prop {
            let size = |part: &TouchPart| part.radius() / part.scale;
            let ratio = sizes.map_or(1.0, |(a, b)| size(b) / size(a));
            return Some((to.node, place * ratio)).filter(|p| p.1.is_finite());
        }
        let ratio = sizes.map_or(transfer.ratio(), |(a, b)| b.radius() / a.radius());
        let way = transfer.reference_way(from, to.node, place * mean.scale * ratio);
        let place = way / self.scales[to.node.index()];
        place.is_finite().then_some((to.node, place))
    }
}
