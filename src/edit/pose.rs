//! Commands on the pose: every one ends as a new `Ul`.

use glam::{Mat4, Quat, Vec3};
use serde::Serialize;

use super::{Arguments, CommandError, Edit};
use crate::{
    model::{Decomposed, Document, Local, NodeId, Property, Transform, transform::decompose},
    motion::{Moment, Pose},
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
    pub const fn word(self) -> &'static str {
        match self {
            Self::Local => "local",
            Self::Parent => "parent",
            Self::World => "world",
        }
    }
}

fn failed(document: &Document, node: NodeId) -> impl FnOnce(crate::model::TransformError) -> CommandError {
    let node = document.node(node).label(node);
    move |source| CommandError::Transform { node, source }
}

/// The edit that makes a node's local transform `local`; the identity is stored as no edit at all.
///
/// # Errors
/// Where no `Ul` does it.
pub fn user_edit(document: &Document, node: NodeId, local: &Transform) -> Result<Edit, CommandError> {
    let rest = document.node(node).rest;
    if Local::Trs(*local) == rest {
        return Ok(Edit::SetUser { node, to: None });
    }
    // A turn by nothing must leave nothing, not a last digit.
    let now = document.node(node).local().transform();
    let near = local.translation.abs().max_element().max(1e-3) * 1e-7;
    if local.is_close(&now, 1e-7, near) && (local.scale - now.scale).abs().max_element() < 1e-7 {
        return Ok(Edit::SetUser { node, to: document.node(node).user });
    }
    let user = rest.transform().user_from(local).map_err(failed(document, node))?;
    Ok(Edit::SetUser { node, to: tidy(user) })
}

/// No `Ul` where it is the identity to the last digit or two.
fn tidy(user: Transform) -> Option<Transform> {
    let same = user.is_close(&Transform::IDENTITY, 1e-7, 1e-9) && (user.scale - Vec3::ONE).abs().max_element() < 1e-7;
    (!same).then_some(user)
}

/// The local transform after a turn about an axis of a space, through the node's own origin.
///
/// In world space the turn is by the parent's rotation, found from its matrix; a sheared parent leaves a residue.
pub fn local_after_world_turn(parent: &Mat4, local: &Transform, axis: Vec3, angle: f32, space: Space) -> Decomposed {
    let turn = Quat::from_axis_angle(axis, angle);
    let rotation = match space {
        Space::Local => local.rotation * turn,
        Space::Parent => turn * local.rotation,
        Space::World => {
            // U·W about the node's own origin, then back to local: decompose(W_p⁻¹ · U · W).
            let world = *parent * local.matrix();
            let origin = world.w_axis.truncate();
            let moved =
                Mat4::from_translation(origin) * Mat4::from_quat(turn) * Mat4::from_translation(-origin) * world;
            let mut found = decompose(&(parent.as_dmat4().inverse() * moved.as_dmat4()), local);
            // A turn moves nothing and scales nothing where the parent allows it: those digits stay as they were.
            found.transform.translation = local.translation;
            if found.residue < 1e-4 {
                found.transform.scale = local.scale;
            }
            return found;
        }
    };
    let rotation = crate::model::transform::unit_or(rotation, local.rotation);
    Decomposed { transform: Transform { rotation, ..*local }, residue: 0.0 }
}

fn pose_of(document: &Document) -> Pose {
    Pose::evaluate(document, Moment::default())
}

pub(super) fn rotate(document: &Document, arguments: &Arguments) -> Result<Vec<Edit>, CommandError> {
    let (axis, space) = (arguments.axis("axis")?, arguments.space()?);
    let angle = arguments.number("degrees")?.to_radians();
    let pose = pose_of(document);
    let turn = |node: NodeId| {
        let parent = pose.parent_world(document, node);
        let found = local_after_world_turn(&parent, &pose.local[node.index()].transform(), axis, angle, space);
        if !found.transform.is_finite() {
            return Err(failed(document, node)(crate::model::TransformError::SingularParent));
        }
        user_edit(document, node, &found.transform)
    };
    arguments.nodes(document)?.into_iter().map(turn).collect()
}

