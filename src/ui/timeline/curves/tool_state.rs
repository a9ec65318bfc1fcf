//! State of the tools of the graph, kept from frame to frame.

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

/// The gesture in progress.
#[derive(Clone, Debug, Default)]
pub enum CurveGesture {
    /// Nothing.
    #[default]
    None,
    /// Draws round keys.
    Marquee(Marquee),
    /// Moves keys.
    Keys(KeyDrag),
    /// Scales keys in their box.
    Box(BoxDrag),
    /// Turns a tangent.
    Handle(HandleDrag),
    /// Stretches times by a handle on the ruler.
    Retime(RetimeDrag),
}

impl CurveGesture {
    /// Whether it changes keys, and takes digits.
    pub const fn edits(&self) -> bool {
        !matches!(self, Self::None | Self::Marquee(_))
    }
}

/// A request to the curves by a key or a menu.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WantedOnCurves {
    /// Eases between the selected keys.
    Ease,
    /// Keys on all shown curves.
    Insert,
}

/// Further state of the tools.
#[derive(Clone, Debug)]
pub struct ToolState {
    /// Proportional editing.
    pub reach: Reach,
    /// Spans of the selected keys, by curve.
    pub spans: Spans,
    /// The handles that are seen.
    pub handles: Handles,
    /// The modifiers that were held when the button was pressed last.
    pub pressed: Modifiers,
    /// The press that ended something is still down: it clicks nothing.
    pub swallow: bool,
    /// The request of a key or a menu.
    pub wanted: Option<WantedOnCurves>,
    /// The ease that was used last.
    pub ease: Ease,
    /// Handles on the ruler over the selected keys.
    pub retime: RetimeBar,
    /// The subject of the menu of a right click.
    pub menu: MenuSubject,
    /// The filter that was used last.
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
