//! Keys of Blender and Maya beyond those in `docs/keys.md`, and files with custom keys.

use egui::accesskit::{Role, Toggled};
use egui::{Event, Key, Modifiers, PointerButton, Pos2, vec2};
use egui_kittest::kittest::{NodeT as _, Queryable as _};
use glam::{Quat, Vec3};
use ulna_edit::Preset;
use ulna_model::{NodeId, Transform, transform::angle_between};
use ulna_motion::{Pose, Stack};
use ulna_render::Shading;

use super::editing::{Window, click, node, press, sample, session};
use crate::common::window::{builder, open};

/// Opens the sample in Pose mode with a preset. The left forearm is selected, and the pointer is
/// beside the model.
fn forearm(preset: Preset) -> (Window, tempfile::TempDir, NodeId) {
    let (mut window, folder, _) = sample();
    let arm = point_beside_forearm(&mut window, preset);
    (window, folder, arm)
}

fn point_beside_forearm(window: &mut Window, preset: Preset) -> NodeId {
    window.state_mut().set_key_preset(preset);
    click(window, "Pose mode");
    click(window, "LeftLowerArm");
    let beside = window.get_by_label("Viewport").rect().center() + vec2(200.0, 80.0);
    window.event(Event::PointerMoved(beside));
    window.run_steps(2);
    node(window, "LeftLowerArm")
}

/// Types keys with their texts, like a keyboard.
fn type_keys(window: &mut Window, keys: &[(Key, &str)]) {
    for (key, text) in keys {
        let event = |pressed| Event::Key {
            key: *key,
            physical_key: Some(*key),
            pressed,
            repeat: false,
            modifiers: Modifiers::NONE,
        };
        window.event(event(true));
        if !text.is_empty() {
            window.event(Event::Text((*text).to_owned()));
        }
        window.event(event(false));
        window.run_steps(3);
    }
}

const THIRTY: [(Key, &str); 2] = [(Key::Num3, "3"), (Key::Num0, "0")];

fn local(window: &Window, node: NodeId) -> Transform {
    session(window).document().node(node).local().transform()
}

fn world(window: &Window, node: NodeId) -> Quat {
    let pose = Pose::evaluate(session(window).document(), &Stack::default());
    pose.world[node.index()].to_scale_rotation_translation().1
}

#[test]
fn in_the_blender_map_an_axis_key_means_the_scene_axis_and_pressed_twice_the_joint_axis() {
    for (presses, own) in [(1, false), (2, true)] {
        let (mut window, _folder, arm) = forearm(Preset::Blender);
        let (before, was) = (world(&window, arm), local(&window, arm));
        type_keys(&mut window, &[(Key::R, "r")]);
        for _ in 0..presses {
            type_keys(&mut window, &[(Key::X, "x")]);
        }
        type_keys(&mut window, &THIRTY);
        type_keys(&mut window, &[(Key::Enter, "")]);
        let turn = Quat::from_axis_angle(Vec3::X, 30_f32.to_radians());
        if own {
            let now = local(&window, arm).rotation;
            assert!(angle_between(was.rotation * turn, now) < 1e-3, "about its own X");
        } else {
            assert!(
                angle_between(turn * before, world(&window, arm)) < 1e-3,
                "about the scene's X"
            );
        }
    }
}

#[test]
fn in_the_blender_map_a_minus_changes_the_sign_and_space_applies_a_transform() {
    let (mut window, _folder, arm) = forearm(Preset::Blender);
    let before = world(&window, arm);
    type_keys(&mut window, &[(Key::R, "r"), (Key::X, "x")]);
    type_keys(&mut window, &THIRTY);
    type_keys(&mut window, &[(Key::Minus, "-"), (Key::Minus, "-"), (Key::Minus, "-")]);
    type_keys(&mut window, &[(Key::Space, " ")]);
    assert_eq!(session(&window).history().done().len(), 1, "Space keeps it");
    let turn = Quat::from_axis_angle(Vec3::X, -30_f32.to_radians());
    assert!(angle_between(turn * before, world(&window, arm)) < 1e-3);
    // In Ulna's own map, a minus continues the expression.
    let (mut window, _folder, arm) = forearm(Preset::Ulna);
    let was = local(&window, arm).rotation;
    type_keys(&mut window, &[(Key::E, "e"), (Key::X, "x")]);
    type_keys(&mut window, &THIRTY);
    type_keys(&mut window, &[(Key::Minus, "-"), (Key::Num1, "1"), (Key::Num0, "0")]);
    type_keys(&mut window, &[(Key::Enter, "")]);
    let angle = angle_between(was, local(&window, arm).rotation).to_degrees();
    assert!((angle - 20.0).abs() < 1e-2, "{angle}");
}

