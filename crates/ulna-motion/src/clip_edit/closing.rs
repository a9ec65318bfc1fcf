//! Methods to close a loop, so that its last frame has the pose of time 0.

use glam::{Quat, Vec3};

use super::{
    Carrier, TooClose, key_span,
    moments::sampled,
    part_of,
    seam_speed::{faster, is_any, is_seen},
    tangents::refreshed,
    whole::rising,
};
use crate::insert_key;
use ulna_model::{Clip, Interpolation, Property, Shared, Track, transform::short_way};

/// A method to close a loop.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Closing {
    /// Sets the last frame to the pose of time 0. The change is spread over the whole clip. A STEP
    /// track changes only at its last key.
    Match,
    /// Sets the last frame to the pose of time 0, and blends the frames before it toward that pose.
    Blend {
        /// Number of blended frames.
        frames: u32,
        /// Whether the speed at the end is matched to the speed at the start, if the difference is
        /// visible. If the clip needs no other change, smaller differences are matched, too.
        speed: bool,
    },
    /// Appends a frame with the pose of time 0.
    AddFrame,
    /// Removes the last frame.
    DropFrame,
}

/// Closes a clip into a loop. `travels` is the carrier of the body: it keeps its travel along the
/// ground, but its height is closed. `frame` is the length of a frame in seconds.
///
/// # Errors
/// Two keys would have the same time.
pub fn closed(
    clip: &Clip,
    how: Closing,
    frame: f64,
    travels: Option<Carrier>,
) -> Result<Clip, TooClose> {
    let Some((_, last)) = key_span(clip) else { return Ok(clip.clone()) };
    if how == Closing::DropFrame {
        return Ok(part_of(clip, 0.0, (f64::from(last) - frame) as f32, true)?.0);
    }
    let made = closed_by(clip, how, (last, frame), travels, false)?;
    // The loop was closed already. Match the speed even if the difference is hardly visible.
    if made == *clip && matches!(how, Closing::Blend { speed: true, .. }) {
        return closed_by(clip, how, (last, frame), travels, true);
    }
    Ok(made)
}

fn closed_by(
    clip: &Clip,
    how: Closing,
    (last, frame): (f32, f64),
    travels: Option<Carrier>,
    unseen: bool,
) -> Result<Clip, TooClose> {
    let mut made = clip.clone();
    for track in made.tracks.values_mut().filter(|t| t.times.len() > 1) {
        let carrier = travels.filter(|c| c.node == track.target);
        let closed = match how {
            Closing::AddFrame => with_frame(track, last, frame, carrier),
            Closing::Match if track.interpolation != Interpolation::Step => {
                bent(track, (0.0, last), None, carrier)
            }
            Closing::Blend { frames, speed } if track.interpolation != Interpolation::Step => {
                let from = (f64::from(last) - f64::from(frames.max(1)) * frame).max(0.0) as f32;
                bent(track, (from, last), speed.then_some((frame, unseen)), carrier)
            }
            Closing::Match | Closing::Blend { .. } | Closing::DropFrame => {
                matched(track, last, carrier)
            }
        };
        rising(&closed.times)?;
        let closed = if closed.modes.is_empty() || closed == **track {
            closed
        } else {
            let modes = closed.modes.clone().wrapping(true);
            refreshed(track, Track { modes, ..closed })
        };
        *track = Shared::new(closed);
    }
    Ok(made)
}

/// Returns the target value for the end of a loop: the value at time 0, plus the travel of the
/// carrier. Quaternions get the sign nearest to `near`.
fn aim(track: &Track, near: &[f32], carrier: Option<Carrier>) -> Vec<f32> {
    let mut to = sampled(track, 0.0);
    match (carrier, track.property) {
        (Some(carrier), Property::Translation) if carrier.way != Vec3::ZERO => {
            to = carrier.place_on(Vec3::from_slice(&to), Vec3::from_slice(near)).to_array().into();
        }
        (Some(carrier), Property::Rotation) if carrier.turn != 0.0 => {
            to = carrier.turned_on(Quat::from_slice(&to)).to_array().into();
        }
        _ => {}
    }
    if track.property == Property::Rotation
        && to.iter().zip(near).map(|(a, b)| a * b).sum::<f32>() < 0.0
    {
        to.iter_mut().for_each(|v| *v = -*v);
    }
    to
}

