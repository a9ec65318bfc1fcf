//! Splits skins, so that each mesh gets a skin with only the joints that it uses.

use std::collections::{BTreeMap, BTreeSet};

use super::{
    commands::SplitSkins,
    finish::finish,
    rewrite::RigDraft,
    slots::{SlotTable, meshes_on, refuse_fixed_slots, refuse_other_skins, renumbered, used_slots},
};
use crate::{
    Edit,
    command::{
        CommandError, Outcome, Scene, error::refuse, mesh_skins::skin_label, nodes::skin_named,
    },
};
use ulna_model::{Document, MeshId, Node, NodeId, Notice, RestSource, Shared, Skin, SkinId, label};

impl SplitSkins {
    pub(super) fn work(&self, scene: &Scene<'_>) -> Result<Outcome, CommandError> {
        let document = scene.document;
        if self.most == Some(0) {
            return refuse("argument_out_of_range", "“most” must be 1 or more");
        }
        let named = self.skin.as_deref().map(|name| skin_named(document, name)).transpose()?;
        let is_meant = |id: &SkinId| {
            let meshes = meshes_on(document, *id).len();
            let is_over = self.most.is_none_or(|most| document.skin(*id).joints.len() > most);
            // A skin with a single mesh would only lose joints. This is done only on request.
            let is_asked = named.is_some() || self.most.is_some();
            named.is_none_or(|n| n == *id) && is_over && meshes > usize::from(!is_asked)
        };
        let skins: Vec<SkinId> = document.skins.ids().filter(is_meant).collect();
        let mut rig = RigDraft::of(document);
        let mut said = Vec::new();
        for skin in skins {
            let made = self.split(&mut rig, skin)?;
            if made.is_empty() {
                continue;
            }
            let counts: Vec<String> = made.iter().map(ToString::to_string).collect();
            let skins = if made.len() == 1 { "skin" } else { "skins" };
            said.push(format!(
                "{} became {} {skins} of {} joints",
                skin_label(document, skin),
                made.len(),
                counts.join(", ")
            ));
        }
        if rig.draft.edits.is_empty() {
            let why = match (self.most, named) {
                (Some(most), _) => {
                    format!("no skin with more than {most} joints has unused joints")
                }
                (None, Some(_)) => "the mesh of the skin uses all of its joints".to_owned(),
                (None, None) => "no skin has several meshes with different joints".to_owned(),
            };
            return Ok(Outcome::noted("nothing_to_split", why));
        }
        rig.free_joints(document)?;
        let mut done = finish(rig, scene, None)?;
        done.notes.insert(0, Notice::new("skins_split", said.join("; ")));
        Ok(done)
    }

