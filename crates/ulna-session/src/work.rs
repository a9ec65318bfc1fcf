//! Long commands that run on a copy of the document while the window is used. The result is applied
//! to the current document. If the data that it changes was edited in the meantime, the result is
//! returned instead, and the caller decides.

use std::sync::atomic::{AtomicBool, AtomicU32};

use thiserror::Error;

use super::{RunError, Session, command_edits::edits_of};
use ulna_edit::{
    Command, CommandError, Edit, Scene, apply,
    command::{BindReport, RigReport},
};
use ulna_model::{Document, Notice};

/// Commands to run, and a copy of the session on which they run.
#[derive(Clone, Debug)]
pub struct Work {
    session: Session,
    label: String,
    commands: Vec<Command>,
    revision: u64,
}

/// Result of running the commands.
#[derive(Debug)]
pub struct Worked {
    label: String,
    session: u64,
    /// Revision of the document on which the result was computed.
    revision: u64,
    found: Result<WorkResult, RunError>,
    /// Index of the command that failed; `None` if none did.
    refused_at: Option<usize>,
    /// The commands as requested.
    asked: Vec<Command>,
}

/// Reason why a result was not applied.
#[derive(Debug, Error)]
pub enum NotTaken {
    /// A command failed, or the result does not fit the document.
    #[error(transparent)]
    Failed(#[from] RunError),
    /// The data that the result changes was edited in the meantime. The result is returned, and can
    /// still be applied over those edits.
    #[error("the data that this command would change was edited while it was running")]
    Changed(Box<Worked>),
}

impl NotTaken {
    /// Returns the error code for scripts, which is stable across versions.
    pub const fn code(&self) -> &'static str {
        match self {
            Self::Failed(error) => error.code(),
            Self::Changed(_) => "edited_meanwhile",
        }
    }
}

impl Worked {
    /// Returns whether the result changes anything, and the report if it changes the skeleton.
    ///
    /// # Errors
    /// The error of the command that failed.
    pub fn effects(&self) -> Result<(bool, Option<&RigReport>), &RunError> {
        self.found.as_ref().map(|found| (!found.edits.is_empty(), found.rig.as_deref()))
    }

    /// Returns the report of automatic weights. `None` if there is none, or if a command failed.
    pub fn bind_report(&self) -> Option<&BindReport> {
        self.found.as_ref().ok()?.bind.as_deref()
    }

    /// Returns the index of the command that failed. `None` if all succeeded, or if the commands
    /// cannot be read.
    pub const fn refused_at(&self) -> Option<usize> {
        self.refused_at
    }

    /// Returns the document after all commands. `None` if a command failed.
    pub fn document_after(&self) -> Option<&Document> {
        self.found.as_ref().ok().map(|found| &found.after)
    }

    /// Returns all notes as one sentence, without a final period. `None` if there are no notes, or
    /// if a command failed.
    pub fn sentence(&self) -> Option<String> {
        let notes = &self.found.as_ref().ok()?.notes;
        let all: Vec<&str> = notes.iter().map(|n| &*n.message).collect();
        (!all.is_empty()).then(|| all.join("; "))
    }

    /// Returns the requested commands, so that they can be run again.
    pub fn into_commands(self) -> Vec<Command> {
        self.asked
    }
}

/// Edits of the commands, equivalent commands that need no file, notes and reports.
#[derive(Debug)]
struct WorkResult {
    commands: Vec<Command>,
    edits: Vec<Edit>,
    /// The original values that `edits` replace, as edits in the same order. They come from the
    /// document for which `edits` were computed.
    replaced: Vec<Edit>,
    notes: Vec<Notice>,
    rig: Option<Box<RigReport>>,
    bind: Option<Box<BindReport>>,
    after: Document,
}

impl Work {
    /// Runs the commands.
    pub fn run(self) -> Worked {
        self.run_until(&AtomicBool::new(false))
    }

    /// Runs the commands until `cancel` is set. If it is set, the result must not be used.
    pub fn run_until(self, cancel: &AtomicBool) -> Worked {
        self.run_reporting(cancel, &AtomicU32::new(0))
    }

    /// Runs the commands like [`Self::run_until`]. `progress` receives the progress of long
    /// commands, in thousandths.
    pub fn run_reporting(self, cancel: &AtomicBool, progress: &AtomicU32) -> Worked {
        let Self { session, label, commands: asked, revision } = self;
        let (mut said, mut done) = (Vec::new(), 0);
        let spelled = session.spelled_out(asked.clone(), &mut said);
        // An import becomes several commands. The index of a failed one is then not an index of the
        // requested commands.
        let is_same = spelled.as_ref().is_ok_and(|commands| commands.len() == asked.len());
        let found =
            spelled.and_then(|commands| session.work_out(commands, &mut done, (cancel, progress)));
        let refused_at = (found.is_err() && is_same && done < asked.len()).then_some(done);
        let found = found.map(|found| WorkResult { notes: [said, found.notes].concat(), ..found });
        Worked { label, session: session.id, revision, found, refused_at, asked }
    }
}

