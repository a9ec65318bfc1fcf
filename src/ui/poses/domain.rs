//! State and requests of the pose library: the shown poses, and how they are applied.

use std::collections::BTreeMap;

use egui::TextureId;

use ulna_edit::command::PoseReach;
use ulna_model::KeptPose;

/// Place where poses are stored.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Library {
    /// In the extras of the open file.
    #[default]
    File,
    /// Beside the preferences: the user's own poses, for all files.
    Own,
}

impl Library {
    /// All libraries.
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
    /// True to apply the mirror image.
    pub flip: bool,
    /// True to paste only onto the selection.
    pub selected: bool,
}

/// Arguments for applying a pose.
#[derive(Clone, Debug, PartialEq)]
pub struct Applied {
    /// Name of a pose in the file's library; `None` if `text` is given.
    pub pose: Option<String>,
    /// Pose as text, if it is not in the file's library.
    pub text: Option<String>,
    /// Blend amount, 0..=1; 1 if omitted.
    pub amount: Option<f32>,
    /// True to apply the mirror image.
    pub flip: bool,
    /// Nodes to apply the pose to.
    pub reach: PoseReach,
}

/// A request from the pose library.
#[derive(Clone, Debug)]
pub enum PosesAction {
    /// Shows another library.
    SetLibrary(Library),
    /// Sets the nodes that poses are applied to.
    SetReach(PoseReach),
    /// Sets whether poses are applied as mirror images.
    SetFlip(bool),
    /// Sets the blend amount of a click, 0..=1.
    SetAmount(f32),
    /// Shows the pose library in place of the timeline in Animate mode, or the timeline with false.
    ShowInAnimate(bool),
    /// Stores the displayed pose in the displayed library under this name.
    Keep(String),
    /// Renames one of the user's own poses, from the first to the second name.
    RenameOwn(String, String),
    /// Deletes one of the user's own poses.
    ForgetOwn(String),
    /// Copies a pose from this library to the other one.
    Share(Library, String),
}

/// State of the pose library.
#[derive(Clone, Debug)]
pub struct Poses {
    /// The shown library.
    pub library: Library,
    /// Nodes that poses are applied to.
    pub reach: PoseReach,
    /// True if poses are applied as mirror images.
    pub flip: bool,
    /// Blend amount of a click, 0..=1.
    pub amount: f32,
    /// True if the pose library replaces the timeline in Animate mode.
    pub in_animate: bool,
    /// The user's own poses.
    pub own: Vec<KeptPose>,
    /// Options for pasting, used when the clipboard's content arrives.
    pub pasting: Pasting,
    /// Time of the last clipboard request in seconds, on egui's clock.
    pub asked: f64,
    /// True if a pose was copied since the program started.
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

/// State of the pose library, for display in the panels.
#[derive(Clone, Copy, Debug)]
pub struct PosesView<'a> {
    /// The shown library.
    pub library: Library,
    /// Nodes that poses are applied to.
    pub reach: PoseReach,
    /// True if poses are applied as mirror images.
    pub flip: bool,
    /// Blend amount of a click, 0..=1.
    pub amount: f32,
    /// True if the pose library replaces the timeline in Animate mode.
    pub in_animate: bool,
    /// True if a pose was copied since the program started.
    pub copied: bool,
    /// The user's own poses.
    pub own: &'a [KeptPose],
    /// Rendered pictures of this model in the poses, by library and name. Pictures that are not
    /// rendered yet are missing.
    pub pictures: &'a BTreeMap<(Library, String), TextureId>,
}

impl Poses {
    /// State of the pose library, for the panels.
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
