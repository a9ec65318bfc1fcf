//! Commands on keys of a layer. They run the commands on keys of a clip on a temporary document in
//! which the layer replaces the clip.

use super::found::FoundLayer;
use crate::{
    Edit,
    command::{
        ArgumentError, Arguments, Between, CommandError, CommandLine, CommandSpec,
        CurveKeysCommand, InsertKeys, KeyCommand, KeyEditCommand, Outcome, Scene, SetKey,
        clip_keys::{clip_of, values},
        error::refuse,
        field::{ArgumentPart, ClipName},
        layer_keys::{ClipSpan, kept_around, moves},
        layer_name::{LayerName, LayerOf},
    },
};
use ulna_model::{
    ClipId, Document, LayerHome, Local, NodePose, PoseLayer, PoseLayerId, Property, Shared, Track,
    TrackId, Transform,
};
use ulna_motion::LayerWriteError;

/// A command on the keys of a layer. It runs a command on keys of a clip, in which the layer's
/// offsets `U` replace the clip's values.
#[derive(Clone, Debug, PartialEq)]
pub struct LayerKeysCommand {
    /// Layer whose keys change.
    pub layer: LayerName,
    /// Operation on the layer's keys.
    pub command: KeysOfLayer,
}

/// A command on keys of a clip.
#[derive(Clone, Debug, PartialEq)]
pub enum KeysOfLayer {
    /// Sets keys.
    Set(SetKey),
    /// Edits existing keys.
    Edit(KeyEditCommand),
    /// Edits curves through keys.
    Curves(CurveKeysCommand),
}

impl LayerKeysCommand {
    /// Always returns `None`, because these commands have no names of their own. A command on keys
    /// of a clip becomes a command on keys of a layer through its argument `layer`.
    pub(in crate::command) const fn read(
        _: &str,
        _: &Arguments,
    ) -> Result<Option<Self>, ArgumentError> {
        Ok(None)
    }

    pub(in crate::command) fn spec(&self) -> &'static CommandSpec {
        match &self.command {
            KeysOfLayer::Set(_) => SetKey::spec(),
            KeysOfLayer::Edit(command) => command.spec(),
            KeysOfLayer::Curves(command) => command.spec(),
        }
    }

    pub(in crate::command) fn line(&self, document: &Document) -> CommandLine {
        // Keys are written with the tracks of the layer.
        let proxy = match &self.command {
            KeysOfLayer::Set(_) => None,
            _ => layer_as_clip(document, self.clip(), &self.layer).ok(),
        };
        let named = proxy.as_ref().unwrap_or(document);
        let mut line = match &self.command {
            KeysOfLayer::Set(key) => KeyCommand::from(key.clone()).line(named),
            KeysOfLayer::Edit(command) => command.line(named),
            KeysOfLayer::Curves(command) => command.line(named),
        };
        ArgumentPart::write(&self.layer, document, "layer", &mut line.arguments);
        line
    }

    /// Returns the layer whose keys are edited, if it exists.
    pub(in crate::command) fn layer_of(&self, document: &Document) -> Option<PoseLayerId> {
        let clip = self.clip().find(document).ok()?;
        self.layer.find(document, LayerHome::Clip(clip)).ok()
    }

    /// Returns the clip of the command.
    const fn clip(&self) -> &ClipName {
        match &self.command {
            KeysOfLayer::Set(key) => &key.clip,
            KeysOfLayer::Edit(command) => command.clip(),
            KeysOfLayer::Curves(command) => command.clip(),
        }
    }

    pub(in crate::command) fn work(&self, scene: &Scene<'_>) -> Result<Outcome, CommandError> {
        let document = scene.document;
        let name = self.clip();
        let clip = name.find(document)?;
        let proxy = layer_as_clip(document, name, &self.layer)?;
        let done = self.done(&Scene::new(&proxy))?;
        let found = FoundLayer::of(
            document,
            &LayerOf { clip: Some(ClipName::Id(clip)), layer: Some(self.layer.clone()) },
        )?;
        let mut layer = found.layer().clone();
        let new_key = matches!(self.command, KeysOfLayer::Set(_));
        let span = ClipSpan::of(clip_of(document, clip)?);
        let constants = found.layer().clone();
        let keys = Shared::make_mut(&mut layer.keys);
        for edit in done.edits {
            match edit {
                // A constant component gets its first key. Additional keys around it keep the
                // constant value.
                Edit::SetTrack { clip: of, track, to: Some(to) }
                    if of == clip && new_key && is_first(&constants, track, &to) =>
                {
                    let constant = constants.constant(to.target);
                    let key = [(to.times[0], to.value(0).to_vec())];
                    let made = kept_around(&constant, (to.target, to.property), &key, span);
                    keys.tracks.insert(track, Shared::new(made));
                }
                Edit::SetTrack { clip: of, track, to: Some(to) }
                    if of == clip && to.property != Property::Weights =>
                {
                    keys.tracks.insert(track, to);
                }
                Edit::SetTrack { clip: of, track, to: None } if of == clip => {
                    keys.tracks.remove(&track);
                }
                Edit::SetClip { clip: of, to: Some(to) } if of == clip => {
                    keys.tracks = to.tracks.clone()
                }
                _ => {
                    return refuse(
                        "property_not_in_layer",
                        "a layer can have keys of translation, rotation and scale only",
                    );
                }
            }
        }
        Ok(Outcome { edits: found.with(layer), ..done })
    }

    fn done(&self, scene: &Scene<'_>) -> Result<Outcome, CommandError> {
        match &self.command {
            KeysOfLayer::Set(key) => {
                // Keys of layers are smooth by default.
                let interpolation = key.interpolation.or(Some(Between::Smooth));
                KeyCommand::from(SetKey { interpolation, ..key.clone() }).work(scene)
            }
            KeysOfLayer::Edit(KeyEditCommand::InsertKeys(keys)) => {
                let interpolation = keys.interpolation.or(Some(Between::Smooth));
                KeyEditCommand::from(InsertKeys { interpolation, ..keys.clone() }).work(scene)
            }
            KeysOfLayer::Edit(command) => command.work(scene),
            KeysOfLayer::Curves(command) => command.work(scene),
        }
    }
}

