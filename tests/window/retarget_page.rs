//! The page *Retarget*: its own undo, closing and opening again, and edits of the table of chains.
#![allow(clippy::unwrap_used, reason = "a test ends where something is not as it must be")]

use std::fs;

use egui::{Key, Modifiers};
use egui_kittest::kittest::{NodeT as _, Queryable as _};

use super::{
    editing::{Window, click, drag, press, session},
    retarget::{SAMPLE, drop_file, open_page, page, page_with, settle},
};

/// Returns the sample without names of nodes, so that no chain matches.
fn nameless() -> Vec<u8> {
    let (mut json, bin) = crate::common::split(SAMPLE);
    for node in json["nodes"].as_array_mut().unwrap() {
        node.as_object_mut().unwrap().remove("name");
    }
    crate::common::glb(json, &bin)
}

fn is_shown(window: &Window, label: &str) -> bool {
    window.query_all_by_label_contains(label).next().is_some()
}

/// Number of contacts of the left foot in the shown clip.
fn contacts(window: &Window) -> usize {
    window.query_all_by_label_contains("Contact of Left foot, frames").count()
}

/// Shows the walk, and removes the first contact of its left foot. Returns the number of contacts
/// before.
fn remove_contact(window: &mut Window) -> usize {
    click(window, "Source clip Walk");
    settle(window);
    let before = contacts(window);
    assert!(before > 0, "a walk has contacts");
    let name = "Contact of Left foot, frames";
    window.get_all_by_label_contains(name).next().unwrap().click();
    window.run_steps(3);
    press(window, Modifiers::NONE, Key::Delete);
    settle(window);
    assert_eq!(contacts(window), before - 1);
    before
}

#[test]
fn a_map_of_a_source_without_matches_is_not_used_for_the_next_source() {
    let (mut window, folder) = page_with(&nameless());
    assert!(is_shown(&window, "0 of "), "no chain matches");
    let path = folder.path().join("named.glb");
    fs::write(&path, SAMPLE).unwrap();
    drop_file(&mut window, &path);
    settle(&mut window);
    assert!(!is_shown(&window, "0 of "), "the chains were matched again");
    assert!(is_shown(&window, "Contact of Left foot") || is_shown(&window, "contacts in "));
}

#[test]
fn changes_on_the_retarget_page_are_undone_and_redone_there() {
    let (mut window, _folder) = page();
    let before = remove_contact(&mut window);
    press(&mut window, Modifiers::COMMAND, Key::Z);
    settle(&mut window);
    assert_eq!(contacts(&window), before);
    press(&mut window, Modifiers::COMMAND | Modifiers::SHIFT, Key::Z);
    settle(&mut window);
    assert_eq!(contacts(&window), before - 1);
    press(&mut window, Modifiers::COMMAND, Key::Z);
    press(&mut window, Modifiers::COMMAND, Key::Z);
    assert!(is_shown(&window, "There is nothing to undo"));
    assert!(session(&window).history().done().is_empty(), "the file is unchanged");
}

#[test]
fn a_drag_of_a_contact_on_the_retarget_page_is_undone_as_a_whole() {
    let (mut window, _folder) = page();
    click(&mut window, "Source clip Walk");
    settle(&mut window);
    let label = |window: &Window| {
        let mut all = window.query_all_by_label_contains("Contact of Left foot, frames");
        all.next().unwrap().accesskit_node().label().unwrap()
    };
    let before = label(&window);
    let name = "End of contact of Left foot";
    let end = window.get_all_by_label_contains(name).next().unwrap().rect().center();
    drag(&mut window, end, end - egui::vec2(60.0, 0.0));
    settle(&mut window);
    assert_ne!(label(&window), before);
    press(&mut window, Modifiers::COMMAND, Key::Z);
    settle(&mut window);
    assert_eq!(label(&window), before);
    press(&mut window, Modifiers::COMMAND, Key::Z);
    assert!(is_shown(&window, "There is nothing to undo"), "one step");
}

