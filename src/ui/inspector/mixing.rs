//! The selected bar of the mix: its clips, transition, synchronization, playback and weight.

use egui::{Align, DragValue, Layout, RichText, Ui};

use super::{
    blending::{BlendingState, blend_ui, blend_with_ui},
    mix_fields::{clip_text, line, number, preview, set},
};
use crate::ui::{
    Action, Actions, Theme, TimelineAction, View,
    drop_down::{choices, combo_box, option_row},
    theme::Font,
    widgets::{check, cut, icon_button, mask_options, mask_words, panel_title},
};
use ulna_edit::command::mix_of;
use ulna_model::{
    Document, Enter, FadeCurve, InStep, Mix, MixBar, MixMask, Shared, transform::angle_between,
};
use ulna_motion::{Mixer, Pose, Stack, nlerp_gap};
use ulna_render::ColorRole;

/// Computed facts and the current drag.
#[derive(Clone, Debug, Default)]
pub struct MixingState {
    blending: BlendingState,
    mixer: Mixer,
}

/// Draws the selected bar of the mix. Returns whether a bar is selected.
pub fn mixing_ui(
    state: &mut MixingState,
    ui: &mut Ui,
    view: &View<'_>,
    (document, generation): (&Document, u64),
    actions: &mut Actions,
) -> bool {
    let mix = mix_of(document).unwrap_or_default();
    let Some(at) = view.timeline.mix_bar else { return false };
    let Some(bar) = mix.lanes.get(at.0).and_then(|l| l.bars.get(at.1)) else { return false };
    let theme = view.theme;
    let fps = view.timeline.playback.fps;
    let lane = &mix.lanes[at.0];
    blend_ui(&mut state.blending, ui, view, (document, generation), (&mix, at), actions);
    ui.horizontal(|ui| {
        let names: Vec<String> = bar.clips().map(|id| clip_text(document, *id)).collect();
        let title =
            cut(ui, &names.join("–"), &Theme::font(Font::Heading), ui.available_width() - 36.0);
        panel_title(ui, theme, &title);
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            let icon = egui_material_icons::icons::ICON_CLOSE;
            if icon_button(ui, theme, icon, "Deselect the bar", "", false, Ok(())).clicked() {
                actions.push(TimelineAction::ChooseBar(None));
            }
        });
    });
    let frame = |time: f64| (time * fps).round();
    let name = if lane.name.is_empty() {
        format!("lane {}", at.0 + 1)
    } else {
        format!("lane {}", lane.name)
    };
    let about = format!("frames {} to {}, {name}", frame(bar.start), frame(bar.end()));
    ui.label(
        RichText::new(about)
            .font(Theme::font(Font::Caption))
            .color(theme.color(ColorRole::TextTertiary)),
    );
    ui.add_space(4.0);
    let mut now = bar.clone();
    let (mut moved, mut let_go) = (false, false);
    enter_ui(ui, theme, (&mut now, fps), lane.additive.is_some(), (&mut moved, &mut let_go));
    step_ui(ui, theme, &mut now);
    plays_ui(ui, theme, &mut now, (&mut moved, &mut let_go));
    mask_ui(ui, view, document, &mut now);
    gap_ui(state, ui, theme, document, (&mix, at.0), view.timeline.playback.time, actions);
    ui.add_space(6.0);
    ui.horizontal(|ui| {
        blend_with_ui(&mut state.blending, ui, theme, document, &mut now);
        if ui.button("Remove the bar").clicked() {
            set(mix.without_bar(at), actions);
            actions.push(TimelineAction::ChooseBar(None));
        }
    });
    if now != *bar {
        let made = mix.with_bar(at, now);
        if moved { preview("Change a bar", made, actions) } else { set(made, actions) }
    }
    if let_go {
        actions.push(Action::Commit);
    }
    ui.add_space(10.0);
    true
}

