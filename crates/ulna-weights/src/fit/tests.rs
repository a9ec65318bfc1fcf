//! Fits of small rigs that the tests generate.

use std::{collections::BTreeMap, sync::atomic::AtomicBool};

use glam::{DVec3, Mat4, Quat, Vec3};
use proptest::prelude::*;

use super::{
    CarryingSurface, FitPose, FitRequest, FitVertices, FittedWeights, SurfaceFitRequest, fit_poses,
    fit_to_surface, fit_weights, vertices_of_joints,
};
use crate::{SurfacePoint, WeightConstraints};
use ulna_model::{
    Clip, ClipId, Document, FileContent, Interpolation, Local, Mesh, MeshId, MorphTarget, Node,
    NodeId, Primitive, PrimitiveId, Property, Shared, Skin, SkinId, Slice, Topology, Track,
    TrackId, Transform, WeightEncoding, WeightMap,
};
use ulna_motion::{Placement, Pose, Posed, Stack, skinning};

const SKIN: SkinId = SkinId(0);
const KEY: (MeshId, PrimitiveId) = (MeshId(0), PrimitiveId(0));

/// A skeleton with one skinned mesh. The mesh node has the index after the last joint.
#[derive(Clone, Debug, Default)]
struct Rig {
    /// Parent of each joint, and translation relative to it.
    joints: Vec<(Option<u32>, Vec3)>,
    points: Vec<Vec3>,
    deltas: Vec<Vec3>,
    /// Joints and weights of each vertex.
    weights: Vec<Vec<(u16, f32)>>,
    encoding: WeightEncoding,
    /// Rotations by clip, joint and key. The keys are one second apart.
    turns: Vec<Vec<(u32, Vec<Quat>)>>,
    /// Weights of the morph target in the first clip, one per key.
    morphs: Vec<f32>,
}

fn track(target: u32, property: Property, values: Vec<f32>, width: usize) -> Shared<Track> {
    Shared::new(Track {
        target: NodeId(target),
        property,
        interpolation: Interpolation::Linear,
        times: (0..values.len() / width).map(|k| k as f32).collect(),
        values: values.into(),
        width,
        kinds: Default::default(),
        modes: Default::default(),
    })
}

impl Rig {
    fn map(&self) -> WeightMap {
        let (mut joints, mut weights) = (Vec::new(), Vec::new());
        for vertex in &self.weights {
            // The last weight is the remainder, so that stored integers sum to 1.
            let mut left = self.encoding.one().unwrap_or(0);
            for k in 0..4 {
                let (joint, weight) = vertex.get(k).copied().unwrap_or_default();
                let whole = self.encoding.encode(weight).min(left);
                let whole = if k + 1 == vertex.len() { left } else { whole };
                left -= whole;
                joints.push(joint);
                weights.push(match self.encoding {
                    WeightEncoding::Float => weight,
                    encoding => encoding.decode(whole),
                });
            }
        }
        let (joints, weights) = (joints.into(), weights.into());
        WeightMap { sets: 1, joints, weights, encoding: self.encoding, ..WeightMap::default() }
    }

    fn document(&self) -> Document {
        let mut nodes: Vec<Node> = Vec::new();
        let mut heads: Vec<Vec3> = Vec::new();
        for (parent, translation) in &self.joints {
            let rest = Local::Trs(Transform { translation: *translation, ..Transform::IDENTITY });
            nodes.push(Node { parent: parent.map(NodeId), rest, ..Node::default() });
            heads.push(parent.map_or(Vec3::ZERO, |p| heads[p as usize]) + *translation);
        }
        nodes.push(Node { mesh: Some(MeshId(0)), skin: Some(SKIN), ..Node::default() });
        let deltas = MorphTarget { positions: self.deltas.clone().into(), ..Default::default() };
        let primitive = Primitive {
            topology: Topology::Points,
            positions: self.points.clone().into(),
            normals: Slice::default(),
            tangents: Slice::default(),
            uv0: Slice::default(),
            uv1: Slice::default(),
            colors: Slice::default(),
            indices: Slice::default(),
            material: None,
            variants: Shared::default(),
            targets: if self.deltas.is_empty() { [].into() } else { [deltas].into() },
            weights: Some(Shared::new(self.map())),
        };
        let skin = Skin {
            name: None,
            joints: (0..heads.len()).map(NodeId::from).collect(),
            inverse_bind: heads.iter().map(|h| Mat4::from_translation(-*h)).collect(),
            has_inverse_bind: true,
        };
        let clip = |(k, turns): (usize, &Vec<(u32, Vec<Quat>)>)| {
            let turned = turns.iter().map(|(joint, keys)| {
                let values = keys.iter().flat_map(|q| q.to_array()).collect();
                track(*joint, Property::Rotation, values, 4)
            });
            let mut tracks: Vec<Shared<Track>> = turned.collect();
            if k == 0 && !self.morphs.is_empty() {
                let mesh = self.joints.len() as u32;
                tracks.push(track(mesh, Property::Weights, self.morphs.clone(), 1));
            }
            let numbered = tracks.into_iter().enumerate().map(|(k, t)| (TrackId::from(k), t));
            Shared::new(Clip { tracks: numbered.collect(), ..Clip::default() })
        };
        let mesh = Mesh { primitives: vec![primitive], ..Mesh::default() };
        let file = FileContent {
            nodes: nodes.into(),
            meshes: vec![Shared::new(mesh)].into(),
            skins: vec![Shared::new(skin)].into(),
            clips: self.turns.iter().enumerate().map(clip).collect::<Vec<_>>().into(),
            ..FileContent::default()
        };
        file.into()
    }
}

