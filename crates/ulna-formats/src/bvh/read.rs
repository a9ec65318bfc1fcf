//! Parses the text of a BVH file: joints, channels and frames.

use std::str::SplitAsciiWhitespace;

use glam::Vec3;

use crate::{Budget, gltf::ReadError};
use ulna_model::{Diagnostics, Severity};

/// A coordinate axis of the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Axis {
    X,
    Y,
    Z,
}

/// Channel of a joint: the meaning of one number of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Channel {
    Place(Axis),
    /// Rotation about an axis, in degrees.
    Turn(Axis),
}

impl Channel {
    fn named(word: &str) -> Option<Self> {
        let mut letters = word.chars();
        let axis = match letters.next()?.to_ascii_lowercase() {
            'x' => Axis::X,
            'y' => Axis::Y,
            'z' => Axis::Z,
            _ => return None,
        };
        match letters.as_str().to_ascii_lowercase().as_str() {
            "position" => Some(Self::Place(axis)),
            "rotation" => Some(Self::Turn(axis)),
            _ => None,
        }
    }
}

/// A joint or an end site. End sites have no channels.
#[derive(Clone, Debug, Default)]
pub(super) struct Joint {
    pub name: String,
    pub parent: Option<usize>,
    /// Offset from the parent joint, in file units.
    pub offset: Vec3,
    pub channels: Vec<Channel>,
    /// Index of the joint's first channel value in a frame.
    pub first: usize,
}

/// Parsed content of a BVH file.
#[derive(Clone, Debug, Default)]
pub(super) struct Capture {
    /// Joints and end sites; parents come before their children.
    pub joints: Vec<Joint>,
    /// Number of channel values per frame.
    pub width: usize,
    pub frames: usize,
    /// Duration of a frame, in seconds.
    pub frame_time: f64,
    /// Channel values of all frames, frame by frame.
    pub values: Vec<f32>,
}

fn fail<T>(message: impl Into<String>) -> Result<T, ReadError> {
    Err(ReadError::at(".bvh", message))
}

/// Reader of words separated by white space. At the end of the text, its error names the expected
/// word.
struct Words<'a>(SplitAsciiWhitespace<'a>);

impl<'a> Words<'a> {
    fn next(&mut self, wanted: &str) -> Result<&'a str, ReadError> {
        match self.0.next() {
            Some(word) => Ok(word),
            None => fail(format!("the file ends where {wanted} is expected")),
        }
    }

    fn expect(&mut self, wanted: &str) -> Result<(), ReadError> {
        let found = self.next(wanted)?;
        if found.eq_ignore_ascii_case(wanted) {
            Ok(())
        } else {
            fail(format!("“{found}” was found where “{wanted}” is expected"))
        }
    }

    fn number(&mut self, of: &str) -> Result<f64, ReadError> {
        let word = self.next(of)?;
        match parsed(word) {
            Some(value) => Ok(value),
            None => fail(format!("“{word}” is not a number, but {of} is expected here")),
        }
    }

    fn count(&mut self, of: &str) -> Result<usize, ReadError> {
        let value = self.number(of)?;
        if (0.0..=4e9).contains(&value) && value.fract() == 0.0 {
            Ok(value as usize)
        } else {
            fail(format!("{value} is not a valid number of {of}"))
        }
    }
}

impl Capture {
    pub(super) fn read(
        bytes: &[u8],
        budget: &mut Budget,
        diagnostics: &mut Diagnostics,
    ) -> Result<Self, ReadError> {
        // Names are the only text in the file, and the format defines no encoding for them.
        let text = String::from_utf8_lossy(bytes);
        let text = text.trim_start_matches('\u{feff}');
        let at = find_motion(text);
        let (tree, motion) = (&text[..at], &text[at..]);
        let mut made = Self::default();
        made.hierarchy(&mut Words(tree.split_ascii_whitespace()), budget)?;
        if motion.is_empty() {
            diagnostics.add(
                Severity::Error,
                "ULNA_BVH_REPAIRED",
                ".bvh",
                "the file has no MOTION section; only the skeleton is read",
            );
            return Ok(made);
        }
        made.motion(motion, budget, diagnostics)?;
        Ok(made)
    }

