//! State of the mixer from frame to frame.

use std::{collections::HashMap, sync::Arc};

use crate::ui::View;
use crate::ui::name_field::NameDraft;
use ulna_edit::command::{EnterHow, GoWhen};
use ulna_model::{ClipId, Document, Mix, Shared};
use ulna_motion::{BarClock, Jump, Mixer, jumps};

/// Part of a bar that is dragged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Grip {
    Whole,
    Copy,
    Start,
    End,
    FadeIn,
    FadeOut,
}

/// The bar that is being dragged.
#[derive(Clone, Debug)]
pub struct Drag {
    pub lane: usize,
    pub bar: usize,
    pub grip: Grip,
    /// The mix as it was, and the time that was grabbed.
    pub from: Shared<Mix>,
    pub at: f64,
    /// A marker of the bar's clip instead: the clip, when it is, and how fast the clip goes there.
    pub marker: Option<(ClipId, f32, f64)>,
}

/// The clocks of bars, by lane and bar.
type Clocks = HashMap<(usize, usize), Option<Arc<BarClock>>>;

/// State of the mixer between frames.
#[derive(Clone, Debug)]
pub struct MixerState {
    pub drag: Option<Drag>,
    pub scroll: f32,
    /// Points that the keys of the chosen bar take, and how far they are scrolled.
    pub keys: f32,
    pub keys_scroll: f32,
    /// The name of a lane that is being typed.
    pub renamed: Option<NameDraft<usize>>,
    pub fade: f64,
    pub bake: Baking,
    /// Filter of a list of clips.
    pub search: String,
    pub goes: GoWhen,
    pub how: EnterHow,
    pub to: Option<ClipId>,
    /// The mix before a transition was added, until the new bar is in view.
    pub before_added: Option<Shared<Mix>>,
    pub mixer: Mixer,
    /// The clocks of bars in a state of the document, by lane and bar.
    pub clocks: (u64, Clocks),
    /// The jumps of the mix in a state of the document.
    pub jumps: (u64, Vec<Jump>),
}

/// How what plays becomes a clip.
#[derive(Clone, Debug)]
pub struct Baking {
    pub name: String,
    /// Chosen frame rate, in frames per second; `None` for the default.
    pub rate: Option<f64>,
    pub millimetres: f64,
    pub in_place: bool,
}

impl MixerState {
    /// The clock of a bar of what is shown, found once a state of the document.
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

    /// Finds the jumps of the displayed mix, once per state of the document, and not during a drag.
    pub fn find_jumps(&mut self, view: &View<'_>, document: &Document, mix: &Shared<Mix>) {
        let Some(session) = view.session.filter(|s| !s.history().is_open()) else { return };
        let generation = session.generation();
        if self.jumps.0 != generation {
            self.jumps = (generation, jumps(document, mix, (0.0, mix.length())));
        }
    }

    /// A drag was ended elsewhere.
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
