//! Snapshots of a document before its layers are baked. Comparing them finds unsaved changes
//! quickly.

use std::{collections::BTreeMap, sync::Mutex};

use ulna_model::{
    Document, FileContent, LayerHome, PoseLayer, PoseLayers, Shared, SkinId, WeightLayers,
};

/// Counts of changes that are not on disk.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Unsaved {
    /// Whether a save would change the file on disk.
    pub file: bool,
    /// Number of steps that are not in the file; at least 1 if `file` is set.
    pub steps: usize,
    /// Whether `steps` counts steps that the file contains, but that were undone since.
    pub undone: bool,
    /// Number of unkeyed poses. No file stores them.
    pub unkeyed: usize,
    /// Number of weight layers that the file does not store. Their effect is saved.
    pub layers: usize,
    /// Number of pose layers that the file does not store. Their effect is saved.
    pub pose_layers: usize,
    /// Number of corrected mirror pairs of joints. No file stores them.
    pub pairs: usize,
    /// Whether there is a mix that the file does not store.
    pub mix: bool,
}

impl Unsaved {
    /// Whether any change is not on disk.
    pub const fn any(&self) -> bool {
        self.file || self.aids()
    }

    /// Whether there is editor state that the file does not store.
    pub const fn aids(&self) -> bool {
        self.unkeyed + self.layers + self.pose_layers + self.pairs > 0 || self.mix
    }
}

/// Parts of a document that determine the saved file, before layers are baked into keys and nodes.
#[derive(Clone, Debug)]
pub(super) struct Unfolded {
    file: FileContent,
    pose_layers: BTreeMap<LayerHome, Shared<PoseLayers>>,
    keeps_layers: bool,
    /// Weight layers that the file stores.
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

/// Returns the layers that are visible and not empty.
pub(super) fn at_work(layers: Option<&Shared<PoseLayers>>) -> impl Iterator<Item = &PoseLayer> {
    let counting = layers.into_iter().flat_map(|layers| layers.counting());
    counting.filter(|layer| !layer.moves.is_empty() || !layer.keys.tracks.is_empty())
}

/// Whether two layers have the same effect, whatever their names.
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

    /// Whether saving a document would write the same content.
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

    /// Whether the layers of a document have the same effect when they are baked.
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

/// Cached list of unsaved changes, with the revision for which it was computed.
#[derive(Debug, Default)]
pub(super) struct KnownUnsaved(pub(super) Mutex<Option<(u64, Unsaved)>>);

impl Clone for KnownUnsaved {
    fn clone(&self) -> Self {
        Self::default()
    }
}
