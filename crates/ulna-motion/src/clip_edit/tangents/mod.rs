//! Tangents of CUBICSPLINE keys: automatic tangents, and tangents with modes.

mod auto;
mod made;
mod modes;
mod slopes;
mod spline;
#[cfg(test)]
mod tests;

pub(crate) use self::modes::named_modes;
pub use self::{
    auto::{Tangents, is_auto, with_auto_tangents, with_tangents},
    modes::{mode_at, modes_of, refreshed, with_matched_seam, with_modes},
};
