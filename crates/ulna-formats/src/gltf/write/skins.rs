//! Writes changes of skins and scenes.

use serde_json::json;

use super::{
    super::{SaveError, json as raw, pose_extras, schema, text::Ops},
    writer::Writer,
};
use ulna_model::{FileContent, Location, NodeId, Scene, Shared, Skin, SkinId};

impl Writer<'_> {
    pub(super) fn skins(
        &mut self,
        opened: &FileContent,
        now: &FileContent,
    ) -> Result<(), SaveError> {
        for (k, after) in now.skins.slots().enumerate() {
            let id = SkinId::from(k);
            match (opened.skins.get(id), after) {
                (Some(before), Some(after)) if before == after => {}
                (Some(before), Some(after)) => self.skin(id, before, after)?,
                (None, Some(after)) => self.new_skin(id, after),
                (Some(before), None) => {
                    let label = before.name.as_deref().unwrap_or_default();
                    self.changes.push(format!("skins/{k} “{label}”: removed"));
                }
                // An empty placeholder keeps the indices of later skins equal to their ids.
                (None, None) => self.ops.member("skins").push("{}".into()),
            }
        }
        self.skeletons(opened, now)
    }

    /// Removes `skeleton` from skins if that node is no longer an ancestor of all joints. The
    /// member is optional and has no effect on the skin (glTF 2.0, *Skins*).
    fn skeletons(&mut self, opened: &FileContent, now: &FileContent) -> Result<(), SaveError> {
        if Shared::ptr_eq(opened.nodes.tree(), now.nodes.tree()) && opened.skins == now.skins {
            return Ok(());
        }
        let texts = raw::elements(&self.root, "skins").map_err(SaveError::Source)?;
        for (k, text) in texts.into_iter().enumerate() {
            let id = SkinId::from(k);
            let members = raw::split(text.get()).map_err(SaveError::Source)?;
            let skeleton = members.0.get("skeleton").and_then(|s| s.get().parse().ok());
            let Some(node) = skeleton.map(NodeId) else { continue };
            let is_above = |d: &FileContent| {
                let joints = d.skins.get(id).map(|s| s.joints.clone()).unwrap_or_default();
                d.nodes.contains(node) && joints.iter().all(|j| *j == node || d.is_above(node, *j))
            };
            if now.skins.contains(id) && is_above(opened) && !is_above(now) {
                self.member(("skins", k), "skeleton", None);
                self.changes.push(format!(
                    "skins/{k}: “skeleton” removed, because its node is not above all joints"
                ));
            }
        }
        Ok(())
    }

    /// Writes the changes of a skin that exists in the file.
    fn skin(&mut self, id: SkinId, before: &Skin, after: &Skin) -> Result<(), SaveError> {
        let Skin { name, joints, inverse_bind, has_inverse_bind } = after;
        let (at, place) = (("skins", id.index()), Location::of(id));
        let label = name.as_deref().unwrap_or_default();
        if before.name != *name {
            self.renamed(at, place.clone(), name.as_deref());
        }
        if before.joints != *joints {
            let list: Vec<u32> = joints.iter().map(|j| j.0).collect();
            self.member(at, "joints", Some(json!(list).to_string()));
            self.changes.push(format!("{place} “{label}”: {} joints", joints.len()));
        }
        if (&before.inverse_bind, &before.has_inverse_bind) != (inverse_bind, has_inverse_bind) {
            let text =
                raw::elements(&self.root, "skins").map_err(SaveError::Source)?[id.index()].get();
            let known: schema::Skin =
                raw::typed(text, &place, &mut false).map_err(SaveError::Source)?;
            let old = known.inverse_bind_matrices.map(|a| a.0);
            let accessor = has_inverse_bind.then(|| self.matrices(old, after));
            if accessor != old {
                self.member(at, "inverseBindMatrices", accessor.map(|a| a.to_string()));
            }
            self.changes.push(format!("{place} “{label}”: inverse bind matrices"));
        }
        Ok(())
    }

    /// Writes a new skin.
    fn new_skin(&mut self, id: SkinId, skin: &Skin) {
        let Skin { name, joints, inverse_bind: _, has_inverse_bind } = skin;
        let mut members = json!({"joints": joints.iter().map(|j| j.0).collect::<Vec<_>>()});
        if let Some(name) = name.as_deref() {
            members["name"] = name.into();
        }
        if *has_inverse_bind {
            members["inverseBindMatrices"] = self.matrices(None, skin).into();
        }
        self.ops.member("skins").push(members.to_string());
        let label = name.as_deref().unwrap_or_default();
        self.changes.push(format!("skins/{} “{label}”: new, {} joints", id.0, joints.len()));
    }

    /// Stores the inverse bind matrices of a skin. Returns their accessor.
    fn matrices(&mut self, old: Option<usize>, skin: &Skin) -> usize {
        let list: Vec<f32> = skin.inverse_bind.iter().flat_map(|m| m.to_cols_array()).collect();
        self.patch.floats(old, &list, "MAT4", 16, false)
    }

    pub(super) fn scenes(
        &mut self,
        opened: &FileContent,
        now: &FileContent,
    ) -> Result<(), SaveError> {
        for (id, after) in now.scenes.iter() {
            let place = Location::of(id);
            // Members in the extras are compared as text instead.
            let Scene {
                name,
                roots,
                poses: _,
                sets: _,
                groups: _,
                humanoid: _,
                retarget: _,
                mix: _,
                kept_layers: _,
            } = after;
            let Some(before) = opened.scenes.get(id).filter(|b| b.name == *name) else {
                return Err(SaveError::no_form(&place, "a new or renamed scene"));
            };
            if before.roots != *roots {
                let list: Vec<u32> = roots.iter().map(|r| r.0).collect();
                let op = self.ops.member("scenes").item(id.index()).member("nodes");
                *op = if list.is_empty() {
                    Ops::Remove
                } else {
                    Ops::Replace(json!(list).to_string())
                };
                self.changes.push(format!("{place}: root nodes ({})", list.len()));
            }
            for ((member, was), (_, text)) in
                pose_extras::texts(before).into_iter().zip(pose_extras::texts(after))
            {
                if was != text {
                    self.own_extra(("scenes", id.index()), &place, (member, was.is_none()), text)?;
                }
            }
        }
        if opened.scenes.ids().any(|id| !now.scenes.contains(id)) || opened.scene != now.scene {
            return Err(SaveError::no_form("scenes", "a removed scene or another default scene"));
        }
        Ok(())
    }
}
