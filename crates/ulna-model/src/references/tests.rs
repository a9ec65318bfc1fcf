use std::collections::{BTreeMap, BTreeSet};

use glam::{Mat4, Vec2, Vec3};
use proptest::prelude::*;

use super::*;
use crate::{
    Camera, Clip, Components, ConstraintKind, DisplayChoice, Document, EditorState, FadeCurve,
    FileContent, Image, InStep, Interpolation, JointGroup, JointMask, LayerHome, LayerMask, Light,
    LightKind, Material, Mesh, Mip, Mix, MixBar, MixLane, MixMask, Node, NodeConstraint, NodeSet,
    NodeSpace, NodeVector, Pin, Plays, PointerTrack, PoseLayer, PoseLayers, Primitive, PrimitiveId,
    Projection, Property, Renumbering, Scene, Skin, TextureRef, Topology, Track, TrackId,
    Transform, Unkeyed, UnkeyedAt, VectorForm, VectorKind, VisibilityKeys, Vrm, WeightLayer,
    WeightLayers, WeightMap, Wrap,
};

/// Number of elements of each kind in [`full`].
const COUNT: u32 = 6;

fn track(node: u32) -> Shared<Track> {
    Shared::new(Track {
        target: NodeId(node),
        property: Property::Translation,
        interpolation: Interpolation::Linear,
        times: [0.0].into(),
        values: [0.0; 3].into(),
        width: 3,
        kinds: Default::default(),
        modes: Default::default(),
    })
}

fn texture(image: u32) -> Option<TextureRef> {
    Some(TextureRef {
        image: ImageId(image),
        uv_set: 0,
        wrap: [Wrap::Repeat; 2],
        nearest: false,
        nearest_min: false,
        mip: Mip::Linear,
        offset: Vec2::ZERO,
        rotation: 0.0,
        scale: Vec2::ONE,
    })
}

fn weights() -> Shared<WeightMap> {
    Shared::new(WeightMap {
        sets: 1,
        joints: [0u16; 4].into(),
        weights: [1.0, 0.0, 0.0, 0.0].into(),
        ..WeightMap::default()
    })
}

fn mesh(material: u32) -> Mesh {
    let primitive = Primitive {
        topology: Topology::Points,
        positions: [Vec3::ZERO].into(),
        normals: Slice::default(),
        tangents: Slice::default(),
        uv0: Slice::default(),
        uv1: Slice::default(),
        colors: Slice::default(),
        indices: Slice::default(),
        material: Some(MaterialId(material)),
        variants: [(VariantId(1), MaterialId(2))].into(),
        targets: Shared::default(),
        weights: Some(weights()),
    };
    Mesh {
        name: None,
        primitives: vec![primitive],
        default_weights: Shared::default(),
        target_names: Vec::new(),
        kept_weight_layers: None,
    }
}

fn clip() -> Clip {
    Clip {
        tracks: [(TrackId(0), track(1)), (TrackId(4), track(2))].into(),
        pointers: [PointerTrack {
            pointer: "/nodes/3/translation".into(),
            target: Some(NodeId(3).into()),
            interpolation: Interpolation::Linear,
            times: [0.0].into(),
            width: 3,
            track: Some(track(3)),
            visibility: Some(VisibilityKeys { node: NodeId(4), visible: [true].into() }),
        }]
        .into(),
        kept: [(NodeId(5), Property::Scale)].into(),
        ..Clip::default()
    }
}

fn mix() -> Mix {
    let bar = |plays| MixBar {
        plays,
        curve: FadeCurve::Linear,
        in_step: InStep::Free,
        mask: Some(MixMask::Below { joint: NodeId(2), falloff: 1 }),
        ..MixBar::new(ClipId(0), 0.0, 1.0)
    };
    let lane = MixLane {
        mask: Some(MixMask::Painted([(NodeId(1), 0.5), (NodeId(4), 1.0)].into())),
        bars: vec![
            bar(Plays::Clip(ClipId(1))),
            bar(Plays::Blend { points: vec![(ClipId(2), 0.0)], value: 0.0 }),
            bar(Plays::Plane { points: vec![(ClipId(3), [0.0; 2])], value: [0.0; 2] }),
        ],
        ..MixLane::new("lane")
    };
    Mix { lanes: vec![lane] }
}

