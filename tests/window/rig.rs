//! Commands on the skeleton: their effects are shown before they are applied.

use egui::{Event, Key, Modifiers, accesskit::Role};
use egui_kittest::kittest::{NodeT as _, Queryable as _};
use glam::Vec3;
use ulna_model::{Document, NodeId};
use ulna_motion::{Pose, Stack};

use super::editing::{Window, click, node, press, sample, session, wait};

/// Opens a command of the menu *Rig* on a joint, and waits for its effects.
fn plan(window: &mut Window, joint: &str, line: &str) {
    click(window, "Pose mode");
    if window.query_by_role_and_label(Role::TreeItem, joint).is_none() {
        click(window, "Filter by name or kind");
        window.event(Event::Text(joint.to_owned()));
        window.run_steps(3);
    }
    window.get_by_role_and_label(Role::TreeItem, joint).click();
    window.run_steps(3);
    click(window, "Rig");
    click(window, line);
    wait(window);
    assert!(window.query_by_label("What will change").is_some(), "{line} opens");
}

/// Types a vector into the fields of an argument, and waits for the effects.
fn type_vector(window: &mut Window, name: &str, values: [&str; 3]) {
    for (axis, text) in ["X", "Y", "Z"].into_iter().zip(values) {
        window.get_by_role_and_label(Role::TextInput, &format!("{name} {axis}")).focus();
        window.run_steps(2);
        press(window, Modifiers::COMMAND, Key::A);
        window.event(Event::Text(text.to_owned()));
        window.run_steps(2);
    }
    wait(window);
}

fn says(window: &Window, text: &str) -> bool {
    window.query_all_by_label_contains(text).next().is_some()
}

fn can_apply(window: &Window) -> bool {
    !window.get_by_label("Apply").accesskit_node().is_disabled()
}

fn steps(window: &Window) -> usize {
    session(window).history().done().len()
}

fn place(document: &Document, node: NodeId) -> Vec3 {
    Pose::evaluate(document, &Stack::default()).world[node.index()].w_axis.truncate()
}

#[test]
fn a_pivot_is_moved_after_its_effects_were_shown_as_one_step() {
    let (mut window, ..) = sample();
    let knee = node(&window, "LeftLowerLeg");
    let before = session(&window).document().clone();
    plan(&mut window, "LeftLowerLeg", "Move pivots…");
    assert!(says(&window, "Joints: LeftLowerLeg"), "what is selected is filled in");
    type_vector(&mut window, "Distance", ["0", "0", "30 cm"]);
    assert!(says(&window, "1 pivot moves: LeftLowerLeg"));
    assert!(says(&window, "inverse bind matrices"));
    assert!(says(&window, "clips updated"));
    assert!(says(&window, "Skin deviation: mean 0."));
    assert!(says(&window, "Unchanged: meshes and weights"));
    assert_eq!(steps(&window), 0, "nothing is applied yet");
    assert_eq!(session(&window).document().node(knee), before.node(knee));
    assert!(can_apply(&window));
    click(&mut window, "Apply");
    wait(&mut window);
    assert!(window.query_by_label("What will change").is_none(), "the panel closes");
    assert_eq!(steps(&window), 1);
    let now = session(&window).document();
    let moved = place(now, knee) - place(&before, knee);
    assert!((moved - Vec3::Z * 0.3).length() < 1e-4, "{moved}");
    let foot = node(&window, "LeftFoot");
    assert!((place(now, foot) - place(&before, foot)).length() < 1e-4, "the foot stays");
    assert!(says(&window, "the skin moves by at most"), "what was done is said");
    press(&mut window, Modifiers::COMMAND, Key::Z);
    assert_eq!(session(&window).document().node(knee), before.node(knee));
}

#[test]
fn enter_right_after_typing_applies_what_was_typed_and_show_goes_to_the_worst_frame() {
    let (mut window, ..) = sample();
    plan(&mut window, "LeftLowerLeg", "Move pivots…");
    type_vector(&mut window, "Distance", ["0", "0", "30 cm"]);
    click(&mut window, "Show the worst frame");
    assert!(window.state().playback().time > 0.0, "the playhead is at the worst frame");
    assert!(!window.state().playback().playing);
    assert!(window.query_by_label("What will change").is_some(), "the panel stays");
    let knee = node(&window, "LeftLowerLeg");
    let before = place(session(&window).document(), knee);
    window.get_by_role_and_label(Role::TextInput, "Distance Z").focus();
    window.run_steps(2);
    press(&mut window, Modifiers::COMMAND, Key::A);
    window.event(Event::Text("10 cm".to_owned()));
    window.step();
    press(&mut window, Modifiers::NONE, Key::Enter);
    wait(&mut window);
    assert_eq!(steps(&window), 1);
    let moved = place(session(&window).document(), knee) - before;
    assert!((moved.z - 0.1).abs() < 1e-4, "{moved}");
}

