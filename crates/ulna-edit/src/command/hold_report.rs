//! Report of locking feet to the ground: sliding before and after, skipped ranges with reasons, and
//! jumps.

use glam::Vec3;

use super::CommandError;
use ulna_model::Notice;
use ulna_motion::ik;

/// Results of locking one node over its ranges.
#[derive(Default)]
pub(super) struct HoldReport {
    /// Number of locked ranges.
    held: usize,
    /// Number of unchanged ranges, in which the node does not slide.
    standing: usize,
    /// Maximum sliding speed of the skin before and after, in meters per second.
    slid: (f32, f32),
    /// Maximum distance of the node from its locked position, in meters.
    error: f32,
    /// Sentences about skipped ranges, with reasons.
    left: Vec<String>,
    /// Warnings about jumps of the motion.
    jumps: Vec<String>,
}

/// Describes why a range was not locked; `None` if there is no sliding to remove.
fn left_in_words(label: &str, judged: &ik::Judged) -> Option<String> {
    let centimeters = |speed: f32| format!("{:.1} cm/s", speed * 100.0);
    let (was, is) = judged.slid;
    let why = match judged.left? {
        ik::LeftOut::Stands => return None,
        ik::LeftOut::Reach(short) => format!(
            "its limb is {:.1} cm too short to reach the held position. Hold a shorter range, or \
                move the hips closer first",
            short * 100.0
        ),
        ik::LeftOut::Slides => {
            format!(
                "it would then slide by up to {} instead of {}",
                centimeters(is.joint),
                centimeters(was.joint)
            )
        }
        ik::LeftOut::Rolls => format!(
            "it rolls or turns in that range, so its skin would slide by up to {} instead of {}. \
                Hold a shorter range, or hold the toes",
            centimeters(is.skin),
            centimeters(was.skin)
        ),
        ik::LeftOut::Hurries => {
            "it would have to move faster than anywhere else in the clip to catch up. Use a longer \
                “ease”"
                .to_owned()
        }
    };
    let (from, to) = (judged.range.from, judged.range.to);
    Some(format!("{label} was left unchanged from {from:.2} s to {to:.2} s: {why}"))
}

impl HoldReport {
    /// Adds the results of a node.
    pub(super) fn add(&mut self, label: &str, held: &ik::Held) {
        for judged in &held.ranges {
            match judged.left {
                None => {
                    self.held += 1;
                    self.slid =
                        (self.slid.0.max(judged.slid.0.skin), self.slid.1.max(judged.slid.1.skin));
                }
                Some(ik::LeftOut::Stands) => self.standing += 1,
                Some(_) => self.left.extend(left_in_words(label, judged)),
            }
        }
        self.error = self.error.max(held.error);
        if held.short {
            self.left
                .push(format!("the limb of {label} cannot reach any farther, so it still slides"));
        }
        self.jumps.extend(held.jump.map(|jump| {
            format!(
                "warning: at {:.2} s, {label} moves {:.1} cm more within one frame than before, \
                    and a joint rotates {:.0}° more",
                jump.time,
                jump.way * 100.0,
                jump.turn.to_degrees()
            )
        }));
    }

    /// Describes the results.
    ///
    /// # Errors
    /// If no range was locked, and some range slides.
    pub(super) fn in_words(self, ground: Vec3) -> Result<Vec<Notice>, CommandError> {
        let ranges = |n: usize| if n == 1 { "1 range".to_owned() } else { format!("{n} ranges") };
        let mut parts = Vec::new();
        if self.held > 0 {
            let held = format!(
                "held over {}; max sliding of the skin was {:.1} cm/s and is now {:.1} cm/s; the \
                    joint stays within {:.1} mm of its place",
                ranges(self.held),
                self.slid.0 * 100.0,
                self.slid.1 * 100.0,
                self.error * 1000.0
            );
            parts.push(Notice::new("foot_held", held));
        } else if self.standing == 0 {
            return Err(CommandError::other("foot_not_held", self.left.join("; ")));
        }
        if self.standing > 0 {
            let standing = format!(
                "{} left unchanged, because there is no sliding to remove",
                ranges(self.standing)
            );
            parts.push(Notice::new("foot_stands_already", standing));
        }
        if ground != Vec3::ZERO && self.held > 0 {
            let moving = format!(
                "the ground moves at {:.2} m/s under the body, estimated from its planted feet; \
                    use “ground”: “still” to hold the foot in the scene",
                ground.length()
            );
            parts.push(Notice::new("ground_moves", moving));
        }
        parts.extend(self.left.into_iter().map(|said| Notice::new("foot_not_held", said)));
        parts.extend(self.jumps.into_iter().map(|said| Notice::new("motion_jumps", said)));
        Ok(parts)
    }
}
