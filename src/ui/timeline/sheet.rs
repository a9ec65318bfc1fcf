//! The dope sheet: rows of keys under a ruler; where they are scrolled, zoomed, selected and moved.

use std::{ops::RangeInclusive, rc::Rc};

use egui::{
    Mesh, Painter, PointerButton, Pos2, Rect, RichText, Role, Sense, Stroke, Ui, WidgetInfo, pos2,
    vec2,
};

use super::{
    TimelineState,
    axis::TimeAxis,
    dead::DeadKeys,
    draw::{self, Look},
    filter::filter_button,
    gesture::{Goes, KeyGesture, Retime, Retiming},
    markers::markers_ui,
    menus,
    overview::overview_ui,
    pick::Hit,
    rows::{Row, Rows, name_ui},
    ruler::{grid, playhead_line, ruler_ui},
    strength::strength_ui,
};
use crate::ui::{
    Actions, OutlinerAction, RepairLoop, Theme, TimelineAction, View, ViewportAction, theme::Font,
    timeline::domain::SelectHow, widgets::filter_field,
};
use ulna_edit::{
    KeysHome, Mode,
    command::{CloseHow, SetKey, frame_of},
};
use ulna_model::{
    Clip, ClipId, Derived, KeyKind, KeyKinds, KeySet, NodeId, PoseLayer, PoseLayerId, Shared,
    Track, TrackId,
};
use ulna_render::{ColorRole, Measure};

/// Height of the bar at the foot.
const OVERVIEW: f32 = 24.0;

/// The layer of a number.
fn view_layer(view: &View<'_>, id: PoseLayerId) -> Option<Shared<PoseLayer>> {
    view.session?.document().aids.pose_layer(id).map(|(_, layer)| layer.clone())
}

/// What is laid out of a clip in this frame.
pub struct Sheet<'a> {
    pub view: &'a View<'a>,
    pub id: ClipId,
    pub clip: &'a Shared<Clip>,
    /// The clip below the layer whose keys are shown.
    behind: Option<&'a Shared<Clip>>,
    pub rows: Rc<Rows>,
    pub axis: TimeAxis,
    /// Names and keys, ruler and all.
    whole: Rect,
    /// Ruler and keys.
    pub(super) sheet: Rect,
    /// The row of all keys, which does not scroll.
    pub(super) summary: Rect,
    /// Keys.
    pub(super) body: Rect,
    pub(super) row_height: f32,
}

pub fn sheet_ui(
    state: &mut TimelineState,
    ui: &mut Ui,
    view: &View<'_>,
    id: ClipId,
    actions: &mut Actions,
) {
    let Some(document) = view.session.map(|s| s.document()) else { return };
    let Some(clip) = view.keys_clip(document, id) else { return };
    state.show(view.layers.keys_home(id), actions);
    let whole = ui.available_rect_before_wrap();
    ui.allocate_rect(whole, Sense::hover());
    let row_height = Measure::RowTrack.points();
    let names = Measure::TrackNames.points().min(whole.width() * 0.4);
    let foot = whole.bottom() - if whole.height() > 140.0 { OVERVIEW } else { 0.0 };
    let sheet =
        Rect::from_min_max(pos2(whole.left() + names, whole.top()), pos2(whole.right(), foot));
    let top = sheet.top() + Measure::Ruler.points();
    let summary =
        Rect::from_min_max(pos2(sheet.left(), top), pos2(sheet.right(), top + row_height));
    let body = Rect::from_min_max(pos2(sheet.left(), summary.bottom()), sheet.max);
    let axis =
        TimeAxis { left: sheet.left(), right: sheet.right(), start: state.start, end: state.end };
    let behind = document.clips.get(id).filter(|c| !Shared::ptr_eq(c, clip));
    let rows = state.rows_of(document, (id, clip, behind), view);
    // Under a hand they are not looked for anew with each move.
    let still = matches!(state.gesture, KeyGesture::None);
    if still && clip.key_count() <= DeadKeys::MOST_IN_CLIP {
        for (id, track) in rows.all_tracks() {
            state.dead.of(*id, track);
        }
    }
    if still {
        state
            .dead
            .retain(|id, track| clip.tracks.get(&id).is_some_and(|t| Shared::ptr_eq(t, track)));
    }
    let sheet =
        Sheet { view, id, clip, behind, rows, axis, whole, sheet, summary, body, row_height };
    sheet.box_rows(state);
    sheet.reveal(state, ui);
    sheet.navigate(state, ui);
    let painter = ui.painter_at(whole);
    sheet.ground(&painter);
    sheet.keys_ui(state, ui, actions);
    sheet.rows_ui(state, ui, &painter, actions);
    sheet.gesture_ui(state, ui, actions);
    sheet.tail_ui(ui, actions);
    sheet.empty_ui(ui);

    let ruler = Rect::from_min_max(sheet.sheet.min, pos2(body.right(), summary.top()));
    ruler_ui(state, ui, view, &sheet.axis, ruler, actions);
    // Markers are the clip's, also while the keys of a layer are shown.
    let marked = document.clips.get(id).map_or(&**clip, |c| c);
    markers_ui(state, ui, view, (id, marked), &sheet.axis, ruler, actions);
    let head = Rect::from_min_max(whole.min, pos2(body.left() - 8.0, summary.top()));
    let mut head = ui.new_child(egui::UiBuilder::new().max_rect(head.shrink2(vec2(8.0, 1.0))));
    head.horizontal_centered(|ui| {
        ui.spacing_mut().item_spacing.x = 2.0;
        let width = (ui.available_width() - 26.0).max(40.0);
        ui.allocate_ui(vec2(width, 24.0), |ui| {
            filter_field(ui, view.theme, &mut state.filter.name, "Filter tracks");
        });
        filter_button(&mut state.filter, ui, view.theme);
    });
    if foot < whole.bottom() {
        let foot = Rect::from_min_max(pos2(whole.left(), foot), whole.max);
        overview_ui(state, ui, &sheet, foot, names, actions);
    }
}

