//! Picking of keys: under a point, in a box, or in a lasso.

use std::rc::Rc;

use egui::{Pos2, Rect, Stroke, Ui, pos2, vec2};

use super::{
    domain::SelectHow,
    gesture::{KeyGesture, Spot},
    rows::Row,
    sheet_layout::{Hit, Sheet},
    state::TimelineState,
};
use crate::ui::Actions;
use ulna_model::{KeySet, KeyTimes, Track};
use ulna_render::ColorRole;

/// Pick distance around a key, in points.
const REACH: f32 = 6.0;

impl Sheet<'_> {
    /// Index of the row at a vertical position on screen.
    fn row_at(&self, state: &TimelineState, y: f32) -> Option<usize> {
        let at = (y - self.body.top() + state.scroll) / self.row_height;
        (y >= self.body.top() && at >= 0.0)
            .then_some(at as usize)
            .filter(|k| *k < self.rows.list.len())
    }

    /// Keys at a position on screen.
    pub(super) fn hit(&self, state: &TimelineState, at: Pos2) -> Option<Hit> {
        let (row, number) = if self.summary.contains(at) {
            (&Row::Summary, usize::MAX)
        } else {
            let k = self.row_at(state, at.y).filter(|_| self.body.contains(at))?;
            (&self.rows.list[k], k)
        };
        let tracks = self.tracks_of(row);
        let wanted = self.axis.time(at.x);
        let look = self.look(0.0, 4.5);
        let near = |track: &Track| -> Option<f32> {
            // Single keys of a dense band cannot be picked.
            if look.is_dense(&track.times) {
                return None;
            }
            let k = track.times.partition_point(|t| f64::from(*t) < wanted);
            let around = [k.checked_sub(1), Some(k)]
                .into_iter()
                .flatten()
                .filter_map(|k| track.times.get(k));
            around.copied().min_by(|a, b| {
                (f64::from(*a) - wanted).abs().total_cmp(&(f64::from(*b) - wanted).abs())
            })
        };
        let far = |t: &f32| (self.axis.x(f64::from(*t)) - at.x).abs();
        let time =
            tracks.iter().filter_map(|(_, t)| near(t)).min_by(|a, b| far(a).total_cmp(&far(b)))?;
        if far(&time) > REACH {
            return None;
        }
        // One diamond stands for the keys of all channels at this time.
        let spot = (0.75 / self.axis.scale()) as f32;
        let own = |t: &Track| KeyTimes::within(&t.times, time - spot, time + spot);
        let keys = tracks
            .iter()
            .map(|(id, t)| row.keys(*id, own(t)))
            .fold(KeySet::default(), |all, own| all.union(&own));
        Some(Hit { row: number, keys, time })
    }

    /// Updates the first and the last row with selected keys.
    pub(super) fn box_rows(&self, state: &mut TimelineState) {
        let keys = self.keys();
        if state.boxed.key().is_some_and(|(rows, of)| Rc::ptr_eq(rows, &self.rows) && of == keys) {
            return;
        }
        let has = |row: &Row| {
            self.rows.tracks(row).iter().any(|(id, _)| !row.marked(keys, *id).is_empty())
        };
        let found = (!keys.is_empty()).then(|| {
            Some((self.rows.list.iter().position(has)?, self.rows.list.iter().rposition(has)?))
        });
        state.boxed.put((self.rows.clone(), keys.clone()), found.flatten());
    }

    /// Box around the selected keys, clipped to the visible part, with the times of its sides.
    pub(super) fn selection_box(&self, state: &TimelineState) -> Option<(Rect, f32, f32)> {
        let keys = self.keys();
        let (first, last) = keys.span()?;
        if keys.len() < 2 {
            return None;
        }
        let (top, bottom) = state.boxed.get().copied().flatten()?;
        let y = |k: usize| self.body.top() + k as f32 * self.row_height - state.scroll;
        let (left, right) =
            (self.axis.x(f64::from(first)) - 9.0, self.axis.x(f64::from(last)) + 9.0);
        Some((Rect::from_min_max(pos2(left, y(top)), pos2(right, y(bottom + 1))), first, last))
    }

    /// Grips of the selection box; `None` if all keys are at one time.
    pub(super) fn grips(&self, state: &TimelineState) -> Option<[(Rect, f32, f32); 2]> {
        let (area, first, last) = self.selection_box(state)?;
        let seen = area.intersect(self.body);
        if last <= first || seen.height() < 8.0 {
            return None;
        }
        let grip = |x: f32| {
            Rect::from_center_size(pos2(x, seen.center().y), vec2(6.0, seen.height().min(24.0)))
        };
        Some([(grip(area.left()), first, last), (grip(area.right()), last, first)])
    }

    /// Continues a box selection, and selects the keys inside when it ends.
    pub(super) fn marquee_ui(
        &self,
        state: &mut TimelineState,
        ui: &Ui,
        start: Spot,
        actions: &mut Actions,
    ) {
        let theme = self.view.theme;
        let (at, modifiers, down, escape) = drawn(ui);
        let Some(at) = at.filter(|_| !escape) else { return };
        let from = pos2(self.axis.x(start.time), self.body.top() + start.height - state.scroll);
        let area = Rect::from_two_pos(from, at);
        let painter = ui.painter_at(self.summary.union(self.body));
        let edge = Stroke::new(1.0, theme.color(ColorRole::TimelineBoxStroke));
        painter.rect(
            area,
            0.0,
            theme.color(ColorRole::TimelineBoxFill),
            edge,
            egui::StrokeKind::Inside,
        );
        if down {
            self.follow_pointer(&mut state.time, ui);
            state.gesture = KeyGesture::Box(start);
            return;
        }
        let (low, high) = (self.axis.time(area.left()) as f32, self.axis.time(area.right()) as f32);
        let mut keys = KeySet::default();
        let y = |k: usize| self.body.top() + (k as f32 + 0.5) * self.row_height - state.scroll;
        let mut take = |row: &Row| {
            for (id, track) in self.tracks_of(row) {
                let own = row.keys(*id, KeyTimes::within(&track.times, low, high));
                keys = std::mem::take(&mut keys).union(&own);
            }
        };
        if area.y_range().contains(self.summary.center().y) {
            take(&Row::Summary);
        }
        for (k, row) in self.rows.list.iter().enumerate() {
            if area.y_range().contains(y(k)) {
                take(row);
            }
        }
        self.select(keys, how(modifiers), actions);
    }

    /// Continues a lasso selection, and selects the keys inside when it ends.
    pub(super) fn lasso_ui(
        &self,
        state: &mut TimelineState,
        ui: &Ui,
        mut line: Vec<Spot>,
        actions: &mut Actions,
    ) {
        let (at, modifiers, down, escape) = drawn(ui);
        let Some(at) = at.filter(|_| !escape) else { return };
        let here = self.spot(state, at);
        let place = |s: &Spot| pos2(self.axis.x(s.time), self.body.top() + s.height - state.scroll);
        // Skip points that are too close to the last one.
        if line.last().is_none_or(|last| place(last).distance(at) > 2.0) {
            line.push(here);
        }
        let corners: Vec<Pos2> = line.iter().map(place).collect();
        let theme = self.view.theme;
        let edge = Stroke::new(1.0, theme.color(ColorRole::TimelineBoxStroke));
        let painter = ui.painter_at(self.summary.union(self.body));
        if let [first, .., last] = corners[..] {
            painter.extend(egui::Shape::dashed_line(&[last, first], edge, 3.0, 3.0));
        }
        painter.add(egui::Shape::line(corners.clone(), edge));
        if down {
            self.follow_pointer(&mut state.time, ui);
            state.gesture = KeyGesture::Lasso(line);
            return;
        }
        let mut keys = KeySet::default();
        let mut take = |row: &Row, y: f32| {
            for (from, to) in inside(&corners, y) {
                let (low, high) = (self.axis.time(from) as f32, self.axis.time(to) as f32);
                for (id, track) in self.tracks_of(row) {
                    let own = row.keys(*id, KeyTimes::within(&track.times, low, high));
                    keys = std::mem::take(&mut keys).union(&own);
                }
            }
        };
        take(&Row::Summary, self.summary.center().y);
        for (k, row) in self.rows.list.iter().enumerate() {
            take(row, self.body.top() + (k as f32 + 0.5) * self.row_height - state.scroll);
        }
        self.select(keys, how(modifiers), actions);
    }

    /// Position on the sheet that is independent of scrolling.
    pub(super) fn spot(&self, state: &TimelineState, at: Pos2) -> Spot {
        Spot { time: self.axis.time(at.x), height: at.y - self.body.top() + state.scroll }
    }
}

