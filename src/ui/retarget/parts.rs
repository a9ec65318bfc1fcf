//! Widgets that the page's panels share: sections, small texts, lengths.

use egui::{Align, Label, Layout, RichText, Sense, Stroke, Ui, vec2};
use egui_material_icons::icons;

use crate::ui::{
    Theme,
    theme::Font,
    widgets::{name_widget, paint_icon},
};
use ulna_render::ColorRole;

/// Margin between the edge and the content, in points.
pub(super) const MARGIN: f32 = 12.0;
/// Sliding in meters above which a locked foot is highlighted.
pub(super) const MOST_SLIDE: f32 = ulna_session::VISIBLE_SLIDE;

/// Text for a length in centimeters.
pub(super) fn centimeters(meters: f32) -> String {
    let value = meters * 100.0;
    // Uses a thin space before the unit.
    if value < 100.0 { format!("{value:.1}\u{2009}cm") } else { format!("{value:.0}\u{2009}cm") }
}

/// Draws the header that expands and collapses a section, with a remark after it and widgets on the
/// right. Returns whether the section is expanded.
pub(super) fn section(
    ui: &mut Ui,
    theme: &Theme,
    title: &str,
    remark: &str,
    right: impl FnOnce(&mut Ui),
) -> bool {
    let key = ui.scope_id().with((title, "closed"));
    let mut is_closed = ui.data(|d| d.get_temp::<bool>(key)).unwrap_or(false);
    ui.horizontal(|ui| {
        ui.set_min_height(28.0);
        ui.spacing_mut().item_spacing.x = 6.0;
        let (rect, response) = ui.allocate_exact_size(vec2(16.0, 24.0), Sense::click());
        let icon = if is_closed { icons::ICON_CHEVRON_RIGHT } else { icons::ICON_EXPAND_MORE };
        paint_icon(ui.painter(), rect.center(), icon, 16.0, theme.color(ColorRole::TextSecondary));
        name_widget(ui, &response, &format!("Section {title}"));
        let text = RichText::new(title).font(Theme::font(Font::Heading));
        let label = Label::new(text.color(theme.color(ColorRole::TextPrimary)));
        if response.clicked() | ui.add(label.sense(Sense::click())).clicked() {
            is_closed = !is_closed;
            ui.data_mut(|d| d.insert_temp(key, is_closed));
        }
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            right(ui);
            ui.with_layout(Layout::left_to_right(Align::Center), |ui| {
                small(ui, theme, remark, ColorRole::TextTertiary);
            });
        });
    });
    !is_closed
}

pub(super) fn small(ui: &mut Ui, theme: &Theme, text: &str, role: ColorRole) {
    let text = RichText::new(text).font(Theme::font(Font::Small)).color(theme.color(role));
    ui.add(Label::new(text).truncate());
}

pub(super) fn number(ui: &mut Ui, theme: &Theme, text: &str, role: ColorRole) {
    let text = RichText::new(text).font(Theme::font(Font::NumberSmall)).color(theme.color(role));
    ui.label(text);
}

pub(super) fn divider(ui: &mut Ui, theme: &Theme) {
    ui.add_space(6.0);
    let line = Stroke::new(1.0, theme.color(ColorRole::StrokeSubtle));
    let whole = ui.max_rect().expand2(vec2(MARGIN, 0.0));
    ui.painter().hline(whole.x_range(), ui.cursor().top(), line);
    ui.add_space(2.0);
}
