//! The mixer evaluates a [`Mix`](ulna_model::Mix) at a time to the lanes of a
//! [`Stack`](super::Stack). A mix has lanes with bars. Each bar plays a clip, or a blend of several
//! clips. The window, the command line and baking all use the mixer.
//!
//! ```text
//!  Mix + time ──► plan (state, hold, steps: cached per mix)
//!             ──► weights of bars ──► lanes ──► offsets (inertial transitions) ──► Stack
//! ```
//!
//! The result depends only on the mix and the time, never on the previous frame. So scrubbing to a
//! time shows exactly what playing up to it shows. Values that depend on their own past are
//! integrated in steps of [`STEP`](state::STEP) from their start.

mod around;
mod bake;
mod clock;
mod controller;
mod foot_slides;
mod ground;
mod hold;
mod holding;
mod inertia;
mod jumps;
mod lanes;
mod mask;
mod nlerp;
mod offsets;
mod rounds;
mod seams;
mod shares;
mod state;
mod steps;

pub(crate) use self::ground::feet;
pub use self::{
    around::{blend_weights, plane_weights},
    bake::{baked, baked_error},
    clock::{BarClock, Passing},
    controller::Playing,
    foot_slides::foot_slides,
    ground::{foot_joints, footfalls, ground_place, ground_speed, ground_velocity, known_feet},
    jumps::{Jump, jumps},
    mask::weights as mask_weights,
    nlerp::{nlerp_difference, nlerp_gap},
    seams::{BestSeam, best_seams},
    state::Mixer,
};

#[cfg(test)]
mod tests;
