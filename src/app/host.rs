//! Commands that are the window's: files, playback, view, selection.

use egui::Context;

use super::{
    App,
    jobs::{Done, Purpose},
};
use crate::{
    edit::{CommandLine, Mode},
    model::NodeId,
    render::{Axis, Shading},
    ui::{Dialog, Layout, PreferencePage, Settings, Shown, ThemeChoice, ToastKind, Tool, Wish},
};

impl App {
    pub(super) fn host(&mut self, ctx: &Context, line: &CommandLine) {
        match line.name.as_str() {
            "file.open" => match line.arguments.get("path").and_then(|p| p.as_str()) {
                Some(path) => self.wish(ctx, Wish::Open(path.into())),
                None => self.wish(ctx, Wish::AskOpen),
            },
            "file.sample" => self.wish(ctx, Wish::Sample),
            "file.save" => self.save(ctx),
            "file.save_as" => self.ask_save(ctx),
            "file.save_copy" => self.ask_copy(),
            "file.save_incremented" => self.save_incremented(ctx),
            "file.revert" => self.wish(ctx, Wish::Revert),
            "file.recover" => {
                self.look_for_recoveries(ctx);
                self.dialog = Some(Dialog::Recovery { open: None, discard: None });
            }
            "file.changes" => self.list_changes(ctx),
            "file.quit" => ctx.send_viewport_cmd(egui::ViewportCommand::Close),
            "file.welcome" if self.welcome && self.session.is_some() => self.welcome = false,
            "file.welcome" => self.show_welcome(ctx),
            "file.preferences" => {
                self.dialog = Some(Dialog::Preferences { page: PreferencePage::Look, listening: None });
            }
            "edit.find" => self.dialog = Some(Dialog::Find),
            "edit.history" => self.dialog = Some(Dialog::History),
            "help.tour" => self.start_tour(ctx),
            "help.commands" => self.dialog = Some(Dialog::Commands),
            "help.about" => self.dialog = Some(Dialog::About),
            "mode.pose" => self.set_mode(Mode::Pose),
            "mode.animate" => self.set_mode(Mode::Animate),
            "mode.paint" => self.set_mode(Mode::Paint),
            "weights.look" => {
                let all = crate::ui::WeightLook::ALL;
                let at = all.iter().position(|l| *l == self.painting.look).unwrap_or(0);
                self.painting.look = all[(at + 1) % all.len()];
            }
            "weights.worst" => self.search_worst(ctx),
            "weights.range" => self.show_range(self.painting.range.is_none()),
            name if name.starts_with("vertices.") => self.vertex_command(ctx, line),
            name if name.starts_with("paint.") => self.paint_command(ctx, name),
            "tool.select" => self.tool = Tool::Select,
            "tool.rotate" => self.tool = Tool::Rotate,
            "pose.copy" => self.copy_pose(ctx),
            // The system's clipboard answers with an event.
            "pose.paste" => ctx.send_viewport_cmd(egui::ViewportCommand::RequestPaste),
            "view.camera" => self.look_through(ctx, line),
            name if name.starts_with("view.") => self.view(ctx, name),
            name if name.starts_with("play.") => self.play(name),
            name if name.starts_with("select.") => self.select(name),
            other => log::error!("no window command “{other}”"),
        }
    }

    fn set_mode(&mut self, mode: Mode) {
        // `run` has ended the gesture that was under way.
        if mode == Mode::Paint && self.mode != Mode::Paint {
            // What was seen stays: weights are painted on the clip that was shown.
            self.painting.over_clip = self.shown_clip().is_some();
        }
        self.mode = mode;
        self.playback.playing = false;
    }

