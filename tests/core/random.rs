//! Random commands of every kind on files of every kind. Nothing panics, undo restores everything,
//! and the journal reproduces the file. `ULNA_RANDOM` sets the number of commands; the default is
//! 1000.
#![allow(clippy::unwrap_used, reason = "a test ends where something is not as it must be")]

use std::{collections::BTreeMap, fs, path::Path};

use serde_json::{Value, json};
use ulna_edit::{
    ArgumentSpec, ArgumentType, Command, CommandLine, CommandSpec, Executor, clip_text, node_text,
    table,
};
use ulna_formats::gltf::Progress;
use ulna_model::{ClipId, Document, NodeId};
use ulna_motion::clip_edit::{CopiedKeys, CopiedTrack, NodePlace};
use ulna_session::{Recovery, Session, differences};

/// Pseudorandom numbers. The same seed gives the same sequence.
pub(super) struct Draw(pub(super) u64);

impl Draw {
    pub(super) fn below(&mut self, n: usize) -> usize {
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

/// Returns a value for an argument; usually a valid one.
pub(super) fn value(argument: &ArgumentSpec, draw: &mut Draw, document: &Document) -> Value {
    let numbers =
        |draw: &mut Draw, n: usize| (0..n).map(|_| json!(draw.number())).collect::<Vec<_>>();
    let known = match argument.name {
        // A morph target is given as text, a primitive as a number.
        "target" if matches!(argument.kind, ArgumentType::Text) => json!("#0"),
        "primitive" | "target" => json!(0),
        "bits" => json!(["8", "16"][draw.below(2)]),
        "steps" => json!([255, 65535, 7][draw.below(3)]),
        "most" | "passes" | "sets" => json!(1 + draw.below(4)),
        "opacity" | "value" | "below" | "strength" => json!(draw.below(101) as f64 / 100.0),
        "of" => json!([0, 1]),
        "weights" => json!([0.25, 0.75]),
        "layer" => {
            let names: Vec<&str> = document
                .aids
                .weight_layers
                .values()
                .flat_map(|l| l.layers.iter())
                .map(|l| &*l.name)
                .collect();
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
            _ => {
                let nodes: Vec<NodeId> = document.node_ids().collect();
                let node = nodes.get(draw.below(nodes.len())).copied();
                json!(node.map_or_else(|| "#0".to_owned(), |n| node_text(document, n)))
            }
        },
        ArgumentType::Clip => {
            let clips: Vec<ClipId> = document.clips.ids().collect();
            clips
                .get(draw.below(clips.len()))
                .map_or(json!("nobody"), |c| json!(clip_text(document, *c)))
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
        ArgumentType::Parts | ArgumentType::KeyParts => {
            json!(["translation", "rotation", "scale"][draw.below(3)])
        }
        ArgumentType::Text => json!(["a", "Ärger 左腕", "two\nlines", "c"][draw.below(4)]),
        ArgumentType::Path => json!("/nowhere/else.glb"),
        ArgumentType::Flag => json!(draw.below(2) == 0),
        ArgumentType::Mesh => json!(format!("#{}", draw.below(document.meshes.len().max(1)))),
        ArgumentType::Vertices => {
            json!(["all", "0-5, 9", "0/0: 0-20", "faulty", "0-3 | grow 1"][draw.below(5)])
        }
        ArgumentType::Numbers => {
            let n = draw.below(4);
            Value::Array(numbers(draw, n))
        }
        ArgumentType::Choice(words) => json!(words[draw.below(words.len())]),
        ArgumentType::Keys => some_keys(draw, document),
    }
}

/// Returns keys of some tracks of a clip, by nodes and times.
fn some_keys(draw: &mut Draw, document: &Document) -> Value {
    let clips: Vec<_> = document.clips.values().filter(|c| !c.tracks.is_empty()).collect();
    let mut all = serde_json::Map::new();
    if let Some(clip) = clips.get(draw.below(clips.len())) {
        let tracks: Vec<_> = clip.tracks.values().collect();
        for _ in 0..1 + draw.below(3) {
            let track = tracks[draw.below(tracks.len())];
            let times: Vec<f32> =
                track.times.iter().copied().filter(|_| draw.below(3) == 0).take(40).collect();
            let range = json!({"from": track.times[0], "to": track.times[track.times.len() / 2]});
            let keys = if draw.below(3) == 0 { range } else { json!(times) };
            all.insert(node_text(document, track.target), json!({ track.property.path(): keys }));
        }
    }
    all.into()
}

/// Returns copied keys as text; sometimes invalid text.
fn some_text(draw: &mut Draw, document: &Document) -> Value {
    let clips: Vec<_> = document.clips.values().filter(|c| !c.tracks.is_empty()).collect();
    let Some(clip) = clips.get(draw.below(clips.len())).filter(|_| draw.below(8) > 0) else {
        return json!("no keys");
    };
    let copied = clip.tracks.values().take(1 + draw.below(3)).map(|track| {
        let times: Vec<f32> = track.times.iter().copied().take(1 + draw.below(6)).collect();
        let node = document.node(track.target);
        let place = NodePlace {
            name: &node.label(track.target),
            path: &document.path(track.target),
            node: track.target,
        };
        CopiedTrack::of(track, &times, &place)
    });
    json!(CopiedKeys::new(copied.collect()).text())
}

fn line(draw: &mut Draw, document: &Document) -> CommandLine {
    let weighted =
        document.meshes.values().flat_map(|m| &m.primitives).any(|p| p.weights.is_some());
    let layered = !document.aids.weight_layers.is_empty();
    let can = |s: &&CommandSpec| {
        let name = s.name;
        !matches!(s.executor, Executor::Host)
            && (weighted || !(name.starts_with("weights.") || name.starts_with("weight_layer.")))
            && (layered || !name.starts_with("weight_layer.") || name == "weight_layer.add")
            && (!document.clips.is_empty()
                || !name.starts_with("key.")
                    && !name.starts_with("clip.")
                    && !name.starts_with("track.")
                || name == "clip.new")
    };
    let specs: Vec<_> = table().iter().filter(can).collect();
    let spec = specs[draw.below(specs.len())];
    let mut line = CommandLine::new(spec.name);
    for argument in &spec.arguments {
        if argument.required
            || draw.below(9) == 0
            || (argument.name == "degrees" && spec.name.contains("set"))
        {
            let value = value(argument, draw, document);
            line = line.with(argument.name, value);
        }
    }
    if matches!(
        spec.name,
        "key.delete" | "key.move" | "key.duplicate" | "key.hold_next" | "key.copy"
    ) {
        line.arguments
            .retain(|k, _| !matches!(k.as_str(), "from" | "to" | "time" | "times" | "keys"));
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
fn random_commands_can_be_undone_and_replayed() {
    let Some(shared) = crate::common::shared() else { return };
    let wanted: usize =
        std::env::var("ULNA_RANDOM").ok().and_then(|v| v.parse().ok()).unwrap_or(1000);
    let small = |p: &std::path::PathBuf| fs::metadata(p).is_ok_and(|m| m.len() < 3 << 20);
    let all: Vec<_> =
        crate::common::models(&shared.join("corpus")).into_iter().filter(small).collect();
    let files: Vec<_> = all.iter().step_by((all.len() / 30).max(1)).take(30).collect();
    assert_eq!(files.len(), 30, "files of the corpus");
    let (mut done, mut refused) = (BTreeMap::<String, usize>::new(), 0);
    for (k, file) in files.iter().enumerate() {
        let count = wanted / 30 + usize::from(k < wanted % 30);
        one_file(file, k as u64 + 1, count, &mut done, &mut refused);
    }
    let all: usize = done.values().sum();
    eprintln!(
        "{all} commands of {} kinds done, {refused} refused, on {} files",
        done.len(),
        files.len()
    );
    assert_eq!(all + refused, wanted);
    assert!(all * 3 > wanted, "most are refused: {all} of {wanted}");
}

fn one_file(
    file: &Path,
    seed: u64,
    count: usize,
    done: &mut BTreeMap<String, usize>,
    refused: &mut usize,
) {
    let name = file.display();
    let Ok(mut session) = Session::open(file, &Progress::default()) else {
        panic!("{name} does not open")
    };
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
    // After everything is undone, the saved bytes equal the opened file.
    let mut back = session.clone();
    while back.undo().is_some() {}
    assert_eq!(back.pack("a").unwrap().bytes.as_slice(), opened, "{name}: undone");
    // The file contains the document, except for state that no file stores.
    if let Ok(saved) = &packed {
        let folder = tempfile::tempdir().unwrap();
        let target = folder.path().join("a.glb");
        // A model with separate data files cannot be opened from its own bytes, so it is skipped.
        if file.extension().is_some_and(|e| e != "gltf") && saved.companions.is_empty() {
            fs::write(&target, saved.bytes.as_slice()).unwrap();
            let again = Session::open(&target, &Progress::default())
                .unwrap_or_else(|e| panic!("{name}: {e}"));
            // The expected document has its layers baked into keys and nodes.
            let mut meant = folded.clone();
            meant.aids = Default::default();
            let empty: Vec<_> =
                meant.clips.iter().filter(|(_, c)| c.tracks.is_empty()).map(|(id, _)| id).collect();
            empty.into_iter().for_each(|id| drop(meant.file.clips.put(id, None)));
            let lost: Vec<_> = differences(&meant, &again.to_save());
            let lost: Vec<_> =
                lost.iter().filter(|d| !d.message.contains("rest pose is")).collect();
            assert!(lost.is_empty(), "{name}: {lost:#?}");
        }
    }
    drop(session);
    let found = Recovery::scan(home.path());
    let Some(recovery) = found.into_iter().next() else {
        assert!(
            steps == 0 || meant.file == back.document().file,
            "{name}: {steps} steps, no journal"
        );
        return;
    };
    let recovered = recovery.replay(&Progress::default()).unwrap_or_else(|e| panic!("{name}: {e}"));
    assert!(recovered.failed.is_empty(), "{name}: {:?}", recovered.failed);
    assert!(*recovered.session.document() == meant, "{name}: the journal makes another document");
    let bytes = |s: ulna_formats::gltf::Saved| s.bytes;
    let again = recovered.session.pack("a").map(bytes).map_err(|e| e.to_string());
    assert!(
        again == packed.map(bytes).map_err(|e| e.to_string()),
        "{name}: the journal makes another file"
    );
}

/// The error about an unknown argument names the argument.
#[test]
fn an_unknown_argument_is_named() {
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

/// Returns invalid values for a type of argument.
fn never(kind: &ArgumentType) -> Vec<Value> {
    let (none, flag, object, list, text) =
        (Value::Null, json!(true), json!({}), json!([]), json!("nobody"));
    match kind {
        ArgumentType::Node | ArgumentType::Clip => {
            vec![none, flag, object, text, json!(""), json!("#99999999999999999999"), json!("#-1")]
        }
        ArgumentType::Mesh => {
            vec![none, flag, object, text, json!(5), json!("#9999"), json!("#-1")]
        }
        ArgumentType::Number | ArgumentType::Seconds => {
            vec![none, flag, object, list, text, json!("1"), json!(1e39)]
        }
        ArgumentType::Degrees | ArgumentType::Factor => {
            vec![none, flag, object, text, json!([1, 2]), json!(1e39)]
        }
        ArgumentType::Vector => {
            vec![
                none,
                flag,
                object,
                list,
                json!("1"),
                json!([1, 2, 3, 4]),
                json!(["1", 2, 3]),
                json!([1e39, 0, 0]),
            ]
        }
        ArgumentType::Quaternion => {
            vec![
                none,
                object,
                json!(1),
                json!([1, 2, 3]),
                json!([0, 0, 0, "1"]),
                json!([1e39, 0, 0, 1]),
            ]
        }
        ArgumentType::Axis => {
            vec![none, object, json!("w"), json!(3), json!([0, 0, 0]), json!([1, 2])]
        }
        ArgumentType::Space => vec![none, json!("galaxy"), json!(3), json!(["local"])],
        ArgumentType::Parts | ArgumentType::KeyParts => {
            vec![none, json!("color"), json!(3), json!(["translation", 3])]
        }
        ArgumentType::Text | ArgumentType::Path => vec![none, flag, object, list, json!(5)],
        ArgumentType::Flag => vec![none, list, json!("true"), json!(1)],
        ArgumentType::Vertices => {
            vec![
                none,
                flag,
                object,
                json!("5-2"),
                json!("x"),
                json!("0-99999999"),
                json!("all | explode"),
            ]
        }
        ArgumentType::Numbers => vec![none, flag, object, json!("1"), json!(["1"]), json!([null])],
        ArgumentType::Choice(_) => vec![none, json!(5), json!("none of these"), json!("")],
        ArgumentType::Keys => vec![none, flag, json!(5), text],
    }
}

/// Runs every document command with an invalid value for each argument. The error names the
/// argument or the value, and nothing changes. For some commands, the other random arguments rarely
/// fit, which is reported first.
#[test]
fn an_invalid_argument_value_is_refused_and_named() {
    let mut session = Session::open_bytes(include_bytes!("../../assets/mannequin.glb")).unwrap();
    let before = session.document().clone();
    let (mut tried, mut odd) = (0, Vec::new());
    for spec in table().iter().filter(|s| matches!(s.executor, Executor::Document)) {
        for argument in &spec.arguments {
            for wrong in never(&argument.kind) {
                // An empty list of contacts is valid: it removes all contacts.
                if spec.name == "clip.contacts" && wrong == json!([]) {
                    continue;
                }
                tried += 1;
                let mut draw = Draw(tried);
                // The other arguments of the line are usually valid.
                let line = |draw: &mut Draw| {
                    let others =
                        spec.arguments.iter().filter(|a| a.name != argument.name && a.required);
                    let line = CommandLine::new(spec.name).with(argument.name, wrong.clone());
                    others.fold(line, |line, other| {
                        line.with(other.name, value(other, draw, &before))
                    })
                };
                let found = (0..96).find_map(|_| match session.run_line(&line(&mut draw)) {
                    Ok(_) => Some("is taken"),
                    Err(error) => {
                        let error = error.to_string();
                        let given = wrong.as_str().is_some_and(|w| {
                            error.contains(if w.is_empty() { "“”" } else { w })
                        });
                        (given || error.contains(argument.name)).then_some("")
                    }
                });
                let fits = |name: &str| {
                    !["unkeyed.morph", "weights.set"].contains(&name)
                        && !name.starts_with("weight_layer.")
                };
                if found != Some("") && (found.is_some() || fits(spec.name)) {
                    odd.push(format!(
                        "{} {} {wrong} {}",
                        spec.name,
                        argument.name,
                        found.unwrap_or("is not named")
                    ));
                }
                if *session.document() != before {
                    odd.push(format!("{} {} {wrong} changes something", spec.name, argument.name));
                    session =
                        Session::open_bytes(include_bytes!("../../assets/mannequin.glb")).unwrap();
                }
            }
        }
    }
    println!("{tried} values");
    assert!(odd.is_empty(), "{} of {tried}: {odd:#?}", odd.len());
    assert!(tried > 1000, "{tried}");
}

/// Texts that are not valid command lines are refused.
#[test]
fn an_invalid_command_line_is_refused() {
    let deep = "[".repeat(100_000);
    let long =
        format!(r##"{{"do":"pose.rotate","node":"#0","axis":"x","degrees":{}}}"##, "9".repeat(400));
    let lines = [
        "{",
        "[]",
        "5",
        "null",
        "{}",
        "pose.rotate #0 x 5",
        r##""pose.rotate""##,
        r##"{"do":5}"##,
        r##"{"do":""}"##,
        r##"{"do":"nothing.known"}"##,
        r##"{"node":"#0"}"##,
        r##"{"do":"\ud800"}"##,
        r##"{"do":"pose.rotate","do":"clip.new"}"##,
        r##"{"do":"clip.new"} {"do":"clip.new"}"##,
        r##"{"do":"pose.rotate","node":"#0","axis":"x","degrees":NaN}"##,
        r##"{"do":"pose.rotate","node":"#0","axis":"x","degrees":1e999}"##,
        "\u{fffe}",
        "\0",
        &deep,
        &long,
    ];
    let mut session = Session::open_bytes(include_bytes!("../../assets/mannequin.glb")).unwrap();
    for line in lines {
        let ran = CommandLine::parse(line).map(|l| session.run_line(&l).map_err(|e| e.to_string()));
        let shown: String = line.chars().take(80).collect();
        assert!(!matches!(ran, Ok(Ok(_))), "{shown}");
        assert_eq!(session.history().done().len(), 0, "{shown}");
    }
}