fn enter_ui(
    ui: &mut Ui,
    theme: &Theme,
    (now, fps): (&mut MixBar, f64),
    additive: bool,
    (moved, let_go): (&mut bool, &mut bool),
) {
    let was = now.enter;
    line(ui, theme, "Transition", "Transition from the previous clip in this lane", |ui| {
        let mut list =
            vec![(Enter::Fade, "Cross-fade", "Fades in while the previous clip keeps playing")];
        if !additive {
            list.push((
                Enter::Frozen,
                "Frozen pose",
                "Fades in over the last pose of the previous clip",
            ));
            list.push((
                Enter::Keys,
                "Interpolate",
                "Interpolates from the last key of one clip to the first key of the next",
            ));
        }
        let inertial = "Switches at once; the pose difference decays smoothly (inertialization)";
        list.push((Enter::Inertial, "Inertial", inertial));
        list.push((Enter::Cut, "Cut", "No transition"));
        choices(ui, "Transition", 124.0, &list, &mut now.enter);
    });
    if now.enter != was && now.fade_in == 0.0 && now.enter != Enter::Cut {
        now.fade_in = 0.25f64.min(now.length);
    }
    let mut frames = |ui: &mut Ui, name: &str, seconds: &mut f64, most: f64| {
        let mut value = *seconds * fps;
        let drag = DragValue::new(&mut value)
            .range(0.0..=most * fps)
            .speed(0.2)
            .max_decimals(1)
            .suffix(" frames");
        let (changed, stopped) = number(ui, name, drag);
        if changed {
            *seconds = value / fps;
        }
        (*moved, *let_go) = (*moved || changed, *let_go || stopped);
    };
    let length = now.length;
    line(ui, theme, "Fade in", "Length of the fade in, in frames", |ui| {
        frames(ui, "Frames of the fade in", &mut now.fade_in, length);
    });
    line(ui, theme, "Fade out", "Length of the fade out, in frames", |ui| {
        frames(ui, "Frames of the fade out", &mut now.fade_out, length);
    });
    line(ui, theme, "Fade curve", "Shape of the fade in and fade out", |ui| {
        let list = [
            (FadeCurve::Smooth, "Smooth", "Ease in and out: 3u² − 2u³"),
            (FadeCurve::Linear, "Linear", "Constant rate"),
        ];
        choices(ui, "Fade curve", 124.0, &list, &mut now.curve);
    });
}

fn step_ui(ui: &mut Ui, theme: &Theme, now: &mut MixBar) {
    let about = "Keeps the steps of overlapping clips aligned: they share one phase and a common \
        speed. Bars that play \
                 once are not synchronized";
    line(ui, theme, "Sync by", about, |ui| {
        let list = [
            (InStep::Free, "None", "Each clip plays at its own time"),
            (InStep::Share, "Normalized time", "Matches clips by the fraction of their length"),
            (InStep::Markers, "Markers", "Aligns the markers of the clips"),
            (
                InStep::Contacts,
                "Contacts",
                "Aligns foot contacts: markers L and R, or detected contacts",
            ),
        ];
        ui.add_enabled_ui(now.repeat, |ui| choices(ui, "Sync by", 124.0, &list, &mut now.in_step));
    });
}

fn plays_ui(ui: &mut Ui, theme: &Theme, now: &mut MixBar, (moved, let_go): (&mut bool, &mut bool)) {
    let mut took = |(changed, stopped): (bool, bool)| {
        (*moved, *let_go) = (*moved || changed, *let_go || stopped);
    };
    line(ui, theme, "Speed", "Playback speed of the clip", |ui| {
        let value = DragValue::new(&mut now.speed)
            .range(0.0..=10.0)
            .speed(0.01)
            .max_decimals(3)
            .suffix(" ×");
        took(number(ui, "Speed of the bar", value));
        check(ui, theme, &mut now.repeat, "Loop");
    });
    line(ui, theme, "Clip start", "Time in the clip at which the bar starts", |ui| {
        let value = DragValue::new(&mut now.offset).speed(0.01).max_decimals(3).suffix(" s");
        took(number(ui, "Start time in the clip", value));
    });
    line(ui, theme, "Weight", "Blend weight of the bar in its lane", |ui| {
        let mut percent = now.weight * 100.0;
        let value =
            DragValue::new(&mut percent).range(0.0..=100.0).speed(0.5).max_decimals(1).suffix(" %");
        let (changed, stopped) = number(ui, "Weight of the bar", value);
        if changed {
            now.weight = percent / 100.0;
        }
        took((changed, stopped));
    });
    let about = "Blends with overlapping bars by weight instead of covering them";
    line(ui, theme, "", "", |ui| {
        ui.scope(|ui| check(ui, theme, &mut now.along, "Blend with others"))
            .response
            .on_hover_text(about);
    });
}

