//! Commands that run in the session of the open file.

use std::path::PathBuf;

use crate::command::{
    MatchedPoints, RetargetMapText, TakenName, WhichKeys,
    define::other_commands,
    field::{CarryWay, ClipName, Counterparts, Meshes, Nodes, choice},
    layer_name::LayerName,
    rules::{keys_selected, redoable, undoable, weighted},
};
use ulna_motion::{KeysBy, retarget::RetargetKeys};

other_commands! {
    /// Commands that run in the session of the open file.
    SessionCommand in "Edit", by Session;

    /// Undoes the last edit
    Undo = "edit.undo", "Undo", key: "Ctrl+Z", enabled: undoable;
    /// Redoes the last undone edit
    Redo = "edit.redo", "Redo", key: "Ctrl+Shift+Z", enabled: redoable;
    /// Reverts a layer, a clip, nodes or the weights of a mesh to the file as opened
    Revert {
        /// Clip to revert, or clip of the layer.
        clip: Option<ClipName>,
        /// Layer to revert.
        layer: Option<LayerName>,
        /// Nodes to revert.
        node: Option<Nodes>,
        /// Mesh whose weights to revert.
        mesh: Option<Meshes>,
    } = "edit.revert", "Revert one item", asks: true, after: "edit.history";
    /// Imports a pose layer from another file, matched by joint names or by body parts
    ImportLayer {
        /// File with saved layers.
        path: PathBuf,
        /// Clip of the layer in the source file; a layer of its pose if omitted.
        clip: Option<ClipName>,
        /// Layer in the source file; needed if there are several.
        layer: Option<LayerName>,
        /// Clip that receives the layer; the pose if omitted.
        into: Option<ClipName>,
    } = "layer.import", "Import a layer…", menu: "Pose/Layers", asks: true, after: "layer.extract";
    /// Resets nodes to the pose of the file as opened
    ResetToFile {
        /// Nodes to edit; all if omitted.
        node: Option<Nodes>,
    } = "pose.reset_to_file",
        "Reset to the file's pose", menu: "Pose", after: "pose.reset_morphs";
    /// Copies keys to the clipboard
    CopyKeys {
        /// Clip to copy from.
        clip: ClipName,
        /// Layer whose keys to copy; the keys of the clip if omitted.
        layer: Option<LayerName>,
        /// Keys to copy.
        which: WhichKeys,
    } = "key.copy",
        "Copy keys", menu: "Clip/Edit keys", enabled: keys_selected, after: "key.scale";
    /// Imports clips of other files, retargeted to this skeleton
    ImportClips {
        /// File, folder, or pattern such as `walks/*.glb`; opens a dialog if omitted.
        path: Option<PathBuf>,
        /// Pattern of the names of clips to import, such as `Walk*`; all clips if
        /// omitted.
        only: Option<String>,
        /// Transfer of keys between different rest poses: `rests` retargets them, `copy` copies the
        /// raw values; `rests` if omitted.
        how: Option<KeysHow>,
        /// Pairs of joints with different names, theirs first: `Bip01 Head=Head`; `Bip01 Tail=`
        /// skips a joint.
        counterparts: Option<Counterparts>,
        /// Action if a clip name already exists; a number is added to the name if omitted.
        taken: Option<TakenName>,
        /// Whether feet stay in place during contacts, if the bodies differ; no if omitted.
        contacts: Option<bool>,
        /// Whether to import clips even if this model has less than half of their joints; no if
        /// omitted.
        force: Option<bool>,
    } = "clip.import", "Import clips…", menu: "Clip", key: "Ctrl+Shift+I", after: "clip.delete";
    /// Retargets clips of other files to this skeleton by a map of joint chains, without foot
    /// sliding
    RetargetClips {
        /// File, folder, or pattern such as `walks/*.glb`.
        path: PathBuf,
        /// Pattern of the names of clips to retarget, such as `Walk*`; all clips if omitted.
        only: Option<String>,
        /// Retarget map: the name of a map in this file, the path of a JSON file, or JSON text; the
        /// best map in this file, or else a guessed map, if omitted.
        map: Option<RetargetMapText>,
        /// Action if a clip name already exists; a number is added to the name if omitted.
        taken: Option<TakenName>,
        /// Whether feet stay in place during contacts; as in the retarget map if omitted.
        contacts: Option<bool>,
        /// Factor of the path over the ground; as in the retarget map if omitted.
        stride: Option<f32>,
        /// Keys of the clips: as in the source, one per frame, or reduced; as in the source if
        /// omitted.
        keys: Option<RetargetedKeys>,
        /// Maximum error of reduced keys, in millimeters for a body 1.8 m tall; 0.5 if omitted.
        millimetres: Option<f32>,
        /// Whether to ignore joints of the map that one of the models does not have.
        force: Option<bool>,
    } = "clip.retarget", "Retarget clips by a map…", menu: "Clip", asks: true, after: "clip.import";
    /// Copies the skeleton of another file onto this model as new joints without a skin; bind the
    /// meshes to them afterwards
    ImportSkeleton {
        /// File of a model with a skeleton, or `sample` for the bundled sample model.
        path: PathBuf,
        /// Topmost joint of the skeleton in the source file; all joints of its skins if omitted.
        joint: Option<String>,
        /// Positions in this scene for joints of the source file, in meters, such as `Hips=0 0.93
        /// 0; Head=0 1.6 0.02`. One point moves the skeleton, two scale and turn it, and more also
        /// stretch it, so that each joint is at its point. If omitted, it is scaled by the heights
        /// of both models and set on the ground below the middle of this one.
        points: Option<MatchedPoints>,
        /// Whether the mirror images of the points are used for the other side.
        symmetric: Option<bool>,
        /// Prefix for the names of the new joints.
        prefix: Option<String>,
    } = "rig.copy_skeleton", "Copy skeleton from a file…", menu: "Rig", asks: true,
        after: "rig.skeleton_from_nodes";
    /// Imports weights from a model, JSON, or XML of Maya's deformerWeights, matched by joint names
    /// or by body parts
    ImportWeights {
        /// File to read; opens a dialog if omitted.
        path: Option<PathBuf>,
        /// Mesh or shape of the source file; if omitted, meshes with the same names, or all if none
        /// match.
        from: Option<String>,
        /// Meshes that receive the weights; all if omitted.
        mesh: Option<Meshes>,
        /// Matching by nearest surface point, texture coordinates or vertex order; chosen
        /// automatically if omitted.
        by: Option<CarryWay>,
    } = "weights.import", "Import weights…", menu: "Weights/Files", enabled: weighted,
        after: "paint.mirror";
}

