//! Resampling of clips, and key reduction within an error.

use super::{
    commands::{MakeEditable, ReduceKeys, ResampleClip},
    whole::{argument, measured, put, whole},
};
use crate::command::{CommandError, Outcome, Scene};
use ulna_model::{Notice, meant_rate};
use ulna_motion::clip_edit::{editable, reduced, resampled};

impl ResampleClip {
    pub(super) fn work(&self, scene: &Scene<'_>) -> Result<Outcome, CommandError> {
        /// Maximum number of keys per track, which bounds the memory use.
        const MOST_FRAMES: f64 = 2_000_000.0;
        let (id, clip, (first, last)) = whole(scene.document, &self.clip)?;
        // The range is compared in single precision, since 0.01 becomes slightly smaller as a
        // double.
        if !(0.01..=10_000.0).contains(&self.rate) {
            let rate = self.rate;
            return Err(argument(
                "argument_out_of_range",
                format!("“rate” is {rate}, but must be 0.01 to 10000 frames per second"),
            ));
        }
        let rate = meant_rate(f64::from(self.rate));
        let frames = f64::from(last - first) * rate;
        if frames * clip.tracks.len() as f64 > MOST_FRAMES * 16.0 || frames > MOST_FRAMES {
            return Err(argument(
                "too_many_keys",
                format!(
                    "that would be {frames:.0} keys per track, which is too many; choose a lower \
                        “rate”"
                ),
            ));
        }
        let (made, error) = resampled(clip, rate);
        Ok(put(id, made.counted_at(rate), measured(error)))
    }
}

impl ReduceKeys {
    pub(super) fn work(&self, scene: &Scene<'_>) -> Result<Outcome, CommandError> {
        let (id, clip, _) = whole(scene.document, &self.clip)?;
        let bound = self.millimetres.unwrap_or(0.5);
        if !(bound > 0.0 && bound <= 1000.0) {
            return Err(argument(
                "argument_out_of_range",
                format!("“millimetres” is {bound}, but must be greater than 0 and at most 1000"),
            ));
        }
        let made = reduced(scene.document, clip, bound * 1e-3);
        let [before, after] = made.keys;
        if after == before {
            let note = format!("none of its {before} keys can be removed within {bound} mm");
            return Ok(Outcome::noted("no_key_can_go", note));
        }
        let kilobytes = made.bytes.map(|b| b.div_ceil(1024));
        let note = format!(
            "{after} of {before} keys remain, {} of {} KB; max error {:.2} mm on a body 1.8 m tall",
            kilobytes[1],
            kilobytes[0],
            made.error * 1e3
        );
        Ok(put(id, made.clip, [Notice::new("keys_reduced", note)]))
    }
}

impl MakeEditable {
    pub(super) fn work(&self, scene: &Scene<'_>) -> Result<Outcome, CommandError> {
        let (id, clip, _) = whole(scene.document, &self.clip)?;
        let bound = self.millimetres.unwrap_or(2.0);
        if !(bound > 0.0 && bound <= 1000.0) {
            return Err(argument(
                "argument_out_of_range",
                format!("“millimetres” is {bound}, but must be greater than 0 and at most 1000"),
            ));
        }
        let made = editable(scene.document, clip, bound * 1e-3);
        let [before, after] = made.keys;
        let tracks = |n: usize| {
            if n == 1 { "1 track was".to_owned() } else { format!("{n} tracks were") }
        };
        let left = (made.left > 0).then(|| {
            let said = format!(
                "{} left unchanged (splines, or tracks without a key on some frames); use \
                    clip.reduce to remove keys from these",
                tracks(made.left)
            );
            Notice::new("tracks_left", said)
        });
        if after >= before {
            let none = || {
                Notice::new(
                    "no_key_can_go",
                    format!("none of its {before} keys can be removed within {bound} mm"),
                )
            };
            return Ok(Outcome { notes: vec![left.unwrap_or_else(none)], ..Outcome::default() });
        }
        let (between, when) = made.between;
        let between = if between > made.error {
            let warning = if between > 0.05 { "; warning: check the motion there" } else { "" };
            format!(", and between its old keys {:.2} mm, at {when:.2} s{warning}", between * 1e3)
        } else {
            String::new()
        };
        let note = format!(
            "{after} of {before} keys remain, as splines; max error {:.2} mm on a body 1.8 m \
                tall{between}",
            made.error * 1e3
        );
        let notes = [Some(Notice::new("keys_reduced", note)), left];
        Ok(put(id, made.clip, notes.into_iter().flatten()))
    }
}
