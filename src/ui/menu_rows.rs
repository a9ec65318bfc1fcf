//! Rows of context menus: a header that names the target, rows with an icon and a key, submenus,
//! and separators.

use std::borrow::Cow;

use egui::{
    Align2, Color32, FontId, Id, PointerButton, Rect, RectAlign, Response, Role, Sense, Stroke,
    Tooltip, Ui, WidgetInfo, pos2, vec2,
};
use egui_material_icons::icons;

use super::{
    Action, Actions, Theme, View,
    command_icons::command_icon,
    popups,
    theme::Font,
    weight_marks::heat_color,
    widgets::{crisp, cut, elided, icon_font, joint_icon},
};
use ulna_edit::{Command, CommandSpec, key_parts};
use ulna_render::{ColorRole, Measure};

/// Minimum and maximum width of a row, in points. The menu adds its padding on both sides.
const WIDTH: std::ops::RangeInclusive<f32> = 228.0..=256.0;
/// Minimum width of a row in a submenu, in points.
const NARROW: f32 = 160.0;
/// Padding at both ends of a row, in points.
const PADDING: f32 = 8.0;
/// Size in points of an icon, a check mark, and the arrow of a submenu.
const SLOT: f32 = 16.0;
/// Left edge of the titles in points, after the icon slot.
const TITLE: f32 = PADDING + SLOT + 8.0;

/// Function that paints a mark at a point, in the color of icons.
pub type Mark<'a> = Box<dyn Fn(&egui::Painter, &Theme, egui::Pos2, Color32) + 'a>;

/// A menu row before it is drawn.
pub struct Row<'a> {
    title: Cow<'a, str>,
    icon: Option<&'a str>,
    note: Cow<'a, str>,
    key: String,
    help: Cow<'a, str>,
    enabled: Result<(), Cow<'a, str>>,
    checked: Option<bool>,
    leads_on: bool,
    color: Option<Color32>,
    /// Function that paints a mark in place of the icon.
    paints: Option<Mark<'a>>,
    /// Accessible name; `None` uses the title.
    said: Option<String>,
    /// Fraction 0 to 1, drawn on the right as a bar with a percentage.
    share: Option<f32>,
}

impl<'a> Row<'a> {
    /// Creates a row with a title.
    pub fn new(title: impl Into<Cow<'a, str>>) -> Self {
        Self {
            title: title.into(),
            icon: None,
            note: Cow::Borrowed(""),
            key: String::new(),
            help: Cow::Borrowed(""),
            enabled: Ok(()),
            checked: None,
            leads_on: false,
            color: None,
            paints: None,
            said: None,
            share: None,
        }
    }

    /// Creates the row of a command, with its title, icon, key and help. It is disabled with a
    /// reason if the command is unavailable.
    pub fn of(view: &View<'_>, spec: &'static CommandSpec) -> Self {
        Self {
            icon: command_icon(spec),
            key: key_text(view, spec),
            help: Cow::Borrowed(spec.help),
            enabled: spec.check(&view.availability).map_err(Cow::Borrowed),
            ..Self::new(spec.menu_title())
        }
    }

    /// Replaces the title.
    pub fn title(self, title: impl Into<Cow<'a, str>>) -> Self {
        Self { title: title.into(), ..self }
    }

    /// Sets the icon: a character of the icon font.
    pub fn icon(self, icon: &'a str) -> Self {
        Self { icon: Some(icon), ..self }
    }

    /// Removes the icon.
    pub fn plain(self) -> Self {
        Self { icon: None, ..self }
    }

    /// Adds a short text after the title.
    pub fn note(self, note: impl Into<Cow<'a, str>>) -> Self {
        Self { note: note.into(), ..self }
    }

    /// Shows the key of a command on the right.
    pub fn key_of(self, view: &View<'_>, spec: &CommandSpec) -> Self {
        Self { key: key_text(view, spec), ..self }
    }

