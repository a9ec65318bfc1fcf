//! Poses and keys in the clipboard: as text, that any program keeps and any file takes.

use egui::{Context, Event};

use super::{App, key_routing::Topmost};
use crate::ui::{Applied, Pane, Pasting, ToastKind};
use ulna_edit::command::{
    PasteKeys, PoseReach, SessionCommand, VertexCommand, WhichKeys,
    field::{ClipName, Nodes, Seconds},
    pose_text, read_pose,
};
use ulna_model::NodeId;
use ulna_motion::{
    clip_edit::{CopiedKeys, NotKeys},
    keep_pose,
};

impl App {
    /// Puts the poses of the selected nodes into the clipboard.
    pub(super) fn copy_pose(&mut self, ctx: &Context) {
        let Some(session) = &self.session else { return };
        let nodes: Vec<NodeId> = self.outliner.selection.nodes.iter().copied().collect();
        let pose = keep_pose(session.document(), self.renderer.pose(), "copied", Some(&nodes));
        let text = match nodes.len() {
            1 => "Copied the pose of 1 node".to_owned(),
            n => format!("Copied the poses of {n} nodes"),
        };
        ctx.copy_text(pose_text(&pose));
        self.poses.copied = true;
        self.toast(ctx, ToastKind::Ok, text);
    }

    /// Requests the content of the clipboard. The system answers with an event.
    pub(super) fn ask_paste(&mut self, ctx: &Context, how: Pasting) {
        (self.poses.pasting, self.poses.asked) = (how, ctx.input(|i| i.time));
        ctx.send_viewport_cmd(egui::ViewportCommand::RequestPaste);
    }

    /// Applies poses from the clipboard to the nodes that they name. A single copied pose is
    /// applied to the selected node.
    pub(super) fn paste_pose(&mut self, ctx: &Context, text: &str) {
        /// Seconds in which the clipboard answers: later a paste is another one.
        const SOON: f64 = 2.0;
        let asked = std::mem::take(&mut self.poses.pasting);
        let soon = ctx.input(|i| i.time) - self.poses.asked < SOON;
        let Pasting { flip, selected } = if soon { asked } else { Pasting::default() };
        match read_pose(text) {
            Ok(Some(pose)) => {
                self.poses.copied = true;
                let one = pose.joints.len() == 1 && self.outliner.selection.nodes.len() == 1;
                let reach = if selected || one { PoseReach::Selected } else { PoseReach::Body };
                let given =
                    Applied { pose: None, text: Some(text.to_owned()), amount: None, flip, reach };
                self.apply_pose(ctx, &given);
            }
            Ok(None) => {
                let text =
                    "The clipboard contains no pose. Select nodes and copy their pose first.";
                self.toast(ctx, ToastKind::Error, text);
            }
            Err(error) => {
                self.toast(ctx, ToastKind::Error, format!("The pose could not be pasted: {error}."))
            }
        }
    }

    /// Moves the playhead, and applies the current pose of the selected nodes there; of all joints
    /// if no node is selected.
    pub(super) fn put_pose(&mut self, ctx: &Context, time: f64) {
        let Some(session) = &self.session else { return };
        let nodes: Vec<NodeId> = self.outliner.selection.nodes.iter().copied().collect();
        let nodes = (!nodes.is_empty()).then_some(nodes);
        let pose = keep_pose(session.document(), self.renderer.pose(), "carried", nodes.as_deref());
        self.timeline.playback.playing = false;
        self.timeline.playback.seek(time);
        let reach = if nodes.is_some() { PoseReach::Selected } else { PoseReach::Body };
        let text = Some(pose_text(&pose));
        let given = Applied { pose: None, text, amount: None, flip: false, reach };
        self.apply_pose(ctx, &given);
    }

    /// Puts keys into the clipboard, as text.
    fn copy_keys(&mut self, ctx: &Context, clip: ClipName, which: WhichKeys) {
        let count = self.selected_keys().len();
        self.run(ctx, SessionCommand::CopyKeys { clip, layer: None, which });
        let text = match count {
            1 => "Copied 1 key".to_owned(),
            n => format!("Copied {n} keys"),
        };
        self.toast(ctx, ToastKind::Ok, text);
    }

