//! Timeline: transport, ruler, rows of keys, curves, contacts, and the mixer.

mod axis;
mod contacts;
mod curves;
mod dead;
mod domain;
mod draw;
mod filter;
mod gesture;
mod hold;
mod markers;
mod menus;
mod mixer;
mod names;
mod overview;
mod per_track;
mod pick;
mod rows;
mod ruler;
mod sheet;
mod sheet_gestures;
mod sheet_keys;
mod sheet_layout;
mod show_switch;
mod state;
mod strength;
mod summary;
mod time_view;
mod transport;
mod values;

pub use self::{
    axis::TimeAxis,
    curves::WantedOnCurves,
    domain::{RepairLoop, RepairSeen, Timeline, TimelineAction, TimelineView},
    gesture::Retime,
    state::{KeyList, TimelineState},
    transport::transport_ui,
};

use egui::{RichText, Ui};

use self::gesture::KeyGesture;
use super::{Action, Actions, Theme, View, theme::Font};
use ulna_edit::command::NewClip;
use ulna_model::ClipId;
use ulna_render::ColorRole;

pub fn timeline_ui(state: &mut TimelineState, ui: &mut Ui, view: &View<'_>, actions: &mut Actions) {
    let theme = view.theme;
    let Some(session) = view.session else { return };
    let document = session.document();
    if document.clips.is_empty() || view.timeline.playback.clip.is_none() {
        ui.vertical_centered(|ui| {
            ui.add_space((ui.available_height() * 0.5 - 36.0).max(8.0));
            ui.label(
                RichText::new("No clips in this file").color(theme.color(ColorRole::TextSecondary)),
            );
            ui.label(
                RichText::new("Poses change the file's pose. Add a clip to animate.")
                    .font(Theme::font(Font::Small))
                    .color(theme.color(ColorRole::TextTertiary)),
            );
            ui.add_space(4.0);
            if ui.button("New clip").on_hover_text("Adds an empty clip to key").clicked() {
                actions.push(Action::Run(NewClip { name: None }.into()));
            }
        });
        return;
    }
    if view.mixes() {
        let length = view.timeline.playback.length(document);
        if !std::mem::replace(&mut state.fitted_mix, true) || length > state.time.end.max(1.0) * 4.0
        {
            state.time.fit(length);
        }
        state.fitted = None;
        transport_ui(state, ui, view, actions);
        mixer::mixer_ui(state, ui, view, document, actions);
        return;
    }
    state.fitted_mix = false;
    let clip = view.timeline.playback.clip.unwrap_or(ClipId(0));
    let length = view.timeline.playback.length(document);
    let key = (clip, (length as f32).to_bits());
    // Nothing may scroll on its own while keys are dragged.
    let still = matches!(state.gesture, KeyGesture::None);
    let grew = state.fitted != Some(key) && length > state.time.end && still;
    if state.fitted.map(|f| f.0) != Some(clip) || grew {
        state.time.fit(length);
        state.fitted = Some(key);
    }
    transport_ui(state, ui, view, actions);
    sheet::sheet_ui(state, ui, view, clip, actions);
}
