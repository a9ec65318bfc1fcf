//! Drag of keys in the graph: in any direction, in time only, or in value only.

use egui::{Key, Ui};

use super::{
    Graph,
    asked::move_keys,
    held::HeldKeys,
    readout::{frames_in_words, readout, value_in_words},
    snapping::{Goes, Pull, Typed, pointer, to_frame, to_times, to_values},
};
use crate::ui::{Action, Actions, timeline::domain::SelectHow};
use ulna_edit::Command;

/// Directions in which a drag moves keys.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Along {
    /// Keys move in time and value.
    #[default]
    Free,
    /// Keys move only in time.
    Time,
    /// Keys move only in value.
    Value,
}

/// Proportional editing: keys near the dragged keys follow them.
#[derive(Clone, Copy, Debug)]
pub struct Reach {
    /// Whether proportional editing is on.
    pub on: bool,
    /// Distance in seconds within which keys follow.
    pub radius: f64,
    /// Whether the radius changed during a drag.
    pub changed: bool,
}

impl Default for Reach {
    fn default() -> Self {
        Self { on: false, radius: 0.3, changed: false }
    }
}

/// Change of the values by a drag.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Lift {
    /// Upward distance in points, which each curve converts to its own value scale.
    Points(f64),
    /// Typed change of the values.
    Number(f64),
}

/// Drag of keys in the graph.
#[derive(Clone, Debug)]
pub struct KeyDrag {
    held: HeldKeys,
    /// Key under the pointer: its curve and its time.
    grabbed: (usize, f64),
    pull: Pull,
    along: Along,
    typed: Typed,
    /// Last previewed change: seconds, and change of the values.
    shown: (f64, Lift),
    modal: bool,
}

impl KeyDrag {
    /// Starts a drag of the selected keys at one of them.
    pub fn new(held: HeldKeys, grabbed: (usize, f64), at: egui::Pos2, modal: bool) -> Self {
        let (pull, along, typed) = (Pull::from(at), Along::Free, Typed::default());
        Self { held, grabbed, pull, along, typed, shown: (0.0, Lift::Points(0.0)), modal }
    }

    /// Updates the drag from pointer and keyboard, and previews changes.
    pub fn go_on(
        &mut self,
        reach: &mut Reach,
        ui: &Ui,
        graph: &Graph<'_>,
        actions: &mut Actions,
    ) -> Goes {
        let along = &mut self.along;
        let goes = self.typed.take(ui, self.modal, |key| {
            let wanted = match key {
                Key::X => Along::Time,
                Key::Y => Along::Value,
                _ => return,
            };
            *along = if *along == wanted { Along::Free } else { wanted };
        });
        if goes == Goes::GivenUp {
            actions.push(Action::Cancel);
            graph.select(self.held.selection.clone(), SelectHow::Only, actions);
            return goes;
        }
        let (at, modifiers) = pointer(ui);
        if let Some(at) = at {
            self.pull.go_on(at, modifiers);
        }
        if let Some(wanted) = self.wanted(graph, modifiers) {
            let radius = reach.on.then_some(reach.radius);
            if wanted != self.shown || reach.changed {
                (self.shown, reach.changed) = (wanted, false);
                let commands = self.commands(wanted, radius);
                let label = format!("Move {}", self.held.words());
                actions.push(Action::Preview { label, commands });
            }
        }
        self.draw(reach, ui, graph);
        if goes == Goes::Kept {
            actions.push(Action::Commit);
        }
        goes
    }

    /// Change in seconds and in value; `None` while the typed expression is incomplete.
    fn wanted(&self, graph: &Graph<'_>, modifiers: egui::Modifiers) -> Option<(f64, Lift)> {
        let fps = graph.view.timeline.playback.fps;
        let (mut by, mut lift) = (self.later(graph, modifiers), self.lift(modifiers));
        match self.along {
            Along::Time => lift = Lift::Points(0.0),
            Along::Value => by = 0.0,
            Along::Free => {}
        }
        match (self.typed.number(), self.along) {
            (None, _) => Some((by, lift)),
            (Some(number), Along::Value) => Some((0.0, Lift::Number(number?))),
            (Some(number), Along::Time) => Some((number? / fps, Lift::Points(0.0))),
            (Some(number), Along::Free) => Some((number? / fps, lift)),
        }
    }

