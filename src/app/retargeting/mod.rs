//! State of the *Retarget* page: its source, the clip shown on the target, and the clips to add.

mod bodies;
mod drawing;
mod engine;
mod lanes;
mod retargeted;
mod steps;

use std::{path::PathBuf, sync::Arc};

use egui::Context;

pub(super) use self::{
    drawing::RetargetFrame,
    retargeted::{RetargetRequest, RetargetedClips},
};

use self::{
    bodies::{Source, SourceReading, Target},
    engine::Bodies,
    lanes::{Inputs, PreviewLane, SummaryInputs, SummaryLane},
    steps::{Choices, Steps},
};
use super::{files::name_of, viewport_renderer::Loader};
use crate::ui::{BodyFacts, BodyScene, RetargetDraft, RetargetView};
use ulna_model::{ClipId, Document, RetargetMap};
use ulna_session::{Conversion, Session};

/// State of the open *Retarget* page.
pub(super) struct Retargeting {
    draft: RetargetDraft,
    source: Option<Source>,
    target: Target,
    reading: Option<SourceReading>,
    /// Reason why a file could not be loaded.
    fault: Option<String>,
    preview: PreviewLane,
    summary: SummaryLane,
    scenes: [BodyScene; 2],
    drawing: drawing::DrawnViews,
    /// Short description of the map's origin, such as *matched*.
    map_origin: &'static str,
    steps: Steps,
    /// The first clip that the page added; `None` before.
    added: Option<ClipId>,
}

impl Retargeting {
    /// Opens the page for the open file, without a source.
    pub(super) fn new(session: &Session) -> Self {
        Self {
            draft: RetargetDraft::default(),
            source: None,
            target: Target::of(session),
            reading: None,
            fault: None,
            preview: PreviewLane::default(),
            summary: SummaryLane::default(),
            scenes: Default::default(),
            drawing: drawing::DrawnViews::default(),
            map_origin: "matched",
            steps: Steps::default(),
            added: None,
        }
    }

