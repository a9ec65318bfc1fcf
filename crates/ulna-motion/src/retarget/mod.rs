//! Retargeting: the motion of one body on another, without sliding feet and hands.
//!
//! ```text
//!  source clip ──► rotations by chains, hips by their height ──► clip of the target
//!        │                                                          │
//!        └──► contacts of heels, balls and hands ──► goals ──► legs and arms by IK
//! ```
//!
//! A contact is a [`Goal`](ulna_model::Goal) of a heel, a ball or a hand: a place in the scene or in
//! the space of a node. Goals of one foot that overlap are one stand: the foot rolls from the heel
//! over the flat sole to the ball, and the point in contact stays in place. [`clean_contacts`] does
//! the same to a clip of the document itself.

mod contacts;
mod feet;
mod guess;
mod hand_goals;
mod hands;
mod keys;
mod lock;
mod named;
mod passes;
mod sampling;
mod spans;
mod stands;
mod touch;
mod transfer;
mod twist;

pub use self::{
    contacts::{ContactRequest, find_contacts, foot_speeds},
    guess::guess_map,
    hands::is_hand_joint,
    keys::{KeyedClip, RetargetKeys},
    named::{table_name, table_node},
    passes::{Cleaned, ContactSlide, clean_contacts, contact_slides, limb_moves},
    transfer::{Retarget, RetargetError, Retargeted},
};
