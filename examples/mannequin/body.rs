//! The figure: its joints, the signed distance shapes around them, and the colors of the surface.

use std::collections::HashMap;

use glam::{Mat3, Quat, Vec3, vec3};

/// One joint of the skeleton, in the rest pose.
#[derive(Clone, Debug)]
pub struct Joint {
    /// Name of the node, such as `LeftUpperArm`.
    pub name: String,
    /// Index of the parent, always smaller than the index of the joint.
    pub parent: Option<usize>,
    /// Position in the rest pose, in meters.
    pub head: Vec3,
    /// End of the bone. The +Y axis of the joint points to it.
    pub tail: Vec3,
    /// Rotation in the rest pose, in world axes.
    pub rotation: Quat,
}

/// The joints of the figure.
#[derive(Clone, Debug, Default)]
pub struct Skeleton {
    /// All joints, parents before children.
    pub joints: Vec<Joint>,
    index: HashMap<String, usize>,
}

/// Names of the five fingers, thumb first.
pub const FINGERS: [&str; 5] = ["Thumb", "Index", "Middle", "Ring", "Little"];

/// The two sides: name prefix, and sign of X. The figure faces +Z, so left is +X.
pub const SIDES: [(&str, f32); 2] = [("Left", 1.0), ("Right", -1.0)];

impl Skeleton {
    /// Returns the index of the joint with this name.
    pub fn find(&self, name: &str) -> Option<usize> {
        self.index.get(name).copied()
    }

    /// Returns the joint with this name. A missing joint is a bug in this generator, so the
    /// function panics.
    pub fn at(&self, name: &str) -> &Joint {
        &self.joints[self.index[name]]
    }

    /// Returns the children of the joint `parent`.
    pub fn children(&self, parent: usize) -> impl Iterator<Item = usize> + '_ {
        let is_child = move |&j: &usize| self.joints[j].parent == Some(parent);
        (0..self.joints.len()).filter(is_child)
    }

    fn add(&mut self, name: &str, parent: &str, head: Vec3, tail: Vec3, toward_z: Vec3) {
        let y = (tail - head).normalize_or_zero();
        let x = y.cross(toward_z).normalize_or_zero();
        let rotation = Quat::from_mat3(&Mat3::from_cols(x, y, x.cross(y))).normalize();
        self.index.insert(name.to_owned(), self.joints.len());
        self.joints.push(Joint {
            name: name.to_owned(),
            parent: self.index.get(parent).copied(),
            head,
            tail,
            rotation,
        });
    }
}

/// Positions of the left arm's joints, and the axes of the hand.
struct ArmPlan {
    shoulder: Vec3,
    elbow: Vec3,
    wrist: Vec3,
    /// Direction along the hand.
    along: Vec3,
    /// Direction across the hand, toward the thumb.
    thumbward: Vec3,
    /// Direction out of the palm.
    palmward: Vec3,
}

impl ArmPlan {
    fn new() -> Self {
        let slope = 47f32.to_radians();
        let upper = vec3(slope.cos(), -slope.sin(), -0.03).normalize_or_zero();
        let lower = (upper + Vec3::Z * 0.24).normalize_or_zero();
        let shoulder = vec3(0.172, 1.398, -0.016);
        let elbow = shoulder + upper * 0.283;
        let wrist = elbow + lower * 0.248;
        let along = (upper + Vec3::Z * 0.14).normalize_or_zero();
        let palmward = along.cross(Vec3::Z).normalize_or_zero();
        Self { shoulder, elbow, wrist, along, thumbward: palmward.cross(along), palmward }
    }

    /// Returns a point of the hand, by its distances along the hand, toward the thumb, and out of
    /// the palm, in meters.
    fn hand(&self, along: f32, thumbward: f32, palmward: f32) -> Vec3 {
        self.wrist + self.along * along + self.thumbward * thumbward + self.palmward * palmward
    }

    /// Returns the four end points of a finger's three bones, and the axis of its curl.
    fn finger(&self, finger: usize) -> ([Vec3; 4], Vec3) {
        let (base, lengths, spread) = match finger {
            0 => (self.hand(0.022, 0.024, 0.011), [0.046, 0.036, 0.029], 0.0),
            1 => (self.hand(0.091, 0.0320, 0.0), [0.046, 0.028, 0.023], 6.5),
            2 => (self.hand(0.095, 0.0100, 0.0), [0.050, 0.031, 0.024], 1.5),
            3 => (self.hand(0.090, -0.0112, 0.0), [0.046, 0.029, 0.023], -4.0),
            _ => (self.hand(0.080, -0.0315, 0.0), [0.036, 0.023, 0.021], -10.5),
        };
        let (mut direction, curl) = if finger == 0 {
            let out = self.along * 0.70 + self.thumbward * 0.62 + self.palmward * 0.34;
            let curl = self.along * 0.5 - self.thumbward * 0.75 + self.palmward * 0.35;
            (out.normalize_or_zero(), curl)
        } else {
            let angle = f32::to_radians(spread);
            let out = self.along * angle.cos() + self.thumbward * angle.sin();
            (out, self.palmward)
        };
        let axis = direction.cross(curl).normalize_or_zero();
        let mut points = [base; 4];
        for (bone, length) in lengths.into_iter().enumerate() {
            let bend = if finger == 0 { 7.0 } else { 8.5 };
            direction = Quat::from_axis_angle(axis, f32::to_radians(bend)) * direction;
            points[bone + 1] = points[bone] + direction * length;
        }
        (points, curl)
    }
}

