//! The toolbar part of Rig mode: operations and switches beside its tools.

use egui::{RichText, Role, Ui, WidgetInfo};
use egui_material_icons::icons;

use super::{
    Actions, JointDepth, RigAction, RigOptions, View,
    bar_parts::{command_button, divider, snap_ui, spaces_ui, switch_rows, symmetry_ui},
    chooser::chooser,
    menu_rows::{Row, fill},
    popups::lasting_menu_button,
    widgets::{icon_font, segment, segments},
};
use ulna_edit::command::ModeCommand;
use ulna_render::ColorRole;

/// True if all switches are in one menu, because the window is narrow.
fn is_narrow(ui: &Ui) -> bool {
    ui.ctx().content_rect().width() < 900.0
}

fn has_clips(view: &View<'_>) -> bool {
    view.session.is_some_and(|s| !s.document().clips.is_empty())
}

/// Draws operations and switches of Rig mode beside its tools.
pub fn rig_tools_ui(ui: &mut Ui, view: &View<'_>, actions: &mut Actions) {
    let now = view.rig.options;
    spaces_ui(ui, view, actions);
    divider(ui, view.theme);
    if is_narrow(ui) {
        rig_options_ui(ui, view, actions);
        return;
    }
    symmetry_ui(ui, view, actions);
    snap_ui(ui, view, actions);
    divider(ui, view.theme);
    let extrude = ModeCommand::ExtrudeJoint.spec();
    command_button(ui, view, icons::ICON_CALL_MADE, extrude, false, actions);
    let depths = JointDepth::ALL.map(|(depth, title)| (depth, title, depth == now.depth));
    let chosen = chooser(ui, view, "New joints", now.depth.title(), &depths);
    actions.extend(chosen.map(|depth| RigAction::SetOptions(RigOptions { depth, ..now })));
    divider(ui, view.theme);
}

/// Draws one menu of all switches, for windows without room for them side by side.
fn rig_options_ui(ui: &mut Ui, view: &View<'_>, actions: &mut Actions) {
    let (theme, now) = (view.theme, view.rig.options);
    let icon = RichText::new(icons::ICON_TUNE.codepoint).font(icon_font(18.0, false));
    let icon = icon.color(theme.color(ColorRole::TextPrimary));
    let button = lasting_menu_button(ui, egui::Button::new(icon), |ui| {
        fill(ui, view, actions, |rows| {
            rows.stay_open();
            rows.title("New joints");
            for (depth, text) in JointDepth::ALL {
                let row = Row::new(text).checked(depth == now.depth);
                rows.act(row, || RigAction::SetOptions(RigOptions { depth, ..now }));
            }
            if has_clips(view) {
                rows.title("Clips");
                for (motion_follows, text, about) in CLIPS {
                    let on = motion_follows == now.motion_follows;
                    let options = RigOptions { motion_follows, ..now };
                    let row = Row::new(text).checked(on).help(about);
                    rows.act(row, || RigAction::SetOptions(options));
                }
            }
            rows.separator();
            switch_rows(rows);
        });
    });
    button.widget_info(|| WidgetInfo::labeled(Role::Button, true, "Rig options"));
    button.on_hover_text("New joints, clips, symmetry, snapping");
    let extrude = ModeCommand::ExtrudeJoint.spec();
    command_button(ui, view, icons::ICON_CALL_MADE, extrude, false, actions);
}

/// Choices for the motion of clips when joints are changed, with their labels and help.
const CLIPS: [(bool, &str, &str); 2] = [
    (false, "Keep clips true", "The skin moves as before in every clip"),
    (true, "Motion follows pivot", "The same keys turn the skin about the new pivot"),
];

/// Draws the choice for the motion of clips when joints are changed.
pub fn skeleton_destination_ui(ui: &mut Ui, view: &View<'_>, actions: &mut Actions) {
    let theme = view.theme;
    let now = view.rig.options;
    if is_narrow(ui) || !has_clips(view) {
        return;
    }
    if ui.available_width() < 560.0 {
        let title = CLIPS[usize::from(now.motion_follows)].1;
        let rows = CLIPS.map(|(follows, title, _)| (follows, title, follows == now.motion_follows));
        let chosen = chooser(ui, view, "Clips", title, &rows);
        let options = |motion_follows| RigAction::SetOptions(RigOptions { motion_follows, ..now });
        actions.extend(chosen.map(options));
        return;
    }
    ui.label(RichText::new("Clips").color(theme.color(ColorRole::TextSecondary)));
    segments(ui, theme, |ui| {
        for (follows, text, about) in CLIPS {
            let choice = segment(ui, theme, text, now.motion_follows == follows, false);
            if choice.on_hover_text(about).clicked() {
                let options = RigOptions { motion_follows: follows, ..now };
                actions.push(RigAction::SetOptions(options));
            }
        }
    });
}