fn map_of(document: &Document) -> &WeightMap {
    document.mesh(KEY.0).primitives[0].weights.as_deref().unwrap()
}

fn with_map(document: &Document, map: WeightMap) -> Document {
    let mut document = document.clone();
    document.file.primitive_mut(KEY.0, KEY.1).unwrap().weights = Some(Shared::new(map));
    document
}

/// Removes joints from the skin and moves their weights to the nearest ancestor joint. The nodes
/// remain.
fn without(before: &Document, lost: &[u16]) -> Document {
    let skin = before.skin(SKIN);
    let stays = |k: usize| !lost.contains(&(k as u16));
    let kept: Vec<usize> = (0..skin.joints.len()).filter(|k| stays(*k)).collect();
    let heir = |joint: u16| {
        let mut node = skin.joints[usize::from(joint)];
        loop {
            if let Some(k) = kept.iter().position(|k| skin.joints[*k] == node) {
                return k as u16;
            }
            match before.node(node).parent {
                Some(parent) => node = parent,
                None => return 0,
            }
        }
    };
    let old = map_of(before);
    let (mut joints, mut weights) = (Vec::new(), Vec::new());
    let parents = vec![None; kept.len()];
    let rule = WeightConstraints {
        locked: &vec![false; kept.len()],
        parents: &parents,
        limit: 4,
        encoding: old.encoding,
        pairs: &[],
        turned: false,
    };
    for v in 0..old.vertex_count() {
        let mut list = crate::Influences::default();
        old.vertex(v).filter(|(_, w)| *w > 0.0).for_each(|(j, w)| list.add(heir(j), w));
        crate::normalize(&mut list, &rule).unwrap();
        let (mut js, mut ws) = ([0; 4], [0.0; 4]);
        list.write(&mut js, &mut ws);
        joints.extend(js);
        weights.extend(ws);
    }
    let map = WeightMap { joints: joints.into(), weights: weights.into(), ..old.clone() };
    let mut after = with_map(before, map);
    let skin = Skin {
        joints: kept.iter().map(|k| skin.joints[*k]).collect(),
        inverse_bind: kept.iter().map(|k| skin.inverse_bind[*k]).collect(),
        ..skin.clone()
    };
    after.file.skins.put(SKIN, Some(Shared::new(skin)));
    after
}

/// Creates a request that allows no more influences than before.
const fn request<'a>(
    before: &'a Document,
    after: &'a Document,
    vertices: &'a FitVertices,
    poses: &'a [FitPose],
) -> FitRequest<'a> {
    let adds_influences = false;
    FitRequest { before, after, skin: SKIN, vertices, poses, limit: 4, adds_influences }
}

fn run(
    before: &Document,
    after: &Document,
    vertices: &FitVertices,
    poses: &[FitPose],
) -> FittedWeights {
    let request = request(before, after, vertices, poses);
    fit_weights(&request, &AtomicBool::new(false)).unwrap()
}

/// Removes joints and fits all vertices that had weight on them. Returns the document after
/// removal, the poses and the fit.
fn fit_without(before: &Document, lost: &[u16]) -> (Document, Vec<FitPose>, FittedWeights) {
    let after = without(before, lost);
    let poses = fit_poses(before, &after, 64);
    let nodes: Vec<NodeId> = lost.iter().map(|j| NodeId(u32::from(*j))).collect();
    let vertices = vertices_of_joints(before, SKIN, &nodes);
    let fitted = run(before, &after, &vertices, &poses);
    (after, poses, fitted)
}

fn patched(after: &Document, fitted: &FittedWeights) -> Document {
    let mut map = map_of(after).clone();
    for (mesh, primitive, patch) in &fitted.patches {
        assert_eq!((*mesh, *primitive), KEY);
        assert!(patch.fits(&map));
        assert!(patch.vertices.is_sorted_by(|a, b| a < b));
        map.swap(&mut patch.clone());
    }
    with_map(after, map)
}

