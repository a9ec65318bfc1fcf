//! Which kept poses are shown, and how they are put on: the state of the strip, and what it asks
//! for.

use std::collections::BTreeMap;

use egui::TextureId;

use ulna_edit::command::PoseReach;
use ulna_model::KeptPose;

/// Where poses are kept.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Library {
    /// With the file, in its extras.
    #[default]
    File,
    /// Beside the preferences, for all files.
    Own,
}

impl Library {
    /// All of them.
    pub const ALL: [Self; 2] = [Self::File, Self::Own];

    /// What it is called.
    pub const fn title(self) -> &'static str {
        match self {
            Self::File => "In this file",
            Self::Own => "My poses",
        }
    }
}

/// How what is in the clipboard is pasted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Pasting {
    /// As its mirror image.
    pub flip: bool,
    /// Onto what is selected alone.
    pub selected: bool,
}

/// A pose that is put on.
#[derive(Clone, Debug, PartialEq)]
pub struct Applied {
    /// Its name, where it is kept with the file.
    pub pose: Option<String>,
    /// Its text, where it is not.
    pub text: Option<String>,
    /// How far toward it; all the way unless given.
    pub amount: Option<f32>,
    /// As its mirror image.
    pub flip: bool,
    /// On what.
    pub reach: PoseReach,
}

/// What the strip of poses asks for.
#[derive(Clone, Debug)]
pub enum PosesAction {
    /// Shows what is kept elsewhere.
    SetLibrary(Library),
    /// On what poses are put.
    SetReach(PoseReach),
    /// Whether as their mirror images.
    SetFlip(bool),
    /// How far a click goes, 0 to 1.
    SetAmount(f32),
    /// Shows poses in place of the timeline in Animate mode, or the timeline again.
    ShowInAnimate(bool),
    /// Keeps the pose that is seen, where poses are shown, under this name.
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
    /// Which are shown.
    pub library: Library,
    /// On what they are put.
    pub reach: PoseReach,
    /// Whether as their mirror images.
    pub flip: bool,
    /// How far a click goes, 0 to 1.
    pub amount: f32,
    /// Whether they are shown in place of the timeline in Animate mode.
    pub in_animate: bool,
    /// Those of one's own.
    pub own: Vec<KeptPose>,
    /// How the clipboard's answer is taken.
    pub pasting: Pasting,
    /// On egui's clock: when it was asked.
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

/// What panels see of it.
#[derive(Clone, Copy, Debug)]
pub struct PosesView<'a> {
    /// Which are shown.
    pub library: Library,
    /// On what they are put.
    pub reach: PoseReach,
    /// Whether as their mirror images.
    pub flip: bool,
    /// How far a click goes, 0 to 1.
    pub amount: f32,
    /// Whether they are shown in place of the timeline in Animate mode.
    pub in_animate: bool,
    /// Whether a pose was copied since the program began.
    pub copied: bool,
    /// Those of one's own.
    pub own: &'a [KeptPose],
    /// Pictures of this model in them, by where they are kept and by name; those that are taken
    /// already.
    pub pictures: &'a BTreeMap<(Library, String), TextureId>,
}

impl Poses {
    /// What panels see.
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