/// Input of a selection drag: pointer, modifiers, whether a button is down, and whether Escape was
/// pressed.
fn drawn(ui: &Ui) -> (Option<Pos2>, egui::Modifiers, bool, bool) {
    ui.input(|i| {
        (
            i.pointer.latest_pos(),
            i.modifiers,
            i.pointer.any_down(),
            i.key_pressed(egui::Key::Escape),
        )
    })
}

/// Change of the selection by the keys in a box or lasso.
const fn how(modifiers: egui::Modifiers) -> SelectHow {
    match modifiers {
        m if m.shift => SelectHow::Add,
        m if m.command => SelectHow::Remove,
        _ => SelectHow::Only,
    }
}

/// Parts of a horizontal line inside a closed line, as every other interval between the crossings.
fn inside(corners: &[Pos2], y: f32) -> Vec<(f32, f32)> {
    let mut crossings: Vec<f32> = (0..corners.len())
        .filter_map(|k| {
            let (a, b) = (corners[k], corners[(k + 1) % corners.len()]);
            ((a.y <= y) != (b.y <= y)).then(|| a.x + (b.x - a.x) * (y - a.y) / (b.y - a.y))
        })
        .collect();
    crossings.sort_by(f32::total_cmp);
    crossings.chunks_exact(2).map(|c| (c[0], c[1])).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_inside_the_polygon_between_its_crossings_with_the_boundary() {
        // A "U" has two parts at the top and one at the bottom.
        let u = [
            (0.0, 0.0),
            (1.0, 0.0),
            (1.0, 2.0),
            (2.0, 2.0),
            (2.0, 0.0),
            (3.0, 0.0),
            (3.0, 3.0),
            (0.0, 3.0),
        ];
        let u: Vec<Pos2> = u.iter().map(|(x, y)| pos2(*x, *y)).collect();
        assert_eq!(inside(&u, 1.0), [(0.0, 1.0), (2.0, 3.0)]);
        assert_eq!(inside(&u, 2.5), [(0.0, 3.0)]);
        assert!(inside(&u, 4.0).is_empty());
        assert!(inside(&[], 0.0).is_empty());
    }
}
