//! `ulna retarget`: retargets clips of several sources to several targets.

use std::{
    fs,
    path::{Path, PathBuf},
};

use serde_json::{Map, Value, json};

use super::{
    arguments::RetargetArgs,
    inputs::open,
    many::{each, failed, files_of, outputs},
    outputs::writable,
    report::{Failure, members, of_files, print},
    run::is_same_file,
};
use ulna_edit::{
    Command,
    command::{KeepMap, RetargetMapText, TakenName, map_text},
};
use ulna_formats::gltf::Progress;
use ulna_model::Notice;
use ulna_motion::retarget::RetargetKeys;
use ulna_session::{
    ClipSource, Consent, Conversion, OptionNotation, RetargetRequest, RetargetedClips, SaveRequest,
    Session, SystemDisk, files_meant, map_of_file,
};

/// Files that arguments name: files, folders with all models below, and patterns.
fn meant(paths: &[PathBuf]) -> Result<Vec<PathBuf>, Failure> {
    let mut all = Vec::new();
    for path in paths {
        if path.is_dir() {
            all.extend(files_of(std::slice::from_ref(path))?);
        } else {
            all.extend(files_meant(path).map_err(|e| Failure::unusable(e.code(), e))?);
        }
    }
    Ok(all)
}

/// Opens a source file. A failure has exit status 2.
fn source(path: PathBuf) -> Result<ClipSource, Failure> {
    let source = ClipSource::read(path, &Conversion::default(), &Progress::default());
    match &source.document {
        Ok(_) => Ok(source),
        Err(why) => {
            let said = format!("{}: {why}", source.path.display());
            Err(Failure::unusable(why.code, said).of_file(&source.path))
        }
    }
}

pub(super) fn retarget(args: &RetargetArgs) -> Result<u8, Failure> {
    if args.tolerance.is_some() && args.keys != "reduced" {
        let said = format!("--tolerance applies only to --keys reduced, not to {}", args.keys);
        return Err(Failure::unusable("wrong_arguments", said));
    }
    let files = meant(&args.to)?;
    let is_single = matches!(&args.to[..], [one] if one.is_file());
    if is_single && !args.output.is_dir() {
        writable(&args.output)?;
    }
    let map = args.map.as_deref().map(map_of_file).transpose();
    let map = map.map_err(|why| Failure::unusable(why.code, why.message))?;
    let renamed = |name: &Path| {
        let is_written = name.extension().is_some_and(|e| {
            ["glb", "gltf", "vrm"].iter().any(|known| e.eq_ignore_ascii_case(known))
        });
        if is_written { name.to_owned() } else { name.with_extension("glb") }
    };
    let outputs = outputs(&files, &args.output, renamed)?;
    outputs.iter().try_for_each(|output| writable(output))?;
    let sources = meant(&args.from)?.into_iter().map(source).collect::<Result<Vec<_>, _>>()?;
    if args.write_map.is_some() && (sources.len() != 1 || files.len() != 1) {
        let said = "--write-map needs a single source and a single target";
        return Err(Failure::unusable("wrong_arguments", said));
    }
    let request = RetargetRequest {
        path: PathBuf::new(),
        only: args.only.clone(),
        map,
        taken: args.taken.as_deref().map(|word| match word {
            "replace" => TakenName::Replace,
            "skip" => TakenName::Skip,
            _ => TakenName::Number,
        }),
        lock: args.no_contacts.then_some(false),
        stride: args.stride,
        keys: match args.keys.as_str() {
            "frames" => RetargetKeys::Frames,
            "reduced" => RetargetKeys::Reduced(
                args.tolerance.map_or(RetargetKeys::TOLERANCE, |mm| mm * 1e-3),
            ),
            _ => RetargetKeys::Source,
        },
        force: args.force,
        notation: OptionNotation::CommandLine,
    };
    let work = |file: &Path| {
        let at = files.iter().position(|f| f == file).unwrap_or_default();
        one(args, &sources, &request, (file, &outputs[at]))
    };
    let (mut entries, mut status) = (Vec::new(), 0);
    for (file, result) in files.iter().zip(each(&files, !args.out.is_text(), work)) {
        match result {
            Ok((entry, words)) => {
                if args.out.is_text() {
                    words.say()?;
                }
                entries.push(entry);
            }
            Err(failure) if is_single => return Err(failure),
            Err(failure) => {
                status = status.max(failure.status);
                entries.push(failed(file, &failure, args.out));
            }
        }
    }
    if args.out.json {
        print(&of_files("retarget", entries, is_single, Map::new()).to_string())?;
    }
    Ok(status)
}

