//! The bar that is looked at: how it comes in, over how long, in step with what, how fast, and its slider.

use egui::{DragValue, RichText, Ui};

use super::{MixerState, bars::bar_text, clip_menu, preview, set};
use crate::{
    model::{Document, Enter, FadeCurve, InStep, Mix, MixBar, Plays, Shared},
    motion::ground_speed,
    render::ColorRole,
    ui::{
        Action, Actions, Theme, View,
        theme::Font,
        widgets::{check, cut, name_widget, segment, segments},
    },
};

/// Said where no bar is chosen.
const HINT: &str = "Bars: drag to move, ends to trim, squares for fades. From the bottom up: the rest pose, each lane over it, \
                    additive lanes added.";

pub(super) fn detail_ui(
    state: &mut MixerState,
    ui: &mut Ui,
    view: &View<'_>,
    document: &Document,
    mix: &Shared<Mix>,
    actions: &mut Actions,
) {
    let theme = view.theme;
    egui::Frame::new().inner_margin(egui::Margin::symmetric(8, 2)).show(ui, |ui| {
        ui.horizontal(|ui| {
            ui.set_height(28.0);
            let small = |text: &str| {
                RichText::new(text).font(Theme::font(Font::Small)).color(theme.color(ColorRole::TextTertiary))
            };
            let Some((lane, b)) = state.chosen else {
                ui.label(small(HINT));
                return;
            };
            let bar = &mix.lanes[lane].bars[b];
            let name = cut(ui, &bar_text(document, bar), &Theme::font(Font::Heading), 150.0);
            ui.label(RichText::new(name).font(Theme::font(Font::Heading)).color(theme.color(ColorRole::TextPrimary)));
            let mut now = bar.clone();
            ui.label(small("Enters by"));
            segments(ui, theme, |ui| {
                for (enter, text) in [
                    (Enter::Fade, "Cross-fade"),
                    (Enter::Frozen, "Over the pose"),
                    (Enter::Keys, "Key to key"),
                    (Enter::Inertial, "Inertial"),
                    (Enter::Cut, "At once"),
                ] {
                    if segment(ui, theme, text, now.enter == enter, false).clicked() {
                        now.enter = enter;
                        if now.fade_in == 0.0 && enter != Enter::Cut {
                            now.fade_in = 0.25f64.min(now.length);
                        }
                    }
                }
            });
            let smooth = now.curve == FadeCurve::Smooth;
            let curve = segment(ui, theme, if smooth { "Smooth" } else { "Linear" }, true, false);
            if curve.on_hover_text("How its weight rises and falls").clicked() {
                now.curve = if smooth { FadeCurve::Linear } else { FadeCurve::Smooth };
            }
            ui.label(small("In step by"));
            segments(ui, theme, |ui| {
                for (step, text) in [
                    (InStep::Free, "Nothing"),
                    (InStep::Share, "Share"),
                    (InStep::Markers, "Markers"),
                    (InStep::Contacts, "Contacts"),
                ] {
                    if segment(ui, theme, text, now.in_step == step, false).clicked() {
                        now.in_step = step;
                    }
                }
            });
            check(ui, theme, &mut now.repeat, "Loop");
            let speed = ui.add(DragValue::new(&mut now.speed).speed(0.01).range(0.0..=10.0).suffix("×"));
            name_widget(ui, &speed, "Speed of the bar");
            let clicked = now != *bar && !speed.changed();
            if clicked {
                set(with(mix, (lane, b), now.clone()), actions);
            } else if speed.changed() {
                preview("Speed of a bar", with(mix, (lane, b), now.clone()), actions);
            }
            if speed.drag_stopped() || speed.lost_focus() {
                actions.push(Action::Commit);
            }
            slider_ui(state, ui, view, document, mix, (lane, b), actions);
        });
    });
}

fn with(mix: &Mix, (lane, b): (usize, usize), bar: MixBar) -> Mix {
    let mut made = mix.clone();
    made.lanes[lane].bars[b] = bar;
    made
}

/// The slider of a bar that blends, or how it comes to have one.
fn slider_ui(
    state: &mut MixerState,
    ui: &mut Ui,
    view: &View<'_>,
    document: &Document,
    mix: &Shared<Mix>,
    (lane, b): (usize, usize),
    actions: &mut Actions,
) {
    let bar = &mix.lanes[lane].bars[b];
    let points = match &bar.plays {
        Plays::Clip(id) => vec![(*id, document.clips.get(*id).map_or(0.0, |c| ground_speed_of(document, c)))],
        Plays::Blend { points, .. } => points.clone(),
    };
    if let Plays::Blend { points, value } = &bar.plays {
        let (low, high) = points.iter().fold((f32::INFINITY, f32::NEG_INFINITY), |(l, h), p| (l.min(p.1), h.max(p.1)));
        let mut now = *value;
        // It may change nothing by itself: rounding or clamping what is there would be an edit that nobody made.
        let slider = egui::Slider::new(&mut now, low..=high.max(low + 1e-3)).suffix(" m/s").max_decimals(2);
        let field = ui.add(slider.clamping(egui::SliderClamping::Edits));
        name_widget(ui, &field, "Blend value");
        if field.changed() && (field.dragged() || field.has_focus() || field.clicked() || (now - value).abs() > 0.01) {
            let plays = Plays::Blend { points: points.clone(), value: now };
            let made = with(mix, (lane, b), MixBar { plays, ..bar.clone() });
            // The legs stay where they are in their step.
            let made = state.mixer.keeping_step(document, (mix, made), (lane, b), view.timeline.playback.time);
            preview("Blend value", made, actions);
        }
        if field.drag_stopped() || field.lost_focus() {
            actions.push(Action::Commit);
        }
    }
    let words = ["Blend with…", "Clips at their own speed over the ground"];
    if let Some(id) = clip_menu(ui, view, document, &mut state.search, words, words[0])
        && let Some(clip) = document.clips.get(id)
    {
        let mut points = points;
        points.push((id, ground_speed_of(document, clip)));
        let value = points.iter().map(|p| p.1).sum::<f32>() / points.len() as f32;
        let in_step = if bar.in_step == InStep::Free { InStep::Share } else { bar.in_step };
        let plays = Plays::Blend { points, value };
        set(with(mix, (lane, b), MixBar { plays, in_step, ..bar.clone() }), actions);
    }
}

fn ground_speed_of(document: &Document, clip: &Shared<crate::model::Clip>) -> f32 {
    (ground_speed(document, clip) * 100.0).round() / 100.0
}
