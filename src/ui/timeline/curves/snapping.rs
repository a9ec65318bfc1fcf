//! Snapping of drags in the graph: to frames, to keys and to round values.

use egui::{Modifiers, Pos2, Ui, Vec2};

use super::{Graph, GraphLayout, held::HeldKeys, model::Unit};

/// Snap distance in points.
const PULL: f32 = 10.0;

/// Distance that the pointer has moved in a drag; Shift slows the motion down.
#[derive(Clone, Copy, Debug)]
pub struct Pull {
    /// Distance moved so far, in points.
    pub gone: Vec2,
    last: Pos2,
}

impl Pull {
    /// Creates a pull that starts at a pointer position, with no distance moved.
    pub const fn from(at: Pos2) -> Self {
        Self { gone: Vec2::ZERO, last: at }
    }

    /// Adds the pointer's motion since the last call. Shift slows it down.
    pub fn go_on(&mut self, at: Pos2, modifiers: Modifiers) {
        /// Factor of pointer motion while Shift is held.
        const FINE: f32 = 0.1;
        let way = at - self.last;
        self.last = at;
        self.gone += way * if modifiers.shift { FINE } else { 1.0 };
    }
}

/// Snaps a time to the nearest frame.
pub fn to_frame(graph: &Graph<'_>, time: f64) -> f64 {
    let fps = graph.view.timeline.playback.fps;
    (time * fps).round() / fps
}

/// Snaps a time to a nearby key, marker or the playhead, or to the nearest frame. Dragged keys are
/// ignored.
pub fn to_times(graph: &Graph<'_>, held: &HeldKeys, time: f64) -> f64 {
    let near = f64::from(PULL) / graph.layout.axis.scale();
    let (low, high) = ((time - near) as f32, (time + near) as f32);
    let keys = held.clip.tracks.iter().flat_map(|(id, track)| {
        let from = track.times.partition_point(|t| *t < low);
        let stays = |t: &&f32| !held.selection.contains(*id, **t);
        track.times[from..].iter().take_while(move |t| **t <= high).filter(stays)
    });
    let markers = held.clip.markers.iter().map(|m| f64::from(m.time));
    let best = keys
        .map(|t| f64::from(*t))
        .chain(markers)
        .chain(std::iter::once(graph.view.timeline.playback.time))
        .min_by(|a, b| (a - time).abs().total_cmp(&(b - time).abs()));
    best.filter(|b| (b - time).abs() <= near).unwrap_or_else(|| to_frame(graph, time))
}

/// Snaps a value to that of a nearby key, or to a round value. Dragged keys are ignored.
pub fn to_values(held: &HeldKeys, curve: usize, value: f64) -> f64 {
    let layout = &held.layout;
    let y = layout.y(curve, value);
    let seen = (layout.time(layout.rect.left()), layout.time(layout.rect.right()));
    let mut best: Option<(f32, f64)> = None;
    for (k, shown) in layout.curves.iter().enumerate() {
        let times = &shown.track.times;
        let from = times.partition_point(|t| f64::from(*t) < seen.0);
        for key in from..times.len().min(from + 400) {
            if f64::from(times[key]) > seen.1 {
                break;
            }
            let is_held = held.curves.iter().any(|(c, own)| *c == k && own.contains(times[key]));
            let far = (layout.y(k, shown.key_value(key)) - y).abs();
            if !is_held && far <= PULL && best.is_none_or(|b| far < b.0) {
                best = Some((far, layout.value(curve, layout.y(k, shown.key_value(key)))));
            }
        }
    }
    best.map_or_else(|| whole(layout, curve, value), |b| b.1)
}

/// Rounds to a multiple of a round step of at least 8 points.
fn whole(layout: &GraphLayout, curve: usize, value: f64) -> f64 {
    let least = layout.value_per_point(curve) * 8.0;
    let step = round_step(layout.curves[curve].unit, least);
    (value / step).round() * step
}

