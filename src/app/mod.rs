//! The window's glue: applies what panels ask for, runs long work beside the window, and keeps preferences.

mod apply;
mod camera_animation;
mod checking;
mod clipboard;
mod devices;
mod fault;
mod gesture;
mod handlers;
mod host;
mod jobs;
mod key_routing;
mod keys;
mod ladder;
mod lean;
mod painting;
mod preferences;
mod recent;
mod recovery;
mod saving;
mod viewport_renderer;
mod window;

use std::{
    collections::{BTreeMap, BTreeSet},
    path::PathBuf,
    sync::mpsc,
};

use egui::{Context, Ui};

pub use self::window::run;
use self::{
    devices::Devices, jobs::Jobs, key_routing::KeyRouting, painting::Painting, preferences::Preferences,
    recent::RecentList, viewport_renderer::ViewportRenderer, window::Leaving,
};
use crate::render::ColorRole;
use crate::{
    edit::{Availability, Mode, NodeVisibility, Selection, Space},
    model::{Diagnostic, MeshId, NodeId, Shared, Unkeyed, UnkeyedAt},
    render::{Camera, Capture},
    session::{Playback, Recovery, Session},
    ui::{
        Action, Actions, AssetRef, DeferredAction, Dialog, JobView, Layout, Panels, RecoveryView, Settings, Theme,
        Toast, ToastKind, Tool, View, ViewOptions, window_ui,
    },
};

/// The bundled sample, made by `cargo run --example mannequin`.
pub const SAMPLE: &[u8] = include_bytes!("../../assets/mannequin.glb");

/// What concerns more vertices than these is done beside the window.
const LONG: usize = 40_000;

/// A frame that takes longer than this is felt, and logged.
const SLOW: std::time::Duration = std::time::Duration::from_millis(50);

/// The program with a window.
pub struct App {
    session: Option<Session>,
    selection: Selection,
    marks: NodeVisibility,
    about: Option<AssetRef>,
    playback: Playback,
    mode: Mode,
    tool: Tool,
    space: Space,
    auto_key: bool,
    shown: ViewOptions,
    camera: Camera,
    /// The way the eye is on, and when it began.
    glide: Option<(Camera, Camera, f64)>,
    /// The file's camera that was looked through last.
    looked_through: Option<NodeId>,
    hover: Option<NodeId>,
    theme: Theme,
    settings: Settings,
    panels: Panels,
    stage: ViewportRenderer,
    toasts: Vec<Toast>,
    dialog: Option<Dialog>,
    jobs: Jobs,
    preferences: Preferences,
    /// Whether preferences outlive this window: not so in tests.
    keeps: bool,
    recent: RecentList,
    welcome: bool,
    tour: Option<usize>,
    /// The file whose picture is to be taken when it is shown.
    picture_of: Option<PathBuf>,
    /// The picture of a file that is on its way back from the device.
    taking: Option<(PathBuf, Capture)>,
    problems: Vec<Diagnostic>,
    /// What is odd about the file's images, which were decoded when it was opened.
    image_findings: Vec<Diagnostic>,
    checking: checking::Checking,
    /// Cycling of clicks on one spot of the skin.
    last_pick: Option<(glam::Vec2, usize)>,
    /// What to do when the save under way is done.
    after_save: Option<DeferredAction>,
    may_close: bool,
    /// Why this window is left for another.
    leaving: Option<Leaving>,
    devices: Devices,
    routing: KeyRouting,
    /// When something was typed or clicked last, on egui's clock.
    active: f64,
    first_frame: bool,
    /// The unkeyed pose that is shown at the playhead wherever that goes.
    carried: Option<UnkeyedAt>,
    /// When the file was written that a person was asked about last.
    asked_disk: Option<Option<std::time::SystemTime>>,
    /// Unkeyed poses that a person left out of the file, as they were then.
    left_unkeyed: BTreeMap<UnkeyedAt, Shared<Unkeyed>>,
    recoveries: Vec<Recovery>,
    recovery_views: Vec<RecoveryView>,
    journal_home: Option<PathBuf>,
    /// Frames that failed.
    faults: u32,
    /// The next frame fails, for a test.
    #[cfg(feature = "inspection")]
    fails: bool,
    /// The system's file dialog, and whether it is for saving.
    browsing: Option<(mpsc::Receiver<Option<PathBuf>>, bool)>,
    painting: Painting,
    /// Primitives whose weights changed since their problems were counted.
    weights_moved: BTreeSet<(MeshId, usize)>,
    /// Of which skins' surfaces it was said what is to be known, by the serial of the scene.
    surfaces_told: BTreeSet<(u64, crate::model::SkinId)>,
}

