//! Commands that set nodes to given values, or reset them to the rest pose.

use glam::{Quat, Vec3};

use super::commands::{
    Reset, ResetAll, ResetRotation, ResetScale, ResetTranslation, SetLocal, SetUser, SetWorld,
};
use crate::{
    Edit,
    command::{
        CommandError, Outcome, Scene,
        channel_locks::LockKeeper,
        destination::{PoseDestination, Wanted},
        field::Nodes,
        pose_target::PoseTarget,
        user_pose::{changed, done, failed, some_given, tidy},
    },
};
use ulna_model::{Components, NodeId, NodePose, Notice, Property, Transform};

/// Returns one edit for all nodes, which must be in ascending order.
fn each(
    scene: &Scene<'_>,
    nodes: Vec<NodeId>,
    pose: impl Fn(&mut LockKeeper, NodeId) -> Result<Option<NodePose>, CommandError>,
) -> Result<Outcome, CommandError> {
    let mut poses = Vec::with_capacity(nodes.len());
    let mut locks = LockKeeper::default();
    for node in nodes {
        poses.push((node, pose(&mut locks, node)?));
    }
    let mut made = done(scene.document, vec![Edit::SetPoses(poses)]);
    made.notes.extend(locks.note(scene.document));
    Ok(made)
}

impl SetUser {
    pub(super) fn work(&self, scene: &Scene<'_>) -> Result<Outcome, CommandError> {
        let nodes = self.node.all(scene.document)?;
        let given = some_given(&self.to)?;
        each(scene, nodes, |locks, node| {
            let found = scene.document.node(node);
            let rest = found.rest.transform();
            let now = found.user().unwrap_or_default();
            let wanted = changed(&now, &locks.keep_offset(scene.document, node, &now, &given));
            if wanted.is_empty() {
                return Ok(found.pose);
            }
            let user = wanted.over(&now);
            let made = rest.compose(&user);
            let part = Components {
                translation: wanted.translation.map(|_| made.translation),
                rotation: wanted.rotation.map(|_| made.rotation),
                scale: wanted.scale.map(|_| made.scale),
            };
            Ok(tidy(&found.rest, user, part.over(&found.local().transform())))
        })
    }
}

impl SetLocal {
    pub(super) fn work(&self, scene: &Scene<'_>) -> Result<Outcome, CommandError> {
        let nodes = self.node.all(scene.document)?;
        let place = PoseTarget::of(scene, &self.over)?;
        let given = some_given(&self.to)?;
        place.put(nodes.into_iter().map(|node| (node, given)))
    }
}

impl SetWorld {
    pub(super) fn work(&self, scene: &Scene<'_>) -> Result<Outcome, CommandError> {
        let document = scene.document;
        let place = PoseTarget::of(scene, &PoseDestination::FILE)?;
        let pose = place.seen();
        let nodes = self.node.all(document)?;
        let given = some_given(&self.to)?;
        // Largest invisible shear.
        const UNSEEN: f32 = 1e-4;
        let mut worst: Option<(f32, NodeId)> = None;
        let mut each = |node: NodeId| {
            let local = pose.local[node.index()].transform();
            let world = Transform::decompose(&pose.world[node.index()], &local).transform;
            let found = pose
                .local_for_world(document, node, &given.over(&world).matrix())
                .map_err(failed(document, node))?;
            let (wanted, residue) = (found.transform, found.residue);
            let turns = given.rotation.is_some() || given.scale.is_some();
            if turns && residue > worst.map_or(UNSEEN, |(w, _)| w) {
                worst = Some((residue, node));
            }
            let scaled = |s: Vec3| {
                given.scale.is_some()
                    || (s - local.scale).abs().max_element()
                        > 1e-5 * local.scale.abs().max_element()
            };
            let part = Components {
                translation: given.translation.map(|_| wanted.translation),
                rotation: turns.then_some(wanted.rotation),
                scale: Some(wanted.scale).filter(|s| turns && scaled(*s)),
            };
            Ok((node, part))
        };
        let wanted: Result<Wanted, CommandError> = nodes.into_iter().map(&mut each).collect();
        let note = worst.map(|(residue, node)| {
            let label = document.node(node).label(node);
            let said = format!(
                "nonuniform scale in a parent of {label} would shear it by {:.1} %, which a node \
                    cannot store; the nearest transform was used",
                residue * 100.0
            );
            Notice::new("shear_dropped", said)
        });
        place.put_noting(wanted?, note)
    }
}

