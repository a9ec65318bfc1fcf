//! Result of the search for the worst deformation of every vertex.

use std::collections::{BTreeMap, BTreeSet};

use ulna_model::PrimitiveKey;
use ulna_motion::{Spot, WorstPose};

/// Maximum number of listed points with strong deformation.
const SPOTS: usize = 10;

/// Result of a search for the worst deformations.
pub struct WorstSearch {
    /// Worst deformation of every vertex, with its time.
    pub found: WorstPose,
    /// Points with the worst deformation, in order of falling score.
    pub spots: Vec<Spot>,
    /// Index in `spots` of the point that was shown last.
    pub current: Option<usize>,
    /// Score of the worst point when the search ended.
    pub first_score: Option<f32>,
    /// Whether weights changed after `spots` was computed.
    pub is_stale: bool,
    /// Vertices to score again at the end of the stroke.
    pub unscored: BTreeMap<PrimitiveKey, BTreeSet<u32>>,
    /// Point for the camera to move to, once its pose is shown.
    pub focus: Option<Spot>,
}

impl WorstSearch {
    /// Creates the result of a finished search.
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

    /// Returns the index of a point in `spots`.
    pub fn position(&self, spot: &Spot) -> Option<usize> {
        let key = |s: &Spot| (s.node, s.primitive, s.vertex);
        self.spots.iter().position(|s| key(s) == key(spot))
    }

    /// Updates the list of points with the worst deformation.
    pub fn list_spots(&mut self) {
        let current = self.current.and_then(|k| self.spots.get(k).copied());
        self.spots = self.found.worst(SPOTS);
        // The current point may have another index now, or may no longer be in the list.
        self.current = current.and_then(|spot| self.position(&spot));
        self.is_stale = false;
    }
}
