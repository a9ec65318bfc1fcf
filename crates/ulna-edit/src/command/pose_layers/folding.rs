//! Commands that bake layers into keys, merge layers, and make layers from clips.

use super::{
    commands::{ExtractLayer, FoldLayers, MergeLayerDown, SplitLayer},
    found::{FoundLayer, home_of, name_for, push, set},
};
use crate::{
    Edit,
    command::{
        CommandError, Outcome, Scene,
        clip_keys::{clip_of, time_of},
        error::refuse,
        layer_name::home_words,
    },
};
use ulna_model::{ClipId, Document, LayerHome, Notice, PoseLayer, PoseLayers, Shared, Transform};
use ulna_motion::{
    Pose, SeenPoints, Stack, clip_edit, difference, fold_clip, fold_error, fold_pose, merged,
};

/// Number of times at which the error of baking is measured.
const LOOKS: usize = 120;

impl FoldLayers {
    pub(super) fn work(&self, scene: &Scene<'_>) -> Result<Outcome, CommandError> {
        let document = scene.document;
        let home = home_of(document, self.clip.as_ref())?;
        let layers = document.aids.layers(home);
        if layers.is_empty() {
            return refuse(
                "no_such_layer",
                format!("{} has no layers", home_words(document, home)),
            );
        }
        if layers.has_solo() {
            return refuse(
                "layer_is_solo",
                "a layer is soloed, so the others have no effect; turn off solo first",
            );
        }
        let last = match &self.layer {
            None => layers.0.len() - 1,
            Some(name) => {
                let id = name.find(document, home)?;
                layers.position(id).unwrap_or_default()
            }
        };
        let counts = |layer: &PoseLayer| layers.counts(layer);
        let part = |folds: bool| -> PoseLayers {
            let list = layers.0.iter().enumerate();
            PoseLayers(
                list.filter(|(k, l)| (*k <= last && counts(l)) == folds)
                    .map(|(_, l)| l.clone())
                    .collect(),
            )
        };
        let (goes, stays) = (part(true), part(false));
        if goes.is_empty() {
            return refuse(
                "no_layer_is_on",
                "there is no active layer to bake; unmute a layer, or raise its strength",
            );
        }
        match home {
            LayerHome::Pose => {
                let folded = fold_pose(&document.file, &goes);
                let changed =
                    folded.nodes.iter().filter(|(id, n)| n.pose != document.node(*id).pose);
                let poses: Vec<_> = changed.map(|(id, n)| (id, n.pose)).collect();
                let mut edits = set(home, stays);
                if !poses.is_empty() {
                    edits.push(Edit::SetPoses(poses));
                }
                Ok(edits.into())
            }
            LayerHome::Clip(id) => fold(document, id, &goes, stays),
        }
    }
}

/// Bakes layers of a clip into its keys.
fn fold(
    document: &Document,
    id: ClipId,
    goes: &PoseLayers,
    stays: PoseLayers,
) -> Result<Outcome, CommandError> {
    let file = fold_pose(&document.file, &document.aids.layers(LayerHome::Pose));
    let clip = clip_of(document, id)?;
    let folded = fold_clip(&file, clip, goes);
    if let Some((node, property)) = folded.refused.first() {
        return refuse(
            "keys_not_editable",
            format!(
                "the {} keys of {} cannot be edited, so layers cannot be baked into them; remove \
                    the joint from the layer",
                property.path(),
                document.node(*node).label(*node)
            ),
        );
    }
    let mut alone = document.clone();
    alone.aids.pose_layers.insert(LayerHome::Clip(id), Shared::new(goes.clone()));
    let seen = SeenPoints::of(document, SeenPoints::MANY);
    let (way, turn) = fold_error(&alone, id, &folded.clip, (&seen, LOOKS));
    let mut edits = set(LayerHome::Clip(id), stays);
    if !Shared::ptr_eq(&folded.clip, clip) {
        edits.push(Edit::SetClip { clip: id, to: Some(folded.clip.clone()) });
    }
    let tracks = |n: usize| if n == 1 { "1 track".to_owned() } else { format!("{n} tracks") };
    let note = if folded.sampled == 0 {
        format!("{} baked exactly, with the same keys", tracks(folded.exact))
    } else {
        format!(
            "{} with the same keys, {} resampled, {} keys added; max error of {}: {:.2} mm, of a \
                joint: {:.2}°",
            tracks(folded.exact),
            tracks(folded.sampled),
            folded.keys_added,
            seen.label(),
            way * 1000.0,
            turn.to_degrees()
        )
    };
    Ok(Outcome { edits, notes: vec![Notice::new("layers_baked", note)], ..Outcome::default() })
}

impl MergeLayerDown {
    pub(super) fn work(&self, scene: &Scene<'_>) -> Result<Outcome, CommandError> {
        let document = scene.document;
        let found = FoundLayer::of(document, &self.of)?;
        let Some(below) = found.at.checked_sub(1) else {
            return refuse(
                "layer_is_lowest",
                format!(
                    "“{}” is the lowest layer; use {} to bake it",
                    found.layer().name,
                    FoldLayers::NAME
                ),
            );
        };
        let (under, over) = (&found.layers.0[below], found.layer());
        if !found.layers.counts(under) || !found.layers.counts(over) {
            return refuse(
                "layer_is_off",
                format!(
                    "“{}” and “{}” must both be active to be merged; unmute them",
                    under.name, over.name
                ),
            );
        }
        let made = merged(document, under, over);
        let made = PoseLayer { solo: under.solo, ..made }.named(under.id, under.name.clone());
        // Nonuniform scale below the layers would cause shear, which a transform cannot represent.
        let unequal = made.nodes().into_iter().find(|n| {
            let scale = document.node(*n).local().transform().scale;
            let most = scale.abs().max_element();
            (scale - Transform::IDENTITY.scale * scale.x).abs().max_element() > 1e-5 * most
                && over.constant(*n).translation != glam::Vec3::ZERO
        });
        let note = unequal.map(|n| {
            let label = document.node(n).label(n);
            Notice::new(
                "unequal_scale",
                format!("{label} has nonuniform scale, so its position changes slightly"),
            )
        });
        let mut layers = (*found.layers).clone();
        layers.0[below] = Shared::new(made);
        layers.0.remove(found.at);
        Ok(Outcome {
            edits: set(found.home, layers),
            notes: note.into_iter().collect(),
            ..Outcome::default()
        })
    }
}

