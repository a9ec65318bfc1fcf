//! Edits: every change a document can undergo, as a value.

use std::sync::Arc;

use thiserror::Error;

use ulna_model::{
    Clip, ClipId, Components, Goal, Held, Image, ImageId, JointGroup, KeptPose, LayerHome,
    Material, MaterialId, Mesh, MeshId, Mix, Node, NodeId, NodePose, NodeSet, NodeSpace, Parts,
    Pin, PoseLayers, PrimitiveId, RestGeometry, RetargetMap, SceneId, Shared, Skin, SkinId,
    TextureRef, Track, TrackError, TrackId, UnkeyedAt, WeightLayers, WeightMap, WeightPatch,
};

/// One change: what a slot of the document becomes.
#[derive(Clone, Debug, PartialEq)]
pub enum Edit {
    /// The user-local transform of a node, and the local transform that it comes to.
    SetPoses(
        /// Nodes in rising order, each once; `None` is the rest pose.
        Vec<(NodeId, Option<NodePose>)>,
    ),
    /// Change of a node in an unkeyed pose.
    SetUnkeyed {
        /// Over which clip, and when.
        at: UnkeyedAt,
        /// The node.
        node: NodeId,
        /// `None`: nothing.
        to: Option<Components>,
    },
    /// The weights of a node's morph targets.
    SetMorphs {
        /// The node.
        node: NodeId,
        /// `None` is what its mesh gives.
        to: Option<Shared<[f32]>>,
    },
    /// Change of a node's morph targets in an unkeyed pose.
    SetUnkeyedMorphs {
        /// Over which clip, and when.
        at: UnkeyedAt,
        /// The node.
        node: NodeId,
        /// `None`: nothing.
        to: Option<Shared<[f32]>>,
    },
    /// Whole nodes: added, removed, attached elsewhere, or with another mesh.
    SetNodes(
        /// The nodes in ascending order, each once; `None` removes a node. Once all are in place,
        /// nothing may refer to a removed one.
        Vec<(NodeId, Option<Box<Node>>)>,
    ),
    /// A whole skin: a new one, or other joints and bind matrices.
    SetSkin {
        /// The skin.
        skin: SkinId,
        /// `None` removes it. Nothing may refer to it then.
        to: Option<Shared<Skin>>,
    },
    /// A whole mesh: added or removed.
    SetMesh {
        /// The mesh.
        mesh: MeshId,
        /// `None` removes it. Nothing may refer to it then.
        to: Option<Shared<Mesh>>,
    },
    /// A whole material: added or removed.
    SetMaterial {
        /// The material.
        material: MaterialId,
        /// `None` removes it. Nothing may refer to it then.
        to: Option<Box<Material>>,
    },
    /// The roots of a scene.
    SetRoots {
        /// The scene.
        scene: SceneId,
        /// New value.
        to: Vec<NodeId>,
    },
    /// A node's name.
    SetNodeName {
        /// The node.
        node: NodeId,
        /// `None` is no name.
        to: Option<Arc<str>>,
    },
    /// Whether the file hides a node and everything below it.
    SetHidden {
        /// The node.
        node: NodeId,
        /// Whether it is hidden then.
        to: bool,
    },
    /// A track of a clip.
    SetTrack {
        /// The clip.
        clip: ClipId,
        /// The track.
        track: TrackId,
        /// `None` removes it.
        to: Option<Shared<Track>>,
    },
    /// A whole clip: new, removed, or renamed.
    SetClip {
        /// The clip.
        clip: ClipId,
        /// `None` removes it.
        to: Option<Shared<Clip>>,
    },
    /// The weights of some vertices of a primitive.
    PatchWeights {
        /// Its mesh.
        mesh: MeshId,
        /// The primitive of the mesh.
        primitive: PrimitiveId,
        /// New weights of some vertices.
        patch: Box<WeightPatch>,
    },
    /// All weights of a primitive, with another number of sets perhaps.
    SetWeights {
        /// Its mesh.
        mesh: MeshId,
        /// The primitive of the mesh.
        primitive: PrimitiveId,
        /// New weights.
        to: Shared<WeightMap>,
    },
    /// Whether a primitive has weights at all.
    BindWeights {
        /// Its mesh.
        mesh: MeshId,
        /// The primitive of the mesh.
        primitive: PrimitiveId,
        /// `None`: it has none.
        to: Option<Shared<WeightMap>>,
    },
    /// Rest positions of a primitive's vertices.
    SetShape {
        /// Its mesh.
        mesh: MeshId,
        /// The primitive of the mesh.
        primitive: PrimitiveId,
        /// New shape, with the same attributes and counts as before.
        to: Box<RestGeometry>,
    },
    /// Normal texture of a material.
    SetNormalMap {
        /// The material.
        material: MaterialId,
        /// `None`: from none.
        to: Option<Box<TextureRef>>,
    },
    /// An image after all others.
    AddImage {
        /// Its number, the next.
        image: ImageId,
        /// `None` takes the last one away.
        to: Option<Image>,
    },
    /// The layers of user-local transforms of a clip, or of the pose.
    SetPoseLayers {
        /// Of which.
        home: LayerHome,
        /// `None`: there are none.
        to: Option<Shared<PoseLayers>>,
    },
    /// Whether the file keeps the layers.
    SetKeepsLayers {
        /// New value.
        to: bool,
    },
    /// The weight layers of a skin. What they come to is set by other edits beside this one.
    SetLayers {
        /// The skin.
        skin: SkinId,
        /// `None`: there are none.
        to: Option<Shared<WeightLayers>>,
    },
    /// How a node stays while others are posed.
    SetPin {
        /// The node.
        node: NodeId,
        /// `None`: it does not.
        to: Option<Pin>,
    },
    /// All poses that are kept with a scene.
    SetKeptPoses {
        /// The scene.
        scene: SceneId,
        /// New value.
        to: Shared<[KeptPose]>,
    },
    /// The contacts of a clip.
    SetContacts {
        /// The clip.
        clip: ClipId,
        /// The new contacts, in order.
        to: Shared<[Goal]>,
    },
    /// All retarget maps that are kept with a scene.
    SetRetargetMaps {
        /// The scene.
        scene: SceneId,
        /// The new maps.
        to: Shared<[RetargetMap]>,
    },
    /// All sets of nodes that are kept with a scene.
    SetNodeSets {
        /// The scene.
        scene: SceneId,
        /// New value.
        to: Shared<[NodeSet]>,
    },
    /// All groups of joints that are kept with a scene.
    SetJointGroups {
        /// The scene.
        scene: SceneId,
        /// The new groups.
        to: Shared<[JointGroup]>,
    },
    /// Nodes of the bones of a human.
    SetHumanoid {
        /// The scene that keeps it; the VRM avatar's if `None`.
        scene: Option<SceneId>,
        /// Bones by their role, sorted by role, no role twice.
        to: Shared<[(Arc<str>, NodeId)]>,
    },
    /// Clips on lanes.
    SetMix {
        /// `None`: as the file keeps them.
        to: Option<Shared<Mix>>,
    },
    /// The mix that is kept with a scene.
    SetKeptMix {
        /// The scene.
        scene: SceneId,
        /// The new mix; `None` removes it.
        to: Option<Shared<Mix<String, String>>>,
    },
    /// Vectors of extensions in the space of nodes, and constraints between nodes.
    SetNodeSpace {
        /// The new vectors and constraints.
        to: NodeSpace,
    },
    /// All pairs of joints that were said to be each other's mirror image.
    SetMirrorPairs {
        /// New value.
        to: Shared<[(NodeId, Option<NodeId>)]>,
    },
}

