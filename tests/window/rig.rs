//! Commands on the skeleton: their effects are shown before they are applied.

use egui::{Event, Key, Modifiers, accesskit::Role};
use egui_kittest::kittest::{NodeT as _, Queryable as _};
use glam::Vec3;
use ulna_model::{Document, NodeId};
use ulna_motion::{Pose, Stack};

use super::editing::{Window, click, node, press, sample, session, wait};

/// Opens a command of the menu *Rig* for a joint, and waits for its effects.
fn plan(window: &mut Window, joint: &str, line: &str) {
    click(window, "Pose mode");
    select(window, joint);
    click(window, "Rig");
    click(window, line);
    wait(window);
    assert!(window.query_by_label("What will change").is_some(), "{line} opens");
}

/// Selects a joint in the outliner. If it is out of view, the outliner is filtered first.
fn select(window: &mut Window, joint: &str) {
    if window.query_by_role_and_label(Role::TreeItem, joint).is_none() {
        click(window, "Filter by name or kind");
        press(window, Modifiers::COMMAND, Key::A);
        window.event(Event::Text(joint.to_owned()));
        window.run_steps(3);
    }
    window.get_by_role_and_label(Role::TreeItem, joint).click();
    window.run_steps(3);
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
fn moving_a_pivot_shows_its_effects_and_is_one_step() {
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
    // The message can disappear before the work is done, so it is looked for in every frame.
    let mut is_said = false;
    for _ in 0..2000 {
        window.step();
        is_said |= says(&window, "the skin moves by at most");
        if is_said && !window.state().is_busy() {
            break;
        }
        std::thread::sleep(std::time::Duration::from_millis(2));
    }
    assert!(is_said, "what was done is said");
    assert!(window.query_by_label("What will change").is_none(), "the panel closes");
    assert_eq!(steps(&window), 1);
    let now = session(&window).document();
    let moved = place(now, knee) - place(&before, knee);
    assert!((moved - Vec3::Z * 0.3).length() < 1e-4, "{moved}");
    let foot = node(&window, "LeftFoot");
    assert!((place(now, foot) - place(&before, foot)).length() < 1e-4, "the foot stays");
    press(&mut window, Modifiers::COMMAND, Key::Z);
    assert_eq!(session(&window).document().node(knee), before.node(knee));
}

#[test]
fn enter_applies_the_typed_value_and_a_button_shows_the_worst_frame() {
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
fn each_of_the_three_worst_clips_has_a_row_that_shows_its_worst_frame() {
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
fn an_exact_change_is_reported_as_exact() {
    let (mut window, ..) = sample();
    plan(&mut window, "LeftLowerArm", "Orient joints…");
    assert!(says(&window, "Fill in one of rotation"));
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
fn escape_closes_the_rig_panel_without_a_change() {
    let (mut window, ..) = sample();
    let elbow = node(&window, "LeftLowerArm");
    let before = session(&window).document().node(elbow).clone();
    // Escape is pressed in a field, and in the panel itself.
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
fn dissolving_a_joint_from_its_menu_previews_the_effects() {
    let (mut window, ..) = sample();
    let elbow = node(&window, "LeftLowerArm");
    window.get_by_role_and_label(Role::TreeItem, "LeftLowerArm").click_secondary();
    window.run_steps(3);
    click(&mut window, "Change the skeleton");
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

#[test]
fn several_planned_changes_are_previewed_together_and_applied_as_one_step() {
    let (mut window, ..) = sample();
    let (elbow, knee) = (node(&window, "LeftLowerArm"), node(&window, "LeftLowerLeg"));
    let before = session(&window).document().clone();
    plan(&mut window, "LeftLowerLeg", "Move pivots…");
    type_vector(&mut window, "Distance", ["0", "0", "3 cm"]);
    click(&mut window, "Add to plan");
    wait(&mut window);
    assert!(says(&window, "Plan of changes"));
    assert!(says(&window, "Change 1: Move pivots, LeftLowerLeg, distance: 0 0 0.03"));
    assert!(says(&window, "1 joint moves or turns"));
    assert_eq!(steps(&window), 0, "nothing is applied yet");
    select(&mut window, "LeftLowerArm");
    click(&mut window, "Add a change to the plan");
    click(&mut window, "Dissolve joints…");
    wait(&mut window);
    assert!(says(&window, "Change 1: Move pivots"), "the plan so far is in the form");
    click(&mut window, "Apply 2 changes");
    wait(&mut window);
    assert_eq!(steps(&window), 1, "both are one step");
    let now = session(&window).document();
    assert!(!now.nodes.contains(elbow));
    assert!((place(now, knee) - place(&before, knee) - Vec3::Z * 0.03).length() < 1e-4);
    assert!(window.query_by_label("What will change").is_none(), "the panel closes");
    press(&mut window, Modifiers::COMMAND, Key::Z);
    assert_eq!(session(&window).document().node(knee), before.node(knee));
    assert_eq!(session(&window).document().node(elbow), before.node(elbow));
}

#[test]
fn a_plan_survives_closing_its_panel_and_can_be_shortened_saved_and_discarded() {
    let (mut window, folder, _) = sample();
    plan(&mut window, "LeftLowerLeg", "Move pivots…");
    type_vector(&mut window, "Distance", ["0", "0", "3 cm"]);
    click(&mut window, "Add to plan");
    wait(&mut window);
    plan(&mut window, "LeftUpperArm", "Dissolve joints…");
    click(&mut window, "Add to plan");
    wait(&mut window);
    press(&mut window, Modifiers::NONE, Key::Escape);
    window.run_steps(3);
    assert!(!says(&window, "What will change"));
    assert!(says(&window, "The plan with 2 changes is kept"));
    click(&mut window, "Rig");
    click(&mut window, "Plan of changes…");
    wait(&mut window);
    assert!(says(&window, "Change 2: Dissolve joints, LeftUpperArm"));
    click(&mut window, "Remove change 2");
    wait(&mut window);
    assert!(!says(&window, "Change 2"));
    click(&mut window, "Save the plan as a script");
    window.run_steps(3);
    let path = folder.path().join("plan.jsonl");
    window.get_by_role_and_label(Role::TextInput, "Path").focus();
    window.run_steps(2);
    press(&mut window, Modifiers::COMMAND, Key::A);
    window.event(Event::Text(path.display().to_string()));
    window.run_steps(2);
    click(&mut window, "Save");
    window.run_steps(3);
    let text = std::fs::read_to_string(&path).expect("the script is there");
    assert_eq!(text, "{\"do\":\"joint.move\",\"node\":\"LeftLowerLeg\",\"by\":[0,0,0.03]}\n");
    assert!(says(&window, "Plan of changes"), "the panel is back");
    click(&mut window, "Discard");
    window.run_steps(3);
    assert!(!says(&window, "Plan of changes"));
    assert_eq!(steps(&window), 0);
}

#[test]
fn a_refused_change_is_marked_in_the_plan() {
    let (mut window, ..) = sample();
    plan(&mut window, "LeftUpperArm", "Dissolve joints…");
    click(&mut window, "Add to plan");
    wait(&mut window);
    plan(&mut window, "LeftUpperArm", "Move pivots…");
    type_vector(&mut window, "Distance", ["0", "0", "3 cm"]);
    click(&mut window, "Add to plan");
    wait(&mut window);
    assert!(says(&window, "There is no node"), "the reason is shown");
    let apply = window.get_by_label("Apply 2 changes");
    assert!(apply.accesskit_node().is_disabled());
    click(&mut window, "Remove change 1");
    wait(&mut window);
    assert!(can_apply(&window), "without the first change the second one fits");
}

#[test]
fn new_joint_names_are_previewed_before_they_are_applied() {
    let (mut window, ..) = sample();
    let arm = node(&window, "LeftUpperArm");
    plan(&mut window, "LeftUpperArm", "Rename joints…");
    window.get_by_role_and_label(Role::TextInput, "Find").focus();
    window.run_steps(2);
    window.event(Event::Text("Upper".to_owned()));
    window.run_steps(2);
    wait(&mut window);
    assert!(says(&window, "LeftUpperArm becomes LeftArm"));
    assert!(says(&window, " names change"));
    click(&mut window, "Apply");
    wait(&mut window);
    assert_eq!(steps(&window), 1);
    assert_eq!(session(&window).document().node(arm).name.as_deref(), Some("LeftArm"));
}
