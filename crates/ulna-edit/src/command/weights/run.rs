//! Runs weight tools: finds the surfaces and vertices of a command, and makes edits from the
//! results.

use std::collections::{BTreeMap, BTreeSet};

use crate::{
    Edit,
    command::{
        CommandError, Outcome,
        field::{Nodes, Reach, meshes_of},
        mesh_skins::{skin_for, skin_label, skin_labels, skins_of},
        names::mesh_label,
        vertex_terms::vertex_query_error,
        weight_layers::{BASE, on_base, through},
    },
};
use ulna_model::{Document, MeshId, NodeId, Notice, PrimitiveId, Shared, SkinId, WeightMap};
use ulna_weights::{
    Claimed, CrossSkinSeams, PartChange, Refused, Scope, SkinnedSurface, SurfacePart,
    WorkingWeights,
};

/// A surface, with the locked joints, the influence limit and the vertices of a command.
pub(super) struct Job {
    pub(super) canvas: SkinnedSurface,
    pub(super) locked: Vec<bool>,
    pub(super) limit: usize,
    pub(super) vertices: Option<Vec<bool>>,
}

impl Job {
    pub(super) fn scope(&self) -> Scope<'_> {
        Scope { locked: &self.locked, limit: self.limit, vertices: self.vertices.as_deref() }
    }
}

/// Returns one job per skin for the scope of a command: all weights of the file, a mesh, a
/// primitive or some vertices. A mesh with several skins is changed once, with the skin that
/// contains the largest number of `joints`.
pub(super) fn jobs(
    document: &Document,
    reach: &Reach,
    joints: &[&Nodes],
) -> Result<Vec<Job>, CommandError> {
    let meshes: BTreeSet<MeshId> = meshes_of(document, reach.mesh.as_ref())?.into_iter().collect();
    let primitive = reach.primitive;
    let vertices = reach.vertices.as_ref().map(|v| &v.vertices);
    let locked = reach.locked.as_ref().map(|l| l.all(document)).transpose()?;
    let locked: BTreeSet<NodeId> = locked.unwrap_or_default().into_iter().collect();
    let most = reach.most.unwrap_or(usize::MAX);
    if most == 0 {
        return Err(CommandError::other("no_joints_meant", "“most” is 0, but must be 1 or more"));
    }
    let mut named: BTreeSet<NodeId> =
        joints.iter().filter_map(|j| j.all(document).ok()).flatten().collect();
    named.extend(vertices.iter().flat_map(|v| v.joints(document)));
    let mut owners: BTreeMap<MeshId, Option<SkinId>> = BTreeMap::new();
    let mut any = false;
    let mut list = Vec::new();
    for skin in document.skins.ids() {
        let Some(canvas) = SkinnedSurface::new(document, skin) else { continue };
        let meant = |part: &SurfacePart| {
            let is_named = meshes.is_empty() || meshes.contains(&part.mesh);
            let mut owner = || {
                *owners.entry(part.mesh).or_insert_with(|| skin_for(document, part.mesh, &named))
            };
            let meant =
                is_named && primitive.is_none_or(|k| k == part.primitive) && owner() == Some(skin);
            any |= meant;
            meant
        };
        let meant: Vec<bool> = canvas.parts().iter().map(meant).collect();
        let wanted = match &vertices {
            Some(vertices) => vertices
                .mark(document, &canvas, &meant)
                .map_err(|why| vertex_query_error(document, &canvas, why))?,
            None => {
                let mut wanted = vec![false; canvas.vertex_count()];
                for (part, _) in canvas.parts().iter().zip(&meant).filter(|(_, meant)| **meant) {
                    wanted[part.first as usize..(part.first + part.count) as usize].fill(true);
                }
                wanted
            }
        };
        if wanted.contains(&true) {
            let locked = locked_slots(document, &canvas, &locked);
            let all = !wanted.contains(&false);
            list.push(Job { canvas, locked, limit: most, vertices: (!all).then_some(wanted) });
        }
    }
    if list.is_empty() && vertices.is_some() && any {
        return Err(CommandError::other("no_vertices_meant", "“vertices” matches no vertex"));
    }
    if list.is_empty() {
        return Err(CommandError::other(
            "no_weights_meant",
            "no mesh with weights was found; name a skinned mesh",
        ));
    }
    Ok(list)
}

/// Returns one flag per joint index of a skin: whether it is locked. An index is also locked if it
/// belongs to a locked joint in another skin of the mesh.
fn locked_slots(
    document: &Document,
    canvas: &SkinnedSurface,
    locked: &BTreeSet<NodeId>,
) -> Vec<bool> {
    let mut slots: Vec<bool> = canvas.joints().iter().map(|j| locked.contains(j)).collect();
    let meshes: BTreeSet<MeshId> = canvas.parts().iter().map(|p| p.mesh).collect();
    for skin in meshes
        .into_iter()
        .flat_map(|m| skins_of(document, m))
        .filter(|s| !locked.is_empty() && *s != canvas.skin)
    {
        let others = document.skin(skin).joints.iter();
        slots.iter_mut().zip(others).for_each(|(slot, joint)| *slot |= locked.contains(joint));
    }
    slots
}

