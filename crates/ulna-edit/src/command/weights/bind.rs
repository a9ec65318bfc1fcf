//! Computes weights for skinned primitives without weights.

use std::collections::BTreeSet;

use glam::Vec3;

use super::{
    automatic::{AutomaticRequest, MeantJoints, automatic, said, shared_maps},
    commands::Bind,
};
use crate::{
    CommandError, Edit, apply,
    command::{
        BindReport, Outcome, Scene,
        error::refuse,
        field::{AutomaticWeights, meshes_of},
        names::mesh_label,
        scene::RunWatch,
    },
};
use ulna_model::{Document, JointSlot, MeshId, PrimitiveId, Shared, SkinId};
use ulna_weights::{BindMethod, Influences, Scope, SkinnedSurface, joint_heads, joint_parents};

impl Bind {
    pub(super) fn work(&self, scene: &Scene<'_>) -> Result<Outcome, CommandError> {
        let document = scene.document;
        let named = self.weights.named_joints(document)?;
        if let Some(locked) = &self.locked {
            locked.all(document)?;
        }
        if let Some(what) = self.rebind {
            return self.rebind(scene, what);
        }
        if self.locked.is_some() || self.vertices.is_some() {
            return refuse(
                "arguments_together",
                "“locked” and “vertices” apply only to existing weights, so they need “rebind”",
            );
        }
        let meshes = meshes_of(document, self.mesh.as_ref())?;
        let request = BareRequest {
            primitive: self.primitive,
            meant: self.weights.meant(named.as_ref()),
            weights: &self.weights,
        };
        bind_meshes(document, &meshes, &request, scene.watch())
    }
}

/// Returns the requested primitives of a skin that have no weights.
fn bare(
    document: &Document,
    skin: SkinId,
    meshes: &[MeshId],
    primitive: Option<PrimitiveId>,
) -> Vec<(MeshId, PrimitiveId)> {
    let on_skin = document.nodes.values().filter(|n| n.skin == Some(skin)).filter_map(|n| n.mesh);
    let meant: BTreeSet<MeshId> =
        on_skin.filter(|m| meshes.is_empty() || meshes.contains(m)).collect();
    let mut list = Vec::new();
    for mesh in meant {
        for (k, p) in document.mesh(mesh).entries() {
            let is_bare = p.weights.is_none() && !p.positions.is_empty();
            if is_bare && primitive.is_none_or(|only| only == k) {
                list.push((mesh, k));
            }
        }
    }
    list
}

/// Request for weights of meshes without weights.
struct BareRequest<'a> {
    primitive: Option<PrimitiveId>,
    meant: MeantJoints<'a>,
    weights: &'a AutomaticWeights,
}

/// Computes the weights of skinned meshes that have none.
pub(in crate::command) fn bind_bare(
    document: &Document,
    meshes: &[MeshId],
    weights: &AutomaticWeights,
    watch: RunWatch<'_>,
) -> Result<Outcome, CommandError> {
    let named = weights.named_joints(document)?;
    let meant = weights.meant(named.as_ref());
    bind_meshes(document, meshes, &BareRequest { primitive: None, meant, weights }, watch)
}

/// Default number of smoothing passes. Their strength is chosen so that weights spread by at most
/// [`SPREAD`], as a fraction of the bone length. Otherwise, a coarse mesh with edges as long as its
/// bones would move as a whole.
const PASSES: usize = 3;
const SPREAD: f32 = 0.25;

/// Returns the strength of a smoothing pass on a mesh. `n` passes spread weights over about `√(n ·
/// strength)` edges.
fn strength(
    document: &Document,
    list: &[(MeshId, PrimitiveId)],
    heads: &[Vec3],
    parents: &[Option<JointSlot>],
) -> f32 {
    let mean = |lengths: &mut dyn Iterator<Item = f32>| {
        let (sum, count) =
            lengths.filter(|l| l.is_finite()).fold((0.0, 0u32), |(s, n), l| (s + l, n + 1));
        if count > 0 { sum / count as f32 } else { 0.0 }
    };
    let bones = mean(
        &mut heads
            .iter()
            .zip(parents)
            .filter_map(|(head, p)| Some(head.distance(*heads.get((*p)?.index())?))),
    );
    let edges = mean(&mut list.iter().flat_map(|(mesh, k)| {
        let primitive = &document.mesh(*mesh).primitives[k.index()];
        let at = |v: u32| primitive.positions.get(v as usize).copied().unwrap_or(Vec3::NAN);
        primitive
            .indices
            .chunks_exact(3)
            .flat_map(move |t| [(t[0], t[1]), (t[1], t[2]), (t[2], t[0])])
            .map(move |(a, b)| at(a).distance(at(b)))
    }));
    if edges > 0.0 && bones > 0.0 {
        ((SPREAD * bones / edges).powi(2) / PASSES as f32).min(1.0)
    } else {
        1.0
    }
}

