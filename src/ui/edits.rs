//! Where an edit goes: to the pose in Pose mode, to keys or an unkeyed pose where a clip is shown.

use super::View;
use crate::{
    edit::{
        Command,
        command::{
            SetKey, SetUnkeyed,
            field::{ClipName, Nodes, Seconds, Trs},
        },
    },
    model::{ClipId, Components, NodeId, Property, Transform},
};

/// One component of a transform.
pub fn component(of: &Transform, property: Property) -> Trs {
    let nothing = Components::default();
    match property {
        Property::Translation => Components { translation: Some(of.translation), ..nothing },
        Property::Rotation => Components { rotation: Some(of.rotation), ..nothing },
        Property::Scale | Property::Weights => Components { scale: Some(of.scale), ..nothing },
    }
    .into()
}

/// What makes a node's local transform `local` while a clip is shown: a key where auto-key is on, else an unkeyed pose.
/// `changed` says which part a person touched.
pub fn over_shown_clip(view: &View<'_>, node: NodeId, local: &Transform, changed: Property) -> Option<Command> {
    Some(over_clip(view.shown_clip()?, view.edit_time(), view.timeline.auto_key, node, local, changed))
}

/// [`over_shown_clip`] without a window's view: `time` in seconds on the clip's clock.
pub fn over_clip(
    clip: ClipId,
    time: f32,
    auto_key: bool,
    node: NodeId,
    local: &Transform,
    changed: Property,
) -> Command {
    let (clip, time, node, to) = (ClipName::Id(clip), Seconds(time), Nodes::one(node), component(local, changed));
    if auto_key {
        return SetKey { clip, time, node, parts: None, to, unkeyed: None, exact: None }.into();
    }
    SetUnkeyed { clip, time, node, to }.into()
}
