//! Keys of animation pointers and of visibility: counts, messages, preservation and import. Also
//! keys of nodes that share a path.
#![allow(clippy::unwrap_used, reason = "a test ends where something is not as it must be")]

use std::{collections::BTreeSet, path::Path, process::Command};

use serde_json::{Value, json};
use ulna_formats::gltf::Progress;
use ulna_model::{ClipId, Document, Property};
use ulna_motion::{Pose, Stack};
use ulna_session::{ImportRequest, Session};

use super::situations_keys::{clip, does};
use crate::common::{glb, judges, shared, split};

fn program(arguments: &[&str]) -> (String, String) {
    let made = Command::new(env!("CARGO_BIN_EXE_ulna")).args(arguments).output().unwrap();
    let said = String::from_utf8_lossy(&made.stderr).into_owned();
    assert!(made.status.success(), "{arguments:?}: {said}");
    (String::from_utf8_lossy(&made.stdout).into_owned(), said)
}

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

/// Returns the facts that `info` prints for each clip: name, channels, keys and pointers.
fn counts(path: &Path) -> Vec<(String, u64, u64, u64)> {
    let facts: Value = serde_json::from_str(&program(&["info", "--json", text(path)]).0).unwrap();
    let number = |clip: &Value, what: &str| clip[what].as_u64().unwrap();
    let clips = facts["clips"].as_array().unwrap().iter();
    let name = |c: &Value| c["name"].as_str().unwrap().to_owned();
    clips
        .map(|c| (name(c), number(c, "channels"), number(c, "keys"), number(c, "pointers")))
        .collect()
}

#[test]
fn animation_pointers_are_counted() {
    let Some(shared) = shared() else { return };
    let found = counts(&shared.join("situations/pointers/in.glb"));
    // Of five pointers, two animate nodes. One channel of “both” is a plain channel.
    let wanted = [("plain", 1, 2, 0), ("pointers", 2, 4, 5), ("both", 2, 4, 1)];
    assert_eq!(found, wanted.map(|(n, c, k, p)| (n.to_owned(), c, k, p)));
    let (said, _) = program(&["info", text(&shared.join("situations/pointers/in.glb"))]);
    assert!(said.contains("clip pointers: 1.000 s, 2 channels, 4 keys"), "{said}");
    // A pointer to the visibility of a node is played, too.
    let found = counts(&shared.join("situations/visibility-required/used.glb"));
    let (root, _) =
        split(&std::fs::read(shared.join("situations/visibility-required/used.glb")).unwrap());
    let animation = &root["animations"][0];
    let channels = animation["channels"].as_array().unwrap();
    let keys = |c: &Value| {
        let sampler = &animation["samplers"][c["sampler"].as_u64().unwrap() as usize];
        root["accessors"][sampler["input"].as_u64().unwrap() as usize]["count"].as_u64().unwrap()
    };
    assert_eq!(
        (found[0].1, found[0].2),
        (channels.len() as u64, channels.iter().map(keys).sum::<u64>())
    );
}

#[test]
fn resampling_on_export_keeps_and_reports_pointer_channels() {
    let Some(shared) = shared() else { return };
    let path = shared.join("situations/pointers/in.glb");
    let folder = tempfile::tempdir().unwrap();
    for (clip, said, resampled) in
        [("pointers", "5 channels", 0), ("both", "1 channel", 1), ("plain", "", 1)]
    {
        let to = folder.path().join(format!("{clip}.glb"));
        let (_, errors) =
            program(&["export", "--rate", "20", "--clips", clip, text(&path), "-o", text(&to)]);
        if said.is_empty() {
            assert_eq!(errors, "");
        } else {
            assert!(
                errors.contains(&format!("{said} with animation pointers"))
                    && errors.contains("not resampled"),
                "{errors}"
            );
        }
        let (was, is) = (
            Session::open(&path, &Progress::default()).unwrap(),
            Session::open(&to, &Progress::default()).unwrap(),
        );
        let (was, is) = (self::clip(&was, clip), self::clip(&is, clip));
        let frames: Vec<_> = is.tracks.values().filter(|t| t.times.len() == 21).collect();
        assert_eq!(frames.len(), resampled, "{clip}");
        // Nodes and materials can have other numbers in the exported file. The keys stay.
        let keys = |c: &ulna_model::Clip| -> Vec<_> {
            c.pointers
                .iter()
                .map(|p| {
                    (p.interpolation, p.times.to_vec(), p.track.as_ref().map(|t| t.values.to_vec()))
                })
                .collect()
        };
        assert_eq!(keys(is), keys(was), "{clip}");
    }
}

