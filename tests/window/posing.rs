//! Posing in the window: handles, shortcuts, dragged limbs, pins, and stored selections. Results
//! are checked in the document.

use egui::{Event, Key, Modifiers, PointerButton, Pos2, vec2};
use egui_kittest::kittest::Queryable as _;
use glam::{Quat, Vec3};
use ulna_edit::{Command, CommandLine};
use ulna_model::{Document, NodeId, Transform, transform::angle_between};
use ulna_motion::{Pose, Stack};
use ulna_session::Session;

use super::editing::{Window, click, click_at, node, press, sample, session};

pub(super) fn local(document: &Document, node: NodeId) -> Transform {
    document.node(node).local().transform()
}

pub(super) fn place(document: &Document, node: NodeId) -> Vec3 {
    Pose::evaluate(document, &Stack::default()).world[node.index()].w_axis.truncate()
}

pub(super) fn steps(window: &Window) -> usize {
    session(window).history().done().len()
}

/// Types keys with their texts, like a keyboard.
pub(super) fn type_text(window: &mut Window, text: &str) {
    for c in text.chars() {
        window.event(Event::Text(c.to_string()));
        window.step();
    }
}

pub(super) fn on_screen(window: &Window, node: NodeId) -> Pos2 {
    let rect = window.get_by_label("Viewport").rect();
    let at = window.state().project(node).expect("in sight");
    rect.min + vec2(at.x, at.y)
}

fn button(pressed: bool, pos: Pos2) -> Event {
    Event::PointerButton {
        pos,
        button: PointerButton::Primary,
        pressed,
        modifiers: Modifiers::NONE,
    }
}

/// Presses the button, moves the pointer along a path, and does not release the button.
pub(super) fn hold(window: &mut Window, way: &[Pos2]) {
    window.event(Event::PointerMoved(way[0]));
    window.run_steps(2);
    window.event(button(true, way[0]));
    window.step();
    for pair in way.windows(2) {
        for k in 1..=6 {
            window.event(Event::PointerMoved(pair[0] + (pair[1] - pair[0]) * (k as f32 / 6.0)));
            window.step();
        }
    }
}

pub(super) fn release(window: &mut Window, at: Pos2) {
    window.event(button(false, at));
    window.run_steps(4);
}

/// Opens the sample in Pose mode, with its forearm selected and rotated a little.
pub(super) fn arm() -> (Window, tempfile::TempDir, NodeId) {
    let (mut window, folder, _) = sample();
    click(&mut window, "Pose mode");
    click(&mut window, "LeftLowerArm");
    let arm = node(&window, "LeftLowerArm");
    (window, folder, arm)
}

/// Returns the document after a command line.
fn after(document: &Document, line: &CommandLine) -> Document {
    let mut session =
        Session::open_bytes(include_bytes!("../../assets/mannequin.glb")).expect("the sample");
    assert!(session.document().nodes == document.nodes, "posed already");
    session.run(&Command::read(line).expect("a line")).expect("done");
    session.document().clone()
}

/// Chooses the axes of the manipulator in the toolbar.
fn choose_axes(window: &mut Window, space: &str) {
    window.get_by_label_contains("Axes: ").click();
    window.run_steps(3);
    click(window, &format!("{space} axes"));
    window.run_steps(3);
}

