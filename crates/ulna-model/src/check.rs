//! The invariants of a document.

use thiserror::Error;

use super::{
    AnyId, ClipId, Document, EditorState, FileContent, IdKind, LayerHome, Local, MaterialId, Mesh,
    MeshId, NodeId, PoseLayerId, PoseLayers, Primitive, References, SceneId, SkinId,
    transform::angle_between,
};

/// A broken invariant of a [`Document`]: a fault of the program, never of a file.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("the document is inconsistent: {0}. This is a bug in Ulna; please report it")]
pub struct Broken(String);

impl Broken {
    /// Returns an error if a part of the document refers to a missing element.
    fn dangling(part: &str, missing: Option<AnyId>) -> Result<(), Self> {
        match missing {
            Some(id) => Err(Self(format!("{part} refers to {id}, which does not exist"))),
            None => Ok(()),
        }
    }
}

impl FileContent {
    /// Whether the file has an element. False for kinds that have no list in the model, such as
    /// accessors.
    pub fn has(&self, id: AnyId) -> bool {
        let AnyId { kind, index } = id;
        let within = |count: usize| (index as usize) < count;
        match kind {
            IdKind::Node => self.nodes.contains(NodeId(index)),
            IdKind::Mesh => self.meshes.contains(MeshId(index)),
            IdKind::Skin => self.skins.contains(SkinId(index)),
            IdKind::Clip => self.clips.contains(ClipId(index)),
            IdKind::Scene => self.scenes.contains(SceneId(index)),
            IdKind::Material => self.materials.contains(MaterialId(index)),
            IdKind::Variant => within(self.variants.len()),
            IdKind::Camera => within(self.cameras.len()),
            IdKind::Light => within(self.lights.len()),
            IdKind::Image => within(self.images.len()),
            IdKind::Texture
            | IdKind::Sampler
            | IdKind::Accessor
            | IdKind::View
            | IdKind::Buffer => false,
        }
    }

    /// First element that a value refers to and that the file does not have.
    pub fn missing(&self, value: &impl References) -> Option<AnyId> {
        let mut missing = None;
        value.for_each_id(&mut |id| {
            if missing.is_none() && !self.has(id) {
                missing = Some(id);
            }
        });
        missing
    }

    /// First node that a value refers to and that the file does not have.
    pub fn missing_node(&self, value: &impl References) -> Option<NodeId> {
        let mut missing = None;
        value.for_each_node(&mut |node| {
            if missing.is_none() && !self.nodes.contains(node) {
                missing = Some(node);
            }
        });
        missing
    }

    fn check(&self) -> Result<(), Broken> {
        self.check_references()?;
        self.check_tree()?;
        self.check_nodes()?;
        if !self.node_space.is_finite() {
            return Err(Broken("a vector in the space of a node is not finite".into()));
        }
        if let Some((id, skin)) = self.skins.iter().find(|(_, skin)| !skin.is_valid()) {
            let (joints, matrices) = (skin.joints.len(), skin.inverse_bind.len());
            return Err(Broken(format!(
                "skin {} has {joints} joints and {matrices} inverse bind matrices, or one of the \
                    matrices is invalid",
                id.0
            )));
        }
        for (id, clip) in self.clips.iter() {
            for (track, t) in &clip.tracks {
                t.validate()
                    .map_err(|e| Broken(format!("clip {}, track {}: {e}", id.0, track.0)))?;
            }
        }
        self.meshes.iter().try_for_each(|(id, mesh)| check_mesh(id, mesh))
    }

    /// Checks that all elements that the file refers to exist.
    fn check_references(&self) -> Result<(), Broken> {
        let Some(missing) = self.missing(self) else { return Ok(()) };
        // This slower search finds the element that contains the reference, for the message.
        for (id, node) in self.nodes.iter() {
            Broken::dangling(&format!("node {}", id.0), self.missing(node))?;
        }
        for (id, skin) in self.skins.iter() {
            Broken::dangling(&format!("skin {}", id.0), self.missing(skin))?;
        }
        for (id, mesh) in self.meshes.iter() {
            Broken::dangling(&format!("mesh {}", id.0), self.missing(mesh))?;
        }
        for (id, clip) in self.clips.iter() {
            Broken::dangling(&format!("clip {}", id.0), self.missing(clip))?;
        }
        for (id, scene) in self.scenes.iter() {
            Broken::dangling(&format!("scene {}", id.0), self.missing(scene))?;
        }
        for (id, material) in self.materials.iter() {
            Broken::dangling(&format!("material {}", id.0), self.missing(material))?;
        }
        Broken::dangling("the file", Some(missing))
    }

    fn check_tree(&self) -> Result<(), Broken> {
        if !self.nodes.is_valid() {
            return Err(Broken("the node tree does not match the parents of the nodes".into()));
        }
        // A node on a cycle is missing from the order.
        match self.nodes.order().len() == self.nodes.count() {
            true => Ok(()),
            false => Err(Broken("a node is its own ancestor".into())),
        }
    }

