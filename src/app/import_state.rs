//! State of the import dialog: clips of other files, how their joints match this model, and their
//! pictures.

use std::{
    path::PathBuf,
    sync::{Arc, mpsc},
};

use egui::{ColorImage, Context, TextureHandle, TextureOptions};
use glam::Vec3;

use super::viewport_renderer::ViewportRenderer;
use crate::ui::{ImportDraft, ImportFile, ImportMoment, ImportRow, ImportView};
use ulna_formats::gltf::Progress;
use ulna_model::{Clip, Document, NodeId, Shared, Tree};
use ulna_motion::{Evaluator, Pose, Stack};
use ulna_render::Capture;
use ulna_session::{Arrival, ClipSource, Conversion, ImportOptions, arrivals, fitting_map};

/// Size of a picture in pixels, twice the size of the large picture in points.
pub(super) const PICTURE: [u32; 2] = [592, 360];

/// Clips of other files in the import dialog.
pub(super) struct Importing {
    /// Node tree of the document that the clips were matched to. A changed tree means that another
    /// file was opened.
    pub(super) tree: Shared<Tree>,
    /// Files that were read, in the order of the requests.
    pub(super) sources: Vec<ClipSource>,
    pub(super) reading: Reading,
    /// A file for which the user changed the import settings, and these settings.
    pub(super) chosen: Option<(PathBuf, Conversion)>,
    /// One imported clip per row of the dialog.
    pub(super) arrivals: Vec<Arrival>,
    /// State for the panels.
    pub view: ImportView,
    pub(super) pictures: Vec<TextureHandle>,
    /// For each file, the joints that were matched by something other than equal names, before
    /// corrections by the user.
    pub(super) guessed: Vec<Vec<(String, NodeId)>>,
    /// The picture that is being rendered.
    pub(super) awaited: Option<(Awaited, Capture)>,
    pub(super) playing: Playing,
}

/// Files that are being read in the background. Closing the dialog cancels this.
pub(super) struct Reading {
    pub(super) come: mpsc::Receiver<ClipSource>,
    pub(super) stop: Arc<Progress>,
}

impl Drop for Reading {
    fn drop(&mut self) {
        self.stop.cancel();
    }
}

/// Content of a picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Awaited {
    /// The pose in the middle of a row's clip.
    Row(usize),
    /// The current pose of the clip that plays in a row.
    Now(usize),
}

/// The clip that plays in the dialog.
#[derive(Default)]
pub(super) struct Playing {
    pub(super) row: Option<usize>,
    /// Time at which the clip started in seconds, on the window's clock.
    pub(super) begun: f64,
    /// The clip, retargeted to this model.
    pub(super) clip: Shared<Clip>,
    /// Time at which playback was paused, in seconds.
    pub(super) stands_at: f32,
    /// Evaluators of this model and of the source file.
    pub(super) evaluators: [Evaluator; 2],
    pub(super) poses: [Pose; 2],
    /// For both models, the largest distance of a joint from the center of all joints over the
    /// clip, in meters.
    pub(super) reaches: [f32; 2],
    pub(super) texture: Option<TextureHandle>,
    pub(super) is_drawn: bool,
}

/// Center of all joints.
fn middle(document: &Document, pose: &Pose) -> Vec3 {
    let is_joint = document.joint_flags();
    let places = document
        .node_ids()
        .filter(|n| is_joint[n.index()])
        .map(|n| pose.world[n.index()].w_axis.truncate());
    let (sum, count) =
        places.filter(|p| p.is_finite()).fold((Vec3::ZERO, 0.0), |(s, c), p| (s + p, c + 1.0));
    if count > 0.0 { sum / count } else { Vec3::ZERO }
}

