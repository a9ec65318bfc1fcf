//! Trial section of the *Bind* panel: the pose in which the new weights are tested, and its
//! statistics.

use egui::{Align, Align2, Button, Layout, RichText, Sense, Ui, WidgetInfo, pos2, vec2};
use egui_material_icons::icons;

use super::section_with;
use crate::ui::{
    Action, Actions, BindDraft, BindView, Theme, TimelineAction, TrialColors, TrialNumbers,
    TrialPose, View,
    drop_down::choices,
    number_bar::number_bar,
    theme::Font,
    widgets::{check, icon_font, name_widget, thousands},
};
use ulna_edit::command::PlayCommand;
use ulna_model::Document;
use ulna_render::ColorRole;

/// Height of the trial section, in points.
pub(super) const HEIGHT: f32 = 178.0;
/// Mesh colors, with their labels and descriptions.
const COLORS: [(TrialColors, &str, &str); 3] = [
    (TrialColors::Materials, "Materials", "The materials of the file"),
    (TrialColors::Weights, "Weights of a joint", "The weights of the selected joint"),
    (TrialColors::Method, "Method", "The method that gave each piece its weights"),
];
/// Maximum angle of the bend, in degrees.
const MOST: f32 = 150.0;

/// Shows the trial section.
pub(super) fn trial_ui(
    ui: &mut Ui,
    view: &View<'_>,
    document: &Document,
    now: &mut BindDraft,
    actions: &mut Actions,
) {
    let (theme, bind) = (view.theme, view.dialogs.bind);
    let top = ui.cursor().top();
    section_with(ui, theme, ("Trial", ""), |ui| pose_ui(ui, document, now));
    ui.horizontal(|ui| {
        ui.set_min_height(24.0);
        match now.trial.pose {
            TrialPose::Bend => bend_ui(ui, theme, bind, document, now),
            TrialPose::Rest => range_button(ui, now),
            TrialPose::Range | TrialPose::Clip(_) => time_ui(ui, view, document, now, actions),
        }
    });
    ui.horizontal(|ui| {
        let text = RichText::new("Colors").font(Theme::font(Font::Small));
        ui.label(text.color(theme.color(ColorRole::TextSecondary)));
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            choices(ui, "Colors", 168.0, &COLORS, &mut now.trial.colors);
        });
    });
    numbers_ui(ui, theme, bind, document);
    // Fill the section, so that the footer stays in place for all poses.
    ui.add_space((HEIGHT - (ui.cursor().top() - top)).max(0.0));
}

/// Shows the list of test poses.
fn pose_ui(ui: &mut Ui, document: &Document, now: &mut BindDraft) {
    let clips: Vec<(TrialPose, String)> =
        document.clips.ids().map(|id| (TrialPose::Clip(id), document.clip_label(id))).collect();
    let mut list = vec![
        (TrialPose::Rest, "Rest", "The pose of the file"),
        (TrialPose::Bend, "Bend selected joint", "Bends it about its bending axis"),
        (TrialPose::Range, "Range of motion", "Bends each joint, one after the other"),
    ];
    list.extend(clips.iter().map(|(pose, label)| (*pose, label.as_str(), "A clip of the file")));
    choices(ui, "Trial pose", 168.0, &list, &mut now.trial.pose);
}

/// Shows the angle of the bend.
fn bend_ui(
    ui: &mut Ui,
    theme: &Theme,
    bind: BindView<'_>,
    document: &Document,
    now: &mut BindDraft,
) {
    let Some(joint) = bind.bent.filter(|n| document.nodes.contains(*n)) else {
        let text = RichText::new("Select a joint in the viewport or in the outliner");
        let text = text.font(Theme::font(Font::Small));
        ui.label(text.color(theme.color(ColorRole::TextSecondary)));
        return;
    };
    let both = 112.0;
    let label = document.node(joint).label(joint);
    let width = ui.available_width() - both;
    ui.allocate_ui_with_layout(vec2(width, 24.0), Layout::left_to_right(Align::Center), |ui| {
        let name = format!("Bend {label}");
        number_bar(ui, theme, &name, &mut now.trial.degrees, -MOST..=MOST, "°", 0, "");
    });
    check(ui, theme, &mut now.trial.both_sides, "Both sides");
}

