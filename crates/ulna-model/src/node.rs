//! Nodes: transforms, and references to the parent, mesh, skin, camera and light.

use std::sync::Arc;

use glam::{Mat4, Vec4};

use super::{
    CameraId, ChannelLocks, LightId, MeshId, NodeId, Shared, SkinId, Transform, TransformError,
};

/// A node's transform in the parent's space, in one of the two forms of glTF.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Local {
    /// Separate translation, rotation and scale.
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

    /// The transform as translation, rotation and scale. Any shear of a matrix is lost.
    pub fn transform(&self) -> Transform {
        match self {
            Self::Trs(t) => *t,
            Self::Matrix(m) => Transform::decompose(m, &Transform::IDENTITY).transform,
        }
    }
}

/// Source of a node's rest transform.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RestSource {
    /// The node's own transform in the file.
    #[default]
    File,
    /// The inverse bind matrices of a skin. The node's transform in the file then becomes its pose.
    Bind,
    /// `extras["ulna.rest"]` of the node, stored by an earlier save of a pose.
    Extras,
    /// A pose that the user made the rest pose, although a skin's inverse bind matrices imply
    /// another one. It is stored in `extras["ulna.rest"]`, with `over_bind`.
    Pose,
}

/// A node's pose: `Ul`, and the local transform `L ∘ Ul`.
///
/// Both members describe the same pose within rounding. Storing both keeps the exact bits of file
/// and user values when another component changes. A matrix keeps its shear until it is edited.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NodePose {
    /// Pose offset `Ul`, relative to the rest.
    pub user: Transform,
    /// The local transform, as displayed and saved.
    pub local: Local,
}

impl NodePose {
    /// Creates the pose with the offset `user` from a rest.
    pub fn by(rest: &Local, user: Transform) -> Self {
        Self { user, local: Local::Trs(rest.transform().compose(&user)) }
    }

    /// Creates the pose with the local transform `local`. Its offset is computed relative to a
    /// rest.
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
    /// Sort key among siblings, ascending. Siblings with equal ranks are sorted by id.
    pub rank: u32,
    /// Rest transform `L`: the local transform in the rest pose.
    pub rest: Local,
    /// Origin of `rest`.
    pub rest_source: RestSource,
    /// The pose relative to the rest, from the file or the user; `None` if the node is in its rest
    /// pose.
    pub pose: Option<NodePose>,
    /// Mesh that the node displays.
    pub mesh: Option<MeshId>,
    /// Skin that deforms `mesh`. The node's own transform is then ignored.
    pub skin: Option<SkinId>,
    /// Instances of the mesh as `node_from_instance` (`EXT_mesh_gpu_instancing`). If present, the
    /// mesh is drawn only at the instances.
    pub instances: Option<Shared<[Transform]>>,
    /// The camera at this node.
    pub camera: Option<CameraId>,
    /// The light at this node.
    pub light: Option<LightId>,
    /// Morph weights of the node; `None` uses the mesh's defaults.
    pub morph_weights: Option<Shared<[f32]>>,
    /// Whether the file hides the node and its descendants (`KHR_node_visibility`).
    pub hidden: bool,
    /// Channels that are locked against manual posing.
    pub locks: ChannelLocks,
}

impl Node {
    /// Local transform of the pose, `L ∘ Ul`. An unedited matrix stays a matrix.
    pub fn local(&self) -> Local {
        self.pose.map_or(self.rest, |p| p.local)
    }

    /// Pose offset `Ul`; `None` if the node is in its rest pose.
    pub fn user(&self) -> Option<Transform> {
        self.pose.map(|p| p.user)
    }

    /// Sets the pose offset `Ul`. `None` resets the node to its rest.
    pub fn set_user(&mut self, user: Option<Transform>) {
        self.pose = user.map(|u| NodePose::by(&self.rest, u));
    }

    /// Name of the node in one line; `node N` if it has none.
    pub fn label(&self, id: NodeId) -> String {
        label(self.name.as_deref(), "node", id.0)
    }
}

/// Formats the name of an element in one line. If it has no name, the kind and the number of the
/// element are used.
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
    /// Joints of the skin. Weights refer to indices of this list.
    pub joints: Shared<[NodeId]>,
    /// `joint_from_mesh`, one per joint; identity matrices if the file has none.
    pub inverse_bind: Shared<[Mat4]>,
    /// Whether the file has readable inverse bind matrices.
    pub has_inverse_bind: bool,
}

impl Skin {
    /// Whether the skin has one inverse bind matrix per joint, all finite and affine. If the file
    /// has no matrices, all must be the identity.
    pub fn is_valid(&self) -> bool {
        let fine = |m: &Mat4| {
            m.is_finite() && m.row(3) == Vec4::W && (self.has_inverse_bind || *m == Mat4::IDENTITY)
        };
        self.joints.len() == self.inverse_bind.len() && self.inverse_bind.iter().all(fine)
    }
}
