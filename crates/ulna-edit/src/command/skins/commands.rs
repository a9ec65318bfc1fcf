//! Commands on skins.

use crate::command::{
    define::document_commands,
    field::{AutomaticWeights, ClipName, Nodes, Seconds, choice},
    rules,
};

document_commands! {
    /// Commands on skins.
    SkinCommand in "Weights";

    /// Binds meshes to joints with a new skin; computes weights for meshes without weights
    CreateSkin {
        /// Nodes of the meshes to bind.
        node: Nodes,
        /// Joints to bind to, in the order of the joint indices. For a mesh without weights, a
        /// single joint includes all joints below it.
        joint: Nodes,
        /// Whether to also bind to all nodes below these joints, after the named joints; no if
        /// omitted.
        below: Option<bool>,
        /// Clip with the pose to bind in; the pose of the file if omitted.
        clip: Option<ClipName>,
        /// Time in the clip with the pose, in seconds; 0 if omitted.
        time: Option<Seconds>,
        /// Name of the new skin.
        name: Option<String>,
        /// Weights for meshes without weights.
        weights: AutomaticWeights,
    } = "skin.create", "Bind to joints", asks: true, enabled: rules::opened, after: "skin.ask";
    /// Rebinds skinned meshes at the current pose of their joints
    BindSkin {
        /// Nodes of the meshes to bind; all if omitted.
        node: Option<Nodes>,
        /// Clip with the pose to bind in; the pose of the file if omitted.
        clip: Option<ClipName>,
        /// Time in the clip with the pose, in seconds; 0 if omitted.
        time: Option<Seconds>,
        /// Shape to bind: `stored` is the modeled shape, `posed` is the shape as currently
        /// deformed; `stored` if omitted.
        shape: Option<BoundShape>,
    } = "skin.bind", "Rebind at current pose", asks: true, enabled: rules::weighted;
    /// Adds joints to a skin, bound at the rest pose; no weights change
    AddSkinJoints {
        /// Joints to add.
        joint: Nodes,
        /// Skin to change; may be omitted if the file has one skin.
        skin: Option<String>,
        /// Whether to also add all nodes below these joints; no if omitted.
        below: Option<bool>,
    } = "skin.add_joints",
        "Add joints to a skin", menu: "Weights/Joints", asks: true, enabled: rules::skinned;
    /// Removes joints from a skin; their nodes stay
    RemoveSkinJoints {
        /// Joints to remove.
        joint: Nodes,
        /// Skin to change; all skins with these joints if omitted.
        skin: Option<String>,
        /// Whether the nearest joint above receives the weights of removed joints; joints with
        /// weights are refused if omitted.
        give: Option<bool>,
    } = "skin.remove_joints",
        "Remove joints from a skin", menu: "Weights/Joints", asks: true, enabled: rules::skinned;
}

choice! {
    /// Shape of a mesh in a bind.
    BoundShape {
        /// The mesh keeps its stored shape, which is displayed when the joints have the bind pose.
        Stored = "stored",
        /// The mesh is stored in its current deformed shape, and does not change on screen.
        Posed = "posed",
    }
}
