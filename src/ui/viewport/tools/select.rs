//! Selection of joints by a click on a joint or the surface, or by an area.

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

/// Selection tool without handles. Clicks and drags outside the handles of other tools select in
/// the same way.
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
    /// Area that is currently drawn.
    area: Option<Area>,
    /// Position of the last click on joints, and the number of earlier clicks there. Each click
    /// selects the next joint nearby.
    cycle: Option<(Vec2, usize)>,
    /// Area requested by a command. It takes precedence over handles and clicks.
    wanted: Option<WantedArea>,
}

/// Selection area requested by a command.
#[derive(Clone, Copy, Debug, PartialEq)]
enum WantedArea {
    /// Box, drawn by the next drag.
    Box,
    /// Circle around the pointer with this radius in points. Joints inside are selected while the
    /// button is held.
    Circle(f32),
}

/// Initial, minimum and maximum radius of the circle, in points.
const CIRCLE: (f32, f32, f32) = (40.0, 6.0, 400.0);

/// Selection area during a drag, in window points.
#[derive(Clone, Debug)]
enum Area {
    /// Box, from its first corner to the pointer.
    Box(Pos2),
    /// Points of a lasso line.
    Lasso(Vec<Pos2>),
}

impl Selecting {
    /// Ends the current area and any requested area.
    pub fn end(&mut self) {
        (self.area, self.wanted) = (None, None);
    }

    /// Starts selecting with a circle, or with a box in the next drag.
    pub const fn want(&mut self, circle: bool) {
        self.wanted = Some(if circle { WantedArea::Circle(CIRCLE.0) } else { WantedArea::Box });
    }

    /// Whether a command requested a box or circle selection, which has not ended.
    pub const fn waits(&self) -> bool {
        self.wanted.is_some()
    }

    /// Changes the circle's radius by the mouse wheel. Returns whether a circle was requested.
    pub fn resizes_circle(&mut self, ui: &Ui, response: &Response) -> bool {
        let Some(WantedArea::Circle(radius)) = &mut self.wanted else { return false };
        if response.hovered() {
            let notches = ui.input(|i| i.smooth_scroll_delta().y) / 50.0;
            *radius = (*radius * 1.15_f32.powf(notches)).clamp(CIRCLE.1, CIRCLE.2);
        }
        true
    }

    /// Handles a requested area. The circle selects while the button is down; Escape or the right
    /// button ends box and circle. Returns whether no other selection may happen.
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

/// Handles clicks and selection areas. `free`: whether no other element uses the pointer. `press`:
/// modifiers at the press of the button.
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
            // Minimum distance between points of the line, in points.
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
        // The lasso already uses Ctrl, so Alt deselects.
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
    /// Selects the joint at a click, or requests the joint of the surface. Repeated clicks cycle
    /// through the joints nearby.
    fn click(
        &mut self,
        view: &View<'_>,
        at: Vec2,
        size: Vec2,
        toggle: bool,
        actions: &mut Actions,
    ) {
        /// Distance within which two clicks are at the same position, in points.
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
