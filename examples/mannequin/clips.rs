//! The figure's motions: Idle, Walk, Run and Wave, drawn as continuous poses
//! with planted feet and then keyed sparsely on whole frames.

use std::f32::consts::TAU;

use glam::{Mat3, Quat, Vec3, vec3};

use crate::body::{FINGERS, SIDES, Skeleton};
use crate::morphs::{BREATHE, FLEX};

/// Frames per second of every clip.
pub const FRAME_RATE: f32 = 30.0;

/// What a track moves.
#[derive(Clone, Debug)]
pub enum Keys {
    /// Local rotations.
    Rotation(Vec<Quat>),
    /// Local translations, in metres.
    Translation(Vec<Vec3>),
    /// How much of each morph target there is, 0 to 1.
    Weights(Vec<[f32; 2]>),
}

/// Keys for one property of one joint, or of the figure's mesh.
#[derive(Clone, Debug)]
pub struct Track {
    /// Index of the joint; none for the mesh.
    pub joint: Option<usize>,
    /// The frames the keys stand on.
    pub frames: Vec<u32>,
    /// The value at each of those frames.
    pub keys: Keys,
}

/// A named motion.
#[derive(Clone, Debug)]
pub struct Clip {
    /// Its name in the file.
    pub name: &'static str,
    /// Its tracks, by joint.
    pub tracks: Vec<Track>,
}

/// A pose, as turns away from the rest pose.
///
/// A joint's turn is given in the figure's own axes (X left, Y up, Z forward) as
/// they stand after its parents' turns, so that a positive turn about X always
/// bends forward whatever the joint's own axes are.
#[derive(Clone)]
struct Pose<'a> {
    skeleton: &'a Skeleton,
    hips: Vec3,
    turns: Vec<Quat>,
    /// Where the feet are to be planted.
    feet: [Foot; 2],
    /// How much of each morph target there is.
    weights: [f32; 2],
}

/// Where a foot is.
#[derive(Clone, Copy, Debug, Default)]
struct Foot {
    ankle: Vec3,
    /// Toes down is positive, in radians.
    pitch: f32,
    /// Turn outward, in radians.
    yaw: f32,
    /// How far the toes bend up against the foot, in radians.
    toes: f32,
}

fn rx(degrees: f32) -> Quat {
    Quat::from_rotation_x(degrees.to_radians())
}

fn ry(degrees: f32) -> Quat {
    Quat::from_rotation_y(degrees.to_radians())
}

fn rz(degrees: f32) -> Quat {
    Quat::from_rotation_z(degrees.to_radians())
}

/// The same turn on the other side of the body.
fn mirror(turn: Quat, sign: f32) -> Quat {
    Quat::from_xyzw(turn.x, turn.y * sign, turn.z * sign, turn.w)
}

/// A wave of one cycle per unit of `t`, 1 at `peak`.
fn wave(t: f32, peak: f32) -> f32 {
    ((t - peak) * TAU).cos()
}

fn smooth(t: f32) -> f32 {
    let t = t.clamp(0.0, 1.0);
    t * t * (3.0 - 2.0 * t)
}

impl<'a> Pose<'a> {
    fn new(skeleton: &'a Skeleton) -> Self {
        Self {
            skeleton,
            hips: Vec3::ZERO,
            turns: vec![Quat::IDENTITY; skeleton.joints.len()],
            feet: SIDES
                .map(|(prefix, _)| Foot { ankle: skeleton.at(&format!("{prefix}Foot")).head, ..Foot::default() }),
            weights: [0.0; 2],
        }
    }

    fn turn(&mut self, name: &str, turn: Quat) {
        if let Some(joint) = self.skeleton.find(name) {
            self.turns[joint] = turn;
        }
    }

    /// Turns a joint of one side; `turn` is drawn for the left.
    fn turn_side(&mut self, side: usize, part: &str, turn: Quat) {
        let (prefix, sign) = SIDES[side];
        self.turn(&format!("{prefix}{part}"), mirror(turn, sign));
    }

