//! The timeline: transport, ruler, and a row of keys a joint.

mod axis;
mod sheet;
mod transport;

use std::collections::BTreeSet;

use egui::{RichText, Ui};

use super::{Actions, View};
use crate::model::{ClipId, NodeId};

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
    summary: Option<(usize, Vec<f32>)>,
}

impl TimelineState {
    /// Shows the whole clip, with a little room on both sides.
    fn fit(&mut self, length: f64) {
        let length = if length > 0.0 { length } else { 1.0 };
        self.start = -length * 0.02;
        self.end = length * 1.06;
    }
}

pub fn timeline_ui(state: &mut TimelineState, ui: &mut Ui, view: &View<'_>, actions: &mut Actions) {
    let theme = view.theme;
    let Some(session) = view.session else { return };
    let document = session.document();
    if document.clips.is_empty() || view.playback.clip.is_none() {
        ui.centered_and_justified(|ui| {
            ui.label(
                RichText::new("No clips in this file. Make one with Clip › New clip.")
                    .color(theme.color("text.tertiary")),
            );
        });
        return;
    }
    let clip = view.playback.clip.unwrap_or(ClipId(0));
    let length = view.playback.length(document);
    let key = (clip, (length as f32).to_bits());
    if state.fitted.map(|f| f.0) != Some(clip) || (state.fitted != Some(key) && length > state.end) {
        state.fit(length);
        state.fitted = Some(key);
    }
    transport::transport_ui(state, ui, view, actions);
    sheet::sheet_ui(state, ui, view, clip, actions);
}
