//! Contents of a picture, as they are asked for.

use std::collections::BTreeSet;

use super::loader::Uploaded;
use crate::ui::ViewOptions;
use ulna_edit::{NodeVisibility, Selection};
use ulna_model::{Clip, ClipId, Document, Mix, NodeId, Shared, Unkeyed, UnkeyedAt};
use ulna_motion::Averaging;
use ulna_render::{BoneLook, Camera, SceneBeside, TintKind};

/// The shown clip: one of the file, or none for a range of motion, which is not in the file.
pub(in crate::app) type ClipKey = Option<ClipId>;

/// The document that is shown, and that of the file as opened.
#[derive(Clone, Copy)]
pub(in crate::app) struct ShownDocument<'a> {
    pub document: &'a Document,
    pub opened: &'a Document,
    /// Generation of the document of the session.
    pub generation: u64,
}

/// The clip that is shown.
pub(in crate::app) struct DisplayedClip {
    pub key: ClipKey,
    pub clip: Shared<Clip>,
    /// Another number for every way that it is seen other than it is; else 0.
    pub preview: u64,
    /// The unkeyed pose that is seen over it.
    pub unkeyed: Option<(UnkeyedAt, Shared<Unkeyed>)>,
    /// The mix that plays in its place.
    pub mix: Option<Shared<Mix>>,
    /// How linear rotations go from key to key.
    pub between: Averaging,
}

/// Weight painting as the picture shows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::app) struct Painted {
    /// Tints in place of materials.
    pub tint: Option<TintKind>,
    /// The edges of triangles.
    pub edges: bool,
}

/// A model that is drawn beside the open one.
#[derive(Clone, Copy)]
pub(in crate::app) struct Beside<'a> {
    pub uploaded: &'a Uploaded,
    /// Whether its surfaces are shown without their materials.
    pub plain: bool,
}

impl<'a> Beside<'a> {
    /// Its scene on this device.
    pub(super) fn scene(&self, device: &wgpu::Device) -> Option<SceneBeside<'a>> {
        let is_own = self.uploaded.device.as_ref() == Some(device);
        let scene = self.uploaded.scene.as_ref().filter(|_| is_own)?;
        Some(SceneBeside { scene, plain: self.plain })
    }
}

/// Inputs of a picture.
#[derive(Clone, Copy)]
pub(in crate::app) struct Seen<'a> {
    pub camera: &'a Camera,
    pub selection: &'a Selection,
    pub marks: &'a NodeVisibility,
    pub hover: Option<NodeId>,
    /// Joints that would cover the brush.
    pub faded: &'a BTreeSet<NodeId>,
    pub shown: ViewOptions,
    pub painting: Option<Painted>,
    pub unkeyed: Option<&'a Unkeyed>,
    /// Models beside the open one.
    pub beside: &'a [Beside<'a>],
    /// Joints of those models.
    pub bones_beside: &'a [BoneLook],
}

/// Requested ghosts.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::app) struct GhostsWanted {
    /// The document's generation, and the clip.
    pub made_from: (u64, Option<ClipId>),
    /// Whether it is the file as it was opened.
    pub as_opened: bool,
    /// The interpolation of LINEAR rotations.
    pub between: Averaging,
    /// Only of what these joints move; of all where there are none.
    pub of: Vec<NodeId>,
    /// Their times, and how far each is from the playhead: −1..=1, below 0 before it.
    pub moments: Vec<(f32, f32)>,
}
