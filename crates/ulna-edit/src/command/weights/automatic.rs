//! Automatic weights from the shape of the meshes and the bones, for meshes with or without
//! weights.

use std::collections::{BTreeMap, BTreeSet};

use super::{commands::Bind, run::run};
use crate::{
    Edit, apply,
    command::{
        BindReport, BoundPart, BoundPiece, CommandError, Outcome, Scene,
        bind_joints::{BindJoint, BoundBody, chosen, movers_of, shape_of},
        error::refuse,
        field::{AutomaticWeights, BindBy, ChooseJoints, Reach, Rebind, RigidPieces},
        scene::RunWatch,
    },
};
use ulna_model::{
    Document, JointSlot, MeshId, NodeId, Notice, PrimitiveId, Shared, SkinId, Slice,
    WeightEncoding, WeightMap,
};
use ulna_motion::{MirrorPairs, PairSource, Pose, Role, Stack};
use ulna_weights::{
    BindError, BindMesh, BindMethod, BindMirror, BindRequest, BindSettings, Bones, BoundWeights,
    Influences, PieceMethod, Scope, SkinnedSurface, at_rest, bind_weights, joint_axes, joint_heads,
    joint_parents,
    layers::{NoSides, Sides},
};

/// Minimum confidence of a rigid piece for the option *all*.
const SURE: f32 = 0.8;
/// Maximum number of joints that a note lists.
const LISTED: usize = 4;

/// Computed weights of primitives of one skin, with their report.
pub(super) struct Automatic {
    /// Weights of each primitive.
    pub(super) maps: Vec<(MeshId, PrimitiveId, WeightMap)>,
    pub(super) report: BindReport,
}

/// Selection of the joints that can receive weight.
#[derive(Clone, Copy)]
pub(super) enum MeantJoints<'a> {
    /// The given joints.
    Named(&'a BTreeSet<NodeId>),
    /// Joints selected by a rule.
    By(ChooseJoints),
}

impl AutomaticWeights {
    /// Returns the validated settings.
    pub(in crate::command) fn settings(&self) -> Result<BindSettings, CommandError> {
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
        if self.envelope.is_some_and(|factor| !(0.05..=10.0).contains(&factor)) {
            return refuse("argument_out_of_range", "“envelope” must be a number from 0.05 to 10");
        }
        if self.envelope.is_some() && method != BindMethod::Distance {
            return refuse(
                "arguments_together",
                "“envelope” works only with the method “distance”",
            );
        }
        if self.points.is_some_and(|points| points < 100) {
            return refuse("argument_out_of_range", "“points” must be 100 or more");
        }
        let limit = self.limit.unwrap_or(4).clamp(1, 16);
        let envelope = self.envelope;
        let most_points = self.points;
        let usual = BindSettings::default();
        Ok(BindSettings { method, sharpness, grid, limit, envelope, most_points, ..usual })
    }

    /// Returns the joints that the command names; `None` if the argument is omitted.
    pub(in crate::command) fn named_joints(
        &self,
        document: &Document,
    ) -> Result<Option<BTreeSet<NodeId>>, CommandError> {
        let named = self.joints.as_ref().map(|joints| joints.all(document)).transpose()?;
        Ok(named.map(|all| all.into_iter().collect()))
    }

    /// Returns the selection of joints: the named ones, or else a rule.
    pub(super) fn meant<'a>(&self, named: Option<&'a BTreeSet<NodeId>>) -> MeantJoints<'a> {
        let by = self.choose.unwrap_or(ChooseJoints::Weights);
        named.map_or(MeantJoints::By(by), MeantJoints::Named)
    }

    /// Whether the weights of mirrored vertices are averaged.
    pub(super) fn is_symmetric(&self) -> bool {
        self.symmetric == Some(true)
    }

    /// Returns an error if the indices of rigid pieces are out of range.
    pub(super) fn check_rigid(&self, report: &BindReport) -> Result<(), CommandError> {
        let Some(RigidPieces::Numbers(numbers)) = &self.rigid else { return Ok(()) };
        let count = report.pieces.len();
        match numbers.iter().find(|number| **number as usize >= count) {
            None => Ok(()),
            Some(number) => refuse(
                "argument_out_of_range",
                format!(
                    "“rigid” names piece {number}, but the pieces have the numbers 0 to {}",
                    count.saturating_sub(1)
                ),
            ),
        }
    }
}