#[test]
fn every_posing_tool_works_in_every_space_by_keyboard() {
    let (mut window, _folder, arm) = arm();
    window.event(Event::PointerMoved(
        window.get_by_label("Viewport").rect().center() + vec2(200.0, 100.0),
    ));
    window.run_steps(2);
    let start = session(&window).document().clone();
    let mut tried = 0;
    for space in ["Local", "Parent", "World", "View", "Gimbal", "Rest"] {
        choose_axes(&mut window, space);
        window.event(Event::PointerMoved(
            window.get_by_label("Viewport").rect().center() + vec2(200.0, 100.0),
        ));
        window.run_steps(2);
        for (tool, key, plain, number) in [
            ("Move", Key::W, "pose.move", "0.05"),
            ("Rotate", Key::E, "pose.rotate", "30"),
            ("Scale", Key::R, "pose.scale", "1.5"),
        ] {
            click(&mut window, tool);
            window.event(Event::PointerMoved(
                window.get_by_label("Viewport").rect().center() + vec2(200.0, 100.0),
            ));
            window.run_steps(2);
            for (k, axis) in [Key::X, Key::Y, Key::Z].into_iter().enumerate() {
                press(&mut window, Modifiers::NONE, key);
                press(&mut window, Modifiers::NONE, axis);
                type_text(&mut window, number);
                press(&mut window, Modifiers::NONE, Key::Enter);
                assert_eq!(steps(&window), 1, "{tool} {space} {axis:?}");
                let now = session(&window).document().clone();
                let line = session(&window).history().done()[0].lines(&now).remove(0);
                // Uses the general command where it can express the same change.
                let any = match (tool, space) {
                    ("Scale", "Local" | "View") => plain,
                    (_, "Gimbal" | "Rest") | ("Scale", _) => match tool {
                        "Rotate" => "pose.turn",
                        "Move" => "pose.shift",
                        _ => "pose.resize",
                    },
                    _ => plain,
                };
                assert_eq!(line.name, any, "{line}");
                let (was, is) = (local(&start, arm), local(&now, arm));
                // Only the component of the tool changes.
                assert_eq!(is.translation != was.translation, tool == "Move", "{space}");
                assert_eq!(is.rotation != was.rotation, tool == "Rotate", "{space}");
                assert_eq!(is.scale != was.scale, tool == "Scale", "{space}");
                match tool {
                    "Rotate" => assert!(
                        (angle_between(was.rotation, is.rotation).to_degrees() - 30.0).abs() < 1e-3
                    ),
                    "Move" => {
                        let way = place(&now, arm).distance(place(&start, arm));
                        assert!((way - 0.05).abs() < 1e-5, "{space} {axis:?}: {way}");
                    }
                    _ => {}
                }
                if space != "View" {
                    // The command line gives the same result.
                    let mut wanted = CommandLine::new(any).with("node", "LeftLowerArm");
                    if any != "pose.scale" {
                        wanted = wanted.with("space", space.to_lowercase());
                    }
                    let unit = |v: f64, other: f64| {
                        let mut all = [other; 3];
                        all[k] = v;
                        all
                    };
                    wanted = match tool {
                        "Rotate" => wanted.with("axis", ["x", "y", "z"][k]).with("degrees", 30.0),
                        "Move" => wanted.with("by", unit(0.05, 0.0)),
                        _ => wanted.with("by", unit(1.5, 1.0)),
                    };
                    let made = local(&after(&start, &wanted), arm);
                    assert!(made.is_close(&is, 1e-5, 1e-6), "{wanted}: {made:?} {is:?}");
                }
                press(&mut window, Modifiers::COMMAND, Key::Z);
                assert!(session(&window).document().nodes == start.nodes);
                tried += 1;
            }
        }
    }
    assert_eq!(tried, 54);
}

#[test]
fn a_keyboard_gesture_follows_the_pointer_and_a_click_only_ends_it() {
    let (mut window, _folder, arm) = arm();
    click(&mut window, "Move");
    let at = on_screen(&window, arm);
    window.event(Event::PointerMoved(at));
    window.run_steps(2);
    press(&mut window, Modifiers::NONE, Key::W);
    assert_eq!(steps(&window), 0);
    let before = place(session(&window).document(), arm);
    for k in 1..=5 {
        window.event(Event::PointerMoved(at + vec2(10.0 * k as f32, -6.0 * k as f32)));
        window.step();
    }
    let seen = place(session(&window).document(), arm);
    assert!(seen.distance(before) > 0.01, "it follows");
    // The joint is still under the pointer.
    assert!(on_screen(&window, arm).distance(at + vec2(50.0, -30.0)) < 3.0);
    click_at(&mut window, at + vec2(50.0, -30.0));
    assert_eq!(steps(&window), 1);
    assert_eq!(window.state().selection().active, Some(arm));
    assert!(place(session(&window).document(), arm).distance(seen) < 1e-6);
    // Escape leaves no change.
    press(&mut window, Modifiers::NONE, Key::W);
    window.event(Event::PointerMoved(at));
    window.run_steps(2);
    press(&mut window, Modifiers::NONE, Key::Escape);
    assert_eq!(steps(&window), 1);
    assert_eq!(window.state().selection().active, Some(arm), "Escape ended the gesture alone");
}