const HIP: Vec3 = vec3(0.092, 0.918, 0.000);
const KNEE: Vec3 = vec3(0.099, 0.498, 0.016);
const ANKLE: Vec3 = vec3(0.104, 0.090, -0.022);
const BALL: Vec3 = vec3(0.118, 0.024, 0.100);
const TOE: Vec3 = vec3(0.124, 0.020, 0.168);

fn mirrored(p: Vec3, sign: f32) -> Vec3 {
    vec3(p.x * sign, p.y, p.z)
}

/// Builds the skeleton of about fifty joints, exactly symmetric.
///
/// The +Y axis of every joint points along its bone. +Z points forward in the trunk, the arms and
/// the legs. It points up in the feet, and toward the thumb in hands and fingers. Bending a joint
/// is therefore nearly a rotation about a single axis.
pub fn skeleton() -> Skeleton {
    let mut s = Skeleton::default();
    let trunk = [
        ("Hips", "", vec3(0.0, 0.945, -0.004)),
        ("Spine", "Hips", vec3(0.0, 1.035, -0.010)),
        ("Chest", "Spine", vec3(0.0, 1.150, -0.014)),
        ("UpperChest", "Chest", vec3(0.0, 1.280, -0.022)),
        ("Neck", "UpperChest", vec3(0.0, 1.462, -0.028)),
        ("Head", "Neck", vec3(0.0, 1.556, -0.006)),
    ];
    for (i, (name, parent, head)) in trunk.into_iter().enumerate() {
        let tail = trunk.get(i + 1).map_or(vec3(0.0, 1.75, -0.006), |t| t.2);
        s.add(name, parent, head, tail, Vec3::Z);
    }
    let jaw = vec3(0.0, 1.597, 0.018);
    s.add("Jaw", "Head", jaw, vec3(0.0, 1.540, 0.076), Vec3::Y);
    let arm = ArmPlan::new();
    for (side, sign) in SIDES {
        let m = |p| mirrored(p, sign);
        let name = |part: &str| format!("{side}{part}");
        let clavicle = vec3(0.026, 1.422, 0.004);
        let knuckle = arm.hand(0.09, 0.0, 0.0);
        let chain = [
            ("Shoulder", "UpperChest", clavicle, arm.shoulder, Vec3::Z),
            ("UpperArm", "Shoulder", arm.shoulder, arm.elbow, Vec3::Z),
            ("LowerArm", "UpperArm", arm.elbow, arm.wrist, Vec3::Z),
            ("Hand", "LowerArm", arm.wrist, knuckle, arm.thumbward),
        ];
        for (i, (part, parent, head, tail, z)) in chain.into_iter().enumerate() {
            let parent = if i == 0 { parent.to_owned() } else { name(parent) };
            s.add(&name(part), &parent, m(head), m(tail), m(z));
        }
        for (f, finger) in FINGERS.into_iter().enumerate() {
            let (points, curl) = arm.finger(f);
            for bone in 0..3 {
                let parent = match bone {
                    0 => name("Hand"),
                    _ => format!("{side}{finger}{bone}"),
                };
                let (a, b) = (points[bone], points[bone + 1]);
                // The curl axis is the X axis of the bone, and Z completes the frame.
                let z = curl.cross(b - a);
                let joint = format!("{side}{finger}{}", bone + 1);
                s.add(&joint, &parent, m(a), m(b), m(z));
            }
        }
    }
    for (side, sign) in SIDES {
        let chain = [
            ("UpperLeg", "Hips", HIP, KNEE, Vec3::Z),
            ("LowerLeg", "UpperLeg", KNEE, ANKLE, Vec3::Z),
            ("Foot", "LowerLeg", ANKLE, BALL, Vec3::Y),
            ("Toes", "Foot", BALL, TOE, Vec3::Y),
        ];
        for (i, (part, parent, head, tail, z)) in chain.into_iter().enumerate() {
            let parent = match i {
                0 => parent.to_owned(),
                _ => format!("{side}{parent}"),
            };
            let (head, tail) = (mirrored(head, sign), mirrored(tail, sign));
            s.add(&format!("{side}{part}"), &parent, head, tail, z);
        }
    }
    s
}

