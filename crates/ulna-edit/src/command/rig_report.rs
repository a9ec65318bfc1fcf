//! The report of a change of the skeleton: nodes, keys, fitted weights, and the deviation of all
//! clips.

use std::collections::{BTreeMap, BTreeSet};

use glam::DMat4;

use ulna_model::{Document, NodeId};
use ulna_motion::{ComparedMotion, Deviation, surgery::Rewritten};
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

/// Numbers of vertices with weights that other joints took over, by the rule.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct GivenWeights {
    /// Weights went to the joint whose bone is nearest.
    pub nearest: usize,
    /// Weights went to the nearest joint above and were smoothed.
    pub smoothed: usize,
    /// Weights went to the joint that others were merged into.
    pub merged: usize,
    /// Weights are the mirror image of the other side's.
    pub mirrored: usize,
}

/// Nodes before and after a change that correspond. All others correspond by id, with the same
/// frame.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct NodeMatches {
    /// New frames of nodes: `C` of `W' = W·C`, from the new frame to the one before.
    pub frames: BTreeMap<NodeId, DMat4>,
    /// Nodes that lose their own motion on purpose, because others take it over.
    pub stilled: BTreeSet<NodeId>,
    /// Nodes whose mesh another node shows afterwards.
    pub shown_by: BTreeMap<NodeId, NodeId>,
}

/// Effects of a change of the skeleton on the clips and the skin.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RigReport {
    /// Nodes that it concerns.
    pub nodes: NodeCounts,
    /// Names of nodes that get another one, before and after.
    pub renamed: Vec<(String, String)>,
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
    /// Weights that other joints took over by another rule than the fit.
    pub given: GivenWeights,
    /// Weights that were fitted.
    pub fitted: FitReport,
    /// Distance of the skin and the joints from where they were, in all clips. 0 where the change
    /// is exact by rule, but for rounding.
    pub deviation: Deviation,
    /// Whether the change is exact by rule.
    pub is_exact: bool,
    /// Nodes before and after that correspond.
    pub matches: NodeMatches,
}

impl NodeMatches {
    /// Adds a change that is made after this one.
    pub(in crate::command) fn join(&mut self, next: &Self) {
        for (node, c) in &next.frames {
            let own = self.frames.entry(*node).or_insert(DMat4::IDENTITY);
            *own *= *c;
        }
        self.stilled.extend(&next.stilled);
        for to in self.shown_by.values_mut() {
            *to = next.shown_by.get(to).copied().unwrap_or(*to);
        }
        for (node, to) in &next.shown_by {
            self.shown_by.entry(*node).or_insert(*to);
        }
    }
}

impl GivenWeights {
    /// Both together.
    pub(in crate::command) const fn with(self, other: Self) -> Self {
        Self {
            nearest: self.nearest + other.nearest,
            smoothed: self.smoothed + other.smoothed,
            merged: self.merged + other.merged,
            mirrored: self.mirrored + other.mirrored,
        }
    }
}

impl FitReport {
    pub(in crate::command) fn add(&mut self, done: &FittedWeights) {
        let mean = [done.start.mean, done.fitted.mean];
        self.join(&Self { vertices: done.vertices, changed: done.changed, mean });
    }

    /// Both together; means by their numbers of vertices.
    pub(in crate::command) fn join(&mut self, other: &Self) {
        let (own, all) = (other.vertices as f64, (self.vertices + other.vertices) as f64);
        let means = self.mean.iter_mut().zip(other.mean);
        means.for_each(|(mean, other)| *mean += (other - *mean) * own / all.max(1.0));
        self.vertices += other.vertices;
        self.changed += other.changed;
    }
}

impl RigReport {
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
            counted(
                self.given.nearest,
                "vertex went to the nearest joint",
                "vertices went to the nearest joints",
            ),
            counted(self.given.smoothed, "vertex was smoothed", "vertices were smoothed"),
            counted(self.given.merged, "vertex was merged", "vertices were merged"),
            counted(self.given.mirrored, "vertex was mirrored", "vertices were mirrored"),
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
            let at = match self.deviation.at().map(|at| (at.motion, at.time)) {
                Some((ComparedMotion::Clip(clip), time)) => {
                    format!(" in “{}” at {time:.2} s", document.clip_label(clip))
                }
                Some((ComparedMotion::Mix, time)) => format!(" in the mix at {time:.2} s"),
                Some((ComparedMotion::Pose, _)) | None => String::new(),
            };
            format!("the skin moves by at most {worst_mm:.2} mm{at}, on average {mean_mm:.3} mm")
        });
        parts.join(", ")
    }
}
