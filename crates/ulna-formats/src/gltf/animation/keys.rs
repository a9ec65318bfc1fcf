//! Reading of animation sampler keys, with repairs for playback.

use rayon::prelude::*;

use super::super::{
    ReadError,
    accessor::{Accessors, Component, Missing},
    schema,
};
use ulna_model::{Diagnostics, Interpolation, Location, Property, Severity, Slice};

/// Keys of an animation sampler, ready for playback.
pub struct Keys {
    /// Key times, in seconds.
    pub times: Slice<f32>,
    /// Values in the order of the keys.
    pub values: Slice<f32>,
    /// Interpolation between keys.
    pub interpolation: Interpolation,
    /// Whether the keys were repaired, and therefore differ from the numbers in the file.
    pub mended: bool,
}

/// Function that returns the location of a finding. It is called only if there is a finding.
pub type DescribePlace<'a> = &'a dyn Fn() -> Location;

/// Result of checking a sampler: whether its key times and its values are valid.
#[derive(Clone, Copy, Default)]
pub struct Sound {
    times: bool,
    values: bool,
}

pub fn interpolation(
    sampler: &schema::Sampler,
    place: DescribePlace<'_>,
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

/// Checks the keys of all channels that need no conversion, in parallel for long clips. Other
/// channels and invalid keys count as unchecked, and cause no findings here.
pub fn sound(animation: &schema::Animation, accessors: &Accessors<'_>) -> Vec<Sound> {
    let look = |channels: &[schema::Channel]| {
        // Samplers of one clip usually share one list of times.
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
                // Quaternions with a length of about 1 are also finite. Tangents may have any
                // length.
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
    // Whole blocks are checked without an early exit, so that the compiler can vectorize the loop.
    list.chunks(256).all(|part| part.iter().fold(true, |sound, v| sound & v.is_finite()))
}

fn are_times_sound(times: &[f32]) -> bool {
    let later = |part: &[f32]| part.windows(2).fold(true, |sound, w| sound & (w[0] < w[1]));
    are_finite(times) && later(times)
}

/// Whether all quaternions have a length close to 1. The result may be `false` for valid values.
fn are_about_unit(values: &[f32], is_cubic: bool) -> bool {
    let unit =
        |q: &[f32; 4]| (q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3] - 1.0).abs() <= 0.015;
    let quaternions = values.as_chunks::<4>().0;
    if is_cubic {
        return quaternions.iter().skip(1).step_by(3).all(unit);
    }
    quaternions.chunks(64).all(|part| part.iter().fold(true, |sound, q| sound & unit(q)))
}

/// Reads the keys of a sampler, repaired for playback. `None` if no key is left.
pub fn track(
    sampler: &schema::Sampler,
    place: DescribePlace<'_>,
    (property, width): (Property, usize),
    sound: Sound,
    accessors: &mut Accessors<'_>,
    diagnostics: &mut Diagnostics,
) -> Result<Option<Keys>, Missing> {
    let interpolation = interpolation(sampler, place, diagnostics);
    // The location of the channel is only needed for a missing accessor.
    let shape = |accessors: &Accessors<'_>, index: usize| {
        if accessors.has(index) {
            accessors.shape(index, &Location::default())
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
    let times = accessors.floats(sampler.input.0, &Location::default())?;
    let values = accessors.floats(sampler.output.0, &Location::default())?;
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
    // If any repaired key changes, all keys must be written.
    let mended =
        extra || !Slice::ptr_eq(&times, &stored_times) || !Slice::ptr_eq(&values, &stored_values);
    Ok(Some(Keys { times, values, interpolation, mended }))
}

/// Makes key times finite and strictly increasing. Keys are sorted, and keys with invalid times are
/// removed. Of several keys at one time, the last one is kept.
pub fn mend_times(
    times: Slice<f32>,
    values: Slice<f32>,
    stride: usize,
    sound: bool,
    place: DescribePlace<'_>,
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

/// Makes values finite, and replaces zero quaternions by valid rotations.
fn mend_values(
    values: Slice<f32>,
    property: Property,
    interpolation: Interpolation,
    width: usize,
    place: DescribePlace<'_>,
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
                "Rotation keys that are not unit quaternions: {off}; they are normalized for \
                 display"
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
