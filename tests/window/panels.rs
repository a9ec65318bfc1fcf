//! Panels: stored poses in Animate mode, messages, names of controls, grouped findings, and the
//! sheet under a pinch gesture.
#![allow(clippy::unwrap_used, reason = "a test ends where something is not as it must be")]

use std::collections::{BTreeMap, BTreeSet};

use accesskit::Role;
use egui::{Event, Key, Modifiers, accesskit};
use egui_kittest::kittest::{NodeT as _, Queryable as _};
use ulna_edit::command::kept_poses;
use ulna_model::{ClipId, transform::angle_between};

use crate::common::large::{Size, model};

use super::editing::{Window, click, click_at, node, press, sample, session, window};

const WALK: ClipId = ClipId(1);

fn rotation(window: &Window, name: &str, time: f64) -> glam::Quat {
    assert!((window.state().playback().time - time).abs() < 1e-6, "it is seen at the playhead");
    window.state().shown_pose().local[node(window, name).index()].transform().rotation
}

/// Clicks the outliner row or button with a name that other widgets can have, too.
fn click_row(window: &mut Window, name: &str) {
    let rows = window.get_all_by_label(name).filter(|n| n.rect().left() < 280.0);
    rows.min_by(|a, b| a.rect().top().total_cmp(&b.rect().top())).expect("a row").click();
    window.run_steps(3);
}

#[test]
fn poses_are_stored_and_applied_while_a_clip_is_shown() {
    let (mut window, ..) = sample();
    click(&mut window, "Clip Walk");
    let sheet = window.get_by_label("Timeline keys").rect();
    click_at(&mut window, egui::pos2(sheet.left() + sheet.width() * 0.4, sheet.top() - 12.0));
    let time = window.state().playback().time;
    let seen = rotation(&window, "LeftUpperArm", time);
    click(&mut window, "Poses panel");
    assert!(window.query_by_label("Timeline keys").is_none());
    assert!(window.query_by_label("Play").is_some(), "the clip still plays from here");
    click(&mut window, "Save the current pose");
    window.event(Event::Text("Stride".to_owned()));
    press(&mut window, Modifiers::NONE, Key::Enter);
    assert_eq!(kept_poses(session(&window).document())[0].name, "Stride");
    press(&mut window, Modifiers::NONE, Key::Home);
    assert!(angle_between(rotation(&window, "LeftUpperArm", 0.0), seen) > 0.05);
    click(&mut window, "Pose Stride");
    assert!(
        angle_between(rotation(&window, "LeftUpperArm", 0.0), seen) < 1e-3,
        "over the clip, at the playhead"
    );
    assert!(!session(&window).document().aids.unkeyed.is_empty());
    // Keys that are out of view are not deleted.
    let clip = session(&window).document().clips[WALK].clone();
    let card = window.get_by_label("Pose Stride").rect().center();
    window.event(Event::PointerMoved(card));
    window.run_steps(2);
    press(&mut window, Modifiers::COMMAND, Key::A);
    assert_eq!(window.state().selected_keys().len(), 0);
    assert_eq!(session(&window).document().clips[WALK], clip);
    click(&mut window, "Back to the timeline");
    assert!(window.query_by_label("Timeline keys").is_some());
}

#[test]
fn the_empty_pose_panel_is_only_as_tall_as_its_content() {
    let (mut window, ..) = sample();
    click(&mut window, "Pose mode");
    let strip = window.get_by_label("Timeline panel").rect();
    assert!(strip.height() < 125.0, "{}", strip.height());
    let button = window.get_by_label("Save the first pose").rect();
    assert!(
        button.bottom() < strip.bottom() && button.bottom() > strip.bottom() - 40.0,
        "{button} in {strip}"
    );
}

#[test]
fn f2_renames_the_last_clicked_row() {
    let (mut window, ..) = sample();
    click_row(&mut window, "Head");
    click(&mut window, "Clip Walk");
    press(&mut window, Modifiers::NONE, Key::F2);
    window.event(Event::Text("Stroll".to_owned()));
    window.run_steps(2);
    press(&mut window, Modifiers::NONE, Key::Enter);
    assert_eq!(session(&window).document().clip_label(WALK), "Stroll");
    click_row(&mut window, "Head");
    press(&mut window, Modifiers::NONE, Key::F2);
    window.event(Event::Text("Skull".to_owned()));
    window.run_steps(2);
    press(&mut window, Modifiers::NONE, Key::Enter);
    let names: Vec<_> =
        session(&window).document().nodes.values().filter_map(|n| n.name.clone()).collect();
    assert!(
        names.iter().any(|n| &**n == "Skull"),
        "{names:?} {:?}",
        window.state().selection().active
    );
    let head = node(&window, "Skull");
    assert!(session(&window).document().node(head).name.as_deref() == Some("Skull"));
    assert_eq!(session(&window).document().clip_label(WALK), "Stroll");
}

#[test]
fn a_new_clip_is_shown_even_if_the_list_is_filtered() {
    let (mut window, ..) = sample();
    // The filter appears only for long lists.
    for _ in 0..10 {
        click_row(&mut window, "New clip");
    }
    click(&mut window, "Filter clips");
    window.event(Event::Text("Walk".to_owned()));
    window.run_steps(3);
    assert!(window.query_by_label("Clip Walk").is_some());
    let before = session(&window).document().clips.count();
    click_row(&mut window, "New clip");
    let document = session(&window).document();
    assert_eq!(document.clips.count(), before + 1);
    let label = document.clip_label(document.clips.ids().next_back().unwrap());
    window.run_steps(3);
    assert!(window.query_by_label(&format!("Clip {label}")).is_some(), "{label}");
}

