//! Reads commands from text. Each family reads its own commands.

use super::{
    ArgumentError, Arguments, CommandError, CommandLine, CommandSpec, LayerName, SessionCommand,
    Unfilled,
    families::{Command, DocumentCommand, HostCommand},
    field::Field,
    table::{find, table},
};
use crate::near::did_you_mean;

/// Reads the command with this name and these arguments; `None` if no family has the name.
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
    /// Reads a command from its text form.
    ///
    /// # Errors
    /// If the command does not exist, or its arguments are missing or have another type. Names of
    /// nodes, clips and meshes are looked up when the command runs.
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
    /// Returns the command without arguments.
    ///
    /// # Errors
    /// If the command requires arguments.
    pub fn without_arguments(&self) -> Result<Command, Unfilled> {
        let arguments = Arguments::new(&CommandLine::new(self.name), self);
        let command = arguments.and_then(|arguments| parsed(self.name, &arguments));
        command.ok().flatten().ok_or(Unfilled::Asks)
    }
}
