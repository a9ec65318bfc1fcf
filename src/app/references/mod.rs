//! Reference models: files that are shown beside the open one. They are no part of its document,
//! of its history, or of what is saved.

mod commands;
mod kept;
mod model;
mod snapping;

use std::{collections::BTreeSet, path::PathBuf};

use egui::Context;

pub(super) use self::kept::{KeptReference, KeptReferences};

use self::model::Reference;
use super::{
    App,
    files::name_of,
    jobs::JobResult,
    loading::{Loaded, load_whole},
    viewport_renderer::{Beside, ViewportRenderer},
};
use crate::ui::{
    ReferenceAction, ReferenceFacts, ReferenceId, ReferencePlace, ReferencesView, ToastKind,
};
use ulna_formats::gltf::ReadError;
use ulna_model::NodeId;
use ulna_render::BoneLook;
use ulna_session::{Conversion, Session};

/// All reference models of the window.
#[derive(Default)]
pub(super) struct References {
    models: Vec<Reference>,
    /// One per model, as panels see it.
    facts: Vec<ReferenceFacts>,
    /// The selected one, with the nodes that were selected then.
    selected: Option<(ReferenceId, BTreeSet<NodeId>)>,
    next: u32,
    /// Another number for each open file.
    file: u64,
    /// Joints that are drawn.
    bones: Vec<BoneLook>,
}

/// A file on its way to be a reference model.
pub(super) struct ReferenceRequest {
    path: PathBuf,
    /// Place and display of an earlier time.
    kept: Option<KeptReference>,
    /// Number of the open file that it is loaded beside.
    file: u64,
}

impl References {
    /// The models, as panels see them.
    pub(super) fn view(&self) -> ReferencesView<'_> {
        ReferencesView { all: &self.facts, selected: self.selected() }
    }

    /// The selected one.
    pub(super) fn selected(&self) -> Option<ReferenceId> {
        self.selected.as_ref().map(|(id, _)| *id)
    }

    /// Number of models.
    pub(super) const fn count(&self) -> usize {
        self.models.len()
    }

    /// Forgets all of them: another file is open.
    pub(super) fn leave_file(&mut self) {
        let file = self.file + 1;
        *self = Self { file, next: self.next, ..Self::default() };
    }

    /// Selects none.
    pub(super) fn deselect(&mut self) {
        self.selected = None;
    }

    fn index_of(&self, id: ReferenceId) -> Option<usize> {
        self.facts.iter().position(|facts| facts.id == id)
    }

    /// The one that a command means by a name; without a name the selected one, or the last.
    fn named(&self, name: Option<&str>) -> Option<usize> {
        let facts = self.view().named(name)?;
        self.index_of(facts.id)
    }

    /// A name that no other has.
    fn free_name(&self, name: &str) -> String {
        let is_free = |name: &String| self.facts.iter().all(|facts| facts.name != *name);
        let numbered = (2..).map(|k| format!("{name} {k}"));
        std::iter::once(name.to_owned()).chain(numbered).find(is_free).unwrap_or_default()
    }

    fn add(&mut self, loaded: Loaded, request: ReferenceRequest) -> ReferenceId {
        let id = ReferenceId(self.next);
        self.next += 1;
        let name = self.free_name(&name_of(&request.path));
        let (model, facts) = Reference::new(loaded, id, name, request.path);
        self.models.push(model);
        self.facts.push(request.kept.map_or_else(|| facts.clone(), |kept| kept.applied(&facts)));
        id
    }

    fn remove(&mut self, k: usize) {
        let facts = self.facts.remove(k);
        self.models.remove(k);
        if self.selected() == Some(facts.id) {
            self.deselect();
        }
    }

    fn place(&mut self, id: ReferenceId, place: ReferencePlace) {
        if let Some(k) = self.index_of(id) {
            self.facts[k].place = place.clamped();
        }
    }

    /// Poses what changed at the time of the playhead, seconds. Selecting other nodes deselects the
    /// selected model.
    pub(super) fn follow(
        &mut self,
        renderer: &mut ViewportRenderer,
        time: f64,
        nodes: &BTreeSet<NodeId>,
    ) {
        if self.selected.as_ref().is_some_and(|(_, then)| then != nodes) {
            self.deselect();
        }
        let mut bones = Vec::new();
        let selected = self.selected();
        let mut is_changed = false;
        for (model, facts) in self.models.iter_mut().zip(&self.facts) {
            is_changed |= model.follow(renderer, facts, time);
            if !facts.hidden && (facts.shows_joints || model.is_bare()) {
                bones.extend(model.bone_looks(&renderer.colors(), selected == Some(facts.id)));
            }
        }
        if is_changed || bones != self.bones {
            self.bones = bones;
            renderer.redraw();
        }
    }

    /// Models that are drawn.
    pub(super) fn drawn(&self) -> Vec<Beside<'_>> {
        let both = self.models.iter().zip(&self.facts).filter(|(_, facts)| !facts.hidden);
        both.filter_map(|(model, facts)| model.beside(facts.plain)).collect()
    }

    /// Joints that are drawn.
    pub(super) fn bones(&self) -> &[BoneLook] {
        &self.bones
    }
}

impl App {
    /// Reference models beside the open file, for tests and scripts.
    pub fn references(&self) -> ReferencesView<'_> {
        self.references.view()
    }

    /// A box around a reference model in the scene, for tests.
    pub fn reference_bounds(&mut self, k: usize) -> Option<(glam::Vec3, glam::Vec3)> {
        self.references.models.get_mut(k)?.bounds()
    }

    /// Number of joints of reference models that are drawn, for tests.
    pub const fn reference_bones(&self) -> usize {
        self.references.bones.len()
    }

    /// Loads a file as a reference model, beside the window.
    pub(super) fn load_reference(
        &mut self,
        ctx: &Context,
        path: PathBuf,
        kept: Option<KeptReference>,
    ) {
        if self.session.is_none() {
            return;
        }
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
        // Another file was opened meanwhile.
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
                        format!("{name} is shown as a reference model. It is not saved here.");
                    self.toast(ctx, ToastKind::Ok, text);
                }
                self.keep_references();
            }
            Err(ReadError::Canceled) => {}
            Err(error) => {
                let text = format!("{name} could not be loaded as a reference model: {error}.");
                self.toast(ctx, ToastKind::Error, text);
            }
        }
        ctx.request_repaint();
    }

    /// Name of the selected reference model, as commands take it.
    pub(super) fn selected_reference(&self) -> Option<Option<String>> {
        self.references.view().selected().map(|facts| Some(facts.name.clone()))
    }

    /// Selects a reference model, or none.
    pub(super) fn select_reference(&mut self, id: Option<ReferenceId>) {
        let nodes = self.outliner.selection.nodes.clone();
        self.references.selected = id.map(|id| (id, nodes));
        if id.is_some() {
            self.outliner.inspected = None;
        }
    }

    /// Carries out a request of a panel.
    pub(super) fn apply_reference(&mut self, action: ReferenceAction) {
        match action {
            ReferenceAction::Select(id) => self.select_reference(id),
            ReferenceAction::Place(id, place) => {
                self.references.place(id, place);
                self.keep_references();
            }
        }
    }

    /// Poses the reference models that changed.
    pub(super) fn follow_references(&mut self) {
        let time = self.timeline.playback.time;
        let nodes = &self.outliner.selection.nodes;
        self.references.follow(&mut self.renderer, time, nodes);
    }
}
