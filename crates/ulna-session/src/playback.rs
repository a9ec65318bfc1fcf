//! The clock: which clip is shown, and where in it the playhead is.

use ulna_edit::command::mix_of;
use ulna_model::{Clip, ClipId, Document, NodeId, Repeat};
use ulna_motion::Averaging;

/// What the ruler counts.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum RulerUnit {
    /// Frames of the rate.
    #[default]
    Frames,
    /// Seconds.
    Seconds,
    /// Ticks, so many a second.
    Ticks(f64),
}

impl RulerUnit {
    /// Ticks a second where none are said: those of DirectX files.
    pub const TICKS: f64 = 4800.0;
}

/// What plays, and how. The clock is `f64` seconds; frames are only a ruler.
#[derive(Clone, Debug, PartialEq)]
pub struct Playback {
    /// The clip that is shown, or would be in Animate mode.
    pub clip: Option<ClipId>,
    /// Whether the mix plays in place of the clip.
    pub mixing: bool,
    /// The playhead, in seconds.
    pub time: f64,
    /// Whether it moves.
    pub playing: bool,
    /// Whether it moves backward.
    pub backward: bool,
    /// What happens at the end.
    pub repeat: Repeat,
    /// What of the clip plays, in seconds; all of it where `None`.
    pub range: Option<(f64, f64)>,
    /// So many seconds before the end and after the start play in place of all: a loop's seam is
    /// looked at.
    pub round_seam: Option<f64>,
    /// Whether every frame is shown, however long that takes, rather than real time kept.
    pub every_frame: bool,
    /// Whether poses are held from key to key while it plays: blocking, without what lies between.
    pub stepped: bool,
    /// How linear rotations go from key to key.
    pub between: Averaging,
    /// Frames a second that were reached lately, where it plays.
    pub reached: Option<f64>,
    /// How fast, 1 is real time.
    pub speed: f64,
    /// The ruler: frames a second.
    pub fps: f64,
    /// What the ruler counts.
    pub unit: RulerUnit,
    /// The share of keys on whole frames at the guessed rate; `None` where a person set it.
    pub guessed: Option<f32>,
}

impl Default for Playback {
    fn default() -> Self {
        Self {
            clip: None,
            mixing: false,
            time: 0.0,
            playing: false,
            backward: false,
            repeat: Repeat::default(),
            range: None,
            round_seam: None,
            every_frame: false,
            stepped: false,
            between: Averaging::Slerp,
            reached: None,
            speed: 1.0,
            fps: 30.0,
            unit: RulerUnit::default(),
            guessed: None,
        }
    }
}

/// A time that left the stretch from `half` before the end over to `half` after the start, in it
/// again.
fn round_seam(time: f64, half: f64, end: f64, backward: bool) -> f64 {
    let half = half.min(end * 0.5);
    if half <= 0.0 {
        return 0.0;
    }
    // From the stretch's own start.
    let along = (time - (end - half)).rem_euclid(end);
    let along = match along < 2.0 * half {
        true => along,
        // What lies between is jumped over, by as much as it was gone too far.
        false if backward => (2.0 * half - (end - along)).rem_euclid(2.0 * half),
        false => (along - 2.0 * half).rem_euclid(2.0 * half),
    };
    (end - half + along).rem_euclid(end)
}

impl Playback {
    /// Where edits go: the playhead, in seconds. While it moves the nearest frame, so that no key
    /// comes to lie between frames.
    pub fn edit_time(&self) -> f64 {
        if self.playing && self.fps > 0.0 {
            (self.time * self.fps).round() / self.fps
        } else {
            self.time
        }
    }

    /// Stops where edits go.
    pub fn stop_to_edit(&mut self) {
        self.time = self.edit_time();
        self.playing = false;
    }

