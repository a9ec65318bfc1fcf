//! Modes of the window, one row per mode. Other code only reads properties of the row. A new mode
//! is therefore a new row with its tools and panels.

use ulna_edit::{
    Availability, Command,
    command::{DocumentCommand, ModeCommand, MorphCommand, ToolCommand},
};

/// A mode of the window.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mode {
    /// Edits the file's pose. No clip is shown.
    #[default]
    Pose,
    /// Shows a clip or the mix, and edits keys.
    Animate,
    /// Paints weights in the shown pose.
    Paint,
    /// Changes the skeleton in the rest pose.
    Rig,
}

/// Properties of a mode.
#[derive(Debug)]
pub struct ModeSpec {
    /// Label in the menu bar. The accessible name is the title of the command.
    pub label: &'static str,
    /// The command that changes to the mode. Its key is the mode's key, and its rule states the
    /// requirements of the mode.
    pub command: ModeCommand,
    /// Side panel, in the place of the inspector.
    pub side_panel: SidePanel,
    /// Bottom panel, in the place of the timeline.
    pub bottom_panel: BottomPanel,
    /// Part of the toolbar that shows the destination of edits.
    pub destination: DestinationBar,
    /// Tools in the toolbar. The viewport ignores other tools.
    pub tools: &'static [ToolCommand],
    /// Handler of the pointer in the viewport, with its hints in the status bar.
    pub pointer: PointerHandler,
    /// Condition under which the current clip is shown.
    pub clip: ClipUse,
    /// True if the mix can be shown in place of the clip.
    pub shows_mix: bool,
    /// True if the timeline shows and edits keys.
    pub edits_keys: bool,
    /// True if joints can be changed in the rest pose. All joints are shown, bound or not.
    pub edits_rest: bool,
    /// True if joints can be posed. Pins, pose layers, the center of mass and ghosts are shown.
    pub poses: bool,
    /// True if the viewport handles bend joints temporarily, without an edit.
    pub bends: bool,
    /// True if weights are shown as colors and can be painted with the brush.
    pub paints_weights: bool,
    /// True if vertices can be selected. Copying, pasting and weight commands apply to them.
    pub selects_vertices: bool,
    /// Property that is compared with the file as opened.
    pub compares: ComparedProperty,
    /// Returns whether the mode shows the result of a command. Used after recovery.
    pub shows_result_of: fn(&Command) -> bool,
}

/// Content of the side panel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SidePanel {
    /// Properties of the selection.
    Inspector,
    /// The brush, joints and weight layers.
    Weights,
    /// The selected joint in the rest pose, and planned changes.
    Skeleton,
}

/// Content of the bottom panel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BottomPanel {
    /// Keys over time. The pose library can replace it.
    Timeline,
    /// The pose library.
    Poses,
    /// Playback controls, without the keys of the clip.
    PlaybackStrip,
    /// A single line with the note that the rest pose is shown.
    RestStrip,
}

/// Part of the toolbar that shows the destination of edits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DestinationBar {
    /// The file's pose, or a layer of it.
    Pose,
    /// Keys, the unkeyed pose or a layer of the clip.
    Clip,
    /// Weights of the painted joint, or a layer's mask.
    Weights,
    /// Joints, with the effect of changes on the clips.
    Skeleton,
}

/// Handler of the pointer in the viewport.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PointerHandler {
    /// The chosen tool. A click selects nodes.
    Tools,
    /// The weight brush.
    Brush,
}

/// Condition under which a mode shows the current clip.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClipUse {
    /// The mode never shows a clip.
    Never,
    /// The mode always shows the current clip.
    Always,
    /// Shown if the user chose so. Initially it is shown if a clip was shown before the mode was
    /// entered. The mix is turned off.
    Optional,
}

/// Property that is compared with the file as opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ComparedProperty {
    /// The pose, which can also be shown as a ghost.
    Pose,
    /// The weights, shown in the current pose.
    Weights,
}

