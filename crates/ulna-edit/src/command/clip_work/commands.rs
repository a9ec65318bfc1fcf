//! Commands that work on a whole clip.

use crate::command::{
    define::document_commands,
    field::{ClipName, Nodes, Seconds, choice},
    rules,
};
use ulna_model::Document;
use ulna_motion::clip_edit::TravelTo;

document_commands! {
    /// Commands that work on a whole clip.
    ClipWorkCommand in "Clip";

    /// Trims a clip to a range, such as the play range
    TrimClip {
        /// Clip to edit.
        clip: ClipName,
        /// Start of the range to keep, in seconds.
        from: Seconds,
        /// End of the range to keep, in seconds; the end of the clip if omitted.
        to: Option<Seconds>,
        /// Whether to add keys to splines so that the motion stays exact; yes if omitted.
        exact: Option<bool>,
    } = "clip.trim",
        "Trim clip", menu: "Clip/Change the clip", asks: true, enabled: rules::clip_shown;
    /// Splits a clip into two clips at the playhead
    SplitClip {
        /// Clip to edit.
        clip: ClipName,
        /// Time of the cut, in seconds.
        time: Seconds,
        /// Name of the second clip; an unused name if omitted.
        name: Option<String>,
    } = "clip.split", "Split clip", menu: "Clip/Change the clip", enabled: rules::clip_shown;
    /// Appends another clip; a channel missing in one clip keeps the value of the file's pose there
    JoinClip {
        /// Clip to edit.
        clip: ClipName,
        /// Clip to append.
        with: ClipName,
        /// Time between the two clips, in seconds; 0 if omitted.
        gap: Option<Seconds>,
        /// Name of a new clip for the result; the first clip is extended if omitted.
        name: Option<String>,
    } = "clip.join",
        "Join clips", menu: "Clip/Change the clip", asks: true, enabled: rules::clip_shown;
    /// Reverses a clip
    ReverseClip {
        /// Clip to edit.
        clip: ClipName,
    } = "clip.reverse",
        "Reverse clip", menu: "Clip/Change the clip", enabled: rules::clip_shown;
    /// Stretches or shortens a clip in time, to a new length or by a factor
    RetimeClip {
        /// Clip to edit.
        clip: ClipName,
        /// New length of the clip, in seconds.
        length: Option<Seconds>,
        /// Factor of the length, such as 2 for twice as long; use it instead of a new length.
        factor: Option<f32>,
        /// Factor of the speed, such as 2 for twice as fast; use it instead of a new length.
        speed: Option<f32>,
    } = "clip.retime",
        "Retime clip", menu: "Clip/Change the clip", asks: true, enabled: rules::clip_shown;
    /// Sets the tick rate of a clip; keys keep their tick numbers, so the speed changes
    SetTicks {
        /// Clip to edit.
        clip: ClipName,
        /// Ticks per second; the tick rate is removed if omitted.
        rate: Option<f32>,
        /// Whether keys keep their tick numbers and so move in time; yes if omitted and the clip
        /// had a tick rate.
        retime: Option<bool>,
    } = "clip.ticks",
        "Set tick rate", menu: "Clip/Change the clip", asks: true, enabled: rules::clip_shown;
    /// Sets the frame rate of a clip; the times of its keys do not change
    SetRate {
        /// Clip to edit.
        clip: ClipName,
        /// Frames per second, 0.1 to 10000; estimated from the keys if omitted.
        rate: Option<f32>,
    } = "clip.rate",
        "Set frame rate", menu: "Clip/Change the clip", asks: true, enabled: rules::clip_shown;
    /// Moves all keys of a clip so that the first key is at 0 s
    StartAtZero {
        /// Clip to edit.
        clip: ClipName,
    } = "clip.start_at_zero",
        "Start at 0", menu: "Clip/Change the clip", enabled: rules::clip_shown;
    /// Mirrors a clip: swaps the motion of the left and right sides
    MirrorClip {
        /// Clip to edit.
        clip: ClipName,
        /// Joints to mirror, together with their mirror joints; all if omitted.
        node: Option<Nodes>,
    } = "clip.mirror", "Mirror clip", menu: "Clip/Change the clip", enabled: rules::clip_shown;
    /// Closes a loop: changes the clip so that its end matches its pose at 0 s
    CloseLoop {
        /// Clip to edit.
        clip: ClipName,
        /// Method of closing the loop; chosen by the gap between start and end if omitted.
        how: Option<CloseHow>,
        /// Number of frames over which the ends are blended; 5 if omitted.
        frames: Option<usize>,
        /// Whether to match the speed at the loop seam as well; yes if omitted.
        speed: Option<bool>,
    } = "clip.close_loop",
        "Close the loop", menu: "Clip/Change the clip", enabled: rules::clip_shown;
    /// Moves the travel of the body through the scene to the root joint or the hips, or removes it
    RootMotion {
        /// Clip to edit.
        clip: ClipName,
        /// Joint whose keys contain the root motion; the parent of the hips if omitted.
        node: Option<Nodes>,
        /// Destination of the travel: the root joint, the hips, or none.
        to: TravelGoes,
        /// Whether to move the travel along the ground; yes if omitted.
        ground: Option<bool>,
        /// Whether to move vertical travel; if omitted, only when the destination is the hips.
        height: Option<bool>,
        /// Whether to move turns about the vertical axis; if omitted, only when the destination is
        /// the hips.
        turn: Option<bool>,
    } = "clip.root_motion",
        "Root motion", menu: "Clip/Change the clip", asks: true, enabled: rules::clip_shown;
    /// Replaces all keys with one key per frame at a frame rate
    ResampleClip {
        /// Clip to edit.
        clip: ClipName,
        /// Frames per second.
        rate: f32,
    } = "clip.resample",
        "Resample clip", menu: "Clip/Change the clip", asks: true, enabled: rules::clip_shown;
    /// Removes as many keys as possible while the error on the skin stays within a limit
    ReduceKeys {
        /// Clip to edit.
        clip: ClipName,
        /// Maximum error on the skin, in millimeters for a body 1.8 m tall; 0.5 if omitted.
        millimetres: Option<f32>,
    } = "clip.reduce",
        "Reduce keys", menu: "Clip/Change the clip", asks: true, enabled: rules::clip_shown;
    /// Replaces dense keys, such as one per frame, by smooth curves through a few keys for editing
    MakeEditable {
        /// Clip to edit.
        clip: ClipName,
        /// Maximum error on the skin, in millimeters for a body 1.8 m tall; 2 if omitted.
        millimetres: Option<f32>,
    } = "clip.make_editable",
        "Make editable", menu: "Clip/Change the clip", asks: true, enabled: rules::clip_shown;
}

