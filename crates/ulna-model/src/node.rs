//! Nodes: the tree of transforms, and what hangs on it.

use std::sync::Arc;

use glam::{Mat4, Vec4};

use super::{
    CameraId, ChannelLocks, LightId, MeshId, NodeId, Shared, SkinId, Transform, TransformError,
};

/// A node's transform in the parent's space, in one of the two forms a file can give it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Local {
    /// Translation, rotation, scale.
    Trs(Transform),
    /// A matrix, kept as it is until it is edited or keyed.
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
    /// As a matrix.
    pub fn matrix(&self) -> Mat4 {
        match self {
            Self::Trs(t) => t.matrix(),
            Self::Matrix(m) => *m,
        }
    }

    /// As a transform; a matrix is split, and what a transform cannot hold is left out.
    pub fn transform(&self) -> Transform {
        match self {
            Self::Trs(t) => *t,
            Self::Matrix(m) => Transform::decompose(m, &Transform::IDENTITY).transform,
        }
    }
}

/// Where a node's rest came from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RestSource {
    /// The node's own transform in the file.
    #[default]
    File,
    /// The inverse bind matrices of a skin; the node's transform in the file is then its pose.
    Bind,
    /// `extras["ulna.rest"]` of the node, which an earlier save of a pose left there.
    Extras,
    /// A pose that was made the rest pose, although the inverse bind matrices of a skin give
    /// another one; in `extras["ulna.rest"]`, with `over_bind`.
    Pose,
}

/// What a node has beside its rest: `Ul`, and the local transform that it comes to.
///
/// The two say the same, `local = L ∘ Ul` within rounding. Both are kept, since numbers that the
/// file has, or that a person typed, must keep their bits when another component changes, and a
/// matrix its shear until it is edited.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NodePose {
    /// `Ul`.
    pub user: Transform,
    /// The local transform, as it is shown and saved.
    pub local: Local,
}

impl NodePose {
    /// What `Ul` comes to over a rest.
    pub fn by(rest: &Local, user: Transform) -> Self {
        Self { user, local: Local::Trs(rest.transform().compose(&user)) }
    }

    /// What makes a node over a rest stand at `local`.
    ///
    /// # Errors
    /// As [`Transform::user_from`].
    pub fn at(rest: &Local, local: Local) -> Result<Self, TransformError> {
        Ok(Self { user: rest.transform().user_from(&local.transform())?, local })
    }

    /// Whether every number is finite.
    pub fn is_finite(&self) -> bool {
        self.local.is_finite() && self.user.is_finite()
    }
}

/// A node.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Node {
    /// The name, where the file gives one. Not unique.
    pub name: Option<Arc<str>>,
    /// The node above.
    pub parent: Option<NodeId>,
    /// Its place among the children of that node, lowest first; of the same, the lower id comes
    /// first.
    pub rank: u32,
    /// `L`: the local transform in the rest pose.
    pub rest: Local,
    /// Where `rest` came from.
    pub rest_source: RestSource,
    /// What a person, or the file's pose, added to the rest.
    pub pose: Option<NodePose>,
    /// What is drawn here.
    pub mesh: Option<MeshId>,
    /// The skin that deforms `mesh`; the node's own transform is then ignored.
    pub skin: Option<SkinId>,
    /// `EXT_mesh_gpu_instancing`: the mesh is shown once for each of these, `node_from_instance`,
    /// and not by itself.
    pub instances: Option<Shared<[Transform]>>,
    /// The camera of the file that sits here.
    pub camera: Option<CameraId>,
    /// The light of the file that sits here.
    pub light: Option<LightId>,
    /// Weights of the mesh's morph targets, where the node gives its own.
    pub morph_weights: Option<Shared<[f32]>>,
    /// Whether the file hides the node and everything below it (`KHR_node_visibility`).
    pub hidden: bool,
    /// Channels that posing by hand does not change.
    pub locks: ChannelLocks,
}

impl Node {
    /// `L ∘ Ul`: the local transform of the pose. A matrix that nobody edited stays one.
    pub fn local(&self) -> Local {
        self.pose.map_or(self.rest, |p| p.local)
    }

    /// `Ul`; nothing where the node stands in its rest.
    pub fn user(&self) -> Option<Transform> {
        self.pose.map(|p| p.user)
    }

    /// Poses the node by an `Ul`, or puts it back to its rest.
    pub fn set_user(&mut self, user: Option<Transform>) {
        self.pose = user.map(|u| NodePose::by(&self.rest, u));
    }

    /// The name, in one line, or `node N`.
    pub fn label(&self, id: NodeId) -> String {
        label(self.name.as_deref(), "node", id.0)
    }
}

/// A name in one line, or what it is and its number.
pub fn label(name: Option<&str>, what: &str, number: u32) -> String {
    match name {
        Some(name) if name.contains(char::is_control) => name.replace(char::is_control, " "),
        Some(name) if !name.is_empty() => name.to_owned(),
        _ => format!("{what} {number}"),
    }
}

/// A skin: which joints deform a mesh, and from which bind pose.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Skin {
    /// The name, where the file gives one.
    pub name: Option<Arc<str>>,
    /// The joints, in the order the weights count them.
    pub joints: Shared<[NodeId]>,
    /// `joint_from_mesh`, one a joint; identities where the file has none.
    pub inverse_bind: Shared<[Mat4]>,
    /// Whether the file gives inverse bind matrices that can be read.
    pub has_inverse_bind: bool,
}

impl Skin {
    /// Whether its bind matrices are finite and affine, as many as joints, and identities where
    /// there are none.
    pub fn is_valid(&self) -> bool {
        let fine = |m: &Mat4| {
            m.is_finite() && m.row(3) == Vec4::W && (self.has_inverse_bind || *m == Mat4::IDENTITY)
        };
        self.joints.len() == self.inverse_bind.len() && self.inverse_bind.iter().all(fine)
    }
}
