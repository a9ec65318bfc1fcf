//! *Repair loop*: shows how far each joint jumps at a clip's loop seam, and previews repairs. It
//! replaces the inspector, and the rest of the window stays usable.

use std::collections::BTreeMap;

use egui::{Align, Layout, Rect, RichText, Sense, Ui, pos2, vec2};
use egui_material_icons::icons;

use crate::ui::{
    Action, Actions, OutlinerAction, RepairLoop, Theme, TimelineAction, View,
    theme::Font,
    widgets::{check, icon_button, joint_icon, name_widget, panel_title, row, segment, segments},
};
use ulna_edit::command::{CloseHow, CloseLoop, PlayCommand, field::ClipName, frame_of};
use ulna_model::{Clip, ClipId, Derived, Document, NodeId, Shared, Track, TrackId};
use ulna_motion::clip_edit::{Closing, Seam, closed, seam};
use ulna_render::ColorRole;

/// Size of the seam before and after the repair, and the number of changed keys.
#[derive(Clone, Debug, Default)]
pub struct SeamFacts {
    before: Option<Seam>,
    after: Option<Seam>,
    keys: usize,
}

/// Key of the facts: document revision, clip, and options of the repair.
pub type FoundOf = (u64, ClipId, CloseHow, usize, bool);

impl SeamFacts {
    fn of(document: &Document, repair: &RepairLoop) -> Self {
        let Some(clip) = document.clips.get(repair.clip) else { return Self::default() };
        let frame = frame_of(clip);
        let before = seam(document, clip, frame);
        let made = repaired(document, repair);
        let after = made.as_ref().and_then(|made| seam(document, made, frame));
        let changed = made.map(|made| changed_keys(clip, &made));
        Self { before, after, keys: changed.map_or(0, |times| times.values().map(Vec::len).sum()) }
    }
}

/// Times of changed keys, by track.
pub fn changed_keys(before: &Clip, after: &Clip) -> BTreeMap<TrackId, Vec<f32>> {
    let changed = |(id, track): (&TrackId, &Shared<Track>)| {
        let old = before.tracks.get(id);
        let same = |k: &usize| {
            old.is_some_and(|old| {
                k < &old.times.len()
                    && old.times[*k] == track.times[*k]
                    && old.value(*k) == track.value(*k)
            })
        };
        let times: Vec<f32> =
            (0..track.times.len()).filter(|k| !same(k)).map(|k| track.times[k]).collect();
        (!times.is_empty()).then_some((*id, times))
    };
    after.tracks.iter().filter_map(changed).collect()
}

/// The clip after the repair; `None` if the loop cannot be closed.
pub fn repaired(document: &Document, repair: &RepairLoop) -> Option<Shared<Clip>> {
    let clip = document.clips.get(repair.clip)?;
    let frame = frame_of(clip);
    let how = match repair.how {
        CloseHow::Match => Closing::Match,
        CloseHow::Blend => Closing::Blend { frames: repair.frames as u32, speed: repair.speed },
        CloseHow::AddFrame => Closing::AddFrame,
        CloseHow::DropFrame => Closing::DropFrame,
    };
    let travels = seam(document, clip, frame)?.travels;
    closed(clip, how, frame, travels).ok().map(Shared::new)
}

pub fn repair_ui(
    found: &mut Derived<FoundOf, SeamFacts>,
    ui: &mut Ui,
    view: &View<'_>,
    document: &Document,
    generation: u64,
    repair: &RepairLoop,
    actions: &mut Actions,
) {
    let theme = view.theme;
    let (mut now, mut done) = (*repair, false);
    let of = (generation, repair.clip, repair.how, repair.frames, repair.speed);
    let found = found.update(of, |_| SeamFacts::of(document, repair));
    ui.horizontal(|ui| {
        panel_title(ui, theme, "Repair loop");
        let label = document.clip_label(repair.clip);
        ui.label(
            RichText::new(label)
                .font(Theme::font(Font::Caption))
                .color(theme.color(ColorRole::TextTertiary)),
        );
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            done |= icon_button(ui, theme, icons::ICON_CLOSE, "Close", "", false, Ok(())).clicked();
        });
    });
    let Some(before) = &found.before else {
        ui.label("A loop needs keys at two different times.");
        return;
    };
    said_ui(ui, theme, before);
    gaps_ui(ui, view, document, before, &mut now.all, actions);
    ui.add_space(4.0);
    method_ui(ui, theme, document, before, &mut now);
    ui.add_space(4.0);
    after_ui(ui, theme, before, found.after.as_ref(), found.keys);
    ui.add_space(8.0);
    ui.horizontal(|ui| {
        check(ui, theme, &mut now.preview, "Preview");
        let playing = view.timeline.playback.playing;
        let (icon, name) = match playing {
            true => (icons::ICON_PAUSE, "Pause"),
            false => (icons::ICON_PLAY_ARROW, "Play across the loop point"),
        };
        if icon_button(ui, theme, icon, name, "Space", playing, Ok(())).clicked() {
            now.preview |= !playing;
            actions.push(Action::Run(PlayCommand::Toggle.into()));
        }
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            let verb = RichText::new("Repair the loop").color(theme.color(ColorRole::TextOnAccent));
            let verb = egui::Button::new(verb)
                .fill(theme.color(ColorRole::AccentBase))
                .min_size(vec2(0.0, 28.0));
            let button = ui.add_enabled(found.after.is_some() && found.keys > 0, verb);
            if button
                .on_disabled_hover_text(
                    "No change needed: pose and speed already match at the loop point",
                )
                .clicked()
            {
                let blends = now.how == CloseHow::Blend;
                let (frames, speed) = (blends.then_some(now.frames), blends.then_some(now.speed));
                let command = CloseLoop {
                    clip: ClipName::Id(repair.clip),
                    how: Some(now.how),
                    frames,
                    speed,
                };
                actions.push(Action::Run(command.into()));
                done = true;
            }
            done |= ui.add(egui::Button::new("Cancel").min_size(vec2(0.0, 28.0))).clicked();
        });
    });
    if done || now != *repair {
        actions.push(TimelineAction::Repair((!done).then_some(now)));
    }
}

