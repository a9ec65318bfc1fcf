//! State of file operations: pending saves and exports, dialogs about files, and recovery journals.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    sync::{Arc, mpsc},
    time::{Instant, SystemTime},
};

use super::{arriving::Arriving, import_state::Importing, viewport_renderer::PictureApart};
use crate::ui::{
    BindView, DeferredAction, Dialog, Dialogs, DialogsView, ExportDraft, ExportForeseen,
    LayersThere, PathFor, PicturesDraft, PlanView, RecoveryView,
};
use ulna_formats::gltf::Progress;
use ulna_model::{Shared, Unkeyed, UnkeyedAt};
use ulna_motion::BestSeam;
use ulna_session::{ClipSource, Disk, ExportRequest, Recovery, SystemDisk};

/// Pending file operations, and data about files for dialogs.
pub(super) struct Files {
    /// Action to perform after the current save.
    pub after_save: Option<DeferredAction>,
    /// Action to perform after the background work is done and saved.
    pub after_work: Option<DeferredAction>,
    /// Modification time of the last external change of the file that was handled. The outer
    /// `None` means no such change so far, the inner `None` an unknown time.
    pub asked_disk: Option<Option<SystemTime>>,
    /// Unkeyed poses that the user chose not to save, with their values at the time of the choice.
    pub left_unkeyed: BTreeMap<UnkeyedAt, Shared<Unkeyed>>,
    /// The last export request, including its paths.
    pub exported: Option<ExportRequest>,
    /// Settings of the export dialog.
    pub export_draft: Option<ExportDraft>,
    /// Size measurement of the export in the dialog.
    pub measuring: Option<Measuring>,
    /// Content of the file that is named in an open form.
    pub reading: Option<Reading>,
    /// Settings of the last rendered pictures.
    pub pictures: PicturesDraft,
    /// Clips of other files that the user can choose to import.
    pub importing: Option<Importing>,
    /// A file of another format whose import page is open.
    pub arriving: Option<Box<Arriving>>,
    /// Preview picture of the import page.
    pub picture_apart: PictureApart,
    /// Pictures of the source and the target on the *Retarget* page.
    pub retarget_pictures: [PictureApart; 2],
    /// Steps to perform after the converted file is opened.
    pub converted: Option<Converted>,
    /// The first of several dropped files, which is opened first, and the other files.
    pub dropped: Option<(PathBuf, Vec<PathBuf>)>,
    /// The open file dialog of the operating system.
    pub browsing: Option<Browsing>,
    /// True if the file dialogs of the operating system are preferred.
    pub system_dialogs: bool,
    /// The last computed transition points between clips.
    pub seams: Vec<BestSeam>,
    /// Recovery journals of crashed sessions.
    pub recoveries: Vec<Recovery>,
    /// The recovery journals as panels show them.
    pub recovery_views: Vec<RecoveryView>,
    /// Folder of the recovery journals.
    pub journal_home: Option<PathBuf>,
    /// Disk for saves and exports. Tests replace it.
    pub disk: Arc<dyn Disk>,
}

/// Steps to perform after a file of another format is opened.
pub(super) struct Converted {
    /// Path of the file.
    pub path: PathBuf,
    /// Files whose clips will be added.
    pub others: Vec<ClipSource>,
    /// True if helper nodes will be removed.
    pub cleans: bool,
}

/// Purpose of the system's file dialog.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Browse {
    /// File for one of the purposes in [`PathFor`].
    Path(PathFor),
    /// Destination of the export in the dialog.
    Export { folder: bool },
    /// File for the field of an open form.
    Form,
}

/// The open file dialog of the operating system.
pub(super) struct Browsing {
    pub chosen: mpsc::Receiver<Option<Vec<PathBuf>>>,
    pub what: Browse,
    pub since: Instant,
    /// Dialog of Ulna to open if the system has no file dialog.
    pub instead: Option<Dialog>,
}

/// An export that runs in the background to measure its result. No files are written.
pub(super) struct Measuring {
    pub of: (ExportRequest, u64),
    pub progress: Arc<Progress>,
    pub result: mpsc::Receiver<ExportForeseen>,
    pub found: Option<ExportForeseen>,
}

impl Drop for Measuring {
    fn drop(&mut self) {
        self.progress.cancel();
    }
}

/// A file that is being read in the background, and its content once read.
pub(super) struct Reading {
    pub path: PathBuf,
    pub result: mpsc::Receiver<LayersThere>,
    pub found: Option<LayersThere>,
}

impl Default for Files {
    fn default() -> Self {
        Self {
            after_save: None,
            after_work: None,
            asked_disk: None,
            left_unkeyed: BTreeMap::new(),
            exported: None,
            export_draft: None,
            measuring: None,
            reading: None,
            pictures: PicturesDraft::default(),
            importing: None,
            arriving: None,
            picture_apart: PictureApart::default(),
            retarget_pictures: Default::default(),
            converted: None,
            dropped: None,
            browsing: None,
            system_dialogs: false,
            seams: Vec::new(),
            recoveries: Vec::new(),
            recovery_views: Vec::new(),
            journal_home: None,
            disk: Arc::new(SystemDisk),
        }
    }
}

impl Files {
    /// State of the dialogs, for the panels.
    pub(super) fn dialogs_view<'a>(&'a self, dialogs: &'a Dialogs) -> DialogsView<'a> {
        DialogsView {
            open: dialogs.open.as_ref(),
            toasts: &dialogs.toasts,
            foreseen: self.measuring.as_ref().and_then(|m| m.found.as_ref()),
            there: self.reading.as_ref().and_then(|r| r.found.as_ref()),
            plan: PlanView::default(),
            bind: BindView::default(),
            import: self.importing.as_ref().map(|i| &i.view),
            convert: self
                .arriving
                .as_ref()
                .map_or_else(Default::default, |a| a.view(&self.picture_apart)),
            seams: &self.seams,
            recoveries: &self.recovery_views,
            journal_home: self.journal_home.as_deref(),
        }
    }
}

/// True if the operating system has file dialogs that this window can show. False while a script
/// drives the window, because it cannot operate them.
pub(super) fn has_system_dialogs(cc: &eframe::CreationContext<'_>) -> bool {
    use wgpu::rwh::HasWindowHandle as _;
    let has_window = cc.window_handle().is_ok() && std::env::var_os("EGUI_INSPECTION").is_none();
    has_window && (cfg!(not(target_os = "linux")) || has_session_bus() || has_program("zenity"))
}

/// True if a D-Bus session bus exists, which desktop file dialogs use.
fn has_session_bus() -> bool {
    let beside =
        std::env::var_os("XDG_RUNTIME_DIR").is_some_and(|d| PathBuf::from(d).join("bus").exists());
    std::env::var_os("DBUS_SESSION_BUS_ADDRESS").is_some() || beside
}

fn has_program(name: &str) -> bool {
    std::env::var_os("PATH")
        .is_some_and(|path| std::env::split_paths(&path).any(|d| d.join(name).is_file()))
}

/// File name of a path, without its folder.
pub(super) fn name_of(path: &Path) -> String {
    path.file_name()
        .map_or_else(|| path.display().to_string(), |n| n.to_string_lossy().into_owned())
}
