//! Messages at the lower right, with the newest next to the status bar. Errors stay until they are
//! closed.

use egui::{Align2, Area, Id, Label, Order, Response, RichText, Sense, Ui, accesskit::Live, vec2};
use egui_material_icons::icons;

use crate::ui::{
    Actions, ProgramAction, Theme, Toast, ToastKind, View,
    retarget::PAGE_FOOT,
    theme::Font,
    widgets::{icon_button, name_widget, paint_icon},
};
use ulna_render::{ColorRole, Measure};

pub fn toasts_ui(ui: &Ui, view: &View<'_>, actions: &mut Actions) {
    if view.dialogs.toasts.is_empty() {
        return;
    }
    // The fields and buttons at the bottom of a page stay visible.
    let up =
        if view.retarget.is_some() { PAGE_FOOT + Measure::StatusBar.points() + 8.0 } else { 40.0 };
    let area = Area::new(Id::unique("toasts"))
        .order(Order::Foreground)
        .anchor(Align2::RIGHT_BOTTOM, vec2(-16.0, -up));
    area.show(ui.ctx(), |ui| {
        ui.spacing_mut().item_spacing.y = 4.0;
        let newest = view.dialogs.toasts.len() - 1;
        for (k, toast) in view.dialogs.toasts.iter().enumerate() {
            // Older messages are reduced to one line, unless they need an answer.
            let waits = toast.kind == ToastKind::Error || toast.verbs.iter().any(|v| v.0 != "Undo");
            toast_ui(ui, view.theme, (k, toast), (k == newest, k == newest || waits), actions);
        }
    });
}

fn toast_ui(
    ui: &mut Ui,
    theme: &Theme,
    (k, toast): (usize, &Toast),
    (newest, whole): (bool, bool),
    actions: &mut Actions,
) {
    let margin = egui::Margin::symmetric(10, if whole { 6 } else { 2 });
    let frame = egui::Frame::popup(ui.style())
        .fill(theme.color(ColorRole::SurfaceRaised))
        .inner_margin(margin);
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
                    let label = Label::new(
                        RichText::new(&toast.text).color(theme.color(ColorRole::TextPrimary)),
                    );
                    if whole {
                        let said = ui.add(label.wrap());
                        announce(ui, &said, toast.kind);
                        below(ui, (theme, newest), k, toast, actions);
                    } else {
                        ui.add(label.truncate()).on_hover_text(&toast.text);
                    }
                });
            });
            // Give each close button a unique name.
            let name = if newest {
                "Close message".to_owned()
            } else {
                format!("Close message {}", k + 1)
            };
            if icon_button(ui, theme, icons::ICON_CLOSE, &name, "", false, Ok(())).clicked() {
                actions.push(ProgramAction::CloseToast(k));
            }
        });
    });
    if shown.response.contains_pointer() {
        actions.push(ProgramAction::HoldToast(k));
    }
}

/// Announces a new message to screen readers: errors interrupt other speech, others wait.
fn announce(ui: &Ui, said: &Response, kind: ToastKind) {
    let live = match kind {
        ToastKind::Error => Live::Assertive,
        ToastKind::Ok | ToastKind::Note => Live::Polite,
    };
    ui.ctx().accesskit_node_builder(said.id, |node| node.set_live(live));
}

/// Shows the repetition count and the buttons.
fn below(
    ui: &mut Ui,
    (theme, newest): (&Theme, bool),
    k: usize,
    toast: &Toast,
    actions: &mut Actions,
) {
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
            let button = ui.button(*verb);
            if !newest {
                name_widget(ui, &button, &format!("{verb}, message {}", k + 1));
            }
            if button.clicked() {
                actions.push(ProgramAction::CloseToast(k));
                actions.push(action.clone());
            }
        }
    });
}
