//! The timeline: transport, ruler, and a row of keys a joint.

mod axis;
mod dead;
mod domain;
mod draw;
mod filter;
mod gesture;
mod hold;
mod markers;
mod menus;
mod mixer;
mod overview;
mod per_track;
mod pick;
mod rows;
mod ruler;
mod sheet;
mod strength;
mod transport;
mod values;

use self::{
    dead::DeadKeys,
    filter::RowFilter,
    gesture::{KeyGesture, Retiming},
    markers::MarkerEdit,
    overview::Grip,
    sheet::Summary,
};
pub use self::{
    domain::{RepairLoop, RepairSeen, Timeline, TimelineAction, TimelineView},
    gesture::Retime,
};
use std::{collections::BTreeSet, rc::Rc};

use egui::{RichText, Ui};

use super::{Action, Actions, Theme, View, blend_drag::BlendDrag, theme::Font};
use ulna_edit::{KeysHome, Mode, command::NewClip};
use ulna_model::{Clip, ClipId, Derived, KeySet, NodeId, Shared};
use ulna_render::ColorRole;

/// A list for the selected keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyList {
    /// How values between them come about.
    Interpolation,
    /// How smooth curves go through them.
    Tangents,
    /// What they are to the animator.
    Kind,
}

/// How far NLERP of a clip is from SLERP at most, in a state of the document, radians.
type NlerpGap = Derived<(u64, ClipId), f32>;

/// What the timeline keeps.
#[derive(Clone, Debug, Default)]
pub struct TimelineState {
    /// The owner of the keys that were shown last.
    shown: Option<KeysHome>,
    /// The clip the range was fitted to.
    fitted: Option<(ClipId, u32)>,
    /// Seconds in sight.
    start: f64,
    end: f64,
    filter: RowFilter,
    open: BTreeSet<NodeId>,
    scroll: f32,
    /// The press that ended a move is still down: it clicks nothing.
    swallow: bool,
    /// What was held when the button was pressed last.
    pressed: egui::Modifiers,
    /// What a hand does to keys.
    gesture: KeyGesture,
    /// What a hand does to a marker.
    marker: MarkerEdit,
    /// What a key asked for, to begin where the pointer is.
    wanted: Option<Retime>,
    /// A list that is to be opened at the pointer.
    asks: Option<KeyList>,
    /// The next drag draws a lasso.
    lasso: bool,
    /// A button that brings a pose nearer to another, while it is dragged.
    blend: BlendDrag,
    /// From when to when a node is to be held, while that is chosen.
    hold: Option<hold::Hold>,
    /// What is typed to find a clip in the list of all.
    clip_search: String,
    /// How far NLERP is from SLERP in the clip that is shown.
    nlerp_gap: NlerpGap,
    /// The node whose row is to be brought into sight.
    reveal: Option<NodeId>,
    /// Which node was active.
    active: Option<NodeId>,
    /// Where the playhead was.
    playhead: f64,
    /// The time that the menu of the ruler is about.
    ruler_time: f64,
    /// Whether the start, or the end, of what plays is dragged.
    range_grip: Option<bool>,
    /// What of the overview is dragged.
    grip: Option<Grip>,
    dead: DeadKeys,
    /// A key of a layer's strength that is dragged.
    strength: strength::StrengthDrag,
    mixer: mixer::MixerState,
    /// Whether the range was fitted to the mix.
    fitted_mix: bool,
    summary: Derived<Shared<Clip>, Summary>,
    /// The times of the selected keys.
    selected: Derived<(Shared<Clip>, KeySet), Vec<f32>>,
    rows: Derived<rows::RowsOf, Rc<rows::Rows>>,
    /// The first and the last row with selected keys.
    boxed: Derived<SelectedRows, Option<(usize, usize)>>,
}

/// Rows of the sheet, and the keys that are selected in them.
type SelectedRows = (Rc<rows::Rows>, KeySet);

