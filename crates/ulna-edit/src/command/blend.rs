//! Commands that blend a pose toward or away from another: the rest pose, the neighboring keys, or
//! the pose interpolated between them.

use std::collections::BTreeMap;

use glam::Quat;

use super::{
    CommandError, Outcome, Scene,
    clip_keys::{clip_of, time_of},
    define::document_commands,
    destination::{PoseDestination, Wanted},
    field::{Nodes, Seconds, choice},
    pose_target::PoseTarget,
    rules,
};
use ulna_model::{
    Clip, ClipId, Components, Document, NodeId, Property, Shared, Transform, UnkeyedAt,
    transform::short_way,
};
use ulna_motion::{Pose, Stack};

choice! {
    /// Pose that a blend moves toward.
    Toward {
        /// The rest pose.
        Rest = "rest",
        /// The pose of the previous keys.
        Previous = "previous",
        /// The pose of the next keys.
        Next = "next",
        /// The linear interpolation between the previous and next keys at this time.
        Between = "between",
    }
}

document_commands! {
    /// Commands that blend poses.
    BlendCommand in "Pose/Blend";

    /// Blends the pose toward another pose; negative amounts move away from it
    Blend {
        /// Nodes to blend; all posed or animated nodes if omitted.
        node: Option<Nodes>,
        /// Target pose.
        toward: Toward,
        /// Blend amount; 1 (100 %) reaches the other pose, and negative amounts move away from it.
        amount: f32,
        /// Destination of the pose: a clip at a time, a layer, or the pose of the file.
        over: PoseDestination,
    } = "pose.blend", "Blend the pose", asks: true;
    /// Sets the pose to a blend of the previous key and the next key
    Breakdown {
        /// Nodes to blend; all posed or animated nodes if omitted.
        node: Option<Nodes>,
        /// Position of the pose between the previous key (0) and the next key (1 or 100 %).
        part: f32,
        /// Destination of the pose: a clip at a time, a layer, or the pose of the file.
        over: PoseDestination,
    } = "pose.breakdown", "Breakdown", asks: true, enabled: rules::clip_shown;
    /// Blends the pose toward the interpolation between the previous and next keys
    RelaxPose {
        /// Nodes to blend; all posed or animated nodes if omitted.
        node: Option<Nodes>,
        /// Blend amount; 10 % if omitted.
        amount: Option<f32>,
        /// Destination of the pose: a clip at a time, a layer, or the pose of the file.
        over: PoseDestination,
    } = "pose.relax", "Relax", enabled: rules::clip_shown;
    /// Exaggerates the pose, away from the interpolation between the previous and next keys
    PushPose {
        /// Nodes to blend; all posed or animated nodes if omitted.
        node: Option<Nodes>,
        /// Blend amount; 10 % if omitted.
        amount: Option<f32>,
        /// Destination of the pose: a clip at a time, a layer, or the pose of the file.
        over: PoseDestination,
    } = "pose.push", "Push", enabled: rules::clip_shown;
    /// Blends the pose toward the rest pose
    ToRest {
        /// Nodes to blend; all posed or animated nodes if omitted.
        node: Option<Nodes>,
        /// Blend amount; 10 % if omitted.
        amount: Option<f32>,
        /// Destination of the pose: a clip at a time, a layer, or the pose of the file.
        over: PoseDestination,
    } = "pose.to_rest", "Blend toward rest";
}

/// Default blend amount of the commands that relax, exaggerate or reset a pose step by step.
const STEP: f32 = 0.1;

/// Interpolates a rotation toward another along the shortest path. A `part` outside `0..=1`
/// extrapolates at the same speed.
fn turned(from: Quat, to: Quat, part: f32) -> Quat {
    let way = short_way(from.inverse() * to);
    from * Quat::from_scaled_axis(way.to_scaled_axis() * part)
}

/// Interpolates between two transforms: `from` at 0, `to` at 1.
pub(super) fn blended(from: &Transform, to: &Transform, part: f32) -> Transform {
    Transform {
        translation: from.translation + (to.translation - from.translation) * part,
        rotation: turned(from.rotation, to.rotation, part),
        scale: from.scale + (to.scale - from.scale) * part,
    }
}