/// Returns posed positions, computed with the CPU skinning code of the viewport.
fn posed(document: &Document, pose: &Pose) -> Vec<DVec3> {
    let mesh = document.nodes.iter().find(|(_, n)| n.mesh.is_some()).unwrap().0;
    let primitive = &document.mesh(KEY.0).primitives[0];
    let placement = Placement::of(document, pose, mesh, primitive);
    let mut out = Posed::default();
    skinning::skin(primitive, &[], &pose.morphs[mesh.index()], &placement, &mut out);
    out.positions.iter().map(|p| p.as_dvec3()).collect()
}

/// Returns the sum of squared distances of each vertex, over all poses.
fn squares(before: &Document, after: &Document, poses: &[FitPose]) -> Vec<f64> {
    let mut sums = vec![0.0; map_of(before).vertex_count()];
    for pose in poses {
        let (a, b) = (posed(before, &pose.before), posed(after, &pose.after));
        for (sum, (a, b)) in sums.iter_mut().zip(a.iter().zip(&b)) {
            *sum += a.distance_squared(*b);
        }
    }
    sums
}

/// Checks that all vertices of the patches have valid stored weights.
fn check_stored(fitted: &FittedWeights, encoding: WeightEncoding) {
    for (.., patch) in &fitted.patches {
        for (js, ws) in patch.joints.as_chunks::<4>().0.iter().zip(patch.weights.as_chunks().0) {
            let ws: &[f32; 4] = ws;
            assert!(ws.is_sorted_by(|a, b| a >= b) && ws[3] >= 0.0, "{ws:?}");
            let weighted = js.iter().zip(ws).filter(|(_, w)| **w > 0.0);
            let joints: Vec<u16> = weighted.map(|(j, _)| *j).collect();
            let mut unique = joints.clone();
            unique.sort_unstable();
            unique.dedup();
            assert_eq!(unique.len(), joints.len());
            match encoding.one() {
                Some(one) => {
                    let whole: Vec<u32> = ws.iter().map(|w| encoding.encode(*w)).collect();
                    assert_eq!(whole.iter().sum::<u32>(), one);
                    assert!(whole.iter().zip(ws).all(|(k, w)| encoding.decode(*k) == *w));
                }
                None => {
                    let sum = ws.iter().fold(0.0f32, |sum, w| sum + w);
                    assert!((sum - 1.0).abs() <= 2e-7 * joints.len() as f32, "{sum}");
                }
            }
        }
    }
}

fn turn(x: f32, y: f32, z: f32) -> Quat {
    Quat::from_euler(glam::EulerRot::XYZ, x, y, z)
}

/// Creates a rig with an upper arm (0), a forearm (1), and two hands (2, 3) with the same motion.
fn two_hands() -> Rig {
    let wave: Vec<Quat> = (0..12).map(|k| turn(0.2 * k as f32, 0.5, -0.1 * k as f32)).collect();
    let bend: Vec<Quat> = (0..12).map(|k| turn(0.0, 0.1 * k as f32, 0.3)).collect();
    Rig {
        joints: vec![
            (None, Vec3::ZERO),
            (Some(0), Vec3::X),
            (Some(1), Vec3::X),
            (Some(1), Vec3::X),
        ],
        points: (0..20).map(|k| Vec3::new(1.5 + 0.05 * k as f32, 0.1, 0.2)).collect(),
        weights: (0..20).map(|k| vec![(2, k as f32 / 20.0), (1, 1.0 - k as f32 / 20.0)]).collect(),
        turns: vec![vec![(1, bend), (2, wave.clone()), (3, wave)]],
        ..Rig::default()
    }
}

#[test]
fn the_weight_of_a_removed_joint_is_moved_to_a_joint_with_equal_motion() {
    for encoding in [WeightEncoding::Float, WeightEncoding::Short, WeightEncoding::Byte] {
        let rig = Rig { encoding, ..two_hands() };
        let before = rig.document();
        let (after, poses, fitted) = fit_without(&before, &[2]);
        // The first vertex has no weight on the removed hand, so it is not compared.
        assert_eq!((fitted.vertices, fitted.changed), (19, 19));
        assert!(fitted.start.mean > 0.05 && fitted.start.worst > 0.3, "{:?}", fitted.start);
        assert!(fitted.fitted.worst < 1e-5, "{encoding:?} {:?}", fitted.fitted);
        check_stored(&fitted, encoding);
        let after = patched(&after, &fitted);
        let (old, new) = (map_of(&before), map_of(&after));
        for v in 0..20 {
            // The other hand has index 2 after the removal.
            assert!((old.weight(v, 2) - new.weight(v, 2)).abs() < 1e-5, "{v}");
            assert!((old.weight(v, 1) - new.weight(v, 1)).abs() < 1e-5, "{v}");
        }
        assert!(squares(&before, &after, &poses).iter().all(|s| *s < 1e-9));
    }
}

