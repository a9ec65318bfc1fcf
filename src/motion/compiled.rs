//! A clip laid out for playing: keys of all joints side by side, so that one search and a few long loops pose a skeleton.
//!
//! Tracks that are LINEAR and share their key times become lanes of one group: for each key, all x, then all y, … of all
//! its joints. Everything else is sampled track by track, from where it was last.

use std::{
    collections::{BTreeMap, HashMap},
    sync::Arc,
};

use super::sample::{sample_at, segment};
use crate::model::{Clip, Interpolation, Local, Property, Slice, Track, Transform};

/// A clip that was laid out.
#[derive(Clone, Debug)]
pub(super) struct Compiled {
    groups: Vec<Group>,
    singles: Vec<(Arc<Track>, usize)>,
    /// For every node that the clip moves: whether translation, rotation and scale all come from lanes.
    moved: Vec<(u32, bool)>,
}

impl Compiled {
    /// Lays a clip out; nothing where two tracks move the same, since their order would count.
    pub(super) fn new(clip: &Clip) -> Option<Self> {
        let mut by_times: HashMap<Vec<u32>, usize> = HashMap::new();
        let mut known: HashMap<*const f32, usize> = HashMap::new();
        let mut members: Vec<Vec<Arc<Track>>> = Vec::new();
        let mut singles = Vec::new();
        let mut lanes: BTreeMap<(u32, Property), bool> = BTreeMap::new();
        let pointers = clip.pointers.iter().filter_map(|p| p.track.as_ref());
        for track in clip.tracks.values().chain(pointers) {
            let lane = track.interpolation == Interpolation::Linear && track.property != Property::Weights;
            if lanes.insert((track.target.0, track.property), lane).is_some() {
                return None;
            }
            if !lane {
                singles.push((track.clone(), 0));
                continue;
            }
            let index = *known.entry(track.times.as_ptr()).or_insert_with(|| {
                let bits = track.times.iter().map(|t| t.to_bits()).collect();
                *by_times.entry(bits).or_insert_with(|| {
                    members.push(Vec::new());
                    members.len() - 1
                })
            });
            members[index].push(track.clone());
        }
        let mut groups = Vec::new();
        for tracks in members {
            // A lane of one is slower than a track.
            if tracks.len() < 4 {
                for track in tracks {
                    lanes.insert((track.target.0, track.property), false);
                    singles.push((track, 0));
                }
            } else {
                groups.push(Group::new(&tracks));
            }
        }
        let mut moved: BTreeMap<u32, u32> = BTreeMap::new();
        for ((node, property), lane) in &lanes {
            if *property != Property::Weights {
                *moved.entry(*node).or_default() += u32::from(*lane);
            }
        }
        let moved = moved.into_iter().map(|(node, count)| (node, count == 3)).collect();
        Some(Self { groups, singles, moved })
    }

    /// Nodes that the clip moves, each with whether nothing of what they had before is left.
    pub(super) fn moved(&self) -> &[(u32, bool)] {
        &self.moved
    }

    /// Puts the clip's values at `time` seconds where they belong. Local transforms of moved nodes must be
    /// [`Local::Trs`] already.
    pub(super) fn apply(&mut self, time: f64, local: &mut [Local], morphs: &mut [Vec<f32>]) {
        for group in &mut self.groups {
            group.apply(time, local);
        }
        let mut buffer = [0.0f32; 4];
        for (track, cursor) in &mut self.singles {
            let at = segment(&track.times, time, cursor);
            let node = track.target.index();
            if track.property == Property::Weights {
                if morphs[node].len() == track.width {
                    sample_at(track, at, &mut morphs[node]);
                }
                continue;
            }
            let Local::Trs(local) = &mut local[node] else { continue };
            if track.property == Property::Rotation && track.interpolation == Interpolation::Linear && at.part > 0.0 {
                let key = |k: usize| glam::Vec4::from_slice(&track.values[k * 4..k * 4 + 4]);
                local.rotation = glam::Quat::from_vec4(turn_one(key(at.key), key(at.key + 1), at.part));
                continue;
            }
            let out = &mut buffer[..track.width];
            sample_at(track, at, out);
            set(local, track.property, out);
        }
    }
}

/// Sets a component of a transform.
pub(super) fn set(local: &mut Transform, property: Property, value: &[f32]) {
    match property {
        Property::Translation => local.translation = [value[0], value[1], value[2]].into(),
        Property::Rotation => local.rotation = glam::Quat::from_slice(value),
        Property::Scale | Property::Weights => local.scale = [value[0], value[1], value[2]].into(),
    }
}

/// Tracks that share their key times.
#[derive(Clone, Debug)]
struct Group {
    times: Slice<f32>,
    cursor: usize,
    /// Nodes by what is moved of them: translation, scale, rotation.
    nodes: [Vec<u32>; 3],
    /// Numbers a key: three lanes of translations, three of scales, four of rotations.
    stride: usize,
    data: Vec<f32>,
    /// The values at the moment, in the same lanes.
    now: Vec<f32>,
}