impl Sheet<'_> {
    /// Scrolls to what was selected elsewhere, and keeps the playhead in sight while it moves.
    fn reveal(&self, state: &mut TimelineState, ui: &Ui) {
        if state.active != self.view.selection.active {
            state.active = self.view.selection.active;
            // What is chosen here is in sight already.
            state.reveal = state.active.filter(|_| !ui.rect_contains_pointer(self.whole));
        }
        if let Some(node) = state.reveal.take() {
            let at = self.rows.list.iter().position(|r| matches!(r, Row::Node(n) if *n == node));
            if let Some(at) = at {
                let top = at as f32 * self.row_height;
                let seen = state.scroll..=state.scroll + self.body.height() - self.row_height;
                if !seen.contains(&top) {
                    state.scroll = top - self.body.height() * 0.4;
                }
            }
        }
        let playback = self.view.timeline.playback;
        let moved = state.playhead != playback.time;
        state.playhead = playback.time;
        let outside = playback.time < state.start || playback.time > state.end;
        if moved && outside && matches!(state.gesture, KeyGesture::None) {
            let span = state.end - state.start;
            let share = if playback.playing { 0.05 } else { 0.5 };
            state.shift(playback.time - span * share - state.start);
        }
    }

    /// The wheel scrolls; with Ctrl, and by a pinch, it zooms about the pointer; with Shift it goes
    /// along the time.
    fn navigate(&self, state: &mut TimelineState, ui: &Ui) {
        let (scroll, modifiers, pointer) =
            ui.input(|i| (i.smooth_scroll_delta(), i.modifiers, i.pointer.hover_pos()));
        if ui.rect_contains_pointer(self.whole)
            && let Some(at) = pointer
        {
            let zoom = ui.input(|i| i.zoom_delta());
            if zoom != 1.0 || modifiers.command || modifiers.alt {
                let factor = if zoom != 1.0 {
                    1.0 / f64::from(zoom)
                } else {
                    f64::from((-scroll.y * 0.004).exp())
                };
                state.zoom(self.axis.time(at.x), factor);
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
        let length = self.behind.map_or(0.0, |c| c.length()).max(self.clip.length());
        let end = axis.x(f64::from(length)).clamp(sheet.left(), sheet.right());
        let start = axis.x(0.0).clamp(sheet.left(), sheet.right());
        let dim = theme.color(ColorRole::SurfaceTimelineOut);
        painter.rect_filled(Rect::from_min_max(sheet.min, pos2(start, sheet.bottom())), 0.0, dim);
        painter.rect_filled(Rect::from_min_max(pos2(end, sheet.top()), sheet.max), 0.0, dim);
        self.tail(painter, start..=end);
        if let Some((from, to)) = self.view.timeline.playback.range {
            let dark = dim.gamma_multiply(0.45);
            let (from, to) = (axis.x(from).clamp(start, end), axis.x(to).clamp(start, end));
            painter.rect_filled(Rect::from_x_y_ranges(start..=from, sheet.y_range()), 0.0, dark);
            painter.rect_filled(Rect::from_x_y_ranges(to..=end, sheet.y_range()), 0.0, dark);
        }
    }

    /// The hint in the sheet of a clip without keys.
    fn empty_ui(&self, ui: &mut Ui) {
        if self.clip.key_count() > 0 || self.body.height() < 48.0 {
            return;
        }
        let key = self.view.settings.keys.shown(SetKey::NAME);
        let text = match (self.view.mode, key.is_empty()) {
            (Mode::Animate, false) => format!("No keys yet. Pose a joint and press {key}."),
            (Mode::Animate, true) => "No keys yet. Pose a joint and set a key.".to_owned(),
            _ => "No keys yet".to_owned(),
        };
        let mut place = ui.new_child(egui::UiBuilder::new().max_rect(self.body));
        place.vertical_centered(|ui| {
            ui.add_space((self.body.height() * 0.5 - 10.0).max(4.0));
            ui.label(RichText::new(text).color(self.view.theme.color(ColorRole::TextSecondary)));
        });
    }

    /// A repair of the loop that bends its last frames, and where those begin, points.
    fn bent(&self) -> Option<(RepairLoop, f32)> {
        let repair =
            self.view.timeline.repair.filter(|r| r.clip == self.id && r.how == CloseHow::Blend)?;
        let start = f64::from(self.clip.length()) - repair.frames as f64 * frame_of(self.clip);
        Some((*repair, self.axis.x(start.max(0.0))))
    }

    /// The edge of the frames that are bent is dragged.
    fn tail_ui(&self, ui: &Ui, actions: &mut Actions) {
        let Some((repair, x)) = self.bent().filter(|(_, x)| self.body.x_range().contains(*x))
        else {
            return;
        };
        let area =
            Rect::from_x_y_ranges(x - 5.0..=x + 5.0, self.summary.top()..=self.body.bottom());
        let response = ui.interact(area, ui.scope_id().with("tail"), Sense::drag());
        response
            .widget_info(|| WidgetInfo::labeled(Role::Slider, true, "Start of the blended frames"));
        ui.ctx().accesskit_node_builder(response.id, |node| {
            node.set_numeric_value(repair.frames as f64)
        });
        if response.hovered() || response.dragged() {
            ui.ctx().set_cursor_icon(egui::CursorIcon::ResizeHorizontal);
        }
        if let Some(at) = response.interact_pointer_pos().filter(|_| response.dragged()) {
            let (length, frame) = (f64::from(self.clip.length()), frame_of(self.clip));
            let most = (length / frame).round().max(1.0);
            let frames =
                ((length - self.axis.time(at.x)) / frame).round().clamp(1.0, most) as usize;
            if frames != repair.frames {
                actions.push(TimelineAction::Repair(Some(RepairLoop { frames, ..repair })));
            }
        }
    }

    /// The frames that a repair of the loop bends are tinted.
    fn tail(&self, painter: &Painter, clip: RangeInclusive<f32>) {
        let Some((_, from)) = self.bent() else { return };
        let from = from.max(*clip.start());
        let color = self.view.theme.color(ColorRole::SelectionBase);
        let area = Rect::from_x_y_ranges(from..=*clip.end(), self.sheet.y_range());
        painter.rect_filled(area, 0.0, color.gamma_multiply(0.10));
        painter.vline(from, self.sheet.y_range(), Stroke::new(1.0, color.gamma_multiply(0.6)));
    }

    /// The rows that are in sight, the one of all keys over them.
    fn rows_ui(
        &self,
        state: &mut TimelineState,
        ui: &mut Ui,
        painter: &Painter,
        actions: &mut Actions,
    ) {
        let (body, whole) = (self.body, self.whole);
        let first = (state.scroll / self.row_height).floor() as usize;
        let count = (body.height() / self.row_height).ceil() as usize + 1;
        let lines =
            ui.painter_at(Rect::from_min_max(pos2(whole.left(), body.top()), self.sheet.max));
        let mut mesh = Mesh::default();
        let names =
            Rect::from_min_max(pos2(whole.left(), body.top()), pos2(body.left(), body.bottom()));
        let last = (first + count).min(self.rows.list.len());
        for (k, row) in self.rows.list[first.min(last)..last].iter().enumerate() {
            let top = body.top() + (first + k) as f32 * self.row_height - state.scroll;
            let rect =
                Rect::from_min_size(pos2(whole.left(), top), vec2(whole.width(), self.row_height));
            self.ground_of_row(state, ui, &lines, row, rect, actions);
            self.row_keys(state, row, rect.center().y, &mut mesh);
            if let Row::Strength(id) = row {
                let layer = view_layer(self.view, *id);
                let seen = Rect::from_min_max(pos2(whole.left(), body.top()), self.sheet.max);
                if let Some(layer) = layer {
                    strength_ui(
                        &mut state.strength,
                        ui,
                        self,
                        &layer,
                        (rect, seen),
                        &mut mesh,
                        actions,
                    );
                }
                continue;
            }
            name_ui(state, ui, self.view, (&self.rows, row), rect, names, actions);
        }
        let rect = Rect::from_min_max(pos2(whole.left(), self.summary.top()), self.summary.max);
        painter.rect_filled(rect, 0.0, self.view.theme.color(ColorRole::SurfaceTimelineSummary));
        let mut summary = Mesh::default();
        self.row_keys(state, &Row::Summary, rect.center().y, &mut summary);
        let names = Rect::from_min_max(rect.min, pos2(body.left(), rect.bottom()));
        name_ui(state, ui, self.view, (&self.rows, &Row::Summary), rect, names, actions);
        let from = self.summary.top() - self.sheet.top();
        grid(&ui.painter_at(self.sheet), self.view, &self.axis, self.sheet, from);
        playhead_line(&ui.painter_at(self.sheet), self.view, &self.axis, self.summary.union(body));
        ui.painter_at(body).add(mesh);
        ui.painter_at(self.summary).add(summary);
    }

    fn ground_of_row(
        &self,
        state: &TimelineState,
        ui: &Ui,
        painter: &Painter,
        row: &Row,
        rect: Rect,
        actions: &mut Actions,
    ) {
        let (view, theme) = (self.view, self.view.theme);
        let line = Rect::from_min_max(pos2(self.body.left(), rect.top()), rect.max);
        let node = row.node();
        if node.is_some_and(|n| view.selection.nodes.contains(&n)) {
            painter.rect_filled(line, 0.0, theme.color(ColorRole::SelectionTint));
        } else if matches!(state.gesture, KeyGesture::None)
            && ui.rect_contains_pointer(line.intersect(self.body))
        {
            painter.rect_filled(
                line,
                0.0,
                theme.color(ColorRole::SurfaceRowHover).gamma_multiply(0.5),
            );
            // Rows that run by under the wheel are not pointed at: each would have the picture
            // drawn anew.
            if let Some(node) =
                node.filter(|_| ui.input(|i| i.smooth_scroll_delta() == egui::Vec2::ZERO))
            {
                actions.push(ViewportAction::Hover(Some(node)));
            }
        }
        painter.hline(
            line.x_range(),
            rect.bottom() - 0.5,
            Stroke::new(1.0, theme.color(ColorRole::TimelineGrid)),
        );
        if matches!(row, Row::Node(node) if self.rows.layered.contains(node)) {
            let color = theme.color(ColorRole::AccentBase).gamma_multiply(0.45);
            painter.hline(line.x_range(), rect.bottom() - 0.5, Stroke::new(1.0, color));
        }
    }

    pub(super) fn look(&self, middle: f32, half: f32) -> Look<'_> {
        let fps = self.view.timeline.playback.fps;
        Look { theme: self.view.theme, axis: &self.axis, fps, middle, half, fade: 1.0 }
    }

    /// The selected keys of a track.
    pub fn selected(&self, track: TrackId) -> &[f32] {
        self.keys().of_track(track)
    }

    /// The owner of the keys on this sheet.
    pub(super) fn home(&self) -> KeysHome {
        self.view.layers.keys_home(self.id)
    }

    /// The selected keys on this sheet.
    pub(super) fn keys(&self) -> &KeySet {
        self.view.selection.keys_of(Some(self.home()))
    }

    /// The keys of a row whose middle is at `middle`.
    fn row_keys(&self, state: &mut TimelineState, row: &Row, middle: f32, mesh: &mut Mesh) {
        match row {
            Row::Summary => {
                let look = self.look(middle, 3.5);
                let Summary { times, kinds, .. } = Summary::update(&mut state.summary, self.clip);
                let same = |(clip, keys): &(Shared<Clip>, KeySet)| {
                    Shared::ptr_eq(clip, self.clip) && keys == self.keys()
                };
                if !state.selected.key().is_some_and(same) {
                    state
                        .selected
                        .put((self.clip.clone(), self.keys().clone()), times_of(self.keys()));
                }
                let selected = state.selected.get().map_or(&[][..], Vec::as_slice);
                if look.is_dense(times) {
                    look.band(mesh, times, selected);
                    return;
                }
                // Selected ones over others that lie a rounding beside them.
                for (times, role) in
                    [(&**times, ColorRole::KeySummary), (selected, ColorRole::SelectionBase)]
                {
                    for time in &times[look.seen(times)] {
                        let at = pos2(self.axis.x(f64::from(*time)), middle);
                        let kind = kinds.of(*time);
                        let fill =
                            Some(role).filter(|r| kind.is_none() || *r == ColorRole::SelectionBase);
                        look.key(mesh, at, kind, fill);
                    }
                }
            }
            Row::Pointer(k) => {
                let (look, theme) = (self.look(middle, 3.0), self.view.theme);
                let times = &self.clip.pointers[*k].times;
                if look.is_dense(times) {
                    look.band(mesh, times, &[]);
                    return;
                }
                for time in &times[look.seen(times)] {
                    let at = pos2(self.axis.x(f64::from(*time)), middle);
                    let (fill, rim) = (ColorRole::KeyInbetween, ColorRole::KeyOutline);
                    draw::diamond(mesh, at, 3.0, theme.color(fill), theme.color(rim));
                }
            }
            Row::Strength(_) => {}
            Row::Node(node) => {
                self.keys_behind(*node, middle, mesh);
                self.track_keys(state, row, middle, mesh);
            }
            Row::Channel(..) | Row::Morph(..) => self.track_keys(state, row, middle, mesh),
        }
    }

    /// Keys of the clip below a layer, faintly: they are not edited here.
    fn keys_behind(&self, node: NodeId, middle: f32, mesh: &mut Mesh) {
        let Some(clip) = self.behind else { return };
        let look = Look { fade: 0.3, ..self.look(middle, 3.0) };
        for track in clip.tracks.values().filter(|t| t.target == node) {
            if look.is_dense(&track.times) {
                look.band(mesh, &track.times, &[]);
            } else {
                look.diamonds(mesh, track, &[], &[]);
            }
        }
    }

    fn track_keys(&self, state: &mut TimelineState, row: &Row, middle: f32, mesh: &mut Mesh) {
        let tracks = self.rows.tracks(row);
        let look = self.look(middle, 4.5);
        // A joint's own row says nothing of holds: its channels do, each of its own.
        if let [(_, track)] = tracks
            && !look.is_dense(&track.times)
        {
            look.holds(mesh, track);
        }
        if let KeyGesture::Keys(gesture) = &state.gesture {
            let color = self.view.theme.color(ColorRole::SelectionBase).gamma_multiply(0.75);
            for (id, _) in tracks {
                let ghosts = gesture.keys.of_track(*id);
                for time in ghosts[look.seen(ghosts)].iter().take(400) {
                    let at = pos2(self.axis.x(f64::from(*time)), middle);
                    draw::outline(mesh, at, 4.5, color, true);
                }
            }
        }
        self.unkeyed(row, middle, mesh);
        for (id, track) in tracks {
            let selected = self.selected(*id);
            if look.is_dense(&track.times) {
                look.band(mesh, &track.times, selected);
            } else {
                // Of several tracks one may need the key.
                let still = matches!(state.gesture, KeyGesture::None);
                let dead = if still && tracks.len() == 1 { state.dead.of(*id, track) } else { &[] };
                look.diamonds(mesh, track, selected, dead);
            }
            let repair = self.view.timeline.repair_seen.filter(|seen| seen.of.1.clip == self.id);
            if let Some(times) = repair.and_then(|seen| seen.changed.get(id))
                && !look.is_dense(&track.times)
            {
                let color = self.view.theme.color(ColorRole::SelectionBase);
                for time in times[look.seen(times)].iter().take(400) {
                    draw::outline(
                        mesh,
                        pos2(self.axis.x(f64::from(*time)), middle),
                        6.5,
                        color,
                        false,
                    );
                }
            }
            if let KeyGesture::Keys(gesture) = &state.gesture
                && gesture.kind != Retime::Offset
            {
                let color = self.view.theme.color(ColorRole::SeverityWarning);
                let seen = selected[look.seen(selected)].iter().take(400);
                for time in seen.filter(|t| gesture.replaces(*id, **t)) {
                    draw::ring(mesh, pos2(self.axis.x(f64::from(*time)), middle), 8.0, color);
                }
            }
        }
    }

    /// Poses without keys, at their times, in the rows that they change.
    fn unkeyed(&self, row: &Row, middle: f32, mesh: &mut Mesh) {
        let Some(document) = self.view.session.map(|s| s.document()) else { return };
        let color = self.view.theme.color(ColorRole::KeyPending);
        for (at, pose) in document.aids.unkeyed.iter().filter(|(at, _)| at.clip == self.id) {
            let changes = match row {
                Row::Node(node) => pose.nodes().any(|n| n == *node),
                Row::Channel(node, _, property) => {
                    pose.locals.get(node).is_some_and(|c| c.has(*property))
                }
                Row::Morph(node, ..) => pose.morphs.contains_key(node),
                Row::Summary | Row::Pointer(_) | Row::Strength(_) => false,
            };
            if changes {
                draw::outline(
                    mesh,
                    pos2(self.axis.x(f64::from(at.time())), middle),
                    5.5,
                    color,
                    false,
                );
            }
        }
    }

    /// Presses on keys, on the box around them, and beside.
    fn keys_ui(&self, state: &mut TimelineState, ui: &Ui, actions: &mut Actions) {
        let response = ui.interact(
            self.summary.union(self.body),
            ui.scope_id().with("keys"),
            Sense::click_and_drag(),
        );
        response.widget_info(|| WidgetInfo::labeled(Role::Canvas, true, "Timeline keys"));
        self.begin_modal(state, ui);
        if !matches!(state.gesture, KeyGesture::None) {
            return;
        }
        if state.swallow {
            state.swallow = ui.input(|i| i.pointer.any_down());
            return;
        }
        let (now, origin) = ui.input(|i| (i.modifiers, i.pointer.press_origin()));
        if let Some(pressed) = pressed_with(ui) {
            state.pressed = pressed;
        }
        let modifiers = now | state.pressed;
        if response.clicked() {
            self.click(state, response.interact_pointer_pos(), modifiers, actions);
        }
        if response.secondary_clicked()
            && let Some(hit) = response.interact_pointer_pos().and_then(|at| self.hit(state, at))
            && !self.is_selected(&hit)
        {
            self.select(hit.keys, SelectHow::Only, actions);
        }
        if response.double_clicked()
            && let Some(hit) = response.interact_pointer_pos().and_then(|at| self.hit(state, at))
        {
            actions.push(TimelineAction::Seek(f64::from(hit.time)));
        }
        if response.dragged_by(PointerButton::Middle) {
            state.shift(-f64::from(response.drag_delta().x) / self.axis.scale());
            state.scroll -= response.drag_delta().y;
        }
        if let Some(at) = origin.filter(|_| response.drag_started_by(PointerButton::Primary)) {
            self.begin_drag(state, at, modifiers, actions);
        }
        // As in Blender.
        if let Some(at) =
            origin.filter(|_| response.drag_started_by(PointerButton::Secondary) && now.command)
        {
            state.gesture = KeyGesture::Lasso(vec![self.spot(state, at)]);
        }
        self.hover(state, ui, &response);
        menus::keys_menu(state, &response, self, actions);
        menus::list_popup(state, &response, self.view, actions);
    }

    fn hover(&self, state: &TimelineState, ui: &Ui, response: &egui::Response) {
        let Some(at) = response.hover_pos() else { return };
        let on_grip =
            self.grips(state).is_some_and(|g| g.iter().any(|(r, ..)| r.expand(3.0).contains(at)));
        if on_grip {
            ui.ctx().set_cursor_icon(egui::CursorIcon::ResizeHorizontal);
        } else if self.hit(state, at).is_some() {
            ui.ctx().set_cursor_icon(egui::CursorIcon::Grab);
        }
    }

    fn is_selected(&self, hit: &Hit) -> bool {
        hit.keys.iter().any(|(id, times)| times.iter().any(|t| self.selected(id).contains(t)))
    }

    pub(super) fn select(&self, keys: KeySet, how: SelectHow, actions: &mut Actions) {
        actions.push(TimelineAction::SelectKeys { home: self.home(), keys, how });
    }

    /// A click on a diamond, or beside all of them.
    fn click(
        &self,
        state: &TimelineState,
        at: Option<Pos2>,
        modifiers: egui::Modifiers,
        actions: &mut Actions,
    ) {
        let how = match modifiers {
            m if m.shift => SelectHow::Add,
            m if m.command => SelectHow::Toggle,
            _ => SelectHow::Only,
        };
        match at.and_then(|at| self.hit(state, at)) {
            Some(hit) => {
                let node = self.rows.list.get(hit.row).and_then(Row::node);
                self.select(hit.keys, how, actions);
                if let Some(node) = node.filter(|_| how != SelectHow::Toggle) {
                    let toggle =
                        how == SelectHow::Add && !self.view.selection.nodes.contains(&node);
                    if toggle || how == SelectHow::Only {
                        actions.push(OutlinerAction::Select { node, toggle });
                    }
                }
            }
            None if how == SelectHow::Only => self.select(KeySet::default(), how, actions),
            None => {}
        }
    }

    /// A drag begins: on a grip, on a key, in the box of the selected ones, or beside.
    fn begin_drag(
        &self,
        state: &mut TimelineState,
        at: Pos2,
        modifiers: egui::Modifiers,
        actions: &mut Actions,
    ) {
        let time = self.axis.time(at.x);
        if std::mem::take(&mut state.lasso) {
            state.gesture = KeyGesture::Lasso(vec![self.spot(state, at)]);
            return;
        }
        let selected = || (self.id, self.keys().clone());
        let grip = self
            .grips(state)
            .and_then(|g| g.into_iter().find(|(r, ..)| r.expand(3.0).contains(at)));
        if let Some((_, side, other)) = grip {
            let about =
                if modifiers.alt { self.view.timeline.playback.time } else { f64::from(other) };
            let kind = Retime::Stretch(about);
            state.begin(Retiming::new(self.view, selected(), kind, f64::from(side), time, false));
            return;
        }
        let kind = if modifiers.alt { Retime::Copy } else { Retime::Move };
        if let Some(hit) = self.hit(state, at) {
            let keys = if self.is_selected(&hit) {
                selected()
            } else {
                let how = if modifiers.shift { SelectHow::Add } else { SelectHow::Only };
                self.select(hit.keys.clone(), how, actions);
                let both = if modifiers.shift { selected().1.union(&hit.keys) } else { hit.keys };
                (self.id, both)
            };
            state.begin(Retiming::new(self.view, keys, kind, f64::from(hit.time), time, false));
            return;
        }
        let in_box = self.selection_box(state).is_some_and(|(area, ..)| area.contains(at));
        if in_box && !modifiers.shift && !modifiers.command {
            // The first key of the box lands on frames.
            let first = self.keys().span().map_or(time, |(first, _)| f64::from(first));
            state.begin(Retiming::new(self.view, selected(), kind, first, time, false));
            return;
        }
        let spot = self.spot(state, at);
        state.gesture =
            if modifiers.alt { KeyGesture::Lasso(vec![spot]) } else { KeyGesture::Box(spot) };
    }

    /// A move that was asked for by a key begins where the pointer is.
    fn begin_modal(&self, state: &mut TimelineState, ui: &Ui) {
        let Some(kind) = state.wanted.take() else { return };
        let at = ui.input(|i| i.pointer.latest_pos()).unwrap_or(self.body.center());
        let (Some((first, last)), from) = (self.keys().span(), self.axis.time(at.x)) else {
            return;
        };
        let keys = (self.id, self.keys().clone());
        let grabbed = match kind {
            Retime::Stretch(about) => {
                let far = |t: f32| (f64::from(t) - about).abs();
                f64::from(if far(first) > far(last) { first } else { last })
            }
            _ => f64::from(first),
        };
        // A stretch is held at the side that is farther away, wherever the pointer is.
        state.begin(Retiming::new(self.view, keys, kind, grabbed, from, true));
    }

    /// What is under way goes on, and is drawn.
    fn gesture_ui(&self, state: &mut TimelineState, ui: &Ui, actions: &mut Actions) {
        if !matches!(state.gesture, KeyGesture::Box(_) | KeyGesture::Lasso(_)) {
            self.box_ui(state, ui);
        }
        match std::mem::take(&mut state.gesture) {
            KeyGesture::None => {}
            KeyGesture::Box(start) => self.marquee_ui(state, ui, start, actions),
            KeyGesture::Lasso(line) => self.lasso_ui(state, ui, line, actions),
            KeyGesture::Keys(mut gesture) => {
                let goes = gesture.go_on(ui, self.view, &self.axis, actions);
                self.said_at_pointer(ui, &gesture);
                if goes == Goes::On {
                    self.follow_pointer(state, ui);
                    state.gesture = KeyGesture::Keys(gesture);
                } else {
                    state.swallow = ui.input(|i| i.pointer.any_down());
                }
            }
        }
    }

    /// The box around what is selected, and its grips.
    fn box_ui(&self, state: &TimelineState, ui: &Ui) {
        let theme = self.view.theme;
        let Some((area, ..)) = self.selection_box(state) else { return };
        let painter = ui.painter_at(self.body);
        let edge = Stroke::new(1.0, theme.color(ColorRole::TimelineBoxStroke));
        let fill = theme.color(ColorRole::TimelineBoxFill).gamma_multiply(0.6);
        painter.rect(area, 2.0, fill, edge, egui::StrokeKind::Inside);
        for (grip, ..) in self.grips(state).into_iter().flatten() {
            painter.rect_filled(grip, 3.0, theme.color(ColorRole::SelectionBase));
        }
    }

    /// Beyond an edge the sheet goes along, faster the farther out.
    pub(super) fn follow_pointer(&self, state: &mut TimelineState, ui: &Ui) {
        let Some(at) = ui.input(|i| i.pointer.latest_pos()) else { return };
        let out = (at.x - self.sheet.right()).max(0.0) + (at.x - self.sheet.left()).min(0.0);
        if out != 0.0 {
            let step = f64::from(out.clamp(-60.0, 60.0))
                * f64::from(ui.input(|i| i.stable_dt)).min(0.1)
                * 6.0;
            state.shift(step / self.axis.scale());
            ui.ctx().request_repaint();
        }
    }

    /// What a move does, beside the pointer.
    fn said_at_pointer(&self, ui: &Ui, gesture: &Retiming) {
        let (theme, document) = (self.view.theme, self.view.session.map(|s| s.document()));
        let (Some(at), Some(document)) = (ui.input(|i| i.pointer.latest_pos()), document) else {
            return;
        };
        let said = gesture.said(
            self.view.keys_clip(document, gesture.home.clip),
            self.view.timeline.playback.fps,
        );
        let painter = ui
            .ctx()
            .layer_painter(egui::LayerId::new(egui::Order::Tooltip, ui.scope_id().with("said")));
        let text = painter.layout_no_wrap(
            said,
            Theme::font(Font::NumberSmall),
            theme.color(ColorRole::TextPrimary),
        );
        let size = text.size() + vec2(16.0, 10.0);
        let screen = ui.ctx().content_rect();
        let low = (screen.max - size).to_vec2();
        let place = (at + vec2(20.0, 20.0)).min(low.to_pos2());
        let area = Rect::from_min_size(place, size);
        let edge = Stroke::new(1.0, theme.color(ColorRole::StrokeControl));
        painter.rect(
            area,
            6.0,
            theme.color(ColorRole::SurfaceRaised),
            edge,
            egui::StrokeKind::Inside,
        );
        painter.galley(area.min + vec2(8.0, 5.0), text, theme.color(ColorRole::TextPrimary));
    }
}

