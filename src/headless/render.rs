//! `ulna render`: pictures without a window.

use super::{Failure, RenderArgs};

#[cfg(not(feature = "render"))]
pub(super) fn render(_: &RenderArgs) -> Result<u8, Failure> {
    Err(Failure::fault("this build of Ulna makes no pictures; build it with the feature “render”"))
}

#[cfg(feature = "render")]
pub(super) fn render(_: &RenderArgs) -> Result<u8, Failure> {
    Err(Failure::fault("no"))
}
