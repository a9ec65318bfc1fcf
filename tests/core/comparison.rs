//! Comparisons: every visible difference is reported, and equal content stored in another form
//! counts as equal.
#![allow(clippy::unwrap_used, reason = "a test ends where something is not as it must be")]

use std::{
    fs,
    path::Path,
    process::{Command, Output},
};

use glam::{Mat4, Quat, Vec2, Vec3, Vec4};
use serde_json::{Value, json};
use ulna_edit::CommandLine;
use ulna_formats::gltf::Progress;
use ulna_model::{
    AlphaMode, FileContent, Interpolation, Local, MaterialId, Shared, Slice, TextureRef, Track,
    Transform, WeightMap,
};
use ulna_session::{Comparison, Session, Side, compare, compare_states, differences};

const ULNA: &str = env!("CARGO_BIN_EXE_ulna");
const SAMPLE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/assets/mannequin.glb");

fn ulna(arguments: &[&str]) -> Output {
    Command::new(ULNA).args(arguments).output().expect("the program")
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn open(path: &Path) -> Session {
    Session::open(path, &Progress::default()).unwrap()
}

/// Runs command lines on a file, and writes the result to a second file.
fn run(folder: &Path, from: &Path, to: &str, lines: &[Value]) -> std::path::PathBuf {
    let (script, out) = (folder.join("script.jsonl"), folder.join(to));
    fs::write(&script, lines.iter().map(|l| format!("{l}\n")).collect::<String>()).unwrap();
    let done = ulna(&[
        "run",
        script.to_str().unwrap(),
        from.to_str().unwrap(),
        "-o",
        out.to_str().unwrap(),
    ]);
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    out
}

fn diff(a: &Path, b: &Path) -> (Option<i32>, String) {
    let done = ulna(&["diff", a.to_str().unwrap(), b.to_str().unwrap()]);
    (done.status.code(), said(&done))
}

#[test]
fn a_comparison_reports_a_stored_layer_and_the_motion_it_changes() {
    let folder = tempfile::tempdir().unwrap();
    let sample = Path::new(SAMPLE);
    for clip in [Some("Walk"), None] {
        let mut lines = vec![
            json!({"do": "layer.new", "name": "Turned"}),
            json!({"do": "layer.set", "layer": "Turned", "node": "Head", "degrees": [0, 0, 10]}),
            json!({"do": "layer.keep", "on": true}),
        ];
        if let Some(clip) = clip {
            lines[..2].iter_mut().for_each(|l| l["clip"] = clip.into());
        }
        let out = run(folder.path(), sample, "layered.glb", &lines);
        let (status, text) = diff(sample, &out);
        assert_eq!(status, Some(1), "{text}");
        let moved = if clip.is_some() { "Head rotation: " } else { "rotated by 10.0000°" };
        assert!(text.contains(moved) && text.contains("layer “Turned”"), "{text}");
        // The same layer, but muted. It makes no visible difference, and is still reported as a
        // layer.
        lines.insert(2, json!({"do": "layer.mute", "layer": "Turned", "muted": true}));
        if let Some(clip) = clip {
            lines[2]["clip"] = clip.into();
        }
        let out = run(folder.path(), sample, "muted.glb", &lines);
        let (status, text) = diff(sample, &out);
        assert_eq!(status, Some(1), "{text}");
        assert!(text.contains("none of them visible") && text.contains("(off, 1 joint)"), "{text}");
        // *What will change* reports the layer, too.
        let mut session = open(sample);
        for line in lines.iter().filter(|l| l["do"] != "layer.mute") {
            session.run_line(&CommandLine::parse(&line.to_string()).unwrap()).unwrap();
        }
        let told = session.will_change().unwrap().join("\n");
        assert!(told.contains("Head") && told.contains("layer “Turned”"), "{told}");
    }
}

/// Builds a file with two joints under an armature with scale 0.01.
fn scaled() -> Vec<u8> {
    let nodes = json!([
        {"name": "Armature", "scale": [0.01, 0.01, 0.01], "children": [1]},
        {"name": "Hips", "children": [2]},
            {"name": "Spine", "translation": [0, 20, 0], "children": [3]},
        {"name": "Head", "translation": [0, 30, 0]},
    ]);
    crate::common::glb(json!({"nodes": nodes, "scenes": [{"nodes": [0]}], "scene": 0}), &[])
}

#[test]
fn lengths_are_meters_of_the_scene_and_renames_are_one_line_each() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("scaled.glb");
    fs::write(&path, scaled()).unwrap();
    let set = json!({"do": "pose.set", "node": "Hips", "translation": [10, 0, 0]});
    let (_, text) = diff(&path, &run(folder.path(), &path, "moved.glb", &[set]));
    assert!(text.contains("moved by 100.00 mm"), "{text}");
    let names = ["Armature", "Hips", "Spine", "Head"];
    let lines: Vec<Value> = names
        .iter()
        .map(|n| json!({"do": "node.rename", "node": n, "name": format!("{n} new")}))
        .collect();
    let (status, text) = diff(&path, &run(folder.path(), &path, "renamed.glb", &lines));
    assert_eq!((status, text.matches("renamed to").count()), (Some(1), 4), "{text}");
    assert_eq!(text.lines().count(), 5, "{text}");
    // Renames all joints of a whole character with skin, weights and clips.
    let sample = Path::new(SAMPLE);
    let count = open(sample).document().nodes.count();
    let lines: Vec<Value> = (0..count)
        .map(|k| json!({"do": "node.rename", "node": format!("#{k}"), "name": format!("n{k}")}))
        .collect();
    let (_, text) = diff(sample, &run(folder.path(), sample, "all.glb", &lines));
    assert_eq!(text.matches("renamed to").count(), count, "{text}");
    assert_eq!(text.lines().count(), count + 1, "{text}");
}

