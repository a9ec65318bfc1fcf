//! Automatic weights: from the shape of the meshes and the bones, for meshes with weights or
//! without.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::atomic::AtomicBool,
};

use glam::Vec3;

use super::{commands::Bind, run::run};
use crate::command::{
    CommandError, Outcome, Scene,
    error::refuse,
    field::{BindBy, Reach, Rebind},
};
use ulna_model::{
    Document, JointSlot, MeshId, NodeId, Notice, PrimitiveId, Shared, SkinId, WeightMap,
};
use ulna_motion::names_helper;
use ulna_weights::{
    BindError, BindMesh, BindMethod, BindRequest, BindSettings, Bones, BoundWeights, Influences,
    PieceMethod, Scope, bind_weights, joint_heads, joint_parents,
};

/// Bones of which all is farther outside the meshes than this part of their size do not deform
/// them.
const OUTSIDE: f32 = 0.05;

/// Computed weights of some primitives of a skin, with what is said of them.
pub(super) struct Automatic {
    /// By primitive.
    pub(super) maps: Vec<(MeshId, PrimitiveId, WeightMap)>,
    /// Number of connected pieces by their method.
    pub(super) pieces: BTreeMap<PieceMethod, usize>,
    /// Joints that got no bone, because they seem to deform nothing.
    pub(super) left_out: Vec<NodeId>,
}

impl Bind {
    /// The settings of automatic weights.
    pub(super) fn settings(&self) -> Result<BindSettings, CommandError> {
        let method = match self.method.unwrap_or(BindBy::Auto) {
            BindBy::Auto => BindMethod::Auto,
            BindBy::Heat => BindMethod::Heat,
            BindBy::Voxel => BindMethod::Voxel,
            BindBy::Distance => BindMethod::Distance,
        };
        let sharpness = self.sharpness.unwrap_or(2.0);
        let grid = self.grid.unwrap_or(96);
        if !(0.5..=8.0).contains(&sharpness) {
            return refuse("argument_out_of_range", "“sharpness” must be a number from 0.5 to 8");
        }
        if !(64..=256).contains(&grid) {
            return refuse("argument_out_of_range", "“grid” must be a number from 64 to 256");
        }
        let limit = self.limit.unwrap_or(4).clamp(1, 16);
        Ok(BindSettings { method, sharpness, grid, limit, ..BindSettings::default() })
    }

    /// The joints that were named.
    pub(super) fn named_joints(
        &self,
        document: &Document,
    ) -> Result<Option<BTreeSet<NodeId>>, CommandError> {
        let named = self.joints.as_ref().map(|joints| joints.all(document)).transpose()?;
        Ok(named.map(|all| all.into_iter().collect()))
    }

    /// Replaces weights that exist.
    pub(super) fn rebind(&self, scene: &Scene<'_>, what: Rebind) -> Result<Outcome, CommandError> {
        let document = scene.document;
        let named = self.named_joints(document)?;
        let settings = self.settings()?;
        if what == Rebind::Joints && named.is_none() {
            return refuse("argument_missing", "“rebind” is “joints”, but “joints” names none");
        }
        if what == Rebind::Vertices && self.vertices.is_none() {
            return refuse("argument_missing", "“rebind” is “vertices”, but “vertices” names none");
        }
        let reach = Reach {
            mesh: self.mesh.clone(),
            primitive: self.primitive,
            vertices: self.vertices.clone(),
            locked: self.locked.clone(),
            most: Some(settings.limit),
            layer: None,
        };
        let (mut pieces, mut left_out) = (BTreeMap::new(), BTreeSet::new());
        let cancel = scene.cancel();
        let mut done = run(document, &reach, "bound", |draft, job| {
            let parts: Vec<(MeshId, PrimitiveId)> =
                job.canvas.parts().iter().map(|p| (p.mesh, p.primitive)).collect();
            // Joints that are not meant keep their weights: the others share what remains.
            let kept = |joint: &NodeId| {
                what == Rebind::Joints && named.as_ref().is_some_and(|named| !named.contains(joint))
            };
            let locked = job.locked.iter().zip(job.canvas.joints());
            let locked: Vec<bool> = locked.map(|(l, joint)| *l || kept(joint)).collect();
            let scope = Scope { locked: &locked, ..job.scope() };
            // With some joints only, the shares between all of them are asked for.
            let asked = named.as_ref().filter(|_| what != Rebind::Joints);
            let made = automatic(document, (job.canvas.skin, &parts), asked, &settings, cancel)?;
            for (method, count) in &made.pieces {
                *pieces.entry(*method).or_insert(0) += count;
            }
            left_out.extend(made.left_out.iter().copied());
            let mut given = Vec::new();
            for (part, (_, _, map)) in job.canvas.parts().iter().zip(&made.maps) {
                let meant = |v: &u32| {
                    job.vertices.as_ref().is_none_or(|wanted| wanted[(part.first + v) as usize])
                };
                let own = (0..part.count).filter(meant);
                given.extend(own.map(|v| (part.first + v, Influences::of(map, v as usize))));
            }
            let mut refused = draft.put(&scope, given);
            if let Some(passes) = self.passes.filter(|p| *p > 0) {
                refused.extend(draft.smooth(passes.min(1000), 1.0, false, None, &scope));
            }
            Ok(refused)
        })?;
        let left_out: Vec<NodeId> = left_out.into_iter().collect();
        done.notes.push(said(document, &pieces, &left_out));
        Ok(done)
    }
}

