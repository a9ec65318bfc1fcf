//! Commands on layers of user-local transforms: edits of a pose, or of a whole clip, that stay
//! edits.

mod folding;
mod invert;
mod keys;
mod mask;

use std::{collections::BTreeSet, sync::Arc};

use super::{
    ArgumentType, CommandError, Outcome, Scene,
    clip_keys::{SAME_TIME, clip_of, refuse_kept, time_of},
    define::document_commands,
    error::{refuse, share},
    field::{ClipName, Nodes, Numbers, Seconds, Trs, choice, field},
    layer_keys::{first_keys, kept_around, key_user, moves, set_user, zeros},
    layer_name::{LayerName, LayerOf, home_words},
    rules,
    user_pose::some_given,
};
use crate::Edit;
use ulna_model::{
    ClipId, Document, Interpolation, LayerHome, NodeId, Notice, PoseLayer, PoseLayerId, PoseLayers,
    Property, Shared, Track, Transform,
};
use ulna_motion::{LayerWriteError, clip_edit::key_span, strength_of};

pub use self::keys::{KeysOfLayer, LayerKeysCommand, layer_as_clip};

choice! {
    /// Where a layer counts, by parts of a body.
    Region {
        /// Everywhere.
        All = "all",
        /// From the lowest joint of the spine up.
        Upper = "upper",
        /// All but that.
        Lower = "lower",
        /// What is not on the right.
        Left = "left",
        /// What is not on the left.
        Right = "right",
    }
}

