//! Poses documents, and uploads them to the device. This can run in the background.

use std::{
    panic::{AssertUnwindSafe, catch_unwind, resume_unwind},
    sync::Arc,
};

use glam::Vec3;

use ulna_model::Document;
use ulna_motion::{Pose, Skeleton, Stack, Surface, joint_bounds};
use ulna_render::{Decoded, Gpu, Pipelines, Scene};

/// Prepares documents for drawing. It can be sent to another thread.
#[derive(Clone)]
pub(in crate::app) struct Loader {
    pub(super) gpu: Option<(Gpu, Arc<Pipelines>)>,
}

/// A posed document.
pub(in crate::app) struct Posed {
    pub(super) skeleton: Skeleton,
    pub pose: Pose,
    pub(super) surface: Surface,
    pub(super) bounds: Option<(Vec3, Vec3)>,
}

impl Posed {
    /// Lowest and highest corner of the bounding box, in meters.
    pub(in crate::app) const fn bounds(&self) -> Option<(Vec3, Vec3)> {
        self.bounds
    }

    /// Lowest and highest corner of the bounding box of the body, without what it carries, in
    /// meters. The body are the skinned meshes, if they are most of the model.
    pub(in crate::app) fn body_bounds(&self, document: &Document) -> Option<(Vec3, Vec3)> {
        /// Minimum height of the skinned meshes relative to that of the model.
        const MOST: f32 = 0.6;
        let is_skinned = |node| document.node(node).skin.is_some();
        let parts = self.surface.parts().filter(|p| p.places.is_none() && is_skinned(p.node));
        let points = parts.flat_map(|p| p.positions.iter().copied()).filter(|p| p.is_finite());
        let body = points.fold(None, |bounds: Option<(Vec3, Vec3)>, p| {
            Some(bounds.map_or((p, p), |(low, high)| (low.min(p), high.max(p))))
        });
        let tall = |(low, high): (Vec3, Vec3)| high.y - low.y;
        let is_most =
            |body: &(Vec3, Vec3)| self.bounds.is_none_or(|whole| tall(*body) >= tall(whole) * MOST);
        body.filter(is_most).or(self.bounds)
    }

    /// The posed surface.
    pub(in crate::app) fn into_surface(self) -> Surface {
        self.surface
    }

    pub(in crate::app) fn new(document: &Document) -> Self {
        let pose = Pose::evaluate(document, &Stack::default());
        let surface = Surface::new(document, &pose);
        let bounds = surface.bounds().or_else(|| joint_bounds(document, &pose));
        Self { skeleton: Skeleton::of(document), pose, surface, bounds }
    }
}

/// A document that is uploaded to a device.
pub(in crate::app) struct Uploaded {
    pub(super) scene: Option<Scene>,
    /// Device that has the scene.
    pub(super) device: Option<wgpu::Device>,
    pub(super) images: Arc<[Decoded]>,
}

impl Loader {
    /// Uploads a document in a pose, and creates the pipelines for drawing it.
    pub(in crate::app) fn upload(
        &self,
        document: &Document,
        pose: &Pose,
        images: Arc<[Decoded]>,
    ) -> Uploaded {
        let upload = |(gpu, pipelines): &(Gpu, Arc<Pipelines>)| {
            let make = || {
                let mut scene = Scene::new(gpu, pipelines, document, &images);
                // wgpu collects buffer writes until work is submitted.
                scene.update(gpu, document, pose);
                pipelines.make_ready(&scene);
                scene
            };
            // If the device is lost during the upload, buffers cannot be created. The scene is then
            // built for the next device.
            catch_unwind(AssertUnwindSafe(make))
                .map_err(|panic| gpu.is_lost() || resume_unwind(panic))
                .ok()
        };
        let scene = self.gpu.as_ref().filter(|(gpu, _)| !gpu.is_lost()).and_then(upload);
        Uploaded { scene, device: self.gpu.as_ref().map(|(gpu, _)| gpu.device.clone()), images }
    }
}
