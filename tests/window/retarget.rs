//! The page *Retarget*: clips of another file are transferred to this body, with one changed chain.
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

pub(super) const SAMPLE: &[u8] = include_bytes!("../../assets/mannequin.glb");

/// A file as the system passes it in a drop.
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

pub(super) fn drop_file(window: &mut Window, path: &Path) {
    let file = Arc::new(Dropped(path.to_owned())) as egui::DroppedFileHandle;
    window.input_mut().dropped_files = vec![file];
    window.step();
}

/// Copies the sample as the source file, to the folder of the open file.
fn source(folder: &Path) -> PathBuf {
    let path = folder.join("source.glb");
    fs::write(&path, SAMPLE).unwrap();
    path
}

pub(super) fn settle(window: &mut Window) {
    wait_until(window, |app| !app.is_busy());
    window.run_steps(3);
    wait_until(window, |app| !app.is_busy());
}

/// Opens the page from its menu.
pub(super) fn open_page(window: &mut Window) {
    window.get_by_role_and_label(egui::accesskit::Role::Button, "Clip").click();
    window.run_steps(3);
    click(window, "Retarget clips…");
}

/// Opens the page from its menu, and cancels the file dialog.
fn ask_for_page(window: &mut Window) {
    open_page(window);
    // The page behind the dialog has a button with that name, too.
    window.get_all_by_label("Cancel").last().unwrap().click();
    window.run_steps(3);
}

/// Opens the page on the sample, with a copy of the sample as the source.
pub(super) fn page() -> (Window, tempfile::TempDir) {
    page_with(SAMPLE)
}

/// Opens the page on the sample, with another file as the source.
pub(super) fn page_with(bytes: &[u8]) -> (Window, tempfile::TempDir) {
    let (mut window, folder, _) = sample();
    let path = source(folder.path());
    fs::write(&path, bytes).unwrap();
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
fn a_clip_is_retargeted_with_a_changed_chain_as_one_step() {
    let (mut window, _folder) = page();
    let before = clip_names(session(&window));
    click(&mut window, "None clips");
    click(&mut window, "Add Walk");
    window.get_by_label_contains("Rotation of Left arm").click();
    window.run_steps(3);
    // Chooses from the list of the chain. The other arm changes, too.
    window.get_all_by_label("None").last().unwrap().click();
    window.run_steps(3);
    settle(&mut window);
    assert!(window.query_by_label_contains("Rotation of Left arm: None").is_some());
    assert!(window.query_by_label_contains("Rotation of Right arm: None").is_some(), "mirrored");
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
fn keys_on_the_retarget_page_do_not_change_the_document_and_escape_closes_it() {
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
fn the_joints_of_a_chain_are_chosen_from_a_filtered_list() {
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
    // No chain contains the hands of the target any more.
    assert!(rotates(&window, "LeftLowerArm") && !rotates(&window, "LeftHand"));
    assert!(!rotates(&window, "RightHand"), "the other side follows");
}

#[test]
fn a_second_file_with_the_same_skeleton_keeps_the_chain_settings() {
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
    assert!(window.query_by_label_contains("Rotation of Head: Rest").is_some());
}

#[test]
fn an_unreadable_source_is_reported_on_the_retarget_page() {
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

/// Returns start and end of a foot's contacts in the last clip, in seconds.
fn spans(window: &Window, foot: &str) -> Vec<[f32; 2]> {
    let foot = node(window, foot);
    let goals = &last_clip(session(window)).contacts;
    goals.iter().filter(|g| g.node == foot).map(|g| [g.from, g.to]).collect()
}

/// Adds only the walk.
fn add_walk(window: &mut Window) {
    click(window, "None clips");
    click(window, "Add Walk");
    click(window, "Add 1 clip");
    settle(window);
}

#[test]
fn a_contact_removed_on_the_retarget_page_is_not_added_to_the_clip() {
    let (mut window, _folder) = page();
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
    // For comparison, adds the walk with all contacts. The page opens again as it was.
    open_page(&mut window);
    assert_eq!(count(&window), before - 1, "the removed contact stays removed");
    click(&mut window, "Detect contacts");
    settle(&mut window);
    click(&mut window, "Add 1 clip");
    settle(&mut window);
    assert!(with_less < spans(&window, "LeftFoot").len());
    assert!(!session(&window).document().retarget_maps().is_empty(), "the map is kept");
}

#[test]
fn contacts_of_the_shown_clip_are_edited_by_dragging_their_bars() {
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

/// Returns the sample as a file. The right hand of *Wave* is at the side of the head from 0.8 s to
/// 2.2 s.
fn hand_on_head() -> Vec<u8> {
    let mut session = crate::common::sample();
    let of_wave = |name: &str| ulna_edit::CommandLine::new(name).with("clip", "Wave");
    let contact =
        r#"[{"node":"RightHand","space":"Head","from":0.8,"to":2.2,"place":[-0.1,0.1,0]}]"#;
    crate::common::run(&mut session, of_wave("clip.contacts").with("contacts", contact));
    crate::common::run(&mut session, of_wave("clip.clean_contacts"));
    crate::common::run(&mut session, of_wave("clip.contacts").with("contacts", "[]"));
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("hand.glb");
    session.write_to(&path).unwrap();
    fs::read(path).unwrap()
}

#[test]
fn a_hand_on_the_head_is_found_on_request_and_added_with_the_clip() {
    let (mut window, _folder) = page_with(&hand_on_head());
    click(&mut window, "None clips");
    click(&mut window, "Add Wave");
    click(&mut window, "Source clip Wave");
    settle(&mut window);
    let hands = |window: &Window| window.query_all_by_label_contains("of Right hand").count();
    assert_eq!(hands(&window), 0, "contacts of hands are off at first");
    click(&mut window, "Contacts of Right arm");
    settle(&mut window);
    let bar = window.query_all_by_label_contains("Contact of Right hand").next().is_some();
    assert!(bar && window.query_all_by_label_contains("follows Head").next().is_some());
    click(&mut window, "Add 1 clip");
    settle(&mut window);
    let [hand, head] = ["RightHand", "Head"].map(|name| node(&window, name));
    let contacts = &last_clip(session(&window)).contacts;
    assert!(contacts.iter().any(|g| g.node == hand && g.space == Some(head)), "{contacts:?}");
}
