//! Long commands, computed on a copy of the document while the window is used. The result is
//! applied to the current document. If the data that it changes was edited in the meantime, the
//! result is returned instead, and the caller decides.

use std::sync::atomic::{AtomicBool, AtomicU32};

use thiserror::Error;

use super::{RunError, Session, command_edits::edits_of};
use ulna_edit::{
    Command, CommandError, Edit, Scene, apply,
    command::{BindReport, RigReport},
};
use ulna_model::{Document, Notice};

/// Commands to compute.
#[derive(Clone, Debug)]
pub struct Work {
    session: Session,
    label: String,
    commands: Vec<Command>,
    revision: u64,
}

/// The result of the commands.
#[derive(Debug)]
pub struct Worked {
    label: String,
    session: u64,
    /// The revision of the document on which it was computed.
    revision: u64,
    found: Result<WorkResult, RunError>,
    /// Index of the command that is refused.
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
    /// The data that it changes was edited in the meantime. The result can still be applied over
    /// those edits.
    #[error("the data that this command would change was edited while it was running")]
    Changed(Box<Worked>),
}

impl NotTaken {
    /// Stable code for scripts, independent of the message.
    pub const fn code(&self) -> &'static str {
        match self {
            Self::Failed(error) => error.code(),
            Self::Changed(_) => "edited_meanwhile",
        }
    }
}

impl Worked {
    /// Whether the result changes anything, and the report if it changes the skeleton.
    ///
    /// # Errors
    /// The error if a command failed.
    pub fn effects(&self) -> Result<(bool, Option<&RigReport>), &RunError> {
        self.found.as_ref().map(|found| (!found.edits.is_empty(), found.rig.as_deref()))
    }

    /// The report of automatic weights. `None` if there is none, or if a command failed.
    pub fn bind_report(&self) -> Option<&BindReport> {
        self.found.as_ref().ok()?.bind.as_deref()
    }

    /// Index of the command that failed. `None` if all succeeded, or if the commands cannot be
    /// read.
    pub const fn refused_at(&self) -> Option<usize> {
        self.refused_at
    }

    /// The document after all commands. `None` if one failed.
    pub fn document_after(&self) -> Option<&Document> {
        self.found.as_ref().ok().map(|found| &found.after)
    }

    /// All notes as one sentence, without a full stop.
    pub fn sentence(&self) -> Option<String> {
        let notes = &self.found.as_ref().ok()?.notes;
        let all: Vec<&str> = notes.iter().map(|n| &*n.message).collect();
        (!all.is_empty()).then(|| all.join("; "))
    }

    /// The requested commands, to compute them again.
    pub fn into_commands(self) -> Vec<Command> {
        self.asked
    }
}

/// The edits, the commands that make them without a file, and the notes.
#[derive(Debug)]
struct WorkResult {
    commands: Vec<Command>,
    edits: Vec<Edit>,
    /// The values that the edits replace in the document on which they were computed, in the same
    /// order.
    replaced: Vec<Edit>,
    notes: Vec<Notice>,
    rig: Option<Box<RigReport>>,
    bind: Option<Box<BindReport>>,
    after: Document,
}

impl Work {
    /// Computes the result.
    pub fn run(self) -> Worked {
        self.run_until(&AtomicBool::new(false))
    }

    /// Computes the result. If the flag is set in the meantime, the result must not be used.
    pub fn run_until(self, cancel: &AtomicBool) -> Worked {
        self.run_reporting(cancel, &AtomicU32::new(0))
    }

    /// Like [`Self::run_until`]. Long commands store their progress in thousandths.
    pub fn run_reporting(self, cancel: &AtomicBool, progress: &AtomicU32) -> Worked {
        let Self { session, label, commands: asked, revision } = self;
        let (mut said, mut done) = (Vec::new(), 0);
        let spelled = session.spelled_out(asked.clone(), &mut said);
        // An import becomes several commands, whose indices are not those of the requested
        // commands.
        let is_same = spelled.as_ref().is_ok_and(|commands| commands.len() == asked.len());
        let found =
            spelled.and_then(|commands| session.work_out(commands, &mut done, (cancel, progress)));
        let refused_at = (found.is_err() && is_same && done < asked.len()).then_some(done);
        let found = found.map(|found| WorkResult { notes: [said, found.notes].concat(), ..found });
        Worked { label, session: session.id, revision, found, refused_at, asked }
    }
}

impl Session {
    /// Commands to compute on another thread, with the current document.
    pub fn work(&self, label: &str, commands: Vec<Command>) -> Work {
        // The preview of a gesture is not committed yet.
        let mut session = self.clone();
        session.cancel();
        Work { session, label: label.to_owned(), commands, revision: self.history.revision() }
    }

    /// The commands, with imports converted to commands on the document. Their notes are appended
    /// to `said`.
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

    /// Computes commands one after the other, each on the result of the previous ones. `done_count`
    /// counts them.
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
    /// have changed in the meantime, but not the data that the result changes. An open gesture is
    /// committed first.
    ///
    /// # Errors
    /// If a command failed, the result belongs to another file, or the data that it changes was
    /// edited in the meantime.
    pub fn take_worked(&mut self, worked: Worked) -> Result<bool, NotTaken> {
        self.settle();
        let stale = worked.revision != self.history.revision();
        if worked.session == self.id
            && stale
            && let Ok(found) = &worked.found
            // A result without changes is only valid for the revision on which it was computed.
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

    /// Whether the data that a result changes is the same as when it was computed.
    fn is_untouched(&self, found: &WorkResult) -> bool {
        let mut probe = self.document.clone();
        found
            .edits
            .iter()
            .zip(&found.replaced)
            .all(|(edit, was)| apply(&mut probe, edit.clone()).as_ref() == Ok(was))
    }

    /// Applies a result over all edits since then. Returns whether it changed anything.
    ///
    /// # Errors
    /// If a command failed, the result belongs to another file, or no longer fits the document.
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
