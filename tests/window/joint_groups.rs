//! Groups of joints and the humanoid map: rows, buttons and lists in the window, and the resulting
//! document.

use egui::{Event, Key, Modifiers, accesskit::Role};
use egui_kittest::kittest::Queryable as _;
use ulna_model::{GroupColor, JointGroup};
use ulna_motion::humanoid_map;

use super::editing::{Window, click, click_at, node, press, sample, session, wait};

/// Types the title of a command into the palette, and presses Enter.
fn command(window: &mut Window, title: &str) {
    press(window, Modifiers::COMMAND, Key::P);
    window.event(Event::Text(title.to_owned()));
    window.run_steps(2);
    press(window, Modifiers::NONE, Key::Enter);
    wait(window);
}

fn row(window: &mut Window, name: &str, modifiers: Modifiers) {
    let at = window.get_by_role_and_label(Role::TreeItem, name).rect().center();
    window.event(Event::ModifiersChanged(modifiers));
    for pressed in [true, false] {
        window.event(Event::PointerMoved(at));
        window.event(Event::PointerButton {
            pos: at,
            button: egui::PointerButton::Primary,
            pressed,
            modifiers,
        });
        window.step();
    }
    window.event(Event::ModifiersChanged(Modifiers::NONE));
    window.run_steps(3);
}

fn groups(window: &Window) -> Vec<JointGroup> {
    session(window).document().joint_groups().to_vec()
}

fn hover(window: &mut Window, name: &str) {
    let at = window.get_by_label(name).rect().center();
    window.event(Event::PointerMoved(at));
    window.run_steps(3);
}

#[test]
fn a_joint_group_is_created_hidden_locked_renamed_and_removed_in_its_row() {
    let (mut window, ..) = sample();
    click(&mut window, "Pose mode");
    assert!(window.query_by_label("Close Joint groups").is_none(), "no group, no section");
    row(&mut window, "Spine", Modifiers::NONE);
    row(&mut window, "Chest", Modifiers::COMMAND | Modifiers::CTRL);
    command(&mut window, "New joint group from the selection");
    let nodes = vec![node(&window, "Spine"), node(&window, "Chest")];
    assert_eq!(groups(&window).len(), 1);
    assert_eq!(groups(&window)[0].nodes, nodes);
    // A click on the row of a group selects its joints.
    row(&mut window, "Hips", Modifiers::NONE);
    row(&mut window, "Joint group Group 1", Modifiers::NONE);
    let selected: Vec<_> = window.state().selection().nodes.iter().copied().collect();
    assert_eq!(selected, nodes);
    for (switch, is_on) in [
        ("Hide joint group Group 1", [true, false, false]),
        ("Lock joint group Group 1", [true, true, false]),
        ("Solo joint group Group 1", [true, true, true]),
        ("Show joint group Group 1", [false, true, true]),
    ] {
        hover(&mut window, "Joint group Group 1");
        let at = window.get_by_label(switch).rect().center();
        click_at(&mut window, at);
        let group = groups(&window).remove(0);
        assert_eq!([group.hidden, group.locked, group.solo], is_on, "{switch}");
    }
    window.get_by_role_and_label(Role::TreeItem, "Joint group Group 1").click_secondary();
    window.run_steps(3);
    click(&mut window, "Rename");
    assert!(window.query_by_label("New name of the joint group").is_some(), "a field opens");
    window.event(Event::Text("Torso".to_owned()));
    window.run_steps(2);
    press(&mut window, Modifiers::NONE, Key::Enter);
    assert_eq!(&*groups(&window)[0].name, "Torso");
    press(&mut window, Modifiers::COMMAND, Key::Z);
    assert_eq!(&*groups(&window)[0].name, "Group 1");
}

