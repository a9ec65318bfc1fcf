//! Opens files, and shows them in place of the previous file.

use std::path::{Path, PathBuf};

use egui::Context;

use super::{
    App, SAMPLE,
    binding::Binding,
    converting,
    files::name_of,
    jobs::JobResult,
    loading::{Loaded, load},
    recent,
};
use crate::ui::{Compare, Dialog, Mode, ToastKind};
use ulna_edit::Selection;
use ulna_formats::gltf::ReadError;
use ulna_render::{Axis, Camera};
use ulna_session::{Playback, Session};

impl App {
    /// Opens a file in the background.
    pub(super) fn open(&mut self, ctx: &Context, path: PathBuf) {
        let dropped = self.files.dropped.as_ref().filter(|(first, _)| *first == path);
        let others = dropped.map(|(_, others)| others.clone()).unwrap_or_default();
        let loader = self.renderer.loader();
        self.start(ctx, format!("Opening {}", name_of(&path)), true, move |progress| {
            converting::open(path, &others, &loader, progress)
        });
    }

    /// Opens the bundled sample.
    pub(super) fn open_sample(&mut self, ctx: &Context) {
        self.start(ctx, "Opening the sample".into(), true, move |_| {
            JobResult::Opened(Session::open_bytes(SAMPLE).map(load), None)
        });
    }

    /// Shows a file that was opened in the background.
    pub(super) fn take_opened(&mut self, ctx: &Context, loaded: Loaded, path: Option<PathBuf>) {
        let others = self.files.dropped.take();
        self.show(ctx, loaded, path.is_none());
        self.begin_journal(ctx);
        if let Some(path) = &path {
            self.remember(ctx, path);
            self.say_recoverable(ctx, path);
        }
        self.show_title(ctx);
        // The other dropped files are imported only if the first file was opened.
        if let Some((_, others)) = others.filter(|(first, _)| path.as_ref() == Some(first)) {
            self.read_clips(ctx, others);
        }
        if let Some(path) = &path {
            self.finish_converted(ctx, path);
        }
    }

    /// Reports why a file could not be opened.
    pub(super) fn say_unopened(&mut self, ctx: &Context, error: &ReadError, path: Option<PathBuf>) {
        if let (ReadError::Foreign { .. }, Some(path)) = (error, &path) {
            let message = error.to_string();
            self.dialogs.open = Some(Dialog::CannotRead { path: path.clone(), message });
            if self.session.is_none() {
                self.show_welcome(ctx);
            }
            return;
        }
        let name = path.map_or_else(|| "The sample".into(), |p| p.display().to_string());
        let text = match error {
            // The error names the path again, and the number of the system's error says nothing.
            ReadError::Io { source, .. } => {
                let reason = source.to_string();
                let reason = reason.split(" (os error").next().unwrap_or_default();
                format!(
                    "{name} could not be opened: {reason}. Check that the file exists and that you \
                     have permission to read it."
                )
            }
            error => format!("{name} could not be opened: {error}."),
        };
        self.toast(ctx, ToastKind::Error, text);
        // The window never shows empty panels.
        if self.session.is_none() {
            self.show_welcome(ctx);
        }
    }

