//! Commands that take long, carried out beside the window: what they come to is worked out on a copy, and applied where the
//! document is still the one they began with.

use super::{RunError, Session, edits_of, weight_import::WeightsMeant};
use crate::edit::{Command, CommandError, Edit, command::SessionCommand};

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
    session: u64,
    generation: u64,
    found: Result<Found, RunError>,
}

/// The edits, the commands that make them and need no file, and what is to be said.
#[derive(Debug)]
struct Found {
    commands: Vec<Command>,
    edits: Vec<Edit>,
    notes: Vec<String>,
}

impl Work {
    /// Works it out.
    pub fn run(self) -> Worked {
        let Self { session, label, commands, generation } = self;
        let mut said = Vec::new();
        let found = session.spelled_out(commands, &mut said).and_then(|commands| {
            let (edits, notes) = session.work_out(&commands)?;
            Ok((commands, edits, notes))
        });
        let found = found.map(|(commands, edits, notes)| Found { commands, edits, notes: [said, notes].concat() });
        Worked { label, session: session.id, generation, found }
    }
}

impl Session {
    /// Commands to be worked out elsewhere, on the document as it is now.
    pub fn work(&self, label: &str, commands: Vec<Command>) -> Work {
        Work { session: self.clone(), label: label.to_owned(), commands, generation: self.generation() }
    }

    /// Commands with those in their place that weights of a file come to; what there is to say of them joins what is `said`.
    fn spelled_out(&self, commands: Vec<Command>, said: &mut Vec<String>) -> Result<Vec<Command>, RunError> {
        let mut all = Vec::with_capacity(commands.len());
        for command in commands {
            let Command::Session(SessionCommand::ImportWeights { path, from, mesh, by }) = &command else {
                all.push(command);
                continue;
            };
            let meant = WeightsMeant { path: path.as_deref(), from: from.as_deref(), mesh: mesh.as_ref(), by: *by };
            let (found, note) = self.weights_of_file(meant)?;
            all.extend(found);
            said.extend(note);
        }
        Ok(all)
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
    /// Where it could not be worked out, or the document was changed meanwhile, or it is of another file.
    pub fn take_worked(&mut self, worked: Worked) -> Result<bool, RunError> {
        if worked.session != self.id {
            return Err(CommandError::Other("another file was opened meanwhile".into()).into());
        }
        if worked.generation != self.generation() {
            let message = "the model was changed meanwhile; do it again";
            return Err(CommandError::Other(message.into()).into());
        }
        let Found { commands, edits, notes } = worked.found?;
        self.settle();
        self.history.preview(&mut self.document, &worked.label, edits, commands).map_err(CommandError::from)?;
        self.notes.extend(notes);
        Ok(self.end_gesture())
    }
}
