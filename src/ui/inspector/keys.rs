//! Fields of the selected keys: first and last time, duration, key type and interpolation.

use egui::{DragValue, Frame, Margin, RichText, Role, Sense, Ui, WidgetInfo, vec2};

use crate::ui::{
    Action, Actions, Theme, View,
    drop_down::{combo_box, option_row},
    theme::Font,
    widgets::{name_widget, segment, segments, thousands},
};
use ulna_edit::command::{
    Between, KINDS, MoveKeys, ScaleKeys, SetInterpolation, SetKeyKind, WhichKeys,
    field::{ClipName, Seconds},
};
use ulna_model::{Clip, ClipId, Interpolation, Track};
use ulna_render::ColorRole;

fn plural(n: usize, one: &str) -> String {
    if n == 1 { format!("1 {one}") } else { format!("{} {one}s", thousands(n)) }
}

/// Draws the section. Draws nothing if no keys of the shown clip are selected.
pub fn keys_ui(ui: &mut Ui, view: &View<'_>, actions: &mut Actions) {
    let Some(id) = view.keys_home().map(|home| home.clip) else { return };
    let keys = view.selected_keys();
    let (Some((first, last)), Some(session)) = (keys.span(), view.session) else { return };
    let Some(clip) = view.keys_clip(session.document(), id) else { return };
    let theme = view.theme;
    let tracks =
        || keys.iter().filter_map(|(track, times)| Some((clip.tracks.get(&track)?, times)));
    let mut joints: Vec<_> = tracks().map(|(t, _)| t.target).collect();
    joints.sort_unstable();
    joints.dedup();
    ui.horizontal(|ui| {
        let title = format!("{} selected", plural(keys.len(), "key"));
        ui.label(
            RichText::new(title)
                .font(Theme::font(Font::Heading))
                .color(theme.color(ColorRole::TextPrimary)),
        );
        let about =
            format!("{}, {}", plural(joints.len(), "joint"), plural(tracks().count(), "channel"));
        ui.label(
            RichText::new(about)
                .font(Theme::font(Font::Small))
                .color(theme.color(ColorRole::TextTertiary)),
        );
    });
    times_ui(ui, view, (id, first, last), actions);
    super::key_values::values_ui(ui, view, (id, clip), actions);
    interpolation_ui(ui, view, (id, clip), actions);
    kind_ui(ui, view, (id, clip), actions);
    ui.add_space(4.0);
    ui.separator();
}

/// Width of the labels in points, wide enough for *Interpolation*.
const LABELS: f32 = 80.0;

/// Draws the label in front of a field.
pub(super) fn label(ui: &mut Ui, theme: &Theme, text: &str) {
    let (rect, _) = ui.allocate_exact_size(vec2(LABELS, 24.0), Sense::hover());
    let (font, color) = (Theme::font(Font::Small), theme.color(ColorRole::TextSecondary));
    ui.painter().text(rect.left_center(), egui::Align2::LEFT_CENTER, text, font, color);
}

/// Styles drag values as text fields. As buttons, they would look pressed.
pub(super) fn look_as_fields(ui: &mut Ui, theme: &Theme) {
    let inactive = &mut ui.visuals_mut().widgets.inactive;
    inactive.bg_stroke = theme.field_edge();
    inactive.weak_bg_fill = theme.color(ColorRole::SurfaceField);
}

/// Draws a field for a number of frames. Returns the typed or dragged value.
fn frames(ui: &mut Ui, name: &str, mut value: f64) -> Option<f64> {
    let field = DragValue::new(&mut value).speed(0.2).max_decimals(2).update_while_editing(false);
    let response = ui.add_sized([64.0, 24.0], field);
    name_widget(ui, &response, name);
    (response.changed() && !response.dragged() || response.drag_stopped()).then_some(value)
}

