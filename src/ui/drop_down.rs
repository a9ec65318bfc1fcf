//! Drop-down lists, and the rows of all lists with one chosen option. The rows look like rows of
//! menus.

use std::borrow::Cow;

use egui::{
    Align2, Color32, Key, Modifiers, Response, RichText, Role, ScrollArea, Sense, Ui, WidgetInfo,
    containers::menu::menu_style, pos2, style::StyleModifier, vec2,
};
use egui_material_icons::icons;

use super::{
    menu_rows::{PADDING, SLOT, TITLE, width_of},
    theme::{Font, Theme},
    widgets::{elided, filter_field, icon_font, paint_icon, select_all},
};
use ulna_render::{ColorRole, Measure};

/// Creates a drop-down list with the chevron and the spacing that all lists share.
pub fn combo_box(salt: impl std::hash::Hash + std::fmt::Debug) -> egui::ComboBox<'static> {
    let dense = StyleModifier::new(|style| {
        menu_style(style);
        style.spacing.item_spacing.y = 0.0;
    });
    egui::ComboBox::from_id_salt(salt).popup_style(dense).icon(|ui, rect, visuals, _| {
        let chevron = icons::ICON_KEYBOARD_ARROW_DOWN;
        paint_icon(ui.painter(), rect.center(), chevron, 14.0, visuals.fg_stroke.color);
    })
}

/// Draws a drop-down list of choices with explanations. Its accessible name includes the current
/// choice.
pub fn choices<T: PartialEq + Copy>(
    ui: &mut Ui,
    name: &str,
    width: f32,
    list: &[(T, &str, &str)],
    now: &mut T,
) {
    let shown = list.iter().find(|(value, ..)| value == now).map_or("", |(_, text, _)| text);
    let combo = combo_box(name).selected_text(shown).width(width).show_ui(ui, |ui| {
        for (value, text, about) in list {
            if option_row(ui, value == now, text).on_hover_text(*about).clicked() {
                *now = *value;
            }
        }
    });
    combo
        .response
        .widget_info(|| WidgetInfo::labeled(Role::ComboBox, true, format!("{name}: {shown}")));
}

/// Draws an option of a list. The chosen option has a check mark.
pub fn option_row(ui: &mut Ui, on: bool, text: &str) -> Response {
    option_row_with(ui, on, text, "")
}

/// Draws an option of a list with a short note on the right.
pub fn option_row_with(ui: &mut Ui, on: bool, text: &str, note: &str) -> Response {
    /// Maximum width of a row that makes its list wider, in points.
    const MOST: f32 = 320.0;
    let (body, small) = (Theme::font(Font::Body), Theme::font(Font::NumberSmall));
    let note_width = if note.is_empty() { 0.0 } else { width_of(ui, note, &small) + 16.0 };
    let wanted = TITLE + width_of(ui, text, &body) + note_width + PADDING;
    // In the first pass, egui measures the width of the list.
    let width = if ui.is_sizing_pass() {
        wanted.min(MOST)
    } else {
        wanted.min(MOST).max(ui.available_width())
    };
    let sense = if ui.is_enabled() { Sense::click() } else { Sense::hover() };
    let (rect, response) = ui.allocate_exact_size(vec2(width, Measure::RowMenu.points()), sense);
    response.widget_info(|| WidgetInfo::selected(Role::Button, ui.is_enabled(), on, text));
    let shown = elided(ui, text, &body, rect.width() - TITLE - note_width - PADDING);
    let (painter, visuals) = (ui.painter(), ui.visuals());
    if response.contains_pointer() || response.has_focus() {
        painter.rect_filled(rect, 4.0, visuals.widgets.hovered.bg_fill);
    }
    let label = |x: f32, align: Align2, text: &str, font: egui::FontId, color: Color32| {
        painter.text(pos2(x, rect.center().y), align, text, font, color);
    };
    if on {
        let check = icons::ICON_CHECK.codepoint;
        let at = rect.left() + PADDING + SLOT * 0.5;
        let color = visuals.selection.stroke.color;
        label(at, Align2::CENTER_CENTER, check, icon_font(SLOT, false), color);
    }
    label(
        rect.left() + TITLE,
        Align2::LEFT_CENTER,
        &shown,
        body,
        visuals.widgets.inactive.text_color(),
    );
    if !note.is_empty() {
        let color = visuals.weak_text_color();
        label(rect.right() - PADDING, Align2::RIGHT_CENTER, note, small, color);
    }
    if shown == text { response } else { response.on_hover_text(text) }
}

