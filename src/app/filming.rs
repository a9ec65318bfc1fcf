//! Renders pictures of a clip in the background on the window's device, with the camera of the
//! viewport.

use egui::Context;

use super::{App, jobs::JobResult};
use crate::ui::{Dialog, PicturesDraft, ToastKind};
use ulna_model::ClipId;
use ulna_motion::{Averaging, Evaluator, Pose, Skeleton, Stack, bones};
use ulna_render::{BoneLook, FilmError, Picture, Show, ViewportColors, film, film_times};

impl App {
    /// Opens the dialog for rendering pictures of the shown clip.
    pub(super) fn ask_pictures(&mut self, ctx: &Context) {
        let (Some(session), Some(clip)) = (&self.session, self.shown_clip()) else {
            self.say(
                ctx,
                ToastKind::Note,
                "No clip is shown. Choose a clip first.".into(),
                Vec::new(),
            );
            return;
        };
        let draft =
            self.files.pictures.clone().beside(session, &session.document().clip_label(clip));
        let draft = PicturesDraft { fps: self.timeline.playback.fps, ..draft };
        self.dialogs.open = Some(Dialog::Pictures { draft: Box::new(draft) });
    }

    /// Starts to render pictures of the shown clip.
    pub(super) fn take_pictures(&mut self, ctx: &Context, draft: PicturesDraft) {
        self.end_gesture(ctx);
        self.files.pictures = draft.clone();
        let (Some(session), Some(clip)) = (&self.session, self.shown_clip()) else { return };
        let Some(gpu) = self.renderer.gpu() else {
            let text = "Images need a graphics device. Install a Vulkan driver.";
            self.say(ctx, ToastKind::Error, text.into(), Vec::new());
            return;
        };
        let shown = self.viewport.options;
        let look = self.renderer.colors();
        let set = Set {
            clip,
            camera: self.viewport.camera,
            look,
            show: Show {
                shading: shown.shading,
                grid: draft.grid,
                lights: shown.lights,
                transparent: draft.transparent,
                size: self.renderer.extent(),
                scale: 1.0,
                ..Show::default()
            },
            hidden: self.outliner.visibility.clone(),
            between: self.timeline.playback.between,
        };
        let document = session.document().clone();
        self.start_writing(ctx, "Rendering images".into(), move |progress| {
            let (cancel, permille) = progress.parts();
            let mut reach = |done: f32| {
                permille.store((done * 1000.0) as u32, std::sync::atomic::Ordering::Relaxed);
                !cancel.load(std::sync::atomic::Ordering::Relaxed)
            };
            JobResult::Filmed(set.film(gpu, &document, &draft, &mut reach))
        });
    }

    /// Shows a message about the rendered pictures.
    pub(super) fn took_pictures(
        &mut self,
        ctx: &Context,
        result: Result<Vec<std::path::PathBuf>, FilmError>,
    ) {
        match result {
            Ok(files) => {
                let first = files.first().map(|f| f.display().to_string()).unwrap_or_default();
                let text = match files.len() {
                    0 | 1 => format!("Exported {first}."),
                    n => format!("Exported {n} images, starting with {first}."),
                };
                self.say(ctx, ToastKind::Ok, text, Vec::new());
            }
            Err(FilmError::Canceled) => {}
            Err(error) => self.say(
                ctx,
                ToastKind::Error,
                format!("No images were rendered: {error}."),
                Vec::new(),
            ),
        }
    }
}

/// Clip, camera and settings of the images to render.
struct Set {
    clip: ClipId,
    camera: ulna_render::Camera,
    look: ViewportColors,
    show: Show,
    hidden: ulna_edit::NodeVisibility,
    /// The interpolation of LINEAR rotations.
    between: Averaging,
}

impl Set {
    fn film(
        self,
        gpu: ulna_render::Gpu,
        document: &ulna_model::Document,
        draft: &PicturesDraft,
        reach: &mut dyn FnMut(f32) -> bool,
    ) -> Result<Vec<std::path::PathBuf>, FilmError> {
        let Self { clip, camera, look, mut show, hidden, between } = self;
        let id = clip;
        let clip = &document.clips[id];
        let again = clip.repeat.unwrap_or_default() == ulna_model::Repeat::Loop;
        let times = film_times(f64::from(clip.length()), draft.fps, again);
        let mut picture = Picture::on(gpu, document, draft.size);
        picture.hide(&hidden.hidden, &hidden.shown);
        let skeleton = Skeleton::of(document);
        let (mut evaluator, mut pose) = (Evaluator::default(), Pose::default());
        let mut take = |k: usize| {
            evaluator.update(
                document,
                &Stack::shown(document, Some(id), times[k]).going(between),
                &mut pose,
            );
            if draft.joints {
                let looks = bones(document, &pose, &skeleton).into_iter();
                show.bones = looks
                    .map(|bone| BoneLook { bone, color: look.joint, edge: look.joint_edge })
                    .collect();
            }
            let turned = if draft.turns {
                std::f32::consts::TAU * k as f32 / times.len() as f32
            } else {
                0.0
            };
            let camera = ulna_render::Camera { yaw: camera.yaw + turned, ..camera };
            Ok(picture.take(document, &pose, &camera, &look, &show)?)
        };
        film(draft.kind, &draft.path(), times.len(), 1.0 / draft.fps, &mut take, reach)
    }
}
