//! Clicks and drags on the sheet's keys: selection, moving and scaling.

use egui::{PointerButton, Pos2, Rect, Role, Sense, Stroke, Ui, WidgetInfo, vec2};

use super::{
    domain::{SelectHow, TimelineAction},
    gesture::{Goes, KeyGesture, Retime, Retiming},
    menus,
    rows::Row,
    sheet_layout::Sheet,
    state::TimelineState,
};
use crate::ui::{Actions, OutlinerAction, Pane, Theme, popups::keyboard, theme::Font};
use ulna_edit::Preset;
use ulna_model::KeySet;
use ulna_render::ColorRole;

impl Sheet<'_> {
    /// Handles clicks and drags on keys, on the selection box, and on the background.
    pub(super) fn keys_ui(&self, state: &mut TimelineState, ui: &Ui, actions: &mut Actions) {
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
        if response.secondary_clicked() {
            let at = response.interact_pointer_pos();
            let in_box =
                at.zip(self.selection_box(state)).is_some_and(|(at, (area, ..))| area.contains(at));
            let hit = at.and_then(|at| self.hit(state, at));
            // A right click in the selection box applies to the selected keys.
            state.menu_on_key = hit.is_some() || in_box;
            if let Some(hit) = hit.filter(|hit| !self.is_selected(hit)) {
                self.select(hit.keys, SelectHow::Only, actions);
            }
        }
        // By key, the menu applies to the selected keys, too.
        state.menu_on_key |= keyboard::asks_panel(&response.ctx, Pane::Timeline, None);
        if response.double_clicked()
            && let Some(hit) = response.interact_pointer_pos().and_then(|at| self.hit(state, at))
        {
            actions.push(TimelineAction::Seek(f64::from(hit.time)));
        }
        // Maya: the middle button moves the selected keys, and pans the view with Alt.
        let moves_keys = self.view.settings.keys.preset() == Preset::Maya && !now.alt;
        if let Some(at) = origin.filter(|_| moves_keys)
            && response.drag_started_by(PointerButton::Middle)
        {
            self.begin_middle_drag(state, at);
        } else if response.dragged_by(PointerButton::Middle) && !moves_keys {
            state.time.shift(-f64::from(response.drag_delta().x) / self.axis.scale());
            state.scroll -= response.drag_delta().y;
        }
        if let Some(at) = origin.filter(|_| response.drag_started_by(PointerButton::Primary)) {
            self.begin_drag(state, at, modifiers, actions);
        }
        // Ctrl with the secondary button draws a lasso, as in Blender.
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

    /// Handles a click on a diamond or on the background.
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

    /// Starts a drag of a grip, of a key, of the selection box, or a new selection.
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
        if std::mem::take(&mut state.boxes) {
            state.gesture = KeyGesture::Box(self.spot(state, at));
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
            // The first key in the box snaps to frames.
            let first = self.keys().span().map_or(time, |(first, _)| f64::from(first));
            state.begin(Retiming::new(self.view, selected(), kind, first, time, false));
            return;
        }
        let spot = self.spot(state, at);
        state.gesture =
            if modifiers.alt { KeyGesture::Lasso(vec![spot]) } else { KeyGesture::Box(spot) };
    }

    /// Starts to move the selected keys with the middle button, from any position.
    fn begin_middle_drag(&self, state: &mut TimelineState, at: Pos2) {
        let keys = self.keys().clone();
        let Some((first, _)) = keys.span() else { return };
        let time = self.axis.time(at.x);
        let moved =
            Retiming::new(self.view, (self.id, keys), Retime::Move, f64::from(first), time, false);
        state.begin(moved.map(|moved| moved.held_by(PointerButton::Middle)));
    }

    /// Starts an operation that a shortcut requested, at the pointer.
    pub(super) fn begin_modal(&self, state: &mut TimelineState, ui: &Ui) {
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
        // Scaling moves the end of the selection that is farther from the fixed time.
        state.begin(Retiming::new(self.view, keys, kind, grabbed, from, true));
    }

    /// Continues and draws the current drag.
    pub(super) fn gesture_ui(&self, state: &mut TimelineState, ui: &Ui, actions: &mut Actions) {
        if self.body.is_positive()
            && !matches!(state.gesture, KeyGesture::Box(_) | KeyGesture::Lasso(_))
        {
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
                    self.follow_pointer(&mut state.time, ui);
                    state.gesture = KeyGesture::Keys(gesture);
                } else {
                    state.swallow = ui.input(|i| i.pointer.any_down());
                }
            }
        }
    }

    /// Draws the box around the selected keys, and its grips.
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

    /// Draws text about the effect of a move beside the pointer.
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

/// Modifiers at the press of the primary button in this frame. They determine the kind of drag
/// until the release.
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
