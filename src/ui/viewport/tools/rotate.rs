//! The ring gizmo: turns the selected nodes about an axis. What it does is found from the state at the press, never by
//! adding up moves.

use egui::{Align2, Event, Key, PointerButton, Pos2, Rect, Stroke, Ui, pos2, vec2};
use egui_material_icons::{MaterialIcon, icons};
use glam::{Mat3, Mat4, Vec2, Vec3};

use super::{
    super::{overlay::haloed, pick::segment_distance},
    Press, ViewportTool,
};
use crate::render::ColorRole;
use crate::{
    edit::{
        Space,
        command::{
            Rotate, SetKey, ViewCommand,
            field::{Axis, Degrees, Nodes},
        },
        evaluate, rotation_after_turn,
    },
    geometry::{RingSight, RingTurn, snapped},
    model::{NodeId, Property, Transform},
    ui::{Action, Actions, Theme, View, edits, theme::Font, widgets::short_number},
};

/// Radius of the rings, in points; that of the outer one, which turns about the line of sight.
const RADIUS: f32 = 78.0;
/// Seconds that snapping goes on after Ctrl is let go.
const LINGERS: f64 = 0.12;
const OUTER: f32 = 92.0;
/// Points from a ring within which it is meant.
const REACH: f32 = 7.0;
const STEPS: usize = 96;

/// A turn that is under way.
#[derive(Clone, Debug)]
struct RingDrag {
    ring: Ring,
    origin: Vec3,
    /// World, unit: the sense of a positive angle.
    axis: Vec3,
    turn: RingTurn,
    /// When it was snapped last, on egui's clock.
    snapped_at: f64,
    nodes: Vec<(NodeId, Transform, Mat4)>,
    /// What was previewed last, in degrees.
    shown: f32,
    /// All rings as they were at the press: keys choose another.
    rings: [Ring; 4],
    /// The angle that is typed, in place of the pointer's.
    typed: String,
}

impl RingDrag {
    /// Takes the keys that are the drag's: an axis, a number, and the one that keeps it. Whether it is kept.
    fn take_keys(&mut self, ui: &Ui, pointer: Vec2) -> bool {
        let events = ui.input(|i| i.events.clone());
        let mut kept = false;
        for event in events {
            match event {
                Event::Text(text) => {
                    let of_number = |c: &char| c.is_ascii_digit() || "+-−*/().,".contains(*c);
                    self.typed.extend(text.chars().filter(of_number));
                }
                Event::Key { key, pressed: true, modifiers, .. } if modifiers.is_none() => match key {
                    Key::X => self.choose(0, pointer),
                    Key::Y => self.choose(1, pointer),
                    Key::Z => self.choose(2, pointer),
                    Key::Backspace => {
                        self.typed.pop();
                    }
                    Key::Enter => kept = true,
                    _ => {}
                },
                _ => {}
            }
        }
        kept
    }

    /// Goes on about another axis, from nothing.
    fn choose(&mut self, index: usize, pointer: Vec2) {
        self.ring = self.rings[index];
        self.axis = self.ring.axis;
        self.turn = RingTurn::new(pointer);
    }
}

/// Which ring.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Ring {
    /// 0, 1, 2 for x, y, z; 3 for the line of sight.
    index: usize,
    /// World, unit.
    axis: Vec3,
    radius: f32,
}

/// The rings for the active node.
fn rings(view: &View<'_>, node: NodeId) -> [Ring; 4] {
    let world = view.pose.world[node.index()];
    let parent = view.session.map_or(Mat4::IDENTITY, |s| view.pose.parent_world(s.document(), node));
    let basis = match view.viewport.space {
        Space::Local => directions(&world),
        Space::Parent => directions(&parent),
        Space::World => [Vec3::X, Vec3::Y, Vec3::Z],
    };
    let sight = (view.viewport.camera.eye() - view.viewport.camera.target).normalize_or(Vec3::Z);
    let ring = |index: usize| Ring { index, axis: basis[index], radius: RADIUS };
    [ring(0), ring(1), ring(2), Ring { index: 3, axis: sight, radius: OUTER }]
}

