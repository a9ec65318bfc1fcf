//! Dope sheet: rows of keys under a ruler, with scrolling, zooming and gestures.

use std::ops::RangeInclusive;

use egui::{Mesh, Painter, Rect, RichText, Role, Sense, Shape, Stroke, Ui, WidgetInfo, pos2, vec2};

use super::{
    contacts::contacts_ui,
    curves,
    dead::DeadKeys,
    filter::filter_button,
    gesture::KeyGesture,
    markers::markers_ui,
    names::name_ui,
    overview::overview_ui,
    rows::{Row, Rows},
    ruler::{grid, playhead_line, ruler_ui},
    sheet_layout::Sheet,
    state::TimelineState,
    strength::strength_ui,
};
use crate::ui::{
    Actions, RepairLoop, TimelineAction, TimelineShow, View, ViewportAction, widgets::filter_field,
};
use ulna_edit::command::{CloseHow, SetKey, frame_of};
use ulna_model::{Clip, ClipId, PoseLayer, PoseLayerId, Shared};
use ulna_render::{ColorRole, Measure};

/// Height of the overview bar at the bottom, in points.
const OVERVIEW: f32 = 24.0;

/// Returns the pose layer with this id.
fn view_layer(view: &View<'_>, id: PoseLayerId) -> Option<Shared<PoseLayer>> {
    view.session?.document().aids.pose_layer(id).map(|(_, layer)| layer.clone())
}

/// Areas of the timeline below the transport bar.
struct Parts {
    whole: Rect,
    /// Width of the name column, in points.
    names: f32,
    /// Area of ruler and keys.
    sheet: Rect,
    /// Area of the curves; empty if they are not shown.
    graph: Rect,
    /// Area of the overview bar.
    foot: Rect,
}

/// Height of the draggable border between keys and curves, in points.
const SPLIT: f32 = 6.0;

impl Parts {
    fn of(whole: Rect, show: TimelineShow, split: f32) -> Self {
        let names = Measure::TrackNames.points().min(whole.width() * 0.4);
        let foot = whole.bottom() - if whole.height() > 140.0 { OVERVIEW } else { 0.0 };
        let mut sheet =
            Rect::from_min_max(pos2(whole.left() + names, whole.top()), pos2(whole.right(), foot));
        let foot = Rect::from_min_max(pos2(whole.left(), foot), whole.max);
        let ruler = sheet.top() + Measure::Ruler.points();
        let mut graph = Rect::NOTHING;
        match show {
            TimelineShow::Sheet => {}
            TimelineShow::Curves => {
                graph = Rect::from_min_max(pos2(sheet.left(), ruler), sheet.max);
                sheet.max.y = ruler;
            }
            TimelineShow::Both => {
                // Leave space for four rows of keys and for usable curves, or half of the height
                // for each.
                let height = (sheet.bottom() - ruler).max(0.0);
                let least = (Measure::RowTrack.points() * 4.0).min(height * 0.5);
                let most = (height - 120.0).max(least);
                let wanted = if split == 0.0 { height * 0.36 } else { split };
                let edge = (ruler + wanted.clamp(least, most)).min(sheet.bottom());
                graph = Rect::from_min_max(
                    pos2(sheet.left(), (edge + SPLIT).min(sheet.bottom())),
                    sheet.max,
                );
                sheet.max.y = edge;
            }
        }
        Self { whole, names, sheet, graph, foot }
    }
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
    let show = view.settings.timeline;
    curves::keep_choices(state, ui, view.settings, actions);
    let parts = Parts::of(whole, show, state.curves.split);
    let row_height = Measure::RowTrack.points();
    let top = parts.sheet.top() + Measure::Ruler.points();
    let under = (top + row_height).min(parts.sheet.bottom());
    let summary =
        Rect::from_min_max(pos2(parts.sheet.left(), top), pos2(parts.sheet.right(), under));
    let body = Rect::from_min_max(pos2(parts.sheet.left(), summary.bottom()), parts.sheet.max);
    let axis = state.time.axis(parts.sheet.left(), parts.sheet.right());
    let behind = document.clips.get(id).filter(|c| !Shared::ptr_eq(c, clip));
    let rows = state.rows.of(document, (id, clip, behind), view, &state.filter, &state.open);
    look_for_dead_keys(state, clip, &rows);
    let model =
        (show != TimelineShow::Sheet).then(|| curves::curves_of(state, view, document, id, &rows));
    let rows = model.as_ref().and_then(|m| m.sheet.clone()).unwrap_or(rows);
    let sheet = Sheet {
        view,
        id,
        clip,
        behind,
        rows,
        axis,
        whole,
        sheet: parts.sheet,
        summary,
        body,
        row_height,
        graph: parts.graph,
        named: model.is_none(),
    };
    sheet.box_rows(state);
    sheet.reveal(state, ui);
    sheet.navigate(state, ui);
    let painter = ui.painter_at(whole);
    if show == TimelineShow::Curves {
        sheet.summarize(state);
        sheet.begin_modal(state, ui);
    } else {
        sheet.ground(&painter);
        sheet.keys_ui(state, ui, actions);
        sheet.rows_ui(state, ui, &painter, actions);
    }
    if let Some(model) = &model {
        sheet.curves_ui(state, ui, model, &parts, actions);
    }
    sheet.gesture_ui(state, ui, actions);
    if show != TimelineShow::Curves {
        sheet.tail_ui(ui, actions);
        sheet.empty_ui(ui);
    }

