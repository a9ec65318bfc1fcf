//! Edits: every possible change of a document, as a value.

use std::sync::Arc;

use thiserror::Error;

use ulna_model::{
    Clip, ClipId, Components, Goal, Held, Image, ImageId, JointGroup, KeptPose, LayerHome,
    Material, MaterialId, Mesh, MeshId, Mix, Node, NodeId, NodePose, NodeSet, NodeSpace, Parts,
    Pin, PoseLayers, PrimitiveId, RestGeometry, RetargetMap, SceneId, Shared, Skin, SkinId,
    TextureRef, Track, TrackError, TrackId, UnkeyedAt, WeightLayers, WeightMap, WeightPatch,
};

/// One change of a document: the new value of one of its elements.
#[derive(Clone, Debug, PartialEq)]
pub enum Edit {
    /// Sets the pose offsets and local transforms of nodes.
    SetPoses(
        /// Nodes in ascending order, each once; `None` resets a node to the rest pose.
        Vec<(NodeId, Option<NodePose>)>,
    ),
    /// Sets the unkeyed components of a node.
    SetUnkeyed {
        /// Clip and time of the unkeyed pose.
        at: UnkeyedAt,
        /// Node to change.
        node: NodeId,
        /// New components; `None` removes the node from the unkeyed pose.
        to: Option<Components>,
    },
    /// Sets the morph weights of a node.
    SetMorphs {
        /// Node to change.
        node: NodeId,
        /// New weights, one per morph target; `None` stands for the weights of the mesh.
        to: Option<Shared<[f32]>>,
    },
    /// Sets the unkeyed morph weights of a node.
    SetUnkeyedMorphs {
        /// Clip and time of the unkeyed pose.
        at: UnkeyedAt,
        /// Node to change.
        node: NodeId,
        /// New weights, one per morph target; `None` removes them from the unkeyed pose.
        to: Option<Shared<[f32]>>,
    },
    /// Adds, removes or replaces whole nodes, including parents and meshes.
    SetNodes(
        /// The nodes in ascending order, each once; `None` removes a node. Afterwards, nothing may
        /// refer to a removed node.
        Vec<(NodeId, Option<Box<Node>>)>,
    ),
    /// Adds, removes or replaces a whole skin.
    SetSkin {
        /// Skin to add, replace or remove.
        skin: SkinId,
        /// New skin; `None` removes it, which requires that nothing refers to it.
        to: Option<Shared<Skin>>,
    },
    /// Adds, removes or renames a mesh.
    SetMesh {
        /// Mesh to add, rename or remove.
        mesh: MeshId,
        /// New mesh; `None` removes it, which requires that nothing refers to it.
        to: Option<Shared<Mesh>>,
    },
    /// Adds, removes or renames a material.
    SetMaterial {
        /// Material to add, rename or remove.
        material: MaterialId,
        /// New material; `None` removes it, which requires that nothing refers to it.
        to: Option<Box<Material>>,
    },
    /// Sets the root nodes of a scene.
    SetRoots {
        /// Scene to change.
        scene: SceneId,
        /// New root nodes, in order.
        to: Vec<NodeId>,
    },
    /// Sets the name of a node.
    SetNodeName {
        /// Node to rename.
        node: NodeId,
        /// New name; `None` removes the name.
        to: Option<Arc<str>>,
    },
    /// Sets whether the file hides a node and its descendants.
    SetHidden {
        /// Node to hide or show.
        node: NodeId,
        /// Whether the node is hidden.
        to: bool,
    },
    /// Adds, removes or replaces a track of a clip.
    SetTrack {
        /// Clip that has the track.
        clip: ClipId,
        /// Id of the track in the clip.
        track: TrackId,
        /// New track; `None` removes it.
        to: Option<Shared<Track>>,
    },
    /// Adds, removes or replaces a whole clip.
    SetClip {
        /// Clip to add, replace or remove.
        clip: ClipId,
        /// New clip; `None` removes it.
        to: Option<Shared<Clip>>,
    },
    /// Sets the weights of some vertices of a primitive.
    PatchWeights {
        /// The mesh of the primitive.
        mesh: MeshId,
        /// The primitive of the mesh.
        primitive: PrimitiveId,
        /// New weights, with the vertices that they belong to.
        patch: Box<WeightPatch>,
    },
    /// Sets all weights of a primitive. The number of influence sets may change.
    SetWeights {
        /// The mesh of the primitive.
        mesh: MeshId,
        /// The primitive of the mesh.
        primitive: PrimitiveId,
        /// New weights.
        to: Shared<WeightMap>,
    },
    /// Adds weights to a primitive, or removes them.
    BindWeights {
        /// The mesh of the primitive.
        mesh: MeshId,
        /// The primitive of the mesh.
        primitive: PrimitiveId,
        /// New weights; `None` removes them.
        to: Option<Shared<WeightMap>>,
    },
    /// Sets the vertex positions and other geometry of a primitive in the rest pose.
    SetShape {
        /// The mesh of the primitive.
        mesh: MeshId,
        /// The primitive of the mesh.
        primitive: PrimitiveId,
        /// New geometry, with the same attributes and counts as before.
        to: Box<RestGeometry>,
    },
    /// Sets the normal texture of a material.
    SetNormalMap {
        /// Material to change.
        material: MaterialId,
        /// New texture; `None` removes it.
        to: Option<Box<TextureRef>>,
    },
    /// Appends an image, or removes the last one.
    AddImage {
        /// Index of the image, which must be the next or the last one.
        image: ImageId,
        /// New image; `None` removes the last one.
        to: Option<Image>,
    },
    /// Sets the pose layers of a clip, or of the pose.
    SetPoseLayers {
        /// Owner of the layers.
        home: LayerHome,
        /// New layers; `None` removes them.
        to: Option<Shared<PoseLayers>>,
    },
    /// Sets whether pose layers are saved in the file.
    SetKeepsLayers {
        /// New value.
        to: bool,
    },
    /// Sets the weight layers of a skin. Other edits of the same step set the combined weights.
    SetLayers {
        /// Skin to change.
        skin: SkinId,
        /// New layers; `None` removes them.
        to: Option<Shared<WeightLayers>>,
    },
    /// Sets the pin of a node.
    SetPin {
        /// Node to change.
        node: NodeId,
        /// New pin; `None` removes it.
        to: Option<Pin>,
    },
    /// Sets the poses saved with a scene.
    SetKeptPoses {
        /// Scene that stores the poses.
        scene: SceneId,
        /// New poses, which replace all others.
        to: Shared<[KeptPose]>,
    },
    /// Sets the contacts of a clip.
    SetContacts {
        /// Clip to change.
        clip: ClipId,
        /// New contacts, in order.
        to: Shared<[Goal]>,
    },
    /// Sets the retarget maps saved with a scene.
    SetRetargetMaps {
        /// Scene that stores the maps.
        scene: SceneId,
        /// New maps, which replace all others.
        to: Shared<[RetargetMap]>,
    },
    /// Sets the selection sets saved with a scene.
    SetNodeSets {
        /// Scene that stores the sets.
        scene: SceneId,
        /// New sets, which replace all others.
        to: Shared<[NodeSet]>,
    },
    /// Sets the joint groups saved with a scene.
    SetJointGroups {
        /// Scene that stores the groups.
        scene: SceneId,
        /// New groups, which replace all others.
        to: Shared<[JointGroup]>,
    },
    /// Sets the humanoid map.
    SetHumanoid {
        /// The scene that stores the map; `None` for the map of the VRM avatar.
        scene: Option<SceneId>,
        /// Joints by bone name, sorted, without duplicate names.
        to: Shared<[(Arc<str>, NodeId)]>,
    },
    /// Sets the current mix.
    SetMix {
        /// New mix; `None` stands for the mix saved in the file.
        to: Option<Shared<Mix>>,
    },
    /// Sets the mix saved with a scene.
    SetKeptMix {
        /// Scene that stores the mix.
        scene: SceneId,
        /// New mix; `None` removes it.
        to: Option<Shared<Mix<String, String>>>,
    },
    /// Sets vectors of extensions in the space of nodes, and constraints between nodes.
    SetNodeSpace {
        /// The new vectors and constraints.
        to: NodeSpace,
    },
    /// Sets the corrected mirror pairs of joints.
    SetMirrorPairs {
        /// New pairs; `None` marks a joint without a mirror joint.
        to: Shared<[(NodeId, Option<NodeId>)]>,
    },
}

