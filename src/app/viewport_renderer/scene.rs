//! The document's scene on the device: loading, rebuilding, and updating weights and tints.

use std::sync::Arc;

use glam::Vec3;

use super::{
    ViewportRenderer,
    loader::{Loader, Posed, Uploaded},
    state::{Awaited, SceneUpload},
};
use crate::app::ranges::ranges;
use ulna_edit::Change;
use ulna_model::{Document, NodeId, PrimitiveId};

impl ViewportRenderer {
    /// Loads another document, and returns the bounds of its pose for the camera. There is no
    /// picture until the upload is complete.
    pub(in crate::app) fn load(&mut self, posed: Posed) -> Option<(Vec3, Vec3)> {
        let bounds = self.take_posed(posed);
        (self.scene, self.images, self.upload) = (None, None, SceneUpload::Idle);
        self.faults.clear();
        bounds
    }

    pub(super) fn take_posed(&mut self, posed: Posed) -> Option<(Vec3, Vec3)> {
        let bounds = posed.bounds();
        self.model.take(posed);
        self.scene_serial += 1;
        bounds
    }

    /// Stores an uploaded document.
    pub(in crate::app) fn take_upload(&mut self, document: &Document, uploaded: Uploaded) {
        let Uploaded { scene, device, images } = uploaded;
        let own = device.as_ref() == self.gpu.as_ref().map(|(gpu, _)| &gpu.device);
        self.scene = scene.filter(|_| own);
        let bare = |m: &ulna_model::Mesh| m.primitives.iter().any(|p| p.weights.is_none());
        let skinned = |n: &&ulna_model::Node| n.skin.is_some();
        let may_be_bound = document
            .nodes
            .values()
            .filter(skinned)
            .filter_map(|n| n.mesh)
            .any(|m| bare(document.mesh(m)));
        let again = document.scenes.len() > 1 || !document.variants.is_empty() || may_be_bound;
        self.images = Some(if again { images } else { Arc::default() });
        (self.upload, self.picture.drawn, self.model.source) = (SceneUpload::Idle, None, None);
        self.ghosts.wanted = None;
        self.serial += 1;
    }

    /// Requests a new scene of the document, for example after a change of the shown scene or
    /// materials. `whole` is true if the surface also changes.
    ///
    /// Returns the serial number of the request for [`ViewportRenderer::take_scene`], and the
    /// loader that builds the scene.
    pub(in crate::app) fn remake(&mut self, whole: bool) -> (u64, Loader) {
        self.asked += 1;
        let posed = self.model.source.filter(|_| !whole);
        self.upload = SceneUpload::Awaited(Awaited {
            serial: self.asked,
            reweighed: Vec::new(),
            whole,
            posed,
        });
        (self.asked, self.loader())
    }

    /// Records that building the requested scene failed.
    pub(in crate::app) fn give_up_scene(&mut self) {
        if self.upload.awaited().is_some() {
            self.upload = SceneUpload::GivenUp;
        }
    }

    /// Stores a requested scene, unless a newer one was requested. Returns whether it was stored.
    pub(in crate::app) fn take_scene(
        &mut self,
        serial: u64,
        document: &Document,
        posed: Option<Posed>,
        uploaded: Uploaded,
    ) -> bool {
        let awaited = match std::mem::take(&mut self.upload) {
            SceneUpload::Awaited(awaited) if awaited.serial == serial => awaited,
            other => {
                self.upload = other;
                return false;
            }
        };
        let as_it_is = self.model.source.filter(|now| awaited.posed == Some(*now));
        if let Some(posed) = posed {
            self.take_posed(posed);
        }
        self.take_upload(document, uploaded);
        self.model.source = as_it_is;
        self.update_weights(document, &awaited.reweighed);
        true
    }

    /// True if the document has no scene on this device and none is being built. This is the case
    /// after opening a file, or after a lost device.
    pub(in crate::app) fn lacks_scene(&self) -> bool {
        let lacks = self.images.is_none() || (self.gpu.is_some() && self.scene.is_none());
        lacks && matches!(self.upload, SceneUpload::Idle)
    }

    pub(super) fn awaits_surface(&self) -> bool {
        self.upload.awaited().is_some_and(|a| a.whole)
    }

    /// Sets the tints of consecutive vertices of a primitive, and uploads only these.
    pub(in crate::app) fn tint(
        &mut self,
        node: NodeId,
        primitive: PrimitiveId,
        first: usize,
        values: &[u32],
    ) {
        if let (Some((gpu, _)), Some(scene)) = (&self.gpu, &mut self.scene) {
            scene.tint(gpu, node, primitive, first, values);
            self.serial += 1;
        }
    }

    /// Removes all tints.
    pub(in crate::app) fn clear_tints(&mut self) {
        if self.scene.as_mut().is_some_and(|scene| scene.clear_tints()) {
            self.serial += 1;
        }
    }

    /// Uploads the weights that changed.
    pub(super) fn update_weights(&mut self, document: &Document, changes: &[Change]) {
        let (Some((gpu, _)), Some(scene)) = (&self.gpu, &mut self.scene) else { return };
        for change in changes {
            let Change::Weights { mesh, primitive, vertices } = change else { continue };
            let ranges = match vertices {
                Some(list) => ranges(list),
                None => {
                    let count = document.mesh(*mesh).primitives[primitive.index()].positions.len();
                    std::iter::once(0..count).collect()
                }
            };
            for node in
                document.shown_nodes().into_iter().filter(|n| document.node(*n).mesh == Some(*mesh))
            {
                scene.update_weights(gpu, document, node, *primitive, &ranges);
            }
        }
    }

    /// Shows another document with the same meshes in place of the current one. Skins may differ,
    /// and the weights of some primitives.
    pub(in crate::app) fn show_in_place(&mut self, document: &Document, changes: &[Change]) {
        self.model.take_tree(document);
        self.update_weights(document, changes);
        self.serial += 1;
    }

    /// Shows the weights of another document in some primitives.
    pub(in crate::app) fn show_weights(&mut self, document: &Document, changes: &[Change]) {
        self.update_weights(document, changes);
        if let (Some((gpu, _)), Some(scene)) = (&self.gpu, &mut self.scene) {
            scene.update_reweighed(gpu, document, &self.model.pose);
        }
        self.serial += 1;
    }
}
