//! Sets keys for a motion that is defined by a pose at every time. All keys are on whole frames.

use glam::{Quat, Vec3};

use crate::body::{FINGERS, Skeleton};
use crate::pose::Pose;

/// Frames per second of every clip.
pub const FRAME_RATE: f32 = 30.0;

/// Key values of a track.
#[derive(Clone, Debug)]
pub enum Keys {
    /// Local rotations.
    Rotation(Vec<Quat>),
    /// Local translations, in meters.
    Translation(Vec<Vec3>),
    /// Weights of the morph targets, `0..=1`.
    Weights(Vec<[f32; 2]>),
}

/// Keys for one property of one joint, or of the figure's mesh.
#[derive(Clone, Debug)]
pub struct Track {
    /// Index of the joint; `None` for the mesh.
    pub joint: Option<usize>,
    /// Frame numbers of the keys.
    pub frames: Vec<u32>,
    /// Value at each key.
    pub keys: Keys,
}

/// A named motion.
#[derive(Clone, Debug)]
pub struct Clip {
    /// Name of the clip in the file.
    pub name: &'static str,
    /// Tracks, ordered by joint.
    pub tracks: Vec<Track>,
}

/// Number of frames between the keys of each group of joints.
pub struct Spacing {
    /// Number of frames between keys of the hips.
    pub hips: u32,
    /// Number of frames between keys of legs and feet.
    pub legs: u32,
    /// Number of frames between keys of spine, neck and head.
    pub trunk: u32,
    /// Number of frames between keys of shoulders, arms and hands.
    pub arms: u32,
    /// Number of frames between keys of fingers.
    pub fingers: u32,
}

impl Spacing {
    /// Returns the frames on which the joint `name` has keys.
    fn frames(&self, name: &str, length: u32) -> Vec<u32> {
        let has = |parts: &[&str]| parts.iter().any(|&p| name.contains(p));
        let step = if has(&FINGERS) {
            self.fingers
        } else if has(&["Shoulder", "Arm", "Hand"]) {
            self.arms
        } else if has(&["Leg", "Foot", "Toes"]) {
            self.legs
        } else if has(&["Hips"]) {
            self.hips
        } else {
            self.trunk
        };
        (0..length).step_by(step as usize).chain([length]).collect()
    }
}

/// Creates keys from the poses of a motion with `length` frames.
pub fn key<'a>(
    skeleton: &'a Skeleton,
    name: &'static str,
    length: u32,
    spacing: &Spacing,
    looped: bool,
    pose_at: impl Fn(f32) -> Pose<'a>,
) -> Clip {
    // The last frame of a loop equals its first.
    let wrap = |f: u32| if looped { f % length } else { f };
    let mut poses: Vec<Pose> = (0..=length).map(|f| pose_at(wrap(f) as f32)).collect();
    // Between their keys, the hips are interpolated. The legs must reach from these positions.
    let hips = spacing.frames("Hips", length);
    for pair in hips.windows(2) {
        let (from, to) = (pair[0] as usize, pair[1] as usize);
        for f in from + 1..to {
            let t = (f - from) as f32 / (to - from) as f32;
            poses[f].hips = poses[from].hips.lerp(poses[to].hips, t);
            poses[f].turns[0] = poses[from].turns[0].slerp(poses[to].turns[0], t);
        }
    }
    for pose in &mut poses {
        pose.plant(0);
        pose.plant(1);
    }
    let mut tracks = Vec::new();
    if poses.iter().any(|pose| pose.weights != [0.0; 2]) {
        let frames = spacing.frames("Chest", length);
        let keys = frames.iter().map(|&f| poses[f as usize].weights).collect();
        tracks.push(Track { joint: None, keys: Keys::Weights(keys), frames });
    }
    for (j, joint) in skeleton.joints.iter().enumerate() {
        let moves = |pose: &Pose| pose.turns[j].angle_between(Quat::IDENTITY) > 1e-4;
        let frames = spacing.frames(&joint.name, length);
        if joint.parent.is_none() {
            let place = |&f: &u32| joint.head + poses[f as usize].hips;
            tracks.push(Track {
                joint: Some(j),
                keys: Keys::Translation(frames.iter().map(place).collect()),
                frames: frames.clone(),
            });
        }
        if poses.iter().any(moves) {
            let keys = frames.iter().map(|&f| poses[f as usize].local(j));
            tracks.push(Track { joint: Some(j), keys: Keys::Rotation(keys.collect()), frames });
        }
    }
    Clip { name, tracks }
}
