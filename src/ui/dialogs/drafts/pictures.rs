//! Choices of the dialog that renders a clip to images.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::ui::dialogs::typed_path::expand;
use ulna_render::FilmKind;
use ulna_session::{Session, file_name};

/// Settings of rendered pictures.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct PicturesDraft {
    /// How they are kept.
    pub kind: FilmKind,
    /// Pixels.
    pub size: [u32; 2],
    /// Frames per second.
    pub fps: f64,
    /// Nothing behind the model.
    pub transparent: bool,
    /// The ground.
    pub grid: bool,
    /// The joints.
    pub joints: bool,
    /// The eye goes once around.
    pub turns: bool,
    /// Path as typed.
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
    /// The same for a clip of this file: beside it, called after both.
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

    /// Path of the images.
    pub fn path(&self) -> PathBuf {
        let path = expand(&self.to);
        // Names of clips have dots; only a suffix of a picture is none of the name.
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
