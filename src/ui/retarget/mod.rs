//! The *Retarget* page: transfers clips of another body to this one with a table of joint chains.
//! The page replaces the panels while it is open.

mod action;
mod bars;
mod chain_choices;
mod chain_columns;
mod chain_texts;
mod chains;
mod clips;
mod contacts;
mod draft;
mod feet;
mod joints;
mod message;
mod mirror;
mod panel;
mod parts;
mod plots;
mod rests;
mod timeline;
mod transport;
mod views;

pub use self::{
    action::RetargetAction,
    draft::{
        BodyFacts, BodyScene, ClipFacts, ContactBar, ContactRef, ContactRing, FootResult,
        JointFacts, RetargetDraft, RetargetResult, RetargetSummary, RetargetView, SOURCE, TARGET,
        chain_color,
    },
};

use egui::{Align, Key, Layout, Modifiers, Rect, Sense, Ui, UiBuilder, Vec2, pos2};

use super::{Actions, View};
use ulna_render::{ColorRole, Measure};

/// State of the page that no other part of the window needs.
#[derive(Clone, Debug, Default)]
pub struct RetargetState {
    bars: bars::BarsState,
    chains: chains::ChainsState,
    /// True if a text field had the focus in the last frame. Escape then ends typing.
    is_typing: bool,
}

/// Height in points of the area with the buttons at the lower right of the page.
pub(super) const PAGE_FOOT: f32 = panel::FOOT;
/// Gap between panels, in points.
const GAP: f32 = 1.0;

/// Rectangles of the parts of the page.
struct PageLayout {
    clips: Rect,
    views: [Rect; 2],
    timeline: Rect,
    panel: Rect,
}

impl PageLayout {
    fn of(rect: Rect) -> Self {
        let panel = (rect.width() * 0.38).clamp(440.0, 484.0);
        let clips = (rect.width() * 0.16).clamp(190.0, 256.0);
        let below = (rect.height() * 0.345).clamp(214.0, 330.0);
        let right = rect.right() - panel;
        let top = rect.bottom() - below;
        let left = rect.left() + clips;
        let middle = ((left + right - GAP) * 0.5).round();
        let view =
            |from: f32, to: f32| Rect::from_min_max(pos2(from, rect.top()), pos2(to, top - GAP));
        Self {
            clips: Rect::from_min_max(rect.min, pos2(left - GAP, top - GAP)),
            views: [view(left, middle), view(middle + GAP, right - GAP)],
            timeline: Rect::from_min_max(pos2(rect.left(), top), pos2(right - GAP, rect.bottom())),
            panel: rect.with_min_x(right),
        }
    }

    /// Width in points of the names on the left of the timeline, equal to the width of the clips
    /// above.
    fn names(&self) -> f32 {
        self.clips.width() + GAP
    }
}

/// Sizes of both views in points, for a given window size.
pub fn view_sizes(window: Vec2) -> [Vec2; 2] {
    let top = Measure::MenuBar.points() + Measure::Toolbar.points();
    let bottom = window.y - Measure::StatusBar.points();
    let rect = Rect::from_min_max(pos2(0.0, top), pos2(window.x, bottom.max(top + 1.0)));
    PageLayout::of(rect).views.map(|view| view.size().max(Vec2::splat(1.0)))
}

pub fn page_ui(state: &mut RetargetState, ui: &mut Ui, view: &View<'_>, actions: &mut Actions) {
    let Some(page) = view.retarget else { return };
    let theme = view.theme;
    let mut now = page.draft.clone();
    let rect = ui.available_rect_before_wrap();
    ui.allocate_rect(rect, Sense::hover());
    let layout = PageLayout::of(rect);
    ui.painter().rect_filled(rect, 0.0, theme.color(ColorRole::SurfaceWindow));
    for part in [layout.clips, layout.panel, layout.timeline] {
        ui.painter().rect_filled(part, 0.0, theme.color(ColorRole::SurfacePanel));
    }
    if !state.is_typing {
        keys(ui, view, page, &mut now, actions);
    }
    inside(ui, "source", layout.clips, |ui| clips::clips_ui(ui, theme, page, &mut now, actions));
    for (body, place) in layout.views.into_iter().enumerate() {
        inside(ui, ("view", body), place, |ui| {
            views::view_ui(ui, theme, page, &mut now, body, place, actions);
        });
    }
    inside(ui, "timeline", layout.timeline, |ui| {
        timeline::timeline_ui(
            &mut state.bars,
            ui,
            (theme, page),
            &mut now,
            (layout.timeline, layout.names()),
            actions,
        );
    });
    inside(ui, "panel", layout.panel, |ui| {
        panel::panel_ui(&mut state.chains, ui, (view, page), &mut now, layout.panel, actions);
    });
    state.is_typing = ui.ctx().text_edit_focused();
    if now != *page.draft {
        actions.push(RetargetAction::Set(Box::new(now)));
    }
}

/// Lays out a part of the page in a rectangle.
fn inside<R>(
    ui: &mut Ui,
    salt: impl egui::AsIdSalt,
    rect: Rect,
    add: impl FnOnce(&mut Ui) -> R,
) -> R {
    let place = UiBuilder::new().max_rect(rect).id_salt(salt).layout(Layout::top_down(Align::Min));
    let mut inner = ui.new_child(place);
    inner.set_clip_rect(rect.intersect(ui.clip_rect()));
    add(&mut inner)
}

/// Handles the keys of the page: playback, the selected contact, and Escape.
fn keys(
    ui: &Ui,
    view: &View<'_>,
    page: RetargetView<'_>,
    now: &mut RetargetDraft,
    actions: &mut Actions,
) {
    let is_busy = ui.memory(|m| m.focused().is_some())
        || view.dialogs.open.is_some()
        || egui::Popup::is_any_open(ui.ctx());
    if is_busy {
        return;
    }
    let pressed = |key| ui.input_mut(|i| i.consume_key(Modifiers::NONE, key));
    if pressed(Key::Space) {
        now.clock.playing = !now.clock.playing;
    }
    if pressed(Key::Delete)
        && let (Some(contact), Some(result)) = (now.contact, page.result)
    {
        bars::remove(now, result, contact);
    }
    let Some(clip) = page.clip() else {
        if pressed(Key::Escape) {
            actions.push(RetargetAction::Close);
        }
        return;
    };
    let (step, length) = (1.0 / clip.fps.max(1.0), f64::from(clip.length));
    let steps = [
        (Key::ArrowRight, step, f64::NAN),
        (Key::ArrowLeft, -step, f64::NAN),
        (Key::Home, 0.0, 0.0),
        (Key::End, 0.0, length),
    ];
    for (key, by, to) in steps {
        if pressed(key) {
            let to = if to.is_nan() { now.clock.time + by } else { to };
            now.clock.playing = false;
            now.clock.time = to.clamp(0.0, length);
        }
    }
    let last = now.takes.len().saturating_sub(1);
    if pressed(Key::ArrowDown) {
        now.shown = (now.shown + 1).min(last);
    }
    if pressed(Key::ArrowUp) {
        now.shown = now.shown.saturating_sub(1);
    }
    if now.shown != page.draft.shown {
        (now.contact, now.clock.time) = (None, 0.0);
    }
    if pressed(Key::Escape) {
        if now.contact.is_some() {
            now.contact = None;
        } else {
            actions.push(RetargetAction::Close);
        }
    }
}
