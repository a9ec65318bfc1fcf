//! `animations[]` → clips.

use rayon::prelude::*;
use serde_json::value::RawValue;

use super::{
    ReadError,
    accessor::{Accessors, Component, Missing},
    clip_extras, json,
    scene_extras::VISIBILITY,
    schema,
};
use ulna_model::{
    Clip, Diagnostics, Interpolation, MeshId, NodeId, PointerTrack, Property, Severity, Shared,
    Slice, Track, TrackId, VisibilityKeys,
};

/// What a clip may point at.
pub struct Targets<'a> {
    /// The nodes of the file.
    pub nodes: &'a [schema::Node],
    /// Nodes that have a sound matrix, which must not be animated.
    pub fixed: &'a [bool],
    /// Morph targets of each mesh.
    pub target_counts: &'a dyn Fn(MeshId) -> usize,
    /// For each node the last clip, counted from 1, that moves each of its properties.
    pub moved: Vec<[usize; 4]>,
}

/// One of `animations[]`.
pub enum Raw<'a> {
    /// As JSON.
    Text(&'a RawValue),
    /// Sound JSON, typed already.
    Typed(schema::Animation),
}

/// Reads one animation. Channels that move nothing Ulna knows stay in the file and are no tracks.
pub fn read(
    raw: Raw<'_>,
    index: usize,
    accessors: &mut Accessors<'_>,
    targets: &mut Targets<'_>,
    diagnostics: &mut Diagnostics,
) -> Result<Clip, ReadError> {
    let place = format!("animations/{index}");
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
    let mut clip = Clip {
        name: animation.name.as_deref().map(Into::into),
        tracks: Default::default(),
        markers: Shared::default(),
        repeat: None,
        ticks: None,
        rate: None,
        kept_layers: None,
        pointers: Shared::default(),
        kept: Shared::default(),
        mended: Shared::default(),
        channels_in_file: u32::try_from(animation.channels.len()).unwrap_or(u32::MAX),
    };
    if animation.channels.is_empty() {
        diagnostics.add(Severity::Error, "EMPTY_ENTITY", &place, "The clip has no channels");
    }
    let sound = sound(&animation, accessors);
    let mut tracks = Vec::with_capacity(animation.channels.len());
    let mut kept = Vec::new();
    let mut mended = Vec::new();
    let mut pointers = Vec::new();
    for (k, channel) in animation.channels.iter().enumerate() {
        let here = || format!("{place}/channels/{k}");
        // A fault of a channel stays with it: the file keeps it, and nothing of it is played.
        let Some(sampler) = animation.samplers.get(channel.sampler.0) else {
            let message = format!(
                "The channel refers to sampler {}, which does not exist; it stays in the file, but \
                    is not played",
                channel.sampler.0
            );
            diagnostics.add(Severity::Error, "UNRESOLVED_REFERENCE", here(), message);
            continue;
        };
        let sampler_place = || format!("{place}/samplers/{}", channel.sampler.0);
        let property = match &*channel.target.path {
            "translation" => Property::Translation,
            "rotation" => Property::Rotation,
            "scale" => Property::Scale,
            "weights" => Property::Weights,
            "pointer" => {
                let found = pointer(
                    channel,
                    sampler,
                    (&here(), &sampler_place()),
                    accessors,
                    targets,
                    diagnostics,
                );
                if let Some(track) = found.as_ref().and_then(|p| p.track.as_ref()) {
                    kept.push((track.target, track.property));
                }
                pointers.extend(found);
                continue;
            }
            other => {
                let message = format!(
                    "The target path “{other}” is unknown; the channel stays in the file, \
                        but is not played"
                );
                diagnostics.add(Severity::Error, "VALUE_NOT_IN_LIST", here(), message);
                continue;
            }
        };
        let Some(node) = channel.target.node else { continue };
        let Some(target) = targets.nodes.get(node.0) else {
            let message = format!(
                "The channel animates node {}, which does not exist; it stays in the file, but is \
                    not played",
                node.0
            );
            diagnostics.add(Severity::Error, "UNRESOLVED_REFERENCE", here(), message);
            continue;
        };
        if targets.fixed[node.0] && property != Property::Weights {
            let message = format!(
                "The channel animates node {}, which has a matrix and so cannot be animated; it \
                    stays in the file, but is not played",
                node.0
            );
            diagnostics.add(
                Severity::Error,
                "ANIMATION_CHANNEL_TARGET_NODE_MATRIX",
                here(),
                message,
            );
            kept.push((node.0.into(), property));
            continue;
        }
        let width = match property {
            Property::Translation | Property::Scale => 3,
            Property::Rotation => 4,
            Property::Weights => {
                target.mesh.map_or(0, |m| (targets.target_counts)(MeshId::from(m.0)))
            }
        };
        if width == 0 {
            let message = format!(
                "The channel animates morph targets of node {}, which has none; it stays in the \
                    file, but is not played",
                node.0
            );
            diagnostics.add(
                Severity::Error,
                "ANIMATION_CHANNEL_TARGET_NODE_WEIGHTS_NO_MORPHS",
                here(),
                message,
            );
            kept.push((node.0.into(), property));
            continue;
        }
        if std::mem::replace(&mut targets.moved[node.0][slot(property)], index + 1) == index + 1 {
            let message = format!(
                "Two channels animate the {} of the same node; the later one is used",
                property.path()
            );
            diagnostics.add(Severity::Error, "ANIMATION_DUPLICATE_TARGETS", here(), message);
        }
        match track(sampler, &sampler_place, (property, width), sound[k], accessors, diagnostics) {
            Ok(Some((times, values, interpolation, mend))) => {
                if mend {
                    mended.push(TrackId::from(k));
                }
                let track = Track {
                    target: node.0.into(),
                    property,
                    interpolation,
                    times,
                    values,
                    width,
                    kinds: Default::default(),
                };
                tracks.push((TrackId::from(k), Shared::new(track)));
            }
            Ok(None) => kept.push((node.0.into(), property)),
            Err(Missing::Packed(extension)) => {
                let message = format!(
                    "The keys are packed with {extension}; they stay in the file, but are not \
                        played"
                );
                diagnostics.add(Severity::Warning, "ULNA_PACKED", here(), message);
                kept.push((node.0.into(), property));
            }
            Err(Missing::Refused(error @ (ReadError::Memory { .. } | ReadError::Canceled))) => {
                return Err(error);
            }
            Err(Missing::Refused(error)) => {
                let message =
                    format!("The keys stay in the file, but are not played: {}", error.fault());
                diagnostics.add(
                    Severity::Error,
                    error.finding_code(),
                    error.place().unwrap_or_else(here),
                    message,
                );
                kept.push((node.0.into(), property));
            }
        }
    }
    clip.mended = mended.into();
    clip.tracks = tracks.into_iter().collect();
    clip.kept = kept.into();
    clip.pointers = pointers.into();
    clip_extras::read(&mut clip, &animation.extras, &place, diagnostics);
    let mut still = clip.pointers.iter().filter(|p| p.track.is_none() && p.visibility.is_none());
    if let Some(first) = still.next() {
        let message = format!(
            "{} animation pointers target something other than a node, such as “{}”; they stay in \
                the file, but are not played",
            still.count() + 1,
            first.pointer
        );
        diagnostics.add(Severity::Info, "ULNA_POINTER_CHANNEL", &place, message);
    }
    Ok(clip)
}

