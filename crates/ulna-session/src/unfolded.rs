//! States of a document before layers are folded, which tell whether anything is not on disk.

use std::{collections::BTreeMap, sync::Mutex};

use ulna_model::{
    Document, FileContent, LayerHome, PoseLayer, PoseLayers, Shared, SkinId, WeightLayers,
};

/// What is not on disk.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Unsaved {
    /// Whether saving now would write something else than there is.
    pub file: bool,
    /// How many steps that is, at least 1 where it is something.
    pub steps: usize,
    /// Whether they are steps of the saved file that were undone since.
    pub undone: bool,
    /// Poses that are not keyed, which no file holds.
    pub unkeyed: usize,
    /// Layers of weights, where the file does not keep them; what they come to is saved.
    pub layers: usize,
    /// Layers of poses and clips, where the file does not keep them; what they come to is saved.
    pub pose_layers: usize,
    /// Pairs of joints that were said to be mirror images, which no file holds.
    pub pairs: usize,
    /// Whether a mix is not kept in the file.
    pub mix: bool,
}

impl Unsaved {
    /// Whether anything is not on disk.
    pub const fn any(&self) -> bool {
        self.file || self.aids()
    }

    /// Whether there is work that no file holds.
    pub const fn aids(&self) -> bool {
        self.unkeyed + self.layers + self.pose_layers + self.pairs > 0 || self.mix
    }
}

/// What a save makes a file from, before layers are folded into keys and nodes.
#[derive(Clone, Debug)]
pub(super) struct Unfolded {
    file: FileContent,
    pose_layers: BTreeMap<LayerHome, Shared<PoseLayers>>,
    keeps_layers: bool,
    /// Those that the file keeps.
    weight_layers: BTreeMap<SkinId, Shared<WeightLayers>>,
}

pub(super) fn keeps_pose_layers(document: &Document) -> bool {
    document.aids.keeps_layers && !document.aids.pose_layers.is_empty()
}

pub(super) fn kept_weight_layers(
    document: &Document,
) -> impl Iterator<Item = (&SkinId, &Shared<WeightLayers>)> {
    document.aids.weight_layers.iter().filter(|(_, layers)| layers.keeps)
}

/// The layers of which something is seen.
pub(super) fn at_work(layers: Option<&Shared<PoseLayers>>) -> impl Iterator<Item = &PoseLayer> {
    let counting = layers.into_iter().flat_map(|layers| layers.counting());
    counting.filter(|layer| !layer.moves.is_empty() || !layer.keys.tracks.is_empty())
}

/// Whether two layers do the same, whatever they are called.
fn do_the_same(a: &PoseLayer, b: &PoseLayer) -> bool {
    a.strength == b.strength
        && a.strength_keys == b.strength_keys
        && a.mask == b.mask
        && a.moves == b.moves
        && a.keys.tracks == b.keys.tracks
}

impl Unfolded {
    pub fn of(document: &Document) -> Self {
        Self {
            file: document.file.clone(),
            pose_layers: document.aids.pose_layers.clone(),
            keeps_layers: keeps_pose_layers(document),
            weight_layers: kept_weight_layers(document)
                .map(|(skin, layers)| (*skin, layers.clone()))
                .collect(),
        }
    }

    /// Whether a save of a document would write the same.
    pub(super) fn comes_to(&self, document: &Document) -> bool {
        let keeps = keeps_pose_layers(document);
        let weights = kept_weight_layers(document);
        self.keeps_layers == keeps
            && self.file == document.file
            && self.weight_layers.iter().eq(weights)
            && if keeps {
                self.pose_layers == document.aids.pose_layers
            } else {
                self.folds_to(document)
            }
    }

    /// Whether what layers come to is the same.
    fn folds_to(&self, document: &Document) -> bool {
        let now = &document.aids.pose_layers;
        let mut homes = self
            .pose_layers
            .keys()
            .chain(now.keys().filter(|home| !self.pose_layers.contains_key(home)));
        homes.all(|home| {
            let (mut was, mut is) = (at_work(self.pose_layers.get(home)), at_work(now.get(home)));
            loop {
                match (was.next(), is.next()) {
                    (None, None) => break true,
                    (Some(a), Some(b)) if do_the_same(a, b) => {}
                    _ => break false,
                }
            }
        })
    }
}

/// What was found out for a state of the document, by its revision.
#[derive(Debug, Default)]
pub(super) struct KnownUnsaved(pub(super) Mutex<Option<(u64, Unsaved)>>);

impl Clone for KnownUnsaved {
    fn clone(&self) -> Self {
        Self::default()
    }
}
