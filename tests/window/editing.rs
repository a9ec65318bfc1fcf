//! The whole window, driven by the accessible names of its widgets. Results are checked in the
//! document.

use std::path::PathBuf;

use egui::{Event, Key, Modifiers, PointerButton, Pos2, pos2};
use egui_kittest::kittest::Queryable as _;
use ulna_edit::CommandLine;
use ulna_model::{ClipId, NodeId, Property};
use ulna_session::Session;

pub(super) use crate::common::window::{Window, wait};
use crate::common::window::{builder, open};

/// Opens the program on a copy of the file in its own folder, and waits until it is idle.
pub(super) fn window(bytes: &[u8]) -> (Window, tempfile::TempDir, PathBuf) {
    open(builder(), bytes)
}

pub(super) fn sample() -> (Window, tempfile::TempDir, PathBuf) {
    window(include_bytes!("../../assets/mannequin.glb"))
}

pub(super) fn session(window: &Window) -> &Session {
    window.state().session().expect("an open file")
}

pub(super) fn node(window: &Window, name: &str) -> NodeId {
    let document = session(window).document();
    document
        .node_ids()
        .find(|id| document.node(*id).name.as_deref() == Some(name))
        .expect("a node of that name")
}

pub(super) fn click(window: &mut Window, name: &str) {
    window.get_by_label(name).click();
    window.run_steps(3);
}

/// Clicks with the primary button at a point of the window.
pub(super) fn click_at(window: &mut Window, pos: Pos2) {
    for pressed in [true, false] {
        window.event(Event::PointerMoved(pos));
        let modifiers = Modifiers::NONE;
        window.event(Event::PointerButton {
            pos,
            button: PointerButton::Primary,
            pressed,
            modifiers,
        });
        window.step();
    }
    window.run_steps(3);
}

pub(super) fn press(window: &mut Window, modifiers: Modifiers, key: Key) {
    window.key_press_modifiers(modifiers, key);
    window.run_steps(3);
}

/// Drags with the primary button, in several steps.
pub(super) fn drag(window: &mut Window, from: Pos2, to: Pos2) {
    window.event(Event::PointerMoved(from));
    window.step();
    let button = |pressed, pos| Event::PointerButton {
        pos,
        button: PointerButton::Primary,
        pressed,
        modifiers: Modifiers::NONE,
    };
    window.event(button(true, from));
    window.step();
    for k in 1..=8 {
        window.event(Event::PointerMoved(from + (to - from) * (k as f32 / 8.0)));
        window.step();
    }
    window.event(button(false, to));
    window.run_steps(3);
}

/// Returns the position of a node in the window.
fn head(window: &Window, node: NodeId) -> Pos2 {
    let rect = window.get_by_label("Viewport").rect();
    let at = window.state().project(node).expect("in sight");
    pos2(rect.left() + at.x, rect.top() + at.y)
}

#[test]
fn a_click_on_a_row_or_on_a_joint_selects_the_joint() {
    let (mut window, _folder, _) = sample();
    click(&mut window, "Pose mode");
    click(&mut window, "LeftUpperArm");
    assert_eq!(window.state().selection().active, Some(node(&window, "LeftUpperArm")));
    press(&mut window, Modifiers::NONE, Key::Q);
    let arm = node(&window, "RightLowerArm");
    let elbow = head(&window, arm);
    let wrist = head(&window, node(&window, "RightHand"));
    let middle = elbow + (wrist - elbow) * 0.5;
    click_at(&mut window, middle);
    assert_eq!(window.state().selection().active, Some(arm));
    press(&mut window, Modifiers::NONE, Key::ArrowUp);
    assert_eq!(window.state().selection().active, Some(node(&window, "RightUpperArm")));
}

