//! Commands on layers of user-local transforms: edits of a pose, or of a whole clip, that stay
//! edits.

mod folding;
mod invert;
mod keys;
mod mask;

use std::{collections::BTreeSet, sync::Arc};

use glam::{Quat, Vec3};
use serde_json::{Map, Value};

use super::{
    ArgumentError, ArgumentSpec, ArgumentType, Arguments, CommandError, Outcome, Scene, around,
    define::document_commands,
    field::{ArgumentPart, ClipName, Nodes, Numbers, Seconds, Trs, choice, field},
    keys::{clip_of, time_of},
    place::set_user,
    pose::some_given,
    rules,
};
use crate::Edit;
use ulna_model::{
    ClipId, Components, Document, Interpolation, LayerHome, NodeId, Notice, PoseLayer, PoseLayerId,
    PoseLayers, Property, Shared, Track, Transform,
};
use ulna_motion::{
    LayerWriteError,
    clip_edit::{key_span, with_interpolation},
    strength_of,
};

pub(super) use self::keys::LAYER_OF_KEYS;
pub use self::keys::{KeysOfLayer, LayerKeysCommand, layer_as_clip};

impl From<LayerWriteError> for CommandError {
    fn from(why: LayerWriteError) -> Self {
        Self::other(why.code(), why.to_string())
    }
}

fn refuse<T>(code: &'static str, message: impl Into<String>) -> Result<T, CommandError> {
    Err(CommandError::other(code, message))
}

/// A layer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LayerName {
    /// By its name or `#number`.
    Named(String),
    /// This one.
    Id(PoseLayerId),
}
field!(
    LayerName,
    ArgumentType::Text,
    |from, name| from.text(name).map(|text| Self::Named(text.to_owned())),
    |v, document| match v {
        Self::Named(text) => text.as_str().into(),
        Self::Id(id) => pose_layer_text(document, *id).into(),
    }
);

/// What names a layer in a line: its name, which its list has once; its number where that would be
/// taken for one.
pub fn pose_layer_text(document: &Document, id: PoseLayerId) -> String {
    match document.aids.pose_layer(id) {
        Some((_, layer)) if !layer.name.starts_with('#') => layer.name.to_string(),
        _ => format!("#{}", id.0),
    }
}

impl LayerName {
    /// Which it is, among those of a clip or of the pose.
    ///
    /// # Errors
    /// Where there is none.
    pub fn find(&self, document: &Document, home: LayerHome) -> Result<PoseLayerId, CommandError> {
        let layers = document.aids.layers(home);
        let found = match self {
            Self::Id(id) => layers.get(*id),
            Self::Named(text) => {
                let number = text.strip_prefix('#').and_then(|t| t.parse().ok()).map(PoseLayerId);
                let named = layers.0.iter().find(|l| *l.name == **text);
                named.or_else(|| number.and_then(|n| layers.get(n)))
            }
        };
        match found {
            Some(layer) => Ok(layer.id),
            None => {
                let text = match self {
                    Self::Named(text) => text.clone(),
                    Self::Id(id) => format!("#{}", id.0),
                };
                let names: Vec<String> = layers.iter().map(|l| format!("“{}”", l.name)).collect();
                let there = if names.is_empty() {
                    format!("use {} to add one", NewLayer::NAME)
                } else {
                    format!("layers: {}", names.join(", "))
                };
                refuse(
                    "no_such_layer",
                    format!("{} has no layer “{text}”; {there}", home_words(document, home)),
                )
            }
        }
    }
}

/// What a list of layers is of, in words.
pub(super) fn home_words(document: &Document, home: LayerHome) -> String {
    match home {
        LayerHome::Pose => "the pose".into(),
        LayerHome::Clip(id) => format!("“{}”", document.clip_label(id)),
    }
}

/// A layer of a clip, or of the pose.
#[derive(Clone, Debug, PartialEq)]
pub struct LayerOf {
    /// The clip; the pose unless given.
    pub clip: Option<ClipName>,
    /// The layer; the only one there unless given.
    pub layer: Option<LayerName>,
}

impl LayerOf {
    /// One that is there.
    pub fn of(home: LayerHome, layer: PoseLayerId) -> Self {
        Self { clip: home.clip().map(ClipName::Id), layer: Some(LayerName::Id(layer)) }
    }
}

impl ArgumentPart for LayerOf {
    fn specs(_: &'static str, _: &'static str) -> Vec<ArgumentSpec> {
        let layer = "Name of the layer; needed if there are several.";
        let clip = "Clip of the layer; a layer of the pose if omitted.";
        [Option::<ClipName>::specs("clip", clip), Option::<LayerName>::specs("layer", layer)]
            .concat()
    }

    fn read(from: &Arguments, _: &'static str) -> Result<Self, ArgumentError> {
        Ok(Self {
            clip: ArgumentPart::read(from, "clip")?,
            layer: ArgumentPart::read(from, "layer")?,
        })
    }