    /// Splits a skin. Returns the numbers of joints of the new skins; empty if the skin stays
    /// unchanged.
    fn split(&self, rig: &mut RigDraft, id: SkinId) -> Result<Vec<usize>, CommandError> {
        let document = rig.document().clone();
        let skin = document.skin(id);
        // Meshes by the joint indices that they use. Meshes with the same indices share a skin.
        let mut groups: BTreeMap<Vec<u16>, Vec<MeshId>> = BTreeMap::new();
        let mut order: Vec<Vec<u16>> = Vec::new();
        for mesh in meshes_on(&document, id) {
            let mut used: Vec<u16> = used_slots(&document, &[mesh].into()).into_iter().collect();
            if used.is_empty() {
                // A skin needs at least one joint.
                used.push(0);
            }
            self.refuse_more(&document, mesh, used.len())?;
            if !order.contains(&used) {
                order.push(used.clone());
            }
            groups.entry(used).or_default().push(mesh);
        }
        let is_whole = |used: &Vec<u16>| used.len() == skin.joints.len();
        if order.iter().all(is_whole) {
            return Ok(Vec::new());
        }
        refuse_fixed_slots(&document, id)?;
        let mut counts = Vec::new();
        for (k, used) in order.iter().enumerate() {
            let meshes = &groups[used];
            let to = if k == 0 { id } else { rig.document().skins.next_id() };
            for mesh in meshes {
                refuse_other_skins(&document, *mesh, &[id])?;
                renumber(rig, &document, *mesh, used, skin.joints.len())?;
            }
            let name = match (k, skin.name.as_deref()) {
                (0, name) => name.map(Into::into),
                (_, Some(name)) => {
                    let mesh = document.mesh(meshes[0]).name.as_deref();
                    Some(format!("{name} {}", label(mesh, "mesh", meshes[0].0)).into())
                }
                (_, None) => None,
            };
            let pick = |k: &u16| skin.joints.get(usize::from(*k)).copied();
            let joints: Vec<NodeId> = used.iter().filter_map(pick).collect();
            let bind = |k: &u16| skin.inverse_bind.get(usize::from(*k)).copied();
            let inverse_bind = used.iter().filter_map(bind).collect::<Vec<_>>().into();
            counts.push(joints.len());
            let has_inverse_bind = skin.has_inverse_bind;
            let made = Skin { name, joints: joints.into(), inverse_bind, has_inverse_bind };
            rig.draft.put(Edit::SetSkin { skin: to, to: Some(Shared::new(made)) })?;
            if to != id {
                let users = document.nodes.iter().filter(|(_, n)| {
                    n.skin == Some(id) && n.mesh.is_some_and(|m| meshes.contains(&m))
                });
                let users = users
                    .map(|(n, about)| (n, Some(Box::new(Node { skin: Some(to), ..about.clone() }))))
                    .collect();
                rig.draft.put(Edit::SetNodes(users))?;
            }
        }
        rig.joints.extend(skin.joints.iter().copied());
        Ok(counts)
    }

    /// Returns an error if a mesh uses more joints than a skin may have.
    fn refuse_more(
        &self,
        document: &Document,
        mesh: MeshId,
        used: usize,
    ) -> Result<(), CommandError> {
        match self.most.filter(|most| used > *most) {
            Some(most) => refuse(
                "too_many_joints",
                format!(
                    "the mesh “{}” alone uses {used} joints, more than {most}; split the mesh, or \
                        remove joints first",
                    label(document.mesh(mesh).name.as_deref(), "mesh", mesh.0)
                ),
            ),
            None => Ok(()),
        }
    }
}

/// Replaces the joint indices of a mesh by indices into `used`.
fn renumber(
    rig: &mut RigDraft,
    document: &Document,
    mesh: MeshId,
    used: &[u16],
    count: usize,
) -> Result<(), CommandError> {
    let mut table: SlotTable = vec![None; count];
    for (new, old) in used.iter().enumerate() {
        if let Some(entry) = table.get_mut(usize::from(*old)) {
            *entry = u16::try_from(new).ok();
        }
    }
    for (primitive, found) in document.mesh(mesh).entries() {
        let Some(map) = found.weights.as_deref() else { continue };
        let to = renumbered(map, &table);
        if to != *map {
            rig.draft.put(Edit::SetWeights { mesh, primitive, to: Shared::new(to) })?;
        }
    }
    Ok(())
}

impl RigDraft {
    /// Resets the rest pose of nodes that are no longer joints to their transform in the file.
    fn free_joints(&mut self, before: &Document) -> Result<(), CommandError> {
        let is_joint = self.document().joint_flags();
        let joints: BTreeSet<NodeId> =
            before.skins.values().flat_map(|s| s.joints.iter().copied()).collect();
        let freed: Vec<(NodeId, Option<Box<Node>>)> = joints
            .into_iter()
            .filter(|n| !is_joint[n.index()])
            .map(|n| (n, self.document().node(n)))
            .filter(|(_, node)| node.rest_source == RestSource::Bind)
            .map(|(n, node)| {
                let rest_source = RestSource::File;
                let to = Node { rest: node.local(), pose: None, rest_source, ..node.clone() };
                (n, Some(Box::new(to)))
            })
            .collect();
        if freed.is_empty() { Ok(()) } else { self.draft.put(Edit::SetNodes(freed)) }
    }
}