/// A primitive shape with a signed distance.
#[derive(Clone, Copy, Debug)]
enum Primitive {
    /// A round cone: two spheres, and the cone that touches both.
    Cone { a: Vec3, b: Vec3, ra: f32, rb: f32 },
    /// An ellipsoid with its own axes.
    Ellipsoid { center: Vec3, axes: Quat, radii: Vec3 },
}

impl Primitive {
    fn distance(&self, p: Vec3) -> f32 {
        match *self {
            Self::Cone { a, b, ra, rb } => {
                // Exact distance to a round cone (after Inigo Quilez).
                let ba = b - a;
                let l2 = ba.length_squared();
                let rr = ra - rb;
                let a2 = l2 - rr * rr;
                let il2 = 1.0 / l2;
                let pa = p - a;
                let y = pa.dot(ba);
                let z = y - l2;
                let x2 = (pa * l2 - ba * y).length_squared();
                let y2 = y * y * l2;
                let z2 = z * z * l2;
                let k = rr.signum() * rr * rr * x2;
                if z.signum() * a2 * z2 > k {
                    (x2 + z2).sqrt() * il2 - rb
                } else if y.signum() * a2 * y2 < k {
                    (x2 + y2).sqrt() * il2 - ra
                } else {
                    ((x2 * a2 * il2).sqrt() + y * rr) * il2 - ra
                }
            }
            Self::Ellipsoid { center, axes, radii } => {
                let q = axes.inverse() * (p - center);
                let k0 = (q / radii).length();
                let k1 = (q / (radii * radii)).length();
                if k1 < 1e-6 { -radii.min_element() } else { k0 * (k0 - 1.0) / k1 }
            }
        }
    }

    /// Returns a bounding sphere of the shape.
    fn bounds(&self) -> (Vec3, f32) {
        match *self {
            Self::Cone { a, b, ra, rb } => ((a + b) * 0.5, a.distance(b) * 0.5 + ra.max(rb)),
            Self::Ellipsoid { center, radii, .. } => (center, radii.max_element()),
        }
    }

    fn mirrored(self, sign: f32) -> Self {
        match self {
            Self::Cone { a, b, ra, rb } => {
                let (a, b) = (mirrored(a, sign), mirrored(b, sign));
                Self::Cone { a, b, ra, rb }
            }
            Self::Ellipsoid { center, axes, radii } => Self::Ellipsoid {
                center: mirrored(center, sign),
                axes: Quat::from_xyzw(axes.x, axes.y * sign, axes.z * sign, axes.w),
                radii,
            },
        }
    }
}

/// Returns the smaller of two distances, smoothed if they differ by less than `k`.
fn smooth_min(a: f32, b: f32, k: f32) -> f32 {
    let h = (k - (a - b).abs()).max(0.0) / k;
    a.min(b) - h * h * h * k / 6.0
}

#[derive(Clone, Copy, Debug)]
struct BodyPart {
    shape: Primitive,
    center: Vec3,
    radius: f32,
    blend: f32,
}

/// Shapes that are blended with each other, and then with the previous groups.
#[derive(Clone, Debug, Default)]
struct PartGroup {
    parts: Vec<BodyPart>,
    cuts: Vec<BodyPart>,
    blend: f32,
    on_floor: bool,
}

impl PartGroup {
    fn new(blend: f32) -> Self {
        Self { blend, ..Self::default() }
    }

    fn push(&mut self, blend: f32, shape: Primitive) {
        let (center, radius) = shape.bounds();
        self.parts.push(BodyPart { shape, center, radius, blend });
    }

    fn cone(&mut self, k: f32, a: Vec3, b: Vec3, ra: f32, rb: f32) {
        self.push(k, Primitive::Cone { a, b, ra, rb });
    }

    fn ball(&mut self, k: f32, center: Vec3, radii: Vec3) {
        self.oval(k, center, Quat::IDENTITY, radii);
    }

    fn oval(&mut self, k: f32, center: Vec3, axes: Quat, radii: Vec3) {
        self.push(k, Primitive::Ellipsoid { center, axes, radii });
    }

    fn cut(&mut self, blend: f32, center: Vec3, axes: Quat, radii: Vec3) {
        let shape = Primitive::Ellipsoid { center, axes, radii };
        let (center, radius) = shape.bounds();
        self.cuts.push(BodyPart { shape, center, radius, blend });
    }

