//! Keys that wait for an axis or a number, and posing commands on both sides, about a pivot, or
//! with snapping.

use egui::{Event, Key, Modifiers, PointerButton, Pos2, vec2};
use egui_kittest::kittest::Queryable as _;
use glam::Quat;
use ulna::ui::Mode;
use ulna_model::{Document, NodeId, transform::angle_between};
use ulna_motion::Mirror;

use super::{
    editing::{Window, click, click_at, node, press, sample, session, window},
    posing::{arm, hold, local, on_screen, place, release, steps, type_text},
};
use crate::common::window::{builder, open};

fn key(window: &Window, key: Key, pressed: bool) {
    window.event(Event::Key {
        key,
        physical_key: None,
        pressed,
        repeat: false,
        modifiers: Modifiers::NONE,
    });
}

/// Types a key with its text, like a keyboard.
fn typed(window: &mut Window, which: Key, text: &str) {
    key(window, which, true);
    window.event(Event::Text(text.to_owned()));
    key(window, which, false);
    window.run_steps(2);
}

/// Opens the sample in Pose mode with its forearm selected. The window draws 60 frames per second,
/// because these tests depend on time.
fn quick_arm() -> (Window, tempfile::TempDir, NodeId) {
    let bytes = include_bytes!("../../assets/mannequin.glb");
    let (mut window, folder, _) = open(builder().with_step_dt(1.0 / 60.0), bytes);
    click(&mut window, "Pose mode");
    click(&mut window, "LeftLowerArm");
    let arm = node(&window, "LeftLowerArm");
    (window, folder, arm)
}

fn point_aside(window: &mut Window) {
    window.event(Event::PointerMoved(
        window.get_by_label("Viewport").rect().center() + vec2(200.0, 100.0),
    ));
    window.run_steps(2);
}

#[test]
fn a_newly_chosen_tool_waits_for_an_axis_or_a_number() {
    let (mut window, _folder, arm) = quick_arm();
    point_aside(&mut window);
    let start = session(&window).document().clone();
    // The first press chooses the tool. While it waits, X is not a command, and digits do not
    // switch the mode.
    typed(&mut window, Key::W, "w");
    typed(&mut window, Key::X, "x");
    typed(&mut window, Key::Period, ".");
    typed(&mut window, Key::Num3, "3");
    press(&mut window, Modifiers::NONE, Key::Enter);
    assert_eq!((steps(&window), window.state().mode()), (1, Mode::Pose));
    let way = place(session(&window).document(), arm).distance(place(&start, arm));
    assert!((way - 0.3).abs() < 1e-5, "{way}");
    // A number without an axis starts the tool, too.
    typed(&mut window, Key::R, "r");
    typed(&mut window, Key::Num2, "2");
    press(&mut window, Modifiers::NONE, Key::Enter);
    assert_eq!((steps(&window), window.state().mode()), (2, Mode::Pose));
    assert!(
        (local(session(&window).document(), arm).scale.x - 2.0 * local(&start, arm).scale.x).abs()
            < 1e-5
    );
    // All keys are in one frame, as when a script types.
    for (which, text) in [(Key::E, "e"), (Key::Y, "y"), (Key::Num4, "4"), (Key::Num0, "0")] {
        let event = |pressed| Event::Key {
            key: which,
            physical_key: None,
            pressed,
            repeat: false,
            modifiers: Modifiers::NONE,
        };
        window.input_mut().events.extend([event(true), Event::Text(text.to_owned()), event(false)]);
    }
    window.run_steps(3);
    press(&mut window, Modifiers::NONE, Key::Enter);
    assert_eq!((steps(&window), window.state().mode()), (3, Mode::Pose));
    let turned = angle_between(
        local(session(&window).document(), arm).rotation,
        local(&start, arm).rotation,
    );
    assert!((turned.to_degrees() - 40.0).abs() < 1e-3, "{turned}");
}

#[test]
fn a_tool_waits_one_second_and_escape_only_ends_the_wait() {
    let (mut window, _folder, arm) = quick_arm();
    point_aside(&mut window);
    typed(&mut window, Key::W, "w");
    // A letter with a command, such as H for hide, has no effect.
    typed(&mut window, Key::H, "h");
    let handle =
        |window: &Window| window.query_all_by_label_contains("Handle: Move").next().is_some();
    assert!(handle(&window), "the arm is still there to be moved");
    press(&mut window, Modifiers::NONE, Key::Escape);
    assert_eq!(window.state().selection().active, Some(arm), "it is selected still");
    typed(&mut window, Key::Num2, "2");
    assert_eq!(window.state().mode(), Mode::Animate, "a digit is a mode again");
    typed(&mut window, Key::Num1, "1");
    typed(&mut window, Key::E, "e");
    window.run_steps(90);
    typed(&mut window, Key::Num2, "2");
    assert_eq!(window.state().mode(), Mode::Animate, "after a second as well");
    assert_eq!(steps(&window), 0);
}

