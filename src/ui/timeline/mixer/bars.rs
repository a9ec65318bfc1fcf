//! Bars of a lane: drawing, dragging, trimming, and the marks of playing clips.

use egui::{
    Align2, Color32, CursorIcon, Mesh, PointerButton, Rect, Role, Sense, Shape, Stroke, Ui,
    WidgetInfo, pos2, vec2,
};

use egui_material_icons::icons;

use super::{
    bar_drawing::{BarDrawing, SQUARE, bar_text, squares},
    edits::{preview, set},
    state::{Drag, Grip, MixerState},
};
use crate::ui::popups::opens_menu;
use crate::ui::timeline::axis::TimeAxis;
use crate::ui::{
    Action, Actions, Theme, TimelineAction, View,
    menu_rows::{MenuRows, Row, context_menu},
    theme::Font,
    widgets::{cut, name_widget},
};
use ulna_edit::command::{DeleteKeys, MarkFootfalls, MoveMarker, field::ClipName, field::Seconds};
use ulna_model::{ClipId, Document, Mix, MixBar, Plays, Shared};
use ulna_motion::Playing;
use ulna_render::ColorRole;

/// Height of a bar and width of its ends, in points.
const HEIGHT: f32 = 48.0;
const ENDS: f32 = 7.0;
/// Minimum duration of a bar, in seconds.
const SHORTEST: f64 = 0.02;
/// Snap distance of a bar's end, in points.
const NEAR: f64 = 10.0;

#[expect(clippy::too_many_arguments, reason = "where and what is drawn, and of what")]
pub(super) fn lane_ui(
    state: &mut MixerState,
    ui: &Ui,
    view: &View<'_>,
    document: &Document,
    (mix, lane): (&Shared<Mix>, usize),
    chosen: Option<(usize, usize)>,
    axis: &TimeAxis,
    clip: Rect,
    room: Rect,
    playing: &[Playing],
    actions: &mut Actions,
) {
    let about = &mix.lanes[lane];
    let painter = ui.painter_at(clip);
    let faint = if about.on { 1.0 } else { 0.45 };
    for b in about.in_order() {
        let bar = &about.bars[b];
        let rect = Rect::from_min_max(
            pos2(axis.x(bar.start), room.top() + 8.0),
            pos2(axis.x(bar.end()), room.top() + 8.0 + HEIGHT),
        );
        if rect.right() < clip.left() || rect.left() > clip.right() {
            continue;
        }
        let is_chosen = chosen == Some((lane, b));
        let drawing = BarDrawing {
            ui,
            painter: &painter,
            view,
            document,
            bar,
            additive: about.additive.is_some(),
            rect,
            axis,
            chosen: is_chosen,
            faint,
        };
        drawing.draw();
        let bar_ui = BarUi {
            view,
            document,
            mix,
            at: (lane, b),
            axis,
            seen: rect.intersect(clip),
            rect,
            chosen: is_chosen,
        };
        bar_ui.interact(state, ui, actions);
        bar_ui.passings(state, ui, &painter, actions);
    }
    // Mark the playing clips at the playhead.
    if !playing.is_empty() {
        let mut heaviest: Vec<&Playing> = playing.iter().collect();
        heaviest.sort_by(|a, b| b.weight.total_cmp(&a.weight));
        heaviest.truncate(3);
        heaviest.retain(|p| p.weight >= 0.005);
        let percent = |p: &Playing| format!("{:.0} %", p.weight * about.weight * 100.0);
        // The bar already shows the name of a single clip.
        let words: Vec<String> = match heaviest[..] {
            [only] => vec![percent(only)],
            _ => heaviest
                .iter()
                .map(|p| format!("{} {}", document.clip_label(p.clip), percent(p)))
                .collect(),
        };
        let font = Theme::font(Font::NumberSmall);
        let text = cut(ui, &words.join(" · "), &font, 260.0);
        let galley = painter.layout_no_wrap(text, font, view.theme.color(ColorRole::AccentBase));
        let at = pos2(axis.x(view.timeline.playback.time) + 6.0, room.top() + 45.0);
        let chip = Rect::from_min_size(at, galley.size() + vec2(10.0, 4.0));
        painter.rect_filled(chip, 3.0, view.theme.color(ColorRole::SurfaceRaised));
        painter.galley(chip.min + vec2(5.0, 2.0), galley, Color32::PLACEHOLDER);
    }
}

