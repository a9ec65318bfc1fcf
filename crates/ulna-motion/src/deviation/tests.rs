//! Measurements of changes with a known deviation.

use std::sync::atomic::{AtomicBool, AtomicU32};

use glam::{DMat4, Mat4, Quat, Vec3};
use proptest::prelude::*;

use super::*;
use crate::{SeenVertex, tube};
use ulna_model::{
    Clip, ClipId, Components, Document, Interpolation, LayerHome, Local, MeshId, Mix, MixBar,
    MixLane, MorphTarget, Node, NodeId, PoseLayer, PoseLayers, PrimitiveId, Property, Shared, Skin,
    SkinId, Track, TrackId, Transform, Unkeyed, UnkeyedAt, WeightMap,
};

const UPPER: NodeId = NodeId(1);

fn track(
    node: u32,
    property: Property,
    interpolation: Interpolation,
    keys: &[(f32, &[f32])],
) -> Track {
    let width = if property == Property::Rotation { 4 } else { 3 };
    let track = Track {
        target: NodeId(node),
        property,
        interpolation,
        times: keys.iter().map(|k| k.0).collect(),
        values: keys.iter().flat_map(|k| k.1.to_vec()).collect(),
        width,
        kinds: Default::default(),
        modes: Default::default(),
    };
    track.validate().unwrap();
    track
}

fn turns(node: u32, keys: &[(f32, Quat)]) -> Track {
    let arrays: Vec<(f32, [f32; 4])> = keys.iter().map(|k| (k.0, k.1.to_array())).collect();
    let keys: Vec<(f32, &[f32])> = arrays.iter().map(|k| (k.0, &k.1[..])).collect();
    track(node, Property::Rotation, Interpolation::Linear, &keys)
}

fn clip(tracks: Vec<Track>) -> Shared<Clip> {
    let tracks = tracks.into_iter().enumerate();
    let tracks = tracks.map(|(k, track)| (TrackId::from(k), Shared::new(track))).collect();
    Clip { tracks, ..Clip::default() }.into()
}

fn put(document: &mut Document, id: u32, tracks: Vec<Track>) {
    document.file.clips.put(ClipId(id), Some(clip(tracks)));
}

/// The tube with rigid weights, a clip that rotates both joints, and one that rotates the upper
/// one.
fn animated() -> Document {
    let mut document = tube::tube(|y| f32::from(y > 0.5));
    let (id, x) = (Quat::IDENTITY, Quat::from_rotation_x);
    let first = vec![
        turns(0, &[(0.0, id), (1.0, x(2.0)), (1.5, x(0.3))]),
        turns(1, &[(0.0, Quat::from_rotation_y(0.5)), (1.0, Quat::from_rotation_z(-1.0))]),
    ];
    put(&mut document, 0, first);
    let second = turns(1, &[(0.0, id), (2.0, Quat::from_rotation_z(1.0)), (3.0, id)]);
    put(&mut document, 1, vec![second]);
    document
}

fn measured(request: &DeviationRequest<'_>) -> Deviation {
    let progress = AtomicU32::new(0);
    let found = Deviation::measure(request, &AtomicBool::new(false), &progress).expect("a result");
    assert_eq!(progress.into_inner(), 1000);
    assert!(found.mean_mm <= found.p99_mm.max(found.worst_mm) && found.p99_mm <= found.worst_mm);
    assert_eq!(found.at().is_some(), found.worst_mm > 0.0);
    assert_eq!(found.worst_joint.is_some(), found.worst_degrees > 0.0);
    if let Some(at) = found.at() {
        let distance = f64::from(at.before.distance(at.after)) * 1e3;
        assert!((distance - found.worst_mm).abs() < 1e-2, "{distance} {found:?}");
    }
    let named: Vec<WorstPoint> = found.worst.into_iter().flatten().collect();
    assert!(named.is_sorted_by(|a, b| a.mm >= b.mm) && named.iter().all(|p| p.mm > 0.0));
    assert!(named.last().is_none_or(|last| found.other_mm <= last.mm), "{found:?}");
    assert_eq!(named.first().map_or(0.0, |p| p.mm), found.worst_mm);
    found
}

fn bounded<'a>(before: &'a Document, after: &'a Document) -> DeviationRequest<'a> {
    DeviationRequest::new(before, after, Exactness::Bounded)
}

fn set_rest(document: &mut Document, node: u32, change: impl Fn(&mut Transform)) {
    let node = document.file.nodes.get_mut(NodeId(node)).unwrap();
    let mut rest = node.rest.transform();
    change(&mut rest);
    node.rest = Local::Trs(rest);
}