#[test]
fn a_click_on_the_skin_selects_the_joint_that_moves_it() {
    let (mut window, _folder, _) = sample();
    click(&mut window, "Pose mode");
    // Joints are hidden, so a click can only hit the skin.
    click(&mut window, "Joints");
    let chest = head(&window, node(&window, "Head"));
    click_at(&mut window, chest);
    let active = window.state().selection().active.expect("a joint");
    let name = session(&window).document().node(active).label(active);
    assert!(["Head", "Neck", "Jaw"].contains(&name.as_str()), "{name}");
}

#[test]
fn selected_history_steps_are_copied_as_a_script_that_runs() {
    let (mut window, _folder, _) = sample();
    click(&mut window, "Pose mode");
    let arms = ["LeftUpperArm", "Head"];
    let mut poses = Vec::new();
    for arm in arms {
        click(&mut window, arm);
        let center = head(&window, node(&window, arm));
        drag(&mut window, center + egui::vec2(-68.0, -62.0), center + egui::vec2(-40.0, -83.0));
        poses.push(session(&window).document().node(node(&window, arm)).user());
    }
    assert_eq!(session(&window).history().done().len(), 2);
    press(&mut window, Modifiers::COMMAND | Modifiers::ALT, Key::Z);
    window.get_by_label("Rotate Head").click_modifiers(Modifiers::COMMAND);
    window.run_steps(3);
    assert_eq!(session(&window).history().done().len(), 2, "it is marked, not gone to");
    window.get_by_label_contains("1 step selected");
    window.get_by_label("Copy as script").click();
    let copied = (0..4).find_map(|_| {
        window.step();
        window.output().platform_output.commands.iter().find_map(|command| match command {
            egui::OutputCommand::CopyText(text) => Some(text.clone()),
            _ => None,
        })
    });
    let copied = copied.expect("a text is copied");
    assert_eq!(copied.lines().count(), 1, "{copied}");
    let mut other = Session::open_bytes(include_bytes!("../../assets/mannequin.glb")).unwrap();
    for line in copied.lines() {
        other.run_line(&CommandLine::parse(line).unwrap()).unwrap();
    }
    let pose = |arm: &str| other.document().node(node(&window, arm)).user();
    assert_eq!(pose(arms[0]), None);
    assert_eq!(pose(arms[1]), poses[1]);
}

#[test]
fn dragging_the_ring_rotates_a_joint_in_one_step_and_escape_cancels() {
    let (mut window, _folder, _) = sample();
    click(&mut window, "Pose mode");
    click(&mut window, "LeftUpperArm");
    let arm = node(&window, "LeftUpperArm");
    let center = head(&window, arm);
    let before = session(&window).document().node(arm).user();
    // The outer ring rotates about the line of sight. It is always a full circle, whatever the
    // axes.
    let at = |angle: f32| center + egui::vec2(angle.cos(), angle.sin()) * 92.0;
    drag(&mut window, at(-2.4), at(-1.9));
    let after = session(&window).document().node(arm).user();
    assert_ne!(before, after);
    assert_eq!(session(&window).history().done().len(), 1);
    let line = session(&window).history().done()[0].lines(session(&window).document())[0].clone();
    assert_eq!(line.name, "pose.rotate");
    let turned = line.arguments["degrees"].as_f64().expect("degrees");
    assert!((turned.abs() - 28.6).abs() < 3.0, "half a radian is {turned}°");
    window.get_by_label_contains("1 change not saved");
    press(&mut window, Modifiers::COMMAND, Key::Z);
    assert_eq!(session(&window).document().node(arm).user(), before);
    assert!(!session(&window).is_unsaved());
    // Presses Escape in the middle of a drag.
    let button = |pressed, pos| Event::PointerButton {
        pos,
        button: PointerButton::Primary,
        pressed,
        modifiers: Modifiers::NONE,
    };
    window.event(Event::PointerMoved(at(-2.4)));
    window.step();
    window.event(button(true, at(-2.4)));
    window.step();
    for k in 1..6 {
        window.event(Event::PointerMoved(at(-2.4 + 0.1 * k as f32)));
        window.step();
    }
    assert_ne!(session(&window).document().node(arm).user(), before, "the preview is seen");
    press(&mut window, Modifiers::NONE, Key::Escape);
    window.event(button(false, at(-1.9)));
    window.run_steps(3);
    assert_eq!(session(&window).document().node(arm).user(), before);
    assert!(session(&window).history().done().is_empty());
    assert_eq!(
        window.state().selection().active,
        Some(arm),
        "Escape ended the turn, not the selection"
    );
}