impl ResetAll {
    pub(super) fn work(&self, scene: &Scene<'_>) -> Result<Outcome, CommandError> {
        let parts = self.parts.as_ref().map_or(&Property::TRS[..], |p| &p.0);
        reset(scene, self.node.as_ref(), parts, &PoseDestination::FILE)
    }
}

impl Reset {
    pub(super) fn work(&self, scene: &Scene<'_>) -> Result<Outcome, CommandError> {
        let parts = self.parts.as_ref().map_or(&Property::TRS[..], |p| &p.0);
        reset(scene, self.node.as_ref(), parts, &self.over)
    }
}

impl ResetTranslation {
    pub(super) fn work(&self, scene: &Scene<'_>) -> Result<Outcome, CommandError> {
        reset(scene, self.node.as_ref(), &[Property::Translation], &self.over)
    }
}

impl ResetRotation {
    pub(super) fn work(&self, scene: &Scene<'_>) -> Result<Outcome, CommandError> {
        reset(scene, self.node.as_ref(), &[Property::Rotation], &self.over)
    }
}

impl ResetScale {
    pub(super) fn work(&self, scene: &Scene<'_>) -> Result<Outcome, CommandError> {
        reset(scene, self.node.as_ref(), &[Property::Scale], &self.over)
    }
}

fn reset(
    scene: &Scene<'_>,
    nodes: Option<&Nodes>,
    parts: &[Property],
    over: &PoseDestination,
) -> Result<Outcome, CommandError> {
    let document = scene.document;
    let nodes = nodes.map_or_else(|| Ok(document.node_ids().collect()), |n| n.all(document))?;
    if *over != PoseDestination::FILE {
        let to_rest = |node: NodeId| {
            let rest = document.node(node).rest.transform();
            let all = Components {
                translation: Some(rest.translation),
                rotation: Some(rest.rotation),
                scale: Some(rest.scale),
            };
            (node, all.only(parts))
        };
        return PoseTarget::of(scene, over)?.put(nodes.into_iter().map(to_rest));
    }
    let mut locks = LockKeeper::default();
    let mut reset = |node: NodeId| {
        let found = document.node(node);
        let posed = found.pose?;
        let rest = found.rest.transform();
        let (mut user, mut local) = (posed.user, posed.local.transform());
        let none = Transform::IDENTITY;
        let all = Components {
            translation: Some(none.translation),
            rotation: Some(none.rotation),
            scale: Some(none.scale),
        };
        let to = locks.keep_offset(document, node, &posed.user, &all.only(parts));
        let made = rest.compose(&to.over(&posed.user));
        // A component without an offset gets the exact numbers of the rest pose.
        if let Some(t) = to.translation {
            user.translation = t;
            local.translation = if t == Vec3::ZERO { rest.translation } else { made.translation };
        }
        if let Some(r) = to.rotation {
            user.rotation = r;
            local.rotation = if r == Quat::IDENTITY { rest.rotation } else { made.rotation };
        }
        if let Some(s) = to.scale {
            user.scale = s;
            local.scale = if s == Vec3::ONE { rest.scale } else { made.scale };
        }
        if user == posed.user {
            return None;
        }
        Some((node, tidy(&found.rest, user, local)))
    };
    let poses: Vec<_> = nodes.into_iter().filter_map(&mut reset).collect();
    let mut made =
        done(document, if poses.is_empty() { Vec::new() } else { vec![Edit::SetPoses(poses)] });
    made.notes.extend(locks.note(document));
    Ok(made)
}
