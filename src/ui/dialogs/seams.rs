//! *Seams* dialog: the best transition point from each clip to each other clip, and the jump of the
//! body there.

use egui::{Align, Align2, Layout, Rect, ScrollArea, Ui, pos2, vec2};

use super::parts::{head, many, plain, primary, small};
use crate::ui::{
    Action, Actions, Dialog, DialogAction, SeamOrder, SeamsDraft, Theme, View,
    theme::Font,
    widgets::{cut, filter_field, row, segment, segments, thousands},
};
use ulna_edit::command::{
    EnterHow, GoTo, GoWhen, MixText, SetMix, field::ClipName, field::Seconds, mix_of,
};
use ulna_model::{ClipId, Document, Mix, MixBar, MixLane, Shared};
use ulna_motion::BestSeam;
use ulna_render::ColorRole;

const ROW: f32 = 26.0;
/// Distance of each column's right edge from the right of the row in points, with its heading.
const COLUMNS: [(f32, &str); 5] = [
    (318.0, "leave at"),
    (250.0, "enter at"),
    (170.0, "position"),
    (96.0, "rotation"),
    (12.0, "speed"),
];

pub fn seams_ui(ui: &mut Ui, view: &View<'_>, draft: &SeamsDraft, actions: &mut Actions) {
    let theme = view.theme;
    let Some(document) = view.session.map(|s| s.document()) else { return };
    let mut now = draft.clone();
    let words = "The best moment to switch from one clip to another, for each pair of clips. The \
        numbers are the largest jumps at a hard cut: position and speed of a point on the skin, \
        rotation of a joint. The body's position and heading are ignored.";
    head(ui, theme, None, "Best transition points", words, actions);
    ui.horizontal(|ui| {
        ui.allocate_ui(vec2(260.0, 26.0), |ui| {
            filter_field(ui, theme, &mut now.filter, "Filter transitions")
        });
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            segments(ui, theme, |ui| {
                // The layout runs from right to left.
                for (order, text) in [
                    (SeamOrder::Speed, "By speed"),
                    (SeamOrder::Angle, "By rotation"),
                    (SeamOrder::Distance, "By position"),
                ] {
                    if segment(ui, theme, text, now.order == order, false).clicked() {
                        now.order = order;
                    }
                }
            });
        });
    });
    let label = |id: ClipId| document.clip_label(id);
    let wanted = now.filter.to_lowercase();
    let fits = |s: &&BestSeam| {
        document.clips.contains(s.from)
            && document.clips.contains(s.to)
            && (wanted.is_empty()
                || format!("{} {}", label(s.from), label(s.to)).to_lowercase().contains(&wanted))
    };
    let mut list: Vec<&BestSeam> = view.dialogs.seams.iter().filter(fits).collect();
    let by = |s: &BestSeam| match now.order {
        SeamOrder::Distance => s.distance,
        SeamOrder::Angle => s.angle,
        SeamOrder::Speed => s.speed,
    };
    list.sort_by(|a, b| by(a).total_cmp(&by(b)));
    ui.add_space(6.0);
    let (rect, _) = ui.allocate_exact_size(vec2(ui.available_width(), 18.0), egui::Sense::hover());
    let tertiary = theme.color(ColorRole::TextTertiary);
    for (from_right, text) in COLUMNS {
        let at = pos2(rect.right() - from_right, rect.center().y);
        ui.painter().text(at, Align2::RIGHT_CENTER, text, Theme::font(Font::Caption), tertiary);
    }
    let at = pos2(rect.left() + 12.0, rect.center().y);
    ui.painter().text(
        at,
        Align2::LEFT_CENTER,
        many(list.len(), "pair"),
        Theme::font(Font::Caption),
        tertiary,
    );
    theme.well().show(ui, |ui| {
        ui.set_width(ui.available_width());
        ui.spacing_mut().item_spacing.y = 0.0;
        let room = (ui.ctx().content_rect().height() - 300.0).clamp(120.0, 360.0);
        // Fit the height to all pairs, so that a filter does not change the size of the dialog.
        let all = (view.dialogs.seams.len() as f32 * ROW).max(3.0 * ROW);
        let height = room.min(all);
        let area = ScrollArea::vertical().auto_shrink([false, false]).max_height(height);
        let area = area.min_scrolled_height(height).id_salt("seams");
        area.show_rows(ui, ROW, list.len(), |ui, range| {
            for seam in &list[range] {
                seam_ui(ui, theme, document, seam, &mut now);
            }
        });
    });
    ui.add_space(10.0);
    foot_ui(ui, view, &list, draft, now, actions);
}

/// Text of a length in centimeters, or in meters from 1 m, followed by the unit suffix `per`.
fn length_text(meters: f32, per: &str) -> String {
    match meters {
        100.0.. => format!("{} m{per}", thousands(meters.round() as usize)),
        1.0.. => format!("{meters:.2} m{per}"),
        _ => format!("{:.1} cm{per}", meters * 100.0),
    }
}