/// Retargets all sources to one target, and saves it.
fn one(
    args: &RetargetArgs,
    sources: &[ClipSource],
    request: &RetargetRequest,
    (file, output): (&Path, &Path),
) -> Result<(Map<String, Value>, ModelWords), Failure> {
    let mut session = open(file)?;
    let made = session
        .retarget_from(sources, request, &Progress::default())
        .map_err(|e| Failure::fault(e.code(), format!("{}: {e}", file.display())).of_file(file))?;
    if let (Some(path), Some((_, map, _))) = (&args.write_map, made.maps.first()) {
        fs::write(path, map_text(map)).map_err(|e| {
            let said = format!("{} could not be written: {e}", path.display());
            Failure::fault("output_not_writable", said)
        })?;
    }
    let mut commands: Vec<Command> = vec![made.command.clone().into()];
    if args.keep_map {
        for (source, map, _) in &made.maps {
            let stem = source.file_stem().unwrap_or_default().to_string_lossy();
            let name = Some(map.name.trim()).filter(|name| !name.is_empty()).unwrap_or(&stem);
            let map = RetargetMapText::Map(Box::new(map.clone()));
            commands.push(KeepMap { map, name: Some(name.to_owned()) }.into());
        }
    }
    session
        .run_all("Retarget clips", &commands)
        .map_err(|e| Failure::fault(e.code(), format!("{}: {e}", file.display())).of_file(file))?;
    let notes = [made.notes.clone(), session.take_notes()].concat();
    let backup = !args.no_backup && is_same_file(file, output);
    let save = SaveRequest { path: output.to_owned(), consent: Consent::OVER, backup };
    let saved = session
        .saving_copy(save)
        .run(&SystemDisk)
        .map_err(|e| Failure::fault(e.code(), e).of_file(file))?;
    let words = ModelWords::of((file, output), &made, (&notes, &saved.lost));
    let maps = made.maps.iter().map(|(source, map, origin)| {
        json!({
            "source": source.display().to_string(),
            "name": map.name,
            "origin": origin.label(),
            "chains": map.chains.len(),
        })
    });
    let entry = members(json!({
        "file": file.display().to_string(),
        "output": output.display().to_string(),
        "backup": saved.backup.map(|b| b.display().to_string()),
        "maps": maps.collect::<Vec<_>>(),
        "clips": clips(&session, &made),
        "notes": notes,
        "changes": saved.changes,
        "lost": saved.lost,
    }));
    Ok((entry, words))
}

/// Length in centimeters, rounded to hundredths.
fn centimeters(meters: f32) -> f64 {
    (f64::from(meters) * 1e4).round() / 100.0
}

/// Largest foot sliding of a clip's contacts before and after locking, in centimeters.
fn sliding(clip: &ulna_session::RetargetedClip) -> (f64, f64) {
    let most = |of: fn(&ulna_motion::retarget::ContactSlide) -> f32| {
        centimeters(clip.slides.iter().map(of).fold(0.0, f32::max))
    };
    (most(|s| s.before), most(|s| s.after))
}

fn clips(session: &Session, made: &RetargetedClips) -> Vec<Value> {
    let document = session.document();
    let entry = |clip: &ulna_session::RetargetedClip| {
        let slides = clip.slides.iter().map(|slide| {
            json!({
                "joint": document.node(slide.foot).label(slide.foot),
                "from": slide.from,
                "to": slide.to,
                "before_cm": centimeters(slide.before),
                "after_cm": centimeters(slide.after),
            })
        });
        let (before, after) = sliding(clip);
        let short = clip.short.iter().map(|n| document.node(*n).label(*n));
        json!({
            "source": clip.source.display().to_string(),
            "name": clip.name,
            "contacts": slides.collect::<Vec<_>>(),
            "sliding_before_cm": before,
            "sliding_after_cm": after,
            "hips_lowered_cm": centimeters(clip.lowered),
            "short_legs": short.collect::<Vec<_>>(),
            "keys": clip.keys[1],
        })
    };
    made.clips.iter().map(entry).collect()
}

/// Text output about a model.
struct ModelWords {
    /// One line per clip.
    clips: Vec<String>,
    /// Notes, and data that was lost.
    notes: Vec<String>,
}

impl ModelWords {
    fn of(
        (file, output): (&Path, &Path),
        made: &RetargetedClips,
        (notes, lost): (&[Notice], &[Notice]),
    ) -> Self {
        let line = |clip: &ulna_session::RetargetedClip| {
            let (before, after) = sliding(clip);
            let feet = match clip.contacts {
                0 => "no contacts".to_owned(),
                1 => format!("1 contact, sliding {before} → {after} cm"),
                n => format!("{n} contacts, sliding {before} → {after} cm"),
            };
            format!("{}: {}: {feet}", file.display(), clip.name)
        };
        // The lines of the clips already contain this note.
        let other = notes.iter().filter(|n| n.code != "contacts_cleaned");
        let of_notes = other.map(|note| format!("{}: {note}", file.display()));
        let of_losses = lost.iter().map(|lost| format!("{}: {lost}", output.display()));
        Self {
            clips: made.clips.iter().map(line).collect(),
            notes: of_notes.chain(of_losses).collect(),
        }
    }

    /// Prints the lines of clips to standard output, and everything else to standard error.
    fn say(&self) -> Result<(), Failure> {
        self.clips.iter().try_for_each(|line| print(line))?;
        self.notes.iter().for_each(|note| eprintln!("ulna: {note}"));
        Ok(())
    }
}
