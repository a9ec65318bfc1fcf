//! The graphics device of the window: the user's choice, devices that failed, and lost devices. The
//! data is stored beside the preferences, and read before the window opens.

use std::{
    collections::VecDeque,
    fs::{self, File},
    io::{Read as _, Seek as _, Write as _},
    path::{Path, PathBuf},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use egui_wgpu::{SurfaceErrorAction, WgpuConfiguration, WgpuSetup};
use serde::{Deserialize, Serialize};

use ulna_render::{DeviceChoice, DeviceFacts, Gpu};
use ulna_session::{SystemDisk, write_atomically};

/// Number of losses within [`WHILE`] after which a device is no longer used.
const MOST_LOSSES: usize = 3;
/// Time span in which losses of a device are counted.
const WHILE: Duration = Duration::from_secs(60);

/// Choices and failures that are stored between launches.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
struct Kept {
    /// Name of the chosen device; `None` for the best one.
    wish: Option<String>,
    /// Names of devices that failed.
    failed: Vec<String>,
}

/// State of the graphics devices. All copies share the same state.
#[derive(Clone, Default)]
pub(super) struct Devices(Arc<Mutex<State>>);

#[derive(Default)]
struct State {
    /// Folder of the stored file; `None` in tests.
    home: Option<PathBuf>,
    kept: Kept,
    /// Device from the command line, for this launch only.
    once: Option<String>,
    list: Vec<DeviceFacts>,
    used: Option<String>,
    /// Locked file with the name of a device while it is being tried.
    starting: Option<File>,
    news: Vec<String>,
    losses: VecDeque<Instant>,
    surface: Surface,
}

impl Devices {
    /// Loads the stored choices. If the last launch crashed while trying a device, that device is
    /// excluded.
    pub(super) fn load(home: Option<PathBuf>, once: Option<String>) -> Self {
        let kept = home.as_deref().map_or_else(Kept::default, read);
        let mut state = State { home, kept, once, ..State::default() };
        if let Some(died) = state.lock_start() {
            let text = format!(
                "Graphics device “{died}” failed at the last start and is no longer used. Choose \
                    another in Preferences › View"
            );
            state.news.push(text);
            state.fail(died);
        }
        Self(Arc::new(Mutex::new(state)))
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Options that make eframe choose the device.
    pub(super) fn options(&self) -> WgpuConfiguration {
        let mut options = WgpuConfiguration::default();
        let (selecting, watching) = (self.clone(), self.clone());
        if let WgpuSetup::CreateNew(setup) = &mut options.wgpu_setup {
            setup.device_descriptor = Arc::new(Gpu::descriptor);
            setup.native_adapter_selector = Some(Arc::new(move |adapters, surface| {
                let fits = |a: &&wgpu::Adapter| surface.is_none_or(|s| a.is_surface_supported(s));
                selecting.state().select(&adapters.iter().filter(fits).collect::<Vec<_>>())
            }));
        }
        options.on_surface_status = Arc::new(move |status| {
            let trouble = match status {
                wgpu::CurrentSurfaceTexture::Outdated => return SurfaceErrorAction::Reconfigure,
                wgpu::CurrentSurfaceTexture::Lost => Trouble::Lost,
                wgpu::CurrentSurfaceTexture::Validation => Trouble::Refused,
                // The window is currently hidden, or the texture is late.
                _ => return SurfaceErrorAction::SkipFrame,
            };
            watching.state().surface.meet(trouble, Instant::now())
        });
        options
    }

    /// Reports that the device works. The next launch may use it again.
    pub(super) fn works(&self) {
        self.state().end_start();
    }

    /// Reports that the tried device could not be opened. Returns whether another device is left.
    pub(super) fn refused(&self) -> bool {
        let mut state = self.state();
        let Some(used) = state.used.take() else { return false };
        state
            .news
            .push(format!("Graphics device “{used}” could not be opened and is no longer used"));
        state.fail(used);
        state.has_other()
    }

    /// Reports that the device was lost. After repeated losses, another device is used if there is
    /// one.
    pub(super) fn lost(&self) {
        let mut state = self.state();
        let now = Instant::now();
        state.losses.push_back(now);
        state.losses.retain(|at| now.duration_since(*at) < WHILE);
        state.surface = Surface::default();
        if state.losses.len() >= MOST_LOSSES
            && state.has_other()
            && let Some(used) = state.used.clone()
        {
            state.news.push(format!(
                "Graphics device “{used}” was lost {MOST_LOSSES} times in a minute and is no \
                    longer used"
            ));
            state.fail(used);
            state.losses.clear();
        }
    }

    /// True if the window can no longer be drawn to, although the device still works.
    pub(super) fn is_surface_lost(&self) -> bool {
        self.state().surface.is_lost
    }

    /// Stores the user's choice of a device; `None` chooses the best one. A device that failed
    /// before is tried again.
    pub(super) fn choose(&self, wish: Option<String>) {
        let mut state = self.state();
        state.kept.failed.retain(|f| Some(f) != wish.as_ref());
        (state.kept.wish, state.once) = (wish, None);
        state.store();
    }

    /// All devices with a flag for those that failed before, and the name of the chosen device.
    pub(super) fn list(&self) -> (Vec<(DeviceFacts, bool)>, Option<String>) {
        let state = self.state();
        let used = |d: &DeviceFacts| state.used.as_ref() == Some(&d.id());
        let row = |d: &DeviceFacts| {
            (DeviceFacts { used: used(d), ..d.clone() }, state.kept.failed.contains(&d.id()))
        };
        (state.list.iter().map(row).collect(), state.kept.wish.clone())
    }

    /// Returns the messages that were not shown yet.
    pub(super) fn take_news(&self) -> Vec<String> {
        std::mem::take(&mut self.state().news)
    }
}

impl State {
    fn select(&mut self, adapters: &[&wgpu::Adapter]) -> Result<wgpu::Adapter, String> {
        let list: Vec<DeviceFacts> = adapters.iter().map(|a| DeviceFacts::of(a)).collect();
        let (k, used) = self.pick(&list).ok_or_else(|| {
            match list.iter().find_map(|d| Some((d, d.unusable.as_ref()?))) {
                Some((device, why)) => format!("“{}” cannot be used: {why}", device.id()),
                None => "no driver responds".to_owned(),
            }
        })?;
        self.list = list;
        self.begin_start(&used);
        self.used = Some(used);
        Ok(adapters[k].clone())
    }

    /// Index and name of the device to use.
    fn pick(&mut self, list: &[DeviceFacts]) -> Option<(usize, String)> {
        let wish = self.once.clone().or_else(|| self.kept.wish.clone());
        let choice = DeviceChoice { wish, failed: self.kept.failed.clone() };
        let k = *choice.order(list).first()?;
        let used = list[k].id();
        if let Some(wish) = choice.wish.filter(|w| !list.iter().any(|d| d.is_called(w))) {
            self.news.push(format!("Graphics device “{wish}” was not found; using “{used}”"));
        }
        Some((k, used))
    }

    /// True if a device remains that did not fail.
    fn has_other(&self) -> bool {
        let usable = self.list.iter().filter(|d| d.unusable.is_none());
        usable
            .into_iter()
            .any(|d| !self.kept.failed.contains(&d.id()) && self.used.as_ref() != Some(&d.id()))
    }

    fn fail(&mut self, id: String) {
        if !self.kept.failed.contains(&id) {
            self.kept.failed.push(id);
        }
        self.store();
    }

    fn store(&self) {
        let Some(home) = &self.home else { return };
        let stored =
            serde_json::to_vec_pretty(&self.kept).map_err(|e| e.to_string()).and_then(|text| {
                fs::create_dir_all(home).map_err(|e| e.to_string())?;
                write_atomically(&SystemDisk, &home.join("devices.json"), &text)
                    .map_err(|e| e.to_string())
            });
        if let Err(error) = stored {
            log::warn!("the choice of a graphics device could not be saved: {error}");
        }
    }

    /// Locks the file that marks a launch. Returns the name of a device with which an earlier
    /// launch crashed.
    fn lock_start(&mut self) -> Option<String> {
        let home = self.home.as_ref()?;
        fs::create_dir_all(home).ok()?;
        let path = home.join("device.starting");
        let mut file =
            File::options().read(true).write(true).create(true).truncate(false).open(path).ok()?;
        // Another window is being launched, so the file's content has no meaning yet.
        file.try_lock().ok()?;
        let mut text = String::new();
        file.read_to_string(&mut text).ok()?;
        self.starting = Some(file);
        Some(text.trim().to_owned()).filter(|t| !t.is_empty())
    }

    fn begin_start(&mut self, id: &str) {
        if self.starting.is_none() {
            // The window is reopened. An old mark was already read at launch.
            let _ = self.lock_start();
        }
        self.mark(id);
    }

    fn end_start(&mut self) {
        self.mark("");
        // Closing the file unlocks it for later launches.
        self.starting = None;
    }

    fn mark(&mut self, text: &str) {
        let Some(file) = &mut self.starting else { return };
        let written = file
            .set_len(0)
            .and_then(|()| file.rewind())
            .and_then(|()| file.write_all(text.as_bytes()));
        if let Err(error) = written {
            log::warn!("the start of a graphics device could not be marked: {error}");
        }
    }
}

fn read(home: &Path) -> Kept {
    let path = home.join("devices.json");
    let Ok(text) = fs::read(&path) else { return Kept::default() };
    serde_json::from_slice(&text).unwrap_or_else(|error| {
        log::warn!("{} cannot be read and is replaced: {error}", path.display());
        Kept::default()
    })
}

/// Error of the window's surface.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Trouble {
    /// The surface is lost, and can be created again.
    Lost,
    /// The surface provides no texture to draw to.
    Refused,
}

/// Whether the window can be drawn to.
#[derive(Clone, Debug, Default)]
struct Surface {
    met: VecDeque<Instant>,
    is_lost: bool,
}

impl Surface {
    /// Reaction to a surface error. Errors that repeat within two seconds have another cause, so
    /// the window is reopened.
    fn meet(&mut self, trouble: Trouble, now: Instant) -> SurfaceErrorAction {
        const MOST: usize = 5;
        self.met.retain(|at| now.duration_since(*at) < Duration::from_secs(2));
        self.met.push_back(now);
        self.is_lost |= self.met.len() >= MOST;
        match trouble {
            Trouble::Lost if !self.is_lost => SurfaceErrorAction::RecreateSurface,
            Trouble::Lost | Trouble::Refused => SurfaceErrorAction::SkipFrame,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ulna_render::DeviceKind;

    fn device(name: &str, kind: DeviceKind) -> DeviceFacts {
        DeviceFacts {
            name: name.into(),
            backend: "vulkan".into(),
            kind,
            driver: String::new(),
            largest_buffer: 0,
            largest_texture: 0,
            instead: Vec::new(),
            unusable: None,
            used: false,
        }
    }

    fn two() -> Vec<DeviceFacts> {
        vec![device("Radeon", DeviceKind::Discrete), device("llvmpipe", DeviceKind::Software)]
    }

    /// Simulates a launch up to opening a device.
    fn start(home: &Path) -> Devices {
        let devices = Devices::load(Some(home.to_owned()), None);
        {
            let mut state = devices.state();
            let (_, used) = state.pick(&two()).unwrap();
            state.list = two();
            state.begin_start(&used);
            state.used = Some(used);
        }
        devices
    }

    fn used(devices: &Devices) -> String {
        devices.state().used.clone().unwrap()
    }

    #[test]
    fn a_device_that_crashed_at_startup_is_skipped_next_time_with_a_message() {
        let home = tempfile::tempdir().unwrap();
        let first = start(home.path());
        assert_eq!(used(&first), "Radeon by vulkan");
        assert!(first.take_news().is_empty());
        // When a process dies, the system closes its files.
        drop(first);
        let second = start(home.path());
        assert_eq!(used(&second), "llvmpipe by vulkan");
        assert!(second.take_news()[0].contains("“Radeon by vulkan” failed at the last start"));
        second.works();
        drop(second);
        let third = start(home.path());
        assert_eq!(used(&third), "llvmpipe by vulkan");
        assert!(third.take_news().is_empty(), "it is said once");
        assert_eq!(
            third.list().0.iter().map(|(_, failed)| *failed).collect::<Vec<_>>(),
            [true, false]
        );
        // The user may try the device again.
        third.choose(Some("Radeon by vulkan".into()));
        third.works();
        drop(third);
        let fourth = start(home.path());
        assert_eq!(used(&fourth), "Radeon by vulkan");
        assert!(!fourth.list().0[0].1);
    }

    #[test]
    fn a_second_window_does_not_treat_a_starting_one_as_crashed() {
        let home = tempfile::tempdir().unwrap();
        let first = start(home.path());
        let second = start(home.path());
        assert_eq!(used(&second), "Radeon by vulkan");
        first.works();
        second.works();
        drop((first, second));
        assert_eq!(used(&start(home.path())), "Radeon by vulkan");
    }

    #[test]
    fn refused_devices_are_skipped_until_none_is_left() {
        let home = tempfile::tempdir().unwrap();
        let devices = start(home.path());
        assert!(devices.refused(), "there is another");
        {
            let mut state = devices.state();
            let (k, used) = state.pick(&two()).unwrap();
            assert_eq!(k, 1);
            state.used = Some(used);
        }
        assert!(!devices.refused(), "there is none left");
        assert_eq!(devices.take_news().len(), 2);
    }

    #[test]
    fn a_device_that_is_lost_repeatedly_is_abandoned() {
        let home = tempfile::tempdir().unwrap();
        let devices = start(home.path());
        devices.lost();
        devices.lost();
        assert_eq!(devices.state().pick(&two()).unwrap().0, 0);
        devices.lost();
        assert_eq!(devices.state().pick(&two()).unwrap().0, 1);
    }

    #[test]
    fn a_missing_requested_device_is_reported_and_the_best_is_used() {
        let devices = Devices::load(None, Some("Voodoo".into()));
        assert_eq!(devices.state().pick(&two()).unwrap(), (0, "Radeon by vulkan".into()));
        assert!(devices.take_news()[0].contains("Graphics device “Voodoo” was not found"));
    }

    #[test]
    fn a_damaged_list_of_devices_is_ignored() {
        let home = tempfile::tempdir().unwrap();
        fs::write(home.path().join("devices.json"), b"{ half a").unwrap();
        assert_eq!(used(&start(home.path())), "Radeon by vulkan");
    }

    #[test]
    fn a_surface_is_recreated_a_few_times_and_then_the_window() {
        let mut surface = Surface::default();
        let now = Instant::now();
        for k in 0..4 {
            let action = surface.meet(Trouble::Lost, now + Duration::from_millis(k * 10));
            assert!(matches!(action, SurfaceErrorAction::RecreateSurface) && !surface.is_lost);
        }
        surface.meet(Trouble::Refused, now + Duration::from_millis(50));
        assert!(surface.is_lost);
        let mut calm = Surface::default();
        for k in 0..20 {
            calm.meet(Trouble::Lost, now + Duration::from_secs(k));
            assert!(!calm.is_lost, "now and then is nothing");
        }
    }
}