impl Bind {
    /// Replaces existing weights by computed ones.
    pub(super) fn rebind(&self, scene: &Scene<'_>, what: Rebind) -> Result<Outcome, CommandError> {
        let document = scene.document;
        let named = self.weights.named_joints(document)?;
        let settings = self.weights.settings()?;
        if what == Rebind::Joints && named.is_none() {
            return refuse(
                "argument_missing",
                "“rebind” is “joints”, but no joints are named in “joints”",
            );
        }
        if what == Rebind::Vertices && self.vertices.is_none() {
            return refuse(
                "argument_missing",
                "“rebind” is “vertices”, but no vertices are named in “vertices”",
            );
        }
        let reach = Reach {
            mesh: self.mesh.clone(),
            primitive: self.primitive,
            vertices: self.vertices.clone(),
            locked: self.locked.clone(),
            most: Some(settings.limit),
            layer: None,
        };
        let mut report = BindReport::default();
        let skins = document.skins.ids().count();
        let mut number = 0;
        let mut done = run(document, &reach, "bound", |draft, job| {
            let parts: Vec<(MeshId, PrimitiveId)> =
                job.canvas.parts().iter().map(|p| (p.mesh, p.primitive)).collect();
            // Other joints keep their weights. The given joints share the remaining weight.
            let kept = |joint: &NodeId| {
                what == Rebind::Joints && named.as_ref().is_some_and(|named| !named.contains(joint))
            };
            let locked = job.locked.iter().zip(job.canvas.joints());
            let locked: Vec<bool> = locked.map(|(l, joint)| *l || kept(joint)).collect();
            let scope = Scope { locked: &locked, ..job.scope() };
            let request = AutomaticRequest {
                skin: job.canvas.skin,
                parts: &parts,
                // If only some joints are replaced, their fractions are computed among all joints.
                meant: self.weights.meant(named.as_ref().filter(|_| what != Rebind::Joints)),
                weights: &self.weights,
                settings: &settings,
                first_piece: report.pieces.len(),
                watch: scene.watch().part(number, skins),
            };
            number += 1;
            let made = automatic(document, &request)?;
            report.add(made.report);
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
        self.weights.check_rigid(&report)?;
        done.notes.push(said(document, &report));
        done.bind = Some(Box::new(report));
        Ok(done)
    }
}

/// Returns a note with the methods, the number of rigid pieces, and the joints without weight.
pub(super) fn said(document: &Document, report: &BindReport) -> Notice {
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
    let mut pieces: BTreeMap<PieceMethod, usize> = BTreeMap::new();
    report.pieces.iter().for_each(|piece| *pieces.entry(piece.method).or_insert(0) += 1);
    let by: Vec<String> = match pieces.is_empty() {
        // There are points, but no triangles.
        true => vec!["by distance".to_owned()],
        false => pieces
            .iter()
            .map(|(method, n)| format!("by {} for {}", words(method), count(*n)))
            .collect(),
    };
    let mut text = format!("weights {}", by.join(", "));
    let rigid = report.pieces.iter().filter(|piece| piece.is_rigid).count();
    if rigid > 0 {
        text = format!("{text}, {} rigid", count(rigid));
    }
    let left_out = &report.left_out;
    if !left_out.is_empty() {
        let one = |joint: &BindJoint| {
            format!("{} ({})", document.node(joint.node).label(joint.node), joint.reason.words())
        };
        let some: Vec<String> = left_out.iter().take(LISTED).map(one).collect();
        let more = match left_out.len().saturating_sub(LISTED) {
            0 => String::new(),
            n => format!(" and {n} more"),
        };
        text = format!("{text}, no weight for {}{more}", some.join(", "));
    }
    Notice::new("bound_by_methods", text)
}

/// Request for weights of primitives of one skin.
pub(super) struct AutomaticRequest<'a> {
    pub(super) skin: SkinId,
    pub(super) parts: &'a [(MeshId, PrimitiveId)],
    pub(super) meant: MeantJoints<'a>,
    pub(super) weights: &'a AutomaticWeights,
    pub(super) settings: &'a BindSettings,
    /// Index of the first piece in the report.
    pub(super) first_piece: usize,
    pub(super) watch: RunWatch<'a>,
}

/// Computes the weights of primitives of a skin.
pub(super) fn automatic(
    document: &Document,
    request: &AutomaticRequest<'_>,
) -> Result<Automatic, CommandError> {
    let AutomaticRequest { skin, parts, weights, settings, watch, .. } = *request;
    let (heads, parents) = (joint_heads(document, skin), joint_parents(document, skin));
    let joints = &document.skin(skin).joints;
    let own: Vec<_> =
        parts.iter().map(|(mesh, k)| &document.mesh(*mesh).primitives[k.index()]).collect();
    let mut left_out = Vec::new();
    let is_meant: Vec<bool> = match request.meant {
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
    let axes = joint_axes(document, skin);
    let bones = Bones::along_axes(&heads, &parents, &axes, &is_meant);
    let meshes: Vec<BindMesh<'_>> =
        own.iter().map(|p| BindMesh { positions: &p.positions, triangles: &p.indices }).collect();
    let mirror = match weights.is_symmetric() {
        true => Some(mirror(document, skin, parts)?),
        false => None,
    };
    let asked = BindRequest {
        meshes: &meshes,
        bones: bones.list(),
        settings: *settings,
        mirror: mirror.as_ref(),
    };
    let made = match bind_weights(&asked, &|part| watch.report(part), watch.cancel) {
        Ok(made) => made,
        Err(BindError::Canceled) => return Err(CommandError::other("canceled", "canceled")),
        Err(error @ BindError::NoBones) => {
            return Err(CommandError::other("no_joints_meant", error.to_string()));
        }
    };
    finished(joints, request, made, left_out)
}

/// Returns the weights and the report, with the requested pieces bound to one joint each.
fn finished(
    joints: &[NodeId],
    request: &AutomaticRequest<'_>,
    mut made: BoundWeights,
    left_out: Vec<BindJoint>,
) -> Result<Automatic, CommandError> {
    let mut meshes = vec![request.parts[0].0; made.pieces.len()];
    for ((mesh, _), list) in request.parts.iter().zip(&made.piece_of).rev() {
        list.iter().flatten().for_each(|piece| meshes[*piece as usize] = *mesh);
    }
    let mut pieces = Vec::with_capacity(made.pieces.len());
    let mut rigid = BTreeMap::new();
    for ((number, piece), mesh) in (0u32..).zip(&made.pieces).zip(meshes) {
        let in_report = number as usize + request.first_piece;
        let is_rigid = match &request.weights.rigid {
            None => false,
            Some(RigidPieces::All) => piece.rigid.is_some_and(|found| found.confidence >= SURE),
            Some(RigidPieces::Numbers(numbers)) => numbers.iter().any(|n| *n as usize == in_report),
        };
        if is_rigid {
            let Some(found) = piece.rigid else {
                return refuse(
                    "not_rigid",
                    format!(
                        "no joint has at least half of the weight of piece {in_report}, so it \
                            cannot follow one; leave it out of “rigid”"
                    ),
                );
            };
            rigid.insert(number, found.joint);
        }
        pieces.push(BoundPiece {
            mesh,
            method: piece.method,
            vertices: piece.vertices,
            hidden: piece.hidden,
            rigid: piece.rigid.map(|found| (joints[found.joint.index()], found.confidence)),
            is_rigid,
        });
    }
    made.make_rigid(&rigid);
    let BoundWeights { maps, piece_of, loose, .. } = made;
    let parts = request.parts.iter().zip(piece_of).map(|((mesh, primitive), piece_of)| BoundPart {
        mesh: *mesh,
        primitive: *primitive,
        piece_of,
    });
    let report = BindReport { pieces, parts: parts.collect(), loose, left_out };
    let maps = request.parts.iter().zip(maps).map(|((mesh, k), map)| (*mesh, *k, map)).collect();
    Ok(Automatic { maps, report })
}

/// Returns the mirror vertices and mirror joints of primitives of a skin.
fn mirror(
    document: &Document,
    skin: SkinId,
    parts: &[(MeshId, PrimitiveId)],
) -> Result<BindMirror, CommandError> {
    // A surface contains only primitives with weights, so temporary weights are added.
    let mut weighted = document.clone();
    for (mesh, primitive) in parts {
        let found = &document.mesh(*mesh).primitives[primitive.index()];
        if found.weights.is_none() {
            let to = Some(Shared::new(first_joint(found.positions.len())));
            apply(&mut weighted, Edit::BindWeights { mesh: *mesh, primitive: *primitive, to })?;
        }
    }
    let Some(canvas) = SkinnedSurface::whole(&weighted, skin) else {
        return Ok(BindMirror::default());
    };
    // Pairs by position alone are not reliable: both joints can belong to one chain.
    let is_sure = |role: &Role| {
        role.partner.is_some()
            && matches!(role.how, PairSource::Names | PairSource::Both | PairSource::Given)
    };
    if !MirrorPairs::of(document, skin).joints().iter().any(is_sure) {
        return Err(NoSides::Unknown.into());
    }
    let sides = Sides::of(&weighted, &canvas)?;
    let number_of = |canvas_part: usize| {
        let part = &canvas.parts()[canvas_part];
        parts.iter().position(|key| *key == (part.mesh, part.primitive))
    };
    let other = |v: u32| -> Option<(u32, u32)> {
        let point = sides.pairs.point(canvas.point_of(v))?;
        canvas.vertices_at(point).iter().find_map(|vertex| {
            let (part, own) = canvas.part_of(*vertex);
            Some((u32::try_from(number_of(part)?).ok()?, own))
        })
    };
    let vertices = parts.iter().map(|(mesh, primitive)| {
        let count = document.mesh(*mesh).primitives[primitive.index()].positions.len();
        let first = canvas.vertex_of(*mesh, *primitive, 0);
        (0u32..).take(count).map(|v| other(first? + v)).collect()
    });
    let joints = JointSlot::first(canvas.joints().len()).map(|j| sides.pairs.across(j)).collect();
    Ok(BindMirror { vertices: vertices.collect(), joints })
}

/// Returns weights that bind all vertices to the first joint.
fn first_joint(vertices: usize) -> WeightMap {
    WeightMap {
        sets: 1,
        joints: Slice::from(vec![0; vertices * 4]),
        weights: Slice::from([1.0, 0.0, 0.0, 0.0].repeat(vertices)),
        encoding: WeightEncoding::Float,
        not_numbers: [].into(),
    }
}

/// Converts the computed weights to shared maps for edits.
pub(super) fn shared_maps(made: Automatic) -> Vec<(MeshId, PrimitiveId, Shared<WeightMap>)> {
    made.maps.into_iter().map(|(mesh, k, map)| (mesh, k, Shared::new(map))).collect()
}
