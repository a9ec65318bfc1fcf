//! Selecting: a click on a joint or on the skin, a box around joints.

use egui::{Key, PointerButton, Pos2, Rect, Response, Ui, pos2};
use egui_material_icons::{MaterialIcon, icons};
use glam::Vec2;

use super::{
    super::pick,
    tool::{Press, ViewportTool},
};
use crate::ui::{Actions, OutlinerAction, View, ViewportAction};
use ulna_edit::command::{SelectCommand, SetKey, ToolCommand, ViewCommand};
use ulna_render::ColorRole;

/// The selection tool: clicks and boxes select, as they do outside the handles of all other tools.
#[derive(Clone, Debug, Default)]
pub struct SelectTool;

impl ViewportTool for SelectTool {
    fn icon(&self) -> MaterialIcon {
        icons::ICON_ARROW_SELECTOR_TOOL
    }

    fn hints(&self) -> Vec<(Press, &'static str)> {
        vec![
            (Press::Key(ToolCommand::Rotate.name()), "rotate"),
            (Press::Key(SetKey::NAME), "set key"),
            (Press::Key(ViewCommand::FrameSelected.name()), "frame"),
            (Press::Key(SelectCommand::Parent.name()), "parent"),
            (Press::Key(SelectCommand::Child.name()), "child"),
        ]
    }
}

/// State of the Select tool between frames.
#[derive(Clone, Debug, Default)]
pub struct Selecting {
    /// The area that is drawn.
    area: Option<Area>,
    /// Position of the last click on joints, and the number of clicks there: the next click selects
    /// the next joint nearby.
    cycle: Option<(Vec2, usize)>,
    /// A command asked for an area, which goes before handles and clicks.
    wanted: Option<WantedArea>,
}

/// An area that a command asked for.
#[derive(Clone, Copy, Debug, PartialEq)]
enum WantedArea {
    /// The next drag draws a box.
    Box,
    /// Joints within so many points of the pointer are selected while the button is held.
    Circle(f32),
}

/// Radius of the circle at first, points, and its least and greatest.
const CIRCLE: (f32, f32, f32) = (40.0, 6.0, 400.0);

/// An area that is drawn with the pointer.
#[derive(Clone, Debug)]
enum Area {
    /// A box from a corner.
    Box(Pos2),
    /// A lasso around the selection, as points of the picture.
    Lasso(Vec<Pos2>),
}

impl Selecting {
    /// Nothing is drawn any more.
    pub fn end(&mut self) {
        (self.area, self.wanted) = (None, None);
    }

    /// Lets the pointer select in a circle, or the next drag in a box.
    pub const fn want(&mut self, circle: bool) {
        self.wanted = Some(if circle { WantedArea::Circle(CIRCLE.0) } else { WantedArea::Box });
    }

    /// Whether an area was asked for.
    pub const fn waits(&self) -> bool {
        self.wanted.is_some()
    }

    /// Whether the wheel is the circle's, which it makes larger or smaller.
    pub fn resizes_circle(&mut self, ui: &Ui, response: &Response) -> bool {
        let Some(WantedArea::Circle(radius)) = &mut self.wanted else { return false };
        if response.hovered() {
            let notches = ui.input(|i| i.smooth_scroll_delta().y) / 50.0;
            *radius = (*radius * 1.15_f32.powf(notches)).clamp(CIRCLE.1, CIRCLE.2);
        }
        true
    }

    /// Area that a command asked for: a circle selects at once, and Escape or the right button ends
    /// either. Whether nothing else is to be selected in this frame.
    fn wanted_ui(
        &mut self,
        ui: &Ui,
        view: &View<'_>,
        rect: Rect,
        response: &Response,
        actions: &mut Actions,
    ) -> bool {
        let Some(wanted) = self.wanted else { return false };
        let (ends, down, shift) = ui.input(|i| {
            let ends = i.key_pressed(Key::Escape) || i.pointer.secondary_pressed();
            (ends, i.pointer.primary_down(), i.modifiers.shift)
        });
        let enter = ui.input(|i| i.key_pressed(Key::Enter));
        if ends || (enter && wanted != WantedArea::Box) {
            self.end();
            return true;
        }
        let Some(at) = ui.input(|i| i.pointer.hover_pos()).filter(|at| rect.contains(*at)) else {
            return wanted != WantedArea::Box;
        };
        let painter = ui.painter_at(rect);
        let edge = egui::Stroke::new(1.0, view.theme.color(ColorRole::TimelineBoxStroke));
        let WantedArea::Circle(radius) = wanted else {
            if self.area.is_none() {
                painter.hline(rect.x_range(), at.y, edge);
                painter.vline(at.x, rect.y_range(), edge);
            }
            return false;
        };
        let fill = view.theme.color(ColorRole::TimelineBoxFill);
        painter.circle(at, radius, fill, edge);
        if down && (response.is_pointer_button_down_on() || response.dragged()) {
            let size = Vec2::new(rect.width(), rect.height());
            let nodes = pick::joints_in(view, size, &|p| {
                pos2(p.x + rect.left(), p.y + rect.top()).distance(at) <= radius
            });
            actions.push(if shift {
                OutlinerAction::Deselect(nodes)
            } else {
                OutlinerAction::SelectMany { nodes, add: true }
            });
        }
        true
    }
}

