//! Draws the handles, and the values beside them during a drag.

use egui::{Align2, Color32, Painter, Pos2, Rect, Shape, Stroke, Ui, pos2, vec2};
use glam::Vec2;

use super::{
    Frame, Gesture, Handle, HandleSet, Limit, Operation,
    handles::{HandleShape, roll_handle},
};
use crate::ui::{
    Theme, View,
    theme::Font,
    viewport::{domain::SnapTo, haloed::haloed},
    widgets::short_number,
};
use ulna_edit::Preset;
use ulna_render::ColorRole;

const AXES: [ColorRole; 3] = [ColorRole::AxisX, ColorRole::AxisY, ColorRole::AxisZ];
const NAMES: [&str; 3] = ["X", "Y", "Z"];
/// Distance of the readout from the widest handle, in points.
const ASIDE: f32 = 24.0;
/// Opacity of the far half of a ring.
const FAR: f32 = 0.3;

/// Painter that takes positions in viewport points.
struct HandlePainter<'a> {
    painter: Painter,
    rect: Rect,
    theme: &'a Theme,
}

impl HandlePainter<'_> {
    fn at(&self, p: Vec2) -> Pos2 {
        pos2(p.x + self.rect.left(), p.y + self.rect.top())
    }

    /// Draws a line with a dark outline.
    fn line(&self, points: Vec<Pos2>, width: f32, color: Color32) {
        let casing = self.theme.color(ColorRole::ViewportLabelHalo).gamma_multiply(0.45);
        self.painter.line(points.clone(), Stroke::new(width + 2.0, casing));
        self.painter.line(points, Stroke::new(width, color));
    }

    fn fill(&self, points: Vec<Pos2>, color: Color32) {
        let casing = self.theme.color(ColorRole::ViewportLabelHalo).gamma_multiply(0.45);
        self.painter.add(Shape::convex_polygon(points, color, Stroke::new(1.0, casing)));
    }
}

/// Color of a handle that is neither hovered nor dragged.
fn role(handle: Handle) -> ColorRole {
    match handle {
        Handle::Arrow(k) | Handle::Plane(k) | Handle::Ring(k) | Handle::Box(k) => AXES[k],
        Handle::Outer | Handle::Center => ColorRole::AxisW,
        Handle::Swivel | Handle::Roll => ColorRole::AccentBase,
    }
}

/// Whether a handle belongs to the current gesture.
fn is_held(set: &HandleSet, handle: Handle, gesture: &Gesture) -> bool {
    set.meaning(handle) == (gesture.operation, gesture.limit)
}

pub fn draw(
    ui: &Ui,
    view: &View<'_>,
    rect: Rect,
    frame: &Frame,
    set: &HandleSet,
    shapes: &[HandleShape],
    hovered: Option<Handle>,
    gesture: Option<&Gesture>,
) {
    let pen = HandlePainter { painter: ui.painter_at(rect), rect, theme: view.theme };
    // Draw farther handles first.
    let mut order: Vec<&HandleShape> = shapes.iter().collect();
    order.sort_by(|a, b| a.near.total_cmp(&b.near));
    for front in [false, true] {
        for shape in &order {
            let held = gesture.map(|g| is_held(set, shape.handle, g));
            if held == Some(false) {
                continue;
            }
            let lit = held == Some(true) || hovered == Some(shape.handle);
            draw_shape(&pen, set, shape, lit, front);
        }
    }
    if let Some(gesture) = gesture {
        draw_way(&pen, ui, view, frame, gesture);
        readout(&pen, view, frame, set, gesture);
    }
}

