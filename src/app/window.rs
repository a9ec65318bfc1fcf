//! The native window. It is reopened with the same session if the device is lost or the user
//! chooses another one.

use std::{cell::RefCell, path::PathBuf, rc::Rc, time::Duration};

use egui::Ui;

use super::{App, devices::Devices, lean::LeanPanels, window_state::Leaving};
use crate::ui::Theme;

/// Number of frames after which a device counts as working.
const PROOF: u32 = 3;

/// Opens the window, and returns when it is closed. `adapter` names a device for this launch only.
///
/// # Errors
///
/// If no window can be opened.
pub fn run(file: Option<PathBuf>, adapter: Option<String>) -> anyhow::Result<()> {
    let devices = Devices::load(eframe::storage_dir("ulna"), adapter);
    let slot: Rc<RefCell<Option<App>>> = Rc::default();
    loop {
        let options = eframe::NativeOptions {
            viewport: egui::ViewportBuilder::default()
                .with_title("Ulna")
                .with_app_id("ulna")
                .with_inner_size([1600.0, 1000.0])
                .with_min_inner_size([720.0, 480.0])
                .with_drag_and_drop(true)
                .with_icon(icon()),
            wgpu_options: devices.options(),
            // No gradients need dithering, which takes time for each pixel.
            dithering: false,
            ..Default::default()
        };
        let (kept, file, its_devices) = (slot.clone(), file.clone(), devices.clone());
        let make = move |cc: &eframe::CreationContext<'_>| -> Result<Box<dyn eframe::App>, _> {
            Ok(Box::new(Window::new(cc, file, kept, its_devices)))
        };
        let ended = eframe::run_native("ulna", options, Box::new(make));
        match ended {
            Ok(()) => match slot.borrow().as_ref().and_then(|app| app.window.leaving) {
                Some(Leaving::Lost) => devices.lost(),
                Some(Leaving::Switch) => {}
                None => return Ok(()),
            },
            // Refused devices are not tried again, so the loop ends.
            Err(eframe::Error::Wgpu(error)) if devices.refused() => {
                log::warn!("{error}; trying the next device")
            }
            Err(error) => {
                let unsaved = slot
                    .borrow()
                    .as_ref()
                    .is_some_and(|app| app.session().is_some_and(|s| s.is_unsaved()));
                let kept = if unsaved { ". Start Ulna again to recover unsaved work" } else { "" };
                anyhow::bail!("{}{kept}", no_window(&error));
            }
        }
    }
}

/// Error message about a window that could not be opened, with advice.
fn no_window(error: &eframe::Error) -> String {
    let said = error.to_string();
    let said = said.trim_end_matches('.');
    match error {
        eframe::Error::Wgpu(_) => format!(
            "no graphics device can show a window ({said}). Install a Vulkan or OpenGL driver, \
                such as Mesa's \
            software driver (mesa-vulkan-drivers). `ulna --help` lists the commands that need no \
            window"
        ),
        _ => format!(
            "the window could not be opened: {said}. On Linux, run setup.sh, and check that \
                DISPLAY or WAYLAND_DISPLAY is set"
        ),
    }
}

/// Icon of the window: a joint, amber on dark.
fn icon() -> egui::IconData {
    let size = 64usize;
    let mut rgba = Vec::with_capacity(size * size * 4);
    for y in 0..size {
        for x in 0..size {
            let (u, v) = (x as f32 / 63.0 * 2.0 - 1.0, y as f32 / 63.0 * 2.0 - 1.0);
            let half = if v < -0.35 { (v + 0.95) / 0.6 * 0.5 } else { (0.95 - v) / 1.3 * 0.5 };
            let inside = u.abs() <= half;
            let color = match (inside, u < 0.0) {
                (true, true) => [0xFF, 0xA5, 0x3A, 255],
                (true, false) => [0xC9, 0x7B, 0x1F, 255],
                _ => [0, 0, 0, 0],
            };
            rgba.extend(color);
        }
    }
    egui::IconData { rgba, width: size as u32, height: size as u32 }
}