#[test]
fn initial_weights_without_error_are_kept() {
    // The second hand has the same motion as the forearm.
    let mut rig = two_hands();
    rig.turns[0].truncate(1);
    let (_, _, fitted) = fit_without(&rig.document(), &[2]);
    assert_eq!((fitted.vertices, fitted.changed), (19, 0));
    assert!(fitted.patches.is_empty());
    assert_eq!(fitted.start, fitted.fitted);
    assert!(fitted.start.worst < 1e-5);
}

#[test]
fn the_stated_error_equals_the_error_of_the_posed_surface() {
    // The other hand moves less than the removed one.
    let mut rig = two_hands();
    rig.turns[0][2].1.iter_mut().for_each(|q| *q = Quat::IDENTITY.slerp(*q, 0.7));
    let before = rig.document();
    let (after, poses, fitted) = fit_without(&before, &[2]);
    assert!(fitted.changed > 10 && fitted.fitted.mean < fitted.start.mean);
    assert!(fitted.fitted.worst > 1e-3);
    for (document, stated) in
        [(after.clone(), fitted.start), (patched(&after, &fitted), fitted.fitted)]
    {
        let (mut sum, mut worst) = (0.0, 0.0f64);
        for pose in &poses {
            let (a, b) = (posed(&before, &pose.before), posed(&document, &pose.after));
            for (a, b) in a.iter().zip(&b).skip(1) {
                sum += a.distance(*b);
                worst = worst.max(a.distance(*b));
            }
        }
        let mean = sum / (19 * poses.len()) as f64;
        assert!((mean - stated.mean).abs() < 1e-6, "{mean} {stated:?}");
        assert!((worst - stated.worst).abs() < 1e-5, "{worst} {stated:?}");
    }
}

#[test]
fn parent_joints_are_found_through_nodes_between() {
    // There is a node that is not a joint above the hands, and another one above the forearm.
    let mut before = two_hands().document();
    let mut nodes: Vec<Node> = before.nodes.values().cloned().collect();
    let between = |parent: u32| Node { parent: Some(NodeId(parent)), ..Node::default() };
    nodes.extend([between(0), between(1), between(1)]);
    nodes[1].parent = Some(NodeId(5));
    nodes[2].parent = Some(NodeId(6));
    nodes[3].parent = Some(NodeId(7));
    before.file.nodes = nodes.into();
    let (_, _, fitted) = fit_without(&before, &[2]);
    assert_eq!(fitted.changed, 19);
    assert!(fitted.fitted.worst < 1e-5);
    // The lost joint has children: its weight is distributed to joints on both sides of it.
    let mut rig = two_hands();
    rig.weights = vec![vec![(1, 0.5), (0, 0.5)]; 20];
    rig.turns[0].truncate(1);
    let (after, _, fitted) = fit_without(&rig.document(), &[1]);
    assert!(fitted.changed == 20 && fitted.fitted.worst < 1e-5, "{:?}", fitted.fitted);
    let after = patched(&after, &fitted);
    assert!((map_of(&after).weight(3, 0) - 0.5).abs() < 1e-4);
}

#[test]
fn a_removed_joint_may_be_missing_from_the_hierarchy() {
    let before = two_hands().document();
    let mut after = without(&before, &[2]);
    after.file.nodes.swap(&mut [(NodeId(2), None)]);
    after.file.clips.values().for_each(|c| assert!(c.played().count() == 3));
    let poses = fit_poses(&before, &after, 64);
    let vertices = vertices_of_joints(&before, SKIN, &[NodeId(2)]);
    assert_eq!(vertices[&KEY].len(), 19);
    let fitted = run(&before, &after, &vertices, &poses);
    assert!(fitted.changed == 19 && fitted.fitted.worst < 1e-5);
}

#[test]
fn a_fit_includes_morph_targets() {
    // At rest, the vertices are at the wrist, where the hands do not move them. Only the morph
    // target makes the choice of joints matter.
    let mut rig = two_hands();
    rig.points = vec![Vec3::X * 2.0; 20];
    rig.deltas = vec![Vec3::new(0.5, 0.3, 0.1); 20];
    assert_eq!(fit_without(&rig.document(), &[2]).2.changed, 0);
    rig.morphs = (0..12).map(|k| k as f32 / 12.0).collect();
    let (_, _, fitted) = fit_without(&rig.document(), &[2]);
    assert_eq!(fitted.changed, 19);
    assert!(fitted.start.worst > 0.1 && fitted.fitted.worst < 1e-5);
}

