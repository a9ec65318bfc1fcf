//! Commands on the skeleton.

use glam::Vec3;

use super::{matched_points::MatchedPoints, skeleton_source::SkeletonText};
use crate::command::{
    define::document_commands,
    field::{Counterparts, Nodes, choice},
    rules,
};

document_commands! {
    /// Commands on the skeleton. They preserve the motion of the skin in every clip, and the keys
    /// where that is possible.
    RigCommand in "Rig";

    /// Turns the axes of joints; the skin and all other joints stay as they are in every clip
    OrientJoint {
        /// Joints to turn.
        node: Nodes,
        /// Angles about the own x, then y, then z axis, in degrees.
        degrees: Option<Vec3>,
        /// Joint whose axes in the rest pose are copied to the joints.
        like: Option<Nodes>,
        /// Whether the joints get the axes of the scene, in the rest pose.
        world: Option<bool>,
        /// Own axis that points along the bone: to the joint below, of several to the one in the
        /// middle of the body or else the one farthest ahead, and at the end of a chain away from
        /// the joint above.
        aim: Option<OwnAxis>,
        /// Own axis, perpendicular to the bone, that points up; y if omitted, or z if y points
        /// along the bone.
        up: Option<OwnAxis>,
        /// Direction that the up axis follows: `scene` is up, or the front for steep bones, `front`
        /// is the front of the scene, `parent` is the same axis of the parent, `now` keeps the
        /// direction that it has; `scene` if omitted.
        up_to: Option<UpDirection>,
        /// Rotation about the bone after that, in degrees.
        roll: Option<f32>,
        /// Whether the joints get the mirrored axes of their mirror joints.
        mirrored: Option<bool>,
        /// Clips: `keep` moves the skin as before, `follow` turns the joint about its new axes by
        /// the same keys, so that the skin moves differently; `keep` if omitted.
        motion: Option<Motion>,
    } = "joint.orient", "Orient joints", asks: true, enabled: rules::selected;
    /// Adds joints below joints, or a first one; they move no vertex until meshes are bound to them
    AddJoint {
        /// Parents: one new joint below each; it is added at the top of the scene if omitted.
        parent: Option<Nodes>,
        /// Position in the scene in the rest pose, in meters, with one parent or none.
        at: Option<Vec3>,
        /// Distance from the parent in the rest pose, along the axes of the scene, in meters.
        by: Option<Vec3>,
        /// Name; the name of the parent with the next number if omitted.
        name: Option<String>,
        /// Whether the other side gets the mirror images of the new joints.
        symmetric: Option<bool>,
    } = "joint.add", "Add joint", asks: true, enabled: rules::opened;
    /// Moves the pivots of joints; the skin and all other joints stay as they are in every clip
    MoveJoint {
        /// Joints to move.
        node: Nodes,
        /// Distance in the rest pose, along the axes of the scene, in meters.
        by: Vec3,
        /// Clips: `keep` moves the skin as before, `follow` turns it about the new pivots by the
        /// same keys, so that the skin moves differently; `keep` if omitted.
        motion: Option<Motion>,
        /// Whether the mirror joints move by the mirrored distance, and joints in the middle of the
        /// body stay there.
        symmetric: Option<bool>,
    } = "joint.move", "Move pivots", asks: true, enabled: rules::selected;
    /// Adds joints between a joint and its parent; they move with the parent until they are keyed
    InsertJoint {
        /// Joint above which the new ones are added.
        node: Nodes,
        /// Position on the line from the parent to the joint, as a fraction; 50 % if omitted.
        at: Option<f32>,
        /// Number of joints, evenly spaced; the position does not apply then.
        count: Option<usize>,
        /// Name; the name of the joint with “_inserted” if omitted.
        name: Option<String>,
    } = "joint.insert", "Insert joints", asks: true, enabled: rules::selected;
    /// Removes joints and keeps the motion of all joints below them
    DissolveJoint {
        /// Joints to dissolve.
        node: Nodes,
        /// Joints that receive the weights of the removed joints: `fit` chooses them so that the
        /// clips change least, `parent` gives them to the nearest joint above, `nearest` gives each
        /// vertex to the nearest bone, `smoothed` is the joint above with smoothed weights; `fit`
        /// if omitted and the file has clips.
        weights: Option<Heirs>,
    } = "joint.dissolve", "Dissolve joints", enabled: rules::selected;
    /// Removes joints; those below them keep their motion, or are removed, too
    RemoveJoint {
        /// Joints to remove.
        node: Nodes,
        /// Joints that receive the weights of the removed joints: `fit` chooses them so that the
        /// clips change least, `parent` gives them to the nearest joint above, `nearest` gives each
        /// vertex to the nearest bone, `smoothed` is the joint above with smoothed weights; `fit`
        /// if omitted and the file has clips.
        weights: Option<Heirs>,
        /// Joints below: `keep` attaches them to the parent with their motion, `remove` removes
        /// them, too; they are kept if omitted.
        below: Option<BelowJoint>,
    } = "joint.remove", "Remove joints", asks: true, enabled: rules::selected;
    /// Merges joints into another one, which receives their weights and child joints
    MergeJoint {
        /// Joints to merge; they are removed.
        node: Nodes,
        /// Joint that stays.
        into: Nodes,
        /// Weights of the merged joints: `into` gives all of them to the joint that stays, `fit`
        /// chooses joints around so that the clips change least; `into` if omitted.
        weights: Option<MergedWeights>,
    } = "joint.merge", "Merge joints", asks: true, enabled: rules::selected;
    /// Attaches joints to another parent; they move as before in every clip
    ReparentJoint {
        /// Joints to attach.
        node: Nodes,
        /// New parent; the top of the scene if omitted.
        to: Option<Nodes>,
    } = "joint.reparent", "Attach joints to another parent", asks: true, enabled: rules::selected;
    /// Makes the other side like these joints: mirrored positions and axes in the rest pose, with
    /// the side in the name exchanged; joints that are missing there are added
    MirrorJoint {
        /// Joints of one side, such as the first joint of an arm.
        node: Nodes,
        /// Whether the joints below the given ones are mirrored, too; they are if omitted.
        below: Option<bool>,
        /// Whether weights are mirrored, too: vertices of the other side get the mirrored weights
        /// of this side. If omitted, only the weights of new joints are mirrored.
        weights: Option<bool>,
    } = "joint.mirror", "Mirror joints", asks: true, enabled: rules::selected;
    /// Removes scale and rotation from the nodes above the skeleton; everything moves as before
    MendArmature {
    } = "rig.mend_armature", "Remove armature scale and rotation";
    /// Removes helper nodes, unused joints and leaf joints of exporters; everything moves as before
    CleanRig {
        /// Nodes to remove: `helpers` are nodes between joints that do not move by themselves,
        /// `unused` are joints that move no vertex and do not move, `leaves` are such joints at
        /// the ends, named `_end`, `_leaf` or `Nub`. If omitted, all three but for sockets: unused
        /// joints that are alone at the end of a chain, such as a hand slot, or named as a socket,
        /// slot, mount, weapon or prop, since games attach objects to them.
        what: Option<CleanKind>,
    } = "rig.clean", "Clean skeleton", enabled: rules::opened;
    /// Adds leaf joints at the ends of chains, for programs that draw bones between joints alone;
    /// or removes those that move nothing
    LeafJoints {
        /// Joints at the ends of chains; all if omitted.
        node: Option<Nodes>,
        /// Distance of the leaf joints, in meters; half the length of the last bone if omitted.
        length: Option<f32>,
        /// Whether leaf joints are removed instead: those without weights and keys that are named
        /// `_end`, `_leaf` or `Nub`.
        remove: Option<bool>,
    } = "joint.leaf", "Add or remove leaf joints", asks: true, enabled: rules::opened;
    /// Renames many joints: by a table, by patterns, to another style of side markers, with numbers
    RenameJoints {
        /// Joints to rename; all if omitted. Other nodes can be named, too.
        node: Option<Nodes>,
        /// Text to find in names, such as mixamorig:, or a pattern of whole names, such as Left*.
        find: Option<String>,
        /// Text that replaces the found text, nothing if omitted; each * repeats the text that it
        /// matched in “find”.
        replace: Option<String>,
        /// Names of a program for the joints of a humanoid; other joints keep theirs.
        humanoid: Option<HumanoidNames>,
        /// New spelling of the side, shown on a left arm; names without a side stay.
        side: Option<SideStyle>,
        /// Spelling of the side now; any if omitted.
        from_side: Option<SideStyle>,
        /// Text in front of the names.
        prefix: Option<String>,
        /// Text behind the names.
        suffix: Option<String>,
        /// Number of the first joint. It replaces the # signs in the name, one per digit, or is
        /// appended to the name.
        number: Option<usize>,
        /// Lines of an old and a new name, separated by a comma, a semicolon or a tab. Names that
        /// are not in the table stay.
        table: Option<String>,
    } = "joint.rename", "Rename joints", asks: true, enabled: rules::opened;
    /// Computes the bind matrices of skins from the rest pose, gives them to the nodes, or removes
    /// them
    InverseBinds {
        /// `from-nodes` computes the matrices from the rest pose of the joints, `to-nodes` moves
        /// the joints to the positions that the matrices define, `drop` removes matrices that are
        /// all identities.
        how: BindSource,
        /// Skin to change; all if omitted.
        skin: Option<String>,
    } = "skin.inverse_binds", "Set bind matrices", asks: true, enabled: rules::opened;
    /// Makes the present pose the rest pose: nodes only, or with the meshes in their posed shape
    RestFromPose {
        /// Meshes: `keep` leaves them as they are, so nothing that is seen changes; `rebake` stores
        /// their posed shape, as between A-pose and T-pose; `keep` if omitted.
        mesh: Option<RestMesh>,
        /// Weights of rebaked meshes: `fit` chooses them so that the clips change least, `keep`
        /// leaves them; `fit` if omitted and the file has clips.
        weights: Option<RestWeights>,
    } = "rig.rest_from_pose", "Make pose the rest pose", asks: true, enabled: rules::opened;
    /// Adds a root joint above each skeleton; motion of the nodes above moves onto it
    AddRoot {
        /// Name of the joint; “Root” if omitted.
        name: Option<String>,
    } = "rig.root", "Add root joint", asks: true, enabled: rules::opened;
    /// Makes a skeleton and a skin of a figure whose parts are nodes with rigid meshes; everything
    /// moves as before
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
        /// Text in front of the names.
        prefix: Option<String>,
    } = "rig.put_skeleton", "Paste skeleton", menu: "Edit/Nodes and meshes", asks: true,
        after: "node.add";
    /// Says which joint is which bone of a human, as in VRM 1.0; transfers, poses and names use it
    HumanoidMap {
        /// Bones with their joints, such as `hips=Pelvis`; `leftEye=` clears a bone.
        bones: Option<Counterparts>,
        /// Whether missing bones are guessed from names and the order of joints; they are if no
        /// other argument is given.
        guess: Option<bool>,
        /// Whether to remove all other bones from the map first.
        clear: Option<bool>,
    } = "rig.humanoid", "Guess humanoid bones", menu: "Rig/Humanoid";
    /// Merges skins that share joints into one; the meshes move as before
    MergeSkins {
        /// Nodes of the meshes whose skins are merged; all skins that share joints if omitted.
        node: Option<Nodes>,
    } = "skin.merge", "Merge skins", asks: true, enabled: rules::opened;
    /// Gives each mesh a skin with only the joints that it uses; the meshes move as before
    SplitSkins {
        /// Skin to split; all skins of several meshes if omitted.
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
