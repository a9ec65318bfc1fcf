//! *Seams*: where each clip is best left for each other one, and how far the body jumps there.

use egui::{Align, Align2, Layout, Rect, ScrollArea, Ui, pos2, vec2};

use super::parts::{head, many, plain, primary, small};
use crate::ui::{
    Action, Actions, Dialog, DialogAction, SeamOrder, SeamsDraft, Theme, View,
    theme::Font,
    widgets::{cut, filter_field, row, segment, segments},
};
use ulna_edit::command::{EnterHow, GoTo, GoWhen, field::ClipName, field::Seconds};
use ulna_model::{ClipId, Document};
use ulna_motion::BestSeam;
use ulna_render::ColorRole;

const ROW: f32 = 26.0;
/// Right edges of the numbers, from the right: leave, enter, cm, degrees, cm a second.
const COLUMNS: [(f32, &str); 5] =
    [(262.0, "leave at, s"), (200.0, "enter at, s"), (140.0, "cm"), (84.0, "°"), (12.0, "cm/s")];

pub fn seams_ui(ui: &mut Ui, view: &View<'_>, draft: &SeamsDraft, actions: &mut Actions) {
    let theme = view.theme;
    let Some(document) = view.session.map(|s| s.document()) else { return };
    let mut now = draft.clone();
    let words = "The best moment to switch from one clip to another, for each pair of clips. The \
        numbers are the \
    largest jumps at a hard cut: position and speed of a point on the skin, rotation of a joint. \
    The body's place \
    and heading are ignored.";
    head(ui, theme, None, "Best transition points", words, actions);
    ui.horizontal(|ui| {
        ui.allocate_ui(vec2(260.0, 26.0), |ui| {
            filter_field(ui, theme, &mut now.filter, "Filter transitions")
        });
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            segments(ui, theme, |ui| {
                // From the right.
                for (order, text) in [
                    (SeamOrder::Speed, "By cm/s"),
                    (SeamOrder::Angle, "By degrees"),
                    (SeamOrder::Distance, "By cm"),
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
        let at = pos2(rect.right() - from_right - 14.0, rect.center().y);
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
        let height = (ui.ctx().content_rect().height() - 300.0).clamp(120.0, 360.0);
        let area =
            ScrollArea::vertical().auto_shrink([false, false]).max_height(height).id_salt("seams");
        area.show_rows(ui, ROW, list.len(), |ui, range| {
            for seam in &list[range] {
                seam_ui(ui, theme, document, seam, &mut now);
            }
        });
    });
    ui.add_space(10.0);
    foot_ui(ui, view, &list, draft, now, actions);
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
        format!("{:.2}", seam.leave),
        format!("{:.2}", seam.enter),
        format!("{:.1}", seam.distance * 100.0),
        format!("{:.1}", seam.angle.to_degrees()),
        format!("{:.0}", seam.speed * 100.0),
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

fn foot_ui(
    ui: &mut Ui,
    view: &View<'_>,
    list: &[&BestSeam],
    draft: &SeamsDraft,
    now: SeamsDraft,
    actions: &mut Actions,
) {
    let theme = view.theme;
    let chosen = list.iter().find(|s| now.shown == Some((s.from, s.to)));
    let plays = |s: &&&BestSeam| view.timeline.playing.iter().any(|p| p.clip == s.from);
    let goes = chosen.filter(plays);
    ui.horizontal(|ui| {
        ui.vertical(|ui| {
            ui.set_width(ui.available_width() - 220.0);
            match (chosen, goes) {
                (Some(_), None) => {
                    small(
                        ui,
                        theme,
                        "The first clip is not playing at the playhead. Add it to a lane, or move \
                            the playhead to it.",
                    );
                }
                (None, _) if list.is_empty() => {
                    small(ui, theme, "No transitions: the file needs two clips that move joints.")
                }
                (None, _) => small(ui, theme, "Choose a pair whose first clip is playing."),
                (Some(_), Some(_)) => {}
            }
        });
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            let go = ui
                .add_enabled_ui(goes.is_some(), |ui| primary(ui, theme, "Add transition").clicked())
                .inner;
            if plain(ui, "Close").clicked() {
                actions.push(DialogAction::SetDialog(None));
            } else if let Some(seam) = goes.filter(|_| go) {
                let time = Seconds(view.timeline.playback.time as f32);
                let (when, how) = (Some(GoWhen::Seam), Some(EnterHow::Fade));
                let command =
                    GoTo { clip: ClipName::Id(seam.to), time, when, how, fade: None, lane: None };
                actions.push(DialogAction::SetDialog(None));
                actions.push(Action::Run(command.into()));
            } else if now != *draft {
                actions.push(DialogAction::SetDialog(Some(Dialog::Seams {
                    draft: Box::new(now.clone()),
                })));
            }
        });
    });
}