/// The reason why an edit is invalid. The document is then unchanged.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum EditError {
    /// The node does not exist.
    #[error("node {0} does not exist")]
    NoNode(u32),
    /// The nodes of one edit are not in ascending order, or contain a duplicate.
    #[error("node {0} is listed twice or out of order in one edit")]
    Twice(u32),
    /// A node would become its own ancestor.
    #[error("node {0} cannot be its own parent, or a child of one of its descendants")]
    Cycle(u32),
    /// The document still refers to a removed element.
    #[error("{what} {id} cannot be removed because something still refers to it")]
    Needed {
        /// Kind of the element.
        what: &'static str,
        /// Id of the element.
        id: u32,
    },
    /// The element refers to missing data, or has invalid values.
    #[error("{what} {id} refers to missing data, or has invalid values")]
    Unsound {
        /// Kind of the element.
        what: &'static str,
        /// Id of the element.
        id: u32,
    },
    /// The clip does not exist.
    #[error("clip {0} does not exist")]
    NoClip(u32),
    /// A removed clip still has an unkeyed pose.
    #[error("clip {0} has an unkeyed pose; key it or discard it first")]
    Unkeyed(u32),
    /// A removed clip still has pose layers.
    #[error("clip {0} has layers; bake or remove them first")]
    Layered(u32),
    /// The pose layers refer to missing data, have duplicate numbers or names, or have values out
    /// of range.
    #[error("the layers are invalid: they refer to missing data, or have values out of range")]
    PoseLayers,
    /// A number is not finite.
    #[error("the transform of node {0} has values that are not finite numbers")]
    NotFinite(u32),
    /// The number of morph weights differs from the number of morph targets.
    #[error("node {node} needs exactly one weight for each of its {targets} morph targets")]
    Morphs {
        /// Index of the node.
        node: u32,
        /// Number of morph targets of its mesh.
        targets: usize,
    },
    /// The weights do not match the vertices or joints of the primitive, or the primitive has none.
    #[error(
        "the weights do not match the vertices or joints of mesh {mesh}, primitive \
        {primitive}"
    )]
    Weights {
        /// Index of the mesh.
        mesh: u32,
        /// Primitive of the mesh.
        primitive: PrimitiveId,
    },
    /// The geometry does not match the primitive.
    #[error("the vertex positions do not match primitive {primitive} of mesh \
        {mesh}", primitive = primitive.index())]
    Shape {
        /// Index of the mesh.
        mesh: u32,
        /// Primitive of the mesh.
        primitive: PrimitiveId,
    },
    /// The weight layers do not match the primitives or vertices of the skin, or have values out of
    /// range.
    #[error("the weight layers do not match skin {0}")]
    Layers(u32),
    /// The track is invalid.
    #[error("the keys are invalid: {0}")]
    Track(#[from] TrackError),
}

