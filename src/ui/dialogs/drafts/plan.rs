//! Effects of a command on the skeleton, before it is applied.

use glam::Vec3;

use ulna_edit::{CommandLine, command::RigReport};
use ulna_session::Worked;

/// Effects of a command on the skeleton.
#[derive(Clone, Debug)]
pub struct PlanForeseen {
    /// The report; `None` where nothing changes. Or the reason why the command is refused, without
    /// its full stop.
    pub report: Result<Option<RigReport>, String>,
    /// The full note, without its full stop.
    pub note: Option<String>,
    /// Duration of the computation, seconds.
    pub seconds: f64,
    /// Index of the command that is refused, where one is.
    pub refused_at: Option<usize>,
}

impl PlanForeseen {
    /// Effects of commands that were worked out.
    pub fn of(worked: &Worked, seconds: f64) -> Self {
        let report = worked.effects().map_err(ToString::to_string);
        let report = report.map(|(changes, report)| report.cloned().filter(|_| changes));
        let refused_at = worked.refused_at();
        Self { report, note: worked.sentence(), seconds, refused_at }
    }

    /// No effects, for a reason without its full stop.
    pub const fn refused(why: String) -> Self {
        Self { report: Err(why), note: None, seconds: 0.0, refused_at: None }
    }
}

/// A joint that a plan changes, in the pose that is shown.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PlannedJoint {
    /// Place in the scene now; `None` for a new joint.
    pub before: Option<Vec3>,
    /// Place with the plan; `None` for a joint that goes.
    pub after: Option<Vec3>,
    /// Place of its parent with the plan.
    pub parent: Option<Vec3>,
    /// Its axes with the plan, of length 1.
    pub axes: [Vec3; 3],
    /// Whether its axes turn.
    pub is_turned: bool,
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
    /// The planned changes, without that of an open form.
    pub acts: &'a [CommandLine],
    /// Joints that change.
    pub joints: &'a [PlannedJoint],
}