    fn check_nodes(&self) -> Result<(), Broken> {
        for (id, node) in self.nodes.iter() {
            let finite = node.pose.is_none_or(|p| p.is_finite())
                && node.morph_weights.as_ref().is_none_or(|w| w.iter().all(|v| v.is_finite()));
            if !finite {
                return Err(Broken(format!(
                    "node {} has values that are not finite numbers",
                    id.0
                )));
            }
            if let Some(pose) = node.pose
                && !matches!(pose.local, Local::Matrix(_))
            {
                let made = node.rest.transform().compose(&pose.user);
                let local = pose.local.transform();
                let size = local
                    .translation
                    .abs()
                    .max_element()
                    .max(node.rest.transform().translation.abs().max_element());
                let near = made.translation.distance(local.translation) <= size.max(1e-3) * 1e-3
                    && angle_between(made.rotation, local.rotation) <= 2e-3;
                if !near && made.is_finite() {
                    return Err(Broken(format!(
                        "the pose of node {} does not equal its rest pose with its offset",
                        id.0
                    )));
                }
            }
        }
        Ok(())
    }
}

/// Whether the number of weights of a primitive matches its vertices.
fn has_fitting_weights(primitive: &Primitive) -> bool {
    let count = primitive.positions.len();
    primitive.weights.as_ref().is_none_or(|w| {
        w.joints.len() == w.weights.len() && (count == 0 || w.vertex_count() == count)
    })
}

impl Mesh {
    /// Whether the weights of the primitive match its vertices.
    pub fn is_valid(&self) -> bool {
        self.primitives.iter().all(has_fitting_weights)
    }
}

fn check_mesh(id: MeshId, mesh: &Mesh) -> Result<(), Broken> {
    for (p, primitive) in mesh.primitives.iter().enumerate() {
        if !has_fitting_weights(primitive) {
            return Err(Broken(format!(
                "the number of weights of mesh {}, primitive {p} does not match its vertices",
                id.0
            )));
        }
    }
    Ok(())
}

impl Document {
    /// Checks the invariants of the document:
    ///
    /// - all references name existing elements
    /// - parents form a tree
    /// - numbers are finite
    /// - tracks are valid
    /// - weights match their vertices
    ///
    /// # Errors
    /// The first broken invariant.
    pub fn check(&self) -> Result<(), Broken> {
        let Self { file, aids, shown } = self;
        file.check()?;
        self.check_editor_state(aids)?;
        Broken::dangling("the choice of what is shown", file.missing(shown))
    }

    /// Checks the editor state. A mix may refer to missing clips, because bars without a clip do
    /// not play.
    fn check_editor_state(&self, aids: &EditorState) -> Result<(), Broken> {
        let EditorState {
            unkeyed,
            pose_layers,
            keeps_layers: _,
            weight_layers,
            mirror_pairs,
            pins,
            mix,
        } = aids;
        Broken::dangling("an unkeyed pose", self.missing(unkeyed))?;
        Broken::dangling("a pose layer", self.missing(pose_layers))?;
        Broken::dangling("a weight layer", self.missing(weight_layers))?;
        Broken::dangling("a mirror pair", self.missing(mirror_pairs))?;
        Broken::dangling("a pin", self.missing(pins))?;
        Broken::dangling("a mask of the mix", self.missing_node(mix).map(Into::into))?;
        for (at, pose) in unkeyed {
            let sound =
                !pose.is_empty() && pose.locals.values().all(|c| !c.is_empty() && c.is_finite());
            sound.then_some(()).ok_or_else(|| {
                Broken(format!("the unkeyed pose of clip {} is invalid", at.clip.0))
            })?;
        }
        for (home, layers) in pose_layers {
            if !self.fits_pose_layers(*home, layers) {
                return Err(Broken(format!("the layers of {home:?} are invalid")));
            }
        }
        for (skin, layers) in weight_layers {
            if !layers.fits(self, *skin) {
                return Err(Broken(format!(
                    "the weight layers of skin {} do not match the skin",
                    skin.0
                )));
            }
        }
        if let Some((node, _)) = pins.iter().find(|(_, pin)| !(pin.place || pin.angle)) {
            return Err(Broken(format!(
                "the pin of node {} pins neither position nor rotation",
                node.0
            )));
        }
        match mix.as_ref().and_then(|mix| mix.fault()) {
            Some(fault) => Err(Broken(format!("the mix is invalid: {fault}"))),
            None => Ok(()),
        }
    }

    /// Whether `layers` are valid as the layers of a clip or of the pose.
    ///
    /// The list must not be empty, and its layers must be valid. All references must exist. Names
    /// must be unique within the list, and ids unique over all lists. Layers of the pose have no
    /// keys.
    pub fn fits_pose_layers(&self, home: LayerHome, layers: &PoseLayers) -> bool {
        let there = self.missing(&home).is_none() && self.missing(layers).is_none();
        let sound =
            layers.iter().all(|l| l.is_sound() && (home != LayerHome::Pose || !l.is_keyed()));
        let mut names: Vec<&str> = layers.iter().map(|l| &*l.name).collect();
        names.sort_unstable();
        let mut ids: Vec<PoseLayerId> = layers.iter().map(|l| l.id).collect();
        ids.sort_unstable();
        let mut others =
            self.aids.pose_layers.iter().filter(|(h, _)| **h != home).flat_map(|(_, l)| l.iter());
        let once = names.windows(2).all(|pair| pair[0] != pair[1])
            && ids.windows(2).all(|pair| pair[0] != pair[1])
            && others.all(|l| ids.binary_search(&l.id).is_err());
        there && sound && once && !layers.is_empty()
    }
}
