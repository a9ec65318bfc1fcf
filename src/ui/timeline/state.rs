//! State of the timeline between frames.

use std::{collections::BTreeSet, rc::Rc};

use super::{
    contacts::ContactDrag,
    curves::{CurvesState, Fit, WantedOnCurves},
    dead::DeadKeys,
    filter::RowFilter,
    gesture::{KeyGesture, Retime, Retiming},
    hold::Hold,
    markers::MarkerEdit,
    mixer::MixerState,
    rows::{Rows, RowsCache},
    strength::StrengthDrag,
    summary::Summary,
    time_view::{Grip, TimeView},
};
use crate::ui::{Action, Actions, blend_drag::BlendDrag};
use ulna_edit::KeysHome;
use ulna_model::{Clip, ClipId, Derived, KeySet, NodeId, Shared};

/// List of choices for the selected keys, opened by a shortcut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyList {
    /// Interpolation between the keys.
    Interpolation,
    /// Tangent modes of the keys.
    Tangents,
    /// Kinds of keys.
    Kind,
}

/// Largest angle between NLERP and SLERP of a clip, in radians, per document revision.
pub(super) type NlerpGap = Derived<(u64, ClipId), f32>;

/// State of the timeline between frames.
#[derive(Clone, Debug, Default)]
pub struct TimelineState {
    /// Clip or layer with the keys that were shown last.
    pub(super) shown: Option<KeysHome>,
    /// Clip that the visible time range was fitted to.
    pub(super) fitted: Option<(ClipId, u32)>,
    /// Visible time range.
    pub(super) time: TimeView,
    pub(super) filter: RowFilter,
    pub(super) open: BTreeSet<NodeId>,
    pub(super) scroll: f32,
    /// Whether the button that ended a move is still down; its click is ignored.
    pub(super) swallow: bool,
    /// Modifiers at the last press of the button.
    pub(super) pressed: egui::Modifiers,
    /// Current drag of keys.
    pub(super) gesture: KeyGesture,
    /// Current edit of a marker.
    pub(super) marker: MarkerEdit,
    /// Operation that a shortcut requested; it begins at the pointer.
    pub(super) wanted: Option<Retime>,
    /// List to open at the pointer.
    pub(super) asks: Option<KeyList>,
    /// Whether the next drag draws a lasso.
    pub(super) lasso: bool,
    /// Whether the next drag draws a box, even if it starts on a key.
    pub(super) boxes: bool,
    /// Drag of a button that blends the pose toward another pose.
    pub(super) blend: BlendDrag,
    /// Time range in which a node will be locked in place, while it is being chosen.
    pub(super) hold: Option<Hold>,
    /// Filter of the list of clips.
    pub(super) clip_search: String,
    /// Largest angle between NLERP and SLERP in the shown clip.
    pub(super) nlerp_gap: NlerpGap,
    /// Node with a row to scroll into view.
    pub(super) reveal: Option<NodeId>,
    /// Active node of the previous frame.
    pub(super) active: Option<NodeId>,
    /// Playhead of the previous frame, in seconds.
    pub(super) playhead: f64,
    /// Whether the last right click in the sheet was on a key or in the selection box.
    pub(super) menu_on_key: bool,
    /// Time that the ruler's context menu applies to, in seconds.
    pub(super) ruler_time: f64,
    /// Time to which the middle button moves the shown pose, in seconds.
    pub(super) carries_to: Option<f64>,
    /// Dragged end of the playback range: true for the start, false for the end.
    pub(super) range_grip: Option<bool>,
    /// Dragged part of the overview.
    pub(super) grip: Option<Grip>,
    pub(super) dead: DeadKeys,
    /// Drag of a key of a layer's strength.
    pub(super) strength: StrengthDrag,
    /// Drag of a contact.
    pub(super) contact: ContactDrag,
    pub(super) mixer: MixerState,
    /// Whether the visible time range was fitted to the mix.
    pub(super) fitted_mix: bool,
    pub(super) summary: Derived<Shared<Clip>, Summary>,
    /// Cached times of the selected keys, in seconds.
    pub(super) selected: Derived<(Shared<Clip>, KeySet), Vec<f32>>,
    pub(super) rows: RowsCache,
    /// State of the curve editor.
    pub(super) curves: CurvesState,
    /// First and last row with selected keys.
    pub(super) boxed: Derived<SelectedRows, Option<(usize, usize)>>,
}

/// Rows of the sheet, with the selected keys.
type SelectedRows = (Rc<Rows>, KeySet);

