//! Draws further models in the viewport, such as reference models.

use super::{Uploaded, ViewportRenderer, apart::on_device};
use ulna_model::Document;
use ulna_motion::Pose;

impl ViewportRenderer {
    /// True if a model is uploaded to the current device.
    pub(in crate::app) fn has_uploaded(&self, uploaded: &Uploaded) -> bool {
        let own = self.gpu.as_ref().filter(|(gpu, _)| !gpu.is_lost());
        own.is_none_or(|(gpu, _)| uploaded.device.as_ref() == Some(&gpu.device))
    }

    /// Poses a further model. After a change of the device, it is uploaded again.
    pub(in crate::app) fn pose_beside(
        &mut self,
        document: &Document,
        pose: &Pose,
        uploaded: &mut Uploaded,
    ) {
        if !self.has_uploaded(uploaded) {
            *uploaded = self.loader().upload(document, pose, uploaded.images.clone());
        } else if let Some((gpu, _, scene)) = on_device(&mut self.gpu, uploaded) {
            scene.update(gpu, document, pose);
        }
    }

    /// Requests a new picture.
    pub(in crate::app) const fn redraw(&mut self) {
        self.serial += 1;
    }
}