    /// Returns the group and its mirror image.
    fn both(self) -> [Self; 2] {
        let flip = |part: &BodyPart| {
            let shape = part.shape.mirrored(-1.0);
            let (center, radius) = shape.bounds();
            BodyPart { shape, center, radius, blend: part.blend }
        };
        let mut other = self.clone();
        other.parts = self.parts.iter().map(flip).collect();
        other.cuts = self.cuts.iter().map(flip).collect();
        [self, other]
    }

    /// Returns the Z coordinate of the front surface at (x, y).
    fn front(&self, x: f32, y: f32) -> f32 {
        let (mut inside, mut outside) = (0.0, 0.2);
        for _ in 0..20 {
            let middle = (inside + outside) * 0.5;
            if self.distance(vec3(x, y, middle), 1.0) < 0.0 {
                inside = middle;
            } else {
                outside = middle;
            }
        }
        inside
    }

    fn distance(&self, p: Vec3, limit: f32) -> f32 {
        let mut d = 10.0f32;
        for part in &self.parts {
            // Skips shapes that are too far away to matter.
            let nearest = p.distance(part.center) - part.radius;
            if nearest < (d + part.blend).min(limit) {
                d = smooth_min(d, part.shape.distance(p), part.blend);
            }
        }
        for part in &self.cuts {
            if p.distance(part.center) - part.radius < part.blend {
                d = -smooth_min(-d, part.shape.distance(p), part.blend);
            }
        }
        if self.on_floor {
            d = -smooth_min(-d, p.y, 0.012);
        }
        d
    }
}

/// The colors of the figure.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Tone {
    /// Light, warm color of the shell.
    Shell,
    /// Dark color of the joints.
    Joint,
    /// Teal color of rings and soles.
    Accent,
}

impl Tone {
    /// Returns the color in sRGB, `0..=255`.
    pub fn srgb(self) -> Vec3 {
        match self {
            Self::Shell => vec3(228.0, 221.0, 209.0),
            Self::Joint => vec3(62.0, 68.0, 78.0),
            Self::Accent => vec3(53.0, 194.0, 182.0),
        }
    }
}

/// A part of the surface inside an ellipsoid. It has its own color, and a fine groove around it.
#[derive(Clone, Copy, Debug)]
struct Region {
    shape: Primitive,
    tone: Tone,
    /// Width of an accent ring just inside the edge; 0 for none.
    ring: f32,
    /// Depth of the groove at the edge.
    groove: f32,
}

/// Shape and colors of the body.
#[derive(Clone, Debug)]
pub struct Body {
    groups: Vec<PartGroup>,
    regions: Vec<Region>,
    hands: [Vec3; 2],
}

const GROOVE_WIDTH: f32 = 0.0035;
/// Maximum distance of a vertex that counts as on an edge between colors.
const EDGE: f32 = 0.0008;

impl Body {
    /// Builds the body around the rest pose of the skeleton.
    pub fn new() -> Self {
        let arm = ArmPlan::new();
        let mut groups = vec![trunk()];
        groups.extend(leg().both());
        groups.extend(foot().both());
        groups.push(head());
        groups.extend(eye().both());
        groups.extend(limb_arm(&arm).both());
        groups.extend(palm(&arm).both());
        for finger in 0..5 {
            groups.extend(digit(&arm, finger).both());
        }
        let palm_center = arm.hand(0.085, 0.005, 0.0);
        Self { groups, regions: regions(&arm), hands: [palm_center, mirrored(palm_center, -1.0)] }
    }

    /// Returns two opposite corners of the bounding box.
    pub fn bounds(&self) -> (Vec3, Vec3) {
        (vec3(-0.75, -0.03, -0.20), vec3(0.75, 1.78, 0.24))
    }

    /// Returns the signed distance to the surface, negative inside. It is exact only near the
    /// surface.
    pub fn distance(&self, p: Vec3) -> f32 {
        // Both halves are computed on the left, so that they are equal to the last bit.
        let p = vec3(p.x.abs(), p.y, p.z);
        let mut d = 10.0f32;
        for group in &self.groups {
            let nearest = group.distance(p, d + group.blend);
            d = smooth_min(d, nearest, group.blend);
        }
        if d.abs() < 0.012 {
            // Grooves fade out below later regions.
            let mut shown = 1.0f32;
            for region in self.regions.iter().rev() {
                let s = region.shape.distance(p);
                let t = s / GROOVE_WIDTH;
                if region.groove > 0.0 && t.abs() < 3.0 {
                    d += shown * region.groove * (-t * t).exp();
                }
                shown *= (1.0 + s / 0.006).clamp(0.0, 1.0);
            }
        }
        d
    }

    /// Returns the outward direction of the surface at or near `p`.
    pub fn normal(&self, p: Vec3) -> Vec3 {
        self.gradient(p).normalize_or(Vec3::Y)
    }

