//! Holding a node over time ranges of a clip, such as feet that must not slide. Only the rotations
//! of its limb get new keys, within the ranges and their transitions.
//!
//! The offset of the node's path is one vector per time:
//!
//! ```text
//!  within a range     place + ground·(t − middle) − path(t)   fixed to the ground, which may move
//!  before and after   the offset at that end, fading out      the motion continues as before
//! ```
//!
//! A hold is measured frame by frame on the joint and on the skin. Ranges that would become worse
//! are left unchanged.

mod hold;
mod keying;

use self::hold::{Attempt, Hold};
pub use self::hold::{Holding, LeftOut};
use super::{
    contacts::HoldRange,
    frames::{Jump, Slide, frames, jump},
};
use ulna_model::{Clip, Document, NodeId, Shared};

/// Result of the hold for one range.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Judged {
    /// Range that was requested.
    pub range: HoldRange,
    /// Sliding of the node before and after the hold.
    pub slid: (Slide, Slide),
    /// Reason why the range is unchanged; `None` if it is held.
    pub left: Option<LeftOut>,
}

/// The result of holding a node.
#[derive(Clone, Debug)]
pub struct Held {
    /// The clip with the held ranges.
    pub clip: Clip,
    /// The result for each range.
    pub ranges: Vec<Judged>,
    /// Maximum distance of the node from its target in the held ranges, meters.
    pub error: f32,
    /// Whether the error is large because the limb cannot reach the target.
    pub short: bool,
    /// The largest jump that the hold causes; `None` if there is none.
    pub jump: Option<Jump>,
}

/// Holds a node over ranges of a clip, each at the node's mean position in the range. The node
/// keeps its scene rotation of the clip. Ranges that would become worse are left unchanged. `None`
/// if the node has no limb.
pub fn hold_over(
    document: &Document,
    clip: &Shared<Clip>,
    node: NodeId,
    ranges: &[HoldRange],
    holding: &Holding,
) -> Option<Held> {
    let hold = Hold::new(document, clip, node, ranges.first()?.from, holding)?;
    let mut judged: Vec<Judged> = Vec::new();
    let mut open = hold.on_frames(ranges);
    let slid_before = |range: &HoldRange| hold.slide(&hold.before, *range);
    open.retain(|range| {
        let before = slid_before(range);
        let stands = before.joint <= hold.unseen && before.skin <= hold.unseen;
        if stands {
            judged.push(Judged {
                range: *range,
                slid: (before, before),
                left: Some(LeftOut::Stands),
            });
        }
        !stands
    });
    let mut open: Vec<Attempt> =
        open.into_iter().map(|range| Attempt { range, whole: range, slower: 1.0 }).collect();
    loop {
        if open.is_empty() {
            let clip = (**clip).clone();
            return Some(Held { clip, ranges: judged, error: 0.0, short: false, jump: None });
        }
        let pieces = hold.pieces(&open);
        let made = Shared::new(hold.made(&pieces));
        let after = frames(document, &made, &hold.limb, &hold.sole, &hold.times);
        let worse: Vec<Option<LeftOut>> =
            pieces.iter().map(|piece| hold.worse(piece, &after)).collect();
        let now = |range: &HoldRange| (slid_before(range), hold.slide(&after, *range));
        let jump = jump(&hold.before, &after, hold.height / 1.8 * 0.05);
        if worse.iter().all(Option::is_none) {
            let waits = open.iter().any(|o| hold.can_wait(o));
            if jump.is_some() && waits {
                open.iter_mut().for_each(|o| o.slower *= 2.0);
                continue;
            }
            let held =
                open.iter().map(|o| Judged { range: o.range, slid: now(&o.range), left: None });
            judged.extend(held);
            judged.sort_by(|a, b| a.range.from.total_cmp(&b.range.from));
            let error = pieces.iter().map(|piece| hold.error(piece, &made)).fold(0.0, f32::max);
            let short = pieces.iter().any(|piece| hold.short(piece, &after) > hold.far());
            return Some(Held { clip: (*made).clone(), ranges: judged, error, short, jump });
        }
        let mut next = Vec::new();
        for (attempt, why) in open.into_iter().zip(worse) {
            let Some(why) = why else {
                next.push(attempt);
                continue;
            };
            let range = attempt.whole;
            match hold.again(attempt, why) {
                Some(other) => next.push(other),
                None => judged.push(Judged { range, slid: now(&range), left: Some(why) }),
            }
        }
        open = next;
    }
}