/// A change of a file, and its name.
type Mutation = (&'static str, fn(&mut FileContent));

fn first_primitive(d: &mut FileContent, change: impl FnOnce(&mut ulna_model::Primitive)) {
    let id = d.meshes.ids().next().unwrap();
    change(&mut Shared::make_mut(d.meshes.get_mut(id).unwrap()).primitives[0]);
}

fn first_track(d: &mut FileContent, change: impl FnOnce(&mut Track)) {
    let id = d.clips.ids().next().unwrap();
    let clip = Shared::make_mut(d.clips.get_mut(id).unwrap());
    let track = clip.tracks.values_mut().find(|t| t.times.len() > 2).unwrap();
    change(Shared::make_mut(track));
}

fn first_material(d: &mut FileContent, change: impl FnOnce(&mut ulna_model::Material)) {
    change(d.materials.get_mut(MaterialId(0)).expect("a material"));
}

/// Lists one small change per visible property of a model.
fn mutations() -> Vec<Mutation> {
    [node_and_skin_mutations(), mesh_mutations(), clip_mutations(), material_mutations()].concat()
}

fn node_and_skin_mutations() -> Vec<Mutation> {
    vec![
        ("a node is turned", |d| {
            let id = d.nodes.order()[3];
            let local = d.node(id).local().transform();
            let turned =
                Transform { rotation: local.rotation * Quat::from_rotation_x(0.001), ..local };
            d.nodes.get_mut(id).unwrap().pose = None;
            d.nodes.get_mut(id).unwrap().rest = Local::Trs(turned);
        }),
        ("a node is scaled", |d| {
            let id = d.nodes.order()[3];
            let local = d.node(id).local().transform();
            d.nodes.get_mut(id).unwrap().pose = None;
            d.nodes.get_mut(id).unwrap().rest =
                Local::Trs(Transform { scale: local.scale * 1.0001, ..local });
        }),
        ("a mesh is gone from its node", |d| d.nodes.values_mut().for_each(|n| n.mesh = None)),
        ("a skin is gone from its node", |d| d.nodes.values_mut().for_each(|n| n.skin = None)),
        ("an inverse bind matrix", |d| {
            let id = d.skins.ids().next().unwrap();
            let skin = Shared::make_mut(d.skins.get_mut(id).unwrap());
            let mut list = skin.inverse_bind.to_vec();
            list[2] *= Mat4::from_translation(Vec3::X * 0.001);
            skin.inverse_bind = list.into();
        }),
        ("a joint of a skin is another", |d| {
            let id = d.skins.ids().next().unwrap();
            let skin = Shared::make_mut(d.skins.get_mut(id).unwrap());
            let mut list = skin.joints.to_vec();
            list.swap(1, 2);
            skin.joints = list.into();
        }),
        ("the roots of a scene", |d| {
            let id = d.scenes.ids().next().unwrap();
            d.scenes.get_mut(id).unwrap().roots.clear();
        }),
    ]
}

fn mesh_mutations() -> Vec<Mutation> {
    vec![
        ("a position", |d| first_primitive(d, |p| p.positions.make_mut()[5].x += 0.001)),
        ("a normal", |d| first_primitive(d, |p| p.normals.make_mut()[5] = Vec3::Y)),
        ("tangents", |d| {
            first_primitive(d, |p| p.tangents = vec![Vec4::ONE; p.positions.len()].into())
        }),
        ("a texture coordinate", |d| {
            first_primitive(d, |p| p.uv0 = vec![Vec2::ONE; p.positions.len()].into())
        }),
        ("second texture coordinates", |d| {
            first_primitive(d, |p| p.uv1 = vec![Vec2::ONE; p.positions.len()].into())
        }),
        ("vertex colors", |d| {
            first_primitive(d, |p| p.colors = vec![Vec4::ONE; p.positions.len()].into())
        }),
        ("a triangle", |d| first_primitive(d, |p| p.indices.make_mut().swap(0, 1))),
        ("no material", |d| first_primitive(d, |p| p.material = None)),
        ("a material that is not the same", |d| {
            let last = d.materials.next_id();
            d.materials.put(last, Some(ulna_model::Material::default()));
            first_primitive(d, |p| p.material = Some(last));
        }),
        ("a weight", |d| {
            first_primitive(d, |p| {
                let map: &mut WeightMap = Shared::make_mut(p.weights.as_mut().unwrap());
                let weights = map.weights.make_mut();
                weights[0] -= 0.01;
            });
        }),
        ("no weights", |d| first_primitive(d, |p| p.weights = None)),
    ]
}

fn clip_mutations() -> Vec<Mutation> {
    vec![
        ("a key's value", |d| first_track(d, |t| t.values.make_mut()[5] += 0.001)),
        ("a key's time", |d| first_track(d, |t| t.times.make_mut()[1] += 0.0001)),
        ("how keys are joined", |d| first_track(d, |t| t.interpolation = Interpolation::Step)),
        ("a track is gone", |d| {
            let id = d.clips.ids().next().unwrap();
            let tracks = &mut Shared::make_mut(d.clips.get_mut(id).unwrap()).tracks;
            let first = *tracks.keys().next().unwrap();
            tracks.remove(&first);
        }),
        ("a clip is gone", |d| {
            let id = d.clips.ids().next().unwrap();
            d.clips.put(id, None);
        }),
    ]
}

fn material_mutations() -> Vec<Mutation> {
    vec![
        ("a base color", |d| first_material(d, |m| m.base_color.x += 0.01)),
        ("metal", |d| first_material(d, |m| m.metallic += 0.01)),
        ("roughness", |d| first_material(d, |m| m.roughness -= 0.01)),
        ("emission", |d| first_material(d, |m| m.emissive.y += 0.01)),
        ("alpha", |d| first_material(d, |m| m.alpha = AlphaMode::Mask(0.25))),
        ("sides", |d| first_material(d, |m| m.double_sided ^= true)),
        ("unlit", |d| first_material(d, |m| m.unlit ^= true)),
        ("transmission", |d| first_material(d, |m| m.transmission += 0.5)),
        ("strength of normals", |d| first_material(d, |m| m.normal_scale += 0.5)),
        ("strength of occlusion", |d| first_material(d, |m| m.occlusion_strength -= 0.5)),
        ("a texture is gone", |d| {
            first_material(d, |m| {
                let all = [
                    &mut m.base_color_texture,
                    &mut m.normal_texture,
                    &mut m.metallic_roughness_texture,
                ];
                *all.into_iter().find(|t| t.is_some()).unwrap() = None;
            });
        }),
        ("a texture is repeated otherwise", |d| {
            first_material(d, |m| {
                let all = [
                    &mut m.base_color_texture,
                    &mut m.normal_texture,
                    &mut m.metallic_roughness_texture,
                ];
                let texture: &mut TextureRef = all.into_iter().find_map(Option::as_mut).unwrap();
                texture.scale *= 2.0;
            });
        }),
        ("a picture", |d| {
            let mut list = d.images.to_vec();
            let mut bytes = list[0].bytes.to_vec();
            *bytes.last_mut().unwrap() ^= 1;
            list[0].bytes = Slice::from(bytes);
            d.images = list.into();
        }),
    ]
}

#[test]
fn every_visible_change_is_reported() {
    let was: FileContent = open(Path::new(SAMPLE)).document().file.clone();
    let all = mutations();
    for (what, change) in &all {
        let mut now = was.clone();
        change(&mut now);
        assert!(now != was, "{what} changes something");
        let side = |asset| Side { asset, other: None };
        for (how, found) in [
            ("files", compare(side(&was), side(&now))),
            ("back", compare(side(&now), side(&was))),
            ("states", compare_states(&was, &now)),
        ] {
            assert!(found.is_seen(), "{what} ({how}): {found:?}");
            assert!(
                found.differences.len() <= 4,
                "{what} ({how}) is a few lines: {:#?}",
                found.differences
            );
        }
    }
    assert!(all.len() >= 36);
}

#[test]
fn equivalent_data_in_another_form_is_equal() {
    let was: FileContent = open(Path::new(SAMPLE)).document().file.clone();
    let mut now = was.clone();
    first_track(&mut now, |t| t.values.make_mut().iter_mut().for_each(|v| *v = -*v));
    let turned = now
        .clips
        .values()
        .next()
        .unwrap()
        .tracks
        .values()
        .find(|t| t.times.len() > 2)
        .unwrap()
        .width
        == 4;
    let found = compare_states(&was, &now);
    assert_eq!(found.differences.is_empty(), turned, "{found:?}");
    // Changes the order of joints, and the slots with it.
    let mut now = was.clone();
    let id = now.skins.ids().next().unwrap();
    let skin = Shared::make_mut(now.skins.get_mut(id).unwrap());
    let (mut joints, mut binds) = (skin.joints.to_vec(), skin.inverse_bind.to_vec());
    joints.swap(1, 2);
    binds.swap(1, 2);
    (skin.joints, skin.inverse_bind) = (joints.into(), binds.into());
    for mesh in now.meshes.ids().collect::<Vec<_>>() {
        for p in &mut Shared::make_mut(now.meshes.get_mut(mesh).unwrap()).primitives {
            let Some(map) = &mut p.weights else { continue };
            for joint in Shared::make_mut(map).joints.make_mut() {
                *joint = [0, 2, 1].get(usize::from(*joint)).copied().unwrap_or(*joint);
            }
        }
    }
    let found = compare_states(&was, &now);
    assert!(found.differences.is_empty() && !found.notes.is_empty(), "{:?}", found.differences);
    assert_eq!(compare_states(&was, &was), Comparison::default());
}

#[test]
fn files_in_another_container_are_equal() {
    let Some(shared) = crate::common::shared() else { return };
    let folder = tempfile::tempdir().unwrap();
    let small = |p: &std::path::PathBuf| fs::metadata(p).is_ok_and(|m| m.len() < 300_000);
    let mut tried = 0;
    for path in crate::common::models(&shared.join("corpus")).into_iter().filter(small).step_by(5) {
        let Ok(session) = Session::open(&path, &Progress::default()) else { continue };
        let ending = if session.source().container.is_glb() { "gltf" } else { "glb" };
        let out = folder.path().join(format!("{tried}.{ending}"));
        if session.write_to(&out).is_err() {
            continue;
        }
        let found = session.compare(&open(&out));
        assert!(found.differences.is_empty(), "{}: {:#?}", path.display(), found.differences);
        assert!(session.compare(&session).differences.is_empty(), "{}", path.display());
        tried += 1;
    }
    assert!(tried >= 20, "{tried} files");
}

#[test]
fn members_that_ulna_does_not_interpret_are_compared() {
    let file = |extension: Value, extra: Value| {
        let material = json!({"name": "m", "extensions": {"KHR_materials_clearcoat": extension},
                "extras": {"a": extra}});
        crate::common::glb(
            json!({"materials": [material], "nodes": [{}], "scenes": [{"nodes": [0]}]}),
            &[],
        )
    };
    let open = |bytes: Vec<u8>| Session::open_bytes(&bytes).unwrap();
    let base = || open(file(json!({"clearcoatFactor": 1}), json!(1)));
    let coat = base().compare(&open(file(json!({"clearcoatFactor": 0.5}), json!(1))));
    assert!(
        coat.is_seen() && coat.differences[0].message.contains("KHR_materials_clearcoat"),
        "{coat:?}"
    );
    let extra = base().compare(&open(file(json!({"clearcoatFactor": 1.0}), json!(2))));
    assert!(!extra.is_seen() && extra.differences.len() == 1, "{extra:?}");
    assert!(
        base()
            .compare(&open(file(json!({"clearcoatFactor": 1.0}), json!(1.0))))
            .differences
            .is_empty()
    );
    let _ = differences(&base().document().file, &base().document().file);
}

#[test]
fn an_output_file_with_several_hard_links_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    fs::copy(SAMPLE, at("a.glb")).unwrap();
    fs::hard_link(at("a.glb"), at("b.glb")).unwrap();
    fs::write(at("s.jsonl"), json!({"do": "node.rename", "node": "#0", "name": "q"}).to_string())
        .unwrap();
    let before = fs::read(at("a.glb")).unwrap();
    let tries = [
        vec!["run".to_owned(), at("s.jsonl"), SAMPLE.to_owned(), "-o".to_owned(), at("b.glb")],
        vec!["convert".to_owned(), SAMPLE.to_owned(), "-o".to_owned(), at("b.glb")],
        vec![
            "export".to_owned(),
            SAMPLE.to_owned(),
            "-o".to_owned(),
            at("b.glb"),
            "--skeleton-only".to_owned(),
        ],
    ];
    for arguments in tries {
        let done = ulna(&arguments.iter().map(String::as_str).collect::<Vec<_>>());
        let error = String::from_utf8_lossy(&done.stderr);
        assert!(
            done.status.code() == Some(1) && error.contains("hard links"),
            "{arguments:?}: {error}"
        );
        assert!(
            fs::read(at("a.glb")).unwrap() == before && fs::read(at("b.glb")).unwrap() == before
        );
    }
}