#[test]
fn a_typed_number_is_one_step_and_reset_restores_the_rest_pose() {
    let (mut window, _folder, _) = sample();
    click(&mut window, "Pose mode");
    click(&mut window, "Head");
    let head = node(&window, "Head");
    window.get_by_label("Ul rotation X").click();
    window.run_steps(2);
    press(&mut window, Modifiers::COMMAND, Key::A);
    window.get_by_label("Ul rotation X").type_text("30");
    window.run_steps(2);
    press(&mut window, Modifiers::NONE, Key::Enter);
    assert_eq!(window.state().selection().nodes.len(), 1, "Ctrl+A was the text's");
    let user = session(&window).document().node(head).user().expect("an edit");
    assert!(user.rotation.dot(glam::Quat::from_rotation_x(30f32.to_radians())).abs() > 1.0 - 1e-6);
    assert_eq!(session(&window).history().done().len(), 1);
    click(&mut window, "Reset to rest");
    assert_eq!(session(&window).document().node(head).user(), None);
    press(&mut window, Modifiers::COMMAND, Key::Z);
    press(&mut window, Modifiers::COMMAND, Key::Z);
    assert!(!session(&window).is_unsaved());
}

#[test]
fn keys_are_set_and_deleted_at_the_playhead_and_the_ruler_scrubs() {
    let (mut window, _folder, _) = sample();
    click(&mut window, "Clip Wave");
    assert_eq!(window.state().playback().clip, Some(ClipId(3)));
    click(&mut window, "Head");
    let head = node(&window, "Head");
    // Clicks the ruler to scrub.
    let ruler = window.get_by_label("Playhead").rect();
    let at = pos2(ruler.left() + ruler.width() * 0.41, ruler.center().y);
    click_at(&mut window, at);
    let time = window.state().playback().time as f32;
    assert!(time > 0.5, "{time}");
    let keys = |window: &Window| {
        session(window).document().clips[ClipId(3)]
            .track(head, Property::Rotation)
            .expect("a track")
            .1
            .times
            .len()
    };
    // Steps to a frame that has no key yet.
    let mut guard = 0;
    while session(&window).document().clips[ClipId(3)]
        .track(head, Property::Rotation)
        .expect("a track")
        .1
        .key_at(window.state().playback().time as f32, 1e-3)
        .is_some()
    {
        press(&mut window, Modifiers::NONE, Key::ArrowRight);
        guard += 1;
        assert!(guard < 20);
    }
    let before = keys(&window);
    press(&mut window, Modifiers::NONE, Key::S);
    assert_eq!(keys(&window), before + 1);
    press(&mut window, Modifiers::NONE, Key::Delete);
    assert_eq!(keys(&window), before);
    press(&mut window, Modifiers::COMMAND, Key::Z);
    assert_eq!(keys(&window), before + 1);
    press(&mut window, Modifiers::COMMAND, Key::Z);
    assert_eq!(session(&window).document(), session(&window).opened());
    // Tests Home and End.
    press(&mut window, Modifiers::NONE, Key::End);
    assert!((window.state().playback().time - 3.0).abs() < 1e-4);
    press(&mut window, Modifiers::NONE, Key::Home);
    assert_eq!(window.state().playback().time, 0.0);
}

/// Whether an unkeyed pose changes a node.
fn holds(window: &Window, node: NodeId) -> bool {
    session(window).document().aids.unkeyed.values().any(|u| u.nodes().any(|n| n == node))
}

