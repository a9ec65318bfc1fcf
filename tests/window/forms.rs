//! Forms of commands: pickers, checkboxes and numbers with units. They act on the displayed pose,
//! not on the rest pose.
#![allow(clippy::unwrap_used, reason = "a test ends where something is not as it must be")]

use accesskit::Role;
use egui::{Event, Key, Modifiers, accesskit};
use egui_kittest::{
    Node,
    kittest::{NodeT as _, Queryable as _},
};
use ulna_edit::{
    CommandSpec,
    command::{
        find,
        forms::{Entry, entry, is_for_programs},
        kept_poses,
    },
    table,
};
use ulna_model::{ClipId, Property, UnkeyedAt, transform::angle_between};

use super::editing::{Window, click, click_at, node, press, sample, session};

const WALK: ClipId = ClipId(1);

/// Opens the form of a command with the palette. Returns whether it opened.
fn open_form(window: &mut Window, spec: &CommandSpec) -> bool {
    press(window, Modifiers::COMMAND, Key::P);
    assert!(
        window.query_by_label("Find a command").is_some(),
        "the palette opens for {}",
        spec.name
    );
    // Uses the script name, because some commands share a title.
    window.event(Event::Text(spec.name.to_owned()));
    window.run_steps(2);
    press(window, Modifiers::NONE, Key::Tab);
    window.run_steps(3);
    let opened = window.query_by_label("Find a command").is_none();
    if !opened {
        press(window, Modifiers::NONE, Key::Escape);
    }
    opened
}

fn form(window: &mut Window, name: &str) {
    assert!(open_form(window, find(name).unwrap()), "the form of {name} opens");
}

/// Replaces the content of the focused field.
fn type_over(window: &mut Window, text: &str) {
    press(window, Modifiers::COMMAND, Key::A);
    window.event(Event::Text(text.to_owned()));
    window.run_steps(2);
}

fn nodes_of(window: &Window, role: Role) -> Vec<Node<'_>> {
    let mut found = Vec::new();
    let mut stack = vec![window.root()];
    while let Some(node) = stack.pop() {
        if node.accesskit_node().role() == role {
            found.push(node);
        }
        stack.extend(node.children());
    }
    found
}

/// Whether the form's main button is enabled; `None` if there is no such button.
fn go(window: &Window, spec: &CommandSpec) -> Option<bool> {
    let title = if spec.has_plan() { "Apply" } else { spec.title.trim_end_matches('…') };
    let buttons = nodes_of(window, Role::Button);
    let cancel =
        buttons.iter().find(|b| b.accesskit_node().label().as_deref() == Some("Cancel"))?.rect();
    let beside = |b: &&Node<'_>| {
        b.accesskit_node().label().as_deref() == Some(title)
            && (b.rect().center().y - cancel.center().y).abs() < 2.0
    };
    buttons.iter().find(beside).map(|b| !b.accesskit_node().is_disabled())
}

/// Returns the rotation of a joint over the shown clip.
fn seen_rotation(window: &Window, name: &str, time: f64) -> glam::Quat {
    assert!((window.state().playback().time - time).abs() < 1e-6, "it is seen at the playhead");
    window.state().shown_pose().local[node(window, name).index()].transform().rotation
}

/// Opens the sample with *Walk*, and the playhead in the middle of the sheet.
fn walking() -> (Window, tempfile::TempDir, std::path::PathBuf, f64) {
    let (mut window, folder, path) = sample();
    click(&mut window, "Clip Walk");
    let sheet = window.get_by_label("Timeline keys").rect();
    click_at(&mut window, egui::pos2(sheet.left() + sheet.width() * 0.4, sheet.top() - 12.0));
    window.event(Event::PointerMoved(egui::pos2(800.0, 300.0)));
    window.run_steps(2);
    let time = window.state().playback().time;
    assert!(time > 0.05, "{time}");
    (window, folder, path, time)
}