    /// Bends an elbow by so many degrees and rolls the forearm inward.
    fn elbow(&mut self, side: usize, bend: f32, roll: f32) {
        let lower = self.skeleton.at("LeftLowerArm").rotation;
        let bend = Quat::from_axis_angle(lower * Vec3::X, bend.to_radians());
        let roll = Quat::from_axis_angle(lower * Vec3::Y, roll.to_radians());
        self.turn_side(side, "LowerArm", bend * roll);
    }

    /// Turns a hand: toward the palm, and toward the thumb.
    fn hand(&mut self, side: usize, palmward: f32, thumbward: f32) {
        let hand = self.skeleton.at("LeftHand").rotation;
        let turn = hand * rz(-palmward) * rx(thumbward) * hand.inverse();
        self.turn_side(side, "Hand", turn);
    }

    /// Curls the fingers of a hand; the thumb follows less.
    fn curl(&mut self, side: usize, degrees: [f32; 5]) {
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

    /// Every joint's turn away from rest in world axes, and its position.
    fn world(&self) -> (Vec<Quat>, Vec<Vec3>) {
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

    /// Reaches a foot to its place with hip and knee, the knee forward.
    fn plant(&mut self, side: usize) {
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
        // The knee points where pelvis and toes point on average.
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

    /// This pose and another, mixed.
    fn mix(&self, other: &Self, t: f32) -> Self {
        let pairs = self.turns.iter().zip(&other.turns);
        Self {
            skeleton: self.skeleton,
            hips: self.hips.lerp(other.hips, t),
            turns: pairs.map(|(a, b)| a.slerp(*b, t)).collect(),
            feet: self.feet,
            weights: self.weights,
        }
    }

    /// A joint's rotation in its parent's axes, as files store it.
    fn local(&self, joint: usize) -> Quat {
        let joints = &self.skeleton.joints;
        let rest = joints[joint].rotation;
        let parent = joints[joint].parent;
        let parent = parent.map_or(Quat::IDENTITY, |p| joints[p].rotation);
        let still = parent.inverse() * rest;
        let local = (parent.inverse() * self.turns[joint] * rest).normalize();
        // The same sign all through the clip.
        if local.dot(still) < 0.0 { -local } else { local }
    }
}

/// A smooth curve through points, with given slopes at both ends.
fn spline(keys: &[(f32, f32)], first: f32, last: f32, t: f32) -> f32 {
    let n = keys.len();
    let slope = |i: usize| match i {
        0 => first,
        i if i + 1 == n => last,
        i => (keys[i + 1].1 - keys[i - 1].1) / (keys[i + 1].0 - keys[i - 1].0),
    };
    let i = (1..n - 1).take_while(|&i| keys[i].0 <= t).count();
    let ((t0, a), (t1, b)) = (keys[i], keys[i + 1]);
    let h = t1 - t0;
    let u = ((t - t0) / h).clamp(0.0, 1.0);
    let (u2, u3) = (u * u, u * u * u);
    a * (2.0 * u3 - 3.0 * u2 + 1.0)
        + b * (3.0 * u2 - 2.0 * u3)
        + slope(i) * h * (u3 - 2.0 * u2 + u)
        + slope(i + 1) * h * (u3 - u2)
}

/// How the feet go through one cycle, from heel strike to heel strike.
struct Gait {
    /// Metres per cycle.
    stride: f32,
    /// Part of the cycle the foot is on the ground.
    stance: f32,
    /// Where the foot comes down, ahead of its rest place.
    contact: f32,
    /// Foot pitch over the cycle (time, degrees), from 0 to 1.
    pitch: &'static [(f32, f32)],
    /// The ankle in the air: time, height and distance ahead.
    swing: &'static [(f32, f32, f32)],
    /// How far the feet come together from their rest places.
    narrow: f32,
}

/// The middle of the round heel.
const HEEL: Vec3 = vec3(0.0, 0.036, -0.046);
/// The joint of the toes.
const BALL: Vec3 = vec3(0.0, 0.024, 0.100);

impl Gait {
    fn pitch(&self, t: f32) -> f32 {
        spline(self.pitch, 0.0, 0.0, t).to_radians()
    }

    /// Height and distance ahead of the ankle while the foot is on the ground,
    /// which goes back evenly under the figure.
    fn grounded(&self, rest: Vec3, t: f32) -> (f32, f32) {
        let pitch = self.pitch(t);
        // The foot rolls on its round heel, then turns about the root of the
        // toes, which stay flat.
        let (pivot, roll) = if pitch < 0.0 { (HEEL, HEEL.y * pitch) } else { (BALL, 0.0) };
        let arm = Quat::from_rotation_x(pitch) * vec3(0.0, rest.y - pivot.y, rest.z - pivot.z);
        let ahead = self.contact - self.stride * t + pivot.z + roll + arm.z;
        // The flesh under the toes' root would sink in while they bend.
        let rise = 0.009 * smooth((pitch - 0.15) / 0.30);
        (pivot.y + arm.y + rise, ahead)
    }

    fn foot(&self, skeleton: &Skeleton, side: usize, t: f32) -> Foot {
        let t = t.rem_euclid(1.0);
        let (prefix, sign) = SIDES[side];
        let rest = skeleton.at(&format!("{prefix}Foot")).head;
        let (y, z) = if t <= self.stance {
            self.grounded(rest, t)
        } else {
            const H: f32 = 1e-3;
            let (from, before) = (self.grounded(rest, self.stance), self.grounded(rest, self.stance - H));
            let (to, after) = (self.grounded(rest, 0.0), self.grounded(rest, H));
            let mut heights = vec![(self.stance, from.0)];
            let mut aheads = vec![(self.stance, from.1)];
            for &(at, height, ahead) in self.swing {
                heights.push((at, height));
                aheads.push((at, ahead));
            }
            heights.push((1.0, to.0));
            aheads.push((1.0, to.1));
            (
                spline(&heights, (from.0 - before.0) / H, (after.0 - to.0) / H, t),
                spline(&aheads, (from.1 - before.1) / H, (after.1 - to.1) / H, t),
            )
        };
        let pitch = self.pitch(t);
        // While the heel is up the toes stay on the ground; in the air they relax.
        let flat = pitch.max(0.0);
        let relaxed = 0.12 * flat;
        let toes = if t <= self.stance {
            flat
        } else {
            let u = smooth((t - self.stance) / 0.14);
            flat + (relaxed - flat) * u
        };
        Foot { ankle: vec3(rest.x - sign * self.narrow, y, z), pitch, yaw: 0.03, toes }
    }
}

const WALK: Gait = Gait {
    stride: 1.16,
    stance: 0.61,
    contact: 0.265,
    pitch: &[
        (0.0, -19.0),
        (0.06, -8.0),
        (0.12, 0.0),
        (0.34, 0.0),
        (0.48, 17.0),
        (0.61, 54.0),
        (0.67, 56.0),
        (0.79, 12.0),
        (0.90, -15.0),
        (1.0, -19.0),
    ],
    swing: &[(0.70, 0.218, -0.205), (0.80, 0.158, 0.050), (0.90, 0.126, 0.255)],
    narrow: 0.024,
};

const RUN: Gait = Gait {
    stride: 2.10,
    stance: 0.32,
    contact: 0.235,
    pitch: &[
        (0.0, -8.0),
        (0.06, 0.0),
        (0.14, 2.0),
        (0.22, 20.0),
        (0.32, 55.0),
        (0.46, 82.0),
        (0.58, 72.0),
        (0.70, 38.0),
        (0.82, 4.0),
        (0.92, -10.0),
        (1.0, -8.0),
    ],
    swing: &[
        (0.42, 0.330, -0.430),
        (0.52, 0.460, -0.340),
        (0.62, 0.480, -0.130),
        (0.72, 0.400, 0.140),
        (0.82, 0.280, 0.350),
        (0.92, 0.155, 0.370),
    ],
    narrow: 0.046,
};

/// Relaxed arms hanging beside the body.
fn hang(pose: &mut Pose, side: usize) {
    pose.turn_side(side, "Shoulder", rz(-3.0));
    pose.turn_side(side, "UpperArm", rx(2.0) * rz(-30.0));
    pose.elbow(side, 10.0, 8.0);
    pose.hand(side, 4.0, 0.0);
    pose.curl(side, [8.0, 14.0, 18.0, 21.0, 24.0]);
}

/// Walking: contact at 0, down at 0.12, passing at 0.3, up at 0.42.
fn walk<'a>(skeleton: &'a Skeleton, t: f32) -> Pose<'a> {
    let mut pose = Pose::new(skeleton);
    let bob = -0.030 - 0.019 * wave(2.0 * t, 0.22);
    pose.hips = vec3(0.020 * wave(t, 0.31), bob, 0.006 * wave(2.0 * t, 0.9));
    let yaw = -7.0 * wave(t, 0.02);
    let roll = 3.5 * wave(t, 0.22);
    pose.turn("Hips", ry(yaw) * rz(roll) * rx(3.0 + 1.2 * wave(2.0 * t, 0.1)));
    // The shoulders turn against the hips and keep level.
    let counter = 6.5 * wave(t, 0.06);
    pose.turn("Spine", ry(counter * 0.7) * rz(-roll * 0.55) * rx(-1.0));
    pose.turn("Chest", ry(counter * 0.8) * rz(-roll * 0.60) * rx(0.5));
    pose.turn("UpperChest", ry(counter * 0.5) * rz(-roll * 0.2) * rx(1.0));
    let shoulders = yaw + counter * 2.0;
    let nod = 1.3 * wave(2.0 * t, 0.18);
    pose.turn("Neck", ry(-shoulders * 0.4) * rz(roll * 0.1) * rx(1.5));
    pose.turn("Head", ry(-shoulders * 0.5) * rz(roll * 0.15) * rx(-4.5 + nod));
    for side in 0..2 {
        let t = t + 0.5 * side as f32;
        // The arm goes back while its own leg goes forward, the forearm trailing.
        let swing = 7.0 + 19.0 * wave(t, 0.03);
        let forward = 0.5 - 0.5 * wave(t, 0.10);
        pose.turn_side(side, "Shoulder", ry(3.0 * wave(t, 0.03)) * rz(-3.0));
        pose.turn_side(side, "UpperArm", rx(swing) * rz(-27.0) * ry(2.0));
        pose.elbow(side, 8.0 + 18.0 * smooth(forward), 6.0);
        pose.hand(side, 5.0 - 5.0 * wave(t, 0.16), 3.0 * wave(t, 0.1));
        let loose = 3.0 * wave(t, 0.2);
        let curls = [10.0, 18.0, 22.0, 25.0, 28.0].map(|c| c + loose);
        pose.curl(side, curls);
        pose.feet[side] = WALK.foot(skeleton, side, t);
    }
    pose
}

/// Running: contact at 0, flight from 0.32 to 0.5 and from 0.82 to 1.
fn run<'a>(skeleton: &'a Skeleton, t: f32) -> Pose<'a> {
    let mut pose = Pose::new(skeleton);
    let bob = -0.040 + 0.036 * wave(2.0 * t, 0.82);
    pose.hips = vec3(0.012 * wave(t, 0.16), bob, 0.010 * wave(2.0 * t, 0.7));
    let yaw = -10.0 * wave(t, 0.95);
    let roll = 3.5 * wave(t, 0.12);
    pose.turn("Hips", ry(yaw) * rz(roll) * rx(10.0 + 2.0 * wave(2.0 * t, 0.6)));
    let counter = 11.0 * wave(t, 0.97);
    pose.turn("Spine", ry(counter * 0.6) * rz(-roll * 0.5) * rx(2.0));
    pose.turn("Chest", ry(counter * 0.8) * rz(-roll * 0.5) * rx(2.0));
    pose.turn("UpperChest", ry(counter * 0.6) * rz(-roll * 0.2) * rx(1.0));
    let shoulders = yaw + counter * 2.0;
    pose.turn("Neck", ry(-shoulders * 0.4) * rx(-3.0));
    let nod = 2.0 * wave(2.0 * t, 0.25);
    pose.turn("Head", ry(-shoulders * 0.5) * rx(-9.0 + nod));
    for side in 0..2 {
        let t = t + 0.5 * side as f32;
        let swing = 13.0 + 35.0 * wave(t, 0.97);
        let forward = 0.5 - 0.5 * wave(t, 0.0);
        pose.turn_side(side, "Shoulder", ry(6.0 * wave(t, 0.97)) * rz(-3.0));
        let inward = ry(-3.0 + 15.0 * wave(t, 0.0));
        pose.turn_side(side, "UpperArm", rx(swing) * rz(-17.0) * inward);
        pose.elbow(side, 70.0 + 18.0 * forward, 12.0);
        pose.hand(side, 6.0 - 4.0 * wave(t, 0.1), 4.0);
        pose.curl(side, [22.0, 44.0, 48.0, 52.0, 55.0]);
        pose.feet[side] = RUN.foot(skeleton, side, t);
    }
    pose
}

