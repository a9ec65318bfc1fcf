//! Selection and display state, which supply the arguments that a command line omits.

use super::{
    PoseDestination, WhichKeys,
    field::{ClipName, Nodes, Seconds},
    key_words::Between,
    layer_name::LayerOf,
};
use crate::{KeysHome, Selection};
use ulna_model::{ClipId, Document, LayerHome, PoseLayerId, UnkeyedAt};

/// Selection and display state, from which omitted arguments are filled.
#[derive(Clone, Copy, Debug)]
pub struct CommandContext<'a> {
    /// The current document.
    pub document: &'a Document,
    /// Selected nodes and keys.
    pub selection: &'a Selection,
    /// The clip open in Animate mode, or played while weights are painted.
    pub clip: Option<ClipId>,
    /// The owner of the keys on the timeline; `None` if the timeline shows no clip.
    pub keys: Option<KeysHome>,
    /// The displayed clip, which receives posing edits.
    pub seen: Option<ClipId>,
    /// Time of the playhead, in seconds.
    pub time: f64,
    /// Playback range of the clip, in seconds, if one was chosen.
    pub range: Option<(f64, f64)>,
    /// The displayed unkeyed pose.
    pub unkeyed: Option<UnkeyedAt>,
    /// Whether the unkeyed pose moves with the playhead.
    pub carried: bool,
    /// Whether posing sets keys immediately.
    pub auto_key: bool,
    /// Interpolation of keys in new tracks; the default of the command if `None`.
    pub new_keys: Option<Between>,
    /// The selected layer, of the displayed clip or of the pose.
    pub layer: Option<(LayerHome, PoseLayerId)>,
    /// Whether edits change the selected layer.
    pub into_layer: bool,
    /// Whether posing also changes the mirror joints symmetrically.
    pub symmetry: bool,
}

/// The reason why the context cannot fill the arguments of a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unfilled {
    /// The command needs arguments that only the user can enter.
    Asks,
    /// The command has nothing to work on. The sentence is shown to the user.
    Refused(&'static str),
}

const NO_KEYS_SHOWN: Unfilled =
    Unfilled::Refused("The timeline shows no clip. Open a clip in Animate mode to edit its keys.");
const NO_CLIP: Unfilled = Unfilled::Refused("No clip is open. Choose a clip on the timeline.");

impl CommandContext<'_> {
    pub(super) fn nodes(&self) -> Option<Nodes> {
        let nodes = &self.selection.nodes;
        (!nodes.is_empty()).then(|| Nodes::Ids(nodes.iter().copied().collect()))
    }

    pub(super) fn keys(&self) -> Option<(ClipId, WhichKeys)> {
        WhichKeys::selected(self.selection, self.keys)
    }

    /// Returns the clip that contains the keys on the timeline.
    pub(super) fn keys_clip(&self) -> Result<ClipName, Unfilled> {
        self.keys.map(|home| ClipName::Id(home.clip)).ok_or(NO_KEYS_SHOWN)
    }

    pub(super) fn clip(&self) -> Result<ClipName, Unfilled> {
        self.clip.map(ClipName::Id).ok_or(NO_CLIP)
    }

    pub(super) fn seconds(&self) -> Seconds {
        Seconds(self.time as f32)
    }

    /// Returns the destination of a pose: the displayed clip, or else the pose of the file.
    pub fn over(&self) -> PoseDestination {
        if let Some(layer) = self.written_layer() {
            return self
                .seen
                .map_or(PoseDestination::FILE, |clip| PoseDestination::clip(clip, self.seconds().0))
                .in_layer(Some(layer));
        }
        let seconds = self.unkeyed.map_or_else(|| self.seconds(), |at| Seconds(at.time()));
        self.seen.map_or(PoseDestination::FILE, |clip| PoseDestination::clip(clip, seconds.0))
    }

    /// Returns the layer that receives edits: the selected one, if it belongs to the displayed clip
    /// or pose.
    pub fn written_layer(&self) -> Option<PoseLayerId> {
        let (home, layer) = self.layer.filter(|_| self.into_layer)?;
        (home == LayerHome::of(self.seen)).then_some(layer)
    }

    pub(super) fn chosen_layer(&self) -> Result<LayerOf, Unfilled> {
        const NONE: Unfilled =
            Unfilled::Refused("No layer is selected. Choose a layer in the list of layers.");
        self.layer.map(|(home, layer)| LayerOf::of(home, layer)).ok_or(NONE)
    }
}
