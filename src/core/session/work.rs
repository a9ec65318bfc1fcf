//! Commands that take long, carried out beside the window: what they come to is worked out on a copy, and applied where the
//! document is still the one they began with.

use super::{RunError, Session, edits_of};
use crate::edit::{Command, CommandError, Edit};

/// A command, or several, to be worked out.
#[derive(Clone, Debug)]
pub struct Work {
    session: Session,
    label: String,
    commands: Vec<Command>,
    generation: u64,
}

/// What they come to.
#[derive(Debug)]
pub struct Worked {
    label: String,
    commands: Vec<Command>,
    generation: u64,
    found: Result<(Vec<Edit>, Vec<String>), RunError>,
}

impl Work {
    /// Works it out.
    pub fn run(self) -> Worked {
        let Self { session, label, commands, generation } = self;
        let found = session.work_out(&commands);
        Worked { label, commands, generation, found }
    }
}

impl Session {
    /// Commands to be worked out elsewhere, on the document as it is now.
    pub fn work(&self, label: &str, commands: Vec<Command>) -> Work {
        Work { session: self.clone(), label: label.to_owned(), commands, generation: self.generation() }
    }

    /// What commands come to one after the other, each on what the ones before left.
    fn work_out(&self, commands: &[Command]) -> Result<(Vec<Edit>, Vec<String>), RunError> {
        let (mut edits, mut notes) = (Vec::new(), Vec::new());
        let mut probe = self.document.clone();
        for command in commands {
            let done = edits_of(&self.opened, &probe, command)?;
            for edit in &done.edits {
                crate::edit::apply(&mut probe, edit.clone()).map_err(CommandError::from)?;
            }
            edits.extend(done.edits);
            notes.extend(done.note);
        }
        Ok((edits, notes))
    }

    /// Applies what was worked out, as one step; whether it changed anything.
    ///
    /// # Errors
    /// Where it could not be worked out, or the document was changed meanwhile.
    pub fn take_worked(&mut self, worked: Worked) -> Result<bool, RunError> {
        if worked.generation != self.generation() {
            let message = "the model was changed meanwhile; do it again";
            return Err(CommandError::Other(message.into()).into());
        }
        let (edits, notes) = worked.found?;
        self.settle();
        self.history.preview(&mut self.document, &worked.label, edits, worked.commands).map_err(CommandError::from)?;
        self.notes.extend(notes);
        Ok(self.end_gesture())
    }
}
