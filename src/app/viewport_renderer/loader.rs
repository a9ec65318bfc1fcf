//! Poses and uploads documents to the device, also in the background.

use std::{
    panic::{AssertUnwindSafe, catch_unwind, resume_unwind},
    sync::Arc,
};

use glam::Vec3;

use ulna_model::Document;
use ulna_motion::{Pose, Skeleton, Stack, Surface, joint_bounds};
use ulna_render::{Decoded, Gpu, Pipelines, Scene};

/// Prepares documents for drawing, also in the background.
#[derive(Clone)]
pub(in crate::app) struct Loader {
    pub(super) gpu: Option<(Gpu, Arc<Pipelines>)>,
}

/// A document as it is posed.
pub(in crate::app) struct Posed {
    pub(super) skeleton: Skeleton,
    pub pose: Pose,
    pub(super) surface: Surface,
    pub(super) bounds: Option<(Vec3, Vec3)>,
}

impl Posed {
    /// Lowest and highest corner of all that is in it.
    pub(in crate::app) const fn bounds(&self) -> Option<(Vec3, Vec3)> {
        self.bounds
    }

    /// Its surface.
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

/// A document on a device.
pub(in crate::app) struct Uploaded {
    pub(super) scene: Option<Scene>,
    /// Device that the scene is uploaded to.
    pub(super) device: Option<wgpu::Device>,
    pub(super) images: Arc<[Decoded]>,
}

impl Loader {
    /// Uploads a document in a pose, and makes what its pictures are drawn by.
    pub(in crate::app) fn upload(
        &self,
        document: &Document,
        pose: &Pose,
        images: Arc<[Decoded]>,
    ) -> Uploaded {
        let upload = |(gpu, pipelines): &(Gpu, Arc<Pipelines>)| {
            let make = || {
                let mut scene = Scene::new(gpu, pipelines, document, &images);
                // What is written into buffers is gathered until work is submitted.
                scene.update(gpu, document, pose);
                pipelines.make_ready(&scene);
                scene
            };
            // A device that is lost meanwhile gives no buffers; another one gets the scene then.
            catch_unwind(AssertUnwindSafe(make))
                .map_err(|panic| gpu.is_lost() || resume_unwind(panic))
                .ok()
        };
        let scene = self.gpu.as_ref().filter(|(gpu, _)| !gpu.is_lost()).and_then(upload);
        Uploaded { scene, device: self.gpu.as_ref().map(|(gpu, _)| gpu.device.clone()), images }
    }
}
