//! Motions of the figure: Idle, Walk, Run and Wave.

use glam::vec3;

use crate::body::{SIDES, Skeleton};
use crate::gait::{RUN, WALK};
use crate::keys::{Clip, Spacing, key};
use crate::morphs::{BREATHE, FLEX};
use crate::pose::{Pose, rx, ry, rz, smooth, wave};

/// Returns the walk at `t` cycles: contact at 0, down at 0.12, passing at 0.3, up at 0.42.
fn walk<'a>(skeleton: &'a Skeleton, t: f32) -> Pose<'a> {
    let mut pose = Pose::new(skeleton);
    let bob = -0.036 - 0.018 * wave(2.0 * t, 0.23);
    pose.hips = vec3(0.022 * wave(t, 0.30), bob, 0.006 * wave(2.0 * t, 0.9));
    pose.weights[BREATHE] = 0.25 - 0.25 * wave(t, 0.1);
    // The hip of the front leg moves forward, and the hip of the swinging leg drops.
    let yaw = -7.5 * wave(t, 0.02);
    let roll = 4.2 * wave(t, 0.20) + 0.8 * wave(3.0 * t, 0.4);
    pose.turn("Hips", ry(yaw) * rz(roll) * rx(3.0 + 1.4 * wave(2.0 * t, 0.1)));
    // The shoulders rotate against the hips. Each joint is slightly later than its parent.
    pose.turn("Spine", ry(4.5 * wave(t, 0.03)) * rz(-0.60 * roll) * rx(-1.0));
    pose.turn(
        "Chest",
        ry(5.6 * wave(t, 0.05)) * rz(-0.62 * roll) * rx(0.5 + 0.6 * wave(2.0 * t, 0.28)),
    );
    pose.turn("UpperChest", ry(4.0 * wave(t, 0.07)) * rz(-1.3 * wave(t, 0.27)) * rx(1.0));
    pose.look(
        ry(1.0 * wave(t, 0.1)) * rz(0.8 * wave(t, 0.25)) * rx(0.3 + 1.0 * wave(2.0 * t, 0.30)),
    );
    for side in 0..2 {
        let t = t + 0.5 * side as f32;
        // Each arm swings back while the leg on its side swings forward. Forearm, hand and fingers
        // follow with increasing delay.
        let swing = 6.0 + 20.0 * wave(t, 0.03) + 1.5 * wave(2.0 * t, 0.1);
        let forward = smooth(0.5 - 0.5 * wave(t, 0.11));
        pose.turn_side(
            side,
            "Shoulder",
            ry(4.0 * wave(t, 0.02)) * rz(-3.0 + 1.2 * wave(2.0 * t, 0.30)),
        );
        pose.turn_side(side, "UpperArm", rx(swing) * rz(-28.0) * ry(2.0 + 4.0 * wave(t, 0.5)));
        pose.elbow(side, 8.0 + 21.0 * forward, 6.0 + 6.0 * forward);
        pose.hand(side, 4.0 - 8.0 * wave(t, 0.19), 4.0 * wave(t, 0.15));
        let loose = 5.0 * wave(t, 0.24);
        pose.curl(side, [10.0, 18.0, 22.0, 25.0, 28.0].map(|c| c - loose));
        pose.feet[side] = WALK.foot(skeleton, side, t);
    }
    pose
}

