//! Effects of a command on the skeleton, before it is applied.

use ulna_edit::command::RigReport;
use ulna_session::Worked;

/// Effects of a command on the skeleton.
#[derive(Clone, Debug)]
pub struct PlanForeseen {
    /// The report; `None` where nothing changes. Or the reason why the command is refused, without
    /// its full stop.
    pub report: Result<Option<RigReport>, String>,
    /// Everything that is to be said of it, without its full stop.
    pub note: Option<String>,
    /// Duration of the computation, seconds.
    pub seconds: f64,
}

impl PlanForeseen {
    /// Effects of commands that were worked out.
    pub fn of(worked: &Worked, seconds: f64) -> Self {
        let report = worked.effects().map_err(ToString::to_string);
        let report = report.map(|(changes, report)| report.cloned().filter(|_| changes));
        Self { report, note: worked.sentence(), seconds }
    }
}

/// Effects as the window shows them.
#[derive(Clone, Copy, Debug, Default)]
pub struct PlanView<'a> {
    /// The effects that were found last; `None` before the first result.
    pub found: Option<&'a PlanForeseen>,
    /// Whether they belong to the arguments as they are.
    pub is_current: bool,
    /// Whether others are being worked out.
    pub is_computing: bool,
}