#[test]
fn the_clicked_field_receives_keys_typed_right_after_the_click() {
    let (mut window, _folder, arm) = arm();
    let at = window.get_by_label("Ul rotation X").rect().center();
    window.event(Event::PointerMoved(at));
    window.run_steps(2);
    // The click and the keys are in one frame.
    let button = |pressed| Event::PointerButton {
        pos: at,
        button: PointerButton::Primary,
        pressed,
        modifiers: Modifiers::NONE,
    };
    let all = |pressed| Event::Key {
        key: Key::A,
        physical_key: None,
        pressed,
        repeat: false,
        modifiers: Modifiers::COMMAND,
    };
    let events = [button(true), button(false), all(true), all(false), Event::Text("25".into())];
    window.input_mut().events.extend(events);
    window.run_steps(6);
    press(&mut window, Modifiers::NONE, Key::Enter);
    window.run_steps(3);
    assert_eq!(window.state().selection().nodes.len(), 1, "no other joint was selected");
    let document = session(&window).document();
    let user = document.node(arm).user().expect("it is posed");
    assert!((angle_between(user.rotation, Quat::IDENTITY).to_degrees() - 25.0).abs() < 1e-3);
}

#[test]
fn bending_rings_accept_the_axis_and_number_keys_shown_in_the_status_bar() {
    use crate::common::paint::{node, painting, press, session};
    const ARM: &str = "LeftUpperArm";
    let (mut window, _folder) = painting(ARM);
    let arm = node(session(&window).document(), ARM);
    let rotation =
        |window: &Window| window.state().shown_pose().local[arm.index()].transform().rotation;
    let (before, mirror) = (rotation(&window), window.state().brush().mirror);
    press(&mut window, Modifiers::NONE, Key::R);
    point_aside(&mut window);
    typed(&mut window, Key::X, "x");
    typed(&mut window, Key::Num3, "3");
    typed(&mut window, Key::Num0, "0");
    press(&mut window, Modifiers::NONE, Key::Enter);
    assert_eq!(window.state().brush().mirror, mirror, "X is the ring's while rings are seen");
    assert_eq!(window.state().mode(), Mode::Paint);
    let turned = angle_between(rotation(&window), before).to_degrees();
    assert!((turned - 30.0).abs() < 1e-2, "{turned}");
    assert!(!session(&window).is_unsaved());
}

/// Whether a joint is the mirror image of another one.
fn is_mirrored(document: &Document, from: NodeId, to: NodeId) -> bool {
    let made =
        Mirror::of(document).pose(document, from, &local(document, from)).expect("a partner");
    let (made, is) = (made.local, local(document, to));
    angle_between(made.rotation, is.rotation) < 1e-4
        && made.translation.distance(is.translation) < 1e-5
}

#[test]
fn with_symmetry_typed_numbers_and_resets_apply_to_both_sides() {
    let (mut window, _folder, arm) = arm();
    let other = node(&window, "RightLowerArm");
    press(&mut window, Modifiers::SHIFT, Key::X);
    window.get_by_label("Ul rotation X").focus();
    window.run_steps(3);
    press(&mut window, Modifiers::COMMAND, Key::A);
    window.get_by_label("Ul rotation X").type_text("25");
    window.run_steps(2);
    press(&mut window, Modifiers::NONE, Key::Enter);
    assert_eq!(steps(&window), 1);
    let document = session(&window).document();
    assert!(document.node(arm).user().is_some() && document.node(other).user().is_some());
    assert!(is_mirrored(document, arm, other), "typed values");
    window.event(Event::PointerMoved(
        window.get_by_label("Viewport").rect().center() + vec2(200.0, 100.0),
    ));
    window.run_steps(2);
    press(&mut window, Modifiers::ALT, Key::E);
    let document = session(&window).document();
    assert!(
        document.node(arm).user().is_none() && document.node(other).user().is_none(),
        "a reset"
    );
    assert_eq!(steps(&window), 2);
}

