//! Commands that pose one side as the mirror image of the other. The work is that of [`Mirror`].

use std::collections::BTreeMap;

use super::{
    CommandError, Outcome, Scene, around,
    define::document_commands,
    field::Nodes,
    place::{Over, Place, Wanted},
    rules,
};
use crate::{
    model::{Components, NodeId, Transform, transform::is_turned_less},
    motion::{Mirror, flipped_morphs},
};

document_commands! {
    /// Commands that mirror poses.
    MirrorCommand in "Pose";

    /// Poses the mirror joints of the selected ones as their mirror image
    MirrorPose {
        /// From which joints: those of one side.
        node: Nodes,
        /// Where it goes.
        over: Over,
    } = "pose.mirror", "Mirror to the other side", key: "Ctrl+M", enabled: rules::selected, filled: Some(around::mirror_pose);
    /// Swaps the poses of both sides: the mirror image of the whole
    FlipPose {
        /// Which joints, with their mirror joints; all unless given.
        node: Option<Nodes>,
        /// Where it goes.
        over: Over,
    } = "pose.flip", "Flip the pose", key: "Ctrl+Shift+M", filled: Some(around::flip_pose);
}

/// The components in which a transform differs from another by more than rounding.
fn differing(from: &Transform, to: &Transform) -> Components {
    const NEAR: f32 = 2e-6;
    let far = |a: glam::Vec3, b: glam::Vec3| (a - b).abs().max_element() > NEAR * a.abs().max_element().max(1.0);
    Components {
        translation: Some(to.translation).filter(|t| far(*t, from.translation)),
        rotation: Some(to.rotation).filter(|r| !is_turned_less(*r, from.rotation, NEAR)),
        scale: Some(to.scale).filter(|s| far(*s, from.scale)),
    }
}

/// What these local transforms change.
fn changes(place: &Place<'_>, wanted: &BTreeMap<NodeId, Transform>) -> Wanted {
    wanted.iter().map(|(node, to)| (*node, differing(&place.local(*node), to))).collect()
}

/// What is said of scales and of joints that were left.
fn left(alone: usize, scales: usize) -> Option<String> {
    let joints = |n: usize| if n == 1 { "1 joint has".to_owned() } else { format!("{n} joints have") };
    let mut said = Vec::new();
    if alone > 0 {
        said.push(format!("{} no joint on the other side", joints(alone)));
    }
    if scales > 0 {
        let count = if scales == 1 { "1 scale was".to_owned() } else { format!("{scales} scales were") };
        said.push(format!("{count} not mirrored, since the axes of the two joints differ"));
    }
    (!said.is_empty()).then(|| said.join("; "))
}

impl MirrorPose {
    fn work(&self, scene: &Scene<'_>) -> Result<Outcome, CommandError> {
        let document = scene.document;
        let nodes = self.node.all(document)?;
        let mirror = Mirror::of(document);
        let place = Place::of(scene, &self.over)?;
        let (mut wanted, mut alone, mut scales) = (BTreeMap::new(), 0, 0);
        for node in &nodes {
            let partner = mirror.partner(*node).filter(|p| p != node);
            if let Some(both) = partner.filter(|p| nodes.binary_search(p).is_ok()) {
                let [a, b] = [*node, both].map(|n| document.node(n).label(n));
                return Err(CommandError::Other(format!("both {a} and {b} are given; give the joints of one side")));
            }
            let made = partner.and_then(|_| mirror.pose(document, *node, &place.local(*node)));
            match made {
                Some(made) => {
                    scales += usize::from(made.scale_left);
                    wanted.insert(made.node, made.local);
                }
                None => alone += 1,
            }
        }
        if wanted.is_empty() {
            let message = "none of these has a joint on the other side; pairs can be corrected in Paint mode";
            return Err(CommandError::Other(message.into()));
        }
        place.put_noting(changes(&place, &wanted), left(alone, scales))
    }
}

impl FlipPose {
    fn work(&self, scene: &Scene<'_>) -> Result<Outcome, CommandError> {
        let document = scene.document;
        let mirror = Mirror::of(document);
        let nodes = match &self.node {
            Some(nodes) => nodes.all(document)?,
            None => document.node_ids().collect(),
        };
        let place = Place::of(scene, &self.over)?;
        let (mut wanted, mut scales) = (BTreeMap::new(), 0);
        let both = nodes.iter().flat_map(|n| [Some(*n), mirror.partner(*n)]).flatten();
        for made in both.filter_map(|n| mirror.pose(document, n, &place.local(n))) {
            // A joint that is given with its partner comes twice, to the same.
            if wanted.insert(made.node, made.local).is_none() {
                scales += usize::from(made.scale_left);
            }
        }
        // Expressions have sides, too: of the whole, or of a mesh that is given.
        let seen = &place.seen().morphs;
        let morphs = nodes.iter().filter(|n| seen.get(n.index()).is_some_and(|w| !w.is_empty())).map(|node| {
            let now = &seen[node.index()];
            (*node, flipped_morphs(document, *node, now))
        });
        let morphs: Vec<_> = morphs.filter(|(n, to)| *to != seen[n.index()]).collect();
        if wanted.is_empty() && morphs.is_empty() {
            return Err(CommandError::Other("none of these is a joint with a mirror joint".into()));
        }
        let mut done = place.put_noting(changes(&place, &wanted), left(0, scales))?;
        done.edits.extend(place.put_morphs(morphs));
        Ok(done)
    }
}
