//! Skins and scenes: which joints deform what, and which nodes are shown together.

use serde_json::json;

use super::{
    super::{SaveError, json as raw, pose_extras, schema, text::Ops},
    writer::Writer,
};
use ulna_model::{FileContent, Scene, Skin, SkinId};

impl Writer<'_> {
    pub(super) fn skins(
        &mut self,
        opened: &FileContent,
        now: &FileContent,
    ) -> Result<(), SaveError> {
        for (id, after) in now.skins.iter() {
            match opened.skins.get(id) {
                Some(before) if before == after => {}
                Some(before) => self.skin(id, before, after)?,
                None => self.new_skin(id, after),
            }
        }
        match opened.skins.ids().find(|id| !now.skins.contains(*id)) {
            Some(id) => {
                Err(SaveError::no_form(&format!("skins/{}", id.0), "the removal of a skin"))
            }
            None => Ok(()),
        }
    }

    /// A skin that the file has.
    fn skin(&mut self, id: SkinId, before: &Skin, after: &Skin) -> Result<(), SaveError> {
        let Skin { name, joints, inverse_bind, has_inverse_bind } = after;
        let (at, place) = (("skins", id.index()), format!("skins/{}", id.0));
        let label = name.as_deref().unwrap_or_default();
        if before.name != *name {
            self.member(
                at,
                "name",
                name.as_deref().map(|n| serde_json::Value::from(n).to_string()),
            );
            self.changes.push(format!("{place} “{label}”: name"));
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

    /// A skin that the file does not have.
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

    /// Stores inverse bind matrices; the accessor that holds them.
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
            let place = format!("scenes/{}", id.0);
            // What stands in the extras is told by its text.
            let Scene { name, roots, poses: _, sets: _, mix: _, kept_layers: _ } = after;
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
                self.changes.push(format!("{place}: {} roots", list.len()));
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
