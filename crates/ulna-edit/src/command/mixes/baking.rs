//! Commands that bake a mix to a clip, and set markers at footsteps.

use super::{
    commands::{BakeMix, MarkFootfalls},
    kept::{mix_of, there},
    text::sentence,
};
use crate::{
    Edit,
    command::{CommandError, Outcome, Scene, clip_keys::clip_of, clips::free_clip_name},
};
use ulna_model::{
    Clip, ClipId, Document, Marker, MarkerColor, Notice, Shared, TrackId, meant_rate, rate_in_words,
};
use ulna_motion::{
    Jump, SeenPoints, baked, baked_error,
    clip_edit::{TravelParts, TravelTo, move_travel, reduced},
    footfalls, jumps, known_feet,
};

/// Describes the jumps of the pose in a mix, without a final period; `None` if there are none.
pub fn jumps_in_words(document: &Document, jumps: &[Jump]) -> Option<String> {
    /// Maximum number of jumps that are listed.
    const MOST: usize = 3;
    let one = |jump: &Jump| {
        let (node, centimeters) = (document.node(jump.node).label(jump.node), jump.meters * 100.0);
        format!("at {:.3} s (“{node}” by {centimeters:.1} cm and {:.0}°)", jump.time, jump.degrees)
    };
    let told: Vec<String> = jumps.iter().take(MOST).map(one).collect();
    let more = match jumps.len().saturating_sub(MOST) {
        0 => String::new(),
        n => format!(" and {n} more"),
    };
    (!told.is_empty()).then(|| format!("the pose jumps {}{more}", told.join(", ")))
}

/// Default frame rate for baking a mix: the highest rate of its clips, in frames per second.
pub fn mix_rate(document: &Document) -> f64 {
    /// Frame rate of a mix whose clips have no frame rate, in frames per second.
    const USUAL: f64 = 30.0;
    /// Minimum fraction of keys that must be on frames for a rate to fit.
    const FIT: f32 = 0.9;
    let Some(mix) = mix_of(document) else { return USUAL };
    let bars = mix.lanes.iter().flat_map(|lane| &lane.bars);
    let clips = bars.flat_map(|bar| bar.clips()).filter_map(|id| document.clips.get(*id));
    let rates =
        clips.filter_map(|c| c.guess_fps().filter(|(_, share)| c.rate.is_some() || *share >= FIT));
    let most = rates.map(|(rate, _)| rate).fold(0.0, f64::max);
    if most > 0.0 { most } else { USUAL }
}

impl BakeMix {
    /// Frame rate of the baked clip: the given one, or the highest rate of the mixed clips.
    fn rate(&self, document: &Document) -> f64 {
        self.rate.map_or_else(|| mix_rate(document), |rate| meant_rate(f64::from(rate)))
    }

    /// Number of node poses that the command evaluates.
    pub(in crate::command) fn samples(&self, document: &Document) -> f64 {
        let length = mix_of(document).map_or(0.0, |mix| mix.length());
        length * self.rate(document) * document.nodes.len() as f64
    }