/// Smallest round step of at least `least`. Steps for degrees include 15, 45 and 90.
fn round_step(unit: Unit, least: f64) -> f64 {
    if unit == Unit::Degrees && least > 0.05 {
        const STEPS: [f64; 9] = [0.1, 0.5, 1.0, 5.0, 15.0, 45.0, 90.0, 180.0, 360.0];
        if let Some(step) = STEPS.into_iter().find(|s| *s >= least) {
            return step;
        }
    }
    let power = 10f64.powf(least.max(1e-12).log10().floor());
    [1.0, 2.0, 5.0, 10.0].into_iter().map(|s| s * power).find(|s| *s >= least).unwrap_or(power)
}

/// Expression typed during a drag, which replaces the pointer's motion. It also reads the keys that
/// end a drag.
#[derive(Clone, Debug, Default)]
pub struct Typed {
    /// Typed text.
    pub text: String,
}

/// State of a drag after a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Goes {
    /// The drag continues.
    On,
    /// The drag ends, and its result is kept.
    Kept,
    /// The drag is canceled.
    GivenUp,
}

impl Typed {
    /// Reads keyboard and mouse buttons, and passes letter keys to `letter`. In a `modal` drag no
    /// button is held, and a click ends it.
    pub fn take(&mut self, ui: &Ui, modal: bool, mut letter: impl FnMut(egui::Key)) -> Goes {
        let mut goes = Goes::On;
        for event in ui.input(|i| i.events.clone()) {
            match event {
                egui::Event::Text(text) => {
                    let of_number = |c: &char| c.is_ascii_digit() || "+-−*/().,".contains(*c);
                    self.text.extend(text.chars().filter(of_number));
                }
                egui::Event::Key { key, pressed: true, .. } => match key {
                    egui::Key::Backspace => {
                        self.text.pop();
                    }
                    egui::Key::Enter => goes = Goes::Kept,
                    egui::Key::Escape => goes = Goes::GivenUp,
                    key => letter(key),
                },
                _ => {}
            }
        }
        let (pressed, released, second) = ui.input(|i| {
            let pointer = &i.pointer;
            (pointer.primary_pressed(), pointer.primary_released(), pointer.secondary_pressed())
        });
        if goes == Goes::On && if modal { pressed } else { released } {
            goes = Goes::Kept;
        }
        if second { Goes::GivenUp } else { goes }
    }

    /// Typed number: `None` if nothing is typed, `Some(None)` for an incomplete expression.
    pub fn number(&self) -> Option<Option<f64>> {
        (!self.text.is_empty()).then(|| ulna_edit::evaluate(&self.text).filter(|n| n.is_finite()))
    }
}

/// Position of the pointer, and the current modifiers.
pub fn pointer(ui: &Ui) -> (Option<Pos2>, Modifiers) {
    ui.input(|i| (i.pointer.latest_pos(), i.modifiers))
}

#[cfg(test)]
mod tests {
    use egui::vec2;

    use super::*;

    #[test]
    fn snapping_steps_are_round_numbers_and_never_too_small() {
        for least in [0.003, 0.11, 0.7, 3.0, 17.0, 400.0, 12345.0] {
            for unit in Unit::ALL {
                let step = round_step(unit, least);
                assert!(step >= least && step <= least * 10.0, "{unit:?} {least} {step}");
            }
        }
        assert_eq!(round_step(Unit::Degrees, 6.0), 15.0);
        assert_eq!(round_step(Unit::Meters, 0.013), 0.02);
    }

    #[test]
    fn holding_shift_slows_the_pointer_without_a_jump() {
        let mut pull = Pull::from(egui::pos2(10.0, 10.0));
        pull.go_on(egui::pos2(30.0, 10.0), Modifiers::NONE);
        pull.go_on(egui::pos2(50.0, 30.0), Modifiers::SHIFT);
        assert_eq!(pull.gone, vec2(22.0, 2.0));
    }
}
