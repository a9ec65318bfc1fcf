//! A node held over ranges of a clip: feet that do not slide. Only the rotations of its limb get
//! other keys, and those only where it is held and eased.
//!
//! What is added to the path of the node is one vector per time:
//!
//! ```text
//!  within a range   place + ground·(t − middle) − path(t)   it stands on ground that may move
//!  beside it        what was added at that end, less and less: the motion goes on as it was
//! ```
//!
//! A hold is measured frame by frame on the joint and on the skin. Ranges that it would make worse
//! are left as they are.

mod hold;
mod keying;

use self::hold::{Attempt, Hold};
pub use self::hold::{Holding, LeftOut};
use super::{
    contacts::HoldRange,
    frames::{Jump, Slide, frames, jump},
};
use ulna_model::{Clip, Document, NodeId, Shared};

/// What became of a range.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Judged {
    /// The range.
    pub range: HoldRange,
    /// How it slid before, and would slide then.
    pub slid: (Slide, Slide),
    /// Why it is left as it was; it is held unless given.
    pub left: Option<LeftOut>,
}

/// What came of holding a node.
#[derive(Clone, Debug)]
pub struct Held {
    /// The clip.
    pub clip: Clip,
    /// What became of each range.
    pub ranges: Vec<Judged>,
    /// How far it is from its place at most in the ranges that are held, meters.
    pub error: f32,
    /// Whether that is so because its limb reaches no farther.
    pub short: bool,
    /// The worst jump that it brings.
    pub jump: Option<Jump>,
}

/// Holds a node over ranges of a clip, each where it was there on average. It keeps its angle in
/// the scene as the clip has it. Ranges that would be worse for it are left as they are. Nothing
/// where no limb carries the node.
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