/// The program in its window. When the window is replaced, it stores the program for the next one.
struct Window {
    app: Option<App>,
    slot: Rc<RefCell<Option<App>>>,
    devices: Devices,
    frames: u32,
}

impl Window {
    fn new(
        cc: &eframe::CreationContext<'_>,
        file: Option<PathBuf>,
        slot: Rc<RefCell<Option<App>>>,
        devices: Devices,
    ) -> Self {
        if let Some(state) = &cc.wgpu_render_state {
            LeanPanels::install(&cc.egui_ctx, state);
        }
        let app = match slot.borrow_mut().take() {
            Some(mut app) => {
                #[cfg(feature = "inspection")]
                inspect_again(&cc.egui_ctx);
                Theme::install(&cc.egui_ctx);
                app.window.routing.install(&cc.egui_ctx);
                app.reopen(&cc.egui_ctx, cc.wgpu_render_state.clone());
                app
            }
            None => {
                let mut app = App::new(cc, file);
                app.program.devices = devices.clone();
                app
            }
        };
        Self { app: Some(app), slot, devices, frames: 0 }
    }
}

impl eframe::App for Window {
    fn persist_egui_memory(&self) -> bool {
        false
    }

    fn auto_save_interval(&self) -> Duration {
        // Stored often, so that a crash loses few changes. Only changes are written.
        Duration::from_secs(5)
    }

    fn ui(&mut self, ui: &mut Ui, frame: &mut eframe::Frame) {
        #[cfg(feature = "inspection")]
        lose_on_request(ui.ctx(), frame, "ULNA_LOSE_DEVICE");
        self.frames += 1;
        if self.frames < PROOF {
            ui.ctx().request_repaint();
        } else if self.frames == PROOF {
            self.devices.works();
        }
        if let Some(app) = &mut self.app {
            app.ui(ui, frame);
        }
        #[cfg(feature = "inspection")]
        lose_on_request(ui.ctx(), frame, "ULNA_LOSE_DEVICE_LATE");
    }

    fn save(&mut self, storage: &mut dyn eframe::Storage) {
        if let Some(app) = &mut self.app {
            eframe::App::save(app, storage);
        }
    }

    fn on_exit(&mut self) {
        match self.app.take() {
            Some(app) if app.window.leaving.is_some() => *self.slot.borrow_mut() = Some(app),
            Some(mut app) => app.on_exit(),
            None => {}
        }
    }

    fn clear_color(&self, visuals: &egui::Visuals) -> [f32; 4] {
        self.app.as_ref().map_or([0.0; 4], |app| app.clear_color(visuals))
    }
}

/// Destroys the device once, for tests of the real window. The environment variable `variable`
/// contains the time in seconds after launch. `ULNA_LOSE_DEVICE` applies before a frame, and
/// `ULNA_LOSE_DEVICE_LATE` before painting.
#[cfg(feature = "inspection")]
fn lose_on_request(ctx: &egui::Context, frame: &eframe::Frame, variable: &str) {
    use std::sync::atomic::{AtomicBool, Ordering};
    static DONE: AtomicBool = AtomicBool::new(false);
    let wanted = std::env::var(variable).ok().and_then(|text| text.parse::<f64>().ok());
    let (Some(after), Some(state)) = (wanted, frame.wgpu_render_state()) else { return };
    let left = after - ctx.input(|i| i.time);
    if left > 0.0 {
        ctx.request_repaint_after(std::time::Duration::from_secs_f64(left));
    } else if !DONE.swap(true, Ordering::Relaxed) {
        state.device.destroy();
        ctx.request_repaint();
    }
}

/// Starts an inspection server for a reopened window. Its address is the value of the environment
/// variable `ULNA_INSPECTION_AGAIN`. The address of the first window stays in use.
#[cfg(feature = "inspection")]
fn inspect_again(ctx: &egui::Context) {
    if let Ok(address) = std::env::var("ULNA_INSPECTION_AGAIN")
        && let Err(error) = egui_inspection::serve(ctx, &address)
    {
        log::warn!("the window cannot be inspected at {address}: {error}");
    }
}
