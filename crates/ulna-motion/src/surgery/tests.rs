use glam::{DMat4, DQuat, DVec3, Quat, Vec3};
use proptest::prelude::*;

use super::*;
use crate::sample_into;
use ulna_model::{Clip, Interpolation, NodeId, Property, Shared, Track, TrackId, Transform};

const PARENT: NodeId = NodeId(0);
const JOINT: NodeId = NodeId(1);
const CHILD: NodeId = NodeId(2);
const BOUNDS: Bounds = Bounds { translation: 1e-4, rotation: 1e-4, scale: 1e-4 };

/// A clip on a chain of three nodes, and the nodes' local transforms without the clip.
#[derive(Clone, Debug)]
struct Rig {
    locals: [Transform; 3],
    clip: Shared<Clip>,
}

fn vector(most: f32) -> impl Strategy<Value = Vec3> {
    prop::array::uniform3(-most..most).prop_map(Vec3::from)
}

fn turn(most: f32) -> impl Strategy<Value = Quat> {
    vector(most).prop_map(Quat::from_scaled_axis)
}

fn interpolation() -> impl Strategy<Value = Interpolation> {
    prop_oneof![
        Just(Interpolation::Step),
        Just(Interpolation::Linear),
        Just(Interpolation::CubicSpline)
    ]
}

/// Creates a track with rotations and translations of realistic size: at most about 60° between two
/// keys.
fn track(node: NodeId, property: Property, scale_sign: f32) -> impl Strategy<Value = Track> {
    let keys = prop::collection::vec((0.05f32..0.4, vector(0.4), vector(1.0)), 1..6);
    (keys, interpolation(), 0.0f32..0.2).prop_map(move |(keys, interpolation, start)| {
        let interpolation = if keys.len() == 1 { Interpolation::Linear } else { interpolation };
        let (mut time, mut values, mut times) = (start, Vec::new(), Vec::new());
        let mut turn = Quat::IDENTITY;
        for (span, way, rate) in keys {
            time += span;
            times.push(time);
            turn *= Quat::from_scaled_axis(way * 2.0);
            let (value, width): (Vec<f32>, usize) = match property {
                Property::Rotation => (turn.to_array().to_vec(), 4),
                Property::Translation => (way.to_array().to_vec(), 3),
                _ => (vec![scale_sign * (1.0 + way.x); 3], 3),
            };
            let tangent: Vec<f32> = match property {
                Property::Rotation => {
                    let slope = Quat::from_vec4((rate * 0.5).extend(0.0)) * turn;
                    slope.to_array().to_vec()
                }
                Property::Translation => rate.to_array().to_vec(),
                _ => vec![rate.x * 0.2; width],
            };
            if interpolation == Interpolation::CubicSpline {
                values.extend([tangent.clone(), value, tangent].concat());
            } else {
                values.extend(value);
            }
        }
        Track {
            target: node,
            property,
            interpolation,
            width: if property == Property::Rotation { 4 } else { 3 },
            times: times.into(),
            values: values.into(),
            kinds: Default::default(),
            modes: Default::default(),
        }
    })
}

fn rig() -> impl Strategy<Value = Rig> {
    let local = (vector(0.5), turn(1.5), 0.5f32..1.5, prop::bool::weighted(0.2)).prop_map(
        |(translation, rotation, scale, is_mirrored)| Transform {
            translation,
            rotation,
            scale: Vec3::splat(if is_mirrored { -scale } else { scale }),
        },
    );
    let locals = prop::array::uniform3(local);
    locals.prop_flat_map(|locals| {
        let all: Vec<_> = [PARENT, JOINT, CHILD]
            .into_iter()
            .flat_map(|node| {
                let sign = locals[node.index()].scale.x.signum();
                Property::TRS.map(|p| prop::option::weighted(0.6, track(node, p, sign)))
            })
            .collect();
        (Just(locals), all).prop_map(|(locals, tracks)| {
            let tracks = tracks.into_iter().flatten().map(Shared::new);
            let tracks = tracks.enumerate().map(|(k, t)| (TrackId::from(k), t)).collect();
            Rig { locals, clip: Shared::new(Clip { tracks, ..Clip::default() }) }
        })
    })
}