fn draw_shape(
    pen: &HandlePainter<'_>,
    set: &HandleSet,
    shape: &HandleShape,
    lit: bool,
    front: bool,
) {
    let theme = pen.theme;
    let color = theme.color(if lit { ColorRole::AxisHover } else { role(shape.handle) });
    let points = || shape.line.iter().map(|(p, _)| pen.at(*p)).collect::<Vec<_>>();
    match shape.handle {
        Handle::Ring(_) | Handle::Outer => {
            for run in shape.line.chunk_by(|a, b| a.1 == b.1) {
                if run[0].1 != front {
                    continue;
                }
                let points: Vec<Pos2> = run.iter().map(|(p, _)| pen.at(*p)).collect();
                let width = match (lit, shape.handle) {
                    (true, _) => 4.0,
                    (false, Handle::Outer) => 1.5,
                    (false, _) => 2.5,
                };
                if front {
                    pen.line(points, width, color);
                } else {
                    pen.painter.line(points, Stroke::new(1.0, color.gamma_multiply(FAR)));
                }
            }
        }
        _ if !front => {}
        Handle::Arrow(k) => {
            let (from, to) = (pen.at(shape.line[0].0), pen.at(shape.line[1].0));
            let way = (to - from).normalized();
            let side = way.rot90() * if lit { 6.0 } else { 5.0 };
            pen.line(vec![from, to - way * 10.0], if lit { 4.0 } else { 2.5 }, color);
            pen.fill(vec![to, to - way * 13.0 + side, to - way * 13.0 - side], color);
            let font = Theme::font(Font::Caption);
            haloed(
                &pen.painter,
                to + way * 10.0,
                Align2::CENTER_CENTER,
                NAMES[k],
                font,
                color,
                theme,
            );
        }
        Handle::Box(k) => {
            let (from, to) = (pen.at(shape.line[0].0), pen.at(shape.line[1].0));
            if set.boxes.is_some_and(|(_, lined)| lined) {
                pen.line(vec![from, to], if lit { 4.0 } else { 2.5 }, color);
                let way = (to - from).normalized();
                let font = Theme::font(Font::Caption);
                haloed(
                    &pen.painter,
                    to + way * 14.0,
                    Align2::CENTER_CENTER,
                    NAMES[k],
                    font,
                    color,
                    theme,
                );
            }
            let half = if lit { 5.5 } else { 4.5 };
            let casing = theme.color(ColorRole::ViewportLabelHalo).gamma_multiply(0.45);
            let square = Rect::from_center_size(to, vec2(half, half) * 2.0);
            pen.painter.rect(
                square,
                1.0,
                color,
                Stroke::new(1.0, casing),
                egui::StrokeKind::Outside,
            );
        }
        Handle::Plane(_) => {
            let points = points();
            pen.painter.add(Shape::convex_polygon(
                points,
                color.gamma_multiply(if lit { 0.8 } else { 0.35 }),
                Stroke::new(1.0, color),
            ));
        }
        Handle::Swivel => {
            let (from, to) = (pen.at(shape.line[0].0), pen.at(shape.line[1].0));
            pen.painter.extend(Shape::dashed_line(&[from, to], Stroke::new(1.0, color), 3.0, 4.0));
            let half = 7.0;
            let corners = [vec2(0.0, -half), vec2(half, 0.0), vec2(0.0, half), vec2(-half, 0.0)];
            pen.fill(corners.map(|c| to + c).to_vec(), color);
        }
        Handle::Roll => draw_roll(pen, shape, lit, color),
        Handle::Center => {
            let at = pen.at(shape.line[0].0);
            let casing = theme.color(ColorRole::ViewportLabelHalo).gamma_multiply(0.6);
            let fill = if lit { color } else { color.gamma_multiply(0.35) };
            pen.painter.circle(at, 8.0, fill, Stroke::new(3.0, casing));
            pen.painter.circle_stroke(at, 8.0, Stroke::new(1.5, color));
        }
    }
}

/// Draws a ring around a bone, and a knob on the ring.
fn draw_roll(pen: &HandlePainter<'_>, shape: &HandleShape, lit: bool, color: Color32) {
    let [ring @ .., (from, _), (to, _)] = &shape.line[..] else { return };
    for run in ring.chunk_by(|a, b| a.1 == b.1) {
        let points: Vec<Pos2> = run.iter().map(|(p, _)| pen.at(*p)).collect();
        let color = if run[0].1 { color } else { color.gamma_multiply(FAR) };
        pen.painter.line(points, Stroke::new(1.5, color));
    }
    let (from, to) = (pen.at(*from), pen.at(*to));
    pen.painter.extend(Shape::dashed_line(&[from, to], Stroke::new(1.0, color), 3.0, 4.0));
    let casing = pen.theme.color(ColorRole::ViewportLabelHalo).gamma_multiply(0.45);
    let radius = if lit { 7.0 } else { 6.0 };
    pen.painter.circle(to, radius, color, Stroke::new(1.0, casing));
}

