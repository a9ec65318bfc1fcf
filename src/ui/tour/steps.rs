//! The steps of the tour. The history of the open file tells whether a step was done.

use ulna_edit::{
    Edit, Transaction,
    command::{InsertKeys, SetKey, forms::poses_over},
    find,
};
use ulna_session::Session;

/// A step of the tour: an action of the user.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TourStep {
    /// Pose a limb.
    #[default]
    Pose,
    /// Set a key.
    Key,
    /// Paint a stroke of weights.
    Paint,
    /// Undo an edit.
    Undo,
    /// Save the file.
    Save,
}

impl TourStep {
    /// All steps, in order.
    pub const ALL: [Self; 5] = [Self::Pose, Self::Key, Self::Paint, Self::Undo, Self::Save];

    /// The step with an index; the last step if the index is too large.
    pub fn of(number: usize) -> Self {
        Self::ALL[number.min(Self::ALL.len() - 1)]
    }

    /// Index of the step, from 0.
    pub const fn number(self) -> usize {
        self as usize
    }

    /// The step that an edit completes; `None` for edits that belong to no step.
    fn done_by(edit: &Transaction) -> Option<Self> {
        let keys = |name: &str| matches!(name, SetKey::NAME | InsertKeys::NAME);
        let poses = |name: &str| find(name).is_some_and(poses_over);
        let poses_file = edit.edits().any(|edit| matches!(edit, Edit::SetPoses(_)));
        match () {
            () if edit.is_stroke() => Some(Self::Paint),
            () if poses_file || edit.commands().any(poses) => Some(Self::Pose),
            () if edit.commands().any(keys) => Some(Self::Key),
            () => None,
        }
    }
}

/// Snapshot of a file's history.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Seen {
    session: u64,
    done: usize,
    undone: usize,
    /// Highest revision in the history. Later edits have higher ones.
    newest: u64,
}

impl Seen {
    fn of(session: &Session) -> Self {
        let history = session.history();
        let all = history.done().iter().chain(history.undone());
        Self {
            session: session.id(),
            done: history.done().len(),
            undone: history.undone().len(),
            newest: all.map(|step| step.revision()).max().unwrap_or_default(),
        }
    }
}

/// State of the tour: the current step, and the last snapshot of the history.
#[derive(Clone, Debug, Default)]
pub struct Tour {
    step: TourStep,
    /// True if all steps are done or skipped.
    finished: bool,
    /// True if the window was prepared for the step.
    shown: bool,
    seen: Option<Seen>,
}

impl Tour {
    /// Starts the tour at a step.
    pub fn at(step: TourStep) -> Self {
        Self { step, ..Self::default() }
    }

    /// The current step; `None` at the end.
    pub fn step(&self) -> Option<TourStep> {
        (!self.finished).then_some(self.step)
    }

    /// Index of the step at which a reopened tour continues.
    pub fn resumes_at(&self) -> usize {
        self.step().map_or(0, TourStep::number)
    }

    /// True if the window was prepared for the step.
    pub const fn is_shown(&self) -> bool {
        self.shown
    }

    /// Marks the window as prepared for the step.
    pub const fn set_shown(&mut self) {
        self.shown = true;
    }

    /// Moves to the next step.
    pub fn advance(&mut self) {
        self.shown = false;
        match TourStep::ALL.get(self.step.number() + 1) {
            Some(next) => self.step = *next,
            None => self.finished = true,
        }
    }

    /// Moves to the previous step.
    pub fn go_back(&mut self) {
        self.shown = false;
        if !std::mem::take(&mut self.finished) {
            self.step = TourStep::of(self.step.number().saturating_sub(1));
        }
    }

    /// Checks the history of the file. Returns whether the user did the step, in which case the
    /// tour advances.
    pub fn observe(&mut self, session: &Session) -> bool {
        let history = session.history();
        // A gesture counts when it ends.
        if history.is_open() {
            return false;
        }
        let now = Seen::of(session);
        let Some(before) = self.seen.replace(now).filter(|before| *before != now) else {
            return false;
        };
        if before.session != now.session || self.finished {
            return false;
        }
        let mut fresh =
            history.done().iter().rev().take_while(|step| step.revision() > before.newest);
        let acted = match self.step {
            TourStep::Undo => now.undone > before.undone && now.done < before.done,
            TourStep::Save => false,
            step => fresh.any(|edit| TourStep::done_by(edit) == Some(step)),
        };
        if acted {
            self.advance();
        }
        acted
    }

    /// Reports that the file was saved. Returns whether this was the current step.
    pub fn saved(&mut self) -> bool {
        let acted = !self.finished && self.step == TourStep::Save;
        if acted {
            self.advance();
        }
        acted
    }
}

/// A request of the tour's card.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TourAction {
    /// Prepares the window for the step.
    Show(TourStep),
    /// Skips the step.
    Skip,
    /// Goes back one step.
    Back,
    /// Closes the card. The tour continues at this step when it is reopened.
    Leave,
}

#[cfg(test)]
mod tests {
    use ulna_edit::{Command, CommandLine};

    use super::*;

    const SAMPLE: &[u8] = include_bytes!("../../../assets/mannequin.glb");

    fn run(session: &mut Session, line: &str) {
        let line = CommandLine::parse(line).expect("a line");
        let command = Command::read(&line).expect("a command");
        session.run(&command).expect("it runs");
    }

    #[test]
    fn each_tour_step_is_completed_only_by_its_own_action() {
        let mut session = Session::open_bytes(SAMPLE).expect("the sample");
        let mut tour = Tour::at(TourStep::Pose);
        assert!(!tour.observe(&session));
        let turn = r#"{"do":"pose.rotate","node":"Head","axis":"x","degrees":20}"#;
        let key = r##"{"do":"key.set","clip":"#0","time":0.5,"node":"Head"}"##;
        run(&mut session, key);
        assert!(!tour.observe(&session), "a key is no pose");
        run(&mut session, turn);
        assert!(tour.observe(&session));
        assert_eq!(tour.step(), Some(TourStep::Key));
        run(&mut session, turn);
        assert!(!tour.observe(&session), "a pose is no key");
        session.undo().expect("undone");
        session.redo().expect("redone");
        assert!(!tour.observe(&session), "an old step is no act");
        run(&mut session, &key.replace("0.5", "0.25"));
        assert!(tour.observe(&session));
        assert_eq!(tour.step(), Some(TourStep::Paint));
        run(&mut session, r#"{"do":"weights.normalize"}"#);
        assert!(!tour.observe(&session) && !tour.saved());
        tour.advance();
        run(&mut session, turn);
        assert!(!tour.observe(&session), "an edit is no undo");
        session.undo().expect("undone");
        assert!(tour.observe(&session));
        assert_eq!((tour.step(), tour.resumes_at()), (Some(TourStep::Save), 4));
        session.redo().expect("redone");
        assert!(!tour.observe(&session));
        assert!(tour.saved());
        assert_eq!((tour.step(), tour.resumes_at()), (None, 0));
        tour.go_back();
        assert_eq!(tour.step(), Some(TourStep::Save));
    }

    #[test]
    fn opening_another_file_is_not_counted_as_an_action() {
        let mut session = Session::open_bytes(SAMPLE).expect("the sample");
        let mut tour = Tour::at(TourStep::Pose);
        tour.observe(&session);
        session = Session::open_bytes(SAMPLE).expect("the sample");
        run(&mut session, r#"{"do":"pose.rotate","node":"Head","axis":"x","degrees":20}"#);
        assert!(!tour.observe(&session), "its first state is only seen");
    }
}
