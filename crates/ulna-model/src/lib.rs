//! The document as plain data, with its invariants.
//!
//! This crate reads and writes no files, computes no poses and makes no edits. Its only dependency
//! in the workspace is `ulna-geometry`.
//!
//! ```text
//!  Document ─┬─ file: FileContent ──┬─ nodes: Nodes ──► Node (rest, pose)
//!            │  (written by saving) ├─ meshes ──► Primitive ──► WeightMap
//!            │                      ├─ skins ──► Skin
//!            │                      └─ clips ──► Tracks ──► Track
//!            ├─ aids: EditorState (undone like file content)
//!            └─ shown: DisplayChoice (neither undone nor saved)
//! ```

mod aids;
mod any_id;
mod blank;
mod channel_locks;
mod check;
mod clip;
mod components;
mod derived;
mod diagnostic;
mod document;
mod frame_rate;
mod goal;
mod group_color;
mod heights;
mod held;
mod ids;
mod joint_group;
mod kept_layers;
mod kept_pose;
mod kept_weight_layers;
mod key_kind;
mod key_set;
mod layer_part;
mod layers;
mod layers_fit;
mod location;
mod marker;
mod material;
mod members;
mod memo;
mod mesh;
mod mix;
mod node;
mod node_space;
mod nodes;
mod notice;
mod picture;
mod pose_layer;
mod references;
mod renumbering;
mod rest;
mod retarget_map;
mod scene_extras;
mod shared;
mod slice;
mod slots;
mod tangent_mode;
mod track;
mod tracks;
pub mod transform;
mod vrm;
mod weight_table;
mod weights;

pub use self::{
    aids::{EditorState, Pin, Unkeyed, UnkeyedAt},
    any_id::{AnyId, IdKind},
    channel_locks::ChannelLocks,
    check::Broken,
    clip::{Clip, PointerTrack, Repeat, VisibilityKeys},
    components::Components,
    derived::Derived,
    diagnostic::{Diagnostic, Diagnostics, Repair, Severity},
    document::{Document, FileContent, Scene},
    frame_rate::{meant_rate, rate_in_words},
    goal::{ContactBar, Goal, GoalPoint},
    group_color::GroupColor,
    heights::{is_gray, normal_map},
    held::{Held, Parts},
    ids::{
        CameraId, ClipId, ImageId, JointSlot, LightId, MaterialId, MeshId, NodeId, PrimitiveId,
        SceneId, SkinId, TrackId, VariantId,
    },
    joint_group::JointGroup,
    kept_layers::{KeptKeys, KeptLayer, KeptLayers, OwnKeys},
    kept_pose::{KeptJoint, KeptMorphs, KeptPose, NodeSet},
    kept_weight_layers::{KeptWeightLayer, KeptWeightLayers},
    key_kind::{KeyKind, KeyKinds},
    key_set::{KeySet, KeyTimes},
    layer_part::{LayerPart, MirrorFrom, PrimitiveKey},
    layers::{LayerId, WeightLayer, WeightLayers},
    location::{Location, LocationStep},
    marker::{Marker, MarkerColor},
    material::{AlphaMode, Image, Material, Mip, TextureRef, Wrap},
    memo::Memo,
    mesh::{Mesh, MorphTarget, Primitive, RestGeometry, Topology},
    mix::{Enter, FadeCurve, InStep, Mix, MixBar, MixLane, MixMask, MixReference, Plays},
    node::{Local, Node, NodePose, RestSource, Skin, label},
    node_space::{ConstraintKind, NodeConstraint, NodeSpace, NodeVector, VectorForm, VectorKind},
    nodes::{Nodes, Tree},
    notice::Notice,
    picture::{PictureHeader, picture_header, picture_to_png, unpack_picture},
    pose_layer::{JointMask, LayerHome, LayerMask, PoseLayer, PoseLayerId, PoseLayers, part_of},
    references::References,
    renumbering::Renumbering,
    rest::{find_rest, free_of_zeros},
    retarget_map::{
        ChainPosition, ChainRotation, ContactSettings, RetargetChain, RetargetMap, RootMotion,
    },
    scene_extras::{Camera, DisplayChoice, Light, LightKind, Projection},
    shared::{Shared, SharedWeak},
    slice::Slice,
    slots::{SlotId, Slots},
    tangent_mode::{KeySide, KeyTangents, TangentMode, TangentModes},
    track::{Interpolation, Property, Track, TrackError},
    tracks::{Targets, Tracks},
    transform::{Decomposed, Transform, TransformError},
    vrm::Vrm,
    weight_table::{WeightShape, WeightTable},
    weights::{WeightEncoding, WeightMap, WeightPatch, put_in_order},
};
