//! State of the timeline from frame to frame.

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

/// A list for the selected keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyList {
    /// How values between them come about.
    Interpolation,
    /// How smooth curves go through them.
    Tangents,
    /// Key types.
    Kind,
}

/// Largest angle between NLERP and SLERP of a clip, in radians, per document revision.
pub(super) type NlerpGap = Derived<(u64, ClipId), f32>;

/// State of the timeline between frames.
#[derive(Clone, Debug, Default)]
pub struct TimelineState {
    /// The owner of the keys that were shown last.
    pub(super) shown: Option<KeysHome>,
    /// The clip the range was fitted to.
    pub(super) fitted: Option<(ClipId, u32)>,
    /// The seconds in sight.
    pub(super) time: TimeView,
    pub(super) filter: RowFilter,
    pub(super) open: BTreeSet<NodeId>,
    pub(super) scroll: f32,
    /// The press that ended a move is still down: it clicks nothing.
    pub(super) swallow: bool,
    /// Modifiers at the last press of the button.
    pub(super) pressed: egui::Modifiers,
    /// Current drag of keys.
    pub(super) gesture: KeyGesture,
    /// Current edit of a marker.
    pub(super) marker: MarkerEdit,
    /// Operation that a shortcut requested; it begins at the pointer.
    pub(super) wanted: Option<Retime>,
    /// A list that is to be opened at the pointer.
    pub(super) asks: Option<KeyList>,
    /// The next drag draws a lasso.
    pub(super) lasso: bool,
    /// The next drag draws a box, wherever it begins.
    pub(super) boxes: bool,
    /// A button that brings a pose nearer to another, while it is dragged.
    pub(super) blend: BlendDrag,
    /// From when to when a node is to be held, while that is chosen.
    pub(super) hold: Option<Hold>,
    /// Filter of the list of clips.
    pub(super) clip_search: String,
    /// Largest angle between NLERP and SLERP in the shown clip.
    pub(super) nlerp_gap: NlerpGap,
    /// The node whose row is to be brought into sight.
    pub(super) reveal: Option<NodeId>,
    /// Active node of the previous frame.
    pub(super) active: Option<NodeId>,
    /// Playhead of the previous frame, in seconds.
    pub(super) playhead: f64,
    /// Whether the last right click in the sheet was on a key, or in the box around the selected
    /// ones.
    pub(super) menu_on_key: bool,
    /// The time that the menu of the ruler is about.
    pub(super) ruler_time: f64,
    /// The time to which the middle button drags the pose that is shown.
    pub(super) carries_to: Option<f64>,
    /// Whether the start, or the end, of what plays is dragged.
    pub(super) range_grip: Option<bool>,
    /// Part of the overview that is dragged.
    pub(super) grip: Option<Grip>,
    pub(super) dead: DeadKeys,
    /// A key of a layer's strength that is dragged.
    pub(super) strength: StrengthDrag,
    /// A contact that is dragged.
    pub(super) contact: ContactDrag,
    pub(super) mixer: MixerState,
    /// Whether the range was fitted to the mix.
    pub(super) fitted_mix: bool,
    pub(super) summary: Derived<Shared<Clip>, Summary>,
    /// The times of the selected keys.
    pub(super) selected: Derived<(Shared<Clip>, KeySet), Vec<f32>>,
    pub(super) rows: RowsCache,
    /// The curves.
    pub(super) curves: CurvesState,
    /// The first and the last row with selected keys.
    pub(super) boxed: Derived<SelectedRows, Option<(usize, usize)>>,
}

/// Rows of the sheet, and the keys that are selected in them.
type SelectedRows = (Rc<Rows>, KeySet);

impl TimelineState {
    /// Shows the keys of a clip or layer. An act on the keys or markers of another one ends here.
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

    /// Begins to move keys, where there are some.
    pub(super) fn begin(&mut self, retiming: Option<Retiming>) {
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
        self.hold = Some(Hold::new(clip, node, range));
    }

    /// The next drag draws a lasso.
    pub const fn want_lasso(&mut self) {
        self.lasso = true;
    }

    /// The next drag draws a lasso, or a box wherever it begins.
    pub const fn want_area(&mut self, lasso: bool) {
        (self.lasso, self.boxes) = (lasso, !lasso);
    }

    /// Shows the whole clip, or these times of it.
    pub fn fit_to(&mut self, length: f64, range: Option<(f32, f32)>) {
        self.curves.fit = Some(if range.is_some() { Fit::Selected } else { Fit::All });
        match range {
            Some((from, to)) => self.time.fit_range(f64::from(from), f64::from(to)),
            None => self.time.fit(length),
        }
    }

    /// Fits the values of the times in sight to the height of the curves.
    pub const fn fit_height(&mut self) {
        self.curves.fit = Some(Fit::Height);
    }

    /// Shows the speed of a joint's tip under the curves, then its acceleration, then nothing.
    pub const fn next_strip(&mut self) {
        self.curves.speed = self.curves.speed.next();
    }

    /// Does something on the curves as soon as they are laid out.
    pub const fn want_on_curves(&mut self, wanted: WantedOnCurves) {
        self.curves.tools.wanted = Some(wanted);
    }

    /// Lets keys around those that are dragged follow, or not.
    pub const fn flip_proportional(&mut self) {
        self.curves.tools.reach.on = !self.curves.tools.reach.on;
    }

    /// Lets the curves of keys fill the height by themselves; not, where all of them do.
    pub fn normalize(&mut self, keys: &KeySet) {
        self.curves.flip_of(keys, |choices| &mut choices.normalized);
    }

    /// Hides the curves of keys.
    pub fn hide_curves(&mut self, keys: &KeySet) {
        for of in self.curves.of_keys(keys) {
            self.curves.choices.eyes.insert(of, false);
            self.curves.choices.solo.remove(&of);
        }
    }

    /// Shows only the curves of keys; all again, where that is so.
    pub fn solo_curves(&mut self, keys: &KeySet) {
        self.curves.flip_of(keys, |choices| &mut choices.solo);
    }

    /// Whether keys are moved, which takes digits.
    pub const fn takes_numbers(&self) -> bool {
        matches!(self.gesture, KeyGesture::Keys(_))
            || self.wanted.is_some()
            || self.curves.gesture.edits()
    }

    /// Whether a panel is open over the curves that Escape closes.
    pub const fn holds_escape(&self) -> bool {
        self.curves.popup.is_open()
    }

    /// A gesture was ended elsewhere.
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
