//! Commands on contacts of a clip: time ranges in which feet and hands stay in place. They are
//! stored in the extras of the animation.

mod cleaning;
mod commands;
mod edits;

pub use self::{
    cleaning::slides_in_words,
    commands::{
        AddContact, CleanContacts, ContactCommand, ContactPoint, ContactSpace, ContactTexts,
        FindContacts, FindHandContacts, MoveContact, RemoveContact,
    },
};
