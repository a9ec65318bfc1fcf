//! Adaptive resolution of the viewport. On slow devices it is reduced during motion, based on
//! measured frame times. A static view has full resolution.

use crate::ui::Quality;

/// Steps of the quality ladder. `None` is full quality. A number is quick drawing (one sample per
/// pixel, deferred lighting) at this scale of the picture's sides.
const STEPS: [Option<f32>; 4] = [None, Some(1.0), Some(0.75), Some(0.5)];
/// Mean frame time in seconds above which the next lower resolution is tried.
const SLOW: f32 = 0.040;
/// Mean frame time in seconds below which a higher resolution may be tried.
const QUICK: f32 = 0.020;
/// Time in seconds without motion after which the picture is drawn in full quality.
const REST: f64 = 0.12;
/// Largest ratio of frame times at which a lower resolution counts as faster.
const GAIN: f32 = 0.85;
/// Number of frames after a change of resolution that are not measured.
const SETTLING: u32 = 4;
/// Number of frames after which a resolution without gain is abandoned.
const PATIENCE: u32 = 16;
/// Time in seconds during which a resolution that was too slow is not tried again.
const BARRED: f64 = 30.0;

/// Motion in the viewport in one frame, with its time.
#[derive(Clone, Copy, Debug)]
pub(super) struct Motion {
    /// Time in seconds, on egui's clock.
    pub now: f64,
    /// True during a drag, scrolling or playback.
    pub moves: bool,
    /// True if the pointer moves with a button pressed. The resolution then stays reduced, even if
    /// the picture does not change.
    pub stirs: bool,
    /// Quality that the user chose.
    pub quality: Quality,
}

/// State of the adaptive resolution.
#[derive(Clone, Debug, Default)]
pub(super) struct Ladder {
    step: usize,
    /// Longest frame time since the last change of the picture, in seconds. Includes the frame
    /// after the change, because the picture is drawn while that frame is built.
    longest: f32,
    /// Time of the last motion in seconds, on egui's clock.
    moved: Option<f64>,
    /// Mean frame time at this resolution, in seconds.
    mean: f32,
    /// Shortest measured frame time at this resolution, in seconds.
    least: f32,
    measured: u32,
    /// Number of frames to ignore. A new resolution creates pipelines, and each measurement belongs
    /// to the previous frame.
    settling: u32,
    /// Lowest step that was too slow, and the time until which it is not tried.
    barred: Option<(usize, f64)>,
    /// Previous step and its mean frame time in seconds, until the current step has proved to be
    /// faster.
    before: Option<(usize, f32)>,
    /// Time until which no lower resolution is tried, because one was not faster.
    enough: f64,
}

impl Ladder {
    /// Records the time between the last frame and this one in seconds, if the last frame
    /// requested this one.
    pub(super) const fn frame(&mut self, seconds: f32) {
        self.longest = self.longest.max(seconds);
    }

    /// Chooses how to draw a changed picture: `None` in full quality, or quickly at a scale.
    pub(super) fn changed(&mut self, motion: Motion) -> Option<f32> {
        if !motion.moves {
            self.moved = None;
            return None;
        }
        let going = self.moved.is_some_and(|last| motion.now - last < 2.0);
        self.moved = Some(motion.now);
        match motion.quality {
            Quality::High => return None,
            Quality::Fast => return STEPS[STEPS.len() - 1],
            Quality::Auto => {}
        }
        let longest = std::mem::take(&mut self.longest);
        log::trace!("step {} of the ladder, a frame of {longest:.3} s {self:?}", self.step);
        if going {
            self.measure(motion, longest);
        }
        STEPS[self.step]
    }

    fn measure(&mut self, motion: Motion, seconds: f32) {
        if self.settling > 0 {
            self.settling -= 1;
            return;
        }
        self.measured += 1;
        let part = if self.measured == 1 { 1.0 } else { 0.4 };
        self.mean += (seconds - self.mean) * part;
        self.least = if self.measured == 1 { seconds } else { self.least.min(seconds) };
        if let Some((step, mean)) = self.before {
            // A single slow frame proves nothing, because pipelines may still be being created.
            if self.least <= mean * GAIN {
                (self.before, self.mean, self.measured) = (None, self.least, 1);
            } else if self.measured >= PATIENCE {
                (self.step, self.before, self.mean, self.measured, self.settling) =
                    (step, None, 0.0, 0, SETTLING);
                self.enough = motion.now + BARRED;
                return;
            }
        }
        let step = if self.before.is_some() || (self.mean > SLOW && motion.now < self.enough) {
            self.step
        } else if self.mean > 4.0 * SLOW && self.measured >= 2 {
            self.step + 2
        } else if self.mean > SLOW && self.measured >= 2 {
            self.step + 1
        } else if self.mean < QUICK && self.measured >= 20 {
            let finer = self.step.saturating_sub(1);
            if self.barred.is_some_and(|(slow, until)| finer <= slow && motion.now < until) {
                self.step
            } else {
                finer
            }
        } else {
            self.step
        }
        .min(STEPS.len() - 1);
        if step > self.step {
            self.before = Some((self.step, self.mean));
            self.barred = Some((self.step, motion.now + BARRED));
        }
        if step != self.step {
            (self.step, self.mean, self.measured, self.settling) = (step, 0.0, 0, SETTLING);
        }
    }