document_commands! {
    /// Commands on layers of user-local transforms.
    PoseLayerCommand in "Pose/Layers";

    /// Adds a layer over the shown clip or over the pose; its edits stay editable
    NewLayer {
        /// Clip that receives the layer; the pose if omitted.
        clip: Option<ClipName>,
        /// Name.
        name: Option<String>,
    } = "layer.new", "New layer";
    /// Removes a layer with all its edits
    RemovePoseLayer {
        /// Layer to edit.
        of: LayerOf,
    } = "layer.remove", "Remove the \
        layer", enabled: rules::pose_layer;
    /// Renames a layer
    RenamePoseLayer {
        /// Layer to edit.
        of: LayerOf,
        /// New name.
        name: String,
    } = "layer.rename", "Rename a layer", asks: true, enabled: rules::pose_layer;
    /// Sets the strength of a layer, constant or by a key
    LayerStrength {
        /// Layer to edit.
        of: LayerOf,
        /// Layer strength.
        strength: f32,
        /// Time of a key of the strength; constant if omitted.
        time: Option<Seconds>,
    } = "layer.strength", "Set layer strength", asks: true, enabled: rules::pose_layer;
    /// Replaces all keys of a layer's strength; without keys it is constant
    LayerStrengthKeys {
        /// Layer to edit.
        of: LayerOf,
        /// Time and strength, time and strength, and so on.
        keys: Numbers,
        /// Interpolation between the keys; linear if omitted.
        interpolation: Option<StrengthGoes>,
    } = "layer.strength_keys", "Set keys of the layer \
        strength", asks: true, enabled: rules::pose_layer;
    /// Mutes or unmutes a layer
    MuteLayer {
        /// Layer to edit.
        of: LayerOf,
        /// Whether the layer is muted; toggles if omitted.
        muted: Option<bool>,
    } = "layer.mute", "Mute or unmute the \
        layer", enabled: rules::pose_layer;
    /// Soloes a layer of a clip
    SoloLayer {
        /// Layer to edit.
        of: LayerOf,
        /// Whether the layer is soloed; toggles if omitted.
        solo: Option<bool>,
    } = "layer.solo", "Solo the \
        layer", enabled: rules::pose_layer;
    /// Moves a layer up or down
    MovePoseLayer {
        /// Layer to edit.
        of: LayerOf,
        /// Whether to move it up, away from the clip.
        up: Option<bool>,
        /// Position in the list; 0 is next to the clip.
        place: Option<usize>,
    } = "layer.move", "Move a layer", asks: true, enabled: rules::pose_layer;
    /// Duplicates a layer
    DuplicateLayer {
        /// Layer to edit.
        of: LayerOf,
        /// Name of the copy.
        name: Option<String>,
    } = "layer.duplicate", "Duplicate the \
        layer", enabled: rules::pose_layer;
    /// Limits a layer to a part of the body, to a joint with all below it, or to chosen joints
    MaskPoseLayer {
        /// Layer to edit.
        of: LayerOf,
        /// Part of the body.
        region: Option<Region>,
        /// First joint of the mask, with all joints below it.
        below: Option<Nodes>,
        /// Number of joints over which the mask fades in.
        falloff: Option<usize>,
        /// Joints of the mask.
        node: Option<Nodes>,
        /// Mask weight: one number, or one per joint.
        weights: Option<Numbers>,
    } = "layer.mask", "Set layer mask", asks: true, enabled: rules::pose_layer;
    /// Sets what a layer adds to joints, by number
    SetInLayer {
        /// Layer to edit.
        of: LayerOf,
        /// Joints to edit.
        node: Nodes,
        /// Values to add.
        to: Trs,
        /// Time, in seconds.
        time: Option<Seconds>,
        /// Whether to set a key at that time, even if the layer was constant.
        key: Option<bool>,
    } = "layer.set", "Set layer offsets", asks: true, enabled: rules::pose_layer;
    /// Removes joints from a layer
    ClearInLayer {
        /// Layer to edit.
        of: LayerOf,
        /// Joints to edit.
        node: Option<Nodes>,
    } = "layer.clear", "Remove joints from the \
        layer", enabled: rules::pose_layer;
    /// Adds neutral keys, at which the layer has no effect
    ZeroKey {
        /// Layer to edit.
        of: LayerOf,
        /// Time, in seconds.
        time: Seconds,
        /// Time of a second neutral key, in seconds.
        until: Option<Seconds>,
        /// Joints to key; all joints of the layer if omitted.
        node: Option<Nodes>,
    } = "layer.zero_key", "Add a neutral \
        key", key: "Shift+S", enabled: rules::layer_of_clip;
    /// Inverts what a layer adds
    InvertLayer {
        /// Layer to edit.
        of: LayerOf,
    } = "layer.invert", "Invert the \
        layer", enabled: rules::pose_layer;
    /// Copies a layer to other clips
    CopyLayer {
        /// Layer to edit.
        of: LayerOf,
        /// Clips that receive a copy: names, or a pattern.
        to: ClipList,
    } = "layer.copy", "Copy the layer to clips", asks: true, enabled: rules::pose_layer;
    /// Bakes layers into the keys of their clip, or into the pose
    FoldLayers {
        /// Clip of the layer; a layer of the pose if omitted.
        clip: Option<ClipName>,
        /// Topmost layer to bake, with those below it; all layers if omitted.
        layer: Option<LayerName>,
    } = "layer.fold", "Bake layers", enabled: rules::pose_layer;
    /// Saves the layers in the file, to edit them again later; their effect is saved in any case
    KeepLayers {
        /// Whether to save the layers in the file; toggles if omitted.
        on: Option<bool>,
    } = "layer.keep", "Save the layers in the file", enabled: rules::any_pose_layer;
    /// Merges a layer with the one below it
    MergeLayerDown {
        /// Layer to edit.
        of: LayerOf,
    } = "layer.merge_down", "Merge the layer down", asks: true, enabled: rules::pose_layer;
    /// Makes a layer from the difference between a clip and another clip or an unkeyed pose
    ExtractLayer {
        /// Clip that receives the layer.
        clip: ClipName,
        /// Clip that results when the layer is applied.
        other: Option<ClipName>,
        /// Time of the unkeyed pose that becomes a layer of the whole clip.
        time: Option<Seconds>,
        /// Name.
        name: Option<String>,
    } = "layer.extract", "Make a layer from a difference", asks: true, enabled: rules::clip_shown;
    /// Splits a clip into a few base keys and a layer with the rest of the motion
    SplitLayer {
        /// Clip to split.
        clip: ClipName,
        /// Maximum error of the base keys, in degrees.
        degrees: Option<f32>,
        /// Name of the layer.
        name: Option<String>,
    } = "layer.split", "Split into base and \
        layer", enabled: rules::clip_shown;
}

choice! {
    /// How a strength goes from key to key.
    StrengthGoes {
        /// Straight.
        Linear = "linear",
        /// It stays until the next.
        Step = "step",
    }
}

/// Clips, by names or a pattern.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ClipList {
    /// By names, `#index` or patterns.
    Named(Vec<String>),
    /// These.
    Ids(Vec<ClipId>),
}
field!(
    ClipList,
    ArgumentType::Text,
    |from, name| from
        .texts(
            name,
            "a clip name, #index or a pattern, or a list of \
        these"
        )
        .map(Self::Named),
    |v, document| match v {
        Self::Named(texts) => texts.clone().into(),
        Self::Ids(ids) =>
            ids.iter().map(|id| super::clip_text(document, *id)).collect::<Vec<_>>().into(),
    }
);

