//! The panel on the right: reference poses, chains, size, feet, root motion, and the buttons.

use std::collections::BTreeSet;

use egui::{Align, DragValue, Layout, Rect, RichText, ScrollArea, Stroke, Ui, vec2};
use egui_material_icons::icons;

use super::{
    RetargetAction, RetargetDraft, RetargetResult, RetargetView, SOURCE, TARGET,
    chains::{ChainsState, chains_ui},
    feet, inside,
    mirror::{FromSide, mirror_chains},
    parts::{MARGIN, divider, number, section, small},
    rests,
};
use crate::ui::{
    Actions, Theme, View, bytes_in_words,
    menu_rows::{Row, menu_button},
    theme::Font,
    widgets::{cut, edged, icon_button, name_widget, panel_title, segment, segments},
};
use ulna_edit::command::{RetargetedKeys, TakenName};
use ulna_model::RootMotion;
use ulna_render::ColorRole;

/// Height in points of the bottom area with the buttons, keys and names.
pub(super) const FOOT: f32 = 124.0;
/// Height of the header, in points.
const HEAD: f32 = 36.0;

pub(super) fn panel_ui(
    state: &mut ChainsState,
    ui: &mut Ui,
    (view, page): (&View<'_>, RetargetView<'_>),
    now: &mut RetargetDraft,
    rect: Rect,
    actions: &mut Actions,
) {
    let theme = view.theme;
    let head = rect.with_max_y(rect.top() + HEAD);
    let foot = rect.with_min_y(rect.bottom() - FOOT);
    let body = Rect::from_min_max(head.left_bottom(), foot.right_top());
    inside(ui, "head", head.shrink2(vec2(MARGIN, 0.0)), |ui| {
        head_ui(ui, view, page, now, actions);
    });
    let line = Stroke::new(1.0, theme.color(ColorRole::StrokeSubtle));
    for y in [head.bottom() - 0.5, foot.top() + 0.5] {
        ui.painter().hline(rect.x_range(), y, line);
    }
    inside(ui, "sections", body, |ui| {
        let scroll = ScrollArea::vertical().id_salt("sections").auto_shrink([false, false]);
        scroll.show(ui, |ui| {
            let frame = egui::Frame::new().inner_margin(egui::Margin::symmetric(MARGIN as i8, 4));
            frame.show(ui, |ui| {
                ui.spacing_mut().item_spacing.y = 4.0;
                sections_ui(state, ui, (view, page), now, actions);
            });
        });
    });
    inside(ui, "buttons", foot.shrink2(vec2(MARGIN, 8.0)), |ui| {
        buttons_ui(ui, theme, page, now, actions);
    });
}

fn head_ui(
    ui: &mut Ui,
    view: &View<'_>,
    page: RetargetView<'_>,
    now: &mut RetargetDraft,
    actions: &mut Actions,
) {
    let theme = view.theme;
    ui.horizontal(|ui| {
        ui.set_min_height(HEAD);
        panel_title(ui, theme, "Retarget");
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            let close =
                icon_button(ui, theme, icons::ICON_CLOSE, "Close the page", "Esc", false, Ok(()));
            if close.clicked() {
                actions.push(RetargetAction::Close);
            }
            map_ui(ui, view, page, now, actions);
            let target = page.bodies[TARGET].map_or("", |b| &b.name);
            let text = match page.bodies[SOURCE] {
                Some(source) => format!("{} to {target}", source.name),
                None => format!("onto {target}"),
            };
            let font = Theme::font(Font::Small);
            let text = cut(ui, &text, &font, ui.available_width() - 4.0);
            let color = theme.color(ColorRole::TextTertiary);
            ui.with_layout(Layout::left_to_right(Align::Center), |ui| {
                ui.label(RichText::new(text).font(font).color(color));
            });
        });
    });
}

/// Draws the menu for loading and saving the map.
fn map_ui(
    ui: &mut Ui,
    view: &View<'_>,
    page: RetargetView<'_>,
    now: &mut RetargetDraft,
    actions: &mut Actions,
) {
    if page.bodies[SOURCE].is_none() {
        return;
    }
    menu_button(ui, format!("Map: {}", page.map_origin), view, actions, |rows| {
        let again = Row::new("Match again").help("Finds the chains by names and shape");
        rows.act(again, || RetargetAction::MatchAgain);
        for (text, saves) in [("Load from a file…", false), ("Save to a file…", true)] {
            rows.act(Row::new(text), || RetargetAction::AskMap { saves });
        }
        rows.separator();
        rows.submenu(Row::new("Mirror chains"), |rows| {
            let sides = [("Left to right", FromSide::Left), ("Right to left", FromSide::Right)];
            for (text, side) in sides {
                let help = "Copies the joints and settings of all chains of a side";
                if rows.row(Row::new(text).help(help)) {
                    mirror_chains(now, page.bodies, side);
                }
            }
        });
        rows.separator();
        if rows.row(Row::new("Keep in the model's file").checked(now.keeps_map)) {
            now.keeps_map = !now.keeps_map;
        }
    });
}

