//! Destination of edits: the file's pose, or keys, an unkeyed pose or a layer of the shown clip.

use super::View;
use ulna_edit::{
    Command, Scene,
    command::{
        Between, DocumentCommand, HoldMorph, KeyList, KeyMorphs, MirrorPose, PoseDestination,
        SetKey, SetLocal, SetMorph, SetUnkeyed, ShiftKeys,
        field::{ClipName, Nodes, Seconds, Trs},
    },
};
use ulna_model::{ClipId, Components, Document, KeySet, KeyTimes, NodeId, Property, Transform};
use ulna_motion::{Mirror, Pose, Stack, ik};

/// The part of a transform that a property stores.
pub fn component(of: &Transform, property: Property) -> Trs {
    let nothing = Components::default();
    match property {
        Property::Translation => Components { translation: Some(of.translation), ..nothing },
        Property::Rotation => Components { rotation: Some(of.rotation), ..nothing },
        Property::Scale | Property::Weights => Components { scale: Some(of.scale), ..nothing },
    }
    .into()
}

/// Command that sets a node's local transform while a clip is shown; `None` if no clip is shown.
///
/// It writes to the selected keys, to a layer, to a key if auto-key is on, or else to the unkeyed
/// pose. `changed` is the edited property.
pub fn over_shown_clip(
    view: &View<'_>,
    node: NodeId,
    local: &Transform,
    changed: Property,
) -> Option<Command> {
    if let Some(keys) = selected_keys(view, node, changed) {
        let (clip, time) = (view.shown_clip()?, view.edit_time());
        let keys = KeyList::Set(clip, keys);
        let (clip, node, to) = (ClipName::Id(clip), Nodes::one(node), component(local, changed));
        return Some(ShiftKeys { clip, time: Seconds(time), node, to, keys: Some(keys) }.into());
    }
    if view.layers.written.is_some() || view.layers.any_of_pose {
        let to = component(local, changed);
        return Some(SetLocal { node: Nodes::one(node), to, over: over(view) }.into());
    }
    let key = view.timeline.auto_key.then_some(view.settings.new_keys);
    Some(over_clip(view.shown_clip()?, view.edit_time(), key, node, local, changed))
}

/// Commands that write a pose to the current destination of edits.
///
/// The destination is the file's pose, the shown clip or all selected keys. With auto-key, the
/// commands also set keys. `start` is the document at the start of the gesture.
pub fn posed(
    view: &View<'_>,
    start: &Document,
    nodes: &[NodeId],
    pose: impl Fn(PoseDestination) -> DocumentCommand,
) -> Vec<Command> {
    let pose = |over| Command::Document(pose(over));
    let other = mirrored(view, start, nodes);
    let mirror = |over: PoseDestination| {
        other.clone().map(|node| Command::from(MirrorPose { node: Nodes::Ids(node), over }))
    };
    let over = over(view);
    let Some(clip) = view.shown_clip() else {
        return std::iter::once(pose(over.clone())).chain(mirror(over)).collect();
    };
    let time = view.edit_time();
    let command = pose(over.clone());
    let on_keys =
        Property::TRS.iter().any(|p| nodes.iter().any(|n| selected_keys(view, *n, *p).is_some()));
    if on_keys
        && let Command::Document(command) = &command
        && let Ok(wanted) = command.wanted(&Scene::new(start))
    {
        let parts = wanted.iter().flat_map(|(node, to)| Property::TRS.map(|p| (*node, to, p)));
        let shown = parts.filter(|(_, to, p)| to.has(*p));
        return shown
            .filter_map(|(node, to, p)| {
                over_shown_clip(view, node, &to.over(&Transform::IDENTITY), p)
            })
            .collect();
    }
    let mut commands = vec![command];
    commands.extend(mirror(over));
    if view.timeline.auto_key {
        // A pin also moves the limb that ends at its node, so the nodes of this limb are keyed,
        // too.
        let pins = &start.aids.pins;
        let seen = (!pins.is_empty()).then(|| Pose::evaluate(start, &Stack::default()));
        let limbs = pins.keys().filter_map(|n| ik::limb_of(start, seen.as_ref()?, *n, None, false));
        let mirror = other.as_ref().map(|_| Mirror::of(start));
        let partners = other.iter().flatten().filter_map(|n| mirror.as_ref()?.partner(*n));
        let mut nodes: Vec<NodeId> =
            limbs.flat_map(|l| l.nodes).chain(nodes.iter().copied()).chain(partners).collect();
        nodes.sort_unstable();
        nodes.dedup();
        let nodes = Nodes::Ids(nodes);
        let interpolation = Some(view.settings.new_keys);
        commands.push(
            SetKey { interpolation, ..SetKey::new(ClipName::Id(clip), Seconds(time), nodes) }
                .into(),
        );
    }
    commands
}

