//! The panels by name: their titles, and their places where nobody moved them.

use egui_tiles::LinearDir;
use serde::{Deserialize, Serialize};

use ulna_edit::command::field::Panel;
use ulna_render::Measure;

/// A panel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Pane {
    /// Nodes and clips.
    Outliner,
    /// The picture.
    Viewport,
    /// Numbers of the selection.
    Inspector,
    /// The brush of Paint mode, and acts on many vertices.
    Brush,
    /// The joints that weights are painted for.
    Joints,
    /// Layers of weights.
    Layers,
    /// Selected vertices by number.
    Vertices,
    /// Problems of the file.
    Problems,
    /// Keys over time.
    Timeline,
}

/// The place of a panel in an arrangement that lacks it.
#[derive(Clone, Copy, Debug)]
pub(super) enum DefaultPlace {
    /// Beside a panel, or beside all of them; in a row or a column; after it or before it.
    Beside(Option<Pane>, LinearDir, bool),
    /// A tab beside that of another panel.
    Tab(Pane),
}

impl Pane {
    /// All of them, in the order in which F6 goes through them.
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

    /// Panels in which Paint mode shows its tools; the inspector is hidden then.
    pub const PAINTING: [Self; 4] = [Self::Brush, Self::Joints, Self::Layers, Self::Vertices];

    /// Id that has the focus while the panel as a whole has it.
    pub fn focus_id(self) -> egui::Id {
        egui::Id::unique(("panel", self as u8))
    }

    /// The name of the panel, in its title and on its tab.
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

    /// The panel that a command names.
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

    /// The panel as a command names it.
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

    /// Whether it belongs in the column at the side, which becomes tabs in a small window.
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

    /// Whether it can be taken out of the arrangement. All others stand around the viewport.
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

    /// Points of its first size; the viewport takes the rest.
    pub(super) fn points(self) -> f32 {
        match self {
            Self::Outliner => Measure::Outliner.points(),
            Self::Viewport => 800.0,
            Self::Inspector | Self::Joints => 420.0,
            // As tall as its content.
            Self::Brush => 700.0,
            Self::Layers | Self::Vertices => 240.0,
            Self::Problems => 150.0,
            Self::Timeline => 320.0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_panel_has_its_name_in_commands_and_its_own_focus() {
        for pane in Pane::ALL {
            assert_eq!(Pane::of(pane.named()), pane);
            assert_eq!(pane.named().label(), pane.title().to_lowercase());
        }
        let ids: std::collections::BTreeSet<String> =
            Pane::ALL.iter().map(|p| format!("{:?}", p.focus_id())).collect();
        assert_eq!(ids.len(), Pane::ALL.len());
    }
}
