//! Lookup of the pose layer that a command names, and edits of the list that contains it.

use std::sync::Arc;

use super::commands::NewLayer;
use crate::{
    Edit,
    command::{
        CommandError,
        clip_keys::clip_of,
        error::refuse,
        field::ClipName,
        layer_name::{LayerOf, home_words, trimmed},
    },
};
use ulna_model::{Document, LayerHome, PoseLayer, PoseLayers, Shared};
use ulna_motion::LayerWriteError;

/// A layer, found in the list of its clip or of the pose.
pub(super) struct FoundLayer {
    pub(super) home: LayerHome,
    pub(super) layers: Shared<PoseLayers>,
    pub(super) at: usize,
}

impl FoundLayer {
    pub(super) fn of(document: &Document, of: &LayerOf) -> Result<Self, CommandError> {
        let home = home_of(document, of.clip.as_ref())?;
        let layers = document.aids.layers(home);
        let id = match &of.layer {
            Some(layer) => layer.find(document, home)?,
            None => match layers.0.as_slice() {
                [only] => only.id,
                [] => {
                    return refuse(
                        "no_such_layer",
                        format!(
                            "{} has no layers; use {} to add one",
                            home_words(document, home),
                            NewLayer::NAME
                        ),
                    );
                }
                all => {
                    return refuse(
                        "layer_ambiguous",
                        format!(
                            "{} has {} layers; name one as “layer”",
                            home_words(document, home),
                            all.len()
                        ),
                    );
                }
            },
        };
        let at = layers.position(id).ok_or(LayerWriteError::NoLayer)?;
        Ok(Self { home, layers, at })
    }

    pub(super) fn layer(&self) -> &PoseLayer {
        &self.layers.0[self.at]
    }

    /// Returns the edit that replaces this layer; empty if the layer is unchanged.
    pub(super) fn with(&self, layer: PoseLayer) -> Vec<Edit> {
        if layer == *self.layer() {
            return Vec::new();
        }
        let mut layers = (*self.layers).clone();
        layers.0[self.at] = Shared::new(layer);
        set(self.home, layers)
    }
}

/// Returns the owner of layers: the given clip, or the pose if `None`.
pub(super) fn home_of(
    document: &Document,
    clip: Option<&ClipName>,
) -> Result<LayerHome, CommandError> {
    let id = clip.map(|c| c.find(document)).transpose()?;
    if let Some(id) = id {
        clip_of(document, id)?;
    }
    Ok(LayerHome::of(id))
}

/// Returns the edit that sets the layers of a clip or of the pose.
pub(super) fn set(home: LayerHome, layers: PoseLayers) -> Vec<Edit> {
    let to = (!layers.is_empty()).then(|| Shared::new(layers));
    vec![Edit::SetPoseLayers { home, to }]
}

/// Returns a name that no layer has: the given name, or that name with the first free number.
pub(super) fn free_name(layers: &PoseLayers, name: &str) -> Arc<str> {
    let numbered = |k: u32| if k < 2 { name.to_owned() } else { format!("{name} {k}") };
    let free = |n: &String| layers.iter().all(|l| *l.name != **n);
    (1..).map(numbered).find(free).unwrap_or_default().into()
}

/// Returns the name of a new layer: the given name, or a numbered default.
pub(super) fn name_for(
    layers: &PoseLayers,
    name: Option<&String>,
    usual: &str,
) -> Result<Arc<str>, CommandError> {
    let Some(name) = name else { return Ok(free_name(layers, usual)) };
    let name = trimmed(name)?;
    if layers.iter().any(|l| l.name == name) {
        return refuse(
            "name_taken",
            format!("a layer named “{name}” already exists; use another name"),
        );
    }
    Ok(name)
}

/// Returns the edit that adds a layer on top of a list.
pub(super) fn push(document: &Document, home: LayerHome, layer: PoseLayer) -> Vec<Edit> {
    let mut layers = (*document.aids.layers(home)).clone();
    layers.0.push(Shared::new(layer));
    set(home, layers)
}
