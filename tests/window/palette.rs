//! The palette: commands found by the terms of other programs, names in the file, typed values, and
//! the rows for empty or unknown text.

use egui::{Event, Key, Modifiers, Role, accesskit};
use egui_kittest::kittest::{NodeT as _, Queryable as _};
use ulna_model::ClipId;

use super::editing::{Window, click, node, press, sample, session};

fn open(window: &mut Window, words: &str) {
    press(window, Modifiers::COMMAND, Key::P);
    assert!(window.query_by_label("Find a command").is_some());
    window.event(Event::Text(words.to_owned()));
    window.run_steps(3);
}

fn run(window: &mut Window, words: &str) {
    open(window, words);
    press(window, Modifiers::NONE, Key::Enter);
    window.run_steps(3);
}

/// Returns title and note of the displayed rows, whether each is the current row, and whether it
/// can be run.
fn rows(window: &Window) -> Vec<(String, String, bool, bool)> {
    let mut found = Vec::new();
    let mut stack = vec![window.root()];
    while let Some(node) = stack.pop() {
        let access = node.accesskit_node();
        if access.role() == Role::MenuItem && access.description().is_some() {
            let row = (
                access.label().unwrap_or_default(),
                access.description().unwrap_or_default(),
                access.toggled() == Some(accesskit::Toggled::True),
                !access.is_disabled(),
            );
            found.push((node.rect().top(), row));
        }
        stack.extend(node.children());
    }
    found.sort_by(|a, b| a.0.total_cmp(&b.0));
    found.into_iter().map(|(_, row)| row).collect()
}

fn chosen(window: &Window) -> (String, String) {
    let row = rows(window).into_iter().find(|row| row.2).expect("a chosen row");
    (row.0, row.1)
}

fn says(window: &Window, text: &str) -> bool {
    window.query_all_by_label_contains(text).next().is_some()
}

#[test]
fn a_command_is_found_by_a_term_of_another_program_and_the_program_is_shown() {
    let (mut window, _folder, _) = sample();
    click(&mut window, "Head");
    // Moves the playhead between keys, so that setting a key is a change.
    press(&mut window, Modifiers::NONE, Key::ArrowRight);
    open(&mut window, "insert keyframe");
    let (title, note) = chosen(&window);
    assert_eq!(title, "Set key");
    assert!(note.contains("also: insert keyframe"), "{note}");
    let keys = session(&window).history().done().len();
    press(&mut window, Modifiers::NONE, Key::Enter);
    assert_eq!(session(&window).history().done().len(), keys + 1, "a key is set");
    assert!(window.query_by_label("Find a command").is_none());
}

#[test]
fn clips_joints_assets_preferences_and_the_guide_are_found_by_name() {
    let (mut window, _folder, _) = sample();
    run(&mut window, "RightLowerLeg");
    assert_eq!(window.state().selection().active, Some(node(&window, "RightLowerLeg")));
    let document = session(&window).document();
    let is_run = |(_, clip): &(ClipId, &ulna_model::Shared<ulna_model::Clip>)| {
        clip.name.as_deref() == Some("Run")
    };
    let (id, _) = document.clips.iter().find(is_run).expect("Run");
    open(&mut window, "Run");
    let (_, note) = chosen(&window);
    assert!(note.starts_with("clip, "), "{note}");
    press(&mut window, Modifiers::NONE, Key::Enter);
    assert_eq!(window.state().playback().clip, Some(id));
    let material = session(&window).document().materials.iter().next().expect("a material").1;
    let name = material.name.as_deref().expect("a name").to_owned();
    run(&mut window, &name);
    assert!(window.query_by_label("Find a command").is_none(), "{name} is shown");
    run(&mut window, "focal length");
    assert!(window.query_by_label("Field of view").is_some(), "the page of the preference opens");
    press(&mut window, Modifiers::NONE, Key::Escape);
    run(&mut window, "Mirror and copy poses");
    assert!(window.query_by_label("Search the guide").is_some());
    assert!(says(&window, "Mirror and copy poses"));
    press(&mut window, Modifiers::NONE, Key::Escape);
    assert!(window.query_by_label("Search the guide").is_none());
}

