//! Panel that is open over the graph.

use super::{ease_popup::EasePopup, filter_panel::FilterPanel, slides::SlidePanel};

/// Panel that is open over the graph.
#[derive(Clone, Debug, Default)]
#[expect(clippy::large_enum_variant, reason = "there is one")]
pub enum CurvePopup {
    /// No panel.
    #[default]
    None,
    /// Ease panel.
    Ease(EasePopup),
    /// Filter panel.
    Filter(FilterPanel),
    /// Slider panel.
    Slide(SlidePanel),
}

impl CurvePopup {
    /// Whether a panel is open.
    pub const fn is_open(&self) -> bool {
        !matches!(self, Self::None)
    }

    /// Whether the open panel is closed by a press outside.
    pub const fn takes_presses(&self) -> bool {
        matches!(self, Self::Ease(_))
    }
}
