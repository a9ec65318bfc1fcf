//! Opening another file while the open one has layers or a mix that it does not store: they are
//! stored or baked, and the file is saved.
#![allow(clippy::unwrap_used, reason = "a test ends where something is not as it must be")]

use std::path::PathBuf;

use egui::{Event, Key, Modifiers, pos2};
use egui_kittest::kittest::Queryable as _;
use ulna_edit::command::mix_of;
use ulna_formats::gltf::Progress;
use ulna_model::{ClipId, LayerHome, transform::angle_between};
use ulna_motion::{Pose, Stack};
use ulna_session::Session;

use super::editing::{Window, ask_for, click, node, press, sample, session, wait};

const WALK: ClipId = ClipId(1);

/// Opens the sample with a layer over *Walk* that rotates the head. Also returns another file to
/// open.
fn layered() -> (Window, tempfile::TempDir, PathBuf, PathBuf) {
    let (mut window, folder, path) = sample();
    let other = folder.path().join("other.glb");
    std::fs::copy(&path, &other).unwrap();
    click(&mut window, "Clip Walk");
    click(&mut window, "Edit: Layer");
    window.get_by_label("Track Head").click();
    window.run_steps(3);
    window.event(Event::PointerMoved(pos2(800.0, 300.0)));
    window.run_steps(2);
    press(&mut window, Modifiers::NONE, Key::E);
    press(&mut window, Modifiers::NONE, Key::X);
    window.event(Event::Text("30".to_owned()));
    window.run_steps(2);
    press(&mut window, Modifiers::NONE, Key::Enter);
    assert_eq!(session(&window).document().aids.layers(LayerHome::Clip(WALK)).0.len(), 1);
    (window, folder, path, other)
}

fn wait_for(window: &mut Window, path: &std::path::Path) {
    for _ in 0..400 {
        wait(window);
        if session(window).path() == Some(path) {
            return;
        }
    }
    panic!("{} is not opened", path.display());
}

fn read(path: &std::path::Path) -> Session {
    Session::open(path, &Progress::default()).unwrap()
}

/// Returns the angle between the head and the sample's own *Walk*, in degrees.
fn turn(session: &Session, original: &Session, head: ulna_model::NodeId) -> f32 {
    let at = |session: &Session| {
        let document = session.document();
        Pose::evaluate(document, &Stack::shown(document, Some(WALK), 0.2)).local[head.index()]
            .transform()
            .rotation
    };
    angle_between(at(session), at(original)).to_degrees()
}

#[test]
fn a_layer_is_stored_in_the_file_before_another_file_is_opened() {
    let (mut window, _folder, path, other) = layered();
    let head = node(&window, "Head");
    ask_for(&mut window, &other);
    assert!(
        window.query_by_label_contains("and 1 layer.").is_some(),
        "one sentence says what would be lost"
    );
    click(&mut window, "Keep and save");
    wait_for(&mut window, &other);
    let (saved, original) = (read(&path), read(&other));
    assert_eq!(
        saved.document().aids.layers(LayerHome::Clip(WALK)).0.len(),
        1,
        "it can be edited again"
    );
    assert!((turn(&saved, &original, head) - 30.0).abs() < 0.1);
}

#[test]
fn a_layer_is_baked_into_keys_before_another_file_is_opened() {
    let (mut window, _folder, path, other) = layered();
    let head = node(&window, "Head");
    ask_for(&mut window, &other);
    click(&mut window, "Bake and save");
    wait_for(&mut window, &other);
    let (saved, original) = (read(&path), read(&other));
    assert!(saved.document().aids.pose_layers.is_empty());
    assert!((turn(&saved, &original, head) - 30.0).abs() < 0.1);
}

#[test]
fn canceling_keeps_the_file_and_its_layer_open() {
    let (mut window, _folder, path, other) = layered();
    ask_for(&mut window, &other);
    click(&mut window, "Cancel");
    assert_eq!(session(&window).path(), Some(&*path));
    assert_eq!(session(&window).document().aids.layers(LayerHome::Clip(WALK)).0.len(), 1);
}

/// Opens the sample with a mix of two clips. Also returns another file to open.
fn mixed() -> (Window, tempfile::TempDir, PathBuf, PathBuf) {
    let (mut window, folder, path) = sample();
    let other = folder.path().join("other.glb");
    std::fs::copy(&path, &other).unwrap();
    let document = session(&window).document();
    let second = document.clips.ids().find(|id| *id != WALK).unwrap();
    let second = document.clip_label(second);
    click(&mut window, "Clip Walk");
    click(&mut window, "Mixer");
    click(&mut window, "Add a lane");
    click(&mut window, "Transition to clip: a clip");
    window.get_by_label(&format!("Choose {second}")).click_accesskit();
    window.run_steps(3);
    click(&mut window, "Add");
    assert!(mix_of(session(&window).document()).is_some_and(|m| m.lanes[0].bars.len() == 2));
    (window, folder, path, other)
}

#[test]
fn a_mix_is_stored_in_the_file_before_another_file_is_opened() {
    let (mut window, _folder, path, other) = mixed();
    let mix = mix_of(session(&window).document()).unwrap();
    ask_for(&mut window, &other);
    assert!(window.query_by_label_contains("loses the unsaved mix").is_some());
    click(&mut window, "Keep and save");
    wait_for(&mut window, &other);
    let saved = read(&path);
    assert_eq!(*mix_of(saved.document()).unwrap(), *mix);
}

#[test]
fn a_mix_is_baked_into_a_clip_before_another_file_is_opened() {
    let (mut window, _folder, path, other) = mixed();
    let before = session(&window).document().clips.count();
    ask_for(&mut window, &other);
    click(&mut window, "Bake and save");
    wait_for(&mut window, &other);
    let saved = read(&path);
    assert_eq!(saved.document().clips.count(), before + 1);
    let baked = saved.document().clips.values().last().unwrap();
    assert!(baked.length() > 0.5, "{}", baked.length());
}
