//! The document: everything Ulna knows of a model, as plain data.

use std::{collections::BTreeSet, ops::Deref, sync::Arc};

use thiserror::Error;

use super::{
    Camera, Clip, ClipId, DisplayChoice, EditorState, Image, KeptLayers, KeptPose, LayerHome,
    Light, Local, Material, MaterialId, Mesh, MeshId, Mix, Node, NodeId, NodeSet, Nodes,
    PoseLayerId, PoseLayers, Primitive, PrimitiveId, SceneId, Shared, Skin, SkinId, Slots,
    VariantId, Vrm, label,
};

/// A scene: the roots that are shown together.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Scene {
    /// The name, where the file gives one.
    pub name: Option<Arc<str>>,
    /// Its roots.
    pub roots: Vec<NodeId>,
    /// Poses kept with it, each name once.
    pub poses: Shared<[KeptPose]>,
    /// Sets of nodes kept with it, in the order of their digits, each once.
    pub sets: Shared<[NodeSet]>,
    /// The mix kept with it: clips and joints by name.
    pub mix: Option<Shared<Mix<String, String>>>,
    /// The layers of the pose that the file keeps with it, folded into its nodes.
    pub kept_layers: Option<Shared<KeptLayers>>,
}

/// Which invariant of a [`Document`] is broken. That is a fault of the program, never of a file.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("the document is inconsistent: {0}. This is a bug in Ulna; please report it")]
pub struct Broken(String);

/// All that a file says: what saving writes.
///
/// Ids are indices of the opened file. Heavy parts are [`Shared`], so a clone is cheap; what is
/// shared compares in no time.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FileContent {
    /// All nodes, and the tree that they make.
    pub nodes: Nodes,
    /// All scenes; empty in a library of parts.
    pub scenes: Slots<SceneId, Scene>,
    /// The scene that the file wants shown.
    pub scene: Option<SceneId>,
    /// All meshes.
    pub meshes: Slots<MeshId, Shared<Mesh>>,
    /// All skins.
    pub skins: Slots<SkinId, Shared<Skin>>,
    /// All clips.
    pub clips: Slots<ClipId, Shared<Clip>>,
    /// All materials.
    pub materials: Shared<[Material]>,
    /// Names of the variants of the materials (`KHR_materials_variants`); empty in most files.
    pub variants: Shared<[Arc<str>]>,
    /// All images, encoded.
    pub images: Shared<[Image]>,
    /// All cameras of the file.
    pub cameras: Shared<[Camera]>,
    /// All lights of the file (`KHR_lights_punctual`).
    pub lights: Shared<[Light]>,
    /// What a VRM file says of its avatar.
    pub vrm: Option<Shared<Vrm>>,
}

/// A model: what its file says, and what is kept beside it. Invariants: see [`Document::check`].
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Document {
    /// What saving writes.
    pub file: FileContent,
    /// What no file holds by itself.
    pub aids: EditorState,
    /// What is chosen to be shown. Nothing that is undone or saved.
    pub shown: DisplayChoice,
}

/// Most of what is read of a document is of its file; what is written names which half it means.
impl Deref for Document {
    type Target = FileContent;

    fn deref(&self) -> &FileContent {
        &self.file
    }
}

impl From<FileContent> for Document {
    fn from(file: FileContent) -> Self {
        Self { file, ..Self::default() }
    }
}

