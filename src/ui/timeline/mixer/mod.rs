//! Mixer: lanes of clips below the keys of the selected bar, on the same time axis. Each drag is
//! one undo step, and playback shows it live. The inspector edits the values of a bar.

mod bar_drawing;
mod bars;
mod edits;
mod header;
mod heads;
mod keys;
mod state;

use egui::{Rect, RichText, Sense, Ui, pos2, vec2};

pub use self::state::MixerState;
use self::{
    edits::{set, with_lane},
    header::{TWO_LINES, header_ui},
};
use super::{axis::TimeAxis, ruler::ruler_ui, state::TimelineState};
use crate::ui::{Actions, Theme, View, theme::Font};
use ulna_edit::command::mix_of;
use ulna_model::{Document, Mix, MixBar, Shared};
use ulna_motion::Playing;
use ulna_render::{ColorRole, Measure};

/// Width of a lane header, height of a lane, and height of the border between keys and lanes, in
/// points.
const HEADS: f32 = 256.0;
const LANE: f32 = 64.0;
const SPLIT: f32 = 5.0;
const HEADER: f32 = 36.0;

/// Scrolls to the bar that a transition added, and to the playhead.
fn reveal_added(state: &mut TimelineState, mix: &Shared<Mix>, playhead: f64) {
    if state.mixer.drag.is_some() {
        state.mixer.before_added = None;
    }
    if state.mixer.before_added.as_ref().is_none_or(|before| before == mix) {
        return;
    }
    let Some(before) = state.mixer.before_added.take() else { return };
    let is_new = |bar: &&MixBar| !before.lanes.iter().any(|lane| lane.bars.contains(bar));
    let bars = mix.lanes.iter().flat_map(|lane| &lane.bars).filter(is_new);
    let Some(added) = bars.max_by(|a, b| a.start.total_cmp(&b.start)) else { return };
    let (from, to) = (added.start.min(playhead), added.end().max(playhead));
    if from < state.time.start || to > state.time.end {
        state.time.fit_range(from, to);
    }
}

pub fn mixer_ui(
    state: &mut TimelineState,
    ui: &mut Ui,
    view: &View<'_>,
    document: &Document,
    actions: &mut Actions,
) {
    let mix = mix_of(document).unwrap_or_default();
    state.mixer.find_jumps(view, document, &mix);
    let time = view.timeline.playback.time;
    reveal_added(state, &mix, time);
    let chosen = view
        .timeline
        .mix_bar
        .filter(|(l, b)| mix.lanes.get(*l).is_some_and(|lane| *b < lane.bars.len()));
    let whole = ui.available_rect_before_wrap();
    ui.allocate_rect(whole, Sense::hover());
    let heads = HEADS.min(whole.width() * 0.4);
    let sheet = Rect::from_min_max(pos2(whole.left() + heads, whole.top()), whole.max);
    let axis = state.time.axis(sheet.left(), sheet.right());
    let ruler =
        Rect::from_min_max(sheet.min, pos2(sheet.right(), sheet.top() + Measure::Ruler.points()));
    ruler_ui(state, ui, view, &axis, ruler, actions);
    let split = split_ui(
        &mut state.mixer,
        ui,
        view,
        (ruler.bottom(), whole.bottom()),
        chosen.is_some(),
        whole,
    );
    if let Some(at) = chosen {
        let strip =
            Rect::from_min_max(pos2(whole.left(), ruler.bottom()), pos2(whole.right(), split));
        keys::keys_ui(
            &mut state.mixer,
            ui,
            view,
            document,
            (&mix, at),
            (&axis, strip, sheet.left()),
            actions,
        );
    }
    let top = if chosen.is_some() { split + SPLIT } else { split };
    let header = Rect::from_min_max(
        pos2(whole.left(), top),
        pos2(whole.right(), top + header_height(whole.width())),
    );
    ui.painter().rect_filled(header, 0.0, view.theme.color(ColorRole::SurfacePanel));
    let mut place = ui.new_child(egui::UiBuilder::new().max_rect(header).id_salt("mixer header"));
    header_ui(&mut state.mixer, &mut place, view, document, &mix, actions);
    let body = Rect::from_min_max(pos2(whole.left(), header.bottom()), whole.max);
    navigate(state, ui, &axis, body, mix.lanes.len());
    let painter = ui.painter_at(body);
    painter.rect_filled(body, 0.0, view.theme.color(ColorRole::SurfaceTimeline));
    if mix.lanes.is_empty() {
        empty_ui(ui, view, body, actions);
        return;
    }
    lanes_ui(state, ui, view, document, (&mix, chosen), (&axis, body), actions);
}

/// Height of the header for this width, in points.
fn header_height(width: f32) -> f32 {
    if width < TWO_LINES.0 { HEADER + TWO_LINES.1 } else { HEADER }
}

