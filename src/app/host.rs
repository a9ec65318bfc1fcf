//! Commands that are the window's: files, playback, view, selection.

use std::{
    collections::BTreeSet,
    convert::Infallible,
    time::{Duration, Instant},
};

use egui::Context;

use super::{
    App,
    files::{Browse, Browsing},
    jobs::{Done, Purpose},
    save_queue::SaveTo,
};
use crate::ui::{
    BindDraft, Compare, DeferredAction, Dialog, Layout, Pasting, PathFor, PreferencePage, Settings,
    ThemeChoice, ToastKind, ViewOptions, children_words,
};
use ulna_edit::{
    Mode,
    command::{
        BrushCommand, Children, FileCommand, Host, ModeCommand, PlayCommand, SelectCommand,
        TimelineCommand, ToolCommand, VertexCommand, ViewCommand, field::Nodes,
    },
};
use ulna_model::NodeId;
use ulna_render::{Axis, Shading};
use ulna_session::endings;

/// The window as the host of commands.
pub(super) struct WindowHost<'a> {
    pub app: &'a mut App,
    pub ctx: &'a Context,
}

impl Host for WindowHost<'_> {
    /// All of them are done.
    type Refusal = Infallible;

    fn file(&mut self, command: &FileCommand) -> Result<(), Infallible> {
        let (app, ctx) = (&mut *self.app, self.ctx);
        match command {
            FileCommand::Open { path: Some(path) } => {
                app.wish(ctx, DeferredAction::Open(path.clone()))
            }
            // What is unsaved is asked about when it is known that another file takes its place:
            // once.
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
                app.dialogs.open =
                    Some(Dialog::Preferences { page: PreferencePage::Look, listening: None });
            }
            FileCommand::Find => app.dialogs.open = Some(Dialog::Find),
            FileCommand::History => {
                app.dialogs.open = Some(Dialog::History { marked: BTreeSet::new() })
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
            ModeCommand::PoseMode => app.set_mode(Mode::Pose),
            ModeCommand::AnimateMode => app.set_mode(Mode::Animate),
            ModeCommand::PaintMode => app.set_mode(Mode::Paint),
            ModeCommand::NextMode => app.set_mode(match app.mode {
                Mode::Pose => Mode::Animate,
                Mode::Animate if (app.availability().weights || app.availability().bare) => {
                    Mode::Paint
                }
                Mode::Animate | Mode::Paint => Mode::Pose,
            }),
            ModeCommand::Bind => app.ask_bind(),
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
                let now = if app.viewport.symmetry {
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
        // Pressed again, or at once as in Blender, a tool's key begins its gesture.
        let again = app.viewport.tool == *tool
            || app.program.settings.keys.preset() == ulna_edit::Preset::Blender;
        app.viewport.tool = *tool;
        if app.mode != Mode::Paint && app.outliner.selection.active.is_some() {
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

    fn play(&mut self, command: &PlayCommand) -> Result<(), Infallible> {
        self.app.play(command);
        Ok(())
    }

    fn timeline(&mut self, command: &TimelineCommand) -> Result<(), Infallible> {
        self.app.timeline_command(self.ctx, command);
        Ok(())
    }

    fn brush(&mut self, command: &BrushCommand) -> Result<(), Infallible> {
        self.app.paint_command(self.ctx, command);
        Ok(())
    }

    fn vertices(&mut self, command: &VertexCommand) -> Result<(), Infallible> {
        self.app.vertex_command(self.ctx, command);
        Ok(())
    }
}

impl App {
    fn set_mode(&mut self, mode: Mode) {
        // `run` has ended the gesture that was under way.
        if mode == Mode::Paint && self.mode != Mode::Paint {
            // What was seen stays: weights are painted on the clip that was shown.
            self.painting.over_clip = self.shown_clip().is_some();
            // Weights are painted over a clip, not over a mix.
            if self.timeline.playback.mixing {
                self.timeline.playback.mix(false);
            }
        }
        self.mode = mode;
        self.timeline.playback.playing = false;
    }

    fn view(&mut self, ctx: &Context, command: &ViewCommand) {
        match command {
            ViewCommand::NextPanel => self.next_panel(ctx, false),
            ViewCommand::PreviousPanel => self.next_panel(ctx, true),
            ViewCommand::MenuBar => self.panels.open_menu_bar(),
            ViewCommand::FrameAll => self.frame(ctx, false),
            ViewCommand::FrameSelected => self.frame(ctx, true),
            ViewCommand::Perspective => {
                self.viewport.camera.orthographic = !self.viewport.camera.orthographic
            }
            ViewCommand::Front => self.look(ctx, Axis::Front),
            ViewCommand::Back => self.look(ctx, Axis::Back),
            ViewCommand::Side => self.look(ctx, Axis::Side),
            ViewCommand::OtherSide => self.look(ctx, Axis::OtherSide),
            ViewCommand::Top => self.look(ctx, Axis::Top),
            ViewCommand::Bottom => self.look(ctx, Axis::Bottom),
            ViewCommand::ThreeQuarter => self.look(ctx, Axis::ThreeQuarter),
            ViewCommand::Textured => self.viewport.options.shading = Shading::Textured,
            ViewCommand::Solid => self.viewport.options.shading = Shading::Solid,
            ViewCommand::Wireframe => self.viewport.options.shading = Shading::Wireframe,
            ViewCommand::XRay => self.viewport.options.shading = Shading::XRay,
            ViewCommand::Axes => self.viewport.options.axes = !self.viewport.options.axes,
            ViewCommand::OfSelected => {
                self.viewport.options.of_selected = !self.viewport.options.of_selected
            }
            ViewCommand::Sticks => self.viewport.options.sticks = !self.viewport.options.sticks,
            ViewCommand::Deforming => {
                self.viewport.options.deforming = !self.viewport.options.deforming
            }
            ViewCommand::Pins => self.viewport.options.pins = !self.viewport.options.pins,
            ViewCommand::MotionPaths => {
                self.viewport.options.motion_paths = !self.viewport.options.motion_paths
            }
            ViewCommand::OnionSkin => {
                self.viewport.options.onion.shown = !self.viewport.options.onion.shown
            }
            ViewCommand::Compare => {
                let next = self.viewport.compare.next();
                // Weights have no ghost.
                let skips = self.mode == Mode::Paint && next == Compare::Both;
                self.viewport.compare = if skips { next.next() } else { next };
            }
            ViewCommand::Balance => self.viewport.options.balance = !self.viewport.options.balance,
            ViewCommand::Lights => self.viewport.options.lights = !self.viewport.options.lights,
            ViewCommand::Grid => self.viewport.options.grid = !self.viewport.options.grid,
            ViewCommand::Joints => self.viewport.options.joints = !self.viewport.options.joints,
            ViewCommand::Names => self.viewport.options.names = !self.viewport.options.names,
            ViewCommand::ShowAll => self.outliner.visibility.show_all(),
            ViewCommand::Hide | ViewCommand::Isolate | ViewCommand::Lock => self.mark(command),
            ViewCommand::Camera { node } => self.look_through(ctx, node.as_ref()),
            ViewCommand::Outliner if ctx.content_rect().width() < 1000.0 => {
                self.viewport.options.outliner_narrow = !self.viewport.options.outliner_narrow;
            }
            ViewCommand::Outliner => {
                self.viewport.options.outliner = !self.viewport.options.outliner
            }
            ViewCommand::Problems => {
                self.viewport.options.problems = !self.viewport.options.problems
            }
            ViewCommand::Theme => {
                let theme = if self.program.theme.name() == "light" {
                    ThemeChoice::Dark
                } else {
                    ThemeChoice::Light
                };
                self.set_settings(ctx, Settings { theme, ..self.program.settings.clone() });
            }
            ViewCommand::Larger => self.resize(ctx, self.program.settings.scale * 1.1),
            ViewCommand::Smaller => self.resize(ctx, self.program.settings.scale / 1.1),
            ViewCommand::NormalSize => self.resize(ctx, 1.0),
            ViewCommand::Inspector => {
                self.viewport.options.inspector = !self.viewport.options.inspector
            }
            ViewCommand::Timeline => {
                self.viewport.options.timeline = !self.viewport.options.timeline
            }
            ViewCommand::ResetLayout => {
                let ViewOptions {
                    outliner, outliner_narrow, problems, inspector, timeline, ..
                } = ViewOptions::default();
                self.viewport.options = ViewOptions {
                    outliner,
                    outliner_narrow,
                    problems,
                    inspector,
                    timeline,
                    ..self.viewport.options
                };
                self.panels.set_layout(Layout::default());
                // The sizes that parts of panels remember are egui's.
                ctx.memory_mut(egui::Memory::reset_areas);
                ctx.data_mut(|d| d.remove_by_type::<egui::containers::panel::PanelState>());
            }
        }
    }

    /// Shows the whole window at a scale.
    fn resize(&mut self, ctx: &Context, scale: f32) {
        let scale = (scale.clamp(Settings::SCALES.0, Settings::SCALES.1) * 100.0).round() / 100.0;
        self.set_settings(ctx, Settings { scale, ..self.program.settings.clone() });
    }

    /// The welcome page, with the list of files as it is now.
    pub(super) fn show_welcome(&mut self, ctx: &Context) {
        self.program.recent.refresh(ctx, &self.program.preferences.recent);
        self.program.welcome = true;
        self.timeline.playback.playing = false;
    }

    /// The tour is of the sample, unless a file is open already.
    fn start_tour(&mut self, ctx: &Context) {
        if self.session.is_none() {
            self.wish(ctx, DeferredAction::Sample);
        }
        self.program.welcome = false;
        self.program.tour = Some(0);
    }

    /// Hides, isolates or locks what is selected.
    fn mark(&mut self, command: &ViewCommand) {
        let Some(session) = &self.session else { return };
        let document = session.document();
        let nodes = self.outliner.selection.nodes.clone();
        match command {
            ViewCommand::Hide => self.outliner.visibility.set_hidden(document, nodes, true),
            ViewCommand::Isolate => self.outliner.visibility.isolate(document, &nodes),
            _ => self.outliner.visibility.toggle_locked(document, &nodes),
        }
    }

    fn look(&mut self, ctx: &Context, axis: Axis) {
        let mut camera = self.viewport.camera;
        camera.look(axis);
        self.begin_transition(ctx, camera);
    }

    /// Looks through a camera of the file: the one that is named, or the next.
    fn look_through(&mut self, ctx: &Context, named: Option<&Nodes>) {
        let Some(session) = &self.session else { return };
        let document = session.document();
        let cameras: Vec<NodeId> = document
            .shown_nodes()
            .into_iter()
            .filter(|n| document.node(*n).camera.is_some())
            .collect();
        let node = match named {
            Some(nodes) => {
                nodes.all(document).ok().and_then(|n| n.into_iter().find(|n| cameras.contains(n)))
            }
            None => {
                let at = cameras.iter().position(|n| self.viewport.looked_through == Some(*n));
                cameras.get(at.map_or(0, |k| (k + 1) % cameras.len())).copied()
            }
        };
        let Some(node) = node else { return };
        self.viewport.looked_through = Some(node);
        let mut camera = self.viewport.camera;
        camera.look_from(&self.renderer.pose().world[node.index()]);
        self.begin_transition(ctx, camera);
        self.outliner.selection.set(node);
    }

    /// Shows the whole model, or what is selected: the selected joints with all their children.
    fn frame(&mut self, ctx: &Context, selected: bool) {
        let Some(session) = &self.session else { return };
        let document = session.document();
        let size = self.renderer.size();
        let bounds = if selected && !self.outliner.selection.nodes.is_empty() {
            let pose = self.renderer.pose();
            let mut points = Vec::new();
            for node in &self.outliner.selection.nodes {
                points.push(pose.world[node.index()].w_axis.truncate());
                points.extend(
                    document
                        .children(*node)
                        .iter()
                        .map(|c| pose.world[c.index()].w_axis.truncate()),
                );
            }
            let low = points.iter().copied().reduce(glam::Vec3::min);
            low.zip(points.into_iter().reduce(glam::Vec3::max)).map(|(low, high)| {
                let room = ((high - low).length() * 0.5).max(self.viewport.camera.distance * 0.02);
                (low - room, high + room)
            })
        } else {
            self.renderer
                .surface(document)
                .bounds()
                .or_else(|| ulna_motion::joint_bounds(document, self.renderer.pose()))
        };
        if let Some((low, high)) = bounds {
            let mut camera = self.viewport.camera;
            camera.frame(low, high, size.x / size.y);
            self.begin_transition(ctx, camera);
        }
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
                self.mode = Mode::Animate;
            }
            PlayCommand::Loop => {
                self.timeline.playback.repeat = self.timeline.playback.repeat.next()
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
        if moves.contains(command) || matches!(command, PlayCommand::Start | PlayCommand::End) {
            self.timeline.playback.playing = false;
        }
        self.pause(command);
    }

    fn list_changes(&mut self, ctx: &Context) {
        let Some(session) = self.session.clone() else { return };
        self.start(ctx, "Listing what will change".into(), true, move |_| {
            Done::Listed(session.will_change())
        });
    }

    /// Asks for a file to open: a path field, with the system's dialog a button away. Asks for a
    /// path: by the system's dialog where there is one, else, or where it does not come, by the one
    /// of ours.
    pub(super) fn ask_path(&mut self, ctx: &Context, what: PathFor, ours: Dialog) {
        if self.files.system_dialogs {
            self.browse(ctx, Browse::Path(what));
        }
        match &mut self.files.browsing {
            Some(browsing) => browsing.instead = Some(ours),
            None => self.dialogs.open = Some(ours),
        }
    }

    pub(super) fn ask_open(&mut self, ctx: &Context) {
        let folder = self
            .program
            .preferences
            .recent
            .first()
            .and_then(|f| f.path.parent())
            .map_or_else(String::new, |p| format!("{}/", p.display()));
        self.ask_path(ctx, PathFor::Open, Dialog::Open { path: folder });
    }

    pub(super) fn ask_save(&mut self, ctx: &Context) {
        let path = self
            .session
            .as_ref()
            .map_or_else(String::new, |s| s.suggested_path().display().to_string());
        self.ask_path(ctx, PathFor::Save, Dialog::SaveAs { path, copy: false });
    }

    fn ask_copy(&mut self, ctx: &Context) {
        let path = self
            .session
            .as_ref()
            .map_or_else(String::new, |s| s.suggested_path().display().to_string());
        self.ask_path(ctx, PathFor::Copy, Dialog::SaveAs { path, copy: true });
    }

    /// Asks what is bound to what.
    fn ask_bind(&mut self) {
        let Some(session) = &self.session else { return };
        let selected: Vec<NodeId> = self.selection().nodes.iter().copied().collect();
        let playback = &self.timeline.playback;
        let moment =
            playback.clip.filter(|_| self.mode != Mode::Pose).map(|clip| (clip, playback.time));
        let draft = BindDraft::of(session.document(), &selected, moment);
        self.dialogs.open = Some(Dialog::Bind { draft: Box::new(draft) });
    }

    /// The system's own dialog, off this thread: some of them wait for another program.
    pub(super) fn browse(&mut self, ctx: &Context, what: Browse) {
        let save = matches!(what, Browse::Path(PathFor::Save | PathFor::Copy));
        let weights = matches!(what, Browse::Path(PathFor::WeightsIn | PathFor::WeightsOut));
        let (sender, receiver) = std::sync::mpsc::sync_channel(1);
        let waker = ctx.clone();
        let name = self
            .session
            .as_ref()
            .map_or_else(|| "model.glb".into(), ulna_session::Session::file_name);
        let dialog = rfd::FileDialog::new();
        let dialog = match save {
            true => dialog.add_filter("glTF", &["glb", "gltf", "vrm", "vrma"]).set_file_name(name),
            false if what == Browse::Path(PathFor::WeightsOut) => {
                let name = std::path::Path::new(&name)
                    .with_extension("weights.json")
                    .display()
                    .to_string();
                dialog.add_filter("Weights", &["json", "xml"]).set_file_name(name)
            }
            false if weights => {
                let kinds: Vec<&str> = ["json", "xml"].into_iter().chain(endings()).collect();
                dialog.add_filter("Weights and models", &kinds)
            }
            false => dialog.add_filter("Models and motion", &endings().collect::<Vec<_>>()),
        };
        let dialog = match (what, &self.dialogs.open) {
            (Browse::Export { .. }, Some(Dialog::Export { draft })) => {
                let (folder, name) = draft.place();
                dialog.set_directory(folder).set_file_name(name)
            }
            _ => dialog,
        };
        let ask = move || {
            let chosen = match what {
                Browse::Export { folder: true } => dialog.pick_folder().map(|p| vec![p]),
                Browse::Path(PathFor::Save | PathFor::Copy | PathFor::WeightsOut)
                | Browse::Export { folder: false } => dialog.save_file().map(|p| vec![p]),
                Browse::Path(PathFor::Open | PathFor::WeightsIn) | Browse::Form => {
                    dialog.pick_file().map(|p| vec![p])
                }
                Browse::Path(PathFor::Import) => dialog.pick_files(),
            };
            if sender.send(chosen).is_ok() {
                waker.request_repaint();
            }
        };
        match std::thread::Builder::new().name("file dialog".into()).spawn(ask) {
            Ok(_) => {
                self.files.browsing =
                    Some(Browsing { chosen: receiver, what, since: Instant::now(), instead: None });
            }
            Err(error) => self.toast(
                ctx,
                ToastKind::Error,
                format!("The file dialog could not be opened: {error}. Type a path instead."),
            ),
        }
    }

    /// Takes up what the system's dialog gave.
    pub(super) fn poll_browse(&mut self, ctx: &Context) {
        // No hand closes a dialog so fast.
        const AT_ONCE: Duration = Duration::from_millis(400);
        let Some(browsing) = &self.files.browsing else { return };
        let (what, since) = (browsing.what, browsing.since);
        match browsing.chosen.try_recv() {
            Ok(Some(mut paths)) => {
                self.files.browsing = None;
                let what = match what {
                    Browse::Path(what) => what,
                    Browse::Form => {
                        if let (Some(Dialog::Arguments { draft }), Some(path)) =
                            (&mut self.dialogs.open, paths.first())
                        {
                            draft.name_file(path);
                        }
                        return;
                    }
                    Browse::Export { .. } => {
                        if let (Some(Dialog::Export { draft }), Some(path)) =
                            (&mut self.dialogs.open, paths.first())
                        {
                            draft.go_to(path);
                        }
                        return;
                    }
                };
                self.dialogs.open = None;
                match what {
                    PathFor::Import => self.read_clips(ctx, paths),
                    _ if paths.is_empty() => {}
                    PathFor::Open => self.wish(ctx, DeferredAction::Open(paths.remove(0))),
                    PathFor::Save => self.queue_save(
                        ctx,
                        SaveTo::Asked,
                        self.request(paths.remove(0)),
                        Purpose::Own,
                    ),
                    PathFor::Copy => self.queue_save(
                        ctx,
                        SaveTo::Asked,
                        self.request(paths.remove(0)),
                        Purpose::Copy,
                    ),
                    PathFor::WeightsIn => self.import_weights(ctx, paths.remove(0), None),
                    PathFor::WeightsOut => self.export_weights(ctx, Some(paths.remove(0))),
                }
            }
            // Canceled, or the system has none: the list of files stays.
            Ok(None) | Err(std::sync::mpsc::TryRecvError::Disconnected) => {
                let instead = self.files.browsing.take().and_then(|b| b.instead);
                if since.elapsed() < AT_ONCE && instead.is_some() {
                    // Ours, from now on without asking the system first.
                    self.files.system_dialogs = false;
                    self.dialogs.open = instead;
                } else if since.elapsed() < AT_ONCE {
                    let text = "The system's file dialog is not available. Choose from the list, \
                        or type a path.";
                    self.toast(ctx, ToastKind::Note, text);
                }
            }
            Err(std::sync::mpsc::TryRecvError::Empty) => {
                ctx.request_repaint_after(std::time::Duration::from_millis(100))
            }
        }
    }
}
