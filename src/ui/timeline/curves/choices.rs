//! Display choices of the curve editor: shown curves, their appearance, and the visible value
//! range.

use std::collections::{BTreeMap, BTreeSet};

use super::kinds::{CurveOf, Unit};
pub use crate::ui::{CurveColors, CurvesOf, SpeedStrip};
use ulna_model::{NodeId, Property};
use ulna_motion::curves::EulerOrder;

/// Visible value range per unit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ValueView {
    ranges: [(f64, f64); 3],
}

impl Default for ValueView {
    fn default() -> Self {
        Self { ranges: [(-90.0, 90.0), (-1.0, 1.0), (-1.0, 1.0)] }
    }
}

impl ValueView {
    /// Minimum and maximum visible value of a unit; the minimum is less than the maximum.
    pub const fn range(&self, unit: Unit) -> (f64, f64) {
        self.ranges[unit as usize]
    }

    /// Sets the visible range of a unit. Very narrow ranges are widened, and ranges with infinite
    /// or NaN bounds are ignored.
    pub fn set(&mut self, unit: Unit, low: f64, high: f64) {
        /// Larger values do not fit the single-precision floats of a file.
        const MOST: f64 = 1e38;
        if !(low.is_finite() && high.is_finite()) {
            return;
        }
        let (low, high) = (low.clamp(-MOST, MOST), high.clamp(-MOST, MOST));
        let middle = (low + high) * 0.5;
        let least = (middle.abs() * 1e-6).max(1e-6);
        self.ranges[unit as usize] = if high - low < least {
            (middle - least * 0.5, middle + least * 0.5)
        } else {
            (low, high)
        };
    }

    /// Scrolls up by a fraction of the visible height.
    pub fn shift(&mut self, share: f64) {
        for unit in Unit::ALL {
            let (low, high) = self.range(unit);
            let by = (high - low) * share;
            self.set(unit, low + by, high + by);
        }
    }

    /// Scales the visible ranges by `factor` about a height, given as a fraction from the bottom.
    pub fn zoom(&mut self, share: f64, factor: f64) {
        for unit in Unit::ALL {
            let (low, high) = self.range(unit);
            let about = low + (high - low) * share;
            self.set(unit, about + (low - about) * factor, about + (high - about) * factor);
        }
    }
}

/// Components that rotation curves show.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RotationView {
    /// Euler angles, in degrees.
    Euler(EulerOrder),
    /// Stored quaternion components.
    Quaternion,
}

/// Tool for presses on the graph.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CurveTool {
    /// Selects and moves keys.
    Select,
    /// Selects keys with a box, and scales them by its handles.
    #[default]
    Box,
    /// Inserts keys on curves.
    Insert,
}

/// Value range to fit to the height of the graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fit {
    /// The range of the values of all keys.
    All,
    /// The range of the values of the selected keys, or of all keys without a selection.
    Selected,
    /// The range of the values in the visible time range.
    Height,
}

/// Part of the curve list that can be collapsed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Fold {
    /// Channels of a node.
    Node(NodeId),
    /// Components of a channel.
    Channel(NodeId, Property),
}

/// Choice and appearance of the shown curves.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CurveChoices {
    /// Representation of rotations, per node; nodes without an entry use the default.
    pub rotations: BTreeMap<NodeId, RotationView>,
    /// Visibility set by the user per curve; it overrides `of`.
    pub eyes: BTreeMap<CurveOf, bool>,
    /// Default set of shown curves; entries in `eyes` override it.
    pub of: CurvesOf,
    /// Curves that cannot be edited.
    pub locked: BTreeSet<CurveOf>,
    /// Isolated curves. If not empty, only these are shown.
    pub solo: BTreeSet<CurveOf>,
    /// Curves that are normalized: each curve's own range fills the height.
    pub normalized: BTreeSet<CurveOf>,
    /// Expansion state set by the user; parts without an entry use the default.
    pub folds: BTreeMap<Fold, bool>,
    /// Color scheme of the curves.
    pub colors: CurveColors,
}