impl App {
    /// Makes the program; `file` is opened, or else the sample.
    pub fn new(cc: &eframe::CreationContext<'_>, file: Option<PathBuf>) -> Self {
        let preferences = Preferences::load(cc.storage);
        let settings = preferences.settings.clone().sane();
        let theme = Theme::of(&cc.egui_ctx, settings.theme);
        Theme::install(&cc.egui_ctx);
        let mut app = Self {
            session: None,
            selection: Selection::default(),
            marks: NodeVisibility::default(),
            about: None,
            playback: Playback::default(),
            mode: Mode::Pose,
            tool: Tool::default(),
            space: Space::default(),
            auto_key: false,
            shown: preferences.shown,
            camera: Camera::default(),
            glide: None,
            looked_through: None,
            hover: None,
            theme,
            settings,
            panels: Panels::default(),
            stage: ViewportRenderer::new(cc.wgpu_render_state.clone()),
            toasts: Vec::new(),
            dialog: None,
            jobs: Jobs::default(),
            preferences,
            keeps: cc.storage.is_some(),
            recent: RecentList::default(),
            welcome: false,
            tour: None,
            picture_of: None,
            taking: None,
            problems: Vec::new(),
            image_findings: Vec::new(),
            checking: checking::Checking::default(),
            last_pick: None,
            after_save: None,
            may_close: false,
            leaving: None,
            devices: Devices::default(),
            routing: KeyRouting::default(),
            active: 0.0,
            first_frame: true,
            carried: None,
            asked_disk: None,
            left_unkeyed: BTreeMap::new(),
            recoveries: Vec::new(),
            recovery_views: Vec::new(),
            journal_home: None,
            faults: 0,
            #[cfg(feature = "inspection")]
            fails: false,
            browsing: None,
            painting: Painting::default(),
            weights_moved: BTreeSet::new(),
            surfaces_told: BTreeSet::new(),
        };
        app.routing.install(&cc.egui_ctx);
        app.painting.brush = app.preferences.brush.sane();
        if let Some(text) = app.preferences.layout.as_deref() {
            app.panels.set_layout(Layout::from_text(text));
        }
        app.show_settings(&cc.egui_ctx);
        match file {
            Some(path) => app.open(&cc.egui_ctx, path),
            None if app.preferences.started => app.show_welcome(&cc.egui_ctx),
            None => {
                app.open_sample(&cc.egui_ctx);
                app.tour = Some(0);
            }
        }
        app.preferences.started = true;
        app.journal_home = app.journal_home();
        if app.keeps {
            fault::watch();
            app.look_for_recoveries(&cc.egui_ctx);
        }
        app
    }

    /// What of the view is shown, for tests.
    pub const fn options(&self) -> ViewOptions {
        self.shown
    }

    /// What kind of work the window is set to, for tests.
    pub const fn mode(&self) -> Mode {
        self.mode
    }

    /// The joint under the pointer, for tests.
    pub const fn hovered(&self) -> Option<NodeId> {
        self.hover
    }

    /// The open file, for tests and scripts.
    pub const fn session(&self) -> Option<&Session> {
        self.session.as_ref()
    }

    /// What is selected, for tests and scripts.
    pub const fn selection(&self) -> &Selection {
        &self.selection
    }

    /// The clock, for tests and scripts.
    pub const fn playback(&self) -> &Playback {
        &self.playback
    }

    /// The brush, for tests and scripts.
    pub const fn brush(&self) -> &crate::weights::Brush {
        &self.painting.brush
    }

    /// Whether long work is under way.
    pub const fn is_busy(&self) -> bool {
        self.jobs.is_busy()
    }

    /// A point of the scene on the viewport's picture, in the picture's points: where to click, for tests and scripts.
    pub fn project(&self, node: NodeId) -> Option<glam::Vec2> {
        let at = self.stage.pose().world.get(node.index())?.w_axis.truncate();
        self.camera.project(at, self.stage.size()).map(|(p, _)| p)
    }

    fn toast(&mut self, ctx: &Context, kind: ToastKind, text: impl Into<String>) {
        let text = text.into();
        if kind == ToastKind::Error {
            log::warn!("{text}");
        }
        self.say(ctx, kind, text, Vec::new());
    }