#[test]
fn a_pose_in_animate_mode_is_unkeyed_until_it_is_keyed_or_discarded() {
    let (mut window, _folder, _) = sample();
    click(&mut window, "Clip Walk");
    click(&mut window, "Head");
    let head_node = node(&window, "Head");
    let center = head(&window, head_node);
    let at = |angle: f32| center + egui::vec2(angle.cos(), angle.sin()) * 92.0;
    drag(&mut window, at(2.6), at(2.2));
    assert!(holds(&window, head_node));
    assert_eq!(
        session(&window).document().clips,
        session(&window).opened().clips,
        "nothing is keyed yet"
    );
    click(&mut window, "Discard");
    assert!(session(&window).document().aids.unkeyed.is_empty());
    press(&mut window, Modifiers::COMMAND, Key::Z);
    assert!(holds(&window, head_node));
    click(&mut window, "Key 1 node");
    assert!(session(&window).document().aids.unkeyed.is_empty());
    assert_ne!(
        session(&window).document().clips[ClipId(1)],
        session(&window).opened().clips[ClipId(1)]
    );
    // With auto-key, each pose becomes a key.
    click(&mut window, "Auto-key");
    let steps = session(&window).history().done().len();
    drag(&mut window, at(2.6), at(2.0));
    assert!(session(&window).document().aids.unkeyed.is_empty());
    assert_eq!(session(&window).history().done().len(), steps + 1);
}

#[test]
fn a_save_writes_an_edit_and_after_undo_the_opened_bytes() {
    let (mut window, _folder, path) = sample();
    click(&mut window, "Pose mode");
    click(&mut window, "Head");
    for _ in 0..3 {
        let center = head(&window, node(&window, "Head"));
        let at = |angle: f32| center + egui::vec2(angle.cos(), angle.sin()) * 92.0;
        drag(&mut window, at(2.6), at(2.2));
    }
    assert_eq!(session(&window).history().done().len(), 3);
    press(&mut window, Modifiers::COMMAND, Key::S);
    wait(&mut window);
    assert!(!session(&window).is_unsaved());
    let saved = std::fs::read(&path).expect("the saved file");
    assert!(saved != include_bytes!("../../assets/mannequin.glb"));
    let again = Session::open(&path, &Default::default()).expect("it opens");
    let head_node = node(&window, "Head");
    let (a, b) = (
        again.document().node(head_node).local().transform(),
        session(&window).document().node(head_node).local().transform(),
    );
    assert!(a.is_close(&b, 1e-5, 1e-6));
    for _ in 0..3 {
        press(&mut window, Modifiers::COMMAND, Key::Z);
    }
    assert!(session(&window).is_unsaved());
    press(&mut window, Modifiers::COMMAND, Key::S);
    wait(&mut window);
    assert!(
        std::fs::read(&path).expect("the file") == include_bytes!("../../assets/mannequin.glb")
    );
}

#[test]
fn opening_another_file_asks_about_unsaved_work() {
    let (mut window, folder, path) = sample();
    let other = folder.path().join("other.glb");
    std::fs::copy(&path, &other).expect("a copy");
    click(&mut window, "Pose mode");
    click(&mut window, "Head");
    press(&mut window, Modifiers::COMMAND, Key::O);
    // Nothing is unsaved, so the path field opens at once.
    window.get_by_label("Path");
    click(&mut window, "Cancel");
    let center = head(&window, node(&window, "Head"));
    let at = |angle: f32| center + egui::vec2(angle.cos(), angle.sin()) * 92.0;
    drag(&mut window, at(2.6), at(2.2));
    ask_for(&mut window, &other);
    window.get_by_label("Discard changes");
    click(&mut window, "Cancel");
    assert!(session(&window).is_unsaved(), "canceling loses nothing");
    // The question comes once, after the file to open has been chosen.
    ask_for(&mut window, &other);
    click(&mut window, "Discard changes");
    wait(&mut window);
    assert_eq!(session(&window).path(), Some(other.as_path()));
    assert!(!session(&window).is_unsaved());
}

