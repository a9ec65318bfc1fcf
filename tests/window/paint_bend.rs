//! Bending joints while painting, and comparing with the original weights, in the whole window.

use crate::common::paint::{
    drag, head, middle, node, painting, painting_in, press, press_button, session, total,
};
use egui::{Event, Key, Modifiers, Pos2, vec2};
use egui_kittest::kittest::Queryable as _;
use glam::Quat;
use ulna_edit::command::kept_poses;

use crate::common::{paint::Window, window::builder};

const ARM: &str = "LeftUpperArm";

fn rotation(window: &Window, name: &str) -> Quat {
    let node = node(session(window).document(), name);
    window.state().shown_pose().local[node.index()].transform().rotation
}

fn rest(window: &Window, name: &str) -> Quat {
    let document = session(window).document();
    document.node(node(document, name)).rest.transform().rotation
}

/// Returns the angle between a joint and another rotation, in degrees.
fn degrees(window: &Window, name: &str, from: Quat) -> f32 {
    rotation(window, name).angle_between(from).to_degrees()
}

fn handle(window: &Window) -> Pos2 {
    window.get_by_label("Handle: Rotate around the view axis").rect().center()
}

fn key(window: &mut Window, key: Key, pressed: bool) {
    window.event(Event::Key {
        key,
        physical_key: None,
        pressed,
        repeat: false,
        modifiers: Modifiers::NONE,
    });
    window.run_steps(2);
}

#[test]
fn bending_rings_pose_the_painted_surface_without_changing_the_file() {
    let (mut window, _folder) = painting(ARM);
    let before = rotation(&window, ARM);
    press(&mut window, Modifiers::NONE, Key::R);
    let from = handle(&window);
    drag(&mut window, from, from + vec2(-60.0, -90.0), Modifiers::NONE);
    let bent = degrees(&window, ARM, before);
    assert!(bent > 20.0, "{bent}");
    let opened = session(&window).opened().clone();
    assert!(!session(&window).is_unsaved() && session(&window).history().done().is_empty());
    assert_eq!(
        session(&window).document(),
        &opened,
        "weights and poses of the file are as they were"
    );
    // A canceled drag has no effect.
    let from = handle(&window);
    window.event(Event::PointerMoved(from));
    window.run_steps(2);
    let button = |pressed| Event::PointerButton {
        pos: from,
        button: egui::PointerButton::Primary,
        pressed,
        modifiers: Modifiers::NONE,
    };
    window.event(button(true));
    window.step();
    window.event(Event::PointerMoved(from + vec2(-40.0, 60.0)));
    window.run_steps(3);
    assert!((degrees(&window, ARM, before) - bent).abs() > 2.0, "it follows the pointer");
    press(&mut window, Modifiers::NONE, Key::Escape);
    window.event(button(false));
    window.run_steps(3);
    assert!((degrees(&window, ARM, before) - bent).abs() < 1e-2);
    assert!(
        window.query_by_label("Handle: Rotate around the view axis").is_some(),
        "the rings stay"
    );
    press(&mut window, Modifiers::NONE, Key::Escape);
    assert!(
        window.query_by_label("Handle: Rotate around the view axis").is_none(),
        "and go with the next Escape"
    );
    press(&mut window, Modifiers::ALT, Key::R);
    assert!(degrees(&window, ARM, before) < 1e-2);
    // In another mode, the bend is not shown.
    press(&mut window, Modifiers::NONE, Key::R);
    let from = handle(&window);
    drag(&mut window, from, from + vec2(-60.0, -90.0), Modifiers::NONE);
    press_button(&mut window, "Pose mode");
    assert!(degrees(&window, ARM, before) < 1e-2);
}

#[test]
fn holding_a_key_shows_the_bending_rings_and_releasing_it_resumes_painting() {
    let (mut window, _folder) = painting(ARM);
    let before = rotation(&window, ARM);
    key(&mut window, Key::R, true);
    let from = handle(&window);
    drag(&mut window, from, from + vec2(-50.0, -70.0), Modifiers::NONE);
    // Pressing a modifier must not turn the held key into another command.
    for modifiers in [Modifiers::ALT, Modifiers::SHIFT] {
        window.event(Event::Key {
            key: Key::R,
            physical_key: None,
            pressed: true,
            repeat: true,
            modifiers,
        });
        window.run_steps(2);
    }
    assert!(degrees(&window, ARM, before) > 15.0 && session(&window).history().done().is_empty());
    key(&mut window, Key::R, false);
    assert!(window.query_by_label("Handle: Rotate around the view axis").is_none());
    assert!(degrees(&window, ARM, before) > 15.0, "the bend stays");
    let weights = total(session(&window).document(), ARM);
    let at = middle(&window, ARM, "LeftLowerArm");
    drag(&mut window, at, at + vec2(12.0, 0.0), Modifiers::SHIFT);
    drag(&mut window, at - vec2(0.0, 12.0), at, Modifiers::NONE);
    assert!(total(session(&window).document(), ARM) != weights, "the bent surface is painted on");
}

