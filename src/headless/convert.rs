//! `ulna convert` and `ulna export`.

use std::path::Path;

use super::{Failure, clip_named, open};
use crate::{
    formats::gltf::{ExportOptions, Progress, Target, export as export_file, open_bytes, transcode},
    session::write_atomically,
};

pub(super) fn convert(file: &Path, output: &Path) -> Result<u8, Failure> {
    open(file)?.write_to(output).map_err(Failure::fault)?;
    Ok(0)
}

pub(super) fn export(file: &Path, output: &Path, clips: Option<&[String]>, skeleton_only: bool) -> Result<u8, Failure> {
    let session = open(file)?;
    let document = session.document();
    let keep = match clips {
        None => None,
        Some(names) => {
            let mut keep = Vec::new();
            for name in names {
                keep.extend(clip_named(document, name)?.map(|id| id.index()));
            }
            Some(keep)
        }
    };
    let glb = export_file(session.source(), &ExportOptions { clips: keep, skeleton_only }).map_err(Failure::fault)?;
    let wants_gltf = output.extension().is_some_and(|e| e.eq_ignore_ascii_case("gltf"));
    let write = |path: &Path, bytes: &[u8]| {
        write_atomically(path, bytes)
            .map_err(|e| Failure::fault(format!("{} could not be written: {e}", path.display())))
    };
    if !wants_gltf {
        write(output, &glb)?;
        return Ok(0);
    }
    let made = open_bytes(glb.into(), None, &Progress::default()).map_err(Failure::fault)?;
    let stem = output.file_stem().map_or_else(|| "model".into(), |s| s.to_string_lossy().into_owned());
    let (json, files) = transcode(&made.source, Target::Gltf, &stem).map_err(Failure::fault)?;
    let folder = output.parent().unwrap_or(Path::new(""));
    for file in files {
        write(&folder.join(file.name), &file.bytes)?;
    }
    write(output, &json)?;
    Ok(0)
}
