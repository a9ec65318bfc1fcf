//! Influences of each vertex: computed by distance to the bones, restricted to neighbors in the
//! skeleton, and then smoothed over the mesh.

use std::collections::BTreeMap;

use glam::{Vec3, vec3};

use crate::body::{FINGERS, SIDES, Skeleton};
use crate::surface::Mesh;

/// Joints that influence a vertex, with their weights.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Influence {
    /// Joint indices, strongest first; 0 in unused slots.
    pub joints: [u8; 4],
    /// Weights, strongest first. They sum to 1.
    pub weights: [f32; 4],
}

/// A capsule around a bone of one joint.
struct Reach {
    joint: usize,
    a: Vec3,
    b: Vec3,
    /// Radius of the body around the bone, in meters.
    radius: f32,
    /// Width of the blend between this joint and another one, in meters.
    softness: f32,
}

impl Reach {
    fn distance(&self, p: Vec3) -> f32 {
        let along = self.b - self.a;
        let t = (p - self.a).dot(along) / along.length_squared().max(1e-9);
        p.distance(self.a + along * t.clamp(0.0, 1.0)) - self.radius
    }
}

/// Binds every vertex of the mesh to at most four joints.
pub fn bind(mesh: &Mesh, skeleton: &Skeleton) -> Vec<Influence> {
    let reaches = reaches(skeleton);
    let near: Vec<Vec<usize>> = (0..skeleton.joints.len())
        .map(|j| {
            let parent = skeleton.joints[j].parent.into_iter();
            parent.chain(skeleton.children(j)).chain([j]).collect()
        })
        .collect();
    let other_side: Vec<usize> =
        (0..skeleton.joints.len()).map(|j| other_side(skeleton, j)).collect();
    let mut shares: Vec<BTreeMap<usize, f32>> = mesh
        .positions
        .iter()
        .map(|&p| {
            // Both sides are computed on the left. Vertices in the middle are computed for both
            // sides.
            let left = share(vec3(p.x.abs(), p.y, p.z), &reaches, &near);
            let right = left.iter().map(|(&j, &w)| (other_side[j], w));
            if p.x < 0.0 {
                right.collect()
            } else if p.x > 0.0 {
                left
            } else {
                let mut both = left.clone();
                for (j, w) in right {
                    *both.entry(j).or_insert(0.0) += w;
                }
                both.values_mut().for_each(|w| *w *= 0.5);
                both
            }
        })
        .collect();

    let ring = rings(mesh);
    for _ in 0..7 {
        shares = (0..shares.len()).map(|v| smoothed(v, &shares, &ring[v])).collect();
    }
    let finger = fingers(skeleton);
    let one_finger = |mut shares: BTreeMap<usize, f32>| {
        let of_finger = shares.iter().filter(|(j, _)| finger[**j] != 0);
        let strongest = of_finger.max_by(|a, b| a.1.total_cmp(b.1));
        if let Some(kept) = strongest.map(|(j, _)| finger[*j]) {
            shares.retain(|&j, _| finger[j] == 0 || finger[j] == kept);
        }
        pack(shares)
    };
    shares.into_iter().map(one_finger).collect()
}

/// Returns the mirror joint of a joint. A center joint is its own mirror joint.
fn other_side(skeleton: &Skeleton, joint: usize) -> usize {
    let name = &skeleton.joints[joint].name;
    let swapped = match (name.strip_prefix("Left"), name.strip_prefix("Right")) {
        (Some(part), _) => format!("Right{part}"),
        (_, Some(part)) => format!("Left{part}"),
        _ => return joint,
    };
    skeleton.find(&swapped).unwrap_or(joint)
}

/// Returns the number of the finger of each joint, from 1; 0 for other joints.
fn fingers(skeleton: &Skeleton) -> Vec<usize> {
    let number = |name: &str| {
        let side = usize::from(name.starts_with("Right")) * FINGERS.len();
        let of = FINGERS.iter().position(|f| name.contains(f));
        of.map_or(0, |f| 1 + f + side)
    };
    skeleton.joints.iter().map(|j| number(&j.name)).collect()
}

/// Returns the initial weights at `p`, from distances only.
fn share(p: Vec3, reaches: &[Reach], near: &[Vec<usize>]) -> BTreeMap<usize, f32> {
    let mut nearest: BTreeMap<usize, (f32, f32)> = BTreeMap::new();
    for reach in reaches {
        let entry = nearest.entry(reach.joint).or_insert((f32::MAX, 0.0));
        let d = reach.distance(p);
        if d < entry.0 {
            *entry = (d, reach.softness);
        }
    }
    let best = nearest.iter().min_by(|a, b| a.1.0.total_cmp(&b.1.0));
    let Some((&owner, &(least, softness))) = best else {
        return BTreeMap::new();
    };
    let mut shares = BTreeMap::new();
    for &joint in &near[owner] {
        if let Some(&(d, soft)) = nearest.get(&joint) {
            let t = (d - least) / soft.min(softness);
            let w = (-t * t).exp();
            if w > 1e-3 {
                shares.insert(joint, w);
            }
        }
    }
    let total: f32 = shares.values().sum();
    shares.values_mut().for_each(|w| *w /= total);
    shares
}

