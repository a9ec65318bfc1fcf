//! Animation channels whose target is a JSON pointer (`KHR_animation_pointer`).

use super::{
    super::{
        ReadError,
        accessor::{Accessors, Component, Missing},
        scene_extras::VISIBILITY,
        schema,
    },
    keys::{Sound, interpolation, mend_times, track},
    targets::{ChannelTarget, Targets, property_of},
};
use ulna_model::{
    Diagnostics, Interpolation, Location, NodeId, PointerTrack, Property, Severity, Shared, Slice,
    Track, VisibilityKeys,
};

/// Node and property of a pointer. `None` if the pointer has another target.
pub fn pointed(pointer: &str) -> Option<(usize, Property)> {
    let (node, path) = pointer.strip_prefix("/nodes/")?.split_once('/')?;
    Some((node.parse().ok()?, property_of(path)?))
}

/// Node whose visibility a pointer targets. `None` if the pointer has another target.
fn shown_node(pointer: &str) -> Option<usize> {
    let (node, path) = pointer.strip_prefix("/nodes/")?.split_once('/')?;
    let rest = path.strip_prefix("extensions/")?.strip_prefix(VISIBILITY)?;
    (rest == "/visible").then(|| node.parse().ok()).flatten()
}

/// Reads the visibility keys of a node, with one value per key. Values other than 0 mean visible.
fn visibility_keys(
    node: usize,
    sampler: &schema::Sampler,
    place: &Location,
    times: &[f32],
    accessors: &mut Accessors<'_>,
) -> Result<VisibilityKeys, Missing> {
    let shape = accessors.shape(sampler.output.0, place)?;
    let input = accessors.shape(sampler.input.0, place)?;
    // If key times were repaired, they no longer match the values.
    if shape.width != 1 || shape.count != input.count || times.len() != input.count {
        return Err(ReadError::at(place, "visibility needs one value per key time").into());
    }
    let values = accessors.floats(sampler.output.0, place)?;
    let visible: Vec<bool> = values.iter().map(|v| *v != 0.0).collect();
    Ok(VisibilityKeys { node: node.into(), visible: visible.into() })
}

/// The `KHR_animation_pointer` object in the target of a channel.
#[derive(serde::Deserialize)]
struct Pointer {
    pointer: String,
}

/// Reads a channel whose target is a pointer. Faulty channels are kept, and their faults become
/// findings. The target element is resolved after the whole file is read.
pub fn pointer(
    channel: &schema::Channel,
    sampler: &schema::Sampler,
    (here, sampler_place): (&Location, &Location),
    accessors: &mut Accessors<'_>,
    targets: &Targets<'_>,
    diagnostics: &mut Diagnostics,
) -> Option<PointerTrack> {
    const NAME: &str = "KHR_animation_pointer";
    let Some(Pointer { pointer }) = channel.target.extensions.get(NAME) else {
        let message = "The target of the channel has no valid pointer; the channel stays in the \
            file, but is not played";
        diagnostics.add(Severity::Error, "SCHEMA_VIOLATION", here, message);
        return None;
    };
    let target = pointed(&pointer).and_then(|(index, property)| {
        let node = targets.nodes.get(index)?;
        let width = targets.width(node, property);
        let fixed = targets.fixed[index] && property != Property::Weights;
        (width > 0 && !fixed).then_some(ChannelTarget {
            node: NodeId::from(index),
            property,
            width,
        })
    });
    let keys = match target {
        Some(target) => track(
            sampler,
            &|| sampler_place.clone(),
            (target.property, target.width),
            Sound::default(),
            accessors,
            diagnostics,
        )
        .map(|keys| {
            keys.map(|keys| (keys.times, Some(keys.values), keys.interpolation, target.width))
        }),
        None => pointer_keys(sampler, sampler_place, accessors, diagnostics),
    };
    let (times, values, interpolation, width) = match keys {
        Ok(keys) => keys?,
        Err(error) => {
            let why = match error {
                Missing::Packed(extension) => format!("they are packed with {extension}"),
                Missing::Refused(error) => error.to_string(),
            };
            let message = format!(
                "The keys of the animation pointer “{pointer}” stay in the file, but are not \
                    displayed: {why}"
            );
            diagnostics.add(Severity::Error, "ULNA_POINTER_CHANNEL", here, message);
            return None;
        }
    };
    let track = target.zip(values).map(|(ChannelTarget { node, property, width }, values)| {
        Shared::new(Track {
            target: node,
            property,
            interpolation,
            times: times.clone(),
            values,
            width,
            kinds: Default::default(),
            modes: Default::default(),
        })
    });
    let shown = shown_node(&pointer).filter(|node| *node < targets.nodes.len());
    let visibility =
        match shown.map(|node| visibility_keys(node, sampler, sampler_place, &times, accessors)) {
            Some(Ok(keys)) => Some(keys),
            Some(Err(error)) => {
                let why = match error {
                    Missing::Packed(extension) => format!("they are packed with {extension}"),
                    Missing::Refused(error) => error.to_string(),
                };
                let message = format!(
                    "The keys of the animation pointer “{pointer}” stay in the file, but are not \
                        played: {why}"
                );
                diagnostics.add(Severity::Error, "ULNA_POINTER_CHANNEL", here, message);
                None
            }
            None => None,
        };
    Some(PointerTrack {
        pointer: pointer.into(),
        target: None,
        interpolation,
        times,
        width,
        track,
        visibility,
    })
}

type PointerKeys = (Slice<f32>, Option<Slice<f32>>, Interpolation, usize);

/// Key times of a sampler whose values Ulna does not play.
fn pointer_keys(
    sampler: &schema::Sampler,
    place: &Location,
    accessors: &mut Accessors<'_>,
    diagnostics: &mut Diagnostics,
) -> Result<Option<PointerKeys>, Missing> {
    let interpolation = interpolation(sampler, &|| place.clone(), diagnostics);
    let input = accessors.shape(sampler.input.0, place)?;
    if input.width != 1 || input.component != Component::F32 {
        return Err(ReadError::at(place, "its key times are not scalar floats").into());
    }
    let output = accessors.shape(sampler.output.0, place)?;
    let width = output.width * (output.count / (input.count * interpolation.values_per_key()));
    if width == 0 {
        return Err(ReadError::at(
            place,
            format!("it has {} values, but {} keys", output.count, input.count),
        )
        .into());
    }
    let times = accessors.floats(sampler.input.0, place)?;
    let (times, _) = mend_times(times, Slice::default(), 0, false, &|| place.clone(), diagnostics);
    Ok((!times.is_empty()).then_some((times, None, interpolation, width)))
}