#[test]
fn posing_options_are_in_the_toolbar_or_its_menu_at_every_window_size() {
    let mut in_menu = 0;
    for size in [[1600.0, 900.0], [1280.0, 720.0], [1000.0, 600.0], [860.0, 600.0]] {
        let bytes = include_bytes!("../../assets/mannequin.glb");
        let (mut window, _folder, _) = open(builder().with_size(size), bytes);
        click(&mut window, "Animate mode");
        let menu = window.query_by_label("Posing options").is_some();
        let rows: &[&str] = if menu {
            in_menu += 1;
            click(&mut window, "Posing options");
            &[
                "Individual origins",
                "Median point",
                "Children stay",
                "Pose both sides alike",
                "Snap every drag",
                "15°",
            ]
        } else {
            &[
                "Pivot: Individual origins",
                "Children follow",
                "Pose both sides alike",
                "Snap every drag",
                "Snap increments",
            ]
        };
        for row in rows {
            let rect = window.get_by_label(row).rect();
            let whole = egui::Rect::from_min_size(Pos2::ZERO, vec2(size[0], size[1]));
            assert!(whole.contains_rect(rect), "{row} at {rect} in {size:?}");
        }
        press(&mut window, Modifiers::NONE, Key::Escape);
        for tool in ["Select", "Move", "Rotate", "Scale", "Undo", "Redo", "Auto-key"] {
            assert!(window.query_by_label(tool).is_some(), "{tool} in {size:?}");
        }
    }
    assert!(in_menu > 0, "the narrow window has the menu");
}

#[test]
fn a_held_key_makes_a_drag_snap_to_a_joint_the_ground_or_the_skin() {
    let (mut window, _folder, arm) = arm();
    click(&mut window, "Move");
    let head = node(&window, "Head");
    let at = on_screen(&window, arm);
    let to = on_screen(&window, head);
    hold(&mut window, &[at, at + vec2(20.0, 0.0)]);
    key(&window, Key::J, true);
    for k in 1..=6 {
        window.event(Event::PointerMoved(at + (to - at) * (k as f32 / 6.0)));
        window.run_steps(2);
    }
    window.run_steps(3);
    release(&mut window, to);
    key(&window, Key::J, false);
    let document = session(&window).document();
    assert!(place(document, arm).distance(place(document, head)) < 1e-4, "a joint");
    press(&mut window, Modifiers::COMMAND, Key::Z);
    // Snaps to the ground, which changes only the height.
    let at = on_screen(&window, arm);
    hold(&mut window, &[at, at + vec2(15.0, 30.0)]);
    key(&window, Key::G, true);
    window.run_steps(3);
    release(&mut window, at + vec2(15.0, 30.0));
    key(&window, Key::G, false);
    let height = place(session(&window).document(), arm).y;
    assert!(height.abs() < 1e-4, "the ground: {height}");
    press(&mut window, Modifiers::COMMAND, Key::Z);
    // Snaps to the skin of the head, which the arm does not move.
    let at = on_screen(&window, arm);
    hold(&mut window, &[at, at + vec2(20.0, 0.0)]);
    key(&window, Key::F, true);
    for k in 1..=6 {
        window.event(Event::PointerMoved(at + (to - at) * (k as f32 / 6.0)));
        window.run_steps(2);
    }
    window.run_steps(3);
    release(&mut window, to);
    key(&window, Key::F, false);
    let document = session(&window).document();
    let (now, middle) = (place(document, arm), place(document, head));
    let gap = now.distance(middle);
    assert!(gap > 0.02 && gap < 0.3, "on the skin of the head: {gap}");
    assert!(on_screen(&window, arm).distance(to) < 4.0, "under the pointer");
}