    /// State of the page, for display in the panels.
    pub(super) fn view(&self) -> RetargetView<'_> {
        let source = self.source.as_ref();
        RetargetView {
            draft: &self.draft,
            bodies: [source.map(|s| &s.facts), Some(&self.target.facts)],
            scenes: &self.scenes,
            reading: self.reading.as_ref().map(|r| r.name.as_str()),
            fault: self.fault.as_deref(),
            result: self.preview.result(),
            is_current: self.inputs().is_some_and(|i| self.preview.is_of(&i)),
            summary: self.summary.found(),
            map_origin: self.map_origin,
        }
    }

    /// True while a file is being loaded or a clip is being retargeted.
    pub(super) fn is_busy(&self) -> bool {
        self.reading.is_some() || self.preview.is_busy() || self.summary.is_busy()
    }

    /// Discards the pictures, so that they are drawn again on another device.
    pub(super) fn forget_pictures(&mut self) {
        self.drawing = drawing::DrawnViews::default();
    }

    /// Documents of both bodies; `None` without a source.
    fn bodies(&self) -> Option<Bodies> {
        let source = Arc::clone(&self.source.as_ref()?.document);
        Some(Bodies { source, target: Arc::clone(&self.target.document) })
    }

    /// Inputs of the job for the shown clip.
    fn inputs(&self) -> Option<Inputs> {
        let source = self.source.as_ref()?;
        let clip = self.draft.shown;
        let _ = source.clips.get(clip)?;
        Some(Inputs {
            map: self.draft.map.clone(),
            clip,
            contacts: self.draft.contacts.get(&clip).cloned(),
            bodies: [source.serial, self.target.revision],
        })
    }

    /// Inputs of the job for the summary.
    fn summary_inputs(&self) -> Option<SummaryInputs> {
        let source = self.source.as_ref()?;
        let taken = (0..source.clips.len()).filter(|k| self.draft.takes.get(*k) == Some(&true));
        let clips = taken.map(|k| (k, self.draft.contacts.get(&k).cloned())).collect();
        Some(SummaryInputs {
            map: self.draft.map.clone(),
            clips,
            bodies: [source.serial, self.target.revision],
        })
    }

    /// True if a map fits this source and the target.
    fn is_fitting(&self, map: &RetargetMap, source: &Source) -> bool {
        let has = |facts: &BodyFacts, name: &str| facts.joint(name).is_some();
        map.fits(|n| has(&source.facts, n), |n| has(&self.target.facts, n))
    }

    /// Map of the automatically matched chains for a source.
    fn guessed(&self, source: &Source) -> RetargetMap {
        let name = source.facts.name.clone();
        RetargetMap { name, ..engine::guess(&source.document, &self.target.document) }
    }

    /// Uses a loaded file as the source. The current map is kept if it fits the file.
    fn take_source(&mut self, source: Source) {
        if !self.is_fitting(&self.draft.map, &source) {
            let kept = self.target.document.retarget_maps().to_vec();
            // Prefers the latest map that is saved in the file.
            let kept = kept.into_iter().rev().find(|map| self.is_fitting(map, &source));
            self.map_origin = if kept.is_some() { "saved" } else { "matched" };
            self.draft.map = kept.unwrap_or_else(|| self.guessed(&source));
            self.draft.chain = None;
        }
        self.draft.takes = source.facts.clips.iter().map(|c| c.length > 0.0).collect();
        (self.draft.shown, self.draft.contact) = (0, None);
        self.draft.contacts.clear();
        self.draft.filter.clear();
        self.draft.clock.time = 0.0;
        self.source = Some(source);
        self.fault = None;
        self.steps = Steps::default();
    }

    /// Advances the clock of both views. Returns whether it plays.
    fn advance(&mut self, seconds: f64) -> bool {
        let clip = self.source.as_ref().and_then(|s| s.facts.clips.get(self.draft.shown));
        let Some(length) = clip.map(|c| f64::from(c.length)).filter(|l| *l > 0.0) else {
            return false;
        };
        let clock = &mut self.draft.clock;
        if !clock.playing {
            clock.time = clock.time.clamp(0.0, length);
            return false;
        }
        clock.time += seconds * f64::from(clock.speed);
        if clock.time > length {
            if clock.repeats {
                clock.time %= length;
            } else {
                (clock.time, clock.playing) = (length, false);
            }
        }
        true
    }

    /// True if a source is loaded.
    pub(super) const fn has_source(&self) -> bool {
        self.source.is_some()
    }

    /// Starts to load a file as the source in the background.
    pub(super) fn read(
        &mut self,
        ctx: &Context,
        path: PathBuf,
        conversion: Conversion,
        loader: Loader,
    ) {
        let name = name_of(&path);
        match SourceReading::begin(ctx, path, conversion, loader) {
            Ok(reading) => (self.reading, self.fault) = (Some(reading), None),
            Err(error) => self.fault = Some(format!("{name} could not be read: {error}")),
        }
    }

    /// Makes a change that can be undone. The changes of a gesture are one step.
    fn change(&mut self, is_gesture: bool, change: impl FnOnce(&mut Self)) {
        let before = Choices::of(&self.draft, self.map_origin);
        change(self);
        self.steps.follow(before, &self.draft, is_gesture);
    }

    /// Replaces the user's choices.
    pub(super) fn set_draft(&mut self, ctx: &Context, draft: RetargetDraft) {
        let is_held = ctx.input(|i| i.pointer.any_down() || i.pointer.any_released());
        // Typed characters of a field belong to one change, too.
        let is_gesture = is_held || ctx.text_edit_focused();
        self.change(is_gesture, |page| page.draft = draft);
        if self.source.is_some() {
            // The user continues with the source that is shown.
            self.fault = None;
        }
    }

    /// True if there is a change to undo, and one to redo.
    pub(super) const fn undoable(&self) -> [bool; 2] {
        self.steps.available()
    }

    /// Undoes or redoes the last change on the page.
    pub(super) fn undo(&mut self, is_undo: bool) {
        if let Some(origin) = self.steps.go(is_undo, &mut self.draft, self.map_origin) {
            self.map_origin = origin;
        }
    }

    /// Stops what runs on the page, so that it can be closed and opened again later.
    pub(super) fn rest(&mut self) {
        self.draft.clock.playing = false;
        (self.reading, self.fault) = (None, None);
        self.summary.stop();
    }

    /// Remembers the first clip that the page added.
    pub(super) const fn note_added(&mut self, clip: Option<ClipId>) {
        self.added = clip;
    }

    /// True if clips were added and are still in the document, so that the work is done.
    pub(super) fn is_done(&self, document: &Document) -> bool {
        self.added.is_some_and(|id| document.clips.contains(id))
    }

    /// The map of the page.
    pub(super) const fn map(&self) -> &RetargetMap {
        &self.draft.map
    }

    /// Replaces the map. `origin` describes it in a word or two.
    pub(super) fn set_map(&mut self, map: RetargetMap, origin: &'static str) {
        self.change(false, |page| {
            (page.draft.map, page.draft.chain) = (map, None);
            page.map_origin = origin;
        });
    }

    /// Matches the chains again.
    pub(super) fn match_again(&mut self) {
        if let Some(map) = self.source.as_ref().map(|source| self.guessed(source)) {
            self.set_map(map, "matched");
        }
    }

    /// Discards manual changes to the contacts of the shown clip, so that they are detected again.
    pub(super) fn detect_contacts(&mut self) {
        self.change(false, |page| {
            page.draft.contacts.remove(&page.draft.shown);
            page.draft.contact = None;
        });
    }

    /// Request to retarget the chosen clips in the background; `None` if none is chosen.
    pub(super) fn request(&self) -> Option<RetargetRequest> {
        let (source, inputs) = (self.source.as_ref()?, self.summary_inputs()?);
        if inputs.clips.is_empty() {
            return None;
        }
        let is_kept = self.target.document.retarget_maps().contains(&self.draft.map);
        Some(RetargetRequest {
            bodies: self.bodies()?,
            map: inputs.map,
            clips: inputs.clips,
            ids: source.clips.clone(),
            names: source.facts.clips.iter().map(|c| self.draft.name_of(&c.name)).collect(),
            taken: self.draft.taken,
            keeps_map: self.draft.keeps_map && !is_kept,
            keys: self.draft.keys.within(Some(self.draft.millimetres)),
        })
    }

    /// Handles finished jobs, and starts the jobs that depend on their results.
    pub(super) fn follow(&mut self, ctx: &Context, session: &Session) {
        self.target.follow(session);
        let runs = |i: &egui::InputState| i.pointer.any_down() || i.pointer.any_released();
        let is_running = ctx.input(|i| runs(i) && !i.pointer.any_pressed());
        if !is_running && !ctx.text_edit_focused() {
            self.steps.end_gesture();
        }
        match self.reading.as_mut().and_then(SourceReading::poll) {
            Some(Ok(source)) => {
                self.reading = None;
                self.take_source(*source);
                ctx.request_repaint();
            }
            Some(Err(error)) => {
                let name = self.reading.take().map(|r| r.name.clone()).unwrap_or_default();
                self.fault = Some(format!("{name} could not be read: {error}"));
                ctx.request_repaint();
            }
            None => {}
        }
        if let (Some(bodies), Some(inputs)) = (self.bodies(), self.inputs()) {
            let ids = self.source.as_ref().map(|s| s.clips.clone()).unwrap_or_default();
            self.preview.follow(ctx, &bodies, inputs.clone(), &ids);
            // The summary waits until the shown clip is done.
            if self.preview.is_of(&inputs)
                && let Some(inputs) = self.summary_inputs()
            {
                self.summary.follow(ctx, &bodies, inputs, &ids);
            }
        }
        if self.advance(f64::from(ctx.input(|i| i.stable_dt)).min(0.25)) {
            ctx.request_repaint();
        }
    }
}
