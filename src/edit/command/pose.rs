//! Commands on the pose: every one ends as a new `Ul`, and writes only the components that it is about.

use std::collections::BTreeSet;

use glam::{DMat3, Mat4, Quat, Vec3};
use serde::Serialize;

use super::{
    CommandError, Outcome, Scene, around,
    define::document_commands,
    field::{Axis, Degrees, Factor, Nodes, Parts, Trs},
    rules,
};
use crate::{
    edit::Edit,
    model::{
        Components, Document, Local, NodeId, NodePose, Property, Track, Transform, TransformError,
        transform::{is_invertible, is_turned_less, unit_or},
    },
};

/// The axes a move is along.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Space {
    /// The node's own.
    #[default]
    Local,
    /// Its parent's.
    Parent,
    /// The scene's.
    World,
}

impl Space {
    /// The word in a command line.
    pub const fn label(self) -> &'static str {
        match self {
            Self::Local => "local",
            Self::Parent => "parent",
            Self::World => "world",
        }
    }
}

fn failed(document: &Document, node: NodeId) -> impl FnOnce(TransformError) -> CommandError + '_ {
    move |source| CommandError::Transform { node: document.node(node).label(node), source }
}

/// Angles and factors that differ by less than this are one: the last digit of a float.
const SAME: f32 = 1e-7;

/// The edit that gives some components of a node's local transform other values. The others keep their bits, in the local
/// transform and in `Ul`; an `Ul` that comes to nothing is stored as none. A matrix becomes translation, rotation and
/// scale.
///
/// # Errors
/// Where no `Ul` does it.
pub fn pose_at(document: &Document, node: NodeId, wanted: &Components) -> Result<Option<NodePose>, CommandError> {
    let found = document.node(node);
    let now = found.local().transform();
    let wanted = changed(&now, wanted);
    if wanted.is_empty() {
        return Ok(found.pose);
    }
    let user = found.rest.transform().user_where(&wanted, &found.user().unwrap_or_default());
    let user = user.map_err(failed(document, node))?;
    Ok(tidy(&found.rest, user, wanted.over(&now)))
}

/// Of some components those that differ from what is there: a turn by nothing must leave nothing, not a last digit.
fn changed(now: &Transform, wanted: &Components) -> Components {
    let near = now.translation.abs().max_element().max(1e-3) * SAME;
    Components {
        translation: wanted.translation.filter(|t| (*t - now.translation).abs().max_element() > near || !t.is_finite()),
        rotation: wanted.rotation.filter(|r| !is_turned_less(*r, now.rotation, SAME) || !r.is_finite()),
        scale: wanted.scale.filter(|s| {
            (*s - now.scale).abs().max_element() > SAME * now.scale.abs().max_element().max(1.0) || !s.is_finite()
        }),
    }
}

/// No pose where `Ul` is the identity to the last digit or two; components of it that are go back to the rest's own bits.
fn tidy(rest: &Local, mut user: Transform, mut local: Transform) -> Option<NodePose> {
    let base = rest.transform();
    if user.translation.abs().max_element() <= 1e-9 {
        (user.translation, local.translation) = (Vec3::ZERO, base.translation);
    }
    if is_turned_less(user.rotation, Quat::IDENTITY, SAME) {
        (user.rotation, local.rotation) = (Quat::IDENTITY, base.rotation);
    }
    if (user.scale - Vec3::ONE).abs().max_element() < SAME {
        (user.scale, local.scale) = (Vec3::ONE, base.scale);
    }
    (user != Transform::IDENTITY).then_some(NodePose { user, local: Local::Trs(local) })
}

/// What an edit of these nodes drops: the shear of matrices, of which translation, rotation and scale hold none.
pub(super) fn shear_remark(document: &Document, edits: &[Edit]) -> Option<String> {
    let mut worst: Option<(f32, NodeId)> = None;
    let mut count = 0;
    for (node, to) in poses_of(edits) {
        let found = document.node(*node);
        let Local::Matrix(was) = found.pose.as_ref().map_or(&found.rest, |p| &p.local) else { continue };
        if let Local::Trs(_) = to.as_ref().map_or(&found.rest, |p| &p.local) {
            let residue = Transform::decompose(was, &Transform::IDENTITY).residue;
            if residue > 1e-4 {
                count += 1;
                if worst.is_none_or(|(w, _)| residue > w) {
                    worst = Some((residue, *node));
                }
            }
        }
    }
    let (residue, node) = worst?;
    let label = document.node(node).label(node);
    let whose =
        if count == 1 { format!("“{label}” has") } else { format!("{count} nodes, “{label}” most, have") };
    Some(format!(
        "{whose} a matrix that shears by {:.1} %; the shear is dropped, since translation, rotation and scale cannot hold it",
        residue * 100.0
    ))
}

