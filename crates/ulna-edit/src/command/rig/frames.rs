//! Commands that change the axes or the pivot of joints.

use std::collections::BTreeMap;

use glam::{DQuat, DVec3, EulerRot};

use super::{
    aim::{BoneAxes, mirrored_rotations},
    commands::{Motion, MoveJoint, OrientJoint, OwnAxis, UpDirection},
    finish::finish,
    rewrite::{PLAIN, RigDraft, shear},
    twins::Twins,
};
use crate::{
    Edit,
    command::{
        CommandError, Outcome, Scene,
        error::refuse,
        nodes::{RestOrPose, world},
    },
};
use ulna_model::{
    Document, Local, Node, NodeId, NodePose, Property, Shared, Track, Transform,
    transform::decompose,
};
use ulna_motion::surgery::{Chain, Factor, Moving, shear_between};

/// Returns the world rotation of a node in the rest pose.
fn axes(document: &Document, node: NodeId) -> DQuat {
    let world = world(document, Some(node), RestOrPose::Rest);
    let like = document.node(node).rest.transform();
    decompose(&world, &like).transform.rotation.as_dquat().normalize()
}

impl OrientJoint {
    pub(super) fn work(&self, scene: &Scene<'_>) -> Result<Outcome, CommandError> {
        let document = scene.document;
        let nodes = self.node.all(document)?;
        let like = self.like.as_ref().map(|like| like.all(document)).transpose()?;
        let frames = self.rotations(document, &nodes, like.as_deref())?;
        let frames: BTreeMap<NodeId, Moving> =
            frames.into_iter().map(|(n, q)| (n, Moving::turned(q))).collect();
        let mut rig = RigDraft::of(document);
        rig.reframe(&frames, self.motion.unwrap_or(Motion::Keep))?;
        finish(rig, scene, None)
    }

    /// Returns the local rotation that each joint gets.
    fn rotations(
        &self,
        document: &Document,
        nodes: &[NodeId],
        like: Option<&[NodeId]>,
    ) -> Result<BTreeMap<NodeId, DQuat>, CommandError> {
        let is_world = self.world.unwrap_or(false);
        let is_mirrored = self.mirrored.unwrap_or(false);
        if self.aim.is_none() && (self.up.is_some() || self.up_to.is_some() || self.roll.is_some())
        {
            return refuse("arguments_together", "“up”, “up_to” and “roll” need “aim”");
        }
        let all = |rotation: &dyn Fn(NodeId) -> DQuat| {
            Ok(nodes.iter().map(|n| (*n, rotation(*n).normalize())).collect())
        };
        match (self.degrees, like, is_world, self.aim, is_mirrored) {
            (Some(degrees), None, false, None, false) => {
                let [x, y, z] = degrees.as_dvec3().to_array().map(f64::to_radians);
                all(&|_| DQuat::from_euler(EulerRot::XYZ, x, y, z))
            }
            (None, Some([like]), false, None, false) => {
                let wanted = axes(document, *like);
                all(&|n| axes(document, n).conjugate() * wanted)
            }
            (None, None, true, None, false) => all(&|n| axes(document, n).conjugate()),
            (None, None, false, Some(aim), false) => {
                let along_y = matches!(aim, OwnAxis::Y | OwnAxis::MinusY);
                let up = if along_y { OwnAxis::Z } else { OwnAxis::Y };
                let bones = BoneAxes {
                    aim,
                    up: self.up.unwrap_or(up),
                    up_to: self.up_to.unwrap_or(UpDirection::Scene),
                    roll: f64::from(self.roll.unwrap_or(0.0)).to_radians(),
                };
                bones.rotations(document, nodes)
            }
            (None, None, false, None, true) => mirrored_rotations(document, nodes),
            _ => refuse(
                "argument_missing",
                "use one of “degrees”, “like” (a single joint), “world”, “aim” and “mirrored”",
            ),
        }
    }
}

