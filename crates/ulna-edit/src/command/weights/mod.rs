//! Commands on weights: the tools of `crate::weights` on the vertices that a line names, and
//! strokes as lines of text.

mod bind;
pub(super) use self::bind::bind_bare;
mod mirror;
pub use self::mirror::meshes_of_body;
mod transfer;
pub use self::transfer::{joint_named, uv_of};

use std::collections::{BTreeMap, BTreeSet};

use glam::Vec3;
use serde_json::{Value, json};

use super::{
    CommandError, CommandLine, Outcome, Scene,
    define::document_commands,
    field::{
        Bits, CarryWay, Counts, Curve, How, Meshes, MirrorWay, Nodes, Numbers, Reach, Side,
        VertexList, VertexTerms, meshes_of,
    },
    layers, rules,
    vertex_terms::{PastEnd, Untold},
};
use crate::Edit;
use ulna_model::{
    Document, MeshId, NodeId, Notice, PrimitiveId, Shared, SkinId, WeightEncoding, WeightMap,
    WeightPatch,
};
use ulna_motion::{Pose, Stack, ik};
use ulna_weights::{
    Brush, BrushKind, Claimed, Falloff, Influences, MOST, PartChange, Refused, Scope, Seams,
    SkinnedSurface, SurfacePart, WorkingWeights, gradient,
};

