//! Renders documents into separate pictures, such as the preview of a file before it is opened.

use egui::TextureId;
use egui_wgpu::RenderState;

use super::{Posed, Uploaded, ViewportRenderer};
use crate::app::LONG;
use ulna_model::Document;
use ulna_motion::{Pose, bones};
use ulna_render::{BoneLook, Camera, Gpu, RenderTarget, Renderer, Scene, Shading, Show};

/// A render target for a separate picture, and its egui texture.
#[derive(Default)]
pub(in crate::app) struct PictureApart {
    target: Option<RenderTarget>,
    texture: Option<TextureId>,
}

/// Camera and display of a separate picture.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::app) struct ApartLook {
    pub camera: Camera,
    /// Size of the picture, in pixels.
    pub size: [u32; 2],
    /// Number of pixels per point.
    pub scale: f32,
    /// True if surfaces are drawn with their materials.
    pub textured: bool,
    /// True if joints are drawn.
    pub joints: bool,
    /// Size of the model, in meters.
    pub extent: f32,
}

impl PictureApart {
    pub(in crate::app) const fn texture(&self) -> Option<TextureId> {
        self.texture
    }
}

impl ViewportRenderer {
    /// True if a document is too large for continuous redrawing on this device.
    pub(in crate::app) fn is_slow_for(&self, document: &Document) -> bool {
        let vertices = document.meshes.values().map(|m| m.vertex_count()).sum::<usize>();
        vertices > LONG && self.gpu.as_ref().is_some_and(|(gpu, _)| gpu.software)
    }

    /// Draws a document other than the open one, in a pose. Returns whether a device could draw it.
    pub(in crate::app) fn draw_apart(
        &mut self,
        state: &RenderState,
        picture: &mut PictureApart,
        (document, posed, uploaded): (&Document, &Posed, &mut Uploaded),
        pose: &Pose,
        look: &ApartLook,
    ) -> bool {
        let colors = self.look;
        let bones = if look.joints { bones(document, pose, &posed.skeleton) } else { Vec::new() };
        let bone = |bone| BoneLook { bone, color: colors.joint, edge: colors.joint_edge };
        let bones = bones.into_iter().map(bone).collect();
        self.draw_other(state, picture, (document, Some(uploaded)), pose, (look, bones))
    }

    /// Draws a document other than the open one, in a pose and with these bones. Returns whether a
    /// device could draw it.
    pub(in crate::app) fn draw_other(
        &mut self,
        state: &RenderState,
        picture: &mut PictureApart,
        (document, uploaded): (&Document, Option<&mut Uploaded>),
        pose: &Pose,
        (look, bones): (&ApartLook, Vec<BoneLook>),
    ) -> bool {
        let colors = self.look;
        let of = uploaded.and_then(|uploaded| on_device(&mut self.gpu, uploaded));
        let Some((gpu, renderer, scene)) = of else { return false };
        scene.update(gpu, document, pose);
        let target = fitting(state, gpu, picture, look.size);
        renderer.draw(gpu, target, scene, &look.camera, &colors, &show(look, bones));
        true
    }

    /// Draws the open document in another pose, with these bones. Returns whether a device could
    /// draw it.
    pub(in crate::app) fn draw_open(
        &mut self,
        state: &RenderState,
        picture: &mut PictureApart,
        document: &Document,
        pose: &Pose,
        (look, bones): (&ApartLook, Vec<BoneLook>),
    ) -> bool {
        let (Some((gpu, renderer)), Some(scene)) = (&mut self.gpu, &mut self.scene) else {
            return false;
        };
        if gpu.is_lost() {
            return false;
        }
        scene.update(gpu, document, pose);
        let target = fitting(state, gpu, picture, look.size);
        renderer.draw(gpu, target, scene, &look.camera, &self.look, &show(look, bones));
        // Restores the pose that the viewport displays.
        scene.update(gpu, document, &self.model.pose);
        true
    }

    /// Color of the edges of bones.
    pub(in crate::app) const fn joint_edge(&self) -> [f32; 4] {
        self.look.joint_edge
    }

    /// Restores the uploaded pose of a document that was previewed in other poses, before it is
    /// opened.
    pub(in crate::app) fn restore_pose(
        &mut self,
        document: &Document,
        pose: &Pose,
        of: &mut Uploaded,
    ) {
        if let Some((gpu, _, scene)) = on_device(&mut self.gpu, of) {
            scene.update(gpu, document, pose);
        }
    }
}

/// Renderer options of a picture with these bones.
fn show(look: &ApartLook, bones: Vec<BoneLook>) -> Show {
    Show {
        shading: if look.textured { Shading::Textured } else { Shading::Solid },
        grid: true,
        bones,
        size: look.extent,
        scale: look.scale,
        ..Show::default()
    }
}

/// The device and the scene, if the document was uploaded to the current device.
pub(super) fn on_device<'a>(
    gpu: &'a mut Option<(Gpu, Renderer)>,
    uploaded: &'a mut Uploaded,
) -> Option<(&'a Gpu, &'a mut Renderer, &'a mut Scene)> {
    let (gpu, renderer) = gpu.as_mut().filter(|(gpu, _)| !gpu.is_lost())?;
    let is_own = uploaded.device.as_ref() == Some(&gpu.device);
    Some((gpu, renderer, uploaded.scene.as_mut().filter(|_| is_own)?))
}

/// The render target of a picture in the given size. The picture's texture is updated.
fn fitting<'a>(
    state: &RenderState,
    gpu: &Gpu,
    picture: &'a mut PictureApart,
    size: [u32; 2],
) -> &'a RenderTarget {
    let PictureApart { target, texture } = picture;
    if target.as_ref().is_some_and(|t| t.size != size) {
        *target = None;
    }
    target.get_or_insert_with(|| {
        let made = RenderTarget::new(gpu, size);
        let mut egui = state.renderer.write();
        let (device, view, filter) = (&state.device, &made.plain_view, wgpu::FilterMode::Linear);
        match texture {
            Some(id) => egui.update_egui_texture_from_wgpu_texture(device, view, filter, *id),
            None => *texture = Some(egui.register_native_texture(device, view, filter)),
        }
        made
    })
}
