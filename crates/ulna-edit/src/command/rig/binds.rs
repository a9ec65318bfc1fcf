//! Changes bind matrices of skins: computes them from the rest pose, applies them to the nodes, or
//! removes them.

use std::collections::BTreeSet;

use glam::{DMat4, Mat4};

use super::{
    commands::{BindSource, InverseBinds},
    finish::finish,
    rewrite::RigDraft,
};
use crate::{
    Edit,
    command::{
        CommandError, Outcome, Scene, error::refuse, mesh_skins::skin_label, nodes::skin_named,
    },
};
use ulna_model::{
    Clip, Document, Interpolation, Node, NodeId, Notice, Property, RestSource, Shared, Skin,
    SkinId, Track, Transform,
};
use ulna_motion::{Pose, Stack};
use ulna_weights::{at_rest, bound_mesh, rests_after, snapshot, world};

/// Difference below which two matrix elements count as equal, relative to the largest element.
const SAME: f32 = 1e-5;

impl InverseBinds {
    pub(super) fn work(&self, scene: &Scene<'_>) -> Result<Outcome, CommandError> {
        let document = scene.document;
        let skins: Vec<SkinId> = match &self.skin {
            Some(name) => vec![skin_named(document, name)?],
            None => document.skins.ids().collect(),
        };
        match self.how {
            BindSource::FromNodes => from_nodes(scene, &skins),
            BindSource::ToNodes => to_nodes(scene, &skins),
            BindSource::Drop => dropped(scene, &skins),
        }
    }
}

fn unchanged() -> Outcome {
    Outcome::noted("nothing_to_change", "the bind matrices already fit the joints")
}

/// Computes `IBM_j = W_j⁻¹·G` in the rest pose. `G` maps from the space of the meshes to the scene.
fn from_nodes(scene: &Scene<'_>, skins: &[SkinId]) -> Result<Outcome, CommandError> {
    let document = scene.document;
    let still = at_rest(document);
    let rest = Pose::evaluate(&still, &Stack::default());
    let mut rig = RigDraft::of(document);
    rig.moves_skin = true;
    for id in skins {
        let skin = document.skin(*id);
        // A skin without bind matrices does not define the mesh space. It is taken from the node of
        // the mesh.
        let user = document.node_ids().find(|n| document.node(*n).skin == Some(*id));
        let scene_from_mesh = match (skin.has_inverse_bind, user) {
            (true, _) => bound_mesh(document, &rest, *id).scene_from_mesh,
            (false, Some(node)) => world(&still, &rest, node),
            (false, None) => DMat4::IDENTITY,
        };
        let binds = snapshot(document, &rest, &skin.joints, &scene_from_mesh).or_else(|joint| {
            let label = document.node(joint).label(joint);
            refuse(
                "squashed_flat",
                format!(
                    "“{label}” is scaled to 0 at rest, so it has no bind matrix; set another \
                    scale first"
                ),
            )
        })?;
        let is_same = |(a, b): (&Mat4, &Mat4)| {
            let size = a.to_cols_array().iter().fold(0.0f32, |m, v| m.max(v.abs()));
            a.abs_diff_eq(*b, SAME * size)
        };
        let is_kept = skin.inverse_bind.iter().zip(&binds).all(is_same);
        if skin.has_inverse_bind && is_kept {
            continue;
        }
        let to = Skin { inverse_bind: binds.into(), has_inverse_bind: true, ..skin.clone() };
        rig.draft.put(Edit::SetSkin { skin: *id, to: Some(Shared::new(to)) })?;
        rig.joints.extend(skin.joints.iter().copied());
    }
    if rig.draft.edits.is_empty() {
        return Ok(unchanged());
    }
    finish(rig, scene, None)
}

/// Moves the joints to the rest pose that the bind matrices define. Clips of the skeleton get
/// single keys for components that they took from the old pose.
fn to_nodes(scene: &Scene<'_>, skins: &[SkinId]) -> Result<Outcome, CommandError> {
    let mut rig = RigDraft::of(scene.document);
    rig.moves_skin = true;
    let joints: BTreeSet<NodeId> =
        skins.iter().flat_map(|s| scene.document.skin(*s).joints.iter().copied()).collect();
    // A rest pose that the user set despite the bind matrices is replaced.
    let is_chosen = |n: &NodeId| scene.document.node(*n).rest_source == RestSource::Pose;
    let chosen: Vec<NodeId> = joints.iter().copied().filter(is_chosen).collect();
    let rests = rests_after(scene.document, &chosen);
    rig.draft.put_all(rests.into_iter().map(|(node, to)| Edit::node(node, to)))?;
    let document = &rig.document().clone();
    let (bound, unbound): (Vec<NodeId>, Vec<NodeId>) =
        joints.iter().partition(|n| document.node(**n).rest_source == RestSource::Bind);
    let posed: Vec<NodeId> =
        bound.into_iter().filter(|n| document.node(*n).pose.is_some()).collect();
    let mut notes = Vec::new();
    if let Some(first) = unbound.first() {
        let label = document.node(*first).label(*first);
        let stay = if unbound.len() == 1 { "joint stays" } else { "joints stay" };
        notes.push(Notice::new(
            "joints_without_rest",
            format!(
                "{} {stay} unchanged, such as “{label}”: the bind matrices define no transform for \
                    a joint without a joint above it, or for a joint that skins bind differently",
                unbound.len()
            ),
        ));
    }
    if posed.is_empty() && rig.draft.edits.is_empty() {
        let mut done = unchanged();
        done.notes.append(&mut notes);
        return Ok(done);
    }
    for (id, clip) in document.clips.iter() {
        if let Some(to) = held(document, clip, &joints, &posed) {
            rig.draft.put(Edit::SetClip { clip: id, to: Some(Shared::new(to)) })?;
        }
    }
    if !posed.is_empty() {
        rig.draft.put(Edit::SetPoses(posed.iter().map(|n| (*n, None)).collect()))?;
    }
    let mut done = finish(rig, scene, None)?;
    done.notes.append(&mut notes);
    Ok(done)
}