fn seam_ui(ui: &mut Ui, theme: &Theme, document: &Document, seam: &BestSeam, now: &mut SeamsDraft) {
    let pair = (seam.from, seam.to);
    let (from, to) = (document.clip_label(seam.from), document.clip_label(seam.to));
    let (rect, response) =
        row(ui, theme, ROW, &format!("Transition from {from} to {to}"), now.shown == Some(pair));
    if response.clicked() {
        now.shown = Some(pair);
    }
    let numbers = [
        format!("{:.2} s", seam.leave),
        format!("{:.2} s", seam.enter),
        length_text(seam.distance, ""),
        format!("{:.1}°", seam.angle.to_degrees()),
        length_text(seam.speed, "/s"),
    ];
    let painter = ui.painter_at(rect);
    for ((from_right, _), text) in COLUMNS.into_iter().zip(numbers) {
        let at = pos2(rect.right() - from_right, rect.center().y);
        let font = Theme::font(Font::NumberSmall);
        painter.text(at, Align2::RIGHT_CENTER, text, font, theme.color(ColorRole::TextPrimary));
    }
    let room =
        Rect::from_min_max(rect.min, pos2(rect.right() - COLUMNS[0].0 - 52.0, rect.bottom()));
    let half = (room.width() - 44.0) * 0.5;
    let font = Theme::font(Font::Body);
    let ink = theme.color(ColorRole::TextPrimary);
    let y = rect.center().y;
    painter.text(
        pos2(rect.left() + 12.0, y),
        Align2::LEFT_CENTER,
        cut(ui, &from, &font, half),
        font.clone(),
        ink,
    );
    let arrow = pos2(rect.left() + 18.0 + half, y);
    painter.text(
        arrow,
        Align2::LEFT_CENTER,
        "›",
        font.clone(),
        theme.color(ColorRole::TextTertiary),
    );
    painter.text(
        arrow + vec2(16.0, 0.0),
        Align2::LEFT_CENTER,
        cut(ui, &to, &font, half),
        font,
        ink,
    );
}

/// Creates a mix that plays a clip from the start; `None` if the current mix has bars already.
fn started(document: &Document, first: ClipId) -> Option<Mix> {
    let mut mix = (*mix_of(document).unwrap_or_default()).clone();
    if mix.lanes.iter().any(|lane| !lane.bars.is_empty()) {
        return None;
    }
    let length = f64::from(document.clips.get(first)?.length()).max(0.5) * 2.0;
    let bar = MixBar::new(first, 0.0, length);
    match mix.lanes.iter_mut().find(|lane| lane.additive.is_none()) {
        Some(lane) => lane.bars.push(bar),
        None => mix.lanes.insert(0, MixLane { bars: vec![bar], ..MixLane::new("Body") }),
    }
    Some(mix)
}

/// Adds the transition of a pair as one undo step. In an empty mix, the first clip is added before
/// it.
fn add(view: &View<'_>, seam: &BestSeam, start: Option<Mix>, actions: &mut Actions) {
    let time = if start.is_some() { 0.0 } else { view.timeline.playback.time };
    let go = GoTo {
        clip: ClipName::Id(seam.to),
        time: Seconds(time as f32),
        when: Some(GoWhen::Seam),
        how: Some(EnterHow::Fade),
        fade: None,
        lane: None,
    };
    let Some(mix) = start else {
        actions.push(Action::Run(go.into()));
        return;
    };
    let set = SetMix { mix: MixText::Mix(Shared::new(mix)) };
    let commands = vec![set.into(), go.into()];
    actions.push(Action::Preview { label: "Add transition".to_owned(), commands });
    actions.push(Action::Commit);
}

fn foot_ui(
    ui: &mut Ui,
    view: &View<'_>,
    list: &[&BestSeam],
    draft: &SeamsDraft,
    now: SeamsDraft,
    actions: &mut Actions,
) {
    let theme = view.theme;
    let Some(document) = view.session.map(|s| s.document()) else { return };
    let is_empty = mix_of(document).is_none_or(|m| m.lanes.iter().all(|l| l.bars.is_empty()));
    let chosen = list.iter().find(|s| now.shown == Some((s.from, s.to)));
    let plays = |s: &&&BestSeam| view.timeline.playing.iter().any(|p| p.clip == s.from);
    let goes = chosen.filter(|s| is_empty || plays(s));
    let text = match (chosen, goes) {
        (None, _) if list.is_empty() && !view.dialogs.seams.is_empty() => {
            "No pair of clips matches the filter."
        }
        (None, _) if list.is_empty() => {
            "No transitions: the file needs two clips that move joints."
        }
        (None, _) if is_empty => "Choose a pair. Both clips are added to the mix.",
        (None, _) => "Choose a pair whose first clip is playing.",
        (Some(_), None) => {
            "The first clip is not playing at the playhead. Add it to a lane, or move the playhead \
             to it."
        }
        (Some(_), Some(_)) => "",
    };
    ui.horizontal(|ui| {
        ui.set_min_height(32.0);
        let size = vec2((ui.available_width() - 220.0).max(0.0), 32.0);
        ui.allocate_ui_with_layout(size, Layout::left_to_right(Align::Center), |ui| {
            ui.set_min_width(size.x);
            small(ui, theme, text);
        });
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            let go = ui
                .add_enabled_ui(goes.is_some(), |ui| primary(ui, theme, "Add transition").clicked())
                .inner;
            if plain(ui, "Close").clicked() {
                actions.push(DialogAction::SetDialog(None));
            } else if let Some(seam) = goes.filter(|_| go) {
                actions.push(DialogAction::SetDialog(None));
                add(view, seam, started(document, seam.from), actions);
            } else if now != *draft {
                actions.push(DialogAction::SetDialog(Some(Dialog::Seams {
                    draft: Box::new(now.clone()),
                })));
            }
        });
    });
}
