//! Random commands of every kind, on files of every kind: nothing panics, everything can be taken back, and the journal
//! makes the same file again. `ULNA_RANDOM` is how many commands are drawn, a thousand unless it says otherwise.
#![allow(clippy::unwrap_used, reason = "a test ends where something is not as it must be")]

use std::{collections::BTreeMap, fs, path::Path};

use serde_json::{Value, json};
use ulna::{
    edit::{ArgumentSpec, ArgumentType, Command, CommandLine, CommandSpec, Executor, clip_text, node_text, table},
    formats::gltf::Progress,
    model::{ClipId, Document, NodeId},
    motion::clip_edit::{CopiedKeys, CopiedTrack},
    session::{Recovery, Session, differences},
};

/// Numbers that look drawn, the same for the same seed.
struct Draw(u64);

impl Draw {
    fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % n.max(1) as u64) as usize
    }

    fn number(&mut self) -> f64 {
        match self.below(12) {
            0 => 0.0,
            1 => -1.0,
            2 => 1.0,
            3 => 1e-7,
            _ => (self.below(4001) as f64 - 2000.0) / 700.0,
        }
    }
}

/// A value of an argument, right more often than not.
fn value(argument: &ArgumentSpec, draw: &mut Draw, document: &Document) -> Value {
    let numbers = |draw: &mut Draw, n: usize| (0..n).map(|_| json!(draw.number())).collect::<Vec<_>>();
    let known = match argument.name {
        "primitive" | "target" => json!(0),
        "bits" => json!(["8", "16"][draw.below(2)]),
        "steps" => json!([255, 65535, 7][draw.below(3)]),
        "most" | "passes" | "sets" => json!(1 + draw.below(4)),
        "opacity" | "value" | "below" | "strength" => json!(draw.below(101) as f64 / 100.0),
        "of" => json!([0, 1]),
        "weights" => json!([0.25, 0.75]),
        "layer" => {
            let names: Vec<&str> =
                document.aids.weight_layers.values().flat_map(|l| l.layers.iter()).map(|l| &*l.name).collect();
            names.get(draw.below(names.len())).map_or(json!("none"), |n| json!(n))
        }
        _ => Value::Null,
    };
    if !known.is_null() && draw.below(12) > 0 {
        return known;
    }
    match argument.kind {
        ArgumentType::Node => match draw.below(14) {
            0 => json!("*"),
            1 => json!("nobody"),
            2 => json!(["#0", "#1"]),
            _ => json!(node_text(document, NodeId(draw.below(document.nodes.len()) as u32))),
        },
        ArgumentType::Clip => {
            let clips: Vec<ClipId> = document.clips.ids().collect();
            clips.get(draw.below(clips.len())).map_or(json!("nobody"), |c| json!(clip_text(document, *c)))
        }
        ArgumentType::Number => json!(draw.number()),
        ArgumentType::Seconds => json!(draw.below(300) as f64 / 97.0),
        ArgumentType::Degrees => json!(draw.number() * 60.0),
        ArgumentType::Vector => Value::Array(numbers(draw, 3)),
        ArgumentType::Factor if draw.below(2) == 0 => json!(draw.number()),
        ArgumentType::Factor => Value::Array(numbers(draw, 3)),
        ArgumentType::Quaternion => Value::Array(numbers(draw, 4)),
        ArgumentType::Axis => json!(["x", "y", "z"][draw.below(3)]),
        ArgumentType::Space => json!(["local", "parent", "world"][draw.below(3)]),
        ArgumentType::Parts => json!(["translation", "rotation", "scale"][draw.below(3)]),
        ArgumentType::Text => json!(["a", "Ärger 左腕", "two\nlines", "c"][draw.below(4)]),
        ArgumentType::Path => json!("/nowhere/else.glb"),
        ArgumentType::Flag => json!(draw.below(2) == 0),
        ArgumentType::Mesh => json!(format!("#{}", draw.below(document.meshes.len().max(1)))),
        ArgumentType::Vertices => json!(["all", "0-5, 9", "0/0: 0-20", "faulty", "0-3 | grow 1"][draw.below(5)]),
        ArgumentType::Numbers => {
            let n = draw.below(4);
            Value::Array(numbers(draw, n))
        }
        ArgumentType::Choice(words) => json!(words[draw.below(words.len())]),
        ArgumentType::Keys => some_keys(draw, document),
    }
}