#[test]
fn the_slider_blends_from_the_bind_pose_to_the_pose() {
    let (mut window, _folder) = painting(ARM);
    press(&mut window, Modifiers::NONE, Key::R);
    let from = handle(&window);
    drag(&mut window, from, from + vec2(-60.0, -90.0), Modifiers::NONE);
    let bound = rest(&window, ARM);
    let whole = degrees(&window, ARM, bound);
    let bar = window.get_by_label("Bind to pose").rect();
    let at = |part: f32| bar.left_center() + vec2(bar.width() * part, 0.0);
    drag(&mut window, at(0.9), at(0.5), Modifiers::NONE);
    let half = degrees(&window, ARM, bound);
    assert!((half / whole - 0.5).abs() < 0.03, "{half} of {whole}");
    drag(&mut window, at(0.5), at(-0.2), Modifiers::NONE);
    for joint in [ARM, "Hips", "Head", "RightLowerLeg"] {
        assert!(degrees(&window, joint, rest(&window, joint)) < 1e-2, "{joint} is bound");
    }
}

/// Returns the rotation of a joint in the scene.
fn turned(window: &Window, name: &str) -> Quat {
    let node = node(session(window).document(), name);
    let (_, turned, _) =
        window.state().shown_pose().world[node.index()].to_scale_rotation_translation();
    turned
}

#[test]
fn a_ring_rotates_about_its_axis_at_any_amount_of_the_bend() {
    let (mut window, _folder) = painting(ARM);
    let before = turned(&window, ARM);
    press(&mut window, Modifiers::NONE, Key::R);
    let from = handle(&window);
    drag(&mut window, from, from + vec2(-60.0, -90.0), Modifiers::NONE);
    let bent = turned(&window, ARM);
    let (sight, angle) = (bent * before.inverse()).to_axis_angle();
    assert!(angle > 0.3, "{angle}");
    // Bends about a second axis, so that half of the bend has a different axis.
    let ring = window.get_by_label("Handle: Rotate about Y").rect().center();
    drag(&mut window, ring, ring + vec2(50.0, 0.0), Modifiers::NONE);
    let both = turned(&window, ARM);
    assert!(both.angle_between(bent) > 0.2, "{}", both.angle_between(bent));
    let bar = window.get_by_label("Bind to pose").rect();
    let at = |part: f32| bar.left_center() + vec2(bar.width() * part, 0.0);
    drag(&mut window, at(0.9), at(0.4), Modifiers::NONE);
    let part = turned(&window, ARM);
    assert!(part.angle_between(both) > 0.2);
    // After a canceled drag, the same part of the bend is shown again.
    let from = handle(&window);
    let button = |pos, pressed| Event::PointerButton {
        pos,
        button: egui::PointerButton::Primary,
        pressed,
        modifiers: Modifiers::NONE,
    };
    window.event(Event::PointerMoved(from));
    window.run_steps(2);
    window.event(button(from, true));
    window.step();
    window.event(Event::PointerMoved(from + vec2(-40.0, 60.0)));
    window.run_steps(3);
    assert!(turned(&window, ARM).angle_between(part) > 0.05);
    press(&mut window, Modifiers::NONE, Key::Escape);
    window.event(button(from, false));
    window.run_steps(3);
    assert!(
        turned(&window, ARM).angle_between(part) < 1e-3,
        "{}",
        turned(&window, ARM).angle_between(part)
    );
    let from = handle(&window);
    drag(&mut window, from, from + vec2(-60.0, -90.0), Modifiers::NONE);
    let (axis, angle) = (turned(&window, ARM) * both.inverse()).to_axis_angle();
    assert!(angle > 0.2 && axis.dot(sight).abs() > 0.999, "{angle} about {axis}, not {sight}");
}

