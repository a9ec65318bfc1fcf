//! Poses in the clipboard: as command lines, which are text that any program keeps and any file takes.

use egui::{Context, Event};

use super::{App, key_routing::Topmost};
use crate::{
    edit::{
        Command, CommandLine,
        command::{
            DocumentCommand, PasteKeys, PoseCommand, SessionCommand, SetUser, WhichKeys,
            field::{ClipName, Nodes, Seconds},
        },
    },
    model::{Components, NodeId, Property, Transform, transform::angle_between},
    motion::clip_edit::{CopiedKeys, NotKeys},
    ui::{Pane, ToastKind, edits},
};

/// A pose that differs by less than this (radians, factors, parts of a length) is pasted where it is already.
const SAME: f32 = 2e-6;

impl App {
    /// Puts the poses of the selected nodes into the clipboard.
    pub(super) fn copy_pose(&mut self, ctx: &Context) {
        let Some(session) = &self.session else { return };
        let document = session.document();
        let lines = self.outliner.selection.nodes.iter().filter_map(|node| {
            let found = document.node(*node);
            // In Pose mode the very numbers: pasted where it is already, nothing changes.
            let user = if self.shown_clip().is_none() {
                found.user().unwrap_or_default()
            } else {
                found.rest.transform().user_from(&self.renderer.pose().local[node.index()].transform()).ok()?
            };
            Some(Command::from(pose_of(*node, &user)).line(document).to_string())
        });
        let lines: Vec<String> = lines.collect();
        let text = match lines.len() {
            1 => "Copied the pose of 1 node".to_owned(),
            n => format!("Copied the poses of {n} nodes"),
        };
        ctx.copy_text(lines.join("\n"));
        self.toast(ctx, ToastKind::Ok, text);
    }

    /// Poses nodes by what the clipboard holds: those that are named there, or the selected one where one pose was copied.
    pub(super) fn paste_pose(&mut self, ctx: &Context, text: &str) {
        let Some(session) = &self.session else { return };
        let document = session.document();
        let read = |line: &str| match Command::read(&CommandLine::parse(line).ok()?) {
            Ok(Command::Document(DocumentCommand::Pose(PoseCommand::SetUser(pose)))) => Some(pose),
            _ => None,
        };
        let poses: Vec<SetUser> = text.lines().filter_map(read).collect();
        if poses.is_empty() {
            self.toast(ctx, ToastKind::Error, "The clipboard holds no pose. Copy one of selected nodes first.");
            return;
        }
        let alone = (poses.len() == 1).then_some(self.outliner.selection.active).flatten();
        let mut wanted: Vec<(NodeId, Transform)> = Vec::new();
        let mut unknown = 0;
        for pose in &poses {
            match alone.or_else(|| pose.node.all(document).ok()?.first().copied()) {
                Some(node) if !self.outliner.visibility.locked.contains(&node) => {
                    wanted.push((node, pose.to.components().over(&Transform::IDENTITY)));
                }
                _ => unknown += 1,
            }
        }
        let clip = (self.mode == crate::edit::Mode::Animate).then_some(self.timeline.playback.clip).flatten();
        let commands: Vec<Command> = wanted
            .iter()
            .flat_map(|(node, user)| match clip {
                None => vec![pose_of(*node, user).into()],
                Some(clip) => {
                    let local = document.node(*node).rest.transform().compose(user);
                    let time = self.timeline.playback.time as f32;
                    let now = self.renderer.pose().local[node.index()].transform();
                    let near = SAME * local.translation.abs().max_element().max(1.0);
                    let differs = |p: &Property| match p {
                        Property::Translation => now.translation.distance(local.translation) > near,
                        Property::Rotation => angle_between(now.rotation, local.rotation) > SAME,
                        Property::Scale | Property::Weights => (now.scale - local.scale).abs().max_element() > SAME,
                    };
                    let key = self.timeline.auto_key.then_some(self.program.settings.new_keys);
                    let part = |p| edits::over_clip(clip, time, key, *node, &local, p);
                    Property::TRS.into_iter().filter(differs).map(part).collect()
                }
            })
            .collect();
        let Some(session) = &mut self.session else { return };
        match session.run_all("Paste pose", &commands) {
            Ok(_) if unknown > 0 => {
                let text = format!("Pasted {} poses; {unknown} name no node here", wanted.len());
                self.toast(ctx, ToastKind::Ok, text);
            }
            Ok(_) => {}
            Err(error) => self.toast(ctx, ToastKind::Error, format!("The pose was not pasted: {error}.")),
        }
    }

    /// Puts keys into the clipboard, as text.
    fn copy_keys(&mut self, ctx: &Context, clip: ClipName, which: WhichKeys) {
        let count = self.outliner.selection.keys.len();
        self.run(ctx, SessionCommand::CopyKeys { clip, which });
        let text = match count {
            1 => "Copied 1 key".to_owned(),
            n => format!("Copied {n} keys"),
        };
        self.toast(ctx, ToastKind::Ok, text);
    }

    /// Puts keys that the clipboard holds into the clip that is shown, at the playhead.
    fn paste_keys(&mut self, ctx: &Context, text: String) {
        let Some(clip) = self.shown_clip() else {
            self.toast(ctx, ToastKind::Note, "The clipboard holds keys. Show a clip in Animate mode to put them in.");
            return;
        };
        let time = Some(Seconds(self.timeline.playback.time as f32));
        let paste = PasteKeys {
            clip: ClipName::Id(clip),
            text: Some(text),
            time,
            node: None,
            replace: None,
            relative: None,
            flip: None,
        };
        self.run(ctx, paste);
    }

    /// Copies the selected keys, where the timeline has the keyboard and some are; whether it did.
    pub(super) fn copy_selected_keys(&mut self, ctx: &Context) -> bool {
        let on_timeline = self.entered() == Some(Pane::Timeline) && self.shown_clip().is_some();
        let keys = WhichKeys::selected(&self.outliner.selection).filter(|_| on_timeline);
        let Some((clip, which)) = keys else { return false };
        self.copy_keys(ctx, ClipName::Id(clip), which);
        true
    }

    /// Copying and pasting come as events of their own, not as keys.
    pub(super) fn clipboard_events(&mut self, ctx: &Context) {
        if self.topmost(ctx) != Topmost::Panels || self.session.is_none() || self.program.welcome {
            return;
        }
        let (copy, paste) = ctx.input(|i| {
            let copy = i.events.iter().any(|e| matches!(e, Event::Copy));
            let paste =
                i.events.iter().find_map(|e| if let Event::Paste(text) = e { Some(text.clone()) } else { None });
            (copy, paste)
        });
        if copy && !self.copy_selected_keys(ctx) && !self.outliner.selection.nodes.is_empty() {
            self.copy_pose(ctx);
        }
        if let Some(text) = paste {
            if CopiedKeys::parse(&text) == Err(NotKeys::Other) {
                self.paste_pose(ctx, &text);
            } else {
                self.paste_keys(ctx, text);
            }
        }
    }
}

fn pose_of(node: NodeId, user: &Transform) -> SetUser {
    let to = Components { translation: Some(user.translation), rotation: Some(user.rotation), scale: Some(user.scale) };
    SetUser { node: Nodes::one(node), to: to.into() }
}
