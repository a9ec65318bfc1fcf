//! Runs commands in a session.

use std::sync::Arc;

use super::{
    import::{ImportOptions, ImportRequest},
    layer_import::LayerMeant,
    retarget::{OptionNotation, RetargetRequest},
    retarget_maps::map_meant,
    run_error::RunError,
    session::Session,
    skeleton_import::skeleton_of_file,
    weight_source::WeightsMeant,
};
use ulna_edit::{
    Command, CommandError, CommandLine,
    command::{
        KeysHow, LayerName, PutSkeleton, RetargetMapText, SessionCommand, SkeletonText, WhichKeys,
        copied_keys, field::ClipName, layer_as_clip,
    },
};
use ulna_formats::gltf::Progress;
use ulna_model::{Notice, RetargetMap};

/// Commands on the document that do the same as an import from another file.
pub(super) struct ResolvedImport {
    /// Label of the undo step.
    label: &'static str,
    pub commands: Vec<Command>,
    pub notes: Vec<Notice>,
}

impl Session {
    /// Runs a command as one undo step. Returns whether it changed anything.
    ///
    /// # Errors
    /// The command fails, or only the window can run it.
    pub fn run(&mut self, command: &Command) -> Result<bool, RunError> {
        match command {
            // These three commands make no edits: undo and redo move in the history, and the third
            // one copies keys.
            Command::Session(SessionCommand::Undo) => Ok(self.undo().is_some()),
            Command::Session(SessionCommand::Redo) => Ok(self.redo().is_some()),
            Command::Session(SessionCommand::CopyKeys { clip, layer, which }) => {
                self.copy_keys(clip, layer.as_ref(), which)?;
                Ok(false)
            }
            _ => match self.resolve_import(command)? {
                Some(ResolvedImport { label, commands, notes }) => {
                    let done = self.run_all(label, &commands)?;
                    self.notes.extend(notes);
                    Ok(done)
                }
                None => self.run_all(command.spec().title, std::slice::from_ref(command)),
            },
        }
    }

    fn copy_keys(
        &mut self,
        clip: &ClipName,
        layer: Option<&LayerName>,
        which: &WhichKeys,
    ) -> Result<(), CommandError> {
        let keys = match layer {
            Some(layer) => copied_keys(&layer_as_clip(&self.document, clip, layer)?, clip, which)?,
            None => copied_keys(&self.document, clip, which)?,
        };
        self.copied = Some(keys.text());
        Ok(())
    }

    /// Converts an import to commands on the document, so that the undo step does not need the
    /// other file. `None` for all other commands.
    ///
    /// # Errors
    /// The file cannot be read, or does not fit.
    pub(super) fn resolve_import(
        &self,
        command: &Command,
    ) -> Result<Option<ResolvedImport>, RunError> {
        let Command::Session(command) = command else { return Ok(None) };
        let (label, (commands, notes)) = match command {
            SessionCommand::ImportLayer { path, clip, layer, into } => {
                let (clip, layer, into) = (clip.as_ref(), layer.as_ref(), into.as_ref());
                ("Import layer", self.layer_of_file(LayerMeant { path, clip, layer, into })?)
            }
            SessionCommand::ImportWeights { path, from, mesh, by } => {
                let (path, from, mesh) = (path.as_deref(), from.as_deref(), mesh.as_ref());
                let meant = WeightsMeant { path, from, mesh, by: *by };
                ("Import weights", self.weights_of_file(meant)?)
            }
            SessionCommand::ImportSkeleton { path, joint, points, symmetric, prefix } => {
                let skeleton = skeleton_of_file(path, joint.as_deref())?;
                let skeleton = SkeletonText::Skeleton(Arc::new(skeleton));
                let (symmetric, prefix) = (*symmetric, prefix.clone());
                let put = PutSkeleton { skeleton, points: points.clone(), symmetric, prefix };
                ("Copy skeleton", (vec![put.into()], Vec::new()))
            }
            SessionCommand::ImportClips {
                path,
                only,
                how,
                counterparts,
                taken,
                contacts,
                force,
            } => {
                let path = path.clone().ok_or_else(|| {
                    CommandError::other(
                        "no_file_named",
                        "no file was given; name a file, a folder or a pattern as “path”",
                    )
                })?;
                let chosen = counterparts.as_ref().map(|c| c.find(&self.document)).transpose();
                let chosen = chosen.map_err(CommandError::from)?.unwrap_or_default();
                let how = how.unwrap_or(KeysHow::Rests).into();
                let options = ImportOptions {
                    how,
                    chosen,
                    without_map: false,
                    keep_feet: *contacts == Some(true),
                };
                let force = *force == Some(true);
                let request =
                    ImportRequest { path, only: only.clone(), taken: *taken, options, force };
                let (command, notes) = self
                    .import(&request, &Progress::default())
                    .map_err(|e| CommandError::other(e.code(), e.to_string()))?;
                ("Import clips", (vec![command.into()], notes))
            }
            SessionCommand::RetargetClips {
                path,
                only,
                map,
                taken,
                contacts,
                stride,
                keys,
                millimetres,
                force,
            } => {
                let map = map.as_ref().map(|map| self.map_of(map)).transpose()?;
                if let Some(stride) = stride.filter(|s| !s.is_finite() || *s <= 0.0) {
                    let said = format!("“stride” is {stride}, but must be greater than 0");
                    return Err(CommandError::other("argument_out_of_range", said).into());
                }
                if let Some(bound) = millimetres.filter(|mm| !(*mm > 0.0 && *mm <= 1000.0)) {
                    let said = format!(
                        "“millimetres” is {bound}, but must be greater than 0 and at most 1000"
                    );
                    return Err(CommandError::other("argument_out_of_range", said).into());
                }
                let request = RetargetRequest {
                    path: path.clone(),
                    only: only.clone(),
                    map,
                    taken: *taken,
                    lock: *contacts,
                    stride: *stride,
                    keys: keys.map(|keys| keys.within(*millimetres)).unwrap_or_default(),
                    force: *force == Some(true),
                    notation: OptionNotation::Script,
                };
                let made = self
                    .retarget(&request, &Progress::default())
                    .map_err(|e| CommandError::other(e.code(), e.to_string()))?;
                ("Retarget clips", (vec![made.command.into()], made.notes))
            }
            SessionCommand::Undo
            | SessionCommand::Redo
            | SessionCommand::CopyKeys { .. }
            | SessionCommand::ResetToFile { .. }
            | SessionCommand::Revert { .. } => return Ok(None),
        };
        Ok(Some(ResolvedImport { label, commands, notes }))
    }

    /// Returns the retarget map that an argument means.
    fn map_of(&self, map: &RetargetMapText) -> Result<RetargetMap, CommandError> {
        match map {
            RetargetMapText::Map(map) => Ok((**map).clone()),
            RetargetMapText::Text(text) => map_meant(&self.document, text)
                .map_err(|why| CommandError::other(why.code, why.message)),
        }
    }

    /// Parses and runs the text of a command, like [`Session::run`].
    ///
    /// # Errors
    /// The text is not a valid command, or the command fails as in [`Session::run`].
    pub fn run_line(&mut self, line: &CommandLine) -> Result<bool, RunError> {
        self.run(&Command::read(line)?)
    }
}
