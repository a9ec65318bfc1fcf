//! State and actions of the pose library: the shown poses, and how they are applied.

use std::collections::BTreeMap;

use egui::TextureId;

use ulna_edit::command::PoseReach;
use ulna_model::KeptPose;

/// Place where poses are stored.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Library {
    /// With the file, in its extras.
    #[default]
    File,
    /// The user's own poses for all files, stored beside the preferences.
    Own,
}

impl Library {
    /// All of them.
    pub const ALL: [Self; 2] = [Self::File, Self::Own];

    /// Title in the window.
    pub const fn title(self) -> &'static str {
        match self {
            Self::File => "In this file",
            Self::Own => "My poses",
        }
    }
}

/// Paste options of the clipboard.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Pasting {
    /// Whether to apply the mirror image.
    pub flip: bool,
    /// Whether to paste onto the selection only.
    pub selected: bool,
}

/// A pose to apply.
#[derive(Clone, Debug, PartialEq)]
pub struct Applied {
    /// Its name, where it is kept with the file.
    pub pose: Option<String>,
    /// Its text, where it is not.
    pub text: Option<String>,
    /// Blend amount, 0..=1; 1 if omitted.
    pub amount: Option<f32>,
    /// Whether to apply the mirror image.
    pub flip: bool,
    /// Nodes to apply the pose to.
    pub reach: PoseReach,
}

/// Requests of the pose library.
#[derive(Clone, Debug)]
pub enum PosesAction {
    /// Shows what is kept elsewhere.
    SetLibrary(Library),
    /// Set the nodes that poses are applied to.
    SetReach(PoseReach),
    /// Whether as their mirror images.
    SetFlip(bool),
    /// Blend amount of a click, 0..=1.
    SetAmount(f32),
    /// Shows poses in place of the timeline in Animate mode, or the timeline again.
    ShowInAnimate(bool),
    /// Store the displayed pose in the displayed library under this name.
    Keep(String),
    /// Gives a pose of one's own another name.
    RenameOwn(String, String),
    /// Throws a pose of one's own away.
    ForgetOwn(String),
    /// Keeps a pose of the one library in the other, too.
    Share(Library, String),
}

/// Kept poses, as the window shows them.
#[derive(Clone, Debug)]
pub struct Poses {
    /// Shown library.
    pub library: Library,
    /// Nodes to apply poses to.
    pub reach: PoseReach,
    /// Whether as their mirror images.
    pub flip: bool,
    /// Blend amount of a click, 0..=1.
    pub amount: f32,
    /// Whether they are shown in place of the timeline in Animate mode.
    pub in_animate: bool,
    /// Poses of the personal library.
    pub own: Vec<KeptPose>,
    /// How the clipboard's answer is taken.
    pub pasting: Pasting,
    /// Time of the request, on egui's clock, in seconds.
    pub asked: f64,
    /// Whether a pose was copied since the program began.
    pub copied: bool,
}

impl Default for Poses {
    fn default() -> Self {
        Self {
            library: Library::File,
            reach: PoseReach::Body,
            flip: false,
            amount: 1.0,
            in_animate: false,
            own: Vec::new(),
            pasting: Pasting::default(),
            asked: 0.0,
            copied: false,
        }
    }
}

/// View of the pose library for the panels.
#[derive(Clone, Copy, Debug)]
pub struct PosesView<'a> {
    /// Shown library.
    pub library: Library,
    /// Nodes to apply poses to.
    pub reach: PoseReach,
    /// Whether as their mirror images.
    pub flip: bool,
    /// Blend amount of a click, 0..=1.
    pub amount: f32,
    /// Whether they are shown in place of the timeline in Animate mode.
    pub in_animate: bool,
    /// Whether a pose was copied since the program began.
    pub copied: bool,
    /// Poses of the personal library.
    pub own: &'a [KeptPose],
    /// Pictures of this model in them, by where they are kept and by name; those that are taken
    /// already.
    pub pictures: &'a BTreeMap<(Library, String), TextureId>,
}

impl Poses {
    /// View for the panels.
    pub fn view<'a>(
        &'a self,
        pictures: &'a BTreeMap<(Library, String), TextureId>,
    ) -> PosesView<'a> {
        let Self { library, reach, flip, amount, in_animate, own, copied, .. } = self;
        PosesView {
            library: *library,
            reach: *reach,
            flip: *flip,
            amount: *amount,
            in_animate: *in_animate,
            copied: *copied,
            own,
            pictures,
        }
    }
}
