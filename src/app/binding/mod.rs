//! The computation behind the *Bind* panel. Weights are computed in the background, shown in the
//! viewport in place of the document, tested in poses, and applied as one step.

mod colors;
mod numbers;
mod trial;

use egui::Context;

use self::{
    colors::{ColoredBy, color},
    numbers::Measuring,
    trial::Trial,
};
use super::{
    viewport_renderer::{DisplayedClip, Painted, ShownDocument, ViewportRenderer},
    work_ahead::{Pace, WorkAhead},
};
use crate::ui::{Beside, BindDraft, BindForeseen, BindView, TrialColors, TrialPose};
use ulna_edit::{
    Change, Command,
    command::{BindJoint, bind_joints, field::ChooseJoints},
};
use ulna_model::{Clip, ClipId, Document, NodeId, Shared, SkinId};
use ulna_motion::Averaging;
use ulna_render::TintKind;
use ulna_session::{Session, Worked};

/// Delay in seconds between a change of settings and the computation of weights.
const SETTLED: f64 = 0.3;
/// Number of points of the simplified surface that is used while parameters are dragged.
const COARSE: usize = 3_000;
/// Maximum number of vertices for which the joints are chosen within one frame.
const FEW_VERTICES: usize = 2_000;

/// Commands of a bind, and the document generation that they apply to.
type BindOf = (Vec<Command>, u64);

/// State of the bind in the *Bind* panel.
#[derive(Default)]
pub(super) struct Binding {
    ahead: WorkAhead<BindOf>,
    /// Computation on a simplified surface, used while parameters are dragged.
    coarse: WorkAhead<BindOf>,
    /// Joints to bind to, by document generation and meshes.
    chosen: Beside<(u64, Vec<NodeId>), Vec<BindJoint>>,
    /// The last computed joints.
    joints: Vec<BindJoint>,
    /// True if `joints` matches the currently selected meshes.
    are_joints_current: bool,
    foreseen: Option<BindForeseen>,
    preview: Option<BindPreview>,
    /// Document with the previous bind on the whole surface, for comparison.
    previous: Option<Document>,
    /// Document that the viewport shows in place of the session's document.
    in_view: Option<Document>,
    /// Serial number of the shown preview; `None` if the viewport shows the session's document.
    shown: Option<u64>,
    trial: Trial,
    measuring: Measuring,
    /// Inputs of the current mesh colors; `None` if the meshes show their materials.
    colored: Option<ColoredBy>,
}

/// A document with a computed bind.
struct BindPreview {
    document: Document,
    /// Generation of the document that the bind was computed for.
    generation: u64,
    serial: u64,
    /// True if the bind was computed on a simplified surface.
    is_coarse: bool,
}

impl Binding {
    /// True while joints, weights or measurements are being computed.
    pub(super) fn is_busy(&self) -> bool {
        let is_choosing = self.trial.is_open() && !self.are_joints_current;
        is_choosing || self.ahead.is_busy() || self.measuring.is_busy()
    }

