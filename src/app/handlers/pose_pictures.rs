//! Pictures of the open model in the poses of the pose library.

use std::collections::BTreeMap;

use egui::{TextureHandle, TextureId};

use crate::ui::Library;
use ulna_render::Capture;

/// Rendered pictures of the open model in the displayed poses.
#[derive(Default)]
pub(in crate::app) struct PosePictures {
    /// Textures of the pictures, for the panels.
    pub shown: BTreeMap<(Library, String), TextureId>,
    /// For each pose: the hash of the picture's inputs, and the texture.
    pub taken: BTreeMap<(Library, String), (u64, Option<TextureHandle>)>,
    /// Serial number of the uploaded model in the pictures.
    pub serial: u64,
    /// The picture that is being rendered.
    pub awaited: Option<((Library, String), u64, Capture)>,
}
