//! Automatic weights: from the shape of the meshes and the bones, for meshes with weights or
//! without.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::atomic::AtomicBool,
};

use super::{commands::Bind, run::run};
use crate::command::{
    CommandError, Outcome, Scene,
    bind_joints::{BindJoint, BoundBody, chosen, movers_of, shape_of},
    error::refuse,
    field::{AutomaticWeights, BindBy, ChooseJoints, Reach, Rebind},
};
use ulna_model::{Document, MeshId, NodeId, Notice, PrimitiveId, Shared, SkinId, WeightMap};
use ulna_motion::{Pose, Stack};
use ulna_weights::{
    BindError, BindMesh, BindMethod, BindRequest, BindSettings, Bones, BoundWeights, Influences,
    PieceMethod, Scope, at_rest, bind_weights, joint_heads, joint_parents,
};

/// The most joints that a note lists.
const LISTED: usize = 4;

/// Computed weights of some primitives of a skin, with what is said of them.
pub(super) struct Automatic {
    /// By primitive.
    pub(super) maps: Vec<(MeshId, PrimitiveId, WeightMap)>,
    /// Number of connected pieces by their method.
    pub(super) pieces: BTreeMap<PieceMethod, usize>,
    /// Joints that got no weight by the rule, with the reason.
    pub(super) left_out: Vec<BindJoint>,
}

/// Joints that may get weight.
#[derive(Clone, Copy)]
pub(super) enum MeantJoints<'a> {
    /// The named ones.
    Named(&'a BTreeSet<NodeId>),
    /// Those by a rule.
    By(ChooseJoints),
}

impl AutomaticWeights {
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

    /// The joints that may get weight; `named` are those that were named.
    pub(super) fn meant<'a>(&self, named: Option<&'a BTreeSet<NodeId>>) -> MeantJoints<'a> {
        let by = self.choose.unwrap_or(ChooseJoints::Weights);
        named.map_or(MeantJoints::By(by), MeantJoints::Named)
    }
}

impl Bind {
    /// Replaces weights that exist.
    pub(super) fn rebind(&self, scene: &Scene<'_>, what: Rebind) -> Result<Outcome, CommandError> {
        let document = scene.document;
        let named = self.weights.named_joints(document)?;
        let settings = self.weights.settings()?;
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
        let (mut pieces, mut left_out) = (BTreeMap::new(), BTreeMap::new());
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
            let asked = self.weights.meant(named.as_ref().filter(|_| what != Rebind::Joints));
            let made = automatic(document, (job.canvas.skin, &parts), asked, &settings, cancel)?;
            for (method, count) in &made.pieces {
                *pieces.entry(*method).or_insert(0) += count;
            }
            left_out.extend(made.left_out.iter().map(|joint| (joint.node, *joint)));
            let mut given = Vec::new();
            for (part, (_, _, map)) in job.canvas.parts().iter().zip(&made.maps) {
                let meant = |v: &u32| {
                    job.vertices.as_ref().is_none_or(|wanted| wanted[(part.first + v) as usize])
                };
                let own = (0..part.count).filter(meant);
                given.extend(own.map(|v| (part.first + v, Influences::of(map, v as usize))));
            }
            let mut refused = draft.put(&scope, given);
            if let Some(passes) = self.weights.passes.filter(|p| *p > 0) {
                refused.extend(draft.smooth(passes.min(1000), 1.0, false, None, &scope));
            }
            Ok(refused)
        })?;
        done.notes.push(said(document, &pieces, left_out.values()));
        Ok(done)
    }
}

/// One note on the methods and on the joints that were left out.
pub(super) fn said<'a>(
    document: &Document,
    pieces: &BTreeMap<PieceMethod, usize>,
    left_out: impl Iterator<Item = &'a BindJoint>,
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
    let left_out: Vec<&BindJoint> = left_out.collect();
    if !left_out.is_empty() {
        let one = |joint: &&BindJoint| {
            format!("{} ({})", document.node(joint.node).label(joint.node), joint.reason.words())
        };
        let some: Vec<String> = left_out.iter().take(LISTED).map(one).collect();
        let more = match left_out.len().saturating_sub(LISTED) {
            0 => String::new(),
            n => format!(" and {n} more"),
        };
        text = format!("{text}, none for {}{more}", some.join(", "));
    }
    Notice::new("bound_by_methods", text)
}

/// Weights of primitives of a skin.
pub(super) fn automatic(
    document: &Document,
    (skin, parts): (SkinId, &[(MeshId, PrimitiveId)]),
    meant: MeantJoints<'_>,
    settings: &BindSettings,
    cancel: &AtomicBool,
) -> Result<Automatic, CommandError> {
    let (heads, parents) = (joint_heads(document, skin), joint_parents(document, skin));
    let joints = &document.skin(skin).joints;
    let own: Vec<_> =
        parts.iter().map(|(mesh, k)| &document.mesh(*mesh).primitives[k.index()]).collect();
    let mut left_out = Vec::new();
    let is_meant: Vec<bool> = match meant {
        MeantJoints::Named(named) => joints.iter().map(|joint| named.contains(joint)).collect(),
        MeantJoints::By(by) => {
            let rest = Pose::evaluate(&at_rest(document), &Stack::default());
            let parts = own.iter().map(|p| shape_of(p)).collect();
            let bodies = [BoundBody { parts, heads: heads.clone() }];
            let movers = movers_of(document, skin, own.iter().copied());
            let all = chosen(document, &rest, joints, &bodies, &movers, by);
            left_out.extend(all.iter().filter(|joint| !joint.deforms));
            all.iter().map(|joint| joint.deforms).collect()
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
    Ok(Automatic { maps, pieces: counts, left_out })
}

/// The computed maps, for edits.
pub(super) fn shared_maps(made: &Automatic) -> Vec<(MeshId, PrimitiveId, Shared<WeightMap>)> {
    made.maps.iter().map(|(mesh, k, map)| (*mesh, *k, Shared::new(map.clone()))).collect()
}
