//! Header of the mixer, with buttons that add lanes and transitions, and that bake and save the
//! mix.

use egui::{Align, Layout, RichText, Ui, vec2};
use egui_material_icons::icons;

use super::{
    edits::{set, with_lane},
    state::{Baking, MixerState},
};
use crate::ui::popups::lasting_menu_button;
use crate::ui::{
    Action, Actions, DialogAction, Theme, TimelineAction, View,
    clip_menu::clip_menu,
    drop_down::choices,
    theme::Font,
    widgets::{edged, icon_button, name_widget},
};
use ulna_edit::command::{
    BakeMix, EnterHow, GoTo, GoWhen, KeepMix, PlayOver, field::ClipName, field::Seconds,
    is_mix_kept, jumps_in_words, mix_of, mix_rate,
};
use ulna_model::{Document, Mix, MixBar, MixReference, Shared};
use ulna_motion::Jump;
use ulna_render::ColorRole;

/// Width of the header in points below which it has two lines, and the height of the second line.
pub const TWO_LINES: (f32, f32) = (900.0, 32.0);

/// Parts of the header with short labels. Parts that remain clear with a short label are shortened
/// first.
#[derive(Clone, Copy)]
struct ShortLabels {
    lanes: bool,
    file: bool,
    transition: bool,
}

impl ShortLabels {
    /// Short labels for a header width in points.
    fn of(width: f32) -> Self {
        Self { lanes: width < 1375.0, file: width < 1265.0, transition: width < 1145.0 }
    }
}

/// Returns the short or the long label.
const fn label(is_short: bool, short: &'static str, long: &'static str) -> &'static str {
    if is_short { short } else { long }
}

/// Shows the header of the mixer, above the lanes.
pub fn header_ui(
    state: &mut MixerState,
    ui: &mut Ui,
    view: &View<'_>,
    document: &Document,
    mix: &Shared<Mix>,
    actions: &mut Actions,
) {
    let theme = view.theme;
    let width = ui.max_rect().width();
    let (short, two_lines) = (ShortLabels::of(width), width < TWO_LINES.0);
    egui::Frame::new().inner_margin(egui::Margin::symmetric(8, 2)).show(ui, |ui| {
        ui.horizontal(|ui| {
            ui.set_height(28.0);
            if ui
                .button("＋ Lane")
                .on_hover_text("Adds a lane that covers the lanes below it")
                .clicked()
            {
                set(with_lane(mix, view, None), actions);
            }
            let additive = ui.button(label(short.lanes, "＋ Additive", "＋ Additive lane"));
            name_widget(ui, &additive, "＋ Additive lane");
            if additive
                .on_hover_text("Adds a lane that adds its clips' difference from a reference pose")
                .clicked()
            {
                set(with_lane(mix, view, Some(MixReference::First)), actions);
            }
            let running =
                view.timeline.playback.clip.filter(|_| mix.lanes.iter().all(|l| l.bars.is_empty()));
            // The overlay is added to the clip with the largest weight on the lowest lane.
            let lowest = mix.lanes.iter().position(|l| l.additive.is_none());
            let playing = view.timeline.playing.iter().filter(|p| Some(p.lane) == lowest);
            let heaviest = playing.max_by(|a, b| a.weight.total_cmp(&b.weight)).map(|p| p.clip);
            let below = running.or(heaviest).or_else(|| {
                mix.lanes.iter().flat_map(|l| &l.bars).flat_map(MixBar::clips).next().copied()
            });
            let name = "Overlay the upper body";
            let words = [label(short.lanes, "Overlay…", name), "Clip for the upper body"];
            ui.add_enabled_ui(below.is_some(), |ui| {
                if let Some(over) =
                    clip_menu(ui, view.theme, document, &mut state.search, words, name)
                    && let Some(below) = below
                {
                    let time = Some(Seconds(if running.is_some() {
                        0.0
                    } else {
                        view.timeline.playback.time as f32
                    }));
                    let command = PlayOver {
                        clip: ClipName::Id(below),
                        over: ClipName::Id(over),
                        node: None,
                        time,
                    };
                    actions.push(Action::Run(command.into()));
                }
            });
            if !two_lines {
                ui.separator();
                go_ui(state, ui, view, document, short.transition, actions);
            }
            jumps_ui(&state.jumps.1, ui, view, document, actions);
            ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
                if icon_button(ui, theme, icons::ICON_CLOSE, "Close the mixer", "", false, Ok(()))
                    .clicked()
                {
                    actions.push(TimelineAction::Mixing(false));
                }
                let is_some = mix.length() > 0.0;
                let bake = label(short.file, "Bake…", "Bake to a clip…");
                let about = (theme, mix_rate(document));
                ui.add_enabled_ui(is_some, |ui| bake_ui(&mut state.bake, ui, bake, about, actions));
                let kept = is_mix_kept(document);
                let (text, name) = if kept && is_some {
                    (label(short.file, "Kept", "Kept in the file"), "Kept in the file")
                } else {
                    (label(short.file, "Keep", "Keep in the file"), "Keep in the file")
                };
                let keep = ui.add_enabled(is_some && !kept, egui::Button::new(text));
                name_widget(ui, &keep, name);
                if keep
                    .on_hover_text(
                        "Saves the lanes in the file's extras; other programs ignore them",
                    )
                    .clicked()
                {
                    actions.push(Action::Run(KeepMix { on: None }.into()));
                }
            });
        });
        if two_lines {
            ui.horizontal(|ui| {
                ui.set_height(28.0);
                go_ui(state, ui, view, document, true, actions);
            });
        }
    });
}

