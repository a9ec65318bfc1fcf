//! The transport of the *Retarget* page. It controls playback in both views.

use egui::{Align, DragValue, Frame, Layout, Margin, RichText, Ui};
use egui_material_icons::icons;

use super::{RetargetAction, RetargetDraft, RetargetView};
use crate::ui::{
    Actions, Theme,
    drop_down::choices,
    theme::Font,
    widgets::{icon_button, name_widget},
};
use ulna_render::ColorRole;

pub(super) fn transport_ui(
    ui: &mut Ui,
    (theme, page): (&Theme, RetargetView<'_>),
    now: &mut RetargetDraft,
    actions: &mut Actions,
) {
    let Some(clip) = page.clip() else { return };
    let (length, step) = (f64::from(clip.length), 1.0 / clip.fps.max(1.0));
    Frame::new().inner_margin(Margin::symmetric(8, 4)).show(ui, |ui| {
        ui.horizontal(|ui| {
            ui.set_height(28.0);
            ui.spacing_mut().item_spacing.x = 2.0;
            let play = if now.clock.playing {
                (icons::ICON_PAUSE, "Pause both", "Space")
            } else {
                (icons::ICON_PLAY_ARROW, "Play both", "Space")
            };
            let time = now.clock.time;
            let buttons = [
                ((icons::ICON_FIRST_PAGE, "Clip start", "Home"), Some(0.0)),
                ((icons::ICON_SKIP_PREVIOUS, "Previous frame", "←"), Some(time - step)),
                (play, None),
                ((icons::ICON_SKIP_NEXT, "Next frame", "→"), Some(time + step)),
                ((icons::ICON_LAST_PAGE, "Clip end", "End"), Some(length)),
            ];
            for ((icon, name, key), to) in buttons {
                if icon_button(ui, theme, icon, name, key, false, Ok(())).clicked() {
                    now.clock.playing = to.is_none() && !now.clock.playing;
                    now.clock.time = to.unwrap_or(time).clamp(0.0, length);
                }
            }
            let repeats = now.clock.repeats;
            if icon_button(ui, theme, icons::ICON_REPEAT, "Loop", "", repeats, Ok(())).clicked() {
                now.clock.repeats = !repeats;
            }
            ui.add_space(8.0);
            ui.spacing_mut().item_spacing.x = 6.0;
            fields_ui(ui, theme, now, (length, clip.fps));
            let speeds = [(0.25, "0.25×"), (0.5, "0.5×"), (1.0, "1×"), (2.0, "2×")];
            let speeds = speeds.map(|(speed, text)| (speed, text, ""));
            choices(ui, "Speed", 48.0, &speeds, &mut now.clock.speed);
            ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
                let is_changed = now.contacts.contains_key(&now.shown);
                let button = egui::Button::new("Detect contacts");
                let hint = "Finds the contacts of this clip again";
                let response = ui.add_enabled(is_changed, button).on_hover_text(hint);
                let why = "The contacts were not changed since they were found";
                if response.on_disabled_hover_text(why).clicked() {
                    actions.push(RetargetAction::DetectContacts);
                }
            });
        });
    });
}

/// Draws fields for the playhead in seconds and in frames.
fn fields_ui(ui: &mut Ui, theme: &Theme, now: &mut RetargetDraft, (length, fps): (f64, f64)) {
    let plain = ui.visuals().widgets.inactive;
    ui.visuals_mut().widgets.inactive.bg_stroke = theme.field_edge();
    ui.visuals_mut().widgets.inactive.weak_bg_fill = theme.color(ColorRole::SurfaceField);
    let mut time = now.clock.time;
    let drag = DragValue::new(&mut time).speed(0.01).range(0.0..=length).fixed_decimals(3);
    let seconds = ui.add(drag.suffix("\u{2009}s"));
    name_widget(ui, &seconds, "Time");
    if seconds.changed() {
        (now.clock.time, now.clock.playing) = (time, false);
    }
    let mut frame = (now.clock.time * fps).round();
    let last = (length * fps).round();
    let drag = DragValue::new(&mut frame).speed(0.2).range(0.0..=last).fixed_decimals(0);
    let frames = ui.add(drag.prefix("frame "));
    name_widget(ui, &frames, "Frame");
    if frames.changed() {
        (now.clock.time, now.clock.playing) = ((frame / fps).min(length), false);
    }
    ui.visuals_mut().widgets.inactive = plain;
    let rate = format!("{} fps", ulna_model::rate_in_words(fps));
    let text = RichText::new(rate).font(Theme::font(Font::Small));
    ui.label(text.color(theme.color(ColorRole::TextTertiary)));
}
