//! What a hand does to curves and their keys.

use egui::{Rect, Response, Ui};

use super::{super::state::TimelineState, Graph};
use crate::ui::Actions;

/// What a hand does.
#[derive(Clone, Debug, Default)]
pub enum CurveGesture {
    /// Nothing.
    #[default]
    None,
}

/// What is open over the graph.
#[derive(Clone, Debug, Default)]
pub enum CurvePopup {
    /// Nothing.
    #[default]
    None,
}

/// What else tools keep.
#[derive(Clone, Debug, Default)]
pub struct ToolState {}

/// Points of the bar of tools at the top of the graph.
pub const TOOLBAR: f32 = 36.0;

/// The bar of tools.
pub fn toolbar_ui(
    _state: &mut TimelineState,
    _ui: &mut Ui,
    _graph: &Graph<'_>,
    _rect: Rect,
    _actions: &mut Actions,
) {
}

/// Presses, drags and keys on the graph, before the graph takes them itself. Whether they were
/// taken.
pub fn input(
    _state: &mut TimelineState,
    _ui: &Ui,
    _graph: &Graph<'_>,
    _response: &Response,
    _actions: &mut Actions,
) -> bool {
    false
}

/// What is drawn over the curves: handles, boxes, what is open.
pub fn overlay_ui(
    _state: &mut TimelineState,
    _ui: &mut Ui,
    _graph: &Graph<'_>,
    _actions: &mut Actions,
) {
}
