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

    /// Eases the motion from each key to the next one, by tangents and, if needed, added keys
    EaseKeys {
        /// Clip to edit.
        clip: ClipName,
        /// Shape of the ease.
        shape: EaseName,
        /// End at which the ease is slow; both if omitted.
        way: Option<Slow>,
        /// Amount of the ease: 0 is a straight line, 1 the shape, 2 twice as much; 1 if omitted.
        amount: Option<f32>,
        /// Bézier curve of a custom ease: x1, y1, x2, y2.
        curve: Option<Numbers>,
        /// Order of the axes for single angles; the order with the least gimbal if omitted.
        order: Option<AxisOrder>,
        /// Keys to ease between; all if omitted.
        which: WhichKeys,
    } = "key.ease", "Ease between keys", asks: true, enabled: rules::clip_shown;
    /// Slides keys between their neighbors
    SlideKeys {
        /// Clip to edit.
        clip: ClipName,
        /// Slider that moves the keys.
        how: SlideName,
        /// Amount, -1 to 1.
        amount: f32,
        /// Order of the axes for single angles; the order with the least gimbal if omitted.
        order: Option<AxisOrder>,
        /// Keys to edit.
        which: WhichKeys,
    } = "key.slide", "Slide keys", asks: true, enabled: rules::clip_shown;
    /// Filters the motion of keys: removes jitter or peaks, adds noise or removes keys
    FilterKeys {
        /// Clip to edit.
        clip: ClipName,
        /// Filter to apply.
        filter: FilterName,
        /// Strength, 0 to 1; 1 if omitted.
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
        /// Whether the last key is followed by the first one.
        across_loop: Option<bool>,
        /// Time from the ends of the keys to full strength, in seconds.
        blend_in: Option<Seconds>,
        /// Times whose keys do not change: start and end of each range, in seconds.
        protect: Option<Numbers>,
        /// Whether legs do not change while their feet are on the ground.
        contacts: Option<bool>,
        /// Order of the axes for single angles; the order with the least gimbal if omitted.
        axes: Option<AxisOrder>,
        /// Keys to edit; all if omitted.
        which: WhichKeys,
    } = "track.filter", "Filter keys", asks: true, enabled: rules::clip_shown;
    /// Moves the keys of a chain of joints later, more toward its last joint
    OverlapKeys {
        /// Clip to edit.
        clip: ClipName,
        /// Joints of the chain.
        node: Nodes,
        /// Offset of the last joint, in seconds.
        by: Seconds,
        /// Fall-off toward the first joint; linear if omitted.
        falloff: Option<Fade>,
        /// Whether keys past the end wrap around to the start.
        across_loop: Option<bool>,
    } = "key.overlap", "Overlap a chain", asks: true, enabled: rules::clip_shown;
    /// Edits keys, and nearby keys by an amount that decreases with their distance
    ProportionalKeys {
        /// Clip to edit.
        clip: ClipName,
        /// What to change: key values or key times.
        how: NearHow,
        /// Amount: the time shift in seconds; or the number to add, one per component or one for
        /// all, in degrees about x, y and z for rotations.
        by: Numbers,
        /// Time within which other keys follow, in seconds.
        radius: Seconds,
        /// Fall-off within the radius; smooth if omitted.
        falloff: Option<Fade>,
        /// Order of the axes for single angles; the order with the least gimbal if omitted.
        order: Option<AxisOrder>,
        /// Keys to edit.
        which: WhichKeys,
    } = "key.proportional", "Edit keys proportionally", asks: true, enabled: rules::clip_shown;
    /// Warps the times of keys between handles
    WarpKeys {
        /// Clip to edit.
        clip: ClipName,
        /// Times of the handles, in seconds.
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