    /// Returns the gradient of the distance, by central differences.
    pub fn gradient(&self, p: Vec3) -> Vec3 {
        const H: f32 = 6e-4;
        let along = |axis: Vec3| self.distance(p + axis * H) - self.distance(p - axis * H);
        vec3(along(Vec3::X), along(Vec3::Y), along(Vec3::Z)) / (2.0 * H)
    }

    /// Moves a nearby point onto the surface with a few Newton steps.
    pub fn project(&self, mut p: Vec3, steps: usize) -> Vec3 {
        for _ in 0..steps {
            let d = self.distance(p);
            if d.abs() < 2e-6 {
                break;
            }
            let g = self.gradient(p);
            p -= g * (d / g.length_squared().max(0.2)).clamp(-0.004, 0.004);
        }
        p
    }

    /// Returns the target length of the mesh edges around `p`, in meters.
    pub fn edge_length(&self, p: Vec3) -> f32 {
        let p = vec3(p.x.abs(), p.y, p.z);
        let face = vec3(0.0, 1.60, 0.09);
        let ear = vec3(0.078, 1.624, -0.014);
        let mut length = 0.0145f32;
        let mut finer = |near: f32, slope: f32, distance: f32| {
            length = length.min(near + slope * distance.max(0.0));
        };
        finer(0.0045, 0.12, p.distance(self.hands[0]) - 0.125);
        finer(0.0038, 0.10, p.distance(face) - 0.050);
        finer(0.0044, 0.20, p.distance(ear) - 0.032);
        finer(0.0027, 0.12, p.distance(vec3(0.0, 1.569, 0.086)) - 0.022);
        finer(0.0085, 0.08, p.distance(vec3(0.115, 0.02, 0.05)) - 0.12);
        for region in &self.regions {
            let s = region.shape.distance(p).abs();
            let s = if region.ring > 0.0 {
                s.min((region.shape.distance(p) + region.ring).abs())
            } else {
                s
            };
            finer(0.0046, 0.45, s - 0.003);
        }
        length
    }

    /// Returns the signed distance from `p` to the nearest visible edge between two colors, and the
    /// number of that edge, from 1.
    pub fn edge(&self, p: Vec3) -> (f32, u32) {
        let p = vec3(p.x.abs(), p.y, p.z);
        let mut nearest = (f32::MAX, 0);
        for (i, region) in self.regions.iter().enumerate().rev() {
            let s = region.shape.distance(p);
            for (line, s) in [(1, s), (2, s + region.ring)] {
                if (line == 1 || region.ring > 0.0) && s.abs() < f32::abs(nearest.0) {
                    nearest = (s, 2 * i as u32 + line);
                }
            }
            // Edges below another region are hidden.
            if s < -EDGE {
                break;
            }
        }
        nearest
    }

    /// Returns the numbers of all edges between colors, as in [`Body::edge`].
    pub fn edges(&self) -> impl Iterator<Item = u32> + '_ {
        let of = |(i, region): (usize, &Region)| {
            let lines = if region.ring > 0.0 { 2 } else { 1 };
            (1..=lines).map(move |line| 2 * i as u32 + line)
        };
        self.regions.iter().enumerate().flat_map(of)
    }

    /// Whether an edge is the inner edge of a ring, with the ring outside it.
    pub fn edge_is_inner(&self, edge: u32) -> bool {
        edge.is_multiple_of(2)
    }

    /// Returns the signed distance from `p` to one edge, visible or not.
    pub fn edge_distance(&self, p: Vec3, edge: u32) -> f32 {
        let p = vec3(p.x.abs(), p.y, p.z);
        let region = &self.regions[(edge as usize - 1) / 2];
        let ring = if self.edge_is_inner(edge) { region.ring } else { 0.0 };
        region.shape.distance(p) + ring
    }

    /// Returns the fractions of shell, joint and accent color at `p`, blended within `soft` of the
    /// edges. Also returns the distance to the nearest visible edge.
    pub fn tones(&self, p: Vec3, soft: f32) -> ([f32; 3], f32) {
        let p = vec3(p.x.abs(), p.y, p.z);
        let step = |s: f32| (0.5 - 0.5 * s / soft).clamp(0.0, 1.0);
        let mut shares = Vec3::X;
        for region in &self.regions {
            let s = region.shape.distance(p);
            let own = match region.tone {
                Tone::Shell => Vec3::X,
                Tone::Joint => Vec3::Y,
                Tone::Accent => Vec3::Z,
            };
            shares = shares.lerp(own, step(s));
            if region.ring > 0.0 {
                shares = shares.lerp(Vec3::Z, step(s) * (1.0 - step(s + region.ring)));
            }
        }
        (shares.to_array(), self.edge(p).0.abs())
    }
}

