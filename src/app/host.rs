//! Runs the commands of the window: files, playback, view, selection.

use std::{collections::BTreeSet, convert::Infallible};

use egui::Context;

use super::{
    App,
    jobs::JobResult,
    save_queue::{Purpose, SaveTo},
};
use crate::ui::{
    ClipUse, DeferredAction, Dialog, GuidePlace, Mode, Pasting, PreferencePage, ToastKind,
    children_words,
};
use ulna_edit::command::{
    BrushCommand, Children, FileCommand, Host, ModeCommand, PlayCommand, ReferenceCommand,
    SelectCommand, TimelineCommand, ToolCommand, VertexCommand, ViewCommand,
};
use ulna_session::Conversion;

/// The window as the [`Host`] of commands.
pub(super) struct WindowHost<'a> {
    pub app: &'a mut App,
    pub ctx: &'a Context,
}

impl Host for WindowHost<'_> {
    /// The window refuses no command.
    type Refusal = Infallible;

    fn file(&mut self, command: &FileCommand) -> Result<(), Infallible> {
        let (app, ctx) = (&mut *self.app, self.ctx);
        match command {
            FileCommand::Open { path: Some(path) } => {
                app.wish(ctx, DeferredAction::Open(path.clone()))
            }
            // Unsaved work is asked about only once, after the user has chosen a file.
            FileCommand::Open { path: None } => {
                app.end_gesture(ctx);
                app.ask_open(ctx);
            }
            FileCommand::Sample => app.wish(ctx, DeferredAction::Sample),
            FileCommand::Save => app.save(ctx),
            FileCommand::SaveAs { path: Some(path) } => {
                app.queue_save(ctx, SaveTo::Asked, app.request(path.clone()), Purpose::Own)
            }
            FileCommand::SaveAs { path: None } => app.ask_save(ctx),
            FileCommand::SaveCopy => app.ask_copy(ctx),
            FileCommand::SaveIncremented => app.save_incremented(ctx),
            FileCommand::Export => app.ask_export(),
            FileCommand::ExportAgain => app.export_again(ctx),
            FileCommand::ExportWeights { path } => app.export_weights(ctx, path.clone()),
            FileCommand::Plan => app.dialogs.open = Some(Dialog::Plan),
            FileCommand::Humanoid => app.dialogs.open = Some(Dialog::Humanoid),
            FileCommand::SavePlan { path } => app.save_plan(ctx, path.clone()),
            FileCommand::Retarget { path } => {
                app.open_retarget(ctx, path.clone(), Conversion::default())
            }
            FileCommand::Pictures => app.ask_pictures(ctx),
            FileCommand::Revert => app.wish(ctx, DeferredAction::Revert),
            FileCommand::Recover => {
                app.look_for_recoveries(ctx);
                app.dialogs.open = Some(Dialog::Recovery { open: None, discard: None });
            }
            FileCommand::Changes => app.list_changes(ctx),
            FileCommand::Quit => ctx.send_viewport_cmd(egui::ViewportCommand::Close),
            FileCommand::Welcome if app.program.welcome && app.session.is_some() => {
                app.program.welcome = false
            }
            FileCommand::Welcome => app.show_welcome(ctx),
            FileCommand::Preferences => {
                app.dialogs.open = Some(Dialog::Preferences {
                    page: PreferencePage::Look,
                    listening: None,
                    row: None,
                });
            }
            FileCommand::Find => app.dialogs.open = Some(Dialog::Find),
            FileCommand::History => {
                app.dialogs.open = Some(Dialog::History { marked: BTreeSet::new() })
            }
            FileCommand::Guide => {
                app.dialogs.open =
                    Some(Dialog::Guide { place: GuidePlace::default(), search: String::new() });
            }
            FileCommand::Tour => app.start_tour(ctx),
            FileCommand::Commands => app.dialogs.open = Some(Dialog::Commands),
            FileCommand::About => app.dialogs.open = Some(Dialog::About),
        }
        Ok(())
    }

    fn select(&mut self, command: &SelectCommand) -> Result<(), Infallible> {
        self.app.select(command);
        Ok(())
    }

    fn mode(&mut self, command: &ModeCommand) -> Result<(), Infallible> {
        let (app, ctx) = (&mut *self.app, self.ctx);
        match command {
            ModeCommand::PoseMode
            | ModeCommand::AnimateMode
            | ModeCommand::PaintMode
            | ModeCommand::RigMode => {
                if let Some(mode) = Mode::of(command) {
                    app.set_mode(ctx, mode);
                }
            }
            ModeCommand::NextMode => app.set_mode(ctx, app.mode.next(&app.availability())),
            ModeCommand::RigAndBack => app.set_mode_and_back(ctx, Mode::FOR_JOINTS),
            ModeCommand::PoseAndBack => app.set_mode_and_back(ctx, Mode::WITHOUT_CLIPS),
            ModeCommand::Repeat => app.repeat_last(ctx),
            ModeCommand::Bind => app.ask_bind(),
            ModeCommand::Rebind => app.ask_rebind(),
            ModeCommand::CopyPose => app.copy_pose(ctx),
            ModeCommand::PastePose => app.ask_paste(ctx, Pasting { flip: false, selected: false }),
            ModeCommand::PasteSelected => {
                app.ask_paste(ctx, Pasting { flip: false, selected: true })
            }
            ModeCommand::PasteFlipped => {
                app.ask_paste(ctx, Pasting { flip: true, selected: false })
            }
            ModeCommand::PasteFlippedSelected => {
                app.ask_paste(ctx, Pasting { flip: true, selected: true })
            }
            ModeCommand::BothSides => {
                app.viewport.symmetry = !app.viewport.symmetry;
                let is_rig = app.mode.spec().edits_rest;
                let now = if app.viewport.symmetry && is_rig {
                    "Symmetry is on: joints of both sides change together"
                } else if app.viewport.symmetry {
                    "Symmetry is on: both sides are posed together"
                } else {
                    "Symmetry is off: each side is posed on its own"
                };
                app.toast(ctx, ToastKind::Note, now);
            }
            ModeCommand::NextPivot => {
                app.viewport.pivot = app.viewport.pivot.next(app.viewport.pivot_spot.is_some());
                app.toast(
                    ctx,
                    ToastKind::Note,
                    format!("Pivot: {}", app.viewport.pivot.title().to_lowercase()),
                );
            }
            ModeCommand::PivotHere => app.set_pivot_spot(ctx),
            ModeCommand::ExtrudeJoint => {
                app.enter_rig(ctx);
                if app.can_change_joints(ctx) {
                    app.panels.extrude();
                }
            }
            ModeCommand::CenterJoint => app.center_joints(ctx),
            ModeCommand::JointToVertices => {
                let spot = app.middle_of_vertices();
                app.enter_rig(ctx);
                app.put_joint(ctx, spot);
            }
            ModeCommand::NextChildren => {
                app.viewport.children = match app.viewport.children {
                    Children::Follow => Children::Place,
                    Children::Place => Children::Angle,
                    Children::Angle => Children::Follow,
                };
                app.toast(ctx, ToastKind::Note, children_words(app.viewport.children).0);
            }
            ModeCommand::SnapDrags => {
                app.viewport.snap = !app.viewport.snap;
                let now = if app.viewport.snap {
                    "Snapping is on"
                } else {
                    "Snapping is off. Hold Ctrl to snap"
                };
                app.toast(ctx, ToastKind::Note, now);
            }
        }
        Ok(())
    }

    fn tool(&mut self, tool: &ToolCommand) -> Result<(), Infallible> {
        let app = &mut *self.app;
        if *tool == ToolCommand::Joint {
            app.enter_rig(self.ctx);
        }
        // The tool's key starts its gesture if the tool is already chosen, or always with the
        // Blender preset.
        let again = app.viewport.tool == *tool
            || app.program.settings.keys.preset() == ulna_edit::Preset::Blender;
        app.viewport.tool = *tool;
        let has_subject =
            app.outliner.selection.active.is_some() || app.references.selected().is_some();
        if app.mode.spec().tools.contains(tool) && has_subject {
            if again {
                app.panels.begin(*tool);
            } else {
                app.panels.wait(*tool, self.ctx.input(|i| i.time));
            }
        }
        Ok(())
    }

    fn view(&mut self, command: &ViewCommand) -> Result<(), Infallible> {
        self.app.view(self.ctx, command);
        Ok(())
    }

    fn reference(&mut self, command: &ReferenceCommand) -> Result<(), Infallible> {
        self.app.reference_command(self.ctx, command);
        Ok(())
    }

    fn play(&mut self, command: &PlayCommand) -> Result<(), Infallible> {
        self.app.play(command);
        Ok(())
    }

    fn timeline(&mut self, command: &TimelineCommand) -> Result<(), Infallible> {
        self.app.timeline_command(self.ctx, command);
        Ok(())
    }

    fn brush(&mut self, command: &BrushCommand) -> Result<(), Infallible> {
        self.app.brush_command(self.ctx, command);
        Ok(())
    }

    fn vertices(&mut self, command: &VertexCommand) -> Result<(), Infallible> {
        self.app.vertex_command(self.ctx, command);
        Ok(())
    }
}

