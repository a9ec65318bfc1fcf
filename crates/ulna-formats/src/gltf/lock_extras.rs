//! Channel locks in the extras of a node: `ulna.locks`.

use super::{
    json::Extensions,
    own_extras::{member, text},
};
use ulna_model::{ChannelLocks, Diagnostics, Location};

/// Name of the member of a node's `extras` that stores its locked channels.
pub const LOCKS: &str = "ulna.locks";

/// Reads the locked channels of a node. Returns none if they cannot be read.
pub fn read(extras: &Extensions, place: &Location, diagnostics: &mut Diagnostics) -> ChannelLocks {
    member(extras, LOCKS, "locked channels", place, diagnostics).unwrap_or_default()
}

/// JSON text of a node's locked channels; `None` if no channel is locked.
pub fn text_of(locks: ChannelLocks) -> Option<String> {
    if locks.is_empty() { None } else { text(locks) }
}
