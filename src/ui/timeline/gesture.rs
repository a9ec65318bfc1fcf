//! Drags of keys: box selection, move, scale, copy. Each pointer move previews the same command on
//! the original keys.

use egui::{Event, Key, PointerButton, Ui};

use super::axis::TimeAxis;
use crate::ui::{Action, Actions, TimelineAction, View, timeline::domain::SelectHow};
use ulna_edit::{
    KeysHome,
    command::{
        Between, Command, DuplicateKeys, MoveKeys, OffsetKeys, ScaleKeys, WhichKeys,
        field::ClipName, field::Seconds,
    },
    evaluate,
};
use ulna_model::{Clip, ClipId, KeySet, Shared, TrackId};
use ulna_motion::clip_edit::SAME_TIME;

/// Operation of a drag on keys.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Retime {
    /// The keys move.
    Move,
    /// The keys move, and all later keys move by the same time.
    Ripple,
    /// The keys stay, and copies of them move.
    Copy,
    /// The keys are scaled in time about this time, in seconds.
    Stretch(f64),
    /// The tracks of the keys are shifted in time as a whole, and wrap around the loop.
    Offset,
}

/// A drag that moves or scales keys in time.
#[derive(Clone, Debug)]
pub struct Retiming {
    pub kind: Retime,
    /// Clip, or one of its layers, that owns the keys.
    pub home: KeysHome,
    /// Keys at the start of the drag.
    pub keys: KeySet,
    /// Time in the clip that the pointer drags, in seconds.
    pub grabbed: f64,
    /// Time under the pointer at the press, in seconds.
    from: f64,
    /// Typed amount, which replaces the pointer: frames, or a factor.
    typed: String,
    /// Amount of the last preview: seconds, or a factor.
    pub shown: f64,
    /// Clip at the start of the drag.
    before: Shared<Clip>,
    /// Whether the drag began as a copy; it then stays a copy.
    copies: bool,
    /// Whether no mouse button is held, so that a click ends the drag.
    modal: bool,
    /// Button that ends the drag by its release.
    button: PointerButton,
}

/// Position on the sheet: a time in seconds, and a height in the list of rows, in points.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spot {
    pub time: f64,
    pub height: f32,
}

/// Current drag on the sheet.
#[derive(Clone, Debug, Default)]
pub enum KeyGesture {
    /// No drag.
    #[default]
    None,
    /// Box selection, from its first corner.
    Box(Spot),
    /// Lasso selection, with the points of its line.
    Lasso(Vec<Spot>),
    /// Drag of keys.
    Keys(Retiming),
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

impl Retiming {
    /// Starts a drag of keys. `grabbed` is the time that is dragged, and `from` the time under the
    /// pointer.
    pub fn new(
        view: &View<'_>,
        (clip, keys): (ClipId, KeySet),
        kind: Retime,
        grabbed: f64,
        from: f64,
        modal: bool,
    ) -> Option<Self> {
        let before = view.keys_clip(view.session?.document(), clip)?.clone();
        if keys.is_empty() {
            return None;
        }
        let neutral = if let Retime::Stretch(_) = kind { 1.0 } else { 0.0 };
        Some(Self {
            kind,
            home: view.layers.keys_home(clip),
            keys,
            grabbed,
            from,
            typed: String::new(),
            shown: neutral,
            before,
            copies: kind == Retime::Copy,
            modal,
            button: PointerButton::Primary,
        })
    }

    /// Sets the mouse button whose release ends the drag.
    pub const fn held_by(mut self, button: PointerButton) -> Self {
        self.button = button;
        self
    }

    const fn is_stretch(&self) -> bool {
        matches!(self.kind, Retime::Stretch(_))
    }

