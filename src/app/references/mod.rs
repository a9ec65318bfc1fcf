//! Reference models: files that are shown together with the open one. They are not part of its
//! document, its history or its saved file.

mod kept;
mod model;
mod nearest;

use std::{collections::BTreeSet, path::PathBuf};

pub(super) use self::{
    kept::{KeptReference, KeptReferences},
    nearest::nearest,
};

use self::model::Reference;
use super::{
    files::name_of,
    loading::Loaded,
    viewport_renderer::{Beside, ViewportRenderer},
};
use crate::ui::{ReferenceFacts, ReferenceId, ReferencePlace, ReferencesView};
use ulna_model::NodeId;
use ulna_render::BoneLook;

/// All reference models of the window.
#[derive(Default)]
pub(super) struct References {
    pub(super) models: Vec<Reference>,
    /// Facts about each model, as panels see them.
    pub(super) facts: Vec<ReferenceFacts>,
    /// The selected model, and the nodes that were selected at the same time.
    pub(super) selected: Option<(ReferenceId, BTreeSet<NodeId>)>,
    next: u32,
    /// Serial number of the open file.
    pub(super) file: u64,
    /// The drawn joints of all models.
    pub(super) bones: Vec<BoneLook>,
}

/// A file that is being loaded as a reference model.
pub(super) struct ReferenceRequest {
    pub(super) path: PathBuf,
    /// Stored transform and display of the model; `None` if it is new.
    pub(super) kept: Option<KeptReference>,
    /// Serial number of the open file that the reference belongs to.
    pub(super) file: u64,
}

impl References {
    /// State of the models, for display in the panels.
    pub(super) fn view(&self) -> ReferencesView<'_> {
        ReferencesView { all: &self.facts, selected: self.selected() }
    }

    /// Id of the selected model.
    pub(super) fn selected(&self) -> Option<ReferenceId> {
        self.selected.as_ref().map(|(id, _)| *id)
    }

    /// Number of models.
    pub(super) const fn count(&self) -> usize {
        self.models.len()
    }

    /// Removes all reference models, because another file is open.
    pub(super) fn leave_file(&mut self) {
        let file = self.file + 1;
        *self = Self { file, next: self.next, ..Self::default() };
    }

    /// Deselects the selected model.
    pub(super) fn deselect(&mut self) {
        self.selected = None;
    }

    fn index_of(&self, id: ReferenceId) -> Option<usize> {
        self.facts.iter().position(|facts| facts.id == id)
    }

    /// Index of the reference model with a name. Without a name, the selected model, or else the
    /// last one.
    pub(super) fn named(&self, name: Option<&str>) -> Option<usize> {
        let facts = self.view().named(name)?;
        self.index_of(facts.id)
    }

    /// The name, with a number appended if another model has this name.
    fn free_name(&self, name: &str) -> String {
        let is_free = |name: &String| self.facts.iter().all(|facts| facts.name != *name);
        let numbered = (2..).map(|k| format!("{name} {k}"));
        std::iter::once(name.to_owned()).chain(numbered).find(is_free).unwrap_or_default()
    }

    pub(super) fn add(&mut self, loaded: Loaded, request: ReferenceRequest) -> ReferenceId {
        let id = ReferenceId(self.next);
        self.next += 1;
        let name = self.free_name(&name_of(&request.path));
        let (model, facts) = Reference::new(loaded, id, name, request.path);
        self.models.push(model);
        self.facts.push(request.kept.map_or_else(|| facts.clone(), |kept| kept.applied(&facts)));
        id
    }

    pub(super) fn remove(&mut self, k: usize) {
        let facts = self.facts.remove(k);
        self.models.remove(k);
        if self.selected() == Some(facts.id) {
            self.deselect();
        }
    }

    pub(super) fn place(&mut self, id: ReferenceId, place: ReferencePlace) {
        if let Some(k) = self.index_of(id) {
            self.facts[k].place = place.clamped();
        }
    }

    /// Updates the poses of models for the playhead at `time` in seconds. A change of the selected
    /// nodes deselects the selected model.
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

    /// The visible models, for drawing.
    pub(super) fn drawn(&self) -> Vec<Beside<'_>> {
        let both = self.models.iter().zip(&self.facts).filter(|(_, facts)| !facts.hidden);
        both.filter_map(|(model, facts)| model.beside(facts.plain)).collect()
    }

    /// The drawn joints of all models.
    pub(super) fn bones(&self) -> &[BoneLook] {
        &self.bones
    }
}
