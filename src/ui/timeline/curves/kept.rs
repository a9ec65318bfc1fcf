//! Curve display choices that are saved in the preferences.

use egui::Ui;

use super::{super::state::TimelineState, choices::CurvesOf, state::CurvesState};
use crate::ui::{Actions, CurveSettings, ProgramAction, Settings};

/// Applies choices that changed in the preferences. Otherwise, saves changed choices of the panel
/// as soon as no button is held.
pub fn keep_choices(
    state: &mut TimelineState,
    ui: &Ui,
    settings: &Settings,
    actions: &mut Actions,
) {
    let curves = &mut state.curves;
    let stored = CurveSettings { eases: Vec::new(), ..settings.curves.clone() };
    if curves.kept.as_ref() != Some(&stored) {
        curves.take_up(&stored);
        curves.kept = Some(stored);
        return;
    }
    let now = curves.to_keep(stored.of);
    if now != stored && !ui.input(|i| i.pointer.any_down()) {
        let all = CurveSettings { eases: settings.curves.eases.clone(), ..now.clone() };
        let settings = Settings { curves: all, ..settings.clone() };
        actions.push(ProgramAction::Settings(Box::new(settings)));
        curves.kept = Some(now);
    }
}

impl CurvesState {
    fn take_up(&mut self, stored: &CurveSettings) {
        (self.split, self.speed) = (stored.split, stored.strip);
        (self.choices.colors, self.choices.of) = (stored.colors, stored.of);
    }

    /// Display choices to save. If the user shows curves one by one, that choice belongs to the
    /// file, and the previously saved default set `listed` is kept.
    fn to_keep(&self, listed: CurvesOf) -> CurveSettings {
        let of = if self.choices.of == CurvesOf::None { listed } else { self.choices.of };
        CurveSettings {
            split: self.split,
            colors: self.choices.colors,
            of,
            strip: self.speed,
            eases: Vec::new(),
        }
    }
}
