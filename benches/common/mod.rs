//! Documents of known sizes for the benchmarks, and straightforward implementations for comparison.
#![allow(dead_code, reason = "each bench uses a part")]
#![allow(clippy::allow_attributes, reason = "a part that one bench uses is none the other expects")]

pub mod body;
pub mod capture;
#[cfg(feature = "gui")]
pub mod window;

use glam::{Mat4, Quat, Vec3};
use ulna_model::{
    Clip, ClipId, Document, FileContent, Interpolation, Local, Node, NodeId, Nodes, Property,
    Shared, Slice, Track, TrackId, Tracks, Transform,
};

/// Prints which vector instructions the loops use. `ULNA_VECTORS` forbids wider ones.
pub fn vectors(_: &mut criterion::Criterion) {
    println!("Loops use {}.", ulna_geometry::vectors_in_use());
}

/// Returns a pseudorandom number in `0..1`. A seed always gives the same number.
pub fn noise(seed: u32) -> f32 {
    let mut x = seed.wrapping_mul(0x9E37_79B9) ^ 0x85EB_CA6B;
    x ^= x >> 16;
    x = x.wrapping_mul(0x7FEB_352D);
    x ^= x >> 15;
    (x >> 8) as f32 / (1u32 << 24) as f32
}

/// Key times and interpolation of a generated clip.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Keys {
    /// LINEAR tracks that all have the same key times.
    Shared,
    /// LINEAR tracks, each with its own key times.
    Own,
    /// CUBICSPLINE tracks, each with its own key times.
    Cubic,
}

/// Builds a binary tree of `joints` joints, with one clip of `keys` keys per track at 30 per
/// second.
pub fn skeleton(joints: usize, keys: usize, kind: Keys) -> (Document, ClipId) {
    let parent = |k: usize| (k > 0).then(|| NodeId(((k - 1) / 2) as u32));
    let nodes: Nodes = (0..joints)
        .map(|k| Node {
            name: Some(format!("joint {k}").into()),
            parent: parent(k),
            rest: Local::Trs(Transform {
                translation: Vec3::new(0.0, 0.1, 0.0),
                ..Transform::IDENTITY
            }),
            ..Node::default()
        })
        .collect();
    let shared: Slice<f32> = (0..keys).map(|k| k as f32 / 30.0).collect();
    let mut tracks = Tracks::default();
    for joint in 0..joints {
        for (which, property) in Property::TRS.into_iter().enumerate() {
            let seed = (joint * 3 + which) as u32;
            let times: Slice<f32> = match kind {
                Keys::Shared => shared.clone(),
                Keys::Own | Keys::Cubic => (0..keys)
                    .map(|k| (k as f32 + 0.4 * noise(seed * 7919 + k as u32)) / 30.0)
                    .collect(),
            };
            let width = if property == Property::Rotation { 4 } else { 3 };
            let mut values = Vec::new();
            for key in 0..keys {
                let phase = key as f32 * 0.11 + noise(seed) * 6.0;
                let value: Vec<f32> = match property {
                    Property::Translation => vec![0.01 * phase.sin(), 0.1, 0.01 * phase.cos()],
                    Property::Rotation => Quat::from_euler(
                        glam::EulerRot::XYZ,
                        0.5 * phase.sin(),
                        0.3 * phase.cos(),
                        0.2,
                    )
                    .to_array()
                    .to_vec(),
                    Property::Scale | Property::Weights => vec![1.0 + 0.02 * phase.sin(); 3],
                };
                match kind {
                    Keys::Cubic => {
                        values.extend(vec![0.0; width]);
                        values.extend(value);
                        values.extend(vec![0.0; width]);
                    }
                    Keys::Shared | Keys::Own => values.extend(value),
                }
            }
            let interpolation = if kind == Keys::Cubic {
                Interpolation::CubicSpline
            } else {
                Interpolation::Linear
            };
            let track = Track {
                target: NodeId(joint as u32),
                property,
                interpolation,
                times,
                values: values.into(),
                width,
                kinds: Default::default(),
                modes: Default::default(),
            };
            tracks.insert(TrackId(seed), Shared::new(track));
        }
    }
    let clip = Clip { name: Some("bench".into()), tracks, ..Clip::default() };
    let file =
        FileContent { nodes, clips: vec![Shared::new(clip)].into(), ..FileContent::default() };
    (file.into(), ClipId(0))
}

