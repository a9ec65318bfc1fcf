//! The window's glue: applies what panels ask for, runs long work beside the window, and keeps
//! preferences.

mod apply;
mod camera_animation;
mod checking;
mod clipboard;
mod converting;
mod devices;
mod exporting;
mod fault;
mod files;
mod filming;
mod frame;
mod gesture;
mod handlers;
mod host;
mod import_state;
mod importing;
mod job_lanes;
mod jobs;
mod key_gate;
mod key_routing;
mod keys;
mod ladder;
mod lean;
mod leaving;
mod loading;
mod opening;
mod painting;
mod preferences;
mod problems;
mod program;
mod ranges;
mod recent;
mod recovery;
mod save_lane;
mod save_queue;
mod saving;
mod scenes;
mod selecting;
mod there;
mod viewport_renderer;
mod window;
mod window_state;

use std::path::PathBuf;

use egui::{Context, Ui};

pub use self::window::run;
use self::{
    files::Files, jobs::Jobs, painting::Painting, problems::Problems, program::Program,
    viewport_renderer::ViewportRenderer, window_state::WindowState,
};
use crate::ui::{
    Action, Dialogs, Layers, Layout, Outliner, Panels, Poses, Timeline, ToastKind, ViewOptions,
    Viewport,
};
use ulna_edit::{Availability, Mode, Selection};
use ulna_model::{KeySet, NodeId};
use ulna_render::ColorRole;
use ulna_session::{Playback, Session};

/// The bundled sample, made by `cargo run --example mannequin`.
pub const SAMPLE: &[u8] = include_bytes!("../../assets/mannequin.glb");

/// What concerns more vertices than these is done beside the window.
const LONG: usize = 40_000;

/// The program with a window: a domain each, and what makes their picture.
pub struct App {
    session: Option<Session>,
    mode: Mode,
    outliner: Outliner,
    timeline: Timeline,
    layers: Layers,
    viewport: Viewport,
    painting: Painting,
    poses: Poses,
    pose_pictures: handlers::PosePictures,
    balance: handlers::BalanceState,
    paths: handlers::PathState,
    ghosts_asked: Option<handlers::GhostsAsked>,
    problems: Problems,
    dialogs: Dialogs,
    files: Files,
    program: Program,
    window: WindowState,
    panels: Panels,
    renderer: ViewportRenderer,
    jobs: Jobs,
    saves: save_queue::SaveQueue,
}

impl App {
    /// Makes the program; `file` is opened, or else the sample.
    pub fn new(cc: &eframe::CreationContext<'_>, file: Option<PathBuf>) -> Self {
        let program = Program::load(cc);
        let viewport = Viewport { options: program.preferences.shown, ..Viewport::default() };
        let mut app = Self {
            session: None,
            mode: Mode::Pose,
            outliner: Outliner::default(),
            timeline: Timeline::default(),
            layers: Layers::default(),
            viewport,
            painting: Painting::default(),
            poses: Poses::default(),
            pose_pictures: handlers::PosePictures::default(),
            balance: handlers::BalanceState::default(),
            paths: handlers::PathState::default(),
            ghosts_asked: None,
            problems: Problems::default(),
            dialogs: Dialogs::default(),
            files: Files { system_dialogs: files::has_system_dialogs(cc), ..Files::default() },
            program,
            window: WindowState::default(),
            panels: Panels::default(),
            renderer: ViewportRenderer::new(cc.wgpu_render_state.clone()),
            jobs: Jobs::default(),
            saves: save_queue::SaveQueue::default(),
        };
        app.load_own();
        app.window.routing.install(&cc.egui_ctx);
        app.painting.brush = app.program.preferences.brush.clamped();
        app.files.pictures = app.program.preferences.pictures.clone();
        if let Some(text) = app.program.preferences.layout.as_deref() {
            app.panels.set_layout(Layout::from_text(text));
        }
        app.show_settings(&cc.egui_ctx);
        match file {
            Some(path) => app.open(&cc.egui_ctx, path),
            None if app.program.preferences.started => app.show_welcome(&cc.egui_ctx),
            None => {
                app.open_sample(&cc.egui_ctx);
                app.program.tour = Some(0);
            }
        }
        app.program.preferences.started = true;
        app.files.journal_home = app.journal_home();
        if app.program.keeps {
            fault::watch();
            app.look_for_recoveries(&cc.egui_ctx);
        }
        app
    }

