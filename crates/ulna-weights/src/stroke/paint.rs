//! Settings of a stroke, and one dab of it.

use glam::Vec3;

use crate::{Brush, MirrorMap, Touch};

/// Settings of a stroke.
#[derive(Clone, Copy, Debug)]
pub struct Paint<'a> {
    /// The brush.
    pub brush: Brush,
    /// The painted joint, as an index in the skin.
    pub joint: u16,
    /// Whether each joint of the skin is locked.
    pub locked: &'a [bool],
    /// Maximum number of influences per vertex.
    pub limit: usize,
    /// Mirror pairs, if the other side is painted, too.
    pub mirror: Option<&'a MirrorMap>,
}

/// One dab of a stroke.
#[derive(Clone, Copy, Debug)]
pub struct Dab<'a> {
    /// The touch on the surface.
    pub touch: Touch,
    /// Pen pressure, `0..=1`; 1 for a mouse.
    pub pressure: f32,
    /// Motion since the previous dab, in meters.
    pub motion: Vec3,
    /// Candidates that include all vertices within the radius, without duplicates, if known.
    /// `None`: all vertices are examined.
    pub near: Option<&'a [u32]>,
}