impl Group {
    const KINDS: [Property; 3] = [Property::Translation, Property::Scale, Property::Rotation];

    fn new(tracks: &[Arc<Track>]) -> Self {
        let times = tracks[0].times.clone();
        let by = Self::KINDS.map(|kind| tracks.iter().filter(|t| t.property == kind).collect::<Vec<_>>());
        let stride: usize = by.iter().flatten().map(|t| t.width).sum();
        let mut data = Vec::with_capacity(stride * times.len());
        for key in 0..times.len() {
            for (kind, width) in by.iter().zip([3, 3, 4]) {
                for component in 0..width {
                    data.extend(kind.iter().map(|t| t.value(key)[component]));
                }
            }
        }
        let nodes = by.map(|kind| kind.iter().map(|t| t.target.0).collect());
        Self { times, cursor: 0, nodes, stride, data, now: vec![0.0; stride] }
    }

    fn apply(&mut self, time: f64, local: &mut [Local]) {
        let at = segment(&self.times, time, &mut self.cursor);
        let row = |key: usize| &self.data[key * self.stride..(key + 1) * self.stride];
        let (from, to) = (row(at.key), row(if at.part > 0.0 { at.key + 1 } else { at.key }));
        let [moves, scales, turns] = &self.nodes;
        let lines = 3 * (moves.len() + scales.len());
        let (straight, round) = self.now.split_at_mut(lines);
        mix(&from[..lines], &to[..lines], at.part, straight);
        turn(&from[lines..], &to[lines..], at.part, round);
        let (translations, factors) = straight.split_at(3 * moves.len());
        if moves == turns && moves == scales {
            let n = moves.len();
            let lane = |of: &[f32], k: usize, i: usize| of[k * n + i];
            for (i, node) in moves.iter().enumerate() {
                let part = |of: &[f32]| glam::Vec3::new(lane(of, 0, i), lane(of, 1, i), lane(of, 2, i));
                local[*node as usize] = Local::Trs(Transform {
                    translation: part(translations),
                    rotation: glam::Quat::from_xyzw(
                        lane(round, 0, i),
                        lane(round, 1, i),
                        lane(round, 2, i),
                        lane(round, 3, i),
                    ),
                    scale: part(factors),
                });
            }
            return;
        }
        scatter(moves, translations, local, |t, v| t.translation = v);
        scatter(scales, factors, local, |t, v| t.scale = v);
        let n = turns.len();
        let (x, rest) = round.split_at(n);
        let (y, rest) = rest.split_at(n);
        let (z, w) = rest.split_at(n);
        for ((((node, x), y), z), w) in turns.iter().zip(x).zip(y).zip(z).zip(w) {
            if let Local::Trs(t) = &mut local[*node as usize] {
                t.rotation = glam::Quat::from_xyzw(*x, *y, *z, *w);
            }
        }
    }
}

fn scatter(nodes: &[u32], lanes: &[f32], local: &mut [Local], put: impl Fn(&mut Transform, glam::Vec3)) {
    let (x, rest) = lanes.split_at(nodes.len());
    let (y, z) = rest.split_at(nodes.len());
    for (((node, x), y), z) in nodes.iter().zip(x).zip(y).zip(z) {
        if let Local::Trs(t) = &mut local[*node as usize] {
            put(t, glam::Vec3::new(*x, *y, *z));
        }
    }
}

/// Linear interpolation of lanes.
#[inline(always)]
fn mix(from: &[f32], to: &[f32], part: f32, out: &mut [f32]) {
    for ((o, a), b) in out.iter_mut().zip(from).zip(to) {
        *o = a + (b - a) * part;
    }
}

/// The most terms a slerp needs: neighbours that are a quarter turn of the sphere apart.
const TERMS: usize = 24;

/// `1 / (k(2k+1))` and `k² / (k(2k+1))`.
const SERIES: [(f32, f32); TERMS] = {
    let mut list = [(0.0, 0.0); TERMS];
    let mut k = 1;
    while k < TERMS {
        let i = k as f32;
        list[k] = (1.0 / (i * (2.0 * i + 1.0)), i / (2.0 * i + 1.0));
        k += 1;
    }
    list
};

/// How many terms an angle needs, by `1 − |cos θ|`: term k is at most `(that / 2)^k` of the first, and an `f32` holds 24
/// bits.
fn terms(widest: f32) -> usize {
    if widest <= 1e-7 {
        return 1;
    }
    // ln 2⁻²⁵, over the logarithm of the ratio of neighbours.
    ((-17.4 / (widest.min(1.0) * 0.5).ln()).ceil() as usize + 1).clamp(2, TERMS)
}

