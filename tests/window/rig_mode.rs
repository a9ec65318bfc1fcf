//! Rig mode: joints are added, moved and rotated in the rest pose. Results are checked in the
//! document.

use egui::{Key, Modifiers, Pos2, accesskit::Role, pos2, vec2};
use egui_kittest::kittest::Queryable as _;
use glam::{Quat, Vec3};
use ulna_model::{Document, NodeId};
use ulna_motion::{Pose, Stack};

use super::{
    editing::{Window, click, click_at, drag, node, press, sample, session, wait, window},
    posing::{hold, on_screen, release, steps, type_text},
};
use crate::common::{bare_body, named};

/// Opens a body without a skeleton in Rig mode, seen from the front.
fn body() -> (Window, tempfile::TempDir) {
    let (mut window, folder, _) = window(&bare_body());
    press(&mut window, Modifiers::NONE, Key::Num4);
    press(&mut window, Modifiers::SHIFT, Key::Num1);
    window.run_steps(60);
    (window, folder)
}

/// Opens the sample in Rig mode, with a joint selected.
fn rig_of(joint: &str) -> (Window, tempfile::TempDir, NodeId) {
    let (mut window, folder, _) = sample();
    press(&mut window, Modifiers::NONE, Key::Num4);
    click(&mut window, joint);
    let joint = node(&window, joint);
    (window, folder, joint)
}

/// Returns the window position of a scene position.
fn screen(window: &Window, at: Vec3) -> Pos2 {
    let rect = window.get_by_label("Viewport").rect();
    let size = glam::vec2(rect.width(), rect.height());
    let (at, _) = window.state().camera().project(at, size).expect("in sight");
    pos2(rect.left() + at.x, rect.top() + at.y)
}

/// Moves the pointer to a scene position, and clicks there.
fn click_on(window: &mut Window, at: Vec3) {
    let at = screen(window, at);
    window.event(egui::Event::PointerMoved(at));
    window.run_steps(3);
    click_at(window, at);
    wait(window);
}

fn rest_place(document: &Document, node: NodeId) -> Vec3 {
    let still = ulna_weights::at_rest(document);
    Pose::evaluate(&still, &Stack::default()).world[node.index()].w_axis.truncate()
}

fn seen_place(window: &Window, node: NodeId) -> Pos2 {
    on_screen(window, node)
}

fn acts(window: &Window) -> usize {
    window.query_all_by_label_contains("Remove change ").count()
}

#[test]
fn clicks_add_a_chain_of_joints_in_the_middle_of_the_body() {
    let (mut window, _folder) = body();
    click(&mut window, "Pose both sides alike");
    click(&mut window, "Add joints");
    click_on(&mut window, Vec3::new(0.005, 0.98, 0.0));
    let hips = node(&window, "Joint");
    assert_eq!(window.state().selection().active, Some(hips), "a new joint is selected");
    let at = rest_place(session(&window).document(), hips);
    assert!(at.x == 0.0, "near the mirror plane a joint is in it: {at}");
    assert!(at.z.abs() < 0.1 && (at.y - 0.98).abs() < 0.03, "it is inside the body: {at}");
    click_on(&mut window, Vec3::new(0.0, 1.2, 0.0));
    let spine = node(&window, "Joint1");
    assert_eq!(session(&window).document().node(spine).parent, Some(hips));
    assert_eq!(session(&window).document().nodes.order().len(), 3, "no mirror image in the plane");
    // A click on a joint selects it, and the next click continues from it.
    let back = on_screen(&window, hips);
    click_at(&mut window, back);
    assert_eq!(window.state().selection().active, Some(hips));
    let before = steps(&window);
    click_on(&mut window, Vec3::new(0.1, 0.9, 0.0));
    assert_eq!(steps(&window), before + 1, "both sides are one step");
    let document = session(&window).document();
    let (left, right) = (named(document, "Joint2_L"), named(document, "Joint2_R"));
    assert_eq!(document.node(right).parent, Some(hips));
    let [a, b] = [left, right].map(|n| rest_place(document, n));
    assert!((a - b * Vec3::new(-1.0, 1.0, 1.0)).length() < 1e-5, "{a} {b}");
    assert!(a.x > 0.05);
    press(&mut window, Modifiers::COMMAND, Key::Z);
    assert!(session(&window).document().nodes.order().len() == 3, "undo takes both back");
}

