//! Commands on weights: the tools of `crate::weights` on the vertices that a line names, and strokes as lines of text.

mod bind;
mod transfer;

use std::{collections::BTreeSet, sync::Arc};

use serde_json::{Value, json};

pub(super) use self::{bind::bind, transfer::transfer};
use super::{
    Arguments, CommandError, CommandLine, Done, Edit, layers,
    vertices::{PastEnd, Untold, Vertices},
};
use crate::{
    model::{Aids, Document, MeshId, NodeId, SkinId, WeightEncoding, WeightPatch},
    weights::{
        Brush, BrushKind, Canvas, CanvasPart, Claimed, Draft, Falloff, Influences, MOST, PartChange, Refusal, Refused,
        Scope, Seams, gradient, layers::Sides,
    },
};

/// A canvas with what a line touches of it.
struct Job {
    canvas: Canvas,
    locked: Vec<bool>,
    limit: usize,
    vertices: Option<Vec<bool>>,
}

impl Job {
    fn scope(&self) -> Scope<'_> {
        Scope { locked: &self.locked, limit: self.limit, vertices: self.vertices.as_deref() }
    }
}

/// The skin that the weights of a mesh are for: that of the first node that shows it on one.
pub fn skin_of(document: &Document, mesh: MeshId) -> Option<SkinId> {
    let shown = document.shown_nodes();
    shown.into_iter().map(|n| document.node(n)).find(|n| n.mesh == Some(mesh) && n.skin.is_some())?.skin
}

/// What a line touches, skin by skin: all weights of the file, or those of a mesh, a primitive, some vertices.
fn jobs(document: &Document, arguments: &Arguments) -> Result<Vec<Job>, CommandError> {
    let meshes: BTreeSet<MeshId> = arguments.meshes(document)?.into_iter().collect();
    let primitive = arguments.count("primitive")?;
    let vertices = Vertices::of(arguments, "vertices")?;
    let locked: BTreeSet<NodeId> = arguments.named_nodes(document, "locked")?.into_iter().collect();
    let most = arguments.count("most")?.unwrap_or(usize::MAX);
    if most == 0 {
        return Err(CommandError::Other("a vertex needs at least one joint".into()));
    }
    let mut done: BTreeSet<(MeshId, usize)> = BTreeSet::new();
    let mut list = Vec::new();
    for skin in 0..document.skins.len() {
        let Some(canvas) = Canvas::new(document, skin.into()) else { continue };
        let meant = |part: &CanvasPart| {
            let named = meshes.is_empty() || meshes.contains(&part.mesh);
            named && primitive.is_none_or(|k| k == part.primitive) && done.insert((part.mesh, part.primitive))
        };
        let meant: Vec<bool> = canvas.parts().iter().map(meant).collect();
        let wanted = match &vertices {
            Some(vertices) => vertices.mark(document, &canvas, &meant).map_err(|why| untold(document, &canvas, why))?,
            None => {
                let mut wanted = vec![false; canvas.vertex_count()];
                for (part, _) in canvas.parts().iter().zip(&meant).filter(|(_, meant)| **meant) {
                    wanted[part.first as usize..(part.first + part.count) as usize].fill(true);
                }
                wanted
            }
        };
        let any = wanted.contains(&true);
        if any {
            let locked = canvas.joints().iter().map(|j| locked.contains(j)).collect();
            let all = !wanted.contains(&false);
            list.push(Job { canvas, locked, limit: most, vertices: (!all).then_some(wanted) });
        }
    }
    if list.is_empty() && vertices.is_some() && !done.is_empty() {
        return Err(CommandError::Other("“vertices” means none of the vertices there".into()));
    }
    if list.is_empty() {
        return Err(CommandError::Other("nothing with weights is meant; name a mesh that hangs on a skin".into()));
    }
    Ok(list)
}

