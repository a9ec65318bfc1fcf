//! Closes loops, and describes the differences at the loop seam.

use super::{
    commands::{CloseHow, CloseLoop},
    timing::frame_of,
    whole::{argument, put, too_close, whole},
};
use crate::command::{CommandError, Outcome, Scene, clip_layers::layers_of};
use ulna_model::{Clip, Notice, PoseLayer, PoseLayers, Transform, transform::is_turned_less};
use ulna_motion::{
    added_at,
    clip_edit::{self, Closing, Seam, closed, key_span, new_jump, seam, speed_jump},
};

/// Describes the loop seam, without a capital letter or a final period.
pub fn seam_in_words(found: &Seam) -> String {
    let (angle, distance, speed) = found.worst();
    let gap = format!("{:.1}° and {:.1} cm", angle.to_degrees(), distance * 100.0);
    match (found.is_closed, found.is_doubled, found.is_short) {
        (true, true, _) => "last two frames are the same".to_owned(),
        (true, ..) if speed > 0.05 => {
            format!("poses match, speed jumps by {:.0} cm/s", speed * 100.0)
        }
        (true, ..) => "seamless".to_owned(),
        (false, _, true) => format!("one frame short, poses jump by {gap}"),
        (false, ..) => format!("poses jump by {gap}"),
    }
}

impl CloseLoop {
    pub(super) fn work(&self, scene: &Scene<'_>) -> Result<Outcome, CommandError> {
        let document = scene.document;
        let (id, clip, (_, last)) = whole(document, &self.clip)?;
        let frame = frame_of(clip);
        let late = late_start(clip) + &open_layers(&layers_of(document, id), last);
        let Some(found) = seam(document, clip, frame) else {
            return Err(argument(
                "clip_has_no_length",
                "a clip needs keys at two or more times to be a loop".to_owned(),
            ));
        };
        let frames = self.frames.unwrap_or(5).clamp(1, 100_000) as u32;
        let speed = self.speed.unwrap_or(true);
        let how = match (self.how, self.frames) {
            (Some(CloseHow::Match), _) => Closing::Match,
            (Some(CloseHow::Blend), _) | (None, Some(_)) => Closing::Blend { frames, speed },
            (Some(CloseHow::AddFrame), _) => Closing::AddFrame,
            (Some(CloseHow::DropFrame), _) => Closing::DropFrame,
            (None, None) if found.is_doubled => Closing::DropFrame,
            (None, None) if found.is_closed && self.speed != Some(true) => {
                let note = format!("the loop is closed already: {}", seam_in_words(&found));
                return Ok(Outcome::noted("loop_closed_already", note + &late));
            }
            (None, None) if found.is_short => Closing::AddFrame,
            (None, None) => Closing::Blend { frames, speed },
        };
        let made =
            closed(clip, how, frame, found.travels).map_err(|e| too_close(document, id, e))?;
        if made == **clip {
            let note = format!("nothing was changed: {}", unclosed_in_words(&found, how));
            return Ok(Outcome::noted("nothing_to_change", note));
        }
        let Some(now) = seam(document, &made, frame) else {
            return Err(argument(
                "clip_has_no_length",
                "the loop is too short to remove a frame".to_owned(),
            ));
        };
        let jumps = [clip, &made].map(|c| speed_jump(document, c, frame, found.travels));
        if let Some(worse) = worse_in_words(&found, &now, (how, jumps)) {
            return Err(argument("loop_would_open", worse));
        }
        let mut said = format!("before: {}; now: {}", seam_in_words(&found), seam_in_words(&now));
        if matches!(how, Closing::Blend { speed: true, .. }) && jumps[0] > 1e-3 {
            let [was, is] = jumps.map(|j| j * 100.0);
            said += &format!("; speed jump at the seam: {was:.1} cm/s before, {is:.1} cm/s now");
        }
        let jump = new_jump(document, &[clip], &made, frame);
        let jump = jump.map(|jump| Notice::new("motion_jumps", jump.in_words(document)));
        Ok(put(id, made, [Notice::new("loop_closed", said + &late)].into_iter().chain(jump)))
    }
}