/// Returns the same file with node channels in place of pointers to nodes, which every reader
/// plays.
fn without_pointers(bytes: &[u8]) -> Vec<u8> {
    let (mut root, bin) = split(bytes);
    for animation in root["animations"].as_array_mut().unwrap() {
        let channels = animation["channels"].as_array().unwrap().iter().filter_map(|channel| {
            let Some(pointer) =
                channel["target"]["extensions"]["KHR_animation_pointer"]["pointer"].as_str()
            else {
                return Some(channel.clone());
            };
            let (node, path) = pointer.strip_prefix("/nodes/")?.split_once('/')?;
            let node: usize = node.parse().unwrap();
            Some(json!({"sampler": channel["sampler"], "target": {"node": node, "path": path}}))
        });
        animation["channels"] = channels.collect();
    }
    root.as_object_mut().unwrap().remove("extensionsUsed");
    glb(root, &bin)
}

fn same_worlds(document: &Document, clip: ClipId, time: f64, wanted: &Value, of: &str) {
    let pose = Pose::evaluate(document, &Stack::of(document.clips.get(clip), time));
    for (k, node) in wanted["nodes"].as_array().unwrap().iter().enumerate() {
        let world = pose.world[k].to_cols_array_2d();
        for (r, row) in node["world_rows"].as_array().unwrap().iter().enumerate() {
            for (c, value) in row.as_array().unwrap().iter().enumerate() {
                let off = (f64::from(world[c][r]) - value.as_f64().unwrap()).abs();
                assert!(off < 1e-5, "{of} at {time}: node {k}: {off}");
            }
        }
    }
}

#[test]
fn node_pointers_play_and_are_imported_with_their_values() {
    let Some(shared) = shared() else { return };
    let path = shared.join("situations/pointers/in.glb");
    let folder = tempfile::tempdir().unwrap();
    let plain = folder.path().join("plain.glb");
    std::fs::write(&plain, without_pointers(&std::fs::read(&path).unwrap())).unwrap();
    let mut session = Session::open(&path, &Progress::default()).unwrap();
    let count = session.document().clips.count();
    for name in ["pointers", "both"] {
        let request =
            ImportRequest { path: path.clone(), only: Some(name.into()), ..Default::default() };
        let (put, _) = session.import(&request, &Progress::default()).unwrap();
        session.run(&put.into()).unwrap();
    }
    let saved = Session::open_bytes(&session.pack("a").unwrap().bytes).unwrap();
    assert_eq!(saved.document().clips.count(), count + 2);
    let mut compared = 0;
    for (own, brought) in [(1, count), (2, count + 1)] {
        for time in [0.0, 0.2, 0.5, 0.81, 1.0, 2.0] {
            let Some(wanted) = judges::posed(&plain, Some(own), time) else { return };
            same_worlds(saved.document(), ClipId(own as u32), time, &wanted, "by pointers");
            same_worlds(saved.document(), ClipId(brought as u32), time, &wanted, "brought over");
            // Weights of morph targets are imported, too.
            let of = |clip: usize| {
                let stack = Stack::of(saved.document().clips.get(ClipId(clip as u32)), time);
                Pose::evaluate(saved.document(), &stack).morphs
            };
            assert_eq!(of(own), of(brought), "at {time}");
            compared += 1;
        }
    }
    assert_eq!(compared, 12);
    let both = &saved.document().clips[ClipId(count as u32 + 1)];
    assert!(both.tracks.values().any(|t| t.property == Property::Weights), "{both:?}");
}

fn hidden(document: &Document, time: Option<f64>) -> BTreeSet<String> {
    let stack = Stack::shown(document, time.map(|_| ClipId(0)), time.unwrap_or(0.0));
    Pose::evaluate(document, &stack).hidden.iter().map(|n| document.node(*n).label(*n)).collect()
}

