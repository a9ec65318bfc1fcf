//! Clips of other files, and choices in the *Import clips* dialog.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::PathBuf,
};

use egui::TextureId;

use ulna_edit::command::{KeysHow, TakenName};
use ulna_model::NodeId;
use ulna_session::Fit;

/// Clip of another file, as it would be after the import.
#[derive(Clone, Debug, PartialEq)]
pub struct ImportRow {
    /// Index of the file.
    pub file: usize,
    /// Duration in seconds.
    pub length: f32,
    /// Frame rate, in frames per second, if the keys are on frames.
    pub fps: Option<f32>,
    /// Number of keys after the import.
    pub keys: usize,
    /// Approximate size that the clip adds to the file, in bytes.
    pub bytes: usize,
    /// Names of animated nodes that the open model does not have.
    pub lost: Vec<String>,
    /// Number of joints with resampled keys.
    pub resampled: usize,
    /// Largest sliding of feet in contacts in meters, before and after they are kept in place;
    /// `None` if they are not, or without contacts.
    pub slide: Option<[f32; 2]>,
    /// Whether the clip probably belongs to another kind of body.
    pub is_other: bool,
    /// Whether no keys remain after the import.
    pub is_empty: bool,
    /// Image of the open model in the middle of the clip. `None` before rendering, `Some(None)` if
    /// it cannot be rendered.
    pub picture: Option<Option<TextureId>>,
}

/// Clip in the preview at its current time.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ImportMoment {
    /// Index of the row.
    pub row: usize,
    /// Time in the clip, in seconds.
    pub time: f32,
    /// Image of the open model at this time; `None` if it is not rendered yet or cannot be.
    pub picture: Option<TextureId>,
    /// Bones of the clip's own skeleton at this time, seen from the front. Coordinates point right
    /// and up, relative to the largest extent.
    pub bones: Vec<[[f32; 2]; 2]>,
}

/// File that was read for import.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ImportFile {
    /// Name of the file.
    pub name: String,
    /// Match of the file's skeleton with the open model.
    pub fit: Option<Fit>,
    /// Reason why nothing can be imported from the file.
    pub fault: Option<String>,
    /// Path; `None` if the file cannot be opened.
    pub path: Option<PathBuf>,
    /// Names of the file's joints without an automatic counterpart.
    pub asked: Vec<String>,
    /// Joints matched by other means than an equal name, with their counterparts in the open model.
    pub guessed: Vec<(String, NodeId)>,
    /// Name of the matching retarget map that is stored with this scene.
    pub kept_map: Option<String>,
}

/// Files and clips in the import dialog.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ImportView {
    /// Name of the open file.
    pub model: String,
    /// Files that were read.
    pub files: Vec<ImportFile>,
    /// Names of files that are still to be read.
    pub waiting: Vec<String>,
    /// Clips of all files.
    pub rows: Vec<ImportRow>,
    /// Names of the clips, one per row.
    pub names: Vec<String>,
    /// Clip names that the open model already uses.
    pub taken: BTreeSet<String>,
    /// Clip and time of the preview.
    pub now: ImportMoment,
}

/// Choices in the import dialog.
#[derive(Clone, Debug, PartialEq)]
pub struct ImportDraft {
    /// Whether each row is imported.
    pub ticked: Vec<bool>,
    /// New names of the clips, one per row.
    pub names: Vec<String>,
    /// Index of the row in the preview.
    pub shown: usize,
    /// Action if a clip name is already used.
    pub taken: TakenName,
    /// Transfer method for keys.
    pub how: KeysHow,
    /// Counterparts chosen by the user, by the joint's name in the files; `None` for a skipped
    /// joint.
    pub by_hand: BTreeMap<String, Option<NodeId>>,
    /// Whether retarget maps that are stored with this scene are ignored.
    pub without_map: bool,
    /// Whether feet stay in place during contacts, if the bodies differ.
    pub keep_feet: bool,
    /// Whether the preview shows the clip as it is in its file.
    pub as_dropped: bool,
    /// Whether the preview is paused.
    pub still: bool,
}

impl ImportDraft {
    /// Whether the transfer of keys differs from that of another draft.
    pub fn fits_otherwise(&self, other: &Self) -> bool {
        (self.how, self.without_map, self.keep_feet, &self.by_hand)
            != (other.how, other.without_map, other.keep_feet, &other.by_hand)
    }
}

impl Default for ImportDraft {
    fn default() -> Self {
        Self {
            ticked: Vec::new(),
            names: Vec::new(),
            shown: 0,
            taken: TakenName::Number,
            how: KeysHow::Rests,
            by_hand: BTreeMap::new(),
            without_map: false,
            keep_feet: true,
            as_dropped: false,
            still: false,
        }
    }
}
