//! State and requests of the timeline: playback, repair of loops, selected keys, and the
//! destination of edits.

use std::collections::BTreeMap;

use crate::ui::Mode;
use ulna_edit::{KeysHome, Selection, command::CloseHow};
use ulna_model::{Clip, ClipId, Document, KeySet, Mix, Repeat, Shared, TrackId, UnkeyedAt};
use ulna_motion::{Playing, clip_edit::Gap};
use ulna_session::{Playback, RulerUnit};

/// Requests that the timeline sends to the application.
#[derive(Clone, Debug)]
pub enum TimelineAction {
    /// Moves an unkeyed pose along with the playhead; `None` ends this.
    Carry(Option<UnkeyedAt>),
    /// Moves the playhead, and stores the shown pose there as an unkeyed pose.
    PutPose(f64),
    /// Selects keys.
    SelectKeys {
        /// Clip or layer that owns the keys.
        home: KeysHome,
        /// Keys to select.
        keys: KeySet,
        /// Combination with the current selection.
        how: SelectHow,
    },
    /// Moves the playhead to a time in seconds, and stops playback.
    Seek(f64),
    /// Shows another clip.
    ShowClip(ClipId),
    /// Sets the frame rate of the ruler, in frames per second.
    Fps(f64),
    /// Sets the unit of the ruler.
    Unit(RulerUnit),
    /// Sets the playback range, in seconds; `None` plays the whole clip.
    Range(Option<(f64, f64)>),
    /// Sets the playback speed; 1 is real time.
    Speed(f64),
    /// Sets the behavior at the end of the clip.
    Repeat(Repeat),
    /// Sets the method of the loop repair; `None` ends the repair.
    Repair(Option<RepairLoop>),
    /// Plays the mix, or the shown clip.
    Mixing(bool),
    /// Selects a bar of the mix by its lane and its index; `None` clears the selection.
    ChooseBar(Option<(usize, usize)>),
    /// Selects the lane with the mask to paint in the outliner; `None` ends painting.
    PaintMask(Option<usize>),
    /// Switches automatic keys on or off.
    AutoKey(bool),
    /// Sets whether edits change all selected keys alike.
    EditSelected(bool),
}

/// Settings of a loop repair.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RepairLoop {
    /// Clip to repair.
    pub clip: ClipId,
    /// Method of the repair.
    pub how: CloseHow,
    /// Number of frames to bend, if the last frames are blended.
    pub frames: usize,
    /// Whether the speed at the end is matched to the start, too.
    pub speed: bool,
    /// Whether the repaired motion is previewed.
    pub preview: bool,
    /// Whether all joints are listed.
    pub all: bool,
}

/// Preview of a loop repair.
#[derive(Clone, Debug, PartialEq)]
pub struct RepairSeen {
    /// Document revision and repair that the preview was made from.
    pub of: (u64, RepairLoop),
    /// Repaired clip with a serial number; `None` without a preview or if the repair is not
    /// possible.
    pub clip: Option<(Shared<Clip>, u64)>,
    /// Loop gaps of the joints in the current clip.
    pub gaps: Vec<Gap>,
    /// Times of the keys that the repair changes, in seconds, per track.
    pub changed: BTreeMap<TrackId, Vec<f32>>,
}

/// Combination of keys with the current selection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SelectHow {
    /// Selects only the given keys.
    Only,
    /// Adds the given keys to the selection.
    Add,
    /// Removes the given keys from the selection.
    Remove,
    /// Inverts the selection of the given keys.
    Toggle,
}

impl SelectHow {
    /// Returns the new selection: the current selection `now`, combined with `keys`.
    pub fn applied(self, now: KeySet, keys: KeySet) -> KeySet {
        match self {
            Self::Only => keys,
            Self::Add => now.union(&keys),
            Self::Remove => now.without(&keys),
            Self::Toggle => now.clone().without(&keys).union(&keys.without(&now)),
        }
    }
}

/// State of the timeline: playback, and the destination of edits.
#[derive(Clone, Debug, Default)]
pub struct Timeline {
    /// Playback state and playhead.
    pub playback: Playback,
    /// Whether edits of a pose set keys immediately.
    pub auto_key: bool,
    /// Whether an edit of a value changes all selected keys of this value by the same amount.
    pub edit_selected: bool,
    /// Settings of the current loop repair.
    pub repair: Option<RepairLoop>,
    /// Preview of the current loop repair.
    pub repair_seen: Option<RepairSeen>,
    /// Selected bar of the mix: its lane, and its index in the lane.
    pub mix_bar: Option<(usize, usize)>,
    /// Lane with the mask that is painted in the outliner.
    pub mask_lane: Option<usize>,
    /// Clips of the mix that currently play; empty unless the mixer is shown.
    pub playing: Vec<Playing>,
    /// Unkeyed pose that moves along with the playhead.
    pub carried: Option<UnkeyedAt>,
    /// Mix that the selected bar and lane refer to.
    followed: Option<Shared<Mix>>,
    /// Selected keys per document revision.
    kept_keys: BTreeMap<u64, (KeysHome, KeySet)>,
}