/// Draws the start, the axis and the path of a drag.
fn draw_way(pen: &HandlePainter<'_>, ui: &Ui, view: &View<'_>, frame: &Frame, gesture: &Gesture) {
    let theme = pen.theme;
    let lit = theme.color(ColorRole::AxisHover);
    let size = Vec2::new(pen.rect.width(), pen.rect.height());
    let camera = &view.viewport.camera;
    let shown: Vec<usize> = match (gesture.operation, gesture.limit) {
        (_, Limit::Free | Limit::View) => Vec::new(),
        (_, Limit::Axis(k)) => vec![k],
        (_, Limit::Plane(k)) => vec![(k + 1) % 3, (k + 2) % 3],
    };
    for k in shown {
        let reach = frame.axes[k] * frame.unit * 400.0;
        let ends = [frame.origin - reach, frame.origin + reach].map(|p| camera.project(p, size));
        if let [Some((a, _)), Some((b, _))] = ends {
            let color = theme.color(AXES[k]).gamma_multiply(0.6);
            pen.painter.line_segment([pen.at(a), pen.at(b)], Stroke::new(1.0, color));
        }
    }
    let middle = pen.at(frame.center);
    let Some(now) = ui.input(|i| i.pointer.latest_pos()) else { return };
    match gesture.operation {
        Operation::Swivel => {}
        Operation::Roll => {
            // Mark the start position of the knob.
            let shape = gesture.frame.roll.and_then(|roll| roll_handle(&roll, camera, size));
            if let Some([.., (from, _), (to, _)]) = shape.as_ref().map(|s| &s.line[..]) {
                let stroke = Stroke::new(1.0, lit.gamma_multiply(0.7));
                pen.painter.line_segment([pen.at(*from), pen.at(*to)], stroke);
            }
        }
        Operation::Move | Operation::Reach | Operation::Extrude => {
            pen.painter.circle_stroke(middle, 8.0, Stroke::new(1.0, lit.gamma_multiply(0.7)));
            let way = frame.axes[0] * gesture.value.x
                + frame.axes[1] * gesture.value.y
                + frame.axes[2] * gesture.value.z;
            if let Some((to, _)) = camera.project(frame.origin + way, size) {
                pen.painter.extend(Shape::dashed_line(
                    &[middle, pen.at(to)],
                    Stroke::new(1.0, lit),
                    3.0,
                    4.0,
                ));
                if gesture.snap_to.is_some() {
                    pen.painter.circle_stroke(pen.at(to), 6.0, Stroke::new(2.0, lit));
                }
            }
        }
        Operation::Rotate if gesture.limit != Limit::Free => {
            let from = pen.at(gesture.start());
            pen.painter.line_segment([middle, from], Stroke::new(1.0, lit.gamma_multiply(0.7)));
            pen.painter.line_segment([middle, now], Stroke::new(1.0, lit));
        }
        Operation::Rotate => {}
        Operation::Scale => {
            pen.painter.extend(Shape::dashed_line(&[middle, now], Stroke::new(1.0, lit), 3.0, 4.0));
        }
    }
}