    /// Updates the drag from pointer and keyboard, and previews changes.
    pub fn go_on(
        &mut self,
        ui: &Ui,
        view: &View<'_>,
        axis: &TimeAxis,
        actions: &mut Actions,
    ) -> Goes {
        let mut goes = self.take_keys(ui);
        let (pointer, modifiers, pressed, released, second) = ui.input(|i| {
            let (press, release) =
                (i.pointer.primary_pressed(), i.pointer.button_released(self.button));
            (i.pointer.latest_pos(), i.modifiers, press, release, i.pointer.secondary_pressed())
        });
        if if self.modal { pressed } else { released } {
            goes = Goes::Kept;
        }
        if second {
            goes = Goes::GivenUp;
        }
        if goes == Goes::GivenUp {
            actions.push(Action::Cancel);
            actions.push(TimelineAction::SelectKeys {
                home: self.home,
                keys: self.keys.clone(),
                how: SelectHow::Only,
            });
            return goes;
        }
        if !self.is_stretch() && !self.modal && matches!(self.kind, Retime::Move | Retime::Copy) {
            let kind = if modifiers.alt || self.copies { Retime::Copy } else { Retime::Move };
            if kind != self.kind {
                (self.kind, self.shown) = (kind, f64::NAN);
            }
        }
        let typed = if self.typed.is_empty() { None } else { Some(evaluate(&self.typed)) };
        let wanted = match (typed, pointer) {
            (Some(Some(number)), _) if self.is_stretch() => Some(number),
            (Some(Some(frames)), _) => Some(frames / view.timeline.playback.fps),
            // An incomplete expression changes nothing.
            (Some(None), _) | (None, None) => None,
            (None, Some(at)) => Some(self.pulled(view, axis, axis.time(at.x), modifiers)),
        };
        if let Some(wanted) = wanted.filter(|w| w.is_finite() && *w != self.shown) {
            self.shown = wanted;
            if self.is_stretch() && wanted <= 0.0 {
                return goes;
            }
            actions.push(Action::Preview {
                label: self.label(),
                commands: vec![self.command(wanted, view.settings.new_keys)],
            });
        }
        if goes == Goes::Kept {
            actions.push(Action::Commit);
        }
        goes
    }

    /// Time offset in seconds, or scale factor, for a pointer at time `at`.
    fn pulled(&self, view: &View<'_>, axis: &TimeAxis, at: f64, modifiers: egui::Modifiers) -> f64 {
        let to = self.grabbed + at - self.from;
        let to = snapped(view, self, axis, to, modifiers);
        match self.kind {
            Retime::Stretch(about) => {
                let span = self.grabbed - about;
                if span.abs() < 1e-9 { 1.0 } else { ((to - about) / span).max(1e-3) }
            }
            _ => to - self.grabbed,
        }
    }

    fn take_keys(&mut self, ui: &Ui) -> Goes {
        let mut goes = Goes::On;
        for event in ui.input(|i| i.events.clone()) {
            match event {
                Event::Text(text) => {
                    let of_number = |c: &char| c.is_ascii_digit() || "+-−*/().,".contains(*c);
                    self.typed.extend(text.chars().filter(of_number));
                }
                Event::Key { key, pressed: true, .. } => match key {
                    Key::Backspace => {
                        self.typed.pop();
                    }
                    Key::Enter => goes = Goes::Kept,
                    Key::Escape => goes = Goes::GivenUp,
                    _ => {}
                },
                _ => {}
            }
        }
        goes
    }

    fn label(&self) -> String {
        let keys = match self.keys.len() {
            1 => "1 key".to_owned(),
            n => format!("{n} keys"),
        };
        let verb = match self.kind {
            Retime::Move => "Move",
            Retime::Ripple => "Ripple move",
            Retime::Copy => "Duplicate",
            Retime::Stretch(_) => "Scale",
            Retime::Offset => "Offset",
        };
        format!("{verb} {keys}")
    }

    fn command(&self, by: f64, new_keys: Between) -> Command {
        let clip = ClipName::Id(self.home.clip);
        let which = WhichKeys::these(self.home.clip, self.keys.clone());
        let seconds = Seconds(by as f32);
        match self.kind {
            Retime::Move => {
                MoveKeys { clip, by: seconds, which, ripple: None, make_room: None }.into()
            }
            Retime::Ripple => {
                MoveKeys { clip, by: seconds, which, ripple: Some(true), make_room: None }.into()
            }
            Retime::Copy => {
                DuplicateKeys { clip, by: seconds, which, interpolation: Some(new_keys) }.into()
            }
            Retime::Offset => OffsetKeys { clip, by: seconds, which }.into(),
            Retime::Stretch(about) => {
                ScaleKeys { clip, factor: by as f32, about: Some(Seconds(about as f32)), which }
                    .into()
            }
        }
    }