    /// Removes the key on the right.
    pub fn keyless(self) -> Self {
        Self { key: String::new(), ..self }
    }

    /// Sets the tooltip.
    pub fn help(self, help: impl Into<Cow<'a, str>>) -> Self {
        Self { help: help.into(), ..self }
    }

    /// Disables the row for a reason, unless it is disabled already.
    pub fn unless(self, reason: Option<impl Into<Cow<'a, str>>>) -> Self {
        match reason {
            Some(reason) if self.enabled.is_ok() => Self { enabled: Err(reason.into()), ..self },
            _ => self,
        }
    }

    /// Enables the row even if the command alone would lack arguments, because the menu supplies
    /// them.
    pub fn enabled(self) -> Self {
        Self { enabled: Ok(()), ..self }
    }

    /// Adds a check mark for a switch that is on, or an empty slot for one that is off.
    pub fn checked(self, on: bool) -> Self {
        Self { checked: Some(on), ..self }
    }

    /// Sets the color of icon and title.
    pub fn color(self, color: Color32) -> Self {
        Self { color: Some(color), ..self }
    }

    /// Paints a mark in place of the icon.
    pub fn painted(self, paints: Mark<'a>) -> Self {
        Self { paints: Some(paints), ..self }
    }

    /// Paints a joint in place of the icon.
    pub fn joint(self) -> Self {
        self.painted(Box::new(|painter, _, at, color| joint_icon(painter, at, color)))
    }

    /// Sets the accessible name if the title alone is unclear.
    pub fn said(self, said: impl Into<String>) -> Self {
        Self { said: Some(said.into()), ..self }
    }

    /// Adds a bar and a percentage on the right.
    pub fn share(self, share: f32) -> Self {
        Self { share: Some(share), ..self }
    }
}

/// Key of a command as menus show it, such as `Ctrl C`.
fn key_text(view: &View<'_>, spec: &CommandSpec) -> String {
    key_parts(view.settings.keys.key(spec.name)).join(" ")
}

/// A menu that is being filled with rows.
pub struct MenuRows<'a> {
    pub ui: &'a mut Ui,
    pub view: &'a View<'a>,
    pub actions: &'a mut Actions,
    /// Rows that can have the focus, with the first letter of their titles.
    entries: Vec<(Id, Option<char>)>,
    /// True if a separator precedes the next row.
    parted: bool,
    /// True if rows have a slot for a check mark before their icon.
    marks: bool,
    /// True if the menu already has a row.
    begun: bool,
    /// Minimum width of a row, in points.
    least: f32,
}

