//! Properties of mixing, with random clips on a chain of joints.

use std::collections::BTreeMap;

use glam::{Mat4, Vec3};
use proptest::prelude::*;

use super::*;
use crate::{Offset, slerp};
use ulna_model::{
    Components, Interpolation, JointMask, Node, PoseLayer, Track, TrackId, transform::angle_between,
};

const JOINTS: usize = 11;

fn chain() -> FileContent {
    let node = |k: usize| Node {
        parent: (k > 0).then(|| NodeId::from(k - 1)),
        rest: Local::Trs(Transform {
            translation: Vec3::new(0.0, 0.1 * k as f32, 0.02),
            rotation: Quat::from_rotation_z(0.1 * k as f32),
            scale: Vec3::ONE,
        }),
        ..Node::default()
    };
    FileContent { nodes: (0..JOINTS).map(node).collect(), ..FileContent::default() }
}

/// Creates a clip with one key per entry.
fn clip(keys: &[(u32, Property, Vec<f32>)]) -> Shared<Clip> {
    let track = |(node, property, value): &(u32, Property, Vec<f32>)| Track {
        target: NodeId(*node),
        property: *property,
        interpolation: Interpolation::Linear,
        times: [0.0].into(),
        values: value.clone().into(),
        width: value.len(),
        kinds: Default::default(),
        modes: Default::default(),
    };
    let tracks = keys
        .iter()
        .enumerate()
        .map(|(k, key)| (TrackId::from(k), Shared::new(track(key))))
        .collect();
    Clip { tracks, ..Clip::default() }.into()
}

/// A clip that rotates, moves and scales some joints. A larger `reach` gives larger motion.
fn any_clip(reach: f32) -> impl Strategy<Value = Shared<Clip>> {
    let number = -1.0f32..1.0;
    let joint = (prop::array::uniform3(number.clone()), prop::array::uniform3(number), 0u8..8);
    prop::collection::vec(joint, JOINTS).prop_map(move |joints| {
        let mut keys = Vec::new();
        for (k, (a, b, which)) in joints.into_iter().enumerate() {
            let turn = Quat::from_scaled_axis(Vec3::from(a) * reach);
            let size = Vec3::ONE + Vec3::from(b) * 0.4;
            for (bit, property, value) in [
                (1, Property::Rotation, turn.to_array().to_vec()),
                (2, Property::Translation, b.to_vec()),
                (4, Property::Scale, size.to_array().to_vec()),
            ] {
                if which & bit == bit || which == 0 {
                    keys.push((k as u32, property, value));
                }
            }
        }
        clip(&keys)
    })
}

fn mixed(file: &FileContent, stack: &Stack) -> Vec<Transform> {
    Pose::evaluate(file, stack).local.iter().map(Local::transform).collect()
}

fn lanes(lanes: Vec<Lane>) -> Stack {
    Stack { lanes, ..Stack::default() }
}

/// Largest difference between two poses, as an angle in radians or a distance in meters.
fn gap(a: &[Transform], b: &[Transform]) -> f32 {
    let one = |(a, b): (&Transform, &Transform)| {
        angle_between(a.rotation, b.rotation)
            .max(a.translation.distance(b.translation))
            .max(a.scale.distance(b.scale))
    };
    a.iter().zip(b).map(one).fold(0.0, f32::max)
}

