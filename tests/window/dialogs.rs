//! Dialogs: forms of commands, file selection, imports and exports. All controls must fit into
//! small and enlarged windows.

use egui::{Event, Key, Modifiers, Rect, accesskit::Role};
use egui_kittest::{
    Node,
    kittest::{NodeT as _, Queryable as _},
};

use crate::common::paint::{Window, click, drag, node, press, session, window, window_drawn};
use crate::common::shared;

const SAMPLE: &[u8] = include_bytes!("../../assets/mannequin.glb");

fn type_text(window: &mut Window, text: &str) {
    window.event(Event::Text(text.to_owned()));
    window.run_steps(3);
}

/// Finds a command with the palette, and runs it.
fn find(window: &mut Window, words: &str) {
    press(window, Modifiers::COMMAND, Key::P);
    type_text(window, words);
    press(window, Modifiers::NONE, Key::Enter);
    window.run_steps(3);
}

fn says(window: &Window, text: &str) -> bool {
    window.query_all_by_label_contains(text).next().is_some()
}

#[test]
fn a_form_focuses_its_first_empty_field_accepts_arithmetic_and_reports_the_result() {
    let (mut window, _folder) = window(SAMPLE);
    press(&mut window, Modifiers::NONE, Key::Num1);
    click(&mut window, "Head");
    let head = node(session(&window).document(), "Head");
    let scale = |window: &Window| session(window).document().node(head).local().transform().scale;
    find(&mut window, "pose.scale");
    assert!(window.query_by_label("Node: Head").is_some(), "what is selected is filled in");
    // The focused field takes one factor for all axes.
    type_text(&mut window, "1.5*2");
    press(&mut window, Modifiers::NONE, Key::Enter);
    assert!((scale(&window) - 3.0).abs().max_element() < 1e-6, "{}", scale(&window));
    assert!(says(&window, "Scale: Head"), "what was done is said");
    // A command that changes nothing says so.
    find(&mut window, "pose.scale");
    type_text(&mut window, "1");
    press(&mut window, Modifiers::NONE, Key::Enter);
    assert!(says(&window, "nothing to change"));
    assert_eq!(session(&window).history().done().len(), 1);
    // A text that is not a number keeps the form open.
    find(&mut window, "pose.scale");
    type_text(&mut window, "twice");
    press(&mut window, Modifiers::NONE, Key::Enter);
    assert!(says(&window, "“twice” is not a number"));
    press(&mut window, Modifiers::NONE, Key::Escape);
    // The field has a default value, which typing replaces.
    find(&mut window, "pose.rotate");
    type_text(&mut window, "30");
    press(&mut window, Modifiers::NONE, Key::Enter);
    assert!(!says(&window, "override it while the clip is shown"), "no clip is shown");
    let line = session(&window)
        .history()
        .done()
        .last()
        .expect("a step")
        .lines(session(&window).document())
        .remove(0);
    assert_eq!(line.arguments["degrees"].as_f64(), Some(30.0), "{line}");
    // While a clip is shown, the command poses over the clip instead of changing the file's pose.
    press(&mut window, Modifiers::NONE, Key::Num2);
    find(&mut window, "pose.rotate");
    press(&mut window, Modifiers::NONE, Key::Enter);
    let document = session(&window).document();
    assert!(!document.aids.unkeyed.is_empty(), "over the clip");
}

