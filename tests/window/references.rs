//! Reference models: files that are displayed beside the open one, moved and snapped to, and never
//! saved into it.
#![allow(clippy::unwrap_used, reason = "a test ends where something is not as it must be")]

use std::{
    fs,
    path::{Path, PathBuf},
};

use egui::{Event, Key, Modifiers};
use egui_kittest::kittest::Queryable as _;
use glam::Vec3;
use serde_json::json;
use ulna::ui::{ReferenceFacts, ReferencePlace};
use ulna_edit::CommandLine;

use super::editing::{Window, click, drag, node, press, sample, session};
use crate::common::{floats, glb, window::wait_until};

/// Writes a box with a side of 20 cm about its origin. Its clip moves it by 1 m along x in one
/// second.
fn prop(folder: &Path) -> PathBuf {
    let corners: Vec<f32> = (0..8)
        .flat_map(|k| [0, 1, 2].map(|bit| if k >> bit & 1 == 1 { 0.1 } else { -0.1 }))
        .collect();
    let quads =
        [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
    let triangles = quads.iter().flat_map(|q: &[u16; 4]| [q[0], q[1], q[2], q[0], q[2], q[3]]);
    let mut bin = floats(&corners);
    bin.extend(triangles.flat_map(u16::to_le_bytes));
    bin.extend(floats(&[0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0]));
    let json = json!({
        "asset": {"version": "2.0"},
        "buffers": [{"byteLength": bin.len()}],
        "bufferViews": [
            {"buffer": 0, "byteLength": 96},
            {"buffer": 0, "byteOffset": 96, "byteLength": 72},
            {"buffer": 0, "byteOffset": 168, "byteLength": 8},
            {"buffer": 0, "byteOffset": 176, "byteLength": 24}
        ],
        "accessors": [
            {"bufferView": 0, "componentType": 5126, "count": 8, "type": "VEC3",
             "min": [-0.1, -0.1, -0.1], "max": [0.1, 0.1, 0.1]},
            {"bufferView": 1, "componentType": 5123, "count": 36, "type": "SCALAR"},
            {"bufferView": 2, "componentType": 5126, "count": 2, "type": "SCALAR",
             "min": [0], "max": [1]},
            {"bufferView": 3, "componentType": 5126, "count": 2, "type": "VEC3"}
        ],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "indices": 1}]}],
        "nodes": [{"name": "Box", "mesh": 0}],
        "scenes": [{"nodes": [0]}],
        "scene": 0,
        "animations": [{
            "name": "Slide",
            "samplers": [{"input": 2, "output": 3}],
            "channels": [{"sampler": 0, "target": {"node": 0, "path": "translation"}}]
        }]
    });
    let path = folder.join("prop.glb");
    fs::write(&path, glb(json, &bin)).unwrap();
    path
}

/// Runs a command line as if the user had typed it.
fn command(window: &mut Window, line: serde_json::Value) {
    let serde_json::Value::Object(mut arguments) = line else { panic!("no object") };
    let name = arguments.remove("do").unwrap().as_str().unwrap().to_owned();
    let mut line = CommandLine::new(&name);
    line.arguments = arguments;
    let ctx = window.ctx.clone();
    window.state_mut().run_command(&ctx, &line);
    window.run_steps(3);
    wait_until(window, |app| !app.is_busy());
    window.run_steps(3);
}

/// Opens the sample with the box as a reference model.
fn with_prop() -> (Window, tempfile::TempDir, PathBuf) {
    let (mut window, folder, path) = sample();
    let prop = prop(folder.path());
    command(&mut window, json!({"do": "reference.load", "path": prop}));
    assert_eq!(window.state().references().all.len(), 1, "it is loaded");
    (window, folder, path)
}

fn facts(window: &Window) -> ReferenceFacts {
    window.state().references().all[0].clone()
}

fn position(window: &Window, name: &str) -> Vec3 {
    let node = node(window, name);
    window.state().shown_pose().world[node.index()].w_axis.truncate()
}

