//! Commands that ease between keys and apply sliders to keys.

use super::{
    commands::{EaseKeys, SlideKeys},
    words::EaseName,
};
use crate::command::{
    CommandError, Outcome, Scene,
    error::refuse,
    key_edits::{
        components::space_of,
        targets::{KeyTargets, count, nothing, said},
    },
};
use ulna_model::{KeySet, KeyTimes, Notice, Track, TrackId};
use ulna_motion::{
    clip_edit::MotionError,
    curves::{ChosenComponents, CurveSpace, Ease, EaseShape, EaseWay, eased, eased_spans, slid},
};

/// Groups the keys of a track by the components to change. `None` means all components.
pub(super) fn parts_of(
    keys: &KeySet,
    id: TrackId,
    track: &Track,
    space: CurveSpace,
) -> Vec<(KeyTimes, Option<Vec<u16>>)> {
    if keys.parts_of(id).next().is_none() {
        return vec![(keys.of_track(id).to_vec().into(), None)];
    }
    let components = if space == CurveSpace::Stored { track.width } else { 3 };
    let mut groups: Vec<(KeyTimes, Vec<u16>)> = Vec::new();
    for component in 0..components as u16 {
        let times = keys.times_of(id, component);
        match groups.iter_mut().find(|(t, _)| *t == times) {
            _ if times.is_empty() => {}
            Some((_, list)) => list.push(component),
            None => groups.push((times, vec![component])),
        }
    }
    let all = |list: Vec<u16>| (list.len() < components).then_some(list);
    groups.into_iter().map(|(times, list)| (times, all(list))).collect()
}

/// Returns an argument if it is within its range, or else an error.
pub(super) fn within(
    name: &str,
    value: f32,
    (least, most): (f32, f32),
) -> Result<f64, CommandError> {
    if (least..=most).contains(&value) {
        return Ok(f64::from(value));
    }
    refuse("argument_out_of_range", format!("“{name}” is {value}, but must be {least} to {most}"))
}

/// Maximum product of segments and keys in a channel. Easing one segment takes time proportional to
/// the number of keys.
const MOST_EASED: usize = 30_000_000;

impl EaseKeys {
    fn ease(&self) -> Result<Ease, CommandError> {
        let curve = self.curve.as_ref().map(|c| &c.0[..]);
        let shape = match (self.shape.shape(), curve) {
            (Some(shape), _) => shape,
            (None, Some(&[x1, y1, x2, y2]))
                if (0.0..=1.0).contains(&x1) && (0.0..=1.0).contains(&x2) =>
            {
                EaseShape::Bezier([x1, y1, x2, y2])
            }
            _ => {
                return refuse(
                    "no_ease_curve",
                    "a custom ease needs “curve” with 4 numbers x1, y1, x2, y2; x1 and x2 must be \
                        0 to 1",
                );
            }
        };
        let amount = within("amount", self.amount.unwrap_or(1.0), (0.0, Ease::MOST as f32))?;
        Ok(Ease { shape, way: self.way.map_or(EaseWay::InOut, EaseWay::from), amount })
    }

    pub(super) fn work(&self, scene: &Scene<'_>) -> Result<Outcome, CommandError> {
        let meant = KeyTargets::or_all(scene, &self.clip, &self.which)?;
        let ease = self.ease()?;
        let mut done = EaseCounts::default();
        let mut edits = Vec::new();
        let mut keys = meant.keys.clone();
        for (id, old, _) in meant.tracks() {
            let mut track = (**old).clone();
            let spans = done.spans;
            let space = space_of((id, old), &meant.keys, self.order);
            for (times, components) in parts_of(&meant.keys, id, old, space) {
                let chosen = components.as_deref().map(|list| ChosenComponents { list, space });
                if times.len().saturating_mul(old.times.len()) > MOST_EASED {
                    let message = format!(
                        "{} of {} keys of a channel are too many to ease; select fewer keys, or \
                            reduce the keys first",
                        times.len(),
                        old.times.len()
                    );
                    return refuse("too_many_to_ease", message);
                }
                // Works backward, so that added keys do not shift the segments still to be eased.
                for start in eased_spans(&track, &times).into_iter().rev() {
                    let Some(key) = track.key_at(start, 0.0) else { continue };
                    let made = eased(&track, key, &ease, chosen);
                    done.add(&made);
                    track = made.track;
                }
            }
            if done.spans == spans {
                continue;
            }
            done.splines += usize::from(track.interpolation != old.interpolation);
            if track != **old {
                edits.push(meant.edit(id, Some(track)));
            }
        }
        if done.spans == 0 {
            return refuse(
                "no_span_between_keys",
                "there are no two neighboring keys of one channel among the keys; select both \
                    ends of each segment to ease",
            );
        }
        // Keys that an earlier ease added can be gone now.
        if let Some(left) = after(&meant, &edits) {
            keys = keys.there(&left);
        }
        Ok(Outcome {
            edits,
            notes: done.in_words(self.shape),
            keys: Some((meant.id, keys)),
            ..Outcome::default()
        })
    }
}

