//! [`Action`]s of the panels: one enum per panel, carried out after all panels are drawn.

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

/// Request of a panel.
#[derive(Clone, Debug)]
#[expect(clippy::large_enum_variant, reason = "few are there at a time")]
pub enum Action {
    /// A command.
    Run(Command),
    /// Run a command from a menu or a key, with arguments from the selection and the display.
    Invoke(&'static CommandSpec),
    /// A command whose arguments were typed.
    RunLine(CommandLine),
    /// A gesture's present state, as commands that act on the state it began with.
    Preview {
        /// For the undo menu.
        label: String,
        /// Commands that it would run.
        commands: Vec<Command>,
    },
    /// The gesture ends as previewed.
    Commit,
    /// The gesture never was.
    Cancel,
    /// Requests of the outliner, and of other panels that select nodes.
    Outliner(OutlinerAction),
    /// Requests of the timeline.
    Timeline(TimelineAction),
    /// Requests about the chosen layer.
    Layers(LayerAction),
    /// Requests of the viewport.
    Viewport(ViewportAction),
    /// Requests of the pose library.
    Poses(PosesAction),
    /// Requests of the list of problems.
    Problem(ProblemAction),
    /// Requests of dialogs: files, journals, the history.
    Dialog(DialogAction),
    /// Requests about messages, preferences and devices.
    Program(ProgramAction),
    /// Requests of Paint mode.
    Paint(PaintAction),
    /// Changes of joints in Rig mode.
    Rig(RigAction),
    /// A request of the page *Retarget*.
    Retarget(RetargetAction),
    /// A request about a reference model.
    Reference(ReferenceAction),
}

/// Request of the list of problems.
#[derive(Clone, Debug)]
pub enum ProblemAction {
    /// Show the place of a problem.
    ShowProblem(usize),
    /// Mend a problem.
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

    /// Keeps only the actions for which `stays` is true.
    pub fn retain(&mut self, stays: impl FnMut(&Action) -> bool) {
        self.0.retain(stays);
    }

    /// Whether nothing is asked for.
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
