//! A bar that ends under a fade holds its last pose, and the remaining jumps are found.

use super::*;
use crate::{Jump, jumps, slerp};

/// Creates consecutive bars. Each begins at the end of the previous bar, a little earlier or up to
/// a millisecond later. Its fade is longer than the overlap.
fn any_chain() -> impl Strategy<Value = Vec<MixBar>> {
    let enter =
        prop::sample::select(vec![Enter::Fade, Enter::Frozen, Enter::Keys, Enter::Inertial]);
    let one = (0.3f64..1.5, -0.2f64..0.0009, 0.05f64..0.6, enter, 0u32..3, prop::bool::ANY);
    prop::collection::vec((one, 0.4f32..=1.0), 2..6).prop_map(|list| {
        let mut at = 0.0;
        let mut bars = Vec::new();
        for (k, ((length, gap, fade, enter, clip, repeat), weight)) in list.into_iter().enumerate()
        {
            // With partial weight, the uncovered part would jump at an inertial transition.
            let weight = if enter == Enter::Inertial || k == 0 { 1.0 } else { weight };
            let (start, fade) =
                if k == 0 { (0.0, 0.0) } else { (at + gap, fade.max(0.05 - gap).min(length)) };
            bars.push(MixBar { weight, repeat, ..fading(clip, start, length, fade, enter) });
            at = start + length;
        }
        bars
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    // Within a quarter turn of the rest pose, the mean of rotations is unique. Three rotations
    // around the full circle have several means, and a small change of weights may switch between
    // them.
    #[test]
    fn a_lane_of_successive_bars_is_continuous(
        clips in prop::collection::vec(any_clip(0.85), 3), bars in any_chain(),
            masked in prop::option::of(1u32..JOINTS as u32)) {
        const BESIDE: f64 = 1e-5;
        let document = chain(&clips);
        let mut bars = bars;
        // The last bar moves only a branch of joints. The other joints fade out.
        if let (Some(joint), Some(last)) =
            (masked, bars.last_mut().filter(|b| b.enter == Enter::Fade)) {
            last.mask = Some(MixMask::Below { joint: NodeId(joint), falloff: 0 });
        }
        let end = bars.iter().map(MixBar::end).fold(f64::MAX,
            f64::min).max(bars.last().expect("bars").end());
        let mut times: Vec<f64> =
            bars.iter().flat_map(|b| [b.start, b.end(), b.start + b.fade_in]).collect();
        let mix = mix(vec![bars]);
        times.extend((1..40).map(|k| end * f64::from(k) / 40.0));
        for time in times.into_iter().filter(|t| *t > BESIDE && *t < end - BESIDE) {
            let (a, b) =
                (seen(&document, &mix, time - BESIDE), seen(&document, &mix, time + BESIDE));
            prop_assert!(gap(&a, &b) < 6e-3, "{} at {}: {:?}", gap(&a, &b), time,
                mix.lanes[0].bars);
        }
        prop_assert!(jumps(&document, &mix, (0.0, end)).is_empty());
    }

    #[test]
    fn a_fade_at_the_end_of_a_bar_starts_from_its_last_pose(
        clips in prop::collection::vec(any_clip(1.2), 2), length in 0.3f64..1.5,
            late in 0.0f64..0.0009, fade in 0.1f64..0.6, part in 0.0f64..1.0,
                lanes in prop::bool::ANY) {
        let document = chain(&clips);
        let next = fading(1, length + late, 2.0, fade, Enter::Fade);
        // The second bar is on the same lane, or on the lane above.
        let mix = if lanes { mix(vec![vec![bar(0, 0.0, length)], vec![next.clone()]]) } else {
            mix(vec![vec![bar(0, 0.0, length), next.clone()]]) };
        let time = next.start + fade * part;
        let goes = |k: usize, local: f64| wrapped(local, f64::from(clips[k].length()), true);
        let (last, now) =
            (alone(&document, 0, goes(0, length)), alone(&document, 1, goes(1, time - next.start)));
        let weight = FadeCurve::Smooth.at(part);
        let wanted: Vec<Transform> = last.iter().zip(&now).map(|(a, b)| Transform {
            translation: a.translation.lerp(b.translation, weight),
            rotation: slerp(a.rotation, b.rotation, weight),
            ..*a
        }).collect();
        let found = seen(&document, &mix, time);
        prop_assert!(gap(&found, &wanted) < 1e-4, "{}", gap(&found, &wanted));
        // If there is a real gap, the lane is empty in the gap.
        let apart =
            Shared::new(mix.with_bar((usize::from(lanes), usize::from(!lanes)),
                MixBar { start: length + 0.2, ..next }));
        prop_assert_eq!(seen(&document, &apart, length + 0.1), pose(&document, &Stack::default()));
    }
}

#[test]
fn jumps_are_found_with_their_times() {
    let turned = |degrees: f32, at: u32| {
        let track = Track {
            target: NodeId(at),
            property: Property::Rotation,
            interpolation: Interpolation::Linear,
            times: [0.0, 1.0].into(),
            values: [Quat::IDENTITY, Quat::from_rotation_z(degrees.to_radians())]
                .map(|q| q.to_array())
                .concat()
                .into(),
            width: 4,
            kinds: Default::default(),
            modes: Default::default(),
        };
        Shared::new(Clip { tracks: [(TrackId(0), Shared::new(track))].into(), ..Clip::default() })
    };
    let document = chain(&[turned(60.0, 2), turned(10.0, 5)]);
    let found = |bars: Vec<MixBar>| jumps(&document, &mix(vec![bars]), (0.0, 10.0));
    // These jumps are a cut from the end of a clip, the end of an open loop, and a bar that ends
    // without a successor.
    let cut = found(vec![bar(0, 0.0, 1.0), MixBar { enter: Enter::Cut, ..bar(1, 1.0, 1.0) }]);
    let [Jump { time, node, degrees, meters }] = cut[..] else { panic!("{cut:?}") };
    assert_eq!((time, node), (1.0, NodeId(6)), "the tip goes the farthest, at the cut");
    assert!((degrees - 60.0).abs() < 0.1, "{degrees}");
    assert!(meters > 0.5, "{meters}");
    let rounds: Vec<f64> = found(vec![bar(0, 0.0, 2.5)]).iter().map(|j| j.time).collect();
    assert!(
        rounds.len() == 3 && (rounds[0] - 1.0).abs() < 1e-6 && (rounds[1] - 2.0).abs() < 1e-6,
        "{rounds:?}"
    );
    // The same transition with a fade has no jump, even though the motion is fast. A rotation by
    // 10° is not a jump.
    assert!(found(vec![bar(0, 0.0, 1.0), fading(1, 1.0, 1.0, 0.1, Enter::Fade)]).is_empty());
    assert!(
        found(vec![bar(1, 0.0, 0.9), MixBar { enter: Enter::Cut, ..bar(1, 0.9, 1.0) }]).is_empty()
    );
}

#[test]
fn a_selected_bar_is_found_again_after_changes_of_the_mix() {
    let bars = || vec![bar(0, 0.0, 1.0), bar(1, 1.0, 1.0), bar(2, 2.0, 1.0)];
    let before = mix(vec![bars(), vec![bar(1, 0.5, 1.0)]]);
    let without = before.without_bar((0, 0));
    assert_eq!(
        [0, 1, 2].map(|b| before.bar_in(&without, (0, b))),
        [None, Some((0, 0)), Some((0, 1))]
    );
    // An edited bar keeps its place, and the bars of other lanes keep theirs.
    let edited = before.with_bar((0, 1), bar(1, 1.5, 0.5));
    assert_eq!(before.bar_in(&edited, (0, 1)), Some((0, 1)));
    assert_eq!(before.bar_in(&without, (1, 0)), Some((1, 0)));
    // The lane below is removed.
    let above = Mix { lanes: before.lanes[1..].to_vec() };
    assert_eq!((before.lane_in(&above, 1), before.bar_in(&above, (1, 0))), (Some(0), Some((0, 0))));
}
