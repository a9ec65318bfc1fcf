//! What a right click in the viewport offers: what is done most to what is selected.

use egui::Response;

use crate::ui::popups::context_menu;
use crate::ui::{Action, Actions, Theme, View, theme::Font};
use ulna_edit::{
    CommandSpec,
    command::{
        DissolveJoint, FlipPose, InsertJoint, MergeJoint, MirrorJoint, MirrorPose, ModeCommand,
        OrientJoint, RemoveJoint, ReparentJoint, Reset, ResetRotation, ResetScale,
        ResetTranslation, SelectCommand, SetKey, SetPin, ViewCommand,
    },
};
use ulna_render::ColorRole;

/// The menu, in groups.
fn groups() -> [Vec<&'static CommandSpec>; 6] {
    [
        vec![SetKey::spec()],
        vec![
            ModeCommand::CopyPose.spec(),
            ModeCommand::PastePose.spec(),
            ModeCommand::PasteFlipped.spec(),
            ModeCommand::PasteSelected.spec(),
        ],
        vec![MirrorPose::spec(), FlipPose::spec(), SetPin::spec()],
        vec![Reset::spec(), ResetTranslation::spec(), ResetRotation::spec(), ResetScale::spec()],
        vec![
            SelectCommand::Limb.spec(),
            SelectCommand::Chain.spec(),
            SelectCommand::Below.spec(),
            SelectCommand::Mirror.spec(),
        ],
        vec![
            ViewCommand::FrameSelected.spec(),
            ViewCommand::Hide.spec(),
            ViewCommand::Isolate.spec(),
            ViewCommand::ShowAll.spec(),
            ViewCommand::Lock.spec(),
        ],
    ]
}

/// The menu in Rig mode, in groups.
fn rig_groups() -> Vec<Vec<&'static CommandSpec>> {
    vec![
        vec![ModeCommand::ExtrudeJoint.spec(), InsertJoint::spec(), MirrorJoint::spec()],
        vec![OrientJoint::spec(), ModeCommand::CenterJoint.spec(), ReparentJoint::spec()],
        vec![MergeJoint::spec(), DissolveJoint::spec(), RemoveJoint::spec()],
        vec![SelectCommand::Below.spec(), SelectCommand::Mirror.spec()],
        vec![
            ViewCommand::FrameSelected.spec(),
            ViewCommand::Hide.spec(),
            ViewCommand::ShowAll.spec(),
        ],
    ]
}

pub fn viewport_menu(response: &Response, view: &View<'_>, actions: &mut Actions) {
    context_menu(response, |ui| {
        ui.set_min_width(250.0);
        let theme = view.theme;
        let what = match (view.selection.nodes.len(), view.selection.active.zip(view.session)) {
            (1, Some((node, session))) => session.document().node(node).label(node),
            (0, _) => "Nothing is selected".to_owned(),
            (n, _) => format!("{n} selected"),
        };
        let title = egui::RichText::new(what).font(Theme::font(Font::Caption));
        ui.label(title.color(theme.color(ColorRole::TextTertiary)));
        let is_rig = view.mode.spec().edits_rest;
        for group in if is_rig { rig_groups() } else { groups().to_vec() } {
            ui.separator();
            for spec in group {
                let enabled = spec.check(&view.availability);
                let key = egui::RichText::new(view.settings.keys.shown(spec.name))
                    .font(Theme::font(Font::Caption));
                let title = if is_rig { spec.menu_title() } else { spec.title.into() };
                let button = egui::Button::new(&*title)
                    .shortcut_text(key.color(theme.color(ColorRole::TextTertiary)))
                    .min_size(egui::vec2(240.0, 24.0))
                    .frame_when_inactive(false);
                let row = ui.add_enabled(enabled.is_ok(), button);
                row.widget_info(|| {
                    egui::WidgetInfo::labeled(egui::Role::Button, enabled.is_ok(), spec.title)
                });
                let row = if let Err(reason) = enabled {
                    row.on_disabled_hover_text(reason)
                } else {
                    row
                };
                if row.on_hover_text(spec.help).clicked() {
                    actions.push(Action::Invoke(spec));
                    ui.close();
                }
            }
        }
    });
}