#[test]
fn a_right_click_that_cancels_a_transform_opens_no_menu() {
    let (mut window, _folder, _) = forearm(Preset::Blender);
    let before = session(&window).document().clone();
    let at = window.get_by_label("Viewport").rect().center() + vec2(240.0, 120.0);
    type_keys(&mut window, &[(Key::R, "r")]);
    window.event(Event::PointerMoved(at));
    window.run_steps(2);
    let button = |pressed| Event::PointerButton {
        pos: at,
        button: PointerButton::Secondary,
        pressed,
        modifiers: Modifiers::NONE,
    };
    window.input_mut().events.extend([button(true), button(false)]);
    window.run_steps(4);
    assert!(!egui::Popup::is_any_open(&window.ctx), "no menu");
    assert!(*session(&window).document() == before && session(&window).history().done().is_empty());
    // The next right-click opens the menu.
    window.event(button(true));
    window.step();
    window.event(button(false));
    window.run_steps(3);
    assert!(egui::Popup::is_any_open(&window.ctx));
}

/// Opens the sample with all keys of *Walk* selected, and the pointer over the viewport.
fn all_keys(preset: Preset) -> (Window, tempfile::TempDir) {
    let (mut window, folder, _) = sample();
    window.state_mut().set_key_preset(preset);
    click(&mut window, "Clip Walk");
    click(&mut window, "LeftLowerArm");
    let over = window.get_by_label("Timeline keys").rect().center();
    window.event(Event::PointerMoved(over));
    window.run_steps(2);
    let (modifiers, key) = if preset == Preset::Blender {
        (Modifiers::NONE, Key::A)
    } else {
        (Modifiers::COMMAND, Key::A)
    };
    press(&mut window, modifiers, key);
    assert!(window.state().selected_keys().len() > 100);
    (window, folder)
}

fn point_at_viewport(window: &mut Window) {
    let at: Pos2 = window.get_by_label("Viewport").rect().center() + vec2(200.0, 80.0);
    window.event(Event::PointerMoved(at));
    window.run_steps(2);
}

#[test]
fn delete_over_the_viewport_keeps_the_keys_selected_on_the_timeline() {
    for (preset, key) in
        [(Preset::Blender, Key::X), (Preset::Maya, Key::Delete), (Preset::Ulna, Key::Delete)]
    {
        let (mut window, _folder) = all_keys(preset);
        let keys = |window: &Window| -> usize {
            session(window).document().clips.values().map(|c| c.key_count()).sum()
        };
        let before = keys(&window);
        point_at_viewport(&mut window);
        press(&mut window, Modifiers::NONE, key);
        let left = keys(&window);
        assert!(before - left < 10, "{preset:?}: {before} → {left}");
        // In the other maps, the key of the joint was deleted, and nothing is selected now.
        if preset != Preset::Blender {
            continue;
        }
        let over = window.get_by_label("Timeline keys").rect().center();
        window.event(Event::PointerMoved(over));
        window.run_steps(2);
        press(&mut window, Modifiers::NONE, key);
        let left = keys(&window);
        assert!(before - left > 100, "{preset:?}: over the timeline it does: {before} → {left}");
    }
}

#[test]
fn copying_over_the_timeline_copies_only_keys_of_selected_joints() {
    let (mut window, _folder, _) = sample();
    window.state_mut().set_key_preset(Preset::Maya);
    click(&mut window, "Clip Walk");
    let over = window.get_by_label("Timeline keys").rect().center();
    window.event(Event::PointerMoved(over));
    window.run_steps(2);
    window.event(Event::Copy);
    window.run_steps(3);
    assert_eq!(session(&window).copied_keys(), None, "nothing is selected");
    assert!(window.query_by_label_contains("No keys were copied").is_some(), "and that is said");
    click(&mut window, "LeftLowerArm");
    window.event(Event::PointerMoved(over));
    window.run_steps(2);
    window.event(Event::Copy);
    window.run_steps(3);
    let text = session(&window).copied_keys().expect("keys").to_owned();
    assert!(text.contains("LeftLowerArm") && !text.contains("RightLowerArm"), "{text}");
}

/// Opens the page of keys, and clicks its button to choose a file.
fn ask_for_file(window: &mut Window, button: &str, path: &std::path::Path) {
    press(window, Modifiers::COMMAND, Key::Comma);
    window.run_steps(3);
    click(window, "Keys");
    click(window, button);
    window.run_steps(3);
    press(window, Modifiers::COMMAND, Key::A);
    window.event(Event::Text(path.display().to_string()));
    window.run_steps(3);
    press(window, Modifiers::NONE, Key::Enter);
    window.run_steps(4);
}

