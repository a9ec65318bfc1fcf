//! Contact bars of the *Retarget* page: drawing, dragging, adding and removing.

use std::sync::Arc;

use egui::{
    Align2, CursorIcon, PointerButton, Rect, Response, Role, Sense, Ui, WidgetInfo, pos2, vec2,
};

use super::{
    ContactRef, FootResult, RetargetDraft, RetargetResult,
    contacts::{added, current, moved},
    parts::{MOST_SLIDE, centimeters},
};
use crate::ui::{
    Theme,
    contact_bars::{BarLook, ContactGrip, END, contact_spans, dragged_span, paint_bar},
    theme::Font,
    timeline::TimeAxis,
    widgets::elided,
};
use ulna_model::{Goal, NodeId};
use ulna_render::ColorRole;

pub(super) use super::contacts::remove;

/// Height of a bar, in points.
const BAR: f32 = 16.0;
/// Minimum width in points of a bar that shows its foot sliding.
const WORDS: f32 = 90.0;

/// State of a drag of a contact bar.
#[derive(Clone, Debug, Default)]
pub(super) struct BarsState {
    drag: Option<BarDrag>,
}

#[derive(Clone, Debug)]
struct BarDrag {
    foot: NodeId,
    grip: ContactGrip,
    /// Start and end of the bar before the drag, in seconds.
    bar: [f32; 2],
    /// Contacts before the drag.
    goals: Arc<[Goal]>,
    /// Time in seconds under the pointer at the press.
    pressed: f32,
}

/// Position and time axis of a row of bars.
#[derive(Clone, Copy)]
pub(super) struct BarsRow<'a> {
    pub theme: &'a Theme,
    pub axis: &'a TimeAxis,
    pub rect: Rect,
    pub fps: f64,
    pub length: f32,
}

/// Draws the contacts of a foot.
pub(super) fn bars_ui(
    state: &mut BarsState,
    ui: &Ui,
    row: BarsRow<'_>,
    (result, foot): (&RetargetResult, &FootResult),
    now: &mut RetargetDraft,
) {
    let goals = current(now, result);
    let empty = ui.interact(row.rect, ui.scope_id().with(("row", foot.chain)), Sense::click());
    empty.widget_info(|| {
        WidgetInfo::labeled(Role::Group, true, format!("Contacts of {}", foot.name))
    });
    let empty = empty.on_hover_text("Double-click adds a contact");
    let list = contact_spans(&goals, foot.source);
    for bar in &list {
        bar_ui(state, ui, row, foot, (*bar, &goals), now);
    }
    let at = empty.interact_pointer_pos().map(|at| row.axis.time(at.x) as f32);
    if let Some(time) = at.filter(|_| empty.double_clicked()) {
        let end = (foot.source, foot.is_hand);
        let more = added(&goals, end, time.clamp(0.0, row.length), row.length);
        let made =
            contact_spans(&more, foot.source).into_iter().find(|b| (b[0]..=b[1]).contains(&time));
        now.contact = made.map(|b| ContactRef { foot: foot.source, from: b[0] });
        now.contacts.insert(now.shown, more.into());
        now.chain = Some(foot.chain);
    }
    if !ui.input(|i| i.pointer.any_down()) {
        state.drag = None;
    }
}

