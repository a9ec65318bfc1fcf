//! Drawing of one panel, docked or floating: its frame, its title as drag handle, and its tabs.

use std::collections::{BTreeMap, BTreeSet};

use egui::{
    Color32, CursorIcon, Id, Rect, Response, Role, Sense, Stroke, Ui, Visuals, WidgetInfo,
    WidgetText,
};
use egui_tiles::{
    Behavior, ResizeState, SimplificationOptions, TabState, Tabs, TileId, Tiles, UiResponse,
};

use super::pane::Pane;
use crate::ui::{
    Action, Actions, View,
    menu_rows::{self, Row},
    theme::{Font, Theme},
    widgets::title_rect,
};
use ulna_edit::command::ViewCommand;
use ulna_render::ColorRole;

/// Minimum size of a docked panel, in points.
const LEAST: f32 = 90.0;

/// Data that all panels of a frame share.
pub(super) struct PanelFrame<'a> {
    /// Draws the content of a panel.
    pub draw: &'a mut dyn FnMut(Pane, &mut Ui),
    /// Rectangles of the drawn panels.
    pub rects: &'a mut BTreeMap<Pane, Rect>,
    /// Actions that titles and tabs asked for.
    pub asked: Actions,
}

/// Draws a panel with its frame. `titled` is true if its title is already drawn above it. Returns
/// the rectangle of the title inside the content.
pub(super) fn panel_ui(
    frame: &mut PanelFrame<'_>,
    ui: &mut Ui,
    theme: &Theme,
    pane: Pane,
    titled: bool,
) -> Option<Rect> {
    let rect = ui.max_rect();
    frame.rects.insert(pane, rect);
    let whole = ui.interact(rect, pane.focus_id(), Sense::focusable_noninteractive());
    whole.widget_info(|| WidgetInfo::labeled(Role::Pane, true, format!("{} panel", pane.title())));
    let title = title_rect(ui, titled.then(|| pane.title()), |ui| (frame.draw)(pane, ui));
    // Drawn even if the window is inactive, so that the user sees which panel the keyboard will
    // control.
    if ui.memory(|m| m.has_focus(whole.id)) {
        let stroke = Stroke::new(2.0, theme.color(ColorRole::AccentBase));
        ui.painter().rect_stroke(rect, 0.0, stroke, egui::StrokeKind::Inside);
    }
    title.filter(|title| rect.contains_rect(*title))
}

/// Handles the context menu and double click of a panel's title or tab.
fn title_menu(response: &Response, pane: Pane, view: &View<'_>, asked: &mut Actions) {
    let panel = Some(pane.named());
    if response.double_clicked() {
        asked.push(Action::Run(ViewCommand::MaximizePanel { panel }.into()));
    }
    menu_rows::title_menu(response, pane, view, asked, |rows| {
        let row = |command: &ViewCommand, title| Row::of(view, command.spec()).title(title);
        let mut command_row = |title, command: ViewCommand| {
            rows.run(row(&command, title), || command.into());
        };
        command_row("Maximize", ViewCommand::MaximizePanel { panel });
        if pane.can_float() {
            command_row("Float", ViewCommand::FloatPanel { panel });
        }
        let hides = match pane {
            Pane::Outliner => Some(ViewCommand::Outliner),
            Pane::Inspector => Some(ViewCommand::Inspector),
            Pane::Problems => Some(ViewCommand::Problems),
            Pane::Timeline => Some(ViewCommand::Timeline),
            _ => None,
        };
        if let Some(command) = hides {
            command_row("Hide", command);
        }
    });
}

/// The docked panels, as callbacks for `egui_tiles`.
pub(super) struct Docked<'a, 'f> {
    pub view: &'a View<'a>,
    pub frame: PanelFrame<'f>,
    /// True in a narrow window, where five tabs must fit into a side panel.
    pub narrow: bool,
    /// Containers with visible tabs. They have several visible panels.
    pub bars: BTreeSet<u64>,
    /// Panels that have a tab above them.
    pub tabbed: BTreeSet<Pane>,
}

impl Behavior<Pane> for Docked<'_, '_> {
    /// True for panels, which are dragged by their titles and tabs. The empty bar behind tabs is no
    /// handle, because it has no accessible name.
    fn is_tile_draggable(&self, tiles: &Tiles<Pane>, id: TileId) -> bool {
        tiles.get_pane(&id).is_some()
    }