#[test]
fn moved_rest_positions_are_fitted_to_the_old_motion() {
    // The mesh is moved farther out, and the skin is bound to it. Any single joint gives an exact
    // fit.
    let rig = Rig { weights: vec![vec![(1, 1.0)]; 20], ..two_hands() };
    let before = rig.document();
    let out = Vec3::new(0.0, 0.7, 0.0);
    let mut after = rig.document();
    let primitive = after.file.primitive_mut(KEY.0, KEY.1).unwrap();
    primitive.positions = primitive.positions.iter().map(|p| *p + out).collect();
    let skin = Shared::make_mut(after.file.skins.get_mut(SKIN).unwrap());
    skin.inverse_bind =
        skin.inverse_bind.iter().map(|m| *m * Mat4::from_translation(-out)).collect();
    // The fit starts with the weight on the wrong joint.
    let mut map = map_of(&after).clone();
    map.joints = map.joints.iter().map(|_| 0).collect();
    after = with_map(&after, map);
    let poses = fit_poses(&before, &after, 8);
    let fitted = run(&before, &after, &FitVertices::from([(KEY, (0..20).collect())]), &poses);
    assert!(fitted.changed == 20 && fitted.fitted.worst < 1e-5, "{:?}", fitted.fitted);
}

#[test]
fn fit_poses_are_the_rest_pose_and_samples_of_all_clips() {
    let mut rig = two_hands();
    rig.turns.push(vec![(0, vec![turn(0.1, 0.2, 0.3), turn(1.0, 0.0, 0.0)])]);
    rig.turns.push(Vec::new());
    let before = rig.document();
    let count = |most| fit_poses(&before, &before, most).len();
    // The clips have 12 keys, 2 keys and none.
    assert_eq!([count(64), count(6), count(1), count(0)], [15, 7, 2, 1]);
    let poses = fit_poses(&before, &before, 64);
    assert_eq!(poses[0].before, Pose::evaluate(&before, &Stack::default()));
    assert!(poses.iter().all(|p| p.before == p.after));
    for k in 0..12 {
        let moment = Stack::shown(&before, Some(ClipId(0)), f64::from(k));
        assert_eq!(poses[1 + k as usize].before, Pose::evaluate(&before, &moment));
    }
    // A clip that only one document has is not compared.
    let mut other = before.clone();
    other.file.clips.put(ClipId(0), None);
    assert_eq!(fit_poses(&before, &other, 64).len(), 3);
    // The current pose of the nodes differs from the rest pose.
    let mut posed = before.clone();
    let user = Some(Transform::from_rotation(turn(1.0, 0.0, 0.0)));
    posed.file.nodes.get_mut(NodeId(1)).unwrap().set_user(user);
    assert_eq!(fit_poses(&posed, &posed, 0)[0].before, poses[0].before);
}

#[test]
fn invalid_vertices_and_influences_are_excluded_from_a_fit() {
    let mut rig = two_hands();
    rig.points[3] = Vec3::splat(f32::NAN);
    rig.weights[4] = vec![(2, 1.0), (9, 0.5)];
    rig.weights[5] = Vec::new();
    let before = rig.document();
    let mut filled = rig.clone();
    filled.weights[5] = vec![(1, 1.0)];
    filled.weights[4] = vec![(2, 1.0)];
    let after = without(&filled.document(), &[2]);
    let poses = fit_poses(&before, &after, 64);
    let all: Vec<u32> = (0..20).rev().chain([7, 7, 99, u32::MAX]).collect();
    let vertices = FitVertices::from([
        (KEY, all),
        ((MeshId(0), PrimitiveId(5)), vec![0]),
        ((MeshId(7), PrimitiveId(0)), vec![0]),
    ]);
    let fitted = run(&before, &after, &vertices, &poses);
    assert_eq!((fitted.vertices, fitted.changed), (18, 17));
    check_stored(&fitted, WeightEncoding::Float);
    assert!(fitted.fitted.worst < 1e-5);
    // Without poses, or without the skin, there is nothing to compare.
    assert_eq!(run(&before, &after, &vertices, &[]), FittedWeights::default());
    let mut bare = after.clone();
    bare.file.skins.put(SKIN, None);
    assert_eq!(run(&before, &bare, &vertices, &poses), FittedWeights::default());
    // A joint with a non-finite matrix must not get weight.
    let mut broken = poses.clone();
    broken[1].after.world[3] = Mat4::from_scale(Vec3::splat(f32::INFINITY));
    let fitted = run(&before, &after, &vertices, &broken);
    assert!(
        fitted
            .patches
            .iter()
            .all(|(.., p)| { p.joints.iter().zip(&p.weights).all(|(j, w)| *j != 2 || *w == 0.0) })
    );
}

