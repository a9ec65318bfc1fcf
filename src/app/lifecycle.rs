//! Lifecycle of the program: launch, frames, storage, and moving to another window.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    path::PathBuf,
};

use egui::{Context, Ui};

use super::{
    App,
    binding::Binding,
    fault,
    files::{Files, has_system_dialogs},
    handlers::{BalanceState, PathState, PosePictures},
    jobs::Jobs,
    planning::Planning,
    problems::Problems,
    program::Program,
    recent::RecentList,
    references::References,
    rig_mode::RigMode,
    save_queue::SaveQueue,
    viewport_renderer::ViewportRenderer,
    window_state::{Leaving, WindowState},
};
use crate::ui::{
    Dialogs, Layers, Mode, Outliner, PaintDomain, Panels, Poses, Timeline, ToastKind, Viewport,
};
use ulna_render::ColorRole;

impl App {
    /// Creates the program. It opens `file`, or the welcome page if there is none. The first launch
    /// opens the sample and the tour instead.
    pub fn new(cc: &eframe::CreationContext<'_>, file: Option<PathBuf>) -> Self {
        let program = Program::load(cc);
        let viewport = Viewport { options: program.preferences.shown, ..Viewport::default() };
        let mut app = Self {
            session: None,
            mode: Mode::default(),
            outliner: Outliner::default(),
            timeline: Timeline::default(),
            layers: Layers::default(),
            viewport,
            painting: PaintDomain::default(),
            poses: Poses::default(),
            pose_pictures: PosePictures::default(),
            balance: BalanceState::default(),
            paths: PathState::default(),
            ghosts_asked: None,
            problems: Problems::default(),
            dialogs: Dialogs::default(),
            files: Files { system_dialogs: has_system_dialogs(cc), ..Files::default() },
            program,
            window: WindowState::default(),
            panels: Panels::default(),
            renderer: ViewportRenderer::new(cc.wgpu_render_state.clone()),
            jobs: Jobs::default(),
            planning: Planning::default(),
            rig: RigMode::default(),
            binding: Binding::default(),
            retargeting: None,
            retarget_kept: None,
            references: References::default(),
            saves: SaveQueue::default(),
        };
        app.load_own();
        app.window.routing.install(&cc.egui_ctx);
        app.painting.options.brush = app.program.preferences.brush.clamped();
        app.files.pictures = app.program.preferences.pictures.clone();
        app.load_arrangement();
        app.show_settings(&cc.egui_ctx);
        match file {
            Some(path) => app.open(&cc.egui_ctx, path),
            None if app.program.preferences.started => app.show_welcome(&cc.egui_ctx),
            None => {
                app.open_sample(&cc.egui_ctx);
                app.open_tour();
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

    /// Starts to move to another window if this one can no longer be drawn to. Returns whether it
    /// is being left.
    pub(super) fn leaves(&mut self, ctx: &Context) -> bool {
        if self.window.leaving.is_none()
            && (self.renderer.is_lost() || self.program.devices.is_surface_lost())
        {
            self.leave(ctx, Leaving::Lost);
        }
        self.window.leaving.is_some()
    }

    pub(super) fn leave(&mut self, ctx: &Context, why: Leaving) {
        self.window.leaving = Some(why);
        // An incomplete gesture must not remain.
        if let Some(session) = &mut self.session {
            session.cancel();
        }
        self.painting.drop_stroke();
        self.panels.end_gestures();
        ctx.send_viewport_cmd(egui::ViewportCommand::Close);
        ctx.request_repaint();
    }

    /// Continues in another window and on its device. The document, history, selection, view and
    /// panels stay the same.
    pub fn reopen(&mut self, ctx: &Context, state: Option<egui_wgpu::RenderState>) {
        let why = self.window.leaving.take();
        self.renderer.reopen(state);
        self.files.picture_apart = Default::default();
        self.files.retarget_pictures = Default::default();
        for page in [&mut self.retargeting, &mut self.retarget_kept].into_iter().flatten() {
            page.forget_pictures();
        }
        if let Some(arriving) = &mut self.files.arriving {
            arriving.forget_picture();
        }
        self.show_settings(ctx);
        // Textures belong to the old window.
        self.program.recent = RecentList::default();
        self.program.recent.refresh(ctx, &self.program.preferences.recent);
        self.show_recoveries(ctx);
        self.program.taking = None;
        // The clock of the new window starts at zero.
        (
            self.window.active,
            self.viewport.transition,
            self.outliner.hover,
            self.viewport.last_pick,
        ) = (0.0, None, None, None);
        for toast in &mut self.dialogs.toasts {
            toast.since = 0.0;
        }
        self.window.first_frame = true;
        self.show_title(ctx);
        self.restore_scene(ctx);
        let device = self.renderer.device().to_owned();
        let text = match why {
            Some(Leaving::Switch) => format!("The window now uses {device}"),
            _ => format!(
                "The graphics device was lost; the window now uses {device}. Your work is \
                not affected"
            ),
        };
        self.toast(ctx, ToastKind::Note, text);
    }
}

impl eframe::App for App {
    fn ui(&mut self, ui: &mut Ui, frame: &mut eframe::Frame) {
        let ctx = ui.ctx().clone();
        if self.leaves(&ctx) {
            return;
        }
        let whole = AssertUnwindSafe(|| self.whole_frame(ui, frame));
        if let Err(payload) = catch_unwind(whole)
            && !self.renderer.is_lost()
        {
            self.take_fault(&ctx, payload);
        }
        if self.leaves(&ctx) {
            // Painting shapes would need a working device.
            ctx.graphics_mut(|layers| *layers = egui::layers::GraphicLayers::default());
        }
    }

    fn save(&mut self, storage: &mut dyn eframe::Storage) {
        self.program.preferences.shown = self.viewport.options;
        self.program.preferences.brush = self.painting.options.brush;
        self.program.preferences.pictures = self.files.pictures.clone();
        self.program.preferences.settings = self.program.settings.clone();
        self.keep_arrangement();
        self.program.preferences.store(storage);
    }

    fn persist_egui_memory(&self) -> bool {
        // Scroll positions belong to one file, and the arrangement of panels is stored separately.
        false
    }

    fn on_exit(&mut self) {
        // The user was already asked about unsaved work.
        self.end_journal();
    }

    fn clear_color(&self, _: &egui::Visuals) -> [f32; 4] {
        // Clearing with the panel color is cheaper than a background rectangle per panel.
        self.program.theme.color(ColorRole::SurfacePanel).to_normalized_gamma_f32()
    }
}