/// The axes of a matrix. In a mirrored space a positive turn runs the other way round.
fn directions(m: &Mat4) -> [Vec3; 3] {
    let sign = if Mat3::from_mat4(*m).determinant() < 0.0 { -1.0 } else { 1.0 };
    [m.x_axis, m.y_axis, m.z_axis].map(|a| a.truncate().normalize_or(Vec3::Y) * sign)
}

/// The ring gizmo.
#[derive(Clone, Debug, Default)]
pub struct RotateTool {
    drag: Option<RingDrag>,
}

impl ViewportTool for RotateTool {
    fn icon(&self) -> MaterialIcon {
        icons::ICON_ROTATE_RIGHT
    }

    fn hints(&self) -> Vec<(Press, &'static str)> {
        vec![
            (Press::Hand("Drag a ring"), "rotate"),
            (Press::Hand("Ctrl"), "snap 5°"),
            (Press::Hand("X Y Z 0–9"), "axis, degrees"),
            (Press::Hand("Esc"), "cancel"),
            (Press::Key(SetKey::NAME), "set key"),
            (Press::Key(ViewCommand::FrameSelected.name()), "frame"),
        ]
    }

    fn ui(&mut self, ui: &Ui, view: &View<'_>, rect: Rect, response: &egui::Response, actions: &mut Actions) -> bool {
        rotate_ui(&mut self.drag, ui, view, rect, response, actions)
    }

    fn takes_numbers(&self) -> bool {
        self.drag.is_some()
    }

    fn end(&mut self) -> bool {
        self.drag.take().is_some()
    }
}

/// Draws the gizmo and turns what is selected; whether the pointer is the gizmo's.
fn rotate_ui(
    drag: &mut Option<RingDrag>,
    ui: &Ui,
    view: &View<'_>,
    rect: Rect,
    response: &egui::Response,
    actions: &mut Actions,
) -> bool {
    let Some(node) = view
        .selection
        .active
        .filter(|n| view.pose.world.get(n.index()).is_some() && !view.visibility.locked.contains(n))
    else {
        *drag = None;
        return false;
    };
    let size = Vec2::new(rect.width(), rect.height());
    let origin = drag.as_ref().map_or_else(|| view.pose.world[node.index()].w_axis.truncate(), |d| d.origin);
    let Some((centre, depth)) = view.viewport.camera.project(origin, size).filter(|_| origin.is_finite()) else {
        return false;
    };
    let unit = view.viewport.camera.metres_per_point(depth, size.y);
    let local = |p: Pos2| Vec2::new(p.x - rect.left(), p.y - rect.top());
    let all = rings(view, node);
    let polylines: Vec<Vec<(Vec2, bool)>> = all.iter().map(|r| polyline(view, r, origin, unit, size)).collect();
    let modifiers = ui.input(|i| i.modifiers);
    let pointer = ui.input(|i| i.pointer.hover_pos()).filter(|p| rect.contains(*p));
    let hovered = pointer.filter(|_| response.hovered() || response.dragged()).and_then(|p| {
        let near = |k: usize| {
            let distance = polylines[k]
                .windows(2)
                .filter(|w| w[0].1 || k == 3)
                .map(|w| segment_distance(local(p), w[0].0, w[1].0))
                .fold(f32::INFINITY, f32::min);
            (distance, k)
        };
        (0..4).map(near).filter(|(d, _)| *d <= REACH).min_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, k)| k)
    });
    let pressed = ui.input(|i| i.pointer.press_origin()).map(local);
    if drag.is_none()
        && response.drag_started_by(PointerButton::Primary)
        && !modifiers.alt
        && let Some(press) = pressed
    {
        let near = |k: usize| {
            let lines = polylines[k].windows(2).filter(|w| w[0].1 || k == 3);
            (lines.map(|w| segment_distance(press, w[0].0, w[1].0)).fold(f32::INFINITY, f32::min), k)
        };
        let hit = (0..4).map(near).filter(|(d, _)| *d <= REACH).min_by(|a, b| a.0.total_cmp(&b.0));
        if let (Some((_, k)), Some(session)) = (hit, view.session) {
            let document = session.document();
            let nodes = view
                .selection
                .top_level_nodes(document)
                .into_iter()
                .filter(|n| !view.visibility.locked.contains(n))
                .map(|n| (n, view.pose.local[n.index()].transform(), view.pose.parent_world(document, n)))
                .collect();
            *drag = Some(RingDrag {
                ring: all[k],
                origin,
                axis: all[k].axis,
                turn: RingTurn::new(press),
                snapped_at: f64::NEG_INFINITY,
                nodes,
                shown: 0.0,
                rings: all,
                typed: String::new(),
            });
        }
    }
    let active = drag.is_some();
    if let Some(turn) = drag.as_mut() {
        let stop = ui.input(|i| i.key_pressed(Key::Escape) || i.pointer.button_pressed(PointerButton::Secondary));
        if stop {
            actions.push(Action::Cancel);
            *drag = None;
        } else if let Some(p) = ui.input(|i| i.pointer.latest_pos()) {
            // A hand lets go of Ctrl a little before the button.
            let now = ui.input(|i| i.time);
            if modifiers.command {
                turn.snapped_at = now;
            }
            let modifiers = egui::Modifiers { command: now - turn.snapped_at < LINGERS, ..modifiers };
            let kept = turn.take_keys(ui, local(p));
            update(turn, view, local(p), centre, size, modifiers, actions);
            if kept || !response.dragged_by(PointerButton::Primary) {
                actions.push(Action::Commit);
                *drag = None;
            }
        }
    }
    draw(ui, view, rect, &all, &polylines, hovered, drag.as_ref(), centre);
    active || hovered.is_some()
}