/// Returns the clip with edited tracks. `None` if an edit does more than replace a track.
fn after(meant: &KeyTargets<'_>, edits: &[crate::Edit]) -> Option<ulna_model::Clip> {
    let mut clip = (**meant.clip).clone();
    for edit in edits {
        let crate::Edit::SetTrack { track, to: Some(to), .. } = edit else { return None };
        clip.tracks.insert(*track, to.clone());
    }
    Some(clip)
}

/// Totals over the eased segments.
#[derive(Default)]
struct EaseCounts {
    spans: usize,
    added: usize,
    removed: usize,
    splines: usize,
    error: f64,
    others: MotionError,
}

impl EaseCounts {
    fn add(&mut self, made: &ulna_motion::curves::Eased) {
        self.spans += 1;
        self.added += made.added;
        self.removed += made.removed;
        self.error = self.error.max(made.error);
        self.others = self.others.or(made.others);
    }

    fn in_words(&self, shape: EaseName) -> Vec<Notice> {
        let eased = (self.added > 0 || self.removed > 0).then(|| {
            let of = count(self.spans, "segment");
            let before = match self.removed {
                0 => String::new(),
                n => format!(", and {} of an earlier ease removed", count(n, "key")),
            };
            let label = shape.label();
            Notice::new(
                "keys_added",
                format!(
                    "{} added for {of} with the ease “{label}”{before}",
                    count(self.added, "key")
                ),
            )
        });
        // Smaller errors are not reported: two neighboring keys can differ by almost 180°.
        let off = (self.error > 0.01).then(|| {
            let percent = self.error * 100.0;
            Notice::new("ease_differs", format!("the ease is off by up to {percent:.1} %"))
        });
        let splines = (self.splines > 0).then(|| {
            let tracks = count(self.splines, "channel");
            let off = self.others.in_words().map_or_else(String::new, |o| format!("; {o}"));
            Notice::new(
                "channels_became_splines",
                format!("{tracks} changed to smooth interpolation, other segments kept{off}"),
            )
        });
        said([eased, splines, off])
    }
}

impl SlideKeys {
    pub(super) fn work(&self, scene: &Scene<'_>) -> Result<Outcome, CommandError> {
        let meant = KeyTargets::of(scene, &self.clip, &self.which)?;
        let amount = within("amount", self.amount, (-1.0, 1.0))?;
        if meant.keys.is_empty() {
            return Ok(nothing("moved"));
        }
        let mut edits = Vec::new();
        let mut alone = 0;
        for (id, old, _) in meant.tracks() {
            let mut track = (**old).clone();
            let space = space_of((id, old), &meant.keys, self.order);
            for (times, components) in parts_of(&meant.keys, id, old, space) {
                let chosen = components.as_deref().map(|list| ChosenComponents { list, space });
                track = slid(&track, &times, self.how.into(), amount, chosen);
            }
            alone += usize::from(old.times.len() < 2);
            if track != **old {
                edits.push(meant.edit(id, Some(track)));
            }
        }
        let none = edits.is_empty() && amount != 0.0 && alone > 0;
        let note = none.then(|| {
            Notice::new(
                "no_neighbor_keys",
                "nothing changed, because these channels have no other keys to slide between",
            )
        });
        Ok(Outcome { edits, notes: said([note]), ..Outcome::default() })
    }
}
