//! Motion paths of the selected joints over the clip. Computed again when the clip, the selection
//! or the model changes.

use super::overlays::PathState;
use crate::app::App;
use ulna_model::NodeId;
use ulna_motion::motion_paths;

/// Maximum number of joints with a motion path.
const JOINTS: usize = 12;
/// Maximum number of points per path.
const PLACES: usize = 240;

impl App {
    /// Computes the motion paths of the selected joints if their display is on.
    pub(in crate::app) fn follow_paths(&mut self) {
        let clip = self.shown_clip();
        let (Some(session), Some(id)) = (&self.session, clip) else {
            self.paths = PathState::default();
            return;
        };
        if !self.viewport.options.motion_paths || !self.mode.spec().edits_keys {
            self.paths = PathState::default();
            return;
        }
        let nodes: Vec<NodeId> =
            self.outliner.selection.nodes.iter().copied().take(JOINTS).collect();
        let (fps, between) = (self.timeline.playback.fps, self.timeline.playback.between);
        let key = (session.generation(), id, nodes, fps.to_bits(), between);
        if self.paths.of.as_ref() == Some(&key) {
            return;
        }
        let document = session.document();
        self.paths.paths = motion_paths(document, id, &key.2, (fps, between), PLACES);
        self.paths.of = Some(key);
    }
}
