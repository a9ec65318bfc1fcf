//! Commands that the curve tools create.

use super::told::{Component, Tangents};
use ulna_edit::{
    Command,
    command::{
        AxisOrder, Between, ChangeKeys, EaseKeys, EaseName, EulerFilter, HoldKeys, InsertKeys,
        MoveKeys, NearHow, ProportionalKeys, ScaleKeys, SetInterpolation, SetSlope, SetTangents,
        SlideKeys, SlopeSide, Through, ValueHow, WhichKeys,
        field::{ClipName, KeyParts, Nodes, Numbers, Seconds},
    },
};
use ulna_model::{ClipId, KeySet, KeySide, NodeId, Property};
use ulna_motion::curves::{Ease, Slide};

fn change(id: ClipId, keys: KeySet, of: Component, how: ValueHow, by: f64) -> Command {
    let (by, order) = (Numbers(vec![by]), of.order.map(AxisOrder::from));
    let which = WhichKeys::these(id, keys);
    ChangeKeys { clip: ClipName::Id(id), how, by, about: None, order, which }.into()
}

/// Creates a command that adds to one component of the keys' values, in degrees for angles.
pub fn add_values(id: ClipId, keys: KeySet, of: Component, by: f64) -> Command {
    change(id, keys, of, ValueHow::Add, by)
}

/// Creates commands that scale one component of the keys' values about a fixed value.
pub fn scale_values(
    id: ClipId,
    keys: KeySet,
    of: Component,
    factor: f64,
    about: f64,
) -> Vec<Command> {
    let scaled = change(id, keys.clone(), of, ValueHow::Scale, factor);
    // The default pivot is 1 for scale channels and 0 for all others.
    let own = if of.property == Property::Scale { 1.0 } else { 0.0 };
    let back = (about - own) * (1.0 - factor);
    std::iter::once(scaled).chain((back != 0.0).then(|| add_values(id, keys, of, back))).collect()
}

/// Creates a command that moves keys in time, by seconds.
pub fn move_keys(id: ClipId, keys: KeySet, by: f64) -> Command {
    let which = WhichKeys::these(id, keys);
    let by = Seconds(by as f32);
    MoveKeys { clip: ClipName::Id(id), by, which, ripple: None, make_room: None }.into()
}

/// Creates a command that scales keys in time about a fixed time, in seconds.
pub fn scale_times(id: ClipId, keys: KeySet, factor: f64, about: f64) -> Command {
    let which = WhichKeys::these(id, keys);
    let about = Some(Seconds(about as f32));
    ScaleKeys { clip: ClipName::Id(id), factor: factor as f32, about, which }.into()
}

/// Creates a command that sets the slope of keys on one side, in units per second. `linked` sets
/// whether both sides change together; `None` keeps the setting.
pub fn set_slope(
    id: ClipId,
    keys: KeySet,
    of: Component,
    (side, linked): (KeySide, Option<bool>),
    slope: f64,
) -> Command {
    let side = match side {
        KeySide::Arrive => SlopeSide::In,
        KeySide::Leave => SlopeSide::Out,
        KeySide::Both => SlopeSide::Both,
    };
    SetSlope {
        clip: ClipName::Id(id),
        slope: slope as f32,
        side: Some(side),
        linked,
        order: of.order.map(AxisOrder::from),
        which: WhichKeys::these(id, keys),
    }
    .into()
}

/// Creates a command that adds to the values of keys. Other keys up to `radius` seconds away also
/// change, but less with growing distance.
pub fn add_around(id: ClipId, keys: KeySet, of: Component, radius: f64, by: f64) -> Command {
    let which = WhichKeys::these(id, keys);
    ProportionalKeys {
        clip: ClipName::Id(id),
        how: NearHow::Add,
        by: Numbers(vec![by]),
        radius: Seconds(radius as f32),
        falloff: None,
        order: of.order.map(AxisOrder::from),
        which,
    }
    .into()
}

/// Creates a command that inserts keys on tracks at a time without changing the motion.
pub fn insert_keys(
    id: ClipId,
    time: f64,
    (nodes, parts): (Vec<NodeId>, Vec<Property>),
    interpolation: Between,
) -> Command {
    InsertKeys {
        time: Some(Seconds(time as f32)),
        node: Some(Nodes::Ids(nodes)),
        parts: Some(KeyParts(parts)),
        interpolation: Some(interpolation),
        ..InsertKeys::new(ClipName::Id(id))
    }
    .into()
}

/// Creates a command that changes the interpolation of tracks, or only of the segments after keys.
/// The motion is preserved as far as possible.
pub fn convert(id: ClipId, keys: KeySet, to: Between, segments_only: bool) -> Command {
    let which = WhichKeys::these(id, keys);
    SetInterpolation {
        keep_motion: Some(true),
        spans: segments_only.then_some(true),
        ..SetInterpolation::new(ClipName::Id(id), to, which)
    }
    .into()
}

/// Creates a command that removes full rotations between rotation keys (Euler filter).
pub fn euler_filter(id: ClipId, keys: KeySet) -> Command {
    EulerFilter { clip: ClipName::Id(id), which: WhichKeys::these(id, keys) }.into()
}

/// Creates commands that set the tangent mode of keys, or make them hold their values.
pub fn set_tangents(id: ClipId, keys: KeySet, tangents: Tangents) -> Vec<Command> {
    let (clip, which) = (ClipName::Id(id), WhichKeys::these(id, keys));
    let hold = |on| HoldKeys { clip: clip.clone(), which: which.clone(), on: Some(on) }.into();
    let set = |tangents| {
        let (clip, which) = (clip.clone(), which.clone());
        SetTangents { clip, tangents, side: None, linked: None, which }.into()
    };
    match tangents {
        Tangents::Step => vec![hold(true)],
        Tangents::Auto => vec![set(Through::Auto)],
        Tangents::Smooth => vec![set(Through::Smooth)],
        Tangents::Flat => vec![set(Through::Flat)],
        Tangents::Linear => vec![set(Through::Linear)],
        Tangents::Free => {
            let (clip, which) = (clip.clone(), which.clone());
            let (tangents, linked) = (Through::Free, Some(true));
            vec![SetTangents { clip, tangents, side: None, linked, which }.into()]
        }
        Tangents::Broken => vec![set(Through::Broken)],
    }
}

/// Creates a command that eases the segments between keys. For single angles, `order` is their axis
/// order.
pub fn ease_keys(id: ClipId, keys: KeySet, order: Option<AxisOrder>, ease: &Ease) -> Command {
    let which = WhichKeys::these(id, keys);
    EaseKeys {
        clip: ClipName::Id(id),
        shape: EaseName::of(ease.shape),
        way: Some(ease.way.into()),
        amount: Some(ease.amount as f32),
        curve: None,
        order,
        which,
    }
    .into()
}

/// Creates a command that slides keys between their neighbors. For single angles, `order` is their
/// axis order.
pub fn slide_keys(
    id: ClipId,
    keys: KeySet,
    order: Option<AxisOrder>,
    (slide, amount): (Slide, f64),
) -> Command {
    let which = WhichKeys::these(id, keys);
    let (clip, how, amount) = (ClipName::Id(id), slide.into(), amount as f32);
    SlideKeys { clip, how, amount, order, which }.into()
}
