//! Imports a pose layer of another file. Joints are matched by name or by body part, and the
//! changes are converted to the joint axes of this document. The result consists of ordinary
//! commands. It is one undo step, and does not need the file any more.

use std::{collections::BTreeMap, path::Path};

use glam::Quat;

use super::{ClipSource, Conversion, ImportError, Session};
use ulna_edit::{
    Command, CommandError,
    command::{
        LayerName, LayerOf, LayerStrength, LayerStrengthKeys, NewLayer, SetInLayer, SetKey,
        StrengthGoes, clip_text,
        field::{ClipName, Nodes, Numbers, Seconds, Trs},
        pose_layer_text,
    },
};
use ulna_formats::gltf::Progress;
use ulna_model::{
    Components, Document, FileContent, Interpolation, LayerHome, NodeId, Notice, PoseLayer,
    PoseLayers, Property, Shared, Transform,
};
use ulna_motion::{ClipTransfer, KeysBy};

/// Returns the world rotation of a node in the rest pose.
fn turned(file: &FileContent, node: NodeId) -> Quat {
    let up = std::iter::successors(Some(node), |n| file.node(*n).parent);
    up.fold(Quat::IDENTITY, |turn, n| file.node(n).rest.transform().rotation * turn).normalize()
}

/// Layer to import: its file, its clip and its name. `into` is the target clip in this document.
#[derive(Clone, Copy, Debug)]
pub(super) struct LayerMeant<'a> {
    pub path: &'a Path,
    pub clip: Option<&'a ClipName>,
    pub layer: Option<&'a LayerName>,
    pub into: Option<&'a ClipName>,
}

/// A pose layer that is stored in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeptLayer {
    /// Reference to its clip, as text for commands; `None` for a layer of the pose.
    pub clip: Option<String>,
    /// Name of the layer's clip, for display.
    pub clip_label: String,
    /// Reference to the layer, as text for commands.
    pub layer: String,
}

/// Reads the pose layers that are stored in a file.
///
/// # Errors
/// The file cannot be opened. The error is a sentence.
pub fn kept_layers_of(path: &Path) -> Result<Vec<KeptLayer>, String> {
    let source = ClipSource::read(path.to_owned(), &Conversion::default(), &Progress::default());
    let document = source.document.map_err(|why| why.message)?;
    let of_home = |home: &LayerHome| {
        let clip = home.clip();
        let label = clip.map_or_else(|| "The pose".to_owned(), |id| document.clip_label(id));
        let layers = document.aids.layers(*home);
        let one = |layer: &PoseLayer| KeptLayer {
            clip: clip.map(|id| clip_text(&document, id)),
            clip_label: label.clone(),
            layer: pose_layer_text(&document, layer.id),
        };
        layers.iter().map(one).collect::<Vec<_>>()
    };
    Ok(document.aids.pose_layers.keys().flat_map(of_home).collect())
}

impl Session {
    /// Returns the commands that add a layer of another file to a clip or to the pose, and the
    /// notes for the user.
    ///
    /// # Errors
    /// The file cannot be opened, has no such layer, or none of the layer's joints has a match.
    pub(super) fn layer_of_file(
        &self,
        meant: LayerMeant<'_>,
    ) -> Result<(Vec<Command>, Vec<Notice>), CommandError> {
        let into = meant.into.map(|c| c.find(&self.document)).transpose()?;
        let of = match meant.clip {
            Some(ClipName::Named(text)) => format!("clip “{text}”"),
            Some(ClipName::Id(id)) => format!("clip “#{}”", id.0),
            None => "the pose".to_owned(),
        };
        let other = |e: ImportError| {
            CommandError::other(e.code(), format!("no layer of {of} can be imported: {e}"))
        };
        let [path] = &super::files_meant(meant.path).map_err(other)?[..] else {
            return Err(CommandError::other(
                "no_file_named",
                "name exactly one file to import the layer from, as “path”",
            ));
        };
        let source = ClipSource::read(path.clone(), &Conversion::default(), &Progress::default());
        let theirs = source.document.map_err(CommandError::Other)?;
        let home = LayerHome::of(meant.clip.map(|c| c.find(&theirs)).transpose()?);
        let all = theirs.aids.layers(home);
        let id = match (meant.layer, all.0.as_slice()) {
            (Some(layer), _) => layer.find(&theirs, home)?,
            (None, [only]) => only.id,
            (None, all) => {
                return Err(CommandError::other(
                    "layer_ambiguous",
                    format!("{of} of that file has {} layers; name one as “layer”", all.len()),
                ));
            }
        };
        let layer = theirs.aids.pose_layer(id).map(|(_, l)| l.clone());
        let Some(layer) = layer else { return Ok((Vec::new(), Vec::new())) };
        self.layer_as_commands(&theirs, &layer, into.map(ClipName::Id))
    }