fn set_skin(document: &mut Document, change: impl Fn(&mut Skin)) {
    change(Shared::make_mut(document.file.skins.get_mut(SkinId(0)).unwrap()));
}

/// Distance of the top rim from the upper joint, meters.
fn rim() -> f64 {
    (0.5f64 * 0.5 + f64::from(tube::RADIUS).powi(2)).sqrt()
}

#[test]
fn a_document_does_not_deviate_from_itself() {
    let mut document = animated();
    let bent = Transform::from_rotation(Quat::from_rotation_z(0.4));
    let layers: PoseLayers = [PoseLayer::new("Bent", [(UPPER, bent)].into())].into_iter().collect();
    document.aids.pose_layers.insert(LayerHome::Clip(ClipId(0)), layers.into());
    for exactness in [Exactness::Exact, Exactness::Bounded] {
        let found = measured(&DeviationRequest::new(&document, &document.clone(), exactness));
        let all = [found.mean_mm, found.p99_mm, found.worst_mm];
        assert_eq!((all, found.worst_degrees, found.worst_joint_mm), ([0.0; 3], 0.0, 0.0));
        assert_eq!((found.at(), found.not_finite, found.unmatched), (None, 0, 0));
        assert_eq!(found.points, tube::RINGS * tube::ROUND);
        assert!((found.height - 1.0).abs() < 1e-6 && (found.size - 1.08f64.sqrt()).abs() < 1e-3);
        if exactness == Exactness::Exact {
            assert_eq!(found.times, 11);
        }
    }
}

#[test]
fn a_rotation_by_one_degree_is_measured_with_its_arc() {
    let before = animated();
    let mut after = before.clone();
    let degree = Quat::from_rotation_z(1f32.to_radians());
    set_rest(&mut after, 1, |rest| rest.rotation = degree);
    // The clips drive the rotation of that joint, so only the file's pose changes.
    let found = measured(&bounded(&before, &after));
    assert!((found.worst_degrees - 1.0).abs() < 1e-4, "{found:?}");
    assert_eq!(found.worst_joint.map(|j| (j.motion, j.node)), Some((ComparedMotion::Pose, UPPER)));
    let chord = 2.0 * 0.5f64.to_radians().sin() * rim() * 1e3;
    assert!((found.worst_mm - chord).abs() < 1e-2, "{} {chord}", found.worst_mm);
    let at = found.at().unwrap();
    assert_eq!((at.motion, at.node), (ComparedMotion::Pose, tube::MESH));
    let (mesh, vertex) = at.vertex.unwrap();
    assert_eq!((mesh, vertex.vertex as usize / tube::ROUND), (MeshId(0), tube::RINGS - 1));
    // Fewer than half of the vertices move, and only at one of many times.
    assert!(found.mean_mm < chord * 0.5 / found.times as f64 && found.mean_mm > 0.0);
    // The joint rotates about its own origin, which does not move.
    assert_eq!(found.worst_joint_mm, 0.0);
    // An excluded joint is not compared, but its skin is.
    let excluded = DeviationRequest { excluded: &[UPPER], ..bounded(&before, &after) };
    let skin = measured(&excluded);
    assert_eq!((skin.worst_degrees, skin.worst_mm), (0.0, found.worst_mm));
}