#[test]
fn an_unreadable_second_source_is_reported_and_another_can_be_chosen() {
    let (mut window, folder) = page();
    let path = folder.path().join("broken.glb");
    fs::write(&path, b"nothing").unwrap();
    drop_file(&mut window, &path);
    settle(&mut window);
    assert!(is_shown(&window, "broken.glb could not be read"));
    click(&mut window, "Choose another file…");
    window.run_steps(3);
    assert!(is_shown(&window, "Path"), "a path is asked for");
    press(&mut window, Modifiers::NONE, Key::Escape);
    assert!(is_shown(&window, "Source clip Walk"), "the first source is still there");
}

#[test]
fn the_retarget_page_opens_again_as_it_was_closed() {
    let (mut window, _folder) = page();
    let before = remove_contact(&mut window);
    click(&mut window, "Rig mode");
    assert!(!is_shown(&window, "Close the page"), "another mode closes the page");
    open_page(&mut window);
    settle(&mut window);
    assert!(is_shown(&window, "Source clip Walk"), "nothing is asked");
    assert_eq!(contacts(&window), before - 1, "the change is kept");
    press(&mut window, Modifiers::NONE, Key::Escape);
    assert!(!is_shown(&window, "Close the page"));
    open_page(&mut window);
    settle(&mut window);
    press(&mut window, Modifiers::COMMAND, Key::Z);
    settle(&mut window);
    assert_eq!(contacts(&window), before, "the steps are kept, too");
}

#[test]
fn a_chain_is_added_by_hand_with_contacts_and_renamed_and_deleted() {
    let (mut window, _folder) = page_with(&nameless());
    click(&mut window, "Add a chain");
    assert!(!is_shown(&window, "Contacts of Chain 1"), "a chain without joints has no end");
    // Nodes without names are called by their numbers.
    for (joints, ends) in [
        ("Joints of Chain 1 in the source", ["node 47", "node 49"]),
        ("Joints of Chain 1 in the target", ["LeftUpperLeg", "LeftFoot"]),
    ] {
        click(&mut window, joints);
        for joint in ends {
            window.get_by_label("Filter joints").focus();
            window.run_steps(2);
            window.get_by_label("Filter joints").type_text(joint);
            window.run_steps(3);
            click(&mut window, &format!("Joint {joint}"));
            click(&mut window, "Clear Filter joints");
        }
        press(&mut window, Modifiers::NONE, Key::Escape);
    }
    settle(&mut window);
    click(&mut window, "Contacts of Chain 1");
    settle(&mut window);
    assert!(is_shown(&window, "Contacts of Chain 1"));
    assert!(!is_shown(&window, "No feet found"));
    click(&mut window, "Rename");
    press(&mut window, Modifiers::NONE, Key::Escape);
    assert!(is_shown(&window, "Chain Chain 1"), "Escape ends only the typing");
    click(&mut window, "Rename");
    window.get_by_label("Name of the chain").type_text("Left hind leg");
    window.run_steps(2);
    press(&mut window, Modifiers::NONE, Key::Enter);
    assert!(is_shown(&window, "Chain Left hind leg"));
    click(&mut window, "Delete");
    assert!(!is_shown(&window, "Chain Left hind leg"));
    press(&mut window, Modifiers::COMMAND, Key::Z);
    assert!(is_shown(&window, "Chain Left hind leg"));
}

#[test]
fn joints_of_a_chain_are_listed_in_the_order_of_the_tree() {
    let (mut window, _folder) = page();
    click(&mut window, "Joints of Hips in the target");
    let list: Vec<String> = window
        .query_all_by_label_contains("Joint ")
        .filter_map(|node| node.accesskit_node().label().map(|l| l.to_owned()))
        .collect();
    let place = |name: &str| list.iter().position(|l| l == name).unwrap();
    assert!(place("Joint LeftUpperArm") < place("Joint LeftLowerArm"), "{list:?}");
    let [shoulder, hand] = ["Joint LeftShoulder", "Joint LeftHand"].map(place);
    assert!(hand - shoulder == 3, "a limb is listed before the next one: {list:?}");
}
