//! Keys of the selected bar, converted to mix time. Cycles after the first are faded. The keys are
//! edited in their clip.

use egui::{Align2, Rect, RichText, Stroke, Ui, UiBuilder, pos2, vec2};

use super::{bar_drawing::bar_text, state::MixerState};
use crate::ui::timeline::axis::TimeAxis;
use crate::ui::{
    Actions, Theme, TimelineAction, View,
    theme::Font,
    widgets::{cut, diamond, name_widget},
};
use ulna_model::{Clip, Document, Mix, NodeId, Shared};
use ulna_render::{ColorRole, Measure};

/// Opacity of keys in later cycles.
const FAINT: f32 = 0.4;

/// Sorts times, and removes duplicates.
fn sorted(mut times: Vec<f32>) -> Vec<f32> {
    times.sort_by(f32::total_cmp);
    times.dedup();
    times
}

/// Nodes with keys in a clip, in the order of the tree, with their key times in seconds.
fn rows(document: &Document, clip: &Clip) -> Vec<(Option<NodeId>, Vec<f32>)> {
    let times_of = |node: NodeId| -> Vec<f32> {
        let own = clip.tracks.values().filter(|t| t.target == node);
        sorted(own.flat_map(|t| t.times.iter().copied()).collect())
    };
    let all = sorted(clip.tracks.values().flat_map(|t| t.times.iter().copied()).collect());
    let nodes = document
        .nodes
        .order()
        .iter()
        .copied()
        .map(|n| (Some(n), times_of(n)))
        .filter(|(_, t)| !t.is_empty());
    std::iter::once((None, all)).chain(nodes).collect()
}

pub(super) fn keys_ui(
    state: &mut MixerState,
    ui: &mut Ui,
    view: &View<'_>,
    document: &Document,
    (mix, at): (&Shared<Mix>, (usize, usize)),
    (axis, strip, left): (&TimeAxis, Rect, f32),
    actions: &mut Actions,
) {
    let theme = view.theme;
    let painter = ui.painter_at(strip);
    painter.rect_filled(strip, 0.0, theme.color(ColorRole::SurfaceTimeline));
    let bar = &mix.lanes[at.0].bars[at.1];
    let clock = state.clock(view, document, mix, at);
    let Some((clock, clip)) =
        clock.and_then(|c| Some((document.clips.get(c.clip)?.clone(), c))).map(|(a, b)| (b, a))
    else {
        let text = format!("{} has no keys to show here.", bar_text(document, bar));
        let ink = theme.color(ColorRole::TextTertiary);
        painter.text(
            pos2(left + 8.0, strip.top() + 12.0),
            Align2::LEFT_CENTER,
            text,
            Theme::font(Font::Small),
            ink,
        );
        return;
    };
    let height = Measure::RowTrack.points();
    let rows = rows(document, &clip);
    if ui.rect_contains_pointer(strip) && !ui.input(|i| i.modifiers.command || i.modifiers.shift) {
        state.keys_scroll -= ui.input(|i| i.smooth_scroll_delta().y);
    }
    // The row of all keys does not scroll.
    let most = ((rows.len() as f32) * height - strip.height()).max(0.0);
    state.keys_scroll = state.keys_scroll.clamp(0.0, most);
    let heads = strip.with_max_x(left);
    painter.rect_filled(heads, 0.0, theme.color(ColorRole::SurfacePanel));
    let body = strip.with_min_x(left);
    let drawn = ui.painter_at(body);
    let of_bar = Rect::from_x_y_ranges(axis.x(bar.start)..=axis.x(bar.end()), body.y_range());
    drawn.rect_filled(of_bar, 0.0, theme.color(ColorRole::SurfaceControl).gamma_multiply(0.25));
    for (row, (node, times)) in rows.iter().enumerate().rev() {
        let top =
            strip.top() + row as f32 * height - if row == 0 { 0.0 } else { state.keys_scroll };
        let y = top + height * 0.5;
        if top + height < strip.top() + if row == 0 { 0.0 } else { height * 0.5 }
            || top > strip.bottom()
        {
            continue;
        }
        if row == 0 {
            let first = Rect::from_min_size(pos2(strip.left(), top), vec2(strip.width(), height));
            painter.rect_filled(first.with_max_x(left), 0.0, theme.color(ColorRole::SurfaceRaised));
            drawn.rect_filled(first.with_min_x(left), 0.0, theme.color(ColorRole::SurfaceRaised));
        }
        let selected = node.is_some_and(|n| view.selection.nodes.contains(&n));
        let label = node.map_or_else(
            || document.clip_label(clock.clip),
            |n| document.node(n).label(n).to_string(),
        );
        let indent = if node.is_some() { 22.0 } else { 10.0 };
        let room = left - strip.left() - indent - if node.is_none() { 84.0 } else { 8.0 };
        let role = match (node, selected) {
            (_, true) => ColorRole::SelectionBase,
            (None, _) => ColorRole::TextPrimary,
            _ => ColorRole::TextSecondary,
        };
        let font = Theme::font(Font::Small);
        let text = cut(ui, &label, &font, room);
        ui.painter_at(heads).text(
            pos2(strip.left() + indent, y),
            Align2::LEFT_CENTER,
            text,
            font,
            theme.color(role),
        );
        let size = if node.is_none() { 6.0 } else { 7.0 };
        let role = if selected { ColorRole::SelectionBase } else { ColorRole::TextSecondary };
        let passings = times.iter().flat_map(|time| clock.passings(f64::from(*time)));
        for passing in passings.filter(|p| p.time <= bar.end() + 1e-6) {
            let x = axis.x(passing.time);
            if body.x_range().contains(x) {
                let faint = if passing.round == 0 { 1.0 } else { FAINT };
                let ink = theme.color(role).gamma_multiply(faint);
                diamond(&drawn, pos2(x, y), size, ink, ink);
            }
        }
    }
    let x = axis.x(view.timeline.playback.time);
    drawn.vline(x, body.y_range(), Stroke::new(1.0, theme.color(ColorRole::TimelinePlayhead)));
    let place =
        Rect::from_min_max(pos2(left - 78.0, strip.top()), pos2(left - 6.0, strip.top() + height));
    if edit_link(ui, theme, place) {
        actions.push(TimelineAction::ShowClip(clock.clip));
    }
}

/// Shows the link that opens the keys of the bar's clip. Returns whether it was clicked.
fn edit_link(ui: &mut Ui, theme: &Theme, place: Rect) -> bool {
    let mut corner = ui.new_child(UiBuilder::new().max_rect(place).id_salt("keys of the bar"));
    let text = RichText::new("Edit keys")
        .font(Theme::font(Font::Small))
        .color(theme.color(ColorRole::AccentBase));
    let link = corner.add(egui::Button::new(text).frame(false));
    let link = link.on_hover_text("Opens the clip's keys. The mixer button returns here");
    name_widget(ui, &link, "Edit the keys of the bar's clip");
    link.clicked()
}
