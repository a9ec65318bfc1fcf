//! State that the curves keep from frame to frame: the view, and the gesture in progress.

use std::{
    collections::{BTreeMap, BTreeSet},
    rc::Rc,
};

pub use super::choices::{
    CurveChoices, CurveColors, CurveTool, CurvesOf, Fit, Fold, RotationView, SpeedStrip, ValueView,
};
use super::{
    drawing::Lines,
    model::{CurveOf, CurvesModel, ModelOf, ShownCurve},
    popup::CurvePopup,
    sources::{CurveCache, CurveState},
    tip_speed::Strip,
    tool_state::{CurveGesture, ToolState},
};
use crate::ui::CurveSettings;
use ulna_model::{Derived, KeySet, NodeId, Property, Shared, Track};

/// Curves that were kept to be compared with and swapped.
#[derive(Clone, Debug, Default)]
pub struct BufferCurves {
    /// A track as it was, by what it moves.
    pub tracks: BTreeMap<(NodeId, Property), Shared<Track>>,
}

/// State of the curves, kept from frame to frame.
#[derive(Clone, Debug, Default)]
pub struct CurvesState {
    /// Points of the sheet's rows over the curves, where both are shown; 0 for as many as fit.
    pub split: f32,
    /// The values in sight.
    pub values: ValueView,
    /// The range to show next.
    pub fit: Option<Fit>,
    /// The curves that are shown, and how.
    pub choices: CurveChoices,
    /// The effect of a press.
    pub tool: CurveTool,
    /// The curves to compare with.
    pub buffer: Option<BufferCurves>,
    /// The strip under the graph.
    pub speed: SpeedStrip,
    /// The gesture in progress.
    pub gesture: CurveGesture,
    /// The panel that is open over the graph.
    pub popup: CurvePopup,
    /// Further state of the tools.
    pub tools: ToolState,
    /// The curves of the last fit; when none of them is shown any more, another fit is due.
    pub(super) fitted: Vec<CurveOf>,
    pub(super) cache: CurveCache,
    pub(super) model: Derived<ModelOf, Rc<CurvesModel>>,
    pub(super) lines: Lines,
    /// Curves as they were when the file was opened, and as they were kept, where they differ.
    pub(super) behind: Rc<Vec<(CurveState, ShownCurve)>>,
    pub(super) strip: Strip,
    /// The choices that the preferences have.
    pub(super) kept: Option<CurveSettings>,
}

impl CurvesState {
    /// Subjects of the shown curves that have some of `keys`.
    pub fn of_keys(&self, keys: &KeySet) -> Vec<CurveOf> {
        let Some(model) = self.model.get() else { return Vec::new() };
        let some = |c: &&ShownCurve| {
            let some = |id| !keys.times_of(id, c.id.component).is_empty();
            c.id.track().is_some_and(some)
        };
        model.shown.iter().filter(some).map(|c| c.of).collect()
    }

    /// Puts the curves of keys into a set; takes them out, where all are in it.
    pub fn flip_of(
        &mut self,
        keys: &KeySet,
        set: impl Fn(&mut CurveChoices) -> &mut BTreeSet<CurveOf>,
    ) {
        let of = self.of_keys(keys);
        let set = set(&mut self.choices);
        if of.iter().all(|of| set.contains(of)) {
            set.retain(|have| !of.contains(have));
        } else {
            set.extend(of);
        }
    }

    /// Whether no hand is at curves.
    pub const fn is_still(&self) -> bool {
        matches!(self.gesture, CurveGesture::None) && !self.popup.takes_presses()
    }

    /// Whether a gesture of the document is open, for a drag or an open panel.
    pub const fn previews(&self) -> bool {
        self.gesture.edits() || self.popup.takes_presses()
    }

    /// Ends the gesture in progress and closes panels that take presses.
    pub fn end_gestures(&mut self) {
        self.gesture = CurveGesture::default();
        if self.popup.takes_presses() {
            self.popup = CurvePopup::None;
        }
    }

    /// The keys of another clip or layer are shown.
    pub fn leave_keys(&mut self) {
        self.gesture = CurveGesture::default();
        self.popup = CurvePopup::None;
        self.cache.forget();
        self.fitted.clear();
    }
}
