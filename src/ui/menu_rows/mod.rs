//! Rows of all menus: a header that names the target, rows with an icon and a key, submenus, and
//! separators.

mod paint;
mod row;

use std::borrow::Cow;

use egui::{
    Align2, Id, PointerButton, Rect, RectAlign, Response, Role, Sense, Stroke, Tooltip, Ui,
    WidgetInfo, pos2, vec2,
};

use egui_material_icons::icons;

use self::paint::{Fonts, RowPlace, paint_row};
pub use self::paint::{PADDING, SLOT, width_of};
pub use self::row::{Mark, Row};
use super::{
    Action, Actions, Pane, Theme, View, popups,
    theme::Font,
    widgets::{crisp, cut, elided, icon_font, name_widget},
};
use ulna_edit::{Command, CommandSpec};
use ulna_render::{ColorRole, Measure};

/// Minimum and maximum width of the rows of a menu, in points, without the padding of the menu.
#[derive(Clone, Copy, Debug)]
struct Widths {
    least: f32,
    most: f32,
}

impl Widths {
    /// Context menus, and menus of buttons.
    const CONTEXT: Self = Self { least: 228.0, most: 256.0 };
    /// Menus of the menu bar, which have the longest titles and keys.
    const BAR: Self = Self { least: 228.0, most: 420.0 };
    /// Lists of choices and toggles.
    const CHOICES: Self = Self { least: 152.0, most: 320.0 };

    /// Widths of rows in a submenu.
    const fn inside(self) -> Self {
        Self { least: 160.0, most: self.most.max(Self::CHOICES.most) }
    }

    /// Limits the widths so that the menu fits in the window.
    fn fitted(self, window: f32) -> Self {
        /// Minimum distance of rows from the edges of the window, in points.
        const EDGE: f32 = 24.0;
        let most = self.most.min(window - EDGE).max(1.0);
        Self { least: self.least.min(most), most }
    }
}

/// Left edge of the titles in points, after the icon slot.
pub const TITLE: f32 = PADDING + SLOT + 8.0;

/// A menu that is being filled with rows.
pub struct MenuRows<'a> {
    pub ui: &'a mut Ui,
    pub view: &'a View<'a>,
    pub actions: &'a mut Actions,
    /// Rows that can have the focus, with the first letter of their titles.
    entries: Vec<(Id, Option<char>)>,
    /// Rows that open a submenu, and the rows of these submenus.
    inner: Vec<Id>,
    /// True if a separator precedes the next row.
    parted: bool,
    /// True if rows have a slot for a check mark before their icon.
    marks: bool,
    /// True if the menu stays open after a row was chosen.
    stays_open: bool,
    /// True if the menu already has a row.
    begun: bool,
    widths: Widths,
}

impl<'a> MenuRows<'a> {
    fn new(ui: &'a mut Ui, view: &'a View<'a>, actions: &'a mut Actions, widths: Widths) -> Self {
        let widths = widths.fitted(ui.ctx().content_rect().width());
        ui.spacing_mut().item_spacing.y = 0.0;
        ui.set_min_width(widths.least);
        // Once the menu has found its width, its rows are that wide.
        let most = if ui.is_sizing_pass() { widths.most } else { ui.available_width() };
        ui.set_max_width(most.clamp(widths.least, widths.most));
        Self {
            ui,
            view,
            actions,
            widths,
            entries: Vec::new(),
            inner: Vec::new(),
            parted: false,
            marks: false,
            stays_open: false,
            begun: false,
        }
    }

    /// Reserves space for check marks in all following rows.
    pub const fn with_marks(&mut self) {
        self.marks = true;
    }

    /// Draws the first row: the name of the target, and its kind or count.
    pub fn header(&mut self, name: &str, about: &str) {
        let theme = self.view.theme;
        let (bold, body) = (Theme::font(Font::Heading), Theme::font(Font::Body));
        let room = self.widths.most - 2.0 * PADDING;
        let about = cut(self.ui, about, &body, room * 0.6);
        let taken = width_of(self.ui, &about, &body);
        let gap = if about.is_empty() { 0.0 } else { PADDING };
        let shown = elided(self.ui, name, &bold, room - taken - gap);
        let wide = width_of(self.ui, &shown, &bold) + gap + taken + 2.0 * PADDING;
        let (rect, response) = self.allocate(wide, Sense::hover());
        let spoken = if about.is_empty() { name.to_owned() } else { format!("{name}, {about}") };
        response.widget_info(|| WidgetInfo::labeled(Role::Label, true, &spoken));
        let at = pos2(rect.left() + PADDING, rect.center().y);
        let painter = self.ui.painter();
        let primary = theme.color(ColorRole::TextPrimary);
        let text = painter.text(at, Align2::LEFT_CENTER, &shown, bold, primary);
        let at = pos2(text.right() + gap, rect.center().y);
        let tertiary = theme.color(ColorRole::TextTertiary);
        painter.text(at, Align2::LEFT_CENTER, about, body, tertiary);
        if shown != name {
            response.on_hover_text(name);
        }
    }

