//! Dialogs, and the requests that they send to the application.

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

/// Dialog over the window.
#[derive(Clone, Debug, PartialEq)]
pub enum Dialog {
    /// Asks for the path of a file to open.
    Open {
        /// Path as typed.
        path: String,
    },
    /// Asks for the path of a file to import clips from.
    ImportFrom {
        /// Path as typed.
        path: String,
    },
    /// Asks for the path of a file with clips to retarget.
    RetargetFrom {
        /// Path as typed.
        path: String,
    },
    /// Asks for the path of a file to show as a reference model.
    ReferenceFrom {
        /// Path as typed.
        path: String,
    },
    /// Asks for the path of a JSON file of keyboard shortcuts.
    KeyFile {
        /// Path as typed.
        path: String,
        /// Whether shortcuts are written to the file; otherwise they are read.
        saves: bool,
    },
    /// Asks for the path of a JSON file of a retarget map.
    MapFile {
        /// Path as typed.
        path: String,
        /// Whether the map is saved to the file; otherwise it is read.
        saves: bool,
    },
    /// Asks for the path of a file to import weights from.
    ImportWeights {
        /// Path as typed.
        path: String,
        /// Method that matches vertices; `None` chooses it automatically.
        by: Option<CarryWay>,
    },
    /// Asks for the path of a file to write weights to.
    ExportWeights {
        /// Path as typed.
        path: String,
    },
    /// *Bind* panel, which binds meshes to joints.
    Bind {
        /// Meshes, joints, parameters and test pose of the panel.
        draft: Box<BindDraft>,
    },
    /// *Rebind* dialog, which gives skinned meshes another bind pose.
    Rebind {
        /// Meshes, and their new bind pose.
        draft: Box<RebindDraft>,
    },
    /// Import page for a non-glTF file.
    Convert {
        /// File, contents and import options.
        draft: Box<ConvertDraft>,
    },
    /// Reports that a non-glTF file cannot be read.
    CannotRead {
        /// Path of the file.
        path: PathBuf,
        /// Reason for the failure.
        message: String,
    },
    /// Import of clips from other files.
    Import {
        /// Files, clips and transfer options.
        draft: Box<ImportDraft>,
    },
    /// List of the best transition points between clips.
    Seams {
        /// Filter and sort order of the list.
        draft: Box<SeamsDraft>,
    },
    /// Asks for the path of a file to save to.
    SaveAs {
        /// Path as typed.
        path: String,
        /// Whether to save a copy, so that the document stays with its file.
        copy: bool,
    },
    /// Asks about unsaved work before an action.
    Unsaved {
        /// Action to perform after the answer.
        then: DeferredAction,
    },
    /// Lists the changes that saving makes to the file.
    Changes {
        /// One sentence per change.
        lines: Vec<String>,
    },
    /// Asks how to continue a save that is blocked, such as by a read-only file.
    SaveRefused {
        /// Reason why the save is blocked.
        obstacle: Obstacle,
        /// Requested save.
        request: Box<SaveRequest>,
        /// Whether a copy was to be saved.
        copy: bool,
    },
    /// Shows which undo step prevents the document from being saved.
    CannotSave {
        /// Index of the step in the history.
        step: usize,
        /// Reason for the failure.
        message: String,
        /// Path to save to.
        path: PathBuf,
    },
    /// Asks what to do after another program wrote the file.
    ChangedOnDisk {
        /// Selected answer.
        choice: ChangedOnDisk,
        /// Text of the time since the file was written.
        written: Option<String>,
        /// Result of reloading the file, once computed.
        outlook: Option<Box<Outlook>>,
    },
    /// Asks which unkeyed poses to key before a save.
    Unkeyed {
        /// One row per unkeyed pose.
        rows: Vec<UnkeyedRow>,
    },
    /// Lists unsaved work from crashed sessions.
    Recovery {
        /// Index of the entry with the list of its steps.
        open: Option<usize>,
        /// Index of the entry that the next confirmation discards.
        discard: Option<usize>,
    },
    /// Reports an internal error.
    Fault {
        /// Path of the error report.
        report: Option<String>,
        /// Path of the journal.
        journal: Option<String>,
    },
    /// Command palette.
    Find,
    /// Export of clips to files.
    Export {
        /// Contents, options and destination of the export.
        draft: Box<ExportDraft>,
    },
    /// Rendering of a clip to images.
    Pictures {
        /// Range, size, format and destination of the images.
        draft: Box<PicturesDraft>,
    },
    /// Form of a command with arguments.
    Arguments {
        /// Command, and the values of its arguments.
        draft: Box<FormDraft>,
    },
    /// Planned changes of the skeleton.
    Plan,
    /// Humanoid map: the joint of each humanoid bone.
    Humanoid,
    /// Asks for the path of a file to write the plan to.
    SavePlan {
        /// Path as typed.
        path: String,
    },
    /// Undo history.
    History {
        /// Numbers of the steps marked for copying as a script; the first step is 1.
        marked: BTreeSet<usize>,
    },
    /// Preferences.
    Preferences {
        /// Current page.
        page: PreferencePage,
        /// Name of the command that waits for a new shortcut.
        listening: Option<String>,
        /// Label of the row to highlight, from a search.
        row: Option<&'static str>,
    },
    /// User guide.
    Guide {
        /// Current location in the guide.
        place: GuidePlace,
        /// Search text.
        search: String,
    },
    /// List of all commands.
    Commands,
    /// Information about Ulna.
    About,
}

