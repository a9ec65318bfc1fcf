//! Nodes: transforms, and references to the parent, mesh, skin, camera and light.

use std::sync::Arc;

use glam::{Mat4, Vec4};

use super::{
    CameraId, ChannelLocks, LightId, MeshId, NodeId, Shared, SkinId, Transform, TransformError,
};

/// A node's transform in the parent's space, in one of the two forms of glTF.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Local {
    /// Translation, rotation, scale.
    Trs(Transform),
    /// A matrix, kept exactly until the node is edited or keyed.
    Matrix(Mat4),
}

impl Local {
    /// Whether every number is finite.
    pub fn is_finite(&self) -> bool {
        match self {
            Self::Trs(t) => t.is_finite(),
            Self::Matrix(m) => m.is_finite(),
        }
    }
}

impl Default for Local {
    fn default() -> Self {
        Self::Trs(Transform::IDENTITY)
    }
}

impl Local {
    /// The transform as a matrix.
    pub fn matrix(&self) -> Mat4 {
        match self {
            Self::Trs(t) => t.matrix(),
            Self::Matrix(m) => *m,
        }
    }

    /// The transform as translation, rotation and scale. Shear of a matrix is lost.
    pub fn transform(&self) -> Transform {
        match self {
            Self::Trs(t) => *t,
            Self::Matrix(m) => Transform::decompose(m, &Transform::IDENTITY).transform,
        }
    }
}

/// Origin of a node's rest.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RestSource {
    /// The node's own transform in the file.
    #[default]
    File,
    /// The inverse bind matrices of a skin. The node's transform in the file is then its pose.
    Bind,
    /// `extras["ulna.rest"]` of the node, stored by an earlier save of a pose.
    Extras,
    /// A pose that the user made the rest pose, although the inverse bind matrices of a skin imply
    /// another one. It is stored in `extras["ulna.rest"]`, with `over_bind`.
    Pose,
}

/// A node's pose: `Ul`, and the local transform `L ∘ Ul`.
///
/// Both members describe the same pose within rounding. Both are stored so that values from the
/// file or from the user keep their exact bits when another component changes. A matrix keeps its
/// shear until it is edited.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NodePose {
    /// `Ul`, relative to the rest.
    pub user: Transform,
    /// The local transform, as displayed and saved.
    pub local: Local,
}

impl NodePose {
    /// The pose of an `Ul` over a rest.
    pub fn by(rest: &Local, user: Transform) -> Self {
        Self { user, local: Local::Trs(rest.transform().compose(&user)) }
    }

    /// The pose over a rest with the local transform `local`.
    ///
    /// # Errors
    /// As for [`Transform::user_from`].
    pub fn at(rest: &Local, local: Local) -> Result<Self, TransformError> {
        Ok(Self { user: rest.transform().user_from(&local.transform())?, local })
    }

    /// Whether every number is finite.
    pub fn is_finite(&self) -> bool {
        self.local.is_finite() && self.user.is_finite()
    }
}

/// A node of the scene tree.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Node {
    /// The name, if the file has one; not unique.
    pub name: Option<Arc<str>>,
    /// The parent; `None` for a root.
    pub parent: Option<NodeId>,
    /// Sort key among the siblings, in ascending order; equal ranks are sorted by id.
    pub rank: u32,
    /// `L`: the local transform in the rest pose.
    pub rest: Local,
    /// Origin of `rest`.
    pub rest_source: RestSource,
    /// The pose relative to the rest, from the file or the user; `None` if the node is in its rest
    /// pose.
    pub pose: Option<NodePose>,
    /// The mesh at this node.
    pub mesh: Option<MeshId>,
    /// The skin that deforms `mesh`; the node's own transform is then ignored.
    pub skin: Option<SkinId>,
    /// Instances of the mesh as `node_from_instance` (`EXT_mesh_gpu_instancing`). If present, the
    /// mesh is drawn only at the instances.
    pub instances: Option<Shared<[Transform]>>,
    /// The camera at this node.
    pub camera: Option<CameraId>,
    /// The light at this node.
    pub light: Option<LightId>,
    /// Morph weights of the node; `None` for the mesh's defaults.
    pub morph_weights: Option<Shared<[f32]>>,
    /// Whether the file hides the node and its descendants (`KHR_node_visibility`).
    pub hidden: bool,
    /// Channels that are locked against manual posing.
    pub locks: ChannelLocks,
}

impl Node {
    /// `L ∘ Ul`: the local transform of the pose. An unedited matrix stays a matrix.
    pub fn local(&self) -> Local {
        self.pose.map_or(self.rest, |p| p.local)
    }

    /// `Ul`; `None` if the node is in its rest pose.
    pub fn user(&self) -> Option<Transform> {
        self.pose.map(|p| p.user)
    }

    /// Poses the node by an `Ul`. `None` resets it to its rest.
    pub fn set_user(&mut self, user: Option<Transform>) {
        self.pose = user.map(|u| NodePose::by(&self.rest, u));
    }

    /// The name in one line, or `node N`.
    pub fn label(&self, id: NodeId) -> String {
        label(self.name.as_deref(), "node", id.0)
    }
}

/// A name in one line; for an empty or missing name, the kind and the number of the element.
pub fn label(name: Option<&str>, what: &str, number: u32) -> String {
    match name {
        Some(name) if name.contains(char::is_control) => name.replace(char::is_control, " "),
        Some(name) if !name.is_empty() => name.to_owned(),
        _ => format!("{what} {number}"),
    }
}

/// A skin: the joints that deform a mesh, and their bind pose.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Skin {
    /// The name, if the file has one.
    pub name: Option<Arc<str>>,
    /// The joints; the weights refer to indices of this list.
    pub joints: Shared<[NodeId]>,
    /// `joint_from_mesh`, one per joint; identity matrices if the file has none.
    pub inverse_bind: Shared<[Mat4]>,
    /// Whether the file has readable inverse bind matrices.
    pub has_inverse_bind: bool,
}

impl Skin {
    /// Whether there is one inverse bind matrix per joint, all finite and affine. Without matrices
    /// in the file, all must be the identity.
    pub fn is_valid(&self) -> bool {
        let fine = |m: &Mat4| {
            m.is_finite() && m.row(3) == Vec4::W && (self.has_inverse_bind || *m == Mat4::IDENTITY)
        };
        self.joints.len() == self.inverse_bind.len() && self.inverse_bind.iter().all(fine)
    }
}