impl<'a> MenuRows<'a> {
    fn new(ui: &'a mut Ui, view: &'a View<'a>, actions: &'a mut Actions, least: f32) -> Self {
        ui.spacing_mut().item_spacing.y = 0.0;
        ui.set_min_width(least);
        ui.set_max_width(*WIDTH.end());
        Self {
            ui,
            view,
            actions,
            least,
            entries: Vec::new(),
            parted: false,
            marks: false,
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
        let room = *WIDTH.end() - 2.0 * PADDING;
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

    /// Adds a row that closes the menu when chosen. Returns whether it was chosen.
    pub fn row(&mut self, row: Row<'_>) -> bool {
        let chosen = self.lasting_row(row);
        if chosen {
            self.ui.close();
        }
        chosen
    }

    /// Adds a row that leaves the menu open. Returns whether it was chosen.
    pub fn lasting_row(&mut self, row: Row<'_>) -> bool {
        let enabled = row.enabled.is_ok();
        let response = self.add(row);
        enabled && (response.clicked() || is_released_on(&response))
    }

    /// Adds a row that opens a submenu.
    pub fn submenu(&mut self, row: Row<'_>, fill: impl FnOnce(&mut MenuRows<'_>)) {
        let enabled = row.enabled.is_ok();
        let response = self.add(Row { leads_on: true, ..row });
        if !enabled {
            return;
        }
        let (view, actions) = (self.view, &mut *self.actions);
        popups::submenu_of(self.ui, &response, |ui| {
            let mut rows = MenuRows::new(ui, view, actions, NARROW);
            fill(&mut rows);
            rows.type_letter();
        });
    }

    /// Adds custom widgets between rows.
    pub fn own(&mut self, add: impl FnOnce(&mut Ui, &mut Actions)) {
        if std::mem::take(&mut self.parted) {
            self.line();
        }
        self.begun = true;
        add(self.ui, self.actions);
    }

    /// Allocates a row with the width of the menu.
    fn allocate(&mut self, wide: f32, sense: Sense) -> (Rect, Response) {
        let least = wide.clamp(self.least, *WIDTH.end());
        // In the first pass, egui measures the width of the menu.
        let sizing = self.ui.is_sizing_pass();
        let width = if sizing { least } else { self.ui.available_width().max(self.least) };
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
        self.paint(rect, &response, &row, (lead, &shown), &fonts);
        if enabled {
            let letter = row.title.chars().next();
            self.entries.push((response.id, letter.map(|c| c.to_ascii_lowercase())));
        }
        let reason = row.enabled.as_ref().err();
        let about = reason.map_or(&*row.help, |reason| &**reason);
        beside(&response, about);
        response
    }

    fn paint(
        &self,
        rect: Rect,
        response: &Response,
        row: &Row<'_>,
        (lead, title): (f32, &str),
        fonts: &Fonts,
    ) {
        let theme = self.view.theme;
        let painter = self.ui.painter();
        let enabled = row.enabled.is_ok();
        let open = row.leads_on && popups::is_submenu_open(self.ui, response);
        let lit = enabled && (response.contains_pointer() || response.has_focus() || open);
        if lit {
            painter.rect_filled(rect, 4.0, theme.color(ColorRole::SurfaceControlHover));
        }
        if response.has_focus() {
            let ring = Stroke::new(1.0, theme.color(ColorRole::AccentBase));
            painter.rect_stroke(rect, 4.0, ring, egui::StrokeKind::Inside);
        }
        let shade = |color: Color32| if enabled { color } else { color.gamma_multiply(0.45) };
        let of = |role| shade(theme.color(role));
        let middle = |x: f32| pos2(x, rect.center().y);
        let icon_color = row.color.map_or_else(
            || of(if lit { ColorRole::TextPrimary } else { ColorRole::TextSecondary }),
            shade,
        );
        if row.checked == Some(true) {
            let at = middle(rect.left() + PADDING + SLOT * 0.5);
            let check = icons::ICON_CHECK.codepoint;
            let color = of(ColorRole::AccentText);
            painter.text(at, Align2::CENTER_CENTER, check, icon_font(SLOT, false), color);
        }
        let at = middle(rect.left() + lead - 8.0 - SLOT * 0.5);
        if let Some(paints) = &row.paints {
            paints(painter, theme, at, icon_color);
        } else if let Some(icon) = row.icon.filter(|_| row.checked.is_none() || self.marks) {
            painter.text(at, Align2::CENTER_CENTER, icon, icon_font(SLOT, false), icon_color);
        }
        let text = row.color.map_or_else(|| of(ColorRole::TextPrimary), shade);
        let at = middle(rect.left() + lead);
        let drawn = painter.text(at, Align2::LEFT_CENTER, title, fonts.body.clone(), text);
        if !row.note.is_empty() {
            let at = middle(drawn.right() + PADDING);
            let color = of(ColorRole::TextTertiary);
            painter.text(at, Align2::LEFT_CENTER, &*row.note, fonts.body.clone(), color);
        }
        let mut right = rect.right() - PADDING;
        if row.leads_on {
            let arrow = icons::ICON_CHEVRON_RIGHT.codepoint;
            let at = middle(right - SLOT * 0.5 + 4.0);
            let color = of(ColorRole::TextSecondary);
            painter.text(at, Align2::CENTER_CENTER, arrow, icon_font(SLOT, false), color);
            right -= SLOT;
        }
        if let Some(share) = row.share {
            right = self.paint_share(middle(right), share, &fonts.number);
        }
        let color = of(ColorRole::TextTertiary);
        painter.text(middle(right), Align2::RIGHT_CENTER, &row.key, fonts.key.clone(), color);
    }

    /// Draws a bar with its percentage. Returns the left edge.
    fn paint_share(&self, at: egui::Pos2, share: f32, font: &FontId) -> f32 {
        let theme = self.view.theme;
        let painter = self.ui.painter();
        let text = percent(share);
        painter.text(
            at,
            Align2::RIGHT_CENTER,
            text,
            font.clone(),
            theme.color(ColorRole::TextPrimary),
        );
        let left = at.x - SHARE_NUMBER - SHARE_BAR;
        let bar = Rect::from_min_size(pos2(left, at.y - 2.0), vec2(SHARE_BAR, 4.0));
        painter.rect_filled(bar, 2.0, theme.color(ColorRole::SurfaceField));
        let full = Rect::from_min_size(bar.min, vec2(SHARE_BAR * share.clamp(0.0, 1.0), 4.0));
        painter.rect_filled(full, 2.0, heat_color(share));
        left
    }

    /// Moves the focus to the next row whose title starts with the typed letter.
    fn type_letter(&self) {
        let typed = self.ui.input(|i| {
            i.events.iter().find_map(|event| match event {
                egui::Event::Text(text) => text.chars().next().map(|c| c.to_ascii_lowercase()),
                _ => None,
            })
        });
        let Some(typed) = typed.filter(|_| popups::is_deepest(self.ui)) else { return };
        let focused = self.ui.memory(|m| m.focused());
        let after = self.entries.iter().position(|(id, _)| Some(*id) == focused);
        let mut following =
            self.entries.iter().cycle().skip(after.map_or(0, |k| k + 1)).take(self.entries.len());
        if let Some((id, _)) = following.find(|(_, letter)| *letter == Some(typed)) {
            self.ui.memory_mut(|m| m.request_focus(*id));
        }
    }
}

/// Width of the bar, in points.
const SHARE_BAR: f32 = 58.0;
/// Width of the percentage, in points.
const SHARE_NUMBER: f32 = 58.0;

/// Fonts of a row.
struct Fonts {
    body: FontId,
    key: FontId,
    number: FontId,
}

impl Fonts {
    fn new() -> Self {
        Self {
            body: Theme::font(Font::Body),
            key: Theme::font(Font::NumberSmall),
            number: Theme::font(Font::Number),
        }
    }

