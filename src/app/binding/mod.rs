//! The panel *Bind*: weights are worked out beside the window, shown in the viewport in place of
//! the document, tried in poses, and applied as one step.

mod colors;
mod numbers;
mod trial;

use egui::Context;

use self::{colors::ColoredBy, numbers::Measuring, trial::Trial};
use super::{
    App,
    jobs::Title,
    painting::spell,
    viewport_renderer::{DisplayedClip, ShownDocument},
    work_ahead::{Pace, WorkAhead},
};
use crate::ui::{
    Beside, BindDraft, BindForeseen, BindView, ClipUse, Dialog, Mode, RebindDraft,
    SelectedVertices, TrialPose,
};
use ulna_edit::{
    Change, Command,
    command::{BindJoint, bind_joints, field::ChooseJoints},
};
use ulna_model::{ClipId, Document, NodeId, Shared};
use ulna_session::Session;

/// Seconds after a change of the choices until weights are worked out.
const SETTLED: f64 = 0.3;
/// Vertices up to which the joints are chosen within a frame.
const FEW_VERTICES: usize = 2_000;

/// The commands of a bind, and the generation of the document.
type BindOf = (Vec<Command>, u64);

/// The bind of the panel *Bind*.
#[derive(Default)]
pub(super) struct Binding {
    ahead: WorkAhead<BindOf>,
    /// Joints to bind to, by the generation and the meshes.
    chosen: Beside<(u64, Vec<NodeId>), Vec<BindJoint>>,
    /// The joints that were found last.
    joints: Vec<BindJoint>,
    /// Whether they belong to the meshes as they are chosen.
    are_joints_current: bool,
    foreseen: Option<BindForeseen>,
    preview: Option<BindPreview>,
    /// The document with the bind before the last one.
    previous: Option<Document>,
    /// Serial of the preview that the viewport shows; `None` where it shows the document.
    shown: Option<u64>,
    trial: Trial,
    measuring: Measuring,
    /// What the meshes are colored by.
    colored: Option<ColoredBy>,
}

/// A document with a bind that was worked out.
struct BindPreview {
    document: Document,
    /// Generation of the document that it was worked out on.
    generation: u64,
    serial: u64,
}

impl Binding {
    /// Whether joints, weights or numbers are being worked out.
    pub(super) fn is_busy(&self) -> bool {
        let is_choosing = self.trial.is_open() && !self.are_joints_current;
        is_choosing || self.ahead.is_busy() || self.measuring.is_busy()
    }

    /// The bind as the panel shows it.
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
        }
    }

    /// The document that the viewport shows: with the bind, where one is shown.
    pub(super) fn seen<'a>(&'a self, session: &'a Session) -> &'a Document {
        match &self.preview {
            Some(preview) if self.shown.is_some() => &preview.document,
            _ => session.document(),
        }
    }

    /// The same for the renderer.
    pub(super) fn shown_document<'a>(&'a self, session: &'a Session) -> ShownDocument<'a> {
        ShownDocument {
            document: self.seen(session),
            opened: session.opened(),
            generation: session.generation(),
        }
    }

    /// The trial, while the panel is open.
    pub(super) const fn trial(&self) -> Option<&Trial> {
        if self.trial.is_open() { Some(&self.trial) } else { None }
    }

    /// Another scene shows the document itself: the bind is to be shown in it again.
    pub(super) const fn scene_was_made(&mut self) {
        self.shown = None;
    }

    /// Works out the joints and the weights that a draft asks for.
    fn work_out(&mut self, ctx: &Context, session: &Session, draft: &BindDraft) {
        let (document, generation) = (session.document(), session.generation());
        let nodes = draft.nodes();
        let meshes = nodes.iter().filter_map(|n| document.node(*n).mesh);
        let vertices: usize = meshes.map(|mesh| document.mesh(mesh).vertex_count()).sum();
        // The other measure of `Beside` is the number of keys.
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
        let is_found = self.ahead.poll();
        let label = draft.step_label(document);
        let pace = Pace { settled: SETTLED, is_first_late: false, label: &label };
        let is_refused =
            self.ahead.follow(ctx, session, &pace, |(commands, _)| Ok(commands.clone()));
        if is_found || is_refused {
            self.take_found();
        }
    }

    /// Takes up the bind that was found last.
    fn take_found(&mut self) {
        let Some(found) = self.ahead.found() else { return };
        self.foreseen = Some(match &found.worked {
            Ok(worked) => BindForeseen::of(worked, found.seconds),
            Err(why) => BindForeseen::refused(why.clone()),
        });
        let worked = found.worked.as_ref().ok();
        let changed = worked.filter(|worked| matches!(worked.effects(), Ok((true, _))));
        let Some(document) = changed.and_then(|worked| worked.document_after()) else { return };
        let serial = self.preview.as_ref().map_or(1, |preview| preview.serial + 1);
        let next = BindPreview { document: document.clone(), generation: found.of.1, serial };
        // A bind of another state of the document says nothing of this one.
        let before = self.preview.replace(next);
        self.previous =
            before.filter(|p| Some(p.generation) == self.generation()).map(|p| p.document);
    }

    /// Generation of the document that the preview was worked out on.
    fn generation(&self) -> Option<u64> {
        self.preview.as_ref().map(|preview| preview.generation)
    }
}