/// The angle the pointer has gone round, and what it means for the nodes.
fn update(
    turn: &mut RingDrag,
    view: &View<'_>,
    pointer: Vec2,
    centre: Vec2,
    size: Vec2,
    modifiers: egui::Modifiers,
    actions: &mut Actions,
) {
    let sight = (view.viewport.camera.eye() - turn.origin).normalize_or(Vec3::Z);
    let facing = turn.axis.dot(sight);
    let ring = if facing.abs() > 0.15 {
        RingSight::Round { center: centre, towards: facing > 0.0 }
    } else {
        let tangent = turn.axis.cross(sight).normalize_or(Vec3::X);
        let step = view
            .viewport
            .camera
            .project(turn.origin + tangent * view.viewport.camera.distance * 0.01, size)
            .map_or(Vec2::X, |(p, _)| p - centre);
        RingSight::Edge { along: step.normalize_or(Vec2::X), radius: RADIUS }
    };
    let turned = turn.turn.follow(ring, pointer, if modifiers.shift { 0.2 } else { 1.0 });
    let degrees = match (turn.typed.as_str(), evaluate(&turn.typed)) {
        ("", _) => snapped(turned.to_degrees(), modifiers.command.then_some(5.0)),
        (_, Some(degrees)) => degrees as f32,
        // Half an expression changes nothing yet.
        (_, None) => return,
    };
    if degrees == turn.shown {
        return;
    }
    turn.shown = degrees;
    let Some(document) = view.session.map(|s| s.document()) else { return };
    let nodes: Vec<NodeId> = turn.nodes.iter().map(|(n, ..)| *n).collect();
    let label = match nodes[..] {
        [one] => format!("Rotate {}", document.node(one).label(one)),
        _ => format!("Rotate {} joints", nodes.len()),
    };
    let (space, axis) = match turn.ring.index {
        3 => (Space::World, turn.axis),
        k => (view.viewport.space, [Vec3::X, Vec3::Y, Vec3::Z][k]),
    };
    let commands = if view.shown_clip().is_none() {
        let (node, degrees) = (Nodes::Ids(nodes), Degrees(degrees));
        vec![Rotate { node, axis: Axis(axis), degrees, space: Some(space) }.into()]
    } else {
        let turned = |(node, local, parent): &(NodeId, Transform, Mat4)| {
            let rotation = rotation_after_turn(parent, local.rotation, axis, degrees.to_radians(), space).ok()?;
            edits::over_shown_clip(view, *node, &Transform { rotation, ..*local }, Property::Rotation)
        };
        turn.nodes.iter().filter_map(turned).collect()
    };
    actions.push(Action::Preview { label, commands });
}