    fn pane_ui(&mut self, ui: &mut Ui, _: TileId, pane: &mut Pane) -> UiResponse {
        let titled = self.tabbed.contains(pane);
        let title = panel_ui(&mut self.frame, ui, self.view.theme, *pane, titled);
        // The title is the drag handle.
        let Some(title) = title else { return UiResponse::None };
        let id = Id::unique(("handle", *pane as u8));
        let handle = ui.interact(title, id, Sense::click_and_drag());
        handle.widget_info(|| {
            WidgetInfo::labeled(Role::Button, true, format!("Move panel {}", pane.title()))
        });
        title_menu(&handle, *pane, self.view, &mut self.frame.asked);
        let help = "Drag to dock elsewhere. Double-click to maximize";
        let handle = handle.on_hover_cursor(CursorIcon::Grab).on_hover_text(help);
        if handle.drag_started() { UiResponse::DragStarted } else { UiResponse::None }
    }

    fn tab_title_for_pane(&mut self, pane: &Pane) -> WidgetText {
        let font = if self.narrow { Font::Small } else { Font::Body };
        egui::RichText::new(pane.title()).font(Theme::font(font)).into()
    }

    fn tab_title_spacing(&self, _: &Visuals) -> f32 {
        if self.narrow { 4.0 } else { 8.0 }
    }

    fn on_tab_button(
        &mut self,
        tiles: &mut Tiles<Pane>,
        id: TileId,
        response: Response,
    ) -> Response {
        let pane = tiles.get_pane(&id).copied();
        let title = pane.map_or("Panels", Pane::title);
        response.widget_info(|| WidgetInfo::labeled(Role::Tab, true, format!("{title} tab")));
        if let Some(pane) = pane {
            title_menu(&response, pane, self.view, &mut self.frame.asked);
        }
        response
    }

    fn is_tab_bar_visible(&self, id: TileId, _: &Tabs) -> bool {
        self.bars.contains(&id.0)
    }

    fn tab_bar_height(&self, _: &egui::Style) -> f32 {
        28.0
    }

    fn gap_width(&self, _: &egui::Style) -> f32 {
        1.0
    }

    fn min_size(&self) -> f32 {
        LEAST
    }

    fn simplification_options(&self) -> SimplificationOptions {
        SimplificationOptions {
            all_panes_must_have_tabs: false,
            ..SimplificationOptions::default()
        }
    }

    fn resize_stroke(&self, _: &egui::Style, state: ResizeState) -> Stroke {
        let color = match state {
            ResizeState::Idle => self.view.theme.color(ColorRole::StrokeSeparator),
            ResizeState::Hovering => self.view.theme.color(ColorRole::StrokeStrong),
            ResizeState::Dragging => self.view.theme.color(ColorRole::AccentBase),
        };
        Stroke::new(if state == ResizeState::Idle { 1.0 } else { 2.0 }, color)
    }

    fn tab_bar_color(&self, _: &Visuals) -> Color32 {
        self.view.theme.color(ColorRole::SurfaceBar)
    }

    fn tab_bg_color(&self, _: &Visuals, _: &Tiles<Pane>, _: TileId, state: &TabState) -> Color32 {
        if state.active {
            self.view.theme.color(ColorRole::SurfacePanel)
        } else {
            Color32::TRANSPARENT
        }
    }

    fn tab_outline_stroke(&self, _: &Visuals, _: &Tiles<Pane>, _: TileId, _: &TabState) -> Stroke {
        Stroke::NONE
    }

    fn tab_text_color(&self, _: &Visuals, _: &Tiles<Pane>, _: TileId, state: &TabState) -> Color32 {
        self.view.theme.color(if state.active {
            ColorRole::TextPrimary
        } else {
            ColorRole::TextSecondary
        })
    }

    fn drag_preview_stroke(&self, _: &Visuals) -> Stroke {
        Stroke::new(2.0, self.view.theme.color(ColorRole::AccentBase))
    }

    fn drag_preview_color(&self, _: &Visuals) -> Color32 {
        self.view.theme.color(ColorRole::AccentBase).gamma_multiply(0.2)
    }
}