#[test]
fn a_drag_back_to_its_start_makes_no_step_and_a_hundred_drags_do_not_drift() {
    let (mut window, _folder, arm) = arm();
    click(&mut window, "Move");
    choose_axes(&mut window, "World");
    let start = session(&window).document().clone();
    let at = on_screen(&window, arm);
    let out = at + vec2(40.0, 25.0);
    hold(&mut window, &[at, out, at]);
    release(&mut window, at);
    assert_eq!(steps(&window), 0, "there and back");
    for k in 0..50 {
        let here = on_screen(&window, arm);
        let way = vec2(24.0, if k % 2 == 0 { 12.0 } else { -12.0 });
        hold(&mut window, &[here, here + way]);
        release(&mut window, here + way);
        let there = on_screen(&window, arm);
        assert!(there.distance(here + way) < 2.5, "{k}: it stays under the pointer");
        press(&mut window, Modifiers::COMMAND, Key::Z);
        assert!(session(&window).document().nodes == start.nodes, "{k}");
    }
}

#[test]
fn pressing_an_axis_twice_switches_the_space_and_typed_arithmetic_is_evaluated() {
    let (mut window, _folder, arm) = arm();
    choose_axes(&mut window, "World");
    window.event(Event::PointerMoved(on_screen(&window, arm) + vec2(60.0, 0.0)));
    window.run_steps(2);
    let was = local(session(&window).document(), arm).rotation;
    press(&mut window, Modifiers::NONE, Key::E);
    press(&mut window, Modifiers::NONE, Key::X);
    press(&mut window, Modifiers::NONE, Key::X);
    type_text(&mut window, "90/3");
    press(&mut window, Modifiers::NONE, Key::Enter);
    let is = local(session(&window).document(), arm).rotation;
    let wanted = was * Quat::from_rotation_x(30f32.to_radians());
    assert!(angle_between(is, wanted) < 1e-5, "about its own x");
}

#[test]
fn dragging_the_skin_of_a_hand_moves_the_arm() {
    let (mut window, _folder, _) = arm();
    press(&mut window, Modifiers::NONE, Key::U);
    let (hand, upper) = (node(&window, "LeftHand"), node(&window, "LeftUpperArm"));
    let start = session(&window).document().clone();
    let at = on_screen(&window, hand);
    let to = at + vec2(30.0, -70.0);
    hold(&mut window, &[at, to]);
    let during = place(session(&window).document(), hand);
    release(&mut window, to);
    let now = session(&window).document();
    assert_eq!(steps(&window), 1);
    assert_eq!(window.state().selection().active, Some(hand));
    assert!(place(now, hand).distance(place(&start, hand)) > 0.05);
    assert!(place(now, hand).distance(during) < 1e-6);
    assert!(
        angle_between(local(now, upper).rotation, local(&start, upper).rotation) > 0.02,
        "the arm follows"
    );
    for name in ["LeftShoulder", "Hips", "RightHand"] {
        let node = node(&window, name);
        assert_eq!(local(now, node), local(&start, node), "{name} stays");
    }
    let line = session(&window).history().done()[0].lines(now).remove(0);
    assert_eq!(
        (line.name.as_str(), line.arguments["node"].as_str()),
        ("pose.ik", Some("LeftHand")),
        "{line}"
    );
}

#[test]
fn a_key_sets_a_pin_and_clicks_cycle_through_its_kinds() {
    let (mut window, _folder, _) = arm();
    let foot = node(&window, "LeftFoot");
    press(&mut window, Modifiers::NONE, Key::Q);
    let middle = on_screen(&window, foot).lerp(on_screen(&window, node(&window, "LeftToes")), 0.5);
    click_at(&mut window, middle);
    assert_eq!(window.state().selection().active, Some(foot));
    press(&mut window, Modifiers::NONE, Key::P);
    let pin = |window: &Window| session(window).document().aids.pins.get(&foot).copied();
    assert!(pin(&window).is_some_and(|p| p.place && p.angle));
    click(&mut window, "Pin of LeftFoot: position, rotation");
    assert!(pin(&window).is_some_and(|p| !p.place && p.angle));
    click(&mut window, "Pin of LeftFoot: rotation");
    assert_eq!(pin(&window), None);
    press(&mut window, Modifiers::COMMAND, Key::Z);
    assert!(pin(&window).is_some());
}

