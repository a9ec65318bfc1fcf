//! The panel that is open over the graph.

use super::{ease_popup::EasePopup, filter_panel::FilterPanel, slides::SlidePanel};

/// The panel that is open over the graph.
#[derive(Clone, Debug, Default)]
#[expect(clippy::large_enum_variant, reason = "there is one")]
pub enum CurvePopup {
    /// Nothing.
    #[default]
    None,
    /// Eases.
    Ease(EasePopup),
    /// Filters.
    Filter(FilterPanel),
    /// Sliders.
    Slide(SlidePanel),
}

impl CurvePopup {
    /// Whether a panel is open.
    pub const fn is_open(&self) -> bool {
        !matches!(self, Self::None)
    }

    /// Whether a panel is open that a press beside ends.
    pub const fn takes_presses(&self) -> bool {
        matches!(self, Self::Ease(_))
    }
}
