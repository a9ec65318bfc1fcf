//! Arguments that refer to pose layers, and their lookup.

use std::sync::Arc;

use serde_json::{Map, Value};

use super::{
    ArgumentError, ArgumentSpec, ArgumentType, Arguments, CommandError,
    error::refuse,
    field::{ArgumentPart, ClipName, field},
};
use ulna_model::{Document, LayerHome, PoseLayerId};
use ulna_motion::LayerWriteError;

impl From<LayerWriteError> for CommandError {
    fn from(why: LayerWriteError) -> Self {
        Self::other(why.code(), why.to_string())
    }
}

/// Name of the command that adds a layer, for messages.
const NEW_LAYER: &str = "layer.new";

/// A layer in an argument.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LayerName {
    /// The name of the layer, or `#number`.
    Named(String),
    /// The id of the layer.
    Id(PoseLayerId),
}
field!(
    LayerName,
    ArgumentType::Text,
    |from, name| from.text(name).map(|text| Self::Named(text.to_owned())),
    |v, document| match v {
        Self::Named(text) => text.as_str().into(),
        Self::Id(id) => pose_layer_text(document, *id).into(),
    }
);

/// Returns the text of a layer in a command line: its name, which is unique in its list. If the
/// name looks like a number, the text is the layer's number.
pub fn pose_layer_text(document: &Document, id: PoseLayerId) -> String {
    match document.aids.pose_layer(id) {
        Some((_, layer)) if !layer.name.starts_with('#') => layer.name.to_string(),
        _ => format!("#{}", id.0),
    }
}

impl LayerName {
    /// Returns the layer, among those of a clip or of the pose.
    ///
    /// # Errors
    /// If the layer does not exist.
    pub fn find(&self, document: &Document, home: LayerHome) -> Result<PoseLayerId, CommandError> {
        let layers = document.aids.layers(home);
        let found = match self {
            Self::Id(id) => layers.get(*id),
            Self::Named(text) => {
                let number = text.strip_prefix('#').and_then(|t| t.parse().ok()).map(PoseLayerId);
                let named = layers.0.iter().find(|l| *l.name == **text);
                named.or_else(|| number.and_then(|n| layers.get(n)))
            }
        };
        match found {
            Some(layer) => Ok(layer.id),
            None => {
                let text = match self {
                    Self::Named(text) => text.clone(),
                    Self::Id(id) => format!("#{}", id.0),
                };
                let names: Vec<String> = layers.iter().map(|l| format!("“{}”", l.name)).collect();
                let there = if names.is_empty() {
                    format!("use {NEW_LAYER} to add one")
                } else {
                    format!("layers: {}", names.join(", "))
                };
                refuse(
                    "no_such_layer",
                    format!("{} has no layer “{text}”; {there}", home_words(document, home)),
                )
            }
        }
    }
}

/// Describes the owner of a list of layers, for messages.
pub(super) fn home_words(document: &Document, home: LayerHome) -> String {
    match home {
        LayerHome::Pose => "the pose".into(),
        LayerHome::Clip(id) => format!("“{}”", document.clip_label(id)),
    }
}

/// A layer of a clip, or of the pose, in an argument.
#[derive(Clone, Debug, PartialEq)]
pub struct LayerOf {
    /// The clip that owns the layer; the pose if `None`.
    pub clip: Option<ClipName>,
    /// The layer; if `None`, the only layer of the clip or of the pose.
    pub layer: Option<LayerName>,
}

impl LayerOf {
    /// Returns an argument for an existing layer.
    pub fn of(home: LayerHome, layer: PoseLayerId) -> Self {
        Self { clip: home.clip().map(ClipName::Id), layer: Some(LayerName::Id(layer)) }
    }
}

impl ArgumentPart for LayerOf {
    fn specs(_: &'static str, _: &'static str) -> Vec<ArgumentSpec> {
        let layer = "Name of the layer; required if there are several layers.";
        let clip = "Clip of the layer; a layer of the pose if omitted.";
        [Option::<ClipName>::specs("clip", clip), Option::<LayerName>::specs("layer", layer)]
            .concat()
    }

    fn read(from: &Arguments, _: &'static str) -> Result<Self, ArgumentError> {
        Ok(Self {
            clip: ArgumentPart::read(from, "clip")?,
            layer: ArgumentPart::read(from, "layer")?,
        })
    }

    fn write(&self, document: &Document, _: &'static str, into: &mut Map<String, Value>) {
        self.clip.write(document, "clip", into);
        ArgumentPart::write(&self.layer, document, "layer", into);
    }
}

pub(super) fn trimmed(name: &str) -> Result<Arc<str>, CommandError> {
    match name.trim() {
        "" => refuse("name_missing", "a layer needs a name"),
        name => Ok(name.into()),
    }
}

#[cfg(test)]
mod tests {
    use super::NEW_LAYER;

    #[test]
    fn the_command_named_in_messages_exists() {
        assert!(crate::find(NEW_LAYER).is_some());
    }
}
