//! The document: everything Ulna knows of a model, as plain data.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use super::{
    Camera, Clip, ClipId, Image, Light, Material, MaterialId, Mesh, MeshId, Node, NodeId, Primitive, Shown, Skin,
    SkinId, Transform, Vrm, WeightLayers,
};

/// A scene: the roots that are shown together.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Scene {
    /// The name, where the file gives one.
    pub name: Option<Arc<str>>,
    /// Its roots.
    pub roots: Vec<NodeId>,
}

/// A model.
///
/// Ids are indices of the opened file. Heavy parts are shared (`Arc`), so a clone is cheap, and two documents that are
/// equal by `==` are saved as the same bytes. Invariants: parents and children agree, there is no cycle, every id names
/// something, and `order` lists every node once, parents first.
#[derive(Clone, Debug, Default)]
pub struct Document {
    /// All nodes.
    pub nodes: Vec<Node>,
    /// All nodes, parents before children; another `Arc` whenever a parent changes.
    pub order: Arc<[NodeId]>,
    /// All scenes; empty in a library of parts.
    pub scenes: Vec<Scene>,
    /// The scene that the file wants shown.
    pub scene: Option<usize>,
    /// All meshes.
    pub meshes: Vec<Arc<Mesh>>,
    /// All skins.
    pub skins: Vec<Arc<Skin>>,
    /// Clips by the index of their animation in the file; new ones come after all of those.
    pub clips: BTreeMap<ClipId, Arc<Clip>>,
    /// How many animations the file has.
    pub clips_in_file: u32,
    /// All materials.
    pub materials: Arc<[Material]>,
    /// Names of the variants of the materials (`KHR_materials_variants`); empty in most files.
    pub variants: Arc<[Arc<str>]>,
    /// All images, encoded.
    pub images: Arc<[Image]>,
    /// All cameras of the file.
    pub cameras: Arc<[Camera]>,
    /// All lights of the file (`KHR_lights_punctual`).
    pub lights: Arc<[Light]>,
    /// What a VRM file says of its avatar.
    pub vrm: Option<Arc<Vrm>>,
    /// What is chosen to be shown. Never saved.
    pub shown: Shown,
    /// Local transforms made while a clip is shown and not keyed yet. Never saved.
    pub pending: BTreeMap<NodeId, Transform>,
    /// Weights of morph targets set while a clip is shown and not keyed yet. Never saved.
    pub pending_morphs: BTreeMap<NodeId, Arc<[f32]>>,
    /// Layers of weights over what the file has, by skin. What they come to is in the primitives, and that is saved; the
    /// layers are not.
    pub weight_layers: BTreeMap<SkinId, Arc<WeightLayers>>,
    /// Joints that were said to be each other's mirror image, a later pair over an earlier one; one with itself is of the
    /// centre, one with none has no mirror image. Never saved: no file says it.
    pub mirror_pairs: Arc<[(NodeId, Option<NodeId>)]>,
}

/// What is shared is the same, so that this is cheap for documents that came from one another.
impl PartialEq for Document {
    fn eq(&self, other: &Self) -> bool {
        fn same<T: ?Sized + PartialEq>(a: &Arc<T>, b: &Arc<T>) -> bool {
            Arc::ptr_eq(a, b) || a == b
        }
        fn all<T: PartialEq>(a: &[Arc<T>], b: &[Arc<T>]) -> bool {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b))
        }
        let clips = || self.clips.iter().zip(&other.clips).all(|((i, a), (j, b))| i == j && same(a, b));
        let layers =
            || self.weight_layers.iter().zip(&other.weight_layers).all(|((i, a), (j, b))| i == j && same(a, b));
        self.nodes == other.nodes
            && same(&self.order, &other.order)
            && self.scenes == other.scenes
            && self.scene == other.scene
            && all(&self.meshes, &other.meshes)
            && all(&self.skins, &other.skins)
            && self.clips.len() == other.clips.len()
            && clips()
            && self.clips_in_file == other.clips_in_file
            && same(&self.materials, &other.materials)
            && same(&self.variants, &other.variants)
            && same(&self.images, &other.images)
            && same(&self.cameras, &other.cameras)
            && same(&self.lights, &other.lights)
            && self.vrm == other.vrm
            && self.shown == other.shown
            && self.pending == other.pending
            && self.pending_morphs == other.pending_morphs
            && self.weight_layers.len() == other.weight_layers.len()
            && layers()
            && same(&self.mirror_pairs, &other.mirror_pairs)
    }
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
        self.weight_layers.iter().find(|(_, l)| l.bases.contains_key(&(mesh, primitive))).map(|(skin, _)| *skin)
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

    /// Nodes whose pose, or whose morph targets, wait to be keyed.
    pub fn waiting(&self) -> BTreeSet<NodeId> {
        self.pending.keys().chain(self.pending_morphs.keys()).copied().collect()
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
