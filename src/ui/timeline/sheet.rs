//! The dope sheet: a row of diamonds a joint, opening to its channels; where they are scrolled, zoomed and selected.

use egui::{
    Color32, Mesh, Painter, PointerButton, Pos2, Rect, Role, Sense, Stroke, Ui, WidgetInfo, epaint::Vertex, pos2, vec2,
};

use super::{
    TimelineState,
    axis::TimeAxis,
    rows::{Row, Rows, name_ui},
    ruler::{grid, playhead_line, ruler_ui},
};
use crate::render::{ColorRole, Measure};
use crate::{
    edit::KeyRef,
    model::{Clip, ClipId, Shared, Track, TrackId},
    ui::{Actions, OutlinerAction, TimelineAction, View, widgets::filter_field},
};

/// What is laid out of a clip in this frame.
struct Sheet<'a> {
    view: &'a View<'a>,
    id: ClipId,
    clip: &'a Shared<Clip>,
    rows: Rows,
    axis: TimeAxis,
    /// Names and keys, ruler and all.
    whole: Rect,
    /// Ruler and keys.
    sheet: Rect,
    /// Keys.
    body: Rect,
    row_height: f32,
}

/// The keys that are in sight, where they are.
#[derive(Default)]
struct Drawn {
    mesh: Mesh,
    keys: Vec<(Pos2, KeyRef)>,
}

pub fn sheet_ui(state: &mut TimelineState, ui: &mut Ui, view: &View<'_>, id: ClipId, actions: &mut Actions) {
    let Some(document) = view.session.map(|s| s.document()) else { return };
    let Some(clip) = document.clips.get(id) else { return };
    let whole = ui.available_rect_before_wrap();
    ui.allocate_rect(whole, Sense::hover());
    let names = Measure::TrackNames.points().min(whole.width() * 0.4);
    let sheet = Rect::from_min_max(pos2(whole.left() + names, whole.top()), whole.max);
    let body = Rect::from_min_max(pos2(sheet.left(), sheet.top() + Measure::Ruler.points()), sheet.max);
    let axis = TimeAxis { left: sheet.left(), right: sheet.right(), start: state.start, end: state.end };
    let rows = Rows::of(document, clip, view, state);
    let row_height = Measure::RowTrack.points();
    let sheet = Sheet { view, id, clip, rows, axis, whole, sheet, body, row_height };
    sheet.navigate(state, ui);
    let painter = ui.painter_at(whole);
    sheet.ground(&painter);
    let drawn = sheet.rows_ui(state, ui, &painter, actions);
    let painter = ui.painter_at(body);
    playhead_line(&painter, view, &sheet.axis, body);
    painter.add(drawn.mesh);

    let ruler = Rect::from_min_max(sheet.sheet.min, pos2(body.right(), body.top()));
    ruler_ui(state, ui, view, &sheet.axis, ruler, actions);
    let head = Rect::from_min_max(whole.min, pos2(body.left() - 8.0, body.top()));
    let mut head = ui.new_child(egui::UiBuilder::new().max_rect(head.shrink2(vec2(8.0, 1.0))));
    filter_field(&mut head, view.theme, &mut state.filter, "Filter tracks");
    sheet.keys_ui(state, ui, &painter, &drawn.keys, actions);
}