fn sections_ui(
    state: &mut ChainsState,
    ui: &mut Ui,
    (view, page): (&View<'_>, RetargetView<'_>),
    now: &mut RetargetDraft,
    actions: &mut Actions,
) {
    let theme = view.theme;
    let [Some(_), Some(_)] = page.bodies else {
        small(
            ui,
            theme,
            "Chains of both bodies are listed here once there is a source.",
            ColorRole::TextTertiary,
        );
        return;
    };
    if section(ui, theme, "Rest poses", "", |_| {}) {
        rests::rests_ui(ui, (theme, page), now, actions);
    }
    divider(ui, theme);
    let matched = now.map.chains.iter().filter(|c| !c.source.is_empty() && !c.target.is_empty());
    let remark = format!("{} of {} matched", matched.count(), now.map.chains.len());
    let open = section(ui, theme, "Chains", &remark, |ui| {
        if ui.button("Match again").on_hover_text("Finds the chains by names and shape").clicked() {
            actions.push(RetargetAction::MatchAgain);
        }
    });
    if open {
        chains_ui(state, ui, (view, page), now, actions);
    }
    divider(ui, theme);
    if section(ui, theme, "Size", "", |_| {}) {
        size_ui(ui, theme, page.result, now);
    }
    divider(ui, theme);
    feet::feet_ui(ui, theme, page, now);
    divider(ui, theme);
    if section(ui, theme, "Root motion", "", |_| {}) {
        ui.horizontal(|ui| {
            segments(ui, theme, |ui| {
                for root in RootMotion::ALL {
                    let on = now.map.root == root;
                    if segment(ui, theme, root.label(), on, false).clicked() {
                        now.map.root = root;
                    }
                }
            });
        });
    }
}

/// Draws a number field for a factor. Returns whether it changed.
fn factor(ui: &mut Ui, theme: &Theme, name: &str, value: &mut f32) -> bool {
    let plain = ui.visuals().widgets.inactive;
    ui.visuals_mut().widgets.inactive.weak_bg_fill = theme.color(ColorRole::SurfaceField);
    ui.visuals_mut().widgets.inactive.bg_stroke = theme.field_edge();
    let drag = DragValue::new(value).speed(0.005).range(0.01..=100.0).prefix("×").max_decimals(3);
    let response = ui.add_sized([76.0, 24.0], drag);
    name_widget(ui, &response, name);
    ui.visuals_mut().widgets.inactive = plain;
    response.changed()
}

fn size_ui(ui: &mut Ui, theme: &Theme, result: Option<&RetargetResult>, now: &mut RetargetDraft) {
    let by_rests = result.map_or(1.0, |r| r.height);
    ui.horizontal(|ui| {
        small(ui, theme, "Hips height", ColorRole::TextSecondary);
        let mut height = now.map.height.unwrap_or(by_rests);
        if factor(ui, theme, "Factor of the hips height", &mut height) {
            now.map.height = Some(height);
        }
        if now.map.height.is_some() {
            let reset = icon_button(
                ui,
                theme,
                icons::ICON_RESTART_ALT,
                "Use the factor of the rest poses",
                "",
                false,
                Ok(()),
            );
            if reset.clicked() {
                now.map.height = None;
            }
        }
        if let Some(result) = result.filter(|_| ui.available_width() > 280.0) {
            let [from, to] = result.heights;
            number(ui, theme, &format!("{from:.3} to {to:.3}\u{2009}m"), ColorRole::TextTertiary);
        }
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            let is_linked = now.map.stride.is_none();
            ui.add_enabled_ui(!is_linked, |ui| {
                let mut stride = now.map.stride.unwrap_or(height);
                if factor(ui, theme, "Factor of the stride", &mut stride) {
                    now.map.stride = Some(stride);
                }
            });
            let icon = if is_linked { icons::ICON_LINK } else { icons::ICON_LINK_OFF };
            let name = "Link the stride to the hips height";
            if icon_button(ui, theme, icon, name, "", is_linked, Ok(())).clicked() {
                now.map.stride = is_linked.then_some(height);
            }
            small(ui, theme, "Stride", ColorRole::TextSecondary);
        });
    });
}

/// Draws the choice of the keys of added clips.
fn keys_ui(ui: &mut Ui, theme: &Theme, now: &mut RetargetDraft) {
    ui.horizontal(|ui| {
        small(ui, theme, "Keys", ColorRole::TextSecondary);
        segments(ui, theme, |ui| {
            let ways = [
                (RetargetedKeys::Source, "As source", "Keys at the times of the source's keys"),
                (RetargetedKeys::Frames, "Every frame", "One key per frame of the source"),
                (RetargetedKeys::Reduced, "Reduced", "As few keys as keep the motion"),
            ];
            for (keys, text, about) in ways {
                let response = segment(ui, theme, text, now.keys == keys, false);
                if response.on_hover_text(about).clicked() {
                    now.keys = keys;
                }
            }
        });
        if now.keys == RetargetedKeys::Reduced {
            let drag = DragValue::new(&mut now.millimetres).speed(0.01).range(0.01..=100.0);
            let response = ui.add_sized([76.0, 24.0], drag.suffix(" mm").max_decimals(2));
            name_widget(ui, &response, "Max error of reduced keys");
            response.on_hover_text("Max error on the surface of a body 1.8 m tall");
        }
    });
}