/// What was held when the primary button was pressed in this frame: a drag stays what its press
/// began.
fn pressed_with(ui: &Ui) -> Option<egui::Modifiers> {
    let of = |e: &egui::Event| match e {
        egui::Event::PointerButton {
            button: PointerButton::Primary,
            pressed: true,
            modifiers,
            ..
        } => Some(*modifiers),
        _ => None,
    };
    ui.input(|i| i.events.iter().rev().find_map(of))
}

/// What the row of all keys shows.
#[derive(Clone, Debug, Default)]
pub struct Summary {
    /// Every time at which some track has a key, once.
    pub times: Vec<f32>,
    /// Tracks that have a key there, by time.
    counts: Vec<u32>,
    /// What the keys of a time are to the animator: where they differ, an extreme before a
    /// breakdown before an in-between.
    kinds: KeyKinds,
}

impl Summary {
    /// The summary of a clip. If few tracks differ from the last clip, only those are read.
    fn update<'a>(kept: &'a mut Derived<Shared<Clip>, Self>, clip: &Shared<Clip>) -> &'a Self {
        let follow = |(of, mut summary): (Shared<Clip>, Self)| {
            (Shared::ptr_eq(&of, clip) || summary.follow(&of, clip)).then_some(summary)
        };
        let summary = kept.take().and_then(follow).unwrap_or_else(|| Self::of(clip));
        kept.put(clip.clone(), summary);
        kept.update(clip.clone(), |_| Self::default())
    }

    fn of(clip: &Clip) -> Self {
        // Many tracks of a clip have the same times.
        let mut lists: Vec<(&[f32], u32)> = Vec::new();
        for track in clip.tracks.values() {
            match lists.last_mut() {
                Some((times, count)) if **times == *track.times => *count += 1,
                _ => lists.push((&track.times, 1)),
            }
        }
        let mut all: Vec<(f32, u32)> = lists
            .into_iter()
            .flat_map(|(times, count)| times.iter().map(move |t| (*t, count)))
            .collect();
        all.sort_by(|a, b| a.0.total_cmp(&b.0));
        let (mut times, mut counts): (Vec<f32>, Vec<u32>) = (Vec::new(), Vec::new());
        for (time, count) in all {
            match counts.last_mut() {
                Some(last) if times.last() == Some(&time) => *last += count,
                _ => {
                    times.push(time);
                    counts.push(count);
                }
            }
        }
        Self { times, counts, kinds: kinds_of(clip) }
    }

    /// Goes from one clip to another; not where more than a few tracks differ.
    fn follow(&mut self, from: &Clip, to: &Clip) -> bool {
        let Some(changed) = changed_tracks(from, to) else { return false };
        for (was, is) in changed {
            was.into_iter().flat_map(|t| t.times.iter()).for_each(|t| self.count(*t, false));
            is.into_iter().flat_map(|t| t.times.iter()).for_each(|t| self.count(*t, true));
        }
        self.kinds = kinds_of(to);
        true
    }

    /// One key more, or less, at a time.
    fn count(&mut self, time: f32, more: bool) {
        let at = self.times.partition_point(|t| *t < time);
        let is_there = self.times.get(at) == Some(&time);
        if more && is_there {
            self.counts[at] += 1;
        } else if more {
            self.times.insert(at, time);
            self.counts.insert(at, 1);
        } else if is_there && self.counts[at] > 1 {
            self.counts[at] -= 1;
        } else if is_there {
            self.times.remove(at);
            self.counts.remove(at);
        }
    }
}

