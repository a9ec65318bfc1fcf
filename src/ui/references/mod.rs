//! Reference models: files that are displayed beside the open one, and never saved.

mod domain;

pub use self::domain::{
    ReferenceAction, ReferenceFacts, ReferenceId, ReferencePlace, ReferencesView,
};