    /// Parses the joint hierarchy, without recursion.
    fn hierarchy(&mut self, words: &mut Words<'_>, budget: &mut Budget) -> Result<(), ReadError> {
        words.expect("HIERARCHY")?;
        let mut open: Vec<usize> = Vec::new();
        let mut name = String::new();
        let mut named: Option<bool> = None;
        while let Some(word) = words.0.next() {
            match word.to_ascii_uppercase().as_str() {
                "ROOT" | "JOINT" | "END" => {
                    name.clear();
                    named = Some(word.eq_ignore_ascii_case("END"));
                }
                "{" => {
                    let Some(is_end) = named.take() else {
                        return fail("an opening brace does not follow the name of a joint");
                    };
                    let parent = open.last().copied();
                    let name = match (is_end, parent) {
                        (true, Some(parent)) => format!("{} end", self.joints[parent].name),
                        _ => name.clone(),
                    };
                    budget.take((size_of::<Joint>() + name.len()) as u64 + 224, &".bvh".into())?;
                    open.push(self.joints.len());
                    self.joints.push(Joint { name, parent, first: self.width, ..Joint::default() });
                }
                "}" => {
                    if open.pop().is_none() {
                        return fail("a closing brace has no matching opening brace");
                    }
                }
                "OFFSET" if named.is_none() => {
                    let offset = [
                        words.number("an offset")?,
                        words.number("an offset")?,
                        words.number("an offset")?,
                    ];
                    let Some(joint) = open.last() else {
                        return fail("an OFFSET is outside of a joint");
                    };
                    let offset = Vec3::from_array(offset.map(|v| v as f32));
                    if !offset.is_finite() {
                        return fail(format!(
                            "the offset of “{}” is not a number",
                            self.joints[*joint].name
                        ));
                    }
                    self.joints[*joint].offset = offset;
                }
                "CHANNELS" if named.is_none() => self.channels(open.last().copied(), words)?,
                // A name may contain spaces.
                _ if named.is_some() => {
                    if !name.is_empty() {
                        name.push(' ');
                    }
                    name.push_str(word);
                }
                _ => return fail(format!("“{word}” is not a valid keyword inside a joint")),
            }
        }
        if let Some(joint) = open.last() {
            return fail(format!("the file ends inside the joint “{}”", self.joints[*joint].name));
        }
        if self.joints.is_empty() { fail("the file has no joints") } else { Ok(()) }
    }

    fn channels(&mut self, joint: Option<usize>, words: &mut Words<'_>) -> Result<(), ReadError> {
        let Some(joint) = joint else { return fail("CHANNELS is outside of a joint") };
        let count = words.count("channels")?;
        let name = self.joints[joint].name.clone();
        if !self.joints[joint].channels.is_empty() {
            return fail(format!("the joint “{name}” has two CHANNELS entries"));
        }
        self.joints[joint].first = self.width;
        for _ in 0..count {
            let word = words.next("a channel")?;
            let Some(channel) = Channel::named(word) else {
                return fail(format!("“{word}” in the joint “{name}” is not a valid channel"));
            };
            self.joints[joint].channels.push(channel);
            self.width += 1;
        }
        Ok(())
    }

