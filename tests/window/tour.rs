//! The tour: its five tasks are done with the pointer and the keyboard, and each step waits for its
//! own task.

use egui::{Event, Key, Modifiers, Pos2, pos2, vec2};
use egui_kittest::kittest::Queryable as _;
use ulna::app::App;

use super::editing::{Window, click, drag, node, press, session};
use crate::common::window::{builder, wait};

/// Opens the program as at the first start: the sample, with the tour.
fn first_start() -> Window {
    let mut window = builder().build_eframe(|cc| App::new(cc, None));
    wait(&mut window);
    // The sample plays at the start, and Space stops it.
    press(&mut window, Modifiers::NONE, Key::Space);
    window
}

/// Returns the number of the step on the card; 6 at the end.
fn step(window: &Window) -> usize {
    let count = |k: usize| window.query_by_label(&format!("{k} of 5")).is_some();
    (1..=5).find(|k| count(*k)).unwrap_or_else(|| {
        assert!(window.query_by_label("End of the tour").is_some(), "the tour is open");
        6
    })
}

/// Returns the position of a joint in the window.
fn place(window: &Window, name: &str) -> Pos2 {
    let rect = window.get_by_label("Viewport").rect();
    let at = window.state().project(node(window, name)).expect("in sight");
    pos2(rect.left() + at.x, rect.top() + at.y)
}

/// Rotates a joint by its outer ring.
fn turn(window: &mut Window, name: &str) {
    press(window, Modifiers::NONE, Key::E);
    let center = place(window, name);
    drag(window, center + vec2(-68.0, -62.0), center + vec2(-40.0, -83.0));
}

fn done(window: &Window) -> usize {
    session(window).history().done().len()
}

#[test]
fn only_its_own_action_completes_a_step_of_the_tour() {
    let mut window = first_start();
    let folder = tempfile::tempdir().expect("a folder");
    assert_eq!(step(&window), 1);
    // Act 1: rotating a limb. Selecting a joint or setting a key does not count.
    click(&mut window, "Head");
    press(&mut window, Modifiers::NONE, Key::S);
    assert_eq!((step(&window), done(&window)), (1, 1));
    turn(&mut window, "Head");
    assert_eq!((step(&window), done(&window)), (2, 2));
    // Act 2: setting a key. Another pose does not count.
    turn(&mut window, "Head");
    assert_eq!((step(&window), done(&window)), (2, 3));
    press(&mut window, Modifiers::NONE, Key::S);
    assert_eq!((step(&window), done(&window)), (3, 4));
    // Act 3: a brush stroke. Switching the mode does not count.
    press(&mut window, Modifiers::COMMAND, Key::Z);
    assert_eq!(step(&window), 3, "undo is another act");
    press(&mut window, Modifiers::COMMAND | Modifiers::SHIFT, Key::Z);
    press(&mut window, Modifiers::NONE, Key::Num3);
    window.run_steps(3);
    assert_eq!(step(&window), 3);
    let before = done(&window);
    let at = place(&window, "Head");
    drag(&mut window, at, at + vec2(10.0, 20.0));
    window.run_steps(3);
    assert_eq!((step(&window), done(&window)), (4, before + 1));
    // Act 4: undo. Another stroke does not count.
    drag(&mut window, at, at + vec2(14.0, 10.0));
    assert_eq!(step(&window), 4);
    press(&mut window, Modifiers::COMMAND, Key::Z);
    assert_eq!(step(&window), 5);
    // Act 5: saving the file. Opening the save dialog does not count.
    press(&mut window, Modifiers::COMMAND, Key::S);
    window.run_steps(3);
    let path = folder.path().join("mine.glb");
    assert_eq!(step(&window), 5);
    window.get_by_label("Path").focus();
    window.run_steps(2);
    press(&mut window, Modifiers::COMMAND, Key::A);
    window.event(Event::Text(path.display().to_string()));
    window.run_steps(2);
    press(&mut window, Modifiers::NONE, Key::Enter);
    for _ in 0..400 {
        window.step();
        if path.exists() && !window.state().is_busy() {
            break;
        }
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    window.run_steps(5);
    assert!(path.exists());
    assert_eq!(step(&window), 6);
    click(&mut window, "Open the guide");
    assert!(window.query_by_label("Search the guide").is_some());
}

#[test]
fn the_tour_continues_at_the_step_where_it_was_left() {
    let mut window = first_start();
    click(&mut window, "Skip step");
    assert_eq!(step(&window), 2);
    click(&mut window, "Leave the tour");
    assert!(window.query_by_label("2 of 5").is_none());
    press(&mut window, Modifiers::COMMAND, Key::P);
    window.event(Event::Text("tutorial".to_owned()));
    window.run_steps(3);
    press(&mut window, Modifiers::NONE, Key::Enter);
    window.run_steps(3);
    assert_eq!(step(&window), 2);
    click(&mut window, "Back");
    assert_eq!(step(&window), 1);
    for k in 2..=6 {
        click(&mut window, "Skip step");
        assert_eq!(step(&window), k);
    }
}

#[test]
fn show_me_prepares_the_window_but_does_not_perform_the_step() {
    let mut window = first_start();
    press(&mut window, Modifiers::NONE, Key::Num3);
    click(&mut window, "Show me");
    assert!(window.state().selection().active.is_some(), "a limb is selected");
    assert!(!window.state().mode().spec().paints_weights, "a mode that poses");
    assert_eq!((step(&window), done(&window)), (1, 0));
    click(&mut window, "Skip step");
    click(&mut window, "Show me");
    assert!(window.state().mode().spec().edits_keys);
    click(&mut window, "Skip step");
    click(&mut window, "Show me");
    assert!(window.state().mode().spec().paints_weights);
    assert_eq!((step(&window), done(&window)), (3, 0));
}

#[test]
fn the_tour_card_receives_no_keys_and_no_focus() {
    let mut window = first_start();
    click(&mut window, "Head");
    assert!(window.ctx.memory(|m| m.focused()).is_none());
    let before = window.state().playback().playing;
    press(&mut window, Modifiers::NONE, Key::Space);
    assert_ne!(window.state().playback().playing, before, "Space still plays");
    press(&mut window, Modifiers::NONE, Key::Space);
    // A dialog covers the card, which is shown again after the dialog closes.
    press(&mut window, Modifiers::COMMAND, Key::Comma);
    press(&mut window, Modifiers::NONE, Key::Escape);
    assert_eq!(step(&window), 1);
}