/// Surfaces whose weights or skins differ between two documents of the same meshes.
fn reweighed(before: &Document, after: &Document) -> Vec<Change> {
    let mut changes = Vec::new();
    for node in after.shown_nodes() {
        let about = after.node(node);
        let Some(mesh) = about.mesh else { continue };
        let was = before.nodes.get(node).filter(|was| was.mesh == Some(mesh));
        let (Some(was), Some(old)) = (was, before.meshes.get(mesh)) else { continue };
        let skin = |document: &Document, skin: Option<ulna_model::SkinId>| {
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

impl App {
    /// Opens the panel for the selected meshes, or for all.
    pub(super) fn ask_bind(&mut self) {
        let (vertices, locked) = (self.selected_vertices(), self.locked_joints());
        let moment = self.moment();
        if self.mode.spec().paints_weights {
            // The panel colors the surface itself.
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

    /// Asks in which pose skinned meshes are rebound.
    pub(super) fn ask_rebind(&mut self) {
        let Some(session) = &self.session else { return };
        let selected: Vec<NodeId> = self.selection().nodes.iter().copied().collect();
        let draft = RebindDraft::of(session.document(), &selected, self.moment());
        self.dialogs.open = Some(Dialog::Rebind { draft: Box::new(draft) });
    }

    /// The clip that is shown, and its time.
    fn moment(&self) -> Option<(ClipId, f64)> {
        let playback = &self.timeline.playback;
        let uses_clip = self.mode.spec().clip != ClipUse::Never;
        playback.clip.filter(|_| uses_clip).map(|clip| (clip, playback.time))
    }

    /// Vertices that are selected in Paint mode.
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

    /// Joints that are locked in Paint mode.
    fn locked_joints(&self) -> Vec<NodeId> {
        let Some(session) = &self.session else { return Vec::new() };
        let is_there = |node: &NodeId| session.document().nodes.contains(*node);
        self.painting.options.locked.iter().copied().filter(is_there).collect()
    }

    /// Works out, shows and tries the bind of the panel, while that is open.
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
        let draft = draft.clone();
        self.binding.work_out(ctx, session, &draft);
        self.show_bind();
        let Some(session) = &self.session else { return };
        let binding = &mut self.binding;
        let seen = match &binding.preview {
            Some(preview) if binding.shown.is_some() => &preview.document,
            _ => session.document(),
        };
        let state = (session.generation(), binding.shown);
        let active = self.outliner.selection.active;
        binding.trial.follow(seen, state, (&draft, &binding.joints), active);
        self.apply_found_bind(ctx);
    }

    /// Shows the bind that was found in place of the document, or the document.
    fn show_bind(&mut self) {
        let Some(session) = &self.session else { return };
        let generation = session.generation();
        let binding = &mut self.binding;
        let Some(preview) = binding.preview.as_ref().filter(|p| p.generation == generation) else {
            self.hide_bind();
            return;
        };
        if binding.shown == Some(preview.serial) {
            return;
        }
        let before = match (&binding.previous, binding.shown) {
            (Some(previous), Some(_)) => previous,
            _ => session.document(),
        };
        let changes = reweighed(before, &preview.document);
        self.renderer.show_in_place(&preview.document, &changes);
        binding.shown = Some(preview.serial);
    }

    /// Shows the document again.
    pub(super) fn hide_bind(&mut self) {
        let Some(session) = &self.session else { return };
        let Some(preview) = self.binding.preview.as_ref().filter(|_| self.binding.shown.is_some())
        else {
            return;
        };
        let changes = reweighed(&preview.document, session.document());
        self.renderer.show_in_place(session.document(), &changes);
        self.binding.shown = None;
    }

    /// Hides a bind of another state of the document.
    pub(super) fn drop_stale_bind(&mut self) {
        let generation = self.session.as_ref().map(Session::generation);
        if self.binding.shown.is_some() && self.binding.generation() != generation {
            self.hide_bind();
        }
    }

    /// The panel is closed: the document is shown.
    fn leave_bind(&mut self) {
        if self.binding.ahead.is_idle() && !self.binding.trial.is_open() {
            return;
        }
        self.hide_bind();
        self.binding = Binding::default();
    }

    /// Applies the bind as soon as its weights are known.
    pub(super) fn apply_bind(&mut self, ctx: &Context) {
        self.end_gesture(ctx);
        self.binding.ahead.apply();
        self.apply_found_bind(ctx);
        ctx.request_repaint();
    }

    /// Stops the computation; the bind that was found last stays.
    pub(super) fn cancel_bind(&mut self) {
        self.binding.ahead.cancel();
    }

    fn apply_found_bind(&mut self, ctx: &Context) {
        if let Some(worked) = self.binding.ahead.take_applied() {
            self.hide_bind();
            self.binding = Binding::default();
            self.dialogs.open = None;
            self.jobs.worked.push_back((worked, Title::from("Bind meshes")));
            self.put_in_worked(ctx);
        }
    }

    /// Measures the bind in the pose that is shown, while nothing plays.
    pub(super) fn measure_bind(&mut self, ctx: &Context) {
        let (Some(Dialog::Bind { draft }), false) =
            (&self.dialogs.open, self.timeline.playback.playing)
        else {
            return;
        };
        let binding = &mut self.binding;
        let Some(preview) = binding.preview.as_ref().filter(|_| binding.shown.is_some()) else {
            binding.measuring.forget();
            return;
        };
        let of = (preview.serial, self.renderer.pose_serial());
        let documents = (binding.previous.as_ref(), &preview.document);
        let bent = binding.trial.turned();
        binding.measuring.follow(ctx, of, documents, (&draft.nodes(), &bent), self.renderer.pose());
    }

    /// The clip of the trial; `None` where the panel is closed, an inner `None` where the trial
    /// shows a pose.
    pub(super) fn trial_clip(&self) -> Option<Option<DisplayedClip>> {
        let trial = self.binding.trial()?;
        let document = self.session.as_ref()?.document();
        let between = self.timeline.playback.between;
        let shown = |key: Option<ClipId>, clip: Shared<ulna_model::Clip>, preview| DisplayedClip {
            key,
            clip,
            preview,
            unkeyed: None,
            mix: None,
            between,
        };
        Some(match trial.pose() {
            TrialPose::Rest | TrialPose::Bend => None,
            TrialPose::Range => {
                trial.range().map(|(clip, serial)| shown(None, clip.clone(), serial))
            }
            TrialPose::Clip(id) => {
                document.clips.get(id).map(|clip| shown(Some(id), clip.clone(), 0))
            }
        })
    }
}
