//! Connects the *Bind* panel to the window: opening it, and applying or discarding its result.

use egui::Context;

use super::{App, binding::Binding, jobs::Title, painting::spell, viewport_renderer::Painted};
use crate::ui::{BindDraft, ClipUse, Dialog, Mode, RebindDraft, SelectedVertices, TrialPose};
use ulna_model::{ClipId, NodeId};

impl App {
    /// Opens the *Bind* panel for the selected meshes, or for all meshes if none is selected.
    pub(super) fn ask_bind(&mut self) {
        let (vertices, locked) = (self.selected_vertices(), self.locked_joints());
        let moment = self.moment();
        if self.mode.spec().paints_weights {
            // The panel colors the surface itself, so Paint mode is left.
            let over_clip = self.shown_clip().is_some();
            self.mode = if over_clip { Mode::FOR_CLIPS } else { Mode::WITHOUT_CLIPS };
        }
        let Some(session) = &self.session else { return };
        let selected: Vec<NodeId> = self.selection().nodes.iter().copied().collect();
        let in_file = &self.renderer.pose().hidden;
        let is_visible = |node| !self.outliner.visibility.hides(node, in_file);
        let draft = BindDraft::of(session.document(), &selected, is_visible, moment);
        let only_vertices = vertices.is_some();
        let draft = BindDraft { vertices, only_vertices, locked, ..draft };
        self.dialogs.open = Some(Dialog::Bind { draft: Box::new(draft) });
    }

    /// Opens the dialog that chooses the pose for rebinding skinned meshes.
    pub(super) fn ask_rebind(&mut self) {
        let Some(session) = &self.session else { return };
        let selected: Vec<NodeId> = self.selection().nodes.iter().copied().collect();
        let draft = RebindDraft::of(session.document(), &selected, self.moment());
        self.dialogs.open = Some(Dialog::Rebind { draft: Box::new(draft) });
    }

    /// The current clip and time, if the mode can show a clip.
    fn moment(&self) -> Option<(ClipId, f64)> {
        let playback = &self.timeline.playback;
        let uses_clip = self.mode.spec().clip != ClipUse::Never;
        playback.clip.filter(|_| uses_clip).map(|clip| (clip, playback.time))
    }

    /// The vertices selected in Paint mode; `None` in other modes.
    fn selected_vertices(&self) -> Option<SelectedVertices> {
        let painted = self.painting.session().filter(|_| self.mode.spec().selects_vertices)?;
        let all = self.painting.vertices();
        let of_part = |part: &ulna_weights::SurfacePart| {
            let own = all.iter().filter(|v| (part.first..part.first + part.count).contains(v));
            let own: Vec<u32> = own.map(|v| v - part.first).collect();
            let (mesh, primitive) = (part.mesh.0, part.primitive.0);
            (!own.is_empty()).then(|| format!("{mesh}/{primitive}: {}", spell(&own)))
        };
        let terms: Vec<String> = painted.surface.parts().iter().filter_map(of_part).collect();
        (!terms.is_empty()).then(|| SelectedVertices { count: all.len(), terms: terms.join("; ") })
    }

    /// Joints that are locked in Paint mode and still exist.
    fn locked_joints(&self) -> Vec<NodeId> {
        let Some(session) = &self.session else { return Vec::new() };
        let is_there = |node: &NodeId| session.document().nodes.contains(*node);
        self.painting.options.locked.iter().copied().filter(is_there).collect()
    }

    /// The settings of the open *Bind* panel; `None` if it is closed.
    fn bind_draft(&self) -> Option<&BindDraft> {
        match &self.dialogs.open {
            Some(Dialog::Bind { draft }) => Some(draft),
            _ => None,
        }
    }

    /// Computes, shows and tests the bind while the *Bind* panel is open.
    pub(super) fn follow_bind(&mut self, ctx: &Context) {
        let (Some(Dialog::Bind { draft }), Some(session)) = (&mut self.dialogs.open, &self.session)
        else {
            self.leave_bind();
            return;
        };
        draft.purge(session.document());
        if let TrialPose::Clip(clip) = draft.trial.pose
            && self.timeline.playback.clip != Some(clip)
        {
            self.timeline.playback.show(session.document(), Some(clip));
        }
        if std::mem::take(&mut draft.trial.starts) {
            self.timeline.playback.seek(0.0);
            self.timeline.playback.playing = true;
        }
        let active = self.outliner.selection.active;
        self.binding.follow(ctx, session, draft, &mut self.renderer, active);
        self.apply_found_bind(ctx);
    }

    /// Shows the document again after the *Bind* panel was closed.
    fn leave_bind(&mut self) {
        if self.binding.is_idle() {
            return;
        }
        if let Some(session) = &self.session {
            self.binding.hide(session, &mut self.renderer);
        }
        self.binding = Binding::default();
    }

    /// Hides a bind that was computed for another state of the document.
    pub(super) fn drop_stale_bind(&mut self) {
        if let Some(session) = &self.session {
            self.binding.drop_stale(session, &mut self.renderer);
        }
    }

    /// Applies the bind as soon as its weights are computed.
    pub(super) fn apply_bind(&mut self, ctx: &Context) {
        self.end_gesture(ctx);
        self.binding.apply();
        self.apply_found_bind(ctx);
        ctx.request_repaint();
    }

    fn apply_found_bind(&mut self, ctx: &Context) {
        if let Some(worked) = self.binding.take_applied() {
            self.leave_bind();
            self.dialogs.open = None;
            self.jobs.worked.push_back((worked, Title::from("Bind meshes")));
            self.put_in_worked(ctx);
        }
    }

    /// Measures the quality of the bind in the displayed pose, unless a clip plays.
    pub(super) fn measure_bind(&mut self, ctx: &Context) {
        if let Some(Dialog::Bind { draft }) = &self.dialogs.open
            && !self.timeline.playback.playing
        {
            self.binding.measure(ctx, draft, &self.renderer);
        }
    }

    /// True if the *Bind* panel colors the meshes.
    pub(super) fn colors_bind(&self) -> bool {
        let scene = self.renderer.scene_serial();
        self.bind_draft().is_some_and(|draft| self.binding.wanted_colors(draft, scene).is_some())
    }

    /// Updates the colors of the meshes.
    pub(super) fn color_bind(&mut self) {
        let draft = match &self.dialogs.open {
            Some(Dialog::Bind { draft }) => Some(&**draft),
            _ => None,
        };
        self.binding.color(draft, &mut self.renderer);
    }

    /// Colors that the renderer should show for the bind.
    pub(super) fn bind_colors(&self) -> Option<Painted> {
        self.binding.painted()
    }
}
