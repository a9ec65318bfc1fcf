//! Motion of one body on another, with feet that stay where they stand.
//!
//! ```text
//!  source clip ──► rotations by chains, hips by their height ──► clip of the target
//!        │                                                          │
//!        └──► contacts: heel and ball, low and slow ──► goals ──► legs turned so that they stay
//! ```
//!
//! A contact is a [`Goal`](ulna_model::Goal) of a heel, a ball or a hand. Goals of one foot that
//! overlap are one stand: the foot rolls from the heel over the flat sole to the ball, and what
//! stands stays in place. The same function cleans a clip that has no other source.

mod contacts;
mod feet;
mod guess;
mod hands;
mod keys;
mod lock;
mod named;
mod sampling;
mod spans;
mod stands;
mod transfer;
mod twist;

pub use self::{
    contacts::{ContactRequest, find_contacts, foot_speeds},
    guess::guess_map,
    keys::{KeyedClip, RetargetKeys},
    lock::{Cleaned, ContactSlide, clean_contacts, contact_slides},
    named::{table_name, table_node},
    transfer::{Retarget, RetargetError, Retargeted},
};
