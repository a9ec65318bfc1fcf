//! Parts of the window in which keyboard shortcuts apply.

/// Part of the window in which a command's shortcut applies. If a panel and the window use the same
/// shortcut, that of the panel takes precedence.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum KeyScope {
    /// Everywhere.
    Window,
    /// In the viewport, the outliner and the inspector: where joints are chosen.
    Joints,
    /// In the outliner.
    Outliner,
    /// In Rig mode, but not over the timeline.
    Rig,
    /// In Paint mode.
    Paint,
    /// On the timeline.
    Timeline,
}

impl KeyScope {
    /// All scopes.
    pub const ALL: [Self; 6] =
        [Self::Window, Self::Joints, Self::Outliner, Self::Rig, Self::Paint, Self::Timeline];

    /// Title in the list of shortcuts; empty for the whole window.
    pub const fn title(self) -> &'static str {
        match self {
            Self::Window => "",
            Self::Joints => "Viewport and outliner",
            Self::Outliner => "Outliner",
            Self::Rig => "Rig mode",
            Self::Paint => "Paint mode",
            Self::Timeline => "Timeline",
        }
    }
}
