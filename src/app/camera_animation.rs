//! Animated transitions of the camera, and applying the preferences that affect the view.

use egui::Context;

use super::App;
use crate::ui::{Settings, Theme};
use ulna_render::Camera;

/// Duration of a camera transition, in seconds.
const GLIDE: f64 = 0.18;

impl App {
    /// Starts a transition of the camera to another view. It is instant if motion is reduced.
    pub(super) fn begin_transition(&mut self, ctx: &Context, mut camera: Camera) {
        if self.program.settings.reduce_motion {
            self.viewport.camera = camera;
            return;
        }
        // The rotation takes the shorter direction.
        let tau = std::f32::consts::TAU;
        let turn = (camera.yaw - self.viewport.camera.yaw) / tau;
        camera.yaw -= turn.round() * tau;
        let now = ctx.input(|i| i.time);
        self.viewport.transition = Some((self.viewport.camera, camera, now));
        ctx.request_repaint();
    }

    /// Moves the camera one frame along its transition.
    pub(super) fn step_transition(&mut self, ctx: &Context) {
        let Some((from, to, since)) = self.viewport.transition else { return };
        let t = ((ctx.input(|i| i.time) - since) / GLIDE).clamp(0.0, 1.0) as f32;
        if t >= 1.0 {
            self.viewport.camera = to;
            self.viewport.camera.yaw = to.yaw.rem_euclid(std::f32::consts::TAU);
            self.viewport.transition = None;
            return;
        }
        self.viewport.camera = from.toward(&to, 1.0 - (1.0 - t).powi(3));
        ctx.request_repaint();
    }

    /// Applies changed preferences.
    pub(super) fn set_settings(&mut self, ctx: &Context, settings: Settings) {
        self.program.settings = settings.clamped();
        self.show_settings(ctx);
    }

    /// Applies the theme's colors and the chosen background to the viewport.
    pub(super) fn show_colors(&mut self) {
        let gray = self.viewport.options.background.gray();
        self.renderer.set_colors(self.program.theme.name(), gray);
    }

    /// Applies the preferences to the window.
    pub(super) fn show_settings(&mut self, ctx: &Context) {
        self.program.theme = Theme::of(ctx, self.program.settings.theme);
        self.program.theme.show(ctx);
        self.show_colors();
        self.viewport.camera.fov = self.program.settings.fov.to_radians();
        let glides = if self.program.settings.reduce_motion { 0.0 } else { 0.08 };
        ctx.all_styles_mut(|style| style.animation_time = glides);
        self.fit_scale(ctx);
    }

    /// Scales the user interface as preferred, or less if the window is too small.
    pub(super) fn fit_scale(&self, ctx: &Context) {
        let now = ctx.zoom_factor();
        let size = ctx.content_rect().size() * now;
        let scale = self.program.settings.scale_in(size);
        if (scale - now).abs() > 1e-3 {
            ctx.set_zoom_factor(scale);
        }
    }
}
