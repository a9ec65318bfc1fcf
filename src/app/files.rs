//! Files around the open one: pending saves and exports, questions about files on disk, and
//! journals of crashes.

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

/// Pending file operations, and answers about files.
pub(super) struct Files {
    /// Action to perform when the current save is done.
    pub after_save: Option<DeferredAction>,
    /// Action to perform when the background work is done and saved.
    pub after_work: Option<DeferredAction>,
    /// Modification time of the file at the last question about changes on disk.
    pub asked_disk: Option<Option<SystemTime>>,
    /// Unkeyed poses that were left out of the file on request, in their state at that time.
    pub left_unkeyed: BTreeMap<UnkeyedAt, Shared<Unkeyed>>,
    /// The last export, with its paths.
    pub exported: Option<ExportRequest>,
    /// Export dialog with its last choices.
    pub export_draft: Option<ExportDraft>,
    /// Size measurement of the export that is chosen in the dialog.
    pub measuring: Option<Measuring>,
    /// The content of the file that a form names.
    pub reading: Option<Reading>,
    /// Settings of the last rendered pictures.
    pub pictures: PicturesDraft,
    /// Clips of other files that are being chosen from.
    pub importing: Option<Importing>,
    /// A file of another format whose import settings are being chosen.
    pub arriving: Option<Box<Arriving>>,
    /// The preview picture of that file.
    pub picture_apart: PictureApart,
    /// Pictures of the source and of the target of the page *Retarget*.
    pub retarget_pictures: [PictureApart; 2],
    /// Steps that follow once such a file is open.
    pub converted: Option<Converted>,
    /// Files that were dropped together with one that is to be opened first.
    pub dropped: Option<(PathBuf, Vec<PathBuf>)>,
    /// The system's file dialog.
    pub browsing: Option<Browsing>,
    /// Whether the system is asked for its own dialogs of files first.
    pub system_dialogs: bool,
    /// Best transition points between clips, as found last.
    pub seams: Vec<BestSeam>,
    /// Journals that crashes left behind.
    pub recoveries: Vec<Recovery>,
    /// The same as panels show them.
    pub recovery_views: Vec<RecoveryView>,
    /// Folder of the recovery journals.
    pub journal_home: Option<PathBuf>,
    /// The disk that saves and exports are written to.
    pub disk: Arc<dyn Disk>,
}

/// Steps that follow once a file of another format is open.
pub(super) struct Converted {
    /// The file.
    pub path: PathBuf,
    /// Files whose clips are added.
    pub others: Vec<ClipSource>,
    /// Whether helper nodes are removed.
    pub cleans: bool,
}

/// Purpose of the system's file dialog.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Browse {
    /// A path, which is then taken.
    Path(PathFor),
    /// Destination of the export that is being set up.
    Export { folder: bool },
    /// The file that a form names.
    Form,
}

/// The system's file dialog, while it is open.
pub(super) struct Browsing {
    pub chosen: mpsc::Receiver<Option<Vec<PathBuf>>>,
    pub what: Browse,
    pub since: Instant,
    /// Dialog to open if the system has no file dialog.
    pub instead: Option<Dialog>,
}

/// An export that is made in the background to measure its result. Nothing is written.
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

/// A file that is being read, or was.
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
    /// View of the dialogs for the panels.
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

/// Whether the system has dialogs of files that a window of it can show. A script that drives the
/// window cannot work them.
pub(super) fn has_system_dialogs(cc: &eframe::CreationContext<'_>) -> bool {
    use wgpu::rwh::HasWindowHandle as _;
    let has_window = cc.window_handle().is_ok() && std::env::var_os("EGUI_INSPECTION").is_none();
    has_window && (cfg!(not(target_os = "linux")) || has_session_bus() || has_program("zenity"))
}

/// Whether programs of the desktop talk to each other here: its dialogs come by that way.
fn has_session_bus() -> bool {
    let beside =
        std::env::var_os("XDG_RUNTIME_DIR").is_some_and(|d| PathBuf::from(d).join("bus").exists());
    std::env::var_os("DBUS_SESSION_BUS_ADDRESS").is_some() || beside
}

fn has_program(name: &str) -> bool {
    std::env::var_os("PATH")
        .is_some_and(|path| std::env::split_paths(&path).any(|d| d.join(name).is_file()))
}

/// A file's own name.
pub(super) fn name_of(path: &Path) -> String {
    path.file_name()
        .map_or_else(|| path.display().to_string(), |n| n.to_string_lossy().into_owned())
}