    let ruler = Rect::from_min_max(sheet.sheet.min, pos2(body.right(), summary.top()));
    ruler_ui(state, ui, view, &sheet.axis, ruler, actions);
    if model.is_some() {
        curves::retime_handles_ui(state, ui, &sheet, ruler, actions);
    }
    // Markers belong to the clip, even while the keys of a layer are shown.
    let marked = document.clips.get(id).map_or(&**clip, |c| c);
    markers_ui(&mut state.marker, ui, view, (id, marked), &sheet.axis, ruler, actions);
    let head = Rect::from_min_max(whole.min, pos2(body.left() - 8.0, summary.top()));
    let mut head = ui.new_child(egui::UiBuilder::new().max_rect(head.shrink2(vec2(8.0, 1.0))));
    let hint = if sheet.named { "Filter tracks" } else { "Filter channels" };
    head.horizontal_centered(|ui| {
        ui.spacing_mut().item_spacing.x = 2.0;
        let width = (ui.available_width() - 26.0).max(40.0);
        ui.allocate_ui(vec2(width, 24.0), |ui| {
            filter_field(ui, view.theme, &mut state.filter.name, hint);
        });
        filter_button(&mut state.filter, ui, view.theme);
    });
    if parts.foot.height() > 0.0 {
        overview_ui(state, ui, &sheet, parts.foot, parts.names, actions);
    }
}

/// Searches for redundant keys, but not during a drag, because each move would repeat the search.
fn look_for_dead_keys(state: &mut TimelineState, clip: &Shared<Clip>, rows: &Rows) {
    if !matches!(state.gesture, KeyGesture::None) || !state.curves.is_still() {
        return;
    }
    if clip.key_count() <= DeadKeys::MOST_IN_CLIP {
        for (id, track) in rows.all_tracks() {
            state.dead.of(*id, track);
        }
    }
    state.dead.keep_those_of(clip);
}