/// The sword must be displayed the same way in files that require the extensions.
#[test]
fn a_required_visibility_extension_does_not_change_the_display() {
    let Some(shared) = shared() else { return };
    let used = std::fs::read(shared.join("situations/visibility-required/used.glb")).unwrap();
    let wanted: BTreeSet<String> = ["Gem", "Sword"].map(ToOwned::to_owned).into();
    for required in [
        &["KHR_node_visibility"][..],
        &["KHR_animation_pointer"],
        &["KHR_node_visibility", "KHR_animation_pointer"],
    ] {
        let (mut root, bin) = split(&used);
        root["extensionsRequired"] = json!(required);
        let bytes = glb(root.clone(), &bin);
        let mut session = Session::open_bytes(&bytes).unwrap();
        let document = session.document().clone();
        for (time, hides) in [
            (None, true),
            (Some(0.0), true),
            (Some(0.499), true),
            (Some(0.5), false),
            (Some(9.0), false),
        ] {
            let found = hidden(&document, time);
            assert_eq!(
                found,
                if hides { wanted.clone() } else { BTreeSet::new() },
                "{required:?} {time:?}"
            );
        }
        assert_eq!(*session.pack("a").unwrap().bytes, *bytes);
        let said: Vec<String> = session.all_findings().iter().map(|d| d.message.clone()).collect();
        let plain: Vec<String> = Session::open_bytes(&used)
            .unwrap()
            .all_findings()
            .iter()
            .map(|d| d.message.clone())
            .collect();
        assert_eq!(said, plain, "{required:?}");
        // After an edit, the extension is still required, and none of its data is lost.
        does(&mut session, json!({"do": "node.visibility", "node": "Shield", "visible": false}));
        let saved = session.pack("a").unwrap().bytes;
        let (now, _) = split(&saved);
        assert_eq!(now["extensionsRequired"], root["extensionsRequired"]);
        let again = Session::open_bytes(&saved).unwrap();
        let mut more = wanted.clone();
        more.insert("Shield".to_owned());
        assert_eq!(hidden(again.document(), None), more);
        assert_eq!(hidden(again.document(), Some(0.7)), ["Shield".to_owned()].into());
    }
}

/// A stored rate is reported once. The text form of a file contains the rate, and the animation of
/// visibility.
#[test]
fn a_stored_frame_rate_is_reported_once_and_appears_in_the_file_as_text() {
    let Some(shared) = shared() else { return };
    let path = shared.join("situations/visibility-required/used.glb");
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let as_text = |path: &Path| Session::open(path, &Progress::default()).unwrap().as_text();
    let mut session = Session::open(&path, &Progress::default()).unwrap();
    does(&mut session, json!({"do": "clip.rate", "clip": "draw", "rate": 17.5}));
    session.write_to(&at("rate.glb")).unwrap();
    let again = Session::open(&at("rate.glb"), &Progress::default()).unwrap();
    let before = Session::open(&path, &Progress::default()).unwrap();
    let found = before.compare(&again);
    let said: Vec<String> = found.differences.iter().map(ToString::to_string).collect();
    assert_eq!(said.len(), 1, "{said:?}");
    assert!(said[0].contains("17.5 frames per second"), "{said:?}");
    let (was, is) = (as_text(&path), as_text(&at("rate.glb")));
    let new: Vec<&str> = is.lines().filter(|l| !was.lines().any(|w| w == *l)).collect();
    assert_eq!(new, ["  17.5 frames per second"], "{is}");
    // The values of the visibility keys changed.
    assert!(was.contains("visible") && was.contains("hidden"), "{was}");
    let (root, mut bin) = split(&std::fs::read(&path).unwrap());
    let channel = root["animations"][0]["channels"]
        .as_array()
        .unwrap()
        .iter()
        .find(|c| c["target"]["path"] == "pointer")
        .unwrap();
    let sampler = &root["animations"][0]["samplers"][channel["sampler"].as_u64().unwrap() as usize];
    let accessor = &root["accessors"][sampler["output"].as_u64().unwrap() as usize];
    let view = &root["bufferViews"][accessor["bufferView"].as_u64().unwrap() as usize];
    let start =
        view["byteOffset"].as_u64().unwrap_or(0) + accessor["byteOffset"].as_u64().unwrap_or(0);
    let start = start as usize;
    assert_eq!(accessor["componentType"], 5121);
    bin[start..start + 2].copy_from_slice(&[1, 0]);
    std::fs::write(at("other.glb"), glb(root, &bin)).unwrap();
    let is = as_text(&at("other.glb"));
    assert_ne!(was, is, "the values of visibility differ");
}

