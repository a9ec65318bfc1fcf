//! A loop that is being repaired: the clip as it will be, which the viewport shows in place of the one that is.

use crate::{
    app::App,
    edit::command::{CloseHow, frame_of},
    model::{Clip, Shared},
    motion::clip_edit::seam,
    ui::{RepairLoop, repaired},
};

/// What it was made from; the clip, and a number of its own.
pub(in crate::app) type Repaired = ((u64, RepairLoop), (Shared<Clip>, u64));

impl App {
    /// Begins to repair the loop of the clip that is shown: at its end, where it jumps, in the way that its seam needs.
    pub(in crate::app) fn repair_loop(&mut self) {
        let (Some(session), Some(id)) = (&self.session, self.shown_clip()) else { return };
        let document = session.document();
        let Some(clip) = document.clips.get(id) else { return };
        let how = match seam(document, clip, frame_of(clip)) {
            Some(seam) if seam.is_doubled => CloseHow::DropFrame,
            Some(seam) if seam.is_short => CloseHow::AddFrame,
            _ => CloseHow::Blend,
        };
        let end = f64::from(clip.length());
        self.timeline.repair = Some(RepairLoop { clip: id, how, frames: 5, speed: true, preview: true, all: false });
        self.timeline.playback.playing = false;
        self.timeline.playback.seek(end);
        self.viewport.options.inspector = true;
    }

    /// Makes the clip as it will be, where that is to be seen.
    pub(in crate::app) fn preview_repair(&mut self) {
        let shown = self.shown_clip();
        // Another clip is shown: this one is left as it is.
        if self.timeline.repair.is_some_and(|r| Some(r.clip) != shown) {
            self.timeline.repair = None;
        }
        let wanted = self.timeline.repair.filter(|r| r.preview).zip(self.session.as_ref());
        let Some((repair, session)) = wanted else {
            self.repaired = None;
            return;
        };
        let of = (session.generation(), repair);
        if self.repaired.as_ref().is_some_and(|(made_of, _)| *made_of == of) {
            return;
        }
        let serial = self.repaired.as_ref().map_or(0, |(_, (_, serial))| *serial) + 1;
        self.repaired = repaired(session.document(), &repair).map(|clip| (of, (clip, serial)));
    }
}