/// Returns the capsules of all joints.
fn reaches(s: &Skeleton) -> Vec<Reach> {
    let mut reaches = Vec::new();
    let mut add = |name: &str, a: Vec3, b: Vec3, radius: f32, softness: f32| {
        if let Some(joint) = s.find(name) {
            reaches.push(Reach { joint, a, b, radius, softness });
        }
    };
    let across = |x: f32, y: f32, z: f32| (vec3(-x, y, z), vec3(x, y, z));
    for (name, (a, b), radius) in [
        ("Hips", across(0.060, 0.968, 0.0), 0.085),
        ("Spine", across(0.050, 1.080, 0.0), 0.085),
        ("Chest", across(0.060, 1.200, 0.0), 0.090),
        ("UpperChest", across(0.070, 1.330, 0.0), 0.090),
    ] {
        add(name, a, b, radius, 0.035);
    }
    let (neck, head) = (s.at("Neck"), s.at("Head"));
    add("Neck", neck.head, neck.tail - vec3(0.0, 0.01, 0.0), 0.052, 0.02);
    add("Head", head.head + vec3(0.0, 0.03, 0.0), vec3(0.0, 1.66, 0.0), 0.075, 0.02);
    add("Jaw", vec3(0.0, 1.553, 0.040), vec3(0.0, 1.546, 0.070), 0.022, 0.012);
    for (side, sign) in SIDES {
        let name = |part: &str| format!("{side}{part}");
        let m = |p: Vec3| vec3(p.x * sign, p.y, p.z);
        let (a, b) = (vec3(0.050, 1.425, -0.010), vec3(0.140, 1.420, -0.015));
        add(&name("Shoulder"), m(a), m(b), 0.048, 0.030);
        for (part, radius, softness) in [
            ("UpperArm", 0.045, 0.028),
            ("LowerArm", 0.036, 0.022),
            ("Hand", 0.014, 0.014),
            ("UpperLeg", 0.075, 0.040),
            ("LowerLeg", 0.046, 0.030),
            ("Foot", 0.036, 0.022),
            ("Toes", 0.028, 0.016),
        ] {
            let joint = s.at(&name(part));
            let (mut a, b) = (joint.head, joint.tail);
            if part == "UpperLeg" {
                a = a.lerp(b, 0.06);
            }
            if part == "UpperArm" {
                a = a.lerp(b, 0.06);
            }
            add(&name(part), a, b, radius, softness);
        }
        let heel = m(vec3(0.103, 0.036, -0.046));
        add(&name("Foot"), s.at(&name("Foot")).head, heel, 0.036, 0.02);
        // The palm is as wide as the row of knuckles.
        for finger in &FINGERS[1..] {
            let first = s.at(&format!("{side}{finger}1"));
            let wrist = s.at(&name("Hand")).head.lerp(first.head, 0.2);
            let end = first.head.lerp(wrist, 0.06);
            add(&name("Hand"), wrist, end, 0.012, 0.014);
        }
        for finger in FINGERS {
            for bone in 1..=3 {
                let joint = s.at(&format!("{side}{finger}{bone}"));
                let radius = if finger == "Thumb" { 0.011 } else { 0.008 };
                let skip = if bone == 1 { 0.15 } else { 0.0 };
                let start = joint.head.lerp(joint.tail, skip);
                let softness = if finger == "Thumb" { 0.008 } else { 0.006 };
                add(&joint.name, start, joint.tail, radius, softness);
            }
        }
    }
    reaches
}

/// Returns the neighbors of each vertex, in ascending order.
fn rings(mesh: &Mesh) -> Vec<Vec<u32>> {
    let mut rings = vec![Vec::new(); mesh.positions.len()];
    for t in &mesh.triangles {
        for i in 0..3 {
            rings[t[i] as usize].push(t[(i + 1) % 3]);
            rings[t[i] as usize].push(t[(i + 2) % 3]);
        }
    }
    for ring in &mut rings {
        ring.sort_unstable();
        ring.dedup();
    }
    rings
}

fn smoothed(v: usize, shares: &[BTreeMap<usize, f32>], ring: &[u32]) -> BTreeMap<usize, f32> {
    const OWN: f32 = 0.4;
    let mut sum: BTreeMap<usize, f32> = shares[v].iter().map(|(&j, w)| (j, w * OWN)).collect();
    let each = (1.0 - OWN) / ring.len().max(1) as f32;
    for &u in ring {
        for (&joint, weight) in &shares[u as usize] {
            *sum.entry(joint).or_insert(0.0) += weight * each;
        }
    }
    sum
}

/// Keeps the four strongest weights, in order, and normalizes them to a sum of 1.
fn pack(shares: BTreeMap<usize, f32>) -> Influence {
    let mut list: Vec<(usize, f32)> = shares.into_iter().collect();
    list.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    list.truncate(4);
    let strongest = list.first().map_or(1.0, |s| s.1);
    list.retain(|s| s.1 > 0.004 * strongest);
    let total: f32 = list.iter().map(|s| s.1).sum();
    let mut influence = Influence::default();
    for (slot, &(joint, weight)) in list.iter().enumerate() {
        influence.joints[slot] = joint as u8;
        influence.weights[slot] = weight / total;
    }
    let others: f32 = influence.weights[1..].iter().sum();
    influence.weights[0] = 1.0 - others;
    // Rounding can leave two equal weights in the wrong order.
    if influence.weights[0] < influence.weights[1] {
        influence.weights.swap(0, 1);
        influence.joints.swap(0, 1);
    }
    influence
}
