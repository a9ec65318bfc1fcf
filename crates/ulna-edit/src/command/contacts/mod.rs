//! Contacts of a clip: ranges in which feet and hands stay in place. They are kept in its extras.

mod cleaning;
mod commands;
mod edits;

pub use self::{
    cleaning::slides_in_words,
    commands::{
        AddContact, CleanContacts, ContactCommand, ContactPoint, ContactTexts, FindContacts,
        MoveContact, RemoveContact,
    },
};
