//! What the timeline asked for: the clock, the clip, keys.

use crate::{app::App, ui::TimelineAction};

impl App {
    pub(in crate::app) fn apply_timeline(&mut self, action: TimelineAction) {
        match action {
            TimelineAction::SelectKeys { keys, add } => {
                if !add {
                    self.selection.keys.clear();
                }
                self.selection.keys.extend(keys);
            }
            TimelineAction::Seek(time) => {
                self.playback.playing = false;
                self.playback.seek(time);
            }
            TimelineAction::ShowClip(clip) => {
                if let Some(session) = &self.session {
                    self.playback.show(session.document(), Some(clip));
                    if self.mode != crate::edit::Mode::Paint {
                        self.mode = crate::edit::Mode::Animate;
                    }
                    self.selection.keys.clear();
                }
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
