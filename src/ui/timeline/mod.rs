//! The timeline: transport, ruler, and a row of keys a joint.

mod axis;
mod domain;
mod rows;
mod ruler;
mod sheet;
mod transport;

pub use self::domain::{Timeline, TimelineAction, TimelineView};
use std::collections::BTreeSet;

use egui::{RichText, Ui};

use super::{Action, Actions, Theme, View, theme::Font};
use crate::render::ColorRole;
use crate::{
    edit::command::NewClip,
    model::{Clip, ClipId, Derived, NodeId, Shared},
};

/// What the timeline keeps.
#[derive(Clone, Debug, Default)]
pub struct TimelineState {
    /// The clip the range was fitted to.
    fitted: Option<(ClipId, u32)>,
    /// Seconds in sight.
    start: f64,
    end: f64,
    filter: String,
    open: BTreeSet<NodeId>,
    scroll: f32,
    selected_only: bool,
    marquee: Option<egui::Pos2>,
    summary: Derived<Shared<Clip>, Vec<f32>>,
}

impl TimelineState {
    /// Shows the whole clip, with a little room on both sides.
    fn fit(&mut self, length: f64) {
        let length = if length > 0.0 { length } else { 1.0 };
        self.start = -length * 0.02;
        self.end = length * 1.06;
    }

    /// Moves what is in sight by so many seconds.
    fn shift(&mut self, by: f64) {
        self.start += by;
        self.end += by;
    }
}

pub fn timeline_ui(state: &mut TimelineState, ui: &mut Ui, view: &View<'_>, actions: &mut Actions) {
    let theme = view.theme;
    let Some(session) = view.session else { return };
    let document = session.document();
    if document.clips.is_empty() || view.timeline.playback.clip.is_none() {
        ui.vertical_centered(|ui| {
            ui.add_space((ui.available_height() * 0.5 - 36.0).max(8.0));
            ui.label(RichText::new("No clips in this file").color(theme.color(ColorRole::TextSecondary)));
            ui.label(
                RichText::new("Poses are kept in the nodes.")
                    .font(Theme::font(Font::Small))
                    .color(theme.color(ColorRole::TextTertiary)),
            );
            ui.add_space(4.0);
            if ui.button("New clip").on_hover_text("Makes an empty clip, for keys to come").clicked() {
                actions.push(Action::Run(NewClip { name: None }.into()));
            }
        });
        return;
    }
    let clip = view.timeline.playback.clip.unwrap_or(ClipId(0));
    let length = view.timeline.playback.length(document);
    let key = (clip, (length as f32).to_bits());
    if state.fitted.map(|f| f.0) != Some(clip) || (state.fitted != Some(key) && length > state.end) {
        state.fit(length);
        state.fitted = Some(key);
    }
    transport::transport_ui(state, ui, view, actions);
    sheet::sheet_ui(state, ui, view, clip, actions);
}