#[test]
fn reference_models_do_not_affect_the_saved_bytes() {
    // Poses the document, and moves the reference model in between.
    let edit = |window: &mut Window, degrees: f64| {
        let line = json!({"do": "pose.rotate", "node": "Head", "axis": "x", "degrees": degrees});
        command(window, line);
    };
    let (mut with, _with_folder, with_path) = with_prop();
    let opened = fs::read(&with_path).unwrap();
    let steps = session(&with).history().done().len();
    command(&mut with, json!({"do": "reference.move", "translation": [1, 2, 3], "factor": 2}));
    command(&mut with, json!({"do": "reference.plain"}));
    assert_eq!(session(&with).history().done().len(), steps, "no step of the document");
    assert!(!session(&with).is_unsaved(), "nothing to save");
    edit(&mut with, 25.0);
    let (mut without, _folder, without_path) = sample();
    edit(&mut without, 25.0);
    for window in [&mut with, &mut without] {
        command(window, json!({"do": "file.save"}));
    }
    let [with_bytes, without_bytes] = [&with_path, &without_path].map(|p| fs::read(p).unwrap());
    assert_ne!(with_bytes, opened, "the edit is saved");
    assert!(with_bytes == without_bytes, "and nothing of the reference model");
    // Undoing everything leaves the reference model in place.
    command(&mut with, json!({"do": "edit.undo"}));
    assert_eq!(facts(&with).place.translation, Vec3::new(1.0, 2.0, 3.0));
}

#[test]
fn the_outliner_menu_of_a_reference_model_hides_and_removes_it() {
    let (mut window, ..) = with_prop();
    assert!(window.query_by_label("Reference prop.glb").is_some(), "its row");
    assert_eq!(window.state().references().selected, Some(facts(&window).id), "is selected");
    assert!(window.query_by_label("Reference translation X").is_some(), "its numbers are shown");
    press(&mut window, Modifiers::NONE, Key::H);
    assert!(facts(&window).hidden, "H hides the selected one");
    click(&mut window, "Show reference prop.glb");
    assert!(!facts(&window).hidden, "its eye shows it");
    window.get_by_label("Reference prop.glb").click_secondary();
    window.run_steps(3);
    click(&mut window, "Show in plain gray");
    assert!(facts(&window).plain);
    // Selecting a joint deselects the reference model, and the joint is shown.
    click(&mut window, "Head");
    assert_eq!(window.state().references().selected, None);
    assert!(window.query_by_label("Reference translation X").is_none());
    click(&mut window, "Reference prop.glb");
    press(&mut window, Modifiers::NONE, Key::Delete);
    assert!(window.state().references().all.is_empty(), "Del removes it");
    assert!(window.query_by_label("Reference prop.glb").is_none());
    let nodes = session(&window).document().nodes.count();
    assert_eq!(nodes, session(&window).opened().nodes.count(), "and no node");
}

#[test]
fn a_reference_model_follows_the_playhead_and_is_placed_by_numbers() {
    let (mut window, ..) = with_prop();
    let at = |window: &mut Window, seconds: f64| {
        command(window, json!({"do": "play.start"}));
        let frames = (seconds * window.state().playback().fps).round() as usize;
        for _ in 0..frames {
            press(window, Modifiers::NONE, Key::ArrowRight);
        }
        // The box is 20 cm wide, so its left edge gives its position.
        let low = window.state_mut().reference_bounds(0).unwrap().0;
        (low.x + 0.1, window.state().playback().time as f32)
    };
    let (x, _) = at(&mut window, 0.0);
    assert!(x.abs() < 1e-5, "{x}");
    let (x, time) = at(&mut window, 0.5);
    assert!(time > 0.4 && (x - time).abs() < 1e-4, "{x} at {time}");
    command(&mut window, json!({"do": "reference.clip"}));
    let low = window.state_mut().reference_bounds(0).unwrap().0;
    assert!((low.x + 0.1).abs() < 1e-5, "without a clip it rests: {low}");
    command(&mut window, json!({"do": "reference.clip", "clip": "Slide"}));
    assert_eq!(facts(&window).clip, Some(0));
    // Moves the reference model by numbers: 2 m up, twice as large, rotated by 90° about y.
    let line = json!({"do": "reference.move", "translation": [0, 2, 0], "degrees": [0, 90, 0],
        "factor": 2});
    command(&mut window, line);
    let (low, high) = window.state_mut().reference_bounds(0).unwrap();
    assert!((low.y - 1.8).abs() < 1e-4 && (high.y - 2.2).abs() < 1e-4, "{low} {high}");
    // The path of the reference model is now along −z, and twice as long.
    let middle = (low.z + high.z) / 2.0;
    assert!((middle + 2.0 * time).abs() < 1e-3, "{middle} at {time}");
    command(&mut window, json!({"do": "reference.ground"}));
    let (low, _) = window.state_mut().reference_bounds(0).unwrap();
    assert!(low.y.abs() < 1e-4, "on the ground: {low}");
}

