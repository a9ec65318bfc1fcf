//! The steps of one session done again in another: on a file that changed meanwhile, or without one
//! of them.

use std::path::Path;

use super::{Session, stamp::Stamp, unfolded::Unfolded};
use ulna_edit::CommandLine;
use ulna_model::FileContent;

/// What came of doing steps again.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Replayed {
    /// How many lines were done.
    pub done: usize,
    /// Those that could not be, with the reason: a sentence each.
    pub failed: Vec<String>,
}

/// What would come of reloading a file that another program wrote.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outlook {
    /// What came of the edits on it.
    pub replayed: Replayed,
    /// What that program changed, a sentence each.
    pub changes: Vec<String>,
}

impl Session {
    /// What would come of this session's edits on the file as it is now, which another session has
    /// just opened.
    pub fn outlook(&self, mut newer: Self) -> Outlook {
        let changes = self.compare(&newer).differences.iter().map(ToString::to_string).collect();
        Outlook { replayed: newer.replay(self), changes }
    }

    /// Does all steps of another session, which is of an older state of this file, as one step.
    /// What cannot be done is left out and listed.
    pub fn replay(&mut self, older: &Self) -> Replayed {
        let mut replayed = Replayed::default();
        let steps = older.history.done();
        // Line by line on a copy first, so that one that fails leaves the others.
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

    /// Takes a step out of the middle of the history: it and what came after are undone, and what
    /// came after is done again. What cannot be done without it is listed.
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

    /// A journal says that a file was saved here; `there` says whether it is still what was written
    /// then, and `state` which revision that was, and what of the document it holds.
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

    /// The present revision, and what a save would write of it.
    pub(super) fn state_to_save(&self) -> SavedState {
        let from = Unfolded::of(&self.document);
        SavedState { revision: self.history.revision(), file: self.to_save().file, from }
    }
}

/// A state of the document that was saved.
pub(super) struct SavedState {
    revision: u64,
    /// What was written of it.
    file: FileContent,
    from: Unfolded,
}