/// The kind of the keys at each time.
///
/// An extreme overrides a breakdown, which overrides an in-between.
fn kinds_of(clip: &Clip) -> KeyKinds {
    let of =
        |kind| clip.tracks.values().flat_map(|t| t.kinds.iter()).filter(move |(_, k)| *k == kind);
    [KeyKind::InBetween, KeyKind::Breakdown, KeyKind::Extreme].into_iter().flat_map(of).collect()
}

/// A track that one clip has, and the one that another has in its place.
pub(super) type Replaced<'a> = (Option<&'a Shared<Track>>, Option<&'a Shared<Track>>);

/// The tracks in which two clips differ; none where they are many.
pub(super) fn changed_tracks<'a>(from: &'a Clip, to: &'a Clip) -> Option<Vec<Replaced<'a>>> {
    const MANY: usize = 64;
    let mut changed: Vec<Replaced<'a>> = Vec::new();
    for (id, track) in &from.tracks {
        match to.tracks.get(id) {
            Some(now) if Shared::ptr_eq(track, now) => {}
            now => changed.push((Some(track), now)),
        }
        if changed.len() > MANY {
            return None;
        }
    }
    changed.extend(
        to.tracks
            .iter()
            .filter(|(id, _)| !from.tracks.contains_key(id))
            .map(|(_, t)| (None, Some(t))),
    );
    (changed.len() <= MANY).then_some(changed)
}