    /// Adds a title in a secondary color above a group of rows.
    pub fn title(&mut self, text: &str) {
        if std::mem::take(&mut self.parted) {
            self.line();
        }
        self.begun = true;
        let font = Theme::font(Font::Caption);
        let wide = width_of(self.ui, text, &font) + 2.0 * PADDING;
        let (rect, response) = self.allocate(wide, Sense::hover());
        response.widget_info(|| WidgetInfo::labeled(Role::Label, true, text));
        let at = pos2(rect.left() + PADDING, rect.center().y);
        let color = self.view.theme.color(ColorRole::TextTertiary);
        self.ui.painter().text(at, Align2::LEFT_CENTER, text, font, color);
    }

    /// Requests a separator before the next row. It is drawn only between rows.
    pub const fn separator(&mut self) {
        self.parted = self.begun;
    }

    /// Adds the row of a command, which applies to the selection and the shown data.
    pub fn command(&mut self, spec: &'static CommandSpec) {
        self.invoke(spec, Row::of(self.view, spec));
    }

    /// Adds the row of a command with a different title.
    pub fn command_as(&mut self, spec: &'static CommandSpec, title: impl Into<Cow<'static, str>>) {
        self.invoke(spec, Row::of(self.view, spec).title(title));
    }

    fn invoke(&mut self, spec: &'static CommandSpec, row: Row<'_>) {
        if self.row(row) {
            self.actions.push(Action::Invoke(spec));
        }
    }

    /// Adds a row that runs a command with arguments.
    pub fn run(&mut self, row: Row<'_>, command: impl FnOnce() -> Command) {
        if self.row(row) {
            self.actions.push(Action::Run(command()));
        }
    }

    /// Adds a row that pushes an action.
    pub fn act<A: Into<Action>>(&mut self, row: Row<'_>, action: impl FnOnce() -> A) {
        if self.row(row) {
            self.actions.push(action());
        }
    }

    /// Keeps the menu open after one of the following rows was chosen, so that several can be
    /// chosen.
    pub const fn stay_open(&mut self) {
        self.stays_open = true;
    }

    /// Adds a row. Returns true if it was chosen, which closes the menu unless it is kept open.
    pub fn row(&mut self, row: Row<'_>) -> bool {
        let enabled = row.enabled.is_ok();
        let response = self.add(row);
        let chosen = enabled && (response.clicked() || is_released_on(&response));
        if chosen && !self.stays_open {
            self.ui.close();
        }
        chosen
    }