/// Bar of the mix, with the context for drawing and dragging it.
struct BarUi<'a, 'v> {
    view: &'a View<'v>,
    document: &'a Document,
    mix: &'a Shared<Mix>,
    at: (usize, usize),
    axis: &'a TimeAxis,
    /// Visible part of the bar (`seen`), and its whole rectangle.
    seen: Rect,
    rect: Rect,
    chosen: bool,
}

impl BarUi<'_, '_> {
    fn bar(&self) -> &MixBar {
        &self.mix.lanes[self.at.0].bars[self.at.1]
    }

    /// Draws the starts of a looping clip's cycles, and its markers. Markers of the selected bar
    /// can be dragged.
    fn passings(
        &self,
        state: &mut MixerState,
        ui: &Ui,
        painter: &egui::Painter,
        actions: &mut Actions,
    ) {
        let (view, axis, rect) = (self.view, self.axis, self.rect);
        let Some(clock) = state.clock(view, self.document, self.mix, self.at) else { return };
        let Some(clip) = self.document.clips.get(clock.clip) else { return };
        let ink = view.theme.color(ColorRole::TextTertiary);
        // Draw all dashes in one mesh, because there can be hundreds.
        let mut dashes = Mesh::default();
        for seam in clock.passings(0.0).iter().filter(|p| p.round > 0) {
            let x = axis.x(seam.time).round();
            if self.seen.x_range().contains(x) {
                for k in 0..(rect.height() / 5.0) as u32 {
                    let from = pos2(x, rect.top() + k as f32 * 5.0);
                    dashes.add_colored_rect(Rect::from_min_size(from, vec2(1.0, 2.0)), ink);
                }
            }
        }
        painter.add(dashes);
        for (k, marker) in clip.markers.iter().enumerate().filter(|(_, m)| m.time < clip.length()) {
            for passing in clock.passings(f64::from(marker.time)) {
                let x = axis.x(passing.time);
                if !self.seen.x_range().contains(x) {
                    continue;
                }
                let (y, color) = (rect.bottom(), view.theme.color(ColorRole::TimelineMarker));
                let triangle = vec![pos2(x - 3.5, y), pos2(x + 3.5, y), pos2(x, y - 6.0)];
                painter.add(Shape::convex_polygon(triangle, color, Stroke::NONE));
                let at = pos2(x + 5.0, y - 5.0);
                painter.text(
                    at,
                    Align2::LEFT_CENTER,
                    &*marker.name,
                    Theme::font(Font::Caption),
                    color,
                );
                if self.chosen {
                    let spot = Rect::from_center_size(pos2(x, y - 4.0), vec2(11.0, 11.0))
                        .intersect(self.seen);
                    let id = ui.scope_id().with(("mark", self.at, k, passing.round));
                    let response = ui.interact(spot, id, Sense::drag());
                    let name =
                        format!("Marker {} of the bar, loop {}", marker.name, passing.round + 1);
                    response.widget_info(|| WidgetInfo::labeled(Role::Slider, true, name.clone()));
                    self.drag_marker(
                        state,
                        ui,
                        &response,
                        (clock.clip, marker.time, passing.rate),
                        actions,
                    );
                }
            }
        }
    }

    fn drag_marker(
        &self,
        state: &mut MixerState,
        ui: &Ui,
        response: &egui::Response,
        of: (ClipId, f32, f64),
        actions: &mut Actions,
    ) {
        if response.hovered() || response.dragged() {
            ui.ctx().set_cursor_icon(CursorIcon::ResizeHorizontal);
        }
        let (lane, bar) = self.at;
        if response.drag_started_by(PointerButton::Primary)
            && let Some(at) = ui.input(|i| i.pointer.press_origin())
        {
            let (from, at) = (self.mix.clone(), self.axis.time(at.x));
            state.drag = Some(Drag { lane, bar, grip: Grip::Whole, from, at, marker: Some(of) });
        }
        let Some((at, (clip, time, rate))) =
            state.drag.as_ref().and_then(|d| Some((d.at, d.marker?)))
        else {
            return;
        };
        if response.dragged()
            && let Some(pointer) = response.interact_pointer_pos()
        {
            let to = (f64::from(time) + (self.axis.time(pointer.x) - at) * rate).max(0.0);
            let (time, to) = (Seconds(time), Seconds(to as f32));
            let command = MoveMarker { clip: ClipName::Id(clip), time, to };
            actions.push(Action::Preview {
                label: "Move marker".to_owned(),
                commands: vec![command.into()],
            });
        }
        if response.drag_stopped() {
            state.drag = None;
            actions.push(Action::Commit);
        }
    }

