//! Tangent handles at selected keys, at a third of the segment. A drag changes the slope only.

use egui::{Pos2, Stroke, Ui, pos2};

use super::{
    Graph, ShownCurve,
    asked::set_slope,
    insert,
    model::Unit,
    readout::{plain_value, readout},
    snapping::{Goes, Pull, Typed, pointer},
    told::{Component, is_gimbal_locked, slopes, tangents_of},
};
use crate::ui::{Action, Actions, timeline::domain::SelectHow};
use ulna_edit::KeysHome;
use ulna_model::{Interpolation, KeySet, KeySide, KeyTimes, Track};
use ulna_render::{ColorRole, Measure};

/// Maximum number of selected keys with handles; more handles could not be grabbed individually.
const MOST: usize = 200;

/// Tangent handle of a key.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Handle {
    /// Index of the curve.
    pub curve: usize,
    /// Index of the key in the curve.
    pub key: usize,
    /// Side of the key; never both sides.
    pub side: KeySide,
    /// Position of the key on screen.
    pub from: Pos2,
    /// Position of the handle on screen.
    pub at: Pos2,
}

/// Visible tangent handles. A key at gimbal lock has no handles.
#[derive(Clone, Debug, Default)]
pub struct Handles {
    /// Handles that can be dragged.
    pub list: Vec<Handle>,
    /// Time of a selected key at gimbal lock, in seconds; `None` without one.
    pub locked: Option<f32>,
}

/// Duration of the segment on a side of a key, in seconds; `None` without a segment.
fn segment(track: &Track, key: usize, side: KeySide) -> Option<f64> {
    let at = |k: usize| track.times.get(k).map(|t| f64::from(*t));
    match side {
        KeySide::Arrive => Some(at(key)? - at(key.checked_sub(1)?)?),
        _ => Some(at(key + 1)? - at(key)?),
    }
    .filter(|seconds| *seconds > 0.0)
}

impl Handles {
    /// Tangent handles of the selected keys in a graph.
    pub fn of(graph: &Graph<'_>) -> Self {
        let mut handles = Self::default();
        let (mut count, layout) = (0, &graph.layout);
        for (k, curve) in layout.curves.iter().enumerate() {
            let Some(track) = curve.id.track().filter(|_| has_handles(curve)) else { continue };
            let times = graph.keys().times_of(track, curve.id.component);
            count += times.len();
            if count > MOST {
                return Self::default();
            }
            for key in times.iter().filter_map(|t| curve.track.key_at(*t, 0.0)) {
                handles.add(graph, k, key);
            }
        }
        handles
    }

    fn add(&mut self, graph: &Graph<'_>, k: usize, key: usize) {
        let curve = &graph.layout.curves[k];
        if is_gimbal_locked(curve, key) {
            self.locked = self.locked.or(Some(curve.track.times[key]));
            return;
        }
        let Some((arrive, leave)) = slopes(curve, key) else { return };
        let from = graph.layout.key_pos(k, key);
        for (side, slope) in [(KeySide::Arrive, arrive), (KeySide::Leave, leave)] {
            let Some(seconds) = segment(&curve.track, key, side) else { continue };
            let third = if side == KeySide::Arrive { -seconds } else { seconds } / 3.0;
            let at = pos2(
                graph.layout.x(curve.time(key) + third),
                graph.layout.y(k, curve.key_value(key) + slope * third),
            );
            self.list.push(Handle { curve: k, key, side, from, at });
        }
    }

    /// Nearest handle at a position.
    pub fn at(&self, at: Pos2) -> Option<Handle> {
        /// Pick distance in points.
        const REACH: f32 = 7.0;
        let near = self.list.iter().filter(|h| h.at.distance(at) <= REACH);
        near.min_by(|a, b| a.at.distance(at).total_cmp(&b.at.distance(at))).copied()
    }

