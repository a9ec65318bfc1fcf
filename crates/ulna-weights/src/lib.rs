//! Operations on joint weights: normalizing, painting, layers, binding, and tools for many
//! vertices.
//!
//! The functions take documents and surfaces, and return new weights. This crate never changes a
//! document: `ulna-edit` turns the results into edits.
//!
//! ```text
//!  Document, skin ──► SkinnedSurface ─┬─► WorkingWeights ──► tools ───────► PartChange
//!                                     ├─► Stroke ──► Dab ──► Paint ───────► WeightPatch
//!                                     └─► layers ──► compose ─────────────► PartChange
//!  meshes, bones ──► bind_weights ──► BoundWeights
//! ```

mod bind;
mod branches;
mod brush;
mod canvas;
mod carry;
mod draft;
mod faults;
mod fit;
mod flaws;
mod ids;
mod influences;
mod joined;
mod laid;
pub mod layers;
mod limb;
mod loops;
mod means;
mod mirror;
mod normalize;
mod one_sided;
mod overlay;
mod reach;
mod seams;
mod select;
mod snapshot;
mod stored;
mod stroke;
mod tally;
mod tools;
mod topology;
mod volume;

pub use self::{
    bind::{
        BindBone, BindError, BindMesh, BindMethod, BindMirror, BindPiece, BindRequest,
        BindSettings, Bones, BoundWeights, InsidePart, PieceMethod, RigidProposal, bind_weights,
        envelope_radii, parts_inside,
    },
    brush::{Brush, BrushKind, Falloff, Radius, Reach},
    canvas::{
        Maps, SkinnedSurface, SurfacePart, joint_axes, joint_heads, joint_parents, joints_above,
    },
    carry::{
        Carried, CarryBy, CarrySource, Distances, RowOf, SurfacePoint, TakeWeight, carry, corners,
        no_row,
    },
    draft::{PartChange, Refused, Scope, WorkingWeights},
    faults::{Fault, Faults, fault, fault_in, faults, faults_in},
    fit::{
        CarryingSurface, FIT_POSES, FitDeviation, FitPose, FitRequest, FitVertices, FittedWeights,
        SurfaceFitRequest, fit_poses, fit_to_surface, fit_weights, vertices_of_joints,
    },
    flaws::WeightIssues,
    influences::{Influences, MOST, Refusal, WeightConstraints},
    joined::{Joined, JoinedMirror, bodies},
    laid::{Giver, LaidBy, laid_over, size_of, takers, unit_between},
    mirror::MirrorMap,
    normalize::{blend, normalize, paint},
    one_sided::is_one_sided,
    overlay::rest_scale,
    reach::{PosedSurface, Touch, faces_eye},
    seams::{Claimed, CrossSkinSeams, mesh_from_mesh},
    select::{Pick, Reshape, pick, reshape},
    snapshot::{
        BoundMesh, Flat, at_rest, baked_shapes, bound_mesh, found_rests, rests_after, snapshot,
        world,
    },
    stored::moved_by_storing,
    stroke::{Dab, Paint, Stroke},
    tally::{STRAY, WeightStats},
    tools::{gradient, in_common, strays},
    volume::KEPT,
};