static POSE: ModeSpec = ModeSpec {
    label: "Pose",
    command: ModeCommand::PoseMode,
    side_panel: SidePanel::Inspector,
    bottom_panel: BottomPanel::Poses,
    destination: DestinationBar::Pose,
    tools: &ToolCommand::ALL,
    pointer: PointerHandler::Tools,
    clip: ClipUse::Never,
    shows_mix: false,
    edits_keys: false,
    edits_rest: false,
    poses: true,
    bends: false,
    paints_weights: false,
    selects_vertices: false,
    compares: ComparedProperty::Pose,
    shows_result_of: |command| {
        matches!(
            command,
            Command::Session(_)
                | Command::Document(
                    DocumentCommand::Pose(_)
                        | DocumentCommand::Morph(
                            MorphCommand::SetMorph(_) | MorphCommand::ResetMorphs(_)
                        )
                )
        )
    },
};

static ANIMATE: ModeSpec = ModeSpec {
    label: "Animate",
    command: ModeCommand::AnimateMode,
    side_panel: SidePanel::Inspector,
    bottom_panel: BottomPanel::Timeline,
    destination: DestinationBar::Clip,
    tools: &ToolCommand::ALL,
    pointer: PointerHandler::Tools,
    clip: ClipUse::Always,
    shows_mix: true,
    edits_keys: true,
    edits_rest: false,
    poses: true,
    bends: false,
    paints_weights: false,
    selects_vertices: false,
    compares: ComparedProperty::Pose,
    // Recovery does not change the mode for results of this mode. It is the initial mode for files
    // with clips.
    shows_result_of: |_| false,
};

static PAINT: ModeSpec = ModeSpec {
    label: "Paint",
    command: ModeCommand::PaintMode,
    side_panel: SidePanel::Weights,
    bottom_panel: BottomPanel::PlaybackStrip,
    destination: DestinationBar::Weights,
    tools: &[],
    pointer: PointerHandler::Brush,
    clip: ClipUse::Optional,
    shows_mix: false,
    edits_keys: false,
    edits_rest: false,
    poses: false,
    bends: true,
    paints_weights: true,
    selects_vertices: true,
    compares: ComparedProperty::Weights,
    shows_result_of: |command| {
        matches!(command, Command::Document(DocumentCommand::Weight(_) | DocumentCommand::Layer(_)))
    },
};

static RIG: ModeSpec = ModeSpec {
    label: "Rig",
    command: ModeCommand::RigMode,
    side_panel: SidePanel::Skeleton,
    bottom_panel: BottomPanel::RestStrip,
    destination: DestinationBar::Skeleton,
    tools: &ToolCommand::RIG,
    pointer: PointerHandler::Tools,
    clip: ClipUse::Never,
    shows_mix: false,
    edits_keys: false,
    edits_rest: true,
    poses: false,
    bends: false,
    paints_weights: false,
    selects_vertices: false,
    compares: ComparedProperty::Pose,
    shows_result_of: |command| matches!(command, Command::Document(DocumentCommand::Rig(_))),
};

impl Mode {
    /// All modes, in the order of the menu bar.
    pub const ALL: [Self; 4] = [Self::Pose, Self::Animate, Self::Paint, Self::Rig];
    /// The mode that opens clips and the mix.
    pub const FOR_CLIPS: Self = Self::Animate;
    /// The mode in which joints are added.
    pub const FOR_JOINTS: Self = Self::Rig;
    /// The mode of files without clips.
    pub const WITHOUT_CLIPS: Self = Self::Pose;

