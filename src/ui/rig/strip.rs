//! The bottom row in Rig mode: it chooses the rest pose, or a clip to check the effects of changes.

use egui::{Align, Button, Layout, RichText, Ui, vec2};
use egui_material_icons::icons;

use super::RigAction;
use crate::ui::{
    Action, Actions, DialogAction, TimelineAction, View,
    drop_down::choices,
    number_bar::number_bar,
    theme::{Font, Theme},
    widgets::{icon_button, icon_font},
};
use ulna_edit::command::PlayCommand;
use ulna_model::{ClipId, Document};
use ulna_render::ColorRole;

/// Height of the row, in points.
pub const REST_STRIP: f32 = 44.0;
/// Width of the time bar of a clip, in points.
const TIME: f32 = 200.0;

pub fn strip_ui(ui: &mut Ui, view: &View<'_>, actions: &mut Actions) {
    let theme = view.theme;
    egui::Frame::new().inner_margin(egui::Margin::symmetric(12, 6)).show(ui, |ui| {
        ui.horizontal(|ui| {
            ui.set_height(28.0);
            let Some(document) = view.session.map(|s| s.document()) else { return };
            let clip = view.rig.clip.filter(|clip| document.clips.contains(*clip));
            pose_ui(ui, view, document, clip, actions);
            match clip {
                Some(clip) => time_ui(ui, view, document, clip, actions),
                None => note(ui, theme, 380.0, "Joints can be changed in the rest pose."),
            }
            found_ui(ui, view, clip, actions);
        });
    });
}

/// Draws the list of the rest pose and all clips.
fn pose_ui(
    ui: &mut Ui,
    view: &View<'_>,
    document: &Document,
    clip: Option<ClipId>,
    actions: &mut Actions,
) {
    let (theme, text) = (view.theme, ColorRole::AccentText);
    let icon = RichText::new(icons::ICON_ACCESSIBILITY_NEW.codepoint);
    ui.label(icon.font(icon_font(18.0, false)).color(theme.color(text)));
    if document.clips.is_empty() {
        ui.label(RichText::new("Rest pose").color(theme.color(ColorRole::TextPrimary)));
        ui.add_space(8.0);
        return;
    }
    let labels: Vec<(ClipId, String)> =
        document.clips.ids().map(|id| (id, document.clip_label(id))).collect();
    let mut list = vec![(None, "Rest pose", "Joints can be changed in the rest pose")];
    let about = "Shows the clip with the planned changes";
    list.extend(labels.iter().map(|(id, label)| (Some(*id), label.as_str(), about)));
    let mut now = clip;
    choices(ui, "Pose in Rig mode", 168.0, &list, &mut now);
    if now != clip {
        actions.push(RigAction::ShowClip(now));
    }
    ui.add_space(8.0);
}

/// Draws the play button, the time bar, and a note about what is shown.
fn time_ui(ui: &mut Ui, view: &View<'_>, document: &Document, clip: ClipId, actions: &mut Actions) {
    let (theme, playback) = (view.theme, view.timeline.playback);
    let (icon, name) = match playback.playing {
        true => (icons::ICON_PAUSE, "Pause"),
        false => (icons::ICON_PLAY_ARROW, "Play"),
    };
    let key = view.settings.keys.key(PlayCommand::Toggle.name());
    if icon_button(ui, theme, icon, name, key, playback.playing, Ok(())).clicked() {
        actions.push(Action::Run(PlayCommand::Toggle.into()));
    }
    let length = document.clips.get(clip).map_or(0.0, |clip| clip.length()).max(0.01);
    let mut time = (playback.time as f32).clamp(0.0, length);
    let before = time;
    ui.allocate_ui_with_layout(vec2(TIME, 28.0), Layout::left_to_right(Align::Center), |ui| {
        number_bar(ui, theme, "Time", &mut time, 0.0..=length, "s", 2, "");
    });
    if time != before {
        actions.push(TimelineAction::Seek(f64::from(time)));
    }
    let rest = ui.add(Button::new("Rest pose"));
    if rest.on_hover_text("Shows the rest pose, in which joints can be changed").clicked() {
        actions.push(RigAction::ShowClip(None));
    }
    ui.add_space(8.0);
    let text = match (view.dialogs.plan.acts.is_empty(), view.rig.is_planned) {
        (true, _) => "As the file is",
        (false, true) => "With the planned changes",
        (false, false) if view.dialogs.plan.is_computing => "Computing the planned changes…",
        (false, false) => "Without the planned changes: apply them to see this clip",
    };
    note(ui, theme, 320.0, text);
}

/// Draws text at the right end of the row if more than `least` points are free.
fn note(ui: &mut Ui, theme: &Theme, least: f32, text: &str) {
    if ui.available_width() > least {
        ui.label(RichText::new(text).color(theme.color(ColorRole::TextSecondary)));
    }
}

/// Draws the duration of checking the plan, and a button that shows its worst frame.
fn found_ui(ui: &mut Ui, view: &View<'_>, clip: Option<ClipId>, actions: &mut Actions) {
    let plan = view.dialogs.plan;
    let Some(found) = plan.found.filter(|_| plan.is_current) else { return };
    let Ok(Some(report)) = &found.report else { return };
    ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
        if report.deviation.worst.first().is_some_and(Option::is_some) {
            let show = ui.button("Show worst frame");
            if show.on_hover_text("Shows the clip and the frame that change most").clicked() {
                actions.push(DialogAction::ShowWorst(0));
            }
        }
        if clip.is_some() && ui.available_width() < 160.0 {
            return;
        }
        let clips = view.session.map_or(0, |s| s.document().clips.count());
        let clips = if clips == 1 { "1 clip".to_owned() } else { format!("{clips} clips") };
        let words = format!("Checked {clips} in {:.1} s", found.seconds);
        let words = RichText::new(words).font(Theme::font(Font::Small));
        ui.label(words.color(view.theme.color(ColorRole::TextSecondary)));
    });
}