#[test]
fn selections_are_stored_and_restored_by_digit_keys() {
    let (mut window, _folder, arm) = arm();
    press(&mut window, Modifiers::NONE, Key::ArrowUp);
    press(&mut window, Modifiers::SHIFT, Key::ArrowDown);
    let all = window.state().selection().nodes.clone();
    assert!(all.len() > 15 && all.contains(&arm), "{}", all.len());
    press(&mut window, Modifiers::COMMAND | Modifiers::ALT, Key::Num3);
    press(&mut window, Modifiers::NONE, Key::Escape);
    assert!(window.state().selection().nodes.is_empty());
    press(&mut window, Modifiers::ALT, Key::Num3);
    assert_eq!(window.state().selection().nodes, all);
    press(&mut window, Modifiers::NONE, Key::Q);
    let middle = on_screen(&window, arm).lerp(on_screen(&window, node(&window, "LeftHand")), 0.5);
    click_at(&mut window, middle);
    press(&mut window, Modifiers::SHIFT, Key::L);
    let names: Vec<String> = {
        let document = session(&window).document();
        window.state().selection().nodes.iter().map(|n| document.node(*n).label(*n)).collect()
    };
    for name in ["LeftUpperArm", "LeftLowerArm"] {
        assert!(names.contains(&name.to_owned()), "{names:?}");
    }
}

#[test]
fn with_symmetry_a_drag_poses_both_sides() {
    let (mut window, _folder, arm) = arm();
    click(&mut window, "Pose both sides alike");
    window.event(Event::PointerMoved(on_screen(&window, arm) + vec2(60.0, 0.0)));
    window.run_steps(2);
    press(&mut window, Modifiers::NONE, Key::E);
    press(&mut window, Modifiers::NONE, Key::Y);
    type_text(&mut window, "40");
    press(&mut window, Modifiers::NONE, Key::Enter);
    assert_eq!(steps(&window), 1);
    let other = node(&window, "RightLowerArm");
    let document = session(&window).document();
    let made = ulna_motion::Mirror::of(document)
        .pose(document, arm, &local(document, arm))
        .expect("a partner");
    assert_eq!(made.node, other);
    assert!(document.node(other).user().is_some());
    assert!(angle_between(made.local.rotation, local(document, other).rotation) < 1e-5);
}

/// A key on the motion path of a hand is dragged. The playhead moves to its time, and the arm
/// follows and is keyed only there, in one step. A click on another key moves the playhead to it.
#[test]
fn keys_can_be_dragged_on_a_motion_path() {
    let (mut window, _folder, _) = sample();
    click(&mut window, "Animate mode");
    click(&mut window, "Clip Walk");
    click(&mut window, "LeftHand");
    press(&mut window, Modifiers::ALT, Key::P);
    window.run_steps(20);
    let (hand, arm) = (node(&window, "LeftHand"), node(&window, "LeftUpperArm"));
    let id = session(&window)
        .document()
        .clips
        .ids()
        .find(|c| session(&window).document().clip_label(*c) == "Walk");
    let id = id.expect("a walk");
    let clip = |window: &Window| session(window).document().clips[id].clone();
    let before = clip(&window);
    let (_, track) = before.track(arm, ulna_model::Property::Rotation).expect("it turns");
    let time = track.times[track.times.len() / 2];
    let fps = window.state().playback().fps;
    let key = format!("Path key of LeftHand at frame {}", (f64::from(time) * fps).round());
    let from = window.get_by_label(&key).rect().center();
    hold(&mut window, &[from, from + vec2(30.0, -25.0)]);
    release(&mut window, from + vec2(30.0, -25.0));
    let after = clip(&window);
    assert_eq!(steps(&window), 1);
    assert!((window.state().playback().time - f64::from(time)).abs() < 1e-6);
    let mut keyed = 0;
    for (track, was) in &before.tracks {
        let is = &after.tracks[track];
        for (k, t) in was.times.iter().enumerate() {
            let now = is.key_at(*t, 1e-5).expect("no key goes");
            if was.value(k) != is.value(now) {
                assert!((t - time).abs() < 1e-4, "a key of another time is changed");
                keyed += 1;
            }
        }
    }
    assert!(keyed >= 2, "{keyed} keys of the arm");
    let at = |clip: &ulna_model::Shared<ulna_model::Clip>| {
        let pose =
            Pose::evaluate(session(&window).document(), &Stack::of(Some(clip), f64::from(time)));
        pose.world[hand.index()].w_axis.truncate()
    };
    assert!(at(&before).distance(at(&after)) > 0.01);
    press(&mut window, Modifiers::COMMAND, Key::Z);
    assert_eq!(clip(&window), before);
    let other = f64::from(track.times[1]);
    let label = format!("Path key of LeftHand at frame {}", (other * fps).round());
    let first = window.get_by_label(&label).rect().center();
    hold(&mut window, &[first]);
    release(&mut window, first);
    assert!(
        (window.state().playback().time - other).abs() < 1e-3,
        "{}",
        window.state().playback().time
    );
    assert_eq!(steps(&window), 0);
}