/// Returns the run at `t` cycles: contact at 0, flight from 0.32 to 0.5 and from 0.82 to 1.
fn run<'a>(skeleton: &'a Skeleton, t: f32) -> Pose<'a> {
    let mut pose = Pose::new(skeleton);
    let bob = -0.058 + 0.031 * wave(2.0 * t, 0.82);
    pose.hips = vec3(0.012 * wave(t, 0.16), bob, 0.010 * wave(2.0 * t, 0.7));
    pose.weights[BREATHE] = 0.45 - 0.45 * wave(t, 0.2);
    pose.weights[FLEX] = 0.35;
    let yaw = -10.0 * wave(t, 0.95);
    let roll = 4.0 * wave(t, 0.12);
    pose.turn("Hips", ry(yaw) * rz(roll) * rx(9.0 + 2.5 * wave(2.0 * t, 0.6)));
    pose.turn("Spine", ry(6.5 * wave(t, 0.96)) * rz(-roll * 0.5) * rx(2.0));
    pose.turn(
        "Chest",
        ry(9.0 * wave(t, 0.98)) * rz(-roll * 0.5) * rx(2.0 + 1.2 * wave(2.0 * t, 0.35)),
    );
    pose.turn("UpperChest", ry(6.5 * wave(t, 0.0)) * rz(-roll * 0.25) * rx(1.0));
    pose.look(
        ry(2.0 * wave(t, 0.0)) * rz(1.0 * wave(t, 0.2)) * rx(4.0 + 1.6 * wave(2.0 * t, 0.40)),
    );
    for side in 0..2 {
        let t = t + 0.5 * side as f32;
        let swing = 9.0 + 35.0 * wave(t, 0.97) + 2.5 * wave(2.0 * t, 0.1);
        // The elbow bends on the way forward, and opens as the hand passes the hip.
        let forward = 0.5 - 0.5 * wave(t, 0.02);
        pose.turn_side(
            side,
            "Shoulder",
            ry(7.0 * wave(t, 0.96)) * rz(-2.0 + 2.0 * wave(2.0 * t, 0.35)),
        );
        let inward = ry(-6.0 + 11.0 * wave(t, 0.0));
        pose.turn_side(side, "UpperArm", rx(swing) * rz(-18.0) * inward);
        pose.elbow(side, 74.0 + 22.0 * forward - 8.0 * wave(t, 0.20), 12.0);
        pose.hand(side, 6.0 - 7.0 * wave(t, 0.10), 4.0 + 3.0 * wave(t, 0.2));
        let loose = 4.0 * wave(2.0 * t, 0.45);
        pose.curl(side, [22.0, 44.0, 48.0, 52.0, 55.0].map(|c| c + loose));
        pose.feet[side] = RUN.foot(skeleton, side, t);
    }
    pose
}

/// Returns the balance over one loop of Idle: 1 on the left leg, −1 on the right leg, with a pause
/// on each.
fn weight(t: f32) -> f32 {
    let t = t.rem_euclid(1.0);
    1.0 - 2.0 * smooth((t - 0.34) / 0.20) + 2.0 * smooth((t - 0.80) / 0.20)
}

