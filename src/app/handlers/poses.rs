//! The pose library: the user's own poses, which are stored beside the preferences, and pictures of
//! poses on this model.

use std::{
    hash::{DefaultHasher, Hash as _, Hasher as _},
    path::PathBuf,
};

use egui::{ColorImage, Context, TextureOptions};

use super::pose_pictures::PosePictures;
use crate::{
    app::App,
    ui::{Applied, BottomPanel, Library, PosesAction, ToastKind, reached},
};
use ulna_edit::{
    Scene,
    command::{
        ApplyPose, Command, DocumentCommand, KeepPose, PoseDestination, field::Nodes, kept_poses,
        pose_text,
    },
};
use ulna_model::{Components, Document, KeptPose, NodeId};
use ulna_motion::{Pose, Stack, fit, keep_pose};

/// Size of a picture in pixels, twice that of a card in points.
const PICTURE: [u32; 2] = [244, 188];

/// Content of `poses.json`.
#[derive(serde::Serialize, serde::Deserialize)]
struct Stored {
    version: u32,
    poses: Vec<KeptPose>,
}

/// Hash of a picture's inputs: the pose, and the serial number of the uploaded model.
fn mark(pose: &KeptPose, serial: u64) -> u64 {
    let mut hasher = DefaultHasher::new();
    (pose_text(pose), serial).hash(&mut hasher);
    hasher.finish()
}

/// A stored pose transferred to this model.
fn posed(document: &Document, kept: &KeptPose) -> Pose {
    let seen = Pose::evaluate(document, &Stack::default());
    let fitted = fit(document, &seen, kept, false);
    let whole = |t: &ulna_model::Transform| Components {
        translation: Some(t.translation),
        rotation: Some(t.rotation),
        scale: Some(t.scale),
    };
    let wanted: Vec<(NodeId, Components)> =
        fitted.locals.iter().map(|(n, t)| (*n, whole(t))).collect();
    let mut pose = seen.with(document, &wanted);
    for (node, weights) in fitted.morphs {
        pose.morphs[node.index()] = weights;
    }
    pose
}

impl App {
    pub(in crate::app) fn apply_poses(&mut self, ctx: &Context, action: PosesAction) {
        match action {
            PosesAction::SetLibrary(library) => self.poses.library = library,
            PosesAction::SetReach(reach) => self.poses.reach = reach,
            PosesAction::SetFlip(flip) => self.poses.flip = flip,
            PosesAction::SetAmount(amount) => self.poses.amount = amount,
            PosesAction::ShowInAnimate(shown) => {
                self.end_gesture(ctx);
                // Keys that are not visible must not stay selected.
                self.outliner.selection.clear_keys();
                self.poses.in_animate = shown;
            }
            PosesAction::Keep(name) => {
                let Some(session) = &self.session else { return };
                let selected: Vec<NodeId> = self.outliner.selection.nodes.iter().copied().collect();
                let (document, seen) = (session.document(), self.renderer.pose());
                let nodes =
                    reached(document, seen, self.poses.reach, &selected).filter(|n| !n.is_empty());
                let pose = keep_pose(document, seen, &name, nodes.as_deref());
                self.poses.own.retain(|p| p.name != name);
                self.poses.own.push(pose);
                self.store_own(ctx);
            }
            PosesAction::RenameOwn(pose, name) => {
                if self.poses.own.iter().any(|p| p.name == name) {
                    self.toast(
                        ctx,
                        ToastKind::Error,
                        format!("My poses already has a pose named “{name}”."),
                    );
                } else if let Some(found) = self.poses.own.iter_mut().find(|p| p.name == pose) {
                    found.name = name;
                    self.store_own(ctx);
                }
            }
            PosesAction::ForgetOwn(pose) => {
                self.poses.own.retain(|p| p.name != pose);
                self.store_own(ctx);
                self.toast(ctx, ToastKind::Ok, format!("Removed “{pose}” from My poses"));
            }
            PosesAction::Share(Library::Own, name) => {
                let Some(pose) = self.poses.own.iter().find(|p| p.name == name) else { return };
                let keep = KeepPose {
                    name: name.clone(),
                    node: None,
                    text: Some(pose_text(pose)),
                    over: PoseDestination::FILE,
                };
                self.run(ctx, keep);
                self.toast(ctx, ToastKind::Ok, format!("Copied “{name}” to this file"));
            }
            PosesAction::Share(Library::File, name) => {
                let Some(session) = &self.session else { return };
                let Some(pose) =
                    kept_poses(session.document()).iter().find(|p| p.name == name).cloned()
                else {
                    return;
                };
                self.poses.own.retain(|p| p.name != name);
                self.poses.own.push(pose);
                self.store_own(ctx);
                self.toast(ctx, ToastKind::Ok, format!("Copied “{name}” to My poses"));
            }
        }
    }

