//! The steps of the tour, and how the open file tells that one was done.

use ulna_edit::{
    Edit, Transaction,
    command::{InsertKeys, SetKey, forms::poses_over},
    find,
};
use ulna_session::Session;

/// A step of the tour: an act that a person does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TourStep {
    /// Turn a limb.
    #[default]
    Pose,
    /// Set a key.
    Key,
    /// Paint a stroke of weights.
    Paint,
    /// Undo.
    Undo,
    /// Save the file.
    Save,
}

impl TourStep {
    /// In their order.
    pub const ALL: [Self; 5] = [Self::Pose, Self::Key, Self::Paint, Self::Undo, Self::Save];

    /// The step of a number; the last one for numbers that are too large.
    pub fn of(number: usize) -> Self {
        Self::ALL[number.min(Self::ALL.len() - 1)]
    }

    /// Its number, from 0.
    pub const fn number(self) -> usize {
        self as usize
    }

    /// The act of an edit; `None` for edits that belong to no step.
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

/// The state of the history of a file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Seen {
    session: u64,
    done: usize,
    undone: usize,
    /// The highest number of a state that was seen: later edits have higher ones.
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

/// The tour: its step, and what was seen of the file.
#[derive(Clone, Debug, Default)]
pub struct Tour {
    step: TourStep,
    /// All steps are done or skipped.
    finished: bool,
    /// The window was set up for the step.
    shown: bool,
    seen: Option<Seen>,
}

impl Tour {
    /// The tour from a step on.
    pub fn at(step: TourStep) -> Self {
        Self { step, ..Self::default() }
    }

    /// The step that is to be done; `None` when all are.
    pub fn step(&self) -> Option<TourStep> {
        (!self.finished).then_some(self.step)
    }

    /// The step at which the tour begins when it is opened again.
    pub fn resumes_at(&self) -> usize {
        self.step().map_or(0, TourStep::number)
    }

    /// Whether the window was set up for the step.
    pub const fn is_shown(&self) -> bool {
        self.shown
    }

    /// The window is set up for the step.
    pub const fn set_shown(&mut self) {
        self.shown = true;
    }

    /// Goes on to the next step.
    pub fn advance(&mut self) {
        self.shown = false;
        match TourStep::ALL.get(self.step.number() + 1) {
            Some(next) => self.step = *next,
            None => self.finished = true,
        }
    }

    /// Goes back to the step before.
    pub fn go_back(&mut self) {
        self.shown = false;
        if !std::mem::take(&mut self.finished) {
            self.step = TourStep::of(self.step.number().saturating_sub(1));
        }
    }

    /// Looks at the file; whether the act of the step was done, so that the next step is shown.
    pub fn observe(&mut self, session: &Session) -> bool {
        let history = session.history();
        // A gesture is an act when it ends.
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

    /// The file was saved; whether that was the act of the step.
    pub fn saved(&mut self) -> bool {
        let acted = !self.finished && self.step == TourStep::Save;
        if acted {
            self.advance();
        }
        acted
    }
}

/// Requests of the card of the tour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TourAction {
    /// Set the window up for the step.
    Show(TourStep),
    /// Go on without doing the act.
    Skip,
    /// Go back one step.
    Back,
    /// Close the card; the step is remembered.
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
    fn each_step_waits_for_its_own_act() {
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
    fn another_file_begins_anew() {
        let mut session = Session::open_bytes(SAMPLE).expect("the sample");
        let mut tour = Tour::at(TourStep::Pose);
        tour.observe(&session);
        session = Session::open_bytes(SAMPLE).expect("the sample");
        run(&mut session, r#"{"do":"pose.rotate","node":"Head","axis":"x","degrees":20}"#);
        assert!(!tour.observe(&session), "its first state is only seen");
    }
}
