//! Saves, copies and long work that run while the user continues to edit. All of them are done, in
//! their order, even on a slow disk.
#![allow(clippy::unwrap_used, reason = "a test ends where something is not as it must be")]

use std::{
    fs::{self, Permissions},
    io,
    path::Path,
    sync::{Arc, Condvar, Mutex},
};

use egui::{Event, Key, Modifiers};
use egui_kittest::kittest::Queryable as _;
use ulna_edit::CommandLine;
use ulna_formats::gltf::Progress;
use ulna_model::Document;
use ulna_session::{Disk, Session, SystemDisk};

use crate::window::editing::{
    Window, ask_for, begin_turn, click, press, release_head, sample, session, wait, window,
};

/// Disk operations that wait until the test opens the gate.
#[derive(Debug, Default)]
struct Gate {
    is_open: Mutex<bool>,
    opened: Condvar,
}

impl Gate {
    fn open(&self) {
        *self.is_open.lock().unwrap() = true;
        self.opened.notify_all();
    }
}

impl Disk for Gate {
    fn write_new(&self, path: &Path, bytes: &[u8], like: Option<&Permissions>) -> io::Result<()> {
        let is_open =
            self.opened.wait_while(self.is_open.lock().unwrap(), |is_open| !*is_open).unwrap();
        drop(is_open);
        SystemDisk.write_new(path, bytes, like)
    }

    fn replace(&self, from: &Path, to: &Path) -> io::Result<()> {
        SystemDisk.replace(from, to)
    }

    fn place(&self, from: &Path, to: &Path) -> io::Result<()> {
        SystemDisk.place(from, to)
    }

    fn keep(&self, from: &Path, to: &Path) -> io::Result<()> {
        SystemDisk.keep(from, to)
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        SystemDisk.remove(path)
    }

    fn make_folder(&self, path: &Path) -> io::Result<()> {
        SystemDisk.make_folder(path)
    }

    fn remove_folder(&self, path: &Path) -> io::Result<()> {
        SystemDisk.remove_folder(path)
    }

    fn sync_folder(&self, path: &Path) -> io::Result<()> {
        SystemDisk.sync_folder(path)
    }
}

fn says(window: &Window, text: &str) -> bool {
    window.query_all_by_label_contains(text).next().is_some()
}

/// Finds a command by its name, and runs it.
fn find(window: &mut Window, words: &str) {
    press(window, Modifiers::COMMAND, Key::P);
    window.event(Event::Text(words.to_owned()));
    window.run_steps(3);
    press(window, Modifiers::NONE, Key::Enter);
}

fn copy_to(window: &mut Window, path: &Path) {
    find(window, "file.save_copy");
    window.get_by_label("Path").focus();
    window.run_steps(2);
    press(window, Modifiers::COMMAND, Key::A);
    window.get_by_label("Path").type_text(&path.display().to_string());
    window.run_steps(2);
    press(window, Modifiers::NONE, Key::Enter);
}

fn turn(window: &mut Window) {
    begin_turn(window);
    release_head(window);
}

fn on_disk(path: &Path) -> Document {
    Session::open(path, &Progress::default())
        .unwrap_or_else(|e| panic!("{}: {e}", path.display()))
        .document()
        .clone()
}

/// Returns the rotation of the head, which every edit of these tests changes.
fn head(document: &Document) -> [f32; 4] {
    let head =
        document.node_ids().find(|id| document.node(*id).name.as_deref() == Some("Head")).unwrap();
    document.node(head).local().transform().rotation.to_array()
}

fn is_same(a: [f32; 4], b: [f32; 4]) -> bool {
    a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-5)
}

/// Saves and copies are requested in every order while a save runs, with an edit before each.
#[test]
fn saves_and_copies_in_quick_succession_are_all_written() {
    for order in ["SCS", "CSC", "CCS", "SSC"] {
        let (mut window, folder, path) = sample();
        let gate = Arc::new(Gate::default());
        window.state_mut().set_disk(gate.clone());
        click(&mut window, "Pose mode");
        click(&mut window, "Head");
        turn(&mut window);
        press(&mut window, Modifiers::COMMAND, Key::S);
        assert!(window.state().is_busy(), "the first save waits for the disk");
        // For each request, the rotation of the head at that time. The file must have this
        // rotation, or a later one.
        let mut asked = vec![(path.clone(), head(session(&window).document()))];
        let mut states = vec![head(session(&window).document())];
        for (k, kind) in order.chars().enumerate() {
            turn(&mut window);
            let now = head(session(&window).document());
            states.push(now);
            let to = if kind == 'S' {
                path.clone()
            } else {
                folder.path().join(format!("copy {k}.glb"))
            };
            if kind == 'S' {
                press(&mut window, Modifiers::COMMAND, Key::S);
            } else {
                copy_to(&mut window, &to);
            }
            asked.push((to, now));
        }
        gate.open();
        wait(&mut window);
        assert!(!says(&window, "changed on disk") && !says(&window, "another program"), "{order}");
        for (to, was) in &asked {
            let found = head(&on_disk(to));
            let from = states.iter().position(|s| is_same(*s, *was)).unwrap();
            let name = to.file_name().unwrap().to_string_lossy();
            assert!(
                states[from..].iter().any(|s| is_same(*s, found)),
                "{order}: {name} is older than it was asked for"
            );
        }
        assert_eq!(session(&window).path(), Some(path.as_path()));
        let saved_last = order.ends_with('S');
        assert!(!saved_last || !session(&window).is_unsaved(), "{order}");
        assert!(
            saved_last
                || is_same(head(&on_disk(&path)), *states.last().unwrap())
                || session(&window).is_unsaved()
        );
        // No other program changed the file, so another save asks nothing.
        press(&mut window, Modifiers::COMMAND, Key::S);
        wait(&mut window);
        assert!(!session(&window).is_unsaved() && !says(&window, "changed on disk"), "{order}");
        assert!(is_same(head(&on_disk(&path)), head(session(&window).document())));
    }
}

