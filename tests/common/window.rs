//! Windows of the size that all tests have them in.

use std::path::PathBuf;

use egui_kittest::{Harness, HarnessBuilder};
use ulna::app::App;

use super::DENSITY;

pub type Window = Harness<'static, App>;

/// A window to be. It has no graphics device, and so no picture: where things are and what they do
/// is the same, and a driver in software would take half of the time of all windows. Tests of what
/// is on the device, or goes there stroke by stroke, take `wgpu()`.
pub fn builder() -> HarnessBuilder<App> {
    Harness::builder().with_size([1600.0, 1000.0]).with_max_steps(60).with_pixels_per_point(DENSITY)
}

/// The program on a file of these bytes, in a folder of its own, when it is open.
pub fn open(builder: HarnessBuilder<App>, bytes: &[u8]) -> (Window, tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("model.glb");
    std::fs::write(&path, bytes).expect("a file");
    let file = path.clone();
    let mut window = builder.build_eframe(move |cc| App::new(cc, Some(file)));
    wait(&mut window);
    (window, folder, path)
}

/// Until a file is open and no long work is under way.
pub fn wait(window: &mut Window) {
    wait_until(window, |app| !app.is_busy() && app.session().is_some());
}

/// Until something holds, and a few frames more.
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