/// Standing: one slow breath and one shift of weight to the left and back.
fn idle<'a>(skeleton: &'a Skeleton, t: f32) -> Pose<'a> {
    let mut pose = Pose::new(skeleton);
    let breath = 0.5 - 0.5 * wave(2.0 * t, 0.0);
    let shift = wave(t, 0.25);
    pose.weights[BREATHE] = breath;
    pose.hips = vec3(0.022 * shift, -0.005 - 0.004 * shift * shift + 0.002 * breath, 0.0);
    pose.turn("Hips", ry(1.5 * shift) * rz(1.8 * shift) * rx(0.6));
    pose.turn("Spine", rz(-1.4 * shift) * rx(0.8 - 0.8 * breath));
    pose.turn("Chest", rz(-shift) * ry(-0.8 * shift) * rx(0.6 - 1.5 * breath));
    pose.turn("UpperChest", rz(-0.4 * shift) * rx(0.4 - 1.3 * breath));
    pose.turn("Neck", ry(-1.2 * wave(t, 0.35)) * rx(1.5 + 1.0 * breath));
    let look = 3.5 * wave(t, 0.45);
    pose.turn("Head", ry(look) * rz(0.8 * shift) * rx(-1.5 + 1.2 * breath));
    for (side, (_, sign)) in SIDES.into_iter().enumerate() {
        hang(&mut pose, side);
        let lift = 1.6 * breath;
        pose.turn_side(side, "Shoulder", rz(-5.0 + lift) * ry(-0.8 * breath));
        let sway = 1.2 * wave(t, 0.3) * sign;
        pose.turn_side(side, "UpperArm", rx(2.0 - 0.8 * breath) * rz(-30.0 - lift + sway));
        pose.elbow(side, 11.0 + 1.6 * wave(2.0 * t, 0.6), 8.0);
        let loose = 1.8 * wave(2.0 * t, 0.65);
        let curls = [8.0, 14.0, 18.0, 21.0, 24.0].map(|c| c + loose);
        pose.curl(side, curls);
    }
    pose
}