    /// Draws the handles, or the reason why a key has none (gimbal lock).
    pub fn draw(&self, ui: &Ui, graph: &Graph<'_>) {
        let theme = graph.view.theme;
        let painter = ui.painter_at(graph.layout.rect);
        let color = theme.color(ColorRole::SelectionBase);
        let (line, ring) = (Stroke::new(1.0, color.gamma_multiply(0.7)), Stroke::new(1.5, color));
        let radius = Measure::TangentHandle.points() * 0.5;
        for handle in &self.list {
            painter.line_segment([handle.from, handle.at], line);
        }
        for handle in &self.list {
            let fill = theme.color(ColorRole::SurfaceTimeline);
            painter.circle(handle.at, radius, fill, ring);
        }
        if let Some(time) = self.locked {
            let frame = f64::from(time) * graph.view.timeline.playback.fps;
            let text = format!("Handles are hidden: gimbal lock at frame {frame:.0}");
            let at = graph.layout.rect.left_bottom() + egui::vec2(60.0, -12.0);
            painter.text(
                at,
                egui::Align2::LEFT_BOTTOM,
                text,
                crate::ui::Theme::font(crate::ui::theme::Font::Small),
                theme.color(ColorRole::SeverityWarning),
            );
        }
    }
}

/// Whether the keys of a curve have handles. The curve must be unlocked and not stepped, with
/// components that can be edited one by one.
fn has_handles(curve: &ShownCurve) -> bool {
    !curve.locked
        && Component::of(curve).is_some()
        && curve.track.interpolation != Interpolation::Step
}

/// Drag of a tangent handle.
#[derive(Clone, Debug)]
pub struct HandleDrag {
    home: KeysHome,
    /// Curve at the start of the drag.
    curve: ShownCurve,
    selection: KeySet,
    key: usize,
    side: KeySide,
    /// Whether the tangent on the other side moves too.
    linked: bool,
    /// Offset of the handle from its key in seconds (`third`) and in value (`from`). `scale` is the
    /// value per point.
    third: f64,
    from: f64,
    scale: f64,
    pull: Pull,
    typed: Typed,
    /// Slope of the last preview, and whether it was applied to both sides.
    shown: Option<(f64, bool)>,
}

impl HandleDrag {
    /// Starts a drag of a handle.
    pub fn new(graph: &Graph<'_>, handle: Handle, at: Pos2) -> Option<Self> {
        let curve = graph.layout.curves[handle.curve].clone();
        let (arrive, leave) = slopes(&curve, handle.key)?;
        let seconds = segment(&curve.track, handle.key, handle.side)?;
        let (third, slope) = if handle.side == KeySide::Arrive {
            (-seconds / 3.0, arrive)
        } else {
            (seconds / 3.0, leave)
        };
        // A LINEAR track has no tangents yet, so one handle bends one segment.
        let linked = curve.track.interpolation == Interpolation::CubicSpline
            && tangents_of(&curve.track, handle.key).linked;
        Some(Self {
            home: graph.home(),
            selection: graph.keys().clone(),
            key: handle.key,
            side: handle.side,
            linked,
            third,
            from: slope * third,
            scale: graph.layout.value_per_point(handle.curve),
            curve,
            pull: Pull::from(at),
            typed: Typed::default(),
            shown: None,
        })
    }

    /// Updates the drag from pointer and keyboard, and previews changes.
    pub fn go_on(&mut self, ui: &Ui, graph: &Graph<'_>, actions: &mut Actions) -> Goes {
        let mut adds = false;
        let goes = self.typed.take(ui, false, |key| adds |= key == egui::Key::I);
        if goes == Goes::GivenUp {
            actions.push(Action::Cancel);
            graph.select(self.selection.clone(), SelectHow::Only, actions);
            return goes;
        }
        let (at, modifiers) = pointer(ui);
        if let Some(at) = at {
            self.pull.go_on(at, modifiers);
        }
        let both = self.linked != modifiers.alt;
        let slope = match self.typed.number() {
            Some(number) => number,
            None if self.pull.gone == egui::Vec2::ZERO && self.shown.is_none() => None,
            None => Some(self.slope(graph, modifiers)),
        };
        if let Some(slope) = slope.filter(|s| self.shown != Some((*s, both))) {
            self.shown = Some((slope, both));
            self.preview(slope, both, actions);
        }
        if let (Some(at), Some((slope, both))) = (at, self.shown) {
            readout(ui, graph.view.theme, at, &self.said(graph, slope, both));
        }
        if goes == Goes::Kept || adds {
            actions.push(Action::Commit);
        }
        if adds && let Some(k) = graph.layout.curves.iter().position(|c| c.id == self.curve.id) {
            let time = self.curve.time(self.key) + self.third + self.along(graph);
            insert::on_curve(graph, k, time, actions);
            return Goes::Kept;
        }
        goes
    }

