//! List on the left of the curves: nodes, channels, and one row per curve with its value and
//! controls.

use egui::{Color32, Painter, Rect, Ui, pos2, vec2};
use egui_material_icons::icons;

use super::{
    super::{domain::SelectHow, sheet_layout::Sheet, state::TimelineState},
    conversion::conversion_row,
    list_ends::{FOOT, NOTE, note, note_ui},
    list_menus,
    list_row::{List, SLOT, Slot, eye},
    model::{CurvesModel, ListRow, ListedCurve, Unit},
    state::Fold,
    typed,
};
use crate::ui::{
    Actions, OutlinerAction, Theme, ViewportAction, menu_rows,
    theme::Font,
    widgets::{elided, node_icon, short_number},
};
use ulna_model::{Interpolation, KeySet, KeyTimes, NodeId, Property, Track, TrackId};
use ulna_render::ColorRole;

/// Text of a value in the list and beside curve names.
pub fn number(value: f64, unit: Unit) -> String {
    let text = short_number(value as f32, unit == Unit::Degrees);
    if unit == Unit::Meters { format!("{text} m") } else { text }
}

/// Draws the list in `rect`. The first row stands for all channels.
pub fn list_ui(
    state: &mut TimelineState,
    ui: &mut Ui,
    sheet: &Sheet<'_>,
    model: &CurvesModel,
    rect: Rect,
    actions: &mut Actions,
) {
    let theme = sheet.view.theme;
    ui.painter_at(rect).rect_filled(rect, 0.0, theme.color(ColorRole::SurfacePanel));
    let foot = Rect::from_min_max(pos2(rect.left(), rect.bottom() - FOOT), rect.max);
    let top = rect.top() + sheet.row_height;
    let note = note(sheet, model).filter(|_| rect.height() > 260.0);
    let end = foot.top() - if note.is_some() { NOTE } else { 0.0 };
    let seen = Rect::from_min_max(pos2(rect.left(), top), pos2(rect.right(), end));
    let list = List { sheet, model, seen, painter: ui.painter_at(seen) };
    if seen.is_positive() {
        let first = (state.scroll / sheet.row_height).floor() as usize;
        let count = (seen.height() / sheet.row_height).ceil() as usize + 1;
        let last = (first + count).min(model.rows.len());
        for (k, row) in model.rows[first.min(last)..last].iter().enumerate() {
            let y = top + (first + k) as f32 * sheet.row_height - state.scroll;
            let at =
                Rect::from_min_size(pos2(rect.left(), y), vec2(rect.width(), sheet.row_height));
            list.row_ui(state, ui, row, at, actions);
        }
    }
    let head = Rect::from_min_max(rect.min, pos2(rect.right(), top));
    list.summary_ui(state, ui, head, actions);
    list.foot_ui(state, ui, foot);
    if let Some(note) = note {
        let area = Rect::from_min_max(pos2(rect.left(), end), pos2(rect.right(), foot.top()));
        note_ui(ui, theme, area, &note);
    }
}