/// The seconds-long greeting: `t` in frames.
fn greet<'a>(skeleton: &'a Skeleton, frame: f32) -> Pose<'a> {
    const RIGHT: usize = 1;
    let stand = idle(skeleton, 0.0);
    // Up, with a small overshoot, and down again.
    let raise = smooth((frame - 3.0) / 15.0) - smooth((frame - 66.0) / 18.0);
    let body = smooth(frame / 16.0) - smooth((frame - 64.0) / 22.0);
    let beat = smooth((frame - 14.0) / 6.0) - smooth((frame - 60.0) / 6.0);
    // Two and a half waves of the hand, eighteen frames each.
    let phase = (frame - 18.0) / 18.0;
    let (side, lag) = (beat * wave(phase, 0.25), beat * wave(phase, 0.40));

    let mut up = stand.clone();
    up.turn_side(RIGHT, "Shoulder", rz(9.0) * ry(-4.0));
    let lift = rz(-11.0) * ry(-16.0) * rx(-68.0) * rz(45.0);
    up.turn_side(RIGHT, "UpperArm", lift);
    up.elbow(RIGHT, 91.0 + 17.0 * side, 10.0);
    up.hand(RIGHT, -6.0, 15.0 * lag);
    let open = [-4.0, -3.0, -2.0, -1.0, 1.0];
    up.curl(RIGHT, open.map(|c| c + 3.0 * lag));

    let mut pose = stand.mix(&up, raise);
    pose.weights[BREATHE] = 0.6 * (smooth(frame / 18.0) - smooth((frame - 50.0) / 34.0));
    pose.weights[FLEX] = 0.5 * raise;
    // The forearm leads on the way up and stays folded on the way down.
    let fold = smooth((frame - 1.0) / 13.0) - smooth((frame - 69.0) / 17.0);
    if let Some(elbow) = skeleton.find("RightLowerArm") {
        pose.turns[elbow] = stand.turns[elbow].slerp(up.turns[elbow], fold);
    }
    // The weight goes to the left leg, the head tilts toward the hand.
    pose.hips += vec3(0.020, -0.003, 0.0) * body;
    let add = |pose: &mut Pose, name: &str, turn: Quat| {
        if let Some(joint) = pose.skeleton.find(name) {
            let turn = Quat::IDENTITY.slerp(turn, body);
            pose.turns[joint] = turn * pose.turns[joint];
        }
    };
    let sway = 1.2 * side;
    add(&mut pose, "Hips", rz(1.8) * ry(-2.0));
    add(&mut pose, "Spine", rz(0.5 + 0.3 * sway) * ry(-2.0));
    add(&mut pose, "Chest", rz(1.5 + 0.4 * sway) * ry(-2.5));
    add(&mut pose, "UpperChest", rz(1.0 + 0.3 * sway) * rx(-2.0));
    add(&mut pose, "Neck", rz(-2.0) * ry(2.0));
    add(&mut pose, "Head", rz(-7.0 - 0.6 * sway) * ry(3.0) * rx(-3.0));
    pose
}