pub(super) fn translate(document: &Document, arguments: &Arguments) -> Result<Vec<Edit>, CommandError> {
    let by = arguments.factor("by")?;
    let space = arguments.space()?;
    let pose = pose_of(document);
    let shift = |node: NodeId| {
        let mut local = pose.local[node.index()].transform();
        local.translation += match space {
            Space::Local => local.rotation * by,
            Space::Parent => by,
            Space::World => {
                let parent = pose.parent_world(document, node);
                if !crate::model::transform::is_invertible(f64::from(parent.determinant())) {
                    return Err(failed(document, node)(crate::model::TransformError::SingularParent));
                }
                parent.inverse().transform_vector3(by)
            }
        };
        user_edit(document, node, &local)
    };
    arguments.nodes(document)?.into_iter().map(shift).collect()
}

pub(super) fn scale(document: &Document, arguments: &Arguments) -> Result<Vec<Edit>, CommandError> {
    let by = arguments.factor("by")?;
    let grow = |node: NodeId| {
        let mut local = document.node(node).local().transform();
        local.scale *= by;
        user_edit(document, node, &local)
    };
    arguments.nodes(document)?.into_iter().map(grow).collect()
}

/// The transform with the parts that the arguments give.
fn with_parts(mut transform: Transform, arguments: &Arguments) -> Result<Transform, CommandError> {
    if let Some(translation) = arguments.vector("translation")? {
        transform.translation = translation;
    }
    if let Some(rotation) = arguments.rotation()? {
        transform.rotation = rotation;
    }
    if let Some(scale) = arguments.vector("scale")? {
        transform.scale = scale;
    }
    Ok(transform)
}

pub(super) fn set(document: &Document, arguments: &Arguments) -> Result<Vec<Edit>, CommandError> {
    let set = |node: NodeId| {
        let user = with_parts(document.node(node).user.unwrap_or_default(), arguments)?;
        Ok(Edit::SetUser { node, to: tidy(user) })
    };
    arguments.nodes(document)?.into_iter().map(set).collect()
}

pub(super) fn set_local(document: &Document, arguments: &Arguments) -> Result<Vec<Edit>, CommandError> {
    let set = |node: NodeId| {
        let local = with_parts(document.node(node).local().transform(), arguments)?;
        user_edit(document, node, &local)
    };
    arguments.nodes(document)?.into_iter().map(set).collect()
}

pub(super) fn set_world(document: &Document, arguments: &Arguments) -> Result<Vec<Edit>, CommandError> {
    let pose = pose_of(document);
    let set = |node: NodeId| {
        let world = Transform::decompose(&pose.world[node.index()], &pose.local[node.index()].transform()).transform;
        let wanted = with_parts(world, arguments)?;
        let local = pose.local_for_world(document, node, &wanted.matrix()).map_err(failed(document, node))?;
        user_edit(document, node, &local.transform)
    };
    arguments.nodes(document)?.into_iter().map(set).collect()
}

pub(super) fn reset(document: &Document, arguments: &Arguments) -> Result<Vec<Edit>, CommandError> {
    let parts = arguments.parts()?;
    let nodes = if arguments.has("node") { arguments.nodes(document)? } else { document.node_ids().collect() };
    let reset = |node: NodeId| {
        let mut user = document.node(node).user?;
        for part in &parts {
            match part {
                Property::Translation => user.translation = Vec3::ZERO,
                Property::Rotation => user.rotation = Quat::IDENTITY,
                Property::Scale => user.scale = Vec3::ONE,
                Property::Weights => {}
            }
        }
        Some(Edit::SetUser { node, to: tidy(user) })
    };
    Ok(nodes.into_iter().filter_map(reset).collect())
}
