//! What is known of files around the open one: what a save is for, what was asked about the disk, and what crashes left behind.

use std::{
    collections::BTreeMap,
    path::PathBuf,
    sync::mpsc,
    time::{Instant, SystemTime},
};

use crate::{
    model::{Shared, Unkeyed, UnkeyedAt},
    session::{ExportRequest, Recovery},
    ui::{DeferredAction, Dialogs, DialogsView, ExportDraft, PathFor, PicturesDraft, RecoveryView},
};

/// Files, and what was asked about them.
#[derive(Default)]
pub(super) struct Files {
    /// What to do when the save under way is done.
    pub after_save: Option<DeferredAction>,
    /// When the file was written that a person was asked about last.
    pub asked_disk: Option<Option<SystemTime>>,
    /// Unkeyed poses that a person left out of the file, as they were then.
    pub left_unkeyed: BTreeMap<UnkeyedAt, Shared<Unkeyed>>,
    /// What was exported last, and where.
    pub exported: Option<ExportRequest>,
    /// As it was chosen.
    pub export_draft: Option<ExportDraft>,
    /// What is exported, being measured.
    pub measuring: Option<super::exporting::Measuring>,
    /// How pictures were made last.
    pub pictures: PicturesDraft,
    /// Clips of other files that are being chosen from.
    pub importing: Option<super::importing::Importing>,
    /// Files that were dropped together with one that is to be opened first.
    pub dropped: Option<(PathBuf, Vec<PathBuf>)>,
    /// The system's file dialog.
    pub browsing: Option<Browsing>,
    /// Journals that crashes left behind.
    pub recoveries: Vec<Recovery>,
    /// The same as panels show them.
    pub recovery_views: Vec<RecoveryView>,
    /// Where journals lie.
    pub journal_home: Option<PathBuf>,
}

/// The system's file dialog, while it is open.
pub(super) struct Browsing {
    pub chosen: mpsc::Receiver<Option<Vec<PathBuf>>>,
    pub what: PathFor,
    pub since: Instant,
}

impl Files {
    /// What panels see of dialogs.
    pub(super) fn dialogs_view<'a>(&'a self, dialogs: &'a Dialogs) -> DialogsView<'a> {
        DialogsView {
            open: dialogs.open.as_ref(),
            toasts: &dialogs.toasts,
            foreseen: self.measuring.as_ref().and_then(|m| m.found.as_ref()),
            import: self.importing.as_ref().map(|i| &i.view),
            recoveries: &self.recovery_views,
            journal_home: self.journal_home.as_deref(),
        }
    }
}
