//! Motion of the feet while walking and running: planted during stance, and along an arc during
//! swing.

use glam::{Quat, Vec3, vec3};

use crate::body::{SIDES, Skeleton};
use crate::pose::{Foot, smooth};

/// Evaluates a smooth curve through points, with given slopes at both ends.
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

/// Motion of the feet in one cycle, from heel strike to heel strike.
pub struct Gait {
    /// Travel per cycle, in meters.
    stride: f32,
    /// Fraction of the cycle in which the foot is on the ground.
    stance: f32,
    /// Distance of the foot ahead of its rest position at the heel strike, in meters.
    contact: f32,
    /// Foot pitch over the cycle: time from 0 to 1, and degrees.
    pitch: &'static [(f32, f32)],
    /// Ankle during swing: time, height, and distance ahead.
    swing: &'static [(f32, f32, f32)],
    /// Distance by which each foot is moved from its rest position toward the middle.
    narrow: f32,
}

/// Center of the round heel in the rest pose, in meters. X is not used.
const HEEL: Vec3 = vec3(0.0, 0.036, -0.046);
/// Joint of the toes in the rest pose, in meters. X is not used.
const BALL: Vec3 = vec3(0.0, 0.024, 0.100);

impl Gait {
    fn pitch(&self, t: f32) -> f32 {
        spline(self.pitch, 0.0, 0.0, t).to_radians()
    }

    /// Returns the height of the ankle, and its distance ahead, while the foot is on the ground.
    /// The foot moves back under the figure at constant speed.
    fn grounded(&self, rest: Vec3, t: f32) -> (f32, f32) {
        let pitch = self.pitch(t);
        // The foot rolls on its round heel, and then rotates about the base of the toes, which stay
        // flat.
        let (pivot, roll) = if pitch < 0.0 { (HEEL, HEEL.y * pitch) } else { (BALL, 0.0) };
        let arm = Quat::from_rotation_x(pitch) * vec3(0.0, rest.y - pivot.y, rest.z - pivot.z);
        let ahead = self.contact - self.stride * t + pivot.z + roll + arm.z;
        // Raises the base of the toes, because bent toes would sink into the ground.
        let rise = 0.009 * smooth((pitch - 0.15) / 0.30);
        (pivot.y + arm.y + rise, ahead)
    }

    /// Returns the pose of a foot. `t` is the time since its own heel strike, in cycles.
    pub fn foot(&self, skeleton: &Skeleton, side: usize, t: f32) -> Foot {
        let t = t.rem_euclid(1.0);
        let (prefix, sign) = SIDES[side];
        let rest = skeleton.at(&format!("{prefix}Foot")).head;
        let (y, z) = if t <= self.stance {
            self.grounded(rest, t)
        } else {
            const H: f32 = 1e-3;
            let (from, before) =
                (self.grounded(rest, self.stance), self.grounded(rest, self.stance - H));
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
        // While the heel is up, the toes stay on the ground. In the air, they relax.
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

/// A walk of 1.16 m per cycle.
pub const WALK: Gait = Gait {
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

/// A run of 2.1 m per cycle.
pub const RUN: Gait = Gait {
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
