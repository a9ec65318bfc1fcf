//! Mirrors joints of one side to the other side.

use std::collections::{BTreeMap, BTreeSet};

use glam::{DMat3, DMat4, DQuat, DVec3, Mat4};

use super::{
    aim::{both_sides, mirrored_axes, smallest_signs},
    commands::{MirrorJoint, Motion},
    finish::finish,
    rename::other_side,
    rewrite::{RigDraft, affine},
    tree::free_name,
    twins::partner_by_name,
};
use crate::{
    Edit,
    command::{
        CommandError, Outcome, Scene,
        error::refuse,
        nodes::{RestOrPose, last_rank, with_below, world},
    },
};
use ulna_model::{
    Document, Local, Node, NodeId, Notice, Shared, Skin, SkinId, Transform, transform::decompose,
};
use ulna_motion::{Mirror, surgery::Moving};
use ulna_weights::{
    PartChange, Scope as WeightScope, SkinnedSurface, WorkingWeights, layers::Sides,
};

/// Largest distance, as a fraction of the skeleton size, and largest sine of half a rotation angle,
/// that count as rounding.
const NONE: f64 = 5e-5;

/// Joints of one side, with their counterparts on the other side.
struct SidePlan<'d> {
    document: &'d Document,
    mirror: &'d Mirror,
    /// Joints with a mirror joint.
    pairs: BTreeMap<NodeId, NodeId>,
    /// Joints without a mirror joint, parents first.
    missing: Vec<NodeId>,
    /// Given joints that are in the middle of the body.
    center: Vec<NodeId>,
}

impl<'d> SidePlan<'d> {
    fn of(
        document: &'d Document,
        mirror: &'d Mirror,
        nodes: &BTreeSet<NodeId>,
    ) -> Result<Self, CommandError> {
        let mut plan =
            Self { document, mirror, pairs: BTreeMap::new(), missing: Vec::new(), center: vec![] };
        for node in document.nodes.order().iter().filter(|n| nodes.contains(n)) {
            match plan.partner(*node) {
                Some(partner) if partner == *node => plan.center.push(*node),
                Some(partner) => _ = plan.pairs.insert(*node, partner),
                None => plan.missing.push(*node),
            }
        }
        let both = plan.pairs.iter().find(|(_, p)| nodes.contains(p));
        if let Some((node, partner)) = both {
            return Err(both_sides(document, *node, *partner));
        }
        if plan.pairs.is_empty() && plan.missing.is_empty() {
            let label = plan.center.first().map(|n| document.node(*n).label(*n));
            return refuse(
                "no_mirror_partner",
                format!(
                    "“{}” is in the middle of the body; name joints of one side",
                    label.unwrap_or_default()
                ),
            );
        }
        Ok(plan)
    }

    /// Returns the mirror joint, by the mirror pairs or else by name. The name also finds a joint
    /// at a wrong position.
    fn partner(&self, node: NodeId) -> Option<NodeId> {
        self.mirror.partner(node).or_else(|| partner_by_name(self.document, node))
    }

    /// Returns the reflection of the body that a node or its nearest known ancestor belongs to.
    fn reflection(&self, node: NodeId) -> Option<DMat4> {
        let up = |n: &NodeId| self.document.node(*n).parent;
        std::iter::successors(Some(node), up).find_map(|n| self.mirror.reflection(n))
    }

    fn stand(&self, node: NodeId) -> DMat4 {
        self.mirror.stand(node).as_dmat4()
    }

    /// Returns the axis signs that most pairs of mirror joints in the skeleton have in common.
    /// Without pairs, the x axis is negated.
    fn convention(&self) -> DVec3 {
        let mut votes: Vec<(DVec3, usize)> = Vec::new();
        for node in self.document.node_ids() {
            let partner = self.mirror.partner(node).filter(|p| *p != node);
            let image = partner.and_then(|p| mirrored_axes(self.mirror, node, p));
            let Some(signs) = image.map(|image| smallest_signs(&image)) else { continue };
            match votes.iter_mut().find(|(other, _)| *other == signs) {
                Some((_, count)) => *count += 1,
                None => votes.push((signs, 1)),
            }
        }
        let first_best = votes.iter().rev().max_by_key(|(_, count)| *count);
        first_best.map_or(DVec3::new(-1.0, 1.0, 1.0), |(signs, _)| *signs)
    }