    /// A message with what can be done about it.
    fn say(&mut self, ctx: &Context, kind: ToastKind, text: String, verbs: Vec<(&'static str, Action)>) {
        const MOST: usize = 5;
        // What is said again is counted, and the newest.
        let same = self.toasts.iter().position(|t| t.kind == kind && t.text == text).map(|k| self.toasts.remove(k));
        let times = same.map_or(0, |t| t.times) + 1;
        self.toasts.push(Toast { kind, text, since: ctx.input(|i| i.time), times, verbs });
        if self.toasts.len() > MOST {
            // Errors stay the longest.
            let oldest = self.toasts.iter().position(|t| t.kind != ToastKind::Error).unwrap_or(0);
            self.toasts.remove(oldest);
        }
        ctx.request_repaint();
    }

    fn availability(&self) -> Availability {
        let Some(session) = &self.session else { return Availability::default() };
        Availability {
            nodes: self.selection.nodes.len(),
            keys: self.selection.keys.len(),
            clip_shown: self.shows().is_some(),
            painting: self.mode == Mode::Paint,
            joint: self.painting.has_joint(),
            vertices: self.painting.vertices.len(),
            ..session.availability()
        }
    }

    /// Messages go by themselves, but errors stay until they are closed.
    fn age_toasts(&mut self, ctx: &Context) {
        const STAY: f64 = 6.0;
        let now = ctx.input(|i| i.time);
        self.toasts.retain(|t| t.kind == ToastKind::Error || now - t.since < STAY);
        if let Some(next) = self
            .toasts
            .iter()
            .filter(|t| t.kind != ToastKind::Error)
            .map(|t| t.since + STAY - now)
            .min_by(f64::total_cmp)
        {
            ctx.request_repaint_after(std::time::Duration::from_secs_f64(next.max(0.05)));
        }
    }

    /// Closing with unsaved work asks.
    fn guard_close(&mut self, ctx: &Context) {
        let unsaved = self.session.as_ref().is_some_and(Session::is_unsaved);
        if ctx.input(|i| i.viewport().close_requested()) && unsaved && !self.may_close {
            ctx.send_viewport_cmd(egui::ViewportCommand::CancelClose);
            self.dialog = Some(Dialog::Unsaved { then: DeferredAction::Quit });
        }
    }

    fn dropped_files(&mut self, ctx: &Context) {
        let dropped = ctx.input(|i| i.raw.dropped_files.iter().map(|f| f.path().to_owned()).next());
        if let Some(path) = dropped {
            self.wish(ctx, DeferredAction::Open(path));
        }
    }
}

impl eframe::App for App {
    fn ui(&mut self, ui: &mut Ui, frame: &mut eframe::Frame) {
        let ctx = ui.ctx().clone();
        if self.leaves(&ctx) {
            return;
        }
        let whole = std::panic::AssertUnwindSafe(|| self.whole_frame(ui, frame));
        if let Err(payload) = std::panic::catch_unwind(whole)
            && !self.stage.is_lost()
        {
            self.take_fault(&ctx, payload);
        }
        if self.leaves(&ctx) {
            // Painting them would ask more of the device than is left of it.
            ctx.graphics_mut(|layers| *layers = egui::layers::GraphicLayers::default());
        }
    }

    fn save(&mut self, storage: &mut dyn eframe::Storage) {
        self.preferences.shown = self.shown;
        self.preferences.brush = self.painting.brush;
        self.preferences.settings = self.settings.clone();
        self.preferences.layout = self.panels.layout().to_text();
        self.preferences.store(storage);
    }

    fn persist_egui_memory(&self) -> bool {
        // How far lists are scrolled is of one file; where panels are is kept beside it.
        false
    }

    fn on_exit(&mut self) {
        // A window that is closed was asked about what is not saved.
        self.end_journal();
    }