impl App {
    fn set_mode(&mut self, ctx: &Context, mode: Mode) {
        self.close_retarget(ctx);
        // `run` has already ended the open gesture.
        if mode.spec().clip == ClipUse::Optional && mode != self.mode {
            // Paint mode shows the same clip as the mode before.
            self.painting.options.over_clip = self.shown_clip().is_some();
            // Painting needs a clip, not the mix.
            if self.timeline.playback.mixing {
                self.timeline.playback.mix(false);
            }
        }
        let tools = mode.spec().tools;
        let is_rig = mode.spec().edits_rest;
        let enters_rig = is_rig && !self.mode.spec().edits_rest;
        if enters_rig || (!tools.is_empty() && !tools.contains(&self.viewport.tool)) {
            self.viewport.tool = if is_rig { ToolCommand::Move } else { ToolCommand::default() };
        }
        let leaves_rig = self.mode.spec().edits_rest && !is_rig;
        if mode != self.mode {
            self.window.mode_before = Some(self.mode);
        }
        self.mode = mode;
        self.timeline.playback.playing = false;
        if leaves_rig && self.dialogs.open.is_none() {
            self.say_plan_is_kept(ctx);
        }
    }

    /// Switches to a mode. If it is already active, switches back to the previous mode.
    fn set_mode_and_back(&mut self, ctx: &Context, mode: Mode) {
        let poses = Mode::WITHOUT_CLIPS;
        let other = if mode == poses { Mode::FOR_CLIPS } else { poses };
        let before = self.window.mode_before.filter(|before| *before != mode);
        self.set_mode(ctx, if self.mode == mode { before.unwrap_or(other) } else { mode });
    }