    /// Time in seconds until the picture must be drawn in full quality, if nothing changes. 0 means
    /// now.
    pub(super) fn rests_in(&mut self, motion: Motion) -> f64 {
        if motion.stirs && self.moved.is_some() {
            self.moved = Some(motion.now);
        }
        // A paused animation or a motionless pointer counts as no motion.
        self.moved.map_or(0.0, |last| (REST - (motion.now - last)).max(0.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Simulates playback on a device. A full picture takes `full` seconds, and the rest of a frame
    /// `base` seconds.
    fn play(
        ladder: &mut Ladder,
        frames: usize,
        base: f32,
        full: f32,
        now: &mut f64,
    ) -> Option<f32> {
        let mut quick = None;
        for _ in 0..frames {
            let interval = (base + full * part(quick)).max(1.0 / 60.0);
            *now += f64::from(interval);
            ladder.frame(interval);
            quick = ladder.changed(Motion {
                now: *now,
                moves: true,
                stirs: false,
                quality: Quality::Auto,
            });
        }
        quick
    }

    /// Cost of a picture relative to one at full quality, 0..=1.
    fn part(quick: Option<f32>) -> f32 {
        quick.map_or(1.0, |scale| 0.6 * scale * scale)
    }

    #[test]
    fn a_frame_that_only_waits_for_the_picture_counts_as_drawing_time() {
        let (mut ladder, mut now, mut quick) = (Ladder::default(), 0.0, None);
        for _ in 0..20 {
            // A frame with motion, then a frame without changes that waits for the picture.
            for (seconds, changes) in [(1.0 / 60.0, true), (0.02 + 0.4 * part(quick), false)] {
                now += f64::from(seconds);
                ladder.frame(seconds);
                if changes {
                    quick = ladder.changed(Motion {
                        now,
                        moves: true,
                        stirs: false,
                        quality: Quality::Auto,
                    });
                }
            }
        }
        assert_eq!(quick, Some(0.5));
    }

    #[test]
    fn a_fast_device_stays_at_full_resolution() {
        let (mut ladder, mut now) = (Ladder::default(), 0.0);
        assert_eq!(play(&mut ladder, 500, 0.002, 0.006, &mut now), None);
    }

    #[test]
    fn a_slow_device_reaches_a_lower_resolution_within_a_few_frames_and_keeps_it() {
        let (mut ladder, mut now) = (Ladder::default(), 0.0);
        assert_eq!(play(&mut ladder, 20, 0.02, 0.4, &mut now), Some(0.5));
        let mut seen = std::collections::BTreeSet::new();
        for _ in 0..400 {
            seen.insert(play(&mut ladder, 1, 0.02, 0.4, &mut now).map(f32::to_bits));
        }
        assert!(seen.len() <= 2, "it does not go up and down: {seen:?}");
    }

    #[test]
    fn full_resolution_stays_if_a_lower_one_saves_no_time() {
        let (mut ladder, mut now) = (Ladder::default(), 0.0);
        play(&mut ladder, 24, 0.3, 0.01, &mut now);
        for _ in 0..50 {
            assert_eq!(play(&mut ladder, 1, 0.3, 0.01, &mut now), None);
        }
    }

    #[test]
    fn pipeline_creation_for_a_resolution_is_not_counted_as_slow() {
        let (mut ladder, mut now) = (Ladder::default(), 0.0);
        let (mut quick, mut made, mut since) = (None, None, 10);
        for _ in 0..60 {
            // The first pictures at a new resolution are slow, and older pictures are still being
            // drawn.
            since = if quick == made { since + 1 } else { 0 };
            let interval = 0.02 + if since < 10 { 0.5 } else { 0.4 * part(quick) };
            made = quick;
            now += f64::from(interval);
            ladder.frame(interval);
            quick =
                ladder.changed(Motion { now, moves: true, stirs: false, quality: Quality::Auto });
        }
        assert_eq!(quick, Some(0.5));
    }

    #[test]
    fn a_still_picture_has_full_resolution() {
        let (mut ladder, mut now) = (Ladder::default(), 0.0);
        play(&mut ladder, 20, 0.02, 0.4, &mut now);
        let still = |now| Motion { now, moves: false, stirs: false, quality: Quality::Auto };
        assert!(ladder.rests_in(still(now)) > 0.0);
        // A brush that moves beside the surface.
        let stirring = Motion { stirs: true, ..still(now + 0.15) };
        assert!(ladder.rests_in(stirring) > 0.0);
        now += 0.15;
        assert_eq!(ladder.rests_in(still(now + 0.15)), 0.0);
        assert_eq!(ladder.changed(still(now + 0.2)), None);
        assert_eq!(ladder.rests_in(still(now + 0.2)), 0.0);
    }

    #[test]
    fn full_or_reduced_resolution_can_be_forced() {
        let mut ladder = Ladder::default();
        let motion = |quality| Motion { now: 1.0, moves: true, stirs: false, quality };
        assert_eq!(ladder.changed(motion(Quality::High)), None);
        assert_eq!(ladder.changed(motion(Quality::Fast)), Some(0.5));
    }
}
