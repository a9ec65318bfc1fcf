//! Choices in the dialog that renders a clip to images.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::ui::dialogs::typed_path::expand;
use ulna_render::FilmKind;
use ulna_session::{Session, file_name};

/// Settings of rendered images.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct PicturesDraft {
    /// Output format: image sequence, GIF or sheet.
    pub kind: FilmKind,
    /// Width and height of an image, in pixels.
    pub size: [u32; 2],
    /// Frames per second.
    pub fps: f64,
    /// Whether the background is transparent.
    pub transparent: bool,
    /// Whether the ground grid is shown.
    pub grid: bool,
    /// Whether joints are shown.
    pub joints: bool,
    /// Whether the camera orbits once around the model (turntable).
    pub turns: bool,
    /// Destination path as typed.
    #[serde(skip)]
    pub to: String,
}

impl Default for PicturesDraft {
    fn default() -> Self {
        Self {
            kind: FilmKind::Numbered,
            size: [800, 800],
            fps: 25.0,
            transparent: false,
            grid: true,
            joints: false,
            turns: false,
            to: String::new(),
        }
    }
}

impl PicturesDraft {
    /// Returns the settings with a destination beside the document, named after the document and
    /// the clip.
    pub fn beside(self, session: &Session, clip: &str) -> Self {
        let path = session
            .path()
            .map(std::path::Path::to_owned)
            .unwrap_or_else(|| PathBuf::from("model.glb"));
        let stem =
            path.file_stem().map_or_else(|| "model".into(), |s| s.to_string_lossy().into_owned());
        let name = file_name(clip).map_or_else(|| stem.clone(), |clip| format!("{stem}-{clip}"));
        let folder = path.with_file_name(format!("{stem}-pictures"));
        Self { to: folder.join(name).display().to_string(), ..self }
    }

    /// Path of the images, with the extension of the format.
    pub fn path(&self) -> PathBuf {
        let path = expand(&self.to);
        // Clip names may contain dots, so only an image extension is removed.
        let suffix = path.extension().map(|e| e.to_string_lossy().to_lowercase());
        let bare = if matches!(suffix.as_deref(), Some("png" | "gif")) {
            path.with_extension("")
        } else {
            path
        };
        let mut name = bare.into_os_string();
        name.push(".");
        name.push(self.kind.suffix());
        name.into()
    }
}
