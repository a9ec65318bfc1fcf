//! Drawing of keys: diamonds, holds and dense bands. All keys of a sheet are in one mesh, because a
//! shape per key would be slow.

use egui::{Color32, Mesh, Pos2, Rect, Vec2, epaint::Vertex, pos2, vec2};

use super::axis::TimeAxis;
use crate::ui::Theme;
use ulna_model::{Interpolation, KeyKind, Track};
use ulna_motion::clip_edit::is_hold_end;
use ulna_render::ColorRole;

/// Distance between keys below which they are drawn as a band, in points.
const DENSE: f64 = 5.0;

/// Drawing style of a track's keys.
#[derive(Clone, Copy)]
pub struct KeyStyle<'a> {
    pub theme: &'a Theme,
    pub axis: &'a TimeAxis,
    /// Frame rate of the ruler. Keys between frames have a tick.
    pub fps: f64,
    /// Vertical center of the row, in points.
    pub middle: f32,
    /// Half the size of a diamond, in points.
    pub half: f32,
    /// Opacity of the keys, `0..=1`.
    pub fade: f32,
}

/// Adds a filled quadrilateral to a mesh.
pub fn quad(mesh: &mut Mesh, corners: [Pos2; 4], color: Color32) {
    let first = mesh.vertices.len() as u32;
    for pos in corners {
        mesh.vertices.push(Vertex { pos, uv: egui::epaint::WHITE_UV, color });
    }
    mesh.indices.extend([first, first + 1, first + 2, first, first + 2, first + 3]);
}

/// Adds a filled rectangle to a mesh.
pub fn bar(mesh: &mut Mesh, rect: Rect, color: Color32) {
    quad(mesh, [rect.left_top(), rect.right_top(), rect.right_bottom(), rect.left_bottom()], color);
}

/// Adds a diamond with an outline to a mesh.
pub fn diamond(mesh: &mut Mesh, at: Pos2, half: f32, fill: Color32, rim: Color32) {
    for (half, color) in [(half + 1.0, rim), (half, fill)] {
        let around = [vec2(0.0, -half), vec2(half, 0.0), vec2(0.0, half), vec2(-half, 0.0)];
        quad(mesh, around.map(|d| at + d), color);
    }
}

/// Adds the outline of a diamond, which is dashed for a ghost.
pub fn outline(mesh: &mut Mesh, at: Pos2, half: f32, color: Color32, dashed: bool) {
    let corners = [vec2(0.0, -half), vec2(half, 0.0), vec2(0.0, half), vec2(-half, 0.0)];
    for k in 0..4 {
        let (a, b) = (corners[k], corners[(k + 1) % 4]);
        let parts: &[(f32, f32)] = if dashed { &[(0.0, 0.3), (0.7, 1.0)] } else { &[(0.0, 1.0)] };
        for (from, to) in parts {
            let (a, b) = (a + (b - a) * *from, a + (b - a) * *to);
            let side: Vec2 = (b - a).normalized().rot90() * 0.6;
            quad(mesh, [at + a + side, at + b + side, at + b - side, at + a - side], color);
        }
    }
}

/// Adds a ring: the mark of a moved key that replaces another key.
pub fn ring(mesh: &mut Mesh, at: Pos2, radius: f32, color: Color32) {
    const SIDES: u16 = 20;
    let to = |k: u16| Vec2::angled(f32::from(k) / f32::from(SIDES) * std::f32::consts::TAU);
    for k in 0..SIDES {
        let (a, b) = (to(k), to(k + 1));
        let (inner, outer) = (radius - 0.7, radius + 0.7);
        quad(mesh, [at + a * inner, at + a * outer, at + b * outer, at + b * inner], color);
    }
}

