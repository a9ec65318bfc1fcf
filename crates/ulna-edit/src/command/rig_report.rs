//! The report of a change of the skeleton: nodes, keys, fitted weights, and the deviation of all
//! clips.

use ulna_model::{ClipId, Document, NodeId};
use ulna_motion::{Deviation, surgery::Rewritten};
use ulna_weights::FittedWeights;

/// Weights that were chosen so that the clips change least.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct FitReport {
    /// Number of vertices that lost a joint.
    pub vertices: usize,
    /// Number of vertices with other weights than those of the nearest joint above, or than before
    /// where no joint was removed.
    pub changed: usize,
    /// Mean distance of those vertices from where they were, over all compared poses, in meters:
    /// with those weights, and with the fitted ones.
    pub mean: [f64; 2],
}

/// Nodes that a change of the skeleton concerns.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NodeCounts {
    /// Nodes with another pivot, other axes or another scale.
    pub reframed: usize,
    /// Nodes with another rest pose.
    pub rested: usize,
    /// New nodes.
    pub added: usize,
    /// Removed nodes.
    pub removed: Vec<NodeId>,
    /// Nodes with another parent.
    pub attached: usize,
}

/// Effects of a change of the skeleton on the clips and the skin.
#[derive(Clone, Debug, PartialEq)]
pub struct RigReport {
    /// Nodes that it concerns.
    pub nodes: NodeCounts,
    /// Number of joints with another inverse bind matrix, and of all joints; of all skins.
    pub inverse_binds: [usize; 2],
    /// Number of skins, before and after.
    pub skins: [usize; 2],
    /// Meshes with other vertices.
    pub shapes: usize,
    /// Meshes with other weights, or with the same weights of joints of another list.
    pub weights: usize,
    /// Tracks of all clips, by the treatment of their keys.
    pub tracks: Rewritten,
    /// Tracks of removed nodes.
    pub tracks_removed: usize,
    /// Clips that changed.
    pub clips: usize,
    /// Whether removed joints had weights, which other joints take over.
    pub gives_weights: bool,
    /// Weights that were fitted.
    pub fitted: FitReport,
    /// Distance of the skin and the joints from where they were, in all clips. 0 where the change
    /// is exact by rule, but for rounding.
    pub deviation: Deviation,
}

impl FitReport {
    pub(in crate::command) fn add(&mut self, done: &FittedWeights) {
        let (own, all) = (done.vertices as f64, (self.vertices + done.vertices) as f64);
        let means = self.mean.iter_mut().zip([done.start.mean, done.fitted.mean]);
        means.for_each(|(mean, other)| *mean += (other - *mean) * own / all.max(1.0));
        self.vertices += done.vertices;
        self.changed += done.changed;
    }
}

impl RigReport {
    /// The clip and the time in seconds at which the skin is farthest from where it was.
    pub fn worst_moment(&self) -> Option<(Option<ClipId>, f64)> {
        self.deviation.at.map(|at| (at.clip, at.time))
    }

    /// One sentence, without its full stop.
    pub(in crate::command) fn sentence(&self, document: &Document) -> String {
        let tracks = self.tracks;
        let counted = |n: usize, one: &str, many: &str| match n {
            0 => None,
            1 => Some(format!("1 {one}")),
            n => Some(format!("{n} {many}")),
        };
        let mut parts: Vec<String> = [
            counted(tracks.exact, "track keeps its keys", "tracks keep their keys"),
            counted(tracks.held, "track has one key", "tracks have one key"),
            counted(tracks.baked, "track has new keys", "tracks have new keys"),
            counted(tracks.keys_added, "key added", "keys added"),
            counted(
                self.tracks_removed,
                "track of a removed joint is gone",
                "tracks of removed joints are gone",
            ),
            counted(
                self.fitted.changed,
                "vertex got fitted weights",
                "vertices got fitted weights",
            ),
        ]
        .into_iter()
        .flatten()
        .collect();
        let Deviation { worst_mm, mean_mm, worst_degrees, .. } = self.deviation;
        parts.push(if worst_mm == 0.0 && worst_degrees == 0.0 {
            "the skin moves exactly as before".to_owned()
        } else if worst_mm == 0.0 {
            format!("the skin moves exactly as before, joints turn by up to {worst_degrees:.2}°")
        } else {
            let at = match self.worst_moment() {
                Some((Some(clip), time)) => {
                    format!(" in “{}” at {time:.2} s", document.clip_label(clip))
                }
                _ => String::new(),
            };
            format!("the skin moves by at most {worst_mm:.2} mm{at}, on average {mean_mm:.3} mm")
        });
        parts.join(", ")
    }
}
