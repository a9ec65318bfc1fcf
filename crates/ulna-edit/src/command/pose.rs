//! Commands on the pose: every one ends as a new `Ul`, and writes only the components that it is
//! about.

use std::collections::BTreeSet;

use glam::{DMat4, DQuat, DVec3, Quat, Vec3};

use super::{
    CommandError, Outcome, Scene, around,
    define::document_commands,
    field::{AnySpace, Axis, Degrees, Factor, Nodes, Parts, Trs},
    place::{Children, Place, PoseDestination, Wanted},
    rules,
};
use crate::Edit;
use ulna_model::{
    Components, Document, Local, NodeId, NodePose, Notice, Property, Track, Transform,
    TransformError,
    transform::{is_invertible, is_turned_less},
};
use ulna_motion::Space;

fn failed(document: &Document, node: NodeId) -> impl FnOnce(TransformError) -> CommandError + '_ {
    move |source| CommandError::Transform { node: document.node(node).label(node), source }
}

/// Angles and factors that differ by less than this are one: the last digit of a float.
const SAME: f32 = 1e-7;

/// The edit that gives some components of a node's local transform other values. The others keep
/// their bits, in the local transform and in `Ul`; an `Ul` that comes to nothing is stored as none.
/// A matrix becomes translation, rotation and scale.
///
/// # Errors
/// Where no `Ul` does it.
pub fn pose_at(
    document: &Document,
    node: NodeId,
    wanted: &Components,
) -> Result<Option<NodePose>, CommandError> {
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

/// Of some components those that differ from what is there: a turn by nothing must leave nothing,
/// not a last digit.
pub(super) fn changed(now: &Transform, wanted: &Components) -> Components {
    let near = now.translation.abs().max_element().max(1e-3) * SAME;
    Components {
        translation: wanted
            .translation
            .filter(|t| (*t - now.translation).abs().max_element() > near || !t.is_finite()),
        rotation: wanted
            .rotation
            .filter(|r| !is_turned_less(*r, now.rotation, SAME) || !r.is_finite()),
        scale: wanted.scale.filter(|s| {
            (*s - now.scale).abs().max_element() > SAME * now.scale.abs().max_element().max(1.0)
                || !s.is_finite()
        }),
    }
}

/// No pose where `Ul` is the identity to the last digit or two; components of it that are go back
/// to the rest's own bits.
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

/// What an edit of these nodes drops: the shear of matrices, of which translation, rotation and
/// scale hold none.
pub(super) fn shear_remark(document: &Document, edits: &[Edit]) -> Option<Notice> {
    let mut worst: Option<(f32, NodeId)> = None;
    let mut count = 0;
    for (node, to) in poses_of(edits) {
        let found = document.node(*node);
        let Local::Matrix(was) = found.pose.as_ref().map_or(&found.rest, |p| &p.local) else {
            continue;
        };
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
    let whose = if count == 1 {
        format!("“{label}” has")
    } else {
        format!("{count} nodes, “{label}” the most, have")
    };
    let said = format!(
        "{whose} a matrix with {:.1} % of shear; the shear was removed, because translation, \
            rotation and scale cannot store it",
        residue * 100.0
    );
    Some(Notice::new("shear_dropped", said))
}

/// The poses that edits set.
fn poses_of(edits: &[Edit]) -> impl Iterator<Item = &(NodeId, Option<NodePose>)> {
    edits
        .iter()
        .filter_map(|e| if let Edit::SetPoses(poses) = e { Some(poses) } else { None })
        .flatten()
}

/// Adds what edits of keys need besides: a node that a clip moves has no matrix (glTF 2.0,
/// *Transformations*), so those that have one get translation, rotation and scale, and what that
/// drops is said.
pub fn free_of_matrices(document: &Document, done: &mut Outcome) {
    let mut moved = BTreeSet::new();
    for edit in &done.edits {
        match edit {
            Edit::SetTrack { to: Some(track), .. } => moved.extend(moved_by(track)),
            Edit::SetClip { to: Some(clip), .. } => {
                moved.extend(clip.tracks.values().filter_map(|t| moved_by(t)))
            }
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
    done.notes.extend(layered_shear(document, &done.edits));
    if freed.is_empty() {
        return;
    }
    let freed = Edit::SetPoses(freed);
    done.notes.extend(shear_remark(document, std::slice::from_ref(&freed)));
    done.edits.push(freed);
}

/// What folding layers would drop: the shear of matrices of joints that come into one.
fn layered_shear(document: &Document, edits: &[Edit]) -> Option<Notice> {
    let mut taken = Vec::new();
    for edit in edits {
        let Edit::SetPoseLayers { home, to: Some(layers) } = edit else { continue };
        let before = document.aids.layers(*home);
        let was = |n: &NodeId| before.iter().any(|l| l.says(*n));
        let nodes = layers.iter().flat_map(|l| l.nodes()).filter(|n| !was(n));
        let matrices = nodes.filter(|n| matches!(document.node(*n).local(), Local::Matrix(_)));
        taken.extend(matrices.map(|n| {
            let local = Local::Trs(document.node(n).local().transform());
            (n, Some(NodePose { user: Transform::IDENTITY, local }))
        }));
    }
    if taken.is_empty() { None } else { shear_remark(document, &[Edit::SetPoses(taken)]) }
}

/// The node whose transform a track moves.
fn moved_by(track: &Track) -> Option<NodeId> {
    (track.property != Property::Weights).then_some(track.target)
}

pub(super) fn done(document: &Document, edits: Vec<Edit>) -> Outcome {
    Outcome {
        notes: shear_remark(document, &edits).into_iter().collect(),
        edits,
        ..Outcome::default()
    }
}

document_commands! {
    /// Commands on the pose.
    PoseCommand in "Pose";

    /// Rotates nodes about an axis in local, parent or world space
    Rotate {
        /// Nodes to edit.
        node: Nodes,
        /// Rotation axis.
        axis: Axis,
        /// Angle in degrees.
        degrees: Degrees,
        /// Space of the axis; local if omitted.
        space: Option<Space>,
    } = "pose.rotate", "Rotate", asks: true;
    /// Moves nodes by a vector, in meters
    Move {
        /// Nodes to edit.
        node: Nodes,
        /// Offset along x, y and z, in meters.
        by: Factor,
        /// Space of the axes; local if omitted.
        space: Option<Space>,
    } = "pose.move", "Move", asks: true;
    /// Scales nodes by a factor, or by one factor per axis
    Scale {
        /// Nodes to edit.
        node: Nodes,
        /// Factor, or one per axis.
        by: Factor,
    } = "pose.scale", "Scale", asks: true;
    /// Rotates nodes about an axis of any space, optionally about a pivot
    Turn {
        /// Nodes to edit.
        node: Nodes,
        /// Rotation axis.
        axis: Axis,
        /// Angle in degrees.
        degrees: Degrees,
        /// Space of the axis; local if omitted.
        space: Option<AnySpace>,
        /// Pivot point in world space, in meters; only with world axes; each joint's own origin if
        /// omitted.
        pivot: Option<Vec3>,
        /// Behavior of the children; they follow if omitted.
        children: Option<Children>,
        /// Clip, time or layer that takes the pose.
        over: PoseDestination,
    } = "pose.turn", "Rotate in any space", asks: true;
    /// Moves nodes along the axes of any space
    Shift {
        /// Nodes to edit.
        node: Nodes,
        /// Offset along x, y and z, in meters.
        by: Factor,
        /// Space of the axes; local if omitted.
        space: Option<AnySpace>,
        /// Behavior of the children; they follow if omitted.
        children: Option<Children>,
        /// Clip, time or layer that takes the pose.
        over: PoseDestination,
    } = "pose.shift", "Move in any space", asks: true;
    /// Scales nodes along the axes of any space, optionally about a pivot
    Resize {
        /// Nodes to edit.
        node: Nodes,
        /// Factor, or one per axis.
        by: Factor,
        /// Space of the axes; local if omitted.
        space: Option<AnySpace>,
        /// Pivot point in world space, in meters; only with world axes; each joint's own origin if
        /// omitted.
        pivot: Option<Vec3>,
        /// Behavior of the children; they follow if omitted.
        children: Option<Children>,
        /// Clip, time or layer that takes the pose.
        over: PoseDestination,
    } = "pose.resize", "Scale in any space", asks: true;
    /// Sets the pose offset of nodes over their rest (Ul)
    SetUser {
        /// Nodes to set.
        node: Nodes,
        /// Values to set.
        to: Trs,
    } = "pose.set", "Set pose offset", asks: true;
    /// Sets the local transform of nodes, relative to their parent
    SetLocal {
        /// Nodes to set.
        node: Nodes,
        /// Values to set.
        to: Trs,
        /// Clip, time or layer that takes the pose.
        over: PoseDestination,
    } = "pose.set_local", "Set the local transform", asks: true;
    /// Sets the world transform of nodes
    SetWorld {
        /// Nodes to set.
        node: Nodes,
        /// Values to set.
        to: Trs,
    } = "pose.set_world", "Set the world transform", asks: true;
    /// Resets all nodes to their rest
    ResetAll {
        /// Nodes to edit; all if omitted.
        node: Option<Nodes>,
        /// Channels to reset; all if omitted.
        parts: Option<Parts>,
    } = "pose.reset_all", "Reset all to rest";
    /// Resets the selected nodes to their rest
    Reset {
        /// Nodes to edit; all if omitted.
        node: Option<Nodes>,
        /// Channels to reset; all if omitted.
        parts: Option<Parts>,
        /// Clip, time or layer that takes the pose.
        over: PoseDestination,
    } = "pose.reset", "Reset to rest", enabled: rules::selected, filled: Some(around::reset);
    /// Resets the translation of the selected nodes
    ResetTranslation {
        /// Nodes to edit; all if omitted.
        node: Option<Nodes>,
        /// Clip, time or layer that takes the pose.
        over: PoseDestination,
    } = "pose.reset_translation",
        "Reset the translation", key: "Alt+W", enabled: rules::selected,
            filled: Some(around::reset_translation);
    /// Resets the rotation of the selected nodes
    ResetRotation {
        /// Nodes to edit; all if omitted.
        node: Option<Nodes>,
        /// Clip, time or layer that takes the pose.
        over: PoseDestination,
    } = "pose.reset_rotation",
        "Reset the rotation", key: "Alt+E", enabled: rules::selected,
            filled: Some(around::reset_rotation);
    /// Resets the scale of the selected nodes
    ResetScale {
        /// Nodes to edit; all if omitted.
        node: Option<Nodes>,
        /// Clip, time or layer that takes the pose.
        over: PoseDestination,
    } = "pose.reset_scale",
        "Reset the scale", key: "Alt+R", enabled: rules::selected,
            filled: Some(around::reset_scale);
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

/// The inverse of a parent's matrix, for what is found in the scene.
fn into_parent(
    place: &Place<'_>,
    document: &Document,
    node: NodeId,
) -> Result<DMat4, CommandError> {
    let parent = place.parent_world(node).as_dmat4();
    if !is_invertible(parent.determinant()) {
        return Err(failed(document, node)(TransformError::SingularParent));
    }
    Ok(parent.inverse())
}

/// The translation that puts a node's origin at a point of the scene.
fn translation_at(
    place: &Place<'_>,
    document: &Document,
    node: NodeId,
    at: DVec3,
) -> Result<Vec3, CommandError> {
    Ok(into_parent(place, document, node)?.transform_point3(at).as_vec3())
}

/// A pivot is a point of the scene, and goes with its axes.
fn check_pivot(pivot: Option<Vec3>, space: Space) -> Result<(), CommandError> {
    match space {
        Space::World => Ok(()),
        _ if pivot.is_none() => Ok(()),
        _ => Err(CommandError::other(
            "arguments_together",
            format!("“pivot” works only in world space; set “space” to “{}”", Space::World.label()),
        )),
    }
}

impl Turn {
    pub(super) fn wanted(
        &self,
        place: &Place<'_>,
        document: &Document,
    ) -> Result<Wanted, CommandError> {
        let (angle, space) = (self.degrees.0.to_radians(), self.space.unwrap_or_default().0);
        check_pivot(self.pivot, space)?;
        let turn =
            DQuat::from_axis_angle(self.axis.0.as_dvec3().normalize_or(DVec3::X), f64::from(angle));
        let each = |node: NodeId| {
            let rotation = place.standing(node, space).turned(self.axis.0, angle, space);
            let rotation = rotation.map_err(failed(document, node))?;
            let mut to = Components { rotation: Some(rotation), ..Components::default() };
            if let Some(pivot) = self.pivot.map(|p| p.as_dvec3()) {
                let at = place.seen().world[node.index()].w_axis.truncate().as_dvec3();
                // A node that is its own pivot keeps its place to the bit.
                if at.distance(pivot) > 1e-7 * at.length().max(1e-3) {
                    to.translation =
                        Some(translation_at(place, document, node, pivot + turn * (at - pivot))?);
                }
            }
            Ok((node, to))
        };
        self.node.all(document)?.into_iter().map(each).collect()
    }

    fn work(&self, scene: &Scene<'_>) -> Result<Outcome, CommandError> {
        let place = Place::of(scene, &self.over)?;
        let mut wanted = self.wanted(&place, scene.document)?;
        let note = place.counter(&mut wanted, self.children);
        place.put_noting(wanted, note)
    }
}

impl Shift {
    pub(super) fn wanted(
        &self,
        place: &Place<'_>,
        document: &Document,
    ) -> Result<Wanted, CommandError> {
        let by = self.by.0;
        let space = self.space.unwrap_or_default().0;
        let each = |node: NodeId| {
            let local = place.local(node);
            let step = match space {
                Space::Local => local.rotation * by,
                Space::Parent => by,
                Space::World => {
                    into_parent(place, document, node)?.transform_vector3(by.as_dvec3()).as_vec3()
                }
                Space::Gimbal | Space::Rest => {
                    let axes = place
                        .standing(node, space)
                        .axes_in_parent(space)
                        .map_err(failed(document, node))?;
                    axes[0] * by.x + axes[1] * by.y + axes[2] * by.z
                }
            };
            let to = local.translation + step;
            if step != Vec3::ZERO && to == local.translation {
                let label = document.node(node).label(node);
                let message = format!(
                    "{label} is so far from the origin that a step of this size is lost to \
                        rounding; use larger values"
                );
                return Err(CommandError::other("too_far_away", message));
            }
            Ok((node, Components { translation: Some(to), ..Components::default() }))
        };
        self.node.all(document)?.into_iter().map(each).collect()
    }

    fn work(&self, scene: &Scene<'_>) -> Result<Outcome, CommandError> {
        let place = Place::of(scene, &self.over)?;
        let mut wanted = self.wanted(&place, scene.document)?;
        let note = place.counter(&mut wanted, self.children);
        place.put_noting(wanted, note)
    }
}

/// How far a scaling along the axes of a space stretches a direction, and how far it turns it, as
/// the sine of the angle.
fn stretched(axes: &[Vec3; 3], by: Vec3, along: Vec3) -> (f32, f32) {
    let axis = |k: usize| axes[k] * (by[k] - 1.0) * axes[k].dot(along);
    let to = along + axis(0) + axis(1) + axis(2);
    let length = to.length();
    let sign = if to.dot(along) < 0.0 { -1.0 } else { 1.0 };
    // What lies square to the axes is not stretched by a last digit.
    let length = if (length - 1.0).abs() < 1e-6 { 1.0 } else { length };
    (length * sign, to.cross(along).length() / length.max(f32::MIN_POSITIVE))
}

impl Resize {
    pub(super) fn wanted(
        &self,
        place: &Place<'_>,
        document: &Document,
    ) -> Result<(Wanted, Option<Notice>), CommandError> {
        /// The sine of an angle below which axes are the same.
        const ALIGNED: f32 = 2e-3;
        let (by, space) = (self.by.0, self.space.unwrap_or_default().0);
        check_pivot(self.pivot, space)?;
        let mut oblique: Option<(f32, NodeId)> = None;
        let mut wanted = Wanted::new();
        for node in self.node.all(document)? {
            let local = place.local(node);
            if local.scale.cmpeq(Vec3::ZERO).any() && by != Vec3::ONE {
                let label = document.node(node).label(node);
                let message = format!(
                    "{label} has a scale of 0 along an axis, which cannot be scaled by a factor; \
                        set the scale first, with “{}” or in the inspector",
                    SetLocal::NAME
                );
                return Err(CommandError::other("scale_is_zero", message));
            }
            let uniform = by.x == by.y && by.y == by.z;
            let factors = if space == Space::Local || uniform {
                by
            } else {
                // Both as directions of the parent: its turning part takes nothing from the angles
                // between them.
                let standing = place.standing(node, space);
                let axes = standing.axes_in_parent(space).map_err(failed(document, node))?;
                let own =
                    [Vec3::X, Vec3::Y, Vec3::Z].map(|a| stretched(&axes, by, local.rotation * a));
                let worst = own.iter().fold(0.0f32, |a, (_, turned)| a.max(*turned));
                if worst > oblique.map_or(ALIGNED, |(w, _)| w) {
                    oblique = Some((worst, node));
                }
                Vec3::from_array(own.map(|(factor, _)| factor))
            };
            let mut to = Components { scale: Some(local.scale * factors), ..Components::default() };
            if let Some(pivot) = self.pivot.map(|p| p.as_dvec3()) {
                let at = place.seen().world[node.index()].w_axis.truncate().as_dvec3();
                if at.distance(pivot) > 1e-7 * at.length().max(1e-3) {
                    let to_here = pivot + (at - pivot) * by.as_dvec3();
                    to.translation = Some(translation_at(place, document, node, to_here)?);
                }
            }
            wanted.push((node, to));
        }
        let note = oblique.map(|(_, node)| {
            let label = document.node(node).label(node);
            let said = format!(
                "the axes of {label} differ from the axes of scaling, which would shear it; the \
                    nearest scale without shear was used"
            );
            Notice::new("shear_dropped", said)
        });
        Ok((wanted, note))
    }

    fn work(&self, scene: &Scene<'_>) -> Result<Outcome, CommandError> {
        let place = Place::of(scene, &self.over)?;
        let (mut wanted, note) = self.wanted(&place, scene.document)?;
        let note = note.or(place.counter(&mut wanted, self.children));
        place.put_noting(wanted, note)
    }
}

impl Rotate {
    /// The same as a turn, of which it is the plain case.
    fn turn(&self) -> Turn {
        let Self { node, axis, degrees, space } = self.clone();
        Turn {
            node,
            axis,
            degrees,
            space: space.map(AnySpace),
            pivot: None,
            children: None,
            over: PoseDestination::FILE,
        }
    }

    fn work(&self, scene: &Scene<'_>) -> Result<Outcome, CommandError> {
        self.turn().work(scene)
    }
}

impl Move {
    fn shift(&self) -> Shift {
        let Self { node, by, space } = self.clone();
        Shift { node, by, space: space.map(AnySpace), children: None, over: PoseDestination::FILE }
    }

    fn work(&self, scene: &Scene<'_>) -> Result<Outcome, CommandError> {
        self.shift().work(scene)
    }
}

impl Scale {
    fn resize(&self) -> Resize {
        let Self { node, by } = self.clone();
        Resize { node, by, space: None, pivot: None, children: None, over: PoseDestination::FILE }
    }

    fn work(&self, scene: &Scene<'_>) -> Result<Outcome, CommandError> {
        self.resize().work(scene)
    }
}

/// A space that the plain commands have a word for.
fn plain(space: Option<AnySpace>) -> Option<Option<Space>> {
    match space {
        None => Some(None),
        Some(AnySpace(Space::Gimbal | Space::Rest)) => None,
        Some(AnySpace(space)) => Some(Some(space)),
    }
}

impl Turn {
    /// As the plain command, where that says as much.
    pub fn simplest(self) -> PoseCommand {
        match plain(self.space) {
            Some(space)
                if self.pivot.is_none()
                    && self.children.is_none()
                    && self.over == PoseDestination::FILE =>
            {
                Rotate { node: self.node, axis: self.axis, degrees: self.degrees, space }.into()
            }
            _ => self.into(),
        }
    }
}

impl Shift {
    /// As the plain command, where that says as much.
    pub fn simplest(self) -> PoseCommand {
        match plain(self.space) {
            Some(space) if self.children.is_none() && self.over == PoseDestination::FILE => {
                Move { node: self.node, by: self.by, space }.into()
            }
            _ => self.into(),
        }
    }
}

impl Resize {
    /// As the plain command, where that says as much.
    pub fn simplest(self) -> PoseCommand {
        let own = matches!(self.space, None | Some(AnySpace(Space::Local)));
        if own
            && self.pivot.is_none()
            && self.children.is_none()
            && self.over == PoseDestination::FILE
        {
            return Scale { node: self.node, by: self.by }.into();
        }
        self.into()
    }
}

impl PoseCommand {
    /// The components that it gives nodes, of those commands that tools give while something is
    /// dragged.
    ///
    /// # Errors
    /// As the command.
    pub fn wanted(&self, scene: &Scene<'_>) -> Result<Wanted, CommandError> {
        match self {
            Self::Rotate(rotate) => {
                rotate.turn().wanted(&Place::of(scene, &PoseDestination::FILE)?, scene.document)
            }
            Self::Move(by) => {
                by.shift().wanted(&Place::of(scene, &PoseDestination::FILE)?, scene.document)
            }
            Self::Scale(by) => Ok(by
                .resize()
                .wanted(&Place::of(scene, &PoseDestination::FILE)?, scene.document)?
                .0),
            Self::Turn(turn) => {
                let place = Place::of(scene, &turn.over)?;
                with_children(&place, turn.wanted(&place, scene.document)?, turn.children)
            }
            Self::Shift(by) => {
                let place = Place::of(scene, &by.over)?;
                with_children(&place, by.wanted(&place, scene.document)?, by.children)
            }
            Self::Resize(by) => {
                let place = Place::of(scene, &by.over)?;
                with_children(&place, by.wanted(&place, scene.document)?.0, by.children)
            }
            _ => Ok(Wanted::new()),
        }
    }
}

fn with_children(
    place: &Place<'_>,
    mut wanted: Wanted,
    children: Option<Children>,
) -> Result<Wanted, CommandError> {
    // What cannot be held is said when it is done.
    let _said = place.counter(&mut wanted, children);
    Ok(wanted)
}

/// The components that are given, at least one.
pub(super) fn some_given(to: &Trs) -> Result<Components, CommandError> {
    let given = to.components();
    if given.is_empty() {
        return Err(CommandError::other(
            "argument_missing",
            "there is nothing to set; add translation, rotation, degrees or scale",
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
        let place = Place::of(scene, &self.over)?;
        let given = some_given(&self.to)?;
        place.put(nodes.into_iter().map(|node| (node, given)))
    }
}

impl SetWorld {
    fn work(&self, scene: &Scene<'_>) -> Result<Outcome, CommandError> {
        let document = scene.document;
        let place = Place::of(scene, &PoseDestination::FILE)?;
        let pose = place.seen();
        let nodes = self.node.all(document)?;
        let given = some_given(&self.to)?;
        // Parts of a matrix that nobody sees.
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
    fn work(&self, scene: &Scene<'_>) -> Result<Outcome, CommandError> {
        let parts = self.parts.as_ref().map_or(&Property::TRS[..], |p| &p.0);
        reset(scene, self.node.as_ref(), parts, &PoseDestination::FILE)
    }
}

impl Reset {
    fn work(&self, scene: &Scene<'_>) -> Result<Outcome, CommandError> {
        let parts = self.parts.as_ref().map_or(&Property::TRS[..], |p| &p.0);
        reset(scene, self.node.as_ref(), parts, &self.over)
    }
}

impl ResetTranslation {
    fn work(&self, scene: &Scene<'_>) -> Result<Outcome, CommandError> {
        reset(scene, self.node.as_ref(), &[Property::Translation], &self.over)
    }
}

impl ResetRotation {
    fn work(&self, scene: &Scene<'_>) -> Result<Outcome, CommandError> {
        reset(scene, self.node.as_ref(), &[Property::Rotation], &self.over)
    }
}

impl ResetScale {
    fn work(&self, scene: &Scene<'_>) -> Result<Outcome, CommandError> {
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
        return Place::of(scene, over)?.put(nodes.into_iter().map(to_rest));
    }
    let reset = |node: NodeId| {
        let found = document.node(node);
        let posed = found.pose?;
        let rest = found.rest.transform();
        let (mut user, mut local) = (posed.user, posed.local.transform());
        for part in parts {
            match part {
                Property::Translation => {
                    (user.translation, local.translation) = (Vec3::ZERO, rest.translation)
                }
                Property::Rotation => {
                    (user.rotation, local.rotation) = (Quat::IDENTITY, rest.rotation)
                }
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
