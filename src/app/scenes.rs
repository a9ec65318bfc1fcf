//! Rebuilds the document's scene on the device, for another document or another device.

use egui::Context;

use super::{
    App, LONG,
    jobs::JobResult,
    loading::{Remade, decoded},
    viewport_renderer::Posed,
};
use ulna_model::Diagnostic;

impl App {
    /// Rebuilds the scene of the current document, in the background if it is large.
    pub(super) fn remake_scene(&mut self, ctx: &Context) {
        let Some(session) = &self.session else { return };
        let document = session.document().clone();
        // If the images are not stored, they are decoded again. Otherwise the model would lose its
        // textures.
        let images = self.renderer.images().filter(|kept| kept.len() == document.images.len());
        let (serial, loader) = self.renderer.remake(true);
        let small = document.meshes.values().map(|m| m.vertex_count()).sum::<usize>() <= LONG;
        if let (true, Some(images)) = (small, &images) {
            let posed = Posed::new(&document);
            let uploaded = loader.upload(&document, &posed.pose, images.clone());
            self.renderer.take_scene(serial, &document, Some(posed), uploaded);
            self.binding.scene_was_made();
            self.rig.clip.scene_was_made();
            return;
        }
        self.start(ctx, "Loading the view".into(), false, move |_| {
            let posed = Posed::new(&document);
            let (images, findings) =
                images.map_or_else(|| decoded(&document), |images| (images, None));
            let uploaded = loader.upload(&document, &posed.pose, images);
            JobResult::Remade(Box::new(Remade { serial, posed: Some(posed), uploaded, findings }))
        });
    }

    /// Starts to rebuild the scene with the file's images, after a file was opened or the device
    /// changed.
    pub(super) fn restore_scene(&mut self, ctx: &Context) {
        let Some(session) = &self.session else { return };
        let document = session.document().clone();
        // A newly opened document is already posed.
        let whole = self.renderer.images().is_some();
        let (serial, loader) = self.renderer.remake(whole);
        let pose = self.renderer.pose().clone();
        self.start(ctx, "Loading the view".into(), false, move |_| {
            let posed = whole.then(|| Posed::new(&document));
            let (images, findings) = decoded(&document);
            let uploaded =
                loader.upload(&document, posed.as_ref().map_or(&pose, |p| &p.pose), images);
            JobResult::Remade(Box::new(Remade { serial, posed, uploaded, findings }))
        });
    }

    /// Shows a rebuilt scene.
    pub(super) fn take_remade(&mut self, remade: Remade) {
        let Remade { serial, posed, uploaded, findings } = remade;
        let Some(session) = &self.session else { return };
        if self.renderer.take_scene(serial, session.document(), posed, uploaded) {
            self.painting.invalidate_tints();
            self.binding.scene_was_made();
            self.rig.clip.scene_was_made();
            if let Some(findings) = findings {
                self.take_findings(findings);
            }
        }
    }

    /// Adds the problems of the file's images to the list of problems.
    pub(super) fn take_findings(&mut self, findings: Vec<Diagnostic>) {
        self.problems.change(|list| list.extend(findings.iter().cloned()));
        self.problems.of_images = findings;
    }
}