/// An infinite near or far plane of a camera is reported as an error. The rest of the file still
/// loads.
#[test]
fn an_infinite_near_plane_is_reported() {
    let camera = |znear: &str, zfar: &str| {
        format!(
            r#"{{"asset":{{"version":"2.0"}},"scene":0,"scenes":[{{"nodes":[0]}}],
            "nodes":[{{"name":"Eye","camera":0,"translation":[1,2,3]}}],
            "cameras":[{{"type":"perspective","perspective":{{"yfov":0.8,
            "znear":{znear}{zfar}}}}}]}}"#
        )
    };
    let folder = tempfile::tempdir().unwrap();
    let cases = [
        ("1e999", "", 1),
        ("0.1", ",\"zfar\":1e999", 1),
        ("-1e999", "", 1),
        ("0.1", "", 0),
        ("0.1", ",\"zfar\":9", 0),
    ];
    let mut files = Vec::new();
    for (k, (znear, zfar, count)) in cases.into_iter().enumerate() {
        let bytes = camera(znear, zfar);
        let session = Session::open_bytes(bytes.as_bytes()).unwrap();
        let own = session.all_findings();
        let errors: Vec<&str> = own
            .iter()
            .filter(|d| d.severity == ulna_model::Severity::Error)
            .map(|d| d.code)
            .collect();
        assert_eq!(errors, vec!["VALUE_NOT_IN_RANGE"; count], "{znear} {zfar}: {own:?}");
        let eye = crate::common::named(session.document(), "Eye");
        let pose = Pose::evaluate(session.document(), &Stack::default());
        assert_eq!(pose.world[eye.index()].w_axis.truncate().to_array(), [1.0, 2.0, 3.0]);
        files.push(folder.path().join(format!("{k}.gltf")));
        std::fs::write(&files[k], bytes).unwrap();
    }
    if let Some(said) = judges::validate(&files) {
        for ((errors, line), (znear, _, count)) in said.iter().zip(cases) {
            assert_eq!(*errors, count, "{znear}: {line}");
        }
    }
}

/// Every node of the chain `B/B/B/B/B` must get its own keys back.
#[test]
fn keys_are_pasted_to_their_own_nodes_in_a_chain_of_equal_names() {
    let Some(shared) = shared() else { return };
    let path = shared.join("corpus/synthetic/interleaved-all-modes.glb");
    let mut session = Session::open(&path, &Progress::default()).unwrap();
    let clips: Vec<(ClipId, String)> =
        session.document().clips.ids().map(|id| (id, session.document().clip_label(id))).collect();
    let mut compared = 0;
    for (id, _) in clips {
        let before = session.document().clips[id].clone();
        let (of, length) = (format!("#{}", id.0), f64::from(before.length()));
        does(&mut session, json!({"do": "key.copy", "clip": of, "from": 0, "to": length}));
        does(&mut session, json!({"do": "key.paste", "clip": of, "time": length + 1.0}));
        let now = session.document().clips[id].clone();
        let first = before.tracks.values().map(|t| t.times[0]).fold(f32::INFINITY, f32::min);
        let by = (length + 1.0) as f32 - first;
        for (track, old) in &before.tracks {
            let new = &now.tracks[track];
            assert_eq!(new.times.len(), 2 * old.times.len(), "{of} {track:?}");
            for k in 0..old.times.len() {
                let there = old.times.len() + k;
                assert!(
                    (new.times[there] - old.times[k] - by).abs() < 1e-4,
                    "{of} {track:?}: {}",
                    new.times[there]
                );
                assert_eq!(new.value(there), old.value(k), "{of} {track:?}");
                compared += 1;
            }
        }
        session.undo();
    }
    let chain = session
        .document()
        .node_ids()
        .filter(|n| session.document().path(*n).contains("B/B/B"))
        .count();
    assert!(compared > 20 && chain >= 3, "{compared} {chain}");
}