#[test]
fn custom_keys_are_exported_and_imported_and_only_conflicting_keys_are_skipped() {
    let (mut window, folder, _) = sample();
    press(&mut window, Modifiers::COMMAND, Key::Comma);
    click(&mut window, "Keys");
    click(&mut window, "Maya");
    click(&mut window, "Filter commands");
    window.event(Event::Text("Grid".to_owned()));
    window.run_steps(3);
    click(&mut window, "Key of Grid");
    press(&mut window, Modifiers::NONE, Key::J);
    assert_eq!(window.state().key_map().text("view.grid"), "J");
    // A right-click adds another key.
    window.get_by_label("Key of Grid").click_secondary();
    window.run_steps(3);
    press(&mut window, Modifiers::COMMAND, Key::J);
    assert_eq!(window.state().key_map().text("view.grid"), "J Ctrl+J");
    press(&mut window, Modifiers::NONE, Key::Escape);
    let path = folder.path().join("mine.json");
    ask_for_file(&mut window, "Export keys…", &path);
    let text = std::fs::read_to_string(&path).expect("the file was written");
    assert!(text.contains("\"ulna_keys\": 1") && text.contains("maya"), "{text}");

    let (mut other, _folder, _) = sample();
    ask_for_file(&mut other, "Import keys…", &path);
    assert_eq!(other.state().key_map(), window.state().key_map());
    assert_eq!(other.state().key_map().preset(), Preset::Maya);

    // One key conflicts, and the other one is accepted. An invalid file changes nothing.
    std::fs::write(&path, r#"{"ulna_keys":1,"keys":{"view.names":["F"],"view.axes":["J"]}}"#)
        .expect("a file");
    ask_for_file(&mut other, "Import keys…", &path);
    let said = "Joint names: F is used by “Frame selected”";
    assert!(other.query_by_label_contains(said).is_some(), "the clash is named");
    assert_eq!(other.state().key_map().key("view.axes"), "J");
    let before = other.state().key_map().clone();
    std::fs::write(&path, "[1, 2").expect("a file");
    ask_for_file(&mut other, "Import keys…", &path);
    assert_eq!(*other.state().key_map(), before);
}

#[test]
fn in_the_maya_map_only_an_axis_starts_the_tool_after_its_key() {
    // The tool waits one second, so the window draws 60 frames per second.
    let bytes = include_bytes!("../../assets/mannequin.glb");
    let (mut window, _folder, _) = open(builder().with_step_dt(1.0 / 60.0), bytes);
    let arm = point_beside_forearm(&mut window, Preset::Maya);
    let before = session(&window).document().clone();
    let was = local(&window, arm);
    type_keys(&mut window, &[(Key::W, "w"), (Key::Num4, "4")]);
    assert_eq!(window.state().options().shading, Shading::Wireframe, "4 shows the wireframe");
    type_keys(&mut window, &[(Key::Num5, "5")]);
    assert_ne!(window.state().options().shading, Shading::Wireframe, "5 shows surfaces");
    press(&mut window, Modifiers::NONE, Key::Enter);
    assert!(*session(&window).document() == before, "nothing was moved");
    type_keys(&mut window, &[(Key::E, "e"), (Key::X, "x")]);
    type_keys(&mut window, &THIRTY);
    type_keys(&mut window, &[(Key::Enter, "")]);
    let turned = angle_between(was.rotation, local(&window, arm).rotation).to_degrees();
    assert!((turned - 30.0).abs() < 1e-3, "{turned}");
}

#[test]
fn in_the_blender_map_menus_at_the_pointer_have_a_title_and_show_the_current_shading() {
    let (mut window, _folder, _) = forearm(Preset::Blender);
    press(&mut window, Modifiers::NONE, Key::Z);
    window.run_steps(3);
    assert!(window.query_by_role_and_label(Role::Label, "Shading").is_some());
    let is_on = |window: &Window, row: &str| {
        let row = window.get_by_role_and_label(Role::MenuItemCheckBox, row);
        row.accesskit_node().toggled() == Some(Toggled::True)
    };
    assert!(is_on(&window, "Textured") && !is_on(&window, "Wireframe"));
    press(&mut window, Modifiers::NONE, Key::Escape);
    click(&mut window, "Animate mode");
    point_at_viewport(&mut window);
    press(&mut window, Modifiers::NONE, Key::K);
    window.run_steps(3);
    assert!(window.query_by_role_and_label(Role::Label, "Set keys").is_some());
}

#[test]
fn in_the_blender_map_the_key_of_the_sidebar_also_hides_the_problems() {
    let (mut window, _folder, _) = forearm(Preset::Blender);
    let width = |window: &Window| window.get_by_label("Viewport panel").rect().width();
    let before = width(&window);
    let has_problems = |window: &Window| window.query_by_label("Problems panel").is_some();
    press(&mut window, Modifiers::NONE, Key::N);
    window.run_steps(3);
    assert!(width(&window) > before + 200.0 && !has_problems(&window));
    press(&mut window, Modifiers::NONE, Key::N);
    window.run_steps(3);
    assert!((width(&window) - before).abs() < 1.0 && has_problems(&window));
    // In the other maps, the inspector has its own key.
    window.state_mut().set_key_preset(Preset::Maya);
    click(&mut window, "View");
    press(&mut window, Modifiers::NONE, Key::Escape);
    point_at_viewport(&mut window);
    press(&mut window, Modifiers::COMMAND, Key::A);
    window.run_steps(3);
    assert!(has_problems(&window));
}