/// The poses that edits set.
fn poses_of(edits: &[Edit]) -> impl Iterator<Item = &(NodeId, Option<NodePose>)> {
    edits.iter().filter_map(|e| if let Edit::SetPoses(poses) = e { Some(poses) } else { None }).flatten()
}

/// Adds what edits of keys need besides: a node that a clip moves has no matrix (glTF 2.0, *Transformations*), so those that
/// have one get translation, rotation and scale, and what that drops is said.
pub fn free_of_matrices(document: &Document, done: &mut Outcome) {
    let mut moved = BTreeSet::new();
    for edit in &done.edits {
        match edit {
            Edit::SetTrack { to: Some(track), .. } => moved.extend(moved_by(track)),
            Edit::SetClip { to: Some(clip), .. } => moved.extend(clip.tracks.values().filter_map(|t| moved_by(t))),
            _ => {}
        }
    }
    let plain = |node: NodeId, was: &Local| {
        let (rest, local) = (&document.node(node).rest, Local::Trs(was.transform()));
        let user = rest.transform().user_from(&local.transform()).unwrap_or_default();
        Some(NodePose { user, local })
    };
    let keyed = |node: NodeId| {
        let mut tracks = document.clips.values().flat_map(|c| c.tracks.values());
        tracks.any(|t| moved_by(t) == Some(node))
    };
    for edit in &mut done.edits {
        let Edit::SetPoses(poses) = edit else { continue };
        for (node, to) in poses {
            let becomes = to.as_ref().map_or(&document.node(*node).rest, |p| &p.local);
            if matches!(becomes, Local::Matrix(_)) && (moved.contains(node) || keyed(*node)) {
                *to = plain(*node, becomes);
            }
            moved.remove(node);
        }
    }
    let mut freed = Vec::new();
    for node in moved {
        let local = document.node(node).local();
        if let Local::Matrix(_) = local {
            freed.push((node, plain(node, &local)));
        }
    }
    if freed.is_empty() {
        return;
    }
    let freed = Edit::SetPoses(freed);
    if let Some(said) = shear_remark(document, std::slice::from_ref(&freed)) {
        done.note = Some(done.note.take().map_or_else(|| said.clone(), |r| format!("{r}; {said}")));
    }
    done.edits.push(freed);
}

/// The node whose transform a track moves.
fn moved_by(track: &Track) -> Option<NodeId> {
    (track.property != Property::Weights).then_some(track.target)
}

pub(super) fn done(document: &Document, edits: Vec<Edit>) -> Outcome {
    Outcome { note: shear_remark(document, &edits), edits, ..Outcome::default() }
}

/// The rotation of a node after a turn about an axis of a space.
///
/// A turn `u` in the scene is taken into the parent by the orthogonal factor `O` of the parent's matrix, reflection
/// included: `r' = (O⁻¹·u·O)·r`. Nothing of a parent's unequal scales goes into the node.
///
/// # Errors
/// [`TransformError::SingularParent`] where the parent has no such factor.
pub fn rotation_after_turn(
    parent: &Mat4,
    rotation: Quat,
    axis: Vec3,
    angle: f32,
    space: Space,
) -> Result<Quat, TransformError> {
    let turned = match space {
        Space::Local => rotation * Quat::from_axis_angle(axis, angle),
        Space::Parent => Quat::from_axis_angle(axis, angle) * rotation,
        Space::World => {
            let orthogonal = orthogonal_factor(parent).ok_or(TransformError::SingularParent)?;
            // A conjugate of a turn is the turn about the axis taken along, the other way round in a mirror.
            let along = (orthogonal.transpose() * axis.as_dvec3()).as_vec3().normalize_or(axis);
            let sense = if orthogonal.determinant() < 0.0 { -angle } else { angle };
            Quat::from_axis_angle(along, sense) * rotation
        }
    };
    if turned.is_finite() { Ok(unit_or(turned, rotation)) } else { Err(TransformError::NotFinite) }
}

/// The orthogonal factor of a matrix's 3×3 part in its polar decomposition, by Newton's iteration `O ← (O + O⁻ᵀ)/2`
/// (Higham, *Computing the Polar Decomposition*, 1986). Nothing where the matrix is singular.
fn orthogonal_factor(matrix: &Mat4) -> Option<DMat3> {
    let m = matrix.as_dmat4();
    let mut o = DMat3::from_cols(m.x_axis.truncate(), m.y_axis.truncate(), m.z_axis.truncate());
    // Of about length 1, so that few steps do.
    let size = o.determinant().abs().cbrt();
    if !is_invertible(o.determinant()) || !size.is_finite() {
        return None;
    }
    o *= 1.0 / size;
    for _ in 0..100 {
        let next = (o + o.inverse().transpose()) * 0.5;
        let step = (next - o).to_cols_array().iter().fold(0.0f64, |a, v| a.max(v.abs()));
        o = next;
        if step < 1e-14 {
            break;
        }
    }
    o.is_finite().then_some(o)
}

