//! Tangents that continue across the loop seam, for the channels of the shown curves.

use super::frame::Graph;
use crate::ui::{Action, Actions};
use ulna_edit::command::{MatchSeam, WhichKeys, field::ClipName};
use ulna_model::{KeySet, KeyTimes};

/// Channels for the loop seam switch: those with selected keys, or all shown and unlocked channels.
#[derive(Clone, Debug, Default)]
pub struct Seam {
    /// All keys of the channels.
    pub keys: KeySet,
    /// Whether the tangents of all channels continue across the seam.
    pub on: bool,
}

impl Seam {
    /// Finds the channels in a graph.
    pub fn of(graph: &Graph<'_>) -> Self {
        let curves = || graph.layout.curves.iter().filter(|c| !c.locked);
        let selected = |c: &&super::ShownCurve| {
            c.id.track().is_some_and(|id| !graph.keys().of_track(id).is_empty())
        };
        let some = curves().any(|c| selected(&c));
        let (mut keys, mut on) = (KeySet::default(), true);
        for curve in curves().filter(|c| !some || selected(c)) {
            let Some(id) = curve.id.track() else { continue };
            let times = &curve.track.times;
            keys.set(id, KeyTimes::part(times, 0..times.len()));
            on &= curve.track.modes.wraps();
        }
        on &= !keys.is_empty();
        Self { keys, on }
    }

    /// Switches matching tangents at the seam on or off.
    pub fn flip(self, graph: &Graph<'_>, actions: &mut Actions) {
        let which = WhichKeys::these(graph.id, self.keys);
        let (clip, on) = (ClipName::Id(graph.id), Some(!self.on));
        actions.push(Action::Run(MatchSeam { clip, on, which }.into()));
    }
}
