//! The form of a command on the skeleton: its effects are worked out, shown and applied.

use egui::Context;
use glam::Vec3;

use super::{App, jobs::Title, planning::Planning};
use crate::ui::{Dialog, Mode};
use ulna_edit::CommandLine;
use ulna_model::{Document, NodeId};
use ulna_motion::{ComparedMotion, WorstPoint};

/// The joint that moves a point most, or the node of the point.
fn joint_of(document: &Document, at: &WorstPoint) -> NodeId {
    let strongest = || {
        let (mesh, seen) = at.vertex?;
        let skin = document.node(at.node).skin?;
        let primitive = document.mesh(mesh).primitives.get(seen.primitive.index())?;
        let influences = primitive.weights.as_ref()?.vertex(seen.vertex as usize);
        let (joint, _) = influences.max_by(|a, b| a.1.total_cmp(&b.1))?;
        document.skin(skin).joints.get(usize::from(joint)).copied()
    };
    strongest().unwrap_or(at.node)
}

impl App {
    /// Works out the effects of the command on the skeleton whose form is open.
    pub(super) fn plan_rig(&mut self, ctx: &Context) {
        let line = match &self.dialogs.open {
            Some(Dialog::Arguments { draft }) if draft.has_plan => {
                draft.spec().and_then(|spec| draft.line(spec).ok())
            }
            _ => None,
        };
        let (Some(line), Some(session)) = (line, &self.session) else {
            self.planning = Planning::default();
            return;
        };
        self.planning.want((line, session.generation()), ctx.input(|i| i.time));
        self.planning.poll();
        self.planning.follow(ctx, session);
        self.apply_found_plan(ctx);
    }

    /// Applies a command on the skeleton as soon as its effects are known.
    pub(super) fn apply_plan(&mut self, ctx: &Context, line: CommandLine) {
        self.end_gesture(ctx);
        let Some(session) = &self.session else { return };
        self.planning.want((line, session.generation()), ctx.input(|i| i.time));
        self.planning.apply();
        self.apply_found_plan(ctx);
        ctx.request_repaint();
    }

    fn apply_found_plan(&mut self, ctx: &Context) {
        let Some(Dialog::Arguments { draft }) = &self.dialogs.open else { return };
        let Some(title) = draft.spec().map(|spec| Title::from(spec.title)) else { return };
        if let Some(worked) = self.planning.take_applied() {
            self.dialogs.open = None;
            self.planning = Planning::default();
            self.jobs.worked.push_back((worked, title));
            self.put_in_worked(ctx);
        }
    }

    /// Shows one of the worst motions of the plan at the time of its largest deviation, with the
    /// joint that moves the point most.
    pub(super) fn show_worst(&mut self, ctx: &Context, which: usize) {
        let (Some(report), Some(session)) = (self.planning.report(), &self.session) else {
            return;
        };
        let (deviation, document) = (report.deviation, session.document());
        let at = deviation.worst.get(which).copied().flatten();
        let Some(at) = at.filter(|at| document.nodes.contains(at.node)) else { return };
        match at.motion {
            ComparedMotion::Clip(clip) if document.clips.contains(clip) => {
                self.timeline.playback.show(document, Some(clip));
                self.mode = self.mode.with_clip();
            }
            ComparedMotion::Mix => {
                self.mode = Mode::FOR_CLIPS;
                self.timeline.playback.mix(true);
            }
            ComparedMotion::Clip(_) | ComparedMotion::Pose => {
                self.mode = self.mode.without_clips();
            }
        }
        self.timeline.playback.playing = false;
        self.timeline.playback.seek(at.time);
        self.outliner.selection.set(joint_of(document, &at));
        let room = Vec3::splat(deviation.size as f32 * 0.12);
        let (size, mut camera) = (self.renderer.size(), self.viewport.camera);
        camera.frame(at.before - room, at.before + room, size.x / size.y);
        self.begin_transition(ctx, camera);
    }
}