    fn interact(&self, state: &mut MixerState, ui: &Ui, actions: &mut Actions) {
        let ((lane, b), seen, rect, axis) = (self.at, self.seen, self.rect, self.axis);
        let bar = self.bar();
        let name = format!("Bar {}", bar_text(self.document, bar));
        let whole =
            ui.interact(seen, ui.scope_id().with(("bar", lane, b)), Sense::click_and_drag());
        name_widget(ui, &whole, &name);
        let mut parts = vec![(whole.clone(), Grip::Whole)];
        let mut part = |at: Rect, grip: Grip, word: &str| {
            let response =
                ui.interact(at.intersect(seen), ui.scope_id().with((word, lane, b)), Sense::drag());
            response.widget_info(|| {
                WidgetInfo::labeled(Role::Slider, true, format!("{word} of {name}"))
            });
            parts.push((response, grip));
        };
        // Only the selected, dragged or hovered bar has grips at its ends.
        let held = state.drag.as_ref().is_some_and(|d| (d.lane, d.bar) == (lane, b));
        if self.chosen || held || ui.rect_contains_pointer(seen) {
            part(
                Rect::from_x_y_ranges(rect.left()..=rect.left() + ENDS, rect.y_range()),
                Grip::Start,
                "Start",
            );
            part(
                Rect::from_x_y_ranges(rect.right() - ENDS..=rect.right(), rect.y_range()),
                Grip::End,
                "End",
            );
        }
        if self.chosen {
            let [comes, goes] = squares(bar, rect, axis);
            part(
                Rect::from_center_size(comes, vec2(SQUARE + 4.0, SQUARE + 4.0)),
                Grip::FadeIn,
                "Fade in",
            );
            part(
                Rect::from_center_size(goes, vec2(SQUARE + 4.0, SQUARE + 4.0)),
                Grip::FadeOut,
                "Fade out",
            );
        }
        for (response, grip) in &parts {
            if response.hovered() || response.dragged() {
                ui.ctx().set_cursor_icon(if *grip == Grip::Whole {
                    CursorIcon::Grab
                } else {
                    CursorIcon::ResizeHorizontal
                });
            }
            if response.drag_started_by(PointerButton::Primary)
                && let Some(at) = ui.input(|i| i.pointer.press_origin())
            {
                actions.push(TimelineAction::ChooseBar(Some((lane, b))));
                let copies = *grip == Grip::Whole && ui.input(|i| i.modifiers.alt);
                let taken = if copies { Grip::Copy } else { *grip };
                let (from, at) = (self.mix.clone(), axis.time(at.x));
                state.drag = Some(Drag { lane, bar: b, grip: taken, from, at, marker: None });
            }
            let its = |d: &Drag| match d.grip {
                _ if d.marker.is_some() => false,
                Grip::Copy => *grip == Grip::Whole,
                other => other == *grip,
            };
            let taken = state.drag.clone().filter(|d| (d.lane, d.bar) == (lane, b) && its(d));
            let Some(drag) = taken else { continue };
            if response.dragged()
                && let Some(at) = response.interact_pointer_pos()
            {
                let modifiers = ui.input(|i| i.modifiers);
                let on = match () {
                    () if modifiers.command => On::Things(self.things(state, &drag)),
                    () if modifiers.shift => On::Nothing,
                    () => On::Frames(self.view.timeline.playback.fps),
                };
                let made = dragged(&drag, axis.time(at.x) - drag.at, &on, NEAR / axis.scale());
                preview("Move a bar", made, actions);
            }
            if response.drag_stopped() {
                state.drag = None;
                actions.push(Action::Commit);
            }
        }
        if whole.clicked() {
            actions.push(TimelineAction::ChooseBar(Some((lane, b))));
        }
        if opens_menu(&whole) && !self.chosen {
            actions.push(TimelineAction::ChooseBar(Some((lane, b))));
        }
        context_menu(&whole, Some(seen), self.view, actions, |rows| {
            bar_rows(rows, self.document, (self.mix, lane, b));
        });
    }

    /// Times that a bar dragged with Ctrl snaps to: ends and markers of other bars, and the
    /// playhead.
    fn things(&self, state: &mut MixerState, drag: &Drag) -> Vec<f64> {
        let mut times = vec![0.0, self.view.timeline.playback.time];
        for (l, lane) in drag.from.lanes.iter().enumerate() {
            for (b, bar) in
                lane.bars.iter().enumerate().filter(|(b, _)| (l, *b) != (drag.lane, drag.bar))
            {
                times.extend([bar.start, bar.end()]);
                let clock = state.mixer.clock(self.document, &drag.from, (l, b));
                let marked =
                    clock.and_then(|c| Some((self.document.clips.get(c.clip)?.markers.clone(), c)));
                if let Some((markers, clock)) = marked {
                    times.extend(
                        markers
                            .iter()
                            .flat_map(|m| clock.passings(f64::from(m.time)))
                            .map(|p| p.time),
                    );
                }
            }
        }
        times
    }
}

