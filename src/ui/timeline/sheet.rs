//! The dope sheet: ruler, playhead, and a row of diamonds a joint, opening to its channels.

use egui::{
    Align2, Color32, Mesh, PointerButton, Pos2, Rect, Role, Sense, Stroke, Ui, WidgetInfo, epaint::Vertex, pos2, vec2,
};
use egui_material_icons::icons;

use super::{TimelineState, axis::TimeAxis};
use crate::render::{ColorRole, Measure};
use crate::ui::{OutlinerAction, TimelineAction, ViewportAction};
use crate::{
    edit::KeyRef,
    model::{Clip, ClipId, Document, NodeId, Property, Shared, Track, TrackId},
    ui::{
        Actions, Theme, View,
        theme::Font,
        widgets::{crisp, elided, filter_field, node_icon, paint_icon},
    },
};

/// A node with the tracks that move it.
type Animated = (NodeId, Vec<(TrackId, Shared<Track>)>);

/// What a row shows.
#[derive(Clone, Debug)]
enum Row {
    Summary,
    Node(NodeId),
    Channel(NodeId, TrackId, Property),
    /// A channel that names by a pointer what it moves: seen, not edited.
    Pointer(usize),
}

/// Tracks of each animated node, in the order of the tree.
fn animated(document: &Document, clip: &Clip, view: &View<'_>, state: &TimelineState) -> Vec<Animated> {
    let mut by_node: Vec<Vec<(TrackId, Shared<Track>)>> = vec![Vec::new(); document.nodes.len()];
    for (id, track) in &clip.tracks {
        by_node[track.target.index()].push((*id, track.clone()));
    }
    let mut order = document.shown_nodes();
    let mut listed = vec![false; document.nodes.len()];
    for id in &order {
        listed[id.index()] = true;
    }
    order.extend(document.node_ids().filter(|id| !listed[id.index()]));
    let needle = state.filter.to_lowercase();
    order
        .into_iter()
        .filter_map(|id| {
            let mut tracks = std::mem::take(&mut by_node[id.index()]);
            let named = needle.is_empty() || document.node(id).label(id).to_lowercase().contains(&needle);
            let chosen = !state.selected_only || view.selection.nodes.contains(&id);
            tracks.sort_by_key(|(_, t)| t.property);
            (!tracks.is_empty() && named && chosen).then_some((id, tracks))
        })
        .collect()
}

