//! The document: a model with its editor state, as plain data.

use std::{
    collections::{BTreeSet, HashSet},
    iter::successors,
    ops::Deref,
    sync::Arc,
};

use super::{
    Camera, Clip, ClipId, DisplayChoice, EditorState, Image, JointGroup, KeptLayers, KeptPose,
    Light, Material, MaterialId, Mesh, MeshId, Mix, Node, NodeId, NodeSet, NodeSpace, Nodes,
    Primitive, PrimitiveId, RetargetMap, SceneId, Shared, Skin, SkinId, Slots, VariantId, Vrm,
    label,
};

/// A scene: a set of root nodes that are displayed together, with the editor data stored in it.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Scene {
    /// The name, if the file has one.
    pub name: Option<Arc<str>>,
    /// The root nodes.
    pub roots: Vec<NodeId>,
    /// Poses stored in the scene; names are unique.
    pub poses: Shared<[KeptPose]>,
    /// Selection sets stored in the scene, in ascending order of their digits, which are unique.
    pub sets: Shared<[NodeSet]>,
    /// Joint groups stored in the scene, in display order.
    pub groups: Shared<[JointGroup]>,
    /// Map of humanoid bones stored in the scene, with the bone names of VRM 1.0 and no other VRM
    /// data. VRM files have it in [`FileContent::vrm`] instead.
    pub humanoid: Option<Shared<Vrm>>,
    /// Retarget maps stored in the scene, in the order of creation; names are unique.
    pub retarget: Shared<[RetargetMap]>,
    /// The mix stored in the scene, with clips and joints by name.
    pub mix: Option<Shared<Mix<String, String>>>,
    /// Pose layers stored in the scene, already baked into its nodes.
    pub kept_layers: Option<Shared<KeptLayers>>,
}

/// The content of a file, which saving writes.
///
/// Ids are indices of the opened file. Heavy parts are [`Shared`], so clones and comparisons are
/// cheap.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FileContent {
    /// All nodes, and the tree of their parents.
    pub nodes: Nodes,
    /// All scenes; may be empty.
    pub scenes: Slots<SceneId, Scene>,
    /// Default scene of the file, if it has one.
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
    /// The avatar data of a VRM file.
    pub vrm: Option<Shared<Vrm>>,
    /// Vectors and constraints of extensions in the space of nodes.
    pub node_space: NodeSpace,
}

/// A model: its file content and its editor state. Invariants: see [`Document::check`].
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Document {
    /// The content that saving writes.
    pub file: FileContent,
    /// State that is undone like file content, but is not part of the file.
    pub aids: EditorState,
    /// Scene and material variant on display, which are neither undone nor saved. They are part of
    /// the document because commands, evaluation and rendering depend on them.
    pub shown: DisplayChoice,
}