    fn clear_color(&self, _: &egui::Visuals) -> [f32; 4] {
        // Panels paint no ground of their own: clearing costs less than a rectangle does.
        self.theme.color(ColorRole::SurfacePanel).to_normalized_gamma_f32()
    }
}

impl App {
    /// One frame.
    fn whole_frame(&mut self, ui: &mut Ui, frame: &eframe::Frame) {
        let ctx = ui.ctx().clone();
        #[cfg(feature = "inspection")]
        assert!(!std::mem::take(&mut self.fails), "a test wanted this frame to fail");
        let started = std::time::Instant::now();
        // An idle window must not come here; with RUST_LOG=ulna=trace it says who asked.
        log::trace!("frame, asked for by {:?}", ctx.repaint_causes());
        if std::mem::take(&mut self.first_frame) {
            ctx.request_repaint();
        }
        self.stage.begin_frame(ctx.input(|i| i.stable_dt));
        self.calm_caret(&ctx);
        self.let_go(&ctx);
        self.poll_jobs(&ctx);
        self.poll_browse(&ctx);
        self.look_at_disk(&ctx);
        self.keep_problems(&ctx);
        self.guard_close(&ctx);
        self.dropped_files(&ctx);
        self.age_toasts(&ctx);
        self.glide(&ctx);
        if self.playback.playing && self.shows().is_some() {
            let seconds = f64::from(ctx.input(|i| i.stable_dt)).min(0.25);
            if let Some((_, range)) = self.painting.range.as_ref().filter(|_| self.mode == Mode::Paint) {
                let length = f64::from(range.length()).max(1e-3);
                self.playback.time = (self.playback.time + seconds * self.playback.speed) % length;
            } else if let Some(session) = &self.session {
                self.playback.advance(session.document(), seconds);
            }
            ctx.request_repaint();
        }
        self.begin_keys(&ctx);
        self.clipboard_events(&ctx);
        self.pressed_keys(&ctx);
        self.pose_stage(&ctx);
        let mut actions = Actions::default();
        let hover = self.hover.take();
        {
            let availability = self.availability();
            let (devices, device_wish) = self.devices.list();
            let (pose, bones, joints, texture) = self.stage.parts();
            let view = View {
                session: self.session.as_ref(),
                pose,
                bones,
                joints,
                selection: &self.selection,
                marks: &self.marks,
                about: self.about,
                playback: &self.playback,
                mode: self.mode,
                tool: self.tool,
                space: self.space,
                auto_key: self.auto_key,
                unkeyed: self.unkeyed_shown(),
                carried: self.carried.is_some(),
                shown: self.shown,
                camera: self.camera,
                hover,
                settings: &self.settings,
                keys: &self.settings.keys,
                recent: &self.recent.shown,
                welcome: self.welcome,
                tour: self.tour,
                theme: &self.theme,
                texture,
                availability,
                problems: &self.problems,
                job: self.jobs.shown().map(|j| JobView {
                    label: j.label.clone(),
                    fraction: j.progress.fraction(),
                    cancellable: j.cancellable,
                }),
                toasts: &self.toasts,
                dialog: self.dialog.as_ref(),
                recoveries: &self.recovery_views,
                journal_home: self.journal_home.as_deref(),
                frame_ms: self.stage.frame_ms(),
                quick: self.stage.quick(),
                device: self.stage.device(),
                device_facts: self.stage.device_facts(),
                devices: &devices,
                device_wish: device_wish.as_deref(),
                paint: self.painting.view(),
            };
            window_ui(&mut self.panels, ui, &view, &mut actions);
        }
        let changed = self.apply(&ctx, actions);
        if let Some(fault) = self.session.as_mut().and_then(Session::take_journal_fault) {
            let text =
                format!("The journal cannot be written: {fault}. Save often; after a crash nothing can be replayed.");
            self.toast(&ctx, ToastKind::Error, text);
        }
        let changed = self.update_brush() || changed;
        if changed || self.hover != hover {
            ctx.request_repaint();
        }
        self.pose_stage(&ctx);
        if self.session.is_some() && self.stage.lacks_scene() && !self.jobs.is_busy() {
            self.restore_scene(&ctx);
        }
        self.draw_stage(&ctx, frame);
        if self.mode == Mode::Paint && self.painting.is_counting() {
            ctx.request_repaint();
        }
        for text in self.devices.take_news() {
            self.toast(&ctx, ToastKind::Error, text + ".");
        }
        if let Some(fault) = self.stage.fault() {
            let text = format!("The view may not show everything: {fault}. Your work is untouched.");
            self.toast(&ctx, ToastKind::Error, text);
        }
        self.focus_spot(&ctx);
        self.take_picture(&ctx);
        self.end_keys(&ctx);
        if started.elapsed() > SLOW {
            log::debug!("a frame took {:?}", started.elapsed());
        }
        self.stage.took(started.elapsed());
    }