/// How many frames apart a joint's keys stand.
struct Spacing {
    hips: u32,
    /// Legs and feet in the air.
    legs: u32,
    /// So many frames from the start of its half of the clip, a leg has a key on
    /// every frame, so that the foot stays where it stands.
    stance: u32,
    /// Spine, neck and head.
    trunk: u32,
    /// Shoulders, arms and hands.
    arms: u32,
    fingers: u32,
}

impl Spacing {
    /// The frames that `name` has keys on.
    fn frames(&self, name: &str, length: u32) -> Vec<u32> {
        let has = |parts: &[&str]| parts.iter().any(|&p| name.contains(p));
        let (step, stance) = if has(&FINGERS) {
            (self.fingers, 0)
        } else if has(&["Shoulder", "Arm", "Hand"]) {
            (self.arms, 0)
        } else if has(&["Leg", "Foot", "Toes"]) {
            (self.legs, self.stance)
        } else if has(&["Hips"]) {
            (self.hips, 0)
        } else {
            (self.trunk, 0)
        };
        let start = if name.starts_with("Right") { length / 2 } else { 0 };
        let keyed = |f: &u32| f.is_multiple_of(step) || (f + length - start) % length < stance;
        (0..length).filter(keyed).chain([length]).collect()
    }
}

fn key<'a>(
    skeleton: &'a Skeleton,
    name: &'static str,
    length: u32,
    spacing: &Spacing,
    looped: bool,
    pose_at: impl Fn(f32) -> Pose<'a>,
) -> Clip {
    // The last frame of a loop is its first.
    let wrap = |f: u32| if looped { f % length } else { f };
    let mut poses: Vec<Pose> = (0..=length).map(|f| pose_at(wrap(f) as f32)).collect();
    // The legs reach from where the hips really are between their keys.
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

/// All four motions.
pub fn clips(skeleton: &Skeleton) -> Vec<Clip> {
    let spacing = |hips, legs, stance, trunk, arms, fingers| Spacing { hips, legs, stance, trunk, arms, fingers };
    let standing = spacing(6, 6, 0, 6, 10, 15);
    let walking = spacing(2, 2, 0, 3, 3, 5);
    let running = spacing(2, 2, 7, 2, 2, 5);
    let waving = spacing(5, 5, 0, 5, 3, 6);
    vec![
        key(skeleton, "Idle", 120, &standing, true, |f| idle(skeleton, f / 120.0)),
        key(skeleton, "Walk", 30, &walking, true, |f| walk(skeleton, f / 30.0)),
        key(skeleton, "Run", 20, &running, true, |f| run(skeleton, f / 20.0)),
        key(skeleton, "Wave", 90, &waving, false, |f| greet(skeleton, f)),
    ]
}