/// Nearly all read access to a document is to its file content, so `.file` can be omitted. There is
/// no `DerefMut`: changes must name the part that they change.
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
    /// Returns the node with an id.
    pub fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id]
    }

    /// Returns the mesh with an id.
    pub fn mesh(&self, id: MeshId) -> &Mesh {
        &self.meshes[id]
    }

    /// Returns the skin with an id.
    pub fn skin(&self, id: SkinId) -> &Skin {
        &self.skins[id]
    }

    /// Returns a primitive, if it exists.
    pub fn primitive(&self, mesh: MeshId, primitive: PrimitiveId) -> Option<&Primitive> {
        self.meshes.get(mesh)?.primitives.get(primitive.index())
    }

    /// Mutable access to a primitive, if it exists.
    pub fn primitive_mut(
        &mut self,
        mesh: MeshId,
        primitive: PrimitiveId,
    ) -> Option<&mut Primitive> {
        self.primitive(mesh, primitive)?;
        Shared::make_mut(self.meshes.get_mut(mesh)?).primitives.get_mut(primitive.index())
    }

    /// Direct children of a node, in the file's order.
    pub fn children(&self, id: NodeId) -> &[NodeId] {
        self.nodes.children(id)
    }

    /// Ids of all nodes, in ascending order.
    pub fn node_ids(&self) -> impl DoubleEndedIterator<Item = NodeId> + Clone {
        self.nodes.ids()
    }

    /// Name of a scene, or `scene N` if it has none.
    pub fn scene_label(&self, scene: SceneId) -> String {
        label(self.scenes.get(scene).and_then(|s| s.name.as_deref()), "scene", scene.0)
    }

    /// The scene that stores poses, sets, groups and other editor data: the default scene, or the
    /// first scene if there is no default.
    pub fn keeping_scene(&self) -> Option<SceneId> {
        self.scene.or_else(|| self.scenes.ids().next())
    }

    /// The retarget maps of the scene that stores editor data, [`Self::keeping_scene`].
    pub fn retarget_maps(&self) -> &[RetargetMap] {
        self.keeping_scene().and_then(|s| self.scenes.get(s)).map_or(&[], |s| &s.retarget)
    }

    /// The joint groups of the scene that stores editor data, [`Self::keeping_scene`].
    pub fn joint_groups(&self) -> &[JointGroup] {
        self.keeping_scene().and_then(|s| self.scenes.get(s)).map_or(&[], |s| &s.groups)
    }

    /// Map of humanoid bones: from the VRM avatar if there is one, otherwise from
    /// [`Self::keeping_scene`].
    pub fn humanoid(&self) -> Option<&Vrm> {
        let kept = || self.scenes.get(self.keeping_scene()?)?.humanoid.as_deref();
        self.vrm.as_deref().or_else(kept)
    }

    /// The material of a primitive in a variant. Returns the primitive's own material if `variant`
    /// is `None`, or if the variant does not replace it.
    pub fn material_of(
        &self,
        primitive: &Primitive,
        variant: Option<VariantId>,
    ) -> Option<MaterialId> {
        let found = variant.and_then(|v| primitive.variants.iter().find(|(k, _)| *k == v));
        found.map(|(_, material)| *material).or(primitive.material)
    }

    /// Root nodes of a scene; all root nodes of the file if there is no such scene.
    pub fn roots_of(&self, scene: Option<SceneId>) -> Vec<NodeId> {
        match scene.and_then(|s| self.scenes.get(s)) {
            Some(scene) => scene.roots.clone(),
            None => self.node_ids().filter(|id| self.node(*id).parent.is_none()).collect(),
        }
    }

    /// The nodes of a scene in depth-first order: parents first, children in the file's order.
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

    /// One flag per node: whether the node is a joint of any skin.
    pub fn joint_flags(&self) -> Vec<bool> {
        let mut flags = vec![false; self.nodes.len()];
        for skin in self.skins.values() {
            for joint in skin.joints.iter() {
                flags[joint.index()] = true;
            }
        }
        flags
    }

    /// One flag per node: whether the node can be a joint of a skeleton without a mesh.
    ///
    /// Such a node is not a joint of a skin, and neither the node nor a descendant has a mesh,
    /// camera or light. Ancestors of skin joints, up to the next joint or the root, are excluded.
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
        // An ancestor above the topmost joint is not part of the skeleton. It is an armature or the
        // root of the file.
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

    /// Name of a clip, or `clip N` if it has none.
    pub fn clip_label(&self, id: ClipId) -> String {
        label(self.clips.get(id).and_then(|c| c.name.as_deref()), "clip", id.0)
    }

    /// Path of a node: the names from the root down to it, joined by `/`.
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

    /// Whether `ancestor` is an ancestor of `node`.
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

    /// Default morph weights of a node, which apply without a clip. There is one per morph target,
    /// from the node or else the mesh, padded with 0.
    pub fn morph_weights(&self, node: NodeId) -> Vec<f32> {
        let node = self.node(node);
        let Some(mesh) = node.mesh.map(|m| self.mesh(m)) else { return Vec::new() };
        let count = mesh.target_count();
        let given = node.morph_weights.as_ref().unwrap_or(&mesh.default_weights);
        (0..count).map(|k| given.get(k).copied().unwrap_or(0.0)).collect()
    }
}

impl Document {
    /// The displayed scene: the chosen scene, or the file's default if none is chosen.
    pub fn shown_scene(&self) -> Option<SceneId> {
        self.shown.scene.or(self.scene)
    }

    /// The displayed nodes in depth-first order: parents first, children in the file's order.
    pub fn shown_nodes(&self) -> Vec<NodeId> {
        self.nodes_of(self.shown_scene())
    }

    /// Skin whose weight layers include this primitive; `None` if there is none.
    pub fn layered(&self, mesh: MeshId, primitive: PrimitiveId) -> Option<SkinId> {
        self.aids
            .weight_layers
            .iter()
            .find(|(_, l)| l.bases.contains_key(&(mesh, primitive)))
            .map(|(skin, _)| *skin)
    }

    /// Nodes that are changed by at least one unkeyed pose.
    pub fn unkeyed_nodes(&self) -> BTreeSet<NodeId> {
        self.aids.unkeyed.values().flat_map(|pose| pose.nodes()).collect()
    }

    /// Number of displayed vertices. A mesh is counted once per node and per instance.
    pub fn shown_vertex_count(&self) -> usize {
        let roots: HashSet<NodeId> = self.roots_of(self.shown_scene()).into_iter().collect();
        let is_shown = |id: NodeId| {
            successors(Some(id), |at| self.node(*at).parent).any(|at| roots.contains(&at))
        };
        // Few nodes have a mesh, so visiting their ancestors is faster than visiting all displayed
        // nodes.
        let count = |(id, node): (NodeId, &Node)| {
            let mesh = node.mesh.filter(|_| is_shown(id));
            let instances = node.instances.as_ref().map_or(1, |i| i.len());
            mesh.map_or(0, |m| self.mesh(m).vertex_count()) * instances
        };
        self.nodes.iter().map(count).sum()
    }
}
