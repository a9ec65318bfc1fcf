//! What is not on disk. The window's title asks for it in each frame, so layers are not folded for it: what is not folded yet is compared.

use std::{
    collections::BTreeMap,
    sync::{Mutex, PoisonError},
};

use super::{Session, Unsaved};
use crate::{
    edit::command::is_mix_loose,
    model::{Asset, Document, LayerHome, PoseLayer, PoseLayers, Shared, SkinId, WeightLayers},
};

/// What a save makes a file from, before layers are folded into keys and nodes.
#[derive(Clone, Debug)]
pub(super) struct Unfolded {
    file: Asset,
    pose_layers: BTreeMap<LayerHome, Shared<PoseLayers>>,
    keeps_layers: bool,
    /// Those that the file keeps.
    weight_layers: BTreeMap<SkinId, Shared<WeightLayers>>,
}

fn keeps_pose_layers(document: &Document) -> bool {
    document.aids.keeps_layers && !document.aids.pose_layers.is_empty()
}

fn kept_weight_layers(document: &Document) -> impl Iterator<Item = (&SkinId, &Shared<WeightLayers>)> {
    document.aids.weight_layers.iter().filter(|(_, layers)| layers.keeps)
}

/// The layers of which something is seen.
fn at_work(layers: Option<&Shared<PoseLayers>>) -> impl Iterator<Item = &PoseLayer> {
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
            weight_layers: kept_weight_layers(document).map(|(skin, layers)| (*skin, layers.clone())).collect(),
        }
    }

    /// Whether a save of a document would write the same.
    fn comes_to(&self, document: &Document) -> bool {
        let keeps = keeps_pose_layers(document);
        let weights = kept_weight_layers(document);
        self.keeps_layers == keeps
            && self.file == document.file
            && self.weight_layers.iter().eq(weights)
            && if keeps { self.pose_layers == document.aids.pose_layers } else { self.folds_to(document) }
    }

    /// Whether what layers come to is the same.
    fn folds_to(&self, document: &Document) -> bool {
        let now = &document.aids.pose_layers;
        let mut homes = self.pose_layers.keys().chain(now.keys().filter(|home| !self.pose_layers.contains_key(home)));
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
pub(super) struct Known(Mutex<Option<(u64, Unsaved)>>);

impl Clone for Known {
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl Session {
    /// What was known is not any more: another state is on disk.
    pub(super) fn forget_unsaved(&mut self) {
        self.known_unsaved = Known::default();
    }

    /// Whether something is not on disk.
    pub fn is_unsaved(&self) -> bool {
        self.unsaved().any()
    }

    /// What is not on disk. Of a gesture that is under way it says nothing: that is no step yet.
    pub fn unsaved(&self) -> Unsaved {
        let now = self.history.revision();
        let mut known = self.known_unsaved.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, unsaved)) = known.filter(|(revision, _)| *revision == now) {
            return unsaved;
        }
        let found = self.find_unsaved();
        if !self.history.is_open() {
            *known = Some((now, found));
        }
        found
    }

    fn find_unsaved(&self) -> Unsaved {
        let aids = &self.document.aids;
        let file = self.differs();
        Unsaved {
            file,
            steps: if file { self.history.unsaved_steps().max(1) } else { 0 },
            unkeyed: aids.unkeyed.len(),
            layers: aids.weight_layers.values().filter(|l| !l.keeps).map(|l| l.layers.len()).sum(),
            pose_layers: if aids.keeps_layers { 0 } else { aids.pose_layers.values().map(|l| l.0.len()).sum() },
            pairs: aids.mirror_pairs.len(),
            mix: is_mix_loose(&self.document),
        }
    }

    /// Whether a save would write something else than there is on disk. Layers that come to the same in another way count as a change.
    fn differs(&self) -> bool {
        if self.history.revision() == self.history.saved_revision() || self.saved_from.comes_to(&self.document) {
            return false;
        }
        let is_folded = keeps_pose_layers(&self.document)
            || kept_weight_layers(&self.document).next().is_some()
            || self.document.aids.pose_layers.values().any(|layers| at_work(Some(layers)).next().is_some());
        // Where there is nothing to be folded, it is written as it is.
        is_folded || self.document.file != self.saved
    }
}
