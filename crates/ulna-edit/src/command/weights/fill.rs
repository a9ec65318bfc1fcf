//! Commands that set weights of joints: floods, gradients, averages and given numbers.

use super::{
    commands::{Along, Assign, Average, Flood, Gradient, SetWeights},
    run::{Job, joint_of, number_of, run, run_for},
};
use crate::{
    Edit,
    command::{
        CommandError, CommandLine, Outcome, Scene,
        field::{Curve, How, Nodes},
        weight_layers::through,
        weight_slots::{Slots, slots_line},
    },
};
use ulna_model::{Document, NodeId, WeightPatch};
use ulna_motion::{Pose, Stack, ik};
use ulna_weights::{Brush, BrushKind, Falloff, Influences, gradient};

/// Returns the brush of a flood, with its operation, value and strength.
fn brush(how: Option<How>, value: Option<f32>, amount: Option<f32>) -> Brush {
    let kind = match how.unwrap_or(How::Replace) {
        How::Replace => BrushKind::Replace,
        How::Add => BrushKind::Add,
        How::Subtract => BrushKind::Subtract,
        How::Scale => BrushKind::Scale,
    };
    let brush = Brush {
        kind,
        value: value.unwrap_or(1.0),
        strength: amount.unwrap_or(1.0),
        ..Brush::default()
    };
    let sane = brush.clamped();
    // Scaling by a command allows larger factors than the brush in the window.
    let value = if kind == BrushKind::Scale && brush.value.is_finite() {
        brush.value.clamp(0.0, 100.0)
    } else {
        sane.value
    };
    Brush { value, ..sane }
}

impl Flood {
    pub(super) fn work(&self, scene: &Scene<'_>) -> Result<Outcome, CommandError> {
        let brush = brush(self.how, self.value, self.amount);
        run_for(scene.document, &self.reach, &[&self.joint], "flooded", |draft, job| {
            let joint = joint_of(scene.document, &self.joint, job)?;
            Ok(draft.flood(&brush, joint, |_| 1.0, &job.scope()))
        })
    }
}

impl Gradient {
    pub(super) fn work(&self, scene: &Scene<'_>) -> Result<Outcome, CommandError> {
        let brush = brush(self.how, self.value, self.amount);
        let curve: Falloff = self.curve.unwrap_or(Curve::Linear).into();
        let amount = gradient(self.from, self.to, self.radial.unwrap_or(false), curve);
        run_for(scene.document, &self.reach, &[&self.joint], "filled", |draft, job| {
            let joint = joint_of(scene.document, &self.joint, job)?;
            let at = |v: u32| job.canvas.rest()[job.canvas.point_of(v).index()];
            Ok(draft.flood(&brush, joint, |v| amount(at(v)), &job.scope()))
        })
    }
}

impl Along {
    pub(super) fn work(&self, scene: &Scene<'_>) -> Result<Outcome, CommandError> {
        let document = scene.document;
        let one = |nodes: &Nodes, name: &str| match nodes.all(document)?[..] {
            [node] => Ok(node),
            _ => Err(CommandError::other(
                "one_node_wanted",
                format!("name exactly one joint as “{name}”"),
            )),
        };
        let to = one(&self.to, "to")?;
        let from = self.from.as_ref().map(|from| one(from, "from")).transpose()?;
        let width = self.width.unwrap_or(1.0);
        if !(0.0..=1.0).contains(&width) {
            return Err(CommandError::other(
                "argument_out_of_range",
                "“width” must be a number from 0 to 1",
            ));
        }
        let curve: Falloff = self.curve.unwrap_or(Curve::Smooth).into();
        let limb =
            || {
                let rest = Pose::evaluate(document, &Stack::default());
                ik::limb_of(document, &rest, to, None, false).and_then(|l| l.root()).ok_or_else(|| {
                let label = document.node(to).label(to);
                CommandError::other(
                    "not_a_limb",
                    format!("“{label}” is not the end of a limb; name the first joint of the limb \
                        as “from”"),
                )
            })
            };
        let named: Vec<&Nodes> = self.from.iter().chain([&self.to]).collect();
        run_for(document, &self.reach, &named, "filled", |draft, job| {
            let label = |n: NodeId| document.node(n).label(n);
            let number = |n: NodeId| number_of(document, n, &job.canvas);
            let from = from.map_or_else(limb, Ok)?;
            let (first, mut at) = (number(from)?, number(to)?);
            let mut chain = vec![at];
            // The number of steps is limited, in case the parents contain a cycle.
            for _ in 0..job.canvas.parents().len() {
                if at == first {
                    break;
                }
                let Some(above) = job.canvas.parents()[usize::from(at)] else { break };
                at = above.0;
                chain.push(at);
            }
            if at != first || chain.len() < 2 {
                let message = format!(
                    "“{}” is not a descendant of “{}”; name the first and the last joint of a \
                        chain",
                    label(to),
                    label(from)
                );
                return Err(CommandError::other("not_a_chain", message));
            }
            chain.reverse();
            Ok(draft.along_limb(&chain, width, curve, &job.scope()))
        })
    }
}

