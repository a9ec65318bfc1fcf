//! Requests of the page *Retarget*.

use super::RetargetDraft;

/// A request of the page *Retarget*.
#[derive(Clone, Debug)]
pub enum RetargetAction {
    /// Change the choices.
    Set(Box<RetargetDraft>),
    /// Ask for the file of the source.
    Browse,
    /// Find the chains again.
    MatchAgain,
    /// Find the contacts of the shown clip again, in place of those changed by hand.
    DetectContacts,
    /// Ask for a JSON file to read the map from, or to save it to.
    AskMap {
        /// Whether it is saved.
        saves: bool,
    },
    /// Take the source's joints at the playhead as its reference pose.
    UseFrame,
    /// Add the chosen clips.
    Write,
    /// Close the page.
    Close,
}
