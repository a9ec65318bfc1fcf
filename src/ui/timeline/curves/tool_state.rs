//! State of the graph's tools between frames.

use egui::Modifiers;

use super::{
    drag::{KeyDrag, Reach},
    filter_panel::FilterChoice,
    handles::{HandleDrag, Handles},
    marquee::Marquee,
    menu_subject::MenuSubject,
    retime_bar::{RetimeBar, RetimeDrag},
    transform_box::{BoxDrag, Spans},
};
use ulna_motion::curves::{Ease, EaseShape, EaseWay};

/// Gesture in the graph.
#[derive(Clone, Debug, Default)]
pub enum CurveGesture {
    /// No gesture.
    #[default]
    None,
    /// Selection with a box or a lasso.
    Marquee(Marquee),
    /// Drag of keys.
    Keys(KeyDrag),
    /// Scaling of keys with the transform box.
    Box(BoxDrag),
    /// Drag of a tangent handle.
    Handle(HandleDrag),
    /// Drag of a retime handle on the ruler.
    Retime(RetimeDrag),
}

impl CurveGesture {
    /// Whether the gesture edits keys. If so, typed digits belong to it.
    pub const fn edits(&self) -> bool {
        !matches!(self, Self::None | Self::Marquee(_))
    }
}

/// Request to the curve editor by a shortcut or a menu.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WantedOnCurves {
    /// Open the ease panel for the selected keys.
    Ease,
    /// Insert keys on all shown curves.
    Insert,
}

/// State of the graph's tools between frames.
#[derive(Clone, Debug)]
pub struct ToolState {
    /// Settings of proportional editing.
    pub reach: Reach,
    /// Time and value ranges of the selected keys, per curve.
    pub spans: Spans,
    /// Visible tangent handles.
    pub handles: Handles,
    /// Modifiers at the last press of the button.
    pub pressed: Modifiers,
    /// Whether the button that ended a drag or panel is still down; its click is ignored.
    pub swallow: bool,
    /// Pending request of a shortcut or a menu.
    pub wanted: Option<WantedOnCurves>,
    /// Last used ease.
    pub ease: Ease,
    /// Retime handles on the ruler.
    pub retime: RetimeBar,
    /// Subject of the context menu.
    pub menu: MenuSubject,
    /// Last used filter.
    pub filter: FilterChoice,
}

impl Default for ToolState {
    fn default() -> Self {
        Self {
            reach: Reach::default(),
            spans: Spans::default(),
            handles: Handles::default(),
            pressed: Modifiers::NONE,
            swallow: false,
            wanted: None,
            ease: Ease { shape: EaseShape::Sine, way: EaseWay::InOut, amount: 1.0 },
            retime: RetimeBar::default(),
            menu: MenuSubject::default(),
            filter: FilterChoice::default(),
        }
    }
}
