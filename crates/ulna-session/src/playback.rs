//! Playback: the shown clip and the playhead.

use ulna_edit::command::mix_of;
use ulna_model::{Clip, ClipId, Document, NodeId, Repeat};
use ulna_motion::Averaging;

/// Unit of the time ruler.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum RulerUnit {
    /// Frames, at the frame rate of the ruler.
    #[default]
    Frames,
    /// Seconds.
    Seconds,
    /// Ticks. The value is the number of ticks per second.
    Ticks(f64),
}

impl RulerUnit {
    /// Default number of ticks per second: the rate of DirectX files.
    pub const TICKS: f64 = 4800.0;
}

/// State of the playback. Times are seconds in `f64`; frames only label the ruler.
#[derive(Clone, Debug, PartialEq)]
pub struct Playback {
    /// The clip shown in Animate mode. It stays set in the other modes.
    pub clip: Option<ClipId>,
    /// Whether the mix is played instead of the clip.
    pub mixing: bool,
    /// Playhead in seconds, at least 0.
    pub time: f64,
    /// Whether the playhead moves.
    pub playing: bool,
    /// Whether the playhead moves backward.
    pub backward: bool,
    /// Action at the end of the clip, such as looping.
    pub repeat: Repeat,
    /// Start and end of the played range, in seconds; `None` plays the whole clip.
    pub range: Option<(f64, f64)>,
    /// Half length of a range around the loop seam, in seconds. Playback then covers this time
    /// before the end, and this time after the start. `None` plays normally.
    pub round_seam: Option<f64>,
    /// Whether every frame is shown, even if this makes playback slower than real time.
    pub every_frame: bool,
    /// Whether each pose is held until the next key during playback, as for blocking.
    pub stepped: bool,
    /// Interpolation of LINEAR rotations: SLERP or NLERP.
    pub between: Averaging,
    /// Running mean of the displayed frames per second; `None` before the first frame.
    pub reached: Option<f64>,
    /// Speed factor; 1 is real time.
    pub speed: f64,
    /// Frame rate of the ruler, in frames per second.
    pub fps: f64,
    /// Unit of the ruler.
    pub unit: RulerUnit,
    /// Fraction of keys that are on whole frames at the detected rate, `0..=1`. `None` if the user
    /// set the rate.
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

/// Wraps a time that left the range around the loop seam. The range extends from `half` seconds
/// before `end` to `half` seconds after 0.
fn round_seam(time: f64, half: f64, end: f64, backward: bool) -> f64 {
    let half = half.min(end * 0.5);
    if half <= 0.0 {
        return 0.0;
    }
    // Offset from the start of the range.
    let along = (time - (end - half)).rem_euclid(end);
    let along = match along < 2.0 * half {
        true => along,
        // Skips the time outside the range, and keeps the overshoot.
        false if backward => (2.0 * half - (end - along)).rem_euclid(2.0 * half),
        false => (along - 2.0 * half).rem_euclid(2.0 * half),
    };
    (end - half + along).rem_euclid(end)
}

impl Playback {
    /// Returns the time at which edits apply: the playhead, in seconds. During playback, it is
    /// rounded to the nearest frame, so that no key is set between frames.
    pub fn edit_time(&self) -> f64 {
        if self.playing && self.fps > 0.0 {
            (self.time * self.fps).round() / self.fps
        } else {
            self.time
        }
    }

    /// Stops the playback, and moves the playhead to [`Self::edit_time`].
    pub fn stop_to_edit(&mut self) {
        self.time = self.edit_time();
        self.playing = false;
    }

    /// Shows a clip from its start. The frame rate is detected from its keys.
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

    /// Switches between the mix and the clip. Moves the playhead to 0.
    pub const fn mix(&mut self, on: bool) {
        (self.mixing, self.playing, self.time) = (on, false, 0.0);
        self.range = None;
    }

    /// Returns the length in seconds: the last key time of the shown clip, or the end of the mix.
    pub fn length(&self, document: &Document) -> f64 {
        if self.mixing {
            return mix_of(document).map_or(0.0, |m| m.length());
        }
        self.clip.and_then(|c| document.clips.get(c)).map_or(0.0, |c| f64::from(c.length()))
    }