/// Shows the lanes, the jumps of the mix and the playhead.
fn lanes_ui(
    state: &mut TimelineState,
    ui: &mut Ui,
    view: &View<'_>,
    document: &Document,
    (mix, chosen): (&Shared<Mix>, Option<(usize, usize)>),
    (axis, body): (&TimeAxis, Rect),
    actions: &mut Actions,
) {
    let painter = ui.painter_at(body);
    let sheet = body.with_min_x(axis.left);
    let playing = view.timeline.playing;
    // The last lane of the list is drawn on top.
    for (row, lane) in (0..mix.lanes.len()).rev().enumerate() {
        let top = body.top() + row as f32 * LANE - state.mixer.scroll;
        let rect = Rect::from_min_size(pos2(body.left(), top), vec2(body.width(), LANE));
        if rect.bottom() < body.top() || rect.top() > body.bottom() {
            continue;
        }
        let head = Rect::from_min_max(rect.min, pos2(sheet.left(), rect.bottom()));
        let own: Vec<Playing> = playing.iter().filter(|p| p.lane == lane).copied().collect();
        let room = Rect::from_min_max(pos2(sheet.left(), rect.top()), rect.max);
        bars::lane_ui(
            &mut state.mixer,
            ui,
            view,
            document,
            (mix, lane),
            chosen,
            axis,
            room.intersect(body),
            room,
            &own,
            actions,
        );
        heads::head_ui(
            &mut state.mixer,
            ui,
            view,
            document,
            (mix, lane),
            head,
            body,
            &own,
            actions,
        );
        painter.hline(
            rect.x_range(),
            rect.bottom() - 0.5,
            egui::Stroke::new(1.0, view.theme.color(ColorRole::TimelineGridMajor)),
        );
    }
    let mark = egui::Stroke::new(1.5, view.theme.color(ColorRole::SeverityWarning));
    for x in
        state.mixer.jumps.1.iter().map(|j| axis.x(j.time)).filter(|x| sheet.x_range().contains(*x))
    {
        painter.vline(x, body.y_range(), mark);
    }
    let x = axis.x(view.timeline.playback.time);
    if sheet.x_range().contains(x) {
        painter.vline(
            x,
            body.y_range(),
            egui::Stroke::new(1.0, view.theme.color(ColorRole::TimelinePlayhead)),
        );
    }
}

/// Border between the keys and the lanes, which can be dragged. Returns its vertical position.
fn split_ui(
    state: &mut MixerState,
    ui: &Ui,
    view: &View<'_>,
    (top, bottom): (f32, f32),
    shown: bool,
    whole: Rect,
) -> f32 {
    if !shown {
        return top;
    }
    let least = 3.0 * Measure::RowTrack.points();
    // At least two lanes stay visible.
    let header = header_height(whole.width());
    let most = (bottom - top - header - 2.0 * LANE - SPLIT).max(least);
    let at = top + state.keys.clamp(least, most);
    let line = Rect::from_min_max(pos2(whole.left(), at), pos2(whole.right(), at + SPLIT));
    let response = ui.interact(line, ui.scope_id().with("keys and lanes"), Sense::drag());
    response.widget_info(|| {
        egui::WidgetInfo::labeled(egui::Role::Splitter, true, "Divider between keys and lanes")
    });
    if response.hovered() || response.dragged() {
        ui.ctx().set_cursor_icon(egui::CursorIcon::ResizeVertical);
    }
    if response.dragged() {
        state.keys = (state.keys.clamp(least, most) + response.drag_delta().y).clamp(least, most);
    }
    let role = if response.hovered() || response.dragged() {
        ColorRole::AccentBase
    } else {
        ColorRole::StrokeStrong
    };
    ui.painter().hline(
        whole.x_range(),
        line.center().y,
        egui::Stroke::new(1.0, view.theme.color(role)),
    );
    at
}

/// Handles scrolling and zooming. The wheel scrolls lanes, or time with Shift. Ctrl or a pinch
/// zooms time about the pointer.
fn navigate(state: &mut TimelineState, ui: &Ui, axis: &TimeAxis, body: Rect, lanes: usize) {
    let (scroll, modifiers, pointer) =
        ui.input(|i| (i.smooth_scroll_delta(), i.modifiers, i.pointer.hover_pos()));
    if let Some(at) = pointer.filter(|_| ui.rect_contains_pointer(body)) {
        let zoom = ui.input(egui::InputState::zoom_delta);
        if zoom != 1.0 || modifiers.command {
            state.time.zoom(axis.time(at.x), 1.0 / f64::from(zoom));
        } else if modifiers.shift || scroll.x != 0.0 {
            let by = scroll.x + if modifiers.shift { scroll.y } else { 0.0 };
            state.time.shift(-f64::from(by) / axis.scale());
        } else {
            state.mixer.scroll -= scroll.y;
        }
    }
    let most = (lanes as f32 * LANE - body.height()).max(0.0);
    state.mixer.scroll = state.mixer.scroll.clamp(0.0, most);
}

fn empty_ui(ui: &mut Ui, view: &View<'_>, body: Rect, actions: &mut Actions) {
    /// Height in points below which the message and the button are on one line.
    const LOW: f32 = 96.0;
    let mut place = ui.new_child(egui::UiBuilder::new().max_rect(body));
    let theme = view.theme;
    if body.height() < LOW {
        place.horizontal(|ui| {
            ui.add_space(12.0);
            ui.label(RichText::new("No lanes").color(theme.color(ColorRole::TextSecondary)));
            if ui.button("Add a lane").clicked() {
                set(with_lane(&Mix::default(), view, None), actions);
            }
        });
        return;
    }
    place.vertical_centered(|ui| {
        ui.add_space((body.height() * 0.5 - 40.0).max(4.0));
        ui.label(RichText::new("No lanes").color(view.theme.color(ColorRole::TextSecondary)));
        let small = RichText::new("A lane plays clips over the lanes below it.")
            .font(Theme::font(Font::Small));
        ui.label(small.color(view.theme.color(ColorRole::TextTertiary)));
        ui.add_space(4.0);
        if ui.button("Add a lane").clicked() {
            set(with_lane(&Mix::default(), view, None), actions);
        }
    });
}