#[test]
fn a_canceled_fit_has_no_result() {
    let before = two_hands().document();
    let after = without(&before, &[2]);
    let poses = fit_poses(&before, &after, 4);
    let vertices = vertices_of_joints(&before, SKIN, &[NodeId(2)]);
    let request = request(&before, &after, &vertices, &poses);
    assert!(fit_weights(&request, &AtomicBool::new(true)).is_none());
}

#[test]
fn influences_are_added_up_to_the_limit() {
    // A middle joint rotates half as far as the last one, and starts with all the weight.
    let turns = |part: f32| (0..12).map(|k| turn(0.0, 0.0, part * 0.05 * k as f32)).collect();
    let rig = Rig {
        joints: vec![(None, Vec3::ZERO), (Some(0), Vec3::ZERO), (Some(0), Vec3::ZERO)],
        points: vec![Vec3::X; 3],
        weights: vec![vec![(1, 1.0)]; 3],
        turns: vec![vec![(1, turns(0.5)), (2, turns(1.0))]],
        ..Rig::default()
    };
    let before = rig.document();
    let after = without(&before, &[1]);
    let poses = fit_poses(&before, &after, 64);
    let vertices = vertices_of_joints(&before, SKIN, &[NodeId(1)]);
    let fitted = |limit, adds_influences| {
        let request = request(&before, &after, &vertices, &poses);
        let request = FitRequest { limit, adds_influences, ..request };
        fit_weights(&request, &AtomicBool::new(false)).unwrap()
    };
    // Neither of the two joints alone is much better than the other one.
    let alone = fitted(4, false);
    assert_eq!(alone, fitted(1, true));
    assert!(alone.fitted.mean > 0.05);
    let both = fitted(4, true);
    assert_eq!((both.changed, both.vertices), (3, 3));
    assert!(both.fitted.mean < alone.fitted.mean * 0.3, "{both:?}");
    let (.., patch) = &both.patches[0];
    assert!((patch.weights[0] - 0.5).abs() < 0.05 && (patch.weights[1] - 0.5).abs() < 0.05);
    // The number of slots limits the influences, whatever the request allows.
    assert_eq!(both, fitted(usize::MAX, true));
    assert_eq!(alone, fitted(0, true));
}

#[test]
fn weights_are_fitted_to_the_motion_after_the_influence_limit_is_lowered() {
    // Both hands have the same motion, so the weight of the weaker hand goes only to the other
    // hand.
    let rig = Rig { weights: vec![vec![(2, 0.4), (1, 0.35), (3, 0.25)]; 20], ..two_hands() };
    let before = rig.document();
    let limited = Rig { weights: vec![vec![(2, 0.4 / 0.75), (1, 0.35 / 0.75)]; 20], ..rig };
    let after = limited.document();
    let poses = fit_poses(&before, &after, 64);
    let vertices = FitVertices::from([(KEY, (0..20).collect())]);
    let request = FitRequest { limit: 2, ..request(&before, &after, &vertices, &poses) };
    let fitted = fit_weights(&request, &AtomicBool::new(false)).unwrap();
    assert_eq!(fitted.changed, 20);
    assert!(fitted.start.mean > 0.01 && fitted.fitted.worst < 1e-5, "{fitted:?}");
    let after = patched(&after, &fitted);
    let hands = map_of(&after).weight(7, 2) + map_of(&after).weight(7, 3);
    assert!((hands - 0.65).abs() < 1e-5);
}

#[test]
fn reducing_influences_keeps_those_that_change_the_clips_least() {
    // Both hands have the same motion, so one of them is enough. The forearm must be kept, although
    // its weight is smaller.
    let rig = Rig { weights: vec![vec![(2, 0.4), (3, 0.35), (1, 0.25)]; 20], ..two_hands() };
    let before = rig.document();
    let strongest = Rig { weights: vec![vec![(2, 0.4 / 0.75), (3, 0.35 / 0.75)]; 20], ..rig };
    let after = strongest.document();
    let poses = fit_poses(&before, &after, 64);
    let vertices = FitVertices::from([(KEY, (0..20).collect())]);
    let request = FitRequest { limit: 2, ..request(&before, &after, &vertices, &poses) };
    let fitted = fit_weights(&request, &AtomicBool::new(false)).unwrap();
    assert_eq!(fitted.changed, 20);
    assert!(fitted.start.mean > 0.01 && fitted.fitted.worst < 1e-5, "{fitted:?}");
    let map = patched(&after, &fitted);
    let map = map_of(&map);
    assert!((0..20).all(|v| (map.weight(v, 1) - 0.25).abs() < 1e-5));
    assert!((0..20).all(|v| map.vertex(v).filter(|(_, w)| *w > 0.0).count() == 2));
}

