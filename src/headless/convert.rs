//! `ulna convert` and `ulna export`.

use std::path::{Path, PathBuf};

use super::{Failure, open, run, writable};
use crate::{
    edit::find_clips,
    formats::gltf::{ExportOptions, Progress, Target, export as export_file, open_beside, open_bytes, transcode},
    session::{Session, SystemDisk, write_atomically},
};

pub(super) fn convert(file: &Path, output: &Path) -> Result<u8, Failure> {
    writable(output)?;
    let saved = open(file)?.write_to(output).map_err(Failure::fault)?;
    for lost in &saved.lost {
        eprintln!("ulna: {}: {lost}", output.display());
    }
    Ok(0)
}

/// What `ulna export` is asked for.
pub(super) struct Wanted<'a> {
    pub file: &'a Path,
    pub output: &'a Path,
    pub clips: Option<&'a [String]>,
    pub skeleton_only: bool,
    pub script: Option<&'a PathBuf>,
}

pub(super) fn export(wanted: &Wanted<'_>) -> Result<u8, Failure> {
    let Wanted { file, output, clips, skeleton_only, script } = wanted;
    writable(output)?;
    let mut session = open(file)?;
    if let Some(script) = script {
        run::apply(&mut session, script)?;
    }
    let keep = clips.map(|names| kept(&session, names)).transpose()?;
    // Of the document as it is now, whatever was done to it.
    let saved = session.pack("model").map_err(Failure::fault)?;
    let made =
        open_beside(saved.bytes, session.source().path.as_deref(), saved.companions.into(), &Progress::default())
            .map_err(Failure::fault)?;
    let glb = export_file(&made.source, &ExportOptions { clips: keep, skeleton_only: *skeleton_only })
        .map_err(Failure::fault)?;
    let write = |path: &Path, bytes: &[u8]| {
        write_atomically(&SystemDisk, path, bytes)
            .map_err(|e| Failure::fault(format!("{} could not be written: {e}", path.display())))
    };
    // What leaves must come in again.
    let again = open_bytes(glb.clone().into(), None, &Progress::default()).map_err(Failure::fault)?;
    if !output.extension().is_some_and(|e| e.eq_ignore_ascii_case("gltf")) {
        write(output, &glb)?;
        return Ok(0);
    }
    let stem = output.file_stem().map_or_else(|| "model".into(), |s| s.to_string_lossy().into_owned());
    let made = transcode(&again.source, Target::Gltf, &stem).map_err(Failure::fault)?;
    let folder = output.parent().unwrap_or(Path::new(""));
    for file in made.beside {
        let place = folder.join(file.name);
        // Named by its content: what is there already is the same, or nobody's that is to be lost.
        match std::fs::read(&place) {
            Ok(there) if there == file.bytes => {}
            Ok(_) => return Err(Failure::fault(format!("{} is there already and is another file", place.display()))),
            Err(_) => write(&place, &file.bytes)?,
        }
    }
    write(output, &made.bytes)?;
    Ok(0)
}

/// The clips that names or patterns mean, by their places in the file that is exported.
fn kept(session: &Session, names: &[String]) -> Result<Vec<usize>, Failure> {
    let document = session.document();
    // New clips come after those of the file, and clips that went leave no gap.
    let order: Vec<_> = document.clips.ids().collect();
    let mut keep = Vec::new();
    for name in names {
        for id in find_clips(document, name).map_err(Failure::unusable)? {
            keep.extend(order.iter().position(|o| *o == id));
        }
    }
    Ok(keep)
}
