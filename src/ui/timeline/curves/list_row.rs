//! Rows of the curve list: background, texts and icons.

use egui::{Align2, Color32, Painter, Rect, Role, Sense, Ui, WidgetInfo, pos2, vec2};
use egui_material_icons::icons;

use super::{super::sheet_layout::Sheet, model::CurvesModel};
use crate::ui::{Theme, theme::Font, widgets::paint_icon};
use ulna_render::ColorRole;

/// Distance between icons of a row, in points.
pub(super) const SLOT: f32 = 18.0;

/// Curve list while it is drawn.
pub(super) struct List<'a> {
    pub sheet: &'a Sheet<'a>,
    pub model: &'a CurvesModel,
    /// Visible part of the list between header and footer.
    pub seen: Rect,
    pub painter: Painter,
}

/// Clickable icon of a row: position, name and appearance.
pub(super) struct Slot<'a> {
    pub place: f32,
    pub name: &'a str,
    pub icon: egui_material_icons::MaterialIcon,
    pub on: bool,
    /// Whether the icon is drawn even if it is off and the pointer is elsewhere.
    pub always: bool,
}

impl List<'_> {
    pub(super) fn color(&self, role: ColorRole) -> Color32 {
        self.sheet.view.theme.color(role)
    }

    pub(super) fn text(&self, rect: Rect, x: f32, text: &str, font: Font, color: Color32) -> f32 {
        let at = pos2(rect.left() + x, rect.center().y);
        let drawn = self.painter.text(at, Align2::LEFT_CENTER, text, Theme::font(font), color);
        drawn.right() - rect.left()
    }

    pub(super) fn mark(
        &self,
        rect: Rect,
        place: f32,
        icon: egui_material_icons::MaterialIcon,
        color: Color32,
    ) {
        let at = pos2(rect.right() - 14.0 - place * SLOT, rect.center().y);
        paint_icon(&self.painter, at, icon, 14.0, color);
    }

    /// Draws a clickable icon. Returns whether it was clicked.
    pub(super) fn slot(&self, ui: &Ui, rect: Rect, near: bool, slot: &Slot<'_>) -> bool {
        let at = pos2(rect.right() - 14.0 - slot.place * SLOT, rect.center().y);
        let area = Rect::from_center_size(at, vec2(SLOT, rect.height())).intersect(self.seen);
        if !area.is_positive() {
            return false;
        }
        let response = ui.interact(area, ui.scope_id().with(("slot", slot.name)), Sense::click());
        response.widget_info(|| WidgetInfo::selected(Role::Button, true, slot.on, slot.name));
        if slot.on || slot.always || near || response.has_focus() {
            let role = match (slot.on && !slot.always, response.hovered()) {
                (true, _) | (_, true) => ColorRole::TextPrimary,
                (false, false) if slot.on => ColorRole::TextSecondary,
                (false, false) => ColorRole::TextDisabled,
            };
            self.mark(rect, slot.place, slot.icon, self.color(role));
        }
        response.on_hover_text(slot.name).clicked()
    }

    /// Draws the background of a row and handles its clicks; `None` if the row is not visible.
    pub(super) fn ground(
        &self,
        ui: &Ui,
        rect: Rect,
        salt: impl std::hash::Hash + std::fmt::Debug,
        name: &str,
        selected: bool,
    ) -> Option<egui::Response> {
        let area = rect.intersect(self.seen);
        if !area.is_positive() {
            return None;
        }
        let response = ui.interact(area, ui.scope_id().with(("curve row", salt)), Sense::click());
        response.widget_info(|| WidgetInfo::selected(Role::TreeItem, true, selected, name));
        let whole = Rect::from_x_y_ranges(self.seen.x_range(), rect.y_range());
        if selected {
            self.painter.rect_filled(whole, 0.0, self.color(ColorRole::SelectionTint));
            let bar = Rect::from_min_size(rect.min, vec2(2.0, rect.height()));
            self.painter.rect_filled(bar, 0.0, self.color(ColorRole::SelectionBase));
        } else if ui.rect_contains_pointer(whole.intersect(self.seen)) {
            self.painter.rect_filled(whole, 0.0, self.color(ColorRole::SurfaceRowHover));
        }
        Some(response)
    }

    /// Draws the arrow that expands or collapses a row. Returns whether it was clicked.
    pub(super) fn arrow(&self, ui: &Ui, rect: Rect, x: f32, open: bool, name: &str) -> bool {
        let at = pos2(rect.left() + x, rect.center().y);
        let area = Rect::from_center_size(at, vec2(18.0, 20.0)).intersect(self.seen);
        if !area.is_positive() {
            return false;
        }
        let response = ui.interact(area, ui.scope_id().with(("fold", name)), Sense::click());
        response.widget_info(|| WidgetInfo::selected(Role::Button, true, open, name));
        let icon = if open { icons::ICON_EXPAND_MORE } else { icons::ICON_CHEVRON_RIGHT };
        paint_icon(&self.painter, at, icon, 15.0, self.color(ColorRole::TextTertiary));
        response.clicked()
    }
}

pub(super) const fn eye(on: bool) -> egui_material_icons::MaterialIcon {
    if on { icons::ICON_VISIBILITY } else { icons::ICON_VISIBILITY_OFF }
}
