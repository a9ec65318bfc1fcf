//! Worst deformation of every vertex, as a search found it.

use std::collections::{BTreeMap, BTreeSet};

use ulna_model::PrimitiveKey;
use ulna_motion::{Spot, WorstPose};

/// Spots in the list.
const SPOTS: usize = 10;

/// Result of a search for the worst deformations.
pub struct WorstSearch {
    /// The worst moment of every vertex.
    pub found: WorstPose,
    /// The worst spots, the worst first.
    pub spots: Vec<Spot>,
    /// Index of the spot that was shown last.
    pub current: Option<usize>,
    /// Score of the worst spot when the search ended.
    pub first_score: Option<f32>,
    /// Whether weights changed since spots were listed.
    pub is_stale: bool,
    /// Vertices that are scored again when the stroke ends.
    pub unscored: BTreeMap<PrimitiveKey, BTreeSet<u32>>,
    /// The spot that the camera moves to, once its pose is shown.
    pub focus: Option<Spot>,
}

impl WorstSearch {
    /// The result of a search that just ended.
    pub fn new(found: WorstPose) -> Self {
        let spots = found.worst(SPOTS);
        Self {
            first_score: spots.first().map(|s| s.score),
            found,
            spots,
            current: None,
            is_stale: false,
            unscored: BTreeMap::new(),
            focus: None,
        }
    }

    /// Index of the spot of a vertex.
    pub fn position(&self, spot: &Spot) -> Option<usize> {
        let key = |s: &Spot| (s.node, s.primitive, s.vertex);
        self.spots.iter().position(|s| key(s) == key(spot))
    }

    /// Lists the worst spots again.
    pub fn list_spots(&mut self) {
        let current = self.current.and_then(|k| self.spots.get(k).copied());
        self.spots = self.found.worst(SPOTS);
        // The current spot may have another index now, or none.
        self.current = current.and_then(|spot| self.position(&spot));
        self.is_stale = false;
    }
}
