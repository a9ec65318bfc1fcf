//! Reads `animations[]` as clips.

mod keys;
mod pointers;
mod targets;

use serde_json::value::RawValue;

use self::{
    keys::{DescribePlace, Sound, sound, track},
    pointers::pointer,
    targets::{ChannelTarget, property_of},
};
pub use self::{pointers::pointed, targets::Targets};
use super::{
    ReadError,
    accessor::{Accessors, Missing},
    clip_extras, json, schema,
};
use ulna_model::{
    Clip, Diagnostics, IdKind, Location, NodeId, PointerTrack, Property, Severity, Shared, Track,
    TrackId,
};

/// An unread element of `animations[]`.
pub enum Raw<'a> {
    /// Raw JSON text.
    Text(&'a RawValue),
    /// Element that is already parsed.
    Typed(schema::Animation),
}

/// Reads one animation. Channels without a known target stay in the file, but do not become tracks.
pub fn read(
    raw: Raw<'_>,
    index: usize,
    accessors: &mut Accessors<'_>,
    targets: &mut Targets<'_>,
    diagnostics: &mut Diagnostics,
) -> Result<Clip, ReadError> {
    let place = Location::at(IdKind::Clip, index);
    let mut repaired = false;
    let animation = match raw {
        Raw::Typed(animation) => animation,
        Raw::Text(text) => json::typed(text.get(), &place, &mut repaired)?,
    };
    if repaired {
        diagnostics.add(
            Severity::Warning,
            "ULNA_JSON_REPAIRED",
            &place,
            "Invalid JSON was repaired for display; the file is unchanged",
        );
    }
    if animation.channels.is_empty() {
        diagnostics.add(Severity::Error, "EMPTY_ENTITY", &place, "The clip has no channels");
    }
    let sound = sound(&animation, accessors);
    let mut channels = Channels {
        index,
        place: &place,
        animation: &animation,
        accessors,
        targets,
        diagnostics: &mut *diagnostics,
        tracks: Vec::with_capacity(animation.channels.len()),
        kept: Vec::new(),
        mended: Vec::new(),
        pointers: Vec::new(),
    };
    for (k, channel) in animation.channels.iter().enumerate() {
        channels.channel(k, channel, sound[k])?;
    }
    let Channels { tracks, kept, mended, pointers, .. } = channels;
    let mut clip = Clip {
        name: animation.name.as_deref().map(Into::into),
        tracks: tracks.into_iter().collect(),
        markers: Shared::default(),
        contacts: Shared::default(),
        repeat: None,
        ticks: None,
        rate: None,
        kept_layers: None,
        pointers: pointers.into(),
        kept: kept.into(),
        mended: mended.into(),
        channels_in_file: u32::try_from(animation.channels.len()).unwrap_or(u32::MAX),
    };
    let nodes = targets.nodes.len();
    clip_extras::read(&mut clip, nodes, &animation.extras, &place, diagnostics);
    say_unplayed(&clip.pointers, &place, diagnostics);
    Ok(clip)
}

/// Adds a finding about pointers whose target is not a node.
fn say_unplayed(pointers: &[PointerTrack], place: &Location, diagnostics: &mut Diagnostics) {
    let mut still = pointers.iter().filter(|p| p.track.is_none() && p.visibility.is_none());
    if let Some(first) = still.next() {
        let message = format!(
            "Animation pointers to targets other than nodes: {}, such as “{}”; they stay in the \
                file, but are not played",
            still.count() + 1,
            first.pointer
        );
        diagnostics.add(Severity::Info, "ULNA_POINTER_CHANNEL", place, message);
    }
}

/// Reader for the channels of one animation. A faulty channel stays in the file, but is not played.
struct Channels<'r, 'a, 't> {
    index: usize,
    place: &'r Location,
    animation: &'r schema::Animation,
    accessors: &'r mut Accessors<'a>,
    targets: &'r mut Targets<'t>,
    diagnostics: &'r mut Diagnostics,
    tracks: Vec<(TrackId, Shared<Track>)>,
    /// Targets of channels that stay in the file but are not played.
    kept: Vec<(NodeId, Property)>,
    /// Tracks whose keys were repaired, and therefore differ from the file.
    mended: Vec<TrackId>,
    pointers: Vec<PointerTrack>,
}

