//! Selection of keys in the graph with a box or a lasso.

use egui::{Key, Pos2, Rect, Stroke, StrokeKind, Ui, pos2};

use super::Graph;
use crate::ui::{Actions, timeline::domain::SelectHow};
use ulna_model::{KeySet, KeyTimes};
use ulna_render::ColorRole;

/// Selection outline in the graph.
#[derive(Clone, Debug)]
pub enum Marquee {
    /// Box, from its first corner.
    Box(GraphPoint),
    /// Lasso line.
    Lasso(Vec<GraphPoint>),
}

/// Position in the graph: a time in seconds, and a fraction of the height from the top.
#[derive(Clone, Copy, Debug)]
pub struct GraphPoint {
    time: f64,
    height: f32,
}

impl GraphPoint {
    /// Converts a screen position to a position in the graph.
    pub fn of(graph: &Graph<'_>, at: Pos2) -> Self {
        let rect = graph.layout.rect;
        let height = (at.y - rect.top()) / rect.height().max(1.0);
        Self { time: graph.layout.time(at.x), height }
    }

    fn at(self, graph: &Graph<'_>) -> Pos2 {
        let rect = graph.layout.rect;
        pos2(graph.layout.x(self.time), rect.top() + self.height * rect.height())
    }
}

impl Marquee {
    /// Continues the drag, or selects the keys inside when it ends. Returns whether the drag
    /// continues.
    pub fn go_on(&mut self, ui: &Ui, graph: &Graph<'_>, actions: &mut Actions) -> bool {
        let (at, modifiers, down, escape) = ui.input(|i| {
            let pointer = &i.pointer;
            (pointer.latest_pos(), i.modifiers, pointer.any_down(), i.key_pressed(Key::Escape))
        });
        let Some(at) = at.filter(|_| !escape) else { return false };
        let theme = graph.view.theme;
        let painter = ui.painter_at(graph.layout.rect);
        let edge = Stroke::new(1.0, theme.color(ColorRole::TimelineBoxStroke));
        let how = match modifiers {
            m if m.shift => SelectHow::Add,
            m if m.command => SelectHow::Remove,
            _ => SelectHow::Only,
        };
        match self {
            Self::Box(start) => {
                let area = Rect::from_two_pos(start.at(graph), at);
                let fill = theme.color(ColorRole::TimelineBoxFill);
                painter.rect(area, 0.0, fill, edge, StrokeKind::Inside);
                if !down {
                    let keys = within(graph, area, |p| area.contains(p));
                    graph.select(keys, how, actions);
                }
            }
            Self::Lasso(line) => {
                // Skip points that are too close to the last one.
                if line.last().is_none_or(|last| last.at(graph).distance(at) > 2.0) {
                    line.push(GraphPoint::of(graph, at));
                }
                let corners: Vec<Pos2> = line.iter().map(|p| p.at(graph)).collect();
                if let [first, .., last] = corners[..] {
                    painter.extend(egui::Shape::dashed_line(&[last, first], edge, 3.0, 3.0));
                }
                painter.add(egui::Shape::line(corners.clone(), edge));
                if !down {
                    let area = Rect::from_points(&corners);
                    let keys = within(graph, area, |p| is_inside(&corners, p));
                    graph.select(keys, how, actions);
                }
            }
        }
        down
    }
}

/// Keys of unlocked curves inside an area, for which `takes` returns true.
fn within(graph: &Graph<'_>, area: Rect, takes: impl Fn(Pos2) -> bool) -> KeySet {
    let layout = &graph.layout;
    let (low, high) = (layout.time(area.left()), layout.time(area.right()));
    let mut keys = KeySet::default();
    for (k, curve) in layout.curves.iter().enumerate().filter(|(_, c)| !c.locked) {
        let Some(track) = curve.id.track() else { continue };
        let times = &curve.track.times;
        let from = times.partition_point(|t| f64::from(*t) < low);
        let to = times.partition_point(|t| f64::from(*t) <= high);
        let found: Vec<f32> = (from..to.max(from))
            .filter(|key| takes(layout.key_pos(k, *key)))
            .map(|key| times[key])
            .collect();
        if !found.is_empty() {
            let found = KeyTimes::from(found);
            keys = keys.union(&KeySet::of_component(track, curve.id.component, found));
        }
    }
    keys
}

/// Whether a point is inside a closed line.
fn is_inside(corners: &[Pos2], at: Pos2) -> bool {
    let crosses = |(a, b): (&Pos2, &Pos2)| {
        (a.y <= at.y) != (b.y <= at.y) && at.x < a.x + (b.x - a.x) * (at.y - a.y) / (b.y - a.y)
    };
    corners.iter().zip(corners.iter().cycle().skip(1)).filter(|edge| crosses(*edge)).count() % 2
        == 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_inside_a_closed_line_are_found() {
        let corners: Vec<Pos2> = [(0.0, 0.0), (4.0, 0.0), (4.0, 4.0), (2.0, 1.0), (0.0, 4.0)]
            .iter()
            .map(|(x, y)| pos2(*x, *y))
            .collect();
        assert!(is_inside(&corners, pos2(1.0, 1.0)) && is_inside(&corners, pos2(3.5, 2.0)));
        assert!(!is_inside(&corners, pos2(2.0, 2.0)) && !is_inside(&corners, pos2(5.0, 1.0)));
    }
}
