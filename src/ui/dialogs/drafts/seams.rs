//! Filter and order of the list of best transition points.

use ulna_model::ClipId;

/// Order of the transition points.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SeamOrder {
    /// By the distance of the jump of joints.
    #[default]
    Distance,
    /// By the angle of the jump of joints.
    Angle,
    /// By the change of velocity.
    Speed,
}

/// Filter and order of the transition points.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SeamsDraft {
    /// Text that the clips' names contain.
    pub filter: String,
    /// Sort order.
    pub order: SeamOrder,
    /// The pair that is looked at.
    pub shown: Option<(ClipId, ClipId)>,
}
