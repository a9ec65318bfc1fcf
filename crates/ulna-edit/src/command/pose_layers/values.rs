//! Commands on the values of a layer: setting and clearing values, and neutral keys.

use std::collections::BTreeSet;

use super::{
    commands::{ClearInLayer, SetInLayer, ZeroKey},
    found::{FoundLayer, home_of},
};
use crate::{
    Edit,
    command::{
        CommandError, Outcome, Scene,
        channel_locks::LockKeeper,
        clip_keys::{refuse_kept, time_of},
        error::refuse,
        layer_keys::{ClipSpan, first_keys, kept_around, key_user, moves, set_user, zeros},
        user_pose::some_given,
    },
};
use ulna_model::{LayerHome, NodeId, Notice, Property, Shared, Transform};
use ulna_motion::user_at;

impl SetInLayer {
    /// Sets the offset that the layer adds at full strength.
    pub(super) fn work(&self, scene: &Scene<'_>) -> Result<Outcome, CommandError> {
        let document = scene.document;
        let nodes = self.node.all(document)?;
        home_of(document, self.of.clip.as_ref())?;
        let given = some_given(&self.to)?;
        let time = self.time.map_or(Ok(0.0), time_of)?;
        let found = FoundLayer::of(document, &self.of)?;
        if !given.is_finite() {
            return refuse("not_finite", "a value is not a finite number");
        }
        let keys = self.key.unwrap_or(false);
        if keys && (found.home == LayerHome::Pose || self.time.is_none()) {
            return refuse("arguments_together", "“key” needs a layer of a clip, and a “time”");
        }
        let own = found.home.clip().and_then(|id| document.clips.get(id));
        let span = own.map(|c| ClipSpan::of(c)).unwrap_or_default();
        let mut layer = found.layer().clone();
        let mut locks = LockKeeper::default();
        for node in nodes {
            let old = user_at(&layer, node, f64::from(time));
            let given = locks.keep_offset(document, node, &old, &given);
            if given.is_empty() {
                continue;
            }
            if let Some(clip) = found.home.clip().and_then(|id| document.clips.get(id)) {
                for property in Property::TRS.into_iter().filter(|p| given.has(*p)) {
                    refuse_kept(document, clip, node, property)?;
                }
            }
            if keys {
                first_keys(&mut layer, node, time, &given, span);
            }
            set_user(&mut layer, node, time, &given);
        }
        let notes = locks.note(document).into_iter().collect();
        Ok(Outcome { edits: found.with(layer), notes, ..Outcome::default() })
    }
}

impl ClearInLayer {
    pub(super) fn work(&self, scene: &Scene<'_>) -> Result<Vec<Edit>, CommandError> {
        let document = scene.document;
        let nodes = self.node.as_ref().map(|n| n.all(document)).transpose()?;
        let found = FoundLayer::of(document, &self.of)?;
        let goes = |n: NodeId| nodes.as_ref().is_none_or(|list| list.binary_search(&n).is_ok());
        let mut layer = found.layer().clone();
        Shared::make_mut(&mut layer.moves).retain(|n, _| !goes(*n));
        if layer.keys.tracks.values().any(|t| goes(t.target)) {
            Shared::make_mut(&mut layer.keys).tracks.retain(|_, t| !goes(t.target));
        }
        Ok(found.with(layer))
    }
}

impl ZeroKey {
    pub(super) fn work(&self, scene: &Scene<'_>) -> Result<Outcome, CommandError> {
        let document = scene.document;
        let named = self.node.as_ref().map(|n| n.all(document)).transpose()?;
        let times = [Some(self.time), self.until]
            .into_iter()
            .flatten()
            .map(time_of)
            .collect::<Result<Vec<f32>, _>>()?;
        let found = FoundLayer::of(document, &self.of)?;
        if found.home == LayerHome::Pose {
            return refuse(
                "pose_has_no_time",
                "a layer of the pose cannot have keys; use a layer of a clip",
            );
        }
        let mut layer = found.layer().clone();
        let nodes = named.unwrap_or_else(|| layer.nodes());
        if nodes.is_empty() {
            return refuse(
                "layer_is_empty",
                format!(
                    "layer “{}” is empty; pose a joint in it first, or name joints",
                    layer.name
                ),
            );
        }
        let clip = found.home.clip().and_then(|id| document.clips.get(id));
        let span = clip.map(|c| ClipSpan::of(c)).unwrap_or_default();
        let mut around = BTreeSet::new();
        for node in nodes {
            let constant = layer.constant(node);
            let mut moved: Vec<Property> = Property::TRS
                .into_iter()
                .filter(|p| moves(&constant, *p) || layer.keys.track(node, *p).is_some())
                .collect();
            if moved.is_empty() {
                moved.push(Property::Rotation);
            }
            for property in moved {
                if moves(&constant, property) && layer.keys.track(node, property).is_none() {
                    let made =
                        kept_around(&constant, (node, property), &zeros(&times, property), span);
                    around.extend(
                        made.times.iter().filter(|t| !times.contains(t)).map(|t| t.to_bits()),
                    );
                    let keys = Shared::make_mut(&mut layer.keys);
                    keys.tracks.insert(keys.free_track_id(), Shared::new(made));
                    continue;
                }
                for time in &times {
                    key_user(&mut layer, node, property, *time, &Transform::IDENTITY);
                }
            }
        }
        let when: Vec<String> =
            around.into_iter().map(|t| format!("{:.2} s", f32::from_bits(t))).collect();
        let note = (!when.is_empty()).then(|| {
            format!(
                "keys that keep the constant offset of the layer were added around it, at {}",
                when.join(", ")
            )
        });
        let notes = note.map(|n| Notice::new("offset_keyed", n)).into_iter().collect();
        Ok(Outcome { edits: found.with(layer), notes, ..Outcome::default() })
    }
}