document_commands! {
    /// Commands on weights.
    WeightCommand in "Weights";

    /// Mirrors the weights of one side, left or right, to the mirror joints of the other side
    MirrorWeights {
        /// Side to copy from.
        from: Side,
        /// Matching of mirrored vertices: by position or by texture coordinates.
        by: Option<MirrorWay>,
        /// Vertices and joints that may change.
        reach: Reach,
    } = "weights.mirror", "Mirror weights", asks: true, enabled: rules::weighted;
    /// Computes weights for skinned meshes that have none
    Bind {
        /// Meshes to bind; all if omitted.
        mesh: Option<Meshes>,
        /// Primitive of the meshes; all if omitted.
        primitive: Option<PrimitiveId>,
        /// Maximum number of influences per vertex; 4 if omitted.
        most: Option<usize>,
        /// Number of smoothing passes; 3 if omitted.
        passes: Option<usize>,
    } = "weights.bind", "Bind to the nearest bones", enabled: rules::bare;
    /// Sets the mirror joint of a joint; a center joint is paired with itself
    PairJoints {
        /// Joint to edit.
        joint: Nodes,
        /// Its mirror joint; none if omitted.
        with: Option<Nodes>,
    } = "joints.pair", "Pair mirror joints", asks: true, enabled: rules::weighted;
    /// Copies weights from another mesh
    Transfer {
        /// Mesh to copy from.
        from: Meshes,
        /// Matching by nearest surface point, texture coordinates or vertex order.
        by: Option<CarryWay>,
        /// Vertices and joints that may change.
        reach: Reach,
    } = "weights.transfer", "Transfer from a mesh", asks: true, enabled: rules::weighted;
    /// Normalizes weights so that they sum to 1 per vertex
    Normalize {
        /// Vertices and joints that may change.
        reach: Reach,
    } = "weights.normalize", "Normalize", enabled: rules::weighted;
    /// Keeps only the strongest influences of each vertex
    Limit {
        /// Maximum number of influences per vertex.
        most: usize,
        /// Meshes to change; all if omitted.
        mesh: Option<Meshes>,
        /// Primitive of the meshes; all if omitted.
        primitive: Option<PrimitiveId>,
        /// Vertices to change; all if omitted.
        vertices: Option<VertexTerms>,
        /// Joints that keep their weights.
        locked: Option<Nodes>,
        /// Weight layer that receives the result.
        layer: Option<String>,
    } = "weights.limit", "Limit influences", asks: true, enabled: rules::weighted;
    /// Removes weights below a value
    Prune {
        /// Lowest weight to keep.
        below: f32,
        /// Joints to prune; all if omitted.
        joint: Option<Nodes>,
        /// Vertices and joints that may change.
        reach: Reach,
    } = "weights.prune", "Prune", asks: true, enabled: rules::weighted;
    /// Rounds weights to equal steps, such as 10 steps of 0.1
    Quantize {
        /// Number of steps from 0 to 1.
        steps: usize,
        /// Vertices and joints that may change.
        reach: Reach,
    } = "weights.quantize", "Quantize", asks: true, enabled: rules::weighted;
    /// Moves weights toward the mean of their neighbors
    Smooth {
        /// Number of passes; 1 if omitted.
        passes: Option<usize>,
        /// Amount per pass; 100 % if omitted.
        amount: Option<f32>,
        /// Joint to smooth; all if omitted.
        joint: Option<Nodes>,
        /// Vertices and joints that may change.
        reach: Reach,
    } = "weights.smooth", "Smooth", menu: "Weights/Smooth", enabled: rules::weighted;
    /// Smooths weights, with more influence of near neighbors
    Relax {
        /// Number of passes; 1 if omitted.
        passes: Option<usize>,
        /// Amount per pass; 100 % if omitted.
        amount: Option<f32>,
        /// Joint to smooth; all if omitted.
        joint: Option<Nodes>,
        /// Volume to keep when joints bend by 60 degrees; not checked if omitted.
        volume: Option<f32>,
        /// Vertices and joints that may change.
        reach: Reach,
    } = "weights.relax", "Relax", menu: "Weights/Smooth", enabled: rules::weighted;
    /// Replaces the weights of outliers by those of their neighbors
    Hammer {
        /// Outliers are vertices that share less weight than this with their neighbors; 40 % if
        /// omitted.
        in_common: Option<f32>,
        /// Vertices and joints that may change.
        reach: Reach,
    } = "weights.hammer", "Hammer weights", menu: "Weights/Smooth", enabled: rules::weighted;
    /// Sets the weight of a joint on all vertices, or on the given ones
    Flood {
        /// Joint to edit.
        joint: Nodes,
        /// Weight to set; full weight if omitted.
        value: Option<f32>,
        /// Operation; replaces if omitted.
        how: Option<How>,
        /// Amount per pass; 100 % if omitted.
        amount: Option<f32>,
        /// Vertices and joints that may change.
        reach: Reach,
    } = "weights.flood", "Flood", menu: "Weights/Fill", enabled: rules::weighted;
    /// Sets the weight of a joint by a gradient between two points
    Gradient {
        /// Joint to edit.
        joint: Nodes,
        /// Start point on the mesh at rest.
        from: Vec3,
        /// End point, where the weight has faded out.
        to: Vec3,
        /// Whether the weight fades in all directions; it fades along the line if omitted.
        radial: Option<bool>,
        /// Fall-off curve; linear if omitted.
        curve: Option<Curve>,
        /// Weight to set; full weight if omitted.
        value: Option<f32>,
        /// Operation; replaces if omitted.
        how: Option<How>,
        /// Amount per pass; 100 % if omitted.
        amount: Option<f32>,
        /// Vertices and joints that may change.
        reach: Reach,
    } = "weights.gradient", "Gradient", menu: "Weights/Fill", asks: true, enabled: rules::weighted;
    /// Redistributes the weights of a limb among its joints, by the position along it
    Along {
        /// Joint at the end of the limb.
        to: Nodes,
        /// First joint of the limb; found from the last one if omitted.
        from: Option<Nodes>,
        /// Width of the transition at a joint; 100 % is half of the shorter adjacent bone; 100 % if
        /// omitted.
        width: Option<f32>,
        /// Curve of the transition; smooth if omitted.
        curve: Option<Curve>,
        /// Vertices and joints that may change.
        reach: Reach,
    } = "weights.along", "Gradient along a limb", menu: "Weights/Fill", asks: true,
        enabled: rules::weighted;
    /// Averages the weights of the selected vertices
    Average {
        /// Vertices and joints that may change.
        reach: Reach,
    } = "weights.average", "Average", menu: "Weights/Vertices", enabled: rules::with_vertices;
    /// Sets weights of vertices: the same for all, or one row per vertex
    Assign {
        /// Joints whose weights are set, one per number of a row.
        joints: Nodes,
        /// One weight per joint, or one row of weights per vertex.
        weights: Numbers,
        /// Vertices and joints that may change.
        reach: Reach,
    } = "weights.assign", "Assign", menu: "Weights/Vertices", asks: true, enabled: rules::weighted;
    /// Swaps the weights of two joints
    SwapJoints {
        /// First joint.
        joint: Nodes,
        /// Second joint.
        with: Nodes,
        /// Vertices and joints that may change.
        reach: Reach,
    } = "weights.swap", "Swap the weights of two joints", menu: "Weights/Joints", asks: true,
        enabled: rules::weighted;
    /// Moves all weights of some joints to one joint
    MergeJoints {
        /// Joints whose weights are moved.
        from: Nodes,
        /// Joint that receives these weights.
        into: Nodes,
        /// Vertices and joints that may change.
        reach: Reach,
    } = "weights.merge", "Merge the weights of joints", menu: "Weights/Joints", asks: true,
        enabled: rules::weighted;
    /// Changes the number of influence sets (JOINTS_n) in the file
    Sets {
        /// Number of sets of four influences.
        sets: usize,
        /// Meshes to change; all if omitted.
        mesh: Option<Meshes>,
        /// Primitive of the meshes; all if omitted.
        primitive: Option<PrimitiveId>,
        /// Joints that keep their weights.
        locked: Option<Nodes>,
    } = "weights.sets", "Influence sets…", asks: true, enabled: rules::weighted;
    /// Stores weights with 8, 16 or 32 bits; previews the error
    Store {
        /// Bits per weight.
        bits: Bits,
        /// Meshes to change; all if omitted.
        mesh: Option<Meshes>,
        /// Primitive of the meshes; all if omitted.
        primitive: Option<PrimitiveId>,
    } = "weights.store", "Weight precision", asks: true, enabled: rules::weighted;
    /// Sets the weights of vertices, as a brush stroke does
    SetWeights {
        /// Mesh of the vertices.
        mesh: Meshes,
        /// Primitive of the mesh; the first if omitted.
        primitive: Option<PrimitiveId>,
        /// Joints that `of` refers to.
        joints: Nodes,
        /// Vertices to set.
        vertices: VertexList,
        /// Index into `joints`, per vertex and slot.
        of: Counts,
        /// Weight per vertex and slot.
        weights: Numbers,
        /// Weight layer that receives the result.
        layer: Option<String>,
    } = "weights.set", "Set weights", asks: true, enabled: rules::weighted;
}

