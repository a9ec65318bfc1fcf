//! The journal of an open file: keeping one, and ending it.

use std::path::Path;

use super::{journal::Journal, session::Session};

impl Session {
    /// Keeps a journal of what is done from now on.
    pub fn keep_journal(&mut self, home: &Path) {
        let journal = Journal::new(home, self.path(), self.file_name(), self.source());
        self.journal.put(journal);
        // What was done before: the edits of a file that was read again.
        for step in self.history.done() {
            self.journal.step(step, &self.document);
        }
    }

    /// Ends the journal; nothing of it is wanted again.
    ///
    /// # Errors
    /// What the system says.
    pub fn end_journal(&mut self) -> std::io::Result<()> {
        self.journal.take().map_or(Ok(()), Journal::discard)
    }

    /// Where the journal lies, if one is kept.
    pub fn journal_folder(&self) -> Option<&Path> {
        self.journal.folder()
    }

    /// Why the journal cannot be written, said once.
    pub fn take_journal_fault(&mut self) -> Option<String> {
        self.journal.take_fault()
    }
}
