//! Runs the steps of a session again: on a file that changed on disk, or without one of the steps.

use std::path::Path;

use super::{Session, stamp::Stamp, unfolded::Unfolded};
use ulna_edit::CommandLine;
use ulna_model::FileContent;

/// Result of running steps again.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Replayed {
    /// Number of command lines that succeeded.
    pub done: usize,
    /// One sentence per command line that failed, with the reason.
    pub failed: Vec<String>,
}

/// Preview of reloading a file that another program changed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outlook {
    /// Result of running the edits again on the changed file.
    pub replayed: Replayed,
    /// Changes that the other program made, one sentence each.
    pub changes: Vec<String>,
}

impl Session {
    /// Previews this session's edits on the changed file, which is open in `newer`.
    pub fn outlook(&self, mut newer: Self) -> Outlook {
        let changes = self.compare(&newer).differences.iter().map(ToString::to_string).collect();
        Outlook { replayed: newer.replay(self), changes }
    }

    /// Runs all steps of `older` as one undo step. `older` is a session with an older state of this
    /// file. Lines that fail are left out and listed.
    pub fn replay(&mut self, older: &Self) -> Replayed {
        let mut replayed = Replayed::default();
        let steps = older.history.done();
        // Each line is tried on a copy first, so that a line that fails does not stop the others.
        let mut probe = self.clone();
        let mut lines: Vec<CommandLine> = Vec::new();
        for step in steps {
            for line in step.lines(&older.document) {
                match probe.run_line(&line) {
                    Ok(_) => {
                        lines.push(line);
                        replayed.done += 1;
                    }
                    Err(error) => replayed.failed.push(format!("“{}”: {error}", step.label)),
                }
            }
        }
        if lines.is_empty() {
            return replayed;
        }
        let count = steps.len();
        let label =
            if count == 1 { "Replay 1 edit".to_owned() } else { format!("Replay {count} edits") };
        if let Err(error) = self.run_lines(&label, &lines) {
            replayed.done = 0;
            replayed.failed.push(format!("the edits could not be replayed: {error}"));
        }
        replayed
    }

    /// Removes a step from the middle of the history: undoes it and all later steps, then runs the
    /// later steps again. Lines that fail are listed.
    pub fn leave_out(&mut self, step: usize) -> Replayed {
        let mut replayed = Replayed::default();
        let later: Vec<(String, Vec<CommandLine>)> = self
            .history
            .done()
            .iter()
            .skip(step + 1)
            .map(|t| (t.label.clone(), t.lines(&self.document)))
            .collect();
        while self.history.done().len() > step {
            if self.undo().is_none() {
                break;
            }
        }
        for (label, lines) in later {
            match self.run_lines(&label, &lines) {
                Ok(_) => replayed.done += lines.len(),
                Err(error) => replayed.failed.push(format!("“{label}”: {error}")),
            }
        }
        replayed
    }

    /// Restores the saved state during recovery. `there` says whether the file on disk still has
    /// the saved content. `state` is the saved revision, if it is known.
    pub(super) fn take_recovered(&mut self, path: &Path, there: bool, state: Option<SavedState>) {
        self.path = Some(path.to_owned());
        if there {
            self.stamp = Stamp::read(path).ok();
            self.backed_up.insert(path.to_owned());
            if let Some(SavedState { revision, file, from }) = state {
                (self.saved, self.saved_from) = (file, from);
                self.history.mark_saved_at(revision);
            }
        }
        self.forget_unsaved();
    }

    /// Returns the current revision in the form that saving writes.
    pub(super) fn state_to_save(&self) -> SavedState {
        let from = Unfolded::of(&self.document);
        SavedState { revision: self.history.revision(), file: self.to_save().file, from }
    }
}

/// State of the document that a save wrote.
pub(super) struct SavedState {
    revision: u64,
    /// Content that the save wrote.
    file: FileContent,
    from: Unfolded,
}
