//! The page *Retarget*: clips of another file on this body, with one chain changed.
#![allow(clippy::unwrap_used, reason = "a test ends where something is not as it must be")]

use std::{
    fs,
    path::{Path, PathBuf},
    sync::Arc,
};

use egui::{Key, Modifiers};
use egui_kittest::kittest::Queryable as _;
use ulna_model::{Clip, Property};
use ulna_session::Session;

use super::editing::{Window, click, drag, node, press, sample, session};
use crate::common::window::wait_until;

const SAMPLE: &[u8] = include_bytes!("../../assets/mannequin.glb");

/// A file as a drop gives it.
#[derive(Debug)]
struct Dropped(PathBuf);

impl egui::DroppedFile for Dropped {
    fn path(&self) -> &Path {
        &self.0
    }

    fn bytes(&self) -> Result<Vec<u8>, String> {
        fs::read(&self.0).map_err(|e| e.to_string())
    }
}

fn drop_file(window: &mut Window, path: &Path) {
    let file = Arc::new(Dropped(path.to_owned())) as egui::DroppedFileHandle;
    window.input_mut().dropped_files = vec![file];
    window.step();
}

/// The sample as another file, in the folder of the open one.
fn source(folder: &Path) -> PathBuf {
    let path = folder.join("source.glb");
    fs::write(&path, SAMPLE).unwrap();
    path
}

fn settle(window: &mut Window) {
    wait_until(window, |app| !app.is_busy());
    window.run_steps(3);
    wait_until(window, |app| !app.is_busy());
}

/// Opens the page by its menu, and declines to type a path.
fn ask_for_page(window: &mut Window) {
    window.get_by_role_and_label(egui::accesskit::Role::Button, "Clip").click();
    window.run_steps(3);
    click(window, "Retarget clips…");
    // The page below has a button of that name, too.
    window.get_all_by_label("Cancel").last().unwrap().click();
    window.run_steps(3);
}

/// The page on the sample, with the sample as the source.
fn page() -> (Window, tempfile::TempDir) {
    let (mut window, folder, _) = sample();
    let path = source(folder.path());
    ask_for_page(&mut window);
    assert!(window.query_by_label("Close the page").is_some(), "the page is shown");
    assert!(window.query_by_label("Viewport").is_none(), "in place of the panels");
    drop_file(&mut window, &path);
    settle(&mut window);
    assert!(window.query_by_label("Source clip Walk").is_some(), "the source is read");
    (window, folder)
}

fn clip_names(session: &Session) -> Vec<String> {
    let document = session.document();
    document.clips.ids().map(|id| document.clip_label(id)).collect()
}

fn last_clip(session: &Session) -> &Clip {
    session.document().clips.values().last().unwrap()
}

/// Whether a clip rotates a joint of the sample.
fn rotates(window: &Window, joint: &str) -> bool {
    let joint = node(window, joint);
    let tracks = &last_clip(session(window)).tracks;
    tracks.values().any(|t| t.target == joint && t.property == Property::Rotation)
}

#[test]
fn a_clip_comes_over_with_one_chain_changed_as_one_undo_step() {
    let (mut window, _folder) = page();
    let before = clip_names(session(&window));
    click(&mut window, "None clips");
    click(&mut window, "Add Walk");
    window.get_by_label_contains("Rotation of Left arm").click();
    window.run_steps(3);
    // Its list of choices; the other arm follows.
    window.get_all_by_label("None").last().unwrap().click();
    window.run_steps(3);
    settle(&mut window);
    assert!(window.query_by_label("Rotation of Left arm: None").is_some());
    assert!(window.query_by_label("Rotation of Right arm: None").is_some(), "mirrored along");
    click(&mut window, "Add 1 clip");
    settle(&mut window);
    assert!(window.query_by_label("Close the page").is_none(), "the page is closed");
    let now = clip_names(session(&window));
    assert_eq!(now.len(), before.len() + 1, "{now:?}");
    assert_eq!(session(&window).history().done().len(), 1, "one step");
    assert!(rotates(&window, "LeftUpperLeg") && !rotates(&window, "LeftUpperArm"));
    press(&mut window, Modifiers::COMMAND, Key::Z);
    assert_eq!(clip_names(session(&window)), before);
}

#[test]
fn escape_closes_the_page_and_its_keys_do_nothing_to_the_document() {
    let (mut window, _folder) = page();
    for key in [Key::Delete, Key::S, Key::ArrowRight, Key::Space, Key::Space] {
        press(&mut window, Modifiers::NONE, key);
    }
    assert!(session(&window).history().done().is_empty());
    press(&mut window, Modifiers::NONE, Key::Escape);
    assert!(window.query_by_label("Close the page").is_none());
    assert!(window.query_by_label("Viewport").is_some(), "the panels are back");
    assert!(session(&window).history().done().is_empty(), "nothing was written");
}