/// Straightforward pose evaluation, for comparison: a binary search and glam's SLERP per track,
/// then each world matrix as parent times local.
pub struct Plain {
    local: Vec<Transform>,
    /// World matrices of the last pose.
    pub world: Vec<Mat4>,
    parents: Vec<Option<usize>>,
}

impl Plain {
    /// Prepares a document in which parents come before their children.
    pub fn new(document: &Document) -> Self {
        let parents = document.nodes.values().map(|n| n.parent.map(|p| p.index())).collect();
        let count = document.nodes.len();
        Self {
            local: vec![Transform::IDENTITY; count],
            world: vec![Mat4::IDENTITY; count],
            parents,
        }
    }

    /// Computes the pose of a clip at a time in seconds.
    pub fn pose(&mut self, clip: &Clip, time: f32) {
        for track in clip.tracks.values() {
            let after = track.times.partition_point(|t| *t <= time);
            let k = after.saturating_sub(1).min(track.times.len().saturating_sub(2));
            let span = track.times[k + 1] - track.times[k];
            let u = ((time - track.times[k]) / span).clamp(0.0, 1.0);
            let local = &mut self.local[track.target.index()];
            if track.interpolation == Interpolation::CubicSpline {
                let w = track.width;
                let (from, to) = (&track.values[k * 3 * w..], &track.values[(k + 1) * 3 * w..]);
                let (u2, u3) = (u * u, u * u * u);
                let value = |i: usize| {
                    (2.0 * u3 - 3.0 * u2 + 1.0) * from[w + i]
                        + span * (u3 - 2.0 * u2 + u) * from[2 * w + i]
                        + (-2.0 * u3 + 3.0 * u2) * to[w + i]
                        + span * (u3 - u2) * to[i]
                };
                match track.property {
                    Property::Translation => {
                        local.translation = Vec3::new(value(0), value(1), value(2))
                    }
                    Property::Rotation => {
                        let q = glam::Vec4::new(value(0), value(1), value(2), value(3));
                        local.rotation = Quat::from_vec4(q.normalize_or(glam::Vec4::W));
                    }
                    Property::Scale | Property::Weights => {
                        local.scale = Vec3::new(value(0), value(1), value(2))
                    }
                }
                continue;
            }
            let (a, b) = (track.value(k), track.value(k + 1));
            match track.property {
                Property::Translation => {
                    local.translation = Vec3::from_slice(a).lerp(Vec3::from_slice(b), u)
                }
                Property::Rotation => {
                    local.rotation = Quat::from_slice(a).slerp(Quat::from_slice(b), u)
                }
                Property::Scale | Property::Weights => {
                    local.scale = Vec3::from_slice(a).lerp(Vec3::from_slice(b), u)
                }
            }
        }
        for k in 0..self.local.len() {
            let t = &self.local[k];
            let local = Mat4::from_scale_rotation_translation(t.scale, t.rotation, t.translation);
            self.world[k] = self.parents[k].map_or(local, |p| self.world[p] * local);
        }
    }
}

/// Builds a GLB from JSON and a binary chunk. The length of the chunk must be a multiple of 4.
pub fn glb(document: &serde_json::Value, bin: &[u8]) -> Vec<u8> {
    let mut text = document.to_string().into_bytes();
    text.resize(text.len().next_multiple_of(4), b' ');
    let mut glb = Vec::new();
    let total = 12 + 8 + text.len() + 8 + bin.len();
    for word in [0x4654_6C67u32, 2, total as u32, text.len() as u32, 0x4E4F_534A] {
        glb.extend(word.to_le_bytes());
    }
    glb.extend(text);
    glb.extend((bin.len() as u32).to_le_bytes());
    glb.extend(0x004E_4942u32.to_le_bytes());
    glb.extend_from_slice(bin);
    glb
}