/// Purpose of a typed path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PathFor {
    /// Open the file.
    Open,
    /// Import clips from the file.
    Import,
    /// Retarget the clips of the file.
    Retarget,
    /// Show the file as a reference model.
    Reference,
    /// Read a retarget map from the file.
    MapIn,
    /// Save a retarget map to the file.
    MapOut,
    /// Read keyboard shortcuts from the file.
    KeysIn,
    /// Write keyboard shortcuts to the file.
    KeysOut,
    /// Save the document to the file.
    Save,
    /// Save a copy to the file.
    Copy,
    /// Import weights from the file.
    WeightsIn,
    /// Write weights to the file.
    WeightsOut,
    /// Write a plan to the file.
    PlanOut,
}

impl Dialog {
    /// Whether the dialog floats over the panels without blocking them.
    pub fn is_loose(&self) -> bool {
        match self {
            Self::Export { .. } | Self::Plan | Self::Bind { .. } => true,
            Self::Arguments { draft } => draft.has_plan,
            _ => false,
        }
    }

    /// Creates the dialog that asks for a path of this purpose.
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

/// Page of the preferences.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PreferencePage {
    /// Theme, size, motion, units.
    #[default]
    Look,
    /// Viewport.
    View,
    /// Backups and the journal.
    Files,
    /// Keyboard shortcuts.
    Keys,
}

impl PreferencePage {
    /// Title of the page's tab.
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
    /// Open the sample model.
    Sample,
    /// Open a non-glTF file with the chosen settings.
    Convert(Box<ConvertDraft>),
    /// Reload the file, and discard all changes.
    Revert,
}

/// Reason why a save is blocked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Obstacle {
    /// The target file already exists.
    Exists,
    /// Another program changed the file.
    Changed,
    /// The file was removed.
    Gone,
    /// The file has this number of hard links.
    Linked(u64),
    /// The file is read-only.
    ReadOnly,
}

/// Answer after another program changed the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChangedOnDisk {
    /// Reload the file, and reapply the edits to it.
    Replay,
    /// Reload the file, and discard the edits.
    Reload,
    /// Keep the current document.
    Keep,
}

/// Unkeyed pose, and whether to key it before saving.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnkeyedRow {
    /// Clip and time of the pose.
    pub at: UnkeyedAt,
    /// Name of the clip.
    pub clip: String,
    /// Text of the frame, or of the time between frames.
    pub when: String,
    /// Names of the posed nodes.
    pub about: String,
    /// Whether the pose is keyed before saving; otherwise it is not saved.
    pub key: bool,
}

/// Undo step in a journal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StepView {
    /// Title of the step.
    pub label: String,
    /// Name of the changed element.
    pub about: String,
    /// Text of the time of the step.
    pub when: String,
}

/// Journal that a crashed session left.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecoveryView {
    /// Image of the model.
    pub picture: Option<TextureId>,
    /// Name of the file.
    pub name: String,
    /// Folder of the file.
    pub folder: String,
    /// Steps that are not in any file, oldest first.
    pub steps: Vec<StepView>,
    /// Whether the file seems to have changed after the journal was written.
    pub changed: bool,
    /// Text of the time of the last step.
    pub last: String,
}

