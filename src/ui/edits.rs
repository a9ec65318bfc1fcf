//! Where an edit goes: to the pose in Pose mode, to keys or an unkeyed pose where a clip is shown.

use glam::{Quat, Vec3};

use super::{View, clip_text, node_text};
use crate::{
    edit::CommandLine,
    model::{ClipId, Document, NodeId, Property, Transform},
};

/// Three numbers for a command line.
pub fn vector(v: Vec3) -> serde_json::Value {
    v.to_array().to_vec().into()
}

/// Four numbers for a command line.
pub fn quaternion(q: Quat) -> serde_json::Value {
    q.to_array().to_vec().into()
}

/// What makes a node's local transform `local` while a clip is shown: a key where auto-key is on, else an unkeyed pose.
/// `changed` says which part a person touched.
pub fn clip_line(view: &View<'_>, node: NodeId, local: &Transform, changed: Property) -> Option<CommandLine> {
    let (document, clip) = (view.session?.document(), view.shown_clip()?);
    Some(clip_line_for(document, clip, view.edit_time(), view.auto_key, node, local, changed))
}

/// [`clip_line`] without a window's view: `time` in seconds on the clip's clock.
pub fn clip_line_for(
    document: &Document,
    clip: ClipId,
    time: f32,
    auto_key: bool,
    node: NodeId,
    local: &Transform,
    changed: Property,
) -> CommandLine {
    let name = node_text(document, node);
    let line = CommandLine::new(if auto_key { "key.set" } else { "unkeyed.set" })
        .with("clip", clip_text(document, clip))
        .with("time", time)
        .with("node", name);
    match changed {
        Property::Translation => line.with("translation", vector(local.translation)),
        Property::Rotation => line.with("rotation", quaternion(local.rotation)),
        Property::Scale | Property::Weights => line.with("scale", vector(local.scale)),
    }
}
