//! Adding, removing, copying and reparenting nodes, meshes, skins and materials. Everything else
//! moves as before, files stay valid, and undo restores the opened bytes.
#![allow(clippy::unwrap_used, reason = "a test ends where something is not as it must be")]

use std::{collections::BTreeMap, fs, path::Path};

use glam::Mat4;
use serde_json::{Value, json};
use ulna_edit::CommandLine;
use ulna_formats::gltf::{self, Progress, Saved, rules};
use ulna_model::{Document, IdKind, NodeId, References as _};
use ulna_motion::{Pose, Stack};
use ulna_session::Session;

use super::edits::Draw;
use crate::common::{glb, named, run, sample, shared, split};

fn line(name: &str) -> CommandLine {
    CommandLine::new(name)
}

fn opened(json: Value, bin: &[u8]) -> Session {
    Session::open_bytes(&glb(json, bin)).unwrap()
}

/// Saves the document and opens it again. Returns the new session, and the JSON of the file. Saving
/// also checks the written data.
fn again(session: &Session) -> (Session, Value) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("saved.glb");
    session.write_to(&path).unwrap_or_else(|e| panic!("{e}"));
    let bytes = fs::read(&path).unwrap();
    (Session::open(&path, &Progress::default()).unwrap(), split(&bytes).0)
}

/// Returns the world matrix of each named node, in the pose of the document and at three times of
/// each clip.
fn motion(document: &Document) -> BTreeMap<String, Vec<Mat4>> {
    let mut stacks = vec![Stack::default()];
    for clip in document.clips.values() {
        let length = clip.length();
        stacks
            .extend([0.0, 0.37, 0.81].map(|part| Stack::of(Some(clip), f64::from(length * part))));
    }
    let mut found: BTreeMap<String, Vec<Mat4>> = BTreeMap::new();
    for stack in &stacks {
        let pose = Pose::evaluate(document, stack);
        for id in document.node_ids() {
            if let Some(name) = &document.node(id).name {
                found.entry(name.to_string()).or_default().push(pose.world[id.index()]);
            }
        }
    }
    found
}

fn refused(session: &mut Session, line: &CommandLine) -> String {
    let before = session.document().clone();
    let error = session.run_line(line).expect_err(&line.to_string());
    assert!(*session.document() == before, "{line}: refused, and done in part");
    format!("{}: {error}", error.code())
}

/// Builds a scene with a sword in a hand, a hat above an unnamed node, and a mesh that two nodes
/// use.
fn props() -> Value {
    json!({
        "scene": 0, "scenes": [{"nodes": [0, 5]}],
        "nodes": [
            {"name": "Root", "children": [1, 4]},
            {"name": "Arm", "translation": [0.0, 1.0, 0.0], "children": [2]},
            {"name": "Hand", "rotation": [0.0, 0.0, 0.6, 0.8], "children": [3]},
            {"name": "Sword", "translation": [0.1, 0.0, 0.0], "scale": [2.0, 2.0, 2.0]},
            {"name": "Box"},
            {"name": "Other"}
        ]
    })
}