/// The times of some keys, each once.
fn times_of(keys: &KeySet) -> Vec<f32> {
    let mut times: Vec<f32> = Vec::new();
    let mut last = None;
    for (_, own) in keys.iter() {
        let list = (own.as_ptr(), own.len());
        if last != Some(list) {
            times.extend_from_slice(own);
            last = Some(list);
        }
    }
    times.sort_by(f32::total_cmp);
    times.dedup();
    times
}

#[cfg(test)]
mod tests {
    use ulna_model::{Interpolation, Property};

    use super::*;

    fn track(node: u32, times: &[f32]) -> Shared<Track> {
        Shared::new(Track {
            target: NodeId(node),
            property: Property::Translation,
            interpolation: Interpolation::Linear,
            times: times.to_vec().into(),
            values: vec![0.0; times.len() * 3].into(),
            width: 3,
            kinds: KeyKinds::default(),
        })
    }

    #[test]
    fn a_summary_that_follows_a_change_is_the_one_made_anew() {
        let mut clip = Clip::default();
        clip.tracks.insert(TrackId(0), track(0, &[0.0, 0.5, 1.0]));
        clip.tracks.insert(TrackId(1), track(1, &[0.0, 1.0]));
        let mut summary = Summary::of(&clip);
        assert_eq!(summary.times, [0.0, 0.5, 1.0]);
        let changes: [(u32, Option<&[f32]>); 5] = [
            (0, Some(&[0.0, 0.75, 1.0])),
            (1, Some(&[0.0, 0.75, 1.0, 2.0])),
            (2, Some(&[0.25])),
            (0, None),
            (1, Some(&[])),
        ];
        for (id, times) in changes {
            let before = clip.clone();
            match times {
                Some(times) => drop(clip.tracks.insert(TrackId(id), track(id, times))),
                None => drop(clip.tracks.remove(&TrackId(id))),
            }
            assert!(summary.follow(&before, &clip));
            let anew = Summary::of(&clip);
            assert_eq!(summary.times, anew.times, "track {id}: {times:?}");
            assert_eq!(summary.counts, anew.counts, "track {id}: {times:?}");
        }
        assert_eq!(summary.times, [0.25], "what no track has is gone");
    }
}