impl MoveJoint {
    pub(super) fn work(&self, scene: &Scene<'_>) -> Result<Outcome, CommandError> {
        let document = scene.document;
        let by = self.by.as_dvec3();
        let named = self.node.all(document)?;
        let mut moves: BTreeMap<NodeId, DVec3> = named.iter().map(|n| (*n, by)).collect();
        if self.symmetric.unwrap_or(false) {
            let twins = Twins::of(document);
            for node in &named {
                let mirrored = twins.reflection(Some(*node)).transform_vector3(by);
                if let Some(partner) = twins.partner(*node) {
                    moves.entry(partner).or_insert(mirrored);
                } else if twins.is_center(*node) {
                    moves.insert(*node, (by + mirrored) / 2.0);
                }
            }
        }
        let frame = |(n, by): (NodeId, DVec3)| {
            let world = world(document, Some(n), RestOrPose::Rest);
            let d = world.inverse().transform_vector3(by);
            if !d.is_finite() {
                let label = document.node(n).label(n);
                return refuse(
                    "squashed_flat",
                    format!(
                        "“{label}” is scaled to 0, so its pivot cannot be moved; set another \
                            scale first"
                    ),
                );
            }
            Ok((n, Moving::moved(d)))
        };
        let frames: BTreeMap<NodeId, Moving> =
            moves.into_iter().map(frame).collect::<Result<_, _>>()?;
        let mut rig = RigDraft::of(document);
        rig.reframe(&frames, self.motion.unwrap_or(Motion::Keep))?;
        finish(rig, scene, None)
    }
}

impl RigDraft {
    /// Changes the frames of nodes, so that their keys apply in the new frames. The local transform
    /// becomes `M' = T(R₀·S₀·d)·M`, with the rotation `R' = R₀·q·R₀⁻¹·R`. `q` and `d` are the
    /// rotation and translation of the frame change; `R₀` and `S₀` are the rotation and scale of
    /// the rest pose. This function changes only rotations. It returns the offsets `R₀·S₀·d`, which
    /// the caller applies to the translations.
    pub(super) fn follow(
        &mut self,
        frames: &BTreeMap<NodeId, Moving>,
    ) -> Result<BTreeMap<NodeId, Moving>, CommandError> {
        let document = self.draft.document.clone();
        // A node with a matrix cannot have keys.
        let is_matrix = |n: NodeId| matches!(document.node(n).rest, Local::Matrix(_));
        let mut shifts = BTreeMap::new();
        for (node, c) in frames.iter().filter(|(n, _)| !is_matrix(**n)) {
            let about = document.node(*node);
            let rest = Moving::still(&about.rest.transform());
            if !rest.is_uniform() {
                // The frame must be possible without shear in the rest pose.
                let made = rest.then(c).matrix();
                if shear_between(&(rest.matrix() * c.matrix()), &made) > PLAIN {
                    let factors = vec![Factor::Local(*node), Factor::Constant(*c)];
                    return Err(shear(&document, &[Chain { node: *node, factors }]));
                }
            }
            shifts.insert(*node, Moving::moved(rest.rotation * (rest.scale * c.translation)));
            let by = rest.rotation * c.rotation * rest.rotation.conjugate();
            if by.dot(DQuat::IDENTITY).abs() >= 1.0 - 1e-14 {
                continue;
            }
            let turned = |local: Transform| {
                let rotation = (by * local.rotation.as_dquat()).normalize().as_quat();
                Local::Trs(Transform { rotation, ..local })
            };
            let to = turned(about.rest.transform());
            let pose = about.pose.map(|_| NodePose::at(&to, turned(about.local().transform())));
            let pose = pose
                .transpose()
                .map_err(|source| CommandError::Transform { node: about.label(*node), source })?;
            let made = Node { rest: to, pose, ..about.clone() };
            self.draft.put(Edit::node(*node, made))?;
            for (clip, found) in document.clips.iter() {
                let Some((track, keys)) = found.track(*node, Property::Rotation) else { continue };
                let mut values = keys.values.to_vec();
                for value in values.chunks_exact_mut(4) {
                    let q = DQuat::from_slice(&[0, 1, 2, 3].map(|k: usize| f64::from(value[k])));
                    value.copy_from_slice(&(by * q).as_quat().to_array());
                }
                let to = Track { values: values.into(), ..(**keys).clone() };
                self.draft.put(Edit::SetTrack { clip, track, to: Some(Shared::new(to)) })?;
                self.tracks.exact += 1;
            }
        }
        self.moves_skin |= !shifts.is_empty();
        Ok(shifts)
    }
}
