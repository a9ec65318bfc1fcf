//! Selection and visible state, from which commands take arguments that are not given.

use super::{
    PoseDestination, WhichKeys,
    field::{ClipName, Nodes, Seconds},
    key_words::Between,
    layer_name::LayerOf,
};
use crate::{KeysHome, Selection};
use ulna_model::{ClipId, Document, LayerHome, PoseLayerId, UnkeyedAt};

/// Selection and display state that commands are run with.
#[derive(Clone, Copy, Debug)]
pub struct CommandContext<'a> {
    /// The document.
    pub document: &'a Document,
    /// The selection.
    pub selection: &'a Selection,
    /// The clip that is shown, in Animate mode or while painting over one.
    pub clip: Option<ClipId>,
    /// The owner of the keys that the timeline shows; `None` where it shows no clip.
    pub keys: Option<KeysHome>,
    /// The displayed clip, over which poses are edited.
    pub seen: Option<ClipId>,
    /// Seconds at the playhead.
    pub time: f64,
    /// Playback range of the clip, in seconds, if one was chosen.
    pub range: Option<(f64, f64)>,
    /// The displayed unkeyed pose.
    pub unkeyed: Option<UnkeyedAt>,
    /// Whether it is carried along with the playhead.
    pub carried: bool,
    /// Whether a pose becomes a key at once.
    pub auto_key: bool,
    /// How values between keys come about in new tracks.
    pub new_keys: Option<Between>,
    /// The layer that is chosen, of the shown clip or of the pose.
    pub layer: Option<(LayerHome, PoseLayerId)>,
    /// Whether edits go there.
    pub into_layer: bool,
    /// Whether the joints on the other side are posed as the mirror image.
    pub symmetry: bool,
}

/// Why a command cannot be taken from there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unfilled {
    /// A person is to be asked for its arguments.
    Asks,
    /// It has nothing to work on: a sentence.
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

    /// The clip whose keys the timeline shows.
    pub(super) fn keys_clip(&self) -> Result<ClipName, Unfilled> {
        self.keys.map(|home| ClipName::Id(home.clip)).ok_or(NO_KEYS_SHOWN)
    }

    pub(super) fn clip(&self) -> Result<ClipName, Unfilled> {
        self.clip.map(ClipName::Id).ok_or(NO_CLIP)
    }

    pub(super) fn seconds(&self) -> Seconds {
        Seconds(self.time as f32)
    }

    /// Destination of a pose: the shown clip, else the pose of the file.
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

    /// The layer that receives edits: the selected one, if it belongs to the displayed clip or
    /// pose.
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
