//! Handlers for the actions of panels, one file per panel. These handlers need files, jobs or the
//! device. Actions that only change a panel's own state are handled in the panel's `domain.rs`.

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