/// Why an edit does not fit the document. The document is unchanged then.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum EditError {
    /// No such node.
    #[error("node {0} does not exist")]
    NoNode(u32),
    /// The nodes of one edit do not rise.
    #[error("node {0} is listed twice or out of order in one edit")]
    Twice(u32),
    /// A node would be above itself.
    #[error("node {0} cannot be its own parent, or a child of one of its descendants")]
    Cycle(u32),
    /// Something still refers to an element that an edit removes.
    #[error("{what} {id} cannot be removed because something still refers to it")]
    Needed {
        /// Kind of the item.
        what: &'static str,
        /// Its number.
        id: u32,
    },
    /// It names what is not there, or numbers that are none.
    #[error("{what} {id} refers to missing data, or has invalid values")]
    Unsound {
        /// Kind of the item.
        what: &'static str,
        /// Its number.
        id: u32,
    },
    /// No such clip.
    #[error("clip {0} does not exist")]
    NoClip(u32),
    /// A clip that goes takes no unkeyed pose with it.
    #[error("clip {0} has an unkeyed pose; key it or discard it first")]
    Unkeyed(u32),
    /// A clip that goes takes no layers with it.
    #[error("clip {0} has layers; bake or remove them first")]
    Layered(u32),
    /// Pose layers that name what is not there, share a number or a name, or have numbers out of
    /// their bounds.
    #[error("the layers are invalid: they refer to missing data, or have values out of range")]
    PoseLayers,
    /// A number is not finite.
    #[error("the transform of node {0} has values that are not finite numbers")]
    NotFinite(u32),
    /// The weights do not fit the mesh.
    #[error("node {node} needs exactly one weight for each of its {targets} morph targets")]
    Morphs {
        /// The node.
        node: u32,
        /// Number of morph targets of its mesh.
        targets: usize,
    },
    /// Weights for vertices that are not there, or for a primitive that has none.
    #[error(
        "the weights do not match the vertices or joints of mesh {mesh}, primitive \
        {primitive}"
    )]
    Weights {
        /// The mesh.
        mesh: u32,
        /// The primitive.
        primitive: PrimitiveId,
    },
    /// A shape that does not fit its primitive.
    #[error("the vertex positions do not match primitive {primitive} of mesh \
        {mesh}", primitive = primitive.index())]
    Shape {
        /// The mesh.
        mesh: u32,
        /// The primitive.
        primitive: PrimitiveId,
    },
    /// Layers for primitives or vertices that are not there, or with numbers out of their bounds.
    #[error("the weight layers do not match skin {0}")]
    Layers(u32),
    /// The track breaks a rule.
    #[error("the keys are invalid: {0}")]
    Track(#[from] TrackError),
}

impl EditError {
    /// The code that stays the same for scripts, whatever the words are.
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
    /// The pose of one node.
    pub fn pose(node: NodeId, to: Option<NodePose>) -> Self {
        Self::SetPoses(vec![(node, to)])
    }

    /// One whole node; `None` removes it.
    pub fn node(node: NodeId, to: impl Into<Option<Node>>) -> Self {
        Self::SetNodes(vec![(node, to.into().map(Box::new))])
    }

    /// Whether two edits write the same slot, and so one after the other leaves what the later one
    /// says.
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
