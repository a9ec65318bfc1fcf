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

/// A running background job.
pub(super) struct Job {
    pub label: String,
    pub progress: Arc<Progress>,
    pub cancelable: bool,
    /// True if the job writes files that the user requested. The window stays open until it is
    /// done.
    pub writes: bool,
    pub result: mpsc::Receiver<JobResult>,
}

/// State of a job lane when it is polled.
pub(super) enum Polled {
    Nothing,
    UnderWay,
    Done(Box<JobResult>),
    /// The thread ended without a result. Contains the job's label.
    Lost(String),
}

pub(super) enum JobResult {
    /// A file of another format, for its import page.
    Found(Box<Arriving>),
    Opened(Result<Box<Loaded>, ReadError>, Option<PathBuf>),
    Saved(Result<Box<SavedFile>, SaveFailure>, QueuedSave),
    /// Result of the search for the worst deformations; `None` if canceled. The number identifies
    /// the searched scene.
    Searched(Option<Box<WorstPose>>, u64),
    /// Changes that a save would make, as text.
    Listed(Result<Vec<String>, SaveError>),
    /// Result of an export, and its request.
    Exported(Result<Exported, ExportFailure>, ExportRequest),
    /// Paths of rendered pictures of a clip.
    Filmed(Result<Vec<PathBuf>, FilmError>),
    /// Best transition points between clips; `None` if canceled. The node tree identifies the
    /// document.
    Seams(Option<Vec<BestSeam>>, Shared<Tree>),
    /// Result of a long command, and its title in messages.
    Worked(Box<Worked>, Title),
    /// The file on disk, and the result of replaying the edits on it.
    Reloaded(Result<(Box<Loaded>, Option<Replayed>), ReadError>),
    /// Recovered work of a crashed session.
    Recovered(Result<(Box<Loaded>, Redone), RecoveryError>, String),
    /// Preview of reloading the file, for the user's decision.
    Foreseen(Result<Box<Outlook>, ReadError>),
    /// A rebuilt scene of the document.
    Remade(Box<Remade>),
    /// A file that was loaded as a reference model.
    Referenced(Result<Box<Loaded>, ReadError>, Box<ReferenceRequest>),
    /// Clips that the *Retarget* page adds.
    Retargeted(Box<RetargetedClips>),
    /// The undo step that prevents a save, and the reason.
    Blamed(Option<usize>, SaveRequest, String),
}

/// Steps of a journal that could not be replayed, and whether the file has changed since then.
pub(super) struct Redone {
    pub failed: Vec<String>,
    pub changed: bool,
}

/// A job that waits in the queue.
pub(super) struct Waiting {
    pub label: String,
    pub cancelable: bool,
    pub writes: bool,
    pub work: Box<dyn FnOnce(&Progress) -> JobResult + Send>,
}

/// Running, queued and finished background jobs.
#[derive(Default)]
pub(super) struct Jobs {
    /// The running job, other than a save.
    pub work: Option<Job>,
    pub waiting: VecDeque<Waiting>,
    /// The running save.
    pub save: Option<Job>,
    /// Results of long commands that finished during a gesture, in order. They are applied when the
    /// gesture ends.
    pub worked: VecDeque<(Box<Worked>, Title)>,
    /// Results of long commands whose model was edited in the meantime. The user decides about
    /// each.
    pub offered: Vec<Offered>,
}

/// Result of a long command whose model was edited in the meantime.
pub(super) struct Offered {
    /// Number that identifies the result in messages.
    pub number: u64,
    pub worked: Box<Worked>,
    pub title: Title,
}

/// Title of commands in messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Title {
    pub text: &'static str,
    /// Number of joints that the commands change one after another; a single message covers all of
    /// them. `None` for other commands.
    pub joints: Option<usize>,
}

impl From<&'static str> for Title {
    fn from(text: &'static str) -> Self {
        Self { text, joints: None }
    }
}

impl Jobs {
    /// True while a job or a save is running.
    pub const fn is_busy(&self) -> bool {
        self.work.is_some() || self.save.is_some()
    }

    /// True while files other than saves are being written or waiting to be written.
    pub fn is_writing(&self) -> bool {
        self.work.as_ref().is_some_and(|job| job.writes) || self.waiting.iter().any(|w| w.writes)
    }

    /// The job that the status bar shows. A save comes first, because it is short.
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
        // Sending fails if the window was closed.
        if sender.send(done).is_ok() {
            waker.request_repaint();
        }
    })?;
    Ok(Job { label, progress, cancelable, writes, result })
}
