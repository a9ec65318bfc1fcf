//! Memory use and ids of all types of a document, listed member by member.
//!
//! Every type is destructured without `..`. A new member therefore does not compile until its
//! memory is counted and its ids are visited.

use super::{
    AlphaMode, AnyId, Camera, CameraId, ChainPosition, ChainRotation, ChannelLocks, Clip, ClipId,
    Components, ConstraintKind, ContactSettings, DisplayChoice, Document, EditorState, Enter,
    FadeCurve, FileContent, Goal, GoalPoint, GroupColor, Held, IdKind, Image, ImageId, InStep,
    Interpolation, JointGroup, JointMask, KeptJoint, KeptKeys, KeptLayer, KeptLayers, KeptMorphs,
    KeptPose, KeptWeightLayer, KeptWeightLayers, KeyKind, KeyTangents, LayerHome, LayerId,
    LayerMask, LayerPart, Light, LightId, LightKind, Local, Marker, MarkerColor, Material,
    MaterialId, Mesh, MeshId, Mip, MirrorFrom, Mix, MixBar, MixLane, MixMask, MixReference,
    MorphTarget, Node, NodeConstraint, NodeId, NodePose, NodeSet, NodeSpace, NodeVector, OwnKeys,
    Parts, Pin, Plays, PointerTrack, PoseLayer, PoseLayerId, PoseLayers, Primitive, PrimitiveId,
    Projection, Property, References, Repeat, RestGeometry, RestSource, RetargetChain, RetargetMap,
    RootMotion, Scene, SceneId, Skin, SkinId, TextureRef, Topology, Track, TrackId, Transform,
    Unkeyed, UnkeyedAt, VariantId, VectorForm, VectorKind, VisibilityKeys, Vrm, WeightEncoding,
    WeightLayer, WeightLayers, WeightMap, WeightPatch, Wrap, held::plain, references::no_ids,
};

/// Implements `Held`: memory is counted member by member.
macro_rules! holds {
    ($($name:ident { $($member:ident),* $(,)? })*) => {
        $(impl Held for $name {
            fn held(&self, parts: &mut Parts) {
                let Self { $($member),* } = self;
                $($member.held(parts);)*
            }
        })*
    };
}

/// Implements `References`: ids are visited member by member. Members after a semicolon are
/// skipped, because their ids have no meaning.
macro_rules! refers {
    ($($name:ident { $($member:ident),* $(,)? $(; $($skipped:ident),*)? })*) => {
        $(impl References for $name {
            fn for_each_id(&self, visit: &mut dyn FnMut(AnyId)) {
                let Self { $($member,)* $($($skipped: _,)*)? } = self;
                $($member.for_each_id(visit);)*
            }

            fn for_each_id_mut(&mut self, visit: &mut dyn FnMut(IdKind, &mut u32)) {
                let Self { $($member,)* $($($skipped: _,)*)? } = self;
                $($member.for_each_id_mut(visit);)*
            }
        })*
    };
}

/// Implements both `Held` and `References`, member by member.
macro_rules! members {
    ($($name:ident $members:tt)*) => {
        $(
            holds! { $name $members }
            refers! { $name $members }
        )*
    };
}

/// Implements `Held` and `References` for types with the type parameters `C` for clips and `N` for
/// nodes.
macro_rules! members_by_name {
    ($($name:ident { $($member:ident),* $(,)? })*) => {
        $(
            impl<C: Held, N: Held + Ord> Held for $name<C, N> {
                fn held(&self, parts: &mut Parts) {
                    let Self { $($member),* } = self;
                    $($member.held(parts);)*
                }
            }

            impl<C: References, N: References + Ord> References for $name<C, N> {
                const NONE: bool = C::NONE && N::NONE;

                fn for_each_id(&self, visit: &mut dyn FnMut(AnyId)) {
                    let Self { $($member),* } = self;
                    $($member.for_each_id(visit);)*
                }

                fn for_each_id_mut(&mut self, visit: &mut dyn FnMut(IdKind, &mut u32)) {
                    let Self { $($member),* } = self;
                    $($member.for_each_id_mut(visit);)*
                }
            }
        )*
    };
}

