//! The document: everything Ulna knows of a model, as plain data.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use thiserror::Error;

use super::{
    Aids, Camera, Clip, ClipId, Image, Light, Local, Material, MaterialId, Mesh, MeshId, Node, NodeId, Primitive,
    Shared, Shown, Skin, SkinId, Vrm,
};

/// A scene: the roots that are shown together.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Scene {
    /// The name, where the file gives one.
    pub name: Option<Arc<str>>,
    /// Its roots.
    pub roots: Vec<NodeId>,
}

/// Which invariant of a [`Document`] is broken. That is a fault of the program, never of a file.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("the document is broken: {0}. This is a fault of Ulna")]
pub struct Broken(String);

/// A model.
///
/// Ids are indices of the opened file. Heavy parts are [`Shared`], so a clone is cheap; what is shared compares in no
/// time. Two documents that are equal but for their aids are saved as the same bytes. Invariants: see [`Document::check`].
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Document {
    /// All nodes.
    pub nodes: Vec<Node>,
    /// All nodes, parents before children; another memory whenever a parent changes.
    pub order: Shared<[NodeId]>,
    /// All scenes; empty in a library of parts.
    pub scenes: Vec<Scene>,
    /// The scene that the file wants shown.
    pub scene: Option<usize>,
    /// All meshes.
    pub meshes: Vec<Shared<Mesh>>,
    /// All skins.
    pub skins: Vec<Shared<Skin>>,
    /// Clips by the index of their animation in the file; new ones come after all of those.
    pub clips: BTreeMap<ClipId, Shared<Clip>>,
    /// How many animations the file has.
    pub clips_in_file: u32,
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
    /// What is chosen to be shown. Nothing that is undone or saved.
    pub shown: Shown,
    /// What no file holds by itself.
    pub aids: Aids,
}

