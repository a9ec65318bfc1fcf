//! Starts and ends the journal of an open file.

use std::path::Path;

use super::{journal::Journal, session::Session};

impl Session {
    /// Starts a journal. It contains the steps of the history, and all later ones.
    pub fn keep_journal(&mut self, home: &Path) {
        let journal = Journal::new(home, self.path(), self.file_name(), self.source());
        self.journal.put(journal);
        // A file that was reloaded has earlier steps.
        for step in self.history.done() {
            self.journal.step(step, &self.document);
        }
    }

    /// Ends the journal and deletes it.
    ///
    /// # Errors
    /// I/O error of the system.
    pub fn end_journal(&mut self) -> std::io::Result<()> {
        self.journal.take().map_or(Ok(()), Journal::discard)
    }

    /// The folder of the journal, if there is one.
    pub fn journal_folder(&self) -> Option<&Path> {
        self.journal.folder()
    }

    /// The reason why the journal could not be written. Returned once.
    pub fn take_journal_fault(&mut self) -> Option<String> {
        self.journal.take_fault()
    }
}
