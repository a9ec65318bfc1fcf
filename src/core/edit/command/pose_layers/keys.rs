//! Commands on keys, of a layer: they are those of a clip, done on a stand-in in which the layer is the clip.

use super::{Found, LayerName, LayerOf, refuse};
use crate::{
    edit::{
        Edit,
        command::{
            ArgumentSpec, ArgumentType, Between, CommandError, CommandLine, CommandSpec, KeyCommand, KeyEditCommand,
            Outcome, Scene, SetKey,
            field::{ClipName, Part},
            find_clip,
            keys::clip_of,
        },
    },
    model::{ClipId, Document, LayerHome, Local, NodePose, Property, Shared, Transform},
    motion::LayerWriteError,
};

/// Keys of a layer, done by a command that is about keys of a clip: `U` stands in for what the clip does.
#[derive(Clone, Debug, PartialEq)]
pub struct LayerKeysCommand {
    /// The layer.
    pub layer: LayerName,
    /// What is done.
    pub command: KeysOfLayer,
}

/// A command on keys.
#[derive(Clone, Debug, PartialEq)]
pub enum KeysOfLayer {
    /// A new key.
    Key(KeyCommand),
    /// Keys that are there.
    Edit(KeyEditCommand),
}

/// The argument that says so.
pub(in crate::edit::command) const LAYER_OF_KEYS: ArgumentSpec = ArgumentSpec {
    name: "layer",
    kind: ArgumentType::Text,
    required: false,
    help: "Of which layer of the clip; of the clip itself unless given.",
};

impl LayerKeysCommand {
    /// None of its own: they are those of keys, with one argument more.
    pub(in crate::edit::command) const fn specs() -> Vec<CommandSpec> {
        Vec::new()
    }

    pub(in crate::edit::command) fn spec(&self) -> &'static CommandSpec {
        match &self.command {
            KeysOfLayer::Key(command) => command.spec(),
            KeysOfLayer::Edit(command) => command.spec(),
        }
    }

    pub(in crate::edit::command) fn line(&self, document: &Document) -> CommandLine {
        let mut line = match &self.command {
            KeysOfLayer::Key(command) => command.line(document),
            KeysOfLayer::Edit(command) => command.line(document),
        };
        // Names of keys are those of the layer's tracks.
        if let (KeysOfLayer::Edit(command), Some(home)) = (&self.command, self.home(document))
            && let Ok(proxy) = self.proxy(document, home)
        {
            line = command.line(&proxy);
        }
        Part::write(&self.layer, document, "layer", &mut line.arguments);
        line
    }

    /// The clip that a command on keys is about.
    fn home(&self, document: &Document) -> Option<ClipId> {
        let line = match &self.command {
            KeysOfLayer::Key(command) => command.line(document),
            KeysOfLayer::Edit(command) => command.line(document),
        };
        let text = line.arguments.get("clip")?.as_str()?;
        find_clip(document, text).ok()
    }

    /// A document in which the layer is the clip, and every node stands as the layer would have it at all times.
    fn proxy(&self, document: &Document, clip: ClipId) -> Result<Document, CommandError> {
        let home = LayerHome::Clip(clip);
        let id = self.layer.find(document, home)?;
        let layers = document.aids.layers(home);
        let layer = layers.get(id).ok_or(LayerWriteError::NoLayer)?;
        let mut proxy = Document { file: document.file.clone(), ..Document::default() };
        let own = clip_of(document, clip)?;
        let mut keys = (*layer.keys).clone();
        (keys.name, keys.kept) = (own.name.clone(), own.kept.clone());
        if let Some(slot) = proxy.file.clips.get_mut(clip) {
            *slot = Shared::new(keys);
        }
        for node in document.node_ids().collect::<Vec<_>>() {
            let local = layer.constant(node);
            let found = &mut proxy.file.nodes[node];
            found.rest = Local::Trs(Transform::IDENTITY);
            let pose = NodePose { user: local, local: Local::Trs(local) };
            found.pose = (local != Transform::IDENTITY).then_some(pose);
        }
        Ok(proxy)
    }

    pub(in crate::edit::command) fn work(&self, scene: &Scene<'_>) -> Result<Outcome, CommandError> {
        let document = scene.document;
        let clip = match self.home(document) {
            Some(clip) => clip,
            // The command itself says best what is wrong with its clip.
            None => return self.done(scene),
        };
        let proxy = self.proxy(document, clip)?;
        let done = self.done(&Scene::new(&proxy))?;
        let found = Found::of(document, &LayerOf { clip: Some(ClipName::Id(clip)), layer: Some(self.layer.clone()) })?;
        let mut layer = found.layer().clone();
        let keys = Shared::make_mut(&mut layer.keys);
        for edit in done.edits {
            match edit {
                Edit::SetTrack { clip: of, track, to: Some(to) } if of == clip && to.property != Property::Weights => {
                    keys.tracks.insert(track, to);
                }
                Edit::SetTrack { clip: of, track, to: None } if of == clip => {
                    keys.tracks.remove(&track);
                }
                Edit::SetClip { clip: of, to: Some(to) } if of == clip => keys.tracks = to.tracks.clone(),
                _ => return refuse("a layer has keys of translation, rotation and scale, and nothing else"),
            }
        }
        Ok(Outcome { edits: found.with(layer), ..done })
    }

    fn done(&self, scene: &Scene<'_>) -> Result<Outcome, CommandError> {
        match &self.command {
            KeysOfLayer::Key(KeyCommand::SetKey(key)) => {
                // Smoothly, unless somebody says otherwise.
                let interpolation = key.interpolation.or(Some(Between::Smooth));
                KeyCommand::from(SetKey { interpolation, ..key.clone() }).work(scene)
            }
            KeysOfLayer::Key(_) => refuse("a layer has no unkeyed poses; leave out “layer”"),
            KeysOfLayer::Edit(command) => command.work(scene),
        }
    }
}