    /// Switches to Rig mode, unless it is active.
    fn enter_rig(&mut self, ctx: &Context) {
        if !self.mode.spec().edits_rest {
            self.set_mode(ctx, Mode::FOR_JOINTS);
        }
    }

    /// Opens the welcome page with an updated list of files.
    pub(super) fn show_welcome(&mut self, ctx: &Context) {
        self.program.recent.refresh(ctx, &self.program.preferences.recent);
        self.program.welcome = true;
        self.timeline.playback.playing = false;
    }

    /// Starts or continues the tour. It opens the sample unless a file is open.
    fn start_tour(&mut self, ctx: &Context) {
        if self.session.is_none() {
            self.wish(ctx, DeferredAction::Sample);
        }
        self.program.welcome = false;
        self.open_tour();
    }

    fn play(&mut self, command: &PlayCommand) {
        let Some(session) = &self.session else { return };
        let document = session.document();
        match command {
            PlayCommand::Toggle | PlayCommand::Reverse => {
                let backward = *command == PlayCommand::Reverse;
                let playback = &mut self.timeline.playback;
                if playback.playing && playback.backward != backward {
                    playback.backward = backward;
                } else {
                    playback.backward = if playback.playing { playback.backward } else { backward };
                    playback.toggle(document);
                }
            }
            PlayCommand::RepairLoop => self.repair_loop(),
            PlayCommand::Mixer => {
                let on = !self.mixes();
                self.timeline.playback.mix(on);
                self.mode = Mode::FOR_CLIPS;
            }
            PlayCommand::Loop => {
                self.timeline.playback.repeat = self.timeline.playback.repeat.next()
            }
            PlayCommand::GoTo { frame } => {
                let fps = self.timeline.playback.fps;
                self.timeline.playback.seek(*frame as f64 / fps);
            }
            PlayCommand::NextFrame => self.timeline.playback.step(1.0),
            PlayCommand::PreviousFrame => self.timeline.playback.step(-1.0),
            PlayCommand::NextKey => self.step_key(true),
            PlayCommand::PreviousKey => self.step_key(false),
            PlayCommand::Start => {
                self.timeline.playback.seek(self.timeline.playback.bounds(document).0)
            }
            PlayCommand::End => {
                self.timeline.playback.seek(self.timeline.playback.bounds(document).1)
            }
            PlayCommand::RangeStart => self.preview_range(true),
            PlayCommand::RangeEnd => self.preview_range(false),
            PlayCommand::RangeOfKeys => self.play_range_of_keys(),
            PlayCommand::NoRange => self.timeline.playback.range = None,
            PlayCommand::Nlerp => {
                use ulna_motion::Averaging::{Nlerp, Slerp};
                let between = &mut self.timeline.playback.between;
                *between = if *between == Slerp { Nlerp } else { Slerp };
            }
            PlayCommand::Stepped => {
                self.timeline.playback.stepped = !self.timeline.playback.stepped
            }
            PlayCommand::EveryFrame => {
                self.timeline.playback.every_frame = !self.timeline.playback.every_frame;
            }
        }
        let moves = [
            PlayCommand::NextFrame,
            PlayCommand::PreviousFrame,
            PlayCommand::NextKey,
            PlayCommand::PreviousKey,
        ];
        let jumps =
            matches!(command, PlayCommand::Start | PlayCommand::End | PlayCommand::GoTo { .. });
        if moves.contains(command) || jumps {
            self.timeline.playback.playing = false;
        }
        self.pause(command);
    }

    fn list_changes(&mut self, ctx: &Context) {
        let Some(session) = self.session.clone() else { return };
        self.start(ctx, "Listing what will change".into(), true, move |_| {
            JobResult::Listed(session.will_change())
        });
    }
}