/// Returns a clip with a key for each unanimated component whose pose value is lost. `None` if the
/// clip does not change.
fn held(
    document: &Document,
    clip: &Shared<Clip>,
    joints: &BTreeSet<NodeId>,
    posed: &[NodeId],
) -> Option<Clip> {
    let moves = clip.played().any(|t| joints.contains(&t.target));
    let first = clip.played().filter_map(|t| t.times.first().copied()).reduce(f32::min);
    let first = first.filter(|_| moves)?;
    let mut to = (**clip).clone();
    for node in posed {
        let about = document.node(*node);
        let (was, rest) = (about.local().transform(), about.rest.transform());
        for property in Property::TRS {
            let is_fixed = clip.kept.contains(&(*node, property));
            let values = of(property, &was);
            let is_same = is_near(&values, &of(property, &rest));
            if is_fixed || is_same || clip.track(*node, property).is_some() {
                continue;
            }
            let track = Track {
                target: *node,
                property,
                interpolation: Interpolation::Linear,
                times: vec![first].into(),
                width: values.len(),
                values: values.into(),
                kinds: Default::default(),
                modes: Default::default(),
            };
            let id = to.free_track_id();
            to.tracks.insert(id, Shared::new(track));
        }
    }
    (to.tracks != clip.tracks).then_some(to)
}

/// Whether values are equal up to the rounding of bind matrices.
fn is_near(a: &[f32], b: &[f32]) -> bool {
    let most = a.iter().fold(1.0f32, |m, v| m.max(v.abs()));
    a.iter().zip(b).all(|(a, b)| (a - b).abs() <= SAME * most)
}

fn of(property: Property, local: &Transform) -> Vec<f32> {
    match property {
        Property::Translation => local.translation.to_array().to_vec(),
        Property::Rotation => local.rotation.to_array().to_vec(),
        Property::Scale | Property::Weights => local.scale.to_array().to_vec(),
    }
}

/// Removes bind matrices that are all identities, which is the default in glTF.
fn dropped(scene: &Scene<'_>, skins: &[SkinId]) -> Result<Outcome, CommandError> {
    let document = scene.document;
    let mut rig = RigDraft::of(document);
    for id in skins {
        let skin = document.skin(*id);
        if !skin.has_inverse_bind {
            continue;
        }
        let moves = skin.inverse_bind.iter().position(|m| *m != Mat4::IDENTITY);
        if let Some(joint) = moves.map(|k| skin.joints[k]) {
            let label = document.node(joint).label(joint);
            return refuse(
                "binds_not_identity",
                format!(
                    "the bind matrix of “{label}” in {} moves the mesh, so the mesh would change \
                        without it",
                    skin_label(document, *id)
                ),
            );
        }
        let to = Skin { has_inverse_bind: false, ..skin.clone() };
        rig.draft.put(Edit::SetSkin { skin: *id, to: Some(Shared::new(to)) })?;
        // The rest pose of these joints was defined by the bind matrices. It is now the transform
        // in the file.
        let others = |n: &NodeId| {
            let skins = rig.document().skins.values();
            skins.filter(|s| s.has_inverse_bind).any(|s| s.joints.contains(n))
        };
        let freed: Vec<_> = skin
            .joints
            .iter()
            .filter(|n| document.node(**n).rest_source == RestSource::Bind && !others(n))
            .map(|n| {
                let about = document.node(*n);
                let (rest, rest_source) = (about.local(), RestSource::File);
                (*n, Some(Box::new(Node { rest, rest_source, pose: None, ..about.clone() })))
            })
            .collect();
        if !freed.is_empty() {
            rig.draft.put(Edit::SetNodes(freed))?;
        }
    }
    if rig.draft.edits.is_empty() {
        return Ok(unchanged());
    }
    finish(rig, scene, None)
}
