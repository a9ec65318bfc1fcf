//! Commands on weights. They apply the tools of `ulna_weights` to the given vertices, and write
//! brush strokes as text.

mod automatic;
mod bind;
mod clear;
mod commands;
mod fill;
mod fit;
mod mirror;
mod run;
mod tools;
mod transfer;

pub(super) use self::bind::bind_bare;
pub(crate) use self::fill::line_of;
pub use self::{
    commands::{
        Along, Assign, Average, Bind, ClearWeights, Flood, Gradient, Hammer, Limit, MergeJoints,
        MirrorWeights, Normalize, PairJoints, Prune, Quantize, Relax, SetWeights, Sets, Smooth,
        Store, SwapJoints, Transfer, WeightCommand,
    },
    mirror::meshes_of_body,
    transfer::{joint_named, uv_of},
};