/// Returns the vertices of a scope, all with the same influences.
fn all_alike(job: &Job, target: &Influences) -> Vec<(u32, Influences)> {
    let scope = job.scope();
    let wanted = (0..job.canvas.vertex_count() as u32)
        .filter(|v| scope.vertices.is_none_or(|l| l[*v as usize]));
    wanted.map(|v| (v, target.clone())).collect()
}

impl Average {
    pub(super) fn work(&self, scene: &Scene<'_>) -> Result<Outcome, CommandError> {
        run(scene.document, &self.reach, "averaged", |draft, job| {
            let mean = draft.mean(&job.scope());
            Ok(draft.put(&job.scope(), all_alike(job, &mean)))
        })
    }
}

impl Assign {
    /// Sets the given vertices to the same influences, or each vertex to its own row of influences.
    pub(super) fn work(&self, scene: &Scene<'_>) -> Result<Outcome, CommandError> {
        let (document, weights) = (scene.document, &self.weights.0);
        let nodes = self.joints.in_order(document)?;
        if nodes.is_empty() || weights.is_empty() || !weights.len().is_multiple_of(nodes.len()) {
            return Err(CommandError::other(
                "count_mismatch",
                "“weights” must have one number per joint, or several rows with one number per \
                    joint",
            ));
        }
        let rows = weights.chunks_exact(nodes.len());
        if rows.clone().any(|row| row.iter().any(|w| *w < 0.0) || row.iter().sum::<f64>() <= 0.0) {
            return Err(CommandError::other(
                "argument_out_of_range",
                "“weights” must be 0 or more, and at least one must be greater than 0",
            ));
        }
        run_for(document, &self.reach, &[&self.joints], "set", |draft, job| {
            let number = |n: &NodeId| number_of(document, *n, &job.canvas);
            let joints: Vec<u16> = nodes.iter().map(number).collect::<Result<_, _>>()?;
            let target = |row: &[f64]| {
                let mut target = Influences::default();
                joints
                    .iter()
                    .zip(row)
                    .filter(|(_, w)| **w > 0.0)
                    .for_each(|(j, w)| target.add(*j, *w as f32));
                target
            };
            if rows.len() == 1 {
                return Ok(draft.put_as_is(&job.scope(), all_alike(job, &target(weights))));
            }
            let scope = job.scope();
            let meant: Vec<u32> =
                (0..job.canvas.vertex_count() as u32).filter(|v| scope.has(*v)).collect();
            if meant.len() != rows.len() {
                let message = format!(
                    "“weights” has {} rows, but there are {} vertices; use one row per vertex, or \
                        one row for all",
                    rows.len(),
                    meant.len()
                );
                return Err(CommandError::other("count_mismatch", message));
            }
            Ok(draft.put_as_is(&scope, meant.into_iter().zip(rows.clone().map(target))))
        })
    }
}

impl SetWeights {
    /// Sets the influences of vertices, as the text form of a brush stroke lists them.
    pub(super) fn work(&self, scene: &Scene<'_>) -> Result<Vec<Edit>, CommandError> {
        let Self { mesh, primitive, joints, vertices, of, weights, layer } = self;
        let slots = Slots { mesh, primitive: *primitive, joints, vertices, of, weights };
        let (id, primitive, patch) = slots.patch(scene.document, false)?;
        check_slots(&patch)?;
        let edit = Edit::PatchWeights { mesh: id, primitive, patch: Box::new(patch) };
        through(scene.document, layer.as_deref(), Some(mesh), vec![edit])
    }
}

/// Checks the influences of each vertex: weights of 0 to 1 with a sum of 1, and no joint twice.
fn check_slots(patch: &WeightPatch) -> Result<(), CommandError> {
    let stride = (patch.sets * 4).max(1);
    let slots = patch.joints.chunks_exact(stride).zip(patch.weights.chunks_exact(stride));
    for (vertex, (joints, weights)) in patch.vertices.iter().zip(slots) {
        let fault = |why: String| {
            Err(CommandError::other(
                "weights_unsound",
                format!("“weights” of vertex {vertex}: {why}"),
            ))
        };
        if let Some(bad) = weights.iter().find(|w| !(0.0..=1.0 + 1e-6).contains(*w)) {
            return fault(format!("{bad} is not between 0 and 1"));
        }
        let sum: f64 = weights.iter().map(|w| f64::from(*w)).sum();
        if (sum - 1.0).abs() > 1e-3 {
            return fault(format!("they sum to {sum:.4}, not to 1"));
        }
        let used: Vec<u16> =
            joints.iter().zip(weights).filter(|(_, w)| **w > 0.0).map(|(j, _)| *j).collect();
        if (1..used.len()).any(|k| used[..k].contains(&used[k])) {
            return fault("a joint is listed twice in “of”".into());
        }
    }
    Ok(())
}

/// Returns the command line that repeats an edit of weights; `None` for other edits.
pub(crate) fn line_of(document: &Document, edit: &Edit) -> Option<CommandLine> {
    let Edit::PatchWeights { mesh, primitive, patch } = edit else { return None };
    slots_line(
        document,
        SetWeights::NAME,
        *mesh,
        *primitive,
        (&patch.vertices, &patch.joints, &patch.weights),
    )
}