/// Result of a tool on one surface.
pub(super) struct ToolResult {
    pub(super) canvas: SkinnedSurface,
    pub(super) changes: Vec<(usize, PartChange)>,
    /// Number of unchanged vertices per reason.
    pub(super) left: BTreeMap<String, usize>,
}

/// Returns the number of unchanged vertices per reason, with the reasons in words.
pub(super) fn reasons(refused: &Refused) -> BTreeMap<String, usize> {
    refused.iter().map(|(why, count)| (why.to_string(), *count)).collect()
}

/// Runs a tool on each job, and returns the changes as edits. If there are layers, one of them
/// receives the changes.
pub(super) fn run(
    document: &Document,
    reach: &Reach,
    verb: &str,
    tool: impl FnMut(&mut WorkingWeights<'_>, &Job) -> Result<Refused, CommandError>,
) -> Result<Outcome, CommandError> {
    run_for(document, reach, &[], verb, tool)
}

/// Runs a tool as [`run`] does, but a mesh with several skins uses the skin that contains the
/// largest number of `joints`.
pub(super) fn run_for(
    document: &Document,
    reach: &Reach,
    joints: &[&Nodes],
    verb: &str,
    mut tool: impl FnMut(&mut WorkingWeights<'_>, &Job) -> Result<Refused, CommandError>,
) -> Result<Outcome, CommandError> {
    run_all(document, reach, verb, |document| each_job(document, reach, joints, &mut tool))
}

/// Runs a tool as [`run`] does, but on the base weights below the layers.
pub(super) fn run_on_base(
    document: &Document,
    reach: &Reach,
    verb: &str,
    mut tool: impl FnMut(&mut WorkingWeights<'_>, &Job) -> Result<Refused, CommandError>,
) -> Result<Outcome, CommandError> {
    run_all_on_base(document, verb, |document| each_job(document, reach, &[], &mut tool))
}

/// Runs a tool on each job of a command, and returns the results.
fn each_job(
    document: &Document,
    reach: &Reach,
    joints: &[&Nodes],
    tool: &mut impl FnMut(&mut WorkingWeights<'_>, &Job) -> Result<Refused, CommandError>,
) -> Result<Vec<ToolResult>, CommandError> {
    jobs(document, reach, joints)?
        .into_iter()
        .map(|job| done_by(document, job, &mut *tool))
        .collect()
}

pub(super) fn done_by(
    document: &Document,
    job: Job,
    mut tool: impl FnMut(&mut WorkingWeights<'_>, &Job) -> Result<Refused, CommandError>,
) -> Result<ToolResult, CommandError> {
    let mut draft = WorkingWeights::new(document, &job.canvas);
    let left = reasons(&tool(&mut draft, &job)?);
    let changes = draft.changes(document);
    Ok(ToolResult { canvas: job.canvas, changes, left })
}

/// Runs a tool on several surfaces, and returns the changes as edits. If there are layers, one of
/// them receives the changes.
pub(super) fn run_all(
    document: &Document,
    reach: &Reach,
    verb: &str,
    tool: impl FnOnce(&Document) -> Result<Vec<ToolResult>, CommandError>,
) -> Result<Outcome, CommandError> {
    if reach.layer.as_deref() == Some(BASE) {
        return run_all_on_base(document, verb, tool);
    }
    let done = gathered(document, verb, tool(document)?);
    let edits = through(document, reach.layer.as_deref(), reach.mesh.as_ref(), done.edits)?;
    Ok(Outcome { edits, ..done })
}

fn run_all_on_base(
    document: &Document,
    verb: &str,
    tool: impl FnOnce(&Document) -> Result<Vec<ToolResult>, CommandError>,
) -> Result<Outcome, CommandError> {
    let mut notes = Vec::new();
    let edits = on_base(document, |document| {
        let done = gathered(document, verb, tool(document)?);
        notes = done.notes;
        Ok(done.edits)
    })?;
    Ok(Outcome { edits, notes, ..Outcome::default() })
}

/// Converts results of tools to edits of weights, with notices.
fn gathered(document: &Document, verb: &str, all: Vec<ToolResult>) -> Outcome {
    let mut edits = Vec::new();
    let (mut left, mut touched) = (BTreeMap::<String, usize>::new(), 0);
    // Changes of coincident vertices in other skins come after all jobs, so that both sides of a
    // seam are equal.
    let (mut claimed, mut seams) = (Claimed::new(), Vec::new());
    for ToolResult { canvas, mut changes, left: why } in all {
        let found = if changes.is_empty() {
            CrossSkinSeams::default()
        } else {
            CrossSkinSeams::of(document, &canvas)
        };
        let (patches, open) = found.follow(document, &canvas, &mut changes, true, &mut claimed);
        for (why, count) in why.into_iter().chain(reasons(&open)) {
            *left.entry(why).or_default() += count;
        }
        for (k, change) in changes {
            let (mesh, primitive) = (canvas.parts()[k].mesh, canvas.parts()[k].primitive);
            touched += match &change {
                PartChange::Patch(patch) => patch.vertices.len(),
                PartChange::Whole(map) => differing(document, mesh, primitive, map),
            };
            match change {
                PartChange::Patch(patch) if patch.vertices.is_empty() => {}
                PartChange::Patch(patch) => {
                    edits.push(Edit::PatchWeights { mesh, primitive, patch: Box::new(patch) })
                }
                PartChange::Whole(map) => {
                    edits.push(Edit::SetWeights { mesh, primitive, to: Shared::new(map) })
                }
            }
        }
        seams.extend(patches);
    }
    let patch =
        |(mesh, primitive, patch)| Edit::PatchWeights { mesh, primitive, patch: Box::new(patch) };
    edits.extend(seams.into_iter().map(patch));
    let said = |(why, count): (&String, &usize)| match count {
        1 => format!("1 vertex left unchanged: {why}"),
        n => format!("{n} vertices left unchanged: {why}"),
    };
    // Of several reasons with the same count, the last in alphabetical order is chosen, so that the
    // message is reproducible.
    let most = left.iter().max_by_key(|(_, count)| **count).map(said);
    // This is a notice, not an error, because repeating a command that has nothing left to do must
    // succeed.
    let left = most.map(|why| Notice::new("vertices_left", why));
    let done = (touched > 0).then(|| match touched {
        1 => Notice::new("vertices_changed", format!("{verb} 1 vertex")),
        n => Notice::new("vertices_changed", format!("{verb} {n} vertices")),
    });
    let both = edits.iter().find_map(|edit| match edit {
        Edit::PatchWeights { mesh, .. } | Edit::SetWeights { mesh, .. } => {
            shared_by(document, *mesh)
        }
        _ => None,
    });
    let both = both.map(|said| Notice::new("weights_are_shared", said));
    Outcome {
        edits,
        notes: done.into_iter().chain(both).chain(left).collect(),
        ..Outcome::default()
    }
}

/// Describes a mesh with several skins that share its weights but have different joints; `None` for
/// other meshes.
fn shared_by(document: &Document, mesh: MeshId) -> Option<String> {
    let skins = skins_of(document, mesh);
    let first = document.skin(*skins.first()?);
    let differs = skins.iter().any(|s| document.skin(*s).joints != first.joints);
    differs.then(|| {
        let (mesh, skins) = (mesh_label(document, mesh), skin_labels(document, &skins));
        format!("“{mesh}” is used with {skins}, which share its weights")
    })
}

/// Number of vertices of a primitive whose weights differ from a map.
fn differing(document: &Document, mesh: MeshId, primitive: PrimitiveId, to: &WeightMap) -> usize {
    let now = document.primitive(mesh, primitive).and_then(|p| p.weights.as_deref());
    let Some(now) = now.filter(|now| now.sets == to.sets) else { return to.vertex_count() };
    let stride = to.stride();
    let slots = |map: &WeightMap, v: usize| {
        (map.joints[v * stride..][..stride].to_vec(), map.weights[v * stride..][..stride].to_vec())
    };
    (0..to.vertex_count()).filter(|v| slots(now, *v) != slots(to, *v)).count()
}

/// Returns the index of a single joint in a job's skin.
pub(super) fn joint_of(document: &Document, joint: &Nodes, job: &Job) -> Result<u16, CommandError> {
    let nodes = joint.all(document)?;
    let [node] = nodes[..] else {
        return Err(CommandError::other("one_node_wanted", "name one joint"));
    };
    number_of(document, node, &job.canvas)
}

/// Returns the indices of joints in a job's skin.
pub(super) fn joints_of(
    document: &Document,
    joints: &Nodes,
    job: &Job,
) -> Result<Vec<u16>, CommandError> {
    joints.all(document)?.into_iter().map(|node| number_of(document, node, &job.canvas)).collect()
}

/// Returns the index of a joint in the skin of a surface.
pub(super) fn number_of(
    document: &Document,
    node: NodeId,
    canvas: &SkinnedSurface,
) -> Result<u16, CommandError> {
    canvas.joint(node).ok_or_else(|| {
        let label = document.node(node).label(node);
        let shared =
            canvas.parts().iter().map(|p| p.mesh).find(|m| skins_of(document, *m).len() > 1);
        CommandError::other(
            "not_a_joint",
            match shared {
                Some(mesh) => format!(
                    "“{label}” is not a joint of {}; “{}” is used with {}, so name joints of one \
                        of them",
                    skin_label(document, canvas.skin),
                    mesh_label(document, mesh),
                    skin_labels(document, &skins_of(document, mesh))
                ),
                None => format!("“{label}” is not a joint of the skin of the mesh"),
            },
        )
    })
}
