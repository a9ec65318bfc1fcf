//! Read-only view of the program for the panels, with one part per domain.

use super::{
    LayersView, Theme, ViewOptions, asset_ref::AssetRef, dialogs::DialogsView, modes::Mode,
    painting::PaintView, poses::PosesView, program::ProgramView, references::ReferencesView,
    retarget::RetargetView, rig::RigView, settings::Settings, timeline::TimelineView,
    viewport::ViewportView,
};
use ulna_edit::{Availability, KeysHome, NodeVisibility, Selection, command::ToolCommand};
use ulna_model::{Clip, ClipId, Diagnostic, Document, KeySet, NodeId, Shared, UnkeyedAt};
use ulna_motion::Pose;
use ulna_session::Session;

/// All data that panels can read in a frame.
#[derive(Clone)]
pub struct View<'a> {
    /// The open file.
    pub session: Option<&'a Session>,
    /// Mode of the window.
    pub mode: Mode,
    /// Colors and sizes.
    pub theme: &'a Theme,
    /// Settings of the preferences dialog.
    pub settings: &'a Settings,
    /// State that decides which commands are enabled.
    pub availability: Availability,
    /// Selected nodes and keys.
    pub selection: &'a Selection,
    /// Hidden and locked nodes.
    pub visibility: &'a NodeVisibility,
    /// Asset shown in the inspector instead of nodes.
    pub inspected: Option<AssetRef>,
    /// The joint under the pointer, in any panel.
    pub hover: Option<NodeId>,
    /// The displayed pose.
    pub pose: &'a Pose,
    /// True for each node that is a joint, by node index.
    pub joints: &'a [bool],
    /// True for each node that moves vertices, by node index. Empty if nothing is drawn.
    pub deforms: &'a [bool],
    /// Visible panels, and elements that the viewport displays.
    pub options: ViewOptions,
    /// Problems of the file.
    pub problems: &'a Shared<Vec<Diagnostic>>,
    /// The clock, the shown clip, and the timeline's settings.
    pub timeline: TimelineView<'a>,
    /// The chosen layer, and whether edits change it.
    pub layers: LayersView,
    /// The camera and the chosen tool.
    pub viewport: ViewportView<'a>,
    /// State of Paint mode.
    pub paint: PaintView<'a>,
    /// State of Rig mode.
    pub rig: RigView<'a>,
    /// The pose library.
    pub poses: PosesView<'a>,
    /// The *Retarget* page, while it is open.
    pub retarget: Option<RetargetView<'a>>,
    /// Reference models in the scene.
    pub references: ReferencesView<'a>,
    /// Open dialog and messages.
    pub dialogs: DialogsView<'a>,
    /// State of the program outside the file.
    pub program: ProgramView<'a>,
}

impl View<'_> {
    /// The clip that is shown, if the mode shows one and the mix is off.
    pub fn shown_clip(&self) -> Option<ClipId> {
        let shows = self.mode.spec().shows_clip(self.paint.options.over_clip) && !self.mixes();
        self.timeline.playback.clip.filter(|_| shows)
    }

    /// True if the mix is shown in place of a clip.
    pub fn mixes(&self) -> bool {
        self.timeline.playback.mixing && self.mode.spec().shows_mix
    }

    /// The chosen tool, if the mode offers it.
    pub fn tool(&self) -> Option<ToolCommand> {
        Some(self.viewport.tool).filter(|tool| self.mode.spec().tools.contains(tool))
    }

    /// Clip data whose keys the timeline shows and edits: the clip itself, or the keys of the layer
    /// that receives edits.
    pub fn keys_clip<'d>(&self, document: &'d Document, clip: ClipId) -> Option<&'d Shared<Clip>> {
        self.layers.keys_clip(document, clip)
    }

    /// True if a node is hidden by the user, or by the file in the displayed pose.
    pub fn is_hidden(&self, node: NodeId) -> bool {
        self.visibility.hides(node, &self.pose.hidden)
    }

    /// True if a node cannot be picked or posed, because it or its joint group is locked.
    pub fn is_locked(&self, node: NodeId) -> bool {
        let groups = self.session.map_or(&[][..], |s| s.document().joint_groups());
        self.visibility.locks(node, groups)
    }

    /// Owner of the keys that the timeline shows; `None` if it shows no clip.
    pub fn keys_home(&self) -> Option<KeysHome> {
        let clip = self.shown_clip().filter(|_| self.mode.spec().edits_keys)?;
        Some(self.layers.keys_home(clip))
    }

    /// Selected keys of the clip or layer that the timeline shows.
    pub fn selected_keys(&self) -> &KeySet {
        self.selection.keys_of(self.keys_home())
    }

    /// Time of edits on the clip's clock in seconds. It is the original time of an unkeyed pose
    /// that moves along with the playhead, or else the time of the playhead.
    pub fn edit_time(&self) -> f32 {
        let timeline = self.timeline;
        if self.layers.written.is_some() {
            return timeline.playback.edit_time() as f32;
        }
        let carried = timeline.unkeyed.filter(|_| timeline.carried && !timeline.auto_key);
        carried.map_or(timeline.playback.edit_time() as f32, UnkeyedAt::time)
    }
}
