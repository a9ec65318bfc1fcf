//! Settings of a stroke, and one dab of it.

use glam::Vec3;

use crate::{Brush, MirrorMap, Touch};

/// Settings of a stroke.
#[derive(Clone, Copy, Debug)]
pub struct Paint<'a> {
    /// The brush.
    pub brush: Brush,
    /// The painted joint, by its number in the skin.
    pub joint: u16,
    /// By the skin's joints: those that never move.
    pub locked: &'a [bool],
    /// The most joints a vertex may have.
    pub limit: usize,
    /// The other side, where it is painted too.
    pub mirror: Option<&'a MirrorMap>,
}

/// One dab.
#[derive(Clone, Copy, Debug)]
pub struct Dab<'a> {
    /// The touch on the surface.
    pub touch: Touch,
    /// A pen's pressure, 0 to 1; 1 for a mouse.
    pub pressure: f32,
    /// Way from the previous dab, meters.
    pub motion: Vec3,
    /// The canvas's vertices within the radius, and perhaps more, each once, where a tree knows
    /// them; else all are looked at.
    pub near: Option<&'a [u32]>,
}