/// Slerp of lanes of unit quaternions, on the short way, made unit.
///
/// `sin(tθ)/sin θ` as a power series in `cos θ − 1`: Eberly, *A Fast and Accurate Algorithm for Computing SLERP* (2011),
/// equation 9, nested as `t(1 + c₁x(1 + c₂x(…)))` with `c_k = (t² − k²)/(k(2k+1))`. The coefficients depend on `t` alone,
/// so all joints of a group share them, and as many terms are taken as the widest angle of the group needs.
#[inline(always)]
fn turn(from: &[f32], to: &[f32], part: f32, out: &mut [f32]) {
    let n = out.len() / 4;
    let lane = |k: usize| k * n..(k + 1) * n;
    let [ax, ay, az, aw] = [0, 1, 2, 3].map(|k| &from[lane(k)]);
    let [bx, by, bz, bw] = [0, 1, 2, 3].map(|k| &to[lane(k)]);
    let (ox, rest) = out.split_at_mut(n);
    let (oy, rest) = rest.split_at_mut(n);
    let (oz, ow) = rest.split_at_mut(n);
    // The dot products wait in the last lane.
    let mut widest = 0.0f32;
    for i in 0..n {
        let dot = ax[i] * bx[i] + ay[i] * by[i] + az[i] * bz[i] + aw[i] * bw[i];
        ow[i] = dot;
        widest = widest.max(1.0 - dot.abs());
    }
    let terms = terms(widest);
    let (t, s) = (part, 1.0 - part);
    let mut there = [0.0f32; TERMS];
    let mut back = [0.0f32; TERMS];
    for k in 1..terms {
        let (u, v) = SERIES[k];
        there[k] = t * t * u - v;
        back[k] = s * s * u - v;
    }
    for i in 0..n {
        let dot = ow[i];
        let side = if dot < 0.0 { -1.0 } else { 1.0 };
        let x = dot.abs().min(1.0) - 1.0;
        let (mut a, mut b) = (1.0f32, 1.0f32);
        for k in (1..terms).rev() {
            a = 1.0 + back[k] * x * a;
            b = 1.0 + there[k] * x * b;
        }
        let (a, b) = (a * s, b * t * side);
        let (qx, qy) = (ax[i] * a + bx[i] * b, ay[i] * a + by[i] * b);
        let (qz, qw) = (az[i] * a + bz[i] * b, aw[i] * a + bw[i] * b);
        let length = (qx * qx + qy * qy + qz * qz + qw * qw).sqrt();
        // Stored rotations are checked when they are read; a zero stays one rather than become NaN.
        let scale = if length > 1e-20 { 1.0 / length } else { 1.0 };
        ox[i] = qx * scale;
        oy[i] = qy * scale;
        oz[i] = qz * scale;
        ow[i] = qw * scale;
    }
}

/// [`turn`] of one quaternion: no sine, no arc.
fn turn_one(a: glam::Vec4, b: glam::Vec4, t: f32) -> glam::Vec4 {
    let dot = a.dot(b);
    let x = dot.abs().min(1.0) - 1.0;
    let s = 1.0 - t;
    let (mut p, mut q) = (1.0f32, 1.0f32);
    for (u, v) in SERIES[1..terms(-x)].iter().rev() {
        p = 1.0 + (s * s * u - v) * x * p;
        q = 1.0 + (t * t * u - v) * x * q;
    }
    let mixed = a * (p * s) + b * (q * t * if dot < 0.0 { -1.0 } else { 1.0 });
    mixed.normalize_or(glam::Vec4::W)
}

#[cfg(test)]
mod tests {
    use glam::Quat;

    use super::*;
    use crate::motion::slerp;

    #[test]
    fn turning_lanes_is_slerp_at_every_angle_and_sign() {
        let mut worst = 0.0f32;
        for step in 0..=60 {
            // Up to a half turn: the short way never has more.
            let angle = step as f32 / 60.0 * std::f32::consts::PI * 0.999;
            let a = Quat::from_euler(glam::EulerRot::XYZ, 0.3, -1.2, 0.7 + angle);
            let axis = glam::Vec3::new(0.3, -0.5, 0.8).normalize_or_zero();
            for sign in [1.0, -1.0] {
                let b = Quat::from_vec4(glam::Vec4::from(a * Quat::from_axis_angle(axis, angle)) * sign);
                for part in [0.0, 0.01, 0.25, 0.5, 0.77, 0.999] {
                    let mut out = [0.0; 4];
                    turn(&a.to_array(), &b.to_array(), part, &mut out);
                    let wanted = glam::Vec4::from(slerp(a, b, part));
                    for found in [glam::Vec4::from(out), turn_one(a.into(), b.into(), part)] {
                        worst = worst.max((found - wanted).length().min((found + wanted).length()));
                    }
                }
            }
        }
        assert!(worst < 1e-6, "{worst}");
    }
}
