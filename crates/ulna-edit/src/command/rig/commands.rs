//! Commands on the skeleton.

use glam::Vec3;

use super::{matched_points::MatchedPoints, skeleton_source::SkeletonText};
use crate::command::{
    KeyScope,
    define::document_commands,
    field::{Counterparts, Nodes, choice},
    rules,
};

document_commands! {
    /// Commands on the skeleton. They preserve the motion of the skin in every clip, and the keys
    /// where that is possible.
    RigCommand in "Rig";

    /// Rotates the axes of joints; the skin and all other joints move as before in every clip
    OrientJoint {
        /// Joints whose axes to rotate.
        node: Nodes,
        /// Angles about the joint's own x, then y, then z axis, in degrees.
        degrees: Option<Vec3>,
        /// Joint whose axes in the rest pose are copied to the joints.
        like: Option<Nodes>,
        /// Whether the joints get the axes of the scene, in the rest pose.
        world: Option<bool>,
        /// Local axis that points along the bone, to the joint below. If the joint has several
        /// children, it points to the child in the middle of the body, or else to the child
        /// farthest ahead. Without children, it points away from the parent.
        aim: Option<OwnAxis>,
        /// Own axis, perpendicular to the bone, that points up; y if omitted, or z if y points
        /// along the bone.
        up: Option<OwnAxis>,
        /// Direction of the up axis: `scene` is up in the scene, or its front for steep bones,
        /// `front` is the front of the scene. `parent` is the same axis of the parent, `now` is the
        /// current direction; `scene` if omitted.
        up_to: Option<UpDirection>,
        /// Additional rotation about the bone, in degrees; 0 if omitted.
        roll: Option<f32>,
        /// Whether the joints get the mirrored axes of their mirror joints.
        mirrored: Option<bool>,
        /// Effect on clips: `keep` changes the keys so that the skin moves as before. `follow`
        /// keeps the keys, which then rotate the joint about its new axes; `keep` if omitted.
        motion: Option<Motion>,
    } = "joint.orient", "Orient joints", asks: true, enabled: rules::selected,
        key_scope: KeyScope::Rig;
    /// Adds child joints, or a first joint; they move no vertices until meshes are bound to them
    AddJoint {
        /// Parents, each of which gets one new joint; the top of the scene if omitted.
        parent: Option<Nodes>,
        /// Position of a single new joint in the scene in the rest pose, in meters.
        at: Option<Vec3>,
        /// Distance from the parent in the rest pose, along the axes of the scene, in meters.
        by: Option<Vec3>,
        /// Name of the joint; the name of the parent with the next number if omitted.
        name: Option<String>,
        /// Whether to add the mirror images of the new joints on the other side; no if omitted.
        symmetric: Option<bool>,
    } = "joint.add", "Add joint", asks: true, enabled: rules::opened, key_scope: KeyScope::Rig;
    /// Moves the pivots of joints; the skin and all other joints move as before in every clip
    MoveJoint {
        /// Joints whose pivots to move.
        node: Nodes,
        /// Distance in the rest pose, along the axes of the scene, in meters.
        by: Vec3,
        /// Effect on clips: `keep` changes the keys so that the skin moves as before. `follow`
        /// keeps the keys, which then rotate the skin about the new pivots; `keep` if omitted.
        motion: Option<Motion>,
        /// Whether mirror joints move by the mirrored distance, and joints in the middle of the
        /// body stay in the middle; no if omitted.
        symmetric: Option<bool>,
    } = "joint.move", "Move pivots", asks: true, enabled: rules::selected, key_scope: KeyScope::Rig;
    /// Adds joints between a joint and its parent; they move with the parent until they are keyed
    InsertJoint {
        /// Joint above which to add the new joints.
        node: Nodes,
        /// Position on the line from the parent to the joint, as a fraction; 50 % if omitted.
        at: Option<f32>,
        /// Number of new joints, evenly spaced; the position is then ignored.
        count: Option<usize>,
        /// Name of the joints; the name of the joint with “_inserted” if omitted.
        name: Option<String>,
    } = "joint.insert", "Insert joints", asks: true, enabled: rules::selected,
        key_scope: KeyScope::Rig;
    /// Removes joints and keeps the motion of all joints below them
    DissolveJoint {
        /// Joints to dissolve.
        node: Nodes,
        /// Joints that receive the weights of the removed joints: `fit` chooses them so that the
        /// clips change least. `parent` is the nearest joint above. `nearest` is the nearest bone
        /// of each vertex. `smoothed` is the joint above, with smoothed weights. If omitted, `fit`,
        /// or `parent` if the file has no clips.
        weights: Option<Heirs>,
    } = "joint.dissolve", "Dissolve joints", enabled: rules::selected, key_scope: KeyScope::Rig;
    /// Removes joints; the joints below them keep their motion, or are removed as well
    RemoveJoint {
        /// Joints to remove.
        node: Nodes,
        /// Joints that receive the weights of the removed joints: `fit` chooses them so that the
        /// clips change least. `parent` is the nearest joint above. `nearest` is the nearest bone
        /// of each vertex. `smoothed` is the joint above, with smoothed weights. If omitted, `fit`,
        /// or `parent` if the file has no clips.
        weights: Option<Heirs>,
        /// Joints below the removed joints: `keep` attaches them to the parent with their motion,
        /// `remove` removes them as well; `keep` if omitted.
        below: Option<BelowJoint>,
    } = "joint.remove", "Remove joints", asks: true, enabled: rules::selected,
        key_scope: KeyScope::Rig;
    /// Merges joints into another joint, which receives their weights and the joints below them
    MergeJoint {
        /// Joints to merge; they are removed.
        node: Nodes,
        /// Joint that stays.
        into: Nodes,
        /// Joints that receive the weights: `into` is the joint that stays, `fit` chooses nearby
        /// joints that change the clips least; `into` if omitted.
        weights: Option<MergedWeights>,
    } = "joint.merge", "Merge joints", asks: true, enabled: rules::selected,
        key_scope: KeyScope::Rig;
    /// Attaches joints to another parent; they move as before in every clip
    ReparentJoint {
        /// Joints to attach.
        node: Nodes,
        /// New parent; the top of the scene if omitted.
        to: Option<Nodes>,
    } = "joint.reparent", "Attach joints to another parent", asks: true, enabled: rules::selected,
        key_scope: KeyScope::Rig;
    /// Mirrors positions and axes of joints in the rest pose to the other side; adds missing
    /// joints, with the side in the name exchanged
    MirrorJoint {
        /// Joints of one side, such as the first joint of an arm.
        node: Nodes,
        /// Whether the joints below the given ones are mirrored, too; they are if omitted.
        below: Option<bool>,
        /// Whether weights are mirrored, too: vertices of the other side get the mirrored weights
        /// of this side. If omitted, only the weights of new joints are mirrored.
        weights: Option<bool>,
    } = "joint.mirror", "Mirror joints", asks: true, enabled: rules::selected,
        key_scope: KeyScope::Rig;
    /// Removes scale and rotation from the nodes above the skeleton; everything moves as before
    MendArmature {
    } = "rig.mend_armature", "Remove armature scale and rotation";
    /// Removes helper nodes, unused joints, and leaf joints from exporters; everything moves as
    /// before
    CleanRig {
        /// Nodes to remove: `helpers` are nodes between joints without motion of their own.
        /// `unused` are joints that move no vertices and are not animated. `leaves` are unused
        /// joints at the ends of chains, named `_end`, `_leaf` or `Nub`. If omitted, all three
        /// kinds are removed, except sockets, to which games attach objects. A socket is an unused
        /// joint alone at the end of a chain, or named as a socket, slot, mount, weapon or prop.
        what: Option<CleanKind>,
    } = "rig.clean", "Clean skeleton", enabled: rules::opened;
    /// Adds leaf joints at the ends of chains, for programs that draw bones only between two
    /// joints; or removes leaf joints
    LeafJoints {
        /// Joints at the ends of chains; all if omitted.
        node: Option<Nodes>,
        /// Distance of the leaf joints from the ends, in meters; half the length of the last bone
        /// if omitted.
        length: Option<f32>,
        /// Whether to remove leaf joints instead: joints without weights and keys that are named
        /// `_end`, `_leaf` or `Nub`; no if omitted.
        remove: Option<bool>,
    } = "joint.leaf", "Add or remove leaf joints", asks: true, enabled: rules::opened,
        key_scope: KeyScope::Rig;
    /// Renames many joints: by a table or patterns, in another notation of left and right, or with
    /// numbers
    RenameJoints {
        /// Joints or other nodes to rename; all joints if omitted.
        node: Option<Nodes>,
        /// Text to find in names, such as “mixamorig:”, or a pattern of whole names, such as
        /// “Left*”.
        find: Option<String>,
        /// Text that replaces the found text, nothing if omitted; each * repeats the text that it
        /// matched in “find”.
        replace: Option<String>,
        /// Naming convention for the joints of a humanoid; other joints keep their names.
        humanoid: Option<HumanoidNames>,
        /// New notation of left and right, shown for a left arm; names without a side do not
        /// change.
        side: Option<SideStyle>,
        /// Current notation of left and right; any if omitted.
        from_side: Option<SideStyle>,
        /// Text to add in front of the names.
        prefix: Option<String>,
        /// Text to add at the end of the names.
        suffix: Option<String>,
        /// Number of the first joint. It replaces the # signs in the name, one per digit, or is
        /// appended to the name.
        number: Option<usize>,
        /// Table with one old and one new name per line, separated by a comma, a semicolon or a
        /// tab. Names that are not in the table do not change.
        table: Option<String>,
    } = "joint.rename", "Rename joints", asks: true, enabled: rules::opened,
        key_scope: KeyScope::Rig;
    /// Computes the bind matrices of skins from the rest pose, moves the joints to them, or removes
    /// them
    InverseBinds {
        /// `from-nodes` computes the matrices from the rest pose of the joints. `to-nodes` moves
        /// the joints to the positions that the matrices define. `drop` removes matrices that are
        /// all identities.
        how: BindSource,
        /// Skin to change; all if omitted.
        skin: Option<String>,
    } = "skin.inverse_binds", "Set bind matrices", asks: true, enabled: rules::opened;
    /// Makes the current pose the rest pose, for the nodes only or with meshes in their posed shape
    RestFromPose {
        /// Meshes: `keep` leaves them unchanged, and nothing visible changes. `rebake` stores their
        /// posed shape, such as to turn an A-pose into a T-pose; `keep` if omitted.
        mesh: Option<RestMesh>,
        /// Weights of rebaked meshes: `fit` chooses weights that change the clips least, `keep`
        /// leaves them unchanged. If omitted, `fit`, or `keep` if the file has no clips.
        weights: Option<RestWeights>,
    } = "rig.rest_from_pose", "Make pose the rest pose", asks: true, enabled: rules::opened;
    /// Adds a root joint above each skeleton; the motion of the nodes above is moved to it
    AddRoot {
        /// Name of the root joint; “Root” if omitted.
        name: Option<String>,
    } = "rig.root", "Add root joint", asks: true, enabled: rules::opened;
    /// Makes a skeleton and a skin for a figure that consists of nodes with rigid meshes;
    /// everything moves as before
    SkeletonFromNodes {
        /// Topmost node of the figure.
        node: Nodes,
        /// Name of the skin; that of the node if omitted.
        name: Option<String>,
    } = "rig.skeleton_from_nodes", "Make skeleton from nodes", asks: true,
        enabled: rules::selected;
    /// Pastes the skeleton of another model from text, as new joints without a skin
    PutSkeleton {
        /// Copied skeleton, as text.
        skeleton: SkeletonText,
        /// Positions of joints in the scene, in meters, such as `Hips=0 0.93 0; Head=0 1.6 0.02`.
        points: Option<MatchedPoints>,
        /// Whether the mirror images of the points are used for the other side.
        symmetric: Option<bool>,
        /// Prefix for the names of the new joints.
        prefix: Option<String>,
    } = "rig.put_skeleton", "Paste skeleton", menu: "Edit/Nodes and meshes", asks: true,
        after: "node.add";
    /// Sets or guesses which joint is which humanoid bone (VRM 1.0), for imports, poses and names
    HumanoidMap {
        /// Humanoid bones with their joints, such as `hips=Pelvis`; `leftEye=` clears a bone.
        bones: Option<Counterparts>,
        /// Whether to guess missing bones from names and the shape of the skeleton. If omitted,
        /// bones are guessed only if no other argument is given.
        guess: Option<bool>,
        /// Whether to remove all other bones from the map first.
        clear: Option<bool>,
    } = "rig.humanoid", "Guess humanoid bones", menu: "Rig/Humanoid";
    /// Merges skins that share joints into one skin; the meshes move as before
    MergeSkins {
        /// Nodes of the meshes whose skins are merged; all skins that share joints if omitted.
        node: Option<Nodes>,
    } = "skin.merge", "Merge skins", asks: true, enabled: rules::opened;
    /// Gives each mesh a skin with only the joints that it uses; the meshes move as before
    SplitSkins {
        /// Skin to split; all skins with several meshes if omitted.
        skin: Option<String>,
        /// Largest number of joints per skin; skins with fewer joints are unchanged.
        most: Option<usize>,
    } = "skin.split", "Split skins", asks: true, enabled: rules::opened;
}