proptest! {
    #[test]
    fn a_partial_weight_blends_with_the_result_below(a in any_clip(2.0),
        weight in 0.0f32..1.0) {
        let file = chain();
        let (base, whole) =
            (mixed(&file, &Stack::default()), mixed(&file, &Stack::of(Some(&a), 0.0)));
        let part = lanes(vec![Lane::new(vec![Instance::new(&a, 0.0).weighing(weight)])]);
        let wanted: Vec<Transform> = base.iter().zip(&whole).map(|(below, over)| Transform {
            translation: below.translation.lerp(over.translation, weight),
            rotation: slerp(below.rotation, over.rotation, weight),
            scale: below.scale.lerp(over.scale, weight),
        }).collect();
        prop_assert!(gap(&mixed(&file, &part), &wanted) < 3e-6);
        // The opacity of a lane has the same effect.
        let lane = Lane { weight, ..Lane::new(vec![Instance::new(&a, 0.0)]) };
        prop_assert!(gap(&mixed(&file, &lanes(vec![lane])), &wanted) < 3e-6);
    }

    #[test]
    fn full_weight_replaces_lower_lanes_and_empty_lanes_change_nothing(a in any_clip(3.0),
        b in any_clip(3.0)) {
        let file = chain();
        let (low, high) =
            (Lane::new(vec![Instance::new(&a, 0.0)]), Lane::new(vec![Instance::new(&b, 0.0)]));
        let under = lanes(vec![low.clone()]);
        let none = lanes(vec![low.clone(), Lane { weight: 0.0, ..high.clone() }]);
        prop_assert_eq!(mixed(&file, &none), mixed(&file, &under));
        let unheard = Lane::new(vec![Instance::new(&b, 0.0).weighing(0.0)]);
        prop_assert_eq!(mixed(&file, &lanes(vec![low.clone(), unheard])), mixed(&file, &under));
        // Driven components have exactly the clip's values. The others have the values of the lane
        // below.
        let seen = mixed(&file, &lanes(vec![low, high]));
        let (one, other) = (mixed(&file, &under), mixed(&file, &Stack::of(Some(&b), 0.0)));
        for k in 0..JOINTS {
            let drives = |property| b.track(NodeId::from(k), property).is_some();
            let of = |property| if drives(property) { &other[k] } else { &one[k] };
            prop_assert_eq!(seen[k].translation, of(Property::Translation).translation);
            prop_assert_eq!(seen[k].rotation, of(Property::Rotation).rotation);
            prop_assert_eq!(seen[k].scale, of(Property::Scale).scale);
        }
    }

    #[test]
    fn order_within_a_lane_does_not_matter(
        clips in prop::collection::vec(any_clip(0.75), 2..6),
        weights in prop::collection::vec(0.0f32..0.8, 6),
        turn in 0usize..6,
        nlerp in any::<bool>(),
    ) {
        let file = chain();
        let averaging = if nlerp { Averaging::Nlerp } else { Averaging::Slerp };
        let mut instances: Vec<Instance> =
            clips.iter().zip(&weights).map(|(c, w)| Instance::new(c, 0.0).weighing(*w)).collect();
        let first = mixed(&file, &lanes(vec![Lane { averaging, ..Lane::new(instances.clone()) }]));
        let count = instances.len();
        instances.rotate_left(turn % count);
        instances.swap(0, count - 1);
        let second = mixed(&file, &lanes(vec![Lane { averaging, ..Lane::new(instances) }]));
        prop_assert!(gap(&first, &second) < 1e-5, "{}", gap(&first, &second));
    }

    #[test]
    fn complementary_masks_select_one_lane_per_joint_bit_for_bit(
        a in any_clip(3.0),
        b in any_clip(3.0),
        chosen in prop::collection::vec(any::<bool>(), JOINTS),
    ) {
        let file = chain();
        let mask = |of: bool| JointMask(chosen.iter().map(|c| f32::from(u8::from(*c == of)))
            .collect());
        let masked = |clip: &Shared<Clip>,
            of: bool| Instance { mask: Some(mask(of)), ..Instance::new(clip, 0.0) };
        let seen = mixed(&file, &lanes(vec![Lane::new(vec![masked(&a, true), masked(&b, false)])]));
        let (left, right) =
            (mixed(&file, &Stack::of(Some(&a), 0.0)), mixed(&file, &Stack::of(Some(&b), 0.0)));
        for (k, of) in chosen.iter().enumerate() {
            prop_assert_eq!(seen[k], if *of { left[k] } else { right[k] });
        }
    }

    #[test]
    fn the_mean_rotation_has_zero_sum_of_logarithms_and_equals_slerp_for_two(
        clips in prop::collection::vec(any_clip(0.7), 2..6),
        weights in prop::collection::vec(0.05f32..1.0, 6),
    ) {
        let file = chain();
        let total: f32 = weights[..clips.len()].iter().sum();
        let weights: Vec<f32> = weights[..clips.len()].iter().map(|w| w / total).collect();
        // All joints are driven, so the pose below has no effect.
        let poses: Vec<Vec<Transform>> =
            clips.iter().map(|c| mixed(&file, &Stack::of(Some(c), 0.0))).collect();
        let instances =
            clips.iter().zip(&weights).map(|(c, w)| Instance::new(c, 0.0).weighing(*w)).collect();
        let seen = mixed(&file, &lanes(vec![Lane::new(instances)]));
        for k in 0..JOINTS {
            if !clips.iter().all(|c| c.track(NodeId::from(k), Property::Rotation).is_some()) {
                continue;
            }
            let mean = seen[k].rotation;
            let turns: Vec<Quat> = poses.iter().map(|p| p[k].rotation).collect();
            let log = |q: Quat| {
                let q = mean.conjugate() * q;
                if q.w < 0.0 { (-q).to_scaled_axis() } else { q.to_scaled_axis() }
            };
            let sum: Vec3 = turns.iter().zip(&weights).map(|(q, w)| log(*q) * *w).sum();
            // The averaging stops after two steps, so the sum is not exactly 0.
            prop_assert!(sum.length() < 2e-4, "{}", sum.length());
            if turns.len() == 2 {
                let apart = angle_between(mean, slerp(turns[0], turns[1], weights[1]));
                prop_assert!(apart < 3e-6, "{apart}");
            }
        }
    }

    /// The result changes continuously when a weight approaches 0.
    #[test]
    fn blending_is_continuous_at_weight_zero(a in any_clip(1.5), b in any_clip(1.5),
        c in any_clip(1.5)) {
        let file = chain();
        let lane = |w: f32| Lane::new(vec![
            Instance::new(&a, 0.0).weighing(0.5),
            Instance::new(&b, 0.0).weighing(0.4),
            Instance::new(&c, 0.0).weighing(w),
        ]);
        let (none, some) =
            (mixed(&file, &lanes(vec![lane(0.0)])), mixed(&file, &lanes(vec![lane(1e-5)])));
        prop_assert!(gap(&none, &some) < 2e-4, "{}", gap(&none, &some));
    }

    #[test]
    fn adding_and_subtracting_a_clip_cancels_out(a in any_clip(2.0), b in any_clip(1.0),
        weight in -1.5f32..1.5) {
        let file = chain();
        let add = |weight: f32,
            reference| Additive { instance: Instance::new(&b, 0.0).weighing(weight), reference };
        let under = Stack::of(Some(&a), 0.0);
        // A clip with one key, added relative to its first key, has no effect.
        let none = Stack { additive: vec![add(weight, Reference::FirstKey)], ..under.clone() };
        prop_assert!(gap(&mixed(&file, &none), &mixed(&file, &under)) < 2e-6);
        let both = vec![add(weight, Reference::Rest), add(-weight, Reference::Rest)];
        let back = Stack { additive: both, ..under.clone() };
        prop_assert!(gap(&mixed(&file, &back), &mixed(&file, &under)) < 2e-5);
        // A clip added at full weight over its reference pose gives the clip itself.
        let rest = Stack { additive: vec![add(1.0, Reference::Rest)], ..Stack::default() };
        prop_assert!(gap(&mixed(&file, &rest), &mixed(&file, &Stack::of(Some(&b), 0.0))) < 5e-6);
    }

    #[test]
    fn layers_apply_in_order_by_their_strength(a in any_clip(1.0),
        strength in 0.0f32..=1.0) {
        let file = chain();
        let moves: BTreeMap<NodeId, Transform> = [
            (NodeId(2), Transform::from_rotation(Quat::from_rotation_x(0.8))),
            (NodeId(4),
                Transform { translation: Vec3::X, scale: Vec3::splat(2.0), ..Transform::IDENTITY }),
        ].into();
        let first = PoseLayer { strength, ..PoseLayer::new("arms", moves.clone()) };
        let second = PoseLayer::new("more", moves);
        let muted = PoseLayer { muted: true, ..second.clone() };
        let layers: Shared<PoseLayers> =
            Shared::new([first.clone(), muted, second].into_iter().collect());
        let instance = Instance { layers: layers.clone(), ..Instance::new(&a, 0.0) };
        let seen = mixed(&file, &lanes(vec![Lane::new(vec![instance])]));
        let mut wanted = mixed(&file, &Stack::of(Some(&a), 0.0));
        let part = |s: f32, t: &Transform| Transform {
            translation: t.translation * s,
            rotation: slerp(Quat::IDENTITY, t.rotation, s),
            scale: Vec3::ONE + (t.scale - Vec3::ONE) * s,
        };
        for (layer, share) in [(&layers.0[0], strength), (&layers.0[2], 1.0)] {
            for (node, user) in layer.moves.iter() {
                wanted[node.index()] = wanted[node.index()].compose(&part(share, user));
            }
        }
        prop_assert!(gap(&seen, &wanted) < 3e-6);
        // On the file's pose, the layers give the same result. Clips override the layers of the
        // file's pose.
        let posed = mixed(&file, &Stack { layers: layers.clone(), ..Stack::default() });
        let over = mixed(&file, &Stack { layers, ..Stack::of(Some(&a), 0.0) });
        let plain = mixed(&file, &Stack::of(Some(&a), 0.0));
        for k in 0..JOINTS {
            let all = Property::TRS.iter().all(|p| a.track(NodeId::from(k), *p).is_some());
            let none = Property::TRS.iter().all(|p| a.track(NodeId::from(k), *p).is_none());
            prop_assert!(!all || over[k] == plain[k]);
            prop_assert!(!none || over[k] == posed[k]);
        }
    }

    /// Neither prepared clips nor the previous stack affect the result.
    #[test]
    fn caches_do_not_affect_poses(a in any_clip(2.0), b in any_clip(2.0), weight in 0.0f32..1.0) {
        let file = chain();
        let part = |clip: &Shared<Clip>,
            weight| Lane::new(vec![Instance::new(clip, 0.0).weighing(weight)]);
        let stacks = [
            lanes(vec![part(&a, weight), part(&b, 0.5)]),
            Stack::of(Some(&b), 0.0),
            lanes(
                vec![Lane::new(vec![Instance::new(&b, 0.0).weighing(weight),
                    Instance::new(&a, 0.0).weighing(0.6)])]),
            Stack::default(),
        ];
        let (mut evaluator, mut pose) = (Evaluator::default(), Pose::default());
        for _ in 0..5 {
            for stack in &stacks {
                for _ in 0..4 {
                    evaluator.update(&file, stack, &mut pose);
                    let alone = Pose::evaluate(&file, stack);
                    let of = |p: &Pose| p.local.iter().map(Local::transform).collect::<Vec<_>>();
                    prop_assert!(gap(&of(&pose), &of(&alone)) < 2e-6);
                }
            }
        }
    }
}

