//! Thumbnails of the document, for lists.

use glam::Vec3;

use super::ViewportRenderer;
use crate::app::LONG;
use ulna_model::Document;
use ulna_motion::{Pose, Surface, joint_bounds};
use ulna_render::{Axis, Camera, Capture, RenderTarget, Show, ViewportColors};

impl ViewportRenderer {
    /// Starts to render a thumbnail of the document. For a large document on a software device,
    /// this would take seconds, so the viewport's picture is used in its own size.
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

    /// Starts to render a thumbnail of the document in another pose. It shows the box between two
    /// corners, or everything. Large documents on software devices have no thumbnail.
    pub(in crate::app) fn begin_pose_picture(
        &mut self,
        document: &Document,
        pose: &Pose,
        corners: Option<(Vec3, Vec3)>,
        size: [u32; 2],
    ) -> Option<Capture> {
        let vertices = document.meshes.values().map(|m| m.vertex_count()).sum::<usize>();
        let large = vertices > LONG;
        // For small models, the bounds of the skin are computed, because a large head extends far
        // beyond its joint.
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
        // Margin for the skin around the joints.
        let around = (high - low) * 0.08;
        camera.frame(low - around, high + around, size[0] as f32 / size[1] as f32);
        scene.update(gpu, document, pose);
        let target = RenderTarget::new(gpu, size);
        let show = Show { grid: true, size: self.model.extent, scale: 1.0, ..Show::default() };
        renderer.draw(gpu, &target, scene, &camera, &self.look, &show);
        let capture = Capture::begin(gpu, &target);
        // Restores the pose that the viewport displays.
        scene.update(gpu, document, &self.model.pose);
        Some(capture)
    }
}
