//! Keys of retargeted clips: as they come, one per frame, or as few as keep the motion.

use super::passes::{ContactSlide, contact_slides};
use crate::clip_edit::{reduced, resampled};
use ulna_model::{Clip, Document, Goal, Shared};

/// Keys of a retargeted clip.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum RetargetKeys {
    /// At the times of the source's keys.
    #[default]
    Source,
    /// One per frame of the source's frame rate.
    Frames,
    /// As few as keep every vertex within a distance in meters, on a body 1.8 m tall.
    Reduced(f32),
}

impl RetargetKeys {
    /// Usual largest distance of [`RetargetKeys::Reduced`], meters.
    pub const TOLERANCE: f32 = 0.5e-3;

    /// A clip with these keys. The sliding of the feet after locking is measured again.
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

/// A clip with other keys.
#[derive(Clone, Debug, PartialEq)]
pub struct KeyedClip {
    /// The clip.
    pub clip: Clip,
    /// Number of keys before and after.
    pub keys: [usize; 2],
    /// Largest distance of a vertex, meters on a body 1.8 m tall; 0 unless keys were reduced.
    pub error: f32,
}
