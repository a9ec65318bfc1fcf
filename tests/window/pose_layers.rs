//! Pose layers in the window: created, changed by tools, weighted, keyed, compared and removed.
//! Results are checked in the document.
#![allow(clippy::unwrap_used, reason = "a test ends where something is not as it must be")]

use egui::{Key, Modifiers, PointerButton, pos2};
use egui_kittest::kittest::Queryable as _;
use ulna_model::{ClipId, LayerHome, PoseLayers, Property, Shared, transform::angle_between};
use ulna_motion::{Pose, Stack};

use super::editing::{Window, click, node, press, sample, session};

const WALK: ClipId = ClipId(1);

fn layers(window: &Window) -> Shared<PoseLayers> {
    session(window).document().aids.layers(LayerHome::Clip(WALK))
}

/// Opens the sample with *Walk*, with the head selected, and with a new layer that edits change.
fn layered() -> (Window, tempfile::TempDir, std::path::PathBuf) {
    let (mut window, folder, path) = sample();
    click(&mut window, "Clip Walk");
    click(&mut window, "Edit: Layer");
    window.get_by_label("Track Head").click();
    window.run_steps(3);
    window.event(egui::Event::PointerMoved(pos2(800.0, 300.0)));
    window.run_steps(2);
    (window, folder, path)
}

fn no_fault(window: &Window) {
    assert!(window.query_by_label_contains("Ulna had an internal error").is_none());
}

#[test]
fn a_tool_changes_the_chosen_layer_in_the_whole_clip() {
    let (mut window, ..) = layered();
    assert_eq!(layers(&window).0.len(), 1, "one was made");
    let head = node(&window, "Head");
    let keys = session(&window).document().clips[WALK].clone();
    press(&mut window, Modifiers::NONE, Key::E);
    press(&mut window, Modifiers::NONE, Key::X);
    window.event(egui::Event::Text("30".to_owned()));
    window.run_steps(2);
    press(&mut window, Modifiers::NONE, Key::Enter);
    let document = session(&window).document();
    assert_eq!(document.clips[WALK], keys, "no key of the clip");
    assert!(document.aids.unkeyed.is_empty(), "no unkeyed pose");
    for time in [0.0, 0.37] {
        let raw = Pose::evaluate(document, &Stack::of(document.clips.get(WALK), time));
        let seen = Pose::evaluate(document, &Stack::shown(document, Some(WALK), time));
        let turn = angle_between(
            raw.local[head.index()].transform().rotation,
            seen.local[head.index()].transform().rotation,
        );
        assert!((turn.to_degrees() - 30.0).abs() < 0.1, "{turn} at {time}");
    }
    // The layer is shown in the outliner row of the head, listed among the edits, switched off and
    // on by its eye icon, and reverted.
    click(&mut window, "Layer on");
    assert!(layers(&window).0[0].muted);
    click(&mut window, "Layer on");
    assert!(!layers(&window).0[0].muted);
    window.get_by_label("Revert Layer").click_accesskit();
    window.run_steps(3);
    assert!(layers(&window).is_empty());
    press(&mut window, Modifiers::COMMAND, Key::Z);
    assert_eq!(layers(&window).0.len(), 1);
    no_fault(&window);
}

#[test]
fn keys_of_a_layer_are_set_moved_and_deleted_on_the_sheet() {
    let (mut window, ..) = layered();
    let head = node(&window, "Head");
    let keys = session(&window).document().clips[WALK].clone();
    press(&mut window, Modifiers::SHIFT, Key::S);
    let zero = layers(&window).0[0].keys.clone();
    assert_eq!(zero.track(head, Property::Rotation).unwrap().1.times.len(), 1);
    // At another time, a pose sets a key of the layer.
    let sheet = window.get_by_label("Timeline keys").rect();
    let ruler = pos2(sheet.left() + sheet.width() * 0.5, sheet.top() - 12.0);
    super::editing::click_at(&mut window, ruler);
    window.event(egui::Event::PointerMoved(pos2(800.0, 300.0)));
    window.run_steps(2);
    press(&mut window, Modifiers::NONE, Key::E);
    press(&mut window, Modifiers::NONE, Key::X);
    window.event(egui::Event::Text("20".to_owned()));
    window.run_steps(2);
    press(&mut window, Modifiers::NONE, Key::Enter);
    let two = layers(&window).0[0].keys.track(head, Property::Rotation).unwrap().1.clone();
    assert_eq!(two.times.len(), 2, "{:?}", two.times);
    assert_eq!(session(&window).document().clips[WALK], keys);
    // Ctrl+A selects keys when the pointer is over the timeline.
    let over = window.get_by_label("Track Head").rect();
    window.event(egui::Event::PointerMoved(pos2(sheet.center().x, over.center().y)));
    window.run_steps(2);
    press(&mut window, Modifiers::COMMAND, Key::A);
    assert_eq!(window.state().selected_keys().len(), 2);
    press(&mut window, Modifiers::NONE, Key::Delete);
    assert!(layers(&window).0[0].keys.tracks.is_empty());
    assert_eq!(session(&window).document().clips[WALK], keys);
    no_fault(&window);
}

