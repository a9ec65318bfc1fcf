//! The dialogs and the actions that they ask for.

use std::{collections::BTreeSet, path::PathBuf};

use egui::TextureId;

use super::drafts::{
    BindDraft, ConvertDraft, ExportDraft, FormDraft, ImportDraft, PicturesDraft, RebindDraft,
    SeamsDraft,
};
use crate::ui::guide::GuidePlace;
use ulna_edit::{CommandLine, CommandSpec, command::field::CarryWay};
use ulna_model::{ClipId, UnkeyedAt};
use ulna_session::{ExportRequest, Outlook, SaveRequest};

/// A dialog over the window.
#[derive(Clone, Debug, PartialEq)]
pub enum Dialog {
    /// A path to open, typed.
    Open {
        /// Path as typed.
        path: String,
    },
    /// Files to take clips of, typed.
    ImportFrom {
        /// Path as typed.
        path: String,
    },
    /// A file whose clips are retargeted, typed.
    RetargetFrom {
        /// Path as typed.
        path: String,
    },
    /// A file that is shown as a reference model, typed.
    ReferenceFrom {
        /// Path as typed.
        path: String,
    },
    /// A JSON file of keys, typed.
    KeyFile {
        /// Path as typed.
        path: String,
        /// Whether keys are written to it, and not read from it.
        saves: bool,
    },
    /// A JSON file of a retarget map, typed.
    MapFile {
        /// Path as typed.
        path: String,
        /// Whether the map is saved to it.
        saves: bool,
    },
    /// A file to take weights of, typed.
    ImportWeights {
        /// Path as typed.
        path: String,
        /// How vertices are matched; the method that fits is used if none is chosen.
        by: Option<CarryWay>,
    },
    /// File that weights are written to, typed.
    ExportWeights {
        /// Path as typed.
        path: String,
    },
    /// Meshes that are bound to joints.
    Bind {
        /// Meshes, joints, parameters and trial of the panel.
        draft: Box<BindDraft>,
    },
    /// Skinned meshes that are bound again in another pose.
    Rebind {
        /// Meshes and the pose that becomes their bind pose.
        draft: Box<RebindDraft>,
    },
    /// Content of a file of another format, and options of its import.
    Convert {
        /// File, contents and options of the import.
        draft: Box<ConvertDraft>,
    },
    /// A file of another format that cannot be read.
    CannotRead {
        /// The file.
        path: PathBuf,
        /// Reason.
        message: String,
    },
    /// Import clips of other files.
    Import {
        /// Files, clips and options of the transfer.
        draft: Box<ImportDraft>,
    },
    /// Best transition points between clips.
    Seams {
        /// Filter and order of the list.
        draft: Box<SeamsDraft>,
    },
    /// A path to save to, typed.
    SaveAs {
        /// Path as typed.
        path: String,
        /// Whether the document stays with its file.
        copy: bool,
    },
    /// Ask about unsaved work before an action.
    Unsaved {
        /// Action to perform after saving.
        then: DeferredAction,
    },
    /// Changes that saving makes.
    Changes {
        /// Sentences.
        lines: Vec<String>,
    },
    /// Ask about an obstacle to a save.
    SaveRefused {
        /// Reason why saving stopped.
        obstacle: Obstacle,
        /// The save that was requested.
        request: Box<SaveRequest>,
        /// Whether it was to be a copy.
        copy: bool,
    },
    /// A step keeps the document from being saved.
    CannotSave {
        /// Its place in the history.
        step: usize,
        /// Why.
        message: String,
        /// The file.
        path: PathBuf,
    },
    /// Another program wrote the file.
    ChangedOnDisk {
        /// Chosen way to go on.
        choice: ChangedOnDisk,
        /// Time since it was written, in words.
        written: Option<String>,
        /// Effect of reloading it, once known.
        outlook: Option<Box<Outlook>>,
    },
    /// Poses that are not keyed, before a save.
    Unkeyed {
        /// One a pose.
        rows: Vec<UnkeyedRow>,
    },
    /// Unsaved work of crashed sessions.
    Recovery {
        /// Entry whose steps are listed.
        open: Option<usize>,
        /// Entry to discard after a second confirmation.
        discard: Option<usize>,
    },
    /// The program failed in a frame.
    Fault {
        /// Path of the report.
        report: Option<String>,
        /// Path of the journal.
        journal: Option<String>,
    },
    /// The palette.
    Find,
    /// Export of clips to files.
    Export {
        /// Contents, options and target of the export.
        draft: Box<ExportDraft>,
    },
    /// How a clip becomes pictures.
    Pictures {
        /// Range, size, format and target of the pictures.
        draft: Box<PicturesDraft>,
    },
    /// Form of a command with arguments.
    Arguments {
        /// Command and values of its arguments.
        draft: Box<FormDraft>,
    },
    /// Planned changes of the skeleton.
    Plan,
    /// The joints of the bones of a human.
    Humanoid,
    /// The file that they are written to, typed.
    SavePlan {
        /// The text of the field.
        path: String,
    },
    /// Undo history.
    History {
        /// Steps that are marked, the first is 1.
        marked: BTreeSet<usize>,
    },
    /// The preferences.
    Preferences {
        /// Shown page.
        page: PreferencePage,
        /// The command that waits for its new key.
        listening: Option<String>,
        /// The label of the row that is marked: the one that a person looked for.
        row: Option<&'static str>,
    },
    /// The guide.
    Guide {
        /// The place that is shown.
        place: GuidePlace,
        /// Words that it is searched for.
        search: String,
    },
    /// All commands.
    Commands,
    /// About Ulna.
    About,
}