    /// A caret blinks a few times after something was typed or clicked, and then stands: each blink draws the whole window.
    fn calm_caret(&mut self, ctx: &Context) {
        const BLINKS: f64 = 6.0;
        let (now, active) = ctx.input(|i| {
            let active = |e: &egui::Event| {
                matches!(
                    e,
                    egui::Event::Key { .. }
                        | egui::Event::Text(_)
                        | egui::Event::PointerButton { .. }
                        | egui::Event::WindowFocused(true)
                )
            };
            (i.time, i.events.iter().any(active))
        });
        if active {
            self.active = now;
        }
        let blinks = now - self.active < BLINKS;
        if ctx.global_style().visuals.text_cursor.blink != blinks {
            ctx.all_styles_mut(|style| style.visuals.text_cursor.blink = blinks);
        }
    }

    /// Has the next frame fail, as a fault of the program would.
    #[cfg(feature = "inspection")]
    pub const fn fail_next_frame(&mut self) {
        self.fails = true;
    }

    /// The clip that is shown: of the file, or the range of motion.
    fn shows(&self) -> Option<viewport_renderer::DisplayedClip> {
        if self.mode == Mode::Paint
            && let Some((_, range)) = &self.painting.range
        {
            return Some(viewport_renderer::DisplayedClip { key: None, clip: range.clone(), unkeyed: None });
        }
        let id = self.shown_clip()?;
        let document = self.session.as_ref()?.document();
        let unkeyed = self.unkeyed_shown().and_then(|at| Some((at, document.aids.unkeyed.get(&at)?.clone())));
        Some(viewport_renderer::DisplayedClip { key: Some(id), clip: document.clips.get(id)?.clone(), unkeyed })
    }

    /// The unkeyed pose that is seen: the one that is carried along, else the one at the playhead. Playing shows none.
    fn unkeyed_shown(&self) -> Option<UnkeyedAt> {
        let (clip, document) = (self.shown_clip()?, self.session.as_ref()?.document());
        if self.playback.playing {
            return None;
        }
        let carried = self.carried.filter(|at| at.clip == clip && document.aids.unkeyed.contains_key(at));
        carried.or_else(|| document.aids.unkeyed(clip, self.playback.time).map(|(at, _)| at))
    }

    /// The clip of the file that is shown.
    fn shown_clip(&self) -> Option<crate::model::ClipId> {
        let shows = self.mode == Mode::Animate || (self.mode == Mode::Paint && self.painting.over_clip);
        shows.then_some(self.playback.clip).flatten()
    }

    /// Poses what changed.
    fn pose_stage(&mut self, ctx: &Context) {
        let clip = self.shows();
        let changes = self.session.as_mut().map_or_else(Vec::new, Session::take_changes);
        if changes.iter().any(|c| matches!(c, crate::edit::Change::Bound { .. } | crate::edit::Change::Tree)) {
            self.remake_scene(ctx);
        }
        self.tint_surface(&changes);
        if let Some(session) = &self.session {
            self.stage.pose_anew(session, &changes, clip.as_ref(), self.playback.time);
        }
        self.follow_painting();
    }

    /// Draws what changed: once a frame, when all of its input was taken up.
    fn draw_stage(&mut self, ctx: &Context, frame: &eframe::Frame) {
        let clip = self.shows();
        let Some(session) = &self.session else { return };
        let painting = (self.mode == Mode::Paint)
            .then(|| viewport_renderer::Painted { tint: self.painting.tint_kind(), edges: true });
        let (now, held, stirs) = ctx.input(|i| {
            let scrolls = i.smooth_scroll_delta() != egui::Vec2::ZERO || i.zoom_delta() != 1.0;
            let held = i.pointer.any_down();
            (i.time, held || scrolls, held && i.pointer.delta() != egui::Vec2::ZERO)
        });
        let moves = held || self.playback.playing || self.glide.is_some() || self.is_gesture_open();
        let motion = ladder::Motion { now, moves, stirs, quality: self.settings.quality };
        let seen = viewport_renderer::Seen {
            camera: &self.camera,
            selection: &self.selection,
            marks: &self.marks,
            hover: self.hover,
            shown: self.shown,
            painting,
            unkeyed: clip.as_ref().and_then(|c| Some(&**c.unkeyed.as_ref().map(|(_, pose)| pose)?)),
        };
        if let Some(seconds) = self.stage.draw(frame.wgpu_render_state(), session.document(), &seen, motion) {
            ctx.request_repaint_after(std::time::Duration::from_secs_f64(seconds.max(0.001)));
        }
    }
}