    /// Puts keys that the clipboard holds into the clip that is shown, at the playhead.
    fn paste_keys(&mut self, ctx: &Context, text: String) {
        let Some(clip) = self.keys_home().map(|home| home.clip) else {
            self.toast(
                ctx,
                ToastKind::Note,
                "The clipboard contains keys. Open a clip in Animate mode to paste them.",
            );
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
            interpolation: Some(self.program.settings.new_keys),
        };
        self.run(ctx, paste);
    }

    /// Whether vertices are selected whose weights are worked on.
    fn is_on_weights(&self) -> bool {
        self.mode.spec().selects_vertices && !self.painting.vertices().is_empty()
    }

    /// Copies something other than a pose: weights of selected vertices, or selected keys. Returns
    /// whether anything was copied.
    pub(super) fn copy_in_place_of_pose(&mut self, ctx: &Context) -> bool {
        if self.is_on_weights() {
            self.vertex_command(ctx, &VertexCommand::Copy);
            return true;
        }
        self.copy_selected_keys(ctx)
    }

    /// Copies the selected keys, where the timeline has the keyboard and some are; whether it did.
    fn copy_selected_keys(&mut self, ctx: &Context) -> bool {
        let on_timeline = self.entered() == Some(Pane::Timeline)
            && self.shown_clip().is_some()
            && !self.poses.in_animate;
        if !on_timeline {
            return false;
        }
        if let Some((clip, which)) = WhichKeys::selected(&self.outliner.selection, self.keys_home())
        {
            self.copy_keys(ctx, ClipName::Id(clip), which);
            return true;
        }
        // As in Maya's time slider: the keys of the selected joints.
        let Some(home) = self.keys_home() else { return false };
        let nodes: Vec<NodeId> = self.outliner.selection.nodes.iter().copied().collect();
        if nodes.is_empty() {
            let text = "No keys were copied: select keys, or joints to copy their keys here.";
            self.toast(ctx, ToastKind::Note, text);
            return true;
        }
        let time = Some(Seconds(self.timeline.playback.time as f32));
        let which = WhichKeys { time, node: Some(Nodes::Ids(nodes)), ..WhichKeys::default() };
        let clip = ClipName::Id(home.clip);
        self.run(ctx, SessionCommand::CopyKeys { clip, layer: None, which });
        true
    }

    /// Copying and pasting come as events of their own, not as keys.
    pub(super) fn clipboard_events(&mut self, ctx: &Context) {
        if !self.mode.spec().selects_vertices {
            self.painting.clipboard.waiting = None;
        }
        // What was asked for is meant for the vertices, whatever has the focus.
        if self.painting.clipboard.waiting.is_some() {
            let answer = ctx.input(|i| {
                i.events.iter().find_map(|e| {
                    if let Event::Paste(text) = e { Some(text.clone()) } else { None }
                })
            });
            self.paste_weights(ctx, answer.as_deref());
            return;
        }
        if self.topmost(ctx) != Topmost::Panels || self.session.is_none() || self.program.welcome {
            return;
        }
        let (copy, paste) = ctx.input(|i| {
            let copy = i.events.iter().any(|e| matches!(e, Event::Copy));
            let paste = i
                .events
                .iter()
                .find_map(|e| if let Event::Paste(text) = e { Some(text.clone()) } else { None });
            (copy, paste)
        });
        if copy && !self.copy_in_place_of_pose(ctx) && !self.outliner.selection.nodes.is_empty() {
            self.copy_pose(ctx);
        }
        if let Some(text) = paste {
            // Meant for the vertices that are selected.
            if self.is_on_weights() {
                self.paste_weights(ctx, Some(&text));
                return;
            }
            if CopiedKeys::parse(&text) == Err(NotKeys::Other) {
                self.paste_pose(ctx, &text);
            } else {
                self.paste_keys(ctx, text);
            }
        }
    }
}