#[test]
fn a_joint_without_meshes_moves_at_once_and_escape_cancels() {
    let (mut window, _folder) = body();
    click(&mut window, "Add joints");
    click_on(&mut window, Vec3::new(0.0, 0.98, 0.0));
    let joint = node(&window, "Joint");
    let before = rest_place(session(&window).document(), joint);
    let count = steps(&window);
    press(&mut window, Modifiers::NONE, Key::W);
    for keeps in [false, true] {
        window.run_steps(80);
        press(&mut window, Modifiers::NONE, Key::W);
        press(&mut window, Modifiers::NONE, Key::Y);
        type_text(&mut window, "0.25");
        let now = rest_place(session(&window).document(), joint);
        assert!((now - before - Vec3::Y * 0.25).length() < 1e-5, "it is seen at once: {now}");
        press(&mut window, Modifiers::NONE, if keeps { Key::Enter } else { Key::Escape });
        let now = rest_place(session(&window).document(), joint);
        assert_eq!((now - before).length() > 0.2, keeps);
        assert_eq!(steps(&window), count + usize::from(keeps));
        assert_eq!(acts(&window), 0, "there is nothing to plan");
    }
}

#[test]
fn dragging_a_bound_joint_plans_the_change_and_applies_it_as_one_step() {
    let (mut window, _folder, arm) = rig_of("LeftLowerArm");
    let before = session(&window).document().clone();
    let was = seen_place(&window, arm);
    for _ in 0..2 {
        let from = seen_place(&window, arm);
        drag(&mut window, from, from + vec2(14.0, 5.0));
        let now = seen_place(&window, arm);
        assert!(now.distance(from + vec2(14.0, 5.0)) < 4.0, "it is seen where it was let go");
        wait(&mut window);
        assert!(seen_place(&window, arm).distance(now) < 1.0, "and stays there");
    }
    assert!(seen_place(&window, arm).distance(was + vec2(28.0, 10.0)) < 6.0);
    assert_eq!(acts(&window), 1, "two moves of a joint are one change");
    assert_eq!(session(&window).document(), &before, "nothing is applied yet");
    assert!(window.query_by_label("What will change").is_some());
    assert!(window.query_all_by_label_contains("1 joint moves or turns").next().is_some());
    click(&mut window, "Apply");
    wait(&mut window);
    assert_eq!(steps(&window), 1);
    assert_eq!(acts(&window), 0);
    let now = session(&window).document();
    let moved = rest_place(now, arm).distance(rest_place(&before, arm));
    assert!(moved > 0.01, "{moved}");
    let hand = named(now, "LeftHand");
    assert!(rest_place(now, hand).distance(rest_place(&before, hand)) < 1e-4, "the hand stays");
    press(&mut window, Modifiers::COMMAND, Key::Z);
    assert_eq!(session(&window).document(), &before);
}

#[test]
fn symmetry_moves_both_sides_and_discard_restores_the_model() {
    let (mut window, _folder, arm) = rig_of("LeftLowerArm");
    press(&mut window, Modifiers::SHIFT, Key::X);
    let before = session(&window).document().clone();
    let other = node(&window, "RightLowerArm");
    let was = [arm, other].map(|n| seen_place(&window, n));
    press(&mut window, Modifiers::NONE, Key::W);
    press(&mut window, Modifiers::NONE, Key::X);
    type_text(&mut window, "0.08");
    press(&mut window, Modifiers::NONE, Key::Enter);
    wait(&mut window);
    for (node, was) in [arm, other].into_iter().zip(was) {
        assert!(seen_place(&window, node).distance(was) > 8.0, "both sides move");
    }
    assert!(window.query_all_by_label_contains("2 joints move or turn").next().is_some());
    click(&mut window, "Discard");
    wait(&mut window);
    assert_eq!(session(&window).document(), &before);
    assert!(seen_place(&window, arm).distance(was[0]) < 1.0, "it is seen where it was");
}

#[test]
fn rig_mode_shows_the_rest_pose_and_leaving_it_restores_the_pose() {
    let (mut window, _folder, arm) = {
        let (mut window, folder, _) = sample();
        click(&mut window, "Pose mode");
        click(&mut window, "LeftLowerArm");
        press(&mut window, Modifiers::NONE, Key::E);
        press(&mut window, Modifiers::NONE, Key::X);
        type_text(&mut window, "40");
        press(&mut window, Modifiers::NONE, Key::Enter);
        let arm = node(&window, "LeftLowerArm");
        (window, folder, arm)
    };
    let document = session(&window).document().clone();
    let rotation = |window: &Window| {
        window.state().shown_pose().world[arm.index()].to_scale_rotation_translation().1
    };
    let posed = rotation(&window);
    press(&mut window, Modifiers::NONE, Key::Num4);
    let rest = ulna_weights::at_rest(&document);
    let rest = Pose::evaluate(&rest, &Stack::default()).world[arm.index()];
    let rest = rest.to_scale_rotation_translation().1;
    assert!(rotation(&window).dot(rest).abs() > 1.0 - 1e-6, "Rig mode shows the rest pose");
    assert!(posed.dot(rest).abs() < 0.99);
    click(&mut window, "Pose mode");
    assert!(rotation(&window).dot(posed).abs() > 1.0 - 1e-6, "the pose is as it was");
    assert_eq!(session(&window).document(), &document);
}

