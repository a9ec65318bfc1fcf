//! Tools that change many vertices of [`WorkingWeights`](crate::WorkingWeights) at once.

mod flood;
mod limits;
mod merge;
mod mirror;
mod normalize;
mod quantize;
mod sets;
mod smooth;
mod strays;

pub(super) use self::strays::is_stray;
pub use self::{
    flood::gradient,
    strays::{in_common, strays},
};