pub(super) fn untold(document: &Document, canvas: &Canvas, why: Untold) -> CommandError {
    match why {
        Untold::Joint(error) => error.into(),
        Untold::Past(PastEnd { part, range }) => {
            let part = &canvas.parts()[part];
            CommandError::Other(format!(
                "vertices {} to {} are not there; primitive {} of “{}” has {}",
                range.start,
                range.end.saturating_sub(1),
                part.primitive,
                mesh_label(document, part.mesh),
                part.count
            ))
        }
    }
}

/// The name of a mesh, or `#N`.
pub fn mesh_label(document: &Document, mesh: MeshId) -> String {
    match document.meshes.get(mesh.index()).and_then(|m| m.name.as_deref()) {
        Some(name) if !name.is_empty() => name.to_owned(),
        _ => format!("#{}", mesh.0),
    }
}

/// What names a mesh in a line: its name where it alone has it.
pub fn mesh_text(document: &Document, mesh: MeshId) -> String {
    let label = mesh_label(document, mesh);
    let alone = document.meshes.iter().filter(|m| m.name.as_deref() == Some(&*label)).count() == 1;
    if alone && !label.contains(['*', '#']) { label } else { format!("#{}", mesh.0) }
}

/// Runs a tool on every job, and gives what changed as edits. Where there are layers, one of them takes it.
fn run(
    document: &Document,
    arguments: &Arguments,
    tool: impl Fn(&mut Draft<'_>, &Job) -> Result<Refused, CommandError>,
) -> Result<Done, CommandError> {
    if layers::names_base(arguments) {
        return run_on_base(document, arguments, tool);
    }
    let done = run_plain(document, arguments, tool)?;
    Ok(Done { edits: layers::through(document, arguments, done.edits)?, ..done })
}

/// As [`run`], on what lies under layers.
fn run_on_base(
    document: &Document,
    arguments: &Arguments,
    tool: impl Fn(&mut Draft<'_>, &Job) -> Result<Refused, CommandError>,
) -> Result<Done, CommandError> {
    let mut remark = None;
    let edits = layers::on_base(document, |document| {
        let done = run_plain(document, arguments, tool)?;
        remark = done.remark;
        Ok(done.edits)
    })?;
    Ok(Done { edits, remark })
}

/// As [`run`], on the weights themselves.
fn run_plain(
    document: &Document,
    arguments: &Arguments,
    tool: impl Fn(&mut Draft<'_>, &Job) -> Result<Refused, CommandError>,
) -> Result<Done, CommandError> {
    let mut edits = Vec::new();
    let mut refused = Refused::new();
    // What one skin's job changes of another's vertices comes after all jobs: it is what both sides of a seam have.
    let (mut claimed, mut seams) = (Claimed::new(), Vec::new());
    for job in jobs(document, arguments)? {
        let mut draft = Draft::new(document, &job.canvas);
        let mut count = |more: Refused| more.into_iter().for_each(|(why, n)| *refused.entry(why).or_default() += n);
        count(tool(&mut draft, &job)?);
        let mut changes = draft.changes(document);
        let found = if changes.is_empty() { Seams::default() } else { Seams::of(document, &job.canvas) };
        let (patches, open) = found.follow(document, &job.canvas, &mut changes, true, &mut claimed);
        count(open);
        for (k, change) in changes {
            let (mesh, primitive) = (job.canvas.parts()[k].mesh, job.canvas.parts()[k].primitive);
            match change {
                PartChange::Patch(patch) if patch.vertices.is_empty() => {}
                PartChange::Patch(patch) => edits.push(Edit::PatchWeights { mesh, primitive, patch: Box::new(patch) }),
                PartChange::Whole(map) => edits.push(Edit::SetWeights { mesh, primitive, to: Arc::new(map) }),
            }
        }
        seams.extend(patches);
    }
    let patch = |(mesh, primitive, patch)| Edit::PatchWeights { mesh, primitive, patch: Box::new(patch) };
    edits.extend(seams.into_iter().map(patch));
    let said = |(why, count): (&Refusal, &usize)| match count {
        1 => format!("1 vertex: {why}"),
        n => format!("{n} vertices: {why}"),
    };
    let most = refused.iter().max_by_key(|(_, count)| **count).map(said);
    // What is said a second time, when nothing is left to do, is no failure.
    Ok(Done { edits, remark: most.map(|why| format!("left as they are, {why}")) })
}

/// The number of a joint in a job's skin.
fn joint_of(document: &Document, arguments: &Arguments, job: &Job) -> Result<u16, CommandError> {
    let nodes = arguments.named_nodes(document, "joint")?;
    let [node] = nodes[..] else {
        return Err(CommandError::Other("name one joint".into()));
    };
    let label = document.node(node).label(node);
    job.canvas.joint(node).ok_or_else(|| CommandError::Other(format!("“{label}” is no joint of the mesh's skin")))
}

pub(super) fn normalize(document: &Document, arguments: &Arguments) -> Result<Done, CommandError> {
    run(document, arguments, |draft, job| Ok(draft.normalize(&job.scope())))
}

pub(super) fn limit(document: &Document, arguments: &Arguments) -> Result<Done, CommandError> {
    run(document, arguments, |draft, job| Ok(draft.limit(&job.scope())))
}

pub(super) fn prune(document: &Document, arguments: &Arguments) -> Result<Done, CommandError> {
    let below = arguments.number("below")?;
    run(document, arguments, |draft, job| Ok(draft.prune(below, &job.scope())))
}

pub(super) fn quantize(document: &Document, arguments: &Arguments) -> Result<Done, CommandError> {
    let steps = arguments.count("steps")?.unwrap_or(10).clamp(1, 65535) as u32;
    run(document, arguments, |draft, job| Ok(draft.quantize(steps, &job.scope())))
}

pub(super) fn smooth(document: &Document, arguments: &Arguments) -> Result<Done, CommandError> {
    smoothed(document, arguments, false)
}

pub(super) fn relax(document: &Document, arguments: &Arguments) -> Result<Done, CommandError> {
    smoothed(document, arguments, true)
}

fn smoothed(document: &Document, arguments: &Arguments, by_distance: bool) -> Result<Done, CommandError> {
    let passes = arguments.count("passes")?.unwrap_or(1).clamp(1, 1000);
    let amount = arguments.number_or("amount", 1.0)?.clamp(0.0, 1.0);
    run(document, arguments, |draft, job| {
        let joint = arguments.has("joint").then(|| joint_of(document, arguments, job)).transpose()?;
        Ok(draft.smooth(passes, amount, by_distance, joint, &job.scope()))
    })
}

pub(super) fn hammer(document: &Document, arguments: &Arguments) -> Result<Done, CommandError> {
    let common = arguments.number_or("in_common", 0.4)?.clamp(0.0, 0.5);
    run(document, arguments, |draft, job| Ok(draft.hammer(common, &job.scope()).1))
}

/// The brush of a flood: what it does, with which value, how strongly.
fn brush(arguments: &Arguments) -> Result<Brush, CommandError> {
    let kind = match arguments.choice("how", &["set", "add", "subtract", "scale"])?.as_deref() {
        Some("add") => BrushKind::Add,
        Some("subtract") => BrushKind::Subtract,
        Some("scale") => BrushKind::Scale,
        _ => BrushKind::Set,
    };
    let brush = Brush {
        kind,
        value: arguments.number_or("value", 1.0)?,
        strength: arguments.number_or("amount", 1.0)?,
        ..Brush::default()
    };
    let sane = brush.sane();
    // By numbers a weight may be scaled by more than a brush is dragged to.
    let value =
        if kind == BrushKind::Scale && brush.value.is_finite() { brush.value.clamp(0.0, 100.0) } else { sane.value };
    Ok(Brush { value, ..sane })
}

pub(super) fn flood(document: &Document, arguments: &Arguments) -> Result<Done, CommandError> {
    let brush = brush(arguments)?;
    run(document, arguments, |draft, job| {
        let joint = joint_of(document, arguments, job)?;
        Ok(draft.flood(&brush, joint, |_| 1.0, &job.scope()))
    })
}

pub(super) fn graded(document: &Document, arguments: &Arguments) -> Result<Done, CommandError> {
    let brush = brush(arguments)?;
    let ends = (arguments.vector("from")?, arguments.vector("to")?);
    let (Some(from), Some(to)) = ends else {
        return Err(CommandError::Other("a gradient needs “from” and “to”, spots of the mesh at rest".into()));
    };
    let radial = arguments.flag("radial")?.unwrap_or(false);
    let amount = gradient(from, to, radial, Falloff::Linear);
    run(document, arguments, |draft, job| {
        let joint = joint_of(document, arguments, job)?;
        let at = |v: u32| job.canvas.rest()[job.canvas.place_of(v) as usize];
        Ok(draft.flood(&brush, joint, |v| amount(at(v)), &job.scope()))
    })
}

/// Says which joint is another's mirror image, or that it has none.
pub(super) fn pair(document: &Document, arguments: &Arguments) -> Result<Vec<Edit>, CommandError> {
    let one = |name: &'static str| {
        let nodes = arguments.named_nodes(document, name)?;
        match nodes[..] {
            [node] if document.skins.iter().any(|s| s.joints.contains(&node)) => Ok(node),
            [node] => Err(CommandError::Other(format!("“{}” is no joint of a skin", document.node(node).label(node)))),
            _ => Err(CommandError::Other(format!("name one joint as “{name}”"))),
        }
    };
    let joint = one("joint")?;
    let with = arguments.has("with").then(|| one("with")).transpose()?;
    if let Some(with) = with
        && !document.skins.iter().any(|s| s.joints.contains(&joint) && s.joints.contains(&with))
    {
        return Err(CommandError::Other("the two are joints of different skins; a mirror joint is of the same".into()));
    }
    let to: Arc<[_]> = document.aids.mirror_pairs.iter().copied().chain([(joint, with)]).collect();
    let mut edits = vec![Edit::SetMirrorPairs { to: to.clone() }];
    // Mirrored layers show something else then.
    let paired = Document { aids: Aids { mirror_pairs: to, ..document.aids.clone() }, ..document.clone() };
    edits.extend(layers::mirrored_anew(&paired)?);
    Ok(edits)
}

/// Copies the weights of one side to the other.
pub(super) fn mirror(document: &Document, arguments: &Arguments) -> Result<Done, CommandError> {
    let from_left = match arguments.text("from")? {
        "left" | "Left" | "L" => true,
        "right" | "Right" | "R" => false,
        other => return Err(CommandError::Other(format!("“from” is left or right, not “{other}”"))),
    };
    run(document, arguments, |draft, job| {
        let sides = Sides::of(document, &job.canvas).map_err(|e| CommandError::Other(e.to_string()))?;
        let from_high = sides.left_is_high == from_left;
        Ok(draft.mirror(&sides.pairs, sides.axis, sides.offset, from_high, &job.scope()))
    })
}

pub(super) fn average(document: &Document, arguments: &Arguments) -> Result<Done, CommandError> {
    run(document, arguments, |draft, job| {
        let scope = job.scope();
        let mean = draft.mean(&scope);
        let wanted = (0..job.canvas.vertex_count() as u32).filter(|v| scope.vertices.is_none_or(|l| l[*v as usize]));
        let list: Vec<(u32, Influences)> = wanted.map(|v| (v, mean.clone())).collect();
        Ok(draft.put(&scope, list))
    })
}

pub(super) fn sets(document: &Document, arguments: &Arguments) -> Result<Done, CommandError> {
    let sets = arguments.count("sets")?.unwrap_or(1);
    if !(1..=8).contains(&sets) {
        return Err(CommandError::Other("a vertex can have 1 to 8 sets of four joints".into()));
    }
    // Under layers it is the base that has them.
    run_on_base(document, arguments, |draft, job| Ok(draft.set_sets(sets, &job.scope())))
}

/// Keeps weights in another stored type.
pub(super) fn store(document: &Document, arguments: &Arguments) -> Result<Done, CommandError> {
    let encoding = match &*arguments.choice("bits", &["8", "16", "32"])?.unwrap_or_default() {
        "8" => WeightEncoding::Byte,
        "16" => WeightEncoding::Short,
        _ => WeightEncoding::Float,
    };
    // Under layers it is the base that is stored so.
    run_on_base(document, arguments, |draft, job| Ok(draft.store(encoding, &job.scope())))
}

/// The joints that a line names, by their order in the line, as numbers of a job's skin.
fn named_joints(document: &Document, arguments: &Arguments, job: &Job) -> Result<Vec<u16>, CommandError> {
    let nodes = arguments.nodes_in_order(document, "joints")?;
    let number = |n: &NodeId| {
        let label = document.node(*n).label(*n);
        job.canvas.joint(*n).ok_or_else(|| CommandError::Other(format!("“{label}” is no joint of the mesh's skin")))
    };
    nodes.iter().map(number).collect()
}

/// Gives all named vertices the same influences: what was copied from one.
pub(super) fn assign(document: &Document, arguments: &Arguments) -> Result<Done, CommandError> {
    let weights = arguments.list_of_numbers("weights")?;
    if weights.iter().any(|w| *w < 0.0) || weights.iter().sum::<f64>() <= 0.0 {
        return Err(CommandError::Other("“weights” must be 0 or more, and some of them above 0".into()));
    }
    run(document, arguments, |draft, job| {
        let joints = named_joints(document, arguments, job)?;
        if joints.len() != weights.len() {
            return Err(CommandError::Other("“joints” and “weights” must be as many".into()));
        }
        let mut target = Influences::default();
        joints.iter().zip(&weights).filter(|(_, w)| **w > 0.0).for_each(|(j, w)| target.add(*j, *w as f32));
        let scope = job.scope();
        let wanted = (0..job.canvas.vertex_count() as u32).filter(|v| scope.vertices.is_none_or(|l| l[*v as usize]));
        let list: Vec<(u32, Influences)> = wanted.map(|v| (v, target.clone())).collect();
        Ok(draft.put(&scope, list))
    })
}

/// Puts in what a stroke left: slots of vertices, joints by their names.
pub(super) fn set(document: &Document, arguments: &Arguments) -> Result<Vec<Edit>, CommandError> {
    let (mesh, primitive, patch) = slots(document, arguments, false)?;
    check_slots(&patch)?;
    layers::through(document, arguments, vec![Edit::PatchWeights { mesh, primitive, patch: Box::new(patch) }])
}

/// Weights that a line sets are a vertex's whole: from 0 to 1, each joint once, with a sum of 1.
fn check_slots(patch: &WeightPatch) -> Result<(), CommandError> {
    let stride = (patch.sets * 4).max(1);
    let slots = patch.joints.chunks_exact(stride).zip(patch.weights.chunks_exact(stride));
    for (vertex, (joints, weights)) in patch.vertices.iter().zip(slots) {
        let fault = |why: String| Err(CommandError::Other(format!("“weights” of vertex {vertex}: {why}")));
        if let Some(bad) = weights.iter().find(|w| !(0.0..=1.0 + 1e-6).contains(*w)) {
            return fault(format!("{bad} is not between 0 and 1"));
        }
        let sum: f64 = weights.iter().map(|w| f64::from(*w)).sum();
        if (sum - 1.0).abs() > 1e-3 {
            return fault(format!("they sum to {sum:.4}, not to 1"));
        }
        let used: Vec<u16> = joints.iter().zip(weights).filter(|(_, w)| **w > 0.0).map(|(j, _)| *j).collect();
        if (1..used.len()).any(|k| used[..k].contains(&used[k])) {
            return fault("a joint is named twice in “of”".into());
        }
    }
    Ok(())
}

/// The slots that a line names; with `any_sets` as many a vertex as it likes, by fours.
pub(super) fn slots(
    document: &Document,
    arguments: &Arguments,
    any_sets: bool,
) -> Result<(MeshId, usize, WeightPatch), CommandError> {
    let meshes = arguments.meshes(document)?;
    let [mesh] = meshes[..] else {
        return Err(CommandError::Other("name one mesh".into()));
    };
    let primitive = arguments.count("primitive")?.unwrap_or(0);
    let map = document.mesh(mesh).primitives.get(primitive).and_then(|p| p.weights.as_deref());
    let (Some(map), Some(skin)) = (map, skin_of(document, mesh)) else {
        return Err(CommandError::Other(format!("primitive {primitive} of the mesh has no weights")));
    };
    let list = &document.skin(skin).joints;
    let mut names = Vec::new();
    for node in arguments.nodes_in_order(document, "joints")? {
        let Some(k) = list.iter().position(|j| *j == node) else {
            let label = document.node(node).label(node);
            return Err(CommandError::Other(format!("“{label}” is no joint of the mesh's skin")));
        };
        names.push(k as u16);
    }
    let vertices = arguments.counts("vertices")?.unwrap_or_default();
    let of = arguments.counts("of")?.unwrap_or_default();
    let weights = arguments.list_of_numbers("weights")?;
    let given =
        of.len().checked_div(vertices.len()).filter(|s| any_sets && s.is_multiple_of(4) && (4..=MOST).contains(s));
    let stride = given.unwrap_or_else(|| map.stride());
    if of.len() != vertices.len() * stride || weights.len() != of.len() {
        let message = format!("“of” and “weights” need {stride} numbers a vertex, as many as the mesh has");
        return Err(CommandError::Other(message));
    }
    let mut patch = WeightPatch::new(stride / 4, vertices.len());
    if let Some(past) = vertices.iter().find(|v| **v as usize >= map.vertex_count()) {
        let count = map.vertex_count();
        return Err(CommandError::Other(format!("“vertices” names {past}; the primitive has {count} vertices")));
    }
    patch.vertices = vertices;
    let mut seen = BTreeSet::new();
    if !patch.vertices.iter().all(|v| seen.insert(*v)) {
        return Err(CommandError::Other("a vertex is named twice".into()));
    }
    for (of, weight) in of.iter().zip(&weights) {
        let joint = if *weight == 0.0 { Some(&0) } else { names.get(*of as usize) };
        patch
            .joints
            .push(*joint.ok_or_else(|| CommandError::Other(format!("“of” names joint {of} of {}", names.len())))?);
        patch.weights.push(*weight as f32);
    }
    Ok((mesh, primitive, patch))
}

/// The line that does what an edit of weights did; nothing for other edits.
pub(super) fn line_of(document: &Document, edit: &Edit) -> Option<CommandLine> {
    let Edit::PatchWeights { mesh, primitive, patch } = edit else { return None };
    slots_line(document, "weights.set", *mesh, *primitive, (&patch.vertices, &patch.joints, &patch.weights))
}

/// A line that names slots of vertices.
pub(super) fn slots_line(
    document: &Document,
    command: &str,
    mesh: MeshId,
    primitive: usize,
    (vertices, joints, weights): (&[u32], &[u16], &[f32]),
) -> Option<CommandLine> {
    let list = &document.skin(skin_of(document, mesh)?).joints;
    let used: BTreeSet<u16> = joints.iter().zip(weights).filter(|(_, w)| **w != 0.0).map(|(j, _)| *j).collect();
    let used: Vec<u16> = used.into_iter().filter(|j| usize::from(*j) < list.len()).collect();
    let names: Vec<String> =
        used.iter().map(|j| super::arguments::node_text(document, list[usize::from(*j)])).collect();
    let of: Vec<Value> = joints
        .iter()
        .zip(weights)
        .map(|(j, w)| if *w == 0.0 { 0 } else { used.binary_search(j).unwrap_or(0) }.into())
        .collect();
    let line = CommandLine::new(command)
        .with("mesh", mesh_text(document, mesh))
        .with("primitive", primitive)
        .with("joints", names)
        .with("vertices", vertices.to_vec())
        .with("of", of)
        // Twice as precise as needed, so that what is read is what was written.
        .with("weights", json!(weights.iter().map(|w| f64::from(*w)).collect::<Vec<f64>>()));
    Some(line)
}