/// Returns the command whose form opens while a clip is shown. For a command that poses the file,
/// it is the matching command for poses in a clip.
fn shown_over_a_clip(spec: &'static CommandSpec) -> &'static CommandSpec {
    let other = match spec.name {
        "pose.rotate" => "pose.turn",
        "pose.move" => "pose.shift",
        "pose.scale" => "pose.resize",
        _ => return spec,
    };
    table().iter().find(|c| c.name == other).expect("a command")
}

/// Asserts that arguments with a picker have no text field, and that no field contains raw data.
fn assert_fields_are_typed_numbers_and_texts(window: &Window, spec: &CommandSpec) {
    for field in nodes_of(window, Role::TextInput) {
        let access = field.accesskit_node();
        let (label, value) =
            (access.label().unwrap_or_default(), access.value().unwrap_or_default());
        let is_data = value.starts_with(['{', '[']) || matches!(value.as_str(), "true" | "false");
        assert!(!is_data, "{}: “{label}” holds {value}", spec.name);
        let picked = [
            "Clip", "Node", "Joint", "Mesh", "Layer", "Pose", "Material", "Image", "Target",
            "Lane", "Keys",
        ];
        assert!(!picked.contains(&label.as_str()), "{}: “{label}” is typed", spec.name);
    }
}

/// Confirms a form that can be confirmed, and undoes its step.
fn assert_form_acts_or_says_why_not(window: &mut Window, spec: &CommandSpec) {
    let steps = session(window).history().done().len();
    press(window, Modifiers::NONE, Key::Enter);
    for _ in 0..400 {
        window.step();
        if !window.state().is_busy() {
            break;
        }
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    window.run_steps(2);
    let failed = window.query_by_label_contains("Ulna had an internal error").is_some();
    assert!(!failed, "{}", spec.name);
    let now = session(window).history().done().len();
    let said = window.query_all_by_label("Close message").next().is_some();
    // Commands that affect only the window, such as the selection, need neither a step nor a
    // message.
    assert!(now > steps || said || !spec.is_pure(), "{} did nothing and said nothing", spec.name);
    if now > steps {
        press(window, Modifiers::COMMAND, Key::Z);
    }
}

/// Waits until the effects of a skeleton change are computed.
fn wait_for_effects(window: &mut Window) {
    for _ in 0..2000 {
        if !window.state().is_busy() {
            break;
        }
        std::thread::sleep(std::time::Duration::from_millis(5));
        window.step();
    }
    window.run_steps(2);
}

fn assert_form_says_what_is_missing(window: &Window, spec: &CommandSpec) {
    let says = [
        "Pick the",
        "Pick a value",
        "Enter the",
        "Enter a value",
        "Fill in one of",
        "must be",
        "is not",
        "needs three",
        "no common root",
        "has no helper nodes",
        "have no scale and no rotation",
        "no node is posed",
        "there is no",
        "There is no",
        "Nothing changes",
        "already",
    ];
    let said = says.iter().any(|t| window.query_all_by_label_contains(t).next().is_some());
    assert!(said, "{} does not say what is missing", spec.name);
}

/// Closes the form and all messages.
fn close_everything(window: &mut Window) {
    for _ in 0..3 {
        press(window, Modifiers::NONE, Key::Escape);
    }
    while window.query_all_by_label("Close message").next().is_some_and(|close| {
        close.click();
        true
    }) {
        window.run_steps(2);
    }
}

#[test]
fn every_form_has_fields_and_works_or_names_the_missing_input() {
    let (mut window, ..) = sample();
    click(&mut window, "Clip Walk");
    click(&mut window, "LeftUpperArm");
    let (mut opened, mut done, mut missing) = (0, 0, 0);
    let asked = |c: &&CommandSpec| {
        !c.arguments.is_empty() && !c.name.starts_with("file.") && !is_for_programs(c)
    };
    for spec in table().iter().filter(asked) {
        if !open_form(&mut window, spec) {
            continue;
        }
        opened += 1;
        wait_for_effects(&mut window);
        let spec = shown_over_a_clip(spec);
        assert_fields_are_typed_numbers_and_texts(&window, spec);
        let shown = spec.arguments.iter().filter(|a| entry(spec, a) != Some(Entry::Data)).count();
        assert!(shown > 0, "{} asks for nothing", spec.name);
        match go(&window, spec) {
            Some(true) => {
                assert_form_acts_or_says_why_not(&mut window, spec);
                done += 1;
            }
            Some(false) => {
                missing += 1;
                assert_form_says_what_is_missing(&window, spec);
            }
            None => panic!("{} has no button", spec.name),
        }
        close_everything(&mut window);
        assert!(
            session(&window).document().clips.contains(WALK),
            "{} left the sample changed",
            spec.name
        );
        click(&mut window, "Clip Walk");
        click(&mut window, "LeftUpperArm");
    }
    assert!(
        opened >= 80 && done >= 50 && missing >= 5,
        "{opened} opened, {done} done, {missing} missing"
    );
}

#[test]
fn a_typed_expression_with_a_unit_rotates_the_displayed_pose() {
    let (mut window, _folder, _, time) = walking();
    click(&mut window, "Head");
    let before = seen_rotation(&window, "Head", time);
    form(&mut window, "pose.turn");
    click(&mut window, "Axis Y");
    window.get_by_role_and_label(Role::TextInput, "Angle").focus();
    window.run_steps(2);
    type_over(&mut window, "90/2");
    press(&mut window, Modifiers::NONE, Key::Enter);
    let head = node(&window, "Head");
    let at = UnkeyedAt::new(WALK, time as f32);
    let unkeyed = &session(&window).document().aids.unkeyed;
    assert!(
        unkeyed.iter().any(|(k, pose)| *k == at && pose.nodes().any(|n| n == head)),
        "{:?}",
        unkeyed.keys()
    );
    let turned = angle_between(before, seen_rotation(&window, "Head", time)).to_degrees();
    assert!((turned - 45.0).abs() < 0.01, "{turned}");
    let rest = session(&window).opened().node(head).local().transform().rotation;
    assert_eq!(
        session(&window).document().node(head).local().transform().rotation,
        rest,
        "the file's pose stays"
    );
}

#[test]
fn a_posing_form_applies_to_the_shown_clip() {
    let (mut window, _folder, _, time) = walking();
    click(&mut window, "Head");
    form(&mut window, "pose.rotate");
    assert!(window.query_by_label_contains("Applies to: Walk at").is_some());
    type_over(&mut window, "30");
    press(&mut window, Modifiers::NONE, Key::Enter);
    let at = UnkeyedAt::new(WALK, time as f32);
    assert!(session(&window).document().aids.unkeyed.contains_key(&at));
}

#[test]
fn an_ik_form_starts_from_the_position_in_the_clip() {
    let (mut window, _folder, _, time) = walking();
    click(&mut window, "LeftHand");
    let hand = node(&window, "LeftHand");
    let world = |window: &Window| window.state().shown_pose().world[hand.index()].w_axis.truncate();
    let before = world(&window);
    form(&mut window, "pose.ik");
    // The fields start with the current position in the clip.
    let x: f32 =
        window.get_by_role_and_label(Role::TextInput, "Target X").value().unwrap().parse().unwrap();
    assert!((x - before.x).abs() < 1e-4, "{x} {before}");
    window.get_by_role_and_label(Role::TextInput, "Target Y").focus();
    window.run_steps(2);
    type_over(&mut window, &format!("{} + 10 cm", before.y));
    press(&mut window, Modifiers::NONE, Key::Enter);
    let after = world(&window);
    assert!(
        (after - before - glam::vec3(0.0, 0.1, 0.0)).length() < 2e-3,
        "{before} {after} by {:?}",
        session(&window).history().done()[0].lines(session(&window).document())
    );
    assert!(
        session(&window).document().aids.unkeyed.contains_key(&UnkeyedAt::new(WALK, time as f32))
    );
}

#[test]
fn poses_are_stored_and_applied_at_the_playhead() {
    let (mut window, _folder, _, time) = walking();
    let arm = node(&window, "LeftUpperArm");
    let shown = seen_rotation(&window, "LeftUpperArm", time);
    form(&mut window, "pose.keep");
    type_over(&mut window, "Stride");
    press(&mut window, Modifiers::NONE, Key::Enter);
    let kept = kept_poses(session(&window).document()).to_vec();
    assert_eq!(kept.len(), 1);
    assert_eq!(kept[0].name, "Stride");
    // At another time of the clip, the pose differs. Applying the stored pose restores it.
    press(&mut window, Modifiers::NONE, Key::Home);
    let start = seen_rotation(&window, "LeftUpperArm", 0.0);
    assert!(angle_between(start, shown) > 0.05);
    form(&mut window, "pose.apply");
    assert!(window.query_by_label("Pose: Stride").is_some());
    press(&mut window, Modifiers::NONE, Key::Enter);
    assert!(angle_between(seen_rotation(&window, "LeftUpperArm", 0.0), shown) < 1e-3);
    let unkeyed = &session(&window).document().aids.unkeyed;
    assert!(unkeyed.values().any(|pose| pose.nodes().any(|n| n == arm)));
    // With auto-key, applying a pose sets keys.
    press(&mut window, Modifiers::COMMAND, Key::Z);
    let keys = |window: &Window| {
        let clip = &session(window).document().clips[WALK];
        clip.track(arm, Property::Rotation).map(|(_, t)| (**t).clone())
    };
    let before = keys(&window);
    click(&mut window, "Auto-key");
    form(&mut window, "pose.apply");
    press(&mut window, Modifiers::NONE, Key::Enter);
    assert!(session(&window).document().aids.unkeyed.is_empty());
    assert_ne!(keys(&window), before);
}

#[test]
fn joints_are_picked_from_a_list_filtered_by_typing() {
    let (mut window, ..) = sample();
    click(&mut window, "Pose mode");
    click(&mut window, "Head");
    form(&mut window, "pose.turn");
    click(&mut window, "Node: Head");
    window.run_steps(3);
    window.event(Event::Text("leftfoot".to_owned()));
    window.run_steps(3);
    press(&mut window, Modifiers::NONE, Key::Enter);
    assert!(window.query_by_label("Node: Head, LeftFoot").is_some(), "the second is added");
    press(&mut window, Modifiers::NONE, Key::Escape);
    window.run_steps(2);
    window.get_by_role_and_label(Role::TextInput, "Angle").focus();
    window.run_steps(2);
    type_over(&mut window, "20");
    press(&mut window, Modifiers::NONE, Key::Enter);
    for name in ["Head", "LeftFoot"] {
        let id = node(&window, name);
        let (now, then) =
            (session(&window).document().node(id), session(&window).opened().node(id));
        let turn =
            angle_between(now.local().transform().rotation, then.local().transform().rotation)
                .to_degrees();
        assert!((turn - 20.0).abs() < 0.01, "{name}: {turn}");
    }
}

#[test]
fn a_form_uses_the_selected_keys() {
    let (mut window, ..) = sample();
    click(&mut window, "Clip Walk");
    let sheet = window.get_by_label("Timeline keys").rect();
    window.event(Event::PointerMoved(sheet.center()));
    window.run_steps(2);
    press(&mut window, Modifiers::COMMAND, Key::A);
    let count = window.state().selected_keys().len();
    assert!(count > 10);
    let before = session(&window).document().clips[WALK].clone();
    window.event(Event::PointerMoved(egui::pos2(800.0, 300.0)));
    window.run_steps(2);
    form(&mut window, "key.move");
    assert!(window.query_by_label(&format!("The {count} selected keys")).is_some());
    type_over(&mut window, "15 f");
    press(&mut window, Modifiers::NONE, Key::Enter);
    let after = &session(&window).document().clips[WALK];
    let rate = 1.0 / ulna_edit::command::frame_of(&before);
    let by = 15.0 / rate as f32;
    for (id, track) in &before.tracks {
        for (a, b) in track.times.iter().zip(after.tracks[id].times.iter()) {
            assert!((b - a - by).abs() < 1e-4, "{a} {b}");
        }
    }
}

/// Whether the form's button is enabled. The form stays open.
fn can_go(window: &Window, name: &str) -> bool {
    go(window, find(name).unwrap()).expect("the form is open")
}

#[test]
fn a_form_names_missing_and_conflicting_arguments() {
    let (mut window, ..) = walking();
    form(&mut window, "clip.retime");
    assert!(!can_go(&window, "clip.retime"));
    assert!(window.query_by_label("Enter the length, factor or speed").is_some());
    press(&mut window, Modifiers::NONE, Key::Enter);
    assert!(!can_go(&window, "clip.retime"), "the form stays open");
    let field = |window: &mut Window, name: &str, text: &str| {
        window.get_by_role_and_label(Role::TextInput, name).focus();
        window.run_steps(2);
        type_over(window, text);
    };
    field(&mut window, "Factor", "2");
    assert!(can_go(&window, "clip.retime"));
    field(&mut window, "Speed", "2");
    assert!(window.query_by_label("Set only one of length, factor and speed").is_some());
    press(&mut window, Modifiers::NONE, Key::Escape);
    form(&mut window, "edit.revert");
    assert!(window.query_by_label("Pick the clip, layer, node or mesh").is_some());
}

#[test]
fn a_form_preselects_no_choice_and_names_its_defaults() {
    let (mut window, ..) = walking();
    form(&mut window, "key.tangents");
    assert!(window.query_by_label("Tangents: Pick…").is_some());
    assert!(!can_go(&window, "key.tangents"));
    assert!(window.query_by_label("All keys of the clip (no key is selected)").is_some());
    press(&mut window, Modifiers::NONE, Key::Escape);
    click(&mut window, "Head");
    form(&mut window, "pose.turn");
    assert!(window.query_by_label("Space: Local (default)").is_some());
}

#[test]
fn empty_transform_fields_keep_the_current_values() {
    let (mut window, ..) = sample();
    click(&mut window, "Pose mode");
    click(&mut window, "Head");
    let head = node(&window, "Head");
    let local = |window: &Window| session(window).document().node(head).local().transform();
    let before = local(&window);
    form(&mut window, "pose.set_local");
    assert!(!can_go(&window, "pose.set_local"), "nothing is set yet");
    window.get_by_role_and_label(Role::TextInput, "Translation Y").focus();
    window.run_steps(2);
    type_over(&mut window, "0.5");
    press(&mut window, Modifiers::NONE, Key::Enter);
    let after = local(&window);
    assert!((after.translation.y - 0.5).abs() < 1e-4, "{after:?}");
    assert!((after.translation.x - before.translation.x).abs() < 1e-4, "{after:?}");
    assert!((after.translation.z - before.translation.z).abs() < 1e-4, "{after:?}");
    assert!(angle_between(after.rotation, before.rotation) < 1e-3, "{after:?}");
}