/// Draws the names of the posed nodes and the values, beside the handles and never under the
/// pointer.
fn readout(
    pen: &HandlePainter<'_>,
    view: &View<'_>,
    frame: &Frame,
    set: &HandleSet,
    gesture: &Gesture,
) {
    let theme = pen.theme;
    let title = pen.painter.layout_no_wrap(
        gesture.what(),
        Theme::font(Font::Heading),
        theme.color(ColorRole::TextPrimary),
    );
    let about = pen.painter.layout_no_wrap(
        about(gesture).to_owned(),
        Theme::font(Font::Small),
        theme.color(ColorRole::TextSecondary),
    );
    let fields = fields(view, gesture);
    let number = Theme::font(Font::Number);
    let cells: Vec<_> = fields
        .iter()
        .map(|f| {
            let name = pen.painter.layout_no_wrap(
                f.name.to_owned(),
                Theme::font(Font::Caption),
                theme.color(f.role),
            );
            let color = if f.fixed { ColorRole::AccentText } else { ColorRole::TextPrimary };
            let text =
                pen.painter.layout_no_wrap(f.text.clone(), number.clone(), theme.color(color));
            (name, text, f.typed)
        })
        .collect();
    let cell = |name: f32, text: f32| name + 6.0 + text.max(44.0) + 14.0;
    let numbers: f32 = cells.iter().map(|(n, t, _)| cell(n.size().x, t.size().x)).sum();
    let preset = view.settings.keys.preset();
    let snaps = gesture.operation.is_way().then(|| snap_hint(pen, gesture, preset));
    let hint = snaps.as_ref().map_or(0.0, |text| text.size().x);
    let width = (title.size().x + 8.0 + about.size().x).max(numbers).max(hint) + 24.0;
    let extent = vec2(width, if snaps.is_some() { 78.0 } else { 56.0 });
    let mut corner = pen.at(frame.center) + vec2(set.radius() + ASIDE, -28.0);
    // Use the other side if there is too little space.
    if corner.x + extent.x > pen.rect.right() - 8.0 {
        corner.x = pen.at(frame.center).x - set.radius() - ASIDE - extent.x;
    }
    let inside = pen.rect.shrink(8.0);
    corner.x = corner.x.clamp(inside.left(), (inside.right() - extent.x).max(inside.left()));
    corner.y = corner.y.clamp(inside.top() + 40.0, (inside.bottom() - extent.y).max(inside.top()));
    let plate = Rect::from_min_size(corner, extent);
    pen.painter.rect_filled(plate, 4.0, theme.color(ColorRole::ViewportOverlay));
    let line = plate.top() + 18.0;
    let mut x = plate.left() + 12.0;
    pen.painter.galley(
        pos2(x, line - title.size().y * 0.5),
        title.clone(),
        theme.color(ColorRole::TextPrimary),
    );
    x += title.size().x + 8.0;
    pen.painter.galley(
        pos2(x, line - about.size().y * 0.5),
        about,
        theme.color(ColorRole::TextSecondary),
    );
    let line = plate.top() + 39.0;
    let mut x = plate.left() + 12.0;
    for (name, text, typed) in cells {
        let wide = cell(name.size().x, text.size().x);
        if typed {
            let field = Rect::from_min_size(pos2(x - 4.0, line - 10.0), vec2(wide - 4.0, 20.0));
            let edge = Stroke::new(1.0, theme.color(ColorRole::AccentBase));
            pen.painter.rect(
                field,
                4.0,
                theme.color(ColorRole::SurfaceField),
                edge,
                egui::StrokeKind::Inside,
            );
        }
        let after = x + name.size().x + 6.0;
        pen.painter.galley(
            pos2(x, line - name.size().y * 0.5),
            name,
            theme.color(ColorRole::TextSecondary),
        );
        pen.painter.galley(
            pos2(after, line - text.size().y * 0.5),
            text,
            theme.color(ColorRole::TextPrimary),
        );
        x += wide;
    }
    if let Some(text) = snaps {
        let at = pos2(plate.left() + 12.0, plate.top() + 61.0 - text.size().y * 0.5);
        pen.painter.galley(at, text, theme.color(ColorRole::TextTertiary));
    }
}

/// Lists the keys that snap while they are held, with the held key highlighted.
fn snap_hint(
    pen: &HandlePainter<'_>,
    gesture: &Gesture,
    preset: Preset,
) -> std::sync::Arc<egui::Galley> {
    let mut job = egui::text::LayoutJob::default();
    let mut add = |text: &str, role: ColorRole| {
        let format = egui::TextFormat::simple(Theme::font(Font::Small), pen.theme.color(role));
        job.append(text, 0.0, format);
    };
    add("Hold to snap:", ColorRole::TextTertiary);
    for (key, to, name) in SnapTo::keys(preset, gesture.held) {
        let lit = gesture.snap_to == Some(to);
        add(
            &format!("  {} ", key.name()),
            if lit { ColorRole::AccentText } else { ColorRole::TextSecondary },
        );
        add(name, if lit { ColorRole::AccentText } else { ColorRole::TextTertiary });
    }
    pen.painter.layout_job(job)
}

