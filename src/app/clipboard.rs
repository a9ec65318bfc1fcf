//! Poses and keys in the clipboard. They are stored as text, which can be pasted into any file or
//! program.

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
    /// Copies the poses of the selected nodes to the clipboard.
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
        /// Time in seconds in which the clipboard answers a request. A later paste belongs to
        /// another request.
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

    /// Moves the playhead, and applies the current pose there. The pose contains the selected
    /// nodes, or all joints if none is selected.
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

    /// Copies keys to the clipboard, as text.
    fn copy_keys(&mut self, ctx: &Context, clip: ClipName, which: WhichKeys) {
        let count = self.selected_keys().len();
        self.run(ctx, SessionCommand::CopyKeys { clip, layer: None, which });
        let text = match count {
            1 => "Copied 1 key".to_owned(),
            n => format!("Copied {n} keys"),
        };
        self.toast(ctx, ToastKind::Ok, text);
    }

    /// Pastes keys from the clipboard into the shown clip, at the playhead.
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

    /// True if vertices are selected in a mode that edits their weights.
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

    /// Copies the selected keys if the timeline has the keyboard focus. Returns whether keys were
    /// copied.
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
        // As in Maya's time slider, the keys of the selected joints are copied.
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

    /// Handles the clipboard events. Copy and paste are separate events of egui, not key presses.
    pub(super) fn clipboard_events(&mut self, ctx: &Context) {
        if !self.mode.spec().selects_vertices {
            self.painting.clipboard.waiting = None;
        }
        // The requested text is meant for the vertices, whichever widget has the focus.
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
            // The text is meant for the selected vertices.
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
