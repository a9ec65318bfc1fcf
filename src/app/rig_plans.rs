//! Planned changes of the skeleton: their effects are computed, shown and applied.

use std::path::PathBuf;

use egui::Context;
use glam::Vec3;

use super::{App, jobs::Title, planning::Planning};
use crate::ui::{Action, Dialog, DialogAction, Mode, PathFor, ToastKind};
use ulna_edit::{CommandLine, command::FileCommand};
use ulna_model::{Document, NodeId};
use ulna_motion::{ComparedMotion, Pose, Stack, WorstPoint};
use ulna_session::write_atomically;

/// The joint with the largest weight on a point; the node of the point if it has no weights.
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
    /// Computes the effects of the plan, including the command of an open form.
    pub(super) fn plan_rig(&mut self, ctx: &Context) {
        let added = match &self.dialogs.open {
            Some(Dialog::Arguments { draft }) if draft.has_plan => {
                draft.spec().and_then(|spec| draft.line(spec).ok()).map(Some)
            }
            Some(Dialog::Plan) => Some(None),
            _ if self.mode.spec().edits_rest => Some(None),
            _ => None,
        };
        let mut lines = self.planning.acts().to_vec();
        let (Some(added), Some(session)) = (added, &self.session) else {
            self.planning.rest();
            return;
        };
        lines.extend(added);
        let document = session.document();
        lines.extend(self.rig.dragged().iter().map(|command| command.line(document)));
        if lines.is_empty() {
            self.planning.rest();
            return;
        }
        self.planning.want((lines, session.generation()), ctx.input(|i| i.time));
        self.planning.follow(ctx, session);
        let (clip, time) = (self.shown_clip(), self.timeline.playback.edit_time());
        let at_rest = self.mode.spec().edits_rest;
        let shown = |after: &Document| {
            if at_rest {
                return Pose::evaluate(&ulna_weights::at_rest(after), &Stack::default());
            }
            let clip = clip.filter(|clip| after.clips.contains(*clip));
            Pose::evaluate(after, &Stack::shown(after, clip, time))
        };
        // In a clip, the viewport itself shows the planned model.
        if self.rig_clip().is_some() {
            self.planning.forget_joints();
        } else if let Some(session) = &self.session {
            self.planning.show_joints(session.document(), self.renderer.pose(), shown);
        }
        self.apply_found_plan(ctx);
    }

    /// Adds a command to the plan, and shows the plan.
    pub(super) fn add_to_plan(&mut self, line: CommandLine) {
        self.planning.add(line);
        // In Rig mode, the side panel shows the plan.
        self.dialogs.open = (!self.mode.spec().edits_rest).then_some(Dialog::Plan);
    }

    /// Closes the panel or form beside the viewport. After the form of a planned change, the plan
    /// is shown again.
    pub(super) fn close_loose(&mut self, ctx: &Context) {
        let is_form = matches!(&self.dialogs.open, Some(Dialog::Arguments { .. }));
        let goes_back = is_form && !self.mode.spec().edits_rest;
        let next = (goes_back && !self.planning.acts().is_empty()).then_some(Dialog::Plan);
        self.note_kept_plan(ctx, next.as_ref());
        self.dialogs.open = next;
    }

    /// Shows a message about where to find the plan when its panel closes.
    pub(super) fn note_kept_plan(&mut self, ctx: &Context, next: Option<&Dialog>) {
        let closes = matches!(self.dialogs.open, Some(Dialog::Plan)) && next.is_none();
        if closes && !self.mode.spec().edits_rest {
            self.say_plan_is_kept(ctx);
        }
    }

    /// Shows a message about where to find the plan, if there is one.
    pub(super) fn say_plan_is_kept(&mut self, ctx: &Context) {
        let count = self.planning.acts().len();
        if count > 0 {
            let changes = if count == 1 { "1 change" } else { &format!("{count} changes") };
            let text = format!("The plan with {changes} is kept.");
            let verbs = vec![
                ("Show", Action::Run(FileCommand::Plan.into())),
                ("Discard", Action::Dialog(DialogAction::DiscardPlan)),
            ];
            self.say(ctx, ToastKind::Note, text, verbs);
        }
    }

    /// Empties the plan.
    pub(super) fn discard_plan(&mut self) {
        self.planning = Planning::default();
        self.dialogs.open = None;
    }

    /// Writes the plan to a script at a path. Without a path, asks for one.
    pub(super) fn save_plan(&mut self, ctx: &Context, path: Option<PathBuf>) {
        let Some(session) = &self.session else { return };
        let Some(path) = path else {
            let path = session.suggested_path().with_file_name("plan.jsonl").display().to_string();
            self.ask_path(ctx, PathFor::PlanOut, Dialog::SavePlan { path });
            return;
        };
        let lines = self.planning.acts().iter().map(|line| format!("{line}\n"));
        let text: String = lines.collect();
        match write_atomically(&*self.files.disk, &path, text.as_bytes()) {
            Ok(()) => {
                let (count, shown) = (self.planning.acts().len(), path.display());
                let changes = if count == 1 { "1 change" } else { &format!("{count} changes") };
                let text = format!(
                    "Saved {changes} to {shown}. Apply them to other files with: ulna run {} \
                        FILES -o FOLDER",
                    path.file_name().unwrap_or_default().display()
                );
                self.toast(ctx, ToastKind::Ok, text);
                self.dialogs.open = Some(Dialog::Plan);
            }
            Err(error) => {
                let text = format!("The plan could not be saved to {}: {error}.", path.display());
                self.toast(ctx, ToastKind::Error, text);
            }
        }
    }

    /// Applies the plan and the command of the open form as soon as their effects are computed.
    pub(super) fn apply_plan(&mut self, ctx: &Context, line: Option<CommandLine>) {
        self.end_gesture(ctx);
        let Some(session) = &self.session else { return };
        let mut lines = self.planning.acts().to_vec();
        lines.extend(line);
        self.planning.want((lines, session.generation()), ctx.input(|i| i.time));
        self.planning.apply();
        self.apply_found_plan(ctx);
        ctx.request_repaint();
    }

    fn apply_found_plan(&mut self, ctx: &Context) {
        let title = match &self.dialogs.open {
            Some(Dialog::Arguments { draft }) if self.planning.acts().is_empty() => {
                let Some(spec) = draft.spec() else { return };
                Title::from(spec.title)
            }
            Some(Dialog::Arguments { .. } | Dialog::Plan) => Title::from("Plan of changes"),
            _ if self.mode.spec().edits_rest => Title::from("Plan of changes"),
            _ => return,
        };
        if let Some(worked) = self.planning.take_applied() {
            self.dialogs.open = None;
            self.planning = Planning::default();
            self.jobs.worked.push_back((worked, title));
            self.put_in_worked(ctx);
        }
    }

    /// Shows one of the plan's largest deviations from the old motion, at its time. Selects the
    /// joint with the largest weight on the point.
    pub(super) fn show_worst(&mut self, ctx: &Context, which: usize) {
        let (Some(report), Some(session)) = (self.planning.report(), &self.session) else {
            return;
        };
        let (deviation, document) = (report.deviation, session.document());
        let at = deviation.worst.get(which).copied().flatten();
        let Some(at) = at.filter(|at| document.nodes.contains(at.node)) else { return };
        let joint = joint_of(document, &at);
        match at.motion {
            ComparedMotion::Clip(clip)
                if document.clips.contains(clip) && self.mode.spec().edits_rest =>
            {
                self.choose_rig_clip(Some(clip));
            }
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
        self.outliner.selection.set(joint);
        let room = Vec3::splat(deviation.size as f32 * 0.12);
        let (size, mut camera) = (self.renderer.size(), self.viewport.camera);
        camera.frame(at.before - room, at.before + room, size.x / size.y);
        self.begin_transition(ctx, camera);
    }
}
