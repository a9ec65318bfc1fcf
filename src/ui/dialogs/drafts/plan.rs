//! Effects of a command on the skeleton, computed before it is applied.

use glam::Vec3;

use ulna_edit::{CommandLine, command::RigReport};
use ulna_session::Worked;

/// Effects of a command on the skeleton.
#[derive(Clone, Debug)]
pub struct PlanForeseen {
    /// Report of the changes; `None` if nothing changes. A refused command gives the reason,
    /// without a final period.
    pub report: Result<Option<RigReport>, String>,
    /// Full note about the result, without a final period.
    pub note: Option<String>,
    /// Duration of the computation, in seconds.
    pub seconds: f64,
    /// Index of the refused command; `None` if all are valid.
    pub refused_at: Option<usize>,
}

impl PlanForeseen {
    /// Creates the result of a finished computation.
    pub fn of(worked: &Worked, seconds: f64) -> Self {
        let report = worked.effects().map_err(ToString::to_string);
        let report = report.map(|(changes, report)| report.cloned().filter(|_| changes));
        let refused_at = worked.refused_at();
        Self { report, note: worked.sentence(), seconds, refused_at }
    }

    /// Creates the result of a refused command. The reason has no final period.
    pub const fn refused(why: String) -> Self {
        Self { report: Err(why), note: None, seconds: 0.0, refused_at: None }
    }
}

/// Joint that a plan changes, in the current pose.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PlannedJoint {
    /// Current position in scene space; `None` for a new joint.
    pub before: Option<Vec3>,
    /// Position after the plan is applied; `None` for a removed joint.
    pub after: Option<Vec3>,
    /// Position of the joint's parent after the plan is applied.
    pub parent: Option<Vec3>,
    /// Unit axes after the plan is applied, in scene space.
    pub axes: [Vec3; 3],
    /// Whether the plan rotates the axes.
    pub is_turned: bool,
}

/// Planned skeleton changes and their effects, as the window shows them.
#[derive(Clone, Copy, Debug, Default)]
pub struct PlanView<'a> {
    /// Last computed effects; `None` before the first result.
    pub found: Option<&'a PlanForeseen>,
    /// Whether the effects match the current arguments.
    pub is_current: bool,
    /// Whether other effects are being computed.
    pub is_computing: bool,
    /// Planned changes, without the command of an open form.
    pub acts: &'a [CommandLine],
    /// Joints that the plan changes.
    pub joints: &'a [PlannedJoint],
}