    fn write(&self, document: &Document, _: &'static str, into: &mut Map<String, Value>) {
        self.clip.write(document, "clip", into);
        ArgumentPart::write(&self.layer, document, "layer", into);
    }
}

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
    } = "layer.new", "New layer", filled: Some(around::new_layer);
    /// Removes a layer with all its edits
    RemovePoseLayer {
        /// Layer to edit.
        of: LayerOf,
    } = "layer.remove", "Remove the layer", enabled: rules::pose_layer,
        filled: Some(around::remove_layer);
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
    } = "layer.strength_keys", "Set keys of the layer strength", asks: true,
        enabled: rules::pose_layer;
    /// Mutes or unmutes a layer
    MuteLayer {
        /// Layer to edit.
        of: LayerOf,
        /// Whether the layer is muted; toggles if omitted.
        muted: Option<bool>,
    } = "layer.mute", "Mute or unmute the layer", enabled: rules::pose_layer,
        filled: Some(around::mute_layer);
    /// Soloes a layer of a clip
    SoloLayer {
        /// Layer to edit.
        of: LayerOf,
        /// Whether the layer is soloed; toggles if omitted.
        solo: Option<bool>,
    } = "layer.solo", "Solo the layer", enabled: rules::pose_layer,
        filled: Some(around::solo_layer);
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
    } = "layer.duplicate", "Duplicate the layer", enabled: rules::pose_layer,
        filled: Some(around::duplicate_layer);
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
    } = "layer.clear", "Remove joints from the layer", enabled: rules::pose_layer,
        filled: Some(around::clear_in_layer);
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
    } = "layer.zero_key", "Add a neutral key", key: "Shift+S", enabled: rules::layer_of_clip,
        filled: Some(around::zero_key);
    /// Inverts what a layer adds
    InvertLayer {
        /// Layer to edit.
        of: LayerOf,
    } = "layer.invert", "Invert the layer", enabled: rules::pose_layer,
        filled: Some(around::invert_layer);
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
    } = "layer.fold", "Bake layers", enabled: rules::pose_layer, filled: Some(around::fold_layers);
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
    } = "layer.split", "Split into base and layer", enabled: rules::clip_shown,
        filled: Some(around::split_layer);
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
        .texts(name, "a clip name, #index or a pattern, or a list of these")
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
struct FoundLayer {
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
                            "{} has no layers; use {} to add one",
                            home_words(document, home),
                            NewLayer::NAME
                        ),
                    );
                }
                all => {
                    return refuse(
                        "layer_ambiguous",
                        format!(
                            "{} has {} layers; name one as “layer”",
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
fn home_of(document: &Document, clip: Option<&ClipName>) -> Result<LayerHome, CommandError> {
    let id = clip.map(|c| c.find(document)).transpose()?;
    if let Some(id) = id {
        clip_of(document, id)?;
    }
    Ok(LayerHome::of(id))
}

/// The edit that makes these the layers of a clip or of the pose.
fn set(home: LayerHome, layers: PoseLayers) -> Vec<Edit> {
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
fn name_for(
    layers: &PoseLayers,
    name: Option<&String>,
    usual: &str,
) -> Result<Arc<str>, CommandError> {
    let Some(name) = name else { return Ok(free_name(layers, usual)) };
    let name = trimmed(name)?;
    if layers.iter().any(|l| l.name == name) {
        return refuse(
            "name_taken",
            format!("a layer named “{name}” already exists; use another name"),
        );
    }
    Ok(name)
}

/// The edit that puts a layer on top of a list.
fn push(document: &Document, home: LayerHome, layer: PoseLayer) -> Vec<Edit> {
    let mut layers = (*document.aids.layers(home)).clone();
    layers.0.push(Shared::new(layer));
    set(home, layers)
}

fn share(value: f32, name: &str) -> Result<f32, CommandError> {
    if (0.0..=1.0).contains(&value) {
        Ok(value)
    } else {
        refuse("argument_out_of_range", format!("“{name}” must be 0 to 1, but is {value}"))
    }
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
                format!("a layer named “{name}” already exists; use another name"),
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
                    "a layer of the pose cannot have keys; omit “time”",
                );
            }
            Some(time) => {
                let keys = match &layer.strength_keys {
                    Some(keys) => keys.with_key(time, &[strength], super::keys::SAME_TIME),
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
                    format!("“place” is {place}, but must be 0 to {last}"),
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
                    super::keys::refuse_kept(document, clip, node, property)?;
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
        let when: Vec<String> =
            around.into_iter().map(|t| format!("{:.2} s", f32::from_bits(t))).collect();
        let note = (!when.is_empty()).then(|| {
            format!(
                "keys that keep the constant offset of the layer were added around it, at {}",
                when.join(", ")
            )
        });
        let notes = note.map(|n| Notice::new("offset_keyed", n)).into_iter().collect();
        Ok(Outcome { edits: found.with(layer), notes, keys: None })
    }
}

/// Whether a transform is none in a component.
pub(super) fn moves(user: &Transform, property: Property) -> bool {
    match property {
        Property::Translation => user.translation != Vec3::ZERO,
        Property::Rotation => user.rotation != Quat::IDENTITY,
        Property::Scale | Property::Weights => user.scale != Vec3::ONE,
    }
}

/// A key that adds nothing, at each of these times.
fn zeros(times: &[f32], property: Property) -> Vec<(f32, Vec<f32>)> {
    times.iter().map(|t| (*t, super::keys::values(&Transform::IDENTITY, property))).collect()
}

/// Keys of a component that was the same at all times: these, and around them what it was, so that
/// it is seen on both sides of them. Nothing is put beyond the clip's own keys, from the first to
/// the last, where there is room within.
pub(super) fn kept_around(
    constant: &Transform,
    (node, property): (NodeId, Property),
    set: &[(f32, Vec<f32>)],
    (first, last): (f32, f32),
) -> Track {
    /// How far from a key what was there before is seen in full again, seconds.
    const EASE: f32 = 0.25;
    let was = super::keys::values(constant, property);
    let mut keys: Vec<(f32, Vec<f32>)> = set.to_vec();
    keys.sort_by(|a, b| a.0.total_cmp(&b.0));
    keys.dedup_by(|a, b| a.0 - b.0 <= super::keys::SAME_TIME);
    let mut more: Vec<f32> = Vec::new();
    for pair in keys.windows(2) {
        let (from, to) = (pair[0].0, pair[1].0);
        let near = EASE.min((to - from) * 0.5);
        more.extend([from + near, to - near]);
    }
    let apart = super::keys::SAME_TIME * 2.0;
    if let (Some((from, _)), Some((to, _))) = (keys.first(), keys.last()) {
        more.extend(around_of(*from, *to, (first, last), (EASE, apart)));
    }
    more.sort_by(f32::total_cmp);
    more.dedup_by(|a, b| *a - *b <= apart);
    keys.extend(more.into_iter().map(|t| (t, was.clone())));
    keys.sort_by(|a, b| a.0.total_cmp(&b.0));
    let times = keys.iter().map(|(t, _)| *t).collect();
    let width = was.len();
    let mut values: Vec<f32> = Vec::with_capacity(keys.len() * width);
    for (_, value) in &keys {
        // Of the two signs of a rotation the one near the key before.
        let last = values.len().checked_sub(width).map(|from| &values[from..]);
        let dot = last.map_or(1.0, |last| last.iter().zip(value).map(|(a, b)| a * b).sum::<f32>());
        let sign = if property == Property::Rotation && dot < 0.0 { -1.0 } else { 1.0 };
        values.extend(value.iter().map(|v| v * sign));
    }
    let interpolation = Interpolation::Linear;
    let kinds = Default::default();
    let made =
        Track { target: node, property, interpolation, times, values: values.into(), width, kinds };
    with_interpolation(&made, Interpolation::CubicSpline)
}

/// Makes keys of those components that have none yet, so that they can get another one at that
/// time.
fn first_keys(layer: &mut PoseLayer, node: NodeId, time: f32, to: &Components, span: (f32, f32)) {
    let constant = layer.constant(node);
    let wanted = to.over(&constant);
    for property in Property::TRS.into_iter().filter(|p| to.has(*p)) {
        if layer.keys.track(node, property).is_some() {
            continue;
        }
        let value = super::keys::values(&wanted, property);
        let made = if moves(&constant, property) {
            kept_around(&constant, (node, property), &[(time, value)], span)
        } else {
            super::keys::lone(node, property, time, value)
        };
        let keys = Shared::make_mut(&mut layer.keys);
        keys.tracks.insert(keys.free_track_id(), Shared::new(made));
    }
}

/// Where what was there before is seen again before the first of some keys and after the last,
/// within the clip.
fn around_of(from: f32, to: f32, (first, last): (f32, f32), (ease, apart): (f32, f32)) -> Vec<f32> {
    let mut more = Vec::new();
    if from - first > apart {
        more.push((from - ease).max(first));
    }
    // A clip without a length has room after it.
    if last - to > apart || last <= first {
        more.push(if last <= first { to + ease } else { (to + ease).min(last) });
    }
    more
}

/// Sets a key of a component of `U`.
fn key_user(layer: &mut PoseLayer, node: NodeId, property: Property, time: f32, user: &Transform) {
    let value = super::keys::values(user, property);
    let keys = Shared::make_mut(&mut layer.keys);
    let (id, track) = match keys.track(node, property) {
        Some((id, old)) => {
            let made = old.with_key(time, &value, super::keys::SAME_TIME);
            (id, smooth(old, made))
        }
        None => (keys.free_track_id(), super::keys::lone(node, property, time, value)),
    };
    keys.tracks.insert(id, Shared::new(track));
}

/// Keys of a layer go smoothly from one to the next.
pub(super) fn smooth(old: &Track, made: Track) -> Track {
    if old.times.len() < 2 {
        with_interpolation(&made, Interpolation::CubicSpline)
    } else {
        ulna_motion::clip_edit::keep_auto(old, made)
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
                "clips left out, because their keys of these joints cannot be edited: {}",
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
