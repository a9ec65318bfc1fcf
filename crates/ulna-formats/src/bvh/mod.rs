//! Reads BVH files, which contain the skeleton and the motion of a capture. A BVH file is a tree of
//! joints with offsets, followed by one line of numbers per frame.
//!
//! Source: M. Meredith and S. Maddock, "Motion Capture File Formats Explained" (2001). The rotation
//! of a joint is the product of its channels, first to last, in the order of the file.

mod read;

use std::path::Path;

use glam::{DQuat, DVec3, Vec3};

use self::read::{Axis, Capture, Channel};
use super::{
    Budget,
    gltf::{Progress, ReadError},
    import::{
        Conversion, Converted, GlbBuilder, ImportFindings, KeysOut, NodeOut, short, unlikely_rate,
    },
};
use ulna_model::{Diagnostics, Interpolation, Property, Severity, Transform};

/// Whether a file begins like a BVH file.
pub fn is_bvh(bytes: &[u8]) -> bool {
    let start = bytes.iter().position(|b| !b.is_ascii_whitespace()).unwrap_or(0);
    bytes.get(start..start + 9).is_some_and(|w| w.eq_ignore_ascii_case(b"HIERARCHY"))
}

/// Converts a BVH file to a GLB. Its joints become a skin without a mesh, and its motion becomes a
/// clip with the name of the file.
///
/// # Errors
/// The file is truncated, damaged or malicious. The error states the location and the problem.
pub fn read(
    bytes: &[u8],
    path: Option<&Path>,
    conversion: &Conversion,
    progress: &Progress,
) -> Result<Converted, ReadError> {
    let mut diagnostics = Diagnostics::default();
    let mut budget = Budget::of(bytes.len());
    let capture = Capture::read(bytes, &mut budget, &mut diagnostics)?;
    progress.reach(0.2)?;
    let guessed = guessed_unit(&capture);
    let unit = conversion.unit.or(guessed.map(|(unit, _)| unit));
    if let (None, Some((unit, size))) = (conversion.unit, guessed) {
        let message = format!(
            "BVH files have no unit. The body is {size:.1} units tall, so 1 unit is read as {} and \
                the body is {:.2} m tall",
            unit_words(unit),
            size * unit
        );
        diagnostics.add(Severity::Info, "ULNA_BVH_UNIT", ".bvh", message);
    }
    let stated = (capture.frame_time > 0.0).then(|| 1.0 / capture.frame_time);
    let rate = conversion.rate.or(stated).unwrap_or(USUAL);
    if stated.is_none() && capture.frames > 1 {
        let time = Some(capture.frame_time)
            .filter(|t| t.is_finite())
            .map_or("not a number".into(), |t| t.to_string());
        let message = format!(
            "the frame time is {time}, which is invalid; {} frames per second are used",
            short(rate)
        );
        diagnostics.add(Severity::Error, "ULNA_BVH_REPAIRED", ".bvh MOTION", message);
    }
    let longest = capture.frames.saturating_sub(1) as f64 / rate;
    if let Some(message) = unlikely_rate(longest, rate, capture.frames) {
        diagnostics.add(Severity::Warning, "ULNA_BVH_RATE", ".bvh Frame Time", message);
    }
    let name = path
        .and_then(Path::file_stem)
        .map(|n| n.to_string_lossy().into_owned())
        .unwrap_or_default();
    let conversion = Conversion { unit, ..conversion.clone() };
    let made = built(&capture, rate, &name, &conversion, &mut diagnostics);
    let clips = made.clips.clone();
    let glb = made.finish(".bvh", &conversion, false)?;
    let longest = stated.map_or(longest, |stated| longest * rate / stated);
    let found = ImportFindings {
        unit: guessed.map(|g| g.0),
        rate: stated,
        rate_of: "frames",
        longest,
        clips,
        ..ImportFindings::default()
    };
    Ok(Converted { glb, diagnostics, found })
}

/// Default frame rate, in frames per second, for files without a valid frame time.
const USUAL: f64 = 30.0;

/// Estimates the unit, in meters, that brings the largest extent of the skeleton closest to the
/// height of a person. Also returns that extent in file units. `None` if the skeleton has no
/// extent.
fn guessed_unit(capture: &Capture) -> Option<(f32, f32)> {
    /// Candidate units, in meters: meters, decimeters, inches, centimeters, millimeters, and the
    /// unit of the Carnegie Mellon motion files.
    const UNITS: [f32; 6] = [1.0, 0.1, 0.0254, 0.01, 0.001, 0.056_444];
    /// Height of a person, in meters.
    const HIGH: f32 = 1.7;
    let mut places: Vec<Vec3> = Vec::with_capacity(capture.joints.len());
    for joint in &capture.joints {
        let from = joint.parent.map_or(Vec3::ZERO, |p| places[p]);
        places.push(if joint.parent.is_none() { Vec3::ZERO } else { from + joint.offset });
    }
    let (low, high) = places
        .iter()
        .fold((Vec3::INFINITY, Vec3::NEG_INFINITY), |(l, h), p| (l.min(*p), h.max(*p)));
    let size = (high - low).max_element();
    if !(1e-6..1e9).contains(&size) {
        return None;
    }
    let off = |unit: &f32| (size * unit / HIGH).ln().abs();
    UNITS.into_iter().min_by(|a, b| off(a).total_cmp(&off(b))).map(|unit| (unit, size))
}