impl Sheet<'_> {
    /// The wheel scrolls; with Ctrl it zooms about the pointer, with Shift it goes along the time.
    fn navigate(&self, state: &mut TimelineState, ui: &Ui) {
        let (scroll, modifiers, pointer) = ui.input(|i| (i.smooth_scroll_delta(), i.modifiers, i.pointer.hover_pos()));
        if ui.rect_contains_pointer(self.whole)
            && let Some(at) = pointer
        {
            if modifiers.command || modifiers.alt {
                let zoom = ui.input(|i| i.zoom_delta());
                let factor = if zoom != 1.0 { 1.0 / f64::from(zoom) } else { f64::from((-scroll.y * 0.004).exp()) };
                let pivot = self.axis.time(at.x);
                let span = ((state.end - state.start) * factor).clamp(0.01, 1e7);
                let share = (pivot - state.start) / (state.end - state.start);
                state.start = pivot - span * share;
                state.end = state.start + span;
            } else if modifiers.shift || scroll.x != 0.0 {
                let by = scroll.x + if modifiers.shift { scroll.y } else { 0.0 };
                state.shift(-f64::from(by) / self.axis.scale());
            } else {
                state.scroll -= scroll.y;
            }
        }
        let most = (self.rows.list.len() as f32 * self.row_height - self.body.height()).max(0.0);
        state.scroll = state.scroll.clamp(0.0, most);
    }

    /// The clip's own range is lighter than what lies outside.
    fn ground(&self, painter: &Painter) {
        let (theme, axis, sheet) = (self.view.theme, &self.axis, self.sheet);
        painter.rect_filled(sheet, 0.0, theme.color(ColorRole::SurfaceTimeline));
        let end = axis.x(f64::from(self.clip.length())).clamp(sheet.left(), sheet.right());
        let start = axis.x(0.0).clamp(sheet.left(), sheet.right());
        let dim = theme.color(ColorRole::SurfaceTimelineOut);
        painter.rect_filled(Rect::from_min_max(sheet.min, pos2(start, sheet.bottom())), 0.0, dim);
        painter.rect_filled(Rect::from_min_max(pos2(end, sheet.top()), sheet.max), 0.0, dim);
        grid(painter, self.view, axis, sheet, self.body.top() - sheet.top());
    }

    /// The rows that are in sight.
    fn rows_ui(&self, state: &mut TimelineState, ui: &Ui, painter: &Painter, actions: &mut Actions) -> Drawn {
        let (view, body, whole) = (self.view, self.body, self.whole);
        let theme = view.theme;
        let first = (state.scroll / self.row_height).floor() as usize;
        let count = (body.height() / self.row_height).ceil() as usize + 1;
        let names = Rect::from_min_max(pos2(whole.left(), body.top()), pos2(body.left(), body.bottom()));
        let mut drawn = Drawn::default();
        for (k, row) in self.rows.list.iter().enumerate().skip(first).take(count) {
            let top = body.top() + k as f32 * self.row_height - state.scroll;
            let rect = Rect::from_min_size(pos2(whole.left(), top), vec2(whole.width(), self.row_height));
            if rect.bottom() < body.top() {
                continue;
            }
            let line = Rect::from_min_max(pos2(body.left(), rect.top().max(body.top())), rect.max);
            let selected = matches!(row, Row::Node(n) | Row::Channel(n, ..) if view.selection.nodes.contains(n));
            let fill = match row {
                Row::Summary => Some(ColorRole::SurfaceTimelineSummary),
                _ if selected => Some(ColorRole::SelectionTint),
                _ => None,
            };
            if let Some(fill) = fill {
                painter.rect_filled(line, 0.0, theme.color(fill));
            }
            painter.hline(line.x_range(), rect.bottom() - 0.5, Stroke::new(1.0, theme.color(ColorRole::TimelineGrid)));
            self.row_keys(state, row, rect.center().y, &mut drawn);
            name_ui(state, ui, view, (&self.rows, row), rect, names, actions);
        }
        drawn
    }

    /// The keys of a row whose middle is at `middle`.
    fn row_keys(&self, state: &mut TimelineState, row: &Row, middle: f32, drawn: &mut Drawn) {
        let theme = self.view.theme;
        let outline = theme.color(ColorRole::KeyOutline);
        let mut seen = |times: &[f32], half: f32, role: ColorRole| {
            for time in times.iter().filter(|t| self.is_in_sight(**t)) {
                let at = pos2(self.axis.x(f64::from(*time)), middle);
                key_shape(&mut drawn.mesh, at, half, theme.color(role), outline);
            }
        };
        match row {
            Row::Summary => {
                seen(state.summary.update(self.clip.clone(), |clip| summary(clip)), 3.5, ColorRole::KeySummary);
            }
            Row::Pointer(k) => seen(&self.clip.pointers[*k].times, 3.0, ColorRole::KeyInbetween),
            Row::Node(_) | Row::Channel(..) => {
                for (id, track) in self.rows.tracks(row) {
                    self.track_keys(*id, track, middle, drawn);
                }
            }
        }
    }

    fn track_keys(&self, id: TrackId, track: &Track, middle: f32, drawn: &mut Drawn) {
        let theme = self.view.theme;
        let axis = &self.axis;
        let from = track.times.partition_point(|t| axis.x(f64::from(*t)) < axis.left - 8.0);
        for time in track.times[from..].iter().take_while(|t| self.is_in_sight(**t)) {
            let at = pos2(axis.x(f64::from(*time)), middle);
            let key = KeyRef::new(self.id, id, *time);
            let selected = self.view.selection.keys.contains(&key);
            let (half, role) = if selected { (5.5, ColorRole::SelectionBase) } else { (4.5, ColorRole::KeyNormal) };
            key_shape(&mut drawn.mesh, at, half, theme.color(role), theme.color(ColorRole::KeyOutline));
            drawn.keys.push((at, key));
        }
    }

    fn is_in_sight(&self, time: f32) -> bool {
        let x = self.axis.x(f64::from(time));
        x >= self.axis.left - 8.0 && x <= self.axis.right + 8.0
    }

    /// Keys: click, Shift-click, and a box.
    fn keys_ui(
        &self,
        state: &mut TimelineState,
        ui: &Ui,
        painter: &Painter,
        keys: &[(Pos2, KeyRef)],
        actions: &mut Actions,
    ) {
        let theme = self.view.theme;
        let (modifiers, pointer) = ui.input(|i| (i.modifiers, i.pointer.hover_pos()));
        let response = ui.interact(self.body, ui.scope_id().with("keys"), Sense::click_and_drag());
        response.widget_info(|| WidgetInfo::labeled(Role::Canvas, true, "Timeline keys"));
        if response.clicked() {
            let at = response.interact_pointer_pos().or(response.hover_pos());
            self.click(at, keys, modifiers, actions);
        }
        if response.dragged_by(PointerButton::Middle) {
            state.shift(-f64::from(response.drag_delta().x) / self.axis.scale());
            state.scroll -= response.drag_delta().y;
        }
        if response.drag_started_by(PointerButton::Primary) {
            state.marquee = ui.input(|i| i.pointer.press_origin());
        }
        let Some(from) = state.marquee else { return };
        let area = Rect::from_two_pos(from, pointer.unwrap_or(from));
        let edge = Stroke::new(1.0, theme.color(ColorRole::TimelineBoxStroke));
        painter.rect(area, 0.0, theme.color(ColorRole::TimelineBoxFill), edge, egui::StrokeKind::Inside);
        if response.drag_stopped() {
            let keys = keys.iter().filter(|(p, _)| area.contains(*p)).map(|(_, k)| *k).collect();
            actions.push(TimelineAction::SelectKeys { keys, add: modifiers.shift });
            state.marquee = None;
        }
    }

    /// A click on a diamond, or beside all of them.
    fn click(&self, at: Option<Pos2>, keys: &[(Pos2, KeyRef)], modifiers: egui::Modifiers, actions: &mut Actions) {
        let hit = at.and_then(|at| {
            let near = keys.iter().min_by(|a, b| a.0.distance_sq(at).total_cmp(&b.0.distance_sq(at)))?;
            let is_on = (near.0.x - at.x).abs() <= 6.0 && (near.0.y - at.y).abs() <= self.row_height * 0.5;
            is_on.then_some(*near)
        });
        let Some((place, key)) = hit else {
            actions.push(TimelineAction::SelectKeys { keys: Vec::new(), add: false });
            return;
        };
        // All channels that have a key on that spot belong to the diamond.
        let keys = keys.iter().filter(|(q, _)| q.distance(place) < 1.0).map(|(_, k)| *k).collect();
        actions.push(TimelineAction::SelectKeys { keys, add: modifiers.shift || modifiers.command });
        if let Some(track) = self.clip.tracks.get(&key.track) {
            actions.push(OutlinerAction::Select { node: track.target, toggle: false });
        }
    }
}

/// Every time at which some track has a key, once.
fn summary(clip: &Clip) -> Vec<f32> {
    let mut times: Vec<f32> = Vec::new();
    let mut last = None;
    for track in clip.tracks.values() {
        if last != Some(track.times.as_ptr()) {
            times.extend_from_slice(&track.times);
            last = Some(track.times.as_ptr());
        }
    }
    times.sort_by(f32::total_cmp);
    times.dedup();
    times
}

/// A diamond with a dark rim, as triangles of one mesh: a shape a key would cost more than the keys.
fn key_shape(mesh: &mut Mesh, at: Pos2, half: f32, fill: Color32, outline: Color32) {
    for (half, color) in [(half + 1.0, outline), (half, fill)] {
        let first = mesh.vertices.len() as u32;
        for d in [vec2(0.0, -half), vec2(half, 0.0), vec2(0.0, half), vec2(-half, 0.0)] {
            mesh.vertices.push(Vertex { pos: at + d, uv: egui::epaint::WHITE_UV, color });
        }
        mesh.indices.extend([first, first + 1, first + 2, first, first + 2, first + 3]);
    }
}