    /// State of the bind for the panel.
    pub(super) fn view(&self) -> BindView<'_> {
        BindView {
            joints: &self.joints,
            are_joints_current: self.are_joints_current,
            found: self.foreseen.as_ref(),
            is_current: self.ahead.is_current(),
            is_computing: self.ahead.is_busy(),
            progress: self.ahead.progress(),
            is_canceled: self.ahead.is_canceled(),
            is_shown: self.shown.is_some(),
            numbers: self.measuring.numbers(),
            bent: self.trial.bent(),
            length: self.trial.length(),
            is_coarse: self.preview.as_ref().is_some_and(|preview| preview.is_coarse),
        }
    }

    /// Document to display in the viewport, with the bind if one is shown.
    pub(super) fn seen<'a>(&'a self, session: &'a Session) -> &'a Document {
        match &self.preview {
            Some(preview) if self.shown.is_some() => &preview.document,
            _ => session.document(),
        }
    }

    /// Document to display, in the form that the renderer needs.
    pub(super) fn shown_document<'a>(&'a self, session: &'a Session) -> ShownDocument<'a> {
        ShownDocument {
            document: self.seen(session),
            opened: session.opened(),
            generation: session.generation(),
        }
    }

    /// The test pose; `None` while the panel is closed.
    pub(super) const fn trial(&self) -> Option<&Trial> {
        if self.trial.is_open() { Some(&self.trial) } else { None }
    }

    /// Marks the bind as not shown, because a new scene shows the session's document.
    pub(super) fn scene_was_made(&mut self) {
        (self.shown, self.in_view) = (None, None);
    }

    /// True if no bind was computed and the panel is closed.
    pub(super) const fn is_idle(&self) -> bool {
        self.ahead.is_idle() && !self.trial.is_open()
    }

    /// Computes, shows and tests the bind of the panel's settings. `active` is the active node.
    pub(super) fn follow(
        &mut self,
        ctx: &Context,
        session: &Session,
        draft: &BindDraft,
        renderer: &mut ViewportRenderer,
        active: Option<NodeId>,
    ) {
        self.work_out(ctx, session, draft);
        self.show(session, renderer);
        let state = (session.generation(), self.shown);
        let seen = match &self.preview {
            Some(preview) if self.shown.is_some() => &preview.document,
            _ => session.document(),
        };
        self.trial.follow(seen, state, (draft, &self.joints), active);
    }

    /// Shows the computed bind in place of the document. Without a bind, shows the document.
    fn show(&mut self, session: &Session, renderer: &mut ViewportRenderer) {
        let generation = session.generation();
        let Some(preview) = self.preview.as_ref().filter(|p| p.generation == generation) else {
            self.hide(session, renderer);
            return;
        };
        if self.shown == Some(preview.serial) {
            return;
        }
        let before = self.in_view.as_ref().unwrap_or(session.document());
        let changes = reweighed(before, &preview.document);
        renderer.show_in_place(&preview.document, &changes);
        (self.shown, self.in_view) = (Some(preview.serial), Some(preview.document.clone()));
    }

    /// Shows the document instead of the previewed bind.
    pub(super) fn hide(&mut self, session: &Session, renderer: &mut ViewportRenderer) {
        if let Some(seen) = self.in_view.take() {
            let changes = reweighed(&seen, session.document());
            renderer.show_in_place(session.document(), &changes);
            self.shown = None;
        }
    }

    /// Hides a bind that was computed for another state of the document.
    pub(super) fn drop_stale(&mut self, session: &Session, renderer: &mut ViewportRenderer) {
        if self.shown.is_some() && self.generation() != Some(session.generation()) {
            self.hide(session, renderer);
        }
    }

    /// Applies the bind as soon as its weights are computed.
    pub(super) fn apply(&mut self) {
        self.ahead.apply();
    }

    /// Cancels the computation. The last computed bind remains.
    pub(super) fn cancel(&mut self) {
        self.ahead.cancel();
    }

    /// Returns the result to apply, once it is computed.
    pub(super) fn take_applied(&mut self) -> Option<Box<Worked>> {
        self.ahead.take_applied()
    }

    /// Inputs of the colors that the settings request. `scene` is the serial number of the scene.
    pub(super) fn wanted_colors(&self, draft: &BindDraft, scene: u64) -> Option<ColoredBy> {
        let shown = self.shown?;
        let joint = match draft.trial.colors {
            TrialColors::Materials => return None,
            TrialColors::Weights => Some(self.trial.joint()?),
            TrialColors::Method => None,
        };
        Some((shown, scene, joint))
    }

    /// Updates the colors of the meshes.
    pub(super) fn color(&mut self, draft: Option<&BindDraft>, renderer: &mut ViewportRenderer) {
        let scene = renderer.scene_serial();
        let wanted = draft.and_then(|draft| self.wanted_colors(draft, scene));
        if self.colored == wanted {
            return;
        }
        self.colored = wanted;
        if let (Some((.., joint)), Some(preview)) = (wanted, &self.preview) {
            let report = self.foreseen.as_ref().and_then(|found| found.report.as_ref());
            let nodes = draft.map_or_else(Vec::new, BindDraft::nodes);
            color(renderer, &preview.document, report, &nodes, joint);
        }
    }

    /// Colors that the renderer should show; `None` for materials.
    pub(super) fn painted(&self) -> Option<Painted> {
        let (.., joint) = self.colored?;
        let tint = if joint.is_some() { TintKind::Heat } else { TintKind::Colors };
        Some(Painted { tint: Some(tint), edges: false })
    }

    /// Measures the quality of the bind in the displayed pose.
    pub(super) fn measure(
        &mut self,
        ctx: &Context,
        draft: &BindDraft,
        renderer: &ViewportRenderer,
    ) {
        let Some(preview) = self.preview.as_ref().filter(|_| self.shown.is_some()) else {
            self.measuring.forget();
            return;
        };
        let of = (preview.serial, renderer.pose_serial());
        let documents = (self.previous.as_ref(), &preview.document);
        let turned = self.trial.turned();
        self.measuring.follow(ctx, of, documents, (&draft.nodes(), &turned), renderer.pose());
    }

    /// Clip to display while the panel is open. The outer `None` means that the panel is closed,
    /// the inner `None` that a pose is tested.
    pub(super) fn clip(
        &self,
        document: &Document,
        between: Averaging,
    ) -> Option<Option<DisplayedClip>> {
        let trial = self.trial()?;
        let shown = |key: Option<ClipId>, clip: &Shared<Clip>, preview| DisplayedClip {
            key,
            clip: clip.clone(),
            preview,
            unkeyed: None,
            mix: None,
            between,
        };
        Some(match trial.pose() {
            TrialPose::Rest | TrialPose::Bend => None,
            TrialPose::Range => trial.range().map(|(clip, serial)| shown(None, clip, serial)),
            TrialPose::Clip(id) => document.clips.get(id).map(|clip| shown(Some(id), clip, 0)),
        })
    }

    /// Starts to compute the joints and weights that the settings request.
    fn work_out(&mut self, ctx: &Context, session: &Session, draft: &BindDraft) {
        let (document, generation) = (session.document(), session.generation());
        let nodes = draft.nodes();
        let meshes = nodes.iter().filter_map(|n| document.node(*n).mesh);
        let vertices: usize = meshes.map(|mesh| document.mesh(mesh).vertex_count()).sum();
        // `Beside` chooses the thread by a number of keys. The largest number selects another
        // thread.
        let size = if vertices > FEW_VERTICES { usize::MAX } else { 0 };
        let found = self.chosen.update(ctx, (generation, nodes.clone()), size, || {
            let (document, candidates) = (document.clone(), draft.candidates(document));
            move || bind_joints(&document, &nodes, &candidates, ChooseJoints::Weights)
        });
        self.are_joints_current = found.is_some();
        let Some(joints) = found else {
            self.ahead.want_nothing();
            return;
        };
        if self.joints != *joints {
            self.joints.clone_from(joints);
        }
        match draft.commands(document, &self.joints) {
            Ok(commands) => self.ahead.want((commands, generation), ctx.input(|i| i.time)),
            Err(_) => self.ahead.want_nothing(),
        }
        self.work_coarsely(ctx, session, draft);
        let is_found = self.ahead.poll();
        let label = draft.step_label(document);
        let pace = Pace { settled: SETTLED, is_first_late: false, label: &label };
        let is_refused =
            self.ahead.follow(ctx, session, &pace, |(commands, _)| Ok(commands.clone()));
        if is_found || is_refused {
            self.take_found(false);
        }
    }

    /// Computes weights on a simplified surface while a parameter is dragged. Each computation runs
    /// to its end, until the result on the whole surface is ready.
    fn work_coarsely(&mut self, ctx: &Context, session: &Session, draft: &BindDraft) {
        let is_dragged = ctx.input(|i| i.pointer.any_down());
        if self.ahead.is_current() || self.preview.is_none() {
            self.coarse.want_nothing();
            return;
        }
        if self.coarse.poll() {
            self.take_found(true);
        }
        if is_dragged && !self.coarse.is_busy() {
            let (document, generation) = (session.document(), session.generation());
            let Ok(commands) = draft.commands_on(document, &self.joints, Some(COARSE)) else {
                return;
            };
            self.coarse.want((commands, generation), ctx.input(|i| i.time));
        }
        let pace = Pace { settled: 0.0, is_first_late: false, label: "" };
        self.coarse.follow(ctx, session, &pace, |(commands, _)| Ok(commands.clone()));
    }

    /// Stores the result of the last bind for display.
    fn take_found(&mut self, is_coarse: bool) {
        let ahead = if is_coarse { &self.coarse } else { &self.ahead };
        // Errors are only taken from the bind on the whole surface.
        let is_useful = |worked: bool| worked || !is_coarse;
        let Some(found) = ahead.found().filter(|f| is_useful(f.worked.is_ok())) else { return };
        self.foreseen = Some(match &found.worked {
            Ok(worked) => BindForeseen::of(worked, found.seconds),
            Err(why) => BindForeseen::refused(why.clone()),
        });
        let worked = found.worked.as_ref().ok();
        let changed = worked.filter(|worked| matches!(worked.effects(), Ok((true, _))));
        let Some(document) = changed.and_then(|worked| worked.document_after()) else { return };
        let serial = self.preview.as_ref().map_or(1, |preview| preview.serial + 1);
        let (document, generation) = (document.clone(), found.of.1);
        let next = BindPreview { document, generation, serial, is_coarse };
        // A bind of an older document state cannot be compared with this one.
        match self.preview.replace(next).filter(|before| before.generation == generation) {
            Some(before) if before.is_coarse => {}
            before => self.previous = before.map(|before| before.document),
        }
    }

    /// Document generation of the preview's bind.
    fn generation(&self) -> Option<u64> {
        self.preview.as_ref().map(|preview| preview.generation)
    }
}

/// Surfaces whose weights or skins differ between two documents with the same meshes.
pub(in crate::app) fn reweighed(before: &Document, after: &Document) -> Vec<Change> {
    let mut changes = Vec::new();
    for node in after.shown_nodes() {
        let about = after.node(node);
        let Some(mesh) = about.mesh else { continue };
        let was = before.nodes.get(node).filter(|was| was.mesh == Some(mesh));
        let (Some(was), Some(old)) = (was, before.meshes.get(mesh)) else { continue };
        let skin = |document: &Document, skin: Option<SkinId>| {
            skin.and_then(|skin| document.skins.get(skin).cloned())
        };
        let is_other = skin(before, was.skin) != skin(after, about.skin);
        for (primitive, new) in after.mesh(mesh).entries() {
            let Some(old) = old.primitives.get(primitive.index()) else { continue };
            if is_other || old.weights != new.weights {
                changes.push(Change::Weights { mesh, primitive, vertices: None });
            }
        }
    }
    changes
}
