//! Stored poses in the window, and other choices made with the pointer: cards, lassos, menus, and
//! ranges on the ruler.

use egui::{Event, Key, Modifiers, PointerButton, Pos2, accesskit::Role, vec2};
use egui_kittest::kittest::Queryable as _;
use glam::Quat;
use ulna_edit::command::kept_poses;
use ulna_model::{Property, transform::angle_between};

use crate::common::window::{builder, open};

use super::editing::{Window, click, click_at, node, press, sample, session};

fn rotation(window: &Window, name: &str) -> Quat {
    session(window).document().node(node(window, name)).local().transform().rotation
}

fn on_screen(window: &Window, name: &str) -> Pos2 {
    let rect = window.get_by_label("Viewport").rect();
    let at = window.state().project(node(window, name)).expect("in sight");
    rect.min + vec2(at.x, at.y)
}

/// Drags with a button in several steps. Releases the button unless `held` is set.
fn drag(
    window: &mut Window,
    button: PointerButton,
    modifiers: Modifiers,
    way: &[Pos2],
    held: bool,
) {
    let press = |pressed, pos| Event::PointerButton { pos, button, pressed, modifiers };
    window.event(Event::PointerMoved(way[0]));
    window.run_steps(2);
    window.event_modifiers(press(true, way[0]), modifiers);
    window.step();
    for pair in way.windows(2) {
        for k in 1..=6 {
            window.event_modifiers(
                Event::PointerMoved(pair[0] + (pair[1] - pair[0]) * (k as f32 / 6.0)),
                modifiers,
            );
            window.step();
        }
    }
    if !held {
        window.event_modifiers(press(false, *way.last().expect("a way")), modifiers);
        window.run_steps(4);
    }
}

fn type_number(window: &mut Window, field: &str, text: &str) {
    click(window, field);
    press(window, Modifiers::COMMAND, Key::A);
    window.event(Event::Text(text.to_owned()));
    press(window, Modifiers::NONE, Key::Enter);
}

#[test]
fn a_stored_pose_is_applied_by_a_click_and_blended_by_dragging_its_card() {
    // The cards show pictures, so this window has a device.
    let (mut window, _folder, _) =
        open(builder().wgpu(), include_bytes!("../../assets/mannequin.glb"));
    click(&mut window, "Pose mode");
    click(&mut window, "LeftUpperArm");
    let rest = rotation(&window, "LeftUpperArm");
    type_number(&mut window, "Ul rotation X", "50");
    let posed = rotation(&window, "LeftUpperArm");
    assert!(angle_between(rest, posed) > 0.8);
    click(&mut window, "Save the current pose");
    window.event(Event::Text("Wave".to_owned()));
    press(&mut window, Modifiers::NONE, Key::Enter);
    assert_eq!(kept_poses(session(&window).document())[0].name, "Wave");
    let card = window.get_by_label("Pose Wave").rect().center();
    type_number(&mut window, "Ul rotation X", "0");
    click(&mut window, "Pose Wave");
    assert!(angle_between(rotation(&window, "LeftUpperArm"), posed) < 1e-5, "a click puts it on");
    type_number(&mut window, "Ul rotation X", "0");
    let steps = session(&window).history().done().len();
    let half = [card, card + vec2(80.0, 0.0)];
    drag(&mut window, PointerButton::Primary, Modifiers::NONE, &half, false);
    let whole = angle_between(rest, posed);
    let part = angle_between(rest, rotation(&window, "LeftUpperArm")) / whole;
    assert!((part - 0.5).abs() < 0.03, "half of the way is {part}");
    assert_eq!(session(&window).history().done().len(), steps + 1);
    // Escape during the drag restores the pose.
    drag(&mut window, PointerButton::Primary, Modifiers::NONE, &half, true);
    press(&mut window, Modifiers::NONE, Key::Escape);
    assert_eq!(session(&window).history().done().len(), steps + 1);
    window.event(Event::PointerButton {
        pos: half[1],
        button: PointerButton::Primary,
        pressed: false,
        modifiers: Modifiers::NONE,
    });
    window.run_steps(3);
    // Dragging the button blends the pose toward the rest pose.
    let at = window.get_by_label("Blend: Rest").rect().center();
    drag(
        &mut window,
        PointerButton::Primary,
        Modifiers::NONE,
        &[at, at - vec2(-160.0, 0.0)],
        false,
    );
    assert!(angle_between(rest, rotation(&window, "LeftUpperArm")) < 0.01);
}

