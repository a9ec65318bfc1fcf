//! State of the curve editor between frames: the view, and the gesture in progress.

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

/// Stored copies of curves, for comparison and swapping.
#[derive(Clone, Debug, Default)]
pub struct BufferCurves {
    /// Stored tracks by node and property.
    pub tracks: BTreeMap<(NodeId, Property), Shared<Track>>,
}

/// State of the curve editor between frames.
#[derive(Clone, Debug, Default)]
pub struct CurvesState {
    /// Height of the dope sheet above the curves in points, if both are shown; 0 for automatic.
    pub split: f32,
    /// Visible value ranges.
    pub values: ValueView,
    /// Requested fit of the value range.
    pub fit: Option<Fit>,
    /// Choice and appearance of the shown curves.
    pub choices: CurveChoices,
    /// Tool for presses on the graph.
    pub tool: CurveTool,
    /// Stored copies of curves for comparison.
    pub buffer: Option<BufferCurves>,
    /// Content of the speed strip below the graph.
    pub speed: SpeedStrip,
    /// Gesture in progress.
    pub gesture: CurveGesture,
    /// Panel that is open over the graph.
    pub popup: CurvePopup,
    /// Further state of the tools.
    pub tools: ToolState,
    /// Curves of the last fit. If none of them is shown any more, the range is fitted again.
    pub(super) fitted: Vec<CurveOf>,
    pub(super) cache: CurveCache,
    pub(super) model: Derived<ModelOf, Rc<CurvesModel>>,
    pub(super) lines: Lines,
    /// Other states of the shown curves, for comparison: the file as opened, and stored copies.
    /// Unchanged curves are left out.
    pub(super) behind: Rc<Vec<(CurveState, ShownCurve)>>,
    pub(super) strip: Strip,
    /// Choices that the preferences contain.
    pub(super) kept: Option<CurveSettings>,
}

impl CurvesState {
    /// Shown curves with keys in `keys`.
    pub fn of_keys(&self, keys: &KeySet) -> Vec<CurveOf> {
        let Some(model) = self.model.get() else { return Vec::new() };
        let some = |c: &&ShownCurve| {
            let some = |id| !keys.times_of(id, c.id.component).is_empty();
            c.id.track().is_some_and(some)
        };
        model.shown.iter().filter(some).map(|c| c.of).collect()
    }

    /// Adds the curves of keys to a set, or removes them if all are in it.
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

    /// Whether neither a gesture nor a panel is changing the curves.
    pub const fn is_still(&self) -> bool {
        matches!(self.gesture, CurveGesture::None) && !self.popup.takes_presses()
    }

    /// Whether a preview of an edit is open, for a drag or an open panel.
    pub const fn previews(&self) -> bool {
        self.gesture.edits() || self.popup.takes_presses()
    }

    /// Ends the current gesture, and closes a panel that a press outside would close.
    pub fn end_gestures(&mut self) {
        self.gesture = CurveGesture::default();
        if self.popup.takes_presses() {
            self.popup = CurvePopup::None;
        }
    }

    /// Resets gestures, panels and caches, because the keys of another clip or layer are shown.
    pub fn leave_keys(&mut self) {
        self.gesture = CurveGesture::default();
        self.popup = CurvePopup::None;
        self.cache.forget();
        self.fitted.clear();
    }
}