/// Keys of some tracks of a clip, by nodes and times.
fn some_keys(draw: &mut Draw, document: &Document) -> Value {
    let clips: Vec<_> = document.clips.values().filter(|c| !c.tracks.is_empty()).collect();
    let mut all = serde_json::Map::new();
    if let Some(clip) = clips.get(draw.below(clips.len())) {
        let tracks: Vec<_> = clip.tracks.values().collect();
        for _ in 0..1 + draw.below(3) {
            let track = tracks[draw.below(tracks.len())];
            let times: Vec<f32> = track.times.iter().copied().filter(|_| draw.below(3) == 0).take(40).collect();
            let range = json!({"from": track.times[0], "to": track.times[track.times.len() / 2]});
            let keys = if draw.below(3) == 0 { range } else { json!(times) };
            all.insert(node_text(document, track.target), json!({ track.property.path(): keys }));
        }
    }
    all.into()
}

/// Copied keys as text, or what is none.
fn some_text(draw: &mut Draw, document: &Document) -> Value {
    let clips: Vec<_> = document.clips.values().filter(|c| !c.tracks.is_empty()).collect();
    let Some(clip) = clips.get(draw.below(clips.len())).filter(|_| draw.below(8) > 0) else { return json!("no keys") };
    let copied = clip.tracks.values().take(1 + draw.below(3)).map(|track| {
        let times: Vec<f32> = track.times.iter().copied().take(1 + draw.below(6)).collect();
        let node = document.node(track.target);
        CopiedTrack::of(track, &times, &node.label(track.target), &document.path(track.target))
    });
    json!(CopiedKeys::new(copied.collect()).text())
}

fn line(draw: &mut Draw, document: &Document) -> CommandLine {
    let weighted = document.meshes.values().flat_map(|m| &m.primitives).any(|p| p.weights.is_some());
    let layered = !document.aids.weight_layers.is_empty();
    let can = |s: &&CommandSpec| {
        let name = s.name;
        !matches!(s.executor, Executor::Host)
            && (weighted || !(name.starts_with("weights.") || name.starts_with("weight_layer.")))
            && (layered || !name.starts_with("weight_layer.") || name == "weight_layer.add")
            && (!document.clips.is_empty()
                || !name.starts_with("key.") && !name.starts_with("clip.") && !name.starts_with("track.")
                || name == "clip.new")
    };
    let specs: Vec<_> = table().iter().filter(can).collect();
    let spec = specs[draw.below(specs.len())];
    let mut line = CommandLine::new(spec.name);
    for argument in &spec.arguments {
        if argument.required || draw.below(9) == 0 || (argument.name == "degrees" && spec.name.contains("set")) {
            let value = value(argument, draw, document);
            line = line.with(argument.name, value);
        }
    }
    if matches!(spec.name, "key.delete" | "key.move" | "key.duplicate" | "key.hold_next" | "key.copy") {
        line.arguments.retain(|k, _| !matches!(k.as_str(), "from" | "to" | "time" | "times" | "keys"));
        if draw.below(2) == 0 {
            line = line.with("from", 0.1).with("to", draw.below(300) as f64 / 100.0 + 0.1);
        } else {
            line.arguments.retain(|k, _| !matches!(k.as_str(), "node" | "parts"));
            line = line.with("keys", some_keys(draw, document));
        }
    }
    if spec.name == "key.paste" {
        line = line.with("text", some_text(draw, document));
    }
    line
}

fn check(document: &Document, said: &CommandLine) {
    document.check().unwrap_or_else(|e| panic!("after {said}: {e}"));
}

#[test]
fn random_commands_are_taken_back_and_replayed() {
    let Some(shared) = crate::common::shared() else { return };
    let wanted: usize = std::env::var("ULNA_RANDOM").ok().and_then(|v| v.parse().ok()).unwrap_or(1000);
    let small = |p: &std::path::PathBuf| fs::metadata(p).is_ok_and(|m| m.len() < 3 << 20);
    let all: Vec<_> = crate::common::models(&shared.join("corpus")).into_iter().filter(small).collect();
    let files: Vec<_> = all.iter().step_by((all.len() / 30).max(1)).take(30).collect();
    assert_eq!(files.len(), 30, "files of the corpus");
    let (mut done, mut refused) = (BTreeMap::<String, usize>::new(), 0);
    for (k, file) in files.iter().enumerate() {
        let count = wanted / 30 + usize::from(k < wanted % 30);
        one_file(file, k as u64 + 1, count, &mut done, &mut refused);
    }
    let all: usize = done.values().sum();
    eprintln!("{all} commands of {} kinds done, {refused} refused, on {} files", done.len(), files.len());
    assert_eq!(all + refused, wanted);
    assert!(all * 3 > wanted, "most are refused: {all} of {wanted}");
}

