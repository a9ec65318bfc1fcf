//! Messages at the lower right: the newest nearest the status bar, errors until they are closed.

use egui::{Align2, Area, Id, Label, Order, RichText, Sense, Ui, vec2};
use egui_material_icons::icons;

use crate::render::{ColorRole, Measure};
use crate::ui::ProgramAction;
use crate::ui::{
    Actions, Theme, Toast, ToastKind, View,
    theme::Font,
    widgets::{icon_button, paint_icon},
};

pub fn toasts_ui(ui: &Ui, view: &View<'_>, actions: &mut Actions) {
    if view.dialogs.toasts.is_empty() {
        return;
    }
    let area =
        Area::new(Id::unique("toasts")).order(Order::Foreground).anchor(Align2::RIGHT_BOTTOM, vec2(-16.0, -40.0));
    area.show(ui.ctx(), |ui| {
        ui.spacing_mut().item_spacing.y = 8.0;
        for (k, toast) in view.dialogs.toasts.iter().enumerate() {
            toast_ui(ui, view.theme, k, toast, actions);
        }
    });
}

fn toast_ui(ui: &mut Ui, theme: &Theme, k: usize, toast: &Toast, actions: &mut Actions) {
    let frame = egui::Frame::popup(ui.style()).fill(theme.color(ColorRole::SurfaceRaised)).inner_margin(12);
    let shown = frame.show(ui, |ui| {
        ui.set_width(Measure::Toast.points());
        ui.horizontal_top(|ui| {
            let (icon, role) = match toast.kind {
                ToastKind::Ok => (icons::ICON_CHECK_CIRCLE, ColorRole::SeverityOk),
                ToastKind::Note => (icons::ICON_INFO, ColorRole::SeverityInfo),
                ToastKind::Error => (icons::ICON_ERROR, ColorRole::SeverityError),
            };
            let (rect, _) = ui.allocate_exact_size(vec2(18.0, 20.0), Sense::hover());
            paint_icon(ui.painter(), rect.center(), icon, 18.0, theme.color(role));
            let width = ui.available_width() - 36.0;
            ui.allocate_ui(vec2(width, 20.0), |ui| {
                ui.set_width(width);
                ui.vertical(|ui| {
                    ui.add(Label::new(RichText::new(&toast.text).color(theme.color(ColorRole::TextPrimary))).wrap());
                    below(ui, theme, k, toast, actions);
                });
            });
            if icon_button(ui, theme, icons::ICON_CLOSE, "Close message", "", false, Ok(())).clicked() {
                actions.push(ProgramAction::CloseToast(k));
            }
        });
    });
    if shown.response.contains_pointer() {
        actions.push(ProgramAction::HoldToast(k));
    }
}

/// How often it was said, and what can be done about it.
fn below(ui: &mut Ui, theme: &Theme, k: usize, toast: &Toast, actions: &mut Actions) {
    if toast.times > 1 {
        let times = RichText::new(format!("×{}", toast.times)).font(Theme::font(Font::NumberSmall));
        ui.label(times.color(theme.color(ColorRole::TextTertiary)));
    }
    if toast.verbs.is_empty() {
        return;
    }
    ui.add_space(4.0);
    ui.horizontal(|ui| {
        for (verb, action) in &toast.verbs {
            if ui.button(*verb).clicked() {
                actions.push(ProgramAction::CloseToast(k));
                actions.push(action.clone());
            }
        }
    });
}
