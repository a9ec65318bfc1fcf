//! Edits of the mix.

use crate::ui::{Action, Actions, View};
use ulna_edit::command::{MixText, SetMix};
use ulna_model::{Mix, MixBar, MixLane, MixReference, Shared};

/// Replaces the mix as one undo step.
pub fn set(mix: Mix, actions: &mut Actions) {
    actions.push(Action::Run(SetMix { mix: MixText::Mix(Shared::new(mix)) }.into()));
}

/// Previews a changed mix during a drag.
pub fn preview(label: &str, mix: Mix, actions: &mut Actions) {
    let commands = vec![SetMix { mix: MixText::Mix(Shared::new(mix)) }.into()];
    actions.push(Action::Preview { label: label.to_owned(), commands });
}

/// Adds a lane that plays the last shown clip.
pub fn with_lane(mix: &Mix, view: &View<'_>, additive: Option<MixReference>) -> Mix {
    let mut made = mix.clone();
    let number = mix.lanes.len() + 1;
    let name = if mix.lanes.is_empty() { "Body".to_owned() } else { format!("Lane {number}") };
    let document = view.session.map(|s| s.document());
    let clip = view.timeline.playback.clip.and_then(|id| Some((id, document?.clips.get(id)?)));
    let bars = clip.map(|(id, clip)| {
        let length = f64::from(clip.length()).max(0.5) * 2.0;
        let start = if mix.lanes.is_empty() { 0.0 } else { view.timeline.playback.time };
        MixBar::new(id, start, length.max(mix.length() - start))
    });
    let lane = MixLane { additive, bars: bars.into_iter().collect(), ..MixLane::new(&name) };
    // Additive lanes are above all others.
    let first_additive =
        mix.lanes.iter().position(|l| l.additive.is_some()).unwrap_or(mix.lanes.len());
    let place = if additive.is_some() { mix.lanes.len() } else { first_additive };
    made.lanes.insert(place, lane);
    made
}