    /// Width of the content on the right of a row, including the gap before it.
    fn right(&self, ui: &Ui, row: &Row<'_>) -> f32 {
        let key = match &*row.key {
            "" => 0.0,
            key => width_of(ui, key, &self.key) + 16.0,
        };
        let arrow = if row.leads_on { SLOT + 4.0 } else { 0.0 };
        let share = if row.share.is_some() { SHARE_BAR + SHARE_NUMBER + 8.0 } else { 0.0 };
        key + arrow + share
    }
}

/// Percentage with one decimal.
fn percent(share: f32) -> String {
    format!("{:.1} %", share * 100.0)
}

fn width_of(ui: &Ui, text: &str, font: &FontId) -> f32 {
    if text.is_empty() {
        return 0.0;
    }
    ui.painter().layout_no_wrap(text.to_owned(), font.clone(), Color32::WHITE).size().x
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
    let mut rows = MenuRows::new(ui, view, actions, *WIDTH.start());
    fill(&mut rows);
    rows.type_letter();
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

/// Shows a popup with rows.
pub fn show_popup(
    popup: egui::Popup<'_>,
    view: &View<'_>,
    actions: &mut Actions,
    fill: impl FnOnce(&mut MenuRows<'_>),
) {
    popups::show_popup(popup, |ui| self::fill(ui, view, actions, fill));
}
