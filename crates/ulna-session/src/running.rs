//! Running of a command.

use super::{
    import::{ImportOptions, ImportRequest},
    layer_import::LayerMeant,
    run_error::RunError,
    session::Session,
    weight_source::WeightsMeant,
};
use ulna_edit::{
    Command, CommandError, CommandLine,
    command::{KeysHow, SessionCommand, copied_keys, layer_as_clip},
};
use ulna_formats::gltf::Progress;

impl Session {
    /// Carries a command out as one undo step; whether it changed anything.
    ///
    /// # Errors
    /// Where it cannot be done, or is the host's to do.
    pub fn run(&mut self, command: &Command) -> Result<bool, RunError> {
        match command {
            Command::Session(SessionCommand::Undo) => return Ok(self.undo().is_some()),
            Command::Session(SessionCommand::Redo) => return Ok(self.redo().is_some()),
            Command::Session(SessionCommand::CopyKeys { clip, layer, which }) => {
                let keys = match layer {
                    Some(layer) => {
                        copied_keys(&layer_as_clip(&self.document, clip, layer)?, clip, which)?
                    }
                    None => copied_keys(&self.document, clip, which)?,
                };
                self.copied = Some(keys.text());
                return Ok(false);
            }
            Command::Session(SessionCommand::ImportLayer { path, clip, layer, into }) => {
                let (clip, layer, into) = (clip.as_ref(), layer.as_ref(), into.as_ref());
                let meant = LayerMeant { path, clip, layer, into };
                let (commands, notes) = self.layer_of_file(meant)?;
                let done = self.run_all("Import layer", &commands)?;
                self.notes.extend(notes);
                return Ok(done);
            }
            Command::Session(SessionCommand::ImportWeights { path, from, mesh, by }) => {
                let meant = WeightsMeant {
                    path: path.as_deref(),
                    from: from.as_deref(),
                    mesh: mesh.as_ref(),
                    by: *by,
                };
                let (commands, notes) = self.weights_of_file(meant)?;
                let done = self.run_all("Import weights", &commands)?;
                self.notes.extend(notes);
                return Ok(done);
            }
            Command::Session(SessionCommand::ImportClips {
                path,
                only,
                how,
                counterparts,
                taken,
                force,
            }) => {
                let path = path.clone().ok_or_else(|| {
                    CommandError::other(
                        "no_file_named",
                        "no file was given; name a file, a folder or a pattern as “path”",
                    )
                })?;
                let chosen = counterparts.as_ref().map(|c| c.find(&self.document)).transpose();
                let chosen = chosen.map_err(CommandError::from)?.unwrap_or_default();
                let options = ImportOptions { how: how.unwrap_or(KeysHow::Rests).into(), chosen };
                let force = *force == Some(true);
                let request =
                    ImportRequest { path, only: only.clone(), taken: *taken, options, force };
                let (command, notes) = self
                    .import(&request, &Progress::default())
                    .map_err(|e| CommandError::other(e.code(), e.to_string()))?;
                let done = self.run_all("Import clips", &[command.into()])?;
                self.notes.extend(notes);
                return Ok(done);
            }
            _ => {}
        }
        let title = command.spec().title;
        self.run_all(title, std::slice::from_ref(command))
    }

    /// As [`Session::run`], of a command's text.
    ///
    /// # Errors
    /// As that, and where the text is none.
    pub fn run_line(&mut self, line: &CommandLine) -> Result<bool, RunError> {
        self.run(&Command::read(line)?)
    }
}
