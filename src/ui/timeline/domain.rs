//! The clock and where edits of a clip go, and what panels ask of them.

use std::collections::BTreeMap;

use crate::ui::Mode;
use ulna_edit::{KeysHome, Selection, command::CloseHow};
use ulna_model::{Clip, ClipId, Document, KeySet, Mix, Repeat, Shared, TrackId, UnkeyedAt};
use ulna_motion::{Playing, clip_edit::Gap};
use ulna_session::{Playback, RulerUnit};

/// Requests of the timeline.
#[derive(Clone, Debug)]
pub enum TimelineAction {
    /// Carries an unkeyed pose along with the playhead, or none.
    Carry(Option<UnkeyedAt>),
    /// Move the playhead, and keep there the pose that is shown now, not keyed yet.
    PutPose(f64),
    /// These keys.
    SelectKeys {
        /// The clip or layer that owns them.
        home: KeysHome,
        /// Keys to select.
        keys: KeySet,
        /// Besides those that are, or instead of them.
        how: SelectHow,
    },
    /// The playhead moved.
    Seek(f64),
    /// Another clip.
    ShowClip(ClipId),
    /// Another ruler.
    Fps(f64),
    /// The ruler counts something else.
    Unit(RulerUnit),
    /// Sets the playback range, in seconds; `None` plays the whole clip.
    Range(Option<(f64, f64)>),
    /// Sets the playback speed; 1 is real time.
    Speed(f64),
    /// Sets the behavior at the end of the clip.
    Repeat(Repeat),
    /// A loop is repaired in this way, or none.
    Repair(Option<RepairLoop>),
    /// The mix is shown and plays in place of a clip, or not.
    Mixing(bool),
    /// A bar of the mix is looked at, by its lane and its place there, or none.
    ChooseBar(Option<(usize, usize)>),
    /// The painted mask of a lane is worked on in the tree, or none.
    PaintMask(Option<usize>),
    /// Auto-key on or off.
    AutoKey(bool),
    /// Whether edits change all selected keys alike.
    EditSelected(bool),
}

/// A loop that is being repaired.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RepairLoop {
    /// Clip to repair.
    pub clip: ClipId,
    /// Method of the repair.
    pub how: CloseHow,
    /// Frames that are bent, where the tail is blended.
    pub frames: usize,
    /// Whether it takes on the speed of the start, too.
    pub speed: bool,
    /// Whether it is seen as it will be.
    pub preview: bool,
    /// Whether all joints are listed.
    pub all: bool,
}

/// Preview of a loop repair.
#[derive(Clone, Debug, PartialEq)]
pub struct RepairSeen {
    /// Document revision and repair that the preview was made from.
    pub of: (u64, RepairLoop),
    /// The clip as it will be, and a number of its own; nothing where it is not to be seen, or
    /// cannot be.
    pub clip: Option<(Shared<Clip>, u64)>,
    /// Loop gaps of the joints in the current clip.
    pub gaps: Vec<Gap>,
    /// Times of keys that it changes.
    pub changed: BTreeMap<TrackId, Vec<f32>>,
}

/// How keys are selected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SelectHow {
    /// These and no others.
    Only,
    /// These, too.
    Add,
    /// Not these.
    Remove,
    /// Inverts the selection of the given keys.
    Toggle,
}

impl SelectHow {
    /// The resulting selection.
    pub fn applied(self, now: KeySet, keys: KeySet) -> KeySet {
        match self {
            Self::Only => keys,
            Self::Add => now.union(&keys),
            Self::Remove => now.without(&keys),
            Self::Toggle => now.clone().without(&keys).union(&keys.without(&now)),
        }
    }
}

/// The clock, and where edits of a clip go.
#[derive(Clone, Debug, Default)]
pub struct Timeline {
    /// The clock.
    pub playback: Playback,
    /// Whether a pose becomes a key at once.
    pub auto_key: bool,
    /// Whether an edit of a value that has selected keys changes all of them by the same
    /// difference.
    pub edit_selected: bool,
    /// The loop that is being repaired.
    pub repair: Option<RepairLoop>,
    /// Preview of that repair.
    pub repair_seen: Option<RepairSeen>,
    /// The bar of the mix that is looked at: its lane, and its place there.
    pub mix_bar: Option<(usize, usize)>,
    /// The lane whose mask is painted in the tree.
    pub mask_lane: Option<usize>,
    /// Clips of the mix that play now, if the mixer is shown.
    pub playing: Vec<Playing>,
    /// The unkeyed pose that is shown at the playhead wherever that goes.
    pub carried: Option<UnkeyedAt>,
    /// The mix that the chosen bar and lane are of.
    followed: Option<Shared<Mix>>,
    /// Selected keys per document revision.
    kept_keys: BTreeMap<u64, (KeysHome, KeySet)>,
}

/// View of the timeline for the panels.
#[derive(Clone, Copy, Debug)]
pub struct TimelineView<'a> {
    /// The clock.
    pub playback: &'a Playback,
    /// Whether a pose becomes a key at once.
    pub auto_key: bool,
    /// Whether edits change all selected keys alike.
    pub edit_selected: bool,
    /// The loop that is being repaired.
    pub repair: Option<&'a RepairLoop>,
    /// Preview of that repair.
    pub repair_seen: Option<&'a RepairSeen>,
    /// The bar of the mix that is looked at: its lane, and its place there. It may be gone.
    pub mix_bar: Option<(usize, usize)>,
    /// The lane whose mask is painted in the tree.
    pub mask_lane: Option<usize>,
    /// Clips of the mix that play now, if the mixer is shown.
    pub playing: &'a [Playing],
    /// The unkeyed pose that is seen.
    pub unkeyed: Option<UnkeyedAt>,
    /// Whether it is carried along with the playhead.
    pub carried: bool,
}

impl Timeline {
    /// View for the panels, with the shown unkeyed pose.
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

    /// Forgets what belongs to the file that was open: the settings stay.
    pub fn leave_file(&mut self) {
        let Self { playback, auto_key, .. } = std::mem::take(self);
        (self.playback, self.auto_key) = (playback, auto_key);
    }

    /// Keeps the chosen bar and the painted lane when the mix is edited, undone or redone: they
    /// follow their bar and lane to another place, and are dropped with them.
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

    /// Keeps which keys are selected in a state of the document.
    pub fn keep_keys(&mut self, revision: u64, home: KeysHome, keys: KeySet) {
        /// States that are remembered; the oldest are forgotten.
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

    /// Does what a panel asked for. Choosing a clip changes a mode that shows none.
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
            // It poses nodes, which is done where commands are run.
            TimelineAction::PutPose(time) => self.playback.seek(time),
        }
    }
}
