//! Selection of a time range on the ruler, in which a node is locked in place. A drag sets the
//! range, and its ends can be dragged.

use egui::{
    Align2, Area, Frame, Id, Key, Margin, Rect, RichText, Role, Sense, Stroke, Ui, WidgetInfo, pos2,
};

use super::axis::TimeAxis;
use crate::ui::{Action, Actions, Theme, View, theme::Font};
use ulna_edit::command::{
    HoldPin,
    field::{ClipName, Nodes, Seconds},
};
use ulna_model::{ClipId, NodeId};
use ulna_render::ColorRole;

/// Node to lock in place, and the chosen time range.
#[derive(Clone, Debug)]
pub struct Hold {
    clip: ClipId,
    node: NodeId,
    from: f32,
    to: f32,
    /// End of the range that stays while the other end is dragged.
    fixed: Option<f32>,
}

impl Hold {
    /// Creates a choice with an initial range, in seconds on the clip's clock.
    pub const fn new(clip: ClipId, node: NodeId, (from, to): (f32, f32)) -> Self {
        Self { clip, node, from, to, fixed: None }
    }

    fn command(&self) -> HoldPin {
        HoldPin {
            node: Nodes::one(self.node),
            clip: ClipName::Id(self.clip),
            from: Some(Seconds(self.from)),
            to: Some(Seconds(self.to)),
            ease: None,
            tolerance: None,
            ground: None,
            between: None,
        }
    }
}

/// Shows the range on the ruler while it is being chosen. Returns whether it is being chosen.
pub(super) fn hold_ui(
    chosen: &mut Option<Hold>,
    ui: &Ui,
    view: &View<'_>,
    axis: &TimeAxis,
    rect: Rect,
    actions: &mut Actions,
) -> bool {
    let (Some(hold), Some(session)) = (chosen.as_mut(), view.session) else { return false };
    let document = session.document();
    if view.shown_clip() != Some(hold.clip) || !document.nodes.contains(hold.node) {
        *chosen = None;
        return false;
    }
    drag_ui(hold, ui, view, axis, rect);
    let color = view.theme.color(ColorRole::AccentBase);
    let x = |t: f32| axis.x(f64::from(t));
    let band = Rect::from_x_y_ranges(x(hold.from)..=x(hold.to), rect.top() + 2.0..=rect.bottom())
        .intersect(rect);
    let painter = ui.painter_at(rect);
    painter.rect_filled(band, 0.0, color.gamma_multiply(0.28));
    for t in [hold.from, hold.to] {
        painter.vline(x(t), rect.y_range(), Stroke::new(2.0, color));
    }
    let name = document.node(hold.node).label(hold.node);
    let at = pos2(
        band.center().x.clamp(rect.left() + 150.0, (rect.right() - 150.0).max(rect.left() + 150.0)),
        rect.top() - 4.0,
    );
    let (mut keeps, mut drops) = bar_ui(hold, ui, view, &name, at);
    let typed = ui.ctx().text_edit_focused();
    let pressed = |key| !typed && ui.input_mut(|i| i.consume_key(egui::Modifiers::NONE, key));
    keeps |= hold.to > hold.from && pressed(Key::Enter);
    drops |= pressed(Key::Escape);
    if keeps {
        actions.push(Action::Run(hold.command().into()));
    }
    if keeps || drops {
        *chosen = None;
    }
    true
}

/// Handles drags over the ruler: a new range, or one end of the current range.
fn drag_ui(hold: &mut Hold, ui: &Ui, view: &View<'_>, axis: &TimeAxis, rect: Rect) {
    /// Pick distance around an end of the range, in points.
    const NEAR: f32 = 8.0;
    let length =
        view.session.and_then(|s| s.document().clips.get(hold.clip)).map_or(0.0, |c| c.length());
    let x = |t: f32| axis.x(f64::from(t));
    let response = ui.interact(rect, ui.scope_id().with("hold"), Sense::click_and_drag());
    response.widget_info(|| WidgetInfo::labeled(Role::Slider, true, "Range to lock"));
    let fps = view.timeline.playback.fps;
    let free = ui.input(|i| i.modifiers.shift);
    let at = |p: egui::Pos2| {
        let time = axis.time(p.x).max(0.0);
        // Round to whole frames, unless Shift is held.
        let time = if free { time } else { (time * fps).round() / fps };
        (time as f32).clamp(0.0, length)
    };
    if response.drag_started() {
        let from = ui.input(|i| i.pointer.press_origin());
        hold.fixed = from.map(|p| {
            match ((x(hold.from) - p.x).abs() < NEAR, (x(hold.to) - p.x).abs() < NEAR) {
                (true, _) => hold.to,
                (_, true) => hold.from,
                _ => at(p),
            }
        });
    }
    if let (Some(fixed), Some(p)) =
        (hold.fixed, response.interact_pointer_pos().filter(|_| response.dragged()))
    {
        let other = at(p);
        (hold.from, hold.to) = (fixed.min(other), fixed.max(other));
    }
    if response.hovered() {
        ui.ctx().set_cursor_icon(egui::CursorIcon::ResizeHorizontal);
    }
}

/// Bar over the ruler that states the range, with its buttons. Returns whether it was confirmed,
/// and whether it was canceled.
fn bar_ui(hold: &Hold, ui: &Ui, view: &View<'_>, name: &str, at: egui::Pos2) -> (bool, bool) {
    let theme = view.theme;
    let text = format!("Lock {name} from {:.3} to {:.3} s", hold.from, hold.to);
    let text = RichText::new(text)
        .font(Theme::font(Font::Small))
        .color(theme.color(ColorRole::TextPrimary));
    let (mut keeps, mut drops) = (false, false);
    let frame = Frame::new()
        .fill(theme.color(ColorRole::SurfaceRaised))
        .stroke(Stroke::new(1.0, theme.color(ColorRole::AccentBase)))
        .corner_radius(4)
        .inner_margin(Margin::symmetric(8, 4));
    Area::new(Id::unique("hold bar")).fixed_pos(at).pivot(Align2::CENTER_BOTTOM).show(
        ui.ctx(),
        |ui| {
            frame.show(ui, |ui| {
                ui.horizontal(|ui| {
                    ui.label(text);
                    ui.add_space(4.0);
                    keeps =
                        ui.add_enabled(hold.to > hold.from, egui::Button::new("Lock")).clicked();
                    drops = ui.button("Cancel").clicked();
                });
            });
        },
    );
    (keeps, drops)
}
