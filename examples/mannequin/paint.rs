//! Color and relief as functions of the position on the body. They therefore match at the seams of
//! the charts.

use std::f32::consts::TAU;

use glam::{Vec3, vec3};

use crate::body::{Body, FINGERS, Skeleton, Tone};

/// Color and relief at one point of the surface.
#[derive(Clone, Copy, Debug)]
pub struct Coat {
    /// sRGB color, `0..=1`.
    pub color: Vec3,
    /// Height of the relief, in meters.
    pub height: f32,
}

/// An engraved or painted line across a part of the shell.
struct Line {
    /// Plane of the line: a point, and a unit normal (`normal`).
    point: Vec3,
    normal: Vec3,
    /// Ball that limits the line, which fades out at its surface.
    center: Vec3,
    radius: f32,
    /// Half of the line's width, in meters.
    width: f32,
    depth: f32,
}

/// A round mark of four quarters, as on a crash-test dummy.
struct Mark {
    center: Vec3,
    /// Surface normal at the mark.
    normal: Vec3,
    /// Unit vector in the surface plane, along a boundary between two quarters of the mark.
    up: Vec3,
    radius: f32,
}

/// Paints the left half of the body. The right half is its mirror image.
pub struct Paint<'a> {
    body: &'a Body,
    lines: Vec<Line>,
    marks: Vec<Mark>,
    screws: Vec<Vec3>,
    knees: [Vec3; 2],
    shin: Vec3,
}

/// Half of the width of the blend between two colors: about a pixel.
const SOFT: f32 = 0.0006;
const SCREW: f32 = 0.0052;

/// Returns a smooth step from 0 to 1 while `s` goes from `-width` to `width`.
fn step(s: f32, width: f32) -> f32 {
    let t = (0.5 + 0.5 * s / width).clamp(0.0, 1.0);
    t * t * (3.0 - 2.0 * t)
}

fn groove(s: f32, width: f32) -> f32 {
    (-(s / width) * (s / width)).exp()
}

