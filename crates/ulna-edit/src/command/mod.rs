//! Commands: the operations of the program as types. The data, the text form and the effect of a
//! command are in the file of its family.
//!
//! ```text
//!  menus, palette, keys ─► CommandSpec ─┐                ┌─► Document: Scene → edits → history
//!  panels, gestures ───────────────────►│ Command (enum) ├─► Session:  undo, redo, the file's pose
//!  scripts, journal ─► CommandLine ────►┘      │         └─► Host:     the window, or none
//!                            ▲                    │
//!                            └──── line() ◄───────┘
//! ```
//!
//! Only scripts, journals and external interfaces use text. A command line is one JSON object,
//! such as `{"do":"pose.rotate","node":"LeftArm","axis":"x","degrees":30}`. Commands made by the
//! program refer to nodes by id, but their text form uses names. A journal can therefore be
//! replayed on another file.
//!
//! Files in this folder import only downward. At the top are the table, the reader, the argument
//! filler and the dispatcher of all commands. Below them are the closed enum (`families`), the
//! families of commands, and the helpers that several families share. At the bottom are arguments,
//! text and entries of the table.

mod arguments;
mod availability;
mod bind_joints;
mod bind_report;
mod blend;
mod channel_locks;
mod clip_arrivals;
mod clip_keys;
mod clip_layers;
mod clip_work;
mod clips;
mod contact_text;
mod contacts;
mod context;
mod curve_keys;
mod define;
mod destination;
mod dispatch;
mod draft;
mod error;
mod families;
pub mod field;
mod filling;
pub mod forms;
mod groups;
mod hold_report;
mod host;
mod ik;
mod kept_poses;
mod key_edits;
mod key_file;
mod key_presets;
mod key_scope;
mod key_words;
mod keymap;
mod keys;
mod layer_keys;
mod layer_name;
mod line;
mod markers;
mod materials;
mod mesh_skins;
mod mirror_pose;
mod mixes;
mod morphs;
mod names;
mod nodes;
mod outcome;
mod pose;
mod pose_layers;
mod pose_target;
mod reading;
mod retarget_maps;
mod rig;
mod rig_report;
mod rules;
mod scene;
mod skins;
mod spec;
mod synonyms;
mod table;
mod touch;
mod upkeep;
mod user_pose;
mod vertex_terms;
mod visibility;
mod weight_layers;
mod weight_slots;
mod weights;
mod which_keys;