/// Fits the last vertex of a rig to the triangle of the first three. Returns the result, and the
/// weights of that vertex.
fn fitted_to_triangle(document: &Document) -> (FittedWeights, Vec<(u16, f32)>) {
    let vertex = map_of(document).vertex_count() as u32 - 1;
    let place = |v: u32| document.mesh(KEY.0).primitives[0].positions[v as usize];
    let positions = &document.mesh(KEY.0).primitives[0].positions;
    let joints: Vec<Option<u16>> = (0..4).map(Some).collect();
    let surface = CarryingSurface { key: KEY, skin: SKIN, positions, joints: &joints };
    // The center of the triangle is below the vertex.
    let middle = (place(0) + place(1) + place(2)) / 3.0;
    assert!((place(vertex) - middle).length() > 0.05);
    let point = SurfacePoint { source: 0, triangle: [0, 1, 2], barycentric: [1.0 / 3.0; 3] };
    let points = BTreeMap::from([(KEY, vec![(vertex, point)])]);
    let poses: Vec<Pose> =
        fit_poses(document, document, 64).into_iter().map(|pose| pose.before).collect();
    let request = SurfaceFitRequest {
        document,
        skin: SKIN,
        surfaces: &[surface],
        points: &points,
        poses: &poses,
        limit: 4,
    };
    let fitted = fit_to_surface(&request, &AtomicBool::new(false)).unwrap();
    let fit = patched(document, &fitted);
    let weights = map_of(&fit).vertex(vertex as usize).filter(|(_, w)| *w > 0.0).collect();
    (fitted, weights)
}

#[test]
fn a_vertex_is_fitted_to_the_motion_of_a_triangle() {
    let triangle = [Vec3::new(2.2, 0.0, 0.0), Vec3::new(2.6, 0.0, 0.0), Vec3::new(2.2, 0.4, 0.0)];
    let above = (triangle[0] + triangle[1] + triangle[2]) / 3.0 + Vec3::Z * 0.1;
    let on = |joint: u16| vec![(joint, 1.0)];
    let rig = Rig {
        points: triangle.into_iter().chain([above]).collect(),
        weights: vec![on(2), on(2), on(2), on(1)],
        ..two_hands()
    };
    let (fitted, weights) = fitted_to_triangle(&rig.document());
    assert_eq!((fitted.vertices, fitted.changed), (1, 1));
    assert!(fitted.start.mean > 0.05 && fitted.fitted.worst < 1e-5, "{fitted:?}");
    assert_eq!(weights, [(2, 1.0)]);
    // In a mirrored scene, the vertex stays on its side of the triangle.
    let mut document = rig.document();
    let root = document.file.nodes.get_mut(NodeId(0)).unwrap();
    root.rest = Local::Trs(Transform { scale: Vec3::new(-2.0, 2.0, 2.0), ..Transform::IDENTITY });
    let (fitted, weights) = fitted_to_triangle(&document);
    assert!(fitted.start.mean > 0.1 && fitted.fitted.worst < 1e-5, "{fitted:?}");
    assert_eq!(weights, [(2, 1.0)]);
    // A vertex cannot follow a triangle without area.
    let flat = Rig { points: vec![triangle[0], triangle[1], triangle[1], above], ..rig };
    let (fitted, weights) = fitted_to_triangle(&flat.document());
    assert_eq!((fitted.vertices, fitted.changed), (0, 0));
    assert_eq!(weights, [(1, 1.0)]);
}

