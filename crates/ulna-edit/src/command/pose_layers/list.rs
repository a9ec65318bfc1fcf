//! Commands on the list of layers: adding, removing, ordering, copying, and settings of each layer.

use super::{
    commands::{
        CopyLayer, DuplicateLayer, KeepLayers, MovePoseLayer, MuteLayer, NewLayer, RemovePoseLayer,
        RenamePoseLayer, SoloLayer,
    },
    found::{FoundLayer, free_name, home_of, name_for, push, set},
};
use crate::{
    Edit,
    command::{
        CommandError, Outcome, Scene, clip_keys::clip_of, error::refuse, layer_name::trimmed,
    },
};
use ulna_model::{ClipId, Document, LayerHome, Notice, PoseLayer, PoseLayerId, Shared};

impl NewLayer {
    /// Adds a layer on top of the others.
    pub(super) fn work(&self, scene: &Scene<'_>) -> Result<Vec<Edit>, CommandError> {
        let document = scene.document;
        let home = home_of(document, self.clip.as_ref())?;
        let name = name_for(&document.aids.layers(home), self.name.as_ref(), "Layer")?;
        let layer =
            PoseLayer::new("", Default::default()).named(document.aids.free_pose_layer(), name);
        Ok(push(document, home, layer))
    }
}

impl RemovePoseLayer {
    pub(super) fn work(&self, scene: &Scene<'_>) -> Result<Vec<Edit>, CommandError> {
        let found = FoundLayer::of(scene.document, &self.of)?;
        let mut layers = (*found.layers).clone();
        layers.0.remove(found.at);
        Ok(set(found.home, layers))
    }
}

impl RenamePoseLayer {
    pub(super) fn work(&self, scene: &Scene<'_>) -> Result<Vec<Edit>, CommandError> {
        let found = FoundLayer::of(scene.document, &self.of)?;
        let name = trimmed(&self.name)?;
        if found.layers.iter().any(|l| l.name == name && l.id != found.layer().id) {
            return refuse(
                "name_taken",
                format!("a layer named “{name}” already exists; use another name"),
            );
        }
        Ok(found.with(PoseLayer { name, ..found.layer().clone() }))
    }
}

impl KeepLayers {
    pub(super) fn work(&self, scene: &Scene<'_>) -> Result<Vec<Edit>, CommandError> {
        let now = scene.document.aids.keeps_layers;
        let to = self.on.unwrap_or(!now);
        Ok(if to == now { Vec::new() } else { vec![Edit::SetKeepsLayers { to }] })
    }
}

impl MuteLayer {
    pub(super) fn work(&self, scene: &Scene<'_>) -> Result<Vec<Edit>, CommandError> {
        let found = FoundLayer::of(scene.document, &self.of)?;
        let muted = self.muted.unwrap_or(!found.layer().muted);
        Ok(found.with(PoseLayer { muted, ..found.layer().clone() }))
    }
}

impl SoloLayer {
    pub(super) fn work(&self, scene: &Scene<'_>) -> Result<Vec<Edit>, CommandError> {
        let found = FoundLayer::of(scene.document, &self.of)?;
        let solo = self.solo.unwrap_or(!found.layer().solo);
        Ok(found.with(PoseLayer { solo, ..found.layer().clone() }))
    }
}

impl MovePoseLayer {
    pub(super) fn work(&self, scene: &Scene<'_>) -> Result<Vec<Edit>, CommandError> {
        let found = FoundLayer::of(scene.document, &self.of)?;
        let last = found.layers.0.len() - 1;
        let to = match (self.up, self.place) {
            (Some(true), None) => (found.at + 1).min(last),
            (Some(false), None) => found.at.saturating_sub(1),
            (None, Some(place)) if place <= last => place,
            (None, Some(place)) => {
                return refuse(
                    "argument_out_of_range",
                    format!("“place” is {place}, but must be 0 to {last}"),
                );
            }
            _ => return refuse("argument_missing", "use either “up” or “place”"),
        };
        if to == found.at {
            return Ok(Vec::new());
        }
        let mut layers = (*found.layers).clone();
        let layer = layers.0.remove(found.at);
        layers.0.insert(to, layer);
        Ok(set(found.home, layers))
    }
}

impl DuplicateLayer {
    pub(super) fn work(&self, scene: &Scene<'_>) -> Result<Vec<Edit>, CommandError> {
        let document = scene.document;
        let found = FoundLayer::of(document, &self.of)?;
        let name =
            name_for(&found.layers, self.name.as_ref(), &format!("{} copy", found.layer().name))?;
        let mut layers = (*found.layers).clone();
        let copy = found.layer().clone().named(document.aids.free_pose_layer(), name);
        layers.0.insert(found.at + 1, Shared::new(copy));
        Ok(set(found.home, layers))
    }
}

impl CopyLayer {
    pub(super) fn work(&self, scene: &Scene<'_>) -> Result<Outcome, CommandError> {
        let document = scene.document;
        let to = self.to.all(document)?;
        let found = FoundLayer::of(document, &self.of)?;
        let mut edits = Vec::new();
        let mut refused = Vec::new();
        let mut id = document.aids.free_pose_layer();
        for clip in to {
            let home = LayerHome::Clip(clip);
            let layers = document.aids.layers(home);
            let name = free_name(&layers, &found.layer().name);
            let kept = found.layer().nodes().into_iter().any(|n| {
                clip_of(document, clip).is_ok_and(|c| c.kept.iter().any(|(node, _)| *node == n))
            });
            if kept {
                refused.push(document.clip_label(clip));
                continue;
            }
            edits.extend(push(document, home, found.layer().clone().named(id, name)));
            id = PoseLayerId(id.0.saturating_add(1));
        }
        let note = (!refused.is_empty()).then(|| {
            format!(
                "clips left out, because their keys of these joints cannot be edited: {}",
                refused.join(", ")
            )
        });
        let notes = note.map(|n| Notice::new("clips_left_out", n)).into_iter().collect();
        Ok(Outcome { edits, notes, ..Outcome::default() })
    }
}

/// Returns the edit that copies the layers of one clip to another; empty if there are none.
pub(in crate::command) fn copies(document: &Document, from: ClipId, to: ClipId) -> Vec<Edit> {
    let layers = document.aids.layers(LayerHome::Clip(from));
    if layers.is_empty() {
        return Vec::new();
    }
    let first = document.aids.free_pose_layer().0;
    let copy = |(k, layer): (usize, &PoseLayer)| {
        layer.clone().named(PoseLayerId(first.saturating_add(k as u32)), layer.name.clone())
    };
    set(LayerHome::Clip(to), layers.iter().enumerate().map(copy).collect())
}

/// Returns the edit that removes all layers of a clip; `None` if it has none.
pub(in crate::command) fn without(document: &Document, clip: ClipId) -> Option<Edit> {
    let home = LayerHome::Clip(clip);
    document.aids.pose_layers.contains_key(&home).then_some(Edit::SetPoseLayers { home, to: None })
}