/// Returns the clip and the time of a pose destination. Fails if either is missing.
fn clip_and_time<'a>(
    document: &'a Document,
    over: &PoseDestination,
) -> Result<(ClipId, &'a Shared<Clip>, f32), CommandError> {
    let (Some(clip), Some(Seconds(time))) = (&over.clip, over.time) else {
        return Err(CommandError::other(
            "arguments_together",
            "this command works on the keys of a clip; add “clip” and “time”",
        ));
    };
    let id = clip.find(document)?;
    Ok((id, clip_of(document, id)?, time_of(Seconds(time))?))
}

/// Returns the times of a node's nearest keys before and after a time, in seconds.
fn around_time(clip: &Clip, node: NodeId, time: f32) -> (Option<f32>, Option<f32>) {
    let (mut before, mut after): (Option<f32>, Option<f32>) = (None, None);
    for key in Property::TRS
        .iter()
        .filter_map(|p| clip.track(node, *p))
        .flat_map(|(_, t)| t.times.iter().copied())
    {
        if key < time - UnkeyedAt::NEAR {
            before = Some(before.map_or(key, |b| b.max(key)));
        } else if key > time + UnkeyedAt::NEAR {
            after = Some(after.map_or(key, |a| a.min(key)));
        }
    }
    (before, after)
}

/// Cache of the poses of a clip by time. Each pose is evaluated once.
struct Moments<'a> {
    document: &'a Document,
    clip: ClipId,
    seen: BTreeMap<u32, Pose>,
}

impl Moments<'_> {
    fn local(&mut self, node: NodeId, time: f32) -> Transform {
        let (document, clip) = (self.document, self.clip);
        let pose = self.seen.entry(time.to_bits()).or_insert_with(|| {
            Pose::evaluate(document, &Stack::shown(document, Some(clip), f64::from(time)))
        });
        pose.local[node.index()].transform()
    }
}

/// Returns the nodes to blend: the given ones; else those that the clip animates; without a clip,
/// those with a pose.
fn nodes_of(
    document: &Document,
    nodes: Option<&Nodes>,
    over: &PoseDestination,
) -> Result<Vec<NodeId>, CommandError> {
    if let Some(nodes) = nodes {
        return Ok(nodes.all(document)?);
    }
    if let Ok((_, clip, _)) = clip_and_time(document, over) {
        let mut nodes: Vec<NodeId> = clip
            .tracks
            .values()
            .filter(|t| t.property != Property::Weights)
            .map(|t| t.target)
            .collect();
        nodes.sort_unstable();
        nodes.dedup();
        return Ok(nodes);
    }
    Ok(document.node_ids().filter(|n| document.node(*n).pose.is_some()).collect())
}

