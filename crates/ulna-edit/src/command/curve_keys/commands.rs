//! Commands that shape curves through keys.

use super::words::{EaseName, Fade, FilterName, NearHow, SlideName, Slow};
use crate::command::{
    define::document_commands,
    field::{ClipName, KeyParts, Nodes, Numbers, Seconds},
    key_edits::AxisOrder,
    rules,
    which_keys::{KeyList, WhichKeys},
};

document_commands! {
    /// Commands that shape curves through keys.
    CurveKeysCommand in "Clip/Curves", edits_keys: true;

    /// Eases the motion from each key to the next key, by tangents and, if needed, added keys
    EaseKeys {
        /// Clip to edit.
        clip: ClipName,
        /// Shape of the ease.
        shape: EaseName,
        /// End of the segment at which the motion is slow; both if omitted.
        way: Option<Slow>,
        /// Amount of the ease: 0 is linear, 1 (100 %) is the plain shape, 2 is twice as much; 100 %
        /// if omitted.
        amount: Option<f32>,
        /// Bézier curve of a custom ease: x1, y1, x2, y2.
        curve: Option<Numbers>,
        /// Order of the Euler angles of rotations; the order farthest from gimbal lock if omitted.
        order: Option<AxisOrder>,
        /// Keys to ease between; all if omitted.
        which: WhichKeys,
    } = "key.ease", "Ease between keys", asks: true, enabled: rules::clip_shown;
    /// Changes keys relative to their neighboring keys, by a slider
    SlideKeys {
        /// Clip to edit.
        clip: ClipName,
        /// Slider that moves the keys.
        how: SlideName,
        /// Position of the slider, -1 to 1; 0 changes nothing.
        amount: f32,
        /// Order of the Euler angles of rotations; the order farthest from gimbal lock if omitted.
        order: Option<AxisOrder>,
        /// Keys to edit.
        which: WhichKeys,
    } = "key.slide", "Slide keys", asks: true, enabled: rules::clip_shown;
    /// Filters keys: smooths the motion, removes peaks, adds noise or removes keys
    FilterKeys {
        /// Clip to edit.
        clip: ClipName,
        /// Filter to apply.
        filter: FilterName,
        /// Strength of the filter, 0 to 1; 100 % if omitted.
        strength: Option<f32>,
        /// Low-pass filter: frequency at which half the power remains, in hertz; 6 if omitted.
        cutoff: Option<f32>,
        /// Low-pass filter: order, 1 to 8; 4 if omitted.
        order: Option<usize>,
        /// Gaussian filter: standard deviation, in seconds; 0.05 if omitted.
        seconds: Option<Seconds>,
        /// Smooth filter: number of passes; 1 if omitted.
        passes: Option<usize>,
        /// Peaks filter: distance from the median above which a key is a peak, in standard
        /// deviations; 3 if omitted.
        limit: Option<f32>,
        /// Noise filter: largest change, in degrees for rotations; 1 if omitted.
        noise: Option<f32>,
        /// Noise filter: frequency, in hertz; 2 if omitted.
        hz: Option<f32>,
        /// Noise filter: seed of the random numbers; 0 if omitted.
        seed: Option<usize>,
        /// Simplify filter: largest error of the skin, in millimeters on a body of 1.8 m; 0.5 if
        /// omitted.
        millimetres: Option<f32>,
        /// Whether the clip loops, so that the last key is followed by the first key; no if
        /// omitted.
        across_loop: Option<bool>,
        /// Time over which the filter fades in at both ends of a range of keys, in seconds; set by
        /// the filter if omitted.
        blend_in: Option<Seconds>,
        /// Time ranges whose keys do not change: start and end of each range, in seconds.
        protect: Option<Numbers>,
        /// Whether to leave legs unchanged while their feet are on the ground; no if omitted.
        contacts: Option<bool>,
        /// Order of the Euler angles of rotations; the order farthest from gimbal lock if omitted.
        axes: Option<AxisOrder>,
        /// Keys to edit; all if omitted.
        which: WhichKeys,
    } = "track.filter", "Filter keys", asks: true, enabled: rules::clip_shown;
    /// Delays the keys of a chain of joints, from the first joint to the last with increasing delay
    OverlapKeys {
        /// Clip to edit.
        clip: ClipName,
        /// Joints of the chain.
        node: Nodes,
        /// Delay of the last joint, in seconds.
        by: Seconds,
        /// Fall-off of the delay toward the first joint; linear if omitted.
        falloff: Option<Fade>,
        /// Whether keys past the end of the clip wrap around to its start; no if omitted.
        across_loop: Option<bool>,
    } = "key.overlap", "Overlap a chain", asks: true, enabled: rules::clip_shown;
    /// Edits keys, and nearby keys by an amount that decreases with their distance
    ProportionalKeys {
        /// Clip to edit.
        clip: ClipName,
        /// Property to change: key values or key times.
        how: NearHow,
        /// Amount: the time shift in seconds; or the number to add, one per component or one for
        /// all, in degrees about x, y and z for rotations.
        by: Numbers,
        /// Largest distance in time at which other keys follow, in seconds.
        radius: Seconds,
        /// Fall-off within the radius; smooth if omitted.
        falloff: Option<Fade>,
        /// Order of the Euler angles of rotations; the order farthest from gimbal lock if omitted.
        order: Option<AxisOrder>,
        /// Keys to edit.
        which: WhichKeys,
    } = "key.proportional", "Edit keys proportionally", asks: true, enabled: rules::clip_shown;
    /// Moves chosen times to new times, and stretches or compresses the keys between them
    WarpKeys {
        /// Clip to edit.
        clip: ClipName,
        /// Current times of the handles, in seconds.
        from: Numbers,
        /// New times of the handles, in seconds.
        to: Numbers,
        /// Nodes whose keys move; all if omitted.
        node: Option<Nodes>,
        /// Channels whose keys move; all if omitted.
        parts: Option<KeyParts>,
        /// Keys to move; all if omitted.
        keys: Option<KeyList>,
    } = "key.retime", "Warp keys in time", asks: true, enabled: rules::clip_shown;
}

impl CurveKeysCommand {
    /// The clip that contains the keys.
    pub(in crate::command) const fn clip(&self) -> &ClipName {
        match self {
            Self::EaseKeys(c) => &c.clip,
            Self::SlideKeys(c) => &c.clip,
            Self::FilterKeys(c) => &c.clip,
            Self::OverlapKeys(c) => &c.clip,
            Self::ProportionalKeys(c) => &c.clip,
            Self::WarpKeys(c) => &c.clip,
        }
    }
}
