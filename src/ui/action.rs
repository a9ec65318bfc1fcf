//! The [`Action`]s that panels request. Each panel has its own enum. Actions are performed after
//! all panels are drawn.

use super::{
    dialogs::DialogAction,
    layers::LayerAction,
    outliner::OutlinerAction,
    painting::{BendAction, PaintAction},
    poses::PosesAction,
    program::ProgramAction,
    references::ReferenceAction,
    retarget::RetargetAction,
    rig::RigAction,
    timeline::TimelineAction,
    viewport::ViewportAction,
};
use ulna_edit::{Command, CommandLine, CommandSpec};

/// A request from a panel.
#[derive(Clone, Debug)]
#[expect(clippy::large_enum_variant, reason = "few are there at a time")]
pub enum Action {
    /// Runs a command.
    Run(Command),
    /// Runs a command from a menu or a key. Missing arguments are filled from the selection and the
    /// view settings.
    Invoke(&'static CommandSpec),
    /// Runs a command whose arguments were typed as text.
    RunLine(CommandLine),
    /// Opens the form of a command with some arguments filled in.
    Ask(CommandLine),
    /// Previews the current state of a gesture. The commands run on the document from the gesture's
    /// start.
    Preview {
        /// Label of the gesture in the undo menu.
        label: String,
        /// Commands to preview.
        commands: Vec<Command>,
    },
    /// Ends the gesture and keeps its last preview.
    Commit,
    /// Cancels the gesture and restores the document from its start.
    Cancel,
    /// A request from the outliner, or from another panel that selects nodes.
    Outliner(OutlinerAction),
    /// A request from the timeline.
    Timeline(TimelineAction),
    /// A request about the chosen layer.
    Layers(LayerAction),
    /// A request from the viewport.
    Viewport(ViewportAction),
    /// A request from the pose library.
    Poses(PosesAction),
    /// A request from the *Problems* panel.
    Problem(ProblemAction),
    /// A request from a dialog: about files, journals or the history.
    Dialog(DialogAction),
    /// A request about messages, preferences or devices.
    Program(ProgramAction),
    /// A request from Paint mode.
    Paint(PaintAction),
    /// A change of joints in Rig mode.
    Rig(RigAction),
    /// A request from the *Retarget* page.
    Retarget(RetargetAction),
    /// A request about a reference model.
    Reference(ReferenceAction),
}

/// A request from the *Problems* panel.
#[derive(Clone, Debug)]
pub enum ProblemAction {
    /// Shows the location of the problem with this index.
    ShowProblem(usize),
    /// Fixes the problem with this index.
    FixProblem(usize),
}

/// Actions of all panels in one frame.
#[derive(Debug, Default)]
pub struct Actions(Vec<Action>);

impl Actions {
    /// Adds an action.
    pub fn push(&mut self, action: impl Into<Action>) {
        self.0.push(action.into());
    }

    /// Keeps only the actions for which `stays` returns true.
    pub fn retain(&mut self, stays: impl FnMut(&Action) -> bool) {
        self.0.retain(stays);
    }

    /// True if there are no actions.
    pub const fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl<A: Into<Action>> Extend<A> for Actions {
    fn extend<I: IntoIterator<Item = A>>(&mut self, actions: I) {
        self.0.extend(actions.into_iter().map(Into::into));
    }
}

impl IntoIterator for Actions {
    type Item = Action;
    type IntoIter = std::vec::IntoIter<Action>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

impl From<BendAction> for Action {
    fn from(action: BendAction) -> Self {
        Self::Paint(PaintAction::Bend(action))
    }
}

impl From<PaintAction> for Action {
    fn from(action: PaintAction) -> Self {
        Self::Paint(action)
    }
}

impl From<RigAction> for Action {
    fn from(action: RigAction) -> Self {
        Self::Rig(action)
    }
}

impl From<RetargetAction> for Action {
    fn from(action: RetargetAction) -> Self {
        Self::Retarget(action)
    }
}

impl From<ReferenceAction> for Action {
    fn from(action: ReferenceAction) -> Self {
        Self::Reference(action)
    }
}

impl From<LayerAction> for Action {
    fn from(action: LayerAction) -> Self {
        Self::Layers(action)
    }
}

impl From<ProblemAction> for Action {
    fn from(action: ProblemAction) -> Self {
        Self::Problem(action)
    }
}

impl From<ViewportAction> for Action {
    fn from(action: ViewportAction) -> Self {
        Self::Viewport(action)
    }
}

impl From<TimelineAction> for Action {
    fn from(action: TimelineAction) -> Self {
        Self::Timeline(action)
    }
}

impl From<OutlinerAction> for Action {
    fn from(action: OutlinerAction) -> Self {
        Self::Outliner(action)
    }
}

impl From<PosesAction> for Action {
    fn from(action: PosesAction) -> Self {
        Self::Poses(action)
    }
}

impl From<DialogAction> for Action {
    fn from(action: DialogAction) -> Self {
        Self::Dialog(action)
    }
}

impl From<ProgramAction> for Action {
    fn from(action: ProgramAction) -> Self {
        Self::Program(action)
    }
}
