//! Background jobs of the window: running, queued, and finished ones.

use std::{
    collections::VecDeque,
    path::PathBuf,
    sync::{Arc, mpsc},
    thread,
};

use egui::Context;

use super::{
    arriving::Arriving,
    loading::{Loaded, Remade},
    references::ReferenceRequest,
    retargeting::RetargetedClips,
    save_queue::QueuedSave,
};
use ulna_formats::gltf::{Progress, ReadError};
use ulna_model::{Shared, Tree};
use ulna_motion::{BestSeam, WorstPose};
use ulna_render::FilmError;
use ulna_session::{
    ExportFailure, ExportRequest, Exported, Outlook, RecoveryError, Replayed, SaveError,
    SaveFailure, SaveRequest, SavedFile, Worked,
};

/// Work that is under way.
pub(super) struct Job {
    pub label: String,
    pub progress: Arc<Progress>,
    pub cancelable: bool,
    /// Whether the job writes files at the user's request. The window does not close before it is
    /// done.
    pub writes: bool,
    pub result: mpsc::Receiver<JobResult>,
}

/// State of a job lane when it is polled.
pub(super) enum Polled {
    Nothing,
    UnderWay,
    Done(Box<JobResult>),
    /// The thread is gone without a word.
    Lost(String),
}

pub(super) enum JobResult {
    /// A file of another format, read as it says it is.
    Found(Box<Arriving>),
    Opened(Result<Box<Loaded>, ReadError>, Option<PathBuf>),
    Saved(Result<Box<SavedFile>, SaveFailure>, QueuedSave),
    /// Nothing where it was canceled; for the document of this number.
    Searched(Option<Box<WorstPose>>, u64),
    /// Changes that saving would make, and differences in meaning.
    Listed(Result<Vec<String>, SaveError>),
    /// Result of an export, with its request.
    Exported(Result<Exported, ExportFailure>, ExportRequest),
    /// Pictures of a clip.
    Filmed(Result<Vec<PathBuf>, FilmError>),
    /// Best transition points between clips, for the document with this node tree; none if
    /// canceled.
    Seams(Option<Vec<BestSeam>>, Shared<Tree>),
    /// Result of a long command, with its title in messages.
    Worked(Box<Worked>, Title),
    /// The file as it is on disk, with the result of replaying the edits.
    Reloaded(Result<(Box<Loaded>, Option<Replayed>), ReadError>),
    /// Recovered work of a crashed session.
    Recovered(Result<(Box<Loaded>, Redone), RecoveryError>, String),
    /// Result of reloading the file, computed before the person decides.
    Foreseen(Result<Box<Outlook>, ReadError>),
    /// Another scene for the document.
    Remade(Box<Remade>),
    /// A file that was loaded as a reference model.
    Referenced(Result<Box<Loaded>, ReadError>, Box<ReferenceRequest>),
    /// Clips that are added by the page *Retarget*.
    Retargeted(Box<RetargetedClips>),
    /// Undo step that prevents saving, with the reason.
    Blamed(Option<usize>, SaveRequest, String),
}

/// Steps of a journal that could not be replayed, and whether the file has changed since.
pub(super) struct Redone {
    pub failed: Vec<String>,
    pub changed: bool,
}

/// Work that waits for its turn.
pub(super) struct Waiting {
    pub label: String,
    pub cancelable: bool,
    pub writes: bool,
    pub work: Box<dyn FnOnce(&Progress) -> JobResult + Send>,
}

/// All long work.
#[derive(Default)]
pub(super) struct Jobs {
    /// The running job.
    pub work: Option<Job>,
    pub waiting: VecDeque<Waiting>,
    /// A save.
    pub save: Option<Job>,
    /// Results of long commands that finished during a gesture, in that order. They are applied
    /// when the gesture ends.
    pub worked: VecDeque<(Box<Worked>, Title)>,
    /// Results of long commands whose model was edited meanwhile. The user is asked what to do with
    /// them.
    pub offered: Vec<Offered>,
}

/// The result of a long command whose model was edited meanwhile. The user decides what to do with
/// it.
pub(super) struct Offered {
    /// The number that buttons name it by.
    pub number: u64,
    pub worked: Box<Worked>,
    pub title: Title,
}

/// Title of commands that run in the background.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Title {
    pub text: &'static str,
    /// Number of joints that the commands change one after another. One message covers all of them.
    pub joints: Option<usize>,
}

impl From<&'static str> for Title {
    fn from(text: &'static str) -> Self {
        Self { text, joints: None }
    }
}

impl Jobs {
    /// Whether anything is under way.
    pub const fn is_busy(&self) -> bool {
        self.work.is_some() || self.save.is_some()
    }

    /// Whether files are being written, or are to be, that are no saves.
    pub fn is_writing(&self) -> bool {
        self.work.as_ref().is_some_and(|job| job.writes) || self.waiting.iter().any(|w| w.writes)
    }

    /// Job that the status bar shows: a save first, because it is short.
    pub fn shown(&self) -> Option<&Job> {
        self.save.as_ref().or(self.work.as_ref())
    }
}

/// Starts a background job.
pub(super) fn spawn(ctx: &Context, waiting: Waiting) -> std::io::Result<Job> {
    let progress = Arc::new(Progress::default());
    let (sender, result) = mpsc::sync_channel(1);
    let (shared, waker) = (progress.clone(), ctx.clone());
    let Waiting { label, cancelable, writes, work } = waiting;
    thread::Builder::new().name("ulna job".into()).spawn(move || {
        let done = work(&shared);
        // The window may be gone by now; then nobody waits for it.
        if sender.send(done).is_ok() {
            waker.request_repaint();
        }
    })?;
    Ok(Job { label, progress, cancelable, writes, result })
}
