//! The program around the file: work under way, files opened lately, preferences and devices, and
//! what panels ask of it.

use std::path::PathBuf;

use egui::TextureId;

use super::{
    settings::Settings,
    tour::{Tour, TourAction},
};
use ulna_edit::CommandSpec;
use ulna_model::NodeId;
use ulna_render::DeviceFacts;

/// Long work that is under way.
#[derive(Clone, Debug)]
pub struct JobView {
    /// What it does, such as *Opening fox.glb*.
    pub label: String,
    /// 0 to 1.
    pub fraction: f32,
    /// Whether it can be stopped.
    pub cancelable: bool,
}

/// A file that was opened lately, as the welcome page shows it.
#[derive(Clone, Debug)]
pub struct Recent {
    /// Where it is.
    pub path: PathBuf,
    /// When it was opened: *yesterday*.
    pub when: String,
    /// What is in it: *41 joints · 76 clips*.
    pub facts: String,
    /// Its picture.
    pub picture: Option<TextureId>,
    /// It is not there any more.
    pub missing: bool,
}

/// What is of the program around the file: its messages, preferences and devices.
#[derive(Clone, Debug)]
pub enum ProgramAction {
    /// Draws on this graphics device from now on, by its name; on the best unless given.
    ChooseDevice(Option<String>),
    /// Other preferences.
    Settings(Box<Settings>),
    /// A request of the card of the tour.
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
        /// Where it is now, in meters in the scene.
        to: glam::Vec3,
        /// By how much it was moved, meters.
        by: f32,
    },
    /// Instead of the last step, the limb that a node ends is to reach a point of the scene.
    ReachInstead {
        /// The end.
        node: NodeId,
        /// Where to, in meters.
        to: glam::Vec3,
    },
}

/// What panels see of it.
#[derive(Clone, Debug)]
pub struct ProgramView<'a> {
    /// Long work.
    pub job: Option<JobView>,
    /// Files opened lately.
    pub recent: &'a [Recent],
    /// Whether the welcome page is before the panels.
    pub welcome: bool,
    /// Names of the commands that were run from the palette last, the latest first.
    pub used: &'a [String],
    /// The tour, while it is open.
    pub tour: Option<&'a Tour>,
    /// The graphics device.
    pub device: &'a str,
    /// What there is to know of it.
    pub device_facts: Option<&'a DeviceFacts>,
    /// All of them, and whether they failed at an earlier start.
    pub devices: &'a [(DeviceFacts, bool)],
    /// The one that a person chose; the best unless given.
    pub device_wish: Option<&'a str>,
}