/// Returns the standing pose at `t`: two slow breaths, and a weight shift from the left leg to the
/// right and back. Shoulders and head follow the hips.
fn idle<'a>(skeleton: &'a Skeleton, t: f32) -> Pose<'a> {
    let mut pose = Pose::new(skeleton);
    // Inhaling is faster than exhaling.
    let breath = 0.5 - 0.5 * wave(2.0 * t + 0.035 * wave(2.0 * t, 0.25), 0.0);
    let (hips, chest, head) = (weight(t), weight(t - 0.025), weight(t - 0.055));
    pose.weights[BREATHE] = breath;
    let settle = 1.0 - hips * hips;
    pose.hips = vec3(0.036 * hips, -0.007 - 0.006 * settle + 0.002 * breath, -0.004);
    pose.turn("Hips", ry(2.5 * hips) * rz(3.2 * hips) * rx(0.8));
    pose.turn("Spine", rz(-2.6 * hips) * ry(-chest) * rx(0.4 - 0.7 * breath));
    pose.turn("Chest", rz(-2.4 * chest) * ry(-1.8 * chest) * rx(0.6 - 1.2 * breath));
    pose.turn("UpperChest", rz(-0.8 * chest) * ry(-0.6 * chest) * rx(0.6 - 1.0 * breath));
    // The gaze wanders once, independently of the weight shift.
    let glance = -6.0 * head + 2.0 * wave(2.0 * t, 0.7);
    pose.look(ry(glance) * rz(1.4 * head) * rx(1.0 - 0.8 * breath + 1.5 * settle));
    for (side, (_, sign)) in SIDES.into_iter().enumerate() {
        let (loaded, late) = (sign * chest, sign * weight(t - 0.045));
        let lift = 1.8 * breath;
        pose.turn_side(side, "Shoulder", rz(-4.5 + lift - 0.8 * loaded) * ry(-0.8 * breath));
        pose.turn_side(
            side,
            "UpperArm",
            rx(3.0 - 0.8 * breath - 1.5 * late) * rz(-31.0 - lift + 1.8 * late),
        );
        pose.elbow(side, 13.0 + 1.8 * wave(2.0 * t, 0.6) + 2.0 * late, 8.0 + 2.0 * sign);
        pose.hand(side, 4.0 + 1.5 * wave(2.0 * t, 0.68) - 2.0 * late, 0.0);
        let loose = 2.2 * wave(2.0 * t, 0.72) + 2.0 * sign;
        pose.curl(side, [9.0, 15.0, 19.0, 22.0, 25.0].map(|c| c + loose));
        // The toes point slightly outward, and the right foot is slightly ahead.
        pose.feet[side].yaw = 0.13;
        pose.feet[side].ankle += vec3(0.004 * sign, 0.0, -0.016 * sign);
    }
    pose
}

/// Rises from 0 to 1 within `frames` frames from `start`, overshoots by `over`, and returns to 1.
fn arrive(frame: f32, start: f32, frames: f32, over: f32) -> f32 {
    let u = (frame - start) / frames;
    let past = (u - 0.80).max(0.0) / 0.85;
    // Adds one overshoot.
    smooth(u) + over * (past * std::f32::consts::TAU * 0.5).sin().max(0.0) * f32::from(past < 1.0)
}