/// Shows the button that plays the range of motion.
fn range_button(ui: &mut Ui, now: &mut BindDraft) {
    let icon = RichText::new(icons::ICON_PLAY_ARROW.codepoint).font(icon_font(16.0, true));
    let button = ui.add(Button::new((icon, "Range of motion")).min_size(vec2(0.0, 24.0)));
    name_widget(ui, &button, "Play the range of motion");
    let about = "Bends each ticked joint both ways, within its range in the clips or by 60°";
    if button.on_hover_text(about).clicked() {
        (now.trial.pose, now.trial.starts) = (TrialPose::Range, true);
    }
}

/// Shows the time of the clip or of the range of motion, with a play button.
fn time_ui(
    ui: &mut Ui,
    view: &View<'_>,
    document: &Document,
    now: &BindDraft,
    actions: &mut Actions,
) {
    let playback = view.timeline.playback;
    let length = match now.trial.pose {
        TrialPose::Clip(id) => document.clips.get(id).map(|clip| f64::from(clip.length())),
        _ => view.dialogs.bind.length,
    };
    let (icon, name) = match playback.playing {
        true => (icons::ICON_PAUSE, "Pause the trial"),
        false => (icons::ICON_PLAY_ARROW, "Play the trial"),
    };
    let icon = RichText::new(icon.codepoint).font(icon_font(16.0, true));
    let play = ui.add(Button::new(icon).min_size(vec2(28.0, 24.0)));
    name_widget(ui, &play, name);
    if play.clicked() {
        actions.push(Action::Run(PlayCommand::Toggle.into()));
    }
    let length = length.unwrap_or(0.0).max(0.01) as f32;
    let mut time = (playback.time as f32).clamp(0.0, length);
    let before = time;
    number_bar(ui, view.theme, "Time", &mut time, 0.0..=length, "s", 2, "");
    if time != before {
        actions.push(TimelineAction::Seek(f64::from(time)));
    }
}

/// Shows the statistics before and after the last change.
fn numbers_ui(ui: &mut Ui, theme: &Theme, bind: BindView<'_>, document: &Document) {
    let (before, after) = bind.numbers;
    let joint = bind.bent.filter(|n| document.nodes.contains(*n));
    let volume = match joint {
        Some(joint) => format!("Volume at {}", document.node(joint).label(joint)),
        None => "Volume where joints share vertices".to_owned(),
    };
    let percent = |n: TrialNumbers| n.volume.map(|v| format!("{:.0} %", v * 100.0));
    let stretch = |n: TrialNumbers| Some(format!("{:.1}×", n.stretch));
    let count = |n: TrialNumbers| Some(thousands(n.unweighted));
    ui.spacing_mut().item_spacing.y = 0.0;
    number_row(ui, theme, &volume, before.and_then(percent), after.and_then(percent));
    number_row(ui, theme, "Largest stretch", before.and_then(stretch), after.and_then(stretch));
    let name = "Unweighted vertices";
    number_row(ui, theme, name, before.and_then(count), after.and_then(count));
    ui.spacing_mut().item_spacing.y = 4.0;
}

fn number_row(
    ui: &mut Ui,
    theme: &Theme,
    label: &str,
    before: Option<String>,
    after: Option<String>,
) {
    let (rect, response) = ui.allocate_exact_size(vec2(ui.available_width(), 20.0), Sense::hover());
    let after = after.unwrap_or_else(|| "–".to_owned());
    let before = before.filter(|before| *before != after);
    let name = match &before {
        Some(before) => format!("{label}: {before} before, {after} now"),
        None => format!("{label}: {after}"),
    };
    response.widget_info(|| WidgetInfo::labeled(egui::Role::Label, true, &name));
    let y = rect.center().y;
    let number = Theme::font(Font::NumberSmall);
    let color = |role| theme.color(role);
    let painter = ui.painter();
    let at = pos2(rect.right() - 2.0, y);
    let (align, ink) = (Align2::RIGHT_CENTER, color(ColorRole::TextPrimary));
    let mut left = painter.text(at, align, after, number.clone(), ink).left();
    if let Some(before) = before {
        let at = pos2(left - 6.0, y);
        let text = format!("{before} →");
        left = painter.text(at, align, text, number, color(ColorRole::TextTertiary)).left();
    }
    let font = Theme::font(Font::Small);
    let text = crate::ui::widgets::elided(ui, label, &font, left - rect.left() - 10.0);
    let ink = color(ColorRole::TextSecondary);
    ui.painter().text(rect.left_center(), Align2::LEFT_CENTER, text, font, ink);
}
