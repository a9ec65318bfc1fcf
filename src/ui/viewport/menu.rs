//! What a right click in the viewport offers: what is done most to what is selected.

use egui::Response;

use crate::ui::popups::context_menu;
use crate::ui::{Action, Actions, Theme, View, theme::Font};
use ulna_edit::{
    CommandSpec,
    command::{
        FlipPose, MirrorPose, ModeCommand, Reset, ResetRotation, ResetScale, ResetTranslation,
        SelectCommand, SetKey, SetPin, ViewCommand,
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
        for group in groups() {
            ui.separator();
            for spec in group {
                let enabled = spec.check(&view.availability);
                let key = egui::RichText::new(view.settings.keys.shown(spec.name))
                    .font(Theme::font(Font::Caption));
                let button = egui::Button::new(spec.title)
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