impl<'a> Paint<'a> {
    /// Places lines, marks and screws around the skeleton.
    pub fn new(body: &'a Body, skeleton: &Skeleton) -> Self {
        let at = |name: &str| skeleton.at(&format!("Left{name}"));
        let (upper, lower) = (at("UpperArm"), at("LowerArm"));
        let (thigh, shin) = (at("UpperLeg"), at("LowerLeg"));
        let arm = (upper.tail - upper.head).normalize_or(Vec3::X);
        let forearm = (lower.tail - lower.head).normalize_or(Vec3::X);
        let calf = (shin.tail - shin.head).normalize_or(Vec3::Y);
        let mut lines = Vec::new();
        let mut line = |point, normal: Vec3, center, radius, width| {
            let normal = normal.normalize_or(Vec3::Y);
            lines.push(Line { point, normal, center, radius, width, depth: 0.0005 });
        };
        // Lines at the shoulders and the hips.
        let armhole = upper.head + arm * 0.026;
        line(armhole, arm + vec3(0.32, 0.10, 0.0), armhole, 0.105, 0.0014);
        let groin = thigh.head + vec3(0.0, -0.018, 0.0);
        line(groin, vec3(-0.62, 1.0, 0.0), groin, 0.152, 0.0014);
        // Lines under the chest, down its middle, and along the spine.
        line(vec3(0.0, 1.262, 0.0), vec3(-0.20, 1.0, -0.15), vec3(0.0, 1.262, 0.06), 0.145, 0.0011);
        line(Vec3::ZERO, Vec3::X, vec3(0.0, 1.215, 0.10), 0.062, 0.0011);
        line(Vec3::ZERO, Vec3::X, vec3(0.0, 1.31, -0.13), 0.155, 0.0011);
        line(vec3(0.0, 1.345, 0.0), vec3(0.35, 1.0, 0.0), vec3(0.0, 1.345, -0.10), 0.125, 0.0011);
        // Lines around the ribs, the thigh, the calf and the forearm.
        line(vec3(0.0, 0.0, SIDE), Vec3::Z, vec3(0.13, 1.22, SIDE), 0.085, 0.0011);
        line(
            thigh.head.lerp(thigh.tail, 0.72),
            thigh.tail - thigh.head,
            thigh.head.lerp(thigh.tail, 0.72),
            0.14,
            0.0011,
        );
        line(shin.head.lerp(shin.tail, 0.84), calf, shin.head.lerp(shin.tail, 0.84), 0.10, 0.0011);
        line(
            shin.head,
            calf.cross(vec3(0.75, 0.0, -0.66)),
            shin.head.lerp(shin.tail, 0.52),
            0.125,
            0.0011,
        );
        line(
            lower.head.lerp(lower.tail, 0.72),
            forearm,
            lower.head.lerp(lower.tail, 0.72),
            0.08,
            0.0011,
        );
        // A line behind the ears, from the cap to the neck.
        line(vec3(0.0, 1.60, -0.030), vec3(0.0, 0.35, 1.0), vec3(0.05, 1.57, -0.02), 0.055, 0.0010);
        // Lines at the joints of the fingers.
        for finger in FINGERS {
            for bone in 1..=3 {
                let joint = at(&format!("{finger}{bone}"));
                let bone_way = joint.tail - joint.head;
                let radius = if finger == "Thumb" { 0.019 } else { 0.0145 };
                if bone > 1 {
                    line(joint.head, bone_way, joint.head, radius, 0.0009);
                }
            }
        }
        let onto = |p: Vec3| body.project(p, 60);
        let mark = |p: Vec3, radius| {
            let center = onto(p);
            Mark { center, normal: body.normal(center), up: Vec3::Y, radius }
        };
        let marks = vec![
            mark(upper.head.lerp(upper.tail, 0.34) + vec3(0.040, 0.045, 0.010), 0.0195),
            mark(vec3(0.165, 0.855, 0.002), 0.024),
            mark(vec3(0.078, 1.690, -0.020), 0.0185),
            mark(vec3(0.080, 1.388, -0.110), 0.0180),
        ];
        let screws = [
            vec3(0.088, 1.395, 0.050),
            vec3(0.112, 1.215, 0.052),
            vec3(0.075, 1.225, -0.094),
            thigh.head.lerp(thigh.tail, 0.66) + vec3(0.066, 0.0, 0.016),
            shin.head.lerp(shin.tail, 0.78) + vec3(0.036, 0.0, 0.006),
            lower.head.lerp(lower.tail, 0.62) + vec3(0.020, 0.020, 0.0),
        ];
        let screws = screws.map(onto).to_vec();
        let elbow = lower.head;
        Self { body, lines, marks, screws, knees: [shin.head, elbow], shin: calf }
    }

    /// Returns color and relief at `p` on the left half. `normal` is the surface normal.
    pub fn at(&self, p: Vec3, normal: Vec3) -> Coat {
        let (shares, edge) = self.body.tones(p, SOFT);
        let [shell, joint, accent] = shares;
        let tone = |t: Tone| t.srgb() / 255.0;
        // Dirt collects in the grooves between parts.
        let worn = 1.0 - 0.30 * groove(edge, 0.0026) - 0.07 * groove(edge, 0.012);
        let (shade, shell_height) = self.shell(p, normal);
        let (rib, rubber_height) = self.rubber(p);
        let mut white = tone(Tone::Shell) * shade;
        let mut dark = tone(Tone::Joint) * (0.90 + 0.22 * rib);
        if let Some((black, cover)) = self.mark(p) {
            let ink = if black { vec3(0.17, 0.185, 0.21) } else { vec3(0.93, 0.905, 0.86) };
            (white, dark) = (white.lerp(ink, cover), dark.lerp(ink, cover));
        }
        let color =
            white * shell + dark * joint + tone(Tone::Accent) * accent * self.tread_shade(p);
        let height = shell_height * shell + rubber_height * joint + self.tread(p) * accent;
        // The relief fades out near an edge, because the groove there is modeled.
        let flat = 1.0 - groove(edge, 0.0030);
        Coat { color: (color * worn).clamp(Vec3::ZERO, Vec3::ONE), height: height * flat }
    }

