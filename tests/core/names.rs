//! Names that repeat, or that look like paths, numbers or patterns. Tests check which nodes they
//! find, and that suggestions work.
#![allow(clippy::unwrap_used, reason = "a test ends where something is not as it must be")]

use std::collections::BTreeSet;

use proptest::prelude::*;
use serde_json::{Value, json};
use ulna_edit::{CommandLine, clip_text, find_clips, mesh_text, node_text};
use ulna_model::NodeId;
use ulna_session::{ExportRequest, Session, SystemDisk};

use crate::common::{glb, shared};

fn turn(node: &str) -> CommandLine {
    CommandLine::new("pose.rotate").with("node", node).with("axis", "x").with("degrees", 10)
}

/// Returns the nodes that a command with this text poses, or the reason of the refusal.
fn posed(session: &Session, text: &str) -> Result<BTreeSet<NodeId>, String> {
    let mut session = session.clone();
    let before: Vec<_> = session.document().nodes.values().map(|n| n.pose).collect();
    session.run_line(&turn(text)).map_err(|e| e.to_string())?;
    let now = session.document();
    Ok(now.node_ids().filter(|n| now.node(*n).pose != before[n.index()]).collect())
}

/// Returns the texts that a refusal suggests. They are in quotes after “use”.
fn offers(why: &str) -> Vec<String> {
    let advice = why.split_once("; use ").map_or("", |(_, advice)| advice);
    advice.split('“').skip(1).filter_map(|t| Some(t.split_once('”')?.0.to_owned())).collect()
}

/// Uses each suggestion of a refusal that reports an ambiguous text.
fn follow(
    session: &Session,
    text: &str,
    why: &str,
    meant: &BTreeSet<NodeId>,
) -> Result<(), TestCaseError> {
    let offered = offers(why);
    prop_assert!(!offered.is_empty(), "{text}: {why}");
    let mut reached = BTreeSet::new();
    for offer in &offered {
        prop_assert!(offer != text, "{why}");
        let found = posed(session, offer);
        prop_assert!(found.is_ok(), "{text}: {why}: {found:?}");
        let found = found.unwrap();
        prop_assert!(found.len() == 1 || found == *meant, "“{offer}” means {found:?}: {why}");
        prop_assert!(found.is_subset(meant), "“{offer}” means {found:?}, not {meant:?}: {why}");
        reached.extend(found);
    }
    prop_assert!(reached == *meant || why.contains("others"), "{why}: {reached:?} of {meant:?}");
    Ok(())
}

/// Builds a tree of nodes with these names. The number is the parent, which comes earlier.
fn tree(names: &[(String, usize)], clips: &[String]) -> Session {
    let mut nodes: Vec<Value> = names.iter().map(|(name, _)| json!({"name": name})).collect();
    let mut roots = Vec::new();
    for (k, (_, parent)) in names.iter().enumerate() {
        match parent % (k + 1) {
            at if at == k => roots.push(k),
            parent => match nodes[parent].get_mut("children").and_then(Value::as_array_mut) {
                Some(children) => children.push(k.into()),
                None => nodes[parent]["children"] = json!([k]),
            },
        }
    }
    let animations: Vec<Value> = clips
        .iter()
        .map(|name| {
            json!({"name": name, "samplers": [{"input": 0, "output": 1}],
                "channels": [{"sampler": 0, "target": {"node": 0, "path": "translation"}}]})
        })
        .collect();
    let accessors = json!([
        {"bufferView": 0, "componentType": 5126, "count": 2, "type": "SCALAR", "min": [0],
            "max": [1]},
        {"bufferView": 1, "componentType": 5126, "count": 2, "type": "VEC3"}]);
    let mut root = json!({"nodes": nodes, "scenes": [{"nodes": roots}], "scene": 0,
        "accessors": accessors,
        "bufferViews": [{"buffer": 0, "byteLength": 8},
            {"buffer": 0, "byteOffset": 8, "byteLength": 24}]});
    if !animations.is_empty() {
        root["animations"] = animations.into();
    }
    let bin = crate::common::floats(&[0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 2.0, 3.0]);
    Session::open_bytes(&glb(root, &bin)).unwrap()
}