fn local_at(clip: &Clip, node: NodeId, base: &Transform, time: f64) -> DMat4 {
    let mut made = *base;
    for property in Property::TRS {
        let Some((_, track)) = clip.track(node, property) else { continue };
        let mut out = [0.0; 4];
        sample_into(track, time, &mut out[..track.width]);
        match property {
            Property::Translation => made.translation = Vec3::from_slice(&out),
            Property::Rotation => made.rotation = Quat::from_slice(&out),
            _ => made.scale = Vec3::from_slice(&out),
        }
    }
    Moving::still(&made).matrix()
}

/// Returns the times at which clips are compared. Times within the ends of steps are left out.
fn times(rig: &Rig) -> Vec<f64> {
    let length = f64::from(rig.clip.length());
    let steps: Vec<f32> = rig
        .clip
        .tracks
        .values()
        .filter(|t| t.interpolation == Interpolation::Step)
        .flat_map(|t| t.times.iter().copied())
        .collect();
    let in_step = |t: &f64| steps.iter().any(|s| *t < f64::from(*s) && f64::from(*s) - *t <= 1e-3);
    (0..=200).map(|k| length * f64::from(k) / 200.0).filter(|t| !in_step(t)).collect()
}

struct After {
    locals: [Transform; 3],
    clip: Shared<Clip>,
    done: Rewritten,
}

fn apply(rig: &Rig, chains: &[Chain]) -> After {
    let local = |n: NodeId| rig.locals[n.index()];
    let mut locals = rig.locals;
    for chain in chains {
        let made = chain.product(|n| Moving::still(&local(n))).unwrap();
        locals[chain.node.index()] = made.moving.transform();
    }
    let after = |n: NodeId| locals[n.index()];
    let (clip, done) = rewritten(&rig.clip, chains, &local, &after, &|_| BOUNDS).unwrap();
    for track in clip.tracks.values() {
        track.validate().unwrap();
    }
    After { locals, clip, done }
}

fn distance(a: DMat4, b: DMat4) -> f64 {
    let (a, b) = (a.to_cols_array(), b.to_cols_array());
    a.iter().zip(b).fold(0.0, |worst, (a, b)| f64::max(worst, (a - b).abs()))
}

/// Creates the chains that change the joint's frame by `c`, and keep the child's world transform.
fn reframed(c: Moving) -> [Chain; 2] {
    let back = c.inverse().unwrap();
    [
        Chain { node: JOINT, factors: vec![Factor::Local(JOINT), Factor::Constant(c)] },
        Chain { node: CHILD, factors: vec![Factor::Constant(back), Factor::Local(CHILD)] },
    ]
}

/// Measures the largest difference between the actual and the wanted world transforms of the joint
/// and its child.
fn worst(rig: &Rig, after: &After, c: &Moving) -> f64 {
    let mut worst = 0.0f64;
    for time in times(rig) {
        let at = |clip: &Clip, locals: &[Transform; 3], n: NodeId| {
            local_at(clip, n, &locals[n.index()], time)
        };
        let old = at(&rig.clip, &rig.locals, JOINT);
        let new = at(&after.clip, &after.locals, JOINT);
        worst = worst.max(distance(new, old * c.matrix()));
        let old = old * at(&rig.clip, &rig.locals, CHILD);
        worst = worst.max(distance(new * at(&after.clip, &after.locals, CHILD), old));
    }
    worst
}

