//! The whole window with an open file, for benchmarks of its frames.

use egui::{Event, Modifiers, MouseWheelSource, MouseWheelUnit, Pos2, TouchPhase, vec2};
use egui_kittest::{Harness, kittest::Queryable as _};
use ulna::app::App;

/// A window without a screen.
pub type Window = Harness<'static, App>;

/// Opens a window with a file, in a mode. `size` is in points. `device` says whether there is a
/// graphics device. The file exists until the returned folder is dropped.
pub fn open(file: &[u8], mode: &str, size: [f32; 2], device: bool) -> (Window, tempfile::TempDir) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("model.glb");
    std::fs::write(&path, file).expect("a file");
    let mut builder = Harness::builder().with_size(size).with_max_steps(60);
    if device {
        builder = builder.wgpu();
    }
    let mut window = builder.build_eframe(move |cc| App::new(cc, Some(path)));
    while window.state().is_busy() || window.state().session().is_none() {
        window.step();
    }
    window.run_steps(5);
    window.get_by_label(mode).click();
    window.run_steps(20);
    (window, folder)
}

/// Scrolls by `delta` points, with the pointer at a position.
pub fn wheel(window: &Window, at: Pos2, delta: f32, modifiers: Modifiers) {
    window.event(Event::PointerMoved(at));
    let (unit, phase) = (MouseWheelUnit::Point, TouchPhase::Move);
    let (source, delta) = (MouseWheelSource::Unknown, vec2(0.0, delta));
    let event = Event::MouseWheel { unit, delta, phase, source, modifiers };
    window.event_modifiers(event, modifiers);
}