fn times_ui(
    ui: &mut Ui,
    view: &View<'_>,
    (id, first, last): (ClipId, f32, f32),
    actions: &mut Actions,
) {
    let (theme, fps) = (view.theme, view.timeline.playback.fps);
    let which = || WhichKeys::these(id, view.selected_keys().clone());
    let (from, to) = (f64::from(first) * fps, f64::from(last) * fps);
    let plain = ui.visuals().widgets.inactive;
    look_as_fields(ui, theme);
    let mut scale = |factor: f64| {
        if factor > 0.0 && factor != 1.0 && factor.is_finite() {
            let about = Some(Seconds(first));
            let factor = factor as f32;
            actions.push(Action::Run(
                ScaleKeys { clip: ClipName::Id(id), factor, about, which: which() }.into(),
            ));
        }
    };
    let mut moved = None;
    ui.horizontal(|ui| {
        label(ui, theme, "Frames");
        moved = frames(ui, "First frame of the selected keys", from);
        ui.label(RichText::new("to").color(theme.color(ColorRole::TextTertiary)));
        if last > first {
            if let Some(to) = frames(ui, "Last frame of the selected keys", to) {
                scale((to - from) / (f64::from(last - first) * fps));
            }
        } else {
            ui.label(RichText::new(format!("{to:.2}")).font(Theme::font(Font::Number)));
        }
    });
    if last > first {
        ui.horizontal(|ui| {
            label(ui, theme, "Length");
            let length = to - from;
            if let Some(wanted) =
                frames(ui, "Frames from the first selected key to the last", length)
            {
                scale(wanted / length);
            }
            ui.label(RichText::new("×").color(theme.color(ColorRole::TextTertiary)));
            let mut factor = 1.0;
            let field = DragValue::new(&mut factor)
                .speed(0.005)
                .range(0.001..=1000.0)
                .fixed_decimals(3)
                .update_while_editing(false);
            let response = ui.add_sized([64.0, 24.0], field);
            name_widget(ui, &response, "Scale the length by");
            if response.changed() && !response.dragged() {
                scale(factor);
            }
            let seconds = format!("{:.3} s", last - first);
            ui.label(
                RichText::new(seconds)
                    .font(Theme::font(Font::NumberSmall))
                    .color(theme.color(ColorRole::TextTertiary)),
            );
        });
    }
    ui.visuals_mut().widgets.inactive = plain;
    if let Some(frame) = moved.filter(|f| *f != from) {
        let by = Seconds((frame / fps - f64::from(first)) as f32);
        actions.push(Action::Run(
            MoveKeys { clip: ClipName::Id(id), by, which: which(), ripple: None, make_room: None }
                .into(),
        ));
    }
}

/// Draws the choice of the key type, such as breakdown or extreme.
fn kind_ui(ui: &mut Ui, view: &View<'_>, (id, clip): (ClipId, &Clip), actions: &mut Actions) {
    let tracks = view
        .selected_keys()
        .iter()
        .filter_map(|(track, times)| Some((clip.tracks.get(&track)?, times)));
    // In a track without key types, one key represents all.
    let asked = |track: &Track| if track.kinds.is_empty() { 1 } else { usize::MAX };
    let mut kinds = tracks
        .flat_map(|(track, times)| times.iter().take(asked(track)).map(|t| track.kinds.of(*t)));
    let first = kinds.next().flatten();
    let now =
        KINDS.iter().find(|(kind, _)| kind.kind() == first).filter(|_| kinds.all(|k| k == first));
    ui.horizontal(|ui| {
        label(ui, view.theme, "Key type");
        let shown = now.map_or("Mixed", |(_, text)| text);
        let combo = combo_box("kind of keys").selected_text(shown).width(120.0).show_ui(ui, |ui| {
            for (kind, text) in KINDS {
                if option_row(ui, now.is_some_and(|(k, _)| *k == kind), text).clicked() {
                    let which = WhichKeys::these(id, view.selected_keys().clone());
                    actions.push(Action::Run(
                        SetKeyKind { clip: ClipName::Id(id), kind, which }.into(),
                    ));
                }
            }
        });
        combo.response.widget_info(|| {
            WidgetInfo::labeled(Role::ComboBox, true, format!("Key type: {shown}"))
        });
    });
}

/// Draws the choice of interpolation, and a note if it also changes other keys of the tracks.
fn interpolation_ui(
    ui: &mut Ui,
    view: &View<'_>,
    (id, clip): (ClipId, &Clip),
    actions: &mut Actions,
) {
    let theme = view.theme;
    let tracks = || {
        view.selected_keys()
            .iter()
            .filter_map(|(track, times)| Some((clip.tracks.get(&track)?, times)))
    };
    let all = |i: Interpolation| tracks().all(|(t, _)| t.interpolation == i);
    ui.horizontal(|ui| {
        // The row is as high as the segments, which centers the label vertically.
        ui.set_min_height(28.0);
        label(ui, theme, "Interpolation");
        segments(ui, theme, |ui| {
            for (way, text) in
                [(Between::Hold, "Hold"), (Between::Linear, "Linear"), (Between::Smooth, "Smooth")]
            {
                if segment(ui, theme, text, all(way.interpolation()), false).clicked() {
                    let which = WhichKeys::these(id, view.selected_keys().clone());
                    let set = SetInterpolation::new(ClipName::Id(id), way, which);
                    actions.push(Action::Run(set.into()));
                }
            }
        });
    });
    let others: usize = tracks().map(|(t, times)| t.times.len().saturating_sub(times.len())).sum();
    if others > 0 {
        let text = format!(
            "glTF stores one interpolation per track, so {} of {} will change too.",
            plural(others, "other key"),
            if tracks().count() == 1 {
                "this track".to_owned()
            } else {
                format!("these {} tracks", tracks().count())
            }
        );
        let tint = theme.color(ColorRole::SeverityInfoTint);
        Frame::new().fill(tint).corner_radius(4).inner_margin(Margin::symmetric(8, 6)).show(
            ui,
            |ui| {
                let text = RichText::new(text)
                    .font(Theme::font(Font::Small))
                    .color(theme.color(ColorRole::TextPrimary));
                ui.add(egui::Label::new(text).wrap());
            },
        );
    }
}
