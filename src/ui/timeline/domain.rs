//! The clock and where edits of a clip go, and what panels ask of them.

use crate::{
    edit::{KeyRef, Mode, Selection},
    model::{ClipId, Document, UnkeyedAt},
    session::Playback,
    ui::Action,
};

/// What the timeline asks for.
#[derive(Clone, Debug)]
pub enum TimelineAction {
    /// Carries an unkeyed pose along with the playhead, or none.
    Carry(Option<UnkeyedAt>),
    /// These keys.
    SelectKeys {
        /// Which.
        keys: Vec<KeyRef>,
        /// Besides those that are.
        add: bool,
    },
    /// The playhead moved.
    Seek(f64),
    /// Another clip.
    ShowClip(ClipId),
    /// Another ruler.
    Fps(f64),
    /// How fast it plays.
    Speed(f64),
    /// Auto-key on or off.
    AutoKey(bool),
}

impl From<TimelineAction> for Action {
    fn from(action: TimelineAction) -> Self {
        Self::Timeline(action)
    }
}

/// The clock, and where edits of a clip go.
#[derive(Clone, Debug, Default)]
pub struct Timeline {
    /// The clock.
    pub playback: Playback,
    /// Whether a pose becomes a key at once.
    pub auto_key: bool,
    /// The unkeyed pose that is shown at the playhead wherever that goes.
    pub carried: Option<UnkeyedAt>,
}

/// What panels see of it.
#[derive(Clone, Copy, Debug)]
pub struct TimelineView<'a> {
    /// The clock.
    pub playback: &'a Playback,
    /// Whether a pose becomes a key at once.
    pub auto_key: bool,
    /// The unkeyed pose that is seen.
    pub unkeyed: Option<UnkeyedAt>,
    /// Whether it is carried along with the playhead.
    pub carried: bool,
}

impl Timeline {
    /// What panels see of it, with the unkeyed pose that is seen.
    pub const fn view(&self, unkeyed: Option<UnkeyedAt>) -> TimelineView<'_> {
        TimelineView { playback: &self.playback, auto_key: self.auto_key, unkeyed, carried: self.carried.is_some() }
    }

    /// Does what a panel asked for. Another clip is shown in Animate mode, but while painting.
    pub fn apply(
        &mut self,
        document: Option<&Document>,
        selection: &mut Selection,
        mode: &mut Mode,
        action: TimelineAction,
    ) {
        match action {
            TimelineAction::SelectKeys { keys, add } => {
                if !add {
                    selection.keys.clear();
                }
                selection.keys.extend(keys);
            }
            TimelineAction::Seek(time) => {
                self.playback.playing = false;
                self.playback.seek(time);
            }
            TimelineAction::ShowClip(clip) => {
                let Some(document) = document else { return };
                self.playback.show(document, Some(clip));
                if *mode != Mode::Paint {
                    *mode = Mode::Animate;
                }
                selection.keys.clear();
            }
            TimelineAction::Fps(fps) => {
                self.playback.fps = fps;
                self.playback.guessed = None;
            }
            TimelineAction::Speed(speed) => self.playback.speed = speed,
            TimelineAction::AutoKey(on) => self.auto_key = on,
            TimelineAction::Carry(at) => self.carried = at,
        }
    }
}