fn matched(track: &Track, last: f32, carrier: Option<Carrier>) -> Track {
    let whole = insert_key(track, last, None, true).track;
    let key = whole.times.len() - 1;
    let to = aim(track, whole.value(key), carrier);
    if to == whole.value(key) { track.clone() } else { whole.with_key(whole.times[key], &to, 0.0) }
}

fn with_frame(track: &Track, last: f32, frame: f64, carrier: Option<Carrier>) -> Track {
    let mut whole = insert_key(track, last, None, true).track;
    let key = whole.times.len() - 1;
    let at = f64::from(last);
    let end = (at + frame) as f32;
    let near: Vec<f32> = match track.property {
        Property::Rotation => whole.value(key).to_vec(),
        // Extrapolate the last frame.
        _ => sampled(track, at)
            .iter()
            .zip(sampled(track, at - frame))
            .map(|(b, a)| b + (b - a))
            .collect(),
    };
    let to = aim(track, &near, carrier);
    if whole.interpolation == Interpolation::CubicSpline {
        let (w, stride) = (whole.width, whole.stride());
        let mut values = whole.values.to_vec();
        // The outer tangents of the last key had no effect before. The curve leaves this key with
        // the slope of its arrival. It arrives at the new key with the slope at the start of the
        // loop.
        let into: Vec<f32> = values[key * stride..key * stride + w].to_vec();
        values[key * stride + 2 * w..].copy_from_slice(&into);
        let out: Vec<f32> = values[2 * w..3 * w].to_vec();
        values.extend(out.iter().chain(&to).chain(&out));
        let times = whole.times.iter().copied().chain([end]).collect();
        whole = Track { times, values: values.into(), ..whole };
        return whole;
    }
    whole.with_key(end, &to, 0.0)
}