    /// What of the view is shown, for tests.
    pub const fn options(&self) -> ViewOptions {
        self.viewport.options
    }

    /// What kind of work the window is set to, for tests.
    pub const fn mode(&self) -> Mode {
        self.mode
    }

    /// The joint under the pointer, for tests.
    pub const fn hovered(&self) -> Option<NodeId> {
        self.outliner.hover
    }

    /// The open file, for tests and scripts.
    pub const fn session(&self) -> Option<&Session> {
        self.session.as_ref()
    }

    /// The pose that is seen, for tests.
    pub const fn shown_pose(&self) -> &ulna_motion::Pose {
        self.renderer.pose()
    }

    /// The eye.
    pub const fn camera(&self) -> &ulna_render::Camera {
        &self.viewport.camera
    }

    /// The keys and the mouse of another program.
    pub fn set_key_preset(&mut self, preset: ulna_edit::Preset) {
        self.program.settings.keys.set_preset(preset);
    }

    /// What is selected, for tests and scripts.
    pub const fn selection(&self) -> &Selection {
        &self.outliner.selection
    }

    /// The selected keys of the clip or layer that the timeline shows, for tests and scripts.
    pub fn selected_keys(&self) -> &KeySet {
        self.outliner.selection.keys_of(self.keys_home())
    }

    /// The clock, for tests and scripts.
    pub const fn playback(&self) -> &Playback {
        &self.timeline.playback
    }

    /// The brush, for tests and scripts.
    pub const fn brush(&self) -> &ulna_weights::Brush {
        &self.painting.brush
    }

    /// Whether long work is under way.
    pub fn is_busy(&self) -> bool {
        self.jobs.is_busy() || self.is_saving() || !self.jobs.worked.is_empty()
    }

    /// Replaces the disk that saves and exports are written to, for tests: by a slow one, or one
    /// that fails.
    pub fn set_disk(&mut self, disk: std::sync::Arc<dyn ulna_session::Disk>) {
        self.files.disk = disk;
    }

    /// A point of the scene on the viewport's picture, in the picture's points: where to click, for
    /// tests and scripts.
    pub fn project(&self, node: NodeId) -> Option<glam::Vec2> {
        let at = self.renderer.pose().world.get(node.index())?.w_axis.truncate();
        self.viewport.camera.project(at, self.renderer.size()).map(|(p, _)| p)
    }

    fn toast(&mut self, ctx: &Context, kind: ToastKind, text: impl Into<String>) {
        let text = text.into();
        if kind == ToastKind::Error {
            log::warn!("{text}");
        }
        self.say(ctx, kind, text, Vec::new());
    }

    /// A message with what can be done about it.
    fn say(
        &mut self,
        ctx: &Context,
        kind: ToastKind,
        text: String,
        verbs: Vec<(&'static str, Action)>,
    ) {
        self.dialogs.say(ctx.input(|i| i.time), kind, text, verbs);
        ctx.request_repaint();
    }

    fn availability(&self) -> Availability {
        let Some(session) = &self.session else { return Availability::default() };
        Availability {
            nodes: self.outliner.selection.nodes.len(),
            keys: self.selected_keys().len(),
            clip_shown: self.shows().is_some(),
            painting: self.mode == Mode::Paint,
            joint: self.painting.has_joint(),
            vertices: self.painting.vertices.len(),
            pose_layers: self
                .layers_view()
                .home
                .map_or(0, |home| session.document().aids.layers(home).0.len()),
            ..session.availability()
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
            && !self.renderer.is_lost()
        {
            self.take_fault(&ctx, payload);
        }
        if self.leaves(&ctx) {
            // Painting them would ask more of the device than is left of it.
            ctx.graphics_mut(|layers| *layers = egui::layers::GraphicLayers::default());
        }
    }

    fn save(&mut self, storage: &mut dyn eframe::Storage) {
        self.program.preferences.shown = self.viewport.options;
        self.program.preferences.brush = self.painting.brush;
        self.program.preferences.pictures = self.files.pictures.clone();
        self.program.preferences.settings = self.program.settings.clone();
        self.program.preferences.layout = self.panels.layout().to_text();
        self.program.preferences.store(storage);
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
        self.program.theme.color(ColorRole::SurfacePanel).to_normalized_gamma_f32()
    }
}