    /// Adds a row that opens a submenu.
    pub fn submenu(&mut self, row: Row<'_>, fill: impl FnOnce(&mut MenuRows<'_>)) {
        let enabled = row.enabled.is_ok();
        let response = self.add(Row { leads_on: true, ..row });
        if !enabled {
            return;
        }
        let (view, actions, widths) = (self.view, &mut *self.actions, self.widths.inside());
        let inner = &mut self.inner;
        inner.push(response.id);
        popups::submenu_of(self.ui, &response, |ui| {
            let mut rows = MenuRows::new(ui, view, actions, widths);
            fill(&mut rows);
            rows.type_letter();
            inner.append(&mut rows.inner);
            inner.extend(rows.entries.iter().map(|(id, _)| *id));
        });
    }

    /// Adds other content between rows, with the padding of rows at both ends.
    pub fn own(&mut self, add: impl FnOnce(&mut Ui, &mut Actions)) {
        if std::mem::take(&mut self.parted) {
            self.line();
        }
        self.begun = true;
        let actions = &mut *self.actions;
        egui::Frame::new().inner_margin(egui::Margin::symmetric(8, 4)).show(self.ui, |ui| {
            ui.spacing_mut().item_spacing.y = 4.0;
            add(ui, actions);
        });
    }

    /// Allocates a row with the width of the menu.
    fn allocate(&mut self, wide: f32, sense: Sense) -> (Rect, Response) {
        let Widths { least, most } = self.widths;
        let wanted = wide.clamp(least, most);
        // In the first pass, egui measures the width of the menu.
        let sizing = self.ui.is_sizing_pass();
        let width = if sizing { wanted } else { self.ui.available_width().max(wanted) };
        self.ui.allocate_exact_size(vec2(width, Measure::RowMenu.points()), sense)
    }

    fn line(&mut self) {
        let theme = self.view.theme;
        let width = if self.ui.is_sizing_pass() { 1.0 } else { self.ui.available_width() };
        let (rect, _) = self.ui.allocate_exact_size(vec2(width, 9.0), Sense::hover());
        let stroke = Stroke::new(1.0, theme.color(ColorRole::StrokeControl));
        let y = crisp(self.ui, rect.center()).y;
        self.ui.painter().hline(rect.x_range().shrink(PADDING), y, stroke);
    }

    fn add(&mut self, row: Row<'_>) -> Response {
        if std::mem::take(&mut self.parted) {
            self.line();
        }
        self.begun = true;
        let enabled = row.enabled.is_ok();
        let fonts = Fonts::new();
        let lead = if self.marks { TITLE + SLOT + 8.0 } else { TITLE };
        let right = fonts.right(self.ui, &row);
        let note = width_of(self.ui, &row.note, &fonts.body);
        let note = if note > 0.0 { note + PADDING } else { 0.0 };
        let title = width_of(self.ui, &row.title, &fonts.body);
        let sense = if enabled { Sense::click() } else { Sense::hover() };
        let (rect, response) = self.allocate(lead + title + note + right + 2.0 * PADDING, sense);
        let role = if row.checked.is_some() { Role::MenuItemCheckBox } else { Role::MenuItem };
        let said = row.said.as_deref().unwrap_or(&row.title);
        response.widget_info(|| match row.checked {
            Some(on) => WidgetInfo::selected(role, enabled, on, said),
            None => WidgetInfo::labeled(role, enabled, said),
        });
        let room = rect.width() - lead - note - right - PADDING;
        let shown = elided(self.ui, &row.title, &fonts.body, room);
        let place = RowPlace { rect, lead, title: &shown, marks: self.marks };
        paint_row(self.ui, self.view.theme, place, &response, &row, &fonts);
        if enabled {
            let letter = row.title.chars().next();
            self.entries.push((response.id, letter.map(|c| c.to_ascii_lowercase())));
        }
        let reason = row.enabled.as_ref().err();
        let about = reason.map_or(&*row.help, |reason| &**reason);
        beside(&response, about);
        response
    }

    /// Moves the focus to the next row whose title starts with the typed letter.
    fn type_letter(&self) {
        let typed = self.ui.input(|i| {
            i.events.iter().find_map(|event| match event {
                egui::Event::Text(text) => text.chars().next().map(|c| c.to_ascii_lowercase()),
                _ => None,
            })
        });
        // Text typed into a field of the menu, or while a submenu is open, does not move the focus.
        let listens = !self.ui.ctx().text_edit_focused() && popups::is_deepest(self.ui);
        let Some(typed) = typed.filter(|_| listens) else { return };
        let focused = self.ui.memory(|m| m.focused());
        let after = self.entries.iter().position(|(id, _)| Some(*id) == focused);
        let mut following =
            self.entries.iter().cycle().skip(after.map_or(0, |k| k + 1)).take(self.entries.len());
        if let Some((id, _)) = following.find(|(_, letter)| *letter == Some(typed)) {
            self.ui.memory_mut(|m| m.request_focus(*id));
        }
    }
}

/// Shows a tooltip on the right of a row, so that it covers no other row.
fn beside(response: &Response, text: &str) {
    if text.is_empty() {
        return;
    }
    let mut tooltip = Tooltip::for_enabled(response);
    tooltip.popup = tooltip.popup.align(RectAlign::RIGHT_START).gap(8.0);
    tooltip.show(|ui| {
        ui.set_max_width(Measure::TooltipMax.points());
        ui.label(text);
    });
}

/// True if the right button was released on a row after a drag from outside the menu.
fn is_released_on(response: &Response) -> bool {
    let released = response
        .ctx
        .input(|i| i.pointer.button_released(PointerButton::Secondary) && !i.pointer.any_click());
    released && response.contains_pointer()
}