#[test]
fn a_pinch_gesture_zooms_the_sheet_about_the_pointer() {
    let (mut window, ..) = sample();
    click(&mut window, "Clip Walk");
    let sheet = window.get_by_label("Timeline keys").rect();
    // Clicks the ruler at two distant times.
    let at = |window: &mut Window, x: f32| {
        click_at(window, egui::pos2(x, sheet.top() - 12.0));
        window.state().playback().time
    };
    let (left, right) = (sheet.left() + sheet.width() * 0.3, sheet.left() + sheet.width() * 0.6);
    let before = (at(&mut window, left), at(&mut window, right));
    window.event(Event::PointerMoved(egui::pos2(left, sheet.center().y)));
    window.run_steps(2);
    window.event(Event::Zoom(2.0));
    window.run_steps(3);
    let after = (at(&mut window, left), at(&mut window, right));
    assert!(
        (before.0 - after.0).abs() < 0.03,
        "the time under the pointer stays: {before:?} {after:?}"
    );
    let (wide, narrow) = (before.1 - before.0, after.1 - after.0);
    // A click on the ruler goes to a whole frame.
    assert!((1.4..2.8).contains(&(wide / narrow)), "{wide} {narrow}");
}

#[test]
fn one_command_shows_one_message() {
    let (mut window, ..) = sample();
    click(&mut window, "Clip Walk");
    press(&mut window, Modifiers::COMMAND, Key::P);
    window.event(Event::Text("clip.reduce".to_owned()));
    window.run_steps(2);
    press(&mut window, Modifiers::NONE, Key::Tab);
    window.run_steps(2);
    press(&mut window, Modifiers::NONE, Key::Enter);
    super::editing::wait(&mut window);
    let messages = window.query_all_by_label_contains("Close message").count();
    assert_eq!(messages, 1);
}

/// Returns each name that several clickable or editable controls share, with the number of these
/// controls.
fn shared_names(window: &Window) -> BTreeMap<String, usize> {
    let mut names: BTreeMap<String, usize> = BTreeMap::new();
    let mut stack = vec![window.root()];
    while let Some(node) = stack.pop() {
        let access = node.accesskit_node();
        let role = access.role();
        let control = matches!(
            role,
            Role::Button
                | Role::CheckBox
                | Role::ComboBox
                | Role::SpinButton
                | Role::TextInput
                | Role::Slider
        );
        if control && let Some(name) = access.label().filter(|l| !l.is_empty()) {
            *names.entry(name).or_default() += 1;
        }
        stack.extend(node.children());
    }
    // Verbs that occur once per row.
    let verbs = [
        "Show",
        "Hide",
        "Fix",
        "Revert",
        "Remove",
        "Close",
        "Lock",
        "Unlock",
        "Move panel",
        "Clear",
        "Clip",
    ];
    names.retain(|name, count| *count > 1 && verbs.iter().any(|verb| name.starts_with(verb)));
    names
}

#[test]
fn every_control_has_a_unique_name() {
    let (mut window, ..) = sample();
    for mode in ["Pose mode", "Animate mode", "Paint mode"] {
        click(&mut window, mode);
        click_row(&mut window, "Head");
        window.run_steps(3);
        let shared = shared_names(&window);
        assert!(shared.is_empty(), "{mode}: {shared:?}");
    }
}

#[test]
fn equal_findings_are_grouped_in_one_row_that_opens() {
    let size = Size { joints: 4, clips: 1, keys: 2, side: 4, layers: 0, problems: 3 };
    let (mut window, _folder, _) = window(&model(size));
    let row =
        window.query_all_by_label_contains("3 nodes: ").next().expect("one row for three nodes");
    let at = row.rect().center();
    let shows = |window: &Window| {
        let buttons =
            window.query_all_by_role(Role::Button).filter_map(|n| n.accesskit_node().label());
        buttons.filter(|name| name.starts_with("Show limb")).collect::<BTreeSet<String>>().len()
    };
    assert_eq!(shows(&window), 0, "the places are folded");
    click_at(&mut window, at);
    window.run_steps(3);
    assert_eq!(shows(&window), 3, "each by a name of its own");
}

#[test]
fn findings_are_listed_before_an_export() {
    let (mut window, ..) = sample();
    press(&mut window, Modifiers::COMMAND, Key::P);
    window.event(Event::Text("file.export".to_owned()));
    window.run_steps(2);
    press(&mut window, Modifiers::NONE, Key::Enter);
    for _ in 0..400 {
        window.step();
        if window.query_all_by_label_contains("Check: ").next().is_some() {
            break;
        }
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    let check = window.query_all_by_label_contains("Check: ").next();
    let label =
        check.and_then(|n| n.accesskit_node().label().or_else(|| n.accesskit_node().value()));
    assert_eq!(label.as_deref(), Some("Check: no problems found"));
    assert!(
        window.query_all_by_label_contains("KB in total").next().is_some()
            || window.query_all_by_label_contains("MB in total").next().is_some()
    );
}