/// Implements `Held` and `References` for types without heap memory and without ids.
macro_rules! plain_without_ids {
    ($($name:ident),* $(,)?) => {
        plain!($($name),*);
        no_ids!($($name),*);
    };
}

plain!(
    NodeId, MeshId, SkinId, ClipId, SceneId, VariantId, MaterialId, ImageId, CameraId, LightId,
    AnyId, LayerHome, UnkeyedAt, Pin, TextureRef, NodePose,
);

plain_without_ids!(
    Transform,
    Local,
    ChannelLocks,
    AlphaMode,
    Projection,
    LightKind,
    MixReference,
    Components,
    TrackId,
    PrimitiveId,
    LayerId,
    PoseLayerId,
    Property,
    Interpolation,
    KeyKind,
    KeyTangents,
    Repeat,
    RestSource,
    Topology,
    WeightEncoding,
    MirrorFrom,
    Mip,
    Wrap,
    MarkerColor,
    GoalPoint,
    ChainRotation,
    ChainPosition,
    RootMotion,
    ContactSettings,
    GroupColor,
    Enter,
    FadeCurve,
    InStep,
    VectorKind,
    VectorForm,
    ConstraintKind,
);

members! {
    Node { name, parent, rank, rest, rest_source, pose, mesh, skin, instances, camera, light,
        morph_weights, hidden, locks }
    Skin { name, joints, inverse_bind, has_inverse_bind }
    Track { target, property, interpolation, times, values, width, kinds, modes }
    VisibilityKeys { node, visible }
    Marker { time, name, color }
    Goal { node, point, space, from, to, blend, place }
    Clip { name, tracks, channels_in_file, markers, contacts, repeat, ticks, rate, kept_layers,
        pointers, kept, mended }
    KeptKeys { interpolation, times, values, modes }
    OwnKeys { node, property, keys }
    KeptLayer { name, strength, strength_keys, muted, solo, mask, moves, keys }
    KeptLayers { layers, own_keys, own_pose, hash }
    WeightMap { sets, joints, weights, encoding, not_numbers }
    WeightPatch { sets, vertices, joints, weights, not_numbers }
    LayerPart { sets, vertices, mask, joints, weights }
    WeightLayer { id, name, opacity, shown, solo, mirror, parts }
    WeightLayers { bases, layers, next, keeps, kept }
    KeptWeightLayer { name, opacity, shown, solo, mirror, parts }
    KeptWeightLayers { joints, bases, layers, hash }
    MorphTarget { positions, normals }
    RestGeometry { positions, normals, tangents, targets }
    Primitive {
        topology, positions, normals, tangents, uv0, uv1, colors, indices, material, variants,
            targets, weights
    }
    Mesh { name, primitives, default_weights, target_names, kept_weight_layers }
    Material {
        name, base_color, base_color_texture, metallic, roughness, metallic_roughness_texture,
            normal_texture,
        normal_scale, occlusion_texture, occlusion_strength, emissive, emissive_texture, alpha,
            double_sided, unlit,
        transmission
    }
    Image { name, bytes }
    Camera { name, projection }
    Light { name, kind, color, intensity, range }
    Vrm { version, title, authors, license, bones, springs }
    NodeVector { node, pointer, value, kind, form }
    NodeConstraint { node, source, kind }
    NodeSpace { vectors, constraints }
    LayerMask { by, counts }
    KeptJoint { name, parent, path, local, rest, frame, unit }
    KeptMorphs { name, weights }
    KeptPose { name, height, joints, morphs }
    NodeSet { digit, nodes }
    Unkeyed { locals, morphs }
    JointGroup { name, color, nodes, hidden, locked, solo }
    RetargetChain { name, source, target, rotation, position, contacts }
    RetargetMap { name, chains, height, stride, root, contacts, source_pose, target_pose }
    Scene { name, roots, poses, sets, groups, humanoid, retarget, mix, kept_layers }
    FileContent {
        nodes, scenes, scene, meshes, skins, clips, materials, variants, images, cameras, lights,
            vrm, node_space
    }
    EditorState { unkeyed, pose_layers, keeps_layers, weight_layers, mirror_pairs, pins, mix }
}

