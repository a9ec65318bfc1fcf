//! Clips: the animations of a file.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::{
    AnyId, Goal, Interpolation, KeptLayers, Marker, NodeId, Property, Shared, Slice, Track,
    TrackId, Tracks,
};

/// Playback behavior at the end of a clip.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Repeat {
    /// Playback stops.
    Once,
    /// The clip starts again from the beginning.
    #[default]
    Loop,
    /// The clip alternately plays forward and backward.
    PingPong,
}

impl Repeat {
    /// Next variant in the order of declaration; the first one follows the last.
    pub const fn next(self) -> Self {
        match self {
            Self::Once => Self::Loop,
            Self::Loop => Self::PingPong,
            Self::PingPong => Self::Once,
        }
    }
}

/// Keys of a property that the file identifies by a JSON pointer (`KHR_animation_pointer`). They
/// are saved unchanged and cannot be edited.
#[derive(Clone, Debug, PartialEq)]
pub struct PointerTrack {
    /// The animated property, such as `/materials/2/pbrMetallicRoughness/roughnessFactor`.
    pub pointer: Arc<str>,
    /// The first element on the path of the pointer; `None` if the file lacks it.
    pub target: Option<AnyId>,
    /// Interpolation between keys.
    pub interpolation: Interpolation,
    /// Key times in seconds, finite and strictly increasing; not empty.
    pub times: Slice<f32>,
    /// Numbers per value.
    pub width: usize,
    /// Track with the same keys, if they animate a node's transform or morph weights. Used for
    /// playback.
    pub track: Option<Shared<Track>>,
    /// Visibility keys with the same content, if they show and hide a node. Used for playback.
    pub visibility: Option<VisibilityKeys>,
}

/// Keys that show and hide a node and its descendants (`KHR_node_visibility`).
#[derive(Clone, Debug, PartialEq)]
pub struct VisibilityKeys {
    /// Node whose visibility is animated.
    pub node: NodeId,
    /// Visibility from each key to the next; one value per key time.
    pub visible: Shared<[bool]>,
}

impl VisibilityKeys {
    /// Whether the node is visible at a time in seconds. Each value holds until the next key. The
    /// first value also applies before the first key.
    pub fn at(&self, times: &[f32], time: f64) -> bool {
        let next = times.partition_point(|t| f64::from(*t) <= time);
        self.visible.get(next.saturating_sub(1)).copied().unwrap_or(true)
    }
}

/// One animation of the file: a named set of tracks.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Clip {
    /// The name, if the file has one.
    pub name: Option<Arc<str>>,
    /// Tracks by the index of their channel in the file. New tracks have higher indices.
    pub tracks: Tracks,
    /// Number of channels of the animation in the file, including channels that are not tracks; 0
    /// for a new clip.
    pub channels_in_file: u32,
    /// Named times, sorted by time; stored in the animation's extras.
    pub markers: Shared<[Marker]>,
    /// Contacts and other goals, in the order of [`Goal::in_order`]; stored in the animation's
    /// extras.
    pub contacts: Shared<[Goal]>,
    /// Behavior at the end of the clip, if stored in the animation's extras.
    pub repeat: Option<Repeat>,
    /// Time resolution in ticks per second, above 0, if the imported file or the user set it;
    /// stored in the animation's extras.
    pub ticks: Option<f64>,
    /// Frames per second, above 0; stored in the animation's extras. The rate is set by the user,
    /// or preserved when key times change. `None`: use the rate of the key times.
    pub rate: Option<f64>,
    /// Pose layers stored in the animation's extras. Their effect is already baked into the keys.
    pub kept_layers: Option<Shared<KeptLayers>>,
    /// Channels whose target is a JSON pointer.
    pub pointers: Shared<[PointerTrack]>,
    /// Targets of channels whose keys cannot be edited and are saved unchanged. A target must not
    /// get a second channel.
    pub kept: Shared<[(NodeId, Property)]>,
    /// Tracks whose keys were repaired for display: sorted, or made finite. If one of these tracks
    /// is edited, all of its keys are written.
    pub mended: Shared<[TrackId]>,
}

impl Clip {
    /// Time of the last key of all tracks and pointers, in seconds; 0 without keys.
    pub fn length(&self) -> f32 {
        let pointers = self.pointers.iter().filter_map(|p| p.times.last().copied());
        pointers.fold(self.tracks.end(), f32::max)
    }

    /// Finds the track of a property of a node. If an invalid file has two, the later one is
    /// returned, as in playback.
    pub fn track(&self, node: NodeId, property: Property) -> Option<(TrackId, &Shared<Track>)> {
        self.tracks.of(node, property)
    }

    /// Unused track id: no track of this clip and no channel of the file has it.
    pub fn free_track_id(&self) -> TrackId {
        let after = self.tracks.keys().next_back().map_or(0, |id| id.0 + 1);
        TrackId(after.max(self.channels_in_file))
    }

    /// All tracks that playback uses: the clip's own tracks, and tracks of pointers that animate
    /// nodes.
    pub fn played(&self) -> impl Iterator<Item = &Shared<Track>> {
        self.tracks.values().chain(self.pointers.iter().filter_map(|p| p.track.as_ref()))
    }

    /// Total number of keys of all tracks.
    pub fn key_count(&self) -> usize {
        self.tracks.key_count()
    }
}
