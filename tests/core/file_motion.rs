//! Independent reader for the motion of a file, in 64 bits. It parses the JSON and the buffers
//! itself, and has its own formulas. Splines use De Casteljau's construction, and rotations use the
//! quaternion logarithm. The program uses Hermite weights and sines instead.
#![allow(clippy::unwrap_used, reason = "a test ends where something is not as it must be")]

use serde_json::Value;
use std::{fs, path::Path};

use ulna_model::{NodeId, Property};

use crate::common;

/// JSON and buffers of a file.
pub struct Raw {
    pub json: Value,
    pub buffers: Vec<Vec<u8>>,
}

impl Raw {
    pub fn read(path: &Path) -> Self {
        let bytes = fs::read(path).unwrap();
        if bytes.starts_with(b"glTF") {
            let (json, bin) = common::split(&bytes);
            return Self { json, buffers: vec![bin] };
        }
        let json: Value = serde_json::from_slice(&bytes).unwrap();
        let folder = path.parent().unwrap();
        let buffers = json["buffers"].as_array().into_iter().flatten().map(|buffer| {
            let name = buffer["uri"].as_str().unwrap();
            assert!(!name.contains(':') && !name.contains('%'), "{name}");
            fs::read(folder.join(name)).unwrap()
        });
        Self { buffers: buffers.collect(), json }
    }

    /// Returns the numbers of an accessor. Normalized integers are decoded as in glTF 2.0, 3.6.2.2.
    fn numbers(&self, accessor: &Value) -> Vec<f64> {
        let accessor = &self.json["accessors"][accessor.as_u64().unwrap() as usize];
        assert!(accessor["sparse"].is_null());
        let whole = |v: &Value| v.as_u64().unwrap_or(0) as usize;
        let wide = match accessor["type"].as_str().unwrap() {
            "SCALAR" => 1,
            "VEC3" => 3,
            "VEC4" => 4,
            other => panic!("{other}"),
        };
        let kind = whole(&accessor["componentType"]);
        let size = [1, 1, 2, 2, 0, 4, 4][kind - 5120];
        let view = &self.json["bufferViews"][whole(&accessor["bufferView"])];
        let start = whole(&view["byteOffset"]) + whole(&accessor["byteOffset"]);
        let stride = view["byteStride"].as_u64().map_or(size * wide, |s| s as usize);
        let bytes = &self.buffers[whole(&view["buffer"])];
        let one = |at: usize| {
            let b = &bytes[at..at + size];
            let (number, most) = match kind {
                5120 => (f64::from(b[0] as i8), 127.0),
                5121 => (f64::from(b[0]), 255.0),
                5122 => (f64::from(i16::from_le_bytes([b[0], b[1]])), 32767.0),
                5123 => (f64::from(u16::from_le_bytes([b[0], b[1]])), 65535.0),
                _ => return f64::from(f32::from_le_bytes(b.try_into().unwrap())),
            };
            assert!(accessor["normalized"].as_bool().unwrap());
            (number / most).max(-1.0)
        };
        (0..whole(&accessor["count"]))
            .flat_map(|k| (0..wide).map(move |i| start + k * stride + i * size))
            .map(one)
            .collect()
    }

    /// Returns the rounding error of an accessor's numbers when they are read in single precision.
    /// Floats are read exactly, and normalized integers are divided.
    fn exactness(&self, accessor: &Value) -> f64 {
        let accessor = &self.json["accessors"][accessor.as_u64().unwrap() as usize];
        if accessor["componentType"] == 5126 { 1e-11 } else { 5e-7 }
    }

    /// Returns all channels of an animation that animate a node.
    pub fn motions(&self, animation: usize) -> Vec<(NodeId, Property, Motion)> {
        let animation = &self.json["animations"][animation];
        let of = |channel: &Value| {
            let node = channel["target"]["node"].as_u64()?;
            let path = channel["target"]["path"].as_str()?;
            let property =
                [Property::Translation, Property::Rotation, Property::Scale, Property::Weights]
                    .into_iter()
                    .find(|p| p.path() == path)?;
            let sampler = &animation["samplers"][channel["sampler"].as_u64()? as usize];
            let times = self.numbers(&sampler["input"]);
            let values = self.numbers(&sampler["output"]);
            let kind = sampler["interpolation"].as_str().unwrap_or("LINEAR").to_owned();
            let parts = if kind == "CUBICSPLINE" { 3 } else { 1 };
            let width = values.len() / times.len() / parts;
            let turns = property == Property::Rotation;
            let exactness = self.exactness(&sampler["output"]);
            let mut motion = Motion { kind, times, values, width, turns, exactness };
            motion.exactness += motion.unequal();
            Some((NodeId::from(node as usize), property, motion))
        };
        animation["channels"].as_array().unwrap().iter().filter_map(of).collect()
    }
}

/// Motion of one channel of a file.
pub struct Motion {
    pub kind: String,
    pub times: Vec<f64>,
    pub values: Vec<f64>,
    pub width: usize,
    pub turns: bool,
    /// Rounding error of a number with magnitude 1.
    pub exactness: f64,
}

impl Motion {
    fn part(&self, key: usize, part: usize) -> &[f64] {
        let parts = if self.kind == "CUBICSPLINE" { 3 } else { 1 };
        let start = (key * parts + if parts == 3 { part } else { 0 }) * self.width;
        &self.values[start..start + self.width]
    }