impl ClipList {
    /// Which they are, each once.
    ///
    /// # Errors
    /// Where a text names none.
    pub fn all(&self, document: &Document) -> Result<Vec<ClipId>, CommandError> {
        let mut found: BTreeSet<ClipId> = BTreeSet::new();
        match self {
            Self::Ids(ids) => found.extend(ids),
            Self::Named(texts) => {
                for text in texts {
                    found.extend(super::find_clips(document, text)?);
                }
            }
        }
        Ok(found.into_iter().collect())
    }
}

/// A layer that a command found.
pub(super) struct FoundLayer {
    home: LayerHome,
    layers: Shared<PoseLayers>,
    at: usize,
}

impl FoundLayer {
    fn of(document: &Document, of: &LayerOf) -> Result<Self, CommandError> {
        let home = home_of(document, of.clip.as_ref())?;
        let layers = document.aids.layers(home);
        let id = match &of.layer {
            Some(layer) => layer.find(document, home)?,
            None => match layers.0.as_slice() {
                [only] => only.id,
                [] => {
                    return refuse(
                        "no_such_layer",
                        format!(
                            "{} has no layers; use {} to add \
                            one",
                            home_words(document, home),
                            NewLayer::NAME
                        ),
                    );
                }
                all => {
                    return refuse(
                        "layer_ambiguous",
                        format!(
                            "{} has {} layers; name one as \
                            “layer”",
                            home_words(document, home),
                            all.len()
                        ),
                    );
                }
            },
        };
        let at = layers.position(id).ok_or(LayerWriteError::NoLayer)?;
        Ok(Self { home, layers, at })
    }

    fn layer(&self) -> &PoseLayer {
        &self.layers.0[self.at]
    }

    /// The list with this layer another.
    fn with(&self, layer: PoseLayer) -> Vec<Edit> {
        if layer == *self.layer() {
            return Vec::new();
        }
        let mut layers = (*self.layers).clone();
        layers.0[self.at] = Shared::new(layer);
        set(self.home, layers)
    }
}

/// Of what a layer is that is named so.
pub(super) fn home_of(
    document: &Document,
    clip: Option<&ClipName>,
) -> Result<LayerHome, CommandError> {
    let id = clip.map(|c| c.find(document)).transpose()?;
    if let Some(id) = id {
        clip_of(document, id)?;
    }
    Ok(LayerHome::of(id))
}

/// The edit that makes these the layers of a clip or of the pose.
pub(super) fn set(home: LayerHome, layers: PoseLayers) -> Vec<Edit> {
    let to = (!layers.is_empty()).then(|| Shared::new(layers));
    vec![Edit::SetPoseLayers { home, to }]
}

fn trimmed(name: &str) -> Result<Arc<str>, CommandError> {
    match name.trim() {
        "" => refuse("name_missing", "a layer needs a name"),
        name => Ok(name.into()),
    }
}

/// A name that no layer of a list has: this one, or with the first number that makes it so.
fn free_name(layers: &PoseLayers, name: &str) -> Arc<str> {
    let numbered = |k: u32| if k < 2 { name.to_owned() } else { format!("{name} {k}") };
    let free = |n: &String| layers.iter().all(|l| *l.name != **n);
    (1..).map(numbered).find(free).unwrap_or_default().into()
}

/// What a layer is called that has this name, or that nobody named.
pub(super) fn name_for(
    layers: &PoseLayers,
    name: Option<&String>,
    usual: &str,
) -> Result<Arc<str>, CommandError> {
    let Some(name) = name else { return Ok(free_name(layers, usual)) };
    let name = trimmed(name)?;
    if layers.iter().any(|l| l.name == name) {
        return refuse(
            "name_taken",
            format!(
                "a layer named “{name}” already exists; use another \
            name"
            ),
        );
    }
    Ok(name)
}

/// The edit that puts a layer on top of a list.
pub(super) fn push(document: &Document, home: LayerHome, layer: PoseLayer) -> Vec<Edit> {
    let mut layers = (*document.aids.layers(home)).clone();
    layers.0.push(Shared::new(layer));
    set(home, layers)
}

impl NewLayer {
    /// On top of the others.
    fn work(&self, scene: &Scene<'_>) -> Result<Vec<Edit>, CommandError> {
        let document = scene.document;
        let home = home_of(document, self.clip.as_ref())?;
        let name = name_for(&document.aids.layers(home), self.name.as_ref(), "Layer")?;
        let layer =
            PoseLayer::new("", Default::default()).named(document.aids.free_pose_layer(), name);
        Ok(push(document, home, layer))
    }
}

