//! Repairing a loop: the viewport shows the repaired clip in place of the current one.

use crate::{
    app::App,
    ui::{RepairLoop, RepairSeen, changed_keys, repaired},
};
use ulna_edit::command::{CloseHow, frame_of};
use ulna_motion::clip_edit::seam;

/// Time in seconds that is played before and after the seam during the repair.
const AROUND: f64 = 0.75;
/// Shortest blend range that is offered, in seconds.
const SHORTEST: f64 = 0.16;

impl App {
    /// Starts to repair the loop of the shown clip. Moves the playhead to the seam, and chooses a
    /// suitable repair method.
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
        // At least five frames, or more at high frame rates.
        let frames = (SHORTEST / frame_of(clip)).round().max(5.0) as usize;
        self.timeline.repair =
            Some(RepairLoop { clip: id, how, frames, speed: true, preview: true, all: false });
        self.timeline.playback.playing = false;
        self.timeline.playback.seek(end);
        self.viewport.options.inspector = true;
    }

    /// Computes the repaired clip if its preview is on.
    pub(in crate::app) fn preview_repair(&mut self) {
        let shown = self.shown_clip();
        // Choosing another clip cancels the repair.
        if self.timeline.repair.is_some_and(|r| Some(r.clip) != shown) {
            self.timeline.repair = None;
        }
        let wanted = self.timeline.repair.zip(self.session.as_ref());
        let Some((repair, session)) = wanted else {
            if self.timeline.repair_seen.take().is_some() {
                self.timeline.playback.round_seam = None;
            }
            return;
        };
        let of = (session.generation(), repair);
        let last = self.timeline.repair_seen.as_ref();
        if last.is_some_and(|seen| seen.of == of) {
            return;
        }
        let document = session.document();
        let Some(clip) = document.clips.get(repair.clip) else { return };
        let serial = last.and_then(|seen| seen.clip.as_ref()).map_or(0, |(_, serial)| *serial) + 1;
        let made = if repair.preview { repaired(document, &repair) } else { None };
        let changed = made.as_ref().map(|made| changed_keys(clip, made)).unwrap_or_default();
        let gaps = seam(document, clip, frame_of(clip)).map_or_else(Vec::new, |s| s.gaps);
        self.timeline.playback.round_seam =
            repair.preview.then_some(AROUND.min(f64::from(clip.length()) * 0.5));
        self.timeline.repair_seen =
            Some(RepairSeen { of, clip: made.map(|clip| (clip, serial)), gaps, changed });
    }
}