/// A number for each property.
const fn slot(property: Property) -> usize {
    match property {
        Property::Translation => 0,
        Property::Rotation => 1,
        Property::Scale => 2,
        Property::Weights => 3,
    }
}

/// The node and property that a pointer of `KHR_animation_pointer` names, where it names such.
pub fn pointed(pointer: &str) -> Option<(usize, Property)> {
    let (node, path) = pointer.strip_prefix("/nodes/")?.split_once('/')?;
    let all = [Property::Translation, Property::Rotation, Property::Scale, Property::Weights];
    Some((node.parse().ok()?, all.into_iter().find(|p| p.path() == path)?))
}

/// The node whose visibility a pointer of `KHR_animation_pointer` names, where it names one.
fn shown_node(pointer: &str) -> Option<usize> {
    let (node, path) = pointer.strip_prefix("/nodes/")?.split_once('/')?;
    let rest = path.strip_prefix("extensions/")?.strip_prefix(VISIBILITY)?;
    (rest == "/visible").then(|| node.parse().ok()).flatten()
}

/// The keys of a node's visibility: a value per key, 0 or another number.
fn visibility_keys(
    node: usize,
    sampler: &schema::Sampler,
    place: &str,
    times: &[f32],
    accessors: &mut Accessors<'_>,
) -> Result<VisibilityKeys, Missing> {
    let shape = accessors.shape(sampler.output.0, place)?;
    let input = accessors.shape(sampler.input.0, place)?;
    // Times that were mended no longer match the values.
    if shape.width != 1 || shape.count != input.count || times.len() != input.count {
        return Err(ReadError::at(place, "visibility needs one value per key time").into());
    }
    let values = accessors.floats(sampler.output.0, place)?;
    let visible: Vec<bool> = values.iter().map(|v| *v != 0.0).collect();
    Ok(VisibilityKeys { node: node.into(), visible: visible.into() })
}