    /// Returns brightness and height of the hard shell.
    fn shell(&self, p: Vec3, normal: Vec3) -> (f32, f32) {
        let (mut shade, mut height) = (1.0f32, 0.0f32);
        for line in &self.lines {
            let fade = step(line.radius - p.distance(line.center), 0.004);
            if fade > 0.0 {
                // The distance is measured along the surface. If the surface is parallel to the
                // plane, there is no line.
                let slope = line.normal.reject_from_normalized(normal).length();
                let fade = fade * step(slope - 0.45, 0.15);
                let s = (p - line.point).dot(line.normal) / slope.max(0.1);
                shade *= 1.0
                    - fade * (0.52 * groove(s, line.width) + 0.06 * groove(s, line.width * 6.0));
                height -= fade * line.depth * groove(s, line.width * 1.25);
            }
        }
        for screw in &self.screws {
            let r = p.distance(*screw);
            // The screw head is set into the shell. The surface may not pass exactly through its
            // center.
            if r < 0.014 {
                let head = (p - *screw).reject_from_normalized(normal).length();
                shade *=
                    1.0 - 0.45 * groove(head - SCREW, 0.0011) - 0.18 * step(SCREW - head, 0.0006);
                height -= 0.0005 * groove(head - SCREW, 0.0013);
            }
        }
        // A fine grain, as of molded plastic.
        let g = p * (TAU / 0.0105);
        let grain = g.x.sin() * g.y.cos() + g.y.sin() * g.z.cos() + g.z.sin() * g.x.cos();
        (shade * (1.0 - 0.006 * grain), height + 0.000035 * grain)
    }

    /// Returns brightness, `0..=1`, and height of the rubber at the joints: ribs around the waist,
    /// the neck, the elbows and the knees.
    fn rubber(&self, p: Vec3) -> (f32, f32) {
        let [knee, elbow] = self.knees;
        let (along, period) = if p.y > 1.60 || p.y < 0.13 {
            // The cap and the shoes have a fine weave instead.
            let weave = (p.y * TAU / 0.0075).sin() * ((p.z + p.x * 0.6) * TAU / 0.0075).sin();
            return (0.45 + 0.16 * weave, 0.00011 * weave);
        } else if p.distance(knee) < 0.11 {
            ((p - knee).dot(self.shin), 0.0165)
        } else if p.distance(elbow) < 0.09 {
            ((p - elbow).dot(vec3(0.66, -0.74, 0.1).normalize_or(Vec3::X)), 0.0135)
        } else if p.y > 1.40 {
            (0.97 * p.y + 0.25 * p.z, 0.0115)
        } else {
            (p.y - 1.082, 0.0205)
        };
        let rib = (along * TAU / period).cos();
        // Broad ribs with narrow gaps.
        let rib = 1.0 - (0.5 - 0.5 * rib).powi(3);
        (rib * 0.75, 0.0011 * rib * (period / 0.0165))
    }

    /// Returns whether `p` is in a dark quarter of a mark, and the opacity of the mark there.
    fn mark(&self, p: Vec3) -> Option<(bool, f32)> {
        self.marks.iter().find_map(|mark| {
            let d = p - mark.center;
            let normal = mark.normal.normalize_or(Vec3::Z);
            let up = mark.up.reject_from_normalized(normal).normalize_or(Vec3::Y);
            let (x, y) = (d.dot(up.cross(normal)), d.dot(up));
            let r = (x * x + y * y).sqrt();
            if d.dot(normal).abs() > 0.045 || r > mark.radius + SOFT {
                return None;
            }
            let cover = step(mark.radius - r, SOFT);
            // A ring around the four quarters.
            let ring = r > mark.radius - 0.0030;
            let soft = (x.abs().min(y.abs()) / SOFT).min(1.0);
            let dark = ring || x * y > 0.0;
            Some((dark, cover * if ring || !dark { 1.0 } else { soft.max(0.5) }))
        })
    }

    /// Returns the height of the tread under the soles.
    fn tread(&self, p: Vec3) -> f32 {
        if p.y > 0.006 {
            return 0.0;
        }
        let v = (p.z + (p.x - 0.115).abs() * 0.8) * TAU / 0.014;
        0.0008 * step(v.sin(), 0.35)
    }

    fn tread_shade(&self, p: Vec3) -> f32 {
        if p.y > 0.006 { 1.0 } else { 0.78 + 0.22 * (self.tread(p) / 0.0008) }
    }
}

/// Z coordinate of the seam down the ribs.
const SIDE: f32 = -0.014;