impl KeyStyle<'_> {
    fn color(&self, role: ColorRole) -> Color32 {
        self.theme.color(role).gamma_multiply(self.fade)
    }

    /// Range of the visible times among sorted times.
    pub fn seen(&self, times: &[f32]) -> std::ops::Range<usize> {
        let margin = 8.0 / self.axis.scale();
        let from = times.partition_point(|t| f64::from(*t) < self.axis.start - margin);
        let to = times.partition_point(|t| f64::from(*t) <= self.axis.end + margin);
        from..to.max(from)
    }

    /// Whether the keys are so close that they would overlap.
    pub fn is_dense(&self, times: &[f32]) -> bool {
        let seen = self.seen(times);
        let Some(count) = seen.len().checked_sub(1).filter(|c| *c >= 8) else { return false };
        let span = f64::from(times[seen.end - 1]) - f64::from(times[seen.start]);
        span * self.axis.scale() / (count as f64) < DENSE
    }

    /// Draws many keys as a band of lines, at most one line per point of width. Lines for several
    /// keys are brighter. The first and the last key are diamonds.
    pub fn band(&self, mesh: &mut Mesh, times: &[f32], selected: &[f32]) {
        let (seen, axis) = (self.seen(times), self.axis);
        let (left, right) = (axis.left.floor(), axis.right.ceil());
        let step = axis.time(left + 1.0) - axis.time(left);
        let mut at = seen.start;
        let (normal, chosen) =
            (self.color(ColorRole::KeyNormal), self.color(ColorRole::SelectionBase));
        let ends = [times.first(), times.last()];
        let mut x = axis.x(f64::from(times[seen.start])).floor().max(left);
        while at < seen.end && x <= right {
            let until = axis.time(x + 1.0);
            let next = at + gallop(&times[at..seen.end], until);
            let count = next - at;
            if count > 0 {
                // The brightness grows with the number of keys per line, up to four keys.
                let share = (0.4 + 0.15 * count as f32).min(1.0);
                let low = selected.partition_point(|t| *t < times[at]);
                let is_selected = selected.get(low).is_some_and(|t| *t <= times[next - 1]);
                let fill = if is_selected { chosen } else { normal.gamma_multiply(share) };
                // Lines for several keys are one point wide, so that adjacent lines merge.
                let width = if count > 1 || step * axis.scale() > 2.0 { 1.0 } else { 0.8 };
                bar(mesh, Rect::from_min_size(pos2(x, self.middle - 4.0), vec2(width, 8.0)), fill);
                at = next;
                x += 1.0;
            } else {
                x = axis.x(f64::from(times[at])).floor().max(x + 1.0);
            }
        }
        for end in ends.into_iter().flatten() {
            let x = axis.x(f64::from(*end));
            if x >= left - 8.0 && x <= right + 8.0 {
                let is_selected = selected.binary_search_by(|t| t.total_cmp(end)).is_ok();
                let fill = if is_selected { chosen } else { normal };
                diamond(
                    mesh,
                    pos2(x, self.middle),
                    self.half,
                    fill,
                    self.color(ColorRole::KeyOutline),
                );
            }
        }
    }

    /// Draws bars over the spans in which a track holds its value.
    pub fn holds(&self, mesh: &mut Mesh, track: &Track) {
        let seen = self.seen(&track.times);
        let last = track.times.len() - 1;
        let fill = self.color(ColorRole::KeyHold);
        let step = track.interpolation == Interpolation::Step;
        for k in seen.start.saturating_sub(1)..seen.end.min(last) {
            let held = step || is_hold_end(track, k + 1) || is_still(track, k);
            if held && !is_hold_end(track, k) {
                let x = |k: usize| self.axis.x(f64::from(track.times[k]));
                let (from, to) =
                    (x(k).max(self.axis.left - 8.0), x(k + 1).min(self.axis.right + 8.0));
                let rect =
                    Rect::from_min_max(pos2(from, self.middle - 3.0), pos2(to, self.middle + 3.0));
                if rect.is_positive() {
                    bar(mesh, rect, fill);
                }
            }
        }
    }

    /// Draws a key. Size and shape show its kind, so the color `fill` can show that it is selected.
    pub fn key(&self, mesh: &mut Mesh, at: Pos2, kind: Option<KeyKind>, fill: Option<ColorRole>) {
        let rim = self.color(ColorRole::KeyOutline);
        let wider = if fill.is_some() { 1.0 } else { 0.0 };
        let color = |own| self.color(fill.unwrap_or(own));
        match kind {
            None => diamond(mesh, at, self.half + wider, color(ColorRole::KeyNormal), rim),
            Some(KeyKind::Extreme) => {
                diamond(mesh, at, self.half + 2.0 + wider, color(ColorRole::KeyExtreme), rim);
                let hollow = self.half * 0.55;
                let corners =
                    [vec2(0.0, -hollow), vec2(hollow, 0.0), vec2(0.0, hollow), vec2(-hollow, 0.0)];
                quad(mesh, corners.map(|d| at + d), self.color(ColorRole::SurfaceTimeline));
            }
            Some(KeyKind::Breakdown) => diamond(
                mesh,
                at,
                (self.half - 1.0).max(3.0) + wider,
                color(ColorRole::KeyBreakdown),
                rim,
            ),
            Some(KeyKind::InBetween) => {
                let size = self.half - 2.0 + wider;
                let round = |r: f32| {
                    [vec2(-r, -r * 0.4), vec2(-r * 0.4, -r), vec2(r * 0.4, -r), vec2(r, -r * 0.4)]
                };
                for (r, color) in [(size + 1.0, rim), (size, color(ColorRole::KeyInbetween))] {
                    let [a, b, c, d] = round(r);
                    quad(mesh, [a, b, c, d].map(|d| at + d), color);
                    quad(mesh, [a, d, -a, -d].map(|d| at + d), color);
                    quad(mesh, [-a, -b, -c, -d].map(|d| at + d), color);
                }
            }
        }
    }

    /// Draws each key of a track as a diamond. Dense tracks are drawn with `band` instead.
    pub fn diamonds(&self, mesh: &mut Mesh, track: &Track, selected: &[f32], dead: &[f32]) {
        let seen = self.seen(&track.times);
        let has = |list: &[f32], time: f32| list.binary_search_by(|t| t.total_cmp(&time)).is_ok();
        for k in seen {
            if is_hold_end(track, k) {
                continue;
            }
            let time = track.times[k];
            let at = pos2(self.axis.x(f64::from(time)), self.middle);
            let frame = f64::from(time) * self.fps;
            let is_off = (frame - frame.round()).abs() > 0.02;
            let kind = track.kinds.of(time);
            if has(selected, time) {
                self.key(mesh, at, kind, Some(ColorRole::SelectionBase));
            } else if has(dead, time) && kind.is_none() {
                outline(mesh, at, self.half, self.color(ColorRole::KeyDead), false);
            } else {
                self.key(mesh, at, kind, None);
            }
            if is_off {
                let tick =
                    Rect::from_min_size(pos2(at.x - 0.5, at.y + self.half + 1.5), vec2(1.0, 3.0));
                bar(mesh, tick, self.color(ColorRole::KeyNormal));
            }
        }
    }
}