/// Draws the choice of the repair method, and its blend settings.
fn method_ui(ui: &mut Ui, theme: &Theme, document: &Document, before: &Seam, now: &mut RepairLoop) {
    ui.horizontal(|ui| {
        ui.label(RichText::new("Method").color(theme.color(ColorRole::TextSecondary)));
        segments(ui, theme, |ui| {
            for (how, text) in
                [(CloseHow::Match, "Spread over clip"), (CloseHow::Blend, "Blend last frames")]
            {
                if segment(ui, theme, text, now.how == how, false).clicked() {
                    now.how = how;
                }
            }
        });
    });
    // These repairs are only valid for a short clip or a duplicate last frame.
    if before.is_short || before.is_doubled {
        let (how, text) = match before.is_short {
            true => (CloseHow::AddFrame, "Add the missing frame"),
            false => (CloseHow::DropFrame, "Drop the last frame"),
        };
        segments(ui, theme, |ui| {
            if segment(ui, theme, text, now.how == how, false).clicked() {
                now.how = how;
            }
        });
    }
    if now.how == CloseHow::Blend {
        ui.horizontal(|ui| {
            ui.label(RichText::new("Blend").color(theme.color(ColorRole::TextSecondary)));
            let clip = &document.clips[now.clip];
            let most = (f64::from(clip.length()) / frame_of(clip)).round().max(1.0) as usize;
            let field =
                ui.add(egui::DragValue::new(&mut now.frames).range(1..=most).suffix(" frames"));
            name_widget(ui, &field, "Frames to blend");
            check(ui, theme, &mut now.speed, "Match speed");
        });
    }
}

fn said_ui(ui: &mut Ui, theme: &Theme, seam: &Seam) {
    let (text, role) = match (seam.is_closed, seam.is_doubled, seam.is_short) {
        (true, true, _) => (
            "The last two frames both match the first pose: one frame is a duplicate.",
            ColorRole::SeverityWarning,
        ),
        (true, ..) if seam.worst().2 > 0.05 => {
            ("The last pose matches the first, but the speed changes.", ColorRole::SeverityWarning)
        }
        (true, ..) => ("The last pose matches the first.", ColorRole::SeverityOk),
        (false, _, true) => (
            "The last frame is missing: the clip stops one frame before the first pose.",
            ColorRole::SeverityWarning,
        ),
        (false, ..) => ("The last pose does not match the first.", ColorRole::SeverityWarning),
    };
    let text = if seam.travels.is_some() {
        format!("{text} Root travel is ignored.")
    } else {
        text.into()
    };
    ui.add(egui::Label::new(RichText::new(text).color(theme.color(role))).wrap());
    ui.add_space(6.0);
}

