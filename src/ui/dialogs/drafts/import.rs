//! Clips of other files, and the choices of the *Import clips* dialog.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::PathBuf,
};

use egui::TextureId;

use ulna_edit::command::{KeysHow, TakenName};
use ulna_model::NodeId;
use ulna_session::Fit;

/// A clip of another file, as it would be here.
#[derive(Clone, Debug, PartialEq)]
pub struct ImportRow {
    /// Index of the file.
    pub file: usize,
    /// Seconds.
    pub length: f32,
    /// Frame rate, in frames per second, if the keys are on frames.
    pub fps: Option<f32>,
    /// Number of keys after the import.
    pub keys: usize,
    /// About how many bytes it adds.
    pub bytes: usize,
    /// Names of animated nodes that this model does not have.
    pub lost: Vec<String>,
    /// Number of joints whose keys were resampled.
    pub resampled: usize,
    /// Whether it is likely to be another kind of body.
    pub is_other: bool,
    /// Whether nothing of it is left.
    pub is_empty: bool,
    /// This model in the middle of it; nothing inside where there can be none.
    pub picture: Option<Option<TextureId>>,
}

/// The clip that is looked at, as it plays.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ImportMoment {
    /// Index of the row.
    pub row: usize,
    /// Seconds.
    pub time: f32,
    /// This model then; nothing where it is not drawn yet, or cannot be.
    pub picture: Option<TextureId>,
    /// The clip's own skeleton then: bones from the front, to the right and up, in parts of the
    /// greatest extent.
    pub bones: Vec<[[f32; 2]; 2]>,
}

/// A file that was read.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ImportFile {
    /// Its name.
    pub name: String,
    /// How its skeleton fits.
    pub fit: Option<Fit>,
    /// Why nothing of it comes in.
    pub fault: Option<String>,
    /// Path; `None` if the file cannot be opened.
    pub path: Option<PathBuf>,
    /// Joints of it that have no counterpart by themselves, by name.
    pub asked: Vec<String>,
    /// Joints of it that were found otherwise than by the same name, and what they were found to be
    /// here.
    pub guessed: Vec<(String, NodeId)>,
    /// Name of the retarget map kept with this scene that fits it.
    pub kept_map: Option<String>,
}

/// Files and clips to choose from.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ImportView {
    /// The open file's name.
    pub model: String,
    /// Files that were read.
    pub files: Vec<ImportFile>,
    /// Files that are still to be read, by name.
    pub waiting: Vec<String>,
    /// Clips.
    pub rows: Vec<ImportRow>,
    /// Names of the clips, one per row.
    pub names: Vec<String>,
    /// Names that are taken here.
    pub taken: BTreeSet<String>,
    /// Clip and time of the preview.
    pub now: ImportMoment,
}

/// Choices of the dialog.
#[derive(Clone, Debug, PartialEq)]
pub struct ImportDraft {
    /// Whether each row is imported.
    pub ticked: Vec<bool>,
    /// New names, one per row.
    pub names: Vec<String>,
    /// Row shown in the preview.
    pub shown: usize,
    /// Action if a name is taken.
    pub taken: TakenName,
    /// How keys come over.
    pub how: KeysHow,
    /// Counterparts chosen by hand, by the joint's name in the files; `None` for a joint that is
    /// left out.
    pub by_hand: BTreeMap<String, Option<NodeId>>,
    /// Whether retarget maps kept with this scene are left unused.
    pub without_map: bool,
    /// Whether a clip is shown as it is in its file.
    pub as_dropped: bool,
    /// Whether it stands still.
    pub still: bool,
}

impl ImportDraft {
    /// Whether clips come over otherwise than in another draft.
    pub fn fits_otherwise(&self, other: &Self) -> bool {
        (self.how, self.without_map, &self.by_hand)
            != (other.how, other.without_map, &other.by_hand)
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
            as_dropped: false,
            still: false,
        }
    }
}
