//! Locked channels in the extras of a node: `ulna.locks`.

use super::{
    json::Extensions,
    own_extras::{member, text},
};
use ulna_model::{ChannelLocks, Diagnostics, Location};

/// The member of a node's `extras` with its locked channels.
pub const LOCKS: &str = "ulna.locks";

/// Locked channels of a node; none if they cannot be read.
pub fn read(extras: &Extensions, place: &Location, diagnostics: &mut Diagnostics) -> ChannelLocks {
    member(extras, LOCKS, "locked channels", place, diagnostics).unwrap_or_default()
}

/// The member of a node with these locks, as JSON; `None` without locks.
pub fn text_of(locks: ChannelLocks) -> Option<String> {
    if locks.is_empty() { None } else { text(locks) }
}