    /// Returns the commands that rebuild a layer of another document here: they add a layer, and
    /// set its changes per joint, its keys and its strength.
    fn layer_as_commands(
        &self,
        theirs: &Document,
        layer: &Shared<PoseLayer>,
        into: Option<ClipName>,
    ) -> Result<(Vec<Command>, Vec<Notice>), CommandError> {
        let ours = &self.document;
        if into.is_none() && layer.is_keyed() {
            return Err(CommandError::other(
                "pose_has_no_time",
                format!(
                    "layer “{}” has keys, so it cannot be imported into a pose; name the clip that \
                        receives it as “into”",
                    layer.name
                ),
            ));
        }
        let transfer = ClipTransfer::new(theirs, ours, KeysBy::Rests, &BTreeMap::new());
        let pairs: BTreeMap<NodeId, NodeId> =
            transfer.pairs().iter().map(|p| (p.from, p.to)).collect();
        let home = match &into {
            Some(clip) => LayerHome::Clip(clip.find(ours)?),
            None => LayerHome::Pose,
        };
        let name = free_name(&layer.name, &ours.aids.layers(home));
        let of = || LayerOf { clip: into.clone(), layer: Some(LayerName::Named(name.clone())) };
        let mut commands: Vec<Command> =
            vec![NewLayer { clip: into.clone(), name: Some(name.clone()) }.into()];
        let mut gone = Vec::new();
        for node in layer.nodes() {
            let Some(to) = pairs.get(&node) else {
                gone.push(theirs.node(node).label(node));
                continue;
            };
            let axes = AxesChange::new((theirs, node), (ours, *to), transfer.ratio());
            let user = axes.carried(&layer.constant(node));
            if user != Transform::IDENTITY {
                let to_set = Components {
                    translation: Some(user.translation),
                    rotation: Some(user.rotation),
                    scale: Some(user.scale),
                };
                let set = SetInLayer {
                    of: of(),
                    node: Nodes::one(*to),
                    to: Trs::from(to_set),
                    time: None,
                    key: None,
                };
                commands.push(set.into());
            }
            let Some(clip) = &into else { continue };
            for track in layer.keys.tracks.values().filter(|t| t.target == node) {
                for time in track.times.iter() {
                    let user = axes.carried(&ulna_motion::user_at(layer, node, f64::from(*time)));
                    let key = SetKey {
                        to: Trs::from(component(&user, track.property)),
                        ..SetKey::new(clip.clone(), Seconds(*time), Nodes::one(*to))
                    };
                    commands.push(Command::from(key).on_layer(LayerName::Named(name.clone())));
                }
            }
        }
        if commands.len() == 1 {
            return Err(CommandError::other(
                "joints_not_here",
                format!(
                    "this model has none of the joints of layer “{}”: {}",
                    layer.name,
                    gone.join(", ")
                ),
            ));
        }
        commands.push(strength(of(), layer));
        let note = (!gone.is_empty()).then(|| {
            format!("joints left out, because this model does not have them: {}", gone.join(", "))
        });
        Ok((commands, note.map(|said| Notice::new("joints_not_here", said)).into_iter().collect()))
    }
}

/// Returns the name of a layer, with a number appended if the name is already used.
fn free_name(name: &str, taken: &PoseLayers) -> String {
    let numbered = |k: u32| if k < 2 { name.to_owned() } else { format!("{name} {k}") };
    (1..).map(numbered).find(|n| taken.0.iter().all(|l| *l.name != **n)).unwrap_or_default()
}

/// Conversion from the rest axes of a source joint to the rest axes of its counterpart.
struct AxesChange {
    axes: Quat,
    /// Whether both joints have the same rest axes.
    plain: bool,
    /// Factor for translations: meters in this document per meter in the source.
    ratio: f32,
}

impl AxesChange {
    fn new(
        (theirs, from): (&Document, NodeId),
        (ours, to): (&Document, NodeId),
        ratio: f32,
    ) -> Self {
        let axes = (turned(ours, to).conjugate() * turned(theirs, from)).normalize();
        Self { axes, plain: axes.dot(Quat::IDENTITY).abs() > 1.0 - 1e-7, ratio }
    }

    /// Converts a user-local transform of the source joint to the joint of this document.
    fn carried(&self, user: &Transform) -> Transform {
        let Self { axes, plain, ratio } = *self;
        if plain {
            return Transform { translation: user.translation * ratio, ..*user };
        }
        Transform {
            translation: axes * user.translation * ratio,
            rotation: (axes * user.rotation * axes.conjugate()).normalize(),
            scale: user.scale,
        }
    }
}

/// Returns one property of a transform.
fn component(user: &Transform, property: Property) -> Components {
    match property {
        Property::Translation => {
            Components { translation: Some(user.translation), ..Components::default() }
        }
        Property::Rotation => Components { rotation: Some(user.rotation), ..Components::default() },
        Property::Scale | Property::Weights => {
            Components { scale: Some(user.scale), ..Components::default() }
        }
    }
}

/// Returns the command that sets the strength of a layer, with its keys if it has any.
fn strength(of: LayerOf, layer: &PoseLayer) -> Command {
    let Some(keys) = &layer.strength_keys else {
        return LayerStrength { of, strength: layer.strength, time: None }.into();
    };
    let pairs =
        keys.times.iter().zip(keys.values.iter()).flat_map(|(t, v)| [f64::from(*t), f64::from(*v)]);
    let step = keys.interpolation == Interpolation::Step;
    let interpolation = step.then_some(StrengthGoes::Step);
    LayerStrengthKeys { of, keys: Numbers(pairs.collect()), interpolation }.into()
}
