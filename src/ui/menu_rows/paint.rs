//! Drawing of the rows of menus.

use egui::{Align2, Color32, FontId, Rect, Response, Ui, pos2, vec2};
use egui_material_icons::icons;

use super::row::Row;
use crate::ui::{
    popups,
    theme::{Font, Theme},
    weight_marks::heat_color,
    widgets::icon_font,
};
use ulna_render::ColorRole;

/// Padding at both ends of a row, in points.
pub const PADDING: f32 = 8.0;
/// Size in points of an icon, a check mark, and the arrow of a submenu.
pub const SLOT: f32 = 16.0;

/// Area of a row, and the part of its title that fits.
pub(super) struct RowPlace<'a> {
    pub rect: Rect,
    /// Distance from the left edge of the row to its title, in points.
    pub lead: f32,
    pub title: &'a str,
    /// True if the row has a column for a check mark before the icon.
    pub marks: bool,
}

/// Draws a row.
pub(super) fn paint_row(
    ui: &Ui,
    theme: &Theme,
    place: RowPlace<'_>,
    response: &Response,
    row: &Row<'_>,
    fonts: &Fonts,
) {
    let RowPlace { rect, lead, title, marks } = place;
    let painter = ui.painter();
    let enabled = row.enabled.is_ok();
    let open = row.leads_on && popups::is_submenu_open(ui, response);
    let lit = enabled && (response.contains_pointer() || response.has_focus() || open);
    if lit {
        painter.rect_filled(rect, 4.0, theme.color(ColorRole::SurfaceControlHover));
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
    } else if let Some(icon) = row.icon.filter(|_| row.checked.is_none() || marks) {
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
        right = paint_share((painter, theme), middle(right), share, &fonts.number);
    }
    let color = of(ColorRole::TextTertiary);
    painter.text(middle(right), Align2::RIGHT_CENTER, &row.key, fonts.key.clone(), color);
}

/// Draws a bar with its percentage. Returns the left edge.
fn paint_share(
    (painter, theme): (&egui::Painter, &Theme),
    at: egui::Pos2,
    share: f32,
    font: &FontId,
) -> f32 {
    let text = percent(share);
    painter.text(at, Align2::RIGHT_CENTER, text, font.clone(), theme.color(ColorRole::TextPrimary));
    let left = at.x - SHARE_NUMBER - SHARE_BAR;
    let bar = Rect::from_min_size(pos2(left, at.y - 2.0), vec2(SHARE_BAR, 4.0));
    painter.rect_filled(bar, 2.0, theme.color(ColorRole::SurfaceField));
    let full = Rect::from_min_size(bar.min, vec2(SHARE_BAR * share.clamp(0.0, 1.0), 4.0));
    painter.rect_filled(full, 2.0, heat_color(share));
    left
}

/// Width of the bar, in points.
const SHARE_BAR: f32 = 58.0;
const SHARE_NUMBER: f32 = 58.0;

/// Fonts of a row.
pub(super) struct Fonts {
    pub body: FontId,
    key: FontId,
    number: FontId,
}

impl Fonts {
    pub(super) fn new() -> Self {
        Self {
            body: Theme::font(Font::Body),
            key: Theme::font(Font::NumberSmall),
            number: Theme::font(Font::Number),
        }
    }

    /// Width of the content on the right of a row, including the gap before it.
    pub(super) fn right(&self, ui: &Ui, row: &Row<'_>) -> f32 {
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

/// Width of a text on one line, in points.
pub fn width_of(ui: &Ui, text: &str, font: &FontId) -> f32 {
    if text.is_empty() {
        return 0.0;
    }
    ui.painter().layout_no_wrap(text.to_owned(), font.clone(), Color32::WHITE).size().x
}
