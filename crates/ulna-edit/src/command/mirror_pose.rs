//! Commands that mirror the pose of one side to the other, by [`Mirror`].

use std::collections::{BTreeMap, BTreeSet};

use super::{
    CommandError, Outcome, Scene,
    define::document_commands,
    destination::{PoseDestination, Wanted},
    field::Nodes,
    pose_target::PoseTarget,
    rules,
};
use ulna_model::{Components, Document, NodeId, Notice, Transform, transform::is_turned_less};
use ulna_motion::{Mirror, MirrorGap, SkinGap, SkinPairs, flipped_morphs};

document_commands! {
    /// Commands that mirror poses.
    MirrorCommand in "Pose";

    /// Copies the pose of the selected joints to their mirror joints
    MirrorPose {
        /// Joints to mirror, all of one side.
        node: Nodes,
        /// Destination of the pose: a clip at a time, a layer, or the pose of the file.
        over: PoseDestination,
    } = "pose.mirror",
        "Mirror pose", key: "Ctrl+M", enabled: rules::selected;
    /// Swaps the poses of the left and right sides
    FlipPose {
        /// Joints to flip, together with their mirror joints; all if omitted.
        node: Option<Nodes>,
        /// Destination of the pose: a clip at a time, a layer, or the pose of the file.
        over: PoseDestination,
    } = "pose.flip", "Flip pose", key: "Ctrl+Shift+M";
}

/// Returns the components of `to` that differ from `from` by more than rounding.
fn differing(from: &Transform, to: &Transform) -> Components {
    const NEAR: f32 = 2e-6;
    let far = |a: glam::Vec3, b: glam::Vec3| {
        (a - b).abs().max_element() > NEAR * a.abs().max_element().max(1.0)
    };
    Components {
        translation: Some(to.translation).filter(|t| far(*t, from.translation)),
        rotation: Some(to.rotation).filter(|r| !is_turned_less(*r, from.rotation, NEAR)),
        scale: Some(to.scale).filter(|s| far(*s, from.scale)),
    }
}

/// Returns the components that these local transforms would change.
fn changes(place: &PoseTarget<'_>, wanted: &BTreeMap<NodeId, Transform>) -> Wanted {
    wanted.iter().map(|(node, to)| (*node, differing(&place.local(*node), to))).collect()
}

/// Notice about scales that are only approximate; `None` if there are none.
pub(super) fn scales(count: usize) -> Option<Notice> {
    let scales = if count == 1 { "1 scale is".to_owned() } else { format!("{count} scales are") };
    let said = format!("{scales} approximate, because the axes of the two joints differ");
    (count > 0).then(|| Notice::new("scale_approximate", said))
}

/// Notice about the largest distance of a joint from the mirror image; `None` if it is not visible.
pub(super) fn gap(document: &Document, gap: Option<MirrorGap>) -> Option<Notice> {
    /// Largest invisible distance, as a fraction of the model size.
    const SEEN: f32 = 1e-3;
    let gap = gap.filter(|g| g.part > SEEN)?;
    let label = document.node(gap.node).label(gap.node);
    let (millimeters, percent) = (gap.distance * 1000.0, gap.part * 100.0);
    let said = format!(
        "the sides are not symmetric: {label} is {millimeters:.1} mm from the mirror image of the \
            other side ({percent:.1} % of the model size)"
    );
    Some(Notice::new("not_symmetric", said))
}

/// Notice about the largest distance of the skin from the mirror image; `None` if it is not
/// visible, or not much larger than that of the joints.
pub(super) fn skin_gap(
    document: &Document,
    joints: Option<MirrorGap>,
    skin: Option<SkinGap>,
) -> Option<Notice> {
    /// Largest invisible distance, as a fraction of the model size.
    const SEEN: f32 = 0.01;
    let skin = skin.filter(|s| s.part > SEEN.max(joints.map_or(0.0, |j| j.part) * 2.0))?;
    let label = document.node(skin.node).label(skin.node);
    let (millimeters, percent) = (skin.distance * 1000.0, skin.part * 100.0);
    let said = format!(
        "the weights of {label} are not symmetric: its skin is up to {millimeters:.1} mm from the \
            mirror image ({percent:.1} % of the model size); use weights.mirror to make them \
            symmetric"
    );
    Some(Notice::new("weights_not_symmetric", said))
}

/// Returns the notices about a mirrored pose.
fn left(alone: usize, scales_left: usize, off: impl IntoIterator<Item = Notice>) -> Vec<Notice> {
    let joints = |n: usize| {
        if n == 1 { "1 joint has".to_owned() } else { format!("{n} joints have") }
    };
    let said = || format!("{} no mirror joint", joints(alone));
    let alone = (alone > 0).then(|| Notice::new("no_mirror_partner", said()));
    alone.into_iter().chain(scales(scales_left)).chain(off).collect()
}

