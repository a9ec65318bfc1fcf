//! Program state outside the file: running jobs, recent files, preferences and devices. Also the
//! requests of panels about it.

use std::path::PathBuf;

use egui::TextureId;

use super::{
    settings::Settings,
    tour::{Tour, TourAction},
};
use ulna_edit::CommandSpec;
use ulna_model::NodeId;
use ulna_render::DeviceFacts;

/// A running background job.
#[derive(Clone, Debug)]
pub struct JobView {
    /// Description, such as *Opening fox.glb*.
    pub label: String,
    /// Progress, 0..=1.
    pub fraction: f32,
    /// True if the job can be canceled.
    pub cancelable: bool,
}

/// A recently opened file, as shown on the welcome page.
#[derive(Clone, Debug)]
pub struct Recent {
    /// Path of the file.
    pub path: PathBuf,
    /// Relative time of opening, such as *yesterday*.
    pub when: String,
    /// Summary of the content, such as *41 joints · 76 clips*.
    pub facts: String,
    /// Thumbnail of the model.
    pub picture: Option<TextureId>,
    /// True if the file no longer exists.
    pub missing: bool,
}

/// A request about messages, preferences or devices.
#[derive(Clone, Debug)]
pub enum ProgramAction {
    /// Switches to a graphics device by name; `None` chooses the best one.
    ChooseDevice(Option<String>),
    /// Replaces the preferences.
    Settings(Box<Settings>),
    /// Opens a file dialog to export or import the user's keys.
    AskKeys {
        /// True to export, false to import.
        saves: bool,
    },
    /// A request of the tour's card.
    Tour(TourAction),
    /// Records a command that was run from the palette, for its list of recent commands.
    UsedCommand(&'static CommandSpec),
    /// Removes a file from the list of recent files.
    Forget(PathBuf),
    /// Cancels the running job.
    CancelJob,
    /// Keeps a message open while the pointer is over it.
    HoldToast(usize),
    /// Closes a message.
    CloseToast(usize),
    /// Reports that the end of a limb was moved without IK and is now detached. A message offers IK
    /// instead.
    Torn {
        /// Node at the end of the limb.
        node: NodeId,
        /// New position in the scene, in meters.
        to: glam::Vec3,
        /// Distance that the node was moved, in meters.
        by: f32,
    },
    /// Undoes the last step, and moves the end of the limb to a scene point with IK.
    ReachInstead {
        /// Node at the end of the limb.
        node: NodeId,
        /// New position in the scene, in meters.
        to: glam::Vec3,
    },
}

/// A workspace as a row of a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WorkspaceRow {
    /// Name of the workspace.
    pub name: String,
    /// Purpose of the workspace, as a tooltip.
    pub help: &'static str,
    /// True if the user saved the workspace.
    pub is_own: bool,
    /// True for the current workspace.
    pub is_shown: bool,
}

/// State of the program, for display in the panels.
#[derive(Clone, Debug)]
pub struct ProgramView<'a> {
    /// The running background job, if any.
    pub job: Option<JobView>,
    /// Recently opened files, newest first.
    pub recent: &'a [Recent],
    /// All workspaces.
    pub workspaces: &'a [WorkspaceRow],
    /// True if the welcome page covers the panels.
    pub welcome: bool,
    /// Names of commands that were run from the palette, latest first.
    pub used: &'a [String],
    /// The open tour, if any.
    pub tour: Option<&'a Tour>,
    /// Name of the graphics device.
    pub device: &'a str,
    /// Facts about the graphics device in use.
    pub device_facts: Option<&'a DeviceFacts>,
    /// All graphics devices, and whether each failed at an earlier launch.
    pub devices: &'a [(DeviceFacts, bool)],
    /// Name of the device that the user chose; `None` for the best one.
    pub device_wish: Option<&'a str>,
}