fn bar_ui(
    state: &mut BarsState,
    ui: &Ui,
    row: BarsRow<'_>,
    foot: &FootResult,
    (bar, goals): ([f32; 2], &Arc<[Goal]>),
    now: &mut RetargetDraft,
) {
    let BarsRow { axis, rect, fps, .. } = row;
    let [left, right] = bar.map(|t| axis.x(f64::from(t)));
    let place = Rect::from_center_size(
        pos2((left + right) * 0.5, rect.center().y),
        vec2((right - left).max(4.0), BAR),
    );
    let frame = |t: f32| (f64::from(t) * fps).round();
    let measured = measured(foot, bar);
    let follows = measured.and_then(|m| m.follows.as_deref());
    let mut words = format!("{}, frames {} to {}", foot.name, frame(bar[0]), frame(bar[1]));
    if let Some(node) = follows {
        words.push_str(&format!(", follows {node}"));
    }
    let is_chosen =
        now.contact.is_some_and(|c| c.foot == foot.source && (c.from - bar[0]).abs() < 1e-3);
    // The widget's id uses the index of the bar, because the start changes during a drag.
    let number = contact_spans(goals, foot.source).iter().position(|b| b[0] == bar[0]).unwrap_or(0);
    let id = |part: u8| ui.scope_id().with(("contact", foot.chain, number, part));
    let body = ui.interact(place, id(0), Sense::click_and_drag());
    body.widget_info(|| {
        WidgetInfo::selected(Role::Button, true, is_chosen, format!("Contact of {words}"))
    });
    let slide = measured.and_then(|m| m.slide);
    let body = body.on_hover_cursor(CursorIcon::Grab);
    let end = |x: f32, part: u8, name: &str| {
        let place = Rect::from_center_size(pos2(x, rect.center().y), vec2(END, BAR + 4.0));
        let response = ui.interact(place, id(part), Sense::drag());
        response.widget_info(|| {
            WidgetInfo::labeled(Role::Slider, true, format!("{name} of contact of {words}"))
        });
        response.on_hover_cursor(CursorIcon::ResizeHorizontal)
    };
    let ends = [end(left, 1, "Start"), end(right, 2, "End")];
    let hovers = body.hovered() || ends.iter().any(Response::hovered);
    paint(ui, row, place, (slide, follows), (is_chosen, hovers));
    for (grip, response) in
        [(ContactGrip::Start, &ends[0]), (ContactGrip::Body, &body), (ContactGrip::End, &ends[1])]
    {
        if response.drag_started_by(PointerButton::Primary)
            && let Some(at) = response.interact_pointer_pos()
        {
            let (pressed, goals) = (axis.time(at.x) as f32, Arc::clone(goals));
            state.drag = Some(BarDrag { foot: foot.source, grip, bar, goals, pressed });
        }
        if response.clicked() || response.drag_started() {
            now.contact = Some(ContactRef { foot: foot.source, from: bar[0] });
            now.chain = Some(foot.chain);
        }
        if response.dragged()
            && let Some(at) = response.interact_pointer_pos()
        {
            drag(state, ui, row, at.x, now);
        }
    }
    if let Some([before, after]) = slide {
        let mut text = format!("Slides {} → {}", centimeters(before), centimeters(after));
        if let Some(node) = follows {
            text.push_str(&format!("\nFollows {node}"));
        }
        body.on_hover_text(text);
    }
}

/// Moves the dragged bar to the pointer. The bar snaps to whole frames unless Shift is held.
fn drag(state: &BarsState, ui: &Ui, row: BarsRow<'_>, x: f32, now: &mut RetargetDraft) {
    let Some(held) = &state.drag else { return };
    let free = ui.input(|i| i.modifiers.shift);
    let snapped = |t: f32| {
        let t = f64::from(t);
        if free { t as f32 } else { ((t * row.fps).round() / row.fps) as f32 }
    };
    let by = row.axis.time(x) as f32 - held.pressed;
    let others = contact_spans(&held.goals, held.foot);
    let frame = (1.0 / row.fps) as f32;
    let limits = (by, row.length, frame);
    let [start, end] = dragged_span(held.grip, held.bar, &others, limits, snapped);
    let made = moved(&held.goals, held.foot, held.bar, [start, end]);
    now.contact = Some(ContactRef { foot: held.foot, from: start });
    now.contacts.insert(now.shown, made.into());
}

/// The measured contact that overlaps a bar most.
fn measured(foot: &FootResult, [from, to]: [f32; 2]) -> Option<&super::ContactBar> {
    let overlap = |c: &&super::ContactBar| c.to.min(to) - c.from.max(from);
    let nearest = foot.contacts.iter().max_by(|a, b| overlap(a).total_cmp(&overlap(b)))?;
    (overlap(&nearest) > 0.0).then_some(nearest)
}

fn paint(
    ui: &Ui,
    row: BarsRow<'_>,
    place: Rect,
    (slide, follows): (Option<[f32; 2]>, Option<&str>),
    (is_chosen, hovers): (bool, bool),
) {
    let theme = row.theme;
    let slides = slide.is_some_and(|s| s[1] > MOST_SLIDE);
    let painter = ui.painter_at(row.rect.expand2(vec2(END, 0.0)));
    paint_bar(&painter, theme, place, BarLook { is_selected: is_chosen, slides, hovers });
    let Some([before, after]) = slide.filter(|_| place.width() >= WORDS) else { return };
    let cm = |m: f32| format!("{:.1}", m * 100.0);
    let text = format!("{} → {}\u{2009}cm", cm(before), cm(after));
    let role = if is_chosen { ColorRole::SelectionText } else { ColorRole::TextSecondary };
    let (at, font) = (place.center(), Theme::font(Font::NumberSmall));
    let drawn = painter.text(at, Align2::CENTER_CENTER, text, font, theme.color(role));
    if let Some(node) = follows {
        let small = Theme::font(Font::Small);
        let room = drawn.left() - place.left() - 2.0 * END;
        let node = elided(ui, node, &small, room);
        let at = pos2(place.left() + END, at.y);
        if room > WORDS {
            painter.text(at, Align2::LEFT_CENTER, node, small, theme.color(ColorRole::TextPrimary));
        }
    }
}