#[test]
fn the_menu_of_a_joint_group_offers_palette_colors_and_a_custom_color() {
    let (mut window, ..) = sample();
    click(&mut window, "Pose mode");
    row(&mut window, "Head", Modifiers::NONE);
    command(&mut window, "New joint group from the selection");
    window.run_steps(3);
    let menu = |window: &mut Window| {
        window.get_by_role_and_label(Role::TreeItem, "Joint group Group 1").click_secondary();
        window.run_steps(3);
    };
    menu(&mut window);
    let swatches = window.query_all_by_label_contains("Color: ").count();
    assert_eq!(swatches, GroupColor::PALETTE.len());
    click(&mut window, "Color: teal");
    assert_eq!(groups(&window)[0].color, GroupColor::Teal);
    assert!(window.query_by_label("Color: teal").is_none(), "the menu closes");
    menu(&mut window);
    let at = window.get_by_label_contains("Custom color").rect().center();
    click_at(&mut window, at);
    window.run_steps(3);
    let picker = window.get_by_label("Use this color").rect();
    click_at(&mut window, picker.center_top() - egui::vec2(0.0, 40.0));
    assert!(window.query_by_label("Use this color").is_some(), "choosing leaves it open");
    click(&mut window, "Use this color");
    let free = groups(&window)[0].color;
    assert!(matches!(free, GroupColor::Free(_)), "{free:?}");
    press(&mut window, Modifiers::COMMAND, Key::Z);
    assert_eq!(groups(&window)[0].color, GroupColor::Teal);
}

/// Returns the number of bones that are drawn and can be clicked.
fn bones(window: &Window) -> usize {
    window.state().bones().len()
}

#[test]
fn joints_of_hidden_groups_are_not_drawn_and_solo_draws_only_its_group() {
    let (mut window, ..) = sample();
    click(&mut window, "Pose mode");
    row(&mut window, "Head", Modifiers::NONE);
    command(&mut window, "New joint group from the selection");
    window.run_steps(3);
    let all = bones(&window);
    let head = node(&window, "Head");
    let is_drawn = |window: &Window| window.state().bones().iter().any(|b| b.joint == head);
    assert!(is_drawn(&window));
    hover(&mut window, "Joint group Group 1");
    let at = window.get_by_label("Hide joint group Group 1").rect().center();
    click_at(&mut window, at);
    window.run_steps(3);
    assert!(!is_drawn(&window) && bones(&window) < all, "{} of {all}", bones(&window));
    hover(&mut window, "Joint group Group 1");
    let at = window.get_by_label("Solo joint group Group 1").rect().center();
    click_at(&mut window, at);
    window.run_steps(3);
    assert!(is_drawn(&window) && window.state().bones().iter().all(|b| b.joint == head));
}

#[test]
fn humanoid_bones_are_guessed_and_corrected_in_the_dialog() {
    let (mut window, ..) = sample();
    command(&mut window, "Humanoid bones");
    assert!(window.query_by_label("Hips: Hips, guess").is_some(), "a guess is shown");
    assert!(session(&window).document().humanoid().is_none());
    click(&mut window, "Guess missing");
    wait(&mut window);
    assert!(window.query_by_label("Hips: Hips, set").is_some());
    let head = node(&window, "Head");
    assert_eq!(humanoid_map(session(&window).document()).get("head"), Some(&head));
    // Another joint is chosen from the list. Its previous humanoid bone is cleared.
    click(&mut window, "Spine: Spine, set");
    window.run_steps(3);
    window.get_by_role_and_label(Role::Button, "Chest").click();
    window.run_steps(3);
    wait(&mut window);
    let chest = node(&window, "Chest");
    let map = humanoid_map(session(&window).document());
    assert_eq!(map.get("spine"), Some(&chest));
    assert!(map.get("chest") != Some(&chest));
    click(&mut window, "Clear");
    wait(&mut window);
    assert!(session(&window).document().humanoid().is_none());
    click(&mut window, "Done");
    assert!(window.query_by_label("Guess missing").is_none(), "the dialog closes");
}
