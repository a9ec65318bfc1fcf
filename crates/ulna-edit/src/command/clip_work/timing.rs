//! Commands that reverse and retime clips, and set their tick rate and frame rate.

use super::{
    commands::{RetimeClip, ReverseClip, SetRate, SetTicks, StartAtZero},
    whole::{argument, put, put_all, put_mapped, too_close, whole_with_poses},
};
use crate::command::{CommandError, Outcome, Scene, clip_keys::clip_of, clip_layers::layers_of};
use ulna_model::{Clip, Notice, meant_rate};
use ulna_motion::clip_edit::{self, TimeMap, reversed, reversed_layers};

impl ReverseClip {
    pub(super) fn work(&self, scene: &Scene<'_>) -> Result<Outcome, CommandError> {
        let document = scene.document;
        let (id, clip, span) = whole_with_poses(document, &self.clip)?;
        let refuse = |e| too_close(document, id, e);
        let made = reversed(clip).map_err(refuse)?;
        let layers = reversed_layers(&layers_of(document, id), span).map_err(refuse)?;
        let place = |t: f32| Some(span.0 + span.1 - t).filter(|t| *t >= -clip_edit::SAME_TIME);
        Ok(put_all(document, id, (made, layers), place, None))
    }
}

impl RetimeClip {
    pub(super) fn work(&self, scene: &Scene<'_>) -> Result<Outcome, CommandError> {
        let document = scene.document;
        let (id, clip, (_, last)) = whole_with_poses(document, &self.clip)?;
        let above = |name: &str, value: f32| {
            if value.is_finite() && value > 0.0 {
                Ok(f64::from(value))
            } else {
                Err(argument(
                    "argument_out_of_range",
                    format!("“{name}” is {value}, but must be greater than 0"),
                ))
            }
        };
        let scale = match (self.length, self.factor, self.speed) {
            (Some(length), None, None) => {
                let length = above("length", length.0)?;
                if last <= 0.0 {
                    return Err(argument(
                        "clip_has_no_length",
                        "all of its keys are at 0 s, so its length cannot be changed".to_owned(),
                    ));
                }
                length / f64::from(last)
            }
            (None, Some(factor), None) => above("factor", factor)?,
            (None, None, Some(speed)) => 1.0 / above("speed", speed)?,
            _ => {
                return Err(argument(
                    "argument_missing",
                    "exactly one of “length”, “factor” and “speed” is needed".to_owned(),
                ));
            }
        };
        put_mapped(document, (id, clip), &TimeMap { about: 0.0, scale, by: 0.0 }, |_| {})
    }
}

impl SetTicks {
    pub(super) fn work(&self, scene: &Scene<'_>) -> Result<Outcome, CommandError> {
        let document = scene.document;
        let id = self.clip.find(document)?;
        let clip = clip_of(document, id)?;
        let rate = match self.rate {
            None => None,
            Some(rate) if rate.is_finite() && (0.01..=1e6).contains(&rate) => Some(f64::from(rate)),
            Some(rate) => {
                return Err(argument(
                    "argument_out_of_range",
                    format!(
                        "the tick rate {rate} is invalid; use 0.01 to 1000000 ticks per second"
                    ),
                ));
            }
        };
        if rate == clip.ticks {
            return Ok(Outcome::default());
        }
        let scale = match (clip.ticks, rate) {
            (Some(was), Some(now)) if self.retime != Some(false) => was / now,
            (None, Some(_)) if self.retime == Some(true) => {
                return Err(argument(
                    "clip_has_no_ticks",
                    "the clip has no tick rate yet, so its keys cannot stay on their ticks; first \
                        set a tick rate without “retime”"
                        .to_owned(),
                ));
            }
            _ => 1.0,
        };
        let note = |made: &Clip| {
            let length = f64::from(made.length());
            rate.map(|rate| {
                Notice::new(
                    "ticks_set",
                    format!("{:.2} ticks at {rate} per second, {length:.3} s", length * rate),
                )
            })
        };
        if scale == 1.0 {
            let made = Clip { ticks: rate, ..(**clip).clone() };
            let said = note(&made);
            return Ok(put(id, made, said));
        }
        let (_, clip, _) = whole_with_poses(document, &self.clip)?;
        let mut said = None;
        let map = TimeMap { about: 0.0, scale, by: 0.0 };
        let mut done = put_mapped(document, (id, clip), &map, |made| {
            made.ticks = rate;
            said = note(made);
        })?;
        done.notes.extend(said);
        Ok(done)
    }
}

impl SetRate {
    pub(super) fn work(&self, scene: &Scene<'_>) -> Result<Outcome, CommandError> {
        let id = self.clip.find(scene.document)?;
        let clip = clip_of(scene.document, id)?;
        let made = match self.rate {
            None => Clip { rate: None, ..(**clip).clone() },
            Some(rate) if rate.is_finite() && (0.1..=10_000.0).contains(&rate) => {
                (**clip).clone().counted_at(meant_rate(f64::from(rate)))
            }
            Some(rate) => {
                return Err(argument(
                    "argument_out_of_range",
                    format!("“rate” is {rate}, but must be 0.1 to 10000 frames per second"),
                ));
            }
        };
        if made.rate == clip.rate {
            return Ok(Outcome::default());
        }
        Ok(put(id, made, None))
    }
}

impl StartAtZero {
    pub(super) fn work(&self, scene: &Scene<'_>) -> Result<Outcome, CommandError> {
        let (id, clip, (first, _)) = whole_with_poses(scene.document, &self.clip)?;
        if first == 0.0 {
            return Ok(Outcome::noted("nothing_to_change", "its first key is already at 0"));
        }
        put_mapped(scene.document, (id, clip), &TimeMap::shift(-f64::from(first)), |_| {})
    }
}

/// Returns the length of a clip's frame, in seconds, by the first of these that is available: its
/// stored rate, the rate that fits its keys, the median key distance in the track with the most
/// keys, 1/30.
pub fn frame_of(clip: &Clip) -> f64 {
    /// Minimum fraction of keys that must be on frames for a rate to fit.
    const FIT: f32 = 0.9;
    if let Some(rate) = clip.rate {
        return 1.0 / rate;
    }
    if let Some((fps, _)) = clip.guess_fps().filter(|(_, share)| *share >= FIT) {
        return 1.0 / fps;
    }
    let fullest = clip.tracks.values().max_by_key(|t| t.times.len());
    let mut gaps: Vec<f32> =
        fullest.iter().flat_map(|t| t.times.windows(2).map(|w| w[1] - w[0])).collect();
    gaps.sort_by(f32::total_cmp);
    gaps.get(gaps.len() / 2).map_or(1.0 / 30.0, |gap| f64::from(*gap))
}