    /// Properties of the mode.
    pub const fn spec(self) -> &'static ModeSpec {
        match self {
            Self::Pose => &POSE,
            Self::Animate => &ANIMATE,
            Self::Paint => &PAINT,
            Self::Rig => &RIG,
        }
    }

    /// The mode that a command changes to; `None` for commands that do not name a mode.
    pub fn of(command: &ModeCommand) -> Option<Self> {
        Self::ALL.into_iter().find(|mode| mode.spec().command == *command)
    }

    /// The next available mode, in the order of the menu bar.
    pub fn next(self, availability: &Availability) -> Self {
        let available = |mode: &Self| mode.spec().command.spec().check(availability).is_ok();
        let all = Self::ALL.into_iter();
        let following = all.clone().cycle().skip_while(|mode| *mode != self).skip(1);
        following.take(all.len()).find(available).unwrap_or(self)
    }

    /// The mode to use after a clip was chosen: the same mode if it can show a clip.
    pub fn with_clip(self) -> Self {
        if self.spec().clip == ClipUse::Never { Self::FOR_CLIPS } else { self }
    }

    /// The mode to use after the last clip was removed: the same mode if it works without a clip.
    pub fn without_clips(self) -> Self {
        if self.spec().clip == ClipUse::Always { Self::WITHOUT_CLIPS } else { self }
    }

    /// The mode that shows the result of a command; `None` if every mode does.
    pub fn showing_result_of(command: &Command) -> Option<Self> {
        Self::ALL.into_iter().find(|mode| (mode.spec().shows_result_of)(command))
    }
}

impl ModeSpec {
    /// True if the current clip is shown. `chosen` is the user's choice, for modes that offer it.
    pub fn shows_clip(&self, chosen: bool) -> bool {
        match self.clip {
            ClipUse::Never => false,
            ClipUse::Always => true,
            ClipUse::Optional => chosen,
        }
    }

    /// Content of the bottom panel. `poses` is true if the pose library replaces the timeline.
    pub fn bottom(&self, poses: bool) -> BottomPanel {
        match self.bottom_panel {
            BottomPanel::Timeline if poses => BottomPanel::Poses,
            panel => panel,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_mode_has_its_own_command_with_its_name_in_the_title() {
        for mode in Mode::ALL {
            let spec = mode.spec();
            assert_eq!(Mode::of(&spec.command), Some(mode), "the command belongs to one mode");
            assert_eq!(spec.command.spec().title, format!("{} mode", spec.label));
        }
        assert_eq!(Mode::of(&ModeCommand::NextMode), None);
    }

    #[test]
    fn the_next_mode_is_one_that_is_available() {
        let bare = Availability { document: true, ..Availability::default() };
        let weighted = Availability { weights: true, ..bare };
        assert_eq!(
            Mode::ALL.map(|m| m.next(&weighted)),
            [Mode::Animate, Mode::Paint, Mode::Rig, Mode::Pose]
        );
        assert_eq!(
            Mode::ALL.map(|m| m.next(&bare)),
            [Mode::Animate, Mode::Rig, Mode::Rig, Mode::Pose]
        );
    }

    #[test]
    fn modes_change_when_a_clip_is_chosen_or_the_last_one_is_removed() {
        assert_eq!(
            Mode::ALL.map(Mode::with_clip),
            [Mode::Animate, Mode::Animate, Mode::Paint, Mode::Animate]
        );
        assert_eq!(
            Mode::ALL.map(Mode::without_clips),
            [Mode::Pose, Mode::Pose, Mode::Paint, Mode::Rig]
        );
        let (clips, none) = (Mode::FOR_CLIPS.spec(), Mode::WITHOUT_CLIPS.spec());
        assert!(clips.edits_keys && clips.shows_mix && clips.clip == ClipUse::Always);
        assert_eq!(none.clip, ClipUse::Never);
    }

    #[test]
    fn the_pose_library_replaces_only_the_timeline() {
        let seen = |poses| Mode::ALL.map(|m| m.spec().bottom(poses));
        let (timeline, strip) = (BottomPanel::Timeline, BottomPanel::PlaybackStrip);
        let (poses, rest) = (BottomPanel::Poses, BottomPanel::RestStrip);
        assert_eq!(seen(false), [poses, timeline, strip, rest]);
        assert_eq!(seen(true), [poses, poses, strip, rest]);
    }
}