#[test]
fn extruding_a_joint_from_a_bound_one_does_not_change_the_skin() {
    let (mut window, _folder, hand) = rig_of("LeftHand");
    let before = session(&window).document().clone();
    for keeps in [false, true] {
        press(&mut window, Modifiers::COMMAND, Key::E);
        type_text(&mut window, "0.1");
        press(&mut window, Modifiers::NONE, if keeps { Key::Enter } else { Key::Escape });
        wait(&mut window);
        assert_eq!(steps(&window), usize::from(keeps));
    }
    let document = session(&window).document();
    let new = document.children(hand).iter().copied().find(|n| !before.nodes.contains(*n));
    let new = new.expect("a joint below the hand");
    assert_eq!(window.state().selection().active, Some(new));
    let way = rest_place(document, new) - rest_place(document, hand);
    assert!((way.length() - 0.1).abs() < 1e-4, "{way}");
    assert_eq!(document.skins, before.skins, "no skin has it yet");
    assert_eq!(document.clips, before.clips);
}

#[test]
fn a_joint_is_centered_in_the_limb_around_it() {
    let (mut window, _folder) = body();
    click(&mut window, "Add joints");
    click(&mut window, "New joints: Limb center");
    click(&mut window, "Surface");
    click_on(&mut window, Vec3::new(0.1, 0.75, 0.0));
    let thigh = node(&window, "Joint");
    let on_skin = rest_place(session(&window).document(), thigh);
    assert!(on_skin.z > 0.03, "the joint is on the skin: {on_skin}");
    // Moves the joint slightly inside, because no limb surrounds a joint on the skin.
    press(&mut window, Modifiers::NONE, Key::W);
    press(&mut window, Modifiers::NONE, Key::Z);
    type_text(&mut window, "-0.01");
    press(&mut window, Modifiers::NONE, Key::Enter);
    click(&mut window, "Center in limb");
    let centered = rest_place(session(&window).document(), thigh);
    assert!(centered.z.abs() < 0.03 && centered.z < on_skin.z - 0.02, "{on_skin} → {centered}");
    assert!((centered.y - on_skin.y).abs() < 1e-4, "square to the bone");
}

#[test]
fn delete_removes_joints_on_both_sides_and_keeps_their_children() {
    let (mut window, _folder) = body();
    press(&mut window, Modifiers::SHIFT, Key::X);
    click(&mut window, "Add joints");
    for at in [Vec3::new(0.0, 0.98, 0.0), Vec3::new(0.1, 0.9, 0.0), Vec3::new(0.1, 0.5, 0.0)] {
        click_on(&mut window, at);
    }
    let document = session(&window).document().clone();
    let (thigh, shin) = (named(&document, "Joint1_L"), named(&document, "Joint2_L"));
    let hips = named(&document, "Joint");
    window.get_by_role_and_label(egui::accesskit::Role::TreeItem, "Joint1_L").click();
    window.run_steps(3);
    press(&mut window, Modifiers::NONE, Key::Delete);
    wait(&mut window);
    let now = session(&window).document();
    assert!(!now.nodes.contains(thigh));
    assert_eq!(now.nodes.order().len(), document.nodes.order().len() - 2, "both sides go");
    assert_eq!(now.node(shin).parent, Some(hips), "the joint below stays");
    assert!((rest_place(now, shin) - rest_place(&document, shin)).length() < 1e-5);
    // For a bound joint, the change is planned instead.
    let (mut window, _folder, _) = rig_of("LeftHand");
    press(&mut window, Modifiers::NONE, Key::Delete);
    wait(&mut window);
    assert_eq!((acts(&window), steps(&window)), (1, 0));
}

/// Returns the scene rotation of a joint at rest.
fn rest_rotation(document: &Document, node: NodeId) -> Quat {
    let still = ulna_weights::at_rest(document);
    let world = Pose::evaluate(&still, &Stack::default()).world[node.index()];
    world.to_scale_rotation_translation().1
}

