//! The chosen layer, and whether edits go to it: shared by the toolbar, the inspector and all
//! tools.

use std::collections::BTreeMap;

use ulna_edit::KeysHome;
use ulna_model::{Clip, ClipId, Document, LayerHome, PoseLayerId, Shared};

/// Requests about layers.
#[derive(Clone, Debug)]
pub enum LayerAction {
    /// The layer of a clip, or of the pose, that is looked at and written to; none.
    Choose(LayerHome, Option<PoseLayerId>),
    /// Whether edits over a clip go to its chosen layer.
    Into(bool),
}

/// Chosen layers, kept for the whole program.
#[derive(Clone, Debug, Default)]
pub struct Layers {
    chosen: BTreeMap<LayerHome, PoseLayerId>,
    /// Whether edits over a clip go to its chosen layer.
    pub into: bool,
}

/// View of the layers for the panels.
#[derive(Clone, Copy, Debug, Default)]
pub struct LayersView {
    /// Owner of the displayed layers: the displayed clip, or the pose.
    pub home: Option<LayerHome>,
    /// The chosen layer of that.
    pub chosen: Option<PoseLayerId>,
    /// The switch in the toolbar.
    pub into: bool,
    /// The layer that edits go to.
    pub written: Option<PoseLayerId>,
    /// Whether the pose has layers, and no clip is seen: what is typed is what is seen with them.
    pub any_of_pose: bool,
}

impl LayersView {
    /// The owner of the keys that are shown and edited: the clip, or the layer of it that edits go
    /// to.
    pub fn keys_home(&self, clip: ClipId) -> KeysHome {
        KeysHome { clip, layer: self.written.filter(|_| self.home == Some(LayerHome::Clip(clip))) }
    }

    /// The clip whose keys are shown and edited: the clip itself, or the layer of it that edits go
    /// to.
    pub fn keys_clip<'d>(&self, document: &'d Document, clip: ClipId) -> Option<&'d Shared<Clip>> {
        let layer = self.written.filter(|_| self.home == Some(LayerHome::Clip(clip)));
        let found =
            layer.and_then(|id| document.aids.pose_layers.get(&LayerHome::Clip(clip))?.get(id));
        found.map(|l| &l.keys).or_else(|| document.clips.get(clip))
    }
}

impl Layers {
    /// Clears the selected layers, because their ids belong to the previous file.
    pub fn forget_chosen(&mut self) {
        self.chosen.clear();
    }

    /// Performs an action of a panel.
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

    /// The chosen layer of a clip, or of the pose. Over a clip that is the topmost where none was
    /// chosen; of the pose none, since its own offsets are chosen then.
    pub fn chosen(&self, document: &Document, home: LayerHome) -> Option<PoseLayerId> {
        let layers = document.aids.pose_layers.get(&home)?;
        let chosen = self.chosen.get(&home).copied().filter(|id| layers.get(*id).is_some());
        let topmost = || layers.0.last().map(|l| l.id).filter(|_| home != LayerHome::Pose);
        chosen.or_else(topmost)
    }

    /// View for the panels, of the layers of a clip or of the pose.
    pub fn view(&self, document: Option<&Document>, home: Option<LayerHome>) -> LayersView {
        let chosen = document.zip(home).and_then(|(d, h)| self.chosen(d, h));
        let written = chosen.filter(|_| self.into || home == Some(LayerHome::Pose));
        let pose = home == Some(LayerHome::Pose);
        let any_of_pose =
            pose && document.is_some_and(|d| d.aids.pose_layers.contains_key(&LayerHome::Pose));
        LayersView { home, chosen, into: self.into, written, any_of_pose }
    }

    /// Chooses the layer that a command made, if it made one.
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

/// All layers of the document.
pub fn ids(document: &Document) -> BTreeMap<LayerHome, Vec<PoseLayerId>> {
    let all = document.aids.pose_layers.iter();
    all.map(|(home, layers)| (*home, layers.iter().map(|l| l.id).collect())).collect()
}