/// Purpose of a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PathFor {
    /// To open it.
    Open,
    /// To take its clips.
    Import,
    /// To retarget its clips.
    Retarget,
    /// To show it as a reference model.
    Reference,
    /// To read a retarget map from it.
    MapIn,
    /// To save a retarget map to it.
    MapOut,
    /// To read keys from it.
    KeysIn,
    /// To write keys to it.
    KeysOut,
    /// To save to it.
    Save,
    /// To save a copy to it.
    Copy,
    /// To take its weights.
    WeightsIn,
    /// To write weights to it.
    WeightsOut,
    /// To write a plan to it.
    PlanOut,
}

impl Dialog {
    /// Whether the dialog allows work beside it: it floats over the panels and does not block them.
    pub fn is_loose(&self) -> bool {
        match self {
            Self::Export { .. } | Self::Plan | Self::Bind { .. } => true,
            Self::Arguments { draft } => draft.has_plan,
            _ => false,
        }
    }

    /// The dialog that asks for a path.
    pub const fn path(what: PathFor, path: String) -> Self {
        match what {
            PathFor::Open => Self::Open { path },
            PathFor::Import => Self::ImportFrom { path },
            PathFor::Retarget => Self::RetargetFrom { path },
            PathFor::Reference => Self::ReferenceFrom { path },
            PathFor::KeysIn => Self::KeyFile { path, saves: false },
            PathFor::KeysOut => Self::KeyFile { path, saves: true },
            PathFor::MapIn => Self::MapFile { path, saves: false },
            PathFor::MapOut => Self::MapFile { path, saves: true },
            PathFor::Save => Self::SaveAs { path, copy: false },
            PathFor::Copy => Self::SaveAs { path, copy: true },
            PathFor::WeightsIn => Self::ImportWeights { path, by: None },
            PathFor::WeightsOut => Self::ExportWeights { path },
            PathFor::PlanOut => Self::SavePlan { path },
        }
    }
}

/// A page of the preferences.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PreferencePage {
    /// Theme, size, motion, units.
    #[default]
    Look,
    /// The view.
    View,
    /// Backups and the journal.
    Files,
    /// Keys.
    Keys,
}

impl PreferencePage {
    /// The name of its tab.
    pub const fn title(self) -> &'static str {
        match self {
            Self::Look => "Appearance",
            Self::View => "View",
            Self::Files => "Files",
            Self::Keys => "Keys",
        }
    }
}

/// Action that waits until unsaved work is saved or discarded.
#[derive(Clone, Debug, PartialEq)]
pub enum DeferredAction {
    /// Close the window.
    Quit,
    /// Open a file.
    Open(PathBuf),
    /// Open the sample.
    Sample,
    /// Open a file of another format with the chosen settings.
    Convert(Box<ConvertDraft>),
    /// Read the file again.
    Revert,
}

/// Reason why a save cannot go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Obstacle {
    /// Another file is there.
    Exists,
    /// Another program changed it.
    Changed,
    /// The file was removed.
    Gone,
    /// The file has this number of hard links.
    Linked(u64),
    /// The file is read-only.
    ReadOnly,
}

/// Way to go on after another program changed the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChangedOnDisk {
    /// Reload the file, and replay the edits on it.
    Replay,
    /// Reload the file.
    Reload,
    /// Keep the current document.
    Keep,
}

/// An unkeyed pose, and the choice for it on saving.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnkeyedRow {
    /// Clip and time of the pose.
    pub at: UnkeyedAt,
    /// The name of its clip.
    pub clip: String,
    /// Its frame, or its time between frames.
    pub when: String,
    /// Whom it poses.
    pub about: String,
    /// Whether it is to be keyed, or left as it is.
    pub key: bool,
}

/// A step that a journal holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StepView {
    /// Title of the step.
    pub label: String,
    /// Item that it changed.
    pub about: String,
    /// When, in words.
    pub when: String,
}

/// A journal that a crash left behind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecoveryView {
    /// Its picture.
    pub picture: Option<TextureId>,
    /// The file's name.
    pub name: String,
    /// Folder of the file.
    pub folder: String,
    /// Steps that no file contains, oldest first.
    pub steps: Vec<StepView>,
    /// Whether the file looks changed since.
    pub changed: bool,
    /// When the last was done, in words.
    pub last: String,
}

