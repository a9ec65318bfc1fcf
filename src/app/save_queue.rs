//! The queue of saves, and the sessions that are kept until theirs are done.

use std::collections::VecDeque;

use ulna_session::{SaveRequest, Session};

/// Destination of a save.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum SaveTo {
    /// To the document's own file, whichever that is when the save begins.
    Own,
    /// To a copy with the next unused number when the save begins.
    NextNumber,
    /// To the path of the request.
    Asked,
}

/// Purpose of a save.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Purpose {
    /// The file becomes the document's own.
    Own,
    /// The document stays with its file.
    Copy,
}

/// A save that waits for its turn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct QueuedSave {
    /// The session whose document is saved.
    pub session: u64,
    pub to: SaveTo,
    pub request: SaveRequest,
    pub purpose: Purpose,
}

/// Saves that wait, and sessions that are not shown any more and have some.
#[derive(Default)]
pub(super) struct SaveQueue {
    pub waiting: VecDeque<QueuedSave>,
    pub parted: Vec<Session>,
    /// The session whose document is being saved.
    pub running: Option<u64>,
    /// Dialogs about saves that were refused while another dialog was open.
    pub refused: VecDeque<crate::ui::Dialog>,
}

impl SaveQueue {
    /// Whether none waits.
    pub fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }

    pub fn has(&self, session: u64) -> bool {
        self.running == Some(session) || self.waiting.iter().any(|w| w.session == session)
    }
}