    /// Returns the frame changes `W' = W·C` of existing mirror joints. Unchanged joints are
    /// omitted.
    fn frames(&self, size: f64) -> Result<BTreeMap<NodeId, Moving>, CommandError> {
        let mut frames = BTreeMap::new();
        for (node, partner) in &self.pairs {
            let found = mirrored_axes(self.mirror, *partner, *node).zip(self.reflection(*partner));
            let Some((image, reflection)) = found else {
                return Err(self.not_mirrored(*partner));
            };
            let turn = image * DMat3::from_diagonal(smallest_signs(&image));
            let own = self.stand(*partner);
            let wanted = reflection.transform_point3(self.stand(*node).w_axis.truncate());
            let c = Moving {
                translation: own.inverse().transform_point3(wanted),
                ..Moving::turned(DQuat::from_mat3(&turn).normalize())
            };
            if !c.translation.is_finite() {
                return Err(self.not_mirrored(*partner));
            }
            let moved = wanted.distance(own.w_axis.truncate());
            let is_moved = moved > NONE * size;
            let is_turned = c.rotation.xyz().length() > NONE;
            let c = Moving {
                translation: if is_moved { c.translation } else { DVec3::ZERO },
                rotation: if is_turned { c.rotation } else { DQuat::IDENTITY },
                ..c
            };
            if is_moved || is_turned {
                frames.insert(*partner, c);
            }
        }
        Ok(frames)
    }

    fn not_mirrored(&self, node: NodeId) -> CommandError {
        CommandError::other(
            "squashed_flat",
            format!(
                "“{}” is scaled to 0 or belongs to no body, so it has no mirror image; set \
                    another scale, or leave it out",
                self.document.node(node).label(node)
            ),
        )
    }

    /// Returns the node on the other side that becomes the parent of mirrored children of a node.
    fn parent_across(&self, node: NodeId) -> Result<NodeId, CommandError> {
        match self.partner(node) {
            Some(partner) => Ok(partner),
            None if !self.document.joint_flags()[node.index()] => Ok(node),
            None => {
                let label = self.document.node(node).label(node);
                refuse(
                    "no_mirror_partner",
                    format!("“{label}” has no mirror joint yet; mirror that joint first"),
                )
            }
        }
    }

    /// Adds the missing joints. Returns the new joint for each source joint.
    fn add(&self, rig: &mut RigDraft) -> Result<BTreeMap<NodeId, NodeId>, CommandError> {
        let signs = DMat4::from_mat3(DMat3::from_diagonal(self.convention()));
        let mut made: BTreeMap<NodeId, (NodeId, DMat4)> = BTreeMap::new();
        for node in &self.missing {
            let about = self.document.node(*node);
            let Some(reflection) = self.reflection(*node) else {
                return Err(self.not_mirrored(*node));
            };
            let place = reflection * self.stand(*node) * signs;
            let parent = match about.parent {
                Some(p) => Some(match made.get(&p) {
                    Some(new) => *new,
                    None => self.parent_across(p).map(|parent| (parent, self.stand(parent)))?,
                }),
                None => None,
            };
            let local = parent.map_or(DMat4::IDENTITY, |(_, above)| above.inverse()) * place;
            if !local.is_finite() {
                return Err(self.not_mirrored(*node));
            }
            let like = Transform { translation: glam::Vec3::ZERO, ..about.rest.transform() };
            let local = decompose(&local, &like).transform;
            let document = rig.document();
            let name = about.name.as_deref().unwrap_or("Joint");
            let base = other_side(name).unwrap_or_else(|| format!("{name}_mirrored"));
            let id = document.nodes.next_id();
            let parent = parent.map(|(p, _)| p);
            let to = Node {
                name: Some(free_name(document, base).into()),
                parent,
                rank: last_rank(document, parent),
                rest: Local::Trs(local),
                ..Node::default()
            };
            let scenes: Vec<_> = document
                .scenes
                .iter()
                .filter(|(_, s)| parent.is_none() && s.roots.contains(node))
                .map(|(scene, s)| (scene, s.roots.iter().copied().chain([id]).collect()))
                .collect();
            rig.draft.put(Edit::node(id, to))?;
            rig.draft
                .put_all(scenes.into_iter().map(|(scene, to)| Edit::SetRoots { scene, to }))?;
            made.insert(*node, (id, place));
        }
        let made: BTreeMap<NodeId, NodeId> = made.into_iter().map(|(n, (id, _))| (n, id)).collect();
        join(rig, &made)?;
        Ok(made)
    }
}

