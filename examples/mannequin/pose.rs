//! Poses of the figure, as rotations relative to the rest pose, with planted feet.

use std::f32::consts::TAU;

use glam::{Mat3, Quat, Vec3};

use crate::body::{FINGERS, SIDES, Skeleton};

/// A pose, as rotations relative to the rest pose.
///
/// The rotation of a joint is given in the figure's axes (X left, Y up, Z forward), after the
/// rotation of its parents. A positive rotation about X therefore always bends forward, regardless
/// of the joint's own axes.
#[derive(Clone)]
pub struct Pose<'a> {
    /// Skeleton of the figure.
    pub skeleton: &'a Skeleton,
    /// Offset of the hips from the rest position, in meters.
    pub hips: Vec3,
    /// Rotation of every joint.
    pub turns: Vec<Quat>,
    /// Target poses of the left and right foot.
    pub feet: [Foot; 2],
    /// Weights of the morph targets, `0..=1`.
    pub weights: [f32; 2],
}

/// Target pose of a foot.
#[derive(Clone, Copy, Debug, Default)]
pub struct Foot {
    /// Position of the ankle joint, in meters.
    pub ankle: Vec3,
    /// Pitch in radians. Positive is toes down.
    pub pitch: f32,
    /// Outward rotation, in radians.
    pub yaw: f32,
    /// Upward bend of the toes relative to the foot, in radians.
    pub toes: f32,
}

/// Returns a rotation about X, in degrees: forward for joints that point up, and backward for
/// joints that point down.
pub fn rx(degrees: f32) -> Quat {
    Quat::from_rotation_x(degrees.to_radians())
}

/// Returns a rotation about Y, in degrees. Positive is to the left.
pub fn ry(degrees: f32) -> Quat {
    Quat::from_rotation_y(degrees.to_radians())
}

/// Returns a rotation about Z, in degrees. Positive raises the left side.
pub fn rz(degrees: f32) -> Quat {
    Quat::from_rotation_z(degrees.to_radians())
}

/// Returns the mirrored rotation for the other side of the body.
fn mirror(turn: Quat, sign: f32) -> Quat {
    Quat::from_xyzw(turn.x, turn.y * sign, turn.z * sign, turn.w)
}

/// Returns a wave with one cycle per unit of `t`, which is 1 at `peak`.
pub fn wave(t: f32, peak: f32) -> f32 {
    ((t - peak) * TAU).cos()
}

/// Returns a smooth step from 0 to 1 for `t` in `0..=1`.
pub fn smooth(t: f32) -> f32 {
    let t = t.clamp(0.0, 1.0);
    t * t * (3.0 - 2.0 * t)
}

impl<'a> Pose<'a> {
    /// Creates the rest pose.
    pub fn new(skeleton: &'a Skeleton) -> Self {
        Self {
            skeleton,
            hips: Vec3::ZERO,
            turns: vec![Quat::IDENTITY; skeleton.joints.len()],
            feet: SIDES.map(|(prefix, _)| Foot {
                ankle: skeleton.at(&format!("{prefix}Foot")).head,
                ..Foot::default()
            }),
            weights: [0.0; 2],
        }
    }

    /// Sets the rotation of a joint.
    pub fn turn(&mut self, name: &str, turn: Quat) {
        if let Some(joint) = self.skeleton.find(name) {
            self.turns[joint] = turn;
        }
    }

    /// Sets the rotation of a joint on one side. `turn` is defined for the left side.
    pub fn turn_side(&mut self, side: usize, part: &str, turn: Quat) {
        let (prefix, sign) = SIDES[side];
        self.turn(&format!("{prefix}{part}"), mirror(turn, sign));
    }

    /// Bends an elbow, and rolls the forearm inward, in degrees.
    pub fn elbow(&mut self, side: usize, bend: f32, roll: f32) {
        let lower = self.skeleton.at("LeftLowerArm").rotation;
        let bend = Quat::from_axis_angle(lower * Vec3::X, bend.to_radians());
        let roll = Quat::from_axis_angle(lower * Vec3::Y, roll.to_radians());
        self.turn_side(side, "LowerArm", bend * roll);
    }

    /// Rotates a hand toward the palm and toward the thumb, in degrees.
    pub fn hand(&mut self, side: usize, palmward: f32, thumbward: f32) {
        let hand = self.skeleton.at("LeftHand").rotation;
        let turn = hand * rz(-palmward) * rx(thumbward) * hand.inverse();
        self.turn_side(side, "Hand", turn);
    }

    /// Curls the fingers of a hand. `degrees` has one angle per finger.
    pub fn curl(&mut self, side: usize, degrees: [f32; 5]) {
        for (finger, degrees) in FINGERS.into_iter().zip(degrees) {
            for bone in 1..=3 {
                let part = format!("{finger}{bone}");
                let rest = self.skeleton.at(&format!("Left{part}")).rotation;
                let share = [0.8, 1.15, 0.75][bone - 1];
                let turn = rest * rz(-degrees * share) * rest.inverse();
                self.turn_side(side, &part, turn);
            }
        }
    }