/// Whether the value is constant from a key to the next, including the tangents.
fn is_still(track: &Track, key: usize) -> bool {
    if track.value(key) != track.value(key + 1) {
        return false;
    }
    let (width, stride) = (track.width, track.stride());
    let flat = |key: usize, part: usize| {
        track.values[key * stride + part * width..][..width].iter().all(|v| *v == 0.0)
    };
    track.interpolation != Interpolation::CubicSpline || (flat(key, 2) && flat(key + 1, 0))
}

/// Number of sorted times before `until`, by galloping search.
fn gallop(times: &[f32], until: f64) -> usize {
    let mut step = 1;
    while step < times.len() && f64::from(times[step]) < until {
        step *= 2;
    }
    let low = step / 2;
    low + times[low..times.len().min(step + 1)].partition_point(|t| f64::from(*t) < until)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn galloping_search_equals_binary_search() {
        let times: Vec<f32> = (0..1000).map(|k| k as f32 * 0.01).collect();
        for until in [0.0, 0.005, 0.015, 3.333, 9.99, 20.0] {
            assert_eq!(
                gallop(&times, until),
                times.partition_point(|t| f64::from(*t) < until),
                "{until}"
            );
            assert_eq!(
                gallop(&times[7..8], until),
                times[7..8].partition_point(|t| f64::from(*t) < until)
            );
        }
    }
}
