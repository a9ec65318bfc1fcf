//! Creation of skins that bind joints at a pose, and helper functions for joints.

use std::collections::BTreeSet;

use glam::{DMat4, Mat4};

use crate::command::{
    CommandError,
    clip_keys::clip_of,
    error::refuse,
    field::{ClipName, Seconds},
};
use ulna_model::{Document, MeshId, NodeId, Shared, Skin};
use ulna_motion::{Pose, Stack};
use ulna_weights::snapshot;

/// Returns the pose of a clip at a time, or the pose of the file.
pub(super) fn standing(
    document: &Document,
    clip: Option<&ClipName>,
    time: Option<Seconds>,
) -> Result<Pose, CommandError> {
    let time = f64::from(time.map_or(0.0, |t| t.0));
    if !time.is_finite() {
        return refuse(
            "argument_out_of_range",
            format!("“time” is {time} s, but must be 0 s or more"),
        );
    }
    let clip = match clip {
        None => None,
        Some(name) => {
            let id = name.find(document)?;
            clip_of(document, id)?;
            Some(id)
        }
    };
    Ok(Pose::evaluate(document, &Stack::shown(document, clip, time)))
}

pub(super) fn labels(document: &Document, nodes: &[NodeId]) -> String {
    const MOST: usize = 3;
    let some: Vec<String> = nodes.iter().take(MOST).map(|n| document.node(*n).label(*n)).collect();
    if nodes.len() > MOST {
        format!("{} and {} more", some.join(", "), nodes.len() - MOST)
    } else {
        some.join(", ")
    }
}

/// Returns a skin that binds joints at a pose to a mesh.
pub(super) fn bound(
    document: &Document,
    pose: &Pose,
    joints: &[NodeId],
    scene_from_mesh: &DMat4,
    name: Option<std::sync::Arc<str>>,
) -> Result<Shared<Skin>, CommandError> {
    let inverse = snapshot(document, pose, joints, scene_from_mesh).or_else(|joint| {
        let label = document.node(joint).label(joint);
        refuse(
            "squashed_flat",
            format!(
                "“{label}” has a scale of 0 there, so nothing can be bound to it; set another scale"
            ),
        )
    })?;
    Ok(Shared::new(Skin {
        name,
        joints: joints.to_vec().into(),
        inverse_bind: inverse.into(),
        has_inverse_bind: true,
    }))
}

pub(super) fn joints_are(count: usize) -> String {
    if count == 1 { "1 joint is".to_owned() } else { format!("{count} joints are") }
}

pub(super) fn joints_of(count: usize) -> String {
    if count == 1 { "1 joint".to_owned() } else { format!("{count} joints") }
}

/// Returns the largest joint index with weight in these meshes; `None` if there are no weights.
pub(super) fn counted(document: &Document, meshes: &BTreeSet<MeshId>) -> Option<u16> {
    let primitives = meshes.iter().flat_map(|m| &document.mesh(*m).primitives);
    let maps = primitives.filter_map(|p| p.weights.as_deref());
    let all = maps.flat_map(|m| m.joints.iter().zip(m.weights.iter()));
    all.filter(|(_, w)| **w > 0.0).map(|(j, _)| *j).max()
}

/// Whether a node is a joint of any skin.
pub(super) fn is_joint(document: &Document, node: NodeId) -> bool {
    document.skins.values().any(|s| s.joints.contains(&node))
}

/// Returns an error if a node has a mesh and is not a joint yet.
pub(super) fn refuse_meshes(document: &Document, joints: &[NodeId]) -> Result<(), CommandError> {
    let shows = |n: &&NodeId| document.node(**n).mesh.is_some() && !is_joint(document, **n);
    let Some(mesh) = joints.iter().find(shows) else { return Ok(()) };
    let label = document.node(*mesh).label(*mesh);
    refuse(
        "mesh_is_no_joint",
        format!(
            "“{label}” has a mesh, so it cannot be a joint; name only joints, or their topmost \
                joint"
        ),
    )
}

/// Appends the descendants of joints, parents before children. Nodes with a mesh, camera or light
/// are skipped, unless they are joints of a skin.
pub(super) fn add_below(document: &Document, joints: &mut Vec<NodeId>) {
    let mut known: BTreeSet<NodeId> = joints.iter().copied().collect();
    let named = known.clone();
    for node in document.nodes.order().iter() {
        let about = document.node(*node);
        let shows = about.mesh.is_some() || about.camera.is_some() || about.light.is_some();
        let hangs = named.iter().any(|j| document.is_above(*j, *node));
        if hangs && (!shows || is_joint(document, *node)) && known.insert(*node) {
            joints.push(*node);
        }
    }
}

/// Largest distance between the old and new bind positions of a joint, in meters of the scene.
pub(super) fn farthest(was: &[Mat4], now: &[Mat4], scene_from_mesh: &DMat4) -> f64 {
    let place =
        |inverse: &Mat4| (*scene_from_mesh * inverse.as_dmat4().inverse()).w_axis.truncate();
    let off = |(a, b): (&Mat4, &Mat4)| place(a).distance(place(b));
    was.iter().zip(now).map(off).filter(|d| d.is_finite()).fold(0.0, f64::max)
}