/// Largest distance of a joint from the center of all joints at a few times of a clip, in meters.
fn reach(document: &Document, clip: &Shared<Clip>) -> f32 {
    const MOMENTS: u32 = 8;
    let moments =
        (0..=MOMENTS).map(|k| f64::from(clip.length()) * f64::from(k) / f64::from(MOMENTS));
    let is_joint = document.joint_flags();
    moments.fold(1e-3, |most: f32, time| {
        let pose = Pose::evaluate(document, &Stack::of(Some(clip), time));
        let at = middle(document, &pose);
        let joints = document.node_ids().filter(|n| is_joint[n.index()]);
        let far = joints
            .map(|n| pose.world[n.index()].w_axis.truncate().distance(at))
            .filter(|d| d.is_finite());
        far.fold(most, f32::max)
    })
}

/// Line segments of a skeleton's bones, seen slightly from its left and relative to its center. The
/// unit is twice `reach`.
fn bones(document: &Document, pose: &Pose, reach: f32) -> Vec<[[f32; 2]; 2]> {
    /// Angle of the camera to the side, in radians.
    const ASIDE: f32 = 0.5;
    let middle = middle(document, pose);
    let is_joint = document.joint_flags();
    let place = |n: NodeId| {
        let at = pose.world[n.index()].w_axis.truncate() - middle;
        [at.x * ASIDE.cos() - at.z * ASIDE.sin(), at.y]
    };
    let bone = |n: &NodeId| {
        let parent = document.node(*n).parent.filter(|p| is_joint[p.index()])?;
        Some([place(parent), place(*n)]).filter(|b| b.iter().flatten().all(|v| v.is_finite()))
    };
    let size = 2.0 * reach;
    let joints = document.nodes.order().iter().filter(|n| is_joint[n.index()]);
    joints.filter_map(bone).map(|ends| ends.map(|at| at.map(|v| v / size))).collect()
}

impl Importing {
    /// Adds the match of a file to the dialog.
    pub(super) fn fit(&mut self, document: &Document, file: usize, draft: &ImportDraft) {
        let source = &self.sources[file];
        let (name, path) = (source.name(), source.path.clone());
        let theirs = match &source.document {
            Ok(theirs) => Arc::clone(theirs),
            Err(error) => {
                let fault = Some(format!("{error}."));
                self.view.files.push(ImportFile { name, fault, ..ImportFile::default() });
                if self.guessed.len() == file {
                    self.guessed.push(Vec::new());
                }
                return;
            }
        };
        let options = ImportOptions {
            how: draft.how.into(),
            chosen: draft.by_hand.clone(),
            without_map: draft.without_map,
            keep_feet: draft.keep_feet,
        };
        let kept_map = fitting_map(document, &theirs).map(|map| map.name.clone());
        let (fit, made) = arrivals(document, &theirs, &path, &options);
        let fault = made.is_empty().then(|| "The file has no clips.".to_owned());
        if self.guessed.len() == file {
            self.guessed.push(fit.guessed.clone());
        }
        let guessed = self.guessed[file].clone();
        let mut asked = fit.unmatched.clone();
        asked.extend(
            theirs
                .node_ids()
                .map(|n| theirs.node(n).label(n))
                .filter(|l| draft.by_hand.contains_key(l)),
        );
        asked.retain(|name| guessed.iter().all(|(guess, _)| guess != name));
        asked.sort();
        asked.dedup();
        for arrival in made {
            let clip = &arrival.carried.clip;
            let nothing = clip.tracks.is_empty();
            self.view.rows.push(ImportRow {
                file,
                length: clip.length(),
                fps: theirs.clips[arrival.id]
                    .guess_fps()
                    .filter(|(_, share)| *share > 0.8)
                    .map(|(fps, _)| fps as f32),
                keys: clip.key_count(),
                bytes: clip.tracks.values().map(|t| t.values.len() * 4).sum(),
                lost: arrival.lost.iter().chain(&arrival.lost_targets).cloned().collect(),
                resampled: arrival.carried.resampled.len(),
                slide: arrival.feet.largest(),
                is_other: fit.is_other() || nothing,
                is_empty: nothing,
                picture: None,
            });
            self.view.names.push(arrival.name.clone());
            self.arrivals.push(arrival);
        }
        self.view.files.push(ImportFile {
            name,
            fit: Some(fit),
            fault,
            path: Some(path),
            asked,
            guessed,
            kept_map,
        });
    }