    /// Shows a clip from its start, with the ruler its keys suggest.
    pub fn show(&mut self, document: &Document, clip: Option<ClipId>) {
        self.clip = clip;
        self.mixing = false;
        self.time = 0.0;
        self.range = None;
        if let Some(found) = clip.and_then(|c| document.clips.get(c)) {
            let guess = found.guess_fps();
            self.fps = guess.map_or(30.0, |(fps, _)| fps);
            self.guessed = guess.map(|(_, share)| share);
            self.repeat = found.repeat.unwrap_or(self.repeat);
            if let (RulerUnit::Ticks(_), Some(ticks)) = (self.unit, found.ticks) {
                self.unit = RulerUnit::Ticks(ticks);
            }
        }
    }

    /// The mix plays in place of the clip, from its start; or the clip again.
    pub const fn mix(&mut self, on: bool) {
        (self.mixing, self.playing, self.time) = (on, false, 0.0);
        self.range = None;
    }

    /// Seconds from 0 to the last key of the clip that is shown, or to the end of the mix.
    pub fn length(&self, document: &Document) -> f64 {
        if self.mixing {
            return mix_of(document).map_or(0.0, |m| m.length());
        }
        self.clip.and_then(|c| document.clips.get(c)).map_or(0.0, |c| f64::from(c.length()))
    }

    /// The time whose pose is seen: the playhead's, or, while it plays stepped, that of the last
    /// key of any track.
    pub fn seen_time(&self, clip: &Clip) -> f64 {
        if !self.stepped || !self.playing {
            return self.time;
        }
        let before = clip.tracks.values().filter_map(|t| {
            let at = t.times.partition_point(|k| f64::from(*k) <= self.time + 1e-6);
            at.checked_sub(1).map(|k| f64::from(t.times[k]))
        });
        before.max_by(f64::total_cmp).unwrap_or(self.time)
    }

    /// What plays: the range that was chosen, or the whole clip.
    pub fn bounds(&self, document: &Document) -> (f64, f64) {
        let length = self.length(document);
        match self.range {
            Some((from, to)) if from < to => (from, to),
            _ => (0.0, length),
        }
    }

    /// Moves the playhead by real time, or by a frame where every one is to be shown; whether it
    /// still plays. Looping wraps by taking the length off, so that no time is lost at the seam.
    pub fn advance(&mut self, document: &Document, seconds: f64) -> bool {
        if !self.playing {
            return false;
        }
        let (start, end) = self.bounds(document);
        let span = end - start;
        if seconds > 0.0 {
            let now = 1.0 / seconds;
            // A mean over some ten frames: a number that flickers is none.
            self.reached = Some(self.reached.map_or(now, |was| was + (now - was) * 0.1));
        }
        let step = if self.every_frame { 1.0 / self.fps } else { seconds * self.speed };
        self.time += if self.backward { -step } else { step };
        if let (Some(half), None) = (self.round_seam, self.range) {
            self.time = round_seam(self.time, half, end, self.backward);
            return true;
        }
        let (past, short) = (self.time > end, self.time < start);
        if !past && !short {
            return true;
        }
        match self.repeat {
            _ if span <= 0.0 => (self.time, self.playing) = (start, false),
            Repeat::Loop => self.time = start + (self.time - start).rem_euclid(span),
            Repeat::PingPong => {
                let over = (if past { self.time - end } else { start - self.time }) % span;
                self.time = if past { end - over } else { start + over };
                self.backward = past;
            }
            Repeat::Once => {
                self.time = if past { end } else { start };
                self.playing = false;
            }
        }
        self.playing
    }

    /// Starts to play, from the other end where it stands at the one that it would leave; or stops.
    pub fn toggle(&mut self, document: &Document) {
        self.playing = !self.playing;
        self.reached = None;
        let (start, end) = self.bounds(document);
        if let (true, Some(half), None) = (self.playing, self.round_seam, self.range) {
            self.time = if self.backward { half } else { (end - half).max(0.0) };
            return;
        }
        if self.playing && !self.backward && self.time >= end {
            self.time = start;
        } else if self.playing && self.backward && self.time <= start {
            self.time = end;
        }
    }