impl FileContent {
    /// The node of an id.
    pub fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id]
    }

    /// The mesh of an id.
    pub fn mesh(&self, id: MeshId) -> &Mesh {
        &self.meshes[id]
    }

    /// The skin of an id.
    pub fn skin(&self, id: SkinId) -> &Skin {
        &self.skins[id]
    }

    /// A primitive, where it is there.
    pub fn primitive(&self, mesh: MeshId, primitive: PrimitiveId) -> Option<&Primitive> {
        self.meshes.get(mesh)?.primitives.get(primitive.index())
    }

    /// A primitive to be changed, where it is there.
    pub fn primitive_mut(
        &mut self,
        mesh: MeshId,
        primitive: PrimitiveId,
    ) -> Option<&mut Primitive> {
        self.primitive(mesh, primitive)?;
        Shared::make_mut(self.meshes.get_mut(mesh)?).primitives.get_mut(primitive.index())
    }

    /// The nodes right below one, in the file's order.
    pub fn children(&self, id: NodeId) -> &[NodeId] {
        self.nodes.children(id)
    }

    /// Every node's id.
    pub fn node_ids(&self) -> impl DoubleEndedIterator<Item = NodeId> + Clone {
        self.nodes.ids()
    }

    /// The name of a scene, or `scene N`.
    pub fn scene_label(&self, scene: SceneId) -> String {
        label(self.scenes.get(scene).and_then(|s| s.name.as_deref()), "scene", scene.0)
    }

    /// The material of a primitive in a variant, or its own where `None`, or where the variant
    /// leaves it as it is.
    pub fn material_of(
        &self,
        primitive: &Primitive,
        variant: Option<VariantId>,
    ) -> Option<MaterialId> {
        let found = variant.and_then(|v| primitive.variants.iter().find(|(k, _)| *k == v));
        found.map(|(_, material)| *material).or(primitive.material)
    }

    /// The roots of a scene, or every root where the file has no such scene.
    pub fn roots_of(&self, scene: Option<SceneId>) -> Vec<NodeId> {
        match scene.and_then(|s| self.scenes.get(s)) {
            Some(scene) => scene.roots.clone(),
            None => self.node_ids().filter(|id| self.node(*id).parent.is_none()).collect(),
        }
    }

    /// The nodes of a scene, each before its children, in the file's order.
    pub fn nodes_of(&self, scene: Option<SceneId>) -> Vec<NodeId> {
        let mut stack = self.roots_of(scene);
        stack.reverse();
        let mut found = Vec::new();
        let mut seen = vec![false; self.nodes.len()];
        while let Some(id) = stack.pop() {
            if !std::mem::replace(&mut seen[id.index()], true) {
                found.push(id);
                stack.extend(self.children(id).iter().rev());
            }
        }
        found
    }

    /// For every node, whether a skin counts it among its joints.
    pub fn joint_flags(&self) -> Vec<bool> {
        let mut flags = vec![false; self.nodes.len()];
        for skin in self.skins.values() {
            for joint in skin.joints.iter() {
                flags[joint.index()] = true;
            }
        }
        flags
    }

    /// The name of a clip, or `clip N`.
    pub fn clip_label(&self, id: ClipId) -> String {
        label(self.clips.get(id).and_then(|c| c.name.as_deref()), "clip", id.0)
    }

    /// The names from the root down to a node, joined by `/`.
    pub fn path(&self, id: NodeId) -> String {
        let mut names = vec![self.node(id).label(id)];
        let mut at = self.node(id).parent;
        while let Some(parent) = at {
            names.push(self.node(parent).label(parent));
            at = self.node(parent).parent;
        }
        names.reverse();
        names.join("/")
    }

    /// Whether `ancestor` is above `node`.
    pub fn is_above(&self, ancestor: NodeId, node: NodeId) -> bool {
        let mut at = self.node(node).parent;
        while let Some(parent) = at {
            if parent == ancestor {
                return true;
            }
            at = self.node(parent).parent;
        }
        false
    }

    /// The weights a node's morph targets have when no clip moves them.
    pub fn morph_weights(&self, node: NodeId) -> Vec<f32> {
        let node = self.node(node);
        let Some(mesh) = node.mesh.map(|m| self.mesh(m)) else { return Vec::new() };
        let count = mesh.target_count();
        let given = node.morph_weights.as_ref().unwrap_or(&mesh.default_weights);
        (0..count).map(|k| given.get(k).copied().unwrap_or(0.0)).collect()
    }

    fn check(&self) -> Result<(), Broken> {
        self.check_tree()?;
        self.check_nodes()?;
        let say = |sound: bool, why: &dyn Fn() -> String| {
            sound.then_some(()).ok_or_else(|| Broken(why()))
        };
        for (id, skin) in self.skins.iter() {
            let sound = skin.is_valid() && skin.joints.iter().all(|j| self.nodes.contains(*j));
            say(sound, &|| {
                format!(
                    "skin {} refers to a missing joint, or the number of its inverse bind matrices \
                        is wrong",
                    id.0
                )
            })?;
        }
        for (id, scene) in self.scenes.iter() {
            let root = |n: &NodeId| self.nodes.contains(*n);
            say(scene.roots.iter().all(root), &|| {
                format!("scene {} refers to a missing node", id.0)
            })?;
        }
        say(self.scene.is_none_or(|s| self.scenes.contains(s)), &|| {
            "the shown scene is missing".into()
        })?;
        for (id, clip) in self.clips.iter() {
            for (track, t) in &clip.tracks {
                let fault = |why: &dyn std::fmt::Display| {
                    Broken(format!("clip {}, track {}: {why}", id.0, track.0))
                };
                self.nodes
                    .contains(t.target)
                    .then_some(())
                    .ok_or_else(|| fault(&"the animated node is missing"))?;
                t.validate().map_err(|e| fault(&e))?;
            }
        }
        for (id, mesh) in self.meshes.iter() {
            for (p, primitive) in mesh.primitives.iter().enumerate() {
                let count = primitive.positions.len();
                let fits = primitive.weights.as_ref().is_none_or(|w| {
                    w.joints.len() == w.weights.len() && (count == 0 || w.vertex_count() == count)
                });
                say(fits, &|| {
                    format!(
                        "the number of weights of mesh {}, primitive {p} does not match its \
                            vertices",
                        id.0
                    )
                })?;
            }
        }
        Ok(())
    }

    fn check_tree(&self) -> Result<(), Broken> {
        if !self.nodes.is_valid() {
            return Err(Broken("the node tree does not match the parents of the nodes".into()));
        }
        for (id, node) in self.nodes.iter() {
            if node.parent.is_some_and(|p| !self.nodes.contains(p)) {
                return Err(Broken(format!("the parent of node {} is missing", id.0)));
            }
        }
        // A node on a cycle is not in the order.
        match self.nodes.order().len() == self.nodes.count() {
            true => Ok(()),
            false => Err(Broken("a node is its own ancestor".into())),
        }
    }

    fn check_nodes(&self) -> Result<(), Broken> {
        for (id, node) in self.nodes.iter() {
            let named = node.mesh.is_none_or(|m| self.meshes.contains(m))
                && node.skin.is_none_or(|s| self.skins.contains(s))
                && node.camera.is_none_or(|c| c.index() < self.cameras.len())
                && node.light.is_none_or(|l| l.index() < self.lights.len());
            let finite = node.pose.is_none_or(|p| p.is_finite())
                && node.morph_weights.as_ref().is_none_or(|w| w.iter().all(|v| v.is_finite()));
            if !named || !finite {
                return Err(Broken(format!(
                    "node {} refers to missing data, or has values that are not finite numbers",
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
                    && super::transform::angle_between(made.rotation, local.rotation) <= 2e-3;
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

impl Document {
    /// Checks the invariants: everything that is named is there, parents make a tree, numbers are
    /// finite, keys are sound, and weights fit their vertices.
    ///
    /// # Errors
    /// The first that is broken.
    pub fn check(&self) -> Result<(), Broken> {
        self.file.check()?;
        for (at, pose) in &self.aids.unkeyed {
            let sound = self.clips.contains(at.clip)
                && !pose.is_empty()
                && pose.nodes().all(|n| self.nodes.contains(n))
                && pose.locals.values().all(|c| !c.is_empty() && c.is_finite());
            sound.then_some(()).ok_or_else(|| {
                Broken(format!("the unkeyed pose of clip {} is invalid", at.clip.0))
            })?;
        }
        for (home, layers) in &self.aids.pose_layers {
            if !self.fits_pose_layers(*home, layers) {
                return Err(Broken(format!("the layers of {home:?} are invalid")));
            }
        }
        for (skin, layers) in &self.aids.weight_layers {
            if !self.skins.contains(*skin) || !layers.fits(self, *skin) {
                return Err(Broken(format!(
                    "the weight layers of skin {} do not match the skin",
                    skin.0
                )));
            }
        }
        if let Some((node, _)) = self
            .aids
            .pins
            .iter()
            .find(|(n, pin)| !self.nodes.contains(**n) || !(pin.place || pin.angle))
        {
            return Err(Broken(format!(
                "the pin of node {} pins neither position nor rotation, or its node is missing",
                node.0
            )));
        }
        if let Some(mix) = &self.aids.mix {
            if let Some(fault) = mix.fault() {
                return Err(Broken(format!("the mix is invalid: {fault}")));
            }
            if let Some(node) = mix.nodes().find(|n| !self.nodes.contains(**n)) {
                return Err(Broken(format!(
                    "a mask of the mix refers to node {}, which is missing",
                    node.0
                )));
            }
        }
        let pairs = self.aids.mirror_pairs.iter().flat_map(|(a, b)| [Some(*a), *b]).flatten();
        match pairs.into_iter().find(|n| !self.nodes.contains(*n)) {
            Some(node) => {
                Err(Broken(format!("a mirror pair refers to node {}, which is missing", node.0)))
            }
            None => Ok(()),
        }
    }

    /// Whether a list of layers could be the one of a clip, or of the pose: not empty, everything
    /// that it names is there, its names are each once, its numbers of no other list, and the
    /// layers are sound. The pose has none with keys.
    pub fn fits_pose_layers(&self, home: LayerHome, layers: &PoseLayers) -> bool {
        let there = home.clip().is_none_or(|c| self.clips.contains(c));
        let sound = layers.iter().all(|l| {
            l.is_sound()
                && (home != LayerHome::Pose || !l.is_keyed())
                && l.nodes()
                    .into_iter()
                    .chain(l.mask.iter().flat_map(|m| m.counts.nodes()))
                    .all(|n| self.nodes.contains(n))
        });
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

    /// The scene that is shown: the chosen one, or the file's own.
    pub fn shown_scene(&self) -> Option<SceneId> {
        self.shown.scene.or(self.scene)
    }

    /// The nodes that are shown, each before its children, in the file's order.
    pub fn shown_nodes(&self) -> Vec<NodeId> {
        self.nodes_of(self.shown_scene())
    }

    /// The skin in whose layers a primitive's weights are.
    pub fn layered(&self, mesh: MeshId, primitive: PrimitiveId) -> Option<SkinId> {
        self.aids
            .weight_layers
            .iter()
            .find(|(_, l)| l.bases.contains_key(&(mesh, primitive)))
            .map(|(skin, _)| *skin)
    }

    /// Nodes that an unkeyed pose changes.
    pub fn unkeyed_nodes(&self) -> BTreeSet<NodeId> {
        self.aids.unkeyed.values().flat_map(|pose| pose.nodes()).collect()
    }

    /// Vertices of all meshes as they are shown (a mesh under two nodes, or in two instances,
    /// counts twice).
    pub fn shown_vertex_count(&self) -> usize {
        let count = |id: &NodeId| {
            let node = self.node(*id);
            let instances = node.instances.as_ref().map_or(1, |i| i.len());
            node.mesh.map_or(0, |m| self.mesh(m).vertex_count()) * instances
        };
        self.shown_nodes().iter().map(count).sum()
    }
}
