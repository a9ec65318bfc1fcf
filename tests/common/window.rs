//! Windows of the size that most tests use.

use std::path::PathBuf;

use egui_kittest::{Harness, HarnessBuilder};
use ulna::app::App;

use super::DENSITY;

pub type Window = Harness<'static, App>;

/// Builds a window without a graphics device, and therefore without a picture. Layout and behavior
/// stay the same, but a software driver would take half of the time. Tests of data on the device
/// use `wgpu()`.
pub fn builder() -> HarnessBuilder<App> {
    Harness::builder().with_size([1600.0, 1000.0]).with_max_steps(60).with_pixels_per_point(DENSITY)
}

/// Opens the program with a file of these bytes in its own folder, and waits until it is open.
pub fn open(builder: HarnessBuilder<App>, bytes: &[u8]) -> (Window, tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("model.glb");
    std::fs::write(&path, bytes).expect("a file");
    let file = path.clone();
    let mut window = builder.build_eframe(move |cc| App::new(cc, Some(file)));
    wait(&mut window);
    (window, folder, path)
}

/// Waits until a file is open and long work is done.
pub fn wait(window: &mut Window) {
    wait_until(window, |app| !app.is_busy() && app.session().is_some());
}

/// Waits for a condition, and then for a few more frames.
pub fn wait_until(window: &mut Window, holds: impl Fn(&App) -> bool) {
    for _ in 0..2000 {
        window.step();
        if holds(window.state()) {
            window.run_steps(3);
            return;
        }
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    panic!("the work does not end");
}
