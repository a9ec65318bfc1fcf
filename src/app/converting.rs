//! Shows the import page for a file of another format, and performs its actions.

use std::path::{Path, PathBuf};

use egui::Context;

use super::{
    App,
    arriving::{Arriving, PreviewFrame},
    files::{Converted, name_of},
    jobs::JobResult,
    loading::{Loaded, load},
    viewport_renderer::Loader,
};
use crate::ui::{ConvertDraft, DeferredAction, Dialog, ForeignCounts, Mode, ToastKind};
use ulna_edit::command::{CleanKind, CleanRig, ClipTexts, PutClips, TakenName};
use ulna_formats::gltf::Progress;
use ulna_model::{Clip, Document, Shared};
use ulna_session::{ClipSource, ImportOptions, Session, arrivals};

/// Reads a file. A file of another format is stored for its import page, together with the other
/// chosen files.
pub(super) fn open(
    path: PathBuf,
    others: &[PathBuf],
    loader: &Loader,
    progress: &Progress,
) -> JobResult {
    let first = Session::open(&path, progress);
    let is_foreign = first.as_ref().is_ok_and(|s| s.imported().is_some());
    if !is_foreign && (first.is_ok() || others.is_empty()) {
        return JobResult::Opened(first.map(load), Some(path));
    }
    match Arriving::read((path.clone(), first), others, loader, progress) {
        Ok(arriving) => JobResult::Found(Box::new(arriving)),
        Err(error) => JobResult::Opened(Err(error), Some(path)),
    }
}

/// Numbers of elements in a document.
fn counts(document: &Document) -> ForeignCounts {
    let is_joint = document.joint_flags();
    let joints = || document.node_ids().filter(|n| is_joint[n.index()]);
    let is_root = |n: &ulna_model::NodeId| {
        document.node(*n).parent.is_none_or(|parent| !is_joint[parent.index()])
    };
    ForeignCounts {
        meshes: document.meshes.count(),
        vertices: document.meshes.values().map(|m| m.vertex_count()).sum(),
        is_skinned: !document.skins.is_empty(),
        joints: joints().count(),
        roots: joints().filter(is_root).count(),
    }
}

/// All clips of files with unique names for one document. A clip whose name is taken gets the name
/// of its file.
fn clips_of(document: &Document, sources: &[ClipSource]) -> Vec<Shared<Clip>> {
    let mut names: Vec<String> = document.clips.ids().map(|id| document.clip_label(id)).collect();
    let mut clips = Vec::new();
    for source in sources {
        let Ok(theirs) = &source.document else { continue };
        let (_, made) = arrivals(document, theirs, &source.path, &ImportOptions::default());
        for arrival in made.into_iter().filter(|a| !a.carried.clip.tracks.is_empty()) {
            let stem = source.path.file_stem().map(|s| s.to_string_lossy().into_owned());
            let name = match stem {
                Some(stem) if names.contains(&arrival.name) => stem,
                _ => arrival.name,
            };
            names.push(name.clone());
            let name = Some(name.as_str().into());
            clips.push(Shared::new(Clip { name, ..arrival.carried.clip }));
        }
    }
    clips
}

impl App {
    /// Shows the import page of a file of another format that was read.
    pub(super) fn found(&mut self, ctx: &Context, mut arriving: Box<Arriving>) {
        let Some(imported) = arriving.loaded.session.imported() else {
            // One of the other files is a glTF file with the model, so it is opened instead.
            if let Some(path) = arriving.loaded.session.path().map(Path::to_owned) {
                let others = arriving.others.into_iter().map(|o| o.path).collect();
                self.files.dropped = Some((path.clone(), others));
                self.wish(ctx, DeferredAction::Open(path));
            }
            return;
        };
        let document = arriving.loaded.session.document();
        let counts = counts(document);
        let has_clips = !imported.found.clips.is_empty() || !arriving.beside.is_empty();
        let onto = self
            .session
            .as_ref()
            .filter(|s| has_clips && s.document().joint_flags().contains(&true))
            .map(Session::file_name);
        let mut draft = ConvertDraft {
            path: imported.path.clone(),
            format: imported.format,
            bytes: std::fs::metadata(&imported.path).map_or(0, |m| m.len()),
            counts,
            found: imported.found.clone().into(),
            findings: arriving.loaded.session.diagnostics.clone().into(),
            bounds: arriving.loaded.posed.bounds().map(|(low, high)| [low, high]),
            onto,
            read_as: imported.conversion.clone(),
            conversion: imported.conversion.clone(),
            cleans: false,
            remembers: false,
            others: std::mem::take(&mut arriving.beside),
            preview: Default::default(),
            filter: String::new(),
            report: None,
            fault: None,
        };
        draft.apply_settings(&self.program.preferences.foreign);
        self.dialogs.open = Some(Dialog::Convert { draft: Box::new(draft) });
        self.files.arriving = Some(arriving);
        // The welcome page is shown behind the import page.
        if self.session.is_none() {
            self.show_welcome(ctx);
        }
    }