/// Actions of dialogs: files, journals, the history.
#[derive(Clone, Debug)]
pub enum DialogAction {
    /// Back or forward to where this many steps are done.
    GoTo(usize),
    /// Open this file.
    OpenPath(PathBuf),
    /// Open a file of another format with the chosen settings.
    Convert(Box<ConvertDraft>),
    /// Write the differences of a file of another format as text, to the path of its draft.
    SaveReport(Box<ConvertDraft>),
    /// Open the clips of a file of another format with the chosen settings.
    TakeClips(Box<ConvertDraft>),
    /// Ask for a file to open.
    AskOpen,
    /// Open this file in a window of its own.
    OpenApart(PathBuf),
    /// Save to this file.
    SavePath(PathBuf),
    /// Another dialog, or none.
    SetDialog(Option<Dialog>),
    /// The system's own file dialog.
    Browse {
        /// Purpose of the path.
        what: PathFor,
    },
    /// The same for the file that a form names.
    BrowseForm,
    /// The same for where an export goes: a folder, or a file.
    BrowseExport {
        /// Whether it is a folder.
        folder: bool,
    },
    /// Look at the clips of these files.
    ImportFrom(PathBuf),
    /// Retarget clips of this file.
    RetargetFrom(PathBuf),
    /// Shows a file as a reference model.
    LoadReference(PathBuf),
    /// Read a retarget map from this file.
    ReadMap(PathBuf),
    /// Take the keys of this file.
    ReadKeys(PathBuf),
    /// Write the own keys to this file.
    WriteKeys(PathBuf),
    /// Save the retarget map of the page to this file.
    SaveMap(PathBuf),
    /// Retarget the clips of a file that is being imported, by its number.
    AdjustImport(usize),
    /// Take the weights of a file.
    ImportWeights {
        /// File with the weights.
        path: PathBuf,
        /// How vertices are matched; the method that fits is used if none is chosen.
        by: Option<CarryWay>,
    },
    /// Write weights to a file.
    ExportWeights(PathBuf),
    /// Find where clips are best left for each other.
    FindSeams,
    /// Match clips to the model again.
    FitImport(Box<ImportDraft>),
    /// Bring clips in.
    Import(Box<ImportDraft>),
    /// Perform the action without saving.
    DiscardAndContinue(DeferredAction),
    /// Save, then perform the action.
    SaveThen(DeferredAction),
    /// Store layers and the mix in the file, save, then perform the action.
    KeepThen(DeferredAction),
    /// Bake layers and the mix, save, then perform the action.
    BakeThen(DeferredAction),
    /// Open the form of a command.
    Ask(&'static CommandSpec),
    /// Open the form of a command in which some arguments are filled.
    AskFilled(CommandLine),
    /// Run a command with some arguments; the others come from the selection and the window. Its
    /// form opens where they do not.
    RunFilled(CommandLine),
    /// Apply the plan, and the command of the open form after it, once the effects are known.
    ApplyPlan(Option<CommandLine>),
    /// Add a command to the plan.
    AddToPlan(CommandLine),
    /// Take a command out of the plan.
    RemoveFromPlan(usize),
    /// Empty the plan.
    DiscardPlan,
    /// Bind the meshes of the panel *Bind*, once the weights are known.
    ApplyBind,
    /// Stop the computation of the panel *Bind*.
    CancelBind,
    /// Write the plan to a file.
    SavePlan(PathBuf),
    /// Show the motion, the time and the joint with the largest deviation of the plan: of the
    /// motion at this place among the worst.
    ShowWorst(usize),
    /// Save although something is in the way.
    SaveAnyway {
        /// Reason why the save stopped.
        obstacle: Obstacle,
        /// The save that was requested.
        request: Box<SaveRequest>,
        /// Whether it was to be a copy.
        copy: bool,
    },
    /// Handle a result by the user's choice, if the model changed during the computation.
    TakeWorked {
        /// Number of the result.
        number: u64,
        /// Whether to compute it again on the current model instead of applying it.
        again: bool,
    },
    /// Save without a step of the history.
    LeaveOut(usize),
    /// Read the file again; with the edits done again on it, or without.
    Reload {
        /// Whether they are.
        replay: bool,
    },
    /// Save a copy to this path.
    SaveCopy(PathBuf),
    /// Show this folder in the system's own program for files.
    ShowFolder(PathBuf),
    /// Ask what to export, of these clips alone.
    AskExport(Vec<ClipId>),
    /// Export.
    Export {
        /// Content and destination of the export.
        request: Box<ExportRequest>,
        /// The choices in the dialog, for the next export.
        draft: Box<ExportDraft>,
    },
    /// Make pictures of the clip that is shown.
    TakePictures(Box<PicturesDraft>),
    /// Replay a journal.
    Recover(usize),
    /// Delete a journal.
    DiscardRecovery(usize),
    /// Throw all journals away but the one that is written.
    ClearJournals,
    /// Keys the chosen poses, and saves.
    KeyAndSave(Vec<UnkeyedRow>),
}
