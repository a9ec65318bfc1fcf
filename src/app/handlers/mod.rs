//! Actions → changes, a file a panel: for those that need files, jobs or the device. What a panel
//! asks of its own state alone is done beside it (`ui/outliner/domain.rs`,
//! `ui/timeline/domain.rs`).

mod balance;
mod dialogs;
mod ghosts;
mod overlays;
mod paint;
mod paths;
mod pose_pictures;
mod poses;
mod program;
mod repair;
mod seams;
mod timeline;
mod viewport;

pub(super) use self::{
    overlays::{BalanceState, GhostsAsked, PathState},
    pose_pictures::PosePictures,
};