/// Computes weights of meshes without weights, and smooths them. A vertex that coincides with a
/// weighted vertex gets its weights.
fn bind_meshes(
    document: &Document,
    meshes: &[MeshId],
    request: &BareRequest<'_>,
    watch: RunWatch<'_>,
) -> Result<Outcome, CommandError> {
    let BareRequest { primitive, meant, weights } = *request;
    let settings = weights.settings()?;
    let mut bound = document.clone();
    let mut report = BindReport::default();
    let skins = document.skins.ids().count();
    let mut done: BTreeSet<(MeshId, PrimitiveId)> = BTreeSet::new();
    for (number, skin) in document.skins.ids().enumerate() {
        let list: Vec<_> = bare(document, skin, meshes, primitive)
            .into_iter()
            .filter(|key| !done.contains(key))
            .collect();
        let Some((first, _)) = list.first() else { continue };
        if !document.skin(skin).has_inverse_bind {
            return Err(CommandError::other(
                "no_bind_matrices",
                format!(
                    "the skin of “{}” has no inverse bind matrices, so the bind positions of its \
                        joints are unknown; export the model with inverse bind matrices",
                    mesh_label(document, *first)
                ),
            ));
        }
        let (heads, parents) = (joint_heads(document, skin), joint_parents(document, skin));
        // Weights by distance are smoothed by default.
        let smooth = match (weights.passes, settings.method) {
            (Some(passes), _) => (passes.min(1000), 1.0),
            (None, BindMethod::Distance) => (PASSES, strength(document, &list, &heads, &parents)),
            (None, _) => (0, 1.0),
        };
        if heads.is_empty() {
            let message = format!("the skin of “{}” has no joints", mesh_label(document, *first));
            return Err(CommandError::other("skin_has_no_joints", message));
        }
        let request = AutomaticRequest {
            skin,
            parts: &list,
            meant,
            weights,
            settings: &settings,
            first_piece: report.pieces.len(),
            watch: watch.part(number, skins),
        };
        let made = automatic(document, &request)?;
        report.add(made.report.clone());
        let maps = shared_maps(made);
        for (mesh, primitive, map) in maps {
            apply(&mut bound, Edit::BindWeights { mesh, primitive, to: Some(map) })?;
        }
        let Some(canvas) = SkinnedSurface::whole(&bound, skin) else { continue };
        settle(&mut bound, &canvas, &list, smooth)?;
        done.extend(list);
    }
    if done.is_empty() {
        return Err(CommandError::other(
            "weights_there_already",
            "every skinned mesh already has weights; use “rebind” to replace them",
        ));
    }
    let edit = |(mesh, primitive): (MeshId, PrimitiveId)| {
        let to = bound.mesh(mesh).primitives[primitive.index()].weights.clone();
        Edit::BindWeights { mesh, primitive, to }
    };
    weights.check_rigid(&report)?;
    Ok(Outcome {
        edits: done.into_iter().map(edit).collect(),
        notes: vec![said(document, &report)],
        bind: Some(Box::new(report)),
        ..Outcome::default()
    })
}

/// Copies weights to coincident vertices at the seams to weighted meshes, and smooths the other
/// vertices.
fn settle(
    bound: &mut Document,
    canvas: &SkinnedSurface,
    list: &[(MeshId, PrimitiveId)],
    (passes, strength): (usize, f32),
) -> Result<(), CommandError> {
    let is_new = |v: u32| {
        let part = &canvas.parts()[canvas.part_of(v).0];
        list.contains(&(part.mesh, part.primitive))
    };
    let (mut given, mut open) = (Vec::new(), vec![false; canvas.vertex_count()]);
    let maps = canvas.maps(bound);
    for v in (0..canvas.vertex_count() as u32).filter(|v| is_new(*v)) {
        match canvas.vertices_at(canvas.point_of(v)).iter().find(|other| !is_new(**other)) {
            Some(other) => {
                let (map, own) = maps.map_of(*other);
                given.push((v, Influences::of(map, own)));
            }
            None => open[v as usize] = true,
        }
    }
    let unlocked = vec![false; canvas.joints().len()];
    let scope = |vertices| Scope { locked: &unlocked, limit: usize::MAX, vertices };
    let mut draft = ulna_weights::WorkingWeights::new(bound, canvas);
    // Vertices keep their own weights if copying is impossible.
    let all = scope(None);
    draft.put(&all, given);
    let some = scope(Some(&open[..]));
    draft.smooth(passes, strength, false, None, &some);
    draft.normalize(&some);
    let settled: Vec<_> =
        canvas.parts().iter().enumerate().map(|(k, part)| (*part, draft.map(k).clone())).collect();
    for (part, map) in
        settled.into_iter().filter(|(part, _)| list.contains(&(part.mesh, part.primitive)))
    {
        let to = Some(Shared::new(map));
        apply(bound, Edit::BindWeights { mesh: part.mesh, primitive: part.primitive, to })?;
    }
    Ok(())
}
