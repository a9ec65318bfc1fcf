//! `ulna convert`: converts between .glb and .gltf, and other formats to glTF.

use std::path::Path;

use serde_json::{Map, Value, json};

use super::{
    arguments::ConvertArgs,
    many::{files_of, in_turn, outputs},
    outputs::writable,
    report::{Failure, members},
};

pub(super) fn convert(args: &ConvertArgs) -> Result<u8, Failure> {
    args.taken.conversion()?;
    let is_single = matches!(&args.files[..], [one] if !one.is_dir());
    let files = files_of(&args.files)?;
    let outputs = outputs(&files, &args.output, |name| name.with_extension(&args.to))?;
    outputs.iter().try_for_each(|output| writable(output))?;
    let work = |file: &Path, output: &Path| one(file, output, args);
    in_turn("convert", files.iter().zip(&outputs), is_single, args.out, work)
}

fn one(file: &Path, output: &Path, args: &ConvertArgs) -> Result<Map<String, Value>, Failure> {
    let session = args.taken.open(file)?;
    let say = |place: &dyn std::fmt::Display, text: &dyn std::fmt::Display| {
        if args.out.is_text() {
            eprintln!("ulna: {place}: {text}");
        }
    };
    let findings = if session.imported().is_some() { &session.diagnostics[..] } else { &[] };
    for finding in findings {
        // Locations such as “.fbx” stand for the whole file.
        let place = finding.place.to_string();
        match place.strip_prefix('.').map_or(place.as_str(), |_| "") {
            "" => say(&file.display(), &finding.message),
            place => say(&file.display(), &format_args!("{place}: {}", finding.message)),
        }
    }
    let saved = session.write_to(output).map_err(|e| Failure::fault(e.code(), e))?;
    let lost = [saved.lost, session.t_pose_in_words().into_iter().collect()].concat();
    lost.iter().for_each(|lost| say(&output.display(), lost));
    Ok(members(json!({
        "file": file.display().to_string(),
        "output": output.display().to_string(),
        "findings": findings,
        "lost": lost,
    })))
}
