//! Commands that trim, split and join clips.

use super::{
    commands::{JoinClip, SplitClip, TrimClip},
    timing::frame_of,
    whole::{argument, as_new, measured, put, put_all, too_close, whole_with_poses},
};
use crate::{
    Edit,
    command::{
        CommandError, Outcome, Scene,
        clip_layers::{copy_unkeyed, layers_of, move_unkeyed, numbered, with_layers},
        clips::free_clip_name,
    },
};
use ulna_model::{Clip, ClipId, Document, Notice, PoseLayers, Shared};
use ulna_motion::clip_edit::{
    self, MotionError, joined, joined_layers, new_jump, part_of, part_of_layers,
};

/// Returns the part of a clip and its layers between two times in ascending order.
fn part(
    document: &Document,
    (id, clip): (ClipId, &Clip),
    (from, to): (f32, f32),
    exact: bool,
) -> Result<(Clip, PoseLayers, MotionError), CommandError> {
    if !from.is_finite() || !to.is_finite() || from < 0.0 || to <= from + clip_edit::SAME_TIME {
        return Err(argument(
            "time_out_of_clip",
            format!("“from” is {from} s and “to” is {to} s, but “to” must be after “from”"),
        ));
    }
    let refuse = |e| too_close(document, id, e);
    let (made, error) = part_of(clip, from, to, exact).map_err(refuse)?;
    let (layers, of_layers) =
        part_of_layers(&layers_of(document, id), (from, to), exact).map_err(refuse)?;
    Ok((made, layers, error.or(of_layers)))
}

/// Returns a function that maps times of a clip to times of a part of it. Times outside the part
/// map to `None`.
fn in_part((from, to): (f32, f32)) -> impl Fn(f32) -> Option<f32> {
    let near = clip_edit::SAME_TIME;
    move |t| (from - near..=to + near).contains(&t).then(|| t.clamp(from, to) - from)
}

impl TrimClip {
    pub(super) fn work(&self, scene: &Scene<'_>) -> Result<Outcome, CommandError> {
        let document = scene.document;
        let (id, clip, (_, last)) = whole_with_poses(document, &self.clip)?;
        let range = (self.from.0, self.to.map_or(last, |t| t.0.min(last)));
        let (made, layers, error) = part(document, (id, clip), range, self.exact.unwrap_or(true))?;
        Ok(put_all(document, id, (made, layers), in_part(range), measured(error)))
    }
}

impl SplitClip {
    pub(super) fn work(&self, scene: &Scene<'_>) -> Result<Outcome, CommandError> {
        let document = scene.document;
        let (id, clip, (_, last)) = whole_with_poses(document, &self.clip)?;
        let at = self.time.0;
        if at >= last - clip_edit::SAME_TIME || at <= clip_edit::SAME_TIME {
            return Err(argument(
                "time_out_of_clip",
                format!("{at} s is not inside the clip; move the playhead between 0 and {last} s"),
            ));
        }
        let (first, layers, a) = part(document, (id, clip), (0.0, at), true)?;
        let (second, later, b) = part(document, (id, clip), (at, last), true)?;
        let name =
            self.name.clone().unwrap_or_else(|| free_clip_name(document, &document.clip_label(id)));
        let mut done = put(id, first, measured(a.or(b)));
        done.edits.extend(with_layers(document, id, layers));
        let next = document.clips.next_id();
        let second = as_new(second, &name).at_rate_of(clip);
        done.edits.push(Edit::SetClip { clip: next, to: Some(Shared::new(second)) });
        done.edits.extend(with_layers(document, next, numbered(document, &later)));
        // An unkeyed pose at the cut belongs to both clips, and a pose after the end to the second
        // one.
        let to_second = |t: f32| (t >= at - clip_edit::SAME_TIME).then(|| (t - at).max(0.0));
        done.edits.extend(copy_unkeyed(document, (id, next), to_second));
        done.edits.extend(move_unkeyed(document, id, in_part((0.0, at))).0);
        Ok(done)
    }
}

impl JoinClip {
    pub(super) fn work(&self, scene: &Scene<'_>) -> Result<Outcome, CommandError> {
        let document = scene.document;
        let (id, first, _) = whole_with_poses(document, &self.clip)?;
        let (other, second, _) = whole_with_poses(document, &self.with)?;
        let gap = self.gap.map_or(0.0, |g| g.0);
        if !gap.is_finite() || gap < 0.0 {
            return Err(argument(
                "argument_out_of_range",
                format!("“gap” is {gap} s, but must be 0 or more"),
            ));
        }
        let made = joined(document, first, second, gap).map_err(|e| too_close(document, id, e))?;
        let tracks = |n: usize| if n == 1 { "1 track".to_owned() } else { format!("{n} tracks") };
        let jumps = (made.jumps > 0).then(|| {
            Notice::new(
                "tracks_jump",
                format!("{} with a jump where the clips meet", tracks(made.jumps)),
            )
        });
        let frame = frame_of(first).max(1e-3);
        let jump = new_jump(document, &[first, second], &made.clip, frame)
            .map(|j| Notice::new("motion_jumps", j.in_words(document)));
        let lists = [id, other].map(|id| layers_of(document, id));
        let ends = [first, second].map(|clip| clip.length());
        let ids = (document.aids.free_pose_layer(), self.name.is_none());
        let layers = joined_layers([&lists[0], &lists[1]], ends, gap, ids)
            .map_err(|e| too_close(document, id, e))?;
        let splined = made.splined + layers.splined;
        let splined = (splined > 0).then(|| {
            let off = made
                .error
                .or(layers.error)
                .in_words()
                .unwrap_or_else(|| "the motion does not change".to_owned());
            let said =
                format!("{} converted to splines to match the other clip; {off}", tracks(splined));
            Notice::new("tracks_became_splines", said)
        });
        let muted = (!layers.muted.is_empty()).then(|| {
            let said = format!(
                "layers muted, because another layer of their clip was soloed: {}",
                layers.muted.join(", ")
            );
            Notice::new("layers_muted", said)
        });
        let notes = [jumps, jump, splined, muted].into_iter().flatten();
        let (to, clip) = match &self.name {
            None => (id, made.clip),
            Some(name) => (document.clips.next_id(), as_new(made.clip, name).at_rate_of(first)),
        };
        let mut done = put(to, clip, notes);
        done.edits.extend(with_layers(document, to, layers.layers));
        if to != id {
            done.edits.extend(copy_unkeyed(document, (id, to), Some));
        }
        let start = (f64::from(ends[0]) + f64::from(gap)) as f32;
        done.edits.extend(copy_unkeyed(document, (other, to), |t| Some(t + start)));
        Ok(done)
    }
}
