//! Loading, selecting, placing and storing reference models.

mod commands;
mod snapping;

use std::path::PathBuf;

use egui::Context;

use super::{
    App,
    files::name_of,
    jobs::JobResult,
    loading::{Loaded, load_whole},
    references::{KeptReference, KeptReferences, ReferenceRequest},
};
use crate::ui::{ReferenceAction, ReferenceId, ReferencesView, ToastKind};
use ulna_edit::command::ReferenceName;
use ulna_formats::gltf::ReadError;
use ulna_session::{Conversion, Session};

impl App {
    /// All reference models, for tests and scripts.
    pub fn references(&self) -> ReferencesView<'_> {
        self.references.view()
    }

    /// Bounding box of a reference model in the scene, for tests.
    pub fn reference_bounds(&mut self, k: usize) -> Option<(glam::Vec3, glam::Vec3)> {
        self.references.models.get_mut(k)?.bounds()
    }

    /// Number of drawn joints of reference models, for tests.
    pub const fn reference_bones(&self) -> usize {
        self.references.bones.len()
    }

    /// Loads a file as a reference model in the background.
    pub(super) fn load_reference(
        &mut self,
        ctx: &Context,
        path: PathBuf,
        kept: Option<KeptReference>,
    ) {
        if self.session.is_none() {
            return;
        }
        let path = std::path::absolute(&path).unwrap_or(path);
        let loader = self.renderer.loader();
        let request = ReferenceRequest { path: path.clone(), kept, file: self.references.file };
        let label = format!("Loading {}", name_of(&path));
        self.start(ctx, label, true, move |progress| {
            let opened = Session::open_as(&path, &Conversion::default(), progress);
            let loaded = opened.map(|session| load_whole(session, &loader));
            JobResult::Referenced(loaded, Box::new(request))
        });
    }

    /// Shows a file that was loaded as a reference model.
    pub(super) fn take_reference(
        &mut self,
        ctx: &Context,
        loaded: Result<Box<Loaded>, ReadError>,
        request: ReferenceRequest,
    ) {
        // Another file was opened in the meantime.
        if request.file != self.references.file || self.session.is_none() {
            return;
        }
        let (name, is_new) = (name_of(&request.path), request.kept.is_none());
        match loaded {
            Ok(loaded) => {
                if let Some((low, high)) = loaded.posed.bounds() {
                    let reach = (high - low).length() * 8.0;
                    self.viewport.camera.reach = self.viewport.camera.reach.max(reach);
                }
                let id = self.references.add(*loaded, request);
                if is_new {
                    self.select_reference(Some(id));
                    let text =
                        format!("{name} is shown beside the model, and never saved with it.");
                    self.toast(ctx, ToastKind::Ok, text);
                    self.keep_references();
                }
            }
            Err(ReadError::Canceled) => {}
            Err(error) => {
                let text = format!("{name} could not be loaded as a reference model: {error}.");
                self.toast(ctx, ToastKind::Error, text);
            }
        }
        ctx.request_repaint();
    }

    /// Name of the selected reference model, in the form of a command argument.
    pub(super) fn selected_reference(&self) -> Option<ReferenceName> {
        let selected = self.references.view().selected();
        selected.map(|facts| ReferenceName(Some(facts.name.clone())))
    }

    /// Selects a reference model; `None` deselects.
    pub(super) fn select_reference(&mut self, id: Option<ReferenceId>) {
        let nodes = self.outliner.selection.nodes.clone();
        self.references.selected = id.map(|id| (id, nodes));
        if id.is_some() {
            self.outliner.inspected = None;
        }
    }

    /// Performs a request of a panel.
    pub(super) fn apply_reference(&mut self, action: ReferenceAction) {
        match action {
            ReferenceAction::Select(id) => self.select_reference(id),
            ReferenceAction::Place(id, place) => {
                self.references.place(id, place);
                self.keep_references();
            }
        }
    }

    /// Updates the poses of reference models whose inputs changed.
    pub(super) fn follow_references(&mut self) {
        let time = self.timeline.playback.time;
        let nodes = &self.outliner.selection.nodes;
        self.references.follow(&mut self.renderer, time, nodes);
    }

    /// Path of the open file, under which its reference models are stored.
    fn file_of_references(&self) -> Option<PathBuf> {
        let path = self.session.as_ref()?.path()?;
        Some(std::path::absolute(path).unwrap_or_else(|_| path.to_owned()))
    }

    /// Stores the reference models of the open file, so that they are loaded again with it.
    pub(super) fn keep_references(&mut self) {
        let Some(path) = self.file_of_references() else { return };
        let all = self.references.facts.iter().map(KeptReference::of).collect();
        KeptReferences::keep(&mut self.program.preferences.references, &path, all);
    }

    /// Loads the reference models that are stored for the opened file. Missing files are skipped.
    pub(super) fn load_kept_references(&mut self, ctx: &Context) {
        let path = self.file_of_references();
        let is_its = |kept: &&KeptReferences| path.as_ref() == Some(&kept.model);
        let kept = self.program.preferences.references.iter().find(is_its);
        for reference in kept.map(|kept| kept.all.clone()).unwrap_or_default() {
            if reference.path.is_file() {
                self.load_reference(ctx, reference.path.clone(), Some(reference));
            }
        }
    }
}
