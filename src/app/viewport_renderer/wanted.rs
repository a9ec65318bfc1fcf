//! Inputs of a picture.

use std::collections::BTreeSet;

use super::loader::Uploaded;
use crate::ui::ViewOptions;
use ulna_edit::{NodeVisibility, Selection};
use ulna_model::{Clip, ClipId, Document, Mix, NodeId, Shared, Unkeyed, UnkeyedAt};
use ulna_motion::Averaging;
use ulna_render::{BoneLook, Camera, SceneBeside, TintKind};

/// Id of the displayed clip; `None` for a generated clip, such as the range of motion.
pub(in crate::app) type ClipKey = Option<ClipId>;

/// The document to show, and the document as opened.
#[derive(Clone, Copy)]
pub(in crate::app) struct ShownDocument<'a> {
    pub document: &'a Document,
    pub opened: &'a Document,
    /// Generation of the session's document.
    pub generation: u64,
}

/// The displayed clip, with everything that affects its pose.
pub(in crate::app) struct DisplayedClip {
    pub key: ClipKey,
    pub clip: Shared<Clip>,
    /// Serial number of a preview of the clip; 0 for the clip itself.
    pub preview: u64,
    /// The unkeyed pose over the clip.
    pub unkeyed: Option<(UnkeyedAt, Shared<Unkeyed>)>,
    /// The mix that plays in place of the clip.
    pub mix: Option<Shared<Mix>>,
    /// Interpolation of LINEAR rotations: SLERP or NLERP.
    pub between: Averaging,
}

/// Display options of Paint mode.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::app) struct Painted {
    /// Tints in place of materials; `None` for materials.
    pub tint: Option<TintKind>,
    /// True if the edges of triangles are drawn.
    pub edges: bool,
}

/// A further model, drawn together with the open one.
#[derive(Clone, Copy)]
pub(in crate::app) struct Beside<'a> {
    pub uploaded: &'a Uploaded,
    /// True if the surfaces are drawn without their materials.
    pub plain: bool,
}

impl<'a> Beside<'a> {
    /// The model's scene, if it is on this device.
    pub(super) fn scene(&self, device: &wgpu::Device) -> Option<SceneBeside<'a>> {
        let is_own = self.uploaded.device.as_ref() == Some(device);
        let scene = self.uploaded.scene.as_ref().filter(|_| is_own)?;
        Some(SceneBeside { scene, plain: self.plain })
    }
}

/// All inputs of a picture.
#[derive(Clone, Copy)]
pub(in crate::app) struct Seen<'a> {
    pub camera: &'a Camera,
    pub selection: &'a Selection,
    pub marks: &'a NodeVisibility,
    pub hover: Option<NodeId>,
    /// Joints that are faded, because they would cover the brush.
    pub faded: &'a BTreeSet<NodeId>,
    pub shown: ViewOptions,
    pub painting: Option<Painted>,
    pub unkeyed: Option<&'a Unkeyed>,
    /// Further models in the picture.
    pub beside: &'a [Beside<'a>],
    /// Joints of the further models.
    pub bones_beside: &'a [BoneLook],
}

/// Requested ghosts.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::app) struct GhostsWanted {
    /// Document generation and displayed clip.
    pub made_from: (u64, Option<ClipId>),
    /// True to show the file as opened as a ghost.
    pub as_opened: bool,
    /// Interpolation of LINEAR rotations.
    pub between: Averaging,
    /// Joints whose parts of the surface are shown; all parts if empty.
    pub of: Vec<NodeId>,
    /// Times of the ghosts in seconds, and their signed distances to the playhead in −1..=1. Times
    /// before the playhead are negative.
    pub moments: Vec<(f32, f32)>,
}
