//! Properties of the mixer, tested with random clips and mixes.

use std::collections::BTreeMap;

use glam::{Quat, Vec3};
use proptest::prelude::*;

use super::{Mixer, lanes::wrapped};
use crate::{Pose, Stack, nlerp_gap};
use ulna_model::{
    Clip, ClipId, Document, Enter, FadeCurve, FileContent, InStep, Interpolation, Local, Marker,
    Mix, MixBar, MixLane, MixMask, MixReference, Node, NodeId, Plays, Property, Shared, Track,
    TrackId, Tracks, Transform,
    transform::{angle_between, short_way},
};

const JOINTS: usize = 7;

fn chain(clips: &[Shared<Clip>]) -> Document {
    let node = |k: usize| Node {
        parent: (k > 0).then(|| NodeId::from(k - 1)),
        rest: Local::Trs(Transform {
            translation: Vec3::new(0.0, 0.2, 0.01 * k as f32),
            ..Transform::IDENTITY
        }),
        ..Node::default()
    };
    let clips = clips.iter().cloned().collect();
    FileContent { nodes: (0..JOINTS).map(node).collect(), clips, ..FileContent::default() }.into()
}

/// A clip in which each joint swings about each axis by at most `reach` radians from the rest pose,
/// and returns. With a reach below 0.9, all rotations stay within a quarter turn.
fn any_clip(reach: f32) -> impl Strategy<Value = Shared<Clip>> {
    let joint = (prop::array::uniform3(-1.0f32..1.0), prop::array::uniform3(-1.0f32..1.0));
    (prop::collection::vec(joint, JOINTS), 0.4f32..1.6, 0.0f32..0.8).prop_map(
        move |(joints, length, first)| {
            let mut tracks = Tracks::default();
            let times: Vec<f32> = (0..=16).map(|k| length * k as f32 / 16.0).collect();
            for (k, (a, b)) in joints.into_iter().enumerate() {
                let swing = |time: f32| (std::f32::consts::TAU * time / length + first).sin();
                let turns = times.iter().flat_map(|t| {
                    Quat::from_scaled_axis(Vec3::from(a) * reach * swing(*t)).to_array()
                });
                let moves = times
                    .iter()
                    .flat_map(|t| (Vec3::from(b) * 0.3 * swing(*t) + Vec3::Y * 0.2).to_array());
                let all: [(Property, usize, Vec<f32>); 2] = [
                    (Property::Rotation, 4, turns.collect()),
                    (Property::Translation, 3, moves.collect()),
                ];
                for (property, width, values) in all {
                    let track = Track {
                        target: NodeId::from(k),
                        property,
                        interpolation: Interpolation::Linear,
                        times: times.clone().into(),
                        values: values.into(),
                        width,
                        kinds: Default::default(),
                        modes: Default::default(),
                    };
                    tracks.insert(TrackId::from(tracks.len()), Shared::new(track));
                }
            }
            let marker = |part: f32, name: &str| Marker {
                time: length * part,
                name: name.into(),
                color: Default::default(),
            };
            let markers = vec![marker(0.1 + first * 0.2, "L"), marker(0.6 + first * 0.2, "R")];
            Shared::new(Clip { tracks, markers: markers.into(), ..Clip::default() })
        },
    )
}

fn bar(clip: u32, start: f64, length: f64) -> MixBar {
    MixBar::new(ClipId(clip), start, length)
}

fn fading(clip: u32, start: f64, length: f64, fade: f64, enter: Enter) -> MixBar {
    MixBar { fade_in: fade, enter, ..bar(clip, start, length) }
}

fn mix(lanes: Vec<Vec<MixBar>>) -> Shared<Mix> {
    let lanes = lanes.into_iter().map(|bars| MixLane { bars, ..MixLane::new("") }).collect();
    Shared::new(Mix { lanes })
}

fn pose(document: &Document, stack: &Stack) -> Vec<Transform> {
    Pose::evaluate(document, stack).local.iter().map(Local::transform).collect()
}

fn seen(document: &Document, mix: &Shared<Mix>, time: f64) -> Vec<Transform> {
    pose(document, &Mixer::default().stack(document, mix, time))
}

fn alone(document: &Document, clip: u32, time: f64) -> Vec<Transform> {
    pose(document, &Stack::of(Some(&document.clips[ClipId(clip)]), time))
}

