//! Commands that rotate, move and scale nodes along the axes of any space.

use glam::{DMat4, DQuat, DVec3, Vec3};

use super::commands::{Move, PoseCommand, Resize, Rotate, Scale, SetLocal, Shift, Turn};
use crate::command::{
    CommandError, Outcome, Scene,
    destination::{Children, PoseDestination, Wanted},
    field::AnySpace,
    pose_target::PoseTarget,
    user_pose::failed,
};
use ulna_model::{Components, Document, NodeId, Notice, TransformError, transform::is_invertible};
use ulna_motion::Space;

/// Returns `parent_from_scene` of a node. Fails if a parent has a scale of 0.
fn into_parent(
    place: &PoseTarget<'_>,
    document: &Document,
    node: NodeId,
) -> Result<DMat4, CommandError> {
    let parent = place.parent_world(node).as_dmat4();
    if !is_invertible(parent.determinant()) {
        return Err(failed(document, node)(TransformError::SingularParent));
    }
    Ok(parent.inverse())
}

/// Returns the local translation that moves a node's origin to a point of the scene.
fn translation_at(
    place: &PoseTarget<'_>,
    document: &Document,
    node: NodeId,
    at: DVec3,
) -> Result<Vec3, CommandError> {
    Ok(into_parent(place, document, node)?.transform_point3(at).as_vec3())
}

/// Returns an error if there is a pivot, but the space is not the world space.
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
        place: &PoseTarget<'_>,
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
                // A node at the pivot keeps its exact translation.
                if at.distance(pivot) > 1e-7 * at.length().max(1e-3) {
                    to.translation =
                        Some(translation_at(place, document, node, pivot + turn * (at - pivot))?);
                }
            }
            Ok((node, to))
        };
        self.node.all(document)?.into_iter().map(each).collect()
    }

    pub(super) fn work(&self, scene: &Scene<'_>) -> Result<Outcome, CommandError> {
        let place = PoseTarget::of(scene, &self.over)?;
        let mut wanted = self.wanted(&place, scene.document)?;
        let note = place.counter(&mut wanted, self.children);
        place.put_noting(wanted, note)
    }
}

impl Shift {
    pub(super) fn wanted(
        &self,
        place: &PoseTarget<'_>,
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

    pub(super) fn work(&self, scene: &Scene<'_>) -> Result<Outcome, CommandError> {
        let place = PoseTarget::of(scene, &self.over)?;
        let mut wanted = self.wanted(&place, scene.document)?;
        let note = place.counter(&mut wanted, self.children);
        place.put_noting(wanted, note)
    }
}

/// Returns the factor by which scaling along axes stretches a direction, and the sine of the angle
/// by which it rotates it.
fn stretched(axes: &[Vec3; 3], by: Vec3, along: Vec3) -> (f32, f32) {
    let axis = |k: usize| axes[k] * (by[k] - 1.0) * axes[k].dot(along);
    let to = along + axis(0) + axis(1) + axis(2);
    let length = to.length();
    let sign = if to.dot(along) < 0.0 { -1.0 } else { 1.0 };
    // Rounding must not scale a direction perpendicular to the axes.
    let length = if (length - 1.0).abs() < 1e-6 { 1.0 } else { length };
    (length * sign, to.cross(along).length() / length.max(f32::MIN_POSITIVE))
}

impl Resize {
    pub(super) fn wanted(
        &self,
        place: &PoseTarget<'_>,
        document: &Document,
    ) -> Result<(Wanted, Option<Notice>), CommandError> {
        /// Sine of the largest angle between axes that count as equal.
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
                // The scale axes and the node's axes are directions in the parent's space, so the
                // angles between them do not depend on the parent's rotation.
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

    pub(super) fn work(&self, scene: &Scene<'_>) -> Result<Outcome, CommandError> {
        let place = PoseTarget::of(scene, &self.over)?;
        let (mut wanted, note) = self.wanted(&place, scene.document)?;
        let note = note.or(place.counter(&mut wanted, self.children));
        place.put_noting(wanted, note)
    }
}

impl Rotate {
    /// Converts to a `Turn` command without a pivot.
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

    pub(super) fn work(&self, scene: &Scene<'_>) -> Result<Outcome, CommandError> {
        self.turn().work(scene)
    }
}

impl Move {
    fn shift(&self) -> Shift {
        let Self { node, by, space } = self.clone();
        Shift { node, by, space: space.map(AnySpace), children: None, over: PoseDestination::FILE }
    }

    pub(super) fn work(&self, scene: &Scene<'_>) -> Result<Outcome, CommandError> {
        self.shift().work(scene)
    }
}

impl Scale {
    fn resize(&self) -> Resize {
        let Self { node, by } = self.clone();
        Resize { node, by, space: None, pivot: None, children: None, over: PoseDestination::FILE }
    }

    pub(super) fn work(&self, scene: &Scene<'_>) -> Result<Outcome, CommandError> {
        self.resize().work(scene)
    }
}

/// Returns a space that the simple commands support; `None` for other spaces.
fn plain(space: Option<AnySpace>) -> Option<Option<Space>> {
    match space {
        None => Some(None),
        Some(AnySpace(Space::Gimbal | Space::Rest)) => None,
        Some(AnySpace(space)) => Some(Some(space)),
    }
}

impl Turn {
    /// Returns a `Rotate` command if it has the same effect, or else this command.
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
    /// Returns a `Move` command if it has the same effect, or else this command.
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
    /// Returns a `Scale` command if it has the same effect, or else this command.
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
    /// Returns the components that the command sets on nodes, for commands that tools run during a
    /// drag. Other commands return an empty list.
    ///
    /// # Errors
    /// The errors of running the command.
    pub fn wanted(&self, scene: &Scene<'_>) -> Result<Wanted, CommandError> {
        match self {
            Self::Rotate(rotate) => rotate
                .turn()
                .wanted(&PoseTarget::of(scene, &PoseDestination::FILE)?, scene.document),
            Self::Move(by) => {
                by.shift().wanted(&PoseTarget::of(scene, &PoseDestination::FILE)?, scene.document)
            }
            Self::Scale(by) => Ok(by
                .resize()
                .wanted(&PoseTarget::of(scene, &PoseDestination::FILE)?, scene.document)?
                .0),
            Self::Turn(turn) => {
                let place = PoseTarget::of(scene, &turn.over)?;
                with_children(&place, turn.wanted(&place, scene.document)?, turn.children)
            }
            Self::Shift(by) => {
                let place = PoseTarget::of(scene, &by.over)?;
                with_children(&place, by.wanted(&place, scene.document)?, by.children)
            }
            Self::Resize(by) => {
                let place = PoseTarget::of(scene, &by.over)?;
                with_children(&place, by.wanted(&place, scene.document)?.0, by.children)
            }
            _ => Ok(Wanted::new()),
        }
    }
}

fn with_children(
    place: &PoseTarget<'_>,
    mut wanted: Wanted,
    children: Option<Children>,
) -> Result<Wanted, CommandError> {
    // The notice is only needed when the command runs.
    let _said = place.counter(&mut wanted, children);
    Ok(wanted)
}
