//! Pictures of the open model in kept poses.

use std::collections::BTreeMap;

use egui::{TextureHandle, TextureId};

use crate::ui::Library;
use ulna_render::Capture;

/// Pictures of the model that is open in each pose that is shown.
#[derive(Default)]
pub(in crate::app) struct PosePictures {
    /// Thumbnails as textures for the panels.
    pub shown: BTreeMap<(Library, String), TextureId>,
    /// Per pose: hash of the picture's inputs, and the texture.
    pub taken: BTreeMap<(Library, String), (u64, Option<TextureHandle>)>,
    /// The upload of the model that they are of.
    pub serial: u64,
    /// Picture that is being rendered.
    pub awaited: Option<((Library, String), u64, Capture)>,
}