fn name() -> impl Strategy<Value = String> {
    prop::sample::select(vec![
        "Arm",
        "Arm",
        "Wheel",
        "Wheel",
        "Root",
        "Root/Arm",
        "Arm/Wheel",
        "Hand*",
        "Hand",
        "*",
        "#0",
        "#00",
        "#1",
        "#2",
        "0",
        "1",
        "",
        "node 1",
        "node 3",
        "none",
        "/",
        "Arm/",
        "Größe",
        "tab\there",
        "tab here",
        "all",
        "-",
        "a b",
    ])
    .prop_map(ToOwned::to_owned)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

    /// If a text names a node, commands use only that node. Every suggestion of a refusal works.
    #[test]
    fn a_text_that_names_a_node_finds_only_that_node(
        names in prop::collection::vec((name(), any::<usize>()),
        1..9)) {
        let session = tree(&names, &[]);
        let document = session.document();
        for node in document.node_ids() {
            let text = node_text(document, node);
            prop_assert_eq!(posed(&session, &text), Ok([node].into()), "{}", text);
        }
        let paths = document.node_ids().map(|n| document.path(n));
        let texts: BTreeSet<String> = names.iter().map(|(n, _)| n.clone()).chain(paths).collect();
        for text in texts {
            let exact: BTreeSet<NodeId> =
                document.node_ids().filter(|n| document.node(*n).name.as_deref()
                    == Some(text.as_str())).collect();
            match posed(&session, &text) {
                // A node with exactly this name comes first.
                Ok(found) =>
                    prop_assert!(exact.is_empty() || found == exact, "{text}: {found:?} {exact:?}"),
                Err(why) => {
                    prop_assert!(exact.len() != 1, "{text}: {why}");
                    let meant = if exact.is_empty() {
                        let ends = |n: &NodeId| {
                            let path = document.path(*n);
                            document.node(*n).label(*n) == text || path == text
                                || path.ends_with(&format!("/{text}"))
                        };
                        document.node_ids().filter(ends).collect()
                    } else {
                        exact
                    };
                    // A label that several nodes have is not a path.
                    if why.contains("means") && !text.contains('“') {
                        follow(&session, &text, &why, &meant)?;
                    }
                }
            }
        }
    }

    #[test]
    fn a_text_that_names_a_clip_finds_only_that_clip(clips in prop::collection::vec(name(), 1..8)) {
        let session = tree(&[("Root".to_owned(), 0)], &clips);
        let document = session.document();
        for clip in document.clips.ids() {
            let text = clip_text(document, clip);
            prop_assert_eq!(find_clips(document, &text), Ok(vec![clip]), "{}", text);
        }
        for text in &clips {
            let mut session = session.clone();
            let line = CommandLine::new("clip.start_at_zero").with("clip", text.as_str());
            let Err(why) = session.run_line(&line) else { continue };
            let why = why.to_string();
            prop_assert!(why.contains("clips; use "), "{why}");
            if text.contains('“') {
                continue;
            }
            for offer in offers(&why) {
                prop_assert_eq!(find_clips(document, &offer).map(|f| f.len()), Ok(1), "{}", why);
            }
        }
    }
}

fn situation() -> Option<Session> {
    let path = shared()?.join("situations/names/in.glb");
    Some(Session::open(&path, &Default::default()).unwrap())
}

#[test]
fn a_node_is_found_by_its_exact_name_first() {
    let Some(session) = situation() else { return };
    let one = |k: u32| Ok([NodeId(k)].into());
    for (text, node) in [
        ("Root/Arm", 19),
        ("#0", 9),
        ("#00", 0),
        ("#3", 3),
        ("0", 16),
        ("", 6),
        ("node 5", 5),
        ("Hand*", 8),
        ("Hand/L", 7),
        ("trail ", 12),
        ("none", 17),
        ("say \"hi\"", 10),
        ("back\\slash", 11),
    ] {
        assert_eq!(posed(&session, text), one(node), "{text}");
    }
    for text in ["Root/Arm/Wheel", "Arm", "Wheel"] {
        let why = posed(&session, text).unwrap_err();
        let meant = match text {
            "Arm" => [1, 3],
            _ => [2, 4],
        };
        follow(&session, text, &why, &meant.into_iter().map(NodeId).collect()).unwrap();
    }
    assert_eq!(posed(&session, "Lauf").unwrap_err(), "there is no node, clip or mesh named “Lauf”");
    let document = session.document();
    let meshes: BTreeSet<String> = document.meshes.ids().map(|m| mesh_text(document, m)).collect();
    assert_eq!(meshes.into_iter().collect::<Vec<_>>(), ["Mesh"]);
}

/// Each clip is exported to its own file. File names are unique on file systems that ignore case,
/// too.
#[test]
fn every_clip_is_exported_to_its_own_file() {
    let Some(session) = situation() else { return };
    let folder = tempfile::tempdir().unwrap();
    let request = ExportRequest {
        clips: None,
        skeleton_only: false,
        rate: None,
        each: true,
        names: String::new(),
        gltf: false,
        to: folder.path().to_owned(),
        replace: false,
    };
    let made = session.exporting(request).run(&SystemDisk, &Default::default()).unwrap();
    let there: BTreeSet<String> = std::fs::read_dir(folder.path())
        .unwrap()
        .map(|e| e.unwrap().file_name().to_string_lossy().to_lowercase())
        .collect();
    assert_eq!((made.files.len(), there.len()), (19, 19));
    for (path, clip) in made.files.iter().zip(session.document().clips.values()) {
        let one = Session::open(path, &Default::default()).unwrap();
        let [only] = &one.document().clips.values().collect::<Vec<_>>()[..] else {
            panic!("{}", path.display())
        };
        assert_eq!(
            (&only.name, only.tracks.len()),
            (&clip.name, clip.tracks.len()),
            "{}",
            path.display()
        );
    }
}

/// Messages repeat numbers in the form in which they were typed. Limits in messages are inclusive:
/// 0.01 is a valid rate.
#[test]
fn error_messages_repeat_numbers_as_typed() {
    let session = tree(&[("Root".to_owned(), 0)], &["go".to_owned()]);
    let rate = |rate: f64| {
        let line = CommandLine::new("clip.resample").with("clip", "go").with("rate", rate);
        session.clone().run_line(&line).map_err(|e| e.to_string())
    };
    assert!(rate(0.01).is_ok(), "{:?}", rate(0.01));
    assert!(rate(10_000.0).is_ok());
    let why = rate(0.009).unwrap_err();
    assert!(why.contains("“rate” is 0.009,"), "{why}");
}
