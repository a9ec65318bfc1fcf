//! Clips of a non-glTF file, and the choice of the clips to import.

use egui::{Align2, ScrollArea, Sense, Ui, pos2, vec2};

use super::{INSET, contents::box_ui, section};
use crate::ui::{
    ConvertDraft, Theme,
    theme::Font,
    widgets::{cut, filter_field, row, thousands},
};
use ulna_model::rate_in_words;
use ulna_render::ColorRole;
use ulna_session::FoundClip;

const ROW: f32 = 24.0;
/// Number of clips from which a filter is shown.
const FILTERED: usize = 8;
/// Distance from the right edge to the end of the lengths, in points.
const LENGTH: f32 = 84.0;

/// Height of the clips section with all its rows, in points.
pub fn height(draft: &ConvertDraft) -> f32 {
    28.0 + if draft.found.clips.is_empty() { 0.0 } else { (listed(draft).len() + 1) as f32 * ROW }
}

/// Indices of the clips with names that match the filter.
fn listed(draft: &ConvertDraft) -> Vec<usize> {
    let wanted = draft.filter.trim().to_lowercase();
    let fits = |k: &usize| draft.found.clips[*k].name.to_lowercase().contains(&wanted);
    (0..draft.found.clips.len()).filter(fits).collect()
}

/// Note on a clip without motion.
const fn remark(clip: &FoundClip) -> &'static str {
    match (clip.moves, clip.seconds > 0.05) {
        (true, _) => "",
        (false, true) => "no motion",
        (false, false) => "single pose",
    }
}

pub fn clips_ui(ui: &mut Ui, theme: &Theme, now: &mut ConvertDraft, height: f32) {
    let count = now.found.clips.len();
    let rate = now.conversion.rate.or(now.found.rate).filter(|_| now.found.rate_of == "frames");
    let remark = match (count, rate) {
        (0, _) => "none".to_owned(),
        (n, None) => format!("{} of {n} selected", now.clip_count()),
        (n, Some(rate)) => {
            format!("{} of {n} selected, {} fps", now.clip_count(), rate_in_words(rate))
        }
    };
    let mut filter = std::mem::take(&mut now.filter);
    section(ui, theme, "Clips", &remark, |ui| {
        if count >= FILTERED {
            ui.set_max_width(150.0);
            filter_field(ui, theme, &mut filter, "Filter clips");
        }
    });
    now.filter = filter;
    if count == 0 {
        return;
    }
    let listed = listed(now);
    header_ui(ui, theme, now, &listed);
    let rows = (height - 28.0 - ROW).max(ROW);
    ScrollArea::vertical().id_salt("clips").max_height(rows).auto_shrink([false, true]).show_rows(
        ui,
        ROW,
        listed.len(),
        |ui, range| {
            for k in range {
                clip_ui(ui, theme, now, listed[k]);
            }
        },
    );
}

fn header_ui(ui: &mut Ui, theme: &Theme, now: &mut ConvertDraft, listed: &[usize]) {
    let (rect, _) = ui.allocate_exact_size(vec2(ui.available_width(), ROW), Sense::hover());
    let rect = rect.shrink2(vec2(INSET, 0.0));
    let all = !listed.is_empty() && listed.iter().all(|k| now.takes_clip(*k));
    let mut on = all;
    box_ui(ui, theme, rect, "Include all clips", true, &mut on);
    if on != all {
        now.take_clips(listed.iter().copied(), on);
    }
    let color = theme.color(ColorRole::TextTertiary);
    let text = |x: f32, align, text: &str| {
        ui.painter().text(pos2(x, rect.center().y), align, text, Theme::font(Font::Small), color);
    };
    text(rect.left() + 26.0, Align2::LEFT_CENTER, "Clip");
    text(rect.right() - LENGTH, Align2::RIGHT_CENTER, "Length");
    text(rect.right() - 10.0, Align2::RIGHT_CENTER, "Keys");
}

fn clip_ui(ui: &mut Ui, theme: &Theme, now: &mut ConvertDraft, k: usize) {
    let clip = now.found.clips[k].clone();
    let is_shown = now.preview.clip == Some(k);
    let (rect, response) = row(ui, theme, ROW, &format!("Preview {}", clip.name), is_shown);
    let rect = rect.shrink2(vec2(INSET, 0.0));
    let length = format!("{:.2} s", clip.seconds);
    let keys = thousands(clip.keys);
    let value = format!("{length}, {keys} keys");
    ui.ctx().accesskit_node_builder(response.id, |node| node.set_value(value));
    if response.clicked() {
        now.preview.clip = (!is_shown).then_some(k);
        now.preview.plays = !is_shown;
    }
    let takes = now.takes_clip(k);
    let mut on = takes;
    box_ui(ui, theme, rect, &format!("Include {}", clip.name), true, &mut on);
    if on != takes {
        now.take_clips([k].into_iter(), on);
    }
    let role = match (is_shown, takes) {
        (true, _) => ColorRole::SelectionText,
        (false, true) => ColorRole::TextPrimary,
        (false, false) => ColorRole::TextTertiary,
    };
    let weak = if takes { ColorRole::TextSecondary } else { ColorRole::TextTertiary };
    let (body, small) = (Theme::font(Font::Body), Theme::font(Font::Small));
    let numbers = rect.right() - LENGTH - 64.0;
    let name = cut(ui, &clip.name, &body, numbers - rect.left() - 100.0);
    let text = |x: f32, align, text: &str, font, role| {
        let at = pos2(x, rect.center().y);
        ui.painter().text(at, align, text, font, theme.color(role));
    };
    text(rect.left() + 26.0, Align2::LEFT_CENTER, &name, body, role);
    text(numbers, Align2::RIGHT_CENTER, remark(&clip), small, weak);
    let number = Theme::font(Font::Number);
    text(rect.right() - LENGTH, Align2::RIGHT_CENTER, &length, number.clone(), weak);
    text(rect.right() - 10.0, Align2::RIGHT_CENTER, &keys, number, weak);
}