/// Returns the greeting at a frame. After an anticipation, the arm rises with the elbow first, the
/// hand waves behind the forearm, and all joints return with an overshoot.
fn greet<'a>(skeleton: &'a Skeleton, frame: f32) -> Pose<'a> {
    const RIGHT: usize = 1;
    let stand = idle(skeleton, 0.0);
    // A dip in the opposite direction of the following motion. It ends when the arm moves.
    let wind = smooth(frame / 6.0) - smooth((frame - 6.0) / 7.0);
    let body = arrive(frame, 3.0, 16.0, 0.12) - arrive(frame, 60.0, 18.0, 0.06);
    let raise = arrive(frame, 6.0, 13.0, 0.07) - arrive(frame, 65.0, 15.0, 0.05);
    // The forearm folds early and unfolds late. Hand and fingers follow with a delay both ways.
    let fold = arrive(frame, 4.0, 13.0, 0.04) - arrive(frame, 66.0, 14.0, 0.07);
    let (drag, drop) = (frame - 12.5, frame - 72.0);
    let trail = (-drag * drag / 14.0).exp() - 0.9 * (-drop * drop / 24.0).exp();
    let beat = smooth((frame - 15.0) / 6.0) - smooth((frame - 58.0) / 9.0);
    // Two and a half waves of sixteen frames. Each joint is slightly later than its parent.
    let phase = (frame - 19.0) / 16.0;
    let [upper, fore, hand, fingers] =
        [0.19, 0.25, 0.38, 0.47].map(|peak| beat * wave(phase, peak));

    let mut up = stand.clone();
    up.turn_side(RIGHT, "Shoulder", rz(8.0) * ry(-5.0));
    up.turn_side(RIGHT, "UpperArm", rz(-17.0 + 2.5 * upper) * ry(-22.0) * rx(-66.0) * rz(36.0));
    up.elbow(RIGHT, 94.0 + 18.0 * fore, 10.0 + 4.0 * fore);
    up.hand(RIGHT, -7.0, 17.0 * hand);
    up.curl(RIGHT, [-4.0, -3.0, -2.0, -1.0, 1.0].map(|c| c + 4.0 * fingers));

    let mut pose = stand.mix(&up, raise);
    let mut blend = |name: &str, amount: f32| {
        if let Some(joint) = skeleton.find(name) {
            pose.turns[joint] = stand.turns[joint].slerp(up.turns[joint], amount);
        }
    };
    blend("RightLowerArm", fold);
    blend("RightHand", (raise - 0.35 * trail).clamp(-0.3, 1.1));
    let add = |pose: &mut Pose, name: &str, turn| {
        if let Some(joint) = pose.skeleton.find(name) {
            pose.turns[joint] = turn * pose.turns[joint];
        }
    };
    // The wrist drags behind on the way up and on the way down.
    let wrist = skeleton.at("RightHand").rotation;
    add(&mut pose, "RightHand", wrist * rz(24.0 * trail) * wrist.inverse());
    add(&mut pose, "RightUpperArm", rx(7.0 * wind) * rz(2.5 * wind));
    add(&mut pose, "RightShoulder", rz(3.0 * wind));

    pose.weights[BREATHE] = 0.8 * (smooth(frame / 12.0) - smooth((frame - 40.0) / 40.0));
    pose.weights[FLEX] = 0.5 * raise.clamp(0.0, 1.0);
    // The hips first move down and toward the arm, then up and onto the left leg.
    pose.hips += vec3(0.014 * body - 0.012 * wind, -0.005 * body - 0.012 * wind, 0.006 * body);
    let sway = 1.3 * upper;
    add(&mut pose, "Hips", rz(1.2 * body - 0.8 * wind) * ry(-2.0 * body + 1.5 * wind));
    add(
        &mut pose,
        "Spine",
        rz(1.4 * body + 0.3 * sway) * ry(-2.0 * body + 1.2 * wind) * rx(1.6 * wind),
    );
    add(
        &mut pose,
        "Chest",
        rz(2.0 * body + 0.5 * sway) * ry(-2.5 * body + 1.5 * wind) * rx(1.2 * wind - 0.8 * body),
    );
    add(&mut pose, "UpperChest", rz(1.4 * body + 0.4 * sway) * rx(1.0 * wind - 1.6 * body));
    let (turns, _) = stand.world();
    let first = skeleton.find("Head").map_or(glam::Quat::IDENTITY, |head| turns[head]);
    let greeting = ry(2.0) * rz(-6.5 - 0.8 * sway) * rx(-1.5);
    pose.look(
        rx(2.5 * wind - 1.2 * sway.abs() * 0.3) * first.slerp(greeting, body.clamp(-0.1, 1.2)),
    );
    // The left arm follows the body with a small delay.
    let carried = arrive(frame, 7.0, 18.0, 0.2) - arrive(frame, 63.0, 16.0, 0.15);
    add(&mut pose, "LeftUpperArm", rx(3.0 * carried - 2.0 * wind) * rz(3.0 * carried));
    pose
}

/// Returns all four motions.
pub fn clips(skeleton: &Skeleton) -> Vec<Clip> {
    let spacing = |hips, legs, trunk, arms, fingers| Spacing { hips, legs, trunk, arms, fingers };
    let standing = spacing(3, 3, 5, 5, 10);
    let walking = spacing(1, 1, 2, 2, 3);
    let running = spacing(1, 1, 1, 1, 2);
    let waving = spacing(2, 2, 2, 1, 3);
    vec![
        key(skeleton, "Idle", 180, &standing, true, |f| idle(skeleton, f / 180.0)),
        key(skeleton, "Walk", 30, &walking, true, |f| walk(skeleton, f / 30.0)),
        key(skeleton, "Run", 20, &running, true, |f| run(skeleton, f / 20.0)),
        key(skeleton, "Wave", 90, &waving, false, |f| greet(skeleton, f)),
    ]
}
