//! Reference models: files that are displayed together with the open file, and never saved.

mod domain;

pub use self::domain::{
    ReferenceAction, ReferenceFacts, ReferenceId, ReferencePlace, ReferencesView,
};