#[test]
fn dragging_the_manipulator_moves_a_reference_model_and_escape_cancels() {
    let (mut window, ..) = with_prop();
    command(&mut window, json!({"do": "mode.pose"}));
    command(&mut window, json!({"do": "reference.move", "translation": [0.6, 1, 0]}));
    command(&mut window, json!({"do": "tool.move"}));
    window.run_steps(5);
    let steps = session(&window).history().done().len();
    let grip = window.get_by_label("Handle: Move along Y").rect().center();
    drag(&mut window, grip, grip - egui::vec2(0.0, 80.0));
    let place = facts(&window).place;
    assert!(place.translation.y > 1.1, "{place:?}");
    assert!((place.translation.x - 0.6).abs() < 1e-4, "along y alone: {place:?}");
    assert_eq!(session(&window).history().done().len(), steps, "no step of the document");
    // An amount is typed after the key of the tool, and Escape cancels it.
    press(&mut window, Modifiers::NONE, Key::W);
    window.event(Event::Text("x".into()));
    press(&mut window, Modifiers::NONE, Key::X);
    window.event(Event::Text("2".into()));
    window.run_steps(3);
    assert!((facts(&window).place.translation.x - 2.6).abs() < 1e-4, "{:?}", facts(&window).place);
    press(&mut window, Modifiers::NONE, Key::Escape);
    assert_eq!(facts(&window).place, place, "Escape puts it back");
}

#[test]
fn joints_and_reference_models_snap_to_each_other() {
    let (mut window, ..) = with_prop();
    command(&mut window, json!({"do": "mode.pose"}));
    let hand = position(&window, "LeftHand");
    // The corner of the box nearest to the hand is 5 cm away from it.
    let corner = hand + Vec3::new(0.03, 0.04, 0.0);
    let place = (corner + Vec3::splat(0.1)).to_array();
    command(&mut window, json!({"do": "reference.move", "translation": place}));
    click(&mut window, "LeftHand");
    let steps = session(&window).history().done().len();
    command(&mut window, json!({"do": "reference.snap_joints"}));
    let now = position(&window, "LeftHand");
    assert!(now.distance(corner) < 2e-3, "{now} is not {corner}");
    assert_eq!(session(&window).history().done().len(), steps + 1, "one step of the document");
    command(&mut window, json!({"do": "edit.undo"}));
    assert!(position(&window, "LeftHand").distance(hand) < 1e-5);
    // The reverse: the model snaps to the joint with its own nearest joint.
    click(&mut window, "Head");
    command(&mut window, json!({"do": "reference.snap"}));
    let (low, high) = window.state_mut().reference_bounds(0).unwrap();
    let (middle, head) = ((low + high) / 2.0, position(&window, "Head"));
    assert!(middle.distance(head) < 1e-4, "{middle} is not {head}");
}

#[test]
fn holding_v_snaps_a_dragged_joint_to_a_vertex_of_a_reference_model() {
    let (mut window, ..) = with_prop();
    command(&mut window, json!({"do": "mode.pose"}));
    click(&mut window, "LeftHand");
    command(&mut window, json!({"do": "tool.move"}));
    let hand = position(&window, "LeftHand");
    let place = (hand + Vec3::new(0.35, 0.1, 0.0)).to_array();
    command(&mut window, json!({"do": "reference.move", "translation": place}));
    window.run_steps(4);
    let corner = {
        let eye = window.state().camera().eye();
        // The corner of the box nearest to the camera is certainly visible.
        let corners = (0..8).map(|k| {
            let side = |bit: u32| if k >> bit & 1 == 1 { 0.1 } else { -0.1 };
            Vec3::from_array(place) + Vec3::new(side(0), side(1), side(2))
        });
        corners.min_by(|a, b| a.distance(eye).total_cmp(&b.distance(eye))).unwrap()
    };
    let rect = window.get_by_label("Viewport").rect();
    let seen = |at: Vec3| {
        let size = glam::Vec2::new(rect.width(), rect.height());
        let (p, _) = window.state().camera().project(at, size).unwrap();
        rect.min + egui::vec2(p.x, p.y)
    };
    let toward = seen(Vec3::from_array(place));
    let target = seen(corner) + (toward - seen(corner)).normalized() * 3.0;
    let from = window.get_by_label("Handle: Move freely").rect().center();
    window.event(Event::PointerMoved(from));
    window.run_steps(2);
    let button = |pressed: bool, at: egui::Pos2| Event::PointerButton {
        pos: at,
        button: egui::PointerButton::Primary,
        pressed,
        modifiers: Modifiers::NONE,
    };
    window.event(button(true, from));
    window.run_steps(2);
    window.event(Event::PointerMoved(from.lerp(target, 0.5)));
    window.run_steps(2);
    let key = |pressed: bool| Event::Key {
        key: Key::V,
        physical_key: None,
        pressed,
        repeat: false,
        modifiers: Modifiers::NONE,
    };
    window.event(key(true));
    window.event(Event::PointerMoved(target));
    window.run_steps(4);
    window.event(button(false, target));
    window.run_steps(2);
    window.event(key(false));
    window.run_steps(2);
    let now = position(&window, "LeftHand");
    assert!(now.distance(corner) < 1e-3, "{now} is not {corner}");
}