    /// Opens the file with the settings of its import page. If there is unsaved work, the user is
    /// asked first.
    pub(super) fn convert(&mut self, ctx: &Context, draft: Box<ConvertDraft>) {
        draft.keep_settings(&mut self.program.preferences.foreign);
        self.wish(ctx, DeferredAction::Convert(draft));
    }

    /// Opens the file with the settings of its import page, without asking.
    pub(super) fn open_converted(&mut self, ctx: &Context, draft: &ConvertDraft) {
        (self.dialogs.open, self.files.dropped) = (None, None);
        let path = draft.path.clone();
        let arriving = self.files.arriving.take().map(|a| a.into_loaded(&mut self.renderer));
        let (loaded, others) = arriving.map_or_else(Default::default, |(l, o)| (Some(l), o));
        let chosen = others.into_iter().zip(&draft.others).filter(|(_, row)| row.takes);
        self.files.converted = Some(Converted {
            path: path.clone(),
            others: chosen.map(|(source, _)| source).collect(),
            cleans: draft.cleans && draft.has_helpers(),
        });
        let is_it = |loaded: &Loaded| {
            loaded
                .session
                .imported()
                .is_some_and(|i| i.path == draft.path && i.conversion == draft.conversion)
        };
        match loaded.filter(|loaded| is_it(loaded)) {
            Some(loaded) => self.take(ctx, JobResult::Opened(Ok(loaded), Some(path))),
            None => {
                let conversion = draft.conversion.clone();
                self.start(ctx, format!("Opening {}", name_of(&path)), true, move |progress| {
                    JobResult::Opened(
                        Session::open_as(&path, &conversion, progress).map(load),
                        Some(path),
                    )
                });
            }
        }
    }

    /// Adds the clips of the other files to the opened model, and removes helper nodes, as chosen
    /// on the import page.
    pub(super) fn finish_converted(&mut self, ctx: &Context, path: &Path) {
        let Some(converted) = self.files.converted.take_if(|c| c.path == path) else { return };
        let Some(session) = &self.session else { return };
        let clips = clips_of(session.document(), &converted.others);
        if !clips.is_empty() {
            let count = clips.len();
            let taken = Some(TakenName::Number);
            self.run(ctx, PutClips { clips: ClipTexts::Clips(clips), taken });
            let text = if count == 1 {
                "1 clip was imported.".to_owned()
            } else {
                format!("{count} clips were imported.")
            };
            self.toast(ctx, ToastKind::Ok, text);
            let first = self.session.as_ref().and_then(|s| s.document().clips.ids().next());
            if let (Some(session), None) = (&self.session, self.timeline.playback.clip) {
                self.timeline.playback.show(session.document(), first);
            }
            self.mode = Mode::FOR_CLIPS;
        }
        if converted.cleans {
            self.run(ctx, CleanRig { what: Some(CleanKind::Helpers) });
        }
    }

    /// Adds the clips of the import page's files to the open model.
    pub(super) fn take_clips(&mut self, ctx: &Context, draft: &ConvertDraft) {
        let others = self.files.arriving.take().map(|a| a.others).unwrap_or_default();
        let chosen = others.into_iter().zip(&draft.others).filter(|(_, row)| row.fault.is_none());
        let path = || draft.path.clone();
        let paths = std::iter::once(path()).chain(chosen.map(|(source, _)| source.path)).collect();
        self.read_clips_as(ctx, paths, Some((path(), draft.conversion.clone())));
    }

    /// Writes the conversion differences and problems of the file to a text file.
    pub(super) fn save_report(&mut self, ctx: &Context, draft: &ConvertDraft) {
        let Some(path) = &draft.report else { return };
        let path = PathBuf::from(path);
        let (kind, text) =
            match self.files.disk.write_new(&path, draft.report_text().as_bytes(), None) {
                Ok(()) => (ToastKind::Ok, format!("The report was saved to {}.", path.display())),
                Err(error) => (
                    ToastKind::Error,
                    format!("The report could not be saved to {}: {error}.", path.display()),
                ),
            };
        self.toast(ctx, kind, text);
    }

    /// Draws the preview on the import page if it changed.
    pub(super) fn draw_arriving(&mut self, ctx: &Context, frame: &eframe::Frame) {
        let Some(Dialog::Convert { draft }) = &self.dialogs.open else { return };
        let (Some(arriving), Some(state)) = (&mut self.files.arriving, frame.wgpu_render_state())
        else {
            return;
        };
        let preview = PreviewFrame {
            state,
            window: ctx.content_rect().size(),
            pixels_per_point: ctx.pixels_per_point(),
            now: ctx.input(|i| i.time),
            theme: self.program.theme.name(),
        };
        let before = arriving.view(&self.files.picture_apart);
        let moves =
            arriving.draw(&mut self.renderer, &mut self.files.picture_apart, draft, &preview);
        if moves || before != arriving.view(&self.files.picture_apart) {
            ctx.request_repaint();
        }
    }
}
