//! Key times of retargeted clips: those of the source, one key per frame, or the fewest that
//! preserve the motion.

use super::{cleaned::ContactSlide, passes::contact_slides};
use crate::clip_edit::{reduced, resampled};
use ulna_model::{Clip, Document, Goal, Shared};

/// Choice of the key times of a retargeted clip.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum RetargetKeys {
    /// Keys at the key times of the source clip.
    #[default]
    Source,
    /// One key per frame, at the frame rate of the source clip.
    Frames,
    /// The fewest keys that keep every vertex within a distance. The value is this distance in
    /// meters, for a body 1.8 m high.
    Reduced(f32),
}

impl RetargetKeys {
    /// Default value of [`RetargetKeys::Reduced`], meters.
    pub const TOLERANCE: f32 = 0.5e-3;

    /// Changes the keys of a retargeted clip. If the keys change, foot sliding in the contacts is
    /// measured again, and stored as `after` in `slides`.
    pub fn applied(
        self,
        document: &Document,
        clip: Clip,
        contacts: &[Goal],
        slides: &mut [ContactSlide],
    ) -> KeyedClip {
        let before = clip.key_count();
        let (clip, error) = match self {
            Self::Source => return KeyedClip { clip, keys: [before; 2], error: 0.0 },
            Self::Frames => {
                let rate = clip.guess_fps().map_or(30.0, |(rate, _)| rate).clamp(1.0, 1000.0);
                (resampled(&clip, rate).0.counted_at(rate), 0.0)
            }
            Self::Reduced(tolerance) => {
                let made = reduced(document, &clip, tolerance);
                (made.clip, made.error)
            }
        };
        let clip = Shared::new(clip);
        if !slides.is_empty() {
            let now = contact_slides(document, &clip, contacts);
            for slide in slides {
                let is_same = |s: &&ContactSlide| s.foot == slide.foot && s.from == slide.from;
                slide.after = now.iter().find(is_same).map_or(slide.after, |s| s.before);
            }
        }
        let keys = [before, clip.key_count()];
        KeyedClip { clip: (*clip).clone(), keys, error }
    }
}

/// A clip with changed keys.
#[derive(Clone, Debug, PartialEq)]
pub struct KeyedClip {
    /// The clip with the changed keys.
    pub clip: Clip,
    /// Number of keys before and after the change.
    pub keys: [usize; 2],
    /// Maximum vertex error, in meters for a body 1.8 m high; 0 unless keys were reduced.
    pub error: f32,
}