/// Returns the rotation that maps +Y to `direction`, with +Z as far forward as possible.
fn along(direction: Vec3) -> Quat {
    let y = direction.normalize_or_zero();
    let x = y.cross(Vec3::Z).normalize_or_zero();
    Quat::from_mat3(&Mat3::from_cols(x, y, x.cross(y)))
}

fn trunk() -> PartGroup {
    let mut g = PartGroup::new(0.01);
    g.ball(0.05, vec3(0.0, 1.300, -0.018), vec3(0.138, 0.165, 0.100));
    g.ball(0.06, vec3(0.0, 1.190, -0.010), vec3(0.124, 0.130, 0.089));
    g.ball(0.08, vec3(0.0, 1.070, -0.004), vec3(0.124, 0.130, 0.086));
    g.ball(0.08, vec3(0.0, 0.955, -0.006), vec3(0.140, 0.090, 0.094));
    for (_, sign) in SIDES {
        let m = |p| mirrored(p, sign);
        // Shoulder girdle and trapezius.
        let tip = m(vec3(0.146, 1.393, -0.018));
        g.cone(0.05, m(vec3(0.035, 1.406, -0.016)), tip, 0.052, 0.046);
        let slope = m(vec3(0.116, 1.414, -0.026));
        g.cone(0.05, m(vec3(0.012, 1.500, -0.034)), slope, 0.030, 0.033);
        // Chest and back.
        let tilt = Quat::from_rotation_z(-0.30 * sign);
        let pec = m(vec3(0.066, 1.345, 0.034));
        g.oval(0.06, pec, tilt, vec3(0.088, 0.056, 0.044));
        let lat = m(vec3(0.102, 1.275, -0.046));
        let flare = Quat::from_rotation_z(-0.22 * sign);
        g.oval(0.06, lat, flare, vec3(0.050, 0.115, 0.060));
        // Outer hip and seat.
        let hip = m(vec3(0.098, 0.935, -0.008));
        g.ball(0.06, hip, vec3(0.060, 0.105, 0.076));
        let seat = m(vec3(0.068, 0.912, -0.050));
        g.ball(0.06, seat, vec3(0.078, 0.078, 0.064));
    }
    g
}

fn leg() -> PartGroup {
    let mut g = PartGroup::new(0.045);
    let thigh = KNEE - HIP;
    let at = |t: f32| HIP + thigh * t;
    g.cone(0.03, vec3(0.093, 0.865, 0.002), KNEE, 0.077, 0.049);
    let quad = at(0.46) + vec3(0.006, 0.0, 0.018);
    g.oval(0.04, quad, along(thigh), vec3(0.062, 0.200, 0.058));
    let ham = at(0.50) + vec3(-0.004, 0.0, -0.022);
    g.oval(0.04, ham, along(thigh), vec3(0.056, 0.170, 0.052));
    // Knee.
    let cap = KNEE + vec3(0.0, 0.004, 0.014);
    g.ball(0.03, cap, vec3(0.043, 0.052, 0.042));
    // Shin and calf.
    let shin = ANKLE - KNEE;
    let ankle = ANKLE + vec3(0.0, 0.006, 0.004);
    g.cone(0.03, KNEE - vec3(0.0, 0.02, 0.004), ankle, 0.045, 0.0315);
    let at = |t: f32| KNEE + shin * t;
    let calf = at(0.33) + vec3(-0.006, 0.0, -0.020);
    g.oval(0.045, calf, along(shin), vec3(0.043, 0.112, 0.045));
    let outer = at(0.30) + vec3(0.012, 0.0, -0.008);
    g.oval(0.045, outer, along(shin), vec3(0.040, 0.115, 0.042));
    g
}

fn foot() -> PartGroup {
    let mut g = PartGroup::new(0.022);
    g.on_floor = true;
    let instep = vec3(0.113, 0.044, 0.075);
    g.cone(0.03, ANKLE - vec3(0.0, 0.016, -0.004), instep, 0.039, 0.032);
    let heel = vec3(0.103, 0.036, -0.046);
    g.ball(0.03, heel, vec3(0.036, 0.040, 0.044));
    g.cone(0.03, vec3(0.104, 0.026, -0.03), vec3(0.117, 0.024, 0.08), 0.032, 0.035);
    g.cone(0.045, vec3(0.109, 0.026, 0.085), vec3(0.113, 0.022, 0.148), 0.034, 0.027);
    g.cone(0.050, vec3(0.129, 0.024, 0.075), vec3(0.130, 0.020, 0.130), 0.031, 0.025);
    g
}