impl TimelineState {
    /// Shows the whole clip, with a little room on both sides.
    fn fit(&mut self, length: f64) {
        // Of a clip without keys there is room for some.
        let length = if length > 0.0 { length } else { 2.0 };
        self.start = -length * 0.02;
        self.end = length * 1.06;
    }

    /// Shows these seconds, with a little room on both sides.
    fn fit_range(&mut self, from: f64, to: f64) {
        let room = ((to - from) * 0.06).max(0.05);
        (self.start, self.end) = (from - room, to + room);
    }

    /// Shows more or less, about a time that stays where it is.
    fn zoom(&mut self, about: f64, factor: f64) {
        let span = ((self.end - self.start) * factor).clamp(0.01, 1e7);
        let share = (about - self.start) / (self.end - self.start);
        self.start = about - span * share;
        self.end = self.start + span;
    }

    /// Shows the keys of a clip or layer. An act on the keys or markers of another one ends here.
    fn show(&mut self, home: KeysHome, actions: &mut Actions) {
        if self.shown.replace(home) == Some(home) {
            return;
        }
        if let KeyGesture::Keys(_) = self.gesture {
            actions.push(Action::Cancel);
        }
        self.end_gestures();
        self.marker = MarkerEdit::None;
        self.strength = strength::StrengthDrag::default();
        self.dead = DeadKeys::default();
    }

    /// Begins to move keys, where there are some.
    fn begin(&mut self, retiming: Option<Retiming>) {
        if let Some(retiming) = retiming {
            self.gesture = KeyGesture::Keys(retiming);
        }
    }

    /// Begins what a key asked for.
    pub const fn want(&mut self, kind: Retime) {
        self.wanted = Some(kind);
    }

    /// Opens a list at the pointer.
    pub const fn ask(&mut self, list: KeyList) {
        self.asks = Some(list);
    }

    /// Begins to choose from when to when a node is held.
    pub fn begin_hold(&mut self, clip: ClipId, node: NodeId, range: (f32, f32)) {
        self.hold = Some(hold::Hold::new(clip, node, range));
    }

    /// The next drag draws a lasso.
    pub const fn want_lasso(&mut self) {
        self.lasso = true;
    }

    /// Shows the whole clip, or these times of it.
    pub fn fit_to(&mut self, length: f64, range: Option<(f32, f32)>) {
        match range {
            Some((from, to)) => self.fit_range(f64::from(from), f64::from(to)),
            None => self.fit(length),
        }
    }

    /// Whether keys are moved, which takes digits.
    pub const fn takes_numbers(&self) -> bool {
        matches!(self.gesture, KeyGesture::Keys(_)) || self.wanted.is_some()
    }

    /// A gesture was ended elsewhere.
    pub fn end_gestures(&mut self) {
        self.gesture = KeyGesture::None;
        (self.wanted, self.lasso) = (None, false);
        self.blend = BlendDrag::default();
        if let MarkerEdit::Moves { .. } = self.marker {
            self.marker = MarkerEdit::None;
        }
        self.mixer.end_drag();
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
    if view.timeline.playback.mixing && view.mode == Mode::Animate {
        let length = view.timeline.playback.length(document);
        if !std::mem::replace(&mut state.fitted_mix, true) || length > state.end.max(1.0) * 4.0 {
            state.fit(length);
        }
        state.fitted = None;
        transport::transport_ui(state, ui, view, actions);
        mixer::mixer_ui(state, ui, view, document, actions);
        return;
    }
    state.fitted_mix = false;
    let clip = view.timeline.playback.clip.unwrap_or(ClipId(0));
    let length = view.timeline.playback.length(document);
    let key = (clip, (length as f32).to_bits());
    // Under a hand that drags keys nothing moves by itself.
    let still = matches!(state.gesture, KeyGesture::None);
    let grew = state.fitted != Some(key) && length > state.end && still;
    if state.fitted.map(|f| f.0) != Some(clip) || grew {
        state.fit(length);
        state.fitted = Some(key);
    }
    transport::transport_ui(state, ui, view, actions);
    sheet::sheet_ui(state, ui, view, clip, actions);
}