/// Draws the list of joints that jump at the seam, largest jumps first.
fn gaps_ui(
    ui: &mut Ui,
    view: &View<'_>,
    document: &Document,
    seam: &Seam,
    all: &mut bool,
    actions: &mut Actions,
) {
    /// Minimum jump of a listed joint, in meters and radians.
    const SMALL: (f32, f32) = (0.003, 0.009);
    /// Number of rows until the user expands the list.
    const FEW: usize = 4;
    let theme = view.theme;
    let counts = |gap: &ulna_motion::clip_edit::Gap| gap.distance > SMALL.0 || gap.angle > SMALL.1;
    let many = seam.gaps.iter().filter(|g| counts(g)).count();
    let shown = if *all { seam.gaps.len().min(60) } else { many.min(FEW) };
    if many == 0 && !*all {
        return;
    }
    let worst = seam.gaps.iter().map(|g| g.distance).fold(1e-6, f32::max);
    ui.horizontal(|ui| {
        let head = |ui: &mut Ui, text: &str| {
            ui.label(
                RichText::new(text)
                    .font(Theme::font(Font::Caption))
                    .color(theme.color(ColorRole::TextTertiary)),
            );
        };
        head(ui, &format!("Jump at the loop point, {many} of {} joints", seam.gaps.len()));
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| head(ui, "cm   degrees"));
    });
    let mut gaps: Vec<_> = seam.gaps.iter().collect();
    gaps.sort_by(|a, b| b.distance.total_cmp(&a.distance));
    ui.spacing_mut().item_spacing.y = 0.0;
    for gap in gaps.into_iter().take(shown) {
        gap_row(
            ui,
            view,
            document,
            gap.node,
            (gap.distance, gap.angle),
            gap.distance / worst,
            actions,
        );
    }
    ui.spacing_mut().item_spacing.y = 6.0;
    let hidden = seam.gaps.len() - shown;
    if hidden > 0 || *all {
        let text = if *all { "Show fewer".to_owned() } else { format!("Show {hidden} more") };
        if ui.link(text).clicked() {
            *all = !*all;
        }
    }
}

fn gap_row(
    ui: &mut Ui,
    view: &View<'_>,
    document: &Document,
    node: NodeId,
    (distance, angle): (f32, f32),
    share: f32,
    actions: &mut Actions,
) {
    let theme = view.theme;
    let label = document.node(node).label(node);
    let selected = view.selection.nodes.contains(&node);
    let (rect, response) = row(ui, theme, 24.0, &format!("Jump of {label}"), selected);
    let painter = ui.painter_at(rect);
    let y = rect.center().y;
    let ink = theme.color(if selected { ColorRole::SelectionBase } else { ColorRole::TextPrimary });
    joint_icon(&painter, pos2(rect.left() + 12.0, y), ink);
    let numbers = Theme::font(Font::NumberSmall);
    let right = |x: f32, text: String| {
        painter.text(
            pos2(x, y),
            egui::Align2::RIGHT_CENTER,
            text,
            numbers.clone(),
            theme.color(ColorRole::TextPrimary),
        );
    };
    right(rect.right() - 4.0, format!("{:.1}°", angle.to_degrees()));
    right(rect.right() - 56.0, format!("{:.1}", distance * 100.0));
    let bar =
        Rect::from_min_max(pos2(rect.right() - 158.0, y - 2.0), pos2(rect.right() - 98.0, y + 2.0));
    painter.rect_filled(bar, 2.0, theme.color(ColorRole::SurfaceField));
    let role = if share > 0.5 { ColorRole::SeverityWarning } else { ColorRole::TextSecondary };
    let filled = bar.with_max_x(bar.left() + bar.width() * share.clamp(0.0, 1.0));
    painter.rect_filled(filled, 2.0, theme.color(role));
    let font = Theme::font(Font::Body);
    let name = crate::ui::widgets::cut(ui, &label, &font, bar.left() - rect.left() - 32.0);
    painter.text(pos2(rect.left() + 24.0, y), egui::Align2::LEFT_CENTER, name, font, ink);
    if response.interact(Sense::click()).clicked() {
        actions.push(OutlinerAction::Select { node, toggle: ui.input(|i| i.modifiers.shift) });
    }
}

fn after_ui(ui: &mut Ui, theme: &Theme, before: &Seam, after: Option<&Seam>, keys: usize) {
    let Some(after) = after else {
        ui.label("Several keys would land on the same frame. Choose another method.");
        return;
    };
    let (was, is) = (before.worst(), after.worst());
    ui.spacing_mut().item_spacing.y = 1.0;
    let line = |ui: &mut Ui, name: &str, was: String, is: String| {
        ui.horizontal(|ui| {
            ui.label(RichText::new(name).color(theme.color(ColorRole::TextSecondary)));
            ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
                let number = |text: String, role| {
                    RichText::new(text).font(Theme::font(Font::Number)).color(theme.color(role))
                };
                ui.label(number(is, ColorRole::TextPrimary));
                if !was.is_empty() {
                    ui.label(RichText::new("›").color(theme.color(ColorRole::TextTertiary)));
                    ui.label(number(was, ColorRole::TextTertiary));
                }
            });
        });
    };
    line(ui, "Largest jump", format!("{:.1} cm", was.1 * 100.0), format!("{:.1} cm", is.1 * 100.0));
    line(
        ui,
        "Largest rotation jump",
        format!("{:.1}°", was.0.to_degrees()),
        format!("{:.1}°", is.0.to_degrees()),
    );
    line(
        ui,
        "Speed mismatch",
        format!("{:.0} cm/s", was.2 * 100.0),
        format!("{:.0} cm/s", is.2 * 100.0),
    );
    line(
        ui,
        "Changes",
        String::new(),
        if keys == 1 { "1 key".into() } else { format!("{keys} keys") },
    );
}
