//! A graphics device is lost while the user works. The window continues with another device, and
//! the document is unchanged.

use std::{cell::RefCell, rc::Rc};

use eframe::egui_wgpu::RenderState;
use egui::{Event, Key, Modifiers};
use egui_kittest::kittest::Queryable as _;
use ulna::app::App;
use ulna_session::Session;

use crate::common::window::{Window, builder, wait};

/// Opens the program on a copy of the sample. Returns the render state with its device, too.
fn window() -> (Window, RenderState, tempfile::TempDir) {
    window_with_frames_of(1.0 / 60.0)
}

fn window_with_frames_of(seconds: f32) -> (Window, RenderState, tempfile::TempDir) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("model.glb");
    std::fs::write(&path, include_bytes!("../../assets/mannequin.glb")).expect("a file");
    let seen: Rc<RefCell<Option<RenderState>>> = Rc::default();
    let keep = seen.clone();
    let mut window = builder().with_step_dt(seconds).wgpu().build_eframe(move |cc| {
        *keep.borrow_mut() = cc.wgpu_render_state.clone();
        App::new(cc, Some(path))
    });
    wait(&mut window);
    let state = seen.borrow_mut().take().expect("a device");
    (window, state, folder)
}

/// Destroys the device. Waits for submitted work first, so that the loss is noticed.
fn lose(window: &mut Window, state: &RenderState) {
    state.device.destroy();
    for _ in 0..2000 {
        window.step();
        if window.state().is_leaving() {
            return window.run_steps(2);
        }
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    panic!("the window is to be opened anew");
}

fn session(window: &Window) -> &Session {
    window.state().session().expect("an open file")
}

fn bytes(window: &Window) -> Vec<u8> {
    session(window).pack("model").expect("a file").bytes.to_vec()
}

fn press(window: &mut Window, modifiers: Modifiers, key: Key) {
    window.key_press_modifiers(modifiers, key);
    window.run_steps(3);
}

/// Keys the head between two keys, which is a step that can be undone.
fn key_the_head(window: &mut Window) {
    let before = session(window).history().done().len();
    if window.state().selection().nodes.is_empty() {
        for name in ["Clip Walk", "Head"] {
            window.get_by_label(name).click();
            window.run_steps(3);
        }
    }
    for _ in 0..20 {
        press(window, Modifiers::NONE, Key::ArrowRight);
        press(window, Modifiers::NONE, Key::S);
        if session(window).history().done().len() > before {
            return;
        }
    }
    panic!("no key was set");
}

#[test]
fn after_a_device_loss_work_continues_in_another_window() {
    let (mut window, state, _folder) = window();
    key_the_head(&mut window);
    let saved = bytes(&window);
    let steps = session(&window).history().done().len();
    assert_eq!(steps, 1);
    // Draws frames on the destroyed device.
    lose(&mut window, &state);
    assert_eq!(bytes(&window), saved);
    // A second window continues with the same state, as in the program.
    let (mut second, state, _other) = self::window();
    std::mem::swap(window.state_mut(), second.state_mut());
    let ctx = second.ctx.clone();
    second.state_mut().reopen(&ctx, Some(state));
    assert!(!second.state().is_leaving());
    second.run_steps(2);
    assert!(second.query_by_label_contains("Your work is not affected").is_some(), "it is said");
    wait(&mut second);
    assert_eq!(bytes(&second), saved);
    assert_eq!(session(&second).history().done().len(), steps);
    assert!(second.state().shows_picture(), "the viewport has a picture again");
    // Work continues in the second window.
    key_the_head(&mut second);
    assert_eq!(session(&second).history().done().len(), 2);
    press(&mut second, Modifiers::COMMAND, Key::Z);
    press(&mut second, Modifiers::COMMAND, Key::Z);
    assert!(bytes(&second) == include_bytes!("../../assets/mannequin.glb"));
}

#[test]
fn a_file_opened_during_a_device_loss_is_shown_on_the_next_device() {
    let (mut window, state, folder) = window();
    let copy = folder.path().join("copy.glb");
    std::fs::copy(folder.path().join("model.glb"), &copy).expect("a copy");
    press(&mut window, Modifiers::COMMAND, Key::O);
    window.get_by_label("Path").focus();
    window.run_steps(2);
    press(&mut window, Modifiers::COMMAND, Key::A);
    window.get_by_label("Path").type_text(&copy.display().to_string());
    window.run_steps(2);
    window.key_press(Key::Enter);
    window.step();
    lose(&mut window, &state);
    let (mut second, state, _other) = self::window();
    std::mem::swap(window.state_mut(), second.state_mut());
    let ctx = second.ctx.clone();
    second.state_mut().reopen(&ctx, Some(state));
    wait(&mut second);
    assert_eq!(session(&second).file_name(), "copy.glb");
    for _ in 0..200 {
        second.step();
        if second.state().shows_picture() && !second.state().is_busy() {
            return;
        }
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    panic!("there is no picture");
}

#[test]
fn preferences_list_the_devices_and_about_shows_their_limits() {
    let (mut window, ..) = window();
    for (command, title) in [("About", "About Ulna"), ("Preferences", "Preferences")] {
        press(&mut window, Modifiers::COMMAND, Key::P);
        window.event(Event::Text(title.to_owned()));
        window.run_steps(2);
        press(&mut window, Modifiers::NONE, Key::Enter);
        if command == "About" {
            assert!(window.query_by_label_contains("Graphics: ").is_some());
            assert!(window.query_by_label_contains("Largest buffer ").is_some());
            press(&mut window, Modifiers::NONE, Key::Escape);
        }
    }
    window.get_all_by_label("View").last().expect("the page").click();
    window.run_steps(2);
    assert!(window.query_by_label("Graphics device").is_some());
}

#[test]
fn motion_is_drawn_at_low_quality_and_a_resting_view_in_full_quality() {
    // Each frame lasts 0.25 s. A resting model is therefore not mistaken for one that is about to
    // move.
    let (mut window, _state, _folder) = window_with_frames_of(0.25);
    for name in ["View", "Quality during motion", "Fast: half resolution"] {
        window.get_by_label(name).click();
        window.run_steps(4);
    }
    let shown = |window: &Window| window.query_by_label("during motion").is_some();
    let at = egui::pos2(800.0, 420.0);
    let (button, modifiers) = (egui::PointerButton::Middle, Modifiers::ALT);
    window.event(Event::PointerMoved(at));
    window.event(Event::PointerButton { pos: at, button, pressed: true, modifiers });
    window.step();
    assert!(!shown(&window));
    let mut quick = 0;
    for k in 1..12 {
        window.event(Event::PointerMoved(at + egui::vec2(k as f32 * 9.0, 0.0)));
        window.step();
        quick += usize::from(shown(&window));
    }
    assert!(quick >= 9, "{quick} of 11 frames of a drag show a quick picture");
    window.run_steps(3);
    assert!(!shown(&window), "a hand that holds still sees the full picture");
}