impl List<'_> {
    fn row_ui(
        &self,
        state: &mut TimelineState,
        ui: &mut Ui,
        row: &ListRow,
        rect: Rect,
        actions: &mut Actions,
    ) {
        match row {
            ListRow::Node { node, open, curves } => {
                self.node_ui(state, ui, (*node, *open, *curves), rect, actions);
            }
            ListRow::Channel { node, track, open, curves } => {
                let of = ((*node, *track), (*open, *curves));
                self.channel_ui(state, ui, of, rect, actions);
            }
            ListRow::Curve(k) => self.curve_ui(state, ui, *k, rect, actions),
            ListRow::Pointer(k) => {
                let pointers = self.sheet.clip.pointers.get(*k);
                let name = pointers.map_or("", |p| &*p.pointer);
                let font = Theme::font(Font::Small);
                let shown = elided(ui, name, &font, rect.width() - 60.0);
                let color = self.color(ColorRole::TextTertiary).gamma_multiply(0.6);
                self.text(rect, 30.0, &shown, Font::Small, color);
                self.mark(rect, 0.0, icons::ICON_LOCK, color);
            }
        }
    }

    /// Shows all curves of the slice, or hides them if all are shown.
    fn toggle(state: &mut TimelineState, curves: &[ListedCurve]) {
        let on = !curves.iter().all(|c| c.shown);
        let choices = &mut state.curves.choices;
        for curve in curves {
            if !choices.solo.is_empty() {
                if on {
                    choices.solo.insert(curve.of)
                } else {
                    choices.solo.remove(&curve.of)
                };
            }
            choices.eyes.insert(curve.of, on);
        }
    }

    fn node_ui(
        &self,
        state: &mut TimelineState,
        ui: &Ui,
        (node, open, (from, to)): (NodeId, bool, (usize, usize)),
        rect: Rect,
        actions: &mut Actions,
    ) {
        let view = self.sheet.view;
        let Some(document) = view.session.map(|s| s.document()) else { return };
        let label = document.node(node).label(node);
        let selected = view.selection.nodes.contains(&node);
        let name = format!("Curves of {label}");
        let Some(response) = self.ground(ui, rect, ("node", node.0), &name, selected) else {
            return;
        };
        if self.arrow(ui, rect, 14.0, open, &format!("Channels of {label}")) {
            state.curves.choices.folds.insert(Fold::Node(node), !open);
        }
        let (icon, text) = match selected {
            true => (ColorRole::SelectionBase, ColorRole::SelectionText),
            false => (ColorRole::TextSecondary, ColorRole::TextPrimary),
        };
        let at = pos2(rect.left() + 30.0, rect.center().y);
        node_icon(&self.painter, view, document, node, at, self.color(icon));
        let curves = &self.model.listed[from..to];
        let some = curves.iter().any(|c| c.shown);
        let dim = !open && !some;
        let role = if dim { ColorRole::TextTertiary } else { text };
        let shown = elided(ui, &label, &Theme::font(Font::Small), rect.width() - 130.0);
        let right = self.text(rect, 42.0, &shown, Font::Small, self.color(role));
        if !open {
            let count = match curves.len() {
                1 => "1 channel".to_owned(),
                n => format!("{n} channels"),
            };
            let color = self.color(ColorRole::TextTertiary);
            self.text(rect, right + 6.0, &count, Font::Caption, color);
        }
        let near = ui.rect_contains_pointer(rect.intersect(self.seen));
        let icon = eye(some);
        let name = format!("Show curves of {label}");
        let slot = Slot { place: 0.0, name: &name, icon, on: some, always: !open };
        if !curves.is_empty() && (!open || near) && self.slot(ui, rect, near, &slot) {
            Self::toggle(state, curves);
        }
        if state.filter.pinned.contains(&node) {
            self.mark(rect, 1.0, icons::ICON_KEEP, self.color(ColorRole::AccentText));
        }
        menu_rows::context_menu(&response, Some(rect), view, actions, |rows| {
            list_menus::curves_rows(state, rows, (&label, curves), Some(node));
        });
        if response.hovered() {
            actions.push(ViewportAction::Hover(Some(node)));
        }
        if response.clicked() {
            let toggle = ui.input(|i| i.modifiers.command || i.modifiers.shift);
            actions.push(OutlinerAction::Select { node, toggle });
        }
    }

    fn channel_ui(
        &self,
        state: &mut TimelineState,
        ui: &mut Ui,
        ((node, id), (open, (from, to))): ((NodeId, TrackId), (bool, (usize, usize))),
        rect: Rect,
        actions: &mut Actions,
    ) {
        let view = self.sheet.view;
        let Some(document) = view.session.map(|s| s.document()) else { return };
        let curves = &self.model.listed[from..to];
        let Some(first) = curves.first() else { return };
        let label = document.node(node).label(node);
        let title = title(first.track.property);
        let name = format!("{title} of {label}");
        let Some(response) = self.ground(ui, rect, ("channel", id.0), &name, false) else {
            return;
        };
        if self.arrow(ui, rect, 28.0, open, &format!("Components of {name}")) {
            let fold = Fold::Channel(node, first.track.property);
            state.curves.choices.folds.insert(fold, !open);
        }
        let some = curves.iter().any(|c| c.shown);
        let role = if some { ColorRole::TextPrimary } else { ColorRole::TextTertiary };
        let right = self.text(rect, 40.0, title, Font::Small, self.color(role));
        let stored = stored(&first.track);
        if first.track.property == Property::Rotation {
            let place = Rect::from_min_max(
                pos2(rect.left() + right + 3.0, rect.top()),
                pos2(rect.right() - SLOT - 8.0, rect.bottom()),
            );
            list_menus::view_ui(state, ui, self, (node, &label), (first, stored), place);
        } else {
            let color = self.color(ColorRole::TextTertiary);
            self.text(rect, right + 6.0, stored, Font::Caption, color);
        }
        let near = ui.rect_contains_pointer(rect.intersect(self.seen));
        let name = format!("Show {name}");
        let icon = eye(some);
        let slot = Slot { place: 0.0, name: &name, icon, on: some, always: false };
        if near && self.slot(ui, rect, near, &slot) {
            Self::toggle(state, curves);
        }
        let of = format!("{title} of {label}");
        menu_rows::context_menu(&response, Some(rect), view, actions, |rows| {
            list_menus::curves_rows(state, rows, (&of, curves), Some(node));
            rows.separator();
            conversion_row(rows, (self.sheet.id, &all_keys(first)), false);
        });
    }

    fn curve_ui(
        &self,
        state: &mut TimelineState,
        ui: &mut Ui,
        k: usize,
        rect: Rect,
        actions: &mut Actions,
    ) {
        let curve = &self.model.listed[k];
        let name = curve.name.to_string();
        let view = self.sheet.view;
        let selected = curve.node.is_some_and(|n| view.selection.nodes.contains(&n));
        let chosen = selected && curve.shown && self.has_selected_keys(curve);
        let slots = 4.0 * SLOT + 6.0;
        let value = Rect::from_min_size(
            pos2(rect.right() - slots - 58.0, rect.top() + 1.0),
            vec2(58.0, rect.height() - 2.0),
        );
        // The value and the icons handle their own clicks.
        let own = Rect::from_min_max(rect.min, pos2(value.left(), rect.bottom()));
        let response = self.ground(ui, own, ("curve", curve.id), &format!("Curve {name}"), chosen);
        let Some(response) = response else { return };
        let editable = curve.id.track().is_some();
        let share = if editable { 1.0 } else { 0.45 };
        let deep = curve.node.is_some() && curve.track.property != Property::Weights;
        let x = if deep { 50.0 } else { 38.0 };
        let line = curve.color.gamma_multiply(if curve.shown { share } else { share * 0.5 });
        let y = rect.center().y;
        swatch(&self.painter, pos2(rect.left() + x, y), (line, curve.dash));
        let role = if curve.shown { ColorRole::TextPrimary } else { ColorRole::TextTertiary };
        let color = self.color(role).gamma_multiply(share.max(0.7));
        let room = value.left() - rect.left() - x - 26.0;
        let label = elided(ui, &curve.label, &Theme::font(Font::Small), room);
        let right = self.text(rect, x + 23.0, &label, Font::Small, color);
        if curve.track.property == Property::Weights && editable {
            let color = self.color(ColorRole::TextTertiary);
            if right + 40.0 < value.left() - rect.left() {
                self.text(rect, right + 6.0, stored(&curve.track), Font::Caption, color);
            }
        }
        if value.top() >= self.seen.top() - 1.0 && value.bottom() <= self.seen.bottom() + 1.0 {
            let now = self.now(state, curve);
            typed::curve_value_ui(ui, view, curve, (value, &now), actions);
        }
        self.slots(state, ui, curve, rect, editable);
        menu_rows::context_menu(&response, Some(rect), view, actions, |rows| {
            let own = std::slice::from_ref(curve);
            list_menus::curves_rows(state, rows, (&name, own), curve.node);
            rows.separator();
            conversion_row(rows, (self.sheet.id, &all_keys(curve)), false);
        });
        if response.clicked()
            && let Some(id) = curve.id.track()
        {
            let times = KeyTimes::part(&curve.track.times, 0..curve.track.times.len());
            let keys = KeySet::of_component(id, curve.id.component, times);
            self.sheet.select(keys, how(ui), actions);
            if let Some(node) = curve.node.filter(|_| !selected) {
                actions.push(OutlinerAction::Select { node, toggle: false });
            }
        }
    }

    /// Values of a curve's track at the playhead, one per component.
    fn now(&self, state: &mut TimelineState, curve: &ListedCurve) -> Vec<f64> {
        let key = (curve.id.source, super::sources::CurveState::Now);
        let curves = state.curves.cache.of(key, &curve.track, curve.space);
        let time = self.sheet.view.timeline.playback.time;
        (0..curves.components()).map(|k| curves.value(k, time)).collect()
    }

    fn has_selected_keys(&self, curve: &ListedCurve) -> bool {
        let keys = self.sheet.keys();
        let some = |id| !keys.times_of(id, curve.id.component).is_empty();
        curve.id.track().is_some_and(some)
    }

    fn slots(
        &self,
        state: &mut TimelineState,
        ui: &Ui,
        curve: &ListedCurve,
        rect: Rect,
        editable: bool,
    ) {
        let near = ui.rect_contains_pointer(rect.intersect(self.seen));
        let (of, name) = (curve.of, &curve.name);
        let choices = &mut state.curves.choices;
        let flip = |set: &mut std::collections::BTreeSet<_>| {
            if !set.remove(&of) {
                set.insert(of);
            }
        };
        let said = format!("Normalize {name}");
        let on = choices.normalized.contains(&of);
        let slot = Slot { place: 3.0, name: &said, icon: icons::ICON_HEIGHT, on, always: false };
        if self.slot(ui, rect, near, &slot) {
            flip(&mut choices.normalized);
        }
        let said = format!("Solo {name}");
        let on = choices.solo.contains(&of);
        let icon = icons::ICON_HEADPHONES;
        if self.slot(ui, rect, near, &Slot { place: 2.0, name: &said, icon, on, always: false }) {
            flip(&mut choices.solo);
        }
        let said = format!("Lock {name}");
        let on = choices.locked.contains(&of) || !editable;
        let icon = if on { icons::ICON_LOCK } else { icons::ICON_LOCK_OPEN };
        let slot = Slot { place: 1.0, name: &said, icon, on, always: false };
        if self.slot(ui, rect, near, &slot) && editable {
            flip(&mut choices.locked);
        }
        let said = format!("Show {name}");
        let icon = eye(curve.shown);
        let slot = Slot { place: 0.0, name: &said, icon, on: curve.shown, always: true };
        if self.slot(ui, rect, near, &slot) {
            Self::toggle(state, std::slice::from_ref(curve));
        }
    }
}