    /// The frame the playhead is on or after.
    pub fn frame(&self) -> f64 {
        (self.time * self.fps + 1e-6).floor()
    }

    /// Moves by whole frames: to the next or the one before, on the ruler's grid.
    pub fn step(&mut self, frames: f64) {
        let exact = self.time * self.fps;
        let on = exact.round();
        let from = if (exact - on).abs() < 1e-3 {
            on
        } else if frames > 0.0 {
            exact.floor()
        } else {
            exact.ceil()
        };
        self.seek((from + frames) / self.fps);
    }

    /// Puts the playhead at a time, within the clip and a little beyond, for keys to come.
    pub fn seek(&mut self, time: f64) {
        self.time = if time.is_finite() { time.max(0.0) } else { 0.0 };
    }

    /// Puts the playhead on the nearest frame.
    pub fn snap(&mut self) {
        self.seek((self.time * self.fps).round() / self.fps);
    }

    /// Moves to the next key of nodes that are meant, or the one before; of any where those have
    /// none in the clip.
    pub fn step_key(&mut self, clip: &Clip, forward: bool, is_meant: impl Fn(NodeId) -> bool) {
        let now = self.time;
        let some = clip.tracks.values().any(|t| is_meant(t.target));
        let meant = clip.tracks.values().filter(|t| !some || is_meant(t.target));
        let times = meant.filter_map(|t| {
            let near = 1e-5;
            if forward {
                let at = t.times.partition_point(|k| f64::from(*k) <= now + near);
                t.times.get(at)
            } else {
                let at = t.times.partition_point(|k| f64::from(*k) < now - near);
                at.checked_sub(1).and_then(|k| t.times.get(k))
            }
        });
        let best = times.copied().map(f64::from);
        let found = if forward { best.min_by(f64::total_cmp) } else { best.max_by(f64::total_cmp) };
        if let Some(time) = found {
            self.time = time;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ulna_model::{FileContent, Interpolation, NodeId, Property, Shared, Slice, Track, TrackId};

    fn document() -> Document {
        let mut clip = Clip::default();
        let times: Slice<f32> = [0.0, 0.5, 2.0].into();
        let values = [0.0; 9].into();
        let track = Track {
            target: NodeId(0),
            property: Property::Scale,
            interpolation: Interpolation::Linear,
            times,
            values,
            width: 3,
            kinds: Default::default(),
            modes: Default::default(),
        };
        clip.tracks.insert(TrackId(0), Shared::new(track));
        FileContent { clips: vec![Shared::new(clip)].into(), ..FileContent::default() }.into()
    }

    #[test]
    fn looping_loses_no_time_at_the_seam() {
        let document = document();
        let mut p =
            Playback { clip: Some(ClipId(0)), playing: true, time: 1.9, ..Playback::default() };
        assert!(p.advance(&document, 0.25));
        assert!((p.time - 0.15).abs() < 1e-9);
    }

    #[test]
    fn without_looping_it_stops_on_the_last_key() {
        let document = document();
        let mut p = Playback {
            clip: Some(ClipId(0)),
            playing: true,
            repeat: Repeat::Once,
            time: 1.9,
            ..Playback::default()
        };
        assert!(!p.advance(&document, 5.0));
        assert_eq!(p.time, 2.0);
    }

    #[test]
    fn it_goes_back_and_on_again_and_within_its_range() {
        let document = document();
        let start = Playback { clip: Some(ClipId(0)), playing: true, ..Playback::default() };
        let mut p = Playback { repeat: Repeat::PingPong, time: 1.9, ..start.clone() };
        assert!(p.advance(&document, 0.25));
        assert!((p.time - 1.85).abs() < 1e-9 && p.backward);
        p.advance(&document, 2.0);
        assert!((p.time - 0.15).abs() < 1e-9 && !p.backward);
        let mut p = Playback { range: Some((0.5, 1.0)), time: 0.9, ..start.clone() };
        p.advance(&document, 0.25);
        assert!((p.time - 0.65).abs() < 1e-9);
        let mut p = Playback { backward: true, time: 0.1, ..start.clone() };
        p.advance(&document, 0.25);
        assert!((p.time - 1.85).abs() < 1e-9, "round the start: {}", p.time);
        let mut p = Playback { every_frame: true, fps: 10.0, ..start };
        p.advance(&document, 3.0);
        assert!((p.time - 0.1).abs() < 1e-9, "one frame, though it took long");
    }

    #[test]
    fn round_the_seam_only_the_end_and_the_start_play() {
        let document = document();
        for (backward, first) in [(false, 1.5), (true, 0.5)] {
            let mut p = Playback {
                clip: Some(ClipId(0)),
                round_seam: Some(0.5),
                backward,
                ..Playback::default()
            };
            p.toggle(&document);
            assert_eq!(p.time, first);
            let mut seen = Vec::new();
            for _ in 0..40 {
                assert!(p.advance(&document, 0.11));
                assert!(
                    (0.0..=0.5).contains(&p.time) || (1.5..=2.0).contains(&p.time),
                    "{}",
                    p.time
                );
                seen.push(p.time);
            }
            // No time is lost where what lies between is jumped over: one round is a second.
            let along = |t: f64| if t >= 1.5 { t - 1.5 } else { t + 0.5 };
            let steps = seen.windows(2).map(|w| (along(w[1]) - along(w[0])).rem_euclid(1.0));
            let wanted = if backward { 0.89 } else { 0.11 };
            assert!(steps.into_iter().all(|s| (s - wanted).abs() < 1e-9), "{seen:?}");
        }
        // A range that was chosen goes first.
        let range = Some((0.5, 1.0));
        let mut p = Playback {
            clip: Some(ClipId(0)),
            playing: true,
            range,
            time: 0.9,
            ..Playback::default()
        };
        p.round_seam = Some(0.5);
        p.advance(&document, 0.25);
        assert!((p.time - 0.65).abs() < 1e-9);
    }

    #[test]
    fn stepped_it_holds_the_last_key() {
        let document = document();
        let clip = &document.clips[ClipId(0)];
        let mut p =
            Playback { clip: Some(ClipId(0)), stepped: true, time: 1.9, ..Playback::default() };
        assert_eq!(p.seen_time(clip), 1.9, "standing still it shows what is there");
        p.playing = true;
        assert_eq!(p.seen_time(clip), 0.5);
        p.time = 2.0;
        assert_eq!(p.seen_time(clip), 2.0);
    }

    #[test]
    fn steps_land_on_frames_and_keys() {
        let document = document();
        let mut p =
            Playback { clip: Some(ClipId(0)), fps: 10.0, time: 0.44, ..Playback::default() };
        p.step(1.0);
        assert!((p.time - 0.5).abs() < 1e-9);
        p.step(-1.0);
        assert!((p.time - 0.4).abs() < 1e-9);
        p.step_key(&document.clips[p.clip.unwrap()], true, |_| true);
        assert_eq!(p.time, 0.5);
        // The node that is meant has no key: those of all count.
        p.step_key(&document.clips[p.clip.unwrap()], true, |_| false);
        assert_eq!(p.time, 2.0);
        p.step_key(&document.clips[p.clip.unwrap()], false, |_| true);
        assert_eq!(p.time, 0.5);
    }

    #[test]
    fn edits_go_to_whole_frames_while_it_plays_and_to_the_playhead_while_it_stands() {
        let mut p =
            Playback { clip: Some(ClipId(0)), fps: 10.0, time: 0.44, ..Playback::default() };
        assert_eq!(p.edit_time(), 0.44);
        p.playing = true;
        assert!((p.edit_time() - 0.4).abs() < 1e-9);
        p.stop_to_edit();
        assert!(!p.playing && (p.time - 0.4).abs() < 1e-9);
    }
}
