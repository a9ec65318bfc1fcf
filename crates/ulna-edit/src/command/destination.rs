//! The destination of a pose as an argument: the pose of the file, a clip at a time, or a layer.

use serde_json::{Map, Value};

use super::{
    ArgumentError, ArgumentSpec, Arguments,
    field::{ArgumentPart, ClipName, Seconds, choice},
    layer_name::LayerName,
};
use ulna_model::{Components, Document, NodeId, PoseLayerId};

choice! {
    /// Behavior of child nodes while their parent is posed.
    #[derive(Default)]
    Children {
        /// The children move with the parent.
        #[default]
        Follow = "follow",
        /// The children keep their world transforms.
        Place = "place",
        /// The children move with the parent, but keep their world rotation.
        Angle = "angle",
    }
}

/// Destination of a pose: a clip at a time, a layer, or by default the pose of the file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PoseDestination {
    /// Clip that receives the pose; `None` for the pose of the file.
    pub clip: Option<ClipName>,
    /// Time in the clip, in seconds.
    pub time: Option<Seconds>,
    /// The layer that receives the pose: a layer of `clip`, or without a clip, of the pose of the
    /// file.
    pub layer: Option<LayerName>,
}

impl PoseDestination {
    /// The pose of the file.
    pub const FILE: Self = Self { clip: None, time: None, layer: None };

    /// Returns the destination in a clip, at a time in seconds.
    pub const fn clip(clip: ulna_model::ClipId, time: f32) -> Self {
        Self { clip: Some(ClipName::Id(clip)), time: Some(Seconds(time)), layer: None }
    }

    /// Returns the same destination with another layer that receives the pose.
    #[must_use]
    pub fn in_layer(self, layer: Option<PoseLayerId>) -> Self {
        Self { layer: layer.map(LayerName::Id), ..self }
    }
}

impl ArgumentPart for PoseDestination {
    fn specs(_: &'static str, _: &'static str) -> Vec<ArgumentSpec> {
        [
            Option::<ClipName>::specs(
                "clip",
                "Clip that receives the pose, without a key; the pose of the file if omitted.",
            ),
            Option::<Seconds>::specs("time", "Time in that clip, in seconds."),
            Option::<LayerName>::specs(
                "layer",
                "Layer of that clip, or of the pose, that receives the pose; none if omitted.",
            ),
        ]
        .concat()
    }

    fn read(from: &Arguments, _: &'static str) -> Result<Self, ArgumentError> {
        Ok(Self {
            clip: ArgumentPart::read(from, "clip")?,
            time: ArgumentPart::read(from, "time")?,
            layer: ArgumentPart::read(from, "layer")?,
        })
    }

    fn write(&self, document: &Document, _: &'static str, into: &mut Map<String, Value>) {
        self.clip.write(document, "clip", into);
        self.time.write(document, "time", into);
        self.layer.write(document, "layer", into);
    }
}

/// Wanted components of the local transforms of nodes, each node once.
pub type Wanted = Vec<(NodeId, Components)>;