impl Session {
    /// Prepares commands to run on another thread, with a copy of the current session.
    pub fn work(&self, label: &str, commands: Vec<Command>) -> Work {
        // The preview of an open gesture is not committed yet, so the copy must not contain it.
        let mut session = self.clone();
        session.cancel();
        Work { session, label: label.to_owned(), commands, revision: self.history.revision() }
    }

    /// Returns the commands with imports converted to commands on the document. Notes about the
    /// imports are appended to `said`.
    fn spelled_out(
        &self,
        commands: Vec<Command>,
        said: &mut Vec<Notice>,
    ) -> Result<Vec<Command>, RunError> {
        let mut all = Vec::with_capacity(commands.len());
        for command in commands {
            match self.resolve_import(&command)? {
                Some(import) => {
                    all.extend(import.commands);
                    said.extend(import.notes);
                }
                None => all.push(command),
            }
        }
        Ok(all)
    }

    /// Computes the edits of commands. Each command runs on the result of the previous ones.
    /// `done_count` counts finished commands.
    fn work_out(
        &self,
        commands: Vec<Command>,
        done_count: &mut usize,
        (cancel, progress): (&AtomicBool, &AtomicU32),
    ) -> Result<WorkResult, RunError> {
        let (mut edits, mut replaced, mut notes) = (Vec::new(), Vec::new(), Vec::new());
        let mut reports: Vec<RigReport> = Vec::new();
        let mut bind = None;
        let mut probe = self.document.clone();
        for command in &commands {
            let scene = Scene::until(&probe, cancel).reporting(progress);
            let done = edits_of(&self.opened, &scene, command)?;
            for edit in &done.edits {
                replaced.push(apply(&mut probe, edit.clone()).map_err(CommandError::from)?);
            }
            edits.extend(done.edits);
            notes.extend(done.notes);
            reports.extend(done.rig.map(|report| *report));
            bind = done.bind.or(bind);
            *done_count += 1;
        }
        let rig = match reports.len() {
            0 | 1 => reports.pop(),
            _ => Some(RigReport::of_all(&self.document, &probe, &reports, cancel)?),
        };
        let rig = rig.map(Box::new);
        Ok(WorkResult { commands, edits, replaced, notes, rig, bind, after: probe })
    }

    /// Applies a result as one undo step. Returns whether it changed anything. The document may
    /// have changed since it was computed, but not the data that the result changes. An open
    /// gesture is committed first.
    ///
    /// # Errors
    /// A command failed, the result belongs to another file, or the data that it changes was
    /// edited.
    pub fn take_worked(&mut self, worked: Worked) -> Result<bool, NotTaken> {
        self.settle();
        let stale = worked.revision != self.history.revision();
        if worked.session == self.id
            && stale
            && let Ok(found) = &worked.found
            // A result without changes is valid only for the revision on which it was computed.
            && (found.edits.is_empty() || !self.is_untouched(found))
        {
            return Err(NotTaken::Changed(Box::new(worked)));
        }
        let label = worked.label.clone();
        let done = self.put_in(worked)?;
        if done && stale {
            let said = format!("“{label}” was computed before your latest edits were made");
            self.notes.push(Notice::new("computed_before_latest_steps", said));
        }
        Ok(done)
    }

    /// Whether the data that a result changes is still the same as when it was computed.
    fn is_untouched(&self, found: &WorkResult) -> bool {
        let mut probe = self.document.clone();
        found
            .edits
            .iter()
            .zip(&found.replaced)
            .all(|(edit, was)| apply(&mut probe, edit.clone()).as_ref() == Ok(was))
    }

    /// Applies a result over all edits that were made in the meantime. Returns whether it changed
    /// anything.
    ///
    /// # Errors
    /// A command failed, the result belongs to another file, or it no longer fits the document.
    pub fn put_in(&mut self, worked: Worked) -> Result<bool, RunError> {
        if worked.session != self.id {
            return Err(CommandError::other(
                "other_file_open",
                "another file was opened in the meantime",
            )
            .into());
        }
        let WorkResult { commands, edits, notes, rig, bind, .. } = worked.found?;
        self.settle();
        self.history
            .preview(&mut self.document, &worked.label, edits, commands)
            .map_err(CommandError::from)?;
        self.notes.extend(notes);
        self.rig_report = rig.or(self.rig_report.take());
        self.bind_report = bind.or(self.bind_report.take());
        Ok(self.end_gesture())
    }
}
