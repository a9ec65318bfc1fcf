//! Choices for the curves: the ones that are shown, and how; the values in sight.

use std::collections::{BTreeMap, BTreeSet};

use super::kinds::{CurveOf, Unit};
pub use crate::ui::{CurveColors, CurvesOf, SpeedStrip};
use ulna_model::{NodeId, Property};
use ulna_motion::curves::EulerOrder;

/// The values in sight, by unit: the lowest and the highest.
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
    /// The lowest and the highest value of a unit, the lowest being less.
    pub const fn range(&self, unit: Unit) -> (f64, f64) {
        self.ranges[unit as usize]
    }

    /// Shows from one value to another of a unit. Ranges that are too narrow to count with are made
    /// wider, and numbers that are none are not taken.
    pub fn set(&mut self, unit: Unit, low: f64, high: f64) {
        /// Values beyond these cannot be stored in a file.
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

    /// Moves what is in sight up by a share of its height.
    pub fn shift(&mut self, share: f64) {
        for unit in Unit::ALL {
            let (low, high) = self.range(unit);
            let by = (high - low) * share;
            self.set(unit, low + by, high + by);
        }
    }

    /// Shows more or less of all values, about a share of the height, from its foot.
    pub fn zoom(&mut self, share: f64, factor: f64) {
        for unit in Unit::ALL {
            let (low, high) = self.range(unit);
            let about = low + (high - low) * share;
            self.set(unit, about + (low - about) * factor, about + (high - about) * factor);
        }
    }
}

/// The numbers that curves show of rotations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RotationView {
    /// Euler angles, degrees.
    Euler(EulerOrder),
    /// The four numbers of the quaternion as they are stored.
    Quaternion,
}

/// The effect of a press on the graph.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CurveTool {
    /// Selects and moves keys.
    Select,
    /// Boxes keys, and scales them in a box.
    #[default]
    Box,
    /// Inserts keys on curves.
    Insert,
}

/// The range that the graph is to show next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fit {
    /// All keys.
    All,
    /// The selected keys, or all where none is selected.
    Selected,
    /// The values of the times in sight.
    Height,
}

/// A part of the list that can be folded away.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Fold {
    /// A node's channels.
    Node(NodeId),
    /// A channel's components.
    Channel(NodeId, Property),
}

/// Choices for curves: the curves that are shown, and how.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CurveChoices {
    /// How a node's rotations are shown, where that was chosen.
    pub rotations: BTreeMap<NodeId, RotationView>,
    /// Curves that are shown, or not, whatever is selected.
    pub eyes: BTreeMap<CurveOf, bool>,
    /// The curves that are displayed by default, without entries in `eyes`.
    pub of: CurvesOf,
    /// Curves that cannot be touched.
    pub locked: BTreeSet<CurveOf>,
    /// The only curves that are shown, unless empty.
    pub solo: BTreeSet<CurveOf>,
    /// Curves that fill the height with their own range.
    pub normalized: BTreeSet<CurveOf>,
    /// Parts of the list that are open, or not, whatever is shown.
    pub folds: BTreeMap<Fold, bool>,
    /// Color scheme of the curves.
    pub colors: CurveColors,
}