    /// Shows another document. If it is the sample, a clip plays.
    pub(super) fn show(
        &mut self,
        ctx: &Context,
        Loaded { session, posed, uploaded }: Loaded,
        sample: bool,
    ) {
        // Clears the messages and scroll positions of the previous file.
        self.dialogs.toasts.clear();
        ctx.data_mut(|d| {
            d.remove_by_type::<egui::containers::scroll_area::State>();
            d.remove_by_type::<egui::containers::panel::PanelState>();
        });
        self.part_with_session();
        (self.retargeting, self.retarget_kept) = (None, None);
        self.references.leave_file();
        self.binding = Binding::default();
        if matches!(self.dialogs.open, Some(Dialog::Bind { .. } | Dialog::Rebind { .. })) {
            self.dialogs.open = None;
        }
        self.jobs.offered.clear();
        self.timeline.leave_file();
        self.layers.forget_chosen();
        self.outliner.forget_kept();
        self.files.asked_disk = None;
        self.files.left_unkeyed.clear();
        (self.files.exported, self.files.export_draft) = (None, None);
        let document = session.document();
        self.outliner.selection = Selection::default();
        self.outliner.visibility = Default::default();
        self.outliner.sets.clear();
        self.outliner.inspected = None;
        self.outliner.hover = None;
        self.program.welcome = false;
        self.viewport.looked_through = None;
        self.viewport.compare = Compare::Edited;
        self.viewport.transition = None;
        self.panels.reset();
        self.painting.reset();
        self.timeline.playback = Playback::default();
        let walk = document
            .clips
            .iter()
            .find(|(_, c)| sample && c.name.as_deref() == Some("Walk"))
            .map(|(id, _)| id);
        self.timeline.playback.show(document, walk.or_else(|| document.clips.ids().next()));
        self.mode = if document.clips.is_empty() { Mode::WITHOUT_CLIPS } else { Mode::FOR_CLIPS };
        self.timeline.playback.playing = sample;
        self.problems.of_images = Vec::new();
        self.problems.list = session.diagnostics.clone().into();
        let bounds = self.renderer.load(posed);
        let findings = uploaded.map_or_else(Vec::new, |(uploaded, findings)| {
            self.renderer.take_upload(document, uploaded);
            findings
        });
        self.viewport.camera =
            Camera { fov: self.program.settings.fov.to_radians(), ..Camera::default() };
        self.viewport.camera.look(Axis::ThreeQuarter);
        if let Some((low, high)) = bounds {
            let size = self.renderer.size();
            // In orthographic views, the depth precision depends on this distance.
            self.viewport.camera.reach = (high - low).length() * 8.0;
            self.viewport.camera.frame(low, high, size.x / size.y);
        }
        self.session = Some(session);
        self.load_kept_references(ctx);
        self.take_findings(findings);
    }

    /// Adds a file to the list of recent files, and schedules its thumbnail.
    pub(super) fn remember(&mut self, ctx: &Context, path: &Path) {
        let Some(document) = self.session.as_ref().map(Session::document) else { return };
        let joints = document.joint_flags().into_iter().filter(|j| *j).count();
        let many = |n: usize, what: &str| match n {
            0 => format!("no {what}s"),
            1 => format!("1 {what}"),
            n => format!("{n} {what}s"),
        };
        let facts = format!("{} · {}", many(joints, "joint"), many(document.clips.count(), "clip"));
        let path = recent::remember(&mut self.program.preferences.recent, path, facts);
        self.program.picture_of = self.program.keeps.then_some(path);
        self.program.recent.refresh(ctx, &self.program.preferences.recent);
    }

    /// Renders the thumbnail of a file for the welcome page, after the file is first drawn. Does
    /// not wait for slow devices.
    pub(super) fn take_picture(&mut self, ctx: &Context) {
        if let Some((path, capture)) = self.program.taking.take() {
            match self.renderer.poll_picture(&capture) {
                Ok(Some(picture)) => {
                    self.program.recent.forget_picture(&path);
                    recent::store_picture(&path, picture);
                }
                Ok(None) => {
                    self.program.taking = Some((path, capture));
                    ctx.request_repaint_after(std::time::Duration::from_millis(60));
                }
                Err(error) => log::warn!("no picture of the file: {error}"),
            }
        }
        // Until the file is drawn, the picture is missing or shows the previous file.
        if self.program.picture_of.is_none()
            || self.jobs.is_busy()
            || !self.renderer.shows_picture()
        {
            return;
        }
        let (Some(path), Some(session)) = (self.program.picture_of.take(), &self.session) else {
            return;
        };
        self.program.taking = self
            .renderer
            .begin_picture(session.document(), recent::PICTURE)
            .map(|capture| (path, capture));
    }

    pub(super) fn show_title(&self, ctx: &Context) {
        let name =
            self.session.as_ref().map_or_else(String::new, |s| format!("{} – ", s.file_name()));
        ctx.send_viewport_cmd(egui::ViewportCommand::Title(format!("{name}Ulna")));
    }
}