impl RemovePoseLayer {
    fn work(&self, scene: &Scene<'_>) -> Result<Vec<Edit>, CommandError> {
        let found = FoundLayer::of(scene.document, &self.of)?;
        let mut layers = (*found.layers).clone();
        layers.0.remove(found.at);
        Ok(set(found.home, layers))
    }
}

impl RenamePoseLayer {
    fn work(&self, scene: &Scene<'_>) -> Result<Vec<Edit>, CommandError> {
        let found = FoundLayer::of(scene.document, &self.of)?;
        let name = trimmed(&self.name)?;
        if found.layers.iter().any(|l| l.name == name && l.id != found.layer().id) {
            return refuse(
                "name_taken",
                format!(
                    "a layer named “{name}” already exists; use \
                another name"
                ),
            );
        }
        Ok(found.with(PoseLayer { name, ..found.layer().clone() }))
    }
}

impl LayerStrength {
    fn work(&self, scene: &Scene<'_>) -> Result<Vec<Edit>, CommandError> {
        let strength = share(self.strength, "strength")?;
        let time = self.time.map(time_of).transpose()?;
        let found = FoundLayer::of(scene.document, &self.of)?;
        let mut layer = found.layer().clone();
        match time {
            None => (layer.strength, layer.strength_keys) = (strength, None),
            Some(_) if found.home == LayerHome::Pose => {
                return refuse(
                    "pose_has_no_time",
                    "a layer of the pose cannot have keys; omit \
                    “time”",
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

/// Keys of a strength.
fn strength_track(times: Vec<f32>, values: Vec<f32>, interpolation: Interpolation) -> Track {
    Track {
        target: NodeId(0),
        property: Property::Weights,
        interpolation,
        times: times.into(),
        values: values.into(),
        width: 1,
        kinds: Default::default(),
    }
}

impl LayerStrengthKeys {
    fn work(&self, scene: &Scene<'_>) -> Result<Vec<Edit>, CommandError> {
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
                "two strength keys are at the same time; remove one of \
                them",
            );
        }
        let found = FoundLayer::of(scene.document, &self.of)?;
        if found.home == LayerHome::Pose && !keys.is_empty() {
            return refuse("pose_has_no_time", "a layer of the pose cannot have keys");
        }
        let mut layer = found.layer().clone();
        let (times, values): (Vec<f32>, Vec<f32>) = keys.into_iter().unzip();
        if times.is_empty() {
            // What it was at first stays.
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

impl KeepLayers {
    fn work(&self, scene: &Scene<'_>) -> Result<Vec<Edit>, CommandError> {
        let now = scene.document.aids.keeps_layers;
        let to = self.on.unwrap_or(!now);
        Ok(if to == now { Vec::new() } else { vec![Edit::SetKeepsLayers { to }] })
    }
}

impl MuteLayer {
    fn work(&self, scene: &Scene<'_>) -> Result<Vec<Edit>, CommandError> {
        let found = FoundLayer::of(scene.document, &self.of)?;
        let muted = self.muted.unwrap_or(!found.layer().muted);
        Ok(found.with(PoseLayer { muted, ..found.layer().clone() }))
    }
}

impl SoloLayer {
    fn work(&self, scene: &Scene<'_>) -> Result<Vec<Edit>, CommandError> {
        let found = FoundLayer::of(scene.document, &self.of)?;
        let solo = self.solo.unwrap_or(!found.layer().solo);
        Ok(found.with(PoseLayer { solo, ..found.layer().clone() }))
    }
}

impl MovePoseLayer {
    fn work(&self, scene: &Scene<'_>) -> Result<Vec<Edit>, CommandError> {
        let found = FoundLayer::of(scene.document, &self.of)?;
        let last = found.layers.0.len() - 1;
        let to = match (self.up, self.place) {
            (Some(true), None) => (found.at + 1).min(last),
            (Some(false), None) => found.at.saturating_sub(1),
            (None, Some(place)) if place <= last => place,
            (None, Some(place)) => {
                return refuse(
                    "argument_out_of_range",
                    format!(
                        "“place” is {place}, but must be 0 \
                    to {last}"
                    ),
                );
            }
            _ => return refuse("argument_missing", "use either “up” or “place”"),
        };
        if to == found.at {
            return Ok(Vec::new());
        }
        let mut layers = (*found.layers).clone();
        let layer = layers.0.remove(found.at);
        layers.0.insert(to, layer);
        Ok(set(found.home, layers))
    }
}

impl DuplicateLayer {
    fn work(&self, scene: &Scene<'_>) -> Result<Vec<Edit>, CommandError> {
        let document = scene.document;
        let found = FoundLayer::of(document, &self.of)?;
        let name =
            name_for(&found.layers, self.name.as_ref(), &format!("{} copy", found.layer().name))?;
        let mut layers = (*found.layers).clone();
        let copy = found.layer().clone().named(document.aids.free_pose_layer(), name);
        layers.0.insert(found.at + 1, Shared::new(copy));
        Ok(set(found.home, layers))
    }
}

impl SetInLayer {
    /// By number: nothing is divided out, it is what the layer adds in full.
    fn work(&self, scene: &Scene<'_>) -> Result<Outcome, CommandError> {
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
        let span = own.and_then(|c| key_span(c)).unwrap_or_default();
        let mut layer = found.layer().clone();
        for node in nodes {
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
        Ok(found.with(layer).into())
    }
}

impl ClearInLayer {
    fn work(&self, scene: &Scene<'_>) -> Result<Vec<Edit>, CommandError> {
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
    fn work(&self, scene: &Scene<'_>) -> Result<Outcome, CommandError> {
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
                "a layer of the pose cannot have keys; use a layer \
                of a clip",
            );
        }
        let mut layer = found.layer().clone();
        let nodes = named.unwrap_or_else(|| layer.nodes());
        if nodes.is_empty() {
            return refuse(
                "layer_is_empty",
                format!(
                    "layer “{}” is empty; pose a joint in it first, or name \
                    joints",
                    layer.name
                ),
            );
        }
        let clip = found.home.clip().and_then(|id| document.clips.get(id));
        let span = clip.and_then(|c| key_span(c)).unwrap_or_default();
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
        let when: Vec<String> = around
            .into_iter()
            .map(|t| {
                format!(
                    "{:.2} \
            s",
                    f32::from_bits(t)
                )
            })
            .collect();
        let note = (!when.is_empty()).then(|| {
            format!(
                "keys that keep the constant offset of the layer were added around it, at \
                {}",
                when.join(", ")
            )
        });
        let notes = note.map(|n| Notice::new("offset_keyed", n)).into_iter().collect();
        Ok(Outcome { edits: found.with(layer), notes, keys: None })
    }
}

impl CopyLayer {
    fn work(&self, scene: &Scene<'_>) -> Result<Outcome, CommandError> {
        let document = scene.document;
        let to = self.to.all(document)?;
        let found = FoundLayer::of(document, &self.of)?;
        let mut edits = Vec::new();
        let mut refused = Vec::new();
        let mut id = document.aids.free_pose_layer();
        for clip in to {
            let home = LayerHome::Clip(clip);
            let layers = document.aids.layers(home);
            let name = free_name(&layers, &found.layer().name);
            let kept = found.layer().nodes().into_iter().any(|n| {
                clip_of(document, clip).is_ok_and(|c| c.kept.iter().any(|(node, _)| *node == n))
            });
            if kept {
                refused.push(document.clip_label(clip));
                continue;
            }
            edits.extend(push(document, home, found.layer().clone().named(id, name)));
            id = PoseLayerId(id.0.saturating_add(1));
        }
        let note = (!refused.is_empty()).then(|| {
            format!(
                "clips left out, because their keys of these joints cannot be edited: \
                {}",
                refused.join(", ")
            )
        });
        let notes = note.map(|n| Notice::new("clips_left_out", n)).into_iter().collect();
        Ok(Outcome { edits, notes, keys: None })
    }
}

/// Layers of another clip as copies of one's own.
pub(super) fn copies(document: &Document, from: ClipId, to: ClipId) -> Vec<Edit> {
    let layers = document.aids.layers(LayerHome::Clip(from));
    if layers.is_empty() {
        return Vec::new();
    }
    let first = document.aids.free_pose_layer().0;
    let copy = |(k, layer): (usize, &PoseLayer)| {
        layer.clone().named(PoseLayerId(first.saturating_add(k as u32)), layer.name.clone())
    };
    set(LayerHome::Clip(to), layers.iter().enumerate().map(copy).collect())
}

/// The edit that leaves a clip without layers, where it has some.
pub(super) fn without(document: &Document, clip: ClipId) -> Option<Edit> {
    let home = LayerHome::Clip(clip);
    document.aids.pose_layers.contains_key(&home).then_some(Edit::SetPoseLayers { home, to: None })
}
