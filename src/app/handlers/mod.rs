//! Actions → changes, a file a panel: for those that need files, jobs or the device. What a panel
//! asks of its own state alone is done beside it (`ui/outliner/domain.rs`,
//! `ui/timeline/domain.rs`).

mod balance;
mod dialogs;
mod ghosts;
mod paint;
mod paths;
mod poses;
mod program;
mod repair;
mod seams;
mod timeline;
mod viewport;

pub(super) use self::{
    balance::BalanceState, ghosts::GhostsAsked, paths::PathState, poses::PosePictures,
    viewport::is_before,
};
