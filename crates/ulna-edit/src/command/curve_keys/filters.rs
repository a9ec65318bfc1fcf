//! Runs filters on keys, and describes their effect.

use std::collections::BTreeMap;

use super::{
    commands::FilterKeys,
    shapes::{parts_of, within},
    words::FilterName,
};
use crate::command::{
    CommandError, Outcome, Scene,
    error::refuse,
    key_edits::{
        components::space_of,
        targets::{KeyTargets, count, nothing},
    },
};
use ulna_model::{Clip, Document, KeyTimes, NodeId, Notice, Shared, Track};
use ulna_motion::{
    clip_edit::{MotionError, reduced_among, skin_gap},
    curves::{ChosenComponents, Filter, FilterOptions, filtered, leg_contacts},
};

impl FilterKeys {
    fn options(&self) -> Result<FilterOptions, CommandError> {
        let number = |name, value: Option<f32>, usual: f32, range| {
            within(name, value.unwrap_or(usual), range)
        };
        let whole = |name, value: Option<usize>, usual: usize, range| {
            within(name, value.unwrap_or(usual) as f32, range).map(|v| v as u32)
        };
        let filter = match self.filter {
            FilterName::Smooth | FilterName::Simplify => {
                Filter::Smooth { passes: whole("passes", self.passes, 1, (1.0, 1000.0))? }
            }
            FilterName::LowPass => Filter::LowPass {
                cutoff_hz: number("cutoff", self.cutoff, 6.0, (0.1, 1000.0))?,
                order: whole("order", self.order, 4, (1.0, 8.0))?,
            },
            FilterName::Gaussian => Filter::Gaussian {
                seconds: number("seconds", self.seconds.map(|s| s.0), 0.05, (0.001, 10.0))?,
            },
            FilterName::Peaks => {
                Filter::Peaks { limit: number("limit", self.limit, 3.0, (0.5, 100.0))? }
            }
            FilterName::Noise => Filter::Noise {
                amount: number("noise", self.noise, 1.0, (0.0, 1e6))?,
                hz: number("hz", self.hz, 2.0, (0.1, 1000.0))?,
                seed: self.seed.unwrap_or(0) as u64,
            },
        };
        let protect = self.protect.as_ref().map_or(&[][..], |p| &p.0[..]);
        let pairs = protect.chunks(2).map(|p| match p {
            [from, to] if from <= to => Ok((*from as f32, *to as f32)),
            _ => refuse(
                "times_out_of_order",
                "“protect” needs a start and an end for each range, in this order",
            ),
        });
        let blend_in = match self.blend_in {
            Some(seconds) => Some(within("blend_in", seconds.0, (0.0, 1e5))?),
            None => None,
        };
        Ok(FilterOptions {
            filter,
            strength: number("strength", self.strength, 1.0, (0.0, 1.0))?,
            across_loop: self.across_loop.unwrap_or(false),
            protect: pairs.collect::<Result<_, _>>()?,
            blend_in,
        })
    }

    pub(super) fn work(&self, scene: &Scene<'_>) -> Result<Outcome, CommandError> {
        let meant = KeyTargets::or_all(scene, &self.clip, &self.which)?;
        if meant.keys.is_empty() {
            return Ok(nothing("filtered"));
        }
        let options = self.options()?;
        let contacts = if self.contacts.unwrap_or(false) {
            leg_contacts(scene.document, meant.clip)
        } else {
            BTreeMap::new()
        };
        if self.filter == FilterName::Simplify {
            return self.simplified(scene.document, &meant, &options, &contacts);
        }
        let (mut edits, mut after) = (Vec::new(), (**meant.clip).clone());
        let (mut largest, mut at) = (MotionError::default(), 0.0);
        for (id, old, _) in meant.tracks() {
            let mut protect = options.protect.clone();
            protect.extend(contacts.get(&old.target).into_iter().flatten());
            let options = FilterOptions { protect, ..options.clone() };
            let mut track = (**old).clone();
            let space = space_of((id, old), &meant.keys, self.axes);
            for (times, components) in parts_of(&meant.keys, id, old, space) {
                let chosen = components.as_deref().map(|list| ChosenComponents { list, space });
                for span in runs(old, &times) {
                    let made = filtered(&track, span, &options, chosen);
                    let turns = made.largest.angle > largest.angle;
                    let more = largest.angle == 0.0 && made.largest.value > largest.value;
                    if turns || more {
                        at = made.at;
                    }
                    largest = largest.or(made.largest);
                    track = made.track;
                }
            }
            if track != **old {
                let to = Shared::new(track);
                after.tracks.insert(id, to.clone());
                edits.push(meant.edit(id, Some((*to).clone())));
            }
        }
        let note = if edits.is_empty() {
            let said = "no key changed; a filter needs at least 3 neighboring keys of a channel, \
                and does not move the first and the last of them";
            Notice::new("nothing_filtered", said)
        } else {
            let channels = count(edits.len(), "channel");
            let skin = skin_gap(scene.document, meant.clip, &after).0;
            Notice::new("keys_filtered", in_words(&channels, largest, at, skin))
        };
        Ok(Outcome { edits, notes: vec![note], ..Outcome::default() })
    }

