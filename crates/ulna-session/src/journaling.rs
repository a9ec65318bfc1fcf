//! Starts and ends the journal of an open file.

use std::path::Path;

use super::{journal::Journal, session::Session};

impl Session {
    /// Starts a journal in the folder `home`. It begins with the steps of the current history.
    pub fn keep_journal(&mut self, home: &Path) {
        let journal = Journal::new(home, self.path(), self.file_name(), self.source());
        self.journal.put(journal);
        // The history is not empty if the file was reloaded from disk.
        for step in self.history.done() {
            self.journal.step(step, &self.document);
        }
    }

    /// Ends the journal, and deletes it.
    ///
    /// # Errors
    /// I/O error of the system.
    pub fn end_journal(&mut self) -> std::io::Result<()> {
        self.journal.take().map_or(Ok(()), Journal::discard)
    }

    /// Returns the folder of the journal, if there is one.
    pub fn journal_folder(&self) -> Option<&Path> {
        self.journal.folder()
    }

    /// Takes the reason why the journal could not be written. Each failure is returned once.
    pub fn take_journal_fault(&mut self) -> Option<String> {
        self.journal.take_fault()
    }
}
