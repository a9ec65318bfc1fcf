//! How much memory the types of a document hold.
//!
//! Every type is taken apart member by member, so that a new member does not compile until it is
//! counted.

use super::{
    AlphaMode, Camera, CameraId, Clip, ClipId, Components, Document, EditorState, Enter, FadeCurve,
    FileContent, Held, Image, ImageId, InStep, Interpolation, JointMask, KeptJoint, KeptKeys,
    KeptLayer, KeptLayers, KeptMorphs, KeptPose, KeptWeightLayer, KeptWeightLayers, KeyKind,
    KeyTangents, LayerHome, LayerId, LayerMask, LayerPart, Light, LightId, LightKind, Local,
    Marker, MarkerColor, Material, MaterialId, Mesh, MeshId, Mip, MirrorFrom, Mix, MixBar, MixLane,
    MixMask, MixReference, MorphTarget, Node, NodeId, NodePose, NodeSet, OwnKeys, Parts, Pin,
    Plays, PointerTrack, PoseLayer, PoseLayerId, PoseLayers, Primitive, PrimitiveId, Projection,
    Property, Repeat, RestGeometry, RestSource, Scene, SceneId, Skin, SkinId, TextureRef, Topology,
    Track, TrackId, Transform, Unkeyed, UnkeyedAt, VariantId, VisibilityKeys, Vrm, WeightEncoding,
    WeightLayer, WeightLayers, WeightMap, WeightPatch, Wrap, held::plain,
};

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

plain!(
    Transform,
    Local,
    NodePose,
    Components,
    NodeId,
    MeshId,
    SkinId,
    ClipId,
    SceneId,
    VariantId,
    TrackId,
    MaterialId,
    ImageId,
    CameraId,
    LightId,
    PrimitiveId,
    LayerId,
    PoseLayerId,
    LayerHome,
    UnkeyedAt,
    Property,
    Interpolation,
    KeyKind,
    KeyTangents,
    Repeat,
    RestSource,
    Pin,
    Topology,
    WeightEncoding,
    MirrorFrom,
    TextureRef,
    AlphaMode,
    Mip,
    Wrap,
    MarkerColor,
    Projection,
    LightKind,
    MixReference,
    Enter,
    FadeCurve,
    InStep,
);

holds! {
    Node { name, parent, rank, rest, rest_source, pose, mesh, skin, instances, camera, light,
        morph_weights, hidden }
    Skin { name, joints, inverse_bind, has_inverse_bind }
    Track { target, property, interpolation, times, values, width, kinds, modes }
    PointerTrack { pointer, interpolation, times, width, track, visibility }
    VisibilityKeys { node, visible }
    Marker { time, name, color }
    Clip { name, tracks, channels_in_file, markers, repeat, ticks, rate, kept_layers, pointers,
        kept, mended }
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
    LayerMask { by, counts }
    PoseLayer { id, name, strength, strength_keys, muted, solo, mask, moves, keys }
    KeptJoint { name, parent, path, local, rest, frame, unit }
    KeptMorphs { name, weights }
    KeptPose { name, height, joints, morphs }
    NodeSet { digit, nodes }
    Unkeyed { locals, morphs }
    Scene { name, roots, poses, sets, mix, kept_layers }
    FileContent {
        nodes, scenes, scene, meshes, skins, clips, materials, variants, images, cameras, lights,
            vrm
    }
    EditorState { unkeyed, pose_layers, keeps_layers, weight_layers, mirror_pairs, pins, mix }
}

impl Held for Document {
    fn held(&self, parts: &mut Parts) {
        // What is chosen to be shown holds nothing.
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

impl<C: Held, N: Held + Ord> Held for Mix<C, N> {
    fn held(&self, parts: &mut Parts) {
        let Self { lanes } = self;
        lanes.held(parts);
    }
}

impl<C: Held, N: Held + Ord> Held for MixLane<C, N> {
    fn held(&self, parts: &mut Parts) {
        let Self { name, additive: _, weight: _, mask, on: _, solo: _, nlerp: _, bars } = self;
        name.held(parts);
        mask.held(parts);
        bars.held(parts);
    }
}

impl<C: Held, N: Held + Ord> Held for MixBar<C, N> {
    fn held(&self, parts: &mut Parts) {
        let Self {
            plays,
            start: _,
            length: _,
            offset: _,
            speed: _,
            repeat: _,
            weight: _,
            fade_in: _,
            fade_out: _,
            enter: _,
            curve: _,
            along: _,
            in_step: _,
            mask,
        } = self;
        plays.held(parts);
        mask.held(parts);
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