choice! {
    /// Destination of the root motion of a clip.
    TravelGoes {
        /// The joint above the hips.
        Root = "root",
        /// No destination: the root motion is removed, and the body moves in place.
        InPlace = "in place",
        /// The hips.
        Hips = "hips",
    }
}

impl From<TravelGoes> for TravelTo {
    fn from(to: TravelGoes) -> Self {
        match to {
            TravelGoes::Root => Self::Root,
            TravelGoes::InPlace => Self::InPlace,
            TravelGoes::Hips => Self::Hips,
        }
    }
}

choice! {
    /// Method of closing a loop.
    CloseHow {
        /// Spreads the difference over the whole clip, so that it ends in the pose at time 0. A
        /// STEP track gets the value at its last key.
        Match = "match",
        /// Bends the last frames toward the pose at time 0.
        Blend = "blend",
        /// Appends a frame with the pose at time 0.
        AddFrame = "add",
        /// Removes the last frame if it is duplicated.
        DropFrame = "drop",
    }
}

impl ClipWorkCommand {
    /// Whether the command itself sets the frame rate of the clip.
    pub(in crate::command) const fn sets_rate(&self) -> bool {
        matches!(self, Self::SetRate(_) | Self::ResampleClip(_))
    }
}

impl ClipWorkCommand {
    /// Returns the number of keys for which the command measures the effect on the skin.
    pub(in crate::command) fn weighed(&self, document: &Document) -> usize {
        let clip = match self {
            Self::ReduceKeys(ReduceKeys { clip, .. })
            | Self::MakeEditable(MakeEditable { clip, .. }) => clip,
            _ => return 0,
        };
        clip.find(document).map_or(0, |id| document.clips[id].key_count())
    }
}