pub fn sheet_ui(state: &mut TimelineState, ui: &mut Ui, view: &View<'_>, id: ClipId, actions: &mut Actions) {
    let theme = view.theme;
    let Some(document) = view.session.map(|s| s.document()) else { return };
    let Some(clip) = document.clips.get(id) else { return };
    let whole = ui.available_rect_before_wrap();
    ui.allocate_rect(whole, Sense::hover());
    let names_width = Measure::TrackNames.points().min(whole.width() * 0.4);
    let ruler = Measure::Ruler.points();
    let row_height = Measure::RowTrack.points();
    let sheet = Rect::from_min_max(pos2(whole.left() + names_width, whole.top()), whole.max);
    let body = Rect::from_min_max(pos2(sheet.left(), sheet.top() + ruler), sheet.max);
    let axis = TimeAxis { left: sheet.left(), right: sheet.right(), start: state.start, end: state.end };
    let painter = ui.painter_at(whole);
    painter.rect_filled(sheet, 0.0, theme.color(ColorRole::SurfaceTimeline));

    let nodes = animated(document, clip, view, state);
    let mut rows = vec![Row::Summary];
    for (node, tracks) in &nodes {
        rows.push(Row::Node(*node));
        if state.open.contains(node) {
            rows.extend(tracks.iter().map(|(id, t)| Row::Channel(*node, *id, t.property)));
        }
    }
    let needle = state.filter.to_lowercase();
    let pointers = clip.pointers.iter().enumerate().filter(|(_, p)| p.pointer.to_lowercase().contains(&needle));
    if !state.selected_only {
        rows.extend(pointers.map(|(k, _)| Row::Pointer(k)));
    }
    // Scrolling and zooming.
    let over = ui.rect_contains_pointer(whole);
    let (scroll, modifiers, pointer) = ui.input(|i| (i.smooth_scroll_delta(), i.modifiers, i.pointer.hover_pos()));
    if over && let Some(at) = pointer {
        if modifiers.command || modifiers.alt {
            let zoom = ui.input(|i| i.zoom_delta());
            let factor = if zoom != 1.0 { 1.0 / f64::from(zoom) } else { f64::from((-scroll.y * 0.004).exp()) };
            let pivot = axis.time(at.x);
            let span = ((state.end - state.start) * factor).clamp(0.01, 1e7);
            let share = (pivot - state.start) / (state.end - state.start);
            state.start = pivot - span * share;
            state.end = state.start + span;
        } else if modifiers.shift || scroll.x != 0.0 {
            let by = f64::from(scroll.x + if modifiers.shift { scroll.y } else { 0.0 }) / axis.scale();
            state.start -= by;
            state.end -= by;
        } else {
            state.scroll -= scroll.y;
        }
    }
    let most = (rows.len() as f32 * row_height - body.height()).max(0.0);
    state.scroll = state.scroll.clamp(0.0, most);

    // The clip's own range is lighter than what lies outside.
    let length = f64::from(clip.length());
    let inside = Rect::from_x_y_ranges(
        axis.x(0.0).max(sheet.left())..=axis.x(length).clamp(sheet.left(), sheet.right()),
        sheet.y_range(),
    );
    let dim = theme.color(ColorRole::SurfaceTimelineOut);
    painter.rect_filled(
        Rect::from_min_max(sheet.min, pos2(inside.left().min(sheet.right()), sheet.bottom())),
        0.0,
        dim,
    );
    painter.rect_filled(Rect::from_min_max(pos2(inside.right().max(sheet.left()), sheet.top()), sheet.max), 0.0, dim);
    grid(&painter, view, &axis, sheet, ruler);

    let first = (state.scroll / row_height).floor() as usize;
    let count = (body.height() / row_height).ceil() as usize + 1;
    let names_clip = Rect::from_min_max(pos2(whole.left(), body.top()), pos2(sheet.left(), body.bottom()));
    let mut hit: Option<(Pos2, KeyRef)> = None;
    let mut all_keys: Vec<(Pos2, KeyRef)> = Vec::new();
    let mut mesh = Mesh::default();
    for (k, row) in rows.iter().enumerate().skip(first).take(count) {
        let top = body.top() + k as f32 * row_height - state.scroll;
        let rect = Rect::from_min_size(pos2(whole.left(), top), vec2(whole.width(), row_height));
        if rect.bottom() < body.top() {
            continue;
        }
        let line = Rect::from_min_max(pos2(sheet.left(), rect.top().max(body.top())), rect.max);
        let selected = matches!(row, Row::Node(n) | Row::Channel(n, ..) if view.selection.nodes.contains(n));
        let fill = match row {
            Row::Summary => Some(theme.color(ColorRole::SurfaceTimelineSummary)),
            _ if selected => Some(theme.color(ColorRole::SelectionTint)),
            _ => None,
        };
        if let Some(fill) = fill {
            painter.rect_filled(line, 0.0, fill);
        }
        painter.hline(line.x_range(), rect.bottom() - 0.5, Stroke::new(1.0, theme.color(ColorRole::TimelineGrid)));
        let middle = rect.center().y;
        match row {
            Row::Summary => {
                let times = state.summary.update(clip.clone(), |clip| summary(clip));
                for time in times.iter().filter(|t| in_sight(&axis, **t)) {
                    key_shape(
                        &mut mesh,
                        pos2(axis.x(f64::from(*time)), middle),
                        3.5,
                        theme.color(ColorRole::KeySummary),
                        theme.color(ColorRole::KeyOutline),
                    );
                }
            }
            Row::Node(node) => {
                let Some((_, tracks)) = nodes.iter().find(|(n, _)| n == node) else { continue };
                for (id_track, track) in tracks {
                    keys(&mut mesh, view, id, *id_track, track, &axis, middle, &mut all_keys);
                }
            }
            Row::Pointer(k) => {
                let color = theme.color(ColorRole::KeyInbetween);
                for time in clip.pointers[*k].times.iter().filter(|t| in_sight(&axis, **t)) {
                    let at = pos2(axis.x(f64::from(*time)), middle);
                    key_shape(&mut mesh, at, 3.0, color, theme.color(ColorRole::KeyOutline));
                }
            }
            Row::Channel(_, id_track, _) => {
                if let Some(track) = clip.tracks.get(id_track) {
                    keys(&mut mesh, view, id, *id_track, track, &axis, middle, &mut all_keys);
                }
            }
        }
        name_ui(state, ui, view, document, row, rect, names_clip, &nodes, actions);
    }
    let sheet_painter = ui.painter_at(body);
    playhead_line(&sheet_painter, view, &axis, body);
    sheet_painter.add(mesh);

    ruler_ui(state, ui, view, &axis, Rect::from_min_max(sheet.min, pos2(sheet.right(), body.top())), actions);
    let names_head = Rect::from_min_max(whole.min, pos2(sheet.left() - 8.0, body.top()));
    let mut head = ui.new_child(egui::UiBuilder::new().max_rect(names_head.shrink2(vec2(8.0, 1.0))));
    filter_field(&mut head, theme, &mut state.filter, "Filter tracks");

    // Keys: click, Shift-click, and a box.
    let response = ui.interact(body, ui.scope_id().with("keys"), Sense::click_and_drag());
    response.widget_info(|| WidgetInfo::labeled(Role::Canvas, true, "Timeline keys"));
    if let Some(at) = response.interact_pointer_pos().or(response.hover_pos()) {
        let near = all_keys.iter().min_by(|a, b| a.0.distance_sq(at).total_cmp(&b.0.distance_sq(at)));
        hit =
            near.filter(|(p, _)| (p.x - at.x).abs() <= 6.0 && (p.y - at.y).abs() <= row_height * 0.5).copied().or(hit);
    }
    if response.clicked() {
        match hit {
            Some((p, _)) => {
                // All channels that have a key on that spot belong to the diamond.
                let keys = all_keys.iter().filter(|(q, _)| q.distance(p) < 1.0).map(|(_, k)| *k).collect();
                actions.push(TimelineAction::SelectKeys { keys, add: modifiers.shift || modifiers.command });
                if let Some(track) = hit.and_then(|(_, k)| clip.tracks.get(&k.track)) {
                    actions.push(OutlinerAction::Select { node: track.target, toggle: false });
                }
            }
            None => actions.push(TimelineAction::SelectKeys { keys: Vec::new(), add: false }),
        }
    }
    if response.dragged_by(PointerButton::Middle) {
        let by = f64::from(response.drag_delta().x) / axis.scale();
        state.start -= by;
        state.end -= by;
        state.scroll -= response.drag_delta().y;
    }
    if response.drag_started_by(PointerButton::Primary) {
        state.marquee = ui.input(|i| i.pointer.press_origin());
    }
    if let Some(from) = state.marquee {
        let to = pointer.unwrap_or(from);
        let area = Rect::from_two_pos(from, to);
        sheet_painter.rect(
            area,
            0.0,
            theme.color(ColorRole::TimelineBoxFill),
            Stroke::new(1.0, theme.color(ColorRole::TimelineBoxStroke)),
            egui::StrokeKind::Inside,
        );
        if response.drag_stopped() {
            let keys = all_keys.iter().filter(|(p, _)| area.contains(*p)).map(|(_, k)| *k).collect();
            actions.push(TimelineAction::SelectKeys { keys, add: modifiers.shift });
            state.marquee = None;
        }
    }
}