document_commands! {
    /// Commands on the pose.
    PoseCommand in "Pose";

    /// Turns nodes about an axis of their own, their parent's or the scene's
    Rotate {
        /// Which.
        node: Nodes,
        /// About what.
        axis: Axis,
        /// How far.
        degrees: Degrees,
        /// Whose axis; the node's own unless given.
        space: Option<Space>,
    } = "pose.rotate", "Rotate", asks: true;
    /// Moves nodes by a vector, in meters
    Move {
        /// Which.
        node: Nodes,
        /// How far along each axis, or along all.
        by: Factor,
        /// Whose axes; the node's own unless given.
        space: Option<Space>,
    } = "pose.move", "Move", asks: true;
    /// Scales nodes by a factor, or one an axis
    Scale {
        /// Which.
        node: Nodes,
        /// The factor.
        by: Factor,
    } = "pose.scale", "Scale", asks: true;
    /// Sets parts of the user-local transform Ul
    SetUser {
        /// Whose.
        node: Nodes,
        /// The parts.
        to: Trs,
    } = "pose.set", "Set the edit", asks: true;
    /// Sets parts of L∘Ul, relative to the parent
    SetLocal {
        /// Whose.
        node: Nodes,
        /// The parts.
        to: Trs,
    } = "pose.set_local", "Set the local transform", asks: true;
    /// Sets parts of W, in the scene
    SetWorld {
        /// Whose.
        node: Nodes,
        /// The parts.
        to: Trs,
    } = "pose.set_world", "Set the world transform", asks: true;
    /// Removes every edit: all nodes go back to their rest
    ResetAll {
        /// Which; all unless given.
        node: Option<Nodes>,
        /// What of them; all unless given.
        parts: Option<Parts>,
    } = "pose.reset_all", "Reset all to rest";
    /// Puts the selected nodes back to their rest
    Reset {
        /// Which; all unless given.
        node: Option<Nodes>,
        /// What of them; all unless given.
        parts: Option<Parts>,
    } = "pose.reset", "Reset to rest", key: "Alt+E", enabled: rules::selected, filled: Some(around::reset);
}

/// One edit of all nodes, which rise.
fn each(
    scene: &Scene<'_>,
    nodes: Vec<NodeId>,
    pose: impl Fn(NodeId) -> Result<Option<NodePose>, CommandError>,
) -> Result<Outcome, CommandError> {
    let mut poses = Vec::with_capacity(nodes.len());
    for node in nodes {
        poses.push((node, pose(node)?));
    }
    Ok(done(scene.document, vec![Edit::SetPoses(poses)]))
}

impl Rotate {
    fn work(&self, scene: &Scene<'_>) -> Result<Outcome, CommandError> {
        let document = scene.document;
        let nodes = self.node.all(document)?;
        let (angle, space) = (self.degrees.0.to_radians(), self.space.unwrap_or_default());
        each(scene, nodes, |node| {
            let now = document.node(node).local().transform().rotation;
            // Nobody else asks where the parent is.
            let parent = match space {
                Space::World => scene.pose().parent_world(document, node),
                Space::Local | Space::Parent => Mat4::IDENTITY,
            };
            let rotation =
                rotation_after_turn(&parent, now, self.axis.0, angle, space).map_err(failed(document, node))?;
            pose_at(document, node, &Components { rotation: Some(rotation), ..Components::default() })
        })
    }
}

impl Move {
    fn work(&self, scene: &Scene<'_>) -> Result<Outcome, CommandError> {
        let (document, by) = (scene.document, self.by.0);
        let nodes = self.node.all(document)?;
        let pose = scene.pose();
        each(scene, nodes, |node| {
            let local = pose.local[node.index()].transform();
            let step = match self.space.unwrap_or_default() {
                Space::Local => local.rotation * by,
                Space::Parent => by,
                Space::World => {
                    let parent = pose.parent_world(document, node).as_dmat4();
                    if !is_invertible(parent.determinant()) {
                        return Err(failed(document, node)(TransformError::SingularParent));
                    }
                    parent.inverse().transform_vector3(by.as_dvec3()).as_vec3()
                }
            };
            let to = local.translation + step;
            if step != Vec3::ZERO && to == local.translation {
                let label = document.node(node).label(node);
                let message = format!("{label} is so far away that a step of this size is lost; use larger numbers");
                return Err(CommandError::Other(message));
            }
            pose_at(document, node, &Components { translation: Some(to), ..Components::default() })
        })
    }
}