    fn simplified(
        &self,
        document: &Document,
        meant: &KeyTargets<'_>,
        options: &FilterOptions,
        contacts: &BTreeMap<NodeId, Vec<(f32, f32)>>,
    ) -> Result<Outcome, CommandError> {
        let bound = within("millimetres", self.millimetres.unwrap_or(0.5), (1e-4, 1000.0))? as f32;
        let free = |track: &Track, time: f32| {
            let own = contacts.get(&track.target).into_iter().flatten();
            !options.protect.iter().chain(own).any(|(from, to)| (*from..=*to).contains(&time))
        };
        let keys = meant
            .tracks()
            .map(|(id, track, times)| {
                let free = times.iter().copied().filter(|t| free(track, *t));
                (id, KeyTimes::from(free.collect::<Vec<_>>()))
            })
            .collect();
        let made = reduced_among(document, meant.clip, bound * 1e-3, &keys);
        let [before, left] = [meant.keys.len(), made.keys[0] - made.keys[1]];
        if left == 0 {
            let note = format!("none of the {before} keys can be removed within {bound} mm");
            return Ok(Outcome::noted("no_key_can_go", note));
        }
        let changed = |clip: &Clip| {
            let differs = |id: &ulna_model::TrackId, t: &Shared<Track>| {
                meant.clip.tracks.get(id).is_none_or(|was| **was != **t)
            };
            let edits: Vec<_> = clip
                .tracks
                .iter()
                .filter(|(id, t)| differs(id, t))
                .map(|(id, t)| meant.edit(*id, Some((**t).clone())))
                .collect();
            edits
        };
        let edits = changed(&made.clip);
        let note = format!(
            "{} of {before} removed; max error {:.2} mm on a body 1.8 m tall",
            count(left, "key"),
            made.error * 1e3
        );
        let keys = meant.keys.clone().there(&made.clip);
        Ok(Outcome {
            edits,
            notes: vec![Notice::new("keys_simplified", note)],
            keys: Some((meant.id, keys)),
            ..Outcome::default()
        })
    }
}

/// Describes the effect of a filter: the largest changes of key values and of the skin.
fn in_words(channels: &str, largest: MotionError, at: f32, skin: f32) -> String {
    let mut most = Vec::new();
    if largest.angle > 0.0 {
        most.push(format!("{:.1}°", largest.angle.to_degrees()));
    }
    if largest.value > 0.0 {
        most.push(format!("{:.3} units", largest.value));
    }
    let most = most.join(" and ");
    format!(
        "keys changed by at most {most} at {at:.2} s, {:.1} mm on the skin, in {channels}",
        skin * 1e3
    )
}

/// Returns the time ranges of consecutive selected keys.
fn runs(track: &Track, times: &[f32]) -> Vec<(f32, f32)> {
    let mut runs: Vec<(f32, f32)> = Vec::new();
    let mut last = None;
    for (k, time) in track.times.iter().enumerate() {
        if times.binary_search_by(|t| t.total_cmp(time)).is_err() {
            // The end key of a hold belongs to the hold, and does not interrupt a range.
            if !ulna_motion::clip_edit::is_hold_end(track, k) {
                last = None;
            }
            continue;
        }
        match (runs.last_mut(), last) {
            (Some(run), Some(())) => run.1 = *time,
            _ => runs.push((*time, *time)),
        }
        last = Some(());
    }
    runs
}