#[test]
fn a_correct_change_of_a_joint_frame_has_no_deviation() {
    let before = animated();
    let turn = Quat::from_euler(glam::EulerRot::XYZ, 0.7, -1.9, 0.4);
    for (scale, shift) in [(1.0, Vec3::ZERO), (0.01, Vec3::ZERO), (2.5, Vec3::new(0.3, -0.2, 0.1))]
    {
        let mut before = before.clone();
        if shift != Vec3::ZERO {
            // A constant translation is exact only without animated rotations.
            before.file.clips = Default::default();
            tube::bend(&mut before, Quat::from_rotation_x(0.8));
        }
        let mut after = before.clone();
        let c = Mat4::from_scale_rotation_translation(Vec3::splat(scale), turn, shift);
        set_rest(&mut after, 0, |rest| {
            *rest = Transform { translation: shift, rotation: turn, scale: Vec3::splat(scale) };
        });
        set_rest(&mut after, 1, |rest| {
            rest.translation = c.inverse().transform_point3(rest.translation);
            rest.rotation = turn.conjugate() * rest.rotation;
            rest.scale /= scale;
        });
        set_skin(&mut after, |skin| {
            let mut list = skin.inverse_bind.to_vec();
            list[0] = c.inverse() * list[0];
            skin.inverse_bind = list.into();
        });
        let ids: Vec<ClipId> = after.file.clips.ids().collect();
        for id in ids {
            let clip = Shared::make_mut(after.file.clips.get_mut(id).unwrap());
            let tracks: Vec<Shared<Track>> = clip.tracks.values().cloned().collect();
            for (k, mut track) in tracks.into_iter().enumerate() {
                let made = Shared::make_mut(&mut track);
                for value in made.values.make_mut().chunks_exact_mut(4) {
                    let r = Quat::from_slice(value);
                    let r = if made.target == UPPER { turn.conjugate() * r } else { r * turn };
                    value.copy_from_slice(&r.to_array());
                }
                clip.tracks.insert(TrackId::from(k), track);
            }
        }
        if shift != Vec3::ZERO {
            let bent = Transform {
                rotation: turn.conjugate() * Quat::from_rotation_x(0.8),
                ..after.node(UPPER).rest.transform()
            };
            let node = after.file.nodes.get_mut(UPPER).unwrap();
            (node.rest, node.pose) = (Local::Trs(bent), None);
        }
        let frames =
            [JointFrame { before: NodeId(0), after: NodeId(0), before_from_after: c.as_dmat4() }];
        let request = DeviationRequest { joints: &frames, ..bounded(&before, &after) };
        let found = measured(&request);
        let all = [found.worst_mm, found.worst_degrees, found.worst_joint_mm];
        assert_eq!(all, [0.0; 3], "{found:?}");
        assert_eq!(found.times > 20, shift == Vec3::ZERO);
        // Without the joint's new frame in the request, the joint deviates, and the skin does not.
        let plain = measured(&bounded(&before, &after));
        assert!(plain.worst_mm == 0.0 && plain.worst_degrees > 90.0, "{plain:?}");
        assert_eq!(plain.worst_joint.map(|j| j.node), Some(NodeId(0)));
    }
}

#[test]
fn a_deviation_between_keys_is_found_at_its_time() {
    let still: &[f32] = &[0.0, 0.5, 0.0];
    let mut before = animated();
    let linear = Interpolation::Linear;
    let keys = [(0.0, still), (3.0, still)];
    put(&mut before, 2, vec![track(1, Property::Translation, linear, &keys)]);
    let mut after = before.clone();
    // u³ − 2u² + u has its maximum, 4/27, at a third.
    let first = [0.0, 0.0, 0.0, 0.0, 0.5, 0.0, 0.0, 0.0, 0.1];
    let last = [0.0, 0.0, 0.0, 0.0, 0.5, 0.0, 0.0, 0.0, 0.0];
    let keys: [(f32, &[f32]); 2] = [(0.0, &first), (3.0, &last)];
    let cubic = Interpolation::CubicSpline;
    put(&mut after, 2, vec![track(1, Property::Translation, cubic, &keys)]);
    let found = measured(&bounded(&before, &after));
    let wanted = 0.3 * 4.0 / 27.0 * 1e3;
    assert!((found.worst_mm - wanted).abs() < wanted * 1e-3, "{} {wanted}", found.worst_mm);
    let at = found.at().unwrap();
    assert_eq!(at.motion, ComparedMotion::Clip(ClipId(2)));
    assert!((at.time - 1.0).abs() < 0.05, "{}", at.time);
    assert!((at.after - at.before).z > 0.04);
    // The joint moves as far as its skin, and does not rotate.
    assert!((found.worst_joint_mm - wanted).abs() < wanted * 1e-3);
    assert_eq!((found.worst_degrees, found.farthest_joint.unwrap().node), (0.0, UPPER));
}

/// Removes the upper joint from the skin and the tree. The lower joint gets its weights.
fn without_upper(before: &Document) -> Document {
    let mut after = before.clone();
    set_skin(&mut after, |skin| {
        skin.joints = [NodeId(0)].into();
        skin.inverse_bind = [Mat4::IDENTITY].into();
    });
    let count = tube::RINGS * tube::ROUND;
    let weights = WeightMap {
        sets: 1,
        joints: vec![0; count * 4].into(),
        weights: [1.0f32, 0.0, 0.0, 0.0].repeat(count).into(),
        ..WeightMap::default()
    };
    tube::set_weights(&mut after, weights);
    for id in [ClipId(0), ClipId(1)] {
        let clip = Shared::make_mut(after.file.clips.get_mut(id).unwrap());
        let own = clip.tracks.values().filter(|t| t.target != UPPER).cloned();
        let own = own.enumerate().map(|(k, t)| (TrackId::from(k), t)).collect();
        clip.tracks = own;
    }
    after.file.nodes.swap(&mut [(UPPER, None)]);
    after
}