/// Adds new joints to the skins of their source joints. In the rest pose, both have the same
/// skinning matrix: `B = W⁻¹·W_j·B_j`, with world transforms `W` and bind matrices `B`.
fn join(rig: &mut RigDraft, made: &BTreeMap<NodeId, NodeId>) -> Result<(), CommandError> {
    let document = rig.document().clone();
    let rest = |n: NodeId| world(&document, Some(n), RestOrPose::Rest);
    for (id, skin) in document.skins.iter() {
        let mut joints = skin.joints.to_vec();
        let mut binds = skin.inverse_bind.to_vec();
        for (joint, bind) in skin.joints.iter().zip(skin.inverse_bind.iter()) {
            if let Some(new) = made.get(joint) {
                joints.push(*new);
                binds.push(affine(rest(*new).inverse() * rest(*joint) * bind.as_dmat4()));
            }
        }
        if joints.len() == skin.joints.len() {
            continue;
        }
        let has_inverse_bind =
            skin.has_inverse_bind || binds.iter().any(|bind| *bind != Mat4::IDENTITY);
        rig.joints.extend(joints.iter().copied());
        let to = Skin {
            joints: joints.into(),
            inverse_bind: binds.into(),
            has_inverse_bind,
            ..(**skin).clone()
        };
        rig.draft.put(Edit::SetSkin { skin: id, to: Some(Shared::new(to)) })?;
    }
    Ok(())
}

/// Mirrors the weights of the joints of one side to the other side, in each skin. `pairs` maps
/// source joints to their mirror joints.
fn mirror_weights(
    rig: &mut RigDraft,
    pairs: &BTreeMap<NodeId, NodeId>,
) -> Result<Vec<Notice>, CommandError> {
    let document = rig.document().clone();
    let mut notes = Vec::new();
    for (id, skin) in document.skins.iter() {
        if !skin.joints.iter().any(|j| pairs.contains_key(j)) {
            continue;
        }
        match mirrored(&document, id, pairs) {
            Ok(edits) => {
                for (edit, count) in edits {
                    rig.given.mirrored += count;
                    rig.draft.put(edit)?;
                }
            }
            Err(why) => notes.push(Notice::new("weights_not_mirrored", why)),
        }
    }
    Ok(notes)
}