#[test]
fn a_file_that_cannot_be_opened_keeps_the_open_file_and_shows_the_reason() {
    let (mut window, folder, _) = sample();
    let bad = folder.path().join("bad.glb");
    std::fs::write(&bad, b"glTF nonsense").expect("a file");
    press(&mut window, Modifiers::COMMAND, Key::O);
    window.get_by_label("Path").focus();
    window.run_steps(2);
    press(&mut window, Modifiers::COMMAND, Key::A);
    window.get_by_label("Path").type_text(&bad.display().to_string());
    window.run_steps(2);
    press(&mut window, Modifiers::NONE, Key::Enter);
    wait(&mut window);
    assert_eq!(session(&window).document().nodes.len(), 55);
    assert!(window.query_by_label_contains("could not be opened").is_some());
}

#[test]
fn clicked_keys_on_the_timeline_are_selected_and_can_be_deleted() {
    let (mut window, _folder, _) = sample();
    click(&mut window, "Clip Walk");
    let hips = node(&window, "Hips");
    let row = window.get_by_label("Track Hips").rect();
    let sheet = window.get_by_label("Timeline keys").rect();
    // The first key of Walk is at 0 s. The view begins 2 % of the clip's length before it, and ends
    // 6 % after the clip.
    let at = pos2(sheet.left() + sheet.width() * (0.02 / 1.08), row.center().y);
    click_at(&mut window, at);
    let keys = window.state().selected_keys().clone();
    assert_eq!(keys.len(), 2, "translation and rotation of the hips");
    assert_eq!(keys.span(), Some((0.0, 0.0)));
    assert_eq!(window.state().selection().active, Some(hips));
    let before = session(&window).document().clips[ClipId(1)].key_count();
    press(&mut window, Modifiers::NONE, Key::Delete);
    assert_eq!(session(&window).document().clips[ClipId(1)].key_count(), before - 2);
    press(&mut window, Modifiers::COMMAND, Key::Z);
    assert_eq!(session(&window).document().clips[ClipId(1)].key_count(), before);
}

#[test]
fn the_outliner_filter_shows_only_matching_nodes() {
    let (mut window, _folder, _) = sample();
    window.get_by_label("Filter by name or kind").focus();
    window.run_steps(2);
    window.get_by_label("Filter by name or kind").type_text("thumb2");
    window.run_steps(3);
    assert!(window.query_by_label("LeftThumb2").is_some());
    assert!(window.query_by_label("LeftIndex1").is_none());
    click(&mut window, "Clear Filter by name or kind");
    assert!(window.query_by_label("LeftIndex1").is_some());
}

#[test]
fn an_idle_window_requests_no_frames() {
    let (mut window, _folder, _) = sample();
    // `run` fails if the program keeps requesting frames.
    let steps = window.try_run().expect("the window comes to rest");
    assert!(steps <= 8, "{steps}");
    // A resting pointer requests no frames either, on a joint, on the skin, and beside the model.
    let middle = head(&window, node(&window, "Hips"));
    for k in 0..30 {
        let at = middle + egui::vec2((k % 6) as f32 * 24.0 - 60.0, (k / 6) as f32 * 40.0 - 120.0);
        window.event(Event::PointerMoved(at));
        window.run_steps(2);
        window
            .try_run()
            .unwrap_or_else(|e| panic!("the window does not rest with a pointer at {at}: {e}"));
    }
}

/// Begins to drag a rotation ring without releasing the button.
pub(super) fn begin_turn(window: &mut Window) {
    let center = head(window, node(window, "Head"));
    let at = |angle: f32| center + egui::vec2(angle.cos(), angle.sin()) * 92.0;
    window.event(Event::PointerMoved(at(2.6)));
    window.step();
    let (pos, button, modifiers) = (at(2.6), PointerButton::Primary, Modifiers::NONE);
    window.event(Event::PointerButton { pos, button, pressed: true, modifiers });
    window.step();
    for k in 1..=5 {
        window.event(Event::PointerMoved(at(2.6 - 0.08 * k as f32)));
        window.step();
    }
    assert!(session(window).history().is_open(), "a gesture is under way");
}

