//! Destination of a pose, as commands name it: the pose of the file, a clip at a time, or a layer.

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
        /// They go with it.
        #[default]
        Follow = "follow",
        /// They stay where they are.
        Place = "place",
        /// They go with it, but keep their angle in the scene.
        Angle = "angle",
    }
}

/// Over which clip a pose goes, and when; into the pose of the file where neither is given.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PoseDestination {
    /// The clip.
    pub clip: Option<ClipName>,
    /// Seconds on its clock.
    pub time: Option<Seconds>,
    /// The layer that takes it, of that clip or of the pose.
    pub layer: Option<LayerName>,
}

impl PoseDestination {
    /// Into the pose of the file.
    pub const FILE: Self = Self { clip: None, time: None, layer: None };

    /// Over a clip at a time.
    pub const fn clip(clip: ulna_model::ClipId, time: f32) -> Self {
        Self { clip: Some(ClipName::Id(clip)), time: Some(Seconds(time)), layer: None }
    }

    /// Into a layer of it.
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
                "Clip that receives an unkeyed pose; the pose of the file if omitted.",
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

/// Components that nodes get, each node once.
pub type Wanted = Vec<(NodeId, Components)>;