/// Returns the edits that mirror weights of a skin, each with its number of vertices. Fails with
/// the reason if mirroring is impossible.
fn mirrored(
    document: &Document,
    id: SkinId,
    pairs: &BTreeMap<NodeId, NodeId>,
) -> Result<Vec<(Edit, usize)>, String> {
    let label = crate::command::mesh_skins::skin_label(document, id);
    if document.aids.weight_layers.contains_key(&id) {
        return Err(format!(
            "the weights of {label} were not mirrored, because it has weight layers"
        ));
    }
    let Some(canvas) = SkinnedSurface::whole(document, id) else { return Ok(Vec::new()) };
    let sides = Sides::of(document, &canvas)
        .map_err(|why| format!("the weights of {label} were not mirrored: {why}"))?;
    let slots: Vec<bool> = canvas.joints().iter().map(|j| pairs.contains_key(j)).collect();
    let heads = canvas.heads().iter().zip(&slots).filter(|(_, is_meant)| **is_meant);
    let along: f32 = heads.map(|(head, _)| head[sides.axis] - sides.offset).sum();
    let from_high = along > 0.0;
    let maps = canvas.maps(document);
    let gives = |vertex: u32| {
        let (joints, weights) = maps.slots(vertex);
        let mut all = joints.iter().zip(weights);
        all.any(|(j, w)| *w > 0.0 && slots.get(usize::from(*j)) == Some(&true))
    };
    let takes = |vertex: u32| {
        let partner = sides.pairs.point(canvas.point_of(vertex));
        partner.is_some_and(|p| gives(canvas.first_at(p)))
    };
    let wanted: Vec<bool> = (0..canvas.vertex_count() as u32).map(takes).collect();
    if !wanted.contains(&true) {
        return Ok(Vec::new());
    }
    let locked = vec![false; canvas.joints().len()];
    let scope = WeightScope { locked: &locked, limit: usize::MAX, vertices: Some(&wanted) };
    let mut draft = WorkingWeights::new(document, &canvas);
    // Vertices that cannot receive the mirrored weights keep their own.
    draft.mirror(&sides.pairs, sides.axis, sides.offset, from_high, &scope);
    let part = |k: usize| (canvas.parts()[k].mesh, canvas.parts()[k].primitive);
    let edit = |(k, change): (usize, PartChange)| {
        let (mesh, primitive) = part(k);
        match change {
            PartChange::Patch(patch) => {
                let count = patch.vertices.len();
                (Edit::PatchWeights { mesh, primitive, patch: Box::new(patch) }, count)
            }
            PartChange::Whole(to) => {
                let count = to.vertex_count();
                (Edit::SetWeights { mesh, primitive, to: Shared::new(to) }, count)
            }
        }
    };
    Ok(draft.changes(document).into_iter().map(edit).collect())
}

impl MirrorJoint {
    pub(super) fn work(&self, scene: &Scene<'_>) -> Result<Outcome, CommandError> {
        let document = scene.document;
        let named = self.node.all(document)?;
        let nodes = self.nodes(document, &named);
        let mirror = Mirror::of(document);
        let plan = SidePlan::of(document, &mirror, &nodes)?;
        let mut rig = RigDraft::of(document);
        let frames = plan.frames(rig.size())?;
        let made = plan.add(&mut rig)?;
        rig.reframe(&frames, Motion::Keep)?;
        let mut pairs = made;
        if self.weights == Some(true) {
            pairs.extend(&plan.pairs);
        }
        let mut notes = match self.weights {
            Some(false) => Vec::new(),
            Some(true) | None => mirror_weights(&mut rig, &pairs)?,
        };
        if rig.draft.edits.is_empty() {
            notes.insert(
                0,
                Notice::new("nothing_to_mirror", "the other side is a mirror image already"),
            );
            return Ok(Outcome { notes, ..Outcome::default() });
        }
        rig.moves_skin |= rig.given.mirrored > 0;
        let mut done = finish(rig, scene, None)?;
        notes.append(&mut done.notes);
        Ok(Outcome { notes, ..done })
    }

    /// Returns the given joints, and optionally the joints below them with all nodes between.
    fn nodes(&self, document: &Document, named: &[NodeId]) -> BTreeSet<NodeId> {
        let mut all: BTreeSet<NodeId> = named.iter().copied().collect();
        if !self.below.unwrap_or(true) {
            return all;
        }
        let joints = document.joint_flags();
        let below = with_below(document, named);
        for joint in below.iter().filter(|n| joints[n.index()]) {
            let up = |n: &NodeId| document.node(*n).parent;
            let line = std::iter::successors(Some(*joint), up);
            all.extend(line.take_while(|n| below.contains(n)));
        }
        all
    }
}