/// Requests of dialogs about files, journals and the history.
#[derive(Clone, Debug)]
pub enum DialogAction {
    /// Undo or redo until this number of steps is applied.
    GoTo(usize),
    /// Open a file.
    OpenPath(PathBuf),
    /// Open a non-glTF file with the chosen settings.
    Convert(Box<ConvertDraft>),
    /// Write the differences of a non-glTF file as text, to the report path of the draft.
    SaveReport(Box<ConvertDraft>),
    /// Import the clips of a non-glTF file with the chosen settings.
    TakeClips(Box<ConvertDraft>),
    /// Ask for a file to open.
    AskOpen,
    /// Open a file in a new window.
    OpenApart(PathBuf),
    /// Save the document to a file.
    SavePath(PathBuf),
    /// Open a dialog; `None` closes the open dialog.
    SetDialog(Option<Dialog>),
    /// Open the file dialog of the system.
    Browse {
        /// Purpose of the path.
        what: PathFor,
    },
    /// Open the file dialog of the system for the path in a command's form.
    BrowseForm,
    /// Open the file dialog of the system for the destination of an export.
    BrowseExport {
        /// Whether a folder is chosen; otherwise a file.
        folder: bool,
    },
    /// Add the clips of a file to the import dialog.
    ImportFrom(PathBuf),
    /// Retarget the clips of a file.
    RetargetFrom(PathBuf),
    /// Show a file as a reference model.
    LoadReference(PathBuf),
    /// Read a retarget map from a file.
    ReadMap(PathBuf),
    /// Read keyboard shortcuts from a file.
    ReadKeys(PathBuf),
    /// Write the keyboard shortcuts to a file.
    WriteKeys(PathBuf),
    /// Save the current retarget map to a file.
    SaveMap(PathBuf),
    /// Open the retarget page for a file in the import dialog, by its index.
    AdjustImport(usize),
    /// Import weights from a file.
    ImportWeights {
        /// Path of the file.
        path: PathBuf,
        /// Method that matches vertices; `None` chooses it automatically.
        by: Option<CarryWay>,
    },
    /// Write weights to a file.
    ExportWeights(PathBuf),
    /// Search for the best transition points between clips.
    FindSeams,
    /// Match the clips to the model again, after the options changed.
    FitImport(Box<ImportDraft>),
    /// Import the chosen clips.
    Import(Box<ImportDraft>),
    /// Perform the action, and discard unsaved work.
    DiscardAndContinue(DeferredAction),
    /// Save, then perform the action.
    SaveThen(DeferredAction),
    /// Store layers and the mix in the file, save, then perform the action.
    KeepThen(DeferredAction),
    /// Bake layers and the mix, save, then perform the action.
    BakeThen(DeferredAction),
    /// Open the form of a command.
    Ask(&'static CommandSpec),
    /// Open the form of a command, with some arguments filled in.
    AskFilled(CommandLine),
    /// Run a command with some arguments filled in. Missing arguments come from the selection and
    /// the window; if that fails, the form opens.
    RunFilled(CommandLine),
    /// Apply the plan, and then the command of the open form, once the effects are known.
    ApplyPlan(Option<CommandLine>),
    /// Add a command to the plan.
    AddToPlan(CommandLine),
    /// Remove a command from the plan, by its index.
    RemoveFromPlan(usize),
    /// Remove all commands from the plan.
    DiscardPlan,
    /// Bind the meshes of the *Bind* panel, once the weights are computed.
    ApplyBind,
    /// Cancel the computation of the *Bind* panel.
    CancelBind,
    /// Write the plan to a file.
    SavePlan(PathBuf),
    /// Show the clip, time and joint with the largest skin deviation of the plan. The index refers
    /// to the list of the worst motions.
    ShowWorst(usize),
    /// Save although the save was blocked.
    SaveAnyway {
        /// Reason why the save is blocked.
        obstacle: Obstacle,
        /// Requested save.
        request: Box<SaveRequest>,
        /// Whether a copy was to be saved.
        copy: bool,
    },
    /// Use a result although the model changed during its computation: apply it, or compute it
    /// again.
    TakeWorked {
        /// Number that identifies the result.
        number: u64,
        /// Whether to compute the result again on the current model, instead of applying it.
        again: bool,
    },
    /// Save without one step of the history, by its index.
    LeaveOut(usize),
    /// Reload the file.
    Reload {
        /// Whether to reapply the edits.
        replay: bool,
    },
    /// Save a copy to a file.
    SaveCopy(PathBuf),
    /// Show a folder in the file manager of the system.
    ShowFolder(PathBuf),
    /// Open the export dialog for these clips.
    AskExport(Vec<ClipId>),
    /// Export clips.
    Export {
        /// Content and destination of the export.
        request: Box<ExportRequest>,
        /// Choices in the dialog, which the next export starts with.
        draft: Box<ExportDraft>,
    },
    /// Render the shown clip to images.
    TakePictures(Box<PicturesDraft>),
    /// Replay a journal, by its index.
    Recover(usize),
    /// Delete a journal, by its index.
    DiscardRecovery(usize),
    /// Delete all journals except the current one.
    ClearJournals,
    /// Key the chosen poses, then save.
    KeyAndSave(Vec<UnkeyedRow>),
}