impl EditError {
    /// Returns the code of the error, for scripts. It stays the same if the message changes.
    pub const fn code(&self) -> &'static str {
        match self {
            Self::NoNode(_) => "no_such_node",
            Self::Twice(_) => "named_twice",
            Self::Cycle(_) => "node_cycle",
            Self::Needed { .. } => "still_needed",
            Self::Unsound { .. } => "unsound",
            Self::NoClip(_) => "no_such_clip",
            Self::Unkeyed(_) => "clip_has_unkeyed_pose",
            Self::Layered(_) => "clip_has_layers",
            Self::PoseLayers => "layers_unsound",
            Self::NotFinite(_) => "not_finite",
            Self::Morphs { .. } => "count_mismatch",
            Self::Weights { .. } => "weights_unsound",
            Self::Shape { .. } => "shape_unsound",
            Self::Layers(_) => "weight_layers_unsound",
            Self::Track(error) => error.code(),
        }
    }
}

impl Edit {
    /// Returns an edit of the pose of one node.
    pub fn pose(node: NodeId, to: Option<NodePose>) -> Self {
        Self::SetPoses(vec![(node, to)])
    }

    /// Returns an edit of one whole node; `None` removes it.
    pub fn node(node: NodeId, to: impl Into<Option<Node>>) -> Self {
        Self::SetNodes(vec![(node, to.into().map(Box::new))])
    }