#[test]
fn a_shortcut_sets_the_pivot_to_the_point_under_the_pointer() {
    let (mut window, _folder, arm) = arm();
    let hand = node(&window, "LeftHand");
    window.event(Event::PointerMoved(on_screen(&window, hand)));
    window.run_steps(2);
    press(&mut window, Modifiers::SHIFT, Key::O);
    let before = session(&window).document().clone();
    point_aside(&mut window);
    press(&mut window, Modifiers::NONE, Key::E);
    press(&mut window, Modifiers::NONE, Key::X);
    type_text(&mut window, "30");
    press(&mut window, Modifiers::NONE, Key::Enter);
    let now = session(&window).document();
    assert_eq!(steps(&window), 1);
    assert!(
        place(now, hand).distance(place(&before, hand)) < 1e-4,
        "the hand is what it turns about"
    );
    assert!(place(now, arm).distance(place(&before, arm)) > 0.02, "the arm goes round it");
    // After choosing another pivot, the joint rotates about itself again.
    press(&mut window, Modifiers::COMMAND, Key::Z);
    press(&mut window, Modifiers::SHIFT, Key::T);
    press(&mut window, Modifiers::NONE, Key::E);
    press(&mut window, Modifiers::NONE, Key::X);
    type_text(&mut window, "30");
    press(&mut window, Modifiers::NONE, Key::Enter);
    let now = session(&window).document();
    assert!(place(now, arm).distance(place(&before, arm)) < 1e-5);
}

#[test]
fn a_right_click_cancels_a_drag_and_opens_no_menu() {
    let (mut window, _folder, arm) = arm();
    click(&mut window, "Move");
    let at = on_screen(&window, arm);
    let to = at + vec2(40.0, 25.0);
    hold(&mut window, &[at, to]);
    for pressed in [true, false] {
        let modifiers = Modifiers::NONE;
        window.event(Event::PointerButton {
            pos: to,
            button: PointerButton::Secondary,
            pressed,
            modifiers,
        });
        window.run_steps(2);
    }
    release(&mut window, to);
    assert_eq!(steps(&window), 0, "the drag never was");
    assert!(window.query_by_label("Look from").is_none(), "and no menu is open");
    // Without a drag, a right-click opens the menu.
    for pressed in [true, false] {
        let modifiers = Modifiers::NONE;
        window.event(Event::PointerButton {
            pos: to,
            button: PointerButton::Secondary,
            pressed,
            modifiers,
        });
        window.step();
    }
    window.run_steps(3);
    assert!(window.query_by_label("Look from").is_some());
}

/// Types a number into a field of the inspector.
fn set_field(window: &mut Window, name: &str, text: &str) {
    window.get_by_label(name).focus();
    window.run_steps(3);
    press(window, Modifiers::COMMAND, Key::A);
    window.get_by_label(name).type_text(text);
    window.run_steps(2);
    press(window, Modifiers::NONE, Key::Enter);
    window.run_steps(3);
}

#[test]
fn moving_a_limb_end_by_numbers_offers_ik() {
    let bytes = include_bytes!("../../assets/mannequin.glb");
    let (mut window, _folder, _) = open(builder().with_size([1600.0, 1400.0]), bytes);
    click(&mut window, "Pose mode");
    press(&mut window, Modifiers::NONE, Key::Q);
    let (foot, shin, thigh) =
        (node(&window, "LeftFoot"), node(&window, "LeftLowerLeg"), node(&window, "LeftUpperLeg"));
    let middle = on_screen(&window, foot).lerp(on_screen(&window, node(&window, "LeftToes")), 0.5);
    click_at(&mut window, middle);
    assert_eq!(window.state().selection().active, Some(foot));
    let before = session(&window).document().clone();
    let wanted = place(&before, foot).y + 0.12;
    set_field(&mut window, "W translation Y", &format!("{wanted}"));
    let torn = session(&window).document();
    let length = |d: &Document| place(d, foot).distance(place(d, shin));
    assert!((length(torn) - length(&before)).abs() > 0.01, "it comes off");
    click(&mut window, "Use IK");
    let now = session(&window).document();
    assert!((place(now, foot).y - wanted).abs() < 2e-3, "{} {wanted}", place(now, foot).y);
    assert!((length(now) - length(&before)).abs() < 1e-4, "its shin reaches it");
    assert!(angle_between(local(now, thigh).rotation, local(&before, thigh).rotation) > 0.02);
    assert_eq!(steps(&window), 1, "in place of the step before");
    // With the limb tool, IK applies at once.
    press(&mut window, Modifiers::COMMAND, Key::Z);
    press(&mut window, Modifiers::NONE, Key::U);
    set_field(&mut window, "W translation Y", &format!("{wanted}"));
    let now = session(&window).document();
    assert!((length(now) - length(&before)).abs() < 1e-4);
    assert!((place(now, foot).y - wanted).abs() < 2e-3);
}

#[test]
fn a_hidden_joint_has_no_handles() {
    let (mut window, _folder, _) = arm();
    let handle = "Handle: Rotate about X";
    assert!(window.query_by_label(handle).is_some());
    press(&mut window, Modifiers::NONE, Key::H);
    assert!(window.query_by_label(handle).is_none());
}