/// Blends the keys between two times toward the value at time 0. If `speed` is given, the speed is
/// matched, too. It has the frame length in seconds, and a flag for matching invisible differences
/// of speed.
///
/// The added curve `d(u) = Δ·(3u² − 2u³) + Δv·T·(u³ − u²)` starts with value 0 and slope 0.
fn bent(
    track: &Track,
    (from, last): (f32, f32),
    speed: Option<(f64, bool)>,
    carrier: Option<Carrier>,
) -> Track {
    let stop = sampled(track, f64::from(last));
    let to = aim(track, &stop, carrier);
    let frame = speed.map(|(frame, _)| frame);
    let counts = |v: &[f32], (f, unseen): (f64, bool)| {
        is_seen(v, track, last, f) || (unseen && is_any(v, track, last, f))
    };
    let faster =
        speed.map(|s| (faster(track, last, s.0), s)).filter(|(v, s)| counts(v, *s)).map(|(v, _)| v);
    if to == stop && faster.is_none() {
        return track.clone();
    }
    let mut whole = insert_key(&insert_key(track, from, None, true).track, last, None, true).track;
    if let (Some(frame), Some(_), Interpolation::Linear) = (frame, &faster, track.interpolation) {
        // A linear segment has no slope of its own at the end. Insert a key on each frame.
        let mut at = f64::from(last) - frame;
        while at > f64::from(from) + 0.5 * frame {
            let near = whole.times.iter().any(|t| (f64::from(*t) - at).abs() < 0.5 * frame);
            if !near {
                whole = insert_key(&whole, at as f32, None, true).track;
            }
            at -= frame;
        }
    }
    let span = f64::from(last) - f64::from(from);
    let (w, stride, cubic) =
        (whole.width, whole.stride(), whole.interpolation == Interpolation::CubicSpline);
    let turn = (track.property == Property::Rotation).then(|| {
        short_way(Quat::from_slice(&stop).conjugate() * Quat::from_slice(&to)).to_scaled_axis()
    });
    // The curve added over the last frame must equal the whole difference of speed.
    let gap: Vec<f32> = turn.map_or_else(
        || to.iter().zip(&stop).map(|(a, b)| a - b).collect(),
        |t| t.to_array().into(),
    );
    let rates: Vec<f32> = match (faster, frame) {
        (Some(faster), Some(frame)) if span > 1.5 * frame => {
            let n = (frame / span) as f32;
            let (moved, left) = ((3.0 - 2.0 * n) * n * n / frame as f32, (1.0 - n) * (1.0 - n));
            faster.iter().zip(&gap).map(|(v, gap)| (v - gap * moved) / left).collect()
        }
        _ => vec![0.0; gap.len()],
    };
    let mut values = whole.values.to_vec();
    for (key, time) in whole.times.iter().enumerate().filter(|(_, t)| **t > from) {
        let u = ((f64::from(*time) - f64::from(from)) / span).clamp(0.0, 1.0) as f32;
        // Value and slope of the blend curve, which eases in and out.
        let (part, slope) = (u * u * (3.0 - 2.0 * u), 6.0 * u * (1.0 - u) / span as f32);
        let (more_part, more_slope) = (u * u * (u - 1.0) * span as f32, u * (3.0 * u - 2.0));
        let value = whole.value(key).to_vec();
        let own = &mut values[key * stride..(key + 1) * stride];
        let at = if cubic { w } else { 0 };
        match turn {
            Some(turn) => {
                let rates = Vec3::from_slice(&rates);
                let by = Quat::from_scaled_axis(turn * part + rates * more_part);
                let made = Quat::from_slice(&value) * by;
                let rate = (turn * slope + rates * more_slope) * 0.5;
                let more = made * Quat::from_xyzw(rate.x, rate.y, rate.z, 0.0);
                for tangent in if cubic { vec![0, 2 * w] } else { Vec::new() } {
                    let bent = Quat::from_slice(&own[tangent..tangent + w]) * by + more;
                    own[tangent..tangent + w].copy_from_slice(&bent.to_array());
                }
                own[at..at + w].copy_from_slice(&made.to_array());
            }
            None => {
                for k in 0..w {
                    own[at + k] += gap[k] * part + rates[k] * more_part;
                    if cubic {
                        let more = gap[k] * slope + rates[k] * more_slope;
                        own[k] += more;
                        own[2 * w + k] += more;
                    }
                }
            }
        }
        if u >= 1.0 {
            let exact = aim(track, &own[at..at + w], carrier);
            own[at..at + w].copy_from_slice(&exact);
        }
    }
    Track { values: values.into(), ..whole }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{
        super::{
            MotionError, Seam, seam,
            tests::{any_track, whip},
        },
        *,
    };
    use ulna_model::{NodeId, TrackId};

    /// Difference of a track between its start and its end.
    fn gap_of(track: &Track, last: f32) -> MotionError {
        let held = Track {
            times: [0.0].into(),
            values: sampled(track, 0.0).into(),
            interpolation: Interpolation::Linear,
            ..track.clone()
        };
        MotionError::between(track, &held, f64::from(last))
    }

    proptest! {
        #[test]
        fn closing_a_loop_matches_its_ends_and_keeps_the_earlier_motion(track in any_track(),
            frames in 1u32..6, which in 0usize..4) {
            prop_assume!(track.times.len() > 1);
            let clip = Clip { tracks: [(TrackId(0), Shared::new(track.clone()))].into(),
                ..Clip::default() };
            let last = clip.length();
            let frame = f64::from(last) / 8.0;
            let how = [
                Closing::Match,
                Closing::Blend { frames, speed: false },
                Closing::AddFrame,
                Closing::Blend { frames, speed: true },
            ][which];
            let made = closed(&clip, how, frame, None).unwrap();
            let now = &made.tracks[&TrackId(0)];
            prop_assert!(now.validate().is_ok(), "{:?}", now);
            let gap = gap_of(now, made.length());
            prop_assert!(gap.angle < 1e-3 && gap.value < 1e-4, "{:?}", gap);
            // Keys before the blended frames are unchanged.
            let free = match how {
                Closing::Blend { .. } if track.interpolation != Interpolation::Step =>
                    f64::from(last) - f64::from(frames) * frame,
                Closing::AddFrame => f64::from(last),
                Closing::Match if track.interpolation != Interpolation::Step => 0.0,
                _ => f64::from(track.times[track.times.len() - 2]),
            };
            for k in 0..100 {
                let time = (free - 1e-3) * f64::from(k) / 100.0;
                let off = MotionError::between(&track, now, time);
                prop_assert!(off.angle < 4e-4 + whip(&track, time) && off.value < 1e-3,
                    "{:?} at {}: {:?}", how, time, off);
            }
        }
    }

    /// The body has rotated axes, and travels by its hips. Its root has keys but does not move, and
    /// a hand target is listed before the hips. Closing the loop keeps the travel.
    #[test]
    fn closing_a_loop_keeps_the_travel_of_the_body() {
        use ulna_model::{Document, FileContent, Local, Node, Skin, Transform};
        let node = |name: &str, parent: Option<u32>, rest: Transform| Node {
            name: Some(name.into()),
            parent: parent.map(NodeId),
            rest: Local::Trs(rest),
            ..Node::default()
        };
        let at = |x: f32, y: f32, z: f32| Transform {
            translation: Vec3::new(x, y, z),
            ..Transform::IDENTITY
        };
        let lies = Transform {
            scale: Vec3::splat(0.01),
            ..Transform::from_rotation(Quat::from_rotation_x(-1.570_796_4))
        };
        let nodes = vec![
            node("hand_ik", None, at(0.3, 1.0, 0.0)),
            node("Armature", None, lies),
            node("carrier", Some(1), Transform::IDENTITY),
            node("b1", Some(2), at(0.0, 0.0, 90.0)),
            node("b2", Some(3), at(0.0, 0.0, 60.0)),
        ];
        let joints: Vec<NodeId> = [0, 2, 3, 4].map(NodeId).into();
        let skin = Skin {
            name: None,
            inverse_bind: vec![glam::Mat4::IDENTITY; joints.len()].into(),
            joints: joints.into(),
            has_inverse_bind: false,
        };
        let document: Document = FileContent {
            nodes: nodes.into(),
            skins: vec![Shared::new(skin)].into(),
            ..FileContent::default()
        }
        .into();
        let frame = 1.0 / 30.0;
        let track = |target: u32, value: &dyn Fn(f32) -> [f32; 3]| {
            let track = Track {
                target: NodeId(target),
                property: Property::Translation,
                interpolation: Interpolation::Linear,
                times: (0..=30).map(|k| k as f32 * frame as f32).collect(),
                values: (0..=30).flat_map(|k| value(k as f32 / 30.0)).collect(),
                width: 3,
                kinds: Default::default(),
                modes: Default::default(),
            };
            (TrackId(target), Shared::new(track))
        };
        // Two meters along the scene's z, which is −y of the armature, and 5 cm lower at the end.
        let tracks = [
            track(0, &|u| [0.3 + 0.1 * u, 1.0, 0.0]),
            track(2, &|_| [0.0; 3]),
            track(3, &|u| [0.0, -200.0 * u, 90.0 - 5.0 * u]),
        ];
        let clip = Clip { tracks: tracks.into(), ..Clip::default() };
        let found = seam(&document, &clip, frame).unwrap();
        assert_eq!(found.travels.map(|c| c.node), Some(NodeId(3)));
        let gap =
            |seam: &Seam, n: u32| seam.gaps.iter().find(|g| g.node == NodeId(n)).unwrap().distance;
        assert!((gap(&found, 3) - 0.05).abs() < 1e-4, "{:?}", found.gaps);
        for how in [Closing::Match, Closing::Blend { frames: 5, speed: true }] {
            let made = closed(&clip, how, frame, found.travels).unwrap();
            let end = sampled(&made.tracks[&TrackId(3)], 1.0);
            assert!((end[1] + 200.0).abs() < 1e-2 && (end[2] - 90.0).abs() < 1e-3, "{end:?}");
            assert!(gap(&seam(&document, &made, frame).unwrap(), 3) < 1e-4);
        }
    }

    #[test]
    fn the_blended_end_of_a_loop_has_the_speed_of_its_start() {
        let frame = 1.0 / 30.0;
        let track = Track {
            target: NodeId(0),
            property: Property::Translation,
            interpolation: Interpolation::Linear,
            times: (0..=30).map(|k| k as f32 * frame as f32).collect(),
            // The track rises at the start, and then falls with increasing speed.
            values: (0..=30)
                .flat_map(|k| [k as f32 * 0.01, 0.02 * k as f32 - 0.002 * (k * k) as f32, 0.0])
                .collect(),
            width: 3,
            kinds: Default::default(),
            modes: Default::default(),
        };
        let clip =
            Clip { tracks: [(TrackId(0), Shared::new(track.clone()))].into(), ..Clip::default() };
        let off = |speed| {
            let made = closed(&clip, Closing::Blend { frames: 8, speed }, frame, None).unwrap();
            let gap = gap_of(&made.tracks[&TrackId(0)], made.length());
            assert!(gap.value < 1e-5, "{gap:?}");
            faster(&made.tracks[&TrackId(0)], made.length(), frame)[1].abs()
        };
        assert!(off(false) > 0.5, "{}", off(false));
        assert!(off(true) < 1e-3, "{}", off(true));
    }

    #[test]
    fn a_missing_or_duplicate_last_frame_is_detected() {
        let turns = |angles: &[f32]| {
            let frame = 1.0 / 30.0;
            Track {
                target: NodeId(0),
                property: Property::Rotation,
                interpolation: Interpolation::Linear,
                times: (0..angles.len()).map(|k| k as f32 * frame).collect(),
                values: angles.iter().flat_map(|a| Quat::from_rotation_x(*a).to_array()).collect(),
                width: 4,
                kinds: Default::default(),
                modes: Default::default(),
            }
        };
        let document = crate::tube::tube(|_| 0.0);
        let clip =
            |t: Track| Clip { tracks: [(TrackId(0), Shared::new(t))].into(), ..Clip::default() };
        let wave: Vec<f32> =
            (0..=30).map(|k| (k as f32 / 30.0 * std::f32::consts::TAU).sin() * 0.5).collect();
        let frame = 1.0 / 30.0;
        let whole = seam(&document, &clip(turns(&wave)), frame).unwrap();
        assert!(whole.is_closed && !whole.is_short && !whole.is_doubled, "{whole:?}");
        let short = clip(turns(&wave[..30]));
        let found = seam(&document, &short, frame).unwrap();
        assert!(found.is_short && !found.is_closed, "{found:?}");
        let mended = closed(&short, Closing::AddFrame, frame, None).unwrap();
        assert_eq!(mended.key_count(), 31);
        assert!(seam(&document, &mended, frame).unwrap().is_closed);
        let doubled = clip(turns(&[&wave[..], &[0.0]].concat()));
        let found = seam(&document, &doubled, frame).unwrap();
        assert!(found.is_doubled, "{found:?}");
        let mended = closed(&doubled, Closing::DropFrame, frame, None).unwrap();
        assert_eq!(mended.key_count(), 31);
        // A loop that eases out of its pose and into it again has no missing and no doubled last
        // frame.
        let eased: Vec<f32> = (0..=60)
            .map(|k| (1.0 - (k as f32 / 60.0 * std::f32::consts::TAU).cos()) * 0.1)
            .collect();
        let found = seam(&document, &clip(turns(&eased)), frame).unwrap();
        assert!(found.is_closed && !found.is_doubled && !found.is_short, "{found:?}");
        // A loop with a jump has no missing and no doubled last frame, either.
        let open: Vec<f32> = wave.iter().enumerate().map(|(k, a)| a + k as f32 * 0.01).collect();
        let found = seam(&document, &clip(turns(&open)), frame).unwrap();
        assert!(!found.is_short && !found.is_doubled && !found.is_closed, "{found:?}");
        assert!((found.worst().0 - 0.3).abs() < 1e-3);
    }
}