impl Sheet<'_> {
    /// Scrolls to a node that was selected in another panel, and keeps the moving playhead visible.
    fn reveal(&self, state: &mut TimelineState, ui: &Ui) {
        if state.active != self.view.selection.active {
            state.active = self.view.selection.active;
            // A node selected in this panel is visible already.
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
        let outside = playback.time < state.time.start || playback.time > state.time.end;
        if moved && outside && matches!(state.gesture, KeyGesture::None) {
            let span = state.time.end - state.time.start;
            let share = if playback.playing { 0.05 } else { 0.5 };
            state.time.shift(playback.time - span * share - state.time.start);
        }
    }

    /// Handles scrolling and zooming. The wheel scrolls rows, or time with Shift. Ctrl or a pinch
    /// zooms time about the pointer.
    fn navigate(&self, state: &mut TimelineState, ui: &Ui) {
        let (scroll, modifiers, pointer) =
            ui.input(|i| (i.smooth_scroll_delta(), i.modifiers, i.pointer.hover_pos()));
        if ui.rect_contains_pointer(self.whole)
            && let Some(at) = pointer.filter(|at| !self.graph.contains(*at))
        {
            let zoom = ui.input(|i| i.zoom_delta());
            if zoom != 1.0 || modifiers.command || modifiers.alt {
                let factor = if zoom != 1.0 {
                    1.0 / f64::from(zoom)
                } else {
                    f64::from((-scroll.y * 0.004).exp())
                };
                state.time.zoom(self.axis.time(at.x), factor);
            } else if modifiers.shift || scroll.x != 0.0 {
                let by = scroll.x + if modifiers.shift { scroll.y } else { 0.0 };
                state.time.shift(-f64::from(by) / self.axis.scale());
            } else {
                state.scroll -= scroll.y;
            }
        }
        // If only curves are shown, the wheel scrolls the curve list.
        let room = if self.body.is_positive() { self.body } else { self.graph };
        let height = room.height() - if self.body.is_positive() { 0.0 } else { 48.0 };
        let most = (self.rows.list.len() as f32 * self.row_height - height).max(0.0);
        state.scroll = state.scroll.clamp(0.0, most);
    }

    /// Shows the curve list, the graph, and the border between keys and curves.
    fn curves_ui(
        &self,
        state: &mut TimelineState,
        ui: &mut Ui,
        model: &curves::CurvesModel,
        parts: &Parts,
        actions: &mut Actions,
    ) {
        let list = Rect::from_min_max(
            pos2(parts.whole.left(), self.summary.top()),
            pos2(parts.sheet.left(), parts.foot.top()),
        );
        curves::list_ui(state, ui, self, model, list, actions);
        if parts.graph.is_positive() {
            curves::graph_ui(state, ui, self, model, parts.graph, actions);
        }
        if !self.body.is_positive() {
            return;
        }
        let edge = Rect::from_min_max(
            pos2(parts.sheet.left(), parts.sheet.bottom()),
            pos2(parts.sheet.right(), parts.graph.top()),
        );
        let response = ui.interact(edge, ui.scope_id().with("split"), Sense::click_and_drag());
        response.widget_info(|| {
            WidgetInfo::labeled(Role::Splitter, true, "Edge between keys and curves")
        });
        let lit = response.hovered() || response.dragged();
        let role = if lit { ColorRole::StrokeStrong } else { ColorRole::SurfaceWindow };
        ui.painter().rect_filled(edge, 0.0, self.view.theme.color(role));
        if lit {
            ui.ctx().set_cursor_icon(egui::CursorIcon::ResizeVertical);
        }
        if response.dragged_by(egui::PointerButton::Primary) {
            state.curves.split = self.sheet.bottom() - self.summary.top() + response.drag_delta().y;
        }
        if response.double_clicked() {
            state.curves.split = 0.0;
        }
    }

    /// Draws the background: lighter inside the clip's range.
    fn ground(&self, painter: &Painter) {
        self.ground_of(painter, self.sheet);
    }

    /// Draws the background of a part of the timeline: lighter inside the clip's range.
    pub(super) fn ground_of(&self, painter: &Painter, sheet: Rect) {
        let (theme, axis) = (self.view.theme, &self.axis);
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

    /// Shows the hint in the sheet of a clip without keys.
    fn empty_ui(&self, ui: &mut Ui) {
        if self.clip.key_count() > 0 || self.body.height() < 48.0 {
            return;
        }
        let key = self.view.settings.keys.shown(SetKey::NAME);
        let text = match (self.view.mode.spec().edits_keys, key.is_empty()) {
            (true, false) => format!("No keys yet. Pose a joint and press {key}."),
            (true, true) => "No keys yet. Pose a joint and set a key.".to_owned(),
            _ => "No keys yet".to_owned(),
        };
        let mut place = ui.new_child(egui::UiBuilder::new().max_rect(self.body));
        place.vertical_centered(|ui| {
            ui.add_space((self.body.height() * 0.5 - 14.0).max(4.0));
            let theme = self.view.theme;
            // Draw a background, because lines or keys of the clip below a layer may be
            // behind the text.
            let plate = ui.painter().add(Shape::Noop);
            let text = RichText::new(text).color(theme.color(ColorRole::TextSecondary));
            let rect = ui.label(text).rect.expand2(vec2(8.0, 4.0));
            let fill = theme.color(ColorRole::SurfacePanel);
            ui.painter().set(plate, Shape::rect_filled(rect, 4.0, fill));
        });
    }

    /// Loop repair that bends the last frames, and the horizontal position of the first bent frame.
    fn bent(&self) -> Option<(RepairLoop, f32)> {
        let repair =
            self.view.timeline.repair.filter(|r| r.clip == self.id && r.how == CloseHow::Blend)?;
        let start = f64::from(self.clip.length()) - repair.frames as f64 * frame_of(self.clip);
        Some((*repair, self.axis.x(start.max(0.0))))
    }

    /// Border of the bent frames, which can be dragged.
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

    /// Draws a tint over the frames that a loop repair changes.
    fn tail(&self, painter: &Painter, clip: RangeInclusive<f32>) {
        let Some((_, from)) = self.bent() else { return };
        let from = from.max(*clip.start());
        let color = self.view.theme.color(ColorRole::SelectionBase);
        let area = Rect::from_x_y_ranges(from..=*clip.end(), self.sheet.y_range());
        painter.rect_filled(area, 0.0, color.gamma_multiply(0.10));
        painter.vline(from, self.sheet.y_range(), Stroke::new(1.0, color.gamma_multiply(0.6)));
    }

    /// Shows the visible rows, with the row of all keys at the top.
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
                let left = if self.named { whole.left() } else { body.left() };
                let seen = Rect::from_min_max(pos2(left, body.top()), self.sheet.max);
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
            if let Row::Contacts(joint) = row {
                let left = if self.named { whole.left() } else { body.left() };
                let seen = Rect::from_min_max(pos2(left, body.top()), self.sheet.max);
                let goals = self.behind.unwrap_or(self.clip).contacts.clone();
                let of = (*joint, &*goals);
                contacts_ui(&mut state.contact, ui, self, of, (rect, seen), actions);
                continue;
            }
            if self.named {
                name_ui(state, ui, self.view, (&self.rows, row), rect, names, actions);
            }
        }
        let rect = Rect::from_min_max(pos2(whole.left(), self.summary.top()), self.summary.max);
        painter.rect_filled(rect, 0.0, self.view.theme.color(ColorRole::SurfaceTimelineSummary));
        let mut summary = Mesh::default();
        self.row_keys(state, &Row::Summary, rect.center().y, &mut summary);
        let names = Rect::from_min_max(rect.min, pos2(body.left(), rect.bottom()));
        if self.named {
            name_ui(state, ui, self.view, (&self.rows, &Row::Summary), rect, names, actions);
        }
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
            // Do not highlight rows while scrolling, because each highlight would render the
            // viewport again.
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
}
