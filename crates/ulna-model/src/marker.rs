//! Markers: named times of a clip, such as contacts, passing poses, or events of a game.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

/// The color of a marker.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum MarkerColor {
    /// Violet, the default.
    #[default]
    Violet,
    /// Red.
    Red,
    /// Amber.
    Amber,
    /// Green.
    Green,
    /// Blue.
    Blue,
}

impl MarkerColor {
    /// All colors, in their numeric order.
    pub const ALL: [Self; 5] = [Self::Violet, Self::Red, Self::Amber, Self::Green, Self::Blue];
}

/// A named time of a clip.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Marker {
    /// Time in seconds on the clip's clock; finite, at least 0.
    pub time: f32,
    /// The name; may be empty.
    pub name: Arc<str>,
    /// Color of the marker in the timeline.
    #[serde(default)]
    pub color: MarkerColor,
}

impl Marker {
    /// Sorts markers by time, and removes those with a negative or non-finite time.
    pub fn in_order(mut list: Vec<Self>) -> Vec<Self> {
        list.retain(|m| m.time.is_finite() && m.time >= 0.0);
        list.sort_by(|a, b| a.time.total_cmp(&b.time).then_with(|| a.name.cmp(&b.name)));
        list
    }
}
