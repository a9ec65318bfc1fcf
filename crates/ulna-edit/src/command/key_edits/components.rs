//! Edits single components of keys: their values, and the slopes of their curves.

use super::{
    commands::{AxisOrder, ChangeKeys, SetSlope, ValueAbout, ValueHow},
    targets::{KeyTargets, nothing},
};
use crate::command::{CommandError, Outcome, Scene};
use ulna_model::{KeySet, KeySide, KeyTangents, Property, Track, TrackId};
use ulna_motion::curves::{CurveSpace, EulerOrder, TrackCurves};

/// Returns the representation to which the component indices of a track refer. For rotations, it is
/// `order` if given; else the quaternion if its fourth component is selected; else Euler angles in
/// the order farthest from gimbal lock.
pub(in crate::command) fn space_of(
    (id, track): (TrackId, &Track),
    keys: &KeySet,
    order: Option<AxisOrder>,
) -> CurveSpace {
    match order {
        _ if track.property != Property::Rotation => CurveSpace::Stored,
        Some(order) => order.space(),
        None if keys.parts_of(id).any(|(component, _)| component > 2) => CurveSpace::Stored,
        None => CurveSpace::Euler(EulerOrder::best_first(track)[0].0),
    }
}

/// Returns the selected components of a track, each with the indices of its keys.
fn meant(keys: &KeySet, id: TrackId, curves: &TrackCurves) -> Vec<(usize, Vec<usize>)> {
    let places = |component: usize| {
        let times = keys.times_of(id, component as u16);
        times.iter().filter_map(|t| curves.track().key_at(*t, 0.0)).collect::<Vec<_>>()
    };
    (0..curves.components()).map(|c| (c, places(c))).filter(|(_, k)| !k.is_empty()).collect()
}

/// Changes values of single components. `by` has one number per component, or one for all.
pub(super) fn changed(
    command: &ChangeKeys,
    targets: &KeyTargets<'_>,
) -> Result<Outcome, CommandError> {
    let by = &command.by.0;
    let Some(first) = by.first().copied() else {
        return Err(CommandError::other(
            "argument_empty",
            "“by” is an empty list; use one number, or one number per component",
        ));
    };
    let mut edits = Vec::new();
    for (id, track, _) in targets.tracks() {
        let curves = TrackCurves::new(track, space_of((id, track), &targets.keys, command.order));
        let mut changes = Vec::new();
        for (component, keys) in meant(&targets.keys, id, &curves) {
            let by = if by.len() == 1 { Some(first) } else { by.get(component).copied() };
            let Some(by) = by else { continue };
            let value = |key: &usize| curves.key_value(*key, component);
            let about = match command.about.unwrap_or(ValueAbout::Zero) {
                ValueAbout::First => keys.first().map_or(0.0, value),
                ValueAbout::Mean => keys.iter().map(value).sum::<f64>() / keys.len() as f64,
                ValueAbout::Zero if track.property == Property::Scale => 1.0,
                ValueAbout::Zero => 0.0,
            };
            changes.extend(keys.iter().map(|key| {
                let now = value(key);
                let to = match command.how {
                    ValueHow::Add => now + by,
                    ValueHow::Set => by,
                    ValueHow::Scale => about + (now - about) * by,
                };
                (*key, component, to)
            }));
        }
        let made = curves.with_values(&changes);
        if made != **track {
            edits.push(targets.edit(id, Some(made)));
        }
    }
    Ok(edits.into())
}

impl SetSlope {
    pub(super) fn work(&self, scene: &Scene<'_>) -> Result<Outcome, CommandError> {
        let targets = KeyTargets::of(scene, &self.clip, &self.which)?;
        if targets.keys.is_empty() {
            return Ok(nothing("changed"));
        }
        let side = self.side.map_or(KeySide::Both, KeySide::from);
        let mut edits = Vec::new();
        for (id, track, _) in targets.tracks() {
            let space = space_of((id, track), &targets.keys, self.order);
            let mut curves = TrackCurves::new(track, space);
            for (component, keys) in meant(&targets.keys, id, &curves) {
                // If the track becomes smooth, key indices can change, but times do not.
                let times: Vec<f32> = keys.iter().map(|k| track.times[*k]).collect();
                for time in times {
                    let Some(key) = curves.track().key_at(time, 0.0) else { continue };
                    if let Some(linked) = self.linked {
                        let mut named = curves.track().clone();
                        let own = named.modes.of(time).unwrap_or_default();
                        let own = KeyTangents { linked, ..own };
                        named.modes = named.modes.with(&[time], Some(own));
                        curves = TrackCurves::new(&named, space);
                    }
                    let made = curves
                        .with_slope(key, side, component, f64::from(self.slope))
                        .map_err(|e| CommandError::other(e.code(), e.to_string()))?;
                    curves = TrackCurves::new(&made, space);
                }
            }
            if *curves.track() != **track {
                edits.push(targets.edit(id, Some(curves.track().clone())));
            }
        }
        Ok(edits.into())
    }
}
