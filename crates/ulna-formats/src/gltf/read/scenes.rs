//! Reading of scenes and their root nodes.

use super::{
    super::{ReadError, json, pose_extras, schema},
    reader::Reader,
};
use ulna_model::{FileContent, IdKind, Location, NodeId, Scene, SceneId, Severity};

impl Reader<'_> {
    pub(super) fn scenes(&mut self, asset: &mut FileContent) -> Result<(), ReadError> {
        let raw: Vec<schema::Scene> = json::list(self.root, IdKind::Scene)?;
        for (k, scene) in raw.iter().enumerate() {
            let place = Location::at(IdKind::Scene, k);
            let mut roots = Vec::with_capacity(scene.nodes.len());
            for node in &scene.nodes {
                let id = NodeId::from(node.0);
                let Some(found) = asset.nodes.get(node.0.into()) else {
                    return Err(ReadError::at(place, format!("node {} does not exist", node.0)));
                };
                if found.parent.is_some() {
                    let message =
                        format!("Node {} is listed as a root node, but has a parent", node.0);
                    self.diagnostics.add(Severity::Error, "SCENE_NON_ROOT_NODE", &place, message);
                }
                roots.push(id);
            }
            let mut made =
                Scene { name: scene.name.as_deref().map(Into::into), roots, ..Scene::default() };
            pose_extras::read(
                &mut made,
                &asset.nodes,
                &scene.extras,
                &place,
                &mut self.diagnostics,
            );
            asset.scenes.push_from_file(Some(made));
        }
        let default: Option<json::Index> = match self.root.0.get("scene") {
            Some(raw) => json::plain_typed(raw.get(), &"scene".into(), &mut false)?,
            None => None,
        };
        let earlier = self
            .root
            .1
            .iter()
            .find(|(key, _)| key == "scene")
            .and_then(|(_, raw)| raw.get().parse::<usize>().ok());
        asset.scene = match default {
            // If the key is repeated, the last value is used, unless only an earlier value is a
            // valid index.
            Some(scene)
                if scene.0 >= asset.scenes.len()
                    && earlier.is_some_and(|s| s < asset.scenes.len()) =>
            {
                earlier.map(SceneId::from)
            }
            Some(scene) if scene.0 >= asset.scenes.len() => {
                return Err(ReadError::at("scene", format!("scene {} does not exist", scene.0)));
            }
            Some(scene) => Some(scene.0.into()),
            None if asset.scenes.is_empty() => None,
            None => Some(SceneId(0)),
        };
        Ok(())
    }
}