members_by_name! {
    Mix { lanes }
    MixLane { name, additive, weight, mask, on, solo, nlerp, bars }
    MixBar {
        plays, start, length, offset, speed, repeat, weight, fade_in, fade_out, enter, curve, along,
            in_step, mask
    }
}

refers! {
    Pin { place, angle }
    TextureRef { image, uv_set, wrap, nearest, nearest_min, mip, offset, rotation, scale }
    NodePose { user, local }
    DisplayChoice { scene, variant }
    Document { file, aids, shown }
    // The target of a strength track is not a node.
    PoseLayer { id, name, strength, muted, solo, mask, moves, keys; strength_keys }
}

holds! {
    PointerTrack { pointer, target, interpolation, times, width, track, visibility }
    PoseLayer { id, name, strength, strength_keys, muted, solo, mask, moves, keys }
}

impl Held for Document {
    fn held(&self, parts: &mut Parts) {
        // The display choice owns no heap memory.
        let Self { file, aids, shown: _ } = self;
        file.held(parts);
        aids.held(parts);
    }
}

impl Held for JointMask {
    fn held(&self, parts: &mut Parts) {
        self.0.held(parts);
    }
}

impl Held for PoseLayers {
    fn held(&self, parts: &mut Parts) {
        self.0.held(parts);
    }
}

impl<C: Held> Held for Plays<C> {
    fn held(&self, parts: &mut Parts) {
        match self {
            Self::Clip(clip) => clip.held(parts),
            Self::Blend { points, value: _ } => points.held(parts),
            Self::Plane { points, value: _ } => points.held(parts),
        }
    }
}

impl<N: Held + Ord> Held for MixMask<N> {
    fn held(&self, parts: &mut Parts) {
        match self {
            Self::Below { joint, falloff: _ } => joint.held(parts),
            Self::Left | Self::Right | Self::Upper | Self::Lower => {}
            Self::Painted(shares) => shares.held(parts),
        }
    }
}

impl References for PoseLayers {
    fn for_each_id(&self, visit: &mut dyn FnMut(AnyId)) {
        self.0.for_each_id(visit);
    }

    fn for_each_id_mut(&mut self, visit: &mut dyn FnMut(IdKind, &mut u32)) {
        self.0.for_each_id_mut(visit);
    }
}

impl References for LayerHome {
    fn for_each_id(&self, visit: &mut dyn FnMut(AnyId)) {
        match self {
            Self::Pose => {}
            Self::Clip(clip) => clip.for_each_id(visit),
        }
    }

    fn for_each_id_mut(&mut self, visit: &mut dyn FnMut(IdKind, &mut u32)) {
        match self {
            Self::Pose => {}
            Self::Clip(clip) => clip.for_each_id_mut(visit),
        }
    }
}

/// Updates the text of the pointer together with its target.
impl References for PointerTrack {
    fn for_each_id(&self, visit: &mut dyn FnMut(AnyId)) {
        let Self { pointer: _, target, interpolation: _, times: _, width: _, track, visibility } =
            self;
        target.for_each_id(visit);
        track.for_each_id(visit);
        visibility.for_each_id(visit);
    }

    fn for_each_id_mut(&mut self, visit: &mut dyn FnMut(IdKind, &mut u32)) {
        let Self { pointer, target, interpolation: _, times: _, width: _, track, visibility } =
            self;
        target.for_each_id_mut(visit);
        if let Some(target) = target {
            *pointer = target.put_in_pointer(pointer).into();
        }
        track.for_each_id_mut(visit);
        visibility.for_each_id_mut(visit);
    }
}
