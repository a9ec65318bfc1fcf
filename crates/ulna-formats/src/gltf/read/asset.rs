//! Reads the content of a file, part by part.

use glam::Mat4;

use super::{
    super::{
        REST_EXTRA, ReadError, animation, json, material, mesh, node_space, progress::Progress,
        scene_extras, vrm,
    },
    nodes::{RestPrecedence, is_odd, remembered_rest},
    reader::Reader,
};
use ulna_model::{AnyId, FileContent, Local, NodeId, PointerTrack, Shared, Transform, find_rest};

impl Reader<'_> {
    pub(super) fn asset(
        &mut self,
        progress: &Progress,
    ) -> Result<(FileContent, Vec<String>), ReadError> {
        let looks = material::Materials {
            materials: json::elements(self.root, "materials")?,
            textures: json::elements(self.root, "textures")?,
            samplers: json::elements(self.root, "samplers")?,
            images: json::elements(self.root, "images")?,
        };
        let materials = material::materials(&looks, &mut self.diagnostics);
        let (images, uris) = material::images(&looks, &mut self.accessors, &mut self.diagnostics);
        progress.reach(0.3)?;
        let extensions = scene_extras::root_extensions(self.root);
        let variants = scene_extras::variants(&extensions, &mut self.diagnostics);
        let cameras = scene_extras::cameras(self.root, &mut self.diagnostics)?;
        let lights = scene_extras::lights(&extensions, &mut self.diagnostics);
        let mut meshes = Vec::new();
        for (k, raw) in json::elements(self.root, "meshes")?.iter().enumerate() {
            meshes.push(Shared::new(mesh::read(
                raw.get(),
                k,
                (materials.len(), variants.len()),
                &mut self.accessors,
                &mut self.diagnostics,
            )?));
            progress.reach(0.5)?;
        }
        let raw_nodes = self.raw_nodes()?;
        let vrm = vrm::read(&extensions, raw_nodes.len(), &mut self.diagnostics).map(Shared::new);
        let mut asset = FileContent {
            nodes: self.nodes(&raw_nodes, &meshes, (cameras.len(), lights.len()))?,
            meshes: meshes.into(),
            materials: materials.into(),
            variants,
            images: images.into(),
            cameras,
            lights,
            vrm,
            node_space: node_space::read(&extensions, &raw_nodes),
            ..FileContent::default()
        };
        self.scenes(&mut asset)?;
        self.skins(&mut asset)?;
        progress.reach(0.7)?;
        let animations = match self.animations.take() {
            Some(typed) => typed.into_iter().map(animation::Raw::Typed).collect(),
            None => json::elements(self.root, "animations")?
                .into_iter()
                .map(animation::Raw::Text)
                .collect::<Vec<_>>(),
        };
        let count = animations.len();
        let counts: Vec<usize> = asset.meshes.values().map(|m| m.target_count()).collect();
        let sound = |m: &Mat4| !is_odd(&Transform::decompose(m, &Transform::IDENTITY));
        let fixed: Vec<bool> =
            asset.nodes.values().map(|n| matches!(&n.rest, Local::Matrix(m) if sound(m))).collect();
        let mut targets = animation::Targets {
            nodes: &raw_nodes,
            fixed: &fixed,
            target_counts: &|m| counts.get(m.index()).copied().unwrap_or(0),
            moved: vec![[0; 4]; raw_nodes.len()],
        };
        for (k, raw) in animations.into_iter().enumerate() {
            let mut clip =
                animation::read(raw, k, &mut self.accessors, &mut targets, &mut self.diagnostics)?;
            if !clip.pointers.is_empty() {
                clip.pointers = clip.pointers.iter().map(|p| resolved(p, &asset)).collect();
            }
            asset.clips.push_from_file(Some(Shared::new(clip)));
            progress.reach(0.7 + 0.25 * (k + 1) as f32 / count as f32)?;
        }
        find_rest(&mut asset);
        for (k, raw) in raw_nodes.iter().enumerate() {
            if let Some(rest) = raw.extras.get::<Transform>(REST_EXTRA)
                && let Some(node) = asset.nodes.get_mut(NodeId::from(k))
            {
                let is_over_bind = RestPrecedence::is_over_bind(&raw.extras, REST_EXTRA);
                remembered_rest(node, &rest, is_over_bind);
            }
        }
        Ok((asset, uris))
    }
}

/// Resolves the element that a track's pointer names.
fn resolved(pointer: &PointerTrack, asset: &FileContent) -> PointerTrack {
    let target = AnyId::in_pointer(&pointer.pointer).filter(|id| asset.has(*id));
    PointerTrack { target, ..pointer.clone() }
}