pub use self::{
    arguments::{Arguments, typed},
    availability::Availability,
    bind_joints::{BindJoint, BindReason, bind_joints},
    bind_report::{BindReport, BoundPart, BoundPiece},
    blend::{Blend, BlendCommand, Breakdown, PushPose, RelaxPose, ToRest, Toward},
    channel_locks::{ChannelLockCommand, Channels, LockChannels},
    clip_arrivals::{ClipArrivalCommand, ClipTexts, PutClips, TakenName},
    clip_work::{
        ClipWorkCommand, CloseHow, CloseLoop, JoinClip, MakeEditable, MirrorClip, ReduceKeys,
        ResampleClip, RetimeClip, ReverseClip, RootMotion, SetRate, SetTicks, SplitClip,
        StartAtZero, TravelGoes, TrimClip, frame_of, seam_in_words, travel_in_words,
    },
    clips::{
        AtEnd, ClipCommand, DeleteClip, DuplicateClip, LoopClip, NewClip, RenameClip, RenameNode,
        RenameNodes, free_clip_name,
    },
    contacts::{
        AddContact, CleanContacts, ContactCommand, ContactPoint, ContactSpace, ContactTexts,
        FindContacts, FindHandContacts, MoveContact, RemoveContact, slides_in_words,
    },
    context::{CommandContext, Unfilled},
    curve_keys::{
        CurveKeysCommand, EaseKeys, EaseName, Fade, FilterKeys, FilterName, NearHow, OverlapKeys,
        ProportionalKeys, SlideKeys, SlideName, Slow, WarpKeys,
    },
    destination::{Children, PoseDestination, Wanted},
    dispatch::Host,
    error::{ArgumentError, CommandError},
    families::{Command, DocumentCommand, HostCommand},
    filling::Filled,
    groups::{AssignGroup, GroupCommand, NewGroup, RemoveGroup, SetGroup},
    host::{
        BrushCommand, FileCommand, KeysHow, ModeCommand, PlayCommand, ReferenceCommand,
        ReferenceName, ReferencePoint, RetargetedKeys, SelectCommand, SessionCommand,
        TimelineCommand, ToolCommand, VertexCommand, ViewCommand,
    },
    ik::{Body, ClearPins, DragLimb, EndAngle, HoldPin, IkCommand, LookAt, PinKind, SetPin},
    kept_poses::{
        ApplyPose, ForgetPose, KeepPose, KeepSet, KeptPoseCommand, PoseReach, RenameKept,
        kept_poses, kept_sets, pose_text, read_pose,
    },
    key_edits::{
        AxisOrder, ChangeKeys, CleanKeys, CopyTangents, DeleteKeys, DuplicateKeys, EulerFilter,
        HoldKeys, InsertKeys, KeyEditCommand, MatchSeam, MoveKeys, NewTangents, OffsetKeys,
        PasteKeys, RippleKeys, ScaleKeys, SetInterpolation, SetKeyKind, SetSlope, SetTangents,
        ShiftKeys, SlopeSide, ValueAbout, ValueHow, copied_keys,
    },
    key_file::{ImportedKeys, KeyFileError, RefusedKeys},
    key_presets::Preset,
    key_scope::KeyScope,
    key_words::{Between, KINDS, KindName, TangentSide, Through},
    keymap::{KeyMap, key_parts},
    keys::{DiscardUnkeyed, KeyCommand, SetKey, SetUnkeyed, what_is_keyed},
    layer_name::{LayerName, LayerOf, pose_layer_text},
    line::CommandLine,
    markers::{AddMarker, Color, MarkerCommand, MoveMarker, RemoveMarker, SetMarker},
    materials::{HeightToNormal, MaterialCommand},
    mesh_skins::skin_of,
    mirror_pose::{FlipPose, MirrorCommand, MirrorPose},
    mixes::{
        BakeMix, ClearMix, EnterHow, GoTo, GoWhen, KeepMix, MarkFootfalls, MixCommand, MixText,
        NamedMix, PlayOver, SetMix, found_mix, gone_of_kept_mix, is_mix_kept, is_mix_loose,
        jumps_in_words, mix_of, mix_rate, named_mix, read_mix,
    },
    morphs::{HoldMorph, KeyMorphs, MorphCommand, ResetMorphs, SetMorph},
    names::{clip_text, find_clip, find_clips, mesh_label, mesh_text, node_text},
    nodes::{
        AddNode, Below, Compact, DuplicateNodes, Keep, NodeCommand, RemoveMaterials, RemoveMeshes,
        RemoveNodes, RemoveSkins, RenameMaterial, RenameMesh, RenameSkin, Reparent,
    },
    outcome::Outcome,
    pose::{
        Move, PoseCommand, Reset, ResetAll, ResetRotation, ResetScale, ResetTranslation, Resize,
        Rotate, Scale, SetLocal, SetUser, SetWorld, Shift, Turn,
    },
    pose_layers::{
        ClearInLayer, ClipList, CopyLayer, DuplicateLayer, ExtractLayer, FoldLayers, InvertLayer,
        KeepLayers, KeysOfLayer, LayerKeysCommand, LayerStrength, LayerStrengthKeys, MaskPoseLayer,
        MergeLayerDown, MovePoseLayer, MuteLayer, NewLayer, PoseLayerCommand, Region,
        RemovePoseLayer, RenamePoseLayer, SetInLayer, SoloLayer, SplitLayer, StrengthGoes, ZeroKey,
        layer_as_clip,
    },
    pose_target::PoseTarget,
    retarget_maps::{KeepMap, RemoveMap, RetargetMapCommand, RetargetMapText, map_text, read_map},
    rig::{
        AddJoint, AddRoot, BelowJoint, BindSource, CleanKind, CleanRig, DissolveJoint, Heirs,
        HumanoidMap, InsertJoint, InverseBinds, LeafJoints, MatchedPoints, MendArmature,
        MergeJoint, MergeSkins, MergedWeights, MirrorJoint, Motion, MoveJoint, OrientJoint,
        OwnAxis, PutSkeleton, RemoveJoint, RenameJoints, ReparentJoint, RestFromPose, RestMesh,
        RestWeights, RigCommand, SideStyle, SkeletonFromNodes, SkeletonSource, SkeletonText,
        SourceJoint, SplitSkins, UpDirection,
    },
    rig_report::{FitReport, GivenWeights, NodeCounts, RigReport},
    scene::Scene,
    skins::{AddSkinJoints, BindSkin, BoundShape, CreateSkin, RemoveSkinJoints, SkinCommand},
    spec::{ArgumentSpec, ArgumentType, CommandSpec, Executor},
    table::{find, renamed, table},
    touch::Touch,
    user_pose::{free_of_matrices, pose_at},
    vertex_terms::vertex_query_error,
    visibility::{SetVisibility, VisibilityCommand},
    weight_layers::{
        AddLayer, BASE, ClearLayer, FlattenLayers, KeepWeightLayers, LayerCommand, LayerOpacity,
        MaskLayer, MergeLayer, MirrorLayer, MoveLayer, PaintLayer, RemoveLayer, RenameLayer,
        ShowLayer, SoloWeightLayer, SplitWeightLayer, layer_for, layer_text, paint_into,
        primitives_of,
    },
    weight_slots::slots_line,
    weights::{
        Along, Assign, Average, Bind, ClearWeights, Flood, Gradient, Hammer, Limit, MergeJoints,
        MirrorWeights, Normalize, PairJoints, Prune, Quantize, Relax, SetWeights, Sets, Smooth,
        Store, SwapJoints, Transfer, WeightCommand, joint_named, meshes_of_body, uv_of,
    },
    which_keys::{KeyList, TrackKeys, WhichKeys},
};
pub(crate) use self::{weight_layers::lines_of, weights::line_of};