fn gap(a: &[Transform], b: &[Transform]) -> f32 {
    let one = |(a, b): (&Transform, &Transform)| {
        angle_between(a.rotation, b.rotation)
            .max(a.translation.distance(b.translation))
            .max(a.scale.distance(b.scale))
    };
    a.iter().zip(b).map(one).fold(0.0, f32::max)
}

/// Change of a joint's velocity at the middle of three times with the interval `h`. Returns meters
/// per second and radians per second.
fn change([a, b, c]: &[Vec<Transform>; 3], joint: usize, h: f64) -> (f32, f32) {
    let [a, b, c] = [a, b, c].map(|pose| &pose[joint]);
    let moved =
        ((b.translation - a.translation) - (c.translation - b.translation)).length() / h as f32;
    let spin = |from: &Transform, to: &Transform| {
        short_way(to.rotation * from.rotation.conjugate()).to_scaled_axis() / h as f32
    };
    (moved, (spin(a, b) - spin(b, c)).length())
}

/// Returns the sum of the velocity changes of two clips alone, which are caused by the corners of
/// LINEAR keys.
fn corners(
    document: &Document,
    goes: [(u32, f64); 2],
    times: [f64; 3],
) -> impl Fn(usize) -> (f32, f32) + use<> {
    let poses = goes.map(|(clip, start)| {
        let length = f64::from(document.clips[ClipId(clip)].length());
        times.map(|time| alone(document, clip, wrapped(time - start, length, true)))
    });
    let h = times[1] - times[0];
    move |joint| {
        let [a, b] = poses.each_ref().map(|p| change(p, joint, h));
        (a.0 + b.0, a.1 + b.1)
    }
}