/// A copy that needs consent asks for it, and the saves after it are done meanwhile.
#[test]
fn a_copy_that_waits_for_consent_does_not_block_other_saves() {
    let (mut window, folder, path) = sample();
    let gate = Arc::new(Gate::default());
    window.state_mut().set_disk(gate.clone());
    let copy = folder.path().join("copy.glb");
    fs::write(&copy, b"somebody's").unwrap();
    click(&mut window, "Pose mode");
    click(&mut window, "Head");
    turn(&mut window);
    press(&mut window, Modifiers::COMMAND, Key::S);
    copy_to(&mut window, &copy);
    turn(&mut window);
    press(&mut window, Modifiers::COMMAND, Key::S);
    gate.open();
    wait(&mut window);
    assert!(!session(&window).is_unsaved(), "the second save is done");
    assert_eq!(fs::read(&copy).unwrap(), b"somebody's");
    click(&mut window, "Replace");
    wait(&mut window);
    assert!(is_same(head(&on_disk(&copy)), head(session(&window).document())));
    // A copy over the open file itself is a normal save, because no other program changed the file.
    turn(&mut window);
    copy_to(&mut window, &path);
    wait(&mut window);
    turn(&mut window);
    press(&mut window, Modifiers::COMMAND, Key::S);
    wait(&mut window);
    assert!(!says(&window, "changed on disk") && !session(&window).is_unsaved());
}

/// Another file is opened while a copy waits. The copy must have the content of the file for which
/// it was requested, and the open file keeps its own path.
#[test]
fn saves_of_a_closed_file_are_finished_and_do_not_affect_the_open_file() {
    let (mut window, folder, path) = sample();
    let other = folder.path().join("other.glb");
    let mut changed = Session::open(&path, &Progress::default()).unwrap();
    let rename = CommandLine::new("clip.rename").with("clip", "Walk").with("name", "Stroll");
    assert!(changed.run_line(&rename).unwrap());
    changed.write_to(&other).unwrap();
    let gate = Arc::new(Gate::default());
    window.state_mut().set_disk(gate.clone());
    let copies = ["one.glb", "two.glb"].map(|name| folder.path().join(name));
    press(&mut window, Modifiers::COMMAND, Key::S);
    copies.iter().for_each(|copy| copy_to(&mut window, copy));
    ask_for(&mut window, &other);
    for _ in 0..2000 {
        if session(&window).path() == Some(other.as_path()) {
            break;
        }
        window.step();
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    assert_eq!(session(&window).path(), Some(other.as_path()));
    gate.open();
    wait(&mut window);
    assert_eq!(
        session(&window).path(),
        Some(other.as_path()),
        "a save of another file does not become this one's"
    );
    assert!(!session(&window).is_unsaved());
    for copy in &copies {
        assert!(
            on_disk(copy).clips.values().any(|c| c.name.as_deref() == Some("Walk")),
            "{}",
            copy.display()
        );
    }
}

/// Returns the sample with so many keys that reducing them takes a while, and the name of the clip.
fn dense() -> (Vec<u8>, String) {
    let bytes = include_bytes!("../../assets/mannequin.glb");
    let mut dense = Session::open_bytes(bytes).unwrap();
    let idle = dense.document().clips.ids().next().unwrap();
    let name = dense.document().clip_label(idle);
    let resample = CommandLine::new("clip.resample").with("clip", &*name).with("rate", 400.0);
    assert!(dense.run_line(&resample).unwrap());
    (dense.pack("a").unwrap().bytes.to_vec(), name)
}

fn keys(window: &Window) -> usize {
    let document = session(window).document();
    document.clips[document.clips.ids().next().unwrap()].key_count()
}

/// Long work can finish during a gesture, or after a canceled one. Its result is applied when the
/// gesture has ended.
#[test]
fn long_work_that_finishes_during_a_gesture_is_applied_after_it() {
    let (bytes, name) = dense();
    for escapes in [false, true] {
        let (mut window, _folder, _) = window(&bytes);
        click(&mut window, "Animate mode");
        click(&mut window, &format!("Clip {name}"));
        find(&mut window, "clip.reduce");
        press(&mut window, Modifiers::NONE, Key::Enter);
        let many = keys(&window);
        assert!(many > 100_000 && window.state().is_busy(), "{many}");
        click(&mut window, "Pose mode");
        click(&mut window, "Head");
        begin_turn(&mut window);
        for _ in 0..3000 {
            if !says(&window, "Reduce keys") {
                break;
            }
            window.step();
            std::thread::sleep(std::time::Duration::from_millis(5));
        }
        assert!(session(&window).history().is_open(), "the gesture goes on");
        assert_eq!(keys(&window), many, "while it does, nothing else is changed");
        if escapes {
            press(&mut window, Modifiers::NONE, Key::Escape);
        }
        release_head(&mut window);
        wait(&mut window);
        assert!(keys(&window) < many, "the work is not lost");
        assert_eq!(session(&window).history().done().len(), 1 + usize::from(!escapes));
        assert!(!says(&window, "failed: "));
        // The gesture and the work are separate steps.
        press(&mut window, Modifiers::COMMAND, Key::Z);
        assert_eq!(keys(&window), many);
    }
}
