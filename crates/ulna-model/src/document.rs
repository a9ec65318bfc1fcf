//! The document: everything Ulna knows of a model, as plain data.

use std::{collections::BTreeSet, ops::Deref, sync::Arc};

use super::{
    Camera, Clip, ClipId, DisplayChoice, EditorState, Image, JointGroup, KeptLayers, KeptPose,
    Light, Material, MaterialId, Mesh, MeshId, Mix, Node, NodeId, NodeSet, NodeSpace, Nodes,
    Primitive, PrimitiveId, RetargetMap, SceneId, Shared, Skin, SkinId, Slots, VariantId, Vrm,
    label,
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
    /// Groups of joints kept with it, in the order in which they are listed.
    pub groups: Shared<[JointGroup]>,
    /// Nodes of the bones of a human, kept with it: bones alone, in the spelling of VRM 1.0.
    /// In a VRM file, [`FileContent::vrm`] says it instead.
    pub humanoid: Option<Shared<Vrm>>,
    /// Retarget maps kept with it, each name once, in the order in which they were kept.
    pub retarget: Shared<[RetargetMap]>,
    /// The mix kept with it: clips and joints by name.
    pub mix: Option<Shared<Mix<String, String>>>,
    /// The layers of the pose that the file keeps with it, folded into its nodes.
    pub kept_layers: Option<Shared<KeptLayers>>,
}

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
    pub materials: Slots<MaterialId, Material>,
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
    /// Vectors and constraints of extensions in the space of nodes.
    pub node_space: NodeSpace,
}

/// A model: what its file says, and what is kept beside it. Invariants: see [`Document::check`].
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Document {
    /// What saving writes.
    pub file: FileContent,
    /// What no file holds by itself.
    pub aids: EditorState,
    /// Scene and material variant on display, which are neither undone nor saved. They are here
    /// because commands, evaluation and rendering depend on them and share only the document.
    pub shown: DisplayChoice,
}

/// Nearly every read of a document is a read of its file, and `.file` at each would tell a reader
/// nothing. There is no `DerefMut`: a change names the half that it changes.
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

    /// The scene with which poses, sets, groups and other aids are kept.
    pub fn keeping_scene(&self) -> Option<SceneId> {
        self.scene.or_else(|| self.scenes.ids().next())
    }

    /// The retarget maps.
    pub fn retarget_maps(&self) -> &[RetargetMap] {
        self.keeping_scene().and_then(|s| self.scenes.get(s)).map_or(&[], |s| &s.retarget)
    }

    /// The groups of joints.
    pub fn joint_groups(&self) -> &[JointGroup] {
        self.keeping_scene().and_then(|s| self.scenes.get(s)).map_or(&[], |s| &s.groups)
    }

    /// Nodes of the bones of a human: the map of the VRM avatar, or that of the scene.
    pub fn humanoid(&self) -> Option<&Vrm> {
        let kept = || self.scenes.get(self.keeping_scene()?)?.humanoid.as_deref();
        self.vrm.as_deref().or_else(kept)
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

    /// For every node, whether it may be a joint of a skeleton that no mesh is bound to yet: it
    /// shows nothing itself, no skin names it, and nothing but such nodes and joints is below it.
    pub fn loose_joint_flags(&self) -> Vec<bool> {
        let joints = self.joint_flags();
        let shows = |id: NodeId| {
            let node = self.node(id);
            node.mesh.is_some() || node.camera.is_some() || node.light.is_some()
        };
        let mut holds = vec![false; self.nodes.len()];
        for id in self.nodes.order().iter().rev() {
            holds[id.index()] |= shows(*id);
            if let Some(parent) = self.node(*id).parent.filter(|_| holds[id.index()]) {
                holds[parent.index()] = true;
            }
        }
        let is_loose = |id: NodeId| !joints[id.index()] && !holds[id.index()];
        let mut flags = vec![false; self.nodes.len()];
        for id in self.node_ids().filter(|id| is_loose(*id)) {
            flags[id.index()] = true;
        }
        // What is above a bound joint is not of the skeleton: an armature, or the whole file.
        let bound: Vec<NodeId> = self.node_ids().filter(|n| joints[n.index()]).collect();
        for joint in bound {
            let mut above = self.node(joint).parent;
            while let Some(node) = above.filter(|n| !joints[n.index()]) {
                flags[node.index()] = false;
                above = self.node(node).parent;
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
}

impl Document {
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
