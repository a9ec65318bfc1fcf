//! Solid and dashed lines as triangles with soft edges, all in one mesh.

use egui::{Color32, Mesh, Pos2, Rect, Vec2, epaint::Vertex};

/// Style of a line.
#[derive(Clone, Copy, Debug)]
pub struct LineStyle {
    /// Width in points.
    pub width: f32,
    /// Color of the line.
    pub color: Color32,
    /// Width of the soft edge in points; 0 for a hard edge, which needs half as many triangles.
    pub feather: f32,
}

/// Returns the number of vertices across a line with a soft edge of a given width.
pub const fn corners(feather: f32) -> usize {
    if feather > 0.0 { 4 } else { 2 }
}

/// Adds the vertices across a line at a point, from side to side.
fn across(mesh: &mut Mesh, at: Pos2, side: Vec2, pen: LineStyle) {
    let mut corner = |pos: Pos2, color: Color32| {
        mesh.vertices.push(Vertex { pos, uv: egui::epaint::WHITE_UV, color });
    };
    if pen.feather <= 0.0 {
        let half = pen.width * 0.5;
        corner(at + side * half, pen.color);
        corner(at - side * half, pen.color);
        return;
    }
    let inner = ((pen.width - pen.feather) * 0.5).max(0.0);
    let outer = inner + pen.feather;
    // A line thinner than its soft edge is drawn fainter.
    let color = match pen.width < pen.feather {
        true => pen.color.gamma_multiply(pen.width / pen.feather),
        false => pen.color,
    };
    corner(at + side * outer, Color32::TRANSPARENT);
    corner(at + side * inner, color);
    corner(at - side * inner, color);
    corner(at - side * outer, Color32::TRANSPARENT);
}

/// Normalizes a vector that is neither tiny nor huge. `Vec2::length` would handle both, but is
/// slower.
fn unit(vector: Vec2) -> Vec2 {
    vector / vector.length_sq().sqrt()
}

/// Adds a line through points.
pub fn stroke(mesh: &mut Mesh, points: &[Pos2], pen: LineStyle) {
    let wide = corners(pen.feather) as u32;
    let mut before: Option<Vec2> = None;
    let mut count = 0;
    let first = mesh.vertices.len() as u32;
    mesh.vertices.reserve(points.len() * wide as usize);
    mesh.indices.reserve(points.len() * (wide as usize - 1) * 6);
    for k in 0..points.len() {
        let after = points.get(k + 1).map(|next| *next - points[k]);
        // Coincident points have no direction.
        if after.is_some_and(|d| d.length_sq() < 1e-6) {
            continue;
        }
        let after = after.map(unit);
        let (Some(a), Some(b)) = (before.or(after), after.or(before)) else { continue };
        let sum = a + b;
        // Move corners outward where the line turns, with a limit for sharp turns.
        let along = if sum.length_sq() < 1e-3 { b } else { unit(sum) };
        let out = (1.0 / along.dot(b).max(0.4)).min(2.0);
        across(mesh, points[k], along.rot90() * out, pen);
        count += 1;
        before = after.or(before);
    }
    for k in 1..count {
        let (a, b) = (first + (k - 1) * wide, first + k * wide);
        for s in 0..wide - 1 {
            mesh.indices.extend([a + s, a + s + 1, b + s, b + s, a + s + 1, b + s + 1]);
        }
    }
}

/// Adds a dashed line through points. `dash` has lengths on and off alternately, and `skip` is the
/// start offset in the pattern, in points.
pub fn dashed(mesh: &mut Mesh, points: &[Pos2], dash: &[f32], skip: f32, pen: LineStyle) {
    if dash.is_empty() {
        stroke(mesh, points, pen);
        return;
    }
    let whole: f32 = dash.iter().sum();
    let mut left = skip.rem_euclid(whole.max(1.0));
    let mut part = 0;
    while left >= dash[part] && left > 0.0 {
        left -= dash[part];
        part = (part + 1) % dash.len();
    }
    let mut until = dash[part] - left;
    let mut run: Vec<Pos2> =
        points.first().copied().filter(|_| part % 2 == 0).into_iter().collect();
    for pair in points.windows(2) {
        let (from, to) = (pair[0], pair[1]);
        let length = from.distance(to);
        let mut at = 0.0;
        while length - at > until {
            at += until;
            let here = from + (to - from) * (at / length);
            if part % 2 == 0 {
                run.push(here);
                stroke(mesh, &run, pen);
                run.clear();
            } else {
                run.push(here);
            }
            part = (part + 1) % dash.len();
            until = dash[part].max(0.5);
        }
        until -= length - at;
        if part % 2 == 0 {
            run.push(to);
        }
    }
    stroke(mesh, &run, pen);
}