#[test]
fn a_lasso_selects_enclosed_joints_and_repeated_clicks_cycle_through_coincident_ones() {
    let (mut window, _folder, _) = sample();
    click(&mut window, "Pose mode");
    press(&mut window, Modifiers::NONE, Key::Q);
    let at = on_screen(&window, "LeftHand");
    let round: Vec<Pos2> =
        [(-14.0, -14.0), (14.0, -14.0), (14.0, 14.0), (-14.0, 14.0), (-14.0, -10.0)]
            .map(|(x, y)| at + vec2(x, y))
            .to_vec();
    drag(&mut window, PointerButton::Secondary, Modifiers::COMMAND, &round, false);
    let selected = window.state().selection().nodes.clone();
    assert!(selected.contains(&node(&window, "LeftHand")), "{selected:?}");
    assert!(
        !selected.contains(&node(&window, "RightHand"))
            && !selected.contains(&node(&window, "LeftUpperArm"))
    );
    // Repeated clicks select coincident joints one after the other.
    let mut seen = std::collections::BTreeSet::new();
    for _ in 0..4 {
        click_at(&mut window, at);
        seen.extend(window.state().selection().active);
    }
    assert!(seen.len() > 1, "{seen:?}");
}

#[test]
fn a_right_click_opens_a_menu_for_the_selection() {
    let (mut window, _folder, _) = sample();
    click(&mut window, "Pose mode");
    click(&mut window, "LeftHand");
    window.get_by_role_and_label(Role::TreeItem, "LeftHand").click_secondary();
    window.run_steps(4);
    click(&mut window, "Pin");
    click(&mut window, "Position and rotation");
    let hand = node(&window, "LeftHand");
    assert!(session(&window).document().aids.pins.contains_key(&hand));
    assert!(
        window.query_by_label("Remove the pin of LeftHand").is_some(),
        "the inspector lists it"
    );
    press(&mut window, Modifiers::NONE, Key::P);
    assert!(session(&window).document().aids.pins.is_empty());
}

#[test]
fn undo_restores_the_selection_of_the_undone_step() {
    let (mut window, _folder, _) = sample();
    click(&mut window, "Pose mode");
    for name in ["LeftHand", "Head"] {
        click(&mut window, name);
        type_number(&mut window, "Ul rotation X", "20");
    }
    click(&mut window, "Hips");
    press(&mut window, Modifiers::COMMAND, Key::Z);
    assert_eq!(window.state().selection().active, Some(node(&window, "Head")));
    press(&mut window, Modifiers::COMMAND, Key::Z);
    assert_eq!(window.state().selection().active, Some(node(&window, "LeftHand")));
    press(&mut window, Modifiers::COMMAND | Modifiers::SHIFT, Key::Z);
    press(&mut window, Modifiers::COMMAND | Modifiers::SHIFT, Key::Z);
    assert_eq!(window.state().selection().active, Some(node(&window, "Head")));
}