#[test]
fn trial_poses_are_offered_and_a_bend_can_be_saved_as_a_pose() {
    let (mut window, _folder) = painting(ARM);
    press_button(&mut window, "Pose while painting: The file's pose");
    window.run_steps(3);
    let arm = format!("{ARM} – ");
    let limb = window
        .query_all_by_label_contains(&arm)
        .next()
        .or_else(|| window.query_all_by_label_contains(" – LeftHand").next())
        .expect("the arm is a limb");
    limb.click_accesskit();
    window.run_steps(4);
    let bent = degrees(&window, "LeftLowerArm", rest(&window, "LeftLowerArm"));
    assert!(bent > 20.0, "{bent}");
    assert!(
        degrees(&window, "RightLowerArm", rest(&window, "RightLowerArm")) < 1e-2,
        "that limb alone"
    );
    let shown = rotation(&window, "LeftLowerArm");
    window
        .query_all_by_label_contains("Pose while painting: ")
        .next()
        .expect("the menu")
        .click_accesskit();
    window.run_steps(3);
    window.get_by_label("Name of the pose").click();
    window.run_steps(2);
    window.event(Event::Text("Elbow".into()));
    window.run_steps(2);
    press_button(&mut window, "Save the pose");
    let kept: Vec<String> =
        kept_poses(session(&window).document()).iter().map(|p| p.name.clone()).collect();
    assert_eq!(kept, ["Elbow"]);
    assert_eq!(session(&window).history().done().len(), 1, "one step");
    window
        .query_all_by_label_contains("Pose while painting: ")
        .next()
        .expect("the menu")
        .click_accesskit();
    window.run_steps(3);
    press_button(&mut window, "Range of motion");
    window.run_steps(3);
    assert!(degrees(&window, "LeftLowerArm", shown) > 5.0);
    window
        .query_all_by_label_contains("Pose while painting: ")
        .next()
        .expect("the menu")
        .click_accesskit();
    window.run_steps(3);
    press_button(&mut window, "Elbow");
    assert!(degrees(&window, "LeftLowerArm", shown) < 0.1, "the kept pose is shown");
}

#[test]
fn the_original_weights_can_be_shown_but_not_painted() {
    let (mut window, _folder) = painting_in(builder().with_pixels_per_point(1.0).wgpu(), ARM);
    let at = middle(&window, ARM, "LeftLowerArm");
    let aside = head(&window, "Head") - vec2(0.0, 260.0);
    let picture = |window: &mut Window| {
        window.event(Event::PointerMoved(aside));
        window.run_steps(6);
        let image = window.render().expect("a picture");
        let area = (at.x as u32 - 40, at.y as u32 - 30);
        (0..60)
            .flat_map(|y| (0..80).map(move |x| (x, y)))
            .map(|(x, y)| image.get_pixel(area.0 + x, area.1 + y).0)
            .collect()
    };
    let differing = |a: &[[u8; 4]], b: &[[u8; 4]]| {
        a.iter()
            .zip(b)
            .filter(|(a, b)| a.iter().zip(b.iter()).any(|(a, b)| a.abs_diff(*b) > 24))
            .count()
    };
    let before: Vec<[u8; 4]> = picture(&mut window);
    press(&mut window, Modifiers::NONE, Key::Num3);
    for _ in 0..3 {
        drag(&mut window, at - vec2(14.0, 0.0), at + vec2(14.0, 4.0), Modifiers::COMMAND);
    }
    let painted = picture(&mut window);
    assert!(differing(&before, &painted) > 150, "{}", differing(&before, &painted));
    press_button(&mut window, "Compare: File");
    let opened = picture(&mut window);
    assert!(differing(&before, &opened) < 12, "{} pixels are others", differing(&before, &opened));
    let weights = session(&window).document().clone();
    drag(&mut window, at - vec2(14.0, 0.0), at + vec2(14.0, 4.0), Modifiers::COMMAND);
    assert_eq!(session(&window).document(), &weights, "nothing is painted on what was");
    press_button(&mut window, "Compare: Edited");
    let again = picture(&mut window);
    assert!(differing(&painted, &again) < 12, "{} pixels are others", differing(&painted, &again));
    // An edit ends the comparison.
    press_button(&mut window, "Compare: File");
    press(&mut window, Modifiers::COMMAND, Key::Z);
    let undone = picture(&mut window);
    assert!(differing(&before, &undone) > 100, "an edit ends it");
}

/// Finds a command with the palette, and runs it.
fn find(window: &mut Window, words: &str) {
    press(window, Modifiers::COMMAND, Key::P);
    window.event(Event::Text(words.to_owned()));
    window.run_steps(3);
    press(window, Modifiers::NONE, Key::Enter);
    window.run_steps(3);
}

#[test]
fn opening_another_file_ends_the_comparison() {
    let (mut window, _folder) = painting(ARM);
    find(&mut window, "Compare");
    let before = session(&window).document().clone();
    let at = middle(&window, ARM, "LeftLowerArm");
    drag(&mut window, at, at + vec2(14.0, 4.0), Modifiers::NONE);
    assert_eq!(session(&window).document(), &before, "what was is not painted on");
    assert!(window.query_by_label("Compare: Edited").is_some(), "and there is a way back");
    find(&mut window, "Open the sample");
    for _ in 0..2000 {
        window.step();
        if !window.state().is_busy() && session(&window).path().is_none() {
            break;
        }
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    window.run_steps(4);
    press(&mut window, Modifiers::NONE, Key::Num1);
    press(&mut window, Modifiers::NONE, Key::Num3);
    crate::common::paint::click(&mut window, ARM);
    window.run_steps(4);
    let at = middle(&window, ARM, "LeftLowerArm");
    drag(&mut window, at, at + vec2(14.0, 4.0), Modifiers::NONE);
    assert_eq!(session(&window).history().done().len(), 1, "the other file is");
}
