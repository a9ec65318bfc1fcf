//! Weights for primitives that have none though they hang on a skin.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::atomic::AtomicBool,
};

use glam::Vec3;

use super::{
    automatic::{MeantJoints, automatic, said, shared_maps},
    commands::Bind,
};
use crate::{
    CommandError, Edit, apply,
    command::{
        Outcome, Scene,
        error::refuse,
        field::{ChooseJoints, meshes_of},
        names::mesh_label,
    },
};
use ulna_model::{Document, JointSlot, MeshId, PrimitiveId, Shared, SkinId, WeightMap};
use ulna_weights::{
    BindMethod, BindSettings, Bones, Influences, Scope, SkinnedSurface, joint_heads, joint_parents,
};

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
                "“locked” and “vertices” are about weights that exist, so they need “rebind”",
            );
        }
        let meshes = meshes_of(document, self.mesh.as_ref())?;
        let settings = self.weights.settings()?;
        // Weights by distance are smoothed unless told otherwise.
        let is_distance = settings.method == BindMethod::Distance;
        let passes = self.weights.passes;
        let passes = if is_distance { passes } else { passes.or(Some(0)) };
        let request = BareRequest {
            primitive: self.primitive,
            passes: passes.map(|p| p.min(1000)),
            meant: self.weights.meant(named.as_ref()),
            settings,
        };
        bind_meshes(document, &meshes, &request, scene.cancel())
    }
}

/// The primitives of a skin that have no weights, and are meant.
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

/// A bind of meshes without weights.
struct BareRequest<'a> {
    primitive: Option<PrimitiveId>,
    /// Passes of smoothing; a few gentle ones if `None`.
    passes: Option<usize>,
    meant: MeantJoints<'a>,
    settings: BindSettings,
}

/// The weights of meshes that hang on a skin and have none, as the command gives them unless told
/// otherwise.
pub(in crate::command) fn bind_bare(
    document: &Document,
    meshes: &[MeshId],
) -> Result<Vec<Edit>, CommandError> {
    let settings = BindSettings { method: BindMethod::Distance, ..BindSettings::default() };
    let meant = MeantJoints::By(ChooseJoints::Shape);
    let request = BareRequest { primitive: None, passes: None, meant, settings };
    Ok(bind_meshes(document, meshes, &request, &AtomicBool::new(false))?.edits)
}

/// Passes of smoothing unless a number is given, and how strong they are: over a body they spread
/// weights by no more than this part of a bone. A coarse mesh, whose edges are as long as its
/// bones, is hardly smoothed, or all of it would move with all.
const PASSES: usize = 3;
const SPREAD: f32 = 0.25;

/// How strong a pass is on a mesh. `n` passes spread over about `√(n · strength)` edges.
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

/// Gives weights to meshes without any, then smooths them. Vertices at the same place as one that
/// has weights get those.
fn bind_meshes(
    document: &Document,
    meshes: &[MeshId],
    request: &BareRequest<'_>,
    cancel: &AtomicBool,
) -> Result<Outcome, CommandError> {
    let BareRequest { primitive, passes, meant, settings } = *request;
    let mut bound = document.clone();
    let (mut pieces, mut left_out) = (BTreeMap::new(), BTreeMap::new());
    let mut done: BTreeSet<(MeshId, PrimitiveId)> = BTreeSet::new();
    for skin in document.skins.ids() {
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
        let bones = Bones::new(&heads, &parents);
        let smooth = match passes {
            Some(passes) => (passes, 1.0),
            None => (PASSES, strength(document, &list, &heads, &parents)),
        };
        if heads.is_empty() {
            let message = format!("the skin of “{}” has no joints", mesh_label(document, *first));
            return Err(CommandError::other("skin_has_no_joints", message));
        }
        let maps = match (settings.method, meant) {
            (BindMethod::Distance, MeantJoints::By(_)) => {
                by_distance(document, &list, &bones, settings.limit)
            }
            _ => {
                let made = automatic(document, (skin, &list), meant, &settings, cancel)?;
                for (method, count) in &made.pieces {
                    *pieces.entry(*method).or_insert(0) += count;
                }
                left_out.extend(made.left_out.iter().map(|joint| (joint.node, *joint)));
                shared_maps(&made)
            }
        };
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
    let weights = |(mesh, primitive): (MeshId, PrimitiveId)| {
        let to = bound.mesh(mesh).primitives[primitive.index()].weights.clone();
        Edit::BindWeights { mesh, primitive, to }
    };
    let notes = match pieces.is_empty() {
        true => Vec::new(),
        false => vec![said(document, &pieces, left_out.values())],
    };
    Ok(Outcome { edits: done.into_iter().map(weights).collect(), notes, ..Outcome::default() })
}

/// Weights by the distance to all bones.
fn by_distance(
    document: &Document,
    list: &[(MeshId, PrimitiveId)],
    bones: &Bones,
    most: usize,
) -> Vec<(MeshId, PrimitiveId, Shared<WeightMap>)> {
    let one = |(mesh, k): &(MeshId, PrimitiveId)| {
        let positions = &document.mesh(*mesh).primitives[k.index()].positions;
        Some((*mesh, *k, Shared::new(bones.weights(positions, most)?)))
    };
    list.iter().filter_map(one).collect()
}

/// Closes the seams with what had weights before, and smooths the rest.
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
    // What cannot be copied keeps its own.
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