#[test]
fn a_file_is_chosen_in_the_typed_folder() {
    let (mut window, folder) = window(SAMPLE);
    let inner = folder.path().join("inner");
    std::fs::create_dir(&inner).expect("a folder");
    for name in ["other.glb", "third.glb", "notes.txt"] {
        std::fs::write(inner.join(name), SAMPLE).expect("a file");
    }
    press(&mut window, Modifiers::COMMAND, Key::O);
    press(&mut window, Modifiers::COMMAND, Key::A);
    type_text(&mut window, &format!("{}/", folder.path().display()));
    wait_for(&mut window, "inner");
    click(&mut window, "inner");
    wait_for(&mut window, "other.glb");
    assert!(!says(&window, "notes.txt"), "what cannot be opened is not listed");
    assert!(window.get_by_label("Path").value().expect("a path").ends_with("inner/"));
    // A complete path typed after the current folder replaces the folder.
    window.get_by_label("Path").focus();
    window.run_steps(2);
    press(&mut window, Modifiers::NONE, Key::End);
    let inner = format!("{}/", inner.display());
    type_text(&mut window, &inner);
    assert_eq!(window.get_by_label("Path").value().expect("a path"), inner);
    // Typing a part of a name filters the list.
    window.get_by_label("Path").focus();
    window.run_steps(2);
    press(&mut window, Modifiers::NONE, Key::End);
    type_text(&mut window, "thi");
    assert!(says(&window, "third.glb") && !says(&window, "other.glb"));
    click(&mut window, "third.glb");
    click(&mut window, "Open");
    for _ in 0..2000 {
        window.step();
        if !window.state().is_busy() && session(&window).file_name() == "third.glb" {
            return;
        }
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    panic!("it is not opened");
}

fn wait_for(window: &mut Window, name: &str) {
    for _ in 0..400 {
        window.step();
        if window.query_by_label(name).is_some() {
            window.run_steps(2);
            return;
        }
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    panic!("{name} does not come");
}

/// Returns the controls that can be clicked or typed into, with their rectangles.
fn controls(window: &Window) -> Vec<(String, Rect)> {
    const KINDS: [Role; 6] = [
        Role::Button,
        Role::ComboBox,
        Role::SpinButton,
        Role::TextInput,
        Role::CheckBox,
        Role::Slider,
    ];
    let mut stack: Vec<Node<'_>> = vec![window.root()];
    let mut found = Vec::new();
    while let Some(at) = stack.pop() {
        let access = at.accesskit_node();
        if KINDS.contains(&access.role()) && !access.is_hidden() {
            let name = access.label().or_else(|| access.value()).unwrap_or_default();
            found.push((name, at.rect()));
        }
        stack.extend(at.children());
    }
    found
}

#[test]
fn no_controls_overlap_in_small_and_large_windows() {
    let (mut window, _folder) = window(SAMPLE);
    click(&mut window, "Head");
    let mut checked = 0;
    for (mode, key) in [("Pose", Key::Num1), ("Animate", Key::Num2), ("Paint", Key::Num3)] {
        for size in [[720.0, 480.0], [800.0, 500.0], [1000.0, 640.0], [1600.0, 1000.0]] {
            window.set_size(size.into());
            window.run_steps(4);
            press(&mut window, Modifiers::NONE, key);
            window.run_steps(4);
            let all = controls(&window);
            // Lists scroll, so controls beyond their edge are not visible.
            let top: Vec<_> =
                all.iter().filter(|(name, _)| BARS.contains(&name.as_str())).collect();
            for (k, (name, rect)) in top.iter().enumerate() {
                assert!(
                    rect.right() <= size[0] + 1.0,
                    "{mode} {size:?}: {name} goes over the edge: {rect:?}"
                );
                for (other, there) in &top[k + 1..] {
                    let shared = rect.intersect(*there);
                    let apart = shared.width() <= 1.0 || shared.height() <= 1.0;
                    assert!(apart, "{mode} {size:?}: {name} {rect:?} lies over {other} {there:?}");
                    checked += 1;
                }
            }
        }
    }
    assert!(checked > 500, "{checked}");
}

/// Labels of toolbar controls that must not overlap each other.
const BARS: [&str; 28] = [
    "Clip start",
    "Previous key",
    "Play",
    "Next key",
    "Clip end",
    "Loop",
    "Time",
    "Frame",
    "Clip: Walk",
    "Clip: Idle",
    "Frames per second",
    "Speed",
    "Fit the clip",
    "Selected joints only",
    "Delete keys",
    "Set key",
    "Undo",
    "Redo",
    "Find a command…",
    "Auto-key",
    "Local axes",
    "Parent axes",
    "World axes",
    "Pose",
    "Animate",
    "Paint",
    "Textured",
    "Show joints",
];

/// *Export…* writes only the chosen clips. A single keyboard shortcut repeats the export. The open
/// file is never replaced.
#[test]
fn chosen_clips_are_exported_to_one_file_each_and_a_key_repeats_the_export() {
    let (mut window, _folder) = window(SAMPLE);
    let folder = tempfile::tempdir().expect("a folder");
    let clips = session(&window).document().clips.count();
    assert!(clips > 1);
    find(&mut window, "file.export");
    click(&mut window, "None");
    assert!(says(&window, "Nothing to export"));
    click(&mut window, "All");
    click(&mut window, "Skeleton and clips");
    let to = folder.path().join("for an engine");
    let field = window.get_by_label("Folder");
    field.focus();
    window.run_steps(2);
    press(&mut window, Modifiers::COMMAND, Key::A);
    type_text(&mut window, &to.display().to_string());
    click(&mut window, &format!("Export {clips} files"));
    let written = || std::fs::read_dir(&to).map_or(0, Iterator::count);
    for _ in 0..400 {
        if written() == clips && says(&window, "Exported") {
            break;
        }
        std::thread::sleep(std::time::Duration::from_millis(10));
        window.run_steps(1);
    }
    assert_eq!(written(), clips);
    let walk =
        ulna_session::Session::open(&to.join("Walk.glb"), &Default::default()).expect("it opens");
    assert!(walk.document().meshes.is_empty() && walk.document().clips.count() == 1);
    std::fs::remove_dir_all(&to).expect("gone");
    press(&mut window, Modifiers::COMMAND | Modifiers::SHIFT, Key::E);
    for _ in 0..400 {
        if written() == clips {
            break;
        }
        std::thread::sleep(std::time::Duration::from_millis(10));
        window.run_steps(1);
    }
    assert_eq!(written(), clips);
}

/// Opens *Import clips* with a file or a folder.
fn import_from(window: &mut Window, path: &std::path::Path) {
    press(window, Modifiers::COMMAND | Modifiers::SHIFT, Key::I);
    wait_for(window, "Path");
    press(window, Modifiers::COMMAND, Key::A);
    type_text(window, &path.display().to_string());
    press(window, Modifiers::NONE, Key::Enter);
}

fn wait_for_more_clips(window: &mut Window, before: usize) {
    for _ in 0..100 {
        if session(window).document().clips.count() > before {
            return;
        }
        window.run_steps(1);
    }
}

/// The path of a folder is typed to import the clips of its files. One clip is excluded by its
/// checkbox, one gets another name, and one undo removes all of them.
#[test]
fn clips_of_a_folder_are_imported_as_one_step() {
    let (mut window, _folder) = window(SAMPLE);
    let folder = tempfile::tempdir().expect("a folder");
    let before = session(&window).document().clips.count();
    let request = ulna_session::ExportRequest {
        clips: None,
        skeleton_only: true,
        rate: None,
        each: true,
        gltf: false,
        names: String::new(),
        to: folder.path().to_owned(),
        replace: true,
    };
    let exporting = session(&window).exporting(request);
    exporting.run(&ulna_session::SystemDisk, &Default::default()).expect("exported");
    std::fs::write(folder.path().join("broken.glb"), b"glTF").expect("a file");
    import_from(&mut window, folder.path());
    wait_for(&mut window, &format!("Import {before} clips"));
    click(&mut window, "Import Walk");
    wait_for(&mut window, &format!("Import {} clips", before - 1));
    click(&mut window, "Replace");
    click(&mut window, "Add a number");
    click(&mut window, &format!("Import {} clips", before - 1));
    wait_for_more_clips(&mut window, before);
    let document = session(&window).document();
    assert_eq!(document.clips.count(), 2 * before - 1);
    let labels: Vec<String> = document.clips.ids().map(|id| document.clip_label(id)).collect();
    assert!(
        !labels.contains(&"Walk 2".to_owned())
            && labels.iter().filter(|l| l.ends_with(" 2")).count() == before - 1,
        "{labels:?}"
    );
    press(&mut window, Modifiers::COMMAND, Key::Z);
    assert_eq!(session(&window).document().clips.count(), before);
    assert!(!session(&window).is_unsaved());
}

/// A joint without a counterpart gets one by hand, and its keys are imported, too.
#[test]
fn a_joint_with_another_name_is_matched_by_hand() {
    let mut other = ulna_session::Session::open_bytes(SAMPLE).expect("the sample");
    let neck = other
        .document()
        .node_ids()
        .find(|n| other.document().node(*n).label(*n) == "Neck")
        .expect("a neck");
    let rename =
        ulna_edit::CommandLine::new("node.rename").with("node", "Neck").with("name", "Qwxz");
    other.run_line(&rename).expect("it is renamed");
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("other.glb");
    std::fs::write(&path, &*other.pack("a").expect("its bytes").bytes).expect("written");
    let (mut window, _folder) = window(SAMPLE);
    import_from(&mut window, &path);
    wait_for(&mut window, "Joint for Qwxz: Skip joint");
    click(&mut window, "Joint for Qwxz: Skip joint");
    window.run_steps(2);
    // The entry can be further down in the list.
    window.get_all_by_label("Neck").last().expect("in the list").click_accesskit();
    window.run_steps(3);
    wait_for(&mut window, "Joint for Qwxz: Neck");
    let before = session(&window).document().clips.count();
    press(&mut window, Modifiers::NONE, Key::Enter);
    wait_for_more_clips(&mut window, before);
    let document = session(&window).document();
    let clip =
        document.clips.values().find(|c| c.name.as_deref() == Some("Walk 2")).expect("the walk");
    let ours =
        document.clips.values().find(|c| c.name.as_deref() == Some("Walk")).expect("the walk");
    let [came, was] =
        [clip, ours].map(|c| c.track(neck, ulna_model::Property::Rotation).map(|(_, t)| t));
    assert!(was.is_some() && came.is_some_and(|t| t.same_keys(was.expect("keys"))));
}

/// The import says that it uses the map stored in the scene. The map can be switched off.
#[test]
fn an_import_names_the_stored_map_that_it_uses() {
    use ulna_edit::{CommandLine, command::map_text};
    let mut kept = ulna_session::Session::open_bytes(SAMPLE).expect("the sample");
    let map = ulna_motion::retarget::guess_map(kept.document(), kept.document());
    let map = ulna_model::RetargetMap { name: "Mannequin".into(), ..map };
    kept.run_line(&CommandLine::new("retarget.keep_map").with("map", map_text(&map)))
        .expect("it is kept");
    let folder = tempfile::tempdir().expect("a folder");
    let source = folder.path().join("source.glb");
    std::fs::write(&source, SAMPLE).expect("written");
    let (mut window, _folder) = window(&kept.pack("a").expect("its bytes").bytes);
    import_from(&mut window, &source);
    wait_for(&mut window, "Uses a retarget map of this file");
    click(&mut window, "Do not use the map");
    window.run_steps(3);
    assert!(window.query_by_label("Uses a retarget map of this file").is_none());
    assert!(window.query_by_label("The retarget map of this file is not used").is_some());
    click(&mut window, "Use the map");
    window.run_steps(3);
    wait_for(&mut window, "Uses a retarget map of this file");
}

/// Feet of clips from another body stay in place during contacts, unless the person turns it off.
#[test]
fn an_import_from_another_body_keeps_feet_in_place() {
    let Some(shared) = shared() else { return };
    let (mut window, _folder) = window(SAMPLE);
    import_from(&mut window, &shared.join("corpus/characters/Knight/Knight.glb"));
    wait_for(&mut window, "Keep feet in place during contacts");
    window.run_steps(3);
    assert!(window.query_by_label("Sliding in contacts").is_some());
    click(&mut window, "Keep feet in place during contacts");
    window.run_steps(3);
    wait_for(&mut window, "Keep feet in place during contacts");
    assert!(window.query_by_label("Sliding in contacts").is_none());
}

/// A file in the import list is opened in place of the model. The list closes, because its clips
/// were fitted to the old model.
#[test]
fn a_file_in_the_import_list_can_be_opened_instead() {
    let mut other = ulna_session::Session::open_bytes(SAMPLE).expect("the sample");
    other
        .run_line(&ulna_edit::CommandLine::new("clip.delete").with("clip", "Run"))
        .expect("it is deleted");
    let folder = tempfile::tempdir().expect("a folder");
    // The other file has fewer nodes than the clips of the list would animate, and no clip.
    let mut small: serde_json::Value =
        serde_json::from_str(include_str!("../data/crane.gltf")).expect("JSON");
    small.as_object_mut().expect("an object").remove("animations");
    std::fs::write(folder.path().join("crane.gltf"), small.to_string()).expect("written");
    std::fs::write(folder.path().join("other.glb"), &*other.pack("a").expect("its bytes").bytes)
        .expect("written");
    let (mut window, _folder) = window(SAMPLE);
    import_from(&mut window, folder.path());
    // Meanwhile, the preview plays a clip of the other file.
    wait_for(&mut window, "Pause the preview");
    window.run_steps(5);
    click(&mut window, "Open it instead");
    for _ in 0..500 {
        if session(&window).document().nodes.count() == 2 {
            break;
        }
        std::thread::sleep(std::time::Duration::from_millis(10));
        window.run_steps(1);
    }
    window.run_steps(5);
    assert_eq!(session(&window).document().nodes.count(), 2);
    assert!(!says(&window, "Only clips are added"));
    assert!(!says(&window, "Ulna had an internal error") && says(&window, "Mast"));
}

/// Counterparts that were guessed can be changed. The previewed clip plays, and stops at a clicked
/// time.
#[test]
fn a_guessed_counterpart_can_be_changed_by_hand() {
    let mut other = ulna_session::Session::open_bytes(SAMPLE).expect("the sample");
    let rename =
        ulna_edit::CommandLine::new("node.rename").with("node", "Neck").with("name", "rig:neck");
    other.run_line(&rename).expect("it is renamed");
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("other.glb");
    std::fs::write(&path, &*other.pack("a").expect("its bytes").bytes).expect("written");
    let (mut window, _folder) = window_drawn(SAMPLE);
    let neck = node(session(&window).document(), "Neck");
    import_from(&mut window, &path);
    wait_for(&mut window, "Pause the preview");
    click(&mut window, "Pause the preview");
    wait_for(&mut window, "Play the preview");
    window.get_by_label("Matched by similar name or body part, 1").click_accesskit();
    window.run_steps(10);
    wait_for(&mut window, "Joint for rig:neck: Neck");
    window.get_by_label("Joint for rig:neck: Neck").click_accesskit();
    window.run_steps(3);
    window.get_all_by_label("Skip joint").last().expect("in the list").click_accesskit();
    window.run_steps(3);
    wait_for(&mut window, "Joint for rig:neck: Skip joint");
    let before = session(&window).document().clips.count();
    press(&mut window, Modifiers::NONE, Key::Enter);
    wait_for_more_clips(&mut window, before);
    let document = session(&window).document();
    let clip =
        document.clips.values().find(|c| c.name.as_deref() == Some("Walk 2")).expect("the walk");
    assert!(!clip.tracks.is_empty() && clip.tracks.values().all(|t| t.target != neck));
}

/// Exports the shown clip as an animated picture to the typed path. If the export is canceled,
/// nothing is written.
#[test]
fn a_clip_is_exported_as_an_animated_picture() {
    let (mut window, _folder) = window_drawn(SAMPLE);
    let folder = tempfile::tempdir().expect("a folder");
    let to = folder.path().join("shots").join("walk.gif");
    click(&mut window, "Clip Walk");
    for kept in [false, true] {
        find(&mut window, "file.pictures");
        wait_for(&mut window, "Render images of Walk");
        click(&mut window, "Animated GIF");
        window.get_by_role_and_label(Role::TextInput, "File").click();
        window.run_steps(3);
        press(&mut window, Modifiers::COMMAND, Key::A);
        type_text(&mut window, &to.display().to_string());
        if !kept {
            click(&mut window, "Cancel");
            assert!(!to.exists() && !folder.path().join("shots").exists());
            continue;
        }
        window.get_by_label_contains("Render 30 images").click();
        for _ in 0..3000 {
            if to.is_file() {
                break;
            }
            std::thread::sleep(std::time::Duration::from_millis(10));
            window.run_steps(1);
        }
        let made = image::codecs::gif::GifDecoder::new(std::io::BufReader::new(
            std::fs::File::open(&to).expect("it is there"),
        ));
        let frames = image::AnimationDecoder::into_frames(made.expect("a picture"))
            .collect_frames()
            .expect("frames");
        // A loop of one second at the clip's 30 fps. The end equals the start, so it is not
        // repeated.
        assert_eq!(frames.len(), 30);
        let bytes = |k: usize| frames[k].buffer().as_raw().clone();
        assert!(bytes(0) != bytes(15), "it moves");
    }
}

/// Long work runs on another thread. When it is done, it is one undo step. If it is canceled,
/// nothing changes.
#[test]
fn reducing_many_keys_runs_in_the_background() {
    use ulna_edit::CommandLine;
    let mut dense = ulna_session::Session::open_bytes(SAMPLE).expect("the sample");
    let idle = dense.document().clips.ids().next().expect("a clip");
    let name = dense.document().clip_label(idle);
    dense
        .run_line(&CommandLine::new("clip.resample").with("clip", &*name).with("rate", 400.0))
        .expect("resampled");
    let many = dense.document().clips[idle].key_count();
    assert!(many > 100_000, "only {many}");
    let bytes = dense.pack("a").expect("its bytes").bytes;
    let (mut window, _folder) = window(&bytes);
    click(&mut window, &format!("Clip {name}"));
    let keys = |window: &Window| session(window).document().clips[idle].key_count();
    for canceled in [true, false] {
        find(&mut window, "clip.reduce");
        press(&mut window, Modifiers::NONE, Key::Enter);
        assert_eq!(keys(&window), many, "it is not done at once");
        assert!(says(&window, "Reduce keys"), "it is said what goes on");
        if canceled {
            click(&mut window, "Cancel");
        }
        for _ in 0..2000 {
            if keys(&window) < many || (canceled && says(&window, "Reduce keys was canceled")) {
                break;
            }
            std::thread::sleep(std::time::Duration::from_millis(10));
            window.run_steps(1);
        }
        assert!(!canceled || says(&window, "Reduce keys was canceled"));
        assert_eq!(keys(&window) < many, !canceled);
        assert_eq!(session(&window).history().done().len(), usize::from(!canceled));
    }
}

/// A clip with a gap at its loop point is repaired in the panel. The panel shows a preview, and
/// only the button changes the document.
#[test]
fn a_loop_repair_is_previewed_before_it_is_applied() {
    use ulna_edit::CommandLine;
    use ulna_motion::clip_edit::seam;
    let mut cut = ulna_session::Session::open_bytes(SAMPLE).expect("the sample");
    let trim = CommandLine::new("clip.trim").with("clip", "Walk").with("from", 0.0).with("to", 0.7);
    cut.run_line(&trim).expect("it is trimmed");
    let bytes = cut.pack("a").expect("its bytes").bytes;
    let (mut window, _folder) = window(&bytes);
    click(&mut window, "Clip Walk");
    find(&mut window, "clip.repair_loop");
    window.run_steps(3);
    assert!(says(&window, "The last pose does not match the first"));
    let is_closed = |window: &Window| {
        let document = session(window).document();
        let clip =
            document.clips.values().find(|c| c.name.as_deref() == Some("Walk")).expect("the clip");
        seam(document, clip, 1.0 / 30.0).expect("a seam").is_closed
    };
    let generation = session(&window).generation();
    click(&mut window, "Spread over clip");
    window.run_steps(3);
    assert_eq!(session(&window).generation(), generation, "what is seen is no edit");
    assert!(!is_closed(&window));
    let bits = |window: &Window| window.state().shown_pose().local.clone();
    let seen = bits(&window);
    click(&mut window, "Preview");
    window.run_steps(3);
    assert_ne!(bits(&window), seen, "as it is");
    click(&mut window, "Preview");
    window.run_steps(3);
    assert_eq!(bits(&window), seen, "as it will be");
    click(&mut window, "Blend last frames");
    window.run_steps(3);
    // The left edge of the blended frames is dragged to the left, so that more frames are blended.
    let edge = window.get_by_label("Start of the blended frames").rect().center();
    let frames = |window: &Window| {
        window.get_by_label("Frames to blend").accesskit_node().numeric_value().expect("a number")
    };
    let before = frames(&window);
    drag(&mut window, edge, edge - egui::vec2(60.0, 0.0), Modifiers::NONE);
    window.run_steps(3);
    assert!(frames(&window) > before, "{} and {before}", frames(&window));
    assert_eq!(session(&window).generation(), generation);
    // Playback covers only the frames around the loop point.
    click(&mut window, "Play across the loop point");
    let length = 0.7;
    for _ in 0..40 {
        window.run_steps(1);
        let time = window.state().playback().time;
        assert!(
            window.state().playback().playing && (0.0..=length + 1e-6).contains(&time),
            "{time}"
        );
    }
    press(&mut window, Modifiers::NONE, Key::Space);
    click(&mut window, "Repair the loop");
    window.run_steps(3);
    assert!(is_closed(&window));
    assert!(!says(&window, "Repair loop"));
    press(&mut window, Modifiers::COMMAND, Key::Z);
    assert!(!is_closed(&window));
}

/// Several clips are selected as in any list. Each command on them is one step.
#[test]
fn several_clips_are_duplicated_and_deleted_as_one_step() {
    let (mut window, _folder) = window(SAMPLE);
    let names = |window: &Window| -> Vec<String> {
        let document = session(window).document();
        document.clips.ids().map(|id| document.clip_label(id)).collect()
    };
    let before = names(&window);
    assert!(before.len() >= 3);
    click(&mut window, &format!("Clip {}", before[0]));
    let modified = |window: &mut Window, name: &str, modifiers: Modifiers| {
        window.get_by_label(name).click_modifiers(modifiers);
        window.run_steps(3);
    };
    modified(&mut window, &format!("Clip {}", before[2]), Modifiers::SHIFT);
    modified(&mut window, &format!("Clip {}", before[1]), Modifiers::COMMAND);
    window.get_by_label(&format!("Clip {}", before[2])).click_secondary();
    window.run_steps(3);
    click(&mut window, "Duplicate 2 clips");
    window.run_steps(3);
    assert_eq!(names(&window).len(), before.len() + 2);
    press(&mut window, Modifiers::COMMAND, Key::Z);
    assert_eq!(names(&window), before, "one step");
    window.get_by_label(&format!("Clip {}", before[0])).click_secondary();
    window.run_steps(3);
    click(&mut window, "Delete 2 clips");
    window.run_steps(3);
    assert_eq!(names(&window), [&before[1..2], &before[3..]].concat());
    press(&mut window, Modifiers::COMMAND, Key::Z);
    assert_eq!(names(&window), before);
}

/// The names of exported files follow the pattern, both in the preview list and on disk.
#[test]
fn exported_files_are_named_by_the_pattern() {
    let (mut window, _folder) = window(SAMPLE);
    let folder = tempfile::tempdir().expect("a folder");
    find(&mut window, "file.export");
    window.get_by_role_and_label(Role::ComboBox, "Preset: One model per clip").click();
    window.run_steps(3);
    click(&mut window, "Engine: skeleton, one file per clip");
    for (field, text) in [
        ("Folder", folder.path().display().to_string()),
        ("File name", "{number} {file} {clip}".into()),
    ] {
        window.get_by_label(field).focus();
        window.run_steps(2);
        press(&mut window, Modifiers::COMMAND, Key::A);
        type_text(&mut window, &text);
    }
    let clips = session(&window).document().clips.count();
    for _ in 0..400 {
        if says(&window, "KB in total") {
            break;
        }
        std::thread::sleep(std::time::Duration::from_millis(10));
        window.run_steps(1);
    }
    assert!(says(&window, "KB in total"));
    click(&mut window, &format!("Export {clips} files"));
    for _ in 0..400 {
        if says(&window, "Exported") {
            break;
        }
        std::thread::sleep(std::time::Duration::from_millis(10));
        window.run_steps(1);
    }
    let mut files: Vec<String> = std::fs::read_dir(folder.path())
        .expect("a folder")
        .map(|f| f.expect("a file").file_name().to_string_lossy().into_owned())
        .collect();
    files.sort();
    let document = session(&window).document();
    let stem = session(&window)
        .path()
        .and_then(|p| p.file_stem())
        .expect("a name")
        .to_string_lossy()
        .into_owned();
    let wanted: Vec<String> = document
        .clips
        .ids()
        .enumerate()
        .map(|(k, id)| format!("{} {stem} {}.glb", k + 1, document.clip_label(id)))
        .collect();
    assert_eq!(files, wanted);
}

/// Weights of a file are imported in the background as one step, which reports its result. Edits
/// made meanwhile are not lost.
#[test]
fn weights_of_a_file_are_imported_in_the_background() {
    let mut other = ulna_session::Session::open_bytes(SAMPLE).expect("the sample");
    let flood =
        ulna_edit::CommandLine::new("weights.flood").with("joint", "LeftHand").with("amount", 1.0);
    other.run_line(&flood).expect("flooded");
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("hand.json");
    let table = ulna_session::weight_table(other.document(), &[]);
    std::fs::write(&path, ulna_formats::weight_files::WeightFile::Json.write(&table))
        .expect("written");
    let (mut window, _folder) = window(SAMPLE);
    let before = session(&window).document().clone();
    find(&mut window, "Import weights");
    wait_for(&mut window, "Path");
    press(&mut window, Modifiers::COMMAND, Key::A);
    type_text(&mut window, &path.display().to_string());
    press(&mut window, Modifiers::NONE, Key::Enter);
    wait_until(&mut window, |w| !session(w).history().done().is_empty());
    window.run_steps(2);
    assert_eq!(session(&window).history().done().len(), 1);
    assert_eq!(session(&window).document().meshes, other.document().meshes);
    assert!(says(&window, "by vertex order"), "it says what it did");
    press(&mut window, Modifiers::COMMAND, Key::Z);
    assert_eq!(session(&window).document().meshes, before.meshes);
    // A file without weights is refused with a message, and nothing changes.
    std::fs::write(&path, "{\"a\":1}").expect("written");
    find(&mut window, "Import weights");
    wait_for(&mut window, "Path");
    press(&mut window, Modifiers::COMMAND, Key::A);
    type_text(&mut window, &path.display().to_string());
    press(&mut window, Modifiers::NONE, Key::Enter);
    wait_until(&mut window, |w| says(w, "Import weights failed"));
    assert!(session(&window).history().done().is_empty());
}

fn wait_until(window: &mut Window, done: impl Fn(&Window) -> bool) {
    for _ in 0..1000 {
        window.step();
        if done(window) {
            return;
        }
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    panic!("it does not come");
}
