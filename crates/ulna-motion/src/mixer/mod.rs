//! The controller: what a [`Mix`](ulna_model::Mix) comes to at a moment, as lanes of a
//! [`Stack`](super::Stack). The window, the command line and baking use the same.
//!
//! Everything is a function of the mix and the time, worked out from the start of what plays, never
//! from the moment before: scrubbing to a time shows what playing up to it shows, to the bit. What
//! depends on its own past is integrated in steps of [`STEP`](state::STEP) from where it began.

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