/// All keys of a curve's track; empty if they cannot be edited here.
fn all_keys(curve: &ListedCurve) -> KeySet {
    let times = KeyTimes::part(&curve.track.times, 0..curve.track.times.len());
    curve.id.track().map(|id| std::iter::once((id, times)).collect()).unwrap_or_default()
}

/// Title of an animated property.
const fn title(property: Property) -> &'static str {
    match property {
        Property::Translation => "Translation",
        Property::Rotation => "Rotation",
        Property::Scale => "Scale",
        Property::Weights => "Morph weights",
    }
}

/// Short name of a track's interpolation, or *constant*.
pub(super) fn stored(track: &Track) -> &'static str {
    match track.interpolation {
        _ if track.times.len() < 2 || !super::model::does_move(track) => "constant",
        Interpolation::Step => "step",
        Interpolation::Linear => "linear",
        Interpolation::CubicSpline => "spline",
    }
}

/// Selection mode of a click with the current modifiers.
fn how(ui: &Ui) -> SelectHow {
    match ui.input(|i| i.modifiers) {
        m if m.shift => SelectHow::Add,
        m if m.command => SelectHow::Toggle,
        _ => SelectHow::Only,
    }
}

/// Draws a short sample of a curve's line.
fn swatch(painter: &Painter, at: egui::Pos2, (color, dash): (Color32, &[f32])) {
    let mut mesh = egui::Mesh::default();
    let feather = painter.pixels_per_point().recip();
    let pen = super::strokes::LineStyle { width: 2.0, color, feather };
    // Shorten the dashes, because the full pattern does not fit.
    let short: Vec<f32> = dash.iter().map(|d| d * 0.6).collect();
    super::strokes::dashed(&mut mesh, &[at, at + vec2(16.0, 0.0)], &short, 0.0, pen);
    painter.add(egui::Shape::mesh(mesh));
}
