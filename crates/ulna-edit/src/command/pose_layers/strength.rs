//! Commands on the strength of a layer, constant or with keys.

use super::{
    commands::{LayerStrength, LayerStrengthKeys, StrengthGoes},
    found::{FoundLayer, home_of},
};
use crate::{
    Edit,
    command::{
        CommandError, Scene,
        clip_keys::{SAME_TIME, time_of},
        error::{refuse, share},
        field::Seconds,
    },
};
use ulna_model::{Interpolation, LayerHome, NodeId, Property, Shared, Track};
use ulna_motion::strength_of;

impl LayerStrength {
    pub(super) fn work(&self, scene: &Scene<'_>) -> Result<Vec<Edit>, CommandError> {
        let strength = share(self.strength, "strength")?;
        let time = self.time.map(time_of).transpose()?;
        let found = FoundLayer::of(scene.document, &self.of)?;
        let mut layer = found.layer().clone();
        match time {
            None => (layer.strength, layer.strength_keys) = (strength, None),
            Some(_) if found.home == LayerHome::Pose => {
                return refuse(
                    "pose_has_no_time",
                    "a layer of the pose cannot have keys; omit “time”",
                );
            }
            Some(time) => {
                let keys = match &layer.strength_keys {
                    Some(keys) => keys.with_key(time, &[strength], SAME_TIME),
                    None => strength_track(vec![time], vec![strength], Interpolation::Linear),
                };
                layer.strength_keys = Some(Shared::new(keys));
            }
        }
        Ok(found.with(layer))
    }
}

/// Returns a track with the keys of a layer's strength.
fn strength_track(times: Vec<f32>, values: Vec<f32>, interpolation: Interpolation) -> Track {
    Track {
        target: NodeId(0),
        property: Property::Weights,
        interpolation,
        times: times.into(),
        values: values.into(),
        width: 1,
        kinds: Default::default(),
        modes: Default::default(),
    }
}

impl LayerStrengthKeys {
    pub(super) fn work(&self, scene: &Scene<'_>) -> Result<Vec<Edit>, CommandError> {
        home_of(scene.document, self.of.clip.as_ref())?;
        if !self.keys.0.len().is_multiple_of(2) {
            return refuse(
                "arguments_together",
                "“keys” must be pairs of time and strength; the last strength is missing",
            );
        }
        let mut keys = Vec::new();
        for pair in self.keys.0.chunks(2) {
            keys.push((time_of(Seconds(pair[0] as f32))?, share(pair[1] as f32, "keys")?));
        }
        keys.sort_by(|a, b| a.0.total_cmp(&b.0));
        if keys.windows(2).any(|pair| pair[1].0 <= pair[0].0) {
            return refuse(
                "time_twice",
                "two strength keys are at the same time; remove one of them",
            );
        }
        let found = FoundLayer::of(scene.document, &self.of)?;
        if found.home == LayerHome::Pose && !keys.is_empty() {
            return refuse("pose_has_no_time", "a layer of the pose cannot have keys");
        }
        let mut layer = found.layer().clone();
        let (times, values): (Vec<f32>, Vec<f32>) = keys.into_iter().unzip();
        if times.is_empty() {
            // Without keys, the strength at 0 s becomes the constant strength.
            layer.strength =
                layer.strength_keys.as_ref().map_or(layer.strength, |_| strength_of(&layer, 0.0));
        }
        let interpolation = match self.interpolation.unwrap_or(StrengthGoes::Linear) {
            StrengthGoes::Linear => Interpolation::Linear,
            StrengthGoes::Step => Interpolation::Step,
        };
        layer.strength_keys =
            (!times.is_empty()).then(|| Shared::new(strength_track(times, values, interpolation)));
        Ok(found.with(layer))
    }
}