#[test]
fn joints_of_a_chain_are_chosen_from_a_list_with_a_filter() {
    let (mut window, _folder) = page();
    click(&mut window, "Joints of Left arm in the target");
    click(&mut window, "Last joint");
    window.get_by_label("Filter joints").focus();
    window.run_steps(2);
    window.get_by_label("Filter joints").type_text("LeftLower");
    window.run_steps(3);
    click(&mut window, "Joint LeftLowerArm");
    press(&mut window, Modifiers::NONE, Key::Escape);
    settle(&mut window);
    click(&mut window, "None clips");
    click(&mut window, "Add Walk");
    click(&mut window, "Add 1 clip");
    settle(&mut window);
    // No chain has the hands of the target any more.
    assert!(rotates(&window, "LeftLowerArm") && !rotates(&window, "LeftHand"));
    assert!(!rotates(&window, "RightHand"), "the other side follows");
}

#[test]
fn a_second_file_of_the_same_skeleton_keeps_the_table() {
    let (mut window, folder) = page();
    window.get_by_label_contains("Rotation of Head").click();
    window.run_steps(3);
    window.get_all_by_label("Rest").last().unwrap().click();
    window.run_steps(3);
    let path = folder.path().join("second.glb");
    fs::write(&path, SAMPLE).unwrap();
    drop_file(&mut window, &path);
    settle(&mut window);
    assert!(window.query_all_by_label("second.glb").next().is_some());
    assert!(window.query_by_label("Rotation of Head: Rest").is_some());
}

#[test]
fn a_file_that_cannot_be_read_is_said_on_the_page() {
    let (mut window, folder, _) = sample();
    let path = folder.path().join("broken.glb");
    fs::write(&path, b"nothing").unwrap();
    ask_for_page(&mut window);
    drop_file(&mut window, &path);
    settle(&mut window);
    assert!(window.query_by_label_contains("broken.glb could not be read").is_some());
    press(&mut window, Modifiers::NONE, Key::Escape);
    assert!(window.query_by_label("Viewport").is_some());
}

/// Spans of a foot's contacts in the last clip, seconds.
fn spans(window: &Window, foot: &str) -> Vec<[f32; 2]> {
    let foot = node(window, foot);
    let goals = &last_clip(session(window)).contacts;
    goals.iter().filter(|g| g.node == foot).map(|g| [g.from, g.to]).collect()
}

/// Adds the walk alone.
fn add_walk(window: &mut Window) {
    click(window, "None clips");
    click(window, "Add Walk");
    click(window, "Add 1 clip");
    settle(window);
}

#[test]
fn a_contact_that_is_removed_on_the_page_is_not_written() {
    let (mut window, folder) = page();
    click(&mut window, "Source clip Walk");
    settle(&mut window);
    let count = |window: &Window| {
        window.query_all_by_label_contains("Contact of Left foot, frames").count()
    };
    let before = count(&window);
    assert!(before > 0, "a walk has contacts");
    let name = "Contact of Left foot, frames";
    window.get_all_by_label_contains(name).next().unwrap().click();
    window.run_steps(3);
    press(&mut window, Modifiers::NONE, Key::Delete);
    settle(&mut window);
    assert_eq!(count(&window), before - 1);
    add_walk(&mut window);
    let with_less = spans(&window, "LeftFoot").len();
    press(&mut window, Modifiers::COMMAND, Key::Z);
    // The whole of them, for comparison.
    ask_for_page(&mut window);
    drop_file(&mut window, &source(folder.path()));
    settle(&mut window);
    add_walk(&mut window);
    assert!(with_less < spans(&window, "LeftFoot").len());
    assert!(!session(&window).document().retarget_maps().is_empty(), "the map is kept");
}

#[test]
fn contacts_of_the_shown_clip_have_rows_whose_bars_are_dragged() {
    let (mut window, _folder) = page();
    add_walk(&mut window);
    let before = spans(&window, "LeftFoot");
    assert!(!before.is_empty());
    let name = "End of contact of LeftFoot";
    let end = window.get_all_by_label_contains(name).next().unwrap().rect().center();
    drag(&mut window, end, end - egui::vec2(60.0, 0.0));
    let after = spans(&window, "LeftFoot");
    assert_ne!(after, before);
    assert_eq!(session(&window).history().done().len(), 2, "one step");
    press(&mut window, Modifiers::COMMAND, Key::Z);
    assert_eq!(spans(&window, "LeftFoot"), before);
}