choice! {
    /// Naming conventions for the joints of a humanoid.
    HumanoidNames {
        /// The humanoid bones of VRM 1.0.
        Vrm = "VRM" | "vrm",
        /// The names of Mixamo.
        Mixamo = "Mixamo" | "mixamo",
        /// The names of the mannequin of Unreal Engine.
        Unreal = "Unreal" | "unreal",
    }
}

choice! {
    /// Notations of left and right in a name, with the left side as an example.
    SideStyle {
        /// The prefix `L_`.
        FrontUpper = "L_Arm" | "L_",
        /// The suffix `_L`.
        BehindUpper = "Arm_L" | "_L",
        /// The suffix `.L`.
        DotUpper = "Arm.L" | ".L",
        /// The prefix `Left`.
        WordUpper = "LeftArm" | "Left",
        /// The prefix `l_`.
        FrontLower = "l_arm" | "l_",
        /// The suffix `_l`.
        BehindLower = "arm_l" | "_l",
        /// The suffix `.l`.
        DotLower = "arm.l" | ".l",
        /// The prefix `left`.
        WordLower = "leftArm" | "left",
    }
}

choice! {
    /// Changes of bind matrices.
    BindSource {
        /// Computes the bind matrices from the rest pose of the joints.
        FromNodes = "from-nodes" | "from_nodes",
        /// Moves the joints to the rest pose that the bind matrices define.
        ToNodes = "to-nodes" | "to_nodes",
        /// Removes the bind matrices.
        Drop = "drop",
    }
}