/// Placeholder in the name pattern for the name of a clip in the source.
const CLIP: &str = "{clip}";

/// Number of clips to add whose names the file already has.
fn conflicts(page: RetargetView<'_>, now: &RetargetDraft) -> usize {
    let [Some(source), Some(target)] = page.bodies else { return 0 };
    let taken: BTreeSet<&str> = target.clips.iter().map(|c| &*c.name).collect();
    let added = source.clips.iter().zip(&now.takes).filter(|(_, takes)| **takes);
    added.filter(|(clip, _)| taken.contains(&*now.name_of(&clip.name))).count()
}

/// Text about the size of the clips to add. Reduced keys are at most as many as those of the
/// source.
fn size_text(page: RetargetView<'_>, now: &RetargetDraft) -> String {
    let Some(of) = page.summary.filter(|_| now.taken_count() > 0) else {
        return "One undo step".to_owned();
    };
    let [as_source, each_frame] = of.bytes.map(bytes_in_words);
    match now.keys {
        RetargetedKeys::Source => format!("About {as_source}, one undo step"),
        RetargetedKeys::Frames => format!("About {each_frame}, one undo step"),
        RetargetedKeys::Reduced => format!("At most {as_source}, one undo step"),
    }
}

/// Draws the name pattern of added clips, and the buttons.
fn buttons_ui(
    ui: &mut Ui,
    theme: &Theme,
    page: RetargetView<'_>,
    now: &mut RetargetDraft,
    actions: &mut Actions,
) {
    ui.spacing_mut().item_spacing.y = 8.0;
    keys_ui(ui, theme, now);
    ui.horizontal(|ui| {
        small(ui, theme, "Name", ColorRole::TextSecondary);
        let field = egui::TextEdit::singleline(&mut now.name)
            .desired_width(104.0)
            .align(egui::Align2::LEFT_CENTER)
            .font(egui::TextStyle::Monospace);
        let response = edged(ui, |ui| ui.add_sized([104.0, 24.0], field));
        name_widget(ui, &response, "Names of added clips");
        response.on_hover_text("{clip} stands for the name in the source");
        if !now.name.contains(CLIP) {
            let add = egui::Button::new(RichText::new(CLIP).font(Theme::font(Font::NumberSmall)));
            if ui.add(add).on_hover_text("Adds the name in the source").clicked() {
                now.name.push_str(CLIP);
            }
        }
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            segments(ui, theme, |ui| {
                // The layout is right-to-left, so the last choice comes first.
                let ways = [
                    (TakenName::Skip, "Skip"),
                    (TakenName::Replace, "Replace"),
                    (TakenName::Number, "Number"),
                ];
                for (taken, text) in ways {
                    if segment(ui, theme, text, now.taken == taken, false).clicked() {
                        now.taken = taken;
                    }
                }
            });
            if ui.available_width() > 60.0 {
                let text = match conflicts(page, now) {
                    0 => "No conflicts".to_owned(),
                    1 => "1 name exists:".to_owned(),
                    n => format!("{n} names exist:"),
                };
                small(ui, theme, &text, ColorRole::TextTertiary);
            }
        });
    });
    ui.horizontal(|ui| {
        ui.set_min_height(32.0);
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            let verb = match now.taken_count() {
                1 => "Add 1 clip".to_owned(),
                n => format!("Add {n} clips"),
            };
            let fault = page.result.and_then(|r| r.fault.as_deref());
            let ready = now.taken_count() > 0 && page.bodies[SOURCE].is_some() && fault.is_none();
            let label = RichText::new(&verb)
                .font(Theme::font(Font::Heading))
                .color(theme.color(ColorRole::TextOnAccent));
            let add = egui::Button::new(label)
                .fill(theme.color(ColorRole::AccentBase))
                .min_size(vec2(110.0, 32.0));
            let response = ui.add_enabled(ready, add).on_disabled_hover_text(
                match (fault, page.bodies[SOURCE]) {
                    (Some(fault), _) => fault,
                    (None, None) => "There is no source yet",
                    (None, Some(_)) => "No clip is selected",
                },
            );
            if response.clicked() {
                actions.push(RetargetAction::Write);
            }
            let cancel = egui::Button::new("Cancel").min_size(vec2(76.0, 32.0));
            if ui.add(cancel).clicked() {
                actions.push(RetargetAction::Close);
            }
            ui.with_layout(Layout::left_to_right(Align::Center), |ui| {
                small(ui, theme, &size_text(page, now), ColorRole::TextTertiary);
            });
        });
    });
}
