//! Requests of the *Retarget* page.

use super::RetargetDraft;

/// A request of the *Retarget* page.
#[derive(Clone, Debug)]
pub enum RetargetAction {
    /// Replaces the user's choices.
    Set(Box<RetargetDraft>),
    /// Opens a file dialog for the source.
    Browse,
    /// Matches the chains automatically again.
    MatchAgain,
    /// Detects the contacts of the shown clip again, and discards manual changes.
    DetectContacts,
    /// Opens a file dialog to load or save the map as JSON.
    AskMap {
        /// True to save, false to load.
        saves: bool,
    },
    /// Uses the source's pose at the playhead as its reference pose.
    UseFrame,
    /// Adds the chosen clips to the file.
    Write,
    /// Closes the page.
    Close,
}
