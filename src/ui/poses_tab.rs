//! The button that switches between the pose library and the timeline.

use egui::Ui;
use egui_material_icons::icons;

use super::{
    Actions, BottomPanel, PosesAction, View,
    widgets::{icon_button, name_widget},
};

/// Height of the transport row, in points.
pub const TRANSPORT: f32 = 36.0;

/// True if the pose library is shown below the transport of a clip.
pub fn is_under_transport(view: &View<'_>) -> bool {
    view.poses.in_animate
        && has_timeline(view)
        && view.timeline.playback.clip.is_some()
        && view.session.is_some_and(|s| !s.document().clips.is_empty())
}

/// True if the mode has a timeline, which the pose library can replace.
pub fn has_timeline(view: &View<'_>) -> bool {
    view.mode.spec().bottom_panel == BottomPanel::Timeline
}

/// Draws the button that shows the pose library in place of the timeline, or the timeline again.
pub fn poses_tab_ui(ui: &mut Ui, view: &View<'_>, actions: &mut Actions) {
    let clicked = if view.poses.in_animate {
        let button = ui.button("Back to timeline");
        name_widget(ui, &button, "Back to the timeline");
        button.clicked()
    } else {
        let icon = icons::ICON_ACCESSIBILITY_NEW;
        icon_button(ui, view.theme, icon, "Poses panel", "", false, Ok(())).clicked()
    };
    if clicked {
        actions.push(PosesAction::ShowInAnimate(!view.poses.in_animate));
    }
}