fn key_counts(clip: &Clip) -> Vec<(TrackId, usize)> {
    clip.tracks.iter().map(|(id, t)| (*id, t.times.len())).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

    #[test]
    fn a_new_joint_orientation_is_exact_with_the_same_keys(rig in rig(), q in turn(3.0),
        sigma in 0.5f64..2.0) {
        let c = Moving {
            rotation: q.as_dquat().normalize(), scale: DVec3::splat(sigma), ..Moving::IDENTITY
        };
        let after = apply(&rig, &reframed(c));
        prop_assert_eq!(key_counts(&after.clip), key_counts(&rig.clip));
        prop_assert_eq!(after.done.baked, 0);
        let off = worst(&rig, &after, &c);
        prop_assert!(off < 1e-5, "{off}");
    }

    #[test]
    fn a_moved_pivot_stays_within_its_error_bound(rig in rig(), d in vector(0.2), q in turn(3.0)) {
        let c = Moving {
            translation: d.as_dvec3(), rotation: q.as_dquat().normalize(), ..Moving::IDENTITY
        };
        let after = apply(&rig, &reframed(c));
        let off = worst(&rig, &after, &c);
        prop_assert!(off < 2.0 * BOUNDS.translation, "{off}");
    }

    #[test]
    fn dissolving_a_joint_keeps_the_motion_of_its_child(rig in rig()) {
        let chain = Chain {
            node: CHILD, factors: vec![Factor::Local(JOINT), Factor::Local(CHILD)]
        };
        let after = apply(&rig, &[chain]);
        for time in times(&rig) {
            let at = |n: NodeId| local_at(&rig.clip, n, &rig.locals[n.index()], time);
            let made = local_at(&after.clip, CHILD, &after.locals[CHILD.index()], time);
            let off = distance(made, at(JOINT) * at(CHILD));
            prop_assert!(off < 4.0 * BOUNDS.translation, "{off} at {time}");
        }
    }

    #[test]
    fn reparenting_a_joint_keeps_its_motion(rig in rig()) {
        // The child moves from one parent p to another parent q: A = W_q⁻¹·W_p.
        let chain = Chain {
            node: CHILD,
            factors: vec![Factor::Inverse(PARENT), Factor::Local(JOINT), Factor::Local(CHILD)],
        };
        let after = apply(&rig, &[chain]);
        for time in times(&rig) {
            let at = |n: NodeId| local_at(&rig.clip, n, &rig.locals[n.index()], time);
            let made = local_at(&after.clip, CHILD, &after.locals[CHILD.index()], time);
            let wanted = at(PARENT).inverse() * at(JOINT) * at(CHILD);
            let off = distance(made, wanted);
            prop_assert!(off < 1e-3 * (1.0 + wanted.w_axis.truncate().length()), "{off} at {time}");
        }
    }
}

/// Up to a bound on the rotation, which an error formula gives, a moved pivot needs no keys other
/// than those of the rotation. A larger rotation needs more keys.
#[test]
fn the_number_of_keys_for_a_moved_pivot_follows_from_an_error_formula() {
    let track = |degrees: f32| Track {
        target: JOINT,
        property: Property::Rotation,
        interpolation: Interpolation::Linear,
        times: vec![0.0, 1.0].into(),
        values: [Quat::IDENTITY, Quat::from_rotation_z(degrees.to_radians())]
            .iter()
            .flat_map(|q| q.to_array())
            .collect(),
        width: 4,
        kinds: Default::default(),
        modes: Default::default(),
    };
    let c = Moving::moved(DVec3::X * 0.1);
    for (degrees, keys) in [(30.0, 2), (60.0, 3), (90.0, 3), (150.0, 5)] {
        let tracks = [(TrackId(0), Shared::new(track(degrees)))].into();
        let clip = Shared::new(Clip { tracks, ..Clip::default() });
        let rig = Rig { locals: [Transform::IDENTITY; 3], clip };
        let after = apply(&rig, &reframed(c));
        let made = after.clip.track(JOINT, Property::Translation).unwrap().1;
        assert_eq!(made.times.len(), keys, "{degrees}°");
        // The child has a constant offset, so it needs no keys.
        assert!(after.clip.track(CHILD, Property::Translation).is_none());
        assert!(worst(&rig, &after, &c) <= BOUNDS.translation);
    }
}

#[test]
fn a_constant_channel_that_differs_from_the_node_keeps_one_key() {
    let held = Track {
        target: JOINT,
        property: Property::Rotation,
        interpolation: Interpolation::Linear,
        times: vec![0.5].into(),
        values: Quat::from_rotation_y(1.0).to_array().to_vec().into(),
        width: 4,
        kinds: Default::default(),
        modes: Default::default(),
    };
    let tracks = [(TrackId(0), Shared::new(held))].into();
    let clip = Shared::new(Clip { tracks, ..Clip::default() });
    let rig = Rig { locals: [Transform::IDENTITY; 3], clip };
    let c = Moving { rotation: DQuat::from_rotation_x(0.3), ..Moving::moved(DVec3::Z) };
    let after = apply(&rig, &reframed(c));
    let made = after.clip.track(JOINT, Property::Translation).unwrap().1;
    assert_eq!((made.times.len(), after.done.held), (1, 1));
    assert!(worst(&rig, &after, &c) < 1e-6);
}