#[test]
fn the_three_worst_clips_have_a_row_each_that_shows_the_frame() {
    let (mut window, ..) = sample();
    plan(&mut window, "LeftLowerLeg", "Dissolve joints…");
    let rows = |window: &Window| -> Vec<String> {
        let all = window.query_all_by_label_contains(" mm");
        let labels = all.filter_map(|n| n.accesskit_node().label());
        let mut rows: Vec<String> = labels.filter(|l| l.starts_with("Show ")).collect();
        let mm = |row: &String| -> f64 {
            row.trim_end_matches(" mm").rsplit(' ').next().unwrap().parse().unwrap()
        };
        rows.sort_by(|a, b| mm(b).total_cmp(&mm(a)));
        rows
    };
    let found = rows(&window);
    assert_eq!(found.len(), 3, "{found:?}");
    assert!(says(&window, " more: ≤ "), "the others have a bound");
    let mut shown = Vec::new();
    for row in &found {
        click(&mut window, row);
        let document = session(&window).document();
        let playback = window.state().playback();
        let clip = document.clip_label(playback.clip.unwrap());
        assert!(row.contains(&*clip), "{row} {clip}");
        let frame = (playback.time * playback.fps + 1e-3).floor();
        assert!(row.contains(&format!("frame {frame}:")), "{row} {frame}");
        shown.push(playback.clip);
        assert!(window.query_by_label("What will change").is_some(), "the panel stays");
    }
    shown.dedup();
    assert_eq!(shown.len(), 3, "three clips");
}

#[test]
fn an_exact_change_says_that_the_skin_stays_the_same() {
    let (mut window, ..) = sample();
    plan(&mut window, "LeftLowerArm", "Orient joints…");
    assert!(says(&window, "Enter the rotation"));
    type_vector(&mut window, "Rotation", ["30", "0", "0"]);
    assert!(says(&window, "1 joint turns: LeftLowerArm"));
    assert!(says(&window, "skin stays the same"));
    assert!(says(&window, "keep their keys"));
    assert!(!says(&window, "Skin deviation"));
    press(&mut window, Modifiers::NONE, Key::Enter);
    wait(&mut window);
    assert_eq!(steps(&window), 1);
}

#[test]
fn a_refused_change_shows_its_reason_and_cannot_be_applied() {
    let (mut window, ..) = sample();
    plan(&mut window, "Armature", "Insert joints…");
    assert!(says(&window, "“Armature” has no parent"));
    assert!(!can_apply(&window));
    press(&mut window, Modifiers::NONE, Key::Enter);
    wait(&mut window);
    assert_eq!(steps(&window), 0);
    assert!(window.query_by_label("What will change").is_some(), "the panel stays open");
}

#[test]
fn escape_leaves_everything_as_it_was() {
    let (mut window, ..) = sample();
    let elbow = node(&window, "LeftLowerArm");
    let before = session(&window).document().node(elbow).clone();
    // From a field, and from the panel itself.
    for types in [true, false] {
        plan(&mut window, "LeftLowerArm", "Move pivots…");
        type_vector(&mut window, "Distance", ["0", "0", "3 cm"]);
        if !types {
            window.ctx.memory_mut(|m| {
                if let Some(id) = m.focused() {
                    m.surrender_focus(id);
                }
            });
            window.run_steps(2);
        }
        press(&mut window, Modifiers::NONE, Key::Escape);
        assert!(window.query_by_label("What will change").is_none(), "typing: {types}");
        assert_eq!(steps(&window), 0);
        assert_eq!(session(&window).document().node(elbow), &before);
    }
}

#[test]
fn the_menu_of_a_joint_dissolves_it_after_its_effects_were_shown() {
    let (mut window, ..) = sample();
    let elbow = node(&window, "LeftLowerArm");
    window.get_by_role_and_label(Role::TreeItem, "LeftLowerArm").click_secondary();
    window.run_steps(3);
    for line in ["Orient joints…", "Move pivots…", "Insert joints…", "Remove joints…"] {
        assert!(window.query_by_label(line).is_some(), "{line}");
    }
    click(&mut window, "Dissolve joints…");
    wait(&mut window);
    assert!(says(&window, "1 joint is removed: LeftLowerArm"));
    assert!(says(&window, "fitted weights"));
    assert_eq!(steps(&window), 0);
    click(&mut window, "Apply");
    wait(&mut window);
    assert_eq!(steps(&window), 1);
    assert!(!session(&window).document().nodes.contains(elbow));
    let hand = node(&window, "LeftHand");
    let parent = session(&window).document().node(hand).parent;
    assert_eq!(parent, Some(node(&window, "LeftUpperArm")));
}