/// Whether a point is inside a closed line.
fn encloses(line: &[Pos2], p: Pos2) -> bool {
    let edges = (0..line.len()).map(|k| (line[k], line[(k + 1) % line.len()]));
    let crossed = edges.filter(|(a, b)| {
        (a.y > p.y) != (b.y > p.y) && p.x < a.x + (p.y - a.y) / (b.y - a.y) * (b.x - a.x)
    });
    crossed.count() % 2 == 1
}

/// `free`: nothing else has the pointer; `press`: what was held as a button was pressed.
pub fn select_ui(
    state: &mut Selecting,
    ui: &Ui,
    view: &View<'_>,
    rect: Rect,
    response: &Response,
    (free, press): (bool, egui::Modifiers),
    actions: &mut Actions,
) {
    if state.wanted_ui(ui, view, rect, response, actions) {
        return;
    }
    let size = Vec2::new(rect.width(), rect.height());
    let local = |p: Pos2| Vec2::new(p.x - rect.left(), p.y - rect.top());
    let pointer = response.hover_pos().or(response.interact_pointer_pos());
    let modifiers = ui.input(|i| i.modifiers);
    if free {
        let bone = pointer
            .filter(|_| response.hovered())
            .and_then(|p| pick::bone_at(view, local(p), size));
        if let Some(bone) = bone.filter(|b| b.deforms && response.hovered()) {
            actions.push(ViewportAction::Hover(Some(bone.joint)));
        } else if let Some(at) =
            pointer.filter(|_| response.hovered() && !ui.input(|i| i.pointer.any_down()))
        {
            actions.push(ViewportAction::HoverSurface { at: local(at), size, behind: bone });
        }
        let toggle = modifiers.shift || modifiers.command;
        if response.clicked()
            && !modifiers.alt
            && let Some(at) = response.interact_pointer_pos()
        {
            state.click(view, local(at), size, toggle, actions);
        }
        if response.drag_started_by(PointerButton::Primary) && !press.alt {
            state.area = ui.input(|i| i.pointer.press_origin()).map(Area::Box);
        }
        if response.drag_started_by(PointerButton::Secondary) && press.command {
            state.area = ui.input(|i| i.pointer.press_origin()).map(|p| Area::Lasso(vec![p]));
        }
    }
    let Some(area) = &mut state.area else { return };
    let to = ui.input(|i| i.pointer.hover_pos());
    let painter = ui.painter_at(rect);
    let edge = egui::Stroke::new(1.0, view.theme.color(ColorRole::TimelineBoxStroke));
    let fill = view.theme.color(ColorRole::TimelineBoxFill);
    let inside: Box<dyn Fn(Pos2) -> bool> = match area {
        Area::Box(from) => {
            let area = Rect::from_two_pos(*from, to.unwrap_or(*from));
            painter.rect(area, 0.0, fill, edge, egui::StrokeKind::Inside);
            Box::new(move |p| area.contains(p))
        }
        Area::Lasso(line) => {
            // Points nearer than this to one another add nothing.
            const APART: f32 = 2.0;
            line.extend(to.filter(|p| line.last().is_none_or(|last| last.distance(*p) > APART)));
            painter.add(egui::Shape::closed_line(line.clone(), edge));
            let line = line.clone();
            Box::new(move |p| encloses(&line, p))
        }
    };
    if response.drag_stopped() {
        let nodes =
            pick::joints_in(view, size, &|p| inside(pos2(p.x + rect.left(), p.y + rect.top())));
        let lasso = matches!(area, Area::Lasso(_));
        // Ctrl is the lasso's own: there Alt takes out.
        let takes_out = if lasso { modifiers.alt } else { modifiers.command };
        actions.push(if takes_out {
            OutlinerAction::Deselect(nodes)
        } else {
            OutlinerAction::SelectMany { nodes, add: modifiers.shift }
        });
        state.end();
    } else if !response.dragged() {
        state.area = None;
    }
}

impl Selecting {
    /// A click takes the joint there, or what the skin says; again at the same spot the next of
    /// those that are near.
    fn click(
        &mut self,
        view: &View<'_>,
        at: Vec2,
        size: Vec2,
        toggle: bool,
        actions: &mut Actions,
    ) {
        /// Points within which two clicks are at the same spot.
        const SAME: f32 = 4.0;
        let near = pick::bones_at(view, at, size);
        if near.first().is_none_or(|b| !b.deforms) {
            self.cycle = None;
            actions.push(ViewportAction::PickSurface {
                at,
                size,
                behind: near.first().copied(),
                toggle,
            });
            return;
        }
        let round = match self.cycle {
            Some((last, round)) if last.distance(at) < SAME => round + 1,
            _ => 0,
        };
        self.cycle = Some((at, round));
        actions.push(OutlinerAction::Select { node: near[round % near.len()].joint, toggle });
    }
}