#[test]
fn moving_weights_of_a_removed_joint_to_its_parent_is_measured() {
    let mut before = animated();
    before.file.clips.put(ClipId(0), Some(clip(vec![turns(0, &[(0.0, Quat::IDENTITY)])])));
    let after = without_upper(&before);
    let wanted = 2.0 * 0.5f64.sin() * rim() * 1e3;
    for most_points in [DeviationRequest::POINTS, 16] {
        let found = measured(&DeviationRequest { most_points, ..bounded(&before, &after) });
        assert!((found.worst_mm - wanted).abs() < 0.01, "{} {wanted}", found.worst_mm);
        let at = found.at().unwrap();
        assert_eq!((at.motion, at.time), (ComparedMotion::Clip(ClipId(1)), 2.0));
        assert!(found.points <= most_points * 3 && found.mean_mm > 10.0 && found.p99_mm > 300.0);
        // Only one document has the joint.
        assert_eq!((found.worst_degrees, found.unmatched), (0.0, 0));
    }
    // Swapping both documents gives the same distance.
    let back = measured(&bounded(&after, &before));
    assert!((back.worst_mm - wanted).abs() < 0.01);
}

#[test]
fn the_worst_vertex_of_all_is_found_by_sampling_few() {
    let before = animated();
    let mut after = before.clone();
    let id = Quat::IDENTITY;
    let keys = [(0.0, id), (2.0, Quat::from_rotation_z(1.2)), (3.0, id)];
    put(&mut after, 1, vec![turns(1, &keys)]);
    let all = measured(&bounded(&before, &after));
    let few = measured(&DeviationRequest { most_points: 2, ..bounded(&before, &after) });
    assert!(few.points < 20 && (few.worst_mm - all.worst_mm).abs() < 1e-3, "{few:?} {all:?}");
    assert_eq!((all.at().unwrap().time, few.at().unwrap().time), (2.0, 2.0));
    // A given vertex is always measured.
    let vertex = SeenVertex { node: tube::MESH, primitive: PrimitiveId(0), vertex: 7 };
    let given = [vertex, SeenVertex { vertex: u32::MAX, ..vertex }];
    let request = DeviationRequest { most_points: 2, vertices: &given, ..bounded(&before, &after) };
    let more = measured(&request);
    assert_eq!(more.points, few.points + 1);
}

#[test]
fn a_rigid_mesh_that_moved_to_a_new_node_is_the_same_mesh() {
    let mut before = animated();
    let mesh = Node { parent: Some(UPPER), skin: None, ..before.node(tube::MESH).clone() };
    before.file.nodes.swap(&mut [(tube::MESH, Some(Box::new(mesh)))]);
    let mut after = before.clone();
    let c = Mat4::from_rotation_translation(Quat::from_rotation_x(0.3), Vec3::new(0.1, 0.0, 0.0));
    let holder = after.file.nodes.next_id();
    let mut node = tube::node(Some(tube::MESH), Vec3::ZERO);
    node.rest = Local::Matrix(c.inverse());
    node.mesh = Some(MeshId(0));
    after.file.nodes.swap(&mut [(holder, Some(Box::new(node)))]);
    after.file.nodes.get_mut(tube::MESH).unwrap().mesh = None;
    set_rest(&mut after, tube::MESH.0, |rest| {
        *rest = Transform {
            translation: Vec3::new(0.1, 0.0, 0.0),
            rotation: Quat::from_rotation_x(0.3),
            ..Transform::IDENTITY
        };
    });
    let frames =
        [JointFrame { before: tube::MESH, after: tube::MESH, before_from_after: c.as_dmat4() }];
    let found = measured(&DeviationRequest { joints: &frames, ..bounded(&before, &after) });
    let all = [found.worst_mm, found.worst_degrees, found.worst_joint_mm];
    assert_eq!((all, found.unmatched), ([0.0; 3], 0));
    assert_eq!(found.points, tube::RINGS * tube::ROUND);
    after.file.nodes.get_mut(holder).unwrap().rest = Local::Matrix(Mat4::IDENTITY);
    let found = measured(&DeviationRequest { joints: &frames, ..bounded(&before, &after) });
    assert!(found.worst_mm > 100.0 && found.worst_degrees == 0.0, "{found:?}");
}