/// Names the layers whose start and end differ, as a part of a sentence; empty if there are none.
fn open_layers(layers: &PoseLayers, last: f32) -> String {
    let far = |a: &Transform, b: &Transform| {
        let (way, scale) =
            (a.translation.distance(b.translation), (a.scale - b.scale).abs().max_element());
        way > 1e-4 || scale > 1e-3 || !is_turned_less(a.rotation, b.rotation, 1e-3)
    };
    let is_open = |layer: &&PoseLayer| {
        layer.is_keyed()
            && layer.nodes().into_iter().any(|node| {
                let at = |time: f64| added_at(layer, node, time).unwrap_or_default();
                far(&at(0.0), &at(f64::from(last)))
            })
    };
    let open: Vec<String> =
        layers.counting().filter(is_open).map(|l| format!("“{}”", l.name)).collect();
    match open.len() {
        0 => String::new(),
        _ => format!(
            "; not closed, because the keys of a layer differ at both ends: {}; bake it with \
                layer.fold before closing the loop",
            open.join(", ")
        ),
    }
}

/// Part of a sentence for a loop whose first key is after 0 s; empty for other loops.
fn late_start(clip: &Clip) -> String {
    match key_span(clip) {
        Some((first, _)) if first > clip_edit::SAME_TIME => format!(
            "; every cycle holds the first pose from 0 s to the first key at {first:.3} s: use \
                “Start at 0” (clip.start_at_zero) to start the loop at that key"
        ),
        _ => String::new(),
    }
}

/// The reason why closing a loop changes nothing.
fn unclosed_in_words(found: &Seam, how: Closing) -> &'static str {
    match how {
        Closing::Blend { speed: true, .. } if found.is_closed => {
            "poses and speed already match at the seam"
        }
        Closing::Blend { .. } if found.is_closed => {
            "the poses already match at the seam; set “speed” to true to match the speed, too"
        }
        Closing::Match if found.is_closed => "the poses already match at the seam",
        _ => "there is no animated key at the seam",
    }
}

/// Describes the part of the loop seam that would become worse, and the alternative; `None` if
/// nothing becomes worse.
fn worse_in_words(was: &Seam, is: &Seam, (how, speeds): (Closing, [f32; 2])) -> Option<String> {
    /// Smaller differences are rounding errors: radians, meters, and meters per second.
    const ROUNDED: (f32, f32, f32) = (1e-3, 1e-4, 1e-3);
    let (a, b) = (was.worst(), is.worst());
    if was.travels.is_none() && is.travels.is_some() {
        return Some(format!(
            "that would open the loop: the body would not end at the place where it starts; {}",
            instead_of(how)
        ));
    }
    if b.0 > a.0 + ROUNDED.0 || b.1 > a.1 * 1.001 + ROUNDED.1 {
        return Some(format!(
            "that would open the loop: the seam would jump by {:.1}° and {:.1} cm instead of \
                {:.1}° and {:.1} cm; {}",
            b.0.to_degrees(),
            b.1 * 100.0,
            a.0.to_degrees(),
            a.1 * 100.0,
            instead_of(how)
        ));
    }
    let only_speed = matches!(how, Closing::Blend { speed: true, .. }) && was.is_closed;
    (only_speed && speeds[1] > speeds[0] + ROUNDED.2).then(|| {
        format!(
            "the speed at the seam would jump by {:.1} cm/s instead of {:.1} cm/s; increase \
                “frames”",
            speeds[1] * 100.0,
            speeds[0] * 100.0
        )
    })
}

/// Returns advice for a method that would open the loop instead of closing it.
const fn instead_of(how: Closing) -> &'static str {
    match how {
        Closing::DropFrame => "the last frame is not a duplicate; keep it",
        _ => "use another method, such as “match” or “blend”",
    }
}
