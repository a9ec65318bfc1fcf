//! Merges skins. The joint lists are united, and the joint indices of the weights are updated.

use std::collections::{BTreeMap, BTreeSet};

use glam::{DMat4, Mat4};

use super::{
    commands::MergeSkins,
    finish::finish,
    rewrite::{RigDraft, is_same_bind},
    slots::{SlotTable, meshes_on, refuse_fixed_slots, refuse_other_skins, renumbered, used_slots},
};
use crate::{
    Edit,
    command::{
        CommandError, Outcome, Scene,
        error::refuse,
        mesh_skins::{skin_label, skin_labels},
    },
};
use ulna_model::{Document, MeshId, Node, NodeId, Notice, Shared, Skin, SkinId};

impl MergeSkins {
    pub(super) fn work(&self, scene: &Scene<'_>) -> Result<Outcome, CommandError> {
        let document = scene.document;
        let groups = match &self.node {
            Some(nodes) => vec![self.named(document, &nodes.all(document)?)?],
            None => sharing(document),
        };
        let groups: Vec<Vec<SkinId>> = groups.into_iter().filter(|g| g.len() > 1).collect();
        if groups.is_empty() {
            return Ok(Outcome::noted(
                "skins_share_nothing",
                "there are no two skins that share joints; choose meshes with different skins to \
                    merge others",
            ));
        }
        let mut rig = RigDraft::of(document);
        let mut said = Vec::new();
        for group in &groups {
            merge(&mut rig, group)?;
            let count = rig.document().skin(group[0]).joints.len();
            said.push(format!(
                "merged {} into {} with {count} joints",
                skin_labels(document, &group[1..]),
                skin_label(document, group[0])
            ));
        }
        let mut done = finish(rig, scene, None)?;
        done.notes.insert(0, Notice::new("skins_merged", said.join("; ")));
        Ok(done)
    }

    /// Returns the skins of these mesh nodes.
    fn named(&self, document: &Document, nodes: &[NodeId]) -> Result<Vec<SkinId>, CommandError> {
        let mut skins = BTreeSet::new();
        for node in nodes {
            let about = document.node(*node);
            let Some(skin) = about.skin.filter(|_| about.mesh.is_some()) else {
                let label = about.label(*node);
                return refuse(
                    "not_skinned",
                    format!("“{label}” is not a skinned mesh; choose nodes of skinned meshes"),
                );
            };
            skins.insert(skin);
        }
        Ok(skins.into_iter().collect())
    }
}

/// Returns the skins with meshes, grouped by common joints.
fn sharing(document: &Document) -> Vec<Vec<SkinId>> {
    let mut groups: Vec<(BTreeSet<NodeId>, Vec<SkinId>)> = Vec::new();
    for (id, skin) in document.skins.iter() {
        if meshes_on(document, id).is_empty() {
            continue;
        }
        let mut joints: BTreeSet<NodeId> = skin.joints.iter().copied().collect();
        let mut skins = Vec::new();
        let (same, others): (Vec<_>, Vec<_>) =
            groups.into_iter().partition(|(own, _)| !own.is_disjoint(&joints));
        for (own, all) in same {
            joints.extend(own);
            skins.extend(all);
        }
        skins.push(id);
        groups = others;
        groups.push((joints, skins));
    }
    groups.into_iter().map(|(_, skins)| skins).collect()
}

