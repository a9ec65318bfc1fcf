//! Panels: they read a [`View`] and push [`Action`]s. Nothing is changed here but what a panel keeps for itself, such as
//! which rows are open.

mod action;
mod bars;
mod dialogs;
mod edits;
mod inspector;
mod menu;
mod outliner;
mod problems;
mod settings;
mod status;
pub mod theme;
mod timeline;
mod viewport;
mod widgets;

use egui::{CentralPanel, Frame, Margin, Panel, Ui};

pub use self::{
    action::{Action, Actions, Dialog, JobView, Shown, Toast, ToastKind, Tool, View, Wish, node_text},
    settings::{Length, Orbit, Settings, ThemeChoice},
    theme::Theme,
};

/// What the panels keep from frame to frame.
#[derive(Clone, Debug, Default)]
pub struct Panels {
    outliner: outliner::OutlinerState,
    timeline: timeline::TimelineState,
    viewport: viewport::ViewportState,
    inspector: inspector::InspectorState,
}

impl Panels {
    /// Another file was opened: what belonged to the old one is forgotten.
    pub fn reset(&mut self) {
        *self = Self::default();
    }

    /// Scrolls the outliner to a node.
    pub fn reveal(&mut self, view: &View<'_>, node: crate::model::NodeId) {
        self.outliner.reveal(view, node);
    }
}

/// The whole window.
pub fn window_ui(panels: &mut Panels, ui: &mut Ui, view: &View<'_>, actions: &mut Actions) {
    let theme = view.theme;
    let bar = |role: &str| Frame::new().fill(theme.color(role)).inner_margin(Margin::symmetric(8, 0));
    Panel::top("menu").exact_size(Theme::size("menu_bar")).frame(bar("surface.bar")).show_separator_line(false).show(
        ui,
        |ui| {
            menu::menu_ui(ui, view, actions);
        },
    );
    Panel::top("toolbar").exact_size(Theme::size("toolbar")).frame(bar("surface.bar")).show_separator_line(false).show(
        ui,
        |ui| {
            bars::toolbar_ui(ui, view, actions);
        },
    );
    Panel::bottom("status")
        .exact_size(Theme::size("status_bar"))
        .frame(bar("surface.bar"))
        .show_separator_line(false)
        .show(ui, |ui| {
            status::status_ui(ui, view, actions);
        });
    let panel = Frame::new().fill(theme.color("surface.panel"));
    if view.shown.timeline {
        Panel::bottom("timeline").resizable(true).default_size(300.0).size_range(120.0..=700.0).frame(panel).show(
            ui,
            |ui| {
                fill(ui);
                timeline::timeline_ui(&mut panels.timeline, ui, view, actions);
            },
        );
    }
    if view.shown.outliner {
        Panel::left("outliner")
            .resizable(true)
            .default_size(Theme::size("outliner"))
            .size_range(180.0..=480.0)
            .frame(panel)
            .show(ui, |ui| {
                fill(ui);
                outliner::outliner_ui(&mut panels.outliner, ui, view, actions);
            });
    }
    if view.shown.inspector {
        Panel::right("inspector")
            .resizable(true)
            .default_size(Theme::size("inspector"))
            .size_range(300.0..=480.0)
            .frame(panel)
            .show(ui, |ui| {
                fill(ui);
                Panel::bottom("problems")
                    .resizable(true)
                    .default_size(150.0)
                    .size_range(60.0..=400.0)
                    .frame(panel)
                    .show(ui, |ui| {
                        fill(ui);
                        problems::problems_ui(ui, view, actions);
                    });
                CentralPanel::no_frame()
                    .show(ui, |ui| inspector::inspector_ui(&mut panels.inspector, ui, view, actions));
            });
    }
    CentralPanel::no_frame().show(ui, |ui| viewport::viewport_ui(&mut panels.viewport, ui, view, actions));
    dialogs::dialogs_ui(ui, view, actions);
    dialogs::toasts_ui(ui, view, actions);
}

/// Takes all the room a panel has: one with little in it must not shrink and stay small.
fn fill(ui: &mut Ui) {
    let room = ui.max_rect();
    ui.expand_to_include_rect(room);
}