/// Draws an option of a list that sets a value. Returns true if the value was changed.
pub fn option_value<T: PartialEq>(ui: &mut Ui, now: &mut T, value: T, text: &str) -> bool {
    let on = *now == value;
    let chosen = option_row(ui, on, text).clicked() && !on;
    if chosen {
        *now = value;
    }
    chosen
}

/// A list with a search field if it is long.
pub struct SearchedList<'a> {
    /// Hint of the search field, such as “Find a clip”.
    pub hint: &'a str,
    /// Text in place of an empty list.
    pub empty: &'a str,
    /// Texts of the options.
    pub labels: &'a [Cow<'a, str>],
    /// Maximum height of the rows, in points.
    pub height: f32,
}

impl SearchedList<'_> {
    /// Number of options above which the list has a search field.
    const FEW: usize = 8;

    /// Draws the list. `row` draws the option with an index. Returns the index of the clicked
    /// option, or of the first match if Enter was pressed.
    ///
    /// The search field has the focus when the list opens, so that typing searches without a click.
    pub fn show(
        &self,
        ui: &mut Ui,
        theme: &Theme,
        search: &mut String,
        mut row: impl FnMut(&mut Ui, usize) -> Response,
    ) -> Option<usize> {
        let labels = self.labels;
        ui.set_min_width(220.0);
        ui.spacing_mut().item_spacing.y = 0.0;
        if labels.len() > Self::FEW {
            let field = filter_field(ui, theme, search, self.hint);
            if opens(ui) {
                field.request_focus();
                select_all(ui.ctx(), field.id, search);
            }
            ui.add_space(4.0);
        }
        let needle = search.trim().to_lowercase();
        let mut found: Vec<(usize, u8)> = Vec::with_capacity(labels.len());
        for (k, label) in labels.iter().enumerate() {
            let label = label.to_lowercase();
            // Exact matches come first, then labels that start with the search text.
            let rank = if label == needle { 0 } else { 1 + u8::from(!label.starts_with(&needle)) };
            if label.contains(&needle) {
                found.push((k, rank));
            }
        }
        found.sort_by_key(|(_, rank)| *rank);
        if found.is_empty() {
            let nothing = format!("Nothing named “{}”", search.trim());
            let text = if labels.is_empty() { self.empty } else { &nothing };
            ui.label(RichText::new(text).color(theme.color(ColorRole::TextTertiary)));
        }
        let mut chosen = None;
        ScrollArea::vertical().max_height(self.height).auto_shrink([false, true]).show_rows(
            ui,
            Measure::RowMenu.points(),
            found.len(),
            |ui, shown| {
                for (k, _) in &found[shown] {
                    if row(ui, *k).clicked() {
                        chosen = Some(*k);
                    }
                }
            },
        );
        let enters =
            !needle.is_empty() && ui.input_mut(|i| i.consume_key(Modifiers::NONE, Key::Enter));
        if enters && chosen.is_none() {
            chosen = found.first().map(|(k, _)| *k);
        }
        chosen
    }
}

/// True in the first frame in which a list is visible.
fn opens(ui: &Ui) -> bool {
    // In the sizing pass, the list is invisible and cannot have the focus.
    if ui.is_sizing_pass() {
        return false;
    }
    let key = ui.scope_id().with("frame of the list");
    let frame = ui.ctx().cumulative_frame_nr();
    let last = ui.data_mut(|d| std::mem::replace(d.get_temp_mut_or(key, 0u64), frame));
    last + 1 < frame
}