/// Shows the warning about jumps of the mix. A click moves the playhead to the next jump.
fn jumps_ui(
    jumps: &[Jump],
    ui: &mut Ui,
    view: &View<'_>,
    document: &Document,
    actions: &mut Actions,
) {
    let Some(words) = jumps_in_words(document, jumps) else { return };
    let text = match jumps.len() {
        1 => "1 jump".to_owned(),
        n => format!("{n} jumps"),
    };
    let text = RichText::new(text);
    let button = ui.add(
        egui::Button::new(text.color(view.theme.color(ColorRole::SeverityWarning))).frame(false),
    );
    name_widget(ui, &button, &format!("Warning: {words}"));
    if button.clicked() {
        let now = view.timeline.playback.time;
        let next = jumps.iter().find(|j| j.time > now + 1e-6).or_else(|| jumps.first());
        actions.extend(next.map(|j| TimelineAction::Seek(j.time)));
    }
    button.on_hover_text(format!("Warning: {words}. Click to go to the next one."));
}

/// Number field with a background, which fields in menus do not have.
fn number(ui: &mut Ui, theme: &Theme, value: egui::DragValue<'_>) -> egui::Response {
    ui.scope(|ui| {
        let inactive = &mut ui.visuals_mut().widgets.inactive;
        inactive.weak_bg_fill = theme.color(ColorRole::SurfaceField);
        inactive.bg_stroke = theme.field_edge();
        ui.add_sized([140.0, 24.0], value)
    })
    .inner
}

/// Button with the settings for baking the mix to a clip.
fn bake_ui(
    bake: &mut Baking,
    ui: &mut Ui,
    text: &str,
    (theme, offered): (&Theme, f64),
    actions: &mut Actions,
) {
    let mut frames = bake.rate.unwrap_or(offered);
    let button = lasting_menu_button(ui, egui::Button::new(text), |ui| {
        ui.set_min_width(240.0);
        egui::Grid::new("bake").num_columns(2).spacing([8.0, 6.0]).show(ui, |ui| {
            let label = |ui: &mut Ui, text: &str| {
                ui.label(RichText::new(text).color(theme.color(ColorRole::TextSecondary)))
            };
            label(ui, "Name");
            let field = egui::TextEdit::singleline(&mut bake.name)
                .align(egui::Align2::LEFT_CENTER)
                .desired_width(140.0);
            let field = edged(ui, |ui| ui.add(field));
            name_widget(ui, &field, "Name of the baked clip");
            ui.end_row();
            label(ui, "Frames per second");
            let value =
                egui::DragValue::new(&mut frames).range(1.0..=240.0).speed(1.0).max_decimals(3);
            let field = number(ui, theme, value);
            if field.changed() {
                bake.rate = Some(frames);
            }
            name_widget(ui, &field, "Frame rate of the baked clip");
            field.on_hover_text("The highest frame rate of the clips, unless it is changed");
            ui.end_row();
            label(ui, "Max error");
            let value = egui::DragValue::new(&mut bake.millimetres)
                .range(0.0..=100.0)
                .speed(0.1)
                .suffix(" mm");
            let field = number(ui, theme, value);
            let field = field.on_hover_text(
                "Removes keys while the skin error stays below this value, scaled to a body 1.8 m \
                    high. 0 keeps one key per frame",
            );
            name_widget(ui, &field, "Max error in millimeters");
            ui.end_row();
        });
        crate::ui::widgets::check(ui, theme, &mut bake.in_place, "In place (no travel)");
        ui.add_space(4.0);
        let verb = RichText::new("Bake")
            .font(Theme::font(Font::Heading))
            .color(theme.color(ColorRole::TextOnAccent));
        let verb = egui::Button::new(verb)
            .fill(theme.color(ColorRole::AccentBase))
            .min_size(vec2(80.0, 32.0));
        // Use a fixed size, because a menu layout would stretch the button.
        let line = vec2(ui.min_rect().width(), 32.0);
        let layout = Layout::right_to_left(Align::Center);
        let clicked = ui.allocate_ui_with_layout(line, layout, |ui| ui.add(verb).clicked()).inner;
        if clicked {
            let name = Some(bake.name.trim().to_owned()).filter(|n| !n.is_empty());
            let (rate, millimetres) = (Some(frames as f32), Some(bake.millimetres as f32));
            actions.push(Action::Run(
                BakeMix { name, rate, millimetres, in_place: Some(bake.in_place) }.into(),
            ));
            ui.close();
        }
    });
    name_widget(ui, &button.on_hover_text("Bakes the mix into a new clip"), "Bake to a clip");
}