/// Moves the pointer a little, and releases the button.
pub(super) fn release_head(window: &mut Window) {
    let pos = head(window, node(window, "Head")) + egui::vec2(70.0, -70.0);
    window.event(Event::PointerMoved(pos));
    window.step();
    let (button, modifiers) = (PointerButton::Primary, Modifiers::NONE);
    window.event(Event::PointerButton { pos, button, pressed: false, modifiers });
    window.run_steps(3);
}

#[test]
fn an_interrupted_gesture_is_committed_as_one_step() {
    let (mut window, _folder, path) = sample();
    let file = std::fs::read(&path).unwrap();
    click(&mut window, "Pose mode");
    click(&mut window, "Head");
    let interruptions: [fn(&mut Window); 2] = [
        // Another window gets the focus.
        |w| {
            w.event(Event::WindowFocused(false));
            w.run_steps(2);
            w.event(Event::WindowFocused(true));
            w.run_steps(2);
        },
        // Enter ends the gesture, while the button is still pressed.
        |w| press(w, Modifiers::NONE, Key::Enter),
    ];
    for (k, interrupt) in interruptions.into_iter().enumerate() {
        click(&mut window, "Pose mode");
        begin_turn(&mut window);
        // During the gesture, neither save nor undo runs.
        press(&mut window, Modifiers::COMMAND, Key::S);
        press(&mut window, Modifiers::COMMAND, Key::Z);
        assert!(session(&window).history().is_open());
        assert_eq!(std::fs::read(&path).unwrap(), file, "half a gesture is saved");
        interrupt(&mut window);
        assert!(!session(&window).history().is_open());
        assert_eq!(session(&window).history().done().len(), k + 1, "one step");
        let there = session(&window).document().clone();
        // Pointer motion after the end of the gesture must not change it.
        release_head(&mut window);
        assert_eq!(*session(&window).document(), there);
        assert_eq!(session(&window).history().done().len(), k + 1);
    }
    assert!(session(&window).is_unsaved());
}

#[test]
fn a_file_changed_on_disk_is_reloaded_and_the_edits_are_replayed() {
    let (mut window, _folder, path) = sample();
    click(&mut window, "Pose mode");
    click(&mut window, "Head");
    begin_turn(&mut window);
    press(&mut window, Modifiers::NONE, Key::Num1);
    release_head(&mut window);
    let turned = session(&window).document().node(node(&window, "Head")).local();
    // Another program renames a clip.
    let mut other = Session::open(&path, &Default::default()).unwrap();
    other
        .run_line(&CommandLine::new("clip.rename").with("clip", "Walk").with("name", "Stroll"))
        .unwrap();
    other.write_to(&path).unwrap();
    let theirs = std::fs::read(&path).unwrap();
    window.event(Event::WindowFocused(true));
    wait(&mut window);
    window.run_steps(5);
    window.get_by_label("model.glb changed on disk");
    window.get_by_label_contains("Changes on disk: ");
    window.get_by_label_contains("Stroll");
    // A normal save must not replace the changed file.
    press(&mut window, Modifiers::COMMAND, Key::S);
    assert_eq!(std::fs::read(&path).unwrap(), theirs);
    click(&mut window, "Reload and reapply");
    wait(&mut window);
    let now = session(&window);
    let names: Vec<_> = now.document().clips.values().filter_map(|c| c.name.as_deref()).collect();
    assert!(names.contains(&"Stroll"), "{names:?}");
    assert_eq!(now.document().node(node(&window, "Head")).local(), turned);
    assert_eq!(now.history().done().len(), 1, "one step");
    press(&mut window, Modifiers::COMMAND, Key::Z);
    assert!(!session(&window).is_unsaved());
}

