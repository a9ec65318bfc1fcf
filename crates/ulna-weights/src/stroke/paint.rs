//! Settings of a stroke, and the input of one dab.

use glam::Vec3;

use crate::{Brush, MirrorMap, Touch};

/// Settings of a stroke.
#[derive(Clone, Copy, Debug)]
pub struct Paint<'a> {
    /// Brush of the stroke.
    pub brush: Brush,
    /// Index in the skin of the painted joint.
    pub joint: u16,
    /// Whether each joint of the skin is locked.
    pub locked: &'a [bool],
    /// Maximum number of influences per vertex.
    pub limit: usize,
    /// Mirror pairs for painting the other side, too; `None` without mirroring.
    pub mirror: Option<&'a MirrorMap>,
}

/// Input of one dab of a stroke.
#[derive(Clone, Copy, Debug)]
pub struct Dab<'a> {
    /// Point where the brush touches the surface.
    pub touch: Touch,
    /// Pen pressure, `0..=1`; 1 for a mouse.
    pub pressure: f32,
    /// Brush motion since the previous dab in scene space, in meters.
    pub motion: Vec3,
    /// Candidates, if known: they include all vertices within the radius, without duplicates.
    /// `None`: all vertices are examined.
    pub near: Option<&'a [u32]>,
}