    fn view(&mut self, ctx: &Context, name: &str) {
        match name {
            "view.frame_all" => self.frame(ctx, false),
            "view.frame_selected" => self.frame(ctx, true),
            "view.perspective" => self.camera.orthographic = !self.camera.orthographic,
            "view.front" => self.look(ctx, Axis::Front),
            "view.back" => self.look(ctx, Axis::Back),
            "view.side" => self.look(ctx, Axis::Side),
            "view.other_side" => self.look(ctx, Axis::OtherSide),
            "view.top" => self.look(ctx, Axis::Top),
            "view.bottom" => self.look(ctx, Axis::Bottom),
            "view.three_quarter" => self.look(ctx, Axis::ThreeQuarter),
            "view.textured" => self.shown.shading = Shading::Textured,
            "view.solid" => self.shown.shading = Shading::Solid,
            "view.wireframe" => self.shown.shading = Shading::Wireframe,
            "view.xray" => self.shown.shading = Shading::XRay,
            "view.axes" => self.shown.axes = !self.shown.axes,
            "view.lights" => self.shown.lights = !self.shown.lights,
            "view.grid" => self.shown.grid = !self.shown.grid,
            "view.joints" => self.shown.joints = !self.shown.joints,
            "view.names" => self.shown.names = !self.shown.names,
            "view.show_all" => self.marks.hidden.clear(),
            "view.hide" | "view.isolate" | "view.lock" => self.mark(name),
            "view.outliner" if ctx.content_rect().width() < 1000.0 => {
                self.shown.outliner_narrow = !self.shown.outliner_narrow;
            }
            "view.outliner" => self.shown.outliner = !self.shown.outliner,
            "view.problems" => self.shown.problems = !self.shown.problems,
            "view.theme" => {
                let theme = if self.theme.name() == "light" { ThemeChoice::Dark } else { ThemeChoice::Light };
                self.set_settings(ctx, Settings { theme, ..self.settings.clone() });
            }
            "view.larger" => self.resize(ctx, 1.1),
            "view.smaller" => self.resize(ctx, 1.0 / 1.1),
            "view.inspector" => self.shown.inspector = !self.shown.inspector,
            "view.timeline" => self.shown.timeline = !self.shown.timeline,
            "view.reset_layout" => {
                self.shown = Shown {
                    grid: self.shown.grid,
                    joints: self.shown.joints,
                    names: self.shown.names,
                    axes: self.shown.axes,
                    lights: self.shown.lights,
                    shading: self.shown.shading,
                    ..Shown::default()
                };
                self.panels.set_layout(Layout::default());
                // The sizes that parts of panels remember are egui's.
                ctx.memory_mut(egui::Memory::reset_areas);
                ctx.data_mut(|d| d.remove_by_type::<egui::containers::panel::PanelState>());
            }
            _ => {}
        }
    }

    /// Makes the whole window larger or smaller.
    fn resize(&mut self, ctx: &Context, by: f32) {
        let scale = ((self.settings.scale * by).clamp(0.5, 3.0) * 100.0).round() / 100.0;
        self.set_settings(ctx, Settings { scale, ..self.settings.clone() });
    }

    /// The welcome page, with the list of files as it is now.
    pub(super) fn show_welcome(&mut self, ctx: &Context) {
        self.recent.refresh(ctx, &self.preferences.recent);
        self.welcome = true;
        self.playback.playing = false;
    }

    /// The tour is of the sample, unless a file is open already.
    fn start_tour(&mut self, ctx: &Context) {
        if self.session.is_none() {
            self.wish(ctx, Wish::Sample);
        }
        self.welcome = false;
        self.tour = Some(0);
    }

    /// Hides, isolates or locks what is selected.
    fn mark(&mut self, name: &str) {
        let Some(session) = &self.session else { return };
        let document = session.document();
        let nodes = self.selection.nodes.clone();
        match name {
            "view.hide" => self.marks.set_hidden(document, nodes, true),
            "view.isolate" => self.marks.isolate(document, &nodes),
            _ => self.marks.toggle_locked(&nodes),
        }
    }

    fn look(&mut self, ctx: &Context, axis: Axis) {
        let mut camera = self.camera;
        camera.look(axis);
        self.glide_to(ctx, camera);
    }

    /// Looks through a camera of the file: the one that is named, or the next.
    fn look_through(&mut self, ctx: &Context, line: &CommandLine) {
        let Some(session) = &self.session else { return };
        let document = session.document();
        let cameras: Vec<NodeId> =
            document.shown_nodes().into_iter().filter(|n| document.node(*n).camera.is_some()).collect();
        let named = line.arguments.get("node").and_then(|v| v.as_str());
        let node = match named {
            Some(text) => cameras.iter().copied().find(|n| crate::ui::node_text(document, *n) == text),
            None => {
                let at = cameras.iter().position(|n| self.looked_through == Some(*n));
                cameras.get(at.map_or(0, |k| (k + 1) % cameras.len())).copied()
            }
        };
        let Some(node) = node else { return };
        self.looked_through = Some(node);
        let mut camera = self.camera;
        camera.look_from(&self.stage.pose().world[node.index()]);
        self.glide_to(ctx, camera);
        self.selection.set(node);
    }

    /// Shows the whole model, or what is selected: the selected joints with all their children.
    fn frame(&mut self, ctx: &Context, selected: bool) {
        let Some(session) = &self.session else { return };
        let document = session.document();
        let size = self.stage.size();
        let bounds = if selected && !self.selection.nodes.is_empty() {
            let pose = self.stage.pose();
            let mut points = Vec::new();
            for node in &self.selection.nodes {
                points.push(pose.world[node.index()].w_axis.truncate());
                points.extend(document.node(*node).children.iter().map(|c| pose.world[c.index()].w_axis.truncate()));
            }
            let low = points.iter().copied().reduce(glam::Vec3::min);
            low.zip(points.into_iter().reduce(glam::Vec3::max)).map(|(low, high)| {
                let room = ((high - low).length() * 0.5).max(self.camera.distance * 0.02);
                (low - room, high + room)
            })
        } else {
            self.stage.surface(document).bounds().or_else(|| crate::motion::joint_bounds(document, self.stage.pose()))
        };
        if let Some((low, high)) = bounds {
            let mut camera = self.camera;
            camera.frame(low, high, size.x / size.y);
            self.glide_to(ctx, camera);
        }
    }