#[test]
fn the_roll_handle_rotates_a_joint_about_its_bone() {
    const KNOB: &str = "Handle: roll about the bone";
    let (mut window, _folder, arm) = rig_of("LeftLowerArm");
    let other = node(&window, "RightLowerArm");
    press(&mut window, Modifiers::SHIFT, Key::X);
    click(&mut window, "Rotate");
    let before = session(&window).document().clone();
    let hand = named(&before, "LeftHand");
    let knob = window.get_by_label(KNOB).rect().center();
    let [a, b] = [arm, hand].map(|n| on_screen(&window, n));
    let middle = a + (b - a) / 2.0;
    // Rolls by a quarter turn with the pointer, then by 30 degrees as typed.
    hold(&mut window, &[knob, middle + (knob - middle).rot90()]);
    type_text(&mut window, "30");
    release(&mut window, middle + (knob - middle).rot90());
    wait(&mut window);
    assert_eq!(session(&window).document(), &before, "it is planned");
    assert!(window.query_all_by_label_contains("2 joints move or turn").next().is_some());
    let moved = window.get_by_label(KNOB).rect().center();
    assert!(moved.distance(knob) > 2.0, "the knob follows");
    click(&mut window, "Apply 2 changes");
    wait(&mut window);
    assert_eq!(steps(&window), 1);
    let after = session(&window).document();
    for (joint, end) in [(arm, hand), (other, named(&before, "RightHand"))] {
        let turn = rest_rotation(after, joint) * rest_rotation(&before, joint).inverse();
        let (axis, angle) = turn.to_axis_angle();
        assert!((angle.to_degrees() - 30.0).abs() < 0.05, "{}", angle.to_degrees());
        let bone = rest_place(&before, end) - rest_place(&before, joint);
        assert!(axis.dot(bone.normalize_or_zero()).abs() > 0.9999, "{axis} {bone}");
        assert!(rest_place(after, end).distance(rest_place(&before, end)) < 1e-5, "hands stay");
    }
    click(&mut window, "Pose mode");
    assert!(window.query_by_label("Handle: Rotate about X").is_some());
    assert!(window.query_by_label(KNOB).is_none(), "a pose has no roll");
}

#[test]
fn a_clip_plays_with_the_planned_changes_and_without_handles() {
    let (mut window, _folder, arm) = rig_of("LeftLowerArm");
    click(&mut window, "Motion follows pivot");
    press(&mut window, Modifiers::NONE, Key::W);
    press(&mut window, Modifiers::NONE, Key::X);
    type_text(&mut window, "0.08");
    press(&mut window, Modifiers::NONE, Key::Enter);
    wait(&mut window);
    assert_eq!(acts(&window), 1);
    let before = session(&window).document().clone();
    window.get_by_role_and_label(Role::ComboBox, "Pose in Rig mode: Rest pose").click();
    window.run_steps(3);
    window.get_by_role_and_label(Role::Button, "Walk").click();
    window.run_steps(4);
    wait(&mut window);
    assert!(window.query_by_label_contains("With the planned changes").is_some());
    assert!(window.query_by_label("Handle: Move along X").is_none(), "a clip is only watched");
    // In the clip, the skin, the joints and the bones of the changed model are shown.
    let session_document = session(&window).document().clone();
    assert_eq!(session_document, before, "nothing is applied");
    let clip = before.clips.iter().find(|(_, clip)| clip.name.as_deref() == Some("Walk"));
    let (id, _) = clip.expect("the clip");
    let seen = |window: &Window| {
        let time = window.state().playback().time;
        let shown = window.state().shown_pose().world[arm.index()].w_axis.truncate();
        let bone = window.state().bones().iter().find(|b| b.joint == arm).expect("a bone").head;
        assert!(bone.distance(shown) < 1e-5, "{bone} {shown}");
        let plain = Pose::evaluate(&before, &Stack::shown(&before, Some(id), time));
        (shown, shown.distance(plain.world[arm.index()].w_axis.truncate()))
    };
    let (at, off) = seen(&window);
    assert!((off - 0.08).abs() < 1e-3, "the pivot is moved by 8 cm in its frame: {off}");
    click(&mut window, "Play");
    for _ in 0..12 {
        window.step();
    }
    click(&mut window, "Pause");
    let (later, off) = seen(&window);
    assert!(later.distance(at) > 1e-3, "it plays");
    assert!((off - 0.08).abs() < 1e-3, "{off}");
    // Back in the rest pose, the plan still exists.
    click(&mut window, "Rest pose");
    window.run_steps(3);
    assert!(window.query_by_label("Handle: Move along X").is_some());
    assert_eq!(acts(&window), 1);
    // The worst frame can be shown in this mode, too.
    click(&mut window, "Show worst frame");
    window.run_steps(4);
    assert!(window.query_by_label("Pose in Rig mode: Rest pose").is_none());
    assert!(window.query_by_label_contains("With the planned changes").is_some());
    click(&mut window, "Discard");
    wait(&mut window);
    assert!(window.query_by_label_contains("As the file is").is_some(), "the clip stays");
    click(&mut window, "Rest pose");
    window.run_steps(4);
    let place = window.state().shown_pose().world[arm.index()].w_axis.truncate();
    assert!(place.distance(rest_place(&before, arm)) < 1e-5);
    assert_eq!(session(&window).document(), &before);
}
