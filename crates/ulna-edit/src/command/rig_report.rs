//! Report of a change of the skeleton: nodes, keys, fitted weights, and the deviation over all
//! clips.

use std::collections::{BTreeMap, BTreeSet};

use glam::DMat4;

use ulna_model::{Document, NodeId};
use ulna_motion::{ComparedMotion, Deviation, surgery::Rewritten};
use ulna_weights::FittedWeights;

/// Results of fitting weights so that the clips change least.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct FitReport {
    /// Number of vertices that lost a joint.
    pub vertices: usize,
    /// Number of vertices whose fitted weights differ from the starting weights. These are the
    /// weights moved to the nearest ancestor joint, or without removed joints, the old weights.
    pub changed: usize,
    /// Mean distance of the changed vertices from their old positions, over all compared poses, in
    /// meters: with the starting weights, and with the fitted ones.
    pub mean: [f64; 2],
}

/// Counts of nodes that a change of the skeleton affects.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NodeCounts {
    /// Number of nodes with a new pivot, new axes or a new scale.
    pub reframed: usize,
    /// Number of nodes with a new rest pose.
    pub rested: usize,
    /// Number of added nodes.
    pub added: usize,
    /// Removed nodes.
    pub removed: Vec<NodeId>,
    /// Number of nodes with a new parent.
    pub attached: usize,
}

/// Numbers of vertices whose weights were distributed without a fit, by the method.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct GivenWeights {
    /// Number of vertices whose weights moved to the joint with the nearest bone.
    pub nearest: usize,
    /// Number of vertices whose weights moved to an ancestor joint and were smoothed.
    pub smoothed: usize,
    /// Number of vertices whose weights moved to the joint that remains after a merge.
    pub merged: usize,
    /// Number of vertices with mirrored weights.
    pub mirrored: usize,
}

/// Correspondence of nodes before and after a change. Unlisted nodes correspond by id, with the
/// same frame.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct NodeMatches {
    /// Frame changes `C` of nodes, with `W' = W·C`. `C` maps the new frame to the old one.
    pub frames: BTreeMap<NodeId, DMat4>,
    /// Nodes that intentionally lose their motion to other nodes.
    pub stilled: BTreeSet<NodeId>,
    /// Nodes whose mesh was moved to another node, with that node.
    pub shown_by: BTreeMap<NodeId, NodeId>,
}

/// Effects of a change of the skeleton on the clips and the skin.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RigReport {
    /// Counts of the affected nodes.
    pub nodes: NodeCounts,
    /// Old and new names of renamed nodes.
    pub renamed: Vec<(String, String)>,
    /// Number of joints with a changed inverse bind matrix, and number of all joints, over all
    /// skins.
    pub inverse_binds: [usize; 2],
    /// Number of skins before and after the change.
    pub skins: [usize; 2],
    /// Number of meshes with changed vertices.
    pub shapes: usize,
    /// Number of meshes with changed weights or changed joint indices.
    pub weights: usize,
    /// Counts of the tracks of all clips, by the treatment of their keys.
    pub tracks: Rewritten,
    /// Number of tracks of removed nodes.
    pub tracks_removed: usize,
    /// Number of changed clips.
    pub clips: usize,
    /// Whether weights of removed joints were distributed to other joints.
    pub gives_weights: bool,
    /// Counts of weights that were distributed without a fit.
    pub given: GivenWeights,
    /// Results of the fitted weights.
    pub fitted: FitReport,
    /// Deviation of the skin and the joints from their old motion in all clips. It is 0 if the
    /// change is exact except for rounding.
    pub deviation: Deviation,
    /// Whether the kind of the change guarantees an exact result.
    pub is_exact: bool,
    /// Correspondence of nodes before and after the change.
    pub matches: NodeMatches,
}

impl NodeMatches {
    /// Appends the correspondence of a subsequent change.
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
    /// Returns these counts plus those of `other`.
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

    /// Adds another report. Means are weighted by the numbers of vertices.
    pub(in crate::command) fn join(&mut self, other: &Self) {
        let (own, all) = (other.vertices as f64, (self.vertices + other.vertices) as f64);
        let means = self.mean.iter_mut().zip(other.mean);
        means.for_each(|(mean, other)| *mean += (other - *mean) * own / all.max(1.0));
        self.vertices += other.vertices;
        self.changed += other.changed;
    }
}

impl RigReport {
    /// Describes the report in one sentence, without a final period.
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
