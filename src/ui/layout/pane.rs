//! The panels: their titles and default positions.

use egui_tiles::LinearDir;
use serde::{Deserialize, Serialize};

use ulna_edit::command::field::Panel;
use ulna_render::Measure;

/// A panel of the window.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Pane {
    /// The tree of nodes, and the list of clips.
    Outliner,
    /// The 3D view of the model.
    Viewport,
    /// Properties of the selection as number fields.
    Inspector,
    /// Brush of Paint mode, and operations on many vertices.
    Brush,
    /// Joints whose weights can be painted.
    Joints,
    /// Weight layers.
    Layers,
    /// Weights of the selected vertices as numbers.
    Vertices,
    /// Problems of the file.
    Problems,
    /// Keys and curves over time.
    Timeline,
}

/// Position at which a missing panel is added to an arrangement.
#[derive(Clone, Copy, Debug)]
pub(super) enum DefaultPlace {
    /// Next to a panel, or next to all panels if `None`. The direction is a row or a column. True
    /// adds it after the panel, false before.
    Beside(Option<Pane>, LinearDir, bool),
    /// A tab beside the tab of another panel.
    Tab(Pane),
}

impl Pane {
    /// All panels, in the order in which F6 cycles through them.
    pub const ALL: [Self; 9] = [
        Self::Outliner,
        Self::Viewport,
        Self::Inspector,
        Self::Brush,
        Self::Joints,
        Self::Layers,
        Self::Vertices,
        Self::Problems,
        Self::Timeline,
    ];

    /// The panels of Paint mode, which replace the inspector.
    pub const PAINTING: [Self; 4] = [Self::Brush, Self::Joints, Self::Layers, Self::Vertices];

    /// Id of the focus on the panel as a whole.
    pub fn focus_id(self) -> egui::Id {
        egui::Id::unique(("panel", self as u8))
    }

    /// Title of the panel, also on its tab.
    pub const fn title(self) -> &'static str {
        match self {
            Self::Outliner => "Outliner",
            Self::Viewport => "Viewport",
            Self::Inspector => "Inspector",
            Self::Brush => "Brush",
            Self::Joints => "Joints",
            Self::Layers => "Layers",
            Self::Vertices => "Vertices",
            Self::Problems => "Problems",
            Self::Timeline => "Timeline",
        }
    }

    /// The panel for a command argument.
    pub const fn of(panel: Panel) -> Self {
        match panel {
            Panel::Outliner => Self::Outliner,
            Panel::Viewport => Self::Viewport,
            Panel::Inspector => Self::Inspector,
            Panel::Brush => Self::Brush,
            Panel::Joints => Self::Joints,
            Panel::Layers => Self::Layers,
            Panel::Vertices => Self::Vertices,
            Panel::Problems => Self::Problems,
            Panel::Timeline => Self::Timeline,
        }
    }

    /// The command argument for the panel.
    pub const fn named(self) -> Panel {
        match self {
            Self::Outliner => Panel::Outliner,
            Self::Viewport => Panel::Viewport,
            Self::Inspector => Panel::Inspector,
            Self::Brush => Panel::Brush,
            Self::Joints => Panel::Joints,
            Self::Layers => Panel::Layers,
            Self::Vertices => Panel::Vertices,
            Self::Problems => Panel::Problems,
            Self::Timeline => Panel::Timeline,
        }
    }

    /// True if the panel belongs to the side column, which becomes tabs in a small window.
    pub(super) const fn is_of_side(self) -> bool {
        matches!(
            self,
            Self::Inspector
                | Self::Brush
                | Self::Joints
                | Self::Layers
                | Self::Vertices
                | Self::Problems
        )
    }

    /// True if the panel can float. Only the viewport cannot, because the other panels are arranged
    /// around it.
    pub const fn can_float(self) -> bool {
        !matches!(self, Self::Viewport)
    }

    pub(super) const fn place(self) -> DefaultPlace {
        use LinearDir::{Horizontal, Vertical};
        match self {
            Self::Outliner => DefaultPlace::Beside(Some(Self::Viewport), Horizontal, false),
            Self::Viewport => DefaultPlace::Beside(Some(Self::Outliner), Horizontal, true),
            Self::Inspector => DefaultPlace::Beside(Some(Self::Viewport), Horizontal, true),
            Self::Brush | Self::Problems => {
                DefaultPlace::Beside(Some(Self::Inspector), Vertical, true)
            }
            Self::Joints => DefaultPlace::Beside(Some(Self::Brush), Vertical, true),
            Self::Layers | Self::Vertices => DefaultPlace::Tab(Self::Joints),
            Self::Timeline => DefaultPlace::Beside(None, Vertical, true),
        }
    }

    /// Initial size in points. The viewport fills the remaining space.
    pub(super) fn points(self) -> f32 {
        match self {
            Self::Outliner => Measure::Outliner.points(),
            Self::Viewport => 800.0,
            Self::Inspector | Self::Joints => 420.0,
            // Tall enough for the whole content.
            Self::Brush => 700.0,
            Self::Layers | Self::Vertices => 240.0,
            // Tall enough for two findings of three lines.
            Self::Problems => 176.0,
            Self::Timeline => 320.0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_panel_has_the_name_of_its_command_and_a_unique_focus_id() {
        for pane in Pane::ALL {
            assert_eq!(Pane::of(pane.named()), pane);
            assert_eq!(pane.named().label(), pane.title().to_lowercase());
        }
        let ids: std::collections::BTreeSet<String> =
            Pane::ALL.iter().map(|p| format!("{:?}", p.focus_id())).collect();
        assert_eq!(ids.len(), Pane::ALL.len());
    }
}