/// Draws the hint about axis and number keys while a tool waits for them.
pub fn awaited(
    ui: &Ui,
    view: &View<'_>,
    rect: Rect,
    frame: &Frame,
    set: &HandleSet,
    operation: Operation,
) {
    let pen = HandlePainter { painter: ui.painter_at(rect), rect, theme: view.theme };
    let values = if super::waits_for_numbers(view.settings.keys.preset()) {
        "X, Y, Z or a number"
    } else {
        "X, Y or Z"
    };
    let text = format!("{}: type {values}", operation.title());
    let font = Theme::font(Font::Small);
    let text = pen.painter.layout_no_wrap(text, font, pen.theme.color(ColorRole::TextSecondary));
    let extent = text.size() + vec2(24.0, 14.0);
    let mut corner = pen.at(frame.center) + vec2(set.radius() + ASIDE, -extent.y * 0.5);
    if corner.x + extent.x > rect.right() - 8.0 {
        corner.x = pen.at(frame.center).x - set.radius() - ASIDE - extent.x;
    }
    let inside = rect.shrink(8.0);
    corner.x = corner.x.clamp(inside.left(), (inside.right() - extent.x).max(inside.left()));
    corner.y = corner.y.clamp(inside.top() + 40.0, (inside.bottom() - extent.y).max(inside.top()));
    pen.painter.rect_filled(
        Rect::from_min_size(corner, extent),
        4.0,
        pen.theme.color(ColorRole::ViewportOverlay),
    );
    pen.painter.galley(corner + vec2(12.0, 7.0), text, pen.theme.color(ColorRole::TextSecondary));
}

/// Name of the space of the axes, or of the rotation axis.
fn about(gesture: &Gesture) -> &'static str {
    use crate::ui::viewport::domain::GizmoSpace as Of;
    match (gesture.operation, gesture.limit) {
        (Operation::Swivel, _) => "around the limb",
        (Operation::Roll, _) => "about the bone",
        (Operation::Rotate, Limit::View) => "around the view axis",
        (Operation::Rotate, Limit::Free) => "free rotation",
        _ => match gesture.space {
            Of::View => "view axes",
            Of::Of(space) => match space {
                ulna_motion::Space::Local => "local axes",
                ulna_motion::Space::Parent => "parent axes",
                ulna_motion::Space::World => "world axes",
                ulna_motion::Space::Gimbal => "gimbal axes",
                ulna_motion::Space::Rest => "rest axes",
            },
        },
    }
}

struct Field {
    name: &'static str,
    role: ColorRole,
    text: String,
    /// Whether the user is typing into this field.
    typed: bool,
    /// Whether the number was typed; otherwise it follows the pointer.
    fixed: bool,
}

fn fields(view: &View<'_>, gesture: &Gesture) -> Vec<Field> {
    let length = view.settings.length;
    let signed =
        |text: String| if text.starts_with(['−', '-']) { text } else { format!("+{text}") };
    let field = |k: usize, name: &'static str, role: ColorRole, sign: &str| {
        let typed = &gesture.typed[k];
        let text = if typed.is_empty() {
            let value = gesture.value[k];
            match gesture.operation {
                Operation::Move | Operation::Reach | Operation::Extrude => {
                    format!("{}{sign}", signed(short_number(value * length.per_meter(), false)))
                }
                Operation::Rotate | Operation::Swivel | Operation::Roll => {
                    signed(short_number(value, true))
                }
                Operation::Scale => format!("× {}", short_number(value, false)),
            }
        } else if gesture.field == k {
            format!("{typed}▏{sign}")
        } else {
            format!("{typed}{sign}")
        };
        let typing = gesture.field == k && !typed.is_empty();
        Field { name, role, text, typed: typing, fixed: !typed.is_empty() }
    };
    match (gesture.operation, gesture.limit) {
        (Operation::Swivel, _) => vec![field(0, "Swivel", ColorRole::AccentText, "°")],
        (Operation::Roll, _) => vec![field(0, "Roll", ColorRole::AccentText, "°")],
        (Operation::Rotate, Limit::Axis(k)) => vec![field(0, NAMES[k], AXES[k], "°")],
        (Operation::Rotate, _) => vec![field(0, "View", ColorRole::TextSecondary, "°")],
        (Operation::Scale, Limit::Free | Limit::View) => {
            vec![field(0, "All", ColorRole::TextSecondary, "")]
        }
        (operation, _) => {
            let sign =
                if operation.is_way() { format!(" {}", length.sign()) } else { String::new() };
            (0..3)
                .filter(|k| gesture.has_field(*k))
                .map(|k| field(k, NAMES[k], AXES[k], &sign))
                .collect()
        }
    }
}