#[test]
fn joints_are_measured_where_no_mesh_is_shown() {
    let mut before = animated();
    before.file.nodes.get_mut(tube::MESH).unwrap().mesh = None;
    let mut after = before.clone();
    set_rest(&mut after, 1, |rest| rest.translation.x += 0.002);
    let found = measured(&bounded(&before, &after));
    assert!((found.worst_mm - 2.0).abs() < 1e-3, "{found:?}");
    assert_eq!((found.points, found.worst_joint_mm), (3, found.worst_mm));
    let at = found.at().unwrap();
    assert_eq!((at.node, at.vertex), (UPPER, None));
    let frames = [JointFrame {
        before: UPPER,
        after: UPPER,
        before_from_after: DMat4::from_translation(glam::DVec3::X * 0.002),
    }];
    // The joint's origin is moved along an axis that rotates with the joint. The frame is therefore
    // correct only in poses without a rotation.
    let request = DeviationRequest { joints: &frames, ..bounded(&before, &after) };
    let found = measured(&request);
    assert!(found.worst_mm > 0.5 && found.at().unwrap().motion.clip().is_some(), "{found:?}");
}

#[test]
fn morph_targets_and_changed_meshes_are_measured() {
    let mut before = animated();
    let count = tube::RINGS * tube::ROUND;
    {
        let mesh = Shared::make_mut(before.file.meshes.get_mut(MeshId(0)).unwrap());
        let mut positions = vec![Vec3::ZERO; count];
        positions[5] = Vec3::new(0.0, 0.0, 0.5);
        let target = MorphTarget { positions: positions.into(), normals: Default::default() };
        mesh.primitives[0].targets = [target].into();
        mesh.default_weights = [1.0].into();
    }
    let mut after = before.clone();
    Shared::make_mut(after.file.meshes.get_mut(MeshId(0)).unwrap()).default_weights = [0.9].into();
    let found = measured(&bounded(&before, &after));
    assert!((found.worst_mm - 50.0).abs() < 1e-2, "{found:?}");
    assert_eq!(found.at().unwrap().vertex.unwrap().1.vertex, 5);
    // Also rotate the joint of the morphed vertex.
    let mut turned = before.clone();
    set_rest(&mut turned, 0, |rest| rest.rotation = Quat::from_rotation_y(0.1));
    let found = measured(&bounded(&before, &turned));
    let reach = (0.5f64 + 0.1 * (5.0 / 24.0 * std::f64::consts::TAU).sin())
        .hypot(0.1 * (5.0 / 24.0 * std::f64::consts::TAU).cos());
    let wanted = 2.0 * 0.05f64.sin() * reach * 1e3;
    assert!((found.worst_mm - wanted).abs() < 1e-2, "{} {wanted}", found.worst_mm);
    // A primitive with another number of vertices has no counterpart.
    let mut cut = before.clone();
    let mesh = Shared::make_mut(cut.file.meshes.get_mut(MeshId(0)).unwrap());
    let positions = mesh.primitives[0].positions[1..].to_vec();
    mesh.primitives[0].positions = positions.into();
    assert_eq!(measured(&bounded(&before, &cut)).unmatched, 1);
}

#[test]
fn numbers_that_are_not_finite_are_counted_and_left_out() {
    let before = animated();
    let mut after = before.clone();
    set_rest(&mut after, 0, |rest| rest.translation.x = f32::INFINITY);
    let found = measured(&bounded(&before, &after));
    assert!(found.not_finite > 100 && found.worst_mm == 0.0, "{found:?}");
}

#[test]
fn unkeyed_poses_are_measured_at_their_times() {
    let mut before = animated();
    let at = UnkeyedAt::new(ClipId(1), 2.0);
    // The clip rotates the joint to 1 rad there.
    let turn = Components { rotation: Some(Quat::from_rotation_z(0.4)), ..Components::default() };
    let unkeyed = Unkeyed { locals: [(UPPER, turn)].into(), ..Unkeyed::default() };
    before.aids.unkeyed.insert(at, unkeyed.into());
    let mut after = before.clone();
    assert_eq!(measured(&bounded(&before, &after)).worst_mm, 0.0);
    after.aids.unkeyed.clear();
    let found = measured(&bounded(&before, &after));
    let wanted = 2.0 * 0.3f64.sin() * rim() * 1e3;
    assert!((found.worst_mm - wanted).abs() < 0.01, "{} {wanted}", found.worst_mm);
    let at = found.at().unwrap();
    assert_eq!((at.motion, at.time), (ComparedMotion::Clip(ClipId(1)), 2.0));
}

