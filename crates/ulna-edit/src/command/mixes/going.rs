//! Commands that add clips to the mix: a transition, or an overlay on the upper body.

use super::{
    commands::{GoTo, GoWhen, PlayOver},
    kept::{mix_of, put},
    text::sentence,
};
use crate::command::{CommandError, Outcome, Scene, clip_keys::clip_of};
use ulna_model::{ClipId, Document, Enter, InStep, Mix, MixBar, MixLane, MixMask, Shared};
use ulna_motion::{Mixer, Playing, best_seams};

impl GoTo {
    pub(super) fn work(&self, scene: &Scene<'_>) -> Result<Outcome, CommandError> {
        let document = scene.document;
        let clip = self.clip.find(document)?;
        let length = f64::from(clip_of(document, clip)?.length());
        let mut mix = (*mix_of(document).unwrap_or_default()).clone();
        let covers = |l: &MixLane| {
            l.additive.is_none() && self.lane.as_ref().is_none_or(|name| *name == *l.name)
        };
        let lane = match (mix.lanes.iter().position(covers), &self.lane) {
            (Some(at), _) => at,
            (None, Some(name)) => {
                return Err(sentence(
                    "no_such_lane",
                    format!("there is no lane “{name}” without additive blending"),
                ));
            }
            (None, None) => {
                mix.lanes.insert(0, MixLane::new("Body"));
                0
            }
        };
        let now = f64::from(self.time.0);
        if !now.is_finite() || now < 0.0 {
            return Err(sentence(
                "argument_out_of_range",
                format!("“time” is {now} s, but must be 0 s or more"),
            ));
        }
        let (start, enters) = self.when_of(document, &mix, lane, now, clip);
        let fade = f64::from(self.fade.map_or(0.25, |f| f.0));
        let bars = &mut mix.lanes[lane].bars;
        let fade = if bars.is_empty() { 0.0 } else { fade };
        let by_seam = self.when == Some(GoWhen::Seam);
        let in_step = bars
            .iter()
            .rfind(|b| b.start <= start && b.end() >= start)
            .map_or(InStep::Free, |b| b.in_step);
        // Synchronized playback would not start at the matching time.
        let in_step = if by_seam { InStep::Free } else { in_step };
        let ends =
            bars.iter().map(MixBar::end).fold(start + length.max(0.5) * 2.0 + fade, f64::max);
        let enter = self.how.map_or(Enter::Fade, Enter::from);
        let offset = enters;
        bars.push(MixBar {
            fade_in: fade,
            enter,
            in_step,
            offset,
            ..MixBar::new(clip, start, ends - start)
        });
        match mix.fault() {
            Some(fault) => Err(sentence("mix_unsound", fault)),
            None => Ok(put(mix)),
        }
    }

    /// Returns the start of the transition in the mix, and the time at which the new clip starts.
    /// Both are in seconds. The start depends on the clip that plays on the lane.
    fn when_of(
        &self,
        document: &Document,
        mix: &Mix,
        lane: usize,
        now: f64,
        to: ClipId,
    ) -> (f64, f64) {
        let shared = Shared::new(mix.clone());
        let playing = Mixer::default().playing(document, &shared, now);
        let heaviest =
            playing.iter().filter(|p| p.lane == lane).max_by(|a, b| a.weight.total_cmp(&b.weight));
        let Some((playing, clip)) = heaviest.and_then(|p| Some((p, document.clips.get(p.clip)?)))
        else {
            return (now, 0.0);
        };
        let length = f64::from(clip.length());
        if length <= 0.0 {
            return (now, 0.0);
        }
        let once = !mix.lanes[lane].bars[playing.bar].repeat;
        let mut enters = 0.0;
        let left = match self.when.unwrap_or(GoWhen::Now) {
            GoWhen::Now => 0.0,
            GoWhen::End => length - playing.time,
            GoWhen::Marker => {
                let marks = clip.markers.iter().map(|m| f64::from(m.time) - playing.time);
                // A clip that plays once does not reach markers behind the playhead again.
                let ahead = marks.filter(|m| !once || *m >= 0.0).map(|m| m.rem_euclid(length));
                let ahead = ahead.fold(f64::INFINITY, f64::min);
                if ahead.is_finite() { ahead } else { length - playing.time }
            }
            GoWhen::Seam => match best_seams(document, &[playing.clip], &[to], &|_| true).first() {
                Some(seam) => {
                    enters = seam.enter;
                    let ahead = seam.leave - playing.time;
                    // A clip that plays once does not reach an earlier time again.
                    if once && ahead < 0.0 { 0.0 } else { ahead.rem_euclid(length) }
                }
                None => 0.0,
            },
        };
        (when_gone(document, &shared, (lane, playing), (now, length, left)), enters)
    }
}

