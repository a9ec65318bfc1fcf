//! Result of keeping feet and hands in place: the clip, and how far they slide in each contact.

use ulna_model::{Clip, NodeId};

/// Sliding of a foot or a hand in one contact. A contact consists of goals in the same space that
/// overlap or touch in time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactSlide {
    /// The foot or the hand.
    pub foot: NodeId,
    /// Start of the contact, seconds.
    pub from: f32,
    /// End of the contact, seconds.
    pub to: f32,
    /// Sliding before cleaning, meters: the extent of the motion of the points that should stay in
    /// place on the ground, or relative to the node whose space they follow.
    pub before: f32,
    /// Sliding after cleaning, meters, measured like `before`.
    pub after: f32,
}

/// Result of keeping feet and hands of a clip in place.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Cleaned {
    /// The new clip.
    pub clip: Clip,
    /// Sliding in each contact before and after cleaning, sorted by start time.
    pub slides: Vec<ContactSlide>,
    /// Largest distance by which the hips are lowered, meters.
    pub lowered: f32,
    /// Feet and hands that do not reach their contact positions, because the leg or arm is too
    /// short.
    pub short: Vec<NodeId>,
}