/// What the extension says in a channel's target.
#[derive(serde::Deserialize)]
struct Pointer {
    pointer: String,
}

/// A channel that names what it moves by a pointer. Whatever is wrong with it is a finding: it is
/// kept in any case.
fn pointer(
    channel: &schema::Channel,
    sampler: &schema::Sampler,
    (here, sampler_place): (&str, &str),
    accessors: &mut Accessors<'_>,
    targets: &Targets<'_>,
    diagnostics: &mut Diagnostics,
) -> Option<PointerTrack> {
    const NAME: &str = "KHR_animation_pointer";
    let Some(Pointer { pointer }) = channel.target.extensions.get(NAME) else {
        let message = "The target of the channel has no valid pointer; the channel stays in the \
            file, but is \
                not played";
        diagnostics.add(Severity::Error, "SCHEMA_VIOLATION", here, message);
        return None;
    };
    let target = pointed(&pointer).and_then(|(index, property)| {
        let node = targets.nodes.get(index)?;
        let width = match property {
            Property::Translation | Property::Scale => 3,
            Property::Rotation => 4,
            Property::Weights => {
                node.mesh.map_or(0, |m| (targets.target_counts)(MeshId::from(m.0)))
            }
        };
        let fixed = targets.fixed[index] && property != Property::Weights;
        (width > 0 && !fixed).then_some((NodeId::from(index), property, width))
    });
    let keys = match target {
        Some((_, property, width)) => track(
            sampler,
            &|| sampler_place.to_owned(),
            (property, width),
            Sound::default(),
            accessors,
            diagnostics,
        )
        .map(|keys| {
            keys.map(|(times, values, interpolation, _)| {
                (times, Some(values), interpolation, width)
            })
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
                "The keys of the animation pointer “{pointer}” stay in the file, but are \
                    not displayed: {why}"
            );
            diagnostics.add(Severity::Error, "ULNA_POINTER_CHANNEL", here, message);
            return None;
        }
    };
    let track = target.zip(values).map(|((target, property, width), values)| {
        Shared::new(Track {
            target,
            property,
            interpolation,
            times: times.clone(),
            values,
            width,
            kinds: Default::default(),
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
                    "The keys of the animation pointer “{pointer}” stay in the file, but are \
                    not played: {why}"
                );
                diagnostics.add(Severity::Error, "ULNA_POINTER_CHANNEL", here, message);
                None
            }
            None => None,
        };
    Some(PointerTrack { pointer: pointer.into(), interpolation, times, width, track, visibility })
}

type PointerKeys = (Slice<f32>, Option<Slice<f32>>, Interpolation, usize);

/// The key times of a sampler whose values are nothing that Ulna plays.
fn pointer_keys(
    sampler: &schema::Sampler,
    place: &str,
    accessors: &mut Accessors<'_>,
    diagnostics: &mut Diagnostics,
) -> Result<Option<PointerKeys>, Missing> {
    let interpolation = interpolation(sampler, &|| place.to_owned(), diagnostics);
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
    let (times, _) =
        mend_times(times, Slice::default(), 0, false, &|| place.to_owned(), diagnostics);
    Ok((!times.is_empty()).then_some((times, None, interpolation, width)))
}

fn interpolation(
    sampler: &schema::Sampler,
    place: Place<'_>,
    diagnostics: &mut Diagnostics,
) -> Interpolation {
    match sampler.interpolation.as_deref() {
        None | Some("LINEAR") => Interpolation::Linear,
        Some("STEP") => Interpolation::Step,
        Some("CUBICSPLINE") => Interpolation::CubicSpline,
        Some(other) => {
            let message = format!("The interpolation “{other}” is unknown; LINEAR is used");
            diagnostics.add(Severity::Error, "VALUE_NOT_IN_LIST", place(), message);
            Interpolation::Linear
        }
    }
}

/// Times, values, how they go on, and whether something of them was mended.
type Keys = (Slice<f32>, Slice<f32>, Interpolation, bool);

/// Where something is, put into words only where there is something to say.
type Place<'a> = &'a dyn Fn() -> String;

/// What of a sampler's keys was looked over and is as it should be.
#[derive(Clone, Copy, Default)]
struct Sound {
    times: bool,
    values: bool,
}

/// Looks over the keys of all channels that lie in the file as they are wanted; long clips on all
/// cores. Of the others, and of what is not sound, nothing is said here.
fn sound(animation: &schema::Animation, accessors: &Accessors<'_>) -> Vec<Sound> {
    let look = |channels: &[schema::Channel]| {
        // Samplers of one clip mostly share their times.
        let mut last = None;
        let look = |channel: &schema::Channel| {
            let Some(sampler) = animation.samplers.get(channel.sampler.0) else {
                return Sound::default();
            };
            let times = match last {
                Some((input, sound)) if input == sampler.input => sound,
                _ => accessors.in_place(sampler.input.0).is_some_and(are_times_sound),
            };
            last = Some((sampler.input, times));
            let is_cubic = sampler.interpolation.as_deref() == Some("CUBICSPLINE");
            let values = accessors.in_place(sampler.output.0).is_some_and(|values| {
                // What is about of length 1 is finite; tangents may be of any length.
                let turns = channel.target.path == "rotation";
                ((turns && !is_cubic) || are_finite(values))
                    && (!turns || are_about_unit(values, is_cubic))
            });
            Sound { times, values }
        };
        channels.iter().map(look).collect::<Vec<_>>()
    };
    const BLOCK: usize = 100;
    if animation.channels.len() <= BLOCK {
        return look(&animation.channels);
    }
    animation.channels.par_chunks(BLOCK).flat_map_iter(look).collect()
}

fn are_finite(list: &[f32]) -> bool {
    // Whole blocks without a way out, so that the compiler takes many numbers at once.
    list.chunks(256).all(|part| part.iter().fold(true, |sound, v| sound & v.is_finite()))
}

fn are_times_sound(times: &[f32]) -> bool {
    let later = |part: &[f32]| part.windows(2).fold(true, |sound, w| sound & (w[0] < w[1]));
    are_finite(times) && later(times)
}

/// Whether all quaternions are so close to length 1 that nobody would complain; false says nothing.
fn are_about_unit(values: &[f32], is_cubic: bool) -> bool {
    let unit =
        |q: &[f32; 4]| (q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3] - 1.0).abs() <= 0.015;
    let quaternions = values.as_chunks::<4>().0;
    if is_cubic {
        return quaternions.iter().skip(1).step_by(3).all(unit);
    }
    quaternions.chunks(64).all(|part| part.iter().fold(true, |sound, q| sound & unit(q)))
}