impl MirrorPose {
    fn work(&self, scene: &Scene<'_>) -> Result<Outcome, CommandError> {
        let document = scene.document;
        let nodes = self.node.all(document)?;
        let mirror = Mirror::of(document);
        let place = PoseTarget::of(scene, &self.over)?;
        for node in &nodes {
            let partner = mirror.partner(*node).filter(|p| p != node);
            if let Some(both) = partner.filter(|p| nodes.binary_search(p).is_ok()) {
                let [a, b] = [*node, both].map(|n| document.node(n).label(n));
                return Err(CommandError::other(
                    "both_sides_given",
                    format!(
                        "{a} and {b} are mirror joints of each other; name only the joints of one \
                            side"
                    ),
                ));
            }
        }
        let sources: BTreeSet<NodeId> =
            nodes.iter().copied().filter(|n| mirror.partner(*n).is_some_and(|p| p != *n)).collect();
        let (wanted, scales) = images(document, &mirror, &place, &sources);
        if wanted.is_empty() {
            let message =
                "none of these joints has a mirror joint; correct the pairs in Paint mode";
            return Err(CommandError::other("no_mirror_partner", message));
        }
        let changes = changes(&place, &wanted);
        let off = off(document, &mirror, &place, &changes, Some(&sources));
        place.put_noting(changes, left(nodes.len() - wanted.len(), scales, off))
    }
}

/// Returns the mirrored transforms of the source joints, by the nodes that receive them, and the
/// number of approximate scales.
fn images(
    document: &Document,
    mirror: &Mirror,
    place: &PoseTarget<'_>,
    sources: &BTreeSet<NodeId>,
) -> (BTreeMap<NodeId, Transform>, usize) {
    let (mut wanted, mut scales) = (BTreeMap::<NodeId, Transform>::new(), 0);
    // Parents first, because the transforms of children depend on them.
    for node in document.nodes.order() {
        let Some(source) = mirror.partner(*node).filter(|p| sources.contains(p)) else { continue };
        let was = |n: NodeId| place.local(n);
        let is = |n: NodeId| wanted.get(&n).copied().unwrap_or_else(|| place.local(n));
        if let Some(made) = mirror.pose_among(document, (source, &place.local(source)), &was, &is) {
            scales += usize::from(made.scale_left);
            wanted.insert(made.node, made.local);
        }
    }
    (wanted, scales)
}

/// Notice about the largest distance of the result from the mirror image.
fn off(
    document: &Document,
    mirror: &Mirror,
    place: &PoseTarget<'_>,
    changes: &Wanted,
    sources: Option<&BTreeSet<NodeId>>,
) -> Option<Notice> {
    let after = place.seen().with(document, changes);
    gap(document, mirror.gap(document, (place.seen(), &after), sources))
}

impl FlipPose {
    fn work(&self, scene: &Scene<'_>) -> Result<Outcome, CommandError> {
        let document = scene.document;
        let mirror = Mirror::of(document);
        let nodes = match &self.node {
            Some(nodes) => nodes.all(document)?,
            None => document.node_ids().collect(),
        };
        let place = PoseTarget::of(scene, &self.over)?;
        let sources: BTreeSet<NodeId> =
            nodes.iter().filter_map(|n| Some([*n, mirror.partner(*n)?])).flatten().collect();
        let (wanted, scales) = images(document, &mirror, &place, &sources);
        // Morph targets can have sides, too.
        let seen = &place.seen().morphs;
        let morphs = nodes
            .iter()
            .filter(|n| seen.get(n.index()).is_some_and(|w| !w.is_empty()))
            .map(|node| {
                let now = &seen[node.index()];
                (*node, flipped_morphs(document, *node, now))
            });
        let morphs: Vec<_> = morphs.filter(|(n, to)| *to != seen[n.index()]).collect();
        if wanted.is_empty() && morphs.is_empty() {
            return Err(CommandError::other(
                "no_mirror_partner",
                "none of these joints has a mirror joint",
            ));
        }
        let changes = changes(&place, &wanted);
        let after = place.seen().with(document, &changes);
        let joints =
            mirror.gap(document, (place.seen(), &after), self.node.as_ref().map(|_| &sources));
        let skin = self
            .node
            .is_none()
            .then(|| SkinPairs::of(document, &mirror, &after).gap(document, place.seen(), &after));
        let off = [gap(document, joints), skin_gap(document, joints, skin.flatten())]
            .into_iter()
            .flatten();
        let mut done = place.put_noting(changes, left(0, scales, off))?;
        done.edits.extend(place.put_morphs(morphs));
        Ok(done)
    }
}
