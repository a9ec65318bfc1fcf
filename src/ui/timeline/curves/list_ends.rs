//! Header and footer of the curve list.

use egui::{Rect, Role, Sense, Stroke, Ui, WidgetInfo, pos2, vec2};
use egui_material_icons::icons;

use super::{
    super::{sheet_layout::Sheet, state::TimelineState},
    list_menus,
    list_row::{List, Slot, eye},
    model::CurvesModel,
    state::CurvesOf,
};
use crate::ui::{Actions, Theme, menu_rows, theme::Font, widgets::paint_icon};
use ulna_model::{Interpolation, Property};
use ulna_render::ColorRole;

/// Height of the footer, in points.
pub(super) const FOOT: f32 = 28.0;

/// Height of the note above the footer, in points.
pub(super) const NOTE: f32 = 64.0;

/// Note about the interpolation of a selected joint's rotation; `None` if it does not apply.
pub(super) fn note(sheet: &Sheet<'_>, model: &CurvesModel) -> Option<String> {
    let linear = model.shown.iter().find(|c| {
        c.selected_joint
            && c.property == Property::Rotation
            && c.track.interpolation == Interpolation::Linear
            && c.len() > 1
    })?;
    let document = sheet.view.session?.document();
    let label = document.node(linear.node?).label(linear.node?);
    Some(format!(
        "{label} is LINEAR: slerp between quaternion keys. Editing a tangent converts it to \
         CUBICSPLINE."
    ))
}

pub(super) fn note_ui(ui: &Ui, theme: &Theme, rect: Rect, text: &str) {
    let painter = ui.painter_at(rect);
    painter.rect_filled(rect, 0.0, theme.color(ColorRole::SurfacePanel));
    let plate = rect.shrink2(vec2(8.0, 4.0));
    painter.rect_filled(plate, 4.0, theme.color(ColorRole::SeverityInfoTint));
    let at = plate.min + vec2(14.0, 14.0);
    paint_icon(&painter, at, icons::ICON_INFO, 15.0, theme.color(ColorRole::SeverityInfo));
    let color = theme.color(ColorRole::TextPrimary);
    let room = plate.width() - 34.0;
    let text = painter.layout(text.to_owned(), Theme::font(Font::Caption), color, room);
    painter.galley(plate.min + vec2(28.0, 7.0), text, color);
}

impl List<'_> {
    pub(super) fn summary_ui(
        &self,
        state: &mut TimelineState,
        ui: &Ui,
        rect: Rect,
        actions: &mut Actions,
    ) {
        let painter = ui.painter_at(rect);
        painter.rect_filled(rect, 0.0, self.color(ColorRole::SurfaceTimelineSummary));
        let list = List { sheet: self.sheet, model: self.model, seen: rect, painter };
        list.text(rect, 14.0, "All channels", Font::Heading, self.color(ColorRole::TextPrimary));
        let (shown, all) = (self.model.shown.len(), self.model.listed.len());
        let count = format!("{shown} of {all}");
        let color = self.color(ColorRole::TextTertiary);
        list.text(rect, 112.0, &count, Font::Small, color);
        let (on, icon) = (shown > 0, eye(shown > 0));
        let slot = Slot { place: 0.0, name: "Show all curves", icon, on, always: true };
        if list.slot(ui, rect, true, &slot) {
            let choices = &mut state.curves.choices;
            choices.eyes.clear();
            choices.solo.clear();
            choices.of = if on { CurvesOf::None } else { CurvesOf::Moving };
        }
        let said = format!("All channels, {shown} of {all}");
        let area = Rect::from_min_max(rect.min, pos2(rect.right() - 30.0, rect.bottom()));
        let all = ui.interact(area, ui.scope_id().with("all channels"), Sense::click());
        all.widget_info(|| WidgetInfo::labeled(Role::Label, true, &said));
        menu_rows::context_menu(&all, Some(rect), self.sheet.view, actions, |rows| {
            list_menus::curves_rows(state, rows, ("All channels", &self.model.listed), None);
        });
    }

    pub(super) fn foot_ui(&self, state: &mut TimelineState, ui: &mut Ui, rect: Rect) {
        let painter = ui.painter_at(rect);
        painter.rect_filled(rect, 0.0, self.color(ColorRole::SurfacePanel));
        let edge = Stroke::new(1.0, self.color(ColorRole::StrokeSubtle));
        painter.hline(rect.x_range(), rect.top() + 0.5, edge);
        list_menus::foot_ui(&mut state.curves.choices.colors, ui, self.sheet.view.theme, rect);
    }
}
