//! The mode switch at the right end of the menu bar.

use egui::{Role, Ui, WidgetInfo};

use super::{
    Action, Actions, Mode, View,
    chooser::chooser,
    widgets::{mark_place, segment, segments},
};

/// Window width in points below which the modes are a list.
const LIST: f32 = 680.0;
/// Width in points of the modes side by side, and as a list.
const WIDTH: (f32, f32) = (230.0, 104.0);

/// Width of the switch in points, for a given window width.
pub fn mode_switch_width(window: f32) -> f32 {
    if window < LIST { WIDTH.1 } else { WIDTH.0 }
}

/// Draws the modes side by side, or as a list in a narrow window. The layout is right-to-left.
pub fn mode_switch(ui: &mut Ui, view: &View<'_>, actions: &mut Actions) {
    if ui.ctx().content_rect().width() < LIST {
        mode_list(ui, view, actions);
        return;
    }
    segments(ui, view.theme, |ui| {
        for mode in Mode::ALL.into_iter().rev() {
            let (spec, on) = (mode.spec(), view.mode == mode);
            let response = segment(ui, view.theme, spec.label, on, true);
            response.widget_info(|| {
                WidgetInfo::selected(Role::Button, true, on, spec.command.spec().title)
            });
            mark_place(ui, spec.command.name(), response.rect);
            if response.clicked() {
                actions.push(Action::Run(spec.command.clone().into()));
            }
        }
    });
}

fn mode_list(ui: &mut Ui, view: &View<'_>, actions: &mut Actions) {
    let now = view.mode.spec().label;
    let modes = Mode::ALL.map(|mode| (mode, mode.spec().label, mode == view.mode));
    if let Some(mode) = chooser(ui, view, "Mode", now, &modes) {
        actions.push(Action::Run(mode.spec().command.clone().into()));
    }
}