fn editor_state() -> EditorState {
    let layer = PoseLayer {
        strength_keys: Some(Shared::new(Track {
            width: 1,
            values: [1.0].into(),
            ..(*track(90)).clone()
        })),
        mask: Some(LayerMask {
            by: MixMask::Below { joint: NodeId(5), falloff: 0 },
            counts: JointMask::of([NodeId(1), NodeId(3)]),
        }),
        keys: Shared::new(Clip { tracks: [(TrackId(0), track(4))].into(), ..Clip::default() }),
        ..PoseLayer::new("layer", [(NodeId(2), Transform::IDENTITY)].into())
    };
    let key = (MeshId(3), PrimitiveId(0));
    let weight_layer = WeightLayer {
        id: crate::LayerId(0),
        name: "layer".into(),
        opacity: 1.0,
        shown: true,
        solo: false,
        mirror: None,
        parts: BTreeMap::from([(
            key,
            Shared::new(crate::LayerPart {
                sets: 1,
                vertices: vec![0],
                mask: vec![1.0],
                joints: vec![0; 4],
                weights: vec![1.0, 0.0, 0.0, 0.0],
            }),
        )]),
    };
    let components = Components { translation: Some(Vec3::ONE), ..Components::default() };
    EditorState {
        unkeyed: BTreeMap::from([(
            UnkeyedAt::new(ClipId(4), 0.5),
            Shared::new(Unkeyed {
                locals: [(NodeId(1), components)].into(),
                morphs: [(NodeId(2), Shared::from([1.0]))].into(),
            }),
        )]),
        pose_layers: [(LayerHome::Clip(ClipId(5)), Shared::new(PoseLayers(vec![layer.into()])))]
            .into(),
        keeps_layers: true,
        weight_layers: BTreeMap::from([(
            SkinId(2),
            Shared::new(WeightLayers {
                bases: BTreeMap::from([(key, weights())]),
                layers: vec![Shared::new(weight_layer)],
                next: 1,
                ..WeightLayers::default()
            }),
        )]),
        mirror_pairs: [(NodeId(3), Some(NodeId(4))), (NodeId(5), None)].into(),
        pins: [(NodeId(2), Pin { place: true, angle: false })].into(),
        mix: Some(Shared::new(mix())),
    }
}

/// A document with six elements of each kind, and an id in every member that can hold one.
fn full() -> Document {
    let all = 0..COUNT;
    let node = |k: u32| Node {
        parent: k.checked_sub(1).map(NodeId),
        mesh: (k == 2).then_some(MeshId(1)),
        skin: (k == 2).then_some(SkinId(1)),
        camera: (k == 3).then_some(CameraId(2)),
        light: (k == 4).then_some(LightId(3)),
        ..Node::default()
    };
    let skin = |k: u32| Skin {
        joints: [NodeId(k), NodeId(2)].into(),
        inverse_bind: [Mat4::IDENTITY; 2].into(),
        ..Skin::default()
    };
    let scene = |k: u32| Scene {
        roots: vec![NodeId(0)],
        sets: [NodeSet { digit: 1, nodes: vec![NodeId(k), NodeId(3)] }].into(),
        groups: [JointGroup { nodes: vec![NodeId(k), NodeId(1)], ..JointGroup::default() }].into(),
        humanoid: Some(Shared::new(Vrm {
            bones: [("hips".into(), NodeId(k))].into(),
            ..Vrm::default()
        })),
        ..Scene::default()
    };
    let projection = Projection::Orthographic { xmag: 1.0, ymag: 1.0, near: 0.0, far: 1.0 };
    let light =
        Light { name: None, kind: LightKind::Point, color: Vec3::ONE, intensity: 1.0, range: None };
    let material = |k: u32| Material {
        base_color_texture: texture(k),
        metallic_roughness_texture: texture(1),
        normal_texture: texture(2),
        occlusion_texture: texture(3),
        emissive_texture: texture(4),
        ..Material::default()
    };
    let file = FileContent {
        nodes: all.clone().map(node).collect(),
        scenes: all.clone().map(scene).collect(),
        scene: Some(SceneId(1)),
        meshes: all.clone().map(|k| Shared::new(mesh(k))).collect(),
        skins: all.clone().map(|k| Shared::new(skin(k))).collect(),
        clips: all.clone().map(|_| Shared::new(clip())).collect(),
        materials: all.clone().map(material).collect(),
        variants: all.clone().map(|_| "variant".into()).collect(),
        images: all.clone().map(|_| Image { name: None, bytes: Slice::default() }).collect(),
        cameras: all.clone().map(|_| Camera { name: None, projection }).collect(),
        lights: all.map(|_| light.clone()).collect(),
        vrm: Some(Shared::new(Vrm {
            bones: [("head".into(), NodeId(4)), ("hips".into(), NodeId(1))].into(),
            ..Vrm::default()
        })),
        node_space: NodeSpace {
            vectors: [NodeVector {
                node: NodeId(2),
                pointer: "extensions/VRMC_vrm/lookAt/offsetFromHeadBone".into(),
                value: Vec3::Y,
                kind: VectorKind::Position,
                form: VectorForm::List,
            }]
            .into(),
            constraints: [NodeConstraint {
                node: NodeId(3),
                source: NodeId(5),
                kind: ConstraintKind::Aim,
            }]
            .into(),
        },
    };
    let shown = DisplayChoice { scene: Some(SceneId(2)), variant: Some(VariantId(3)) };
    Document { file, aids: editor_state(), shown }
}

