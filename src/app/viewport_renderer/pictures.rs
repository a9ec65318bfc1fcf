//! Small pictures of the document, for lists.

use glam::Vec3;

use super::ViewportRenderer;
use crate::app::LONG;
use ulna_model::Document;
use ulna_motion::{Pose, Surface, joint_bounds};
use ulna_render::{Axis, Camera, Capture, RenderTarget, Show, ViewportColors};

impl ViewportRenderer {
    /// Begins a small picture of the document as it stands, for lists of files. A program that
    /// draws would take seconds for a large one: there it is the one that is seen, at its size.
    pub(in crate::app) fn begin_picture(
        &mut self,
        document: &Document,
        size: [u32; 2],
    ) -> Option<Capture> {
        let large = document.meshes.values().map(|m| m.vertex_count()).sum::<usize>() > LONG;
        if let (true, Some((gpu, _)), Some(target)) = (large, &self.gpu, &self.picture.targets[0])
            && gpu.software
        {
            return Some(Capture::begin(gpu, target));
        }
        let bounds =
            self.surface(document).bounds().or_else(|| joint_bounds(document, &self.model.pose));
        let (Some((gpu, renderer)), Some(scene), Some((low, high))) =
            (&mut self.gpu, &self.scene, bounds)
        else {
            return None;
        };
        let mut camera = Camera::default();
        camera.look(Axis::ThreeQuarter);
        camera.frame(low, high, size[0] as f32 / size[1] as f32);
        let target = RenderTarget::new(gpu, size);
        let show = Show { grid: true, size: self.model.extent, scale: 1.0, ..Show::default() };
        renderer.draw(gpu, &target, scene, &camera, &ViewportColors::theme("dark"), &show);
        Some(Capture::begin(gpu, &target))
    }

    /// Begins a small picture of the document in another pose, of what is between two corners or of
    /// all of it. A program that draws would take long for a large one: there is none then.
    pub(in crate::app) fn begin_pose_picture(
        &mut self,
        document: &Document,
        pose: &Pose,
        corners: Option<(Vec3, Vec3)>,
        size: [u32; 2],
    ) -> Option<Capture> {
        let vertices = document.meshes.values().map(|m| m.vertex_count()).sum::<usize>();
        let large = vertices > LONG;
        // The skin itself where it is soon found; a large head stands out far beyond its joint.
        let skin = (corners.is_none() && vertices <= LONG / 4)
            .then(|| Surface::new(document, pose).bounds())
            .flatten();
        let bounds = corners.or(skin).or_else(|| joint_bounds(document, pose));
        let (Some((gpu, renderer)), Some(scene), Some((low, high))) =
            (&mut self.gpu, &mut self.scene, bounds)
        else {
            return None;
        };
        if large && gpu.software {
            return None;
        }
        let mut camera = Camera::default();
        camera.look(Axis::ThreeQuarter);
        // The skin lies around the joints.
        let around = (high - low) * 0.08;
        camera.frame(low - around, high + around, size[0] as f32 / size[1] as f32);
        scene.update(gpu, document, pose);
        let target = RenderTarget::new(gpu, size);
        let show = Show { grid: true, size: self.model.extent, scale: 1.0, ..Show::default() };
        renderer.draw(gpu, &target, scene, &camera, &self.look, &show);
        let capture = Capture::begin(gpu, &target);
        // The picture that is seen is of the pose that is seen.
        scene.update(gpu, document, &self.model.pose);
        Some(capture)
    }
}
