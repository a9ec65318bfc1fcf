//! Named moments of a clip: contacts, passing poses, events of a game.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

/// The color of a marker.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum MarkerColor {
    /// As markers are unless told otherwise.
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
    /// All of them, in the order of their numbers.
    pub const ALL: [Self; 5] = [Self::Violet, Self::Red, Self::Amber, Self::Green, Self::Blue];
}

/// A named moment of a clip.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Marker {
    /// When, in seconds on the clip's clock; finite and not below 0.
    pub time: f32,
    /// What it is called; may be empty.
    pub name: Arc<str>,
    /// Its color.
    #[serde(default)]
    pub color: MarkerColor,
}

impl Marker {
    /// Puts markers in order: by time, and what cannot lie on a clip is left out.
    pub fn in_order(mut list: Vec<Self>) -> Vec<Self> {
        list.retain(|m| m.time.is_finite() && m.time >= 0.0);
        list.sort_by(|a, b| a.time.total_cmp(&b.time).then_with(|| a.name.cmp(&b.name)));
        list
    }
}