fn ids_of(value: &impl References) -> Vec<AnyId> {
    let mut ids = Vec::new();
    value.for_each_id(&mut |id| ids.push(id));
    ids
}

/// The document of [`full`] with its `k`-th id replaced.
fn with_id(k: usize, to: u32) -> Document {
    let (mut document, mut at) = (full(), 0);
    document.for_each_id_mut(&mut |_, index| {
        if at == k {
            *index = to;
        }
        at += 1;
    });
    document
}

#[test]
fn shared_and_mutable_visitors_visit_the_same_ids() {
    let mut document = full();
    assert_eq!(document.check(), Ok(()));
    let ids = ids_of(&document);
    let mut seen = Vec::new();
    document.for_each_id_mut(&mut |kind, index| seen.push(AnyId::new(kind, *index)));
    assert_eq!(seen, ids);
    assert_eq!(document, full());
    let kinds: BTreeSet<IdKind> = ids.iter().map(|id| id.kind).collect();
    let of_model = IdKind::ALL.into_iter().filter(|k| document.has(AnyId::new(*k, 0)));
    assert_eq!(kinds, of_model.collect());
    assert!(document.names(NodeId(5)) && !document.names(NodeId(90)));
}

/// Checks every reference. Only clips of a mix may be missing.
#[test]
fn a_missing_element_is_found_in_every_reference() {
    let document = full();
    let count = ids_of(&document).len();
    let unseen = (0..count).filter(|k| with_id(*k, 1000).check().is_ok()).count();
    let clips = ids_of(&document.aids.mix).into_iter().filter(|id| id.kind == IdKind::Clip);
    assert_eq!(unseen, clips.count());
}

#[test]
fn the_text_of_a_pointer_follows_its_target() {
    let mut renumbering = Renumbering::default();
    renumbering.close_gaps(IdKind::Node, (0..COUNT).map(|k| k != 1));
    let mut clip = clip();
    assert_eq!(renumbering.apply(&mut clip), Some(NodeId(1).into()), "a track of node 1");
    let pointer = &clip.pointers[0];
    assert_eq!(&*pointer.pointer, "/nodes/2/translation");
    assert_eq!(pointer.target, Some(NodeId(2).into()));
    assert_eq!(pointer.track.as_ref().map(|t| t.target), Some(NodeId(2)));
    assert_eq!(pointer.visibility.as_ref().map(|v| v.node), Some(NodeId(3)));
}

proptest! {
    /// Every id gets its new index, and the inverse renumbering restores the document.
    #[test]
    fn a_renumbering_is_undone_by_its_inverse(
        orders in prop::collection::vec(Just((0..COUNT).collect::<Vec<u32>>()).prop_shuffle(), 10),
    ) {
        let (mut there, mut back) = (Renumbering::default(), Renumbering::default());
        for (kind, order) in IdKind::ALL.into_iter().zip(&orders) {
            let mut inverse = vec![None; order.len()];
            order.iter().zip(0..).for_each(|(new, old)| inverse[*new as usize] = Some(old));
            there.set(kind, order.iter().copied().map(Some).collect());
            back.set(kind, inverse);
        }
        let mut document = full();
        let mut expected: Vec<AnyId> = ids_of(&document)
            .into_iter()
            .map(|id| AnyId::new(id.kind, there.of(id).unwrap_or(u32::MAX)))
            .collect();
        prop_assert_eq!(there.apply(&mut document), None);
        let mut ids = ids_of(&document);
        // Maps are sorted by their new keys.
        ids.sort_unstable();
        expected.sort_unstable();
        prop_assert_eq!(ids, expected);
        prop_assert_eq!(back.apply(&mut document), None);
        prop_assert_eq!(document, full());
    }
}
