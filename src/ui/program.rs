//! Program state outside the file: running jobs, recent files, preferences and devices, and actions
//! of panels on it.

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
    /// 0 to 1.
    pub fraction: f32,
    /// Whether it can be stopped.
    pub cancelable: bool,
}

/// A file that was opened lately, as the welcome page shows it.
#[derive(Clone, Debug)]
pub struct Recent {
    /// Path of the file.
    pub path: PathBuf,
    /// When it was opened: *yesterday*.
    pub when: String,
    /// Summary of the content: *41 joints · 76 clips*.
    pub facts: String,
    /// Its picture.
    pub picture: Option<TextureId>,
    /// Whether the file no longer exists.
    pub missing: bool,
}

/// Requests about messages, preferences and devices.
#[derive(Clone, Debug)]
pub enum ProgramAction {
    /// Draws on this graphics device from now on, by its name; on the best unless given.
    ChooseDevice(Option<String>),
    /// Other preferences.
    Settings(Box<Settings>),
    /// Ask for a file to write the own keys to, or to read keys from.
    AskKeys {
        /// Whether they are written.
        saves: bool,
    },
    /// Requests of the tour's card.
    Tour(TourAction),
    /// A command was run from the palette: it is listed there when nothing is typed.
    UsedCommand(&'static CommandSpec),
    /// A recent file to be forgotten.
    Forget(PathBuf),
    /// Stop the long work.
    CancelJob,
    /// The pointer is over a message: it stays.
    HoldToast(usize),
    /// Close a message.
    CloseToast(usize),
    /// The end of a limb was moved by itself, so that it came off: another way is to be offered.
    Torn {
        /// The end.
        node: NodeId,
        /// New position in the scene, in meters.
        to: glam::Vec3,
        /// Distance that it was moved, in meters.
        by: f32,
    },
    /// Instead of the last step, the limb that a node ends is to reach a point of the scene.
    ReachInstead {
        /// The end.
        node: NodeId,
        /// New position, in meters.
        to: glam::Vec3,
    },
}

/// A workspace in a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WorkspaceRow {
    /// Its name.
    pub name: String,
    /// Purpose, for a tooltip.
    pub help: &'static str,
    /// A person saved it.
    pub is_own: bool,
    /// The panels are arranged by it.
    pub is_shown: bool,
}

/// View of the program for the panels.
#[derive(Clone, Debug)]
pub struct ProgramView<'a> {
    /// Long work.
    pub job: Option<JobView>,
    /// Files opened lately.
    pub recent: &'a [Recent],
    /// Arrangements of the panels.
    pub workspaces: &'a [WorkspaceRow],
    /// Whether the welcome page is before the panels.
    pub welcome: bool,
    /// Names of the commands that were run from the palette last, the latest first.
    pub used: &'a [String],
    /// The tour, while it is open.
    pub tour: Option<&'a Tour>,
    /// The graphics device.
    pub device: &'a str,
    /// Facts about the device.
    pub device_facts: Option<&'a DeviceFacts>,
    /// All of them, and whether they failed at an earlier start.
    pub devices: &'a [(DeviceFacts, bool)],
    /// The one that a person chose; the best unless given.
    pub device_wish: Option<&'a str>,
}
