//! Selecting, posing and drawing the ghosts (onion skins) of a scene.

use glam::Vec3;
use wgpu::util::DeviceExt as _;

use super::{
    Gpu, Scene,
    ghost::{Ghost, GhostLook},
    layouts::Layouts,
    scene_primitive::ScenePrimitive,
};
use ulna_model::{Document, NodeId, Topology};
use ulna_motion::Pose;

impl Scene {
    /// Selects the ghosts to show, and drops all others. Returns the keys of ghosts that are not
    /// posed yet; the caller passes each to [`Scene::pose_ghost`].
    pub fn show_ghosts(&mut self, gpu: &Gpu, looks: &[GhostLook]) -> Vec<u64> {
        self.ghosts.retain(|ghost| looks.iter().any(|l| l.moment == ghost.moment));
        for ghost in &self.ghosts {
            if let Some(look) = looks.iter().find(|l| l.moment == ghost.moment) {
                gpu.queue.write_buffer(&ghost.color, 0, bytemuck::bytes_of(&look.color));
            }
        }
        let missing = looks.iter().filter(|l| !self.ghosts.iter().any(|g| g.moment == l.moment));
        missing.map(|l| l.moment).collect()
    }

    /// Stores the surfaces of a pose as a ghost. If `of` is given, only surfaces of its nodes are
    /// stored.
    ///
    /// Afterwards, the scene itself has this pose. Call [`Scene::update`] to restore its own pose.
    pub fn pose_ghost(
        &mut self,
        gpu: &Gpu,
        document: &Document,
        look: &GhostLook,
        pose: &Pose,
        of: Option<&[NodeId]>,
    ) {
        self.update(gpu, document, pose);
        let mut encoder = gpu
            .device
            .create_command_encoder(&wgpu::CommandEncoderDescriptor { label: Some("ghost") });
        let mut copied = |from: &wgpu::Buffer| {
            let usage = wgpu::BufferUsages::VERTEX | wgpu::BufferUsages::COPY_DST;
            let size = from.size();
            let to = gpu.device.create_buffer(&wgpu::BufferDescriptor {
                label: Some("ghost"),
                size,
                usage,
                mapped_at_creation: false,
            });
            encoder.copy_buffer_to_buffer(from, 0, &to, 0, size);
            to
        };
        // Nodes that the file hides at this time are not part of the ghost.
        let meant = |part: &ScenePrimitive| {
            let wanted = of.is_none_or(|of| of.contains(&part.node));
            part.topology == Topology::Triangles && wanted && (!part.unseen || part.shown)
        };
        let surfaces = self.parts.iter().map(|part| {
            meant(part).then(|| {
                let own = part.places.usage().contains(wgpu::BufferUsages::COPY_SRC);
                [
                    copied(&part.skin.posed),
                    if own { copied(&part.places) } else { part.places.clone() },
                ]
            })
        });
        let surfaces = surfaces.collect();
        gpu.queue.submit([encoder.finish()]);
        let color = gpu.device.create_buffer_init(&wgpu::util::BufferInitDescriptor {
            label: Some("ghost's color"),
            contents: bytemuck::bytes_of(&look.color),
            usage: wgpu::BufferUsages::UNIFORM | wgpu::BufferUsages::COPY_DST,
        });
        let bind = gpu.device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: Some("ghost"),
            layout: self.ghost_layout.get_or_insert_with(|| Layouts::ghost(&gpu.device)),
            entries: &[wgpu::BindGroupEntry { binding: 0, resource: color.as_entire_binding() }],
        });
        let center = self.bounds.map_or(Vec3::ZERO, |(low, high)| (low + high) * 0.5);
        self.ghosts.push(Ghost { moment: look.moment, surfaces, center, bind, color });
    }

    /// Drops all ghosts, for use when the document changed.
    pub fn forget_ghosts(&mut self) {
        self.ghosts.clear();
    }

    /// The number of posed ghosts.
    pub const fn ghost_count(&self) -> usize {
        self.ghosts.len()
    }

    /// Visible surfaces of a ghost, each with its part of the scene.
    pub(super) fn ghost_surfaces<'a>(
        &'a self,
        ghost: &'a Ghost,
    ) -> impl Iterator<Item = (&'a ScenePrimitive, &'a [wgpu::Buffer; 2])> {
        self.parts
            .iter()
            .zip(&ghost.surfaces)
            .filter_map(|(part, s)| Some((part, s.as_ref()?)))
            .filter(|(p, _)| !p.marked)
    }
}