/// The keys of a sampler, repaired for showing; `None` where no key is left.
fn track(
    sampler: &schema::Sampler,
    place: Place<'_>,
    (property, width): (Property, usize),
    sound: Sound,
    accessors: &mut Accessors<'_>,
    diagnostics: &mut Diagnostics,
) -> Result<Option<Keys>, Missing> {
    let interpolation = interpolation(sampler, place, diagnostics);
    // Only what is not there is named by whose it is.
    let shape = |accessors: &Accessors<'_>, index: usize| {
        if accessors.has(index) {
            accessors.shape(index, "")
        } else {
            accessors.shape(index, &place())
        }
    };
    let input = shape(accessors, sampler.input.0)?;
    if input.width != 1 || input.component != Component::F32 {
        return Err(ReadError::at(place(), "its key times are not scalar floats").into());
    }
    let output = shape(accessors, sampler.output.0)?;
    let element = if property == Property::Weights { 1 } else { width };
    if output.width != element {
        let message =
            format!("its values have {} components, but {element} are needed", output.width);
        return Err(ReadError::at(place(), message).into());
    }
    let per_key =
        interpolation.values_per_key() * if property == Property::Weights { width } else { 1 };
    let wanted = input.count.saturating_mul(per_key);
    if output.count < wanted {
        let message = format!(
            "it has {} values for {} keys, but {wanted} are needed",
            output.count, input.count
        );
        return Err(ReadError::at(place(), message).into());
    }
    if output.count > wanted {
        let message = format!(
            "There are {} values for {} keys; the extra values are ignored",
            output.count, input.count
        );
        diagnostics.add(
            Severity::Error,
            "ANIMATION_SAMPLER_OUTPUT_ACCESSOR_INVALID_COUNT",
            place(),
            message,
        );
    }
    let times = accessors.floats(sampler.input.0, "")?;
    let values = accessors.floats(sampler.output.0, "")?;
    let values: Slice<f32> =
        if output.count > wanted { values[..wanted * element].into() } else { values };
    let stride = per_key * element;
    let (stored_times, stored_values, extra) =
        (times.clone(), values.clone(), output.count > wanted);
    let (times, values) = mend_times(times, values, stride, sound.times, place, diagnostics);
    if times.is_empty() {
        return Ok(None);
    }
    let values = if sound.values {
        values
    } else {
        mend_values(values, property, interpolation, width, place, diagnostics)
    };
    // What is not the file's own numbers must be written whole when any of it changes.
    let mended =
        extra || !Slice::ptr_eq(&times, &stored_times) || !Slice::ptr_eq(&values, &stored_values);
    Ok(Some((times, values, interpolation, mended)))
}