    pub(super) fn work(&self, scene: &Scene<'_>) -> Result<Outcome, CommandError> {
        let document = scene.document;
        let mix = there(document)?;
        let rate = self.rate(document);
        let bound = self.millimetres.unwrap_or(1.0);
        if !(1.0..=1000.0).contains(&rate) {
            return Err(sentence(
                "argument_out_of_range",
                format!("“rate” is {rate}, but must be 1 to 1000 frames per second"),
            ));
        }
        if !(0.0..=1000.0).contains(&bound) {
            return Err(sentence(
                "argument_out_of_range",
                format!("“millimetres” is {bound}, but must be 0 to 1000"),
            ));
        }
        let span = (0.0, mix.length());
        /// Maximum number of frames of a baked clip. The command refuses longer mixes before it
        /// evaluates them.
        const MOST: f64 = 1e6;
        if span.1 * rate > MOST {
            return Err(sentence(
                "mix_out_of_bounds",
                format!(
                    "{:.0} s at {rate} frames per second would be too many keys; bake at a lower \
                        rate",
                    span.1
                ),
            ));
        }
        let made = Shared::new(baked(document, &mix, span, rate));
        if made.tracks.is_empty() {
            return Err(sentence(
                "mix_is_still",
                "the mix has no motion: its clips have no keys, or were removed".to_owned(),
            ));
        }
        let seen = SeenPoints::of(document, SeenPoints::MANY);
        let off = baked_error(document, &mix, span, &made, (&seen, rate));
        let mut said = format!(
            "{:.2} s at {} frames per second; max error of {} between frames: {:.2} mm",
            span.1,
            rate_in_words(rate),
            seen.label(),
            off * 1000.0
        );
        let mut clip = (*made).clone();
        if self.in_place == Some(true) {
            let parts = TravelParts { ground: true, height: false, turn: false };
            match move_travel(document, &clip, TravelTo::InPlace, parts, None) {
                Ok(moved) => clip = moved.clip,
                Err(_) => said += "; there was no travel over the ground to remove",
            }
        }
        if bound > 0.0 {
            let less = reduced(document, &clip, bound / 1000.0);
            said += &format!(
                "; {} of {} keys kept, max error {:.2} mm on a body 1.8 m tall",
                less.keys[1],
                less.keys[0],
                less.error * 1000.0
            );
            clip = less.clip;
        }
        let jumps = jumps_in_words(document, &jumps(document, &mix, span));
        let jumps = jumps.map(|jumps| Notice::new("motion_jumps", format!("warning: {jumps}")));
        let name = free_clip_name(document, self.name.as_deref().unwrap_or("Mix"));
        let tracks =
            clip.tracks.into_values().enumerate().map(|(k, t)| (TrackId(k as u32), t)).collect();
        let clip =
            Clip { name: Some(name.as_str().into()), tracks, ..Clip::default() }.counted_at(rate);
        let edit = Edit::SetClip { clip: document.clips.next_id(), to: Some(Shared::new(clip)) };
        let notes = [Notice::new("mix_baked", format!("{name}: {said}"))]
            .into_iter()
            .chain(jumps)
            .collect();
        Ok(Outcome { edits: vec![edit], notes, ..Outcome::default() })
    }
}

impl MarkFootfalls {
    pub(super) fn work(&self, scene: &Scene<'_>) -> Result<Outcome, CommandError> {
        let document = scene.document;
        let id: ClipId = self.clip.find(document)?;
        let clip = clip_of(document, id)?;
        let falls = footfalls(document, clip);
        if falls.is_empty() {
            let label = document.clip_label(id);
            let why = match known_feet(document) {
                (0, _) => {
                    "no feet were found by joint name, by humanoid map or by the shape of the legs"
                }
                (_, 0) => {
                    "its left and right foot cannot be told apart; add “left” and “right” to \
                    the joint names"
                }
                _ => "its feet never leave the ground, so there are no steps",
            };
            return Err(sentence("no_footfalls", format!("no footsteps found in {label}: {why}")));
        }
        let kept = clip.markers.iter().filter(|m| !matches!(&*m.name, "L" | "R")).cloned();
        let new = falls.iter().map(|(time, side)| Marker {
            time: *time as f32,
            name: (*side).into(),
            color: MarkerColor::Violet,
        });
        let markers: Shared<[Marker]> = Marker::in_order(kept.chain(new).collect()).into();
        let to = Clip { markers, ..(**clip).clone() };
        let notes = vec![Notice::new("steps_marked", format!("{} steps marked", falls.len()))];
        Ok(Outcome {
            edits: vec![Edit::SetClip { clip: id, to: Some(Shared::new(to)) }],
            notes,
            ..Outcome::default()
        })
    }
}
