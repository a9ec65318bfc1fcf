//! Layout of the sheet in one frame: its clip, its rows, and their areas.

use std::rc::Rc;

use egui::{Rect, Ui};

use super::{
    axis::TimeAxis,
    domain::{SelectHow, TimelineAction},
    draw::KeyStyle,
    rows::{Row, Rows},
    time_view::TimeView,
};
use crate::ui::{Actions, View};
use ulna_edit::KeysHome;
use ulna_model::{Clip, ClipId, KeySet, Shared, Track, TrackId};

/// Layout of the sheet of a clip in one frame.
pub struct Sheet<'a> {
    pub view: &'a View<'a>,
    pub id: ClipId,
    pub clip: &'a Shared<Clip>,
    /// Clip below the layer, if the keys of a layer are shown.
    pub behind: Option<&'a Shared<Clip>>,
    pub rows: Rc<Rows>,
    pub axis: TimeAxis,
    /// Area of names, ruler and keys.
    pub whole: Rect,
    /// Area of ruler and keys.
    pub sheet: Rect,
    /// Area of the row of all keys, which does not scroll.
    pub summary: Rect,
    /// Area of the keys.
    pub body: Rect,
    pub row_height: f32,
    /// Area of the curves; empty if they are not shown.
    pub graph: Rect,
    /// Whether rows have names beside their keys. Beside curves, the curve list shows the names.
    pub named: bool,
}

/// Keys under the pointer: the keys of all tracks of a row at this time.
pub struct Hit {
    pub row: usize,
    pub keys: KeySet,
    pub time: f32,
}

impl Sheet<'_> {
    /// Drawing style of keys in a row, with its vertical center and the half size of diamonds, in
    /// points.
    pub fn look(&self, middle: f32, half: f32) -> KeyStyle<'_> {
        let fps = self.view.timeline.playback.fps;
        KeyStyle { theme: self.view.theme, axis: &self.axis, fps, middle, half, fade: 1.0 }
    }

    /// Clip or layer that owns the keys.
    pub fn home(&self) -> KeysHome {
        self.view.layers.keys_home(self.id)
    }

    /// Selected keys.
    pub fn keys(&self) -> &KeySet {
        self.view.selection.keys_of(Some(self.home()))
    }

    /// Whether any of the keys under the pointer is selected.
    pub fn is_selected(&self, hit: &Hit) -> bool {
        let (of, now) = (&hit.keys, self.keys());
        let is = |id, time: f32| match of.is_whole(id, time) {
            true => now.contains(id, time),
            false => of.parts_of(id).any(|(c, t)| t.contains(time) && now.has(id, c, time)),
        };
        of.iter().any(|(id, times)| times.iter().any(|t| is(id, *t)))
    }

    /// Requests a new selection of keys.
    pub fn select(&self, keys: KeySet, how: SelectHow, actions: &mut Actions) {
        actions.push(TimelineAction::SelectKeys { home: self.home(), keys, how });
    }

    /// Tracks of a row; tracks of all rows for the row of all keys.
    pub fn tracks_of<'b>(&'b self, row: &'b Row) -> Vec<&'b (TrackId, Shared<Track>)> {
        match row {
            Row::Summary => self.rows.all_tracks().collect(),
            row => self.rows.tracks(row).iter().collect(),
        }
    }

    /// Scrolls when the pointer is beyond an edge, faster with the distance.
    pub fn follow_pointer(&self, time: &mut TimeView, ui: &Ui) {
        let Some(at) = ui.input(|i| i.pointer.latest_pos()) else { return };
        let out = (at.x - self.sheet.right()).max(0.0) + (at.x - self.sheet.left()).min(0.0);
        if out != 0.0 {
            let step = f64::from(out.clamp(-60.0, 60.0))
                * f64::from(ui.input(|i| i.stable_dt)).min(0.1)
                * 6.0;
            time.shift(step / self.axis.scale());
            ui.ctx().request_repaint();
        }
    }
}
