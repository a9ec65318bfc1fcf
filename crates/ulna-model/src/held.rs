//! How much memory values hold, to the allocation: what several share is one part, counted once by
//! where it is.
//!
//! Every type is taken apart member by member, so that a new member does not compile until it is
//! counted.

use std::{
    collections::{BTreeMap, HashSet},
    sync::Arc,
};

use glam::{Mat4, Quat, Vec2, Vec3, Vec4};

use super::{
    AlphaMode, Asset, Camera, CameraId, Clip, ClipId, Components, Document, EditorState, Enter,
    FadeCurve, Image, ImageId, InStep, Interpolation, JointMask, KeptJoint, KeptKeys, KeptLayer,
    KeptLayers, KeptMorphs, KeptPose, KeptWeightLayer, KeptWeightLayers, KeyKind, LayerHome,
    LayerId, LayerMask, LayerPart, Light, LightId, LightKind, Local, Marker, MarkerColor, Material,
    MaterialId, Mesh, MeshId, Mip, MirrorFrom, Mix, MixBar, MixLane, MixMask, MixReference,
    MorphTarget, Node, NodeId, NodePose, NodeSet, OwnKeys, Pin, Plays, PointerTrack, PoseLayer,
    PoseLayerId, PoseLayers, Primitive, PrimitiveId, Projection, Property, Repeat, RestSource,
    Scene, SceneId, Shape, Shared, Skin, SkinId, TextureRef, Topology, Track, TrackId, Transform,
    Unkeyed, UnkeyedAt, VariantId, VisibilityKeys, Vrm, WeightEncoding, WeightLayer, WeightLayers,
    WeightMap, WeightPatch, Wrap,
};

/// Bytes of the two counts before a shared value.
const COUNTS: usize = 16;

/// A value whose memory can be counted.
pub trait Held {
    /// Whether it holds nothing outside itself, so that lists of it need not be gone through.
    const PLAIN: bool = false;

    /// Adds what it holds outside itself.
    fn held(&self, _parts: &mut Parts) {}
}

/// A count of the memory that several values hold together.
#[derive(Debug, Default)]
pub struct Parts {
    /// Bytes that one of them holds alone, as lists and names do.
    pub own: usize,
    /// Shared memory, each once: where it is, and how many bytes it has, without shared memory that
    /// it holds itself.
    pub shared: Vec<(usize, usize)>,
    seen: HashSet<usize>,
}

impl Parts {
    /// The memory that a value holds outside itself.
    pub fn of(value: &impl Held) -> Self {
        let mut parts = Self::default();
        value.held(&mut parts);
        parts
    }

    /// Bytes of all of it.
    pub fn bytes(&self) -> usize {
        self.own + self.shared.iter().map(|(_, bytes)| bytes).sum::<usize>()
    }

    /// Adds shared memory: where it is, its bytes, and what it holds itself.
    pub(super) fn share(&mut self, at: usize, bytes: usize, holds: impl FnOnce(&mut Self)) {
        if !self.seen.insert(at) {
            return;
        }
        let outer = std::mem::replace(&mut self.own, bytes + COUNTS);
        holds(self);
        let own = std::mem::replace(&mut self.own, outer);
        self.shared.push((at, own));
    }
}

/// Where shared memory is.
pub(super) fn address<T: ?Sized>(at: &T) -> usize {
    std::ptr::from_ref(at).cast::<()>().addr()
}

macro_rules! plain {
    ($($name:ty),* $(,)?) => {
        $(impl Held for $name {
            const PLAIN: bool = true;
        })*
    };
}

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
    bool,
    u8,
    u16,
    u32,
    u64,
    usize,
    f32,
    f64,
    Vec2,
    Vec3,
    Vec4,
    Quat,
    Mat4,
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
    Track { target, property, interpolation, times, values, width, kinds }
    PointerTrack { pointer, interpolation, times, width, track, visibility }
    VisibilityKeys { node, visible }
    Marker { time, name, color }
    Clip { name, tracks, channels_in_file, markers, repeat, ticks, rate, kept_layers, pointers,
        kept, mended }
    KeptKeys { interpolation, times, values }
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
    Shape { positions, normals, tangents, targets }
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
    Asset {
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

impl<T: Held> Held for Option<T> {
    const PLAIN: bool = T::PLAIN;

    fn held(&self, parts: &mut Parts) {
        if let Some(value) = self {
            value.held(parts);
        }
    }
}

impl<A: Held, B: Held> Held for (A, B) {
    const PLAIN: bool = A::PLAIN && B::PLAIN;

    fn held(&self, parts: &mut Parts) {
        self.0.held(parts);
        self.1.held(parts);
    }
}

impl<A: Held, B: Held, C: Held> Held for (A, B, C) {
    const PLAIN: bool = A::PLAIN && B::PLAIN && C::PLAIN;

    fn held(&self, parts: &mut Parts) {
        self.0.held(parts);
        self.1.held(parts);
        self.2.held(parts);
    }
}

impl<T: Held, const N: usize> Held for [T; N] {
    const PLAIN: bool = T::PLAIN;

    fn held(&self, parts: &mut Parts) {
        self.as_slice().held(parts);
    }
}

impl<T: Held> Held for [T] {
    fn held(&self, parts: &mut Parts) {
        if !T::PLAIN {
            self.iter().for_each(|value| value.held(parts));
        }
    }
}

impl<T: Held> Held for Vec<T> {
    fn held(&self, parts: &mut Parts) {
        parts.own += self.capacity() * size_of::<T>();
        self.as_slice().held(parts);
    }
}

impl<T: Held> Held for Box<T> {
    fn held(&self, parts: &mut Parts) {
        parts.own += size_of::<T>();
        (**self).held(parts);
    }
}

impl Held for String {
    fn held(&self, parts: &mut Parts) {
        parts.own += self.capacity();
    }
}

impl Held for Arc<str> {
    fn held(&self, parts: &mut Parts) {
        parts.share(address(&**self), self.len(), |_| {});
    }
}

impl<K: Held, V: Held> Held for BTreeMap<K, V> {
    fn held(&self, parts: &mut Parts) {
        /// Entries a node of the tree has room for, and has on average.
        const ROOM: usize = 11;
        const USUAL: usize = 8;
        let node = ROOM * (size_of::<K>() + size_of::<V>()) + 24;
        parts.own += self.len().div_ceil(USUAL) * node;
        if !(K::PLAIN && V::PLAIN) {
            for (key, value) in self {
                key.held(parts);
                value.held(parts);
            }
        }
    }
}

impl<T: Held> Held for Shared<T> {
    fn held(&self, parts: &mut Parts) {
        parts.share(address(&**self), size_of::<T>(), |parts| (**self).held(parts));
    }
}

impl<T: Held> Held for Shared<[T]> {
    fn held(&self, parts: &mut Parts) {
        parts.share(address(&**self), size_of_val(&**self), |parts| (**self).held(parts));
    }
}
