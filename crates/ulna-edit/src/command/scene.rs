//! Input of commands on the document: the document with cached poses.

use std::{
    cell::OnceCell,
    sync::atomic::{AtomicBool, AtomicU32, Ordering},
};

use ulna_model::Document;
use ulna_motion::{Pose, RecentPoses, Stack};

/// Input of commands on the document: the document with cached poses.
#[derive(Debug)]
pub struct Scene<'a> {
    /// The current document.
    pub document: &'a Document,
    pose: OnceCell<Pose>,
    recent: Option<&'a RecentPoses>,
    cancel: Option<&'a AtomicBool>,
    progress: Option<&'a AtomicU32>,
}

impl<'a> Scene<'a> {
    /// Creates the input from a document, without a cancel flag or a progress counter.
    pub const fn new(document: &'a Document) -> Self {
        Self { document, pose: OnceCell::new(), recent: None, cancel: None, progress: None }
    }

    /// Creates the input from a document and a cancel flag. If the flag is set, long commands stop
    /// and return an error.
    pub const fn until(document: &'a Document, cancel: &'a AtomicBool) -> Self {
        Self { document, pose: OnceCell::new(), recent: None, cancel: Some(cancel), progress: None }
    }

    /// Adds a counter in which long commands store their progress, in thousandths.
    #[must_use]
    pub const fn reporting(mut self, progress: &'a AtomicU32) -> Self {
        self.progress = Some(progress);
        self
    }

    /// Returns the flag that cancels long commands.
    pub(crate) fn cancel(&self) -> &'a AtomicBool {
        static NEVER: AtomicBool = AtomicBool::new(false);
        self.cancel.unwrap_or(&NEVER)
    }

    /// Returns the cancel flag and the progress counter of the running command.
    pub(crate) fn watch(&self) -> RunWatch<'a> {
        RunWatch { cancel: self.cancel(), progress: self.progress, from: 0.0, size: 1.0 }
    }

    /// Creates the input during a gesture. Poses are cached between the steps of the gesture.
    pub const fn during(document: &'a Document, recent: &'a RecentPoses) -> Self {
        Self { document, pose: OnceCell::new(), recent: Some(recent), cancel: None, progress: None }
    }

    /// Evaluates the pose of a stack.
    pub fn evaluate(&self, stack: &Stack) -> Pose {
        self.recent.map_or_else(
            || Pose::evaluate(self.document, stack),
            |r| r.evaluate(self.document, stack),
        )
    }

    /// Returns the displayed pose without a clip. It is evaluated only once.
    pub fn pose(&self) -> &Pose {
        self.pose
            .get_or_init(|| Pose::evaluate(self.document, &Stack::shown(self.document, None, 0.0)))
    }
}

/// Cancel flag and progress of a long command.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RunWatch<'a> {
    pub(crate) cancel: &'a AtomicBool,
    progress: Option<&'a AtomicU32>,
    /// Start of this part of the work, as a fraction of the whole command, `0..=1`.
    from: f32,
    size: f32,
}

impl RunWatch<'_> {
    /// Returns the watch for one of several equal parts of the work.
    #[must_use]
    pub(crate) fn part(self, number: usize, count: usize) -> Self {
        let size = self.size / count.max(1) as f32;
        Self { from: self.from + size * number as f32, size, ..self }
    }

    /// Reports the progress of this part, `0..=1`.
    pub(crate) fn report(&self, done: f32) {
        if let Some(progress) = self.progress {
            let part = self.from + self.size * done.clamp(0.0, 1.0);
            // Threads can report in any order, so the maximum is stored.
            progress.fetch_max((part.clamp(0.0, 1.0) * 1000.0) as u32, Ordering::Relaxed);
        }
    }
}