    /// Sets the initial choice and name of new rows in the dialog's settings.
    pub(super) fn choose(&self, draft: &mut ImportDraft) {
        let known = draft.ticked.len().min(self.view.rows.len());
        draft.ticked.truncate(known);
        draft.names.truncate(known);
        draft.ticked.extend(self.view.rows[known..].iter().map(|r| !r.is_other));
        draft.names.extend_from_slice(&self.view.names[known..]);
    }

    /// Poses both models at the current time of the playing clip.
    pub(super) fn play(&mut self, document: &Document, now: f64, row: usize, still: bool) {
        let Some(arrival) = self.arrivals.get(row) else { return };
        let file = self.view.rows[row].file;
        let Some(theirs) = self.sources.get(file).and_then(|s| s.document.as_ref().ok()) else {
            return;
        };
        let own = &theirs.clips[arrival.id];
        let playing = &mut self.playing;
        if playing.row != Some(row) {
            let clip = Shared::new(arrival.carried.clip.clone());
            *playing = Playing {
                row: Some(row),
                begun: now,
                reaches: [reach(document, &clip), reach(theirs, own)],
                clip,
                texture: playing.texture.take(),
                ..Playing::default()
            };
        }
        let length = f64::from(own.length());
        if still {
            playing.begun = now - f64::from(playing.stands_at);
        }
        let gone = (now - playing.begun).max(0.0);
        let time = if length > 0.0 { gone % length } else { 0.0 };
        playing.stands_at = time as f32;
        let stacks = [(document, &playing.clip), (&**theirs, own)];
        for (k, (document, clip)) in stacks.into_iter().enumerate() {
            playing.evaluators[k].update(
                document,
                &Stack::of(Some(clip), time),
                &mut playing.poses[k],
            );
        }
        self.view.now = ImportMoment {
            row,
            time: time as f32,
            picture: playing.texture.as_ref().filter(|_| playing.is_drawn).map(TextureHandle::id),
            bones: bones(theirs, &playing.poses[1], playing.reaches[1]),
        };
    }

    /// Starts a picture at the current time. Returns whether rendering started.
    pub(super) fn begin_now(
        &mut self,
        renderer: &mut ViewportRenderer,
        document: &Document,
    ) -> bool {
        let Some(row) = self.playing.row else { return false };
        let pose = &self.playing.poses[0];
        // A cube of constant size keeps the picture steady while the pose changes. It is smaller
        // than the sphere of `reach`, because no joints are in the corners.
        let (at, half) = (middle(document, pose), Vec3::splat(self.playing.reaches[0] * 0.72));
        let capture =
            renderer.begin_pose_picture(document, pose, Some((at - half, at + half)), PICTURE);
        self.awaited = capture.map(|capture| (Awaited::Now(row), capture));
        self.awaited.is_some()
    }

    pub(super) fn take_picture(&mut self, ctx: &Context, of: Awaited, image: ColorImage) {
        match of {
            Awaited::Row(row) => {
                let texture =
                    ctx.load_texture(format!("import {row}"), image, TextureOptions::LINEAR);
                if let Some(row) = self.view.rows.get_mut(row) {
                    row.picture = Some(Some(texture.id()));
                }
                self.pictures.push(texture);
            }
            Awaited::Now(row) if self.playing.row == Some(row) => {
                match &mut self.playing.texture {
                    Some(texture) => texture.set(image, TextureOptions::LINEAR),
                    None => {
                        self.playing.texture =
                            Some(ctx.load_texture("import now", image, TextureOptions::LINEAR));
                    }
                }
                self.playing.is_drawn = true;
            }
            Awaited::Now(_) => {}
        }
    }
}
