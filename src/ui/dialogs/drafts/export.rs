//! Choices of the *Export animations* dialog, the places of former exports, and the forecast of an
//! export.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::ui::dialogs::typed_path::expand;
use ulna_model::{ClipId, Document, rate_in_words};
use ulna_session::{ExportFindings, ExportRequest, Session};

/// Choices of an export.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ExportDraft {
    /// Clips that are left out.
    #[serde(skip)]
    pub left_out: Vec<ClipId>,
    /// Filter of the list of clips.
    #[serde(skip)]
    pub filter: String,
    /// Whether meshes, materials and images are left out.
    pub skeleton_only: bool,
    /// Whether keys are sampled anew, and at how many frames a second, as typed.
    pub resampled: bool,
    /// See there.
    pub rate: String,
    /// Whether each clip gets a file.
    pub each: bool,
    /// Whether it is a `.gltf`.
    pub gltf: bool,
    /// Pattern of the file names if each clip is one file: see [`ExportRequest::names`]. `{file}`
    /// stands for the document's name, `{date}` for the day.
    pub names: String,
    /// Name of the document.
    #[serde(skip)]
    pub stem: String,
    /// Path of the single file as typed, without its extension.
    #[serde(skip)]
    pub file: String,
    /// Folder for one file per clip, as typed.
    #[serde(skip)]
    pub folder: String,
}

impl ExportDraft {
    /// Initial choices: all clips, beside the document's file, or the options of the last export.
    /// `places`: destinations of earlier exports.
    pub fn of(session: &Session, fps: f64, last: Option<Self>, places: &[ExportPlace]) -> Self {
        let path = session
            .path()
            .map(std::path::Path::to_owned)
            .unwrap_or_else(|| PathBuf::from("model.glb"));
        let stem =
            path.file_stem().map_or_else(|| "model".into(), |s| s.to_string_lossy().into_owned());
        let beside = |name: &str| path.with_file_name(name).display().to_string();
        let fresh = Self {
            each: session.document().clips.count() > 1,
            rate: rate_in_words(fps),
            names: "{clip}".to_owned(),
            ..Self::default()
        };
        Self {
            file: beside(&format!("{stem}-export")),
            folder: beside(&format!("{stem}-clips")),
            stem,
            ..last.unwrap_or(fresh)
        }
        .at(places, session.path())
    }

    /// The export that the draft describes; `None` if the rate is not a number.
    pub fn request(&self, document: &Document) -> Option<ExportRequest> {
        let rate = if self.resampled {
            Some(self.rate.trim().replace(',', ".").parse().ok()?)
        } else {
            None
        };
        let to = if self.each { expand(&self.folder) } else { self.one_file() };
        let is_kept = |id: &ClipId| !self.left_out.contains(id);
        let clips =
            (!self.left_out.is_empty()).then(|| document.clips.ids().filter(is_kept).collect());
        let (each, gltf) = (self.each, self.gltf);
        let names = self.file_names();
        Some(ExportRequest {
            clips,
            skeleton_only: self.skeleton_only,
            rate,
            each,
            names,
            gltf,
            to,
            replace: true,
        })
    }

    /// The folder that it goes to, and what the one file is called there.
    pub fn place(&self) -> (PathBuf, String) {
        if self.each {
            return (expand(&self.folder), String::new());
        }
        let file = self.one_file();
        let name = file.file_name().map_or_else(String::new, |n| n.to_string_lossy().into_owned());
        (file.parent().map_or_else(PathBuf::new, Path::to_owned), name)
    }

    /// Goes to a place that was chosen: a folder where each clip gets a file, else a file.
    pub fn go_to(&mut self, path: &Path) {
        let text = if self.each { path.to_owned() } else { without_suffix(path.to_owned()) }
            .display()
            .to_string();
        *(if self.each { &mut self.folder } else { &mut self.file }) = text;
    }

    /// The draft with the destination of the file's last export, if known.
    fn at(self, places: &[ExportPlace], of: Option<&Path>) -> Self {
        let Some(place) = places.iter().find(|p| Some(&*p.of) == of) else { return self };
        Self { file: place.file.clone(), folder: place.folder.clone(), ..self }
    }

    /// Pattern of the file names for [`ExportRequest::names`].
    pub fn file_names(&self) -> String {
        self.names.replace("{file}", &self.stem).replace("{date}", &today())
    }

    fn one_file(&self) -> PathBuf {
        // A typed suffix is none of the name.
        let mut name = without_suffix(expand(&self.file)).into_os_string();
        name.push(if self.gltf { ".gltf" } else { ".glb" });
        name.into()
    }
}

fn without_suffix(path: PathBuf) -> PathBuf {
    let suffix = path.extension().map(|e| e.to_string_lossy().to_lowercase());
    if matches!(suffix.as_deref(), Some("glb" | "gltf")) { path.with_extension("") } else { path }
}

/// Destination of the exports of one file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct ExportPlace {
    /// Path of the file.
    pub of: PathBuf,
    /// The one file, as typed.
    pub file: String,
    /// The folder of a file a clip, as typed.
    pub folder: String,
}

impl ExportPlace {
    /// Puts the place of an export of a file before all others; the oldest are forgotten.
    pub fn keep(list: &mut Vec<Self>, of: &Path, draft: &ExportDraft) {
        const MOST: usize = 40;
        list.retain(|place| place.of != of);
        list.insert(
            0,
            Self { of: of.to_owned(), file: draft.file.clone(), folder: draft.folder.clone() },
        );
        list.truncate(MOST);
    }
}

/// Today's date where the person is, as `2026-01-31`.
fn today() -> String {
    jiff::Zoned::now().date().to_string()
}

/// Size and problems of an export, computed on another thread.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ExportForeseen {
    /// Bytes of each file, in their order.
    pub sizes: Vec<usize>,
    /// Why none can be made.
    pub fails: Option<String>,
    /// Clips marked as loops that do not close, each with the reason.
    pub open: Vec<(ClipId, String)>,
    /// Problems found in the files to be written, once known.
    pub findings: Option<ExportFindings>,
}
