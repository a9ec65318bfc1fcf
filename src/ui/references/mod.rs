//! Reference models: files that are shown beside the open one, and are saved nowhere.

mod domain;

pub use self::domain::{
    ReferenceAction, ReferenceFacts, ReferenceId, ReferencePlace, ReferencesView,
};