/// Button with the settings of a transition: target clip, time and method.
fn go_ui(
    state: &mut MixerState,
    ui: &mut Ui,
    view: &View<'_>,
    document: &Document,
    is_narrow: bool,
    actions: &mut Actions,
) {
    let theme = view.theme;
    if !is_narrow {
        ui.label(RichText::new("Transition to").color(theme.color(ColorRole::TextSecondary)));
    }
    let to = state.to.filter(|id| document.clips.contains(*id));
    let label = to.map_or_else(|| "a clip".to_owned(), |id| document.clip_label(id));
    let shown = if to.is_some() { label.as_str() } else { "Choose clip" };
    let room = if is_narrow { 80.0 } else { 120.0 };
    let shown = crate::ui::widgets::cut(ui, shown, &Theme::font(Font::Body), room);
    let shown = format!("{shown} {}", icons::ICON_KEYBOARD_ARROW_DOWN.codepoint);
    let name = format!("Transition to clip: {label}");
    if let Some(id) = clip_menu(ui, view.theme, document, &mut state.search, [&shown, ""], &name) {
        state.to = Some(id);
    }
    let whens = [
        (GoWhen::Now, "Now", "At the playhead"),
        (GoWhen::End, "At the end", "At the end of the playing clip"),
        (GoWhen::Marker, "At a marker", "At the next marker of the playing clip"),
        (GoWhen::Seam, "Best match", "At the moment where both clips match best"),
    ];
    let tight = ui.max_rect().width() < 660.0;
    if tight {
        ui.spacing_mut().item_spacing.x = 4.0;
    }
    let list = if tight { 72.0 } else { 96.0 };
    choices(ui, "When", list, &whens, &mut state.goes);
    let ways = [
        (EnterHow::Fade, "Cross-fade", "Fades in while the playing clip continues"),
        (
            EnterHow::Inertial,
            "Inertial",
            "Switches at once; the pose difference decays smoothly (inertialization)",
        ),
        (EnterHow::Frozen, "Frozen pose", "Fades in over the last pose of the playing clip"),
        (
            EnterHow::Keys,
            "Interpolate",
            "Interpolates from the last key of one clip to the first key of the next",
        ),
        (EnterHow::Cut, "Cut", "No transition"),
    ];
    choices(ui, "How", list, &ways, &mut state.how);
    if state.how != EnterHow::Cut {
        let field = ui.add(
            egui::DragValue::new(&mut state.fade)
                .range(0.0..=10.0)
                .speed(0.01)
                .suffix(" s")
                .max_decimals(2),
        );
        name_widget(ui, &field, "Length of the transition");
    }
    let seams = egui::Button::new(self::label(tight, "Points…", "Best points…"));
    let seams = ui.add_enabled(document.clips.count() > 1, seams);
    name_widget(ui, &seams, "Best points…");
    if seams.on_hover_text("Lists the best transition points between clips").clicked() {
        actions.push(DialogAction::FindSeams);
    }
    if ui.add_enabled(to.is_some(), egui::Button::new("Add")).clicked()
        && let Some(id) = to
    {
        let time = Seconds(view.timeline.playback.time as f32);
        let (when, how, fade) =
            (Some(state.goes), Some(state.how), Some(Seconds(state.fade as f32)));
        let command = GoTo { clip: ClipName::Id(id), time, when, how, fade, lane: None };
        state.before_added = Some(mix_of(document).unwrap_or_default());
        actions.push(Action::Run(command.into()));
    }
}