    /// Returns the possible error of LINEAR rotations whose stored quaternions are not normalized.
    /// The program interpolates such quaternions as stored.
    fn unequal(&self) -> f64 {
        let lines = self.turns && self.kind == "LINEAR";
        let off = |key| (self.part(key, 1).iter().map(|v| v * v).sum::<f64>().sqrt() - 1.0).abs();
        (0..self.times.len()).filter(|_| lines).map(off).fold(0.0, f64::max)
    }

    /// Returns the value at a time. For rotations, also returns the length before normalizing.
    pub fn at(&self, time: f64) -> (Vec<f64>, f64) {
        let last = self.times.len() - 1;
        let key = self.times.iter().rposition(|t| *t <= time).unwrap_or(0);
        let part = if key == last || time < self.times[key] {
            0.0
        } else {
            (time - self.times[key]) / (self.times[key + 1] - self.times[key])
        };
        let from = self.part(key, 1);
        let found = match &*self.kind {
            _ if part == 0.0 => from.to_vec(),
            "STEP" => from.to_vec(),
            "LINEAR" if self.turns => slerped(from, self.part(key + 1, 1), part),
            "LINEAR" => mixed(from, self.part(key + 1, 1), part),
            _ => self.spline(key, part),
        };
        if !self.turns {
            return (found, 1.0);
        }
        let length = found.iter().map(|v| v * v).sum::<f64>().sqrt();
        (found.iter().map(|v| v / length).collect(), length)
    }

    /// Evaluates a spline by De Casteljau's construction. The inner points are a third of the
    /// segment along the tangents.
    fn spline(&self, key: usize, part: f64) -> Vec<f64> {
        let third = (self.times[key + 1] - self.times[key]) / 3.0;
        let along = |value: &[f64], slope: &[f64], by: f64| -> Vec<f64> {
            value.iter().zip(slope).map(|(v, s)| v + by * s).collect()
        };
        let mut points = vec![
            self.part(key, 1).to_vec(),
            along(self.part(key, 1), self.part(key, 2), third),
            along(self.part(key + 1, 1), self.part(key + 1, 0), -third),
            self.part(key + 1, 1).to_vec(),
        ];
        while points.len() > 1 {
            points = points.windows(2).map(|p| mixed(&p[0], &p[1], part)).collect();
        }
        points.swap_remove(0)
    }

    /// Returns the magnitude of the values and tangents, for estimates of rounding.
    pub fn size(&self) -> f64 {
        let longest = self.times.windows(2).map(|t| t[1] - t[0]).fold(1.0f64, f64::max);
        self.values.iter().fold(1.0f64, |most, v| most.max(v.abs())) * longest
    }
}

fn mixed(a: &[f64], b: &[f64], part: f64) -> Vec<f64> {
    a.iter().zip(b).map(|(a, b)| a * (1.0 - part) + b * part).collect()
}

/// Returns the product of two quaternions, with components in the order x y z w.
pub fn product(a: &[f64], b: &[f64]) -> Vec<f64> {
    vec![
        a[3] * b[0] + a[0] * b[3] + a[1] * b[2] - a[2] * b[1],
        a[3] * b[1] + a[1] * b[3] + a[2] * b[0] - a[0] * b[2],
        a[3] * b[2] + a[2] * b[3] + a[0] * b[1] - a[1] * b[0],
        a[3] * b[3] - a[0] * b[0] - a[1] * b[1] - a[2] * b[2],
    ]
}

/// Returns the SLERP along the shorter arc, `a·(a⁻¹b)^part`, computed by the logarithm.
fn slerped(a: &[f64], b: &[f64], part: f64) -> Vec<f64> {
    let unit = |q: &[f64]| -> Vec<f64> {
        let length = q.iter().map(|v| v * v).sum::<f64>().sqrt();
        q.iter().map(|v| v / length).collect()
    };
    let (a, b) = (unit(a), unit(b));
    let mut way = product(&[-a[0], -a[1], -a[2], a[3]], &b);
    if way[3] < 0.0 {
        way.iter_mut().for_each(|v| *v = -*v);
    }
    let sine = way[..3].iter().map(|v| v * v).sum::<f64>().sqrt();
    let angle = sine.atan2(way[3]) * part;
    let scale = if sine < 1e-12 { part } else { angle.sin() / sine };
    product(&a, &[way[0] * scale, way[1] * scale, way[2] * scale, angle.cos()])
}

/// Returns the angle between two unit quaternions, in degrees.
pub fn degrees_between(a: &[f64], b: &[f64]) -> f64 {
    let way = product(&[-a[0], -a[1], -a[2], a[3]], b);
    let sine = way[..3].iter().map(|v| v * v).sum::<f64>().sqrt();
    (2.0 * sine.atan2(way[3].abs())).to_degrees()
}

/// Returns the rotation of Euler angles in degrees, in an order such as “ZXY”.
pub fn composed(order: &str, angles: [f64; 3]) -> Vec<f64> {
    order.bytes().fold(vec![0.0, 0.0, 0.0, 1.0], |made, axis| {
        let axis = usize::from(axis - b'X');
        let half = angles[axis].to_radians() * 0.5;
        let mut turn = [0.0, 0.0, 0.0, half.cos()];
        turn[axis] = half.sin();
        product(&made, &turn)
    })
}