/// A sequence of clips with random start times, fade lengths and kinds of transitions.
fn any_row() -> impl Strategy<Value = Vec<MixBar>> {
    let enter =
        prop::sample::select(vec![Enter::Fade, Enter::Frozen, Enter::Inertial, Enter::Keys]);
    let step = prop::sample::select(vec![InStep::Free, InStep::Share, InStep::Markers]);
    let one = (0.1f64..1.0, 0.1f64..0.8, enter, 0u32..3, step);
    prop::collection::vec(one, 2..5).prop_map(|list| {
        let mut at = 0.0;
        let mut bars = Vec::new();
        for (k, (gap, fade, enter, clip, in_step)) in list.into_iter().enumerate() {
            let fade = if k == 0 { 0.0 } else { fade };
            bars.push(MixBar { in_step, ..fading(clip, at, 6.0 - at, fade, enter) });
            at += gap;
        }
        bars
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn before_and_after_a_fade_each_clip_plays_unchanged(a in any_clip(1.4), b in any_clip(1.4),
        fade in 0.1f64..1.0, at in 0.0f64..1.0) {
        let document = chain(&[a, b]);
        for enter in [Enter::Fade, Enter::Frozen, Enter::Inertial] {
            let mix = mix(vec![vec![bar(0, 0.0, 2.0), fading(1, 1.0, 4.0, fade, enter)]]);
            let length = f64::from(document.clips[ClipId(0)].length());
            prop_assert_eq!(seen(&document, &mix, at * 0.999),
                alone(&document, 0, wrapped(at * 0.999, length, true)));
            let after = 1.0 + fade + at;
            let local = wrapped(after - 1.0, f64::from(document.clips[ClipId(1)].length()), true);
            prop_assert_eq!(seen(&document, &mix, after), alone(&document, 1, local));
        }
    }

    #[test]
    fn blending_a_clip_with_itself_is_that_clip(a in any_clip(1.4), weight in 0.05f32..1.0,
        at in 0.0f64..0.4) {
        let document = chain(&[a]);
        let along = MixBar { along: true, weight, ..bar(0, 0.0, 1.0) };
        let twice = mix(vec![vec![bar(0, 0.0, 1.0), along]]);
        prop_assert!(gap(&seen(&document, &twice, at), &alone(&document, 0, at)) < 2e-6);
    }

    #[test]
    fn adding_a_clip_at_its_reference_time_changes_nothing(a in any_clip(1.4), b in any_clip(1.4),
        at in 0.0f64..0.4, weight in 0.0f32..2.0) {
        let document = chain(&[a, b]);
        let still = MixBar { offset: at, speed: 0.0, ..bar(1, 0.0, 1.0) };
        let under = MixLane { bars: vec![bar(0, 0.0, 1.0)], ..MixLane::new("body") };
        let over = MixLane { additive: Some(MixReference::At(at)), weight, bars: vec![still],
            ..MixLane::new("breath") };
        let mix = Shared::new(Mix { lanes: vec![under, over] });
        prop_assert!(gap(&seen(&document, &mix, at), &alone(&document, 0, at)) < 2e-6);
    }

    #[test]
    fn complementary_masks_select_one_clip_per_joint(a in any_clip(1.4),
        b in any_clip(1.4), at in 0.0f64..0.4, cut in 1u32..JOINTS as u32) {
        let document = chain(&[a, b]);
        let lower = MixMask::Painted((0..cut).map(|n| (NodeId(n), 1.0)).collect());
        let upper = MixMask::Below { joint: NodeId(cut), falloff: 0 };
        // Use two lanes, and two bars of one lane.
        let lane = |clip: u32,
            mask: &MixMask| MixLane { mask: Some(mask.clone()), bars: vec![bar(clip, 0.0, 1.0)],
                ..MixLane::new("") };
        let lanes = Shared::new(Mix { lanes: vec![lane(0, &lower), lane(1, &upper)] });
        let over = |clip: u32,
            mask: &MixMask| MixBar { mask: Some(mask.clone()), ..bar(clip, 0.0, 1.0) };
        let bars = mix(vec![vec![over(0, &lower), over(1, &upper)]]);
        let (one, other) = (alone(&document, 0, at), alone(&document, 1, at));
        for made in [seen(&document, &lanes, at), seen(&document, &bars, at)] {
            for k in 0..JOINTS {
                prop_assert_eq!(made[k], if (k as u32) < cut { one[k] } else { other[k] });
            }
        }
    }

    #[test]
    fn the_order_of_bars_within_a_lane_does_not_matter(
        clips in prop::collection::vec(any_clip(0.7), 3),
        at in 0.0f64..0.4, weights in prop::array::uniform3(0.05f32..1.0)) {
        let document = chain(&clips);
        let along = |k: usize| MixBar { along: true, weight: weights[k],
            ..bar(k as u32, 0.0, 1.0) };
        let one = mix(vec![vec![along(0), along(1), along(2)]]);
        let other = mix(vec![vec![along(2), along(0), along(1)]]);
        prop_assert!(gap(&seen(&document, &one, at), &seen(&document, &other, at)) < 3e-6);
    }

    #[test]
    fn scrubbing_equals_playing_exactly(clips in prop::collection::vec(any_clip(1.2), 3),
        row in any_row(), times in prop::collection::vec(0.0f64..6.0, 12)) {
        let document = chain(&clips);
        let mix = mix(vec![row]);
        let mut player = Mixer::default();
        let mut played = BTreeMap::new();
        let mut frames: Vec<f64> =
            (0..360).map(|k| f64::from(k) / 60.0).chain(times.iter().copied()).collect();
        frames.sort_by(f64::total_cmp);
        for time in frames {
            played.insert(time.to_bits(), player.stack(&document, &mix, time));
        }
        let mut scrubbing = Mixer::default();
        for time in &times {
            prop_assert_eq!(&scrubbing.stack(&document, &mix, *time), &played[&time.to_bits()]);
            prop_assert_eq!(&Mixer::default().stack(&document, &mix, *time),
                &played[&time.to_bits()]);
        }
    }

    /// Positions are continuous at the start, interruption and end of transitions, and at 1,000
    /// other times: no joint moves visibly within a microsecond. The clips are closed loops, and
    /// joints swing within a quarter turn of each other.
    #[test]
    fn positions_are_continuous_through_every_transition(
        clips in prop::collection::vec(any_clip(0.7),
        3), row in any_row()) {
        const STEPS: usize = 1000;
        const LATER: f64 = 1e-6;
        let document = chain(&clips);
        let edges =
            row.iter().flat_map(|b| [b.start, b.start + b.fade_in, b.end()])
                .filter(|t| (0.01..5.9).contains(t));
        let times: Vec<f64> =
            edges.chain((1..STEPS).map(|k| k as f64 * 5.9 / STEPS as f64)).collect();
        let mix = mix(vec![row]);
        let mut mixer = Mixer::default();
        for time in times {
            let mut at = |time: f64| pose(&document, &mixer.stack(&document, &mix, time));
            let (before, after) = (at(time - LATER), at(time + LATER));
            let jump = gap(&before, &after);
            prop_assert!(jump < 2e-3, "{} at {}", jump, time);
        }
    }

    /// Positions are also continuous with partial weights, masks, several lanes, and bars that
    /// begin and end. Parts that a fade does not cover do not jump.
    #[test]
    fn positions_are_continuous_with_partial_weights_and_masks(
        clips in prop::collection::vec(any_clip(0.6), 3),
        row in any_row(),
        weights in prop::collection::vec(0.2f32..1.0, 5),
        masks in prop::collection::vec(0u32..3, 5),
        lane in 0.3f32..1.0,
        quiet in any::<bool>(),
        ends in 2.5f64..5.0,
    ) {
        const LATER: f64 = 1e-6;
        let document = chain(&clips);
        let mask = |k: u32| match k {
            0 => None,
            1 => Some(MixMask::Below { joint: NodeId(1), falloff: 2 }),
            _ => Some(MixMask::Painted([(NodeId(0), 0.4), (NodeId(2), 1.0)].into())),
        };
        let bars: Vec<MixBar> = row
            .into_iter()
            .zip(weights.iter().zip(&masks))
            .enumerate()
            // Each bar has a fade, since a bar without one is expected to jump.
            .map(|(k, (bar, (weight, m)))| MixBar {
                weight: *weight,
                mask: mask(*m),
                fade_in: if k == 0 && bar.start > 0.0 { 0.3 } else { bar.fade_in },
                enter: if bar.enter == Enter::Inertial { Enter::Fade } else { bar.enter },
                length: ends,
                fade_out: 0.4,
                ..bar
            })
            .collect();
        let times: Vec<f64> = bars
            .iter()
            .flat_map(|b| [b.start, b.start + b.fade_in, b.end() - b.fade_out, b.end()])
            .chain((1..400).map(|k| f64::from(k) * 0.02))
            .filter(|t| *t > 0.01)
            .collect();
        let below = MixLane { on: !quiet, bars: vec![bar(2, 0.0, 9.0)], ..MixLane::new("below") };
        let lanes =
            vec![below,
                MixLane { bars, weight: lane, mask: mask(masks[4]), ..MixLane::new("over") }];
        let mix = Shared::new(Mix { lanes });
        let mut mixer = Mixer::default();
        for time in times {
            let mut at = |time: f64| pose(&document, &mixer.stack(&document, &mix, time));
            let jump = gap(&at(time - LATER), &at(time + LATER));
            prop_assert!(jump < 2e-3, "{} at {}", jump, time);
        }
    }

    /// An inertial transition at the end of a traveling loop uses the visible velocity, not the
    /// velocity of the jump at the seam. There is a cut on another lane at the same time.
    #[test]
    fn an_inertial_transition_at_a_loop_seam_keeps_the_visible_velocity(far in 0.5f32..3.0,
        clips in prop::collection::vec(any_clip(0.3), 2)) {
        let length = 1.0f32;
        let walk = Track {
            target: NodeId(0),
            property: Property::Translation,
            interpolation: Interpolation::Linear,
            times: [0.0, length].into(),
            values: [0.0, 0.0, 0.0, 0.0, 0.0, far].into(),
            width: 3,
            kinds: Default::default(),
            modes: Default::default(),
        };
        let walk = Shared::new(Clip { tracks: [(TrackId(0), Shared::new(walk))].into(),
            ..Clip::default() });
        let document = chain(&[walk, clips[0].clone(), clips[1].clone()]);
        let over = MixMask::Painted([(NodeId(2), 1.0)].into());
        let arms = MixLane { mask: Some(over), bars: vec![bar(1, 0.0, 3.0), bar(2, 3.0, 9.0)],
            ..MixLane::new("arms") };
        let body = MixLane {
            bars: vec![bar(0, 0.0, 9.0), fading(1, 3.0, 9.0, 0.5, Enter::Inertial)],
            ..MixLane::new("body")
        };
        let mix = Shared::new(Mix { lanes: vec![body, arms] });
        let mut mixer = Mixer::default();
        // The body was at the end of its path, with a speed of `far` meters per second. During the
        // transition, it continues by no more than that.
        let target = alone(&document, 1, 0.0)[0].translation;
        for k in 0..=50 {
            let time = 3.0 + f64::from(k) * 0.01;
            let z = pose(&document, &mixer.stack(&document, &mix, time))[0].translation.z;
            prop_assert!(z > target.z.min(0.0) - 1.0 && z < far + 0.2 * far + 1.0, "{} at {}", z,
                time);
        }
        let at = pose(&document, &mixer.stack(&document, &mix, 3.0))[0].translation.z;
        prop_assert!((at - far).abs() < 1e-4, "it stands where it was seen: {}", at);
    }

    /// The velocity is continuous at an inertial transition, and at its interruption by another
    /// one.
    #[test]
    fn an_inertial_transition_keeps_the_velocity(clips in prop::collection::vec(any_clip(0.6), 3),
        first in 0.5f64..1.0, second in 0.05f64..0.3) {
        let document = chain(&clips);
        let row = vec![
            bar(0, 0.0, 5.0),
            fading(1, first, 5.0, 0.4, Enter::Inertial),
            fading(2, first + second, 5.0, 0.4, Enter::Inertial),
        ];
        let mix = mix(vec![row]);
        let mut mixer = Mixer::default();
        let h = 1.0 / 480.0;
        for (k, cut) in [first, first + second].into_iter().enumerate() {
            let times = [cut - h, cut, cut + h];
            let seen = times.map(|time| pose(&document, &mixer.stack(&document, &mix, time)));
            let goes = [(k as u32, if k == 0 { 0.0 } else { first }), (k as u32 + 1, cut)];
            let own = corners(&document, goes, times);
            for joint in 0..JOINTS {
                let ((moved, turned), (m, t)) = (change(&seen, joint, h), own(joint));
                // LINEAR keys have corners, so the velocity is only known up to its change at a
                // corner.
                prop_assert!(moved < m + 0.12 && turned < t + 0.25,
                    "joint {} at {}: {} m/s, {} rad/s", joint, cut, moved, turned);
            }
        }
    }

    /// A fade with a smooth curve adds no corner at its start and end.
    #[test]
    fn a_smooth_fade_keeps_the_velocity(clips in prop::collection::vec(any_clip(0.6), 2),
        first in 0.5f64..1.0, fade in 0.3f64..0.8) {
        let document = chain(&clips);
        let mix = mix(vec![vec![bar(0, 0.0, 5.0), fading(1, first, 5.0, fade, Enter::Fade)]]);
        let mut mixer = Mixer::default();
        let h = 1.0 / 480.0;
        for edge in [first, first + fade] {
            let times = [edge - h, edge, edge + h];
            let seen = times.map(|time| pose(&document, &mixer.stack(&document, &mix, time)));
            let own = corners(&document, [(0, 0.0), (1, first)], times);
            for k in 0..JOINTS {
                let ((moved, turned), (m, t)) = (change(&seen, k, h), own(k));
                // With a linear weight, the velocity would jump by the distance of the clips
                // divided by the fade time.
                prop_assert!(moved < m + 0.15 && turned < t + 0.4,
                    "joint {} at {}: {} m/s, {} rad/s", k, edge, moved, turned);
            }
        }
    }

    #[test]
    fn nlerp_and_slerp_differ_by_at_most_the_stated_angle(a in any_clip(1.5), b in any_clip(1.5),
        weight in 0.0f32..1.0, at in 0.0f64..0.4) {
        let document = chain(&[a, b]);
        let made = |nlerp| {
            let bars = vec![bar(0, 0.0, 1.0), MixBar { weight, ..bar(1, 0.0, 1.0) }];
            Shared::new(Mix { lanes: vec![MixLane { nlerp, bars, ..MixLane::new("") }] })
        };
        let (slow, fast) = (seen(&document, &made(false), at), seen(&document, &made(true), at));
        let (one, other) = (alone(&document, 0, at), alone(&document, 1, at));
        for k in 0..JOINTS {
            let said = nlerp_gap(angle_between(one[k].rotation, other[k].rotation));
            let is = angle_between(slow[k].rotation, fast[k].rotation);
            prop_assert!(is <= said + 2e-3, "{} of {}", is, said);
        }
    }

    /// At each marker of one synchronized clip, the other clip is at its own marker.
    #[test]
    fn synchronized_clips_reach_markers_together(
        a in any_clip(1.0), b in any_clip(1.0), value in 0.0f32..1.0
    ) {
        let document = chain(&[a, b]);
        let plays = Plays::Blend { points: vec![(ClipId(0), 0.0), (ClipId(1), 1.0)],
            value: 0.1 + 0.8 * value };
        let bar = MixBar { plays, in_step: InStep::Markers, ..bar(0, 0.0, 8.0) };
        let mix = mix(vec![vec![bar]]);
        let mut mixer = Mixer::default();
        let marks =
            |k: u32| document.clips[ClipId(k)].markers.iter().map(|m| f64::from(m.time))
                .collect::<Vec<_>>();
        let lengths = [0, 1].map(|k| f64::from(document.clips[ClipId(k)].length()));
        let (ours, theirs) = (marks(0), marks(1));
        let mut met = 0;
        let mut before: Option<f64> = None;
        for k in 0..4000 {
            let playing = mixer.playing(&document, &mix, f64::from(k) / 500.0);
            let (now, other) = (playing[0].time, playing[1].time);
            if let Some(was) = before.replace(now)
                && let Some(mark) = ours.iter().position(|m| was < *m && now >= *m)
            {
                let off = (other - theirs[mark]).rem_euclid(lengths[1]);
                prop_assert!(off.min(lengths[1] - off) < 0.03, "{} from mark {}", off, mark);
                met += 1;
            }
        }
        prop_assert!(met >= 6, "{}", met);
    }

    #[test]
    fn moving_a_blend_slider_keeps_the_phase_of_the_step(a in any_clip(1.0), b in any_clip(1.0),
        at in 0.3f64..5.0, from in 0.0f32..1.0, to in 0.0f32..1.0) {
        let document = chain(&[a, b]);
        let made = |value| {
            let plays = Plays::Blend { points: vec![(ClipId(0), 0.0), (ClipId(1), 1.0)], value };
            Mix {
                lanes: vec![
                    MixLane { bars: vec![MixBar { plays, in_step: InStep::Share,
                        ..bar(0, 0.0, 8.0) }], ..MixLane::new("") }] }
        };
        let before = Shared::new(made(from));
        let mut mixer = Mixer::default();
        let share = |mixer: &mut Mixer, mix: &Shared<Mix>| {
            let all = mixer.playing(&document, mix, at);
            all[0].time / f64::from(document.clips[all[0].clip].length())
        };
        let was = share(&mut mixer, &before);
        let after = Shared::new(mixer.keeping_step(&document, (&before, made(to)), (0, 0), at));
        let off = (share(&mut mixer, &after) - was).rem_euclid(1.0);
        prop_assert!(off.min(1.0 - off) < 1e-6, "{}", off);
    }
}

#[test]
fn a_key_transition_interpolates_from_the_last_to_the_first_key() {
    let length = 1.0;
    let turns = |a: f32, b: f32| {
        let values: Vec<f32> =
            [a, b].iter().flat_map(|a| Quat::from_rotation_x(*a).to_array()).collect();
        let track = Track {
            target: NodeId(1),
            property: Property::Rotation,
            interpolation: Interpolation::Linear,
            times: [0.0, length].into(),
            values: values.into(),
            width: 4,
            kinds: Default::default(),
            modes: Default::default(),
        };
        Shared::new(Clip { tracks: [(TrackId(0), Shared::new(track))].into(), ..Clip::default() })
    };
    let document = chain(&[turns(0.0, 0.4), turns(1.0, 1.5)]);
    let second = MixBar { curve: FadeCurve::Linear, ..fading(1, 1.0, 3.0, 0.5, Enter::Keys) };
    let mix = mix(vec![vec![bar(0, 0.0, 1.0), second]]);
    let angle = |time| seen(&document, &mix, time)[1].rotation.to_scaled_axis().x;
    for (time, wanted) in [(0.5, 0.2), (1.0, 0.4), (1.25, 0.7), (1.5, 1.0), (2.0, 1.25), (2.5, 1.5)]
    {
        assert!((angle(time) - wanted).abs() < 1e-4, "{} at {time}", angle(time));
    }
}

#[test]
fn a_mix_of_bars_without_effect_shows_the_rest_pose() {
    let still = Shared::new(Clip::default());
    let document = chain(&[still]);
    let rest = pose(&document, &Stack::default());
    for bars in [
        vec![],
        vec![bar(7, 0.0, 1.0)],
        vec![
            MixBar { in_step: InStep::Markers, ..bar(0, 0.0, 1.0) },
            fading(0, 0.2, 1.0, 0.5, Enter::Frozen),
        ],
        vec![bar(0, 0.0, 1.0), fading(0, 0.5, 1.0, 0.2, Enter::Inertial)],
        vec![MixBar { weight: 0.0, ..bar(0, 0.0, 1.0) }],
        vec![MixBar { mask: Some(MixMask::Painted(BTreeMap::new())), ..bar(0, 0.0, 1.0) }],
    ] {
        let mix = mix(vec![bars]);
        for time in [-1.0, 0.0, 0.6, 1.0, 9.0] {
            assert_eq!(seen(&document, &mix, time), rest);
        }
    }
}

mod holds;