/// A ring on the screen; each point with whether it is on the near side.
fn polyline(view: &View<'_>, ring: &Ring, origin: Vec3, unit: f32, size: Vec2) -> Vec<(Vec2, bool)> {
    let (a, b) = ring.axis.any_orthonormal_pair();
    let sight = (view.viewport.camera.eye() - origin).normalize_or(Vec3::Z);
    (0..=STEPS)
        .filter_map(|k| {
            let angle = k as f32 / STEPS as f32 * std::f32::consts::TAU;
            let d = a * angle.cos() + b * angle.sin();
            let at = view.viewport.camera.project(origin + d * unit * ring.radius, size)?.0;
            Some((at, d.dot(sight) > -0.02))
        })
        .collect()
}

fn draw(
    ui: &Ui,
    view: &View<'_>,
    rect: Rect,
    rings: &[Ring; 4],
    polylines: &[Vec<(Vec2, bool)>],
    hovered: Option<usize>,
    drag: Option<&RingDrag>,
    centre: Vec2,
) {
    let theme = view.theme;
    let painter = ui.painter_at(rect);
    let at = |p: Vec2| pos2(p.x + rect.left(), p.y + rect.top());
    let lit = drag.map(|d| d.ring.index).or(hovered);
    let roles = [ColorRole::AxisX, ColorRole::AxisY, ColorRole::AxisZ, ColorRole::AxisW];
    for front in [false, true] {
        for (ring, line) in rings.iter().zip(polylines) {
            let on = lit == Some(ring.index);
            if drag.is_some() && !on {
                continue;
            }
            let base = if on { theme.color(ColorRole::AxisHover) } else { theme.color(roles[ring.index]) };
            for run in line.chunk_by(|a, b| a.1 == b.1) {
                if (run[0].1 || ring.index == 3) != front {
                    continue;
                }
                let points: Vec<Pos2> = run.iter().map(|(p, _)| at(*p)).collect();
                if front {
                    let width = if on {
                        4.0
                    } else if ring.index == 3 {
                        1.5
                    } else {
                        2.5
                    };
                    painter.line(
                        points.clone(),
                        Stroke::new(width + 2.0, theme.color(ColorRole::ViewportLabelHalo).gamma_multiply(0.45)),
                    );
                    painter.line(points, Stroke::new(width, base));
                } else {
                    painter.line(points, Stroke::new(1.0, base.gamma_multiply(0.3)));
                }
            }
        }
    }
    if let Some(drag) = drag
        && let Some(session) = view.session
    {
        let from = at(drag.turn.start());
        let middle = at(centre);
        painter.line_segment([middle, from], Stroke::new(1.0, theme.color(ColorRole::AxisHover).gamma_multiply(0.7)));
        if let Some(now) = ui.input(|i| i.pointer.latest_pos()) {
            painter.line_segment([middle, now], Stroke::new(1.0, theme.color(ColorRole::AxisHover)));
        }
        let label = match drag.nodes.as_slice() {
            [(node, ..)] => session.document().node(*node).label(*node),
            many => format!("{} joints", many.len()),
        };
        let axis = ["X", "Y", "Z", "View"][drag.ring.index];
        let sign = if drag.shown >= 0.0 { "+" } else { "" };
        let degrees = match drag.typed.as_str() {
            "" => format!("{sign}{}", short_number(drag.shown, true)),
            typed => format!("{typed}▏°"),
        };
        let space = if drag.ring.index == 3 { "" } else { view.viewport.space.label() };
        let text = format!("{axis} {degrees} {space}");
        let corner = middle + vec2(OUTER + 16.0, -OUTER * 0.6);
        let plate = Rect::from_min_size(corner - vec2(8.0, 4.0), vec2(150.0, 40.0));
        painter.rect_filled(plate, 4.0, theme.color(ColorRole::ViewportOverlay));
        haloed(
            &painter,
            corner + vec2(0.0, 8.0),
            Align2::LEFT_CENTER,
            &label,
            Theme::font(Font::Heading),
            theme.color(ColorRole::TextPrimary),
            theme,
        );
        haloed(
            &painter,
            corner + vec2(0.0, 26.0),
            Align2::LEFT_CENTER,
            text.trim(),
            Theme::font(Font::Number),
            theme.color(ColorRole::TextPrimary),
            theme,
        );
    }
}
