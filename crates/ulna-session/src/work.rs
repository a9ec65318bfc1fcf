//! Commands that take long, carried out beside the window: what they come to is worked out on a
//! copy, and applied to the document that they began with, or to one that was changed elsewhere.
//! Where what they change was edited meanwhile, nothing is lost either: the result is given back,
//! and whoever asked for it decides.

use std::sync::atomic::{AtomicBool, AtomicU32};

use thiserror::Error;

use super::{RunError, Session, command_edits::edits_of};
use ulna_edit::{
    Command, CommandError, Edit, Scene, apply,
    command::{BindReport, RigReport},
};
use ulna_model::{Document, Notice};

/// A command, or several, to be worked out.
#[derive(Clone, Debug)]
pub struct Work {
    session: Session,
    label: String,
    commands: Vec<Command>,
    revision: u64,
}

/// What they come to.
#[derive(Debug)]
pub struct Worked {
    label: String,
    session: u64,
    /// The state of the document that they were worked out on.
    revision: u64,
    found: Result<WorkResult, RunError>,
    /// Index of the command that is refused.
    refused_at: Option<usize>,
    /// As they were asked for.
    asked: Vec<Command>,
}

/// Why a result was not applied.
#[derive(Debug, Error)]
pub enum NotTaken {
    /// It could not be worked out, or does not fit.
    #[error(transparent)]
    Failed(#[from] RunError),
    /// What it changes was edited meanwhile. Nothing is lost: it can be put in over those edits.
    #[error("the data that this command would change was edited while it was running")]
    Changed(Box<Worked>),
}

impl NotTaken {
    /// The code that stays the same for scripts, whatever the words are.
    pub const fn code(&self) -> &'static str {
        match self {
            Self::Failed(error) => error.code(),
            Self::Changed(_) => "edited_meanwhile",
        }
    }
}

impl Worked {
    /// Whether it changes anything, and the report of a change of the skeleton.
    ///
    /// # Errors
    /// The reason why the commands are refused.
    pub fn effects(&self) -> Result<(bool, Option<&RigReport>), &RunError> {
        self.found.as_ref().map(|found| (!found.edits.is_empty(), found.rig.as_deref()))
    }

    /// The report of automatic weights; `None` if there are none, or where a command is refused.
    pub fn bind_report(&self) -> Option<&BindReport> {
        self.found.as_ref().ok()?.bind.as_deref()
    }

    /// Index of the command that is refused; `None` where all can be carried out, or where they
    /// cannot be read at all.
    pub const fn refused_at(&self) -> Option<usize> {
        self.refused_at
    }

    /// The document with all commands carried out; `None` where one is refused.
    pub fn document_after(&self) -> Option<&Document> {
        self.found.as_ref().ok().map(|found| &found.after)
    }

    /// Everything that is to be said of the result, as one sentence without its full stop.
    pub fn sentence(&self) -> Option<String> {
        let notes = &self.found.as_ref().ok()?.notes;
        let all: Vec<&str> = notes.iter().map(|n| &*n.message).collect();
        (!all.is_empty()).then(|| all.join("; "))
    }

    /// The commands that it is of, to be worked out again.
    pub fn into_commands(self) -> Vec<Command> {
        self.asked
    }
}

/// The edits, the commands that make them and need no file, and what is to be said.
#[derive(Debug)]
struct WorkResult {
    commands: Vec<Command>,
    edits: Vec<Edit>,
    /// What the edits replace in the document that they were worked out on, in the same order.
    replaced: Vec<Edit>,
    notes: Vec<Notice>,
    rig: Option<Box<RigReport>>,
    bind: Option<Box<BindReport>>,
    after: Document,
}

impl Work {
    /// Works it out.
    pub fn run(self) -> Worked {
        self.run_until(&AtomicBool::new(false))
    }

    /// Works it out, unless the flag is set meanwhile: the result is of no use then.
    pub fn run_until(self, cancel: &AtomicBool) -> Worked {
        self.run_reporting(cancel, &AtomicU32::new(0))
    }

    /// As [`Self::run_until`]. Long commands store the part that is done, in thousandths.
    pub fn run_reporting(self, cancel: &AtomicBool, progress: &AtomicU32) -> Worked {
        let Self { session, label, commands: asked, revision } = self;
        let (mut said, mut done) = (Vec::new(), 0);
        let spelled = session.spelled_out(asked.clone(), &mut said);
        // An import is several commands; their numbers say nothing about those asked for.
        let is_same = spelled.as_ref().is_ok_and(|commands| commands.len() == asked.len());
        let found =
            spelled.and_then(|commands| session.work_out(commands, &mut done, (cancel, progress)));
        let refused_at = (found.is_err() && is_same && done < asked.len()).then_some(done);
        let found = found.map(|found| WorkResult { notes: [said, found.notes].concat(), ..found });
        Worked { label, session: session.id, revision, found, refused_at, asked }
    }
}

impl Session {
    /// Commands to be worked out elsewhere, on the document as it is now.
    pub fn work(&self, label: &str, commands: Vec<Command>) -> Work {
        // What a gesture shows is not done yet.
        let mut session = self.clone();
        session.cancel();
        Work { session, label: label.to_owned(), commands, revision: self.history.revision() }
    }

    /// The commands, with imports resolved to commands on the document; their notes join `said`.
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

    /// Results of commands one after the other, each on what the ones before left; `done_count`
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

    /// Applies what was worked out, as one step; whether it changed anything. The document may have
    /// been changed meanwhile, as long as what the result changes is as it was. A gesture that is
    /// under way is ended first.
    ///
    /// # Errors
    /// Where it could not be worked out, is of another file, or what it changes was edited
    /// meanwhile.
    pub fn take_worked(&mut self, worked: Worked) -> Result<bool, NotTaken> {
        self.settle();
        let stale = worked.revision != self.history.revision();
        if worked.session == self.id
            && stale
            && let Ok(found) = &worked.found
            // That there was nothing to change is true of the model as it was.
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

    /// Whether what a result changes is still what it was worked out on.
    fn is_untouched(&self, found: &WorkResult) -> bool {
        let mut probe = self.document.clone();
        found
            .edits
            .iter()
            .zip(&found.replaced)
            .all(|(edit, was)| apply(&mut probe, edit.clone()).as_ref() == Ok(was))
    }

    /// Applies what was worked out, over whatever was done meanwhile; whether it changed anything.
    ///
    /// # Errors
    /// Where it could not be worked out, is of another file, or does not fit any more.
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