#[cfg(feature = "inspection")]
#[test]
fn an_internal_error_reverts_the_gesture_and_the_window_continues() {
    let (mut window, _folder, _) = sample();
    click(&mut window, "Pose mode");
    click(&mut window, "Head");
    begin_turn(&mut window);
    release_head(&mut window);
    let whole = session(&window).document().clone();
    begin_turn(&mut window);
    window.state_mut().fail_next_frame();
    window.run_steps(3);
    release_head(&mut window);
    window.get_by_label("Ulna had an internal error");
    assert_eq!(*session(&window).document(), whole, "half a gesture is none");
    click(&mut window, "Continue");
    press(&mut window, Modifiers::COMMAND, Key::Z);
    assert!(!session(&window).is_unsaved(), "it goes on");
}

#[test]
fn names_in_any_script_have_a_glyph() {
    let Some(shared) = crate::common::shared() else { return };
    let file = std::fs::read(shared.join("corpus/found/names.glb")).unwrap();
    let (window, _folder, _) = window(&file);
    let names = |window: &Window| -> Vec<String> {
        let document = session(window).document();
        document.node_ids().map(|id| document.node(id).label(id)).collect()
    };
    let lacking = |window: &Window| -> String {
        let font = egui::FontId::proportional(13.0);
        let text: String = names(window).concat();
        window.ctx.fonts_mut(|f| text.chars().filter(|c| !f.has_glyph(&font, *c)).collect())
    };
    assert!(lacking(&window).is_empty(), "no glyph for {}", lacking(&window));
    let names = names(&window);
    assert!(names.len() >= 4 && names.iter().any(|n| n == "左腕"), "{names:?}");
    assert!(names.iter().all(|n| !n.contains(char::is_control)), "{names:?}");
    // Each name has its own row, and no rows overlap.
    let rows: Vec<_> =
        ["左腕", "joint with a break"].iter().map(|n| window.get_by_label(n).rect()).collect();
    assert!(!rows[0].intersects(rows[1]), "{rows:?}");
}

#[test]
fn a_save_asks_whether_to_key_unkeyed_poses() {
    let (mut window, _folder, path) = sample();
    let file = std::fs::read(&path).unwrap();
    click(&mut window, "Head");
    begin_turn(&mut window);
    release_head(&mut window);
    let head = node(&window, "Head");
    assert!(holds(&window, head));
    press(&mut window, Modifiers::COMMAND, Key::S);
    window.get_by_label("Save model.glb: 1 pose is not keyed");
    click(&mut window, "Cancel");
    assert_eq!(
        std::fs::read(&path).unwrap(),
        file,
        "nothing is saved before it is said what is meant"
    );

    // The skipped pose stays in the document, and the next save does not ask about it again.
    press(&mut window, Modifiers::COMMAND, Key::S);
    click(&mut window, "Skip");
    click(&mut window, "Save without these poses");
    wait(&mut window);
    assert!(holds(&window, head));
    press(&mut window, Modifiers::COMMAND, Key::S);
    wait(&mut window);
    assert!(window.query_by_label("Save model.glb: 1 pose is not keyed").is_none());

    // For another pose, the save asks again.
    begin_turn(&mut window);
    release_head(&mut window);
    press(&mut window, Modifiers::COMMAND, Key::S);
    click(&mut window, "Key 1 pose and save");
    wait(&mut window);
    assert!(!holds(&window, head) && !session(&window).is_unsaved());
    assert_eq!(session(&window).history().done().last().unwrap().label, "Key poses");
    let read = Session::open(&path, &Default::default()).unwrap();
    assert_eq!(
        read.document().clips,
        session(&window).document().clips,
        "the keys are in the file"
    );
    let before = Session::open_bytes(&file).unwrap();
    assert_ne!(read.document().clips, before.document().clips);
}

