//! Adds clips to a GLB.

use std::collections::HashMap;

use serde_json::{Value, json};

use super::GlbBuilder;
use crate::import::FoundClip;
use ulna_model::{Interpolation, Property};

/// Keys of one property of a node.
#[derive(Clone, Debug, PartialEq)]
pub struct KeysOut {
    /// Index of the animated node.
    pub node: usize,
    /// Animated property of the node.
    pub property: Property,
    /// Interpolation between keys.
    pub interpolation: Interpolation,
    /// Key times in seconds, ascending.
    pub times: Vec<f32>,
    /// Values of the keys. A key of a cubic spline has an in-tangent, a value and an out-tangent.
    pub values: Vec<f32>,
}

impl GlbBuilder {
    /// Adds a clip, if it has keys and is to be imported. Tracks with the same times share an
    /// accessor.
    pub fn animation(&mut self, name: &str, tracks: &[KeysOut], extras: Option<Value>) {
        let tracks: Vec<&KeysOut> = tracks.iter().filter(|t| !t.times.is_empty()).collect();
        if tracks.is_empty() {
            return;
        }
        let ends = tracks.iter().filter_map(|t| t.times.last().copied());
        let found = FoundClip {
            name: name.to_owned(),
            seconds: f64::from(ends.fold(0.0, f32::max)),
            keys: tracks.iter().map(|t| t.times.len()).sum(),
            moves: true,
        };
        if self.takes_clip(found) {
            self.put_animation(name, &tracks, extras);
        }
    }

    /// Records a clip of the file. Returns whether it is to be imported.
    pub fn takes_clip(&mut self, clip: FoundClip) -> bool {
        let number = self.clips.len();
        let is_wanted = self.wanted.as_ref().map_or(clip.moves, |w| w.contains(&number));
        self.clips.push(clip);
        is_wanted
    }

    /// Adds a clip whose tracks all have keys.
    pub fn put_animation(&mut self, name: &str, tracks: &[&KeysOut], extras: Option<Value>) {
        let (mut channels, mut samplers) = (Vec::new(), Vec::new());
        let mut inputs: HashMap<&[u8], usize> = HashMap::new();
        for track in tracks {
            let (kind, width) = match track.property {
                Property::Rotation => ("VEC4", 4),
                Property::Weights => ("SCALAR", 1),
                Property::Translation | Property::Scale => ("VEC3", 3),
            };
            let times = bytemuck::cast_slice(&track.times);
            let input = *inputs
                .entry(times)
                .or_insert_with(|| self.floats(&track.times, "SCALAR", 1, true));
            let output = self.floats(&track.values, kind, width, false);
            channels.push(json!({"sampler": samplers.len(),
                "target": {"node": track.node, "path": track.property}}));
            let mut sampler = json!({"input": input, "output": output});
            if track.interpolation != Interpolation::Linear {
                sampler["interpolation"] = json!(track.interpolation);
            }
            samplers.push(sampler);
        }
        let mut clip = json!({"channels": channels, "samplers": samplers});
        if !name.is_empty() {
            clip["name"] = name.into();
        }
        if let Some(extras) = extras {
            clip["extras"] = extras;
        }
        self.animations.push(clip);
    }
}