/// Generates rigs of 3 to 9 joints with two clips, and the joint to remove.
fn rigs() -> impl Strategy<Value = (Rig, u16)> {
    let joint = (any::<prop::sample::Index>(), prop::array::uniform3(-0.5f32..0.5));
    let angles = prop::array::uniform3(-1.5f32..1.5);
    let vertex = (
        prop::array::uniform3(-1.0f32..1.0),
        prop::collection::vec((any::<prop::sample::Index>(), 0.0f32..1.0), 1..5),
    );
    let encoding = prop::sample::select(vec![
        WeightEncoding::Float,
        WeightEncoding::Short,
        WeightEncoding::Byte,
    ]);
    (
        prop::collection::vec(joint, 3..10),
        prop::collection::vec(vertex, 1..24),
        prop::collection::vec(
            prop::collection::vec(
                prop::option::weighted(0.7, prop::collection::vec(angles, 1..6)),
                9,
            ),
            2,
        ),
        encoding,
        any::<prop::sample::Index>(),
    )
        .prop_map(|(joints, vertices, clips, encoding, lost)| {
            let count = joints.len();
            let parent = |(k, (index, at)): (usize, (prop::sample::Index, [f32; 3]))| {
                ((k > 0).then(|| index.index(k) as u32), Vec3::from(at))
            };
            let weights = |list: &[(prop::sample::Index, f32)]| {
                let mut by_joint: BTreeMap<u16, f32> = BTreeMap::new();
                for (joint, w) in list {
                    *by_joint.entry(joint.index(count) as u16).or_default() += w + 0.01;
                }
                let sum: f32 = by_joint.values().sum();
                by_joint.into_iter().map(|(j, w)| (j, w / sum)).collect()
            };
            let clip = |joints: Vec<Option<Vec<[f32; 3]>>>| {
                let turned = joints.into_iter().take(count).enumerate().filter_map(|(k, keys)| {
                    let turns = keys?.into_iter().map(|[x, y, z]| turn(x, y, z)).collect();
                    Some((k as u32, turns))
                });
                turned.collect()
            };
            let rig = Rig {
                joints: joints.into_iter().enumerate().map(parent).collect(),
                points: vertices.iter().map(|(p, _)| Vec3::from(*p)).collect(),
                weights: vertices.iter().map(|(_, list)| weights(list)).collect(),
                encoding,
                turns: clips.into_iter().map(clip).collect(),
                ..Rig::default()
            };
            (rig, lost.index(count) as u16)
        })
}

proptest! {
    /// A fit never increases the error of a vertex, and its weights are valid in every encoding.
    #[test]
    fn a_fit_is_never_worse_than_the_initial_weights((rig, lost) in rigs(), adds_influences: bool) {
        let before = rig.document();
        let after = without(&before, &[lost]);
        let poses = fit_poses(&before, &after, 64);
        let vertices = vertices_of_joints(&before, SKIN, &[NodeId(u32::from(lost))]);
        let request = request(&before, &after, &vertices, &poses);
        let request = FitRequest { adds_influences, ..request };
        let fitted = fit_weights(&request, &AtomicBool::new(false)).unwrap();
        check_stored(&fitted, rig.encoding);
        let fit = patched(&after, &fitted);
        let (start, end) = (squares(&before, &after, &poses), squares(&before, &fit, &poses));
        for (v, (start, end)) in start.iter().zip(&end).enumerate() {
            prop_assert!(*end <= start * (1.0 + 1e-4) + 1e-9, "vertex {}: {} {}", v, start, end);
            let had = map_of(&before).vertex(v).filter(|(_, w)| *w > 0.0).count();
            let has = map_of(&fit).vertex(v).filter(|(_, w)| *w > 0.0).count();
            let began = map_of(&after).vertex(v).filter(|(_, w)| *w > 0.0).count();
            prop_assert!(adds_influences || has <= had.max(began));
        }
        let patched: usize = fitted.patches.iter().map(|p| p.2.vertices.len()).sum();
        prop_assert_eq!(fitted.changed, patched);
    }

    /// The number of threads does not change any bit. Coincident vertices get the same weights,
    /// whatever the order of slots.
    #[test]
    fn coincident_vertices_and_thread_count_do_not_affect_a_fit(
        (rig, lost) in rigs(), shift in 1usize..4
    ) {
        let mut twice = rig.clone();
        twice.points.extend_from_slice(&rig.points);
        twice.weights.extend(rig.weights.iter().map(|list| {
            let mut list = list.clone();
            let by = shift % list.len();
            list.rotate_left(by);
            list
        }));
        let before = twice.document();
        let after = without(&before, &[lost]);
        let poses = fit_poses(&before, &after, 16);
        let all = FitVertices::from([(KEY, (0..twice.points.len() as u32).collect())]);
        let pool = |threads| rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let one = pool(1).install(|| run(&before, &after, &all, &poses));
        let many = pool(3).install(|| run(&before, &after, &all, &poses));
        prop_assert_eq!(&one, &many);
        // With integers, the last weight of a copy can differ by one step, and so can the start of
        // its fit. Therefore, only identical copies must stay identical.
        let fit = patched(&after, &one);
        let sorted = |document: &Document, v: usize| {
            let mut list: Vec<(u16, u32)> =
                map_of(document).vertex(v).map(|(j, w)| (j, w.to_bits())).collect();
            list.sort_unstable();
            list
        };
        let is_alike = |document: &Document, v: usize| {
            sorted(document, v) == sorted(document, v + rig.points.len())
        };
        for v in 0..rig.points.len() {
            if is_alike(&before, v) && is_alike(&after, v) {
                prop_assert!(is_alike(&fit, v), "vertex {}", v);
            }
        }
    }
}