/// What of the weights a command may touch, as far as it takes it.
#[derive(Debug)]
pub struct Touch<'a> {
    /// Meshes.
    pub mesh: Option<&'a mut Option<Meshes>>,
    /// A primitive of them.
    pub primitive: Option<&'a mut Option<PrimitiveId>>,
    /// Vertices of them.
    pub vertices: Option<&'a mut Option<VertexTerms>>,
    /// Joints whose weights stay.
    pub locked: Option<&'a mut Option<Nodes>>,
    /// Joints a vertex has at most.
    pub most: Option<&'a mut Option<usize>>,
    /// The weight layer that takes the result.
    pub layer: Option<&'a mut Option<String>>,
    /// Whether it does to all of the surface what the brush does to a spot, so that what is hidden
    /// is not meant.
    pub of_brush: bool,
}

impl<'a> Touch<'a> {
    fn of(reach: &'a mut Reach, of_brush: bool) -> Self {
        Self {
            mesh: Some(&mut reach.mesh),
            primitive: Some(&mut reach.primitive),
            vertices: Some(&mut reach.vertices),
            locked: Some(&mut reach.locked),
            most: Some(&mut reach.most),
            layer: Some(&mut reach.layer),
            of_brush,
        }
    }

    pub(super) const fn nothing() -> Self {
        Self {
            mesh: None,
            primitive: None,
            vertices: None,
            locked: None,
            most: None,
            layer: None,
            of_brush: false,
        }
    }
}

impl WeightCommand {
    pub(super) fn touch(&mut self) -> Option<Touch<'_>> {
        let touch = match self {
            Self::MirrorWeights(MirrorWeights { reach, .. })
            | Self::Transfer(Transfer { reach, .. })
            | Self::Normalize(Normalize { reach })
            | Self::Prune(Prune { reach, .. })
            | Self::Quantize(Quantize { reach, .. })
            | Self::Relax(Relax { reach, .. })
            | Self::Hammer(Hammer { reach, .. })
            | Self::Average(Average { reach })
            | Self::SwapJoints(SwapJoints { reach, .. })
            | Self::MergeJoints(MergeJoints { reach, .. })
            | Self::Assign(Assign { reach, .. }) => Touch::of(reach, false),
            Self::Smooth(Smooth { reach, .. })
            | Self::Flood(Flood { reach, .. })
            | Self::Gradient(Gradient { reach, .. })
            | Self::Along(Along { reach, .. }) => Touch::of(reach, true),
            Self::Limit(Limit { mesh, primitive, vertices, locked, layer, .. }) => Touch {
                mesh: Some(mesh),
                primitive: Some(primitive),
                vertices: Some(vertices),
                locked: Some(locked),
                layer: Some(layer),
                ..Touch::nothing()
            },
            Self::Sets(Sets { mesh, primitive, locked, .. }) => Touch {
                mesh: Some(mesh),
                primitive: Some(primitive),
                locked: Some(locked),
                ..Touch::nothing()
            },
            Self::Store(Store { mesh, primitive, .. }) => {
                Touch { mesh: Some(mesh), primitive: Some(primitive), ..Touch::nothing() }
            }
            Self::SetWeights(SetWeights { primitive, layer, .. }) => {
                Touch { primitive: Some(primitive), layer: Some(layer), ..Touch::nothing() }
            }
            // What has no weights is no part of what is painted.
            Self::Bind(_) | Self::PairJoints(_) => return None,
        };
        Some(touch)
    }
}

/// A canvas with what a line touches of it.
struct Job {
    canvas: SkinnedSurface,
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
    skins_of(document, mesh).first().copied()
}

/// The skins that a mesh is shown on, each once. Its weights count the joints of each of them.
fn skins_of(document: &Document, mesh: MeshId) -> Vec<SkinId> {
    let mut skins = Vec::new();
    for node in document
        .shown_nodes()
        .into_iter()
        .map(|n| document.node(n))
        .filter(|n| n.mesh == Some(mesh))
    {
        skins.extend(node.skin.filter(|s| !skins.contains(s)));
    }
    skins
}