choice! {
    /// Kinds of nodes that a skeleton does not need.
    CleanKind {
        /// Nodes between joints that have no motion of their own.
        Helpers = "helpers",
        /// Joints without weights and keys.
        Unused = "unused",
        /// Joints without weights and keys at the ends of chains, with the names of exporters.
        Leaves = "leaves",
    }
}

choice! {
    /// Distribution of the weights of a removed joint.
    Heirs {
        /// Chooses the joints so that the clips change least.
        Fit = "fit",
        /// Moves the weights to the nearest ancestor joint.
        Parent = "parent",
        /// Moves each vertex's weights to the joint with the nearest bone.
        Nearest = "nearest",
        /// Moves the weights to the nearest ancestor joint, and smooths them.
        Smoothed = "smoothed",
    }
}

choice! {
    /// Distribution of the weights of merged joints.
    MergedWeights {
        /// Moves the weights to the remaining joint.
        Into = "into",
        /// Chooses the joints so that the clips change least.
        Fit = "fit",
    }
}

choice! {
    /// Effect on clips of a new pivot or new axes of a joint.
    Motion {
        /// The skin moves as before, by changed keys.
        Keep = "keep",
        /// The keys stay the same and rotate the joint about its new pivot and axes.
        Follow = "follow",
    }
}