    /// Whether a moved key replaced an existing key of the track.
    pub fn replaces(&self, track: TrackId, time: f32) -> bool {
        let Some(was) = self.before.tracks.get(&track) else { return false };
        let here = was.key_at(time, SAME_TIME).map(|k| was.times[k]);
        // A copy may land on its own original.
        here.is_some_and(|t| {
            self.kind == Retime::Copy
                || self.keys.of_track(track).binary_search_by(|k| k.total_cmp(&t)).is_err()
        })
    }

    /// Text at the pointer: number of keys, distance, and keys that are replaced or moved.
    pub fn said(&self, now: Option<&Shared<Clip>>, fps: f64) -> String {
        let count = self.keys.len();
        let mut said = vec![if count == 1 { "1 key".to_owned() } else { format!("{count} keys") }];
        match (self.typed.as_str(), self.kind) {
            ("", Retime::Stretch(_)) => said.push(format!("× {:.3}", self.shown)),
            ("", _) if self.shown.is_finite() => {
                let frames = self.shown * fps;
                let whole = (frames - frames.round()).abs() < 1e-3;
                let sign = if frames < 0.0 { "−" } else { "+" };
                let number = if whole {
                    format!("{:.0}", frames.abs())
                } else {
                    format!("{:.2}", frames.abs())
                };
                let word = if number == "1" { "frame" } else { "frames" };
                said.push(format!("{sign}{number} {word}"));
            }
            (typed, Retime::Stretch(_)) => said.push(format!("× {typed}▏")),
            (typed, _) => said.push(format!("{typed}▏ frames")),
        }
        let copies = if self.kind == Retime::Copy && self.shown != 0.0 { count } else { 0 };
        let now = now.map_or(0, |c| c.key_count());
        let replaced = (self.before.key_count() + copies).saturating_sub(now);
        if replaced > 0 {
            said.push(format!("○ replaces {replaced}"));
        }
        said.join(" · ")
    }
}

/// Snaps a time to the nearest frame. With Shift it does not snap. With Ctrl it snaps to a key that
/// is not dragged, to a marker or to the playhead.
fn snapped(
    view: &View<'_>,
    gesture: &Retiming,
    axis: &TimeAxis,
    time: f64,
    modifiers: egui::Modifiers,
) -> f64 {
    /// Snap distance in points.
    const PULL: f64 = 12.0;
    if modifiers.shift {
        return time;
    }
    if modifiers.command {
        let playhead = std::iter::once(view.timeline.playback.time);
        let document = view.session.map(|s| s.document());
        let clip = document.and_then(|d| view.keys_clip(d, gesture.home.clip));
        let near = PULL / axis.scale();
        let (low, high) = ((time - near) as f32, (time + near) as f32);
        let keys = clip.into_iter().flat_map(|clip| {
            clip.tracks.iter().flat_map(move |(id, track)| {
                let from = track.times.partition_point(|t| *t < low);
                let moved = view.selected_keys().of_track(*id);
                let stays = move |t: &&f32| moved.binary_search_by(|k| k.total_cmp(t)).is_err();
                track.times[from..]
                    .iter()
                    .take_while(move |t| **t <= high)
                    .filter(stays)
                    .map(|t| f64::from(*t))
            })
        });
        let markers = clip.into_iter().flat_map(|c| c.markers.iter()).map(|m| f64::from(m.time));
        let best = playhead
            .chain(keys)
            .chain(markers)
            .min_by(|a, b| (a - time).abs().total_cmp(&(b - time).abs()));
        return best.filter(|b| (b - time).abs() <= near).unwrap_or(time);
    }
    let fps = view.timeline.playback.fps;
    (time * fps).round() / fps
}
