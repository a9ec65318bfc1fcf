//! The sheet as it is laid out in a frame: its clip, its rows, and where they are.

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

/// Layout of a clip's sheet in one frame.
pub struct Sheet<'a> {
    pub view: &'a View<'a>,
    pub id: ClipId,
    pub clip: &'a Shared<Clip>,
    /// The clip below the layer whose keys are shown.
    pub behind: Option<&'a Shared<Clip>>,
    pub rows: Rc<Rows>,
    pub axis: TimeAxis,
    /// Names and keys, ruler and all.
    pub whole: Rect,
    /// Ruler and keys.
    pub sheet: Rect,
    /// The row of all keys, which does not scroll.
    pub summary: Rect,
    /// Keys.
    pub body: Rect,
    pub row_height: f32,
    /// Curves, where they are shown.
    pub graph: Rect,
    /// Whether rows have their names drawn beside their keys: beside curves the list has them.
    pub named: bool,
}

/// A key under the pointer: the keys of all tracks of its row there.
pub struct Hit {
    pub row: usize,
    pub keys: KeySet,
    pub time: f32,
}

impl Sheet<'_> {
    /// The way that keys of a row are drawn, whose middle and half height are given.
    pub fn look(&self, middle: f32, half: f32) -> KeyStyle<'_> {
        let fps = self.view.timeline.playback.fps;
        KeyStyle { theme: self.view.theme, axis: &self.axis, fps, middle, half, fade: 1.0 }
    }

    /// The owner of the keys on this sheet.
    pub fn home(&self) -> KeysHome {
        self.view.layers.keys_home(self.id)
    }

    /// The selected keys on this sheet.
    pub fn keys(&self) -> &KeySet {
        self.view.selection.keys_of(Some(self.home()))
    }

    /// Whether some of the keys under the pointer are selected.
    pub fn is_selected(&self, hit: &Hit) -> bool {
        let (of, now) = (&hit.keys, self.keys());
        let is = |id, time: f32| match of.is_whole(id, time) {
            true => now.contains(id, time),
            false => of.parts_of(id).any(|(c, t)| t.contains(time) && now.has(id, c, time)),
        };
        of.iter().any(|(id, times)| times.iter().any(|t| is(id, *t)))
    }

    /// Asks for another selection of keys.
    pub fn select(&self, keys: KeySet, how: SelectHow, actions: &mut Actions) {
        actions.push(TimelineAction::SelectKeys { home: self.home(), keys, how });
    }

    /// The tracks of a row; of all rows for that of all keys.
    pub fn tracks_of<'b>(&'b self, row: &'b Row) -> Vec<&'b (TrackId, Shared<Track>)> {
        match row {
            Row::Summary => self.rows.all_tracks().collect(),
            row => self.rows.tracks(row).iter().collect(),
        }
    }

    /// Beyond an edge the sheet goes along, faster the farther out.
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