fn unit_words(unit: f32) -> String {
    match unit {
        1.0 => "a meter".to_owned(),
        0.1 => "a decimeter".to_owned(),
        0.0254 => "an inch".to_owned(),
        0.01 => "a centimeter".to_owned(),
        0.001 => "a millimeter".to_owned(),
        other => format!("{:.2} cm", other * 100.0),
    }
}

/// Rotation of a joint in one frame: the product of its channels, first to last.
fn rotation(channels: &[Channel], values: &[f32]) -> DQuat {
    channels.iter().zip(values).fold(DQuat::IDENTITY, |q, (channel, value)| match channel {
        Channel::Turn(axis) => {
            let angle = f64::from(*value).to_radians();
            q * match axis {
                Axis::X => DQuat::from_rotation_x(angle),
                Axis::Y => DQuat::from_rotation_y(angle),
                Axis::Z => DQuat::from_rotation_z(angle),
            }
        }
        Channel::Place(_) => q,
    })
}

fn built(
    capture: &Capture,
    rate: f64,
    name: &str,
    conversion: &Conversion,
    diagnostics: &mut Diagnostics,
) -> GlbBuilder {
    let mut glb = GlbBuilder::new(conversion);
    for joint in &capture.joints {
        let transform = Transform { translation: joint.offset, ..Transform::IDENTITY };
        let name = joint.name.clone();
        glb.node(NodeOut {
            name,
            transform: Some(transform),
            parent: joint.parent,
            ..NodeOut::default()
        });
    }
    let all: Vec<usize> = (0..capture.joints.len()).collect();
    if !all.is_empty() {
        glb.skin(&all, &[]);
    }
    let times: Vec<f32> = (0..capture.frames).map(|k| (k as f64 / rate) as f32).collect();
    let keys = |node, property, values| KeysOut {
        node,
        property,
        interpolation: Interpolation::Linear,
        times: times.clone(),
        values,
    };
    let mut tracks = Vec::new();
    let mut added = 0;
    for (node, joint) in capture.joints.iter().enumerate() {
        let (from, to) = (joint.first, joint.first + joint.channels.len());
        let frames =
            || capture.values.chunks_exact(capture.width.max(1)).map(|frame| &frame[from..to]);
        if joint.channels.iter().any(|c| matches!(c, Channel::Turn(_))) {
            let mut values = Vec::with_capacity(times.len() * 4);
            let mut last = DQuat::IDENTITY;
            for frame in frames() {
                let turn = rotation(&joint.channels, frame);
                last = if turn.dot(last) < 0.0 { -turn } else { turn };
                values.extend(last.as_quat().to_array());
            }
            tracks.push(keys(node, Property::Rotation, values));
        }
        if joint.channels.iter().any(|c| matches!(c, Channel::Place(_))) {
            // Positions are either absolute or relative to the joint's offset. They are relative if
            // their mean is close to 0 while the offset is long.
            let mean = frames().map(|f| place(&joint.channels, f).length()).sum::<f64>()
                / times.len().max(1) as f64;
            let is_added = joint.parent.is_some() && mean < 0.2 * f64::from(joint.offset.length());
            added += usize::from(is_added);
            // Axes without a position channel keep the value of the joint's offset.
            let mut base = joint.offset.as_dvec3();
            for channel in joint.channels.iter().filter(|_| !is_added) {
                if let Channel::Place(axis) = channel {
                    base[*axis as usize] = 0.0;
                }
            }
            let values: Vec<f32> = frames()
                .flat_map(|f| (place(&joint.channels, f) + base).as_vec3().to_array())
                .collect();
            let stays =
                values.chunks_exact(3).all(|v| Vec3::from_slice(v).distance(joint.offset) < 1e-5);
            if joint.parent.is_none() || !stays {
                tracks.push(keys(node, Property::Translation, values));
            }
        }
    }
    if added > 0 {
        let message = format!(
            "the position channels of {added} joints are near 0, so they are read as offsets added \
                to the OFFSET of the joints"
        );
        diagnostics.add(Severity::Info, "ULNA_BVH_PLACES", ".bvh MOTION", message);
    }
    glb.animation(name, &tracks, None);
    glb
}

/// Position of a joint in one frame, in file units. Axes without a channel are 0.
fn place(channels: &[Channel], values: &[f32]) -> DVec3 {
    channels.iter().zip(values).fold(DVec3::ZERO, |mut at, (channel, value)| {
        if let Channel::Place(axis) = channel {
            at[*axis as usize] = f64::from(*value);
        }
        at
    })
}

#[cfg(test)]
mod tests;
