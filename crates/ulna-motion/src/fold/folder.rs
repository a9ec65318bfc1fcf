//! Baking of all layers of a document into its file.

use std::collections::BTreeMap;

use rayon::prelude::*;

use super::{
    clip::{Folded, fold_clip},
    pose::{fold_pose, stand},
};
use crate::{Evaluator, Pose, SeenPoints, Stack};
use ulna_model::{
    Clip, ClipId, Document, FileContent, LayerHome, Local, NodeId, PoseLayers, Property, Shared,
    Transform, transform::angle_between,
};

/// Bakes the layers of documents, and caches the results per clip, so that unchanged clips are not
/// baked again.
#[derive(Clone, Debug, Default)]
pub struct Folder {
    known: BTreeMap<ClipId, CachedFold>,
}

#[derive(Clone, Debug)]
struct CachedFold {
    clip: Shared<Clip>,
    layers: Shared<PoseLayers>,
    /// Local transforms of the nodes that the layers change, in the file's pose without the clip.
    under: Vec<Transform>,
    folded: Folded,
}

impl Folder {
    /// Caches the baked clip that a file contains. Its numbers are then used without recomputation.
    pub fn remember(&mut self, document: &Document, id: ClipId, folded: Shared<Clip>) {
        let Some(clip) = document.clips.get(id).cloned() else { return };
        let layers = document.aids.layers(LayerHome::Clip(id));
        let under =
            under_of(&fold_pose(&document.file, &document.aids.layers(LayerHome::Pose)), &layers);
        let folded =
            Folded { clip: folded, exact: 0, sampled: 0, keys_added: 0, refused: Vec::new() };
        self.known.insert(id, CachedFold { clip, layers, under, folded });
    }

    /// Returns the file with all layers baked, as saving writes it, and the result per clip.
    pub fn fold(&mut self, document: &Document) -> (FileContent, BTreeMap<ClipId, Folded>) {
        let aids = &document.aids;
        if aids.pose_layers.is_empty() {
            return (document.file.clone(), BTreeMap::new());
        }
        let mut file = fold_pose(&document.file, &aids.layers(LayerHome::Pose));
        let clips: Vec<(ClipId, &Shared<Clip>, &Shared<PoseLayers>)> = aids
            .pose_layers
            .iter()
            .filter_map(|(home, layers)| {
                home.clip().and_then(|id| Some((id, document.clips.get(id)?, layers)))
            })
            .collect();
        let known = &self.known;
        let done: Vec<(ClipId, CachedFold)> = clips
            .into_par_iter()
            .map(|(id, clip, layers)| {
                let under = under_of(&file, layers);
                let same =
                    |k: &&CachedFold| k.clip == *clip && k.layers == *layers && k.under == under;
                if let Some(known) = known.get(&id).filter(same) {
                    return (id, known.clone());
                }
                let folded = fold_clip(&file, clip, layers);
                (id, CachedFold { clip: clip.clone(), layers: layers.clone(), under, folded })
            })
            .collect();
        let mut said = BTreeMap::new();
        for (id, known) in done {
            put_clip(&mut file, id, &known.folded.clip);
            said.insert(id, known.folded.clone());
            self.known.insert(id, known);
        }
        (file, said)
    }
}

fn under_of(file: &FileContent, layers: &PoseLayers) -> Vec<Transform> {
    let nodes = layers.counting().flat_map(|l| l.nodes());
    nodes.filter(|n| file.nodes.contains(*n)).map(|n| file.node(n).local().transform()).collect()
}

/// Replaces a clip of a file. Nodes that the clip moves are converted from matrices to translation,
/// rotation and scale, as glTF requires.
fn put_clip(file: &mut FileContent, id: ClipId, clip: &Shared<Clip>) {
    let moved: Vec<NodeId> = clip
        .tracks
        .values()
        .filter(|t| t.property != Property::Weights)
        .map(|t| t.target)
        .collect();
    for node in moved {
        if let Local::Matrix(_) = file.node(node).local() {
            let local = file.node(node).local().transform();
            stand(file, node, local);
        }
    }
    if let Some(slot) = file.clips.get_mut(id) {
        *slot = clip.clone();
    }
}

/// Returns a document with all layers baked into its file and removed.
pub fn folded(document: &Document) -> Document {
    let mut to = document.clone();
    to.file = Folder::default().fold(document).0;
    to.aids.pose_layers.clear();
    to
}

/// Measures the largest difference between a clip with its layers and the baked clip. Returns the
/// distance of a skin point (see [`SeenPoints`]) in meters of the scene, and the angle of a joint
/// in radians. Both clips are compared at `times` times over their length.
pub fn fold_error(
    document: &Document,
    id: ClipId,
    folded: &Shared<Clip>,
    (seen, times): (&SeenPoints, usize),
) -> (f32, f32) {
    let length = document
        .clips
        .get(id)
        .map_or(0.0, |c| f64::from(c.length()))
        .max(f64::from(folded.length()));
    let after = Document {
        file: fold_pose(&document.file, &document.aids.layers(LayerHome::Pose)),
        ..Document::default()
    };
    let mut evaluators = [Evaluator::default(), Evaluator::default()];
    let mut poses = [Pose::default(), Pose::default()];
    let mut worst = (0.0f32, 0.0f32);
    for k in 0..=times {
        let time = length * k as f64 / times.max(1) as f64;
        evaluators[0].update(document, &Stack::shown(document, Some(id), time), &mut poses[0]);
        evaluators[1].update(&after, &Stack::of(Some(folded), time), &mut poses[1]);
        worst.0 = worst.0.max(seen.apart(&poses[0], &poses[1]));
        for (a, b) in poses[0].local.iter().zip(&poses[1].local) {
            worst.1 = worst.1.max(angle_between(a.transform().rotation, b.transform().rotation));
        }
    }
    worst
}