impl Channels<'_, '_, '_> {
    /// Reads the `k`-th channel.
    fn channel(
        &mut self,
        k: usize,
        channel: &schema::Channel,
        sound: Sound,
    ) -> Result<(), ReadError> {
        let place = self.place;
        let here = move || place.item("channels", k);
        let Some(sampler) = self.animation.samplers.get(channel.sampler.0) else {
            let message = format!(
                "The channel refers to sampler {}, which does not exist; it stays in the file, but \
                    is not played",
                channel.sampler.0
            );
            self.diagnostics.add(Severity::Error, "UNRESOLVED_REFERENCE", here(), message);
            return Ok(());
        };
        let sampler_place = move || place.item("samplers", channel.sampler.0);
        if &*channel.target.path == "pointer" {
            self.pointer(channel, sampler, (&here, &sampler_place));
            return Ok(());
        }
        let Some(target) = self.target(channel, &here) else { return Ok(()) };
        let found = track(
            sampler,
            &sampler_place,
            (target.property, target.width),
            sound,
            self.accessors,
            self.diagnostics,
        );
        match found {
            Ok(Some(keys)) => {
                if keys.mended {
                    self.mended.push(TrackId::from(k));
                }
                let track = Track {
                    target: target.node,
                    property: target.property,
                    interpolation: keys.interpolation,
                    times: keys.times,
                    values: keys.values,
                    width: target.width,
                    kinds: Default::default(),
                    modes: Default::default(),
                };
                self.tracks.push((TrackId::from(k), Shared::new(track)));
            }
            Ok(None) => self.kept.push((target.node, target.property)),
            Err(missing) => {
                self.without_keys(missing, &here)?;
                self.kept.push((target.node, target.property));
            }
        }
        Ok(())
    }

    /// Reads a channel whose target is a pointer.
    fn pointer(
        &mut self,
        channel: &schema::Channel,
        sampler: &schema::Sampler,
        (here, sampler_place): (DescribePlace<'_>, DescribePlace<'_>),
    ) {
        let found = pointer(
            channel,
            sampler,
            (&here(), &sampler_place()),
            self.accessors,
            self.targets,
            self.diagnostics,
        );
        if let Some(track) = found.as_ref().and_then(|p| p.track.as_ref()) {
            self.kept.push((track.target, track.property));
        }
        self.pointers.extend(found);
    }

    /// Resolves the target of a channel. `None` if the channel cannot be played.
    fn target(
        &mut self,
        channel: &schema::Channel,
        here: DescribePlace<'_>,
    ) -> Option<ChannelTarget> {
        let Some(property) = property_of(&channel.target.path) else {
            let message = format!(
                "The target path “{}” is unknown; the channel stays in the file, but is not played",
                channel.target.path
            );
            self.diagnostics.add(Severity::Error, "VALUE_NOT_IN_LIST", here(), message);
            return None;
        };
        let index = channel.target.node?.0;
        let Some(node) = self.targets.nodes.get(index) else {
            let message = format!(
                "The channel animates node {index}, which does not exist; it stays in the file, \
                    but is not played"
            );
            self.diagnostics.add(Severity::Error, "UNRESOLVED_REFERENCE", here(), message);
            return None;
        };
        if self.targets.fixed[index] && property != Property::Weights {
            let message = format!(
                "The channel animates node {index}, which has a matrix and so cannot be animated; \
                    it stays in the file, but is not played"
            );
            const CODE: &str = "ANIMATION_CHANNEL_TARGET_NODE_MATRIX";
            self.diagnostics.add(Severity::Error, CODE, here(), message);
            self.kept.push((index.into(), property));
            return None;
        }
        let width = self.targets.width(node, property);
        if width == 0 {
            let message = format!(
                "The channel animates morph targets of node {index}, which has none; it stays in \
                    the file, but is not played"
            );
            const CODE: &str = "ANIMATION_CHANNEL_TARGET_NODE_WEIGHTS_NO_MORPHS";
            self.diagnostics.add(Severity::Error, CODE, here(), message);
            self.kept.push((index.into(), property));
            return None;
        }
        let last = &mut self.targets.moved[index][slot(property)];
        if std::mem::replace(last, self.index + 1) == self.index + 1 {
            let message = format!(
                "Two channels animate the {} of the same node; the later one is used",
                property.path()
            );
            self.diagnostics.add(Severity::Error, "ANIMATION_DUPLICATE_TARGETS", here(), message);
        }
        Some(ChannelTarget { node: index.into(), property, width })
    }

    /// Adds a finding about keys that cannot be read.
    ///
    /// # Errors
    /// The whole file must be rejected, because the memory budget is exceeded or the user canceled.
    fn without_keys(&mut self, missing: Missing, here: DescribePlace<'_>) -> Result<(), ReadError> {
        match missing {
            Missing::Packed(extension) => {
                let message = format!(
                    "The keys are packed with {extension}; they stay in the file, but are not \
                        played"
                );
                self.diagnostics.add(Severity::Warning, "ULNA_PACKED", here(), message);
            }
            Missing::Refused(error @ (ReadError::Memory { .. } | ReadError::Canceled)) => {
                return Err(error);
            }
            Missing::Refused(error) => {
                let message =
                    format!("The keys stay in the file, but are not played: {}", error.fault());
                self.diagnostics.add(
                    Severity::Error,
                    error.finding_code(),
                    error.place().unwrap_or_else(here),
                    message,
                );
            }
        }
        Ok(())
    }
}

/// Index of a property in a list of four.
const fn slot(property: Property) -> usize {
    match property {
        Property::Translation => 0,
        Property::Rotation => 1,
        Property::Scale => 2,
        Property::Weights => 3,
    }
}
