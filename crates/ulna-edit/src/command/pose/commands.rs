//! Commands on the pose.

use glam::Vec3;

use crate::command::{
    define::document_commands,
    destination::{Children, PoseDestination},
    field::{AnySpace, Axis, Degrees, Factor, Nodes, Parts, Trs},
    rules,
};
use ulna_motion::Space;

document_commands! {
    /// Commands on the pose.
    PoseCommand in "Pose";

    /// Rotates nodes about an axis in local, parent or world space
    Rotate {
        /// Nodes to edit.
        node: Nodes,
        /// Rotation axis.
        axis: Axis,
        /// Angle in degrees.
        degrees: Degrees,
        /// Space of the axis; local if omitted.
        space: Option<Space>,
    } = "pose.rotate", "Rotate", menu: "Pose/By numbers", asks: true;
    /// Moves nodes by a vector, in meters
    Move {
        /// Nodes to edit.
        node: Nodes,
        /// Offset along x, y and z, in meters.
        by: Factor,
        /// Space of the axes; local if omitted.
        space: Option<Space>,
    } = "pose.move", "Move", menu: "Pose/By numbers", asks: true;
    /// Scales nodes by a factor, or by one factor per axis
    Scale {
        /// Nodes to edit.
        node: Nodes,
        /// Scale factor, or one factor per axis.
        by: Factor,
    } = "pose.scale", "Scale", menu: "Pose/By numbers", asks: true;
    /// Rotates nodes about an axis of any space, optionally about a pivot
    Turn {
        /// Nodes to edit.
        node: Nodes,
        /// Rotation axis.
        axis: Axis,
        /// Angle in degrees.
        degrees: Degrees,
        /// Space of the axis; local if omitted.
        space: Option<AnySpace>,
        /// Pivot point in world space, in meters; only with world axes; each joint's own origin if
        /// omitted.
        pivot: Option<Vec3>,
        /// Behavior of the children: `follow` moves them along, `place` keeps their world
        /// transforms, `angle` keeps their world rotation; `follow` if omitted.
        children: Option<Children>,
        /// Destination of the pose: a clip at a time, a layer, or the pose of the file.
        over: PoseDestination,
    } = "pose.turn", "Rotate by numbers in any space", menu: "Pose/By numbers", asks: true;
    /// Moves nodes along the axes of any space
    Shift {
        /// Nodes to edit.
        node: Nodes,
        /// Offset along x, y and z, in meters.
        by: Factor,
        /// Space of the axes; local if omitted.
        space: Option<AnySpace>,
        /// Behavior of the children: `follow` moves them along, `place` keeps their world
        /// transforms, `angle` keeps their world rotation; `follow` if omitted.
        children: Option<Children>,
        /// Destination of the pose: a clip at a time, a layer, or the pose of the file.
        over: PoseDestination,
    } = "pose.shift", "Move by numbers in any space", menu: "Pose/By numbers", asks: true;
    /// Scales nodes along the axes of any space, optionally about a pivot
    Resize {
        /// Nodes to edit.
        node: Nodes,
        /// Scale factor, or one factor per axis.
        by: Factor,
        /// Space of the axes; local if omitted.
        space: Option<AnySpace>,
        /// Pivot point in world space, in meters; only with world axes; each joint's own origin if
        /// omitted.
        pivot: Option<Vec3>,
        /// Behavior of the children: `follow` moves them along, `place` keeps their world
        /// transforms, `angle` keeps their world rotation; `follow` if omitted.
        children: Option<Children>,
        /// Destination of the pose: a clip at a time, a layer, or the pose of the file.
        over: PoseDestination,
    } = "pose.resize", "Scale by numbers in any space", menu: "Pose/By numbers", asks: true;
    /// Sets the pose offset (Ul) of nodes: their transform relative to the rest pose
    SetUser {
        /// Nodes to set.
        node: Nodes,
        /// Values to set.
        to: Trs,
    } = "pose.set", "Set pose offset", menu: "Pose/By numbers", asks: true;
    /// Sets the local transform of nodes, relative to their parent
    SetLocal {
        /// Nodes to set.
        node: Nodes,
        /// Values to set.
        to: Trs,
        /// Destination of the pose: a clip at a time, a layer, or the pose of the file.
        over: PoseDestination,
    } = "pose.set_local", "Set the local transform", menu: "Pose/By numbers", asks: true;
    /// Sets the world transform of nodes
    SetWorld {
        /// Nodes to set.
        node: Nodes,
        /// Values to set.
        to: Trs,
    } = "pose.set_world", "Set the world transform", menu: "Pose/By numbers", asks: true;
    /// Resets all nodes to their rest pose
    ResetAll {
        /// Nodes to edit; all if omitted.
        node: Option<Nodes>,
        /// Channels to reset; all if omitted.
        parts: Option<Parts>,
    } = "pose.reset_all", "Reset all to rest", after: "pin.clear";
    /// Resets the selected nodes to their rest pose
    Reset {
        /// Nodes to edit; all if omitted.
        node: Option<Nodes>,
        /// Channels to reset; all if omitted.
        parts: Option<Parts>,
        /// Destination of the pose: a clip at a time, a layer, or the pose of the file.
        over: PoseDestination,
    } = "pose.reset", "Reset to rest", enabled: rules::selected;
    /// Resets the translation of the selected nodes
    ResetTranslation {
        /// Nodes to edit; all if omitted.
        node: Option<Nodes>,
        /// Destination of the pose: a clip at a time, a layer, or the pose of the file.
        over: PoseDestination,
    } = "pose.reset_translation",
        "Reset the translation", key: "Alt+W", enabled: rules::selected;
    /// Resets the rotation of the selected nodes
    ResetRotation {
        /// Nodes to edit; all if omitted.
        node: Option<Nodes>,
        /// Destination of the pose: a clip at a time, a layer, or the pose of the file.
        over: PoseDestination,
    } = "pose.reset_rotation",
        "Reset the rotation", key: "Alt+E", enabled: rules::selected;
    /// Resets the scale of the selected nodes
    ResetScale {
        /// Nodes to edit; all if omitted.
        node: Option<Nodes>,
        /// Destination of the pose: a clip at a time, a layer, or the pose of the file.
        over: PoseDestination,
    } = "pose.reset_scale",
        "Reset the scale", key: "Alt+R", enabled: rules::selected;
}