/// Of the skins that a mesh is shown on, the first that has the most of some joints.
fn skin_for(document: &Document, mesh: MeshId, joints: &BTreeSet<NodeId>) -> Option<SkinId> {
    let skins = skins_of(document, mesh);
    let has =
        |skin: &SkinId| document.skin(*skin).joints.iter().filter(|j| joints.contains(j)).count();
    let most = skins.iter().map(has).max()?;
    skins.into_iter().find(|s| has(s) == most)
}

/// What a line touches, skin by skin: all weights of the file, or those of a mesh, a primitive,
/// some vertices. A mesh that hangs on several skins is touched once, with the one that has the
/// joints which the line names.
fn jobs(document: &Document, reach: &Reach, joints: &[&Nodes]) -> Result<Vec<Job>, CommandError> {
    let meshes: BTreeSet<MeshId> = meshes_of(document, reach.mesh.as_ref())?.into_iter().collect();
    let primitive = reach.primitive;
    let vertices = reach.vertices.as_ref().map(|v| &v.vertices);
    let locked = reach.locked.as_ref().map(|l| l.all(document)).transpose()?;
    let locked: BTreeSet<NodeId> = locked.unwrap_or_default().into_iter().collect();
    let most = reach.most.unwrap_or(usize::MAX);
    if most == 0 {
        return Err(CommandError::other("no_joints_meant", "a vertex needs at least one joint"));
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

/// Which of a skin's joints stay, as the weights count them: also where the joint of another skin
/// that a mesh hangs on has that number.
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

/// Why vertices cannot be told, as a sentence.
pub fn vertex_query_error(
    document: &Document,
    canvas: &SkinnedSurface,
    why: Untold,
) -> CommandError {
    match why {
        Untold::Joint(error) => error.into(),
        Untold::Past(PastEnd { part, range }) => {
            let part = &canvas.parts()[part];
            CommandError::other(
                "no_such_vertex",
                format!(
                    "vertices {} to {} do not exist; primitive {} of “{}” has only {}",
                    range.start,
                    range.end.saturating_sub(1),
                    part.primitive,
                    mesh_label(document, part.mesh),
                    part.count
                ),
            )
        }
    }
}

/// The name of a mesh, or `#N`.
pub fn mesh_label(document: &Document, mesh: MeshId) -> String {
    match document.meshes.get(mesh).and_then(|m| m.name.as_deref()) {
        Some(name) if !name.is_empty() => name.to_owned(),
        _ => format!("#{}", mesh.0),
    }
}

/// What names a mesh in a line: its name where it alone has it.
pub fn mesh_text(document: &Document, mesh: MeshId) -> String {
    let label = mesh_label(document, mesh);
    let alone =
        document.meshes.values().filter(|m| m.name.as_deref() == Some(&*label)).count() == 1;
    if alone && !label.contains(['*', '#']) {
        return label;
    }
    super::arguments::index_text(mesh.0, document.meshes.values().map(|m| m.name.as_deref()))
}

/// What a tool made of one canvas.
struct Done {
    canvas: SkinnedSurface,
    changes: Vec<(usize, PartChange)>,
    /// Vertices that were left as they are, by the reason.
    left: BTreeMap<String, usize>,
}

/// Reasons as sentences.
fn reasons(refused: &Refused) -> BTreeMap<String, usize> {
    refused.iter().map(|(why, count)| (why.to_string(), *count)).collect()
}

/// Runs a tool on every job, and gives what changed as edits. Where there are layers, one of them
/// takes it.
fn run(
    document: &Document,
    reach: &Reach,
    verb: &str,
    tool: impl FnMut(&mut WorkingWeights<'_>, &Job) -> Result<Refused, CommandError>,
) -> Result<Outcome, CommandError> {
    run_for(document, reach, &[], verb, tool)
}

/// As [`run`], for joints that the line names: a mesh that hangs on several skins is taken with the
/// one that has them.
fn run_for(
    document: &Document,
    reach: &Reach,
    joints: &[&Nodes],
    verb: &str,
    mut tool: impl FnMut(&mut WorkingWeights<'_>, &Job) -> Result<Refused, CommandError>,
) -> Result<Outcome, CommandError> {
    run_all(document, reach, verb, |document| each_job(document, reach, joints, &mut tool))
}

/// As [`run`], on what lies under layers.
fn run_on_base(
    document: &Document,
    reach: &Reach,
    verb: &str,
    mut tool: impl FnMut(&mut WorkingWeights<'_>, &Job) -> Result<Refused, CommandError>,
) -> Result<Outcome, CommandError> {
    run_all_on_base(document, verb, |document| each_job(document, reach, &[], &mut tool))
}

/// What a tool makes of every job.
fn each_job(
    document: &Document,
    reach: &Reach,
    joints: &[&Nodes],
    tool: &mut impl FnMut(&mut WorkingWeights<'_>, &Job) -> Result<Refused, CommandError>,
) -> Result<Vec<Done>, CommandError> {
    jobs(document, reach, joints)?
        .into_iter()
        .map(|job| done_by(document, job, &mut *tool))
        .collect()
}

fn done_by(
    document: &Document,
    job: Job,
    mut tool: impl FnMut(&mut WorkingWeights<'_>, &Job) -> Result<Refused, CommandError>,
) -> Result<Done, CommandError> {
    let mut draft = WorkingWeights::new(document, &job.canvas);
    let left = reasons(&tool(&mut draft, &job)?);
    let changes = draft.changes(document);
    Ok(Done { canvas: job.canvas, changes, left })
}

/// Gives what a tool makes of canvases as edits. Where there are layers, one of them takes it.
fn run_all(
    document: &Document,
    reach: &Reach,
    verb: &str,
    tool: impl FnOnce(&Document) -> Result<Vec<Done>, CommandError>,
) -> Result<Outcome, CommandError> {
    if reach.layer.as_deref() == Some(layers::BASE) {
        return run_all_on_base(document, verb, tool);
    }
    let done = gathered(document, verb, tool(document)?);
    let edits = layers::through(document, reach.layer.as_deref(), reach.mesh.as_ref(), done.edits)?;
    Ok(Outcome { edits, ..done })
}

fn run_all_on_base(
    document: &Document,
    verb: &str,
    tool: impl FnOnce(&Document) -> Result<Vec<Done>, CommandError>,
) -> Result<Outcome, CommandError> {
    let mut notes = Vec::new();
    let edits = layers::on_base(document, |document| {
        let done = gathered(document, verb, tool(document)?);
        notes = done.notes;
        Ok(done.edits)
    })?;
    Ok(Outcome { edits, notes, ..Outcome::default() })
}

/// What was done to canvases as edits of the weights themselves, and what is said of it.
fn gathered(document: &Document, verb: &str, all: Vec<Done>) -> Outcome {
    let mut edits = Vec::new();
    let (mut left, mut touched) = (BTreeMap::<String, usize>::new(), 0);
    // What one skin's job changes of another's vertices comes after all jobs: it is what both sides
    // of a seam have.
    let (mut claimed, mut seams) = (Claimed::new(), Vec::new());
    for Done { canvas, mut changes, left: why } in all {
        let found =
            if changes.is_empty() { Seams::default() } else { Seams::of(document, &canvas) };
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
        1 => format!("1 vertex: {why}"),
        n => format!("{n} vertices: {why}"),
    };
    // Of equally many, the reason that comes last in the alphabet: any rule will do, so that the
    // same is said each time.
    let most = left.iter().max_by_key(|(_, count)| **count).map(said);
    // What is said a second time, when nothing is left to do, is no failure.
    let left = most.map(|why| Notice::new("vertices_left", format!("left as they are, {why}")));
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

/// That a mesh hangs on several skins, which share its weights though their joints differ.
fn shared_by(document: &Document, mesh: MeshId) -> Option<String> {
    let skins = skins_of(document, mesh);
    let first = document.skin(*skins.first()?);
    let differs = skins.iter().any(|s| document.skin(*s).joints != first.joints);
    differs.then(|| {
        let (mesh, skins) = (mesh_label(document, mesh), skin_labels(document, &skins));
        format!("“{mesh}” is used with {skins}, which share its weights")
    })
}

/// How many vertices of a primitive a map gives other weights.
fn differing(document: &Document, mesh: MeshId, primitive: PrimitiveId, to: &WeightMap) -> usize {
    let now = document.primitive(mesh, primitive).and_then(|p| p.weights.as_deref());
    let Some(now) = now.filter(|now| now.sets == to.sets) else { return to.vertex_count() };
    let stride = to.stride();
    let slots = |map: &WeightMap, v: usize| {
        (map.joints[v * stride..][..stride].to_vec(), map.weights[v * stride..][..stride].to_vec())
    };
    (0..to.vertex_count()).filter(|v| slots(now, *v) != slots(to, *v)).count()
}

/// The number of a joint in a job's skin.
fn joint_of(document: &Document, joint: &Nodes, job: &Job) -> Result<u16, CommandError> {
    let nodes = joint.all(document)?;
    let [node] = nodes[..] else {
        return Err(CommandError::other("one_node_wanted", "name one joint"));
    };
    number_of(document, node, &job.canvas)
}

/// The numbers of joints in a job's skin.
fn joints_of(document: &Document, joints: &Nodes, job: &Job) -> Result<Vec<u16>, CommandError> {
    joints.all(document)?.into_iter().map(|node| number_of(document, node, &job.canvas)).collect()
}

/// The number of a joint in the skin of a canvas.
fn number_of(
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

/// Skins in a sentence.
fn skin_labels(document: &Document, skins: &[SkinId]) -> String {
    skins.iter().map(|s| skin_label(document, *s)).collect::<Vec<_>>().join(" and ")
}

/// A skin in a sentence.
fn skin_label(document: &Document, skin: SkinId) -> String {
    match document.skin(skin).name.as_deref() {
        Some(name) if !name.is_empty() => format!("the skin “{name}”"),
        _ => format!("skin {}", skin.0),
    }
}

impl Normalize {
    fn work(&self, scene: &Scene<'_>) -> Result<Outcome, CommandError> {
        run(scene.document, &self.reach, "normalized", |draft, job| {
            Ok(draft.normalize(&job.scope()))
        })
    }
}

impl Limit {
    fn work(&self, scene: &Scene<'_>) -> Result<Outcome, CommandError> {
        let Self { most, mesh, primitive, vertices, locked, layer } = self.clone();
        let reach = Reach { mesh, primitive, vertices, locked, most: Some(most), layer };
        run(scene.document, &reach, "limited", |draft, job| Ok(draft.limit(&job.scope())))
    }
}

impl Prune {
    fn work(&self, scene: &Scene<'_>) -> Result<Outcome, CommandError> {
        let named: Vec<&Nodes> = self.joint.iter().collect();
        run_for(scene.document, &self.reach, &named, "pruned", |draft, job| match &self.joint {
            None => Ok(draft.prune(self.below, &job.scope())),
            Some(joints) => {
                let joints = joints_of(scene.document, joints, job)?;
                Ok(draft.prune_joints(&joints, self.below, &job.scope()))
            }
        })
    }
}

impl SwapJoints {
    fn work(&self, scene: &Scene<'_>) -> Result<Outcome, CommandError> {
        run_for(scene.document, &self.reach, &[&self.joint, &self.with], "swapped", |draft, job| {
            let (a, b) = (
                joint_of(scene.document, &self.joint, job)?,
                joint_of(scene.document, &self.with, job)?,
            );
            Ok(draft.swap_joints(a, b, &job.scope()))
        })
    }
}

impl MergeJoints {
    fn work(&self, scene: &Scene<'_>) -> Result<Outcome, CommandError> {
        run_for(scene.document, &self.reach, &[&self.from, &self.into], "merged", |draft, job| {
            let into = joint_of(scene.document, &self.into, job)?;
            let from = joints_of(scene.document, &self.from, job)?;
            Ok(draft.merge_joints(&from, into, &job.scope()))
        })
    }
}

impl Quantize {
    fn work(&self, scene: &Scene<'_>) -> Result<Outcome, CommandError> {
        let steps = self.steps.clamp(1, 65535) as u32;
        run(scene.document, &self.reach, "quantized", |draft, job| {
            Ok(draft.quantize(steps, &job.scope()))
        })
    }
}

impl Smooth {
    fn work(&self, scene: &Scene<'_>) -> Result<Outcome, CommandError> {
        smoothed(
            scene.document,
            (self.passes, self.amount),
            self.joint.as_ref(),
            &self.reach,
            false,
        )
    }
}

impl Relax {
    fn work(&self, scene: &Scene<'_>) -> Result<Outcome, CommandError> {
        let Some(kept) = self.volume else {
            return smoothed(
                scene.document,
                (self.passes, self.amount),
                self.joint.as_ref(),
                &self.reach,
                true,
            );
        };
        if !(0.0..=1.0).contains(&kept) {
            return Err(CommandError::other(
                "argument_out_of_range",
                "“volume” must be a number from 0 to 1",
            ));
        }
        if self.joint.is_some() {
            return Err(CommandError::other(
                "arguments_exclusive",
                "“volume” works only when all joints are relaxed; omit either “joint” or “volume”",
            ));
        }
        let (passes, amount) =
            (self.passes.unwrap_or(1).clamp(1, 1000), self.amount.unwrap_or(1.0).clamp(0.0, 1.0));
        run(scene.document, &self.reach, "relaxed", |draft, job| {
            Ok(draft.relax_keeping(passes, amount, kept, &job.scope()))
        })
    }
}

fn smoothed(
    document: &Document,
    (passes, amount): (Option<usize>, Option<f32>),
    joint: Option<&Nodes>,
    reach: &Reach,
    by_distance: bool,
) -> Result<Outcome, CommandError> {
    let (passes, amount) =
        (passes.unwrap_or(1).clamp(1, 1000), amount.unwrap_or(1.0).clamp(0.0, 1.0));
    let named: Vec<&Nodes> = joint.into_iter().collect();
    run_for(
        document,
        reach,
        &named,
        if by_distance { "relaxed" } else { "smoothed" },
        |draft, job| {
            let joint = joint.map(|joint| joint_of(document, joint, job)).transpose()?;
            Ok(draft.smooth(passes, amount, by_distance, joint, &job.scope()))
        },
    )
}

impl Hammer {
    fn work(&self, scene: &Scene<'_>) -> Result<Outcome, CommandError> {
        let common = self.in_common.unwrap_or(0.4).clamp(0.0, 0.5);
        run(scene.document, &self.reach, "hammered", |draft, job| {
            Ok(draft.hammer(common, &job.scope()).1)
        })
    }
}

/// The brush of a flood: what it does, with which value, how strongly.
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
    // By numbers a weight may be scaled by more than a brush is dragged to.
    let value = if kind == BrushKind::Scale && brush.value.is_finite() {
        brush.value.clamp(0.0, 100.0)
    } else {
        sane.value
    };
    Brush { value, ..sane }
}

impl Flood {
    fn work(&self, scene: &Scene<'_>) -> Result<Outcome, CommandError> {
        let brush = brush(self.how, self.value, self.amount);
        run_for(scene.document, &self.reach, &[&self.joint], "flooded", |draft, job| {
            let joint = joint_of(scene.document, &self.joint, job)?;
            Ok(draft.flood(&brush, joint, |_| 1.0, &job.scope()))
        })
    }
}

impl Gradient {
    fn work(&self, scene: &Scene<'_>) -> Result<Outcome, CommandError> {
        let brush = brush(self.how, self.value, self.amount);
        let curve: Falloff = self.curve.unwrap_or(Curve::Linear).into();
        let amount = gradient(self.from, self.to, self.radial.unwrap_or(false), curve);
        run_for(scene.document, &self.reach, &[&self.joint], "filled", |draft, job| {
            let joint = joint_of(scene.document, &self.joint, job)?;
            let at = |v: u32| job.canvas.rest()[job.canvas.place_of(v) as usize];
            Ok(draft.flood(&brush, joint, |v| amount(at(v)), &job.scope()))
        })
    }
}

impl Along {
    fn work(&self, scene: &Scene<'_>) -> Result<Outcome, CommandError> {
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
        let limb = || {
            let rest = Pose::evaluate(document, &Stack::default());
            ik::limb_of(document, &rest, to, None, false).and_then(|l| l.root()).ok_or_else(|| {
                let label = document.node(to).label(to);
                CommandError::other(
                    "not_a_limb",
                    format!(
                        "“{label}” is not the end of a limb; name the first joint of the limb as \
                            “from”"
                    ),
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
            // No more steps than joints, whatever the list of parents says.
            for _ in 0..job.canvas.parents().len() {
                if at == first {
                    break;
                }
                at = job.canvas.parents()[usize::from(at)];
                if at == NOBODY {
                    break;
                }
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

/// No joint, where one is expected.
const NOBODY: u16 = u16::MAX;

/// The vertices that a scope has, each with the same influences.
fn all_alike(job: &Job, target: &Influences) -> Vec<(u32, Influences)> {
    let scope = job.scope();
    let wanted = (0..job.canvas.vertex_count() as u32)
        .filter(|v| scope.vertices.is_none_or(|l| l[*v as usize]));
    wanted.map(|v| (v, target.clone())).collect()
}

impl Average {
    fn work(&self, scene: &Scene<'_>) -> Result<Outcome, CommandError> {
        run(scene.document, &self.reach, "averaged", |draft, job| {
            let mean = draft.mean(&job.scope());
            Ok(draft.put(&job.scope(), all_alike(job, &mean)))
        })
    }
}

impl Sets {
    fn work(&self, scene: &Scene<'_>) -> Result<Outcome, CommandError> {
        let Self { sets, mesh, primitive, locked } = self.clone();
        if !(1..=8).contains(&sets) {
            return Err(CommandError::other(
                "argument_out_of_range",
                "“sets” must be 1 to 8 sets of four influences",
            ));
        }
        let reach = Reach { mesh, primitive, locked, ..Reach::default() };
        // Under layers it is the base that has them.
        run_on_base(scene.document, &reach, "changed", |draft, job| {
            Ok(draft.set_sets(sets, &job.scope()))
        })
    }
}

impl Store {
    fn work(&self, scene: &Scene<'_>) -> Result<Outcome, CommandError> {
        let encoding = match self.bits {
            Bits::Byte => WeightEncoding::Byte,
            Bits::Short => WeightEncoding::Short,
            Bits::Float => WeightEncoding::Float,
        };
        let reach =
            Reach { mesh: self.mesh.clone(), primitive: self.primitive, ..Reach::default() };
        // Under layers it is the base that is stored so.
        run_on_base(scene.document, &reach, "stored", |draft, job| {
            Ok(draft.store(encoding, &job.scope()))
        })
    }
}

impl Assign {
    /// Gives all named vertices the same influences, what was copied from one, or each its own.
    fn work(&self, scene: &Scene<'_>) -> Result<Outcome, CommandError> {
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
    /// Puts in what a stroke left: slots of vertices, joints by their names.
    fn work(&self, scene: &Scene<'_>) -> Result<Vec<Edit>, CommandError> {
        let Self { mesh, primitive, joints, vertices, of, weights, layer } = self;
        let slots = Slots { mesh, primitive: *primitive, joints, vertices, of, weights };
        let (id, primitive, patch) = slots.patch(scene.document, false)?;
        check_slots(&patch)?;
        let edit = Edit::PatchWeights { mesh: id, primitive, patch: Box::new(patch) };
        layers::through(scene.document, layer.as_deref(), Some(mesh), vec![edit])
    }
}

/// Weights that a line sets are a vertex's whole: from 0 to 1, each joint once, with a sum of 1.
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

/// Slots of vertices, as commands name them.
pub(super) struct Slots<'a> {
    pub mesh: &'a Meshes,
    pub primitive: Option<PrimitiveId>,
    pub joints: &'a Nodes,
    pub vertices: &'a VertexList,
    pub of: &'a Counts,
    pub weights: &'a Numbers,
}

impl Slots<'_> {
    /// What they come to; with `any_sets` as many a vertex as it likes, by fours.
    pub(super) fn patch(
        &self,
        document: &Document,
        any_sets: bool,
    ) -> Result<(MeshId, PrimitiveId, WeightPatch), CommandError> {
        let meshes = self.mesh.find(document)?;
        let [mesh] = meshes[..] else {
            return Err(CommandError::other("one_mesh_wanted", "name one mesh"));
        };
        let primitive = self.primitive.unwrap_or(PrimitiveId(0));
        let map = document
            .mesh(mesh)
            .primitives
            .get(primitive.index())
            .and_then(|p| p.weights.as_deref());
        let nodes = self.joints.in_order(document)?;
        let skin = skin_for(document, mesh, &nodes.iter().copied().collect());
        let (Some(map), Some(skin)) = (map, skin) else {
            return Err(CommandError::other(
                "no_weights_meant",
                format!("primitive {primitive} of the mesh has no weights"),
            ));
        };
        let list = &document.skin(skin).joints;
        let mut names = Vec::new();
        for node in nodes {
            let Some(k) = list.iter().position(|j| *j == node) else {
                let label = document.node(node).label(node);
                return Err(CommandError::other(
                    "not_a_joint",
                    format!("“{label}” is not a joint of the skin of the mesh"),
                ));
            };
            names.push(k as u16);
        }
        let (vertices, of, weights) = (self.vertices.0.clone(), &self.of.0, &self.weights.0);
        let given = of
            .len()
            .checked_div(vertices.len())
            .filter(|s| any_sets && s.is_multiple_of(4) && (4..=MOST).contains(s));
        let stride = given.unwrap_or_else(|| map.stride());
        if of.len() != vertices.len() * stride || weights.len() != of.len() {
            let message =
                format!("“of” and “weights” need {stride} numbers per vertex, like the mesh");
            return Err(CommandError::other("count_mismatch", message));
        }
        let mut patch = WeightPatch::new(stride / 4, vertices.len());
        if let Some(past) = vertices.iter().find(|v| **v as usize >= map.vertex_count()) {
            let count = map.vertex_count();
            return Err(CommandError::other(
                "no_such_vertex",
                format!(
                    "“vertices” refers to vertex {past}, but the primitive has only {count} \
                        vertices"
                ),
            ));
        }
        patch.vertices = vertices;
        let mut seen = BTreeSet::new();
        if !patch.vertices.iter().all(|v| seen.insert(*v)) {
            return Err(CommandError::other(
                "named_twice",
                "a vertex is listed twice in “vertices”",
            ));
        }
        for (of, weight) in of.iter().zip(weights) {
            let joint = if *weight == 0.0 { Some(&0) } else { names.get(*of as usize) };
            patch.joints.push(*joint.ok_or_else(|| {
                CommandError::other(
                    "not_a_joint",
                    format!("“of” refers to joint {of}, but “joints” has only {}", names.len()),
                )
            })?);
            patch.weights.push(*weight as f32);
        }
        Ok((mesh, primitive, patch))
    }
}

/// The line that does what an edit of weights did; nothing for other edits.
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

/// A line that names slots of vertices.
pub fn slots_line(
    document: &Document,
    command: &str,
    mesh: MeshId,
    primitive: PrimitiveId,
    (vertices, joints, weights): (&[u32], &[u16], &[f32]),
) -> Option<CommandLine> {
    let list = &document.skin(skin_of(document, mesh)?).joints;
    let used: BTreeSet<u16> =
        joints.iter().zip(weights).filter(|(_, w)| **w != 0.0).map(|(j, _)| *j).collect();
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
        .with("primitive", primitive.0)
        .with("joints", names)
        .with("vertices", vertices.to_vec())
        .with("of", of)
        // Twice as precise as needed, so that what is read is what was written.
        .with("weights", json!(weights.iter().map(|w| f64::from(*w)).collect::<Vec<f64>>()));
    Some(line)
}
