//! Ghosts: the surfaces of a scene at other moments, posed once and kept, so that moving the
//! playhead by a frame poses one more and no more than that.

use glam::Vec3;
use wgpu::util::DeviceExt as _;

use super::{Gpu, Scene, pipeline::Layouts, scene::ScenePrimitive};
use ulna_model::{Document, NodeId, Topology};
use ulna_motion::Pose;

/// A ghost that a picture is to show.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GhostLook {
    /// Which moment, by a number that is the caller's own. The same number is the same pose until
    /// [`Scene::forget_ghosts`].
    pub moment: u64,
    /// Linear, straight alpha.
    pub color: [f32; 4],
}

/// The surfaces at one moment.
pub(super) struct Ghost {
    moment: u64,
    /// In the order of the scene's parts: what was posed, and where its instances were.
    surfaces: Vec<Option<[wgpu::Buffer; 2]>>,
    pub center: Vec3,
    pub bind: wgpu::BindGroup,
    color: wgpu::Buffer,
}

impl Ghost {
    /// What is drawn of it.
    pub fn surfaces<'a>(
        &'a self,
        scene: &'a Scene,
    ) -> impl Iterator<Item = (&'a ScenePrimitive, &'a [wgpu::Buffer; 2])> {
        scene
            .parts
            .iter()
            .zip(&self.surfaces)
            .filter_map(|(part, s)| Some((part, s.as_ref()?)))
            .filter(|(p, _)| !p.marked)
    }
}

impl Scene {
    /// Says which ghosts are shown from now on, and gives back the moments among them that are not
    /// posed yet: each of them is to be given to [`Scene::pose_ghost`]. Those that are not named
    /// go.
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

    /// Keeps the surfaces of a pose as a ghost: of these nodes alone, where `of` names some. What
    /// is posed in the scene itself is that pose afterwards: [`Scene::update`] puts it back.
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
        // What the file hides at the ghost's moment is no part of it.
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

    /// Lets all ghosts go: what they were made from is another.
    pub fn forget_ghosts(&mut self) {
        self.ghosts.clear();
    }

    /// How many are shown.
    pub const fn ghost_count(&self) -> usize {
        self.ghosts.len()
    }
}
