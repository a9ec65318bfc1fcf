//! Retime handles on the ruler above the selected keys. A drag stretches the times on both sides of
//! a handle, up to the neighboring handles.

use egui::{CursorIcon, PointerButton, Rect, Role, Sense, Ui, WidgetInfo, pos2, vec2};

use super::{
    super::{
        domain::{SelectHow, TimelineAction},
        sheet_layout::Sheet,
    },
    frame::Graph,
    readout::readout,
    snapping::{Goes, Pull, Typed, pointer},
};
use crate::ui::{Action, Actions};
use ulna_edit::{
    Command, KeysHome,
    command::{
        WarpKeys, WhichKeys,
        field::{ClipName, Numbers},
    },
};
use ulna_model::KeySet;
use ulna_render::ColorRole;

/// Retime handles between the first and the last selected key.
#[derive(Clone, Debug, Default)]
pub struct RetimeBar {
    /// Times of the inner handles in seconds, sorted.
    inner: Vec<f64>,
}

impl RetimeBar {
    /// Times of all handles for these keys; empty if all keys are at one time.
    fn handles(&mut self, keys: &KeySet) -> Vec<f64> {
        let Some((first, last)) = keys.span().filter(|(first, last)| last > first) else {
            self.inner.clear();
            return Vec::new();
        };
        let (first, last) = (f64::from(first), f64::from(last));
        self.inner.retain(|t| *t > first && *t < last);
        let ends = |t| std::iter::once(t);
        ends(first).chain(self.inner.iter().copied()).chain(ends(last)).collect()
    }

    /// Stores the inner handles of a finished drag.
    pub fn moved(&mut self, drag: &RetimeDrag) {
        let inner = drag.to.get(1..drag.to.len().saturating_sub(1));
        self.inner = inner.map_or_else(Vec::new, <[f64]>::to_vec);
    }
}

/// Drag of a retime handle.
#[derive(Clone, Debug)]
pub struct RetimeDrag {
    home: KeysHome,
    keys: KeySet,
    /// Times of all handles before the drag (`from`) and now (`to`), in seconds.
    from: Vec<f64>,
    to: Vec<f64>,
    /// Index of the dragged handle.
    held: usize,
    pull: Pull,
    typed: Typed,
}

impl RetimeDrag {
    /// Updates the drag from pointer and keyboard, and previews changes.
    pub fn go_on(&mut self, ui: &Ui, graph: &Graph<'_>, actions: &mut Actions) -> Goes {
        let goes = self.typed.take(ui, false, |_| {});
        if goes == Goes::GivenUp {
            actions.push(Action::Cancel);
            graph.select(self.keys.clone(), SelectHow::Only, actions);
            return goes;
        }
        let (at, modifiers) = pointer(ui);
        if let Some(at) = at {
            self.pull.go_on(at, egui::Modifiers::NONE);
        }
        let fps = graph.view.timeline.playback.fps;
        let was = self.from[self.held];
        let wanted = match self.typed.number() {
            Some(frames) => frames.map(|f| was + f / fps),
            None => {
                let to = was + f64::from(self.pull.gone.x) / graph.layout.axis.scale();
                Some(if modifiers.shift { to } else { (to * fps).round() / fps })
            }
        };
        if let Some(time) = wanted.map(|t| self.between_others(t, 1.0 / fps))
            && (time - self.to[self.held]).abs() > 1e-9
        {
            self.to[self.held] = time;
            let label = "Retime keys".to_owned();
            actions.push(Action::Preview { label, commands: vec![self.command()] });
        }
        if let Some(at) = at {
            let said = format!("frame {:.2} → {:.2}", was * fps, self.to[self.held] * fps);
            readout(ui, graph.view.theme, at, &said.replace(".00", ""));
        }
        ui.ctx().set_cursor_icon(CursorIcon::ResizeHorizontal);
        if goes == Goes::Kept {
            actions.push(Action::Commit);
        }
        goes
    }

    /// Clamps a time between the neighboring handles, and to at least 0.
    fn between_others(&self, time: f64, step: f64) -> f64 {
        let gap = step * 0.5;
        let low = match self.held.checked_sub(1) {
            Some(before) => self.to[before] + gap,
            None => 0.0,
        };
        let high = self.to.get(self.held + 1).map_or(f64::MAX, |after| after - gap);
        time.clamp(low.min(high), high)
    }

