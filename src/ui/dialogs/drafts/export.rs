//! Choices in the *Export animations* dialog, destinations of earlier exports, and the forecast of
//! an export.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::ui::dialogs::typed_path::expand;
use ulna_model::{ClipId, Document, rate_in_words};
use ulna_session::{ExportFindings, ExportRequest, Session};

/// Choices in the export dialog.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ExportDraft {
    /// Clips that are not exported.
    #[serde(skip)]
    pub left_out: Vec<ClipId>,
    /// Filter of the list of clips.
    #[serde(skip)]
    pub filter: String,
    /// Whether meshes, materials and images are left out.
    pub skeleton_only: bool,
    /// Whether keys are resampled.
    pub resampled: bool,
    /// Frame rate of the resampled keys as typed, in frames per second.
    pub rate: String,
    /// Whether each clip is written to its own file.
    pub each: bool,
    /// Whether the format is `.gltf`; otherwise `.glb`.
    pub gltf: bool,
    /// Pattern of the file names with one file per clip; see [`ExportRequest::names`]. `{file}` is
    /// replaced by the document's name, and `{date}` by the date.
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
    /// Creates the initial choices. They are the options of the last export, or all clips to a path
    /// beside the document. `places`: destinations of earlier exports.
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

    /// Export that the draft describes; `None` if the rate is not a number.
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

    /// Destination folder, and the name of the single file; the name is empty with one file per
    /// clip.
    pub fn place(&self) -> (PathBuf, String) {
        if self.each {
            return (expand(&self.folder), String::new());
        }
        let file = self.one_file();
        let name = file.file_name().map_or_else(String::new, |n| n.to_string_lossy().into_owned());
        (file.parent().map_or_else(PathBuf::new, Path::to_owned), name)
    }

    /// Sets the destination to a chosen path: a folder with one file per clip, otherwise a file.
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
        // A typed extension is not part of the name.
        let mut name = without_suffix(expand(&self.file)).into_os_string();
        name.push(if self.gltf { ".gltf" } else { ".glb" });
        name.into()
    }
}

fn without_suffix(path: PathBuf) -> PathBuf {
    let suffix = path.extension().map(|e| e.to_string_lossy().to_lowercase());
    if matches!(suffix.as_deref(), Some("glb" | "gltf")) { path.with_extension("") } else { path }
}

/// Destination of the last export of a document file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct ExportPlace {
    /// Path of the document file.
    pub of: PathBuf,
    /// Path of the single exported file, as typed.
    pub file: String,
    /// Folder for one file per clip, as typed.
    pub folder: String,
}

impl ExportPlace {
    /// Stores the destination of an export at the start of the list. The oldest entries are
    /// dropped.
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

/// Current local date, as `2026-01-31`.
fn today() -> String {
    jiff::Zoned::now().date().to_string()
}

/// Forecast of an export: sizes and problems, computed on another thread.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ExportForeseen {
    /// Size of each file in bytes, in the order of the files.
    pub sizes: Vec<usize>,
    /// Reason why the export would fail.
    pub fails: Option<String>,
    /// Clips marked as loops that do not close, each with a description of the gap.
    pub open: Vec<(ClipId, String)>,
    /// Problems found in the files, once computed.
    pub findings: Option<ExportFindings>,
}