fn head() -> PartGroup {
    let mut g = PartGroup::new(0.030);
    // Neck.
    g.cone(0.03, vec3(0.0, 1.425, -0.028), vec3(0.0, 1.57, -0.006), 0.054, 0.0465);
    // Skull and face.
    g.ball(0.02, vec3(0.0, 1.654, -0.012), vec3(0.0775, 0.0965, 0.0975));
    g.ball(0.035, vec3(0.0, 1.606, 0.028), vec3(0.0550, 0.0860, 0.0590));
    let chin = vec3(0.0, 1.541, 0.064);
    g.ball(0.035, chin, vec3(0.021, 0.018, 0.019));
    for (_, sign) in SIDES {
        let m = |p| mirrored(p, sign);
        let corner = m(vec3(0.0400, 1.579, 0.006));
        g.cone(0.035, corner, m(vec3(0.012, 1.545, 0.058)), 0.0185, 0.0165);
        // Cheekbone and brow.
        let cheek = m(vec3(0.038, 1.612, 0.055));
        g.ball(0.035, cheek, vec3(0.0195, 0.018, 0.0175));
        let brow = m(vec3(0.046, 1.654, 0.056));
        g.cone(0.022, brow, m(vec3(0.012, 1.653, 0.074)), 0.0115, 0.0130);
        // Ear.
        let turn = Quat::from_rotation_y(-0.42 * sign) * Quat::from_rotation_x(-0.15);
        let ear = m(vec3(0.0750, 1.624, -0.012));
        g.oval(0.012, ear, turn, vec3(0.0068, 0.027, 0.0165));
        // Eye socket.
        let socket = m(vec3(0.0300, 1.6345, 0.0945));
        let inward = Quat::from_rotation_y(0.30 * sign) * Quat::from_rotation_z(-0.12 * sign);
        g.cut(0.016, socket, inward, vec3(0.0180, 0.0100, 0.0160));
    }
    // Nose and mouth.
    g.cone(0.016, vec3(0.0, 1.646, 0.081), vec3(0.0, 1.6065, 0.1005), 0.0070, 0.0088);
    g.ball(0.014, vec3(0.0, 1.6025, 0.0910), vec3(0.0145, 0.0075, 0.0105));
    g.ball(0.035, vec3(0.0, 1.5690, 0.0690), vec3(0.0280, 0.0190, 0.0130));
    // The lips are placed on the surface of the face.
    let face = g.clone();
    let lip = |x: f32, y: f32, r: f32| (vec3(x, y, face.front(x, y) - 0.0008 - r), r);
    let upper =
        [lip(0.0045, 1.5775, 0.0050), lip(0.0130, 1.5755, 0.0042), lip(0.0210, 1.5705, 0.0025)];
    let lower =
        [lip(0.0000, 1.5625, 0.0056), lip(0.0105, 1.5638, 0.0048), lip(0.0190, 1.5685, 0.0025)];
    for (_, sign) in SIDES {
        for ends in upper.windows(2).chain(lower.windows(2)) {
            let [(a, ra), (b, rb)] = [ends[0], ends[1]];
            g.cone(0.0075, mirrored(a, sign), mirrored(b, sign), ra, rb);
        }
    }
    g
}

/// Builds a closed eye, as on a statue.
fn eye() -> PartGroup {
    let mut g = PartGroup::new(0.008);
    let tilt = Quat::from_rotation_z(-0.10);
    g.oval(0.01, vec3(0.0310, 1.6335, 0.0715), tilt, vec3(0.0145, 0.0105, 0.0120));
    g
}

fn limb_arm(arm: &ArmPlan) -> PartGroup {
    let mut g = PartGroup::new(0.040);
    let upper = arm.elbow - arm.shoulder;
    let lower = arm.wrist - arm.elbow;
    let above = |t: f32| arm.shoulder + upper * t;
    let below = |t: f32| arm.elbow + lower * t;
    // Outward, perpendicular to the arm.
    let out = vec3(-upper.y, upper.x, 0.0).normalize_or_zero();
    g.oval(0.03, above(0.15) + out * 0.001, along(upper), vec3(0.049, 0.092, 0.052));
    g.cone(0.04, above(0.05), arm.elbow, 0.047, 0.037);
    let biceps = above(0.55) + Vec3::Z * 0.009;
    g.oval(0.03, biceps, along(upper), vec3(0.040, 0.098, 0.040));
    let triceps = above(0.50) - Vec3::Z * 0.010 + out * 0.004;
    g.oval(0.03, triceps, along(upper), vec3(0.040, 0.105, 0.038));
    g.cone(0.03, arm.elbow, arm.wrist, 0.036, 0.0245);
    let bulk = below(0.26) + out * 0.004;
    g.oval(0.035, bulk, along(lower), vec3(0.040, 0.095, 0.043));
    g
}