#[test]
fn removing_a_node_leaves_no_gap_and_references_stay_correct() {
    let mut session = opened(props(), &[]);
    let before = motion(session.document());
    let said = run(&mut session, line("node.remove").with("node", "Arm"));
    assert!(said[0].starts_with("removed 3 nodes"), "{said:?}");
    session.document().check().unwrap();
    let (saved, text) = again(&session);
    let names = |v: &Value| -> Vec<String> {
        v.as_array().unwrap().iter().map(|n| n["name"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(names(&text["nodes"]), ["Root", "Box", "Other"]);
    assert_eq!(text["nodes"][0]["children"], json!([1]));
    assert_eq!(text["scenes"][0]["nodes"], json!([0, 2]));
    let after = motion(saved.document());
    assert_eq!(after.len(), 3);
    assert!(after.iter().all(|(name, at)| before[name] == *at));
    // After undo, the saved file equals the opened one byte for byte.
    session.undo();
    assert!(session.pack("x").unwrap().bytes == session.source().bytes);
}

#[test]
fn children_of_a_removed_node_keep_their_world_or_local_transform() {
    for (way, stays) in [("keep-world", true), ("keep-local", false)] {
        let mut session = opened(props(), &[]);
        let before = motion(session.document());
        run(&mut session, line("node.remove").with("node", "Hand").with("below", way));
        let document = session.document();
        let sword = named(document, "Sword");
        assert_eq!(document.node(sword).parent, Some(named(document, "Arm")));
        let near = motion(document)["Sword"][0].abs_diff_eq(before["Sword"][0], 1e-6);
        assert_eq!(near, stays, "{way}");
        if !stays {
            assert_eq!(document.node(sword).local().transform().translation.x, 0.1);
        }
        let (saved, _) = again(&session);
        assert_eq!(motion(saved.document()), motion(session.document()));
    }
    // Children of a removed root become roots in its place.
    let mut session = opened(props(), &[]);
    run(&mut session, line("node.remove").with("node", "Root").with("below", "keep-world"));
    let document = session.document();
    let names: Vec<String> =
        document.scenes[0.into()].roots.iter().map(|n| document.node(*n).label(*n)).collect();
    assert_eq!(names, ["Arm", "Box", "Other"]);
}

#[test]
fn reparenting_a_node_keeps_its_world_transform_and_is_reversible() {
    let mut session = opened(props(), &[]);
    let before = motion(session.document());
    run(&mut session, line("node.reparent").with("node", "Sword").with("parent", "Other"));
    let near = |session: &Session| {
        motion(session.document()).iter().all(|(name, at)| at[0].abs_diff_eq(before[name][0], 1e-5))
    };
    assert!(near(&session));
    let (saved, text) = again(&session);
    assert_eq!(text["nodes"][5]["children"], json!([3]));
    assert!(near(&saved));
    run(&mut session, line("node.reparent").with("node", "Sword").with("parent", "Hand"));
    assert!(near(&session));
    // Reparents to the top level of the scene, and to a position among siblings.
    run(&mut session, line("node.reparent").with("node", "Hand").with("keep", "local"));
    let document = session.document();
    assert_eq!(document.node(named(document, "Hand")).parent, None);
    assert_eq!(document.scenes[0.into()].roots.last(), Some(&named(document, "Hand")));
    run(
        &mut session,
        line("node.reparent").with("node", "Hand").with("parent", "Root").with("before", "Box"),
    );
    let document = session.document();
    let order: Vec<String> = document
        .children(named(document, "Root"))
        .iter()
        .map(|n| document.node(*n).label(*n))
        .collect();
    assert_eq!(order, ["Arm", "Hand", "Box"]);
    assert!(!document.scenes[0.into()].roots.contains(&named(document, "Hand")));
    let (saved, _) = again(&session);
    assert_eq!(motion(saved.document()), motion(session.document()));
    // A node cannot become its own descendant, or be placed before a node with another parent.
    let said =
        refused(&mut session, &line("node.reparent").with("node", "Root").with("parent", "Arm"));
    assert!(said.starts_with("node_cycle: “Root” cannot be attached below itself"), "{said}");
    let said = refused(
        &mut session,
        &line("node.reparent").with("node", "Box").with("parent", "Other").with("before", "Arm"),
    );
    assert!(said.starts_with("wrong_sibling"), "{said}");
}

#[test]
fn a_joint_or_animated_node_is_removed_only_if_forced() {
    let mut session = sample();
    for (node, part) in [("LeftHand", "have keys in"), ("Hips", "more are joints of")] {
        let elsewhere = line("node.reparent").with("node", node).with("keep", "local");
        let removed = line("node.remove").with("node", node).with("below", "keep-local");
        for act in [removed, elsewhere] {
            let said = refused(&mut session, &act);
            assert!(said.starts_with("would_change_motion") && said.contains(part), "{said}");
        }
    }
    let before = motion(session.document());
    // If the world position is kept, all clips are converted.
    run(&mut session, line("node.reparent").with("node", "LeftHand").with("parent", "Hips"));
    let after = motion(session.document());
    assert!(
        after.iter().all(|(name, at)| {
            at.iter().zip(&before[name]).all(|(a, b)| a.abs_diff_eq(*b, 2e-3))
        })
    );
    session.undo();
    let document = session.document();
    let hand = named(document, "LeftHand");
    let mut subtree = vec![hand];
    subtree.extend(document.node_ids().filter(|n| document.is_above(hand, *n)));
    let joints: Vec<usize> = document.skins.values().map(|s| s.joints.len()).collect();
    let said = run(&mut session, line("node.remove").with("node", "LeftHand").with("force", true));
    assert!(said.concat().contains("were given to the joints above"), "{said:?}");
    session.document().check().unwrap();
    for (before, skin) in joints.iter().zip(session.document().skins.values()) {
        assert_eq!(skin.joints.len(), before - subtree.len());
    }
    // The weights still sum to 1, and their joints exist.
    for mesh in session.document().meshes.values() {
        for map in mesh.primitives.iter().filter_map(|p| p.weights.as_deref()) {
            for vertex in 0..map.vertex_count() {
                let sum: f32 = map.vertex(vertex).map(|(_, w)| w).sum();
                assert!((sum - 1.0).abs() < 1e-3, "{sum}");
                let most = session.document().skins.values().map(|s| s.joints.len()).max().unwrap();
                assert!(map.vertex(vertex).all(|(j, _)| usize::from(j) < most));
            }
        }
    }
    let (saved, _) = again(&session);
    let after = motion(saved.document());
    assert!(after.iter().all(|(name, at)| at.iter().zip(&before[name]).all(|(a, b)| a == b)));
    session.undo();
    assert!(session.pack("x").unwrap().bytes == session.source().bytes);
}

#[test]
fn a_skin_keeps_its_last_joint_and_weights_move_only_to_ancestors() {
    let session = sample();
    let document = session.document();
    let skin = document.skins.values().next().unwrap();
    let all: Vec<String> = skin.joints.iter().map(|j| document.path(*j)).collect();
    let mut session = sample();
    let said = refused(
        &mut session,
        &line("node.remove").with("node", all).with("below", "keep-world").with("force", true),
    );
    assert!(said.starts_with("last_joint"), "{said}");
    let said = refused(
        &mut session,
        &line("node.remove").with("node", "Hips").with("below", "keep-world").with("force", true),
    );
    assert!(said.starts_with("no_joint_above"), "{said}");
}

#[test]
fn removing_a_character_removes_its_skin_mesh_and_keys() {
    let mut session = sample();
    let document = session.document();
    let roots: Vec<String> =
        document.scenes[0.into()].roots.iter().map(|n| document.path(*n)).collect();
    let said = run(&mut session, line("node.remove").with("node", roots).with("force", true));
    let document = session.document();
    document.check().unwrap();
    assert_eq!(
        (document.nodes.count(), document.skins.count(), document.meshes.count()),
        (0, 0, 0),
        "{said:?}"
    );
    assert!(document.clips.values().all(|c| c.tracks.is_empty()));
    let (saved, text) = again(&session);
    assert!(saved.document().nodes.is_empty());
    assert!(["nodes", "skins", "meshes", "animations"].iter().all(|k| text.get(*k).is_none()));
    session.undo();
    assert!(session.pack("x").unwrap().bytes == session.source().bytes);
}

#[test]
fn an_element_that_an_extension_may_refer_to_keeps_its_index() {
    // An unknown extension may contain any index.
    let mut file = props();
    file["extensionsUsed"] = json!(["ACME_rig"]);
    file["nodes"][5]["extensions"] = json!({"ACME_rig": {"target": 4}});
    let mut session = opened(file, &[]);
    run(&mut session, line("node.remove").with("node", "Sword"));
    let saved = session.pack("x").unwrap();
    let [stays] = &saved.stays[..] else { panic!("{:?}", saved.stays) };
    assert!(stays.message.contains("“ACME_rig” may refer to it"), "{stays:?}");
    let told = session.will_change().unwrap();
    assert!(told.contains(&stays.message), "{told:?}");
    let (_, text) = again(&session);
    assert_eq!(text["nodes"][3], json!({}));
    assert_eq!(text["nodes"][4]["name"], "Box");
    assert!(text["nodes"][2].get("children").is_none());
    // A known extension refers to the removed node, so the node stays. All other references are
    // updated.
    let mut file = props();
    file["extensionsUsed"] = json!(["MSFT_lod"]);
    file["nodes"][5]["extensions"] = json!({"MSFT_lod": {"ids": [4, 3]}});
    let mut session = opened(file, &[]);
    run(&mut session, line("node.remove").with("node", "Hand"));
    let (_, text) = again(&session);
    let names: Vec<&str> = text["nodes"]
        .as_array()
        .unwrap()
        .iter()
        .map(|n| n["name"].as_str().unwrap_or("-"))
        .collect();
    assert_eq!(names, ["Root", "Arm", "-", "Box", "Other"]);
    assert_eq!(text["nodes"][4]["extensions"]["MSFT_lod"]["ids"], json!([3, 2]));
    // Animation pointers to other nodes are updated, too.
    let mut session = Session::open_bytes(&glb(
        json!({
            "extensionsUsed": ["KHR_animation_pointer", "KHR_node_visibility"],
            "scene": 0, "scenes": [{"nodes": [0, 1]}],
            "nodes": [{"name": "gone"}, {"name": "lamp",
                "extensions": {"KHR_node_visibility": {"visible": true}}}],
            "animations": [{"channels": [{"sampler": 0, "target": {"path": "pointer",
                "extensions": {"KHR_animation_pointer": {
                    "pointer": "/nodes/1/extensions/KHR_node_visibility/visible"}}}}],
                "samplers": [{"input": 0, "output": 1, "interpolation": "STEP"}]}],
            "accessors": [
                {"bufferView": 0, "componentType": 5126, "type": "SCALAR", "count": 1,
                    "min": [0.0], "max": [0.0]},
                {"bufferView": 1, "componentType": 5121, "type": "SCALAR", "count": 1}],
            "bufferViews": [{"buffer": 0, "byteLength": 4},
                {"buffer": 0, "byteOffset": 4, "byteLength": 1}]
        }),
        &[0, 0, 0, 0, 1, 0, 0, 0],
    ))
    .unwrap();
    run(&mut session, line("node.remove").with("node", "gone"));
    let (_, text) = again(&session);
    let target = &text["animations"][0]["channels"][0]["target"]["extensions"];
    assert_eq!(
        target["KHR_animation_pointer"]["pointer"],
        "/nodes/0/extensions/KHR_node_visibility/visible"
    );
    let said = refused(&mut session, &line("node.remove").with("node", "lamp"));
    assert!(said.starts_with("keys_not_editable"), "{said}");
}

#[test]
fn a_mesh_that_is_used_twice_is_removed_from_both_nodes() {
    let mut data = Vec::new();
    for value in [0.0f32, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0] {
        data.extend_from_slice(&value.to_le_bytes());
    }
    let mesh = |material: usize| {
        json!({"name": format!("M{material}"),
            "primitives": [{"attributes": {"POSITION": 0}, "material": material}]})
    };
    let mut session = opened(
        json!({
            "scene": 0, "scenes": [{"nodes": [0, 1, 2]}],
            "nodes": [{"name": "a", "mesh": 0}, {"name": "b", "mesh": 0}, {"name": "c", "mesh": 1}],
            "meshes": [mesh(0), mesh(1), mesh(1)],
            "materials": [{"name": "red"}, {"name": "blue"}, {"name": "unused"}],
            "accessors": [{"bufferView": 0, "componentType": 5126, "type": "VEC3", "count": 3,
                "min": [0.0, 0.0, 0.0], "max": [1.0, 1.0, 0.0]}],
            "bufferViews": [{"buffer": 0, "byteLength": 36}]
        }),
        &data,
    );
    let said = refused(&mut session, &line("material.remove").with("material", "red"));
    assert!(said.starts_with("still_needed"), "{said}");
    let said = run(&mut session, line("mesh.remove").with("mesh", "M0"));
    assert!(said[0].contains("2 nodes stay without a mesh"), "{said:?}");
    let (_, text) = again(&session);
    assert_eq!(text["nodes"], json!([{"name": "a"}, {"name": "b"}, {"name": "c", "mesh": 0}]));
    assert_eq!(text["meshes"].as_array().unwrap().len(), 2);
    // Compacting removes a mesh that no node uses, and materials that no mesh uses.
    let said = run(&mut session, line("file.compact"));
    assert!(said[0].contains("meshes: 1") && said[0].contains("materials: 2"), "{said:?}");
    let (saved, text) = again(&session);
    assert_eq!(text["materials"], json!([{"name": "blue"}]));
    assert_eq!(text["meshes"][0]["primitives"][0]["material"], json!(0));
    assert_eq!(saved.document().meshes.count(), 1);
    // A mesh is removed together with the last node that uses it.
    run(&mut session, line("node.remove").with("node", "c"));
    assert_eq!(session.document().meshes.count(), 0);
    for _ in 0..3 {
        session.undo();
    }
    assert!(session.pack("x").unwrap().bytes == session.source().bytes);
}

#[test]
fn copies_have_their_own_joints_and_new_nodes_have_the_given_parent() {
    let mut session = sample();
    let document = session.document();
    let count = document.nodes.count();
    let roots: Vec<String> =
        document.scenes[0.into()].roots.iter().map(|n| document.path(*n)).collect();
    run(&mut session, line("node.duplicate").with("node", roots));
    let document = session.document();
    document.check().unwrap();
    assert_eq!(document.nodes.count(), 2 * count);
    let skins: Vec<_> = document.skins.values().collect();
    assert_eq!(skins.len() % 2, 0);
    let (old, new) = skins.split_at(skins.len() / 2);
    for (old, new) in old.iter().zip(new) {
        assert_eq!(old.joints.len(), new.joints.len());
        assert!(new.joints.iter().all(|j| j.index() >= count));
    }
    run(&mut session, line("node.add").with("parent", "Head"));
    run(&mut session, line("node.add").with("name", "Top"));
    let document = session.document();
    assert_eq!(document.node(named(document, "Node")).parent, Some(named(document, "Head")));
    assert!(document.scenes[0.into()].roots.contains(&named(document, "Top")));
    // Adding a node and removing it again leaves no trace.
    run(&mut session, line("node.remove").with("node", "Node"));
    let (saved, _) = again(&session);
    assert_eq!(saved.document().nodes.count(), 2 * count + 1);
    assert_eq!(motion(saved.document()), motion(session.document()));
}

/// Removes a random leaf, inner node, joint, mesh or skin, in every file with nodes.
#[test]
fn random_removals_keep_all_files_valid() {
    let Some(shared) = shared() else { return };
    let small = |p: &std::path::PathBuf| fs::metadata(p).is_ok_and(|m| m.len() < 1_500_000);
    let (mut files, mut done, mut left) = (0, [0usize; 4], 0);
    for path in crate::common::models(&shared.join("corpus")).into_iter().filter(small) {
        let Ok(mut session) = Session::open(&path, &Progress::default()) else { continue };
        if session.document().nodes.is_empty() {
            continue;
        }
        files += 1;
        let draw = &mut Draw(0x9e37_79b9_7f4a_7c15 ^ path.to_string_lossy().len() as u64);
        let errors = errors_of(&session.pack("x").unwrap(), &path);
        for _ in 0..5 {
            let document = session.document();
            let before = motion(document);
            let nodes: Vec<NodeId> = document.node_ids().collect();
            let Some(node) = nodes.get(draw.below(nodes.len())).copied() else { break };
            let kind = draw.below(4);
            let said = match kind {
                0 | 1 => {
                    let below = ["remove", "keep-world", "keep-local"][draw.below(3)];
                    line("node.remove")
                        .with("node", format!("#{}", node.0))
                        .with("below", below)
                        .with("force", kind == 1)
                }
                2 => {
                    let meshes: Vec<_> = document.meshes.ids().collect();
                    let Some(mesh) = meshes.get(draw.below(meshes.len())) else { continue };
                    line("mesh.remove").with("mesh", format!("#{}", mesh.0))
                }
                _ => {
                    let skins: Vec<_> = document.skins.ids().collect();
                    let Some(skin) = skins.get(draw.below(skins.len())) else { continue };
                    line("skin.remove").with("skin", format!("#{}", skin.0))
                }
            };
            let keeps_world = !said.to_string().contains("keep-local");
            if session.run_line(&said).is_err() {
                continue;
            }
            done[kind] += 1;
            session
                .document()
                .check()
                .unwrap_or_else(|e| panic!("{}: {said}: {e}", path.display()));
            if keeps_world && kind == 0 {
                // Everything moves as before, unless its removal was forced.
                let after = motion(session.document());
                for (name, at) in &after {
                    let size = before[name].iter().map(|m| m.w_axis.length()).fold(1.0, f32::max);
                    let same = at.len() != before[name].len()
                        || at
                            .iter()
                            .zip(&before[name])
                            .all(|(a, b)| a.abs_diff_eq(*b, 1e-4 * size));
                    assert!(same, "{}: {said}: {name} moved", path.display());
                }
            }
        }
        let saved = session.pack("x").unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        left += usize::from(!saved.stays.is_empty());
        let now = errors_of(&saved, &path);
        let new: Vec<&String> = now.keys().filter(|code| !errors.contains_key(*code)).collect();
        assert!(new.is_empty(), "{}: {new:?}, {now:?}", path.display());
        // Saving also checks the written data.
        let folder = tempfile::tempdir().unwrap();
        session
            .write_to(&folder.path().join("saved.glb"))
            .unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        while session.undo().is_some() {}
        assert!(
            session.pack("x").unwrap().bytes == session.source().bytes,
            "{}: undone, it is the file it was",
            path.display()
        );
    }
    println!("{files} files, {done:?} removals, {left} files with something left in place");
    assert!(files >= 100 && done.iter().all(|n| *n >= 20), "{files} files, {done:?}");
}

/// Returns the errors of the glTF rules in a file, by code.
fn errors_of(saved: &Saved, path: &Path) -> BTreeMap<String, String> {
    let (bytes, beside) = (saved.bytes.clone(), saved.companions.clone().into());
    let opened = gltf::open_beside(bytes, Some(path), beside, &Progress::default()).unwrap();
    rules::check(&opened.source)
        .iter()
        .filter(|d| d.severity == ulna_model::Severity::Error)
        .map(|d| (d.code.to_string(), format!("{}: {}", d.place, d.message)))
        .collect()
}

#[test]
fn removing_and_restoring_a_hundred_thousand_nodes_is_fast() {
    let count = 100_000usize;
    let nodes: Vec<Value> = (0..count)
        .map(|k| match k {
            0 => json!({"children": (1..count / 2).collect::<Vec<_>>()}),
            k => json!({"name": format!("n{k}")}),
        })
        .collect();
    let roots: Vec<usize> = [0].into_iter().chain(count / 2..count).collect();
    let mut session =
        opened(json!({"scene": 0, "scenes": [{"nodes": roots}], "nodes": nodes}), &[]);
    run(&mut session, line("node.remove").with("node", "#0"));
    let document = session.document();
    assert_eq!(document.nodes.count(), count - count / 2);
    let mut named = 0;
    document.for_each_id(&mut |id| named += usize::from(id.kind == IdKind::Node));
    assert_eq!(named, count - count / 2, "only the roots of the scene are named");
    let (saved, _) = again(&session);
    assert_eq!(saved.document().nodes.len(), count - count / 2);
    session.undo();
    session.document().check().unwrap();
    assert_eq!(session.document().nodes.count(), count);
}

#[test]
fn skins_meshes_and_materials_are_renamed_and_nothing_else_is_written() {
    let mut session = sample();
    let (_, mut before) = again(&session);
    run(&mut session, line("mesh.rename").with("mesh", "#0").with("name", " Figure "));
    run(&mut session, line("material.rename").with("material", "#0").with("name", "Cloth"));
    run(&mut session, line("skin.rename").with("skin", "#0").with("name", "Bones"));
    let said = refused(&mut session, &line("mesh.rename").with("mesh", "#0").with("name", "  "));
    assert!(said.starts_with("name_missing"), "{said}");
    let (_, mut after) = again(&session);
    for (list, name) in [("meshes", "Figure"), ("materials", "Cloth"), ("skins", "Bones")] {
        assert_eq!(after[list][0]["name"], name, "{list}");
    }
    for _ in 0..3 {
        session.undo();
    }
    assert_eq!(again(&session).1, before);
    for text in [&mut after, &mut before] {
        for list in ["meshes", "materials", "skins"] {
            text[list][0].as_object_mut().unwrap().remove("name");
        }
    }
    assert_eq!(after, before, "only the names differ");
}