#[test]
fn a_chunk_of_unknown_type_survives_a_round_trip_through_gltf() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let mut bytes = fs::read(SAMPLE).unwrap();
    bytes.extend([8u32.to_le_bytes(), *b"DATA", *b"what", *b"ever"].concat());
    let length = (bytes.len() as u32).to_le_bytes();
    bytes[8..12].copy_from_slice(&length);
    fs::write(at("a.glb"), &bytes).unwrap();
    let there = ulna(&["convert", &at("a.glb"), "-o", &at("b.gltf")]);
    assert!(String::from_utf8_lossy(&there.stderr).contains("chunk DATA"), "{there:?}");
    assert!(ulna(&["convert", &at("b.gltf"), "-o", &at("c.glb")]).status.success());
    assert!(fs::read(at("c.glb")).unwrap() == bytes, "byte for byte");
}

#[test]
fn git_compares_models_by_text_and_by_an_external_diff() {
    let folder = tempfile::tempdir().unwrap();
    let home = folder.path();
    let git = |arguments: &[&str]| {
        let mut command = Command::new("git");
        command
            .current_dir(home)
            .env("HOME", home)
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .env_remove("GIT_DIR");
        command
            .args(["-c", "user.name=a", "-c", "user.email=a@b", "-c", "core.pager=cat"])
            .args(arguments)
            .output()
    };
    if git(&["init", "-q"]).is_err() {
        crate::common::skipped("git is not there");
        return;
    }
    let git = |arguments: &[&str]| {
        let done = git(arguments).unwrap();
        assert!(done.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&done.stderr));
        said(&done)
    };
    fs::write(home.join(".gitattributes"), "*.glb diff=ulna\n").unwrap();
    fs::write(home.join("scaled.glb"), scaled()).unwrap();
    fs::write(home.join("notes.txt"), "one\n").unwrap();
    git(&["add", "."]);
    git(&["commit", "-q", "-m", "a"]);
    let set = json!({"do": "pose.set", "node": "Hips", "translation": [10, 0, 0]});
    let moved = run(home, &home.join("scaled.glb"), "moved.glb", &[set]);
    fs::rename(moved, home.join("scaled.glb")).unwrap();
    fs::write(home.join("notes.txt"), "two\n").unwrap();
    git(&["config", "diff.ulna.textconv", &format!("{ULNA} diff --text")]);
    let text = git(&["diff"]);
    assert!(text.contains("+  t 10 0 0 r 0 0 0 1 s 1 1 1") && text.contains("+two"), "{text}");
    git(&["config", "diff.ulna.command", &format!("{ULNA} diff")]);
    let text = git(&["diff"]);
    assert!(text.contains("ulna diff scaled.glb") && text.contains("moved by 100.00 mm"), "{text}");
    // Sets the external diff for all files, through the environment.
    let external = format!("diff.external={ULNA} diff");
    let text = git(&["-c", &external, "diff", "--", "notes.txt", "scaled.glb"]);
    assert!(text.contains("+two") && text.contains("moved by 100.00 mm"), "{text}");
    // One side of the diff does not exist: the file is new or removed.
    git(&["rm", "-q", "--cached", "scaled.glb"]);
    let text = git(&["diff", "--cached"]);
    assert!(text.contains("the file was removed"), "{text}");
}
