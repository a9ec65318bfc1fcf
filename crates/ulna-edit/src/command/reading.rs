//! Commands from text: a line is read by the family that its name belongs to.

use super::{
    ArgumentError, Arguments, CommandError, CommandLine, CommandSpec, LayerName, SessionCommand,
    Unfilled,
    families::{Command, DocumentCommand, HostCommand},
    field::Field,
    table::{find, table},
};
use crate::near::did_you_mean;

/// The command of a name with its arguments; `None` if no family has that name.
fn parsed(name: &str, from: &Arguments) -> Result<Option<Command>, ArgumentError> {
    if let Some(command) = DocumentCommand::read(name, from)? {
        return Ok(Some(Command::Document(command)));
    }
    if let Some(command) = SessionCommand::read(name, from)? {
        return Ok(Some(Command::Session(command)));
    }
    Ok(HostCommand::read(name, from)?.map(Command::Host))
}

impl Command {
    /// The command that a line means.
    ///
    /// # Errors
    /// Where there is none of that name, or its arguments are missing or of another type. What they
    /// name is looked for when it is carried out.
    pub fn read(line: &CommandLine) -> Result<Self, CommandError> {
        let unknown = || {
            let near = did_you_mean(&line.name, table().iter().map(|spec| spec.name));
            CommandError::Unknown { name: line.name.clone(), near }
        };
        let spec = find(&line.name).ok_or_else(unknown)?;
        let arguments = Arguments::new(line, spec)?;
        let command = parsed(spec.name, &arguments)?.ok_or_else(unknown)?;
        if !spec.edits_keys || !arguments.has("layer") {
            return Ok(command);
        }
        let layer = <LayerName as Field>::read(&arguments, "layer")?;
        Ok(command.on_layer(layer))
    }
}

impl CommandSpec {
    /// The command without arguments.
    ///
    /// # Errors
    /// Where it needs some.
    pub fn without_arguments(&self) -> Result<Command, Unfilled> {
        let arguments = Arguments::new(&CommandLine::new(self.name), self);
        let command = arguments.and_then(|arguments| parsed(self.name, &arguments));
        command.ok().flatten().ok_or(Unfilled::Asks)
    }
}
