//! Changes the interpolation of tracks without changing the motion, and removes full turns between
//! rotation keys.

use super::{
    commands::{EulerFilter, SetInterpolation},
    targets::{KeyTargets, count, nothing, said},
};
use crate::command::{
    CommandError, Outcome, Scene, field::ClipName, key_words::Between, which_keys::WhichKeys,
};
use ulna_model::{Interpolation, Notice};
use ulna_motion::{
    clip_edit::MotionError,
    curves::{converted, with_continued_signs},
};

/// Totals over converted tracks.
#[derive(Default)]
struct Conversion {
    tracks: usize,
    /// Number of segments that were not selected, in changed tracks.
    others: usize,
    /// Number of tracks that became splines.
    splines: usize,
    added: usize,
    removed: usize,
    error: MotionError,
}

impl SetInterpolation {
    /// Returns a command on whole tracks that does not preserve the motion.
    pub const fn new(clip: ClipName, interpolation: Between, which: WhichKeys) -> Self {
        Self { clip, interpolation, keep_motion: None, spans: None, which }
    }

    /// Whether the command preserves motion: of whole tracks (`keep_motion`), or of the segments
    /// that are not selected (`spans`).
    pub(super) fn keeps(&self) -> bool {
        self.keep_motion.unwrap_or(false) || self.spans.unwrap_or(false)
    }

    /// Converts tracks by [`converted`], with notes about the changes.
    pub(super) fn converted(&self, meant: &KeyTargets<'_>) -> Outcome {
        if meant.keys.is_empty() {
            return nothing("changed");
        }
        let to = self.interpolation.interpolation();
        let spans = self.spans.unwrap_or(false);
        let mut done = Conversion::default();
        let (mut edits, mut single, mut after) = (Vec::new(), 0, (**meant.clip).clone());
        for (id, old, times) in meant.tracks() {
            let made = converted(old, to, spans.then_some(&times[..]));
            single += usize::from(old.times.len() < 2 && to == Interpolation::CubicSpline);
            if made.track == **old {
                continue;
            }
            done.tracks += 1;
            let chosen = times.iter().filter(|t| old.times.last() != Some(*t)).count();
            done.others += (old.times.len() - 1).saturating_sub(chosen);
            let spline = made.track.interpolation == Interpolation::CubicSpline;
            done.splines += usize::from(spline && old.interpolation != Interpolation::CubicSpline);
            done.added += made.added;
            done.removed += made.removed;
            done.error = done.error.or(made.error);
            after.tracks.insert(id, made.track.clone().into());
            edits.push(meant.edit(id, Some(made.track)));
        }
        let notes = said([
            (done.tracks > 0).then(|| Notice::new("interpolation_converted", done.in_words(spans))),
            (done.tracks == 0).then(|| {
                let all = "these tracks and segments have that interpolation already";
                Notice::new("interpolation_unchanged", all)
            }),
            (single > 0).then(|| {
                let tracks = count(single, "track");
                let said = format!(
                    "{tracks} with a single key, which will become smooth when a second key is \
                        added"
                );
                Notice::new("single_key", said)
            }),
        ]);
        // The conversion can remove keys, such as the ends of steps.
        let keys = meant.keys.clone().there(&after);
        Outcome { edits, notes, keys: Some((meant.id, keys)), ..Outcome::default() }
    }
}

impl Conversion {
    fn in_words(&self, spans: bool) -> String {
        let tracks = count(self.tracks, "track");
        let error = self.error.in_words();
        let what = if spans {
            let others = count(self.others, "other segment");
            let stored = if self.splines == 0 { "" } else { " as splines" };
            let off = error.map_or_else(|| ", exactly".to_owned(), |e| format!("; {e}"));
            let rest = format!("; {others} kept their motion{stored}{off}");
            let rest = if self.others == 0 { String::new() } else { rest };
            format!("{tracks} converted after the given keys{rest}")
        } else {
            let error = error.unwrap_or_else(|| "the motion is the same".to_owned());
            format!("{tracks} converted; {error}")
        };
        let keys = |n: usize, done: &str| match n {
            0 => String::new(),
            n => format!("; {} {done}", count(n, "key")),
        };
        format!("{what}{}{}", keys(self.added, "added"), keys(self.removed, "removed"))
    }
}

impl EulerFilter {
    /// Changes the signs of quaternions, but no rotations at keys.
    pub(super) fn work(&self, scene: &Scene<'_>) -> Result<Outcome, CommandError> {
        let meant = KeyTargets::or_all(scene, &self.clip, &self.which)?;
        let (mut edits, mut keys, mut error) = (Vec::new(), 0, MotionError::default());
        for (id, old, _) in meant.tracks() {
            let made = with_continued_signs(old);
            if made.changed > 0 {
                keys += made.changed;
                error = error.or(made.error);
                edits.push(meant.edit(id, Some(made.track)));
            }
        }
        if edits.is_empty() {
            let said = "no key changed; there are no full turns between rotation keys";
            return Ok(Outcome::noted("no_full_turns", said));
        }
        let between = match error.angle {
            0.0 => "the motion is the same".to_owned(),
            angle => format!("the motion between keys changed by up to {:.1}°", angle.to_degrees()),
        };
        let said = format!(
            "{} of {} changed sign; the rotations at keys are the same, {between}",
            count(keys, "key"),
            count(edits.len(), "channel")
        );
        Ok(Outcome { edits, notes: vec![Notice::new("signs_changed", said)], ..Outcome::default() })
    }
}