choice! {
    /// Method of transferring keys to a joint with another rest pose.
    KeysHow {
        /// Retargets the keys from the rest pose of the source joint to that of the target joint.
        Rests = "rests",
        /// Copies the key values.
        Copy = "copy",
    }
}

choice! {
    /// Key times of retargeted clips.
    RetargetedKeys {
        /// The key times of the source clip.
        Source = "source",
        /// One key per frame.
        Frames = "frames",
        /// As few keys as possible within an error limit.
        Reduced = "reduced",
    }
}

impl RetargetedKeys {
    /// Converts the choice to an option of a retarget. `millimetres` is the error limit of
    /// `Reduced`, for a body 1.8 m high.
    pub fn within(self, millimetres: Option<f32>) -> RetargetKeys {
        match self {
            Self::Source => RetargetKeys::Source,
            Self::Frames => RetargetKeys::Frames,
            Self::Reduced => {
                let tolerance = millimetres.map_or(RetargetKeys::TOLERANCE, |mm| mm * 1e-3);
                RetargetKeys::Reduced(tolerance)
            }
        }
    }
}

impl From<KeysHow> for KeysBy {
    fn from(how: KeysHow) -> Self {
        match how {
            KeysHow::Rests => Self::Rests,
            KeysHow::Copy => Self::Copy,
        }
    }
}