fn one_file(file: &Path, seed: u64, count: usize, done: &mut BTreeMap<String, usize>, refused: &mut usize) {
    let name = file.display();
    let Ok(mut session) = Session::open(file, &Progress::default()) else { panic!("{name} does not open") };
    let opened = fs::read(file).unwrap();
    let home = tempfile::tempdir().unwrap();
    session.keep_journal(home.path());
    let mut draw = Draw(seed * 7919 + 13);
    let mut steps = 0;
    for _ in 0..count {
        let line = line(&mut draw, session.document());
        if let Ok(command) = Command::read(&line) {
            let text = command.line(session.document()).to_string();
            let again = CommandLine::parse(&text).and_then(|line| Command::read(&line)).unwrap();
            assert_eq!(again, command, "{text}");
        }
        match session.run_line(&line) {
            Ok(changed) => {
                *done.entry(line.name.clone()).or_default() += 1;
                if std::env::var_os("ULNA_TELL").is_some() {
                    eprintln!("done {line}");
                }
                steps += usize::from(changed);
            }
            Err(error) => {
                *refused += 1;
                if std::env::var_os("ULNA_TELL").is_some() {
                    eprintln!("{line}: {error}");
                }
            }
        }
        check(session.document(), &line);
        if draw.below(9) == 0 && session.undo().is_some() {
            check(session.document(), &line);
            if draw.below(2) == 0 {
                session.redo();
            }
        }
    }
    let meant = session.document().clone();
    let packed = session.pack("a");
    let folded = session.to_save();
    // Back to the first: the bytes that were opened.
    let mut back = session.clone();
    while back.undo().is_some() {}
    assert_eq!(back.pack("a").unwrap().bytes.as_slice(), opened, "{name}: undone");
    // The file holds what was meant, but for what no file holds.
    if let Ok(saved) = &packed {
        let folder = tempfile::tempdir().unwrap();
        let target = folder.path().join("a.glb");
        // What is beside the file is found from where it is.
        if file.extension().is_some_and(|e| e != "gltf") && saved.companions.is_empty() {
            fs::write(&target, saved.bytes.as_slice()).unwrap();
            let again = Session::open(&target, &Progress::default()).unwrap_or_else(|e| panic!("{name}: {e}"));
            // With its layers in keys and nodes.
            let mut meant = folded.clone();
            meant.aids = Default::default();
            let empty: Vec<_> = meant.clips.iter().filter(|(_, c)| c.tracks.is_empty()).map(|(id, _)| id).collect();
            empty.into_iter().for_each(|id| drop(meant.file.clips.put(id, None)));
            let lost: Vec<_> = differences(&meant, again.document());
            let lost: Vec<_> = lost.iter().filter(|d| !d.message.contains("rest is")).collect();
            assert!(lost.is_empty(), "{name}: {lost:#?}");
        }
    }
    drop(session);
    let found = Recovery::scan(home.path());
    let Some(recovery) = found.into_iter().next() else {
        assert!(steps == 0 || meant.file == back.document().file, "{name}: {steps} steps, no journal");
        return;
    };
    let recovered = recovery.replay(&Progress::default()).unwrap_or_else(|e| panic!("{name}: {e}"));
    assert!(recovered.failed.is_empty(), "{name}: {:?}", recovered.failed);
    assert!(*recovered.session.document() == meant, "{name}: the journal makes another document");
    let bytes = |s: ulna::formats::gltf::Saved| s.bytes;
    let again = recovered.session.pack("a").map(bytes).map_err(|e| e.to_string());
    assert!(again == packed.map(bytes).map_err(|e| e.to_string()), "{name}: the journal makes another file");
}

/// That an error of a wrong argument names it.
#[test]
fn a_wrong_argument_is_named() {
    let mut session = Session::open_bytes(include_bytes!("../../assets/mannequin.glb")).unwrap();
    let mut tried = 0;
    for spec in table().iter().filter(|s| !matches!(s.executor, Executor::Host)) {
        let line = CommandLine::new(spec.name).with("nonsense", 1);
        let before = session.document().clone();
        let error = session.run_line(&line).expect_err(spec.name);
        assert!(error.to_string().contains("nonsense"), "{}: {error}", spec.name);
        assert!(*session.document() == before);
        tried += 1;
    }
    assert!(tried > 30, "{tried}");
}