impl Scale {
    fn work(&self, scene: &Scene<'_>) -> Result<Outcome, CommandError> {
        let (document, by) = (scene.document, self.by.0);
        let nodes = self.node.all(document)?;
        each(scene, nodes, |node| {
            let now = document.node(node).local().transform().scale;
            if now.cmpeq(Vec3::ZERO).any() && by != Vec3::ONE {
                let label = document.node(node).label(node);
                let message = format!(
                    "{label} has a scale of 0 along an axis, which no factor changes; set the scale first, by “{}” or in the inspector",
                    SetLocal::NAME
                );
                return Err(CommandError::Other(message));
            }
            pose_at(document, node, &Components { scale: Some(now * by), ..Components::default() })
        })
    }
}

/// The components that are given, at least one.
pub(super) fn some_given(to: &Trs) -> Result<Components, CommandError> {
    let given = to.components();
    if given.is_empty() {
        return Err(CommandError::Other(
            "nothing to set is given; name translation, rotation, degrees or scale".into(),
        ));
    }
    Ok(given)
}

impl SetUser {
    fn work(&self, scene: &Scene<'_>) -> Result<Outcome, CommandError> {
        let nodes = self.node.all(scene.document)?;
        let given = some_given(&self.to)?;
        each(scene, nodes, |node| {
            let found = scene.document.node(node);
            let rest = found.rest.transform();
            let now = found.user().unwrap_or_default();
            let wanted = changed(&now, &given);
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
    fn work(&self, scene: &Scene<'_>) -> Result<Outcome, CommandError> {
        let nodes = self.node.all(scene.document)?;
        let given = some_given(&self.to)?;
        each(scene, nodes, |node| pose_at(scene.document, node, &given))
    }
}

impl SetWorld {
    fn work(&self, scene: &Scene<'_>) -> Result<Outcome, CommandError> {
        let (document, pose) = (scene.document, scene.pose());
        let nodes = self.node.all(scene.document)?;
        let given = some_given(&self.to)?;
        each(scene, nodes, |node| {
            let local = pose.local[node.index()].transform();
            let world = Transform::decompose(&pose.world[node.index()], &local).transform;
            let wanted = pose
                .local_for_world(document, node, &given.over(&world).matrix())
                .map_err(failed(document, node))?
                .transform;
            let turns = given.rotation.is_some() || given.scale.is_some();
            let scaled = |s: Vec3| {
                given.scale.is_some() || (s - local.scale).abs().max_element() > 1e-5 * local.scale.abs().max_element()
            };
            let part = Components {
                translation: given.translation.map(|_| wanted.translation),
                rotation: turns.then_some(wanted.rotation),
                scale: Some(wanted.scale).filter(|s| turns && scaled(*s)),
            };
            pose_at(document, node, &part)
        })
    }
}

impl ResetAll {
    fn work(&self, scene: &Scene<'_>) -> Result<Outcome, CommandError> {
        reset(scene.document, self.node.as_ref(), self.parts.as_ref())
    }
}

impl Reset {
    fn work(&self, scene: &Scene<'_>) -> Result<Outcome, CommandError> {
        reset(scene.document, self.node.as_ref(), self.parts.as_ref())
    }
}

fn reset(document: &Document, nodes: Option<&Nodes>, parts: Option<&Parts>) -> Result<Outcome, CommandError> {
    let parts = parts.map_or(&Property::TRS[..], |p| &p.0);
    let nodes = nodes.map_or_else(|| Ok(document.node_ids().collect()), |n| n.all(document))?;
    let reset = |node: NodeId| {
        let found = document.node(node);
        let posed = found.pose?;
        let rest = found.rest.transform();
        let (mut user, mut local) = (posed.user, posed.local.transform());
        for part in parts {
            match part {
                Property::Translation => (user.translation, local.translation) = (Vec3::ZERO, rest.translation),
                Property::Rotation => (user.rotation, local.rotation) = (Quat::IDENTITY, rest.rotation),
                Property::Scale => (user.scale, local.scale) = (Vec3::ONE, rest.scale),
                Property::Weights => {}
            }
        }
        if user == posed.user {
            return None;
        }
        Some((node, tidy(&found.rest, user, local)))
    };
    let poses: Vec<_> = nodes.into_iter().filter_map(reset).collect();
    Ok(done(document, if poses.is_empty() { Vec::new() } else { vec![Edit::SetPoses(poses)] }))
}