#[test]
fn an_unreadable_reference_model_is_reported_and_opening_another_file_removes_all() {
    let (mut window, folder, _) = with_prop();
    let bad = folder.path().join("bad.glb");
    fs::write(&bad, b"glTF no more").unwrap();
    command(&mut window, json!({"do": "reference.load", "path": bad}));
    assert_eq!(window.state().references().all.len(), 1);
    let said = window.get_by_label_contains("bad.glb could not be loaded as a reference model");
    assert!(!said.rect().is_negative());
    command(&mut window, json!({"do": "reference.hide", "reference": "chair.glb"}));
    assert!(window.query_by_label_contains("There is no reference model “chair.glb”").is_some());
    // The same file loaded again gets a unique name.
    command(&mut window, json!({"do": "reference.load", "path": folder.path().join("prop.glb")}));
    let references = window.state().references().all;
    let names: Vec<&str> = references.iter().map(|r| r.name.as_str()).collect();
    assert_eq!(names, ["prop.glb", "prop.glb 2"]);
    command(&mut window, json!({"do": "file.sample"}));
    assert!(window.state().references().all.is_empty(), "another file is open");
}

#[test]
fn the_reference_models_of_a_file_are_restored_when_it_is_opened_again() {
    let (mut window, folder, path) = with_prop();
    command(&mut window, json!({"do": "reference.move", "translation": [0, 0.5, 1]}));
    command(&mut window, json!({"do": "reference.plain"}));
    command(&mut window, json!({"do": "file.sample"}));
    assert!(window.state().references().all.is_empty());
    command(&mut window, json!({"do": "file.open", "path": path}));
    wait_until(&mut window, |app| app.references().all.len() == 1);
    let facts = facts(&window);
    let place = ReferencePlace { translation: Vec3::new(0.0, 0.5, 1.0), ..Default::default() };
    assert_eq!((facts.place, facts.plain), (place, true));
    assert_eq!(window.state().references().selected, None);
    // A reference model whose file is missing is left out.
    fs::remove_file(folder.path().join("prop.glb")).unwrap();
    command(&mut window, json!({"do": "file.sample"}));
    command(&mut window, json!({"do": "file.open", "path": path}));
    window.run_steps(5);
    assert!(window.state().references().all.is_empty());
}

#[test]
fn the_joints_of_a_reference_model_without_surfaces_are_drawn() {
    let (mut window, folder, _) = sample();
    let path = folder.path().join("walk.bvh");
    let text = "HIERARCHY\nROOT Hips\n{\n OFFSET 0 0 0\n CHANNELS 6 Xposition Yposition Zposition \
        Zrotation Xrotation Yrotation\n JOINT Chest\n {\n  OFFSET 0 50 0\n  CHANNELS 3 Zrotation \
        Xrotation Yrotation\n  End Site\n  {\n   OFFSET 0 30 0\n  }\n }\n}\nMOTION\nFrames: 2\n\
        Frame Time: 0.5\n0 90 0 0 0 0 0 0 0\n10 90 0 0 0 0 0 0 0\n";
    fs::write(&path, text).unwrap();
    command(&mut window, json!({"do": "reference.load", "path": path}));
    let facts = facts(&window);
    assert_eq!(facts.vertices, 0);
    assert!(facts.joints >= 2 && facts.clips.len() == 1, "{facts:?}");
    assert!(window.state_mut().reference_bones() >= 2, "they are drawn");
    command(&mut window, json!({"do": "reference.hide"}));
    assert_eq!(window.state_mut().reference_bones(), 0);
}
