//! State of the mixer between frames.

use std::{collections::HashMap, sync::Arc};

use crate::ui::View;
use crate::ui::name_field::NameDraft;
use ulna_edit::command::{EnterHow, GoWhen};
use ulna_model::{ClipId, Document, Mix, Shared};
use ulna_motion::{BarClock, Jump, Mixer, jumps};

/// Dragged part of a bar.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Grip {
    Whole,
    Copy,
    Start,
    End,
    FadeIn,
    FadeOut,
}

/// Drag of a bar or of a marker in it.
#[derive(Clone, Debug)]
pub struct Drag {
    pub lane: usize,
    pub bar: usize,
    pub grip: Grip,
    /// Mix at the start of the drag (`from`), and time at the press in seconds (`at`).
    pub from: Shared<Mix>,
    pub at: f64,
    /// Dragged marker of the bar's clip: clip, marker time in seconds, and playback speed there.
    /// `None` if the bar is dragged.
    pub marker: Option<(ClipId, f32, f64)>,
}

/// Clocks of bars by lane and bar index.
type Clocks = HashMap<(usize, usize), Option<Arc<BarClock>>>;

/// State of the mixer between frames.
#[derive(Clone, Debug)]
pub struct MixerState {
    pub drag: Option<Drag>,
    pub scroll: f32,
    /// Height of the keys of the selected bar, and their scroll position, in points.
    pub keys: f32,
    pub keys_scroll: f32,
    /// Lane name that is being edited.
    pub renamed: Option<NameDraft<usize>>,
    pub fade: f64,
    pub bake: Baking,
    /// Filter of a list of clips.
    pub search: String,
    pub goes: GoWhen,
    pub how: EnterHow,
    pub to: Option<ClipId>,
    /// Mix before a transition was added; set until the new bar is visible.
    pub before_added: Option<Shared<Mix>>,
    pub mixer: Mixer,
    /// Document generation, and the clocks of the mix bars by lane and bar index.
    pub clocks: (u64, Clocks),
    /// Document generation, and the jumps of the mix.
    pub jumps: (u64, Vec<Jump>),
}

/// Settings for baking the mix to a clip.
#[derive(Clone, Debug)]
pub struct Baking {
    pub name: String,
    /// Chosen frame rate, in frames per second; `None` for the default.
    pub rate: Option<f64>,
    pub millimetres: f64,
    pub in_place: bool,
}

impl MixerState {
    /// Clock of a bar of the shown mix, cached per document generation.
    pub fn clock(
        &mut self,
        view: &View<'_>,
        document: &Document,
        mix: &Shared<Mix>,
        at: (usize, usize),
    ) -> Option<Arc<BarClock>> {
        let generation = view.session.map_or(0, ulna_session::Session::generation);
        if self.clocks.0 != generation {
            self.clocks = (generation, HashMap::new());
        }
        let mixer = &mut self.mixer;
        self.clocks
            .1
            .entry(at)
            .or_insert_with(|| mixer.clock(document, mix, at).map(Arc::new))
            .clone()
    }

    /// Updates the jumps of the shown mix, once per document generation and not during a drag.
    pub fn find_jumps(&mut self, view: &View<'_>, document: &Document, mix: &Shared<Mix>) {
        let Some(session) = view.session.filter(|s| !s.history().is_open()) else { return };
        let generation = session.generation();
        if self.jumps.0 != generation {
            self.jumps = (generation, jumps(document, mix, (0.0, mix.length())));
        }
    }

    /// Discards the current drag, because it was ended elsewhere.
    pub fn end_drag(&mut self) {
        self.drag = None;
    }
}

impl Default for MixerState {
    fn default() -> Self {
        Self {
            drag: None,
            scroll: 0.0,
            keys: 96.0,
            keys_scroll: 0.0,
            renamed: None,
            fade: 0.25,
            bake: Baking { name: "Mix".to_owned(), rate: None, millimetres: 1.0, in_place: false },
            search: String::new(),
            goes: GoWhen::Now,
            how: EnterHow::Fade,
            to: None,
            before_added: None,
            mixer: Mixer::default(),
            clocks: (0, HashMap::new()),
            jumps: (0, Vec::new()),
        }
    }
}
