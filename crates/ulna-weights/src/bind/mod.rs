//! Automatic weights for surfaces that have none.
//!
//! *Heat* (Baran and Popović, *Automatic rigging and animation of 3D characters*, 2007) solves for
//! the equilibrium of heat that each joint gives to the points that see its bones. Where it cannot,
//! the *geodesic voxel* method (Dionne and de Lasa, *Geodesic voxel binding for production
//! character meshes*, 2013) measures distances inside the body. Next come the weights of the
//! nearest solved surface, and at last the distance to the bones. Each connected piece of the
//! surface gets one method, and the result says which.

mod bones;
mod distance;
mod facing;
mod heat;
mod inside;
mod joint_weight;
mod nearest;
mod request;
mod run;
mod sight;
mod simplified;
mod surface;
#[cfg(test)]
mod tests;
mod voxel;

pub use self::{
    bones::{BindBone, Bones, envelope_radii},
    inside::{InsidePart, parts_inside},
    request::{
        BindError, BindMesh, BindMethod, BindMirror, BindPiece, BindRequest, BindSettings,
        BoundWeights, PieceMethod, RigidProposal,
    },
    run::bind_weights,
};