/// One note on the methods and on the joints that were left out.
pub(super) fn said(
    document: &Document,
    pieces: &BTreeMap<PieceMethod, usize>,
    left_out: &[NodeId],
) -> Notice {
    let words = |method: &PieceMethod| match method {
        PieceMethod::Heat => "heat",
        PieceMethod::Voxel => "voxels",
        PieceMethod::Nearest => "the nearest surface",
        PieceMethod::Distance => "distance",
    };
    let count = |n: usize| match n {
        1 => "1 piece".to_owned(),
        n => format!("{n} pieces"),
    };
    let by: Vec<String> = pieces
        .iter()
        .map(|(method, n)| format!("by {} for {}", words(method), count(*n)))
        .collect();
    let mut text = format!("weights {}", by.join(", "));
    /// Names that are listed.
    const MOST: usize = 4;
    if !left_out.is_empty() {
        let some: Vec<String> =
            left_out.iter().take(MOST).map(|n| document.node(*n).label(*n)).collect();
        let more = match left_out.len().saturating_sub(MOST) {
            0 => String::new(),
            n => format!(" and {n} more"),
        };
        text = format!("{text}, without {}{more}, which deform nothing", some.join(", "));
    }
    Notice::new("bound_by_methods", text)
}

/// Weights of primitives of a skin. `named`: the joints to bind to; those that deform the meshes if
/// `None`.
pub(super) fn automatic(
    document: &Document,
    (skin, parts): (SkinId, &[(MeshId, PrimitiveId)]),
    named: Option<&BTreeSet<NodeId>>,
    settings: &BindSettings,
    cancel: &AtomicBool,
) -> Result<Automatic, CommandError> {
    let (heads, parents) = (joint_heads(document, skin), joint_parents(document, skin));
    let joints = &document.skin(skin).joints;
    let own: Vec<_> =
        parts.iter().map(|(mesh, k)| &document.mesh(*mesh).primitives[k.index()]).collect();
    let is_meant: Vec<bool> = match named {
        Some(named) => joints.iter().map(|joint| named.contains(joint)).collect(),
        None => {
            let positions = own.iter().flat_map(|p| p.positions.iter().copied());
            deforming(document, joints, (&heads, &parents), bounds(positions))
        }
    };
    if !is_meant.contains(&true) {
        return refuse(
            "no_joints_meant",
            "none of the named joints belongs to the skin of the meshes; name joints of the skin",
        );
    }
    let bones = Bones::of_joints(&heads, &parents, &is_meant);
    let meshes: Vec<BindMesh<'_>> =
        own.iter().map(|p| BindMesh { positions: &p.positions, triangles: &p.indices }).collect();
    let request = BindRequest { meshes: &meshes, bones: bones.list(), settings: *settings };
    let made = match bind_weights(&request, &|_| {}, cancel) {
        Ok(made) => made,
        Err(BindError::Canceled) => return Err(CommandError::other("canceled", "canceled")),
        Err(error @ BindError::NoBones) => {
            return Err(CommandError::other("no_joints_meant", error.to_string()));
        }
    };
    let BoundWeights { maps, pieces, loose, .. } = made;
    let mut counts = BTreeMap::new();
    for piece in pieces {
        *counts.entry(piece.method).or_insert(0) += 1;
    }
    if loose > 0 && counts.is_empty() {
        counts.insert(PieceMethod::Distance, 1);
    }
    let maps = parts.iter().zip(maps).map(|((mesh, k), map)| (*mesh, *k, map)).collect();
    let left_out = match named {
        Some(_) => Vec::new(),
        None => joints.iter().zip(&is_meant).filter(|(_, is)| !**is).map(|(n, _)| *n).collect(),
    };
    Ok(Automatic { maps, pieces: counts, left_out })
}

/// The box around positions; `None` without a finite one.
fn bounds(positions: impl Iterator<Item = Vec3>) -> Option<(Vec3, Vec3)> {
    positions.filter(|p| p.is_finite()).fold(None, |found, p| {
        let (low, high) = found.unwrap_or((p, p));
        Some((low.min(p), high.max(p)))
    })
}

/// Marks the joints of a skin that deform its meshes, by rule: no control, socket, leaf or root
/// joint by its name, and none with all its bones outside the meshes. All, if the rule leaves none.
fn deforming(
    document: &Document,
    joints: &[NodeId],
    (heads, parents): (&[Vec3], &[Option<JointSlot>]),
    bounds: Option<(Vec3, Vec3)>,
) -> Vec<bool> {
    let all = Bones::new(heads, parents);
    let mut is_inside = vec![bounds.is_none(); joints.len()];
    if let Some((low, high)) = bounds {
        let room = (high - low).max_element() * OUTSIDE;
        let (low, high) = (low - room, high + room);
        for bone in all.list() {
            let (a, b) = (bone.head.min(bone.tail), bone.head.max(bone.tail));
            is_inside[bone.joint.index()] |= a.cmple(high).all() && b.cmpge(low).all();
        }
    }
    let is_helper = |joint: &NodeId| names_helper(&document.node(*joint).label(*joint));
    let rule: Vec<bool> =
        joints.iter().zip(&is_inside).map(|(joint, inside)| *inside && !is_helper(joint)).collect();
    match rule.contains(&true) {
        true => rule,
        false => vec![true; joints.len()],
    }
}

/// The computed maps, for edits.
pub(super) fn shared_maps(made: &Automatic) -> Vec<(MeshId, PrimitiveId, Shared<WeightMap>)> {
    made.maps.iter().map(|(mesh, k, map)| (*mesh, *k, Shared::new(map.clone()))).collect()
}
