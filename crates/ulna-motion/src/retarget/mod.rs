//! Retargeting of motion from one body to another, without sliding feet and hands.
//!
//! ```text
//!  source clip ──► rotations of chains, scaled path of hips ──► clip of the target
//!        │                                                        │
//!        └──► contacts of heels, balls and hands ──► IK of legs and arms that keeps them in place
//! ```
//!
//! A contact is a [`Goal`](ulna_model::Goal) of a heel, a ball or a hand: a place in the scene, or
//! in the space of a node that it follows. Overlapping contacts of one foot form one stand. During
//! a stand, the foot rolls from the heel over the flat sole to the ball, and the points in contact
//! stay in place. [`clean_contacts`] does the same for a clip that was not retargeted.

mod chain_positions;
mod cleaned;
mod contacts;
mod detached;
mod feet;
mod guess;
mod hand_goals;
mod hands;
mod keys;
mod lock;
mod named;
mod passes;
mod path_ranges;
mod sampling;
mod spans;
mod stands;
mod touch;
mod transfer;
mod twist;

pub use self::{
    cleaned::{Cleaned, ContactSlide},
    contacts::{ContactRequest, find_contacts, foot_speeds},
    guess::guess_map,
    hands::is_hand_joint,
    keys::{KeyedClip, RetargetKeys},
    named::{table_name, table_node},
    passes::{clean_contacts, contact_slides, limb_moves, limb_root},
    transfer::{Retarget, RetargetError, Retargeted},
};