/// Read-only view of the timeline for the panels.
#[derive(Clone, Copy, Debug)]
pub struct TimelineView<'a> {
    /// Playback state and playhead.
    pub playback: &'a Playback,
    /// Whether edits of a pose set keys immediately.
    pub auto_key: bool,
    /// Whether edits change all selected keys alike.
    pub edit_selected: bool,
    /// Settings of the current loop repair.
    pub repair: Option<&'a RepairLoop>,
    /// Preview of the current loop repair.
    pub repair_seen: Option<&'a RepairSeen>,
    /// Selected bar of the mix: its lane, and its index in the lane. The bar may not exist any
    /// more.
    pub mix_bar: Option<(usize, usize)>,
    /// Lane with the mask that is painted in the outliner.
    pub mask_lane: Option<usize>,
    /// Clips of the mix that currently play; empty unless the mixer is shown.
    pub playing: &'a [Playing],
    /// Unkeyed pose that is shown.
    pub unkeyed: Option<UnkeyedAt>,
    /// Whether the unkeyed pose moves along with the playhead.
    pub carried: bool,
}

impl Timeline {
    /// View for the panels. `unkeyed` is the shown unkeyed pose.
    pub const fn view(&self, unkeyed: Option<UnkeyedAt>) -> TimelineView<'_> {
        TimelineView {
            playback: &self.playback,
            auto_key: self.auto_key,
            edit_selected: self.edit_selected,
            repair: self.repair.as_ref(),
            repair_seen: self.repair_seen.as_ref(),
            mix_bar: self.mix_bar,
            mask_lane: self.mask_lane,
            playing: self.playing.as_slice(),
            unkeyed,
            carried: self.carried.is_some(),
        }
    }

    /// Resets the state that belongs to the closed file, but not the settings.
    pub fn leave_file(&mut self) {
        let Self { playback, auto_key, .. } = std::mem::take(self);
        (self.playback, self.auto_key) = (playback, auto_key);
    }

    /// Updates the selected bar and the painted lane after a change of the mix, including undo.
    /// They follow their bar and lane to a new index, or are cleared if those were removed.
    pub fn follow_mix(&mut self, now: Option<Shared<Mix>>) {
        if self.followed == now {
            return;
        }
        let before = std::mem::replace(&mut self.followed, now);
        let (Some(before), now) = (before, self.followed.clone().unwrap_or_default()) else {
            return;
        };
        self.mix_bar = self.mix_bar.and_then(|at| before.bar_in(&now, at));
        self.mask_lane = self.mask_lane.and_then(|lane| before.lane_in(&now, lane));
    }

    /// Stores the selected keys of a document revision.
    pub fn keep_keys(&mut self, revision: u64, home: KeysHome, keys: KeySet) {
        /// Maximum number of stored revisions. The oldest are dropped.
        const MOST: usize = 256;
        self.kept_keys.insert(revision, (home, keys));
        if self.kept_keys.len() > MOST {
            self.kept_keys.pop_first();
        }
    }

    /// Selected keys of a document revision.
    pub fn kept_keys(&self, revision: u64) -> Option<(KeysHome, KeySet)> {
        self.kept_keys.get(&revision).cloned()
    }

    /// Applies a request of a panel. Showing a clip also leaves modes that show no clip.
    pub fn apply(
        &mut self,
        document: Option<&Document>,
        selection: &mut Selection,
        mode: &mut Mode,
        action: TimelineAction,
    ) {
        match action {
            TimelineAction::SelectKeys { home, keys, how } => {
                let now = selection.keys_of(Some(home)).clone();
                selection.set_keys(home, how.applied(now, keys));
            }
            TimelineAction::Seek(time) => {
                self.playback.playing = false;
                self.playback.seek(time);
            }
            TimelineAction::ShowClip(clip) => {
                let Some(document) = document else { return };
                self.playback.show(document, Some(clip));
                *mode = mode.with_clip();
            }
            TimelineAction::Fps(fps) => {
                self.playback.fps = fps;
                self.playback.guessed = None;
            }
            TimelineAction::Unit(unit) => self.playback.unit = unit,
            TimelineAction::Range(range) => self.playback.range = range,
            TimelineAction::Speed(speed) => self.playback.speed = speed,
            TimelineAction::Repeat(repeat) => self.playback.repeat = repeat,
            TimelineAction::Repair(repair) => self.repair = repair,
            TimelineAction::Mixing(on) => {
                self.mask_lane = None;
                self.playback.mix(on);
                if on {
                    *mode = Mode::FOR_CLIPS;
                }
            }
            TimelineAction::ChooseBar(bar) => self.mix_bar = bar,
            TimelineAction::PaintMask(lane) => self.mask_lane = lane,
            TimelineAction::AutoKey(on) => self.auto_key = on,
            TimelineAction::EditSelected(on) => self.edit_selected = on,
            TimelineAction::Carry(at) => self.carried = at,
            // Storing the pose is an edit, which the application runs as a command.
            TimelineAction::PutPose(time) => self.playback.seek(time),
        }
    }
}
