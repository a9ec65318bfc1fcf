//! Changes values of keys by numbers, or by the difference to a wanted pose.

use glam::{EulerRot, Quat};

use super::{
    commands::{ChangeKeys, ShiftKeys, ValueAbout, ValueHow},
    components,
    targets::KeyTargets,
};
use crate::command::{
    CommandError, Outcome, Scene, channel_locks::LockKeeper, clip_keys::time_of,
    which_keys::WhichKeys,
};
use ulna_model::{LayerHome, Property, Track, transform::unit_or};
use ulna_motion::{
    Pose, Stack, below_layers,
    clip_edit::{ValueChange, change_values},
    with_layers,
};

impl ShiftKeys {
    /// Changes keys by the difference to a wanted pose. Rotations are changed in local axes: `q ·
    /// (seen⁻¹ · wanted)`. Differences of other values are added.
    pub(super) fn work(&self, scene: &Scene<'_>) -> Result<Outcome, CommandError> {
        let node = self.keys.is_none().then(|| self.node.clone());
        let which = WhichKeys { keys: self.keys.clone(), node, ..WhichKeys::default() };
        let meant = KeyTargets::or_all(scene, &self.clip, &which)?;
        let time = time_of(self.time)?;
        let nodes = self.node.all(scene.document)?;
        let document = scene.document;
        let stack =
            Stack::shown(document, Some(meant.id), f64::from(time)).without_layers_of_clips();
        let pose = Pose::evaluate(document, &stack);
        let layers = document.aids.layers(LayerHome::Clip(meant.id));
        let mut edits = Vec::new();
        let mut locks = LockKeeper::default();
        for (id, track, times) in
            meant.tracks().filter(|(_, t, _)| nodes.binary_search(&t.target).is_ok())
        {
            let seen = pose.local[track.target.index()].transform();
            let at = (track.target, f64::from(time));
            // The wanted pose includes the layers, but the keys are below them.
            let above = with_layers(&seen, &layers, at.0, at.1);
            let wanted = locks.keep(document, at.0, || above, &self.to.components());
            let to = below_layers(&above, &layers, at, &wanted)?;
            let by = match track.property {
                Property::Translation => {
                    to.translation.map(|t| (t - seen.translation).to_array().to_vec())
                }
                Property::Rotation => to
                    .rotation
                    .map(|r| (seen.rotation.inverse() * r).normalize().to_array().to_vec()),
                Property::Scale => to.scale.map(|s| (s - seen.scale).to_array().to_vec()),
                Property::Weights => None,
            };
            if let Some(by) = by {
                edits
                    .push(meant.edit(id, Some(change_values(track, times, &ValueChange::Add(by)))));
            }
        }
        let note = locks.note(document);
        if edits.is_empty() && note.is_none() {
            return Err(CommandError::other(
                "no_key_there",
                "none of the keys belongs to the given node and property",
            ));
        }
        Ok(Outcome { edits, notes: note.into_iter().collect(), ..Outcome::default() })
    }
}

impl ChangeKeys {
    pub(super) fn work(&self, scene: &Scene<'_>) -> Result<Outcome, CommandError> {
        let meant = KeyTargets::or_all(scene, &self.clip, &self.which)?;
        if meant.keys.has_parts() || self.order.is_some() {
            return components::changed(self, &meant);
        }
        let by: Vec<f32> = self.by.0.iter().map(|v| *v as f32).collect();
        let Some(first) = by.first().copied() else {
            return Err(CommandError::other(
                "argument_empty",
                "“by” is an empty list; use one number, or one number per component",
            ));
        };
        let edits = meant.changed(|track, times| {
            let each =
                |k: usize| by.get(k).copied().unwrap_or(if by.len() == 1 { first } else { 0.0 });
            let turns = track.property == Property::Rotation;
            let turn = || {
                let d = [0, 1, 2].map(|k| by.get(k).copied().unwrap_or(0.0).to_radians());
                Quat::from_euler(EulerRot::XYZ, d[0], d[1], d[2]).to_array()
            };
            let change = match self.how {
                ValueHow::Add if turns => ValueChange::Add(turn().to_vec()),
                ValueHow::Add => ValueChange::Add((0..track.width).map(each).collect()),
                ValueHow::Set if turns => ValueChange::Set(turn().map(Some).to_vec()),
                ValueHow::Set => {
                    let given = |k: usize| by.get(k).copied().or((by.len() == 1).then_some(first));
                    ValueChange::Set((0..track.width).map(given).collect())
                }
                ValueHow::Scale => ValueChange::Scale {
                    by: (0..track.width).map(|k| by.get(k).copied().unwrap_or(first)).collect(),
                    about: about(track, times, self.about.unwrap_or(ValueAbout::Zero)),
                },
            };
            change_values(track, times, &change)
        });
        Ok(edits.into())
    }
}

/// Returns the pivot value of a scaling, per component.
pub(super) fn about(track: &Track, times: &[f32], about: ValueAbout) -> Vec<f32> {
    let values: Vec<&[f32]> =
        times.iter().filter_map(|t| track.key_at(*t, 0.0)).map(|k| track.value(k)).collect();
    match (about, track.property) {
        (ValueAbout::First, _) if !values.is_empty() => values[0].to_vec(),
        (ValueAbout::Mean, Property::Rotation) if !values.is_empty() => {
            // The mean rotation is the normalized sum of quaternions in the hemisphere of the first
            // one.
            let q = |v: &[f32]| unit_or(Quat::from_slice(v), Quat::IDENTITY);
            let heavy = q(values[0]);
            let sum = values.iter().fold(glam::Vec4::ZERO, |sum, v| {
                let v = q(v);
                sum + glam::Vec4::from(if v.dot(heavy) < 0.0 { -v } else { v })
            });
            unit_or(Quat::from_vec4(sum), heavy).to_array().to_vec()
        }
        (ValueAbout::Mean, _) if !values.is_empty() => {
            let mean = |i: usize| {
                values.iter().map(|v| f64::from(v[i])).sum::<f64>() / values.len() as f64
            };
            (0..track.width).map(|i| mean(i) as f32).collect()
        }
        (_, Property::Rotation) => Quat::IDENTITY.to_array().to_vec(),
        (_, Property::Scale) => vec![1.0; 3],
        _ => vec![0.0; track.width],
    }
}