/// Shows the context menu of a widget. It opens beside the pointer and does not cover the clicked
/// row `clear`.
pub fn context_menu(
    response: &Response,
    clear: Option<Rect>,
    view: &View<'_>,
    actions: &mut Actions,
    fill: impl FnOnce(&mut MenuRows<'_>),
) {
    popups::context_menu(response, false, clear, |ui| self::fill(ui, view, actions, fill));
}

/// Shows the context menu of a panel's content. A key also opens it, at the position `at` or at the
/// center.
pub fn panel_menu(
    response: &Response,
    (pane, at): (Pane, Option<egui::Pos2>),
    view: &View<'_>,
    actions: &mut Actions,
    fill: impl FnOnce(&mut MenuRows<'_>),
) {
    let opens = popups::keyboard::asks_panel(&response.ctx, pane, at);
    popups::context_menu(response, opens, None, |ui| self::fill(ui, view, actions, fill));
}

/// Shows the context menu of a panel's title. A key also opens it if the panel has no other menu.
pub fn title_menu(
    response: &Response,
    pane: Pane,
    view: &View<'_>,
    actions: &mut Actions,
    fill: impl FnOnce(&mut MenuRows<'_>),
) {
    let opens = popups::keyboard::asks_title(&response.ctx, pane);
    popups::context_menu(response, opens, None, |ui| self::fill(ui, view, actions, fill));
}

/// Shows the context menu of an area. A right click on a widget inside the area also opens it.
pub fn context_menu_over(
    ui: &Ui,
    response: &Response,
    view: &View<'_>,
    actions: &mut Actions,
    fill: impl FnOnce(&mut MenuRows<'_>),
) {
    let area = response.rect;
    let opens = ui.rect_contains_pointer(area) && ui.input(|i| i.pointer.secondary_clicked());
    popups::context_menu(response, opens, Some(area), |ui| self::fill(ui, view, actions, fill));
}

/// Adds rows to an open menu.
pub fn fill(
    ui: &mut Ui,
    view: &View<'_>,
    actions: &mut Actions,
    fill: impl FnOnce(&mut MenuRows<'_>),
) {
    fill_within(ui, view, actions, Widths::CONTEXT, fill);
}

/// Adds rows to a menu of the menu bar. Returns the rows on which the left and right arrow keys
/// open and close submenus.
pub fn fill_of_bar(
    ui: &mut Ui,
    view: &View<'_>,
    actions: &mut Actions,
    fill: impl FnOnce(&mut MenuRows<'_>),
) -> Vec<Id> {
    fill_within(ui, view, actions, Widths::BAR, fill)
}

/// Adds rows to a menu that has room for long titles, because a key opens it over the panels.
pub fn fill_wide(
    ui: &mut Ui,
    view: &View<'_>,
    actions: &mut Actions,
    fill: impl FnOnce(&mut MenuRows<'_>),
) {
    fill_within(ui, view, actions, Widths::BAR, fill);
}

/// Adds rows to a list of choices or toggles.
pub fn fill_choices(
    ui: &mut Ui,
    view: &View<'_>,
    actions: &mut Actions,
    fill: impl FnOnce(&mut MenuRows<'_>),
) {
    fill_within(ui, view, actions, Widths::CHOICES, fill);
}

fn fill_within(
    ui: &mut Ui,
    view: &View<'_>,
    actions: &mut Actions,
    widths: Widths,
    fill: impl FnOnce(&mut MenuRows<'_>),
) -> Vec<Id> {
    let mut rows = MenuRows::new(ui, view, actions, widths);
    fill(&mut rows);
    rows.type_letter();
    rows.inner
}

/// Draws a button that opens a menu of rows.
pub fn menu_button<'t>(
    ui: &mut Ui,
    text: impl egui::IntoAtoms<'t>,
    view: &View<'_>,
    actions: &mut Actions,
    fill: impl FnOnce(&mut MenuRows<'_>),
) -> Response {
    popups::menu_button(ui, text, |ui| self::fill(ui, view, actions, fill))
}

/// Draws the ⋯ button, which opens a menu of more commands. It looks like the icon buttons beside
/// it.
pub fn more_button(
    ui: &mut Ui,
    view: &View<'_>,
    actions: &mut Actions,
    name: &str,
    fill: impl FnOnce(&mut MenuRows<'_>),
) {
    let size = Measure::IconButton.points();
    let icon = egui::RichText::new(icons::ICON_MORE_HORIZ.codepoint)
        .font(icon_font(18.0, false))
        .color(view.theme.color(ColorRole::TextSecondary));
    let button = egui::Button::new(icon).frame_when_inactive(false).min_size(vec2(size, size));
    let response = ui
        .scope(|ui| {
            ui.spacing_mut().button_padding.x = 0.0;
            popups::icon_menu_button(ui, button, |ui| self::fill(ui, view, actions, fill))
        })
        .inner;
    name_widget(ui, &response, name);
}

/// Shows a popup with rows.
pub fn show_popup(
    popup: egui::Popup<'_>,
    view: &View<'_>,
    actions: &mut Actions,
    fill: impl FnOnce(&mut MenuRows<'_>),
) {
    popups::show_popup(popup, |ui| self::fill(ui, view, actions, fill));
}
