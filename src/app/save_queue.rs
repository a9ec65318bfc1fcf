//! The queue of saves, and the closed sessions that still have saves in it.

use std::collections::VecDeque;

use ulna_session::{SaveRequest, Session};

/// Destination of a save.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum SaveTo {
    /// The session's own file at the time when the save starts.
    Own,
    /// A copy with the next unused number at the time when the save starts.
    NextNumber,
    /// The path of the request.
    Asked,
}

/// Purpose of a save.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Purpose {
    /// The written file becomes the session's own file.
    Own,
    /// A copy, while the session continues with its own file.
    Copy,
}

/// A save that waits in the queue.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct QueuedSave {
    /// Id of the session whose document is saved.
    pub session: u64,
    pub to: SaveTo,
    pub request: SaveRequest,
    pub purpose: Purpose,
}

/// Waiting saves, and closed sessions that still have some.
#[derive(Default)]
pub(super) struct SaveQueue {
    pub waiting: VecDeque<QueuedSave>,
    pub parted: Vec<Session>,
    /// Id of the session whose document is being saved.
    pub running: Option<u64>,
    /// Dialogs about refused saves, which wait for another dialog to close.
    pub refused: VecDeque<crate::ui::Dialog>,
}

impl SaveQueue {
    /// True if no save is waiting.
    pub fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }

    pub fn has(&self, session: u64) -> bool {
        self.running == Some(session) || self.waiting.iter().any(|w| w.session == session)
    }
}
