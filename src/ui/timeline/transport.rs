//! Play, step, and what the clock says.

use egui::{ComboBox, DragValue, Frame, Margin, RichText, Role, Ui, WidgetInfo};
use egui_material_icons::icons;

use super::TimelineState;
use crate::render::ColorRole;
use crate::ui::TimelineAction;
use crate::{
    edit::command::{DeleteKeys, PlayCommand, SetKey},
    ui::{
        Action, Actions, Theme, View,
        theme::Font,
        widgets::{icon_button, name_widget},
    },
};

pub fn transport_ui(state: &mut TimelineState, ui: &mut Ui, view: &View<'_>, actions: &mut Actions) {
    let theme = view.theme;
    let Some(session) = view.session else { return };
    let document = session.document();
    let playback = view.timeline.playback;
    Frame::new().inner_margin(Margin::symmetric(8, 4)).show(ui, |ui| {
        ui.horizontal(|ui| {
            ui.set_height(28.0);
            ui.spacing_mut().item_spacing.x = 2.0;
            let play = if playback.playing { (icons::ICON_PAUSE, "Pause") } else { (icons::ICON_PLAY_ARROW, "Play") };
            let buttons = [
                (icons::ICON_FIRST_PAGE, "Clip start", PlayCommand::Start, false),
                (icons::ICON_SKIP_PREVIOUS, "Previous key", PlayCommand::PreviousKey, false),
                (play.0, play.1, PlayCommand::Toggle, playback.playing),
                (icons::ICON_SKIP_NEXT, "Next key", PlayCommand::NextKey, false),
                (icons::ICON_LAST_PAGE, "Clip end", PlayCommand::End, false),
                (icons::ICON_REPEAT, "Loop", PlayCommand::Loop, playback.looping),
            ];
            for (icon, name, command, on) in buttons {
                let key = view.settings.keys.key(command.name());
                if icon_button(ui, theme, icon, name, key, on, Ok(())).clicked() {
                    actions.push(Action::Run(command.into()));
                }
            }
            ui.add_space(8.0);
            ui.spacing_mut().item_spacing.x = 6.0;
            let edge = theme.field_edge();
            let field = theme.color(ColorRole::SurfaceField);
            let plain = ui.visuals().widgets.inactive;
            ui.visuals_mut().widgets.inactive.bg_stroke = edge;
            ui.visuals_mut().widgets.inactive.weak_bg_fill = field;
            let mut time = playback.time;
            let field = DragValue::new(&mut time)
                .speed(0.01)
                .range(0.0..=1e6)
                .fixed_decimals(3)
                .suffix(" s")
                .update_while_editing(false);
            let response = ui.add_sized([78.0, 24.0], field);
            name_widget(ui, &response, "Time");
            if response.changed() {
                actions.push(TimelineAction::Seek(time));
            }
            let mut frame = playback.frame();
            let field = DragValue::new(&mut frame)
                .speed(0.2)
                .range(0.0..=1e8)
                .fixed_decimals(0)
                .prefix("frame ")
                .update_while_editing(false);
            let response = ui.add_sized([84.0, 24.0], field);
            name_widget(ui, &response, "Frame");
            if response.changed() {
                actions.push(TimelineAction::Seek(frame / playback.fps));
            }
            ui.visuals_mut().widgets.inactive = plain;
            ui.add_space(4.0);
            let label = playback.clip.map_or_else(|| "No clip".into(), |c| document.clip_label(c));
            let combo = ComboBox::from_id_salt("clip").selected_text(&label).width(140.0).show_ui(ui, |ui| {
                for id in document.clips.ids() {
                    if ui.selectable_label(Some(id) == playback.clip, document.clip_label(id)).clicked() {
                        actions.push(TimelineAction::ShowClip(id));
                    }
                }
            });
            combo.response.widget_info(|| WidgetInfo::labeled(Role::ComboBox, true, format!("Clip: {label}")));
            let combo = ComboBox::from_id_salt("fps")
                .selected_text(format!("{} fps", playback.fps))
                .width(76.0)
                .show_ui(ui, |ui| {
                    for fps in [12.0, 15.0, 24.0, 25.0, 30.0, 48.0, 50.0, 60.0, 120.0] {
                        if ui.selectable_label((playback.fps - fps).abs() < 1e-6, format!("{fps} fps")).clicked() {
                            actions.push(TimelineAction::Fps(fps));
                        }
                    }
                });
            combo.response.widget_info(|| WidgetInfo::labeled(Role::ComboBox, true, "Frames per second"));
            if let Some(share) = playback.guessed {
                let text = format!("guessed from the keys, {:.0} % fit", share * 100.0);
                ui.label(
                    RichText::new(text).font(Theme::font(Font::Caption)).color(theme.color(ColorRole::TextTertiary)),
                );
            }
            let combo = ComboBox::from_id_salt("speed")
                .selected_text(format!("{}×", playback.speed))
                .width(60.0)
                .show_ui(ui, |ui| {
                    for speed in [0.1, 0.25, 0.5, 1.0, 1.5, 2.0] {
                        if ui.selectable_label((playback.speed - speed).abs() < 1e-6, format!("{speed}×")).clicked() {
                            actions.push(TimelineAction::Speed(speed));
                        }
                    }
                });
            combo.response.widget_info(|| WidgetInfo::labeled(Role::ComboBox, true, "Speed"));
            ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
                if icon_button(ui, theme, icons::ICON_FIT_SCREEN, "Fit the clip", "", false, Ok(())).clicked() {
                    state.fit(playback.length(document));
                }
                if icon_button(
                    ui,
                    theme,
                    icons::ICON_ADS_CLICK,
                    "Selected joints only",
                    "",
                    state.selected_only,
                    Ok(()),
                )
                .clicked()
                {
                    state.selected_only = !state.selected_only;
                }
                for (icon, name, command) in [
                    (icons::ICON_DELETE, "Delete keys", DeleteKeys::spec()),
                    (icons::ICON_KEY, "Set key", SetKey::spec()),
                ] {
                    let (key, enabled) = (view.settings.keys.key(command.name), (command.enabled)(&view.availability));
                    if icon_button(ui, theme, icon, name, key, false, enabled).clicked() {
                        actions.push(Action::Invoke(command));
                    }
                }
            });
        });
    });
}