    fn command(&self) -> Command {
        let which = WhichKeys::these(self.home.clip, self.keys.clone().whole());
        WarpKeys {
            clip: ClipName::Id(self.home.clip),
            from: Numbers(self.from.clone()),
            to: Numbers(self.to.clone()),
            node: None,
            parts: None,
            keys: which.keys,
        }
        .into()
    }
}

/// Draws the retime bar with its handles at the bottom of the ruler. Returns a drag if one starts.
pub fn retime_ui(
    bar: &mut RetimeBar,
    ui: &Ui,
    sheet: &Sheet<'_>,
    (ruler, under_way): (Rect, Option<&RetimeDrag>),
    actions: &mut Actions,
) -> Option<RetimeDrag> {
    /// Size of the bar and of a handle, in points.
    const HEIGHT: f32 = 5.0;
    const HANDLE: egui::Vec2 = vec2(11.0, 13.0);
    let handles = match under_way {
        Some(drag) => drag.to.clone(),
        None => bar.handles(sheet.keys()),
    };
    let (first, last) = (*handles.first()?, *handles.last()?);
    let (axis, fps) = (&sheet.axis, sheet.view.timeline.playback.fps);
    let painter = ui.painter_at(ruler);
    let color = sheet.view.theme.color(ColorRole::SelectionBase);
    let foot = ruler.bottom() - 1.0;
    let line = Rect::from_x_y_ranges(axis.x(first)..=axis.x(last), foot - HEIGHT..=foot);
    painter.rect_filled(line, 2.0, color.gamma_multiply(0.45));
    let area = line.intersect(ruler);
    if area.is_positive() && under_way.is_none() {
        let response = ui.interact(area, ui.scope_id().with("retime bar"), Sense::click());
        let about = "Retime bar: double-click to add a handle";
        response.widget_info(|| WidgetInfo::labeled(Role::Slider, true, about));
        let at = response.interact_pointer_pos();
        if let Some(at) = at.filter(|_| response.double_clicked()) {
            let time = (axis.time(at.x) * fps).round() / fps;
            bar.inner.push(time);
            bar.inner.sort_by(f64::total_cmp);
            bar.inner.dedup();
        } else if let Some(at) = at.filter(|_| response.clicked()) {
            let time = (axis.time(at.x).max(0.0) * fps).round() / fps;
            actions.push(TimelineAction::Seek(time));
        }
        response.on_hover_text(about);
    }
    let mut begun = None;
    let (count, mut gone) = (handles.len(), None);
    for (k, time) in handles.iter().enumerate() {
        let at = pos2(axis.x(*time), foot - HANDLE.y * 0.5);
        if !ruler.x_range().contains(at.x) {
            continue;
        }
        let name = match k {
            0 => "Retime handle at the first selected key".to_owned(),
            k if k + 1 == count => "Retime handle at the last selected key".to_owned(),
            _ => format!("Retime handle at frame {:.0}", time * fps),
        };
        let area = Rect::from_center_size(at, HANDLE);
        let id = ui.scope_id().with(("retime handle", k));
        let response = ui.interact(area, id, Sense::click_and_drag());
        response.widget_info(|| WidgetInfo::labeled(Role::Slider, true, &name));
        let lit = response.hovered() || under_way.is_some_and(|drag| drag.held == k);
        let shown = Rect::from_center_size(at, vec2(if lit { 6.0 } else { 4.0 }, HANDLE.y - 2.0));
        painter.rect_filled(shown, 2.0, color);
        if lit {
            ui.ctx().set_cursor_icon(CursorIcon::ResizeHorizontal);
        }
        let is_inner = k > 0 && k + 1 < count;
        if is_inner && response.double_clicked() {
            gone = Some(*time);
        }
        let origin = ui.input(|i| i.pointer.press_origin());
        if let Some(at) = origin.filter(|_| response.drag_started_by(PointerButton::Primary)) {
            begun = Some(RetimeDrag {
                home: sheet.home(),
                keys: sheet.keys().clone(),
                from: handles.clone(),
                to: handles.clone(),
                held: k,
                pull: Pull::from(at),
                typed: Typed::default(),
            });
        }
        let about = if is_inner { "double-click to remove it" } else { "drag to stretch the keys" };
        response.on_hover_text(format!("{name}: {about}"));
    }
    bar.inner.retain(|t| Some(*t) != gone);
    begun
}