    /// Whether both edits set the same element. The later one then replaces the effect of the
    /// earlier one.
    pub fn is_same_slot(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::SetPoses(a), Self::SetPoses(b)) => {
                a.iter().map(|p| p.0).eq(b.iter().map(|p| p.0))
            }
            (Self::SetNodes(a), Self::SetNodes(b)) => {
                a.iter().map(|p| p.0).eq(b.iter().map(|p| p.0))
            }
            (Self::SetMesh { mesh: a, .. }, Self::SetMesh { mesh: b, .. }) => a == b,
            (Self::SetMaterial { material: a, .. }, Self::SetMaterial { material: b, .. }) => {
                a == b
            }
            (Self::SetMorphs { node: a, .. }, Self::SetMorphs { node: b, .. })
            | (Self::SetPin { node: a, .. }, Self::SetPin { node: b, .. })
            | (Self::SetHidden { node: a, .. }, Self::SetHidden { node: b, .. })
            | (Self::SetNodeName { node: a, .. }, Self::SetNodeName { node: b, .. }) => a == b,
            (Self::SetUnkeyed { at: a, node: x, .. }, Self::SetUnkeyed { at: b, node: y, .. })
            | (
                Self::SetUnkeyedMorphs { at: a, node: x, .. },
                Self::SetUnkeyedMorphs { at: b, node: y, .. },
            ) => (a, x) == (b, y),
            (
                Self::SetTrack { clip: a, track: x, .. },
                Self::SetTrack { clip: b, track: y, .. },
            ) => (a, x) == (b, y),
            (Self::SetClip { clip: a, .. }, Self::SetClip { clip: b, .. }) => a == b,
            (
                Self::SetWeights { mesh: a, primitive: x, .. },
                Self::SetWeights { mesh: b, primitive: y, .. },
            )
            | (
                Self::BindWeights { mesh: a, primitive: x, .. },
                Self::BindWeights { mesh: b, primitive: y, .. },
            )
            | (
                Self::SetShape { mesh: a, primitive: x, .. },
                Self::SetShape { mesh: b, primitive: y, .. },
            ) => (a, x) == (b, y),
            (Self::SetNormalMap { material: a, .. }, Self::SetNormalMap { material: b, .. }) => {
                a == b
            }
            (Self::SetLayers { skin: a, .. }, Self::SetLayers { skin: b, .. })
            | (Self::SetSkin { skin: a, .. }, Self::SetSkin { skin: b, .. }) => a == b,
            (Self::SetRoots { scene: a, .. }, Self::SetRoots { scene: b, .. }) => a == b,
            (Self::SetKeptPoses { scene: a, .. }, Self::SetKeptPoses { scene: b, .. })
            | (Self::SetRetargetMaps { scene: a, .. }, Self::SetRetargetMaps { scene: b, .. })
            | (Self::SetNodeSets { scene: a, .. }, Self::SetNodeSets { scene: b, .. })
            | (Self::SetJointGroups { scene: a, .. }, Self::SetJointGroups { scene: b, .. }) => {
                a == b
            }
            (Self::SetContacts { clip: a, .. }, Self::SetContacts { clip: b, .. }) => a == b,
            (Self::SetHumanoid { scene: a, .. }, Self::SetHumanoid { scene: b, .. }) => a == b,
            (Self::SetKeptMix { scene: a, .. }, Self::SetKeptMix { scene: b, .. }) => a == b,
            (Self::SetPoseLayers { home: a, .. }, Self::SetPoseLayers { home: b, .. }) => a == b,
            (Self::SetMirrorPairs { .. }, Self::SetMirrorPairs { .. })
            | (Self::SetNodeSpace { .. }, Self::SetNodeSpace { .. })
            | (Self::SetKeepsLayers { .. }, Self::SetKeepsLayers { .. })
            | (Self::SetMix { .. }, Self::SetMix { .. }) => true,
            _ => false,
        }
    }
}

impl Held for Edit {
    fn held(&self, parts: &mut Parts) {
        match self {
            Self::SetPoses(poses) => poses.held(parts),
            Self::SetMorphs { node: _, to } => to.held(parts),
            Self::SetUnkeyedMorphs { at: _, node: _, to } => to.held(parts),
            Self::SetNodes(nodes) => nodes.held(parts),
            Self::SetMesh { mesh: _, to } => to.held(parts),
            Self::SetMaterial { material: _, to } => to.held(parts),
            Self::SetSkin { skin: _, to } => to.held(parts),
            Self::SetRoots { scene: _, to } => to.held(parts),
            Self::SetNodeName { node: _, to } => to.held(parts),
            Self::SetTrack { clip: _, track: _, to } => to.held(parts),
            Self::SetClip { clip: _, to } => to.held(parts),
            Self::PatchWeights { mesh: _, primitive: _, patch } => patch.held(parts),
            Self::SetWeights { mesh: _, primitive: _, to } => to.held(parts),
            Self::BindWeights { mesh: _, primitive: _, to } => to.held(parts),
            Self::SetShape { mesh: _, primitive: _, to } => to.held(parts),
            Self::SetNormalMap { material: _, to } => to.held(parts),
            Self::AddImage { image: _, to } => to.held(parts),
            Self::SetPoseLayers { home: _, to } => to.held(parts),
            Self::SetLayers { skin: _, to } => to.held(parts),
            Self::SetKeptPoses { scene: _, to } => to.held(parts),
            Self::SetContacts { clip: _, to } => to.held(parts),
            Self::SetRetargetMaps { scene: _, to } => to.held(parts),
            Self::SetNodeSets { scene: _, to } => to.held(parts),
            Self::SetJointGroups { scene: _, to } => to.held(parts),
            Self::SetHumanoid { scene: _, to } => to.held(parts),
            Self::SetMix { to } => to.held(parts),
            Self::SetKeptMix { scene: _, to } => to.held(parts),
            Self::SetMirrorPairs { to } => to.held(parts),
            Self::SetNodeSpace { to } => to.held(parts),
            Self::SetUnkeyed { .. }
            | Self::SetKeepsLayers { .. }
            | Self::SetPin { .. }
            | Self::SetHidden { .. } => {}
        }
    }
}