/// Snap targets of a dragged time.
enum On {
    Frames(f64),
    Things(Vec<f64>),
    Nothing,
}

impl On {
    fn place(&self, time: f64, near: f64) -> f64 {
        match self {
            Self::Frames(fps) => (time * fps).round() / fps,
            Self::Things(list) => {
                let nearest = list
                    .iter()
                    .copied()
                    .min_by(|a, b| (a - time).abs().total_cmp(&(b - time).abs()));
                nearest.filter(|t| (t - time).abs() <= near).unwrap_or(time)
            }
            Self::Nothing => time,
        }
    }
}

/// Returns the mix with the dragged change. `by` is the drag distance and `near` the snap distance,
/// in seconds.
fn dragged(drag: &Drag, by: f64, on: &On, near: f64) -> Mix {
    let mut mix = (*drag.from).clone();
    let bar = &mut mix.lanes[drag.lane].bars[drag.bar];
    let on = |time: f64| on.place(time, near);
    match drag.grip {
        Grip::Whole => {
            // Snap the end of the bar that is nearer to a snap time.
            let (start, end) = (bar.start + by, bar.end() + by);
            let (a, b) = (on(start) - start, on(end) - end);
            let by = if a == 0.0 || (b != 0.0 && b.abs() < a.abs()) { b } else { a };
            bar.start = (start + by).max(0.0);
        }
        Grip::Copy => {
            let copy = MixBar { start: on(bar.start + by).max(0.0), ..bar.clone() };
            mix.lanes[drag.lane].bars.push(copy);
        }
        Grip::Start => {
            // Trim the start without moving the clip in time.
            let start = on(bar.start + by).clamp(0.0, bar.end() - SHORTEST);
            bar.offset += (start - bar.start) * bar.speed;
            bar.length -= start - bar.start;
            bar.start = start;
        }
        Grip::End => bar.length = (on(bar.end() + by) - bar.start).max(SHORTEST),
        Grip::FadeIn => bar.fade_in = on(bar.fade_in + by).clamp(0.0, bar.length),
        Grip::FadeOut => bar.fade_out = on(bar.fade_out - by).clamp(0.0, bar.length),
    }
    mix
}

/// Adds menu rows for a bar.
fn bar_rows(
    rows: &mut MenuRows<'_>,
    document: &Document,
    (mix, lane, b): (&Shared<Mix>, usize, usize),
) {
    let view = rows.view;
    let bar = &mix.lanes[lane].bars[b];
    rows.header(&bar_text(document, bar), &format!("{:.2} s, {:.1}×", bar.length, bar.speed));
    let parted = mix.cut((lane, b), view.timeline.playback.time);
    let away = "The playhead is outside the bar or inside a fade";
    let cut = Row::new("Cut at the playhead").icon(icons::ICON_CONTENT_CUT.codepoint);
    if rows.row(cut.unless(parted.is_none().then_some(away)))
        && let Some(parted) = parted
    {
        set(parted, rows.actions);
    }
    let copy = Row::new("Duplicate").icon(icons::ICON_CONTENT_COPY.codepoint);
    if rows.row(copy.help("Alt and a drag copy the bar, too")) {
        let mut copied = (**mix).clone();
        copied.lanes[lane].bars.push(MixBar { start: bar.end(), ..bar.clone() });
        set(copied, rows.actions);
    }
    if let Plays::Clip(id) = bar.plays
        && document.clips.contains(id)
    {
        rows.separator();
        let show = Row::new("Edit the keys of the clip").icon(icons::ICON_MOVIE.codepoint);
        rows.act(show, || TimelineAction::ShowClip(id));
        let find = Row::new("Mark footsteps").icon(icons::ICON_FOOTPRINT.codepoint);
        rows.run(find.help("Adds markers L and R to the clip at its footsteps"), || {
            MarkFootfalls { clip: ClipName::Id(id) }.into()
        });
    }
    rows.separator();
    let remove = Row::new("Remove").icon(icons::ICON_DELETE.codepoint);
    if rows.row(remove.key_of(view, DeleteKeys::spec())) {
        set(mix.without_bar((lane, b)), rows.actions);
        rows.actions.push(TimelineAction::ChooseBar(None));
    }
}
