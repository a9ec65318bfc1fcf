//! The chosen layer, and whether edits change it. The toolbar, the inspector and all tools share
//! this state.

use std::collections::BTreeMap;

use ulna_edit::KeysHome;
use ulna_model::{Clip, ClipId, Document, LayerHome, PoseLayerId, Shared};

/// A request about layers.
#[derive(Clone, Debug)]
pub enum LayerAction {
    /// Chooses the layer of a clip or of the pose that edits change. `None` clears the choice.
    Choose(LayerHome, Option<PoseLayerId>),
    /// Sets whether edits of a shown clip change its chosen layer.
    Into(bool),
}

/// The chosen layer of each clip and of the pose.
#[derive(Clone, Debug, Default)]
pub struct Layers {
    chosen: BTreeMap<LayerHome, PoseLayerId>,
    /// True if edits of a shown clip change its chosen layer.
    pub into: bool,
}

/// State of the layers, for display in the panels.
#[derive(Clone, Copy, Debug, Default)]
pub struct LayersView {
    /// Owner of the displayed layers: the displayed clip, or the pose.
    pub home: Option<LayerHome>,
    /// The chosen layer of `home`.
    pub chosen: Option<PoseLayerId>,
    /// State of the toolbar switch: true if edits of a shown clip change its chosen layer.
    pub into: bool,
    /// The layer that edits change; `None` if they change keys or the pose.
    pub written: Option<PoseLayerId>,
    /// True if the pose is shown and has layers. Typed values then include the layers.
    pub any_of_pose: bool,
}

impl LayersView {
    /// Owner of the keys that are shown and edited: the clip, or its layer that receives edits.
    pub fn keys_home(&self, clip: ClipId) -> KeysHome {
        KeysHome { clip, layer: self.written.filter(|_| self.home == Some(LayerHome::Clip(clip))) }
    }

    /// Clip data whose keys are shown and edited: the clip itself, or the keys of the layer that
    /// receives edits.
    pub fn keys_clip<'d>(&self, document: &'d Document, clip: ClipId) -> Option<&'d Shared<Clip>> {
        let layer = self.written.filter(|_| self.home == Some(LayerHome::Clip(clip)));
        let found =
            layer.and_then(|id| document.aids.pose_layers.get(&LayerHome::Clip(clip))?.get(id));
        found.map(|l| &l.keys).or_else(|| document.clips.get(clip))
    }
}

impl Layers {
    /// Clears the chosen layers, because their ids belong to the previous file.
    pub fn forget_chosen(&mut self) {
        self.chosen.clear();
    }

    /// Performs a request of a panel.
    pub fn apply(&mut self, action: LayerAction) {
        match action {
            LayerAction::Choose(home, Some(layer)) => {
                self.chosen.insert(home, layer);
            }
            LayerAction::Choose(home, None) => {
                self.chosen.remove(&home);
            }
            LayerAction::Into(on) => self.into = on,
        }
    }

    /// The chosen layer of a clip or of the pose.
    ///
    /// Without a choice, it is the topmost layer of a clip. For the pose it is then `None`, which
    /// stands for the pose's own offsets.
    pub fn chosen(&self, document: &Document, home: LayerHome) -> Option<PoseLayerId> {
        let layers = document.aids.pose_layers.get(&home)?;
        let chosen = self.chosen.get(&home).copied().filter(|id| layers.get(*id).is_some());
        let topmost = || layers.0.last().map(|l| l.id).filter(|_| home != LayerHome::Pose);
        chosen.or_else(topmost)
    }

    /// State of the layers of a clip or of the pose, for the panels.
    pub fn view(&self, document: Option<&Document>, home: Option<LayerHome>) -> LayersView {
        let chosen = document.zip(home).and_then(|(d, h)| self.chosen(d, h));
        let written = chosen.filter(|_| self.into || home == Some(LayerHome::Pose));
        let pose = home == Some(LayerHome::Pose);
        let any_of_pose =
            pose && document.is_some_and(|d| d.aids.pose_layers.contains_key(&LayerHome::Pose));
        LayersView { home, chosen, into: self.into, written, any_of_pose }
    }

    /// Chooses the layer that a command created, if any.
    pub fn follow(&mut self, before: &BTreeMap<LayerHome, Vec<PoseLayerId>>, document: &Document) {
        for (home, layers) in &document.aids.pose_layers {
            let known = before.get(home);
            let new = layers.iter().find(|l| known.is_none_or(|k| !k.contains(&l.id)));
            if let Some(new) = new {
                self.chosen.insert(*home, new.id);
            }
        }
    }
}

/// Ids of all layers of the document, by owner.
pub fn ids(document: &Document) -> BTreeMap<LayerHome, Vec<PoseLayerId>> {
    let all = document.aids.pose_layers.iter();
    all.map(|(home, layers)| (*home, layers.iter().map(|l| l.id).collect())).collect()
}
