//! Baking of a mix to a clip, and measurement of the error.

use super::{Mixer, lanes::moved_by_layers};
use crate::{Evaluator, Pose, SeenPoints, Stack};
use ulna_model::{
    Clip, ClipId, Document, Interpolation, LayerHome, Local, Mix, MixBar, MixLane, NodeId,
    Property, Shared, Track, TrackId,
};

/// Bakes the mix between two times to a clip with one key per frame, at `rate` frames per second.
///
/// Quaternions have consistent signs. Components that the mix does not drive have no track.
pub fn baked(document: &Document, mix: &Shared<Mix>, (from, to): (f64, f64), rate: f64) -> Clip {
    let count = ((to - from) * rate).round().max(1.0) as usize;
    let times: Vec<f32> =
        (0..=count).map(|k| ((to - from) * k as f64 / count as f64) as f32).collect();
    let driven: Vec<(NodeId, Property, usize)> = {
        let bars = mix.lanes.iter().filter(|l| l.on).flat_map(|l: &MixLane| &l.bars);
        let clips: Vec<ClipId> = bars.flat_map(MixBar::clips).copied().collect();
        let pointed = |c: &Shared<Clip>| {
            c.pointers.iter().filter_map(|p| p.track.clone()).collect::<Vec<_>>()
        };
        let all =
            |c: &Shared<Clip>| c.tracks.values().cloned().chain(pointed(c)).collect::<Vec<_>>();
        let tracks = clips.iter().filter_map(|id| document.clips.get(*id)).flat_map(all);
        let layered = clips
            .iter()
            .flat_map(|id| moved_by_layers(&document.aids.layers(LayerHome::Clip(*id))));
        let mut all: Vec<_> =
            tracks.map(|t| (t.target, t.property, t.width)).chain(layered).collect();
        all.sort_unstable();
        all.dedup_by_key(|(node, property, _)| (*node, *property));
        all
    };
    let mut values: Vec<Vec<f32>> = vec![Vec::with_capacity(times.len() * 4); driven.len()];
    let (mut mixer, mut evaluator, mut pose) =
        (Mixer::default(), Evaluator::default(), Pose::default());
    for k in 0..times.len() {
        // The key's own time may be rounded up past the end of the mix, so it is not used.
        let time = (from + (to - from) * k as f64 / count as f64).min(to);
        evaluator.update(document, &mixer.stack(document, mix, time), &mut pose);
        for ((node, property, width), values) in driven.iter().zip(&mut values) {
            let local = pose.local.get(node.index()).map(Local::transform).unwrap_or_default();
            match property {
                Property::Translation => values.extend(local.translation.to_array()),
                Property::Scale => values.extend(local.scale.to_array()),
                Property::Rotation => {
                    let turn = local.rotation;
                    let before =
                        values.len().checked_sub(4).map(|at| glam::Quat::from_slice(&values[at..]));
                    let turn = if before.is_some_and(|b| b.dot(turn) < 0.0) { -turn } else { turn };
                    values.extend(turn.to_array());
                }
                Property::Weights => {
                    let found = pose.morphs.get(node.index()).filter(|m| m.len() == *width);
                    values.extend(found.cloned().unwrap_or_else(|| vec![0.0; *width]));
                }
            }
        }
    }
    let shared: ulna_model::Slice<f32> = times.into();
    let tracks = driven.into_iter().zip(values).enumerate().map(
        |(k, ((target, property, width), values))| {
            let interpolation = Interpolation::Linear;
            let (times, values) = (shared.clone(), values.into());
            let track = Track {
                target,
                property,
                interpolation,
                times,
                values,
                width,
                kinds: Default::default(),
                modes: Default::default(),
            };
            (TrackId(k as u32), Shared::new(track))
        },
    );
    Clip { tracks: tracks.collect(), ..Clip::default() }
}

/// Measures the largest distance of a skin point between a clip and the mix between two times, in
/// meters. It is measured on the frames and midway between them.
pub fn baked_error(
    document: &Document,
    mix: &Shared<Mix>,
    (from, to): (f64, f64),
    clip: &Shared<Clip>,
    (seen, rate): (&SeenPoints, f64),
) -> f32 {
    let count = ((to - from) * rate).round().max(1.0) as usize;
    let (mut mixer, mut evaluators) =
        (Mixer::default(), [Evaluator::default(), Evaluator::default()]);
    let mut poses = [Pose::default(), Pose::default()];
    let mut worst = 0.0f32;
    for k in 0..=2 * count {
        let at = (to - from) * k as f64 / (2 * count) as f64;
        evaluators[0].update(
            document,
            &mixer.stack(document, mix, (from + at).min(to)),
            &mut poses[0],
        );
        evaluators[1].update(document, &Stack::of(Some(clip), at), &mut poses[1]);
        worst = worst.max(seen.apart(&poses[0], &poses[1]));
    }
    worst
}