#[test]
fn offsets_unkeyed_pose_and_constraints_apply_in_order() {
    let file = chain();
    let node = NodeId(3);
    let turn = |angle: f32| Quat::from_rotation_y(angle);
    let a = clip(&[(3, Property::Rotation, turn(0.5).to_array().to_vec())]);
    let offset =
        Offset { node, translation: Vec3::X, rotation: turn(0.1), scale: Vec3::splat(2.0) };
    let stack = Stack { offsets: vec![offset], ..Stack::of(Some(&a), 0.0) };
    let seen = mixed(&file, &stack)[3];
    assert!(angle_between(seen.rotation, turn(0.6)) < 1e-6 && seen.scale == Vec3::splat(2.0));
    // The unkeyed pose overrides the clip and the transition offsets.
    let held = Components { rotation: Some(turn(-1.0)), ..Components::default() };
    let unkeyed = Unkeyed { locals: [(node, held)].into(), ..Unkeyed::default() };
    let stack = stack.with_unkeyed(Some(unkeyed.into()));
    assert_eq!(mixed(&file, &stack)[3].rotation, turn(-1.0));
    // Constraints of a gesture override the motion of the parents.
    let place = Mat4::from_rotation_translation(turn(2.0), Vec3::new(1.0, 2.0, 3.0));
    let held =
        Stack { constraints: vec![Constraint::Hold { node, scene_from_node: place }], ..stack };
    let pose = Pose::evaluate(&file, &held);
    assert!(
        (pose.world[3].to_cols_array().iter().zip(place.to_cols_array()))
            .all(|(a, b)| (a - b).abs() < 1e-5)
    );
    assert!(pose.local[4] == file.node(NodeId(4)).local());
}

#[test]
fn a_scale_that_cannot_be_added_is_unchanged_and_reported() {
    let file = chain();
    let flat = clip(&[
        (1, Property::Scale, vec![-1.0, 1.0, 1.0]),
        (2, Property::Scale, vec![4.0, 1.0, 1.0]),
    ]);
    let instance = Instance::new(&flat, 0.0).weighing(0.5);
    let stack = Stack {
        additive: vec![Additive { instance, reference: Reference::Rest }],
        ..Stack::default()
    };
    let (mut evaluator, mut pose) = (Evaluator::default(), Pose::default());
    evaluator.update(&file, &stack, &mut pose);
    assert_eq!(evaluator.unscaled_nodes(), [NodeId(1)]);
    assert_eq!(pose.local[1].transform().scale, Vec3::ONE);
    assert_eq!(pose.local[2].transform().scale, Vec3::new(2.0, 1.0, 1.0));
    evaluator.update(&file, &Stack::default(), &mut pose);
    assert!(evaluator.unscaled_nodes().is_empty());
}