choice! {
    /// Local axis of a joint, or its opposite direction.
    OwnAxis {
        /// The x axis.
        X = "x",
        /// The y axis.
        Y = "y",
        /// The z axis.
        Z = "z",
        /// The negative x axis.
        MinusX = "-x",
        /// The negative y axis.
        MinusY = "-y",
        /// The negative z axis.
        MinusZ = "-z",
    }
}

choice! {
    /// Reference direction for the up axis of a joint.
    UpDirection {
        /// The up direction of the scene, or its front direction for steep bones.
        Scene = "scene",
        /// The front direction of the scene.
        Front = "front",
        /// The same axis of the parent joint.
        Parent = "parent",
        /// The current direction of the axis.
        Now = "now",
    }
}

choice! {
    /// Treatment of the joints below a removed one.
    BelowJoint {
        /// The joints are attached to the parent of the removed joint and move as before.
        Keep = "keep",
        /// The joints are removed, too.
        Remove = "remove",
    }
}

choice! {
    /// Treatment of meshes when a pose becomes the rest pose.
    RestMesh {
        /// Meshes stay unchanged, and the displayed pose stays the same.
        Keep = "keep",
        /// Meshes are stored in the shape of the pose.
        Rebake = "rebake",
    }
}

choice! {
    /// Weights of meshes that are stored in the shape of a pose.
    RestWeights {
        /// The weights that change the clips least.
        Fit = "fit",
        /// The current weights.
        Keep = "keep",
    }
}