    /// Horizontal motion of the pointer, in seconds.
    fn along(&self, graph: &Graph<'_>) -> f64 {
        f64::from(self.pull.gone.x) / graph.layout.axis.scale()
    }

    /// Slope at the dragged handle, in units per second. Moving the handle toward the key makes the
    /// slope steeper, but the handle cannot pass the key.
    fn slope(&self, graph: &Graph<'_>, modifiers: egui::Modifiers) -> f64 {
        let part = self.along(graph) / self.third;
        let seconds = self.third * (1.0 + part).max(0.05);
        let slope = (self.from - f64::from(self.pull.gone.y) * self.scale) / seconds;
        if modifiers.command { self.snapped(slope, seconds) } else { slope }
    }

    /// Snaps a slope to zero, to the other side's slope, or to the straight line to a neighboring
    /// key.
    fn snapped(&self, slope: f64, seconds: f64) -> f64 {
        /// Snap distance in points.
        const PULL: f64 = 10.0;
        let (curve, key) = (&self.curve, self.key);
        let to = |k: usize| {
            let apart = curve.time(k) - curve.time(key);
            (apart != 0.0).then(|| (curve.key_value(k) - curve.key_value(key)) / apart)
        };
        let before = key.checked_sub(1).and_then(to);
        let after = (key + 1 < curve.len()).then(|| to(key + 1)).flatten();
        let other = slopes(curve, key)
            .map(|(arrive, leave)| if self.side == KeySide::Arrive { leave } else { arrive });
        let points = |s: &f64| ((s - slope) * seconds / self.scale).abs();
        let all = [Some(0.0), before, after, other].into_iter().flatten();
        let best = all.min_by(|a, b| points(a).total_cmp(&points(b)));
        best.filter(|s| points(s) <= PULL).unwrap_or(slope)
    }

    fn preview(&self, slope: f64, both: bool, actions: &mut Actions) {
        let (Some(track), Some(of)) = (self.curve.id.track(), Component::of(&self.curve)) else {
            return;
        };
        let side = if both { KeySide::Both } else { self.side };
        let linked = (both != self.linked).then_some(both);
        let times = KeyTimes::from(vec![self.curve.track.times[self.key]]);
        let keys = KeySet::of_component(track, self.curve.id.component, times);
        let converts = self.curve.track.interpolation == Interpolation::Linear;
        let label = if converts { "Set tangent, converting to CUBICSPLINE" } else { "Set tangent" };
        let command = set_slope(self.home.clip, keys, of, (side, linked), slope);
        actions.push(Action::Preview { label: label.to_owned(), commands: vec![command] });
    }

    fn said(&self, graph: &Graph<'_>, slope: f64, both: bool) -> String {
        let unit = self.curve.unit;
        let fps = graph.view.timeline.playback.fps;
        let sides = match (both, self.side) {
            (true, _) => "in and out",
            (false, KeySide::Arrive) => "in",
            (false, _) => "out",
        };
        let number = match self.typed.text.as_str() {
            "" => format!("{}{}", plain_value(unit, slope), per_second(unit)),
            typed => format!("{typed}▏{}", per_second(unit)),
        };
        let mut said = vec![
            format!("Slope {sides}"),
            number,
            format!("{}/frame", plain_value(unit, slope / fps)),
        ];
        if self.curve.track.interpolation == Interpolation::Linear {
            said.push("converts LINEAR to CUBICSPLINE".to_owned());
        }
        // A horizontal pull suggests a weighted tangent, which glTF does not have.
        if self.pull.gone.x.abs() > 24.0 {
            said.push("press I to add a key here".to_owned());
        }
        said.join("  ")
    }
}

/// Suffix of a slope with this unit.
pub const fn per_second(unit: Unit) -> &'static str {
    match unit {
        Unit::Degrees | Unit::Meters => "/s",
        Unit::Plain => " per s",
    }
}