    fn play(&mut self, name: &str) {
        let Some(session) = &self.session else { return };
        let document = session.document();
        match name {
            "play.toggle" => {
                self.playback.playing = !self.playback.playing;
                if self.playback.playing && self.playback.time >= self.playback.length(document) {
                    self.playback.time = 0.0;
                }
            }
            "play.loop" => self.playback.looping = !self.playback.looping,
            "play.next_frame" => self.playback.step(1.0),
            "play.previous_frame" => self.playback.step(-1.0),
            "play.next_key" => self.playback.step_key(document, true),
            "play.previous_key" => self.playback.step_key(document, false),
            "play.start" => self.playback.seek(0.0),
            "play.end" => self.playback.seek(self.playback.length(document)),
            _ => {}
        }
        if name != "play.toggle" && name != "play.loop" {
            self.playback.playing = false;
        }
    }

    fn select(&mut self, name: &str) {
        let Some(session) = &self.session else { return };
        let document = session.document();
        let active = self.selection.active;
        let next: Option<NodeId> = match name {
            "select.none" => {
                self.selection.clear();
                None
            }
            "select.joints" => {
                let flags = document.joint_flags();
                self.selection.nodes = document.node_ids().filter(|id| flags[id.index()]).collect();
                self.selection.active = active
                    .filter(|a| self.selection.nodes.contains(a))
                    .or_else(|| self.selection.nodes.first().copied());
                None
            }
            "select.parent" => active.and_then(|a| document.node(a).parent),
            "select.child" => active.and_then(|a| document.node(a).children.first().copied()),
            "select.sibling" => active.and_then(|a| {
                let siblings = &document.node(document.node(a).parent?).children;
                let at = siblings.iter().position(|s| *s == a)?;
                siblings.get((at + 1) % siblings.len()).copied()
            }),
            _ => None,
        };
        if let Some(node) = next {
            self.selection.set(node);
        }
    }

    fn list_changes(&mut self, ctx: &Context) {
        let Some(session) = self.session.clone() else { return };
        self.start(ctx, "Listing what will change".into(), true, move |_| Done::Listed(session.will_change()));
    }

    /// Asks for a file to open: a path field, with the system's dialog a button away.
    pub(super) fn ask_open(&mut self, _: &Context) {
        let folder = self
            .preferences
            .recent
            .first()
            .and_then(|f| f.path.parent())
            .map_or_else(String::new, |p| format!("{}/", p.display()));
        self.dialog = Some(Dialog::Open { path: folder });
    }

    pub(super) fn ask_save(&mut self, _: &Context) {
        let path = self.session.as_ref().map_or_else(String::new, |s| s.suggested_path().display().to_string());
        self.dialog = Some(Dialog::SaveAs { path, copy: false });
    }

    fn ask_copy(&mut self) {
        let path = self.session.as_ref().map_or_else(String::new, |s| s.suggested_path().display().to_string());
        self.dialog = Some(Dialog::SaveAs { path, copy: true });
    }

    /// The system's own dialog, off this thread: some of them wait for another program.
    pub(super) fn browse(&mut self, ctx: &Context, save: bool) {
        let (sender, receiver) = std::sync::mpsc::sync_channel(1);
        let waker = ctx.clone();
        let name = self.session.as_ref().map_or_else(|| "model.glb".into(), crate::session::Session::file_name);
        let dialog = rfd::FileDialog::new().add_filter("glTF", &["glb", "gltf", "vrm", "x"]).set_file_name(if save {
            name
        } else {
            String::new()
        });
        let ask = move || {
            let chosen = if save { dialog.save_file() } else { dialog.pick_file() };
            if sender.send(chosen).is_ok() {
                waker.request_repaint();
            }
        };
        match std::thread::Builder::new().name("file dialog".into()).spawn(ask) {
            Ok(_) => self.browsing = Some((receiver, save)),
            Err(error) => self.toast(
                ctx,
                ToastKind::Error,
                format!("The file dialog could not be opened: {error}. Type the path instead."),
            ),
        }
    }

    /// Takes up what the system's dialog gave.
    pub(super) fn poll_browse(&mut self, ctx: &Context) {
        let Some((receiver, save)) = &self.browsing else { return };
        let save = *save;
        match receiver.try_recv() {
            Ok(Some(path)) => {
                self.browsing = None;
                self.dialog = None;
                if save {
                    self.save_as(ctx, self.request(path), Purpose::Own)
                } else {
                    self.wish(ctx, Wish::Open(path))
                }
            }
            // Cancelled, or the system has none: the path field stays.
            Ok(None) | Err(std::sync::mpsc::TryRecvError::Disconnected) => self.browsing = None,
            Err(std::sync::mpsc::TryRecvError::Empty) => {
                ctx.request_repaint_after(std::time::Duration::from_millis(100))
            }
        }
    }
}