fn in_sight(axis: &TimeAxis, time: f32) -> bool {
    let x = axis.x(f64::from(time));
    x >= axis.left - 8.0 && x <= axis.right + 8.0
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

fn keys(
    mesh: &mut Mesh,
    view: &View<'_>,
    clip: ClipId,
    id: TrackId,
    track: &Track,
    axis: &TimeAxis,
    middle: f32,
    all: &mut Vec<(Pos2, KeyRef)>,
) {
    let theme = view.theme;
    let from = track.times.partition_point(|t| axis.x(f64::from(*t)) < axis.left - 8.0);
    for time in track.times[from..].iter().take_while(|t| in_sight(axis, **t)) {
        let at = pos2(axis.x(f64::from(*time)), middle);
        let key = KeyRef::new(clip, id, *time);
        let selected = view.selection.keys.contains(&key);
        let fill = if selected { theme.color(ColorRole::SelectionBase) } else { theme.color(ColorRole::KeyNormal) };
        key_shape(mesh, at, if selected { 5.5 } else { 4.5 }, fill, theme.color(ColorRole::KeyOutline));
        all.push((at, key));
    }
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

fn grid(painter: &egui::Painter, view: &View<'_>, axis: &TimeAxis, sheet: Rect, ruler: f32) {
    let theme = view.theme;
    let fps = view.timeline.playback.fps;
    let step = axis.label_step(fps);
    let mut frame = (axis.start * fps / step).floor() * step;
    // As many as fit, whatever the numbers are.
    for _ in 0..200 {
        if frame / fps > axis.end {
            break;
        }
        let x = axis.x(frame / fps).round() + 0.5;
        if x >= sheet.left() {
            painter.vline(
                x,
                (sheet.top() + ruler)..=sheet.bottom(),
                Stroke::new(1.0, theme.color(ColorRole::TimelineGridMajor)),
            );
        }
        frame += step;
    }
}

fn playhead_line(painter: &egui::Painter, view: &View<'_>, axis: &TimeAxis, body: Rect) {
    let x = axis.x(view.timeline.playback.time);
    if body.x_range().contains(x) {
        painter.vline(x, body.y_range(), Stroke::new(1.5, view.theme.color(ColorRole::TimelinePlayhead)));
    }
}

fn ruler_ui(state: &mut TimelineState, ui: &Ui, view: &View<'_>, axis: &TimeAxis, rect: Rect, actions: &mut Actions) {
    let theme = view.theme;
    let painter = ui.painter_at(rect);
    painter.rect_filled(rect, 0.0, theme.color(ColorRole::SurfaceTimeline));
    let fps = view.timeline.playback.fps;
    let step = axis.label_step(fps);
    let mut frame = (axis.start * fps / step).floor() * step;
    for _ in 0..200 {
        let x = axis.x(frame / fps);
        if x > rect.right() {
            break;
        }
        if x >= rect.left() {
            let at = crisp(ui, pos2(x, rect.bottom()));
            painter.vline(
                at.x,
                (rect.bottom() - 6.0)..=rect.bottom(),
                Stroke::new(1.0, theme.color(ColorRole::StrokeStrong)),
            );
            let text = format!("{frame}");
            painter.text(
                pos2(x, rect.top() + 10.0),
                Align2::CENTER_CENTER,
                text,
                Theme::font(Font::NumberSmall),
                theme.color(ColorRole::TextTertiary),
            );
        }
        frame += step;
    }
    let length = view.session.map_or(0.0, |s| view.timeline.playback.length(s.document()));
    let range = Rect::from_x_y_ranges(axis.x(0.0)..=axis.x(length), rect.top()..=rect.top() + 2.0);
    painter.rect_filled(range.intersect(rect), 0.0, theme.color(ColorRole::TimelinePlayhead));
    painter.hline(rect.x_range(), rect.bottom() - 0.5, Stroke::new(1.0, theme.color(ColorRole::TimelineGridMajor)));
    if let (Some(session), Some(shown)) = (view.session, view.shown_clip()) {
        let poses = session.document().aids.unkeyed.keys().filter(|at| at.clip == shown);
        for x in poses.map(|at| axis.x(f64::from(at.time()))).filter(|x| rect.x_range().contains(*x)) {
            let at = pos2(x, rect.bottom() - 6.0);
            super::super::widgets::diamond(
                &painter,
                at,
                9.0,
                Color32::TRANSPARENT,
                theme.color(ColorRole::SelectionBase),
            );
        }
    }
    let x = axis.x(view.timeline.playback.time);
    if rect.x_range().contains(x) {
        let text = painter.layout_no_wrap(
            format!("{}", view.timeline.playback.frame()),
            Theme::font(Font::NumberSmall),
            theme.color(ColorRole::TimelinePlayheadText),
        );
        let flag = Rect::from_center_size(pos2(x, rect.top() + 10.0), vec2((text.size().x + 10.0).max(22.0), 17.0));
        painter.rect_filled(flag, 3.0, theme.color(ColorRole::TimelinePlayhead));
        painter.galley(flag.center() - text.size() * 0.5, text, theme.color(ColorRole::TimelinePlayheadText));
        painter.vline(x, flag.bottom()..=rect.bottom(), Stroke::new(1.5, theme.color(ColorRole::TimelinePlayhead)));
    }
    let response = ui.interact(rect, ui.scope_id().with("ruler"), Sense::click_and_drag());
    response.widget_info(|| WidgetInfo::labeled(Role::Slider, true, "Playhead"));
    ui.ctx().accesskit_node_builder(response.id, |node| node.set_numeric_value(view.timeline.playback.time));
    if (response.dragged_by(PointerButton::Primary) || response.clicked())
        && let Some(at) = response.interact_pointer_pos()
    {
        let time = axis.time(at.x).max(0.0);
        // On whole frames, unless Shift asks for what lies between.
        let free = ui.input(|i| i.modifiers.shift);
        let time = if free { time } else { (time * fps).round() / fps };
        actions.push(TimelineAction::Seek(time));
    }
    if response.dragged_by(PointerButton::Middle) {
        let by = f64::from(response.drag_delta().x) / axis.scale();
        state.start -= by;
        state.end -= by;
    }
}

#[expect(clippy::too_many_arguments, reason = "one row's name, drawn beside its keys")]
fn name_ui(
    state: &mut TimelineState,
    ui: &Ui,
    view: &View<'_>,
    document: &Document,
    row: &Row,
    rect: Rect,
    clip: Rect,
    nodes: &[Animated],
    actions: &mut Actions,
) {
    let theme = view.theme;
    let area = Rect::from_min_max(rect.min, pos2(clip.right(), rect.bottom()));
    let painter = ui.painter_at(clip);
    let middle = rect.center().y;
    let left = rect.left();
    match row {
        Row::Summary => {
            painter.rect_filled(area, 0.0, theme.color(ColorRole::SurfaceTimelineSummary));
            let at = pos2(left + 16.0, middle);
            painter.text(
                at,
                Align2::LEFT_CENTER,
                if view.joints.contains(&true) { "All joints" } else { "All nodes" },
                Theme::font(Font::Heading),
                theme.color(ColorRole::TextPrimary),
            );
            let count = nodes.iter().map(|(_, t)| t.len()).sum::<usize>();
            let count = if count == 1 { "1 track".to_owned() } else { format!("{count} tracks") };
            let at = pos2(area.right() - 10.0, middle);
            painter.text(
                at,
                Align2::RIGHT_CENTER,
                count,
                Theme::font(Font::Caption),
                theme.color(ColorRole::TextTertiary),
            );
        }
        Row::Node(node) => {
            let label = document.node(*node).label(*node);
            let selected = view.selection.nodes.contains(node);
            let seen = area.intersect(clip);
            let response = ui.interact(seen, ui.scope_id().with(("track", node.0)), Sense::click());
            response.widget_info(|| WidgetInfo::selected(Role::TreeItem, true, selected, format!("Track {label}")));
            if selected {
                painter.rect_filled(area, 0.0, theme.color(ColorRole::SelectionTint));
                painter.rect_filled(
                    Rect::from_min_size(area.min, vec2(2.0, area.height())),
                    0.0,
                    theme.color(ColorRole::SelectionBase),
                );
            } else if response.hovered() {
                painter.rect_filled(area, 0.0, theme.color(ColorRole::SurfaceRowHover));
            }
            let fold = Rect::from_center_size(pos2(left + 16.0, middle), vec2(18.0, 20.0)).intersect(clip);
            let open = state.open.contains(node);
            if fold.is_positive() {
                let arrow = ui.interact(fold, ui.scope_id().with(("open track", node.0)), Sense::click());
                arrow.widget_info(|| WidgetInfo::labeled(Role::Button, true, format!("Channels of {label}")));
                if arrow.clicked() && !state.open.remove(node) {
                    state.open.insert(*node);
                }
            }
            let icon = if open { icons::ICON_EXPAND_MORE } else { icons::ICON_CHEVRON_RIGHT };
            paint_icon(&painter, pos2(left + 16.0, middle), icon, 15.0, theme.color(ColorRole::TextTertiary));
            let color =
                if selected { theme.color(ColorRole::SelectionBase) } else { theme.color(ColorRole::TextSecondary) };
            node_icon(&painter, view, document, *node, pos2(left + 34.0, middle), color);
            let font = Theme::font(Font::Small);
            let text = elided(ui, &label, &font, area.width() - 56.0);
            let color =
                if selected { theme.color(ColorRole::SelectionText) } else { theme.color(ColorRole::TextPrimary) };
            painter.text(pos2(left + 46.0, middle), Align2::LEFT_CENTER, text, font, color);
            if response.hovered() {
                actions.push(ViewportAction::Hover(Some(*node)));
            }
            if response.clicked() {
                actions.push(OutlinerAction::Select {
                    node: *node,
                    toggle: ui.input(|i| i.modifiers.command || i.modifiers.shift),
                });
            }
        }
        Row::Pointer(k) => {
            let Some(pointer) =
                view.timeline.playback.clip.and_then(|c| document.clips.get(c)?.pointers.get(*k).cloned())
            else {
                return;
            };
            paint_icon(
                &painter,
                pos2(left + 34.0, middle),
                icons::ICON_LINK,
                14.0,
                theme.color(ColorRole::TextTertiary),
            );
            let font = Theme::font(Font::Small);
            let text = elided(ui, &pointer.pointer, &font, area.width() - 56.0);
            painter.text(
                pos2(left + 46.0, middle),
                Align2::LEFT_CENTER,
                text,
                font,
                theme.color(ColorRole::TextSecondary),
            );
            let seen = ui.interact(area.intersect(clip), ui.scope_id().with(("pointer", *k)), Sense::hover());
            let name = format!("Pointer {}", pointer.pointer);
            seen.widget_info(|| WidgetInfo::labeled(Role::Label, true, &name));
            seen.on_hover_text(format!("{}\nKept as it is; only seen here, not edited", pointer.pointer));
        }
        Row::Channel(node, id, property) => {
            let word = property.path();
            let mut title = word.to_owned();
            title[..1].make_ascii_uppercase();
            painter.text(
                pos2(left + 46.0, middle),
                Align2::LEFT_CENTER,
                &title[..1],
                Theme::font(Font::Caption),
                theme.color(ColorRole::TextTertiary),
            );
            painter.text(
                pos2(left + 62.0, middle),
                Align2::LEFT_CENTER,
                title,
                Theme::font(Font::Small),
                theme.color(ColorRole::TextSecondary),
            );
            let track = nodes.iter().find(|(n, _)| n == node).and_then(|(_, t)| t.iter().find(|(k, _)| k == id));
            let how = track.map_or("", |(_, t)| t.interpolation.word());
            let at = pos2(area.right() - 10.0, middle);
            painter.text(
                at,
                Align2::RIGHT_CENTER,
                how.to_lowercase(),
                Theme::font(Font::Caption),
                theme.color(ColorRole::TextTertiary),
            );
        }
    }
}