#[test]
fn the_three_worst_motions_are_named_including_the_mix() {
    let degrees = |k: u32| Quat::from_rotation_z((k as f32).to_radians());
    let turned = |by: &dyn Fn(u32) -> Quat| {
        let mut document = tube::tube(|y| f32::from(y > 0.5));
        for k in 0..6 {
            let keys = [(0.0, by(k)), (1.0, by(k))];
            put(&mut document, k, vec![turns(1, &keys)]);
        }
        document
    };
    let (before, after) = (turned(&|_| Quat::IDENTITY), turned(&degrees));
    let chord = |k: u32| 2.0 * (f64::from(k) * 0.5).to_radians().sin() * rim() * 1e3;
    let is_near = |a: f64, b: f64| (a - b).abs() < 1e-2;
    let found = measured(&bounded(&before, &after));
    for (k, point) in [5, 4, 3].into_iter().zip(found.worst) {
        let point = point.unwrap();
        assert_eq!(point.motion, ComparedMotion::Clip(ClipId(k)));
        assert!(is_near(point.mm, chord(k)), "{k}: {}", point.mm);
    }
    // The pose, and clips 0 to 2.
    assert_eq!(found.other_motions, 4);
    assert!(is_near(found.other_mm, chord(2)));
    // A mix with half of clip 5 over clip 2 has the mean rotation of both clips.
    let lane = |clip: u32, weight: f32| MixLane {
        weight,
        bars: vec![MixBar::new(ClipId(clip), 0.0, 1.0)],
        ..MixLane::new("")
    };
    let mix = Shared::new(Mix { lanes: vec![lane(2, 1.0), lane(5, 0.5)] });
    let request = DeviationRequest { mixes: [Some(&mix); 2], ..bounded(&before, &after) };
    let found = measured(&request);
    let motions = found.worst.map(|point| point.unwrap().motion);
    let clip = |k: u32| ComparedMotion::Clip(ClipId(k));
    assert_eq!(motions, [clip(5), clip(4), ComparedMotion::Mix]);
    let mm = found.worst[2].unwrap().mm;
    assert!((mm - (chord(2) + chord(5)) * 0.5).abs() < 0.1, "{mm}");
    assert_eq!(found.other_motions, 5);
    // If one of the documents has no mix, it is not compared.
    let request = DeviationRequest { mixes: [Some(&mix), None], ..request };
    assert_eq!(measured(&request).other_motions, 4);
}

#[test]
fn canceling_stops_the_measurement() {
    let before = animated();
    let after = without_upper(&before);
    let progress = AtomicU32::new(3);
    let request = bounded(&before, &after);
    assert!(Deviation::measure(&request, &AtomicBool::new(true), &progress).is_none());
    assert_eq!(progress.into_inner(), 3);
}

/// Random rotations and keys on both joints.
fn any_motion() -> impl Strategy<Value = Document> {
    let turn = prop::array::uniform3(-2.0f32..2.0);
    let turn = || turn.clone().prop_map(|v| Quat::from_scaled_axis(Vec3::from(v)));
    let keys = prop::collection::vec(turn(), 4);
    (keys, turn(), -0.2f32..0.2).prop_map(|(keys, rest, shift)| {
        let mut document = tube::tube(|y| y);
        set_rest(&mut document, 1, |t| {
            (t.rotation, t.translation.z) = (rest, shift);
        });
        put(&mut document, 0, vec![turns(0, &[(0.0, keys[0]), (1.0, keys[1])])]);
        put(&mut document, 1, vec![turns(1, &[(0.0, keys[2]), (2.0, keys[3])])]);
        document
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    #[test]
    fn the_deviation_is_symmetric(a in any_motion(), b in any_motion()) {
        let (to, back) = (measured(&bounded(&a, &b)), measured(&bounded(&b, &a)));
        prop_assert!((to.mean_mm - back.mean_mm).abs() <= to.mean_mm * 1e-6);
        prop_assert_eq!((to.p99_mm, to.worst_mm), (back.p99_mm, back.worst_mm));
        prop_assert!((to.worst_degrees - back.worst_degrees).abs() < 1e-3);
        prop_assert_eq!((to.points, to.times), (back.points, back.times));
    }
}
