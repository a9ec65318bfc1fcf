//! `ulna export`: exports some clips, or only the skeleton.

use serde_json::json;

use super::{
    arguments::ExportArgs,
    inputs::open,
    outputs::writable,
    report::{Failure, members, object, print},
    run,
};
use ulna_edit::find_clips;
use ulna_formats::gltf::Progress;
use ulna_model::ClipId;
use ulna_session::{ExportRequest, Session, SystemDisk};

pub(super) fn export(args: &ExportArgs) -> Result<u8, Failure> {
    let ExportArgs { file, output, clips, skeleton_only, each, names, rate, script, out } = args;
    if !*each {
        writable(output)?;
    }
    let mut session = open(file)?;
    let done = match script {
        Some(script) => run::apply(&mut session, script, *out)?,
        None => run::ScriptReport::default(),
    };
    let clips = clips.as_deref().map(|names| kept(&session, names)).transpose()?;
    let request = ExportRequest {
        clips,
        skeleton_only: *skeleton_only,
        rate: *rate,
        each: *each,
        names: names.clone().unwrap_or_default(),
        gltf: !*each && output.extension().is_some_and(|e| e.eq_ignore_ascii_case("gltf")),
        to: output.clone(),
        replace: true,
    };
    let exporting = session.exporting(request);
    let made = exporting
        .run(&SystemDisk, &Progress::default())
        .map_err(|e| Failure::fault(e.code(), e))?;
    if out.json {
        let written: Vec<String> = made.files.iter().map(|f| f.display().to_string()).collect();
        let facts = json!({
            "file": file.display().to_string(),
            "output": output.display().to_string(),
            "written": written,
            "bytes": made.bytes,
            "commands": done.commands,
            "notes": done.notes,
            "lost": made.lost,
        });
        print(&object("export", members(facts)).to_string())?;
    } else if !out.quiet {
        made.lost.iter().for_each(|lost| eprintln!("ulna: {}: {lost}", output.display()));
    }
    Ok(0)
}

/// The clips that match names or patterns.
fn kept(session: &Session, names: &[String]) -> Result<Vec<ClipId>, Failure> {
    let mut keep = Vec::new();
    for name in names {
        keep.extend(
            find_clips(session.document(), name).map_err(|e| Failure::unusable(e.code(), e))?,
        );
    }
    Ok(keep)
}