/// Passes the parts of a polyline inside a rectangle to `part`. Clipping is needed because GPUs
/// draw very distant points incorrectly.
pub fn clipped(points: &[(f64, f64)], within: Rect, mut part: impl FnMut(&[Pos2])) {
    let (left, right) = (f64::from(within.left()), f64::from(within.right()));
    let (top, bottom) = (f64::from(within.top()), f64::from(within.bottom()));
    let mut run: Vec<Pos2> = Vec::new();
    let place = |(x, y): (f64, f64)| Pos2::new(x as f32, y as f32);
    let inside = |(x, y): (f64, f64)| x >= left && x <= right && y >= top && y <= bottom;
    if points.iter().all(|p| inside(*p)) {
        run.extend(points.iter().map(|p| place(*p)));
        if run.len() > 1 {
            part(&run);
        }
        return;
    }
    for pair in points.windows(2) {
        let (from, to) = (pair[0], pair[1]);
        let cut = if inside(from) && inside(to) {
            Some((from, to))
        } else {
            cut(from, to, (left, right), (top, bottom))
        };
        let Some((a, b)) = cut else {
            if run.len() > 1 {
                part(&run);
            }
            run.clear();
            continue;
        };
        if run.last() != Some(&place(a)) {
            if run.len() > 1 {
                part(&run);
            }
            run.clear();
            run.push(place(a));
        }
        run.push(place(b));
    }
    if run.len() > 1 {
        part(&run);
    }
}

/// Part of a line segment inside bounds; `None` if it is outside.
fn cut(
    from: (f64, f64),
    to: (f64, f64),
    x: (f64, f64),
    y: (f64, f64),
) -> Option<((f64, f64), (f64, f64))> {
    let (dx, dy) = (to.0 - from.0, to.1 - from.1);
    if !(dx.is_finite() && dy.is_finite()) {
        return None;
    }
    let (mut enter, mut leave) = (0.0f64, 1.0f64);
    for (step, start, (low, high)) in [(dx, from.0, x), (dy, from.1, y)] {
        if step == 0.0 {
            if start < low || start > high {
                return None;
            }
            continue;
        }
        let (a, b) = ((low - start) / step, (high - start) / step);
        enter = enter.max(a.min(b));
        leave = leave.min(a.max(b));
    }
    let at = |s: f64| (from.0 + dx * s, from.1 + dy * s);
    let part =
        (if enter > 0.0 { at(enter) } else { from }, if leave < 1.0 { at(leave) } else { to });
    (enter < leave).then_some(part)
}

#[cfg(test)]
mod tests {
    use super::*;
    use egui::pos2;
    use proptest::prelude::*;

    const PEN: LineStyle = LineStyle { width: 2.0, color: Color32::WHITE, feather: 1.0 };

    proptest! {
        #[test]
        fn clipped_lines_are_inside_the_rectangle(
            points in prop::collection::vec((-1e9f64..1e9, -1e9f64..1e9), 2..20),
            scale in 1e-9f64..1.0,
        ) {
            let within = Rect::from_min_max(pos2(-100.0, -50.0), pos2(100.0, 50.0));
            let points: Vec<_> = points.iter().map(|(x, y)| (x * scale, y * scale)).collect();
            let mut all = Vec::new();
            clipped(&points, within, |part| all.extend_from_slice(part));
            let near = within.expand(0.01);
            prop_assert!(all.iter().all(|p| near.contains(*p)), "{all:?}");
        }

        #[test]
        fn lines_have_finite_corners(
            points in prop::collection::vec((0.0f32..500.0, 0.0f32..500.0), 0..20),
            dash in prop::sample::select(vec![&[][..], &[3.0, 4.0], &[0.0, 2.0]]),
        ) {
            let points: Vec<_> = points.into_iter().map(Pos2::from).collect();
            let mut mesh = Mesh::default();
            dashed(&mut mesh, &points, dash, 1.0, PEN);
            let far = Rect::from_min_max(pos2(-9.0, -9.0), pos2(509.0, 509.0));
            prop_assert!(mesh.vertices.iter().all(|v| far.contains(v.pos)));
            prop_assert!(mesh.is_valid());
        }
    }

    #[test]
    fn dashes_have_the_lengths_of_their_pattern() {
        let mut mesh = Mesh::default();
        let pen = LineStyle { width: 1.0, feather: 0.0, ..PEN };
        dashed(&mut mesh, &[pos2(0.0, 0.0), pos2(100.0, 0.0)], &[6.0, 4.0], 0.0, pen);
        let area: f32 = mesh.vertices.chunks_exact(4).map(|q| q[2].pos.x - q[0].pos.x).sum();
        assert!((area - 60.0).abs() < 0.1, "{area}");
    }
}