impl Document {
    /// The node of an id.
    pub fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id.index()]
    }

    /// Every node's id.
    pub fn node_ids(&self) -> impl Iterator<Item = NodeId> + use<> {
        (0..self.nodes.len()).map(NodeId::from)
    }

    /// The document without what no file holds: two that are equal so are saved as the same bytes.
    #[must_use]
    pub fn file_part(&self) -> Self {
        Self { aids: Aids::default(), shown: Shown::default(), ..self.clone() }
    }

    /// Checks the invariants: everything that is named is there, parents and children agree, `order` lists every node once
    /// with parents first, numbers are finite, keys are sound, and weights fit their vertices.
    ///
    /// # Errors
    /// The first that is broken.
    pub fn check(&self) -> Result<(), Broken> {
        self.check_tree()?;
        self.check_nodes()?;
        for (k, skin) in self.skins.iter().enumerate() {
            let sound = skin.joints.len() == skin.inverse_bind.len() && skin.joints.iter().all(|j| self.has(*j));
            sound.then_some(()).ok_or_else(|| Broken(format!("skin {k} names a joint that is not there")))?;
        }
        for (id, clip) in &self.clips {
            for (track, t) in &clip.tracks {
                let fault = |why: &dyn std::fmt::Display| Broken(format!("clip {}, track {}: {why}", id.0, track.0));
                self.has(t.target).then_some(()).ok_or_else(|| fault(&"its node is not there"))?;
                t.validate().map_err(|e| fault(&e))?;
            }
        }
        for (k, mesh) in self.meshes.iter().enumerate() {
            for (p, primitive) in mesh.primitives.iter().enumerate() {
                let count = primitive.positions.len();
                let fits = primitive
                    .weights
                    .as_ref()
                    .is_none_or(|w| w.joints.len() == w.weights.len() && (count == 0 || w.vertex_count() == count));
                fits.then_some(())
                    .ok_or_else(|| Broken(format!("the weights of mesh {k}, primitive {p} do not fit")))?;
            }
        }
        self.check_aids()
    }

    fn has(&self, node: NodeId) -> bool {
        node.index() < self.nodes.len()
    }

    fn check_tree(&self) -> Result<(), Broken> {
        let mut place = vec![None; self.nodes.len()];
        for (k, id) in self.order.iter().enumerate() {
            let slot = place.get_mut(id.index()).ok_or_else(|| Broken(format!("order names node {}", id.0)))?;
            if slot.replace(k).is_some() {
                return Err(Broken(format!("order names node {} twice", id.0)));
            }
        }
        for id in self.node_ids() {
            let node = self.node(id);
            let own = place[id.index()].ok_or_else(|| Broken(format!("order lacks node {}", id.0)))?;
            if let Some(parent) = node.parent {
                let above = self.has(parent) && place[parent.index()].is_some_and(|p| p < own);
                if !above || self.node(parent).children.iter().filter(|c| **c == id).count() != 1 {
                    return Err(Broken(format!("node {} and its parent {} disagree", id.0, parent.0)));
                }
            }
            if node.children.iter().any(|c| !self.has(*c) || self.node(*c).parent != Some(id)) {
                return Err(Broken(format!("node {} and its children disagree", id.0)));
            }
        }
        Ok(())
    }

    fn check_nodes(&self) -> Result<(), Broken> {
        for id in self.node_ids() {
            let node = self.node(id);
            let named = node.mesh.is_none_or(|m| m.index() < self.meshes.len())
                && node.skin.is_none_or(|s| s.index() < self.skins.len())
                && node.camera.is_none_or(|c| c.index() < self.cameras.len())
                && node.light.is_none_or(|l| l.index() < self.lights.len());
            let finite = node.pose.is_none_or(|p| p.is_finite())
                && node.morph_weights.as_ref().is_none_or(|w| w.iter().all(|v| v.is_finite()));
            if !named || !finite {
                return Err(Broken(format!("node {} names what is not there, or has numbers that are none", id.0)));
            }
            if let Some(pose) = node.pose
                && !matches!(pose.local, Local::Matrix(_))
            {
                let made = node.rest.transform().compose(&pose.user);
                let local = pose.local.transform();
                let size =
                    local.translation.abs().max_element().max(node.rest.transform().translation.abs().max_element());
                let near = made.translation.distance(local.translation) <= size.max(1e-3) * 1e-3
                    && super::transform::angle_between(made.rotation, local.rotation) <= 2e-3;
                if !near && made.is_finite() {
                    return Err(Broken(format!("the pose of node {} is not its rest with its edit", id.0)));
                }
            }
        }
        Ok(())
    }

    fn check_aids(&self) -> Result<(), Broken> {
        for (at, pose) in &self.aids.unkeyed {
            let sound = self.clips.contains_key(&at.clip)
                && !pose.is_empty()
                && pose.nodes().all(|n| self.has(n))
                && pose.locals.values().all(|c| !c.is_empty() && c.is_finite());
            sound.then_some(()).ok_or_else(|| Broken(format!("the unkeyed pose of clip {} is unsound", at.clip.0)))?;
        }
        for (skin, layers) in &self.aids.weight_layers {
            if skin.index() >= self.skins.len() || !layers.fits(self, *skin) {
                return Err(Broken(format!("the weight layers of skin {} do not fit", skin.0)));
            }
        }
        let pairs = self.aids.mirror_pairs.iter().flat_map(|(a, b)| [Some(*a), *b]).flatten();
        match pairs.into_iter().find(|n| !self.has(*n)) {
            Some(node) => Err(Broken(format!("a mirror pair names node {}", node.0))),
            None => Ok(()),
        }
    }

    /// The scene that is shown: the chosen one, or the file's own.
    pub fn shown_scene(&self) -> Option<usize> {
        self.shown.scene.or(self.scene)
    }

    /// The name of a scene, or `scene N`.
    pub fn scene_label(&self, scene: usize) -> String {
        match self.scenes.get(scene).and_then(|s| s.name.as_deref()) {
            Some(name) if !name.is_empty() => name.to_owned(),
            _ => format!("scene {scene}"),
        }
    }

    /// The material of a primitive in a variant, or its own where `None`, or where the variant leaves it as it is.
    pub fn material_of(&self, primitive: &Primitive, variant: Option<usize>) -> Option<MaterialId> {
        let found = variant.and_then(|v| primitive.variants.iter().find(|(k, _)| *k as usize == v));
        found.map(|(_, material)| *material).or(primitive.material)
    }

    /// The roots that are shown: those of the scene, or every root where the file has no scenes.
    pub fn shown_roots(&self) -> Vec<NodeId> {
        match self.shown_scene().and_then(|s| self.scenes.get(s)) {
            Some(scene) => scene.roots.clone(),
            None => self.node_ids().filter(|id| self.node(*id).parent.is_none()).collect(),
        }
    }

    /// The nodes that are shown, each before its children, in the file's order.
    pub fn shown_nodes(&self) -> Vec<NodeId> {
        let mut stack = self.shown_roots();
        stack.reverse();
        let mut shown = Vec::new();
        let mut seen = vec![false; self.nodes.len()];
        while let Some(id) = stack.pop() {
            if !std::mem::replace(&mut seen[id.index()], true) {
                shown.push(id);
                stack.extend(self.node(id).children.iter().rev());
            }
        }
        shown
    }

    /// For every node, whether a skin counts it among its joints.
    pub fn joint_flags(&self) -> Vec<bool> {
        let mut flags = vec![false; self.nodes.len()];
        for skin in &self.skins {
            for joint in skin.joints.iter() {
                flags[joint.index()] = true;
            }
        }
        flags
    }

    /// The mesh of an id.
    pub fn mesh(&self, id: MeshId) -> &Mesh {
        &self.meshes[id.index()]
    }

    /// The skin of an id.
    pub fn skin(&self, id: SkinId) -> &Skin {
        &self.skins[id.index()]
    }

    /// The skin in whose layers a primitive's weights are.
    pub fn layered(&self, mesh: MeshId, primitive: usize) -> Option<SkinId> {
        self.aids.weight_layers.iter().find(|(_, l)| l.bases.contains_key(&(mesh, primitive))).map(|(skin, _)| *skin)
    }

    /// The name of a clip, or `clip N`.
    pub fn clip_label(&self, id: ClipId) -> String {
        match self.clips.get(&id).and_then(|c| c.name.as_deref()) {
            Some(name) if !name.is_empty() => name.to_owned(),
            _ => format!("clip {}", id.0),
        }
    }

    /// An id no clip of this document or animation of the file has.
    pub fn free_clip_id(&self) -> ClipId {
        let after = self.clips.keys().next_back().map_or(0, |id| id.0 + 1);
        ClipId(after.max(self.clips_in_file))
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

    /// Nodes that an unkeyed pose changes.
    pub fn unkeyed_nodes(&self) -> BTreeSet<NodeId> {
        self.aids.unkeyed.values().flat_map(|pose| pose.nodes()).collect()
    }

    /// The weights a node's morph targets have when no clip moves them.
    pub fn morph_weights(&self, node: NodeId) -> Vec<f32> {
        let node = self.node(node);
        let Some(mesh) = node.mesh.map(|m| self.mesh(m)) else { return Vec::new() };
        let count = mesh.target_count();
        let given = node.morph_weights.as_ref().unwrap_or(&mesh.default_weights);
        (0..count).map(|k| given.get(k).copied().unwrap_or(0.0)).collect()
    }

    /// Vertices of all meshes as they are shown (a mesh under two nodes, or in two instances, counts twice).
    pub fn shown_vertex_count(&self) -> usize {
        let count = |id: &NodeId| {
            let node = self.node(*id);
            let instances = node.instances.as_ref().map_or(1, |i| i.len());
            node.mesh.map_or(0, |m| self.mesh(m).vertex_count()) * instances
        };
        self.shown_nodes().iter().map(count).sum()
    }
}
