//! Clips: the animations of a file.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::{
    AnyId, Goal, Interpolation, KeptLayers, Marker, NodeId, Property, Shared, Slice, Track,
    TrackId, Tracks,
};

/// What happens at the end of a clip that plays.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Repeat {
    /// It stops.
    Once,
    /// It begins again.
    #[default]
    Loop,
    /// It goes back, and on again.
    PingPong,
}

impl Repeat {
    /// The next of the three.
    pub const fn next(self) -> Self {
        match self {
            Self::Once => Self::Loop,
            Self::Loop => Self::PingPong,
            Self::PingPong => Self::Once,
        }
    }
}

/// Keys of something that the file names by a JSON pointer (`KHR_animation_pointer`). They are kept
/// as they are and cannot be edited.
#[derive(Clone, Debug, PartialEq)]
pub struct PointerTrack {
    /// What moves, such as `/materials/2/pbrMetallicRoughness/roughnessFactor`.
    pub pointer: Arc<str>,
    /// The element of the file that the pointer names or passes through first, where the file has
    /// it.
    pub target: Option<AnyId>,
    /// How values between keys come about.
    pub interpolation: Interpolation,
    /// Key times in seconds, finite and strictly increasing; not empty.
    pub times: Slice<f32>,
    /// Numbers a value.
    pub width: usize,
    /// The same keys as a track, where they move a node's transform or weights: those are played.
    pub track: Option<Shared<Track>>,
    /// The same keys, where they show and hide a node: those are played.
    pub visibility: Option<VisibilityKeys>,
}

/// Keys that show and hide a node and what is below it (`KHR_node_visibility`).
#[derive(Clone, Debug, PartialEq)]
pub struct VisibilityKeys {
    /// The node.
    pub node: NodeId,
    /// Whether it is visible from each key on; as many as key times.
    pub visible: Shared<[bool]>,
}

impl VisibilityKeys {
    /// Whether the node is visible at a time in seconds: each key holds up to the next, the first
    /// also before its time.
    pub fn at(&self, times: &[f32], time: f64) -> bool {
        let next = times.partition_point(|t| f64::from(*t) <= time);
        self.visible.get(next.saturating_sub(1)).copied().unwrap_or(true)
    }
}

/// One animation of the file: a named set of tracks.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Clip {
    /// The name, where the file gives one.
    pub name: Option<Arc<str>>,
    /// Tracks by the index of their channel in the file; new ones come after all of those.
    pub tracks: Tracks,
    /// How many channels the file's animation has, those that are no track included; 0 for a new
    /// clip.
    pub channels_in_file: u32,
    /// Named moments, in the order of their times; kept in the animation's extras.
    pub markers: Shared<[Marker]>,
    /// Contacts and other goals, in the order of [`Goal::in_order`]; kept in the animation's extras.
    pub contacts: Shared<[Goal]>,
    /// What happens at its end, where a person kept that with it; in the animation's extras.
    pub repeat: Option<Repeat>,
    /// Ticks a second in which its times are counted, above 0, where the file it came from or a
    /// person says so; in the animation's extras.
    pub ticks: Option<f64>,
    /// Frames a second, above 0, where its keys do not say them: kept from before its times were
    /// changed, or said by a person; in the animation's extras.
    pub rate: Option<f64>,
    /// The layers that the file keeps with it, folded into its keys; in the animation's extras.
    pub kept_layers: Option<Shared<KeptLayers>>,
    /// Channels that name what they move by a pointer.
    pub pointers: Shared<[PointerTrack]>,
    /// What channels move whose keys cannot be edited and are kept as they are: they must not get a
    /// second channel.
    pub kept: Shared<[(NodeId, Property)]>,
    /// Tracks whose keys are not the file's own numbers, since those had to be mended for showing:
    /// sorted, made finite. When one is edited, all of its keys are written.
    pub mended: Shared<[TrackId]>,
}

impl Clip {
    /// The last key of any track or pointer, in seconds; 0 where there is none.
    pub fn length(&self) -> f32 {
        let pointers = self.pointers.iter().filter_map(|p| p.times.last().copied());
        pointers.fold(self.tracks.end(), f32::max)
    }

    /// The track of a property of a node. Where the file has two (it must not), the later wins, as
    /// on screen.
    pub fn track(&self, node: NodeId, property: Property) -> Option<(TrackId, &Shared<Track>)> {
        self.tracks.of(node, property)
    }

    /// An id no track of this clip or channel of the file has.
    pub fn free_track_id(&self) -> TrackId {
        let after = self.tracks.keys().next_back().map_or(0, |id| id.0 + 1);
        TrackId(after.max(self.channels_in_file))
    }

    /// All that plays: its tracks, and the keys of pointers that move nodes.
    pub fn played(&self) -> impl Iterator<Item = &Shared<Track>> {
        self.tracks.values().chain(self.pointers.iter().filter_map(|p| p.track.as_ref()))
    }

    /// How many keys the tracks hold together.
    pub fn key_count(&self) -> usize {
        self.tracks.key_count()
    }
}