/// Times finite and strictly increasing: what the file has, or its keys sorted, without those that
/// are not numbers and, of keys at one time, with the last one.
fn mend_times(
    times: Slice<f32>,
    values: Slice<f32>,
    stride: usize,
    sound: bool,
    place: Place<'_>,
    diagnostics: &mut Diagnostics,
) -> (Slice<f32>, Slice<f32>) {
    if times.first().is_some_and(|t| *t < 0.0) {
        diagnostics.add(
            Severity::Error,
            "ACCESSOR_ANIMATION_INPUT_NEGATIVE",
            place(),
            "Some key times are negative",
        );
    }
    if times.last().is_some_and(|t| t.is_finite() && *t > 1e6) {
        diagnostics.add(
            Severity::Warning,
            "ULNA_FAR_KEY",
            place(),
            "A key is more than eleven days after the start; check the key times of the clip",
        );
    }
    if sound || are_times_sound(&times) {
        return (times, values);
    }
    diagnostics.add(
        Severity::Error,
        "ACCESSOR_ANIMATION_INPUT_NON_INCREASING",
        place(),
        "Key times do not increase; the keys are sorted for display",
    );
    let mut order: Vec<usize> = (0..times.len()).filter(|k| times[*k].is_finite()).collect();
    order.sort_by(|a, b| times[*a].total_cmp(&times[*b]));
    let mut kept: Vec<usize> = Vec::with_capacity(order.len());
    for k in order {
        if kept.last().is_some_and(|last| times[*last] == times[k]) {
            kept.pop();
        }
        kept.push(k);
    }
    let sorted = kept.iter().map(|k| times[*k]).collect();
    let values =
        kept.iter().flat_map(|k| values[k * stride..(k + 1) * stride].iter().copied()).collect();
    (sorted, values)
}

/// Values finite, rotations with a direction.
fn mend_values(
    values: Slice<f32>,
    property: Property,
    interpolation: Interpolation,
    width: usize,
    place: Place<'_>,
    diagnostics: &mut Diagnostics,
) -> Slice<f32> {
    let mut broken = values.iter().any(|v| !v.is_finite());
    if broken {
        diagnostics.add(
            Severity::Error,
            "ACCESSOR_INVALID_FLOAT",
            place(),
            "Some key values are not numbers; default values are displayed",
        );
    }
    let is_value = |k: usize| interpolation != Interpolation::CubicSpline || k % 3 == 1;
    if property == Property::Rotation {
        let mut zero = 0;
        let mut off = 0;
        for (_, q) in values.as_chunks::<4>().0.iter().enumerate().filter(|(k, _)| is_value(*k)) {
            let length = glam::Vec4::from_array(*q).length();
            zero += usize::from(length < 1e-6);
            off += usize::from((length - 1.0).abs() > 0.00769);
        }
        broken |= zero > 0;
        if off > 0 {
            let message = format!(
                "{off} rotation keys are not unit quaternions; they are normalized for display"
            );
            diagnostics.add(
                Severity::Error,
                "ACCESSOR_ANIMATION_SAMPLER_OUTPUT_NON_NORMALIZED_QUATERNION",
                place(),
                message,
            );
        }
    }
    if !broken {
        return values;
    }
    let mut mended = values.to_vec();
    for (k, value) in mended.chunks_exact_mut(width).enumerate() {
        let bad = value.iter().any(|v| !v.is_finite());
        let zero = property == Property::Rotation && value.iter().all(|v| v.abs() < 1e-6);
        if bad || (zero && is_value(k)) {
            value.fill(if property == Property::Scale && is_value(k) { 1.0 } else { 0.0 });
            if property == Property::Rotation && is_value(k) {
                value[3] = 1.0;
            }
        }
    }
    mended.into()
}