#[test]
fn typed_values_fill_the_arguments_of_the_command_and_its_form() {
    let (mut window, _folder, _) = sample();
    click(&mut window, "Pose mode");
    click(&mut window, "Head");
    open(&mut window, "rotate 30 z");
    assert_eq!(chosen(&window), ("Rotate by numbers…".into(), "Angle 30°, Axis z".into()));
    press(&mut window, Modifiers::NONE, Key::Enter);
    let head = node(&window, "Head");
    let user = session(&window).document().node(head).user().expect("a pose");
    let (axis, angle) = user.rotation.to_axis_angle();
    assert!((angle.to_degrees() - 30.0).abs() < 1e-3 && axis.z > 0.999, "{axis} {angle}");
    open(&mut window, "rotate 30 z");
    press(&mut window, Modifiers::NONE, Key::Tab);
    window.run_steps(2);
    let is_filled = {
        let mut angles = window.query_all_by_label_contains("Angle");
        angles.any(|n| n.accesskit_node().value().is_some_and(|v| v.contains("30")))
    };
    assert!(is_filled, "the form is filled");
    press(&mut window, Modifiers::NONE, Key::Escape);
    click(&mut window, "Animate mode");
    run(&mut window, "fps 24");
    let clip = window.state().playback().clip.expect("a clip");
    assert_eq!(session(&window).document().clips[clip].rate, Some(24.0));
    run(&mut window, "go to frame 12");
    let playback = window.state().playback();
    assert!((playback.time * playback.fps - 12.0).abs() < 1e-3, "{}", playback.time);
    run(&mut window, "new clip Jump");
    let named = |(_, clip): (ClipId, &_)| -> Option<String> {
        let clip: &ulna_model::Shared<ulna_model::Clip> = clip;
        clip.name.as_deref().map(ToOwned::to_owned)
    };
    let clips = session(&window).document().clips.iter();
    assert!(clips.filter_map(named).any(|name| name == "Jump"));
}

#[test]
fn available_commands_come_first_and_enter_runs_the_first() {
    let (mut window, _folder, _) = sample();
    press(&mut window, Modifiers::NONE, Key::Escape);
    assert!(window.state().selection().nodes.is_empty());
    open(&mut window, "foot");
    let all = rows(&window);
    assert!(all.iter().any(|row| row.2 && row.3), "the chosen row can be run: {all:?}");
    let commands: Vec<bool> = all.iter().take(5).map(|row| row.3).collect();
    let first_off = commands.iter().position(|on| !on).unwrap_or(commands.len());
    assert!(commands[first_off..].iter().all(|on| !on), "{commands:?}");
    press(&mut window, Modifiers::NONE, Key::Escape);
    // If the command cannot be run, Enter keeps the palette open.
    open(&mut window, "Redo");
    press(&mut window, Modifiers::NONE, Key::Enter);
    assert!(window.query_by_label("Find a command").is_some());
    assert!(says(&window, "There is nothing to redo") || chosen(&window).1.contains("redo"));
}

#[test]
fn recent_commands_come_first_before_typing() {
    let (mut window, _folder, _) = sample();
    press(&mut window, Modifiers::COMMAND, Key::P);
    assert!(!says(&window, "Show 1 more: Recently used"));
    press(&mut window, Modifiers::NONE, Key::Escape);
    run(&mut window, "Wireframe");
    run(&mut window, "ground plane");
    press(&mut window, Modifiers::COMMAND, Key::P);
    let titles: Vec<String> = rows(&window).into_iter().map(|row| row.0).collect();
    assert_eq!(titles[..2], ["Grid", "Wireframe"]);
}

#[test]
fn a_group_shows_five_rows_until_the_down_key_passes_them() {
    let (mut window, _folder, _) = sample();
    open(&mut window, "mirror");
    let more =
        |window: &Window| window.query_all_by_label_contains("more: Commands").next().is_some();
    assert!(more(&window) && rows(&window).len() >= 5);
    let first = chosen(&window).0;
    for _ in 0..5 {
        press(&mut window, Modifiers::NONE, Key::ArrowDown);
    }
    assert!(!more(&window), "all rows of the group are shown");
    assert_ne!(chosen(&window).0, first);
    for _ in 0..5 {
        press(&mut window, Modifiers::NONE, Key::ArrowUp);
    }
    assert_eq!(chosen(&window).0, first);
}

#[test]
fn without_results_the_palette_offers_a_search_of_the_guide() {
    let (mut window, _folder, _) = sample();
    open(&mut window, "KHR_node_vis");
    assert!(says(&window, "No command or name contains “KHR_node_vis”."));
    click(&mut window, "Search the guide");
    window.run_steps(3);
    assert!(says(&window, "Visibility that the file stores"), "the guide found it");
    assert!(window.query_by_label("Find a command").is_none());
}

#[test]
fn auto_key_is_found_by_its_maya_name() {
    let (mut window, _folder, _) = sample();
    click(&mut window, "LeftUpperArm");
    open(&mut window, "auto keyframe");
    let (title, note) = chosen(&window);
    assert_eq!(title, "Auto-key");
    assert!(note.starts_with("off, also"), "{note}");
    press(&mut window, Modifiers::NONE, Key::Enter);
    open(&mut window, "auto key");
    assert!(chosen(&window).1.starts_with("on"), "{:?}", chosen(&window));
}

#[test]
fn a_disabled_command_with_the_typed_title_is_visible_below_available_ones() {
    let (mut window, _folder, _) = sample();
    click(&mut window, "LeftLowerArm");
    open(&mut window, "mirror");
    let all = rows(&window);
    assert!(all[0].2 && all[0].3, "Enter runs the first row: {all:?}");
    let mirror = all.iter().take(5).find(|row| row.0 == "Mirror");
    assert!(mirror.is_some_and(|row| !row.3), "{all:?}");
}