/// Returns the time of the mix at which a clip has advanced by `left` of its own seconds. The
/// clip's current speed is included. Returns the latest reached time if the clip stops.
fn when_gone(
    document: &Document,
    mix: &Shared<Mix>,
    (lane, playing): (usize, &Playing),
    (now, length, left): (f64, f64, f64),
) -> f64 {
    /// Maximum duration to search, in seconds of the mix.
    const LONGEST: f64 = 120.0;
    const STEP: f64 = 1.0 / 60.0;
    let mut mixer = Mixer::default();
    let mut time_at = |time: f64| {
        let all = mixer.playing(document, mix, time);
        let same = |p: &&Playing| (p.lane, p.bar, p.clip) == (lane, playing.bar, playing.clip);
        all.iter().find(same).map(|p| p.time)
    };
    let (mut at, mut was, mut gone) = (now, playing.time, 0.0);
    while at < now + LONGEST && left > gone {
        let Some(time) = time_at(at + STEP) else { return at };
        let way = time - was;
        let way = if way < -0.5 * length { way + length } else { way };
        if way <= 0.0 {
            return if gone > 0.0 { at } else { now };
        }
        if gone + way >= left {
            return at + STEP * (left - gone) / way;
        }
        (at, was, gone) = (at + STEP, time, gone + way);
    }
    at
}

impl PlayOver {
    /// Whether a clip plays on the lowest lane at a time.
    fn plays(document: &Document, mix: &Mix, (clip, time): (ClipId, f64)) -> bool {
        let lowest = mix.lanes.iter().position(|l| l.additive.is_none());
        let playing = Mixer::default().playing(document, &Shared::new(mix.clone()), time);
        playing.iter().any(|p| Some(p.lane) == lowest && p.clip == clip)
    }

    pub(super) fn work(&self, scene: &Scene<'_>) -> Result<Outcome, CommandError> {
        let document = scene.document;
        let joint = match &self.node {
            None => None,
            Some(nodes) => match nodes.all(document)?[..] {
                [one] => Some(one),
                _ => {
                    return Err(sentence(
                        "one_node_wanted",
                        "name exactly one joint as “node”; the upper clip plays on it and its \
                            descendants"
                            .to_owned(),
                    ));
                }
            },
        };
        let (clip, over) = (self.clip.find(document)?, self.over.find(document)?);
        let lengths = [clip, over].map(|c| clip_of(document, c).map(|c| f64::from(c.length())));
        let [below, above] = lengths;
        let (below, above) = (below?.max(0.1), above?.max(0.1));
        let start = f64::from(self.time.map_or(0.0, |t| t.0)).max(0.0);
        let mut mix = (*mix_of(document).unwrap_or_default()).clone();
        let is_bare = mix.lanes.iter().all(|l| l.bars.is_empty());
        let long = if is_bare { below.max(above) * 2.0 } else { above.max(mix.length() - start) };
        if is_bare {
            mix.lanes = vec![MixLane {
                bars: vec![MixBar::new(clip, 0.0, start + long)],
                ..MixLane::new("Body")
            }];
        }
        if !is_bare && !Self::plays(document, &mix, (clip, start)) {
            let ends = mix.length().max(start + long);
            match mix.lanes.iter_mut().find(|l| l.additive.is_none()) {
                Some(lane) => {
                    lane.bars
                        .push(MixBar { fade_in: 0.25, ..MixBar::new(clip, start, ends - start) });
                }
                None => mix.lanes.insert(
                    0,
                    MixLane {
                        bars: vec![MixBar::new(clip, start, ends - start)],
                        ..MixLane::new("Body")
                    },
                ),
            }
        }
        let mask = joint.map_or(MixMask::Upper, |joint| MixMask::Below { joint, falloff: 1 });
        let bar = MixBar { fade_in: 0.15, fade_out: 0.15, ..MixBar::new(over, start, long) };
        let place = mix.lanes.iter().position(|l| l.additive.is_some()).unwrap_or(mix.lanes.len());
        mix.lanes.insert(
            place,
            MixLane { mask: Some(mask), bars: vec![bar], ..MixLane::new("Upper body") },
        );
        Ok(put(mix))
    }
}