fn blend(
    scene: &Scene<'_>,
    nodes: Option<&Nodes>,
    over: &PoseDestination,
    to: impl Fn(&PoseTarget<'_>, NodeId, &Transform) -> Result<Option<Transform>, CommandError>,
) -> Result<Outcome, CommandError> {
    let document = scene.document;
    let place = PoseTarget::of(scene, over)?;
    let mut wanted = Wanted::new();
    for node in nodes_of(document, nodes, over)? {
        let now = place.local(node);
        if let Some(to) = to(&place, node, &now)? {
            let all = Components {
                translation: Some(to.translation),
                rotation: Some(to.rotation),
                scale: Some(to.scale),
            };
            // Channels that the clip does not animate get no key, because their value does not
            // change.
            wanted.push((node, all));
        }
    }
    place.put(wanted)
}

/// Returns a blend amount. Fails if it is not finite, or if its magnitude is above 10.
pub(super) fn finite(amount: f32) -> Result<f32, CommandError> {
    const MOST: f32 = 10.0;
    if amount.abs() <= MOST {
        return Ok(amount);
    }
    Err(CommandError::other(
        "argument_out_of_range",
        format!("{amount} is out of range; 1 reaches the other pose, and {MOST} is the maximum"),
    ))
}

impl Blend {
    fn work(&self, scene: &Scene<'_>) -> Result<Outcome, CommandError> {
        toward(scene, self.node.as_ref(), &self.over, self.toward, self.amount)
    }
}

/// Blends nodes toward a pose by an amount.
fn toward(
    scene: &Scene<'_>,
    nodes: Option<&Nodes>,
    over: &PoseDestination,
    toward: Toward,
    amount: f32,
) -> Result<Outcome, CommandError> {
    let (document, amount) = (scene.document, finite(amount)?);
    nodes.map(|n| n.all(document)).transpose()?;
    if toward == Toward::Rest {
        return blend(scene, nodes, over, |_, node, now| {
            Ok(Some(blended(now, &document.node(node).rest.transform(), amount)))
        });
    }
    let (id, clip, time) = clip_and_time(document, over)?;
    let moments = std::cell::RefCell::new(Moments { document, clip: id, seen: BTreeMap::new() });
    blend(scene, nodes, over, |_, node, now| {
        let mut moments = moments.borrow_mut();
        let other = match (toward, around_time(clip, node, time)) {
            (Toward::Previous, (Some(t), _)) | (Toward::Next, (_, Some(t))) => {
                moments.local(node, t)
            }
            (Toward::Between, (Some(a), Some(b))) => {
                let (from, to) = (moments.local(node, a), moments.local(node, b));
                blended(&from, &to, (time - a) / (b - a))
            }
            _ => return Ok(None),
        };
        Ok(Some(blended(now, &other, amount)))
    })
}

impl Breakdown {
    fn work(&self, scene: &Scene<'_>) -> Result<Outcome, CommandError> {
        let (document, part) = (scene.document, finite(self.part)?);
        self.node.as_ref().map(|n| n.all(document)).transpose()?;
        let (id, clip, time) = clip_and_time(document, &self.over)?;
        let moments =
            std::cell::RefCell::new(Moments { document, clip: id, seen: BTreeMap::new() });
        blend(scene, self.node.as_ref(), &self.over, |_, node, _| {
            let (Some(a), Some(b)) = around_time(clip, node, time) else { return Ok(None) };
            let mut moments = moments.borrow_mut();
            let (from, to) = (moments.local(node, a), moments.local(node, b));
            Ok(Some(blended(&from, &to, part)))
        })
    }
}

impl RelaxPose {
    fn work(&self, scene: &Scene<'_>) -> Result<Outcome, CommandError> {
        toward(scene, self.node.as_ref(), &self.over, Toward::Between, self.amount.unwrap_or(STEP))
    }
}

impl PushPose {
    fn work(&self, scene: &Scene<'_>) -> Result<Outcome, CommandError> {
        toward(scene, self.node.as_ref(), &self.over, Toward::Between, -self.amount.unwrap_or(STEP))
    }
}

impl ToRest {
    fn work(&self, scene: &Scene<'_>) -> Result<Outcome, CommandError> {
        toward(scene, self.node.as_ref(), &self.over, Toward::Rest, self.amount.unwrap_or(STEP))
    }
}

#[cfg(test)]
mod tests {
    use glam::Vec3;
    use proptest::prelude::*;

    use super::*;
    use ulna_model::transform::angle_between;

    fn transform(v: [f32; 10]) -> Transform {
        Transform {
            translation: Vec3::new(v[0], v[1], v[2]),
            rotation: Quat::from_xyzw(v[3], v[4], v[5], v[6] + 1.5).normalize(),
            scale: Vec3::new(v[7], v[8], v[9]) + 2.0,
        }
    }

    proptest! {
        #[test]
        fn blending_toward_a_pose_and_back_restores_the_start(
            a in prop::array::uniform10(-1.0f32..1.0), b in prop::array::uniform10(-1.0f32..1.0),
                part in 0.05f32..0.9,
        ) {
            let (a, b) = (transform(a), transform(b));
            prop_assert!(blended(&a, &b, 0.0).is_close(&a, 1e-4, 1e-5));
            prop_assert!(blended(&a, &b, 1.0).is_close(&b, 1e-4, 1e-5));
            let near = blended(&a, &b, part);
            let back = blended(&near, &b, -part / (1.0 - part));
            prop_assert!(back.is_close(&a, 2e-3, 1e-3), "{back:?} {a:?}");
            let (whole, rest) =
                (angle_between(a.rotation, b.rotation), angle_between(near.rotation, b.rotation));
            prop_assert!((rest - whole * (1.0 - part)).abs() < 1e-3);
        }
    }
}