impl ExtractLayer {
    pub(super) fn work(&self, scene: &Scene<'_>) -> Result<Outcome, CommandError> {
        let document = scene.document;
        let id = self.clip.find(document)?;
        clip_of(document, id)?;
        let home = LayerHome::Clip(id);
        let layers = document.aids.layers(home);
        let other = self.other.as_ref().map(|o| o.find(document)).transpose()?;
        let time = self.time.map(time_of).transpose()?;
        match (other, time) {
            (Some(other), None) => {
                clip_of(document, other)?;
                let name = name_for(&layers, self.name.as_ref(), &document.clip_label(other))?;
                let made = difference(document, id, other).map_err(|node| {
                    let label = document.node(node).label(node);
                    CommandError::other(
                        "scale_is_zero",
                        format!(
                            "the scale of {label} is 0 at some time, which a layer cannot undo"
                        ),
                    )
                })?;
                if made.nodes().is_empty() {
                    return refuse(
                        "clips_are_the_same",
                        "the two clips are the same, so there is no difference for a layer",
                    );
                }
                let made = made.named(document.aids.free_pose_layer(), name);
                Ok(push(document, home, made).into())
            }
            (None, Some(time)) => {
                let Some((at, pose)) = document.aids.unkeyed(id, f64::from(time)) else {
                    return refuse(
                        "no_unkeyed_pose",
                        format!("there is no unkeyed pose at {time} s of this clip"),
                    );
                };
                let name = name_for(&layers, self.name.as_ref(), "Pose")?;
                let seen = Pose::evaluate(
                    document,
                    &Stack::shown(document, Some(id), f64::from(at.time())),
                );
                let mut edits = Vec::new();
                let mut moves = std::collections::BTreeMap::new();
                for (node, wanted) in &pose.locals {
                    let under = seen.local[node.index()].transform();
                    let user =
                        under.user_where(wanted, &Transform::IDENTITY).map_err(|source| {
                            CommandError::Transform {
                                node: document.node(*node).label(*node),
                                source,
                            }
                        })?;
                    moves.insert(*node, user);
                    edits.push(Edit::SetUnkeyed { at, node: *node, to: None });
                }
                if moves.is_empty() {
                    return refuse(
                        "property_not_in_layer",
                        "the unkeyed pose has only morph weights, which a layer cannot have",
                    );
                }
                let made = PoseLayer::new("", moves).named(document.aids.free_pose_layer(), name);
                edits.extend(push(document, home, made));
                Ok(edits.into())
            }
            _ => refuse(
                "argument_missing",
                "use either “other”, another clip, or “time”, the time of an unkeyed pose",
            ),
        }
    }
}

impl SplitLayer {
    pub(super) fn work(&self, scene: &Scene<'_>) -> Result<Outcome, CommandError> {
        /// Default error of the base keys, in degrees.
        const USUAL: f32 = 5.0;
        let document = scene.document;
        let id = self.clip.find(document)?;
        let clip = clip_of(document, id)?;
        let degrees = self.degrees.unwrap_or(USUAL);
        if !(0.01..=90.0).contains(&degrees) {
            return refuse(
                "argument_out_of_range",
                format!("“degrees” must be 0.01 to 90, but is {degrees}"),
            );
        }
        let home = LayerHome::Clip(id);
        let layers = document.aids.layers(home);
        let name = name_for(&layers, self.name.as_ref(), "Detail")?;
        let tall = document
            .nodes
            .values()
            .map(|n| n.local().transform().translation.length())
            .fold(0.0, f32::max);
        // Distance by which this angle moves the end of the longest bone.
        let few = clip_edit::sparse(clip, degrees.to_radians(), tall * degrees.to_radians());
        if few.key_count() == clip.key_count() {
            return refuse(
                "no_key_can_go",
                format!("no key can be removed within {degrees}°; use a larger value"),
            );
        }
        let (before, after) = (clip.key_count(), few.key_count());
        // The new layer becomes the lowest one, and contains the difference to the base keys.
        let mut other = document.clone();
        other.aids.pose_layers.remove(&home);
        let whole = other.file.clips.next_id();
        other.file.clips.put(whole, Some(clip.clone()));
        let few = Shared::new(few);
        if let Some(slot) = other.file.clips.get_mut(id) {
            *slot = few.clone();
        }
        let made = difference(&other, id, whole).map_err(|node| {
            let label = document.node(node).label(node);
            CommandError::other(
                "scale_is_zero",
                format!("the scale of {label} is 0 at some time, which a layer cannot undo"),
            )
        })?;
        let made = made.named(document.aids.free_pose_layer(), name);
        let mut to = (*layers).clone();
        to.0.insert(0, Shared::new(made));
        let mut edits = vec![Edit::SetClip { clip: id, to: Some(few) }];
        edits.extend(set(home, to));
        let note =
            format!("{before} keys were reduced to {after}; the layer has the rest of the motion");
        Ok(Outcome { edits, notes: vec![Notice::new("layer_split", note)], ..Outcome::default() })
    }
}