#[test]
fn markers_stay_visible_while_a_layer_is_edited() {
    let (mut window, _folder, _) = sample();
    click(&mut window, "Animate mode");
    click(&mut window, "Clip Walk");
    let at = window.get_by_label("Timeline keys").rect().center();
    window.event(Event::PointerMoved(at));
    window.run_steps(2);
    press(&mut window, Modifiers::NONE, Key::M);
    press(&mut window, Modifiers::NONE, Key::Enter);
    window.run_steps(3);
    let walk = session(&window)
        .document()
        .clips
        .values()
        .find(|c| c.name.as_deref() == Some("Walk"))
        .expect("a clip");
    let name = format!("Marker {}", walk.markers.first().expect("a marker").name);
    assert!(window.query_by_label(&name).is_some());
    click(&mut window, "Edit: Layer");
    window.run_steps(3);
    assert!(!session(&window).document().aids.pose_layers.is_empty());
    assert!(window.query_by_label(&name).is_some(), "also with the keys of a layer");
}

#[test]
fn a_click_on_an_attached_object_selects_its_joint_first() {
    let Some(shared) = crate::common::shared() else { return };
    let file = std::fs::read(shared.join("corpus/characters/Knight/Knight.glb")).expect("a file");
    let (mut window, _folder, _) = window(&file);
    click(&mut window, "Pose mode");
    press(&mut window, Modifiers::NONE, Key::Q);
    let document = session(&window).document();
    let flags = document.joint_flags();
    // Finds objects without a skin that are attached to a joint: a hat, a shield, a sword.
    let carried: Vec<(NodeId, NodeId)> = document
        .node_ids()
        .filter(|n| document.node(*n).mesh.is_some() && document.node(*n).skin.is_none())
        .filter_map(|n| Some((n, document.node(n).parent.filter(|p| flags[p.index()])?)))
        .collect();
    assert!(!carried.is_empty(), "the file carries something");
    // Clicks around each object, where no joint covers it.
    let mut taken = 0;
    for (part, joint) in carried {
        let at = on_screen(&window, part);
        for (dx, dy) in
            [(0.0, -46.0), (0.0, -30.0), (24.0, -24.0), (-24.0, -24.0), (30.0, 0.0), (-30.0, 0.0)]
        {
            press(&mut window, Modifiers::NONE, Key::Escape);
            click_at(&mut window, at + vec2(dx, dy));
            let first = window.state().selection().active;
            click_at(&mut window, at + vec2(dx, dy));
            let second = window.state().selection().active;
            if second == Some(part) {
                assert_eq!(first, Some(joint), "the joint comes first");
                taken += 1;
                break;
            }
            assert_ne!(first, Some(part), "a part never before its joint");
        }
    }
    assert!(taken > 0, "at least one of them was hit");
}

#[test]
fn a_click_on_the_skin_does_not_select_a_helper_joint_behind_it() {
    let Some(shared) = crate::common::shared() else { return };
    let file = std::fs::read(shared.join("corpus/characters/Knight/Knight.glb")).expect("a file");
    let (mut window, _folder, _) = window(&file);
    click(&mut window, "Pose mode");
    press(&mut window, Modifiers::NONE, Key::Q);
    let document = session(&window).document();
    let is_helper = |document: &Document, node: NodeId| {
        document.node(node).name.as_deref().is_some_and(|name| name.contains("IK"))
    };
    let helpers: Vec<NodeId> = document.node_ids().filter(|n| is_helper(document, *n)).collect();
    assert!(helpers.len() >= 4, "the Knight has helper joints");
    let (mut behind, mut free) = (0, 0);
    // Seen from the front, the side and above, some helper joints are behind the body, and some
    // beside it.
    for view in [Key::Num1, Key::Num2, Key::Num3] {
        press(&mut window, Modifiers::SHIFT, view);
        window.run_steps(40);
        for helper in &helpers {
            let at = on_screen(&window, *helper);
            press(&mut window, Modifiers::NONE, Key::Escape);
            click_at(&mut window, at);
            let Some(taken) = window.state().selection().active else { continue };
            if is_helper(session(&window).document(), taken) {
                free += 1;
            } else {
                behind += 1;
            }
        }
    }
    assert!(behind > 0, "at least one lies behind the skin, which takes the click");
    assert!(free > 0, "at least one lies free, and is taken");
}
