//! Automatic weights for unweighted surfaces.
//!
//! *Heat* (Baran and Popović, *Automatic rigging and animation of 3D characters*, 2007) solves for
//! heat equilibrium: each joint heats the points that see its bones. The fallback is the *geodesic
//! voxel* method (Dionne and de Lasa, *Geodesic voxel binding for production character meshes*,
//! 2013), which measures distances inside the body. The next fallback copies the weights of the
//! nearest solved surface. The last one uses the distance to the bones.
//!
//! Each connected piece of the surface uses one method, and the result names it.

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