    /// Returns the rotation of every joint relative to rest, in world axes, and its position.
    pub fn world(&self) -> (Vec<Quat>, Vec<Vec3>) {
        let joints = &self.skeleton.joints;
        let mut turns: Vec<Quat> = Vec::with_capacity(joints.len());
        let mut places: Vec<Vec3> = Vec::with_capacity(joints.len());
        for (j, joint) in joints.iter().enumerate() {
            let (turn, place) = match joint.parent {
                None => (Quat::IDENTITY, joint.head + self.hips),
                Some(p) => (turns[p], places[p] + turns[p] * (joint.head - joints[p].head)),
            };
            turns.push((turn * self.turns[j]).normalize());
            places.push(place);
        }
        (turns, places)
    }

    /// Moves a foot to its target by rotating hip and knee, with the knee forward.
    pub fn plant(&mut self, side: usize) {
        let foot = self.feet[side];
        let (prefix, sign) = SIDES[side];
        let joint = |part: &str| self.skeleton.find(&format!("{prefix}{part}"));
        let (Some(thigh), Some(shin), Some(ankle), Some(toes)) =
            (joint("UpperLeg"), joint("LowerLeg"), joint("Foot"), joint("Toes"))
        else {
            return;
        };
        let joints = &self.skeleton.joints;
        let rest_thigh = joints[shin].head - joints[thigh].head;
        let rest_shin = joints[ankle].head - joints[shin].head;
        let (turns, places) = self.world();
        let pelvis = joints[thigh].parent.map_or(Quat::IDENTITY, |p| turns[p]);
        let from = places[thigh];
        let (l1, l2) = (rest_thigh.length(), rest_shin.length());
        let reach = foot.ankle - from;
        let distance = reach.length().min((l1 + l2) * 0.9985);
        let toward = reach.normalize_or_zero();
        // The knee points in the mean direction of pelvis and toes.
        let toe_out = Quat::from_rotation_y(foot.yaw * sign);
        let ahead = (pelvis * Vec3::Z + toe_out * Vec3::Z).normalize_or_zero();
        let ahead = ahead.reject_from_normalized(toward).normalize_or_zero();
        let cosine = (l1 * l1 + distance * distance - l2 * l2) / (2.0 * l1 * distance);
        let angle = cosine.clamp(-1.0, 1.0).acos();
        let to_knee = (toward * angle.cos() + ahead * angle.sin()) * l1;
        let to_ankle = toward * distance - to_knee;
        let side_axis = -toward.cross(ahead);
        let frame = |y: Vec3, x: Vec3| {
            let y = y.normalize_or_zero();
            let x = x.reject_from_normalized(y).normalize_or_zero();
            Quat::from_mat3(&Mat3::from_cols(x, y, x.cross(y)))
        };
        let thigh_turn = frame(to_knee, side_axis) * frame(rest_thigh, Vec3::X).inverse();
        let shin_turn = frame(to_ankle, side_axis) * frame(rest_shin, Vec3::X).inverse();
        let foot_turn = toe_out * Quat::from_rotation_x(foot.pitch);
        self.turns[thigh] = pelvis.inverse() * thigh_turn;
        self.turns[shin] = thigh_turn.inverse() * shin_turn;
        self.turns[ankle] = shin_turn.inverse() * foot_turn;
        self.turns[toes] = Quat::from_rotation_x(-foot.toes);
    }

    /// Rotates neck and head so that the head has the rotation `toward` in the figure's axes,
    /// independently of the trunk. The neck takes a part of the rotation.
    pub fn look(&mut self, toward: Quat) {
        let (Some(neck), Some(head)) = (self.skeleton.find("Neck"), self.skeleton.find("Head"))
        else {
            return;
        };
        let (turns, _) = self.world();
        let chest = self.skeleton.joints[neck].parent.map_or(Quat::IDENTITY, |p| turns[p]);
        let whole = (chest.inverse() * toward).normalize();
        self.turns[neck] = Quat::IDENTITY.slerp(whole, 0.45);
        self.turns[head] = self.turns[neck].inverse() * whole;
    }

    /// Returns a blend of this pose with another. `t` is 0 for this pose and 1 for the other.
    pub fn mix(&self, other: &Self, t: f32) -> Self {
        let pairs = self.turns.iter().zip(&other.turns);
        Self {
            skeleton: self.skeleton,
            hips: self.hips.lerp(other.hips, t),
            turns: pairs.map(|(a, b)| a.slerp(*b, t)).collect(),
            feet: self.feet,
            weights: self.weights,
        }
    }

    /// Returns the local rotation of a joint, as files store it.
    pub fn local(&self, joint: usize) -> Quat {
        let joints = &self.skeleton.joints;
        let rest = joints[joint].rotation;
        let parent = joints[joint].parent;
        let parent = parent.map_or(Quat::IDENTITY, |p| joints[p].rotation);
        let still = parent.inverse() * rest;
        let local = (parent.inverse() * self.turns[joint] * rest).normalize();
        // Keeps the sign of the quaternion the same in the whole clip.
        if local.dot(still) < 0.0 { -local } else { local }
    }
}
