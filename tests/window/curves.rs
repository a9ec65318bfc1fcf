//! Curves on the timeline: showing, listing, selecting and typing values. Results are checked in
//! the document and the selection.

use egui::{Event, Key, Modifiers, Pos2, vec2};
use egui_kittest::kittest::Queryable as _;
use ulna_model::{ClipId, Property, Track, TrackId};

use super::editing::{Window, click, node, press, sample, session};

const WALK: ClipId = ClipId(1);

/// Opens the sample with the curves of *Walk*, and selects one joint.
fn curves(joint: &str) -> (Window, tempfile::TempDir, std::path::PathBuf) {
    let (mut window, folder, path) = sample();
    click(&mut window, "Clip Walk");
    if !joint.is_empty() {
        click(&mut window, joint);
    }
    click(&mut window, "Curves");
    window.run_steps(3);
    (window, folder, path)
}

fn track(window: &Window, name: &str, property: Property) -> (TrackId, Track) {
    let node = node(window, name);
    let (id, track) =
        session(window).document().clips[WALK].track(node, property).expect("a track");
    (id, (**track).clone())
}

fn has(window: &Window, name: &str) -> bool {
    window.query_by_label(name).is_some()
}

/// Returns the number of shown curves, as stated by the list.
fn shown(window: &Window) -> usize {
    (0..500)
        .find(|n| window.query_by_label_contains(&format!("All channels, {n} of ")).is_some())
        .expect("the row of all channels")
}

fn hover(window: &mut Window, at: Pos2) {
    window.event(Event::PointerMoved(at));
    window.run_steps(2);
}

#[test]
fn tab_over_the_timeline_switches_between_sheet_and_curves() {
    let (mut window, _folder, _) = sample();
    click(&mut window, "Clip Walk");
    click(&mut window, "Hips");
    let keys = window.get_by_label("Timeline keys").rect();
    hover(&mut window, keys.center());
    press(&mut window, Modifiers::NONE, Key::Tab);
    window.run_steps(3);
    assert!(has(&window, "Curves of Hips") && !has(&window, "Timeline keys"));
    press(&mut window, Modifiers::SHIFT, Key::Tab);
    window.run_steps(3);
    assert!(has(&window, "Curves of Hips") && has(&window, "Timeline keys"));
    press(&mut window, Modifiers::SHIFT, Key::Tab);
    window.run_steps(3);
    assert!(!has(&window, "Curves of Hips") && has(&window, "Timeline keys"));
}

#[test]
fn without_a_selection_a_button_lists_the_animated_joints() {
    let (mut window, _folder, _) = curves("");
    assert_eq!(shown(&window), 0);
    click(&mut window, "List moving");
    assert!(shown(&window) > 20, "{}", shown(&window));
    assert!(!has(&window, "List moving"));
}

#[test]
fn curves_of_the_selected_joint_are_shown_hidden_and_soloed() {
    let (mut window, _folder, _) = curves("LeftUpperArm");
    let all = shown(&window);
    assert!(all >= 3, "{all}");
    click(&mut window, "Show LeftUpperArm X");
    assert_eq!(shown(&window), all - 1);
    click(&mut window, "Show LeftUpperArm X");
    click(&mut window, "Solo LeftUpperArm Y");
    assert_eq!(shown(&window), 1);
    click(&mut window, "Solo LeftUpperArm Y");
    assert_eq!(shown(&window), all);
}

#[test]
fn clicking_a_curve_row_selects_the_keys_of_its_component() {
    let (mut window, _folder, _) = curves("LeftUpperArm");
    click(&mut window, "Curve LeftUpperArm Y");
    let (id, track) = track(&window, "LeftUpperArm", Property::Rotation);
    let keys = window.state().selected_keys();
    for time in track.times.iter() {
        assert!(keys.has(id, 1, *time) && !keys.has(id, 0, *time), "{time}");
    }
    assert_eq!(keys.len(), track.times.len());
}

#[test]
fn shortcuts_normalize_and_hide_the_active_curve() {
    let (mut window, _folder, _) = curves("LeftUpperArm");
    click(&mut window, "Curve LeftUpperArm Y");
    let all = shown(&window);
    let graph = window.get_by_label("Timeline curves").rect();
    hover(&mut window, graph.right_bottom() - vec2(8.0, 8.0));
    press(&mut window, Modifiers::NONE, Key::H);
    window.run_steps(2);
    assert_eq!(shown(&window), all - 1);
    press(&mut window, Modifiers::NONE, Key::A);
    window.run_steps(2);
    assert!(session(&window).document().aids.unkeyed.is_empty());
}

#[test]
fn leaving_a_field_without_a_change_makes_no_step() {
    let (mut window, _folder, _) = curves("LeftUpperArm");
    click(&mut window, "LeftUpperArm Y at the playhead");
    press(&mut window, Modifiers::NONE, Key::Enter);
    window.run_steps(3);
    assert!(session(&window).document().aids.unkeyed.is_empty());
}

#[test]
fn a_typed_angle_poses_the_joint_at_the_playhead() {
    let (mut window, _folder, _) = curves("LeftUpperArm");
    let joint = node(&window, "LeftUpperArm");
    let before = window.state().shown_pose().local[joint.index()].transform().rotation;
    click(&mut window, "LeftUpperArm X at the playhead");
    window.event(Event::Text("+=10".to_owned()));
    window.run_steps(2);
    press(&mut window, Modifiers::NONE, Key::Enter);
    window.run_steps(3);
    let after = window.state().shown_pose().local[joint.index()].transform().rotation;
    let turn = before.angle_between(after).to_degrees();
    assert!((turn - 10.0).abs() < 0.1, "{turn}");
    let times = session(&window).document().aids.unkeyed.len();
    assert_eq!(times, 1, "a pose that is not keyed");
}

#[test]
fn the_edge_between_sheet_and_curves_is_dragged() {
    let (mut window, _folder, _) = curves("LeftUpperArm");
    click(&mut window, "Both");
    let before = window.get_by_label("Timeline keys").rect().height();
    assert!(before >= 80.0, "three rows and that of all keys: {before}");
    let edge = window.get_by_label("Edge between keys and curves").rect().center();
    for (at, down) in [(edge, Some(true)), (edge + vec2(0.0, 15.0), None)] {
        window.event(Event::PointerMoved(at));
        if let Some(pressed) = down {
            let (button, modifiers) = (egui::PointerButton::Primary, Modifiers::NONE);
            window.event(Event::PointerButton { pos: at, button, pressed, modifiers });
        }
        window.step();
    }
    let (button, modifiers) = (egui::PointerButton::Primary, Modifiers::NONE);
    let pos = edge + vec2(0.0, 15.0);
    window.event(Event::PointerButton { pos, button, pressed: false, modifiers });
    window.run_steps(3);
    let after = window.get_by_label("Timeline keys").rect().height();
    assert!((after - before - 15.0).abs() < 2.0, "{before} {after}");
}

#[test]
fn rotations_are_shown_as_quaternions_if_chosen() {
    let (mut window, _folder, _) = curves("LeftUpperArm");
    assert!(!has(&window, "Curve LeftUpperArm quaternion W"));
    let view = window.get_by_label_contains("Rotation view of LeftUpperArm");
    view.click();
    window.run_steps(3);
    click(&mut window, "Quaternion");
    assert!(has(&window, "Curve LeftUpperArm quaternion W"));
}