#[test]
fn a_foot_is_locked_over_the_range_dragged_on_the_ruler() {
    let (mut window, _folder, _) = sample();
    click(&mut window, "Clip Walk");
    press(&mut window, Modifiers::NONE, Key::Q);
    let foot = on_screen(&window, "LeftFoot");
    // The end of the shin is at the same position.
    for _ in 0..4 {
        if window.state().selection().active != Some(node(&window, "LeftFoot")) {
            click_at(&mut window, foot);
        }
    }
    assert_eq!(window.state().selection().active, Some(node(&window, "LeftFoot")));
    let before = session(&window).document().clone();
    press(&mut window, Modifiers::COMMAND, Key::P);
    window.event(Event::Text("Hold over a range".to_owned()));
    window.run_steps(2);
    press(&mut window, Modifiers::NONE, Key::Enter);
    let ruler = window.get_by_label("Range to lock").rect();
    let at = |part: f32| ruler.left_center() + vec2(ruler.width() * part, 0.0);
    drag(&mut window, PointerButton::Primary, Modifiers::NONE, &[at(0.25), at(0.4)], false);
    press(&mut window, Modifiers::NONE, Key::Enter);
    let document = session(&window).document();
    let walk = document.clips.ids().find(|id| document.clip_label(*id) == "Walk").expect("a clip");
    let changed: std::collections::BTreeSet<String> = document.clips[walk]
        .tracks
        .iter()
        .filter(|(id, track)| before.clips[walk].tracks.get(id) != Some(track))
        .map(|(_, track)| {
            assert_eq!(track.property, Property::Rotation);
            document.node(track.target).label(track.target)
        })
        .collect();
    let limb: std::collections::BTreeSet<String> =
        ["LeftUpperLeg", "LeftLowerLeg", "LeftFoot"].map(str::to_owned).into_iter().collect();
    assert_eq!(changed, limb);
    assert!(window.query_by_label("Range to lock").is_none(), "the range is gone from the ruler");
}

/// In the Blender map, the middle button orbits the view, and the right button does not. In the
/// Maya map, Alt is needed.
#[test]
fn the_mouse_buttons_move_the_view_as_in_blender_and_maya() {
    use ulna_edit::Preset;
    for (preset, button, modifiers, turns) in [
        (Preset::Blender, PointerButton::Middle, Modifiers::NONE, true),
        (Preset::Blender, PointerButton::Secondary, Modifiers::NONE, false),
        (Preset::Maya, PointerButton::Middle, Modifiers::NONE, false),
        (Preset::Maya, PointerButton::Primary, Modifiers::ALT, true),
        (Preset::Ulna, PointerButton::Secondary, Modifiers::NONE, true),
    ] {
        let (mut window, _folder, _) = sample();
        window.state_mut().set_key_preset(preset);
        click(&mut window, "Pose mode");
        let before = *window.state().camera();
        let at = window.get_by_label("Viewport").rect().center() + vec2(200.0, 80.0);
        drag(&mut window, button, modifiers, &[at, at + vec2(90.0, 30.0)], false);
        let moved = *window.state().camera() != before;
        assert_eq!(moved, turns, "{preset:?} {button:?}");
    }
}

/// Over a clip, dragging a blend button moves the pose toward the keys around the playhead, as an
/// unkeyed pose.
#[test]
fn dragging_a_blend_button_moves_the_pose_toward_the_keys_of_the_clip() {
    let (mut window, _folder, _) = sample();
    click(&mut window, "Clip Walk");
    click(&mut window, "LeftUpperArm");
    press(&mut window, Modifiers::NONE, Key::ArrowRight);
    let steps = session(&window).history().done().len();
    let at = window.get_by_label("Blend: Previous").rect().center();
    drag(&mut window, PointerButton::Primary, Modifiers::NONE, &[at, at + vec2(160.0, 0.0)], false);
    let document = session(&window).document();
    assert_eq!(session(&window).history().done().len(), steps + 1);
    let walk = document.clips.ids().find(|id| document.clip_label(*id) == "Walk").expect("a clip");
    let arm = node(&window, "LeftUpperArm");
    let held: Vec<_> = document.aids.unkeyed.values().filter_map(|p| p.locals.get(&arm)).collect();
    let (_, track) = document.clips[walk].track(arm, Property::Rotation).expect("a track");
    let before = Quat::from_slice(track.value(0));
    let [made] = held[..] else { panic!("{held:?}") };
    assert!(
        angle_between(made.rotation.expect("a turn"), before) < 1e-4,
        "all the way is the key before"
    );

    // Dragging the breakdown button all the way to the right gives the pose of the next key. A
    // click on it gives the middle between the previous and the next key.
    let next = Quat::from_slice(track.value(1));
    let at = window.get_by_label("Blend: Breakdown").rect().center();
    drag(&mut window, PointerButton::Primary, Modifiers::NONE, &[at, at + vec2(160.0, 0.0)], false);
    let document = session(&window).document();
    let [made] =
        document.aids.unkeyed.values().filter_map(|p| p.locals.get(&arm)).collect::<Vec<_>>()[..]
    else {
        panic!("one pose")
    };
    assert!(
        angle_between(made.rotation.expect("a turn"), next) < 1e-4,
        "all the way is the key after"
    );
    click(&mut window, "Blend: Breakdown");
    let document = session(&window).document();
    let [made] =
        document.aids.unkeyed.values().filter_map(|p| p.locals.get(&arm)).collect::<Vec<_>>()[..]
    else {
        panic!("one pose")
    };
    let (half, whole) =
        (angle_between(made.rotation.expect("a turn"), before), angle_between(before, next));
    assert!((half - 0.5 * whole).abs() < 1e-4, "{half} of {whole}");
}