/// Moves the joints and meshes of all skins of a group to its first skin.
fn merge(rig: &mut RigDraft, group: &[SkinId]) -> Result<(), CommandError> {
    let document = rig.document().clone();
    for id in group {
        refuse_fixed_slots(&document, *id)?;
    }
    let into = document.skin(group[0]);
    let (mut joints, mut binds) = (into.joints.to_vec(), into.inverse_bind.to_vec());
    let mut first: BTreeMap<NodeId, usize> = BTreeMap::new();
    for (k, joint) in joints.iter().enumerate() {
        first.entry(*joint).or_insert(k);
    }
    let mut tables: BTreeMap<SkinId, SlotTable> = BTreeMap::new();
    let identity = (0..joints.len()).map(|k| u16::try_from(k).ok()).collect();
    tables.insert(group[0], identity);
    for id in &group[1..] {
        let skin = document.skin(*id);
        let mut table = SlotTable::with_capacity(skin.joints.len());
        for (joint, bind) in skin.joints.iter().zip(skin.inverse_bind.iter()) {
            let slot = *first.entry(*joint).or_insert_with(|| {
                joints.push(*joint);
                binds.push(*bind);
                joints.len() - 1
            });
            if !is_same_bind(&binds[slot], bind) {
                return Err(apart(&document, (group[0], *id), (&joints, &binds), *joint));
            }
            let Ok(slot) = u16::try_from(slot) else {
                return refuse("too_many_joints", "a skin cannot have more than 65,536 joints");
            };
            table.push(Some(slot));
        }
        tables.insert(*id, table);
    }
    renumber_meshes(rig, &document, group, &tables)?;
    let has_inverse_bind = group.iter().any(|id| document.skin(*id).has_inverse_bind);
    let to = Skin {
        joints: joints.clone().into(),
        inverse_bind: binds.into(),
        has_inverse_bind,
        ..into.clone()
    };
    rig.draft.put(Edit::SetSkin { skin: group[0], to: Some(Shared::new(to)) })?;
    let users: Vec<(NodeId, Option<Box<Node>>)> = document
        .nodes
        .iter()
        .filter(|(_, n)| n.skin.is_some_and(|s| group[1..].contains(&s)))
        .map(|(id, n)| (id, Some(Box::new(Node { skin: Some(group[0]), ..n.clone() }))))
        .collect();
    if !users.is_empty() {
        rig.draft.put(Edit::SetNodes(users))?;
    }
    rig.draft.put_all(group[1..].iter().map(|skin| Edit::SetSkin { skin: *skin, to: None }))?;
    rig.joints.extend(joints);
    Ok(())
}

/// Replaces the joint indices of the meshes of these skins.
fn renumber_meshes(
    rig: &mut RigDraft,
    document: &Document,
    group: &[SkinId],
    tables: &BTreeMap<SkinId, SlotTable>,
) -> Result<(), CommandError> {
    let mut done: BTreeMap<MeshId, SkinId> = BTreeMap::new();
    for id in group {
        let table = &tables[id];
        for mesh in meshes_on(document, *id) {
            refuse_other_skins(document, mesh, group)?;
            if let Some(other) = done.insert(mesh, *id) {
                let used = used_slots(document, &[mesh].into());
                let slot = |skin: &SkinId, k: u16| tables[skin].get(usize::from(k)).copied();
                if used.iter().any(|k| slot(&other, *k) != slot(id, *k)) {
                    return refuse(
                        "mesh_is_shared",
                        format!(
                            "a mesh is used with {} and {}, and moves with other joints in each; \
                                give each skin its own mesh first",
                            skin_label(document, other),
                            skin_label(document, *id)
                        ),
                    );
                }
                continue;
            }
            let is_identity = table.iter().enumerate().all(|(k, to)| *to == u16::try_from(k).ok());
            if is_identity {
                continue;
            }
            for (primitive, found) in document.mesh(mesh).entries() {
                let Some(map) = found.weights.as_deref() else { continue };
                let to = Shared::new(renumbered(map, table));
                rig.draft.put(Edit::SetWeights { mesh, primitive, to })?;
            }
        }
    }
    Ok(())
}

/// Returns the error for skins that bind a joint differently, with the reason.
fn apart(
    document: &Document,
    (into, other): (SkinId, SkinId),
    (joints, binds): (&[NodeId], &[Mat4]),
    joint: NodeId,
) -> CommandError {
    let skin = document.skin(other);
    // If `IBM_b = IBM_a·K` with the same `K` for all joints, the meshes are in different spaces.
    let factors: Vec<DMat4> = skin
        .joints
        .iter()
        .zip(skin.inverse_bind.iter())
        .filter_map(|(joint, bind)| {
            let slot = joints.iter().position(|j| j == joint)?;
            let own = binds[slot].as_dmat4();
            let factor = own.inverse() * bind.as_dmat4();
            factor.is_finite().then_some(factor)
        })
        .collect();
    let is_constant = factors.len() > 1
        && factors.iter().all(|f| {
            let size = factors[0].to_cols_array().iter().fold(0.0f64, |m, v| m.max(v.abs()));
            f.abs_diff_eq(factors[0], 1e-4 * size)
        });
    let label = document.node(joint).label(joint);
    let labels = skin_labels(document, &[into, other]);
    let why = if is_constant {
        "all shared joints differ by the same transform of the meshes, such as a scale or a \
            quantization. The skins stay separate"
    } else {
        "after the merge, one of the meshes would move differently. Rebind the meshes in the same \
            pose first"
    };
    CommandError::other("binds_differ", format!("{labels} bind “{label}” in different ways: {why}"))
}