    /// Returns the time of the displayed pose. This is the playhead, or during stepped playback the
    /// last key time of any track before it.
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

    /// Returns the start and end of the played range, in seconds: the chosen range, or the whole
    /// clip.
    pub fn bounds(&self, document: &Document) -> (f64, f64) {
        let length = self.length(document);
        match self.range {
            Some((from, to)) if from < to => (from, to),
            _ => (0.0, length),
        }
    }

    /// Advances the playhead by `seconds` of real time, or by one frame if every frame is shown.
    /// Returns whether playback continues. A loop subtracts its length, so that no time is lost at
    /// the seam.
    pub fn advance(&mut self, document: &Document, seconds: f64) -> bool {
        if !self.playing {
            return false;
        }
        let (start, end) = self.bounds(document);
        let span = end - start;
        if seconds > 0.0 {
            let now = 1.0 / seconds;
            // A mean over about ten frames keeps the displayed number from flickering.
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

    /// Starts or stops the playback. If the playhead is at the last time in its direction, playback
    /// starts from the other end.
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

    /// Returns the frame at or before the playhead.
    pub fn frame(&self) -> f64 {
        (self.time * self.fps + 1e-6).floor()
    }

    /// Moves the playhead by whole frames, to a frame of the ruler.
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

    /// Moves the playhead to a time in seconds. The time can be after the end of the clip.
    pub fn seek(&mut self, time: f64) {
        self.time = if time.is_finite() { time.max(0.0) } else { 0.0 };
    }

    /// Moves the playhead to the nearest frame.
    pub fn snap(&mut self) {
        self.seek((self.time * self.fps).round() / self.fps);
    }

    /// Moves the playhead to the next or previous key of the nodes that `is_meant` accepts. If none
    /// of them has keys in the clip, the keys of all nodes count.
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
    fn without_looping_playback_stops_on_the_last_key() {
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
    fn ping_pong_reverses_at_both_ends_and_playback_stays_in_its_range() {
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
    fn seam_playback_plays_only_around_the_loop_seam() {
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
            // The range skips the middle of the clip, so one round takes one second.
            let along = |t: f64| if t >= 1.5 { t - 1.5 } else { t + 0.5 };
            let steps = seen.windows(2).map(|w| (along(w[1]) - along(w[0])).rem_euclid(1.0));
            let wanted = if backward { 0.89 } else { 0.11 };
            assert!(steps.into_iter().all(|s| (s - wanted).abs() < 1e-9), "{seen:?}");
        }
        // A chosen range overrides the range around the seam.
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
    fn stepped_playback_holds_the_previous_key() {
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
    fn stepping_moves_the_playhead_to_frames_and_keys() {
        let document = document();
        let mut p =
            Playback { clip: Some(ClipId(0)), fps: 10.0, time: 0.44, ..Playback::default() };
        p.step(1.0);
        assert!((p.time - 0.5).abs() < 1e-9);
        p.step(-1.0);
        assert!((p.time - 0.4).abs() < 1e-9);
        p.step_key(&document.clips[p.clip.unwrap()], true, |_| true);
        assert_eq!(p.time, 0.5);
        // The accepted node has no key, so all keys count.
        p.step_key(&document.clips[p.clip.unwrap()], true, |_| false);
        assert_eq!(p.time, 2.0);
        p.step_key(&document.clips[p.clip.unwrap()], false, |_| true);
        assert_eq!(p.time, 0.5);
    }

    #[test]
    fn edits_apply_to_whole_frames_while_playing_and_to_the_playhead_when_stopped() {
        let mut p =
            Playback { clip: Some(ClipId(0)), fps: 10.0, time: 0.44, ..Playback::default() };
        assert_eq!(p.edit_time(), 0.44);
        p.playing = true;
        assert!((p.edit_time() - 0.4).abs() < 1e-9);
        p.stop_to_edit();
        assert!(!p.playing && (p.time - 0.4).abs() < 1e-9);
    }
}
