//! What is in the timeline's place in Animate mode: the timeline, or the kept poses.

use egui::Ui;
use egui_material_icons::icons;

use super::{Actions, PosesAction, View, widgets::icon_button};

/// A button for the other one of them.
pub fn poses_tab_ui(ui: &mut Ui, view: &View<'_>, actions: &mut Actions) {
    let (icon, name) = match view.poses.in_animate {
        true => (icons::ICON_TIMELINE, "Back to the timeline"),
        false => (icons::ICON_ACCESSIBILITY_NEW, "Poses panel"),
    };
    if icon_button(ui, view.theme, icon, name, "", false, Ok(())).clicked() {
        actions.push(PosesAction::ShowInAnimate(!view.poses.in_animate));
    }
}