/// Whether a track is the first key of a component that was constant, with another value than the
/// constant.
fn is_first(layer: &PoseLayer, id: TrackId, track: &Track) -> bool {
    let constant = layer.constant(track.target);
    let same = || {
        values(&constant, track.property)
            .iter()
            .zip(track.value(0))
            .all(|(a, b)| (a - b).abs() < 1e-6)
    };
    let none = !layer.keys.tracks.contains_key(&id)
        && track.times.len() == 1
        && track.property != Property::Weights;
    none && moves(&constant, track.property) && !same()
}

/// Returns a temporary document in which a layer replaces the clip, and each node has the layer's
/// constant offset as its pose. Commands on keys can run on it as on a clip.
///
/// # Errors
/// If the clip or the layer does not exist.
pub fn layer_as_clip(
    document: &Document,
    clip: &ClipName,
    layer: &LayerName,
) -> Result<Document, CommandError> {
    let clip: ClipId = clip.find(document)?;
    let own = clip_of(document, clip)?;
    let home = LayerHome::Clip(clip);
    let id = layer.find(document, home)?;
    let layers = document.aids.layers(home);
    let layer = layers.get(id).ok_or(LayerWriteError::NoLayer)?;
    let mut stand_in = Document { file: document.file.clone(), ..Document::default() };
    let mut keys = (*layer.keys).clone();
    (keys.name, keys.kept) = (own.name.clone(), own.kept.clone());
    if let Some(slot) = stand_in.file.clips.get_mut(clip) {
        *slot = Shared::new(keys);
    }
    for node in document.node_ids() {
        let local = layer.constant(node);
        let Some(found) = stand_in.file.nodes.get_mut(node) else { continue };
        found.rest = Local::Trs(Transform::IDENTITY);
        let pose = NodePose { user: local, local: Local::Trs(local) };
        found.pose = (local != Transform::IDENTITY).then_some(pose);
    }
    Ok(stand_in)
}