/// In a narrow window, the blend buttons are in a menu. They can be dragged there, too.
#[test]
fn in_a_narrow_window_the_blend_buttons_are_in_a_menu() {
    let bytes = include_bytes!("../../assets/mannequin.glb");
    let (mut window, _folder, _) = open(builder().with_size([1100.0, 720.0]), bytes);
    click(&mut window, "Clip Walk");
    press(&mut window, Modifiers::NONE, Key::ArrowRight);
    assert!(window.query_by_label("Blend: Previous").is_none());
    let steps = session(&window).history().done().len();
    click(&mut window, "Blend to");
    window.run_steps(3);
    let at = window.get_by_label("Blend: Previous").rect().center();
    drag(&mut window, PointerButton::Primary, Modifiers::NONE, &[at, at + vec2(160.0, 0.0)], false);
    assert_eq!(session(&window).history().done().len(), steps + 1);
    assert!(!session(&window).document().aids.unkeyed.is_empty());
}

/// Double-clicks within one frame.
fn double_click(window: &mut Window, pos: Pos2) {
    window.event(Event::PointerMoved(pos));
    window.run_steps(8);
    let (button, modifiers) = (PointerButton::Primary, Modifiers::NONE);
    for pressed in [true, false, true, false] {
        let event = Event::PointerButton { pos, button, pressed, modifiers };
        window.input_mut().events.push(event);
    }
    window.run_steps(4);
}

#[test]
fn poses_and_tracks_are_renamed_by_a_key_or_a_double_click() {
    let (mut window, _folder, _) = sample();
    click(&mut window, "Pose mode");
    click(&mut window, "Save the current pose");
    window.event(Event::Text("Wave".to_owned()));
    press(&mut window, Modifiers::NONE, Key::Enter);
    let named = |window: &Window| kept_poses(session(window).document())[0].name.clone();
    click(&mut window, "LeftLowerArm");
    click(&mut window, "Pose Wave");
    press(&mut window, Modifiers::NONE, Key::F2);
    window.run_steps(3);
    window.event(Event::Text("Hello".to_owned()));
    press(&mut window, Modifiers::NONE, Key::Enter);
    assert_eq!(named(&window), "Hello");
    // A double click on the picture applies the pose, and on the name it renames the pose.
    let card = window.get_by_label("Pose Hello").rect();
    for (at, opens) in [(card.center(), false), (card.center_bottom() - vec2(0.0, 8.0), true)] {
        double_click(&mut window, at);
        assert_eq!(window.query_by_label("Name of the pose").is_some(), opens, "{at}");
    }
    window.event(Event::Text("Bye".to_owned()));
    press(&mut window, Modifiers::NONE, Key::Enter);
    assert_eq!(named(&window), "Bye");
    click(&mut window, "Clip Walk");
    let at = window.get_by_label("Track LeftUpperArm").rect().left_center() + vec2(60.0, 0.0);
    double_click(&mut window, at);
    window.event(Event::Text("Sleeve".to_owned()));
    press(&mut window, Modifiers::NONE, Key::Enter);
    node(&window, "Sleeve");
}

#[test]
fn a_double_click_within_one_frame_renames_a_clip() {
    let (mut window, _folder, _) = sample();
    let at = window.get_by_label("Clip Walk").rect().center();
    double_click(&mut window, at);
    window.event(Event::Text("Stroll".to_owned()));
    press(&mut window, Modifiers::NONE, Key::Enter);
    let document = session(&window).document();
    let id = document.clips.ids().find(|id| document.clip_label(*id) == "Stroll");
    assert!(id.is_some(), "the typed name is the clip's name");
}