impl TimelineState {
    /// Shows the keys of a clip or layer. A gesture on another clip or layer is canceled.
    pub(super) fn show(&mut self, home: KeysHome, actions: &mut Actions) {
        if self.shown.replace(home) == Some(home) {
            return;
        }
        if matches!(self.gesture, KeyGesture::Keys(_)) || self.curves.previews() {
            actions.push(Action::Cancel);
        }
        self.end_gestures();
        self.marker = MarkerEdit::None;
        self.strength = StrengthDrag::default();
        self.contact = ContactDrag::default();
        self.curves.leave_keys();
        self.dead = DeadKeys::default();
    }

    /// Starts a drag of keys; `None` starts nothing.
    pub(super) fn begin(&mut self, retiming: Option<Retiming>) {
        if let Some(retiming) = retiming {
            self.gesture = KeyGesture::Keys(retiming);
        }
    }

    /// Requests an operation on keys, which starts at the pointer.
    pub const fn want(&mut self, kind: Retime) {
        self.wanted = Some(kind);
    }

    /// Requests a list at the pointer.
    pub const fn ask(&mut self, list: KeyList) {
        self.asks = Some(list);
    }

    /// Starts choosing the time range in which a node is locked in place.
    pub fn begin_hold(&mut self, clip: ClipId, node: NodeId, range: (f32, f32)) {
        self.hold = Some(Hold::new(clip, node, range));
    }

    /// Makes the next drag draw a lasso.
    pub const fn want_lasso(&mut self) {
        self.lasso = true;
    }

    /// Makes the next drag draw a lasso, or a box even if it starts on a key.
    pub const fn want_area(&mut self, lasso: bool) {
        (self.lasso, self.boxes) = (lasso, !lasso);
    }

    /// Fits the visible time range to the whole clip, or to a range in seconds.
    pub fn fit_to(&mut self, length: f64, range: Option<(f32, f32)>) {
        self.curves.fit = Some(if range.is_some() { Fit::Selected } else { Fit::All });
        match range {
            Some((from, to)) => self.time.fit_range(f64::from(from), f64::from(to)),
            None => self.time.fit(length),
        }
    }

    /// Fits the values in the visible time range to the height of the curves.
    pub const fn fit_height(&mut self) {
        self.curves.fit = Some(Fit::Height);
    }

    /// Cycles the strip below the curves: speed of a joint's tip, its acceleration, off.
    pub const fn next_strip(&mut self) {
        self.curves.speed = self.curves.speed.next();
    }

    /// Requests an action in the curve editor, which runs once the curves are laid out.
    pub const fn want_on_curves(&mut self, wanted: WantedOnCurves) {
        self.curves.tools.wanted = Some(wanted);
    }

    /// Switches proportional editing on or off.
    pub const fn flip_proportional(&mut self) {
        self.curves.tools.reach.on = !self.curves.tools.reach.on;
    }

    /// Normalizes the curves of keys, or none of them if all are normalized.
    pub fn normalize(&mut self, keys: &KeySet) {
        self.curves.flip_of(keys, |choices| &mut choices.normalized);
    }

    /// Hides the curves of these keys.
    pub fn hide_curves(&mut self, keys: &KeySet) {
        for of in self.curves.of_keys(keys) {
            self.curves.choices.eyes.insert(of, false);
            self.curves.choices.solo.remove(&of);
        }
    }

    /// Isolates the curves of keys, or shows all curves again if these are isolated.
    pub fn solo_curves(&mut self, keys: &KeySet) {
        self.curves.flip_of(keys, |choices| &mut choices.solo);
    }

    /// Whether a drag of keys uses typed digits.
    pub const fn takes_numbers(&self) -> bool {
        matches!(self.gesture, KeyGesture::Keys(_))
            || self.wanted.is_some()
            || self.curves.gesture.edits()
    }

    /// Whether the curves have an open panel, which Escape closes.
    pub const fn holds_escape(&self) -> bool {
        self.curves.popup.is_open()
    }

    /// Discards all gestures, because they were ended elsewhere.
    pub fn end_gestures(&mut self) {
        self.gesture = KeyGesture::None;
        (self.wanted, self.lasso, self.boxes) = (None, false, false);
        self.blend = BlendDrag::default();
        if let MarkerEdit::Moves { .. } = self.marker {
            self.marker = MarkerEdit::None;
        }
        self.mixer.end_drag();
        self.curves.end_gestures();
    }
}