fn mask_ui(ui: &mut Ui, view: &View<'_>, document: &Document, now: &mut MixBar) {
    let theme = view.theme;
    let shown = mask_words(document, now.mask.as_ref());
    line(ui, theme, "Mask", "Joints that the bar affects, within the lane's mask", |ui| {
        let text = cut(ui, &shown, &Theme::font(Font::Body), 120.0);
        let combo = combo_box("bar mask").selected_text(text).width(124.0).show_ui(ui, |ui| {
            let mut choice = |ui: &mut Ui, text: &str, mask: Option<MixMask>| {
                if option_row(ui, now.mask == mask, text).clicked() {
                    now.mask = mask;
                }
            };
            for (text, mask) in mask_options(document, view.selection.active) {
                choice(ui, &text, mask);
            }
            if !view.selection.nodes.is_empty() {
                let list = view.selection.nodes.iter().map(|n| (*n, 1.0)).collect();
                choice(ui, "The selected joints", Some(MixMask::Painted(list)));
            }
        });
        combo.response.widget_info(|| {
            egui::WidgetInfo::labeled(
                egui::Role::ComboBox,
                true,
                format!("Mask of the bar: {shown}"),
            )
        });
    });
}

/// Draws the choice between SLERP and NLERP for a lane, and the current difference between them.
fn gap_ui(
    state: &mut MixingState,
    ui: &mut Ui,
    theme: &Theme,
    document: &Document,
    (mix, lane): (&Shared<Mix>, usize),
    time: f64,
    actions: &mut Actions,
) {
    let mut nlerp = mix.lanes[lane].nlerp;
    let was = nlerp;
    let about = "How the lane blends rotations: SLERP on the sphere, or the faster normalized sum \
        (NLERP)";
    line(ui, theme, "Rotations", about, |ui| {
        choices(
            ui,
            "Rotations",
            124.0,
            &[(false, "Slerp", "Spherical mean"), (true, "Nlerp", "Normalized sum, faster")],
            &mut nlerp,
        );
        let gap = greatest_gap(&mut state.mixer, document, mix, lane, time);
        let text = RichText::new(format!("differ by {:.2}°", gap.to_degrees()))
            .font(Theme::font(Font::Small));
        let label = ui.label(text.color(theme.color(ColorRole::TextTertiary)));
        label.on_hover_text("Largest difference between SLERP and NLERP for the clips playing now");
    });
    if nlerp != was {
        let mut made = (**mix).clone();
        made.lanes[lane].nlerp = nlerp;
        set(made, actions);
    }
}

/// Largest angle between NLERP and SLERP for any two clips that currently play in a lane or below
/// it.
fn greatest_gap(
    mixer: &mut Mixer,
    document: &Document,
    mix: &Shared<Mix>,
    lane: usize,
    time: f64,
) -> f32 {
    /// Maximum number of compared clips.
    const MOST: usize = 4;
    let mut playing = mixer.playing(document, mix, time);
    playing.retain(|p| p.lane == lane && p.weight > 0.005);
    playing.sort_by(|a, b| b.weight.total_cmp(&a.weight));
    let total: f32 = playing.iter().map(|p| p.weight).sum();
    let pose = |p: &ulna_motion::Playing| {
        Pose::evaluate(document, &Stack::shown(document, Some(p.clip), p.time))
    };
    let mut poses: Vec<Pose> = playing.iter().take(MOST).map(pose).collect();
    if total < 0.995 {
        poses.push(Pose::evaluate(document, &Stack::default()));
    }
    let mut worst = 0.0f32;
    for (k, a) in poses.iter().enumerate() {
        for b in &poses[..k] {
            let angle = |(a, b): (&ulna_model::Local, &ulna_model::Local)| {
                angle_between(a.transform().rotation, b.transform().rotation)
            };
            worst = a.local.iter().zip(&b.local).map(angle).fold(worst, f32::max);
        }
    }
    nlerp_gap(worst)
}