    /// Change in time by the pointer, in seconds.
    fn later(&self, graph: &Graph<'_>, modifiers: egui::Modifiers) -> f64 {
        let to = self.grabbed.1 + f64::from(self.pull.gone.x) / self.held.layout.axis.scale();
        let to = match modifiers {
            m if m.command => to_times(graph, &self.held, to),
            m if m.shift => to,
            _ => to_frame(graph, to),
        };
        let by = to - self.grabbed.1;
        // No key may move to a time before 0.
        by.max(-self.held.span().0.max(0.0))
    }

    fn lift(&self, modifiers: egui::Modifiers) -> Lift {
        let points = f64::from(-self.pull.gone.y);
        if !modifiers.command {
            return Lift::Points(points);
        }
        let (curve, time) = self.grabbed;
        let scale = self.held.layout.value_per_point(curve);
        let from = self.held.layout.curves[curve].value(time);
        Lift::Points((to_values(&self.held, curve, from + points * scale) - from) / scale)
    }

    fn by(&self, lift: Lift, curve: usize) -> f64 {
        match lift {
            Lift::Points(points) => points * self.held.layout.value_per_point(curve),
            Lift::Number(number) => number,
        }
    }

    fn commands(&self, (by, lift): (f64, Lift), radius: Option<f64>) -> Vec<Command> {
        let mut commands = match radius {
            Some(radius) => self.held.proportional(radius, |k| self.by(lift, k)),
            None => self.held.added(|k| self.by(lift, k)),
        };
        if by != 0.0 {
            commands.push(move_keys(self.held.home.clip, self.held.in_time(), by));
        }
        commands
    }

    /// Draws the readout at the pointer, the direction line, and the radius of proportional
    /// editing.
    fn draw(&self, reach: &Reach, ui: &Ui, graph: &Graph<'_>) {
        let layout = &graph.layout;
        let Some(at) = ui.input(|i| i.pointer.latest_pos()) else { return };
        let painter = ui.painter_at(layout.rect);
        let theme = graph.view.theme;
        let faint = egui::Stroke::new(
            1.0,
            theme.color(ulna_render::ColorRole::SelectionBase).gamma_multiply(0.5),
        );
        let held = &self.held.layout;
        let from = egui::pos2(
            layout.x(self.grabbed.1),
            held.y(self.grabbed.0, held.curves[self.grabbed.0].value(self.grabbed.1)),
        );
        match self.along {
            Along::Time => _ = painter.hline(layout.rect.x_range(), from.y, faint),
            Along::Value => _ = painter.vline(from.x, layout.rect.y_range(), faint),
            Along::Free => {}
        }
        if reach.on {
            let half = (reach.radius * layout.axis.scale()) as f32;
            let (first, last) = self.held.span();
            let area = egui::Rect::from_x_y_ranges(
                layout.x(first) - half..=layout.x(last) + half,
                layout.rect.y_range(),
            );
            let fill = theme.color(ulna_render::ColorRole::TimelineBoxFill).gamma_multiply(0.5);
            painter.rect_filled(area, 0.0, fill);
        }
        readout(ui, theme, at, &self.said(graph));
    }

    fn said(&self, graph: &Graph<'_>) -> String {
        let mut said = vec![self.held.words()];
        let (by, lift) = self.shown;
        let typed = (!self.typed.text.is_empty()).then(|| format!("{}▏", self.typed.text));
        let in_value = self.along == Along::Value;
        match typed {
            Some(text) if in_value => said.push(text),
            Some(text) => said.push(format!("{text} frames")),
            None if !in_value => {
                said.push(frames_in_words(by * graph.view.timeline.playback.fps));
            }
            None => {}
        }
        if self.along != Along::Time && (self.typed.text.is_empty() || !in_value) {
            let mut seen = Vec::new();
            for (k, _) in &self.held.curves {
                let text = value_in_words(self.held.layout.curves[*k].unit, self.by(lift, *k));
                if !seen.contains(&text) {
                    seen.push(text);
                }
            }
            if seen.len() <= 3 {
                said.extend(seen);
            }
        }
        said.join("  ")
    }
}