fn palm(arm: &ArmPlan) -> PartGroup {
    let mut g = PartGroup::new(0.020);
    g.cone(0.01, arm.hand(-0.02, 0.003, 0.0), arm.hand(0.02, 0.004, 0.0), 0.021, 0.020);
    for finger in 1..5 {
        let (points, _) = arm.finger(finger);
        let side = [0.014, 0.005, -0.005, -0.013][finger - 1];
        let (r0, r1) = ([0.0165, 0.016, 0.0155, 0.015], [0.0122, 0.0122, 0.0115, 0.0105]);
        let start = arm.hand(0.016, side, 0.001);
        let end = points[0].lerp(points[1], 0.12);
        g.cone(0.020, start, end, r0[finger - 1], r1[finger - 1]);
    }
    // Pads at the roots of the thumb and the little finger.
    let thenar = arm.hand(0.040, 0.024, 0.010);
    let toward_thumb = along(arm.along * 0.8 + arm.thumbward * 0.5 + arm.palmward * 0.2);
    g.oval(0.020, thenar, toward_thumb, vec3(0.0155, 0.030, 0.0155));
    let pad = arm.hand(0.042, -0.020, 0.007);
    g.oval(0.020, pad, along(arm.along), vec3(0.0130, 0.032, 0.0130));
    g
}

fn digit(arm: &ArmPlan, finger: usize) -> PartGroup {
    let mut g = PartGroup::new(if finger == 0 { 0.012 } else { 0.0065 });
    let (points, _) = arm.finger(finger);
    let radii = match finger {
        0 => [0.0135, 0.0112, 0.0100, 0.0082],
        1 => [0.0096, 0.0088, 0.0079, 0.0066],
        2 => [0.0098, 0.0090, 0.0081, 0.0067],
        3 => [0.0094, 0.0086, 0.0077, 0.0064],
        _ => [0.0086, 0.0076, 0.0068, 0.0058],
    };
    for bone in 0..3 {
        let (a, b) = (points[bone], points[bone + 1]);
        // The last bone ends before its tail, by the radius of the fingertip.
        let b = if bone == 2 { b - (b - a).normalize_or_zero() * radii[3] * 0.6 } else { b };
        g.cone(0.002, a, b, radii[bone], radii[bone + 1]);
    }
    g
}

fn regions(arm: &ArmPlan) -> Vec<Region> {
    let region = |center, axes, radii, tone, ring, groove| Region {
        shape: Primitive::Ellipsoid { center, axes, radii },
        tone,
        ring,
        groove,
    };
    let ball = |center: Vec3, radius: f32, ring: f32| {
        let radii = Vec3::splat(radius);
        region(center, Quat::IDENTITY, radii, Tone::Joint, ring, 0.0016)
    };
    let straight = Quat::IDENTITY;
    let waist = vec3(0.0, 1.082, 0.004);
    let neck = vec3(0.0, 1.503, -0.020);
    let lean = Quat::from_rotation_x(0.25);
    let cap = vec3(0.0, 1.690, -0.066);
    let ear = vec3(0.0770, 1.624, -0.012);
    let turn = Quat::from_rotation_y(-0.42) * Quat::from_rotation_x(-0.15);
    let emblem = vec3(0.0, 1.352, 0.085);
    let wrist = arm.wrist - (arm.wrist - arm.elbow).normalize_or_zero() * 0.004;
    let forearm = along(arm.wrist - arm.elbow);
    let shoe = vec3(0.110, 0.0, 0.030);
    let sole = vec3(0.110, -0.50, 0.030);
    vec![
        region(waist, straight, vec3(0.165, 0.072, 0.20), Tone::Joint, 0.0, 0.0018),
        region(neck, lean, vec3(0.13, 0.027, 0.13), Tone::Joint, 0.0, 0.0014),
        ball(arm.elbow, 0.052, 0.0),
        ball(KNEE, 0.070, 0.0),
        region(wrist, forearm, vec3(0.08, 0.013, 0.08), Tone::Accent, 0.0, 0.0010),
        region(shoe, straight, vec3(0.20, 0.112, 0.30), Tone::Joint, 0.010, 0.0014),
        region(sole, straight, vec3(3.0, 0.512, 3.0), Tone::Accent, 0.0, 0.0),
        region(cap, straight, vec3(0.16, 0.098, 0.146), Tone::Joint, 0.0, 0.0014),
        region(ear, turn, vec3(0.020, 0.034, 0.0225), Tone::Shell, 0.0, 0.0),
        region(emblem, straight, vec3(0.017, 0.017, 0.05), Tone::Accent, 0.0, 0.0012),
    ]
}