#[test]
fn keys_of_a_layer_strength_are_set_dragged_and_deleted() {
    let (mut window, ..) = layered();
    click(&mut window, "More commands for Layer");
    click(&mut window, "Key strength here");
    assert_eq!(layers(&window).0[0].strength_keys.as_ref().unwrap().times.to_vec(), [0.0]);
    let sheet = window.get_by_label("Timeline keys").rect();
    super::editing::click_at(
        &mut window,
        pos2(sheet.left() + sheet.width() * 0.4, sheet.top() - 12.0),
    );
    click(&mut window, "Keys of the strength of Layer");
    assert_eq!(layers(&window).0[0].strength_keys.as_ref().unwrap().times.len(), 2);
    let key = window.get_by_label("Key 2 of the strength of Layer").rect().center();
    super::editing::drag(&mut window, key, pos2(key.x + 120.0, key.y + 40.0));
    let moved = layers(&window).0[0].strength_keys.clone().unwrap();
    assert!(moved.times[1] > 0.4 && moved.values[1] == 0.0, "{moved:?}");
    let key = window.get_by_label("Key 1 of the strength of Layer").rect().center();
    for pressed in [true, false] {
        window.event(egui::Event::PointerMoved(key));
        let (button, modifiers) = (PointerButton::Secondary, Modifiers::NONE);
        window.event(egui::Event::PointerButton { pos: key, button, pressed, modifiers });
        window.step();
    }
    window.run_steps(3);
    assert_eq!(layers(&window).0[0].strength_keys.as_ref().unwrap().times.len(), 1);
    no_fault(&window);
}

#[test]
fn holding_a_key_shows_the_file_as_opened() {
    let (mut window, ..) = layered();
    let head = node(&window, "Head");
    let before = window.state().shown_pose().local[head.index()].transform().rotation;
    press(&mut window, Modifiers::NONE, Key::E);
    press(&mut window, Modifiers::NONE, Key::Z);
    window.event(egui::Event::Text("40".to_owned()));
    window.run_steps(2);
    press(&mut window, Modifiers::NONE, Key::Enter);
    let turned = |window: &Window| {
        angle_between(window.state().shown_pose().local[head.index()].transform().rotation, before)
            .to_degrees()
    };
    assert!(turned(&window) > 30.0);
    window.key_down(Key::Backtick);
    window.run_steps(2);
    assert!(turned(&window) < 0.01, "{}", turned(&window));
    window.key_up(Key::Backtick);
    window.run_steps(2);
    assert!(turned(&window) > 30.0);
    click(&mut window, "Compare: File");
    assert!(turned(&window) < 0.01);
    click(&mut window, "Compare: Both");
    assert!(turned(&window) > 30.0);
    no_fault(&window);
}

#[test]
fn in_pose_mode_edits_apply_to_the_chosen_layer() {
    let (mut window, ..) = sample();
    press(&mut window, Modifiers::NONE, Key::Num1);
    window.get_by_label("Head").click();
    window.run_steps(3);
    let head = node(&window, "Head");
    click(&mut window, "New layer");
    no_fault(&window);
    let pose = |window: &Window| session(window).document().aids.layers(LayerHome::Pose);
    assert_eq!(pose(&window).0.len(), 1, "{:?}", session(&window).document().aids.pose_layers);
    let turn = |window: &mut Window| {
        window.event(egui::Event::PointerMoved(pos2(800.0, 300.0)));
        window.run_steps(2);
        press(window, Modifiers::NONE, Key::E);
        press(window, Modifiers::NONE, Key::X);
        window.event(egui::Event::Text("9".to_owned()));
        window.run_steps(2);
        press(window, Modifiers::NONE, Key::Enter);
    };
    turn(&mut window);
    assert!(pose(&window).0[0].moves.contains_key(&head));
    assert!(session(&window).document().node(head).pose.is_none());
    click(&mut window, "Pose offset");
    turn(&mut window);
    assert!(session(&window).document().node(head).pose.is_some());
    no_fault(&window);
}

#[test]
fn with_auto_key_a_value_typed_into_a_layer_is_keyed() {
    let (mut window, ..) = layered();
    let head = node(&window, "Head");
    click(&mut window, "New layer");
    click(&mut window, "Auto-key");
    let typed = |window: &mut Window, text: &str| {
        click(window, "Layer rotation X");
        press(window, Modifiers::COMMAND, Key::A);
        window.event(egui::Event::Text(text.to_owned()));
        press(window, Modifiers::NONE, Key::Enter);
    };
    typed(&mut window, "20");
    let sheet = window.get_by_label("Timeline keys").rect();
    let ruler = pos2(sheet.left() + sheet.width() * 0.5, sheet.top() - 12.0);
    super::editing::click_at(&mut window, ruler);
    typed(&mut window, "-10");
    let keys = layers(&window).0[1].keys.track(head, Property::Rotation).expect("keys").1.clone();
    assert_eq!(keys.times.len(), 2, "one key per typed value: {:?}", keys.times);
    let turn = |k: usize| {
        ulna_model::Local::Trs(ulna_model::Transform {
            rotation: glam::Quat::from_slice(keys.value(k)),
            ..Default::default()
        })
    };
    let degrees = |k: usize| turn(k).transform().rotation.to_scaled_axis().x.to_degrees();
    assert!(
        (degrees(0) - 20.0).abs() < 0.1 && (degrees(1) + 10.0).abs() < 0.1,
        "{} {}",
        degrees(0),
        degrees(1)
    );
    no_fault(&window);
}
