//! `ulna convert` and `ulna export`.

use std::path::{Path, PathBuf};

use super::{ConversionArgs, Failure, open, run, writable};
use crate::{
    edit::find_clips,
    formats::gltf::Progress,
    model::ClipId,
    session::{ExportRequest, Session, SystemDisk},
};

pub(super) fn convert(file: &Path, output: &Path, taken: &ConversionArgs) -> Result<u8, Failure> {
    writable(output)?;
    let opened = Session::open_as(file, &taken.conversion()?, &Progress::default());
    let session = opened.map_err(|e| Failure::unusable(format!("{}: {e}", file.display())))?;
    if session.imported().is_some() {
        for finding in &session.diagnostics {
            eprintln!("ulna: {}: {}", finding.place, finding.message);
        }
    }
    let saved = session.write_to(output).map_err(Failure::fault)?;
    for lost in &saved.lost {
        eprintln!("ulna: {}: {lost}", output.display());
    }
    if let Some(posed) = session.t_pose_in_words() {
        eprintln!("ulna: {}: {posed}", output.display());
    }
    Ok(0)
}

/// What `ulna export` is asked for.
pub(super) struct Wanted<'a> {
    pub file: &'a Path,
    pub output: &'a Path,
    pub clips: Option<&'a [String]>,
    pub skeleton_only: bool,
    pub each: bool,
    pub names: Option<&'a str>,
    pub rate: Option<f64>,
    pub script: Option<&'a PathBuf>,
}

pub(super) fn export(wanted: &Wanted<'_>) -> Result<u8, Failure> {
    let Wanted { file, output, clips, skeleton_only, each, names, rate, script } = wanted;
    if !*each {
        writable(output)?;
    }
    let mut session = open(file)?;
    if let Some(script) = script {
        run::apply(&mut session, script)?;
    }
    let clips = clips.map(|names| kept(&session, names)).transpose()?;
    let request = ExportRequest {
        clips,
        skeleton_only: *skeleton_only,
        rate: *rate,
        each: *each,
        names: names.unwrap_or_default().to_owned(),
        gltf: !*each && output.extension().is_some_and(|e| e.eq_ignore_ascii_case("gltf")),
        to: output.to_path_buf(),
        replace: true,
    };
    let made = session.exporting(request).run(&SystemDisk, &Progress::default()).map_err(Failure::fault)?;
    for lost in &made.lost {
        eprintln!("ulna: {}: {lost}", output.display());
    }
    Ok(0)
}

/// The clips that names or patterns mean.
fn kept(session: &Session, names: &[String]) -> Result<Vec<ClipId>, Failure> {
    let mut keep = Vec::new();
    for name in names {
        keep.extend(find_clips(session.document(), name).map_err(Failure::unusable)?);
    }
    Ok(keep)
}