    fn motion(
        &mut self,
        text: &str,
        budget: &mut Budget,
        diagnostics: &mut Diagnostics,
    ) -> Result<(), ReadError> {
        let mut odd = |message: String| {
            diagnostics.add(Severity::Error, "ULNA_BVH_REPAIRED", ".bvh MOTION", message)
        };
        // Some programs write no space after the colons.
        let (start, after) = text.split_once(':').unwrap_or((text, ""));
        let mut words = Words(start.split_ascii_whitespace());
        words.expect("MOTION")?;
        words.expect("Frames")?;
        let (middle, frames) = after.split_once(':').unwrap_or((after, ""));
        let mut words = Words(middle.split_ascii_whitespace());
        let stated = words.count("frames")?;
        words.expect("Frame")?;
        words.expect("Time")?;
        let mut words = Words(frames.split_ascii_whitespace());
        // An invalid frame time is treated as 0. The default rate is then used, with a finding.
        self.frame_time = parsed(words.next("a frame time")?).unwrap_or(f64::NAN);
        let wanted = stated.saturating_mul(self.width);
        // The stated number of frames may be wrong, so it is limited by the length of the text.
        let room = wanted.min(text.len() / 2 + 1);
        // Memory for the numbers, and for the keys made from them.
        budget.take(room as u64 * 12, &".bvh".into())?;
        self.values.reserve_exact(room);
        let mut bad: Option<(usize, String)> = None;
        let mut count = 0usize;
        for word in words.0.by_ref().take(wanted) {
            let value = parsed(word).map_or(f32::NAN, |v| v as f32);
            if !value.is_finite() {
                count += 1;
                bad.get_or_insert_with(|| (self.values.len(), word.to_owned()));
            }
            self.values.push(value);
        }
        self.frames = self.values.len().checked_div(self.width).unwrap_or(0);
        if let Some((at, word)) = bad {
            let joint =
                self.joints.iter().rfind(|j| j.first <= at % self.width && !j.channels.is_empty());
            let place = format!("{} of “{}”", at / self.width + 1, joint.map_or("", |j| &j.name));
            if count * 2 > self.values.len() {
                return fail(format!(
                    "{count} of its {} values are invalid, the first of them “{word}” in frame \
                        {place}",
                    self.values.len()
                ));
            }
            self.fill_from_neighbors();
            let are = if count == 1 {
                "1 value is invalid".to_owned()
            } else {
                format!("{count} values are invalid")
            };
            odd(format!(
                "{are}, such as “{word}” in frame {place}; the value of the nearest valid frame is \
                    used"
            ));
        }
        self.values.truncate(self.frames * self.width);
        if self.frames < stated {
            odd(format!("the file states {stated} frames, but has only {}", self.frames));
        } else if words.0.next().is_some() {
            odd(format!(
                "the file has more values than its {stated} frames need; the extra ones are ignored"
            ));
        }
        Ok(())
    }

    /// Replaces each invalid number by the value of its channel in the nearest valid frame. Of two
    /// equally near frames, the earlier one is used. If there is no valid frame, the value is 0.
    fn fill_from_neighbors(&mut self) {
        for channel in 0..self.width {
            let at = |frame: usize| frame * self.width + channel;
            let frames =
                (0..self.values.len()).map(at).take_while(|k| *k < self.values.len()).count();
            let good: Vec<usize> =
                (0..frames).filter(|f| self.values[at(*f)].is_finite()).collect();
            if good.len() == frames {
                continue;
            }
            for frame in 0..frames {
                let place = frame * self.width + channel;
                if self.values[place].is_finite() {
                    continue;
                }
                let after = good.partition_point(|g| *g < frame);
                let near = [after.checked_sub(1).map(|k| good[k]), good.get(after).copied()];
                let nearest = near.into_iter().flatten().min_by_key(|g| g.abs_diff(frame));
                self.values[place] = nearest.map_or(0.0, |g| self.values[g * self.width + channel]);
            }
        }
    }
}

/// Parses a number. A decimal comma, which some programs write, is accepted.
fn parsed(word: &str) -> Option<f64> {
    word.parse().or_else(|_| word.replace(',', ".").parse()).ok()
}

/// Offset in the text of the line that begins with the word MOTION.
fn find_motion(text: &str) -> usize {
    let mut at = 0;
    // Lines may end with a single carriage return.
    for line in text.split_inclusive(['\n', '\r']) {
        let word = line.split_ascii_whitespace().next().unwrap_or_default();
        if word.eq_ignore_ascii_case("MOTION") {
            return at;
        }
        at += line.len();
    }
    text.len()
}
