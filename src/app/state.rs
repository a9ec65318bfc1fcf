//! The program with a window: its state, the state that tests and scripts read, and its messages.

use std::sync::Arc;

use egui::Context;
use glam::Vec2;

use super::{
    binding::Binding,
    files::Files,
    handlers::{BalanceState, GhostsAsked, PathState, PosePictures},
    jobs::Jobs,
    messages::Messages,
    planning::Planning,
    problems::Problems,
    program::Program,
    references::References,
    retargeting::Retargeting,
    rig_mode::RigMode,
    save_queue::SaveQueue,
    viewport_renderer::ViewportRenderer,
    window_state::WindowState,
};
use crate::ui::{
    Action, Dialogs, Layers, Mode, Outliner, PaintDomain, Panels, Poses, Timeline, TimelineShow,
    ToastKind, ViewOptions, Viewport,
};
use ulna_edit::{Availability, KeyMap, Preset, Selection, command::ToolCommand};
use ulna_model::{KeySet, NodeId};
use ulna_motion::Pose;
use ulna_render::Camera;
use ulna_session::{Disk, Playback, Session};
use ulna_weights::Brush;

/// The program with a window. Each field is the state of one domain.
pub struct App {
    pub(super) session: Option<Session>,
    pub(super) mode: Mode,
    pub(super) outliner: Outliner,
    pub(super) timeline: Timeline,
    pub(super) layers: Layers,
    pub(super) viewport: Viewport,
    pub(super) painting: PaintDomain,
    pub(super) poses: Poses,
    pub(super) pose_pictures: PosePictures,
    pub(super) balance: BalanceState,
    pub(super) paths: PathState,
    pub(super) ghosts_asked: Option<GhostsAsked>,
    pub(super) problems: Problems,
    pub(super) dialogs: Dialogs,
    pub(super) files: Files,
    pub(super) program: Program,
    pub(super) window: WindowState,
    pub(super) panels: Panels,
    pub(super) renderer: ViewportRenderer,
    pub(super) jobs: Jobs,
    pub(super) planning: Planning,
    pub(super) rig: RigMode,
    pub(super) binding: Binding,
    /// The open *Retarget* page.
    pub(super) retargeting: Option<Box<Retargeting>>,
    /// The closed *Retarget* page, which opens again as it was.
    pub(super) retarget_kept: Option<Box<Retargeting>>,
    pub(super) references: References,
    pub(super) saves: SaveQueue,
}

impl App {
    /// Visible panels and displayed elements, for tests.
    pub const fn options(&self) -> ViewOptions {
        self.viewport.options
    }

    /// Mode of the window, for tests.
    pub const fn mode(&self) -> Mode {
        self.mode
    }

    /// The joint under the pointer, for tests.
    pub const fn hovered(&self) -> Option<NodeId> {
        self.outliner.hover
    }

    /// The open file, for tests and scripts.
    pub const fn session(&self) -> Option<&Session> {
        self.session.as_ref()
    }

    /// The displayed pose, for tests.
    pub const fn shown_pose(&self) -> &Pose {
        self.renderer.pose()
    }

    /// The camera of the viewport.
    pub const fn camera(&self) -> &Camera {
        &self.viewport.camera
    }

    /// Key map of the commands, for tests.
    pub const fn key_map(&self) -> &KeyMap {
        &self.program.settings.keys
    }

    /// The chosen tool, for tests.
    pub const fn tool(&self) -> ToolCommand {
        self.viewport.tool
    }

    /// True if a node is hidden by the user or the file, for tests.
    pub fn hides(&self, node: NodeId) -> bool {
        self.outliner.visibility.hides(node, &self.renderer.pose().hidden)
    }

    /// Replaces the keys and mouse functions by the preset of another program.
    pub fn set_key_preset(&mut self, preset: Preset) {
        self.program.settings.keys.set_preset(preset);
    }

    /// The selection, for tests and scripts.
    pub const fn selection(&self) -> &Selection {
        &self.outliner.selection
    }

    /// The selected keys of the clip or layer that the timeline shows, for tests and scripts.
    pub fn selected_keys(&self) -> &KeySet {
        self.outliner.selection.keys_of(self.keys_home())
    }

    /// Playback state, for tests and scripts.
    pub const fn playback(&self) -> &Playback {
        &self.timeline.playback
    }

    /// The brush, for tests and scripts.
    pub const fn brush(&self) -> &Brush {
        &self.painting.options.brush
    }

    /// True while a background job is running.
    pub fn is_busy(&self) -> bool {
        self.jobs.is_busy()
            || self.is_saving()
            || !self.jobs.worked.is_empty()
            || self.planning.is_busy()
            || self.binding.is_busy()
            || self.retargeting.as_ref().is_some_and(|page| page.is_busy())
    }

    /// Replaces the disk for saves and exports, for tests with slow or failing disks.
    pub fn set_disk(&mut self, disk: Arc<dyn Disk>) {
        self.files.disk = disk;
    }

    /// Position of a node in the viewport in points, for clicks by tests and scripts. `None` if it
    /// is not in view.
    pub fn project(&self, node: NodeId) -> Option<Vec2> {
        let at = self.renderer.seen_pose().world.get(node.index())?.w_axis.truncate();
        self.viewport.camera.project(at, self.renderer.size()).map(|(p, _)| p)
    }

    /// The drawn bones, which can be picked, for tests.
    pub fn bones(&self) -> &[ulna_motion::Bone] {
        self.renderer.bones()
    }

    /// True if the program will continue in another window, for tests.
    pub const fn is_leaving(&self) -> bool {
        self.window.leaving.is_some()
    }

    /// True if the viewport's picture is up to date, for tests.
    pub const fn shows_picture(&self) -> bool {
        self.renderer.shows_picture()
    }

    pub(super) fn toast(&mut self, ctx: &Context, kind: ToastKind, text: impl Into<String>) {
        self.messages(ctx).toast(kind, text);
    }

    /// Shows a message with buttons.
    pub(super) fn say(
        &mut self,
        ctx: &Context,
        kind: ToastKind,
        text: String,
        verbs: Vec<(&'static str, Action)>,
    ) {
        self.messages(ctx).say(kind, text, verbs);
    }

    /// Access to the messages of the window.
    pub(super) const fn messages<'a>(&'a mut self, ctx: &'a Context) -> Messages<'a> {
        Messages { dialogs: &mut self.dialogs, ctx }
    }

    pub(super) fn availability(&self) -> Availability {
        let Some(session) = &self.session else { return Availability::default() };
        let of_session = session.availability();
        let [undo, redo] = match &self.retargeting {
            Some(page) => page.undoable(),
            None => [of_session.undo, of_session.redo],
        };
        Availability {
            undo,
            redo,
            planned: self.planning.acts().len(),
            own_workspace: {
                let all = &self.program.preferences.workspaces;
                all.is_own(all.current())
            },
            references: self.references.count(),
            reference: self.references.selected().is_some(),
            nodes: self.outliner.selection.nodes.len(),
            keys: self.selected_keys().len(),
            clip_shown: self.shows().is_some(),
            curves: self.program.settings.timeline != TimelineShow::Sheet,
            painting: self.mode.spec().paints_weights,
            joint: self.painting.session().is_some_and(|s| s.joint.is_some()),
            vertices: self.painting.vertices().len(),
            pose_layers: self
                .layers_view()
                .home
                .map_or(0, |home| session.document().aids.layers(home).0.len()),
            ..of_session
        }
    }
}