#[test]
fn a_repeated_message_is_shown_once_with_its_count() {
    let (mut window, _folder, _) = sample();
    click(&mut window, "Animate mode");
    for _ in 0..3 {
        press(&mut window, Modifiers::NONE, Key::S);
    }
    window.get_by_label("Set key: Nothing is selected.");
    window.get_by_label("×3");
    click(&mut window, "Close message");
    assert!(window.query_by_label("Set key: Nothing is selected.").is_none());
}

#[test]
fn canceling_long_work_takes_effect_at_once() {
    let (mut window, _folder, _) = sample();
    click(&mut window, "Paint mode");
    window.get_by_label("Find the worst pose").click();
    while !window.state().is_busy() {
        window.step();
    }
    window.step();
    window.get_by_label("Cancel").click();
    window.run_steps(3);
    assert!(!window.state().is_busy());
    window.get_by_label("Searching for the worst deformation was canceled");
}

#[test]
fn a_read_only_file_can_be_saved_after_it_becomes_writable() {
    let (mut window, _folder, path) = sample();
    click(&mut window, "Pose mode");
    click(&mut window, "Head");
    begin_turn(&mut window);
    release_head(&mut window);
    let writable = std::fs::metadata(&path).unwrap().permissions();
    let mut locked = writable.clone();
    locked.set_readonly(true);
    std::fs::set_permissions(&path, locked).unwrap();
    press(&mut window, Modifiers::COMMAND, Key::S);
    wait(&mut window);
    window.get_by_label("model.glb is read-only");
    window.get_by_label("Save as…");
    std::fs::set_permissions(&path, writable).unwrap();
    click(&mut window, "Try again");
    wait(&mut window);
    assert!(!session(&window).is_unsaved());
}

#[test]
fn a_canceled_save_also_cancels_the_action_after_it() {
    let (mut window, folder, path) = sample();
    let other = folder.path().join("other.glb");
    std::fs::copy(&path, &other).expect("a copy");
    // Makes a change that the file can store, and an unkeyed pose, which no file stores.
    click(&mut window, "Pose mode");
    click(&mut window, "Head");
    begin_turn(&mut window);
    release_head(&mut window);
    click(&mut window, "Animate mode");
    begin_turn(&mut window);
    release_head(&mut window);
    // The user opens another file and chooses to save first. The save asks about the pose, and is
    // canceled.
    ask_for(&mut window, &other);
    click(&mut window, "Save changes");
    window.get_by_label("Save model.glb: 1 pose is not keyed");
    click(&mut window, "Cancel");
    // A later save only saves. Enter presses the primary button.
    press(&mut window, Modifiers::COMMAND, Key::S);
    window.get_by_label("Key 1 pose and save");
    press(&mut window, Modifiers::NONE, Key::Enter);
    assert!(window.query_by_label("Key 1 pose and save").is_none());
    wait(&mut window);
    assert!(!session(&window).is_unsaved());
    assert_eq!(session(&window).path(), Some(path.as_path()), "nobody asked for another file now");

    // If the save succeeds, the other file is opened.
    click(&mut window, "Pose mode");
    begin_turn(&mut window);
    release_head(&mut window);
    ask_for(&mut window, &other);
    click(&mut window, "Save changes");
    for _ in 0..200 {
        if session(&window).path() == Some(other.as_path()) {
            break;
        }
        wait(&mut window);
    }
    assert_eq!(session(&window).path(), Some(other.as_path()));
    assert!(!session(&window).is_unsaved());
}

/// Asks to open another file by its path, up to the question about unsaved work.
pub(super) fn ask_for(window: &mut Window, path: &std::path::Path) {
    press(window, Modifiers::COMMAND, Key::O);
    window.get_by_label("Path").focus();
    window.run_steps(2);
    press(window, Modifiers::COMMAND, Key::A);
    window.get_by_label("Path").type_text(&path.display().to_string());
    window.run_steps(2);
    press(window, Modifiers::NONE, Key::Enter);
}