/// Adds the commands that mirror a typed pose to the other side, if symmetry is on.
pub fn with_other_side(
    view: &View<'_>,
    nodes: &[NodeId],
    mut commands: Vec<Command>,
) -> Vec<Command> {
    let Some(document) = view.session.map(|s| s.document()) else { return commands };
    // Offsets of selected keys are not mirrored.
    let on_keys =
        Property::TRS.iter().any(|p| nodes.iter().any(|n| selected_keys(view, *n, *p).is_some()));
    if commands.is_empty() || on_keys {
        return commands;
    }
    let Some(sources) = mirrored(view, document, nodes) else { return commands };
    let mirror = Mirror::of(document);
    let partners = Nodes::Ids(sources.iter().filter_map(|n| mirror.partner(*n)).collect());
    commands.push(MirrorPose { node: Nodes::Ids(sources), over: over(view) }.into());
    if let Some(clip) = view.shown_clip()
        && view.timeline.auto_key
        && view.layers.written.is_none()
    {
        let interpolation = Some(view.settings.new_keys);
        let time = Seconds(view.edit_time());
        commands.push(
            SetKey { interpolation, ..SetKey::new(ClipName::Id(clip), time, partners) }.into(),
        );
    }
    commands
}

/// Destination of a pose: the file's pose, the shown clip, or the chosen layer of either.
pub fn over(view: &View<'_>) -> PoseDestination {
    let over = view
        .shown_clip()
        .map_or(PoseDestination::FILE, |clip| PoseDestination::clip(clip, view.edit_time()));
    over.in_layer(view.layers.written)
}

/// Posed nodes to mirror: those with a partner that is not itself posed. `None` if symmetry is off
/// or no such node exists.
fn mirrored(view: &View<'_>, document: &Document, nodes: &[NodeId]) -> Option<Vec<NodeId>> {
    if !view.viewport.symmetry {
        return None;
    }
    let mirror = Mirror::of(document);
    let alone = |n: &NodeId| mirror.partner(*n).is_some_and(|p| p != *n && !nodes.contains(&p));
    let nodes: Vec<NodeId> = nodes.iter().copied().filter(alone).collect();
    (!nodes.is_empty()).then_some(nodes)
}

/// Selected keys of a node's property; `None` unless edits change all selected keys.
fn selected_keys(view: &View<'_>, node: NodeId, property: Property) -> Option<KeySet> {
    // Layer keys store offsets from the shown pose, so they are edited one by one.
    if !view.timeline.edit_selected || view.layers.written.is_some() {
        return None;
    }
    let clip = view.keys_clip(view.session?.document(), view.keys_home()?.clip)?;
    let (track, _) = clip.track(node, property)?;
    let times = view.selected_keys().of_track(track);
    (!times.is_empty()).then(|| std::iter::once((track, KeyTimes::from(times.to_vec()))).collect())
}

/// Like [`over_shown_clip`], but for a given clip, at `time` in seconds.
///
/// The command sets a key if `key` is given, which is the interpolation of new tracks. Otherwise it
/// changes the unkeyed pose.
pub fn over_clip(
    clip: ClipId,
    time: f32,
    key: Option<Between>,
    node: NodeId,
    local: &Transform,
    changed: Property,
) -> Command {
    let (clip, time, node, to) =
        (ClipName::Id(clip), Seconds(time), Nodes::one(node), component(local, changed));
    if let interpolation @ Some(_) = key {
        return SetKey { to, interpolation, ..SetKey::new(clip, time, node) }.into();
    }
    SetUnkeyed { clip, time, node, to }.into()
}

/// Command that sets a morph weight at the current destination of edits.
pub fn set_morph(view: &View<'_>, node: NodeId, target: usize, weight: f32) -> Command {
    let (node, target) = (Nodes::one(node), format!("#{target}"));
    let Some(clip) = view.shown_clip() else { return SetMorph { node, target, weight }.into() };
    let (clip, time) = (ClipName::Id(clip), Seconds(view.edit_time()));
    if view.timeline.auto_key {
        let interpolation = Some(view.settings.new_keys);
        return KeyMorphs {
            clip,
            time,
            node,
            target: Some(target),
            weight: Some(weight),
            interpolation,
        }
        .into();
    }
    HoldMorph { clip, time, node, target, weight }.into()
}