    /// Applies a pose to the target nodes, at the current destination of edits.
    pub(in crate::app) fn apply_pose(&mut self, ctx: &Context, given: &Applied) {
        let Some(session) = &self.session else { return };
        let document = session.document();
        let selected: Vec<NodeId> = self.outliner.selection.nodes.iter().copied().collect();
        let node = reached(document, self.renderer.pose(), given.reach, &selected).map(Nodes::Ids);
        let make = |over: PoseDestination| ApplyPose {
            pose: given.pose.clone(),
            text: given.text.clone(),
            node: node.clone(),
            amount: given.amount,
            flip: given.flip.then_some(true),
            over,
        };
        let around = self.around(session);
        let wanted =
            DocumentCommand::Kept(make(around.over()).into()).wanted(&Scene::new(document));
        let nodes = match wanted {
            Ok(wanted) => wanted.into_iter().map(|(n, _)| n).collect(),
            Err(error) => {
                self.toast(
                    ctx,
                    ToastKind::Error,
                    format!("The pose could not be pasted: {error}."),
                );
                return;
            }
        };
        let commands = around.posed(nodes, |over| Command::from(make(over)));
        let Some(session) = &mut self.session else { return };
        let done = session.run_all("Paste pose", &commands).map(|_| ());
        self.say_done(ctx, done, "Paste pose");
    }

    fn own_poses(&self) -> Option<PathBuf> {
        self.program
            .keeps
            .then(|| eframe::storage_dir("ulna"))
            .flatten()
            .map(|d| d.join("poses.json"))
    }

    /// Loads the user's own poses. An unreadable file is kept under another name.
    pub(in crate::app) fn load_own(&mut self) {
        let Some(path) = self.own_poses().filter(|p| p.is_file()) else { return };
        let read = std::fs::read_to_string(&path).map_err(|e| e.to_string());
        match read.and_then(|text| serde_json::from_str::<Stored>(&text).map_err(|e| e.to_string()))
        {
            Ok(stored) => {
                self.poses.own = stored.poses.into_iter().filter(KeptPose::is_valid).collect()
            }
            Err(error) => {
                log::warn!("{} cannot be read: {error}", path.display());
                // The unreadable file must not be overwritten.
                if let Err(error) = std::fs::rename(&path, path.with_extension("unread.json")) {
                    log::warn!("{} could not be renamed: {error}", path.display());
                }
            }
        }
    }

    /// Stores the user's own poses in a temporary file, which then replaces the old file.
    fn store_own(&mut self, ctx: &Context) {
        let Some(path) = self.own_poses() else { return };
        let stored = Stored { version: 1, poses: self.poses.own.clone() };
        let write = || -> std::io::Result<()> {
            if let Some(folder) = path.parent() {
                std::fs::create_dir_all(folder)?;
            }
            let beside = path.with_extension("json~");
            std::fs::write(&beside, serde_json::to_string(&stored)?)?;
            std::fs::rename(&beside, &path)
        };
        if let Err(error) = write() {
            let text = format!(
                "My poses could not be written to {}: {error}. Save the poses in this file \
                    instead.",
                path.display()
            );
            self.toast(ctx, ToastKind::Error, text);
        }
    }

    /// Renders the next missing picture. Only one picture is rendered at a time.
    pub(in crate::app) fn picture_poses(&mut self, ctx: &Context) {
        let Some(session) = &self.session else { return };
        let pictures = &mut self.pose_pictures;
        let serial = self.renderer.scene_serial();
        if pictures.serial != serial {
            // Pictures of another model must not be shown, even briefly.
            *pictures = PosePictures { serial, ..PosePictures::default() };
        }
        if let Some((key, mark, capture)) = &pictures.awaited {
            let taken = match self.renderer.poll_picture(capture) {
                Ok(None) => {
                    ctx.request_repaint_after(std::time::Duration::from_millis(30));
                    return;
                }
                Ok(Some(picture)) => {
                    let size = [picture.width() as usize, picture.height() as usize];
                    let image = ColorImage::from_rgba_unmultiplied(size, picture.as_raw());
                    Some(ctx.load_texture(format!("pose {}", key.1), image, TextureOptions::LINEAR))
                }
                Err(error) => {
                    log::warn!("a pose has no picture: {error}");
                    None
                }
            };
            if let Some(texture) = &taken {
                pictures.shown.insert(key.clone(), texture.id());
            }
            pictures.taken.insert(key.clone(), (*mark, taken));
            pictures.awaited = None;
            ctx.request_repaint();
            return;
        }
        let bottom = self.mode.spec().bottom(self.poses.in_animate);
        let strip =
            bottom == BottomPanel::Poses && self.viewport.options.timeline && !self.program.welcome;
        if !strip || session.history().is_open() || !self.renderer.shows_picture() {
            return;
        }
        let document = session.document();
        let poses: &[KeptPose] = match self.poses.library {
            Library::File => kept_poses(document),
            Library::Own => &self.poses.own,
        };
        let library = self.poses.library;
        let missing = poses.iter().find_map(|pose| {
            let (key, mark) = ((library, pose.name.clone()), mark(pose, serial));
            (pictures.taken.get(&key).map(|t| t.0) != Some(mark)).then_some((pose, key, mark))
        });
        let Some((pose, key, mark)) = missing else { return };
        match self.renderer.begin_pose_picture(document, &posed(document, pose), None, PICTURE) {
            Some(capture) => pictures.awaited = Some((key, mark, capture)),
            None => {
                pictures.taken.insert(key, (mark, None));
            }
        }
        ctx.request_repaint();
    }
}
