//! Contacts of a clip: ranges in which feet and hands stay in place. They are kept in its extras.

mod commands;
mod edits;

pub use self::commands::{
    AddContact, ContactCommand, ContactPoint, ContactTexts, MoveContact, RemoveContact, SetContacts,
};
